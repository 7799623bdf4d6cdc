#!/usr/bin/env python3
"""Captures a screen, and publishes it. The bit rate follows the link.

usage: screen_to_rtmp.py screen|camera|test|DEVICE URL [SECONDS]      for example rtmp://localhost/live/stream

Without SECONDS it publishes until Ctrl-C. The connection is made again when it is lost.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys

import nalu

FRAME_RATE = 30
HIGHEST_BIT_RATE = 4_000_000


def show(event, statistics):
    """Runs on the publisher's thread."""
    if event == "status":
        print(f"rate {statistics.bit_rate / 1000:.0f} kb/s, delivered {statistics.throughput / 1000:.0f} kb/s, "
              f"queue {statistics.queue_delay * 1000:.0f} ms, {statistics.skipped_frames} skipped, "
              f"{statistics.dropped_samples} dropped", flush=True)
    elif event != "dropped":
        print(event, flush=True)


def main(device, url, seconds=float("inf")):
    session, start = None, None
    with nalu.media.Publisher(url, on_event=show) as publisher:
        publisher.wait_until_connected(10)
        with nalu.capture.CaptureSession(device, frame_rate=FRAME_RATE, format="nv12") as capture:
            try:
                for frame in capture:
                    if session is None:
                        start = frame.time
                        session = nalu.CompressionSession(
                            frame.width, frame.height, frame_rate=FRAME_RATE, bit_rate=HIGHEST_BIT_RATE, real_time=True,
                            format="nv12", properties={"MaxKeyFrameIntervalDuration": 2.0})
                    if frame.time - start >= seconds:
                        break
                    # Sets the session's rate to what the link delivers.
                    advice = publisher.prepare_frame(session)
                    if advice.skip:
                        continue
                    for sample in session.encode(frame, frame.pts, **advice.options):
                        publisher.write(sample)
            except KeyboardInterrupt:
                pass
        if session is not None:
            for sample in session.flush():
                publisher.write(sample)
            session.close()
        publisher.finish(5)
        print(f"{publisher.statistics.sent_samples} samples sent")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: screen_to_rtmp.py screen|camera|test|DEVICE URL [SECONDS]")
    try:
        main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
    except nalu.Error as error:
        sys.exit(f"screen_to_rtmp: {error}")
