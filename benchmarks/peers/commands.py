"""The commands: argument lists that encode a file and discard the stream."""
from __future__ import annotations

import os
import pathlib

from settings import BIT_RATE, FRAME_RATE, HEIGHT, KEY_FRAME_INTERVAL, WIDTH, X264_PARAMS, X264_TEXT

SIZE = f"{WIDTH}x{HEIGHT}"


def x264(preset: str, source: pathlib.Path) -> list[str]:
    options = [part for name, value in X264_PARAMS.items() for part in (f"--{name}", str(value))]
    return ["x264", "--quiet", "--no-progress", "--preset", preset, "--tune", "zerolatency", *options, "-o",
            os.devnull, str(source)]


def ffmpeg(preset: str, source: pathlib.Path) -> list[str]:
    raw = [] if source.suffix == ".y4m" else ["-f", "rawvideo", "-pix_fmt", "bgra", "-s", SIZE, "-r", str(FRAME_RATE)]
    return ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *raw, "-i", str(source), "-pix_fmt", "yuv420p", "-c:v",
            "libx264", "-preset", preset, "-tune", "zerolatency", "-b:v", str(BIT_RATE), "-x264-params", X264_TEXT,
            "-f", "h264", os.devnull]


def gstreamer(preset: str, source: pathlib.Path) -> list[str]:
    raw = ["rawvideoparse", "format=bgra", f"width={WIDTH}", f"height={HEIGHT}", f"framerate={FRAME_RATE}/1"]
    parse = ["y4mdec"] if source.suffix == ".y4m" else [*raw, "!", "videoconvert", "n-threads=2"]
    # A block is a frame, because the default of 4 KiB would measure the reading.
    block = WIDTH * HEIGHT * (3 if source.suffix == ".y4m" else 8) // 2
    return ["gst-launch-1.0", "-q", "filesrc", f"location={source}", f"blocksize={block}", "!", *parse, "!",
            "video/x-raw,format=I420", "!", "x264enc", f"speed-preset={preset}", "tune=zerolatency",
            f"bitrate={BIT_RATE // 1000}", "vbv-buf-capacity=1000", f"key-int-max={KEY_FRAME_INTERVAL}", "!",
            "fakesink", "sync=false"]


def nalu(command: str):
    def arguments(preset: str, source: pathlib.Path) -> list[str]:
        raw = [] if source.suffix == ".y4m" else ["--format", "bgra", "--size", SIZE, "--fps", str(FRAME_RATE)]
        return [command, "encode", str(source), "-o", os.devnull, "--quiet", *raw, "-p", f"x264.preset={preset}",
                "-p", "x264.tune=zerolatency", "-p", f"x264.params=\"{X264_TEXT}\""]
    return arguments
