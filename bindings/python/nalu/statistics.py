"""The statistics of a session."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from . import _ffi
from ._handles import check


class Statistics(NamedTuple):
    """The fields of nalu_session_statistics in session.h: rates in bits per second, times in seconds, NaN if not known."""

    accepted_frames: int
    encoded_frames: int
    dropped_frames: int
    failed_frames: int
    pending_frames: int
    key_frames: int
    #: The size of all samples, without parameter sets.
    bytes: int
    mean_qp: float
    last_qp: float
    #: The bit rate over the last second of decode time.
    current_bit_rate: float
    mean_bit_rate: float
    #: Seconds in the encoder per frame: median and 99th percentile of the last 256 frames, and maximum of all frames.
    encode_time_p50: float
    encode_time_p99: float
    longest_encode_time: float
    #: The means of PSNR, in dB, and SSIM, at most 1; NaN without the property CalculateMeanSquaredError.
    mean_psnr: float
    mean_ssim: float


def read(session: Any) -> Statistics:
    """Returns the statistics of a session's handle."""
    native = _ffi.nalu_session_statistics(ctypes.sizeof(_ffi.nalu_session_statistics))
    check(_ffi.fast.nalu_compression_session_get_statistics(session, ctypes.byref(native)))
    return Statistics(*[getattr(native, name) for name in Statistics._fields])


__all__ = ["Statistics"]
