"""Streams outside the matrix: every profile level, colour, sizes, times, key frames, delays, slices."""
import itertools
from fractions import Fraction

from case import Case, Frame, steady
from cases import PROFILES, SMALL, expect, properties, small
from pictures import FORMATS, Source, automatic_matrix

LEVELS = ("3_0", "3_1", "3_2", "4_0", "4_1", "4_2", "5_0", "5_1", "5_2")
BARS = "rgbtestsrc=size={}x{}:rate=25"
MOVING_BARS = "testsrc2=size={}x{}:rate=25"


def profile_levels(clips):
    """Yields every name that VideoToolbox has and x264 can support, checked with two readers."""
    names = [("Baseline", "1_3")] + list(itertools.product(("Baseline", "Main", "High"), LEVELS))
    names += [(profile, "AutoLevel") for profile in PROFILES]
    for profile, level in names:
        # With AutoLevel and the default quality, x264's VBV buffer is the level's own. So the size and the frame rate
        # determine the level: 1.1 at 30 Hz.
        number = 11 if level == "AutoLevel" else int(level.replace("_", ""))
        case = small(clips, f"profile level: H264_{profile}_{level}", {"ProfileLevel": f"H264_{profile}_{level}"},
                     steady(6), profile=profile, level=number, cabac="Baseline" not in profile, keys={0})
        case.media_info = True
        yield case


def automatic_levels():
    """The level follows from table A-1 of ITU-T H.264: macroblocks per second, macroblocks per frame, bit rate."""
    sizes = [
        (176, 144, 15, 0, 10), (176, 144, 30, 0, 11), (320, 240, 30, 0, 13), (640, 480, 30, 0, 30),
        (1280, 720, 30, 0, 31), (1280, 720, 60, 0, 32), (1920, 1080, 30, 0, 40), (1920, 1080, 60, 0, 42),
        (176, 144, 30, 30000000, 41),
    ]
    for width, height, rate, bit_rate, level in sizes:
        source = Source("BGRA", MOVING_BARS.format(width, height), width, height, 2, automatic_matrix(height))
        settings = properties(ExpectedFrameRate=rate, AverageBitRate=bit_rate, **{"x264.preset": "veryfast"})
        expected = expect("BGRA", width, height, level=level, luma=30, chroma=25)
        yield Case(f"automatic level: {width}x{height} at {rate} Hz, {bit_rate} b/s", width, height,
                   settings + [source] + steady(2, rate), expected)


def colour(clips):
    """Yields pure colours from RGB, for which a wrong matrix or range causes a large error; and every colour tag."""
    for (width, height), format, full in itertools.product(
            ((640, 480), (1280, 720)), ("BGRA", "RGBA", "ARGB", "ABGR", "24RGB", "24BGR"), (False, True)):
        matrix = automatic_matrix(height)
        source = Source(format, BARS.format(width, height), width, height, 2, matrix)
        script = [source] + steady(2, 25)
        if full:
            # The first frame determines the range: one full-range frame, then RGB.
            first = Source("f420", MOVING_BARS.format(width, height), width, height, 1, matrix)
            script = [first, Frame((-1, 25), (1, 25))] + script
        if full and format != "BGRA":
            continue
        expected = expect(format, width, height, full_range=full, luma=38, chroma=40)
        yield Case(f"colour: {format}, {height} lines, {'full' if full else 'video'} range", width, height,
                   properties(Quality=0.8) + script, expected)
    names = {"ITU_R_709_2": (1, "bt709"), "ITU_R_601_4": (6, "smpte170m"), "SMPTE_240M_1995": (7, "smpte240m"),
             "ITU_R_2020": (9, "bt2020nc")}
    for (name, (number, tag)), (width, height) in itertools.product(names.items(), ((640, 480), (1280, 720))):
        source = Source("BGRA", BARS.format(width, height), width, height, 2, number)
        yield Case(f"colour: YCbCrMatrix {name}, {height} lines", width, height,
                   properties(YCbCrMatrix=name, Quality=0.8) + [source] + steady(2, 25),
                   expect("BGRA", width, height, matrix=tag, luma=38, chroma=40))
    for name, tag in {"ITU_R_709_2": "bt709", "EBU_3213": "bt470bg", "SMPTE_C": "smpte170m", "P3_D65": "smpte432",
                      "ITU_R_2020": "bt2020"}.items():
        yield small(clips, f"colour: ColorPrimaries {name}", {"ColorPrimaries": name}, steady(2), primaries=tag)
    for name, tag in {"ITU_R_709_2": "bt709", "SMPTE_240M_1995": "smpte240m", "ITU_R_2020": "bt2020-10",
                      "SMPTE_ST_2084_PQ": "smpte2084", "ITU_R_2100_HLG": "arib-std-b67", "Linear": "linear",
                      "IEC_sRGB": "iec61966-2-1"}.items():
        yield small(clips, f"colour: TransferFunction {name}", {"TransferFunction": name}, steady(2), transfer=tag)
    for ratio in ("4 3", "12 11", "64 45"):
        yield small(clips, f"PixelAspectRatio {ratio}", {"PixelAspectRatio": ratio}, steady(2),
                    pixel_aspect_ratio=ratio.replace(" ", ":"))
    for rate, exact in (("25", Fraction(25)), ("29.97002997", Fraction(30000, 1001)), ("23.976", Fraction(24000, 1001)),
                        ("59.94", Fraction(60000, 1001)), ("12.5", Fraction(25, 2))):
        for real_time in (0, 1):
            yield small(clips, f"ExpectedFrameRate {rate}, real time {real_time}",
                        {"ExpectedFrameRate": rate, "RealTime": real_time}, steady(3), frame_rate=exact)


def sizes(clips):
    """Yields odd sizes from every format, small and flat ones, and frames of another size than the session's."""
    for format, (width, height) in itertools.product(FORMATS, ((175, 143), (173, 144), (176, 141), (17, 33))):
        source = clips.source(SMALL, format, 6)
        source = Source(**{**source.__dict__, "cut_to": (width, height)})
        yield Case(f"size: {format}, {width}x{height}", width, height, [source] + steady(6),
                   expect(format, width, height, luma=32, chroma=30, worst=28))
    for width, height in ((16, 16), (176, 16), (16, 144), (34, 18)):
        source = clips.source(SMALL, "y420", 6)
        source = Source(**{**source.__dict__, "cut_to": (width, height)})
        yield Case(f"size: y420, {width}x{height}", width, height, [source] + steady(6),
                   expect("y420", width, height, luma=32, chroma=30, worst=28))
    for format, (width, height) in itertools.product(FORMATS, ((320, 136), (1280, 544))):
        source = clips.source("bikes", format, 4)
        yield Case(f"scaled: {format}, 640x272 to {width}x{height}", width, height,
                   properties(Quality=0.8) + [source] + steady(4, 25),
                   expect(format, width, height, luma=32, chroma=34))
    script = []
    for index, (clip, format) in enumerate((("bikes", "420v"), (SMALL, "420v"), ("bikes", "BGRA"), (SMALL, "24RGB"))):
        script += [clips.source(clip, format, 2)] + steady(2, start=2 * index)
    yield Case("scaled: frames of two sizes in turn", 640, 272, properties(Quality=0.8) + script,
               expect("420v", 640, 272, luma=28, chroma=30))
    yield small(clips, "NaluAllowScaling off", {"NaluAllowScaling": 0}, steady(3), "24RGB")


def formats_in_turn(clips):
    """The pixel format changes from frame to frame; the first one determines the range."""
    for first in ("420v", "f420", "BGRA", "L008"):
        order = [first] + [format for format in FORMATS if format != first]
        script = []
        for index, format in enumerate(order):
            script += [clips.source(SMALL, format, 1, start=index)] + steady(1, start=index)
        yield Case(f"formats in turn, {first} first", 176, 144, properties(Quality=0.7) + script,
                   expect(first, 176, 144, luma=36, chroma=36))


def times(clips):
    """Presentation times with any intervals and timescales are returned unchanged, and a container can store them."""
    irregular = [Frame((time, 600), (7, 600)) for time in (0, 20, 21, 60, 61, 62, 100, 400, 401, 1000, 5000, 5020)]
    mixed = [Frame((0, 30), (1, 30)), Frame((1001, 30000), (1001, 30000)), Frame((6006, 90000), (1, 10)),
             Frame((4, 40), None), Frame((67, 600), (0, 1)), Frame((11025, 90000), (1, 48)), Frame((1, 5), None),
             Frame((121, 600), None), Frame((1, 4), None), Frame((7, 24), None),
             Frame((3, 10), None), Frame((2, 3), None)]
    cadences = {
        "irregular": irregular,
        "several timescales": mixed,
        "no durations": steady(12, duration=False),
        "nanoseconds": [Frame((index * 33366700 + index * index, 1000000000), None) for index in range(12)],
        "microseconds, far from zero": steady(12, 1000000, 33367, start=1 << 42),
        "one tick apart": steady(12, 2, 1),
        "from 10 s on": steady(12, 25, start=250),
        "before zero": steady(12, 30000, 1001, start=-20020),
        "120 Hz": steady(12, 120),
        "a frame in ten seconds": steady(12, 1, 10),
        "a frame an hour": steady(12, 1, 3600),
        "a gap of a day": steady(6) + steady(6, start=86400 * 30),
        "24 then 60 Hz": steady(6, 120, 5) + steady(6, 120, 2, start=30),
    }
    modes = {"B": {}, "no B": {"AllowFrameReordering": 0}, "real time": {"RealTime": 1},
             "B, 1 Mb/s": {"AverageBitRate": 1000000}, "real time, 1 Mb/s": {"AverageBitRate": 1000000, "RealTime": 1}}
    for (name, frames), (mode, settings) in itertools.product(cadences.items(), modes.items()):
        yield small(clips, f"times: {name}, {mode}", settings, frames, b_frames="any" if "B" == mode[0] else "none")


def short_streams(clips):
    modes = {"B": {}, "no B": {"AllowFrameReordering": 0}, "real time": {"RealTime": 1},
             "Baseline": {"ProfileLevel": "H264_Baseline_AutoLevel"}, "Main": {"ProfileLevel": "H264_Main_AutoLevel"}}
    for count, (mode, settings), duration in itertools.product((1, 2, 3, 4), modes.items(), (True, False)):
        profile = mode if mode in ("Baseline", "Main") else "High"
        yield small(clips, f"short: {count} frames, {mode}{'' if duration else ', no durations'}", settings,
                    steady(count, 25, duration=duration), profile=profile, keys={0})


def completing(clips):
    """After complete_frames the session continues, in the same stream."""
    for (mode, settings), points in itertools.product(
            (("B", {}), ("no B", {"AllowFrameReordering": 0}), ("real time", {"RealTime": 1}),
             ("2 Mb/s", {"AverageBitRate": 2000000}), ("four frames of delay", {"MaxFrameDelayCount": 4})),
            ((6,), (1, 2, 3), tuple(range(1, 12)), (5, 5, 11))):
        script = steady(12)
        for point in sorted(points, reverse=True):
            script.insert(point, "complete")
        # An encoder without delayed frames is not flushed.
        keys = {0} if mode == "real time" else {0, *points}
        yield small(clips, f"complete: after {', '.join(map(str, points))}, {mode}", settings, script, keys=keys)
    for mode, settings in (("B", {}), ("real time", {"RealTime": 1})):
        script = steady(12)
        script.insert(8, "complete 3 30")
        yield small(clips, f"complete: until a time, {mode}", settings, script)
    yield small(clips, "complete: before the first frame", {}, ["prepare", "complete"] + steady(4), keys={0})


def key_frames(clips):
    for (mode, settings), asked in itertools.product(
            (("B", {}), ("no B", {"AllowFrameReordering": 0}), ("real time", {"RealTime": 1}),
             ("2 Mb/s", {"AverageBitRate": 2000000}), ("Baseline", {"ProfileLevel": "H264_Baseline_AutoLevel"})),
            ({1}, {2, 3}, {5, 6, 13, 19}, set(range(20)))):
        yield small(clips, f"key frames: forced {sorted(asked)[:6]}, {mode}", settings, steady(20, force=asked),
                    profile="Baseline" if mode == "Baseline" else "High", keys={0} | asked)
    for mode, settings in (("B", {}), ("real time", {"RealTime": 1})):
        for interval in (1, 2, 7):
            yield small(clips, f"key frames: MaxKeyFrameInterval {interval}, {mode}",
                        {"MaxKeyFrameInterval": interval, **settings}, steady(20), keys=set(range(0, 20, interval)))
        yield small(clips, f"key frames: MaxKeyFrameInterval 7 and forced, {mode}",
                    {"MaxKeyFrameInterval": 7, **settings}, steady(20, force={4}), keys={0, 4, 11, 18})
        yield small(clips, f"key frames: MaxKeyFrameIntervalDuration, {mode}",
                    {"MaxKeyFrameIntervalDuration": 0.2, **settings}, steady(20), keys={0, 6, 12, 18})
        yield small(clips, f"key frames: AllowTemporalCompression false, {mode}",
                    {"AllowTemporalCompression": 0, **settings}, steady(8), keys=set(range(8)))


def delays_and_slices(clips):
    for delay in (0, 1, 2, 3, 4, 5, 8, 20, 60):
        yield small(clips, f"MaxFrameDelayCount {delay}", {"MaxFrameDelayCount": delay}, steady(20),
                    b_frames="none" if delay < 3 else "any", keys={0})
    for size, entropy, real_time in itertools.product((500, 1400), ("CAVLC", "CABAC"), (0, 1)):
        yield small(clips, f"MaxH264SliceBytes {size}, {entropy}, real time {real_time}",
                    {"MaxH264SliceBytes": size, "H264EntropyMode": entropy, "RealTime": real_time,
                     "AverageBitRate": 800000},
                    steady(12), slice_bytes=[(0, size)], cabac=entropy == "CABAC")
    for real_time in (0, 1):
        source = clips.source("bikes", "420v", 8)
        yield Case(f"one slice, real time {real_time}", 640, 272,
                   properties(NaluAllowMultipleSlices=0, RealTime=real_time) + [source] + steady(8, 25),
                   expect("420v", 640, 272, slices=1, luma=33, chroma=33))
        yield Case(f"several slices, real time {real_time}", 640, 272,
                   properties(RealTime=real_time) + [source] + steady(8, 25),
                   expect("420v", 640, 272, luma=33, chroma=33))


def encoder_options(clips):
    for preset in ("ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow",
                   "placebo"):
        yield small(clips, f"x264.preset {preset}", {"x264.preset": preset}, steady(12), profiles=None)
    for tune in ("film", "animation", "grain", "stillimage", "psnr", "ssim", "fastdecode", "zerolatency",
                 "film,zerolatency"):
        yield small(clips, f"x264.tune {tune}", {"x264.tune": tune}, steady(12))
    for options in (
            "bframes=5", "bframes=1:b-pyramid=none", "bframes=3:b-pyramid=strict", "bframes=0", "ref=1", "keyint=5",
            "scenecut=0:keyint=4:min-keyint=4", "aud=1", "slices=3", "weightp=0:weightb=0", "no-8x8dct=1", "cabac=0",
            "no-deblock=1", "rc-lookahead=0", "threads=1", "qp=20", "crf=18", "8x8dct=0:cabac=0:weightp=0",
            "nal-hrd=vbr:vbv-maxrate=2000:vbv-bufsize=1000:bitrate=1000", "sliced-threads=1:threads=2", "fps=25",
            "chromaloc=1", "cqm=jvt"):
        yield small(clips, f"x264.params {options}", {"x264.params": options}, steady(16), profiles=None)


def all_cases(clips):
    parts = (profile_levels, colour, sizes, formats_in_turn, times, short_streams, completing, key_frames,
             delays_and_slices, encoder_options)
    yield from automatic_levels()
    for part in parts:
        yield from part(clips)
