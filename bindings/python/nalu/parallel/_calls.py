"""The C functions for chunks, with the sources, chunks and results of this package."""

from __future__ import annotations

import contextlib
import ctypes
import os
import tempfile
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Callable, Optional

from .. import _ffi as _core
from .._handles import check, encoded, filled
from ..formats import named
from ..frames import Planes, describe
from ..media import _ffi
from ._sources import File, Frames, Source

if TYPE_CHECKING:
    from ._plan import Chunk


class Result:
    """A nalu_chunk_result."""

    def __init__(self, pointer: Any) -> None:
        self.pointer = pointer
        self.info = _ffi.nalu_chunk_result_info(ctypes.sizeof(_ffi.nalu_chunk_result_info))
        check(_ffi.library().fast.nalu_chunk_result_get_info(pointer, self.info))

    @classmethod
    def from_data(cls, data: bytes) -> "Result":
        out = _ffi.nalu_chunk_result_p()
        check(_ffi.library().lib.nalu_chunk_result_create_with_data(data, len(data), ctypes.byref(out)))
        return cls(out)

    def data(self) -> bytes:
        copy = _ffi.library().lib.nalu_chunk_result_copy_data
        return filled(lambda buffer, capacity, size: copy(self.pointer, buffer, capacity, size))

    def take(self) -> Any:
        """Returns the pointer with its reference."""
        pointer, self.pointer = self.pointer, None
        return pointer

    def __del__(self) -> None:
        if getattr(self, "pointer", None) is not None:
            _ffi.library().fast.nalu_chunk_result_release(self.pointer)


class Callbacks:
    """Python functions that C calls. An exception cannot pass through C, so it is stored, and :meth:`check` raises it."""

    def __init__(self) -> None:
        self._failure: Optional[BaseException] = None
        self._kept: list[Any] = []
        #: The callbacks of open files, which keep the exceptions of the files.
        self.files: list[Any] = []

    def function(self, kind: Any, call: Callable[..., Any], failed: int = _core.PARAMETER) -> Any:
        """Returns the address of a C function that calls ``call``. The C function returns 0, or ``failed`` after an exception."""

        def guarded(*arguments: Any) -> int:
            try:
                call(*arguments)
            except BaseException as error:
                self._failure = self._failure or error
                return failed
            return 0

        made = kind(guarded)
        self._kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p)

    def check(self, status: int) -> None:
        failure, self._failure = self._failure, None
        if status:
            for file in self.files:
                file.raise_failure()
            if failure is not None:
                raise failure
        check(status)


class _FrameMemory:
    """The planes of the frame that C is reading."""

    def __init__(self, source: Frames) -> None:
        self._source = source
        self._format = None if source.format is None else named(source.format)
        self._planes: Optional[Planes] = None

    def fill(self, refcon: Any, index: int, out: Any) -> None:
        self.release()
        planes = self._planes = describe(self._source.function(index), self._format, self._source.size)
        frame = out[0]
        frame.width, frame.height, frame.format = planes.width, planes.height, planes.format.code
        frame.plane_count = planes.format.planes
        for plane in range(planes.format.planes):
            frame.planes[plane] = planes.pointers[plane]
            frame.strides[plane] = planes.strides[plane]
            frame.plane_sizes[plane] = planes.sizes[plane]

    def release(self) -> None:
        planes, self._planes = self._planes, None
        if planes is not None:
            planes.release()


@contextlib.contextmanager
def opened(source: Source) -> "Iterator[tuple[_ffi.nalu_chunk_source, Callbacks]]":
    """Yields the C struct of a source, and its callbacks."""
    _ffi.library()
    native = _ffi.nalu_chunk_source(ctypes.sizeof(_ffi.nalu_chunk_source))
    with contextlib.ExitStack() as stack:
        callbacks = Callbacks()
        if isinstance(source, File):
            native.name = os.fsencode(source.address)

            def open_reader(refcon: Any, out: Any) -> None:
                reader = stack.enter_context(source.reader())
                if reader._callbacks is not None:
                    callbacks.files.append(reader._callbacks)
                out[0] = _ffi.library().fast.nalu_reader_retain(reader._pointer)

            native.open = callbacks.function(_ffi.chunk_open_callback, open_reader)
        else:
            memory = _FrameMemory(source)
            stack.callback(memory.release)
            native.format = 0 if source.format is None else named(source.format).code
            native.frame = callbacks.function(_ffi.chunk_frame_callback, memory.fill)
            native.frame_count = source.count
            rate = source.rate
            native.frame_rate_numerator, native.frame_rate_denominator = rate.numerator, rate.denominator
        yield native, callbacks


def native_chunk(chunk: "Chunk") -> "_ffi.nalu_chunk":
    """Returns the C struct of a chunk."""
    settings = chunk.settings
    native = _ffi.nalu_chunk(ctypes.sizeof(_ffi.nalu_chunk))
    native.flags = _ffi.CHUNK_SCALES if settings.scales else 0
    native.number, native.count, native.seconds = chunk.number, chunk.count, chunk.seconds
    if chunk.begin is not None:
        native.begin = chunk.begin._native()
    if chunk.end is not None:
        native.end = chunk.end._native()
    native.width, native.height, native.format = settings.width, settings.height, settings.format
    native.limit_count = len(settings.limits)
    for index, limit in enumerate(settings.limits):
        native.limits[index] = limit
    native.bit_rate, native.highest_rate = settings.bit_rate, settings.highest_rate or 0
    native.properties = encoded(settings.properties, "properties")
    return native


def encode(chunk: "Chunk", directory: Any, call: Callable[..., int], flags: int = 0) -> Result:
    """Calls the C function of a pass: ``call(source, chunk, options, result_out)``."""
    out = _ffi.nalu_chunk_result_p()
    options = _ffi.nalu_chunk_work_options(ctypes.sizeof(_ffi.nalu_chunk_work_options), flags)
    options.directory = os.fsencode(directory or tempfile.gettempdir())
    with opened(chunk.source) as (source, callbacks):
        if threading.current_thread() is threading.main_thread():
            # Python handles Ctrl-C only while it runs Python code of the main thread.
            options.progress = callbacks.function(_ffi.chunk_progress_callback, lambda refcon, share: None, 1)
        callbacks.check(call(source, native_chunk(chunk), options, ctypes.byref(out)))
    return Result(out)
