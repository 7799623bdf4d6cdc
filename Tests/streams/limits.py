"""Checks DataRateLimits as include/nalu/properties.h promises them. No window of decode time exceeds a limit, counted
over frames encoded under the same limits, and frames are dropped only then."""
from case import Frame
from tools import require

SLACK = 1e-6


def of_frames(case):
    """Returns the limits that held for each frame, as a tuple of (bytes, seconds)."""
    limits, found = (), []
    for step in case.script:
        if isinstance(step, Frame):
            found.append(limits)
        elif isinstance(step, str):
            word, _, rest = step.partition(" ")
            key, _, value = rest.partition(" ")
            if word in ("set", "unset") and key == "DataRateLimits":
                numbers = [float(number) for number in value.split()]
                limits = tuple(zip(numbers[::2], numbers[1::2]))
    return found


def check(case, samples, dropped):
    limits = of_frames(case)
    require(not dropped or any(limits[:min(dropped) + 1]), f"frames {dropped} were dropped without DataRateLimits")
    since = [0] * len(limits)
    for frame in range(1, len(limits)):
        since[frame] = since[frame - 1] if limits[frame] == limits[frame - 1] else frame
    for run in set(since):
        those = [sample for sample in samples if since[sample.frame] == run]
        for most, seconds in limits[run]:
            for index, first in enumerate(those):
                end = float(first.dts) + seconds - SLACK
                inside = sum(len(sample.data) for sample in those[index:] if sample.dts < end)
                require(inside <= most, f"frame {first.frame}: {inside} bytes in {seconds} s, limit {most:.0f}")
