"""Media files that FFmpeg makes for the tests of readers, and FFmpeg's facts about them."""
import functools
import json
import pathlib
import struct
import subprocess

from support import CLIP, TIME_LIMIT, ffmpeg, directory_of_files, made_once, run

X264 = ("-c:v", "libx264", "-preset", "veryfast", "-threads", "1", "-x264-params", "keyint=40:bframes=3:b-adapt=0")
"""FFmpeg's options for each kind. The clip has 120 frames of 30000/1001 Hz."""
KINDS = {
    "mp4": (".mp4", X264),
    "mov": (".mov", X264),
    "mkv": (".mkv", X264),
    "ts": (".ts", X264),
    "flv": (".flv", X264),
    "h264": (".h264", X264),
    "fragmented": (".mp4", (*X264, "-movflags", "frag_keyframe+empty_moov")),
    "index first": (".mp4", (*X264, "-movflags", "faststart")),
    "low delay": (".mp4", ("-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency")),
    "variable": (".mp4", ("-vf", "setpts=N*N*20/TB/30000", "-fps_mode", "vfr", "-enc_time_base", "1:30000",
                          "-video_track_timescale", "30000", *X264)),
    "late": (".mp4", (*X264, "-output_ts_offset", "0.5")),
    "wide colour": (".mp4", (*X264, "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc")),
    "full range": (".mp4", ("-vf", "scale=out_range=full", "-color_range", "pc", *X264)),
    "odd size": (".mp4", ("-vf", "scale=170:118", *X264)),
}


@functools.cache
def media(kind):
    """Returns the path of a file of this kind."""
    extension, options = KINDS.get(kind, (".mp4", ()))
    path = directory_of_files("media") / f"{kind.replace(' ', '-')}{extension}"
    if kind == "audio":
        return made_once(path, lambda part: ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=sample_rate=44100", "-t", "4",
                                                   "-c:v", "copy", "-c:a", "aac", part))
    if kind.startswith("stated "):  # facts that only the container states: an mp4, an mkv or a mov
        return made_once(path.with_suffix("." + kind.split()[1]), lambda part: ffmpeg(
            "-i", media("low delay"), "-c", "copy", "-frames:v", "12", "-aspect", "2:1", "-color_range", "pc",
            "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", part))
    if kind == "turned":
        return made_once(path, lambda part: ffmpeg("-display_rotation:v:0", "-90", "-i", media("mp4"), "-c", "copy", part)
                         if _rotates() else ffmpeg("-i", media("mp4"), "-c", "copy", "-metadata:s:v", "rotate=90", part))
    if kind == "mirrored":
        return made_once(path, lambda part: pathlib.Path(part).write_bytes(_mirrored(media("mp4").read_bytes())))
    return made_once(path, lambda part: ffmpeg("-i", CLIP, *options, part))


def leading_pictures(path, directory):
    """Makes an H.265 file whose first key frame has decodable leading pictures (IDR_W_RADL)."""
    whole = directory / "whole.ts"
    ffmpeg("-i", CLIP, "-frames:v", "40", "-c:v", "libx265", "-x265-params",
           "log-level=none:keyint=20:min-keyint=20:scenecut=0:open-gop=0:radl=2:bframes=3:repeat-headers=1", whole)
    ffmpeg("-ss", "0.5", "-i", whole, "-c", "copy", path)


def _mirrored(movie):
    """Returns a copy of the file that players mirror from top to bottom: horizontally, and rotated by 180 degrees."""
    header = movie.index(b"tkhd") + 4
    assert movie[header] == 0
    matrix = header + 40
    down = matrix + 16
    return movie[:down] + struct.pack(">i", -0x10000) + movie[down + 4 :]


@functools.cache
def _rotates():
    """Returns true if FFmpeg has the option -display_rotation (version 6 and newer). Older versions write the rotation
    from metadata."""
    help_text = subprocess.run(["ffmpeg", "-hide_banner", "-h", "full"], capture_output=True, text=True,
                               timeout=TIME_LIMIT).stdout
    return "-display_rotation" in help_text


def ffprobe(path, *options, source=None):
    """Returns ffprobe's answer. Fails if ffprobe prints a warning."""
    result = subprocess.run(["ffprobe", "-v", "warning", "-of", "json", *options, str(path)], input=source, capture_output=True,
                            check=True, timeout=TIME_LIMIT)
    if result.stderr:
        raise AssertionError(f"ffprobe says: {result.stderr.decode()}")
    return json.loads(result.stdout)


def once_for_media(function):
    """Caches a function of a file that media() made, because such a file does not change."""
    found = {}

    @functools.wraps(function)
    def answer(path, *arguments, **options):
        if options or pathlib.Path(path).parent != directory_of_files("media"):
            return function(path, *arguments, **options)
        if (path, arguments) not in found:
            found[path, arguments] = function(path, *arguments)
        return list(found[path, arguments])

    return answer


@once_for_media
def packets(path, stream="v:0"):
    """Returns (presentation, decode, size, flags) of each packet, times in seconds."""
    answer = ffprobe(path, "-select_streams", stream, "-show_packets")
    return [(packet.get("pts_time"), packet.get("dts_time"), int(packet["size"]), packet["flags"][:1])
            for packet in answer["packets"]]


@once_for_media
def times(path):
    """Returns the presentation times as (numerator, denominator) of reduced fractions."""
    from fractions import Fraction
    answer = ffprobe(path, "-select_streams", "v:0", "-show_packets", "-show_streams")
    base = Fraction(answer["streams"][0]["time_base"])
    return sorted(packet["pts"] * base for packet in answer["packets"])


@once_for_media
def pictures(path, *options, source=None):
    """Returns the checksums of the decoded frames."""
    text = ffmpeg(*options, "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-",
                  **({"input": source} if source else {})).decode()
    return [line.split(",")[-1].strip() for line in text.splitlines() if not line.startswith("#")]


@once_for_media
def samples(path, options=()):
    """Returns the checksums of the packets in Annex B form, without parameter sets."""
    text = ffmpeg("-i", path, "-map", "0:v:0", "-c", "copy", *options, "-f", "framemd5", "-").decode()
    return [line.split(",")[-1].strip() for line in text.splitlines() if not line.startswith("#")]


def units(stream):
    """Returns the NAL units of an Annex B stream."""
    parts = stream.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")
    return [part for part in parts[1:]]


def prefixed_units(data):
    """Returns the NAL units of samples with length prefixes of four bytes."""
    found = []
    while data:
        size = int.from_bytes(data[:4], "big")
        found.append(data[4 : 4 + size])
        data = data[4 + size :]
    return found


def succeeded(*arguments, **options):
    result = run(*arguments, **options)
    if result.returncode:
        raise AssertionError(result.stderr.decode())
    return result
