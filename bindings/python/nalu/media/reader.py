"""Reading samples from containers."""

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
from .._handles import check
from .._numbers import whole_number
from ..errors import Error, InputOutputError, InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from ..time import Time, TimeLike
from . import _ffi
from ._files import FileObject, InputCallbacks, Pipe, is_pipe

_STATUSES = ("unknown", "reading", "completed", "failed", "cancelled")
_MEDIA_TYPES = {
    _ffi.MEDIA_TYPE_VIDEO: "video",
    _ffi.MEDIA_TYPE_AUDIO: "audio",
    _ffi.MEDIA_TYPE_SUBTITLE: "subtitle",
}
#: The unit of an int that is a time in a file: one second.
_SECOND = Time(1, 1)


class Track(NamedTuple):
    """The description of one track in a file. None and 0 mean "not known"."""

    #: The number of the track, from 0 on.
    number: int
    #: "video", "audio", "subtitle" or "other".
    media_type: str
    #: FFmpeg's name of the codec, for example "h264", "hevc", "aac".
    codec: str
    #: The size after cropping and before rotation, in pixels; 0 for tracks other than video.
    width: int
    height: int
    #: The degrees by which players rotate the picture clockwise: 0, 90, 180, 270.
    rotation: int
    #: Whether players mirror the picture from left to right, before they rotate it.
    is_mirrored: bool
    #: The fields a, b, c, d, tx, ty of CGAffineTransform; by default the identity.
    transform: tuple[float, ...]
    #: The shape of a pixel, width to height.
    pixel_aspect_ratio: tuple[int, int]
    #: The units per second of the track's times.
    timescale: int
    #: The presentation time of the first displayed sample.
    start_time: Optional[Time]
    duration: Optional[Time]
    #: Mean frames per second.
    frame_rate: float
    #: Bits per second.
    bit_rate: int
    sample_count: int
    #: The sample rate of audio, in Hz.
    sample_rate: int
    channel_count: int
    #: The language code of ISO 639-2; "und" if not known.
    language: str
    #: Whether the reader can return samples of the track.
    is_readable: bool
    #: Whether the reader returns samples of the track.
    is_selected: bool
    #: Whether the file marks the track to be played by default.
    is_default: bool
    #: Whether the samples are encrypted. The reader has no key, so reading a sample raises.
    is_encrypted: bool


def _opened_pipe(file: Any) -> Pipe:
    try:
        return Pipe(file)
    except OSError as cause:
        raise _paths.error(cause.errno, f'path "{os.fsdecode(file)}" cannot be opened: {cause.strerror}', file) from None


def _pixel_count(count: Any) -> int:
    """Returns ``maximum_pixel_count`` as C's option of a reader or decoder; 0 means the default."""
    return 0 if count is None else whole_number(count, "maximum_pixel_count", 1, (1 << 63) - 1)


class Reader(Guessed, FileObject):
    """The samples of a file, in decode order: H.264 and H.265 in MP4, MOV, Matroska, MPEG-TS, FLV, raw streams, and so on.

    :param file: a path, or a file that is open for binary reading. An MP4 or MOV with its index at the end, from a file that is
        not seekable, is first copied to a temporary file, in the directory that ``TMPDIR`` names or in /tmp; all other inputs
        are read as they arrive.
    :param frame_duration: the time for which a frame of a raw stream is shown: seconds as a float or Fraction, or a
        :class:`nalu.Time`. Default: the duration in the stream, or 1/30 s.
    :param format: the format of an input whose content does not show it, such as a stream that begins in the middle: a name as in
        ``container``, or the name of another FFmpeg demuxer.
    :param ignore_edit_list: return every sample of an MP4 or MOV, with the times of the media. By default a sample that the edit
        list hides is returned only if others may refer to it, with ``is_hidden``.
    :param maximum_pixel_count: the maximum number of pixels of a picture before cropping. A sample with more raises ValueError,
        and the iteration can continue after it. Default: 35,651,584, the maximum of level 6.2.

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

    Presentation and decode times are exact, in the units of the file. A sample has the bytes of the file; ``view`` returns them
    without a copy. Initially one track is selected: the first readable track that is played by default, or else the first
    readable one. The ``tag`` of a sample is the number of its track. A corrupt sample raises ValueError once, and the iteration
    can continue after it. A file that cannot be read raises :class:`nalu.InputOutputError`, an OSError. An exception of an open
    file is raised by the call that read from it.

    Any thread may use a reader; its calls run one after the other, except ``cancel`` and ``status``, which never wait. The
    interpreter's lock is free while samples are read. In a forked child a reader of the parent raises InvalidValueError, because
    both would share the position of the file.
    """

    _remedies = {
        "decode": "nalu.read_video(path) for frames, or nalu.Decoder for samples",
        "demux": "for sample in reader",
        "streams": "tracks",
        "fps": "tracks[0].frame_rate",
        "read": "next(reader)",
    }

    _name = "reader"
    __slots__ = ("__weakref__", "_callbacks", "_guard", "_library", "_lock", "_pipe", "_pointer", "_process")

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
        self._pipe: Optional[Pipe] = None
        self._process = os.getpid()
        # Reentrant: if a file calls its own reader, the library must be able to refuse that.
        self._lock = threading.RLock()
        # Held by cancel and status, so that the reader is not released meanwhile.
        self._guard = threading.Lock()
        options = _ffi.nalu_reader_options(ctypes.sizeof(_ffi.nalu_reader_options))
        if frame_duration is not None:
            options.frame_duration = time.native(frame_duration, None, "frame_duration")
        if format is not None:
            if not isinstance(format, str):
                raise WrongTypeError(f"format is {type(format).__name__}; expected a str, or None")
            if "\0" in format:
                raise InvalidValueError(f"format is {format!r}; expected text without NUL characters")
            options.format = format.encode("utf-8", "surrogateescape")
        if ignore_edit_list:
            options.flags |= _ffi.READER_IGNORE_EDIT_LIST
        options.flags |= _ffi.READER_SPOOL
        options.maximum_pixel_count = _pixel_count(maximum_pixel_count)
        self._library = _ffi.library()
        lib = self._library.lib
        out = _ffi.nalu_reader_p()
        source: Any = file
        path = _paths.as_bytes(file) if _paths.is_path(file) else None
        if path is not None and is_pipe(path):
            # The library would wait inside C, where no signal handler of Python runs.
            self._pipe = source = _opened_pipe(file)
        elif path is not None:
            try:
                check(lib.nalu_reader_create_with_path(path, options, ctypes.byref(out)))
            except InputOutputError as error:
                raise _paths.unreadable(error, file) from None
        if hasattr(source, "read"):
            self._callbacks = callbacks = InputCallbacks(source)
            try:
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
            except BaseException:
                self._close_pipe()
                raise
        elif path is None:
            raise WrongTypeError(f"the file is {type(file).__name__}; expected a path, or a file open for binary reading")
        self._pointer = out

    # ---- What it is --------------------------------------------------------------------------------------------

    @property
    def container(self) -> str:
        """``"mp4"``, ``"mov"``, ``"matroska"``, ``"mpegts"``, ``"flv"``, ``"h264"``, or FFmpeg's name of another container."""
        with self._exclusive:
            name: bytes = self._library.fast.nalu_reader_get_container(self._open()) or b""
            return name.decode("utf-8", "replace")

    @property
    def duration(self) -> Optional[Time]:
        """The presentation duration of the longest track; None if not known."""
        with self._exclusive:
            return _numeric(self._library.fast.nalu_reader_get_duration(self._open()))

    @property
    def tracks(self) -> list[Track]:
        """The current descriptions of all tracks."""
        with self._exclusive:
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
        """Returns the current format description of a readable track; None for other tracks, and until parameter sets have been
        read."""
        with self._exclusive:
            pointer = self._library.fast.nalu_reader_get_format_description(self._open(), track)
            return None if not pointer else FormatDescription(_core.fast.nalu_format_description_retain(pointer))

    @property
    def status(self) -> str:
        """``"unknown"`` before the first sample, ``"reading"``, ``"completed"``, ``"failed"`` or ``"cancelled"``."""
        with self._guard:
            return _STATUSES[self._library.fast.nalu_reader_get_status(self._open())]

    # ---- Samples -----------------------------------------------------------------------------------------------

    def select(self, track: int, selected: bool = True) -> None:
        """Selects or deselects a track, before the first sample or right after ``seek``. The reader returns the samples of
        selected tracks."""
        with self._exclusive:
            self._check(self._library.lib.nalu_reader_select_track(self._open(), track, bool(selected)))

    def __iter__(self) -> Iterator[Sample]:
        return self

    def __next__(self) -> Sample:
        track, out = ctypes.c_uint32(), _core.nalu_sample_p()
        with self._exclusive:
            status = self._library.lib.nalu_reader_next_sample(self._open(), ctypes.byref(track), ctypes.byref(out))
            if status == _core.VALUE_NOT_AVAILABLE:
                raise StopIteration
            self._check(status)
        return Sample(out, track.value)

    def seek(self, time_: TimeLike) -> None:
        """Moves to a time: seconds as an int, float or Fraction, or a :class:`nalu.Time`.

        The next sample is the last one at or before the time at which decoding can begin, or else the first sample.
        """
        place = time.native(time_, _SECOND, "time")
        with self._exclusive:
            self._check(self._library.lib.nalu_reader_seek(self._open(), place))

    def _samples_from(self, begin: Time, skips_damage: bool = False) -> Iterator[Sample]:
        """Returns the samples that decoding needs for all frames from a time on.

        :param skips_damage: leave out corrupt samples at the beginning; otherwise they raise here.
        """
        place = begin
        while True:
            self.seek(place)
            first = self._first(skips_damage)
            if first is None:
                return iter(())
            # With gradual refresh (intra refresh), pictures are correct only some frames after a recovery point, so begin at
            # the intra frame before that point.
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
            if self._pipe is not None:
                self._pipe.is_cancelled = True

    # ---- The end -----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes the reader. A file that was given open stays open. Samples stay valid."""
        if self._pointer is None:
            return
        if not self._is_of_this_process:
            self._release()
            return
        if self._callbacks is not None and self._callbacks.is_calling():
            raise Error("close() was called by the file that is being read", -17901, "REENTRANT")
        with self._lock:
            self._release()

    def _release(self) -> None:
        # A forked child must not release the parent's reader, whose locks another thread of the parent may have held.
        if not self._is_of_this_process:
            self._pointer = self._callbacks = None
            self._close_pipe()
            return
        with self._guard:
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._library.lib.nalu_reader_release(pointer)
        if self._callbacks is not None:
            self._callbacks.release()
        self._close_pipe()

    def _close_pipe(self) -> None:
        if self._pipe is not None:
            self._pipe.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<Reader closed>"
        if not self._is_of_this_process:
            return "<Reader of another process>"
        return f"<Reader {self.container}, {len(self.tracks)} tracks>"


def open(  # noqa: A001
    file: Union[str, "os.PathLike[str]", BinaryIO],
    *,
    frame_duration: Optional[TimeLike] = None,
    format: Optional[str] = None,  # noqa: A002
    ignore_edit_list: bool = False,
    maximum_pixel_count: Optional[int] = None,
) -> Reader:
    """Opens a file to read its samples: ``for sample in nalu.open("in.mp4")``. See :class:`nalu.media.Reader`."""
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
