"""Decoding samples."""

from __future__ import annotations

import collections
import ctypes
import itertools
from typing import Any, Optional, Union

from .. import _ffi as _core
from .. import formats
from .._handles import Threaded, check, text
from .._numbers import whole_number
from ..errors import DecodingError, InvalidValueError, WrongTypeError
from ..sample import Sample
from ..time import Time
from . import _ffi
from ._signal import Signals
from .frame import Frame
from .reader import _pixel_count

#: The formats to which decoders do not convert.
_NOT_MADE = frozenset(
    name
    for name, each in formats.FORMATS.items()
    if each.name in ("gray", "uyvy", "yuyv", "p016", "p016_full") or (each.planes > 1 and each.chroma_rows == 1)
)
_ERRORS = ("strict", "ignore")


class _Pictures:
    """The queue that one session's callback fills with frames, and with failures in their order."""

    __slots__ = ("drops", "dropped", "failed", "has_shown", "ready", "session", "signals")

    def __init__(self, drops: bool) -> None:
        self.drops = drops
        self.has_shown = False
        self.ready: "collections.deque[Union[Frame, DecodingError]]" = collections.deque()
        self.dropped = 0
        self.failed = 0
        self.session: Any = None
        self.signals = Signals()

    def receive(self, signal: Optional[int], status: int, flags: int, image: Any, pts: Any, duration: Any) -> None:
        if image:
            pointer = _core.fast.nalu_pixel_buffer_retain(image)
            frame = Frame(pointer, Time._from(pts), Time._from(duration), flags)
            if signal:
                frame._signal = self.signals.all[signal - 1]
            self.ready.append(frame)
            self.has_shown = True
        elif self._is_lost(status, flags):
            self.failed += 1
            self.ready.append(self._failure(status, Time._from(pts)))
        elif flags & _ffi.DECODE_INFO_FRAME_DROPPED or status == _core.OK:
            self.dropped += 1
        else:
            self.failed += 1
            self.ready.append(self._failure(status, Time._from(pts)))

    def _is_lost(self, status: int, flags: int) -> bool:
        """Returns whether a frame is missing after the first displayed frame, and not on purpose."""
        is_leading = flags & _ffi.DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED
        return status == _core.REFERENCE_MISSING and self.has_shown and not self.drops and not is_leading

    def _failure(self, status: int, pts: Time) -> DecodingError:
        copy = _ffi.library().fast.nalu_decompression_session_copy_last_error
        name = _core.fast.nalu_status_string(status).decode("ascii")
        message = ""
        if self.session is not None:
            message = text(lambda buffer, capacity, size: copy(self.session, buffer, capacity, size))
        return DecodingError(message or f"the sample at {pts.seconds:.6g} s could not be decoded: {name}", status, name)


#: Live sessions by the number that C passes as refcon. All share one C callback, which is never freed.
_sessions: dict[int, _Pictures] = {}
_numbers = itertools.count(1)


def _receive(
    refcon: int, frame_refcon: Optional[int], status: int, flags: int, image: Any, pts: Any, duration: Any
) -> None:
    """Handles the C callback, on the session's own thread."""
    pictures = _sessions.get(refcon)
    if pictures is not None:
        pictures.receive(frame_refcon, status, flags, image, pts, duration)


_callback = _ffi.decompression_output_callback(_receive)


class Decoder(Threaded):
    """Decodes samples into frames.

    :param format: the pixel format of the frames, ``"rgb"``, ``"bgra"``, ``"nv12"`` and so on, converted with the stream's own
        matrix. Default: the format without loss: ``"i420"`` (without a copy), ``"nv16"`` for 4:2:2, ``"nv24"`` for 4:4:4;
        ``"p010"``, ``"p210"`` and ``"p410"`` for 10 bits; ``"p016"``, ``"p216"`` and ``"p416"`` for 12; ``"bgra"`` for RGB.
    :param size: width and height to which every frame is scaled; default: the stream's size.
    :param threads: 1 to 64; default: the number of processors available to the process, at most 16.
    :param low_delay: ``decode`` waits for the frames that the sample completes. Without it, several pictures are decoded at once,
        and frames are returned some calls later.
    :param drop_until_key_frame: after a lost or corrupt frame, drop all frames up to the next key frame instead of returning
        wrong frames.
    :param maximum_pixel_count: the maximum number of pixels of a picture before cropping. A larger picture is refused with
        ValueError before memory is allocated. Default: 35,651,584, the maximum of level 6.2.
    :param errors: ``"strict"`` raises :class:`nalu.DecodingError` for a sample that cannot be decoded, ``"ignore"`` continues;
        ``failed`` counts such samples in both cases.

    >>> import io, nalu
    >>> file = io.BytesIO()
    >>> _ = nalu.write_video(file, [bytes(64 * 48)] * 3, fps=25, format="gray", size=(64, 48), container="mp4")
    >>> _ = file.seek(0)
    >>> frames = []
    >>> with nalu.open(file) as reader, nalu.Decoder() as decoder:
    ...     for sample in reader:
    ...         frames += decoder.decode(sample)
    ...     frames += decoder.flush()
    >>> [frame.pts.seconds for frame in frames]
    [0.0, 0.04, 0.08]

    Frames are returned in output order. Any thread may use a decoder, if the samples are given in decode order. The
    interpreter's lock is free during decoding, which runs on the library's own threads.
    """

    __slots__ = ("_errors", "_flags", "_library", "_number", "_pictures", "_settings")

    def __init__(
        self,
        *,
        format: Optional[str] = None,
        size: Optional[tuple[int, int]] = None,
        threads: Optional[int] = None,
        low_delay: bool = False,
        drop_until_key_frame: bool = False,
        maximum_pixel_count: Optional[int] = None,
        errors: str = "strict",
    ) -> None:
        self._pointer: Any = None
        pixels = None if format is None else formats.named(format)
        if pixels is not None and pixels.name in _NOT_MADE:
            names = dict.fromkeys(each.name for each in formats.FORMATS.values() if each.name not in _NOT_MADE)
            raise InvalidValueError(f"format is {format!r}; expected one of {', '.join(names)}")
        if errors not in _ERRORS:
            raise InvalidValueError(f"errors is {errors!r}; expected 'strict' or 'ignore'")
        self._errors = errors
        width, height = (0, 0) if size is None else _size(size)
        self._settings = (
            _ffi.nalu_decoder_specification(
                ctypes.sizeof(_ffi.nalu_decoder_specification),
                0,
                (_ffi.DECODER_DROP_UNTIL_KEY_FRAME if drop_until_key_frame else 0)
                | (_ffi.DECODER_LOW_DELAY if low_delay else 0),
                0 if threads is None else whole_number(threads, "threads", 1, 64),
                _pixel_count(maximum_pixel_count),
            ),
            _ffi.nalu_destination_attributes(
                ctypes.sizeof(_ffi.nalu_destination_attributes),
                0 if pixels is None else pixels.code,
                width,
                height,
            ),
        )
        self._flags = 0 if low_delay else _ffi.DECODE_FRAME_ASYNCHRONOUS
        self._pictures = _Pictures(drop_until_key_frame)
        self._number = next(_numbers)
        self._library = _ffi.library()

    def decode(self, sample: Sample, *, show: bool = True) -> list[Frame]:
        """Hands in the next sample in decode order, and returns the frames that are ready, in the order of presentation.

        ``show=False``: decodes the sample because later ones refer to it, and returns no frame for it.

        If an earlier sample could not be decoded, the call raises that failure in its order among the frames, after it has
        accepted the new sample. The next call returns the later frames. A sample that is refused itself, because its format is
        not supported, raises ValueError.
        """
        if not isinstance(sample, Sample):
            raise WrongTypeError(f"the sample is {type(sample).__name__}; expected a nalu.Sample")
        pointer = self._pointer if self._pointer is not None else self._create(sample)
        flags = self._flags | (0 if show else _ffi.DECODE_FRAME_DO_NOT_OUTPUT)
        signal = self._pictures.signals.number(sample)
        check(self._library.lib.nalu_decompression_session_decode_frame(pointer, sample._pointer, flags, signal, None))
        return self._fetched()

    def flush(self) -> list[Frame]:
        """Waits until every sample is decoded, and returns the remaining frames. The next sample should be a key frame.

        If a sample could not be decoded, the call raises that failure; call it again for the later frames.
        """
        if self._pointer is not None:
            check(self._library.lib.nalu_decompression_session_wait_for_asynchronous_frames(self._pointer))
        return self._fetched()

    def _create(self, sample: Sample) -> Any:
        if self._number == 0:
            raise InvalidValueError("the decoder is closed")
        out = _ffi.nalu_decompression_session_p()
        _sessions[self._number] = self._pictures
        try:
            check(
                self._library.lib.nalu_decompression_session_create(
                    sample.format_description._pointer,
                    *self._settings,
                    ctypes.cast(_callback, ctypes.c_void_p),
                    self._number,
                    None,
                    ctypes.byref(out),
                )
            )
        except BaseException:
            del _sessions[self._number]
            raise
        self._pictures.session = out
        self._begin(out)
        return out

    def _fetched(self) -> list[Frame]:
        fetched: list[Frame] = []
        ready = self._pictures.ready
        while ready:
            first = ready[0]
            if isinstance(first, Frame):
                fetched.append(first)
            elif self._errors == "strict":
                if fetched:
                    break
                ready.popleft()
                raise first
            ready.popleft()
        return fetched

    @property
    def dropped(self) -> int:
        """The number of samples without a frame on purpose: before the first key frame, with ``drop_until_key_frame``, with
        ``show=False``."""
        return self._pictures.dropped

    @property
    def failed(self) -> int:
        """The number of samples that could not be decoded."""
        return self._pictures.failed

    @property
    def closed(self) -> bool:
        return self._number == 0

    def close(self) -> None:
        """Ends the decoder. Pending frames are dropped; returned frames stay valid."""
        self._release()

    def _release(self) -> None:
        number, self._number = self._number, 0
        pointer = self._end()
        if pointer is not None:
            self._library.lib.nalu_decompression_session_release(pointer)
            _sessions.pop(number, None)


def _size(size: Any) -> tuple[int, int]:
    try:
        width, height = (int(side.__index__()) for side in size)
    except (AttributeError, TypeError, ValueError):
        raise WrongTypeError(f"size is {size!r}; expected (width, height)") from None
    if not (1 <= width <= 16384 and 1 <= height <= 16384):
        raise InvalidValueError(f"size is {size!r}; expected 1 to 16384 pixels a side")
    return width, height


__all__ = ["Decoder"]
