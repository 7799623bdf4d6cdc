"""Copying audio and subtitles from file to file, with ffmpeg as the reference."""

from __future__ import annotations

import gc
import io
import json
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import picture

import nalu
from nalu.media import Writer

SIZE = "160x96"


def ffmpeg(*arguments: object) -> bytes:
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("audio")


@pytest.fixture(scope="module")
def video(directory) -> Path:
    """Returns a file of two seconds with B-frames, two audio tracks and subtitles."""
    path = directory / "video.mkv"
    texts = directory / "texts.srt"
    texts.write_text("1\n00:00:00,200 --> 00:00:01,000\nOne\n\n2\n00:00:01,200 --> 00:00:01,800\nTwo\n")
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=size={SIZE}:rate=25", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000",
           "-f", "lavfi", "-i", "sine=frequency=880:sample_rate=44100", "-i", texts, "-t", 2, "-map", "0:v", "-map", "1:a",
           "-map", "2:a", "-map", "3:s", "-c:v", "libx264", "-bf", 3, "-g", 20, "-c:a:0", "aac", "-c:a:1", "libmp3lame",
           "-c:s", "srt", "-metadata:s:a:0", "language=deu", path)  # fmt: skip
    return path


@pytest.fixture(scope="module")
def mp4(directory, video) -> Path:
    path = directory / "video.mp4"
    ffmpeg("-i", video, "-map", "0:v", "-map", "0:a", "-c", "copy", path)
    return path


def packets(file, kind: str = "a", number: int = 0) -> "list[tuple]":
    """Returns the hash and size of each packet, and its time in milliseconds."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_packets", "-show_data_hash", "md5"]
    command += ["-select_streams", f"{kind}:{number}", str(file)]
    shown = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["packets"]
    return [(packet["data_hash"], packet["size"], round(float(packet["pts_time"]) * 1000)) for packet in shown]


def contents(file, kind: str = "a", number: int = 0) -> "list[tuple]":
    return [packet[:2] for packet in packets(file, kind, number)]


def digest(file, kind: str = "a") -> bytes:
    return ffmpeg("-i", file, "-map", f"0:{kind}:0", "-c", "copy", "-f", "md5", "-")


def rewrap(old, new, **options) -> "list[nalu.media.Track]":
    with nalu.open(old) as reader, Writer(new, **options) as writer:
        passed = writer.add_tracks_from(reader)
        for sample in reader:
            writer.write(sample)
    return passed


# ---- From file to file -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", ["mp4", "mov", "mkv"])
def test_all_other_tracks_are_copied(directory, video, extension):
    path = directory / f"out.{extension}"
    passed = rewrap(video, path)
    assert [track.codec for track in passed][:2] == ["aac", "mp3"]
    assert passed[0].language == "deu"
    for number in (0, 1):
        assert contents(path, number=number) == contents(video, number=number)
    assert digest(path) == digest(video)
    assert contents(path, "v") != [] and len(contents(path, "v")) == 50
    for (_, _, theirs), (_, _, ours) in zip(packets(video), packets(path)):
        assert abs(theirs - ours) <= 1
    shown = ffmpeg("-i", path, "-map", "0:v", "-f", "md5", "-")
    assert shown == ffmpeg("-i", video, "-map", "0:v", "-f", "md5", "-")


def test_audio_survives_mp4_to_mpeg_ts_and_back(directory, mp4):
    stream, back = directory / "out.ts", directory / "back.mp4"
    rewrap(mp4, stream)
    rewrap(stream, back)
    assert digest(back) == digest(mp4)


def test_audio_is_copied_to_fragments_in_memory(mp4):
    file = io.BytesIO()
    with mp4.open("rb") as source:
        rewrap(source, file, container="mp4", fragmented=True)
    assert not file.closed
    out = mp4.with_name("fragments.mp4")
    out.write_bytes(file.getvalue())
    assert contents(out) == contents(mp4)
    assert contents(out, "v") == contents(mp4, "v")


def test_one_track_can_be_copied_by_number_or_object(directory, video):
    path = directory / "one.mp4"
    with nalu.open(video) as reader, Writer(path) as writer:
        audio_tracks = [track for track in reader.tracks if track.media_type == "audio"]
        assert writer.add_track_from(reader, audio_tracks[1].number) == 0
        assert writer.add_track_from(reader, audio_tracks[0]) == 1
        for sample in reader:
            writer.write(sample)
    assert contents(path, number=0) == contents(video, number=1)
    assert contents(path, number=1) == contents(video, number=0)


def test_audio_is_copied_beside_transcoded_video(directory, mp4):
    path = directory / "transcoded.mp4"
    with nalu.open(mp4) as reader, Writer(path) as writer, nalu.Decoder(format="nv12") as decoder:
        writer.add_tracks_from(reader)
        with nalu.CompressionSession(160, 96, frame_rate=25, format="nv12") as session:
            for sample in reader:
                for frame in decoder.decode(sample):
                    for made in session.encode(frame, frame.pts):
                        writer.write(made)
            for frame in decoder.flush():
                session.submit(frame, frame.pts)
            for made in session.flush():
                writer.write(made)
    assert contents(path) == contents(mp4)
    assert len(contents(path, "v")) == 50


def test_tracks_that_the_container_does_not_support_are_left_out(directory, video, mp4):
    assert [track.media_type for track in rewrap(mp4, directory / "raw.h264")] == []
    with nalu.open(video) as reader, Writer(directory / "out.flv") as writer:
        [subtitle] = [track for track in reader.tracks if track.media_type == "subtitle"]
        with pytest.raises(ValueError, match="cannot contain"):
            writer.add_track_from(reader, subtitle)
        assert "subtitle" not in [track.media_type for track in writer.add_tracks_from(reader)]


def test_wrong_tracks_to_copy_are_refused(directory, video):
    path = directory / "refused.mkv"
    with nalu.open(video) as reader, Writer(path) as writer:
        with pytest.raises(ValueError, match="video"):
            writer.add_track_from(reader, reader.tracks[0])
        for number in (99, -1, 2**40):
            with pytest.raises(ValueError, match=str(number)):
                writer.add_track_from(reader, number)
        for wrong in ("1", None, 1.0, True):
            with pytest.raises(TypeError):
                writer.add_track_from(reader, wrong)
        with pytest.raises(TypeError, match="nalu.open"):
            writer.add_track_from(str(video), 1)
        writer.add_track_from(reader, 1)
        with pytest.raises(nalu.Error, match="already"):
            writer.add_track_from(reader, 1)
        writer.write(next(reader))
        with pytest.raises(nalu.Error):
            writer.add_track_from(reader, 2)
    with pytest.raises(ValueError, match="closed"):
        writer.add_track_from(reader, 1)
    with nalu.open(video) as reader, Writer(directory / "late.mkv") as writer:
        next(reader)
        with pytest.raises(nalu.Error, match="read"):
            writer.add_tracks_from(reader)


# ---- When one of both is gone ------------------------------------------------------------------------------------


class Noisy(io.BytesIO):
    """A file that fails after ``left`` writes, and that must not be written after its end."""

    ended = False
    left = 10**9

    def write(self, data) -> int:
        assert not self.ended
        self.left -= 1
        if self.left < 0:
            raise OSError(28, "full")
        return super().write(data)


@pytest.mark.parametrize("how", ["close", "collect"])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_reading_continues_when_the_writer_is_closed(video, how, count):
    file = Noisy()
    with nalu.open(video) as reader:
        writer = Writer(file, "matroska")
        writer.add_tracks_from(reader)
        for _ in range(count):
            writer.write(next(reader))
        if how == "close":
            writer.close()
        del writer
        gc.collect()
        file.ended = True
        assert len(list(reader)) == 50 - count


def test_the_copied_audio_ends_when_the_reader_is_closed(directory, video):
    path = directory / "short.mkv"
    with Writer(path) as writer:
        with nalu.open(video) as reader:
            writer.add_tracks_from(reader)
            for _ in range(25):
                writer.write(next(reader))
        del reader
        gc.collect()
    assert len(contents(path, "v")) == 25
    assert contents(path) == contents(video)[: len(contents(path))] != []


def test_a_full_output_raises_while_audio_is_copied(video):
    file = Noisy()
    with nalu.open(video) as reader, pytest.raises(OSError, match="full"), Writer(file, "matroska") as writer:
        writer.add_tracks_from(reader)
        writer.write(next(reader))
        file.left = 0
        for sample in reader:
            writer.write(sample)


# ---- write_video -------------------------------------------------------------------------------------------------


def frames(count: int) -> list:
    return [picture(160, 96, shift) for shift in range(count)]


def test_write_video_copies_the_audio_of_a_file(directory, mp4):
    path = directory / "own.mp4"
    with mp4.open("rb") as file:
        nalu.write_video(path, frames(50), fps=Fraction(25), audio=file)
    assert contents(path) == contents(mp4)
    assert digest(path) == digest(mp4)
    assert len(contents(path, "v")) == 50


def test_decoded_frames_are_written_with_the_audio_of_their_file(directory, mp4):
    path = directory / "scaled.mp4"
    nalu.write_video(path, nalu.read_video(mp4, size=(80, 48)), audio=mp4)
    assert contents(path) == contents(mp4)


def test_audio_ends_where_the_video_ends(directory, mp4):
    path = directory / "cut.mp4"
    nalu.write_video(path, frames(25), fps=25, audio=mp4)
    ours = contents(path)
    assert ours == contents(mp4)[: len(ours)]
    assert 0.95 < len(ours) * 1024 / 48000 < 1.3


def test_video_can_be_longer_than_its_audio(directory, mp4):
    path = directory / "longer.mp4"
    nalu.write_video(path, frames(75), fps=25, audio=mp4)
    assert contents(path) == contents(mp4)
    assert len(contents(path, "v")) == 75


def test_audio_arguments_that_cannot_be_used_are_refused(directory, mp4):
    silent, path = directory / "silent.mp4", directory / "there.mp4"
    ffmpeg("-i", mp4, "-an", "-c", "copy", silent)
    path.write_bytes(b"there")
    with pytest.raises(ValueError, match="audio"):
        nalu.write_video(path, frames(2), fps=25, audio=silent, overwrite=True)
    song = directory / "song.m4a"
    ffmpeg("-i", mp4, "-map", "0:a:0", "-c", "copy", song)
    with pytest.raises(ValueError, match="without H.264 or H.265 video"):
        nalu.write_video(path, frames(2), fps=25, audio=song, overwrite=True)
    with pytest.raises(OSError, match="none.mp4"):
        nalu.write_video(path, frames(2), fps=25, audio=directory / "none.mp4", overwrite=True)
    assert path.read_bytes() == b"there"
    with pytest.raises(ValueError, match="audio"):
        nalu.write_video(directory / "mute.h264", frames(2), fps=25, audio=mp4)
    with pytest.raises(TypeError):
        nalu.write_video(path, frames(2), fps=25, audio=5, overwrite=True)
