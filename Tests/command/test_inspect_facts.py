"""nalu inspect: the facts about containers equal ffprobe's."""
import json

from media import ffprobe, media, succeeded
from support import CLIP, FRAMES, CommandTest, ffmpeg, run

RATE = 30000 / 1001


def facts(path, *options):
    return json.loads(succeeded("inspect", path, "--json", *options).stdout)


def without_default_duration(path):
    """Removes the frame rate from a Matroska file by making its element void."""
    data = path.read_bytes()
    place = data.index(b"\x23\xe3\x83")
    size = data[place + 3] & 0x7F
    path.write_bytes(data[:place] + bytes((0xEC, 0x80 | (size + 2))) + bytes(size + 2) + data[place + 4 + size:])


class Audio(CommandTest):
    def test_the_audio_codec_of_a_transport_stream_is_detected(self):
        """The audio codec is found in spite of the stream type: MPEG-TS has one type for all layers of MPEG audio."""
        for codec, options in (("mp2", ("-ac", "1", "-ar", "32000")), ("mp3", ("-c:a", "libmp3lame", "-ac", "2", "-ar", "22050")),
                               ("aac", ("-ac", "2", "-ar", "44100")), ("ac3", ("-ac", "6", "-ar", "48000")),
                               ("eac3", ("-ac", "2", "-ar", "32000"))):
            with self.subTest(codec=codec):
                path = self.directory / f"{codec}.ts"
                ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=d=2", "-c:v", "copy", "-c:a", codec, *options, path)
                theirs = ffprobe(path, "-show_streams")["streams"][1]
                ours = facts(path)["container"]["tracks"][1]
                self.assertEqual((ours["codec"], ours["sampleRate"], ours["channels"]),
                                 (theirs["codec_name"], int(theirs["sample_rate"]), theirs["channels"]))

    def test_a_wrong_stream_type_does_not_hide_the_audio_codec(self):
        """AAC with the stream type of MPEG audio."""
        path = self.directory / "aac.ts"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=d=2", "-c:v", "copy", "-c:a", "aac", path)
        data = bytearray(path.read_bytes())
        entry = data.index(b"\x0f\xe1\x01")
        data[entry] = 0x04
        section = data.rindex(b"\0\x02\xb0", 0, entry) + 1
        size = (data[section + 1] << 8 | data[section + 2]) & 0xFFF
        checksum = 0xFFFFFFFF
        for byte in data[section:section + size - 1]:
            for bit in range(7, -1, -1):
                top = checksum >> 31 ^ byte >> bit & 1
                checksum = checksum << 1 & 0xFFFFFFFF ^ (0x04C11DB7 if top else 0)
        table = bytes(data[entry - 10:entry])
        while (place := data.find(table + b"\x0f", 0)) >= 0:
            data[place + 10] = 0x04
        first = bytes(data[section:section + size - 1])
        for place in range(len(data)):
            if data[place:place + len(first)] == first:
                data[place + len(first):place + len(first) + 4] = checksum.to_bytes(4, "big")
        path.write_bytes(data)
        self.assertEqual(facts(path)["container"]["tracks"][1]["codec"], "aac")

    def test_audio_facts_come_from_the_packets(self):
        """A camera's stream, whose audio codec shows only in the packets; and FLV, which always states two channels."""
        for name, options in (("clip.m2ts", ("-f", "mpegts", "-mpegts_m2ts_mode", "1")), ("clip.flv", ())):
            with self.subTest(name=name):
                path = self.directory / name
                ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=d=3:r=44100", "-c:v", "copy", "-c:a", "aac", "-ac", "1", *options,
                       path)
                ours = next(track for track in facts(path)["container"]["tracks"] if track["codec"] != "h264")
                self.assertEqual((ours["type"], ours["codec"], ours["sampleRate"], ours["channels"]), ("audio", "aac", 44100, 1))

    def test_the_duration_of_an_mp4_counts_from_time_0(self):
        """The duration of an MP4 counts from time 0, as players show it."""
        path = self.directory / "late.mp4"
        ffmpeg("-i", media("mp4"), "-c", "copy", "-output_ts_offset", "3", path)
        theirs = ffprobe(path, "-show_format")
        self.assertAlmostEqual(facts(path)["container"]["duration"], float(theirs["format"]["duration"]), delta=0.01)

    def test_the_duration_includes_longer_audio(self):
        path = self.directory / "long.ts"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=d=7", "-c:v", "copy", "-c:a", "aac", path)
        ours, theirs = facts(path), ffprobe(path, "-show_format")
        # ffprobe ignores the duration of the last audio packet.
        self.assertAlmostEqual(ours["container"]["duration"], 7, delta=0.1)
        self.assertGreater(ours["container"]["duration"], float(theirs["format"]["duration"]))
        self.assertAlmostEqual(ours["container"]["tracks"][0]["duration"], FRAMES / RATE, delta=0.01)
        self.assertAlmostEqual(ours["container"]["tracks"][1]["duration"], 7, delta=0.1)
        self.assertAlmostEqual(ours["stream"]["duration"], FRAMES / RATE, delta=0.01)


class Rate(CommandTest):
    def test_the_frame_rate_follows_from_the_times_of_the_container(self):
        """The stream has 1200 ticks per second, and the container states no rate. The rate follows from the times."""
        for extension, options in (("mkv", ()), ("flv", ("-flvflags", "no_metadata"))):
            with self.subTest(extension=extension):
                path = self.directory / f"ticks.{extension}"
                ffmpeg("-i", media("mp4"), "-c", "copy", "-bsf:v", "h264_metadata=tick_rate=1200:fixed_frame_rate_flag=0", *options,
                       path)
                if extension == "mkv":
                    without_default_duration(path)
                ours = facts(path)
                self.assertAlmostEqual(ours["stream"]["frameRate"], RATE, delta=0.1)
                self.assertAlmostEqual(ours["stream"]["duration"], FRAMES / RATE, delta=0.05)
                self.assertAlmostEqual(ours["container"]["tracks"][0]["frameRate"], RATE, delta=0.3)

    def test_ticks_of_a_transport_stream_are_no_frame_rate(self):
        """The stream has 180000 ticks per second, and uneven times. `cut` begins its new pictures with the rate."""
        path = self.directory / "uneven.ts"
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=128x96:r=50:d=3", "-vf", "select='not(mod(n,2))+gt(t,1.5)'", "-fps_mode", "vfr",
               "-enc_time_base", "1/90000", "-c:v", "libx264", "-preset", "veryfast", "-g", "50", path)
        self.assertAlmostEqual(facts(path)["container"]["tracks"][0]["frameRate"], 25, delta=0.1)
        self.assertSucceeds(run("cut", path, self.directory / "part.mp4", "--start", "1.1"))

    def test_hidden_frames_are_listed_and_not_counted_in_the_rate(self):
        """All frames of the stream are listed, also hidden ones. The rate is that of the displayed frames."""
        for extension in ("mp4", "mov"):
            for options in (("-ss", "0.6", "-i", media("mp4")), ("-i", media("mp4"), "-t", "2.2")):
                with self.subTest(extension=extension, options=options[0]):
                    path = self.directory / f"cut.{extension}"
                    ffmpeg(*options, "-c", "copy", path)
                    packets = ffprobe(path, "-show_packets")["packets"]
                    hidden = sum("D" in packet["flags"] for packet in packets)
                    ours = facts(path)
                    self.assertEqual((ours["stream"]["frames"], ours["stream"]["hidden"]), (len(packets), hidden))
                    self.assertAlmostEqual(ours["stream"]["frameRate"], RATE, delta=0.1)

    def test_an_unknown_duration_follows_from_the_samples(self):
        """A Matroska file from a pipe contains no duration. It follows from the samples."""
        path = self.directory / "live.mkv"
        ffmpeg("-i", media("mp4"), "-c", "copy", "-live", "1", path)
        self.assertNotIn("duration", ffprobe(path, "-show_format")["format"])
        self.assertAlmostEqual(facts(path)["container"]["duration"], FRAMES / RATE, delta=0.1)

    def test_the_rate_of_uneven_times_is_their_mean(self):
        """The rate is the mean, as in players and ffprobe."""
        ours = facts(media("variable"))
        theirs = ffprobe(media("variable"), "-show_streams")
        over, under = theirs["streams"][0]["avg_frame_rate"].split("/")
        self.assertAlmostEqual(ours["stream"]["frameRate"] / (int(over) / int(under)), 1, delta=0.02)
        self.assertAlmostEqual(ours["stream"]["duration"] / float(theirs["streams"][0]["duration"]), 1, delta=0.02)

    def test_a_stream_without_timing_has_one_assumed_rate_everywhere(self):
        """The header, the summary and the duration use the same rate."""
        stream, path = self.directory / "plain.h265", self.directory / "plain.y4m"
        ffmpeg("-i", CLIP, "-frames:v", "10", "-c:v", "libx265", "-x265-params", "log-level=none:vui-timing-info=0:info=0", stream)
        ours = facts(stream)["stream"]
        self.assertEqual(ours["frameRateSource"], "assumed")
        said = succeeded("decode", stream, path).stderr.decode()
        rate = next(word for word in path.read_bytes().split(b"\n")[0].decode().split() if word.startswith("F"))[1:]
        over, under = map(int, rate.split(":"))
        self.assertIn(f"at {over // under} fps, {10 * under / over:.2f} s", said)
        self.assertEqual((ours["frameRate"], ours["duration"]), (over / under, 10 * under / over))
