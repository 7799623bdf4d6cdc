"""nalu cut: copied packets stay byte for byte, the edges are re-encoded, times and audio stay synchronous."""
import re
import subprocess
from fractions import Fraction

from h264_writer import Bits, annex_b
from media import ffprobe, media, packets, pictures, succeeded, times, units
from support import CLIP, FRAMES, TIME_LIMIT, CommandTest, ffmpeg, directory_of_files, made_once, run
from test_transcode_range import beeps, flashes

FRAME = Fraction(1001, 30000)
COUNTS = re.compile(r"(\d+) frames? copied(?:, (\d+) re-encoded)?(?:, (\d+) hidden)?")


def hashes(path):
    """Returns the checksums of the bytes of the video's packets."""
    answer = ffprobe(path, "-select_streams", "v:0", "-show_packets", "-show_data_hash", "md5")
    return [packet["data_hash"] for packet in answer["packets"]]


def made(name, *options, source=CLIP):
    """Returns the path of a file that FFmpeg makes of the clip."""
    return made_once(directory_of_files("media") / f"cut-{name}", lambda part: ffmpeg("-i", source, *options, part))


def x264(params, *more):
    return ("-c:v", "libx264", "-preset", "veryfast", "-threads", "1", *more, "-x264-params", params)


SOURCES = {
    "no reordering": ("plain.mp4", *x264("keyint=30:min-keyint=30:scenecut=0:bframes=0")),
    "pyramid": ("pyramid.mp4", *x264("keyint=24:min-keyint=24:scenecut=0:bframes=7:b-adapt=0:b-pyramid=normal:ref=4")),
    "baseline": ("baseline.mp4", *x264("keyint=30:min-keyint=30:scenecut=0", "-profile:v", "baseline")),
    "main": ("main.mp4", *x264("keyint=30:min-keyint=30:scenecut=0", "-profile:v", "main")),
    "10 bits": ("deep.mp4", "-pix_fmt", "yuv420p10le", *x264("keyint=30:min-keyint=30:scenecut=0")),
    "colour": ("colour.mp4", *x264("keyint=30:min-keyint=30:scenecut=0:chromaloc=2", "-color_primaries", "bt709", "-color_trc",
                                   "iec61966-2-1", "-colorspace", "smpte170m", "-color_range", "tv")),
    "slices": ("slices.mp4", *x264("keyint=30:min-keyint=30:scenecut=0:slices=4:aud=1")),
    "open": ("open.mp4", *x264("open-gop=1:keyint=20:min-keyint=20:scenecut=0:bframes=3:b-adapt=0")),
    "one group": ("one.mp4", *x264("keyint=infinite:scenecut=0:bframes=3")),
    "fields": ("fields.mp4", "-flags", "+ilme+ildct", *x264("tff=1:keyint=30:min-keyint=30:scenecut=0")),
    "4:2:2": ("wide.mp4", "-pix_fmt", "yuv422p", *x264("keyint=30:min-keyint=30:scenecut=0")),
    "lossless": ("lossless.mp4", *x264("qp=0:keyint=30:min-keyint=30:scenecut=0:bframes=3")),
    "cropped": ("cropped.mp4", *x264("keyint=30:min-keyint=30:scenecut=0"), "-bsf:v", "h264_metadata=crop_left=8:crop_top=4"),
    "hevc": ("hevc.mp4", "-c:v", "libx265", "-x265-params", "log-level=none:keyint=30:min-keyint=30:scenecut=0:open-gop=0:bframes=3"),
    "hevc open": ("hevc-open.mp4", "-c:v", "libx265", "-x265-params", "log-level=none:keyint=30:min-keyint=30:scenecut=0:bframes=3"),
}


def source(kind):
    return made(*SOURCES[kind]) if kind in SOURCES else media(kind)


class Cut(CommandTest):
    def cut(self, path, out, *options):
        """Runs nalu cut. Returns how many frames are copied, re-encoded and hidden."""
        result = succeeded("cut", path, out, "--force", *options)
        found = COUNTS.search(result.stderr.decode())
        return tuple(int(number or 0) for number in found.groups())

    def check(self, path, out, start, end, step=0.0, is_open=False):
        """Runs nalu cut and compares frames and times with the source's. Returns the counts."""
        options = (["--start", f"{start:.6f}"] if start is not None else []) + (["--end", f"{end:.6f}"] if end is not None else [])
        counts = self.cut(path, out, *options)
        every = times(path)
        numbers = [number for number, time in enumerate(every)
                   if (start is None or time >= start) and (end is None or time < end)]
        wanted = [every[number] for number in numbers]
        self.assertEqual(counts[0] + counts[1], len(wanted), counts)
        # All frames decode without a message.
        shown = subprocess.run(["ffmpeg", "-nostdin", "-v", "warning", "-i", out, "-map", "0:v:0", "-fps_mode", "passthrough",
                                "-enc_time_base", "-1", "-f", "framemd5", "-"], capture_output=True, text=True, timeout=TIME_LIMIT)
        # A decoder that begins at a recovery point finds references to frames before it.
        self.assertEqual((shown.returncode, re.sub(r"\[h264 .*\] mmco: unref short failure\n", "", shown.stderr) if is_open else shown.stderr),
                         (0, ""))
        lines = [line.split(",") for line in shown.stdout.splitlines() if not line.startswith("#")]
        base = Fraction(re.search(r"#tb 0: (\S+)", shown.stdout).group(1))
        found = [int(line[2]) * base for line in lines]
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            self.assertLessEqual(abs(float(one - found[0] - (other - wanted[0]))), step)
        # Copied pictures equal the source's, bit for bit.
        theirs = pictures(path)
        same = [line[-1].strip() == theirs[number] for line, number in zip(lines, numbers)]
        self.assertGreaterEqual(sum(same), counts[0])
        if counts[1]:
            self.assertGreater(self.worst(path, out, numbers), 40)
        return counts

    def worst(self, path, out, numbers):
        """Returns the lowest PSNR of a frame's luma."""
        stats = self.directory / "stats.txt"
        ffmpeg("-i", out, "-i", path, "-filter_complex",
               f"[0:v]settb=1/25,setpts=N[a];[1:v]select='between(n,{numbers[0]},{numbers[-1]})',settb=1/25,setpts=N[b];[a][b]psnr=stats_file={stats}",
               "-fps_mode", "passthrough", "-f", "null", "-")
        values = re.findall(r"psnr_y:(\S+)", stats.read_text())
        self.assertEqual(len(values), len(numbers))
        return min(float(value) for value in values)

    def test_a_cut_is_right_from_every_container_to_every_container(self):
        for kind in ("mp4", "mov", "mkv", "ts", "flv", "fragmented"):
            for name in ("clip.mp4", "clip.mov", "clip.mkv", "clip.ts"):
                with self.subTest(kind=kind, name=name):
                    begin = times(source(kind))[0]
                    step = 0 if name[-3:] in ("mp4", "mov") and kind in ("mp4", "mov", "fragmented") else 0.0011
                    counts = self.check(source(kind), self.directory / name, float(begin) + 0.5, float(begin) + 3.2, step)
                    self.assertGreater(counts[0], 45)
                    self.assertEqual(counts[2], 0)

    def test_a_cut_is_right_in_every_kind_of_stream(self):
        for kind in ("no reordering", "pyramid", "baseline", "main", "10 bits", "colour", "slices", "variable", "late", "low delay",
                     "wide colour", "full range"):
            for start, end in ((0.5, 3.1), (None, 2.55), (1.2345, None)):
                with self.subTest(kind=kind, start=start, end=end):
                    counts = self.check(source(kind), self.directory / "clip.mp4", start, end)
                    self.assertEqual(counts[2], 0)

    def test_every_frame_of_a_group_can_be_the_first_or_last(self):
        """Each frame of a group is used as the first and as the last one."""
        for kind in ("mp4", "pyramid"):
            every = times(source(kind))
            for number in range(38, 48):
                with self.subTest(kind=kind, number=number):
                    first, last = float(every[number]) - 0.005, float(every[number + 33]) + 0.005
                    self.check(source(kind), self.directory / "clip.mp4", first, last)

    def test_copied_packets_are_those_of_the_input(self):
        """The copied packets are the input's packets."""
        for name in ("clip.mp4", "clip.mkv"):
            out = self.directory / name
            counts = self.check(media("mp4"), out, 0.5, 3.2, 0.0011)
            theirs = set(hashes(media("mp4")))
            ours = hashes(out)
            self.assertEqual(sum(one in theirs for one in ours), counts[0])
            # Only the pictures before the next key frame, 40, are encoded, and a few at the end: frames 15 to 95 are
            # 81.
            self.assertEqual(sum(counts), 81)
            self.assertLessEqual(counts[1], 25 + 3)
        facts = ffprobe(self.directory / "clip.mp4", "-show_streams")["streams"][0]
        self.assertEqual((facts["codec_tag_string"], facts["profile"]), ("avc1", "High"))

    def test_a_cut_from_a_key_frame_encodes_nothing(self):
        out = self.directory / "clip.mp4"
        self.assertEqual(self.check(media("mp4"), out, float(40 * FRAME) - 0.001, None), (80, 0, 0))
        self.assertEqual(self.check(media("mp4"), out, float(40 * FRAME) - 0.001, float(80 * FRAME) - 0.001), (40, 0, 0))
        self.assertEqual(self.check(media("low delay"), out, None, 2), (60, 0, 0))

    def test_a_cut_inside_one_group_is_encoded_entirely(self):
        out = self.directory / "clip.mp4"
        self.assertEqual(self.check(media("mp4"), out, 1.5, 2.2)[0], 0)
        self.assertEqual(self.check(source("one group"), out, 1.5, 2.2)[0], 0)
        self.assertEqual(self.check(media("mp4"), out, float(50 * FRAME) - 0.001, float(50 * FRAME) + 0.001), (0, 1, 0))

    def test_a_recording_that_begins_before_its_first_key_frame_can_be_cut(self):
        """A recording whose first key frame comes after other frames."""
        source, out = self.directory / "middle.ts", self.directory / "clip.mp4"
        whole = made("middle-whole.ts", *x264("keyint=30:min-keyint=30:scenecut=0:bframes=0")).read_bytes()
        source.write_bytes(whole[len(whole) // 8 // 188 * 188 :])
        counts = self.cut(source, out, "--end", "4")
        self.assertEqual(counts[1:], (0, 0))
        ours, theirs = pictures(out), pictures(made("middle-whole.ts", *()))
        self.assertEqual(len(ours), counts[0])
        self.assertTrue(set(ours) <= set(theirs))

    def test_a_range_over_the_entire_file_copies_everything(self):
        self.assertEqual(self.check(media("mp4"), self.directory / "clip.mp4", None, 50), (FRAMES, 0, 0))

    def test_the_edit_list_hides_pictures_that_cannot_be_left_out(self):
        """The edit list hides the pictures outside the part if the edges cannot be encoded."""
        for kind in ("open", "fields", "4:2:2", "lossless", "cropped", "hevc", "hevc open"):
            for name in ("clip.mp4", "clip.mov") if kind == "fields" else ("clip.mp4",):
                with self.subTest(kind=kind, name=name):
                    out = self.directory / name
                    counts = self.check(source(kind), out, 1.5, 3.05, is_open=kind == "open")
                    self.assertEqual(counts[1], 0)
                    self.assertGreater(counts[2], 0)
                    self.assertEqual(len(hashes(out)), counts[0] + counts[2])
                    self.assertTrue(set(hashes(out)) <= set(hashes(source(kind))))
            with self.subTest(kind=kind):
                result = run("cut", source(kind), self.directory / "clip.mkv", "--start", "1.5", "--end", "3.05")
                self.assertEqual(result.returncode, 1)
                message = result.stderr.decode()
                self.assertIn("expected an mp4 or mov output", message)
                self.assertEqual(len(message.splitlines()), 1)
                self.assertFalse((self.directory / "clip.mkv").exists())

    def test_h265_can_be_cut_at_key_frames_in_every_container(self):
        """No frame must be encoded, so every container is possible."""
        for name in ("clip.mp4", "clip.mkv", "clip.ts"):
            with self.subTest(name=name):
                counts = self.check(source("hevc"), self.directory / name, float(30 * FRAME) - 0.001, float(90 * FRAME) - 0.001, 0.0011)
                self.assertEqual(counts, (60, 0, 0))

    def test_audio_stays_synchronous(self):
        """Beeps and white frames stay together."""
        for name in ("clip.mp4", "clip.mov", "clip.mkv", "clip.ts"):
            for start, end in (("3.2", "7.9"), ("2.4", "4.9"), ("4.8", "9.5")):
                with self.subTest(name=name, start=start):
                    out = self.directory / name
                    self.cut(beeps(), out, "--start", start, "--end", end)
                    seen, heard = flashes(out)
                    self.assertEqual(len(seen), len(heard), (seen, heard))
                    for one, other in zip(seen, heard):
                        self.assertLess(abs(one - other), 0.005, (seen, heard))
                    if name == "clip.mp4":
                        video, audio = (ffprobe(out, "-select_streams", which, "-show_streams")["streams"][0] for which in ("v:0", "a:0"))
                        self.assertEqual(float(video["start_time"]), 0)
                        self.assertLess(abs(float(audio["start_time"])), 0.022)
                        self.assertLess(abs(float(audio["duration"]) - float(video["duration"])), 0.045)

    def test_audio_stays_synchronous_beside_hidden_pictures(self):
        path, out = self.directory / "audio.mp4", self.directory / "clip.mp4"
        ffmpeg("-i", beeps(), "-c:v", "libx264", "-x264-params", "open-gop=1:keyint=30:min-keyint=30:scenecut=0:bframes=3", "-c:a", "copy",
               path)
        counts = self.cut(path, out, "--start", "3.7", "--end", "7.9")
        self.assertGreater(counts[2], 0)
        seen, heard = flashes(out)
        self.assertEqual(len(seen), 4)
        for one, other in zip(seen, heard):
            self.assertLess(abs(one - other), 0.005, (seen, heard))
        self.assertAlmostEqual(seen[0], 0.3, delta=0.041)

    def captions(self, path):
        """Returns the captions of the pictures of a file, in order of presentation."""
        stream = self.directory / "captions.264"
        succeeded("demux", path, stream, "--force")
        found, data = [], None
        for unit in units(stream.read_bytes()):
            if unit[0] & 31 == 6 and b"GA94" in unit:
                data = unit.replace(b"\0\0\3", b"\0\0").split(b"GA94")[1]
            elif unit[0] & 31 in (1, 5):
                found.append(data)
                data = None
        order = [float(packet[0]) for packet in packets(path)]
        return [data for _, data in sorted(zip(order, found, strict=True))]

    def test_captions_of_encoded_pictures_are_kept(self):
        """Each picture has its own captions, some with bytes that need emulation prevention."""
        plain, path, source = (self.directory / name for name in ("plain.h264", "captions.h264", "captions.mp4"))
        ffmpeg("-i", CLIP, "-frames:v", "70", *x264("keyint=30:min-keyint=30:scenecut=0:bframes=2:b-adapt=0:sliced-threads=0"), plain)
        stream, number = [], 0
        for unit in units(plain.read_bytes()):
            if unit[0] & 31 in (1, 5):
                data = b"\xb5\0\x31GA94\3\x41\xff\xfc" + bytes((0, 0, number % 4, number, 255))
                bits = Bits().u(8, 4).u(8, len(data))
                for byte in data:
                    bits.u(8, byte)
                stream.append(bits.unit(6))
                number += 1
            stream.append(unit)
        self.assertEqual(number, 70)
        path.write_bytes(annex_b(stream))
        succeeded("demux", path, source)
        expected = self.captions(source)
        self.assertEqual(len(set(expected)), 70)
        for extension in ("mp4", "ts"):
            out = self.directory / f"out.{extension}"
            counts = self.cut(source, out, "--start", f"{float(10 * FRAME) - 0.01:.6f}", "--end", f"{float(65 * FRAME) - 0.01:.6f}")
            self.assertGreaterEqual(counts[1], 20)
            self.assertEqual(self.captions(out), expected[10:65])
            self.assertEqual(len(pictures(out)), 55)

    def views(self, path):
        """Returns FFmpeg's arrangement of the stereoscopic views of each picture. A message lasts to the next key frame."""
        found, last = [], []
        for frame in ffprobe(path, "-select_streams", "v:0", "-show_frames")["frames"]:
            own = [data for data in frame.get("side_data_list", []) if data["side_data_type"] == "Stereo 3D"]
            last = own if own or frame["key_frame"] else last
            found.append(last)
        return found

    def test_stereoscopic_views_are_kept(self):
        """The message is in IDR pictures only and lasts to the next one, or is in each picture."""
        for kind in (3, 5):
            path = self.directory / f"views-{kind}.mp4"
            ffmpeg("-i", CLIP, "-frames:v", "70",
                   *x264(f"frame-packing={kind}:keyint=30:min-keyint=30:scenecut=0:bframes=2:b-adapt=0"), path)
            expected = self.views(path)
            self.assertTrue(all(expected))
            out = self.directory / "out.mp4"
            counts = self.cut(path, out, "--start", f"{float(10 * FRAME) - 0.01:.6f}", "--end", f"{float(65 * FRAME) - 0.01:.6f}")
            self.assertGreaterEqual(counts[1], 20)
            self.assertEqual(self.views(out), expected[10:65])

    def test_the_rotation_is_kept(self):
        out = self.directory / "clip.mp4"
        self.cut(media("turned"), out, "--start", "0.5", "--end", "3")
        ours, theirs = (ffprobe(path, "-show_streams")["streams"][0]["side_data_list"][0]["rotation"] for path in (out, media("turned")))
        self.assertEqual(ours, theirs)

    def test_everything_that_the_output_cannot_store_is_named(self):
        chapters, path = self.directory / "chapters.txt", self.directory / "clip.mov"
        chapters.write_text(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=2\ntitle=one\n")
        ffmpeg("-i", media("turned"), "-i", chapters, "-map", "0", "-map_metadata", "1", "-c", "copy", "-timecode", "00:00:00:00", path)
        lines = succeeded("cut", path, self.directory / "part.mkv", "--start", "3").stderr.decode()
        for words in ("players rotate", "not kept of", "1 chapter", "left out of", "data tmcd"):
            self.assertIn(words, lines)

    def test_a_change_of_the_pictures_is_kept_or_refused(self):
        """The pictures before a change of size or bit depth keep their own, or the cut is refused."""
        small, out = self.directory / "small.h264", self.directory / "out.mp4"
        ffmpeg("-i", CLIP, "-frames:v", "10", "-vf", "scale=96:64", *x264("bframes=0"), small)
        for size, pixels in (("176:144", "yuv420p"), ("96:64", "yuv420p10le")):
            first, both = self.directory / "first.h264", self.directory / "both.h264"
            ffmpeg("-i", CLIP, "-frames:v", "10", "-vf", f"scale={size}", "-pix_fmt", pixels, *x264("bframes=0"), first)
            both.write_bytes(first.read_bytes() + small.read_bytes())
            for start in ("0", "0.1"):
                self.assertRefuses(run("cut", both, out, "--start", start), 1, "the pictures change from")
                self.assertFalse(out.exists())
            stream = self.directory / "out.ts"
            self.assertEqual(self.cut(both, stream, "--start", "0.1")[:2], (10, 7))
            frames = ffprobe(stream, "-show_entries", "frame=width,height,pix_fmt")["frames"]
            found = [(f"{frame['width']}:{frame['height']}", frame["pix_fmt"]) for frame in frames]
            self.assertEqual(found, [(size, pixels)] * 7 + [("96:64", "yuv420p")] * 10)
            if size == "176:144":
                self.assertIn(b"10 frames (1 key frame) of 176x144", run("demux", both, out, "--force").stderr)
                out.unlink()

    def test_wrong_arguments_and_impossible_cuts_are_refused(self):
        out = self.directory / "out.mp4"
        for options, code, *words in (
            ((media("mp4"), out), 64, "add --start, --end or both"),
            ((media("mp4"), out, "--start", "2", "--end", "1"), 64, "after the start"),
            ((media("mp4"), out, "--start", "50"), 1, "no frame in this range", "lasts from 0 to 4.004 s"),
            ((media("mp4"), out, "--start", "1.002", "--end", "1.003"), 1, "no frame in this range"),
            ((media("mp4"), out.with_suffix(".xyz"), "--start", "1"), 64, "selects no container"),
            (("-", out, "--start", "1"), 64, "needs a name"),
            ((media("mp4"), "-", "--start", "1"), 64, "needs a name"),
            ((self.directory / "none.mp4", out, "--start", "1"), 1, "none.mp4"),
            ((source("hevc"), out.with_suffix(".flv"), "--start", "1"), 1, "cut"),
        ):
            with self.subTest(options=options[1:]):
                self.assertRefuses(run("cut", *options), code, *words)
                self.assertFalse(out.exists())
        same = self.directory / "same.mp4"
        same.write_bytes(media("mp4").read_bytes())
        self.assertRefuses(run("cut", same, same, "--start", "1", "--force"), 1, "the input itself")
        self.assertEqual(same.read_bytes(), media("mp4").read_bytes())
        out.write_bytes(b"kept")
        self.assertRefuses(run("cut", media("mp4"), out, "--start", "1"), 1, "--force")
        self.assertFails(run("cut", media("mp4"), out, "--start", "50", "--force"), 1, "no frame")
        self.assertEqual(out.read_bytes(), b"kept")
