"""nalu decode: every frame bit for bit as FFmpeg decodes it."""
import json
import signal
import subprocess

from h264_writer import Writer, annex_b
from media import KINDS, ffprobe, media, pictures, succeeded
from support import CLIP, FRAMES, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, ffmpeg, run, start, wait_until

PLAIN = ("mp4", "mov", "mkv", "ts", "flv", "h264", "fragmented", "low delay", "variable", "late", "wide colour", "full range",
         "odd size")


class Frames(CommandTest):
    def test_y4m_has_the_frames_that_ffmpeg_decodes(self):
        for kind in PLAIN:
            with self.subTest(kind=kind):
                path = self.directory / "clip.y4m"
                result = run("decode", media(kind), path, "--force")
                self.assertSucceeds(result)
                self.assertEqual(pictures(path), pictures(media(kind)))
                self.assertIn(f"{path}: {len(pictures(path))} frames of", result.stderr.decode())
                if kind == "variable":
                    self.assertIn("uneven", result.stderr.decode())
                else:
                    self.assertNotIn("uneven", result.stderr.decode())
                    self.assertEqual(ffprobe(path, "-show_streams")["streams"][0]["r_frame_rate"], "30000/1001")

    def test_the_y4m_header_describes_the_video(self):
        path = self.directory / "clip.y4m"
        succeeded("decode", media("mp4"), path)
        stream = ffprobe(path, "-show_streams")["streams"][0]
        self.assertEqual((stream["width"], stream["height"], stream["sample_aspect_ratio"]), (WIDTH, HEIGHT, "128:117"))
        succeeded("decode", media("full range"), path, "--force")
        self.assertIn(b"XCOLORRANGE=FULL", path.read_bytes()[:200])

    def test_changes_that_the_y4m_header_cannot_state_are_named(self):
        joined, output = self.directory / "joined.h264", self.directory / "out.y4m"
        parts = []
        for aspect, location in (("1", "0"), ("4/3", "2")):
            path = self.directory / f"{location}.h264"
            ffmpeg("-i", CLIP, "-frames:v", "5", "-vf", f"setsar={aspect}", "-c:v", "libx264", "-x264-params", f"chromaloc={location}", path)
            parts.append(path.read_bytes())
        joined.write_bytes(b"".join(parts))
        result = run("decode", joined, output)
        self.assertSucceeds(result)
        lines = [line for line in result.stderr.decode().splitlines() if " changes at " in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn("one value for all frames: pixel aspect ratio 4:3 (kept: 1:1), chroma location 2 (kept: 0)", lines[0])
        self.assertNotIn(" changes at ", run("decode", joined, self.directory / "out.yuv").stderr.decode())

    def test_raw_frames_have_the_bytes_of_ffmpeg(self):
        for extension, theirs in ((".yuv", "yuv420p"), (".nv12", "nv12")):
            path = self.directory / f"clip{extension}"
            succeeded("decode", media("mp4"), path)
            expected = ffmpeg("-i", media("mp4"), "-pix_fmt", theirs, "-f", "rawvideo", "-")
            self.assertEqual(path.read_bytes() == expected, True, extension)
        plain = succeeded("decode", media("mp4"), "-", "--format", "i420").stdout
        self.assertEqual(plain == (self.directory / "clip.yuv").read_bytes(), True)

    def test_ten_bit_frames_have_the_bytes_of_ffmpeg(self):
        source = self.directory / "deep.mp4"
        ffmpeg("-i", CLIP, "-frames:v", 12, "-pix_fmt", "yuv420p10le", "-c:v", "libx264", source)
        path = self.directory / "deep.y4m"
        succeeded("decode", source, path)
        self.assertEqual(pictures(path), pictures(source))
        raw = succeeded("decode", source, "-", "--format", "p010").stdout
        self.assertEqual(raw == ffmpeg("-i", source, "-pix_fmt", "p010le", "-f", "rawvideo", "-"), True)
        self.assertRefuses(run("decode", source, self.directory / "deep.nv12"), 64, "10 bits", "p010")
        self.assertRefuses(run("decode", media("mp4"), self.directory / "clip.p010"), 64, "8 bits", "nv12")

    def test_422_444_and_12_bit_frames_have_the_bytes_of_ffmpeg(self):
        """4:2:2, 4:4:4 and 12 bits: Y4M and raw planes equal FFmpeg's bytes."""
        streams = (("libx264", "yuv422p"), ("libx264", "yuvj422p"), ("libx264", "yuv422p10le"), ("libx264", "yuv444p"),
                   ("libx264", "yuv444p10le"), ("libx265", "yuv420p12le"), ("libx265", "yuv422p12le"))
        for encoder, pixels in streams:
            with self.subTest(pixels=pixels):
                source, path = self.directory / "rich.mp4", self.directory / "rich.y4m"
                quiet = ("-x265-params", "log-level=none") if encoder == "libx265" else ()
                ffmpeg("-y", "-i", CLIP, "-frames:v", 6, "-pix_fmt", pixels, "-c:v", encoder, *quiet, source)
                succeeded("decode", source, path, "--force")
                self.assertEqual(pictures(path), pictures(source))
                found = ffprobe(path, "-show_streams")["streams"][0]
                self.assertEqual(found["pix_fmt"], pixels.replace("yuvj", "yuv"))
                self.assertEqual(found.get("color_range") == "pc", "yuvj" in pixels)
                raw = succeeded("decode", source, "-", "--format", "yuv").stdout
                self.assertEqual(raw == ffmpeg("-i", source, "-f", "rawvideo", "-"), True)
                succeeded("decode", source, self.directory / "sheet.png", "--sheet", "2x2", "--force")
                deep = pixels.endswith(("10le", "12le"))
                if pixels.endswith("12le"):
                    self.assertRefuses(run("decode", source, "-", "--format", "p010"), 64, "12 bits", "yuv")
                else:
                    form, samples = ("p010", 2) if deep else ("nv12", 1)
                    planes = succeeded("decode", source, "-", "--format", form).stdout
                    self.assertEqual(len(planes), 6 * samples * WIDTH * HEIGHT * 3 // 2)

    def test_rgb_frames_have_the_bytes_of_ffmpeg(self):
        source = self.directory / "rgb.mp4"
        ffmpeg("-i", CLIP, "-frames:v", 4, "-pix_fmt", "rgb24", "-c:v", "libx264rgb", "-qp", 0, source)
        raw = succeeded("decode", source, self.directory / "rgb.rgb")
        self.assertEqual((self.directory / "rgb.rgb").read_bytes() == ffmpeg("-i", source, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"),
                         True, raw)
        succeeded("decode", source, self.directory / "sheet.png", "--sheet", "2x2")
        for form in ("y4m", "yuv", "nv12", "p010"):
            self.assertRefuses(run("decode", source, "-", "--format", form), 64, "RGB", form, "rgb24")
        # A YCbCr stream is converted to RGB.
        plain = succeeded("decode", media("mp4"), "-", "--format", "rgb24", "--frames", 2).stdout
        self.assertEqual(len(plain), 2 * 3 * WIDTH * HEIGHT)

    def test_a_cut_before_an_open_group_of_pictures_is_intact(self):
        """FFmpeg cuts a Matroska file at a CRA picture of H.265. Its leading pictures have times before 0 and are not shown."""
        whole, path, raw = self.directory / "whole.mkv", self.directory / "cut.mkv", self.directory / "cut.y4m"
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=176x144:d=4:r=25", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
               "log-level=none:open-gop=1:keyint=20:min-keyint=20:scenecut=0:bframes=4", whole)
        ffmpeg("-ss", "2.3", "-i", whole, "-c", "copy", path)
        self.assertSucceeds(run("decode", path, raw))
        self.assertEqual(pictures(raw), pictures(path))

    def test_frames_limits_the_number_of_frames(self):
        path = self.directory / "clip.y4m"
        succeeded("decode", media("mp4"), path, "--frames", 7)
        self.assertEqual(pictures(path), pictures(media("mp4"))[:7])

    def test_decode_reads_and_writes_pipes(self):
        result = run("decode", "-", "-", input=media("ts").read_bytes())
        self.assertSucceeds(result)
        self.assertEqual(pictures("-", source=result.stdout), pictures(media("ts")))


class Sheets(CommandTest):
    def test_the_contact_sheet_has_its_size_and_first_frame(self):
        """The first frame is at its place in the sheet, and looks as FFmpeg shows it."""
        path = self.directory / "sheet.png"
        for kind, size, cells in (("mp4", "4x3", (4, 3)), ("turned", "2x2", (2, 2)), ("ts", "1x1", (1, 1))):
            with self.subTest(kind=kind):
                succeeded("decode", media(kind), path, "--force", "--sheet", size)
                stream = ffprobe(path, "-show_streams")["streams"][0]
                self.assertEqual((stream["codec_name"], stream["pix_fmt"]), ("png", "rgb24"))
                shape = (240, 320) if kind == "turned" else (320, 239)
                width, height = (stream["width"] - 8) // cells[0] - 8, (stream["height"] - 8) // cells[1] - 24
                self.assertLess(abs(width - shape[0]), 4)
                self.assertLess(abs(height - shape[1]), 4)
                result = subprocess.run(
                    ["ffmpeg", "-nostdin", "-v", "info", "-i", path, "-i", media(kind), "-filter_complex",
                     f"[0]crop={width}:{height}:8:8,format=rgb24[a];[1]scale={width}:{height}:flags=area,format=rgb24[b];[a][b]psnr",
                     "-frames:v", "1", "-f", "null", "-"], capture_output=True, text=True, check=True, timeout=TIME_LIMIT)
                average = float(result.stderr.split("average:")[1].split()[0])
                self.assertGreater(average, 30, result.stderr)

    def test_the_default_contact_sheet_has_4x3_frames(self):
        path = self.directory / "sheet.png"
        result = succeeded("decode", media("mp4"), path)
        self.assertIn(f"{path}: {FRAMES} frames", result.stderr.decode())
        self.assertEqual(ffprobe(path, "-show_streams")["streams"][0]["width"], 8 + 4 * 328)


class Refusals(CommandTest):
    def test_wrong_options_are_refused(self):
        for options, words in ((("--sheet", "4x3"), ("--sheet", ".png")), (("--format", "bmp"), ("bmp", "y4m")),
                               (("--frames", "0"), ("--frames",)), (("--track", "5"), ("--track is 5",))):
            self.assertRefuses(run("decode", media("mp4"), self.output, *options), 64, *words)
        self.assertRefuses(run("decode", media("mp4"), self.directory / "a.png", "--sheet", "4"), 64, "--sheet", "4x3")

    def test_inputs_without_video_are_refused(self):
        self.assertRefuses(run("decode", CLIP, self.output), 1, CLIP)
        self.assertRefuses(run("decode", self.directory / "none.mp4", self.output), 1, "none.mp4", "No such file")
        path = self.directory / "vp9.webm"
        ffmpeg("-i", CLIP, "-frames:v", 3, "-c:v", "mpeg4", "-f", "avi", path)
        self.assertRefuses(run("decode", path, self.output), 1, path, "mpeg4")

    def test_a_full_disk_and_an_existing_output_are_reported(self):
        self.assertRefuses(run("decode", media("mp4"), "/dev/full"), 1, "/dev/full", "full")
        result = run("decode", media("mp4"), "/dev/full", "--format", "png")
        self.assertEqual((result.returncode, result.stderr), (1, b"nalu: cannot write to /dev/full: the disk is full\n"))
        self.output.write_bytes(b"precious")
        result = run("decode", media("mp4"), self.output)
        self.assertEqual((result.returncode, self.output.read_bytes()), (1, b"precious"))
        self.assertIn(b"--force", result.stderr)

    def test_a_closed_pipe_is_reported(self):
        process = start("decode", media("mp4"), "-", "--quiet", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        errors = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(), 1, errors)
        self.assertIn("its reader closed the pipe", errors)

    def test_decodable_frames_of_a_corrupt_file_are_written(self):
        """The decodable frames are written, and the exit code reports missing ones."""
        source = bytearray(media("mp4").read_bytes())
        data = source.index(b"mdat") + 4
        for place in range(data + 9000, data + 9600, 7):
            source[place] ^= 0x55
        path = self.directory / "damaged.mp4"
        path.write_bytes(source)
        result = run("decode", path, self.output)
        self.assertFails(result, 1, path, "corrupt", "frames written to", self.output)
        self.assertGreater(len(pictures(self.output, "-f", "yuv4mpegpipe")), FRAMES // 2)

    def test_pictures_above_the_pixel_limit_are_refused(self):
        """No option of the command changes the limit, and the error message names none."""
        writer = Writer(512, 512)
        path = self.directory / "large.h264"
        path.write_bytes(annex_b([writer.sps(level=62), writer.pps(), writer.picture(0, 0, is_idr=True)]))
        result = run("decode", path, self.output)
        self.assertFails(result, 1, "8192x8192", "expected at most 35651584, which is the limit of this command")
        self.assertNotIn(b"maximum", result.stderr)


class Interruption(CommandTest):
    def test_an_interrupted_run_writes_complete_frames(self):
        """Frames decoded so far are written completely."""
        process = start("decode", "-", self.output, "--quiet", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(media("ts").read_bytes())
        process.stdin.flush()
        wait_until(lambda: self.output.exists() and self.output.stat().st_size > 100_000, "that frames are written")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 143)
        process.stdin.close()
        process.stderr.close()
        size = WIDTH * HEIGHT * 3 // 2 + 6
        content = self.output.read_bytes()
        self.assertEqual((len(content) - content.index(b"\n") - 1) % size, 0)
