"""Tests Nalu in one process with other packages that contain an x264 or FFmpeg. Imports the packages in the given order, lets
each decode the same video at the same time, and compares the pictures. PyAV also encodes, while Nalu encodes.

usage: neighbours.py MODULE...     modules: nalu, av (PyAV), cv2 (OpenCV), torchcodec; nalu is one of them
       neighbours.py README        runs the Python example of README.md, and checks which libraries it has loaded
"""

import hashlib
import importlib
import itertools
import os
import re
import sys

import numpy

WIDTH, HEIGHT, COUNT = 320, 180, 40


def picture(number):
    """Returns a picture of integer waves. Sines would differ between implementations."""
    rows, columns = numpy.mgrid[0:HEIGHT, 0:WIDTH]
    wave = numpy.abs((3 * columns + 5 * number) % 256 - 128) + numpy.abs((5 * rows - 7 * number) % 248 - 124) // 2
    return numpy.stack([wave, wave // 2 + columns // 4, 200 - wave], axis=2).astype(numpy.uint8)


def loaded(pattern):
    """Returns the paths of the process's libraries with such a name."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[5].strip() for line in maps if ".so" in line}
    return sorted(path for path in paths if re.match(pattern, os.path.basename(path)))


def encoded_by_nalu():
    import nalu

    session = nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, bit_rate=600_000, preset="veryfast")
    # The samples are the same in each run with one thread, and without vector code that depends on uninitialized memory.
    session["x264.params"] = "threads=1"
    with session:
        samples = []
        for number in range(COUNT):
            samples += session.encode(picture(number))
            yield
        samples += session.flush()
    with nalu.media.Writer("nalu.mp4", overwrite=True) as writer:
        for sample in samples:
            writer.write(sample)


def encoded_by_av():
    import av

    with av.open("av.mp4", "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(COUNT):
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture(number), format="rgb24")):
                container.mux(packet)
            yield
        for packet in stream.encode():
            container.mux(packet)


def decoded_by_nalu(path):
    """Yields the planes and the RGB array of each picture."""
    import nalu

    for planes, rgb in zip(nalu.read_video(path, format="i420"), nalu.read_video(path)):
        yield [numpy.array(plane) for plane in planes.planes], numpy.array(rgb.array)


def decoded_by_av(path):
    import av

    with av.open(path) as container:
        for frame in container.decode(video=0):
            flat = frame.to_ndarray(format="yuv420p").reshape(-1)
            sizes = [WIDTH * HEIGHT, WIDTH * HEIGHT // 4, WIDTH * HEIGHT // 4]
            yield [part for part in numpy.split(flat, numpy.cumsum(sizes)[:-1])], None


def decoded_by_cv2(path):
    import cv2

    video = cv2.VideoCapture(path, cv2.CAP_FFMPEG)
    while (result := video.read())[0]:
        yield None, result[1][:, :, ::-1]


def decoded_by_torchcodec(path):
    from torchcodec.decoders import VideoDecoder

    for frame in VideoDecoder(path, dimension_order="NHWC"):
        yield None, frame.numpy()


def main(modules):
    for name in modules:
        importlib.import_module(name)
    encoders = [encoded_by_nalu()] + ([encoded_by_av()] if "av" in modules else [])
    for _ in itertools.zip_longest(*encoders):
        pass
    files = ["nalu.mp4"] + (["av.mp4"] if "av" in modules else [])
    for path in files:
        count = 0
        decoders = {name: globals()[f"decoded_by_{name}"](path) for name in modules}
        for pictures in itertools.zip_longest(*decoders.values()):
            by_name = dict(zip(decoders, pictures))
            assert None not in by_name.values(), f"{path}: only {count} pictures for one of {by_name}"
            planes, rgb = by_name.pop("nalu")
            for name, (other_planes, other_rgb) in by_name.items():
                if other_planes is not None:
                    same = all(numpy.array_equal(a.reshape(-1), b) for a, b in zip(planes, other_planes))
                    assert same, f"{path}: picture {count} is another one for {name}"
                if other_rgb is not None:
                    # The packages convert to RGB with different rounding.
                    distance = numpy.abs(rgb.astype(int) - other_rgb).mean()
                    assert distance < 3, f"{path}: picture {count} differs by {distance:.2f} for {name}"
            count += 1
        assert count == COUNT, f"{path} has {count} pictures"
    digest = hashlib.sha256()
    import nalu

    for sample in nalu.open("nalu.mp4"):
        digest.update(sample.annex_b())
    others = loaded(r"lib(av(codec|format|util)|x264)[-.]")
    print(digest.hexdigest(), len(others), *modules)


def readme(path):
    with open(path) as file:
        program = re.search(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)[1]
    exec(compile(program, path, "exec"), {})
    import nalu

    for frame in nalu.read_video("clip.mp4"):
        assert frame.array.shape == (360, 640, 3)
    strangers = loaded(r"lib(av|sw|postproc|x26|yuv|jpeg|swift|dispatch)")
    assert not strangers, f"the example has loaded {strangers}"
    ours = loaded(r"libnalu\.so")
    directory = os.path.join(os.path.dirname(nalu.__file__), "_lib", "")
    assert len(ours) == 1 and all(path.startswith(directory) for path in ours), ours


if __name__ == "__main__":
    if sys.argv[1].endswith(".md"):
        readme(sys.argv[1])
    else:
        main(sys.argv[1:])
