"""Timebases and timers. Manual clocks make the results exact."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import time
import weakref
from fractions import Fraction

import pytest
from conftest import in_forked_child

import nalu
from nalu import timebase as module

LIMIT = 120


def test_the_host_clock_is_the_monotonic_clock():
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now = nalu.Timebase.host_clock().time
    after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    assert now.timescale == 1_000_000_000 and before <= now.value <= after
    assert nalu.Timebase.host_clock() == nalu.Timebase().source
    assert len({nalu.Timebase.host_clock(), nalu.Timebase.host_clock()}) == 1
    with pytest.raises(ValueError, match="the host clock cannot be set"):
        nalu.Timebase.host_clock().time = 1


def test_rates_anchors_and_sources_decide_the_time():
    clock = nalu.Timebase.manual_clock(Fraction(1, 2))
    playback = nalu.Timebase(clock)
    assert (playback.time, playback.rate) == (0, 0)
    playback.time = nalu.Time(1001, 30000)
    assert playback.time.timescale == 30000
    playback.time = 3
    playback.rate = 2
    clock.time = 1.5
    assert playback.time == 5
    playback.set_anchor(10, 2, rate=-1)
    clock.time = 5
    assert playback.time == 7 and playback.rate == -1
    playback.set_anchor(0, 5)
    assert playback.time == 0 and playback.rate == -1
    follower = nalu.Timebase(playback)
    follower.rate = 3
    assert follower.effective_rate == -3 and follower.source == playback
    clock.time = 6
    assert playback.convert(-1, follower) == follower.time == -3
    assert follower.convert(-3, clock) == 6
    assert follower.shares_clock(clock) and not follower.shares_clock(nalu.Timebase())
    follower.source = nalu.Timebase.host_clock()
    assert clock.source is None and not follower.shares_clock(clock)
    assert not clock.convert(1, nalu.Timebase()).is_numeric
    with pytest.raises(ValueError, match="source follows timebase"):
        playback.source = playback


def test_observers_are_called_until_they_are_removed():
    clock = nalu.Timebase.manual_clock()
    follower = nalu.Timebase(clock)
    seen = []
    remove = follower.add_observer(lambda: seen.append(clock.time))
    clock.time = 1
    follower.rate = 1
    remove()
    remove()
    clock.time = 2
    assert seen == [1, 1] and not module._functions


def test_a_timer_fires_in_its_own_thread():
    clock = nalu.Timebase.manual_clock()
    fired = threading.Event()
    threads = []

    def fire():
        threads.append(threading.get_ident())
        fired.set()

    timer = nalu.TimebaseTimer(clock, fire)
    timer.fire_at(1)
    timer.fire_at(None)
    clock.time = 2
    timer.fire_at(3)
    assert not threads
    clock.time = 3
    assert fired.wait(LIMIT) and threads != [threading.get_ident()]
    timer.close()
    assert timer.closed and not module._functions
    with pytest.raises(ValueError, match="the timer is closed"):
        timer.fire_at(1)


def test_objects_end_with_their_last_reference():
    clock = nalu.Timebase.manual_clock()
    timer = nalu.TimebaseTimer(clock, lambda: None)
    timer.fire_at(1)
    ended = weakref.ref(timer)
    del timer
    gc.collect()
    assert ended() is None and not module._functions
    assert copy.copy(clock) is clock
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        pickle.dumps(clock)


def test_a_child_of_fork_has_copies_of_timebases():
    clock = nalu.Timebase.manual_clock()
    timer = nalu.TimebaseTimer(clock, lambda: None)
    timer.fire_at(1)

    def move():
        clock.time = 7
        timer.close()
        assert clock.time == 7

    assert in_forked_child(move) == 0
    assert clock.time == 0
    timer.close()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nalu.Timebase("clock"), "source is str"),
        (lambda: nalu.Timebase.manual_clock("now"), "time is str"),
        (lambda: nalu.Timebase().convert(1, None), "to is NoneType"),
        (lambda: nalu.Timebase().set_anchor(1, None), "source_time is NoneType"),
        (lambda: setattr(nalu.Timebase(), "rate", "fast"), "rate is str"),
        (lambda: setattr(nalu.Timebase(), "source", None), "source is NoneType"),
        (lambda: nalu.Timebase().add_observer(1), "function is int"),
        (lambda: nalu.TimebaseTimer(nalu.Timebase(), None), "function is NoneType"),
        (lambda: nalu.TimebaseTimer(None, print), "timebase is NoneType"),
    ],
)
def test_wrong_types_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()
    assert not module._functions


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), 10**400])
def test_a_rate_is_finite(rate):
    with pytest.raises(ValueError, match="expected a finite number"):
        nalu.Timebase().rate = rate
