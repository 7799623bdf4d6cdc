"""The compression session: frames in, samples out."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, Optional, Union

from . import _ffi, _units, formats, statistics
from ._attributes import Strict
from ._clock import Clock
from ._delivery import Delivery
from ._description import Description
from ._handles import Unique, check, encoded
from ._input import Input
from ._iteration import AsyncSamples, samples
from ._options import frame_options
from ._outputs import Closed, Outputs
from .errors import Error, InvalidValueError, WrongTypeError
from .frames import describe
from .passes import MultiPassStorage, Passes, TimeRange
from .properties import Properties, PropertyValue, set_preset
from .sample import Sample
from .time import TimeLike

_receive = ctypes.cast(_ffi.lib.nalu_output_queue_receive, ctypes.c_void_p)
_CODECS = {"h264": _ffi.CODEC_H264, "hevc": _ffi.CODEC_HEVC}
_close = ctypes.cast(_ffi.lib.nalu_output_queue_close, ctypes.c_void_p)

class CompressionSession(Strict, Unique):
    """Encodes frames of one size as H.264 or H.265.

    :param frame_rate: frames per second (int, float, Fraction or text such as ``"30000/1001"``; 29.97 means 30000/1001), for rate
        control, and for frames whose ``pts`` is omitted or is an int.
    :param bit_rate: the long-term average in bits per second: a number, or text such as ``"2M"`` and ``"800k"``.
    :param quality: 0 to 1; together with it, ``bit_rate`` is a ceiling.
    :param crf: x264's constant rate factor, 0 (the best) to 51; excludes ``bit_rate`` and ``quality``.
    :param real_time: frames arrive in real time, and none is delayed.
    :param preset: a preset of the encoder, ``"ultrafast"`` to ``"placebo"``, or of ``nalu.PRESETS``, which set several properties.
    :param properties: further properties, a mapping or text; see :func:`nalu.catalogue`.
    :param format: the pixel format of frames that do not state their own, for example ``"bgr"``.
    :param time_base: seconds per unit of an int ``pts``; default 1 / ``frame_rate``.
    :param codec: ``"h264"``, or ``"hevc"`` (H.265), which loads libx265.
    :param encoder: the id of an encoder of :func:`nalu.encoders`.
    :param on_sample: a function that receives each sample, on a separate thread. The next call of the session raises its
        exceptions. The thread ends with the session: by ``with``, ``close()`` or ``finish()``, or when the session is collected,
        which drops the samples that the function has not received.
    :param multi_pass_storage: the storage of a video that is encoded several times, between :meth:`begin_pass` and
        :meth:`end_pass`. It needs ``bit_rate``, and excludes ``real_time``, ``quality`` and the properties listed in
        multi_pass.h.

    >>> from nalu import CompressionSession
    >>> grey = bytes(64 * 48)
    >>> with CompressionSession(64, 48, frame_rate=25, format="gray") as session:
    ...     samples = session.encode(grey)
    ...     samples += session.encode(grey)
    ...     samples += session.flush()
    >>> [sample.is_key_frame for sample in samples]
    [True, False]

    Any thread may use a session. Frames are read during ``encode`` only and may be changed afterwards, unless ``copy`` is
    False.
    """

    __slots__ = (
        "__weakref__",
        "_clock",
        "_closed",
        "_delivery",
        "_description",
        "_failure",
        "_final_pass",
        "_format",
        "_height",
        "_input",
        "_is_iterated",
        "_outputs",
        "_passes",
        "_pointer",
        "_width",
    )

    def __init__(
        self,
        width: int,
        height: int,
        *,
        frame_rate: Any = None,
        bit_rate: Union[int, str, None] = None,
        quality: Optional[float] = None,
        crf: Optional[float] = None,
        real_time: Optional[bool] = None,
        preset: Optional[str] = None,
        properties: Union[Mapping[str, PropertyValue], str, None] = None,
        format: Optional[str] = None,
        time_base: Any = None,
        codec: str = "h264",
        encoder: Optional[str] = None,
        on_sample: Optional[Callable[[Sample], Any]] = None,
        multi_pass_storage: Optional[MultiPassStorage] = None,
    ) -> None:
        self._width, self._height = _dimension(width, "width"), _dimension(height, "height")
        self._format = None if format is None else formats.named(format)
        self._clock = Clock(frame_rate, time_base)
        if crf is not None and (bit_rate is not None or quality is not None):
            raise InvalidValueError("crf is given together with bit_rate or quality; expected one of them")
        if crf is not None and codec == "hevc":
            raise InvalidValueError("crf is x264's, and codec is 'hevc'; expected quality")
        self._description = Description()
        self._failure: Optional[Exception] = None
        self._delivery: Optional[Delivery] = None
        self._closed = False
        self._is_iterated = False
        self._final_pass = False
        self._outputs = Outputs()
        self._pointer = self._create(codec, encoder)
        self._outputs.session_pointer = self._pointer
        self._input = Input(self._pointer, self._outputs)
        named: dict[str, PropertyValue] = {
            "ExpectedFrameRate": None if self._clock.rate is None else self._clock.rate.seconds,
            "AverageBitRate": _units.bits(bit_rate, "bit_rate"),
            "Quality": quality,
            "RealTime": real_time,
        }
        named = {name: value for name, value in named.items() if value is not None}
        if preset is not None:
            set_preset(self._pointer, preset)
        if isinstance(properties, str):
            self.properties.update(properties)
        elif properties is not None:
            named.update(properties)
        if crf is not None:
            given = named.get("x264.params")
            named["x264.params"] = _units.crf_options(crf, self["x264.params"] if given is None else given)
        self.properties.update(named)
        self._passes = None if multi_pass_storage is None else Passes(self._pointer, multi_pass_storage)
        if on_sample is not None:
            if not callable(on_sample):
                raise WrongTypeError(f"on_sample is {type(on_sample).__name__}; expected a function of one sample")
            self._delivery = Delivery(self._outputs, on_sample)

    def _create(self, codec: str, encoder: Optional[str]) -> Any:
        code = _CODECS.get(codec) if isinstance(codec, str) else None
        if code is None:
            raise InvalidValueError(f"codec is {codec!r}; expected {' or '.join(map(repr, _CODECS))}")
        specification = source = None
        if encoder is not None:
            specification = _ffi.nalu_encoder_specification(
                struct_size=ctypes.sizeof(_ffi.nalu_encoder_specification), encoder_id=encoded(encoder, "encoder")
            )
        if self._format is not None:
            source = _ffi.nalu_source_attributes(ctypes.sizeof(_ffi.nalu_source_attributes), self._format.code)
        out = _ffi.nalu_compression_session_p()
        check(
            _ffi.lib.nalu_compression_session_create(
                self._width,
                self._height,
                code,
                specification,
                source,
                _receive,
                self._outputs.pointer,
                _close,
                ctypes.byref(out),
            )
        )
        return out

    # ---- Frames in ---------------------------------------------------------------------------------------------

    def encode(
        self,
        frame: Any,
        pts: Optional[TimeLike] = None,
        duration: Optional[TimeLike] = None,
        *,
        format: Optional[str] = None,
        tag: Any = None,
        copy: bool = True,
        wait: bool = True,
        force_key_frame: bool = False,
        qp: Optional[int] = None,
        qp_offsets: Any = None,
        acknowledged: Optional[Sequence[int]] = None,
        force_ltr_refresh: bool = False,
        begin_intra_refresh: bool = False,
    ) -> list[Sample]:
        """Hands in a frame, and returns the samples that are ready: those of earlier frames, of this frame, or none.

        :param frame: an array (height, width, 3 or 4) of RGB or RGBA, or a frame in ``format``; see :mod:`nalu.frames`. A frame
            of another size than the session's is scaled. The first frame of a :class:`nalu.Decoder` or :func:`nalu.read_video`
            also sets its ``properties`` (colours, pixel aspect ratio, fields, HDR), except those that the caller has set.
        :param pts: the presentation time, later than that of the previous frame: seconds as a float or Fraction, an int of
            ``time_base`` units, or a :class:`Time`; default: frames follow each other at ``frame_rate``.
        :param duration: the duration, of the same types as ``pts``. Default: one frame at ``frame_rate`` if ``pts`` is omitted,
            otherwise not known.
        :param tag: any object, returned as the ``tag`` of the sample.
        :param copy: False: YCbCr 4:2:0 frames of 8 bits are read without a copy: do not change them until they are delivered.
            Other frames are copied or converted during the call in any case.
        :param wait: False: raises WouldBlockError instead of waiting while too many frames are pending.
        :param qp: the QP of the frame, 0 to 51, if the property SupportsBaseFrameQP is true.
        :param qp_offsets: a grid of QP steps to add, -51 (better quality) to 51, stretched over the picture.
        :param acknowledged: the ``ltr_token`` of samples that the receiver has decoded, with the property EnableLTR;
            ``force_ltr_refresh`` encodes the frame from these only.
        :param begin_intra_refresh: begins an intra refresh, with the property NaluAllowIntraRefresh.
        """
        self.submit(
            frame,
            pts,
            duration,
            format=format,
            tag=tag,
            copy=copy,
            wait=wait,
            force_key_frame=force_key_frame,
            qp=qp,
            qp_offsets=qp_offsets,
            acknowledged=acknowledged,
            force_ltr_refresh=force_ltr_refresh,
            begin_intra_refresh=begin_intra_refresh,
        )
        return self._fetched()

    def submit(
        self,
        frame: Any,
        pts: Optional[TimeLike] = None,
        duration: Optional[TimeLike] = None,
        *,
        format: Optional[str] = None,
        tag: Any = None,
        copy: bool = True,
        wait: bool = True,
        force_key_frame: bool = False,
        qp: Optional[int] = None,
        qp_offsets: Any = None,
        acknowledged: Optional[Sequence[int]] = None,
        force_ltr_refresh: bool = False,
        begin_intra_refresh: bool = False,
    ) -> None:
        """Hands in a frame like :meth:`encode`, without fetching samples; for sessions iterated by ``for`` or ``async for``."""
        self._raise_failure()
        if not self._outputs.is_of_this_process:
            # A forked child. Another thread of the parent may have held the locks below, so the session itself refuses the call.
            self.prepare()
        flags = (
            (_ffi.FRAME_FORCE_KEY_FRAME if force_key_frame else 0)
            | (0 if wait else _ffi.FRAME_DO_NOT_WAIT)
            | (_ffi.FRAME_FORCE_LTR_REFRESH if force_ltr_refresh else 0)
            | (_ffi.FRAME_BEGIN_INTRA_REFRESH if begin_intra_refresh else 0)
        )
        options, kept = frame_options(flags, qp, qp_offsets, acknowledged)
        if self._delivery is not None and wait:
            self._delivery.wait_for_room()
        pixels = self._format if format is None else formats.named(format)
        is_first = self._description.is_open and self._description.begin(self, frame, wait)
        accepted = ctypes.c_uint32()
        try:
            shown, lasting = self._clock.begin(pts, duration, wait)
            try:
                planes = describe(frame, pixels, (self._width, self._height))
                self._input.hand_in(planes, shown, lasting, options, tag, not copy, accepted)
            finally:
                self._clock.end(pts, bool(accepted))
        finally:
            if is_first:
                self._description.end(bool(accepted))
        del kept

    # ---- Samples out -------------------------------------------------------------------------------------------

    def flush(self) -> list[Sample]:
        """Waits until every frame is delivered, and returns the remaining samples. The session can be used afterwards.

        With ``on_sample`` it waits until the function has received all samples, and returns an empty list.
        """
        self._complete("flush")
        fetched = self._fetched()
        if not fetched:
            self._raise_failure()
        return fetched

    def finish(self) -> None:
        """Waits until every frame is delivered, and ends the session. ``for`` and ``async for`` end after the last sample."""
        if not self._closed:
            self._complete("finish")
            self.close()

    def _complete(self, method: str) -> None:
        delivery = self._delivery
        if delivery is not None:
            delivery.refuse_current(method)
        self._raise_failure()
        check(_ffi.lib.nalu_compression_session_complete_frames(self._pointer, _ffi.NO_TIME))
        if delivery is not None:
            delivery.wait_for(self.statistics.accepted_frames)
            self._raise_failure()

    def _fetched(self) -> list[Sample]:
        """Returns the samples that are ready, without waiting. It stops at a failed frame; the next call raises the failure."""
        fetched: list[Sample] = []
        if self._delivery is not None:
            return fetched
        receive = self._outputs.receive
        try:
            while (received := receive()) is not None:
                if received[0] is not None:
                    fetched.append(received[0])
        except Closed:
            pass
        except Error as error:
            self._failure = error
        return fetched

    def _raise_failure(self) -> None:
        if self._failure is not None:
            pending, self._failure = self._failure, None
            raise pending
        if self._delivery is not None:
            self._delivery.raise_failure()

    def __iter__(self) -> Iterator[Sample]:
        """Returns an iterator over the samples until ``finish`` or ``close``. It waits for each sample, so use it on a separate
        thread."""
        self._refuse_delivery()
        self._is_iterated = True
        return samples(self._outputs)

    def __aiter__(self) -> AsyncSamples:
        """Returns an asynchronous iterator over the samples, for an event loop, until ``finish`` or ``close``."""
        self._refuse_delivery()
        self._is_iterated = True
        return AsyncSamples(self._outputs)

    def _refuse_delivery(self) -> None:
        if self._delivery is not None:
            raise Error("the samples go to on_sample; the session cannot be iterated over as well")

    # ---- Passes ------------------------------------------------------------------------------------------------

    def begin_pass(self, *, final: bool = False, qp: Optional[float] = None) -> None:
        """Begins a pass: the first frame is a key frame, and times start over. See :mod:`nalu.passes`.

        :param final: no pass will follow.
        :param qp: the QP of P-frames in a first pass, 1 to 51, from :func:`nalu.divide_bits`; default: the encoder begins with a
            coarse QP and approaches the bit rate.

        With a storage created from data, the first pass of the session is the second pass of the video. From the second pass
        on, frame n needs the time that it had in the first pass. Other times, forced key frames in new places, and additional
        frames raise ValueError from :meth:`encode`. Properties cannot change after the first pass has begun, except
        ``NaluAllowScaling``, and ``AverageBitRate`` between two passes. Samples of the previous pass that were not fetched are
        dropped, unless ``on_sample`` or an iteration receives them. Without a storage, or inside a pass, it raises an
        :class:`nalu.Error`.
        """
        passes = self._need_passes()
        passes.begin(final, qp)
        self._drop_samples()
        self._final_pass = final
        self._clock.restart()

    def end_pass(self) -> bool:
        """Waits until every frame of the pass has been delivered, ends the pass, and returns whether another pass is requested.

        The result is True after the first pass. After the second to the fifth it is True if the size differs from
        ``AverageBitRate`` times the duration by more than 1.5 % and another pass is likely to help. It is False after a
        ``final`` pass. Fetch the samples before, by :meth:`flush`: the next pass drops the remaining ones.
        """
        passes = self._need_passes()
        if self._delivery is not None:
            self._delivery.refuse_current("end_pass")
        again = passes.end(self._final_pass)
        if self._delivery is not None:
            self._delivery.wait_for(self.statistics.accepted_frames)
            self._raise_failure()
        return again

    @property
    def time_ranges_for_next_pass(self) -> list[TimeRange]:
        """The frames that the next pass needs, after :meth:`end_pass` has requested one: one range, the whole video; otherwise
        empty."""
        return self._need_passes().ranges()

    def _drop_samples(self) -> None:
        """Drops the remaining samples of the previous pass, and its failures, which ``end_pass`` has raised."""
        if self._delivery is None and not self._is_iterated:
            self._failure = None
            while self._fetched() or self._failure is not None:
                self._failure = None

    def _need_passes(self) -> Passes:
        if self._passes is None:
            raise Error("the session has no multi_pass_storage; pass one to CompressionSession(multi_pass_storage=)", -17910, "OUT_OF_ORDER")
        return self._passes

    # ---- Properties --------------------------------------------------------------------------------------------

    @property
    def properties(self) -> Properties:
        """The properties, as a mapping from name to value."""
        return Properties(self)

    def __getitem__(self, name: str) -> PropertyValue:
        return self.properties[name]

    def __setitem__(self, name: str, value: PropertyValue) -> None:
        self.properties[name] = value

    @property
    def width(self) -> int:
        return self._width

    @property
    def height(self) -> int:
        return self._height

    @property
    def statistics(self) -> statistics.Statistics:
        """The statistics of the session so far; also available after it was closed."""
        return statistics.read(self._pointer)

    def prepare(self) -> None:
        """Opens the encoder now. Without this call, the first frame opens it."""
        check(_ffi.lib.nalu_compression_session_prepare(self._pointer))

    # ---- The end -----------------------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Ends the session. Pending frames are dropped; ``flush`` or ``finish`` delivers them first."""
        self._closed = True
        check(_ffi.lib.nalu_compression_session_invalidate(self._pointer))
        if self._delivery is not None:
            self._delivery.end()
        self._raise_failure()

    def __enter__(self) -> "CompressionSession":
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if self._closed:
            return
        if kind is not None:
            self.close()
            return
        if self._delivery is not None:
            try:
                self.finish()
            finally:
                # finish leaves the session open if on_sample has raised.
                if not self._closed:
                    self.close()
            return
        lost = self.statistics.pending_frames + len(self._outputs)
        self.close()
        if lost:
            warnings.warn(f"{lost} frames were not fetched; call flush() before the session closes", stacklevel=2)

    def __del__(self) -> None:
        # The thread of on_sample keeps the queue alive as long as the session continues, so the session must end here.
        if getattr(self, "_delivery", None) is not None and not self._closed and self._outputs.is_of_this_process:
            _ffi.lib.nalu_compression_session_invalidate(self._pointer)

    def __repr__(self) -> str:
        state = "closed" if self._closed else "open"
        return f"<CompressionSession {self._width}x{self._height} {state}>"


def _dimension(value: Any, name: str) -> int:
    if not hasattr(value, "__index__"):
        raise WrongTypeError(f"{name} is {type(value).__name__}; expected an int")
    number: int = value.__index__()
    if not -(2**31) <= number < 2**31:
        raise InvalidValueError(f"{name} is {number}; expected 16 to 16384")
    return number


__all__ = ["CompressionSession"]
