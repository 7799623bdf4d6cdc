"""Encodes one video in chunks, by many processes or machines, with the size and quality of a single two-pass encode::

    summary = nalu.parallel.encode("video.mp4", "small.mp4", bit_rate=2_000_000)             # a process for each processor
    summary = nalu.parallel.encode("video.mp4", "small.mp4", bit_rate=2_000_000, executor=client.get_executor())   # Dask

``executor`` is any ``concurrent.futures.Executor``, for example Dask's, Ray's or MPI's; see docs/parallel.md. The steps are
functions without state, whose arguments and results can be pickled. Each may be called again, anywhere, and returns the same
bytes::

    chunks = nalu.parallel.plan("video.mp4", bit_rate=2_000_000)
    firsts = list(executor.map(nalu.parallel.first_pass, chunks))
    for _ in range(2):  # only for chunks whose first pass is inaccurate
        again = {index: qp for index, qp in enumerate(nalu.parallel.first_pass_qps(firsts, 2_000_000)) if qp is not None}
        jobs = {index: executor.submit(nalu.parallel.first_pass, chunks[index], qp=qp) for index, qp in again.items()}
        firsts = [jobs[index].result() if index in jobs else first for index, first in enumerate(firsts)]
    rates = nalu.parallel.budgets(firsts, 2_000_000)
    encoded = executor.map(nalu.parallel.second_pass, chunks, firsts, rates)
    nalu.parallel.join(encoded, "small.mp4", audio="video.mp4")

Processes are spawned, not forked, so they import the program again: a script needs ``if __name__ == "__main__":``. The command
``python -m nalu.parallel`` does the same as :func:`encode`.
"""

from __future__ import annotations

from ._encode import Progress, Summary, encode
from ._join import chunks_at_seams_over_limits, join
from ._plan import Chunk, plan
from ._settings import Settings
from ._sources import File, Frames
from ._stages import EncodedChunk, FirstPass, budgets, first_pass, first_pass_qps, second_pass
from ._workers import ParallelError

__all__ = [
    "EncodedChunk",
    "File",
    "FirstPass",
    "Frames",
    "ParallelError",
    "Chunk",
    "Progress",
    "Settings",
    "Summary",
    "budgets",
    "chunks_at_seams_over_limits",
    "encode",
    "first_pass",
    "first_pass_qps",
    "join",
    "plan",
    "second_pass",
]
