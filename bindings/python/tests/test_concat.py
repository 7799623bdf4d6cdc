"""concat: joining files without encoding."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT, REORDERED

import nalu


def part(path, first: int, count: int, *, size=(64, 48), fps=25, **settings):
    frames = [np.full((size[1], size[0], 3), 20 + 5 * (first + number), np.uint8) for number in range(count)]
    nalu.write_video(path, frames, fps=fps, **{"quality": 0.9, "properties": REORDERED, **settings})
    return path


def samples_of(path) -> "list[bytes]":
    with nalu.open(path) as reader:
        return [sample.data for sample in reader]


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".ts", ".h264"])
@pytest.mark.parametrize("settings", [{}, {"preset": "fast"}, {"quality": 0.5, "properties": {"AllowFrameReordering": False}}])
def test_concat_copies_every_sample_and_displays_every_frame(tmp_path, suffix, settings):
    parts = [part(tmp_path / "a.mp4", 0, 13), part(tmp_path / "b.mp4", 13, 7, **settings), part(tmp_path / "c.mp4", 20, 5)]
    whole = tmp_path / f"whole{suffix}"
    assert nalu.concat(parts, whole) == 25
    assert len(samples_of(whole)) == 25
    if suffix in (".mp4", ".mov"):
        assert samples_of(whole) == [data for each in parts for data in samples_of(each)]
        assert [time.fraction * 25 for time in nalu.read_video(whole).times] == list(range(25))
    shown = list(nalu.read_video(whole))
    assert [round((float(frame.array.mean()) - 20) / 5) for frame in shown] == list(range(25))
    command = ["ffmpeg", "-v", "error", "-i", str(whole), "-f", "null", "-"]
    assert subprocess.run(command, capture_output=True, check=True, timeout=PROGRAM_LIMIT).stderr == b""


def test_files_of_different_rates_are_joined_into_one_of_the_inputs(tmp_path):
    first, second = part(tmp_path / "a.mp4", 0, 5), part(tmp_path / "b.mp4", 5, 6, fps=30)
    assert nalu.concat([first, second], first, overwrite=True) == 11
    times = [time.fraction for time in nalu.read_video(first).times]
    assert times[:6] == [nalu.Time(number, 25).fraction for number in range(6)]
    assert times[6] - times[5] == nalu.Time(1, 30).fraction
    with pytest.raises(FileExistsError):
        nalu.concat([second], first)


def test_concat_keeps_the_rotation(tmp_path):
    parts = [part(tmp_path / name, 0, 3, rotation=90) for name in ("a.mp4", "b.mp4")]
    nalu.concat(parts, tmp_path / "whole.mp4")
    assert nalu.open(tmp_path / "whole.mp4").tracks[0].rotation == 90


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    first, larger = part(tmp_path / "a.mp4", 0, 3), part(tmp_path / "b.mp4", 0, 3, size=(128, 96))
    target = tmp_path / "whole.mp4"
    with pytest.raises(ValueError, match=r"the size of .*b\.mp4 is 128x96, and that of .*a\.mp4 64x48; .* re-encodes them"):
        nalu.concat([first, larger], target)
    video = tmp_path / "video.mp4"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-i", str(first), "-c:v", "copy", "-c:a", "aac", str(video)]
    subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    with pytest.raises(ValueError, match=r"video\.mp4 has audio, which concat does not join; expected audio=False"):
        nalu.concat([first, video], target)
    assert nalu.concat([first, video], target, audio=False) == 6
    for files, kind, message in (([], ValueError, "files is empty; expected at least one path"), (first, TypeError, "expected several"), (["nowhere.mp4"], OSError, "nowhere")):
        with pytest.raises(kind, match=message):
            nalu.concat(files, tmp_path / "none.mp4")
    assert not (tmp_path / "none.mp4").exists()
