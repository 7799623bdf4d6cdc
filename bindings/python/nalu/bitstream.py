"""H.264 byte streams: NAL units, Annex B and length-prefixed form, sequence parameter sets.

Bytes may come from an untrusted source. Invalid bytes raise :class:`InvalidValueError`; nothing outside of them is read.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

from . import _ffi
from ._handles import check, filled
from .errors import InvalidValueError, WrongTypeError

#: The types that arguments with bytes accept.
BytesLike = Union[bytes, bytearray, memoryview]

__all__ = [
    "SequenceInfo",
    "annex_b_to_length_prefixed",
    "codec_string",
    "length_prefixed_to_annex_b",
    "nal_units",
    "parse_sps",
]


def borrowed(data: BytesLike) -> bytes:
    """Returns ``bytes`` for C; data of another type are copied."""
    if isinstance(data, bytes):
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise WrongTypeError(f"the data is {type(data).__name__}; expected bytes") from None


def nal_units(data: BytesLike, length_size: Optional[int] = None) -> Iterator[bytes]:
    """Yields the NAL units of a stream, header byte first.

    :param length_size: None for Annex B; 1, 2 or 4 for data with length prefixes of that many bytes.

    >>> [unit[0] & 31 for unit in nal_units(bytes.fromhex("0000000165880000 00000168ce".replace(" ", "")))]
    [5, 8]
    """
    data = borrowed(data)
    offset, size, unit = ctypes.c_size_t(0), ctypes.c_size_t(0), ctypes.c_void_p()
    while True:
        if length_size is None:
            status = _ffi.fast.nalu_annex_b_next(
                data, len(data), ctypes.byref(offset), ctypes.byref(unit), ctypes.byref(size)
            )
        else:
            status = _ffi.fast.nalu_length_prefixed_next(
                data, len(data), length_size, ctypes.byref(offset), ctypes.byref(unit), ctypes.byref(size)
            )
        if status == _ffi.VALUE_NOT_AVAILABLE:
            return
        check(status)
        assert unit.value is not None
        yield ctypes.string_at(unit.value, size.value)


def annex_b_to_length_prefixed(data: BytesLike, length_size: int = 4) -> bytes:
    """Rewrites Annex B with length prefixes of ``length_size`` (1, 2 or 4) bytes.

    >>> annex_b_to_length_prefixed(bytes([0, 0, 1, 0x65, 0x88])).hex()
    '000000026588'
    """
    return _rewritten(_ffi.lib.nalu_annex_b_to_length_prefixed, data, length_size)


def length_prefixed_to_annex_b(data: BytesLike, length_size: int = 4) -> bytes:
    """Rewrites length-prefixed data as Annex B with start codes of 4 bytes.

    >>> length_prefixed_to_annex_b(bytes([0, 2, 0x65, 0x88]), length_size=2).hex()
    '000000016588'
    """
    return _rewritten(_ffi.lib.nalu_length_prefixed_to_annex_b, data, length_size)


def _rewritten(function: Any, data: BytesLike, length_size: int) -> bytes:
    data = borrowed(data)
    return filled(
        lambda buffer, capacity, size: function(data, len(data), length_size, buffer, capacity, size), len(data) + 64
    )


class SequenceInfo(NamedTuple):
    """The content of a sequence parameter set: the fields of nalu_sequence_info in bitstream.h."""

    profile_idc: int
    constraint_flags: int
    level_idc: int
    chroma_format_idc: int
    luma_bit_depth: int
    chroma_bit_depth: int
    coded_width: int
    coded_height: int
    width: int
    height: int
    crop_left: int
    crop_top: int
    crop_right: int
    crop_bottom: int
    frame_mbs_only: int
    max_num_ref_frames: int
    pic_order_cnt_type: int
    pixel_aspect_ratio: tuple[int, int]
    video_full_range: bool
    color_primaries: int
    transfer_characteristics: int
    matrix_coefficients: int
    fixed_frame_rate: bool
    reorder_depth: int
    max_dec_frame_buffering: int
    time_scale: int
    num_units_in_tick: int
    nal_hrd: bool
    chroma_location: int

    @classmethod
    def _from(cls, info: Any) -> "SequenceInfo":
        values = {name: getattr(info, name) for name in cls._fields if name != "pixel_aspect_ratio"}
        for name in ("video_full_range", "fixed_frame_rate", "nal_hrd"):
            values[name] = bool(values[name])
        values["pixel_aspect_ratio"] = (info.pixel_aspect_ratio_horizontal, info.pixel_aspect_ratio_vertical)
        return cls(**values)


def parse_sps(unit: BytesLike) -> SequenceInfo:
    """Reads one H.264 SPS NAL unit, header byte first."""
    unit = borrowed(unit)
    info = _ffi.nalu_sequence_info(ctypes.sizeof(_ffi.nalu_sequence_info))
    check(_ffi.fast.nalu_parse_sequence_parameter_set(unit, len(unit), ctypes.byref(info)))
    return SequenceInfo._from(info)


def codec_string(sps: BytesLike) -> str:
    """Returns the RFC 6381 codecs parameter of an SPS NAL unit, for browsers and HLS playlists.

    >>> codec_string(bytes.fromhex("6764001facd9405005bb"))
    'avc1.64001f'
    """
    sps = borrowed(sps)
    if len(sps) < 4 or sps[0] & 31 != 7:
        raise InvalidValueError(f"sps has {len(sps)} bytes; expected an SPS NAL unit of at least 4 bytes")
    return "avc1." + sps[1:4].hex()
