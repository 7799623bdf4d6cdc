#!/usr/bin/env python3
"""Captures, encodes, publishes and records for an hour while ten viewers watch, and judges what the programs use.

usage: Tests/live/soak.py NALU [--seconds SECONDS]

One program captures the test source, and sends video and audio to nginx and to a file; NALU serves the test source to ten
viewers, three of which read slowly, and one comes and goes. Prints the memory of both programs in twelve steps, how far the audio is
from the pictures, as FFmpeg decodes the file and what nginx has received, and the threads and descriptors before and after.
Fails if memory grows, if audio is more than 20 ms off, or if a thread or descriptor is left. With 60 or more SECONDS the same checks
hold for a shorter time.

The server's tasks run in the workers of libdispatch, which starts and ends them by itself: one more than before is no leak. They are
counted apart from the other threads, and may be at most one for each processor more than before the viewers.
"""
import argparse
import array
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import typing

from servers import Nginx

WIDTH, HEIGHT, FRAME_RATE, SAMPLE_RATE = 640, 360, 30, 48000
PRESET = "ultrafast"
VIEWERS, SLOW_VIEWERS, STEPS = 10, 3, 12
MOST_OFFSET = 0.020
"""The largest difference between audio and pictures in seconds."""
MOST_GROWTH = 0.05, 4e6
"""The permitted growth of a program after the second step: a share, and bytes."""
BEEP = 0.1
"""The length of a beep of the test source in seconds."""
TIME_LIMIT = 120


LEAST_SECONDS = 60
"""The shortest run: twelve places in the recording, of which each takes six seconds to examine."""


class Usage(typing.NamedTuple):
    """The resources that a process uses: resident memory in bytes, threads except workers of libdispatch, descriptors, and these workers."""

    memory: int
    threads: int
    descriptors: int
    workers: int

    @classmethod
    def of(cls, process):
        names = []
        for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
            # A thread may end meanwhile.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                names.append((thread / "comm").read_text().strip())
        # A worker has the end of its queue's name, for example "oot.default-qos" or "-qos.overcommit".
        workers = sum(bool(re.search(r"qos(\.overcommit)?$", name)) for name in names)
        memory = int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{process}/status").read_text())[1]) * 1024
        return cls(memory, len(names) - workers, len(os.listdir(f"/proc/{process}/fd")), workers)

    def keeps(self, before):
        """Returns whether a thread or descriptor is left since `before`."""
        return ((self.threads, self.descriptors) != (before.threads, before.descriptors)
                or self.workers > before.workers + os.cpu_count())


# The program that captures, publishes and records

def send(url, path, seconds):
    """Publishes and records what the test source delivers. Prints a line of JSON at the start and at the end."""
    import nalu

    def run(seconds, recorded):
        session = nalu.CompressionSession(WIDTH, HEIGHT, bit_rate=800_000, frame_rate=FRAME_RATE, real_time=True, preset=PRESET)
        audio = nalu.media.AudioEncoder(SAMPLE_RATE)
        with session, audio, nalu.media.Publisher(url, never_skip_frames=True) as publisher, nalu.media.Writer(recorded) as writer:
            publisher.add_audio(audio.format_description)
            writer.add_audio(audio.format_description)
            publisher.wait_until_connected(TIME_LIMIT)
            lock = threading.Lock()
            first = []

            # A lock for the time of encoding too would starve the thread of the audio: Python's locks are not fair.
            def write(samples):
                with lock:
                    for sample in samples:
                        publisher.write(sample)
                        writer.write(sample)

            def hear(block):
                if first:
                    write(audio.encode(block.samples, block.pts - first[0]))

            with nalu.capture.CaptureSession("test", size=(WIDTH, HEIGHT), frame_rate=FRAME_RATE, audio=hear) as capture:
                for frame in capture:
                    first = first or [frame.pts]
                    pts = frame.pts - first[0]
                    advice = publisher.prepare_frame(session)
                    write(session.encode(frame, pts, **advice.options))
                    if pts.seconds >= seconds:
                        break
                statistics = capture.statistics
            write(session.flush() + audio.flush())
            publisher.finish(TIME_LIMIT)
            return statistics, publisher.statistics, audio.counts

    # Libraries and shared threads are made by the first use, and are not part of the comparison.
    run(2, f"{path}.first.mkv")
    before = Usage.of("self")
    print(json.dumps({"threads": before.threads, "descriptors": before.descriptors}), flush=True)
    capture, publisher, counts = run(seconds, path)
    end = time.monotonic() + 10
    while (after := Usage.of("self")).keeps(before) and time.monotonic() < end:
        time.sleep(0.1)
    print(json.dumps({
        "threads": after.threads, "descriptors": after.descriptors, "captured": capture.captured_frames, "late": capture.late_frames,
        "missed": capture.missed_frames, "dropped": publisher.dropped_samples, "reconnects": publisher.reconnects,
        "longest queue": publisher.longest_queue_delay, "lost audio frames": capture.lost_audio_frames,
        "inserted audio frames": counts.inserted_frames, "audio offset": counts.offset}), flush=True)


# Ten viewers

class Viewers(threading.Thread):
    """Reads what the server sends to ten viewers, and acknowledges it."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.ended = threading.Event()
        self.joined = 0
        self.failure = None

    def run(self):
        threads = [threading.Thread(target=self.watch, args=(index,)) for index in range(VIEWERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def watch(self, index):
        try:
            while not self.ended.is_set():
                with self.server.watch(receive_buffer=4096 if 0 < index <= SLOW_VIEWERS else None) as viewer:
                    self.joined += 1
                    end = time.monotonic() + (10 if index == 0 else 1e9)
                    while not self.ended.is_set() and time.monotonic() < end:
                        viewer.send(type="acknowledge", frame=viewer.sample().number)
                        if 0 < index <= SLOW_VIEWERS:
                            time.sleep(0.05)
        except Exception as error:
            self.failure = self.failure or error


# What FFmpeg finds

def offsets(path, place):
    """Returns the differences between the beginnings of the beeps and the pictures of the same time, for the seconds after a
    place in a file. Beeps whose beginning or end was lost do not count."""
    with tempfile.TemporaryDirectory() as directory:
        pictures, sounds = pathlib.Path(directory, "pictures"), pathlib.Path(directory, "sounds")
        said = subprocess.run(
            ["ffmpeg", "-nostdin", "-v", "info", "-ss", str(place), "-copyts", "-t", "6", "-i", path,
             "-map", "0:v", "-vf", "crop=256:8:0:0,scale=32:1:flags=area,showinfo", "-fps_mode", "passthrough",
             "-pix_fmt", "gray", "-f", "rawvideo", pictures,
             "-map", "0:a", "-af", "ashowinfo", "-ac", "1", "-f", "s16le", sounds],
            check=True, capture_output=True, text=True, timeout=TIME_LIMIT).stderr
        rows, values = pictures.read_bytes(), array.array("h", sounds.read_bytes())
    times = [float(found) for found in re.findall(r"Parsed_showinfo\S* @ \S+\] n: *\d+ .*?pts_time: *(\S+)", said)]
    numbers = [sum((value > 125) << (31 - bit) for bit, value in enumerate(rows[at:at + 32])) for at in range(0, len(rows), 32)]
    start = re.search(r"Parsed_ashowinfo\S* @ \S+\] n: *0 .*?pts_time: *(\S+)", said)
    if not start:
        return []
    begin = float(start[1])
    seen = {number // FRAME_RATE: at for number, at in zip(numbers, times) if number % FRAME_RATE == 0}
    # The beep is ten times as loud as the tone.
    loud = [index for index, value in enumerate(values) if abs(value) >= 5000]
    edges = [(before, after) for before, after in zip([None, *loud], [*loud, None])
             if before is None or after is None or after - before > SAMPLE_RATE / 2]
    beeps = [begin + first / SAMPLE_RATE for (_, first), (last, _) in zip(edges, edges[1:])
             if abs((last - first) / SAMPLE_RATE - BEEP) < 0.005]
    found = [min((beep - at for beep in beeps), key=abs) for at in seen.values() if at - begin > 1 and beeps]
    return [offset for offset in found if abs(offset) < 0.5]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nalu")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--send", nargs=2)
    arguments = parser.parse_args()
    if arguments.seconds < LEAST_SECONDS:
        parser.error(f"--seconds is {arguments.seconds:g}; expected at least {LEAST_SECONDS}")
    if arguments.send:
        return send(*arguments.send, arguments.seconds)
    os.environ["NALU_COMMAND"] = arguments.nalu
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "command"))
    import support
    support.TIME_LIMIT = arguments.seconds + 10 * TIME_LIMIT
    from live_socket import Server

    seconds, problems = arguments.seconds, []
    with tempfile.TemporaryDirectory(prefix="nalu-soak-") as name, Server("test", "--size", f"{WIDTH}x{HEIGHT}", "--preset", PRESET) as server:
        directory = pathlib.Path(name)
        directory.chmod(0o777)
        nginx = Nginx(directory)
        running = [nginx.start()]
        path = directory / "recorded.mkv"
        try:
            # The encoder has threads from the first viewers on.
            first = Viewers(server)
            first.start()
            time.sleep(3)
            first.ended.set()
            first.join(TIME_LIMIT)
            time.sleep(1)
            server_before = Usage.of(server.process.pid)
            sender = subprocess.Popen(
                [sys.executable, __file__, arguments.nalu, "--seconds", str(seconds), "--send",
                 f"rtmp://127.0.0.1:{nginx.rtmp}/live/stream", path], stdout=subprocess.PIPE, text=True)
            running.append(sender)
            viewers = Viewers(server)
            viewers.start()
            before = json.loads(sender.stdout.readline())
            print("| minutes | publisher, MB | its threads | server, MB | its threads | workers | viewers joined |\n|" + "---|" * 7)
            memory = []
            begin = time.monotonic()
            for step in range(STEPS + 1):
                # The last look is before the programs end.
                at = min(max(step * seconds / STEPS, 1), 0.97 * seconds)
                time.sleep(max(0, begin + at - time.monotonic()))
                ours, theirs = Usage.of(sender.pid), Usage.of(server.process.pid)
                memory.append((ours.memory, theirs.memory))
                print(f"| {at / 60:.1f} | {ours.memory / 1e6:.1f} | {ours.threads} | {theirs.memory / 1e6:.1f} | {theirs.threads} "
                      f"| {theirs.workers} | {viewers.joined} |", flush=True)
            after = json.loads(sender.stdout.readline())
            viewers.ended.set()
            viewers.join(TIME_LIMIT)
            sender.wait(TIME_LIMIT)
            end = time.monotonic() + 10
            while (server_after := Usage.of(server.process.pid)).keeps(server_before) and time.monotonic() < end:
                time.sleep(0.1)
            code = server.interrupt()
        finally:
            for process in running:
                process.kill()
                process.wait(TIME_LIMIT)
        share, rest = MOST_GROWTH
        for program, values in zip(("publisher", "server"), zip(*memory)):
            if max(values[3:]) > max(values[1:3]) * (1 + share) + rest:
                problems.append(f"the memory of the {program} grows from {max(values[1:3]) / 1e6:.1f} to {max(values[3:]) / 1e6:.1f} MB")
        print(f"\npublisher at its start {before}, at its end {after}")
        print(f"server before the viewers {server_before}, after them {server_after}, exit code {code}")
        if (before["threads"], before["descriptors"]) != (after["threads"], after["descriptors"]):
            problems.append("the publisher's program keeps a thread or a descriptor")
        if server_after.keeps(server_before):
            problems.append("the server keeps a thread or a descriptor")
        if viewers.failure:
            problems.append(f"a viewer failed: {viewers.failure!r}")
        received = max(directory.glob("*.flv"), key=lambda each: each.stat().st_size)
        for what, file in (("file", path), ("received by nginx", received)):
            rows = []
            for step in range(STEPS):
                found = offsets(file, min(step * seconds / STEPS, seconds - 7))
                rows.append(max(found, key=abs) if found else None)
            texts = ["no beep" if value is None else f"{value * 1000:.1f}" for value in rows]
            print(f"audio against pictures, {what}, ms: {', '.join(texts)}")
            known = [value for value in rows if value is not None]
            # Lost audio may be that of the beeps.
            if len(known) < (1 if after["lost audio frames"] else STEPS):
                problems.append(f"the {what} has whole beeps at {len(known)} of {STEPS} places only")
            if known and max(map(abs, known)) > MOST_OFFSET:
                problems.append(f"the audio of the {what} is {max(known, key=abs) * 1000:.1f} ms from the pictures")
    if problems:
        sys.exit("soak: " + "; ".join(problems))


if __name__ == "__main__":
    main()
