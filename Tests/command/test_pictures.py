"""Properties of pictures beside their pixels: fields, size, depth, colour. Each is kept, or a line names its loss."""
import pathlib
import re
import struct
import subprocess

from media import ffprobe, media, pictures, succeeded
from support import CLIP, TIME_LIMIT, CommandTest, ffmpeg, run

COLOUR = ("color_range", "color_space", "color_transfer", "color_primaries", "chroma_location")


def stream(path):
    return next(each for each in ffprobe(path, "-show_streams")["streams"] if each["codec_type"] == "video")


class PictureTest(CommandTest):
    def made(self, name, *options, source=CLIP, frames=12):
        path = self.directory / name
        ffmpeg("-i", source, "-frames:v", frames, *options, path)
        return path

    def not_kept(self, result):
        """Returns the names in the line of losses."""
        lines = [line for line in result.stderr.decode().splitlines() if line.startswith("not kept of ")]
        self.assertLessEqual(len(lines), 1, lines)
        return lines[0].split(": ", 1)[1] if lines else ""


class Fields(PictureTest):
    def interlaced(self, order, name="fields.mp4"):
        return self.made(name, "-vf", f"tinterlace=interleave_{'top' if order == 'tt' else 'bottom'}", "-flags", "+ildct+ilme",
                         "-c:v", "libx264", "-x264opts", "tff=1" if order == "tt" else "bff=1", frames=8)

    def test_y4m_says_which_field_is_first(self):
        for order, tag in (("tt", b" It "), ("bb", b" Ib ")):
            with self.subTest(order=order):
                source = self.interlaced(order, f"{order}.mp4")
                self.assertEqual(stream(source)["field_order"], order)
                header = succeeded("decode", source, "-").stdout.split(b"\n")[0]
                self.assertIn(tag, header)
        self.assertIn(b" Ip ", succeeded("decode", media("mp4"), "-", "--frames", "1").stdout.split(b"\n")[0])

    def test_transcoding_keeps_fields(self):
        for order, name in (("tt", "tt.ts"), ("bb", "bb.mp4")):
            for output in ("clip.mp4", "clip.ts"):
                with self.subTest(order=order, output=output):
                    source, path = self.interlaced(order, name), self.directory / output
                    result = succeeded("transcode", source, path, "--force")
                    self.assertEqual(stream(path)["field_order"], order)
                    self.assertEqual(self.not_kept(result), "")

    def test_interlaced_y4m_is_encoded_as_fields_again(self):
        source = self.interlaced("bb")
        y4m = self.directory / "fields.y4m"
        succeeded("decode", source, y4m)
        succeeded("encode", y4m, "-o", self.directory / "back.mp4")
        self.assertEqual(stream(self.directory / "back.mp4")["field_order"], "bb")

    def test_a_line_reports_fields_that_the_session_cannot_encode(self):
        """A line states why. Requesting progressive frames is no loss."""
        source = self.interlaced("tt")
        path = self.directory / "clip.mp4"
        result = succeeded("transcode", source, path, "-p", "ProfileLevel=H264_Baseline_AutoLevel")
        self.assertIn("interlacing (", self.not_kept(result))
        self.assertEqual(stream(path)["field_order"], "progressive")
        result = succeeded("transcode", source, path, "--force", "-p", "FieldCount=1")
        self.assertEqual(self.not_kept(result), "")
        self.assertEqual(stream(path)["field_order"], "progressive")

    def test_h265_fields_become_frames(self):
        """H.265 has no frames of two fields."""
        source = self.made("fields.h265", "-c:v", "libx265", "-x265-params", "log-level=none:interlace=tff")
        result = succeeded("transcode", source, self.directory / "clip.mp4")
        self.assertEqual(self.not_kept(result), "which fields make a frame (now each is one)")

    def test_progressive_pictures_stay_progressive(self):
        path = self.directory / "clip.mp4"
        self.assertEqual(self.not_kept(succeeded("transcode", media("mp4"), path)), "")
        self.assertEqual(stream(path)["field_order"], "progressive")


class Sizes(PictureTest):
    def changing(self):
        """Makes 12 frames of 176x144, then 12 of 96x80."""
        parts = [self.made("one.h264", "-c:v", "libx264"), self.made("two.h264", "-vf", "scale=96:80", "-c:v", "libx264")]
        path = self.directory / "sizes.h264"
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
        return path

    def test_another_size_ends_the_output(self):
        source = self.changing()
        for command, name in (("decode", "out.y4m"), ("decode", "out.yuv"), ("decode", "out.nv12"), ("decode", "out.rgb"),
                              ("transcode", "out.mp4"), ("transcode", "out.h264")):
            with self.subTest(command=command, name=name):
                path = self.directory / name
                result = run(command, source, path)
                self.assertEqual(result.returncode, 1, result.stderr)
                message = result.stderr.decode().splitlines()[-1]
                self.assertIn(f"{source} changes from 176x144 to 96x80 at ", message)
                self.assertIn(f"{path.name} has one size for all frames; 12 frames written to", message)
                if path.suffix in (".y4m", ".mp4", ".h264"):
                    self.assertEqual(len(pictures(path)), 12)
                    self.assertEqual((stream(path)["width"], stream(path)["height"]), (176, 144))
                if path.suffix == ".yuv":
                    self.assertEqual(path.stat().st_size, 12 * 176 * 144 * 3 // 2)

    def test_another_size_ends_a_run_in_chunks(self):
        source = self.directory / "sizes.ts"
        succeeded("demux", self.changing(), source)
        result = run("transcode", source, self.output.with_suffix(".mp4"), "--bit-rate", "100k", "--workers", "1", "--quiet")
        self.assertRefuses(result, 1, "from 176x144 to 96x80", "a size to which all are scaled: --size, without --workers")
        self.assertFalse(pathlib.Path(f"{self.output.with_suffix('.mp4')}.chunks").exists())

    def test_contact_sheets_and_streams_allow_changing_sizes(self):
        source = self.changing()
        path = self.directory / "sheet.png"
        succeeded("decode", source, path)
        succeeded("demux", source, self.directory / "copy.ts")
        self.assertEqual(pictures(self.directory / "copy.ts"), pictures(source))


class Losses(PictureTest):
    def test_ten_bits_are_kept(self):
        for pixels, kept in (("yuv420p10le", ""), ("yuv444p10le", "4:4:4 (now 4:2:0)"), ("yuv422p10le", "4:2:2 (now 4:2:0)"),
                             ("yuv422p", "4:2:2 (now 4:2:0)")):
            with self.subTest(pixels=pixels):
                source = self.made(f"{pixels}.mp4", "-pix_fmt", pixels, "-c:v", "libx264")
                path = self.directory / "out.mp4"
                self.assertEqual(self.not_kept(succeeded("transcode", source, path, "--force")), kept)
                self.assertEqual(stream(path)["pix_fmt"], "yuv420p10le" if "10" in pixels else "yuv420p")

    def test_output_bit_depth_8_reduces_the_depth(self):
        source = self.made("deep.mp4", "-pix_fmt", "yuv420p10le", "-c:v", "libx264")
        result = succeeded("transcode", source, self.directory / "out.mp4", "-p", "ProfileLevel=H264_Main_AutoLevel")
        self.assertEqual(self.not_kept(result), "10 bits per sample (now 8)")
        self.assertEqual(stream(self.directory / "out.mp4")["pix_fmt"], "yuv420p")

    def test_a_line_reports_odd_sizes(self):
        source = self.made("odd.mp4", "-vf", "format=yuv444p,crop=175:143:0:0:exact=1", "-c:v", "libx265", "-x265-params",
                           "log-level=none")
        result = succeeded("transcode", source, self.directory / "out.mp4")
        self.assertEqual(self.not_kept(result), "4:4:4 (now 4:2:0), the size 175x143 (now 176x144, which 4:2:0 needs)")

    def test_the_colour_of_the_source_is_kept(self):
        """The colour is also kept if the source states none."""
        kinds = {
            "none": (),
            "some": ("-color_primaries", "bt709"),
            "bt2020": ("-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_range", "tv"),
            "rare": ("-color_primaries", "film", "-color_trc", "log100", "-colorspace", "ycgco", "-color_range", "pc"),
            "chroma": ("-x264opts", "chromaloc=2"),
        }
        for name, options in kinds.items():
            with self.subTest(name=name):
                source, path = self.made(f"{name}.mp4", "-c:v", "libx264", *options), self.directory / "out.mp4"
                succeeded("transcode", source, path, "--force")
                ours, theirs = stream(path), stream(source)
                self.assertEqual({key: ours.get(key, "unknown") for key in COLOUR}, {key: theirs.get(key, "unknown") for key in COLOUR})
        succeeded("transcode", source, path, "--force", "-p", "ColorPrimaries=ITU_R_2020")
        self.assertEqual(stream(path)["color_primaries"], "bt2020")

    def test_lines_report_signals_that_change_in_the_middle(self):
        """The output has the values of its first frame. A setting of the user loses nothing."""
        parts = [
            self.made("one.h264", "-vf", "setsar=1", "-c:v", "libx264", "-colorspace", "bt709", frames=4),
            self.made("two.h264", "-vf", "setsar=4/3", "-c:v", "libx264", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
                      "-colorspace", "bt2020nc", "-x264opts", "chromaloc=2", frames=4),
            self.made("three.h264", "-vf", "setsar=1", "-pix_fmt", "yuv444p10le", "-c:v", "libx264", "-colorspace", "bt709", frames=4),
        ]
        source, path = self.directory / "signals.h264", self.directory / "out.mp4"
        source.write_bytes(b"".join(part.read_bytes() for part in parts + [parts[1]]))
        fast = ("--force", "--preset", "ultrafast")

        def changes(result):
            return [line for line in result.stderr.decode().splitlines() if line.startswith(f"{source} changes")]

        result = succeeded("transcode", source, path, *fast)
        place = f"{source} changes at 0.133 s, but {path} has one value for all frames: "
        self.assertEqual(
            changes(result), [f"{place}pixel aspect ratio 4:3 (kept: 1:1), colour primaries BT.2020 (kept: unspecified), "
                              "transfer function PQ (kept: unspecified), matrix BT.2020 (kept: BT.709), chroma location 2 (kept: 0)"])
        self.assertEqual(self.not_kept(result), "4:4:4 from 0.267 s (now 4:2:0), 10 bits per sample from 0.267 s (now 8)")
        self.assertEqual(len(pictures(path)), 16)
        self.assertEqual((stream(path)["sample_aspect_ratio"], stream(path)["color_space"]), ("1:1", "bt709"))

        asked = "PixelAspectRatio=[4,3],ColorPrimaries=ITU_R_2020,TransferFunction=SMPTE_ST_2084_PQ,YCbCrMatrix=ITU_R_2020"
        result = succeeded("transcode", source, path, *fast, "-p", asked, "-p", "ChromaLocation=2")
        self.assertEqual(changes(result), [])

        result = succeeded("transcode", source, path, *fast, "--start", "0.13", "--end", "0.26")
        self.assertEqual(changes(result), [])
        facts = stream(path)
        self.assertEqual((facts["nb_frames"], facts["sample_aspect_ratio"], facts["color_transfer"]), ("4", "4:3", "smpte2084"))

    def test_hdr_metadata_is_kept(self):
        source = self.made("hdr.mp4", "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params",
                           "log-level=none:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:max-cll=1000,400:"
                           "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)")
        path = self.directory / "out.mp4"
        self.assertEqual(self.not_kept(succeeded("transcode", source, path)), "")
        # The text table shortens long values, so the test uses JSON.
        text = succeeded("inspect", "--json", path).stdout.decode()
        self.assertEqual(re.findall(r'"display_primaries_x", "value": (\d+)', text)[:3], ["13250", "7500", "34000"])
        self.assertEqual(re.findall(r'"max_content_light_level", "value": (\d+)', text)[:1], ["1000"])


def annex_b_units(data):
    """Returns the NAL units of a stream."""
    return [unit.rstrip(b"\0") for unit in data.split(b"\0\0\1")[1:]]


def with_start_codes(units):
    return b"".join(b"\0\0\0\1" + unit for unit in units)


class BesidePictures(PictureTest):
    """Data beside the pictures in the stream and in the container."""

    X265 = ("-c:v", "libx265", "-x265-params", "log-level=none:info=0")

    def with_box(self, name, kind, content):
        """Makes an MP4 whose sample entry has an additional box."""
        path = self.made("plain.mp4", *self.X265, "-tag:v", "hvc1", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
                         "-colorspace", "bt2020nc")
        data = bytearray(path.read_bytes())
        box = struct.pack(">I4s", 8 + len(content), kind) + content
        place = data.index(b"hvc1", data.index(b"stsd")) - 4
        end = place + struct.unpack_from(">I", data, place)[0]
        data[end:end] = box
        for parent in (b"hvc1", b"stsd", b"stbl", b"minf", b"mdia", b"trak", b"moov"):
            at = data.rindex(parent, 0, end) - 4
            struct.pack_into(">I", data, at, struct.unpack_from(">I", data, at)[0] + len(box))
        result = self.directory / name
        result.write_bytes(data)
        return result

    def side_data(self, path):
        return subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream_side_data", str(path)], capture_output=True,
                              check=True, timeout=TIME_LIMIT).stdout.decode()

    def test_lost_dolby_vision_is_reported(self):
        # Profile 8, level 1, with a base layer.
        source = self.with_box("dolby.mp4", b"dvvC", bytes([1, 0, 8 << 1, 1 << 3 | 5, 0x40]) + bytes(19))
        self.assertIn("dv_profile=8", self.side_data(source))
        for name, kept in (("copy.mp4", True), ("copy.mkv", True), ("copy.mov", False), ("copy.ts", False)):
            with self.subTest(name=name):
                result = succeeded("demux", source, self.directory / name)
                self.assertEqual("dv_profile=8" in self.side_data(self.directory / name), kept)
                self.assertEqual(self.not_kept(result), "" if kept else "the Dolby Vision configuration")

    def test_the_mastering_display_of_the_container_is_kept(self):
        """The container's mdcv box counts if the stream has no such message."""
        numbers = struct.pack(">8H2I", 13250, 34500, 7500, 3000, 34000, 16000, 15635, 16450, 10000000, 1)
        source = self.with_box("light.mp4", b"mdcv", numbers)
        self.assertIn("Mastering display", self.side_data(source))
        for command in ("demux", "transcode"):
            for name, kept in (("out.mp4", True), ("out.mkv", True), ("out.mov", True), ("out.ts", False)):
                with self.subTest(command=command, name=name):
                    result = succeeded(command, source, self.directory / name, "--force")
                    self.assertEqual("Mastering display" in self.side_data(self.directory / name), kept)
                    self.assertEqual(self.not_kept(result), "" if kept else "the mastering display")

    def test_lost_views_are_reported(self):
        units = annex_b_units(self.made("one.h265", *self.X265).read_bytes())
        doubled = []
        for unit in units:
            doubled.append(unit)
            if unit[0] >> 1 & 63 < 32:
                doubled.append(bytes([unit[0], unit[1] & 7 | 1 << 3]) + unit[2:])
        source = self.directory / "views.h265"
        source.write_bytes(with_start_codes(doubled))
        self.assertEqual(self.not_kept(succeeded("demux", source, self.directory / "copy.mp4")),
                         "the configuration of further layers or views")
        self.assertEqual(self.not_kept(succeeded("transcode", source, self.directory / "out.mp4")), "further layers or views")

    def test_lost_closed_captions_are_reported(self):
        units = annex_b_units(self.made("one.h264", "-c:v", "libx264").read_bytes())
        payload = b"\xb5\x00\x31GA94\x03\xc1\xff\xfc\x80\x80\xff"
        place = next(index for index, unit in enumerate(units) if unit[0] & 31 in (1, 5))
        units.insert(place, b"\x06\x04" + bytes([len(payload)]) + payload + b"\x80")
        source = self.directory / "captions.h264"
        source.write_bytes(with_start_codes(units))
        self.assertEqual(self.not_kept(succeeded("transcode", source, self.directory / "out.mp4")), "closed captions")
        self.assertEqual(self.not_kept(succeeded("demux", source, self.directory / "copy.mp4")), "")

    def test_each_track_is_copied_or_reported(self):
        """Several audio tracks, subtitles, attachments, a cover and chapters: each is copied, or one line names it."""
        (self.directory / "text.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nOne\n\n2\n00:00:01,000 --> 00:00:02,000\nTwo\n\n")
        (self.directory / "chapters.txt").write_text(
            ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\n")
        for name in ("font.ttf", "notes.bin"):
            (self.directory / name).write_bytes(b"a file")
        source = self.directory / "all.mkv"
        ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=d=2", "-f", "lavfi", "-i", "sine=880:d=2", "-i", self.directory / "text.srt", "-i",
               self.directory / "chapters.txt", "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-map_chapters", "4", "-t", "2",
               "-c:v", "libx264", "-c:a", "aac", "-c:s", "srt", "-attach", self.directory / "font.ttf", "-metadata:s:t:0",
               "mimetype=application/x-truetype-font", "-attach", self.directory / "notes.bin", "-metadata:s:t:1",
               "mimetype=application/octet-stream", source)
        for command in ("demux", "transcode"):
            for name, left_out, kinds in (
                ("out.mp4", "subtitle subrip, attachment ttf, attachment", ["video", "audio", "audio"]),
                ("out.mkv", "attachment ttf, attachment", ["video", "audio", "audio", "subtitle"]),
            ):
                with self.subTest(command=command, name=name):
                    result = succeeded(command, source, self.directory / name, "--force")
                    self.assertEqual(self.not_kept(result), "2 chapters")
                    self.assertIn(f"left out of {source}: {left_out}\n", result.stderr.decode())
                    found = [each["codec_type"] for each in ffprobe(self.directory / name, "-show_streams")["streams"]]
                    self.assertEqual(sorted(found), sorted(kinds))

    def test_the_chosen_tracks_and_their_names_are_kept(self):
        """The second audio track is the default, and the subtitles are forced: players choose the same tracks of a copy."""
        (self.directory / "text.srt").write_text("1\n00:00:00,000 --> 00:00:01,000\nOne\n\n")
        source = self.directory / "chosen.mkv"
        ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=d=2", "-f", "lavfi", "-i", "sine=880:d=2", "-i", self.directory / "text.srt", "-map",
               "0", "-map", "1", "-map", "2", "-map", "3", "-t", "2", "-c:v", "libx264", "-preset", "veryfast", "-c:a", "aac", "-c:s", "srt",
               "-disposition:v:0", "default", "-disposition:a:0", "comment", "-disposition:a:1", "default", "-disposition:s:0",
               "default+forced", "-metadata:s:a:0", "title=Comments", source)

        def choices(path):
            return [([name for name, is_set in stream["disposition"].items() if is_set], stream["tags"].get("title"))
                    for stream in ffprobe(path, "-show_streams")["streams"]]

        self.assertEqual(choices(source)[1], (["comment"], "Comments"))
        for command in ("demux", "transcode"):
            succeeded(command, source, self.directory / "copy.mkv", "--force")
            self.assertEqual(choices(self.directory / "copy.mkv"), choices(source))
            succeeded(command, source, self.directory / "copy.mp4", "--force")
            self.assertEqual([chosen for chosen, _ in choices(self.directory / "copy.mp4")], [["default"], ["comment"], ["default"]])

    def test_the_language_of_each_track_is_kept(self):
        for kind in ("mp4", "mkv"):
            source = self.directory / f"languages.{kind}"
            ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=d=2", "-map", "0", "-map", "1", "-t", "2", "-c:v", "libx264", "-g", "25",
                   "-c:a", "aac", "-metadata:s:v", "language=fra", "-metadata:s:a", "language=ita", source)
            for command in (("demux",), ("transcode",), ("transcode", "--workers", "2", "--bit-rate", "100k"), ("cut", "--end", "1.5")):
                for name in ("out.mp4", "out.mov", "out.mkv"):
                    with self.subTest(kind=kind, command=command, name=name):
                        output = self.directory / name
                        succeeded(*command, source, "-o", output, "--force")
                        streams = ffprobe(output, "-show_streams")["streams"]
                        self.assertEqual([(each["codec_type"], each["tags"]["language"]) for each in streams],
                                         [("video", "fra"), ("audio", "ita")])

    def test_data_tracks_are_named_by_their_code(self):
        source = self.directory / "tracks.mov"
        ffmpeg("-i", CLIP, "-frames:v", "5", "-c:v", "libx264", "-timecode", "00:00:00:00", source)
        data = source.read_bytes().replace(b"tmcd", b"mebx")
        source.write_bytes(data)
        line = succeeded("demux", source, self.directory / "copy.mp4").stderr.decode()
        self.assertIn("data mebx", line)
        self.assertNotIn("none", line)
