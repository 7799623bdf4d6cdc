"""nalu encode: its inputs, its outputs and its messages."""
import hashlib
import re
import subprocess

from support import CLIP, FRAMES, HEIGHT, WIDTH, CommandTest, Started, ffmpeg, probe, psnr, run

SIZE = f"{WIDTH}x{HEIGHT}"
RAW = ("--size", SIZE, "--fps", "30000/1001")


class Formats(CommandTest):
    """Every raw format, checked by the picture: a wrong order of planes or channels costs more than 20 dB."""

    # Nalu's name, FFmpeg's name, and the lowest allowed PSNR. RGB formats lose detail in chroma of half the size.
    FORMATS = (("nv12", "nv12", 38), ("i420", "yuv420p", 38), ("yuv420p", "yuv420p", 38), ("bgra", "bgra", 35),
               ("rgba", "rgba", 35), ("argb", "argb", 35), ("abgr", "abgr", 35), ("rgb24", "rgb24", 35),
               ("bgr24", "bgr24", 35), ("uyvy", "uyvy422", 38), ("yuyv", "yuyv422", 38), ("gray", "gray", 38))

    def test_raw_frames_of_every_format_keep_their_pictures(self):
        for name, theirs, least in self.FORMATS:
            with self.subTest(format=name):
                raw = self.directory / f"clip.{name}"
                ffmpeg("-i", CLIP, "-frames:v", 8, "-pix_fmt", theirs, "-f", "rawvideo", raw)
                self.assertSucceeds(run("encode", raw, "-o", self.output, "-f", "--format", name, *RAW, "-p",
                                        "x264.params=crf=18"))
                facts = probe(self.output)
                self.assertEqual((facts["frames"], facts["width"], facts["height"]), (8, WIDTH, HEIGHT))
                self.assertEqual(facts["r_frame_rate"], "30000/1001")
                self.assertGreater(psnr(self.output, raw, "-f", "rawvideo", "-pix_fmt", theirs, "-s", SIZE, "-r",
                                        "30000/1001"), least)

    def test_p010_frames_are_encoded_with_10_bits(self):
        raw = self.directory / "clip.p010"
        ffmpeg("-i", CLIP, "-frames:v", 4, "-pix_fmt", "p010le", "-f", "rawvideo", raw)
        self.assertSucceeds(run("encode", raw, "-o", self.output, "--format", "p010", *RAW, "-p", "x264.params=crf=18"))
        facts = probe(self.output)
        self.assertEqual((facts["profile"], facts["pix_fmt"], facts["frames"]), ("High 10", "yuv420p10le", 4))
        self.assertGreater(psnr(self.output, CLIP, "-t", "0.133"), 38)

    def test_a_y4m_file_is_encoded_with_its_size_and_rate(self):
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "-p", "x264.params=crf=18"))
        facts = probe(self.output)
        self.assertEqual((facts["frames"], facts["width"], facts["height"]), (FRAMES, WIDTH, HEIGHT))
        self.assertEqual(facts["r_frame_rate"], "30000/1001")
        self.assertEqual(facts["sample_aspect_ratio"], "128:117")
        self.assertGreater(psnr(self.output, CLIP), 38)

    def test_grey_and_10_bit_y4m_are_encoded_in_their_format(self):
        for theirs, profile, decoded in (("gray", "High", "yuvj420p"), ("yuv420p10le", "High 10", "yuv420p10le"),
                                         ("gray10le", "High 10", "yuv420p10le")):
            with self.subTest(format=theirs):
                source = self.directory / f"{theirs}.y4m"
                ffmpeg("-i", CLIP, "-frames:v", 4, "-pix_fmt", theirs, "-strict", "-1", source)
                self.assertSucceeds(run("encode", source, "-f", "-o", self.output, "-p", "x264.params=crf=18"))
                facts = probe(self.output)
                self.assertEqual((facts["profile"], facts["pix_fmt"], facts["frames"]), (profile, decoded, 4))
                self.assertGreater(psnr(self.output, source), 38)

    def test_range_and_chroma_location_come_from_the_header(self):
        header, frames = CLIP.read_bytes().split(b"\n", 1)
        cases = ((b"C420jpeg XCOLORRANGE=FULL", "pc", "center"), (b"C420mpeg2 XCOLORRANGE=LIMITED", "tv", "left"),
                 (b"C420paldv", "tv", "topleft"))
        for tags, colour_range, location in cases:
            with self.subTest(tags=tags):
                words = [word for word in header.split(b" ") if word[:1] not in (b"C", b"X")]
                source = b" ".join([*words, tags]) + b"\n" + frames
                result = run("encode", "-", "-o", "-", "--frames", 2, input=source)
                self.assertSucceeds(result)
                facts = probe(result.stdout)
                self.assertEqual((facts["color_range"], facts["chroma_location"]), (colour_range, location))

    def test_y4m_field_order_goes_into_the_stream(self):
        header, frames = CLIP.read_bytes().split(b"\n", 1)
        for letter, order in ((b"It", "tt"), (b"Ib", "bb")):
            with self.subTest(order=order):
                source = b" ".join(letter if word[:1] == b"I" else word for word in header.split(b" ")) + b"\n" + frames
                result = run("encode", "-", "-o", "-", "--frames", 3, input=source)
                self.assertSucceeds(result)
                self.assertEqual(probe(result.stdout)["field_order"], order)

    def test_frame_headers_with_parameters_are_read(self):
        header, frames = CLIP.read_bytes().split(b"\n", 1)
        size = WIDTH * HEIGHT * 3 // 2
        payloads = [frames[index * (size + 6) + 6:][:size] for index in range(3)]
        source = header + b"\n" + b"".join(line + payload for line, payload in
                                           zip((b"FRAME\n", b"FRAME Ixyz\n", b"FRAME XABCDEFGH=IJ\n"), payloads))
        path = self.directory / "parameters.y4m"
        path.write_bytes(source)
        plain = run("encode", CLIP, "-o", "-", "--frames", 3).stdout
        self.assertEqual(run("encode", path, "-o", "-").stdout, plain)
        self.assertEqual(run("encode", "-", "-o", "-", input=source).stdout, plain)

    def test_odd_sizes_are_encoded(self):
        source = self.directory / "odd.y4m"
        ffmpeg("-i", CLIP, "-frames:v", 3, "-vf", "scale=175:143,format=yuv420p", source)
        self.assertSucceeds(run("encode", source, "-o", self.output))
        self.assertEqual(probe(self.output)["frames"], 3)


class Ways(CommandTest):
    """Files and pipes give the same stream."""

    def test_files_and_pipes_give_the_same_bytes(self):
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "--preset", "ultrafast"))
        expected = self.output.read_bytes()
        content = CLIP.read_bytes()
        piped = run("encode", "-", "-o", "-", "--preset", "ultrafast", input=content)
        self.assertSucceeds(piped)
        self.assertEqual(piped.stdout, expected)
        with CLIP.open("rb") as file:
            self.assertEqual(run("encode", "-", "-o", "-", "--preset", "ultrafast", stdin=file).stdout, expected)
        source = Started(["cat", CLIP], stdout=subprocess.PIPE)
        self.assertEqual(run("encode", "/dev/stdin", "-o", "-", "--preset", "ultrafast", stdin=source.stdout).stdout,
                         expected)
        source.stdout.close()
        source.wait()

    def test_a_device_can_be_the_output(self):
        result = run("encode", CLIP, "-o", "/dev/null", "--quiet")
        self.assertSucceeds(result)
        self.assertEqual(result.stderr, b"")

    def test_frames_limits_the_number_of_frames(self):
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "--frames", 7))
        self.assertEqual(probe(self.output)["frames"], 7)

    def test_fps_replaces_the_header(self):
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "--fps", 50))
        self.assertEqual(probe(self.output)["r_frame_rate"], "50/1")

    def test_an_existing_file_is_replaced_only_with_force(self):
        self.output.write_bytes(b"here before, and long" * 100_000)
        self.assertFails(run("encode", CLIP, "-o", self.output), 1, self.output, "--force")
        self.assertEqual(self.output.stat().st_size, 2_100_000)
        self.assertSucceeds(run("encode", CLIP, "-o", self.output, "--force"))
        self.assertEqual(probe(self.output)["frames"], FRAMES)

    def test_input_is_not_overwritten(self):
        copy = self.directory / "copy.y4m"
        copy.write_bytes(CLIP.read_bytes())
        self.assertFails(run("encode", copy, "-o", copy, "--force", "--container", "mp4"), 1, copy, "input itself")
        self.assertEqual(copy.read_bytes(), CLIP.read_bytes())

    def test_the_summary_has_frames_size_and_bit_rate(self):
        result = run("encode", CLIP, "-o", self.output)
        first, second = result.stderr.decode().splitlines()
        self.assertIn(f"{self.output}: 120 frames (1 key frame) of 176x144 at 29.97 fps, 4.00 s", first)
        size, rate = second.split(";")[0].split(", ")
        self.assertEqual(size, f"{self.output.stat().st_size / 1000:.1f} kB")
        self.assertEqual(rate, f"{self.output.stat().st_size * 8 / 4.004 / 1000:.1f} kb/s")
        self.assertNotIn("\r", result.stderr.decode())


class Content(bytes):
    """The bytes of a stream, with a short text for failed comparisons."""

    def __repr__(self):
        return f"<{len(self)} bytes, SHA-256 {hashlib.sha256(self).hexdigest()[:12]}>"


class Settings(CommandTest):
    """Settings show in the stream. Different forms of the same setting give the same bytes."""

    def encoded(self, *arguments):
        result = run("encode", CLIP, "-o", "-", "--quiet", *arguments)
        self.assertSucceeds(result)
        self.assertEqual(result.stderr, b"")
        return Content(result.stdout)

    def test_the_encoder_is_the_one_that_is_asked_for(self):
        usual = self.encoded("--quality", "0.5")
        self.assertEqual(self.encoded("--quality", "0.5", "--encoder", "org.videolan.x264"), usual)
        self.assertNotEqual(self.encoded("--quality", "0.5", "--encoder", "org.openh264.openh264"), usual)
        refused = run("encode", CLIP, "-o", self.output, "--encoder", "openh264")
        self.assertFails(refused, 64, "--encoder", "openh264", "org.openh264.openh264")
        refused = run("encode", CLIP, "-o", self.output, "--encoder", "org.openh264.openh264", "--preset", "slow")
        self.assertFails(refused, 64, "x264.preset", "org.openh264.openh264")

    def test_frames_of_10_bits_lose_two_with_an_encoder_of_8(self):
        source = self.directory / "ten.mp4"
        self.assertSucceeds(run("encode", CLIP, "-o", source, "-p", "OutputBitDepth=10"))
        done = run("encode", source, "-o", self.output, "-f", "--encoder", "org.openh264.openh264")
        self.assertSucceeds(done)
        self.assertIn("10 bits per sample (now 8)", done.stderr.decode())
        self.assertEqual(probe(self.output)["pix_fmt"], "yuv420p")

    def test_preset_and_tune_set_their_properties(self):
        plain = self.encoded("-p", "x264.preset=ultrafast", "-p", "x264.tune=zerolatency")
        self.assertEqual(self.encoded("--preset", "ultrafast", "--tune", "zerolatency"), plain)
        self.assertEqual(self.encoded("-p", "preset=ultrafast,TUNE=zerolatency"), plain)
        self.assertEqual(self.encoded("-p", 'x264.preset="ultrafast"', "-p", "x264.tune = zerolatency"), plain)
        self.assertNotEqual(self.encoded("--preset", "ultrafast"), plain)
        self.assertNotEqual(self.encoded("--tune", "zerolatency"), plain)

    def test_bit_rates_can_be_written_with_a_unit(self):
        for arguments in (("-p", "AverageBitRate=300000"), ("--bit-rate", "300k"), ("--bit-rate", "0.3M"),
                          ("-p", "averagebitrate=300k"), ("--bit-rate", "1M", "-p", "AverageBitRate=300000")):
            stream = self.encoded(*arguments)
            self.assertAlmostEqual(len(stream) * 8 / 4.004, 300_000, delta=45_000, msg=arguments)

    def test_presets_of_the_library_set_several_properties(self):
        for name, settings in (("HighSpeed", "x264.preset=veryfast"), ("balanced", "x264.preset=medium"),
                               ("HIGHQUALITY", "x264.preset=slower"),
                               ("VideoConferencing", "RealTime=true,AllowFrameReordering=false,MaxFrameDelayCount=0")):
            self.assertEqual(self.encoded("--preset", name), self.encoded("-p", settings), name)
        self.assertEqual(self.encoded("--preset", "HighSpeed", "-p", "preset=medium"), self.encoded())

    def test_p_sets_profile_and_key_frame_interval(self):
        self.output.write_bytes(self.encoded("-p", "ProfileLevel=H264_Baseline_AutoLevel", "-p", "MaxKeyFrameInterval=10"))
        self.assertEqual(probe(self.output)["profile"], "Constrained Baseline")
        result = run("encode", CLIP, "-f", "-o", self.output, "-p", "MaxKeyFrameInterval=10")
        self.assertIn("(12 key frames)", result.stderr.decode())

    def test_a_single_setting_needs_no_brackets_or_quotes(self):
        plain = self.encoded("-p", "PixelAspectRatio=[4,3]", "-p", 'x264.params="crf=20:keyint=33"')
        self.assertEqual(self.encoded("-p", "PixelAspectRatio=4,3", "-p", "params=crf=20:keyint=33"), plain)

    def test_p_takes_precedence_over_the_header(self):
        stream = self.encoded("-p", "PixelAspectRatio=[4,3]")
        self.assertEqual(probe(stream)["sample_aspect_ratio"], "4:3")
        stream = self.encoded("-p", "PixelAspectRatio=unset")
        self.assertNotIn("sample_aspect_ratio", probe(stream))


class Quality(CommandTest):
    def test_measure_reports_ffmpegs_psnr_and_ssim(self):
        """The numbers equal FFmpeg's."""
        result = run("encode", CLIP, "-o", self.output, "--measure")
        self.assertSucceeds(result)
        line = result.stderr.decode().splitlines()[-1]
        match = re.fullmatch(r"PSNR ([\d.]+) dB \(Y ([\d.]+), Cb ([\d.]+), Cr ([\d.]+); worst frame ([\d.]+)\), SSIM (0\.\d{5})",
                             line)
        self.assertTrue(match, line)
        average, luma, _, _, worst, ssim = map(float, match.groups())
        self.assertAlmostEqual(luma, psnr(self.output, CLIP), delta=0.011)
        self.assertLess(worst, average)
        self.assertGreater(ssim, 0.9)

    def test_measure_does_not_change_the_stream(self):
        plain = run("encode", CLIP, "-o", "-", "--frames", 20)
        measured = run("encode", CLIP, "-o", "-", "--frames", 20, "--measure")
        self.assertEqual(Content(plain.stdout), Content(measured.stdout))
        self.assertNotIn(b"PSNR", plain.stderr)
        quiet = run("encode", CLIP, "-o", "/dev/null", "--frames", 20, "--measure", "--quiet")
        self.assertEqual(quiet.stderr, b"")

    def test_measure_reports_10_bit_and_lossless_streams(self):
        """Ten bits, and a lossless stream: an infinite PSNR is printed as such."""
        result = run("encode", CLIP, "-o", "/dev/null", "--frames", 4, "--measure", "-p", "OutputBitDepth=10")
        self.assertRegex(result.stderr.decode(), r"PSNR \d\d\.\d\d dB")
        grey = b"YUV4MPEG2 W64 H64 F25:1\n" + (b"FRAME\n" + b"\x80" * 6144) * 3
        result = run("encode", "-", "-o", "/dev/null", "--measure", input=grey)
        self.assertIn("PSNR infinite dB (Y infinite, Cb infinite, Cr infinite; worst frame infinite), SSIM 1.00000",
                      result.stderr.decode())
