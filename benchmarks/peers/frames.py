"""The clip in the layout of each side, made once and kept in the build directory."""
from __future__ import annotations

import pathlib
import subprocess

from settings import FRAME_RATE, HEIGHT, WIDTH

LAYOUTS = {"i420": "yuv420p", "nv12": "nv12", "bgra": "bgra", "bgr24": "bgr24"}


def make(clip: pathlib.Path, directory: pathlib.Path, repeats: int) -> dict[str, pathlib.Path]:
    """Makes raw files that contain the clip once, because the loops in memory repeat it. Makes a Y4M and a BGRA file
    for the commands that contain it `repeats` times."""
    directory.mkdir(parents=True, exist_ok=True)
    files = {name: _convert(clip, directory / f"clip.{name}", 1, pixels) for name, pixels in LAYOUTS.items()}
    files["y4m"] = _convert(clip, directory / f"clip-{repeats}.y4m", repeats, "yuv420p")
    files["bgra-long"] = _convert(clip, directory / f"clip-{repeats}.bgra", repeats, "bgra")
    return files


def _convert(clip: pathlib.Path, output: pathlib.Path, repeats: int, pixels: str) -> pathlib.Path:
    if output.exists() and output.stat().st_mtime > clip.stat().st_mtime:
        return output
    part = output.with_name(f"part.{output.name}")
    kind = ["-f", "yuv4mpegpipe"] if output.suffix == ".y4m" else ["-f", "rawvideo"]
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-stream_loop", str(repeats - 1), "-r",
                    str(FRAME_RATE), "-i", str(clip), "-s", f"{WIDTH}x{HEIGHT}", "-pix_fmt", pixels, *kind, str(part)],
                   check=True)
    part.rename(output)
    return output


def make_one(raw: pathlib.Path, directory: pathlib.Path) -> pathlib.Path:
    """Makes a Y4M file of one frame."""
    output = directory / "one.y4m"
    if not output.exists():
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "nv12", "-s",
                        f"{WIDTH}x{HEIGHT}", "-r", str(FRAME_RATE), "-i", str(raw), "-frames:v", "1", "-pix_fmt",
                        "yuv420p", str(output)], check=True)
    return output
