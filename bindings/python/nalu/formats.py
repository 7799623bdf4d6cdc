"""The pixel formats that frames may have."""

from __future__ import annotations

from typing import NamedTuple

from . import errors


class PixelFormat(NamedTuple):
    """One way in which pixels lie in memory."""

    name: str
    #: CoreVideo's code, as in pixel_buffer.h.
    code: int
    #: Bytes of a pixel in a packed format, else 0.
    pixel_bytes: int
    #: 1: packed or grey; 2: Y, interleaved chroma; 3: Y, Cb, Cr.
    planes: int
    #: Bytes of one component.
    item_bytes: int

    @property
    def has_pairs(self) -> bool:
        """Two pixels share their chroma: rows hold a whole last pair."""
        return self.pixel_bytes == 2


_NATIVE = (
    PixelFormat("rgb", 0x00000018, 3, 1, 1),
    PixelFormat("bgr", 0x32344247, 3, 1, 1),
    PixelFormat("rgba", 0x52474241, 4, 1, 1),
    PixelFormat("bgra", 0x42475241, 4, 1, 1),
    PixelFormat("argb", 0x00000020, 4, 1, 1),
    PixelFormat("abgr", 0x41424752, 4, 1, 1),
    PixelFormat("gray", 0x4C303038, 1, 1, 1),
    PixelFormat("uyvy", 0x32767579, 2, 1, 1),
    PixelFormat("yuyv", 0x79757673, 2, 1, 1),
    PixelFormat("nv12", 0x34323076, 0, 2, 1),
    PixelFormat("nv12_full", 0x34323066, 0, 2, 1),
    PixelFormat("i420", 0x79343230, 0, 3, 1),
    PixelFormat("i420_full", 0x66343230, 0, 3, 1),
    PixelFormat("p010", 0x78343230, 0, 2, 2),
    PixelFormat("p010_full", 0x78663230, 0, 2, 2),
)

#: What other libraries call them.
_ALIASES = {
    "rgb24": "rgb",
    "bgr24": "bgr",
    "grey": "gray",
    "gray8": "gray",
    "uyvy422": "uyvy",
    "yuyv422": "yuyv",
    "yuv420p": "i420",
    "yuvj420p": "i420_full",
    "p010le": "p010",
}

#: The names that ``format=`` takes.
FORMATS: dict[str, PixelFormat] = {format.name: format for format in _NATIVE}
FORMATS.update({alias: FORMATS[name] for alias, name in _ALIASES.items()})


def named(name: str) -> PixelFormat:
    """The format of a name.

    >>> named("bgr24").name
    'bgr'
    """
    found = FORMATS.get(name) if isinstance(name, str) else None
    if found is None:
        raise errors.InvalidValueError(
            f"format is {name!r}; expected one of {', '.join(format.name for format in _NATIVE)}"
        )
    return found


__all__ = ["FORMATS", "PixelFormat", "named"]
