"""The audio of one file, copied next to the video of another."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Optional

from ..errors import Error, InvalidValueError
from ..sample import Sample
from ..time import Time
from .reader import Reader
from .writer import Writer


class Source:
    """Reads a file for its audio only, up to the time of the video written so far."""

    __slots__ = ("_end", "_reader", "_reached", "_tracks", "left_out", "left_out_subtitles")

    def __init__(self, file: Any, kinds: "tuple[str, ...]" = ("audio",)) -> None:
        self._reader = Reader(file)
        self._tracks = [track for track in self._reader.tracks if track.media_type in kinds]
        #: The codecs of audio tracks, and of subtitle tracks, that the writer's container does not support.
        self.left_out: list[str] = []
        self.left_out_subtitles: list[str] = []
        #: The decode time up to which the file was read; None before the first sample.
        self._reached: Optional[Fraction] = None
        #: Whether the file was read to its end.
        self._end = False
        missing = "" if self._tracks else "audio"
        if not any(track.is_readable for track in self._reader.tracks):
            # A reader delivers audio packets only while it reads video.
            missing = "H.264 or H.265 video"
        if missing:
            self._reader.close()
            raise InvalidValueError(f"audio is a file without {missing}; expected a file with audio and H.264 or H.265 video")

    def beside(self, writer: Writer, *, leaves_out: bool = False, begin: Optional[Time] = None) -> Callable[[Sample], None]:
        """Returns a function that writes a sample after the audio up to the sample's end.

        :param begin: the time of the first sample, if earlier audio is not wanted.
        :param leaves_out: leave out a track that the writer's container does not support. Otherwise such a track raises.
        """
        for track in self._tracks:
            try:
                writer.add_track_from(self._reader, track)
            except Error as error:
                if not leaves_out or error.status_name != "UNSUPPORTED_DATA_FORMAT":
                    raise
                (self.left_out if track.media_type == "audio" else self.left_out_subtitles).append(track.codec)
        if len(self.left_out) + len(self.left_out_subtitles) == len(self._tracks):
            return writer.write
        if begin is not None:
            self._reader.seek(begin)

        def write(sample: Sample) -> None:
            duration = sample.duration
            self._read(sample.pts.fraction + (duration.fraction if duration is not None else 0))
            writer.write(sample)

        return write

    def _read(self, time: Fraction) -> None:
        while not self._end and (self._reached is None or self._reached <= time):
            sample = next(self._reader, None)
            if sample is None:
                self._end = True
            else:
                self._reached = sample.dts.fraction

    def __enter__(self) -> Source:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._reader.close()
