"""The packets that have not left yet."""

from __future__ import annotations

from collections import deque
from typing import Optional

from .history import MediaPacket

#: Bytes of IPv4, UDP and SRTP around an RTP packet.
WIRE_OVERHEAD = 20 + 8 + 10


class SendQueue:
    """Packets of new frames, and packets that leave again under their old RTP numbers, which come first."""

    def __init__(self) -> None:
        self._new: "deque[MediaPacket]" = deque()
        self._repeats: "deque[tuple[int, MediaPacket]]" = deque()
        #: The bytes on the wire of all packets.
        self.size = 0

    def __bool__(self) -> bool:
        """Returns whether a packet waits."""
        return bool(self._new or self._repeats)

    @property
    def has_new(self) -> bool:
        """Whether a packet of a new frame waits."""
        return bool(self._new)

    @property
    def new_count(self) -> int:
        """The number of packets of new frames."""
        return len(self._new)

    @property
    def frames(self) -> int:
        """The number of frames of which new packets wait."""
        return len({packet.frame for packet in self._new})

    def add(self, packet: MediaPacket) -> None:
        self._new.append(packet)
        self.size += len(packet.payload) + WIRE_OVERHEAD

    def add_repeat(self, number: int, packet: MediaPacket) -> None:
        self._repeats.append((number, packet))
        self.size += len(packet.payload) + WIRE_OVERHEAD

    def take_repeat(self) -> "Optional[tuple[int, MediaPacket]]":
        """Removes the next packet that leaves again, with its RTP number; None if there is none."""
        if not self._repeats:
            return None
        number, packet = self._repeats.popleft()
        self.size -= len(packet.payload) + WIRE_OVERHEAD
        return number, packet

    def take_new(self) -> MediaPacket:
        """Removes the next packet of a new frame. There must be one."""
        packet = self._new.popleft()
        self.size -= len(packet.payload) + WIRE_OVERHEAD
        return packet

    def clear(self) -> None:
        self._new.clear()
        self._repeats.clear()
        self.size = 0
