"""Encodes numpy frames with the installed wheel nalu-video-lgpl, whose encoder is OpenH264 of the system, and checks the files with
ffprobe and FFmpeg.

usage: openh264.py           encodes, decodes, compares
       openh264.py missing   the system has no OpenH264: the error message names the library and the package
"""

import os
import re
import subprocess
import sys

import numpy

import nalu

WIDTH, HEIGHT, COUNT, RATE = 320, 180, 50, 600_000
ENCODER = "org.openh264.openh264"


def picture(number):
    rows, columns = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    wave = numpy.abs((3 * columns + 5 * number) % 256 - 128) + numpy.abs((5 * rows - 7 * number) % 248 - 124) // 2
    return numpy.stack([wave, wave // 2 + columns // 4, 200 - wave], axis=2).astype(numpy.uint8)


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and not result.stderr, f"{' '.join(command)}: {result.stderr}"
    return result.stdout


def check_file(path):
    """The file is clean for FFmpeg, and has all frames; Nalu's own decoder shows them as they were."""
    assert run("ffmpeg", "-v", "warning", "-i", path, "-f", "null", "-") == ""
    facts = run("ffprobe", "-v", "warning", "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames",
                "-of", "default=nw=1", path)
    for fact in ("codec_name=h264", f"width={WIDTH}", f"height={HEIGHT}", f"nb_read_frames={COUNT}"):
        assert fact in facts.split(), f"{path}: {fact} is not among {facts.split()}"
    errors = []
    for number, frame in enumerate(nalu.read_video(path)):
        errors.append(numpy.mean((frame.array.astype(float) - picture(number)) ** 2))
    assert len(errors) == COUNT, f"{path}: {len(errors)} frames"
    quality = 10 * numpy.log10(255**2 / numpy.mean(errors))
    assert quality > 25, f"{path}: {quality:.1f} dB"
    return quality


def loaded(pattern):
    with open("/proc/self/maps") as maps:
        return {os.path.basename(line.split()[-1]) for line in maps if re.search(pattern, line)}


def encode():
    identifiers = [encoder.id for encoder in nalu.encoders()]
    assert identifiers == [ENCODER], identifiers
    frames = [picture(number) for number in range(COUNT)]
    assert not loaded("libopenh264"), "the library is loaded before the first session"
    nalu.write_video("clip.mp4", frames, fps=25, bit_rate=RATE)
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, bit_rate=RATE, real_time=True) as session:
        assert session["EncoderID"] == ENCODER
        with open("live.h264", "wb") as file:
            for number, frame in enumerate(frames):
                for sample in session.encode(frame, force_key_frame=number == 20):
                    file.write(sample.annex_b())
            for sample in session.flush():
                file.write(sample.annex_b())
    qualities = [check_file(path) for path in ("clip.mp4", "live.h264")]
    assert loaded("libopenh264") and not loaded(r"libx26[45]|libav"), loaded(r"lib(x26|av|openh264)")
    try:
        nalu.CompressionSession(WIDTH, HEIGHT, codec="hevc")
    except nalu.Error as error:
        assert "avc1" in error.message, error.message
    else:
        sys.exit("a session for H.265 was created")
    print(f"openh264: {COUNT} frames in clip.mp4 and live.h264, {qualities[0]:.1f} and {qualities[1]:.1f} dB")


def miss():
    try:
        nalu.write_video("missing.mp4", [picture(0)], fps=25)
    except nalu.Error as error:
        assert error.status_name == "COULD_NOT_CREATE_INSTANCE", error.status_name
        for part in ("libopenh264.so.", "cannot be loaded", "install libopenh264-"):
            assert part in error.message, error.message
        print(f"openh264: {error.message}")
    else:
        sys.exit("a video was written without OpenH264")


if __name__ == "__main__":
    miss() if sys.argv[1:] == ["missing"] else encode()
