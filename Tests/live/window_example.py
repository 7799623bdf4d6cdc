#!/usr/bin/env python3
"""Runs an example that shows live video in a window: FFmpeg sends a stream, and a screenshot has its pictures.

usage: Tests/live/window_example.py COMMAND...      the example without its address
"""
import os
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "command"))
from screen import Screen  # noqa: E402
from support import Started, wait_until  # noqa: E402

# A red picture with a white left half, which no other window has.
PICTURE = "color=0xC02020:s=320x180:r=25:d=60,drawbox=x=0:y=0:w=160:h=180:t=fill:color=white"


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def has_picture(window):
    width, height, pixels = window.picture("rgb24")

    def pixel(x, y):
        place = 3 * (int(y * height) * width + int(x * width))
        return tuple(pixels[place:place + 3])

    left, right = pixel(0.25, 0.5), pixel(0.75, 0.5)
    return min(left) > 230 and abs(right[0] - 0xC0) < 12 and abs(right[1] - 0x20) < 12 and abs(right[2] - 0x20) < 12


def main(command):
    address = f"udp://127.0.0.1:{free_port()}"
    sender = Started(["ffmpeg", "-nostdin", "-v", "quiet", "-re", "-f", "lavfi", "-i", PICTURE, "-c:v", "libx264", "-preset",
                      "ultrafast", "-tune", "zerolatency", "-g", "25", "-pix_fmt", "yuv420p", "-f", "mpegts",
                      address + "?pkt_size=1316"])
    try:
        with Screen() as screen:
            program = Started([*command, address], env=screen.environment, stdout=subprocess.PIPE)
            try:
                window = screen.window(address)
                wait_until(lambda: has_picture(window), "the picture")
                window.press("q")
                text = program.stdout.read().decode()
                assert program.wait() == 0, text
                shown = next(int(line.split()[0]) for line in text.splitlines() if " shown, " in line)
                assert shown > 0, text
                print(text.strip().splitlines()[-1])
            finally:
                program.kill()
    finally:
        sender.kill()
        sender.wait()


if __name__ == "__main__":
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    main(sys.argv[1:])
