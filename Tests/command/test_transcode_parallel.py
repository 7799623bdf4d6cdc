"""nalu transcode in chunks: the arguments of the Python package, and the errors of the command itself."""
import json
import os
import sys

from media import media
from support import CommandTest, run

#: Replaces Python and writes its arguments to a file. The first two words are -c and a program, the third the option.
STUB = f"""#!{sys.executable}
import json, sys
json.dump(sys.argv[3:], open(sys.argv[0] + ".json", "w"))
sys.exit(7)
"""


class TranscodeInChunks(CommandTest):
    def asked(self, *arguments, code=7):
        """The words that nalu.parallel gets."""
        stub = self.folder / "python"
        stub.write_text(STUB)
        stub.chmod(0o755)
        result = run("transcode", *arguments, env={**os.environ, "NALU_PYTHON": str(stub)})
        self.assertEqual(result.returncode, code, result.stderr)
        return json.loads((self.folder / "python.json").read_text())

    def test_processes(self):
        words = self.asked(media("mp4"), self.folder / "out.mp4", "--workers", "3", "--bit-rate", "800k")
        self.assertEqual(words, ["--workers", "--bit-rate", "800000", "--workers", "3", "--", str(media("mp4")), str(self.folder / "out.mp4")])

    def test_force(self):
        existing = self.folder / "existing.mp4"
        existing.write_bytes(b"mine")
        words = self.asked(media("mp4"), existing, "--workers", "3", "--bit-rate", "800k", "--force")
        self.assertIn("--force", words)
        self.assertEqual(existing.read_bytes(), b"mine")

    def test_every_option(self):
        words = self.asked("s3://films/a film.mp4", "-o", "out.bin", "--container", "mkv", "--dask", "tcp://10.0.0.1:8786", "--resume",
                           "--tune", "film", "-p", "AverageBitRate=2M", "-p", "MaxKeyFrameInterval=50", "-p", "x264.params=ref=2",
                           "-p", "CleanAperture=10,10,0,0", "-p", "AllowOpenGOP=yes", "--ignore-edit-list", "--format", "mp4", "-q")
        self.assertEqual(words[0], "--dask")
        self.assertEqual(words[-3:], ["--", "s3://films/a film.mp4", "out.bin"])
        for word in ("--dask=tcp://10.0.0.1:8786", "--resume", '--property=x264.tune="film"', "--property=MaxKeyFrameInterval=50",
                     '--property=x264.params="ref=2"', "--property=CleanAperture=[10.0, 10.0, 0.0, 0.0]", "--property=AllowOpenGOP=true",
                     "--ignore-edit-list", "--input-format=mp4", "--container=mkv", "--quiet"):
            self.assertIn(word, words)
        self.assertEqual(words[1:3], ["--bit-rate", "2000000"])

    def test_what_is_refused(self):
        existing = self.folder / "existing.mp4"
        existing.write_bytes(b"mine")
        out = self.folder / "out.mp4"
        for arguments, sentence in (
            ((media("mp4"), out, "--workers", "0", "--bit-rate", "1M"), "--workers is 0; it must be at least 1"),
            ((media("mp4"), out, "--workers", "2", "--dask", "tcp://a:1", "--bit-rate", "1M"), "--workers and --dask exclude each other"),
            ((media("mp4"), out, "--resume"), "--resume is for --workers and --dask"),
            ((media("mp4"), out, "--workers", "2"), "add --bit-rate"),
            (("-", out, "--workers", "2", "--bit-rate", "1M"), "needs an input file with a name"),
            ((media("mp4"), "-", "--workers", "2", "--bit-rate", "1M"), "needs an output file with a name"),
            ((media("mp4"), out, "--workers", "2", "--bit-rate", "1M", "--frames", "3"), "--workers excludes --frames"),
            ((media("mp4"), out, "--dask", "tcp://a:1", "--bit-rate", "1M", "--track", "0"), "--dask excludes --track"),
            ((media("mp4"), existing, "--workers", "2", "--bit-rate", "1M"), "exists already; --force replaces it"),
            ((self.folder / "nowhere.mp4", out, "--workers", "2", "--bit-rate", "1M"), "No such file"),
        ):
            with self.subTest(arguments=arguments):
                result = run("transcode", *arguments)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(sentence, result.stderr.decode())
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
        self.assertEqual(existing.read_bytes(), b"mine")

    def test_a_package_and_an_interpreter_that_are_missing(self):
        arguments = ("transcode", media("mp4"), self.folder / "out.mp4", "--workers", "2", "--bit-rate", "1M")
        # The interpreter is isolated from installed packages and has none of its own.
        stub = self.folder / "python"
        stub.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
        stub.chmod(0o755)
        result = run(*arguments, env={**os.environ, "NALU_PYTHON": str(stub)})
        self.assertEqual(result.stderr.decode(), f"nalu: --workers needs the Python package nalu-video, which {sys.executable} does not have; "
                         "NALU_PYTHON names another Python, and scripts/build_wheel of the sources makes the wheel\n")
        self.assertEqual(result.returncode, 1)
        result = run(*arguments, env={**os.environ, "NALU_PYTHON": "/nowhere/python3"})
        self.assertEqual(result.stderr.decode(), "nalu: --workers needs Python, and /nowhere/python3 cannot be run: No such file or directory\n")
        self.assertEqual(result.returncode, 1)
