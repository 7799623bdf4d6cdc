#!/usr/bin/env python3
"""Captures a camera, a screen or the test source, and writes an H.264 file in real time.

usage: camera_to_file.py camera|screen|test|DEVICE OUT.h264 [SECONDS]

Without SECONDS it captures until Ctrl-C. The summary has the delay from capture to the encoded sample.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys

import nalu

FRAME_RATE = 30


def main(device, path, seconds=float("inf")):
    samples, delays, session, start = 0, 0.0, None, None
    with nalu.capture.CaptureSession(device, frame_rate=FRAME_RATE, format="nv12") as capture, open(path, "wb") as file:

        def write(ready):
            nonlocal samples, delays
            for sample in ready:
                file.write(sample.annex_b())
                # Both times are on the host clock.
                delays += float(nalu.capture.host_time()) - float(sample.pts)
                samples += 1

        try:
            # While the loop's body runs, one frame waits; a newer one replaces it.
            for frame in capture:
                if session is None:
                    start = frame.time
                    session = nalu.CompressionSession(
                        frame.width, frame.height, frame_rate=FRAME_RATE, bit_rate="4M", real_time=True, format="nv12")
                if frame.time - start >= seconds:
                    break
                write(session.encode(frame, frame.pts))
        except KeyboardInterrupt:
            pass
        if session is not None:
            write(session.flush())
            session.close()
        statistics = capture.statistics
    if samples == 0:
        sys.exit("camera_to_file: there are no pictures")
    print(f"{samples} frames, {statistics.late_frames} dropped, {delays / samples * 1000:.1f} ms from capture to sample")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: camera_to_file.py camera|screen|test|DEVICE OUT.h264 [SECONDS]")
    try:
        main(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:]))
    except nalu.Error as error:
        sys.exit(f"camera_to_file: {error}")
