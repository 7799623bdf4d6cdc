"""Checks cases: encodes them, lets FFmpeg read and decode the output, and compares."""
import math
import os

import mp4
import pictures
import stream
import tools
from tools import require

DEPENDS_ON_OTHERS = stream.DEPENDS_ON_OTHERS


class Encoded:
    """An encoded case whose samples are as expected."""

    def __init__(self, case, driver, directory, files, number):
        self.case, self.files = case, files
        self.work = os.path.join(directory, f"stream{number}")
        input_kind = ("planes", "wrap", "pool", "own")[number % 4]
        pad = (0, 13, 64)[number // 4 % 3]
        self.samples, self.formats, self.values = stream.encode(case, driver, self.work, files, input_kind, pad)
        stream.check_samples(case, self.samples, self.formats, self.values)
        if self.values["dropped"]:
            tools.decode_strictly(f"{self.work}.264")
        else:
            self.track, self.shift = stream.mp4_track(case, self.samples, self.formats[0])
            mp4.write(f"{self.work}.mp4", [self.track])

    def check(self, found, decoded):
        """Checks the results of ffprobe and FFmpeg. Returns the quality."""
        case, samples, (info, packets, frames) = self.case, self.samples, found
        check_times(samples, packets, frames, self.track.scale, self.shift)
        check_stream(case, info, int(self.values["depth"]))
        hashes, errors, (fields, units) = decoded
        check_fields(case, fields, self.values)
        check_units(case, samples, packets, frames, units)
        if case.media_info:
            check_media_info(case, tools.media_info(f"{self.work}.mp4"))
        quality = check_picture(case, hashes, errors, len(samples))
        for extension in (".264", ".mp4", ".samples", ".log", ".psnr", ".0.md5", ".1.md5"):
            os.remove(self.work + extension)
        return quality


def judge(cases, driver, directory, files, numbers):
    """Checks several cases at once, because a program takes longer to start than to check one. Raises tools.Failure
    with an error message. Returns for each case (luma, worse chroma, worst frame's luma) in dB, or None if frames were
    dropped, because their pictures cannot be compared."""
    all_encoded = [Encoded(case, driver, directory, files, number) for case, number in zip(cases, numbers)]
    whole = [encoded for encoded in all_encoded if not encoded.values["dropped"]]
    found = probe(whole)
    qualities = {}
    for encoded, facts, decoded in zip(whole, found, decode(whole, files) if whole else []):
        qualities[encoded] = encoded.check(facts, decoded)
    return [qualities.get(encoded) for encoded in all_encoded]


def probe(whole):
    """Runs tools.probe on files with one track per case, with as many cases as share a timescale."""
    found, waiting = [], list(whole)
    while waiting:
        count = len(waiting)
        while count > 1 and math.lcm(*(encoded.track.scale for encoded in waiting[:count])) > mp4.LARGEST_MOVIE_SCALE:
            count -= 1
        path = f"{waiting[0].work}.mp4"
        if count > 1:
            path = f"{waiting[0].work}.tracks.mp4"
            mp4.write(path, [encoded.track for encoded in waiting[:count]])
        found += tools.probe(path, count)
        if count > 1:
            os.remove(path)
        del waiting[:count]
    return found


def check_times(samples, packets, frames, scale, shift):
    require(len(packets) == len(samples), f"ffprobe reads {len(packets)} packets of {len(samples)}")
    require(len(frames) == len(samples), f"ffprobe decodes {len(frames)} frames of {len(samples)}")
    for index, (sample, packet) in enumerate(zip(samples, packets)):
        for name, time in (("pts", sample.pts), ("dts", sample.dts)):
            wanted = (time + shift) * scale
            require(packet.get(name) == wanted, f"ffprobe: packet {index} has {name} {packet.get(name)}, not {wanted}")
    shown = [frame.get("pts") for frame in frames]
    wanted = sorted((sample.pts + shift) * scale for sample in samples)
    require(shown == wanted, "ffprobe: the decoder shows the frames at other times than they were given")
    require(not any(frame["interlaced_frame"] for frame in frames), "ffprobe: interlaced frames")


def check_stream(case, info, depth):
    expected = case.expected
    width, height = case.encoded_size
    wanted = {
        "codec_name": "h264", "codec_tag_string": "avc1", "is_avc": "true", "nal_length_size": "4",
        "width": width, "height": height, "field_order": "progressive", "has_b_frames": depth,
        "pix_fmt": "yuvj420p" if expected.full_range else "yuv420p",
        "color_range": "pc" if expected.full_range else "tv",
        "color_space": expected.matrix, "color_transfer": expected.transfer, "color_primaries": expected.primaries,
        "level": expected.level, "sample_aspect_ratio": expected.pixel_aspect_ratio,
    }
    for name, value in wanted.items():
        if value is not None:
            require(info.get(name) == value, f"ffprobe: {name} is {info.get(name)}, not {value}")
    if expected.profiles:
        require(info["profile"] in expected.profiles,
                f"ffprobe: profile {info['profile']}, not {' or '.join(expected.profiles)}")


def check_fields(case, fields, values):
    expected = case.expected
    for flag in expected.constraints:
        require(fields.get(f"constraint_set{flag}_flag") == 1, f"SPS: constraint_set{flag}_flag is not set")
    if expected.cabac is not None:
        require(fields.get("entropy_coding_mode_flag") == int(expected.cabac),
                f"PPS: entropy_coding_mode_flag {fields.get('entropy_coding_mode_flag')}")
    depth = int(values["depth"])
    require(fields.get("max_num_reorder_frames") == depth,
            f"SPS: max_num_reorder_frames {fields.get('max_num_reorder_frames')}, NaluReorderDepth {depth}")
    require((depth > 0) == (values["reordering"] == "1"),
            f"AllowFrameReordering reads {values['reordering']}, NaluReorderDepth {depth}")
    if expected.b_frames == "none":
        require(depth == 0, f"NaluReorderDepth is {depth} without B-frames")
    if depth == 0:
        require(fields.get("pic_order_cnt_type") == 2, f"SPS: pic_order_cnt_type {fields.get('pic_order_cnt_type')}")
    if expected.frame_rate is not None:
        ticks, scale = fields.get("num_units_in_tick"), fields.get("time_scale")
        require(ticks and scale == expected.frame_rate * 2 * ticks,
                f"SPS: timing {scale}/{ticks}, not {expected.frame_rate}")


def check_units(case, samples, packets, frames, units):
    """Checks frame by frame that the Annex B file, the MP4 file and the samples agree."""
    expected = case.expected
    require(len(units) == len(samples), f"Annex B: {len(units)} packets, not {len(samples)}")
    shown_at = sorted(range(len(samples)), key=lambda index: samples[index].pts)
    types = [None] * len(samples)
    decoded_key = [None] * len(samples)
    for position, index in enumerate(shown_at):
        types[index] = frames[position]["pict_type"]
        decoded_key[index] = bool(frames[position]["key_frame"])
    for index, (sample, packet, (is_key, list_of_units)) in enumerate(zip(samples, packets, units)):
        what = f"frame {sample.frame}"
        found = [unit[0] for unit in list_of_units]
        sets = [kind for kind in found if kind in (7, 8)]
        require(is_key == sample.is_key, f"{what}: key frame {sample.is_key}; FFmpeg's reader of Annex B: {is_key}")
        require(("K" in packet["flags"]) == sample.is_key,
                f"{what}: key frame {sample.is_key}; ffprobe: {packet['flags']}")
        require("D" not in packet["flags"], f"{what}: ffprobe says it is to be thrown away")
        require(decoded_key[index] == sample.is_key, f"{what}: key frame {sample.is_key}; FFmpeg's decoder disagrees")
        require(9 not in found[1:], f"{what}: an access unit delimiter that is not the first NAL unit")
        require(sets == ([7, 8] if sample.is_key else []), f"{what}: parameter sets {sets} in Annex B")
        slices = [unit for unit in list_of_units if unit[0] in (1, 5)]
        is_intra = all(unit[2] == 2 for unit in slices)
        require((types[index] == "I") == is_intra, f"{what}: pict_type {types[index]}")
        require(is_intra != bool(sample.attachments & DEPENDS_ON_OTHERS), f"{what}: DependsOnOthers is wrong")
    keys = {sample.frame for sample in samples if sample.is_key}
    if expected.keys is not None:
        require(keys == expected.keys, f"key frames {sorted(keys)}, not {sorted(expected.keys)}")
    require(expected.keys_at_least <= keys, f"key frames {sorted(keys)}, asked for {sorted(expected.keys_at_least)}")
    if expected.b_frames == "none":
        require("B" not in types, "there are B-frames")
        require(shown_at == list(range(len(samples))), "decode order is not presentation order")
    if expected.b_frames == "some":
        require("B" in types, "there are no B-frames")


def check_media_info(case, found):
    """Checks the parameter sets with MediaInfo's independent parser."""
    expected = case.expected
    width, height = case.encoded_size
    profile, _, level = found["Format_Profile"].partition("@L")
    require(profile in expected.profiles, f"MediaInfo: profile {profile}, not {' or '.join(expected.profiles)}")
    if expected.level is not None:
        major, _, minor = level.partition(".")
        require(int(major) * 10 + int(minor or 0) == expected.level, f"MediaInfo: level {level}, not {expected.level}")
    wanted = {
        "ScanType": "Progressive", "Width": str(width), "Height": str(height), "FrameCount": str(len(case.frames)),
        "Format_Settings_CABAC": None if expected.cabac is None else "Yes" if expected.cabac else "No",
        "colour_range": "Full" if expected.full_range else "Limited",
    }
    for name, value in wanted.items():
        require(value is None or found[name] == value, f"MediaInfo: {name} is {found[name]}, not {value}")


def decode(whole, files):
    """Runs tools.decode on the MP4 file and the Annex B file of each case."""
    with files.opened() as (path, pipes):
        decodings = []
        for encoded in whole:
            size, full_range, work = encoded.case.encoded_size, encoded.case.expected.full_range, encoded.work
            references = [path(source.reference(*size, full_range)) for source in encoded.case.sources]
            decodings.append(tools.Decoding([f"{work}.mp4", f"{work}.264"], references,
                                            "yuvj420p" if full_range else "yuv420p", size, work))
        return tools.decode(decodings, pipes)


def check_picture(case, hashes, errors, count):
    expected = case.expected
    require(len(errors) == count, f"{len(errors)} frames to compare, not {count}")
    for name, found in zip(("MP4", "Annex B"), hashes):
        require(len(found) == count, f"FFmpeg decodes {len(found)} frames of {count} from {name}")
    require(hashes[0] == hashes[1], "the MP4 file and the Annex B file decode to different pictures")
    luma, *chroma = (pictures.decibels(sum(plane) / len(plane)) for plane in zip(*errors))
    worst = pictures.decibels(max(error[0] for error in errors))
    quality = luma, min(chroma), worst
    require(luma >= expected.luma, f"luma PSNR {luma:.1f} dB, below {expected.luma}")
    require(min(chroma) >= expected.chroma, f"chroma PSNR {min(chroma):.1f} dB, below {expected.chroma}")
    least = expected.worst if expected.worst is not None else expected.luma - 6
    require(worst >= least, f"luma PSNR of one frame {worst:.1f} dB, below {least}")
    return quality
