"""RTP payloads of H.264 (RFC 6184, packetization mode 1)."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from ..errors import InvalidValueError

_STAP_A, _FU_A = 24, 28


def packetize(nal_units: Iterable[bytes], limit: int = 1_100) -> "list[bytes]":
    """Returns the RTP payloads of one access unit.

    Small NAL units share a STAP-A; NAL units over the limit are divided into FU-A of nearly equal sizes.

    :param nal_units: the NAL units in decoding order, header bytes first; parameter sets before a key frame.
    :param limit: the largest payload in bytes, 64 to 65,535.

    >>> [payload[0] & 31 for payload in packetize([bytes([0x67]) + bytes(20), bytes([0x68, 1]), bytes([0x65]) + bytes(2000)])]
    [24, 28, 28]
    """
    if not 64 <= limit <= 65_535:
        raise InvalidValueError(f"limit is {limit}; expected 64 to 65535")
    payloads: list[bytes] = []
    waiting: list[bytes] = []
    size = 1
    for unit in nal_units:
        if not unit:
            raise InvalidValueError("nal_units has an empty NAL unit; expected at least the header byte")
        if size + 2 + len(unit) > limit:
            _flush(waiting, payloads)
            size = 1
        if len(unit) > limit:
            payloads += _fragments(unit, limit)
        else:
            waiting.append(unit)
            size += 2 + len(unit)
    _flush(waiting, payloads)
    return payloads


def _flush(waiting: "list[bytes]", payloads: "list[bytes]") -> None:
    if len(waiting) == 1:
        payloads.append(bytes(waiting[0]))
    elif waiting:
        # RFC 6184 5.7.1: F is set if it is set in any NAL unit; NRI is the largest one.
        header = max(unit[0] & 0x60 for unit in waiting) | max(unit[0] & 0x80 for unit in waiting) | _STAP_A
        payloads.append(bytes([header]) + b"".join(struct.pack("!H", len(unit)) + unit for unit in waiting))
    waiting.clear()


def _fragments(unit: bytes, limit: int) -> "list[bytes]":
    body, indicator, kind = memoryview(unit)[1:], unit[0] & 0xE0 | _FU_A, unit[0] & 31
    count = -(-len(body) // (limit - 2))
    ends = [len(body) * number // count for number in range(count + 1)]
    return [
        bytes([indicator, kind | (0x80 if number == 0 else 0) | (0x40 if number == count - 1 else 0)])
        + body[ends[number] : ends[number + 1]]
        for number in range(count)
    ]
