"""Streams in which properties change while encoding: every live property, alone and with others."""
import itertools
import random

from cases import properties, small
from case import steady

# The property, its initial value, and its later values.
CHANGES = [
    ("AverageBitRate", 300000, (1500000, 100000, 2000000)),
    ("DataRateLimits", "40000 1", ("20000 1", "50000 1 8000 0.1", "60000 1")),
    ("DataRateLimits", "", ("30000 1",)),
    ("Quality", 0.5, (0.3, 0.9)),
    ("MaxKeyFrameInterval", 0, (3, 5)),
    ("MaxKeyFrameIntervalDuration", 0, (0.1, 0.3)),
    ("MaxH264SliceBytes", 1000, (500, 2000)),
    ("NaluAllowScaling", 1, (0, 1)),
    ("MaxAllowedFrameQP", 45, (30, 25)),
    ("MinAllowedFrameQP", 5, (10, 15)),
]
MODES = {"B": {}, "no B": {"AllowFrameReordering": 0}, "real time": {"RealTime": 1}}


def one_at_a_time(clips):
    for (key, start, values), (mode, settings) in itertools.product(CHANGES, MODES.items()):
        begin = {key: start, **settings}
        # Limits of rate and slice size apply to rate-controlled streams.
        if key in ("DataRateLimits", "MaxH264SliceBytes"):
            begin["AverageBitRate"] = 300000
        script, limits, keys = steady(24), [(0, start)], {0}
        for number, value in reversed(list(enumerate(values, 1))):
            script.insert(6 * number, f"set {key} {value}")
        limits += [(6 * number, value) for number, value in enumerate(values, 1)]
        expected = {"luma": 25, "chroma": 25, "worst": 20}
        if key == "MaxH264SliceBytes":
            expected["slice_bytes"] = limits
        if key == "MaxKeyFrameInterval":
            # An interval of 3 from frame 6 on, which is six after the last key frame; 5 from frame 12 on.
            keys = {0, 6, 9, 14, 19}
        if key in ("MaxAllowedFrameQP", "MinAllowedFrameQP"):
            keys = {0, 6, 12}
        if key == "MaxKeyFrameIntervalDuration":
            keys = {0, 6, 9, 18}
        yield small(clips, f"live: {key} {start or 'unset'} to {values}, {mode}", begin, script, keys=keys, **expected)


def frame_structure(clips):
    for mode, settings in MODES.items():
        script = steady(18)
        script.insert(12, "set AllowTemporalCompression 1")
        script.insert(6, "set AllowTemporalCompression 0")
        yield small(clips, f"live: AllowTemporalCompression off and on, {mode}", settings, script,
                    keys={0, *range(6, 12)})
    script = steady(18)
    script.insert(12, "set ExpectedFrameRate 60")
    script.insert(6, "set ExpectedFrameRate 15")
    yield small(clips, "live: ExpectedFrameRate, real time", {"RealTime": 1, "ExpectedFrameRate": 30}, script, keys={0},
                frame_rate=30)
    script = steady(12)
    script.insert(6, "unset MaxKeyFrameInterval")
    yield small(clips, "live: MaxKeyFrameInterval unset", {"MaxKeyFrameInterval": 2}, script, keys={0, 2, 4})


def at_random(clips):
    """Something changes before every frame, and the session is occasionally completed."""
    choices = {
        "AverageBitRate": (100000, 300000, 1000000, 3000000), "DataRateLimits": ("", "30000 1", "100000 1 20000 0.2"),
        "MaxKeyFrameInterval": (0, 1, 4, 9), "MaxKeyFrameIntervalDuration": (0, 0.1, 0.5),
        "AllowTemporalCompression": (1, 1, 1, 0), "MaxH264SliceBytes": (500, 900, 3000), "NaluAllowScaling": (0, 1),
    }
    for seed, (mode, settings) in itertools.product(range(4), MODES.items()):
        randomness = random.Random(seed)
        script = []
        for frame in steady(40):
            key = randomness.choice(list(choices))
            script += properties(**{key: randomness.choice(choices[key])})
            if randomness.random() < 0.08:
                script.append("complete")
            script.append(frame)
        begin = {"AverageBitRate": 500000, "MaxH264SliceBytes": 1000, **settings}
        yield small(clips, f"live: at random, seed {seed}, {mode}", begin, script, luma=20, chroma=18, worst=10)


def all_cases(clips):
    for part in (one_at_a_time, frame_structure, at_random):
        yield from part(clips)
