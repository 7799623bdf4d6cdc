"""cut: copying a part of a file, with only its edges encoded again."""

from __future__ import annotations

import subprocess
from fractions import Fraction

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT, REORDERED

import nalu

FRAMES = 60


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Returns a file with 60 frames at 25 Hz, each brighter than the previous one, with a key frame every 20 frames and
    B-frames."""
    path = tmp_path_factory.mktemp("cut") / "whole.mp4"
    frames = [np.full((48, 64, 3), 20 + 3 * number, np.uint8) for number in range(FRAMES)]
    nalu.write_video(path, frames, fps=25, quality=0.9, properties={**REORDERED, "MaxKeyFrameInterval": 20})
    return path


def numbers(path) -> "list[int]":
    return [round((float(frame.array.mean()) - 20) / 3) for frame in nalu.read_video(path)]


def samples(path) -> "set[bytes]":
    with nalu.open(path) as reader:
        return {sample.data for sample in reader}


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".ts"])
@pytest.mark.parametrize(("start", "end"), [(0.2, 2.0), (Fraction(4, 25), nalu.Time(49, 25)), (None, 1.5), (0.84, None), (0.04, 0.76)])
def test_a_cut_has_the_right_frames_and_copied_bytes(whole, tmp_path, suffix, start, end):
    part = tmp_path / f"part{suffix}"
    result = nalu.cut(whole, part, start=start, end=end)
    wanted = [number for number in range(FRAMES)
              if (start is None or Fraction(number, 25) >= Fraction(str(start)) if not isinstance(start, Fraction) else
                  Fraction(number, 25) >= start)
              and (end is None or number / 25 < (end.seconds if isinstance(end, nalu.Time) else end) - 1e-9)]
    assert numbers(part) == wanted
    assert result.copied + result.encoded == len(wanted)
    assert result.hidden == result.left_out_tracks == 0
    times = [time.seconds for time in nalu.read_video(part).times]
    assert [time - times[0] for time in times] == pytest.approx([number / 25 for number in range(len(wanted))], abs=0.001)
    if suffix in (".mp4", ".mov"):
        assert len(samples(part) & samples(whole)) == result.copied
        assert times[0] == 0
    command = ["ffmpeg", "-v", "warning", "-i", str(part), "-f", "null", "-"]
    assert subprocess.run(command, capture_output=True, check=True, timeout=PROGRAM_LIMIT).stderr == b""


def test_a_cut_from_a_key_frame_encodes_nothing(whole, tmp_path):
    assert nalu.cut(whole, tmp_path / "part.mp4", start=Fraction(20, 25), end=Fraction(40, 25)) == (20, 0, 0, 0)


def test_cut_reports_progress_and_can_be_cancelled(whole, tmp_path):
    shares: list[float] = []
    nalu.cut(whole, tmp_path / "part.mp4", start=0.2, progress=shares.append)
    assert shares == sorted(shares) and shares[-1] == 1

    def stop(share: float) -> None:
        raise KeyError(share)

    for name in ("none.mp4", "none.mkv"):
        with pytest.raises(KeyError):
            nalu.cut(whole, tmp_path / name, start=0.2, progress=stop)
    assert not (tmp_path / "none.mp4").exists()


def test_wrong_arguments_of_cut_are_refused(whole, tmp_path):
    out = tmp_path / "part.mp4"
    with pytest.raises(ValueError, match="end is 1 s and start 2 s; expected an end after the start"):
        nalu.cut(whole, out, start=2, end=1)
    with pytest.raises(nalu.Error, match=r"no frame in this range; its video lasts from 0 to 2\.4 s"):
        nalu.cut(whole, out, start=99)
    with pytest.raises(FileNotFoundError):
        nalu.cut(tmp_path / "none.mp4", out, start=1)
    with pytest.raises(TypeError, match="source is int"):
        nalu.cut(7, out)
    with pytest.raises(nalu.Error, match="the output is the input itself"):
        nalu.cut(whole, whole, start=1, overwrite=True)
    assert not out.exists()
    out.write_bytes(b"kept")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        nalu.cut(whole, out, start=1)
    assert out.read_bytes() == b"kept"
    nalu.cut(whole, out, start=1, overwrite=True)
    assert len(nalu.read_video(out)) == 35
