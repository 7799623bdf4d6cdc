"""Streams of the x264 command and of x265, and the results of FFmpeg's tools, for the tests of nalu inspect and nalu
convert."""
import functools
import json
import pickle
import re
import subprocess

from support import CLIP, TIME_LIMIT, CommandTest, ffmpeg, directory_of_files, made_once, run

COMMON = ("--preset", "veryfast", "--crf", "28", "--threads", "1")
KINDS = {
    "pyramid": ("--bframes", "5", "--b-pyramid", "normal", "--b-adapt", "0", "--keyint", "40"),
    "strict pyramid": ("--bframes", "3", "--b-pyramid", "strict", "--keyint", "30", "--aud"),
    "interlaced": ("--tff", "--bframes", "3", "--keyint", "40", "--pic-struct"),
    "fake interlaced": ("--fake-interlaced", "--keyint", "40"),
    "CAVLC": ("--no-cabac", "--profile", "baseline", "--keyint", "40"),
    "slices": ("--slices", "4", "--bframes", "2", "--keyint", "40"),
    "slices by size": ("--slice-max-size", "300", "--bframes", "2", "--keyint", "40"),
    "10 bits": ("--output-depth", "10", "--bframes", "3", "--keyint", "40"),
    "4:2:2, 10 bits": ("--output-csp", "i422", "--output-depth", "10", "--bframes", "3", "--keyint", "40"),
    "4:4:4": ("--output-csp", "i444", "--keyint", "40"),
    "gray": ("--output-csp", "i400", "--keyint", "40"),
    "open groups": ("--open-gop", "--bframes", "3", "--keyint", "24", "--min-keyint", "12"),
    "intra refresh": ("--intra-refresh", "--bframes", "0", "--keyint", "40"),
    "constant rate": ("--nal-hrd", "cbr", "--bitrate", "300", "--vbv-maxrate", "300", "--vbv-bufsize", "300"),
    "matrices": ("--cqm4", ",".join(["10,20,30,40"] * 4), "--keyint", "40"),
    "weights": ("--preset", "slower", "--weightp", "2", "--bframes", "8", "--b-pyramid", "normal", "--threads", "1"),
    "Blu-ray": ("--bluray-compat", "--tff", "--bframes", "3", "--nal-hrd", "vbr", "--vbv-maxrate", "500",
                "--vbv-bufsize", "500", "--bitrate", "200", "--aud", "--keyint", "24", "--open-gop", "--slices", "4"),
    "described": ("--colorprim", "bt2020", "--transfer", "smpte2084", "--colormatrix", "bt2020nc", "--cll", "1000,400",
                  "--mastering-display", "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)",
                  "--alternative-transfer", "arib-std-b67", "--videoformat", "pal", "--overscan", "show",
                  "--chromaloc", "2", "--sar", "4:3", "--frames", "10"),
}


OWN = {
    "Nalu": ("-p", "MaxKeyFrameInterval=40"),
    "Nalu, low delay": ("-p", "RealTime=true", "-p", "AllowFrameReordering=false", "-p", "MaxKeyFrameInterval=30"),
    "Nalu, open groups": ("-p", "AllowOpenGOP=true", "-p", "MaxKeyFrameInterval=24"),
    "Nalu, fields": ("-p", "FieldCount=2", "-p", "FieldDetail=TemporalTopFirst"),
    "Nalu, slices": ("-p", "MaxH264SliceBytes=500", "-p", "AverageBitRate=1M"),
    "Nalu, CAVLC": ("-p", "H264EntropyMode=CAVLC", "-p", "ProfileLevel=H264_Baseline_AutoLevel"),
    "Nalu, refreshes": ("-p", "EnableLTR=true",),
}
"""Kinds of nalu encode."""
ALL = (*KINDS, *OWN)


HEVC = {
    "H.265": "bframes=4:b-pyramid=1:open-gop=0:keyint=40",
    "H.265, open groups": "bframes=3:open-gop=1:keyint=24:min-keyint=12",
    "H.265, leading": "bframes=3:open-gop=0:radl=2:keyint=30:min-keyint=30:scenecut=0",
    "H.265, slices": "slices=4:ctu=16:bframes=2:keyint=40",
    "H.265, 10 bits": "bframes=3:keyint=40 yuv420p10le",
    "H.265, 4:2:2, 10 bits": "bframes=3:keyint=40 yuv422p10le",
    "H.265, 4:4:4": "keyint=40 yuv444p",
    "H.265, gray": "keyint=40 gray",
    "H.265, sub-layers": "temporal-layers=1:bframes=4:b-pyramid=1:keyint=30",
    "H.265, timed": "hrd=1:vbv-maxrate=300:vbv-bufsize=300:bitrate=200:aud=1:hash=1:keyint=24",
    "H.265, fields": "interlace=tff:bframes=2:keyint=24",
    "H.265, intra": "keyint=1",
    "H.265, plain": "no-wpp=1:bframes=0:ref=1:no-sao=1:no-deblock=1:tskip=1:keyint=40:no-info=1",
    "H.265, described": "colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:sar=4/3:range=full"
                        ":master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)"
                        ":overscan=show:videoformat=pal:chromaloc=2:high-tier=1:vbv-maxrate=500:vbv-bufsize=500"
                        ":level-idc=4 yuv420p10le",
}
"""Kinds of x265: its parameters, and the pixel format if it is not the clip's."""


@functools.cache
def stream(kind):
    """Returns the path of an Annex B stream of this kind."""
    number = [*ALL, *HEVC].index(kind)
    return made_once(directory_of_files("streams") / f"{number}.{265 if kind in HEVC else 264}", lambda part: make(kind, part))


def make(kind, path):
    if kind in HEVC:
        parameters, _, pixels = HEVC[kind].partition(" ")
        ffmpeg("-i", CLIP, "-c:v", "libx265", "-preset", "veryfast", "-crf", 28, "-pix_fmt", pixels or "yuv420p",
               "-x265-params", f"log-level=none:pools=1:frame-threads=1:{parameters}", "-f", "hevc", path)
    elif kind in OWN:
        result = run("encode", CLIP, "-o", path, "--quiet", *OWN[kind])
        assert result.returncode == 0, result.stderr.decode()
    else:
        subprocess.run(["x264", "--quiet", "--no-progress", *COMMON, *KINDS[kind], "-o", path, CLIP], check=True,
                       capture_output=True, timeout=TIME_LIMIT)


def found_once(function):
    """Caches a function of one of these streams, for all processes."""
    @functools.cache
    @functools.wraps(function)
    def answer(path):
        if path.parent != directory_of_files("streams"):
            return function(path)
        kept = made_once(path.with_suffix(f".{function.__name__}"), lambda part: part.write_bytes(pickle.dumps(function(path))))
        return pickle.loads(kept.read_bytes())

    return answer


def demuxer(path):
    return "hevc" if path.suffix == ".265" else "h264"


@functools.cache
def inspected(path, *options):
    """Returns the JSON of nalu inspect."""
    result = run("inspect", path, "--json", *options)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


@found_once
def probed(path):
    """Returns ffprobe's stream, its packets in decode order and its frames in output order."""
    result = subprocess.run(
        ["ffprobe", "-v", "error", "-f", demuxer(path), "-show_streams", "-show_packets", "-show_frames", "-of", "json", path],
        capture_output=True, check=True, timeout=TIME_LIMIT)
    answer = json.loads(result.stdout)
    both = answer["packets_and_frames"]
    return (answer["streams"][0], [entry for entry in both if entry["type"] == "packet"],
            [entry for entry in both if entry["type"] == "frame"])


UNLISTED = {"forbidden_zero_bit", "nal_ref_idc", "nal_unit_type", "nuh_layer_id", "nuh_temporal_id_plus1",
            "rbsp_stop_one_bit", "rbsp_alignment_zero_bit", "bit_equal_to_one", "bit_equal_to_zero",
            "payload_bit_equal_to_one", "payload_bit_equal_to_zero"}


@found_once
def traced(path):
    """Returns the NAL units according to FFmpeg's trace_headers: (title, [(element, value)]). Leaves out the elements
    that every unit has."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-v", "info", "-f", demuxer(path), "-i", path, "-c", "copy", "-bsf:v",
         "trace_headers", "-f", "null", "-"], capture_output=True, check=True, timeout=TIME_LIMIT)
    units = []
    for line in result.stderr.decode(errors="replace").splitlines():
        if not (match := re.match(r"\[trace_headers @ 0x[0-9a-f]+\] (.*)", line)):
            continue
        element = re.match(r"\d+\s+(\S+?)(?:\[.*\])?\s+[01x?]*\s*= (-?\d+)$", match[1])
        if not element:
            units.append((match[1], []))
        elif element[1] not in UNLISTED:
            # FFmpeg spells these elements as in other editions, or in its own way.
            name = element[1].replace("gaps_in_frame_num_allowed", "gaps_in_frame_num_value_allowed")
            if path.suffix == ".265":
                name = name.replace("matrix_coefficients", "matrix_coeffs")
            units[-1][1].append((name, int(element[2])))
    return units


def mediainfo(path):
    result = subprocess.run(["mediainfo", "--Output=JSON", path], capture_output=True, check=True, timeout=TIME_LIMIT)
    return next(track for track in json.loads(result.stdout)["media"]["track"] if track["@type"] == "Video")


class DamageTest(CommandTest):
    """Tests of the messages about a damaged stream."""
    name = "damaged.264"

    def facts(self, data, *options):
        """Returns the JSON and the table with all lists. Writes a page too."""
        path = self.directory / self.name
        path.write_bytes(data)
        result = run("inspect", path, "--json", *options)
        self.assertSucceeds(result)
        table = run("inspect", path, "--html", self.directory / "page.html", "--force", "--frames", "--parameter-sets",
                    *options)
        self.assertSucceeds(table)
        return json.loads(result.stdout), table.stdout.decode()
