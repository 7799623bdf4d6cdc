"""nalu serve without a browser: the page, the socket, its limits, and clients that break the rules."""
import contextlib
import os
import socket
import struct
import threading
import time
import unittest

from live_socket import Closed, Refused, Server, parameter_sets
from media import media
from support import CLIP, FRAMES, probe, run, wait_until


class Served(unittest.TestCase):
    """Tests that share one server."""

    arguments = (CLIP,)

    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server(*cls.arguments))

    def refusal(self, **options):
        with self.assertRaises(Refused) as caught:
            self.server.watch(**options)
        return caught.exception.args[0]


class Requests(Served):
    def test_page(self):
        status, headers, body = self.server.request("/")
        self.assertEqual(status, 200)
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        self.assertEqual(int(headers["content-length"]), len(body))
        self.assertIn("default-src 'none'", headers["content-security-policy"])
        self.assertIn("frame-ancestors 'none'", headers["content-security-policy"])
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertTrue(body.startswith(b"<!doctype html>"))
        # Everything is in the page.
        for word in (b"https://", b"http://www.w3.org"):
            self.assertEqual(body.count(word), body.count(b"xmlns='" + word))
        self.assertEqual(self.server.request("/", method="HEAD")[2], b"")

    def test_nothing_else(self):
        for path in ("/favicon.ico", "/index.html", "//", "/live/", "/Live", "/..", "/../../etc/passwd", "/%2e%2e/etc/passwd",
                     "/live/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/\\..\\etc", "/?/../etc/passwd/../x", "/%00"):
            expected = 200 if path.startswith("/?") else 404
            with self.subTest(path=path):
                status, _, body = self.server.request(path)
                self.assertEqual(status, expected)
                self.assertNotIn(b"root:", body)

    def test_methods_and_bodies(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE"):
            self.assertEqual(self.server.status("/", method=method), 405, method)
        self.assertEqual(self.server.status("/live", method="HEAD"), 405)
        self.assertEqual(self.server.status("/", "Content-Length: 5"), 413)
        self.assertEqual(self.server.status("/", "Transfer-Encoding: chunked"), 413)

    def test_hosts(self):
        """A page of another server whose name leads to this machine (DNS rebinding) has its own name as host."""
        port = self.server.port
        for host in ("localhost", "LOCALHOST:1", f"127.0.0.1:{port}", "192.168.7.9:80", f"[::1]:{port}", socket.gethostname()):
            self.assertEqual(self.server.status("/", host=host), 200, host)
        for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1x",
                     "1.2.3.256", "localhost:", "localhost:x", "localhost:123456", "[evil]", "", ":80"):
            self.assertEqual(self.server.status("/", host=host or " "), 421, host)
        self.assertEqual(self.server.status(b"GET / HTTP/1.1\r\n\r\n"), 421)

    def test_origins(self):
        port = self.server.port
        for origin in ("", "null", "http://evil.example", f"http://localhost:{port + 1}", "http://localhost",
                       f"http://127.0.0.1:{port}", f"http://localhost:{port}.evil.example", "file://"):
            self.assertEqual(self.refusal(origin=origin), 403, origin)
        self.server.watch(host=f"127.0.0.1:{port}").connection.close()
        # A tunnel has a port of its own.
        self.server.watch(host="localhost:9").connection.close()

    def test_malformed_requests(self):
        for request in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n", b"GET / HTTP/2\r\n\r\n",
                        b"GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHo st: localhost\r\n\r\n",
                        b"GET / HTTP/1.1\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n",
                        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n"):
            with self.subTest(request=request):
                self.assertEqual(self.server.status(request), 400)
        for request in (b"GET /" + b"x" * 20000, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 20000):
            # The server ends the connection, and the reset may overtake its answer.
            self.assertIn(self.server.status(request), (431, None))
        self.assertEqual(self.refusal(upgrade=False), 400)
        self.assertEqual(self.server.status("/"), 200)

    def test_slow_request(self):
        """A client that sends a byte now and then does not keep its connection."""
        begin = time.monotonic()
        with self.server.connect() as connection, contextlib.suppress(ConnectionError):
            connection.settimeout(0.5)
            for byte in b"GET / HTTP/1.1\r\n" + b"X" * 200:
                connection.send(bytes([byte]))
                try:
                    if connection.recv(100) == b"":
                        break
                except TimeoutError:
                    pass
            else:
                self.fail("the connection lasts")
        self.assertGreaterEqual(time.monotonic() - begin, 3)


class Stream(Served):
    def test_samples(self):
        """A viewer begins with a key frame made for it, and FFmpeg decodes all that follows."""
        with self.server.watch() as viewer:
            hello = viewer.message()
            self.assertEqual(hello["type"], "hello")
            self.assertEqual(hello["source"], CLIP.name)
            stream = viewer.message("stream")
            self.assertEqual((stream["width"], stream["height"]), (176, 144))
            self.assertRegex(stream["codec"], "^avc1[.][0-9a-f]{6}$")
            samples = [viewer.sample()]
            while len(samples) < 2 * FRAMES + 10:  # the clip is repeated
                samples.append(viewer.sample())
                viewer.send(type="acknowledge", frame=samples[-1].number)
        first = samples[0].number
        self.assertEqual([sample.number for sample in samples], list(range(first, first + len(samples))))
        self.assertTrue(samples[0].is_key)
        self.assertFalse(any(sample.is_key for sample in samples[1:]))
        times = [sample.captured for sample in samples]
        self.assertEqual(times, sorted(set(times)))
        self.assertTrue(all(sample.sent >= sample.captured for sample in samples))
        now = time.monotonic() * 1e6
        self.assertTrue(0 <= now - samples[-1].sent < 60e6)
        bytes_ = parameter_sets(stream) + b"".join(sample.annex_b for sample in samples)
        self.assertEqual(probe(bytes_)["frames"], len(samples))

    def test_colours(self):
        """The stream states the matrix of the file."""
        with Server(media("wide colour")) as server, server.watch() as viewer:
            stream = parameter_sets(viewer.message("stream")) + viewer.sample().annex_b
        self.assertEqual(probe(stream)["color_space"], "bt2020nc")

    def test_key_frames(self):
        """Each viewer joins by a key frame; a request makes one; requests without end do not."""
        with self.server.watch() as viewer:
            viewer.sample()
            with self.server.watch() as other:
                self.assertTrue(other.sample().is_key)
                while not viewer.sample().is_key:
                    pass
                before = viewer.message("state")["keyFrames"]
                viewer.send(type="keyFrame")
                while not other.sample().is_key:
                    pass
                begin = time.monotonic()
                for _ in range(100):
                    viewer.send(type="keyFrame")
                self.assertIn("more than once a second", viewer.message("error")["message"])
                while time.monotonic() < begin + 1:
                    other.sample()
                end = begin + 60
                while (state := viewer.message("state"))["keyFrames"] == before and time.monotonic() < end:
                    pass
                self.assertLess(state["keyFrames"] - before, 8 + time.monotonic() - begin)

    def test_refresh(self):
        """A viewer that has lost frames continues without a key frame, when all viewers acknowledge theirs."""
        with self.server.watch() as viewer:
            for _ in range(30):
                viewer.send(type="acknowledge", frame=viewer.sample().number)
            viewer.send(type="refresh")
            flags = []
            while not flags or not flags[-1]:
                sample = viewer.sample()
                flags.append(sample.flags)
                viewer.send(type="acknowledge", frame=sample.number)
            self.assertEqual(flags[-1], 2)

    def test_another_encoder(self):
        """With OpenH264, which has no acknowledged references, a viewer that has lost frames gets a key frame."""
        with Server(CLIP, "--encoder", "org.openh264.openh264") as server, server.watch() as viewer:
            stream = viewer.message("stream")
            samples = [viewer.sample() for _ in range(10)]
            viewer.send(type="refresh")
            while not samples[-1].is_key:
                samples.append(viewer.sample())
        bytes_ = parameter_sets(stream) + b"".join(sample.annex_b for sample in samples)
        self.assertEqual(probe(bytes_)["frames"], len(samples))
        self.assertNotIn(b"x264 - core", bytes_)

    def test_rate(self):
        with self.server.watch() as viewer:
            viewer.sample()
            viewer.send(type="rate", bitsPerSecond=150000)
            while viewer.message("state")["bitRate"] != 150000:
                pass
            for rate in (0, -1, 99999, 20000001, 1e300):
                viewer.send(type="rate", bitsPerSecond=rate)
                self.assertIn("expected 100000 to 20000000", viewer.message("error")["message"])
                time.sleep(0.6)  # the server sends two error messages a second
            self.assertEqual(viewer.message("state")["bitRate"], 150000)

    def test_clock(self):
        with self.server.watch() as viewer:
            begin = time.monotonic()
            viewer.send(type="clock", page=1234.5)
            answer = viewer.message("clock")
            self.assertEqual(answer["page"], 1234.5)
            self.assertTrue(begin - 0.001 <= answer["host"] / 1e6 <= time.monotonic() + 0.001)

    def test_wrong_messages(self):
        for text in (b"", b"{", b"[]", b"1", b"null", b'{"type":1}', b'{"type":"x"}', b'{"type":"rate"}', b"[" * 1000,
                     b'{"type":"rate","bitsPerSecond":"fast"}', b'{"type":"acknowledge","frame":-1}',
                     b'{"type":"acknowledge","frame":4294967296}', b'{"type":"clock","page":1e999}'):
            with self.subTest(text=text), self.server.watch() as viewer:
                viewer.send_frame(1, text)
                self.assertIn("type", viewer.message("error")["message"])
                self.assertTrue(viewer.sample())  # the viewer stays
        with self.server.watch() as viewer:
            for frame in (0, 1 << 31, (1 << 32) - 1):
                viewer.send(type="acknowledge", frame=frame)
            self.assertTrue(viewer.sample())

    def test_frames(self):
        """Every violation of the protocol ends the connection with its code, and only that one."""
        def bytes_(*numbers):
            return lambda viewer: viewer.connection.sendall(bytes(numbers))

        def frame(*arguments, **options):
            return lambda viewer: viewer.send_frame(*arguments, **options)

        def frames(*calls):
            return lambda viewer: [call(viewer) for call in calls]

        cases = {
            "not masked": (1002, frame(1, b"{}", mask=False)),
            "reserved bit": (1002, frame(0x41, b"{}")),
            "reserved opcode": (1002, frame(3, b"")),
            "reserved control opcode": (1002, frame(11, b"")),
            "binary": (1003, frame(2, b"x")),
            "not UTF-8": (1007, frame(1, b"\xc3\x28")),
            "long": (1009, frame(1, b"x" * 1025)),
            "64-bit length": (1009, bytes_(0x81, 0xFF, 0x7F, *[255] * 7, 0, 0, 0, 0)),
            "length with the highest bit": (1009, bytes_(0x81, 0xFF, *[255] * 8, 0, 0, 0, 0)),
            "long in fragments": (1009, frames(*[frame(1 if n == 0 else 0, b"y" * 100, final=False) for n in range(11)])),
            "continuation of nothing": (1002, frame(0, b"")),
            "message inside another": (1002, frames(frame(1, b"{", final=False), frame(1, b"}"))),
            "fragmented control frame": (1002, frame(9, b"", final=False)),
            "long ping": (1002, frame(9, b"x" * 126)),
            "close with one byte": (1002, frame(8, b"x")),
            "close": (1000, frame(8, struct.pack("!H", 1001))),
            "close without a code": (1000, frame(8, b"")),
        }
        with self.server.watch() as witness:
            witness.sample()
            for name, (code, send) in cases.items():
                with self.subTest(name), self.server.watch() as viewer:
                    send(viewer)
                    self.assertEqual(viewer.end(), code)
            numbers = [witness.sample().number for _ in range(5)]
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 5)))
        with self.server.watch() as viewer:
            viewer.send_frame(1, b'{"type":"clo', final=False)
            viewer.send_frame(9, b"between")
            viewer.send_frame(0, b'ck","page":7}')
            self.assertEqual(viewer.message("clock")["page"], 7)
            viewer.send_frame(9, b"hello")
            while (found := viewer.frame()) != (10, b"hello"):
                self.assertNotEqual(found[0], 8)

    def test_too_many_messages(self):
        with self.server.watch() as viewer:
            with contextlib.suppress(ConnectionError):
                for _ in range(5000):
                    viewer.send_frame(10, b"")
            self.assertIn(viewer.end(), (1008, None))


class Token(Served):
    arguments = (CLIP, "--token", "correct-horse", "--max-viewers", 2)

    def test_token(self):
        self.assertTrue(self.server.address.endswith("/?token=correct-horse"))
        for target, status in (("/", 403), ("/?token=", 403), ("/?token=correct-hors", 403), ("/?token=correct-horsf", 403),
                               ("/?token=correct-horse0", 403), ("/?Token=correct-horse", 403), ("/?token=correct%2Dhorse", 403),
                               ("/?token=correct-horse", 200), ("/?x=1&token=correct-horse", 200), ("/nothing", 404)):
            self.assertEqual(self.server.status(target), status, target)
        self.assertEqual(self.refusal(target="/live"), 403)
        self.assertEqual(self.refusal(target="/live?token=wrong"), 403)

    def test_most_viewers(self):
        with contextlib.ExitStack() as stack:
            viewers = [stack.enter_context(self.server.watch(target="/live?token=correct-horse")) for _ in range(2)]
            for viewer in viewers:
                self.assertTrue(viewer.sample().is_key)
            with self.server.watch(target="/live?token=correct-horse") as third, self.assertRaises(Closed) as closed:
                third.message()
            self.assertEqual(closed.exception.code, 1013)
            self.assertIn("all 2 places are taken", closed.exception.reason)
            viewers.pop().connection.close()

            def has_place():
                with self.server.watch(target="/live?token=correct-horse") as viewer:
                    with contextlib.suppress(Closed):
                        return viewer.message()
            wait_until(has_place, "a free place")

    def test_random_token(self):
        """Whoever listens on a network gets a token that nobody can guess."""
        tokens = set()
        for _ in range(2):
            with Server(CLIP, "--address", "0.0.0.0") as server:
                self.assertEqual(server.status("/"), 403)
                token = server.address.split("=")[1]
                self.assertRegex(token, "^[0-9a-f]{32}$")
                self.assertEqual(server.status(f"/?token={token}"), 200)
                tokens.add(token)
        self.assertEqual(len(tokens), 2)


class SlowViewers(Served):
    arguments = (CLIP, "--bit-rate", "3M")

    def test_slow_viewer(self):
        """A viewer that reads slowly drops to a key frame. A fast one beside it misses nothing."""
        with self.server.watch() as fast, self.server.watch(receive_buffer=4096) as slow:
            fast.sample()
            samples = fast.samples(3)  # the slow viewer reads nothing meanwhile
            numbers = [sample.number for sample in samples]
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
            # At most a few key frames a second are made for slow viewers.
            self.assertLessEqual(sum(sample.is_key for sample in samples), 5)
            last = slow.sample()
            self.assertTrue(last.is_key)
            gaps = 0
            while gaps < 1:
                sample = slow.sample()
                if sample.number != last.number + 1:
                    self.assertTrue(sample.is_key, (last.number, sample.number))
                    gaps += 1
                last = sample

    def test_viewer_that_never_reads(self):
        """The viewer is disconnected; the others miss nothing, and memory is bounded."""
        with self.server.watch() as fast, contextlib.ExitStack() as stack:
            fast.sample()
            idle = [stack.enter_context(self.server.watch(receive_buffer=4096)) for _ in range(5)]
            memory, last, begin = self.server.memory(), fast.sample().number, time.monotonic()
            while fast.message("state")["viewers"] > 1:
                pass
            while time.monotonic() < begin + 10:
                pass
            self.assertGreater(time.monotonic() - begin, 9)
            self.assertLess(self.server.memory() - memory, 64 << 20)
            self.assertEqual(len(idle), 5)

    def test_many_connections(self):
        """Clients that connect and say nothing neither stop a viewer nor keep new ones out."""
        with self.server.watch() as fast, contextlib.ExitStack() as stack:
            samples, ended = [fast.sample()], threading.Event()

            def read():
                while not ended.is_set():
                    samples.append(fast.sample())

            reader = threading.Thread(target=read)
            reader.start()
            stack.callback(reader.join)
            stack.callback(ended.set)
            memory, held = self.server.memory(), []
            files = len(os.listdir(f"/proc/{self.server.process.pid}/fd"))
            for number in range(int(os.environ.get("NALU_CONNECTIONS", 1000))):
                held.append(stack.enter_context(self.server.connect()))
                if len(held) > 300:
                    held.pop(0).close()
                if number % 100 == 0:
                    count = len(samples)
                    wait_until(lambda: len(samples) > count or not reader.is_alive(), "another sample")
            with self.server.watch() as new:
                self.assertTrue(new.sample().is_key)
            self.assertEqual(self.server.status("/"), 200)
            self.assertLess(len(os.listdir(f"/proc/{self.server.process.pid}/fd")), files + 60)
            self.assertLess(self.server.memory() - memory, 64 << 20)
            self.assertTrue(reader.is_alive())
            for before, after in zip(samples, samples[1:]):
                self.assertTrue(after.number == before.number + 1 or after.is_key)


class ManyViewers(Served):
    def test_memory(self):
        """Ten viewers neither make memory nor threads grow. Tests/live/soak.py watches for longer."""
        def threads():
            return len(os.listdir(f"/proc/{self.server.process.pid}/task"))

        seconds = 4
        with contextlib.ExitStack() as stack:
            viewers = [stack.enter_context(self.server.watch()) for _ in range(10)]
            last = {viewer: viewer.sample().number for viewer in viewers}
            begin, early = time.monotonic(), None
            while (passed := time.monotonic() - begin) < seconds:
                for viewer in viewers:
                    sample = viewer.sample()
                    self.assertTrue(sample.number == last[viewer] + 1 or sample.is_key)
                    last[viewer] = sample.number
                    viewer.send(type="acknowledge", frame=sample.number)
                if early is None and passed > seconds / 2:
                    early = self.server.memory(), threads()
            self.assertLess(self.server.memory() - early[0], 16 << 20)
            self.assertLessEqual(threads(), early[1] + 4)


class Runs(unittest.TestCase):
    def test_interruption(self):
        with Server(CLIP) as server, server.watch() as viewer:
            viewer.sample()
            self.assertEqual(server.interrupt(), 130)
            self.assertEqual(viewer.end(), 1001)
            self.assertEqual(server.process.stderr.read(), "")

    def test_refusals(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            cases = [
                ((CLIP, "--port", port), 1, f"cannot listen on 127.0.0.1 port {port}: Address already in use"),
                ((CLIP, "--address", "nowhere"), 1, "cannot listen on nowhere port 8090"),
                ((CLIP, "--address", "192.0.2.1"), 1, "cannot listen on 192.0.2.1 port 8090"),
                ((CLIP, "--port", 65536), 64, "--port is 65536; expected 0 to 65535"),
                ((CLIP, "--max-viewers", 0), 64, "--max-viewers is 0; expected 1 to 100"),
                ((CLIP, "--encoder", "none"), 64, "expected one of org.videolan.x264, org.openh264.openh264"),
                ((CLIP, "--encoder", "org.videolan.x265"), 64, "the page decodes H.264; expected one of org.videolan.x264"),
                ((CLIP, "--encoder", "org.openh264.openh264", "-p", "EnableLTR=true"), 64, "EnableLTR"),
                ((CLIP, "--token", "short"), 64, "expected 8 to 128 letters"),
                ((CLIP, "--token", "a b c d e f"), 64, "expected 8 to 128 letters"),
                ((CLIP, "--size", "640x360"), 64, "--size is for captured pictures"),
                ((CLIP, "--fps", "25"), 64, "--fps is for captured pictures"),
                ((CLIP, "--region", "64x64+0+0"), 64, "--region is for captured pictures"),
                ((CLIP, "--cursor"), 64, "--cursor is for captured pictures"),
                (("test", "--region", "64x64+0+0"), 64, "no screen"),
                (("test", "--cursor"), 64, "no screen"),
                (("test", "--region", "64x64"), 64, "640x360+100+50"),
                ((CLIP, "-p", "AllowFrameReordering=true"), 64, "AllowFrameReordering"),
                (("nothing.mp4",), 1, "nothing.mp4"),
                (("/dev/null",), 1, "/dev/null"),
            ]
            for arguments, code, message in cases:
                with self.subTest(arguments=arguments):
                    result = run("serve", *arguments)
                    self.assertEqual(result.returncode, code, result.stderr)
                    self.assertIn(message, result.stderr.decode())
                    self.assertEqual(result.stderr.count(b"\n"), 1)
                    self.assertEqual(result.stdout, b"")


del Served

if __name__ == "__main__":
    unittest.main()
