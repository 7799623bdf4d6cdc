"""Times: exact, ordered, hashable."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
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


def test_scalars_of_numpy_are_exact_times_or_are_refused():
    base = nalu.Time(1, 25)
    for value, expected in (
        (np.timedelta64(40_000_000, "ns"), (40_000_000, 10**9)),
        (np.array(40, "timedelta64[ms]"), (40, 1000)),
        (np.timedelta64(2, "25s"), (50, 1)),
        (np.timedelta64(-1, "W"), (-604_800, 1)),
        (np.array(0.04), (3600, 90_000)),
        (np.float32(0.5), (45_000, 90_000)),
        (np.array(3), (3, 25)),
        (np.int16(3), (3, 25)),
    ):
        native = time.native(value, base, "pts")
        assert (native.value, native.timescale) == expected
    for wrong, what in (
        (np.timedelta64(1, "ps"), "timedelta64.ps. 1 picoseconds"),
        (np.timedelta64("NaT", "ns"), "timedelta64.ns. NaT"),
        (np.timedelta64(1), "timedelta64 1"),
        (np.datetime64(5, "s"), "datetime64.s. 1970"),
        (np.array([1.0, 2.0]), "ndarray"),
        (np.array([1, 2], "timedelta64[s]"), "timedelta64.s. "),
        (np.bool_(True), "bool True"),
    ):
        with pytest.raises(TypeError, match=f"pts is {what}.*; expected a Time"):
            time.native(wrong, base, "pts")


def test_a_scalar_of_another_library_is_the_number_that_it_contains():
    class Tensor:
        """Like a tensor of PyTorch, which has both methods whatever it contains."""

        def __init__(self, *values):
            self._values = values

        def __index__(self):
            if len(self._values) != 1 or not isinstance(self._values[0], int):
                raise TypeError("only integer tensors of a single element can be converted to an index")
            return self._values[0]

        def __float__(self):
            if len(self._values) != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            return float(self._values[0])

    base = nalu.Time(1, 25)
    assert time.native(Tensor(0.04), base, "pts").value == 3600 and time.native(Tensor(3), base, "pts").timescale == 25
    with pytest.raises(TypeError, match="pts is Tensor; expected a Time"):
        time.native(Tensor(1.0, 2.0), base, "pts")
