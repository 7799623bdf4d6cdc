"""Encodes a video with a Dask cluster under all kinds of failures. The bytes of the video are the same each time.

scripts/check_parallel runs it, as root: full disks are small file systems in memory, and hosts are network
namespaces."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "bindings" / "python" / "tests"))
import distributed
import parallel_frames
from test_parallel import SETTINGS, SOURCE, video  # noqa: F401
from test_parallel_dask import LIMIT, Cluster

import nalu
from nalu.parallel import ParallelError

#: Seconds per frame, so that a chunk lasts long enough for an event in its middle.
PACE = 0.02


def paced(directory, name="pace"):
    """Returns a source whose frames take PACE seconds in every process. No process is slower, because the file names
    none."""
    (directory / name).write_text("0")
    return replace(SOURCE, function=parallel_frames.Slow(directory / name, PACE))


def encode(source, target, client, **options):
    return nalu.parallel.encode(source, target, executor=client.get_executor(), **{**SETTINGS, **options})


@contextlib.contextmanager
def joined(cluster, count, timeout=LIMIT):
    with distributed.Client(cluster.address, timeout=timeout) as client:
        client.wait_for_workers(count, timeout=LIMIT)
        yield client


@contextlib.contextmanager
def small_disk(directory, size):
    directory.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "nalu-test", directory], check=True)
    try:
        yield directory
    finally:
        subprocess.run(["umount", "--lazy", directory], check=True)


class During:
    """Calls a function once when `chunks` chunks of a stage are finished."""

    def __init__(self, stage, chunks, call):
        self.stage, self.chunks, self.call, self.shown = stage, chunks, call, []

    def __call__(self, progress):
        self.shown.append(progress)
        if progress.stage == self.stage and progress.chunks == self.chunks and self.call:
            call, self.call = self.call, None
            call()


def test_a_worker_that_is_killed_in_the_middle_of_a_chunk(tmp_path, video):
    with Cluster(tmp_path) as cluster:
        for name in ("first", "second"):
            cluster.start_worker(name)
        with joined(cluster, 2) as client:
            def kill():
                threading.Timer(5 * PACE, cluster.workers[0].kill).start()

            encode(paced(tmp_path), tmp_path / "video.mp4", client, progress=During("second pass", 1, kill))
        assert cluster.workers[0].poll() == -signal.SIGKILL
        assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_worker_that_comes_late(tmp_path, video):
    with Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        with joined(cluster, 1) as client:
            def start():
                cluster.start_worker("late")
                client.wait_for_workers(2, timeout=LIMIT)

            summary = encode(paced(tmp_path), tmp_path / "video.mp4", client, progress=During("first pass", 1, start))
        assert summary.workers == 2
        assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_worker_that_is_ten_times_slower(tmp_path, video):
    with Cluster(tmp_path) as cluster:
        for name in ("first", "second"):
            cluster.start_worker(name)
        with joined(cluster, 2) as client:
            slow = replace(SOURCE, function=parallel_frames.Slow(tmp_path / "slow", 3 * PACE))
            began = time.monotonic()
            summary = encode(slow, tmp_path / "video.mp4", client)
            seconds = time.monotonic() - began
        assert summary.duplicated >= 1
        # The slow worker alone would need this time for its chunks.
        assert seconds < 4 * 25 * 10 * 3 * PACE
        assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_worker_whose_disk_is_full(tmp_path):
    whole = {"chunk_duration": 4}
    with small_disk(tmp_path / "disk", "16k") as disk, Cluster(tmp_path) as cluster:
        # The free space holds only the beginning of the statistics of a pass over all frames.
        (disk / "filler").write_bytes(bytes(4096))
        cluster.start_worker("full", TMPDIR=str(disk))
        with joined(cluster, 1) as client:
            with pytest.raises(ParallelError, match="chunk 0 failed 2 times") as caught:
                encode(SOURCE, tmp_path / "video.mp4", client, retries=1, **whole)
            print(caught.value)
            assert "\n" not in str(caught.value)
        cluster.workers[0].kill()
        cluster.start_worker("good")
        with joined(cluster, 1) as client:
            encode(SOURCE, tmp_path / "video.mp4", client, **whole)
            encode(SOURCE, tmp_path / "again.mp4", client, **whole)
        assert (tmp_path / "video.mp4").read_bytes() == (tmp_path / "again.mp4").read_bytes()


def test_a_worker_whose_disk_is_full_among_others(tmp_path):
    """The worker fails fast and is always free, but it gets each chunk only once."""
    halves = {"chunk_duration": 2}
    # If not even a few bytes can be written, Python uses another directory. A chunk needs more than the free space.
    with small_disk(tmp_path / "disk", "8k") as disk, Cluster(tmp_path) as cluster:
        (disk / "filler").write_bytes(bytes(4096))
        cluster.start_worker("full", TMPDIR=str(disk))
        cluster.start_worker("good")
        with joined(cluster, 2) as client:
            summary = encode(paced(tmp_path), tmp_path / "video.mp4", client, retries=1, **halves)
        print(summary)
        assert summary.workers == 1 and 1 <= summary.retried <= 4
        cluster.workers[0].kill()
        with joined(cluster, 1) as client:
            encode(SOURCE, tmp_path / "again.mp4", client, **halves)
        assert (tmp_path / "video.mp4").read_bytes() == (tmp_path / "again.mp4").read_bytes()


def test_a_directory_of_chunks_that_is_full(tmp_path, video):
    with small_disk(tmp_path / "disk", "64k") as disk, Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        with joined(cluster, 1) as client:
            work = disk / "work"
            with pytest.raises(ParallelError, match="No space left on device") as caught:
                encode(SOURCE, tmp_path / "video.mp4", client, work=work)
            assert re.search(r"finished chunks are in .*resume", str(caught.value)) and "\n" not in str(caught.value)
            kept = [name for name in os.listdir(work) if name.endswith(".first")]
            assert kept and not [name for name in os.listdir(work) if name.endswith(".unfinished")]
            subprocess.run(["mount", "-o", "remount,size=64M", disk], check=True)
            summary = encode(SOURCE, tmp_path / "video.mp4", client, work=work, resume=True)
            assert summary.resumed >= len(kept)
        assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_target_whose_disk_is_full(tmp_path, video):
    with small_disk(tmp_path / "disk", "32k") as disk, Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        with joined(cluster, 1) as client:
            target, work = disk / "video.mp4", tmp_path / "work"
            with pytest.raises(ParallelError, match="No space left on device"):
                encode(SOURCE, target, client, work=work)
            assert os.listdir(disk) == []
            subprocess.run(["mount", "-o", "remount,size=64M", disk], check=True)
            summary = encode(SOURCE, target, client, work=work, resume=True)
            assert summary.resumed == 8 and summary.workers == 0
            assert target.read_bytes() == video


def test_a_scheduler_that_restarts(tmp_path, video):
    with Cluster(tmp_path) as cluster:
        cluster.start_worker("first")
        began = None
        with contextlib.suppress(Exception), joined(cluster, 1, 10) as client:
            def kill():
                nonlocal began
                cluster.scheduler.kill()
                began = time.monotonic()

            with pytest.raises(ParallelError, match="finished chunks are in") as caught:
                encode(paced(tmp_path), tmp_path / "video.mp4", client, progress=During("second pass", 1, kill))
        assert "\n" not in str(caught.value), caught.value
        assert time.monotonic() - began < 60
        kept = len([name for name in os.listdir(caught.value.work) if name != "plan.json"])
        assert kept >= 5
        cluster.workers[0].kill()
        cluster.start_scheduler()
        cluster.start_worker("second")
        with joined(cluster, 1) as client:
            summary = encode(paced(tmp_path), tmp_path / "video.mp4", client, resume=True)
        assert summary.resumed == kept
        assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_run_that_is_killed(tmp_path):
    """The process that called encode is killed in the middle of a stage. Before that, a second run reports that the
    directory is in use."""
    source = tmp_path / "in.mp4"
    nalu.write_video(source, [parallel_frames.frame(index) for index in range(100)], fps=25, format="gray")
    words = [sys.executable, "-m", "nalu.parallel", source, "--bit-rate", "100k", "--chunk-duration", "1", "--cut", "equal"]
    words += ["-p", "x264.params=mbtree=0", "--workers", "1"]
    target, work = tmp_path / "out.mp4", tmp_path / "out.mp4.chunks"
    subprocess.run([*words, "-o", tmp_path / "whole.mp4", "-q"], check=True, timeout=60)
    # Killed processes leave their temporary files, so these go to the test's directory.
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen([*words, "-o", target], stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
    limit = time.monotonic() + LIMIT
    while not (work / "00001.first").exists():
        assert time.monotonic() < limit and running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGSTOP)
    used = subprocess.run([*words, "-o", target, "--resume"], capture_output=True, text=True, timeout=60)
    assert used.returncode == 1 and "in use by another run" in used.stderr
    os.killpg(running.pid, signal.SIGKILL)
    running.wait(LIMIT)
    again = subprocess.run([*words, "-o", target, "--resume"], capture_output=True, text=True, timeout=60)
    assert again.returncode == 0 and "results of an earlier run" in again.stderr, again.stderr
    assert target.read_bytes() == (tmp_path / "whole.mp4").read_bytes() and not work.exists()


class Hosts:
    """Network namespaces that reach only each other: a bridge in the first, and a virtual cable from each other one to
    it."""

    def __init__(self, count):
        self.names = [f"nalu-{os.getpid()}-{index}" for index in range(count)]
        self.addresses = [f"10.213.7.{index + 1}" for index in range(count)]

    def prefix(self, index):
        return ("ip", "netns", "exec", self.names[index])

    def __enter__(self):
        hub = self.names[0]
        try:
            for name in self.names:
                _ip("netns", "add", name)
                _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", hub, "link", "add", "bridge", "type", "bridge")
            _ip("-n", hub, "addr", "add", f"{self.addresses[0]}/24", "dev", "bridge")
            _ip("-n", hub, "link", "set", "bridge", "up")
            for index, name in enumerate(self.names[1:], 1):
                _ip("-n", hub, "link", "add", f"port{index}", "type", "veth", "peer", "name", "cable", "netns", name)
                _ip("-n", hub, "link", "set", f"port{index}", "master", "bridge", "up")
                _ip("-n", name, "addr", "add", f"{self.addresses[index]}/24", "dev", "cable")
                _ip("-n", name, "link", "set", "cable", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def cut(self, index):
        _ip("-n", self.names[0], "link", "set", f"port{index}", "down")

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def _ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


#: The program on the first host: requests the video and prints a summary.
CLIENT = """
import sys
sys.path[:0] = sys.argv[3:5]
import distributed, nalu, pathlib
from test_cluster import SETTINGS, paced
directory = pathlib.Path(sys.argv[2])
with distributed.Client(sys.argv[1], timeout=40) as client:
    client.wait_for_workers(2, timeout=40)
    print(nalu.parallel.encode(paced(directory), directory / "video.mp4", executor=client.get_executor(), **SETTINGS), flush=True)
"""


@pytest.mark.parametrize("is_cut", [False, True], ids=["that stay", "of which one is cut off"])
def test_separate_hosts(tmp_path, video, is_cut):
    """A host that is cut off sends no message. The other host encodes its chunk, long before the scheduler
    drops the host."""
    with Hosts(3) as hosts, Cluster(tmp_path, hosts.addresses[0], hosts.prefix(0)) as cluster:
        for index in (1, 2):
            cluster.start_worker(f"host{index}", hosts.prefix(index))
        directories = [str(Path(__file__).parent), str(Path(parallel_frames.__file__).parent)]
        words = [*hosts.prefix(0), sys.executable, "-c", CLIENT, cluster.address, str(tmp_path), *directories]
        run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if is_cut:
            limit = time.monotonic() + LIMIT
            while not list(tmp_path.glob("video.mp4.chunks/*.second")):
                assert time.monotonic() < limit and run.poll() is None
                time.sleep(0.01)
            hosts.cut(1)
        said, _ = run.communicate(timeout=90)
        assert run.returncode == 0, said + cluster.log("host1")
        assert "4 chunks by 2 workers" in said
        assert not is_cut or "run twice" in said
        assert (tmp_path / "video.mp4").read_bytes() == video
