"""Containers: samples into files.

It needs the library libnalumedia and FFmpeg, which are loaded by the first use, not by the import. Where they are missing,
:class:`nalu.LibraryNotFoundError` says what to do.
"""

from __future__ import annotations

from .writer import Writer

__all__ = ["Writer"]
