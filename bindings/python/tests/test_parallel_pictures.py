"""A video encoded in chunks has the fields, bit depth, colour, size and subtitles of its source."""

from __future__ import annotations

import concurrent.futures
import json
import subprocess

import pytest
from conftest import PROGRAM_LIMIT

import nalu
import nalu.parallel
from nalu.parallel import ParallelError

KEYS = ("pix_fmt", "field_order", "color_range", "color_space", "color_transfer", "color_primaries", "chroma_location")


def ffmpeg(*arguments) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, timeout=PROGRAM_LIMIT)


def clip(path, *options, filters="format=yuv420p"):
    ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1", "-vf", filters, "-c:v", "libx264", *options, path)
    return path


def streams(path) -> list[dict]:
    words = ["ffprobe", "-v", "error", "-of", "json", "-show_streams", str(path)]
    return json.loads(subprocess.run(words, check=True, capture_output=True, timeout=PROGRAM_LIMIT).stdout)["streams"]


def encode(source, target, **options):
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        return nalu.parallel.encode(source, target, bit_rate=100_000, chunks=2, cut="equal", executor=executor, **options)


FIELDS = "tinterlace=interleave_{},format=yuv420p"
SOURCES = {
    "plain": ((), "format=yuv420p"),
    "top": (("-flags", "+ildct", "-x264opts", "tff=1"), FIELDS.format("top")),
    "bottom": (("-flags", "+ildct", "-x264opts", "bff=1"), FIELDS.format("bottom")),
    "deep": ((), "format=yuv420p10le"),
    "colour": (("-color_primaries", "bt2020", "-x264opts", "chromaloc=2"), "format=yuv420p"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_pictures_are_those_of_the_source(tmp_path, name):
    options, filters = SOURCES[name]
    source = clip(tmp_path / "in.mp4", *options, filters=filters)
    encode(source, tmp_path / "out.mp4")
    (ours,), (theirs,) = streams(tmp_path / "out.mp4"), streams(source)
    assert {key: ours.get(key) for key in KEYS} == {key: theirs.get(key) for key in KEYS}


def test_what_is_asked_for_wins(tmp_path):
    source = clip(tmp_path / "in.mp4", "-flags", "+ildct", "-x264opts", "tff=1", filters=FIELDS.format("top"))
    encode(source, tmp_path / "out.mp4", properties={"FieldCount": 1, "ColorPrimaries": "ITU_R_2020"})
    (ours,) = streams(tmp_path / "out.mp4")
    assert (ours["field_order"], ours["color_primaries"]) == ("progressive", "bt2020")
    # The Baseline profile does not support fields.
    encode(source, tmp_path / "base.mp4", properties={"ProfileLevel": "H264_Baseline_AutoLevel"})
    assert streams(tmp_path / "base.mp4")[0]["field_order"] == "progressive"


def test_frames_say_which_field_is_first(tmp_path):
    for name, order in (("plain", None), ("top", "top"), ("bottom", "bottom")):
        options, filters = SOURCES[name]
        with nalu.open(clip(tmp_path / f"{name}.mp4", *options, filters=filters)) as reader, nalu.media.Decoder() as decoder:
            frames = [frame for sample in reader for frame in decoder.decode(sample)] + decoder.flush()
        assert {frame.field_order for frame in frames} == {order}


def changing(tmp_path):
    """Returns a file with 25 frames of 96x64, then 25 of 64x48."""
    chunks = [clip(tmp_path / "one.ts"), clip(tmp_path / "two.ts", "-output_ts_offset", "2", filters="scale=64:48,format=yuv420p")]
    (tmp_path / "both.ts").write_bytes(b"".join(chunk.read_bytes() for chunk in chunks))
    return tmp_path / "both.ts"


def test_another_size_in_the_middle_is_refused(tmp_path):
    source = changing(tmp_path)
    with pytest.raises(ParallelError, match="change from 96x64 to 64x48 at .* s, and a video has one size"):
        encode(source, tmp_path / "out.mp4")
    assert not (tmp_path / "out.mp4").exists()
    assert encode(source, tmp_path / "scaled.mp4", size=(96, 64), work=tmp_path / "work").frames == 50


def test_decoded_frames_have_their_own_size(tmp_path):
    sizes = [(frame.width, frame.height) for frame in nalu.read_video(changing(tmp_path))]
    assert sizes == [(96, 64)] * 25 + [(64, 48)] * 25


def test_subtitles_are_copied(tmp_path):
    (tmp_path / "text.srt").write_text("1\n00:00:00,000 --> 00:00:00,500\nOne\n\n")
    video = clip(tmp_path / "video.mp4")
    source = tmp_path / "in.mkv"
    ffmpeg("-i", video, "-i", tmp_path / "text.srt", "-c", "copy", source)
    summary = encode(source, tmp_path / "out.mkv")
    assert [each["codec_type"] for each in streams(tmp_path / "out.mkv")] in (["video", "subtitle"], ["subtitle", "video"])
    assert summary.left_out_subtitles == ()
    summary = encode(source, tmp_path / "out.mp4")
    assert [each["codec_type"] for each in streams(tmp_path / "out.mp4")] == ["video"]
    assert summary.left_out_subtitles == ("subrip",) and "without the subtitles (subrip)" in str(summary)
