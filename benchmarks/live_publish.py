#!/usr/bin/env python3
"""Publishes to nginx over a link of 4 Mb/s that has 0.8 Mb/s for ten seconds, and prints what the queue and the rate do.

usage: benchmarks/live_publish.py [--srt] [--plot FILE.png] [--check] [--command NALU [--record]]

Runs as root, in network namespaces of its own; `tc tbf` shapes the link. scripts/benchmark live publish runs it. --srt uses
srt-live-transmit in place of nginx. --plot draws delay and rate. --check fails if a promise of docs/live.md does not hold. --command measures nalu capture with its
test source, as its status line shows it, in place of the Python package; with --record it also writes a file, so that no
frame is skipped.
"""
import argparse
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

from histograms import histogram

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tests" / "live"))

from servers import SRT, Nginx  # noqa: E402
from shaped_link import RECEIVER, ShapedLink  # noqa: E402

FAST, SLOW = 4000, 800
SECONDS, DOWN, UP = 32, 8, 18
MAXIMUM_DELAY = 0.5
WIDTH, HEIGHT, FRAME_RATE = 640, 360, 30
UNITS = {"": 1, "k": 1e3, "M": 1e6}
STATUS = r"(\d+) frames? .*rate ([\d.]+) (\w?)b/s  queue (\d+) ms  sent ([\d.]+) (\w?)b/s"


def send(url):
    """Encodes noise in real time, and prints the publisher's statistics every 20 ms as lines of JSON."""
    import nalu

    source = random.Random(1)
    noise = [source.randbytes(WIDTH * HEIGHT * 3 // 2).translate(bytes(60 + value // 3 for value in range(256)))
             for _ in range(8)]
    publisher = nalu.media.Publisher(url, maximum_delay=MAXIMUM_DELAY)
    publisher.wait_until_connected(10)
    session = nalu.CompressionSession(WIDTH, HEIGHT, bit_rate=FAST * 900, frame_rate=FRAME_RATE, real_time=True,
                                      format="i420")
    ended = threading.Event()
    start = time.monotonic()
    produced = 0

    def watch():
        while not ended.wait(0.02):
            line = publisher.statistics._asdict()
            line.update(time=time.monotonic() - start, produced=produced)
            print(json.dumps(line), flush=True)

    watcher = threading.Thread(target=watch)
    watcher.start()
    for number in range(SECONDS * FRAME_RATE):
        time.sleep(max(0, start + number / FRAME_RATE - time.monotonic()))
        advice = publisher.prepare_frame(session)
        if advice.skip:
            continue
        for sample in session.encode(noise[number % 8], nalu.Time(number, FRAME_RATE), **advice.options):
            produced += len(sample.data)
            publisher.write(sample)
    ended.set()
    watcher.join()
    publisher.close()


def lines_of_sender(link, url):
    """Yields the lines of a sender that encodes noise through the Python package."""
    command = [*link.inside(link.sender), sys.executable, __file__, "--send", url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        try:
            for line in sender.stdout:
                yield json.loads(line)
            if sender.wait(30) != 0:
                sys.exit("live_publish: the sender failed")
        finally:
            if sender.poll() is None:
                sender.kill()


def lines_of_command(link, url, program, recorded):
    """Yields what the status line of nalu capture shows, five times in a second, for the test source. `recorded` is the path of a
    file beside, or None."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 250, 0, 0))
    command = [*link.inside(link.sender), program, "capture", "test", url, *(["--record", recorded] if recorded else []),
               "--size", f"{WIDTH}x{HEIGHT}", "--preset", "ultrafast", "--bit-rate", str(FAST * 900), "--duration", str(SECONDS)]
    sender = subprocess.Popen(command, stderr=slave, start_new_session=True)
    os.close(slave)
    text, start, longest = "", None, 0.0
    try:
        while data := read(master):
            text += data.decode(errors="replace")
            *drawings, text = re.split(r"\r|\n", text)
            for drawing in drawings:
                if not (found := re.search(STATUS, drawing)):
                    if drawing.strip("\x1b[K "):
                        print(drawing, file=sys.stderr)
                    continue
                start = time.monotonic() if start is None else start
                rate, sent = (float(found[index]) * UNITS[found[index + 1]] for index in (2, 5))
                longest = max(longest, int(found[4]) / 1000)
                skipped, dropped = (int((re.search(rf"(\d+) {what}", drawing) or [0, 0])[1])
                                    for what in ("frames? skipped", "samples? not sent"))
                yield {"time": time.monotonic() - start, "bit_rate": rate, "throughput": sent, "queue_delay": int(found[4]) / 1000,
                       "longest_queue_delay": longest, "skipped_frames": skipped, "dropped_samples": dropped,
                       "sent_samples": int(found[1])}
    finally:
        os.close(master)
        if sender.wait(60) != 0:
            sys.exit("live_publish: the command failed")


def read(descriptor):
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the last process with the terminal has ended
        return b""


def measure(use_srt, program, records):
    """Returns the lines of the sender: of the command `program`, or of this script if it is None."""
    with tempfile.TemporaryDirectory(prefix="nalu-publish-") as directory, ShapedLink(FAST) as link:
        # nginx as root writes as another user.
        os.chmod(directory, 0o777)
        where = {"address": RECEIVER, "prefix": link.inside(link.receiver)}
        server = (SRT if use_srt else Nginx)(pathlib.Path(directory), **where)
        url = f"srt://{RECEIVER}:{server.port}" if use_srt else f"rtmp://{RECEIVER}:{server.rtmp}/live/stream"
        process = server.start()
        try:
            time.sleep(1)
            lines, steps = [], [(DOWN, SLOW), (UP, FAST)]
            recorded = pathlib.Path(directory, "recorded.mkv") if records else None
            for line in lines_of_command(link, url, program, recorded) if program else lines_of_sender(link, url):
                lines.append(line)
                if steps and line["time"] >= steps[0][0]:
                    link.change(steps.pop(0)[1])
            return lines
        finally:
            process.kill()
            process.wait(30)


def facts(lines):
    """Returns what docs/live.md promises, as measured."""
    down = next((line["time"] - DOWN for line in lines if line["time"] > DOWN and line["bit_rate"] < SLOW * 1000), None)
    up = next((line["time"] - UP for line in lines if line["time"] > UP and line["bit_rate"] >= FAST * 800), None)
    longest = begin = 0.0
    over = None
    for line in lines:
        if line["queue_delay"] > MAXIMUM_DELAY:
            over = line["time"] if over is None else over
            if line["time"] - over > longest:
                longest, begin = line["time"] - over, over
        else:
            over = None
    last = lines[-1]
    return {
        "rate below the link after the step down, s": down,
        "rate at 80 % of the link after the step up, s": up,
        "longest time with a queue over 0.5 s, s": longest,
        "its begin, s": begin,
        "longest queue, s": last["longest_queue_delay"],
        "skipped frames": last["skipped_frames"],
        "dropped samples": last["dropped_samples"],
        "sent samples": last["sent_samples"],
    }


def plot(lines, path):
    """Draws the queue's delay and the rate over time."""
    from PIL import Image, ImageDraw

    width, height, left, top, gap = 720, 150, 56, 24, 40
    image = Image.new("P", (width + left + 12, 2 * height + top + gap + 24), 0)
    image.putpalette([255, 255, 255, 0, 0, 0, 200, 200, 200, 31, 100, 200, 220, 90, 20, 120, 120, 120])
    draw = ImageDraw.Draw(image)
    panels = [
        ("rate: chosen (blue), delivered (orange), link (grey); Mb/s", 5, 1, top,
         [(5, lambda line: (SLOW if DOWN <= line["time"] < UP else FAST) / 1000),
          (4, lambda line: line["throughput"] / 1e6), (3, lambda line: line["bit_rate"] / 1e6)]),
        ("time that the queue stands for (blue); grey: the promised 0.5 s; s", 1, 0.25, top + height + gap,
         [(5, lambda line: MAXIMUM_DELAY), (3, lambda line: line["queue_delay"])]),
    ]
    for title, most, step, place, curves in panels:
        draw.text((left, place - 14), title, 1)
        for index in range(int(most / step) + 1):
            y = place + height - index * step / most * height
            draw.line((left, y, left + width, y), 2)
            draw.text((6, y - 6), f"{index * step:g}", 1)
        for colour, value in curves:
            draw.line([(left + line["time"] / SECONDS * width, place + height - min(value(line), most) / most * height)
                       for line in lines], colour)
    for second in range(0, SECONDS + 1, 4):
        draw.text((left + second / SECONDS * width - 6, 2 * height + top + gap + 6), f"{second} s", 1)
    image.save(path, optimize=True, bits=3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--send")
    parser.add_argument("--srt", action="store_true")
    parser.add_argument("--plot")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--lines")
    parser.add_argument("--command")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if arguments.send:
        return send(arguments.send)
    if os.geteuid() != 0:
        sys.exit("live_publish: needs root, to make network namespaces")
    protocols = ["srt"] if arguments.srt else ["rtmp"] if arguments.plot or arguments.check else ["rtmp", "srt"]
    results, every = {}, {}
    for protocol in protocols:
        lines = measure(protocol == "srt", arguments.command, arguments.record)
        results[protocol], every[protocol] = facts(lines), lines
        if arguments.lines:
            pathlib.Path(arguments.lines).write_text(json.dumps(lines))
        if arguments.plot:
            plot(lines, arguments.plot)
    print(f"### Publishing over {FAST / 1000:g}, {SLOW / 1000:g} and {FAST / 1000:g} Mb/s\n")
    print(f"| | {' | '.join(protocols)} |\n|---|{'---|' * len(protocols)}")
    for name in results[protocols[0]]:
        cells = (results[protocol][name] for protocol in protocols)
        print(f"| {name} | {' | '.join('never' if cell is None else f'{cell:.2f}' if isinstance(cell, float) else str(cell) for cell in cells)} |")
    for protocol, lines in every.items():
        print(f"\nThe delay of the queue, every {'200' if arguments.command else '20'} ms, {protocol}:\n")
        histogram([line["queue_delay"] * 1000 for line in lines], range(50, 650, 50))
    if arguments.check:
        for protocol, found in results.items():
            down, up, over = list(found.values())[:3]
            if down is None or down > 1 or up is None or up > 10 or over > 1:
                sys.exit(f"live_publish: {protocol}: a promise does not hold")


main()
