"""The type annotations, checked by mypy in the package and in a program."""

from __future__ import annotations

from pathlib import Path

from mypy import api

import nalu

PROGRAM = """
import io
from fractions import Fraction
from typing import Optional
import nalu

session: nalu.CompressionSession = nalu.CompressionSession(64, 48, frame_rate=Fraction(25), properties={"RealTime": True})
session["AverageBitRate"] = 3_000_000
rate = session["AverageBitRate"]
samples: list[nalu.Sample] = session.encode(bytes(9216), pts=nalu.Time(1, 25), tag="any") + session.flush()
for sample in session:
    data: bytes = sample.annex_b("always")
    seconds: float = sample.pts.seconds
    token: Optional[int] = sample.ltr_token
    reference: Optional[int] = sample.ltr_reference
    text: str = sample.format_description.codec_string

async def receive() -> None:
    async for sample in session:
        print(sample.is_key_frame)

done: nalu.Statistics = nalu.write_video(io.BytesIO(), [b""], fps=25)
name: str = nalu.encoders()[0].id
low, high = nalu.catalogue()["Quality"].range or (0.0, 1.0)
width: int = nalu.bitstream.parse_sps(b"").width

with nalu.open("in.mp4") as reader, nalu.Decoder(format="nv12", size=(640, 360)) as decoder:
    duration: Optional[nalu.Time] = reader.duration
    for sample in reader:
        for frame in decoder.decode(sample):
            number: float = frame.pts.seconds
            shape: tuple[int, ...] = frame.array.shape
for shown in nalu.read_video("in.mp4", start=Fraction(1, 2)):
    later: bool = shown.pts > nalu.Time(1, 2)
with nalu.media.Writer("out.mp4", fragmented=True) as writer:
    writer.write(sample)
with nalu.open("in.mp4") as video, nalu.media.Writer("out.mkv") as writer:
    passed: list[nalu.media.Track] = writer.add_tracks_from(video)
    added: int = writer.add_track_from(video, passed[0]) + writer.add_track_from(video, 1)
nalu.write_video("out.mp4", [b""], fps=25, audio="video.mp4")
for parsed in nalu.StreamParser().push(memoryview(b"")):
    writer.write(parsed)
with nalu.MultiPassStorage(b"") as storage:
    rates: list[int] = nalu.divide_bits([storage, storage.data()], 1000).bit_rates
chunks: list[nalu.parallel.Chunk] = nalu.parallel.plan("in.mp4", bit_rate=1000, chunks=2)
firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
second: nalu.parallel.EncodedChunk = nalu.parallel.second_pass(chunks[0], firsts[0], nalu.parallel.budgets(firsts, 1000)[0])
joined: int = nalu.parallel.join([second], "out.mp4").frames
summary: nalu.parallel.Summary = nalu.parallel.encode("in.mp4", "out.mp4", bit_rate=1000, progress=print)
sender = nalu.live.Sender(ssrc=1, payload_type=96, extensions={nalu.live.TRANSPORT_WIDE_URI: 4}, size=(640, 360))
request: Optional[nalu.live.FrameRequest] = sender.next_frame(0.0)
packet: Optional[bytes] = sender.take(0.0)
sender.add_sample(samples[0], 0.0, 0.0)
nalu.Decoder(threads="2")  # type: ignore[arg-type]
nalu.CompressionSession("64", 48)  # type: ignore[arg-type]
session.encode(b"", pts="1")  # type: ignore[arg-type]
"""


def test_the_package_and_its_use_are_typed(tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    # mypy searches site-packages itself, and refuses site-packages in MYPYPATH.
    parent = Path(nalu.__file__).parent.parent
    if parent.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(parent))
    found, errors, status = api.run(["--strict", "--cache-dir", str(tmp_path), "-p", "nalu"])
    assert status == 0, found + errors
    found, errors, status = api.run(["--strict", "--cache-dir", str(tmp_path), str(program)])
    assert status == 0, found + errors
