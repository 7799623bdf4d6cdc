"""Streams for the properties on rate, quality, loss and description, for files and in real time."""
import itertools

from case import steady
from cases import small

MODES = {"B": {}, "no B": {"AllowFrameReordering": 0}, "real time": {"RealTime": 1}}
REFUSED = {
    "B": (), "no B": ("AllowOpenGOP",),
    "real time": ("AllowOpenGOP", "VariableBitRate", "MaximizePowerEfficiency", "SourceFrameCount", "ExpectedDuration",
                  "SuggestedLookAheadFrameCount"),
}

FEATURES = [
    {"ConstantBitRate": 400000, "ExpectedFrameRate": 30},
    {"VariableBitRate": 400000},
    {"VariableBitRate": 400000, "VBVMaxBitRate": 600000, "VBVBufferDuration": 0.5, "VBVInitialDelayPercentage": 50},
    {"DataRateLimits": "60000 1 12000 0.2", "AverageBitRate": 400000},
    {"SourceFrameCount": 24, "AverageBitRate": 400000},
    {"ExpectedDuration": 0.8, "AverageBitRate": 400000},
    {"MaxAllowedFrameQP": 24},
    {"MinAllowedFrameQP": 20, "Quality": 1},
    {"ReferenceBufferCount": 1, "AllowFrameReordering": 0},
    {"ReferenceBufferCount": 4},
    {"SuggestedLookAheadFrameCount": 0},
    {"SuggestedLookAheadFrameCount": 10},
    {"SpatialAdaptiveQPLevel": 0},
    {"PrioritizeEncodingSpeedOverQuality": 1},
    {"MaximizePowerEfficiency": 1},
    {"NaluRealTimeGovernor": 1, "ExpectedFrameRate": 1000, "x264.preset": "slow"},
    {"CalculateMeanSquaredError": 1},
    {"AllowOpenGOP": 1},
    {"MoreFramesBeforeStart": 1},
    {"MoreFramesAfterEnd": 1, "MoreFramesBeforeStart": 1},
    {"EnableLTR": 1},
    {"NaluAllowIntraRefresh": 1},
    {"MasteringDisplayColorVolume": "13250 34500 7500 3000 34000 16000 15635 16450 10000000 50",
     "ContentLightLevelInfo": "1000 400", "TransferFunction": "SMPTE_ST_2084_PQ", "ColorPrimaries": "ITU_R_2020",
     "YCbCrMatrix": "ITU_R_2020"},
]


def all_cases(clips):
    for settings, (mode, more) in itertools.product(FEATURES, MODES.items()):
        if set(settings) & set(more) or any(key in settings for key in REFUSED[mode]):
            continue
        expected = {"luma": 30, "worst": 25, "chroma": 30, "keys": {0, 12}}
        if "ConstantBitRate" in settings:
            expected["filler"] = True
        if "TransferFunction" in settings:
            expected |= {"transfer": "smpte2084", "primaries": "bt2020", "matrix": "bt2020nc"}
        words = " ".join(f"{key}={value}" for key, value in settings.items())
        yield small(clips, f"feature: {words}, {mode}", {**settings, **more}, steady(24, force={12}), **expected)
