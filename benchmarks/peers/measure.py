"""Runs sides alternately and collects their costs."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable


@dataclasses.dataclass
class Cost:
    """The cost of a run: wall-clock seconds, processor seconds, bytes of memory, milliseconds of latency."""

    seconds: float
    cpu: float
    memory: int
    p50: float | None = None
    p99: float | None = None


def loop(arguments: list[str], environment: dict[str, str] | None = None) -> Cost:
    """Runs a side that measures itself. Its frames are in memory before the measurement starts."""
    try:
        done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    except OSError as error:
        raise SideFailed(arguments, error.strerror) from None
    if done.returncode:
        raise SideFailed(arguments, ended(done.returncode, done.stderr))
    said = json.loads(done.stdout)
    said.pop("bytes")
    return Cost(**said)


def command(arguments: list[str]) -> Cost:
    """Runs a command and measures it from start to exit with the operating system's counters."""
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        start = time.perf_counter()
        try:
            child = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        except OSError as error:
            raise SideFailed(arguments, error.strerror) from None
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            raise SideFailed(arguments, ended(child.returncode, errors.read()))
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


class SideFailed(Exception):
    """A program is missing or fails."""

    def __init__(self, arguments: list[str], reason: str):
        super().__init__(f"{pathlib.Path(arguments[0]).name}: {reason}")


def ended(status: int, errors: str) -> str:
    """Returns the status of the program, and the line of its output that states the reason."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if "rror" in line or "no element" in line]
    return f"status {status}" + (f", {(telling or lines)[-1][:200]}" if lines else "")


def in_turn(sides: dict[str, Callable[[], Cost]], rounds: int, title: str) -> dict[str, list[Cost]]:
    """Returns `rounds` costs of each side. Every round runs all sides, starting with a different one. A first round
    warms the machine up and does not count. A side that fails is left out, and a line reports this."""
    costs: dict[str, list[Cost]] = {name: [] for name in sides}
    for turn in range(-1, rounds):
        names = list(costs)
        if not names:
            break
        first = turn % len(names)
        for position, name in enumerate(names[first:] + names[:first]):
            show(f"{title}: round {turn + 1} of {rounds}, {position + 1} of {len(names)}: {name}")
            try:
                cost = sides[name]()
            except SideFailed as error:
                show("")
                print(f"\nLeft out of \"{title}\": {name} ({error}).", flush=True)
                del costs[name]
                continue
            if turn >= 0:
                costs[name].append(cost)
    show("")
    return costs


def ratios(ours: list[Cost], theirs: list[Cost], field: str = "seconds") -> list[float]:
    """Returns how many times as fast our side was, for each round."""
    return [getattr(other, field) / getattr(own, field) for own, other in zip(ours, theirs)]


def median(values: list[float]) -> float:
    return statistics.median(values)


def show(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
