"""Python files as libnalumedia's callbacks."""

from __future__ import annotations

import ctypes
import errno
import io
from typing import Any, Callable, Optional

from . import _ffi


class FileCallbacks:
    """The functions that C calls for one file; must live as long as C may call them.

    What the file raises cannot pass through C: it is kept, C sees an errno number, and the call that came from Python raises
    it again.
    """

    __slots__ = ("_failure", "_file", "_origin", "seek", "write")

    def __init__(self, file: Any) -> None:
        self._file = file
        self._failure: Optional[BaseException] = None
        #: Where the stream begins in the file.
        self._origin = 0
        self.write: Any = _ffi.write_callback(self._write)
        self.seek: Any = None
        if _is_seekable(file):
            self._origin = file.tell()
            self.seek = _ffi.seek_callback(self._seek)

    def raise_failure(self) -> None:
        """Raises what the file has raised; once."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def release(self) -> None:
        """Lets the file go: C calls nothing any more."""
        self._file = self.write = self.seek = None

    def _guarded(self, call: Callable[[], Any]) -> int:
        try:
            call()
        except BaseException as error:
            self._failure = error
            number = error.errno if isinstance(error, OSError) else None
            return number or errno.EIO
        return 0

    def _write(self, refcon: Any, address: int, size: int) -> int:
        # A copy: a file may keep what it is given.
        return self._guarded(lambda: self._write_all(ctypes.string_at(address, size)))

    def _write_all(self, data: bytes) -> None:
        """Everything: raw files may take a part."""
        taken = self._file.write(data)
        while isinstance(self._file, io.RawIOBase) and taken != len(data):
            if taken is None:
                raise BlockingIOError(errno.EAGAIN, "the file is in non-blocking mode and full")
            data = data[taken:]
            taken = self._file.write(data)

    def _seek(self, refcon: Any, offset: int) -> int:
        return self._guarded(lambda: self._file.seek(self._origin + offset))


def _is_seekable(file: Any) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable()) if callable(seekable) else hasattr(file, "seek") and hasattr(file, "tell")
