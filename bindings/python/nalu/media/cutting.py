"""Copying a part of a file; only its edges are encoded again."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, NamedTuple, Optional, Union

from .. import _paths
from .._handles import check
from ..errors import InputOutputError, InvalidValueError, WrongTypeError
from ..time import Time, TimeLike
from ..time import native as _native_time
from . import _ffi

_Path = Union[str, "os.PathLike[str]"]


class Cut(NamedTuple):
    """The numbers of frames that :func:`nalu.cut` copied, encoded and hid."""

    #: Frames whose samples have the same bytes as in the input.
    copied: int
    #: Frames at the edges that were encoded again.
    encoded: int
    #: Frames outside the part that are copied because other frames refer to them; the edit list hides them.
    hidden: int
    #: The number of other tracks of the input that the output does not have.
    left_out_tracks: int


def cut(
    source: _Path,
    file: _Path,
    *,
    start: Optional[TimeLike] = None,
    end: Optional[TimeLike] = None,
    container: Optional[str] = None,
    overwrite: bool = False,
    progress: Optional[Callable[[float], Any]] = None,
) -> Cut:
    """Copies a part of a file, and encodes only the pictures at its edges again.

    :param source,file: the paths of the input and of the output.
    :param start,end: the frames from ``start`` to before ``end``: seconds as an int, float or Fraction, or a
        :class:`nalu.Time`, in the times of the file. The output begins at 0, with audio and subtitles synchronous.
    :param container: see :class:`nalu.media.Writer`; default: the container of the extension.
    :param progress: a function that receives the progress, 0 to 1. An exception of the function ends the cut.

    The pictures from ``start`` up to the next IDR picture are encoded again, and the last pictures if they refer to later ones.
    If these cannot be encoded, for example H.265 or interlaced video, the edit list of an mp4 or mov hides the pictures outside
    the part; another container raises :class:`nalu.Error`.

    >>> import nalu, tempfile, os
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     whole, part = (os.path.join(directory, name) for name in ("whole.mp4", "part.mp4"))
    ...     _ = nalu.write_video(whole, [bytes(64 * 48)] * 30, fps=25, format="gray", size=(64, 48), properties={"MaxKeyFrameInterval": 10})
    ...     result = nalu.cut(whole, part, start=0.2, end=1)
    ...     len(nalu.read_video(part)), result.copied >= 10, result.copied + result.encoded
    (20, True, 20)
    """
    for name, path in (("source", source), ("file", file)):
        if not _paths.is_path(path):
            raise WrongTypeError(f"{name} is {type(path).__name__}; expected a path, because the input is read more than once")
    _paths.check_output(file, overwrite)
    options = _ffi.nalu_cut_options(ctypes.sizeof(_ffi.nalu_cut_options))
    for name, time in (("start", start), ("end", end)):
        if time is not None:
            setattr(options, name, time._native() if isinstance(time, Time) else _native_time(time, Time(1, 1), name))
    if container is not None:
        if not isinstance(container, str) or "\0" in container:
            raise InvalidValueError(f"container is {container!r}; expected the name of one, such as 'mp4', or None")
        options.container = container.encode()
    if overwrite:
        options.flags |= _ffi.CUT_OVERWRITE
    raised: list[BaseException] = []

    def tell(_refcon: Any, share: float) -> int:
        try:
            if progress is not None:
                progress(share)
        except BaseException as error:  # Raised below, from the call that the client made.
            raised.append(error)
            return 1
        return 0

    callback = _ffi.cut_progress_callback(tell)
    options.progress = ctypes.cast(callback, ctypes.c_void_p)
    result = _ffi.nalu_cut_result(ctypes.sizeof(_ffi.nalu_cut_result))
    status = _ffi.library().lib.nalu_cut(
        _paths.as_bytes(source), _paths.as_bytes(file), ctypes.byref(options), ctypes.byref(result)
    )
    if raised:
        raise raised[0]
    try:
        check(status)
    except InputOutputError as error:
        raise _paths.unreadable(error, source) from None
    return Cut(result.copied_frames, result.encoded_frames, result.hidden_frames, result.left_out_tracks)


__all__ = ["Cut", "cut"]
