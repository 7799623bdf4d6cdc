"""Nalu: H.264 encoding in a session that is controlled while it runs.

A clip in one call, from numpy arrays or anything with the buffer protocol::

    nalu.write_video("clip.h264", frames, fps=25, bit_rate=2_000_000)

Frame by frame::

    with nalu.CompressionSession(1280, 720, frame_rate=25, bit_rate=2_000_000) as session:
        for frame in frames:
            for sample in session.encode(frame):
                send(sample.annex_b(), sample.pts, sample.is_key_frame)
        for sample in session.flush():
            send(sample.annex_b(), sample.pts, sample.is_key_frame)
"""

from __future__ import annotations

from . import _ffi, bitstream
from ._library import LibraryNotFoundError
from .encoders import Encoder, encoders
from .errors import (
    EncodingError,
    Error,
    InvalidValueError,
    PropertyNotSupportedError,
    ReadOnlyError,
    SessionClosedError,
    TooLateError,
    WouldBlockError,
    WrongTypeError,
)
from .format_description import FormatDescription
from .properties import PRESETS, Properties, PropertyInfo, catalogue
from .quality import QualityMetrics
from .sample import Sample
from .session import CompressionSession
from .statistics import Statistics
from .time import Time
from .writer import write_video

#: The version of the library.
__version__: str = _ffi.fast.nalu_version_string().decode("ascii")

__all__ = [
    "PRESETS",
    "CompressionSession",
    "Encoder",
    "EncodingError",
    "Error",
    "FormatDescription",
    "InvalidValueError",
    "LibraryNotFoundError",
    "Properties",
    "PropertyInfo",
    "PropertyNotSupportedError",
    "QualityMetrics",
    "ReadOnlyError",
    "Sample",
    "SessionClosedError",
    "Statistics",
    "Time",
    "TooLateError",
    "WouldBlockError",
    "WrongTypeError",
    "bitstream",
    "catalogue",
    "encoders",
    "write_video",
]
