"""The settings that all chunks of a video have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .. import _ffi
from ..encoders import encoders


@dataclass(frozen=True)
class Settings:
    """The settings with which every chunk is encoded. Made by :func:`plan`."""

    width: int
    height: int
    #: Bits per second of the whole video.
    bit_rate: int
    #: The number of the frames' pixel format; 0 if it is not known.
    format: int
    #: The properties of the sessions, as text for :class:`nalu.CompressionSession`.
    properties: str
    #: Whether frames of other sizes are scaled.
    scales: bool
    #: The highest bit rate of the level; None for any.
    highest_rate: Optional[int]
    #: ``DataRateLimits`` of the whole video: alternately bytes and seconds.
    limits: tuple[float, ...]


def version() -> str:
    """Returns the versions on which a chunk's bytes depend, and which all workers must share."""
    name = _ffi.fast.nalu_version_string().decode("ascii")
    return f"Nalu {name} with {', '.join(encoder.name for encoder in encoders())}"
