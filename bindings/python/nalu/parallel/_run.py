"""One function over all parts, on any executor: parts that are lost are run again, and those that lag elsewhere as well."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import statistics
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Callable, Optional, Union

from ..errors import Error, InvalidValueError, PropertyNotSupportedError, WrongTypeError

Executor = concurrent.futures.Executor
#: What would happen again wherever the part was run.
_LASTING = (InvalidValueError, WrongTypeError, PropertyNotSupportedError)
#: Seconds between two looks at what lags and at how many workers there are.
_INTERVAL = 0.5
#: Seconds that a part may take more than it should, before it is run elsewhere as well.
_GRACE = 2.0


class ParallelError(Error):
    """A run that failed. ``work``: the folder with the finished parts, with which ``resume=True`` continues; "" if there are
    none."""

    def __init__(self, message: str, status: int = 0, status_name: str = "", work: str = "") -> None:
        super().__init__(message, status, status_name)
        self.work = work


class Workers:
    """An executor: one that is given, what a function gives, or a pool of processes.

    A pool whose process died takes nothing any more, so it is replaced where it is known how.
    """

    def __init__(self, executor: Union[Executor, Callable[[], Executor], None], count: Optional[int]) -> None:
        self._count = count
        self._make: Optional[Callable[[], Executor]] = None
        self.is_own = executor is None
        if executor is None:
            self._make = self._pool
        elif not hasattr(executor, "submit"):
            if not callable(executor):
                raise WrongTypeError(
                    f"executor is {type(executor).__name__}; expected a concurrent.futures.Executor, or a function that makes one"
                )
            self._make = executor
        self._executor: Any = executor if self._make is None else self._make()
        #: Counts the executors.
        self.generation = 0
        self._slots = (-1.0, 1)

    def _pool(self) -> Executor:
        # A forked child would have none of the threads of this process, and perhaps its locks.
        context = multiprocessing.get_context("spawn")
        return concurrent.futures.ProcessPoolExecutor(self._count or os.cpu_count() or 1, mp_context=context)

    @property
    def slots(self) -> int:
        """Parts that run at the same time."""
        if self._count is not None:
            return self._count
        own = getattr(self._executor, "_max_workers", None)
        if isinstance(own, int):
            return own
        threads = getattr(getattr(self._executor, "_client", None), "nthreads", None)
        if not callable(threads):
            return os.cpu_count() or 1
        asked, count = self._slots
        if time.monotonic() > asked + _INTERVAL:
            with contextlib.suppress(Exception):
                # Dask; without a worker yet, one part waits for the first.
                count = sum(threads().values()) or 1
            self._slots = time.monotonic(), count
        return count

    @property
    def is_gone(self) -> bool:
        """The scheduler of a Dask client has ended for good."""
        return getattr(getattr(self._executor, "_client", None), "status", None) in ("closed", "closing")

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "concurrent.futures.Future[Any]":
        future: "concurrent.futures.Future[Any]" = self._executor.submit(call, *arguments)
        return future

    def renewed(self) -> bool:
        """Replaces an executor that is broken; False if that is not known how."""
        if self._make is None:
            return False
        self._end()
        self._executor = self._make()
        self.generation += 1
        return True

    def close(self) -> None:
        """Ends what was made here. A part that still runs has a result elsewhere, and nobody waits for it."""
        if self._make is not None:
            self._end()

    def _end(self) -> None:
        processes = list((getattr(self._executor, "_processes", None) or {}).values()) if self.is_own else []
        self._executor.shutdown(wait=False, **({"cancel_futures": True} if self.is_own else {}))
        for process in processes:
            process.kill()
        for process in processes:
            process.join(10)


class Stage:
    """One function over parts.

    ``call``: what a worker calls, with what ``arguments`` gives for a part's number. ``seconds``: of each part, by number.
    ``retries``: how often a part may fail. ``patience``: a part that takes so many times as long as others runs elsewhere too.
    """

    def __init__(
        self,
        workers: Workers,
        call: Callable[..., Any],
        arguments: Callable[[int], tuple[Any, ...]],
        seconds: dict[int, float],
        *,
        retries: int,
        patience: float,
    ) -> None:
        self._workers = workers
        self._call = call
        self._arguments = arguments
        self._seconds = seconds
        self._retries = retries
        self._patience = patience
        self._waiting: deque[int] = deque()
        #: What runs: the part, since when, and in which executor.
        self._running: "dict[concurrent.futures.Future[Any], tuple[int, float, int]]" = {}
        self._failures: dict[int, int] = {}
        self._finished: set[int] = set()
        #: Seconds of work for a second of film.
        self._paces: list[float] = []
        self._submitted = 0
        self.retried = 0
        self.duplicated = 0

    def run(self, numbers: Iterable[int], on_result: Callable[[Any], Any]) -> None:
        """Calls ``on_result`` once for each part, in the order in which they finish."""
        self._waiting = deque(numbers)
        try:
            while self._waiting or self._unfinished():
                self._fill()
                done, _ = concurrent.futures.wait(
                    list(self._running), timeout=_INTERVAL, return_when=concurrent.futures.FIRST_COMPLETED
                )
                for future in done:
                    self._take(future, on_result)
                if self._workers.is_gone:
                    raise ParallelError("the scheduler is gone")
        finally:
            for future in self._running:
                future.cancel()

    def _unfinished(self) -> bool:
        return any(number not in self._finished for number, _, _ in self._running.values())

    def _fill(self) -> None:
        """Keeps every worker busy, in the end with a second try of what lags."""
        free = self._workers.slots - len(self._running)
        while self._waiting and free > 0:
            self._submit(self._waiting.popleft())
            free -= 1
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
        # An executor that knows what it has computed must not take a second try for the first.
        self._submitted += 1
        try:
            future = self._workers.submit(_called, self._submitted, self._call, *arguments)
        except Exception as error:
            if not self._workers.renewed():
                raise ParallelError(f"the executor takes no more parts: {_said(error)}") from error
            future = self._workers.submit(_called, self._submitted, self._call, *arguments)
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
            self._failed(number, error, _said(error))
        else:
            on_result(result)
            self._finished.add(number)
            self._paces.append(result.seconds / max(self._seconds[number], 1e-3))

    def _failed(self, number: int, error: BaseException, said: str) -> None:
        self._failures[number] = self._failures.get(number, 0) + 1
        if isinstance(error, _LASTING) or self._failures[number] > self._retries:
            tries = self._failures[number]
            hint = _HINT if self._workers.is_own and isinstance(error, concurrent.futures.BrokenExecutor) else ""
            raise ParallelError(f"part {number} failed{f' {tries} times' if tries > 1 else ''}: {said}{hint}") from error
        if not any(each == number for each, _, _ in self._running.values()):
            self.retried += 1
            self._waiting.append(number)

    def _replace(self, error: BaseException) -> None:
        if not self._workers.renewed():
            raise ParallelError(
                f"the executor is broken ({_said(error)}); give a function that makes one, so that it can be replaced"
            ) from error


_HINT = '. Processes import the program again: it must be a file, and what it runs below `if __name__ == "__main__":`'


def _called(attempt: int, call: Callable[..., Any], *arguments: Any) -> Any:
    """Runs in a worker."""
    return call(*arguments)


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
