"""The time from a packet to the report that mentions it."""

from __future__ import annotations

from collections import deque
from typing import Optional

#: The seconds over which the least round trip is taken.
_SPAN = 10.0


class RoundTrip:
    """A mean round trip, and the least one of the last ten seconds, which is that of an empty path.

    >>> trip = RoundTrip()
    >>> trip.mean, trip.least
    (0.05, None)
    >>> trip.add(0.13, 1.0)
    >>> round(trip.mean, 3), trip.least
    (0.06, 0.13)
    """

    def __init__(self) -> None:
        #: The mean round trip in seconds. Before the first report, an assumption.
        self.mean = 0.05
        # Times and round trips that increase: the first one is the least.
        self._trips: "deque[tuple[float, float]]" = deque()

    @property
    def least(self) -> Optional[float]:
        """The least round trip in seconds; None before the first report."""
        return self._trips[0][1] if self._trips else None

    def add(self, seconds: float, now: float) -> None:
        self.mean += (seconds - self.mean) / 8
        while self._trips and self._trips[-1][1] >= seconds:
            self._trips.pop()
        self._trips.append((now, seconds))
        while self._trips[0][0] < now - _SPAN and len(self._trips) > 1:
            self._trips.popleft()
