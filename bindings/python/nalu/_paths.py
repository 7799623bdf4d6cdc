"""Paths of files: conversion, checks and exceptions."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Any, Optional

from .errors import (
    InputOutputError,
    InvalidValueError,
    IsDirectoryError,
    NoSuchFileError,
    OutputExistsError,
    PermissionDeniedError,
)

#: The longest path that Linux accepts, with its NUL.
_PATH_MAX = 4096
_KINDS: "dict[int, type[InputOutputError]]" = {
    errno.ENOENT: NoSuchFileError,
    errno.ENOTDIR: NoSuchFileError,
    errno.EISDIR: IsDirectoryError,
    errno.EEXIST: OutputExistsError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
}


def is_path(file: Any) -> bool:
    return isinstance(file, (str, bytes, os.PathLike))


def as_bytes(file: Any) -> bytes:
    """Returns a path as bytes for the system. Refuses bytes that are the content of a file."""
    path = os.fsencode(file)
    if isinstance(file, bytes) and (b"\0" in path or len(path) >= _PATH_MAX):
        raise InvalidValueError(f"the file is {len(path)} bytes of data; expected a path, or io.BytesIO(data)")
    if b"\0" in path:
        raise InvalidValueError(f"the path is {_shown(file)!r}; expected a path without NUL characters")
    return path


def _shown(file: Any) -> str:
    text = os.fsdecode(file)
    return text if len(text) <= 100 else f"{text[:100]}\u2026"


def error(number: Optional[int], message: str, file: Any) -> InputOutputError:
    """Returns the exception for an errno number, with ``errno`` and ``filename`` as in Python's own OSError."""
    made = _KINDS.get(number or 0, InputOutputError)(message)
    made.errno = number
    made.strerror = None if number is None else os.strerror(number)
    made.filename = os.fspath(file)
    return made


def unreadable(failure: InputOutputError, file: Any) -> InputOutputError:
    """Returns the library's failure to open a file as the type of exception that Python's ``open`` raises."""
    try:
        if not os.path.isdir(file):
            open(file, "rb").close()
            return failure
        return error(errno.EISDIR, f"{_shown(file)} is a directory; expected the path of a file", file)
    except OSError as cause:
        return error(cause.errno, failure.message, file)


def check_output(file: Any, overwrite: bool) -> None:
    """Raises an exception if a file cannot be written to the path: a directory, a missing directory, an existing file."""
    as_bytes(file)
    shown = _shown(file)
    try:
        mode: Optional[int] = os.stat(file).st_mode
    except (FileNotFoundError, NotADirectoryError):
        mode = None
    except OSError as cause:
        raise error(cause.errno, f"{shown} cannot be written: {cause.strerror}", file) from None
    if mode is None:
        directory = os.path.dirname(os.path.abspath(os.fsdecode(file)))
        if not os.path.isdir(directory):
            raise error(errno.ENOENT, f"{shown} cannot be written: there is no directory {_shown(directory)}; make it first", file)
    elif stat.S_ISDIR(mode):
        raise error(errno.EISDIR, f"{shown} is a directory; expected the path of a file in it", file)
    if not overwrite and (os.path.islink(file) if mode is None else stat.S_ISREG(mode)):
        raise error(errno.EEXIST, f"{shown} exists; overwrite=True replaces it", file)


class Created:
    """A path before it is written to. :meth:`remove_empty` knows whether the file is a new one."""

    __slots__ = ("_path", "_process")

    def __init__(self, file: Any) -> None:
        #: The absolute path; None if something exists there.
        self._path = None if os.path.lexists(file) else os.path.abspath(os.fsdecode(file))
        self._process = os.getpid()

    def remove_empty(self) -> None:
        """Removes a new file to which nothing was written. A forked child leaves the parent's file alone."""
        if self._path is None or self._process != os.getpid():
            return
        with contextlib.suppress(OSError):
            if os.stat(self._path).st_size == 0:
                os.unlink(self._path)


def unwritable(failure: InputOutputError, file: Any) -> InputOutputError:
    """Returns the library's failure to create a file as the type of exception that Python's ``open`` raises."""
    for number in (errno.EACCES, errno.EPERM, errno.EEXIST):
        if os.strerror(number) in failure.message:
            return error(number, failure.message, file)
    return failure


__all__ = ["Created", "as_bytes", "check_output", "error", "is_path", "unreadable", "unwritable"]
