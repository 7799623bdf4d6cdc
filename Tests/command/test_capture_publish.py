"""nalu capture to addresses: both tracks arrive, the file beside them has no gap, and refusals."""
import json
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "live"))

from servers import SRT, Nginx, free_port  # noqa: E402
from support import TIME_LIMIT, CommandTest, ffmpeg, run, start, wait_until  # noqa: E402
from test_capture import SMALL, numbers  # noqa: E402
from test_capture_audio import beeps, picture_times, tracks  # noqa: E402


class Publish(CommandTest):
    def setUp(self):
        super().setUp()
        # nginx as root writes as another user.
        self.directory.chmod(0o777)
        self.processes = []
        self.addCleanup(self.kill_all)

    def start_server(self, server):
        self.processes.append(server.start())
        return self.processes[-1]

    def kill_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(TIME_LIMIT)

    def capture(self, url, *arguments):
        """Captures to an address whose server may need time to start. Returns what the command prints."""
        end = time.monotonic() + TIME_LIMIT
        while True:
            result = run("capture", "test", "--audio", "test", url, "--duration", "4", *SMALL, *arguments)
            if result.returncode == 0 or time.monotonic() > end or b"frame" in result.stderr:
                self.assertSucceeds(result)
                return result.stderr.decode()

    def assertBothTracks(self, path):
        facts = tracks(path)
        self.assertEqual({kind: facts[kind]["codec_name"] for kind in facts}, {"video": "h264", "audio": "aac"})
        counters, times = numbers(path), picture_times(path)
        self.assertGreater(len(counters), 60)
        origin = times[0] - counters[0] / 30
        for beep in beeps(path):
            if beep - times[0] > 0.1:
                self.assertLess(abs((beep - origin + 0.5) % 1 - 0.5), 0.02)

    def test_rtmp_to_nginx(self):
        server = Nginx(self.directory)
        self.start_server(server)
        recorded = self.directory / "recorded.mp4"
        text = self.capture(f"rtmp://127.0.0.1:{server.rtmp}/live/secret", "--record", recorded)
        self.assertNotIn("secret", text)
        self.assertIn("recorded.mp4", text)
        wait_until(server.received, "the server's recording")
        self.kill_all()
        self.assertBothTracks(server.received()[0])
        self.assertBothTracks(recorded)

    def test_srt_to_srt_live_transmit(self):
        server = SRT(self.directory)
        self.start_server(server)
        self.capture(f"srt://127.0.0.1:{server.port}")
        wait_until(lambda: len(server.received()) > 0 and server.received()[0].stat().st_size > 0, "the server's recording")
        time.sleep(1)
        self.kill_all()
        self.assertBothTracks(server.received()[0])

    def test_udp_to_ffmpeg(self):
        port = free_port()
        path = self.directory / "received.ts"
        receiver = subprocess.Popen(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", f"udp://127.0.0.1:{port}?timeout=4000000",
                                     "-map", "0", "-c", "copy", "-t", "3", str(path)], stderr=subprocess.DEVNULL)
        self.processes.append(receiver)
        self.capture(f"udp://127.0.0.1:{port}")
        receiver.wait(TIME_LIMIT)
        self.assertEqual(set(tracks(path)), {"video", "audio"})

    def test_a_recording_has_no_gap_when_the_server_dies(self):
        server = Nginx(self.directory)
        process = self.start_server(server)
        wait_until(lambda: not subprocess.run(["ss", "-Hltn", f"sport = :{server.rtmp}"], capture_output=True).stdout == b"",
                   "the server")
        recorded = self.directory / "recorded.mkv"
        with start("capture", "test", "--audio", "test", f"rtmp://127.0.0.1:{server.rtmp}/live/name", "--record", recorded,
                   *SMALL, stderr=subprocess.PIPE) as program:
            wait_until(lambda: recorded.exists() and recorded.stat().st_size > 30000, "the beginning of the recording")
            process.kill()
            process.wait()
            time.sleep(2)
            self.start_server(server)
            wait_until(lambda: len(server.received()) > 1, "the second connection")
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            errors = program.stderr.read().decode()
            self.assertEqual(program.wait(), 130, errors)
        self.assertRegex(errors, r"\d+ reconnection")
        self.assertRegex(errors, r"\d+ samples? not sent")
        frames, dropped = (int(re.search(pattern, errors)[1]) for pattern in (r": (\d+) frames? \(", r"(\d+) dropped"))
        counters = numbers(recorded)
        self.assertEqual(len(counters), frames)
        self.assertLessEqual(counters[-1] - counters[0] + 1 - frames, dropped)
        self.assertBothTracks(recorded)

    def test_publishing_continues_when_the_recording_has_no_room(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

        server = Nginx(self.directory)
        self.start_server(server)
        wait_until(lambda: not subprocess.run(["ss", "-Hltn", f"sport = :{server.rtmp}"], capture_output=True).stdout == b"",
                   "the server")
        recorded = self.directory / "recorded.mkv"
        with start("capture", "test", "--audio", "test", f"rtmp://127.0.0.1:{server.rtmp}/live/name", "--record", recorded,
                   *SMALL, "--bit-rate", "1M", prepare=limit, stderr=subprocess.PIPE) as program:
            line = program.stderr.readline().decode()
            self.assertRegex(line, "^nalu: cannot write to .*recorded.mkv: .*File too large.*; publishing continues without it$")
            wait_until(lambda: server.received() and server.received()[0].stat().st_size > 150_000, "the rest of the broadcast")
            program.send_signal(signal.SIGINT)
            errors = program.stderr.read().decode()
            self.assertEqual(program.wait(), 1, errors)
        self.assertRegex(errors.splitlines()[-1], "cannot write to .*recorded.mkv")
        self.assertLessEqual(recorded.stat().st_size, 60_000)

    def test_refusals(self):
        file = self.directory / "clip.mp4"
        refused = f"rtmp://127.0.0.1:{free_port()}/live/x"
        self.assertRefuses(run("capture", "test", refused), 1, "Connection refused")
        self.assertRefuses(run("capture", "test", "ftp://host/x"), 64, "cannot be published to")
        self.assertRefuses(run("capture", "test", refused, "--force"), 64, "--force", "is for files")
        self.assertRefuses(run("capture", "test", refused, "--record", "udp://host:1"), 64, "--record", "expected a file")
        self.assertRefuses(run("capture", "test", refused, "--audio", "test", "--record", self.directory / "a.h264"), 64, "raw h264")
        self.assertRefuses(run("capture", "test", file, "--record", self.directory / "b.mp4"), 64, "--record is for a file beside")
        self.assertEqual(list(self.directory.iterdir()), [])
