#!/usr/bin/env python3
"""The permission to capture a screen of Wayland, in Python. The desktop's portal is the stand-in of the command's tests.

usage: Tests/live/screen_permission.py [TEST...]      as unittest names them
"""
import contextlib
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "command"))

import pipewire
from support import wait_until

from nalu.capture import CaptureSession, devices

SERVICE = pathlib.Path(pipewire.__file__).with_name("portal_service.py")
SOURCE = "gst-launch-1.0", "videotestsrc", "is-live=true", "!", "video/x-raw,format=BGRx,width=320,height=240,framerate=30/1", "!"


class Permission(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="nalu-pw-")
        self.addCleanup(directory.cleanup)
        self.server = pipewire.Server(pathlib.Path(directory.name))
        self.addCleanup(self.server.stop)
        self.log = self.server.directory / "log"
        os.environ.update(self.server.environment)
        self.server.start("/usr/bin/python3", SERVICE, "screen")
        wait_until(lambda: b"ready" in self.log.read_bytes(), "the stand-in")

    @contextlib.contextmanager
    def screen(self):
        """A screen for one session: GStreamer's camera stops after some readers."""
        properties = "stream-properties=props,media.class=Video/Source,node.name=screen"
        program = self.server.start(*SOURCE, "pipewiresink", "mode=provide", properties)
        wait_until(lambda: any(device.id == "pipewire:screen" for device in devices("camera")), "the screen")
        yield
        program.kill()
        program.wait()
        wait_until(lambda: not devices("camera"), "the end of the screen")

    def capture(self, token):
        """Returns the new token of a session, and how often the desktop has asked so far."""
        with self.screen(), CaptureSession("portal", restore_token=token) as session:
            self.assertEqual((next(session).width, next(session).height), (320, 240))
            return session.restore_token, self.log.read_text().count("dialog")

    def test_the_desktop_asks_once(self):
        self.assertEqual(self.capture(None), (None, 1))
        self.assertEqual(self.capture(""), ("token-1", 2))
        self.assertEqual(self.capture("token-1"), ("token-2", 2))
        self.assertEqual(self.capture("token-2"), ("token-3", 2))
        # A token serves once.
        self.assertEqual(self.capture("token-1"), ("token-4", 3))


if __name__ == "__main__":
    unittest.main()
