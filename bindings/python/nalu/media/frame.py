"""Decoded frames."""

from __future__ import annotations

import ctypes
import importlib
import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from .. import _ffi
from .._attributes import Guessed
from .._handles import Handle
from ..errors import Error, InvalidValueError
from ..formats import FORMATS
from ..frames import Planes
from ..time import Time
from . import _ffi as _media
from ._signal import Signal

if TYPE_CHECKING:
    import numpy

_release = _ffi.lib.nalu_pixel_buffer_release
_FORMATS = {format.code: format for format in FORMATS.values()}


class _Plane:
    """The array interface of one plane, for numpy and others. The plane keeps the frame and its pixels alive."""

    __slots__ = ("__array_interface__", "_frame")

    def __init__(self, frame: "Frame", address: int, shape: tuple[int, ...], stride: int, item: int) -> None:
        self._frame = frame
        inner = (shape[2] * item, item) if len(shape) == 3 else (item,)
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1" if item == 1 else "=u2",
            "data": (address, not frame.is_writable),
            "shape": shape,
            "strides": (stride, *inner),
        }


class Origin(NamedTuple):
    """The source of a frame."""

    #: The path of the file; None for an open file.
    path: Any
    #: The rotation and mirroring of :class:`nalu.media.Track`.
    rotation: int
    is_mirrored: bool
    #: The pixel aspect ratio of the container; None if the container does not state it.
    aspect: Optional[tuple[int, int]] = None


class Frame(Guessed, Handle):
    """One decoded picture.

    ``array`` and ``numpy.asarray(frame)`` return the whole picture in one array: (height, width, 3) in RGB, without a copy.
    ``planes`` are the planes of YCbCr, without a copy. Sessions accept a frame for encoding. Any thread may use it. The pixels
    live as long as the frame or any array of them.
    """

    _remedies = {
        "to_ndarray": "array; read_video(format=) selects the format",
        "to_rgb": "read_video(format='rgb')",
        "dtype": "array.dtype",
        "data": "array, or planes",
    }

    __slots__ = ("_duration", "_flags", "_format", "_origin", "_pts", "_signal")

    def __init__(self, pointer: Any, pts: Time, duration: Time, flags: int) -> None:
        self._pointer = pointer
        self._pts = pts
        self._duration = duration
        self._flags = flags
        self._origin: Optional[Origin] = None
        self._signal: Optional[Signal] = None
        self._format = _FORMATS[_ffi.fast.nalu_pixel_buffer_get_pixel_format(pointer)]

    @property
    def width(self) -> int:
        """The width after cropping, in pixels."""
        return int(_ffi.fast.nalu_pixel_buffer_get_width(self._pointer))

    @property
    def height(self) -> int:
        return int(_ffi.fast.nalu_pixel_buffer_get_height(self._pointer))

    @property
    def format(self) -> str:
        """The name of the pixel format. A decoder without ``format=`` chooses the format without loss, such as ``"i420"``,
        ``"p010"`` for 10 bits or ``"nv16"`` for 4:2:2, with ``_full`` appended if the stream has full range."""
        return self._format.name

    @property
    def pts(self) -> Time:
        """The presentation time, exactly that of the sample."""
        return self._pts

    @property
    def time(self) -> float:
        """The presentation time in seconds."""
        return self._pts.seconds

    @property
    def duration(self) -> Optional[Time]:
        """The duration of the sample; None if the sample has none."""
        return self._duration if self._duration.is_numeric else None

    @property
    def rotation(self) -> int:
        """The degrees by which players rotate the frame clockwise: 0, 90, 180 or 270. Always 0 unless :func:`nalu.read_video`
        read the frame."""
        return 0 if self._origin is None else self._origin.rotation

    @property
    def is_mirrored(self) -> bool:
        """Whether players mirror the frame from left to right, before they rotate it."""
        return self._origin is not None and self._origin.is_mirrored

    @property
    def shape(self) -> "tuple[int, ...]":
        """The shape of ``array``."""
        if self._format.planes == 1:
            return (self.height, self.width, self._format.pixel_bytes)
        stacked, rows = self._format.stacked_rows
        return (self.height * stacked // rows, self.width)

    @property
    def is_damaged(self) -> bool:
        """Whether areas of the frame are wrong or concealed, because data were corrupt or missing, or because the frame may
        refer to such a picture."""
        return bool(self._flags & _media.DECODE_INFO_DAMAGED)

    @property
    def field_order(self) -> Optional[str]:
        """The earlier field of an interlaced picture: ``"top"``, with the first row, or ``"bottom"``; None for a progressive
        picture. H.264 only."""
        if not self._flags & _media.DECODE_INFO_INTERLACED:
            return None
        return "bottom" if self._flags & _media.DECODE_INFO_BOTTOM_FIELD_FIRST else "top"

    @property
    def properties(self) -> "dict[str, Any]":
        """The properties of a session that describe the picture, by name: ``ColorPrimaries``, ``TransferFunction`` and
        ``YCbCrMatrix`` as codes of ITU-T H.273, ``NaluChromaLocation``, ``PixelAspectRatio``, ``FieldCount`` and ``FieldDetail``,
        ``MasteringDisplayColorVolume``, ``ContentLightLevelInfo``.

        Sessions and writers use those of their first frame, unless the caller sets them. A name is missing if the stream does
        not state it; YCbCr frames of a stream without a matrix have that with which decoders convert to RGB. RGB frames have no
        chroma location, and scaled frames have no fields. Scaling changes a pixel aspect ratio other than 1:1. Empty for frames
        that no :class:`nalu.Decoder` and no :func:`nalu.read_video` returned.
        """
        return self._properties_at((self.width, self.height))

    def _properties_at(self, size: "tuple[int, int]") -> "dict[str, Any]":
        """Returns the properties of a session that scales the frame to ``size``."""
        if self._signal is None:
            return {}
        return self._signal.properties(
            size,
            is_rgb=self._format.planes == 1,
            field_order=self.field_order,
            aspect=None if self._origin is None else self._origin.aspect,
        )

    @property
    def is_writable(self) -> bool:
        """Whether the pixels may be changed. If not, later pictures refer to them, and the arrays are read-only."""
        return bool(self._flags & _media.DECODE_INFO_IMAGE_BUFFER_MODIFIABLE)

    @property
    def planes(self) -> "tuple[numpy.ndarray[Any, Any], ...]":
        """The planes as arrays, without a copy. ``"i420"`` has Y, Cb and Cr. ``"nv12"`` and ``"p010"`` have Y and interleaved
        CbCr of shape (height / 2, width / 2, 2). CbCr is (height, width / 2, 2) in 4:2:2, and (height, width, 2) in 4:4:4.
        Arrays of ``"p010"`` are uint16 with the value in the upper 10 bits. RGB has one plane. Rows may have gaps.
        """
        np = _numpy()
        return tuple(np.asarray(plane) for plane in self._plane_interfaces())

    @property
    def array(self) -> "numpy.ndarray[Any, Any]":
        """The whole picture in one array. RGB is (height, width, 3 or 4), without a copy. YCbCr is a copy with Y above chroma,
        as in a raw file: (height * 3 / 2, width) for 4:2:0, which needs even sizes; (height * 2, width) for 4:2:2, which needs
        an even width; (height * 3, width) for 4:4:4."""
        planes = self.planes
        if len(planes) == 1:
            return planes[0]
        if self.width % self._format.chroma_columns or self.height % self._format.chroma_rows:
            raise InvalidValueError(f"{self.width}x{self.height} in format {self.format!r} has no single array; use planes")
        whole: "numpy.ndarray[Any, Any]" = _numpy().concatenate([plane.reshape(-1) for plane in planes])
        return whole.reshape(-1, self.width)

    def __array__(self, dtype: Any = None, copy: Any = None) -> "numpy.ndarray[Any, Any]":
        """Returns ``array`` for numpy. ``copy``: True for memory of its own; False raises ValueError if a copy is needed; None
        copies only if needed. ``numpy.array(frame)`` passes True, and ``numpy.asarray(frame)`` passes None."""
        array = self.array
        is_copied = self._format.planes > 1
        if dtype is not None and array.dtype != dtype:
            array, is_copied = array.astype(dtype), True
        if copy is False and is_copied:
            what = f"one {array.dtype} array of a frame in format {self.format!r}"
            raise InvalidValueError(f"copy is False, but {what} is a copy; expected copy=None, or planes")
        return array.copy() if copy and not is_copied else array

    def __getitem__(self, place: Any) -> Any:
        """Returns ``array[place]``."""
        return self.array[place]

    def __dlpack__(self, **settings: Any) -> Any:
        # Older versions of numpy refuse DLPack for read-only memory, so that is copied.
        return (self.array if self.is_writable else self.array.copy()).__dlpack__(**settings)

    def __dlpack_device__(self) -> "tuple[int, int]":
        # The device type kDLCPU and the device number 0.
        return 1, 0

    def to_image(self) -> Any:
        """Returns a PIL image with a copy of the pixels. Needs PIL, and a frame in ``"rgb"`` or ``"rgba"``."""
        mode = {"rgb": "RGB", "rgba": "RGBA"}.get(self.format)
        if mode is None:
            raise InvalidValueError(f"the frame has format {self.format!r}; expected 'rgb', the default of read_video")
        try:
            image = importlib.import_module("PIL.Image")
        except ImportError:
            raise Error("images of frames need PIL; install the package pillow") from None
        return image.frombytes(mode, (self.width, self.height), b"".join(self._rows()))

    def _rows(self) -> "list[bytes]":
        """Returns the rows of a frame with one plane, without gaps."""
        interface: Any = self._plane_interfaces()[0].__array_interface__
        address, stride = interface["data"][0], interface["strides"][0]
        size = self.width * self._format.pixel_bytes
        return [ctypes.string_at(address + row * stride, size) for row in range(self.height)]

    def _repr_png_(self) -> Optional[bytes]:
        """Returns a PNG of an RGB frame, for notebooks, made without other packages; None for other formats."""
        kind = {"rgb": 2, "rgba": 6}.get(self.format)
        if kind is None:
            return None
        header = struct.pack(">2I5B", self.width, self.height, 8, kind, 0, 0, 0)
        # Each row of a PNG begins with the number of its filter; 0 is no filter.
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows()), 3)
        chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
        )

    def _plane_interfaces(self) -> list[_Plane]:
        get, count = _ffi.fast, int(_ffi.fast.nalu_pixel_buffer_get_plane_count(self._pointer))
        planes = []
        for index in range(count):
            shape: tuple[int, ...] = (
                get.nalu_pixel_buffer_get_plane_height(self._pointer, index),
                get.nalu_pixel_buffer_get_plane_width(self._pointer, index),
            )
            if count == 1:
                shape = (*shape, self._format.pixel_bytes)
            elif index == 1 and count == 2:
                shape = (*shape, 2)
            address = get.nalu_pixel_buffer_get_plane_base_address(self._pointer, index)
            stride = get.nalu_pixel_buffer_get_plane_stride(self._pointer, index)
            planes.append(_Plane(self, address, shape, stride, self._format.item_bytes))
        return planes

    def _described(self) -> Planes:
        """Returns the planes for a session."""
        places = []
        for plane in self._plane_interfaces():
            interface: Any = plane.__array_interface__
            height, stride = interface["shape"][0], interface["strides"][0]
            row = interface["shape"][1] * interface["strides"][1]
            places.append((interface["data"][0], stride, (height - 1) * stride + row))
        return Planes(self._format, self.width, self.height, places, [_Kept(self)])

    def __repr__(self) -> str:
        return f"<Frame {self.width}x{self.height} {self.format} pts={self.pts.seconds:.6g} s>"

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and _release:
            _release(pointer)


class _Kept:
    """Keeps a frame alive until Planes releases it."""

    __slots__ = ("_frame",)

    def __init__(self, frame: Frame) -> None:
        self._frame: Optional[Frame] = frame

    def release(self) -> None:
        self._frame = None


def _numpy() -> Any:
    try:
        return importlib.import_module("numpy")
    except ModuleNotFoundError:
        raise Error("arrays of frames need numpy; install it") from None
    except ImportError as error:
        raise Error(f"arrays of frames need numpy, which cannot be imported: {error}") from error


__all__ = ["Frame"]
