"""Timebases: timelines that a program starts, stops and sets, and timers on them.

    playback = nalu.Timebase()   # follows the host clock, stopped at 0
    playback.time = 5            # seek
    playback.rate = 1            # play
    now = playback.time
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, Callable, Optional

from . import _ffi
from ._handles import Handle, Threaded, check
from .errors import InvalidValueError, WrongTypeError
from .time import Time, TimeLike, native

#: The functions of live observers and timers, by the number that C passes as refcon. All share one C callback, which is
#: never freed.
_functions: "dict[int, Callable[[], object]]" = {}
_numbers = itertools.count(1)


def _call(number: int) -> None:
    function = _functions.get(number)
    if function is not None:
        function()


_callback = _ffi.timebase_callback(_call)
_callback_address = ctypes.cast(_callback, ctypes.c_void_p)


def _registered(function: Any) -> int:
    if not callable(function):
        raise WrongTypeError(f"function is {type(function).__name__}; expected a function without parameters")
    number = next(_numbers)
    _functions[number] = function
    return number


class Timebase(Handle):
    """A timeline: a clock, or a timebase that follows another one, its source, at a rate.

    :param source: the timebase that it follows; default: the host clock.

    A new timebase has time 0 and rate 0. Three kinds exist: :meth:`host_clock` is CLOCK_MONOTONIC and cannot be set;
    the time of a :meth:`manual_clock` changes only when it is set; the others follow a source. Times that are set may be
    a Time, or seconds as an int, a float or a Fraction. Any thread may use a timebase. Two objects for the same timebase
    are equal.

    >>> from nalu import Timebase
    >>> clock = Timebase.manual_clock()
    >>> playback = Timebase(clock)
    >>> playback.rate = 2
    >>> clock.time = 10
    >>> playback.time.seconds
    20.0
    """

    __slots__ = ()

    def __init__(self, source: Optional["Timebase"] = None) -> None:
        self._pointer: Any = None
        out = _ffi.nalu_timebase_p()
        check(_ffi.fast.nalu_timebase_create(None if source is None else _pointer(source, "source"), ctypes.byref(out)))
        self._pointer = out

    @classmethod
    def _owning(cls, pointer: Any) -> "Timebase":
        timebase = cls.__new__(cls)
        timebase._pointer = pointer
        return timebase

    @classmethod
    def host_clock(cls) -> "Timebase":
        """Returns the host clock, CLOCK_MONOTONIC, whose time has nanoseconds."""
        return cls._owning(_ffi.fast.nalu_timebase_retain(_ffi.fast.nalu_timebase_get_host_clock()))

    @classmethod
    def manual_clock(cls, time: TimeLike = 0) -> "Timebase":
        """Creates a clock whose time changes only when it is set: for tests, and for hardware with a time of its own."""
        out = _ffi.nalu_timebase_p()
        check(_ffi.fast.nalu_timebase_create_manual_clock(_native(time, "time"), ctypes.byref(out)))
        return cls._owning(out)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _ffi.fast.nalu_timebase_release(self._pointer)

    def _address(self) -> int:
        return ctypes.addressof(self._pointer.contents)

    def __eq__(self, other: object) -> bool:
        return self._address() == other._address() if isinstance(other, Timebase) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._address())

    def __repr__(self) -> str:
        return f"<Timebase at {self.time.seconds:.6g} s, rate {self.rate:g}>"

    # ---- Time, rate, source --------------------------------------------------------------------------------------

    @property
    def time(self) -> Time:
        """The present time. Setting it keeps the rate; the host clock cannot be set."""
        return Time._from(_ffi.fast.nalu_timebase_get_time(self._pointer))

    @time.setter
    def time(self, time: TimeLike) -> None:
        # The setters release the interpreter's lock, because they call observers.
        check(_ffi.lib.nalu_timebase_set_time(self._pointer, _native(time, "time")))

    @property
    def rate(self) -> float:
        """The rate relative to the source: 1 for its speed, 0 to stop, negative to run backwards. 1 for a clock, where it
        cannot be set. Setting it keeps the present time."""
        rate: float = _ffi.fast.nalu_timebase_get_rate(self._pointer)
        return rate

    @rate.setter
    def rate(self, rate: float) -> None:
        check(_ffi.lib.nalu_timebase_set_rate(self._pointer, _rate(rate)))

    @property
    def effective_rate(self) -> float:
        """The rate relative to the clock at the end of the chain of sources."""
        rate: float = _ffi.fast.nalu_timebase_get_effective_rate(self._pointer)
        return rate

    def set_anchor(self, time: TimeLike, source_time: TimeLike, rate: Optional[float] = None) -> None:
        """Sets the time that the timebase has when its source has ``source_time``, and the rate unless that is None."""
        times = _native(time, "time"), _native(source_time, "source_time")
        if rate is None:
            check(_ffi.lib.nalu_timebase_set_anchor_time(self._pointer, *times))
        else:
            check(_ffi.lib.nalu_timebase_set_rate_and_anchor_time(self._pointer, _rate(rate), *times))

    @property
    def source(self) -> Optional["Timebase"]:
        """The timebase that this one follows; None for a clock. After a change, the time continues from the present
        one."""
        found = _ffi.fast.nalu_timebase_copy_source(self._pointer)
        return Timebase._owning(found) if found else None

    @source.setter
    def source(self, source: "Timebase") -> None:
        check(_ffi.lib.nalu_timebase_set_source(self._pointer, _pointer(source, "source")))

    # ---- Several timebases ---------------------------------------------------------------------------------------

    def convert(self, time: TimeLike, to: "Timebase") -> Time:
        """Returns the time of ``to`` when this timebase has ``time``.

        The result is not numeric if the two follow different clocks, or if a stopped timebase on the way has no single
        moment for it.
        """
        convert = _ffi.fast.nalu_timebase_convert_time
        return Time._from(convert(_native(time, "time"), self._pointer, _pointer(to, "to")))

    def shares_clock(self, other: "Timebase") -> bool:
        """Returns whether both follow the same clock, so that they cannot drift apart."""
        return bool(_ffi.fast.nalu_timebase_shares_clock(self._pointer, _pointer(other, "other")))

    # ---- Observers -----------------------------------------------------------------------------------------------

    def add_observer(self, function: Callable[[], object]) -> Callable[[], None]:
        """Calls a function after each change of the timeline: a new time, rate or source of the timebase or of one that it
        follows. Returns a function that removes the observer.

        The calls are made in the thread that makes the change, before the change returns.
        """
        number = _registered(function)
        observer = ctypes.c_uint64(0)
        try:
            check(_ffi.fast.nalu_timebase_add_observer(self._pointer, _callback_address, number, ctypes.byref(observer)))
        except BaseException:
            del _functions[number]
            raise

        def remove() -> None:
            _ffi.lib.nalu_timebase_remove_observer(self._pointer, observer)
            _functions.pop(number, None)

        return remove


class TimebaseTimer(Threaded):
    """Calls a function when a timebase reaches a time, in a thread of its own.

    :param timebase: the timebase.
    :param function: called without arguments each time the timer fires.

    >>> import threading
    >>> from nalu import Timebase, TimebaseTimer
    >>> clock, fired = Timebase.manual_clock(), threading.Event()
    >>> with TimebaseTimer(clock, fired.set) as timer:
    ...     timer.fire_at(2)
    ...     clock.time = 2
    ...     fired.wait(60)
    True
    """

    _name = "timer"
    __slots__ = ("_number",)

    def __init__(self, timebase: Timebase, function: Callable[[], object]) -> None:
        self._pointer: Any = None
        pointer, self._number = _pointer(timebase, "timebase"), _registered(function)
        out = _ffi.nalu_timebase_timer_p()
        try:
            check(
                _ffi.fast.nalu_timebase_timer_create(
                    pointer, _callback_address, self._number, None, ctypes.byref(out)
                )
            )
        except BaseException:
            del _functions[self._number]
            raise
        self._begin(out)

    def fire_at(self, time: Optional[TimeLike]) -> None:
        """Makes the timer fire once, in place of an earlier time that has not been reached; None: never.

        It fires when the timebase has reached ``time`` in its direction, or at once if it is already there or beyond. It
        does not fire while the timebase stands still.
        """
        moment = _ffi.NO_TIME if time is None else _native(time, "time")
        check(_ffi.lib.nalu_timebase_timer_set_fire_time(self._open(), moment))

    def close(self) -> None:
        """Ends the timer. Waits for a call that is running in another thread."""
        self._release()

    def _release(self) -> None:
        pointer = self._end()
        if pointer is not None:
            _ffi.lib.nalu_timebase_timer_release(pointer)
            _functions.pop(self._number, None)


def _pointer(timebase: Any, name: str) -> Any:
    if not isinstance(timebase, Timebase):
        raise WrongTypeError(f"{name} is {type(timebase).__name__}; expected a nalu.Timebase")
    return timebase._pointer


def _native(time: Any, name: str) -> "_ffi.nalu_time":
    return native(time, Time(1, 1), name)


def _rate(rate: Any) -> float:
    if isinstance(rate, bool) or not hasattr(rate, "__float__"):
        raise WrongTypeError(f"rate is {type(rate).__name__}; expected a number")
    try:
        return float(rate)
    except OverflowError:
        raise InvalidValueError(f"rate is {rate}; expected a finite number") from None
