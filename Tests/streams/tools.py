"""The programs that judge: FFmpeg, ffprobe, MediaInfo. Each is run once for many questions, because starting one takes
longer than its answers."""
import json
import re
import subprocess

TIME_LIMIT = 300


def ffmpeg(*arguments, level="error"):
    return ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-v", level, "-y", "-threads", "1", *map(str, arguments)]


def run(arguments, **options):
    return subprocess.run(list(map(str, arguments)), capture_output=True, timeout=TIME_LIMIT, **options)


class Failure(Exception):
    """One sentence: what a stream lacks."""


def require(condition, sentence):
    if not condition:
        raise Failure(sentence)


def require_silence(program, result, lines=None):
    """`lines`: those of its messages that matter, where there are others."""
    if lines is None:
        lines = result.stderr.decode(errors="replace").strip().splitlines()
    lines = [re.sub(r" @ 0x[0-9a-f]+", "", line) for line in lines]
    # The reader of the picture of reference says that raw frames tell no duration.
    lines = [line for line in lines if not line.startswith("[rawvideo]")]
    require(not lines and result.returncode == 0, f"{program} says: {'; '.join(lines[:3]) or result.returncode}")


def probe(path):
    """ffprobe's stream, packets in decode order, and frames in output order."""
    result = run([
        "ffprobe", "-hide_banner", "-v", "warning", "-threads", "1", "-show_streams", "-show_packets", "-show_frames",
        "-show_entries", "stream:packet=pts,dts,duration,flags:frame=pts,key_frame,pict_type,interlaced_frame",
        "-of", "json", path,
    ])
    require_silence("ffprobe", result)
    answer = json.loads(result.stdout)
    # Asked for both, ffprobe lists them together, each with its type.
    both = answer.get("packets_and_frames", [])
    packets = [entry for entry in both if entry["type"] == "packet"]
    frames = [entry for entry in both if entry["type"] == "frame"]
    require(len(answer["streams"]) == 1, f"ffprobe sees {len(answer['streams'])} streams")
    return answer["streams"][0], packets, frames


def _headers(lines):
    """What FFmpeg's own reader (not its decoder) finds in an Annex B file: the fields of the first SPS and PPS, and for
    each packet whether it is a key frame and the list of its NAL units, each (type, reference idc, slice type)."""
    fields, packets, unit = {}, [], None
    for line in lines:
        if not line.startswith("[trace_headers"):
            continue
        words = line.split("[info] ", 1)[1].split()
        if words[:1] == ["Packet:"]:
            packets.append((", key frame," in line, []))
        elif len(words) >= 5 and words[-2] == "=":
            name, value = words[1], int(words[-1])
            if name == "nal_ref_idc":
                unit = [None, value, None]
            elif name == "nal_unit_type":
                unit[0] = value
                if packets:
                    packets[-1][1].append(unit)
            elif name == "slice_type":
                unit[2] = value % 5
            elif unit and unit[0] in (7, 8):
                fields.setdefault(name, value)
    return fields, packets


def decode_strictly(path):
    """Without a warning and to the end; what comes out is not looked at."""
    require_silence("FFmpeg", run(ffmpeg("-xerror", "-f", "h264", "-i", path, "-f", "null", "-", level="warning")))


def decode(files, references, work, pixels, size, pipes):
    """Decodes each file, strictly and without a warning. Gives the hashes of the frames of each; for each frame of
    the first the mean squared errors (Y, Cb, Cr) against the references, files of raw frames played one after the
    other; and the headers of the last, an Annex B file."""
    inputs, graph = [], []
    for path in files:
        # At a steady 25 Hz: what follows is about pictures, and ffprobe has seen the times.
        inputs += ["-r", "25", "-threads", "1", "-thread_queue_size", "64", "-err_detect", "explode", "-i", path]
    for path in references:
        inputs += ["-thread_queue_size", "64", "-f", "rawvideo", "-pixel_format", pixels, "-video_size",
                   "{}x{}".format(*size), "-i", path]
    graph.append("[0:v]setpts=N,split[shown][hashed0]")
    graph += [f"[{index}:v]setpts=N[hashed{index}]" for index in range(1, len(files))]
    labels = ""
    for index in range(len(references)):
        labels += f"[{len(files) + index}:v]"
    joined = f"{labels}concat=n={len(references)}," if len(references) > 1 else labels
    graph.append(f"{joined}settb=1/25,setpts=N[wanted]")
    graph.append("[shown]settb=1/25,setpts=N[given]")
    graph.append(f"[given][wanted]psnr=stats_file={work}.psnr:shortest=1[compared]")
    outputs = ["-map", "[compared]", "-fps_mode", "passthrough", "-f", "null", "-"]
    for index in range(len(files)):
        outputs += ["-map", f"[hashed{index}]", "-fps_mode", "passthrough", "-f", "framemd5", f"{work}.{index}.md5"]
    # Once more, with its own times: at 25 Hz they would not grow in a copy.
    inputs += ["-f", "h264", "-i", files[-1]]
    outputs += ["-map", f"{len(files) + len(references)}:v", "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"]
    result = run(ffmpeg("-xerror", *inputs, "-filter_complex", ";".join(graph), *outputs, level="level+info"),
                 pass_fds=pipes)
    messages = result.stderr.decode(errors="replace").splitlines()
    require_silence("ffmpeg", result, [line for line in messages if re.search(r"\[(warning|error|fatal|panic)\]", line)])
    hashes = []
    for index in range(len(files)):
        with open(f"{work}.{index}.md5", encoding="ascii") as lines:
            hashes.append([line.split(",")[-1].strip() for line in lines if not line.startswith("#")])
    errors = []
    with open(f"{work}.psnr", encoding="ascii") as lines:
        for line in lines:
            values = dict(word.split(":") for word in line.split())
            errors.append(tuple(float(values[name]) for name in ("mse_y", "mse_u", "mse_v")))
    return hashes, errors, _headers(messages)


def media_info(path):
    names = ("Format_Profile", "Format_Level", "Format_Settings_CABAC", "FrameCount", "ScanType", "colour_range",
             "matrix_coefficients", "Width", "Height")
    result = run(["mediainfo", "--Inform=Video;" + "|".join(f"%{name}%" for name in names), path])
    require(result.returncode == 0, "mediainfo fails")
    return dict(zip(names, result.stdout.decode().strip().split("|")))
