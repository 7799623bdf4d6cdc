"""nalu capture of V4L2 cameras, by pw-v4l2, which shows the cameras of a PipeWire server as /dev/video0 and so on."""
import pathlib
import re
import subprocess

import pipewire
from live_socket import Server, parameter_sets
from screen import Screen
from support import COMMAND, Started, ffmpeg, probe, wait_until

LIBRARY = next(pathlib.Path("/usr/lib").glob("*/pipewire-0.3/v4l2/libpw-v4l2.so"), "libpw-v4l2.so is missing")
RED = "videotestsrc", "is-live=true", "pattern=solid-color", "foreground-color=0xffff0000"


class V4L2(pipewire.PipeWireTest):
    def setUp(self):
        super().setUp()
        self.path = self.directory / "camera.mkv"

    @property
    def environment(self):
        return dict(self.server.environment, LD_PRELOAD=str(LIBRARY))

    def start(self, *arguments, **environment):
        return Started([COMMAND, *arguments], env=self.environment | environment, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def capture(self, *arguments):
        """Runs the command with the preloaded library. Returns its exit code and what it prints on standard error."""
        with self.start("capture", *arguments) as program:
            errors = program.stderr.read().decode()
            return program.wait(), errors

    def camera_of_jpegs(self):
        size = "width=64,height=720,framerate=30/1"
        self.server.camera("camera", *RED, "!", f"video/x-raw,format=I420,{size}", "!", "jpegenc", caps=f"image/jpeg,{size}")

    def assertRed(self, path):
        pixels = ffmpeg("-i", path, "-frames:v", "1", "-vf", "crop=2:2:100:100", "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
        self.assertTrue(pixels[0] > 230 and pixels[1] < 30 and pixels[2] < 30, pixels[:3])

    def test_each_format(self):
        for caps in ("video/x-raw,format=YUY2", "video/x-raw,format=NV12", "video/x-raw,format=I420", "image/jpeg"):
            with self.subTest(caps):
                source = (*RED, "!", "video/x-raw,format=I420,width=320,height=240,framerate=30/1", "!", "jpegenc") \
                    if caps == "image/jpeg" else RED
                program, _ = self.server.camera("camera", *source, caps=f"{caps},width=320,height=240,framerate=30/1")
                path = self.directory / (re.sub(r"\W", "", caps) + ".mkv")
                code, errors = self.capture("v4l2:/dev/video0", path, "--duration", "2")
                self.assertEqual(code, 0, errors)
                self.assertRegex(errors, r"\d+ frames .* of 320x240 from v4l2:/dev/video0")
                frames = int(re.search(r": (\d+) frames", errors)[1])
                self.assertGreater(frames, 30)
                self.assertRed(path)
                program.kill()
                program.wait()

    def test_the_matrix_of_jpegs_is_in_the_stream(self):
        """JPEGs have that of BT.601, which encoders use by default below 720 lines only."""
        self.camera_of_jpegs()
        code, errors = self.capture("v4l2:/dev/video0", self.path, "--duration", "0.2")
        self.assertEqual(code, 0, errors)
        facts = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=height,color_space", "-of", "csv=p=0", self.path],
                               check=True, capture_output=True, timeout=60).stdout.decode()
        self.assertEqual(facts.split(), ["720,smpte170m"])

    def test_the_matrix_of_jpegs_is_in_the_stream_for_viewers(self):
        self.camera_of_jpegs()
        with Server("v4l2:/dev/video0", env=self.environment) as server, server.watch() as viewer:
            stream = parameter_sets(viewer.message("stream")) + viewer.sample().annex_b
        self.assertEqual(probe(stream)["color_space"], "smpte170m")

    def test_the_preview_has_the_matrix_of_the_camera(self):
        """pw-v4l2 states that of BT.601, though GStreamer uses that of BT.709 for 720 lines."""
        self.server.camera("camera", *RED[:-1], "foreground-color=0xffb06060",
                           caps="video/x-raw,format=I420,width=320,height=720,framerate=30/1")
        with Screen() as screen, self.start("capture", "v4l2:/dev/video0", self.path, "--preview", DISPLAY=screen.display,
                                            SDL_VIDEODRIVER="x11") as program:
            window = screen.window("camera")
            wait_until(lambda: window.picture("rgb24")[2][0] > 100, "a picture")
            found = window.picture("rgb24")[2][:3]
            program.kill()
        # The colour of BT.709 is 176, 96, 96.
        for value, wanted in zip(found, (169, 88, 97), strict=True):
            self.assertAlmostEqual(value, wanted, delta=3, msg=list(found))

    def test_a_camera_that_vanishes(self):
        self.server.camera("camera")
        with self.start("capture", "v4l2:/dev/video0", self.path) as capture:
            wait_until(lambda: self.path.exists() and self.path.stat().st_size > 10000, "the beginning of the recording")
            self.server.stop()
            errors = capture.stderr.read().decode()
            self.assertEqual(capture.wait(), 1, errors)
        self.assertIn("the camera /dev/video0 stopped", errors)
        ffmpeg("-i", self.path, "-f", "null", "-")

    def test_refusals(self):
        code, errors = self.capture("v4l2:/dev/video7", self.path)
        self.assertEqual(code, 1)
        self.assertIn('there is no camera "v4l2:/dev/video7"', errors)
