"""Shared helpers of the tests: pictures, ffmpeg as the reference, the path of the headers."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import time
import traceback
from pathlib import Path
from typing import Any, Callable

import hypothesis
import numpy as np
import pytest

import nalu

INCLUDE = Path(__file__).absolute().parents[3] / "include"

#: Time limits in seconds for a test, and for a program that a test starts. A busy machine needs far less.
TEST_LIMIT, PROGRAM_LIMIT = 900, 240

# Examples have no deadline, because a deadline would measure the machine. Every run has the same examples, except scripts/soak,
# whose examples differ each time. A failing example is printed.
hypothesis.settings.register_profile(
    "nalu",
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    derandomize="NALU_SOAK" not in os.environ,
    print_blob=True,
)
hypothesis.settings.load_profile("nalu")


def pytest_configure(config):
    # A duplicate of standard error, taken before pytest captures it.
    config.limit_output = os.fdopen(os.dup(2), "w")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Ends the run if a test hangs, with a traceback of every thread."""
    faulthandler.dump_traceback_later(TEST_LIMIT, exit=True, file=item.config.limit_output)
    yield
    faulthandler.cancel_dump_traceback_later()


def in_forked_child(function: Callable[[], Any]) -> int:
    """Runs a function in a forked child. Returns the exit code: 0 if the function has returned, 1 if it has raised an exception,
    and a negative number if it did not end in time."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    end = time.monotonic() + PROGRAM_LIMIT
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
    return os.waitstatus_to_exitcode(ended[1])


def picture(width: int, height: int, shift: int = 0) -> np.ndarray:
    """Returns an RGB picture of smooth colours that move with ``shift``."""
    x = np.arange(width)[None, :] + 2 * shift
    y = np.arange(height)[:, None] + shift
    red = 128 + 100 * np.sin(x / 17) * np.cos(y / 23)
    green = 128 + 100 * np.cos(x / 29 + y / 31)
    blue = 128 + 100 * np.sin(y / 13) * np.ones_like(x)
    return np.stack([red, green, blue], axis=2).round().astype(np.uint8)


def annex_b(samples: list[nalu.Sample]) -> bytes:
    return b"".join(sample.annex_b() for sample in samples)


#: Settings for delayed and reordered frames that still make the same stream in each run; see ``encoded``.
REORDERED = {"x264.params": "cpu-independent=1"}


def encoded(frames, width: int, height: int, **settings) -> bytes:
    """Returns the stream of some frames; the same bytes for the same pixels.

    No frame is delayed: with B-frames, x264's macroblock tree for AVX-512 reads uninitialized memory, so its bytes differ in
    each run.
    """
    settings = {"frame_rate": 25, "quality": 0.8, "properties": {"MaxFrameDelayCount": 0}} | settings
    with nalu.CompressionSession(width, height, **settings) as session:
        samples = [sample for frame in frames for sample in session.encode(frame)]
        return annex_b(samples + session.flush())


def decoded(stream: bytes, width: int, height: int, pixel_format: str = "rgb24") -> np.ndarray:
    """Returns the frames of a stream, decoded and converted by ffmpeg."""
    command = ["ffmpeg", "-v", "error", "-f", "h264", "-i", "-", "-sws_flags", "accurate_rnd+full_chroma_int+bicubic"]
    command += ["-f", "rawvideo", "-pix_fmt", pixel_format, "-"]
    raw = subprocess.run(command, input=stream, stdout=subprocess.PIPE, check=True, timeout=PROGRAM_LIMIT).stdout
    frames = np.frombuffer(raw, np.uint8)
    if pixel_format == "rgb24":
        return frames.reshape(-1, height, width, 3)
    return frames.reshape(-1, height * 3 // 2, width)


def clip_path(name: str) -> Path:
    """Returns the path of a real clip in the cache."""
    script = Path(__file__).absolute().parents[3] / "scripts" / "fetch_clips"
    # The script may have to download and convert the clip.
    found = subprocess.run([str(script), name], stdout=subprocess.PIPE, text=True, check=True, timeout=TEST_LIMIT)
    return Path(found.stdout.strip())


def psnr(a: np.ndarray, b: np.ndarray) -> float:
    error = np.mean((a.astype(float) - b.astype(float)) ** 2)
    return float("inf") if error == 0 else 10 * np.log10(255**2 / error)


@pytest.fixture
def session():
    """Returns a session for 64 x 48 grey bytes, 25 frames per second, without delay."""
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray", properties={"MaxFrameDelayCount": 0}) as opened:
        yield opened


@pytest.fixture
def grey() -> bytes:
    return bytes(64 * 48)
