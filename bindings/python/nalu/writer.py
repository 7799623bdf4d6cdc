"""A clip in one call."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Callable, Optional, Union

from . import _paths, _stream_file, formats
from .errors import InvalidValueError, WrongTypeError
from .frames import describe
from .properties import PropertyValue
from .sample import Sample
from .session import CompressionSession
from .statistics import Statistics
from .time import Time, rational

#: Takes one sample.
_Write = Callable[[Sample], Any]
_Opened = Callable[[], AbstractContextManager[_Write]]

#: Endings of streams without a container, for which libnalumedia is not needed.
_STREAM_SUFFIXES = (".h264", ".264", ".avc", ".bin", "")


def write_video(
    file: Union[str, "os.PathLike[str]", BinaryIO],
    frames: Iterable[Any],
    *,
    fps: Any = None,
    bit_rate: Optional[int] = None,
    quality: Optional[float] = None,
    format: Optional[str] = None,
    size: Optional[tuple[int, int]] = None,
    preset: Optional[str] = None,
    properties: Union[Mapping[str, PropertyValue], str, None] = None,
    container: Optional[str] = None,
    rotation: int = 0,
    fast_start: bool = False,
    fragmented: bool = False,
    sound: Union[str, "os.PathLike[str]", BinaryIO, None] = None,
    overwrite: bool = False,
) -> Statistics:
    """Encodes frames into a file.

    ``file``: a path, or a file that is open for binary writing. The ending of the path decides
        the container: MP4 (``.mp4``, ``.m4v``), MOV (``.mov``, ``.qt``), Matroska (``.mkv``), MPEG-TS (``.ts``,
        ``.m2t``), FLV (``.flv``), or raw H.264, Annex B (``.h264``, ``.264``, ``.avc``, ``.bin`` or none).
    ``container``: decides it instead, for example ``"mp4"``; without it, an open file is raw H.264.
    ``frames``: as :meth:`CompressionSession.encode` takes them.
    ``fps``: frames per second; left out, the frames' own times, which those of :func:`nalu.read_video` have. Times are
        exact in MP4 and MOV.
    ``size``: width and height; left out, those of the first frame. Needed for frames that are bytes without a shape.
    ``rotation``, ``fast_start``, ``fragmented``: as for :class:`nalu.media.Writer`.
    ``overwrite``: replace an existing file; otherwise it raises :class:`nalu.OutputExistsError`, a FileExistsError. The old file is
        replaced when the new one is complete, and stays if something raises; so ``frames`` and ``sound`` may come from it.

    The rest is as for :class:`CompressionSession`. Returns what was done.

    Raw H.264 needs libnalu alone; containers need libnalumedia, see :mod:`nalu.media`.

    >>> import io
    >>> file = io.BytesIO()
    >>> frames = [bytes([level]) * (64 * 48) for level in range(10)]
    >>> write_video(file, frames, fps=25, format="gray", size=(64, 48)).encoded_frames
    10
    >>> file.getvalue()[:5].hex()
    '0000000167'
    """
    if fps is not None:
        rational(fps, "fps")
    pixels = None if format is None else formats.named(format)
    iterator = iter(frames)
    with contextlib.ExitStack() as stack:
        options = {"rotation": rotation, "fast_start": fast_start, "fragmented": fragmented}
        if not hasattr(file, "write"):
            _paths.check_output(file, overwrite)
        if _is_container(file, container):
            opened = _container(file, container, {**options, "overwrite": overwrite}, sound)
        else:
            opened = _stream(file, {**options, "sound": sound}, overwrite)
        try:
            first = next(iterator)
        except StopIteration:
            raise InvalidValueError("there are no frames") from None
        if size is None:
            planes = describe(first, pixels, None)
            size = planes.width, planes.height
            planes.release()
        session = stack.enter_context(
            CompressionSession(
                *size,
                frame_rate=fps,
                bit_rate=bit_rate,
                quality=quality,
                preset=preset,
                properties=properties,
                format=format,
            )
        )
        if fps is None and not isinstance(getattr(first, "pts", None), Time):
            raise WrongTypeError("fps is missing; expected frames per second, for frames without times of their own")
        # Last: a call that cannot succeed leaves the file that is there alone.
        write = stack.enter_context(opened())
        for frame in itertools.chain([first], iterator):
            times = (None, None) if fps is not None else (frame.pts, frame.duration)
            _each(write, session.encode(frame, *times))
        _each(write, session.flush())
        return session.statistics


def _each(write: _Write, samples: list[Sample]) -> None:
    for sample in samples:
        write(sample)


def _is_container(file: Any, container: Optional[str]) -> bool:
    if container is not None:
        return container != "h264"
    return not hasattr(file, "write") and os.path.splitext(os.fspath(file))[1].lower() not in _STREAM_SUFFIXES


def _container(file: Any, container: Optional[str], options: dict[str, Any], sound: Any) -> _Opened:
    """What opens a file of libnalumedia. Raises at once where the library is missing."""
    from .media import _ffi, _sound, writer

    _ffi.library()

    @contextlib.contextmanager
    def opened() -> Iterator[_Write]:
        with contextlib.ExitStack() as stack:
            # First: what cannot be opened leaves the file that is there alone.
            source = None if sound is None else stack.enter_context(_sound.Source(sound))
            output = stack.enter_context(writer.Writer(file, container, **options))
            yield output.write if source is None else source.beside(output)

    return opened


def _stream(file: Any, options: dict[str, Any], overwrite: bool) -> _Opened:
    """What opens a file of Annex B."""
    for name, value in options.items():
        if value:
            raise InvalidValueError(f"{name} is {value!r}; expected a container such as .mp4, because a raw stream cannot store it")

    @contextlib.contextmanager
    def opened() -> Iterator[_Write]:
        with contextlib.ExitStack() as stack:
            write = file.write if hasattr(file, "write") else stack.enter_context(_stream_file.opened(file, overwrite))
            yield lambda sample: write(sample.annex_b())

    return opened


__all__ = ["write_video"]
