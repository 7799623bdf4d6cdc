"""The objects that sessions accept as frames, and the addresses of their planes.

A frame is anything with the buffer protocol (numpy arrays, memoryviews, bytes), anything that numpy makes an array of (tensors
in main memory, also with DLPack), a PIL image, a tuple of planes, or a decoded :class:`nalu.media.Frame`. The pixels are read
without a copy if each row is contiguous and rows go downwards; otherwise they are copied once.

Arrays of other types are converted to bytes: floats of 0 to 1 are scaled, and uint16 of RGB or grey lose their lower 8 bits.
The colour axis may be first, as in tensors: (3, height, width). PIL converts a PIL image from its mode to RGB or grey.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

from . import _arrays, _images
from ._buffers import View
from .errors import InvalidValueError, WrongTypeError
from .formats import FORMATS, PixelFormat

#: Address, bytes from one row to the next, total bytes.
_Plane = tuple[int, int, int]


class Planes:
    """The addresses of one frame's planes. The object holds their memory until it is released."""

    __slots__ = ("_views", "format", "height", "pointers", "sizes", "strides", "width")

    def __init__(self, format: PixelFormat, width: int, height: int, planes: list[_Plane], views: Sequence[Any]) -> None:
        count = len(planes)
        self.format = format
        self.width = width
        self.height = height
        self.pointers = (ctypes.c_void_p * count)(*[plane[0] for plane in planes])
        self.strides = (ctypes.c_int64 * count)(*[plane[1] for plane in planes])
        self.sizes = (ctypes.c_uint64 * count)(*[plane[2] for plane in planes])
        self._views = views

    def release(self) -> None:
        """Releases the frame's memory."""
        for view in self._views:
            view.release()


def describe(frame: Any, format: Optional[PixelFormat], size: Optional[tuple[int, int]]) -> Planes:
    """Returns the planes of a frame. ``size``: the session's width and height, for frames without a shape."""
    described = getattr(frame, "_described", None)
    if described is not None:
        return _decoded(frame, described(), format)
    views: list[View] = []
    try:
        if isinstance(frame, (tuple, list)):
            return _separate(frame, format, views)
        views.append(View(_pixels(frame, format)))
        return _whole(views, format or _guess(views[0].shape, size), size)
    except BaseException:
        for view in views:
            view.release()
        raise


def _pixels(frame: Any, format: Optional[PixelFormat]) -> Any:
    """Returns an object with the frame's pixels as a buffer: in nearly all cases the frame itself."""
    if isinstance(frame, (bytes, bytearray, memoryview)):
        return frame
    if _images.is_image(frame):
        frame = _images.converted(frame, format)
    if not hasattr(frame, "dtype") or not hasattr(frame, "transpose"):
        try:
            memoryview(frame).release()
            return frame
        except (TypeError, ValueError, BufferError):
            frame = _arrays.array(frame, "the frame")
    elif not hasattr(frame, "__array_interface__"):
        # The frame is a tensor of another library.
        frame = _arrays.array(frame, "the frame")
    return _arrays.as_bytes(frame, format)


def _decoded(frame: Any, planes: Planes, format: Optional[PixelFormat]) -> Planes:
    """Returns the planes of a :class:`nalu.media.Frame`, without a copy. ``format`` must be None or the frame's own."""
    if format is not None and format != planes.format:
        raise InvalidValueError(f"the frame has format {frame.format!r}, but format= is {format.name!r}; expected the same format, or no format=")
    return planes


def _guess(shape: Sequence[int], size: Optional[tuple[int, int]]) -> PixelFormat:
    """Returns the format that an array's shape implies; raises if the shape is ambiguous."""
    shape = tuple(shape)
    if len(shape) == 3 and shape[2] in (1, 3, 4):
        return FORMATS[{1: "gray", 3: "rgb", 4: "rgba"}[shape[2]]]
    if len(shape) == 2 and (size is None or shape[0] * 2 != size[1] * 3):
        return FORMATS["gray"]
    if len(shape) == 1:
        hint = "format=, for example 'bgr'" + (", and size=(width, height)" if size is None else "")
        raise InvalidValueError(f"the frame is bytes without a shape; pass {hint}")
    hint = "give format=, for example 'nv12' or 'i420'"
    if len(shape) == 3 and shape[0] in (1, 3, 4):
        hint = "colours come last, as by frame.transpose(1, 2, 0)"
    raise InvalidValueError(f"the frame's shape {shape} fits no single format; {hint}")


def _whole(views: list[View], format: PixelFormat, size: Optional[tuple[int, int]]) -> Planes:
    """Returns the planes of a frame in one buffer."""
    view = views[0]
    shape = view.shape
    if len(shape) == 1:
        return _flat(views, format, size)
    _check_item_bytes(view, format, "the frame")
    if format.planes == 1:
        height, width = _packed_size(shape, format)
        return Planes(format, width, height, [(view.address, view.stride, view.size)], views)
    stacked, rows = format.stacked_rows
    if len(shape) != 2 or shape[0] % stacked or shape[1] % format.chroma_columns:
        factor = {3: "* 3 / 2" if rows == 2 else "* 3", 2: "* 2"}[stacked]
        even = {(2, 2): " with even sizes", (2, 1): " with an even width"}.get((format.chroma_columns, format.chroma_rows), "")
        raise InvalidValueError(
            f"the frame's shape is {shape}; format {format.name!r} in one array is (height {factor}, width){even}, "
            "Y above chroma; other layouts are given as a tuple of planes"
        )
    height, width = shape[0] * rows // stacked, shape[1]
    if format.planes == 3 and view.stride != view.row_bytes:
        # Two rows of chroma share one row of the array. With gaps between rows, no stride can describe that.
        views[0] = view = view.copied()
    luma = (view.address, view.stride, height * view.stride)
    chroma = view.address + height * view.stride
    if format.planes == 2 and format.chroma_columns == 1:
        # A row of CbCr pairs is two rows of the array. With gaps between rows, no stride can describe that.
        if view.stride != view.row_bytes:
            views[0] = view = view.copied()
            luma = (view.address, view.stride, height * view.stride)
            chroma = view.address + height * view.stride
        return Planes(format, width, height, [luma, (chroma, 2 * view.stride, 2 * height * view.stride)], views)
    if format.planes == 2:
        return Planes(format, width, height, [luma, (chroma, view.stride, view.size - luma[2])], views)
    quarter = height * width // 4
    planes = [luma, (chroma, width // 2, quarter), (chroma + quarter, width // 2, quarter)]
    return Planes(format, width, height, planes, views)


def _packed_size(shape: tuple[int, ...], format: PixelFormat) -> tuple[int, int]:
    """Returns the height and width of a frame with one plane."""
    if len(shape) == 3 and shape[2] == format.pixel_bytes or len(shape) == 2 and format.pixel_bytes == 1:
        return shape[0], shape[1]
    if len(shape) == 2 and format.has_pairs and shape[1] % 4 == 0:
        return shape[0], shape[1] // 2
    channels = "" if format.pixel_bytes == 1 else f", {format.pixel_bytes}"
    raise InvalidValueError(f"the frame's shape is {shape}; format {format.name!r} has (height, width{channels})")


def _flat(views: list[View], format: PixelFormat, size: Optional[tuple[int, int]]) -> Planes:
    """Returns the planes of bytes without a shape: a frame of the session's size, without gaps between rows and planes."""
    if size is None:
        raise InvalidValueError("the frame is bytes without a shape; pass size=(width, height)")
    view = views[0]
    width, height = size
    half_width, half_height = format.chroma_size(width, height)
    if format.planes == 1:
        rows = [((half_width * 4 if format.has_pairs else width * format.pixel_bytes), height)]
    elif format.planes == 2:
        rows = [(width * format.item_bytes, height), (half_width * 2 * format.item_bytes, half_height)]
    else:
        rows = [(width, height), (half_width, half_height), (half_width, half_height)]
    needed = sum(row * count for row, count in rows)
    given = view.shape[0] * view.item_bytes
    if given != needed:
        raise InvalidValueError(
            f"the frame has {given} bytes; {width}x{height} in format {format.name!r} has {needed}; pass frames of "
            "another size as an array with a shape"
        )
    if view.address % format.item_bytes:
        views[0] = view = view.copied()
    planes: list[_Plane] = []
    address = view.address
    for row, count in rows:
        planes.append((address, row, row * count))
        address += row * count
    return Planes(format, width, height, planes, views)


def _separate(frame: Sequence[Any], format: Optional[PixelFormat], views: list[View]) -> Planes:
    """Returns the planes of a frame that is a sequence of planes."""
    if format is None:
        name = {2: "nv12", 3: "i420"}.get(len(frame))
        if name is None:
            raise InvalidValueError(f"the frame is a {type(frame).__name__} of {len(frame)}; expected 2 planes (nv12) or 3 (i420)")
        format = FORMATS[name]
    if len(frame) != format.planes:
        raise InvalidValueError(f"the frame has {len(frame)} planes; format {format.name!r} has {format.planes}")
    for number, plane in enumerate(frame):
        views.append(View(plane, f"plane {number}"))
        _check_item_bytes(views[number], format, f"plane {number}")
    if format.planes == 1:
        return _whole(views, format, None)
    if len(views[0].shape) != 2:
        raise InvalidValueError(f"plane 0 has the shape {views[0].shape}; expected (height, width)")
    height, width = views[0].shape
    half_width, half_height = format.chroma_size(width, height)
    expected: list[tuple[int, ...]] = [(half_height, half_width)]
    if format.planes == 2:
        expected = [(half_height, half_width * 2), (half_height, half_width, 2)]
    for number, view in enumerate(views[1:], 1):
        if view.shape not in expected:
            raise InvalidValueError(
                f"plane {number} has the shape {view.shape}; with a plane 0 of {(height, width)} expected "
                + " or ".join(map(str, expected))
            )
    return Planes(format, width, height, [(view.address, view.stride, view.size) for view in views], views)


def _check_item_bytes(view: View, format: PixelFormat, what: str) -> None:
    if view.item_bytes != format.item_bytes:
        dtypes = {1: "uint8", 2: "uint16"}
        hint = "" if view.item_bytes == 1 else "; values of 0 to 65535 become that by (frame >> 8).astype('uint8')"
        raise WrongTypeError(
            f"{what} has dtype {dtypes[view.item_bytes]}; format {format.name!r} has {dtypes[format.item_bytes]}{hint}"
        )
