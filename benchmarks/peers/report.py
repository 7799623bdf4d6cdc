"""The tables, as Markdown for people and as data for programs."""
from __future__ import annotations

import dataclasses

from measure import Cost, median, ratios


@dataclasses.dataclass
class Asked:
    """A goal: `side` must be at least `least` times as fast as `peer`."""

    side: str
    peer: str
    least: float


class Report:
    def __init__(self) -> None:
        self.data: list[dict] = []

    def section(self, title: str, frames: int, costs: dict[str, list[Cost]], asked: list[Asked]) -> None:
        if not costs:
            return
        print(f"\n### {title}\n\n| side | frames per second | processor, ms a frame | memory, MB |\n|---|---|---|---|")
        rows = {}
        for name, runs in costs.items():
            rows[name] = {"frames_per_second": frames / median([run.seconds for run in runs]),
                          "cpu_ms_per_frame": median([run.cpu for run in runs]) / frames * 1000,
                          "memory_bytes": median([run.memory for run in runs])}
            row = rows[name]
            print(f"| {name} | {row['frames_per_second']:.0f} | {row['cpu_ms_per_frame']:.2f} | "
                  f"{row['memory_bytes'] / 1e6:.0f} |")
        asked = [pair for pair in asked if pair.side in costs and pair.peer in costs]
        if asked:
            print("\n| times as fast | median | min | max | asked |\n|---|---|---|---|---|")
        pairs = []
        for pair in asked:
            values = ratios(costs[pair.side], costs[pair.peer])
            wish = f"≥ {pair.least:.2f}" if pair.least else ""
            print(f"| {pair.side} : {pair.peer} | {median(values):.3f} | {min(values):.3f} | {max(values):.3f} | {wish} |",
                  flush=True)
            pairs.append({"side": pair.side, "peer": pair.peer, "median": median(values), "min": min(values),
                          "max": max(values), "asked": pair.least or None})
        self.data.append({"title": title, "sides": rows, "ratios": pairs})

    def latency(self, title: str, costs: dict[str, list[Cost]]) -> None:
        if not costs:
            return
        print(f"\n### {title}\n\n| side | p50, ms | p99, ms |\n|---|---|---|")
        rows = {name: {"p50_ms": median([run.p50 for run in runs]) * 1000,
                       "p99_ms": median([run.p99 for run in runs]) * 1000} for name, runs in costs.items()}
        for name, row in rows.items():
            print(f"| {name} | {row['p50_ms']:.2f} | {row['p99_ms']:.2f} |", flush=True)
        self.data.append({"title": title, "sides": rows})

    def start_up(self, title: str, costs: dict[str, list[Cost]]) -> None:
        if not costs:
            return
        print(f"\n### {title}\n\n| side | ms |\n|---|---|")
        rows = {name: {"ms": median([run.seconds for run in runs]) * 1000} for name, runs in costs.items()}
        for name, row in rows.items():
            print(f"| {name} | {row['ms']:.1f} |", flush=True)
        self.data.append({"title": title, "sides": rows})
