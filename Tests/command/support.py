"""Runs the command, makes its inputs and checks its outputs."""
import atexit
import fcntl
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

COMMAND = os.environ.get("NALU_COMMAND", "nalu")
CLIP = pathlib.Path(os.environ.get("NALU_CLIP", "carphone_pristine.y4m"))
"""The clip: 176x144, 120 frames of 30000/1001 Hz."""
WIDTH, HEIGHT, FRAMES = 176, 144, 120
TIME_LIMIT = 240
"""The time limit of one program in seconds: far more than any program needs on a busy machine."""


def run(*arguments, **options):
    """Runs the command with these arguments. Captures output and errors as bytes."""
    options.setdefault("stdin", subprocess.DEVNULL if "input" not in options else None)
    if options["stdin"] is None:
        del options["stdin"]
    return subprocess.run([COMMAND, *map(str, arguments)], stdout=options.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, timeout=TIME_LIMIT, **options)


def default_signals():
    """Resets signals in a new process, because the command keeps signals ignored that are ignored at its start. A shell
    makes background jobs ignore Ctrl-C, nohup makes them ignore SIGHUP, and the parent of the tests may have blocked
    signals."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


class Started(subprocess.Popen):
    """A program that runs beside the test, with default signals, in its own session, so that only the test sends it
    signals. It is killed after TIME_LIMIT, which ends every wait for it or for its pipes."""

    def __init__(self, arguments, prepare=None, **options):
        def prepare_all():
            default_signals()
            if prepare:
                prepare()

        super().__init__(list(map(str, arguments)), start_new_session=True, preexec_fn=prepare_all, **options)
        self.limit = threading.Timer(TIME_LIMIT, self.kill)
        self.limit.daemon = True
        self.limit.start()

    def wait(self, timeout=TIME_LIMIT):
        code = super().wait(timeout)
        self.limit.cancel()
        return code


def start(*arguments, **options):
    return Started([COMMAND, *arguments], **options)


def start_unread(*arguments, **options):
    """Starts the command with a standard output whose reader is closed already."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return start(*arguments, stdout=writer, **options)
    finally:
        os.close(writer)


def wait_until(condition, what):
    end = time.monotonic() + TIME_LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} never happens")
        time.sleep(0.01)


def ffmpeg(*arguments, **options):
    return subprocess.run(["ffmpeg", "-nostdin", "-hide_banner", "-v", "error", "-y", *map(str, arguments)], check=True,
                          stdout=subprocess.PIPE, timeout=TIME_LIMIT, **options).stdout


def probe(stream):
    """Returns ffprobe's facts about a file or bytes: the fields of the stream, and the number of decoded frames."""
    source = {"input": stream} if isinstance(stream, bytes) else {}
    name = "-" if source else str(stream)
    result = subprocess.run(["ffprobe", "-v", "warning", "-f", "h264", "-count_frames", "-show_streams", "-of", "json", name],
                            capture_output=True, check=True, timeout=TIME_LIMIT, **source)
    if result.stderr:
        raise AssertionError(f"ffprobe says: {result.stderr.decode()}")
    facts = json.loads(result.stdout)["streams"][0]
    facts["frames"] = int(facts["nb_read_frames"])
    return facts


def psnr(stream, reference, *options):
    """Returns the PSNR of the decoded luma over all frames in dB, against a file that FFmpeg reads with `options`."""
    result = subprocess.run(
        ["ffmpeg", "-nostdin", "-hide_banner", "-v", "info", "-i", str(stream), *options, "-i", str(reference),
         "-filter_complex", "[0:v]settb=1/25,setpts=N,format=yuv420p[a];[1:v]settb=1/25,setpts=N,scale=flags=bicubic,format=yuv420p[b];[a][b]psnr",
         "-f", "null", "-"], capture_output=True, check=True, text=True, timeout=TIME_LIMIT)
    return float(re.search(r"PSNR y:([0-9.]+|inf)", result.stderr).group(1))


@functools.cache
def directory_of_files(name):
    """Returns a directory for files that tests share. Tests under unittest_in_parallel.py share it with other
    processes."""
    if all_directories := os.environ.get("NALU_TEST_FILES"):
        path = pathlib.Path(all_directories) / name
        path.mkdir(exist_ok=True)
        return path
    path = pathlib.Path(tempfile.mkdtemp(prefix=f"nalu-{name}-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def made_once(path, make):
    """Returns the path of a file that `make` creates once for all processes. Its argument is the path to write to."""
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_name(f"part-{path.name}")
            make(part)
            part.rename(path)
    return path


class CommandTest(unittest.TestCase):
    """A test with its own directory."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="nalu-command-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.output = self.directory / "out.bin"

    def assertSucceeds(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def assertFails(self, result, code, *words):
        """Checks the exit code, the last line on standard error and the words in it, and that no empty output file is
        left."""
        text = result.stderr.decode()
        self.assertEqual(result.returncode, code, text)
        line = text.splitlines()[-1] if text else ""
        self.assertTrue(line.startswith("nalu: "), text)
        for word in words:
            self.assertIn(str(word), line)
        self.assertFalse(self.output.exists() and self.output.stat().st_size == 0, "an empty output is left")

    def assertRefuses(self, result, code, *words):
        """Checks the same, and that this line is the only output, and that no output file exists."""
        self.assertFails(result, code, *words)
        self.assertEqual(len(result.stderr.decode().splitlines()), 1, result.stderr.decode())
        self.assertEqual(result.stdout or b"", b"")
        self.assertFalse(self.output.exists(), "an output is left")
