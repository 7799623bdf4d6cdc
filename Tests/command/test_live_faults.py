"""Live sources and outputs that fail: screens that go away, full disks, files that disappear."""
import json
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

from live_socket import Server
from screen import start_x_server
from support import CLIP, TIME_LIMIT, CommandTest, ffmpeg, run, start, wait_until
from terminal import Terminal

SMALL = ("--size", "256x144", "--preset", "ultrafast")


class CapturedScreen:
    """A virtual screen of 640x480 pixels. `name` is its device for capture."""

    def __init__(self):
        self.process, display = start_x_server(640, 480)
        self.name = f"x11:{display}"

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.kill()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def packets(path):
    """Returns the number of pictures of a file, which FFmpeg decodes without an error, and its duration in seconds."""
    command = ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-select_streams", "v", "-of", "json", path]
    result = subprocess.run(command, check=True, capture_output=True, timeout=TIME_LIMIT)
    if result.stderr:
        raise AssertionError(f"ffprobe says: {result.stderr.decode()}")
    facts = json.loads(result.stdout)
    return int(facts["streams"][0]["nb_read_frames"]), float(facts["format"]["duration"])


class Capture(CommandTest):
    def test_a_screen_that_goes_away_leaves_a_whole_file(self):
        for extension in ("mp4", "mkv"):
            path = self.directory / f"screen.{extension}"
            with self.subTest(extension), CapturedScreen() as screen:
                terminal = Terminal("capture", screen.name, path, "--preset", "ultrafast")
                terminal.wait_for(r"\b([5-9]|\d\d+) frames ")
                refused = run("capture", screen.name, self.output, "--region", "15x15+0+0")
                self.assertRefuses(refused, 64, "15", "expected 16 to")
                screen.kill()
                self.assertEqual(terminal.finish(), 1, terminal.remains)
                self.assertIn("closed the connection", terminal.remains[-1])
                frames = int(re.search(r": (\d+) frames? \(", "\n".join(terminal.remains))[1])
                self.assertGreaterEqual(frames, 5)
                self.assertEqual(packets(path)[0], frames)

    def test_a_full_disk_leaves_a_file_that_can_be_played(self):
        """An MP4 has its index at the end, for which there is no room; a fragmented one and Matroska can be played."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

        for extension, options in (("mp4", ()), ("mp4", ("--fragmented", "-p", "MaxKeyFrameInterval=15")), ("mkv", ()), ("ts", ()), ("h264", ())):
            path = self.directory / f"full.{extension}"
            with self.subTest(extension=extension, options=options):
                program = start("capture", "test", path, "--bit-rate", "2M", "--force", *SMALL, *options, prepare=limit,
                                stderr=subprocess.PIPE)
                with program:
                    errors = program.stderr.read().decode()
                    self.assertEqual(program.wait(), 1, errors)
                self.assertIn("File too large", errors.splitlines()[-1])
                self.assertIn(path.name, errors.splitlines()[-1])
                self.assertNotRegex(errors, r"\d+ frames? (written|\()")
                if options or extension != "mp4":
                    self.assertLessEqual(path.stat().st_size, 200_000)
                    decoded = ffmpeg("-i", path, "-f", "framemd5", "-")
                    self.assertGreater(decoded.count(b"\n"), 10)

    def test_fragments_of_a_killed_capture_can_be_played(self):
        """Fragments do not wait for key frames, of which there is only one here."""
        path = self.directory / "killed.mp4"
        with start("capture", "test", path, "--fragmented", "--quiet", *SMALL, "-p", "MaxKeyFrameInterval=100000") as program:
            wait_until(lambda: path.exists() and path.read_bytes().count(b"moof") >= 2, "the second fragment")
            program.kill()
            program.wait()
        self.assertGreater(ffmpeg("-i", path, "-f", "framemd5", "-").count(b"\n"), 30)

    def test_a_full_disk_before_the_first_fragment(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

        path = self.directory / "full.mp4"
        with start("capture", "test", path, "--fragmented", "--duration", "0.5", *SMALL, prepare=limit,
                   stderr=subprocess.PIPE) as program:
            errors = program.stderr.read().decode()
            self.assertEqual(program.wait(), 1, errors)
        self.assertIn("File too large; it has no frame that can be played", errors.splitlines()[-1])


class Serve(unittest.TestCase):
    def test_a_screen_that_goes_away_ends_the_server(self):
        with CapturedScreen() as screen, Server(screen.name) as server, server.watch() as viewer:
            viewer.sample()
            screen.kill()
            self.assertEqual(viewer.end(), 1001)
            self.assertEqual(server.process.wait(), 1)
            errors = server.process.stderr.read()
            self.assertIn("closed the connection", errors)
            self.assertEqual(errors.count("\n"), 1)

    def test_a_region_of_a_screen(self):
        with CapturedScreen() as screen, Server(screen.name, "--region", "320x240+10+20", "--cursor") as server, server.watch() as viewer:
            stream = viewer.message("stream")
            self.assertEqual((stream["width"], stream["height"]), (320, 240))

    def test_a_file_that_disappears_ends_the_server(self):
        """The file is opened again for each repetition."""
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name, "clip.y4m")
            shutil.copy(CLIP, path)
            with Server(path) as server, server.watch() as viewer:
                viewer.sample()
                path.unlink()
                self.assertEqual(viewer.end(), 1001)
                self.assertEqual(server.process.wait(), 1)
                self.assertIn("clip.y4m", server.process.stderr.read())

    def test_viewers_of_a_view_only_server(self):
        with Server(CLIP, "--view-only") as server, server.watch() as viewer:
            self.assertTrue(viewer.message("hello")["isViewOnly"])
            rate = viewer.message("state")["bitRate"]
            viewer.send(type="rate", bitsPerSecond=rate // 2)
            self.assertIn("cannot change the bit rate", viewer.message("error")["message"])
            self.assertEqual(viewer.message("state")["bitRate"], rate)
            viewer.send(type="keyFrame")
            wait_until(lambda: viewer.sample().is_key, "the key frame")


if __name__ == "__main__":
    unittest.main()
