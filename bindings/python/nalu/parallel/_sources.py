"""The sources of frames, which every worker can read."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, BinaryIO, Callable, Optional, Union

from .. import media, time
from .._numbers import whole_number
from ..errors import Error, InputOutputError, WrongTypeError


@dataclass(frozen=True)
class File:
    """A video file that every worker can open, with H.264 or H.265.

    :param address: a path, or an address that fsspec opens, such as ``"s3://bucket/video.mp4"``, which needs the package fsspec.
    :param storage_options: options for fsspec.
    :param format,ignore_edit_list: see :func:`nalu.open`.

    Workers seek to their chunk and read nothing else. Every frame is in exactly one chunk, also with open groups of pictures,
    reordered frames, and edit lists that hide frames. The file must state its duration; raw streams do not.
    """

    address: str
    storage_options: Mapping[str, Any] = field(default_factory=dict)
    format: Optional[str] = None
    ignore_edit_list: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.address, os.PathLike):
            object.__setattr__(self, "address", os.fspath(self.address))
        if not isinstance(self.address, str):
            raise WrongTypeError(
                f"the source is {type(self.address).__name__}; expected a path or an address of fsspec, "
                "or Frames(function, count, frame_rate)"
            )
        if not self._is_remote:
            # Workers may have another working directory.
            object.__setattr__(self, "address", os.path.abspath(self.address))

    @property
    def _is_remote(self) -> bool:
        return "://" in self.address

    @contextlib.contextmanager
    def opened(self) -> Iterator[Union[str, BinaryIO]]:
        """Yields the path, or an open file for an address."""
        if not self._is_remote:
            yield self.address
            return
        with contextlib.ExitStack() as stack:
            with self._reached():
                file = stack.enter_context(self._fsspec().open(self.address, "rb", **self.storage_options))
            yield file

    @contextlib.contextmanager
    def reader(self) -> Iterator[media.Reader]:
        with self.opened() as file:
            with media.open(file, format=self.format, ignore_edit_list=self.ignore_edit_list) as reader:
                yield reader

    @contextlib.contextmanager
    def _reached(self) -> Iterator[None]:
        """Converts the exceptions of fsspec's file systems, each of which has its own."""
        try:
            yield
        except (Error, OSError):
            raise
        except Exception as error:
            raise InputOutputError(f"{self.address} cannot be opened: {str(error) or type(error).__name__}") from error

    def _fsspec(self) -> Any:
        try:
            return importlib.import_module("fsspec")
        except ImportError:
            raise Error(f"{self.address} is an address, which needs the package fsspec; install it: pip install fsspec") from None

    def identity(self) -> list[Any]:
        """Returns facts that change when the file, or the way in which it is read, changes."""
        what = ["file", self.address, self.format, self.ignore_edit_list]
        if not self._is_remote:
            status = os.stat(self.address)
            return [*what, status.st_size, status.st_mtime_ns]
        with self._reached():
            system, path = self._fsspec().core.url_to_fs(self.address, **self.storage_options)
            info = system.info(path)
        marks = [str(info.get(name)) for name in ("ETag", "etag", "mtime", "LastModified", "created")]
        return [*what, info.get("size"), *marks]


@dataclass(frozen=True)
class Frames:
    """Frames by their index, from a function.

    :param function: receives an index, from 0 on, and returns a frame for :meth:`nalu.CompressionSession.encode`. Workers call
        it, so it must be picklable: a function of a module, or an object with ``__call__``.
    :param count: the number of frames, 1 or more.
    :param frame_rate: frames per second, above 0.
    :param format: the pixel format of frames that do not state their own, see :class:`nalu.CompressionSession`.
    :param size: width and height of frames that are bytes without a shape; default: those of frame 0.
    :param name: the name that identifies the frames when a run is resumed; default: the name of the function.
    """

    function: Callable[[int], Any]
    count: int
    frame_rate: Any
    format: Optional[str] = None
    size: Optional[tuple[int, int]] = None
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise WrongTypeError(f"function is {type(self.function).__name__}; expected a function of an index")
        whole_number(self.count, "count", 1)

    @property
    def rate(self) -> Fraction:
        """Frames per second."""
        return time.rational(self.frame_rate, "frame_rate").fraction

    def identity(self) -> list[Any]:
        kind = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        # Methods written in C have no module.
        module = getattr(kind, "__module__", None) or type(getattr(kind, "__self__", None)).__module__
        name = self.name or f"{module}.{kind.__qualname__}"
        return ["frames", name, self.count, str(self.rate), self.format, self.size]


Source = Union[File, Frames]


def source(given: Any) -> Source:
    """Returns the source for a client's argument: a source, a path or an address."""
    return given if isinstance(given, (File, Frames)) else File(given)


__all__ = ["File", "Frames"]
