"""Plays files in a headless Chromium, which sends back the pixels that it shows."""
import functools
import http.server
import json
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.parse

PAGE = pathlib.Path(__file__).with_name("player.html")
TIME_LIMIT = 300


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the page and one directory; receives the page's posts."""

    def __init__(self, *arguments, posts, **options):
        self.posts = posts
        super().__init__(*arguments, **options)

    def do_GET(self):
        if urllib.parse.urlsplit(self.path).path != "/":
            return super().do_GET()
        page = PAGE.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.posts.put((self.path, body))

    def log_message(self, *arguments):
        pass


def play(file, times, media_source_type=None):
    """Plays a file to its end and shows it at each of the times (seconds). Returns the page's facts (width, height,
    duration, frames, corrupted; or error) and the RGBA bytes at each time. media_source_type: plays the bytes with
    Media Source Extensions as this type."""
    file = pathlib.Path(file)
    posts = queue.Queue()
    handler = functools.partial(_Handler, posts=posts, directory=str(file.parent))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        question = {"file": file.name, "times": ",".join(map(repr, times))}
        if media_source_type:
            question["mse"] = media_source_type
        address = f"http://127.0.0.1:{server.server_port}/?{urllib.parse.urlencode(question)}"
        # The browser's child processes may write to the directory until they notice its end.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = subprocess.Popen(
                [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--mute-audio",
                 "--force-color-profile=srgb", "--autoplay-policy=no-user-gesture-required", "--no-first-run",
                 "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--remote-debugging-port=0", address],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                frames, limit = [], time.monotonic() + TIME_LIMIT
                while True:
                    try:
                        path, body = posts.get(timeout=1)
                    except queue.Empty:
                        if browser.poll() is not None:
                            raise AssertionError(f"Chromium has ended with {browser.returncode}") from None
                        if time.monotonic() > limit:
                            raise AssertionError(f"Chromium has not ended after {TIME_LIMIT} s") from None
                        continue
                    if path == "/done":
                        return json.loads(body), frames
                    frames.append(body)
            finally:
                browser.terminate()
                try:
                    browser.wait(20)
                except subprocess.TimeoutExpired:
                    browser.kill()
                    browser.wait(20)
                server.shutdown()
