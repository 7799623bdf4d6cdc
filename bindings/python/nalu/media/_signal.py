"""The properties with which a session encodes the decoded pictures of a stream."""

from __future__ import annotations

import ctypes
import struct
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from .. import _ffi

if TYPE_CHECKING:
    from ..format_description import FormatDescription
    from ..sample import Sample

#: The code of ITU-T H.273 for "unspecified", and the codes of the matrices of BT.709 and BT.601.
_UNSPECIFIED, _BT709, _BT601 = 2, 1, 6
#: The codes of the matrices with which sessions convert RGB.
_CONVERTED = (1, 5, 6, 7, 9)
#: SEI payload types of ITU-T H.264 annex D and H.265 annex D, and the layouts of their payloads.
_MASTERING_DISPLAY, _CONTENT_LIGHT = 137, 144
_LAYOUTS = {_MASTERING_DISPLAY: struct.Struct(">8H2I"), _CONTENT_LIGHT: struct.Struct(">2H")}


class Signal(NamedTuple):
    """The description of a stream's pictures. Codes are those of ITU-T H.273."""

    #: The size of a picture after cropping, before any scaling.
    width: int
    height: int
    color_primaries: int
    transfer_characteristics: int
    matrix_coefficients: int
    #: 0 to 5; None if the stream does not state it, or is not 4:2:0.
    chroma_location: Optional[int]
    #: Width to height; None if not stated.
    pixel_aspect_ratio: Optional[tuple[int, int]]
    #: The numbers of the properties MasteringDisplayColorVolume and ContentLightLevelInfo.
    mastering_display: Optional[tuple[int, ...]]
    content_light: Optional[tuple[int, ...]]

    def properties(
        self, size: tuple[int, int], *, is_rgb: bool, field_order: Optional[str], aspect: Optional[tuple[int, int]]
    ) -> "dict[str, Any]":
        """Returns the properties of a session that encodes a picture at ``size``.

        :param aspect: the pixel aspect ratio of the container, which precedes that of the stream.
        """
        found: "dict[str, Any]" = {}
        if self.color_primaries not in (0, _UNSPECIFIED):
            found["ColorPrimaries"] = self.color_primaries
        if self.transfer_characteristics not in (0, _UNSPECIFIED):
            found["TransferFunction"] = self.transfer_characteristics
        is_scaled = size != (self.width, self.height)
        if not is_rgb:
            # The rule of decoders for a stream without a matrix. A session's own rule depends on the size of its pictures.
            assumed = _BT709 if self.height >= 720 else _BT601
            found["YCbCrMatrix"] = assumed if self.matrix_coefficients in (0, _UNSPECIFIED) else self.matrix_coefficients
            if self.chroma_location:
                found["NaluChromaLocation"] = self.chroma_location
        elif self.matrix_coefficients in _CONVERTED:
            found["YCbCrMatrix"] = self.matrix_coefficients
        shape = self._aspect(size, aspect or self.pixel_aspect_ratio)
        if shape is not None:
            found["PixelAspectRatio"] = shape
        # Scaling mixes the rows of both fields.
        if field_order is not None and not is_scaled:
            found["FieldCount"] = 2
            found["FieldDetail"] = "TemporalTopFirst" if field_order == "top" else "TemporalBottomFirst"
        if self.mastering_display is not None:
            found["MasteringDisplayColorVolume"] = self.mastering_display
        if self.content_light is not None:
            found["ContentLightLevelInfo"] = self.content_light
        return found

    def _aspect(self, size: tuple[int, int], aspect: Optional[tuple[int, int]]) -> Optional[tuple[int, int]]:
        """Returns the pixel aspect ratio of scaled pictures. Square pixels stay square, because whoever scales them to another
        shape asks for that; None then, and if the ratio is not known."""
        if aspect is None or 0 in aspect or aspect[0] == aspect[1]:
            return None
        shape = Fraction(aspect[0] * self.width * size[1], aspect[1] * self.height * size[0])
        if max(shape.numerator, shape.denominator) > 65535:
            shape = shape.limit_denominator(10_000)
        is_known = 0 < shape.numerator <= 65535 and shape != 1
        return (shape.numerator, shape.denominator) if is_known else None


class Signals:
    """The descriptions of one stream's pictures, in decode order, each with a number for the decoder's callback."""

    __slots__ = ("_address", "_format", "_last", "_levels", "_numbers", "all")

    def __init__(self) -> None:
        #: The descriptions; the number of the first is 1.
        self.all: "list[Signal]" = []
        self._numbers: "dict[Signal, int]" = {}
        #: The last sample's format description and its address. It is kept, so that no other gets the address.
        self._format: "Optional[FormatDescription]" = None
        self._address: Any = None
        self._levels: "dict[int, tuple[int, ...]]" = {}
        self._last = 0

    def number(self, sample: "Sample") -> int:
        """Returns the number of a sample's description."""
        address = _ffi.fast.nalu_sample_get_format_description(sample._pointer)
        address = ctypes.cast(address, ctypes.c_void_p).value
        is_other = address != self._address
        if not is_other and not _ffi.fast.nalu_sample_is_key_frame(sample._pointer):
            return self._last
        if is_other:
            self._format, self._address = sample.format_description, address
            self._levels = {}
            if self._format.codec == "hevc":
                for unit in self._format.parameter_sets:
                    self._look(unit, True)
        assert self._format is not None
        levels = dict(self._levels)
        self._look_at(sample, self._format.codec == "hevc")
        if is_other or levels != self._levels:
            self._last = self._noted(self._format)
        return self._last

    def _noted(self, format: "FormatDescription") -> int:
        info = format.sequence
        location = info.chroma_location if info.chroma_format_idc == 1 and info.chroma_location >= 0 else None
        signal = Signal(
            info.width,
            info.height,
            info.color_primaries,
            info.transfer_characteristics,
            info.matrix_coefficients,
            location,
            None if 0 in info.pixel_aspect_ratio else info.pixel_aspect_ratio,
            self._levels.get(_MASTERING_DISPLAY),
            self._levels.get(_CONTENT_LIGHT),
        )
        if signal not in self._numbers:
            self.all.append(signal)
            self._numbers[signal] = len(self.all)
        return self._numbers[signal]

    def _look_at(self, sample: "Sample", is_hevc: bool) -> None:
        """Reads the SEI messages before the first slice of a sample."""
        offset, size = ctypes.c_size_t(0), ctypes.c_size_t(0)
        while address := _ffi.fast.nalu_sample_next_nal(sample._pointer, ctypes.byref(offset), ctypes.byref(size)):
            first: int = ctypes.string_at(address, 1)[0]
            if (first >> 1 & 63) < 32 if is_hevc else (first & 31) in (1, 2, 5):
                return
            if (first >> 1 & 63) == 39 if is_hevc else (first & 31) == 6:
                self._look(ctypes.string_at(address, size.value), is_hevc)

    def _look(self, unit: bytes, is_hevc: bool) -> None:
        if is_hevc and (unit[0] >> 1 & 63) != 39:
            return
        # The emulation prevention bytes are removed.
        data = unit[2 if is_hevc else 1 :].replace(b"\0\0\3", b"\0\0")
        place = 0
        # A message has 2 bytes or more; the last byte of the NAL unit is the trailing bits.
        while place + 2 <= len(data):
            numbers = [0, 0]
            for index in range(2):
                while place < len(data) and data[place] == 255:
                    numbers[index] += 255
                    place += 1
                numbers[index] += data[place] if place < len(data) else 0
                place += 1
            layout = _LAYOUTS.get(numbers[0])
            if layout is not None and layout.size <= numbers[1] <= len(data) - place:
                self._levels[numbers[0]] = layout.unpack_from(data, place)
            place += numbers[1]
