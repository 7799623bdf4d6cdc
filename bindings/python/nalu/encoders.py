"""The encoders of the library."""

from __future__ import annotations

from typing import NamedTuple

from . import _ffi


class Encoder(NamedTuple):
    """An encoder. ``id`` is the value for the ``encoder`` argument of a session."""

    id: str
    name: str
    #: The four-character code of its output, ``"avc1"`` for H.264, ``"hvc1"`` for H.265.
    codec: str


def encoders() -> list[Encoder]:
    """Returns the available encoders, the best of each codec first.

    >>> encoders()[0].id
    'org.videolan.x264'
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
