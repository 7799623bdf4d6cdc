#!/usr/bin/env python3
"""Publishes over a link that becomes too slow, and judges what FFmpeg decodes of it: no errors, and the pictures that the
encoder made.

usage: Tests/live/publish_drops.py [TEST...]      as unittest names them
"""
import socket
import subprocess
import threading
import time
import unittest

import nalu

from publishing import FRAME_RATE, TIME_LIMIT, PublishTest, Source
from servers import Nginx, free_port

RATE = 800_000
# Each picture is new noise, and none of them begins a scene.
FEW_KEY_FRAMES = {"x264.params": "scenecut=0", "MaxKeyFrameInterval": 10_000}


class SlowLink:
    """A TCP proxy in front of a port. `bytes_per_second` limits the way there, and may be changed; None: no limit."""

    BLOCK = 1024

    def __init__(self, target):
        self.port, self.target, self.bytes_per_second = free_port(), target, None
        self.listener = socket.socket()
        # Small buffers, so that the link holds little. Accepted sockets inherit them.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target), TIME_LIMIT)
            except OSError:
                near.close()
                continue
            threading.Thread(target=self.copy, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self.copy, args=(far, near, False), daemon=True).start()

    def copy(self, source, target, is_limited):
        try:
            while block := source.recv(self.BLOCK):
                target.sendall(block)
                if is_limited and self.bytes_per_second:
                    time.sleep(len(block) / self.bytes_per_second)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.listener.close()


class Drops(PublishTest):
    def setUp(self):
        super().setUp()
        self.server = Nginx(self.directory)
        self.start(self.server)
        self.link = SlowLink(self.server.rtmp)
        self.addCleanup(self.link.close)

    def publish(self, properties=None, **options):
        """Publishes for some seconds, of which some have a quarter of the rate. Returns the statistics and the number of key frames
        that the publisher has requested."""
        publisher = nalu.media.Publisher(
            f"rtmp://127.0.0.1:{self.link.port}/live/stream", minimum_bit_rate=RATE, maximum_bit_rate=RATE, reconnect_delay=0.1,
            maximum_reconnect_delay=0.1, **options)

        def is_connected():
            try:
                publisher.wait_until_connected(TIME_LIMIT)
                return True
            except nalu.InputOutputError:
                return False
        self.wait_for(is_connected, "the connection")
        source = Source(publisher, self.directory / "recorded.mkv", properties={**FEW_KEY_FRAMES, **(properties or {})})
        source.start()
        self.wait_for(lambda: publisher.statistics.sent_samples > 2 * FRAME_RATE or source.failure, "two seconds")
        self.link.bytes_per_second = RATE // 32
        time.sleep(2)

        def is_over():
            statistics = publisher.statistics
            return (statistics.dropped_samples if "never_skip_frames" in options else statistics.skipped_frames) or source.failure
        self.wait_for(is_over, "dropped samples or skipped frames")
        self.link.bytes_per_second = None
        before = publisher.statistics.sent_samples
        self.wait_for(lambda: publisher.statistics.sent_samples > before + 2 * FRAME_RATE or source.failure, "two more seconds")
        source.ended.set()
        source.join(TIME_LIMIT)
        publisher.finish(TIME_LIMIT)
        statistics = publisher.statistics
        publisher.close()
        self.assertIsNone(source.failure)
        self.assertEqual(statistics.reconnects, 0)
        # The proxy has what the publisher has sent, and nginx gets it a moment later.
        sizes = [0]

        def is_still():
            time.sleep(0.5)
            sizes.append(sum(path.stat().st_size for path in self.server.received()))
            return sizes[-1] == sizes[-2] > 0
        self.wait_for(is_still, "the end of the recording")
        self.kill_all()
        return statistics, source.key_frame_requests

    def decoded(self, path):
        """Returns the hashes of the pictures of a file by their times in ms. FFmpeg must decode them without an error."""
        result = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "error", "-copyts", "-i", path, "-map", "0:v", "-fps_mode", "passthrough",
             "-enc_time_base", "1:1000", "-f", "framemd5", "-"], capture_output=True, check=True, text=True, timeout=TIME_LIMIT)
        self.assertEqual(result.stderr, "")
        rows = [line.split(",") for line in result.stdout.splitlines() if not line.startswith("#")]
        return {int(row[2]): row[5].strip() for row in rows}

    def check(self, statistics):
        """Compares what has arrived with the file, which has all samples. Returns the numbers of the pictures that are missing, and of
        the key frames."""
        received, = self.server.received()
        recorded, arrived = self.decoded(self.directory / "recorded.mkv"), self.decoded(received)
        first = min(arrived)
        for time_, picture in arrived.items():
            self.assertEqual(picture, recorded.get(time_), f"{time_} ms, after {time_ - first} ms")
        packets = self.probe(received, "-show_packets", "-show_entries", "packet=flags")["packets"]
        missing = len(recorded) - len(arrived)
        self.assertGreaterEqual(missing, statistics.dropped_samples)
        return missing, sum("K" in packet["flags"] for packet in packets)

    def test_a_key_frame_follows_dropped_samples(self):
        statistics, requests = self.publish(never_skip_frames=True)
        missing, key_frames = self.check(statistics)
        self.assertEqual(missing, statistics.dropped_samples)
        self.assertGreaterEqual(requests, 2)
        self.assertGreaterEqual(key_frames, 2)

    def test_a_refresh_follows_dropped_samples(self):
        statistics, requests = self.publish(never_skip_frames=True, allow_ltr_refresh=True, properties={"EnableLTR": True})
        missing, key_frames = self.check(statistics)
        self.assertEqual(missing, statistics.dropped_samples)
        self.assertEqual((requests, key_frames), (1, 1))

    def test_nothing_follows_skipped_frames(self):
        """Frames that are left out before the encoder leave no gap in the stream, so they need neither."""
        statistics, requests = self.publish()
        self.assertEqual(statistics.dropped_samples, 0)
        missing, _ = self.check(statistics)
        self.assertEqual((missing, requests), (0, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
