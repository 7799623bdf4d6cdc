"""The results of FFmpeg, ffprobe and MediaInfo for a file."""
import functools
import os
import re
import shutil

import tools

CODECS = {"h264": "h264", "hevc": "h265"}
"""FFmpeg's names of the codecs that Nalu decodes, with the extension of the raw stream."""
QUIET = ("-nostdin", "-hide_banner", "-v", "error")
# FFmpeg's messages about containers and times, not about pictures.
HARMLESS = re.compile(
    r"Application provided invalid, non monotonically|Last message repeated|Timestamps are unset|DTS .*, next:|"
    r"start time for stream \d+ is not set|Could not find codec parameters|Unsupported codec with id|non monoton|"
    r"Invalid timestamps|Consider increasing|estimating duration|Packet corrupt|corrupt input packet in stream|"
    r"deprecated pixel format|unknown-length|Unknown/unsupported AVCodecID|Increasing reorder buffer|Error reading track")


class Frames:
    """The decoded frames: their MD5, their times in seconds, FFmpeg's messages, and the sizes in bytes."""

    def __init__(self, digests, times, complaints, sizes=()):
        self.digests, self.times, self.complaints, self.sizes = digests, times, complaints, sizes

    @property
    def of_first_size(self):
        """Returns the number of frames before the first change of size, or of all frames."""
        return next((index for index, size in enumerate(self.sizes) if size != self.sizes[0]), len(self.digests))


def probe(path, limit, force=None):
    """Returns the format and the streams of a file; None if ffprobe does not know it."""
    form = ("-f", force) if force else ()
    return tools.answer(["ffprobe", *QUIET[1:], *form, "-show_format", "-show_streams", "-of", "json", path], limit)


def video(facts):
    """Returns the tested stream: the first default video stream, otherwise the first video stream."""
    found = [stream for stream in facts.get("streams", [])
             if stream.get("codec_name") in CODECS and not stream.get("disposition", {}).get("attached_pic")]
    default = [stream for stream in found if stream.get("disposition", {}).get("default")]
    return (default or found or [None])[0]


def frames(path, stream, limit, count=None, force=None, hidden=False):
    """Decodes a stream. hidden: also returns frames that the edit list of an MP4 hides."""
    options = ["-f", force] if force else []
    if hidden:
        options += ["-ignore_editlist", "1"]
    some = ["-frames:v", str(count)] if count else []
    result = tools.run(
        # unaligned: FFmpeg crops the left side to the pixel, as the standards require.
        ["ffmpeg", *QUIET, "-noautorotate", "-flags", "unaligned", *options, "-i", path, "-map", f"0:{stream}", "-copyts",
         "-autoscale", "0", "-fps_mode", "passthrough", "-enc_time_base", "-1", *some, "-f", "framemd5", "-"], limit)
    digests, times, sizes, base = [], [], [], 1.0
    for line in result.output.decode().splitlines():
        if line.startswith("#tb 0:"):
            over, under = line.split(":")[1].split("/")
            base = int(over) / int(under)
        elif not line.startswith("#"):
            fields = [field.strip() for field in line.split(",")]
            digests.append(fields[5])
            sizes.append(fields[4])
            times.append(int(fields[2]) * base)
    complaints = [line for line in result.errors.splitlines() if line.strip() and not HARMLESS.search(line)]
    return Frames(digests, times, complaints, sizes)


def field_orders(path, stream, limit):
    """Returns the field orders, "p", "t" or "b", of FFmpeg's demuxer and of its decoder for the first frame. They
    differ if the timing of a picture contradicts its order counts."""
    answer = tools.answer(["ffprobe", *QUIET[1:], "-select_streams", str(stream), "-read_intervals", "%+#1", "-show_streams",
                           "-show_frames", "-of", "json", path], limit) or {}
    orders = {{"progressive": "p", "tt": "t", "tb": "t", "bb": "b", "bt": "b"}.get(each.get("field_order"))
              for each in answer.get("streams", []) if each.get("index") == stream}
    for frame in answer.get("frames", [])[:1]:
        orders.add("p" if not frame.get("interlaced_frame") else "t" if frame.get("top_field_first") else "b")
    return orders - {None}


def packets(path, stream, limit):
    """Returns (presentation time or None, whether it is hidden) of each packet."""
    answer = tools.answer(["ffprobe", *QUIET[1:], "-select_streams", str(stream), "-show_entries", "packet=pts_time,flags",
                           "-of", "json", path], limit) or {}
    return [(float(packet["pts_time"]) if "pts_time" in packet else None, "D" in packet.get("flags", ""))
            for packet in answer.get("packets", [])]


def packet_counts(path, limit):
    """Returns the number of packets of each stream, by index."""
    answer = tools.answer(["ffprobe", *QUIET[1:], "-count_packets", "-show_entries", "stream=index,nb_read_packets", "-of", "json",
                           path], limit) or {}
    return {stream["index"]: int(stream.get("nb_read_packets", 0)) for stream in answer.get("streams", [])}


def annex_b(path, stream, codec, limit, output):
    """Copies the raw stream with FFmpeg. Returns true if there is one."""
    result = tools.run(["ffmpeg", *QUIET, "-y", "-i", path, "-map", f"0:{stream}", "-c", "copy", "-f", codec, output], limit)
    return result.code == 0


@functools.cache
def has_mediainfo():
    return shutil.which("mediainfo") is not None


def mediainfo(path, limit):
    """Returns the fields of the file and of its first video track; empty without MediaInfo."""
    if not has_mediainfo():
        return {}, {}
    answer = tools.answer(["mediainfo", "--Output=JSON", path], limit) or {}
    tracks = (answer.get("media") or {}).get("track", [])
    kinds = {}
    for track in tracks:
        kinds.setdefault(track.get("@type"), track)
    return kinds.get("General", {}), kinds.get("Video", {})
