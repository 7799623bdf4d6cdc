"""H.265 format descriptions, from files of ffmpeg."""

from __future__ import annotations

import copy
import io
import pickle
import subprocess

import pytest

import nalu


@pytest.fixture(scope="module")
def hvcc(tmp_path_factory) -> bytes:
    """Returns the content of the hvcC box of an x265 stream."""
    path = tmp_path_factory.mktemp("hevc") / "in.mp4"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25", "-frames:v", "4"]
    command += ["-c:v", "libx265", "-x265-params", "log-level=none", "-pix_fmt", "yuv420p", "-tag:v", "hvc1", str(path)]
    subprocess.run(command, check=True)
    data = path.read_bytes()
    place = data.index(b"hvcC")
    return data[place + 4 : place - 4 + int.from_bytes(data[place - 4 : place], "big")]


def test_a_format_description_is_read_from_hvcc(hvcc):
    description = nalu.FormatDescription.from_hvcc(hvcc)
    assert (description.codec, description.width, description.height) == ("hevc", 96, 64)
    assert description.hvcc == hvcc and description.avcc == b""
    # Main profile, the level for this size, progressive, frames only.
    assert description.codec_string == "hvc1.1.6.L30.90"
    assert repr(description) == "<FormatDescription hvc1.1.6.L30.90 96x64>"
    assert [unit[0] >> 1 & 63 for unit in description.parameter_sets][:3] == [32, 33, 34]
    assert description.sequence.luma_bit_depth == 8


def test_a_format_description_is_made_from_h265_parameter_sets(hvcc):
    sets = nalu.FormatDescription.from_hvcc(hvcc).parameter_sets
    description = nalu.FormatDescription.from_parameter_sets(sets[:3], codec="hevc")
    assert description.codec_string == "hvc1.1.6.L30.90"
    assert description.parameter_sets == sets[:3]
    with pytest.raises(ValueError, match="codec is 'av1'; expected 'h264' or 'hevc'"):
        nalu.FormatDescription.from_parameter_sets(sets, codec="av1")


def test_copied_and_pickled_format_descriptions_are_equal(hvcc):
    description = nalu.FormatDescription.from_hvcc(hvcc)
    for other in (copy.deepcopy(description), pickle.loads(pickle.dumps(description))):
        assert other == description and hash(other) == hash(description)


def test_an_invalid_hvcc_is_refused():
    with pytest.raises(ValueError):
        nalu.FormatDescription.from_hvcc(b"\x01" * 10)


def test_an_h265_stream_parsed_in_blocks_is_decoded_like_ffmpeg(tmp_path):
    path = tmp_path / "in.h265"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25", "-frames:v", "24"]
    command += ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=12:bframes=3", "-pix_fmt", "yuv420p", str(path)]
    subprocess.run(command, check=True)
    raw = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-"]
    expected = subprocess.run(raw, stdout=subprocess.PIPE, check=True).stdout
    stream = path.read_bytes()
    parser = nalu.StreamParser("hevc")
    samples = [sample for place in range(0, len(stream), 700) for sample in parser.push(stream[place : place + 700])]
    samples += parser.finish()
    assert len(samples) == 24 and samples[0].format_description.codec == "hevc"
    with nalu.Decoder() as decoder:
        frames = [frame for sample in samples for frame in decoder.decode(sample)] + decoder.flush()
    assert b"".join(frame.array.tobytes() for frame in frames) == expected
    assert sorted(sample.pts for sample in samples) == [frame.pts for frame in frames]
    movie = io.BytesIO()
    with nalu.media.Writer(movie, "mp4") as writer:
        for sample in samples:
            writer.write(sample)
    assert b"hvc1" in movie.getvalue()
    movie.seek(0)
    again = list(nalu.read_video(movie, format=None))
    assert b"".join(frame.array.tobytes() for frame in again) == expected
    assert [frame.pts for frame in again] == [frame.pts for frame in frames]
