"""Samples out of containers."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple, Optional, Union

from .. import _ffi as _core
from .. import _paths, time
from .._attributes import Guessed
from .._handles import Unique, check
from ..errors import Error, InputOutputError, InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from ..time import Time, TimeLike
from . import _ffi
from ._files import InputCallbacks

_STATUSES = ("unknown", "reading", "completed", "failed", "cancelled")
_MEDIA_TYPES = {
    _ffi.MEDIA_TYPE_VIDEO: "video",
    _ffi.MEDIA_TYPE_AUDIO: "audio",
    _ffi.MEDIA_TYPE_SUBTITLE: "subtitle",
}
#: An int for a place in a file is seconds.
_SECOND = Time(1, 1)


class Track(NamedTuple):
    """What a file says about one track. None and 0 are "not known"."""

    #: Its number, from 0 on.
    number: int
    #: "video", "audio", "subtitle" or "other".
    media_type: str
    #: FFmpeg's name, for example "h264", "hevc", "aac".
    codec: str
    #: Pixels after cropping, before rotation; 0 for what is no video.
    width: int
    height: int
    #: Degrees clockwise by which a player turns the picture: 0, 90, 180, 270.
    rotation: int
    #: The picture is mirrored from left to right, before it is turned.
    is_mirrored: bool
    #: a, b, c, d, tx, ty as in CGAffineTransform; the identity without one.
    transform: tuple[float, ...]
    #: The shape of a pixel, width to height.
    pixel_aspect_ratio: tuple[int, int]
    #: Units a second of its times.
    timescale: int
    #: When the first sample is presented.
    start_time: Optional[Time]
    duration: Optional[Time]
    #: Mean frames per second.
    frame_rate: float
    #: Bits per second.
    bit_rate: int
    sample_count: int
    #: Of audio, in Hz.
    sample_rate: int
    channel_count: int
    #: ISO 639-2; "und" when not known.
    language: str
    #: It can give samples.
    is_readable: bool
    #: The reader gives its samples.
    is_selected: bool
    #: The file says that it is played by default.
    is_default: bool
    #: Its samples are encrypted: nothing here has the key, and reading one raises.
    is_encrypted: bool


def _pixel_count(count: Any) -> int:
    """The option of a reader and a decoder; 0 stands for the default."""
    if count is None:
        return 0
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise WrongTypeError(f"maximum_pixel_count is {type(count).__name__}; expected an int, or None")
    number: int = count.__index__()
    if not 1 <= number < 1 << 63:
        raise InvalidValueError(f"maximum_pixel_count is {number}; expected 1 to {(1 << 63) - 1}")
    return number


class Reader(Guessed, Unique):
    """The samples of a file, in decode order: H.264 and H.265 in MP4, MOV, Matroska, MPEG-TS, FLV, raw streams, and so on.

    ``file``: a path, or a file that is open for binary reading. An MP4 or MOV with its index at the end, from what cannot
        seek, is copied to a temporary file first, in the folder that ``TMPDIR`` names or in /tmp; the rest is read as it comes.
    ``frame_duration``: of raw streams, which have no times: seconds as a float or Fraction, or a :class:`nalu.Time`.
    ``format``: for what its content does not show, such as a stream that begins in the middle: a name as ``container`` has it,
        or another one of FFmpeg's demuxers.
    ``ignore_edit_list``: every sample of an MP4 or MOV, with the times of the media. By default a sample that the edit list
    hides comes only where others may refer to it, with ``is_hidden``.
    ``maximum_pixel_count``: the most pixels of a picture before cropping; a sample with more raises ValueError, and the
        iteration can be started again after it. Left out, 35,651,584, the most of level 6.2.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> frames = [bytes(64 * 48)] * 3
    >>> _ = nalu.write_video(file, frames, fps=25, format="gray", size=(64, 48), container="mp4")
    >>> _ = file.seek(0)
    >>> with nalu.open(file) as reader:
    ...     print(reader.container, reader.duration.seconds, reader.tracks[0].codec)
    ...     print([(sample.pts.seconds, sample.is_key_frame) for sample in reader])
    mp4 0.12 h264
    [(0.0, True), (0.08, False), (0.04, False)]

    Presentation and decode times are exact, in the units of the file. A sample's bytes are the file's; ``view`` has them
    without a copy. At first the first readable track is selected; where several are, ``tag`` of a sample is the number of its
    track. A damaged sample raises ValueError once, and the iteration can be started again after it; a file that cannot be
    read raises :class:`nalu.InputOutputError`, an OSError. What an open file raises comes out of the call that read from it.

    Any thread may use a reader; its calls run one after the other, apart from ``cancel`` and ``status``, which never wait. The
    interpreter's lock is free while samples are read.
    """

    _remedies = {
        "decode": "nalu.read_video(path) for frames, or nalu.Decoder for samples",
        "demux": "for sample in reader",
        "streams": "tracks",
        "fps": "tracks[0].frame_rate",
        "read": "next(reader)",
    }

    __slots__ = ("__weakref__", "_callbacks", "_guard", "_library", "_lock", "_pointer", "_process")

    def __init__(
        self,
        file: Union[str, "os.PathLike[str]", BinaryIO],
        *,
        frame_duration: Optional[TimeLike] = None,
        format: Optional[str] = None,  # noqa: A002
        ignore_edit_list: bool = False,
        maximum_pixel_count: Optional[int] = None,
    ) -> None:
        self._pointer: Any = None
        self._callbacks: Optional[InputCallbacks] = None
        self._process = os.getpid()
        # A file may use its own reader, which the library then refuses.
        self._lock = threading.RLock()
        # What is cancelled is not released meanwhile.
        self._guard = threading.Lock()
        options = _ffi.nalu_reader_options(ctypes.sizeof(_ffi.nalu_reader_options))
        if frame_duration is not None:
            options.frame_duration = time.native(frame_duration, None, "frame_duration")
        if format is not None:
            if not isinstance(format, str):
                raise WrongTypeError(f"format is {type(format).__name__}; expected a str, or None")
            if "\0" in format:
                raise InvalidValueError(f"format is {format!r}; expected one without a NUL inside")
            options.format = format.encode("utf-8", "surrogateescape")
        if ignore_edit_list:
            options.flags |= _ffi.READER_IGNORE_EDIT_LIST
        options.flags |= _ffi.READER_SPOOL
        options.maximum_pixel_count = _pixel_count(maximum_pixel_count)
        self._library = _ffi.library()
        lib = self._library.lib
        out = _ffi.nalu_reader_p()
        if _paths.is_path(file):
            path = _paths.as_bytes(file)
            try:
                check(lib.nalu_reader_create_with_path(path, options, ctypes.byref(out)))
            except InputOutputError as error:
                raise _paths.unreadable(error, file) from None
        elif hasattr(file, "read"):
            self._callbacks = callbacks = InputCallbacks(file)
            self._check(
                lib.nalu_reader_create_with_callbacks(
                    ctypes.cast(callbacks.read, ctypes.c_void_p),
                    callbacks.seek_pointer,
                    callbacks.size,
                    None,
                    None,
                    options,
                    ctypes.byref(out),
                )
            )
        else:
            raise WrongTypeError(f"the file is {type(file).__name__}; expected a path, or a file open for binary reading")
        self._pointer = out

    # ---- What it is --------------------------------------------------------------------------------------------

    @property
    def container(self) -> str:
        """``"mp4"``, ``"mov"``, ``"matroska"``, ``"mpegts"``, ``"flv"``, ``"h264"``, or FFmpeg's name of another one."""
        with self._lock:
            name: bytes = self._library.fast.nalu_reader_get_container(self._open()) or b""
            return name.decode("utf-8", "replace")

    @property
    def duration(self) -> Optional[Time]:
        """How long the longest track is presented; None when not known."""
        with self._lock:
            return _numeric(self._library.fast.nalu_reader_get_duration(self._open()))

    @property
    def tracks(self) -> list[Track]:
        """Every track of the file, as it is now."""
        with self._lock:
            count = self._library.fast.nalu_reader_get_track_count(self._open())
            return [self._track(number) for number in range(count)]

    def _track(self, number: int) -> Track:
        track = _ffi.nalu_reader_track(ctypes.sizeof(_ffi.nalu_reader_track))
        check(self._library.fast.nalu_reader_get_track(self._open(), number, track))
        return Track(
            number=number,
            media_type=_MEDIA_TYPES.get(track.media_type, "other"),
            codec=(track.codec_name or b"").decode("utf-8", "replace"),
            width=track.width,
            height=track.height,
            rotation=track.rotation,
            is_mirrored=bool(track.is_mirrored),
            transform=tuple(track.transform),
            pixel_aspect_ratio=(track.pixel_aspect_ratio_horizontal, track.pixel_aspect_ratio_vertical),
            timescale=track.timescale,
            start_time=_numeric(track.start_time),
            duration=_numeric(track.duration),
            frame_rate=track.nominal_frame_rate,
            bit_rate=track.bit_rate,
            sample_count=track.sample_count,
            sample_rate=track.sample_rate,
            channel_count=track.channel_count,
            language=track.language.decode("ascii", "replace"),
            is_readable=bool(track.flags & _ffi.TRACK_READABLE),
            is_selected=bool(track.flags & _ffi.TRACK_SELECTED),
            is_default=bool(track.flags & _ffi.TRACK_DEFAULT),
            is_encrypted=bool(track.flags & _ffi.TRACK_ENCRYPTED),
        )

    def format_description(self, track: int) -> Optional[FormatDescription]:
        """Of a readable track, as it is now; None for others, and until parameter sets have been read."""
        with self._lock:
            pointer = self._library.fast.nalu_reader_get_format_description(self._open(), track)
            return None if not pointer else FormatDescription(_core.fast.nalu_format_description_retain(pointer))

    @property
    def status(self) -> str:
        """``"unknown"`` before the first sample, ``"reading"``, ``"completed"``, ``"failed"`` or ``"cancelled"``."""
        with self._guard:
            return _STATUSES[self._library.fast.nalu_reader_get_status(self._open())]

    # ---- Samples -----------------------------------------------------------------------------------------------

    def select(self, track: int, selected: bool = True) -> None:
        """Whether samples of this track are given, too. Before the first sample, or right after ``seek``."""
        with self._lock:
            self._check(self._library.lib.nalu_reader_select_track(self._open(), track, bool(selected)))

    def __iter__(self) -> Iterator[Sample]:
        return self

    def __next__(self) -> Sample:
        track, out = ctypes.c_uint32(), _core.nalu_sample_p()
        with self._lock:
            status = self._library.lib.nalu_reader_next_sample(self._open(), ctypes.byref(track), ctypes.byref(out))
            if status == _core.VALUE_NOT_AVAILABLE:
                raise StopIteration
            self._check(status)
        return Sample(out, track.value)

    def seek(self, time_: TimeLike) -> None:
        """The next sample is the last one at or before this time that decoding can begin with.

        Seconds, as an int, float or Fraction, or a :class:`nalu.Time`.
        """
        place = time.native(time_, _SECOND, "time")
        with self._lock:
            self._check(self._library.lib.nalu_reader_seek(self._open(), place))

    def _samples_from(self, begin: Time, skips_damage: bool = False) -> Iterator[Sample]:
        """The samples that decoding needs for all frames from a time on.

        ``skips_damage``: a damaged first sample is left out; otherwise it raises here.
        """
        place = begin
        while True:
            self.seek(place)
            first = self._first(skips_damage)
            if first is None:
                return iter(())
            # Where pictures are refreshed bit by bit, they are right only some frames after a recovery point: begin at the
            # intra frame before it.
            if first.is_key_frame or not first.depends_on_others:
                break
            earlier = Time(first.pts.value - 1, first.pts.timescale)
            if earlier >= place:
                break
            place = earlier
        return itertools.chain((first,), self)

    def _first(self, skips_damage: bool) -> Optional[Sample]:
        while True:
            try:
                return next(self, None)
            except InvalidValueError as error:
                if not skips_damage or error.status_name != "BAD_DATA":
                    raise

    def cancel(self) -> None:
        """Makes the call in progress in another thread, and all later ones, raise :class:`nalu.CancelledError`."""
        with self._guard:
            check(self._library.fast.nalu_reader_cancel(self._open()))

    # ---- The end -----------------------------------------------------------------------------------------------

    def _open(self) -> Any:
        if self._pointer is None:
            raise InvalidValueError("the reader is closed")
        return self._pointer

    def _check(self, status: int) -> None:
        if status and self._callbacks is not None:
            self._callbacks.raise_failure()
        check(status)

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        """Closes the file; one that was given open stays open. Samples stay valid."""
        if self._pointer is None:
            return
        if self._callbacks is not None and self._callbacks.is_calling():
            raise Error("close() was called by the file that is being read", -17901, "REENTRANT")
        with self._lock:
            self._release()

    def _release(self) -> None:
        with self._guard:
            pointer, self._pointer = self._pointer, None
        # A forked child has the same file, which is the parent's affair.
        if pointer is not None and self._process == os.getpid():
            self._library.lib.nalu_reader_release(pointer)
        if self._callbacks is not None:
            self._callbacks.release()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self._release()

    def __repr__(self) -> str:
        if self.closed:
            return "<Reader closed>"
        return f"<Reader {self.container}, {len(self.tracks)} tracks>"


def open(  # noqa: A001
    file: Union[str, "os.PathLike[str]", BinaryIO],
    *,
    frame_duration: Optional[TimeLike] = None,
    format: Optional[str] = None,  # noqa: A002
    ignore_edit_list: bool = False,
    maximum_pixel_count: Optional[int] = None,
) -> Reader:
    """Opens a file for its samples: ``for sample in nalu.open("in.mp4")``. See :class:`nalu.media.Reader`."""
    return Reader(
        file,
        frame_duration=frame_duration,
        format=format,
        ignore_edit_list=ignore_edit_list,
        maximum_pixel_count=maximum_pixel_count,
    )


def _numeric(native: Any) -> Optional[Time]:
    time_ = Time._from(native)
    return time_ if time_.is_numeric else None


__all__ = ["Reader", "Track", "open"]
