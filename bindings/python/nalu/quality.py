"""The difference between an encoded picture and its frame."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional

from . import _ffi
from ._handles import check


class QualityMetrics(NamedTuple):
    """The fields of nalu_quality_metrics in sample.h. Errors are on the scale of the stream's samples: 0 to 255, or 0 to 1023
    with 10 bits. Ratios are in dB, and infinite without an error."""

    luma_mean_squared_error: float
    chroma_blue_mean_squared_error: float
    chroma_red_mean_squared_error: float
    luma_psnr: float
    chroma_blue_psnr: float
    chroma_red_psnr: float
    #: The PSNR of luma and chroma together.
    average_psnr: float
    #: The structural similarity of luma, at most 1.
    ssim: float


def read(sample: Any) -> Optional[QualityMetrics]:
    """Returns the metrics of a sample's handle; None if the session did not calculate them."""
    native = _ffi.nalu_quality_metrics(ctypes.sizeof(_ffi.nalu_quality_metrics))
    status = _ffi.fast.nalu_sample_get_quality_metrics(sample, ctypes.byref(native))
    if status == _ffi.VALUE_NOT_AVAILABLE:
        return None
    check(status)
    return QualityMetrics(*[getattr(native, name) for name in QualityMetrics._fields])


__all__ = ["QualityMetrics"]
