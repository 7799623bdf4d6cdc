"""The display queue with manual clocks, so that no result depends on speed."""

from __future__ import annotations

import gc
import io
import math
import queue as queues
import threading
import weakref

import pytest
from conftest import picture

import nalu
from nalu.media import DisplayQueue, display

LIMIT = 120


@pytest.fixture(scope="module")
def samples():
    file = io.BytesIO()
    nalu.write_video(file, [picture(64, 48, shift) for shift in range(10)], fps=25, container="mp4")
    file.seek(0)
    with nalu.open(file) as reader:
        return list(reader)


def test_frames_are_shown_when_their_time_is_reached(samples):
    clock, shown, events = nalu.Timebase.manual_clock(-1), queues.Queue(), queues.Queue()
    with DisplayQueue(shown.put, clock, events.put, format="rgb", picture_capacity=16, preroll_count=4) as queue:
        for sample in samples:
            queue.enqueue(sample)
        queue.finish()
        assert events.get(timeout=LIMIT) == "prerolled"
        for number in range(10):
            clock.time = number / 25
            frame = shown.get(timeout=LIMIT)
            assert frame.pts == number / 25 and frame.array.shape == (48, 64, 3)
        assert events.get(timeout=LIMIT) == "ended"
        found = queue.statistics
        assert (found.shown_pictures, found.late_pictures, found.is_prerolled) == (10, 0, True)
        assert found.decode.count == 10 and found.decode.least <= found.decode.mean <= found.decode.most
        assert found.lateness.count == 0 and math.isnan(found.lateness.mean)
        assert queue.timebase == clock and queue.last_error == ""
    assert queue.closed and not display._functions


def test_steps_flushes_and_late_frames(samples):
    playback, shown = nalu.Timebase(nalu.Timebase.manual_clock()), queues.Queue()
    playback.time = -1
    with DisplayQueue(shown.put, playback, picture_capacity=16) as queue:
        for sample in samples:
            queue.enqueue(sample)
        queue.finish()
        for number in range(3):
            queue.step()
            assert shown.get(timeout=LIMIT).pts == number / 25
            assert playback.time == number / 25
        while queue.statistics.waiting_pictures < 7:
            threading.Event().wait(0.001)
        playback.time = 1
        assert shown.get(timeout=LIMIT).pts == 9 / 25
        assert queue.statistics.late_pictures == 6
        queue.flush(remove=True)
        assert shown.get(timeout=LIMIT) is None
        queue.enqueue(samples[0], immediately=True)
        queue.finish()
        assert shown.get(timeout=LIMIT).pts == 0
        playback.rate = 1
        with pytest.raises(nalu.Error, match="set its rate to 0"):
            queue.step()


def test_a_full_queue_refuses_samples(samples):
    clock = nalu.Timebase.manual_clock(-1)
    with DisplayQueue(lambda frame: None, clock, sample_capacity=1, picture_capacity=1, low_delay=True, threads=1) as queue:
        with pytest.raises(nalu.WouldBlockError, match="still full"):
            for sample in samples:
                queue.enqueue(sample, timeout=0.2)
        assert not queue.is_ready
        with pytest.raises(nalu.WouldBlockError, match="wait until the queue is ready"):
            queue.enqueue(samples[0], timeout=0)
        queue.flush()
        assert queue.is_ready


def test_a_function_hands_in_samples_on_request(samples):
    clock, shown, events, rest = nalu.Timebase.manual_clock(1), queues.Queue(), queues.Queue(), iter(samples)
    threads = set()

    def hand_in():
        threads.add(threading.get_ident())
        while queue.is_ready:
            sample = next(rest, None)
            if sample is None:
                queue.request_samples(None)
                queue.finish()
                return
            queue.enqueue(sample, timeout=0)

    with DisplayQueue(shown.put, clock, events.put, sample_capacity=2, picture_capacity=1) as queue:
        queue.request_samples(hand_in)
        while events.get(timeout=LIMIT) != "ended":
            pass
        assert queue.statistics.accepted_samples == 10
        assert queue.statistics.shown_pictures + queue.statistics.late_pictures == 10
        assert threading.get_ident() not in threads and len(threads) == 1
        with pytest.raises(nalu.WrongTypeError, match="expected a function"):
            queue.request_samples(1)
    assert not display._requests


def test_a_queue_ends_with_its_last_reference(samples):
    queue = DisplayQueue(lambda frame: None, nalu.Timebase())
    queue.enqueue(samples[0])
    ended = weakref.ref(queue)
    del queue
    gc.collect()
    assert ended() is None and not display._functions


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"show": None}, TypeError, "show is NoneType"),
        ({"event": 1}, TypeError, "event is int"),
        ({"timebase": 1}, TypeError, "timebase is int"),
        ({"sample_capacity": 0}, ValueError, "sample_capacity is 0; expected 1 to 128"),
        ({"picture_capacity": 129}, ValueError, "picture_capacity is 129"),
        ({"preroll_count": 5}, ValueError, "preroll_count is 5; expected 1 to 4"),
        ({"threads": 65}, ValueError, "threads is 65"),
        ({"format": "none"}, ValueError, "none"),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        DisplayQueue(**{"show": print, **arguments})
    assert not display._functions
