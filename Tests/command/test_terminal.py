"""The progress line, and keys and signals that interrupt."""
import fcntl
import os
import re
import signal
import struct
import subprocess
import termios
import time

from support import CLIP, FRAMES, HEIGHT, WIDTH, CommandTest, ffmpeg, directory_of_files, made_once, probe, run, start, wait_until
from terminal import Terminal

HEADER, CONTENT = CLIP.read_bytes().split(b"\n", 1)
FRAME = WIDTH * HEIGHT * 3 // 2 + 6


def frames(number):
    return HEADER + b"\n" + CONTENT[:number * FRAME]


def bytes_waiting(descriptor):
    return struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))[0]


class Progress(CommandTest):
    def test_progress_of_a_file_shows_share_and_remaining_time(self):
        """The line with a known number of frames: bar, percentage and remaining time."""
        source = self.directory / "long.y4m"
        source.write_bytes(HEADER + b"\n" + CONTENT * 5)
        terminal = Terminal("encode", source, "-o", self.output, "--preset", "veryslow")
        self.assertEqual(terminal.finish(), 0, terminal.text)
        bars = [line for line in terminal.drawings if line.startswith("[")]
        self.assertTrue(bars, terminal.text)
        for line in bars:
            self.assertRegex(line, r"^\[#*-*\] +\d+%  \d+/600  [\d.]+ fps  [\d.]+ [kM]?b/s(  (\d+:)?\d+:\d\d left)?$")
            self.assertLess(len(line), 100)
        done = [int(re.search(r"(\d+)/600", line).group(1)) for line in bars]
        self.assertEqual(done, sorted(done))
        self.assertEqual(len(terminal.remains), 2, "only the summary stays")
        self.assertIn("600 frames", terminal.remains[0])

    def test_progress_of_a_pipe_shows_count_and_elapsed_time(self):
        """The line with an unknown number of frames: their count and the elapsed time."""
        terminal = Terminal("encode", "-", "-o", self.output, "--tune", "zerolatency", stdin=subprocess.PIPE)
        terminal.process.stdin.write(frames(30))
        terminal.process.stdin.flush()
        terminal.wait_for(r"30 frames  [\d.]+ fps  [\d.]+ [kM]?b/s  \d+:\d\d\b")
        terminal.process.stdin.close()
        self.assertEqual(terminal.finish(), 0, terminal.text)
        self.assertEqual(probe(self.output)["frames"], 30)

    def test_progress_fits_a_narrow_terminal(self):
        terminal = Terminal("encode", "-", "-o", self.output, "--tune", "zerolatency", columns=20, stdin=subprocess.PIPE)
        terminal.process.stdin.write(frames(5))
        terminal.process.stdin.flush()
        terminal.wait_for("5 frames")
        terminal.process.stdin.close()
        self.assertEqual(terminal.finish(), 0, terminal.text)
        drawn = terminal.text.split("\x1b[K")[:-1]
        self.assertLess(max(len(line.lstrip("\r")) for line in drawn), 20)

    def test_quiet_and_dumb_terminals_have_no_progress(self):
        for arguments, environment in ((["--quiet"], {}), ([], {"TERM": "dumb"})):
            terminal = Terminal("encode", CLIP, "-f", "-o", self.output, *arguments, environment=environment)
            self.assertEqual(terminal.finish(), 0)
            self.assertNotIn("\x1b", terminal.text)
            if arguments:
                self.assertEqual(terminal.text, "")
        self.assertNotIn(b"\r", run("encode", CLIP, "-f", "-o", self.output).stderr)

    def test_no_color_turns_colours_off(self):
        terminal = Terminal("encode", CLIP, "-o", self.output, "--preset", "placebo", environment={"NO_COLOR": "1"})
        self.assertEqual(terminal.finish(), 0)
        self.assertNotRegex(terminal.text, r"\x1b\[[0-9;]*m")

    def test_stream_to_a_terminal_is_refused(self):
        master, slave = os.openpty()
        result = run("encode", CLIP, "-o", "-", stdout=slave)
        os.close(slave)
        os.close(master)
        self.assertRefuses(result, 1, "standard output is a terminal")

    def test_stream_from_a_terminal_is_refused(self):
        for command in ("encode", "transcode", "demux", "decode", "convert", "inspect"):
            with self.subTest(command):
                master, slave = os.openpty()
                result = run(command, "-", *([self.output] if command != "inspect" else []), stdin=slave)
                os.close(slave)
                os.close(master)
                self.assertRefuses(result, 1, "standard input is a terminal", "name a file")


class Interruption(CommandTest):
    def test_control_c_completes_the_stream(self):
        terminal = Terminal("encode", "-", "-o", self.output, "--tune", "zerolatency", stdin=subprocess.PIPE)
        terminal.process.stdin.write(frames(30))
        terminal.process.stdin.flush()
        terminal.wait_for("30 frames")
        terminal.press(b"\x03")
        self.assertEqual(terminal.finish(), 130, terminal.text)
        self.assertIn(f"nalu: interrupted; all frames that were read are in {self.output}", terminal.text)
        self.assertEqual(probe(self.output)["frames"], 30)

    def test_control_c_writes_the_delayed_frames(self):
        """The lookahead holds frames, and nothing has been written yet."""
        terminal = Terminal("encode", "-", "-o", self.output, "--preset", "slow", stdin=subprocess.PIPE)
        terminal.process.stdin.write(frames(30))
        terminal.process.stdin.flush()
        terminal.wait_for("0 frames")
        wait_until(lambda: bytes_waiting(terminal.process.stdin.fileno()) == 0, "that all is read")
        terminal.press(b"\x03")
        self.assertEqual(terminal.finish(), 130, terminal.text)
        # The last frame may still be in the pipe.
        self.assertIn(probe(self.output)["frames"], (29, 30))

    def test_no_remaining_time_is_shown_after_control_c(self):
        """The number of frames that were read is unknown."""
        long = self.directory / "long.y4m"
        long.write_bytes(HEADER + b"\n" + CONTENT * 20)
        terminal = Terminal("encode", long, "-o", self.output, "--preset", "placebo")
        terminal.wait_for(" left")
        terminal.press(b"\x03")
        terminal.wait_for("interrupted, finishing")
        self.assertEqual(terminal.finish(), 130, terminal.text)
        self.assertNotIn(" left", terminal.text.partition("interrupted, finishing")[2])

    def test_cut_shows_progress_and_can_be_interrupted(self):
        """A cut shows its share. The first signal ends it, and an existing file stays."""
        long = made_once(directory_of_files("media") / "cut-long.mp4", lambda part: ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=30:duration=20", "-c:v", "libx264", "-preset", "ultrafast",
            "-x264-params", "keyint=infinite:scenecut=0", "-pix_fmt", "yuv420p", part))
        self.output = self.output.with_suffix(".mp4")
        self.output.write_bytes(b"old")
        terminal = Terminal("cut", long, self.output, "--force", "--start", "0:01")
        terminal.wait_for("%")
        terminal.press(b"\x03")
        terminal.wait_for("interrupted")
        self.assertEqual(terminal.finish(), 130, terminal.text)
        self.assertIn("was not written", terminal.text)
        self.assertEqual(self.output.read_bytes(), b"old")

    def test_a_signal_before_the_first_frame_leaves_no_file(self):
        for sent in (b"", HEADER + b"\n"):
            process = start("encode", "-", "-o", self.output, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write(sent)
            process.stdin.flush()
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            self.assertIn(process.wait(), (130, -signal.SIGINT))
            process.stdin.close()
            process.stderr.close()
            self.assertFalse(self.output.exists())

    def test_each_signal_has_its_exit_code(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(signal=number):
                process = start("encode", "-", "-f", "-o", "-", "--quiet", "--tune", "zerolatency", stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                process.stdin.write(frames(10))
                process.stdin.flush()
                first = os.read(process.stdout.fileno(), 100)
                process.send_signal(number)
                stream = first + process.stdout.read()
                self.assertEqual(process.wait(), code)
                self.assertEqual(process.stderr.read(), b"")
                self.assertGreaterEqual(probe(stream)["frames"], 1)
                for pipe in (process.stdin, process.stdout, process.stderr):
                    pipe.close()

    def test_a_second_signal_ends_the_run_at_once(self):
        """The first signal cannot end the run, because the output is not read."""
        process = start("encode", CLIP, "-o", "-", "--quiet", "-p", "x264.params=qp=4", stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE)
        wait_until(lambda: bytes_waiting(process.stdout.fileno()) >= 60_000, "that the pipe is full")
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        # Two simultaneous signals count as one.
        for _ in range(100):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(0.5)
                break
            except subprocess.TimeoutExpired:
                pass
        self.assertEqual(process.poll(), 130)
        process.stdout.close()
        process.stderr.close()

    def test_ignored_signals_stay_ignored(self):
        """SIGHUP under nohup, SIGINT and SIGQUIT in a shell's background jobs."""
        for number in (signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number):
                process = start("encode", "-", "-f", "-o", self.output, "--tune", "zerolatency", stdin=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, prepare=lambda: signal.signal(number, signal.SIG_IGN))
                process.stdin.write(frames(10))
                process.stdin.flush()
                wait_until(lambda: self.output.exists() and self.output.stat().st_size, "that the first frame is written")
                process.send_signal(number)
                process.stdin.write(CONTENT[10 * FRAME:])
                process.stdin.close()
                self.assertEqual(process.wait(), 0)
                self.assertEqual(probe(self.output)["frames"], FRAMES)
                self.output.unlink()

    def test_blocked_and_ignored_signals_of_the_parent_have_no_effect_on_the_tests(self):
        """The tests work even if their parent blocks or ignores signals."""
        kept = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP, signal.SIGTERM))
        hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            self.test_each_signal_has_its_exit_code()
        finally:
            signal.signal(signal.SIGHUP, hangup)
            signal.pthread_sigmask(signal.SIG_SETMASK, kept)
