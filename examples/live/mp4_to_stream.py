#!/usr/bin/env python3
"""Writes the video of a file as a stream with start codes, without encoding it again.

usage: mp4_to_stream.py IN.mp4 OUT.h264|OUT.h265

IN may have any container that a reader opens. Each key frame has the parameter sets before it, so that a decoder can begin
there.

SPDX-License-Identifier: LGPL-2.1-or-later
"""
import sys

import nalu


def main(source, target):
    with nalu.open(source) as reader:
        track = next((track for track in reader.tracks if track.is_selected), None)
        if track is None:
            sys.exit(f"mp4_to_stream: {source} has no video in H.264 or H.265")
        extension = ".h265" if track.codec == "hevc" else ".h264"
        if not target.endswith(extension):
            sys.exit(f"mp4_to_stream: the video is {extension[1:].upper()}: name the output {extension}")
        samples = 0
        with open(target, "wb") as file:
            for sample in reader:
                file.write(sample.annex_b())
                samples += 1
    print(f"{samples} samples")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: mp4_to_stream.py IN.mp4 OUT.h264|OUT.h265")
    try:
        main(*sys.argv[1:])
    except (nalu.Error, OSError) as error:
        sys.exit(f"mp4_to_stream: {error}")
