"""The places where a video is cut, and the settings of its chunks."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from .. import _ffi as _core
from .. import time as _time
from .._handles import check, encoded
from .._numbers import whole_number
from ..errors import InvalidValueError, WrongTypeError
from ..media import _ffi
from ..properties import PropertyValue, _native
from ..time import Time
from ._calls import opened
from ._settings import Settings
from ._sources import Source, source as _source

_CUTS = {
    "key_frames": _ffi.CHUNK_CUT_KEY_FRAMES,
    "scenes": _ffi.CHUNK_CUT_SCENES,
    "equal": _ffi.CHUNK_CUT_EQUAL,
}


@dataclass(frozen=True)
class Chunk:
    """A chunk of a video: the frames presented at ``begin`` or later and before ``end``. Made by :func:`plan`; can be pickled."""

    source: Source
    settings: Settings
    #: The index of the chunk, from 0.
    number: int
    #: The number of all chunks.
    count: int
    #: The first time of the chunk; None for the first chunk.
    begin: Optional[Time]
    #: The end, excluded; None for the last chunk.
    end: Optional[Time]
    #: The approximate duration.
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
    """Divides a video into chunks.

    :param source: a path, an address of fsspec, a :class:`File`, or :class:`Frames`.
    :param bit_rate: bits per second of the whole video.
    :param chunks: the number of chunks, 1 to 100,000; fewer if the video has too few places to cut; excludes ``chunk_duration``.
    :param chunk_duration: the duration of a chunk in seconds, above 0. Default: 10 to 60 seconds. A chunk should be at least twice
        as long as the longest distance between key frames.
    :param cut: ``"key_frames"`` cuts at key frames of the file, so that workers decode no frames of other chunks, and at equal
        distances if key frames are too far apart; ``"scenes"`` cuts at scene changes near equal distances; ``"equal"`` cuts at
        equal distances, for key frames at fixed places.
    :param preset,properties: see :class:`nalu.CompressionSession`. Colour, pixel aspect ratio, fields and a depth of 10 bits
        are those of the file; fields become progressive frames if the size or the profile excludes them. A
        ``ProfileLevel`` with an AutoLevel becomes the fixed level that holds four times the bit rate.
    :param size: width and height in pixels, to which frames are scaled. By default they are not scaled, and a video whose size
        changes raises when its frames are encoded.

    Frames keep their times exactly. Settings that a session refuses raise here, as in :class:`nalu.CompressionSession`. A video
    that does not state its duration, such as a raw stream, raises ValueError. The same video and arguments result in the same
    chunks. Only the places of the cuts are read, and with ``"scenes"`` the frames near them.
    """
    if cut not in _CUTS:
        raise InvalidValueError(f"cut is {cut!r}; expected one of {', '.join(_CUTS)}")
    if properties is not None and not isinstance(properties, Mapping):
        raise WrongTypeError(f"properties is {type(properties).__name__}; expected a mapping")
    if chunks is not None and chunk_duration is not None:
        raise InvalidValueError("chunks and chunk_duration are both set; set one of them")
    options = _ffi.nalu_chunk_plan_options(ctypes.sizeof(_ffi.nalu_chunk_plan_options), _CUTS[cut])
    options.bit_rate = whole_number(bit_rate, "bit_rate", 1, 2**40)
    if chunks is not None:
        options.chunk_count = whole_number(chunks, "chunks", 1, 100_000)
    if chunk_duration is not None:
        options.chunk_duration = _time.rational(chunk_duration, "chunk_duration")._native()
    if size is not None:
        options.width, options.height = _pair(size)
    if preset is not None:
        options.preset = encoded(preset, "preset")
    kept: list[Any] = []
    natives = [_native(name, value, kept) for name, value in (properties or {}).items()]
    options.property_count, options.properties = len(natives), (_core.nalu_property * len(natives))(*natives)
    found = _source(source)
    out = _ffi.nalu_chunk_plan_p()
    with opened(found) as (native, callbacks):
        callbacks.check(_ffi.library().lib.nalu_chunk_plan_create(native, options, ctypes.byref(out)))
    lib = _ffi.library().fast
    try:
        return [_chunk(out, index, found) for index in range(lib.nalu_chunk_plan_get_chunk_count(out))]
    finally:
        lib.nalu_chunk_plan_release(out)


def _chunk(plan: Any, index: int, source: Source) -> Chunk:
    native = _ffi.nalu_chunk(ctypes.sizeof(_ffi.nalu_chunk))
    check(_ffi.library().fast.nalu_chunk_plan_get_chunk(plan, index, native))
    settings = Settings(
        native.width,
        native.height,
        native.bit_rate,
        native.format,
        native.properties.decode(),
        bool(native.flags & _ffi.CHUNK_SCALES),
        native.highest_rate or None,
        tuple(native.limits[: native.limit_count]),
    )
    begin = None if native.number == 0 else Time._from(native.begin)
    end = None if native.number == native.count - 1 else Time._from(native.end)
    return Chunk(source, settings, native.number, native.count, begin, end, native.seconds)


def _pair(size: Any) -> tuple[int, int]:
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise WrongTypeError(f"size is {size!r}; expected width and height")
    return whole_number(size[0], "width", 1, 16384), whole_number(size[1], "height", 1, 16384)


__all__ = ["Chunk", "plan"]
