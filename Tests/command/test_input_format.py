"""The format of an input: by its content, or by --input-format."""
import json

from media import media, pictures, succeeded, units
from support import FRAMES, CommandTest, ffmpeg, run


def facts(path, *options):
    return json.loads(succeeded("inspect", path, "--json", *options).stdout)


class Found(CommandTest):
    def test_a_transport_stream_with_arrival_times_is_detected(self):
        """A camera's transport stream, in which an arrival time precedes each packet."""
        source = media("ts").read_bytes()
        packets = [source[place:place + 188] for place in range(0, len(source), 188)]
        path = self.directory / "camera.mts"
        path.write_bytes(b"".join(number.to_bytes(4, "big") + packet for number, packet in enumerate(packets)))
        found = facts(path)
        self.assertEqual((found["container"]["name"], found["stream"]["frames"]), ("mpegts", FRAMES))
        self.assertSucceeds(run("decode", path, self.directory / "clip.y4m"))
        self.assertEqual(pictures(self.directory / "clip.y4m"), pictures(media("ts")))

    def test_a_transport_stream_that_begins_inside_a_packet_is_detected(self):
        """The file begins inside a packet."""
        path = self.directory / "cut.ts"
        path.write_bytes(media("ts").read_bytes()[100:])
        found = facts(path)
        self.assertEqual((found["container"]["name"], found["stream"]["format"]), ("mpegts", "H.264"))

    def test_media_segments_are_detected(self):
        """Segments begin with other boxes than ftyp."""
        source = media("fragmented").read_bytes()
        size = int.from_bytes(source[:4], "big")
        self.assertEqual(source[4:8], b"ftyp")
        for name in ("styp", "free", "sidx"):
            beginning = source[:4] + name.encode() + (source[8:size] if name == "styp" else bytes(size - 8))
            with self.subTest(name=name):
                path = self.directory / f"{name}.mp4"
                path.write_bytes(beginning + source[size:])
                found = facts(path)
                self.assertEqual((found["container"]["name"] in ("mp4", "mov"), found["stream"]["frames"]), (True, FRAMES))

    def test_containers_that_only_ffmpeg_knows_are_detected(self):
        """Containers that only FFmpeg detects. Their first bytes could also be those of a stream."""
        path = self.directory / "clip.mpg"
        ffmpeg("-i", media("mp4"), "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "vob", path)
        self.assertEqual(path.read_bytes()[:4], b"\0\0\1\xba")
        found = facts(path)
        self.assertEqual((found["container"]["name"], found["stream"]["format"]), ("mpeg", "H.264"))

    def test_a_short_stream_is_detected(self):
        """Parameter sets and a picture at which a player could not start."""
        source = media("h264").read_bytes()
        sets = [unit for unit in units(source) if unit[0] & 31 in (7, 8)][:2]
        other = next(unit for unit in units(source) if unit[0] & 31 == 1)
        path = self.directory / "short.bin"
        path.write_bytes(b"".join(b"\0\0\0\1" + unit for unit in (*sets, other)))
        found = facts(path)
        self.assertEqual((found["form"], found["stream"]["format"], found["stream"]["frames"]), ("annexb", "H.264", 1))


class Named(CommandTest):
    def test_input_format_names_the_format_of_the_middle_of_a_stream(self):
        """Without parameter sets nothing can be decoded, but the format is detected."""
        source = b"".join(b"\0\0\0\1" + unit for unit in units(media("h264").read_bytes()) if unit[0] & 31 == 1)
        path = self.directory / "middle.bin"
        path.write_bytes(source)
        self.assertFails(run("decode", path, self.output), 1, path, "format")
        self.assertFails(run("decode", path, self.output, "--input-format", "h264"), 1, path, "parameter sets")
        self.assertEqual(facts(path, "--format", "h264")["stream"]["format"], "H.264")
        self.assertEqual(facts(path, "--format", "h265")["stream"]["format"], "H.265")

    def test_input_format_accepts_names_and_extensions(self):
        for name in ("ts", "mpegts", "M2TS"):
            with self.subTest(name=name):
                self.assertEqual(facts(media("ts"), "--format", name)["container"]["name"], "mpegts")
                path = self.directory / f"{name}.h264"
                succeeded("demux", media("ts"), path, "--format", name)
                self.assertEqual(pictures(path), pictures(media("ts")))
        path = self.directory / "clip.y4m"
        succeeded("decode", "-", path, "--input-format", "mkv", input=media("mkv").read_bytes())
        self.assertEqual(pictures(path), pictures(media("mkv")))
        succeeded("transcode", media("mkv"), self.directory / "small.mp4", "--input-format", "mkv", "--frames", "5")

    def test_unknown_input_formats_are_refused(self):
        self.assertRefuses(run("demux", media("mp4"), self.output, "--format", "avc"), 1, media("mp4"), '"avc"', "mpegts")
        for command in ("demux", "transcode", "decode"):
            result = run(command, media("mp4"), self.output, "--input-format", "avc")
            self.assertRefuses(result, 1, f'{media("mp4")}: --input-format is "avc"')
        self.assertRefuses(run("inspect", media("mp4"), "--input-format", "avc"), 1, '--input-format is "avc"')
        self.assertRefuses(run("demux", media("mp4"), self.output, "--format", "mkv"), 1, media("mp4"), "matroska")
        self.assertRefuses(run("inspect", media("mp4"), "--format", "mkv"), 1, media("mp4"), "matroska")
        self.assertRefuses(run("inspect", media("mp4"), "--format", "mp4", "--annexb"), 64, "--format", "--annexb")
