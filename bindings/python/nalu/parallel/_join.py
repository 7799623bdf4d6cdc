"""Joining chunks into one video."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator
from typing import Any, Callable, NamedTuple, Optional, Union

from .. import _ffi as _core
from .. import _paths
from .._handles import check
from ..errors import Error, InvalidValueError
from ..media import Writer, _audio, _ffi
from ..sample import Sample
from ..session import CompressionSession
from ._calls import Result
from ._sources import File
from ._stages import EncodedChunk


class Joined(NamedTuple):
    """The numbers of frames, bits and chunks that :func:`join` has written."""

    frames: int
    #: The size of the samples.
    bits: int
    chunks: int


class Output(NamedTuple):
    """The unfinished file of a video."""

    writer: Writer
    #: Writes a sample of video, after the audio up to the sample's end.
    write: Callable[[Sample], None]
    #: The codecs of audio tracks, and of subtitle tracks, that the container does not support.
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
    """Writes the chunks of a video to a file, in their order.

    :param chunks: all chunks, in order. An iterator keeps one chunk at a time in memory.
    :param target: a path. :class:`nalu.media.Writer` describes ``container``, ``rotation``, ``mirrored``, ``fast_start`` and
        ``fragmented``.
    :param overwrite: replace an existing file when the video is complete; otherwise it raises :class:`nalu.OutputExistsError`.
    :param audio: a file whose audio is copied.

    Raises ValueError for chunks of different plans: if a chunk is missing, if parameter sets differ, if times do not continue,
    or if a window of ``DataRateLimits`` holds too many bytes. Raises OSError if the target cannot be written; an existing file
    then stays unchanged.
    """
    options: dict[str, Any] = {"rotation": rotation, "mirrored": mirrored, "fast_start": fast_start, "fragmented": fragmented}
    with output(target, audio, container, overwrite=overwrite, **options) as opened:
        return join_into(opened, chunks)


def chunks_at_seams_over_limits(chunks: Iterable[EncodedChunk]) -> list[int]:
    """Returns the numbers of the chunks at seams in windows that exceed ``DataRateLimits``.

    Chunks of a plan with the property ``NaluLimitsOverSeams`` false may have such seams. Repeat the :func:`second_pass` of these
    chunks with ``limits_over_seams``, and call this again, because the other seams of these chunks may then exceed a limit.

    :param chunks: all chunks, in order. An iterator keeps one chunk at a time in memory.

    Raises ValueError as :func:`join` does.
    """
    stream = _Stream(_ffi.CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS)
    for chunk in chunks:
        for _ in stream.samples(chunk):
            pass
    stream.finished()
    return stream.chunks_at_seams_over_limits()


def join_into(opened: Output, chunks: Iterable[EncodedChunk]) -> Joined:
    """Writes the chunks to an open file."""
    stream = _Stream()
    for chunk in chunks:
        for sample in stream.samples(chunk):
            opened.write(sample)
    return stream.finished()


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
    """Yields a file next to the target, which replaces the target at the end of the ``with`` block, unless the block raises.

    :param leaves_out: copy subtitles too, and leave out tracks that the container does not support; otherwise such a track
        raises.
    :param mark: a part of the file's name.
    """
    path = target_path(target, overwrite)
    directory, name = os.path.split(os.path.abspath(path))
    stem, extension = os.path.splitext(name)
    # The writer selects the container by the extension. Names have at most 255 bytes.
    most = 250 - len(os.fsencode(f"{mark}{extension}"))
    unfinished = os.path.join(directory, f".{os.fsdecode(os.fsencode(stem)[:most])}.{mark}{extension}")
    try:
        with contextlib.ExitStack() as stack:
            source = _audio_of(audio, stack, ("audio", "subtitle") if leaves_out else ("audio",))
            writer = stack.enter_context(Writer(unfinished, container, overwrite=True, **options))
            if source is None:
                yield Output(writer, writer.write, ())
            else:
                write = source.beside(writer, leaves_out=leaves_out)
                yield Output(writer, write, tuple(source.left_out), tuple(source.left_out_subtitles))
        # Another program may have created the target meanwhile.
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
    # Another run with the same target may be writing it, because only the directory of finished chunks is locked.
    with contextlib.suppress(_Discarded), output(*arguments, mark=f"trial-{os.getpid()}", **options) as opened:
        # This raises if the container does not support the rotation.
        opened.writer._add_track(samples[0].format_description)
        raise _Discarded
    return opened.left_out, opened.left_out_subtitles


def target_path(target: Any, overwrite: bool) -> str:
    """Returns the path of a target, if a file can be written there."""
    path = os.fsdecode(target)
    _paths.check_output(path, overwrite)
    # A device would be replaced by a file too.
    if os.path.exists(path) and not os.path.isfile(path):
        raise InvalidValueError(f"{path} is not a regular file; expected the path of a file")
    return path


class _Discarded(Exception):
    """Ends a trial, so that its file is removed."""


def _audio_of(audio: Any, stack: contextlib.ExitStack, kinds: "tuple[str, ...]") -> "_audio.Source | None":
    if audio is None:
        return None
    file = audio if isinstance(audio, File) else File(audio)
    return stack.enter_context(_audio.Source(stack.enter_context(file.opened()), kinds))


class _Stream:
    """The joined stream of all chunks."""

    def __init__(self, flags: int = 0) -> None:
        self._pointer = _ffi.nalu_chunk_stream_p()
        check(_ffi.library().lib.nalu_chunk_stream_create(flags, ctypes.byref(self._pointer)))
        self._chunks = 0
        self._frames = 0
        self._bits = 0

    def samples(self, chunk: EncodedChunk) -> Iterator[Sample]:
        lib = _ffi.library().lib
        result = Result.from_data(chunk.data)
        if (result.info.number, result.info.frame_count) != (chunk.number, chunk.frames):
            raise InvalidValueError(
                f"chunk {chunk.number} has {chunk.frames} frames, and its data are chunk {result.info.number} "
                f"with {result.info.frame_count} samples; expected {chunk.frames}"
            )
        check(lib.nalu_chunk_stream_add(self._pointer, result.pointer))
        while True:
            out = _core.nalu_sample_p()
            status = lib.nalu_chunk_stream_next_sample(self._pointer, ctypes.byref(out))
            if status == _core.VALUE_NOT_AVAILABLE:
                break
            check(status)
            yield Sample(out)
        self._chunks += 1
        self._frames += chunk.frames
        self._bits += chunk.bits

    def chunks_at_seams_over_limits(self) -> list[int]:
        numbers = (ctypes.c_uint32 * self._chunks)()
        count = ctypes.c_size_t(0)
        read = _ffi.library().lib.nalu_chunk_stream_get_chunks_at_seams_over_limits
        check(read(self._pointer, numbers, self._chunks, ctypes.byref(count)))
        return numbers[: count.value]

    def finished(self) -> Joined:
        if self._frames == 0:
            raise InvalidValueError("there are no chunks")
        return Joined(self._frames, self._bits, self._chunks)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            _ffi.library().fast.nalu_chunk_stream_release(self._pointer)
