"""Several passes over one video, for a file of a given size.

The first pass measures how many bits each frame needs, and later passes distribute ``bit_rate`` times the duration
accordingly::

    storage = nalu.MultiPassStorage()
    with nalu.CompressionSession(640, 360, frame_rate=25, bit_rate=500_000, multi_pass_storage=storage) as session:
        again = True
        while again:
            session.begin_pass()
            samples = [sample for frame in frames for sample in session.encode(frame)]
            samples += session.flush()
            again = session.end_pass()

Afterwards ``samples`` are those of the last pass. Several processes or machines can encode the chunks of a long video:
:meth:`nalu.MultiPassStorage.data` returns the statistics of a chunk's first pass as bytes. :mod:`nalu.parallel` does all of this.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _ffi
from ._handles import Closable, check, filled
from ._numbers import whole_number
from .errors import InvalidValueError, WrongTypeError
from .time import Time


class TimeRange(NamedTuple):
    """A range of times: from ``start``, included, to ``start`` + ``duration``, excluded."""

    start: Time
    duration: Time


class BitDivision(NamedTuple):
    """The bits of a video, divided among its chunks by :func:`divide_bits`."""

    #: The ``bit_rate`` of each chunk.
    bit_rates: list[int]
    #: The ``qp`` at which to repeat each chunk's first pass (:meth:`CompressionSession.begin_pass`); None if the first pass
    #: is accurate enough. Repeat a first pass twice at most.
    first_pass_qps: list[Optional[float]]


class MultiPassStorage(Closable):
    """The statistics that the encoder passes on from pass to pass, in files.

    :param data: the bytes from :meth:`data` of another storage, on this machine or another one. Sessions with this storage, one
        after the other, begin with the second pass. Corrupt bytes, and those of another version of x264, raise ValueError.
    :param directory: an existing directory, in which the storage creates a directory for its files; default ``/tmp``. A pass
        writes about 200 bytes per frame, and up to 2 bytes for each macroblock of 16 x 16 pixels. OSError if the directory does
        not exist or cannot be written to.

    One session at a time uses a storage. ``close`` removes the files. The end of the ``with`` block or of the last reference
    removes them too, as soon as no session uses the storage. A process that is killed leaves them. Any thread may use a
    storage.

    >>> from nalu import CompressionSession, MultiPassStorage
    >>> frames = [bytes([level * 8]) * (64 * 48) for level in range(10)]
    >>> def one_pass(session):
    ...     session.begin_pass()
    ...     samples = [sample for frame in frames for sample in session.encode(frame)] + session.flush()
    ...     session.end_pass()
    ...     return samples
    >>> settings = {"frame_rate": 25, "bit_rate": 100_000, "format": "gray"}
    >>> with MultiPassStorage() as first, CompressionSession(64, 48, **settings, multi_pass_storage=first) as session:
    ...     _ = one_pass(session)
    ...     learned = first.data()
    >>> with MultiPassStorage(learned) as second, CompressionSession(64, 48, **settings, multi_pass_storage=second) as session:
    ...     len(one_pass(session))
    10
    """

    _name = "storage"
    __slots__ = ("__weakref__", "_pointer", "_process")

    def __init__(
        self,
        data: Union[bytes, bytearray, memoryview, None] = None,
        *,
        directory: Union[str, "os.PathLike[str]", None] = None,
    ) -> None:
        self._pointer: Any = None
        self._process = os.getpid()
        path = None if directory is None else os.fsencode(directory)
        if path is not None and b"\0" in path:
            raise InvalidValueError(f"directory is {directory!r}; expected a path without NUL characters")
        out = _ffi.nalu_multi_pass_storage_p()
        if data is None:
            check(_ffi.lib.nalu_multi_pass_storage_create(path, ctypes.byref(out)))
        else:
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise WrongTypeError(f"data is {type(data).__name__}; expected bytes")
            learned = bytes(data)
            check(
                _ffi.lib.nalu_multi_pass_storage_create_with_data(path, learned, len(learned), ctypes.byref(out))
            )
        self._pointer = out

    def data(self) -> bytes:
        """Returns the data of the first pass: times, key frames, and the statistics of the encoder.

        Call this after the first pass and before the end of its session. At other times it raises an Error whose
        ``status_name`` is ``"VALUE_NOT_AVAILABLE"``. The bytes have a version and a checksum; any machine with the same version
        of x264 can use them. There are about 200 bytes per frame, and up to 2 bytes for each macroblock.
        """
        pointer = self._open()
        copy = _ffi.lib.nalu_multi_pass_storage_copy_data
        return filled(lambda buffer, capacity, size: copy(pointer, buffer, capacity, size))

    def close(self) -> None:
        """Removes the files. Raises ValueError while a session uses the storage: close the session first."""
        if self._pointer is None:
            return
        if self._process == os.getpid():
            check(_ffi.lib.nalu_multi_pass_storage_close(self._pointer))
        self._release()

    def _release(self) -> None:
        pointer, self._pointer = self._pointer, None
        # A forked child must leave the parent's files alone.
        if pointer is not None and self._process == os.getpid():
            _ffi.lib.nalu_multi_pass_storage_release(pointer)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._release()


def divide_bits(chunks: Sequence[Union[MultiPassStorage, bytes]], total_bits: int) -> BitDivision:
    """Divides the bits of a video among its chunks, so that all chunks have the same quality.

    :param chunks: the first pass of each chunk: its storage, or the bytes of :meth:`nalu.MultiPassStorage.data`.
    :param total_bits: the bits of the whole video, 1 to 2**62. The sum of rate times duration over all chunks is ``total_bits``,
        apart from rounding, from chunks that would get less than 1000 bits per second, and unless all chunks have their highest
        rate.

    Each chunk gets the bits that it takes at one QP for the whole video, according to the model of x264's second pass. The model
    is inaccurate for a chunk whose first pass has QPs far from this QP. The result then contains a QP for another first pass,
    after which the bits are divided again. A chunk gets at most the rate that the ``DataRateLimits`` and the fixed level of its
    first pass's session allow. The others then share what is left at one QP of their own.

    Corrupt bytes and empty ``chunks`` raise ValueError; a storage without a first pass raises an Error whose ``status_name`` is
    ``"VALUE_NOT_AVAILABLE"``. The interpreter's lock is free during the call.
    """
    total = whole_number(total_bits, "total_bits", 1)
    storages = [chunk if isinstance(chunk, MultiPassStorage) else MultiPassStorage(chunk) for chunk in chunks]
    if not storages:
        raise InvalidValueError("chunks is empty; expected at least one chunk")
    pointers = (_ffi.nalu_multi_pass_storage_p * len(storages))(*[storage._open() for storage in storages])
    rates = (ctypes.c_int64 * len(storages))()
    qps = (ctypes.c_double * len(storages))()
    check(_ffi.lib.nalu_multi_pass_storage_divide_bits(pointers, len(storages), total, rates, qps))
    return BitDivision(list(rates), [qp or None for qp in qps])


def checked_qp(qp: Optional[float]) -> float:
    """Returns the QP of a first pass for C, in which 0 means none."""
    if qp is None:
        return 0.0
    if isinstance(qp, bool) or not isinstance(qp, (int, float)):
        raise WrongTypeError(f"qp is {type(qp).__name__}; expected a number")
    if not 1 <= qp <= 51:
        raise InvalidValueError(f"qp is {qp}; expected 1 to 51")
    return qp


class Passes:
    """The passes of one session: calls of the C functions."""

    __slots__ = ("_session", "_storage")

    def __init__(self, session: Any, storage: MultiPassStorage) -> None:
        if not isinstance(storage, MultiPassStorage):
            raise WrongTypeError(f"multi_pass_storage is {type(storage).__name__}; expected a MultiPassStorage")
        check(_ffi.lib.nalu_compression_session_set_multi_pass_storage(session, storage._open()))
        self._session = session
        #: Kept, because the end of the storage's last reference would remove the files.
        self._storage = storage

    def begin(self, final: bool, qp: Optional[float]) -> None:
        flags = _ffi.COMPRESSION_SESSION_BEGIN_FINAL_PASS if final else 0
        check(_ffi.lib.nalu_compression_session_begin_first_pass(self._session, flags, checked_qp(qp)))

    def end(self, final: bool) -> bool:
        again = ctypes.c_int32(0)
        out = None if final else ctypes.byref(again)
        check(_ffi.lib.nalu_compression_session_end_pass(self._session, out))
        return bool(again.value)

    def ranges(self) -> list[TimeRange]:
        get = _ffi.lib.nalu_compression_session_get_time_ranges_for_next_pass
        count = ctypes.c_size_t(0)
        status = get(self._session, None, 0, ctypes.byref(count))
        if status == _ffi.VALUE_NOT_AVAILABLE:
            return []
        if status != _ffi.BUFFER_TOO_SMALL:
            check(status)
        ranges = (_ffi.nalu_time_range * count.value)()
        check(get(self._session, ranges, count.value, ctypes.byref(count)))
        return [TimeRange(Time._from(each.start), Time._from(each.duration)) for each in ranges[: count.value]]


__all__ = ["BitDivision", "MultiPassStorage", "TimeRange", "divide_bits"]
