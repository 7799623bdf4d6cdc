"""The pixel formats of frames."""

from __future__ import annotations

from typing import NamedTuple

from . import errors


class PixelFormat(NamedTuple):
    """A layout of pixels in memory."""

    name: str
    #: CoreVideo's code, as in pixel_buffer.h.
    code: int
    #: Bytes per pixel in a packed format; 0 in planar formats.
    pixel_bytes: int
    #: 1: packed or grey; 2: Y, interleaved chroma; 3: Y, Cb, Cr.
    planes: int
    #: Bytes per component.
    item_bytes: int
    #: The numbers of columns and rows of Y that share a chroma sample.
    chroma_columns: int = 2
    chroma_rows: int = 2

    def chroma_size(self, width: int, height: int) -> tuple[int, int]:
        """Returns the columns and rows of Cb and of Cr."""
        return -(-width // self.chroma_columns), -(-height // self.chroma_rows)

    @property
    def stacked_rows(self) -> tuple[int, int]:
        """The ratio of rows in an array with Y above chroma to rows of the frame, as two numbers: (3, 2) for 4:2:0."""
        area = self.chroma_columns * self.chroma_rows
        return {4: (3, 2), 2: (2, 1), 1: (3, 1)}[area]

    @property
    def has_pairs(self) -> bool:
        """Whether two pixels share their chroma. A row with an odd width then ends with a complete pair."""
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
    PixelFormat("nv16", 0x34323276, 0, 2, 1, 2, 1),
    PixelFormat("nv16_full", 0x34323266, 0, 2, 1, 2, 1),
    PixelFormat("nv24", 0x34343476, 0, 2, 1, 1, 1),
    PixelFormat("nv24_full", 0x34343466, 0, 2, 1, 1, 1),
    PixelFormat("p210", 0x78343232, 0, 2, 2, 2, 1),
    PixelFormat("p210_full", 0x78663232, 0, 2, 2, 2, 1),
    PixelFormat("p410", 0x78343434, 0, 2, 2, 1, 1),
    PixelFormat("p410_full", 0x78663434, 0, 2, 2, 1, 1),
    PixelFormat("p016", 0x73763230, 0, 2, 2),
    PixelFormat("p016_full", 0x73663230, 0, 2, 2),
    PixelFormat("p216", 0x73763232, 0, 2, 2, 2, 1),
    PixelFormat("p216_full", 0x73663232, 0, 2, 2, 2, 1),
    PixelFormat("p416", 0x73763434, 0, 2, 2, 1, 1),
    PixelFormat("p416_full", 0x73663434, 0, 2, 2, 1, 1),
)

#: The formats' names in other libraries.
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
    "p210le": "p210",
    "p410le": "p410",
    "p016le": "p016",
    "p216le": "p216",
    "p416le": "p416",
}

#: The names that ``format=`` accepts.
FORMATS: dict[str, PixelFormat] = {format.name: format for format in _NATIVE}
FORMATS.update({alias: FORMATS[name] for alias, name in _ALIASES.items()})


def named(name: str) -> PixelFormat:
    """Returns the format with a name.

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
