"""The bytes of the RTP packets of one stream: header, extensions, payload."""

from __future__ import annotations

import struct
from typing import Optional

from ..errors import InvalidValueError
from .dependencies import dependency_descriptor
from .history import MediaPacket
from .references import SentFrame
from .rtp import (
    DEPENDENCY_DESCRIPTOR_URI,
    PLAYOUT_DELAY_URI,
    TRANSPORT_WIDE_2_URI,
    TRANSPORT_WIDE_URI,
    RtpPacket,
)

#: A report is requested at least once in this many packets.
_REPORT_EVERY = 6


class PacketForm:
    """Serializes packets with the header extensions that were negotiated, and requests reports of the receiver.

    :param extensions: the ids of header extensions by URI. One of the two transport-wide extensions is required.
    :param size: the width and height of the pictures, for the dependency descriptor.
    """

    def __init__(
        self, ssrc: int, payload_type: int, extensions: "dict[str, int]", size: "Optional[tuple[int, int]]"
    ) -> None:
        #: Whether reports can be requested.
        self.with_requests = TRANSPORT_WIDE_2_URI in extensions
        if not self.with_requests and TRANSPORT_WIDE_URI not in extensions:
            raise InvalidValueError("extensions has no transport-wide sequence number; expected one that the receiver has negotiated")
        for uri, number in extensions.items():
            if not 1 <= number <= 255:
                raise InvalidValueError(f"the id of the extension {uri} is {number}; expected 1 to 255")
        self._ids = dict(extensions)
        self._ssrc, self._payload_type, self._size = ssrc, payload_type, size
        self._since_report = 0

    def request_report(self) -> None:
        """Makes the next packet request a report."""
        self._since_report = _REPORT_EVERY

    def serialize(
        self,
        packet: MediaPacket,
        number: int,
        frame: Optional[SentFrame],
        *,
        transport_number: int,
        report_length: int,
        is_filling: bool,
    ) -> bytes:
        """Returns the bytes of an RTP packet.

        :param frame: the frame of the packet; None for padding, and for a frame that has been abandoned.
        :param report_length: the number of packets that a requested report covers.
        :param is_filling: whether so many packets are unreported that the sender would soon have to stop.
        """
        extensions = [self._transport_wide(packet, transport_number & 0xFFFF, report_length, is_filling)]
        if PLAYOUT_DELAY_URI in self._ids:
            extensions.append((self._ids[PLAYOUT_DELAY_URI], bytes(3)))
        padding = packet.position < 0
        if frame is not None and not padding and DEPENDENCY_DESCRIPTOR_URI in self._ids:
            descriptor = dependency_descriptor(
                frame.number, frame.reference, first=packet.position == 0, last=packet.last, size=self._size
            )
            extensions.append((self._ids[DEPENDENCY_DESCRIPTOR_URI], descriptor))
        payload = b"\x01" if padding else packet.payload
        data = RtpPacket(
            self._payload_type, number & 0xFFFF, packet.timestamp, self._ssrc, packet.last, payload, extensions
        ).serialize()
        return bytes([data[0] | 0x20]) + data[1:] if padding else data

    def _transport_wide(
        self, packet: MediaPacket, number: int, report_length: int, is_filling: bool
    ) -> "tuple[int, bytes]":
        if not self.with_requests:
            return self._ids[TRANSPORT_WIDE_URI], struct.pack("!H", number)
        self._since_report += 1
        if packet.last or packet.position < 0 or is_filling or self._since_report >= _REPORT_EVERY:
            self._since_report = 0
            # The highest bit requests arrival times.
            return self._ids[TRANSPORT_WIDE_2_URI], struct.pack("!HH", number, 0x8000 | report_length)
        return self._ids[TRANSPORT_WIDE_2_URI], struct.pack("!H", number)
