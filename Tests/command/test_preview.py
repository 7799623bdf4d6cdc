"""nalu capture --preview: the window shows what is captured, and its end ends the capture."""
import re
import signal
import subprocess

from screen import Screen
from support import CommandTest, ffmpeg, run, start


class Preview(CommandTest):
    def capture(self, screen, *options):
        path = self.directory / "clip.mkv"
        program = start("capture", "test", path, "--size", "640x360", "--fps", "25", "--preset", "ultrafast", "--preview", *options,
                        env=screen.environment, stderr=subprocess.PIPE)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.kill)
        return path, program, screen.window("Test source")

    def check(self, path, program, code):
        text = program.stderr.read().decode()
        self.assertEqual(program.wait(), code, text)
        frames = int(re.search(r": (\d+) frames? \(", text)[1])
        self.assertEqual(len(ffmpeg("-i", path, "-fps_mode", "passthrough", "-vf", "scale=1:1", "-pix_fmt", "gray", "-f", "rawvideo",
                                    "-")), frames)

    def test_the_window_shows_the_pictures_and_ends_the_capture(self):
        with Screen() as screen:
            for end in ("q", "Escape", "alt+F4"):
                with self.subTest(end):
                    path, program, window = self.capture(screen, "--force")
                    first = window.wait_for_counter(lambda count: 0 < count < 10000, "a picture")
                    window.wait_for_counter(lambda count: count > first + 10, "later pictures")
                    window.press(end)
                    self.check(path, program, 0)

    def test_ctrl_c_and_the_duration_end_it_too(self):
        with Screen() as screen:
            path, program, window = self.capture(screen)
            window.wait_for_counter(lambda count: 0 < count < 10000, "a picture")
            program.send_signal(signal.SIGINT)
            self.check(path, program, 130)
            path, program, window = self.capture(screen, "--force", "--duration", "1")
            self.check(path, program, 0)

    def test_a_missing_display(self):
        path = self.directory / "clip.mp4"
        result = run("capture", "test", path, "--size", "256x144", "--preview", env={"SDL_VIDEODRIVER": "x11", "PATH": "/usr/bin:/bin"})
        self.assertFails(result, 1, "cannot open a window", "DISPLAY")
        self.assertFalse(path.exists())
