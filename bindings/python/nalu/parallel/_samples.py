"""Samples as bytes, to travel between processes, and back."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator
from typing import NamedTuple

from .. import _ffi
from .._handles import check
from ..errors import InvalidValueError
from ..format_description import FormatDescription
from ..sample import Sample
from ..time import Time

_MAGIC = b"nalu samples 1\n"
_SIZE = struct.Struct("<I")
#: Value and timescale of presentation time, duration and decode time; attachments; size. No duration: timescale 0.
_RECORD = struct.Struct("<qiqiqiII")


class Packed(NamedTuple):
    """One sample that travels."""

    data: bytes
    pts: Time
    duration: "Time | None"
    dts: Time
    attachments: int

    def sample(self, format_description: FormatDescription, dts: Time) -> Sample:
        """A sample again, which may be decoded at another time than before."""
        out = _ffi.nalu_sample_p()
        check(
            _ffi.lib.nalu_sample_create(
                self.data,
                len(self.data),
                format_description._pointer,
                self.pts._native(),
                _ffi.NO_TIME if self.duration is None else self.duration._native(),
                dts._native(),
                self.attachments,
                ctypes.byref(out),
            )
        )
        return Sample(out)


def pack(samples: "list[Sample]") -> bytes:
    """Samples of one format."""
    avcc = samples[0].format_description.avcc
    pieces = [_MAGIC, _SIZE.pack(len(avcc)), avcc]
    for sample in samples:
        pts, dts, duration = sample.pts, sample.dts, sample.duration
        lasting = (0, 0) if duration is None else (duration.value, duration.timescale)
        data = sample.data
        pieces.append(
            _RECORD.pack(
                pts.value, pts.timescale, *lasting, dts.value, dts.timescale, sample._attachments, len(data)
            )
        )
        pieces.append(data)
    return b"".join(pieces)


def unpack(data: bytes) -> "tuple[FormatDescription, Iterator[Packed]]":
    """What :func:`pack` made."""
    place = len(_MAGIC)
    if data[:place] != _MAGIC or len(data) < place + _SIZE.size:
        raise InvalidValueError("the data of a chunk are damaged, or of another version of this package")
    (size,) = _SIZE.unpack_from(data, place)
    place += _SIZE.size
    return FormatDescription.from_avcc(data[place : place + size]), _records(data, place + size)


def _records(data: bytes, place: int) -> Iterator[Packed]:
    while place < len(data):
        if place + _RECORD.size > len(data):
            raise InvalidValueError("the data of a chunk end too early")
        pts, scale, lasting, lasting_scale, dts, dts_scale, attachments, size = _RECORD.unpack_from(data, place)
        place += _RECORD.size
        if place + size > len(data):
            raise InvalidValueError("the data of a chunk end too early")
        duration = Time(lasting, lasting_scale) if lasting_scale else None
        yield Packed(data[place : place + size], Time(pts, scale), duration, Time(dts, dts_scale), attachments)
        place += size
