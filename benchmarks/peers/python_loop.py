"""Encodes numpy BGR frames with one Python library, in a separate process: benchmarks/loop.c in Python. Prints one line
of JSON.

    python_loop.py SIDE PRESET FILE FRAMES [latency]

SIDE is a name in sides.py. FILE contains raw BGR frames, which are repeated if there are fewer than FRAMES. With
latency the times from encode call to delivery are printed. With zerolatency each call delivers its own frame.
"""
from __future__ import annotations

import json
import pathlib
import resource
import sys
import time

import numpy

from settings import HEIGHT, WIDTH
from sides import SIDES


def own_memory() -> int:
    """Returns the process's private memory in bytes, without pages of the mapped file."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def processor_seconds() -> float:
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main() -> None:
    side, preset, path, frames = sys.argv[1:5]
    frames, wants_latency = int(frames), len(sys.argv) > 5
    stored = numpy.memmap(path, dtype=numpy.uint8, mode="c").reshape(-1, HEIGHT, WIDTH, 3)
    arrays = list(numpy.asarray(stored))
    checksum = sum(int(array[::16, ::16].sum()) for array in arrays)  # loads all pages before the measurement
    encode, finish = SIDES[side](preset, wants_latency)

    came_out, size, latencies = 0, 0, []
    start, start_processor = time.perf_counter(), processor_seconds()
    for number in range(frames):
        handed_in = time.perf_counter()
        count, bytes_out = encode(arrays[number % len(arrays)], number)
        came_out, size = came_out + count, size + bytes_out
        if wants_latency:
            latencies.append(time.perf_counter() - handed_in)
    memory = own_memory()
    count, bytes_out = finish()
    seconds = time.perf_counter() - start
    if came_out + count != frames or not checksum:
        sys.exit(f"python_loop: {side} gave {came_out + count} of {frames} frames")
    result = {"seconds": seconds, "cpu": processor_seconds() - start_processor, "bytes": size + bytes_out,
              "memory": memory}
    if latencies:
        latencies.sort()
        result |= {"p50": latencies[frames // 2], "p99": latencies[frames * 99 // 100]}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
