"""Capture from the test source: the counters in the pictures, audio, statistics, and every refusal."""

from __future__ import annotations

import threading
import time
from fractions import Fraction

import numpy as np
import pytest
from conftest import in_forked_child

import nalu
from nalu.capture import CaptureSession, devices, host_time


def boxes(frame, row: int) -> int:
    """Returns the number that 32 boxes of 8 x 8 pixels contain."""
    luma = np.asarray(frame.planes[0])[8 * row + 4, 4:256:8]
    return int("".join("1" if value > 125 else "0" for value in luma), 2)


def test_devices_have_formats():
    (device,) = devices("test")
    assert (device.id, device.name, device.kind) == ("test", "Test source", "test")
    assert device.video_formats[0].format == "nv12"
    assert device.video_formats[0].minimum_size == (256, 16)
    assert device.video_formats[0].maximum_frame_rate == 1000
    assert device.audio_formats == ((48000, 2),)
    assert device in devices()
    with pytest.raises(nalu.InvalidValueError, match="kind is 'lens'; expected one of camera"):
        devices("lens")


def test_frames_have_their_number_and_time():
    before = host_time()
    with CaptureSession(devices("test")[0], size=(256, 144), frame_rate=Fraction(100)) as session:
        frames = [frame for _, frame in zip(range(5), session)]
        statistics = session.statistics
        assert session.restore_token is None
    numbers = [boxes(frame, 0) for frame in frames]
    assert numbers == sorted(set(numbers))
    for frame in frames:
        assert frame.pts >= before
        assert frame.duration.seconds == pytest.approx(0.01)
        assert boxes(frame, 1) == frame.pts.value // 1_000_000 % 2**32
        assert frame.pts.seconds <= time.monotonic()
    assert statistics.delivered_frames >= 5
    assert statistics.captured_frames >= statistics.delivered_frames
    assert 0 <= statistics.capture.least <= statistics.capture.mean <= statistics.capture.most
    with pytest.raises(ValueError, match="the capture session is closed"):
        session.statistics
    assert list(session) == []


def test_a_forked_child_is_refused_frames():
    with CaptureSession("test", size=(256, 16), frame_rate=200) as session:
        next(session)

        def read():
            with pytest.raises(ValueError, match="belongs to another process"):
                while True:
                    next(session)

        assert in_forked_child(read) == 0
        next(session)


def test_a_slow_loop_receives_the_newest_frame():
    with CaptureSession("test", size=(256, 16), frame_rate=200) as session:
        first = next(session)
        while session.statistics.late_frames < 5:
            time.sleep(0.01)
        second = next(session)
    assert boxes(second, 0) - boxes(first, 0) >= 5


def test_audio_blocks_arrive_beside_the_frames():
    blocks, enough = [], threading.Event()

    def hear(block):
        blocks.append(block)
        if len(blocks) == 12:
            enough.set()

    with CaptureSession("test", size=(256, 16), audio=hear):
        assert enough.wait(120)
    assert [block.is_discontinuous for block in blocks[:3]] == [True, False, False]
    samples = np.concatenate([np.asarray(block.samples) for block in blocks[:12]]).reshape(-1, 2)
    assert samples.shape == (5760, 2)
    # The beep of the first second lasts 100 ms, and the tone after it is quiet.
    assert np.abs(samples[:4800]).max() == pytest.approx(0.5, abs=0.01)
    assert np.abs(samples[4810:]).max() < 0.06
    assert (blocks[1].pts - blocks[0].pts).seconds == pytest.approx(0.01)


def test_closing_ends_a_loop_of_another_thread():
    session = CaptureSession("test", size=(256, 16), frame_rate=1)
    seen: list = []
    thread = threading.Thread(target=lambda: seen.extend(session))
    thread.start()
    session.close()
    thread.join(120)
    assert not thread.is_alive()
    assert session.closed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": (16, 16)}, "256x16"),
        ({"size": (256,)}, "size is"),
        ({"frame_rate": 0}, "frame_rate is 0; expected 0.1 to 1000"),
        ({"frame_rate": float("nan")}, "frame_rate is nan"),
        ({"region": (0, 0, 4, 4)}, "no screen"),
        ({"cursor": True}, "no screen"),
        ({"timeout": 0}, "timeout is 0"),
        ({"format": "bgra"}, "BGRA"),
        ({"restore_token": ""}, "restore_token is set, and test is no screen"),
        ({"restore_token": 7}, "restore_token is int; expected str"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(nalu.Error, match=message):
        CaptureSession("test", **arguments)


def test_unknown_devices_are_refused():
    with pytest.raises(nalu.Error, match='there is no capture device "nonsense"'):
        CaptureSession("nonsense")
    with pytest.raises(TypeError, match="device is int; expected str"):
        CaptureSession(7)
    with pytest.raises(TypeError, match="audio is int; expected a function"):
        CaptureSession("test", audio=7)
