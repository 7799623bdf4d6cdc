"""The executors that run chunks."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any, Callable, Optional, Union

from ..errors import Error, WrongTypeError

Executor = concurrent.futures.Executor
#: Seconds between two checks for slow chunks and for the number of workers.
INTERVAL = 0.5


class ParallelError(Error):
    """A run that failed. ``work`` is the directory of finished chunks, with which ``resume=True`` continues; "" if there are
    none."""

    def __init__(self, message: str, status: int = 0, status_name: str = "", work: str = "") -> None:
        super().__init__(message, status, status_name)
        self.work = work


def _processors() -> int:
    """Returns the number of processors available to this process. In a container, the machine can have more."""
    return len(os.sched_getaffinity(0))


class Workers:
    """An executor: the caller's, one that the caller's function returns, or a pool of processes.

    A pool whose process has died accepts nothing any more. It is replaced, and so is an executor from a function.
    """

    def __init__(self, executor: Union[Executor, Callable[[], Executor], None], count: Optional[int]) -> None:
        self._count = count
        self._make: Optional[Callable[[], Executor]] = None
        self.is_own = executor is None
        #: The directory for temporary files of the pool's processes; None without a pool.
        self._temporary: Optional[str] = None
        if executor is None:
            self._make = self._pool
        elif isinstance(executor, type) or not hasattr(executor, "submit"):
            if not callable(executor):
                raise WrongTypeError(
                    f"executor is {type(executor).__name__}; expected a concurrent.futures.Executor, or a function that returns one"
                )
            self._make = executor
        self._executor: Any = executor if self._make is None else self._made(self._make)
        # Dask's client has its own submit, whose futures are of another kind.
        of_client = getattr(executor, "get_executor", None)
        if self._make is None and of_client is not None:
            self._executor = of_client()
        #: The number of replaced executors.
        self.generation = 0
        self._dask: tuple[float, dict[str, int]] = (-1.0, {})

    @staticmethod
    def _made(make: Callable[[], Executor]) -> Executor:
        made = make()
        if not hasattr(made, "submit"):
            raise WrongTypeError(
                f"executor returned {type(made).__name__}; expected a function that returns a concurrent.futures.Executor"
            )
        return made

    def _pool(self) -> Executor:
        if self._temporary is None:
            # A process that is killed does not remove its temporary files.
            self._temporary = tempfile.mkdtemp(prefix="nalu-parallel-")
        # A forked child would have locks of this process, but not the threads that release them.
        context = multiprocessing.get_context("spawn")
        return concurrent.futures.ProcessPoolExecutor(
            self._count or _processors(), mp_context=context, initializer=_begin, initargs=(self._temporary,)
        )

    @property
    def slots(self) -> int:
        """The number of chunks that run at the same time."""
        if self._count is not None:
            return self._count
        # MPI's executors have num_workers only.
        for name in ("num_workers", "_max_workers"):
            own = getattr(self._executor, name, None)
            if isinstance(own, int) and own > 0:
                return own
        threads = self._dask_workers()
        if threads is None:
            return _processors()
        # Without a worker, one chunk waits for the first worker.
        return sum(threads.values()) or 1

    @property
    def seats(self) -> tuple[int, int]:
        """The numbers of the executor's hosts and processes; 0 if they are not known."""
        addresses = self._dask_workers() or {}
        return len({address.rsplit(":", 1)[0] for address in addresses}), len(addresses)

    def _dask_workers(self) -> Optional[dict[str, int]]:
        """The threads of each worker, by address; None if the executor is not Dask's."""
        threads = getattr(getattr(self._executor, "_client", None), "nthreads", None)
        if not callable(threads):
            return None
        asked, found = self._dask
        if time.monotonic() > asked + INTERVAL:
            with contextlib.suppress(Exception):
                found = dict(threads())
            self._dask = time.monotonic(), found
        return found

    @property
    def is_gone(self) -> bool:
        """Whether the scheduler of a Dask client has ended."""
        return getattr(getattr(self._executor, "_client", None), "status", None) in ("closed", "closing")

    def submit(self, call: Callable[..., Any], *arguments: Any) -> "concurrent.futures.Future[Any]":
        with _blocked_interrupts() if self.is_own else contextlib.nullcontext():
            future = self._executor.submit(call, *arguments)
        return future if isinstance(future, concurrent.futures.Future) else _Bridge(future)

    def replace(self) -> bool:
        """Replaces a broken executor. Returns False for an executor of the caller, which cannot be replaced."""
        if self._make is None:
            return False
        self._end()
        self._executor = self._made(self._make)
        self.generation += 1
        return True

    def close(self) -> None:
        """Ends an executor that was created here. The result of a chunk that is still running is not needed."""
        if self._make is not None:
            self._end()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _end(self) -> None:
        processes = list((getattr(self._executor, "_processes", None) or {}).values()) if self.is_own else []
        self._executor.shutdown(wait=False, **({"cancel_futures": True} if self.is_own else {}))
        for process in processes:
            process.kill()
        for process in processes:
            process.join(10)


class _Bridge(concurrent.futures.Future):  # type: ignore[type-arg]
    """A future of another class, in the form that ``concurrent.futures.wait`` accepts."""

    def __init__(self, foreign: Any) -> None:
        super().__init__()
        if not hasattr(foreign, "add_done_callback") or not hasattr(foreign, "result"):
            raise WrongTypeError(f"the executor returned {type(foreign).__name__}; expected a concurrent.futures.Future")
        self._foreign = foreign
        foreign.add_done_callback(self._settle)

    def cancel(self) -> bool:
        with contextlib.suppress(Exception):
            self._foreign.cancel()
        return super().cancel()

    def _settle(self, foreign: Any) -> None:
        if foreign.cancelled():
            super().cancel()
            self.set_running_or_notify_cancel()
            return
        # A future that was cancelled here accepts no result.
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            try:
                result = foreign.result()
            except BaseException as error:
                self.set_exception(error)
            else:
                self.set_result(result)


@contextlib.contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Blocks SIGINT for processes started inside the block. The terminal sends Ctrl-C to all, and each would print a traceback."""
    # Otherwise the tracker is started together with the first process, and unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(temporary: str) -> None:
    """Runs in each process of the pool."""
    tempfile.tempdir = temporary
    threading.Thread(target=_follow, args=(temporary,), daemon=True).start()


def _follow(temporary: str) -> None:
    """Ends this process when the one that started it has ended, even by SIGKILL."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        shutil.rmtree(temporary, ignore_errors=True)
        os._exit(1)
