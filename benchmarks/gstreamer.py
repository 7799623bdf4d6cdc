"""Compares naluh264enc with GStreamer's x264enc: whole gst-launch-1.0 processes, in turn, with equal settings.

usage: benchmarks/gstreamer.py CLIP.y4m [--rounds N]
"""
import argparse
import os
import statistics
import subprocess
import time

SETTINGS = {
    "veryfast, zerolatency": ("x264-preset=veryfast x264-tune=zerolatency", "speed-preset=veryfast tune=zerolatency"),
    "medium": ("x264-preset=medium", "speed-preset=medium"),
}
RATE = ("average-bit-rate=1000000 max-key-frame-interval=250", "bitrate=1000 vbv-buf-capacity=1000 key-int-max=250")


def measure(clip, encoder):
    """Returns the seconds of wall clock and of processor time."""
    before = os.times()
    start = time.monotonic()
    subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={clip}", "blocksize=262144", "!", "y4mdec", "!",
                    "video/x-raw,format=I420", "!", *encoder.split(), "!", "fakesink", "sync=false"],
                   check=True, timeout=300, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wall = time.monotonic() - start
    after = os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    print("| settings | speed, naluh264enc : x264enc | processor time, naluh264enc : x264enc |\n|---|---|---|")
    for name, options in SETTINGS.items():
        encoders = [f"{element} {own} {rate}" for element, own, rate in zip(("naluh264enc", "x264enc"), options, RATE)]
        rounds = [[measure(arguments.clip, encoder) for encoder in encoders] for _ in range(arguments.rounds + 1)][1:]
        speed = statistics.median(theirs[0] / ours[0] for ours, theirs in rounds)
        processor = statistics.median(ours[1] / theirs[1] for ours, theirs in rounds)
        print(f"| {name} | {speed:.2f} | {processor:.2f} |")


if __name__ == "__main__":
    main()
