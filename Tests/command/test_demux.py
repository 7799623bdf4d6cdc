"""nalu demux: the samples, their times and their order, checked with FFmpeg."""
import os
import re
import shutil
import struct
import subprocess

from media import KINDS, ffprobe, media, packets, pictures, prefixed_units, succeeded, times, units
from support import COMMAND, FRAMES, TIME_LIMIT, CommandTest, ffmpeg, run

PLAIN = ("mp4", "mov", "mkv", "ts", "flv", "h264", "fragmented", "low delay")


class Streams(CommandTest):
    def test_the_stream_has_the_nal_units_and_parameter_sets_of_every_container(self):
        """The NAL units are those of the file, and parameter sets precede each key frame."""
        for kind in PLAIN:
            with self.subTest(kind=kind):
                result = run("demux", media(kind), self.output, "--force")
                self.assertSucceeds(result)
                self.assertIn(f"{self.output}: {FRAMES} frames", result.stderr.decode())
                self.assertEqual(pictures(self.output, "-f", "h264"), pictures(media(kind)))
                found = units(self.output.read_bytes())
                kinds = [unit[0] & 31 for unit in found]
                for index, number in enumerate(kinds):
                    if number == 5 and found[index][1] & 0x80:  # the first slice of the picture
                        before = [other for other in kinds[:index] if other != 6][-2:]
                        self.assertEqual(before, [7, 8])

    def test_the_stream_has_the_nal_units_that_ffmpeg_writes(self):
        """The NAL units equal FFmpeg's, except for the places and the number of parameter sets."""
        theirs = subprocess.run(["ffmpeg", "-v", "error", "-i", media("mp4"), "-c", "copy", "-bsf:v", "h264_mp4toannexb",
                                 "-f", "h264", "-"], capture_output=True, check=True, timeout=TIME_LIMIT).stdout
        ours = succeeded("demux", media("mp4"), "-").stdout
        self.assertEqual([unit for unit in units(ours) if unit[0] & 31 not in (7, 8)],
                         [unit for unit in units(theirs) if unit[0] & 31 not in (7, 8)])

    def test_sei_messages_are_kept(self):
        found = units(succeeded("demux", media("mp4"), "-").stdout)
        self.assertTrue(any(unit[0] & 31 == 6 and b"x264" in unit for unit in found))

    def test_standard_input_gives_the_same_stream_as_a_file(self):
        for kind in ("fragmented", "mkv", "ts", "h264"):
            with self.subTest(kind=kind):
                with media(kind).open("rb") as file:
                    as_file = run("demux", "-", "-", stdin=file)
                through_pipe = run("demux", "-", "-", input=media(kind).read_bytes())
                self.assertSucceeds(as_file)
                self.assertSucceeds(through_pipe)
                self.assertEqual(as_file.stdout, through_pipe.stdout)
                self.assertEqual(as_file.stdout, succeeded("demux", media(kind), "-").stdout)

    def test_mp4_samples_survive_demuxing_to_a_stream_and_back(self):
        """From MP4 to a stream and back: the samples are the same."""
        stream, back = self.directory / "clip.h264", self.directory / "back.mp4"
        succeeded("demux", media("mp4"), stream)
        succeeded("demux", stream, back)
        again = self.directory / "again.h264"
        succeeded("demux", back, again)
        self.assertEqual(again.read_bytes() == stream.read_bytes(), True)


class RealFiles(CommandTest):
    def test_a_stream_with_changing_parameter_sets_is_copied_to_every_container(self):
        """The concatenated streams of two encoders are written into every container and read again."""
        stream, there, back = (self.directory / name for name in ("two.h264", "there", "back.h264"))
        for mode in ("cabac=0:8x8dct=0", "cabac=1:8x8dct=1"):
            part = self.directory / "part.h264"
            ffmpeg("-y", "-i", media("mp4"), "-frames:v", 20, "-c:v", "libx264", "-bf", 2, "-x264-params", mode, part)
            with stream.open("ab") as file:
                file.write(part.read_bytes())
        for container in ("mp4", "mov", "mkv", "ts", "flv", "h264"):
            with self.subTest(container=container):
                self.assertSucceeds(run("demux", stream, there, "--container", container, "--force"))
                self.assertSucceeds(run("demux", there, back, "--container", "h264", "--force"))
                self.assertEqual(pictures(there), pictures(stream))
                self.assertEqual(pictures(back), pictures(stream))
        there = self.directory / "f.mp4"
        self.assertRefuses(run("demux", stream, there, "--fragmented", "--quiet"), 1, "parameter sets", "--parameter-sets-in-band")
        self.assertSucceeds(run("demux", stream, there, "--fragmented", "--parameter-sets-in-band", "--force"))
        self.assertEqual(pictures(there), pictures(stream))

    def test_parameter_sets_in_band_precede_every_key_frame(self):
        """All key frames contain the parameter sets, and the sample entry's type states this."""
        for command in ("demux", "transcode", "encode"):
            for options in ((), ("--fragmented",)):
                with self.subTest(command=command, options=options):
                    path = self.directory / "clip.mp4"
                    arguments = (media("mp4"), "-o", path) if command == "encode" else (media("mp4"), path)
                    succeeded(command, *arguments, "--parameter-sets-in-band", "--force", "--quiet", *options)
                    self.assertEqual(ffprobe(path, "-show_streams")["streams"][0]["codec_tag_string"], "avc3")
                    data = ffmpeg("-i", path, "-map", "0:v:0", "-c", "copy", "-f", "data", "-")
                    kinds = [unit[0] & 31 for unit in prefixed_units(data)]
                    self.assertEqual(kinds.count(7), kinds.count(8))
                    self.assertEqual(kinds.count(7), sum(packet[3].startswith("K") for packet in packets(path)))
        for form in ("mkv", "ts", "h264"):
            self.assertRefuses(run("demux", media("mp4"), self.directory / f"clip.{form}", "--parameter-sets-in-band"), 64,
                               "--parameter-sets-in-band", "mp4 and mov")

    def test_audio_before_the_beginning_keeps_its_distance_to_the_video(self):
        """MP4 and MOV hide this audio by an edit list. Matroska's times begin with the audio, since FFmpeg reads none before 0."""
        plain, source = self.directory / "plain.mp4", self.directory / "early.mov"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=440:duration=1", "-c:v", "copy", "-c:a", "aac", plain)
        ffmpeg("-i", plain, "-itsoffset", "-0.03", "-i", plain, "-map", "0:v", "-map", "1:a", "-c", "copy", source)
        count = len(packets(source, "a"))

        def distance(path):
            return min(float(packet[0]) for packet in packets(path)) - float(packets(path, "a")[0][0])

        self.assertTrue(0.03 < distance(source) < 0.06)
        previous = source
        for form in ("mp4", "mkv", "ts", "flv"):
            path = self.directory / f"copy.{form}"
            with self.subTest(form):
                result = run("demux", previous, path)
                self.assertSucceeds(result)
                self.assertNotIn(b"corrupt", result.stderr)
                self.assertEqual(len(packets(path, "a")), count)
                self.assertAlmostEqual(distance(path), distance(source), delta=0.002)
                if form == "mkv":
                    self.assertEqual(float(packets(path, "a")[0][0]), 0)
            previous = path

    def test_opus_keeps_its_distance_to_the_video_in_matroska(self):
        """Matroska subtracts the samples that Opus has before the beginning from the times, so copies must add them."""
        source = self.directory / "source.mkv"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=440:duration=1", "-c:v", "copy", "-c:a", "libopus", source)

        def distance(path):
            return min(float(packet[0]) for packet in packets(path)) - float(packets(path, "a")[0][0])

        self.assertGreater(distance(source), 0.006)
        previous = source
        for number in range(3):
            path = self.directory / f"copy{number}.mkv"
            self.assertSucceeds(run("demux", previous, path))
            self.assertEqual(len(packets(path, "a")), len(packets(source, "a")))
            self.assertAlmostEqual(distance(path), distance(source), delta=0.0015)
            self.assertEqual(packets(path, "a")[0][0], packets(source, "a")[0][0])
            previous = path

    def test_an_audio_track_without_packets_is_left_out(self):
        source, path = self.directory / "silent.ts", self.directory / "clip.mp4"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=440:duration=3", "-c:v", "copy", "-c:a", "aac", "-shortest", source)
        data = bytearray(source.read_bytes())
        for at in range(0, len(data), 188):
            if data[at + 1] & 0x1F == 1 and data[at + 2] == 1:  # the packet identifier of the audio, 0x101
                data[at + 1 : at + 3] = b"\x1f\xff"
        source.write_bytes(data)
        result = run("demux", source, path)
        self.assertSucceeds(result)
        self.assertIn(f"left out of {source}: audio aac", result.stderr.decode())
        self.assertEqual([stream["codec_name"] for stream in ffprobe(path, "-show_streams")["streams"]], ["h264"])
        self.assertEqual(pictures(path), pictures(source))

    def test_only_tracks_of_the_program_of_the_video_are_copied(self):
        """A transport stream with two programs: video, and video with audio."""
        source, path = self.directory / "programs.ts", self.directory / "clip.mp4"
        ffmpeg("-i", media("low delay"), "-i", media("audio"), "-map", "0:v", "-map", "1:v", "-map", "1:a", "-c", "copy",
               "-program", "title=A:st=0", "-program", "title=B:st=1:st=2", source)
        for options, kinds, left_out in (((), ["video"], "video h264, audio aac"), (("--track", "1"), ["video", "audio"], "video h264")):
            with self.subTest(options=options):
                result = run("transcode", source, path, "--force", "--preset", "ultrafast", *options)
                self.assertSucceeds(result)
                self.assertEqual([stream["codec_type"] for stream in ffprobe(path, "-show_streams")["streams"]], kinds)
                self.assertIn(f"left out of {source}: {left_out}\n", result.stderr.decode())

    def test_video_that_continues_with_another_pid_is_reported(self):
        """A new program table in the middle of a transport stream."""
        first, second, joined = (self.directory / name for name in ("first.ts", "second.ts", "joined.ts"))
        copy = ("-i", media("audio"), "-c", "copy")
        ffmpeg(*copy, first)
        ffmpeg(*copy, "-mpegts_start_pid", "0x300", "-tables_version", "1", "-output_ts_offset", "10", second)
        joined.write_bytes(first.read_bytes() + second.read_bytes())
        for command, output in (("demux", "out.mp4"), ("decode", "out.y4m")):
            with self.subTest(command=command):
                result = run(command, joined, self.directory / output)
                self.assertFails(result, 1, joined, "continues with another PID", f"{FRAMES} frames written")

    def test_audio_that_the_container_cannot_hold_is_left_out(self):
        for codec, rate, name, is_kept in (
            ("flac", 48000, "out.mov", False),
            ("libopus", 48000, "out.mov", False),
            ("flac", 48000, "out.mp4", True),
            ("pcm_s16le", 48000, "out.flv", False),
            ("pcm_s16le", 44100, "out.flv", True),
            ("libmp3lame", 16000, "out.flv", False),
            ("libmp3lame", 48000, "out.flv", True),
        ):
            with self.subTest(codec=codec, rate=rate, name=name):
                source, path = self.directory / "source.mkv", self.directory / name
                ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", f"sine=d=1:r={rate}", "-c:v", "copy", "-c:a", codec, "-shortest", source)
                result = run("demux", source, path, "--force")
                self.assertSucceeds(result)
                kinds = [stream["codec_type"] for stream in ffprobe(path, "-show_streams")["streams"]]
                self.assertEqual(kinds, ["video", "audio"] if is_kept else ["video"])
                self.assertEqual(f"left out of {source}: audio" in result.stderr.decode(), not is_kept)
                self.assertEqual(pictures(path), pictures(source))

    def test_a_program_stream_with_audio_keeps_every_picture(self):
        source = self.directory / "recording.mpg"
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=4", "-f", "lavfi", "-i", "sine=d=4", "-c:v", "libx264", "-preset", "veryfast",
               "-c:a", "mp2", "-f", "vob", source)
        for command in ("demux", "transcode"):
            path = self.directory / f"{command}.mkv"
            result = run(command, source, path)
            self.assertSucceeds(result)
            self.assertEqual(len(pictures(path)), 100)
            self.assertNotIn("moved", result.stderr.decode())
        self.assertEqual(pictures(self.directory / "demux.mkv"), pictures(source))


class Containers(CommandTest):
    def test_mp4_and_mov_keep_exact_times(self):
        for kind in ("mp4", "mov", "fragmented", "variable", "late", "low delay", "wide colour", "odd size"):
            for extension in (".mp4", ".mov"):
                with self.subTest(kind=kind, extension=extension):
                    path = self.directory / f"clip{extension}"
                    succeeded("demux", media(kind), path, "--force")
                    self.assertEqual(times(path), times(media(kind)))
                    self.assertEqual(pictures(path), pictures(media(kind)))
                    self.assertEqual([packet[3] for packet in packets(path)], [packet[3] for packet in packets(media(kind))])

    def test_copied_samples_have_the_sizes_of_the_input(self):
        path = self.directory / "clip.mp4"
        succeeded("demux", media("mp4"), path)
        self.assertEqual([packet[2] for packet in packets(path)], [packet[2] for packet in packets(media("mp4"))])

    def test_every_container_is_copied_to_every_container(self):
        for kind in PLAIN:
            for extension in (".mp4", ".mkv", ".ts", ".flv"):
                with self.subTest(kind=kind, extension=extension):
                    path = self.directory / f"clip{extension}"
                    succeeded("demux", media(kind), path, "--force")
                    self.assertEqual(pictures(path), pictures(media(kind)))
                    ours, theirs = times(path), times(media("mp4"))
                    steps = [b - a for a, b in zip(ours, ours[1:])]
                    self.assertLess(max(abs(step - (b - a)) for step, a, b in zip(steps, theirs, theirs[1:])), 0.0021)

    def test_colour_and_pixel_aspect_ratio_are_kept(self):
        for kind in ("wide colour", "full range"):
            path = self.directory / "clip.mp4"
            succeeded("demux", media(kind), path, "--force")
            keys = ("color_range", "color_space", "color_primaries", "color_transfer", "sample_aspect_ratio", "width", "height")
            ours, theirs = (ffprobe(file, "-show_streams")["streams"][0] for file in (path, media(kind)))
            self.assertEqual({key: ours.get(key) for key in keys}, {key: theirs.get(key) for key in keys})

    def test_colour_and_shape_that_only_the_container_states_are_kept(self):
        """They are in the parameter sets of every copy, so that containers without such fields keep them too."""
        keys = ("sample_aspect_ratio", "color_space", "color_primaries", "color_transfer", "color_range")
        for kind in ("stated mp4", "stated mkv"):
            theirs = ffprobe(media(kind), "-show_streams")["streams"][0]
            self.assertEqual([theirs[key] for key in keys[1:]], ["bt2020nc", "bt2020", "smpte2084", "pc"])
            for command, extension in (("demux", ".mp4"), ("demux", ".mkv"), ("demux", ".ts"), ("demux", ".h264"),
                                       ("transcode", ".mp4")):
                with self.subTest(kind=kind, command=command, extension=extension):
                    path = self.directory / f"clip{extension}"
                    result = succeeded(command, media(kind), path, "--force")
                    self.assertNotIn("not kept", result.stderr.decode())
                    ours = ffprobe(path, "-show_streams")["streams"][0]
                    self.assertEqual([ours.get(key) for key in keys], [theirs[key] for key in keys])
            path = self.directory / "clip.y4m"
            succeeded("decode", media(kind), path, "--force")
            self.assertIn(b"XCOLORRANGE=FULL", path.read_bytes()[:200])

    def test_descriptions_of_the_file_are_kept_or_named(self):
        """Copies, cuts and transcodes have the descriptions that their container stores. A line names the others."""
        described = {"title": "A title", "artist": "An artist", "album": "An album", "date": "2020-01-02", "comment": "A comment",
                     "genre": "Test", "copyright": "Nobody", "make": "Maker", "model": "Model 1", "location": "+48.5000+011.2500/",
                     "creation_time": "2020-01-02T03:04:05.000000Z"}
        source = self.directory / "described.mov"
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "sine=d=1", "-map", "0:v", "-map", "1", "-c:v", "copy", "-c:a", "aac",
               "-metadata:s:a:0", "handler_name=Microphone", *(part for key, value in described.items()
                                                               for part in ("-metadata", f"{key}={value}")), source)
        lost = {"mp4": {"make", "model"}, "mov": set(), "mkv": set(), "flv": set(), "ts": set(described), "h264": set(described)}
        for command, extension in (("demux", "mp4"), ("demux", "mov"), ("demux", "mkv"), ("demux", "flv"), ("demux", "ts"),
                                   ("demux", "h264"), ("demux --fragmented", "mp4"), ("cut --start 0.5", "mp4"),
                                   ("cut --start 0.5", "mkv"), ("transcode --end 0.5", "mov"),
                                   ("transcode --workers 2 --bit-rate 100k", "mp4")):
            with self.subTest(command=command, extension=extension):
                path = self.directory / f"copy.{extension}"
                name, *options = command.split()
                errors = succeeded(name, source, path, "--force", *options).stderr.decode()
                found = ffprobe(path, "-show_format", "-show_streams")
                tags = {key.lower(): value for key, value in found["format"].get("tags", {}).items()}
                self.assertEqual({key: tags[key] for key in described if key in tags},
                                 {key: value for key, value in described.items() if key not in lost[extension]})
                lines = [line for line in errors.splitlines() if line.startswith(f"not kept of {source}: the metadata ")]
                self.assertEqual(len(lines), 1 if lost[extension] else 0, errors)
                if extension == "mp4":
                    self.assertEqual(lines[0].split("the metadata ")[1].split(), ["make", "model"])
                if extension in ("mp4", "mov"):
                    self.assertEqual(found["streams"][1]["tags"]["handler_name"], "Microphone")

    def test_numbers_that_an_mp4_stores_are_kept(self):
        """The places in a series. A text that is no number is named as lost."""
        numbers = {"track": "3/12", "disc": "1/2", "season_number": "4", "episode_sort": "7", "compilation": "1", "media_type": "10",
                   "gapless_playback": "1", "hd_video": "2"}
        source, path = self.directory / "source.mkv", self.directory / "copy.mp4"
        for texts, lost in ((numbers, []), ({"track": "A3", "disc": "0/2", "season_number": "300"}, ["disc", "season_number", "track"])):
            ffmpeg("-i", media("mp4"), "-map", "0:v", "-c", "copy", *(part for key, value in texts.items()
                                                                    for part in ("-metadata", f"{key}={value}")), source)
            errors = succeeded("demux", source, path, "--force").stderr.decode()
            named = re.findall("not kept of .*: the metadata (.*)", errors)
            self.assertEqual(sorted(" ".join(named).replace(",", "").split()), lost, errors)
            tags = {key.lower(): value for key, value in ffprobe(path, "-show_format")["format"]["tags"].items()}
            self.assertEqual({key: tags[key] for key in texts if key in tags}, {} if lost else texts)

    def test_the_program_that_wrote_the_source_is_not_missed(self):
        """Cameras name their program with a language, which FFmpeg appends to the key."""
        source, path = self.directory / "source.mov", self.directory / "copy.mp4"
        ffmpeg("-i", media("mp4"), "-map", "0:v", "-c", "copy", "-metadata", "title=A title", "-metadata", "album=A camera", source)
        movie = source.read_bytes()
        box = movie.index(b"\xa9alb")
        # The program's name, in the Macintosh's English.
        source.write_bytes(movie[:box] + b"\xa9swr" + movie[box + 4 : box + 6] + b"\0\0" + movie[box + 8 :])
        self.assertEqual(ffprobe(source, "-show_format")["format"]["tags"]["encoder-eng"], "A camera")
        self.assertNotIn(b"not kept", succeeded("demux", source, path).stderr)

    def test_a_clean_aperture_that_is_lost_is_named(self):
        """The box is in the sample entry. One that equals the size of the pictures loses nothing."""
        source = self.directory / "aperture.mp4"
        for width, is_smaller in ((160, True), (176, False)):
            movie = bytearray(media("low delay").read_bytes())
            box = struct.pack(">I4s8I", 40, b"clap", width, 1, 144, 1, 0, 1, 0, 1)
            at = movie.rindex(b"moov")
            for name in (b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd", b"avc1"):
                at = movie.index(name, at)
                size, = struct.unpack_from(">I", movie, at - 4)
                struct.pack_into(">I", movie, at - 4, size + len(box))
            movie[at - 4 + size:at - 4 + size] = box
            source.write_bytes(movie)
            for command in ("demux", "transcode"):
                result = succeeded(command, source, self.directory / "clip.mkv", "--force")
                self.assertEqual("the clean aperture" in result.stderr.decode(), is_smaller, command)

    def test_the_rotation_is_kept(self):
        path = self.directory / "clip.mp4"
        succeeded("demux", media("turned"), path)
        def turned(file):
            return [entry["rotation"] for entry in ffprobe(file, "-show_streams")["streams"][0]["side_data_list"]]
        self.assertEqual(turned(path), turned(media("turned")))
        result = succeeded("demux", media("turned"), self.directory / "clip.mkv")
        self.assertIn("270 degrees", result.stderr.decode())


class Audio(CommandTest):
    def test_audio_and_subtitles_are_copied(self):
        for command in ("demux", "transcode"):
            for extension in (".mkv", ".mp4", ".ts", ".flv"):
                with self.subTest(command=command, extension=extension):
                    path = self.directory / f"{command}{extension}"
                    result = succeeded(command, media("audio"), path)
                    self.assertNotIn(b"left out", result.stderr)
                    self.assertEqual(audio(path), audio(media("audio")))
                    kinds = [stream["codec_type"] for stream in ffprobe(path, "-show_streams")["streams"]]
                    self.assertEqual(kinds, ["video", "audio"])

    def test_audio_from_a_pipe_is_the_same_as_from_a_file(self):
        """The audio also includes frames to which a transport stream gives no time."""
        source = self.directory / "source.ts"
        ffmpeg("-i", media("audio"), "-c", "copy", source)
        from_file, from_pipe = self.directory / "file.mp4", self.directory / "pipe.mp4"
        succeeded("demux", source, from_file)
        self.assertEqual(succeeded("demux", "-", from_pipe, input=source.read_bytes()).stderr.count(b"corrupt"), 0)
        self.assertGreater(len(packets(from_file, "a:0")), 100)
        self.assertEqual(packets(from_pipe, "a:0"), packets(from_file, "a:0"))

    def test_flac_is_copied_to_mp4(self):
        source, path = self.directory / "source.mkv", self.directory / "copy.mp4"
        ffmpeg("-i", media("audio"), "-c:v", "copy", "-c:a", "flac", source)
        self.assertSucceeds(run("demux", source, path))
        heard = [ffmpeg("-i", each, "-map", "0:a", "-f", "md5", "-") for each in (source, path)]
        self.assertEqual(heard[0], heard[1])

    def test_audio_is_left_out_of_a_stream(self):
        path = self.directory / "clip.h264"
        succeeded("demux", media("audio"), path)
        self.assertEqual(len(ffprobe(path, "-show_streams")["streams"]), 1)

    def test_flv_gets_the_first_of_several_audio_tracks(self):
        path, output = self.directory / "two.mp4", self.directory / "clip.flv"
        ffmpeg("-i", media("audio"), "-map", "0:v", "-map", "0:a", "-map", "0:a", "-c", "copy", "-t", "0.5", path)
        for command in (("demux",), ("transcode",), ("cut", "--start", "0.2")):
            with self.subTest(command=command[0]):
                result = succeeded(*command, path, output, "--force")
                self.assertRegex(result.stderr, b"left out of .*: (audio )?aac\n")
                self.assertEqual([stream["codec_type"] for stream in ffprobe(output, "-show_streams")["streams"]],
                                 ["video", "audio"])

    def test_a_header_that_the_muxer_refuses_leaves_the_existing_file(self):
        path, output = self.directory / "broken.mkv", self.directory / "clip.mkv"
        ffmpeg("-i", media("audio"), "-c:v", "copy", "-c:a", "vorbis", "-strict", "experimental", "-ac", "2", "-t", "0.5", path)
        movie = bytearray(path.read_bytes())
        movie[movie.index(b"\x01vorbis") - 3] = 9  # the number of Vorbis headers
        path.write_bytes(movie)
        output.write_bytes(b"kept")
        self.assertFails(run("demux", path, output, "--force"), 1, "matroska")
        self.assertEqual(output.read_bytes(), b"kept")
        new = self.directory / "new.mkv"
        self.assertNotIn(b"written to", run("demux", path, new).stderr)
        self.assertFalse(new.exists())

    def test_audio_that_the_container_does_not_support_is_left_out(self):
        path = self.directory / "opus.mkv"
        ffmpeg("-i", media("audio"), "-c:v", "copy", "-c:a", "libopus", path)
        result = succeeded("demux", path, self.directory / "clip.flv")
        self.assertIn(b"left out of", result.stderr)
        self.assertIn(b"opus", result.stderr)


def audio(path):
    """Returns the audio frames without the container's framing."""
    return ffmpeg("-i", path, "-map", "0:a", "-c", "copy", "-bsf:a", "aac_adtstoasc", "-f", "data", "-")


class Names(CommandTest):
    def test_names_that_are_not_utf_8_keep_their_bytes(self):
        """Paths are bytes. Messages show U+FFFD for those that are not UTF-8, and also a name with U+FDD0 keeps its bytes."""
        folder = bytes(self.directory) + b"/\xff"
        os.mkdir(folder)
        source = folder + b"/in\xfe.mp4"
        shutil.copy(media("low delay"), source)
        names = [b"a\xfe", b"a\xff", b"a\xef\xbf\xbd", b"a\xef\xb7\x90", b"a\xef\xb7\x9f\xef\xb7\xae", b"\xe9t\xc3\xa9"]
        for command, extension in ((("demux",), b".mp4"), (("demux",), b".h264"), (("cut", "--start", "3.5"), b".mkv")):
            for name in names:
                output = folder + b"/" + name + extension
                result = self.run_bytes(*command, source, output)
                self.assertSucceeds(result)
                self.assertIn(output.decode(errors="replace").encode(), result.stderr)
                self.assertTrue(os.path.exists(output), output)
                self.assertNotEqual(self.run_bytes(*command, source, output).returncode, 0, "an existing file is replaced")
        self.assertEqual(len(os.listdir(folder)), 1 + 3 * len(names))
        self.assertSucceeds(self.run_bytes("inspect", source))
        self.assertSucceeds(self.run_bytes("demux", source, folder + b"/a\xfe.mp4", "--force"))

    def run_bytes(self, *arguments):
        return subprocess.run([os.fsencode(each) for each in (COMMAND, *arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIME_LIMIT)


class Refusals(CommandTest):
    def test_missing_and_wrong_inputs_are_refused(self):
        self.assertRefuses(run("demux", self.directory / "none.mp4", self.output), 1, "none.mp4", "No such file")
        self.assertRefuses(run("demux", self.directory, self.output), 1, self.directory, "directory")
        path = self.directory / "text.mp4"
        path.write_bytes(b"This is a sentence, and not a video.\n" * 100)
        self.assertRefuses(run("demux", path, self.output), 1, path)
        path.write_bytes(b"")
        self.assertRefuses(run("demux", path, self.output), 1, path)
        path = self.directory / "damaged.mp4"
        data = media("mp4").read_bytes()
        # The SPS has a length of 0.
        place = data.index(b"avcC") + 10
        path.write_bytes(data[:place] + b"\0\0" + data[place + 2:])
        for track in ((), ("--track", 0)):
            self.assertRefuses(run("demux", path, self.output, *track), 1, "track 0", path, "h264", "cannot be read")
        path = self.directory / "audio.mp4"
        subprocess.run(["ffmpeg", "-v", "error", "-i", media("audio"), "-map", "0:a", "-c", "copy", path], check=True,
                       timeout=TIME_LIMIT)
        self.assertRefuses(run("demux", path, self.output), 1, path, "aac")

    def test_wrong_track_numbers_are_refused(self):
        self.assertRefuses(run("demux", media("audio"), self.output, "--track", 1), 1, "track 1", "aac")
        self.assertRefuses(run("demux", media("audio"), self.output, "--track", 7), 64, "--track is 7", "0 h264, 1 aac")
        self.assertSucceeds(run("demux", media("audio"), self.output, "--track", 0))

    def test_outputs_for_another_codec_are_refused(self):
        self.output = self.directory / "clip.h265"
        self.assertRefuses(run("demux", media("mp4"), self.output), 1, "H.264", ".h264")
        source = media("mp4").read_bytes()
        self.assertEqual(run("demux", media("mp4"), media("mp4"), "--force").returncode, 1)
        self.assertEqual(media("mp4").read_bytes() == source, True)
        self.assertRefuses(run("demux", media("mp4"), "/dev/full"), 1, "/dev/full", "full")

    def test_corrupt_samples_are_left_out(self):
        """Samples with invalid lengths are left out; the rest of the file is written."""
        source = bytearray(media("mp4").read_bytes())
        data = source.index(b"mdat") + 4
        first = int.from_bytes(source[data:data + 4], "big")
        packet = packets(media("mp4"))
        second = data + packet[0][2]
        self.assertLess(first, packet[0][2])
        source[second:second + 4] = b"\x7f\xff\xff\xff"
        path = self.directory / "damaged.mp4"
        path.write_bytes(source)
        result = run("demux", path, self.output)
        self.assertFails(result, 1, path, "corrupt", "1 sample", f"{FRAMES - 1} frames written to")

    def test_frames_before_a_jump_back_in_time_are_written(self):
        """Two transport streams behind each other. The last line states how many frames the file has."""
        part, path = self.directory / "part.ts", self.directory / "joined.ts"
        ffmpeg("-i", media("low delay"), "-c", "copy", "-frames:v", "100", part)
        path.write_bytes(part.read_bytes() * 2)
        for extension in (".mp4", ".mkv"):
            output = self.directory / f"clip{extension}"
            self.assertFails(run("demux", path, output), 1, "before the decode time", f"; 100 frames written to {output}")
            self.assertEqual(len(packets(output)), 100)

    def test_an_flv_that_ends_within_the_header_of_a_tag_is_reported(self):
        """Every complete tag is copied, from a file, from a pipe and after a seek."""
        data = media("flv").read_bytes()
        tags, place = [], 9 + 4
        while place < len(data):
            tags.append((place, data[place]))
            place += 11 + int.from_bytes(data[place + 1:place + 4], "big") + 4
        number = next(at for at in range(len(tags) * 2 // 3, len(tags)) if tags[at][1] == 9)
        place = tags[number][0]
        # The first video tag is the configuration.
        frames = sum(kind == 9 for _, kind in tags[:number]) - 1
        path, copy = self.directory / "cut.flv", self.directory / "copy.mp4"
        for size in (0, 1, 4, 10, 11, 12):
            path.write_bytes(data[:place + size])
            for name, options in ((path, ()), ("-", ()), (path, ("--start", "0.5"))):
                with self.subTest(size=size, name=name, options=options):
                    command = ("transcode", "--quality", "0.1", "--preset", "ultrafast") if options else ("demux",)
                    result = run(*command, name, copy, "--force", *options, **({"input": path.read_bytes()} if name == "-" else {}))
                    message = f"the flv data ends too early: its tag at byte {place} is incomplete"
                    self.assertEqual((result.returncode, message in result.stderr.decode()), (1 if size else 0, size > 0),
                                     result.stderr.decode())
                    if not options:
                        self.assertEqual(len(times(copy)), frames)

    def test_samples_before_a_truncation_are_written(self):
        """The samples before the truncation are written."""
        path = self.directory / "cut.ts"
        path.write_bytes(media("ts").read_bytes()[:30000])
        run("demux", path, self.output)
        self.assertGreater(self.output.stat().st_size, 0)
        path = self.directory / "cut.mp4"
        path.write_bytes(media("mp4").read_bytes()[:10000])
        self.output = self.directory / "other.264"
        self.assertRefuses(run("demux", path, self.output), 1, path)
