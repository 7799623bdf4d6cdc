"""nalu play: pictures, keys, audio and live input in a window, as FFmpeg and xdotool see it."""
import array
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from screen import Screen
from support import CommandTest, directory_of_files, ffmpeg, made_once, run, start, wait_until

RATE = 25
SIZE = (640, 360)


def movie(seconds=20):
    """Returns a file. Its boxes count the frames from 0, and a beep begins in each second."""
    def make(path):
        boxes = [f"drawbox=x={8 * bit}:y=0:w=8:h=8:t=fill:color=white:enable='gte(mod(n,{2 << (31 - bit)}),{1 << (31 - bit)})'"
                 for bit in range(20, 32)]
        picture = f"color=c=0x206090:s={SIZE[0]}x{SIZE[1]}:r={RATE}:d={seconds},drawbox=x=0:y=0:w=256:h=8:t=fill:color=black," + ",".join(boxes)
        ffmpeg("-f", "lavfi", "-i", picture, "-f", "lavfi", "-i",
               f"aevalsrc='if(lt(mod(t,1),0.05),0.5*sin(2*PI*1000*t),0)':s=44100:d={seconds}", "-c:v", "libx264", "-bf", "2", "-g", "100",
               "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-c:a", "aac", path)

    return made_once(directory_of_files("play") / f"movie-{seconds}.mp4", make)


class Play(CommandTest):
    def setUp(self):
        super().setUp()
        self.screen = Screen()
        self.screen.__enter__()
        self.addCleanup(self.screen.__exit__, None, None, None)

    def play(self, *arguments, environment=None, name=None, **options):
        """Starts the command and returns it with its window."""
        program = start("play", *arguments, env={**self.screen.environment, **(environment or {})}, stderr=subprocess.PIPE, **options)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        title = name or os.path.basename(str(arguments[0]))
        return program, self.screen.window(title)

    def end(self, program, code=0):
        text = program.stderr.read().decode()
        self.assertEqual(program.wait(), code, text)
        return text

    def test_a_file_plays_at_its_speed_to_its_end(self):
        began = time.monotonic()
        program, window = self.play(movie(), "--start", "16")
        seen = window.wait_for_counter(lambda count: count >= 16 * RATE, "a picture after the start")
        self.assertLess(seen, 20 * RATE)
        text = self.end(program)
        self.assertGreaterEqual(time.monotonic() - began, 4)
        shown, dropped = (int(re.search(pattern, text)[1]) for pattern in (r"(\d+) frames? shown", r"(\d+) dropped"))
        self.assertEqual(shown + dropped, 4 * RATE, text)
        self.assertIn("0:20", text)

    def test_keys(self):
        program, window = self.play(movie(), "--no-audio")
        window.wait_for_counter(lambda count: count > 0, "a picture")
        window.press("space")
        self.assertIn("paused", self.title_with(window, "paused"))
        time.sleep(0.3)
        count = window.counter()
        time.sleep(0.5)
        self.assertEqual(window.counter(), count)
        for number in range(1, 4):
            window.press("period")
            window.wait_for_counter(lambda seen: seen == count + number, "the next picture")
        window.press("Right")
        # The time of the picture is the time of the playback.
        window.wait_for_counter(lambda seen: seen == count + 3 + 5 * RATE, "a picture 5 seconds later")
        window.press("Left")
        window.wait_for_counter(lambda seen: seen == count + 3, "the picture before")
        window.press("Left")
        window.wait_for_counter(lambda seen: seen == 0, "the first picture")
        window.press("bracketright", "Up")
        self.assertIn("1.50x", self.title_with(window, "1.50x"))
        window.press("bracketleft")
        self.assertIn("1.25x", self.title_with(window, "1.25x"))
        window.press("q")
        self.end(program)

    def title_with(self, window, text):
        for _ in range(200):
            if text in window.title:
                break
            time.sleep(0.02)
        return window.title

    def test_the_rate_is_the_speed(self):
        for rate in (0.5, 4):
            with self.subTest(rate):
                program, window = self.play(movie(60), "--no-audio", "--rate", rate)
                window.wait_for_counter(lambda count: count > 0, "a picture")
                first, (began, had_begun) = self.timed_counter(window)
                time.sleep(2)
                last, (ending, had_ended) = self.timed_counter(window)
                # A screenshot shows a moment while it is taken, and a picture that is late by at most a quarter of a second.
                frames = (last - first) / RATE / rate
                self.assertGreater(frames, ending - had_begun - 0.25)
                self.assertLess(frames, had_ended - began + 0.25)
                window.press("Escape")
                self.end(program)

    def timed_counter(self, window):
        """Returns the number of the picture, and the times before and after the screenshot."""
        begin = time.monotonic()
        return window.counter(), (begin, time.monotonic())

    def test_full_screen_and_black_bars(self):
        program, window = self.play(movie(), "--no-audio", "--start", "10")
        window.wait_for_counter(lambda count: count >= 250, "a picture")
        window.press("space", "f")
        for _ in range(200):
            if window.size == (Screen.WIDTH, Screen.HEIGHT):
                break
            time.sleep(0.02)
        self.assertEqual(window.size, (Screen.WIDTH, Screen.HEIGHT))
        time.sleep(0.5)
        width, height, pixels = window.picture("rgb24")
        scale = width / SIZE[0]
        top = (height - SIZE[1] * scale) / 2
        self.assertGreaterEqual(window.counter(scale, 0, top), 250)

        def pixel(x, y):
            place = 3 * (int(y) * width + int(x))
            return tuple(pixels[place:place + 3])

        self.assertEqual(pixel(640, top / 2), (0, 0, 0))
        self.assertEqual(pixel(640, height - top / 2), (0, 0, 0))
        # The colour is that of the file: BT.709 was stated, although the picture is small.
        for value, expected in zip(pixel(640, 400), self.colour_of_file()):
            self.assertLessEqual(abs(value - expected), 3)
        window.press("f")
        for _ in range(200):
            if window.size == SIZE:
                break
            time.sleep(0.02)
        self.assertEqual(window.size, SIZE)
        window.resize(640, 640)
        time.sleep(0.5)
        width, height, pixels = window.picture()
        self.assertEqual((width, height, pixels[320]), (640, 640, 0))
        self.assertGreaterEqual(window.counter(1, 0, 140), 250)
        window.close()
        self.end(program)

    def colour_of_file(self):
        data = ffmpeg("-ss", "10", "-i", movie(), "-frames:v", "1", "-vf", "scale=in_color_matrix=bt709", "-pix_fmt", "rgb24",
                      "-f", "rawvideo", "-")
        place = 3 * (180 * SIZE[0] + 320)
        return data[place:place + 3]

    def test_orientation_and_pixel_aspect(self):
        path = self.directory / "shaped.mp4"
        # The left half is white, and pixels are twice as wide as they are high.
        ffmpeg("-f", "lavfi", "-i", "color=black:s=160x120:r=10:d=5,drawbox=x=0:y=0:w=80:h=120:t=fill:color=white,setsar=2",
               "-c:v", "libx264", "-pix_fmt", "yuv420p", self.directory / "upright.mp4")
        ffmpeg("-i", self.directory / "upright.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", path)
        program, window = self.play(path, "--loop")
        self.assertEqual(window.size, (120, 320))
        wait_until(lambda: max(window.picture()[2]) > 200, "a picture")
        width, _, pixels = window.picture()
        # FFmpeg turns pictures too.
        judge = ffmpeg("-i", path, "-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-")
        for part in (0.25, 0.75):
            expected = judge[int(160 * part) * 120 + 60]
            self.assertLess(abs(pixels[int(320 * part) * width + 60] - expected), 40)
        window.press("q")
        self.end(program)

    def test_formats_without_a_texture(self):
        for name, form, matrix in (("ten bits", "yuv420p10le", "bt2020nc"), ("4:4:4", "yuv444p", "bt709"), ("full", "yuvj420p", "bt709")):
            with self.subTest(name):
                path = self.directory / f"{form}.mp4"
                ffmpeg("-f", "lavfi", "-i", f"color=0xC04020:s=320x180:r=10:d=4,scale=out_color_matrix={matrix}", "-c:v",
                       "libx264", "-pix_fmt", form, "-colorspace", matrix, path)
                program, window = self.play(path)
                color = (0, 0, 0)

                def is_shown():
                    nonlocal color
                    width, _, pixels = window.picture("rgb24")
                    place = 3 * (90 * width + 160)
                    color = tuple(pixels[place:place + 3])
                    return color != (0, 0, 0)

                wait_until(is_shown, "a picture")
                for value, expected in zip(color, (0xC0, 0x40, 0x20)):
                    self.assertLessEqual(abs(value - expected), 6, color)
                window.press("q")
                self.end(program)

    def test_audio_is_in_step(self):
        # Each sample is its time divided by 20 seconds.
        movie_with_times = self.directory / "times.mkv"
        ffmpeg("-i", movie(), "-f", "lavfi", "-i", "aevalsrc=t/20|t/20:s=48000:d=20", "-map", "0:v", "-map", "1:a", "-c:v", "copy",
               "-c:a", "pcm_f32le", movie_with_times)
        path = self.directory / "audio.pcm"
        # SDL's driver writes the samples that a device would play. It sleeps for 20 ms after each 21.3 ms of audio.
        environment = {"SDL_AUDIODRIVER": "disk", "SDL_DISKAUDIOFILE": str(path), "SDL_DISKAUDIODELAY": "20"}
        program, window = self.play(movie_with_times, environment=environment)
        window.wait_for_counter(lambda count: count > RATE, "a picture after a second")
        for _ in range(3):
            time.sleep(1)
            window.press("space")
            time.sleep(1)
            picture = window.counter() / RATE
            heard = 20 * next(value for value in reversed(self.samples(path)) if value)
            # A picture lasts for 40 ms, and the device has up to two buffers of 21 ms that it still plays.
            self.assertLess(abs(heard - picture), 0.12)
            window.press("space")
        window.press("q")
        self.assertRegex(self.end(program), r"[\d.]+ s of audio")
        samples = [value for value in self.samples(path) if value]
        steps = sum(abs((after - before) * 20 * 48000 - 1) < 0.1 for before, after in zip(samples, samples[1:]))
        # A busy machine can make the device late.
        self.assertGreater(steps, 0.99 * len(samples))
        self.assertGreater(len(samples), 3 * 48000)

    def samples(self, path):
        samples = array.array("f")
        samples.frombytes(path.read_bytes()[:path.stat().st_size // 8 * 8])
        return samples[0::2]

    def test_live_input(self):
        for scheme, options in (("udp", "?pkt_size=1316"), ("srt", "?mode=listener")):
            with self.subTest(scheme):
                port = free_port()
                address = f"{scheme}://127.0.0.1:{port}"
                sender = subprocess.Popen(
                    ["ffmpeg", "-nostdin", "-v", "quiet", "-re", "-stream_loop", "-1", "-i", movie(), "-map", "0:v", "-c:v",
                     "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "25", "-f", "mpegts", address + options])
                try:
                    program, window = self.play(address, "--delay", "50", name=address)
                    first = window.wait_for_counter(lambda count: count > 0, "a picture")
                    window.wait_for_counter(lambda count: count > first + RATE, "a picture a second later")
                    window.press("Right")
                    window.press("space")
                    self.assertIn("paused", self.title_with(window, "paused"))
                    time.sleep(0.5)
                    stopped = window.counter()
                    time.sleep(1.5)
                    self.assertEqual(window.counter(), stopped)
                    # After a pause the newest picture follows.
                    window.press("space")
                    window.wait_for_counter(lambda count: count > stopped + RATE, "a new picture")
                    window.press("q")
                    text = self.end(program)
                finally:
                    sender.kill()
                    sender.wait()
                self.assertIn("cannot seek", text)
                for stage in ("receive", "decode", "show", "draw"):
                    self.assertRegex(text, rf"(?m)^{stage} +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$")

    def test_standard_input_and_ctrl_c(self):
        with open(movie(), "rb") as file:
            program, window = self.play("-", "--no-audio", name="standard input", stdin=file)
            window.wait_for_counter(lambda count: count > 0, "a picture")
            program.send_signal(signal.SIGINT)
            self.assertIn("shown", self.end(program, 130))

    def test_damage(self):
        data = bytearray(movie().read_bytes())
        for place in range(20000, len(data) - 20000, 997):
            data[place] ^= 0x55
        path = self.directory / "damaged.mp4"
        path.write_bytes(data)
        result = run("play", path, "--rate", "8", env=self.screen.environment)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        self.assertIn(b"shown", result.stderr)

    def test_loop(self):
        path = self.directory / "short.mp4"
        ffmpeg("-i", movie(), "-t", "1", "-c:v", "libx264", "-c:a", "copy", path)
        program, window = self.play(path, "--loop")
        window.wait_for_counter(lambda count: count > 15, "a picture near the end")
        window.wait_for_counter(lambda count: count < 5, "the beginning again")
        window.press("q")
        self.end(program)


class PlayRefusals(CommandTest):
    def test_a_missing_display(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment["SDL_VIDEODRIVER"] = "x11"
        self.assertFails(run("play", movie(), env=environment), 1, "cannot open a window", "DISPLAY", "xvfb-run")

    def test_a_missing_library(self):
        # The loader finds this file first, and it is not a library.
        (self.directory / "libSDL2-2.0.so.0").write_text("")
        self.assertFails(run("play", movie(), env={**os.environ, "LD_LIBRARY_PATH": str(self.directory)}), 1, "SDL2",
                         "libsdl2-2.0-0")

    def test_options(self):
        self.assertRefuses(run("play", movie(), "--rate", "0"), 64, "--rate", "0.1 to 8")
        self.assertRefuses(run("play", movie(), "--delay", "3000"), 64, "--delay", "2000")
        self.assertRefuses(run("play", "udp://127.0.0.1:9", "--loop"), 64, "--loop", "live")
        self.assertRefuses(run("play", movie(), "--start", "30"), 64, "--start", "20 s")
        self.assertFails(run("play", "missing.mp4"), 1, "missing.mp4", "No such file")
        self.assertFails(run("play", "tcp://127.0.0.1:9"), 1, "tcp://127.0.0.1:9")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


if __name__ == "__main__":
    unittest.main()
