"""Every command accepts - for standard input, as a pipe and as a file, and for standard output."""
import json
import os
import resource
import signal
import subprocess

from media import media, pictures
from streams import stream
from support import CLIP, FRAMES, CommandTest, ffmpeg, run, start

ENCODER = ("--frames", "5", "-p", "x264.params=threads=1")


class StreamTest(CommandTest):
    def succeeded(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertSucceeds(result)
        return result.stdout

    def same(self, source, extension, *command):
        """Checks that a file and standard input give the same bytes, in a file and on standard output."""
        name, *options = command
        path = self.directory / f"{name}{extension}"
        self.assertSucceeds(run(name, source, path, *options))
        expected = path.read_bytes()
        path.unlink()
        self.assertGreater(len(expected), 100)
        self.assertEqual(self.succeeded(name, "-", "-", *options, input=source.read_bytes()) == expected, True)
        with open(source, "rb") as file:
            self.assertEqual(self.succeeded(name, "-", "-", *options, stdin=file) == expected, True)


class StandardStreams(StreamTest):
    def test_standard_streams_give_the_same_bytes_as_files(self):
        self.same(media("ts"), ".h264", "encode", *ENCODER, "--container", "h264")
        self.same(media("ts"), ".h264", "transcode", *ENCODER, "--container", "h264")
        self.same(media("ts"), ".h264", "demux", "--container", "h264")
        self.same(media("fragmented"), ".y4m", "decode", "--format", "y4m")
        self.same(CLIP, ".h264", "encode", *ENCODER, "--container", "h264")
        self.same(stream("CAVLC"), ".avc", "convert")

    def test_a_contact_sheet_of_standard_input_is_the_same(self):
        """The inputs include one without a number of frames, and one with an index at the end."""
        for kind in ("ts", "mp4"):
            with self.subTest(kind):
                self.same(media(kind), ".png", "decode", "--format", "png", "--sheet", "2x1")

    def test_inspect_reads_and_writes_standard_streams(self):
        """The input can be a container in a pipe, and the page can go to standard output."""
        for source in (media("mp4"), media("mkv"), media("ts"), stream("CAVLC")):
            with self.subTest(source.name):
                expected = json.loads(self.succeeded("inspect", source, "--json"))
                for options in ({"input": source.read_bytes()}, {"stdin": open(source, "rb")}):
                    facts = json.loads(self.succeeded("inspect", "-", "--json", **options))
                    self.assertEqual(facts.pop("file"), "standard input")
                    self.assertEqual(facts, {key: value for key, value in expected.items() if key != "file"})
                    if "stdin" in options:
                        options["stdin"].close()
                self.assertIn(b"standard input", self.succeeded("inspect", "-", "--html", "-", input=source.read_bytes()))
        whole = self.succeeded("inspect", "-", "--format", "mp4", input=media("mp4").read_bytes())
        self.assertEqual(whole, self.succeeded("inspect", "-", input=media("mp4").read_bytes()))
        for bad in (b"", b"no stream at all, of any kind " * 10):
            self.assertFails(run("inspect", "-", input=bad), 1, "standard input")

    def test_temporary_copies_are_removed(self):
        """The temporary copy of a pipe is removed with the command. Its directory is TMPDIR."""
        environment = {**os.environ, "TMPDIR": str(self.directory)}
        data = media("ts").read_bytes()
        self.assertSucceeds(run("decode", "-", self.directory / "sheet.png", input=data, env=environment))
        self.assertSucceeds(run("inspect", "-", input=data, env=environment))
        self.assertEqual([path.name for path in self.directory.iterdir()], ["sheet.png"])
        environment["TMPDIR"] = str(self.directory / "none")
        self.assertFails(run("inspect", "-", input=data, env=environment), 1, "temporary", "none")


class IndexAtTheEnd(StreamTest):
    """An MP4 or MOV with an index after the media data, through a pipe; and other containers, of which no copy is
    kept."""

    def test_piped_files_with_the_index_at_the_end_give_the_same_bytes(self):
        self.same(media("mp4"), ".h264", "encode", *ENCODER, "--container", "h264")
        self.same(media("mp4"), ".h264", "transcode", *ENCODER, "--container", "h264")
        self.same(media("mov"), ".h264", "demux", "--container", "h264")
        self.same(media("mp4"), ".nv12", "decode", "--format", "nv12", "--frames", "5")

    def test_named_pipes_are_read(self):
        """The argument that a shell makes of <(cat FILE)."""
        for kind in ("mp4", "ts"):
            for command in (("decode", self.directory / f"{kind}.png"), ("demux", self.directory / f"{kind}.h264"), ("inspect",)):
                with self.subTest(kind, command=command[0]), open(media(kind), "rb") as file:
                    with subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
                        name = f"/proc/self/fd/{cat.stdout.fileno()}"
                        self.succeeded(command[0], name, *command[1:], pass_fds=[cat.stdout.fileno()])

    def test_audio_of_standard_input_is_copied(self):
        path = self.directory / "clip.mp4"
        self.succeeded("transcode", "-", path, *ENCODER[2:], input=media("audio").read_bytes())
        self.assertEqual(len(pictures(path)), FRAMES)
        self.assertIn(b"Audio: aac", ffmpeg("-v", "info", "-i", path, "-f", "null", "-", stderr=subprocess.STDOUT))

    def test_inputs_that_need_no_copy_are_read_without_a_temporary_directory(self):
        """If no temporary file can be created, inputs that need none are still read. Their first frames are output
        while the input is open."""
        environment = {**os.environ, "TMPDIR": str(self.directory / "none")}
        for kind in ("ts", "mkv", "flv", "h264", "fragmented", "index first"):
            with self.subTest(kind):
                process = start("decode", "-", "-", "--quiet", env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                with process, process.stdin, process.stdout:
                    process.stdin.write(media(kind).read_bytes())
                    process.stdin.flush()
                    self.assertEqual(process.stdout.read(10), b"YUV4MPEG2 ")
                    process.stdin.close()
                    self.assertGreater(len(process.stdout.read()), 100_000)
                    self.assertEqual(process.wait(), 0)
        self.assertRefuses(run("decode", "-", self.output, input=media("mp4").read_bytes(), env=environment), 1,
                           "standard input", "temporary file", self.directory / "none", "TMPDIR")

    def test_a_full_temporary_directory_is_reported(self):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        environment = {**os.environ, "TMPDIR": str(self.directory)}
        for command in ("encode", "transcode", "demux", "decode"):
            with self.subTest(command):
                result = run(command, "-", self.output, input=media("mp4").read_bytes(), env=environment, preexec_fn=prepare)
                self.assertRefuses(result, 1, "cannot read standard input: ", "temporary file", f'"{self.directory}"', "TMPDIR")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_truncated_standard_input_is_reported(self):
        data = media("mp4").read_bytes()
        self.assertRefuses(run("decode", "-", self.output, input=data[:-1000]), 1, "standard input", "moov")


class DecoderProperties(CommandTest):
    def test_decoder_properties_take_effect(self):
        """A decoder with a lower pixel limit returns no pictures. With another number of threads the pictures are the
        same."""
        expected = run("decode", media("mp4"), "-", "--quiet").stdout
        for options in (("-p", "ThreadCount=1"), ("--property", "threadcount=2,LowDelay=true"),
                        ("--decoder-property", "MaximumPixelCount=2M", "-p", "DropUntilKeyFrame=yes")):
            result = run("decode", media("mp4"), "-", "--quiet", *options)
            self.assertSucceeds(result)
            self.assertEqual(result.stdout == expected, True)
        small = ("--decoder-property", "MaximumPixelCount=1k")
        for command in ("decode", "transcode", "encode"):
            with self.subTest(command):
                result = run(command, media("mp4"), self.output, *small)
                self.assertFails(result, 1, "pixels")
                self.assertSucceeds(run(command, media("mp4"), self.directory / command, "--frames", "3",
                                        "--decoder-property", "ThreadCount=2"))

    def test_wrong_decoder_properties_are_refused(self):
        for command, option in (("decode", "-p"), ("transcode", "--decoder-property"), ("encode", "--decoder-property")):
            for setting, words in (("Threads=1", ("Threads", "ThreadCount")), ("ThreadCount", ("KEY=VALUE", option)),
                                   ("ThreadCount=65", ("65", "1 to 64")), ("LowDelay=perhaps", ("perhaps", "true or false")),
                                   ("MaximumPixelCount=0", ("MaximumPixelCount is 0", "1 or more")),
                                   ("ThreadCount=1,", ("KEY=VALUE",))):
                with self.subTest(command=command, setting=setting):
                    self.assertRefuses(run(command, media("mp4"), self.output, option, setting), 64, *words)
        self.assertRefuses(run("encode", CLIP, self.output, "--decoder-property", "ThreadCount=1"), 64,
                           "--decoder-property", "contains frames")


class Forms(CommandTest):
    """The container if the output's name does not show it, or contradicts it."""

    def test_extensions_of_the_other_kind_are_refused(self):
        for command, names in (("decode", ("a.mp4", "a.264", "a.ts", "a.webm", "a.jpg")),
                               ("encode", ("a.y4m", "a.yuv", "a.nv12", "a.png")), ("demux", ("a.y4m",))):
            for name in names:
                with self.subTest(command=command, name=name):
                    result = run(command, CLIP if command == "encode" else media("mp4"), self.directory / name)
                    self.assertRefuses(result, 64, "." + name.split(".")[1], "expected .")
                    self.assertEqual(list(self.directory.iterdir()), [])
        self.assertSucceeds(run("decode", media("mp4"), self.directory / "a.mp4", "--format", "nv12", "--frames", "1"))

    def test_a_pipe_accepts_only_fragmented_mp4(self):
        """A pipe accepts only a fragmented MP4, whichever command writes it."""
        for command in ("encode", "transcode", "demux"):
            with self.subTest(command):
                result = run(command, media("mp4"), "-", "--container", "mp4")
                self.assertRefuses(result, 1, "standard output is not seekable", "--fragmented")
                self.assertSucceeds(run(command, media("mp4"), "-", "--container", "mov", "--fragmented"))

    def test_a_missing_output_directory_is_reported(self):
        """A missing directory is reported before the input is read."""
        for command in ("encode", "transcode", "demux", "decode", "convert"):
            with self.subTest(command):
                source = stream("CAVLC") if command == "convert" else media("mp4")
                result = run(command, source, self.directory / "no" / "out.bin")
                self.assertRefuses(result, 1, "No such file", f"create the directory {self.directory / 'no'} first")

    def test_a_stream_without_a_name_has_the_codec_of_the_input(self):
        """Without a name, a stream has the codec of the input."""
        source = stream("H.265")
        result = run("demux", source, "-", "--quiet")
        self.assertSucceeds(result)
        self.assertEqual(pictures("-", "-f", "hevc", source=result.stdout), pictures(source))
        self.assertRefuses(run("demux", source, self.directory / "a.h264"), 1, "H.265", ".h265", "--container h265")
