"""nalu convert in both directions."""
from streams import KINDS, inspected, stream
from support import CLIP, CommandTest, ffmpeg, run


class Convert(CommandTest):
    def test_streams_with_start_codes_of_4_bytes_survive_conversion_there_and_back(self):
        """The bytes are the same if start codes have 4 bytes. FFmpeg writes such streams."""
        first, second, third, fourth = (self.directory / name for name in ("1.264", "2.avc", "3.264", "4.avc"))
        for kind in KINDS:
            with self.subTest(kind=kind):
                ffmpeg("-f", "h264", "-i", stream(kind), "-c", "copy", "-bsf:v", "h264_metadata=aud=insert", "-f", "h264",
                       first)
                self.assertSucceeds(run("convert", first, "-o", second, "--force"))
                self.assertSucceeds(run("convert", second, "-o", third, "--force"))
                if b"\0\0\1" not in first.read_bytes().replace(b"\0\0\0\1", b""):
                    self.assertEqual(third.read_bytes(), first.read_bytes())
                # The opposite direction always restores the bytes, because lengths have one form.
                self.assertSucceeds(run("convert", third, "-o", fourth, "--force"))
                self.assertEqual(fourth.read_bytes(), second.read_bytes())

    def test_nalus_streams_survive_conversion_there_and_back(self):
        """Nalu writes only start codes of 4 bytes."""
        source = self.directory / "clip.264"
        self.assertSucceeds(run("encode", CLIP, "-o", source, "--quiet"))
        for size in (2, 4):
            there = run("convert", source, "-o", "-", "--to-length-size", size)
            self.assertSucceeds(there)
            back = run("convert", "-", "-o", "-", input=there.stdout)
            self.assertEqual(back.stdout, source.read_bytes())

    def test_the_output_has_each_nal_unit_with_its_length(self):
        """The output has each NAL unit with its length, and nothing else."""
        for size in (2, 4):
            with self.subTest(size=size):
                source, facts = stream("slices").read_bytes(), inspected(stream("slices"))
                result = run("convert", stream("slices"), "-o", "-", "--to-length-size", size)
                self.assertSucceeds(result)
                expected = b"".join(
                    unit["size"].to_bytes(size, "big") + source[unit["offset"] + unit["prefix"]:][:unit["size"]]
                    for unit in facts["units"])
                self.assertEqual(result.stdout, expected)
                back = run("convert", "-", "-o", "-", input=expected)
                self.assertSucceeds(back)
                self.assertEqual(back.stdout, b"".join(
                    b"\0\0\0\1" + source[unit["offset"] + unit["prefix"]:][:unit["size"]] for unit in facts["units"]))

    def test_start_codes_of_4_bytes_are_restored(self):
        normal = run("convert", stream("pyramid"), "-o", "-", "--to", "annexb")
        self.assertSucceeds(normal)
        there = run("convert", "-", "-o", "-", input=normal.stdout)
        back = run("convert", "-", "-o", "-", input=there.stdout)
        self.assertEqual(back.stdout, normal.stdout)

    def test_start_codes_and_lengths_can_cross_the_readers_blocks(self):
        """Start codes and lengths cross the borders between the reader's blocks."""
        import random
        random.seed(3)
        units = [b"\x0c" + bytes([255]) * random.randrange(1, 300_000) + b"\x80" for _ in range(40)]
        data = b"".join(b"\0\0\0\1" + unit for unit in units)
        for shift in range(6):
            head = b"\0\0\0\1\x09" + b"\x10" * (1 + shift)
            there = run("convert", "-", "-o", "-", input=head + data)
            self.assertSucceeds(there)
            self.assertEqual(there.stdout, b"".join(
                len(unit).to_bytes(4, "big") + unit for unit in [head[4:], *units]))
            self.assertEqual(run("convert", "-", "-o", "-", input=there.stdout).stdout, head + data)

    def test_sizes_and_options_that_do_not_fit_are_refused(self):
        path = stream("pyramid")
        self.assertRefuses(run("convert", path, "-o", self.output, "--to-length-size", 1), 1, "length prefix of 1",
                           "--to-length-size 4")
        self.assertRefuses(run("convert", path, "-o", self.output, "--to-length-size", 3), 64, "1, 2 or 4")
        self.assertRefuses(run("convert", path, "-o", self.output, "--to", "annexb", "--to-length-size", 4), 64)
        self.assertRefuses(run("convert", path, "-o", self.output, "--to", "mp4"), 64, "mp4")
        self.assertRefuses(run("convert", path), 64, "--output")
        self.assertRefuses(run("convert", path, "-o", self.directory / "no" / "file"), 1, "No such file")
        self.assertRefuses(run("convert", path, "-o", "/dev/full"), 1, "No space left")
        inside = b"\0\0\0\x08\x67\x42\0\0\1\x09\x10\x80"
        self.assertRefuses(run("convert", "-", "-o", self.output, "--length-size", 4, input=inside), 1, "start code")

    def test_existing_files_and_the_input_are_not_overwritten(self):
        path = self.directory / "same.264"
        path.write_bytes(stream("CAVLC").read_bytes())
        self.assertRefuses(run("convert", path, "-o", path, "--force"), 1, "itself")
        self.assertEqual(path.read_bytes(), stream("CAVLC").read_bytes())
        other = self.directory / "other.avc"
        other.write_bytes(b"mine")
        self.assertRefuses(run("convert", path, "-o", other), 1, " exists; ", "--force")
        self.assertEqual(other.read_bytes(), b"mine")
        self.assertSucceeds(run("convert", path, "-o", other, "--force"))

    def test_corrupt_input_is_reported_with_its_offset(self):
        whole = run("convert", stream("CAVLC"), "-o", "-").stdout
        (path := self.directory / "cut.avc").write_bytes(whole[:-1])
        result = run("convert", path, "-o", self.output)
        self.assertFails(result, 1, "corrupt at byte", "ends inside a NAL unit", self.output)
        units = inspected(stream("CAVLC"))["units"]
        self.assertEqual(len(inspected(self.output)["units"]), len(units) - 1)
