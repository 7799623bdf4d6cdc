"""Capture: pictures of screens, cameras and a test source, and audio, as they happen.

    with nalu.capture.CaptureSession("screen", frame_rate=30) as session:
        for frame in session:
            show(frame.array, frame.pts)

All times are host times: ``CLOCK_MONOTONIC``, the clock of ``time.monotonic``.
"""

from __future__ import annotations

import collections
import ctypes
import itertools
import threading
from fractions import Fraction
from typing import Any, Callable, Iterator, NamedTuple, Optional, Union

from . import _ffi, formats
from ._handles import Threaded, check, encoded, failure, text
from .errors import Error, InvalidValueError, WrongTypeError
from .media.display import Delay
from .media.frame import Frame
from .time import Time

_KINDS = {
    "camera": _ffi.CAPTURE_CAMERA,
    "screen": _ffi.CAPTURE_SCREEN,
    "microphone": _ffi.CAPTURE_MICROPHONE,
    "test": _ffi.CAPTURE_TEST,
}
_FORMATS = {format.code: format.name for format in formats.FORMATS.values()}


class VideoFormat(NamedTuple):
    """A range of sizes and frame rates of one pixel format. A camera usually has one size and rate in each format."""

    format: str
    minimum_size: "tuple[int, int]"
    maximum_size: "tuple[int, int]"
    #: Frames per second; None if unknown.
    minimum_frame_rate: Optional[Fraction]
    maximum_frame_rate: Optional[Fraction]


class AudioFormat(NamedTuple):
    """The audio of a device."""

    sample_rate: int
    channels: int


class Device(NamedTuple):
    """A camera, screen, microphone or test source, as it was when it was listed."""

    #: The identifier, which is the same each time the device is listed.
    id: str
    name: str
    #: ``"camera"``, ``"screen"``, ``"microphone"`` or ``"test"``.
    kind: str
    video_formats: "tuple[VideoFormat, ...]"
    audio_formats: "tuple[AudioFormat, ...]"


class AudioBlock(NamedTuple):
    """One block of captured audio."""

    #: ``frames * channels`` interleaved samples of 32-bit floats, nominally -1 to 1; ``numpy.asarray`` accepts it.
    samples: "memoryview[float]"
    frames: int
    sample_rate: int
    channels: int
    #: The host time at which the first audio frame was captured.
    pts: Time
    #: Whether audio was lost before this block, or it is the first one.
    is_discontinuous: bool


class CaptureStatistics(NamedTuple):
    """The counters and delays of a :class:`CaptureSession`."""

    captured_frames: int
    #: Frames that arrived in Python.
    delivered_frames: int
    #: Frames that were dropped because a newer one arrived before the program asked for the next frame.
    late_frames: int
    #: Frames that were dropped because all buffers were in use.
    starved_frames: int
    #: Frames that the device should have delivered by its frame rate, and did not.
    missed_frames: int
    audio_frames: int
    lost_audio_frames: int
    #: Frames per second over the last 64 frames; NaN before the second.
    frame_rate: float
    #: The time from the capture to the arrival in the session.
    capture: Delay
    #: The time from the arrival in the session to the call of Python.
    wait: Delay
    #: The time in Python's callback.
    callback: Delay
    #: Frames of a camera whose own time was not on the host clock, or not after that of the frame before.
    repaired_times: int


def devices(kind: Optional[str] = None) -> "list[Device]":
    """Returns the devices that are present, of one kind or of all. A kind whose library or server is missing has none.

    >>> [device.id for device in devices("test")]
    ['test']
    """
    if kind is not None and kind not in _KINDS:
        raise InvalidValueError(f"kind is {kind!r}; expected one of {', '.join(_KINDS)}")
    found = _ffi.nalu_capture_device_list_p()
    check(_ffi.lib.nalu_capture_device_list_create(_ffi.CAPTURE_ALL_KINDS if kind is None else _KINDS[kind], ctypes.byref(found)))
    try:
        count = _ffi.fast.nalu_capture_device_list_get_count(found)
        return [_device(_ffi.fast.nalu_capture_device_list_get_device(found, index)) for index in range(count)]
    finally:
        _ffi.lib.nalu_capture_device_list_release(found)


def host_time() -> Time:
    """Returns the current host time, on the clock of captured frames."""
    return Time._from(_ffi.fast.nalu_capture_get_host_time())


def _device(pointer: Any) -> Device:
    number = _ffi.fast.nalu_capture_device_get_kind(pointer)
    kind = next(name for name, bit in _KINDS.items() if bit == number)
    video: "list[VideoFormat]" = []
    audio: "list[AudioFormat]" = []
    for index in range(_ffi.fast.nalu_capture_device_get_format_count(pointer)):
        each = _ffi.nalu_capture_format(ctypes.sizeof(_ffi.nalu_capture_format))
        check(_ffi.fast.nalu_capture_device_get_format(pointer, index, ctypes.byref(each)))
        if each.media_type == _ffi.CAPTURE_MEDIA_AUDIO:
            audio.append(AudioFormat(each.sample_rate, each.channel_count))
        else:
            video.append(
                VideoFormat(
                    _FORMATS.get(each.pixel_format, str(each.pixel_format)),
                    (each.minimum_width, each.minimum_height),
                    (each.maximum_width, each.maximum_height),
                    _rate(each.maximum_frame_duration),
                    _rate(each.minimum_frame_duration),
                )
            )
    name = _ffi.fast.nalu_capture_device_get_name(pointer).decode("utf-8", "replace")
    identifier = _ffi.fast.nalu_capture_device_get_id(pointer).decode("utf-8", "replace")
    return Device(identifier, name, kind, tuple(video), tuple(audio))


def _rate(duration: Any) -> Optional[Fraction]:
    return Fraction(duration.timescale, duration.value) if duration.timescale > 0 and duration.value > 0 else None


class _Arrivals:
    """The newest frame, and the end of the capture; filled by the session's threads."""

    def __init__(self, audio: Optional[Callable[[AudioBlock], object]]) -> None:
        self.changed = threading.Condition()
        self.frames: "collections.deque[Frame]" = collections.deque(maxlen=1)
        self.replaced = 0
        self.error: Optional[Error] = None
        self.is_over = False
        self.audio = audio

    def receive(self, image: Any, pts: Any, duration: Any) -> None:
        frame = Frame(_ffi.fast.nalu_pixel_buffer_retain(image), Time._from(pts), Time._from(duration), 0)
        with self.changed:
            self.replaced += len(self.frames)
            self.frames.append(frame)
            self.changed.notify_all()

    def end(self, error: Optional[Error]) -> None:
        with self.changed:
            self.error = self.error or error
            self.is_over = True
            self.changed.notify_all()


#: Live sessions by the number that C passes as refcon. All share the C callbacks, which are never freed.
_arrivals: "dict[int, _Arrivals]" = {}
_numbers = itertools.count(1)


def _receive(number: int, image: Any, pts: Any, duration: Any, dropped: int) -> None:
    arrivals = _arrivals.get(number)
    if arrivals is not None:
        arrivals.receive(image, pts, duration)


def _hear(number: int, pointer: Any) -> None:
    arrivals = _arrivals.get(number)
    if arrivals is None or arrivals.audio is None:
        return
    block = pointer.contents
    data = ctypes.string_at(block.samples, 4 * block.frame_count * block.channel_count)
    samples = memoryview(data).cast("f")
    pts, is_discontinuous = Time._from(block.time), block.is_discontinuous == 1
    arrivals.audio(AudioBlock(samples, block.frame_count, block.sample_rate, block.channel_count, pts, is_discontinuous))


def _finish(number: int, status: int, message: bytes) -> None:
    arrivals = _arrivals.get(number)
    if arrivals is not None:
        arrivals.end(failure(status, message.decode("utf-8", "replace")))


_video_callback = _ffi.capture_video_callback(_receive)
_audio_callback = _ffi.capture_audio_callback(_hear)
_end_callback = _ffi.capture_end_callback(_finish)


class CaptureSession(Threaded):
    """Captures from a device. ``for`` returns each frame when it arrives; ``with`` or ``close`` ends the capture.

    :param device: a :class:`Device`, an identifier, or ``"screen"``, ``"camera"`` or ``"test"`` for the default device.
    :param size: width and height of the frames; default: the device's size, 1280 x 720 for the test source.
    :param frame_rate: frames per second, 0.1 to 1000; default: 30 or the device's only rate.
    :param format: the pixel format, ``"nv12"``, ``"i420"`` and so on; default: the device's format, or ``"nv12"`` if frames are
        scaled.
    :param region: x, y, width and height of a part of a screen.
    :param cursor: draw the pointer of a screen.
    :param audio: called with each :class:`AudioBlock`, in a thread of the session.
    :param audio_device: the device for audio; default: the same device.
    :param timeout: the longest time in seconds that the device may take to start, 0.1 to 600.
    :param restore_token: how often the desktop of a Wayland screen asks for permission: None, each time; ``""``, once, after
        which :attr:`restore_token` has a token; an earlier token, if possible not at all. Screens of X11 need none.

    While the loop's body runs, the newest frame waits; a newer one replaces it and is counted in
    ``statistics.late_frames``. The loop ends when the session is closed, and raises an exception when the device goes away.

    >>> with CaptureSession("test", size=(256, 144), frame_rate=100) as session:
    ...     frame = next(iter(session))
    >>> frame.width, frame.height
    (256, 144)
    """

    _name = "capture session"
    __slots__ = ("_arrived", "_number")

    def __init__(
        self,
        device: "Union[Device, str]",
        *,
        size: "Optional[tuple[int, int]]" = None,
        frame_rate: "Union[None, int, float, Fraction]" = None,
        format: Optional[str] = None,
        region: "Optional[tuple[int, int, int, int]]" = None,
        cursor: bool = False,
        audio: Optional[Callable[[AudioBlock], object]] = None,
        audio_device: "Union[None, Device, str]" = None,
        timeout: float = 10,
        restore_token: Optional[str] = None,
    ) -> None:
        self._pointer: Any = None
        if audio is not None and not callable(audio):
            raise WrongTypeError(f"audio is {type(audio).__name__}; expected a function")
        width, height = (0, 0) if size is None else _numbers_of(size, 2, "size")
        x, y, region_width, region_height = (0, 0, 0, 0) if region is None else _numbers_of(region, 4, "region")
        sources: "list[Any]" = []
        out = _ffi.nalu_capture_session_p()
        self._arrived = _Arrivals(audio)
        self._number = next(_numbers)
        _arrivals[self._number] = self._arrived
        try:
            sources.append(_opened(device, "device"))
            if audio_device is not None:
                sources.append(_opened(audio_device, "audio_device"))
            options = _ffi.nalu_capture_options(
                ctypes.sizeof(_ffi.nalu_capture_options),
                _ffi.CAPTURE_SHOW_CURSOR if cursor else 0,
                width,
                height,
                0 if format is None else formats.named(format).code,
                0,
                _ffi.NO_TIME if frame_rate is None else _duration(frame_rate),
                x,
                y,
                region_width,
                region_height,
                sources[1] if len(sources) == 2 else None,
                0,
                0,
                _seconds(timeout),
                None if restore_token is None else encoded(restore_token, "restore_token"),
            )
            callbacks = _ffi.nalu_capture_callbacks(
                ctypes.sizeof(_ffi.nalu_capture_callbacks),
                0,
                ctypes.cast(_video_callback, ctypes.c_void_p),
                None if audio is None else ctypes.cast(_audio_callback, ctypes.c_void_p),
                ctypes.cast(_end_callback, ctypes.c_void_p),
            )
            check(
                _ffi.lib.nalu_capture_session_create(
                    sources[0], ctypes.byref(options), ctypes.byref(callbacks), self._number, None, ctypes.byref(out)
                )
            )
            self._begin(out)
            check(_ffi.lib.nalu_capture_session_start(out))
        except BaseException:
            self._release()
            _arrivals.pop(self._number, None)
            raise
        finally:
            for source in sources:
                _ffi.lib.nalu_capture_device_release(source)

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        if not self.closed:
            # In a forked child no frame arrives, and another thread of the parent may have held the lock.
            self._open()
        arrived = self._arrived
        with arrived.changed:
            while not arrived.frames and not arrived.is_over:
                # A limit lets Ctrl-C end the wait.
                arrived.changed.wait(1)
            if arrived.frames:
                return arrived.frames.popleft()
            if arrived.error is not None:
                raise arrived.error
        raise StopIteration

    @property
    def restore_token(self) -> Optional[str]:
        """The token with which a later session captures the same screen of Wayland without a dialog; None if there is none.
        A token serves once, and each session returns a new one."""
        copy, pointer = _ffi.lib.nalu_capture_session_copy_restore_token, self._open()
        return text(lambda buffer, capacity, size: int(copy(pointer, buffer, capacity, size))) or None

    @property
    def ycbcr_matrix(self) -> Optional[int]:
        """The matrix of YUV pictures as a code of ITU-T H.273 table 4, for the property ``YCbCrMatrix``; None if the device states
        none."""
        raw = _ffi.nalu_capture_format(ctypes.sizeof(_ffi.nalu_capture_format))
        check(_ffi.fast.nalu_capture_session_get_format(self._open(), _ffi.CAPTURE_MEDIA_VIDEO, ctypes.byref(raw)))
        return raw.ycbcr_matrix or None

    @property
    def statistics(self) -> CaptureStatistics:
        """The counters and delays so far."""
        raw = _ffi.nalu_capture_statistics(ctypes.sizeof(_ffi.nalu_capture_statistics))
        check(_ffi.fast.nalu_capture_session_get_statistics(self._open(), ctypes.byref(raw)))
        values = [getattr(raw, name) for name, *_ in raw._fields_[2:]]
        values[2] += self._arrived.replaced
        values[-4:-1] = [Delay(*(getattr(each, name) for name, *_ in each._fields_)) for each in values[-4:-1]]
        return CaptureStatistics(*values)

    def _release(self) -> None:
        pointer = self._end()
        if pointer is None:
            return
        _ffi.lib.nalu_capture_session_release(pointer)
        _arrivals.pop(self._number, None)
        self._arrived.frames.clear()
        self._arrived.end(None)


def _opened(device: "Union[Device, str]", name: str) -> Any:
    identifier = device.id if isinstance(device, Device) else device
    out = _ffi.nalu_capture_device_p()
    check(_ffi.lib.nalu_capture_device_create_with_id(encoded(identifier, name), ctypes.byref(out)))
    return out


def _numbers_of(values: Any, count: int, name: str) -> "tuple[int, ...]":
    try:
        numbers = tuple(each.__index__() for each in values)
    except (AttributeError, TypeError):
        raise WrongTypeError(f"{name} is {values!r}; expected {count} ints") from None
    if len(numbers) != count or not all(0 <= each < 1 << 31 for each in numbers):
        raise InvalidValueError(f"{name} is {values!r}; expected {count} numbers of pixels, 0 or more")
    return numbers


def _duration(rate: "Union[int, float, Fraction]") -> Any:
    try:
        fraction = Fraction(rate).limit_denominator(100_000)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValueError(f"frame_rate is {rate!r}; expected 0.1 to 1000 frames per second") from None
    if not Fraction(1, 10) <= fraction <= 1000:
        raise InvalidValueError(f"frame_rate is {rate!r}; expected 0.1 to 1000 frames per second")
    return _ffi.nalu_time(fraction.denominator, fraction.numerator, 1, 0)


def _seconds(timeout: Any) -> float:
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0.1 <= timeout <= 600:
        raise InvalidValueError(f"timeout is {timeout!r}; expected 0.1 to 600 seconds")
    return float(timeout)


__all__ = [
    "AudioBlock",
    "AudioFormat",
    "CaptureSession",
    "CaptureStatistics",
    "Device",
    "VideoFormat",
    "devices",
    "host_time",
]
