#!/usr/bin/env python3
"""Publishes with TLS to nginx, whose certificate is trusted, not trusted, or of another host.

usage: Tests/live/publish_tls.py [TEST...]      as unittest names them
"""
import os
import unittest
from unittest import mock

import nalu

from publishing import TIME_LIMIT, PublishTest
from servers import Nginx, make_certificate


class TLS(PublishTest):
    def setUp(self):
        super().setUp()
        self.certificate, key = make_certificate(self.directory, "DNS:localhost")
        self.server = Nginx(self.directory, tls=(self.certificate, key))
        self.urls = {
            "rtmps": f"rtmps://localhost:{self.server.rtmps}/live/stream",
            "https": f"https://localhost:{self.server.https}/stream.ts",
        }

    def trust(self, path):
        environment = mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(path)})
        environment.start()
        self.addCleanup(environment.stop)

    def test_rtmps_to_nginx(self):
        self.trust(self.certificate)
        self.faults(self.server, self.urls["rtmps"])
        self.wait_for(lambda: len(self.server.received()) >= 3, "three recordings")
        self.kill_all()
        self.check_streams(self.server.received())

    def test_https_to_nginx(self):
        self.trust(self.certificate)
        self.faults(self.server, self.urls["https"], can_stop=False)
        self.wait_for((self.directory / "stream.ts").exists, "the file of the last connection")
        self.check_streams([self.directory / "stream.ts"])

    def refusal(self, url):
        with nalu.media.Publisher(url, attempt_limit=1) as publisher:
            with self.assertRaises(nalu.InputOutputError) as caught:
                publisher.wait_until_connected(TIME_LIMIT)
            publisher.close()
        return str(caught.exception)

    def test_certificates(self):
        """A certificate that is not trusted, or belongs to another host, is refused, unless any certificate is allowed."""
        self.start(self.server)
        other = self.directory / "other"
        other.mkdir()
        for trusted, host in ((make_certificate(other, "DNS:localhost")[0], "localhost"), (self.certificate, "127.0.0.1")):
            self.trust(trusted)
            for scheme, url in self.urls.items():
                url = url.replace("localhost", host)
                with self.subTest(scheme=scheme, host=host):
                    self.wait_for(lambda: "Connection refused" not in self.refusal(url), "the server")
                    self.assertIn(f"a certificate for {host} that", self.refusal(url))
                    with nalu.media.Publisher(url, allow_any_certificate=True) as publisher:
                        publisher.wait_until_connected(TIME_LIMIT)
                        publisher.close()

    def test_a_server_without_tls(self):
        self.start(self.server)
        for url in (f"rtmps://localhost:{self.server.http}/live/x", f"https://localhost:{self.server.http}/x.ts"):
            self.wait_for(lambda: "Connection refused" not in self.refusal(url), "the server")
            self.assertIn("expected a server that uses TLS", self.refusal(url))

    def test_a_refused_put(self):
        """The answer of a server that does not accept the stream arrives over TLS too."""
        self.trust(self.certificate)
        self.start(self.server)
        session = nalu.CompressionSession(64, 48, format="gray", real_time=True)
        with session, nalu.media.Publisher(self.urls["https"].replace("stream.ts", "folder/")) as publisher:
            for sample in session.encode(bytes(64 * 48), nalu.Time(0, 30)) + session.flush():
                publisher.write(sample)
            with self.assertRaisesRegex(nalu.InputOutputError, "409 Conflict; expected a path to which the server permits PUT"):
                publisher.finish(TIME_LIMIT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
