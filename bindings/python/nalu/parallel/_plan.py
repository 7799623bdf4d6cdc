"""Where a film is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Optional, Union

from .. import time as _time
from ..errors import Error, InvalidValueError, WrongTypeError
from ..properties import PropertyValue
from ..time import Time
from ._scenes import scene_change
from ._settings import Settings, merged, number
from ._sources import Facts, File, Source, nearest, source as _source

_FIELDS = ("FieldCount", "FieldDetail")
#: x264's options that say what a property of the source says.
_SIGNAL = {
    "colorprim": "ColorPrimaries",
    "transfer": "TransferFunction",
    "colormatrix": "YCbCrMatrix",
    "chromaloc": "NaluChromaLocation",
}
_CUTS = ("key_frames", "scenes", "equal")
#: Seconds of a chunk where nothing is said, and into how many chunks a short film is cut at most.
_SHORTEST, _LONGEST, _MOST = 10, 60, 16
#: More than any run can use.
_MOST_CHUNKS = 100_000
#: Frames per second where nothing is known.
_FASTEST = 1000


@dataclass(frozen=True)
class Chunk:
    """A chunk of a film: the frames that are shown from ``begin`` to before ``end``. Made by :func:`plan`; can be pickled."""

    source: Source
    settings: Settings
    #: From 0 on.
    number: int
    #: Of all chunks.
    count: int
    #: None for the beginning of the film.
    begin: Optional[Time]
    #: None for its end.
    end: Optional[Time]
    #: The duration, about.
    seconds: float

    def __str__(self) -> str:
        begin = 0.0 if self.begin is None else self.begin.seconds
        return f"chunk {self.number} of {self.count}, {self.seconds:.3f} s from {begin:.3f} s on"


def plan(
    source: Any,
    *,
    bit_rate: int,
    chunks: Optional[int] = None,
    chunk_duration: Optional[float] = None,
    cut: str = "key_frames",
    preset: Optional[str] = None,
    properties: Optional[Mapping[str, PropertyValue]] = None,
    size: Optional[tuple[int, int]] = None,
) -> list[Chunk]:
    """Cuts a film into chunks.

    :param source: a path, an address of fsspec, a :class:`File`, or :class:`Frames`.
    :param bit_rate: bits per second, of the whole film.
    :param chunks: the number of chunks, 1 to 100,000; fewer are made if the film has too few places to cut; or
    :param chunk_duration: seconds of a chunk, above 0. Without both, 10 to 60 seconds. A chunk should be at least twice as long as
        the longest distance between key frames.
    :param cut: ``"key_frames"`` cuts at key frames of the file, so that workers decode no frames of other chunks, and at equal
        distances where key frames are too far apart; ``"scenes"`` at scene changes near equal distances; ``"equal"`` at equal
        distances, for key frames at fixed places.
    :param preset,properties: as for :class:`nalu.CompressionSession`. Colour, pixel aspect ratio, fields and a depth of 10 bits
        are those of the file; fields become progressive frames where size or profile cannot have them. A
        ``ProfileLevel`` with an AutoLevel becomes the fixed level that holds four times the bit rate.
    :param size: width and height in pixels, to which frames are scaled; left out, the film's, and a film whose size changes
        raises when the frames are encoded.

    Frames keep their times exactly. What the session does not take raises here, as for :class:`nalu.CompressionSession`. A film
    that does not say how long it is, such as a raw stream, raises ValueError. The same film and arguments give the same chunks.
    Reads only the places of the cuts, and with ``"scenes"`` the frames near them.
    """
    if cut not in _CUTS:
        raise InvalidValueError(f"cut is {cut!r}; expected one of {', '.join(_CUTS)}")
    if properties is not None and not isinstance(properties, Mapping):
        raise WrongTypeError(f"properties is {type(properties).__name__}; expected a mapping")
    found = _source(source)
    facts = found.facts()
    width, height = (facts.width, facts.height) if size is None else _pair(size)
    settings = Settings(width, height, number(bit_rate, "bit_rate", 1), facts.format, facts.frame_rate, preset)
    settings = _settings(settings, facts, _scaling(found, size), properties or {})
    cuts = _cuts(found, facts, cut, _places(facts, chunks, chunk_duration))
    begins: list[Optional[Time]] = [None, *cuts]
    ends: list[Optional[Time]] = [*cuts, None]
    return [
        Chunk(found, settings, index, len(begins), begin, end, _seconds(facts, begin, end))
        for index, (begin, end) in enumerate(zip(begins, ends))
    ]


def _scaling(source: Source, size: Any) -> "dict[str, PropertyValue]":
    """The frames of a file have its size, unless all are scaled."""
    if size is not None:
        return {"NaluAllowScaling": True}
    return {"NaluAllowScaling": False} if isinstance(source, File) else {}


def _settings(
    settings: Settings, facts: Facts, scaling: Mapping[str, PropertyValue], properties: Mapping[str, PropertyValue]
) -> Settings:
    """The settings with the properties of the source and those that were asked for, which win."""
    asked = set(properties)
    if asked & set(_FIELDS):
        # The place of chroma in a field is another one than in the frame.
        asked.update((*_FIELDS, "NaluChromaLocation"))
    if "ProfileLevel" in asked:
        # A profile of 8 bits is asked for with its depth.
        asked.add("OutputBitDepth")
    options = str(properties.get("x264.params") or "").split(":")
    asked.update(_SIGNAL[name] for name in (option.split("=")[0] for option in options) if name in _SIGNAL)
    own: dict[str, PropertyValue] = {name: value for name, value in facts.properties.items() if name not in asked}
    if scaling.get("NaluAllowScaling"):
        # Fields that are scaled with each other are none.
        own = {name: value for name, value in own.items() if name not in _FIELDS}

    def checked(own: Mapping[str, PropertyValue]) -> Settings:
        return replace(settings, properties=merged(own, scaling, properties)).checked()

    try:
        return checked(own)
    except Error:
        if "FieldCount" not in own:
            raise
    # Some sizes and profiles have no interlaced frames.
    return checked({name: value for name, value in own.items() if name not in _FIELDS})


def _pair(size: Any) -> tuple[int, int]:
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise WrongTypeError(f"size is {size!r}; expected width and height")
    return number(size[0], "width", 1), number(size[1], "height", 1)


def _seconds(facts: Facts, begin: Optional[Time], end: Optional[Time]) -> float:
    start = facts.start if begin is None else begin.fraction
    return float((facts.start + facts.duration if end is None else end.fraction) - start)


def _places(facts: Facts, chunks: Optional[int], chunk_duration: Optional[float]) -> list[Fraction]:
    """Where cuts are wanted, in seconds from the beginning."""
    if chunks is not None:
        if chunk_duration is not None:
            raise InvalidValueError("chunks and chunk_duration are both given; expected one of them")
        count = min(number(chunks, "chunks", 1, _MOST_CHUNKS), _frames(facts))
        return [facts.duration * index / count for index in range(1, count)]
    if chunk_duration is None:
        length = min(Fraction(_LONGEST), max(Fraction(_SHORTEST), facts.duration / _MOST))
        count = max(1, round(facts.duration / length))
        return [facts.duration * index / count for index in range(1, count)]
    length = _time.rational(chunk_duration, "chunk_duration").fraction
    length = max(length, facts.duration / _frames(facts))
    # Half of a chunk at the end goes to the chunk before it.
    count = max(1, round(facts.duration / length))
    if count > _MOST_CHUNKS:
        raise InvalidValueError(f"chunk_duration is {chunk_duration}, which makes {count} chunks; expected at most {_MOST_CHUNKS}")
    return [length * index for index in range(1, count)]


def _frames(facts: Facts) -> int:
    """About how many there are: no chunk is shorter than a frame."""
    return max(1, round(facts.duration * Fraction(*(facts.frame_rate or (_FASTEST, 1)))))


def _cuts(source: Source, facts: Facts, cut: str, places: list[Fraction]) -> list[Time]:
    """Where the film is cut: each later than the one before."""
    cuts: list[Time] = []
    last = facts.start
    for index, place in enumerate(places):
        wanted = facts.start + place
        room = (place - (places[index - 1] if index else 0)) / 2
        found = _cut(source, facts, cut, wanted, room)
        if last < found.fraction < facts.start + facts.duration:
            cuts.append(found)
            last = found.fraction
    return cuts


def _cut(source: Source, facts: Facts, cut: str, wanted: Fraction, room: Fraction) -> Time:
    if cut == "scenes":
        near = scene_change(source, (facts.width, facts.height), wanted, min(room / 2, Fraction(2)))
        if near is not None:
            return near
    if cut != "equal":
        entry = source.entry(wanted)
        if entry is not None and wanted - entry.fraction <= room:
            return entry
    return _exact(source, facts, wanted)


def _exact(source: Source, facts: Facts, wanted: Fraction) -> Time:
    """The time as Time has it; of frames that are counted, that of a whole number of them."""
    if facts.frame_rate is not None:
        rate = Fraction(*facts.frame_rate)
        count = round((wanted - facts.start) * rate)
        return nearest(facts.start + count / rate)
    return nearest(wanted)


__all__ = ["Chunk", "plan"]
