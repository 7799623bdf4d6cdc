"""nalu inspect of containers: their facts, and the times of the frames, compared with ffprobe's."""
import json
import subprocess

from media import KINDS, ffprobe, media, packets, succeeded
from support import FRAMES, HEIGHT, TIME_LIMIT, WIDTH, CommandTest, run


def inspected(path, *options):
    return json.loads(succeeded("inspect", path, "--json", *options).stdout)


class Facts(CommandTest):
    def test_a_container_is_named_with_its_tracks(self):
        names = {"mp4": "mp4", "mov": "mov", "mkv": "matroska", "ts": "mpegts", "flv": "flv"}
        for kind, name in names.items():
            with self.subTest(kind=kind):
                facts = inspected(media(kind))
                container = facts["container"]
                self.assertEqual((container["name"], container["inspected"]), (name, 0))
                self.assertEqual(container["size"], media(kind).stat().st_size)
                self.assertAlmostEqual(container["duration"], FRAMES * 1001 / 30000, delta=0.08)
                track = container["tracks"][0]
                self.assertEqual((track["type"], track["codec"], track["width"], track["height"]),
                                 ("video", "h264", WIDTH, HEIGHT))
                self.assertAlmostEqual(track["frameRate"], 30000 / 1001, delta=0.05)
                self.assertEqual(facts["stream"]["frames"], FRAMES)
                self.assertEqual(facts["problemCount"], 0)

    def test_times_are_those_of_the_packets(self):
        for kind in ("mp4", "mov", "fragmented", "variable", "late", "low delay", "mkv", "flv"):
            with self.subTest(kind=kind):
                facts = inspected(media(kind))
                scale = facts["container"]["tracks"][0]["timescale"]
                theirs = packets(media(kind))
                for frame, packet in zip(facts["frames"], theirs, strict=True):
                    self.assertAlmostEqual(frame["pts"] / scale, float(packet[0]), places=5)
                    if packet[1] not in (None, "N/A"):
                        self.assertAlmostEqual(frame["dts"] / scale, float(packet[1]), places=5)
                    self.assertEqual(frame["size"], packet[2])
                    self.assertEqual(frame["key"], packet[3] == "K")

    def test_frames_are_those_of_the_stream(self):
        stream = self.directory / "clip.h264"
        succeeded("demux", media("mp4"), stream)
        ours, theirs = inspected(media("mp4")), inspected(stream)
        keys = ("type", "key", "reference", "slices", "qp", "frameNumber", "pictureOrderCount", "display")
        self.assertEqual([[frame[key] for key in keys] for frame in ours["frames"]],
                         [[frame[key] for key in keys] for frame in theirs["frames"]])
        self.assertNotIn("container", theirs)
        self.assertNotIn("pts", theirs["frames"][0])

    def test_rotation_start_and_other_tracks(self):
        track = inspected(media("turned"))["container"]["tracks"][0]
        self.assertEqual(track["rotation"], 270)
        self.assertAlmostEqual(inspected(media("late"))["container"]["tracks"][0]["start"], 0.5, places=2)
        container = inspected(media("audio"))["container"]
        self.assertEqual([track["type"] for track in container["tracks"]], ["video", "audio"])
        audio = container["tracks"][1]
        self.assertEqual((audio["codec"], audio["sampleRate"], audio["channels"]), ("aac", 44100, 1))
        self.assertEqual(run("inspect", media("audio"), "--track", 1).returncode, 1)

    def test_the_table_describes_the_container(self):
        text = succeeded("inspect", media("audio"), "--frames").stdout.decode()
        self.assertIn("file      mp4, ", text)
        self.assertIn("track 0   video h264, 176x144, 29.97 fps", text)
        self.assertIn("track 1   audio aac, 44100 Hz, 1 channel", text)
        self.assertRegex(text, r"POC +pts +dts\n")
        self.assertLessEqual(max(len(line) for line in text.splitlines()[:30]), 100)

    def test_the_page_describes_the_container(self):
        page = self.directory / "page.html"
        succeeded("inspect", media("audio"), "--html", page)
        text = page.read_text()
        for part in ("in mp4", "track 1", "audio aac"):
            self.assertIn(part, text)

    def test_a_file_without_video_is_described(self):
        path = self.directory / "audio.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-i", media("audio"), "-map", "0:a", "-c", "copy", path], check=True,
                       timeout=TIME_LIMIT)
        facts = inspected(path)
        self.assertEqual(facts["container"]["inspected"], None)
        self.assertEqual(facts["container"]["tracks"][0]["codec"], "aac")
        self.assertIn("no H.264 or H.265 track to inspect", succeeded("inspect", path).stdout.decode())
        self.assertRefuses(run("inspect", path, "--html", self.directory / "page.html"), 1, path, "no H.264")

    def test_an_encrypted_track_is_marked(self):
        path = self.directory / "secret.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-i", media("audio"), "-c", "copy", "-encryption_scheme", "cenc-aes-ctr",
                        "-encryption_key", "00112233445566778899aabbccddeeff", "-encryption_kid", "0123456789abcdef0123456789abcdef",
                        path], check=True, timeout=TIME_LIMIT)
        container = inspected(path)["container"]
        self.assertEqual(container["inspected"], None)
        self.assertEqual((container["tracks"][0]["codec"], container["tracks"][0]["encrypted"]), ("h264", True))
        self.assertIn("video h264, encrypted", succeeded("inspect", path).stdout.decode())
        self.assertRefuses(run("inspect", path, "--track", 0), 1, path, "encrypted (cenc)")

    def test_a_stream_has_no_tracks_to_select(self):
        self.assertRefuses(run("inspect", media("h264"), "--track", 1), 64, "--track is 1", "a stream without tracks")
