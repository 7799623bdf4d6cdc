"""Format descriptions: the data that a decoder needs before the first sample."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from . import _ffi
from ._handles import Handle, check, lent_bytes
from .bitstream import BytesLike, SequenceInfo, borrowed, codec_string
from .errors import InvalidValueError, WrongTypeError

_release = _ffi.fast.nalu_format_description_release


class FormatDescription(Handle):
    """Codec, size, colour and parameter sets of a stream. Immutable. Two are equal if all bytes of their parameter sets are
    equal."""

    __slots__ = ()

    @classmethod
    def from_parameter_sets(
        cls, parameter_sets: Sequence[BytesLike], length_size: int = 4, codec: str = "h264"
    ) -> "FormatDescription":
        """Creates a format description from SPS and PPS NAL units, header bytes first; with ``codec="hevc"`` from VPS, SPS and
        PPS."""
        create = {
            "h264": _ffi.lib.nalu_format_description_create_from_parameter_sets,
            "hevc": _ffi.lib.nalu_format_description_create_from_hevc_parameter_sets,
        }.get(codec)
        if create is None:
            raise InvalidValueError(f"codec is {codec!r}; expected 'h264' or 'hevc'")
        sets = [borrowed(each) for each in parameter_sets]
        pointers = (ctypes.c_char_p * len(sets))(*sets)
        sizes = (ctypes.c_size_t * len(sets))(*[len(each) for each in sets])
        out = _ffi.nalu_format_description_p()
        check(create(len(sets), pointers, sizes, length_size, ctypes.byref(out)))
        return cls(out)

    @classmethod
    def from_avcc(cls, avcc: BytesLike) -> "FormatDescription":
        """Creates a format description from the content of an MP4 ``avcC`` box."""
        return cls._from_record(_ffi.lib.nalu_format_description_create_from_avcc, avcc)

    @classmethod
    def from_hvcc(cls, hvcc: BytesLike) -> "FormatDescription":
        """Creates a format description from the content of an MP4 ``hvcC`` box."""
        return cls._from_record(_ffi.lib.nalu_format_description_create_from_hvcc, hvcc)

    @classmethod
    def _from_record(cls, create: Any, content: BytesLike) -> "FormatDescription":
        record = borrowed(content)
        out = _ffi.nalu_format_description_p()
        check(create(record, len(record), ctypes.byref(out)))
        return cls(out)

    @property
    def codec(self) -> str:
        """``"h264"``, ``"hevc"`` or ``"aac"``."""
        codec = _ffi.fast.nalu_format_description_get_codec(self._pointer)
        return {_ffi.CODEC_HEVC: "hevc", _ffi.CODEC_AAC: "aac"}.get(codec, "h264")

    @property
    def width(self) -> int:
        """The width after cropping, in pixels; 0 for audio."""
        return int(_ffi.fast.nalu_format_description_get_width(self._pointer))

    @property
    def height(self) -> int:
        return int(_ffi.fast.nalu_format_description_get_height(self._pointer))

    @property
    def length_size(self) -> int:
        """The size of the length prefixes in the samples, in bytes: 1, 2 or 4; 0 for audio."""
        return int(_ffi.fast.nalu_format_description_get_length_size(self._pointer))

    @property
    def parameter_sets(self) -> list[bytes]:
        """The parameter sets: SPS, then PPS; for H.265 VPS, SPS, PPS, SEI. Each begins with its header byte, without a start
        code."""
        count = _ffi.fast.nalu_format_description_get_parameter_set_count(self._pointer)
        get = _ffi.fast.nalu_format_description_get_parameter_set
        return [lent_bytes(get, self._pointer, index) for index in range(count)]

    @property
    def avcc(self) -> bytes:
        """The AVCDecoderConfigurationRecord, for an MP4 ``avcC`` box or a WebCodecs description. Empty for H.265."""
        return lent_bytes(_ffi.fast.nalu_format_description_get_avcc, self._pointer)

    @property
    def hvcc(self) -> bytes:
        """The HEVCDecoderConfigurationRecord, for an MP4 ``hvcC`` box or a WebCodecs description. Empty for H.264."""
        return lent_bytes(_ffi.fast.nalu_format_description_get_hvcc, self._pointer)

    @property
    def sample_rate(self) -> int:
        """The audio frames per second; 0 for video."""
        return int(_ffi.fast.nalu_format_description_get_audio_sample_rate(self._pointer))

    @property
    def channel_count(self) -> int:
        """The audio channels; 0 for video."""
        return int(_ffi.fast.nalu_format_description_get_audio_channel_count(self._pointer))

    @property
    def audio_specific_config(self) -> bytes:
        """The AudioSpecificConfig of AAC, for an MP4 ``esds`` box or a WebCodecs description. Empty for video."""
        return lent_bytes(_ffi.fast.nalu_format_description_get_audio_specific_config, self._pointer)

    @property
    def codec_string(self) -> str:
        """The codecs parameter of RFC 6381, for example ``avc1.64001f``, ``hvc1.1.6.L93.90`` or ``mp4a.40.2``."""
        if self.codec == "aac":
            return "mp4a.40.2"
        return _hevc_codec_string(self.hvcc) if self.codec == "hevc" else codec_string(self.parameter_sets[0])

    @property
    def sequence(self) -> SequenceInfo:
        """The content of the first SPS."""
        info = _ffi.nalu_sequence_info(ctypes.sizeof(_ffi.nalu_sequence_info))
        check(_ffi.fast.nalu_format_description_get_sequence_info(self._pointer, ctypes.byref(info)))
        return SequenceInfo._from(info)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.codec == "aac":
            raise WrongTypeError("the format description of audio can be neither copied nor pickled; it belongs to its encoder")
        if self.codec == "hevc":
            return FormatDescription.from_hvcc, (self.hvcc,)
        return FormatDescription.from_avcc, (self.avcc,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FormatDescription):
            return NotImplemented
        return bool(_ffi.fast.nalu_format_description_equal(self._pointer, other._pointer))

    def __hash__(self) -> int:
        return hash(self.avcc or self.hvcc or self.audio_specific_config)

    def __repr__(self) -> str:
        if self.codec == "aac":
            return f"<FormatDescription {self.codec_string} {self.sample_rate} Hz, channels: {self.channel_count}>"
        return f"<FormatDescription {self.codec_string} {self.width}x{self.height}>"

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and _release:
            _release(pointer)


def _hevc_codec_string(hvcc: bytes) -> str:
    """Returns the codecs parameter of ISO/IEC 14496-15 annex E.3: profile, compatibility flags in reverse order, tier and
    level, constraints."""
    space = ("", "A", "B", "C")[hvcc[1] >> 6]
    compatible = int(f"{int.from_bytes(hvcc[2:6], 'big'):032b}"[::-1], 2)
    tier = "H" if hvcc[1] & 0x20 else "L"
    constraints = "".join(f".{byte:x}" for byte in hvcc[6:12].rstrip(b"\0"))
    return f"hvc1.{space}{hvcc[1] & 0x1F}.{compatible:x}.{tier}{hvcc[12]}{constraints}"
