"""Frames handed in to a session: copied during the call, or lent until the frame is delivered."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

from . import _ffi
from ._handles import failure
from ._outputs import Outputs
from .frames import Planes

_encode_planes = _ffi.lib.nalu_compression_session_encode_planes
_encode_frame = _ffi.lib.nalu_compression_session_encode_frame
#: Formats that the encoder can read without a copy.
_BORROWABLE = ("nv12", "nv12_full", "i420", "i420_full")


class Input:
    """The input of one session."""

    __slots__ = ("_outputs", "_session")

    def __init__(self, session: Any, outputs: Outputs) -> None:
        self._session = session
        self._outputs = outputs

    def hand_in(self, planes: Planes, shown: Any, lasting: Any, options: Any, tag: Any, lend: bool, accepted: Any) -> None:
        """Hands in a frame. The planes are released when the session no longer needs them.

        :param accepted: a c_uint32, which C sets if the session accepts the frame, also if Ctrl-C ends the call.
        """
        lend = lend and planes.format.name in _BORROWABLE
        number = None
        if lend or tag is not None:
            number = next(self._outputs.numbers)
            self._outputs.keep(number, tag, planes if lend else None)
        try:
            status = (self._lend if lend else self._copy)(planes, shown, lasting, options, number, ctypes.byref(accepted))
            if status:
                raise failure(status)
        finally:
            if not accepted and number is not None:
                self._outputs.forget(number)
            if not accepted or not lend:
                planes.release()

    def _copy(self, planes: Planes, shown: Any, lasting: Any, options: Any, number: Optional[int], accepted: Any) -> int:
        return int(_encode_planes(self._session, *_described(planes), shown, lasting, options, number, accepted))

    def _lend(self, planes: Planes, shown: Any, lasting: Any, options: Any, number: Optional[int], accepted: Any) -> int:
        buffer = _ffi.nalu_pixel_buffer_p()
        status = _ffi.lib.nalu_pixel_buffer_create_with_planes(*_described(planes), None, None, ctypes.byref(buffer))
        if status == _ffi.OK:
            status = _encode_frame(self._session, buffer, shown, lasting, options, number, accepted)
            # A release never fails, so the error message of encode_frame stays.
            _ffi.lib.nalu_pixel_buffer_release(buffer)
        return int(status)


def _described(planes: Planes) -> tuple[Any, ...]:
    """Returns the arguments that describe planes to C."""
    kind = planes.format
    return planes.width, planes.height, kind.code, kind.planes, planes.pointers, planes.strides, planes.sizes
