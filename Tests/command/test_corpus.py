"""scripts/check_corpus: silent if Nalu's results equal FFmpeg's; otherwise a line for each difference."""
import pathlib
import subprocess
import sys
import unittest

from media import leading_pictures, media
from support import COMMAND, CommandTest, ffmpeg

ROOT = pathlib.Path(__file__).absolute().parent.parent.parent
SCRIPT = ROOT / "scripts" / "check_corpus"
LIBRARIES = ROOT / "build" / "release"
RUN_LIMIT = 900


def check(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=RUN_LIMIT)


class Corpus(CommandTest):
    def fill(self, *kinds):
        place = self.directory / "corpus"
        place.mkdir()
        for kind in kinds:
            source = media(kind)
            (place / source.name).write_bytes(source.read_bytes())
        return place

    def program(self, *lines):
        """Writes a program that replaces nalu, which it may call as "$nalu"."""
        path = self.directory / "nalu"
        path.write_text("\n".join(("#!/bin/bash", f"nalu='{COMMAND}'", *lines, "")))
        path.chmod(0o755)
        return path

    def test_intact_files_have_no_difference(self):
        place = self.fill("mp4", "ts", "h264", "fragmented", "audio")
        ffmpeg("-i", media("mp4"), "-frames:v", "20", "-c:v", "libx265", "-x265-params", "log-level=none", place / "video.mkv")
        (place / "notes.md").write_text("This is no video.")
        (place / "noise.bin").write_bytes(bytes(range(256)) * 20)
        result = check(place, "--nalu", COMMAND)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("DIFFERS", result.stdout)
        self.assertIn("7 files, 6 with H.264 or H.265 that FFmpeg decodes; 0 differ", result.stdout)

    @unittest.skipUnless((LIBRARIES / "libnalu.so.0").exists(), "the library is not built")
    def test_the_reader_and_the_parser_of_the_library_are_compared(self):
        result = check(self.fill("mp4", "h264"), "--nalu", COMMAND, "--libraries", LIBRARIES, "--steps", "reader,parser")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"reader +2 +2 +0 +0\nparser +2 +2 +0 +0\n")

    def test_field_order_and_changes_of_size_are_compared(self):
        """The field order is compared, and a change of size ends the output."""
        place = self.directory / "corpus"
        place.mkdir()
        ffmpeg("-i", media("mp4"), "-frames:v", "8", "-vf", "tinterlace=interleave_top", "-flags", "+ildct", "-c:v", "libx264",
               "-x264opts", "tff=1", place / "fields.mp4")
        parts = [self.directory / "one.h264", self.directory / "two.h264"]
        for part, size in zip(parts, ("176:144", "96:80")):
            ffmpeg("-i", media("mp4"), "-frames:v", "4", "-vf", f"scale={size}", "-c:v", "libx264", part)
        (place / "sizes.h264").write_bytes(b"".join(part.read_bytes() for part in parts))
        result = check(place, "--nalu", COMMAND, "--steps", "decode,transcode")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for step, line, words in (
            ("decode", '"$nalu" "$@" | sed "1s/ It / Ip /"', "the header of Y4M says Ip, FFmpeg It"),
            ("transcode", '"$nalu" "$@" -p FieldCount=1', "transcode: fields are {'p'}, FFmpeg's of the source {'t'}"),
        ):
            with self.subTest(step=step):
                result = check(place, "--nalu", self.program(line), "--steps", step, "--only", "fields")
                self.assertEqual(result.returncode, 1)
                self.assertIn(words, result.stdout)

    def test_each_kind_of_difference_is_reported(self):
        """Missing frames, frames different from FFmpeg's, a failure without a reason, and wrong facts."""
        place = self.fill("mp4")
        for step, lines, words in (
            ("decode", ['"$nalu" "$@" --frames 100'], "decode: 100 frames, FFmpeg 120: frames are missing"),
            ("decode", ['"$nalu" "$@" | sed "s/x264/X264/; s/[\\x10]/\\x11/g"'], "are none of FFmpeg's"),
            ("decode", ['"$nalu" "$@"', "echo nalu: it is damaged >&2", "exit 1"],
             "all 120 frames are right, and yet (exit 1: nalu: it is damaged)"),
            ("decode", ["kill -SEGV $$"], "decode crashes with -11"),
            ("decode", ["sleep 3000"], "decode has not ended after 8 s"),
            ("inspect", ['"$nalu" "$@" | sed s/\'"frames": 120\'/\'"frames": 119\'/'], "119 frames, FFmpeg 120"),
            ("remux", ['"$nalu" "$@" && if [[ $3 == *.mkv ]]; then head -c 20000 "$3" >"$3.cut" && mv "$3.cut" "$3"; fi'],
             "remux: Matroska: "),
        ):
            with self.subTest(step=step, words=words):
                # The limit applies to FFmpeg too.
                limit = ("--limit", 8) if "after 8 s" in words else ()
                result = check(place, "--nalu", self.program(*lines), "--steps", step, *limit)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertRegex(result.stdout, r"(?m)^DIFFERS  mp4.mp4  ")
                self.assertIn(words, result.stdout)
                self.assertIn("; 1 differ\n", result.stdout)

    def test_copies_are_judged_by_the_source(self):
        """The copies are compared with the source, because FFmpeg's own MP4 hides the leading pictures of its first key
        frame."""
        place = self.directory / "corpus"
        place.mkdir()
        leading_pictures(place / "leading.ts", self.directory)
        result = check(place, "--nalu", COMMAND, "--steps", "remux")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        copy = self.program('if [[ $3 == *0.mp4 ]]; then ffmpeg -v error -y -i "$2" -c copy "$3"; else "$nalu" "$@"; fi')
        result = check(place, "--nalu", copy, "--steps", "remux")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("remux: MP4: ", result.stdout)

    def test_missing_frames_of_a_corrupt_file_are_no_difference(self):
        """Missing frames of a damaged file are reported, and are no difference."""
        place = self.fill("h264")
        path = place / "h264.h264"
        data = bytearray(path.read_bytes())
        for offset in range(len(data) // 2, len(data) // 2 + 600, 7):
            data[offset] ^= 0x55
        path.write_bytes(data)
        result = check(place, "--nalu", self.program('"$nalu" "$@" --frames 50'), "--steps", "decode")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"(?m)^damaged  h264.h264  decode: decode: 50 frames, FFmpeg \d+ with complaints")

    def test_wrong_arguments_are_refused(self):
        for arguments, word in (((self.directory / "none",), "there is no"), ((self.directory, "--steps", "dance"), "dance"),
                                ((self.directory, "--jobs", 0), "positive"), ((self.directory, "--nalu", "/dev/null"), "nalu")):
            result = check(*arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn(word, result.stderr)
