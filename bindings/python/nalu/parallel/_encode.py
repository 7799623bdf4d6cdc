"""All steps in one call."""

from __future__ import annotations

import contextlib
import os
import pickle
import time
from collections.abc import Iterator, Mapping
from typing import Any, Callable, NamedTuple, Optional, Union

from .._numbers import whole_number
from ..errors import Error, InputOutputError, InvalidValueError, WrongTypeError
from ..passes import BitDivision
from ..properties import PropertyValue
from ._failures import Failures, SourceChangedError, described
from ._join import Joined, Output, chunks_at_seams_over_limits, join_into, output, target_path, try_output
from ._plan import Chunk, plan
from ._run import Stage
from ._sources import File
from ._stages import EncodedChunk, FirstPass, divided, first_pass, second_pass
from ._work import FIRST_PASSES, SECOND_PASSES, WorkDirectory
from ._workers import Executor, ParallelError, Workers


class Progress(NamedTuple):
    """The progress of a run."""

    #: "first pass", "repeated first pass", "second pass", "repeated second pass" or "join".
    stage: str
    #: The finished chunks of the stage, and all its chunks. A repeated pass has only the chunks that it repeats.
    chunks: int
    chunk_count: int
    #: Seconds of video in the finished chunks, and in all chunks of the stage.
    video_seconds: float
    video_duration: float
    #: Seconds since the beginning of the run, wall-clock time.
    seconds: float


class Summary(NamedTuple):
    """The result of :func:`encode`."""

    frames: int
    #: Seconds of video.
    duration: float
    #: Bits of the samples per second of video.
    bit_rate: float
    chunks: int
    #: Chunks that needed more than two passes.
    further_passes: int
    #: Results of chunks, of either pass, that an earlier run had finished.
    resumed: int
    #: Chunks that were run again after a failure, counted once for each failure.
    retried: int
    #: Chunks that a second worker ran as well, because the first worker was slow.
    duplicated: int
    #: Frames of the source that were decoded with errors.
    damaged_frames: int
    #: Processes that returned results, on all hosts.
    workers: int
    #: The sum of the seconds that the workers took.
    work_seconds: float
    #: Seconds that the run took, wall-clock time.
    seconds: float
    #: The codecs of the source's audio tracks that were left out, because the container does not support them.
    left_out: tuple[str, ...] = ()
    #: The same for subtitles.
    left_out_subtitles: tuple[str, ...] = ()
    #: First passes that were repeated at another QP; see :func:`first_pass_qps`.
    repeated_first_passes: int = 0
    #: Second passes that were repeated because a window over a seam exceeded ``DataRateLimits``.
    repeated_second_passes: int = 0

    def __str__(self) -> str:
        found = f", {self.resumed} results of an earlier run" if self.resumed else ""
        again = f", {self.retried} tries repeated" if self.retried else ""
        twice = f", {self.duplicated} chunks run twice" if self.duplicated else ""
        damaged = f", {self.damaged_frames} damaged frames in the source" if self.damaged_frames else ""
        silent = f", without the audio ({', '.join(self.left_out)}), which the container does not support" if self.left_out else ""
        if self.left_out_subtitles:
            silent += f", without the subtitles ({', '.join(self.left_out_subtitles)}), which the container does not support"
        return (
            f"{self.frames} frames, {self.duration:.3f} s, {self.bit_rate / 1000:.1f} kb/s, {self.chunks} chunks by "
            f"{self.workers} workers in {self.seconds:.1f} s ({self.work_seconds:.1f} s of work){found}{again}{twice}{damaged}{silent}"
        )


def encode(
    source: Any,
    target: Union[str, "os.PathLike[str]"],
    *,
    bit_rate: int,
    executor: Union[Executor, Callable[[], Executor], None] = None,
    workers: Optional[int] = None,
    chunks: Optional[int] = None,
    chunk_duration: Optional[float] = None,
    cut: str = "key_frames",
    preset: Optional[str] = None,
    properties: Optional[Mapping[str, PropertyValue]] = None,
    size: Optional[tuple[int, int]] = None,
    passes: int = 6,
    audio: Union[bool, str, "os.PathLike[str]", File] = True,
    container: Optional[str] = None,
    fast_start: bool = False,
    fragmented: bool = False,
    overwrite: bool = False,
    work: Union[str, "os.PathLike[str]", None] = None,
    resume: bool = False,
    retries: int = 3,
    patience: float = 3.0,
    progress: Optional[Callable[[Progress], Any]] = None,
) -> Summary:
    """Encodes a video in chunks, by the workers of an executor, into one file.

    :param source,bit_rate,chunks,chunk_duration,cut,preset,properties,size: see :func:`plan`.
    :param target,container,fast_start,fragmented,overwrite: see :func:`join`. An existing file is refused before anything is
        encoded.
    :param executor: any ``concurrent.futures.Executor``, which stays open, for example Dask's ``client.get_executor()``; or a
        function that returns an executor, and is called again if the executor breaks. Default: spawned processes on this
        machine.
    :param workers: the number of chunks that run at the same time, 1 or more. Default: the executor's ``num_workers`` or
        ``_max_workers``, or the threads of Dask's workers, or else the number of processors available to this process.
    :param passes: see :func:`second_pass`.
    :param audio: True copies the audio and subtitles of a :class:`File` source that the container supports, and the summary
        names the tracks that are left out; False copies none. A file: its audio is copied.
    :param work: the directory of finished chunks, on this machine; default: the target with ``.chunks`` appended. It is removed
        when the video is complete, and kept if the run fails or is interrupted.
    :param resume: True continues with the finished chunks in ``work``, if it has any; False refuses such a directory.
    :param retries: the number of times that a failed chunk is run again, 0 or more. After one more failure the run fails. A
        worker that has failed a chunk does not get it again while there is another host, or at least another process.
    :param patience: 1 or more. If a chunk takes ``patience`` times as long as the others, a free worker runs it as well, and
        the first result counts.
    :param progress: called with a :class:`Progress` at the beginning of each pass, after each chunk, and after the join, in the
        calling thread.

    The video has the same bytes whichever worker encodes which chunk, and however often the run was resumed. Wrong arguments
    raise before anything is encoded, as in :func:`plan`. A run that fails raises :class:`ParallelError`; its message names the
    reason and the directory of finished chunks. Ctrl-C keeps that directory too.
    """
    began = time.monotonic()
    most, tries = whole_number(passes, "passes", 2, 6), whole_number(retries, "retries", 0)
    count = None if workers is None else whole_number(workers, "workers", 1)
    _check_calls(patience, progress)
    path = os.fsdecode(target)
    _refuse_itself(source, path)
    target_path(target, overwrite)
    if isinstance(properties, Mapping) and "DataRateLimits" in properties:
        # The run checks the windows over seams itself.
        properties = {"NaluLimitsOverSeams": False, **properties}
    planned = plan(
        source,
        bit_rate=bit_rate,
        chunks=chunks,
        chunk_duration=chunk_duration,
        cut=cut,
        preset=preset,
        properties=properties,
        size=size,
    )
    if executor is None:
        _check_sent(planned[0])
    identity = planned[0].source.identity()
    to = _Target(planned, path, audio, container, fast_start, fragmented, overwrite)
    crew = Workers(executor, count)
    try:
        directory = WorkDirectory(path + ".chunks" if work is None else os.fsdecode(work), planned, [most], resume=resume)
        # Whether the finished chunks are not needed any more.
        is_useless = False
        try:
            run = _Run(planned, directory, crew, tries, patience, began, progress)
            run.stages(most)
            if planned[0].source.identity() != identity:
                is_useless = True
                raise SourceChangedError("the source changed while it was encoded; encode it again")
            joined = run.join(to)
            is_useless = True
        except Exception as error:
            raise _broken_off(error, directory, is_useless) from error
        finally:
            directory.close(remove=is_useless or directory.is_empty)
    finally:
        crew.close()
    return run.summary(joined, to)


def _refuse_itself(source: Any, path: str) -> None:
    file = source.address if isinstance(source, File) else source
    if isinstance(file, (str, os.PathLike)) and os.path.exists(file) and os.path.exists(path) and os.path.samefile(file, path):
        raise InvalidValueError(f"{path} is the source itself; name another target")


def _check_sent(chunk: Chunk) -> None:
    """Raises if the source cannot be sent to a process of this machine. Dask and others can send more kinds of functions."""
    try:
        pickle.dumps(chunk)
    except Exception as error:
        raise WrongTypeError(
            f"the source cannot be sent to other processes: {str(error) or type(error).__name__}; "
            "expected the function at the top level of a module, or a ThreadPoolExecutor as the executor"
        ) from error


def _check_calls(patience: Any, progress: Any) -> None:
    if isinstance(patience, bool) or not isinstance(patience, (int, float)):
        raise WrongTypeError(f"patience is {type(patience).__name__}; expected a number")
    if not patience >= 1:
        raise InvalidValueError(f"patience is {patience}; expected 1 or more")
    if progress is not None and not callable(progress):
        raise WrongTypeError(f"progress is {type(progress).__name__}; expected a function")


def _orientation(source: File) -> tuple[int, bool]:
    """Returns the rotation in degrees, and whether players mirror the pictures."""
    with source.reader() as reader:
        return next(((each.rotation, each.is_mirrored) for each in reader.tracks if each.is_selected), (0, False))


class _Target:
    """The output file, which is written last. Wrong arguments for it raise here, before chunks are encoded."""

    def __init__(
        self,
        chunks: list[Chunk],
        path: str,
        audio: Any,
        container: Optional[str],
        fast_start: bool,
        fragmented: bool,
        overwrite: bool,
    ) -> None:
        source = chunks[0].source
        rotation, mirrored = _orientation(source) if isinstance(source, File) else (0, False)
        self._arguments = path, self._audio(source, audio), container
        self._options: dict[str, Any] = {
            "rotation": rotation,
            "mirrored": mirrored,
            "fast_start": fast_start,
            "fragmented": fragmented,
            "leaves_out": audio is True,
            "overwrite": overwrite,
        }
        self.left_out, self.left_out_subtitles = try_output(*self._arguments, **self._options)

    def opened(self) -> "contextlib.AbstractContextManager[Output]":
        return output(*self._arguments, **self._options)

    @staticmethod
    def _audio(source: Any, audio: Any) -> Any:
        if audio is not True:
            return audio or None
        if not isinstance(source, File):
            return None
        with source.reader() as reader:
            return source if any(track.media_type in ("audio", "subtitle") for track in reader.tracks) else None


def _broken_off(error: Exception, directory: WorkDirectory, is_useless: bool) -> ParallelError:
    said = error.message if isinstance(error, Error) else described(error)
    if isinstance(error, OSError) and not isinstance(error, InputOutputError):
        said = f"{error.strerror or error} ({error.filename})" if error.filename else str(error)
    status, name = (error.status, error.status_name) if isinstance(error, Error) else (0, "")
    if is_useless or directory.is_empty:
        return ParallelError(said, status, name)
    message = f"{said}. The finished chunks are in {directory.path}: resume the run with resume=True or --resume"
    return ParallelError(message, status, name, directory.path)


class _Run:
    """One call of :func:`encode`, after the plan."""

    def __init__(
        self,
        chunks: list[Chunk],
        directory: WorkDirectory,
        crew: Workers,
        retries: int,
        patience: float,
        began: float,
        progress: Optional[Callable[[Progress], Any]],
    ) -> None:
        self._chunks = chunks
        self._directory = directory
        self._crew = crew
        self._retries = retries
        self._patience = patience
        self._began = began
        self._progress = progress
        self._resumed = self._retried = self._duplicated = self._damaged = self._further = 0
        self._repeated = self._repeated_seconds = 0
        #: The kind of each chunk's latest second pass.
        self._second_kinds = [SECOND_PASSES[0]] * len(chunks)
        self._work_seconds = 0.0
        self._workers: set[str] = set()
        self._failures = Failures()

    def stages(self, passes: int) -> None:
        """Runs both passes over all chunks that an earlier run has not finished."""
        chunks, directory = self._chunks, self._directory
        self._stage("first pass", FIRST_PASSES[0], first_pass, lambda index: (chunks[index],))
        # The kind of each chunk's latest first pass.
        kinds = [FIRST_PASSES[0]] * len(chunks)
        division = self._divided(kinds)
        for kind in FIRST_PASSES[1:]:
            qps = {index: qp for index, qp in enumerate(division.first_pass_qps) if qp is not None}
            if not qps:
                break
            repeated = [chunks[index] for index in qps]
            self._stage("repeated first pass", kind, _first_pass_at, lambda index: (chunks[index], qps[index]), repeated)
            kinds = [kind if index in qps else old for index, old in enumerate(kinds)]
            self._repeated += len(qps)
            division = self._divided(kinds)

        def second(index: int) -> tuple[Any, ...]:
            return chunks[index], directory.result(kinds[index], index), division.bit_rates[index], passes

        self._stage("second pass", SECOND_PASSES[0], _second_pass, second)

        while True:
            at_seams = self._chunks_at_seams_over_limits()
            if not at_seams:
                break
            for chunk in at_seams:
                self._second_kinds[chunk.number] = SECOND_PASSES[1]
            self._repeated_seconds += len(at_seams)
            self._stage("repeated second pass", SECOND_PASSES[1], _second_pass, lambda index: (*second(index), True), at_seams)

    def _chunks_at_seams_over_limits(self) -> list[Chunk]:
        """Returns the chunks whose second pass must be repeated."""
        chunks, kinds = self._chunks, self._second_kinds
        if len(chunks) == 1 or not chunks[0].settings.limits:
            return []
        numbers = chunks_at_seams_over_limits(self._directory.results(kinds))
        return [chunks[number] for number in numbers if kinds[number] == SECOND_PASSES[0]]

    def _divided(self, kinds: list[str]) -> BitDivision:
        """Divides the bits, according to the first passes of the given kinds, one for each chunk."""
        self._damaged = 0

        # The first passes of a long video would fill the memory, so each is read when it is needed.
        def first(index: int) -> FirstPass:
            result: FirstPass = self._directory.result(kinds[index], index)
            self._damaged += result.damaged_frames
            return result

        return divided(len(kinds), first, self._chunks[0].settings.bit_rate, self._directory.path)

    def _stage(
        self,
        name: str,
        kind: str,
        call: Callable[..., Any],
        arguments: Callable[[int], tuple[Any, ...]],
        chunks: Optional[list[Chunk]] = None,
    ) -> None:
        """Runs one stage over ``chunks``, by default all."""
        chunks = self._chunks if chunks is None else chunks
        seconds = {chunk.number: chunk.seconds for chunk in chunks}
        missing = []
        for chunk in chunks:
            found = self._directory.load(kind, chunk.number)
            if found is None:
                missing.append(chunk.number)
            else:
                self._resumed += 1
        done = set(seconds) - set(missing)
        self._report(name, done, seconds)

        def keep(result: Union[FirstPass, EncodedChunk]) -> None:
            self._directory.keep(kind, result)
            self._work_seconds += result.seconds
            self._workers.add(result.worker)
            done.add(result.number)
            self._report(name, done, seconds)

        stage = Stage(name, self._crew, self._failures, call, arguments, seconds, retries=self._retries, patience=self._patience)
        try:
            stage.run(missing, keep)
        finally:
            self._retried += stage.retried
            self._duplicated += stage.duplicated

    def join(self, to: _Target) -> Joined:
        with to.opened() as opened:
            joined = join_into(opened, self._counted(self._directory.results(self._second_kinds)))
        seconds = {chunk.number: chunk.seconds for chunk in self._chunks}
        self._report("join", set(seconds), seconds)
        return joined

    def _counted(self, encoded: Iterator[EncodedChunk]) -> Iterator[EncodedChunk]:
        for chunk in encoded:
            self._further += chunk.passes > 1
            yield chunk

    def _report(self, stage: str, done: set[int], seconds: dict[int, float]) -> None:
        if self._progress is not None:
            video = sum(seconds[index] for index in done)
            elapsed = time.monotonic() - self._began
            self._progress(Progress(stage, len(done), len(seconds), video, sum(seconds.values()), elapsed))

    def summary(self, joined: Joined, to: _Target) -> Summary:
        duration = sum(chunk.seconds for chunk in self._chunks)
        return Summary(
            joined.frames,
            duration,
            joined.bits / duration if duration > 0 else 0.0,
            joined.chunks,
            self._further,
            self._resumed,
            self._retried,
            self._duplicated,
            self._damaged,
            len(self._workers),
            self._work_seconds,
            time.monotonic() - self._began,
            to.left_out,
            to.left_out_subtitles,
            self._repeated,
            self._repeated_seconds,
        )


def _first_pass_at(chunk: Chunk, qp: float) -> FirstPass:
    """Calls :func:`first_pass` for executors that take no keyword arguments."""
    return first_pass(chunk, qp=qp)


def _second_pass(
    chunk: Chunk, first: FirstPass, bit_rate: int, passes: int, limits_over_seams: bool = False
) -> EncodedChunk:
    """Calls :func:`second_pass` for executors that take no keyword arguments."""
    return second_pass(chunk, first, bit_rate, passes=passes, limits_over_seams=limits_over_seams)
