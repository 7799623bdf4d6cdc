"""The programs that check streams: FFmpeg, ffprobe, MediaInfo. Each run answers many questions, because starting a
program takes longer than its answers."""
import dataclasses
import json
import os
import re
import subprocess

TIME_LIMIT = 900


def ffmpeg(*arguments, level="error"):
    return ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-v", level, "-y", "-threads", "1", *map(str, arguments)]


def run(arguments, **options):
    return subprocess.run(list(map(str, arguments)), capture_output=True, timeout=TIME_LIMIT, **options)


class Failure(Exception):
    """An error message on a stream."""


def require(condition, sentence):
    if not condition:
        raise Failure(sentence)


def require_silence(program, result, lines=None):
    """Fails if a program printed messages. `lines`: its relevant messages, if there are others."""
    if lines is None:
        lines = result.stderr.decode(errors="replace").strip().splitlines()
    lines = [re.sub(r" @ 0x[0-9a-f]+", "", line) for line in lines]
    # The reader of raw reference pictures reports that they have no duration.
    lines = [line for line in lines if not line.startswith("[rawvideo]")]
    require(not lines and result.returncode == 0, f"{program} says: {'; '.join(lines[:3]) or result.returncode}")


def probe(path, count):
    """Returns ffprobe's stream, packets in decode order, and frames in output order for each of the `count` video
    tracks of a file."""
    # Tracks begin at different times, up to an hour apart. ffprobe must continue until it has seen them all.
    patience = ["-analyzeduration", 1 << 60, "-probesize", 1 << 40] if count > 1 else []
    result = run([
        "ffprobe", "-hide_banner", "-v", "warning", *patience, "-threads", "1", "-show_streams", "-show_packets", "-show_frames",
        "-show_entries", "stream:packet=stream_index,pts,dts,duration,flags:"
        "frame=stream_index,pts,key_frame,pict_type,interlaced_frame",
        "-of", "json", path,
    ])
    require_silence("ffprobe", result)
    answer = json.loads(result.stdout)
    # Asked for packets and frames, ffprobe lists them together, each with its type.
    require(len(answer["streams"]) == count, f"ffprobe sees {len(answer['streams'])} streams, not {count}")
    tracks = [(stream, [], []) for stream in answer["streams"]]
    for entry in answer.get("packets_and_frames", []):
        tracks[entry["stream_index"]][1 if entry["type"] == "packet" else 2].append(entry)
    return tracks


def _headers(lines):
    """Returns the results of FFmpeg's parser (not its decoder) for an Annex B file: the fields of the first SPS and
    PPS; for each packet whether it is a key frame, and its NAL units as (type, reference idc, slice type); and the size
    of all packets."""
    fields, packets, unit, size = {}, [], None, 0
    for line in lines:
        words = line.split("[info] ", 1)[1].split()
        if words[:1] == ["Packet:"]:
            packets.append((", key frame," in line, []))
            size += int(words[1])
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
    return fields, packets, size


def _readers(lines):
    """Returns the messages of each of FFmpeg's Annex B readers, in the order of their start."""
    readers = {}
    for line in lines:
        if line.startswith("[trace_headers"):
            readers.setdefault(line.split("]", 1)[0], []).append(line)
    return list(readers.values())


def decode_strictly(path):
    """Decodes to the end. Fails if FFmpeg prints a warning. The pictures are not checked."""
    require_silence("FFmpeg", run(ffmpeg("-xerror", "-f", "h264", "-i", path, "-f", "null", "-", level="warning")))


@dataclasses.dataclass
class Decoding:
    """Files of one stream, the last of which is Annex B. The references are files of raw frames in sequence, with their
    pixel format and size. The names of FFmpeg's output files begin with `work`."""

    files: list
    references: list
    pixels: str
    size: tuple
    work: str

    def inputs(self):
        inputs = []
        for path in self.files:
            # A constant 25 Hz, because only pictures are compared here. ffprobe has already read the times.
            inputs.append(["-r", "25", "-threads", "1", "-thread_queue_size", "64", "-err_detect", "explode", "-i", path])
        for path in self.references:
            inputs.append(["-thread_queue_size", "64", "-f", "rawvideo", "-pixel_format", self.pixels, "-video_size",
                           "{}x{}".format(*self.size), "-i", path])
        # The stream again with its own times: at 25 Hz the times of a copy would not increase.
        inputs.append(["-f", "h264", "-i", self.files[-1]])
        return inputs

    def outputs(self, number, first):
        """Returns FFmpeg's output options. `number`: of the decoding; `first`: of its first input."""
        reference, last = first + len(self.files), first + len(self.files) + len(self.references)
        graph = [f"[{first}:v]setpts=N,split[shown{number}][hashed{number}_0]"]
        graph += [f"[{first + index}:v]setpts=N[hashed{number}_{index}]" for index in range(1, len(self.files))]
        labels = "".join(f"[{index}:v]" for index in range(reference, last))
        joined = f"{labels}concat=n={len(self.references)}," if len(self.references) > 1 else labels
        graph.append(f"{joined}settb=1/25,setpts=N[wanted{number}]")
        graph.append(f"[shown{number}]settb=1/25,setpts=N[given{number}]")
        graph.append(f"[given{number}][wanted{number}]psnr=stats_file={self.work}.psnr:shortest=1[compared{number}]")
        outputs = ["-filter_complex", ";".join(graph), "-map", f"[compared{number}]", "-fps_mode", "passthrough", "-f", "null",
                   "-"]
        for index in range(len(self.files)):
            outputs += ["-map", f"[hashed{number}_{index}]", "-fps_mode", "passthrough", "-f", "framemd5",
                        f"{self.work}.{index}.md5"]
        return outputs + ["-map", f"{last}:v", "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"]

    def found(self, reader):
        """Returns the hashes of the frames of each file; for each frame of the first file the mean squared errors (Y,
        Cb, Cr) against the references; and the headers of the last file, from its reader's messages."""
        hashes = []
        for index in range(len(self.files)):
            with open(f"{self.work}.{index}.md5", encoding="ascii") as lines:
                hashes.append([line.split(",")[-1].strip() for line in lines if not line.startswith("#")])
        errors = []
        with open(f"{self.work}.psnr", encoding="ascii") as lines:
            for line in lines:
                values = dict(word.split(":") for word in line.split())
                errors.append(tuple(float(values[name]) for name in ("mse_y", "mse_u", "mse_v")))
        fields, packets, size = _headers(reader)
        length = os.path.getsize(self.files[-1])
        require(size == length, f"FFmpeg's reader of Annex B finds {size} bytes in packets of {length}")
        return hashes, errors, (fields, packets)


def decode(decodings, pipes):
    """Decodes all files in one process, strictly and without a warning."""
    inputs, outputs = [], []
    for number, decoding in enumerate(decodings):
        outputs += decoding.outputs(number, len(inputs))
        inputs += decoding.inputs()
    arguments = [argument for entry in inputs for argument in entry]
    result = run(ffmpeg("-xerror", *arguments, *outputs, level="level+info"), pass_fds=pipes)
    messages = result.stderr.decode(errors="replace").splitlines()
    require_silence("ffmpeg", result, [line for line in messages if re.search(r"\[(warning|error|fatal|panic)\]", line)])
    readers = _readers(messages)
    require(len(readers) == len(decodings), f"FFmpeg reads {len(readers)} Annex B files of {len(decodings)}")
    return [decoding.found(reader) for decoding, reader in zip(decodings, readers)]


def media_info(path):
    names = ("Format_Profile", "Format_Level", "Format_Settings_CABAC", "FrameCount", "ScanType", "colour_range",
             "matrix_coefficients", "Width", "Height")
    result = run(["mediainfo", "--Inform=Video;" + "|".join(f"%{name}%" for name in names), path])
    require(result.returncode == 0, "mediainfo fails")
    return dict(zip(names, result.stdout.decode().strip().split("|")))
