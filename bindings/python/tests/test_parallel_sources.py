"""Workers read exactly their frames, wherever a chunk begins."""

from __future__ import annotations

import io
import pickle
import subprocess
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT

import nalu
from nalu.parallel import File, Frames

COUNT = 60
#: Options of ffmpeg for each file name: reordered frames, open groups of pictures, only one key frame, H.265.
VIDEOS = {
    "reordered.mp4": "-c:v libx264 -g 12 -bf 3 -b_strategy 0",
    "open.mp4": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0:b-pyramid=normal",
    "open.mkv": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0",
    "open.ts": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0",
    "refresh.mp4": "-c:v libx264 -x264-params intra-refresh=1:keyint=15:bframes=0",
    "one_group.mp4": "-c:v libx264 -g 1000 -bf 2 -sc_threshold 0",
    "hevc.mp4": "-c:v libx265 -x265-params open-gop=1:keyint=12:bframes=3:log-level=none",
    "raw.h264": "-c:v libx264 -g 12 -bf 2",
}


def video(directory, name: str, size: str = "96x64") -> str:
    path = directory / name
    picture = f"testsrc2=size={size}:rate=25:duration={COUNT / 25}"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-pix_fmt", "yuv420p", "-threads", "1"]
    subprocess.run([*command, *VIDEOS[name].split(), str(path)], check=True, timeout=PROGRAM_LIMIT)
    return str(path)


def chunks_of(source, *cuts, **options):
    """Returns the chunks of a source that is cut at these times."""
    (whole,) = nalu.parallel.plan(source, bit_rate=2_000_000, chunks=1, preset="ultrafast", **options)
    begins, ends = [None, *cuts], [*cuts, None]
    return [replace(whole, number=number, count=len(begins), begin=begin, end=end) for number, (begin, end) in enumerate(zip(begins, ends))]


def counts(*arguments) -> "list[int]":
    """Returns the number of frames in each chunk."""
    return [nalu.parallel.first_pass(chunk).frames for chunk in chunks_of(*arguments)]


def pictures(path, **options) -> "list[tuple[Fraction, np.ndarray]]":
    """Returns the presentation times of frames, and their luma."""
    with nalu.open(path, **options) as reader, nalu.media.Decoder() as decoder:
        frames = [frame for sample in reader for frame in decoder.decode(sample)] + decoder.flush()
    return [(frame.pts.fraction, np.array(frame.planes[0], dtype=np.int16)) for frame in frames]


def joined(directory, source, *cuts, **options) -> "list[tuple[Fraction, np.ndarray]]":
    """Encodes a source in chunks, joins them and decodes the result."""
    chunks = chunks_of(source, *cuts, **options)
    encoded = [nalu.parallel.second_pass(chunk, nalu.parallel.first_pass(chunk), 2_000_000, passes=2) for chunk in chunks]
    nalu.parallel.join(encoded, directory / "joined.mp4", overwrite=True)
    return pictures(directory / "joined.mp4")


def check_same(found, expected) -> None:
    """Checks that the times are equal, and that each picture is most like the one of the same time."""
    assert [time for time, _ in found] == [time for time, _ in expected]
    for index, (_, picture) in enumerate(found):
        distances = [np.abs(picture - other).mean() for _, other in expected]
        assert distances.index(min(distances)) == index and distances[index] < 10, index


@pytest.mark.parametrize("name", [name for name in VIDEOS if name != "raw.h264"])
def test_chunks_add_up_to_the_video_whatever_they_begin_with(tmp_path, name):
    source = video(tmp_path, name)
    whole = pictures(source)
    times = [nalu.Time(time.numerator, time.denominator) for time, _ in whole]
    assert len(whole) == COUNT and times == sorted(times)
    # Various first frames of a chunk: key frames, the frames next to them, and frames that refer across them.
    for index in range(1, COUNT - 10, 1 if name == "open.mp4" else 4):
        assert counts(source, times[index], times[index + 9]) == [index, 9, COUNT - index - 9], index
    for index in (11, 23, 37):
        check_same(joined(tmp_path, source, times[index], times[index + 9]), whole)


def test_a_video_whose_edit_list_hides_frames(tmp_path):
    whole = video(tmp_path, "reordered.mp4")
    cut = str(tmp_path / "cut.mp4")
    command = ["ffmpeg", "-v", "error", "-ss", "0.6", "-i", whole, "-c", "copy", cut]
    subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    (shown,), (hidden,) = counts(cut), counts(File(cut, ignore_edit_list=True))
    assert 0 < shown < COUNT and shown < hidden
    middle = nalu.Time(shown // 2, 25)
    found = joined(tmp_path, cut, middle)
    assert found[0][0] == 0 and len(found) == shown
    check_same([(time, picture) for (time, _), (_, picture) in zip(pictures(whole)[-shown:], found)], pictures(whole)[-shown:])


def test_workers_read_their_chunk_only(tmp_path, monkeypatch):
    # The file is larger than the block that a reader reads at once.
    path = video(tmp_path, "reordered.mp4", "1280x720")
    size = len(open(path, "rb").read())
    read = []

    class Counted:
        def __init__(self, file):
            self._file = file

        def __getattr__(self, name):
            return getattr(self._file, name)

        def read(self, count):
            data = self._file.read(count)
            read.append(len(data))
            return data

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._file.close()

    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(fsspec, "open", lambda address, mode: Counted(open(address[7:], mode)))
    (whole,) = chunks_of(f"file://{path}")
    read[:] = []
    assert nalu.parallel.first_pass(whole).frames == COUNT
    everything, read[:] = sum(read), []
    assert everything >= 0.9 * size
    chunk = chunks_of(f"file://{path}", nalu.Time(12, 25), nalu.Time(24, 25))[1]
    read[:] = []
    assert nalu.parallel.first_pass(chunk).frames == 12
    assert sum(read) < 0.5 * everything


def test_an_exception_of_a_file_is_raised(tmp_path, monkeypatch):
    path = video(tmp_path, "reordered.mp4")

    class Broken(io.FileIO):
        def readinto(self, buffer):
            raise ZeroDivisionError("no such bytes")

        read = readinto

    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setattr(fsspec, "open", lambda address, mode: Broken(address[7:]))
    with pytest.raises(ZeroDivisionError, match="no such bytes"):
        nalu.parallel.plan(f"file://{path}", bit_rate=100_000)


def test_a_video_that_does_not_state_its_duration(tmp_path):
    with pytest.raises(ValueError, match="does not state its duration"):
        nalu.parallel.plan(video(tmp_path, "raw.h264"), bit_rate=100_000)


def level(index: int) -> np.ndarray:
    return np.full((48, 64), 20 * index + 16, np.uint8)


def test_frames_of_a_function(tmp_path):
    source = Frames(level, 10, Fraction(30000, 1001), format="gray")
    cut, between = nalu.Time(3 * 1001, 30000), nalu.Time(3 * 1001 + 1, 30000)
    assert counts(source, cut) == [3, 7] and counts(source, between) == [4, 6]
    found = joined(tmp_path, source, cut)
    assert [time for time, _ in found] == [Fraction(1001 * index, 30000) for index in range(10)]
    for index, (_, picture) in enumerate(found):
        assert np.abs(picture - picture[0, 0]).max() <= 2
        assert index == 0 or picture.mean() > found[index - 1][1].mean() + 10
    assert pickle.loads(pickle.dumps(source)) == source


def test_frames_that_are_bytes():
    source = Frames(shapeless, 3, 25, format="gray", size=(64, 48))
    assert counts(source) == [3]
    with pytest.raises(ValueError, match="size"):
        counts(replace(source, size=None))


def shapeless(index: int) -> bytes:
    return bytes(64 * 48)


def test_methods_of_arrays_are_functions():
    numpy = pytest.importorskip("numpy")
    stack = numpy.zeros((3, 48, 64), numpy.uint8)
    for function in (stack.__getitem__, list(stack).__getitem__, bytes):
        assert Frames(function, 3, 25).identity()[1].count(".") >= 1
    chunks = nalu.parallel.plan(Frames(stack.__getitem__, 3, 25), bit_rate=100_000)
    assert (chunks[0].settings.width, chunks[0].settings.height) == (64, 48)
    assert nalu.parallel.first_pass(chunks[0]).frames == 3


def test_a_function_that_cannot_be_sent(tmp_path):
    numpy = pytest.importorskip("numpy")
    source = Frames(lambda index: numpy.zeros((48, 64), numpy.uint8), 3, 25)
    with pytest.raises(TypeError, match="cannot be sent to other processes.*top level of a module"):
        nalu.parallel.encode(source, tmp_path / "out.mp4", bit_rate=100_000)
    assert not any(tmp_path.iterdir())


def test_a_damaged_video_raises(tmp_path):
    path = video(tmp_path, "reordered.mp4")
    data = bytearray(open(path, "rb").read())
    with nalu.open(path) as reader:
        sample = [sample for sample in reader][20]
    place = bytes(data).index(sample.data)
    data[place + 4 : place + len(sample)] = bytes(len(sample) - 4)
    open(path, "wb").write(data)
    with pytest.raises(nalu.DecodingError, match="of 60 frames"):
        counts(path)


def test_what_is_no_source_raises(tmp_path):
    with pytest.raises(TypeError, match=r"int; expected a path .*, or Frames\(function"):
        File(3)
    with pytest.raises(TypeError, match="function"):
        Frames(3, 10, 25)
    for count in (0, -1):
        with pytest.raises(ValueError, match="count"):
            Frames(bytes, count, 25)
    with pytest.raises(OSError, match="nowhere"):
        nalu.parallel.plan(tmp_path / "nowhere.mp4", bit_rate=100_000)
