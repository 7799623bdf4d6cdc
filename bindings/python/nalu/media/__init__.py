"""Containers, decoding, audio and publishing: writing samples to files and addresses, reading samples from files, decoding
samples, encoding audio.

The first use loads FFmpeg's libraries; the import does not. The wheel contains them. If one is missing, the message of
:class:`nalu.LibraryNotFoundError` names it and its package.
"""

from __future__ import annotations

from .audio import AudioCounts, AudioEncoder
from .cutting import Cut, cut
from .decoder import Decoder
from .display import Delay, DisplayQueue, DisplayStatistics
from .frame import Frame
from .joining import concat
from .publisher import FrameAdvice, Publisher, PublisherStatistics
from .reader import Reader, Track, open
from .video import Video, read_video
from .writer import Writer

__all__ = [
    "AudioCounts",
    "AudioEncoder",
    "Cut",
    "Decoder",
    "Delay",
    "DisplayQueue",
    "DisplayStatistics",
    "Frame",
    "FrameAdvice",
    "Publisher",
    "PublisherStatistics",
    "Reader",
    "Track",
    "Video",
    "Writer",
    "concat",
    "cut",
    "open",
    "read_video",
]
