"""An impossible request gives one error message and the exit code that the help promises, and leaves no files
behind."""
import contextlib
import os
import signal
import struct
import subprocess

from media import media, succeeded
from support import CLIP, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, ffmpeg, probe, run, start, start_unread

FRAME = WIDTH * HEIGHT * 3 // 2
RAW = ("--format", "i420", "--size", f"{WIDTH}x{HEIGHT}", "--fps", "25")


class Inputs(CommandTest):
    def refused(self, content, *words, code=1):
        """Checks that an input is rejected, as a file and through a pipe."""
        path = self.directory / "input.y4m"
        path.write_bytes(content)
        self.assertRefuses(run("encode", path, "-o", self.output), code, path, *words)
        self.assertRefuses(run("encode", "-", "-o", self.output, input=content), code, "standard input", *words)

    def test_video_of_enhanced_rtmp_is_named(self):
        """FFmpeg before 6.1 takes the type of the packet for the number of a codec."""
        def tag(body):
            return b"\x09" + struct.pack(">I", len(body))[1:] + bytes(7) + body + struct.pack(">I", 11 + len(body))

        path = self.directory / "enhanced.flv"
        for code, name, short in ((b"hvc1", "H.265", b"hevc"), (b"av01", "AV1", b"av1")):
            path.write_bytes(b"FLV\1\1\0\0\0\x09\0\0\0\0" + tag(b"\x94" + code + bytes(9)) + tag(b"\x91" + code + bytes(90)) * 9)
            self.assertRefuses(run("demux", path, self.output), 1, path, f"has {name} video", "enhanced RTMP")
            self.assertIn(b"video " + short, succeeded("inspect", path).stdout)

    def test_a_missing_input_is_reported(self):
        self.assertRefuses(run("encode", self.directory / "nothing.y4m", "-o", self.output), 1, "nothing.y4m",
                           "No such file or directory")

    def test_a_directory_as_input_is_refused(self):
        self.assertRefuses(run("encode", self.directory, "-o", self.output), 1, self.directory, "directory")

    def test_inputs_other_than_y4m_are_refused_with_a_remedy(self):
        self.refused(b"", "empty")
        self.refused(b"RIFF1234AVI LIST" * 100, "not Y4M", "--format", "ffmpeg")
        self.refused(b"YUV4", "not Y4M")
        self.refused(b"YUV4MPEG2 W16" + b" " * 9000, "corrupt")

    def test_still_pictures_and_media_segments_are_not_called_truncated(self):
        """A still picture and a media segment have no index, although nothing is cut off."""
        box = lambda kind, content: struct.pack(">I4s", 8 + len(content), kind) + content
        picture = box(b"ftyp", b"heic\0\0\0\0mif1heic") + box(b"meta", bytes(64)) + box(b"mdat", bytes(500))
        self.refused_by_all(picture, "still picture", "expected a video")
        fragmented = self.directory / "fragmented.mp4"
        ffmpeg("-i", CLIP, "-frames:v", "5", "-c:v", "libx264", "-movflags", "empty_moov+frag_keyframe+default_base_moof", fragmented)
        data = fragmented.read_bytes()
        start = data.index(b"moof") - 4
        self.refused_by_all(data[start:], "media segment", "initialization segment first")
        self.refused_by_all(box(b"styp", b"msdh\0\0\0\0msdhmsix") + data[start:], "media segment")
        self.refused_by_all(data[: data.index(b"moov") - 4] + data[start:start + 300], "media segment")

    def refused_by_all(self, content, *words):
        path = self.directory / "input.mp4"
        path.write_bytes(content)
        for command in ("decode", "demux", "transcode"):
            result = run(command, path, self.output)
            self.assertRefuses(result, 1, path, *words)
            for wrong in ("corrupt", "cut off", "Invalid data"):
                self.assertNotIn(wrong, result.stderr.decode())

    def test_wrong_y4m_headers_are_refused(self):
        self.refused(b"YUV4MPEG2 W176 F25:1\nFRAME\n", "height")
        self.refused(b"YUV4MPEG2 W17x H16 F25:1\nFRAME\n", "W17x")
        self.refused(b"YUV4MPEG2 W176 H144 F0:0\nFRAME\n", "--fps")
        self.refused(b"YUV4MPEG2 W176 H144 F25:1 C444\nFRAME\n", "C444", "yuv420p")
        self.refused(b"YUV4MPEG2 W176 H144 F25:1 Im\nFRAME\n", "interlaced")
        self.refused(b"YUV4MPEG2 W176 H144 F25:1\n", "no frames")

    def test_sizes_out_of_range_are_refused(self):
        for width, height in ((8, 144), (176, 20000)):
            result = run("encode", "-", "-o", self.output, input=b"YUV4MPEG2 W%d H%d F25:1\nFRAME\n" % (width, height))
            self.assertRefuses(result, 1, "16 to 16384")

    def test_a_corrupt_frame_header_ends_the_output(self):
        content = CLIP.read_bytes()
        start_of_frames = content.index(b"\n") + 1
        third = start_of_frames + 2 * (6 + FRAME)
        broken = content[:third] + b"BROKEN" + content[third + 6:]
        for arguments in ((CLIP.name, {}), ("-", {"input": broken})):
            with self.subTest(source=arguments[0]):
                path = self.directory / CLIP.name
                path.write_bytes(broken)
                source = path if arguments[0] != "-" else "-"
                result = run("encode", source, "-f", "-o", self.output, **arguments[1])
                self.assertFails(result, 1, "frame 3", "corrupt", "2 frames written to", self.output)
                self.assertEqual(probe(self.output)["frames"], 2)

    def test_complete_frames_of_a_truncated_input_are_encoded(self):
        """The complete frames are encoded."""
        content = CLIP.read_bytes()
        frames = content.index(b"\n") + 1
        for length in (frames + 2 * (6 + FRAME) + 3, frames + 2 * (6 + FRAME) + 6, frames + 3 * (6 + FRAME) - 1):
            path = self.directory / "cut.y4m"
            path.write_bytes(content[:length])
            for source, options in ((path, {}), ("-", {"input": content[:length]})):
                with self.subTest(length=length, source=source):
                    result = run("encode", source, "-f", "-o", self.output, **options)
                    self.assertFails(result, 1, "ends in the middle of frame 3", "2 frames written to", self.output)
                    self.assertEqual(probe(self.output)["frames"], 2)

    def test_raw_frames_of_another_size_are_refused(self):
        path = self.directory / "clip.i420"
        path.write_bytes(bytes(3 * FRAME + 5))
        self.assertRefuses(run("encode", path, "-o", self.output, *RAW), 1, path, "3 frames", "5 more bytes", "--size",
                           "--frames 3")
        self.assertRefuses(run("encode", path, "-o", self.output, "--format", "bgra", "--size", "1280x720", "--fps", "25"), 1,
                           "0 frames of 1280x720 bgra")
        self.assertEqual(run("encode", path, "-o", self.output, "--frames", 3, *RAW).returncode, 0)
        self.assertEqual(probe(self.output)["frames"], 3)
        result = run("encode", "-", "-f", "-o", self.output, *RAW, input=path.read_bytes())
        self.assertFails(result, 1, "standard input ends in the middle of frame 4", "3 frames written to")

    def test_raw_frames_without_size_or_rate_are_refused(self):
        raw = self.directory / "clip.i420"
        raw.write_bytes(bytes(FRAME))
        self.assertRefuses(run("encode", raw, "-o", self.output, "--format", "i420", "--fps", "25"), 64, "--size")
        self.assertRefuses(run("encode", raw, "-o", self.output, "--format", "i420", "--size", "176x144"), 64, "--fps")
        self.assertRefuses(run("encode", raw, "-o", self.output, "--size", "176x144"), 64, "--format")
        self.assertRefuses(run("encode", raw, "-o", self.output, *RAW, "--format", "i421"), 64, "i421", "nv12, i420")
        self.assertRefuses(run("encode", raw, "-o", self.output, *RAW, "--size", "176"), 64, "--size", "1280x720")
        self.assertRefuses(run("encode", raw, "-o", self.output, *RAW, "--fps", "0"), 64, "--fps", "30000/1001")
        self.assertRefuses(run("encode", CLIP, "-o", self.output, *RAW), 1, "is Y4M", "leave out --format")
        self.assertRefuses(run("encode", raw, "-o", self.output, *RAW, "--format", "bgra", "--range", "full"), 64, "--range")
        self.assertRefuses(run("encode", raw, "-o", self.output, *RAW, "--frames", "0"), 64, "--frames")

    def test_an_input_that_becomes_shorter_is_reported(self):
        """Mapped memory of the file disappears. The process must still end with an error message."""
        path = self.directory / "shrinking.y4m"
        header, frames = CLIP.read_bytes().split(b"\n", 1)
        path.write_bytes(header + b"\n" + frames * 8)
        process = start("encode", path, "-o", "-", "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(1)
        os.truncate(path, 100_000)
        _, errors = process.communicate(timeout=TIME_LIMIT)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn(b"became shorter", errors)


class EveryCommand(CommandTest):
    """All commands print the same error messages."""

    ALL = ("encode", "transcode", "demux", "decode", "convert", "inspect")

    def command(self, command, source, **options):
        return run(command, source, *([self.output] if command != "inspect" else []), **options)

    def test_missing_inputs_are_reported_by_every_command(self):
        for command in self.ALL:
            with self.subTest(command):
                self.assertRefuses(self.command(command, self.directory / "none"), 1, "none", "No such file")
                self.assertRefuses(self.command(command, self.directory), 1, f"{self.directory} is a directory", "name a file")
                self.assertRefuses(self.command(command, ""), 64, "input is empty", "- for standard input")
                self.assertRefuses(self.command(command, "-", input=b""), 1, "input is empty")
                if command != "inspect":
                    self.assertRefuses(run(command, CLIP, ""), 64, "output is empty", "- for standard output")
                    self.assertRefuses(run(command, CLIP, "-o", ""), 64, "output is empty")

    def test_a_closed_output_ends_every_command(self):
        """One line is printed, or none if SIGPIPE ends the command, as it ends other programs that print."""
        clip = media("mp4")
        stream = self.directory / "clip.h264"
        self.assertSucceeds(run("demux", clip, stream))
        for command, *arguments in (("transcode", clip, "-", "--quiet"), ("demux", clip, "-", "--quiet"),
                                    ("demux", clip, "-", "--quiet", "--container", "ts"), ("decode", clip, "-", "--quiet"),
                                    ("convert", stream, "-"), ("inspect", clip, "--json")):
            with self.subTest(command):
                process = start_unread(command, *arguments, stderr=subprocess.PIPE)
                errors = process.stderr.read().decode()
                process.stderr.close()
                code = process.wait()
                self.assertEqual((code, len(errors.splitlines())), (1, 1) if errors else (-signal.SIGPIPE, 0), errors)
                if errors:
                    self.assertIn("cannot write to standard output", errors)


class Outputs(CommandTest):
    def test_outputs_that_cannot_be_written_are_reported(self):
        self.assertRefuses(run("encode", CLIP, "-o", self.directory / "no" / "out.264"), 1, "no/out.264", "No such file")
        self.assertRefuses(run("encode", CLIP, "-o", self.directory), 1, self.directory, "directory")

    def test_a_full_disk_is_reported(self):
        result = run("encode", CLIP, "-o", "/dev/full", "--quiet")
        self.assertRefuses(result, 1, "/dev/full", "disk is full")

    def test_a_closed_pipe_is_reported(self):
        process = start_unread("encode", CLIP, "-o", "-", "--quiet", stderr=subprocess.PIPE)
        errors = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 1, errors)
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertIn("cannot write to standard output: its reader closed the pipe", errors)

    def test_a_closed_pipe_ends_the_run_before_the_next_frame(self):
        """The run ends when the output fails, without waiting for the next frame."""
        process = start_unread("encode", "-", "-o", "-", "--quiet", "--tune", "zerolatency", stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        # The command may end before it has read all of this.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(CLIP.read_bytes()[:20 * FRAME])
            process.stdin.flush()
        self.assertEqual(process.wait(), 1)
        self.assertIn(b"its reader closed the pipe", process.stderr.read())
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stderr.close()


class CommandLines(CommandTest):
    def refused(self, *arguments, words):
        self.assertRefuses(run("encode", CLIP, "-o", self.output, *arguments), 64, *words)

    def test_wrong_properties_are_refused(self):
        for text, words in (
                ("Foo=1", ('"Foo"', "nalu properties")), ("averagebitrat=1", ("did you mean AverageBitRate",)),
                ("AverageBitRate", ("KEY=VALUE",)), ("=1", ("KEY=VALUE",)), ("AverageBitRate=", ("AverageBitRate",)),
                ("AverageBitRate=-5", ("-5", "0 to 2000000000")), ("AverageBitRate=soon", ("AverageBitRate", "soon")),
                ("RealTime=7", ("RealTime",)), ("x264.preset=swift", ("swift", "ultrafast")),
                ("x264.params=foo=1", ("foo",)), ("NaluReorderDepth=1", ("NaluReorderDepth", "read")),
                ("DataRateLimits=1", ("DataRateLimits",)), ("ProfileLevel=H264_Main_9_9", ("H264_Main_9_9",))):
            with self.subTest(text=text):
                self.refused("-p", text, words=words)

    def test_conflicting_settings_are_refused(self):
        self.refused("--bit-rate", "2M", "-p", "x264.params=crf=20", words=("AverageBitRate", "crf", "unset"))

    def test_wrong_options_are_refused(self):
        self.refused("--bit-rate", "fast", words=("--bit-rate", "fast", "800k"))
        self.refused("--bit-rate", "0", words=("--bit-rate",))
        self.refused("--preset", "swift", words=("swift", "ultrafast"))
        self.refused("--tune", "piano", words=("piano", "film"))
        self.refused("--nothing", words=("--nothing", "nalu encode --help"))

    def test_a_path_that_begins_with_a_dash_asks_for_no_help(self):
        self.assertRefuses(run("demux", "-dash.mp4", self.output), 64, '"-dash.mp4"', "./")
        self.assertSucceeds(run("demux", "-fh"))

    def test_missing_arguments_are_refused(self):
        self.assertRefuses(run("encode"), 64, "<input>", "nalu encode --help")
        self.assertRefuses(run("encode", CLIP), 64, "--output", "nalu encode --help")
        self.assertRefuses(run("enc"), 64, '"enc"', "encode, transcode", "nalu --help")
