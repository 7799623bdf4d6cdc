"""nalu encode into containers: FFmpeg and mediainfo check the files."""
import json
import os
import re
import resource
import signal
import subprocess

from media import ffprobe, media
from support import CLIP, FRAMES, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, ffmpeg, run, start, start_unread

NAMES = {".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "mkv", ".ts": "ts", ".flv": "flv"}


def pictures(path, *options, source=None):
    """Returns the checksums of the decoded frames."""
    text = ffmpeg(*options, "-i", path, "-map", "0:v", "-f", "framemd5", "-", **({"input": source} if source else {})).decode()
    return [line.split(",")[-1].strip() for line in text.splitlines() if not line.startswith("#")]


def boxes(content):
    """Returns the types of the outermost boxes of an ISO base media file."""
    names, offset = [], 0
    while offset + 8 <= len(content):
        names.append(content[offset + 4:offset + 8].decode())
        offset += int.from_bytes(content[offset:offset + 4], "big")
    assert offset == len(content), "the last box is cut"
    return names


class Containers(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stream = run("encode", CLIP, "-o", "-", "--quiet").stdout
        cls.expected = pictures("-", "-f", "h264", source=cls.stream)

    def test_each_extension_selects_its_container(self):
        for extension, name in NAMES.items():
            with self.subTest(extension=extension):
                path = self.directory / f"clip{extension}"
                result = run("encode", CLIP, "-o", path)
                self.assertSucceeds(result)
                self.assertIn(f"{path}: {FRAMES} frames (1 key frame) of {WIDTH}x{HEIGHT} at 29.97 fps, 4.00 s",
                              result.stderr.decode())
                facts = ffprobe(path, "-show_streams", "-show_format")
                stream = facts["streams"][0]
                self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", WIDTH, HEIGHT))
                self.assertEqual((stream["r_frame_rate"], stream["sample_aspect_ratio"]), ("30000/1001", "128:117"))
                self.assertEqual(pictures(path), self.expected)
                other = self.directory / "other"
                self.assertSucceeds(run("encode", CLIP, "-f", "-o", other, "--container", name))
                self.assertEqual(other.read_bytes() == path.read_bytes(), True, "the extension and --container agree")

    def test_other_extensions_get_annex_b(self):
        for name in ("clip.264", "clip.h264", "clip.avc", "clip.bin", "clip"):
            path = self.directory / name
            self.assertSucceeds(run("encode", CLIP, "-o", path))
            self.assertEqual(path.read_bytes() == self.stream, True, name)
        for name in ("stream.mp4", "stream.AVI"):
            path = self.directory / name
            self.assertSucceeds(run("encode", CLIP, "-o", path, "--container", "h264"))
            self.assertEqual(path.read_bytes() == self.stream, True)

    def test_mp4_and_mov_have_exact_times(self):
        """With reordering: pictures begin at 0, and each one lasts 1001/30000 s."""
        for extension in (".mp4", ".mov"):
            for options in ((), ("--fragmented",), ("--fast-start",)):
                with self.subTest(extension=extension, options=options):
                    path = self.directory / f"clip{extension}"
                    self.assertSucceeds(run("encode", CLIP, "-f", "-o", path, *options))
                    answer = ffprobe(path, "-show_streams", "-show_packets")
                    numerator, denominator = map(int, answer["streams"][0]["time_base"].split("/"))
                    unit = denominator * 1001 // (30000 * numerator)
                    self.assertEqual(denominator * 1001 % 30000, 0)
                    packets = answer["packets"]
                    self.assertEqual(sorted(packet["pts"] for packet in packets), [n * unit for n in range(FRAMES)])
                    self.assertEqual({packet["duration"] for packet in packets}, {unit})
                    self.assertTrue(any(packet["pts"] != packet["dts"] for packet in packets))
                    self.assertEqual(pictures(path), self.expected)

    def test_the_index_is_at_the_end_or_at_the_beginning_with_fast_start(self):
        path = self.directory / "clip.mp4"
        for options, first in (((), ["ftyp", "free", "mdat", "moov"]), (("--fast-start",), ["ftyp", "moov"]),
                               (("--fragmented", "-p", "MaxKeyFrameInterval=30"), ["ftyp", "moov", "moof", "mdat", "moof"])):
            with self.subTest(options=options):
                self.assertSucceeds(run("encode", CLIP, "-f", "-o", path, *options))
                self.assertEqual(boxes(path.read_bytes())[:len(first)], first)

    def test_every_container_can_be_written_to_standard_output(self):
        for name, options in (("mp4", ("--fragmented",)), ("mkv", ()), ("ts", ()), ("flv", ())):
            with self.subTest(container=name):
                result = run("encode", CLIP, "-o", "-", "--container", name, *options)
                self.assertSucceeds(result)
                self.assertEqual(pictures("-", source=result.stdout), self.expected)
        path = self.directory / "redirected.mp4"
        with path.open("wb") as file:
            self.assertSucceeds(run("encode", CLIP, "-o", "-", "--container", "mp4", stdout=file))
        self.assertEqual(pictures(path), self.expected)

    def test_mediainfo_reports_no_error(self):
        for extension in (".mp4", ".mkv", ".ts"):
            path = self.directory / f"clip{extension}"
            self.assertSucceeds(run("encode", CLIP, "-o", path))
            result = subprocess.run(["mediainfo", "--Output=JSON", path], capture_output=True, check=True, timeout=TIME_LIMIT)
            video = next(track for track in json.loads(result.stdout)["media"]["track"] if track["@type"] == "Video")
            self.assertEqual((video["Format"], video["Width"], video["Height"]), ("AVC", str(WIDTH), str(HEIGHT)))
            if extension == ".mp4":
                self.assertAlmostEqual(float(video["FrameRate"]), 29.97, places=2)

    def test_the_summary_has_the_size_of_the_file(self):
        path = self.directory / "clip.mp4"
        text = run("encode", CLIP, "-o", path).stderr.decode()
        self.assertAlmostEqual(float(re.search(r"^([\d.]+) kB,", text, re.M).group(1)), path.stat().st_size / 1000, places=1)

    def test_an_interrupted_run_leaves_a_complete_file(self):
        """The frames read so far become a complete file."""
        path = self.directory / "clip.mp4"
        process = start("encode", "-", "-o", path, "--quiet", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(CLIP.read_bytes()[:2_000_000])
        process.stdin.flush()
        process.terminate()
        self.assertIn(process.wait(), (143, -15))
        process.stdin.close()
        process.stderr.close()
        if path.exists():
            self.assertEqual(boxes(path.read_bytes())[-1], "moov")
            self.assertGreater(len(pictures(path)), 0)


class Refusals(CommandTest):
    def test_options_that_the_container_does_not_have_are_refused(self):
        for output, options, words in (
                ("clip.mkv", ("--fragmented",), ("--fragmented", "matroska")),
                ("clip.264", ("--fast-start",), ("--fast-start", "h264")),
                ("clip.mp4", ("--fragmented", "--fast-start"), ("are both set",)),
                ("-", ("--container", "mp4", "--fast-start"), ("--fast-start", "name")),
                ("clip.webm", (), (".webm", ".mp4, .mov, .mkv, .ts, .flv, .h264, .h265", "--container")),
                ("clip.mp4", ("--container", "avi"), ("avi", "mp4, mov, mkv, ts, flv, h264"))):
            with self.subTest(output=output, options=options):
                self.output = self.directory / output if output != "-" else self.directory / "none"
                result = run("encode", CLIP, "-o", self.output if output != "-" else "-", *options)
                self.assertRefuses(result, 64, *words)

    def test_mp4_needs_a_seekable_output(self):
        self.assertRefuses(run("encode", CLIP, "-o", "-", "--container", "mp4"), 1, "standard output", "--fragmented")
        pipe = self.directory / "pipe.mov"
        os.mkfifo(pipe)
        result = run("encode", CLIP, "-o", pipe)
        self.assertFails(result, 1, pipe, "--fragmented")

    def test_a_full_disk_is_reported(self):
        for name in ("ts", "mkv", "flv"):
            result = run("encode", CLIP, "-o", "/dev/full", "--container", name, "--quiet")
            self.assertRefuses(result, 1, "cannot write to /dev/full", "No space left")

    def test_a_closed_pipe_is_reported(self):
        process = start_unread("encode", CLIP, "-o", "-", "--container", "ts", "--quiet", stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 1, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn("cannot write to standard output: Broken pipe", errors)

    def test_an_existing_file_is_kept_without_force(self):
        path = self.directory / "clip.mp4"
        path.write_bytes(b"precious")
        result = run("encode", CLIP, "-o", path)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"--force", result.stderr)
        self.assertEqual(path.read_bytes(), b"precious")
        self.assertSucceeds(run("encode", CLIP, "-o", path, "--force"))
        self.assertEqual(len(pictures(path)), FRAMES)

    def test_a_failure_keeps_the_existing_file(self):
        """Files with an index at the end are moved to their place when they are complete. A full disk changes
        nothing."""
        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        movie, there = self.directory / "movie.mp4", self.directory / "clip.mp4"
        self.assertSucceeds(run("encode", CLIP, movie, "--frames", "40"))
        there.write_bytes(b"precious")
        for command, source in (("encode", CLIP), ("transcode", movie), ("demux", movie)):
            with self.subTest(command):
                result = run(command, source, there, "--force", "--quiet", preexec_fn=limited)
                self.assertFails(result, 1, f"cannot write to {there}", "File too large", "the existing file is unchanged")
                self.assertEqual(there.read_bytes(), b"precious")
                new = self.directory / "new.mov"
                result = run(command, source, new, "--quiet", preexec_fn=limited)
                self.assertFails(result, 1, f"cannot write to {new}", "no file was written", "--fragmented")
                self.assertNotIn(b"written to", result.stderr)
                self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["clip.mp4", "movie.mp4"])
                # The muxer buffers frames, so nobody knows how many the file has.
                there_in_place = self.directory / "in-place.mkv"
                result = run(command, source, there_in_place, preexec_fn=limited)
                self.assertFails(result, 1, f"cannot write to {there_in_place}", "File too large", "can be played")
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                there_in_place.unlink()
        new = self.directory / "new.mp4"
        result = run("cut", movie, new, "--start", "0", "--quiet", preexec_fn=limited)
        self.assertFails(result, 1, f"cannot cut {movie} to {new}", "File too large")
        page = self.directory / "page.html"
        self.assertFails(run("inspect", movie, "--html", page, preexec_fn=limited), 1, f"cannot write to {page}", "File too large")
        self.assertFalse(new.exists() or page.exists())
        self.assertSucceeds(run("demux", movie, there, "--force"))
        self.assertEqual(len(pictures(there)), 40)

    def test_a_run_without_frames_keeps_the_existing_file(self):
        """The input has audio, and video of which nothing can be decoded. Files that are written in place stay too."""
        data = bytearray(media("audio").read_bytes())
        for packet in ffprobe(media("audio"), "-select_streams", "v", "-show_entries", "packet=pos,size")["packets"]:
            at, size = int(packet["pos"]), int(packet["size"])
            data[at:at + size] = b"\xff" * size
        source = self.directory / "source.mp4"
        source.write_bytes(data)
        for command in ("transcode", "demux"):
            for extension in ("mkv", "ts", "flv"):
                with self.subTest(command=command, extension=extension):
                    old, new = (self.directory / f"{name}.{extension}" for name in ("old", "new"))
                    old.write_bytes(b"precious")
                    self.assertFails(run(command, source, old, "--force"), 1, source)
                    self.assertEqual(old.read_bytes(), b"precious")
                    self.assertFails(run(command, source, new), 1, source)
                    self.assertFalse(new.exists())

    def test_a_killed_run_leaves_no_partial_mp4(self):
        """The run is killed in the middle of a file with an index at the end."""
        there = self.directory / "clip.mp4"
        there.write_bytes(b"precious")
        with start("encode", "-", there, "--force", "--quiet", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdin.write(CLIP.read_bytes()[:500_000])
            process.stdin.flush()
            process.kill()
            process.wait()
        self.assertEqual(there.read_bytes(), b"precious")
        # On file systems without unnamed files, one hidden file remains.
        self.assertLessEqual(len(list(self.directory.iterdir())), 2)
