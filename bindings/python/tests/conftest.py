"""What several tests need: pictures, ffmpeg as the judge, the headers."""

from __future__ import annotations

import faulthandler
import os
import subprocess
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import nalu

INCLUDE = Path(__file__).absolute().parents[3] / "include"

#: Seconds for a test, and for a program that one starts: far more than any takes on a busy machine.
TEST_LIMIT, PROGRAM_LIMIT = 900, 240

# Without a limit on the time of one example, which would be that of the machine. The same examples in every run, but for those
# of scripts/soak, which are others each time; one that fails is printed.
hypothesis.settings.register_profile(
    "nalu",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize="NALU_SOAK" not in os.environ,
    print_blob=True,
)
hypothesis.settings.load_profile("nalu")


def pytest_configure(config):
    # pytest captures what is written to standard error only afterwards.
    config.limit_output = os.fdopen(os.dup(2), "w")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """A test that hangs ends the run, with a traceback of where it waits."""
    faulthandler.dump_traceback_later(TEST_LIMIT, exit=True, file=item.config.limit_output)
    yield
    faulthandler.cancel_dump_traceback_later()


def picture(width: int, height: int, shift: int = 0) -> np.ndarray:
    """Smooth colours that move with ``shift``: RGB."""
    x = np.arange(width)[None, :] + 2 * shift
    y = np.arange(height)[:, None] + shift
    red = 128 + 100 * np.sin(x / 17) * np.cos(y / 23)
    green = 128 + 100 * np.cos(x / 29 + y / 31)
    blue = 128 + 100 * np.sin(y / 13) * np.ones_like(x)
    return np.stack([red, green, blue], axis=2).round().astype(np.uint8)


def annex_b(samples: list[nalu.Sample]) -> bytes:
    return b"".join(sample.annex_b() for sample in samples)


#: Frames that are held back and reordered, and yet always the same stream; see ``encoded``.
REORDERED = {"x264.params": "cpu-independent=1"}


def encoded(frames, width: int, height: int, **settings) -> bytes:
    """The stream of some frames; always the same for the same pixels.

    Nothing is held back: with B-frames, x264's macroblock tree for AVX-512 reads memory that it has not written, and gives
    other bytes each time.
    """
    settings = {"frame_rate": 25, "quality": 0.8, "properties": {"MaxFrameDelayCount": 0}} | settings
    with nalu.CompressionSession(width, height, **settings) as session:
        samples = [sample for frame in frames for sample in session.encode(frame)]
        return annex_b(samples + session.flush())


def decoded(stream: bytes, width: int, height: int, pixel_format: str = "rgb24") -> np.ndarray:
    """The frames of a stream as ffmpeg decodes and converts them."""
    command = ["ffmpeg", "-v", "error", "-f", "h264", "-i", "-", "-sws_flags", "accurate_rnd+full_chroma_int+bicubic"]
    command += ["-f", "rawvideo", "-pix_fmt", pixel_format, "-"]
    raw = subprocess.run(command, input=stream, stdout=subprocess.PIPE, check=True, timeout=PROGRAM_LIMIT).stdout
    frames = np.frombuffer(raw, np.uint8)
    if pixel_format == "rgb24":
        return frames.reshape(-1, height, width, 3)
    return frames.reshape(-1, height * 3 // 2, width)


def clip_path(name: str) -> Path:
    """A real clip, from the cache."""
    script = Path(__file__).absolute().parents[3] / "scripts" / "fetch_clips"
    # It may have to download and convert.
    found = subprocess.run([str(script), name], stdout=subprocess.PIPE, text=True, check=True, timeout=TEST_LIMIT)
    return Path(found.stdout.strip())


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    error = np.mean((a.astype(float) - b.astype(float)) ** 2)
    return float("inf") if error == 0 else 10 * np.log10(255**2 / error)


@pytest.fixture
def session():
    """64 x 48 grey bytes, 25 frames a second, nothing held back."""
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray", properties={"MaxFrameDelayCount": 0}) as opened:
        yield opened


@pytest.fixture
def grey() -> bytes:
    return bytes(64 * 48)
