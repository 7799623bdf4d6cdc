"""What is done with one chunk, wherever a worker is. No function here keeps anything from call to call."""

from __future__ import annotations

import os
import tempfile
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Optional

from ..errors import InvalidValueError
from ..media import Frame
from ..passes import BitDivision, MultiPassStorage, divide_bits
from ..sample import Sample
from ..session import CompressionSession
from ..time import Time
from ._failures import SourceChangedError, worker
from ._samples import pack
from ._settings import number as _number

if TYPE_CHECKING:
    from ._plan import Chunk
    from ._sources import Shown


#: Bits per second of which a kilobit is a notable chunk.
_FEW = 20_000


@dataclass(frozen=True)
class FirstPass:
    """What the first pass of a chunk learned."""

    #: Of the chunk.
    number: int
    #: 0 where the chunk lies within a frame that is shown for longer.
    frames: int
    #: Seconds, from the first frame to the end of the last one.
    duration: Fraction
    #: :meth:`nalu.MultiPassStorage.data`, compressed by zlib; nothing without frames.
    data: bytes
    #: Frames of the source that were decoded with errors.
    damaged_frames: int
    #: Seconds that it took, by the clock.
    seconds: float
    #: The host and process that did it.
    worker: str
    #: Bits per second that the level and the ``DataRateLimits`` of the film hold; None where neither is fixed.
    highest_rate: Optional[int] = None

    def storage(self, directory: Any = None) -> MultiPassStorage:
        """A session with this begins with the second pass. Raises ValueError if it is damaged."""
        try:
            learned = zlib.decompress(self.data)
        except zlib.error as error:
            raise InvalidValueError(f"the first pass of chunk {self.number} is damaged: {error}") from None
        return MultiPassStorage(learned, directory=directory)


@dataclass(frozen=True)
class EncodedChunk:
    """A chunk as it stands in the film."""

    number: int
    #: Samples: the frames of the chunk, without those that ``DataRateLimits`` dropped. 0 as in :class:`FirstPass`.
    frames: int
    #: Seconds, from the first frame to the end of the last one.
    duration: Fraction
    #: Of the samples.
    bits: int
    #: Passes that :func:`second_pass` made.
    passes: int
    #: Format description and samples.
    data: bytes
    #: Seconds that it took, by the clock.
    seconds: float
    #: The host and process that did it.
    worker: str
    #: ``DataRateLimits`` of the film: bytes and seconds in turn.
    limits: tuple[float, ...] = ()


def first_pass(chunk: "Chunk", *, qp: Optional[float] = None, directory: Any = None) -> FirstPass:
    """Encodes a chunk to learn what its frames need.

    :param qp: the QP from :func:`first_pass_qps`; default: the encoder approaches the bit rate.
    :param directory: for temporary files, see :class:`nalu.MultiPassStorage`; left out, that of Python's ``tempfile``, which
        ``TMPDIR`` of the worker names.

    Raises OSError if the source cannot be opened or the directory is full, and :class:`nalu.DecodingError` if frames of the
    source cannot be decoded.
    """
    began = time.monotonic()
    with MultiPassStorage(directory=directory or tempfile.gettempdir()) as storage, _session(chunk, storage) as session:
        session.begin_pass(qp=qp)
        run = _Run(chunk)
        run.samples(session)
        data = b""
        if run.frames:
            session.end_pass()
            data = zlib.compress(storage.data(), 1)
    return FirstPass(
        chunk.number,
        run.frames,
        run.duration,
        data,
        run.damaged,
        time.monotonic() - began,
        worker(),
        _highest_rate(chunk),
    )


def _highest_rate(chunk: "Chunk") -> Optional[int]:
    settings = chunk.settings
    # A film in one chunk has no seams.
    flow = settings.highest_flow if chunk.count > 1 else None
    bounds = [rate for rate in (settings.highest_rate, None if flow is None else int(flow)) if rate is not None]
    return min(bounds, default=None)


def budgets(firsts: Sequence[FirstPass], bit_rate: int, *, directory: Any = None) -> list[int]:
    """The bit rate of each chunk, so that one quality holds for the whole film. See :func:`nalu.divide_bits`.

    A chunk gets at most what the level and the ``DataRateLimits`` of the film let through. The others then share the rest, at one
    quality of their own.

    :param firsts: of all chunks. ``bit_rate``: bits per second, of the whole film, 1 or more. ``directory``: for temporary files,
        which are as large as the uncompressed data of all chunks; left out, ``/tmp``.
    """
    return divided(firsts, bit_rate, directory).bit_rates


def first_pass_qps(firsts: Sequence[FirstPass], bit_rate: int, *, directory: Any = None) -> list[Optional[float]]:
    """Returns the ``qp`` at which to repeat the :func:`first_pass` of each chunk; None if the first pass is accurate enough.

    A first pass begins with a coarse QP, and approaches the bit rate over seconds. The model by which :func:`budgets` divides
    the bits is accurate near the QPs of the first pass only. Repeat a first pass twice at most, and pass the new result to
    :func:`budgets` and :func:`second_pass`. Arguments as for :func:`budgets`.
    """
    return divided(firsts, bit_rate, directory).first_pass_qps


def divided(firsts: Sequence[FirstPass], bit_rate: int, directory: Any) -> BitDivision:
    rate = _number(bit_rate, "bit_rate", 1)
    if not firsts:
        raise InvalidValueError("firsts is empty; expected the first pass of every chunk")
    total = round(rate * sum((first.duration for first in firsts), Fraction(0)))
    storages = {index: first.storage(directory) for index, first in enumerate(firsts) if first.frames}
    if not storages:
        raise InvalidValueError("no chunk has frames; expected some")
    # A chunk without frames needs none.
    rates = [rate] * len(firsts)
    qps: list[Optional[float]] = [None] * len(firsts)
    sharing = list(storages)
    try:
        while sharing:
            division = divide_bits([storages[index] for index in sharing], max(1, total))
            for index, share, qp in zip(sharing, *division):
                rates[index], qps[index] = share, qp
            full: dict[int, int] = {}
            for index in sharing:
                highest = firsts[index].highest_rate
                if highest is not None and rates[index] > highest:
                    full[index] = highest
            if not full:
                break
            for index, highest in full.items():
                rates[index] = highest
                share = round(highest * firsts[index].duration)
                (qps[index],) = divide_bits([storages[index]], max(1, share)).first_pass_qps
                total -= share
            sharing = [index for index in sharing if index not in full]
        # One chunk gets all bits, whatever its first pass was.
        return BitDivision(rates, qps if len(storages) > 1 else [None] * len(firsts))
    finally:
        for storage in storages.values():
            storage.close()


def second_pass(
    chunk: "Chunk", first: FirstPass, bit_rate: int, *, passes: int = 6, directory: Any = None
) -> EncodedChunk:
    """Encodes a chunk with the bit rate that :func:`budgets` gave it; with a higher one than its level holds, at that of the level.

    :param passes: the most passes, the first one included, 2 to 6. A third and later ones are made only if the size is more than
        1.5 % off and another pass is likely to help, as for chunks of a few seconds.
    :param directory: as for :func:`first_pass`.

    The result does not depend on the worker: the encoder has one thread. Raises as :func:`first_pass`.
    """
    if first.number != chunk.number:
        raise InvalidValueError(f"the first pass is of chunk {first.number}; expected that of chunk {chunk.number}")
    most = _number(passes, "passes", 2, 6)
    began = time.monotonic()
    if not first.frames:
        return EncodedChunk(chunk.number, 0, first.duration, 0, 0, b"", time.monotonic() - began, worker(), chunk.settings.limits)
    rate = _number(bit_rate, "bit_rate", 1)
    # x264 counts in kilobits, and refuses less than headers need: of a still chunk, nearly all that it has.
    rate = rate if rate > _FEW else -(-rate // 1000) * 1000
    highest = chunk.settings.highest_rate
    rate = rate if highest is None else min(rate, highest)
    with first.storage(directory or tempfile.gettempdir()) as storage, _session(chunk, storage, rate) as session:
        count, again = 1, True
        while again:
            count += 1
            session.begin_pass(final=count == most)
            run = _Run(chunk)
            samples = run.samples(session)
            again = session.end_pass()
        if run.frames != first.frames:
            raise SourceChangedError(
                f"chunk {chunk.number} has {run.frames} frames, and had {first.frames} in the first pass: the source changed"
            )
        if not samples:
            raise InvalidValueError(f"DataRateLimits leave no room for any frame of {chunk}; expected larger ones")
        data = pack(samples)
    bits = 8 * sum(len(sample) for sample in samples)
    return EncodedChunk(
        chunk.number,
        len(samples),
        run.duration,
        bits,
        count - 1,
        data,
        time.monotonic() - began,
        worker(),
        chunk.settings.limits,
    )


def _session(chunk: "Chunk", storage: MultiPassStorage, bit_rate: Optional[int] = None) -> CompressionSession:
    return chunk.settings.session(
        storage, bit_rate=bit_rate, is_first=chunk.number == 0, is_last=chunk.number == chunk.count - 1
    )


class _Run:
    """One pass over a chunk."""

    def __init__(self, chunk: "Chunk") -> None:
        self._chunk = chunk
        self.frames = 0
        self.damaged = 0
        self._first: Optional[Time] = None
        self._last: Optional[Time] = None
        self._lasting: Optional[Fraction] = None

    def samples(self, session: CompressionSession) -> "list[Sample]":
        chunk, samples = self._chunk, []
        for shown in chunk.source.frames(chunk.begin, chunk.end):
            self._check_size(shown)
            self._count(shown.pts, shown.duration)
            self.damaged += shown.is_damaged
            samples += session.encode(shown.frame, shown.pts, shown.duration)
        return samples + session.flush() if self.frames else []

    def _check_size(self, shown: "Shown") -> None:
        """A decoded frame must have the size of the film, unless all frames are scaled."""
        settings, frame = self._chunk.settings, shown.frame
        if not isinstance(frame, Frame) or dict(settings.properties).get("NaluAllowScaling", True):
            return
        if (frame.width, frame.height) != (settings.width, settings.height):
            raise InvalidValueError(
                f"the frames change from {settings.width}x{settings.height} to {frame.width}x{frame.height} at "
                f"{shown.pts.seconds:.6g} s, and a film has one size for all; expected size, to which all are scaled"
            )

    def _count(self, pts: Time, duration: Optional[Time]) -> None:
        self.frames += 1
        if duration is not None:
            self._lasting = duration.fraction
        elif self._last is not None:
            self._lasting = pts.fraction - self._last.fraction
        self._first = pts if self._first is None else self._first
        self._last = pts

    @property
    def duration(self) -> Fraction:
        if self._first is None or self._last is None:
            return Fraction(0)
        return self._last.fraction - self._first.fraction + (self._lasting or Fraction(0))
