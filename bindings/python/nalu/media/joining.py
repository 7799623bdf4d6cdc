"""Joining files one after the other, without encoding them again."""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
from collections.abc import Iterable
from typing import BinaryIO, Optional, Union

from .. import _ffi as _core
from .._handles import check
from ..errors import InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from ..time import Time
from .reader import Reader, Track
from .writer import Writer

_Path = Union[str, "os.PathLike[str]"]
_REMEDY = "write_video(file, (frame for each in files for frame in nalu.read_video(each)), fps=, size=) re-encodes them"


def concat(
    files: "Iterable[_Path]",
    file: Union[_Path, BinaryIO],
    *,
    container: Optional[str] = None,
    audio: bool = True,
    fast_start: bool = False,
    fragmented: bool = False,
    overwrite: bool = False,
) -> int:
    """Writes the video of several files into one, in their order, and returns the number of frames.

    Nothing is encoded: the samples are copied, and each file begins where the previous one ends.

    :param files: paths of files with the same codec, size, rotation and chroma format, for example from a recorder that splits
        its output. Their parameter sets may differ and are then stored with the samples. Other files raise ValueError, with the
        remedy.
    :param audio: True refuses files with audio, because ``concat`` does not join audio; False leaves the audio out.

    :class:`nalu.media.Writer` describes the other arguments. The file may be one of ``files``, with ``overwrite=True``.

    >>> import nalu, tempfile, os
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     parts = [os.path.join(directory, name) for name in ("a.mp4", "b.mp4")]
    ...     for part in parts:
    ...         _ = nalu.write_video(part, [bytes(64 * 48)] * 5, fps=25, format="gray", size=(64, 48))
    ...     nalu.concat(parts, os.path.join(directory, "whole.mp4"))
    10
    """
    if isinstance(files, (str, bytes, os.PathLike)):
        raise WrongTypeError(f"files is one path, {os.fsdecode(files)!r}; expected several, as a list")
    with contextlib.ExitStack() as stack:
        parts = [_Part(each, stack.enter_context(Reader(each)), audio) for each in files]
        if not parts:
            raise InvalidValueError("files is empty; expected at least one path")
        for part in parts[1:]:
            part.check(parts[0])
        first = parts[0].track
        is_movie = container in ("mp4", "mov") if container is not None else _is_movie(file)
        scale = math.lcm(*(part.track.timescale or 1 for part in parts))
        writer = stack.enter_context(
            Writer(
                file,
                container,
                overwrite=overwrite,
                fast_start=fast_start,
                fragmented=fragmented,
                parameter_sets_in_band=fragmented,
                repair_times=True,
                rotation=first.rotation if is_movie else 0,
                mirrored=first.is_mirrored and is_movie,
                timescale=scale if is_movie and 1 < scale <= 0x7FFFFFFF else None,
            )
        )
        count, end = 0, Time(0, 1)
        for part in parts:
            added, end = part.copy(writer, end)
            count += added
        return count


def _is_movie(file: object) -> bool:
    if not isinstance(file, (str, bytes, os.PathLike)):
        return False
    return os.path.splitext(os.fsdecode(file))[1].lower() in (".mp4", ".m4v", ".mov", ".qt")


class _Part:
    """An input file of a join."""

    __slots__ = ("_format", "_name", "_reader", "track")

    def __init__(self, file: _Path, reader: Reader, audio: bool) -> None:
        self._name = os.fsdecode(file)
        self._reader = reader
        found = next((track for track in reader.tracks if track.is_selected), None)
        if found is None:
            raise InvalidValueError(f"{self._name} has no video that can be read; expected H.264 or H.265")
        if audio and any(track.media_type == "audio" for track in reader.tracks):
            raise InvalidValueError(f"{self._name} has audio, which concat does not join; expected audio=False, which leaves it out")
        self.track: Track = found
        self._format: Optional[FormatDescription] = reader.format_description(found.number)

    def check(self, first: "_Part") -> None:
        """Raises ValueError if the samples cannot follow those of the first file."""
        for name, own, other in (
            ("codec", self.track.codec, first.track.codec),
            ("size", f"{self.track.width}x{self.track.height}", f"{first.track.width}x{first.track.height}"),
            ("rotation", self.track.rotation, first.track.rotation),
            ("format", self._pixels(), first._pixels()),
        ):
            if own != other:
                raise InvalidValueError(f"the {name} of {self._name} is {own}, and that of {first._name} {other}; expected the same; {_REMEDY}")

    def _pixels(self) -> str:
        if self._format is None:
            return "not known"
        sequence = self._format.sequence
        chroma = ("gray", "4:2:0", "4:2:2", "4:4:4")[sequence.chroma_format_idc]
        return f"{chroma} of {sequence.luma_bit_depth} bits"

    def copy(self, writer: Writer, begin: Time) -> "tuple[int, Time]":
        """Writes the samples, beginning at the time ``begin``. Returns their number and the end of the last one."""
        start = self.track.start_time or Time(0, 1)
        moved = begin - start
        count, end = 0, begin
        last: Optional[Sample] = None
        for sample in self._reader:
            if sample.is_hidden:
                raise InvalidValueError(f"the edit list of {self._name} hides frames, which cannot be copied into the middle of a file; {_REMEDY}")
            writer.write(_at(sample, moved))
            lasting = sample.duration
            if lasting is None and last is not None:
                lasting = abs(sample.pts - last.pts)
            end = max(end, sample.pts + moved + (Time(0, 1) if lasting is None else lasting))
            last = sample
            count += 1
        if count == 0:
            raise InvalidValueError(f"{self._name} has no frames")
        return count, end


def _at(sample: Sample, moved: Time) -> Sample:
    """Returns the sample with its times moved by ``moved``."""
    if moved == 0:
        return sample
    out, data, duration = _core.nalu_sample_p(), sample.data, sample.duration
    check(
        _core.lib.nalu_sample_create(
            data,
            len(data),
            sample.format_description._pointer,
            (sample.pts + moved)._native(),
            _core.NO_TIME if duration is None else duration._native(),
            (sample.dts + moved)._native(),
            sample._attachments,
            ctypes.byref(out),
        )
    )
    return Sample(out)


__all__ = ["concat"]
