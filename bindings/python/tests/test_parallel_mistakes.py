"""Mistaken arguments: an error message before anything is encoded, and no files left."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from fractions import Fraction

import parallel_frames
import pytest
from conftest import PROGRAM_LIMIT
from test_parallel import SETTINGS, SOURCE, threads, troubled

import nalu
from nalu.parallel import File, Frames, ParallelError
from nalu.parallel.__main__ import main


def clip(path, count: int = 50, **settings):
    nalu.write_video(path, [parallel_frames.frame(index) for index in range(count)], fps=25, format="gray", overwrite=True, **settings)
    return path


# ---- Targets ---------------------------------------------------------------------------------------------------


def test_a_target_that_cannot_be_written_is_refused_at_the_beginning(tmp_path):
    # Encoding would fail at frame 1, so these checks must come first.
    source = troubled(tmp_path / "marker", 1, "always")
    (tmp_path / "directory.mp4").mkdir()
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "file").write_text("mine")
    audio = clip(tmp_path / "silent.mp4", 2)
    before = sorted(os.listdir(tmp_path))
    for error, target, options, sentence in (
        (OSError, "nowhere/video.mp4", {}, "make it first"),
        (OSError, "nowhere/video.mp4", {"work": tmp_path / "work"}, "make it first"),
        (OSError, "file/video.mp4", {}, "make it first"),
        (OSError, "directory.mp4", {}, "is a directory"),
        (ValueError, "pipe.mp4", {}, "is not a regular file"),
        (ValueError, "video.xyz", {}, "xyz"),
        (ValueError, "video", {}, "container"),
        (ValueError, "video.mp4", {"container": "avi"}, "avi"),
        (OSError, f"{'n' * 250}.mp4", {}, "long"),
        (ValueError, "video.mp4", {"work": tmp_path / "file"}, "is not a directory"),
        (OSError, "video.mp4", {"work": tmp_path / "file" / "work"}, "--work"),
        (OSError, "video.mp4", {"audio": tmp_path / "nowhere.mp4"}, "nowhere"),
        (ValueError, "video.mp4", {"audio": audio}, "without audio"),
    ):
        with threads(1) as executor, pytest.raises(error, match=sentence) as caught:
            nalu.parallel.encode(source, tmp_path / target, executor=executor, **{**SETTINGS, **options})
        assert "\n" not in str(caught.value), caught.value
        assert not isinstance(caught.value, ParallelError)
        assert sorted(os.listdir(tmp_path)) == before, target


def test_a_target_is_a_path_of_any_kind(tmp_path):
    source = replace(SOURCE, count=5)
    for name in ("with space.mp4", "line\nbreak.mp4", "Füße 映画.mp4", "a:b.mp4", "%d.mp4", b"-o.mp4"):
        target = os.path.join(os.fsencode(tmp_path), name) if isinstance(name, bytes) else tmp_path / name
        with threads(1) as executor:
            nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor)
        found = os.listdir(tmp_path)
        assert len(found) == 1 and os.fsencode(found[0]) == os.fsencode(os.path.basename(target))
        again = nalu.parallel.plan(os.fsdecode(target), bit_rate=100_000)
        assert len(again) == 1 and nalu.parallel.first_pass(again[0]).frames == 5
        os.remove(target)


def test_what_the_container_does_not_take(tmp_path):
    source, turned = tmp_path / "in.mp4", tmp_path / "turned.mp4"
    picture = "testsrc2=size=96x64:rate=25:duration=1"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine=duration=1"]
    subprocess.run([*command, "-c:v", "libx264", "-c:a", "aac", str(source)], check=True, timeout=PROGRAM_LIMIT)
    with nalu.open(source) as reader, nalu.media.Writer(turned, rotation=90, mirrored=True) as writer:
        for sample in reader:
            writer.write(sample)
    with threads() as executor:
        options = {"bit_rate": 100_000, "executor": executor}
        nalu.parallel.encode(source, tmp_path / "out.h264", **options)
        nalu.parallel.encode(turned, tmp_path / "out.mov", **options)
        with nalu.open(tmp_path / "out.mov") as reader:
            assert reader.tracks[0].rotation == 90 and reader.tracks[0].is_mirrored
        before = sorted(os.listdir(tmp_path))
        for error, file, target, more in (
            (ValueError, turned, "out.mkv", {"audio": False}),
            (nalu.Error, source, "none.h264", {"audio": source}),
        ):
            with pytest.raises(error) as caught:
                nalu.parallel.encode(file, tmp_path / target, **options, **more)
            assert not isinstance(caught.value, ParallelError) and "\n" not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == before


# ---- Sources ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2])
def test_videos_of_a_frame_or_two(tmp_path, count):
    source, target = clip(tmp_path / "in.mp4", count), tmp_path / "out.mp4"
    for options in ({}, {"chunks": 5}, {"chunks": 2, "cut": "equal"}, {"chunk_duration": 0.001}, {"cut": "scenes", "chunks": 2}):
        with threads() as executor:
            summary = nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor, overwrite=True, **options)
        assert summary.frames == count
        with nalu.open(target) as reader:
            assert len(list(reader)) == count
    assert sorted(os.listdir(tmp_path)) == ["in.mp4", "out.mp4"]


def test_a_frame_that_is_shown_for_longer_than_a_chunk(tmp_path):
    """A slide show: chunks without any frame, in the middle and at the end."""
    source, target = tmp_path / "in.mp4", tmp_path / "out.mp4"
    times = [Fraction(*time) for time in ((0, 1), (1, 25), (2, 1), (13, 2), (7, 1), (181, 25))]
    with nalu.CompressionSession(160, 96, format="gray", quality=0.5) as session, nalu.media.Writer(source, timescale=100) as writer:
        for index, pts in enumerate(times):
            duration = nalu.Time(4, 1) if index == len(times) - 1 else None
            for sample in session.encode(parallel_frames.frame(index), nalu.Time(pts.numerator, pts.denominator), duration):
                writer.write(sample)
        for sample in session.flush():
            writer.write(sample)
    for cut in ("equal", "key_frames", "scenes"):
        with threads() as executor:
            summary = nalu.parallel.encode(source, target, bit_rate=50_000, chunk_duration=1, cut=cut, executor=executor, overwrite=True)
        assert summary.frames == len(times)
        with nalu.open(target) as reader:
            assert sorted(sample.pts.fraction for sample in reader) == times
    chunks = nalu.parallel.plan(source, bit_rate=50_000, chunk_duration=1, cut="equal")
    firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
    assert 0 in [first.frames for first in firsts] and sum(first.frames for first in firsts) == len(times)
    # With shorter durations the output would get too few bits.
    assert float(sum(first.duration for first in firsts)) == pytest.approx(7.24 + 4, abs=0.5)
    with pytest.raises(ValueError, match="frames"):
        nalu.parallel.budgets([first for first in firsts if not first.frames], 50_000)


def test_a_source_that_changes_meanwhile(tmp_path):
    source, target = clip(tmp_path / "in.mp4"), tmp_path / "out.mp4"

    def touch(progress) -> None:
        if progress.stage == "second pass":
            os.utime(source, ns=(1, 1))

    with threads() as executor, pytest.raises(ParallelError, match="source changed") as caught:
        nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor, progress=touch)
    assert "resume" not in str(caught.value) and os.listdir(tmp_path) == ["in.mp4"]

    def shorten(progress) -> None:
        if progress.stage == "second pass":
            clip(source, 30)

    clip(source)
    with threads() as executor, pytest.raises(ParallelError, match="chunk 0 failed on .* has 30 frames, and had 50"):
        nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor, progress=shorten)
    with threads() as executor, pytest.raises(ValueError, match="another video"):
        nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor, resume=True)


def test_a_run_is_not_resumed_with_a_source_that_is_read_otherwise(tmp_path):
    source, target = clip(tmp_path / "in.mp4"), tmp_path / "out.mp4"

    def stop(progress) -> None:
        if progress.stage == "second pass":
            raise RuntimeError("stopped")

    with threads() as executor:
        with pytest.raises(ParallelError, match="stopped"):
            nalu.parallel.encode(source, target, bit_rate=100_000, executor=executor, progress=stop)
        for change in ({"ignore_edit_list": True}, {"format": "mp4"}):
            with pytest.raises(ValueError, match="another video"):
                nalu.parallel.encode(File(source, **change), target, bit_rate=100_000, executor=executor, resume=True)
    shapeless = Frames(bytes, 3, 25, format="gray", size=(64, 48))
    assert shapeless.identity() != replace(shapeless, size=(48, 64)).identity()


def test_more_chunks_than_anybody_needs(tmp_path):
    assert len(nalu.parallel.plan(SOURCE, bit_rate=100_000, chunks=100_000, cut="equal")) == parallel_frames.COUNT
    assert len(nalu.parallel.plan(SOURCE, bit_rate=100_000, chunk_duration=1e-4, cut="equal")) == parallel_frames.COUNT
    with pytest.raises(ValueError, match="chunks is 1000000; expected 1 to 100000"):
        nalu.parallel.plan(SOURCE, bit_rate=100_000, chunks=1_000_000)
    with pytest.raises(ValueError, match="makes 1000000 chunks"):
        nalu.parallel.plan(replace(SOURCE, count=1_000_000), bit_rate=100_000, chunk_duration=0.04)


def test_an_address_that_fsspec_cannot_open(tmp_path):
    pytest.importorskip("fsspec")
    for address in ("nosuch://host/video.mp4", f"file://{tmp_path}/nowhere.mp4"):
        with pytest.raises(nalu.Error if address.startswith("nosuch") else OSError) as caught:
            nalu.parallel.plan(address, bit_rate=100_000)
        assert "\n" not in str(caught.value)


# ---- The command -----------------------------------------------------------------------------------------------


def test_mistakes_on_the_command_line(tmp_path, capsys):
    source, target = clip(tmp_path / "in.mp4", 5), tmp_path / "out.mp4"
    for option, value in (
        ("--bit-rate", "nan"), ("--bit-rate", "-1"), ("--size", "-2x4"), ("--chunks", "some"),
    ):  # fmt: skip
        with pytest.raises(SystemExit) as caught:
            main([str(source), str(target), "--bit-rate", "1M", f"{option}={value}"])
        assert caught.value.code == 2
        said = capsys.readouterr().err
        assert f"argument {option}: " in said and "_rate" not in said and "_size" not in said
    for words in (
        ["--workers", "0"],
        ["--chunks", "0"],
        ["--chunk-duration", "-1"],
        ["--chunk-duration", "nan"],
        ["--retries", "-1"],
        ["--container", "avi"],
        ["--work", str(source)],
        ["--dask", "tcp://127.0.0.1:99999999"],
        ["--dask", "127.0.0.1"],
    ):
        assert main([str(source), str(target), "--bit-rate", "100k", *words]) == 1, words
        said = capsys.readouterr().err
        assert said.startswith("nalu.parallel: ") and said.count("\n") == 1, said
    assert os.listdir(tmp_path) == ["in.mp4"]
