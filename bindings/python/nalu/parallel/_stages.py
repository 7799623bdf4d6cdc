"""The passes over one chunk, on any machine. The functions have no state."""

from __future__ import annotations

import ctypes
import os
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Optional

from .._numbers import whole_number
from ..errors import InvalidValueError
from ..media import _ffi
from ..passes import BitDivision, checked_qp
from ..time import Time
from ._calls import Callbacks, Result, encode
from ._failures import worker

if TYPE_CHECKING:
    from ._plan import Chunk


@dataclass(frozen=True)
class FirstPass:
    """The statistics of a chunk's first pass."""

    #: The number of the chunk.
    number: int
    #: The number of frames; 0 if the chunk lies within a frame that is presented for longer.
    frames: int
    #: Seconds, from the first frame to the end of the last one.
    duration: Fraction
    #: The result as bytes, compressed by zlib.
    data: bytes
    #: Frames of the source that were decoded with errors.
    damaged_frames: int
    #: The seconds that the pass took, wall-clock time.
    seconds: float
    #: The host and process that ran the pass.
    worker: str

    def _result(self) -> Result:
        try:
            data = zlib.decompress(self.data)
        except zlib.error as error:
            raise InvalidValueError(f"the data of chunk {self.number}'s first pass are corrupt ({error}); repeat the first pass") from None
        return Result.from_data(data)


@dataclass(frozen=True)
class EncodedChunk:
    """The samples of a chunk."""

    number: int
    #: The number of samples: the frames of the chunk without those that ``DataRateLimits`` dropped. It can be 0, as in :class:`FirstPass`.
    frames: int
    #: Seconds, from the first frame to the end of the last one.
    duration: Fraction
    #: The size of the samples.
    bits: int
    #: The number of passes that :func:`second_pass` made.
    passes: int
    #: The result as bytes.
    data: bytes
    #: The seconds that the pass took, wall-clock time.
    seconds: float
    #: The host and process that ran the pass.
    worker: str


def first_pass(chunk: "Chunk", *, qp: Optional[float] = None, directory: Any = None) -> FirstPass:
    """Encodes a chunk to learn how many bits its frames need.

    :param qp: the QP from :func:`first_pass_qps`; default: the encoder approaches the bit rate.
    :param directory: the directory for temporary files, see :class:`nalu.MultiPassStorage`; default: that of Python's
        ``tempfile``, which the worker's ``TMPDIR`` names.

    Raises OSError if the source cannot be opened or the directory is full, and :class:`nalu.DecodingError` if frames of the
    source cannot be decoded.
    """
    began = time.monotonic()
    call = _ffi.library().lib.nalu_chunk_encode_first_pass
    result = encode(
        chunk, directory, lambda source, native, options, out: call(source, native, checked_qp(qp), options, out)
    )
    info = result.info
    return FirstPass(
        info.number,
        info.frame_count,
        Time._from(info.duration).fraction,
        zlib.compress(result.data(), 1),
        info.damaged_frame_count,
        time.monotonic() - began,
        worker(),
    )


def budgets(firsts: Sequence[FirstPass], bit_rate: int, *, directory: Any = None) -> list[int]:
    """Returns the bit rate of each chunk, so that the whole video has one quality. See :func:`nalu.divide_bits`.

    A chunk gets at most the rate that the level and the ``DataRateLimits`` of its first pass's session allow. The others then share
    the rest at one quality of their own.

    :param firsts: the first passes of all chunks.
    :param bit_rate: bits per second of the whole video, 1 or more.
    :param directory: the directory for temporary files, which are as large as the uncompressed data of all chunks; default: the one
        that ``TMPDIR`` names, or ``/tmp``.
    """
    return divided(len(firsts), firsts.__getitem__, bit_rate, directory).bit_rates


def first_pass_qps(firsts: Sequence[FirstPass], bit_rate: int, *, directory: Any = None) -> list[Optional[float]]:
    """Returns the ``qp`` at which to repeat the :func:`first_pass` of each chunk; None if the first pass is accurate enough.

    A first pass begins with a coarse QP, and approaches the bit rate over seconds. The model by which :func:`budgets` divides
    the bits is accurate near the QPs of the first pass only. Repeat a first pass twice at most, and pass the new result to
    :func:`budgets` and :func:`second_pass`. The arguments are those of :func:`budgets`.
    """
    return divided(len(firsts), firsts.__getitem__, bit_rate, directory).first_pass_qps


def divided(count: int, first: Callable[[int], FirstPass], bit_rate: int, directory: Any) -> BitDivision:
    """Divides the bits of a video. ``first`` returns a chunk's first pass by index, and is called once for each chunk."""
    rate = whole_number(bit_rate, "bit_rate", 1)
    if not count:
        raise InvalidValueError("firsts is empty; expected the first pass of every chunk")
    callbacks = Callbacks()

    def give(refcon: Any, index: int, out: Any) -> None:
        out[0] = first(index)._result().take()

    rates, qps = (ctypes.c_int64 * count)(), (ctypes.c_double * count)()
    path = None if directory is None else os.fsencode(directory)
    function = callbacks.function(_ffi.chunk_first_pass_callback, give)
    divide = _ffi.library().lib.nalu_chunk_divide_bits
    callbacks.check(divide(count, rate, path, function, None, rates, qps))
    return BitDivision(list(rates), [qp or None for qp in qps])


def second_pass(
    chunk: "Chunk",
    first: FirstPass,
    bit_rate: int,
    *,
    passes: int = 6,
    directory: Any = None,
    limits_over_seams: bool = False,
) -> EncodedChunk:
    """Encodes a chunk at the bit rate from :func:`budgets`, but at most at the rate of its level.

    :param passes: the highest number of passes, with the first one, 2 to 6. A third pass and later ones are made only if the
        size is more than 1.5 % off and another pass is likely to help, as for chunks of a few seconds.
    :param directory: see :func:`first_pass`.
    :param limits_over_seams: True sets the property ``NaluLimitsOverSeams``, for the chunks from :func:`chunks_at_seams_over_limits`.

    The result does not depend on the worker, because the encoder has one thread. Raises the exceptions of :func:`first_pass`.
    """
    began = time.monotonic()
    most = whole_number(passes, "passes", 2, 6)
    rate = whole_number(bit_rate, "bit_rate", 1)
    call = _ffi.library().lib.nalu_chunk_encode_second_pass
    passed = first._result()
    result = encode(
        chunk,
        directory,
        lambda source, native, options, out: call(source, native, passed.pointer, rate, most, options, out),
        _ffi.CHUNK_WORK_LIMITS_OVER_SEAMS if limits_over_seams else 0,
    )
    info = result.info
    return EncodedChunk(
        info.number,
        info.frame_count,
        Time._from(info.duration).fraction,
        info.bits,
        info.pass_count,
        result.data(),
        time.monotonic() - began,
        worker(),
    )
