"""The results of a run of live_webrtc.py: gaps, delays, bytes on the wire, and what happened in the longest gap."""

from __future__ import annotations

import bisect
from typing import Any

SECONDS, STEPS = 30, (10, 20)
#: Milliseconds: gaps between pictures in the two seconds after a step, other gaps, and the median delay.
STEP_GAP, GAP, DELAY = 400, 250, 80
WIRE = 1.15


def percentile(values: "list[float]", share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def figures(result: "dict[str, Any]") -> "dict[str, Any]":
    start = result["start"]
    captured = {int(number): time for number, time in result["captured"].items()}
    shown = [(time - start, number) for time, number in result["shown"] if number in captured]
    times = [time for time, _ in shown] + [max(SECONDS, shown[-1][0] if shown else SECONDS)]
    at_steps, elsewhere = [0.0], [0.0]
    worst = (0.0, 0.0)
    for before, after in zip(times, times[1:]):
        near = any(before < step + 2 and after > step for step in STEPS)
        (at_steps if near else elsewhere).append((after - before) * 1e3)
        worst = max(worst, (after - before, before))
    delays = [(time + start - captured[number]) * 1e3 for time, number in shown]
    counts = result.get("counts", {})
    highest, mean = wire_ratios(result["wire"], result["limits"]) if result["limits"] else (float("nan"), float("nan"))
    return {
        "pictures": len(shown), "step gap": max(at_steps), "gap": max(elsewhere), "worst at": worst[1],
        "p50": percentile(delays, 0.5), "p95": percentile(delays, 0.95), "delays": delays,
        "key frames": counts.get("keyFramesDecoded", 0), "sent key frames": result["statistics"].get("key_frames", counts.get("keyFramesDecoded", 0)),
        "pli": counts.get("pliCount", 0), "wire of highest": highest, "wire of mean": mean,
        "rate": sum(size for at, size in result["wire"] if 0 <= at - start < SECONDS) * 8 / SECONDS / 1e3,
        "refreshes": result["statistics"].get("refreshes", 0), "stalled": max((length for _, length in result["stalls"]), default=0.0),
    }  # fmt: skip


def explain(result: "dict[str, Any]", most: int = 4) -> "list[str]":
    """Returns what each stage did in the longest gaps between pictures: the longest time without a captured picture, an encoded
    frame, a packet on the wire, a report of the receiver; how long the sender's event loop stood still; what the browser counted."""
    start = result["start"]
    captured = {int(number): time for number, time in result["captured"].items()}
    shown = [(time, number) for time, number in result["shown"] if number in captured]
    gaps = sorted((after[0] - before[0], before, after) for before, after in zip(shown, shown[1:]))[-most:]
    lines = []
    for length, (begin, first), (end, last) in reversed(gaps):
        # A frame is captured before it is shown.
        since = captured[first]

        def longest(times: "list[float]", since: float = since, end: float = end) -> str:
            inside = [since, *(time for time in times if since < time < end), end]
            return f"{max(after - before for before, after in zip(inside, inside[1:])) * 1e3:.0f}"

        stall = max((length for time, length in result["stalls"] if since < time < end), default=0.0)
        before = [counts for time, counts in result["stats"] if time <= begin]
        after = [counts for time, counts in result["stats"] if time >= end]
        changes = {}
        if before and after:
            for name in ("nackCount", "freezeCount", "retransmittedPacketsReceived", "packetsReceived", "framesReceived", "framesDecoded",
                         "framesDropped", "totalDecodeTime", "totalAssemblyTime", "jitterBufferDelay"):
                changes[name] = round(after[0].get(name, 0) - before[-1].get(name, 0), 3)
        lines.append(
            f"gap of {length * 1e3:.0f} ms after {begin - start:.2f} s, pictures {first} to {last}; longest without: capture "
            f"{longest(list(captured.values()))}, encoded frame {longest(result['encoded'])}, packet {longest([at for at, _ in result['wire']])}, "
            f"report {longest(result['reports'])}; event loop stood still for {stall * 1e3:.0f} ms; browser: {changes}")
    return lines


def wire_ratios(packets: "list[tuple[float, int]]", limits: "list[tuple[float, float]]") -> "tuple[float, float]":
    """Returns the most bytes of a second, as shares of the highest and of the mean DataRateLimits in force during the second."""
    times = [time for time, _ in limits]
    sums = [0.0]
    for (time, limit), (after, _) in zip(limits, limits[1:]):
        sums.append(sums[-1] + limit * (after - time))

    def total(at: float) -> float:
        place = max(0, bisect.bisect_right(times, at) - 1)
        return sums[place] + limits[place][1] * (at - times[place])

    highest = mean = 0.0
    bytes, first = 0, 0
    for at, size in packets:
        bytes += size
        while packets[first][0] <= at - 1:
            bytes -= packets[first][1]
            first += 1
        if at < times[0]:
            continue
        place = max(0, bisect.bisect_right(times, at - 1) - 1)
        highest = max(highest, bytes / max(limit for _, limit in limits[place : bisect.bisect_right(times, at)]))
        mean = max(mean, bytes / (total(at) - total(at - 1)))
    return highest, mean


def kept(found: "dict[str, Any]") -> bool:
    return (
        found["sent key frames"] == 1 and found["key frames"] == 1 and found["step gap"] <= STEP_GAP and found["gap"] <= GAP
        and found["p50"] <= DELAY and found["wire of mean"] <= WIRE
    )  # fmt: skip


def draw_histogram(path: str, series: "dict[str, list[float]]") -> None:
    """Writes a picture: the share of pictures by delay, one diagram for each series, with a last column for longer delays."""
    from PIL import Image, ImageDraw

    width, height, step, columns = 640, 150, 10, 41
    image = Image.new("P", (width, height * len(series)), 0)
    image.putpalette([255, 255, 255, 40, 40, 40, 70, 120, 180])
    draw = ImageDraw.Draw(image)
    for place, (name, delays) in enumerate(series.items()):
        base = place * height + height - 28
        counts = [0] * columns
        for delay in delays:
            counts[min(columns - 1, int(delay / step))] += 1
        most = max(counts)
        draw.text((8, place * height + 4), f"{name}: median {percentile(delays, 0.5):.0f} ms, p95 {percentile(delays, 0.95):.0f} ms, {len(delays)} pictures; delays in ms", fill=1)
        for column, count in enumerate(counts):
            x = 10 + column * 15
            draw.rectangle((x, base - (height - 55) * count / most, x + 12, base), fill=2)
            if column % 5 == 0:
                draw.text((x, base + 4), f"{column * step}" if column < columns - 1 else f"{column * step}+", fill=1)
        draw.line((10, base, width - 10, base), fill=1)
    image.save(path, optimize=True)
