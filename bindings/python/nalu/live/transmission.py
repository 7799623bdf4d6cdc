"""Sent packets by transport-wide sequence number, and what the receiver has reported about them."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple, Optional

from .history import MediaPacket
from .rtcp import TransportFeedback

#: A missing packet counts as lost when a packet that left this many packets later has arrived.
_REORDERING = 3
#: The number of packets before the oldest unknown one that a report repeats, in case they have arrived late.
_OVERLAP = 8
#: A report has at most this many packets.
_LARGEST_REPORT = 400
#: The seconds after which the receiver's clock repeats: 24 bits of 64 ms.
_CLOCK_PERIOD = 64e-3 * (1 << 24)


class SentPacket(NamedTuple):
    """A packet on its way."""

    packet: MediaPacket
    #: The RTP sequence number, not reduced to 16 bits.
    number: int
    #: The bytes on the wire.
    size: int
    #: The time of sending in seconds.
    time: float


class Arrival(NamedTuple):
    """A packet that has arrived."""

    sent: SentPacket
    #: The time of arrival in seconds of the receiver's clock.
    time: float


class Report(NamedTuple):
    """The new information in a feedback message."""

    arrived: "tuple[Arrival, ...]"
    lost: "tuple[SentPacket, ...]"
    #: Packets that no report mentions, because a feedback message was lost.
    unknown: "tuple[SentPacket, ...]"
    #: The time from sending the newest packet to this report, in seconds; None without a new packet.
    round_trip: Optional[float]


class Transmission:
    """Numbers packets, and turns transport-wide feedback into acknowledgements."""

    def __init__(self) -> None:
        self._next = 0
        self._unknown: "OrderedDict[int, SentPacket]" = OrderedDict()
        self._late: "OrderedDict[int, SentPacket]" = OrderedDict()
        self._in_flight = 0
        self._newest = -1
        self._clock: Optional[float] = None

    @property
    def next_number(self) -> int:
        """The transport-wide sequence number of the next packet, not reduced to 16 bits."""
        return self._next

    @property
    def in_flight(self) -> int:
        """The bytes of packets that are neither acknowledged nor lost."""
        return self._in_flight

    @property
    def oldest(self) -> Optional[SentPacket]:
        """The oldest packet that is neither acknowledged nor lost."""
        return next(iter(self._unknown.values()), None)

    @property
    def report_length(self) -> int:
        """The number of packets, up to the next one, that a requested report should cover."""
        first = next(iter(self._unknown), self._next)
        return min(self._next - first + 1 + _OVERLAP, self._next + 1, _LARGEST_REPORT)

    def sent(self, packet: SentPacket) -> None:
        """Adds a packet that has left under ``next_number``."""
        self._unknown[self._next] = packet
        self._in_flight += packet.size
        self._next += 1
        if len(self._unknown) > 4 * _LARGEST_REPORT:
            self._forget(next(iter(self._unknown)))

    def report(self, feedback: TransportFeedback, now: float) -> Report:
        """Reads a feedback message. Numbers of packets that were never sent are ignored."""
        # Extends the 16 bits of the message to the number that is nearest to the next one.
        base = self._next - ((self._next - feedback.base + 0x8000) & 0xFFFF) + 0x8000
        arrived = []
        newest: Optional[SentPacket] = None
        for number, time in enumerate(feedback.arrivals, base):
            if time is None or number >= self._next:
                continue
            known = self._unknown.get(number) or self._late.pop(number, None)
            if number > self._newest:
                self._newest, newest = number, known
            if known is not None:
                self._forget(number)
                arrived.append(Arrival(known, self._unwrapped(time)))
        lost, unknown = [], []
        for number in [number for number in self._unknown if number <= self._newest - _REORDERING]:
            packet = self._forget(number)
            if packet is None:
                continue
            if number >= base:
                lost.append(packet)
                self._late[number] = packet
                while len(self._late) > _LARGEST_REPORT:
                    self._late.popitem(last=False)
            else:
                unknown.append(packet)
        return Report(tuple(arrived), tuple(lost), tuple(unknown), None if newest is None else now - newest.time)

    def _forget(self, number: int) -> Optional[SentPacket]:
        packet = self._unknown.pop(number, None)
        if packet is not None:
            self._in_flight -= packet.size
        return packet

    def _unwrapped(self, time: float) -> float:
        if self._clock is not None:
            time += round((self._clock - time) / _CLOCK_PERIOD) * _CLOCK_PERIOD
        self._clock = time
        return time
