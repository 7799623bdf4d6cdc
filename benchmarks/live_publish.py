#!/usr/bin/env python3
"""Publishes to nginx over a link of 4 Mb/s that has 0.8 Mb/s for ten seconds, and prints what the queue and the rate do.

usage: benchmarks/live_publish.py [--srt] [--plot FILE.png] [--check]

Runs as root, in network namespaces of its own; `tc tbf` shapes the link. scripts/benchmark live publish runs it. --srt uses
srt-live-transmit in place of nginx. --plot draws delay and rate. --check fails if a promise of docs/live.md does not hold.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

from histograms import histogram

MODULE = "/usr/lib/nginx/modules/ngx_rtmp_module.so"
SENDER, RECEIVER = "10.78.0.1", "10.78.0.2"
FAST, SLOW = 4000, 800
SECONDS, DOWN, UP = 32, 8, 18
MAXIMUM_DELAY = 0.5
WIDTH, HEIGHT, FRAME_RATE = 640, 360, 30
CONFIGURATION = """load_module %s;
daemon off; master_process off; worker_processes 1; pid %s/pid; error_log %s/error.log info;
events {}
rtmp { server { listen %s:1935; application live { live on; } } }
"""


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


def run(*command):
    subprocess.run([str(part) for part in command], check=True, timeout=60)


class Link:
    """Two network namespaces with a shaped link between them."""

    def __init__(self):
        self.sender, self.receiver = f"nalu{os.getpid()}a", f"nalu{os.getpid()}b"

    def __enter__(self):
        for name in (self.sender, self.receiver):
            run("ip", "netns", "add", name)
        run("ip", "-n", self.sender, "link", "add", "link0", "type", "veth", "peer", "name", "link1", "netns", self.receiver)
        for name, device, address in ((self.sender, "link0", SENDER), (self.receiver, "link1", RECEIVER)):
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", device)
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("ip", "-n", name, "link", "set", device, "up")
        self.shape("add", FAST)
        return self

    def shape(self, what, rate):
        # The burst has room for the large packets that TCP hands to the device.
        run("ip", "netns", "exec", self.sender, "tc", "qdisc", what, "dev", "link0", "root", "tbf", "rate", f"{rate}kbit",
            "burst", "16kb", "latency", "100ms")

    def inside(self, name, command, **options):
        return subprocess.Popen(["ip", "netns", "exec", name, *map(str, command)], **options)

    def __exit__(self, *_):
        for name in (self.sender, self.receiver):
            subprocess.run(["ip", "netns", "delete", name], timeout=60)


def measure(use_srt):
    """Returns the lines of the sender."""
    with tempfile.TemporaryDirectory(prefix="nalu-publish-") as directory, Link() as link:
        if use_srt:
            url = f"srt://{RECEIVER}:9000"
            command = ["srt-live-transmit", "-q", "srt://:9000?mode=listener", "file://con"]
        else:
            url = f"rtmp://{RECEIVER}/live/stream"
            configuration = pathlib.Path(directory, "nginx.conf")
            configuration.write_text(CONFIGURATION % (MODULE, directory, directory, RECEIVER))
            command = ["nginx", "-c", configuration, "-p", directory]
        server = link.inside(link.receiver, command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sender = None
        try:
            time.sleep(1)
            sender = link.inside(link.sender, [sys.executable, __file__, "--send", url], stdout=subprocess.PIPE, text=True)
            lines = []
            steps = [(DOWN, SLOW), (UP, FAST)]
            for line in sender.stdout:
                lines.append(json.loads(line))
                if steps and lines[-1]["time"] >= steps[0][0]:
                    link.shape("change", steps.pop(0)[1])
            if sender.wait(30) != 0:
                sys.exit("live_publish: the sender failed")
            return lines
        finally:
            for process in (sender, server):
                if process and process.poll() is None:
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
    arguments = parser.parse_args()
    if arguments.send:
        return send(arguments.send)
    if os.geteuid() != 0:
        sys.exit("live_publish: needs root, to make network namespaces")
    protocols = ["srt"] if arguments.srt else ["rtmp"] if arguments.plot or arguments.check else ["rtmp", "srt"]
    results, every = {}, {}
    for protocol in protocols:
        lines = measure(protocol == "srt")
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
        print(f"\nThe delay of the queue, every 20 ms, {protocol}:\n")
        histogram([line["queue_delay"] * 1000 for line in lines], range(50, 650, 50))
    if arguments.check:
        for protocol, found in results.items():
            down, up, over = list(found.values())[:3]
            if down is None or down > 1 or up is None or up > 10 or over > 1:
                sys.exit(f"live_publish: {protocol}: a promise does not hold")


main()
