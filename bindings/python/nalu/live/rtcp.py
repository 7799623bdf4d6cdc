"""RTCP messages of receivers (RFC 3550, 3611, 4585, 5104; draft-holmer-rmcat-transport-wide-cc-extensions-01).

:func:`parse` reads what a browser sends: requests for packets and pictures, and transport-wide feedback.
"""

from __future__ import annotations

import struct
from typing import NamedTuple, Optional, Union

from ..errors import InvalidValueError

_SENDER_REPORT, _EXTENDED_REPORT, _TRANSPORT, _PAYLOAD = 200, 207, 205, 206
_NACK, _TRANSPORT_WIDE, _PLI, _FIR = 1, 15, 1, 4


class Nack(NamedTuple):
    """A request for packets that have not arrived."""

    #: The SSRC of the stream.
    ssrc: int
    #: RTP sequence numbers.
    lost: "tuple[int, ...]"


class PictureRequest(NamedTuple):
    """A request for a picture that can be decoded: PLI or FIR."""

    #: The SSRC of the stream.
    ssrc: int
    #: Whether the request is a FIR, which asks for a key frame.
    full: bool
    #: The SSRC of the receiver.
    requester: int
    #: The sequence number of a FIR, 0 to 255, which a repetition of the request keeps; 0 for a PLI.
    number: int


class ReceiverTime(NamedTuple):
    """The receiver's clock, which a receiver without a stream of its own sends to measure the round trip."""

    #: The SSRC of the receiver.
    ssrc: int
    #: The middle 32 bits of the receiver's NTP time.
    time: int


class TransportFeedback(NamedTuple):
    """The arrival of packets, by transport-wide sequence number."""

    #: The sequence number of the first packet, 0 to 65,535.
    base: int
    #: The number of the feedback message, 0 to 255.
    number: int
    #: The arrival time of each packet in seconds of the receiver's clock; None if it has not arrived. A packet without a time
    #: has the time of the previous one.
    arrivals: "tuple[Optional[float], ...]"


Message = Union[Nack, PictureRequest, ReceiverTime, TransportFeedback]


def is_rtcp(data: bytes) -> bool:
    """Returns whether the bytes are RTCP rather than RTP on the same port (RFC 5761)."""
    return len(data) >= 8 and data[0] >> 6 == 2 and 192 <= data[1] <= 223


def parse(data: bytes) -> "list[Message]":
    """Returns the messages of a compound packet, without those that this module does not know.

    :raises InvalidValueError: a length is wrong, so that the packet cannot be read.

    >>> parse(bytes.fromhex("81ce000200000001000000ff"))
    [PictureRequest(ssrc=255, full=False, requester=1, number=0)]
    """
    found: list[Message] = []
    at = 0
    while at < len(data):
        if at + 4 > len(data) or data[at] >> 6 != 2:
            raise InvalidValueError(f"byte {at} of {len(data)} begins no RTCP message; expected version 2 and at least 4 bytes")
        first, kind, words = struct.unpack_from("!BBH", data, at)
        end = at + 4 + 4 * words
        if end > len(data):
            raise InvalidValueError(f"an RTCP message ends at byte {end}; expected at most {len(data)}")
        body = data[at + 4 : end]
        if first & 0x20 and body:
            if not 1 <= body[-1] <= len(body):
                raise InvalidValueError(f"the padding of an RTCP message has {body[-1]} bytes; expected 1 to {len(body)}")
            body = body[: -body[-1]]
        _read(kind, first & 31, body, found)
        at = end
    return found


def _read(kind: int, format: int, body: bytes, found: "list[Message]") -> None:
    if kind == _EXTENDED_REPORT:
        _read_extended(body, found)
    elif kind not in (_TRANSPORT, _PAYLOAD):
        return
    elif len(body) < 8:
        raise InvalidValueError(f"an RTCP feedback message has {len(body)} bytes; expected at least 8")
    elif kind == _TRANSPORT and format == _NACK:
        found.append(_nack(body))
    elif kind == _TRANSPORT and format == _TRANSPORT_WIDE:
        found.append(_feedback(body))
    elif kind == _PAYLOAD and format == _PLI:
        requester, ssrc = struct.unpack_from("!LL", body)
        found.append(PictureRequest(ssrc, False, requester, 0))
    elif kind == _PAYLOAD and format == _FIR:
        # The SSRCs of the streams are in the entries (RFC 5104 4.3.1).
        [requester] = struct.unpack_from("!L", body)
        for at in range(8, len(body) - 7, 8):
            ssrc, number = struct.unpack_from("!LB", body, at)
            found.append(PictureRequest(ssrc, True, requester, number))


def _nack(body: bytes) -> Nack:
    lost = []
    for at in range(8, len(body) - 3, 4):
        first, following = struct.unpack_from("!HH", body, at)
        lost.append(first)
        lost += [first + 1 + bit & 0xFFFF for bit in range(16) if following >> bit & 1]
    return Nack(struct.unpack_from("!L", body, 4)[0], tuple(lost))


def _read_extended(body: bytes, found: "list[Message]") -> None:
    if len(body) < 4:
        raise InvalidValueError(f"an RTCP extended report has {len(body)} bytes; expected at least 4")
    [ssrc] = struct.unpack_from("!L", body)
    at = 4
    while at + 4 <= len(body):
        kind, _, words = struct.unpack_from("!BBH", body, at)
        if kind == 4 and words == 2 and at + 12 <= len(body):
            high, low = struct.unpack_from("!LL", body, at + 4)
            found.append(ReceiverTime(ssrc, (high & 0xFFFF) << 16 | low >> 16))
        at += 4 + 4 * words


def _feedback(body: bytes) -> TransportFeedback:
    if len(body) < 16:
        raise InvalidValueError(f"a transport-wide feedback message has {len(body)} bytes; expected at least 16")
    base, total, reference = struct.unpack_from("!HHL", body, 8)
    symbols: list[int] = []
    at = 16
    while len(symbols) < total:
        if at + 2 > len(body):
            raise InvalidValueError(f"a transport-wide feedback message has {len(symbols)} statuses; expected {total}")
        [chunk] = struct.unpack_from("!H", body, at)
        at += 2
        if not chunk & 0x8000:
            symbols += [chunk >> 13 & 3] * min(chunk & 0x1FFF, total - len(symbols))
            if not chunk & 0x1FFF:
                raise InvalidValueError("a transport-wide feedback message has a run of 0 statuses; expected at least 1")
        elif chunk & 0x4000:
            symbols += [chunk >> shift & 3 for shift in range(12, -1, -2)]
        else:
            symbols += [chunk >> shift & 1 for shift in range(13, -1, -1)]
    # 24 bits, signed, in units of 64 ms; deltas are in units of 250 us.
    ticks = ((reference >> 8) - (1 << 24 if reference >> 31 else 0)) * 256
    arrivals: list[Optional[float]] = []
    for symbol in symbols[:total]:
        size = (0, 1, 2, 0)[symbol]
        if at + size > len(body):
            raise InvalidValueError(f"a transport-wide feedback message has {len(body)} bytes; expected more arrival times")
        if symbol == 1:
            ticks += body[at]
        elif symbol == 2:
            ticks += struct.unpack_from("!h", body, at)[0]
        at += size
        arrivals.append(ticks / 4000 if symbol else None)
    return TransportFeedback(base, reference & 0xFF, tuple(arrivals))


def receiver_time_reply(ssrc: int, report: ReceiverTime, delay: float) -> bytes:
    """Returns the answer to a :class:`ReceiverTime`, from which the receiver computes the round trip (RFC 3611 4.5).

    :param ssrc: the SSRC of the sender.
    :param delay: the time from the arrival of ``report`` to this answer, in seconds.
    """
    ticks = min(max(int(delay * 65_536), 0), 0xFFFFFFFF)
    return struct.pack("!BBHLBBHLLL", 0x80, _EXTENDED_REPORT, 5, ssrc, 5, 0, 3, report.ssrc, report.time, ticks)
