"""Writing a video in one call, or frame by frame."""

from __future__ import annotations

import collections
import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, Callable, Optional, Union

from . import _paths, _stream_file, formats
from ._attributes import Guessed
from ._handles import Unique
from ._numbers import whole_number
from ._warnings import warn
from .errors import EncodingError, Error, InvalidValueError, WrongTypeError
from .frames import describe
from .properties import PropertyValue
from .sample import Sample
from .session import CompressionSession
from .statistics import Statistics
from .time import Time, TimeLike, rational
from .time import native as _native_time

_Path = Union[str, "os.PathLike[str]"]
#: A function that writes one sample.
_Write = Callable[[Sample], Any]
_Opened = Callable[[], AbstractContextManager[_Write]]

#: Extensions of streams without a container, for which FFmpeg is not needed.
_STREAM_SUFFIXES = (".h264", ".264", ".avc", ".bin", "")
#: Extensions of containers that store a rotation.
_MOVIE_SUFFIXES = (".mp4", ".m4v", ".mov", ".qt")
_SUFFIXES = (*_MOVIE_SUFFIXES, ".mkv", ".ts", ".m2t", ".flv", ".h264", ".264", ".avc")
_OF_H265 = (".h265", ".265", ".hevc")


class VideoWriter(Guessed, Unique):
    """Encodes frames into a file, one after the other.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> with nalu.VideoWriter(file, fps=25, container="mp4", format="gray", size=(64, 48)) as writer:
    ...     for level in range(10):
    ...         writer.append(bytes([level]) * (64 * 48))
    >>> writer.statistics.encoded_frames
    10

    The arguments are those of :func:`write_video`. The file is opened with the first frame. The end of the ``with`` block, or
    ``close``, finishes it. If the block raises, an existing file is treated as :func:`write_video` describes; a new file has the
    samples encoded before that, and is removed if there are none. A writer that is dropped without ``close`` warns with
    ResourceWarning: the delayed frames are lost, a new file has the samples encoded before that, and a file that would be
    replaced stays. One thread at a time uses a writer.
    """

    _remedies = {
        "write": "append(frame)",
        "append_data": "append(frame)",
        "write_frame": "append(frame)",
        "release": "close()",
        "isOpened": "closed, the opposite; a file that cannot be opened raises",
    }

    __slots__ = (
        "__weakref__",
        "_arguments",
        "_audio_begin",
        "_close",
        "_count",
        "_fps",
        "_has_times",
        "_moved",
        "_pixels",
        "_process",
        "_session",
        "_size",
        "_start_at_zero",
        "_statistics",
        "_target",
        "_timescale",
        "_unwritten",
        "_write",
    )

    def __init__(
        self,
        file: Union[_Path, BinaryIO],
        *,
        fps: Any = None,
        bit_rate: Union[int, str, None] = None,
        quality: Optional[float] = None,
        crf: Optional[float] = None,
        format: Optional[str] = None,
        size: Optional[tuple[int, int]] = None,
        preset: Optional[str] = None,
        properties: Union[Mapping[str, PropertyValue], str, None] = None,
        container: Optional[str] = None,
        rotation: Optional[int] = None,
        fast_start: bool = False,
        fragmented: bool = False,
        audio: Union[_Path, BinaryIO, None] = None,
        audio_start: Optional[TimeLike] = None,
        start_at_zero: bool = True,
        timescale: Optional[int] = None,
        overwrite: bool = False,
    ) -> None:
        self._process = os.getpid()
        self._session: Optional[CompressionSession] = None
        self._statistics: Optional[Statistics] = None
        self._write: Optional[_Write] = None
        #: The time in the audio that belongs to the first frame; None for 0.
        self._audio_begin: Optional[Time] = None
        #: The time added to the times of all frames.
        self._moved: Optional[Time] = None
        self._count = 0
        #: Whether an accepted frame was given with a time.
        self._has_times = False
        #: Samples that wait for those before them.
        self._unwritten: "collections.deque[Sample]" = collections.deque()
        self._timescale = None if timescale is None else whole_number(timescale, "timescale", 1, 0x7FFFFFFF)
        self._close = contextlib.ExitStack()
        if fps is not None:
            rational(fps, "fps")
        self._fps = fps
        self._pixels = None if format is None else formats.named(format)
        self._size = size
        self._start_at_zero = bool(start_at_zero)
        options = {"rotation": rotation, "fast_start": fast_start, "fragmented": fragmented, "timescale": self._timescale}
        self._target = _Target(file, container, options, audio, audio_start, overwrite)
        self._arguments: dict[str, Any] = {
            "frame_rate": fps,
            "bit_rate": bit_rate,
            "quality": quality,
            "crf": crf,
            "preset": preset,
            "properties": properties,
            "format": format,
        }

    def append(self, frame: Any, pts: Optional[TimeLike] = None, duration: Optional[TimeLike] = None) -> None:
        """Encodes the next frame.

        :param frame: a frame for :meth:`CompressionSession.encode`; a size that differs from the first frame's is scaled.
        :param pts,duration: times for :meth:`CompressionSession.encode`. Default: counted with ``fps``, or without ``fps``
            those of the frame, which frames of :func:`nalu.read_video` have.

        With ``start_at_zero`` all times are moved by that of the first frame. A sample that the file cannot store raises; the
        writer can be used afterwards, and the other frames are in the file.
        """
        if self._statistics is not None:
            raise InvalidValueError("the writer is closed")
        session, write = self._session, self._write
        if session is None or write is None:
            session, write = self._begin(frame, pts)
        elif not self._count:
            # The frame that began the file was refused.
            self._move(frame, pts)
        given = pts
        pts, lasting = self._times(frame, given, duration)
        samples = session.encode(frame, pts, lasting)
        self._count += 1
        self._has_times |= given is not None
        self._put(samples, write)

    def _put(self, samples: "list[Sample]", write: _Write) -> None:
        """Writes samples. After a refused sample, which raises, the later ones wait for the next call."""
        self._unwritten.extend(samples)
        while self._unwritten:
            write(self._unwritten.popleft())

    def _times(
        self, frame: Any, pts: Optional[TimeLike], duration: Optional[TimeLike]
    ) -> "tuple[Optional[TimeLike], Optional[TimeLike]]":
        """Returns the time and duration for the session; None and None if the session counts."""
        time: Time
        lasting: Optional[Time] = None
        if pts is not None:
            time = self._time(pts, "pts")
        elif self._fps is None:
            time, lasting = _times_of(frame)
        elif self._has_times or (self._moved is None and self._timescale is None):
            # The session counts, or refuses a frame without a time after one with a time.
            return None, duration
        else:
            rate = rational(self._fps, "fps")
            time, lasting = Time(self._count * rate.timescale, rate.value), Time(rate.timescale, rate.value)
        if duration is not None:
            lasting = self._time(duration, "duration")
        time = time if self._moved is None else time + self._moved
        return (time, lasting) if self._timescale is None else self._rounded(time, lasting)

    def _rounded(self, time: Time, lasting: Optional[Time]) -> "tuple[Time, Optional[Time]]":
        """Returns a time and a duration in the writer's timescale. The end is rounded too, so that durations do not add up."""
        assert self._timescale is not None
        begin = round(time.fraction * self._timescale)
        if lasting is None:
            return Time(begin, self._timescale), None
        end = round((time.fraction + lasting.fraction) * self._timescale)
        return Time(begin, self._timescale), Time(end - begin, self._timescale)

    def _time(self, time: TimeLike, name: str) -> Time:
        """Returns a time argument. The unit of an int is a frame at ``fps``."""
        rate = None if self._fps is None else rational(self._fps, "fps")
        return Time._from(_native_time(time, None if rate is None else Time(rate.timescale, rate.value), name))

    def _begin(self, frame: Any, pts: Optional[TimeLike]) -> "tuple[CompressionSession, _Write]":
        size = self._size
        if size is None:
            planes = describe(frame, self._pixels, None)
            size = planes.width, planes.height
            planes.release()
        session = CompressionSession(*size, **self._arguments)
        with contextlib.ExitStack() as stack:
            stack.enter_context(session)
            # The video gets the times of the audio; the writer then moves both together to 0.
            moves = self._start_at_zero or (pts is None and self._fps is not None)
            self._audio_begin = self._target.audio_begin(frame) if moves else None
            self._move(frame, pts)
            # The file is opened last, so that a call that fails leaves an existing file unchanged.
            write = stack.enter_context(self._target.opened(frame, self._audio_begin))
            self._close = stack.pop_all()
        self._session, self._write = session, write
        return session, write

    def _move(self, frame: Any, pts: Optional[TimeLike]) -> None:
        """Sets the time added to all times, from the first frame."""
        counts = pts is None and self._fps is not None
        own = Time(0, 1) if counts else _times_of(frame)[0] if pts is None else self._time(pts, "pts")
        self._moved = None
        if self._start_at_zero or counts:
            moved = (Time(0, 1) if self._audio_begin is None else self._audio_begin) - own
            self._moved = moved if moved != 0 else None

    @property
    def statistics(self) -> Statistics:
        """The statistics so far; after ``close``, those of the whole file."""
        if self._statistics is not None:
            return self._statistics
        return _NOTHING if self._session is None else self._session.statistics

    @property
    def closed(self) -> bool:
        return self._statistics is not None

    def close(self) -> None:
        """Encodes the delayed frames and finishes the file. Without a frame, no file is created. The writer is closed even if the
        call raises."""
        if self._statistics is not None:
            return
        session, write = self._session, self._write
        with self._close:
            try:
                if session is not None and write is not None:
                    self._finish(session, write)
            finally:
                # After an exception the file cannot be continued either, so the writer is closed.
                self._statistics = self.statistics

    def _finish(self, session: CompressionSession, write: _Write) -> None:
        """Writes the remaining samples. A frame or a sample that is refused raises when all later ones are written."""
        failure: Optional[Error] = None
        # flush stops at a frame that could not be encoded. The next call raises its failure, and the call after that continues.
        samples: "Optional[list[Sample]]" = None
        while samples is None or samples:
            try:
                samples = session.flush()
            except Error as error:
                failure = failure or error
                samples = None if isinstance(error, EncodingError) else []
            self._unwritten.extend(samples or [])
        while self._unwritten:
            try:
                self._put([], write)
            except Error as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def __enter__(self) -> "VideoWriter":
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None:
            self.close()
        elif self._statistics is None:
            # The samples after a refused one are still written.
            while self._unwritten and self._write is not None:
                with contextlib.suppress(Exception):
                    self._put([], self._write)
            self._statistics = self.statistics
            self._close.__exit__(kind, error, traceback)

    def __del__(self) -> None:
        if getattr(self, "_session", None) is not None and self._statistics is None and self._process == os.getpid():
            warnings.warn(
                "a VideoWriter was not closed, so the delayed frames are lost; call close(), or use with",
                ResourceWarning,
                source=self,
            )

    def __repr__(self) -> str:
        return f"<VideoWriter {'closed' if self.closed else 'open'}, {self.statistics.accepted_frames} frames>"


_NOTHING = Statistics(*[0] * len(Statistics._fields))


def write_video(
    file: Union[_Path, BinaryIO],
    frames: Iterable[Any],
    *,
    fps: Any = None,
    bit_rate: Union[int, str, None] = None,
    quality: Optional[float] = None,
    crf: Optional[float] = None,
    format: Optional[str] = None,
    size: Optional[tuple[int, int]] = None,
    preset: Optional[str] = None,
    properties: Union[Mapping[str, PropertyValue], str, None] = None,
    container: Optional[str] = None,
    rotation: Optional[int] = None,
    fast_start: bool = False,
    fragmented: bool = False,
    audio: Union[_Path, BinaryIO, None] = None,
    audio_start: Optional[TimeLike] = None,
    start_at_zero: bool = True,
    timescale: Optional[int] = None,
    overwrite: bool = False,
) -> Statistics:
    """Encodes frames into a file.

    :param file: a path, or a file that is open for binary writing. The extension of the path decides
        the container: MP4 (``.mp4``, ``.m4v``), MOV (``.mov``, ``.qt``), Matroska (``.mkv``), MPEG-TS (``.ts``,
        ``.m2t``), FLV (``.flv``), or raw H.264, Annex B (``.h264``, ``.264``, ``.avc``, ``.bin`` or none).
    :param container: the container, for example ``"mp4"``, instead of the one of the extension; an open file without it is raw
        H.264.
    :param frames: frames for :meth:`CompressionSession.encode`.
    :param fps: frames per second; default: the frames' own times, which frames of :func:`nalu.read_video` have. Times are exact
        in MP4 and MOV.
    :param start_at_zero: show the first frame at 0; False keeps the frames' own times, or those of :meth:`VideoWriter.append`.
    :param timescale: MP4 and MOV: the units per second to which times are rounded. Default: the unit of the first times, in which
        all times are exact. A distance between two frames has at most 2147483647 units: 2.1 s in nanoseconds, 6.6 hours for times
        that are floats.
    :param size: width and height; default: those of the first frame. Needed for frames that are bytes without a shape.
    :param rotation: MP4 and MOV: 0, 90, 180 or 270 degrees by which players rotate the picture clockwise; default: the rotation
        of the file from which :func:`nalu.read_video` reads the frames, or 0.
    :param audio: a file whose audio is copied, up to the end of the frames.
    :param audio_start: the time in ``audio`` that belongs to the first frame: seconds, or a :class:`nalu.Time`. Default: the time
        of the first frame if the frames are read from the same path, so that audio and video stay synchronous; otherwise 0.
    :param fast_start,fragmented: see :class:`nalu.media.Writer`.
    :param overwrite: replace an existing file; otherwise it raises :class:`nalu.OutputExistsError`, a FileExistsError. The old
        file is replaced when the new one is complete, and stays after an exception; so ``frames`` and ``audio`` may be read
        from it. Matroska, MPEG-TS, FLV and fragments are written in place: after an exception the old content is lost, unless no frame was
        encoded yet.

    If ``frames`` raises, a new file has the samples encoded before that: encoders delay frames, so it has fewer frames than
    ``frames`` returned. Without a sample the file is removed.

    :class:`CompressionSession` describes the other arguments. Returns the statistics. :class:`VideoWriter` accepts the frames
    one by one.

    Raw H.264 needs libnalu alone; containers also need FFmpeg, see :mod:`nalu.media`.

    >>> import io
    >>> file = io.BytesIO()
    >>> frames = [bytes([level]) * (64 * 48) for level in range(10)]
    >>> write_video(file, frames, fps=25, format="gray", size=(64, 48)).encoded_frames
    10
    >>> file.getvalue()[:5].hex()
    '0000000167'
    """
    with VideoWriter(
        file,
        fps=fps,
        bit_rate=bit_rate,
        quality=quality,
        crf=crf,
        format=format,
        size=size,
        preset=preset,
        properties=properties,
        container=container,
        rotation=rotation,
        fast_start=fast_start,
        fragmented=fragmented,
        audio=audio,
        audio_start=audio_start,
        start_at_zero=start_at_zero,
        timescale=timescale,
        overwrite=overwrite,
    ) as writer:
        shape = getattr(frames, "shape", None)
        if isinstance(shape, tuple) and len(shape) < 4 and (len(shape) < 3 or shape[2] in (3, 4)):
            raise InvalidValueError(f"frames is one frame, of the shape {shape}; expected several, or [frame]")
        for frame in frames:
            writer.append(frame)
        if writer._session is None:
            raise InvalidValueError("frames is empty; expected at least one frame")
    return writer.statistics


def _times_of(frame: Any) -> "tuple[Time, Optional[Time]]":
    pts = getattr(frame, "pts", None)
    if not isinstance(pts, Time):
        raise WrongTypeError("fps is missing; expected frames per second, for frames without times of their own")
    return pts, getattr(frame, "duration", None)


class _Target:
    """The output file of a writer."""

    __slots__ = ("_container", "_file", "_is_movie", "_options", "_overwrite", "_audio", "_audio_start")

    def __init__(
        self, file: Any, container: Optional[str], options: dict[str, Any], audio: Any, audio_start: Any, overwrite: bool
    ) -> None:
        self._file = file
        self._options = options
        self._audio = audio
        self._overwrite = overwrite
        self._audio_start = None
        if audio_start is not None:
            if audio is None:
                raise InvalidValueError("audio_start is given without audio; expected both")
            begin = audio_start if isinstance(audio_start, Time) else Time._from(_native_time(audio_start, Time(1, 1), "audio_start"))
            if begin < 0:
                raise InvalidValueError(f"audio_start is {begin.seconds:.6g} s; expected 0 or later")
            self._audio_start = begin
        if not hasattr(file, "write") and not _paths.is_path(file):
            raise WrongTypeError(
                f"the file is {type(file).__name__}; expected a path, or a file that is open for binary writing, before the frames"
            )
        suffix = "" if hasattr(file, "write") else os.path.splitext(os.fsdecode(file))[1].lower()
        self._is_movie = container in ("mp4", "mov") if container is not None else suffix in _MOVIE_SUFFIXES
        self._container = container
        if container == "hevc" or (container is None and suffix in _OF_H265):
            name = container or suffix
            raise InvalidValueError(f"{name} is for H.265, but frames are encoded to H.264; expected .mp4, .mkv, .h264 and so on")
        if container is None and suffix not in _STREAM_SUFFIXES and suffix not in _SUFFIXES:
            raise InvalidValueError(
                f'the extension of path "{os.fsdecode(file)}" selects no container; expected one of {" ".join(_SUFFIXES)}, '
                "or the argument container"
            )
        if not hasattr(file, "write"):
            _paths.check_output(file, overwrite)
        if self._is_container:
            from .media import _ffi

            # Raises LibraryNotFoundError if FFmpeg is missing.
            _ffi.library()
            return
        for name, value in {**options, "audio": audio}.items():
            if value:
                raise InvalidValueError(f"{name} is {value!r}; expected a container such as .mp4, because a raw stream cannot store it")

    @property
    def _is_container(self) -> bool:
        if self._container is not None:
            return self._container != "h264"
        return not hasattr(self._file, "write") and os.path.splitext(os.fsdecode(self._file))[1].lower() not in _STREAM_SUFFIXES

    def opened(self, first: Any, begin: Optional[Time]) -> AbstractContextManager[_Write]:
        """Returns the opened file as a context manager. ``first``: the first frame; ``begin``: its time, if that time is moved
        to 0."""
        rotation, mirrored = self._orientation(first)
        return self._movie(rotation, mirrored, begin) if self._is_container else self._stream()

    def _orientation(self, first: Any) -> "tuple[int, bool]":
        asked = self._options["rotation"]
        if asked is not None:
            return asked, False
        rotation, mirrored = getattr(first, "rotation", 0), getattr(first, "is_mirrored", False)
        if not isinstance(rotation, int) or not isinstance(mirrored, bool) or not (rotation or mirrored):
            return 0, False
        if self._is_movie:
            return rotation, mirrored
        kind = "mirrored" if mirrored else f"rotated by {rotation} degrees"
        warn(f"the frames are {kind}, which only MP4 and MOV store; rotation=0 leaves that out")
        return 0, False

    @contextlib.contextmanager
    def _movie(self, rotation: int, mirrored: bool, begin: Optional[Time]) -> Iterator[_Write]:
        from .media import _audio, writer

        options = {**self._options, "rotation": rotation, "mirrored": mirrored, "overwrite": self._overwrite}
        options["start_at_zero"] = begin is not None
        with contextlib.ExitStack() as stack:
            # The audio is opened first, so that a failure leaves an existing output unchanged.
            source = None if self._audio is None else stack.enter_context(_audio.Source(self._audio))
            output = stack.enter_context(writer.Writer(self._file, self._container, **options))
            if source is None:
                yield output.write
            else:
                yield source.beside(output, begin=begin)

    def audio_begin(self, first: Any) -> Optional[Time]:
        """Returns the time in the audio that belongs to the first frame; None for 0, and without audio."""
        if self._audio_start is not None:
            return self._audio_start if self._audio_start > 0 else None
        origin = getattr(first, "_origin", None)
        path = None if origin is None else origin.path
        if path is None or not _paths.is_path(self._audio):
            return None
        is_same = os.path.exists(path) and os.path.exists(self._audio) and os.path.samefile(path, self._audio)
        return first.pts if is_same and first.pts > 0 else None

    @contextlib.contextmanager
    def _stream(self) -> Iterator[_Write]:
        with contextlib.ExitStack() as stack:
            file = self._file
            if hasattr(file, "write"):
                yield lambda sample: _stream_file.write_all(file, sample.annex_b())
                return
            write = stack.enter_context(_stream_file.opened(file, self._overwrite))
            yield lambda sample: write(sample.annex_b())


__all__ = ["VideoWriter", "write_video"]
