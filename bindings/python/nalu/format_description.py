"""What a decoder must know before the first sample."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import _ffi
from ._handles import Handle, check, lent_bytes
from .bitstream import BytesLike, SequenceInfo, borrowed, codec_string

_release = _ffi.fast.nalu_format_description_release


class FormatDescription(Handle):
    """Codec, size, colour and parameter sets of a stream. Immutable, and equal when every byte is."""

    __slots__ = ()

    @classmethod
    def from_parameter_sets(cls, parameter_sets: Sequence[BytesLike], length_size: int = 4) -> "FormatDescription":
        """From SPS and PPS NAL units, header bytes first."""
        sets = [borrowed(each) for each in parameter_sets]
        pointers = (ctypes.c_char_p * len(sets))(*sets)
        sizes = (ctypes.c_size_t * len(sets))(*[len(each) for each in sets])
        out = ctypes.c_void_p()
        check(
            _ffi.lib.nalu_format_description_create_from_parameter_sets(
                len(sets), pointers, sizes, length_size, ctypes.byref(out)
            )
        )
        assert out.value is not None
        return cls(out.value)

    @classmethod
    def from_avcc(cls, avcc: BytesLike) -> "FormatDescription":
        """From the content of an MP4 ``avcC`` box."""
        record = borrowed(avcc)
        out = ctypes.c_void_p()
        check(_ffi.lib.nalu_format_description_create_from_avcc(record, len(record), ctypes.byref(out)))
        assert out.value is not None
        return cls(out.value)

    @property
    def width(self) -> int:
        """Pixels, after cropping."""
        return int(_ffi.fast.nalu_format_description_get_width(self._pointer))

    @property
    def height(self) -> int:
        return int(_ffi.fast.nalu_format_description_get_height(self._pointer))

    @property
    def length_size(self) -> int:
        """Bytes of the length prefixes in the samples."""
        return int(_ffi.fast.nalu_format_description_get_length_size(self._pointer))

    @property
    def parameter_sets(self) -> list[bytes]:
        """SPS first, then PPS; header bytes first, no start codes."""
        count = _ffi.fast.nalu_format_description_get_parameter_set_count(self._pointer)
        get = _ffi.fast.nalu_format_description_get_parameter_set
        return [lent_bytes(get, self._pointer, index) for index in range(count)]

    @property
    def avcc(self) -> bytes:
        """The AVCDecoderConfigurationRecord: the content of an MP4 ``avcC`` box, a WebCodecs description."""
        return lent_bytes(_ffi.fast.nalu_format_description_get_avcc, self._pointer)

    @property
    def codec_string(self) -> str:
        """The codecs parameter of RFC 6381, for example ``avc1.64001f``."""
        return codec_string(self.parameter_sets[0])

    @property
    def sequence(self) -> SequenceInfo:
        """Everything that the first SPS says."""
        info = _ffi.nalu_sequence_info(ctypes.sizeof(_ffi.nalu_sequence_info))
        check(_ffi.fast.nalu_format_description_get_sequence_info(self._pointer, ctypes.byref(info)))
        return SequenceInfo._from(info)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return FormatDescription.from_avcc, (self.avcc,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FormatDescription):
            return NotImplemented
        return bool(_ffi.fast.nalu_format_description_equal(self._pointer, other._pointer))

    def __hash__(self) -> int:
        return hash(self.avcc)

    def __repr__(self) -> str:
        return f"<FormatDescription {self.codec_string} {self.width}x{self.height}>"

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and _release:
            _release(pointer)
