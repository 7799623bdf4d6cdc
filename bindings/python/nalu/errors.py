"""Failures as exceptions.

Every failure is an :class:`Error` with a message that names the argument, the value and what was expected. If Python has an
exception of the same meaning, the error is a subclass of that exception too: ``except ValueError`` also catches
:class:`InvalidValueError`.
"""

from __future__ import annotations


class Error(Exception):
    """A failure.

    ``status`` is the status in C, or 0 if Python detected the failure. ``status_name`` is its name, for example
    ``"OUT_OF_RANGE"``, or empty.
    """

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.status_name = status_name

    def __str__(self) -> str:
        # KeyError's own __str__ would quote the message.
        return self.message


class InvalidValueError(Error, ValueError):
    """A value is out of its range, or contradicts another one."""


class WrongTypeError(Error, TypeError):
    """A value has the wrong type."""


class PropertyNotSupportedError(Error, KeyError):
    """No property has that name, or it is not supported; the message has the reason."""


class ReadOnlyError(Error, AttributeError):
    """The property is read-only."""


class TooLateError(Error):
    """The property cannot change after the first frame."""


class SessionClosedError(Error, ValueError):
    """The session has been closed. The error is a ValueError, like that of closed files."""


class WouldBlockError(Error, BlockingIOError):
    """Too many frames are pending, and the call must not wait."""

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        Error.__init__(self, message, status, status_name)


class InputOutputError(Error, OSError):
    """A file cannot be opened, read or written; the message has the system's reason."""

    def __init__(self, message: str, status: int = 0, status_name: str = "") -> None:
        Error.__init__(self, message, status, status_name)


class OutputExistsError(InputOutputError, FileExistsError):
    """The output file exists; ``overwrite=True`` replaces it."""


class NoSuchFileError(InputOutputError, FileNotFoundError):
    """The file or its directory does not exist."""


class IsDirectoryError(InputOutputError, IsADirectoryError):
    """The path is a directory."""


class PermissionDeniedError(InputOutputError, PermissionError):
    """The permissions of the file or its directory forbid the operation."""


class CancelledError(Error):
    """The reader was cancelled."""


class EncodingError(Error):
    """An accepted frame could not be encoded. The session continues."""


class DecodingError(Error):
    """An accepted sample could not be decoded. The decoder continues."""


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
    "DECODER_MALFUNCTION": DecodingError,
    "INPUT_OUTPUT": InputOutputError,
    "MULTI_PASS_STORAGE_INVALID": InputOutputError,
    "CANCELLED": CancelledError,
}


def error(name: str, status: int, message: str) -> Error:
    """Returns the exception for a status."""
    return _KINDS.get(name, Error)(message, status, name)
