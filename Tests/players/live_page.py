"""`nalu serve` and its viewers, for tests and measurements with a browser."""
import contextlib
import json
import os
import signal
import struct
import subprocess
import threading
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from browser import TIME_LIMIT

READER = """
    window.problems = [];
    addEventListener("error", event => problems.push(event.message));
    addEventListener("unhandledrejection", event => problems.push(String(event.reason)));
    window.pictures = [];
    const reader = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    reader.canvas.width = 256;
    reader.canvas.height = 16;
    // The test source has a row of boxes with the frame counter, and one with the host time in ms.
    const read = frame => {
        reader.drawImage(frame, 0, 0);
        const pixels = reader.getImageData(0, 0, 256, 16).data;
        const [counter, time] = [0, 1].map(row => {
            let number = 0;
            for (let bit = 0; bit < 32; bit++) number = number * 2 + (pixels[((row * 8 + 4) * 256 + bit * 8 + 4) * 4] > 127);
            return number;
        });
        return {counter, time};
    };
    const waiting = new Map();
    let newest = -1;
    addEventListener("picture", event => {
        const {number, capture, start} = event.detail;
        const header = {number, milliseconds: Math.floor(capture) % 2 ** 32};
        const video = document.querySelector("#picture video:not([hidden])");
        if (!video) return pictures.push({...header, ...read(document.querySelector("#picture canvas"))});
        // The times of a new player begin again.
        if (start <= newest) waiting.clear();
        newest = start;
        // When a video element reports a picture, it may show the next one already. Only the frame itself tells its time.
        const frame = new VideoFrame(video);
        const shown = Math.round(frame.timestamp * 0.09);
        if (!waiting.has(shown)) waiting.set(shown, read(frame));
        frame.close();
        if (waiting.has(start)) pictures.push({...header, ...waiting.get(start)});
    });
"""


class Server:
    """A running `nalu serve`."""

    def __init__(self, *arguments, port=0, command=None):
        self.process = subprocess.Popen(
            [command or os.environ["NALU_COMMAND"], "serve", *arguments, "--quiet", "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise AssertionError(self.process.stderr.read())
        self.port = int(self.address.split(":")[2].split("/")[0])

    def watch(self):
        return connect(f"ws://localhost:{self.port}/live", origin=f"http://localhost:{self.port}", max_size=None, proxy=None,
                       compression=None)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(TIME_LIMIT)
        finally:
            self.process.stdout.close()
            self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.returncode is None:
            self.process.kill()
            self.end()


class Viewer(threading.Thread):
    """A viewer that acknowledges every frame, and collects the numbers and flags of samples."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.stack = contextlib.ExitStack()
        self.socket = self.stack.enter_context(server.watch())
        self.samples = []
        """The number of each frame, and whether it is a key frame."""
        self.sizes = []
        """The time in seconds at which each frame arrived, and its size in bytes."""
        self.problem = None
        self.start()

    def run(self):
        try:
            for message in self.socket:
                if isinstance(message, bytes):
                    _, flags, _, number = struct.unpack("!BBHI", message[:8])
                    self.samples.append((number, flags & 1))
                    self.sizes.append((time.monotonic(), len(message)))
                    self.socket.send(json.dumps({"type": "acknowledge", "frame": number}))
        except ConnectionClosed as closed:
            self.problem = closed

    def close(self):
        self.stack.close()
        self.join(TIME_LIMIT)
