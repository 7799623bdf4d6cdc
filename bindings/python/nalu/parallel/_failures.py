"""The failures of chunks, and the choice of other workers for these chunks."""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Iterable
from typing import Any, Callable

from ..errors import Error, InvalidValueError, PropertyNotSupportedError, WrongTypeError
from ._settings import version

#: Errors that would occur again on any worker.
_LASTING = (InvalidValueError, WrongTypeError, PropertyNotSupportedError)
#: Seconds before a failed chunk is run again for the first time; each further pause is four times as long.
_PAUSE = 0.25
#: The longest time in seconds for which an avoided worker keeps a chunk before it returns the chunk.
_LONGEST_STAY = 8.0
#: The number of times in a row that only avoided workers got a chunk, after which the chunk avoids no worker any more.
_OFTEN = 3


def worker() -> str:
    """Returns the name of this process: host and process number."""
    return f"{socket.gethostname()}:{os.getpid()}"


class SourceChangedError(Error):
    """The frames of a source have changed."""


class Failed:
    """A worker's result for a failed chunk. Every executor can send it, unlike the exceptions of clients' functions."""

    def __init__(self, message: str, worker: str, is_lasting: bool, traceback: str) -> None:
        self.message = message
        self.worker = worker
        self.is_lasting = is_lasting
        self.traceback = traceback

    def cause(self) -> Exception:
        """Returns an exception that shows the worker's traceback as the cause of one here."""
        return _WorkerError(f"on {self.worker}\n{self.traceback}")


class _WorkerError(Exception):
    """An exception whose message is a worker's traceback."""


class Declined:
    """The result of a worker that the chunk avoids."""

    def __init__(self, worker: str) -> None:
        self.worker = worker


def called(attempt: int, needed: str, avoided: "frozenset[str]", stay: float, call: Callable[..., Any], *arguments: Any) -> Any:
    """Calls ``call`` in a worker.

    :param attempt: the number of the call. With it, an executor that caches results does not return those of an earlier attempt.
    :param needed: the :func:`version` that the worker must have.
    :param avoided: the hosts or processes that have failed this chunk, if there are others. An executor cannot be told which worker
        to use, so an avoided worker waits ``stay`` seconds and returns :class:`Declined`.
    """
    here = worker()
    if here in avoided or here.rsplit(":", 1)[0] in avoided:
        time.sleep(stay)
        return Declined(here)
    try:
        if version() != needed:
            raise Error(f"this worker has {version()}; expected {needed}")
        return call(*arguments)
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return Failed(described(error), here, isinstance(error, (*_LASTING, SourceChangedError)), traceback.format_exc())


def described(error: BaseException) -> str:
    """Returns the type of an exception, and its message if it has one."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Failures:
    """The failures of one run."""

    def __init__(self) -> None:
        #: Processes that have returned a result or failed.
        self._heard: set[str] = set()
        #: The failures by stage and chunk: the worker, and its error message. The name is empty if the executor itself failed.
        self._of: dict[tuple[str, int], list[tuple[str, str]]] = {}
        self._declined: dict[tuple[str, int], int] = {}
        #: The number of times in a row that every worker had the chunk, and all of them were avoided ones.
        self._by_all: dict[tuple[str, int], int] = {}
        #: Chunks that avoid no worker any more.
        self._everywhere: set[tuple[str, int]] = set()
        #: Whether a worker has returned a result.
        self.has_result = False

    def heard(self, worker: str) -> None:
        """Notes that a worker has returned a result."""
        self._heard.add(worker)
        self.has_result = True

    def add(self, stage: str, number: int, worker: str, message: str) -> int:
        """Notes a failure, and returns the number of failures of the chunk."""
        if worker:
            self._heard.add(worker)
        key = stage, number
        self._declined.pop(key, None)
        self._by_all.pop(key, None)
        self._everywhere.discard(key)
        self._of.setdefault(key, []).append((worker, message))
        return len(self._of[key])

    def pause(self, stage: str, number: int) -> float:
        """Returns the seconds before the chunk is run again."""
        return _PAUSE * 4.0 ** (len(self._of[stage, number]) - 1)

    def avoided(self, stage: str, number: int, seats: tuple[int, int]) -> "frozenset[str]":
        """Returns the hosts, or else the processes, that the chunk avoids; empty if there are no others.

        :param seats: the numbers of hosts and processes of the executor. Those that have returned something count as well.
        """
        key = stage, number
        if key in self._everywhere:
            return frozenset()
        failed = {each for each, _ in self._of.get(key, ()) if each}
        for names, heard, count in (
            (_hosts(failed), _hosts(self._heard), seats[0]),
            (failed, self._heard, seats[1]),
        ):
            if names and len(names) < max(len(heard), count):
                return frozenset(names)
        return frozenset()

    def stay(self, stage: str, number: int) -> float:
        """Returns the seconds for which an avoided worker keeps the chunk."""
        return float(min(2.0 ** self._declined.get((stage, number), 0), _LONGEST_STAY))

    def copies(self, stage: str, number: int) -> int:
        """Returns the number of workers that get the chunk at once, so that one of them is not avoided."""
        return 1 << min(self._declined.get((stage, number), 0), 16)

    def decline(self, stage: str, number: int, *, by_all: bool) -> None:
        """Notes that only avoided workers had the chunk. ``by_all``: whether there were as many copies as workers."""
        key = stage, number
        self._declined[key] = self._declined.get(key, 0) + 1
        self._by_all[key] = self._by_all.get(key, 0) + 1 if by_all else 0
        if self._by_all[key] == _OFTEN:
            self._everywhere.add(key)
            del self._declined[key], self._by_all[key]

    def message(self, stage: str, number: int) -> str:
        """Returns the error message for the failures of a chunk."""
        of = self._of[stage, number]
        messages = list(dict.fromkeys(message for _, message in of))
        if len(of) == 1:
            return f"chunk {number} failed{_on(of)}: {messages[0]}"
        if len(messages) == 1:
            return f"chunk {number} failed {len(of)} times{_on(of)}: {messages[0]}"
        each = "; ".join(f"{message}{_on([one for one in of if one[1] == message])}" for message in messages)
        return f"chunk {number} failed {len(of)} times: {each}"


def _hosts(workers: Iterable[str]) -> set[str]:
    return {worker.rsplit(":", 1)[0] for worker in workers}


def _on(failures: "list[tuple[str, str]]") -> str:
    hosts = sorted(_hosts(worker for worker, _ in failures if worker))
    return f" on {', '.join(hosts)}" if hosts else ""


__all__ = ["Declined", "Failed", "Failures", "SourceChangedError", "called", "described", "worker"]
