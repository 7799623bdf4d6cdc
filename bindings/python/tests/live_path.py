"""A path and a browser in simulated time, for the tests of nalu.live: a link with a queue, random loss, and a receiver that reports
as Chromium does."""

from __future__ import annotations

import heapq
import itertools
import random
import struct
from typing import Any, Callable, Optional

import numpy as np

import nalu
from nalu import live

WIDTH, HEIGHT, RATE = 160, 96, 30
EXTENSIONS = {
    live.TRANSPORT_WIDE_2_URI: 4,
    live.TRANSPORT_WIDE_URI: 5,
    live.PLAYOUT_DELAY_URI: 6,
    live.DEPENDENCY_DESCRIPTOR_URI: 7,
}
SSRC = 0x1234


def rtcp(kind: int, format: int, body: bytes) -> bytes:
    return struct.pack("!BBH", 0x80 | format, kind, len(body) // 4) + body


def nack(numbers: "list[int]") -> bytes:
    return rtcp(205, 1, struct.pack("!LL", 1, SSRC) + b"".join(struct.pack("!HH", number, 0) for number in numbers))


def feedback(base: int, arrivals: "list[Optional[float]]", count: int = 0) -> bytes:
    """A transport-wide feedback message with chunks of two-bit statuses; times are multiples of 250 us."""
    times = [time for time in arrivals if time is not None]
    reference = int(times[0] / 64e-3) if times else 0
    tick, statuses, deltas = reference * 256, [], b""
    for time in arrivals:
        if time is None:
            statuses.append(0)
            continue
        delta = round(time * 4000) - tick
        tick += delta
        small = 0 <= delta <= 255
        statuses.append(1 if small else 2)
        deltas += struct.pack("!B", delta) if small else struct.pack("!h", delta)
    chunks = b""
    for at in range(0, len(statuses), 7):
        chunk = 0xC000
        for place, status in enumerate(statuses[at : at + 7]):
            chunk |= status << (12 - 2 * place)
        chunks += struct.pack("!H", chunk)
    body = struct.pack("!LLHHL", 1, SSRC, base & 0xFFFF, len(arrivals), (reference & 0xFFFFFF) << 8 | count & 0xFF) + chunks + deltas
    return rtcp(205, 15, body + bytes(-len(body) % 4))


class Browser:
    """Receives packets and decodes every frame whose packets and reference it has.

    A repeated packet is dropped before it is counted, as SRTP does.
    """

    def __init__(self, reply: Callable[[bytes], None], requests: bool) -> None:
        self._reply, self._requests = reply, requests
        self._numbers: "dict[int, int]" = {}
        self._highest = -1
        self._missing: "dict[int, tuple[float, int]]" = {}
        self._transport: "dict[int, float]" = {}
        self._transport_highest = -1
        self._reported = 0
        self._count = 0
        self._frames: "dict[int, dict[str, Any]]" = {}
        self._decoded: "set[int]" = set()
        self._newest = -1
        self.shown: "list[tuple[float, int, int]]" = []
        self.key_frames = 0

    @staticmethod
    def _unwrapped(number: int, highest: int) -> int:
        return number if highest < 0 else highest + ((number - highest + 0x8000) & 0xFFFF) - 0x8000

    def receive(self, data: bytes, now: float) -> None:
        packet = live.RtpPacket.parse(data)
        number = self._unwrapped(packet.sequence_number, self._highest)
        if number in self._numbers:
            return
        self._numbers[number] = 1
        extensions = dict(packet.extensions)
        self._arrived(extensions[4 if self._requests else 5], now)
        for gap in range(self._highest + 1 if self._highest >= 0 else number, number):
            self._missing[gap] = (now, 1)
        new = [gap for gap in range(self._highest + 1, number) if gap in self._missing]
        if new:
            self._reply(nack([gap & 0xFFFF for gap in new]))
        self._highest = max(self._highest, number)
        self._missing.pop(number, None)
        if 7 in extensions:
            self._descriptor(extensions[7], packet, number, now)

    def _descriptor(self, data: bytes, packet: live.RtpPacket, number: int, now: float) -> None:
        first, last, template = data[0] >> 7, data[0] >> 6 & 1, data[0] & 63
        frame = self._unwrapped(struct.unpack_from("!H", data, 1)[0], self._newest)
        back = template
        if template and len(data) > 3:
            bits = int.from_bytes(data[3:], "big") << 64 >> 8 * len(data[3:])
            width = 4 * (bits >> 57 & 3)
            back = (bits >> (57 - width) & (1 << width) - 1) + 1
        entry = self._frames.setdefault(frame, {"numbers": {}, "first": None, "last": None, "time": packet.timestamp})
        entry["numbers"][number] = 1
        entry["reference"] = frame - back if template else None
        if first:
            entry["first"] = number
        if last:
            entry["last"] = number
        self._decode(now)

    def _decode(self, now: float) -> None:
        for frame, entry in sorted(self._frames.items()):
            if frame <= self._newest:
                self._frames.pop(frame)
                continue
            if entry["first"] is None or entry["last"] is None:
                continue
            if len(entry["numbers"]) != entry["last"] - entry["first"] + 1:
                continue
            if entry["reference"] is not None and entry["reference"] not in self._decoded:
                continue
            self._decoded.add(frame)
            self._newest = frame
            self.key_frames += entry["reference"] is None
            self.shown.append((now, frame, entry["time"]))

    def _arrived(self, data: bytes, now: float) -> None:
        number = self._unwrapped(struct.unpack_from("!H", data)[0], self._transport_highest)
        self._transport[number] = now
        self._transport_highest = max(self._transport_highest, number)
        if len(data) == 4:
            self._report(number - (struct.unpack_from("!H", data, 2)[0] & 0x7FFF) + 1, number)

    def _report(self, first: int, last: int) -> None:
        self._count += 1
        self._reply(feedback(first, [self._transport.get(number) for number in range(first, last + 1)], self._count))

    def tick(self, now: float, period: bool) -> None:
        """Requests missing packets again every 20 ms; reports every 60 ms if no requests for reports arrive."""
        again = [number for number, (time, tries) in self._missing.items() if now - time >= 0.019 and tries < 10]
        for number in again:
            self._missing[number] = (now, self._missing[number][1] + 1)
        if again:
            self._reply(nack([number & 0xFFFF for number in again]))
        if not self._requests and period and self._transport_highest >= self._reported:
            self._report(self._reported, self._transport_highest)
            self._reported = self._transport_highest + 1


class Simulation:
    """A session, a sender, a path and a browser.

    :param rate_at: the rate of the link in bits per second at a time.
    :param loss: the share of packets lost in each direction.
    :param requests: whether the receiver reports on request.
    """

    def __init__(
        self, seconds: float, rate_at: Callable[[float], float], loss: float, seed: int, *, requests: bool = True, delay: float = 0.002, most: float = 3_000_000
    ) -> None:
        self._random = random.Random(seed)
        self._loss, self._rate_at, self._delay = loss, rate_at, delay
        extensions = dict(EXTENSIONS)
        if not requests:
            del extensions[live.TRANSPORT_WIDE_2_URI]
        self.sender = live.Sender(
            ssrc=SSRC, payload_type=99, extensions=extensions, start=1_500_000, least=150_000, most=most, size=(WIDTH, HEIGHT), sequence_number=32_000
        )
        self.browser = Browser(self._answer, requests)
        self.captured: "dict[int, float]" = {}
        self.wire: "list[tuple[float, int]]" = []
        self.limits: "list[tuple[float, float]]" = []
        self.most_waiting = self.most_in_flight = 0.0
        self._order = itertools.count()
        self._events: "list[tuple[float, int, str, Any]]" = []
        self._now, self._link_free, self._queued = 0.0, 0.0, 0
        self._run(seconds)

    def _at(self, time: float, kind: str, what: Any = None) -> None:
        heapq.heappush(self._events, (time, next(self._order), kind, what))

    def _answer(self, data: bytes) -> None:
        if self._random.random() >= self._loss:
            self._at(self._now + self._delay, "rtcp", data)

    def _send(self, data: bytes) -> None:
        size = len(data) + 38
        self.wire.append((self._now, size))
        rate = self._rate_at(self._now)
        if max(0.0, self._link_free - self._now) > 0.2:
            return  # the queue is full
        self._link_free = max(self._link_free, self._now) + size * 8 / rate
        if self._random.random() >= self._loss:
            self._at(self._link_free + self._delay, "rtp", data)

    def _run(self, seconds: float) -> None:
        properties = live.session_properties(self.sender.controller.rate)
        properties["x264.params"] += ":threads=1"
        noise = np.random.default_rng(3).integers(40, 210, (2 * HEIGHT, 2 * WIDTH), dtype=np.uint8)
        self._at(0.0, "picture", 0)
        self._at(0.0, "pace")
        self._at(0.0, "tick", 0)
        with nalu.CompressionSession(
            WIDTH, HEIGHT, frame_rate=RATE, real_time=True, format="i420", preset="ultrafast", properties=properties
        ) as session:
            while self._events:
                self._now, _, kind, what = heapq.heappop(self._events)
                if self._now > seconds:
                    break
                if kind == "picture":
                    self._at((what + 1) / RATE, "picture", what + 1)
                    self._picture(session, noise, what)
                elif kind == "rtcp":
                    self.sender.receive(what, self._now)
                elif kind == "rtp":
                    self.browser.receive(what, self._now)
                elif kind == "tick":
                    self._at(self._now + 0.02, "tick", what + 1)
                    self.browser.tick(self._now, what % 3 == 0)
                elif kind == "pace":
                    while (data := self.sender.take(self._now)) is not None:
                        if not live.is_rtcp(data):
                            self._send(data)
                    self._at(self._now + self.sender.wait(self._now), "pace")
                self.most_waiting = max(self.most_waiting, self.sender.waiting)

    def _picture(self, session: nalu.CompressionSession, noise: np.ndarray, number: int) -> None:
        request = self.sender.next_frame(self._now)
        if request is None:
            return
        if request.properties:
            self.limits.append((self._now, request.properties["DataRateLimits"][0]))
            session.properties.update(request.properties)
        frame = np.full((HEIGHT * 3 // 2, WIDTH), 128, np.uint8)
        x, y = number * 53 % WIDTH, number * 37 % HEIGHT
        frame[:HEIGHT] = noise[y : y + HEIGHT, x : x + WIDTH]
        samples = session.encode(
            frame,
            pts=nalu.Time(number, RATE),
            acknowledged=request.acknowledged,
            force_ltr_refresh=request.force_ltr_refresh,
            force_key_frame=request.force_key_frame,
        )
        for sample in samples:
            self.captured[int(sample.pts.seconds * 90_000) & 0xFFFFFFFF] = self._now
            self.sender.add_sample(sample, sample.pts.seconds, self._now)

    def gaps(self, near: "tuple[float, ...]" = ()) -> "tuple[float, float]":
        """Returns the longest gap between pictures in the two seconds after each time in ``near``, and elsewhere."""
        at, elsewhere = [0.0], [0.0]
        times = [time for time, _, _ in self.browser.shown] + [self._now]
        for before, after in zip(times, times[1:]):
            (at if any(before < step + 2 and after > step for step in near) else elsewhere).append(after - before)
        return max(at), max(elsewhere)

    def delays(self) -> "list[float]":
        return sorted(time - self.captured[stamp] for time, _, stamp in self.browser.shown)

    def wire_ratio(self) -> float:
        """Returns the most bytes of a second as a share of the mean DataRateLimits in force during the second."""
        worst, held, first = 0.0, 0, 0
        for at, size in self.wire:
            held += size
            while self.wire[first][0] <= at - 1:
                held -= self.wire[first][1]
                first += 1
            mean, end = 0.0, at
            for time, limit in reversed(self.limits):
                mean += limit * max(0.0, end - max(time, at - 1))
                end = min(end, max(time, at - 1))
            if at >= 1:
                worst = max(worst, held / mean)
        return worst
