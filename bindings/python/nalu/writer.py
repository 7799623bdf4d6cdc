"""A clip in one call."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, Optional, Union

from . import formats
from .errors import InvalidValueError
from .frames import describe
from .properties import PropertyValue
from .sample import Sample
from .session import CompressionSession
from .statistics import Statistics
from .time import rational

_SUFFIXES = (".h264", ".264", ".avc", ".bin", "")


def write_video(
    file: Union[str, "os.PathLike[str]", BinaryIO],
    frames: Iterable[Any],
    *,
    fps: Any,
    bit_rate: Optional[int] = None,
    quality: Optional[float] = None,
    format: Optional[str] = None,
    size: Optional[tuple[int, int]] = None,
    preset: Optional[str] = None,
    properties: Union[Mapping[str, PropertyValue], str, None] = None,
) -> Statistics:
    """Encodes frames into a raw H.264 file (Annex B: what players and ffmpeg read as ``.h264``).

    ``file``: a path, which is overwritten, or a file that is open for binary writing. ``frames``: as
    :meth:`CompressionSession.encode` takes them. ``fps``: frames a second. ``size``: width and height; left out, those of
    the first frame, and needed for frames that are bytes without a shape. The rest is as for
    :class:`CompressionSession`. Returns what was done.

    >>> import io
    >>> file = io.BytesIO()
    >>> frames = [bytes([level]) * (64 * 48) for level in range(10)]
    >>> write_video(file, frames, fps=25, format="gray", size=(64, 48)).encoded_frames
    10
    >>> file.getvalue()[:5].hex()
    '0000000167'
    """
    rational(fps, "fps")
    pixels = None if format is None else formats.named(format)
    iterator = iter(frames)
    with contextlib.ExitStack() as stack:
        if not hasattr(file, "write"):
            _check_suffix(file)
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
        # Last: a call that cannot succeed leaves the file that is there alone.
        output = file if hasattr(file, "write") else stack.enter_context(open(file, "wb"))
        _write(output, session.encode(first))
        for frame in iterator:
            _write(output, session.encode(frame))
        _write(output, session.flush())
        return session.statistics


def _check_suffix(path: Any) -> None:
    suffix = os.path.splitext(os.fspath(path))[1]
    if suffix.lower() not in _SUFFIXES:
        raise InvalidValueError(
            f"{os.fspath(path)!r} ends in {suffix!r}; write_video writes raw H.264, so name it .h264, and put it into a "
            "container afterwards (ffmpeg -i clip.h264 -c copy clip.mp4)"
        )


def _write(output: Any, samples: list[Sample]) -> None:
    for sample in samples:
        output.write(sample.annex_b())


__all__ = ["write_video"]
