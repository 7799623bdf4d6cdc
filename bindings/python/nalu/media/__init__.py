"""Containers and decoding: samples into files and out of them, samples back into pictures.

It needs the library libnalumedia, which is loaded by the first use, not by the import. The wheel carries it; one that was built
with the system's FFmpeg needs that too. Where something is missing, :class:`nalu.LibraryNotFoundError` says what to do.
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
