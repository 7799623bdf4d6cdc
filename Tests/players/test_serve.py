"""The page of nalu serve in a headless Chromium."""
import contextlib
import signal
import time
import unittest

from browser import TIME_LIMIT, Browser
from live_page import READER, Server, Viewer


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Server("test", "--size", "640x360"))
        cls.browser = cls.enterClassContext(Browser())
        cls.browser.call("Page.addScriptToEvaluateOnNewDocument", source=READER)

    def open(self, query=""):
        self.browser.open(self.server.address + query)
        self.browser.wait_for("window.pictures && pictures.length > 0")

    def check_pictures(self, count):
        """Every picture that the page shows is the one that the sample's header describes, in order."""
        self.browser.wait_for(f"pictures.length >= {count}")
        pictures = self.browser.evaluate("pictures")
        for picture in pictures:
            self.assertEqual(picture["time"], picture["milliseconds"], picture)
        for first, second in zip(pictures, pictures[1:]):
            self.assertGreater(second["number"], first["number"])
            self.assertGreaterEqual(second["counter"] - first["counter"], second["number"] - first["number"])
        self.assertEqual(self.browser.evaluate("problems"), [])

    def check_next_pictures(self):
        """Checks the pictures from now on. Returns the number of key frames before them."""
        keys = self.browser.evaluate("pictures.length = 0; counts.keyFrames")
        self.check_pictures(10)
        return keys

    def test_counter(self):
        self.open()
        self.check_pictures(90)
        self.assertEqual(self.browser.evaluate("$('decoder').textContent"), "WebCodecs")
        self.assertEqual(self.browser.evaluate("$('status').textContent"), "live")
        self.browser.wait_for("$('size').textContent === '640 × 360' && parseFloat($('delay').textContent) > 0")

    def test_media_source(self):
        self.open("?decoder=mse")
        self.check_pictures(20)
        self.assertEqual(self.browser.evaluate("$('decoder').textContent"), "Media Source")
        # A pause of the server.
        self.server.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        self.server.process.send_signal(signal.SIGCONT)
        self.browser.wait_for("pictures.some((next, n) => n > 0 && next.milliseconds - pictures[n - 1].milliseconds > 400)")
        before = self.check_next_pictures()
        # A removal up to a key frame, which the page requests when the last one is old.
        self.browser.evaluate("SourceDecoder.longestGroup = 0.5")
        self.browser.wait_for(f"counts.keyFrames > {before} && $('video').buffered.start(0) > 0.5")
        self.check_next_pictures()
        # Browsers may remove samples by themselves.
        self.browser.evaluate("SourceDecoder.longestGroup = 30")
        self.browser.wait_for("!decoder.buffer.updating && (decoder.buffer.remove(0, Infinity), true)")
        self.check_next_pictures()
        # The page says why there is no picture, and has one again when the reason is gone.
        self.browser.evaluate("window.append = SourceBuffer.prototype.appendBuffer;"
                              "SourceBuffer.prototype.appendBuffer = () => { throw new Error('no room') }")
        self.browser.wait_for("!$('message').hidden && $('message').textContent.includes('no room')")
        self.assertEqual(self.browser.evaluate("$('status').textContent"), "no picture")
        self.browser.evaluate("SourceBuffer.prototype.appendBuffer = append")
        self.check_next_pictures()
        self.assertEqual(self.browser.evaluate("$('message').hidden && $('status').textContent"), "live")

    def test_media_source_with_four_pictures_a_second(self):
        with Server("test", "--size", "256x144", "--fps", "4") as server:
            self.browser.open(server.address + "?decoder=mse")
            self.browser.wait_for("window.pictures && pictures.length > 0")
            self.check_pictures(4)

    def test_controls(self):
        """The slider changes the rate of the stream, and the button makes a key frame."""
        self.open()
        with contextlib.closing(Viewer(self.server)) as other:
            for rate in (200_000, 1_500_000):
                self.browser.evaluate(f"$('slider').value = toSlider({rate}); $('slider').dispatchEvent(new Event('input'))")
                self.browser.wait_for(f"Math.abs(aim - {rate}) < 0.1 * {rate}")
                self.browser.wait_for(f"Math.abs(rates.last - {rate}) < 0.4 * {rate}")
            self.browser.wait_for("!$('key').disabled")
            before = self.browser.evaluate("counts.keyFrames")
            seen = len(other.samples)
            self.browser.evaluate("$('key').click()")
            self.browser.wait_for(f"counts.keyFrames > {before}")
            end = time.monotonic() + TIME_LIMIT
            while not any(key for _, key in other.samples[seen:]) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertTrue(any(key for _, key in other.samples[seen:]))
        self.assertEqual(self.browser.evaluate("problems"), [])

    def test_view_only(self):
        """The page has no slider if viewers cannot change the rate."""
        with Server("test", "--size", "256x144", "--view-only") as server:
            self.browser.open(server.address)
            self.browser.wait_for("window.pictures && pictures.length > 0")
            self.assertTrue(self.browser.evaluate("$('slider').hidden && !$('key').disabled"))
            self.assertEqual(self.browser.evaluate("problems"), [])

    def test_ten_viewers(self):
        """Ten viewers, of which one is a browser, see the same stream. Nobody is thrown out."""
        self.open()
        with contextlib.ExitStack() as stack:
            viewers = [stack.enter_context(contextlib.closing(Viewer(self.server))) for _ in range(9)]
            self.browser.wait_for("$('viewers').textContent === '10'")
            self.browser.evaluate("pictures.length = 0")
            self.check_pictures(60)
            for viewer in viewers:
                samples = list(viewer.samples)
                self.assertIsNone(viewer.problem)
                self.assertGreater(len(samples), 10)
                self.assertTrue(samples[0][1], "a viewer begins with a key frame")
                for (first, _), (second, key) in zip(samples, samples[1:]):
                    self.assertTrue(second == first + 1 or key and second > first, (first, second))

    def test_reconnection(self):
        """The page continues when the server is back."""
        with Server("test", "--size", "320x240") as server:
            self.browser.open(server.address)
            self.browser.wait_for("window.pictures && pictures.length > 0")
            self.assertEqual(server.end(), 130)
            self.browser.wait_for("$('message').textContent.includes('ended') || $('message').textContent.includes('reached')")
        with Server("test", "--size", "480x272", port=server.port):
            self.browser.evaluate("pictures.length = 0")
            self.browser.wait_for("$('size').textContent === '480 × 272'")
            self.check_pictures(5)
            self.assertEqual(self.browser.evaluate("$('status').textContent"), "live")


if __name__ == "__main__":
    unittest.main()
