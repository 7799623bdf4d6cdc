"""Encoding audio."""

from __future__ import annotations

import ctypes
import threading
from typing import Any, NamedTuple, Optional

from .._ffi import nalu_sample_p, nalu_time
from .._handles import Closable, check
from .._numbers import whole_number
from ..errors import InvalidValueError, WrongTypeError
from ..format_description import FormatDescription
from ..sample import Sample
from ..time import TimeLike
from ..time import native as _native_time
from . import _ffi

#: The type of the library and its size in bytes for each ``struct`` format of a buffer.
_TYPES = {"h": (_ffi.AUDIO_INT16, 2), "f": (_ffi.AUDIO_FLOAT32, 4)}


class AudioCounts(NamedTuple):
    """The corrections of an audio encoder."""

    #: Frames that were passed to the encoder.
    frames_in: int
    #: Frames that were encoded, at the rate of the host clock.
    frames_out: int
    #: Frames of silence in place of missing ones.
    inserted_frames: int
    #: Frames that were left out because others were encoded for the same time.
    dropped_frames: int
    #: The mean difference between host clock and encoded audio in the last half second, in seconds; positive if the audio is early.
    offset: float


class AudioEncoder(Closable):
    """Encodes interleaved PCM as AAC-LC, in step with the host clock.

    :param sample_rate: frames per second: 7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200 or
        96000.
    :param channels: 1 to 8.
    :param bit_rate: the average bit rate in bits per second: from 8000 to 6 times the sample rate, each times the number of
        channels; default: 1.5 times the sample rate for each channel.

    A frame is one value for each channel. The first sample precedes the first frame by 1024 frames, the encoder's priming.

    >>> import array, nalu
    >>> with nalu.media.AudioEncoder(48000, channels=1) as encoder:
    ...     samples = encoder.encode(array.array("f", bytes(4 * 4800)), 0.0)
    ...     samples += encoder.flush()
    >>> float(samples[0].pts) * 48000
    -1024.0

    If the clock of the audio device runs faster or slower than the host clock, the audio is resampled so that it stays within
    20 ms of the times. Silence takes the place of missing frames, and frames that overlap are left out. Any thread may use an
    encoder; its calls run one after the other.
    """

    _name = "audio encoder"
    __slots__ = ("__weakref__", "_channels", "_library", "_lock", "_pointer")

    def __init__(self, sample_rate: int = 48000, channels: int = 2, *, bit_rate: Optional[int] = None) -> None:
        self._pointer: Any = None
        self._lock = threading.Lock()
        self._library = _ffi.library()
        rate = whole_number(sample_rate, "sample_rate", 7350, 96000)
        self._channels = whole_number(channels, "channels", 1, 8)
        options = _ffi.nalu_audio_encoder_options(
            ctypes.sizeof(_ffi.nalu_audio_encoder_options), 0, 0 if bit_rate is None else whole_number(bit_rate, "bit_rate", 1)
        )
        out = _ffi.nalu_audio_encoder_p()
        check(self._library.lib.nalu_audio_encoder_create(rate, self._channels, options, ctypes.byref(out)))
        self._pointer = out

    @property
    def format_description(self) -> FormatDescription:
        """The format description of the samples, for :meth:`Writer.add_audio`."""
        with self._lock:
            get = self._library.fast.nalu_audio_encoder_get_format_description
            return FormatDescription(self._library.fast.nalu_format_description_retain(get(self._open())))

    def encode(self, frames: Any, time: Optional[TimeLike] = None) -> "list[Sample]":
        """Encodes the next frames, and returns the samples that are ready.

        :param frames: a contiguous buffer of 16-bit integers (-32768 to 32767) or 32-bit floats (-1 to 1), channel after channel
            within a frame, for example an array of numpy with the shape (frames, channels).
        :param time: the host time of the first frame; required for the first frames, and by default the end of the previous ones.
        """
        try:
            view = memoryview(frames)
        except TypeError:
            raise WrongTypeError(f"frames is {type(frames).__name__}; expected a buffer of 16-bit integers or 32-bit floats") from None
        kind = _TYPES.get(view.format.lstrip("@=<"))
        if kind is None:
            raise WrongTypeError(f"frames has the format {view.format!r}; expected 16-bit integers ('h') or 32-bit floats ('f')")
        if not view.c_contiguous:
            raise InvalidValueError("frames is not contiguous; expected a copy in C order")
        value_type, size = kind
        count, rest = divmod(view.nbytes, size * self._channels)
        if rest:
            raise InvalidValueError(f"frames has {view.nbytes // size} values; expected a multiple of {self._channels}")
        data = view.cast("B") if view.nbytes else memoryview(b"")
        if data.readonly:
            data = memoryview(bytearray(data))
        address = ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data)) if count else None
        native = nalu_time() if time is None else _native_time(time, None, "time")
        with self._lock:
            check(self._library.lib.nalu_audio_encoder_encode(self._open(), address, count, value_type, native))
            return self._samples()

    def flush(self) -> "list[Sample]":
        """Encodes the frames that wait for a full packet, and returns the last samples. Nothing can be encoded afterwards."""
        with self._lock:
            check(self._library.lib.nalu_audio_encoder_finish(self._open()))
            return self._samples()

    def _samples(self) -> "list[Sample]":
        samples: "list[Sample]" = []
        while True:
            out = nalu_sample_p()
            check(self._library.fast.nalu_audio_encoder_next_sample(self._pointer, ctypes.byref(out)))
            if not out:
                return samples
            samples.append(Sample(out))

    @property
    def counts(self) -> AudioCounts:
        """The corrections so far."""
        counts = _ffi.nalu_audio_encoder_counts(ctypes.sizeof(_ffi.nalu_audio_encoder_counts))
        with self._lock:
            check(self._library.fast.nalu_audio_encoder_get_counts(self._open(), counts))
        return AudioCounts(
            counts.frames_in, counts.frames_out, counts.inserted_frames, counts.dropped_frames, counts.offset
        )

    def _release(self) -> None:
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            self._library.fast.nalu_audio_encoder_release(pointer)
