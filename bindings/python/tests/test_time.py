"""Times: exact, ordered, hashable."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nalu
from nalu import time

times = st.builds(nalu.Time, st.integers(-(2**40), 2**40), st.integers(1, 2**31 - 1))


@given(a=times, b=times)
def test_times_compare_as_fractions_do(a, b):
    assert (a < b) == (a.fraction < b.fraction)
    assert (a <= b) == (a.fraction <= b.fraction)
    assert (a > b) == (a.fraction > b.fraction)
    assert (a >= b) == (a.fraction >= b.fraction)
    assert (a == b) == (a.fraction == b.fraction)
    if a == b:
        assert hash(a) == hash(b)


@given(time=times, factor=st.integers(1, 3))
def test_equal_times_have_equal_hashes(time, factor):
    if time.timescale * factor < 2**31:
        other = nalu.Time(time.value * factor, time.timescale * factor)
        assert other == time and hash(other) == hash(time)


@given(numerator=st.integers(-(2**62), 2**62), denominator=st.integers(1, 2**31 - 1))
def test_fractions_become_times_exactly(numerator, denominator):
    value = Fraction(numerator, denominator)
    native = time.native(value, None, "pts")
    assert Fraction(native.value, native.timescale) == value


@pytest.mark.parametrize(
    "rate, expected",
    [
        (25, (25, 1)),
        (29.97, (30000, 1001)),
        (23.976, (24000, 1001)),
        (59.94, (60000, 1001)),
        (30.0, (30, 1)),
        (12.5, (25, 2)),
        (Fraction(30000, 1001), (30000, 1001)),
        (0.1, (1, 10)),
    ],
)
def test_frame_rates_become_exact_fractions(rate, expected):
    found = time.rational(rate, "frame_rate")
    assert (found.value, found.timescale) == expected


def test_a_time_cannot_be_changed():
    moment = nalu.Time(1, 2)
    with pytest.raises(AttributeError, match="immutable"):
        moment.value = 3
    assert repr(moment) == "Time(1, 2)"
    assert float(moment) == 0.5


def test_a_time_can_be_pickled_and_copied():
    moment = nalu.Time(5, 7, epoch=2)
    assert pickle.loads(pickle.dumps(moment)) == copy.copy(moment) == moment


@pytest.mark.parametrize("value, timescale", [(1.5, 25), ("1", 25), (1, None)])
def test_a_time_refuses_values_other_than_ints(value, timescale):
    with pytest.raises(TypeError, match=r"value and timescale are \w+ and \w+; expected two ints"):
        nalu.Time(value, timescale)


@pytest.mark.parametrize("value, timescale", [(1, 0), (1, -1), (1, 2**31), (2**63, 1)])
def test_a_time_refuses_values_out_of_range(value, timescale):
    with pytest.raises(nalu.InvalidValueError, match="expected"):
        nalu.Time(value, timescale)


def test_times_compare_with_seconds():
    assert nalu.Time(1, 1) == 1 == nalu.Time(2, 2) and nalu.Time(1, 25) == 0.04 and nalu.Time(1, 30) == Fraction(1, 30)
    assert nalu.Time(1, 25) >= 0.04 and not nalu.Time(1, 25) < 0.04 and nalu.Time(79, 10) < 8 and 7.8 < nalu.Time(79, 10)
    assert {nalu.Time(3, 2): "a"}[nalu.Time(6, 4)] == "a" and hash(nalu.Time(6, 2)) == hash(3)
    assert nalu.Time(1, 1) != "1" and nalu.Time(1, 1) != float("nan")
    with pytest.raises(TypeError, match="compared with a Time or seconds, not with str"):
        nalu.Time(1, 1) < "1"  # noqa: B015


@given(a=times, b=times)
def test_arithmetic_is_that_of_fractions(a, b):
    exact = ((a + b, a.fraction + b.fraction), (a - b, a.fraction - b.fraction), (-a, -a.fraction), (a * 3, a.fraction * 3))
    for got, expected in exact:
        if expected.denominator <= 2**31 - 1:
            assert got.fraction == expected
        else:
            assert abs(got.fraction - expected) <= Fraction(1, 2**31)
    if b.value:
        assert a / b == a.fraction / b.fraction


def test_times_and_seconds_are_added_in_the_units_of_the_time():
    time = nalu.Time(3, 25)
    for other in (nalu.Time(1, 25), 0.04, Fraction(1, 25)):
        assert ((time + other).value, (time + other).timescale) == (4, 25)
        assert (time - other).value == 2
    assert (1 - time).fraction == Fraction(22, 25) and abs(time - 1).fraction == Fraction(22, 25)
    assert (time / 3).fraction == Fraction(1, 25) and 2 * time == time * 2 == nalu.Time(6, 25)
    assert sum([time, time], nalu.Time(0, 1)) == sum([time, time]) == nalu.Time(6, 25)
    with pytest.raises(TypeError):
        time + "1"
    with pytest.raises(ValueError, match="no value in seconds"):
        nalu.Time(0, 0, 0) + 1
