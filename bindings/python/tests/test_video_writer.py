"""VideoWriter, and the times, rotation and names of write_video."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import subprocess
import warnings
from fractions import Fraction

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT, picture

import nalu
import nalu.media

START, END, RATE = 1.2, 2.6, 48000


def clip(count: int = 10) -> list:
    return [picture(64, 48, shift) for shift in range(count)]


def test_frames_can_be_appended_one_by_one(tmp_path):
    path = tmp_path / "out.mp4"
    with nalu.VideoWriter(path, fps="25", bit_rate="1M") as writer:
        assert not writer.closed and writer.statistics.accepted_frames == 0
        for frame in clip():
            writer.append(frame)
        assert not path.exists()
    assert writer.closed and writer.statistics.encoded_frames == 10
    assert repr(writer) == "<VideoWriter closed, 10 frames>"
    video = nalu.read_video(path)
    assert len(video) == 10 and video.fps == 25
    with pytest.raises(ValueError, match="the writer is closed"):
        writer.append(clip(1)[0])
    writer.close()


def test_a_video_writer_writes_the_same_bytes_as_write_video():
    files = []
    for settings in ({"crf": 30, "fps": 25}, {"quality": 0.8, "fps": "30000/1001"}):
        files = [io.BytesIO(), io.BytesIO()]
        more = {"container": "mp4", "properties": {"MaxFrameDelayCount": 0}, **settings}
        nalu.write_video(files[0], clip(), **more)
        with nalu.VideoWriter(files[1], **more) as writer:
            for frame in clip():
                writer.append(frame)
        assert files[0].getvalue() == files[1].getvalue()


def test_frames_can_have_their_own_times():
    file = io.BytesIO()
    with nalu.VideoWriter(file, container="mp4") as writer:
        for number, frame in enumerate(clip(4)):
            writer.append(frame, pts=nalu.Time(number * number, 25))
    with nalu.open(io.BytesIO(file.getvalue())) as reader:
        assert sorted(sample.pts.fraction * 25 for sample in reader) == [0, 1, 4, 9]


@pytest.mark.parametrize("suffix", [".mkv", ".ts", ".flv", ".h264"])
def test_a_failure_before_the_first_encoded_frame_keeps_a_file_that_is_written_in_place(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    path.write_bytes(b"kept")
    with pytest.raises(ZeroDivisionError), nalu.VideoWriter(path, fps=25, overwrite=True) as writer:
        writer.append(clip(1)[0])
        raise ZeroDivisionError
    assert path.read_bytes() == b"kept"


def test_a_failure_keeps_the_existing_file_and_no_frame_creates_none(tmp_path):
    path = tmp_path / "out.mp4"
    path.write_bytes(b"kept")
    with pytest.raises(ZeroDivisionError), nalu.VideoWriter(path, fps=25, overwrite=True) as writer:
        writer.append(clip(1)[0])
        raise ZeroDivisionError
    assert writer.closed and path.read_bytes() == b"kept"
    with pytest.raises(FileExistsError):
        nalu.VideoWriter(path, fps=25)
    with nalu.VideoWriter(tmp_path / "none.mp4", fps=25):
        pass
    assert [each.name for each in tmp_path.iterdir()] == ["out.mp4"]


@pytest.mark.parametrize(
    "name, remedy", [("write", "append"), ("append_data", "append"), ("release", "close"), ("isOpened", "closed"), ("nonsense", "")]
)
def test_names_of_other_packages_raise_with_a_hint_for_a_video_writer(name, remedy):
    writer = nalu.VideoWriter(io.BytesIO(), fps=25)
    with pytest.raises(AttributeError, match=f"a VideoWriter has no attribute '{name}'.*{remedy}"):
        getattr(writer, name)
    with pytest.raises(AttributeError):
        writer.fps = 30


@pytest.mark.parametrize("name", ["out.h265", "out.265", "out.hevc"])
def test_h265_outputs_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="is for H.265, but frames are encoded to H.264"):
        nalu.write_video(tmp_path / name, clip(1), fps=25)
    with pytest.raises(ValueError, match="selects no container; expected one of .mp4") as caught:
        nalu.write_video(tmp_path / "out.webm", clip(1), fps=25)
    offered = str(caught.value).partition("expected")[2]
    assert "265" not in offered and "hevc" not in offered


def test_arguments_in_the_wrong_order_and_a_single_frame_are_refused(tmp_path):
    with pytest.raises(TypeError, match="the file is list; expected a path, .* before the frames"):
        nalu.write_video(clip(), tmp_path / "out.mp4", fps=25)
    for frame in (clip(1)[0], clip(1)[0][..., 0]):
        with pytest.raises(ValueError, match=r"frames is one frame, of the shape .*; expected several, or \[frame\]"):
            nalu.write_video(tmp_path / "out.mp4", frame, fps=25)
    nalu.write_video(tmp_path / "out.mp4", np.stack(clip(3)), fps=25)
    assert len(nalu.read_video(tmp_path / "out.mp4")) == 3
    nalu.write_video(tmp_path / "grey.mp4", np.stack(clip(3))[..., 0], fps=25)
    assert len(nalu.read_video(tmp_path / "grey.mp4")) == 3


# ---- From a file -----------------------------------------------------------------------------------------------


def test_the_rotation_of_the_source_is_written(tmp_path):
    turned, again = tmp_path / "turned.mp4", tmp_path / "again.mov"
    nalu.write_video(turned, clip(), fps=25, rotation=90)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nalu.write_video(again, nalu.read_video(turned))
    assert [nalu.open(path).tracks[0].rotation for path in (turned, again)] == [90, 90]
    assert nalu.read_video(again).rotation == nalu.read_video(again)[0].rotation == 90
    nalu.write_video(again, nalu.read_video(turned), rotation=0, overwrite=True)
    assert nalu.open(again).tracks[0].rotation == 0
    with pytest.warns(UserWarning, match="rotated by 90 degrees, which only MP4 and MOV store; rotation=0"):
        nalu.write_video(tmp_path / "again.mkv", nalu.read_video(turned))


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """Returns a file with a rising tone, in which every time can be recognized."""
    path = tmp_path_factory.mktemp("video") / "video.mp4"
    tone = f"aevalsrc=sin(2*PI*(300+200*t)*t):s={RATE}:d=4"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=4", "-f", "lavfi", "-i", tone]
    subprocess.run([*command, "-c:v", "libx264", "-g", "20", "-c:a", "aac", "-b:a", "96k", str(path)], check=True, timeout=PROGRAM_LIMIT)
    return path


def heard(path) -> np.ndarray:
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-map", "0:a", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True, timeout=PROGRAM_LIMIT).stdout, np.int16).astype(float)


def delay(part: np.ndarray, whole: np.ndarray, start: float) -> float:
    """Returns the delay in seconds of ``part`` against ``whole`` from ``start`` on, measured by correlation."""
    middle = part[RATE // 10 : RATE // 2]

    def likeness(shift: int) -> float:
        place = round(start * RATE) + RATE // 10 + shift
        other = whole[place : place + len(middle)]
        return float(middle @ other / np.linalg.norm(other))

    return -max(range(-RATE // 20, RATE // 20, RATE // 1000), key=likeness) / RATE


def starts(path) -> "list[float]":
    command = ["ffprobe", "-v", "error", "-show_entries", "stream=start_time", "-of", "csv=p=0", str(path)]
    return [float(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()]


@pytest.mark.parametrize("fps", [None, 25])
def test_a_written_time_range_stays_synchronous_with_its_audio(tmp_path, video, fps):
    path = tmp_path / "cut.mp4"
    nalu.write_video(path, nalu.read_video(video, start=START, end=END), fps=fps, audio=video)
    times = nalu.read_video(path).times
    assert [time.fraction * 25 for time in times] == list(range(35))
    assert starts(path) == [0, 0]
    assert abs(delay(heard(path), heard(video), START)) <= 0.002
    assert len(heard(path)) / RATE == pytest.approx(END - START, abs=0.1)


def test_audio_can_start_elsewhere_or_in_another_file(tmp_path, video):
    path = tmp_path / "scored.mp4"
    nalu.write_video(path, clip(25), fps=25, audio=video, audio_start=Fraction(3, 2))
    assert starts(path) == [0, 0] and abs(delay(heard(path), heard(video), 1.5)) <= 0.002
    # Audio of another file begins with the first frame.
    other = tmp_path / "other.mp4"
    other.write_bytes(video.read_bytes())
    nalu.write_video(path, nalu.read_video(video, start=START, end=END), audio=other, overwrite=True)
    assert starts(path) == [0, 0] and abs(delay(heard(path), heard(video), 0)) <= 0.002
    with pytest.raises(ValueError, match="audio_start is given without audio"):
        nalu.write_video(path, clip(1), fps=25, audio_start=1, overwrite=True)
    with pytest.raises(ValueError, match="audio_start is -1 s; expected 0 or later"):
        nalu.write_video(path, clip(1), fps=25, audio=video, audio_start=-1, overwrite=True)


def test_times_start_at_zero_unless_start_at_zero_is_false(tmp_path, video):
    path = tmp_path / "cut.mp4"
    nalu.write_video(path, nalu.read_video(video, start=START, end=END))
    assert starts(path) == [0]
    nalu.write_video(path, nalu.read_video(video, start=START, end=END), start_at_zero=False, overwrite=True)
    assert starts(path) == [pytest.approx(START)]


def times_in(file) -> list:
    return [frame.pts.fraction for frame in nalu.read_video(io.BytesIO(file.getvalue()))]


# ---- Times of append -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [None, 10])
def test_given_times_start_at_zero_unless_start_at_zero_is_false(fps):
    for start_at_zero, first in ((True, 0), (False, Fraction(17327000003, 10))):
        file = io.BytesIO()
        with nalu.VideoWriter(file, container="mp4", fps=fps, start_at_zero=start_at_zero) as writer:
            for number, frame in enumerate(clip(4)):
                writer.append(frame, nalu.Time(17327000003 + number * number, 10))
        assert times_in(file) == [first + Fraction(number * number, 10) for number in range(4)]


def test_times_start_at_the_first_frame_that_is_accepted():
    file = io.BytesIO()
    with nalu.VideoWriter(file, container="mp4", size=(96, 64)) as writer:
        with pytest.raises(TypeError):
            writer.append(np.zeros((64, 96, 3), complex), 5.0)
        for number, frame in enumerate(clip(3)):
            writer.append(frame, 7 + Fraction(number, 10))
    assert times_in(file) == [0, Fraction(1, 10), Fraction(1, 5)]


def test_a_timescale_rounds_times_so_that_nanoseconds_can_pause():
    second = 10**9
    times = [nalu.Time(number * second // 30 + (3 * second if number > 4 else 0), second) for number in range(9)]
    file = io.BytesIO()
    with nalu.VideoWriter(file, container="mp4", timescale=1000) as writer:
        for frame, time in zip(clip(9), times):
            writer.append(frame, time, Fraction(1, 30))
    assert times_in(file) == [Fraction(round(time.fraction * 1000), 1000) for time in times]
    counted = io.BytesIO()
    nalu.write_video(counted, clip(4), fps=30, container="mp4", timescale=1000)
    assert times_in(counted) == [Fraction(each, 1000) for each in (0, 33, 67, 100)]
    for timescale, error in ((0, ValueError), (2**31, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="timescale is "):
            nalu.VideoWriter(io.BytesIO(), container="mp4", timescale=timescale)
    with pytest.raises(ValueError, match="timescale is 1000; expected a container"):
        nalu.VideoWriter(io.BytesIO(), container="h264", timescale=1000)


def test_a_refused_sample_leaves_the_samples_after_it(monkeypatch):
    """A delayed encoder returns several samples at once. The file refuses one of them."""
    written, kept = [], nalu.media.Writer.write

    def write(self, sample):
        written.append(sample)
        if len(written) == 3:
            raise nalu.InvalidValueError("the sample is refused")
        kept(self, sample)

    monkeypatch.setattr(nalu.media.Writer, "write", write)
    for ends_with_error in (False, True):
        written.clear()
        file = io.BytesIO()
        with pytest.raises(ValueError, match="the sample is refused"), nalu.VideoWriter(file, fps=25, container="mp4") as writer:
            for frame in clip():
                writer.append(frame)
            if ends_with_error:
                samples = writer._session.flush()
                writer._put(samples, writer._write)
        assert len(written) == 10 and len(times_in(file)) == 9


def test_frames_that_cannot_be_encoded_leave_the_delayed_frames_after_them(monkeypatch):
    """All frames are delayed until the writer is closed. The encoder fails on two of them."""
    receive, received = nalu._outputs.Outputs.receive, []

    def fail(self, timeout=0):
        output = receive(self, timeout)
        if output is not None and output[0] is not None:
            received.append(output)
            if len(received) in (3, 4):
                raise nalu.EncodingError(f"frame {len(received)} could not be encoded")
        return output

    monkeypatch.setattr(nalu._outputs.Outputs, "receive", fail)
    file = io.BytesIO()
    writer = nalu.VideoWriter(file, fps=25, container="mp4")
    for frame in clip():
        writer.append(frame)
    assert not received
    with pytest.raises(nalu.EncodingError, match="frame 3 could not be encoded"):
        writer.close()
    assert len(received) == 10 and len(times_in(file)) == 8
    assert writer.closed and writer.statistics.accepted_frames == 10


def test_a_forked_child_that_leaves_the_block_does_not_affect_the_parents_file(tmp_path):
    path = tmp_path / "old.h264"
    path.write_bytes(b"old")
    parent = os.getpid()
    with contextlib.suppress(SystemExit), nalu.VideoWriter(path, fps=25, overwrite=True) as writer:
        for frame in clip():
            writer.append(frame)
        if os.fork() == 0:
            raise SystemExit
        os.wait()
    if os.getpid() != parent:
        os._exit(0)
    with nalu.open(path) as reader:
        assert len(list(reader)) == 10
    assert os.listdir(tmp_path) == ["old.h264"]


def test_a_writer_whose_close_raises_is_closed():
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "full")

    writer = nalu.VideoWriter(Full(), fps=25)
    writer.append(clip(1)[0])
    with pytest.raises(OSError, match="full"):
        writer.close()
    assert writer.closed and writer.statistics.encoded_frames == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        writer.close()
        del writer
        gc.collect()


def test_a_writer_that_is_not_closed_warns(tmp_path):
    path = tmp_path / "dropped.mp4"
    with pytest.warns(ResourceWarning, match="a VideoWriter was not closed, so the delayed frames are lost; call close()"):
        writer = nalu.VideoWriter(path, fps=25, properties={"MaxFrameDelayCount": 2})
        for frame in clip():
            writer.append(frame)
        del writer, frame
        gc.collect()
    assert 0 < len(nalu.read_video(path)) < 10
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nalu.VideoWriter(tmp_path / "unused.mp4", fps=25)
        with nalu.VideoWriter(tmp_path / "closed.mp4", fps=25) as writer:
            writer.append(clip(1)[0])
        del writer
        gc.collect()


def test_names_that_are_not_utf_8_are_kept(tmp_path):
    directory = os.fsencode(tmp_path)
    names = [b"e\xe8.mp4", b"e\xe9.mp4", "e\u00e9.mkv".encode()]
    for count, name in enumerate(names, 3):
        nalu.write_video(os.path.join(directory, name), clip(count), fps=25)
    assert sorted(os.listdir(directory)) == sorted(names)
    for count, name in enumerate(names, 3):
        for path in (os.path.join(directory, name), tmp_path / os.fsdecode(name)):
            assert len(nalu.read_video(path)) == count
