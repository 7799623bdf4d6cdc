"""Nalu: H.264 encoding in a session that is controlled while it runs.

Write a video in one call, from numpy arrays or anything with the buffer protocol::

    nalu.write_video("clip.mp4", frames, fps=25, bit_rate=2_000_000)

Encode frame by frame::

    with nalu.CompressionSession(1280, 720, frame_rate=25, bit_rate=2_000_000) as session:
        for frame in frames:
            for sample in session.encode(frame):
                send(sample.annex_b(), sample.pts, sample.is_key_frame)
        for sample in session.flush():
            send(sample.annex_b(), sample.pts, sample.is_key_frame)

Read the video again, frame by frame or sample by sample::

    for frame in nalu.read_video("clip.mp4"):
        show(frame.array, frame.pts)
    for sample in nalu.open("clip.mp4"):
        send(sample.annex_b(), sample.pts, sample.is_key_frame)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _ffi, bitstream
from ._library import LibraryNotFoundError
from .encoders import Encoder, encoders
from .errors import (
    CancelledError,
    DecodingError,
    EncodingError,
    Error,
    InputOutputError,
    InvalidValueError,
    IsDirectoryError,
    NoSuchFileError,
    OutputExistsError,
    PermissionDeniedError,
    PropertyNotSupportedError,
    ReadOnlyError,
    SessionClosedError,
    TooLateError,
    WouldBlockError,
    WrongTypeError,
)
from .format_description import FormatDescription
from .passes import BitDivision, MultiPassStorage, TimeRange, divide_bits
from .properties import PRESETS, Properties, PropertyInfo, catalogue
from .quality import QualityMetrics
from .sample import Sample
from .session import CompressionSession
from .statistics import Statistics
from .stream_parser import StreamParser
from .time import Time
from .timebase import Timebase, TimebaseTimer
from .writer import VideoWriter, write_video

if TYPE_CHECKING:
    from . import capture, live, media, parallel
    from .media import Decoder, concat, cut, open, read_video

#: Names that are imported at their first use, with their modules.
_LAZY = {
    "capture": "capture",
    "live": "live",
    "media": "media",
    "parallel": "parallel",
    "Decoder": "media",
    "concat": "media",
    "cut": "media",
    "open": "media",
    "read_video": "media",
}

#: The version of the library.
__version__: str = _ffi.fast.nalu_version_string().decode("ascii")

__all__ = [
    "PRESETS",
    "BitDivision",
    "CancelledError",
    "CompressionSession",
    "Decoder",
    "DecodingError",
    "Encoder",
    "EncodingError",
    "Error",
    "FormatDescription",
    "InputOutputError",
    "InvalidValueError",
    "IsDirectoryError",
    "LibraryNotFoundError",
    "MultiPassStorage",
    "NoSuchFileError",
    "OutputExistsError",
    "PermissionDeniedError",
    "Properties",
    "PropertyInfo",
    "PropertyNotSupportedError",
    "QualityMetrics",
    "ReadOnlyError",
    "Sample",
    "SessionClosedError",
    "Statistics",
    "StreamParser",
    "Time",
    "TimeRange",
    "Timebase",
    "TimebaseTimer",
    "TooLateError",
    "VideoWriter",
    "WouldBlockError",
    "WrongTypeError",
    "bitstream",
    "capture",
    "catalogue",
    "concat",
    "cut",
    "divide_bits",
    "encoders",
    "live",
    "media",
    "open",
    "parallel",
    "read_video",
    "write_video",
]


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'nalu' has no attribute {name!r}")
    found = importlib.import_module(f"nalu.{module}")
    value = found if name == module else getattr(found, name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
