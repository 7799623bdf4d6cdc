"""Files with unusual times: every frame of the source is shown at its time."""
import json
import struct
import subprocess

from media import leading_pictures, media, packets, pictures, succeeded, times, units
from support import CLIP, FRAMES, TIME_LIMIT, CommandTest, ffmpeg, run

X264 = ("-c:v", "libx264", "-preset", "veryfast", "-x264-params", "keyint=40:bframes=3:b-adapt=0")
MOVIES = (("a.mp4", ()), ("b.mov", ()), ("c.mp4", ("--fast-start",)), ("d.mp4", ("--fragmented",)))
TICK = 0.0021
"""The error in seconds after rounding a time to milliseconds twice."""
END_OF_SEQUENCE = (bytes([36 << 1, 1]), bytes([62 << 1, 1]) + b"data of an application")
"""The last NAL units of an H.265 access unit: the end of the sequence, and one of a type that the standard leaves open."""


def shown(path):
    """Returns the checksum of each frame that FFmpeg shows, and its time in seconds."""
    text = ffmpeg("-copyts", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-enc_time_base", "1:90000", "-f",
                  "framemd5", "-").decode()
    lines = [line.split(",") for line in text.splitlines() if not line.startswith("#")]
    return [line[5].strip() for line in lines], [int(line[2]) / 90000 for line in lines]


def first_times(path):
    """Returns the first times of audio and video."""
    video, audio = (sorted(float(packet[0]) for packet in packets(path, track) if packet[3] != "D") for track in ("v:0", "a:0"))
    return video[0], audio[0]


def without_times(transport_stream, numbers):
    """Returns the MPEG-TS without PTS and DTS in the video PES packets with these numbers."""
    data = bytearray(transport_stream)
    number = -1
    for start in range(0, len(data), 188):
        packet = start + 4 + (data[start + 4] + 1 if data[start + 3] & 0x20 else 0)
        if not data[start + 1] & 0x40 or data[packet : packet + 3] != b"\0\0\1" or data[packet + 3] & 0xF0 != 0xE0:
            continue
        number += 1
        if number in numbers:
            data[packet + 7] &= 0x3F
            length = data[packet + 8]
            data[packet + 9 : packet + 9 + length] = b"\xff" * length
    assert number >= max(numbers)
    return bytes(data)


class EveryFrame(CommandTest):
    def test_idr_pictures_out_of_order_are_sorted(self):
        """Every second IDR picture is presented before the one before it. The output is in order of presentation."""
        source, output = self.directory / "swapped.mp4", self.directory / "out.mp4"
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=1", "-c:v", "libx264", "-g", 1, "-bf", 0, "-frames:v", 24, "-bsf:v",
               "setts=pts=(N+2-2*mod(N\\,2))*512:dts=N*512", "-video_track_timescale", 12800,
               "-use_editlist", 0, source)
        succeeded("transcode", source, "-o", output, "--quality", "0.9")
        self.assertEqual([round(25 * time) for time in sorted(shown(output)[1])], list(range(1, 25)))
        # The picture contains a counter, so a frame differs less from the same frame than from its neighbours.
        raw = [ffmpeg("-i", path, "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "-") for path in (source, output)]
        size = 128 * 96
        decoded, encoded = ([data[at : at + size] for at in range(0, len(data), size)] for data in raw)
        for number in range(0, 24, 2):
            swapped = (decoded[number + 1], decoded[number])
            for frame, same in zip(encoded[number : number + 2], swapped):
                difference = [sum(abs(a - b) for a, b in zip(frame, other)) for other in (same, swapped[swapped[0] is same])]
                self.assertLess(difference[0], difference[1])

    def check(self, source, *outputs):
        """Checks that copies show the source's frames at the same intervals."""
        digests, times = shown(source)
        for name, options in outputs or MOVIES:
            with self.subTest(source=source.name, name=name, options=options):
                copy = self.directory / name
                succeeded("demux", source, copy, "--force", *options)
                copied, places = shown(copy)
                self.assertEqual(copied, digests)
                apart = [abs((ours - places[0]) - (theirs - times[0])) for ours, theirs in zip(places, times)]
                self.assertLess(max(apart), TICK)
                self.assertGreaterEqual(places[0], 0)
        return digests

    def test_leading_pictures_of_the_first_key_frame_keep_their_times(self):
        """Decodable pictures that are presented before the first key frame."""
        source = self.directory / "leading.ts"
        leading_pictures(source, self.directory)
        (pts, *_), *rest = packets(source)
        self.assertLess(min(float(packet[0]) for packet in rest), float(pts))
        self.check(source, *MOVIES, ("e.mkv", ()), ("f.ts", ()))
        decoded = self.directory / "leading.y4m"
        succeeded("decode", source, decoded)
        self.assertEqual(pictures(decoded), shown(source)[0])

    def test_negative_times_stay_synchronous(self):
        """PTS that are about to wrap, which FFmpeg's reader makes negative. The audio stays in step."""
        for offset in ("95441", "95439.5"):
            source = self.directory / f"wraps-{offset}.ts"
            ffmpeg("-i", media("audio"), "-c", "copy", "-output_ts_offset", offset, source)
            self.assertEqual(len(self.check(source)), FRAMES)
            video, audio = first_times(source)
            for name, _ in MOVIES:
                with self.subTest(offset=offset, name=name):
                    begin = first_times(self.directory / name)
                    self.assertAlmostEqual(begin[1] - begin[0], audio - video, delta=TICK)

    def test_a_single_picture_gets_a_duration(self):
        """A single picture without a duration, as in a raw stream without timing or some containers."""
        source = self.directory / "one.h264"
        ffmpeg("-i", CLIP, "-frames:v", "1", *X264, source)
        from_mkv = self.directory / "one.mkv"
        ffmpeg("-i", CLIP, "-frames:v", "1", *X264, from_mkv)
        for path in (source, from_mkv):
            digests = pictures(path)
            self.assertEqual(len(digests), 1)
            for name, options in MOVIES:
                with self.subTest(source=path.name, name=name, options=options):
                    succeeded("demux", path, self.directory / name, "--force", *options)
                    self.assertEqual(pictures(self.directory / name), digests)

    def test_samples_with_equal_decode_times_get_durations(self):
        """All samples of an MP4 have the same decode time."""
        data = bytearray(media("low delay").read_bytes())
        table = data.index(b"stts") + 8
        count = struct.unpack(">I", data[table : table + 4])[0]
        for entry in range(count):
            data[table + 8 + 8 * entry : table + 12 + 8 * entry] = bytes(4)
        source = self.directory / "none.mp4"
        source.write_bytes(data)
        digests = pictures(media("low delay"))
        decoded = self.directory / "none.y4m"
        succeeded("decode", source, decoded)
        self.assertEqual(pictures(decoded), digests)
        for name, options in MOVIES:
            with self.subTest(name=name, options=options):
                succeeded("demux", source, self.directory / name, "--force", *options)
                copied, times = shown(self.directory / name)
                self.assertEqual(copied, digests)
                self.assertAlmostEqual(times[-1] - times[0], (FRAMES - 1) * 1001 / 30000, delta=0.01)

    def test_times_that_jump_back_are_carried_on(self):
        """Two MPEG-TS recordings with the same times are joined. The frames of the second follow those of the first."""
        part, other, joined, output = (self.directory / name for name in ("part.ts", "other.ts", "joined.ts", "out.mp4"))
        for size, path in (("128x96", part), ("96x80", other)):
            ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={size}:r=25:d=1", "-c:v", "libx264", "-preset", "veryfast", path)
        joined.write_bytes(2 * part.read_bytes())
        result = succeeded("transcode", joined, output)
        self.assertIn("jump back 1 time", result.stderr.decode())
        shown_times = times(output)
        self.assertEqual([25 * (time - shown_times[0]) for time in shown_times], list(range(50)))
        # FFmpeg's reader mistakes a jump back by more than a minute for the wrap of 33-bit times.
        late = self.directory / "late.ts"
        ffmpeg("-i", part, "-c", "copy", "-output_ts_offset", "1000", late)
        joined.write_bytes(late.read_bytes() + part.read_bytes())
        result = succeeded("transcode", joined, output, "--force")
        self.assertIn("jump back 1 time", result.stderr.decode())
        shown_times = times(output)
        self.assertEqual([25 * (time - shown_times[0]) for time in shown_times], list(range(50)))
        # Pictures of another size end the output, and the exit code says so.
        joined.write_bytes(part.read_bytes() + other.read_bytes())
        self.assertFails(run("transcode", joined, output, "--force", "--quiet"), 1, "96x80", "25 frames written")

    def test_frames_that_are_left_out_are_an_error(self):
        """The audio of the joined recordings keeps its times, so the frames after the jump cannot have others."""
        part, joined, output = (self.directory / name for name in ("part.ts", "joined.ts", "out.mkv"))
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "libx264",
               "-preset", "veryfast", "-c:a", "aac", part)
        joined.write_bytes(2 * part.read_bytes())
        self.assertFails(run("transcode", joined, output, "--quiet"), 1, "25 frames", "--fps", "25 frames written")

    def test_missing_times_of_a_transport_stream_are_filled_in(self):
        """Access units of a transport stream without times: B-frames, a P-frame, and the second IDR picture."""
        whole = self.directory / "whole.ts"
        ffmpeg("-i", CLIP, *X264, whole)
        digests, times = shown(whole)
        for numbers in ((40,), (41, 42, 43), (80, 81), (50, 51, 52, 53, 54, 55, 80)):
            with self.subTest(numbers=numbers):
                source, copy = self.directory / "part.ts", self.directory / "part.mp4"
                source.write_bytes(without_times(whole.read_bytes(), numbers))
                decoded = self.directory / "part.y4m"
                succeeded("decode", source, decoded, "--force")
                self.assertEqual(pictures(decoded), digests)
                succeeded("demux", source, copy, "--force")
                copied, places = shown(copy)
                self.assertEqual(copied, digests)
                apart = [abs((ours - places[0]) - (theirs - times[0])) for ours, theirs in zip(places, times)]
                self.assertLess(max(apart), TICK)


class EndsOfSequences(CommandTest):
    def test_an_end_of_sequence_in_a_transport_stream_is_no_picture(self):
        """FFmpeg's parser separates an end of sequence, and what follows it, from the picture before."""
        raw, source = self.directory / "clip.h265", self.directory / "clip.ts"
        ffmpeg("-i", CLIP, "-c:v", "libx265", "-preset", "veryfast", "-x265-params", "log-level=none:keyint=40:open-gop=0", raw)
        found = units(raw.read_bytes())
        # Each key frame begins with a VPS.
        begins = [number for number, unit in enumerate(found) if unit[0] >> 1 == 32] + [len(found)]
        self.assertGreater(len(begins), 3)
        sequences = [(*found[begin:end], *END_OF_SEQUENCE) for begin, end in zip(begins, begins[1:])]
        raw.write_bytes(b"".join(b"\0\0\0\1" + unit for sequence in sequences for unit in sequence))
        digests, _ = shown(raw)
        succeeded("demux", raw, source)
        for path in (raw, source):
            with self.subTest(path=path.name):
                decoded, copy = self.directory / "clip.y4m", self.directory / "copy.mp4"
                self.assertEqual(succeeded("decode", path, decoded, "--force", "--quiet").stderr, b"")
                self.assertEqual(pictures(decoded), digests)
                succeeded("demux", path, copy, "--force")
                copied, times = shown(copy)
                self.assertEqual(copied, digests)
                steps = [later - earlier for earlier, later in zip(times, times[1:])]
                self.assertLess(max(steps) - min(steps), 2 * TICK)


class DecodeTimesForPresentationTimes(CommandTest):
    """MP4 that FFmpeg copies from a raw stream with B-frames."""

    def check(self, raw):
        copy = self.directory / "copy.mp4"
        ffmpeg("-i", raw, "-c", "copy", copy)
        self.assertTrue(all(packet[0] == packet[1] for packet in packets(copy)))
        decoded, encoded = self.directory / "copy.y4m", self.directory / "encoded.mp4"
        self.assertEqual(succeeded("decode", copy, decoded, "--quiet").stderr, b"")
        self.assertEqual(pictures(decoded), pictures(raw))
        succeeded("transcode", copy, encoded)
        self.assertEqual(len(pictures(encoded)), FRAMES)

    def test_h264_mp4_with_decode_times_only_is_in_order(self):
        self.check(media("h264"))

    def test_h265_mp4_with_decode_times_only_is_in_order(self):
        raw = self.directory / "raw.h265"
        ffmpeg("-i", CLIP, "-c:v", "libx265", "-preset", "veryfast", "-x265-params", "log-level=none:keyint=40:bframes=4", raw)
        self.check(raw)


class SizeOfTheContainer(CommandTest):
    """The sample entry states 854x480, and the SPS 864x480."""

    def test_the_cropping_of_the_container_is_applied(self):
        source, whole = self.directory / "small.mp4", self.directory / "whole.mp4"
        ffmpeg("-i", CLIP, "-vf", "scale=864:480", "-frames:v", "5", *X264, whole)
        data = bytearray(whole.read_bytes())
        entry = data.index(b"avc1", data.index(b"stsd")) + 4
        self.assertEqual(struct.unpack(">HH", data[entry + 24 : entry + 28]), (864, 480))
        data[entry + 24 : entry + 26] = struct.pack(">H", 854)
        source.write_bytes(data)
        digests = pictures(source)
        self.assertNotEqual(digests, pictures(whole))
        for name in ("a.y4m", "a.mp4", "a.mkv", "a.ts", "a.h264"):
            with self.subTest(name=name):
                copy = self.directory / name
                succeeded("decode" if name == "a.y4m" else "demux", source, copy)
                self.assertEqual(pictures(copy), digests)
        self.assertIn(b"854x480", succeeded("inspect", source).stdout)
        succeeded("transcode", source, self.directory / "b.mp4")
        self.assertIn(b"854x480", succeeded("inspect", self.directory / "b.mp4").stdout)


class MediaDataBoxTooLong(CommandTest):
    def test_an_mp4_with_a_wrong_mdat_size_is_complete(self):
        data = bytearray(media("index first").read_bytes())
        box = data.index(b"mdat") - 4
        data[box : box + 4] = struct.pack(">I", struct.unpack(">I", data[box : box + 4])[0] + 3000)
        source, decoded = self.directory / "long.mp4", self.directory / "long.y4m"
        source.write_bytes(data)
        self.assertEqual(succeeded("decode", source, decoded, "--quiet").stderr, b"")
        self.assertEqual(pictures(decoded), pictures(media("index first")))


class MXF(CommandTest):
    """MXF whose index does not state the output order. FFmpeg gives its pictures the times of the decode order."""

    def test_copies_have_the_times_of_the_output_order(self):
        movie, source, copy = (self.directory / name for name in ("clip.mp4", "clip.mxf", "copy.mp4"))
        ffmpeg("-i", CLIP, "-vf", "setpts=N", "-r", 25, "-frames:v", 100, *X264, movie)
        ffmpeg("-i", movie, "-c", "copy", "-bsf:v", "h264_mp4toannexb", source)
        succeeded("demux", source, copy)
        expected, found = ([round(float(packet[0]) * 25) for packet in packets(path)] for path in (movie, copy))
        self.assertEqual([time - min(found) for time in found], [time - min(expected) for time in expected])

    def test_audio_keeps_its_place_beside_a_file_that_begins_within_a_group(self):
        """The first key frame is the fifteenth picture, and has the time of that place."""
        movie, source, copy = (self.directory / name for name in ("clip.mp4", "clip.mxf", "copy.mov"))
        ffmpeg("-i", CLIP, "-f", "lavfi", "-i", "sine=sample_rate=48000:d=2", "-vf", "setpts=N", "-r", 25, "-frames:v", 50, "-c:v",
               "libx264", "-preset", "veryfast", "-x264-params", "keyint=20:bframes=3:b-adapt=0:scenecut=0", "-c:a", "aac", movie)
        ffmpeg("-i", movie, "-c:v", "copy", "-copyinkf", "-bsf:v", "h264_mp4toannexb,noise=drop=lt(n\\,6),dump_extra=freq=all",
               "-c:a", "pcm_s16le", source)
        succeeded("demux", source, copy)
        video, audio = (float(packets(copy, stream)[0][0]) for stream in ("v:0", "a:0"))
        self.assertAlmostEqual(video - audio, 14 / 25, delta=0.03)

    def test_pictures_at_the_edges_of_chunks_are_those_of_an_mp4(self):
        """Two chunks, because a chunk lasts 10 seconds or more."""
        movie, source, output = (self.directory / name for name in ("long.mp4", "long.mxf", "output.mp4"))
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=22", "-c:v", "libx264", "-preset", "veryfast", "-x264-params",
               "open-gop=1:keyint=50:bframes=3:b-adapt=0:scenecut=0", movie)
        ffmpeg("-i", movie, "-c", "copy", "-bsf:v", "h264_mp4toannexb", source)
        results = []
        for path in (movie, source):
            result = succeeded("transcode", path, output, "--workers", "2", "--bit-rate", "50k", "--preset", "ultrafast", "--force")
            self.assertIn("2 chunks", result.stderr.decode())
            results.append(pictures(output))
        self.assertEqual(len(results[0]), 550)
        self.assertEqual(results[0], results[1])


class RepeatedFields(CommandTest):
    """Raw streams whose picture timing messages repeat fields or frames (pic_struct, ITU-T H.264 table D-1)."""
    H264 = ("x264", "--quiet", "--no-progress", "--preset", "ultrafast", "--frames", "20", "--fps")
    H265 = ("x265", "--log-level", "none", "--no-progress", "--preset", "ultrafast", "--frames", "8", "--pools", "1",
            "--frame-threads", "1", "--fps", "25", "--hrd", "--vbv-maxrate", "500", "--vbv-bufsize", "500", "--bitrate", "300",
            "--pic-struct")
    STREAMS = {
        "3:2 pulldown": ((*H264, "24000/1001", "--pulldown", "32"), 1001 / 60000, (3, 2)),
        "doubled frames": ((*H264, "25", "--pulldown", "double"), 1 / 100, (4,)),
        "tripled frames": ((*H264, "25", "--pulldown", "triple"), 1 / 150, (6,)),
        "H.265, frames of two fields": ((*H265, "3"), 1 / 50, (2,)),
        "H.265, frames of three fields": ((*H265, "6"), 1 / 50, (3,)),
        "H.265, doubled frames": ((*H265, "7"), 1 / 50, (4,)),
    }

    def test_times_follow_the_number_of_fields(self):
        for number, (name, (command, field, fields)) in enumerate(self.STREAMS.items()):
            with self.subTest(name):
                hevc = command[0] == "x265"
                source = self.directory / f"{number}.{'h265' if hevc else 'h264'}"
                subprocess.run([*command, "-o", source, CLIP], check=True, capture_output=True, timeout=TIME_LIMIT)
                count = 8 if hevc else 20
                expected = [sum(fields[at % len(fields)] for at in range(shown)) * field for shown in range(count + 1)]
                copy = self.directory / f"{number}.mp4"
                succeeded("demux", source, copy)
                for at, (time, wanted) in enumerate(zip(sorted(times(copy)), expected[:-1], strict=True)):
                    self.assertAlmostEqual(time, wanted, places=5, msg=f"picture {at}")
                stream = json.loads(succeeded("inspect", source, "--json").stdout)["stream"]
                self.assertAlmostEqual(stream["duration"], expected[-1], places=3)
                self.assertEqual(stream["frameRateSource"], "stream" if fields == (2,) else "timing")
                copied = json.loads(succeeded("inspect", copy, "--json").stdout)
                self.assertAlmostEqual(copied["stream"]["duration"], expected[-1], places=3)
