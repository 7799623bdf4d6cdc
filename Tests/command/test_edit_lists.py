"""Files with an edit list that hides a part, as FFmpeg writes them for cuts between key frames. The frames that FFmpeg
shows are the expected ones."""
import struct

from media import media, packets, pictures, succeeded, times
from support import FRAMES, CommandTest, ffmpeg, run


class CutStart(CommandTest):
    def setUp(self):
        super().setUp()
        self.cut = self.directory / "cut.mp4"
        ffmpeg("-ss", "0.8", "-i", media("mp4"), "-c", "copy", self.cut)
        self.shown = pictures(self.cut)

    def test_the_test_file_hides_frames_in_ffmpeg(self):
        self.assertLess(len(self.shown), FRAMES - 20)
        self.assertEqual(self.shown, pictures(media("mp4"))[-len(self.shown):])

    def test_decode_writes_only_displayed_frames(self):
        decoded = self.directory / "cut.y4m"
        succeeded("decode", self.cut, decoded)
        self.assertEqual(pictures(decoded), self.shown)
        succeeded("decode", self.cut, decoded, "--force", "--ignore-edit-list")
        self.assertEqual(pictures(decoded), pictures(media("mp4")))

    def test_demux_to_mp4_keeps_the_edit_list(self):
        for options in ((), ("--fast-start",)):
            with self.subTest(options=options):
                copy = self.directory / "copy.mp4"
                succeeded("demux", self.cut, copy, "--force", *options)
                self.assertEqual(pictures(copy), self.shown)
        everything = succeeded("demux", self.cut, copy, "--force", "--ignore-edit-list")
        self.assertNotIn(b"hides", everything.stderr)
        self.assertEqual(pictures(copy), pictures(media("mp4")))

    def test_demux_to_other_containers_reports_the_hidden_frames(self):
        for name in ("copy.mkv", "copy.ts"):
            with self.subTest(name=name):
                self.assertIn(b"the edit list of", succeeded("demux", self.cut, self.directory / name).stderr)
                self.assertGreater(len(pictures(self.directory / name)), len(self.shown))

    def test_transcode_encodes_only_displayed_frames(self):
        small = self.directory / "small.mp4"
        succeeded("transcode", self.cut, small)
        self.assertEqual(len(pictures(small)), len(self.shown))
        succeeded("transcode", self.cut, small, "--force", "--ignore-edit-list")
        self.assertEqual(len(pictures(small)), FRAMES)
        self.assertEqual(len(times(small)), FRAMES)


class Fragments(CommandTest):
    def test_audio_of_fragments_is_not_hidden(self):
        """The fragments have one frame each. FFmpeg wrongly marks audio in them as hidden."""
        source, copy = self.directory / "fragments.mp4", self.directory / "copy.mkv"
        ffmpeg("-i", media("audio"), "-c", "copy", "-movflags", "frag_every_frame+empty_moov+delay_moov", source)
        succeeded("demux", source, copy)
        self.assertEqual(len(packets(copy, "a:0")), len(packets(media("audio"), "a:0")))

    def test_video_of_fragments_is_not_hidden(self):
        """FFmpeg marks the frames of fragments whose decode times do not grow as hidden."""
        source = self.directory / "fragments.mp4"
        ffmpeg("-i", media("mp4"), "-c", "copy", "-movflags", "frag_every_frame+empty_moov", source)
        self.assertNotIn(b"hidden", succeeded("inspect", source).stdout)
        copied = run("demux", source, self.directory / "copy.h264")
        self.assertIn(f"{FRAMES} frames".encode(), copied.stderr)


class SeveralRanges(CommandTest):
    """An edit list with the frames 0 to 29 and 60 to 89."""

    def setUp(self):
        super().setUp()
        self.ranges = self.directory / "ranges.mp4"
        self.ranges.write_bytes(self.edited(media("mp4").read_bytes()))

    def edited(self, movie):
        """Returns a copy of a movie with another edit list. The index is at the end."""
        movie = bytearray(movie)
        moov = movie.rindex(b"moov") - 4
        scale = struct.unpack_from(">I", movie, movie.index(b"mdhd", moov) + 16)[0]
        movie_scale = struct.unpack_from(">I", movie, movie.index(b"mvhd", moov) + 16)[0]
        for name in (b"moov", b"trak", b"edts", b"elst"):
            size = movie.index(name, moov) - 4
            struct.pack_into(">I", movie, size, struct.unpack_from(">I", movie, size)[0] + 12)
        entries = movie.index(b"elst", moov) + 12
        start = struct.unpack_from(">i", movie, entries + 4)[0]
        length, frame = 30 * 1001 * movie_scale // 30000, 1001 * scale // 30000
        movie[entries:entries + 12] = struct.pack(">IiIIiI", length, start, 0x10000, length, start + 60 * frame, 0x10000)
        struct.pack_into(">I", movie, entries - 4, 2)
        return bytes(movie)

    def test_decode_writes_the_frames_of_both_ranges(self):
        decoded = self.directory / "ranges.y4m"
        succeeded("decode", self.ranges, decoded)
        whole = pictures(media("mp4"))
        self.assertEqual(pictures(decoded), whole[:30] + whole[60:90])

    def test_a_copy_is_refused_before_anything_is_written(self):
        for name in ("copy.mp4", "copy.mkv", "copy.ts", "copy.h264"):
            with self.subTest(name=name):
                result = run("demux", self.ranges, self.directory / name)
                self.assertEqual(result.returncode, 1)
                self.assertIn(b"the edit list of", result.stderr)
                self.assertFalse((self.directory / name).exists())
