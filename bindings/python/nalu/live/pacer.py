"""The times at which packets leave."""

from __future__ import annotations

import math
from typing import Optional

from ..errors import InvalidValueError


class Pacer:
    """Spreads packets so that no interval has more bytes than the rate allows, plus ``burst`` seconds of the rate.

    A pacer never waits. It returns how long the next packet must wait, so that an event loop can do other work meanwhile.

    :param rate: bits per second, greater than 0.
    :param burst: the time that a late caller may catch up on, in seconds.

    >>> pacer = Pacer(8_000_000, burst=0.01)
    >>> pacer.wait(0.0)
    0.0
    >>> pacer.sent(20_000, 0.0)
    >>> pacer.wait(0.0)
    0.01
    """

    def __init__(self, rate: float, burst: float = 0.03) -> None:
        if not (burst > 0 and math.isfinite(burst)):
            raise InvalidValueError(f"burst is {burst}; expected more than 0 seconds")
        self._burst = burst
        self._time: Optional[float] = None
        self._rate = self._checked(rate)
        # The bytes that may leave; negative after a packet that was larger than the rest.
        self._budget = self._depth

    @staticmethod
    def _checked(rate: float) -> float:
        if not (rate > 0 and math.isfinite(rate)):
            raise InvalidValueError(f"rate is {rate}; expected more than 0 bits per second")
        return rate

    @property
    def _depth(self) -> float:
        return self._rate * self._burst / 8

    @property
    def rate(self) -> float:
        """Bits per second."""
        return self._rate

    def set_rate(self, rate: float, now: float) -> None:
        """Changes the rate from now on. Unused bytes of a higher rate expire."""
        self._checked(rate)
        self._refill(now)
        self._rate = rate
        self._budget = min(self._budget, self._depth)

    def wait(self, now: float) -> float:
        """Returns the seconds until the next packet may leave; 0 if it may leave now."""
        self._refill(now)
        return max(0.0, -self._budget * 8 / self._rate)

    def sent(self, size: int, now: float) -> None:
        """Counts a packet of ``size`` bytes that has left."""
        self._refill(now)
        self._budget -= size

    def _refill(self, now: float) -> None:
        if self._time is not None and now > self._time:
            self._budget = min(self._budget + (now - self._time) * self._rate / 8, self._depth)
        if self._time is None or now > self._time:
            self._time = now
