"""nalu transcode in chunks: by threads of the command, and by the Python package for a cluster."""
import json
import os
import random
import signal
import subprocess
import sys
import time

from media import media
from support import COMMAND, CommandTest, default_signals, ffmpeg, directory_of_files, made_once, run

#: Replaces Python and writes its arguments to a file. The first two words are -c and a program, the third the option.
STUB = f"""#!{sys.executable}
import json, sys
json.dump(sys.argv[3:], open(sys.argv[0] + ".json", "w"))
sys.exit(7)
"""


class TranscodeInChunks(CommandTest):
    def asked(self, *arguments, code=7):
        """The words that nalu.parallel gets."""
        stub = self.directory / "python"
        stub.write_text(STUB)
        stub.chmod(0o755)
        result = run("transcode", *arguments, env={**os.environ, "NALU_PYTHON": str(stub)})
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads((self.directory / "python.json").read_text())

    def test_a_cluster(self):
        words = self.asked(media("mp4"), self.directory / "out.mp4", "--dask", "tcp://a:1", "--bit-rate", "800k")
        self.assertEqual(words, ["--dask", "--bit-rate", "800000", "--dask=tcp://a:1", "--", str(media("mp4")), str(self.directory / "out.mp4")])

    def test_an_address(self):
        words = self.asked("s3://videos/video.mp4", self.directory / "out.mp4", "--workers", "3", "--bit-rate", "800k")
        self.assertEqual(words, ["--workers", "--bit-rate", "800000", "--workers", "3", "--", "s3://videos/video.mp4", str(self.directory / "out.mp4")])

    def test_force(self):
        existing = self.directory / "existing.mp4"
        existing.write_bytes(b"mine")
        words = self.asked(media("mp4"), existing, "--dask", "tcp://a:1", "--bit-rate", "800k", "--force")
        self.assertIn("--force", words)
        self.assertEqual(existing.read_bytes(), b"mine")

    def test_every_option(self):
        words = self.asked("s3://videos/a video.mp4", "-o", "out.bin", "--container", "mkv", "--dask", "tcp://10.0.0.1:8786", "--resume",
                           "--tune", "film", "-p", "AverageBitRate=2M", "-p", "MaxKeyFrameInterval=50", "-p", "x264.params=ref=2",
                           "-p", "CleanAperture=10,10,0,0", "-p", "AllowOpenGOP=yes", "--ignore-edit-list", "--format", "mp4", "-q")
        self.assertEqual(words[0], "--dask")
        self.assertEqual(words[-3:], ["--", "s3://videos/a video.mp4", "out.bin"])
        for word in ("--dask=tcp://10.0.0.1:8786", "--resume", '--property=x264.tune="film"', "--property=MaxKeyFrameInterval=50",
                     '--property=x264.params="ref=2"', "--property=CleanAperture=[10.0, 10.0, 0.0, 0.0]", "--property=AllowOpenGOP=true",
                     "--ignore-edit-list", "--input-format=mp4", "--container=mkv", "--quiet"):
            self.assertIn(word, words)
        self.assertEqual(words[1:3], ["--bit-rate", "2000000"])

    def test_what_is_refused(self):
        existing = self.directory / "existing.mp4"
        existing.write_bytes(b"mine")
        out = self.directory / "out.mp4"
        for arguments, sentence in (
            ((media("mp4"), out, "--workers", "0", "--bit-rate", "1M"), "--workers is 0; expected 1 or more"),
            ((media("mp4"), out, "--workers", "2", "--dask", "tcp://a:1", "--bit-rate", "1M"), "--workers and --dask exclude each other"),
            ((media("mp4"), out, "--resume"), "--resume is for --workers and --dask"),
            ((media("mp4"), out, "--workers", "2"), "add --bit-rate"),
            (("-", out, "--workers", "2", "--bit-rate", "1M"), "needs an input file with a name"),
            ((media("mp4"), "-", "--workers", "2", "--bit-rate", "1M"), "needs an output file with a name"),
            ((media("mp4"), out, "--workers", "2", "--bit-rate", "1M", "--frames", "3"), "--workers excludes --frames"),
            ((media("mp4"), out, "--dask", "tcp://a:1", "--bit-rate", "1M", "--track", "0"), "--dask excludes --track"),
            ((media("mp4"), existing, "--workers", "2", "--bit-rate", "1M"), "exists; add --force to replace it"),
            ((self.directory / "nowhere.mp4", out, "--workers", "2", "--bit-rate", "1M"), "No such file"),
        ):
            with self.subTest(arguments=arguments):
                result = run("transcode", *arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(sentence, result.stderr.decode())
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        self.assertEqual(existing.read_bytes(), b"mine")

    def test_a_package_and_an_interpreter_that_are_missing(self):
        arguments = ("transcode", media("mp4"), self.directory / "out.mp4", "--dask", "tcp://a:1", "--bit-rate", "1M")
        # The interpreter is isolated from installed packages and has none of its own.
        stub = self.directory / "python"
        stub.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        stub.chmod(0o755)
        result = run(*arguments, env={**os.environ, "NALU_PYTHON": str(stub)})
        self.assertEqual(result.stderr.decode(), f"nalu: --dask needs the Python package nalu-video, which {sys.executable} does not have; "
                         "NALU_PYTHON names another Python, and scripts/build_wheel of the sources makes the wheel\n")
        self.assertEqual(result.returncode, 1)
        result = run(*arguments, env={**os.environ, "NALU_PYTHON": "/nowhere/python3"})
        self.assertEqual(result.stderr.decode(), "nalu: --dask needs Python, and /nowhere/python3 cannot be run: No such file or directory\n")
        self.assertEqual(result.returncode, 1)


#: Without Python, so that only the command itself can do the work.
WITHOUT_PYTHON = {**os.environ, "NALU_PYTHON": "/nowhere/python3"}


def video():
    """A video of four chunks, with audio."""
    def make(path):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=160x96:rate=10:duration=45", "-f", "lavfi", "-i", "sine=duration=45", "-c:v", "libx264",
               "-preset", "veryfast", "-g", "20", "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-c:a", "aac", path)
    return made_once(directory_of_files("media") / "video.mp4", make)


def video_with_full_seams():
    """A video of three chunks: weak noise, and strong noise before and after each seam."""
    noise = [random.Random(index).randbytes(160 * 96) for index in range(40)]
    weak = [each.translate(bytes(100 + value * 12 // 256 for value in range(256))) for each in noise]

    def frame(index):
        return (noise if min(index % 250, 249 - index % 250) < 12 else weak)[index % 40]

    def make(path):
        ffmpeg("-f", "rawvideo", "-pix_fmt", "gray", "-s", "160x96", "-r", "25", "-i", "-", "-c:v", "libx264", "-preset", "ultrafast",
               "-crf", "8", "-g", "50", "-pix_fmt", "yuv420p", path, input=b"".join(map(frame, range(750))))
    return made_once(directory_of_files("media") / "full_seams.mp4", make)


class TranscodeByThreads(CommandTest):
    OPTIONS = ("--bit-rate", "100k", "--preset", "veryfast")

    def transcode(self, output, *arguments, code=0):
        result = run("transcode", video(), output, *self.OPTIONS, *arguments, env=WITHOUT_PYTHON)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr.decode()

    def test_changes_of_the_signal_are_named_as_in_one_piece(self):
        """The second chunk has other colours and another pixel aspect ratio than the first."""
        streams = []
        for number, (colour, aspect) in enumerate((("bt709", "1"), ("smpte170m", "4/3"))):
            stream = self.directory / f"{number}.h264"
            ffmpeg("-f", "lavfi", "-i", "testsrc2=size=96x64:rate=10:duration=11", "-vf", f"setsar={aspect}", "-c:v", "libx264", "-preset",
                   "ultrafast", "-pix_fmt", "yuv420p", "-color_primaries", colour, "-color_trc", colour, "-colorspace", colour, stream)
            streams.append(stream.read_bytes())
        joined, source, output = (self.directory / name for name in ("joined.h264", "source.ts", "output.mp4"))
        joined.write_bytes(b"".join(streams))
        self.assertEqual(run("demux", joined, source).returncode, 0)
        lines = []
        for options in ((), ("--workers", "2")):
            result = run("transcode", source, output, "--bit-rate", "50k", "--preset", "ultrafast", "--force", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines.append([line for line in result.stderr.decode().splitlines() if " changes at " in line])
        self.assertIn("2 chunks", result.stderr.decode())
        self.assertEqual(len(lines[0]), 1)
        self.assertIn("matrix BT.601 (kept: BT.709)", lines[0][0])
        self.assertEqual(lines[0], lines[1])

    def test_the_bytes_do_not_depend_on_the_number_of_workers(self):
        said = self.transcode(self.directory / "one.mp4", "--workers", "1")
        self.assertIn("450 frames", said)
        self.assertIn("4 chunks", said)
        self.transcode(self.directory / "three.mp4", "--workers", "3", "--quiet")
        self.assertEqual((self.directory / "one.mp4").read_bytes(), (self.directory / "three.mp4").read_bytes())
        self.assertEqual(sorted(os.listdir(self.directory)), ["one.mp4", "three.mp4"])
        facts = json.loads(subprocess.check_output(
            ["ffprobe", "-v", "error", "-show_streams", "-count_frames", "-of", "json", self.directory / "one.mp4"]))["streams"]
        self.assertEqual([(each["codec_name"], each["nb_read_frames"]) for each in facts][0], ("h264", "450"))
        self.assertEqual([each["codec_name"] for each in facts], ["h264", "aac"])
        self.assertEqual(facts[0]["color_space"], "bt709")
        self.assertAlmostEqual(float(facts[0]["bit_rate"]), 100_000, delta=3_000)

    def test_limits_over_seams(self):
        output = self.directory / "limited.mp4"
        result = run("transcode", video_with_full_seams(), output, "--bit-rate", "400k", "--preset", "veryfast", "--workers", "2",
                     "-p", "DataRateLimits=60000,1", env=WITHOUT_PYTHON)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"3 chunks", result.stderr)
        packets = json.loads(subprocess.check_output(["ffprobe", "-v", "error", "-show_packets", "-of", "json", output]))["packets"]
        sizes = [(float(each["dts_time"]), int(each["size"])) for each in packets]
        self.assertEqual(len(sizes), 750)
        for begin, _ in sizes:
            self.assertLessEqual(sum(size for time, size in sizes if begin <= time < begin + 1 - 1e-6), 60000)
        self.assertAlmostEqual(sum(size for _, size in sizes) * 8 / 30, 400_000, delta=40_000)

    def test_a_container_without_audio(self):
        said = self.transcode(self.directory / "out.h264", "--workers", "2")
        self.assertIn("left out of", said)
        self.assertIn("audio aac", said)

    def test_an_interrupted_run_is_resumed(self):
        self.transcode(self.directory / "whole.mp4", "--workers", "2", "--preset", "slow")
        output, kept = self.directory / "out.mp4", self.directory / "out.mp4.chunks"
        arguments = [COMMAND, "transcode", str(video()), str(output), *self.OPTIONS, "--workers", "1", "--preset", "slow"]
        process = subprocess.Popen(arguments, stderr=subprocess.PIPE, preexec_fn=default_signals)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not list(kept.glob("*.first")):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130, said)
        self.assertEqual(said, "nalu: interrupted; --resume continues with the finished chunks\n")
        self.assertFalse(output.exists())
        finished = {path: path.stat().st_mtime_ns for path in kept.glob("*.first")}
        self.assertTrue(finished)
        # Chunks of an unfinished run are neither lost nor mixed with those of another one.
        said = self.transcode(output, "--workers", "2", "--preset", "slow", code=1)
        self.assertIn("has chunks of a run that was not finished; resume it with --resume", said)
        said = self.transcode(output, "--workers", "2", "--resume", "--preset", "slow", "-p", "MaxKeyFrameInterval=20", code=1)
        self.assertIn("of another video, other settings or another version", said)
        # A corrupt result is made again.
        first = min(finished)
        first.write_bytes(first.read_bytes()[:-1])
        self.transcode(output, "--workers", "2", "--resume", "--preset", "slow")
        self.assertEqual(output.read_bytes(), (self.directory / "whole.mp4").read_bytes())
        self.assertFalse(kept.exists())

    def test_a_directory_that_is_not_one_of_chunks(self):
        output, kept = self.directory / "out.mp4", self.directory / "out.mp4.chunks"
        kept.mkdir()
        (kept / "mine").write_text("mine")
        self.assertIn("is not empty, and has no finished chunks", self.transcode(output, "--workers", "2", code=1))
        self.assertEqual(os.listdir(kept), ["mine"])
        (kept / "mine").unlink()
        kept.rmdir()
        kept.write_text("mine")
        self.assertIn("is not a directory", self.transcode(output, "--workers", "2", code=1))
        self.assertEqual(kept.read_text(), "mine")
        self.assertFalse(output.exists())

    def test_a_corrupt_input(self):
        data = bytearray(video().read_bytes())
        place = data.index(b"mdat") + 4 + (len(data) - data.index(b"mdat")) // 2
        data[place:place + 4000] = b"\xff" * 4000
        broken = self.directory / "broken.mp4"
        broken.write_bytes(data)
        output = self.directory / "out.mp4"
        result = run("transcode", broken, output, *self.OPTIONS, "--workers", "2", env=WITHOUT_PYTHON)
        said = result.stderr.decode()
        self.assertEqual(result.returncode, 1, said)
        self.assertRegex(said, r"^nalu: chunk \d of 4, .*broken.mp4 is corrupt[ :]")
        self.assertEqual(said.count("\n"), 1)
        self.assertFalse(output.exists())

    def test_settings_that_are_refused(self):
        for options, code, sentence in (
            (("-p", "RealTime=true"), 64, "RealTime"),
            (("-p", "x264.params=threads=4"), 64, "threads"),
            (("-p", "ProfileLevel=H264_High_3_0", "-p", "AverageBitRate=20M"), 64, "20000000"),
        ):
            with self.subTest(options=options):
                said = self.transcode(self.directory / "out.mp4", "--workers", "2", *options, code=code)
                self.assertIn(sentence, said)
                self.assertEqual(os.listdir(self.directory), [])
