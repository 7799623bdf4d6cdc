"""Containers and decoding: writing samples to files, reading samples from files, decoding samples.

The module needs the library libnalumedia, which its first use loads, not the import. The wheel contains libnalumedia; a wheel
built with the system's FFmpeg needs that FFmpeg too. If a library is missing, the message of :class:`nalu.LibraryNotFoundError`
names the remedy.
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
