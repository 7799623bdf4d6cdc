"""Encoded frames."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _ffi, quality
from ._handles import Handle, filled, lent_bytes, lent_view
from .errors import InvalidValueError
from .format_description import FormatDescription
from .quality import QualityMetrics
from .time import Time

_release = _ffi.fast.nalu_sample_release
_get_data = _ffi.fast.nalu_sample_get_data

_PARAMETER_SETS = {
    "key_frames": _ffi.ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES,
    "never": _ffi.ANNEX_B_NO_PARAMETER_SETS,
    "always": _ffi.ANNEX_B_PARAMETER_SETS_ALWAYS,
}


class Sample(Handle):
    """One encoded frame: its NAL units, times and dependencies. Immutable; any thread may use it."""

    __slots__ = ("tag",)

    #: The ``tag`` given to ``encode`` with the frame; for a sample from a file, the number of its track.
    tag: Any

    def __init__(self, pointer: Any, tag: Any = None) -> None:
        self._pointer = pointer
        self.tag = tag

    @property
    def data(self) -> bytes:
        """The NAL units in the form of MP4, each after a 4-byte big-endian length; without parameter sets.

        Samples from a file have lengths of ``format_description.length_size`` bytes.
        """
        return lent_bytes(_get_data, self._pointer)

    @property
    def view(self) -> memoryview:
        """A read-only view of ``data`` without a copy. The view keeps the sample alive."""
        size = ctypes.c_size_t(0)
        return lent_view(self, _get_data(self._pointer, ctypes.byref(size)), size.value)

    def __len__(self) -> int:
        """Returns the size of ``data`` in bytes."""
        size = ctypes.c_size_t(0)
        _get_data(self._pointer, ctypes.byref(size))
        return size.value

    def annex_b(self, parameter_sets: str = "key_frames") -> bytes:
        """Returns the frame in Annex B form, ready to be appended to a ``.h264`` file or stream.

        :param parameter_sets: the frames that begin with SPS and PPS: ``"key_frames"``, ``"always"`` or ``"never"``.
        """
        mode = _PARAMETER_SETS.get(parameter_sets)
        if mode is None:
            raise InvalidValueError(f"parameter_sets is {parameter_sets!r}; expected one of {', '.join(_PARAMETER_SETS)}")
        return filled(
            lambda buffer, capacity, size: _ffi.fast.nalu_sample_copy_annex_b(
                self._pointer, mode, buffer, capacity, size
            ),
            len(self) + 256,
        )

    @property
    def nal_units(self) -> list[bytes]:
        """The NAL units one by one, header bytes first."""
        offset = ctypes.c_size_t(0)
        units = []
        while unit := lent_bytes(_ffi.fast.nalu_sample_next_nal, self._pointer, ctypes.byref(offset)):
            units.append(unit)
        return units

    @property
    def pts(self) -> Time:
        """The presentation time, exactly as given with the frame or stored in the file."""
        return Time._from(_ffi.fast.nalu_sample_get_presentation_time(self._pointer))

    @property
    def dts(self) -> Time:
        """The decode time. It is never after ``pts``, and increases from sample to sample of a session."""
        return Time._from(_ffi.fast.nalu_sample_get_decode_time(self._pointer))

    @property
    def duration(self) -> Optional[Time]:
        """The duration, exactly as given; None if none was given."""
        time = Time._from(_ffi.fast.nalu_sample_get_duration(self._pointer))
        return time if time.is_numeric else None

    @property
    def is_key_frame(self) -> bool:
        """Whether the frame is a key frame: IDR, or for H.265 IDR or BLA. Decoding can start at a key frame."""
        return bool(_ffi.fast.nalu_sample_is_key_frame(self._pointer))

    @property
    def depends_on_others(self) -> bool:
        """Whether the frame refers to other frames; False for intra frames."""
        return bool(self._attachments & _ffi.SAMPLE_DEPENDS_ON_OTHERS)

    @property
    def is_depended_on(self) -> bool:
        """Whether other frames may refer to this frame; False for frames that may be dropped."""
        return bool(self._attachments & _ffi.SAMPLE_IS_DEPENDED_ON_BY_OTHERS)

    @property
    def is_recovery_point(self) -> bool:
        """Whether decoding can start here although the frame is not a key frame, as with the properties AllowOpenGOP and
        NaluAllowIntraRefresh."""
        return bool(self._attachments & _ffi.SAMPLE_PARTIAL_SYNC)

    @property
    def is_hidden(self) -> bool:
        """Whether the sample is decoded and not displayed, because the edit list of an MP4 or MOV hides it. A decoder returns
        no frame for a hidden sample."""
        return bool(self._attachments & _ffi.SAMPLE_DO_NOT_DISPLAY)

    @property
    def ltr_token(self) -> Optional[int]:
        """The token with which a receiver acknowledges the sample; None without the property EnableLTR."""
        token = int(_ffi.fast.nalu_sample_get_ltr_acknowledgement_token(self._pointer))
        return None if token < 0 else token

    @property
    def ltr_reference(self) -> Optional[int]:
        """The ``ltr_token`` of the only sample that this sample refers to; None for an intra frame and without the property
        EnableLTR."""
        token = int(_ffi.fast.nalu_sample_get_ltr_reference_token(self._pointer))
        return None if token < 0 else token

    @property
    def _attachments(self) -> int:
        return int(_ffi.fast.nalu_sample_get_attachments(self._pointer))

    @property
    def average_qp(self) -> float:
        """The mean luma QP of the frame, 0 (best quality) to 51, at 10 bits -12 to 51; NaN if the encoder does not report the
        QP."""
        return float(_ffi.fast.nalu_sample_get_average_qp(self._pointer))

    @property
    def quality(self) -> Optional[QualityMetrics]:
        """The difference between the decoded picture and the frame; None without the property CalculateMeanSquaredError."""
        return quality.read(self._pointer)

    @property
    def format_description(self) -> FormatDescription:
        """The format description of the stream."""
        pointer = _ffi.fast.nalu_sample_get_format_description(self._pointer)
        return FormatDescription(_ffi.fast.nalu_format_description_retain(pointer))

    def __repr__(self) -> str:
        kind = "key frame" if self.is_key_frame else "frame"
        return f"<Sample {kind} pts={self.pts.seconds:.6g} s, {len(self)} bytes>"

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and _release:
            _release(pointer)
