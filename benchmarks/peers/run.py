"""Compares Nalu with its peers: the same clip and x264 settings, alternately on this machine.

    run.py --loop PROGRAM --nalu COMMAND --clip CLIP.mp4 --directory DIRECTORY [--rounds N] [--quick] [--only WORD]

PROGRAM is the compiled benchmarks/loop.c, COMMAND the command nalu. The Python that runs this script has nalu, numpy,
av and imageio-ffmpeg. Prints Markdown, and writes DIRECTORY/peers.json. Only ratios matter, because all sides share the
machine.
"""
from __future__ import annotations

import argparse
import functools
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys

import commands
import frames
from measure import command, in_turn, loop
from report import Asked, Report
from settings import HEIGHT, PRESETS, WIDTH

HERE = pathlib.Path(__file__).parent
BARE, SESSION, OURS = "bare x264 and libyuv (C)", "Nalu (C)", "Nalu (Python)"
BUFFER, ARRAY, IMAGEIO = "PyAV from_numpy_buffer", "PyAV from_ndarray", "imageio-ffmpeg"
PYTHON_SIDES = {OURS: "nalu", BUFFER: "pyav-buffer", ARRAY: "pyav-ndarray", IMAGEIO: "imageio"}
NALU, X264, FFMPEG, GSTREAMER = "nalu encode", "x264", "ffmpeg", "GStreamer x264enc"


class Benchmark:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.files = frames.make(options.clip, options.directory, 1 if options.quick else 4)
        self.clip_frames = self.files["nv12"].stat().st_size // (WIDTH * HEIGHT * 3 // 2)
        self.report = Report()

    def c_side(self, side: str, layout: str, preset: str, count: int, *more: str):
        return functools.partial(loop, [str(self.options.loop), side, layout, preset, str(self.files[layout]),
                                        str(WIDTH), str(HEIGHT), str(count), *more])

    def python_side(self, side: str, preset: str, count: int, *more: str):
        return functools.partial(loop, [sys.executable, str(HERE / "python_loop.py"), side, preset,
                                        str(self.files["bgr24"]), str(count), *more])

    def count(self, preset: str) -> int:
        """Returns the number of frames of a run, which lasts at least one and a half seconds with each preset."""
        return self.clip_frames * (1 if self.options.quick else {"veryfast": 3, "ultrafast": 6}[preset])

    def numpy(self, preset: str) -> None:
        """BGR arrays, as in OpenCV, through Python."""
        count = self.count(preset)
        sides = {BARE: self.c_side("bare", "bgr24", preset, count), SESSION: self.c_side("nalu", "bgr24", preset, count)}
        sides |= {name: self.python_side(side, preset, count) for name, side in PYTHON_SIDES.items()}
        costs = in_turn(sides, self.options.rounds, f"numpy BGR, {preset}")
        is_slow = preset == "veryfast"
        self.report.section(f"numpy BGR, {preset}", count, costs,
                            [Asked(OURS, BARE, 0.97), Asked(SESSION, BARE, 0.97),
                             Asked(OURS, BUFFER, 1.0 if is_slow else 1.25), Asked(OURS, ARRAY, 1.15 if is_slow else 1.5),
                             Asked(OURS, IMAGEIO, 0)])
        if OURS not in costs or SESSION not in costs:
            return
        extra = sorted((own.seconds - other.seconds) / count * 1000
                       for own, other in zip(costs[OURS], costs[SESSION]))
        print(f"\nPython costs {extra[len(extra) // 2]:.3f} ms a frame over C (asked: at most 0.1).", flush=True)

    def c_loops(self, layout: str, preset: str) -> None:
        """Frames in the memory of a C program."""
        count = self.count(preset)
        costs = in_turn({BARE: self.c_side("bare", layout, preset, count),
                         SESSION: self.c_side("nalu", layout, preset, count)}, self.options.rounds,
                        f"{layout} in C, {preset}")
        self.report.section(f"{layout.upper()} in memory, C, {preset}", count, costs, [Asked(SESSION, BARE, 0.97)])

    def files_of(self, kind: str, preset: str) -> None:
        """Complete commands from a file to no output."""
        source = self.files["y4m" if kind == "Y4M" else "bgra-long"]
        count = self.clip_frames * (1 if self.options.quick else 4)
        peers = {FFMPEG: commands.ffmpeg, NALU: commands.nalu(str(self.options.nalu))}
        if kind == "Y4M":
            peers = {X264: commands.x264, **peers}
        peers[GSTREAMER] = commands.gstreamer
        costs = in_turn({name: functools.partial(command, make(preset, source)) for name, make in peers.items()},
                        self.options.rounds, f"{kind} file, {preset}")
        asked = [Asked(NALU, X264, 1.0), Asked(NALU, FFMPEG, 0)] if kind == "Y4M" else \
            [Asked(NALU, FFMPEG, 1.25 if preset == "veryfast" else 1.6)]
        self.report.section(f"{kind} file by command, {preset}", count, costs, [*asked, Asked(NALU, GSTREAMER, 0)])

    def latency(self, preset: str) -> None:
        """The time from the encode call of a frame to its bytes, one frame at a time."""
        count = self.clip_frames
        sides = {BARE: self.c_side("bare", "bgr24", preset, count, "latency"),
                 SESSION: self.c_side("nalu", "bgr24", preset, count, "latency")}
        sides |= {name: self.python_side(PYTHON_SIDES[name], preset, count, "latency") for name in (OURS, BUFFER, ARRAY)}
        self.report.latency(f"Latency of a BGR frame, {preset}",
                            in_turn(sides, max(3, self.options.rounds // 2), f"latency, {preset}"))

    def start_up(self) -> None:
        """Complete processes that do almost nothing."""
        python = functools.partial(lambda code: functools.partial(command, [sys.executable, "-c", code]))
        one = frames.make_one(self.files["nv12"], self.options.directory)
        sides = {"python, empty": python("pass"), "python, import nalu": python("import nalu"),
                 "python, import av": python("import av"), "python, import imageio_ffmpeg": python("import imageio_ffmpeg"),
                 f"{NALU}, one frame": functools.partial(command, commands.nalu(str(self.options.nalu))("veryfast", one)),
                 f"{X264}, one frame": functools.partial(command, commands.x264("veryfast", one)),
                 f"{FFMPEG}, one frame": functools.partial(command, commands.ffmpeg("veryfast", one))}
        self.report.start_up("Start-up, from start to exit", in_turn(sides, self.options.rounds, "start-up"))

    def run(self) -> None:
        jobs = [("start-up", self.start_up)]
        for preset in PRESETS:
            jobs += [(f"numpy {preset}", functools.partial(self.numpy, preset)),
                     (f"c i420 {preset}", functools.partial(self.c_loops, "i420", preset)),
                     (f"c bgra {preset}", functools.partial(self.c_loops, "bgra", preset)),
                     (f"y4m {preset}", functools.partial(self.files_of, "Y4M", preset)),
                     (f"raw bgra {preset}", functools.partial(self.files_of, "raw BGRA", preset)),
                     (f"latency {preset}", functools.partial(self.latency, preset))]
        for name, job in jobs:
            if not self.options.only or self.options.only in name:
                job()


def versions() -> dict[str, str]:
    """Returns the versions that the sides report."""
    def first_line(*arguments: str) -> str:
        try:
            return next(iter(subprocess.run(arguments, capture_output=True, text=True).stdout.splitlines()), "does not run")
        except OSError:
            return "missing"

    found = {"processor": platform.processor() or platform.machine(), "processors": str(os.cpu_count()),
             "x264": first_line("x264", "--version"), "ffmpeg": first_line("ffmpeg", "-version").split(" Copyright")[0]}
    found["GStreamer"] = first_line("gst-launch-1.0", "--version")
    for name in ("nalu-video", "av", "imageio-ffmpeg", "numpy"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "from the source tree" if name == "nalu-video" else "missing"
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("loop", "nalu", "clip", "directory"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="one pass of the clip a run, three rounds")
    parser.add_argument("--only", help="the sections whose name has this word")
    options = parser.parse_args()
    if options.quick:
        options.rounds = min(options.rounds, 3)
    try:
        benchmark = Benchmark(options)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"benchmark: FFmpeg, which makes the clips, does not run ({error}); install ffmpeg")
    said = versions()
    print(f"{WIDTH}x{HEIGHT}, zerolatency, 2 Mb/s; {options.rounds} rounds, all sides in turn, medians. "
          + "; ".join(f"{name}: {value}" for name, value in said.items()))
    benchmark.run()
    output = options.directory / "peers.json"
    output.write_text(json.dumps({"versions": said, "sections": benchmark.report.data}, indent=1) + "\n")
    print(f"\nThe same as data: {output}", file=sys.stderr)


if __name__ == "__main__":
    main()
