#!/usr/bin/env python3
"""Measures WebRTC over a bad link: nalu.live, and beside it aiortc's own encoder, into Debian's headless Chromium.

The link goes through three network namespaces: 5 Mb/s, after 10 s 0.5 Mb/s, after 20 s 5 Mb/s again, with a queue of 200 ms, and a
random loss of 5 % of the UDP packets in both directions. Each picture has its number in it, which the page reads from the decoded
pictures. Needs root, nftables and Chromium. Prints Markdown; the exit status is 1 if a figure of nalu.live is not kept.

usage: live_webrtc.py [--runs N] [--sizes WxH,WxH] [--only nalu|aiortc] [--explain] [--picture FILE.png] [--directory DIRECTORY]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bad_link import Network, Stalls, Wire, listener, run, shaping
from histograms import histogram
from webrtc_figures import SECONDS, STEPS, draw_histogram, explain, figures, kept

ROOT = Path(__file__).resolve().parents[1]
RATE = 30
#: The seconds after which a browser no longer needs both processors for its own start.
SETTLE = 3

PAGE = """<!doctype html><script>
%s
const now = () => performance.timeOrigin + performance.now(), shown = [], stats = [];
async function read(track) {
  const reader = new MediaStreamTrackProcessor({track}).readable.getReader(), luma = new Uint8Array(512 * 16 * 2);
  for (;;) {
    const {value: frame, done} = await reader.read();
    if (done) return;
    const time = now();
    await frame.copyTo(luma, {rect: {x: 0, y: 0, width: 512, height: 16}});
    frame.close();
    let number = 0;
    for (let bit = 0; bit < 32; bit++) number = number * 2 + (luma[8 * 512 + bit * 16 + 8] > 127 ? 1 : 0);
    shown.push([time, number]);
  }
}
(async () => {
  const connection = new RTCPeerConnection();
  connection.ontrack = event => { read(event.track); };
  const offer = await (await fetch('/offer', {method: 'POST'})).json();
  await connection.setRemoteDescription(offer);
  await connection.setLocalDescription(agree(offer, await connection.createAnswer()));
  await fetch('/answer', {method: 'POST', body: JSON.stringify(connection.localDescription)});
  const look = async () => {
    for (const one of (await connection.getStats()).values()) if (one.type === 'inbound-rtp') stats.push([now(), one]);
  };
  const timer = setInterval(look, 250);
  await fetch('/end', {method: 'POST'});
  clearInterval(timer);
  await look();
  await fetch('/result', {method: 'POST', body: JSON.stringify({shown, stats, counts: stats[stats.length - 1][1]})});
})().catch(error => fetch('/result', {method: 'POST', body: JSON.stringify({error: '' + error.stack})}));
</script>"""


# ---- One run, in the namespace of the sender --------------------------------------------------------------------------


class Noise:
    """Blocks that move, a patch of new noise in each picture, and the number in 32 squares."""

    def __init__(self, width: int, height: int) -> None:
        import numpy as np

        self._np, self._width, self._height = np, width, height
        random = np.random.default_rng(1)
        self._noise = random.integers(40, 210, (height * 2, width * 2), dtype=np.uint8)
        blocks = random.integers(40, 210, (height // 8 + 8, width // 8 + 8), dtype=np.uint8)
        self._blocks = np.kron(blocks, np.ones((16, 16), np.uint8))

    def __call__(self, number: int) -> Any:
        np, width, height = self._np, self._width, self._height
        frame = np.full((height * 3 // 2, width), 128, np.uint8)
        x, y = number % (width // 2), number // 2 % (height // 2)
        frame[:height] = self._blocks[y : y + height, x : x + width]
        x, y = number * 53 % width, number * 37 % height
        frame[height // 3 : height // 3 * 2, width // 4 : width // 4 + width // 2] = self._noise[y : y + height // 3, x : x + width // 2]
        bits = [number >> (31 - bit) & 1 for bit in range(32)]
        frame[:16, :512] = np.repeat(np.array(bits, np.uint8) * 219 + 16, 16)
        return frame


async def inside(options: argparse.Namespace) -> None:
    sys.path.insert(0, str(ROOT / "examples/live"))
    import webrtc

    width, height = options.size
    loop = asyncio.get_running_loop()
    begun, ended, answered = asyncio.Event(), asyncio.Event(), asyncio.Event()
    captured: "dict[int, float]" = {}
    encoded: "list[float]" = []
    reports: "list[float]" = []
    stalls: "list[tuple[float, float]]" = []
    limits: "list[tuple[float, float]]" = []
    trace: "list[tuple[float, ...]]" = []
    result: "dict[str, Any]" = {}
    picture, wire = Noise(width, height), Wire()
    peer: Any = None
    key_frames = 0
    start = 0.0

    def sent(number: int, now: float, request: Any) -> None:
        captured[number] = now
        if request.properties:
            limits.append((now, request.properties["DataRateLimits"][0]))
        trace.append((now, connection.sender.controller.rate, connection.sender.controller.queue, connection.sender.waiting, request.force_ltr_refresh))
        begin()

    def begin() -> None:
        nonlocal start
        if not start:
            start = time.monotonic()
            begun.set()

    if options.only == "aiortc":
        peer, answer, describe = own_encoder(webrtc, picture, captured, begin)
    else:
        webrtc.offer_extensions()
        connection = webrtc.Connection(start=1_500_000, least=250_000, most=options.most, size=(width, height))
        peer, answer, describe = connection, connection.answer, connection.offer

    async def page(_: bytes) -> "tuple[str, str]":
        return "text/html", PAGE % webrtc.AGREE

    async def offer(_: bytes) -> "tuple[str, str]":
        return "application/json", json.dumps(await describe())

    async def accept(body: bytes) -> "tuple[str, str]":
        await answer(json.loads(body))
        answered.set()
        return "text/plain", ""

    async def end(_: bytes) -> "tuple[str, str]":
        await begun.wait()
        await asyncio.sleep(start + SECONDS - time.monotonic())
        return "text/plain", ""

    async def finish(body: bytes) -> "tuple[str, str]":
        result.update(json.loads(body))
        ended.set()
        return "text/plain", ""

    sock = listener(options.browser)
    answers = {("GET", "/"): page, ("POST", "/offer"): offer, ("POST", "/answer"): accept, ("POST", "/end"): end, ("POST", "/result"): finish}
    await webrtc.serve_http(answers, sock=sock)
    profile = tempfile.mkdtemp(prefix="nalu-live-")
    flags = "--headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update"
    browser = await asyncio.create_subprocess_exec(
        "ip", "netns", "exec", options.browser, "chromium", *flags.split(), f"--user-data-dir={profile}",
        f"http://localhost:{sock.getsockname()[1]}/", stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip

    async def steps() -> None:
        await begun.wait()
        for second, kilobits in zip(STEPS, (500, 5_000)):
            await asyncio.sleep(start + second - time.monotonic())
            await (await asyncio.create_subprocess_exec(*shaping(options.router, "change", kilobits))).wait()

    async def beat() -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(0.01)
            now = time.monotonic()
            if start and now - start < SECONDS:
                stalls.append((now, now - before - 0.01))
            before = now

    def watch() -> None:
        """Notes the times of encoded frames and of reports."""
        sender = connection.sender
        add, receive = sender.add_sample, sender.receive

        def added(sample: Any, when: float, now: float) -> None:
            encoded.append(now)
            add(sample, when, now)

        def received(data: bytes, now: float) -> None:
            reports.append(now)
            receive(data, now)

        sender.add_sample, sender.receive = added, received

    tasks = [asyncio.ensure_future(steps()), asyncio.ensure_future(beat())]
    try:
        await asyncio.wait_for(answered.wait(), 60)
        if options.only != "aiortc":
            await asyncio.wait_for(connection.connected.wait(), 60)
            await asyncio.sleep(SETTLE)
            watch()
            tasks.append(asyncio.ensure_future(webrtc.stream(connection, width, height, RATE, picture, sent)))
        await asyncio.wait_for(ended.wait(), SECONDS + 60)
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        await browser.wait()
        shutil.rmtree(profile, ignore_errors=True)
    for task in tasks:
        if task.done() and task.exception():
            raise task.exception()
    offset = time.time() - time.monotonic()
    counts = vars(connection.sender.statistics) if options.only != "aiortc" else {}
    result.update(
        start=start, captured=captured, limits=limits, trace=trace, wire=wire.packets, offset=offset, statistics=counts, encoded=encoded, reports=reports,
        stalls=stalls, stats=[(at / 1e3 - offset, one) for at, one in result.get("stats", [])],
        shown=[(shown / 1e3 - offset, number) for shown, number in result.get("shown", [])],
    )  # fmt: skip
    Path(options.result).write_text(json.dumps(result))
    os._exit(0)


def own_encoder(webrtc: Any, picture: Any, captured: "dict[int, float]", begin: Any) -> "tuple[Any, Any, Any]":
    """A connection with aiortc's own encoder, settings and congestion control."""
    import aiortc
    import av
    from fractions import Fraction

    codecs = aiortc.codecs.CODECS["video"]
    codecs[:] = [codec for codec in codecs if codec.mimeType == "video/H264"]

    class Track(aiortc.MediaStreamTrack):
        kind = "video"
        number, first = -1, 0.0

        async def recv(self) -> Any:
            if not self.first:
                await asyncio.sleep(SETTLE)
                begin()
            self.first = self.first or time.monotonic()
            self.number += 1
            await asyncio.sleep(max(0.0, self.first + self.number / RATE - time.monotonic()))
            captured[self.number] = time.monotonic()
            frame = av.VideoFrame.from_ndarray(picture(self.number), format="yuv420p")
            frame.pts, frame.time_base = self.number * 3000, Fraction(1, 90_000)
            return frame

    peer = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[]))
    peer.addTransceiver(Track(), direction="sendonly")

    async def describe() -> "dict[str, str]":
        await peer.setLocalDescription(await peer.createOffer())
        return {"sdp": peer.localDescription.sdp, "type": peer.localDescription.type}

    async def answer(description: "dict[str, str]") -> None:
        await peer.setRemoteDescription(aiortc.RTCSessionDescription(**description))

    return peer, answer, describe


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", default="640x360,1280x720", type=lambda text: [tuple(map(int, size.split("x"))) for size in text.split(",")])
    parser.add_argument("--only", choices=("nalu", "aiortc"))
    parser.add_argument("--most", type=int, default=3_000_000, help="the largest rate on the wire; the default is aiortc's own largest rate")
    parser.add_argument("--picture", help="draws the histograms of the delays as a PNG file")
    parser.add_argument("--explain", action="store_true", help="prints on standard error what each stage did in the longest gaps")
    parser.add_argument("--directory", default=str(ROOT / "build/live"))
    for name in ("--browser", "--router", "--result"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.result:
        [options.size] = options.sizes
        asyncio.run(inside(options))
    if os.geteuid() != 0:
        sys.exit("live_webrtc: only root can make network namespaces: run it as root.")
    directory = Path(options.directory)
    directory.mkdir(parents=True, exist_ok=True)
    run(str(ROOT / "scripts/setup"), "live")
    python = directory / "python/bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", str(directory / "python"))
        run(str(ROOT / "scripts/pip_install"), str(python), "aiortc", "numpy", "pillow")
    if not sys.prefix.startswith(str(directory)):
        os.execv(python, [str(python), str(Path(__file__).resolve()), *sys.argv[1:]])
    print("| sender | size | run | pictures | key frames, sent / decoded | PLI | worst gap at the steps | elsewhere | delay p50 | p95 | kb/s | wire, of highest / mean limit | stall of the machine / sender | kept |")
    print("|" + "---|" * 14)
    every, failed = {}, 0
    for sender in ("nalu", "aiortc"):
        if options.only not in (None, sender):
            continue
        for width, height in options.sizes:
            for number in range(options.runs if sender == "nalu" else 1):
                path = directory / f"{sender}-{width}x{height}-{number}.json"
                path.unlink(missing_ok=True)
                with Network() as network, Stalls() as stalls:
                    subprocess.run(
                        ["ip", "netns", "exec", network.sender, str(python), __file__, "--only", sender, "--sizes", f"{width}x{height}",
                         "--most", str(options.most), "--browser", network.browser, "--router", network.router, "--result", str(path)],
                        timeout=SECONDS + 150,
                    )  # fmt: skip
                if not path.exists():
                    print(f"| {sender} | {width}x{height} | {number + 1} | no result |")
                    failed += 1
                    continue
                found = figures(json.loads(path.read_text()))
                every.setdefault(f"{'nalu.live' if sender == 'nalu' else 'aiortc'} {width}x{height}", []).extend(found["delays"])
                good = kept(found)
                failed += sender == "nalu" and not good
                print(
                    f"| {sender} | {width}x{height} | {number + 1} | {found['pictures']} | {found['sent key frames']} / {found['key frames']} | {found['pli']} "
                    f"| {found['step gap']:.0f} ms | {found['gap']:.0f} ms | {found['p50']:.0f} ms | {found['p95']:.0f} ms | {found['rate']:.0f} "
                    f"| {found['wire of highest']:.2f} / {found['wire of mean']:.2f} | {stalls.longest * 1e3:.0f} / {found['stalled'] * 1e3:.0f} ms | {('yes' if good else 'no') if sender == 'nalu' else ''} |",
                    flush=True,
                )
                if options.explain:
                    print("\n".join(explain(json.loads(path.read_text()))), file=sys.stderr)
    for name, delays in every.items():
        print(f"\n{name}, from capture to decoded picture:\n")
        histogram(delays, range(10, 210, 10))
    if options.picture:
        draw_histogram(options.picture, every)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
