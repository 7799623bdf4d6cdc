"""The parts that the tests of publishing share: a source in real time, and the faults of a server."""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time
import unittest

import nalu

TIME_LIMIT = 120
STOP = 10 if os.environ.get("NALU_SOAK") == "1" else 1.5
WIDTH, HEIGHT, FRAME_RATE = 320, 180, 30


class Source(threading.Thread):
    """Encodes pictures in real time unless the publisher skips them, publishes the samples, and records them."""

    def __init__(self, publisher, path, properties=None):
        super().__init__(daemon=True)
        self.publisher, self.path, self.properties = publisher, path, properties or {}
        self.frames = self.key_frame_requests = 0
        self.failure = None
        self.ended = threading.Event()

    def run(self):
        try:
            self.work()
        except Exception as error:
            self.failure = error

    def work(self):
        noise = random.Random(1)
        pictures = [noise.randbytes(WIDTH * HEIGHT).translate(bytes(80 + value // 8 for value in range(256))) for _ in range(5)]
        session = nalu.CompressionSession(
            WIDTH, HEIGHT, bit_rate=800_000, frame_rate=FRAME_RATE, real_time=True, format="gray", properties=self.properties)
        start = time.monotonic()
        with session, nalu.media.Writer(self.path) as writer:
            while not self.ended.is_set():
                time.sleep(max(0, start + self.frames / FRAME_RATE - time.monotonic()))
                advice = self.publisher.prepare_frame(session)
                picture, pts = pictures[self.frames % 5], nalu.Time(self.frames, FRAME_RATE)
                self.frames += 1
                self.key_frame_requests += advice.force_key_frame
                if not advice.skip:
                    self.write(session.encode(picture, pts, **advice.options), writer)
            self.write(session.flush(), writer)

    def write(self, samples, writer):
        for sample in samples:
            self.publisher.write(sample)
            writer.write(sample)


class PublishTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nalu-publish-")
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)
        # nginx as root writes as another user.
        self.directory.chmod(0o777)
        self.processes = []
        self.addCleanup(self.kill_all)

    def kill_all(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(TIME_LIMIT)

    def start(self, server):
        self.processes.append(server.start())
        return self.processes[-1]

    def wait_for(self, condition, what):
        end = time.monotonic() + TIME_LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, f"waited for {what}")
            time.sleep(0.02)

    def probe(self, path, *more):
        return json.loads(subprocess.run(
            ["ffprobe", "-v", "error", "-of", "json", "-select_streams", "v", *more, path], capture_output=True, check=True,
            timeout=TIME_LIMIT).stdout)

    def check_streams(self, paths, least=FRAME_RATE // 3):
        """Each stream begins with a key frame and decodes to more than `least` frames. Its last frame may be cut where the server
        died."""
        for path in paths:
            frames = self.probe(path, "-show_frames", "-show_entries", "frame=key_frame,pict_type")["frames"]
            self.assertEqual(frames[0]["key_frame"], 1, path)
            self.assertGreater(len(frames), least)

    def faults(self, server, url, can_stop=True):
        """Runs a publisher through all faults of a server. Returns the publisher's statistics."""
        events = []
        publisher = nalu.media.Publisher(
            url, never_skip_frames=True, stall_timeout=0.5, connect_timeout=0.5 if can_stop else 5, reconnect_delay=0.1,
            maximum_reconnect_delay=0.2, on_event=lambda event, statistics: events.append(event))
        with self.assertRaises(nalu.InputOutputError):
            publisher.wait_until_connected(TIME_LIMIT)
        source = Source(publisher, self.directory / "recorded.mp4")
        source.start()

        def connects(count, what):
            """Waits for a connection on which a second of video was sent."""
            self.wait_for(lambda: events.count("connected") == count or source.failure, what)
            before = publisher.statistics.sent_samples
            self.wait_for(lambda: publisher.statistics.sent_samples > before + FRAME_RATE or source.failure, f"samples after {what}")

        process = self.start(server)
        connects(1, "the first connection")
        if can_stop:
            process.send_signal(signal.SIGSTOP)
            time.sleep(STOP)
            self.wait_for(lambda: "disconnected" in events[events.index("connected"):], "the stopped server to be noticed")
            process.send_signal(signal.SIGCONT)
            connects(2, "the server that continues")
        process.kill()
        self.wait_for(lambda: publisher.statistics.state != "connected", "the killed server to be noticed")
        self.start(server)
        connects(3 if can_stop else 2, "the restarted server")
        source.ended.set()
        source.join(TIME_LIMIT)
        publisher.finish(20)
        statistics = publisher.statistics
        publisher.close()
        self.assertIsNone(source.failure)
        self.assertEqual(events[-1], "ended")
        self.assertGreater(statistics.dropped_samples, 0)
        # The file has every frame, each once, although the connection had gaps.
        packets = self.probe(self.directory / "recorded.mp4", "-show_packets", "-show_entries", "packet=pts_time")["packets"]
        times = sorted(round(float(packet["pts_time"]) * FRAME_RATE) for packet in packets)
        self.assertEqual(times, list(range(source.frames)))
        return statistics
