"""nalu inspect: its JSON compared with FFmpeg and MediaInfo, its table, and its messages on damaged streams."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

from streams import ALL, KINDS, inspected, mediainfo, probed, stream, traced
from support import CLIP, FRAMES, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, ffmpeg, run, start


class Pictures(CommandTest):
    """Frames of streams of every kind, compared with ffprobe."""
    kinds = ALL

    def each(self):
        for kind in self.kinds:
            with self.subTest(kind=kind):
                path = stream(kind)
                yield kind, inspected(path), path

    def test_intact_streams_have_no_problems(self):
        for _, facts, path in self.each():
            self.assertEqual(facts["problems"], [])
            self.assertEqual(facts["problemCount"], 0)
            self.assertEqual(facts["size"], path.stat().st_size)

    def test_frames_have_the_sizes_and_offsets_of_ffprobe(self):
        for _, facts, path in self.each():
            _, packets, _ = probed(path)
            places = [self.place(entry["pos"], path) for entry in packets]
            self.assertEqual([frame["offset"] for frame in facts["frames"]], places)
            self.assertEqual([frame["size"] for frame in facts["frames"]], self.sizes(packets, places, path))
            self.assertEqual(sum(frame["size"] for frame in facts["frames"]), path.stat().st_size)

    def test_frames_have_the_types_and_order_of_ffprobe(self):
        for _, facts, path in self.each():
            _, _, frames = probed(path)
            shown = sorted(facts["frames"], key=lambda frame: frame["display"])
            self.assertEqual([re.sub("IDR|CRA", "I", frame["type"]) for frame in shown],
                             [entry["pict_type"] for entry in frames])
            self.assertEqual([frame["offset"] for frame in shown], [self.place(entry["pkt_pos"], path) for entry in frames])
            self.assertEqual([int(frame["key"]) for frame in shown], [entry["key_frame"] for entry in frames])

    def test_picture_order_counts_match_the_slices(self):
        """The counts have the low bits of the slices, and increase in output order."""
        for _, facts, path in self.each():
            bits = 4 + dict(self.set(path, "Sequence Parameter Set")).get("log2_max_pic_order_cnt_lsb_minus4", 0)
            for frame, slices in zip(facts["frames"], self.slices(path), strict=True):
                if (low := slices[0].get("pic_order_cnt_lsb")) is not None:
                    low += min(0, slices[0].get("delta_pic_order_cnt_bottom", 0))
                    self.assertEqual(frame["pictureOrderCount"] % 2**bits, low % 2**bits)
            shown = sorted(facts["frames"], key=lambda frame: frame["display"])
            for first, second in zip(shown, shown[1:]):
                if second["type"] != "IDR":
                    self.assertLess(first["pictureOrderCount"], second["pictureOrderCount"])

    def test_frames_have_the_slices_of_the_stream(self):
        for _, facts, path in self.each():
            initial = 26 + dict(self.set(path, "Picture Parameter Set"))["pic_init_qp_minus26"]
            for frame, slices in zip(facts["frames"], self.slices(path), strict=True):
                self.assertEqual(frame["slices"], len(slices))
                self.assertEqual(frame["frameNumber"], slices[0]["frame_num"])
                mean = sum(initial + one["slice_qp_delta"] for one in slices) / len(slices)
                self.assertAlmostEqual(frame["qp"], mean)

    def test_nal_units_have_their_offsets_and_sizes(self):
        for _, facts, path in self.each():
            data = path.read_bytes()
            position = 0
            for unit in facts["units"]:
                self.assertEqual(unit["offset"], position)
                self.assertEqual(data[position:position + unit["prefix"]], b"\0\0\0\1"[4 - unit["prefix"]:])
                self.assertHeader(unit, data[position + unit["prefix"]:][:2])
                position += unit["prefix"] + unit["size"]
            self.assertEqual(position, len(data))
            self.assertEqual(sum(row["count"] for row in facts["unitTypes"]), len(facts["units"]))

    def assertHeader(self, unit, bytes):
        self.assertEqual((unit["type"], unit["refIDC"]), (bytes[0] & 31, bytes[0] >> 5 & 3))

    def test_groups_of_pictures_contain_all_frames(self):
        for kind, facts, _ in self.each():
            self.assertEqual(sum(group["frames"] for group in facts["groups"]), len(facts["frames"]))
            self.assertEqual(sum(group["bytes"] for group in facts["groups"]), facts["size"])
            for group in facts["groups"]:
                first = facts["frames"][group["firstFrame"]]
                self.assertTrue(first["key"])
                self.assertEqual(group["closed"], first["type"] == "IDR")
        self.assertFalse(all(group["closed"] for group in inspected(stream("open groups"))["groups"]))
        refresh = inspected(stream("intra refresh"))
        self.assertEqual(len(refresh["groups"]), 1)
        self.assertGreater(sum(frame["recoveryFrames"] is not None for frame in refresh["frames"]), 1)

    def test_the_bit_rate_follows_from_the_frame_sizes(self):
        for _, facts, path in self.each():
            rate = facts["bitRate"]
            seconds = len(facts["frames"]) / facts["stream"]["frameRate"]
            self.assertAlmostEqual(rate["average"], 8 * facts["size"] / seconds, delta=1)
            bits = sum(window["bitRate"] * window["duration"] for window in rate["windows"])
            self.assertAlmostEqual(bits, 8 * facts["size"], delta=1)
            sizes, fps = [frame["size"] for frame in facts["frames"]], facts["stream"]["frameRate"]
            second = min(round(fps), len(sizes))
            rates = [8 * sum(sizes[first:first + second]) * fps / second for first in range(len(sizes) - second + 1)]
            self.assertAlmostEqual(rate["peak"], max(rates), delta=1)
            self.assertAlmostEqual(rate["peakStart"], rates.index(max(rates)) / fps)

    @staticmethod
    def place(text, path):
        """Returns the offset of a packet of FFmpeg."""
        return int(text)

    @staticmethod
    def sizes(packets, places, path):
        """Returns the sizes of FFmpeg's packets at these offsets."""
        return [int(packet["size"]) for packet in packets]

    @staticmethod
    def set(path, title):
        return next(elements for name, elements in traced(path) if name == title)

    slice_title = "Slice Header"

    @staticmethod
    def is_first(slice):
        return slice["first_mb_in_slice"] == 0

    def slices(self, path):
        """Returns the elements of the slices of each picture."""
        pictures = []
        for title, elements in traced(path):
            if title.startswith(self.slice_title):
                slice = dict(elements)
                if self.is_first(slice):
                    pictures.append([])
                pictures[-1].append(slice)
        return pictures


class ParameterSets(CommandTest):
    kinds = ALL
    titles = (("SPS", "Sequence Parameter Set"), ("PPS", "Picture Parameter Set"))

    def test_every_parameter_set_element_equals_ffmpegs(self):
        """Names and values equal FFmpeg's, element by element."""
        for kind in self.kinds:
            facts, units = inspected(stream(kind)), traced(stream(kind))
            for letters, title in self.titles:
                with self.subTest(kind=kind, set=letters):
                    theirs = []
                    for name, elements in units:
                        if name == title and elements not in theirs:
                            theirs.append(elements)
                    ours = [[(element["name"], element["value"]) for element in record["elements"]]
                            for record in facts["parameterSets"] if record["type"] == letters]
                    self.assertEqual(ours, theirs)

    def test_sei_messages_equal_ffmpegs(self):
        titles = {"buffering_period": "Buffering Period", "pic_timing": "Picture Timing",
                  "recovery_point": "Recovery Point", "content_light_level_info": "Content Light Level",
                  "mastering_display_colour_volume": "Mastering Display Colour Volume"}
        seen = set()
        for kind in ("constant rate", "Blu-ray", "interlaced", "intra refresh", "described"):
            facts, units = inspected(stream(kind)), traced(stream(kind))
            for record in facts["sei"]:
                theirs = [[value for _, value in elements] for title, elements in units
                          if title.startswith(titles.get(record["name"], "?"))]
                ours = [[element["value"] for element in message["elements"]] for message in record["messages"]]
                # FFmpeg prints the first NAL unit twice, also as extradata.
                if record["name"] in titles and theirs:
                    with self.subTest(kind=kind, message=record["name"]):
                        seen.add(record["name"])
                        self.assertEqual(ours, theirs[len(theirs) - len(ours):])
        self.assertGreaterEqual(seen, {"buffering_period", "pic_timing", "recovery_point"})
        described = {record["name"]: record for record in inspected(stream("described"))["sei"]}
        light = described["content_light_level_info"]["messages"][0]["elements"]
        self.assertEqual([element["value"] for element in light], [1000, 400])
        display = described["mastering_display_colour_volume"]["messages"][0]["elements"]
        self.assertEqual([element["value"] for element in display],
                         [13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10000000, 1])

    def test_the_facts_of_the_stream_equal_those_of_ffprobe_and_mediainfo(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                facts = inspected(stream(kind))["stream"]
                probe, _, _ = probed(stream(kind))
                self.assertEqual((facts["width"], facts["height"]), (WIDTH, HEIGHT))
                self.assertEqual(facts["profile"], probe["profile"])
                self.assertEqual(facts["level"].replace(".", "").ljust(2, "0"), str(probe["level"]))
                top, bottom = map(int, probe["r_frame_rate"].split("/"))
                self.assertAlmostEqual(facts["frameRate"], top / bottom)
                info = mediainfo(stream(kind))
                self.assertEqual(facts["bitDepth"], int(info["BitDepth"]))
                if "ChromaSubsampling" in info:
                    self.assertEqual(facts["chroma"], info["ChromaSubsampling"])
                self.assertEqual(f"{facts['profile']}@L{facts['level']}".replace("Constrained ", "").replace(
                    "High 4:4:4 Predictive", "High 4:4:4 Predictive"),
                    f"{info['Format_Profile']}@L{info['Format_Level']}".replace("Constrained ", ""))
                self.assertTrue(facts["encoder"].startswith("x264 - core"))


def shown(columns, *arguments, **environment):
    """Returns the standard output of the command in a terminal of this width."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = start(*arguments, stdin=subprocess.DEVNULL, stdout=slave,
                    env={**os.environ, "TERM": "xterm-256color", **environment})
    os.close(slave)
    data = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the command has ended
            piece = b""
        if not piece:
            break
        data += piece
    os.close(master)
    assert process.wait() == 0
    return data.decode().replace("\r\n", "\n")


class Table(CommandTest):
    def test_the_table_fits_into_80_columns(self):
        for kind in ("Blu-ray", "weights", "described", "intra refresh"):
            for options in ((), ("--parameter-sets",), ("--frames", "--units")):
                with self.subTest(kind=kind, options=options):
                    text = shown(80, "inspect", stream(kind), *options, TERM="xterm-256color")
                    self.assertIn("\x1b[", text)
                    plain = shown(80, "inspect", stream(kind), *options, NO_COLOR="1")
                    self.assertNotIn("\x1b", plain)
                    self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", text), plain)
                    # The first line contains the file's name.
                    self.assertLessEqual(max(map(len, plain.splitlines()[1:])), 80)
        self.assertNotIn("\x1b", shown(80, "inspect", stream("CAVLC"), TERM="dumb"))

    def test_the_table_has_every_part_of_the_report(self):
        result = run("inspect", stream("Blu-ray"))
        self.assertSucceeds(result)
        text = result.stdout.decode()
        self.assertNotIn("\x1b", text)
        for part in ("High, level 2.1 (avc1.640015)", "176x144", "Pictures", "Groups of pictures", "Bit rate", "NAL units",
                     "Parameter sets", "SEI messages", "pic_timing", "IPBbb"):
            self.assertIn(part, text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_options_list_every_frame_nal_unit_and_element(self):
        path = stream("slices")
        facts = inspected(path)
        text = run("inspect", path, "--frames", "--units", "--parameter-sets").stdout.decode()
        rows = text.split("Every frame")[1].split("Every NAL unit")[0].splitlines()[2:]
        self.assertEqual([int(row.split()[0]) for row in rows if row.strip()], list(range(FRAMES)))
        units = text.split("Every NAL unit")[1].splitlines()[2:]
        self.assertEqual([int(row.split()[0]) for row in units if row.strip()],
                         [unit["offset"] for unit in facts["units"]])
        for record in facts["parameterSets"]:
            for element in record["elements"]:
                self.assertRegex(text, rf"(?m)^  {element['name']} +.*\b{element['value']}\b")

    def test_a_pipe_gives_the_same_report_as_a_file(self):
        path = stream("pyramid")
        piped = json.loads(run("inspect", "-", "--json", input=path.read_bytes()).stdout)
        self.assertEqual(piped.pop("file"), "standard input")
        alone = dict(inspected(path))
        self.assertEqual(alone.pop("file"), str(path))
        self.assertEqual(piped, alone)

    def test_fps_sets_the_frame_rate(self):
        path = stream("pyramid")
        facts = inspected(path, "--fps", "50")
        self.assertEqual(facts["stream"]["frameRate"], 50)
        self.assertEqual(facts["stream"]["frameRateSource"], "option")
        self.assertAlmostEqual(facts["stream"]["duration"], FRAMES / 50)
        self.assertAlmostEqual(inspected(path, "--fps", "29.97")["stream"]["frameRate"], 30000 / 1001)
        for bad in ("0", "-1", "x", "1/0", "nan", "inf", "1e9", "1/2/3", "", "1/1000"):
            self.assertRefuses(run("inspect", path, "--fps", bad), 64, "--fps")


    def test_the_frame_rate_follows_from_picture_timing(self):
        """Streams with a constant rate whose ticks are those of a 90 kHz clock."""
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "--quiet", "-p", "ConstantBitRate=300k"))
        facts = inspected(self.output)
        self.assertAlmostEqual(facts["stream"]["frameRate"], 30000 / 1001)
        self.assertIn(facts["stream"]["frameRateSource"], ("timing", "stream"))


class Forms(CommandTest):
    def test_length_prefixed_streams_are_detected(self):
        for size in (2, 4):
            with self.subTest(size=size):
                path = self.directory / f"{size}.avc"
                self.assertSucceeds(run("convert", stream("slices"), "-o", path, "--to-length-size", size))
                facts = inspected(path)
                self.assertEqual((facts["form"], facts["lengthSize"]), ("length-prefixed", size))
                self.assertEqual([frame["type"] for frame in facts["frames"]],
                                 [frame["type"] for frame in inspected(stream("slices"))["frames"]])
                self.assertEqual(facts["problems"], [])

    def test_lengths_of_one_byte_are_detected(self):
        source, data = inspected(stream("CAVLC")), stream("CAVLC").read_bytes()
        units = [data[unit["offset"] + unit["prefix"]:][:unit["size"]] for unit in source["units"] if unit["size"] < 256]
        (path := self.directory / "short").write_bytes(b"".join(bytes([len(unit)]) + unit for unit in units))
        facts = inspected(path)
        self.assertEqual(facts["lengthSize"], 1)
        self.assertEqual([unit["size"] for unit in facts["units"]], list(map(len, units)))

    def test_options_override_the_detected_format(self):
        self.assertEqual(inspected(stream("slices"), "--annexb")["form"], "annexb")
        result = run("inspect", stream("slices"), "--length-size", "4")
        self.assertSucceeds(result)
        self.assertIn("problem", result.stdout.decode())
        self.assertRefuses(run("inspect", stream("slices"), "--length-size", "3"), 64, "3", "1, 2 or 4")
        self.assertRefuses(run("inspect", stream("slices"), "--annexb", "--length-size", "4"), 64, "--annexb")

    def test_avcc_supplies_missing_parameter_sets(self):
        data = stream("CAVLC").read_bytes()
        units = [data[unit["offset"] + unit["prefix"]:][:unit["size"]] for unit in inspected(stream("CAVLC"))["units"]]
        sps, pps = (next(unit for unit in units if unit[0] & 31 == kind) for kind in (7, 8))
        record = (b"\x01" + sps[1:4] + b"\xff\xe1" + len(sps).to_bytes(2, "big") + sps + b"\x01"
                  + len(pps).to_bytes(2, "big") + pps)
        (self.directory / "avcC").write_bytes(record)
        path = self.directory / "slices"
        path.write_bytes(b"".join(len(unit).to_bytes(4, "big") + unit for unit in units if unit[0] & 31 in (1, 5)))
        without = inspected(path)
        self.assertEqual({frame["type"] for frame in without["frames"]}, {"IDR", "P"})
        self.assertIn("picture parameter set 0, which is missing", without["problems"][0]["message"])
        facts = inspected(path, "--avcc", str(self.directory / "avcC"))
        self.assertEqual(facts["problems"], [])
        self.assertEqual(facts["stream"]["profile"], "Constrained Baseline")
        self.assertEqual(len(facts["frames"]), FRAMES)
        self.assertIsNone(facts["parameterSets"][0]["offset"])
        self.assertRefuses(run("inspect", path, "--avcc", path), 1, path)


class Bits:
    """Writes syntax elements as the standard codes them."""

    def __init__(self, header):
        self.text = f"{header:08b}"

    def u(self, width, *values):
        for value in values:
            self.text += f"{value:0{width}b}"
        return self

    def ue(self, *values):
        for value in values:
            digits = f"{value + 1:b}"
            self.text += "0" * (len(digits) - 1) + digits
        return self

    def unit(self, tail=b""):
        """Returns the NAL unit with a start code. These units are too short to need emulation prevention."""
        text = self.text + "1"
        text += "0" * (-len(text) % 8)
        return b"\0\0\0\1" + int(text, 2).to_bytes(len(text) // 8, "big") + tail


class Fields(CommandTest):
    """Pictures of single fields, which x264 does not write; made by hand."""

    SPS = Bits(0x67).u(8, 77, 0, 30).ue(0, 0, 0, 2, 1).u(1, 0).ue(10, 4).u(1, 0, 0, 1, 0, 0).unit()
    PPS = Bits(0x68).ue(0, 0).u(1, 0, 0).ue(0, 0, 0).u(1, 0).u(2, 0).ue(0, 0, 0).u(1, 0, 0, 0).unit()

    @staticmethod
    def field(bottom, number, count, idr=False, reference=True):
        slice = Bits((5 if idr else 1) | (0x60 if reference else 0)).ue(0, 7 if idr else 5, 0).u(4, number).u(1, 1, bottom)
        if idr:
            slice.ue(0)
        slice.u(6, count)
        slice.u(1, 0, 0)  # marking of an IDR picture; or no override and no modification
        if reference and not idr:
            slice.u(1, 0)
        return slice.ue(0).unit(b"\xa5" * 20)

    def test_two_fields_are_one_frame(self):
        units = [self.SPS, self.PPS, self.field(0, 0, 0, idr=True), self.field(1, 0, 1), self.field(0, 1, 2),
                 self.field(1, 1, 3), self.field(1, 2, 4, reference=False), self.field(0, 2, 5, reference=False),
                 self.field(0, 3, 6)]
        (path := self.directory / "fields.264").write_bytes(b"".join(units))
        facts = inspected(path)
        self.assertEqual(facts["problems"], [])
        self.assertEqual((facts["stream"]["width"], facts["stream"]["height"]), (176, 160))
        self.assertEqual(facts["stream"]["accessUnits"], 7)
        frames = facts["frames"]
        self.assertEqual([frame["type"] for frame in frames], ["IDR", "P", "P", "P"])
        self.assertEqual([frame["structure"] for frame in frames], ["field-pair"] * 3 + ["top-field"])
        self.assertEqual([frame["pictureOrderCount"] for frame in frames], [0, 2, 4, 6])
        self.assertEqual([frame["reference"] for frame in frames], [True, True, False, True])
        sizes = list(map(len, units))
        self.assertEqual([frame["size"] for frame in frames],
                         [sum(sizes[:4]), sum(sizes[4:6]), sum(sizes[6:8]), sizes[8]])
        table = run("inspect", path, "--frames").stdout.decode()
        self.assertIn("field-pair", table)
        self.assertIn("fields", table)


class PrefixUnits(CommandTest):
    """Prefix NAL units (type 14) before every slice, as scalable streams have them. They begin no access unit between the
    slices of a picture (ITU-T H.264 7.4.1.2.3)."""

    def setUp(self):
        super().setUp()
        plain = stream("slices")
        data, self.plain = plain.read_bytes(), inspected(plain)
        parts = []
        for unit in self.plain["units"]:
            end = unit["offset"] + unit["prefix"] + unit["size"]
            if unit["type"] in (1, 5):
                is_reference = unit["refIDC"] > 0
                parts.append(b"\0\0\0\1" + bytes([unit["refIDC"] << 5 | 14, 0xC0 if unit["type"] == 5 else 0x80, 0x80,
                                                  7 if is_reference else 0x27]) + b"\x20" * is_reference)
            parts.append(data[unit["offset"]:end])
        (path := self.directory / "prefixes.264").write_bytes(b"".join(parts))
        self.path = path

    def test_a_frame_has_all_slices(self):
        facts = inspected(self.path)
        self.assertEqual(facts["problems"], [])
        self.assertEqual(facts["stream"]["accessUnits"], self.plain["stream"]["accessUnits"])
        added = [frame["slices"] * (9 if frame["reference"] else 8) for frame in self.plain["frames"]]
        offset = 0
        for frame, plain, more in zip(facts["frames"], self.plain["frames"], added, strict=True):
            self.assertEqual((frame["slices"], frame["type"], frame["pictureOrderCount"], frame["qp"]),
                             (plain["slices"], plain["type"], plain["pictureOrderCount"], plain["qp"]))
            self.assertEqual((frame["offset"], frame["size"]), (offset, plain["size"] + more))
            offset += frame["size"]

    def test_copied_samples_begin_with_their_own_prefix(self):
        """Samples of the stream, and of a transport stream, where FFmpeg's parser leaves the first prefix of each picture with
        the picture before."""
        ffmpeg("-f", "h264", "-i", self.path, "-c", "copy", "-bsf:v", "setts=ts=N*48000",
               transport := self.directory / "prefixes.ts")
        for source in (self.path, transport):
            with self.subTest(source=source.suffix):
                self.assertSucceeds(run("demux", source, movie := self.directory / "out.mp4", "--force"))
                result = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0", movie],
                                        capture_output=True, check=True, timeout=TIME_LIMIT)
                places = [map(int, line.split(b",")) for line in result.stdout.split()]
                self.assertEqual(len(places), len(self.plain["frames"]))
                data = movie.read_bytes()
                for size, position in places:
                    kinds, end = [], position + size
                    while position < end:
                        kinds.append(data[position + 4] & 31)
                        position += 4 + struct.unpack_from(">I", data, position)[0]
                    slices = [kind for kind in kinds if kind in (1, 5, 14)]
                    self.assertEqual(slices, [14, slices[1]] * 4)
