"""read_video as a sequence: frames by number, slices, ranges of time, and unreadable files."""

from __future__ import annotations

import copy
import io
import itertools
import os
import pickle
import struct
import subprocess
import sys
import zlib
from fractions import Fraction

import numpy as np
import pytest
from conftest import REORDERED, in_forked_child, picture

import nalu

COUNT = 40


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Returns a file whose frames have their number as grey value, in groups of 12 with B-frames, 25 per second."""
    path = tmp_path_factory.mktemp("video") / "numbers.mp4"
    frames = [np.full((48, 64, 3), 20 + 5 * number, np.uint8) for number in range(COUNT)]
    nalu.write_video(path, frames, fps=25, quality=0.9, properties=REORDERED | {"MaxKeyFrameInterval": 12})
    return path


def number_of(frame) -> int:
    return round((float(frame.array.mean()) - 20) / 5)


def test_a_video_has_its_size_rate_and_frame_count(path):
    with nalu.read_video(path) as video:
        assert (video.width, video.height, video.fps, video.rotation) == (64, 48, 25.0, 0)
        assert len(video) == video.frame_count == COUNT
        assert video.times[3] == nalu.Time(3, 25)
        assert repr(video) == "<Video 64x48, 25 fps, 40 frames>"
    assert nalu.read_video(path, size=(32, 24)).width == 32


def test_frames_can_be_read_by_number(path):
    video = nalu.read_video(path)
    for number in (0, 7, 8, 9, 39, 3, 24, 11, 12, 13, -1, -40):
        frame = video[number]
        assert number_of(frame) == number % COUNT and frame.pts == nalu.Time(number % COUNT, 25)
    for wrong in (40, -41):
        with pytest.raises(IndexError, match=f"there is no frame {wrong}; expected -40 to 39"):
            video[wrong]
    with pytest.raises(TypeError, match="the frame's number is float; expected an int or a slice"):
        video[0.5]


@pytest.mark.parametrize(
    "piece", [slice(10, 20), slice(None, None, 7), slice(-5, None), slice(5, 5), slice(35, 99, 3), slice(0, 1)]
)
def test_slices_are_videos(path, piece):
    video = nalu.read_video(path)[piece]
    expected = list(range(COUNT))[piece]
    assert len(video) == len(expected)
    assert [number_of(frame) for frame in video] == expected
    assert [time.fraction * 25 for time in video.times] == expected
    assert [number_of(frame) for frame in video[1:]] == expected[1:]
    if expected:
        assert number_of(video[-1]) == expected[-1]
    with pytest.raises(ValueError, match="the step is -1; expected 1 or more"):
        video[::-1]


def test_a_video_can_be_a_range_of_time(path):
    video = nalu.read_video(path, start=0.4, end=Fraction(4, 5))
    assert len(video) == 10 and number_of(video[0]) == 10
    assert [number_of(frame) for frame in video] == list(range(10, 20)) == [number_of(frame) for frame in video]
    assert number_of(nalu.read_video(path, start=nalu.Time(10, 25))[2]) == 12
    with pytest.raises(ValueError, match="expected an end after the start"):
        nalu.read_video(path, start=2, end=1)


def test_names_of_other_packages_raise_with_a_hint_for_a_video(path):
    video = nalu.read_video(path)
    assert video.size == (64, 48) and video.duration == nalu.Time(40, 25)
    for thing, name, remedy in ((video, "read", "next"), (video, "n_frames", "len"), (nalu.open(path), "streams", "tracks"),
                                (nalu.open(path), "decode", "nalu.read_video"), (video[0], "to_ndarray", "array")):  # fmt: skip
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; expected {remedy}"):
            getattr(thing, name)
        assert not hasattr(thing, "nonsense")
    with pytest.raises(TypeError, match="the slice has values that are not ints; .*start=, end="):
        video[0.5:1.5]
    assert video[0][10:20].shape == (10, 64, 3)


def test_next_and_for_continue_the_same_iteration(path):
    video = nalu.read_video(path)
    assert [number_of(next(video)), number_of(next(video))] == [0, 1]
    assert [number_of(frame) for frame in video] == list(range(2, COUNT))
    assert [number_of(frame) for frame in video] == list(range(COUNT))


def test_read_video_accepts_an_open_file_and_an_unseekable_file(path):
    file = io.BytesIO(b"before" + path.read_bytes())
    file.seek(6)
    video = nalu.read_video(file)
    assert len(video) == COUNT and number_of(video[17]) == 17
    assert len(list(video)) == COUNT
    frames = iter(video)
    next(frames)
    video[30]
    with pytest.raises(ValueError, match="the reader is closed"):
        list(frames)

    class Pipe:
        def __init__(self) -> None:
            self._file = io.BytesIO(path.read_bytes())

        def read(self, size: int) -> bytes:
            return self._file.read(size)

    video = nalu.read_video(Pipe())
    with pytest.raises(TypeError, match="cannot be counted"):
        len(video)
    assert [number_of(frame) for frame in list(video)] == list(range(COUNT))
    with pytest.raises(ValueError, match="only once"):
        list(video)


def test_a_closed_video_leaves_no_file_open(path):
    before = len(os.listdir("/proc/self/fd"))
    video = nalu.read_video(path)
    video[5]
    next(video)
    list(video[3:5])
    video.close()
    del video
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("before", ["nothing", "len", "video[n]", "next"])
def test_a_forked_child_reads_a_path_again_and_leaves_the_parents_video_alone(tmp_path, before):
    # Noise, so that the file is far larger than a reader's buffer.
    noise = np.random.default_rng(1).integers(0, 255, (12, 120, 160, 3), np.uint8)
    path = tmp_path / "noise.ts"
    nalu.write_video(path, noise, fps=25, quality=0.9, properties={"MaxKeyFrameInterval": 3, "MaxFrameDelayCount": 0})
    expected = [frame.array.tobytes() for frame in nalu.read_video(path)]
    assert path.stat().st_size > 200_000
    video = nalu.read_video(path)
    if before == "len":
        len(video)
    elif before == "video[n]":
        video[3]
    elif before == "next":
        next(video)

    def read():
        for number in (4, 10, 0):
            assert video[number].array.tobytes() == expected[number]

    for _ in range(2):
        assert in_forked_child(read) == 0
    assert [frame.array.tobytes() for frame in video] == expected[1 if before == "next" else 0 :]
    assert len(video) == 12 and video[4].array.tobytes() == expected[4]


def test_a_forked_child_iterates_from_the_first_frame(path):
    def check(frames, numbers):
        assert [number_of(frame) for frame in frames] == numbers

    for call in (lambda video: next(video), lambda video: next(iter(video))):
        video = nalu.read_video(path)
        next(video)
        assert in_forked_child(lambda: check([call(video)], [0])) == 0
        assert number_of(next(video)) == 1
    video = nalu.read_video(path)
    next(video)
    assert in_forked_child(lambda: check(video, list(range(COUNT)))) == 0


def test_a_forked_child_refuses_the_video_of_an_open_file(path):
    def is_refused():
        with pytest.raises(ValueError, match="the open file of the video belongs to another process.*expected a path"):
            video[0]

    def read():
        assert number_of(memory[9]) == 9

    with path.open("rb") as file:
        video = nalu.read_video(file)
        assert in_forked_child(is_refused) == 0
        assert len(video) == COUNT
    memory = nalu.read_video(io.BytesIO(path.read_bytes()))
    assert in_forked_child(read) == 0
    assert number_of(memory[9]) == 9


@pytest.mark.parametrize("before", ["nothing", "len", "video[n]"])
def test_copies_of_a_video_have_their_own_reader(path, before):
    video = nalu.read_video(path, start=0.2)
    if before != "nothing":
        len(video)
    if before == "video[n]":
        video[3]
    for other in (copy.copy(video), copy.deepcopy(video), pickle.loads(pickle.dumps(video))):
        assert (other.size, other.fps) == (video.size, video.fps)
        assert number_of(other[4]) == 9 and number_of(video[4]) == 9 and number_of(other[5]) == 10 and number_of(video[5]) == 10
        assert len(list(other)) == len(video) == 35
    part = pickle.loads(pickle.dumps(video[2:4]))
    assert [number_of(frame) for frame in part] == [7, 8]
    with path.open("rb") as file, pytest.raises(TypeError, match="a Video of an open file can be neither copied nor pickled"):
        copy.copy(nalu.read_video(file))


# ---- Frames ----------------------------------------------------------------------------------------------------


def test_a_frame_has_shape_time_and_array(path):
    frame = nalu.read_video(path)[3]
    assert frame.shape == frame.array.shape == (48, 64, 3) and frame.time == 0.12
    assert np.array_equal(np.from_dlpack(frame), frame.array)
    for format, shape in ((None, (72, 64)), ("nv12", (72, 64)), ("bgra", (48, 64, 4))):
        frame = nalu.read_video(path, format=format)[3]
        assert frame.shape == frame.array.shape == shape


def test_a_frame_is_shown_as_png_in_a_notebook():
    file = io.BytesIO()
    nalu.write_video(file, [picture(62, 48)] * 2, fps=25, quality=0.9, container="mp4")
    file.seek(0)
    frame = next(iter(nalu.read_video(file)))
    png = frame._repr_png_()
    assert png.startswith(b"\x89PNG\r\n\x1a\n") and struct.unpack(">II", png[16:24]) == (62, 48)
    place = png.index(b"IDAT")
    (size,) = struct.unpack(">I", png[place - 4 : place])
    rows = np.frombuffer(zlib.decompress(png[place + 4 : place + 4 + size]), np.uint8).reshape(48, 1 + 62 * 3)
    assert not rows[:, 0].any() and np.array_equal(rows[:, 1:].reshape(48, 62, 3), frame.array)
    decoded = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], input=png, capture_output=True, check=True
    )
    assert decoded.stdout == frame.array.tobytes() and not decoded.stderr
    file.seek(0)
    assert next(iter(nalu.read_video(file, format="nv12")))._repr_png_() is None


def test_a_frame_is_converted_to_a_pil_image(path):
    pytest.importorskip("PIL.Image")
    frame = nalu.read_video(path)[3]
    image = frame.to_image()
    assert image.mode == "RGB" and np.array_equal(np.asarray(image), frame.array)
    with pytest.raises(ValueError, match="the frame has format 'i420'; expected 'rgb'"):
        nalu.read_video(path, format=None)[3].to_image()


def test_frames_can_be_shown_without_numpy(path):
    code = (
        "import sys\nsys.modules['numpy'] = None\nimport nalu\nframe = nalu.read_video(sys.argv[1])[2]\n"
        "print(frame.shape, frame.time, len(frame._repr_png_()) > 100)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "(48, 64, 3) 0.08 True"


# ---- Damage ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """Returns a file in which the length of a NAL unit in the middle is wrong, so that one sample is corrupt."""
    path = tmp_path_factory.mktemp("damage") / "damaged.mp4"
    frames = [picture(64, 48, shift) for shift in range(COUNT)]
    nalu.write_video(path, frames, fps=25, quality=0.9, properties={"MaxKeyFrameInterval": 10, "MaxFrameDelayCount": 0})
    with nalu.open(path) as reader:
        sample = list(reader)[14]
    data = bytearray(path.read_bytes())
    place = data.index(sample.data)
    data[place : place + 4] = b"\x7f\xff\xff\xff"
    path.write_bytes(data)
    return path


def test_a_corrupt_sample_is_left_out_with_errors_ignore(damaged):
    shown = list(nalu.read_video(damaged, errors="ignore"))
    assert len(shown) == COUNT - 1 and nalu.Time(14, 25) not in [frame.pts for frame in shown]
    assert len(nalu.read_video(damaged, errors="ignore")) == COUNT - 1
    # A corrupt key frame at the start of the range is left out too.
    data = bytearray(damaged.read_bytes())
    with nalu.open(damaged) as reader:
        key = [sample for sample in itertools.islice(reader, 11)][10]
    assert key.is_key_frame
    place = data.index(key.data)
    data[place : place + 4] = b"\x7f\xff\xff\xff"
    shown = [frame.pts for frame in nalu.read_video(io.BytesIO(data), start=0.4, errors="ignore")]
    assert nalu.Time(20, 25) in shown and nalu.Time(39, 25) in shown
    got = []
    with pytest.raises(ValueError, match="length"):
        for frame in nalu.read_video(damaged):
            got.append(frame)
    assert len(got) <= 14


def test_chunks_name_the_corrupt_file_and_the_time(damaged):
    import nalu.parallel

    [chunk] = nalu.parallel.plan(damaged, bit_rate=100_000, chunks=1)
    with pytest.raises(ValueError, match=r"damaged\.mp4 is corrupt after the frame at 0\.52 s: .*length"):
        nalu.parallel.first_pass(chunk)
