"""Encodes a video with executors of many kinds: the bytes are the same, also if chunks fail, and failures become error
messages.

scripts/check_parallel executors runs it, and installs what it needs."""
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).absolute().parents[2] / "bindings" / "python" / "tests"))
import parallel_frames
from test_parallel import video  # noqa: F401

#: Seconds for two videos and a failure, and for the start of a cluster.
LIMIT = 180
PROGRAM = Path(__file__).absolute().with_name("encode_by.py")
ALONE = ["threads", "fork", "forkserver", "spawn", "loky", "ray", "ipyparallel", "parsl"]


def run(words, directory, **more):
    path = os.pathsep.join([os.path.dirname(parallel_frames.__file__), *filter(None, [os.environ.get("PYTHONPATH")])])
    # Parsl starts its own programs by name.
    programs = os.pathsep.join([str(Path(words[0]).parent), os.environ["PATH"]])
    environment = {**os.environ, "PYTHONPATH": path, "PATH": programs, **more}
    started = subprocess.Popen(
        words, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        said, _ = started.communicate(timeout=LIMIT)
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait(30)
    assert started.returncode == 0, said[-4000:]
    return said


def check(said, directory, video):
    assert (directory / "video.mp4").read_bytes() == video
    assert (directory / "again.mp4").read_bytes() == video
    assert not (directory / "none.mp4").exists()
    sentence = next(line for line in said.splitlines() if line.startswith("chunk 3 failed"))
    assert "RuntimeError: no such frame" in sentence and "resume" in sentence, said


@pytest.mark.parametrize("name", ALONE)
def test_processes_that_the_executor_starts(tmp_path, video, name):  # noqa: F811
    said = run([sys.executable, PROGRAM, name, tmp_path], tmp_path)
    print(said)
    check(said, tmp_path, video)


#: The installed MPIs and their directories. test_mpi has the settings for root and for a machine with few processors.
MPIS = {
    name: Path(directory)
    for name, directory in (each.split("=") for each in os.environ.get("NALU_TEST_MPI", "").split(os.pathsep) if each)
}


@pytest.mark.parametrize("name", ["mpi_pool", "mpi_comm", "mpi_spawn"])
@pytest.mark.parametrize("kind", sorted(MPIS))
def test_mpi(tmp_path, video, kind, name):  # noqa: F811
    here = MPIS[kind]
    python = here / "bin" / "python"
    mpiexec = shutil.which("mpiexec", path=str(here / "bin"))
    words = {
        "mpi_pool": [mpiexec, "-n", "3", python, "-m", "mpi4py.futures", PROGRAM],
        "mpi_comm": [mpiexec, "-n", "3", python, PROGRAM],
        "mpi_spawn": [mpiexec, "-n", "1", python, PROGRAM],
    }[name]
    settings = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    said = run([*words, name, tmp_path], tmp_path, **settings)
    print(said)
    check(said, tmp_path, video)
