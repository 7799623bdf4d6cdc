"""The settings of every side. benchmarks/loop.c has the same numbers."""

WIDTH, HEIGHT, FRAME_RATE = 1280, 720, 25
BIT_RATE = 2_000_000
KEY_FRAME_INTERVAL = 250
PRESETS = ("veryfast", "ultrafast")

# x264's option names, for the peers that pass them on.
X264_PARAMS = {"bitrate": BIT_RATE // 1000, "vbv-maxrate": BIT_RATE // 1000, "vbv-bufsize": BIT_RATE // 1000,
               "keyint": KEY_FRAME_INTERVAL}
X264_TEXT = ":".join(f"{name}={value}" for name, value in X264_PARAMS.items())
