"""Chunks to one film."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Callable, NamedTuple, Optional, Union

from .. import _ffi, _paths
from .._handles import check
from ..errors import Error, InvalidValueError
from ..media import Writer, _audio
from ..sample import Sample
from ..session import CompressionSession
from ..time import Time
from ._samples import Packed, unpack
from ._sources import File
from ._stages import EncodedChunk

#: More frames than any stream holds back (ITU-T H.264 A.3.1: max_dec_frame_buffering).
_DEEPEST = 16


class Joined(NamedTuple):
    """What :func:`join` has written."""

    frames: int
    #: Of the samples.
    bits: int
    chunks: int


class Output(NamedTuple):
    """The unfinished file of a film."""

    writer: Writer
    #: Writes a sample of video, and the audio up to its end before it.
    write: Callable[[Sample], None]
    #: The codecs of the audio, and of the subtitles, that the container cannot hold.
    left_out: "tuple[str, ...]"
    left_out_subtitles: "tuple[str, ...]" = ()


def join(
    chunks: Iterable[EncodedChunk],
    target: Union[str, "os.PathLike[str]"],
    *,
    audio: Union[str, "os.PathLike[str]", File, None] = None,
    container: Optional[str] = None,
    rotation: int = 0,
    mirrored: bool = False,
    fast_start: bool = False,
    fragmented: bool = False,
    overwrite: bool = False,
) -> Joined:
    """Writes the chunks of a film to a file, in their order.

    :param chunks: all of them, in order. From an iterator, one at a time is in memory.
    :param target: a path. ``container``, ``rotation``, ``mirrored``, ``fast_start``, ``fragmented``: as for
        :class:`nalu.media.Writer`.
    :param overwrite: replace an existing file, when the film is complete; otherwise it raises :class:`nalu.OutputExistsError`.
    :param audio: a file whose audio is copied.

    Raises ValueError if a chunk is missing, if parameter sets differ, if times do not continue, or if a window of
    ``DataRateLimits`` holds too many bytes: such chunks are not of one plan.
    Raises OSError if the target cannot be written; an existing file then stays as it was.
    """
    options: dict[str, Any] = {"rotation": rotation, "mirrored": mirrored, "fast_start": fast_start, "fragmented": fragmented}
    with output(target, audio, container, overwrite=overwrite, **options) as opened:
        return join_into(opened, chunks)


def join_into(opened: Output, chunks: Iterable[EncodedChunk]) -> Joined:
    """Writes the chunks."""
    seams = _Seams()
    for chunk in chunks:
        for sample in seams.samples(chunk):
            opened.write(sample)
    return seams.finished()


@contextlib.contextmanager
def output(
    target: Union[str, "os.PathLike[str]"],
    audio: Any,
    container: Optional[str],
    *,
    overwrite: bool,
    leaves_out: bool = False,
    mark: str = "unfinished",
    **options: Any,
) -> Iterator[Output]:
    """A file next to the target, which takes its place at the end of the ``with``, unless that raises.

    :param leaves_out: subtitles are copied too, and what the container cannot hold is left out. Otherwise it raises. ``mark``: in
        the name of the file.
    """
    path = target_path(target, overwrite)
    folder, name = os.path.split(os.path.abspath(path))
    stem, extension = os.path.splitext(name)
    # The extension tells the writer the container. Names have 255 bytes at most.
    most = 250 - len(os.fsencode(f"{mark}{extension}"))
    unfinished = os.path.join(folder, f".{os.fsdecode(os.fsencode(stem)[:most])}.{mark}{extension}")
    try:
        with contextlib.ExitStack() as stack:
            source = _audio_of(audio, stack, ("audio", "subtitle") if leaves_out else ("audio",))
            writer = stack.enter_context(Writer(unfinished, container, overwrite=True, **options))
            if source is None:
                yield Output(writer, writer.write, ())
            else:
                write = source.beside(writer, leaves_out=leaves_out)
                yield Output(writer, write, tuple(source.left_out), tuple(source.left_out_subtitles))
        # Another program may have made it meanwhile.
        target_path(target, overwrite)
        os.replace(unfinished, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(unfinished)
        if isinstance(error, Error):
            error.message = error.message.replace(unfinished, path)
        raise


def try_output(*arguments: Any, **options: Any) -> "tuple[tuple[str, ...], tuple[str, ...]]":
    """Raises what :func:`output` would, and leaves nothing; returns the codecs of the audio, and of the subtitles, that would be
    left out."""
    with CompressionSession(64, 48, format="gray", quality=0.5) as session:
        samples = session.encode(bytes(64 * 48), 0.0) + session.flush()
    # Another run to the same target may be at its end, and only its folder of finished chunks is locked.
    with contextlib.suppress(_Discarded), output(*arguments, mark=f"trial-{os.getpid()}", **options) as opened:
        # Here the container says whether it can hold the rotation.
        opened.writer._add_track(samples[0].format_description)
        raise _Discarded
    return opened.left_out, opened.left_out_subtitles


def target_path(target: Any, overwrite: bool) -> str:
    """The path of a file that can be written."""
    path = os.fsdecode(target)
    _paths.check_output(path, overwrite)
    # A device, too, would be replaced by a file.
    if os.path.exists(path) and not os.path.isfile(path):
        raise InvalidValueError(f"{path} is no file; expected a path for one")
    return path


class _Discarded(Exception):
    """Ends a try."""


def _audio_of(audio: Any, stack: contextlib.ExitStack, kinds: "tuple[str, ...]") -> "_audio.Source | None":
    if audio is None:
        return None
    file = audio if isinstance(audio, File) else File(audio)
    return stack.enter_context(_audio.Source(stack.enter_context(file.opened()), kinds))


class _Seams:
    """Makes the samples of several sessions those of one: the library's joiner, and what only a plan knows."""

    def __init__(self) -> None:
        self._number = 0
        self._frames = 0
        self._bits = 0
        #: The last presentation times of the chunks so far, sorted.
        self._shown: "deque[Time]" = deque(maxlen=_DEEPEST)
        self._joiner: Any = None

    def _begin(self, chunk: EncodedChunk) -> None:
        if self._joiner is None:
            out = _ffi.nalu_chunk_joiner_p()
            limits = (ctypes.c_double * len(chunk.limits))(*chunk.limits)
            # Where the film itself has gaps between frames, a chunk may begin after one.
            gaps = _ffi.CHUNK_JOINER_ALLOW_GAPS
            check(_ffi.lib.nalu_chunk_joiner_create(gaps, limits, len(limits), ctypes.byref(out)))
            self._joiner = out
        check(_ffi.lib.nalu_chunk_joiner_begin_chunk(self._joiner))

    def samples(self, chunk: EncodedChunk) -> Iterator[Sample]:
        if chunk.number != self._number:
            raise InvalidValueError(f"chunk {chunk.number} comes where chunk {self._number} is expected; give all chunks, in order")
        if not chunk.frames and not chunk.data:
            # Within a frame that is shown for longer than a chunk.
            self._number += 1
            return
        self._begin(chunk)
        format_description, records = unpack(chunk.data)
        packed = list(records)
        if not packed or len(packed) != chunk.frames:
            raise InvalidValueError(f"chunk {chunk.number} has {len(packed)} samples; expected {chunk.frames}")
        shown = sorted(each.pts for each in packed)
        for each, dts in zip(packed, self._decode_times(packed, shown[0])):
            out = _ffi.nalu_sample_p()
            sample = each.sample(format_description, dts)
            check(_ffi.lib.nalu_chunk_joiner_add(self._joiner, sample._pointer, ctypes.byref(out)))
            yield Sample(out)
        self._shown.extend(shown)
        self._number += 1
        self._frames += chunk.frames
        self._bits += chunk.bits

    def _decode_times(self, packed: list[Packed], first: Time) -> Iterator[Time]:
        """Those that one session would have given: the n-th sample has the n-th presentation time, some frames back.

        Before the chunk there are the frames of another one, whose distances may differ from those in this one.
        """
        early = sum(each.dts < first for each in packed) if self._shown else 0
        before = list(self._shown)[-early:] if early else []
        is_known = len(before) == early and (not before or before[-1] < first)
        for index, each in enumerate(packed):
            yield before[index] if is_known and index < early else each.dts

    def finished(self) -> Joined:
        if self._frames == 0:
            raise InvalidValueError("there are no chunks")
        return Joined(self._frames, self._bits, self._number)

    def __del__(self) -> None:
        if getattr(self, "_joiner", None) is not None:
            _ffi.lib.nalu_chunk_joiner_release(self._joiner)
