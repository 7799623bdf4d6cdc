"""nalu capture of a Wayland screen: the desktop's portal is a stand-in on a private bus, which shares a node of PipeWire."""
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pipewire
from support import CommandTest, ffmpeg, run, start, wait_until

SERVICE = pathlib.Path(__file__).with_name("portal_service.py")
RED = "videotestsrc", "is-live=true", "pattern=solid-color", "foreground-color=0xffff0000"


class Portal(CommandTest):
    def setUp(self):
        super().setUp()
        directory = pathlib.Path(tempfile.mkdtemp(prefix="nalu-pw-"))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        self.server = pipewire.Server(directory)
        self.addCleanup(self.server.stop)
        self.server.environment["WAYLAND_DISPLAY"] = "wayland-test"
        self.server.environment.pop("DISPLAY", None)
        self.path = self.directory / "screen.mkv"

    def serve(self, mode):
        """Starts the stand-in."""
        log = self.server.directory / "log"
        before = log.read_bytes().count(b"ready")
        self.server.start("/usr/bin/python3", SERVICE, mode)
        wait_until(lambda: log.read_bytes().count(b"ready") > before, "the stand-in")

    def node(self, name):
        """Returns PipeWire's number of a node."""
        objects = json.loads(subprocess.run(["pw-dump"], env=self.server.environment, capture_output=True, check=True).stdout)
        return next(each["id"] for each in objects
                    if each.get("info", {}).get("props", {}).get("node.name") == name and each["type"].endswith("Node"))

    def share(self, name):
        """Starts the pictures of a screen, and the stand-in, which shares them. Returns the program of the pictures."""
        program, _ = self.server.camera(name, *RED, caps="video/x-raw,format=BGRx,width=320,height=240,framerate=30/1")
        self.serve(str(self.node(name)))
        return program

    def test_a_screen_that_the_user_permits(self):
        self.share("screen-a")
        listed = run("capture", "--list", env=self.server.environment).stdout.decode()
        self.assertRegex(listed, r"(?m)^portal +screen ")
        result = run("capture", "screen", self.path, "--duration", "2", "--cursor", env=self.server.environment)
        self.assertSucceeds(result)
        self.assertRegex(result.stderr.decode(), r"\d+ frames .* of 320x240 from portal")
        pixels = ffmpeg("-i", self.path, "-frames:v", "1", "-vf", "crop=2:2:100:100", "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
        self.assertTrue(pixels[0] > 230 and pixels[1] < 30 and pixels[2] < 30, pixels[:3])
        calls = (self.server.directory / "log").read_text()
        self.assertLess(calls.index("CreateSession"), calls.index("SelectSources"))
        self.assertIn("cursor_mode", calls)

    def test_a_window_that_is_closed(self):
        program = self.share("window-a")
        with start("capture", "screen", self.path, env=self.server.environment, stderr=subprocess.PIPE) as capture:
            wait_until(lambda: self.path.exists() and self.path.stat().st_size > 2000, "the beginning of the recording")
            program.kill()
            errors = capture.stderr.read().decode()
            self.assertEqual(capture.wait(), 1, errors)
        self.assertIn("the screen stopped: the device was removed", errors)
        ffmpeg("-i", self.path, "-f", "null", "-")

    def test_refusals(self):
        refused = run("capture", "screen", self.path, env=self.server.environment)
        self.assertRefuses(refused, 1, "xdg-desktop-portal", "DISPLAY")
        self.serve("refuse")
        self.assertRefuses(run("capture", "screen", self.path, env=self.server.environment), 1, "the user has not permitted")
        self.assertRefuses(run("capture", "portal", self.path, "--region", "8x8+0+0", env=self.server.environment), 64, "region")
        self.assertFalse(self.path.exists())

    def test_ctrl_c_while_the_dialog_is_open(self):
        self.serve("silent")
        log = self.server.directory / "log"
        with start("capture", "portal", self.path, env=self.server.environment, stderr=subprocess.PIPE) as capture:
            wait_until(lambda: "Start" in log.read_text(), "the dialog")
            capture.send_signal(signal.SIGINT)
            begin = time.monotonic()
            errors = capture.stderr.read().decode()
            self.assertEqual(capture.wait(), 130, errors)
            self.assertLess(time.monotonic() - begin, 5)
        self.assertFalse(self.path.exists())
