"""nalu capture: whole files after a duration, Ctrl-C and the end of a device; the summary, lists and refusals."""
import re
import signal
import subprocess
import time

from support import CommandTest, TIME_LIMIT, run, start
from test_encode_hevc import probe

SMALL = ("--size", "256x144", "--preset", "ultrafast")


def numbers(path):
    """Returns the frame counters in the pictures of a file, as FFmpeg decodes them."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-vf", "crop=256:8:0:0,scale=32:1:flags=area",
               "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-"]
    data = subprocess.run(command, check=True, capture_output=True, timeout=TIME_LIMIT).stdout
    rows = [data[at:at + 32] for at in range(0, len(data), 32)]
    return [sum((value > 125) << (31 - bit) for bit, value in enumerate(row)) for row in rows]


class Capture(CommandTest):
    def test_a_file_of_a_duration(self):
        for extension in ("mp4", "mkv", "h264"):
            with self.subTest(extension):
                path = self.directory / f"clip.{extension}"
                result = run("capture", "test", path, "--duration", "1", "--fps", "20", *SMALL)
                self.assertSucceeds(result)
                text = result.stderr.decode()
                frames = int(re.search(r": (\d+) frames? \(", text)[1])
                dropped = int(re.search(r"(\d+) dropped", text)[1])
                seen = numbers(path)
                self.assertEqual(seen, sorted(set(seen)))
                self.assertEqual(len(seen), frames)
                # The counter is the clock, so that a gap in it is a dropped picture.
                gaps = seen[-1] - seen[0] + 1 - frames
                self.assertLessEqual(gaps, dropped)
                # The duration has 20 pictures. On a busy machine the last one may be among the dropped ones.
                self.assertLessEqual(seen[-1] - seen[0], 19)
                self.assertGreaterEqual(frames + dropped, 20)
                for stage in ("capture", "wait", "encode", "capture to sample"):
                    row = re.search(rf"^{stage} +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.M)
                    self.assertTrue(row, text)
                    least, mean, p95, most = map(float, row.groups())
                    self.assertTrue(0 <= least <= mean <= most and p95 <= most, row[0])

    def test_a_slow_encoder_drops_pictures(self):
        path = self.directory / "slow.mp4"
        result = run("capture", "test", path, "--duration", "1", "--size", "1280x720", "--fps", "60", "--preset", "veryslow")
        self.assertSucceeds(result)
        text = result.stderr.decode()
        frames, dropped = (int(re.search(pattern, text)[1]) for pattern in (r": (\d+) frames? \(", r"(\d+) dropped"))
        self.assertGreaterEqual(frames + dropped, 60)
        self.assertEqual(len(numbers(path)), frames)

    def test_ctrl_c_leaves_a_whole_file(self):
        path = self.directory / "clip.mp4"
        with start("capture", "test", path, *SMALL, stderr=subprocess.PIPE) as program:
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            errors = program.stderr.read().decode()
            self.assertEqual(program.wait(), 130, errors)
        frames = int(re.search(r": (\d+) frames? \(", errors)[1])
        self.assertEqual(len(numbers(path)), frames)
        self.assertIn("interrupted", errors)

    def test_the_duration_ends_while_no_picture_arrives(self):
        """The second picture is due 10 seconds after the first."""
        path = self.directory / "clip.mp4"
        begin = time.monotonic()
        self.assertSucceeds(run("capture", "test", path, "--duration", "1", "--size", "256x144", "--fps", "0.1"))
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(len(numbers(path)), 1)

    def test_the_encoder_and_the_codec_are_those_that_are_asked_for(self):
        brief = ("--duration", "0.5", "--size", "256x144", "--fps", "20")
        for name, codec, arguments in (("open.mp4", "h264", ("--encoder", "org.openh264.openh264", "--preset", "HighSpeed")),
                                       ("new.mkv", "hevc", ("--codec", "hevc", "--preset", "ultrafast")),
                                       ("new.h265", "hevc", ("--encoder", "org.videolan.x265", "--preset", "HighSpeed"))):
            with self.subTest(name):
                path = self.directory / name
                result = run("capture", "test", path, *brief, *arguments)
                self.assertSucceeds(result)
                facts = probe(path)
                frames = int(re.search(r": (\d+) frames? \(", result.stderr.decode())[1])
                self.assertEqual((facts["codec_name"], facts["frames"]), (codec, frames))
                self.assertNotIn(b"x264 - core", path.read_bytes())
        path = self.directory / "clip.mp4"
        for name, arguments, parts in (
                (path, ("--encoder", "none"), ("--encoder", "none", "org.openh264.openh264")),
                (path, ("--codec", "hevc", "--encoder", "org.openh264.openh264"), ("--codec is hevc", "--encoder is org.openh264")),
                (path, ("--preset", "slow", "--encoder", "org.openh264.openh264"), ("x264.preset", "org.openh264.openh264")),
                (self.directory / "clip.flv", ("--codec", "hevc"), ("--codec is hevc", "clip.flv is for h264", "--container")),
                (self.directory / "clip.h265", ("--codec", "h264"), ("--codec is h264", "clip.h265 is for hevc")),
                ("rtmp://127.0.0.1:1/live/x", ("--codec", "hevc"), ("--codec is hevc", "rtmp://", "srt://")),
                ("rtmp://127.0.0.1:1/live/x", ("--record", self.directory / "clip.h265"), ("is for h264", "is for hevc"))):
            with self.subTest(arguments):
                self.assertRefuses(run("capture", "test", name, *brief, *arguments), 64, *parts)
        self.assertFalse(path.exists())

    def test_the_list_has_the_test_source(self):
        result = run("capture", "--list")
        self.assertSucceeds(result)
        self.assertRegex(result.stdout.decode(), r"(?m)^test +test +Test source +'420v' 256-16384x16-16384, 0.1-1000.0 fps$")
        self.assertIn("audio, 48000 Hz, 2 channels", result.stdout.decode())

    def test_refusals(self):
        path = self.directory / "clip.mp4"
        self.assertRefuses(run("capture"), 64, "no device", "--list")
        self.assertRefuses(run("capture", "test"), 64, "no output")
        self.assertRefuses(run("capture", "test", path, "--duration", "0"), 64, "--duration")
        self.assertRefuses(run("capture", "test", path, "--size", "16x16"), 64, "256x16")
        self.assertRefuses(run("capture", "test", path, "--region", "4x4+0+0"), 64, "no screen")
        self.assertRefuses(run("capture", "test", path, "--region", "4x4"), 64, "640x360+100+50")
        self.assertRefuses(run("capture", "test", path, "--cursor"), 64, "--cursor", "no screen")
        self.assertRefuses(run("capture", "nonsense", path), 1, "nonsense", "test")
        self.assertRefuses(run("capture", "x11::12345", path), 1, "no X server")
        self.assertRefuses(run("capture", "test", path, "--property", "AverageBitRate=-1"), 64, "AverageBitRate")
        self.assertFalse(path.exists())
        path.touch()
        self.assertRefuses(run("capture", "test", path), 1, "--force")
