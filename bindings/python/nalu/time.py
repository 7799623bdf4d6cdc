"""Exact times: a whole number of units, and how many units there are per second."""

from __future__ import annotations

import math
import operator
import re
from typing import TYPE_CHECKING, Any, Union

from . import _ffi, _units
from .errors import InvalidValueError, WrongTypeError

if TYPE_CHECKING:
    from fractions import Fraction

#: The types of a time argument: a :class:`Time`, a Fraction or float of seconds, or an int, which counts units of the session's
#: ``time_base``. Scalars of numpy and tensors of one number count as float or int; a timedelta64 of numpy is exact.
TimeLike = Union["Time", "Fraction", float, int]

_VALID = 1
_NOT_NUMERIC = 4 | 8 | 16
#: The timescale of times from floats. The frame durations of 24, 25, 30, 50 and 60 frames per second are whole numbers of
#: 1/90000 s.
FLOAT_TIMESCALE = 90_000
#: Seconds and timescale of the units of numpy's timedelta64 that a Time can hold.
_TIMEDELTA_UNITS = {
    **{"W": (604_800, 1), "D": (86_400, 1), "h": (3600, 1), "m": (60, 1), "s": (1, 1)},
    **{"ms": (1, 1000), "us": (1, 1_000_000), "ns": (1, 1_000_000_000)},
}
_TIMEDELTA = re.compile(r"timedelta64\[(\d*)(" + "|".join(_TIMEDELTA_UNITS) + r")\]")


class Time:
    """A time of ``value / timescale`` seconds. Immutable.

    >>> Time(1, 30) < Time(1, 25)
    True
    >>> Time(2, 60) == Time(1, 30)
    True
    >>> float(Time(3, 2))
    1.5
    >>> Time(1, 25) + Time(1, 30), Time(3, 25) - 0.04, 2 * Time(1, 30), Time(1, 2) / Time(1, 30)
    (Time(11, 150), Time(2, 25), Time(2, 30), Fraction(15, 1))

    Times are added, subtracted and compared with each other and with seconds: an int, a Fraction or a float, which means the
    decimal number as it is written. Results are exact if a timescale of 2147483647 or less can hold them, and otherwise
    rounded.
    """

    __slots__ = ("value", "timescale", "flags", "epoch")
    value: int
    timescale: int
    flags: int
    epoch: int

    def __init__(self, value: int, timescale: int, flags: int = _VALID, epoch: int = 0) -> None:
        try:
            value, timescale = operator.index(value), operator.index(timescale)
        except TypeError:
            given = f"{type(value).__name__} and {type(timescale).__name__}"
            raise WrongTypeError(f"value and timescale are {given}; expected two ints") from None
        if flags & _VALID and not flags & _NOT_NUMERIC and not 1 <= timescale <= 0x7FFFFFFF:
            raise InvalidValueError(f"timescale is {timescale}; expected 1 to 2147483647 units per second")
        if not -(2**63) <= value < 2**63:
            raise InvalidValueError(f"value is {value}; expected -2**63 to 2**63 - 1")
        put = object.__setattr__
        put(self, "value", value)
        put(self, "timescale", timescale)
        put(self, "flags", flags)
        put(self, "epoch", epoch)

    def __reduce__(self) -> "tuple[type[Time], tuple[int, int, int, int]]":
        return Time, (self.value, self.timescale, self.flags, self.epoch)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Time is immutable; {name} cannot be set")

    @property
    def is_numeric(self) -> bool:
        """Whether the time is a number; False for the invalid time, for infinities and for the indefinite time."""
        return bool(self.flags & _VALID) and not self.flags & _NOT_NUMERIC

    @property
    def seconds(self) -> float:
        """The seconds as the nearest float; NaN for a time that is not numeric."""
        return self.value / self.timescale if self.is_numeric else math.nan

    @property
    def fraction(self) -> "Fraction":
        """The exact seconds. Raises ValueError for a time that is not numeric."""
        from fractions import Fraction

        if not self.is_numeric:
            raise InvalidValueError(f"{self!r} has no value in seconds; expected a numeric time")
        return Fraction(self.value, self.timescale)

    def __float__(self) -> float:
        return self.seconds

    def __bool__(self) -> bool:
        return True

    # ---- Comparison --------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Time):
            seconds = _seconds(other)
            return NotImplemented if seconds is None else self.is_numeric and not self.epoch and self.fraction == seconds
        if self.is_numeric and other.is_numeric:
            return self.epoch == other.epoch and self.value * other.timescale == other.value * self.timescale
        return (self.value, self.timescale, self.flags, self.epoch) == (
            other.value,
            other.timescale,
            other.flags,
            other.epoch,
        )

    def __lt__(self, other: "Time | Fraction | float") -> bool:
        return self._compare(other) < 0

    def __le__(self, other: "Time | Fraction | float") -> bool:
        return self._compare(other) <= 0

    def __gt__(self, other: "Time | Fraction | float") -> bool:
        return self._compare(other) > 0

    def __ge__(self, other: "Time | Fraction | float") -> bool:
        return self._compare(other) >= 0

    def _compare(self, other: Any) -> int:
        if not isinstance(other, Time):
            seconds = _seconds(other)
            if seconds is None:
                raise WrongTypeError(f"a Time can be compared with a Time or seconds, not with {type(other).__name__}")
            if self.is_numeric:
                return (self.fraction > seconds) - (self.fraction < seconds)
            other = Time(0, 1)
        order: int = _ffi.fast.nalu_time_compare(self._native(), other._native())
        return order

    def __hash__(self) -> int:
        if self.is_numeric:
            return hash(self.fraction)
        return hash((self.flags, self.epoch))

    # ---- Arithmetic --------------------------------------------------------------------------------------------

    def __add__(self, other: "Time | Fraction | float") -> "Time":
        seconds = _seconds(other)
        return NotImplemented if seconds is None else _exact(self.fraction + seconds, self, other)

    __radd__ = __add__

    def __sub__(self, other: "Time | Fraction | float") -> "Time":
        seconds = _seconds(other)
        return NotImplemented if seconds is None else _exact(self.fraction - seconds, self, other)

    def __rsub__(self, other: "Fraction | float") -> "Time":
        seconds = _seconds(other)
        return NotImplemented if seconds is None else _exact(seconds - self.fraction, self, other)

    def __mul__(self, factor: "Fraction | float") -> "Time":
        number = None if isinstance(factor, Time) else _seconds(factor)
        return NotImplemented if number is None else _exact(self.fraction * number, self, None)

    __rmul__ = __mul__

    def __truediv__(self, other: "Time | Fraction | float") -> "Time | Fraction":
        number = _seconds(other)
        if number is None:
            return NotImplemented
        quotient = self.fraction / number
        return quotient if isinstance(other, Time) else _exact(quotient, self, None)

    def __neg__(self) -> "Time":
        return _exact(-self.fraction, self, None)

    def __abs__(self) -> "Time":
        return _exact(abs(self.fraction), self, None)

    def __repr__(self) -> str:
        if self.is_numeric:
            tail = f", epoch={self.epoch}" if self.epoch else ""
            return f"Time({self.value}, {self.timescale}{tail})"
        return "Time.invalid" if not self.flags & _VALID else f"Time({self.value}, {self.timescale}, {self.flags})"

    def _native(self) -> "_ffi.nalu_time":
        return _ffi.nalu_time(self.value, self.timescale, self.flags, self.epoch)

    @classmethod
    def _from(cls, native: "_ffi.nalu_time") -> "Time":
        time = cls.__new__(cls)
        put = object.__setattr__
        put(time, "value", native.value)
        put(time, "timescale", native.timescale)
        put(time, "flags", native.flags)
        put(time, "epoch", native.epoch)
        return time


def _seconds(value: Any) -> "Fraction | None":
    """Returns the seconds of a Time or a number; None for any other object."""
    from fractions import Fraction

    if isinstance(value, Time):
        return value.fraction
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        # The float 0.04 means 1/25, not the nearest double.
        return Fraction(repr(value))
    numerator, denominator = getattr(value, "numerator", None), getattr(value, "denominator", None)
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    return None


def _exact(seconds: "Fraction", first: Time, second: Any) -> Time:
    """Returns a result with an operand's timescale if it is exact, or else with the smallest timescale that is."""
    scales = [first.timescale] + ([second.timescale] if isinstance(second, Time) else [])
    for scale in (*scales, math.lcm(*scales)):
        if scale <= 0x7FFFFFFF and scale % seconds.denominator == 0:
            return Time(int(seconds * scale), scale)
    near = seconds.limit_denominator(0x7FFFFFFF)
    return Time(near.numerator, near.denominator)


def native(time: TimeLike, time_base: "Time | None", name: str) -> "_ffi.nalu_time":
    """Returns a client's time as a C struct. ``name`` is the argument's name in error messages."""
    if isinstance(time, Time):
        return time._native()
    if isinstance(time, bool):
        raise WrongTypeError(f"{name} is {time!r}; expected a Time, a Fraction or float of seconds, or an int")
    if not isinstance(time, (int, float)):
        time = _plain(time, name)
        if isinstance(time, Time):
            return time._native()
    if hasattr(time, "__index__"):
        if time_base is None:
            raise WrongTypeError(
                f"{name} is the int {time}, whose unit is not known; give the session a frame_rate or a time_base, "
                "or give seconds as a float or Fraction"
            )
        return _rational(time.__index__() * time_base.value, time_base.timescale, name)
    numerator, denominator = getattr(time, "numerator", None), getattr(time, "denominator", None)
    if isinstance(numerator, int) and isinstance(denominator, int):
        return _rational(numerator, denominator, name)
    seconds = float(time)
    if not math.isfinite(seconds) or abs(seconds) > 1e12:
        raise InvalidValueError(f"{name} is {seconds}; expected seconds between -1e12 and 1e12")
    return _ffi.nalu_time(round(seconds * FLOAT_TIMESCALE), FLOAT_TIMESCALE, _VALID, 0)


def _plain(time: Any, name: str) -> Any:
    """Returns a Time, Fraction, float or int for a time of another type: a timedelta of numpy, which is exact, and scalars of
    numpy, PyTorch and others."""
    kind = getattr(getattr(time, "dtype", None), "kind", None)
    if kind == "m":
        unit = _TIMEDELTA.fullmatch(str(time.dtype))
        # NaT is the lowest int.
        if unit is not None and time.ndim == 0 and (count := int(time.view("int64"))) != -(2**63):
            seconds, timescale = _TIMEDELTA_UNITS[unit[2]]
            return Time(count * int(unit[1] or 1) * seconds, timescale)
    elif kind not in ("M", "b"):
        try:
            if hasattr(time, "__index__"):
                return operator.index(time)
        except (TypeError, ValueError):
            # Arrays and tensors have __index__, even if they do not contain an int.
            pass
        numerator, denominator = getattr(time, "numerator", None), getattr(time, "denominator", None)
        if isinstance(numerator, int) and isinstance(denominator, int):
            return time
        try:
            if hasattr(time, "__float__"):
                return float(time)
        except (TypeError, ValueError, RuntimeError):
            pass
    what = f"{time.dtype} {time}" if kind in ("m", "M", "b") else type(time).__name__
    raise WrongTypeError(f"{name} is {what}; expected a Time, a Fraction or float of seconds, or an int")


def rational(value: Any, name: str) -> Time:
    """Returns a rate or a unit as a Time: from a Fraction, an int, a float such as 29.97, or text such as "30000/1001"."""
    if isinstance(value, str):
        value = _units.rate(value, name)
    numerator, denominator = getattr(value, "numerator", None), getattr(value, "denominator", None)
    if not (isinstance(numerator, int) and isinstance(denominator, int)):
        from fractions import Fraction

        if not hasattr(value, "__float__"):
            raise WrongTypeError(f"{name} is {type(value).__name__}; expected a number")
        number = float(value)
        if not math.isfinite(number) or not 0 < number <= 1e9:
            raise InvalidValueError(f"{name} is {number}; expected a number above 0")
        # 29.97 means 30000/1001; 23.976 and 59.94 mean 24000/1001 and 60000/1001.
        broadcast = Fraction(math.ceil(number) * 1000, 1001)
        near = abs(number - broadcast) < 0.005 and number != round(number)
        exact = broadcast if near else Fraction(number).limit_denominator(100_000)
        numerator, denominator = exact.numerator, exact.denominator
    if numerator <= 0 or denominator <= 0 or numerator > 0x7FFFFFFF or denominator > 0x7FFFFFFF:
        raise InvalidValueError(f"{name} is {value}; expected a fraction above 0 with a numerator and denominator up to 2147483647")
    return Time(numerator, denominator)


def _rational(numerator: int, denominator: int, name: str) -> "_ffi.nalu_time":
    if not 1 <= denominator <= 0x7FFFFFFF or not -(2**63) <= numerator < 2**63:
        divisor = math.gcd(numerator, denominator)
        numerator, denominator = numerator // divisor, denominator // divisor
        if not 1 <= denominator <= 0x7FFFFFFF or not -(2**63) <= numerator < 2**63:
            raise InvalidValueError(f"{name} is {numerator}/{denominator} seconds; expected a denominator up to 2147483647 and a numerator of 64 bits")
    return _ffi.nalu_time(numerator, denominator, _VALID, 0)
