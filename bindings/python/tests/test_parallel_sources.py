"""Workers read exactly their frames, wherever a chunk begins."""

from __future__ import annotations

import pickle
import subprocess
import zlib
from fractions import Fraction

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT

import nalu
from nalu.parallel import File, Frames

COUNT = 60
#: Options of ffmpeg for each file name: reordered frames, open groups of pictures, only one key frame, H.265.
FILMS = {
    "reordered.mp4": "-c:v libx264 -g 12 -bf 3 -b_strategy 0",
    "open.mp4": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0:b-pyramid=normal",
    "open.mkv": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0",
    "open.ts": "-c:v libx264 -x264-params open-gop=1:keyint=12:bframes=3:b-adapt=0",
    "refresh.mp4": "-c:v libx264 -x264-params intra-refresh=1:keyint=15:bframes=0",
    "one_group.mp4": "-c:v libx264 -g 1000 -bf 2 -sc_threshold 0",
    "hevc.mp4": "-c:v libx265 -x265-params open-gop=1:keyint=12:bframes=3:log-level=none",
    "raw.h264": "-c:v libx264 -g 12 -bf 2",
}


def film(folder, name: str, size: str = "96x64") -> str:
    path = folder / name
    picture = f"testsrc2=size={size}:rate=25:duration={COUNT / 25}"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-pix_fmt", "yuv420p", "-threads", "1"]
    subprocess.run([*command, *FILMS[name].split(), str(path)], check=True, timeout=PROGRAM_LIMIT)
    return str(path)


def seen(source, begin=None, end=None) -> "list[tuple[Fraction, int]]":
    """Returns the presentation times of frames, and checksums of their pixels."""
    found = []
    for shown in source.frames(begin, end):
        assert not shown.is_damaged
        pixels = zlib.crc32(b"".join(np.ascontiguousarray(plane).tobytes() for plane in shown.frame.planes))
        found.append((shown.pts.fraction, pixels))
    return found


@pytest.mark.parametrize("name", [name for name in FILMS if name != "raw.h264"])
def test_chunks_add_up_to_the_film_whatever_they_begin_with(tmp_path, name):
    source = File(film(tmp_path, name))
    whole = seen(source)
    assert len(whole) == COUNT and [time for time, _ in whole] == sorted(time for time, _ in whole)
    # Various first frames of a chunk: key frames, the frames next to them, and frames that refer across them.
    for index in range(1, COUNT, 1 if name == "open.mp4" else 4):
        cut = nalu.Time(whole[index][0].numerator, whole[index][0].denominator)
        later = nalu.Time(whole[min(index + 9, COUNT - 1)][0].numerator, whole[min(index + 9, COUNT - 1)][0].denominator)
        assert seen(source, cut, later) == whole[index : min(index + 9, COUNT - 1)], index
    middle = nalu.Time(whole[31][0].numerator, whole[31][0].denominator)
    assert seen(source, None, middle) + seen(source, middle, None) == whole


def test_a_film_whose_edit_list_hides_frames(tmp_path):
    whole = film(tmp_path, "reordered.mp4")
    cut = str(tmp_path / "cut.mp4")
    command = ["ffmpeg", "-v", "error", "-ss", "0.6", "-i", whole, "-c", "copy", cut]
    subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    source = File(cut)
    shown = seen(source)
    assert 0 < len(shown) < COUNT and shown[0][0] == 0
    assert [pixels for _, pixels in shown] == [pixels for _, pixels in seen(File(whole))][-len(shown) :]
    middle = nalu.Time(len(shown) // 2, 25)
    assert seen(source, None, middle) + seen(source, middle, None) == shown
    assert len(seen(File(cut, ignore_edit_list=True))) > len(shown)


def test_workers_read_their_chunk_only(tmp_path, monkeypatch):
    # The file is larger than the block that a reader reads at once.
    path = film(tmp_path, "reordered.mp4", "1280x720")
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
    source = File(f"file://{path}")
    assert len(seen(source)) == COUNT
    everything, read[:] = sum(read), []
    assert everything >= 0.9 * size
    assert len(seen(source, nalu.Time(12, 25), nalu.Time(24, 25))) == 12
    assert sum(read) < 0.5 * everything


def test_a_film_that_does_not_say_how_long_it_is(tmp_path):
    with pytest.raises(ValueError, match="does not say how long it is"):
        nalu.parallel.plan(film(tmp_path, "raw.h264"), bit_rate=100_000)


def test_frames_of_a_function():
    source = Frames(bytes, 10, Fraction(30000, 1001), format="gray", size=(64, 48))
    times = [shown.pts for shown in source.frames(None, None)]
    assert times == [nalu.Time(1001 * index, 30000) for index in range(10)]
    cut = nalu.Time(3 * 1001, 30000)
    assert [shown.frame for shown in source.frames(cut, None)] == [bytes(index) for index in range(3, 10)]
    assert [shown.frame for shown in source.frames(None, cut)] == [b"", b"\0", b"\0\0"]
    between = nalu.Time(3 * 1001 + 1, 30000)
    assert len(list(source.frames(between, None))) == 6 and len(list(source.frames(None, between))) == 4
    assert pickle.loads(pickle.dumps(source)) == source


def test_methods_of_arrays_are_functions():
    numpy = pytest.importorskip("numpy")
    stack = numpy.zeros((3, 48, 64), numpy.uint8)
    for function in (stack.__getitem__, list(stack).__getitem__, bytes):
        assert Frames(function, 3, 25).identity()[1].count(".") >= 1
    assert Frames(stack.__getitem__, 3, 25).facts().width == 64
    chunks = nalu.parallel.plan(Frames(stack.__getitem__, 3, 25), bit_rate=100_000)
    assert nalu.parallel.first_pass(chunks[0]).frames == 3


def test_a_function_that_cannot_be_sent(tmp_path):
    numpy = pytest.importorskip("numpy")
    source = Frames(lambda index: numpy.zeros((48, 64), numpy.uint8), 3, 25)
    with pytest.raises(TypeError, match="cannot be sent to other processes.*top level of a module"):
        nalu.parallel.encode(source, tmp_path / "out.mp4", bit_rate=100_000)
    assert not any(tmp_path.iterdir())


def test_a_damaged_film_raises(tmp_path):
    path = film(tmp_path, "reordered.mp4")
    data = bytearray(open(path, "rb").read())
    with nalu.open(path) as reader:
        sample = [sample for sample in reader][20]
    place = bytes(data).index(sample.data)
    data[place + 4 : place + len(sample)] = bytes(len(sample) - 4)
    open(path, "wb").write(data)
    with pytest.raises(nalu.DecodingError, match="of 60 frames"):
        list(File(path).frames(None, None))


def test_what_is_no_source_raises(tmp_path):
    with pytest.raises(TypeError, match=r"int; expected a path .*, or Frames\(function"):
        File(3)
    with pytest.raises(TypeError, match="function"):
        Frames(3, 10, 25)
    for count in (0, -1):
        with pytest.raises(ValueError, match="count"):
            Frames(bytes, count, 25)
    with pytest.raises(OSError, match="nowhere"):
        File(tmp_path / "nowhere.mp4").facts()
