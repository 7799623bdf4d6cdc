"""Where frames come from, as every worker can get them."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, BinaryIO, Callable, NamedTuple, Optional, Union

from .. import media, time
from ..bitstream import SequenceInfo
from ..errors import DecodingError, Error, InputOutputError, InvalidValueError, WrongTypeError
from ..frames import describe
from ..formats import named
from ..properties import PropertyValue, catalogue
from ..sample import Sample
from ..time import Time
from ._settings import number


class Facts(NamedTuple):
    """What is known of a source before its frames are read."""

    width: int
    height: int
    format: Optional[str]
    frame_rate: Optional[tuple[int, int]]
    start: Fraction
    #: Seconds.
    duration: Fraction
    properties: Mapping[str, PropertyValue]
    rotation: int = 0
    mirrored: bool = False


class Shown(NamedTuple):
    """A frame, when it is shown, and for how long."""

    frame: Any
    pts: Time
    duration: Optional[Time]
    is_damaged: bool = False

    def until(self, end: Time) -> "Shown":
        """The same frame, shown until a time."""
        seconds = end.fraction - self.pts.fraction
        if not 0 < seconds or seconds.denominator > 0x7FFFFFFF:
            return self
        return self._replace(duration=Time(seconds.numerator, seconds.denominator))


def _signal(sequence: SequenceInfo) -> dict[str, PropertyValue]:
    """The colour that an SPS states, as codes for the session that encodes it again."""
    codes = {
        "ColorPrimaries": sequence.color_primaries,
        "TransferFunction": sequence.transfer_characteristics,
        "YCbCrMatrix": sequence.matrix_coefficients,
    }
    # An SPS that says nothing means 0.
    if sequence.chroma_location > 0:
        codes["NaluChromaLocation"] = sequence.chroma_location
    known = {name: catalogue()[name].range or (0, -1) for name in codes}
    return {name: code for name, code in codes.items() if known[name][0] <= code <= known[name][1]}


@dataclass(frozen=True)
class File:
    """A video file that every worker can open, with H.264 or H.265.

    :param address: a path, or an address that fsspec opens, such as ``"s3://bucket/film.mp4"``, which needs the package fsspec.
    :param storage_options: for fsspec.
    :param format,ignore_edit_list: as for :func:`nalu.open`.

    Workers seek to their chunk and read nothing else. Every frame is in exactly one chunk, also where groups of pictures are open,
    frames are reordered, or an edit list hides some. The file must say how long it is, which raw streams do not.
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
            # Workers may have another current folder.
            object.__setattr__(self, "address", os.path.abspath(self.address))

    @property
    def _is_remote(self) -> bool:
        return "://" in self.address

    @contextlib.contextmanager
    def opened(self) -> Iterator[Union[str, BinaryIO]]:
        """What readers take."""
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
        """Each file system of fsspec has exceptions of its own."""
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
        """What changes when the file does."""
        if not self._is_remote:
            status = os.stat(self.address)
            return ["file", self.address, status.st_size, status.st_mtime_ns]
        with self._reached():
            system, path = self._fsspec().core.url_to_fs(self.address, **self.storage_options)
            info = system.info(path)
        marks = [str(info.get(name)) for name in ("ETag", "etag", "mtime", "LastModified", "created")]
        return ["file", self.address, info.get("size"), *marks]

    def facts(self) -> Facts:
        with self.reader() as reader:
            track = next((each for each in reader.tracks if each.is_selected), None)
            if track is None:
                raise InvalidValueError(f"{self.address} has no video that can be read; expected H.264 or H.265")
            length = track.duration or reader.duration
            start = Fraction(0) if track.start_time is None else track.start_time.fraction
            frame, sequence = self._first_frame(reader)
        properties: dict[str, PropertyValue] = {}
        ratio = track.pixel_aspect_ratio
        # What the container says is what players follow.
        if ratio != (1, 1) or sequence.pixel_aspect_ratio[0] > 0:
            properties["PixelAspectRatio"] = [float(each) for each in ratio]
        properties.update(_signal(sequence))
        if sequence.luma_bit_depth > 8:
            properties["OutputBitDepth"] = 10
        if frame.field_order is not None:
            properties["FieldCount"] = 2
            properties["FieldDetail"] = f"Temporal{frame.field_order.capitalize()}First"
        rate = time.rational(track.frame_rate, "frame_rate") if track.frame_rate > 0 else None
        if length is None:
            raise InvalidValueError(f"{self.address} does not say how long it is; rewrite it first, for example as MP4")
        return Facts(
            frame.width,
            frame.height,
            frame.format,
            None if rate is None else (rate.value, rate.timescale),
            start,
            length.fraction,
            properties,
            track.rotation,
            track.is_mirrored,
        )

    def _first_frame(self, reader: media.Reader) -> tuple[media.Frame, SequenceInfo]:
        with media.Decoder(threads=1, errors="ignore") as decoder:
            for sample in reader:
                for frame in decoder.decode(sample):
                    return frame, sample.format_description.sequence
            for frame in decoder.flush():
                return frame, sample.format_description.sequence
        raise InvalidValueError(f"{self.address} has no frame that can be decoded")

    def entry(self, place: Fraction) -> Optional[Time]:
        """When the last frame at or before a time is shown that decoding can begin with."""
        with self.reader() as reader:
            reader.seek(place)
            for sample in reader:
                return sample.pts
        return None

    def frames(self, begin: Optional[Time], end: Optional[Time]) -> Iterator[Shown]:
        """The frames that are shown from ``begin`` to before ``end``, in this order, each until the next one is shown.

        An MP4 has the distances of decode times, which are not those where frames are reordered.
        """
        last: Optional[Shown] = None
        following = _Following(end)
        for shown in self._decoded(begin, end, following):
            if last is not None:
                yield last.until(shown.pts)
            last = shown
        if last is not None:
            yield last if following.earliest is None else last.until(following.earliest)

    def _decoded(self, begin: Optional[Time], end: Optional[Time], following: "_Following") -> Iterator[Shown]:
        """The same with the durations that the container has."""
        expected = given = 0

        def kept(frames: list[media.Frame]) -> Iterator[Shown]:
            for frame in frames:
                if _is_within(frame.pts, begin, end):
                    yield Shown(frame, frame.pts, frame.duration, frame.is_damaged)

        with self.reader() as reader, media.Decoder(threads=1, errors="ignore") as decoder:
            for sample in self._readable(reader if begin is None else reader._samples_from(begin)):
                following.see(sample)
                # A frame is decoded no later than it is shown: what comes now is shown later.
                if end is not None and sample.dts >= end:
                    break
                expected += _is_within(sample.pts, begin, end) and not sample.is_hidden
                for shown in kept(decoder.decode(sample)):
                    given += 1
                    yield shown
            while frames := decoder.flush():
                for shown in kept(frames):
                    given += 1
                    yield shown
        if given != expected:
            place = "the beginning" if begin is None else f"{begin.seconds:.6g} s"
            raise DecodingError(f"{self.address} is damaged: {expected - given} of {expected} frames from {place} on cannot be decoded")


    def _readable(self, samples: Iterator[Sample]) -> Iterator[Sample]:
        """The samples. What is damaged is named with its file and place."""
        last: Optional[Sample] = None
        while True:
            try:
                last = next(samples)
            except StopIteration:
                return
            except InvalidValueError as error:
                place = "at its beginning" if last is None else f"after the frame at {last.pts.seconds:.6g} s"
                remedy = "read_video(errors='ignore') and nalu transcode leave such frames out"
                raise InvalidValueError(
                    f"{self.address} is damaged {place}: {error}; {remedy}", error.status, error.status_name
                ) from error
            yield last


class _Following:
    """When the first frame after a chunk is shown, or somewhat earlier."""

    def __init__(self, end: Optional[Time]) -> None:
        self._end = end
        #: None as long as there is no such frame.
        self.earliest: Optional[Time] = None

    def see(self, sample: Sample) -> None:
        """A sample of the chunk, or the first one that is decoded after its end."""
        if self._end is None:
            return
        # What comes later is shown no earlier than this one is decoded.
        for place in (sample.pts, sample.dts):
            if place >= self._end and (self.earliest is None or place < self.earliest):
                self.earliest = place


@dataclass(frozen=True)
class Frames:
    """Frames by their index, from a function.

    :param function: takes an index, from 0 on, and returns a frame as :meth:`nalu.CompressionSession.encode` takes it. Workers
        call it: it must be possible to pickle it, so it is one of a module, or an object with ``__call__``.
    :param count: how many there are, 1 or more. ``frame_rate``: frames per second, above 0. ``format``: of frames that do not say
        theirs, as for :class:`nalu.CompressionSession`.
    :param size: width and height of frames that are bytes without a shape; left out, those of frame 0.
    :param name: by which a resumed run recognises the frames; left out, the name of the function.
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
        number(self.count, "count", 1)

    @property
    def _rate(self) -> Fraction:
        return time.rational(self.frame_rate, "frame_rate").fraction

    def identity(self) -> list[Any]:
        kind = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        # Methods that are written in C have no module.
        module = getattr(kind, "__module__", None) or type(getattr(kind, "__self__", None)).__module__
        name = self.name or f"{module}.{kind.__qualname__}"
        return ["frames", name, self.count, str(self._rate), self.format]

    def facts(self) -> Facts:
        planes = describe(self.function(0), None if self.format is None else named(self.format), self.size)
        width, height = planes.width, planes.height
        planes.release()
        rate = self._rate
        return Facts(width, height, self.format, (rate.numerator, rate.denominator), Fraction(0), self.count / rate, {})

    def entry(self, place: Fraction) -> Optional[Time]:
        return self._time(round(place * self._rate))

    def _time(self, index: int) -> Time:
        return Time(index * self._rate.denominator, self._rate.numerator)

    def frames(self, begin: Optional[Time], end: Optional[Time]) -> Iterator[Shown]:
        first = 0 if begin is None else _ceiling(begin.fraction * self._rate)
        last = self.count if end is None else min(self.count, _ceiling(end.fraction * self._rate))
        for index in range(max(0, first), last):
            yield Shown(self.function(index), self._time(index), self._time(1))


Source = Union[File, Frames]


def source(given: Any) -> Source:
    """A source from what a client gives for one."""
    return given if isinstance(given, (File, Frames)) else File(given)


def nearest(seconds: Fraction) -> Time:
    """The time that is nearest to it."""
    limited = seconds.limit_denominator(0x7FFFFFFF)
    return Time(limited.numerator, limited.denominator)


def _is_within(pts: Time, begin: Optional[Time], end: Optional[Time]) -> bool:
    return (begin is None or pts >= begin) and (end is None or pts < end)


def _ceiling(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


__all__ = ["File", "Frames"]
