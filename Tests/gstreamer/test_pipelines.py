"""Runs the pipelines of docs/gstreamer.md with a time limit, and checks what they write or send with FFmpeg."""
import json
import pathlib
import re
import shlex
import socket
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).absolute().parents[2]
TIME_LIMIT = 60


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, check=True, timeout=TIME_LIMIT,
                          stdin=subprocess.DEVNULL, text=True, **options)


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Pipelines(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.directory = pathlib.Path(holder.name)

    def pipeline(self, word):
        """Returns the only pipeline of the document that contains a word."""
        text = (ROOT / "docs" / "gstreamer.md").read_text()
        found, = (block for block in re.findall(r"```sh\n(.*?)```", text, re.S) if word in block)
        return found

    def start(self, *arguments, **options):
        process = subprocess.Popen([str(argument) for argument in arguments], cwd=self.directory, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_pipeline(self, text):
        result = subprocess.run(shlex.split(text.replace("\\\n", " ")), cwd=self.directory, capture_output=True, text=True,
                                timeout=TIME_LIMIT, stdin=subprocess.DEVNULL)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("WARNING", result.stdout + result.stderr)

    def check(self, name, frames, width, height, least=None):
        """Checks that FFmpeg decodes a file without complaint, and returns the frames of ffprobe. With `least`, the file may be cut
        off after that many frames."""
        path = self.directory / name
        decoded = run("ffmpeg", "-nostdin", "-v", "error" if least else "warning", "-i", path, "-frames:v", least or frames, "-f", "null", "-")
        self.assertEqual(decoded.stderr, "")
        found = json.loads(run("ffprobe", "-v", "error", "-show_frames", "-show_streams", "-of", "json", path).stdout)
        stream, = found["streams"]
        self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", width, height))
        if least is None:
            self.assertEqual(len(found["frames"]), frames)
        else:
            self.assertTrue(least <= len(found["frames"]) <= frames, len(found["frames"]))
        return found["frames"]

    def wait_for_port(self, protocol, port, state):
        """Waits until a process listens, without a connection that the process would take for a client's."""
        deadline = time.monotonic() + TIME_LIMIT
        while f":{port:04X}{state}" not in "".join(pathlib.Path(f"/proc/net/{protocol}{family}").read_text() for family in ("", "6")):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def finish(self, process):
        output, _ = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 0, output)


class Files(Pipelines):
    def test_mp4mux(self):
        self.run_pipeline(self.pipeline("mp4mux"))
        frames = self.check("video.mp4", 90, 1280, 720)
        self.assertEqual(float(frames[0]["pts_time"]), 0)

    def test_splitmuxsink(self):
        self.run_pipeline(self.pipeline("splitmuxsink"))
        parts = sorted(path.name for path in self.directory.iterdir())
        self.assertEqual(parts, ["part00.mp4", "part01.mp4", "part02.mp4"])
        for part in parts:
            frames = self.check(part, 60, 640, 360)
            self.assertEqual([frame["key_frame"] for frame in frames], [1] + 59 * [0])

    def test_byte_stream_to_a_file(self):
        self.run_pipeline("gst-launch-1.0 -e videotestsrc num-buffers=40 ! naluh264enc ! filesink location=video.h264")
        self.check("video.h264", 40, 320, 240)

    def test_matroskamux_with_10_bits(self):
        self.run_pipeline("gst-launch-1.0 -e videotestsrc num-buffers=40 ! video/x-raw,format=P010_10LE ! naluh264enc ! matroskamux ! "
                          "filesink location=video.mkv")
        self.assertEqual({frame["pix_fmt"] for frame in self.check("video.mkv", 40, 320, 240)}, {"yuv420p10le"})


class RTMP(Pipelines):
    def test_rtmp2sink(self):
        port = free_port()
        server = self.start("ffmpeg", "-nostdin", "-v", "error", "-listen", 1, "-i", f"rtmp://127.0.0.1:{port}/live/stream", "-map",
                            "0:v", "-c", "copy", "received.mkv")
        self.wait_for_port("tcp", port, " 00000000:0000 0A")
        self.run_pipeline(self.pipeline("rtmp2sink").replace("localhost:1935", f"127.0.0.1:{port}"))
        self.finish(server)
        frames = self.check("received.mkv", 90, 640, 360)
        # A key frame a second.
        self.assertEqual([number for number, frame in enumerate(frames) if frame["key_frame"]], [0, 30, 60])


class SRT(Pipelines):
    def test_srtsink(self):
        port = free_port(socket.SOCK_DGRAM)
        sender = self.start(*shlex.split(self.pipeline("srtsink").replace("\\\n", " ").replace(":7001", f":{port}")))
        self.wait_for_port("udp", port, "")
        with open(self.directory / "received.ts", "wb") as received:
            receiver = subprocess.Popen(["srt-live-transmit", "-q", "-a:no", f"srt://127.0.0.1:{port}?mode=caller", "file://con"],
                                        stdin=subprocess.DEVNULL, stdout=received, stderr=subprocess.DEVNULL)
            self.addCleanup(receiver.wait)
            self.addCleanup(receiver.kill)
        self.finish(sender)
        receiver.wait(TIME_LIMIT)
        # The stream has ended before the last packets were acknowledged.
        frames = self.check("received.ts", 150, 640, 360, least=120)
        sizes = [int(frame["pkt_size"]) for frame in frames]
        # MPEG-TS adds parameter sets and delimiters to the samples.
        self.assertLess(max(sum(sizes[first:first + 30]) for first in range(len(sizes))), 151000)


if __name__ == "__main__":
    unittest.main()
