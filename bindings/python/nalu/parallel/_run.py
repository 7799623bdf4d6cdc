"""Runs one function over all chunks on any executor. Lost chunks are run again, and a second worker runs slow ones as well."""

from __future__ import annotations

import concurrent.futures
import contextlib
import statistics
import time
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any, Callable

from ._failures import Declined, Failed, Failures, called, described
from ._settings import version
from ._workers import INTERVAL, ParallelError, Workers

#: Seconds by which a chunk may exceed its expected time before a second worker runs it as well.
_GRACE = 2.0


class Stage:
    """One function over chunks.

    :param name: the name of the stage.
    :param failures: the failures of the whole run.
    :param call: the function that a worker calls.
    :param arguments: returns the function's arguments for the number of a chunk.
    :param seconds: the duration of each chunk, by number.
    :param retries: the number of times that a failed chunk is run again.
    :param patience: if a chunk takes this many times as long as others, a second worker runs it as well.
    """

    def __init__(
        self,
        name: str,
        workers: Workers,
        failures: Failures,
        call: Callable[..., Any],
        arguments: Callable[[int], tuple[Any, ...]],
        seconds: dict[int, float],
        *,
        retries: int,
        patience: float,
    ) -> None:
        self._name = name
        self._version = version()
        self._workers = workers
        self._failures = failures
        self._call = call
        self._arguments = arguments
        self._seconds = seconds
        self._retries = retries
        self._patience = patience
        self._waiting: deque[int] = deque()
        #: The chunks in progress: number, start time, and generation of the executor.
        self._running: "dict[concurrent.futures.Future[Any], tuple[int, float, int]]" = {}
        #: The time from which a failed chunk may be run again.
        self._not_before: dict[int, float] = {}
        #: The number of workers that get nothing: after a failure, until a worker has returned a result.
        self._idle = 0
        #: The number of workers that had each chunk at once, the last time.
        self._copies: dict[int, int] = {}
        self._finished: set[int] = set()
        #: Seconds of work per second of video.
        self._paces: list[float] = []
        self._submitted = 0
        self.retried = 0
        self.duplicated = 0

    def run(self, numbers: Iterable[int], on_result: Callable[[Any], Any]) -> None:
        """Calls ``on_result`` once for each chunk, in the order in which they finish."""
        self._waiting = deque(numbers)
        try:
            while self._waiting or self._unfinished():
                self._fill()
                for future in self._done():
                    self._take(future, on_result)
                if self._workers.is_gone:
                    raise ParallelError("the scheduler is gone")
        finally:
            for future in self._running:
                # In some executors, such as Parsl's, this call raises.
                with contextlib.suppress(Exception):
                    future.cancel()

    def _done(self) -> "set[concurrent.futures.Future[Any]]":
        """Waits for futures until the next check is due, and returns those that are done."""
        now = time.monotonic()
        timeout = min([INTERVAL, *(at - now for at in self._not_before.values() if at > now)])
        if not self._running:
            time.sleep(timeout)
        return concurrent.futures.wait(
            list(self._running), timeout=timeout, return_when=concurrent.futures.FIRST_COMPLETED
        ).done

    def _unfinished(self) -> bool:
        return any(number not in self._finished for number, _, _ in self._running.values())

    def _fill(self) -> None:
        """Submits chunks to all free workers; at the end, slow chunks a second time."""
        if not self._running or self._failures.has_result:
            self._idle = 0
        free = self._workers.slots - len(self._running) - self._idle
        now = time.monotonic()
        # Only a few of the waiting chunks are looked at, because this runs after each chunk.
        ready = islice((number for number in self._waiting if self._not_before.get(number, now) <= now), max(free, 0))
        for number in list(ready):
            if free <= 0:
                break
            self._waiting.remove(number)
            copies = min(free, self._failures.copies(self._name, number))
            for _ in range(copies):
                self._submit(number)
            self._copies[number] = copies
            free -= copies
        if not self._waiting and free > 0:
            for number in self._lagging()[:free]:
                self.duplicated += 1
                self._submit(number)

    def _lagging(self) -> list[int]:
        if not self._paces:
            return []
        pace, now = statistics.median(self._paces), time.monotonic()
        copies: dict[int, int] = {}
        for number, _, _ in self._running.values():
            copies[number] = copies.get(number, 0) + 1
        late = [
            (now - began, number)
            for number, began, _ in self._running.values()
            if number not in self._finished
            and copies[number] == 1
            and now - began > self._patience * pace * self._seconds[number] + _GRACE
        ]
        return [number for _, number in sorted(late, reverse=True)]

    def _submit(self, number: int) -> None:
        arguments = self._arguments(number)
        # With a number, an executor that caches results does not return those of an earlier attempt.
        self._submitted += 1
        avoided = self._failures.avoided(self._name, number, self._workers.seats)
        stay = self._failures.stay(self._name, number)
        words = self._submitted, self._version, avoided, stay, self._call, *arguments
        try:
            future = self._workers.submit(called, *words)
        except Exception as error:
            if not self._workers.replace():
                raise ParallelError(f"the executor accepts no more chunks: {described(error)}") from error
            future = self._workers.submit(called, *words)
        self._running[future] = number, time.monotonic(), self._workers.generation

    def _take(self, future: "concurrent.futures.Future[Any]", on_result: Callable[[Any], Any]) -> None:
        number, _, generation = self._running.pop(future)
        if number in self._finished:
            return
        try:
            result = future.result()
        except concurrent.futures.CancelledError as error:
            self._failed(number, error, "it was cancelled: its worker or the scheduler is gone")
        except Exception as error:
            if isinstance(error, concurrent.futures.BrokenExecutor) and generation == self._workers.generation:
                self._replace(error)
            self._failed(number, error, described(error))
        else:
            if isinstance(result, Declined):
                self._declined(number)
            elif isinstance(result, Failed):
                self._failed(number, result.cause(), result.message, result.worker, result.is_lasting)
            else:
                self._failures.heard(result.worker)
                on_result(result)
                self._finished.add(number)
                self._paces.append(result.seconds / max(self._seconds[number], 1e-3))

    def _declined(self, number: int) -> None:
        if self._is_running(number):
            return
        # Workers that have other chunks may be ones that this chunk does not avoid.
        is_alone = all(each in self._finished for each, _, _ in self._running.values())
        everybody = self._copies[number] >= self._workers.slots - len(self._running)
        self._failures.decline(self._name, number, by_all=is_alone and everybody)
        self._waiting.appendleft(number)

    def _is_running(self, number: int) -> bool:
        return any(each == number for each, _, _ in self._running.values())

    def _failed(self, number: int, error: BaseException, message: str, worker: str = "", is_lasting: bool = False) -> None:
        tries = self._failures.add(self._name, number, worker, message)
        if is_lasting or tries > self._retries:
            hint = _HINT if self._workers.is_own and isinstance(error, concurrent.futures.BrokenExecutor) else ""
            raise ParallelError(self._failures.message(self._name, number) + hint) from error
        if not self._workers.is_own:
            self._idle += 1
        if not self._is_running(number):
            self.retried += 1
            self._waiting.append(number)
            self._not_before[number] = time.monotonic() + self._failures.pause(self._name, number)

    def _replace(self, error: BaseException) -> None:
        if not self._workers.replace():
            raise ParallelError(
                f"the executor is broken ({described(error)}); pass a function that returns an executor, so that it can be replaced"
            ) from error


_HINT = '. Processes import the program again: it must be a file, and its statements must be below `if __name__ == "__main__":`'
