"""Writing samples to containers."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from typing import Any, BinaryIO, NamedTuple, Optional, Union

from .. import _paths
from .._handles import check, encoded
from .._numbers import whole_number
from ..errors import Error, InputOutputError, InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from . import _ffi
from ._files import FileObject, OutputCallbacks
from .reader import Reader, Track


class Repairs(NamedTuple):
    """The repairs and omissions of a writer."""

    #: Samples whose decode time was changed by ``repair_times``.
    decode_times: int
    #: The samples among them whose presentation time was also moved later.
    presentation_times: int
    #: Packets of other tracks whose times were moved.
    moved_packets: int
    #: Corrupt packets of other tracks, which were left out.
    left_out_packets: int


class Writer(FileObject):
    """Writes samples into a file: MP4, MOV, Matroska, MPEG-TS, FLV or a raw stream.

    :param file: a path, a file that is open for binary writing, or a file descriptor.
    :param container: ``"mp4"``, ``"mov"``, ``"matroska"``, ``"mpegts"``, ``"flv"``, ``"h264"`` or ``"hevc"``; default: the
        container of the path's extension.
    :param overwrite: replace an existing file; otherwise it raises :class:`nalu.OutputExistsError`, a FileExistsError.
    :param fragmented: MP4 and MOV in fragments, which need no seekable output and can be played after a crash of the process.
        Each key frame begins a fragment, and so does the first sample after each ``fragment_duration`` (seconds, 0.001 to 2000).
    :param fast_start: MP4 and MOV with the index before the samples; needs a path.
    :param start_at_zero: move all times so that the first sample is presented at 0.
    :param repair_times: repair decode times that do not increase or that are after a presentation time, as in files of cameras
        and broadcasts; otherwise such samples raise ValueError. ``repaired`` counts them.
    :param parameter_sets_in_band: MP4 and MOV with the parameter sets before each sample at which decoding can start (``avc3`` and
        ``hev1``), so that they may change within a fragmented file too.
    :param creation_time: seconds since 1970, UTC; default: none, so that the same samples make the same file.
    :param rotation: MP4 and MOV: 0, 90, 180 or 270 degrees by which players rotate the picture clockwise.
    :param mirrored: MP4 and MOV: players mirror the picture from left to right before they rotate it.
    :param timescale: MP4 and MOV: units per second of the times; default: the timescale of the samples.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
    ...     with nalu.media.Writer(file, container="mp4") as writer:
    ...         for sample in session.encode(bytes(64 * 48)) + session.flush():
    ...             writer.write(sample)
    >>> file.getvalue()[4:8]
    b'ftyp'

    Times in MP4 and MOV are exact; Matroska and FLV round to milliseconds, MPEG-TS to 1/90000 s. The end of the ``with`` block
    finishes the file. An MP4 or MOV that is not fragmented replaces an existing file only then: until the writer is closed, and
    if the ``with`` block raises, an existing file stays unchanged. Other files are written in place, and can be read while they
    grow. A new file has the samples before the exception; without one it is removed. A file can be read and written under the same
    path. A path that cannot be opened or written to raises :class:`nalu.InputOutputError`, an OSError. An exception of an open
    file is raised by the call that wrote to it. After such a failure nothing more is written; an MP4 or MOV that is not
    ``fragmented`` then cannot be used.

    Any thread may use a writer; its calls run one after the other, and the interpreter's lock is free during a call.
    """

    _name = "writer"
    __slots__ = (
        "__weakref__",
        "_audio",
        "_callbacks",
        "_created",
        "_library",
        "_lock",
        "_mirrored",
        "_passes",
        "_pointer",
        "_process",
        "_repaired",
        "_replaces",
        "_rotation",
        "_timescale",
        "_video",
    )

    def __init__(
        self,
        file: Union[str, "os.PathLike[str]", BinaryIO, int],
        container: Optional[str] = None,
        *,
        overwrite: bool = False,
        fragmented: bool = False,
        fragment_duration: Optional[float] = None,
        fast_start: bool = False,
        start_at_zero: bool = False,
        repair_times: bool = False,
        parameter_sets_in_band: bool = False,
        creation_time: Optional[int] = None,
        rotation: int = 0,
        mirrored: bool = False,
        timescale: Optional[int] = None,
    ) -> None:
        self._pointer: Any = None
        self._callbacks: Optional[OutputCallbacks] = None
        #: The numbers of the tracks for audio samples.
        self._audio: "list[int]" = []
        #: The number of the video track; None before it is added.
        self._video: Optional[int] = None
        #: Whether a file existed, which is replaced when the new one is complete.
        self._replaces = False
        #: The path that is written to; None for an open file or a descriptor.
        self._created: Optional[_paths.Created] = None
        #: Whether tracks of a reader are copied.
        self._passes = False
        self._rotation = _integer(rotation, "rotation")
        # Checked here, because the library checks the rotation after it has created the file.
        if self._rotation not in (0, 90, 180, 270):
            raise InvalidValueError(f"rotation is {rotation}; expected 0, 90, 180 or 270 degrees")
        self._mirrored = bool(mirrored)
        self._timescale = 0 if timescale is None else _integer(timescale, "timescale")
        self._process = os.getpid()
        self._repaired = Repairs(0, 0, 0, 0)
        # Reentrant: if a file calls its own writer, the library must be able to refuse that.
        self._lock = threading.RLock()
        options = _ffi.nalu_writer_options(
            ctypes.sizeof(_ffi.nalu_writer_options),
            (_ffi.WRITER_FRAGMENTED if fragmented else 0)
            | (_ffi.WRITER_FAST_START if fast_start else 0)
            | (_ffi.WRITER_START_AT_ZERO if start_at_zero else 0)
            | (_ffi.WRITER_REPAIR_TIMES if repair_times else 0)
            | (_ffi.WRITER_PARAMETER_SETS_IN_BAND if parameter_sets_in_band else 0),
            0.0 if fragment_duration is None else float(fragment_duration),
            0 if creation_time is None else int(creation_time),
        )
        self._library = _ffi.library()
        self._pointer = self._create(file, container, options, overwrite)

    def _create(self, file: Any, container: Optional[str], options: Any, overwrite: bool) -> Any:
        lib = self._library.lib
        out = _ffi.nalu_writer_p()
        name = None if container is None else encoded(container, "container")
        if _paths.is_path(file):
            path = _paths.as_bytes(file)
            _paths.check_output(file, overwrite)
            self._replaces = os.path.isfile(file)
            self._created = _paths.Created(file)
            options.flags |= _ffi.WRITER_OVERWRITE if overwrite else 0
            try:
                check(lib.nalu_writer_create_with_path(path, name, options, ctypes.byref(out)))
            except InputOutputError as error:
                raise _paths.unwritable(error, file) from None
        elif name is None:
            raise InvalidValueError("container is missing; expected its name, such as 'mp4', because the file is not a path")
        elif hasattr(file, "write"):
            self._callbacks = callbacks = OutputCallbacks(file)
            check(
                lib.nalu_writer_create_with_callbacks(
                    ctypes.cast(callbacks.write, ctypes.c_void_p),
                    callbacks.seek_pointer,
                    None,
                    None,
                    name,
                    options,
                    ctypes.byref(out),
                )
            )
        elif hasattr(file, "__index__") and not isinstance(file, bool):
            check(lib.nalu_writer_create_with_file_descriptor(file.__index__(), name, options, ctypes.byref(out)))
        else:
            raise WrongTypeError(
                f"the file is {type(file).__name__}; expected a path, a file that is open for binary writing, or a descriptor"
            )
        return out

    def add_audio(self, format_description: FormatDescription) -> int:
        """Adds a track for the samples of an :class:`AudioEncoder`, and returns its number in this file.

        :param format_description: that of the encoder.

        Call this before the first video sample. :meth:`write` then also takes samples of the encoder, which it sorts among the
        video by time.
        """
        if not isinstance(format_description, FormatDescription):
            kind = type(format_description).__name__
            raise WrongTypeError(f"format_description is {kind}; expected a nalu.FormatDescription")
        if format_description.codec != "aac":
            raise InvalidValueError(f"format_description is {format_description!r}; expected that of an AudioEncoder")
        out = ctypes.c_uint32()
        with self._exclusive:
            add = self._library.lib.nalu_writer_add_track
            self._check(add(self._open(), format_description._pointer, None, ctypes.byref(out)))
            self._audio.append(out.value)
        return out.value

    def write(self, sample: Sample, track: Optional[int] = None) -> None:
        """Writes the next sample, in decode order. The first video sample determines the format of the video track.

        :param track: the number of the audio track, if there are several; by default a sample of audio belongs to the only one.

        A sample raises ValueError and is left out if its times do not increase or do not fit the track's timescale.
        """
        if not isinstance(sample, Sample):
            raise WrongTypeError(f"the sample is {type(sample).__name__}; expected a nalu.Sample")
        with self._exclusive:
            if sample.format_description.codec == "aac":
                number = self._audio_track(track)
                return self._check(self._library.lib.nalu_writer_write_sample(self._open(), number, sample._pointer))
            if self._video is None:
                self._video = self._add_track(sample.format_description)
            self._check(self._library.lib.nalu_writer_write_sample(self._open(), self._video, sample._pointer))

    def _audio_track(self, track: Optional[int]) -> int:
        """Returns the number of the track for an audio sample."""
        if track is not None:
            return _integer(track, "track")
        if len(self._audio) == 1:
            return self._audio[0]
        expected = "add_audio(encoder.format_description) first" if not self._audio else f"track to be one of {self._audio}"
        raise InvalidValueError(f"the sample is audio, and the file has {len(self._audio)} tracks for it; expected {expected}")

    def add_track_from(self, reader: Reader, track: Union[int, Track]) -> int:
        """Copies a track of audio or subtitles from a reader, and returns its number in this file.

        :param track: a track of the reader's ``tracks``, or its number.

        Call this before the first sample of the reader and of this writer. Afterwards the reader passes each packet of the
        track that it reads to this writer, with its times unchanged. So read up to the end of a sample before you write it;
        packets after the last sample read are not copied. A track that is video, or that the container does not support, raises
        ValueError.
        """
        if not isinstance(reader, Reader):
            raise WrongTypeError(f"the reader is {type(reader).__name__}; expected a Reader from nalu.open")
        number = track.number if isinstance(track, Track) else _integer(track, "track")
        if number < 0:
            raise InvalidValueError(f"track is {number}; expected a track number, 0 or greater")
        out = ctypes.c_uint32()
        with self._exclusive, reader._exclusive:
            add = self._library.lib.nalu_writer_add_track_from_reader
            self._check(add(self._open(), reader._open(), number, ctypes.byref(out)))
            self._passes = True
        return out.value

    def add_tracks_from(self, reader: Reader) -> "list[Track]":
        """Copies all tracks of audio and subtitles that the container supports, and returns these tracks.

        This example copies a file to another container without encoding:

        >>> import nalu
        >>> def rewrap(old, new):
        ...     with nalu.open(old) as video, nalu.media.Writer(new, repair_times=True) as writer:
        ...         writer.add_tracks_from(video)
        ...         for sample in video:
        ...             writer.write(sample)

        See :meth:`add_track_from`.
        """
        passed = []
        for track in reader.tracks:
            if track.media_type == "video":
                continue
            try:
                self.add_track_from(reader, track)
            except Error as error:
                if error.status_name != "UNSUPPORTED_DATA_FORMAT":
                    raise
            else:
                passed.append(track)
        return passed

    def _add_track(self, format_description: FormatDescription) -> int:
        options = _ffi.nalu_writer_track_options(
            ctypes.sizeof(_ffi.nalu_writer_track_options), self._rotation, self._timescale, self._mirrored
        )
        add = self._library.lib.nalu_writer_add_track
        out = ctypes.c_uint32()
        self._check(add(self._open(), format_description._pointer, options, ctypes.byref(out)))
        return out.value

    @property
    def repaired(self) -> Repairs:
        """The repairs and omissions so far; after ``close``, those of the whole file."""
        if self._is_of_this_process:
            with self._lock:
                if self._pointer is not None:
                    self._note_repairs()
        return self._repaired

    def _note_repairs(self) -> None:
        counts = _ffi.nalu_writer_counts(ctypes.sizeof(_ffi.nalu_writer_counts))
        if self._library.lib.nalu_writer_get_counts(self._pointer, counts) == 0:
            self._repaired = Repairs(
                counts.repaired_decode_times,
                counts.moved_presentation_times,
                counts.moved_packets,
                counts.left_out_packets,
            )

    def close(self) -> None:
        """Finishes the file and closes it; an open file or a descriptor stays open. Without a sample the file stays empty."""
        if not self._is_of_this_process:
            self._release()
            return
        with self._lock:
            if self._pointer is None:
                return
            try:
                if self._video is not None:
                    self._check(self._library.lib.nalu_writer_finish(self._pointer))
                self._note_repairs()
            except Error as error:
                if error.status_name != "REENTRANT":
                    self._release()
                raise
            except BaseException:
                self._release()
                raise
            self._release()

    def _release(self, finishes: bool = True) -> None:
        pointer, self._pointer = self._pointer, None
        # A forked child must not finish the file, which the parent is still writing.
        if pointer is not None and self._is_of_this_process:
            # A reader that passes packets retains the writer, which could otherwise still write after this.
            if self._passes and finishes:
                self._library.lib.nalu_writer_finish(pointer)
            self._library.lib.nalu_writer_release(pointer)
        if self._callbacks is not None:
            self._callbacks.release()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is None or not self._is_of_this_process:
            self.close()
            return
        # The exception of the block is the cause, and more useful than one from closing.
        with contextlib.suppress(Exception):
            if self._replaces:
                # If the file is not finished, the library keeps the existing file, unless it has begun to write in place.
                with self._lock:
                    self._release(finishes=False)
            else:
                self.close()
        if self._created is not None:
            self._created.remove_empty()


def _integer(value: Any, name: str) -> int:
    return whole_number(value, name, -(2**31), 2**31 - 1)


__all__ = ["Repairs", "Writer"]
