"""Bit rate against quality for sessions of each encoder, with the processor time of a frame.

usage: benchmarks/encoder_curves.py CLIP.nv12 [--frames N] [--plot FILE.png]

CLIP.nv12 has frames of 1280x720 pixels. FFmpeg measures the luma PSNR. The BD-rate is the mean difference of the bit rates at equal
PSNR, by linear interpolation of the logarithm of the rate, against x264 superfast.
"""
import argparse
import math
import os
import re
import subprocess
import tempfile

import nalu

WIDTH, HEIGHT, FRAME_RATE = 1280, 720, 25
RATES = (300_000, 600_000, 1_200_000, 2_400_000)
SIDES = {
    "x264 superfast": ("h264", None, {"x264.preset": "superfast"}),
    "x264 medium": ("h264", None, {"x264.preset": "medium"}),
    "x264 slower": ("h264", None, {"x264.preset": "slower"}),
    "OpenH264": ("h264", "org.openh264.openh264", {}),
    "x265 ultrafast": ("hevc", None, {"x265.preset": "ultrafast"}),
    "x265 superfast": ("hevc", None, {"x265.preset": "superfast"}),
    "x265 medium": ("hevc", None, {"x265.preset": "medium"}),
}


def encode(frames, codec, encoder, properties, rate):
    """Returns the stream and the milliseconds of processor time for a frame."""
    before = os.times()
    with nalu.CompressionSession(WIDTH, HEIGHT, codec=codec, encoder=encoder, frame_rate=FRAME_RATE, bit_rate=rate,
                                 properties=properties) as session:
        samples = [sample for frame in frames for sample in session.encode(frame, format="nv12")] + session.flush()
    after = os.times()
    return b"".join(sample.annex_b() for sample in samples), (after.user + after.system - before.user - before.system) * 1000 / len(frames)


def psnr(stream, clip, count):
    """Returns the mean luma PSNR in dB."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(stream)
        file.flush()
        form = "hevc" if stream[4] >> 1 & 63 in range(32, 36) else "h264"
        text = subprocess.run(
            ["ffmpeg", "-nostdin", "-f", form, "-r", str(FRAME_RATE), "-i", file.name, "-f", "rawvideo", "-pix_fmt", "nv12", "-s",
             f"{WIDTH}x{HEIGHT}", "-r", str(FRAME_RATE), "-i", clip, "-frames:v", str(count), "-lavfi", "[0:v][1:v]psnr", "-f", "null", "-"],
            check=True, capture_output=True, text=True, timeout=300).stderr
    return float(re.search(r"PSNR y:([\d.]+)", text)[1])


def bd_rate(curve, reference):
    """Returns the mean difference of the rates in percent, over the PSNR that both curves have; None if there is none."""
    least, most = max(curve[0][1], reference[0][1]), min(curve[-1][1], reference[-1][1])
    if least >= most:
        return None

    def log_rate(points, quality):
        for (rate, low), (next_rate, high) in zip(points, points[1:]):
            if low <= quality <= high:
                part = (quality - low) / (high - low)
                return math.log(rate) * (1 - part) + math.log(next_rate) * part
        return math.log(points[-1][0])

    steps = [least + (most - least) * index / 100 for index in range(101)]
    mean = sum(log_rate(curve, step) - log_rate(reference, step) for step in steps) / len(steps)
    return (math.exp(mean) - 1) * 100


def plot(curves, times, path):
    from PIL import Image, ImageDraw

    width, height, left, top = 640, 360, 48, 24
    colors = [(150, 190, 240), (60, 120, 210), (20, 50, 130), (120, 120, 120), (250, 190, 120), (235, 130, 30), (160, 70, 0)]
    points = [point for curve in curves.values() for point in curve]
    least, most = math.floor(min(quality for _, quality in points)), math.ceil(max(quality for _, quality in points))
    lowest, highest = math.log(RATES[0] * 0.8), math.log(RATES[-1] * 1.25)
    image = Image.new("RGB", (width + left + 170, height + top + 32), "white")
    draw = ImageDraw.Draw(image)
    draw.text((left, 6), f"luma PSNR in dB by bit rate in Mb/s; {WIDTH}x{HEIGHT}, {FRAME_RATE} frames a second", "black")

    def place(rate, quality):
        return (left + (math.log(rate) - lowest) / (highest - lowest) * width, top + (most - quality) / (most - least) * height)

    for quality in range(least, most + 1):
        y = place(RATES[0], quality)[1]
        draw.line((left, y, left + width, y), (225, 225, 225))
        draw.text((14, y - 6), str(quality), "black")
    for rate in RATES:
        x = place(rate, most)[0]
        draw.line((x, top, x, top + height), (225, 225, 225))
        draw.text((x - 8, top + height + 8), f"{rate / 1e6:g}", "black")
    for row, (color, (name, curve)) in enumerate(zip(colors, curves.items())):
        draw.line([place(*point) for point in curve], color, 2)
        for point in curve:
            x, y = place(*point)
            draw.ellipse((x - 3, y - 3, x + 3, y + 3), color)
        draw.text((left + width + 12, top + 18 * row), f"{name}, {times[name]:.1f} ms", color)
    image.save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip")
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--plot")
    arguments = parser.parse_args()
    size = WIDTH * HEIGHT * 3 // 2
    with open(arguments.clip, "rb") as file:
        frames = [frame for frame in (file.read(size) for _ in range(arguments.frames)) if len(frame) == size]
    curves, times = {}, {}
    for name, (codec, encoder, properties) in SIDES.items():
        curve, spent = [], []
        for rate in RATES:
            stream, milliseconds = encode(frames, codec, encoder, properties, rate)
            curve.append((len(stream) * 8 * FRAME_RATE / len(frames), psnr(stream, arguments.clip, len(frames))))
            spent.append(milliseconds)
        curves[name], times[name] = curve, sum(spent) / len(spent)
    print("| encoder | processor time a frame | bit rate and luma PSNR | BD-rate against x264 superfast |\n|---|---|---|---|")
    for name, curve in curves.items():
        difference = bd_rate(curve, curves["x264 superfast"])
        shown = ", ".join(f"{rate / 1e6:.2f} Mb/s {quality:.2f} dB" for rate, quality in curve)
        print(f"| {name} | {times[name]:.1f} ms | {shown} | {'' if difference is None else f'{difference:+.1f} %'} |")
    if arguments.plot:
        plot(curves, times, arguments.plot)


if __name__ == "__main__":
    main()
