"""Samples from a byte stream that arrives in blocks, for example from a network."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional

from . import _ffi, time
from ._handles import Handle, check
from ._numbers import whole_number
from .bitstream import BytesLike, borrowed
from .errors import InvalidValueError
from .sample import Sample
from .time import TimeLike

_release = _ffi.fast.nalu_stream_parser_release
_push = _ffi.lib.nalu_stream_parser_push
_next = _ffi.lib.nalu_stream_parser_next

_CODECS = {"h264": _ffi.CODEC_H264, "hevc": _ffi.CODEC_HEVC}


class StreamStatistics(NamedTuple):
    """The counts of a parser."""

    #: The number of bytes pushed.
    bytes: int
    #: The number of bytes before the first access unit with an SPS.
    skipped_bytes: int
    #: The number of samples made, fetched or not.
    samples: int
    #: The number of bytes of the incomplete access unit.
    pending_bytes: int
    #: Access units that did not become samples: too large, without a readable slice, or before a key frame.
    dropped_access_units: int
    #: NAL units that could not be read.
    dropped_units: int
    #: Gaps in frame_num of H.264: reference frames were lost, or left out on purpose.
    frame_number_gaps: int
    #: Given times that were not after the previous time, and were replaced.
    replaced_times: int


class StreamParser(Handle):
    """Makes samples from an H.264 or H.265 Annex B byte stream that arrives in blocks of any size.

    :param codec: ``"h264"`` or ``"hevc"``.
    :param time_base: seconds per unit of an int ``pts``, for example ``Fraction(1, 90000)``.
    :param frame_duration: the time for which a frame is shown; default: the duration in the stream, or 1/30 s if it has none.
    :param reorder_depth: the maximum number of frames that precede a frame in decode order and follow it in output order, 0 to
        16; default: the depth in the stream.
    :param maximum_access_unit_size: bytes, 1024 to 2**30, default 16 MiB; a larger access unit is left out.

    >>> import io, nalu
    >>> stream = io.BytesIO()
    >>> _ = nalu.write_video(stream, [bytes(64 * 48)] * 2, fps=25, format="gray", size=(64, 48))
    >>> parser = nalu.StreamParser()
    >>> samples = [sample for byte in stream.getvalue() for sample in parser.push(bytes([byte]))]
    >>> samples += parser.finish()
    >>> [sample.is_key_frame for sample in samples]
    [True, False]

    A sample is complete when the next one has begun. Decoding can start at the first sample; earlier pictures are left out. Any
    thread may use a parser; the bytes must be pushed in their order.
    """

    __slots__ = ("_base",)

    def __init__(
        self,
        codec: str = "h264",
        *,
        time_base: Any = None,
        frame_duration: Optional[TimeLike] = None,
        reorder_depth: Optional[int] = None,
        maximum_access_unit_size: Optional[int] = None,
    ) -> None:
        code = _CODECS.get(codec) if isinstance(codec, str) else None
        if code is None:
            raise InvalidValueError(f"codec is {codec!r}; expected {' or '.join(map(repr, _CODECS))}")
        self._base = None if time_base is None else time.rational(time_base, "time_base")
        options = _ffi.nalu_stream_parser_options(ctypes.sizeof(_ffi.nalu_stream_parser_options))
        if frame_duration is not None:
            options.frame_duration = time.native(frame_duration, self._base, "frame_duration")
        if reorder_depth is not None:
            options.reorder_depth_plus_1 = whole_number(reorder_depth, "reorder_depth", 0, 16) + 1
        if maximum_access_unit_size is not None:
            options.maximum_access_unit_size = whole_number(
                maximum_access_unit_size, "maximum_access_unit_size", 1024, 1 << 30
            )
        out = _ffi.nalu_stream_parser_p()
        check(_ffi.lib.nalu_stream_parser_create(code, ctypes.byref(options), ctypes.byref(out)))
        self._pointer = out

    def push(self, data: BytesLike, pts: Optional[TimeLike] = None) -> Iterator[Sample]:
        """Accepts the next bytes at once, and returns an iterator over the complete samples.

        :param pts: the presentation time of the first access unit that begins in these bytes: seconds as a float or Fraction, an
            int of ``time_base`` units, or a :class:`Time`. Default: the previous time plus that picture's duration, from 0.

        If bytes are corrupt, the iteration raises :class:`nalu.Error` once for the data that were left out. The next call
        returns the samples after that place, and samples that were not fetched.
        """
        shown = _ffi.NO_TIME if pts is None else time.native(pts, self._base, "pts")
        data = borrowed(data)
        check(_push(self._pointer, data, len(data), shown))
        return self._samples()

    def finish(self) -> Iterator[Sample]:
        """Ends the stream, and returns an iterator over the remaining samples. After an error, call it again for the samples
        that follow."""
        check(_ffi.lib.nalu_stream_parser_finish(self._pointer))
        return self._samples()

    def _samples(self) -> Iterator[Sample]:
        while True:
            out = _ffi.nalu_sample_p()
            status = _next(self._pointer, ctypes.byref(out))
            if status in (_ffi.WOULD_BLOCK, _ffi.VALUE_NOT_AVAILABLE):
                return
            check(status)
            yield Sample(out)

    @property
    def statistics(self) -> StreamStatistics:
        """The parser's counts so far."""
        counted = _ffi.nalu_stream_parser_statistics(ctypes.sizeof(_ffi.nalu_stream_parser_statistics))
        check(_ffi.fast.nalu_stream_parser_get_statistics(self._pointer, ctypes.byref(counted)))
        return StreamStatistics(*[getattr(counted, name) for name in StreamStatistics._fields])

    def __repr__(self) -> str:
        counted = self.statistics
        return f"<StreamParser {counted.bytes} bytes, {counted.samples} samples>"

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and _release:
            _release(pointer)


__all__ = ["StreamParser", "StreamStatistics"]
