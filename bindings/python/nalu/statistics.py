"""What a session has done so far."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from . import _ffi
from ._handles import check


class Statistics(NamedTuple):
    """The fields of nalu_session_statistics in session.h: rates in bits per second, times in seconds, NaN when not known."""

    accepted_frames: int
    encoded_frames: int
    dropped_frames: int
    failed_frames: int
    pending_frames: int
    key_frames: int
    #: Of all samples, without parameter sets.
    bytes: int
    mean_qp: float
    last_qp: float
    #: Over the last second of decode time.
    current_bit_rate: float
    mean_bit_rate: float
    #: Seconds in the encoder: median and 99th percentile of the last 256 frames, longest of all.
    encode_time_p50: float
    encode_time_p99: float
    longest_encode_time: float
    #: In dB, and at most 1; with the property CalculateMeanSquaredError.
    mean_psnr: float
    mean_ssim: float


def read(session: Any) -> Statistics:
    """The statistics of a session's handle."""
    native = _ffi.nalu_session_statistics(ctypes.sizeof(_ffi.nalu_session_statistics))
    check(_ffi.fast.nalu_compression_session_get_statistics(session, ctypes.byref(native)))
    return Statistics(*[getattr(native, name) for name in Statistics._fields])


__all__ = ["Statistics"]
