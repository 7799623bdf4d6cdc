"""The display queue: how long after its presentation time each picture reaches the callback, and the delay of each stage.

usage: scripts/benchmark live display
"""

import io
import os
import threading

import nalu

from histograms import histogram

WIDTH, HEIGHT, RATE, SECONDS = 1280, 720, 30, 10


def clip():
    """Returns the samples of a moving gradient."""
    row = bytes(range(256)) * (WIDTH // 256 + 2)
    frames = (b"".join(row[(line + 4 * number) % 256 :][:WIDTH] for line in range(HEIGHT)) for number in range(RATE * SECONDS))
    file = io.BytesIO()
    nalu.write_video(file, frames, fps=RATE, format="gray", size=(WIDTH, HEIGHT), container="mp4", bit_rate=2_000_000)
    file.seek(0)
    with nalu.open(file) as reader:
        return list(reader)


def main():
    samples = clip()
    playback, ended, prerolled = nalu.Timebase(), threading.Event(), threading.Event()
    clock, times = nalu.Timebase.host_clock(), []

    def show(frame):
        now = clock.time
        times.append((now.seconds - playback.convert(frame.pts, clock).seconds) * 1000)

    def note(event):
        {"prerolled": prerolled, "ended": ended}.get(event, threading.Event()).set()

    with nalu.media.DisplayQueue(show, playback, note, picture_capacity=8) as queue:
        playback.time = -1

        def feed():
            for sample in samples:
                queue.enqueue(sample)
            queue.finish()

        thread = threading.Thread(target=feed)
        thread.start()
        prerolled.wait(60)
        playback.rate = 1
        thread.join()
        ended.wait(60)
        found = queue.statistics
    print(f"{WIDTH}x{HEIGHT}, {RATE} pictures a second, {SECONDS} s, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors: "
          f"{found.shown_pictures} shown, {found.late_pictures} late\n")
    print("| stage | least | mean | p95 | most |\n|---|---|---|---|---|")
    for name in ("receive", "decode", "show", "lateness"):
        delay = getattr(found, name)
        print(f"| {name} | " + " | ".join(f"{1000 * each:.2f} ms" for each in (delay.least, delay.mean, delay.p95, delay.most)) + " |")
    print("\nFrom the presentation time to the Python function:\n")
    histogram(times, [0.125 * 2**power for power in range(8)])


main()
