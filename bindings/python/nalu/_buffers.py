"""The memory of frames: address, shape and strides of anything with the buffer protocol."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _arrays
from .errors import InvalidValueError, WrongTypeError


class _PyBuffer(ctypes.Structure):
    """Py_buffer of CPython's stable ABI."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_get_buffer.restype = ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_PyBuffer)]
_release_buffer.restype = None
#: PyBUF_RECORDS_RO: strides and format, and the memory need not be writable.
_RECORDS_RO = 0x1C


class View:
    """One buffer, held until it is released: address, shape, the strides in bytes, the size of an item.

    Rows go downwards without overlap, and each row is contiguous; a buffer with another layout is copied. ``what`` is the
    buffer's name in error messages.
    """

    __slots__ = ("_buffer", "_memory", "address", "item_bytes", "shape", "stride")

    def __init__(self, owner: Any, what: str = "the frame") -> None:
        self._buffer: Optional[_PyBuffer] = None
        try:
            memory = memoryview(owner)
        except (TypeError, ValueError, BufferError):
            memory = _memory(owner, what)
        try:
            _check_items(memory, what)
            if memory.nbytes == 0:
                raise InvalidValueError(f"{what} is empty: its shape is {memory.shape}")
        except BaseException:
            memory.release()
            raise
        if not _has_whole_rows(memory):
            memory = _contiguous(memory)
        buffer = _PyBuffer()
        _get_buffer(memory, ctypes.byref(buffer), _RECORDS_RO)
        self._memory = memory
        self._buffer = buffer
        self.address: int = buffer.buf
        self.shape: tuple[int, ...] = memory.shape or (1,)
        self.item_bytes: int = memory.itemsize
        #: Bytes from one row to the next.
        self.stride: int = self.row_bytes
        if memory.strides and len(self.shape) > 1 and self.shape[0] > 1:
            self.stride = memory.strides[0]

    @property
    def row_bytes(self) -> int:
        size = self.item_bytes
        for count in self.shape[1:]:
            size *= count
        return size

    @property
    def size(self) -> int:
        """The number of bytes from the first byte to the last."""
        return (self.shape[0] - 1) * self.stride + self.row_bytes

    def copied(self) -> "View":
        """Returns a copy without gaps between rows, and releases this view."""
        if self._buffer is not None:
            _release_buffer(ctypes.byref(self._buffer))
            self._buffer = None
        return View(_contiguous(self._memory))

    def release(self) -> None:
        """Releases the memory."""
        if self._buffer is not None:
            _release_buffer(ctypes.byref(self._buffer))
            self._buffer = None
            self._memory.release()

    def __del__(self) -> None:
        if getattr(self, "_buffer", None) is not None:
            self.release()


def _check_items(memory: memoryview, what: str) -> None:
    kind = memory.format
    if kind in ("B", "c", "<B", "|B") or kind in ("H", "<H", "=H", "@H"):
        return
    hint = ""
    if kind[-1:] in ("f", "d", "e"):
        hint = "; with numpy, arrays of RGB and grey may have floats of 0 to 1"
    elif kind[-1:] == "?":
        hint = "; a mask becomes that by (frame * 255).astype('uint8')"
    elif kind[-1:] in tuple("bhilqILQ"):
        hint = "; values of 0 to 255 become that by frame.astype('uint8')"
    raise WrongTypeError(
        f"{what} has items of format {kind!r} ({memory.itemsize} bytes each); expected dtype uint8, or uint16 in "
        f"native byte order for the 10-bit formats{hint}"
    )


def _has_whole_rows(memory: memoryview) -> bool:
    """Returns whether rows go downwards without overlap, and each row is contiguous."""
    if memory.c_contiguous:
        return True
    shape, strides = memory.shape or (), memory.strides or ()
    if memory.suboffsets or len(shape) < 2:
        return False
    size = memory.itemsize
    for count, stride in zip(reversed(shape[1:]), reversed(strides[1:])):
        if stride != size:
            return False
        size *= count
    return strides[0] >= size


def _contiguous(memory: memoryview) -> memoryview:
    """Returns a copy without gaps, and releases the memory."""
    data, shape = memoryview(memory.tobytes()), memory.shape or ()
    wide = memory.itemsize > 1
    memory.release()
    return data.cast("H", shape) if wide else data.cast("B", shape)


def _memory(owner: Any, what: str) -> "memoryview[Any]":
    values = _arrays.array(owner, what)
    try:
        return memoryview(values)
    except (TypeError, ValueError, BufferError) as error:
        raise WrongTypeError(f"{what} is {type(owner).__name__}, which cannot be read as an array: {error}") from error
