"""Opens files of every container that the command writes in common players. They must show the right pictures and print
no errors."""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import chromium

COMMAND = os.environ["NALU_COMMAND"]
CLIP = pathlib.Path(os.environ["NALU_CLIP"])
"""The clip: 640x272, 25 frames per second, square pixels."""
WIDTH, HEIGHT, RATE, FRAMES = 640, 272, 25, 60
SHOWN = (0, 17, 40, FRAMES - 1)
TIME_LIMIT = 300

CONTAINERS = {
    "progressive.mp4": [], "fast_start.mp4": ["--fast-start"], "fragmented.mp4": ["--fragmented"], "progressive.mov": [],
    "file.mkv": [], "stream.ts": [], "stream.flv": [], "stream.h264": [],
}


def run(*arguments, **options):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, check=True, timeout=TIME_LIMIT,
                          stdin=subprocess.DEVNULL, **options)


def setUpModule():
    global directory
    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    directory = pathlib.Path(holder.name)
    run("ffmpeg", "-v", "error", "-i", CLIP, "-frames:v", FRAMES, directory / "clip.y4m")
    for name, options in CONTAINERS.items():
        run(COMMAND, "encode", directory / "clip.y4m", "-o", directory / name, *options, "-p", "ProfileLevel=H264_High_AutoLevel",
            "-p", "MaxKeyFrameInterval=25", "-p", "ColorPrimaries=ITU_R_709_2", "-p", "TransferFunction=ITU_R_709_2",
            "-p", "YCbCrMatrix=ITU_R_709_2")


def decoded(name, pixel_format, *options):
    """Returns FFmpeg's pictures, one after the other."""
    return run("ffmpeg", "-v", "error", "-i", directory / name, *options, "-f", "rawvideo", "-pix_fmt", pixel_format, "-").stdout


class Players(unittest.TestCase):
    def test_ffprobe_has_no_complaint(self):
        for name in CONTAINERS:
            with self.subTest(name):
                result = run("ffprobe", "-v", "warning", "-count_frames", "-show_streams", "-of", "json", directory / name)
                self.assertEqual(result.stderr.decode(), "")
                stream, = json.loads(result.stdout)["streams"]
                self.assertEqual(int(stream["nb_read_frames"]), FRAMES)
                self.assertEqual((stream["width"], stream["height"]), (WIDTH, HEIGHT))
                self.assertEqual(stream["color_space"], "bt709")
                self.assertEqual(stream["r_frame_rate"], f"{RATE}/1")

    def test_mediainfo_has_no_complaint(self):
        for name in CONTAINERS:
            with self.subTest(name):
                text = run("mediainfo", "--Full", directory / name).stdout.decode()
                self.assertNotIn("onformance", text)
                self.assertNotIn("IsTruncated", text)
                tracks = json.loads(run("mediainfo", "--Output=JSON", directory / name).stdout)["media"]["track"]
                video, = [track for track in tracks if track["@type"] == "Video"]
                self.assertEqual(video["Format"], "AVC")
                if name != "stream.ts":  # MediaInfo finds no frame rate there, nor in FFmpeg's streams
                    self.assertEqual(float(video["FrameRate"]), RATE)

    def test_gstreamer_has_no_complaint_and_the_same_pictures(self):
        for name in CONTAINERS:
            with self.subTest(name):
                pictures = directory / f"{name}.i420"
                result = run("gst-launch-1.0", "-q", "filesrc", f"location={directory / name}", "!", "decodebin", "!",
                             "video/x-raw,format=I420", "!", "filesink", f"location={pictures}")
                self.assertEqual(result.stderr.decode(), "")
                self.assertEqual(hashlib.md5(pictures.read_bytes()).hexdigest(),
                                 hashlib.md5(decoded(name, "yuv420p")).hexdigest())
                pictures.unlink()


class Chromium(unittest.TestCase):
    def plays(self, name, media_source_type=None):
        facts, pictures = chromium.play(directory / name, [(index + 0.5) / RATE for index in SHOWN], media_source_type)
        self.assertNotIn("error", facts)
        self.assertEqual((facts["width"], facts["height"]), (WIDTH, HEIGHT))
        self.assertAlmostEqual(facts["duration"], FRAMES / RATE, delta=0.002)
        self.assertEqual((facts["frames"], facts["corrupted"]), (FRAMES, 0))
        size = WIDTH * HEIGHT * 4
        reference = decoded(name, "rgba", "-vf", "scale=flags=accurate_rnd+bicubic")
        for index, picture in zip(SHOWN, pictures, strict=True):
            def distance(other):
                """Returns the mean difference of some of the values, 0 to 255."""
                frame = reference[other * size:(other + 1) * size]
                return sum(abs(a - b) for a, b in zip(frame[::29], picture[::29])) / (size / 29)

            # Chromium scales chroma differently from FFmpeg, which makes a difference of about 1.
            self.assertLess(distance(index), 2, f"frame {index}")
            nearest = min(range(max(index - 2, 0), min(index + 3, FRAMES)), key=distance)
            self.assertEqual(nearest, index, "another frame is shown")

    def test_plays_mp4(self):
        self.plays("progressive.mp4")

    def test_plays_fast_start_mp4(self):
        self.plays("fast_start.mp4")

    def test_plays_fragmented_mp4(self):
        self.plays("fragmented.mp4")

    def test_plays_fragmented_mp4_by_media_source_extensions(self):
        self.plays("fragmented.mp4", 'video/mp4; codecs="avc1.640015"')


if __name__ == "__main__":
    unittest.main()
