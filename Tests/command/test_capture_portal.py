"""nalu capture of a Wayland screen: the desktop's portal is a stand-in on a private bus, which shares a node of PipeWire."""
import pathlib
import signal
import subprocess
import time

import pipewire
from support import ffmpeg, run, start, wait_until

SERVICE = pathlib.Path(__file__).with_name("portal_service.py")
RED = "videotestsrc", "is-live=true", "pattern=solid-color", "foreground-color=0xffff0000"


class Portal(pipewire.PipeWireTest):
    def setUp(self):
        super().setUp()
        self.server.environment["WAYLAND_DISPLAY"] = "wayland-test"
        self.server.environment.pop("DISPLAY", None)
        self.path = self.directory / "screen.mkv"

    def serve(self, mode):
        """Starts the stand-in."""
        log = self.server.directory / "log"
        before = log.read_bytes().count(b"ready")
        self.server.start("/usr/bin/python3", SERVICE, mode)
        wait_until(lambda: log.read_bytes().count(b"ready") > before, "the stand-in")

    def share(self, name):
        """Starts the pictures of a screen, and the stand-in, which shares them. Returns the program of the pictures."""
        program = self.screen(name)
        self.serve(name)
        return program

    def screen(self, name):
        return self.server.camera(name, *RED, caps="video/x-raw,format=BGRx,width=320,height=240,framerate=30/1")[0]

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

    def test_the_desktop_asks_once(self):
        self.serve("screen-b")
        log = self.server.directory / "log"
        permission = self.directory / "permission"

        def capture(*arguments):
            # GStreamer's camera stops after some readers.
            program = self.screen("screen-b")
            result = run("capture", "screen", self.path, "--duration", "0.5", *arguments, env=self.server.environment)
            self.assertSucceeds(result)
            program.kill()
            program.wait()
            self.path.unlink()
            return log.read_text().count("dialog")

        self.assertEqual(capture(), 1)
        self.assertEqual(capture(), 2)
        self.assertNotIn("persist_mode", log.read_text())
        self.assertEqual(capture("--permission", permission), 3)
        self.assertEqual(permission.read_text(), "token-1\n")
        self.assertEqual(permission.stat().st_mode & 0o777, 0o600)
        for number in (2, 3):
            self.assertEqual(capture("--permission", permission), 3)
            self.assertEqual(permission.read_text(), f"token-{number}\n")
        # A permission that was revoked.
        permission.write_text("token-1\n")
        self.assertEqual(capture("--permission", permission), 4)
        self.assertEqual(permission.read_text(), "token-4\n")
        self.assertEqual([path.name for path in self.directory.glob("permission*")], ["permission"])

    def test_a_permission_that_cannot_be_kept(self):
        environment = self.server.environment
        self.assertRefuses(run("capture", "test", self.path, "--permission", self.directory / "p", env=environment), 64,
                           "--permission", "test is no screen")
        self.share("screen-c")
        (self.directory / "long").write_text("x" * 2000)
        self.assertRefuses(run("capture", "screen", self.path, "--permission", self.directory / "long", env=environment), 64,
                           "--permission has 2000 bytes", "1023")
        self.assertRefuses(run("capture", "screen", self.path, "--permission", self.directory, env=environment), 1, "cannot read")
        absent = self.directory / "absent" / "permission"
        self.assertRefuses(run("capture", "screen", self.path, "--duration", "1", "--permission", absent, env=environment), 1,
                           "cannot write", "create the directory")
        self.assertFalse(self.path.exists())

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
