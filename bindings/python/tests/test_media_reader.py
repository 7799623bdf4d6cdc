"""nalu.open: reading samples from files, with ffprobe as the reference."""

from __future__ import annotations

import array
import contextlib
import fcntl
import gc
import io
import os
import signal
import subprocess
import sys
import termios
import threading
import time
import weakref
from fractions import Fraction
from pathlib import Path

import pytest
from conftest import PROGRAM_LIMIT, clip_path, in_forked_child
from test_media_writer import CONTAINERS, packets, samples

import nalu
from nalu.media import Writer


def written(container: str = "mp4", **settings) -> bytes:
    file = io.BytesIO()
    with Writer(file, container, **settings) as writer:
        for sample in samples():
            writer.write(sample)
    return file.getvalue()


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "in.mp4"
    path.write_bytes(written(rotation=270))
    return path


# ---- Samples ---------------------------------------------------------------------------------------------------


def test_samples_that_an_edit_list_hides_are_marked(tmp_path):
    plain, cut = tmp_path / "plain.mp4", tmp_path / "cut.mp4"
    plain.write_bytes(written())
    command = ["ffmpeg", "-v", "error", "-ss", "0.1", "-i", plain, "-c", "copy", cut]
    subprocess.run([str(word) for word in command], check=True, timeout=PROGRAM_LIMIT)
    with nalu.open(cut) as reader:
        hidden = [sample.is_hidden for sample in reader]
    with nalu.open(cut, ignore_edit_list=True) as reader:
        everything = [sample.is_hidden for sample in reader]
    assert hidden[0] and not hidden[-1]
    assert len(everything) >= len(hidden) and not any(everything)


@pytest.mark.parametrize("fragmented", [False, True])
@pytest.mark.parametrize("container", ["mp4", "mov"])
def test_written_samples_are_read_back_unchanged(container, fragmented):
    with nalu.open(io.BytesIO(written(container, fragmented=fragmented))) as reader:
        read = list(reader)
    assert [sample.data for sample in read] == [sample.data for sample in samples()]
    for attribute in ("pts", "dts", "is_key_frame", "nal_units", "depends_on_others", "is_depended_on"):
        assert [getattr(sample, attribute) for sample in read] == [getattr(sample, attribute) for sample in samples()]
    assert b"".join(sample.annex_b() for sample in read) == b"".join(sample.annex_b() for sample in samples())
    assert {sample.duration for sample in read} == {nalu.Time(1001, 30000)}
    assert {sample.tag for sample in read} == {0}
    assert read[0].format_description == samples()[0].format_description


@pytest.mark.parametrize("container", sorted(set(CONTAINERS) - {"mp4", "mov"}))
def test_matroska_mpeg_ts_and_flv_are_read_with_their_times(tmp_path, container):
    path = tmp_path / f"in.{CONTAINERS[container]}"
    path.write_bytes(written(container))
    with nalu.open(path) as reader:
        assert reader.container == container
        read = list(reader)
    # MPEG-TS also has access unit delimiters (type 9).
    units = [[unit for unit in sample.nal_units if unit[0] & 31 != 9] for sample in read]
    assert units == [sample.nal_units for sample in samples()]
    first = min(sample.pts.seconds for sample in read)
    shown = sorted(sample.pts.seconds - first for sample in read)
    assert shown == pytest.approx([number * 1001 / 30000 for number in range(16)], abs=0.001)


@pytest.mark.parametrize("name", ["bikes.mp4", "carphone_pristine.mp4"])
def test_real_clips_have_the_times_that_ffprobe_reports(name):
    path = clip_path(name)
    base = Fraction(1, nalu.open(path).tracks[0].timescale)
    expected = packets(path)
    read = list(nalu.open(path))
    assert [(sample.pts.fraction, len(sample)) for sample in read] == [
        (packet["pts"] * base, int(packet["size"])) for packet in expected
    ]
    assert [sample.is_key_frame for sample in read] == ["K" in packet["flags"] for packet in expected]


def test_mp4_samples_survive_conversion_to_annex_b_and_back():
    stream = b"".join(sample.annex_b() for sample in nalu.open(clip_path("bikes.mp4")))
    parser = nalu.StreamParser()
    parsed = [*parser.push(stream), *parser.finish()]
    assert [sample.nal_units for sample in parsed] == [sample.nal_units for sample in nalu.open(clip_path("bikes.mp4"))]


def test_a_second_iteration_continues_after_the_first(path):
    reader = nalu.open(path)
    first = [next(reader) for _ in range(3)]
    assert [sample.data for sample in first + list(reader)] == [sample.data for sample in samples()]
    assert list(reader) == []


def test_samples_outlive_the_reader_and_its_file():
    file = io.BytesIO(written())
    with nalu.open(file) as reader:
        views = [sample.view for sample in reader]
    file.close()
    del reader
    gc.collect()
    assert [bytes(view) for view in views] == [sample.data for sample in samples()]


# ---- What the file says ----------------------------------------------------------------------------------------


def test_a_reader_describes_its_tracks(path):
    with nalu.open(path) as reader:
        [track] = reader.tracks
        assert (reader.container, repr(reader)) == ("mp4", "<Reader mp4, 1 tracks>")
        assert reader.duration == nalu.Time(16 * 1001, 30000)
        assert reader.format_description(0).codec_string.startswith("avc1.64")
    assert track.media_type == "video" and track.codec == "h264"
    assert (track.width, track.height, track.rotation, track.is_mirrored) == (160, 96, 270, False)
    assert track.transform[:4] == (0, -1, 1, 0)
    assert track.timescale == 30000 and track.sample_count == 16 and track.language == "und"
    assert track.frame_rate == pytest.approx(30000 / 1001)
    assert track.start_time == nalu.Time(0, 1) and track.duration == nalu.Time(16 * 1001, 30000)
    assert track.is_readable and track.is_selected and track.is_default


def test_an_audio_track_is_listed_but_not_read(tmp_path):
    path = tmp_path / "in.mkv"
    video = tmp_path / "video.mp4"
    video.write_bytes(written())
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=duration=0.5:sample_rate=44100", "-i", str(video)]
    subprocess.run([*command, "-c:v", "copy", "-c:a", "aac", "-map", "0:a", "-map", "1:v", str(path)], check=True)
    with nalu.open(path) as reader:
        audio, picture_track = reader.tracks
        assert (audio.media_type, audio.codec, audio.sample_rate, audio.channel_count) == ("audio", "aac", 44100, 1)
        assert not audio.is_readable and not audio.is_selected and picture_track.is_selected
        assert reader.format_description(0) is None
        with pytest.raises(ValueError, match="track"):
            reader.select(0)
        with pytest.raises(ValueError, match="track"):
            reader.select(2)
        read = list(reader)
        assert len(read) == 16 and {sample.tag for sample in read} == {1}


def test_the_status_of_a_reader_follows_its_progress(path):
    with nalu.open(path) as reader:
        seen = [reader.status]
        next(reader)
        seen.append(reader.status)
        list(reader)
        seen.append(reader.status)
    assert seen == ["unknown", "reading", "completed"]
    with pytest.raises(ValueError, match="the reader is closed"):
        reader.status


# ---- Seeking, cancelling ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "time, index", [(0, 0), (0.2, 0), (nalu.Time(8 * 1001, 30000), 8), (Fraction(1, 2), 8), (100.0, 8), (-5, 0)]
)
def test_seeking_goes_to_the_key_frame_before(path, time, index):
    with nalu.open(path) as reader:
        list(reader)
        reader.seek(time)
        assert [sample.data for sample in reader] == [sample.data for sample in samples()[index:]]


def test_an_interrupt_ends_the_wait_for_a_named_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    os.write(writer, b"\0\0\0")
    code = "import signal, nalu\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + f"nalu.open({str(pipe)!r})"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as program:
        end = time.monotonic() + PROGRAM_LIMIT
        # When the program has read the bytes, it waits for more.
        waiting = array.array("i", [1])
        while waiting[0] > 0 and time.monotonic() < end:
            fcntl.ioctl(writer, termios.FIONREAD, waiting)
            time.sleep(0.01)
        while program.poll() is None and time.monotonic() < end:
            program.send_signal(signal.SIGINT)
            time.sleep(0.05)
        program.kill()
        assert program.stderr is not None and "KeyboardInterrupt" in program.stderr.read()
    os.close(writer)


def test_a_reader_of_a_named_pipe_can_be_cancelled_and_closes_it(tmp_path, path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    before = len(os.listdir("/proc/self/fd"))
    feed = threading.Thread(target=lambda: os.write(writer, written(container="matroska")), daemon=True)
    feed.start()
    reader = nalu.open(pipe)
    canceller = threading.Thread(target=reader.cancel)
    with pytest.raises(nalu.CancelledError, match="cancelled"):
        for number, _ in enumerate(reader):
            if number == 3:
                canceller.start()
    canceller.join()
    feed.join(PROGRAM_LIMIT)
    reader.close()
    assert len(os.listdir("/proc/self/fd")) == before
    os.close(writer)


def test_cancelling_ends_a_call_in_another_thread():
    inside = threading.Event()

    class Slow(io.BytesIO):
        def read(self, size=-1):
            inside.set()
            released.wait(PROGRAM_LIMIT)
            return super().read(size)

    released = threading.Event()
    released.set()
    # The file is larger than the data that opening reads, so reading calls the file again.
    reader = nalu.open(Slow(written("mpegts") * 200))
    inside.clear()
    released.clear()
    raised = []

    def read() -> None:
        try:
            list(reader)
        except nalu.Error as error:
            raised.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    assert inside.wait(PROGRAM_LIMIT)
    reader.cancel()
    released.set()
    thread.join()
    assert [type(error) for error in raised] == [nalu.CancelledError]
    assert reader.status == "cancelled"
    with pytest.raises(nalu.CancelledError, match="cancelled"):
        next(reader)


def test_threads_share_a_reader(path):
    reader = nalu.open(path)
    got: list[bytes] = []
    threads = [threading.Thread(target=lambda: got.extend(sample.data for sample in reader)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == sorted(sample.data for sample in samples())


# ---- Files -----------------------------------------------------------------------------------------------------


class Unseekable(io.RawIOBase):
    """A file like a pipe: not seekable, and read in small blocks."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        return self.data.readinto(memoryview(buffer)[:700])


@pytest.mark.parametrize("settings", [{"fragmented": True}, {"container": "matroska"}, {"container": "mpegts"}])
def test_a_file_that_is_not_seekable_is_read_but_not_sought(settings):
    with nalu.open(Unseekable(written(**settings))) as reader:
        assert len(list(reader)) == 16
        with pytest.raises(ValueError, match="seek"):
            reader.seek(0)


@pytest.mark.parametrize("container", ["mp4", "mov"])
def test_an_unseekable_file_with_its_index_at_the_end_is_read(container, tmp_path, monkeypatch):
    data = written(container=container)
    with nalu.open(Unseekable(data)) as reader:
        assert [sample.data for sample in reader] == [sample.data for sample in samples()]
        reader.seek(0)
        assert next(iter(reader)).data == samples()[0].data
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    with pytest.raises(nalu.InputOutputError, match="temporary file.*none"):
        nalu.open(Unseekable(data))


def test_reading_begins_at_the_current_position_of_a_file():
    file = io.BytesIO(b"head" + written())
    file.seek(4)
    assert [sample.data for sample in nalu.open(file)] == [sample.data for sample in samples()]


def test_an_exception_of_the_file_is_raised_by_the_reader():
    class Broken(io.BytesIO):
        room = 1 << 30

        def read(self, size=-1):
            if self.tell() > self.room:
                raise ZeroDivisionError("mine")
            return super().read(size)

    file = Broken(written("mpegts") * 200)
    reader = nalu.open(file)
    file.room = 0
    with pytest.raises(ZeroDivisionError, match="mine"):
        list(reader)
    assert reader.status == "failed"
    with pytest.raises(nalu.InputOutputError):
        next(reader)


def test_a_file_that_calls_its_own_reader_gets_an_error():
    class File(io.BytesIO):
        told: set = set()

        def read(self, size=-1):
            if reader is not None:
                for call in (reader.__next__, reader.close, lambda: reader.tracks):
                    try:
                        call()
                    except nalu.Error as error:
                        self.told.add(error.status_name)
            return super().read(size)

    reader = None
    reader = nalu.open(File(written("mpegts") * 200))
    assert len([next(reader) for _ in range(500)]) == 500
    assert "REENTRANT" in File.told
    reader.close()


@pytest.mark.parametrize("given", ["text", "too much", "nothing"])
def test_a_file_whose_read_returns_wrong_values_is_refused(given):
    class File:
        def read(self, size):
            return {"text": "x", "too much": bytes(size + 1), "nothing": None}[given]

    with pytest.raises((TypeError, ValueError, BlockingIOError), match=r"read\(|non-blocking"):
        nalu.open(File())


def test_close_releases_the_file(path):
    file = io.BytesIO(path.read_bytes())
    dead = weakref.ref(file)
    reader = nalu.open(file)
    reader.close()
    reader.close()
    del file
    gc.collect()
    assert dead() is None and reader.closed and repr(reader) == "<Reader closed>"
    open_files = len(os.listdir("/proc/self/fd"))
    nalu.open(path).close()
    assert len(os.listdir("/proc/self/fd")) == open_files


def test_a_forked_child_does_not_affect_the_parents_reader(path):
    reader = nalu.open(path)
    next(reader)

    def use():
        with pytest.raises(ValueError, match="the reader belongs to another process, .*open the file again"):
            next(reader)
        assert repr(reader) == "<Reader of another process>"
        reader.close()

    assert in_forked_child(use) == 0
    assert len(list(reader)) == 15


def test_a_forked_child_does_not_wait_for_a_thread_of_the_parent():
    inside, released = threading.Event(), threading.Event()
    released.set()

    class Slow(io.BytesIO):
        def read(self, size=-1):
            inside.set()
            released.wait(PROGRAM_LIMIT)
            return super().read(size)

    # The file is larger than the data that opening reads, so reading calls the file again.
    reader = nalu.open(Slow(written("mpegts") * 200))
    inside.clear()
    released.clear()

    def read() -> None:
        with contextlib.suppress(nalu.CancelledError):
            list(reader)

    thread = threading.Thread(target=read)
    thread.start()
    assert inside.wait(PROGRAM_LIMIT)

    def use() -> None:
        for call in (lambda: next(reader), lambda: reader.tracks, lambda: reader.seek(0)):
            with pytest.raises(ValueError, match="the reader belongs to another process"):
                call()
        reader.close()

    result = in_forked_child(use)
    reader.cancel()
    released.set()
    thread.join()
    assert result == 0


# ---- What cannot be --------------------------------------------------------------------------------------------


def test_a_truncated_file_returns_its_available_samples():
    data = written(fragmented=True)
    with nalu.open(io.BytesIO(data[: len(data) - 200])) as reader:
        read = []
        while True:
            try:
                read.append(next(reader))
            except StopIteration:
                break
            except nalu.Error as error:
                assert "\n" not in str(error)
    assert 8 <= len(read) < 16


@pytest.mark.parametrize(
    "file, settings, kind, part",
    [
        ("nowhere/in.mp4", {}, OSError, "nowhere/in.mp4.* cannot be opened: No such file"),
        ("i\0n.mp4", {}, ValueError, "without NUL characters"),
        (io.BytesIO(b""), {}, ValueError, "empty"),
        (io.BytesIO(b"no video at all" * 100), {}, ValueError, "not a media file"),
        (None, {}, TypeError, "the file is NoneType; expected a path"),
        (3, {}, TypeError, "the file is int; expected a path"),
        (io.StringIO("text"), {}, TypeError, "expected bytes from a file open for binary reading"),
        ("in.h264", {"format": "avc"}, ValueError, "^format is"),
        ("in.h264", {"format": "a\0b"}, ValueError, "NUL"),
        ("in.h264", {"format": 3}, TypeError, "format is int"),
        ("in.h264", {"frame_duration": -1.0}, ValueError, "frame_duration"),
    ],
)
def test_wrong_reader_arguments_raise_one_clear_error_message(tmp_path, monkeypatch, file, settings, kind, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.h264").write_bytes(written("h264"))
    with pytest.raises(kind, match=part) as caught:
        nalu.open(file, **settings)
    assert "\n" not in str(caught.value)


def test_a_raw_stream_gets_times_from_frame_duration():
    stream = b"".join(sample.annex_b() for sample in samples())
    read = list(nalu.open(io.BytesIO(stream), frame_duration=nalu.Time(1, 50)))
    assert sorted(sample.pts for sample in read) == [nalu.Time(number, 50) for number in range(16)]


def test_a_stream_that_begins_in_the_middle_is_read_with_format():
    stream = b"".join(sample.annex_b("never") for sample in samples()[1:4])
    # FFmpeg detects the second stream as a transport stream, because of its bytes 0x47.
    for bytes_ in (stream, b"\0\0\0\1\x41\x9a" + b"\x55" * 50 + b"\x47\x40\x10\x30" + b"\x55" * 300):
        with pytest.raises(ValueError, match="not a media file"):
            nalu.open(io.BytesIO(bytes_))
    with nalu.open(io.BytesIO(stream), format="h264") as reader:
        assert (reader.container, [track.codec for track in reader.tracks]) == ("h264", ["h264"])


def test_seek_refuses_values_that_are_not_times(path):
    with nalu.open(path) as reader:
        with pytest.raises(TypeError, match="time is str"):
            reader.seek("1")
        with pytest.raises(ValueError, match="time is nan"):
            reader.seek(float("nan"))


def test_the_own_ffmpeg_of_a_wheel_writes_nothing_to_stderr(tmp_path):
    """FFmpeg logs a missing index for a truncated file."""
    path = tmp_path / "cut.mp4"
    data = written("mp4")
    path.write_bytes(data[: data.index(b"moov") - 4])
    code = f"""
import nalu
try:
    nalu.open({str(path)!r})
except nalu.Error as error:
    print(error)
print(next(line.split()[-1] for line in open("/proc/self/maps") if "libnalu" in line))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PROGRAM_LIMIT)
    sentence, library = result.stdout.splitlines()
    assert "no readable index" in sentence
    if "_lib" in Path(library).parts:
        assert result.stderr == ""
    else:
        assert "moov atom not found" in result.stderr
