"""Python files as callbacks of readers and writers."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import io
import os
import select
import stat
import threading
from typing import Any, Callable, Optional

from .. import _stream_file
from .._handles import Closable, check
from ..errors import InvalidValueError, WrongTypeError
from . import _ffi


class FileObject(Closable):
    """A reader or a writer, whose file can be a Python object. A forked child shares the position of the file with its parent, so
    it cannot use the parent's object."""

    __slots__ = ()
    _callbacks: Any
    _lock: Any
    _process: int

    @property
    def _exclusive(self) -> Any:
        """The lock for one call. Raises in a forked child, where nothing releases a lock that another thread of the parent held."""
        if not self._is_of_this_process:
            self._open()
        return self._lock

    @property
    def _is_of_this_process(self) -> bool:
        return self._process == os.getpid()

    def _open(self) -> Any:
        if self._pointer is not None and not self._is_of_this_process:
            raise InvalidValueError(
                f"the {self._name} belongs to another process, and this one was forked from it; open the file again after the fork"
            )
        return super()._open()

    def _check(self, status: int) -> None:
        """Raises the exception of the file, or that of the status."""
        if status and self._callbacks is not None:
            self._callbacks.raise_failure()
        check(status)


class _Callbacks:
    """The functions that C calls for one file. The object must live as long as C may call them.

    An exception of the file cannot pass through C. The object keeps it, C receives an errno number, and the Python method that
    called C raises the exception again.
    """

    __slots__ = ("_calling", "_failure", "_file", "_origin", "seek")

    def __init__(self, file: Any) -> None:
        self._file = file
        self._failure: Optional[BaseException] = None
        #: The thread that is executing a method of the file; 0 for none.
        self._calling = 0
        #: The file position at which the stream begins.
        self._origin = 0
        self.seek: Any = None
        if self._can_seek(file):
            self._origin = file.tell()
            self.seek = _ffi.seek_callback(self._seek)

    @staticmethod
    def _can_seek(file: Any) -> bool:
        return _is_seekable(file)

    @property
    def seek_pointer(self) -> Optional[ctypes.c_void_p]:
        return None if self.seek is None else ctypes.cast(self.seek, ctypes.c_void_p)

    def is_calling(self) -> bool:
        """Returns whether the calling thread is inside a method of the file."""
        return self._calling == threading.get_ident()

    def raise_failure(self) -> None:
        """Raises the file's exception, once."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def release(self) -> None:
        """Releases the file; C must not call the functions any more."""
        self._file = self.seek = None

    def _guarded(self, call: Callable[[], Any]) -> int:
        """Calls ``call``, and returns 0 or the errno number of its exception."""
        self._calling = threading.get_ident()
        try:
            call()
        except _Cancelled:
            return errno.ECANCELED
        except BaseException as error:
            self._failure = error
            number = error.errno if isinstance(error, OSError) else None
            return number or errno.EIO
        finally:
            self._calling = 0
        return 0

    def _seek(self, refcon: Any, offset: int) -> int:
        return self._guarded(lambda: self._file.seek(self._origin + offset))


class OutputCallbacks(_Callbacks):
    """Callbacks for an output file."""

    __slots__ = ("write",)

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.write: Any = _ffi.write_callback(self._write)

    @staticmethod
    def _can_seek(file: Any) -> bool:
        # A file in append mode writes at its end, whatever its position is.
        return _is_seekable(file) and not _appends(file)

    def release(self) -> None:
        super().release()
        self.write = None

    def _write(self, refcon: Any, address: int, size: int) -> int:
        # The data are copied, because a file may keep the bytes that it receives.
        return self._guarded(lambda: _stream_file.write_all(self._file, ctypes.string_at(address, size)))


class Pipe:
    """A named pipe for reading. Ctrl-C, and other signals whose handlers raise, end the wait for a writer and for data;
    ``is_cancelled`` ends the wait for data."""

    #: Milliseconds after which a wait notices a cancellation.
    _PATIENCE = 100

    def __init__(self, path: Any) -> None:
        self._file = open(path, "rb", buffering=0)
        self.is_cancelled = False

    def read(self, size: int) -> bytes:
        wait = select.poll()
        wait.register(self._file, select.POLLIN)
        while not wait.poll(self._PATIENCE):
            if self.is_cancelled:
                raise _Cancelled
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()


def is_pipe(path: Any) -> bool:
    """Returns whether a path is a named pipe."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class _Cancelled(Exception):
    """Raised by a pipe whose reader is cancelled. The library reports the cancellation itself."""


class InputCallbacks(_Callbacks):
    """Callbacks for an input file."""

    __slots__ = ("read", "size")

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.read: Any = _ffi.read_callback(self._read)
        #: The number of bytes from the stream's beginning; -1 if not known.
        self.size = -1
        if self.seek is not None:
            file.seek(0, io.SEEK_END)
            self.size = file.tell() - self._origin
            file.seek(self._origin)

    def release(self) -> None:
        super().release()
        self.read = None

    def _read(self, refcon: Any, address: int, size: int) -> int:
        taken: list[int] = []
        number = self._guarded(lambda: taken.append(self._read_some(address, size)))
        return -number if number else taken[0]

    def _read_some(self, address: int, size: int) -> int:
        data = self._file.read(size)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, "the file is in non-blocking mode and has nothing")
        if not isinstance(data, (bytes, bytearray)):
            raise WrongTypeError(f"read() of the file returned {type(data).__name__}; expected bytes from a file open for binary reading")
        if len(data) > size:
            raise InvalidValueError(f"read({size}) of the file returned {len(data)} bytes; expected at most {size}")
        ctypes.memmove(address, bytes(data), len(data))
        return len(data)


def _is_seekable(file: Any) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable()) if callable(seekable) else hasattr(file, "seek") and hasattr(file, "tell")


def _appends(file: Any) -> bool:
    """Returns whether the file is open in append mode, by its mode or by the flags of its descriptor."""
    mode = getattr(file, "mode", None)
    if isinstance(mode, str) and "a" in mode:
        return True
    raw = getattr(file, "raw", file)
    return isinstance(raw, io.FileIO) and bool(fcntl.fcntl(raw.fileno(), fcntl.F_GETFL) & os.O_APPEND)
