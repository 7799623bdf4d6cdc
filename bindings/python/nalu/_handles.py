"""Helpers for calls of the library: statuses as exceptions, and bytes and text from C."""

from __future__ import annotations

import atexit
import ctypes
import os
import weakref
from typing import Any, Callable, Optional, TypeVar

from . import _ffi, errors
from ._spelling import in_python

_Self = TypeVar("_Self", bound="Handle")
_Closable = TypeVar("_Closable", bound="Closable")


def failure(status: int, message: Optional[str] = None) -> errors.Error:
    """Returns the exception for a status. The default for ``message`` is the thread's last error message."""
    if message is None:
        message = in_python(_ffi.fast.nalu_last_error_message().decode("utf-8", "replace"))
    name = _ffi.fast.nalu_status_string(status).decode("ascii")
    return errors.error(name, status, message or name)


def check(status: int) -> None:
    """Raises an exception for every status except OK."""
    if status:
        raise failure(status)


def lent_bytes(get: Callable[..., Any], *arguments: Any) -> bytes:
    """Returns a copy of the bytes to which a C `get` function returns a pointer."""
    size = ctypes.c_size_t(0)
    address = get(*arguments, ctypes.byref(size))
    return ctypes.string_at(address, size.value) if address else b""


def lent_view(owner: Any, address: Optional[int], size: int) -> memoryview:
    """Returns a read-only view of such bytes without a copy. The view keeps ``owner``, to which the bytes belong, alive."""
    if not address or not size:
        return memoryview(b"")
    memory = (ctypes.c_uint8 * size).from_address(address)
    memory.owner = owner  # type: ignore[attr-defined]
    return memoryview(memory).cast("B").toreadonly()


def filled(call: Callable[[Any, int, Any], int], capacity: int = 0) -> bytes:
    """Returns the bytes of a function with buffer, capacity and size_out. ``capacity``: a guess that saves a second call."""
    size = ctypes.c_size_t(0)
    while True:
        buffer = ctypes.create_string_buffer(capacity) if capacity else None
        status = call(buffer, capacity, ctypes.byref(size))
        if status not in (_ffi.OK, _ffi.BUFFER_TOO_SMALL):
            raise failure(status)
        if status == _ffi.OK and (buffer is not None or size.value == 0):
            return ctypes.string_at(buffer, size.value) if buffer is not None else b""
        capacity = size.value


def text(call: Callable[[Any, int, Any], int]) -> str:
    """Returns the text of a function with buffer, capacity and size_out, without its terminating NUL."""
    return filled(call, 256)[:-1].decode("utf-8", "replace")


def encoded(value: str, name: str) -> bytes:
    """Returns text as UTF-8 for C. ``name`` is the argument's name in error messages."""
    if not isinstance(value, str):
        raise errors.WrongTypeError(f"{name} is {type(value).__name__}; expected str")
    if "\0" in value:
        raise errors.InvalidValueError(f"{name} is {value!r}; expected text without NUL characters")
    return value.encode("utf-8", "surrogatepass")


class Unique:
    """A base class of objects that can be neither pickled nor copied, because a copy would own the same object of the
    library."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        kind = type(self).__name__
        raise errors.WrongTypeError(f"a {kind} can be neither copied nor pickled; it belongs to this process")


class Closable(Unique):
    """A base class of objects that ``with`` closes. ``_release`` lets go of the object of the library."""

    __slots__ = ()
    #: The object in error messages.
    _name = "object"
    _pointer: Any

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        self._release()

    def _release(self) -> None:
        raise NotImplementedError

    def _open(self) -> Any:
        """Returns the pointer."""
        if self._pointer is None:
            raise errors.InvalidValueError(f"the {self._name} is closed")
        return self._pointer

    def __enter__(self: _Closable) -> _Closable:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self._release()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'closed' if self.closed else 'open'}>"


class Threaded(Closable):
    """A base class of objects with threads that call Python. A subclass calls :meth:`_begin` when the object exists.

    The object ends before the interpreter, since no thread may call Python afterwards. A forked child has none of the threads, and
    leaves the object alone.
    """

    __slots__ = ("__weakref__", "_pointer", "_process")
    _process: int

    def _begin(self, pointer: Any) -> None:
        self._pointer, self._process = pointer, os.getpid()
        _threaded.add(self)

    def _open(self) -> Any:
        if self._pointer is not None and self._process != os.getpid():
            raise errors.InvalidValueError(f"the {self._name} belongs to another process, and this one was forked from it")
        return super()._open()

    def _end(self) -> Any:
        """Returns the pointer once, for its release; None without an object of this process."""
        pointer, self._pointer = self._pointer, None
        return pointer if pointer is not None and self._process == os.getpid() else None


_threaded: "weakref.WeakSet[Threaded]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for each in list(_threaded):
        each._release()


class Handle(Unique):
    """The owner of one reference to an object of the library. The subclass releases it in ``__del__``."""

    __slots__ = ("__weakref__", "_pointer")
    _pointer: Any

    def __init__(self, pointer: Any) -> None:
        self._pointer = pointer

    def __copy__(self: _Self) -> _Self:
        return self

    def __deepcopy__(self: _Self, memo: Any) -> _Self:
        return self
