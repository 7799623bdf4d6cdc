"""Showing pictures at their presentation times."""

from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple, Optional

from .. import _ffi as _core
from .. import formats
from .._handles import Threaded, check, text
from .._numbers import whole_number
from ..errors import WrongTypeError
from ..sample import Sample
from ..time import Time
from ..timebase import Timebase
from . import _ffi
from .frame import Frame

_EVENTS = {
    _ffi.DISPLAY_EVENT_PREROLLED: "prerolled",
    _ffi.DISPLAY_EVENT_ENDED: "ended",
    _ffi.DISPLAY_EVENT_FAILED: "failed",
}


@dataclass(frozen=True)
class Delay:
    """The times that pictures or samples spent in one stage, in seconds; NaN if ``count`` is 0."""

    #: The number of measured times.
    count: int
    least: float
    mean: float
    #: The 95th percentile of the last 1024 times.
    p95: float
    most: float


class DisplayStatistics(NamedTuple):
    """The counters and delays of a :class:`DisplayQueue` since its creation."""

    #: Whether enough pictures have been decoded since the last flush.
    is_prerolled: bool
    accepted_samples: int
    shown_pictures: int
    #: Pictures that were dropped because the next one was due too.
    late_pictures: int
    failed_samples: int
    #: Samples and pictures that were dropped by a flush.
    flushed_samples: int
    waiting_samples: int
    waiting_pictures: int
    #: The time from handing in a sample to the decoder.
    receive: Delay
    #: The time from the decoder to the decoded picture.
    decode: Delay
    #: The time from the decoded picture to the function that shows it.
    show: Delay
    #: The time from the moment at which a decoded picture was due to the function that shows it.
    lateness: Delay


class _Functions(NamedTuple):
    show: Callable[[Optional[Frame]], object]
    event: Optional[Callable[[str], object]]


#: The functions of open queues by the number that C passes as refcon. All share the C callbacks, which are never freed.
_functions: "dict[int, _Functions]" = {}
#: The functions that hand in samples on request, by the same numbers.
_requests: "dict[int, Callable[[], object]]" = {}
_numbers = itertools.count(1)


def _show(number: int, image: Any, flags: int, pts: Any, duration: Any) -> None:
    functions = _functions.get(number)
    if functions is None:
        return
    if not image:
        functions.show(None)
        return
    pointer = _core.fast.nalu_pixel_buffer_retain(image)
    functions.show(Frame(pointer, Time._from(pts), Time._from(duration), flags))


def _note(number: int, event: int, status: int) -> None:
    functions = _functions.get(number)
    if functions is not None and functions.event is not None:
        functions.event(_EVENTS.get(event, str(event)))


def _request(number: int) -> None:
    function = _requests.get(number)
    if function is not None:
        function()


_request_callback = _ffi.display_request_callback(_request)
_show_callback = _ffi.display_callback(_show)
_event_callback = _ffi.display_event_callback(_note)


class DisplayQueue(Threaded):
    """Decodes samples, and passes each frame to a function when a timebase reaches its presentation time.

    :param show: called with each frame in the queue's own thread; with None if the displayed frame is to be removed.
    :param timebase: decides when frames are shown; default: the host clock.
    :param event: called with ``"prerolled"``, ``"ended"`` or ``"failed"``, in the same thread.
    :param format: the pixel format of the frames, as for :class:`nalu.Decoder`.
    :param low_delay: delays a frame no longer than the stream's reordering requires: for live video.
    :param sample_capacity: samples that wait for the decoder, 1 to 128.
    :param picture_capacity: frames that wait for their time, 1 to 128.
    :param preroll_count: frames that are decoded before ``"prerolled"``; default: ``picture_capacity``.
    :param threads: 1 to 64; default: the number of processors available to the process, at most 16.

    A frame is dropped and counted if the next one is due too. With rate 0, frames up to the timebase's time are shown. With a
    negative rate, the samples are key frames in falling order. Any thread may use a queue.

    >>> import io, threading, nalu
    >>> file = io.BytesIO()
    >>> _ = nalu.write_video(file, [bytes(64 * 48)] * 3, fps=25, format="gray", size=(64, 48), container="mp4")
    >>> _ = file.seek(0)
    >>> clock, ended = nalu.Timebase.manual_clock(), threading.Event()
    >>> def note(event):
    ...     if event == "ended":
    ...         ended.set()
    >>> with nalu.media.DisplayQueue(lambda frame: print(frame.pts.seconds), clock, note) as queue, nalu.open(file) as reader:
    ...     for sample in reader:
    ...         queue.enqueue(sample)
    ...     queue.finish()
    ...     clock.time = 1
    ...     _ = ended.wait(60)
    ...     queue.statistics.shown_pictures + queue.statistics.late_pictures  # doctest: +ELLIPSIS
    0.0...
    3
    """

    _name = "display queue"
    __slots__ = ("_library", "_number")

    def __init__(
        self,
        show: Callable[[Optional[Frame]], object],
        timebase: Optional[Timebase] = None,
        event: Optional[Callable[[str], object]] = None,
        *,
        format: Optional[str] = None,
        low_delay: bool = False,
        sample_capacity: int = 16,
        picture_capacity: int = 4,
        preroll_count: Optional[int] = None,
        threads: Optional[int] = None,
    ) -> None:
        self._pointer: Any = None
        for name, function in (("show", show), ("event", event)):
            if not callable(function) and not (name == "event" and function is None):
                raise WrongTypeError(f"{name} is {type(function).__name__}; expected a function")
        options = _ffi.nalu_display_queue_options(
            ctypes.sizeof(_ffi.nalu_display_queue_options),
            _ffi.DISPLAY_QUEUE_LOW_DELAY if low_delay else 0,
            whole_number(sample_capacity, "sample_capacity", 1, 128),
            whole_number(picture_capacity, "picture_capacity", 1, 128),
            0 if preroll_count is None else whole_number(preroll_count, "preroll_count", 1, 128),
            0 if threads is None else whole_number(threads, "threads", 1, 64),
            0,
            0 if format is None else formats.named(format).code,
            0,
        )
        self._library = _ffi.library()
        self._number = next(_numbers)
        _functions[self._number] = _Functions(show, event)
        out = _ffi.nalu_display_queue_p()
        try:
            check(
                self._library.lib.nalu_display_queue_create(
                    ctypes.byref(options),
                    ctypes.cast(_show_callback, ctypes.c_void_p),
                    ctypes.cast(_event_callback, ctypes.c_void_p),
                    self._number,
                    None,
                    ctypes.byref(out),
                )
            )
            self._begin(out)
            if timebase is not None:
                self.timebase = timebase
        except BaseException:
            self._release()
            _functions.pop(self._number, None)
            raise

    @property
    def timebase(self) -> Timebase:
        """The timebase that decides when frames are shown. It can be replaced at any time."""
        return Timebase._owning(self._library.lib.nalu_display_queue_copy_control_timebase(self._open()))

    @timebase.setter
    def timebase(self, timebase: Timebase) -> None:
        if not isinstance(timebase, Timebase):
            raise WrongTypeError(f"timebase is {type(timebase).__name__}; expected a nalu.Timebase")
        check(self._library.lib.nalu_display_queue_set_control_timebase(self._open(), timebase._pointer))

    def enqueue(self, sample: Sample, *, immediately: bool = False, timeout: Optional[float] = 60) -> None:
        """Hands in the next sample in decode order.

        :param immediately: shows the frame as soon as it is decoded, whatever its time.
        :param timeout: waits for room, at most for so many seconds, 0 to 3600; None: 3600. If the queue is still full, as it is
            while the timebase stands still, the call raises :class:`nalu.WouldBlockError`.
        """
        if not isinstance(sample, Sample):
            raise WrongTypeError(f"the sample is {type(sample).__name__}; expected a nalu.Sample")
        pointer, lib = self._open(), self._library.lib
        flags = _ffi.DISPLAY_IMMEDIATELY if immediately else 0
        status = lib.nalu_display_queue_enqueue_sample(pointer, sample._pointer, flags)
        if status == _core.WOULD_BLOCK and timeout != 0:
            check(lib.nalu_display_queue_wait_until_ready(pointer, 3600.0 if timeout is None else float(timeout)))
            status = lib.nalu_display_queue_enqueue_sample(pointer, sample._pointer, flags)
        check(status)

    @property
    def is_ready(self) -> bool:
        """Whether the queue has room for a sample."""
        return bool(self._library.lib.nalu_display_queue_is_ready_for_more_media_data(self._open()))

    def request_samples(self, function: Optional[Callable[[], object]]) -> None:
        """Calls a function in the queue's decoding thread whenever the queue has room, as ``requestMediaDataWhenReady`` does.

        :param function: hands in samples while :attr:`is_ready` is true. A call that hands in nothing is not repeated before the
            queue has taken another sample or was flushed. None: no further calls; a call that is running is not awaited.
        """
        if function is not None and not callable(function):
            raise WrongTypeError(f"function is {type(function).__name__}; expected a function, or None")
        pointer = self._open()
        if function is None:
            _requests.pop(self._number, None)
        else:
            _requests[self._number] = function
        callback = None if function is None else ctypes.cast(_request_callback, ctypes.c_void_p)
        check(self._library.lib.nalu_display_queue_request_media_data_when_ready(pointer, callback, self._number))

    def finish(self) -> None:
        """Declares that no sample follows for now, so that the frames in the decoder are shown too."""
        check(self._library.lib.nalu_display_queue_finish(self._open()))

    def flush(self, *, remove: bool = False) -> None:
        """Drops all samples and frames that wait. ``remove``: then calls ``show`` with None."""
        lib = self._library.lib
        call = lib.nalu_display_queue_flush_and_remove_image if remove else lib.nalu_display_queue_flush
        check(call(self._open()))

    def step(self) -> None:
        """Shows the next frame, and sets the timebase to its time. The timebase must have rate 0."""
        check(self._library.lib.nalu_display_queue_step(self._open()))

    @property
    def statistics(self) -> DisplayStatistics:
        """The counters and delays so far."""
        found = _ffi.nalu_display_queue_statistics(ctypes.sizeof(_ffi.nalu_display_queue_statistics))
        check(self._library.lib.nalu_display_queue_get_statistics(self._open(), ctypes.byref(found)))
        names = [name for name, *_ in found._fields_ if name != "struct_size"]
        values: "list[Any]" = [getattr(found, name) for name in names]
        values[0] = bool(values[0])
        values[-4:] = [Delay(*(getattr(each, name) for name, *_ in each._fields_)) for each in values[-4:]]
        return DisplayStatistics(*values)

    @property
    def last_error(self) -> str:
        """The message of the last sample that could not be decoded; "" if there was none."""
        copy, pointer = self._library.lib.nalu_display_queue_copy_last_error, self._open()
        return text(lambda buffer, capacity, size: copy(pointer, buffer, capacity, size))

    def close(self) -> None:
        """Ends the queue. Waits for a function that is running in the queue's thread."""
        self._release()

    def _release(self) -> None:
        pointer = self._end()
        if pointer is not None:
            self._library.lib.nalu_display_queue_release(pointer)
            _functions.pop(self._number, None)
            _requests.pop(self._number, None)


__all__ = ["Delay", "DisplayQueue", "DisplayStatistics"]
