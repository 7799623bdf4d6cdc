"""nalu inspect of H.265: its JSON compared with FFmpeg and MediaInfo, its table and page, and damaged streams."""
import json
import random
import subprocess

import test_inspect
from streams import HEVC, DamageTest, inspected, mediainfo, probed, stream, traced
from support import CLIP, FRAMES, HEIGHT, WIDTH, CommandTest, ffmpeg, run


class Pictures(test_inspect.Pictures):
    """The tests of H.264 pictures with the differences of H.265."""
    kinds = tuple(HEVC)

    @staticmethod
    def place(text, path):
        """FFmpeg counts the first zero of a four-byte start code as part of the packet before."""
        place = int(text)
        return place - 1 if place and path.read_bytes()[place - 1:place + 3] == b"\0\0\0\1" else place

    @staticmethod
    def sizes(packets, places, path):
        return [end - start for start, end in zip(places, [*places[1:], path.stat().st_size])]

    slice_title = "Slice Segment Header"

    @staticmethod
    def is_first(slice):
        return slice["first_slice_segment_in_pic_flag"]

    def test_picture_order_counts_match_the_slices(self):
        """The counts have the low bits of the slices, and increase in output order up to the next IDR picture."""
        for _, facts, path in self.each():
            bits = 4 + dict(self.set(path, "Sequence Parameter Set"))["log2_max_pic_order_cnt_lsb_minus4"]
            for frame, slices in zip(facts["frames"], self.slices(path), strict=True):
                self.assertEqual(frame["pictureOrderCount"] % 2**bits, slices[0].get("slice_pic_order_cnt_lsb", 0))
            shown = sorted(facts["frames"], key=lambda frame: frame["display"])
            for first, second in zip(shown, shown[1:]):
                if second["type"] != "IDR" and not second["unitType"].startswith("RADL"):
                    self.assertLess(first["pictureOrderCount"], second["pictureOrderCount"])

    def test_frames_have_the_slices_of_the_stream(self):
        for _, facts, path in self.each():
            self.assertEqual([frame["slices"] for frame in facts["frames"]], [len(one) for one in self.slices(path)])
            self.assertEqual({(frame["qp"], frame["frameNumber"]) for frame in facts["frames"]}, {(None, None)})
        self.assertEqual({frame["slices"] for frame in inspected(stream("H.265, slices"))["frames"]}, {4})

    def assertHeader(self, unit, bytes):
        header = int.from_bytes(bytes, "big")
        self.assertEqual((unit["type"], unit["layer"], unit["subLayer"]),
                         (header >> 9, header >> 3 & 63, (header & 7) - 1))

    def test_groups_of_pictures_contain_all_frames(self):
        for _, facts, _ in self.each():
            self.assertEqual(sum(group["frames"] for group in facts["groups"]), len(facts["frames"]))
            self.assertEqual(sum(group["bytes"] for group in facts["groups"]), facts["size"])
            for group in facts["groups"]:
                frames = facts["frames"][group["firstFrame"]:][:group["frames"]]
                self.assertEqual([frame["key"] for frame in frames], [True] + [False] * (len(frames) - 1))
                skips = any(frame["unitType"].startswith("RASL") for frame in frames)
                self.assertEqual(group["closed"], not skips)
        groups = inspected(stream("H.265, open groups"))["groups"]
        self.assertIn(False, [group["closed"] for group in groups])

    def test_h265_picture_types_are_named(self):
        def types(kind, key):
            return {frame[key] for frame in inspected(stream(kind))["frames"]}
        self.assertEqual(types("H.265, open groups", "type"), {"IDR", "CRA", "P", "B"})
        self.assertGreaterEqual(types("H.265, open groups", "unitType"), {"CRA_NUT", "TRAIL_R", "RASL_N"})
        self.assertIn("IDR_W_RADL", types("H.265, leading", "unitType"))
        self.assertTrue({"RADL_N", "RADL_R"} & types("H.265, leading", "unitType"))
        self.assertEqual(types("H.265, intra", "type"), {"IDR"})
        self.assertEqual(types("H.265, sub-layers", "subLayer"), {0, 1})
        self.assertEqual(types("H.265", "subLayer"), {0})
        self.assertEqual(types("H.265", "shown"), {True})


class ParameterSets(test_inspect.ParameterSets):
    kinds = tuple(HEVC)
    titles = (("VPS", "Video Parameter Set"), *test_inspect.ParameterSets.titles)

    def test_sei_messages_equal_ffmpegs(self):
        titles = {"buffering_period": "Buffering Period", "pic_timing": "Picture Timing",
                  "recovery_point": "Recovery Point", "content_light_level_info": "Content Light Level",
                  "mastering_display_colour_volume": "Mastering Display Colour Volume",
                  "active_parameter_sets": "Active Parameter Sets"}
        seen = set()
        for kind in self.kinds:
            facts, units = inspected(stream(kind)), traced(stream(kind))
            for record in facts["sei"]:
                theirs = [elements for title, elements in units if title.startswith(titles.get(record["name"], "?"))]
                ours = [[(element["name"], element["value"]) for element in message["elements"]]
                        for message in record["messages"]]
                if theirs:
                    with self.subTest(kind=kind, message=record["name"]):
                        seen.add(record["name"])
                        # FFmpeg prints the first NAL unit twice, also as extradata.
                        theirs = theirs[len(theirs) - len(ours):]
                        self.assertEqual(*([[value for _, value in elements] for elements in all] for all in (ours, theirs)))
        self.assertGreaterEqual(seen, {"buffering_period", "pic_timing", "active_parameter_sets",
                                       "content_light_level_info", "mastering_display_colour_volume"})

    def test_the_facts_of_the_stream_equal_those_of_ffprobe_and_mediainfo(self):
        for kind in self.kinds:
            with self.subTest(kind=kind):
                facts = inspected(stream(kind))["stream"]
                probe, _, _ = probed(stream(kind))
                info = mediainfo(stream(kind))
                self.assertEqual(facts["format"], "H.265")
                self.assertEqual((facts["width"], facts["height"]), (WIDTH, HEIGHT))
                self.assertEqual(facts["profile"] if probe["profile"] != "Rext" else "Rext", probe["profile"])
                self.assertEqual(round(float(facts["level"]) * 30), probe["level"])
                self.assertEqual((facts["level"], facts["tier"]), (info["Format_Level"], info["Format_Tier"]))
                top, bottom = map(int, probe["r_frame_rate"].split("/"))
                self.assertAlmostEqual(facts["frameRate"], top / bottom)
                self.assertEqual(facts["bitDepth"], int(info["BitDepth"]))
                if "ChromaSubsampling" in info:
                    self.assertEqual(facts["chroma"], info["ChromaSubsampling"])
                self.assertEqual(facts["reorderDepth"], probe["has_b_frames"])
                self.assertEqual(facts["interlaced"], kind == "H.265, fields")
                if kind != "H.265, plain":
                    self.assertTrue(facts["encoder"].startswith("x265 (build"))
        profiles = {kind: inspected(stream(kind))["stream"]["profile"] for kind in self.kinds}
        self.assertEqual(profiles["H.265, 4:2:2, 10 bits"], "Main 4:2:2 10")
        self.assertEqual(profiles["H.265, 4:4:4"], "Main 4:4:4")
        self.assertEqual(profiles["H.265, gray"], "Monochrome")
        self.assertEqual(profiles["H.265, intra"], "Main Intra")
        self.assertEqual(inspected(stream("H.265, sub-layers"))["stream"]["subLayers"], 2)
        described = inspected(stream("H.265, described"))["stream"]
        self.assertEqual((described["color"], described["fullRange"]), ("BT.2020 / PQ / BT.2020", True))
        self.assertEqual(described["codec"], "hvc1.2.4.L120.90")


class Table(CommandTest):
    def test_the_table_has_every_part_of_an_h265_report(self):
        result = run("inspect", stream("H.265, open groups"), "--frames", "--units", "--parameter-sets")
        self.assertSucceeds(result)
        text = result.stdout.decode()
        for part in ("H.265 Main, Main tier, level 2 (hvc1.1.6.L60.90)", "176x144, 4:2:0, 8 bits, progressive", "CRA",
                     "C CRA", "RASL_N slice", "VPS 0 at byte", "general_profile_compatibility_flag", "reorder depth",
                     "CRA_NUT", "x265 (build"):
            self.assertIn(part, text)
        rows = text.split("Every frame")[1].split("Every NAL unit")[0].splitlines()[2:]
        self.assertEqual([int(row.split()[0]) for row in rows if row.strip()], list(range(FRAMES)))

    def test_the_h265_table_fits_into_80_columns(self):
        for kind in ("H.265, timed", "H.265, sub-layers", "H.265, described"):
            with self.subTest(kind=kind):
                text = test_inspect.shown(80, "inspect", stream(kind), "--frames", "--units", "--parameter-sets",
                                          NO_COLOR="1")
                self.assertLessEqual(max(map(len, text.splitlines()[1:])), 80)

    def test_the_page_describes_an_h265_stream(self):
        page = self.directory / "page.html"
        self.assertSucceeds(run("inspect", stream("H.265, open groups"), "--html", page))
        text = page.read_text()
        for part in ("H.265, Annex B", "k-cra", "RASL_N", "Sub-layer", "open group begins"):
            self.assertIn(part, text)


class Forms(CommandTest):
    def frames(self, path, *options):
        return [frame["type"] for frame in inspected(path, *options)["frames"]]

    def test_length_prefixed_h265_is_detected_and_converted_back(self):
        path, back = self.directory / "clip.hvc", self.directory / "back.265"
        for size in (2, 4):
            with self.subTest(size=size):
                self.assertSucceeds(run("convert", stream("H.265, slices"), "-o", path, "--force", "--to-length-size", size))
                inspected.cache_clear()
                facts = inspected(path)
                self.assertEqual((facts["form"], facts["lengthSize"]), ("length-prefixed", size))
                self.assertEqual(self.frames(path), self.frames(stream("H.265, slices")))
                self.assertSucceeds(run("convert", path, "-o", back, "--force"))
                theirs, ours = (ffmpeg("-f", "hevc", "-i", each, "-f", "md5", "-")
                                for each in (stream("H.265, slices"), back))
                self.assertEqual(ours, theirs)

    def test_a_long_h265_stream_is_detected_from_its_beginning(self):
        """The form is detected from the first megabyte, even if the stream is longer."""
        data = stream("H.265, intra").read_bytes()
        data *= (1 << 20) // len(data) + 2
        path = self.directory / "long"
        path.write_bytes(data)
        facts = inspected(path)
        self.assertEqual((facts["form"], facts["stream"]["format"], facts["size"]), ("annexb", "H.265", len(data)))

    def test_an_h265_pipe_gives_the_same_report_as_a_file(self):
        data = stream("H.265").read_bytes()
        piped = json.loads(run("inspect", "-", "--json", input=data).stdout)
        self.assertEqual(piped["stream"], inspected(stream("H.265"))["stream"])
        other = self.directory / "clip.264"
        other.write_bytes(data)
        self.assertEqual(inspected(other)["stream"]["format"], "H.265")

    def test_hvcc_supplies_missing_parameter_sets(self):
        """The samples of an MP4 file only, with the content of its hvcC box."""
        video, samples, record = (self.directory / name for name in ("clip.mp4", "samples", "record"))
        ffmpeg("-r", "30000/1001", "-i", stream("H.265, open groups"), "-c", "copy", "-tag:v", "hvc1", video)
        data = video.read_bytes()
        place = data.index(b"hvcC")
        record.write_bytes(data[place + 4:place - 4 + int.from_bytes(data[place - 4:place], "big")])
        place = data.index(b"mdat")
        samples.write_bytes(data[place + 4:place - 4 + int.from_bytes(data[place - 4:place], "big")])
        facts = inspected(samples, "--hvcc", record)
        self.assertEqual(facts["problems"], [])
        self.assertEqual([frame["type"] for frame in facts["frames"]],
                         [frame["type"] for frame in inspected(stream("H.265, open groups"))["frames"]])
        self.assertRefuses(run("inspect", samples, "--hvcc", record, "--codec", "h264"), 64, "--hvcc is for H.265")
        self.assertRefuses(run("inspect", samples, "--hvcc", record, "--avcc", record), 64, "--avcc and --hvcc are both set")
        self.assertRefuses(run("inspect", samples, "--avcc", record), 1, record)

    def test_codec_overrides_the_detected_codec(self):
        self.assertRefuses(run("inspect", stream("H.265"), "--codec", "vp9"), 64, "--codec")
        facts = inspected(stream("H.265"), "--codec", "h264")
        self.assertEqual(facts["stream"]["format"], "H.264")
        self.assertEqual(inspected(stream("pyramid"), "--codec", "h264")["problems"], [])


class Containers(CommandTest):
    def test_h265_tracks_of_containers_are_inspected(self):
        for extension in ("mp4", "mov", "mkv", "ts"):
            with self.subTest(extension=extension):
                path = self.directory / f"clip.{extension}"
                ffmpeg("-i", CLIP, "-c:v", "libx265", "-x265-params", "log-level=none:bframes=3:keyint=30", path)
                facts = inspected(path)
                self.assertEqual(facts["problems"], [])
                self.assertEqual(facts["container"]["tracks"][0]["codec"], "hevc")
                self.assertEqual((facts["stream"]["format"], facts["stream"]["frames"]), ("H.265", FRAMES))
                result = subprocess.run(
                    ["ffprobe", "-v", "error", "-show_entries", "packet=size,pts_time,flags", "-of", "json", path],
                    capture_output=True, check=True)
                packets = json.loads(result.stdout)["packets"]
                scale = facts["container"]["tracks"][0]["timescale"]
                for frame, packet in zip(facts["frames"], packets, strict=True):
                    self.assertAlmostEqual(frame["pts"] / scale, float(packet["pts_time"]), places=5)
                    self.assertEqual(frame["key"], packet["flags"].startswith("K"))
                    if extension != "ts":
                        self.assertEqual(frame["size"], int(packet["size"]))


class Damage(DamageTest):
    name = "damaged.265"

    def test_a_truncated_h265_stream_is_reported_as_far_as_it_is_readable(self):
        data = stream("H.265, slices").read_bytes()
        for length in (6, 10, 30, 60, 100, 700, len(data) // 2, len(data) - 1):
            with self.subTest(length=length):
                facts, _ = self.facts(data[:length])
                self.assertEqual((facts["size"], facts["stream"]["format"]), (length, "H.265"))

    def test_h265_slices_without_parameter_sets_are_problems(self):
        data = stream("H.265").read_bytes()
        units = [b"\0\0\0\1" + unit for unit in data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]]
        slices = b"".join(unit for unit in units if unit[4] >> 1 < 32)
        facts, text = self.facts(slices)
        self.assertEqual(facts["stream"]["format"], "H.265")
        self.assertIn("a slice with picture parameter set 0, which is missing", text)
        self.assertEqual(len(facts["frames"]), FRAMES)
        lost = b"".join(unit for unit in units if unit[4] >> 1 != 33)
        self.assertIn("sequence parameter set 0, which is missing", self.facts(lost)[1])

    def test_corrupt_h265_parameter_sets_are_problems(self):
        facts, text = self.facts(b"\0\0\0\1\x40\x01\x0c\x0f" + bytes(range(255, 100, -1)))
        self.assertEqual((facts["stream"]["format"], facts["frames"]), ("H.265", []))
        self.assertGreater(facts["problemCount"], 0)
        self.assertIn("VPS", text)

    def test_flipped_bits_in_h265_never_crash_inspect(self):
        source = random.Random(265)
        for kind in ("H.265, slices", "H.265, timed"):
            data = stream(kind).read_bytes()
            for _ in range(12):
                damaged = bytearray(data)
                for _ in range(source.choice((1, 20, 400))):
                    damaged[source.randrange(len(data))] ^= 1 << source.randrange(8)
                facts, _ = self.facts(bytes(damaged))
                self.assertEqual(facts["size"], len(data))

    def test_an_h265_picture_without_its_first_slice_is_listed(self):
        """A picture without its first slice segment is still listed as a picture."""
        data = stream("H.265, slices").read_bytes()
        units = data.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]
        firsts = [index for index, unit in enumerate(units) if unit[0] >> 1 < 32 and unit[2] & 0x80]
        del units[firsts[5]]
        facts, _ = self.facts(b"".join(b"\0\0\1" + unit for unit in units))
        self.assertEqual(len(facts["frames"]), FRAMES)
        self.assertEqual([frame["slices"] for frame in facts["frames"]].count(3), 1)
