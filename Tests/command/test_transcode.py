"""nalu transcode, and nalu encode of compressed files: times, colour, shape and rotation are kept."""
import json
import subprocess

from media import ffprobe, media, packets, pictures, succeeded, times
from support import CLIP, FRAMES, TIME_LIMIT, CommandTest, ffmpeg, psnr, run

KEYS = ("width", "height", "sample_aspect_ratio", "color_range", "color_space", "color_primaries", "color_transfer")


def facts(path):
    return ffprobe(path, "-show_streams")["streams"][0]


class Transcode(CommandTest):
    def test_transcoding_keeps_the_times_of_every_container(self):
        for kind in ("mp4", "mov", "fragmented", "variable", "late", "low delay", "mkv", "ts", "flv"):
            with self.subTest(kind=kind):
                path = self.directory / "clip.mp4"
                result = run("transcode", media(kind), path, "--force", "--preset", "veryfast")
                self.assertSucceeds(result)
                self.assertEqual(times(path), times(media(kind)))
                self.assertEqual(len(pictures(path)), len(pictures(media(kind))))
                self.assertGreater(psnr(path, media(kind)), 34)

    def test_transcoding_keeps_the_duration(self):
        path = self.directory / "clip.mp4"
        succeeded("transcode", media("mp4"), path)
        self.assertAlmostEqual(float(facts(path)["duration"]), FRAMES * 1001 / 30000, places=3)

    def test_transcoding_keeps_colour_and_pixel_aspect_ratio(self):
        for kind in ("mp4", "wide colour", "full range", "odd size"):
            with self.subTest(kind=kind):
                path = self.directory / "clip.mp4"
                succeeded("transcode", media(kind), path, "--force")
                ours, theirs = facts(path), facts(media(kind))
                for key in KEYS:
                    if theirs.get(key, "unknown") not in ("unknown", "unspecified"):
                        self.assertEqual(ours.get(key), theirs[key], key)

    def test_mirroring_is_kept(self):
        for command in ("transcode", "encode", "demux"):
            with self.subTest(command=command):
                path = self.directory / "clip.mp4"
                succeeded(command, media("mirrored"), path, "--force")
                track = json.loads(succeeded("inspect", path, "--json").stdout)["container"]["tracks"][0]
                self.assertEqual((track["mirrored"], track["rotation"]), (True, 180))
        result = succeeded("transcode", media("mirrored"), self.directory / "clip.mkv")
        self.assertIn("mirror", result.stderr.decode())

    def test_the_rotation_is_kept(self):
        path = self.directory / "clip.mp4"
        succeeded("transcode", media("turned"), path)
        self.assertEqual(facts(path)["side_data_list"][0]["rotation"], facts(media("turned"))["side_data_list"][0]["rotation"])
        self.assertEqual((facts(path)["width"], facts(path)["height"]), (176, 144))

    def test_transcode_accepts_encoder_options(self):
        path = self.directory / "clip.mp4"
        succeeded("transcode", media("mp4"), path, "--bit-rate", "60k", "-p", "MaxKeyFrameInterval=25", "--frames", 100)
        flags = [packet[3] for packet in packets(path)]
        self.assertEqual((len(flags), flags.count("K")), (100, 4))
        self.assertLess(path.stat().st_size * 8 / (100 * 1001 / 30000), 90_000)
        self.assertRefuses(run("transcode", media("mp4"), self.output, "--preset", "swift"), 64, "swift")
        self.assertRefuses(run("transcode", media("mp4"), self.output, "--fragmented"), 64, "--fragmented")

    def test_audio_ends_with_the_last_of_the_frames(self):
        """The audio lasts to the end of the last frame in each of several runs."""
        source, path = self.directory / "audio.mkv", self.directory / "clip.mkv"
        ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=440:sample_rate=48000:duration=8", "-c:v", "libx264", "-c:a", "flac",
               "-frame_size", 480, source)
        for _ in range(4):
            succeeded("transcode", source, path, "--force", "--frames", 45)
            found = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of",
                                    "csv=p=0", path], capture_output=True, text=True, check=True, timeout=TIME_LIMIT).stdout.split()
            # 45 frames last 1.5015 s, and audio packets last 10 ms.
            self.assertEqual((len(found), float(found[-1].strip(","))), (151, 1.5))
            self.assertEqual(len(pictures(path)), 45)

    def test_ten_bits_are_kept(self):
        source, path = self.directory / "deep.mp4", self.directory / "clip.mp4"
        ffmpeg("-i", CLIP, "-frames:v", 12, "-pix_fmt", "yuv420p10le", "-c:v", "libx264", source)
        succeeded("transcode", source, path)
        self.assertEqual((facts(path)["pix_fmt"], facts(path)["profile"]), ("yuv420p10le", "High 10"))
        self.assertEqual(times(path), times(source))

    def test_transcode_reads_and_writes_pipes(self):
        result = run("transcode", "-", "-", "--container", "ts", input=media("ts").read_bytes())
        self.assertSucceeds(result)
        self.assertEqual(len(pictures("-", source=result.stdout)), FRAMES)


class Encode(CommandTest):
    def test_encoding_a_video_file_keeps_its_times(self):
        path = self.directory / "clip.mp4"
        succeeded("encode", media("variable"), "-o", path)
        self.assertEqual(times(path), times(media("variable")))

    def test_fps_replaces_the_times_of_a_video_file(self):
        path = self.directory / "clip.mp4"
        succeeded("encode", media("mp4"), "-o", path, "--fps", 10, "--frames", 20)
        answer = ffprobe(path, "-show_streams")["streams"][0]
        self.assertEqual((answer["r_frame_rate"], answer["nb_frames"]), ("10/1", "20"))
        self.assertAlmostEqual(float(answer["duration"]), 2.0)

    def test_transcoding_equals_decoding_and_encoding(self):
        """The same frames are encoded, whether decoded by this command or before."""
        frames, ours, theirs = (self.directory / name for name in ("clip.y4m", "ours.264", "theirs.264"))
        succeeded("decode", media("h264"), frames)
        succeeded("encode", media("h264"), "-o", ours)
        succeeded("encode", frames, "-o", theirs)
        self.assertEqual(pictures(ours, "-f", "h264"), pictures(theirs, "-f", "h264"))

    def test_refusals(self):
        self.assertRefuses(run("encode", media("mp4"), "-o", self.output, "--range", "full"), 64, "--range")
        path = self.directory / "other.avi"
        ffmpeg("-i", CLIP, "-frames:v", 3, "-c:v", "mpeg4", path)
        self.assertRefuses(run("encode", path, "-o", self.output), 1, "not Y4M", "mpeg4", "ffmpeg -i FILE")
