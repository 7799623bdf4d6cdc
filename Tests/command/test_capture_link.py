"""nalu capture to an address behind a link that becomes narrow: the rate falls, the queue is bounded, the recording is whole."""
import json
import pathlib
import re
import signal
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "live"))

from servers import SRT, Nginx  # noqa: E402
from shaped_link import RECEIVER, ShapedLink  # noqa: E402
from support import TIME_LIMIT, CommandTest, wait_until  # noqa: E402
from terminal import Terminal  # noqa: E402
from test_capture import numbers  # noqa: E402

FAST, SLOW = 4000, 800
"""The rates of the link in kb/s."""
LONGEST_QUEUE = 3500
"""The bound of the queue in milliseconds. Samples wait for at most twice the publisher's maximum delay of 0.5 s, and the kernel's
buffer holds that delay at the first rate, which takes five times as long on the slow link."""


def values(text, name, units):
    """Returns the numbers after a name in all states of the status line."""
    return [float(number) * units[unit] for number, unit in re.findall(rf"{name} ([\d.]+) (\w*)", text)]


def rates(terminal):
    return values(terminal.text, "rate", {"Mb": 1000, "kb": 1})


class NarrowLink(CommandTest):
    def setUp(self):
        super().setUp()
        # nginx as root writes as another user.
        self.directory.chmod(0o777)

    def check(self, make_server, url):
        recorded = self.directory / "recorded.mkv"
        with ShapedLink(FAST) as link:
            server = make_server(self.directory, address=RECEIVER, prefix=link.inside(link.receiver))
            process = server.start()
            try:
                listening = [*link.inside(link.receiver), "ss", "-Hln", "sport", "=", f":{self.port(server)}"]
                wait_until(lambda: subprocess.run(listening, capture_output=True).stdout, "the server")
                terminal = Terminal("capture", "test", url(server), "--record", recorded, "--size", "640x360", "--preset",
                                    "ultrafast", "--bit-rate", "3600k", columns=250, prefix=link.inside(link.sender))
                # The rate rises only while pictures use it.
                terminal.wait_for(r"\D[3-9]\d frames")
                self.assertGreater(rates(terminal)[0], 3000)
                link.change(SLOW)
                wait_until(lambda: rates(terminal)[-1] < SLOW, "a rate below that of the link")
                link.change(FAST)
                wait_until(lambda: rates(terminal)[-1] > SLOW, "a rise of the rate")
                terminal.process.send_signal(signal.SIGINT)
                self.assertEqual(terminal.finish(), 130, terminal.text[-2000:])
            finally:
                process.kill()
                process.wait(TIME_LIMIT)
        self.assertLess(max(values(terminal.text, "queue", {"ms": 1})), LONGEST_QUEUE)
        frames, dropped = (int(re.search(pattern, terminal.text)[1]) for pattern in (r": (\d+) frames? \(", r"s; (\d+) dropped"))
        counters = numbers(recorded)
        self.assertEqual(len(counters), frames)
        self.assertLessEqual(counters[-1] - counters[0] + 1 - frames, dropped)
        command = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of", "json"]
        received = subprocess.run([*command, server.received()[0]], capture_output=True, check=True, timeout=TIME_LIMIT)
        (stream,) = json.loads(received.stdout)["streams"]
        self.assertEqual(stream["codec_name"], "h264")
        self.assertGreater(int(stream["nb_read_frames"]), 30)
        # SRT gives up packets that are older than its latency, here when the link has become narrow.
        if isinstance(server, Nginx):
            self.assertEqual(received.stderr, b"")

    @staticmethod
    def port(server):
        return server.rtmp if isinstance(server, Nginx) else server.port

    def test_rtmp(self):
        self.check(Nginx, lambda server: f"rtmp://{RECEIVER}:{server.rtmp}/live/name")

    def test_srt(self):
        self.check(SRT, lambda server: f"srt://{RECEIVER}:{server.port}")
