"""Every command takes - for standard input, as a pipe and as a file, and for standard output."""
import json
import os

from media import media
from streams import stream
from support import CLIP, CommandTest, run

ENCODER = ("--frames", "5", "-p", "x264.params=threads=1")


class StandardStreams(CommandTest):
    def succeeded(self, *arguments, **options):
        result = run(*arguments, **options)
        self.assertSucceeds(result)
        return result.stdout

    def same(self, source, ending, *command):
        """The same bytes from a file and from standard input, to a file and to standard output."""
        name, *options = command
        path = self.folder / f"{name}{ending}"
        self.assertSucceeds(run(name, source, path, *options))
        expected = path.read_bytes()
        path.unlink()
        self.assertGreater(len(expected), 100)
        self.assertEqual(self.succeeded(name, "-", "-", *options, input=source.read_bytes()) == expected, True)
        with open(source, "rb") as file:
            self.assertEqual(self.succeeded(name, "-", "-", *options, stdin=file) == expected, True)

    def test_streams(self):
        self.same(media("ts"), ".h264", "encode", *ENCODER, "--container", "h264")
        self.same(media("ts"), ".h264", "transcode", *ENCODER, "--container", "h264")
        self.same(media("ts"), ".h264", "demux", "--container", "h264")
        self.same(media("fragmented"), ".y4m", "decode", "--format", "y4m")
        self.same(CLIP, ".h264", "encode", *ENCODER, "--container", "h264")
        self.same(stream("CAVLC"), ".avc", "convert")

    def test_contact_sheet(self):
        """Also of an input that does not say how many frames it has, and of one whose index is at the end."""
        for kind in ("ts", "mp4"):
            with self.subTest(kind):
                self.same(media(kind), ".png", "decode", "--format", "png", "--sheet", "2x1")

    def test_inspect(self):
        """A container in a pipe too, and a page to standard output."""
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

    def test_nothing_is_left(self):
        """What is kept of a pipe is gone with the command, and it is kept where TMPDIR says."""
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        data = media("ts").read_bytes()
        self.assertSucceeds(run("decode", "-", self.folder / "sheet.png", input=data, env=environment))
        self.assertSucceeds(run("inspect", "-", input=data, env=environment))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["sheet.png"])
        environment["TMPDIR"] = str(self.folder / "none")
        self.assertFails(run("inspect", "-", input=data, env=environment), 1, "temporary", "none")


class DecoderProperties(CommandTest):
    def test_they_arrive(self):
        """A decoder that may not take pictures of that size gives none; with other threads the pictures are the same."""
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
                self.assertSucceeds(run(command, media("mp4"), self.folder / command, "--frames", "3",
                                        "--decoder-property", "ThreadCount=2"))

    def test_refused(self):
        for command, option in (("decode", "-p"), ("transcode", "--decoder-property"), ("encode", "--decoder-property")):
            for setting, words in (("Threads=1", ("Threads", "ThreadCount")), ("ThreadCount", ("KEY=VALUE", option)),
                                   ("ThreadCount=65", ("65", "1 to 64")), ("LowDelay=perhaps", ("perhaps", "true or false")),
                                   ("MaximumPixelCount=0", ("MaximumPixelCount is 0", "1 or more")),
                                   ("ThreadCount=1,", ("KEY=VALUE",))):
                with self.subTest(command=command, setting=setting):
                    self.assertRefuses(run(command, media("mp4"), self.output, option, setting), 64, *words)
        self.assertRefuses(run("encode", CLIP, self.output, "--decoder-property", "ThreadCount=1"), 64,
                           "--decoder-property", "not decoded")
