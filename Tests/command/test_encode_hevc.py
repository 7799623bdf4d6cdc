"""nalu encode and nalu transcode with --codec hevc."""
import json
import subprocess

from support import CLIP, FRAMES, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, psnr, run

FAST = ("--preset", "ultrafast")


def probe(path):
    """Returns ffprobe's facts about the video of a file, and the number of decoded frames."""
    command = ["ffprobe", "-v", "warning", "-count_frames", "-show_streams", "-of", "json", str(path)]
    result = subprocess.run(command, capture_output=True, check=True, timeout=TIME_LIMIT)
    facts = json.loads(result.stdout)["streams"][0]
    facts["frames"] = int(facts["nb_read_frames"])
    return facts


class Hevc(CommandTest):
    def test_every_container_takes_hevc(self):
        for extension in ("mp4", "mkv", "ts", "mov", "h265"):
            with self.subTest(extension=extension):
                path = self.directory / f"clip.{extension}"
                self.assertSucceeds(run("encode", CLIP, "-o", path, "--codec", "hevc", *FAST, "--quality", "0.7"))
                facts = probe(path)
                self.assertEqual((facts["codec_name"], facts["profile"], facts["frames"], facts["width"], facts["height"]),
                                 ("hevc", "Main", FRAMES, WIDTH, HEIGHT))
                if extension in ("mp4", "mov"):
                    self.assertEqual(facts["codec_tag_string"], "hvc1")
                self.assertGreater(psnr(path, CLIP), 32)

    def test_the_extension_of_a_stream_selects_the_codec(self):
        path = self.directory / "clip.h265"
        self.assertSucceeds(run("encode", CLIP, "-o", path, *FAST))
        self.assertEqual(probe(path)["codec_name"], "hevc")
        for name, codec in (("clip.h264", "hevc"), ("clip.h265", "h264")):
            result = run("encode", CLIP, "-o", self.directory / name, "-f", "--codec", codec)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(f"--codec is {codec}", result.stderr.decode())

    def test_ten_bits_are_main_10(self):
        path = self.directory / "clip.mp4"
        self.assertSucceeds(run("encode", CLIP, "-o", path, "--codec", "hevc", *FAST, "-p", "OutputBitDepth=10"))
        facts = probe(path)
        self.assertEqual((facts["profile"], facts["pix_fmt"]), ("Main 10", "yuv420p10le"))

    def test_a_file_is_transcoded_to_hevc(self):
        source, path = self.directory / "in.mp4", self.directory / "out.mp4"
        self.assertSucceeds(run("encode", CLIP, "-o", source))
        self.assertSucceeds(run("transcode", source, "-o", path, "--codec", "hevc", *FAST, "--bit-rate", "600k"))
        facts = probe(path)
        self.assertEqual((facts["codec_name"], facts["frames"]), ("hevc", FRAMES))

    def test_what_x265_lacks_is_refused(self):
        for arguments, part in ((("-p", "EnableLTR=true"), "force a key frame"), (("--tune", "film"), "x264.tune"),
                                (("-p", "ConstantBitRate=1000000"), "filler")):
            result = run("encode", CLIP, "-o", self.directory / "x.mp4", "--codec", "hevc", *arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(part, result.stderr.decode())
        result = run("transcode", CLIP, "-o", self.directory / "x.mp4", "--codec", "hevc", "--workers", "2", "--bit-rate", "1M")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("--codec hevc", result.stderr.decode())
