"""The output of a session: the C output queue, and the Python objects kept for each pending frame."""

from __future__ import annotations

import ctypes
import itertools
import os
from typing import Any, Optional

from . import _ffi
from ._handles import Unique, check, text
from .errors import EncodingError
from .sample import Sample

_next = _ffi.fast.nalu_output_queue_next
_waiting_next = _ffi.lib.nalu_output_queue_next
_output_size = ctypes.sizeof(_ffi.nalu_output)


class Closed(Exception):
    """Raised when the queue is closed and empty."""


class Outputs(Unique):
    """The output queue of one session. Any thread may call any method."""

    __slots__ = ("__weakref__", "_frames", "_process", "numbers", "pointer", "session_pointer")

    def __init__(self) -> None:
        out = _ffi.nalu_output_queue_p()
        self._process = os.getpid()
        self.pointer: Any = None
        check(_ffi.lib.nalu_output_queue_create(ctypes.byref(out)))
        self.pointer = out
        #: The session's handle, for error messages; this object releases it.
        self.session_pointer: Any = None
        #: Numbers for frames, from 1 on; C stores a frame's number as its refcon.
        self.numbers = itertools.count(1)
        self._frames: dict[int, tuple[Any, Any]] = {}

    def keep(self, number: int, tag: Any, planes: Any) -> None:
        """Keeps a frame's tag, and its memory if the session reads it, until the frame is delivered."""
        self._frames[number] = (tag, planes)

    def forget(self, number: int) -> None:
        """Drops the tag and memory of a frame that was not accepted."""
        self._frames.pop(number, None)

    def forget_all(self) -> None:
        """Releases the memory of all frames after the session has ended."""
        for _, planes in self._frames.values():
            if planes is not None:
                planes.release()

    def receive(self, timeout: float = 0) -> Optional[tuple[Optional[Sample]]]:
        """Returns the next delivered frame as a tuple of its sample; the sample is None for a dropped frame.

        Returns None if no frame is delivered within ``timeout`` seconds; a negative timeout waits without limit. Raises Closed
        at the end, and EncodingError for a frame that failed.
        """
        output = _ffi.nalu_output(_output_size)
        status = (_waiting_next if timeout else _next)(self.pointer, timeout, output)
        if status == _ffi.WOULD_BLOCK:
            return None
        if status == _ffi.VALUE_NOT_AVAILABLE:
            raise Closed
        check(status)
        sample = output.sample
        tag, planes = self._frames.pop(output.frame_refcon, (None, None)) if self._frames else (None, None)
        if planes is not None:
            planes.release()
        if sample:
            return (Sample(sample, tag),)
        if output.status and not output.info_flags & _ffi.ENCODE_INFO_FRAME_DROPPED:
            raise self._failure(output.status)
        return (None,)

    @property
    def is_of_this_process(self) -> bool:
        """Whether the session belongs to this process. A forked child has none of the session's threads."""
        return self._process == os.getpid()

    def __len__(self) -> int:
        return int(_ffi.fast.nalu_output_queue_get_count(self.pointer))

    @property
    def file_descriptor(self) -> int:
        return int(_ffi.fast.nalu_output_queue_get_file_descriptor(self.pointer))

    def _failure(self, status: int) -> EncodingError:
        copy = _ffi.lib.nalu_compression_session_copy_last_error
        name = _ffi.fast.nalu_status_string(status).decode("ascii")
        message = ""
        if self.session_pointer:
            message = text(lambda buffer, capacity, size: copy(self.session_pointer, buffer, capacity, size))
        return EncodingError(message or f"the frame could not be encoded: {name}", status, name)

    def __del__(self) -> None:
        if self.pointer and self.is_of_this_process:
            # The session's release waits for its thread, and the queue must outlive the session.
            if self.session_pointer:
                _ffi.lib.nalu_compression_session_release(self.session_pointer)
            self.forget_all()
            _ffi.lib.nalu_output_queue_release(self.pointer)
