#!/usr/bin/env python3
"""Publishes to servers that refuse, stop, die and come back: nginx by RTMP and by PUT, also with TLS, srt-live-transmit, and
FFmpeg that listens.

usage: Tests/live/publish_servers.py [TEST...]      as unittest names them

The same samples are recorded to a file, which must have every frame. FFmpeg decodes what each server received. With
NALU_SOAK=1 the servers are stopped for ten seconds.
"""
import time
import unittest

from publishing import PublishTest
from servers import SRT, Listener, Nginx


class Servers(PublishTest):
    def test_rtmp_to_nginx(self):
        server = Nginx(self.directory)
        self.faults(server, f"rtmp://127.0.0.1:{server.rtmp}/live/stream")
        self.wait_for(lambda: len(server.received()) >= 3, "three recordings")
        self.kill_all()
        self.check_streams(server.received())

    def test_srt_to_srt_live_transmit(self):
        server = SRT(self.directory)
        self.faults(server, f"srt://127.0.0.1:{server.port}?latency=100")
        time.sleep(0.5)
        self.kill_all()
        self.check_streams(server.received())

    def test_rtmp_to_listening_ffmpeg(self):
        self.listen("rtmp", "/live/stream", "-listen", "1")

    def test_srt_to_listening_ffmpeg(self):
        self.listen("srt", "?latency=100")

    def listen(self, scheme, rest, *options):
        """A listening FFmpeg ends with its only connection, and is started again. A killed one may have written little of what it has
        received."""
        server = Listener(self.directory, scheme, rest, *options)
        self.faults(server, server.url)
        self.wait_for(lambda: len(server.received()) >= 3, "three recordings")
        self.kill_all()
        self.check_streams(server.received(), least=0)

    def test_put_to_nginx(self):
        """PUT has no way back: a server that is stopped is noticed when the send buffer is full, so it is not stopped."""
        server = Nginx(self.directory)
        url = f"http://127.0.0.1:{server.http}/stream.ts"
        self.faults(server, url, can_stop=False)
        self.wait_for((self.directory / "stream.ts").exists, "the file of the last connection")
        self.check_streams([self.directory / "stream.ts"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
