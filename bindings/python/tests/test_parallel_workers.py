"""Executors of all kinds, workers that fail repeatedly, and processes left by an ended command."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import parallel_frames
import pytest
from conftest import PROGRAM_LIMIT
from test_parallel import SETTINGS, SOURCE, video, threads, troubled  # noqa: F401

import nalu
from nalu.parallel import ParallelError, _failures, _settings, _stages, _workers
from nalu.parallel._failures import Failures


def encode(target, **options) -> bytes:
    nalu.parallel.encode(SOURCE, target, **{**SETTINGS, **options})
    return target.read_bytes()


# ---- Executors -------------------------------------------------------------------------------------------------


class Foreign:
    """A future that is not a subclass of concurrent.futures.Future."""

    def __init__(self, future) -> None:
        self._future = future

    def add_done_callback(self, call) -> None:
        self._future.add_done_callback(lambda _: call(self))

    def cancel(self) -> bool:
        return self._future.cancel()

    def cancelled(self) -> bool:
        return self._future.cancelled()

    def result(self):
        return self._future.result()


class ForeignPool:
    """A pool that is not a concurrent.futures.Executor. It states its number of workers like the pool of mpi4py."""

    num_workers = 2

    def __init__(self) -> None:
        self.pool = threads()
        self.lock = threading.Lock()
        self.running = self.most = 0

    def submit(self, call, *arguments):
        future = self.pool.submit(call, *arguments)
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        future.add_done_callback(self._ended)
        return Foreign(future)

    def _ended(self, _) -> None:
        with self.lock:
            self.running -= 1


class Client:
    """A client like Dask's: its futures have another type, and it returns an executor."""

    def __init__(self, pool) -> None:
        self.pool = pool

    def submit(self, *_):
        raise AssertionError("not to be called")

    def get_executor(self):
        return self.pool


def test_executors_that_are_no_executors(tmp_path, video):  # noqa: F811
    pool = ForeignPool()
    with pool.pool:
        assert encode(tmp_path / "foreign.mp4", executor=pool) == video
        assert pool.most == 2
        assert encode(tmp_path / "client.mp4", executor=Client(pool)) == video
        source = troubled(tmp_path / "marker", 80, "always")
        with pytest.raises(ParallelError, match="chunk 3 failed on .*: RuntimeError: no such frame"):
            nalu.parallel.encode(source, tmp_path / "none.mp4", executor=pool, **{**SETTINGS, "retries": 0})


def test_what_is_no_executor_is_refused(tmp_path):
    class Wrong:
        def submit(self, *_):
            return 3

    for error, executor in ((TypeError, 3), (TypeError, lambda: None), (ParallelError, Wrong())):
        with pytest.raises(error, match="expected") as caught:
            encode(tmp_path / "video.mp4", executor=executor)
        assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_the_processors_of_the_process():
    """If the process may use only one of several processors, one chunk runs at a time."""
    allowed = os.sched_getaffinity(0)
    try:
        for processors in (allowed, {min(allowed)}):
            os.sched_setaffinity(0, processors)
            workers = _workers.Workers(None, None)
            assert workers.slots == len(processors)
            workers.close()
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_processes_that_are_forked(tmp_path, video, method):  # noqa: F811
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        assert encode(tmp_path / "video.mp4", executor=executor, patience=1000) == video


class OddError(Exception):
    """An exception that cannot be unpickled."""

    def __init__(self, first, second) -> None:
        super().__init__(first)


def odd(index: int):
    if index == 30:
        raise OddError("odd", 1)
    if index == 80:
        sys.exit("enough")
    return parallel_frames.frame(index)


def test_exceptions_that_no_process_can_send(tmp_path):
    source = replace(SOURCE, function=odd)
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
        with pytest.raises(ParallelError, match="chunk 1 failed on .*: OddError: odd"):
            nalu.parallel.encode(source, tmp_path / "video.mp4", executor=executor, **{**SETTINGS, "retries": 0})
        chunk = nalu.parallel.plan(source, **SETTINGS)[3]
        here = _settings.version()
        for version, sentence in ((here, "SystemExit: enough"), ("Nalu 9", f"this worker has {here}; expected Nalu 9")):
            future = executor.submit(_failures.called, 1, version, frozenset(), 0.0, nalu.parallel.first_pass, chunk)
            failed = future.result(PROGRAM_LIMIT)
            assert sentence in failed.message and failed.worker and not failed.is_lasting
            assert "_failures.py" in str(failed.cause())


# ---- Workers that fail -----------------------------------------------------------------------------------------


def test_a_worker_that_fails_everything_fast(tmp_path, video, monkeypatch):  # noqa: F811
    """The failing worker is the first to try every free chunk, but tries each chunk only once."""
    bad: list = []
    lock, others = threading.Lock(), threading.Event()
    tried: list = []

    def here() -> str:
        return f"{threading.current_thread().name}:1"

    def frame(index: int):
        with lock:
            if not bad and threading.current_thread() is not threading.main_thread():
                bad.append(here())
        if here() in bad:
            # Without this wait, the pool might give every chunk to this thread and start no other.
            assert others.wait(PROGRAM_LIMIT)
            tried.append(index)
            raise OSError(28, "No space left on device")
        if bad:
            others.set()
        return parallel_frames.frame(index)

    monkeypatch.setattr(_failures, "worker", here)
    monkeypatch.setattr(_stages, "worker", here)
    monkeypatch.setattr(_failures, "_LONGEST_STAY", 1.0)
    with threads(3) as executor:
        source = replace(SOURCE, function=frame)
        options = {**SETTINGS, "executor": executor, "retries": 2, "patience": 1000}
        summary = nalu.parallel.encode(source, tmp_path / "video.mp4", **options)
    assert (tmp_path / "video.mp4").read_bytes() == video
    assert len(bad) == 1 and 1 <= summary.workers <= 2
    assert summary.retried == len(tried) >= 1
    # Each chunk fails once per stage at its first frame, and there are three stages.
    assert all(tried.count(index) <= 3 for index in tried), tried


def test_who_is_avoided():
    failures = Failures()
    failures.add("first pass", 7, "bad:1", "OSError: full")
    assert failures.avoided("first pass", 7, (1, 1)) == frozenset()
    # Other hosts are known from the numbers of hosts and workers, or from a message.
    assert failures.avoided("first pass", 7, (2, 9)) == {"bad"}
    assert failures.avoided("first pass", 7, (1, 9)) == {"bad:1"}
    failures.heard("bad:2")
    assert failures.avoided("first pass", 7, (0, 0)) == {"bad:1"}
    failures.heard("good:1")
    assert failures.avoided("first pass", 7, (0, 0)) == {"bad"}
    assert failures.avoided("first pass", 8, (0, 0)) == failures.avoided("second pass", 7, (0, 0)) == frozenset()
    assert [failures.stay("first pass", 7), failures.copies("first pass", 7)] == [1, 1]
    failures.decline("first pass", 7, by_all=False)
    assert [failures.stay("first pass", 7), failures.copies("first pass", 7)] == [2, 2]
    # Every worker declines, for example because the other host does not exist any more.
    for by_all in (True, True, False, True, True):
        failures.decline("first pass", 7, by_all=by_all)
        assert failures.avoided("first pass", 7, (0, 0)) == {"bad"}
    failures.decline("first pass", 7, by_all=True)
    assert failures.avoided("first pass", 7, (0, 0)) == frozenset()
    assert failures.add("first pass", 7, "good:1", "OSError: full") == 2
    assert failures.pause("first pass", 7) == 1
    assert failures.message("first pass", 7) == "chunk 7 failed 2 times on bad, good: OSError: full"
    failures.add("first pass", 7, "", "BrokenProcessPool")
    assert failures.message("first pass", 7) == "chunk 7 failed 3 times: OSError: full on bad, good; BrokenProcessPool"


# ---- Nothing is left over --------------------------------------------------------------------------------------


def of_session(leader: int) -> "list[int]":
    """Returns the remaining processes of a session."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as file:
                words = file.read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(words[3]) == leader and words[0] != "Z":
            found.append(int(name))
    return found


@pytest.mark.parametrize("how", ["Ctrl-C", "SIGKILL"])
def test_a_command_that_is_ended_leaves_no_process(tmp_path, how):
    source, temporary, work = tmp_path / "in.mp4", tmp_path / "tmp", tmp_path / "work"
    temporary.mkdir()
    # The video is long enough that encoding is not finished before the signal arrives, even if the tests pause for some
    # seconds.
    frames = [parallel_frames.frame(index) for index in range(100)] * 10
    nalu.write_video(source, frames, fps=25, format="gray")
    words = [sys.executable, "-m", "nalu.parallel", source, tmp_path / "out.mp4", "--bit-rate", "100k", "--chunk-duration", "1"]
    words += ["--cut", "equal", "--workers", "2", "--work", work, "--preset", "placebo", "-q"]
    environment = {**os.environ, "TMPDIR": str(temporary)}

    def heard() -> None:
        # A shell that starts the tests in the background ignores SIGINT.
        signal.signal(signal.SIGINT, signal.default_int_handler)

    running = subprocess.Popen(
        words, env=environment, start_new_session=True, preexec_fn=heard, stderr=subprocess.PIPE, text=True
    )
    limit = time.monotonic() + PROGRAM_LIMIT
    while not (work / "00000.first").exists():
        assert time.monotonic() < limit and running.poll() is None
        time.sleep(0.005)
    if how == "Ctrl-C":
        # A terminal sends SIGINT to all processes of the group.
        os.killpg(running.pid, signal.SIGINT)
    else:
        running.kill()
    _, said = running.communicate(timeout=PROGRAM_LIMIT)
    if how == "Ctrl-C":
        assert running.returncode == 130
        assert said == "nalu.parallel: interrupted; --resume continues with the finished chunks\n"
    limit = time.monotonic() + PROGRAM_LIMIT
    while of_session(running.pid):
        assert time.monotonic() < limit, of_session(running.pid)
        time.sleep(0.01)
    assert os.listdir(temporary) == []
    assert (work / "00000.first").exists() and not (tmp_path / "out.mp4").exists()
