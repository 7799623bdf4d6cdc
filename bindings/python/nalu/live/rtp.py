"""RTP packets (RFC 3550) and their header extensions (RFC 8285)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from ..errors import InvalidValueError

#: Ticks of the RTP clock of video, per second.
CLOCK_RATE = 90_000

#: URIs of the header extensions that :class:`~nalu.live.Sender` uses.
TRANSPORT_WIDE_URI = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
#: Transport-wide sequence numbers with requests: the sender decides when the receiver reports.
TRANSPORT_WIDE_2_URI = "http://www.webrtc.org/experiments/rtp-hdrext/transport-wide-cc-02"
DEPENDENCY_DESCRIPTOR_URI = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
PLAYOUT_DELAY_URI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"

_ONE_BYTE, _TWO_BYTE = 0xBEDE, 0x1000


class RtpPacket(NamedTuple):
    """An RTP packet without contributing sources and padding.

    >>> packet = RtpPacket(96, 7, 3000, 1, True, b"payload", ((1, b"ab"),))
    >>> RtpPacket.parse(packet.serialize()) == packet
    True
    """

    #: 0 to 127.
    payload_type: int
    #: 0 to 65,535.
    sequence_number: int
    #: Ticks of 1/90,000 s, modulo 2**32.
    timestamp: int
    #: The synchronization source, 0 to 2**32 - 1.
    ssrc: int
    #: Whether the packet is the last one of its frame.
    marker: bool
    payload: bytes
    #: Pairs of an id, 1 to 255, and the data, at most 255 bytes.
    extensions: Sequence["tuple[int, bytes]"] = ()

    def serialize(self) -> bytes:
        """Returns the bytes of the packet. Extensions have the two-byte form only if the one-byte form cannot hold them."""
        extended = _pack_extensions(self.extensions)
        header = struct.pack(
            "!BBHLL",
            0x90 if extended else 0x80,
            (0x80 if self.marker else 0) | self.payload_type,
            self.sequence_number,
            self.timestamp & 0xFFFFFFFF,
            self.ssrc,
        )
        return header + extended + self.payload

    @classmethod
    def parse(cls, data: bytes) -> "RtpPacket":
        """Reads a packet. Contributing sources and padding are left out.

        :raises InvalidValueError: the bytes are no RTP packet.
        """
        if len(data) < 12 or data[0] >> 6 != 2:
            raise InvalidValueError(f"data has {len(data)} bytes and is no RTP packet; expected version 2 and at least 12 bytes")
        first, second, number, timestamp, ssrc = struct.unpack_from("!BBHLL", data)
        at, end = 12 + 4 * (first & 15), len(data)
        extensions: Sequence[tuple[int, bytes]] = ()
        if first & 0x10:
            if at + 4 > end:
                raise InvalidValueError(f"data ends at byte {end}; expected a header extension at byte {at}")
            profile, words = struct.unpack_from("!HH", data, at)
            at += 4
            if at + 4 * words > end:
                raise InvalidValueError(f"the header extension has {4 * words} bytes; expected at most {end - at}")
            extensions = _parse_extensions(profile, data[at : at + 4 * words])
            at += 4 * words
        if first & 0x20 and end > at:
            end -= data[-1]
        if at > end:
            raise InvalidValueError(f"the header of the packet has {at} bytes; expected at most {end}")
        return cls(second & 127, number, timestamp, ssrc, bool(second & 0x80), bytes(data[at:end]), extensions)


def _pack_extensions(extensions: Sequence["tuple[int, bytes]"]) -> bytes:
    if not extensions:
        return b""
    one_byte = all(1 <= number <= 14 and 1 <= len(data) <= 16 for number, data in extensions)
    packed = bytearray()
    for number, data in extensions:
        if not 1 <= number <= 255 or len(data) > 255:
            raise InvalidValueError(f"header extension {number} has {len(data)} bytes; expected ids 1 to 255 and at most 255 bytes")
        packed += bytes([number << 4 | len(data) - 1]) if one_byte else bytes([number, len(data)])
        packed += data
    packed += bytes(-len(packed) % 4)
    return struct.pack("!HH", _ONE_BYTE if one_byte else _TWO_BYTE, len(packed) // 4) + bytes(packed)


def _parse_extensions(profile: int, data: bytes) -> "tuple[tuple[int, bytes], ...]":
    one_byte = profile == _ONE_BYTE
    if not one_byte and profile & 0xFFF0 != _TWO_BYTE:
        return ()
    found, at = [], 0
    while at < len(data):
        if data[at] == 0:  # padding
            at += 1
            continue
        if one_byte:
            number, size, at = data[at] >> 4, (data[at] & 15) + 1, at + 1
            if number == 15:
                break
        elif at + 1 < len(data):
            number, size, at = data[at], data[at + 1], at + 2
        else:
            break
        if at + size > len(data):
            raise InvalidValueError(f"header extension {number} has {size} bytes; expected at most {len(data) - at}")
        found.append((number, bytes(data[at : at + size])))
        at += size
    return tuple(found)
