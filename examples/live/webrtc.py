#!/usr/bin/env python3
"""Sends live video to a browser by WebRTC, over links that lose packets and change their rate.

A compression session makes the samples, nalu.live.Sender the packets. aiortc has ICE, DTLS and SRTP.

    pip install nalu-video numpy aiortc==1.16.0
    python3 webrtc.py               then open http://localhost:8080
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from typing import Any, Awaitable, Callable, Optional

import aiortc
import aiortc.codecs
import numpy as np
from aiortc.rtcrtpparameters import RTCRtcpFeedback, RTCRtpHeaderExtensionParameters

import nalu
from nalu import live

# The hooks below are private to aiortc, so they hold for this version only.
if aiortc.__version__ != "1.16.0":
    sys.exit(f"webrtc: aiortc is {aiortc.__version__}; expected 1.16.0: pip install aiortc==1.16.0")

# Browsers know transport-wide feedback on request and the round trip of receivers, but do not choose them by themselves.
AGREE = """
function agree(offer, answer) {
  const requests = /a=extmap:\\d+ \\S+transport-wide-cc-02/.exec(offer.sdp);
  if (requests) answer.sdp = answer.sdp.replace(/a=extmap:\\d+ \\S+transport-wide-cc-extensions-01/, requests[0]);
  answer.sdp = answer.sdp.replace(/a=rtcp-fb:(\\d+) transport-cc/g, '$&\\r\\na=rtcp-fb:$1 rrtr');
  return answer;
}"""

PAGE = """<!doctype html><title>Nalu</title><video id=v autoplay muted playsinline></video><script>
""" + AGREE + """
(async () => {
  const connection = new RTCPeerConnection();
  connection.ontrack = event => { v.srcObject = new MediaStream([event.track]); };
  const offer = await (await fetch('/offer', {method: 'POST'})).json();
  await connection.setRemoteDescription(offer);
  await connection.setLocalDescription(agree(offer, await connection.createAnswer()));
  await fetch('/answer', {method: 'POST', body: JSON.stringify(connection.localDescription)});
})();
</script>"""


def offer_extensions() -> None:
    """Makes aiortc offer H.264 alone, with the header extensions and the feedback that nalu.live.Sender uses."""
    codecs = aiortc.codecs.CODECS["video"]
    codecs[:] = [codec for codec in codecs if codec.mimeType == "video/H264"]
    for codec in codecs:
        codec.parameters["profile-level-id"] = codec.parameters["profile-level-id"].replace("42001f", "4d001f")  # Main
        codec.rtcpFeedback += [RTCRtcpFeedback(type="transport-cc"), RTCRtcpFeedback(type="rrtr")]
    uris = live.TRANSPORT_WIDE_2_URI, live.TRANSPORT_WIDE_URI, live.PLAYOUT_DELAY_URI, live.DEPENDENCY_DESCRIPTOR_URI
    aiortc.codecs.HEADER_EXTENSIONS["video"] = [
        RTCRtpHeaderExtensionParameters(id=number, uri=uri) for number, uri in enumerate(uris, 4)
    ]


class Connection:
    """Carries the packets of a nalu.live.Sender to one browser.

    :param options: arguments of nalu.live.Sender.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._peer = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[]))
        self._rtp = self._peer.addTransceiver("video", direction="sendonly").sender
        #: The sender, once the browser is connected.
        self.sender: Optional[live.Sender] = None
        self.connected = asyncio.Event()
        self.closed = asyncio.Event()
        self._send_parameters = self._rtp.send
        self._rtp.send = self._start
        self._peer.on("connectionstatechange", self._changed)

    async def offer(self) -> "dict[str, str]":
        await self._peer.setLocalDescription(await self._peer.createOffer())
        return {"sdp": self._peer.localDescription.sdp, "type": self._peer.localDescription.type}

    async def answer(self, description: "dict[str, str]") -> None:
        await self._peer.setRemoteDescription(aiortc.RTCSessionDescription(**description))

    async def close(self) -> None:
        self.closed.set()
        await self._peer.close()

    async def _start(self, parameters: Any) -> None:
        codec = next(codec for codec in parameters.codecs if codec.mimeType == "video/H264")
        extensions = {extension.uri: extension.id for extension in parameters.headerExtensions}
        self.sender = live.Sender(ssrc=self._rtp._ssrc, payload_type=codec.payloadType, extensions=extensions, **self._options)
        self._rtp.transport._handle_rtcp_data = self._receive
        await self._send_parameters(parameters)

    async def _changed(self) -> None:
        if self._peer.connectionState == "connected":
            asyncio.ensure_future(self._pace())
            self.connected.set()
        elif self._peer.connectionState in ("failed", "closed"):
            self.connected.set()
            self.closed.set()

    async def _receive(self, data: bytes) -> None:
        if self.sender is not None:
            self.sender.receive(data, time.monotonic())

    async def _pace(self) -> None:
        """Sends packets when they are due. Other tasks run between them."""
        while not self.closed.is_set() and self.sender is not None:
            packet = self.sender.take(time.monotonic())
            if packet is not None:
                try:
                    await self._rtp.transport._send_rtp(packet)
                except ConnectionError:
                    self.closed.set()
                continue
            await asyncio.sleep(self.sender.wait(time.monotonic()))


async def stream(
    connection: Connection, width: int, height: int, rate: int, picture: Callable[[int], Any], sent: Optional[Callable[..., None]] = None
) -> None:
    """Encodes pictures in real time and hands the samples to the connection, until it closes.

    :param picture: returns the I420 picture of a number.
    :param sent: called with the number, the time before ``picture`` and the request for each frame that is encoded.
    """
    sender = connection.sender
    assert sender is not None
    loop, start, number = asyncio.get_running_loop(), time.monotonic(), -1
    properties = live.session_properties(sender.controller.rate)
    with nalu.CompressionSession(width, height, frame_rate=rate, real_time=True, format="i420", preset="veryfast", properties=properties) as session:
        while not connection.closed.is_set():
            # A picture whose time has passed is left out.
            number = max(number + 1, int((time.monotonic() - start) * rate))
            await asyncio.sleep(max(0.0, start + number / rate - time.monotonic()))
            now = time.monotonic()
            request = sender.next_frame(now)
            if request is None:
                continue
            if sent is not None:
                sent(number, now, request)

            def encode(request: live.FrameRequest = request, number: int = number) -> "list[nalu.Sample]":
                session.properties.update(request.properties)
                return session.encode(
                    picture(number),
                    pts=nalu.Time(number, rate),
                    acknowledged=request.acknowledged,
                    force_ltr_refresh=request.force_ltr_refresh,
                    force_key_frame=request.force_key_frame,
                )

            for sample in await loop.run_in_executor(None, encode):
                sender.add_sample(sample, sample.pts.seconds, time.monotonic())


class Bars:
    """A test picture: a number in 32 squares, and bars that move."""

    def __init__(self, width: int, height: int) -> None:
        self._width, self._height = width, height
        self._bars = np.tile((np.arange(2 * width) // 40 % 6 * 35 + 30).astype(np.uint8), (height, 1))

    def __call__(self, number: int) -> Any:
        frame = np.full((self._height * 3 // 2, self._width), 128, np.uint8)
        shift = 4 * number % self._width
        frame[: self._height] = self._bars[:, shift : shift + self._width]
        bits = [number >> (31 - bit) & 1 for bit in range(32)]
        frame[:8, :256] = np.repeat(np.array(bits, np.uint8) * 219 + 16, 8)
        return frame


async def serve_http(answers: "dict[tuple[str, str], Callable[[bytes], Awaitable[tuple[str, str]]]]", **place: Any) -> asyncio.AbstractServer:
    """Serves a few addresses: (method, path) to a function of the body that returns the type and the text of the answer.

    :param place: host and port, or sock.
    """

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode("latin-1")
            method, path = head.split(" ")[:2]
            sizes = [int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length:")]
            body = await asyncio.wait_for(reader.readexactly(min(sizes[0], 1 << 26)), 10) if sizes else b""
            answer = answers.get((method, path.split("?")[0]))
            kind, text = await answer(body) if answer else ("text/plain", "not found")
            status = "200 OK" if answer else "404 Not Found"
            data = text.encode()
            writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data)
            await writer.drain()
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError):
            pass
        finally:
            writer.close()

    return await asyncio.start_server(client, **place)


async def run(options: argparse.Namespace) -> None:
    current: "list[Connection]" = []

    async def page(_: bytes) -> "tuple[str, str]":
        return "text/html", PAGE

    async def offer(_: bytes) -> "tuple[str, str]":
        for old in current:
            await old.close()
        current[:] = [Connection(start=1_500_000, least=150_000, most=options.most, size=(options.width, options.height))]
        return "application/json", json.dumps(await current[0].offer())

    async def answer(body: bytes) -> "tuple[str, str]":
        connection = current[0]
        await connection.answer(json.loads(body))
        asyncio.ensure_future(show(connection))
        return "text/plain", ""

    async def show(connection: Connection) -> None:
        await connection.connected.wait()
        if connection.sender is not None and not connection.closed.is_set():
            asyncio.ensure_future(report(connection))
            await stream(connection, options.width, options.height, options.rate, Bars(options.width, options.height))

    async def report(connection: Connection) -> None:
        while not connection.closed.is_set() and connection.sender is not None:
            await asyncio.sleep(1)
            controller, counts = connection.sender.controller, connection.sender.statistics
            print(
                f"\r{controller.rate / 1e3:5.0f} kb/s, queue {controller.queue * 1e3:3.0f} ms, loss {controller.loss:4.0%}, "
                f"{counts.frames} frames, {counts.key_frames} key frames, {counts.refreshes} refreshes ",
                end="", flush=True,
            )  # fmt: skip

    server = await serve_http({("GET", "/"): page, ("POST", "/offer"): offer, ("POST", "/answer"): answer}, host="127.0.0.1", port=options.port)
    print(f"http://localhost:{options.port}")
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Sends a moving test picture to a browser by WebRTC.")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--rate", type=int, default=30, help="frames per second")
    parser.add_argument("--most", type=int, default=4_000_000, help="the largest rate on the wire, bits per second")
    parser.add_argument("--port", type=int, default=8080)
    offer_extensions()
    try:
        asyncio.run(run(parser.parse_args()))
    except KeyboardInterrupt:
        print()
