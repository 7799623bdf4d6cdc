"""Sending samples to an address."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Optional

from .._ffi import nalu_compression_session_p
from .._handles import Threaded, check, encoded, text
from .._numbers import whole_number
from ..errors import InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from ..session import CompressionSession
from . import _ffi
from .reader import Reader, Track

_STATES = ("connecting", "connected", "waiting", "ended")
_EVENTS = {1: "connected", 2: "disconnected", 3: "status", 4: "dropped", 5: "ended"}


class PublisherStatistics(NamedTuple):
    """The state and the counts of a publisher."""

    #: ``"connecting"``, ``"connected"``, ``"waiting"`` (before the next attempt) or ``"ended"``.
    state: str
    #: The age of the oldest sample that the receiver has not acknowledged, in seconds.
    queue_delay: float
    #: The longest ``queue_delay`` that was seen, in seconds.
    longest_queue_delay: float
    #: The bytes that the receiver has not acknowledged.
    queued_bytes: int
    #: Bits per second that were delivered in the last second.
    throughput: float
    #: The round trip in seconds; 0 if the protocol does not reveal it.
    round_trip: float
    #: The controller's rate in bits per second; 0 without a controller.
    bit_rate: int
    #: The samples and audio packets that the system has taken.
    sent_samples: int
    #: The bytes that the system has taken.
    sent_bytes: int
    #: The video samples that were handed in and did not reach the receiver.
    dropped_samples: int
    #: The calls of :meth:`Publisher.prepare_frame` that returned ``skip``.
    skipped_frames: int
    #: The connections after the first.
    reconnects: int


class FrameAdvice(NamedTuple):
    """The instructions of a publisher for the next frame."""

    #: The frame must not be encoded, because it would arrive too late.
    skip: bool
    #: The frame must be a key frame.
    force_key_frame: bool
    #: The frame must be an LTR refresh.
    force_ltr_refresh: bool
    #: The token of the last sample that arrives before all later ones; None if there is none.
    acknowledged: Optional[int]

    @property
    def options(self) -> "dict[str, Any]":
        """The arguments for :meth:`nalu.CompressionSession.encode`."""
        options: dict[str, Any] = {"force_key_frame": self.force_key_frame}
        if self.force_ltr_refresh:
            options["force_ltr_refresh"] = True
        if self.acknowledged is not None:
            options["acknowledged"] = [self.acknowledged]
        return options


class Publisher(Threaded):
    """Sends samples to an address, on a thread of its own.

    :param url: ``rtmp://HOST/APPLICATION/NAME``, ``srt://HOST:PORT``, ``udp://HOST:PORT`` or ``http://HOST/PATH`` (PUT), and
        ``rtmps`` and ``https`` if FFmpeg has TLS, which the one in the wheel lacks.
    :param maximum_delay: the longest delay in the queue in seconds, 0.1 to 10; default: 0.5.
    :param minimum_bit_rate: the least rate in bits per second, 10000 or more; default: a twentieth of the maximum.
    :param maximum_bit_rate: the highest rate in bits per second; default: the session's AverageBitRate.
    :param connect_timeout: seconds for a connection to be made, 0.5 to 60; default: 5.
    :param stall_timeout: seconds after which a connection on which nothing moves is closed, 0.5 to 60; default: 5.
    :param reconnect_delay: seconds before the first attempt to reconnect, 0.05 to 60; default: 0.5. Pauses double.
    :param maximum_reconnect_delay: the longest pause in seconds, up to 600; default: 10.
    :param attempt_limit: the failed attempts in succession after which the publisher ends; default: no limit. A connection
        over which samples have passed for at most ``stall_timeout`` is a failed attempt.
    :param never_skip_frames: never demand that a frame is skipped, because the samples are recorded too.
    :param allow_ltr_refresh: the receiver can decode a stream in which samples are missing after an LTR refresh.
    :param allow_any_certificate: connect by TLS even if the server's certificate is not trusted or belongs to another host.
    :param on_event: a function of an event's name (``"connected"``, ``"disconnected"``, ``"status"``, ``"dropped"``,
        ``"ended"``) and a :class:`PublisherStatistics`, called on the publisher's thread. An exception in it is printed.

    This example encodes frames at a rate that follows the link:

    >>> import nalu
    >>> def publish(frames, url):
    ...     with nalu.CompressionSession(1280, 720, bit_rate=4_000_000, frame_rate=30, real_time=True) as session:
    ...         with nalu.media.Publisher(url) as publisher:
    ...             for frame in frames:
    ...                 advice = publisher.prepare_frame(session)
    ...                 if not advice.skip:
    ...                     for sample in session.encode(frame, **advice.options):
    ...                         publisher.write(sample)

    Writing never waits for the network. Samples are dropped and counted while there is no connection, and when a sample has
    waited longer than twice ``maximum_delay``. Any thread may call any method.
    """

    _name = "publisher"

    def __init__(
        self,
        url: str,
        *,
        maximum_delay: Optional[float] = None,
        minimum_bit_rate: Optional[int] = None,
        maximum_bit_rate: Optional[int] = None,
        connect_timeout: Optional[float] = None,
        stall_timeout: Optional[float] = None,
        reconnect_delay: Optional[float] = None,
        maximum_reconnect_delay: Optional[float] = None,
        attempt_limit: Optional[int] = None,
        never_skip_frames: bool = False,
        allow_ltr_refresh: bool = False,
        allow_any_certificate: bool = False,
        on_event: Optional[Callable[[str, PublisherStatistics], Any]] = None,
    ) -> None:
        self._pointer: Any = None
        self._video: Optional[int] = None
        self._audio: Optional[int] = None
        options = _ffi.nalu_publisher_options(
            ctypes.sizeof(_ffi.nalu_publisher_options),
            (_ffi.PUBLISHER_NEVER_SKIP_FRAMES if never_skip_frames else 0)
            | (_ffi.PUBLISHER_ALLOW_LTR_REFRESH if allow_ltr_refresh else 0)
            | (_ffi.PUBLISHER_ALLOW_ANY_CERTIFICATE if allow_any_certificate else 0),
            _number(maximum_delay, "maximum_delay"),
            _number(connect_timeout, "connect_timeout"),
            _number(stall_timeout, "stall_timeout"),
            _number(reconnect_delay, "reconnect_delay"),
            _number(maximum_reconnect_delay, "maximum_reconnect_delay"),
            0 if attempt_limit is None else whole_number(attempt_limit, "attempt_limit", 0, 2**31 - 1),
            0,
            0 if minimum_bit_rate is None else whole_number(minimum_bit_rate, "minimum_bit_rate", 0),
            0 if maximum_bit_rate is None else whole_number(maximum_bit_rate, "maximum_bit_rate", 0),
        )
        self._callback: Any = None
        if on_event is not None:
            tell = on_event

            def receive(refcon: Any, event: int, statistics: Any) -> None:
                tell(_EVENTS.get(event, str(event)), _statistics(statistics.contents))

            self._callback = _ffi.publisher_callback(receive)
        self._library = _ffi.library()
        out = _ffi.nalu_publisher_p()
        create = self._library.lib.nalu_publisher_create
        check(create(encoded(url, "url"), options, ctypes.cast(self._callback, ctypes.c_void_p), None, None, ctypes.byref(out)))
        self._begin(out)

    def wait_until_connected(self, timeout: float = 10) -> None:
        """Waits until there is a connection. Raises :class:`nalu.InputOutputError` if an attempt fails, or after ``timeout``
        seconds."""
        check(self._library.lib.nalu_publisher_wait_until_connected(self._open(), float(timeout)))

    def prepare_frame(self, session: Optional[CompressionSession] = None) -> FrameAdvice:
        """Returns the instructions for the next frame. With RTMP and SRT, sets the session's AverageBitRate and DataRateLimits to
        the rate that the link can deliver. Call it before each frame."""
        pointer = nalu_compression_session_p()
        if session is not None:
            if not isinstance(session, CompressionSession):
                raise WrongTypeError(f"the session is {type(session).__name__}; expected a nalu.CompressionSession")
            pointer = session._pointer
        advice = _ffi.nalu_publisher_advice(ctypes.sizeof(_ffi.nalu_publisher_advice))
        check(self._library.lib.nalu_publisher_prepare_frame(self._open(), pointer, advice))
        token = advice.acknowledged_ltr_token
        return FrameAdvice(
            bool(advice.skips_frame), bool(advice.frame_flags & 1), bool(advice.frame_flags & 4), token if token >= 0 else None
        )

    def add_audio(self, format_description: FormatDescription) -> None:
        """Adds an audio track for the samples of an :class:`AudioEncoder`, before the first sample.

        :param format_description: that of the encoder.
        """
        if not isinstance(format_description, FormatDescription):
            kind = type(format_description).__name__
            raise WrongTypeError(f"format_description is {kind}; expected a nalu.FormatDescription")
        if format_description.codec != "aac":
            raise InvalidValueError(f"format_description is {format_description!r}; expected that of an AudioEncoder")
        if self._audio is not None:
            raise InvalidValueError("the publisher has an audio track already; expected one call of add_audio")
        self._audio = self._add_track(format_description)

    def write(self, sample: Sample) -> None:
        """Hands in the next sample of video or of :meth:`add_audio`, in decode order. Never waits for the network."""
        if not isinstance(sample, Sample):
            raise WrongTypeError(f"the sample is {type(sample).__name__}; expected a nalu.Sample")
        if sample.format_description.codec == "aac":
            if self._audio is None:
                raise InvalidValueError("the sample is audio; expected add_audio(encoder.format_description) first")
            track = self._audio
        else:
            if self._video is None:
                self._video = self._add_track(sample.format_description)
            track = self._video
        check(self._library.lib.nalu_publisher_write_sample(self._open(), track, sample._pointer))

    def _add_track(self, format_description: FormatDescription) -> int:
        out = ctypes.c_uint32()
        add = self._library.lib.nalu_publisher_add_track
        check(add(self._open(), format_description._pointer, ctypes.byref(out)))
        return out.value

    def add_track_from(self, reader: Reader, track: "int | Track") -> int:
        """Copies an audio track from a reader, and returns its number. See :meth:`nalu.media.Writer.add_track_from`."""
        if not isinstance(reader, Reader):
            raise WrongTypeError(f"the reader is {type(reader).__name__}; expected a Reader from nalu.open")
        number = track.number if isinstance(track, Track) else whole_number(track, "track", 0, 2**31 - 1)
        out = ctypes.c_uint32()
        with reader._exclusive:
            add = self._library.lib.nalu_publisher_add_track_from_reader
            check(add(self._open(), reader._open(), number, ctypes.byref(out)))
        return out.value

    @property
    def statistics(self) -> PublisherStatistics:
        """The state and the counts."""
        statistics = _ffi.nalu_publisher_statistics(ctypes.sizeof(_ffi.nalu_publisher_statistics))
        check(self._library.lib.nalu_publisher_get_statistics(self._open(), statistics))
        return _statistics(statistics)

    @property
    def last_error(self) -> str:
        """The reason for which there is no connection; empty if there is one."""
        copy = self._library.lib.nalu_publisher_copy_last_error
        pointer = self._open()
        return text(lambda buffer, capacity, size: int(copy(pointer, buffer, capacity, size)))

    def finish(self, timeout: float = 5) -> None:
        """Sends what was handed in, waits for the receiver's acknowledgement, for at most ``timeout`` seconds, and closes the
        connection. Raises :class:`nalu.InputOutputError` if the rest cannot be sent, or the server refuses the stream."""
        check(self._library.lib.nalu_publisher_finish(self._open(), float(timeout)))

    def close(self) -> None:
        """Ends the publisher without sending the rest. A second call does nothing."""
        self._release()

    def _release(self) -> None:
        pointer = self._end()
        if pointer is not None:
            self._library.lib.nalu_publisher_release(pointer)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            if kind is None and self._pointer is not None:
                self.finish()
        finally:
            self.close()


def _statistics(read: Any) -> PublisherStatistics:
    return PublisherStatistics(
        _STATES[read.state], *(getattr(read, name) for name in PublisherStatistics._fields[1:])
    )


def _number(value: Optional[float], name: str) -> float:
    if value is None:
        return 0.0
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise WrongTypeError(f"{name} is {type(value).__name__}; expected seconds as a number")
    if float(value) == 0:
        raise InvalidValueError(f"{name} is 0; expected a positive number of seconds, or None for the default")
    return float(value)


__all__ = ["FrameAdvice", "Publisher", "PublisherStatistics"]
