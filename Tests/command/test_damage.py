"""Streams that are damaged, empty, huge or no streams at all: an error message or a list of problems, never a crash."""
import json
import random

from streams import DamageTest, inspected, stream
from support import CLIP, CommandTest, ffmpeg, run


class NoStream(CommandTest):
    def check(self, data, *words, name="input"):
        path = self.directory / name
        path.write_bytes(data)
        self.assertRefuses(run("inspect", path), 1, path, *words)
        self.assertRefuses(run("convert", path, "-o", self.output), 1, path, *words)

    def test_an_empty_input_is_refused(self):
        self.check(b"", "empty")
        self.assertRefuses(run("inspect", "-", input=b""), 1, "standard input is empty")

    def test_text_and_zeros_are_not_accepted_as_a_stream(self):
        self.check(b"This is a text, and no stream at all.\n" * 99, "is not a stream of H.264 or H.265")
        self.check(bytes(100_000), "is not a stream of H.264 or H.265")
        self.check(b"\0", "is not a stream of H.264 or H.265")

    def test_convert_refuses_containers_and_names_the_command(self):
        """nalu inspect accepts containers; nalu convert does not."""
        for extension, name in ((".mp4", "MP4"), (".mkv", "Matroska"), (".ts", "MPEG-TS"), (".flv", "FLV"), (".avi", "AVI")):
            path = self.directory / f"clip{extension}"
            ffmpeg("-i", CLIP, "-frames:v", 3, "-c:v", "libx264", path)
            self.assertRefuses(run("convert", path, "-o", self.output), 1, path, name, "nalu demux FILE out.h264")
            self.assertRefuses(run("convert", "-", "-", input=path.read_bytes()), 1, name, "nalu demux FILE out.h264")

    def test_y4m_is_named_in_the_error_message(self):
        self.check(CLIP.read_bytes()[:100_000], "Y4M")

    def test_missing_files_and_directories_are_reported(self):
        self.assertRefuses(run("inspect", self.directory / "none"), 1, "none", "No such file")
        self.assertRefuses(run("inspect", self.directory), 1, "is a directory")
        self.assertRefuses(run("inspect"), 64, "<file>")


class Tables(CommandTest):
    """Corrupt tables of an MP4: the reader meets them while it explores the first samples."""

    def test_a_corrupt_file_is_reported_by_every_command(self):
        path = self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-frames:v", 30, "-c:v", "libx264", path)
        whole = path.read_bytes()
        for box, field, value in ((b"stco", 12, 0x7fffffff), (b"stsz", 16, 0x20000000), (b"stsz", 16 + 4 * 20, 0x20000000)):
            with self.subTest(box=box, field=field):
                data = bytearray(whole)
                at = data.index(box) + field
                data[at:at + 4] = value.to_bytes(4, "big")
                path.write_bytes(data)
                self.assertFails(run("decode", path, self.output.with_suffix(".y4m"), "--force"), 1, path, "is corrupt")
                self.assertEqual(len(json.loads(run("inspect", "--json", path).stdout)["problems"]), 1)


class Damage(DamageTest):
    def test_a_truncated_annex_b_stream_is_reported_as_far_as_it_is_readable(self):
        data = stream("slices").read_bytes()
        for length in (5, 10, 30, 50, 700, len(data) // 2, len(data) - 1):
            with self.subTest(length=length):
                facts, _ = self.facts(data[:length])
                self.assertEqual(facts["size"], length)

    def test_a_truncated_length_prefixed_stream_has_a_problem_at_its_end(self):
        path = self.directory / "whole.avc"
        self.assertSucceeds(run("convert", stream("slices"), "-o", path))
        data = path.read_bytes()
        last = inspected(path)["units"][-1]
        facts, table = self.facts(data[:-1])
        self.assertEqual(facts["problems"], [{
            "offset": last["offset"],
            "message": f"the stream ends inside a NAL unit: {last['size'] - 1} of {last['size']} bytes are there"}])
        self.assertIn(f"byte {last['offset']}: the stream ends inside a NAL unit", table)
        facts, _ = self.facts(data + b"\0\0")
        self.assertEqual(facts["problems"], [{"offset": len(data), "message": "the stream ends inside a length"}])

    def test_slices_without_parameter_sets_are_problems(self):
        source = inspected(stream("CAVLC"))
        first = next(unit for unit in source["units"] if unit["type"] == 5)
        facts, table = self.facts(stream("CAVLC").read_bytes()[first["offset"]:first["offset"] + 2000])
        self.assertEqual(facts["problems"][0], {
            "offset": 0, "message": "a slice with picture parameter set 0, which is missing"})
        self.assertIn("byte 0: a slice with picture parameter set 0", table)

    def test_a_corrupt_parameter_set_is_a_problem(self):
        data = bytearray(stream("CAVLC").read_bytes())
        unit = inspected(stream("CAVLC"))["units"][0]
        self.assertEqual(unit["type"], 7)
        del data[unit["prefix"] + 6:unit["prefix"] + unit["size"]]
        facts, table = self.facts(bytes(data))
        self.assertEqual(facts["problems"][0]["offset"], 0)
        self.assertIn("the SPS ends at bit", facts["problems"][0]["message"])
        record = facts["parameterSets"][0]
        self.assertIn("the SPS ends at bit", record["error"])
        self.assertEqual(record["elements"][0], {"name": "profile_idc", "value": 66})
        self.assertIn("the SPS ends at bit", table)

    def test_bytes_before_the_first_start_code_are_a_problem(self):
        data = b"stray" + stream("CAVLC").read_bytes()
        facts, _ = self.facts(data)
        self.assertEqual(facts["problems"], [{"offset": 0, "message": "5 bytes before the first start code"}])

    def test_flipped_bits_and_random_bytes_never_crash_inspect(self):
        """Bits are flipped all over the stream, and random bytes follow start codes."""
        random.seed(7)
        data = stream("Blu-ray").read_bytes()
        for density in (2000, 200, 20):
            damaged = bytearray(data)
            for _ in range(len(data) // density):
                damaged[random.randrange(len(data))] ^= 1 << random.randrange(8)
            facts, _ = self.facts(bytes(damaged), "--annexb")
            self.assertTrue(all(0 <= problem["offset"] < len(data) for problem in facts["problems"]))
        self.assertGreater(facts["problemCount"], 0)
        for size in (1, 2, 4):
            self.facts(random.randbytes(50_000), "--length-size", str(size))
        headers = bytes([0x67, 0x68, 0x06, 0x41, 0x65, 0x01, 0x27, 0x88, 0x1f])
        units = b"".join(b"\0\0\1" + random.choice(headers).to_bytes(1, "big") + random.randbytes(random.randrange(90))
                         for _ in range(3000))
        self.facts(units)

    def test_twenty_thousand_small_nal_units_are_listed(self):
        facts, table = self.facts(b"\0\0\1\x41" * 20_000)
        self.assertEqual(len(facts["units"]), 20_000)
        self.assertEqual(facts["problemCount"], 20_000)
        self.assertLess(len(facts["problems"]), 1000)
        self.assertIn("20000 problems", table)
        facts, _ = self.facts(b"\0\0\1" * 20_000 + b"\x09\x10")
        self.assertIn("start codes with nothing after", facts["problems"][0]["message"])

    def test_a_huge_nal_unit_needs_little_memory(self):
        """Memory use stays far below the size of the NAL unit."""
        import resource
        path = self.directory / "huge.avc"
        size = 300 << 20
        with path.open("wb") as file:
            file.write(run("convert", stream("CAVLC"), "-o", "-").stdout + size.to_bytes(4, "big") + b"\x0c")
            file.truncate(file.tell() + size - 1)
        result = run("inspect", path, "--length-size", 4, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28)))
        self.assertSucceeds(result)
        self.assertIn("filler", result.stdout.decode())
        self.assertRefuses(run("convert", path, "-o", self.output, "--length-size", 4), 1, "--length-size")
