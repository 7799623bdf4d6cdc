"""nalu transcode of a range of a file, of a part of its pictures, and with another size and quality."""
import json
import re
import subprocess
from fractions import Fraction

from media import ffprobe, media, packets, pictures, succeeded, times
from support import CLIP, FRAMES, TIME_LIMIT, CommandTest, ffmpeg, directory_of_files, made_once, psnr, run

FRAME = Fraction(1001, 30000)


def facts(path, stream="v:0"):
    return ffprobe(path, "-select_streams", stream, "-show_streams")["streams"][0]


def beeps():
    """Makes ten seconds at 25 Hz: black, with one white frame each second, and with a beep of 40 ms at the same
    time."""
    def make(part):
        ffmpeg("-f", "lavfi", "-i", "color=black:s=128x96:r=25:d=10,drawbox=c=white:t=fill:enable='lt(mod(t,1),0.039)'",
               "-f", "lavfi", "-i", "aevalsrc='sin(2*PI*1000*t)*lt(mod(t,1),0.04)':s=48000:d=10", "-c:v", "libx264", "-g", 60,
               "-bf", 3, "-c:a", "aac", "-b:a", "96k", part)
    return made_once(directory_of_files("media") / "beeps.mp4", make)


def flashes(path):
    """Returns the times of white frames and beeps, as players show them."""
    lines = ffmpeg("-copyts", "-i", path, "-map", "0:v:0", "-vf", "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-",
                   "-fps_mode", "passthrough", "-f", "null", "-").decode()
    seen, time, was_white = [], None, False
    for line in lines.splitlines():
        if found := re.search(r"pts_time:(\S+)", line):
            time = float(found.group(1))
        elif "YAVG" in line:
            is_white = float(line.split("=")[1]) > 128
            if is_white and not was_white:
                seen.append(time)
            was_white = is_white
    first = next(float(packet["pts_time"]) for packet in ffprobe(path, "-select_streams", "a:0", "-show_frames")["frames"])
    audio = ffmpeg("-i", path, "-map", "0:a:0", "-ac", 1, "-ar", 48000, "-f", "s16le", "-")
    heard, last = [], -48000
    for number in range(0, len(audio) - 1, 2):
        if abs(int.from_bytes(audio[number : number + 2], "little", signed=True)) > 6000:
            if number // 2 - last > 24000:
                heard.append(first + number / 2 / 48000)
            last = number // 2
    return seen, heard


class Range(CommandTest):
    def test_the_output_has_the_frames_of_the_range(self):
        """The output has the frames whose time is in the range, at the same intervals."""
        for kind in ("mp4", "variable", "late", "mkv", "ts", "flv", "fragmented", "low delay", "h264"):
            for start, end in ((None, "2"), ("1", None), ("0.5", "2.5"), ("0:01.3345", "00:00:03"), ("3.9", "100")):
                with self.subTest(kind=kind, start=start, end=end):
                    begin = Fraction(0) if start is None else Fraction(start.split(":")[-1])
                    path = self.directory / "clip.mp4"
                    if kind in ("ts", "late") and start == "3.9":
                        continue
                    source = media(kind)
                    every = [n * FRAME for n in range(FRAMES)] if kind == "h264" else times(source)
                    wanted = [time for time in every if time >= begin and (end is None or time < Fraction(end.split(":")[-1]))]
                    options = (["--start", start] if start else []) + (["--end", end] if end else [])
                    succeeded("transcode", source, path, "--force", "--preset", "ultrafast", *options)
                    found = times(path)
                    self.assertEqual(len(found), len(wanted))
                    moved = wanted[0] if start else 0
                    for one, other in zip(found, wanted):
                        self.assertAlmostEqual(float(one), float(other - moved), places=6)
                    self.assertEqual(len(pictures(path)), len(wanted))

    def test_the_pictures_are_those_of_the_range(self):
        """The pictures are those of the range, not their neighbours."""
        frames, part = self.directory / "all.y4m", self.directory / "part.mp4"
        ffmpeg("-i", media("mp4"), "-vf", "select='between(n,33,71)'", "-fps_mode", "passthrough", "-pix_fmt", "yuv420p", frames)
        succeeded("transcode", media("mp4"), part, "--start", str(float(33 * FRAME) - 0.001)[:6], "--end", str(float(72 * FRAME))[:6])
        self.assertEqual(len(pictures(part)), 39)
        self.assertGreater(psnr(part, frames), 36)

    def test_a_range_can_begin_inside_an_open_group(self):
        """The range begins among pictures that refer to the group before."""
        source, path = self.directory / "open.ts", self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-c:v", "libx264", "-x264-params", "open-gop=1:keyint=20:min-keyint=20:scenecut=0:bframes=3:b-adapt=0", source)
        every = times(source)
        for number in (17, 18, 19, 20, 39, 41):
            with self.subTest(number=number):
                succeeded("transcode", source, path, "--force", "--start", f"{float(every[number]) - 0.002:.6f}", "--frames", 6)
                self.assertEqual(len(pictures(path)), 6)
                frames = self.directory / "frames.y4m"
                ffmpeg("-i", source, "-vf", f"select='between(n,{number},{number + 5})'", "-fps_mode", "passthrough", frames)
                self.assertGreater(psnr(path, frames), 36)

    def test_a_range_can_begin_inside_an_intra_refresh(self):
        """A stream with gradual (intra) refresh and a single IDR picture."""
        source, path = self.directory / "refresh.mp4", self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=25:bframes=0", source)
        succeeded("transcode", source, path, "--start", "2", "--end", "3")
        self.assertEqual(len(pictures(path)), 30)

    def test_audio_stays_synchronous_in_a_range(self):
        """Beeps and white frames stay together, within one audio frame."""
        for name in ("clip.mp4", "clip.mov", "clip.mkv", "clip.ts"):
            for start, end in (("3.2", "7.9"), ("2.4", "4.9"), ("0", "4.5")):
                with self.subTest(name=name, start=start):
                    path = self.directory / name
                    succeeded("transcode", beeps(), path, "--force", "--start", start, "--end", end)
                    seen, heard = flashes(path)
                    self.assertEqual(len(seen), len(heard))
                    self.assertGreater(len(seen), 1)
                    # A beep in the first audio frame may lack its beginning.
                    for one, other in zip(seen, heard):
                        self.assertLess(abs(one - other), 1024 / 48000 if one == seen[0] else 0.005, (seen, heard))
                    video, audio = facts(path), facts(path, "a:0")
                    if name == "clip.mp4":
                        self.assertEqual(float(video["start_time"]), 0)
                        self.assertLess(abs(float(audio["start_time"])), 0.022)
                        self.assertLess(abs(float(audio["duration"]) - float(video["duration"])), 0.045)

    def test_audio_of_a_transport_stream_is_kept_in_a_range(self):
        """The configuration of AAC is in each frame (ADTS), also in those before the range. A corrupt frame is reported."""
        source = self.directory / "beeps.ts"
        ffmpeg("-i", beeps(), "-c", "copy", source)
        wanted = len(ffprobe(source, "-select_streams", "a:0", "-show_packets")["packets"])
        for name in ("clip.mkv", "clip.mp4", "clip.flv"):
            with self.subTest(name=name):
                path = self.directory / name
                result = succeeded("transcode", source, path, "--start", "5")
                self.assertNotIn("left out", result.stderr.decode())
                self.assertAlmostEqual(len(ffprobe(path, "-select_streams", "a:0", "-show_packets")["packets"]), wanted / 2, delta=75)
        data = bytearray(source.read_bytes())
        starts = [at for at in range(0, len(data), 188) if int.from_bytes(data[at + 1 : at + 3], "big") & 0x5FFF == 0x4101]
        at = data.index(b"\xff\xf1", starts[len(starts) * 3 // 4])
        data[at : at + 2] = b"\0\0"
        source.write_bytes(data)
        result = succeeded("transcode", source, self.directory / "corrupt.mkv", "--start", "5")
        self.assertRegex(result.stderr.decode(), r"[0-9]+ corrupt packets? of other tracks of .* left out|moved")

    def test_longer_audio_ends_with_the_range(self):
        """Audio that is longer than the video ends with the range."""
        source, path = self.directory / "long.mp4", self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=d=9", "-c:v", "libx264", "-c:a", "aac", source)
        succeeded("transcode", source, path, "--end", "6")
        self.assertLess(abs(float(facts(path, "a:0")["duration"]) - 6), 0.05)

    def test_a_range_of_a_pipe_is_transcoded(self):
        path = self.directory / "clip.mp4"
        self.assertSucceeds(run("transcode", "-", path, "--start", "1", "--end", "2", input=media("ts").read_bytes()))
        wanted = [time for time in times(media("ts")) if 1 <= time < 2]
        self.assertEqual(len(pictures(path)), len(wanted))

    def test_wrong_ranges_are_refused(self):
        out = self.output.with_suffix(".mp4")
        for options, code, *words in (
            (("--start", "2", "--end", "1"), 64, "--end is 1 and --start 2", "after the start"),
            (("--start", "2", "--end", "2"), 64, "after the start"),
            (("--end", "0"), 64, "--end is 0"),
            (("--start", "-1"), 64, "--start"),
            (("--start", "1:75"), 64, "1:75", "such as 12.5 or 1:30"),
            (("--start", "abc"), 64, "abc"),
            (("--start", "nan"), 64, "nan"),
            (("--start", "99999999999999999999"), 64, "--start"),
            (("--start", "50"), 1, "has no frames from 50 s", "lasts from 0 to 4.004 s"),
            (("--start", "1.002", "--end", "1.003"), 1, "has no frames from 1.002 s to 1.003 s"),
            (("--start", "1", "--workers", "2", "--bit-rate", "1M"), 64, "--workers excludes --start"),
            (("--size", "64x64", "--workers", "2", "--bit-rate", "1M"), 64, "--workers excludes --size"),
            (("--quality", "0.5", "--workers", "2", "--bit-rate", "1M"), 64, "--workers excludes --quality"),
        ):
            with self.subTest(options=options):
                self.assertRefuses(run("transcode", media("mp4"), out, *options), code, *words)
                self.assertFalse(out.exists())


class Shape(CommandTest):
    def test_size_scales_the_pictures(self):
        for kind, size in (("mp4", (88, 72)), ("mp4", (352, 288)), ("odd size", (170, 118)), ("mp4", (16, 16)), ("mp4", (18, 16)),
                           ("wide colour", (320, 180)), ("mp4", (640, 16))):
            with self.subTest(kind=kind, size=size):
                path = self.directory / "clip.mp4"
                succeeded("transcode", media(kind), path, "--force", "--frames", 10, "--size", "%dx%d" % size)
                ours, theirs = facts(path), facts(media(kind))
                self.assertEqual((ours["width"], ours["height"]), size)
                self.assertEqual(len(pictures(path)), 10)

                def shape(one):
                    ratio = one.get("sample_aspect_ratio", "1:1").replace("N/A", "1:1").replace(":", "/")
                    return Fraction(one["width"], one["height"]) * Fraction(ratio)
                self.assertAlmostEqual(float(shape(ours) / shape(theirs)), 1, delta=0.02)
        succeeded("transcode", media("mp4"), path, "--force", "--size", "352x288")
        self.assertGreater(self.scaled(path, "176:144"), 32)

    def scaled(self, path, size):
        """Returns the PSNR of a file against the clip, after FFmpeg scales it to the clip's size."""
        other = self.directory / "scaled.y4m"
        ffmpeg("-i", path, "-vf", f"scale={size}:flags=area", other)
        return psnr(other, CLIP)

    def test_size_adapts_the_pixel_aspect_ratio(self):
        path = self.directory / "clip.mp4"
        succeeded("transcode", media("mp4"), path, "--frames", 2, "--size", "320x240")
        # The clip's ratio is 128:117.
        self.assertEqual(facts(path)["sample_aspect_ratio"], "352:351")
        succeeded("transcode", media("mp4"), path, "--force", "--frames", 2, "--size", "320x240", "-p", "PixelAspectRatio=unset")
        self.assertIn(facts(path).get("sample_aspect_ratio", "1:1"), ("1:1", "N/A", "0:1"))
        # 118 by 96.5 pixels have the shape of 176 by 144, so only rounding differs.
        succeeded("transcode", media("mp4"), path, "--force", "--frames", 2, "--size", "118x96")
        self.assertEqual(facts(path)["sample_aspect_ratio"], "128:117")

    def test_crop_selects_a_region(self):
        for kind, crop in (("mp4", "96x64+16+8"), ("mp4", "176x144+0+0"), ("odd size", "100x100+70+18"), ("wide colour", "16x16+160+128")):
            with self.subTest(kind=kind, crop=crop):
                path, frames = self.directory / "clip.mp4", self.directory / "frames.y4m"
                succeeded("transcode", media(kind), path, "--force", "--frames", 20, "--crop", crop, "--quality", "0.9")
                width, height, left, top = map(int, re.split(r"[x+]", crop))
                ffmpeg("-i", media(kind), "-frames:v", 20, "-vf", f"crop={width}:{height}:{left}:{top}:exact=1", "-pix_fmt",
                       "yuv420p", frames)
                self.assertEqual((facts(path)["width"], facts(path)["height"]), (width, height))
                self.assertGreater(psnr(path, frames), 38)

    def test_crop_works_in_every_layout_and_depth(self):
        for pixels in ("yuv420p10le", "yuv422p10le", "yuv422p", "yuv444p"):
            with self.subTest(pixels=pixels):
                source, path, frames = (self.directory / name for name in ("deep.mp4", "clip.mp4", "frames.y4m"))
                ffmpeg("-i", CLIP, "-frames:v", 12, "-pix_fmt", pixels, "-c:v", "libx264", source)
                succeeded("transcode", source, path, "--force", "--crop", "96x64+16+8", "--quality", "0.9")
                ffmpeg("-i", source, "-vf", "crop=96:64:16:8", "-strict", "-1", frames)
                self.assertGreater(psnr(path, frames), 38)

    def test_cropping_precedes_scaling(self):
        path, frames = self.directory / "clip.mp4", self.directory / "frames.y4m"
        succeeded("transcode", media("mp4"), path, "--crop", "88x72+44+36", "--size", "176x144", "--frames", 20, "--quality", "0.9")
        ffmpeg("-i", media("mp4"), "-frames:v", 20, "-vf", "crop=88:72:44:36,scale=176:144:flags=bilinear", frames)
        self.assertGreater(psnr(path, frames), 30)

    def test_size_keeps_the_rotation(self):
        path = self.directory / "clip.mp4"
        succeeded("transcode", media("turned"), path, "--size", "88x72", "--start", "1", "--end", "2")
        self.assertEqual(facts(path)["side_data_list"][0]["rotation"], facts(media("turned"))["side_data_list"][0]["rotation"])
        self.assertEqual((facts(path)["width"], facts(path)["height"]), (88, 72))

    def changing(self):
        """Makes a stream of 176x144 for 30 frames, then of 128x96."""
        parts = []
        for size in ("176x144", "128x96"):
            parts.append(ffmpeg("-ss", "1.001" if parts else "0", "-i", CLIP, "-frames:v", 30, "-s", size, "-c:v", "libx264", "-bf", 0, "-f", "mpegts",
                                *(["-output_ts_offset", "1.001"] if parts else []), "-"))
        path = self.directory / "changing.ts"
        path.write_bytes(b"".join(parts))
        return path

    def test_pictures_of_changing_size_need_size(self):
        source, path = self.changing(), self.directory / "clip.mp4"
        result = run("transcode", source, path)
        self.assertEqual(result.returncode, 1)
        self.assertIn("nalu transcode --size 176x144 scales all frames", result.stderr.decode())
        succeeded("transcode", source, path, "--force", "--size", "176x144")
        self.assertEqual(len(pictures(path)), 60)
        frames = self.directory / "frames.y4m"
        ffmpeg("-i", source, "-vf", "scale=176:144:flags=bilinear", "-fps_mode", "passthrough", frames)
        self.assertGreater(psnr(path, frames), 34)
        result = run("transcode", source, path, "--force", "--size", "176x144", "--crop", "160x128+0+0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not inside the pictures", result.stderr.decode())

    def test_interlaced_pictures_are_not_scaled(self):
        source, path = self.directory / "fields.mp4", self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-frames:v", 20, "-vf", "setfield=tff", "-c:v", "libx264", "-flags", "+ilme+ildct", "-x264-params", "tff=1", source)
        succeeded("transcode", source, path, "--crop", "128x96+0+4")
        self.assertEqual(facts(path)["field_order"], facts(source)["field_order"])
        out = self.directory / "none.mp4"
        self.assertRefuses(run("transcode", source, out, "--size", "128x96"), 64, "is interlaced, and interlaced pictures are not scaled")
        self.assertRefuses(run("transcode", source, out, "--crop", "128x96+0+2"), 64, "a multiple of 4")
        self.assertFalse(out.exists())

    def test_wrong_sizes_and_regions_are_refused(self):
        for options, *words in (
            (("--size", "0x10"), "--size"), (("--size", "10"), "such as 1280x720"), (("--size", "321x241"), "such as 322x242"),
            (("--size", "99999x2"), "16 to 16384"), (("--crop", "10x10"), "such as 640x360+16+8"),
            (("--crop", "100x100+100+0"), "not inside the pictures", "176x144"), (("--crop", "100x100-2+0"), "--crop"),
            (("--crop", "100x100+1+0"), "even distance"), (("--crop", "101x100+0+0"), "even width"), (("--crop", "8x8+0+0"), "at least 16"),
            (("--crop", "9223372036854775807x2+9223372036854775807+0", "--size", "64x64"), "not inside"),
            (("--quality", "2"), "--quality is 2.0; expected 0 to 1"), (("--quality", "nan"), "--quality"),
        ):
            with self.subTest(options=options):
                self.assertRefuses(run("transcode", media("mp4"), self.output, *options), 64, *words)


class Quality(CommandTest):
    def test_quality_sets_the_quality(self):
        sizes = []
        for quality in (0.25, 0.5, 0.75, 1):
            succeeded("transcode", media("mp4"), self.output, "--force", "--quality", quality)
            sizes.append(self.output.stat().st_size)
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(sizes[2], 1.5 * sizes[0])
        succeeded("encode", CLIP, "-o", self.output, "--force", "--quality", "0.75")

    def test_measure_reports_the_quality(self):
        result = succeeded("transcode", media("mp4"), self.output, "--measure")
        self.assertIn("PSNR", result.stderr.decode())
