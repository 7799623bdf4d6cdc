"""The rate that the path carries, from the delay and the loss of its packets."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from ..errors import InvalidValueError

#: The seconds whose least delay counts as the delay of an empty path.
_MEMORY = 10.0
#: Delay and throughput are measured over at least this many packets, and this many seconds.
_FEWEST, _WINDOW = 5, 0.08
#: The share of lost packets below which the rate may rise, and the share above which it falls.
_HARMLESS_LOSS, _HEAVY_LOSS = 0.13, 0.25
#: The bytes of a full packet, for the time that one takes on a slow path.
_PACKET = 1_200


class RateController:
    """Adapts the rate to the queue that packets meet on their path.

    The least delay of the last ten seconds is that of an empty path, and what a packet takes longer is the queue on the path. If
    the queue grows beyond a limit, the rate falls below the rate of arrival, so that the queue drains. Without a queue the rate rises.
    Random loss without a queue does not matter below 13 %.

    :param start: the first rate in bits per second.
    :param least, most: the bounds of the rate in bits per second.

    >>> controller = RateController(1_000_000, 100_000, 4_000_000)
    >>> controller.rate
    1000000.0
    """

    def __init__(self, start: float, least: float, most: float) -> None:
        if not (0 < least <= start <= most and math.isfinite(most)):
            raise InvalidValueError(f"start is {start}, least {least}, most {most}; expected 0 < least <= start <= most")
        self._least, self._most, self._rate = float(least), float(most), float(start)
        # (time of arrival, delay, size) of the last packets; times of arrival are on the receiver's clock.
        self._recent: "deque[tuple[float, float, int]]" = deque(maxlen=256)
        # (time of the report, delay): increasing delays, so the first one is the least.
        self._bases: "deque[tuple[float, float]]" = deque()
        self._losses: "deque[tuple[float, int, int]]" = deque()
        self._queue = 0.0
        self._heard = -math.inf
        self._updated = -math.inf
        self._evaluated = -math.inf
        self._held_until = -math.inf
        self._rises_from = -math.inf
        self._ceiling = math.inf
        self._queue_then = 0.0
        self._news = False

    @property
    def rate(self) -> float:
        """Bits per second on the wire, with the headers of all layers."""
        return self._rate

    @property
    def queue(self) -> float:
        """The delay in the queue on the path, in seconds."""
        return self._queue

    @property
    def limit(self) -> float:
        """The queue in seconds from which the rate falls."""
        return 0.018 + 2.5 * _PACKET * 8 / self._rate

    @property
    def loss(self) -> float:
        """The share of lost packets in the last second, 0 to 1."""
        total = sum(arrived + lost for _, arrived, lost in self._losses)
        return sum(lost for _, _, lost in self._losses) / total if total else 0.0

    def reported(self, arrivals: "Sequence[tuple[float, float, int]]", lost: int, now: float) -> None:
        """Adds the news of a report.

        :param arrivals: the time of sending, the time of arrival and the size of each packet that has arrived; the times are on
            different clocks.
        :param lost: the number of lost packets.
        """
        self._heard = now
        self._news = True
        for sent, arrived, size in arrivals:
            delay = arrived - sent
            self._recent.append((arrived, delay, size))
            while self._bases and self._bases[-1][1] >= delay:
                self._bases.pop()
            self._bases.append((now, delay))
        while len(self._bases) > 1 and self._bases[0][0] < now - _MEMORY:
            self._bases.popleft()
        self._losses.append((now, len(arrivals), lost))
        while self._losses[0][0] < now - 1:
            self._losses.popleft()

    def update(self, now: float, in_flight: bool = True) -> bool:
        """Adapts the rate. Call it every few milliseconds. Returns whether the path has become congested since the last call.

        :param in_flight: whether packets are on their way, so that a report is due.
        """
        if now - self._updated < 0.005:
            return False
        self._updated = now
        if not self._news:
            silent = now - self._heard
            if in_flight and silent > 0.25 + self._queue and now >= self._held_until and math.isfinite(silent):
                self._fall(self._rate * 0.8, now)
                return True
            return False
        self._news = False
        elapsed, self._evaluated = min(now - self._evaluated, 0.1), now
        if len(self._recent) < _FEWEST:
            return False
        # If the receiver's processor was busy, only the first packets are late.
        latest = [self._recent[number][1] for number in range(-4, 0)]
        self._queue = max(0.0, min(latest) - self._bases[0][1])
        if now >= self._held_until:
            # A queue that shrinks needs no lower rate.
            if self._queue > self.limit and self._queue > self._queue_then - 0.01:
                self._fall(self._throughput() * (0.85 if self._queue < 2 * self.limit else 0.7), now)
                return True
            self._queue_then = self._queue
            if self.loss > _HEAVY_LOSS and sum(lost for _, _, lost in self._losses) > 10:
                self._fall(min(self._rate * 0.8, self._throughput()), now)
                return True
        if self._queue < self.limit / 2 and self.loss < _HARMLESS_LOSS and now >= self._rises_from:
            self._rise(elapsed)
        return False

    def _throughput(self) -> float:
        last = self._recent[-1][0]
        count = max(_FEWEST, sum(arrived >= last - _WINDOW for arrived, _, _ in self._recent))
        chosen = list(self._recent)[-count:]
        span = chosen[-1][0] - chosen[0][0]
        return sum(size for _, _, size in chosen[1:]) * 8 / span if span > 0 else self._rate

    def _fall(self, rate: float, now: float) -> None:
        self._ceiling = self._rate
        self._rate = min(max(rate, self._rate * 0.1, self._least), self._rate * 0.95 if self._rate > self._least else self._least)
        self._rate = max(self._rate, self._least)
        self._ceiling = min(self._ceiling, self._rate / 0.85)
        self._queue_then = self._queue
        self._held_until = now + 0.1
        self._rises_from = now + 0.3

    def _rise(self, elapsed: float) -> None:
        # Without enough packets, the path has not shown that it carries the present rate.
        if self._throughput() < 0.5 * self._rate:
            return
        # The rate rises slowly near the rate at which the path was congested. Well above it, that rate no longer counts.
        if self._rate > 1.25 * self._ceiling:
            self._ceiling = math.inf
        near = self._rate > 0.75 * self._ceiling
        self._rate = min(self._rate * (1 + elapsed * (0.1 if near else 0.6)), self._most)
