"""The times of one session's frames: given by the client, or counted with the frame rate."""

from __future__ import annotations

import threading
from typing import Any, Optional

from . import _ffi, time
from .errors import InvalidValueError, WouldBlockError, WrongTypeError
from .time import Time, TimeLike


class Clock:
    """Assigns times to frames. ``frame_rate`` and ``time_base`` are the arguments of CompressionSession."""

    __slots__ = ("_base", "_counted", "_has_times", "_step", "_turn", "rate")

    def __init__(self, frame_rate: Any, time_base: Any) -> None:
        #: Frames per second, as a Time: value / timescale.
        self.rate = None if frame_rate is None else time.rational(frame_rate, "frame_rate")
        self._step = None if self.rate is None else Time(self.rate.timescale, self.rate.value)
        self._base = self._step if time_base is None else time.rational(time_base, "time_base")
        self._counted = 0
        self._has_times = False
        # Held from counting a frame until it is handed in, so that several threads hand in frames in the counted order.
        self._turn = threading.Lock()

    def begin(self, pts: Optional[TimeLike], duration: Optional[TimeLike], wait: bool) -> tuple[Any, Any]:
        """Returns a frame's times as C structs. If they are counted, other threads wait for ``end``."""
        if pts is not None:
            return time.native(pts, self._base, "pts"), self._lasting(duration, _ffi.NO_TIME)
        step = self._step
        if step is None:
            raise WrongTypeError("pts is missing; expected a time, or a session with a frame_rate")
        if self._has_times:
            raise InvalidValueError("pts is missing; expected a time, because an earlier frame had one")
        lasting = self._lasting(duration, step._native())
        if not self._turn.acquire(blocking=wait):
            raise WouldBlockError("another thread is encoding a frame in this session; try again later, or with wait=True", _ffi.WOULD_BLOCK, "WOULD_BLOCK")
        return _ffi.nalu_time(self._counted * step.value, step.timescale, 1, 0), lasting

    def end(self, pts: Optional[TimeLike], accepted: bool) -> None:
        """Ends a ``begin``: the session has accepted the frame or refused it."""
        if pts is not None:
            self._has_times |= accepted
            return
        self._counted += accepted
        self._turn.release()

    def restart(self) -> None:
        """Restarts counting at the first frame of a pass."""
        self._counted = 0
        self._has_times = False

    def _lasting(self, duration: Optional[TimeLike], default: Any) -> Any:
        return default if duration is None else time.native(duration, self._base, "duration")
