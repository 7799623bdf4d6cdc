"""Which worker failed which chunk, and who has it next."""

from __future__ import annotations

import os
import socket
import time
import traceback
from collections.abc import Iterable
from typing import Any, Callable

from ..errors import Error, InvalidValueError, PropertyNotSupportedError, WrongTypeError
from ._settings import version

#: What would happen again wherever the chunk was run.
_LASTING = (InvalidValueError, WrongTypeError, PropertyNotSupportedError)
#: Seconds before a chunk is run again, the first time; four times as many each further time.
_PAUSE = 0.25
#: Seconds at most that a worker keeps a chunk that another one is to have.
_LONGEST_STAY = 8.0
#: An executor may give one worker what is meant for several, but not so many times in a row.
_OFTEN = 3


def worker() -> str:
    """This process."""
    return f"{socket.gethostname()}:{os.getpid()}"


class SourceChangedError(Error):
    """The frames of a source are others than before."""


class Failed:
    """What a worker gives for a chunk that failed: all executors can send this, whatever a client's function has raised."""

    def __init__(self, said: str, worker: str, is_lasting: bool, traceback: str) -> None:
        self.said = said
        self.worker = worker
        self.is_lasting = is_lasting
        self.traceback = traceback

    def cause(self) -> Exception:
        """For a traceback here that shows the one there."""
        return _WorkerError(f"on {self.worker}\n{self.traceback}")


class _WorkerError(Exception):
    """Has a traceback as its text."""


class Declined:
    """What a worker gives that a chunk is not meant for."""

    def __init__(self, worker: str) -> None:
        self.worker = worker


def called(attempt: int, needed: str, avoided: "frozenset[str]", stay: float, call: Callable[..., Any], *arguments: Any) -> Any:
    """Runs in a worker.

    :param needed: its :func:`version`. ``avoided``: the hosts or processes that have failed this chunk, while there are others.
    An executor does not say who runs what. So whoever is not meant stays busy with the chunk for a while, and gives it back.
    :param attempt: an executor that knows what it has computed must not take a second try for the first.
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
        return Failed(said(error), here, isinstance(error, (*_LASTING, SourceChangedError)), traceback.format_exc())


def said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class Failures:
    """Those of a run."""

    def __init__(self) -> None:
        #: Processes that have given a result or failed.
        self._heard: set[str] = set()
        #: By stage and chunk: who failed, and what was said. An empty name where the executor itself failed.
        self._of: dict[tuple[str, int], list[tuple[str, str]]] = {}
        self._declined: dict[tuple[str, int], int] = {}
        #: How often in a row nobody was meant although every worker had the chunk.
        self._by_all: dict[tuple[str, int], int] = {}
        #: Chunks that nobody is left for.
        self._everywhere: set[tuple[str, int]] = set()
        #: Somebody has given a result.
        self.has_result = False

    def heard(self, worker: str) -> None:
        """A worker has given a result."""
        self._heard.add(worker)
        self.has_result = True

    def add(self, stage: str, number: int, worker: str, sentence: str) -> int:
        """Counts a failure, and gives how many the chunk has."""
        if worker:
            self._heard.add(worker)
        key = stage, number
        self._declined.pop(key, None)
        self._by_all.pop(key, None)
        self._everywhere.discard(key)
        self._of.setdefault(key, []).append((worker, sentence))
        return len(self._of[key])

    def pause(self, stage: str, number: int) -> float:
        """Seconds before the chunk is run again."""
        return _PAUSE * 4.0 ** (len(self._of[stage, number]) - 1)

    def avoided(self, stage: str, number: int, seats: tuple[int, int]) -> "frozenset[str]":
        """The hosts, or else the processes, that are not to have the chunk: there must be others.

        :param seats: hosts and processes that there are; those that were heard of count as well.
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
        """Seconds for which whoever is avoided keeps the chunk."""
        return float(min(2.0 ** self._declined.get((stage, number), 0), _LONGEST_STAY))

    def copies(self, stage: str, number: int) -> int:
        """How many workers have the chunk at once, so that one who is not avoided comes to it."""
        return 1 << min(self._declined.get((stage, number), 0), 16)

    def decline(self, stage: str, number: int, *, by_all: bool) -> None:
        """Nobody who had the chunk was meant. ``by_all``: every worker had it, or one of them had it for all."""
        key = stage, number
        self._declined[key] = self._declined.get(key, 0) + 1
        self._by_all[key] = self._by_all.get(key, 0) + 1 if by_all else 0
        if self._by_all[key] == _OFTEN:
            self._everywhere.add(key)
            del self._declined[key], self._by_all[key]

    def sentence(self, stage: str, number: int) -> str:
        """What happened to the chunk."""
        of = self._of[stage, number]
        sentences = list(dict.fromkeys(sentence for _, sentence in of))
        if len(of) == 1:
            return f"chunk {number} failed{_on(of)}: {sentences[0]}"
        if len(sentences) == 1:
            return f"chunk {number} failed {len(of)} times{_on(of)}: {sentences[0]}"
        each = "; ".join(f"{sentence}{_on([one for one in of if one[1] == sentence])}" for sentence in sentences)
        return f"chunk {number} failed {len(of)} times: {each}"


def _hosts(workers: Iterable[str]) -> set[str]:
    return {worker.rsplit(":", 1)[0] for worker in workers}


def _on(failures: "list[tuple[str, str]]") -> str:
    hosts = sorted(_hosts(worker for worker, _ in failures if worker))
    return f" on {', '.join(hosts)}" if hosts else ""


__all__ = ["Declined", "Failed", "Failures", "SourceChangedError", "called", "said", "worker"]
