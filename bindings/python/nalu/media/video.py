"""A file as a sequence of frames."""

from __future__ import annotations

import bisect
import io
import operator
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, Optional, Union, overload

from .._attributes import Guessed
from ..errors import DecodingError, InvalidValueError, WrongTypeError
from ..sample import Sample
from ..time import Time, TimeLike
from ..time import native as _native_time
from .decoder import Decoder
from .frame import Frame, Origin
from .reader import Reader, Track


class _Source:
    """The input of a video and the settings of its decoder."""

    __slots__ = ("_current", "_place", "file", "settings")

    def __reduce__(self) -> Any:
        return _Source, (self.file, self.settings)

    def __init__(self, file: Any, settings: "dict[str, Any]") -> None:
        self.file = file
        self.settings = settings
        #: The position of the video in an open seekable file; None for other inputs.
        self._place: Optional[int] = file.tell() if hasattr(file, "read") and _can_seek(file) else None
        #: The current reader of an open file. Only one reader at a time can use the file's position.
        self._current: Optional[Reader] = None

    @property
    def path(self) -> Any:
        return None if hasattr(self.file, "read") else self.file

    @property
    def can_repeat(self) -> bool:
        """Whether the input can be read more than once."""
        return self._place is not None or (self.path is not None and os.path.isfile(self.path))

    def reader(self) -> Reader:
        if self._place is not None:
            if self._current is not None and not self._current.closed:
                self._current.close()
            self.file.seek(self._place)
        reader = Reader(self.file, maximum_pixel_count=self.settings["maximum_pixel_count"])
        if self._place is not None:
            self._current = reader
        return reader


class Video(Guessed):
    """The frames of a file in display order, as returned by :func:`nalu.read_video`.

    Iterating decodes one frame after the other. ``len(video)``, ``video[7]``, ``video[-1]`` and the slices ``video[10:20]`` and
    ``video[::2]``, which are videos too, count frames; the first of these calls reads the whole file once, without decoding.
    ``video[n]`` decodes from the previous key frame, or continues after frame n - 1. An open file has one position: a new
    iteration, or ``video[n]``, ends the previous iteration.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> _ = nalu.write_video(file, [bytes(64 * 48)] * 9, fps=25, format="gray", size=(64, 48), container="mp4")
    >>> _ = file.seek(0)
    >>> video = nalu.read_video(file)
    >>> len(video), video.fps, video.width, video.height
    (9, 25.0, 64, 48)
    >>> video[7].time, [frame.time for frame in video[::4]]
    (0.28, [0.0, 0.16, 0.32])

    One thread at a time uses a video. A video of a path can be copied and pickled, and used in a forked process, such as a worker
    of a ``DataLoader``: each opens the file again and begins with the first frame. A video of an open file raises there, because
    both would share its position.
    """

    _remedies = {
        "read": "next(video), or for frame in video",
        "get_data": "video[number]",
        "frame_rate": "fps",
        "n_frames": "len(video)",
        "count_frames": "len(video)",
        "get_meta_data": "fps, size, duration and len(video); nalu.open(path).tracks has the rest",
        "release": "close()",
        "decode": "for frame in video",
    }

    __slots__ = (
        "__weakref__",
        "_cursor",
        "_end",
        "_frames",
        "_numbers",
        "_opened",
        "_process",
        "_source",
        "_start",
        "_times",
        "_track",
    )

    def __init__(self, source: _Source, opened: Reader, start: Optional[Time], end: Optional[Time]) -> None:
        self._source = source
        self._start = start
        self._end = end
        #: The first reader, which the first iteration uses.
        self._opened: Optional[Reader] = opened
        self._track: Optional[Track] = next((track for track in opened.tracks if track.is_selected), None)
        #: The presentation times of all frames; None before they are counted.
        self._times: Optional[list[Time]] = None
        #: The frame numbers of a slice; None for the whole video.
        self._numbers: Optional[range] = None
        #: The iteration that ``next`` continues.
        self._frames: Optional[Iterator[Frame]] = None
        #: The iteration of the last ``video[n]``, after the number of its next frame.
        self._cursor: Optional[tuple[int, Iterator[Frame]]] = None
        #: The process of the reader, the iterations and the open file.
        self._process = os.getpid()

    # ---- What it is --------------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """The width of a frame before rotation, in pixels."""
        return self.size[0]

    @property
    def height(self) -> int:
        return self.size[1]

    @property
    def size(self) -> "tuple[int, int]":
        """Width and height."""
        if self._source.settings["size"] is not None:
            width, height = self._source.settings["size"]
            return int(width), int(height)
        return (0, 0) if self._track is None else (self._track.width, self._track.height)

    @property
    def fps(self) -> float:
        """The mean frame rate in frames per second; 0 if not known."""
        return 0.0 if self._track is None else self._track.frame_rate

    @property
    def duration(self) -> Optional[Time]:
        """The duration of the file's whole video track, also for a range or slice; None if not known."""
        return None if self._track is None else self._track.duration

    @property
    def rotation(self) -> int:
        """The degrees by which players rotate the frames clockwise. The frames are returned without rotation."""
        return 0 if self._track is None else self._track.rotation

    @property
    def frame_count(self) -> int:
        """The number of frames, ``len(video)``."""
        return len(self)

    @property
    def times(self) -> "list[Time]":
        """The presentation time of each frame."""
        times = self._counted()
        return times if self._numbers is None else [times[number] for number in self._numbers]

    # ---- By number ---------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._counted()) if self._numbers is None else len(self._numbers)

    def __bool__(self) -> bool:
        return True

    @overload
    def __getitem__(self, number: int) -> Frame: ...

    @overload
    def __getitem__(self, number: slice) -> "Video": ...

    def __getitem__(self, number: "int | slice") -> "Frame | Video":
        numbers = self._numbers if self._numbers is not None else range(len(self._counted()))
        if isinstance(number, slice):
            if not all(each is None or hasattr(each, "__index__") for each in (number.start, number.stop, number.step)):
                raise WrongTypeError("the slice has values that are not ints; expected frame numbers; for times use read_video(start=, end=)")
            if number.step is not None and operator.index(number.step) < 1:
                raise InvalidValueError(f"the step is {number.step}; expected 1 or more: list(video)[::-1] has the frames backwards")
            return self._sliced(numbers[number])
        try:
            place = numbers[operator.index(number)]
        except TypeError:
            raise WrongTypeError(
                f"the frame's number is {type(number).__name__}; expected an int or a slice; for times use read_video(start=, end=)"
            ) from None
        except IndexError:
            raise _NoFrame(f"there is no frame {number}; expected {-len(numbers)} to {len(numbers) - 1}") from None
        return self._frame(place)

    def _sliced(self, numbers: range) -> "Video":
        return _restored(self._source, self._start, self._end, self._track, self._counted(), numbers)

    def __reduce_ex__(self, protocol: Any) -> Any:
        path = self._source.path
        if path is None:
            raise WrongTypeError(
                "a Video of an open file can be neither copied nor pickled, because a copy would share its position; "
                "expected a path"
            )
        source = _Source(path, dict(self._source.settings))
        return _restored, (source, self._start, self._end, self._track, self._times, self._numbers)

    def _enter_process(self) -> None:
        """Drops the parent's reader, decoder and iterations in a forked child, which cannot use them."""
        if self._process == os.getpid():
            return
        if self._source.path is None and not isinstance(self._source.file, io.BytesIO):
            raise InvalidValueError(
                "the open file of the video belongs to another process, and this one was forked from it; expected a path, or a "
                "file opened after the fork"
            )
        self._process = os.getpid()
        self._opened = self._frames = self._cursor = None

    def _frame(self, number: int) -> Frame:
        self._enter_process()
        cursor, self._cursor = self._cursor, None
        frames = cursor[1] if cursor is not None and cursor[0] == number else self._from(number)
        time = self._counted()[number]
        for frame in frames:
            if frame.pts < time:
                continue
            if frame.pts != time:
                break
            self._cursor = number + 1, frames
            return frame
        raise DecodingError(f"frame {number}, at {time.seconds:.6g} s, cannot be decoded")

    def _from(self, number: int) -> Iterator[Frame]:
        return self._decoded(self._counted()[number], self._end)

    def _counted(self) -> "list[Time]":
        if self._times is None:
            if not self._source.can_repeat:
                raise WrongTypeError("the frames cannot be counted, because the file is not seekable; expected a path, or list(video)")
            reader = self._reader()
            with reader:
                shown = [sample.pts for sample in self._samples(reader, self._start) if not sample.is_hidden]
            self._times = sorted(time for time in shown if self._contains(time))
        return self._times

    def _contains(self, time: Time) -> bool:
        return (self._start is None or time >= self._start) and (self._end is None or time < self._end)

    # ---- One after the other -----------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Frame]:
        """Returns an iterator over all frames; after ``next(video)``, over the remaining ones."""
        self._enter_process()
        frames, self._frames = self._frames, None
        return self._begun() if frames is None else frames

    def __next__(self) -> Frame:
        self._enter_process()
        if self._frames is None:
            self._frames = self._begun()
        return next(self._frames)

    def _begun(self) -> Iterator[Frame]:
        if self._numbers is None:
            return self._decoded(self._start, self._end)
        return self._chosen(self._numbers)

    def _chosen(self, numbers: range) -> Iterator[Frame]:
        if not numbers:
            return
        times = self._counted()
        after = numbers[-1] + 1
        for frame in self._decoded(times[numbers[0]], times[after] if after < len(times) else self._end):
            number = bisect.bisect_left(times, frame.pts)
            if number in numbers:
                yield frame

    def _reader(self) -> Reader:
        self._enter_process()
        reader, self._opened = self._opened, None
        if reader is not None and not reader.closed:
            return reader
        if not self._source.can_repeat:
            raise InvalidValueError("the frames of a file that is not seekable can be read only once; use list(video) first")
        return self._source.reader()

    def _decoded(self, start: Optional[Time], end: Optional[Time]) -> Iterator[Frame]:
        settings = {name: value for name, value in self._source.settings.items() if value is not None}
        track = self._track
        origin = Origin(self._source.path, 0, False)
        if track is not None:
            aspect = track.pixel_aspect_ratio
            origin = Origin(self._source.path, track.rotation, track.is_mirrored, None if aspect == (1, 1) else aspect)
        with self._reader() as reader, Decoder(**settings) as decoder:
            for frame in _decoded(decoder, self._samples(reader, start), end):
                if (start is None or frame.pts >= start) and (end is None or frame.pts < end):
                    frame._origin = origin
                    yield frame

    def _samples(self, reader: Reader, start: Optional[Time]) -> Iterator[Sample]:
        """Yields the samples. With ``errors="ignore"``, corrupt samples are left out."""
        ignores = self._source.settings["errors"] == "ignore"
        samples = reader if start is None else reader._samples_from(start, ignores)
        while True:
            try:
                yield next(samples)
            except StopIteration:
                return
            except InvalidValueError as error:
                if not ignores or error.status_name != "BAD_DATA":
                    raise

    # ---- The end -----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends the iterations of ``next`` and ``video[n]``, and closes a file opened from a path."""
        reader, self._opened = self._opened, None
        self._frames = self._cursor = None
        if reader is not None:
            reader.close()

    def __enter__(self) -> "Video":
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        count = "" if self._numbers is None and self._times is None else f", {len(self)} frames"
        return f"<Video {self.width}x{self.height}, {self.fps:.6g} fps{count}>"


def _restored(
    source: _Source,
    start: Optional[Time],
    end: Optional[Time],
    track: Optional[Track],
    times: "Optional[list[Time]]",
    numbers: Optional[range],
) -> Video:
    """Returns a video that opens its own reader when it needs one."""
    video = Video.__new__(Video)
    video._source, video._start, video._end = source, start, end
    video._opened, video._track, video._times = None, track, times
    video._numbers, video._frames, video._cursor = numbers, None, None
    video._process = os.getpid()
    return video


class _NoFrame(InvalidValueError, IndexError):
    """No frame has that number. The error is an IndexError, like that of lists."""


def _decoded(decoder: Decoder, samples: Iterator[Sample], end: Optional[Time]) -> Iterator[Frame]:
    for sample in samples:
        # A decode time is never after the presentation time, so this sample and all later ones are shown at the end or later.
        if end is not None and sample.dts >= end:
            break
        yield from decoder.decode(sample)
    while frames := decoder.flush():
        yield from frames


def read_video(
    file: Union[str, "os.PathLike[str]", BinaryIO],
    *,
    format: Optional[str] = "rgb",
    size: Optional[tuple[int, int]] = None,
    start: Optional[TimeLike] = None,
    end: Optional[TimeLike] = None,
    threads: Optional[int] = None,
    drop_until_key_frame: bool = False,
    maximum_pixel_count: Optional[int] = None,
    errors: str = "strict",
) -> Video:
    """Reads the frames of a file in display order: the counterpart of :func:`nalu.write_video`.

    :param file: see :func:`nalu.open`.
    :param format: the pixel format of the frames; None means the decoder's default.
    :param start,end: only the frames from ``start`` to before ``end``: seconds as an int, float or Fraction, or a
        :class:`nalu.Time`, in the times of the file.
    :param errors: with ``"strict"`` the first sample that cannot be read or decoded raises and ends the iteration; with
        ``"ignore"`` such samples are left out.

    :class:`nalu.Decoder` describes the other arguments. The result is a :class:`nalu.media.Video`, which also counts frames and
    has slices.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> _ = nalu.write_video(file, [bytes(64 * 48)] * 3, fps=25, format="gray", size=(64, 48), container="mp4")
    >>> _ = file.seek(0)
    >>> [(frame.shape, frame.time) for frame in nalu.read_video(file)]
    [((48, 64, 3), 0.0), ((48, 64, 3), 0.04), ((48, 64, 3), 0.08)]
    """
    settings: dict[str, Any] = {
        "format": format,
        "size": size,
        "threads": threads,
        "drop_until_key_frame": drop_until_key_frame,
        "maximum_pixel_count": maximum_pixel_count,
        "errors": errors,
    }
    first, last = _time(start, "start"), _time(end, "end")
    if first is not None and last is not None and last <= first:
        raise InvalidValueError(f"end is {last.seconds:.6g} s and start {first.seconds:.6g} s; expected an end after the start")
    # A decoder is created only to check the arguments.
    Decoder(**{name: value for name, value in settings.items() if value is not None}).close()
    source = _Source(file, settings)
    return Video(source, source.reader(), first, last)


def _time(time: Optional[TimeLike], name: str) -> Optional[Time]:
    if time is None or isinstance(time, Time):
        return time
    return Time._from(_native_time(time, Time(1, 1), name))


def _can_seek(file: Any) -> bool:
    seekable = getattr(file, "seekable", None)
    return bool(seekable()) if callable(seekable) else hasattr(file, "seek") and hasattr(file, "tell")


__all__ = ["Video", "read_video"]
