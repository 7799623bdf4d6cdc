"""Checks the output of clients with the machine's own FFmpeg."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

TIME_LIMIT = 600
# The linker's options for the frameworks.
FRAMEWORKS = [part for name in ("VideoToolbox", "CoreMedia", "CoreVideo", "CoreFoundation") for part in ("-framework", name)]


def run(*arguments, check=True, environment=None, **options):
    """Runs a program. Returns its output, messages and status. With `check`, a failure raises an exception with the
    messages."""
    command = [str(argument) for argument in arguments]
    result = subprocess.run(command, capture_output=True, timeout=TIME_LIMIT, stdin=subprocess.DEVNULL,
                            env={**os.environ, **(environment or {})}, **options)
    if check and result.returncode != 0:
        said = result.stderr.decode(errors="replace").strip()[-1500:]
        raise RuntimeError(f"{command[0]} ended with {result.returncode}: {' '.join(command)}\n{said}")
    return result


def start(document, *counts):
    """Returns the paths in the arguments of the command, and the path of the clip to encode. Without one of `counts`
    arguments, prints `document` and exits."""
    if len(sys.argv) - 1 not in counts:
        sys.exit(document.strip())
    fetch = Path(__file__).absolute().parent.parent.parent / "scripts" / "fetch_clips"
    clip = subprocess.run([str(fetch), "bikes.y4m"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return [Path(argument).absolute() for argument in sys.argv[1:]], clip


def beginning(clip, frames, path):
    """Writes the first frames of a clip with pictures in 4:2:0 and 8 bits to a file, and returns its path."""
    with open(clip, "rb") as source:
        header = source.readline()
        width, height = (int(re.search(rb" %s(\d+)" % letter, header)[1]) for letter in (b"W", b"H"))
        path.write_bytes(header + source.read(frames * (len(b"FRAME\n") + width * height * 3 // 2)))
    return path


class Stream:
    """A video file: its pictures in presentation order, its packets in the order of the file."""

    def __init__(self, path):
        self.path = path
        entries = ("stream=codec_name,profile,level,width,height,has_b_frames,color_space,color_primaries,color_transfer,"
                   "color_range,sample_aspect_ratio,field_order:packet=pts,dts,size,flags,duration"
                   ":frame=pts,pict_type,key_frame")
        text = run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", entries, "-of", "json", path).stdout
        found = json.loads(text)
        self.stream = found["streams"][0]
        both = found.get("packets_and_frames", [])
        self.packets = [entry for entry in both if entry["type"] == "packet"]
        self.frames = [entry for entry in both if entry["type"] == "frame"]

    @property
    def types(self):
        return "".join(frame["pict_type"] for frame in self.frames)

    @property
    def key_frames(self):
        return [number for number, frame in enumerate(self.frames) if frame["key_frame"]]

    @property
    def size(self):
        return sum(int(packet["size"]) for packet in self.packets)

    def complaints(self, *options):
        """Returns the messages of a strict decoder. `options` are FFmpeg's options for the file."""
        result = run("ffmpeg", "-v", "warning", "-err_detect", "explode", *options, "-i", self.path, "-f", "null", "-", check=False)
        return result.stderr.decode(errors="replace").strip()

    def problems(self, expected, times=True):
        """Checks the number of frames, their order and, if the file has them, their times."""
        found = []
        if len(self.frames) != expected:
            found.append(f"{len(self.frames)} frames, expected {expected}")
        if complaints := self.complaints():
            found.append(f"FFmpeg's decoder: {complaints.splitlines()[0]}")
        if not times:
            return found
        pts = sorted(int(packet["pts"]) for packet in self.packets)
        dts = [int(packet["dts"]) for packet in self.packets]
        if len(set(pts)) != len(pts):
            found.append("two frames have one time")
        steps = {later - earlier for earlier, later in zip(pts, pts[1:])}
        if len(steps) > 1:
            found.append(f"the distances of frames are {sorted(steps)}, expected one")
        if any(later <= earlier for earlier, later in zip(dts, dts[1:])):
            found.append("the decode times do not grow")
        late = [packet for packet in self.packets if int(packet["dts"]) > int(packet["pts"])]
        if late:
            found.append(f"{len(late)} frames are decoded after they are shown")
        return found


def psnr(path, reference):
    """Returns the PSNR of a file's luma in dB against its source clip. Frames are matched by number."""
    graph = "[0:v]settb=1/1000,setpts=N[a];[1:v]settb=1/1000,setpts=N[b];[a][b]psnr"
    said = run("ffmpeg", "-v", "info", "-i", path, "-i", reference, "-lavfi", graph, "-f", "null", "-").stderr.decode()
    value = re.search(r"PSNR y:(\S+)", said)[1]
    return float("inf") if value == "inf" else float(value)


def hashes(program, path, *options, after=()):
    """Returns a hash of every decoded picture as NV12, with its time."""
    text = run(program, "-v", "error", *options, "-i", path, *after, "-f", "framemd5", "-").stdout.decode()
    return [[part.strip() for part in line.split(",")] for line in text.splitlines() if line and not line.startswith("#")]
