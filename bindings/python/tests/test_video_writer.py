"""VideoWriter, and the times, rotation and names of write_video."""

from __future__ import annotations

import io
import subprocess
import warnings
from fractions import Fraction

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT, picture

import nalu

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
