"""Measures the cost of a video with many workers: constants, a model for a long video, and the speed-up of processes on
this machine.

usage: scripts/benchmark parallel [--video FILE] [--quick]

The video is made from a clip with 1080p, unless a file is named. The constants are processor times, which do not depend
on other programs. The speed-up is wall-clock time, which does."""

from __future__ import annotations

import argparse
import concurrent.futures
import hashlib
import math
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import nalu
from nalu import parallel

RATE = 4_000_000
#: Seconds of the long video and of its chunks, and bytes per second of the link to the machine that joins them.
LONG, CHUNK, LINK = 7200, 60, 125e6


def nothing(data: bytes) -> bytes:
    return data


def measured(call, *arguments, **options):
    """Returns the result of a call and its processor time."""
    began = time.process_time()
    result = call(*arguments, **options)
    return result, time.process_time() - began


def constants(video: str, directory: str) -> dict[str, float]:
    """Returns constants per second of video, without the overhead of a task."""
    chunks, planning = measured(parallel.plan, video, bit_rate=RATE, chunks=2)
    seconds = chunks[0].seconds
    first, one = measured(parallel.first_pass, chunks[0])
    (rate,), dividing = measured(parallel.budgets, [first], RATE)
    second, two = measured(parallel.second_pass, chunks[0], first, rate, passes=2)
    _, joining = measured(parallel.join, [second], os.path.join(directory, "joined.mp4"))
    count, decoding = measured(lambda: sum(1 for _ in nalu.read_video(video, format=None, threads=1)))
    return {
        "first pass, s": one / seconds,
        "second pass, s": two / seconds,
        "of each pass, decoding, s": decoding * first.frames / count / seconds,
        "what the first pass learned, kB": len(first.data) / seconds / 1000,
        "samples, kB": len(second.data) / seconds / 1000,
        "dividing the bits, ms": dividing / seconds * 1000,
        "joining, ms": joining / seconds * 1000,
        "planning two chunks, ms": planning * 1000,
        "a task, ms": overhead() * 1000,
    }


def overhead() -> float:
    """Returns the wall-clock seconds from a task to its result, with a megabyte in each direction."""
    workers = parallel._workers.Workers(None, 1)
    try:
        submit = workers.submit
        submit(nothing, b"").result()
        began = time.perf_counter()
        for _ in range(20):
            submit(nothing, bytes(1_000_000)).result()
        return (time.perf_counter() - began) / 20
    finally:
        workers.close()


def model(found: dict[str, float], workers: int, chunk: float) -> tuple[float, float]:
    """Returns the hours for the long video, and the gigabytes over the link of the machine that joins the chunks."""
    count = math.ceil(LONG / chunk)
    rounds = math.ceil(count / workers)
    learned, samples = found["what the first pass learned, kB"] * 1000, found["samples, kB"] * 1000
    task = found["a task, ms"] / 1000

    def stage(work: float, moved: float) -> float:
        # Either the workers or the link are the bottleneck.
        return max(rounds * (work * chunk + task), LONG * moved / LINK, count * task)

    serial = LONG * (found["dividing the bits, ms"] + found["joining, ms"]) / 1000
    total = stage(found["first pass, s"], learned) + stage(found["second pass, s"], learned + samples) + serial
    return total / 3600, LONG * (2 * learned + samples) / 1e9


def speed_up(video: str, directory: str, counts: list[int]) -> None:
    """Prints the speed-up. A process decodes and encodes concurrently, so a single process also gains from a second
    processor. The first row therefore uses one processor."""
    print("\n| processes | processors | seconds | speed-up | processor time, s |\n|---|---|---|---|---|")
    alone, known = 0.0, ""
    every = os.sched_getaffinity(0)
    for count, processors in [(1, {min(every)}), *((count, every) for count in counts)]:
        target = os.path.join(directory, f"video{count}-{len(processors)}.mp4")
        os.sched_setaffinity(0, processors)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        summary = parallel.encode(
            video, target, bit_rate=RATE, workers=count, chunks=4, cut="equal", passes=2, preset="veryfast")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.sched_setaffinity(0, every)
        work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        digest = hashlib.sha256(Path(target).read_bytes()).hexdigest()
        assert known in ("", digest), "the video is not the same bytes"
        known, alone = digest, alone or summary.seconds
        speed = alone / summary.seconds
        print(f"| {count} | {len(processors)} | {summary.seconds:.1f} | {speed:.2f} | {work:.1f} |", flush=True)
    print("\nThe videos are the same bytes.")


def made(directory: str, seconds: int) -> str:
    clip = subprocess.run(["scripts/fetch_clips", "bigbuckbunny.mp4"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    path = os.path.join(directory, "video.mp4")
    make = ["ffmpeg", "-v", "error", "-stream_loop", "20", "-i", clip, "-vf", "scale=1920:1080", "-t", str(seconds), "-an"]
    subprocess.run([*make, "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-g", "50", path], check=True)
    return path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--video")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        video = asked.video or made(directory, 12 if asked.quick else 40)
        load = os.getloadavg()[0]
        print(f"nalu {nalu.__version__}, {os.cpu_count()} processors, load before {load:.1f}, {os.path.basename(video)} at {RATE / 1e6:g} Mb/s\n")
        found = constants(video, directory)
        print("| per second of video | |\n|---|---|")
        for name, value in found.items():
            print(f"| {name} | {value:.3g} |")
        print(f"\n| workers | hours, chunks of {CHUNK} s | speed-up | hours, chunks of 20 s | speed-up |\n|---|---|---|---|---|")
        for exponent in range(9):
            cells = [str(1 << exponent)]
            for chunk in (CHUNK, 20):
                hours = model(found, 1 << exponent, chunk)[0]
                cells += [f"{hours:.3g}", f"{model(found, 1, chunk)[0] / hours:.3g}"]
            print("| " + " | ".join(cells) + " |")
        print(f"\n{model(found, 1, CHUNK)[1]:.1f} GB pass the link of the machine that joins.")
        speed_up(video, directory, [1, 2] if asked.quick else [1, 2, 4])


if __name__ == "__main__":
    main()
