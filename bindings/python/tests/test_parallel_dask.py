"""Encoding with Dask: a real scheduler, and workers in separate processes and directories."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import parallel_frames
import pytest
from test_parallel import SETTINGS, SOURCE, command, video  # noqa: F401

import nalu

distributed = pytest.importorskip("distributed")

#: The time limit for operations of Dask, in seconds.
LIMIT = 240


class Cluster:
    """A scheduler and workers, which end with the ``with`` block.

    ``host``: the scheduler's address. ``prefix``: words before its command, for example to enter a network namespace.
    """

    def __init__(self, directory, host: str = "127.0.0.1", prefix: tuple = ()) -> None:
        self.directory = directory
        self._host, self._prefix = host, prefix
        self._stack = contextlib.ExitStack()
        self.scheduler = self.address = None
        self.workers: list = []
        #: The scheduler's port, kept for a restart.
        self.port = "0"

    def start_scheduler(self) -> None:
        said = self.directory / "scheduler.json"
        said.unlink(missing_ok=True)
        options = ["--scheduler-file", str(said), "--port", self.port, "--host", self._host, "--no-dashboard"]
        self.scheduler = self._start("scheduler", self._prefix, {}, "distributed.cli.dask_scheduler", *options)
        limit = time.monotonic() + LIMIT
        while not said.exists() or not said.read_text().strip().endswith("}"):
            assert time.monotonic() < limit and self.scheduler.poll() is None, self.log("scheduler")
            time.sleep(0.05)
        self.address = json.loads(said.read_text())["address"]
        self.port = self.address.rsplit(":", 1)[1]

    def start_worker(self, name: str, prefix: tuple = (), **environment: str):
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name, "--local-directory", str(self.directory / name)]
        self.workers.append(self._start(name, prefix, environment, "distributed.cli.dask_worker", self.address, *options))
        return self.workers[-1]

    def _start(self, name: str, prefix: tuple, more: dict, module: str, *arguments: str):
        directory = self.directory / name
        directory.mkdir(exist_ok=True)
        path = os.pathsep.join([os.path.dirname(parallel_frames.__file__), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(directory), **more}
        with open(self.directory / f"{name}.log", "a") as log:
            words = [*prefix, sys.executable, "-m", module, *arguments]
            process = subprocess.Popen(words, cwd=directory, env=environment, stdout=log, stderr=log)
        self._stack.callback(self._end, process)
        return process

    def _end(self, process) -> None:
        process.kill()
        process.wait(LIMIT)

    def log(self, name: str) -> str:
        return (self.directory / f"{name}.log").read_text()[-2000:]

    def __enter__(self) -> "Cluster":
        self.start_scheduler()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()


def test_two_workers_of_which_one_is_killed(tmp_path, video):  # noqa: F811
    with Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        cluster.start_worker("second")
        with distributed.Client(cluster.address, timeout=LIMIT) as client:
            client.wait_for_workers(2, timeout=LIMIT)
            shown: list = []
            # On a busy machine, one worker may take much longer than the other; its chunk must not be duplicated.
            options = {**SETTINGS, "executor": client.get_executor(), "patience": 1000}
            summary = nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", progress=shown.append, **options)
            assert (summary.workers, summary.chunks, summary.retried) == (2, 4, 0)
            assert (tmp_path / "video.mp4").read_bytes() == video
            assert [each.chunks for each in shown if each.stage == "second pass"] == [0, 1, 2, 3, 4]
            # The worker is killed in the middle of a chunk; Dask moves its tasks to the other worker.
            source = replace(SOURCE, function=parallel_frames.Trouble(tmp_path / "killed", 60, "kill"))
            nalu.parallel.encode(source, tmp_path / "again.mp4", executor=client.get_executor(), **SETTINGS)
            assert (tmp_path / "again.mp4").read_bytes() == video
            assert [process.poll() for process in cluster.workers].count(-signal.SIGKILL) == 1


def test_the_command_with_a_scheduler(tmp_path):
    source = tmp_path / "in.mp4"
    frames = [parallel_frames.frame(index) for index in range(50)]
    nalu.write_video(source, frames, fps=25, format="gray")
    options = ["--bit-rate", "100k", "--chunks", "2", "--cut", "equal", "-p", "x264.params=mbtree=0"]
    with Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        run = command(source, "-o", tmp_path / "dask.mp4", "--dask", cluster.address, *options)
        assert run.returncode == 0, run.stderr
        address = cluster.address
    assert command(source, "-o", tmp_path / "here.mp4", "--workers", "1", *options).returncode == 0
    assert (tmp_path / "dask.mp4").read_bytes() == (tmp_path / "here.mp4").read_bytes()
    gone = command(source, "-o", tmp_path / "gone.mp4", "--dask", address, *options)
    assert gone.returncode == 1 and "does not answer" in gone.stderr, gone.stderr
    assert gone.stderr.count("\n") <= 1, gone.stderr
