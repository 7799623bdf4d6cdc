"""The streams of the matrix, and the expectations common to all streams."""
import itertools

from case import Case, Expected, Frame, steady
from pictures import FORMATS, Source, automatic_matrix

SMALL = "carphone_pristine"
COLOURS = {6: ("smpte170m", "bt709", "smpte170m"), 1: ("bt709", "bt709", "bt709")}  # primaries, transfer, matrix
PROFILES = {
    "Baseline": ("Baseline", "Constrained Baseline"),
    "ConstrainedBaseline": ("Constrained Baseline",),
    "Main": ("Main",),
    "High": ("High",),
    "ConstrainedHigh": ("High", "Constrained High"),
}
CONSTRAINTS = {"ConstrainedBaseline": (1,), "ConstrainedHigh": (4, 5)}


def expect(format, width, height, profile="High", **more):
    """Returns the expectations for every stream: the colour of its size, the range of its first frame, the profile."""
    primaries, transfer, matrix = COLOURS[automatic_matrix((height + 1) & ~1)]
    values = {
        "profiles": PROFILES[profile], "constraints": CONSTRAINTS.get(profile, ()),
        "full_range": FORMATS[format].makes_full_range,
        "primaries": primaries, "transfer": transfer, "matrix": matrix,
    }
    values.update(more)
    return Expected(**values)


def properties(**values):
    return [f"set {name} {value}" for name, value in values.items()]


class Clips:
    """The source pictures: paths by name, and their sizes."""

    SIZES = {"bigbuckbunny": (1280, 720, 132), "bikes": (640, 272, 250), "carphone_pristine": (176, 144, 120)}

    def __init__(self, paths):
        self.paths = paths

    def source(self, clip, format, count=None, start=0):
        width, height, whole = self.SIZES[clip]
        return Source(format, self.paths[clip], width, height, count or whole, automatic_matrix(height), start)


def small(clips, name, settings, script, format="420v", count=None, **expected):
    """Returns a case with the smallest clip."""
    frames = [step for step in script if isinstance(step, Frame)]
    # At the default quality the clip has about 35 dB.
    expected = {"luma": 33, "worst": 30, **expected}
    source = clips.source(SMALL, format, count or len(frames))
    return Case(name, 176, 144, properties(**settings) + [source] + script, expect(format, 176, 144, **expected))


def matrix_cases(clips, count=12):
    """Yields every format, profile, entropy mode, with and without B-frames, for a file and in real time."""
    asked = {0, 7}
    for format, profile, entropy, reordering, real_time in itertools.product(
            FORMATS, PROFILES, ("CAVLC", "CABAC"), (False, True), (False, True)):
        if entropy == "CABAC" and "Baseline" in profile:
            continue
        if reordering and (real_time or profile not in ("Main", "High")):
            continue
        settings = properties(
            ProfileLevel=f"H264_{profile}_AutoLevel", H264EntropyMode=entropy, AverageBitRate=600000,
            ExpectedFrameRate=30)
        if real_time:
            settings += properties(RealTime=1)
        elif profile in ("Main", "High"):
            settings += properties(AllowFrameReordering=int(reordering))
        words = [format, profile, entropy, "B" if reordering else "no B", "real time" if real_time else "file"]
        source = clips.source(SMALL, format, count)
        expected = expect(
            format, 176, 144, profile, cabac=entropy == "CABAC", b_frames="some" if reordering else "none", keys=asked,
            luma=38, chroma=34, level=13)  # level 1.2 holds 384 kb/s, 1.3 768
        yield Case("matrix: " + ", ".join(words), 176, 144,
                   settings + [source] + steady(count, 30000, 1001, force=asked), expected)


def quality_cases(clips):
    """Yields the 720p clip at 2 Mb/s, with more than 35 dB for every format. One format of each kind has the entire
    clip, the others its first second, because the memory layout does not affect rate control."""
    for format, real_time in itertools.product(FORMATS, (False, True)):
        is_whole = format in ("420v", "BGRA")
        source = clips.source("bigbuckbunny", format, None if is_whole else 25)
        key = 60 if is_whole else 12
        settings = properties(AverageBitRate=2000000, ExpectedFrameRate=25)
        settings += properties(RealTime=1) if real_time else properties(AllowFrameReordering=1)
        expected = expect(format, 1280, 720, cabac=True, b_frames="none" if real_time else "some", luma=35, worst=30,
                          keys_at_least={0, key}, bit_rate=2000000)
        yield Case(f"720p 2 Mb/s: {format}, {'real time' if real_time else 'file'}", 1280, 720,
                   settings + [source] + steady(source.count, 25, force={key}), expected)
