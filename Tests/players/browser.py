"""A headless Chromium, controlled by the DevTools protocol."""
import base64
import contextlib
import itertools
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.request

from websockets.sync.client import connect

TIME_LIMIT = 60


class Browser:
    """One page in a Chromium of its own."""

    def __init__(self, *options, size="1440,900"):
        self.stack = contextlib.ExitStack()
        # The browser's child processes may write to the directory until they notice its end.
        self.directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio",
             "--force-color-profile=srgb", "--no-first-run", "--disable-dev-shm-usage", f"--window-size={size}",
             "--hide-scrollbars", "--autoplay-policy=no-user-gesture-required",
             f"--user-data-dir={self.directory.name}", "--remote-debugging-port=0", *options, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.numbers = itertools.count(1)
        self.socket = self.stack.enter_context(connect(self._address(), max_size=None, compression=None, proxy=None))
        self.call("Page.enable")

    def _address(self):
        file = pathlib.Path(self.directory.name) / "DevToolsActivePort"
        end = time.monotonic() + TIME_LIMIT
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"Chromium has ended with {self.process.returncode}")
            try:
                port = file.read_text().split()[0]
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                    for page in json.load(answer):
                        if page["type"] == "page":
                            return page["webSocketDebuggerUrl"]
            except (OSError, IndexError):
                pass
            time.sleep(0.05)
        raise AssertionError("Chromium does not start")

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=TIME_LIMIT))
            if answer.get("id") == number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, address, script=None):
        """Opens a page. script: runs before the page's own scripts."""
        if script:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.call("Page.navigate", url=address)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait_for(self, expression, limit=TIME_LIMIT):
        end = time.monotonic() + limit
        while not (value := self.evaluate(expression)):
            if time.monotonic() > end:
                raise AssertionError(f"{expression} stays {value!r}")
            time.sleep(0.02)
        return value

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        self.stack.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(20)
        self.directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()
