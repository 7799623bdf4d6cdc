"""Failures as exceptions.

Every failure is an :class:`Error` with one sentence that names the argument, the value and what was expected. Where
Python has an exception of the same meaning, the error is one of that kind as well: whoever catches ``ValueError`` for a
bad value catches these too.
"""

from __future__ import annotations


class Error(Exception):
    """A failure.

    ``status`` is the number that C programs see, 0 where the library was not asked; ``status_name`` is its name, for
    example ``"OUT_OF_RANGE"``, else empty.
    """

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.status_name = status_name

    def __str__(self) -> str:
        # KeyError would quote it.
        return self.message


class InvalidValueError(Error, ValueError):
    """A value out of its range, or one that contradicts another."""


class WrongTypeError(Error, TypeError):
    """A value of a wrong type."""


class PropertyNotSupportedError(Error, KeyError):
    """No property of that name, or one that is not supported; the sentence says why."""


class ReadOnlyError(Error, AttributeError):
    """The property can only be read."""


class TooLateError(Error):
    """The property cannot change once the encoder is open."""


class SessionClosedError(Error, ValueError):
    """The session has been closed. A ValueError, as with closed files."""


class WouldBlockError(Error, BlockingIOError):
    """Too many frames are pending, and the call was not to wait."""

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        Error.__init__(self, message, status, status_name)


class InputOutputError(Error, OSError):
    """A file cannot be opened, read or written; the sentence has the system's reason."""

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        Error.__init__(self, message, status, status_name)


class OutputExistsError(InputOutputError, FileExistsError):
    """There is a file already, and it is not to be replaced: ``overwrite=True`` replaces it."""


class NoSuchFileError(InputOutputError, FileNotFoundError):
    """There is no such file, or no directory for it."""


class IsDirectoryError(InputOutputError, IsADirectoryError):
    """The path is that of a directory."""


class PermissionDeniedError(InputOutputError, PermissionError):
    """The file or its directory does not permit it."""


class CancelledError(Error):
    """The reader was cancelled."""


class EncodingError(Error):
    """A frame that had been accepted could not be encoded. The session goes on."""


class DecodingError(Error):
    """A sample that had been accepted could not be decoded. The decoder goes on."""


_KINDS: dict[str, type[Error]] = {
    "INVALID_PIXEL_FORMAT": InvalidValueError,
    "INVALID_SIZE": InvalidValueError,
    "PROPERTY_NOT_SUPPORTED": PropertyNotSupportedError,
    "PROPERTY_READ_ONLY": ReadOnlyError,
    "PARAMETER": InvalidValueError,
    "INVALID_SESSION": SessionClosedError,
    "BAD_DATA": InvalidValueError,
    "UNSUPPORTED_DATA_FORMAT": InvalidValueError,
    "WOULD_BLOCK": WouldBlockError,
    "WRONG_TYPE": WrongTypeError,
    "OUT_OF_RANGE": InvalidValueError,
    "TOO_LATE": TooLateError,
    "CONFLICT": InvalidValueError,
    "INVALID_TIME": InvalidValueError,
    "INPUT_OUTPUT": InputOutputError,
    "MULTI_PASS_STORAGE_INVALID": InputOutputError,
    "CANCELLED": CancelledError,
}


def error(name: str, status: int, message: str) -> Error:
    """The exception for a status."""
    return _KINDS.get(name, Error)(message, status, name)
