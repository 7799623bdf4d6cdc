"""The Python libraries, each as a pair of functions: encode(array, number) and finish(). Both return the number of
delivered frames and their bytes. Each is written in the fastest way that its documentation shows."""
from __future__ import annotations

import os
from fractions import Fraction

from settings import BIT_RATE, FRAME_RATE, HEIGHT, WIDTH, X264_TEXT


def nalu_session(preset, at_once):
    import nalu

    session = nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=FRAME_RATE, preset=preset, format="bgr", properties={
        "x264.tune": "zerolatency", "x264.params": X264_TEXT})
    if at_once:
        session["MaxFrameDelayCount"] = 0  # encode returns with the frame's own sample

    def count(samples):
        frames = size = 0
        for sample in samples:
            frames, size = frames + 1, size + len(sample.data)
        return frames, size

    times = [nalu.Time(number, FRAME_RATE) for number in range(10_000)]
    return lambda array, number: count(session.encode(array, pts=times[number])), lambda: count(session.flush())


def pyav(preset, make_frame):
    import av

    codec = av.CodecContext.create("libx264", "w")
    codec.width, codec.height, codec.pix_fmt = WIDTH, HEIGHT, "yuv420p"
    codec.framerate, codec.time_base = Fraction(FRAME_RATE), Fraction(1, FRAME_RATE)
    codec.bit_rate = BIT_RATE
    codec.options = {"preset": preset, "tune": "zerolatency", "x264-params": X264_TEXT}
    make = getattr(av.VideoFrame, make_frame)

    def count(packets):
        return len(packets), sum(packet.size for packet in packets)

    def encode(array, number):
        frame = make(array, format="bgr24")
        frame.pts = number
        return count(codec.encode(frame))

    return encode, lambda: count(codec.encode(None))


def imageio(preset, at_once):
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(
        os.devnull, (WIDTH, HEIGHT), pix_fmt_in="bgr24", pix_fmt_out="yuv420p", fps=FRAME_RATE, codec="libx264",
        bitrate=str(BIT_RATE), macro_block_size=1, ffmpeg_log_level="error",
        output_params=["-preset", preset, "-tune", "zerolatency", "-x264-params", X264_TEXT, "-f", "h264"])
    writer.send(None)
    sent = 0

    def encode(array, number):
        nonlocal sent
        sent += 1
        writer.send(array)  # through a pipe: the delivered frames are unknown before the end
        return 0, 0

    def finish():
        writer.close()
        return sent, 0

    return encode, finish


SIDES = {
    "nalu": nalu_session,
    "pyav-buffer": lambda preset, at_once: pyav(preset, "from_numpy_buffer"),
    "pyav-ndarray": lambda preset, at_once: pyav(preset, "from_ndarray"),
    "imageio": imageio,
}
