"""The audio of copies: every packet, its time, its samples and the end of the track."""
import struct
import subprocess
from fractions import Fraction

from media import ffprobe, media, packets
from support import CommandTest, ffmpeg, run


def boxes(data):
    """Returns (type, start, end) of each box of an mp4 or mov."""
    found, at = [], 0
    while at + 8 <= len(data):
        size = struct.unpack(">I", data[at : at + 4])[0]
        found.append((data[at + 4 : at + 8], at, at + size))
        at += size
    return found


def with_entry(data, entry):
    """Returns the bytes of a movie's boxes in which `entry` replaces the sample entry of the audio."""
    made = b""
    for kind, start, end in boxes(data):
        body = data[start + 8 : end]
        if kind == b"stsd" and body[12:16] != b"avc1":
            body = body[:8] + entry
        elif kind in (b"moov", b"trak", b"mdia", b"minf", b"stbl"):
            body = with_entry(body, entry)
        made += struct.pack(">I", len(body) + 8) + kind + body
    return made


def integer_samples(bits, is_little, channels=2, rate=48000):
    """Returns a sample entry 'ipcm' as FFmpeg 6 and cameras write it: its own size is always 16 bits (ISO/IEC 23003-5)."""
    configuration = struct.pack(">I4sIBB", 14, b"pcmC", 0, is_little, bits)
    return struct.pack(">I4s6xH8xHH4xI", 36 + 14, b"ipcm", 1, channels, 16, rate << 16) + configuration


def number(data, at, keeps_marker):
    """Returns an EBML number and the offset after it (RFC 8794 4)."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + length], "big")
    return value if keeps_marker else value & (1 << 7 * length) - 1, at + length


def elements(data):
    """Returns (ID, content) of each EBML element."""
    found, at = [], 0
    while at < len(data):
        name, at = number(data, at, True)
        size, at = number(data, at, False)
        found.append((name, data[at : at + size]))
        at += size
    return found


def element(name, content):
    return name.to_bytes((name.bit_length() + 7) // 8, "big") + (len(content) | 1 << 56).to_bytes(8, "big") + content


SEGMENT, CLUSTER, SIMPLE_BLOCK, SEEK_HEAD, CUES = 0x18538067, 0x1F43B675, 0xA3, 0x114D9B74, 0x1C53BB6B


def laced(data, track, count):
    """Returns a copy of a Matroska file in which up to `count` frames of a track share a block (Xiph lacing, RFC 9559 10.3.2), as
    mkvmerge writes them."""
    made = b""
    for name, content in elements(data):
        if name == SEGMENT:
            content = laced(content, track, count)
        elif name == CLUSTER:
            children, waiting = b"", []
            for kind, block in [*elements(content), (None, b"")]:
                if kind == SIMPLE_BLOCK and block[0] == 0x80 | track:
                    waiting.append(block)
                if waiting and (len(waiting) == count or kind != SIMPLE_BLOCK):
                    frames = [each[4:] for each in waiting]
                    sizes = b"".join(b"\xff" * (len(frame) // 255) + bytes([len(frame) % 255]) for frame in frames[:-1])
                    head = waiting[0][:3] + bytes([waiting[0][3] | 0x02, len(frames) - 1])
                    children, waiting = children + element(SIMPLE_BLOCK, head + sizes + b"".join(frames)), []
                if kind is not None and not (kind == SIMPLE_BLOCK and block[0] == 0x80 | track):
                    children += element(kind, block)
            content = children
        # Both indexes contain offsets.
        if name not in (SEEK_HEAD, CUES):
            made += element(name, content)
    return made


class AudioCopies(CommandTest):
    def made(self, name, *codec):
        """Makes a file with audio of 4.004 s that ends inside a packet."""
        path = self.directory / name
        ffmpeg("-i", media("mp4"), "-f", "lavfi", "-i", "aevalsrc=sin(2000*t*t):s=48000:d=4.004:c=stereo", "-c:v", "copy", *codec, path)
        return path

    def samples(self, path):
        return subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s32le", "-c:a", "pcm_s32le", "-"],
                              capture_output=True, check=True, timeout=60).stdout

    def test_laced_opus_is_copied(self):
        """Only the first packet of a Matroska block has a time. The others follow it by the durations in the packets."""
        for options in ((), ("-frame_duration", "2.5", "-application", "lowdelay")):
            with self.subTest(options=options):
                source = self.made("source.mkv", "-c:a", "libopus", *options)
                path = self.directory / "laced.mkv"
                path.write_bytes(laced(source.read_bytes(), 2, 8))
                theirs = packets(source, "a")
                for form in ("mkv", "mp4", "ts"):
                    out = self.directory / f"out.{form}"
                    result = run("demux", path, out, "--force")
                    self.assertSucceeds(result)
                    self.assertNotIn(b"left out", result.stderr)
                    ours = packets(out, "a")
                    self.assertEqual(len(ours), len(theirs), form)
                    shift = float(ours[0][0]) - float(theirs[0][0])
                    self.assertLess(max(abs(float(one[0]) - float(other[0]) - shift) for one, other in zip(ours, theirs)), 0.0021)

    def test_integer_samples_of_mp4_keep_their_values(self):
        for bits, is_little in ((16, 0), (16, 1), (24, 0), (24, 1), (32, 0), (32, 1)):
            with self.subTest(bits=bits, is_little=is_little):
                codec = f"pcm_s{bits}{'le' if is_little else 'be'}"
                source = self.made("source.mov", "-c:a", codec)
                theirs = self.samples(source)
                path = self.directory / "camera.mp4"
                path.write_bytes(with_entry(source.read_bytes(), integer_samples(bits, is_little)))
                out = self.directory / "out.mov"
                result = run("demux", path, out, "--force")
                self.assertSucceeds(result)
                self.assertNotIn(b"left out", result.stderr)
                self.assertTrue(self.samples(out) == theirs)

    def test_integer_samples_of_another_size_are_left_out(self):
        source, path = self.made("source.mov", "-c:a", "pcm_s16be"), self.directory / "camera.mp4"
        path.write_bytes(with_entry(source.read_bytes(), integer_samples(20, 0)))
        result = run("demux", path, self.directory / "out.mkv")
        self.assertSucceeds(result)
        self.assertIn(f"left out of {path}: audio", result.stderr.decode())

    def test_the_end_of_audio_is_kept_in_mp4(self):
        """The last packet lasts to the end of the edit list, whatever the encoder's delay before the beginning."""
        encoding = ("transcode", "--preset", "ultrafast", "--bit-rate", "300k")
        for codec, commands in (("aac", (("demux",), ("cut", "--start", "0"))), ("ac3", (("demux",), encoding, (*encoding, "--workers", "2")))):
            source = self.made("source.mp4", "-c:a", codec, "-movie_timescale", "48000")
            for command in commands:
                with self.subTest(codec=codec, command=command):
                    out = self.directory / "out.mp4"
                    self.assertSucceeds(run(command[0], source, out, "--force", *command[1:]))
                    theirs, ours = (self.end(path) for path in (source, out))
                    self.assertLess(abs(ours - theirs), Fraction(1, 10000))

    def test_an_edit_to_the_end_of_the_audio_does_not_lengthen_it(self):
        """An edit of duration 0 lasts to the end of the media, and so does one that is too long."""
        source, out = self.made("source.mp4", "-c:a", "aac"), self.directory / "out.mp4"
        last = self.last(source)
        movie = bytearray(source.read_bytes())
        edit = movie.rindex(b"elst") + 12
        for duration in (0, 9000):
            with self.subTest(duration=duration):
                struct.pack_into(">I", movie, edit, duration)
                source.write_bytes(movie)
                self.assertSucceeds(run("demux", source, out, "--force"))
                self.assertLess(abs(self.last(out) - last), 0.0001)

    def last(self, path):
        """Returns the duration of the last audio packet in seconds."""
        return float(ffprobe(path, "-select_streams", "a", "-show_packets")["packets"][-1]["duration_time"])

    def end(self, path):
        """Returns the duration that the edit list displays of the audio, in seconds."""
        data = path.read_bytes()
        movie = next(data[start + 8 : end] for kind, start, end in boxes(data) if kind == b"moov")
        header = next(movie[start + 8 : end] for kind, start, end in boxes(movie) if kind == b"mvhd")
        track = [movie[start + 8 : end] for kind, start, end in boxes(movie) if kind == b"trak"][1]
        edits = next(track[start + 8 : end] for kind, start, end in boxes(track) if kind == b"edts")
        count, duration = struct.unpack(">II", edits[12:20])
        self.assertEqual((count, edits[8]), (1, 0))
        return Fraction(duration, struct.unpack(">I", header[12:16])[0])
