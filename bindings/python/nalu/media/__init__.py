"""Containers and decoding: writing samples to files, reading samples from files, decoding samples.

The first use loads FFmpeg's libraries; the import does not. The wheel contains them. If one is missing, the message of
:class:`nalu.LibraryNotFoundError` names it and its package.
"""

from __future__ import annotations

from .cutting import Cut, cut
from .decoder import Decoder
from .frame import Frame
from .joining import concat
from .reader import Reader, Track, open
from .video import Video, read_video
from .writer import Writer

__all__ = ["Cut", "Decoder", "Frame", "Reader", "Track", "Video", "Writer", "concat", "cut", "open", "read_video"]
