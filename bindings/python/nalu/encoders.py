"""The encoders that the library has."""

from __future__ import annotations

from typing import NamedTuple

from . import _ffi


class Encoder(NamedTuple):
    """An encoder: ``id`` is what a session's ``encoder`` takes."""

    id: str
    name: str
    #: The code of what it writes, ``"avc1"`` for H.264.
    codec: str


def encoders() -> list[Encoder]:
    """The encoders there are, the best of each codec first.

    >>> [(encoder.id, encoder.codec) for encoder in encoders()]
    [('org.videolan.x264', 'avc1')]
    """
    return [
        Encoder(
            _ffi.fast.nalu_encoder_get_id(index).decode(),
            _ffi.fast.nalu_encoder_get_name(index).decode(),
            int(_ffi.fast.nalu_encoder_get_codec(index)).to_bytes(4, "big").decode("ascii"),
        )
        for index in range(_ffi.fast.nalu_encoder_get_count())
    ]


__all__ = ["Encoder", "encoders"]
