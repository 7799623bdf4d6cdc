"""Publishing to addresses: what arrives at FFmpeg and at SRT receivers, the pace, and refusals."""
import http.server
import socket
import subprocess
import threading

from media import media
from support import CLIP, FRAMES, TIME_LIMIT, CommandTest, Started, run


class FullServer(http.server.BaseHTTPRequestHandler):
    """Reads the whole body of a PUT, and has no room for it."""
    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        while size := int(self.rfile.readline(), 16):
            self.rfile.read(size + 2)
        self.rfile.readline()
        self.send_response(507)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


class Addresses(CommandTest):
    def publish(self, *arguments):
        """Runs the command with the address of an FFmpeg that listens. Returns the command's result and the number of frames
        that FFmpeg decodes."""
        url = f"rtmp://127.0.0.1:{free_port()}/live/secret"
        return self.publish_to(url, ("-listen", "1", "-i", url), *arguments)

    def publish_to(self, url, source, *arguments):
        receiver = Started(["ffmpeg", "-nostdin", "-v", "error", *source, "-map", "0:v", "-fps_mode", "passthrough",
                            "-f", "framemd5", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        while True:
            result = run(*arguments, url)
            if not any(words in result.stderr for words in (b"Connection refused", b"does not answer", b"no connection")):
                break
        output, _ = receiver.communicate(timeout=TIME_LIMIT)
        return result, sum(not line.startswith(b"#") for line in output.splitlines())

    def test_a_clip_is_encoded_at_its_pace(self):
        result, count = self.publish("encode", CLIP, "--bit-rate", "300k")
        self.assertSucceeds(result)
        self.assertEqual(count, FRAMES)
        self.assertIn(b"rtmp://127.0.0.1:", result.stderr)
        self.assertNotIn(b"secret", result.stderr)

    def test_a_file_is_copied(self):
        result, count = self.publish("demux", media("mp4"))
        self.assertSucceeds(result)
        self.assertEqual(count, FRAMES)

    def test_a_refused_put_is_a_failure(self):
        with http.server.HTTPServer(("127.0.0.1", 0), FullServer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            result = run("demux", media("mp4"), f"http://127.0.0.1:{server.server_port}/x.ts?key=secret")
            server.shutdown()
        self.assertEqual(result.returncode, 1)
        # Nobody knows how many frames the server has kept.
        self.assertNotIn(b"written to", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(f"127.0.0.1:{server.server_port}/x.ts: the server answered 507 Insufficient Storage".encode(), result.stderr)
        self.assertNotIn(b"secret", result.stderr)

    def test_a_receiver_with_a_longer_latency_gets_the_end(self):
        host = f"srt://127.0.0.1:{free_port(socket.SOCK_DGRAM)}"
        source = ("-i", f"{host}?mode=listener&latency=2000000")
        result, count = self.publish_to(f"{host}?latency=100", source, "demux", media("mp4"))
        self.assertSucceeds(result)
        self.assertEqual(count, FRAMES)

    def test_refusals(self):
        for arguments, words in (
            (("encode", CLIP, "ftp://host/x"), "cannot be published to"),
            (("encode", CLIP, "rtmp://host/live/x", "--fragmented"), "is for files"),
            (("encode", CLIP, "rtmp://host/live/x", "--container", "mp4"), "flv is sent to this address"),
            (("encode", CLIP, f"rtmp://127.0.0.1:{free_port()}/live/x"), "Connection refused"),
            (("transcode", media("mp4"), "rtmp://host/live/x", "--workers", "2", "--bit-rate", "1M"), "needs an output file"),
        ):
            with self.subTest(arguments=arguments[-1]):
                result = run(*arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(words, result.stderr.decode())
