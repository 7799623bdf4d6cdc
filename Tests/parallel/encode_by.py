"""Encodes the tests' video with a named executor: encode_by.py NAME DIRECTORY, started directly or by mpiexec.

Writes two videos to the directory: video.mp4, and again.mp4, one of whose chunks fails once. Prints a summary."""
import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import re
import sys

GUIDE = pathlib.Path(__file__).absolute().parents[2] / "docs" / "parallel.md"


def of_the_guide(name):
    """Returns a class from docs/parallel.md."""
    blocks = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    names = {}
    exec(next(block for block in blocks if f"class {name}(" in block), names)
    return names[name]


@contextlib.contextmanager
def ray():
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        yield of_the_guide("RayExecutor")()
    finally:
        ray.shutdown()


@contextlib.contextmanager
def loky():
    from loky import get_reusable_executor

    with get_reusable_executor(max_workers=2) as executor:
        yield executor


@contextlib.contextmanager
def ipyparallel():
    import ipyparallel

    with ipyparallel.Cluster(n=2, log_level=30) as client:
        client.wait_for_engines(2, timeout=60)
        yield client.load_balanced_view().executor


@contextlib.contextmanager
def parsl():
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    provider = LocalProvider(init_blocks=1, max_blocks=1)
    local = HighThroughputExecutor(max_workers_per_node=2, address="127.0.0.1", provider=provider, encrypted=False)
    with ParslPoolExecutor(Config(executors=[local], strategy="none")) as executor:
        yield executor


@contextlib.contextmanager
def mpi_pool():
    from mpi4py.futures import MPIPoolExecutor

    # Under `mpiexec python -m mpi4py.futures`, all processes except the first are workers.
    with MPIPoolExecutor() as executor:
        yield executor


@contextlib.contextmanager
def mpi_spawn():
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor(max_workers=2) as executor:
        yield executor


@contextlib.contextmanager
def mpi_comm():
    from mpi4py import MPI
    from mpi4py.futures import MPICommExecutor

    # The executor is None in all processes except the first.
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        yield executor


@contextlib.contextmanager
def threads():
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        yield executor


def processes(method):
    return concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method))


EXECUTORS = {
    "threads": threads,
    "fork": lambda: processes("fork"),
    "forkserver": lambda: processes("forkserver"),
    "spawn": lambda: processes("spawn"),
    "loky": loky,
    "ray": ray,
    "ipyparallel": ipyparallel,
    "parsl": parsl,
    "mpi_pool": mpi_pool,
    "mpi_comm": mpi_comm,
    "mpi_spawn": mpi_spawn,
}


def main(name, directory):
    from test_parallel import SETTINGS, SOURCE, troubled

    import nalu

    with EXECUTORS[name]() as executor:
        if executor is None:
            return
        directory = pathlib.Path(directory)
        # Parsl's executor does not state its number of workers.
        options = {**SETTINGS, "executor": executor, "patience": 1000, "workers": 2 if name == "parsl" else None}
        print(nalu.parallel.encode(SOURCE, directory / "video.mp4", **options), flush=True)
        source = troubled(directory / "failed", 60, "raise")
        summary = nalu.parallel.encode(source, directory / "again.mp4", **options)
        print(summary, flush=True)
        assert summary.retried == 1, summary
        try:
            source = troubled(directory / "never", 80, "always")
            nalu.parallel.encode(source, directory / "none.mp4", work=directory / "work", **{**options, "retries": 0})
        except nalu.parallel.ParallelError as error:
            print(error, flush=True)
        else:
            raise AssertionError("a chunk that cannot be encoded was")


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    main(*sys.argv[1:3])
