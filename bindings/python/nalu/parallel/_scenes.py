"""Scene changes, as the encoder itself sees them."""

from __future__ import annotations

from fractions import Fraction
from typing import Optional

from ..properties import PropertyValue
from ..sample import Sample
from ..session import CompressionSession
from ..time import Time
from ._sources import Frames, Source, nearest

#: The pictures are this small when they are looked at.
_WIDTH, _HEIGHT = 160, 96
#: A key frame at scene changes only, and at each of them.
_LOOK: dict[str, PropertyValue] = {
    "NaluAllowScaling": True,
    "MaxKeyFrameInterval": 100_000,
    "x264.preset": "veryfast",
    "x264.params": "threads=1:min-keyint=1:bframes=0",
}


def scene_change(source: Source, size: tuple[int, int], near: Fraction, window: Fraction) -> Optional[Time]:
    """The scene change that is nearest to a time and at most ``window`` seconds away; None if there is none.

    :param size: of the frames.
    """
    # Frames of a function may be bytes without a shape, which have the session's.
    pixels = source.format if isinstance(source, Frames) else None
    looked = size if isinstance(source, Frames) else (_WIDTH, _HEIGHT)
    begin, end = nearest(max(Fraction(0), near - window)), nearest(near + window)
    first: Optional[Time] = None
    with CompressionSession(*looked, quality=0.3, format=pixels, properties=_LOOK) as session:
        samples: list[Sample] = []
        for shown in source.frames(begin, end):
            first = shown.pts if first is None else first
            samples += session.encode(shown.frame, shown.pts)
        samples += session.flush()
        changes = [sample.pts for sample in samples if sample.is_key_frame and sample.pts != first]
    return min(changes, key=lambda time: (abs(time.fraction - near), time.fraction), default=None)
