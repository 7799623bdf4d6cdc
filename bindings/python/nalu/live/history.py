"""The packets that a receiver can request again."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple, Optional

from ..errors import InvalidValueError


class MediaPacket(NamedTuple):
    """One packet of a frame, or padding after a frame."""

    #: The number of the frame.
    frame: int
    #: The number of the packet in its frame; -1 for padding.
    position: int
    payload: bytes
    #: The RTP timestamp of the frame.
    timestamp: int
    #: Whether the packet is the last one of its frame.
    last: bool


class PacketHistory:
    """The last packets by RTP sequence number, for requests of the receiver (RFC 4585 6.2.1).

    :param capacity: the number of packets that are kept, 1 to 32,768.

    >>> history = PacketHistory(2)
    >>> for number in (65535, 65536, 65537):
    ...     history.add(number, MediaPacket(0, number, b"", 0, False))
    >>> history.find(65535) is None, history.find(1).position
    (True, 65537)
    """

    def __init__(self, capacity: int = 1_024) -> None:
        if not 1 <= capacity <= 32_768:
            raise InvalidValueError(f"capacity is {capacity}; expected 1 to 32768")
        self._capacity = capacity
        self._packets: "OrderedDict[int, MediaPacket]" = OrderedDict()

    def __len__(self) -> int:
        """Returns the number of packets."""
        return len(self._packets)

    def add(self, number: int, packet: MediaPacket) -> None:
        """Adds a packet under the lower 16 bits of its sequence number."""
        self._packets.pop(number & 0xFFFF, None)
        self._packets[number & 0xFFFF] = packet
        while len(self._packets) > self._capacity:
            self._packets.popitem(last=False)

    def find(self, number: int) -> Optional[MediaPacket]:
        """Returns the packet with a sequence number of 16 bits; None if the packet is no longer kept."""
        return self._packets.get(number & 0xFFFF)
