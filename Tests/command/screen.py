"""X servers with a window manager, and the contents and keys of windows there."""
import os
import random
import re
import subprocess
import time

from support import Started, TIME_LIMIT, wait_until


def start_x_server(width, height):
    """Starts an X server and returns it with its display. If Xvfb chose the number, it would take no lock of it, and two
    servers that start at the same time could choose the same one."""
    for _ in range(20):
        read, write = os.pipe()
        server = Started(["Xvfb", f":{random.randrange(100, 12000)}", "-displayfd", write, "-noreset", "-nolisten", "tcp",
                          "-screen", 0, f"{width}x{height}x24"], pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        # The server reports its number when it accepts clients, and reports nothing if it cannot start.
        with os.fdopen(read) as numbers:
            if number := numbers.readline().strip():
                return server, f":{number}"
        server.wait()
    raise AssertionError("Xvfb does not start")


class Screen:
    """An X server of its own, with a window manager, without which no window fills the screen. A context manager."""

    WIDTH, HEIGHT = 1280, 800

    def __enter__(self):
        self.server, self.display = start_x_server(self.WIDTH, self.HEIGHT)
        self.environment = {**os.environ, "DISPLAY": self.display, "SDL_VIDEODRIVER": "x11", "SDL_AUDIODRIVER": "dummy"}
        self.manager = Started(["openbox", "--sm-disable"], env=self.environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        wait_until(lambda: self._tool("xprop", "-root", "_NET_SUPPORTING_WM_CHECK", check=False).count("0x"), "window manager")
        return self

    def __exit__(self, *exception):
        for program in (self.manager, self.server):
            program.kill()
            program.wait()

    def _tool(self, *command, check=True):
        result = subprocess.run(list(map(str, command)), env=self.environment, capture_output=True, timeout=TIME_LIMIT)
        if check and result.returncode != 0:
            raise AssertionError(f"{command}: {result.stderr.decode()}")
        return result.stdout.decode()

    def window(self, name):
        """Waits for a window with this name and returns it."""
        found = []

        def search():
            found[:] = self._tool("xdotool", "search", "--onlyvisible", "--name", f"^{re.escape(name)}", check=False).split()
            return found

        wait_until(search, f"window {name}")
        return Window(self, found[0])


class Window:
    def __init__(self, screen, identifier):
        self.screen = screen
        self.identifier = identifier

    @property
    def title(self):
        return self.screen._tool("xdotool", "getwindowname", self.identifier).strip()

    @property
    def size(self):
        text = self.screen._tool("xwininfo", "-id", self.identifier)
        return tuple(int(re.search(rf"{side}: (\d+)", text)[1]) for side in ("Width", "Height"))

    def press(self, *keys):
        for key in keys:
            self.screen._tool("xdotool", "windowfocus", "--sync", self.identifier, "key", key)

    def resize(self, width, height):
        self.screen._tool("xdotool", "windowsize", "--sync", self.identifier, width, height)

    def close(self):
        """Closes the window through the window manager."""
        self.press("alt+F4")

    def picture(self, form="gray"):
        """Returns width, height and pixels of the contents, as FFmpeg reads them from the screen."""
        width, height = self.size
        pixels = subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "x11grab", "-draw_mouse", "0", "-window_id", self.identifier,
             "-video_size", f"{width}x{height}", "-i", self.screen.display, "-frames:v", "1", "-pix_fmt", form,
             "-f", "rawvideo", "-"], env=self.screen.environment, check=True, capture_output=True, timeout=TIME_LIMIT).stdout
        return width, height, pixels

    def counter(self, scale=1.0, left=0, top=0):
        """Returns the number in the 32 boxes at the top of the test source's picture, which is shown at this place."""
        width, _, pixels = self.picture()
        row = int(top + 4 * scale) * width
        bits = [pixels[row + int(left + (8 * bit + 4) * scale)] > 125 for bit in range(32)]
        return sum(value << (31 - bit) for bit, value in enumerate(bits))

    def wait_for_counter(self, condition, what):
        seen = []

        def check():
            seen[:] = [self.counter()]
            return condition(seen[0])

        wait_until(check, what)
        return seen[0]
