"""media.Writer, and write_video with containers, with ffprobe and ffmpeg as references."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import subprocess
import threading
import weakref
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from conftest import REORDERED, in_forked_child, picture, psnr

import nalu
from nalu.media import Writer

CONTAINERS = {"mp4": "mp4", "mov": "mov", "matroska": "mkv", "mpegts": "ts", "flv": "flv", "h264": "h264"}


def clip(count: int = 10) -> list:
    return [picture(160, 96, shift) for shift in range(count)]


@lru_cache
def samples(reordered: bool = True) -> "list[nalu.Sample]":
    settings = {"properties": REORDERED | {"MaxKeyFrameInterval": 8}} if reordered else {"real_time": True}
    with nalu.CompressionSession(160, 96, frame_rate=Fraction(30000, 1001), quality=0.8, **settings) as session:
        return [sample for frame in clip(16) for sample in session.encode(frame)] + session.flush()


def probe(file, *entries: str, command: str = "-show_streams") -> dict:
    arguments = ["ffprobe", "-v", "error", "-of", "json", command, *entries, str(file)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


def packets(file) -> list[dict]:
    return probe(file, command="-show_packets")["packets"]


def frames_of(file, width: int = 160, height: int = 96) -> np.ndarray:
    command = ["ffmpeg", "-v", "error", "-noautorotate", "-i", str(file), "-fps_mode", "passthrough"]
    command += ["-sws_flags", "accurate_rnd+full_chroma_int+bicubic", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


# ---- write_video -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".mp4", ".m4v", ".mov", ".MKV", ".ts", ".flv"])
def test_the_extension_selects_the_container(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    done = nalu.write_video(path, clip(), fps=29.97, bit_rate=2_000_000)
    assert done.encoded_frames == 10
    shown = frames_of(path)
    assert len(shown) == 10
    assert min(psnr(got, source) for got, source in zip(shown, clip())) > 32
    [stream] = probe(path)["streams"]
    assert (stream["codec_name"], stream["width"], stream["height"]) == ("h264", 160, 96)


@pytest.mark.parametrize("suffix", [".mp4", ".mov"])
@pytest.mark.parametrize("fps, rate", [(29.97, "30000/1001"), (25, "25/1"), (Fraction(24000, 1001), "24000/1001")])
def test_written_frame_rates_and_times_are_exact(tmp_path, suffix, fps, rate):
    path = tmp_path / f"out{suffix}"
    nalu.write_video(path, clip(), fps=fps)
    [stream] = probe(path)["streams"]
    assert stream["avg_frame_rate"] == stream["r_frame_rate"] == rate
    base = Fraction(stream["time_base"])
    shown = sorted(packet["pts"] * base for packet in packets(path))
    assert shown == [number / Fraction(rate) for number in range(10)]
    assert stream["duration_ts"] * base == 10 / Fraction(rate)


def test_an_open_file_gets_the_container_of_the_argument():
    for fragmented in (False, True):
        file = io.BytesIO()
        nalu.write_video(file, clip(3), fps=25, container="mp4", fragmented=fragmented)
        assert file.getvalue()[4:8] == b"ftyp"
        assert (b"moof" in file.getvalue()) == fragmented


def test_fast_start_and_rotation_are_written(tmp_path):
    path = tmp_path / "out.mp4"
    nalu.write_video(path, clip(3), fps=25, fast_start=True, rotation=90)
    data = path.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")
    [stream] = probe(path)["streams"]
    assert stream["side_data_list"][0]["rotation"] == -90


def test_an_exception_of_the_frames_leaves_a_playable_file(tmp_path):
    path = tmp_path / "out.mp4"

    def frames():
        yield from clip(40)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nalu.write_video(path, frames(), fps=25, properties={"MaxFrameDelayCount": 0})
    # The file contains the frames delivered before the exception.
    assert 30 <= len(frames_of(path)) <= 40


@pytest.mark.parametrize("suffix", [".mp4", ".mkv", ".ts", ".h264"])
def test_an_exception_before_the_first_sample_leaves_no_file(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"

    def frames():
        yield from clip(2)
        raise ZeroDivisionError

    # The encoder delays both frames.
    with pytest.raises(ZeroDivisionError):
        nalu.write_video(path, frames(), fps=25)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ZeroDivisionError), Writer(path, "mpegts"):
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == []
    path.write_bytes(b"")
    with pytest.raises(ZeroDivisionError):
        nalu.write_video(path, frames(), fps=25, overwrite=True)
    assert os.listdir(tmp_path) == [path.name]


def test_a_call_that_cannot_succeed_leaves_the_existing_file_unchanged(tmp_path):
    path = tmp_path / "out.mp4"
    path.write_bytes(b"kept")
    settings_of_one = ({"bit_rate": -1}, {"rotation": 1.5}, {"rotation": 45})
    for frames, settings in (([], {}), ([b"x"], {}), *[(clip(1), settings) for settings in settings_of_one]):
        with pytest.raises((ValueError, TypeError)):
            nalu.write_video(path, frames, fps=25, overwrite=True, **settings)
        assert path.read_bytes() == b"kept"


@pytest.mark.parametrize("suffix", [".mp4", ".mov", ".mkv", ".ts", ".flv"])
def test_the_output_can_replace_the_input(tmp_path, suffix):
    path = tmp_path / f"same{suffix}"
    nalu.write_video(path, clip(20), fps=25, properties={"MaxFrameDelayCount": 0})
    with pytest.raises(FileExistsError, match="exists; overwrite=True replaces it"):
        nalu.write_video(path, nalu.read_video(path))
    assert len(frames_of(path)) == 20
    nalu.write_video(path, nalu.read_video(path), overwrite=True)
    assert len(frames_of(path)) == 20
    with nalu.open(path) as reader, Writer(path, overwrite=True, repair_times=True) as writer:
        for sample in reader:
            writer.write(sample)
    assert len(frames_of(path)) == 20
    assert os.listdir(tmp_path) == [path.name]


def test_a_failure_keeps_the_existing_file(tmp_path):
    path = tmp_path / "out.mp4"
    path.write_bytes(b"kept")

    def failing():
        yield from clip(20)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nalu.write_video(path, failing(), fps=25, overwrite=True, properties={"MaxFrameDelayCount": 0})
    assert path.read_bytes() == b"kept"
    with pytest.raises(KeyboardInterrupt), Writer(path, overwrite=True) as writer:
        writer.write(samples()[0])
        raise KeyboardInterrupt
    assert path.read_bytes() == b"kept" and os.listdir(tmp_path) == ["out.mp4"]


def test_a_full_disk_raises_for_a_container():
    with pytest.raises(nalu.InputOutputError, match="No space left"):
        nalu.write_video("/dev/full", clip(3), fps=25, container="matroska")


# ---- Writer ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_can_be_written_to_a_path_file_or_descriptor(tmp_path, container):
    path = tmp_path / f"out.{CONTAINERS[container]}"
    with Writer(path) as writer:
        for sample in samples():
            writer.write(sample)
    file = io.BytesIO()
    with Writer(file, container) as writer:
        for sample in samples():
            writer.write(sample)
    with open(tmp_path / "descriptor", "wb") as opened, Writer(opened.fileno(), container) as writer:
        for sample in samples():
            writer.write(sample)
    assert path.read_bytes() == file.getvalue() == (tmp_path / "descriptor").read_bytes()
    assert len(packets(path)) == 16


def test_written_samples_keep_their_times(tmp_path):
    path = tmp_path / "out.mp4"
    with Writer(str(path)) as writer:
        for sample in samples():
            writer.write(sample)
    [stream] = probe(path)["streams"]
    base = Fraction(stream["time_base"])
    written = packets(path)
    assert [packet["pts"] * base for packet in written] == [sample.pts.fraction for sample in samples()]
    assert [packet["dts"] * base for packet in written] == [sample.dts.fraction for sample in samples()]
    assert ["K" in packet["flags"] for packet in written] == [sample.is_key_frame for sample in samples()]


def test_writing_begins_at_the_current_position_of_a_file():
    file = io.BytesIO(b"head")
    file.seek(4)
    with Writer(file, "mp4") as writer:
        for sample in samples():
            writer.write(sample)
    alone = io.BytesIO()
    with Writer(alone, "mp4") as writer:
        for sample in samples():
            writer.write(sample)
    assert file.getvalue() == b"head" + alone.getvalue()


def test_fragments_are_written_to_a_pipe_at_once():
    reading, writing = os.pipe()
    got: list[bytes] = []

    def read() -> None:
        with open(reading, "rb") as file:
            got.append(file.read())

    thread = threading.Thread(target=read)
    thread.start()
    with open(writing, "wb", buffering=0) as pipe, Writer(pipe, "mp4", fragmented=True, fragment_duration=0.1) as writer:
        for sample in samples():
            writer.write(sample)
    thread.join()
    assert got[0].count(b"moof") > 2


def test_an_exception_of_the_file_is_raised_by_the_writer():
    class Full(io.RawIOBase):
        room = 5000

        def writable(self):
            return True

        def write(self, data):
            if self.room < len(data):
                raise OSError(errno.ENOSPC, "it is full")
            self.room -= len(data)
            return len(data)

    writer = Writer(Full(), "mpegts")
    with pytest.raises(OSError, match="it is full") as caught:
        for sample in samples():
            writer.write(sample)
        writer.close()
    assert caught.value.errno == errno.ENOSPC
    # The failure is final.
    with pytest.raises((nalu.InputOutputError, ValueError), match="No space left|closed"):
        writer.write(samples()[0])


@pytest.mark.parametrize("base", [io.RawIOBase, object])
def test_a_file_whose_write_accepts_few_bytes_gets_all_of_them(base):
    class Slow(base):
        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += data[:100]
            return len(data[:100])

    slow, whole = Slow(), io.BytesIO()
    for file in (slow, whole):
        with Writer(file, "mpegts") as writer:
            for sample in samples():
                writer.write(sample)
    assert slow.data == whole.getvalue()
    slow, whole = Slow(), io.BytesIO()
    for file in (slow, whole):
        nalu.write_video(file, clip(3), fps=25, properties={"MaxFrameDelayCount": 0})
    assert slow.data == whole.getvalue()


def test_a_file_whose_write_returns_no_count_accepts_everything():
    class Silent(io.BytesIO):
        def write(self, data):
            super().write(data)

    class Stuck:
        def write(self, data):
            return 0

    silent, whole = Silent(), io.BytesIO()
    for file in (silent, whole):
        with Writer(file, "mpegts") as writer:
            for sample in samples():
                writer.write(sample)
    assert silent.getvalue() == whole.getvalue()
    with pytest.raises(OSError, match="accepted 0 of"):
        nalu.write_video(Stuck(), clip(1), fps=25)


def test_a_file_in_append_mode_cannot_seek(tmp_path):
    def by_mode(path):
        return open(path, "ab")

    def by_descriptor(path):
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "wb")

    for opened in (by_mode, by_descriptor):
        path = tmp_path / opened.__name__
        with opened(path) as file, pytest.raises(ValueError, match="cannot seek"):
            nalu.write_video(file, clip(3), fps=25, container="mp4")
        with opened(path) as file:
            nalu.write_video(file, clip(3), fps=25, container="mp4", fragmented=True)
        assert len(frames_of(path)) == 3


def test_a_keyboard_interrupt_in_the_file_is_not_lost():
    class File:
        def write(self, data):
            raise KeyboardInterrupt

    writer = Writer(File(), "h264")
    with pytest.raises(KeyboardInterrupt):
        for sample in samples():
            writer.write(sample)
        writer.close()


def test_a_file_that_calls_its_own_writer_gets_an_error():
    class File(io.BytesIO):
        told = ""

        def write(self, data):
            for call in (lambda: writer.write(samples()[0]), writer.close):
                try:
                    call()
                except nalu.Error as error:
                    self.told = error.status_name
            return super().write(data)

    file = File()
    with Writer(file, "mpegts") as writer:
        for sample in samples():
            writer.write(sample)
    assert file.told == "REENTRANT"
    assert len(file.getvalue()) > 1000


def test_threads_write_to_one_writer():
    ordered = threading.Condition()
    turn = [0]
    file = io.BytesIO()
    writer = Writer(file, "matroska")

    def write(number: int) -> None:
        with ordered:
            ordered.wait_for(lambda: turn[0] == number)
            writer.write(samples()[number])
            turn[0] += 1
            ordered.notify_all()

    threads = [threading.Thread(target=write, args=(number,)) for number in reversed(range(16))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    alone = io.BytesIO()
    with Writer(alone, "matroska") as other:
        for sample in samples():
            other.write(sample)
    assert file.getvalue() == alone.getvalue()


def test_an_exception_in_the_with_block_finishes_the_file(tmp_path):
    path = tmp_path / "out.mp4"
    with pytest.raises(ZeroDivisionError), Writer(path) as writer:
        for sample in samples():
            writer.write(sample)
        raise ZeroDivisionError
    assert len(packets(path)) == 16


def test_a_writer_without_samples_writes_nothing(tmp_path):
    path = tmp_path / "out.mp4"
    with Writer(path) as writer:
        assert repr(writer) == "<Writer open>" and not writer.closed
    assert path.read_bytes() == b""
    assert repr(writer) == "<Writer closed>" and writer.closed
    writer.close()
    with pytest.raises(ValueError, match="the writer is closed"):
        writer.write(samples()[0])


def test_a_garbage_collected_writer_finishes_and_releases_the_file():
    file = io.BytesIO()
    dead = weakref.ref(file)
    writer = Writer(file, "mp4")
    for sample in samples():
        writer.write(sample)
    del writer
    gc.collect()
    assert b"moov" in file.getvalue()
    del file
    gc.collect()
    assert dead() is None


def test_a_forked_child_does_not_affect_the_parents_writer(tmp_path):
    path = tmp_path / "out.mp4"
    writer = Writer(path)
    for sample in samples():
        writer.write(sample)
    assert in_forked_child(writer._release) == 0
    writer.close()
    assert len(packets(path)) == 16


def test_close_releases_the_path(tmp_path):
    open_files = os.listdir("/proc/self/fd")
    writer = Writer(tmp_path / "out.mp4")
    writer.write(samples()[0])
    assert len(os.listdir("/proc/self/fd")) > len(open_files)
    writer.close()
    assert len(os.listdir("/proc/self/fd")) == len(open_files)


def test_a_file_depends_only_on_its_samples_and_creation_time():
    written = []
    for created in (None, None, 1_700_000_000):
        file = io.BytesIO()
        with Writer(file, "mp4", creation_time=created) as writer:
            for sample in samples():
                writer.write(sample)
        written.append(file.getvalue())
    assert written[0] == written[1] != written[2]


@pytest.mark.parametrize(
    "arguments, settings, kind, part",
    [
        (("out.mp4",), {"overwrite": False}, FileExistsError, r"out\.mp4 exists; overwrite=True replaces it"),
        ((".",), {"container": "mp4"}, IsADirectoryError, r"\. is a directory; expected the path of a file in it"),
        (("none/out.mp4",), {}, FileNotFoundError, "there is no directory .*none; make it first"),
        ((bytes(5000),), {}, ValueError, r"the file is 5000 bytes of data; expected a path, or io\.BytesIO"),
        (("out.avi",), {}, ValueError, "selects no container"),
        (("o\0ut.mp4",), {}, ValueError, "without NUL characters"),
        ((io.BytesIO(),), {}, ValueError, "container is missing; expected its name, such as 'mp4'"),
        ((io.BytesIO(), "mp3"), {}, ValueError, 'container is "mp3"; expected mp4, mov'),
        ((None, "mp4"), {}, TypeError, "the file is NoneType; expected a path"),
        ((99999, "mp4"), {}, OSError, "descriptor is 99999: Bad file descriptor"),
        (("new.mp4",), {"fragment_duration": 5}, ValueError, "fragment_duration"),
        (("new.mp4",), {"creation_time": -1}, ValueError, "creation_time is -1"),
        (("out.mp4",), {"rotation": "90"}, TypeError, "rotation is str; expected an int"),
        ((io.BytesIO(), "mp4"), {"fast_start": True}, ValueError, "cannot be read back"),
    ],
)
def test_wrong_writer_arguments_raise_one_clear_error_message(tmp_path, monkeypatch, arguments, settings, kind, part):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out.mp4").write_bytes(b"there")
    with pytest.raises(nalu.Error, match=part) as caught:
        Writer(*arguments, **settings)
    assert isinstance(caught.value, kind)
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["out.mp4"]


def test_objects_other_than_samples_and_samples_out_of_order_are_refused():
    file = io.BytesIO()
    with Writer(file, "mp4") as writer:
        with pytest.raises(TypeError, match=r"the sample is bytes; expected a nalu\.Sample"):
            writer.write(b"")
        writer.write(samples()[0])
        with pytest.raises(ValueError, match="decode"):
            writer.write(samples()[0])
        for sample in samples()[1:]:
            writer.write(sample)
    with pytest.raises(TypeError, match="copied nor pickled"):
        import pickle

        pickle.dumps(writer)


def test_times_are_repaired_and_parameter_sets_written_in_band(tmp_path) -> None:
    path = tmp_path / "clip.mp4"
    writer = Writer(path, repair_times=True, parameter_sets_in_band=True)
    for sample in samples():
        writer.write(sample)
    assert writer.repaired == (0, 0, 0, 0)
    writer.close()
    assert writer.repaired.decode_times == 0
    assert probe(path)["streams"][0]["codec_tag_string"] == "avc3"
    with pytest.raises(nalu.Error, match="parameter_sets_in_band=True is set"):
        Writer(tmp_path / "clip.mkv", parameter_sets_in_band=True)
