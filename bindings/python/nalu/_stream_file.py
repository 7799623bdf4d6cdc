"""Output files for raw streams, written without FFmpeg."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterator
from typing import Any, Callable

from . import _paths


@contextlib.contextmanager
def opened(file: Any, overwrite: bool) -> Iterator[Callable[[bytes], None]]:
    """Opens a path for writing, and yields a function that writes bytes.

    A new file is written in place, and can be read while it grows. An existing file is replaced when the block ends, and not if
    the block raises; until then the old content can be read.
    """
    _paths.check_output(file, overwrite)
    with contextlib.ExitStack() as stack:
        try:
            raw = stack.enter_context(_replacement(file)) if os.path.isfile(file) else stack.enter_context(_in_place(file))
        except OSError as error:
            raise _paths.error(error.errno, f"{os.fsdecode(file)} cannot be written: {error.strerror}", file) from None

        def write(data: bytes) -> None:
            try:
                raw.write(data)
            except OSError as error:
                raise _paths.error(error.errno, f"{os.fsdecode(file)} cannot be written: {error.strerror}", file) from None

        yield write


@contextlib.contextmanager
def _in_place(file: Any) -> Iterator[Any]:
    # "xb" refuses a file created meanwhile; pipes and devices exist already and need "wb".
    created = _paths.Created(file)
    try:
        with open(file, "wb" if os.path.exists(file) else "xb", buffering=0) as raw:
            yield _Whole(raw)
    except BaseException:
        created.remove_empty()
        raise


@contextlib.contextmanager
def _replacement(file: Any) -> Iterator[Any]:
    import tempfile

    target = os.path.realpath(file)
    before = os.stat(target)
    process = os.getpid()
    # Raises for a file without write permission, which must not be replaced.
    open(target, "ab").close()
    try:
        descriptor, hidden = tempfile.mkstemp(prefix=b".nalu-", dir=os.fsencode(os.path.dirname(target)))
    except PermissionError:
        with open(target, "wb", buffering=0) as raw:
            yield _Whole(raw)
        return
    try:
        with open(descriptor, "wb", buffering=0) as raw:
            with contextlib.suppress(OSError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
            yield _Whole(raw)
            os.fsync(descriptor)
        os.replace(hidden, os.fsencode(target))
    except BaseException:
        # A forked child leaves the parent's file alone.
        if os.getpid() == process:
            with contextlib.suppress(OSError):
                os.unlink(hidden)
        raise


class _Whole:
    """Writes all bytes: the write method of a raw file may accept only some of them."""

    __slots__ = ("_raw",)

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def write(self, data: bytes) -> None:
        write_all(self._raw, data)


def write_all(file: Any, data: bytes) -> None:
    """Writes all bytes to a file: its write method may accept only some of them, and returns how many."""
    while True:
        count = file.write(data)
        if count is None and isinstance(file, io.RawIOBase):
            raise BlockingIOError(errno.EAGAIN, "the file is in non-blocking mode and full")
        # The write methods of some file-like objects return nothing, and then accept everything.
        if not isinstance(count, int) or isinstance(count, bool) or count >= len(data):
            return
        if count <= 0:
            raise OSError(errno.EIO, f"write() of the file accepted {count} of {len(data)} bytes")
        data = data[count:]


__all__ = ["opened", "write_all"]
