"""Encoding in chunks: the bytes do not depend on which worker encodes a chunk, or on failures of workers."""

from __future__ import annotations

import concurrent.futures
import errno
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import threading
import zlib
from dataclasses import replace
from fractions import Fraction
from unittest.mock import Mock

import parallel_frames
import pytest
from conftest import PROGRAM_LIMIT, decoded
from parallel_frames import CHANGE, COUNT, HEIGHT, WIDTH, Trouble

import nalu
from nalu.parallel import EncodedChunk, Frames, ParallelError
from nalu.parallel import __main__ as program
from nalu.parallel._work import WorkDirectory

#: Without the macroblock tree, such short chunks reach the requested size.
SETTINGS = {"bit_rate": 150_000, "chunk_duration": 1, "cut": "equal", "properties": {"x264.params": "mbtree=0"}}
SOURCE = Frames(parallel_frames.frame, COUNT, 25, format="gray", name="video")


def troubled(*arguments) -> Frames:
    """Returns a source with a failure. It has the same name, because the frames are the same."""
    return replace(SOURCE, function=Trouble(*arguments))


def threads(count: int = 2):
    return concurrent.futures.ThreadPoolExecutor(count)


@pytest.fixture(scope="module")
def video(tmp_path_factory) -> bytes:
    """Returns the bytes that every run must produce."""
    target = tmp_path_factory.mktemp("video") / "video.mp4"
    with threads(1) as executor:
        nalu.parallel.encode(SOURCE, target, executor=executor, **SETTINGS)
    return target.read_bytes()


# ---- The video --------------------------------------------------------------------------------------------------


def test_spawned_processes_give_the_video(tmp_path, video):
    shown = []
    # On a busy machine, one chunk may take much longer than the others.
    options = {**SETTINGS, "patience": 1000}
    summary = nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", workers=2, progress=shown.append, **options)
    assert (tmp_path / "video.mp4").read_bytes() == video
    assert os.listdir(tmp_path) == ["video.mp4"]
    assert (summary.frames, summary.duration, summary.chunks) == (COUNT, 4.0, 4)
    assert summary.retried == summary.duplicated == summary.resumed == 0 and 1 <= summary.workers <= 2
    assert summary.bit_rate == pytest.approx(150_000, rel=0.02)
    stages = [each.stage for each in shown]
    repeats = stages.count("repeated first pass")
    assert stages == ["first pass"] * 5 + ["repeated first pass"] * repeats + ["second pass"] * 5 + ["join"]
    assert shown[-1].video_seconds == shown[-1].video_duration == 4.0
    with nalu.open(tmp_path / "video.mp4") as reader:
        samples = list(reader)
        assert len({sample.format_description for sample in samples}) == 1
    assert sorted(sample.pts.fraction for sample in samples) == [Fraction(index, 25) for index in range(COUNT)]
    # The decode times are those of a single session: multiples of the frame duration, without a step at the seams.
    assert [sample.dts.fraction for sample in samples] == [Fraction(index, 25) + samples[0].dts.fraction for index in range(COUNT)]
    assert {sample.pts.fraction for sample in samples if sample.is_key_frame} >= {0, 1, 2, 3}
    stream = b"".join(sample.annex_b() for sample in samples)
    assert len(decoded(stream, WIDTH, HEIGHT)) == COUNT


def test_what_memory_holds_changes_nothing(tmp_path):
    program = (
        "import sys, nalu.parallel, test_parallel as here\n"
        "with here.threads(1) as executor:\n"
        "    nalu.parallel.encode(here.SOURCE, sys.argv[1], bit_rate=150_000, chunk_duration=1, cut='equal', executor=executor,\n"
        "        overwrite=True)\n"
    )
    videos = set()
    for filling in ("85", "170"):
        # glibc fills allocated memory with this byte.
        environment = os.environ | {"MALLOC_PERTURB_": filling}
        run = [sys.executable, "-c", program, str(tmp_path / "video.mp4")]
        subprocess.run(run, env=environment, cwd=os.path.dirname(__file__), timeout=2 * PROGRAM_LIMIT, check=True)
        videos.add((tmp_path / "video.mp4").read_bytes())
    assert len(videos) == 1


def repeat_first_passes(chunks, firsts: dict, bit_rate: int) -> int:
    """Repeats first passes as ``encode`` does, and returns how many."""
    repeated = 0
    for _ in range(2):
        for chunk, qp in zip(chunks, nalu.parallel.first_pass_qps([firsts[chunk.number] for chunk in chunks], bit_rate)):
            if qp is not None:
                firsts[chunk.number] = nalu.parallel.first_pass(chunk, qp=qp)
                repeated += 1
    return repeated


def test_the_steps_one_by_one_in_any_order(tmp_path, video):
    settings = {name: SETTINGS[name] for name in ("bit_rate", "chunk_duration", "cut", "properties")}
    chunks = pickle.loads(pickle.dumps(nalu.parallel.plan(SOURCE, **settings)))
    firsts = {chunk.number: nalu.parallel.first_pass(chunk) for chunk in reversed(chunks)}
    repeat_first_passes(chunks, firsts, 150_000)
    rates = nalu.parallel.budgets([firsts[chunk.number] for chunk in chunks], 150_000)
    assert sum(rates) == pytest.approx(4 * 150_000, rel=0.001)
    assert rates[3] < min(rates[:3])
    encoded = {chunk.number: nalu.parallel.second_pass(chunk, firsts[chunk.number], rates[chunk.number]) for chunk in reversed(chunks)}
    joined = nalu.parallel.join((encoded[chunk.number] for chunk in chunks), tmp_path / "video.mp4")
    assert (joined.frames, joined.chunks) == (COUNT, 4)
    assert (tmp_path / "video.mp4").read_bytes() == video
    nalu.parallel.join([encoded[chunk.number] for chunk in chunks], tmp_path / "video.h264")
    assert len(decoded((tmp_path / "video.h264").read_bytes(), WIDTH, HEIGHT)) == COUNT


PAGE = {"bit_rate": 60_000, "chunk_duration": 1, "cut": "equal"}


def test_first_passes_far_from_their_qp_are_repeated(tmp_path):
    source, shown = Frames(parallel_frames.page, COUNT, 25, format="gray", name="page"), []
    with threads(1) as executor:
        summary = nalu.parallel.encode(source, tmp_path / "page.mp4", executor=executor, progress=shown.append, **PAGE)
    page = (tmp_path / "page.mp4").read_bytes()
    again = [each for each in shown if each.stage == "repeated first pass"]
    assert summary.repeated_first_passes > 0 and again[0].chunks == 0
    assert sum(each.chunks == each.chunk_count for each in again) == len([each for each in again if each.chunks == 0]) <= 2
    # Processes and single steps produce the same bytes.
    nalu.parallel.encode(source, tmp_path / "other.mp4", workers=2, **PAGE)
    assert (tmp_path / "other.mp4").read_bytes() == page
    chunks = nalu.parallel.plan(source, **PAGE)
    firsts = {chunk.number: nalu.parallel.first_pass(chunk) for chunk in chunks}
    assert repeat_first_passes(chunks, firsts, 60_000) == summary.repeated_first_passes
    rates = nalu.parallel.budgets(list(firsts.values()), 60_000)
    encoded = [nalu.parallel.second_pass(chunk, firsts[chunk.number], rate) for chunk, rate in zip(chunks, rates)]
    nalu.parallel.join(encoded, tmp_path / "steps.mp4")
    assert (tmp_path / "steps.mp4").read_bytes() == page
    # A run that ends in a repeated first pass is resumed there.
    calls = []

    def failing(index: int):
        calls.append(index)
        if calls.count(10) == 2:
            raise RuntimeError("no such frame")
        return parallel_frames.page(index)

    with threads(1) as executor:
        broken = replace(source, function=failing)
        with pytest.raises(ParallelError, match="no such frame"):
            nalu.parallel.encode(broken, tmp_path / "third.mp4", executor=executor, retries=0, **PAGE)
        assert len([name for name in os.listdir(tmp_path / "third.mp4.chunks") if name.endswith(".first")]) == 4
        summary = nalu.parallel.encode(source, tmp_path / "third.mp4", executor=executor, resume=True, **PAGE)
    assert summary.resumed >= 4 and (tmp_path / "third.mp4").read_bytes() == page


def test_one_chunk_has_nothing_to_divide():
    (chunk,) = nalu.parallel.plan(Frames(parallel_frames.page, 30, 25, format="gray", name="page"), bit_rate=60_000, chunks=1)
    first = nalu.parallel.first_pass(chunk)
    assert nalu.parallel.first_pass_qps([first], 60_000) == [None]
    assert nalu.parallel.budgets([first], 60_000) == [60_000]
    with pytest.raises(ValueError, match="1 to 51"):
        nalu.parallel.first_pass(chunk, qp=0)
    with pytest.raises(TypeError, match="qp"):
        nalu.parallel.first_pass(chunk, qp="20")


def test_a_file_keeps_its_times_colour_and_audio(tmp_path):
    source, target = tmp_path / "in.mp4", tmp_path / "out.mp4"
    picture = "testsrc2=size=160x96:rate=30:duration=4,setpts='(N+0.5*mod(floor(N/8)\\,2)*mod(N\\,8))/30/TB'"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine=duration=4", "-fps_mode", "vfr"]
    command += ["-c:v", "libx264", "-bf", "3", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-colorspace", "bt709"]
    command += ["-color_primaries", "bt709", "-color_trc", "bt709", "-video_track_timescale", "90000", str(source)]
    subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    with threads() as executor:
        nalu.parallel.encode(source, target, executor=executor, bit_rate=200_000, chunk_duration=0.9, cut="equal")
    with nalu.open(source) as old, nalu.open(target) as new:
        assert [track.codec for track in new.tracks] == ["h264", "aac"]
        before, after = list(old), list(new)
    assert sorted(sample.pts for sample in after) == sorted(sample.pts for sample in before)
    gaps = {b.pts.fraction - a.pts.fraction for a, b in zip(sorted(after, key=lambda s: s.pts), sorted(after, key=lambda s: s.pts)[1:])}
    assert len(gaps) > 1
    sequence = after[0].format_description.sequence
    assert (sequence.color_primaries, sequence.transfer_characteristics, sequence.matrix_coefficients) == (1, 1, 1)
    said = subprocess.run(["ffmpeg", "-v", "warning", "-i", str(target), "-f", "null", "-"], stderr=subprocess.PIPE, timeout=PROGRAM_LIMIT).stderr
    assert said == b""


# ---- Cuts ------------------------------------------------------------------------------------------------------


def begins(source, **settings) -> list:
    chunks = nalu.parallel.plan(source, bit_rate=100_000, **settings)
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    assert all(before.end == after.begin for before, after in zip(chunks, chunks[1:]))
    assert chunks[0].begin is None and chunks[-1].end is None and {chunk.count for chunk in chunks} == {len(chunks)}
    return [chunk.begin.fraction for chunk in chunks[1:]]


def test_cuts_are_where_they_are_asked_for(tmp_path):
    assert begins(SOURCE, chunk_duration=1, cut="equal") == [1, 2, 3]
    assert begins(SOURCE, chunks=3, cut="equal") == [Fraction(33, 25), Fraction(67, 25)]
    assert begins(SOURCE, chunks=3, cut="scenes") == [Fraction(CHANGE, 25), Fraction(67, 25)]
    assert begins(SOURCE) == []
    path = tmp_path / "in.mp4"
    nalu.write_video(path, [parallel_frames.frame(index) for index in range(COUNT)], fps=25, format="gray",
                     properties={"MaxKeyFrameInterval": 20})  # fmt: skip
    keys = [sample.pts.fraction for sample in nalu.open(path) if sample.is_key_frame]
    cuts = begins(path, chunk_duration=1)
    # Cuts at key frames, and exactly at the requested time if the previous key frame is too far away.
    assert cuts == [Fraction(4, 5), Fraction(8, 5), 3] and set(cuts[:2]) <= set(keys)
    assert begins(path, chunk_duration=1, cut="equal") == [1, 2, 3]
    assert Fraction(CHANGE, 25) in begins(path, chunks=3, cut="scenes")


def test_settings_are_checked_where_the_video_is_planned(tmp_path):
    for error, settings in (
        (ValueError, {"bit_rate": 0}),
        (TypeError, {"bit_rate": 1e5}),
        (ValueError, {"chunks": 0}),
        (ValueError, {"chunks": 10**12}),
        (ValueError, {"chunks": 2, "chunk_duration": 1}),
        (ValueError, {"chunk_duration": -1}),
        (TypeError, {"size": (320,)}),
        (ValueError, {"size": (320, 0)}),
        (ValueError, {"cut": "somewhere"}),
        (KeyError, {"properties": {"NoSuchThing": 1}}),
        (ValueError, {"properties": {"RealTime": True}}),
        (ValueError, {"properties": {"x264.params": "threads=4"}}),
        (ValueError, {"properties": {"Quality": 7}}),
    ):
        with pytest.raises(error):
            nalu.parallel.plan(SOURCE, **{"bit_rate": 100_000, **settings})
    for error, settings in (
        (ValueError, {"workers": 0}),
        (ValueError, {"passes": 1}),
        (ValueError, {"passes": 7}),
        (ValueError, {"retries": -1}),
        (TypeError, {"executor": 3}),
        (ValueError, {"patience": 0.5}),
        (ValueError, {"patience": float("nan")}),
        (TypeError, {"patience": "long"}),
        (TypeError, {"progress": 3}),
    ):
        with pytest.raises(error):
            nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", bit_rate=100_000, **settings)
    assert os.listdir(tmp_path) == []
    levels = {nalu.parallel.plan(SOURCE, bit_rate=rate)[0].settings for rate in (100_000, 30_000_000)}
    assert len({re.search("ProfileLevel=([^,]+)", each.properties)[1] for each in levels}) == 2


def test_what_is_wrong_with_the_target_raises_before_anything_is_encoded(tmp_path):
    source = tmp_path / "in.mp4"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=1", "-f", "lavfi", "-i", "sine=duration=1"]
    subprocess.run([*command, "-pix_fmt", "yuv420p", "-c:v", "libx264", "-c:a", "aac", str(source)], check=True, timeout=PROGRAM_LIMIT)
    closed = threads()
    closed.shutdown()
    # An unfinished file of another run with the same target.
    (tmp_path / ".out.unfinished.mp4").write_bytes(b"nearly")
    for name, sentence, settings in (
        ("out.webm", "selects no container", {}),
        ("out.mp4", 'container is "avi"', {"container": "avi"}),
        ("nowhere/out.mp4", "there is no directory", {}),
        ("out.h264", "the track is aac of [0-9]+ Hz, which h264 cannot contain", {"audio": source}),
        ("out.mp4", "nowhere.mp4", {"audio": tmp_path / "nowhere.mp4"}),
        ("out.mkv", "fast_start=True", {"fast_start": True}),
        ("out.mp4", "accepts no more chunks", {}),
    ):
        with pytest.raises(nalu.Error, match=sentence) as caught:
            nalu.parallel.encode(source, tmp_path / name, bit_rate=100_000, executor=closed, **settings)
        # The last run has begun, and fails because the executor is closed.
        assert isinstance(caught.value, ParallelError) == ("more chunks" in sentence), name
        assert sorted(os.listdir(tmp_path)) == [".out.unfinished.mp4", "in.mp4"]
        assert (tmp_path / ".out.unfinished.mp4").read_bytes() == b"nearly"
    with threads() as executor:
        summary = nalu.parallel.encode(source, tmp_path / "out.h264", bit_rate=100_000, executor=executor)
    assert summary.left_out == ("aac",) and "without the audio (aac)" in str(summary)
    assert len(decoded((tmp_path / "out.h264").read_bytes(), 96, 64)) == 25


def test_further_passes_are_counted(tmp_path):
    settings = {"bit_rate": 150_000, "chunk_duration": 1, "cut": "equal"}
    with threads() as executor:
        summary = nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", executor=executor, passes=3, **settings)
    chunks = nalu.parallel.plan(SOURCE, **settings)
    firsts = {chunk.number: nalu.parallel.first_pass(chunk) for chunk in chunks}
    repeat_first_passes(chunks, firsts, 150_000)
    rates = nalu.parallel.budgets(list(firsts.values()), 150_000)
    encoded = [nalu.parallel.second_pass(*each, passes=3) for each in zip(chunks, firsts.values(), rates)]
    # With the macroblock tree, such short chunks need a third pass.
    assert summary.further_passes == sum(each.passes == 2 for each in encoded) > 0


# ---- What happens to workers -----------------------------------------------------------------------------------


def test_a_chunk_whose_worker_is_killed_is_run_again(tmp_path, video):
    source = troubled(tmp_path / "killed", 30, "kill")
    summary = nalu.parallel.encode(source, tmp_path / "video.mp4", workers=2, **SETTINGS)
    assert summary.retried >= 1
    assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_chunk_that_fails_is_run_again(tmp_path, video):
    with threads() as executor:
        source = troubled(tmp_path / "failed", 60, "raise")
        # A chunk that is already running a second time would not be retried, so duplicates are turned off by patience.
        options = {**SETTINGS, "executor": executor, "patience": 1000}
        assert nalu.parallel.encode(source, tmp_path / "video.mp4", **options).retried == 1
    assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_chunk_that_lags_is_run_elsewhere_too(tmp_path, video):
    first, is_complete = threading.Lock(), threading.Event()
    waited: list = []

    def frame(index: int):
        if index == 30 and first.acquire(blocking=False):
            waited.append(is_complete.wait(PROGRAM_LIMIT))
        return parallel_frames.frame(index)

    with threads(3) as executor:
        source = replace(SOURCE, function=frame)
        summary = nalu.parallel.encode(source, tmp_path / "video.mp4", executor=executor, **SETTINGS)
        # The output is complete while the late worker is still encoding its chunk.
        assert waited == []
        is_complete.set()
    assert waited == [True]
    # On a busy machine, other chunks may be late too.
    assert summary.duplicated >= 1 and summary.retried == 0
    assert (tmp_path / "video.mp4").read_bytes() == video


def test_a_run_that_is_broken_off_is_resumed(tmp_path, video):
    target, work = tmp_path / "video.mp4", tmp_path / "video.mp4.chunks"
    target.write_bytes(b"old")
    with threads(1) as executor:
        broken = troubled(tmp_path / "marker", 80, "always")
        with pytest.raises(ParallelError, match=r"chunk 3 failed 3 times on \S+: RuntimeError: no such frame\. .*resume") as caught:
            nalu.parallel.encode(broken, target, executor=executor, retries=2, overwrite=True, **SETTINGS)
        assert caught.value.work == str(work) and target.read_bytes() == b"old"
        assert sorted(os.listdir(work)) == ["00000.first", "00001.first", "00002.first", "plan.json"]
        good = troubled(tmp_path / "marker", -1, "")
        with pytest.raises(ValueError, match="resume"):
            nalu.parallel.encode(good, target, executor=executor, overwrite=True, **SETTINGS)
        with pytest.raises(ValueError, match="other settings"):
            nalu.parallel.encode(good, target, executor=executor, resume=True, overwrite=True, **{**SETTINGS, "bit_rate": 100_000})
        with pytest.raises(FileExistsError, match="exists; overwrite=True replaces it"):
            nalu.parallel.encode(good, target, executor=executor, resume=True, **SETTINGS)
        # Corrupt the data of one file and the header of another.
        for number, place in ((0, -1), (1, 3)):
            data = bytearray((work / f"0000{number}.first").read_bytes())
            data[place] ^= 0xFF
            (work / f"0000{number}.first").write_bytes(data)
        summary = nalu.parallel.encode(good, target, executor=executor, resume=True, overwrite=True, **SETTINGS)
        assert summary.resumed == 1 and not work.exists()
        assert target.read_bytes() == video


def test_the_directory_of_finished_chunks(tmp_path, monkeypatch):
    chunks = nalu.parallel.plan(SOURCE, **SETTINGS)
    directory = WorkDirectory(tmp_path / "work", chunks, [], resume=False)
    result = EncodedChunk(1, 25, Fraction(1001, 30), 4000, 2, b"data", 1.25, "host:1")
    directory.keep("second", result)
    assert directory.load("second", 1) == result
    path = tmp_path / "work" / "00001.second"
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :])
            assert directory.load("second", 1) in (None, result), (place, bit)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert directory.load("second", 1) is None
    with pytest.raises(ValueError, match="in use by another run"):
        WorkDirectory(tmp_path / "work", chunks, [], resume=True)
    directory.close(remove=True)
    # A file system without locks.
    monkeypatch.setattr("fcntl.flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
    with pytest.raises(OSError, match="cannot be locked: No locks available; name another"):
        WorkDirectory(tmp_path / "work", chunks, [], resume=True)


def test_a_directory_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with threads() as executor, pytest.raises(ValueError, match="not empty"):
        nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", executor=executor, work=tmp_path, resume=True, **SETTINGS)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_executor_that_is_broken_or_closed(tmp_path, video):
    closed = threads()
    closed.shutdown()
    with pytest.raises(ParallelError, match="accepts no more chunks"):
        nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", executor=closed, **SETTINGS)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        source = troubled(tmp_path / "killed", 99, "kill")
        with pytest.raises(ParallelError, match="executor is broken"):
            nalu.parallel.encode(source, tmp_path / "video.mp4", executor=pool, resume=True, **SETTINGS)
    # With a function that creates executors, a broken executor is replaced.
    made = []

    def make():
        made.append(concurrent.futures.ProcessPoolExecutor(2, mp_context=context))
        return made[-1]

    source = troubled(tmp_path / "killed_again", 99, "kill")
    nalu.parallel.encode(source, tmp_path / "video.mp4", executor=make, resume=True, **SETTINGS)
    assert len(made) == 2 and (tmp_path / "video.mp4").read_bytes() == video


# ---- Joining ---------------------------------------------------------------------------------------------------


def test_chunks_that_do_not_belong_together_are_not_joined(tmp_path):
    settings = {"chunk_duration": 2, "cut": "equal", "properties": {"x264.params": "mbtree=0"}}

    def encoded(source=SOURCE, **more):
        chunks = nalu.parallel.plan(source, bit_rate=100_000, **{**settings, **more})
        firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
        return [nalu.parallel.second_pass(chunk, first, 100_000, passes=2) for chunk, first in zip(chunks, firsts)]

    here, other = encoded(), encoded(properties={"ProfileLevel": "H264_Main_3_0", "x264.params": "mbtree=0"})
    for chunks, sentence in (
        ([], "no chunks"),
        ([here[1]], "chunk 1 was passed, and chunk 0"),
        ([here[0], here[0]], "chunk 0 was passed, and chunk 1"),
        ([here[0], other[1]], "chunk 1.*format|format.*chunk 1"),
        ([here[0], replace(here[0], number=1)], "chunk 1"),
        ([replace(here[0], frames=3)], "50 samples; expected 3"),
        ([replace(here[0], data=here[0].data[:-5])], "corrupt"),
        ([replace(here[0], data=b"nonsense")], "corrupt"),
    ):
        with pytest.raises(ValueError, match=sentence):
            nalu.parallel.join(chunks, tmp_path / "video.mp4")
        assert os.listdir(tmp_path) == []
    with pytest.raises(OSError):
        nalu.parallel.join(here, tmp_path / "nowhere" / "video.mp4")


def test_a_first_pass_that_is_damaged_raises():
    (chunk,) = nalu.parallel.plan(SOURCE, bit_rate=100_000, chunks=1, properties={"x264.params": "mbtree=0"})
    first = nalu.parallel.first_pass(chunk)
    for data in (b"nonsense", first.data[:-5], zlib.compress(b"nonsense")):
        with pytest.raises(ValueError):
            nalu.parallel.budgets([replace(first, data=data)], 100_000)


def test_a_chunk_has_no_more_bits_than_its_level_holds(tmp_path):
    """Noise would get most of the bits. The level limits it, and the other chunks get the remaining bits."""
    source = Frames(parallel_frames.moving_but_noisy, COUNT, 25, format="gray")
    settings = {**SETTINGS, "bit_rate": 500_000, "properties": {"x264.params": "mbtree=0:bframes=0", "ProfileLevel": "H264_Baseline_1_3"}}
    chunks = nalu.parallel.plan(source, **settings)
    firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
    higher = {**settings, "properties": {**settings["properties"], "ProfileLevel": "H264_Baseline_3_1"}}
    without_level = [nalu.parallel.first_pass(chunk) for chunk in nalu.parallel.plan(source, **higher)]
    assert max(nalu.parallel.budgets(without_level, 500_000)) > 1_000_000
    rates = nalu.parallel.budgets(firsts, 500_000)
    assert max(rates) == 768_000
    bits = sum(rate * first.duration for rate, first in zip(rates, firsts))
    assert bits == pytest.approx(500_000 * COUNT / 25, abs=COUNT)
    with threads() as executor:
        summary = nalu.parallel.encode(source, tmp_path / "video.mp4", executor=executor, **settings)
    with nalu.open(tmp_path / "video.mp4") as reader:
        noisy = sum(len(sample) for sample in reader if 2 <= sample.pts.fraction < 3)
    assert 8 * noisy == pytest.approx(768_000, rel=0.05)
    assert summary.bit_rate == pytest.approx(500_000, rel=0.02)
    # If every chunk has the maximum of its level, no bits are left to divide.
    assert nalu.parallel.budgets(firsts, 1_000_000) == [768_000] * len(firsts)
    with pytest.raises(ValueError, match="bit_rate is 400000000; expected at most 300000000, which H264_High_5_2 holds"):
        nalu.parallel.plan(SOURCE, bit_rate=400_000_000)


def test_limits_hold_over_seams(tmp_path):
    limits = [15_000, 0.5]
    settings = {**SETTINGS, "properties": {"x264.params": "mbtree=0", "DataRateLimits": limits}}
    with threads() as executor:
        nalu.parallel.encode(SOURCE, tmp_path / "video.mp4", executor=executor, **settings)
    with nalu.open(tmp_path / "video.mp4") as reader:
        sizes = [(sample.dts.fraction, len(sample)) for sample in reader]
    for begin, _ in sizes:
        assert sum(size for time, size in sizes if begin <= time < begin + Fraction(1, 2)) <= limits[0]
    chunks = nalu.parallel.plan(SOURCE, **settings)
    first = nalu.parallel.first_pass(chunks[0])
    encoded = nalu.parallel.second_pass(chunks[0], first, 150_000)
    nalu.parallel.join([encoded], tmp_path / "one.mp4")
    assert chunks[0].settings.limits == tuple(limits)
    lower = replace(chunks[0], settings=replace(chunks[0].settings, limits=(1000.0, 0.5)))
    with pytest.raises(ValueError, match="chunk 0"):
        nalu.parallel.join([nalu.parallel.second_pass(lower, first, 150_000)], tmp_path / "none.mp4")


def test_chunks_get_the_bits_that_limits_keep_from_others(tmp_path):
    """Noise would get more bits than the limits allow at the seams; the other chunks get these bits."""
    source = Frames(parallel_frames.moving_but_noisy, COUNT, 25, format="gray")
    limits = [100_000, 1.0]
    settings = {**SETTINGS, "bit_rate": 500_000, "properties": {"x264.params": "mbtree=0", "DataRateLimits": limits}}
    chunks = nalu.parallel.plan(source, **settings)
    firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
    rates = nalu.parallel.budgets(firsts, 500_000)
    assert max(rates) == 616_000
    assert sum(rate * first.duration for rate, first in zip(rates, firsts)) == pytest.approx(500_000 * COUNT / 25, abs=COUNT)
    with threads() as executor:
        summary = nalu.parallel.encode(source, tmp_path / "video.mp4", executor=executor, **settings)
    assert summary.bit_rate > 0.9 * 500_000
    with nalu.open(tmp_path / "video.mp4") as reader:
        sizes = [(sample.dts.fraction, len(sample)) for sample in reader]
    for begin, _ in sizes:
        assert sum(size for time, size in sizes if begin <= time < begin + 1) <= limits[0]
    # Without shares for windows over seams, the limits allow a higher rate, as in a video in one chunk.
    properties = {**settings["properties"], "NaluLimitsOverSeams": False}
    firsts = [nalu.parallel.first_pass(chunk) for chunk in nalu.parallel.plan(source, **{**settings, "properties": properties})]
    assert max(nalu.parallel.budgets(firsts, 500_000)) == 659_000
    (chunk,) = nalu.parallel.plan(source, **{**settings, "chunk_duration": 4})
    assert nalu.parallel.budgets([nalu.parallel.first_pass(chunk)], 700_000) == [659_000]


def test_chunks_at_a_seam_over_a_limit_are_encoded_again(tmp_path):
    source = Frames(parallel_frames.noisy_at_seams, 150, 25, format="gray", name="noisy at seams")
    limits = [75_000, 1]
    properties = {"x264.params": "mbtree=0", "DataRateLimits": limits}
    settings = {"bit_rate": 400_000, "chunk_duration": 2, "cut": "equal", "preset": "veryfast", "properties": properties}
    shown, videos = [], []
    for executor in (threads(), None):
        target = tmp_path / f"{len(videos)}.mp4"
        options = {"executor": executor} if executor else {"workers": 2, "progress": shown.append}
        summary = nalu.parallel.encode(source, target, **options, **settings)
        videos.append(target.read_bytes())
    assert videos[0] == videos[1]
    again = [each for each in shown if each.stage == "repeated second pass"]
    assert again[-1].chunks == again[-1].chunk_count == summary.repeated_second_passes > 0
    with nalu.open(tmp_path / "0.mp4") as reader:
        sizes = [(sample.dts.fraction, len(sample)) for sample in reader]
    assert len(sizes) == 150
    for begin, _ in sizes:
        assert sum(size for time, size in sizes if begin <= time < begin + 1) <= limits[0]
    # The steps do the same.
    chunks = nalu.parallel.plan(source, **{**settings, "properties": {**properties, "NaluLimitsOverSeams": False}})
    firsts = [nalu.parallel.first_pass(chunk) for chunk in chunks]
    repeat_first_passes(chunks, firsts, 400_000)
    rates = nalu.parallel.budgets(firsts, 400_000)
    encoded = [nalu.parallel.second_pass(*each) for each in zip(chunks, firsts, rates)]
    with pytest.raises(ValueError, match=r"chunk \d: the 1.0 s from decode time"):
        nalu.parallel.join(encoded, tmp_path / "none.mp4")
    repeated = set()
    while True:
        numbers = set(nalu.parallel.chunks_at_seams_over_limits(encoded)) - repeated
        if not numbers:
            break
        for number in numbers:
            encoded[number] = nalu.parallel.second_pass(chunks[number], firsts[number], rates[number], limits_over_seams=True)
            repeated.add(number)
    assert len(repeated) == summary.repeated_second_passes
    nalu.parallel.join(encoded, tmp_path / "steps.mp4")
    assert (tmp_path / "steps.mp4").read_bytes() == videos[0]


def test_limits_without_room_for_a_frame_raise():
    source = Frames(parallel_frames.noise, 2, 25, format="gray")
    settings = {"bit_rate": 100_000, "chunks": 1, "preset": "ultrafast"}
    for more in ({}, {"ProfileLevel": "H264_High_5_2"}):
        (chunk,) = nalu.parallel.plan(source, properties={"DataRateLimits": [1000, 1], **more}, **settings)
        first = nalu.parallel.first_pass(chunk)
        with pytest.raises(ValueError, match="no room for any frame of chunk 0"):
            nalu.parallel.second_pass(chunk, first, 100_000)


# ---- The command -----------------------------------------------------------------------------------------------


def command(*arguments, **options):
    run = [sys.executable, "-m", "nalu.parallel", *map(str, arguments)]
    return subprocess.run(run, capture_output=True, text=True, timeout=2 * PROGRAM_LIMIT, **options)


def test_the_command(tmp_path):
    source, target = tmp_path / "in.mp4", tmp_path / "out.mp4"
    frames = [parallel_frames.frame(index) for index in range(COUNT)]
    nalu.write_video(source, frames, fps=25, format="gray")
    options = ["--bit-rate", "100k", "--chunks", "2", "--cut", "equal", "-p", "x264.params=mbtree=0", "-p", "MaxKeyFrameInterval=25"]
    first = command(source, "-o", target, "--workers", "2", *options)
    assert first.returncode == 0, first.stderr
    assert "2 chunks by" in first.stderr and "second pass: 2 of 2 chunks" in first.stderr
    again = command(source, tmp_path / "again.mp4", "--workers", "1", "-q", *options)
    assert (again.returncode, again.stderr) == (0, "")
    assert target.read_bytes() == (tmp_path / "again.mp4").read_bytes()
    itself = command(source, source, *options)
    assert itself.returncode == 1 and "source itself" in itself.stderr
    missing = command(tmp_path / "nowhere.mp4", target, *options)
    assert missing.returncode == 1 and missing.stderr.startswith("nalu.parallel: ") and "Traceback" not in missing.stderr
    for wrong in ([source], [source, target, "-o", target], [source, target, "--workers", "2", "--dask", "x"], [source, target, "-p", "x"]):
        assert command(*wrong, "--bit-rate", "1M").returncode == 2
    for option, value, sentence in (
        ("--bit-rate", "inf", "bits per second"),
        ("--bit-rate", "none", "bits per second"),
        ("--bit-rate", "", "bits per second"),
        ("--size", "320", "width and height"),
        ("--size", "320x-1", "width and height"),
    ):
        refused = command(source, target, "--bit-rate", "1M", option, value)
        assert refused.returncode == 2 and sentence in refused.stderr and "Traceback" not in refused.stderr


def test_ctrl_c_keeps_the_finished_chunks(tmp_path, monkeypatch, capsys):
    source, target, work = tmp_path / "in.mp4", tmp_path / "out.mp4", tmp_path / "out.mp4.chunks"
    nalu.write_video(source, [parallel_frames.frame(index) for index in range(COUNT)], fps=25, format="gray")
    options = ["--bit-rate", "100k", "--chunks", "2", "--cut", "equal", "--workers", "1", "-p", "x264.params=mbtree=0"]
    assert program.main([str(source), str(tmp_path / "whole.mp4"), "-q", *options]) == 0

    def interrupt(_, progress):
        if progress.chunks == chunks:
            raise KeyboardInterrupt

    chunks = 0
    with monkeypatch.context() as patched:
        patched.setattr(program._Line, "show", interrupt)
        assert program.main([str(source), str(target), *options]) == 130
    assert capsys.readouterr().err == "nalu.parallel: interrupted; no chunk was finished\n"
    assert not work.exists() and not target.exists()

    chunks = 1
    with monkeypatch.context() as patched:
        patched.setattr(program._Line, "show", interrupt)
        assert program.main([str(source), str(target), *options]) == 130
    assert capsys.readouterr().err == "nalu.parallel: interrupted; --resume continues with the finished chunks\n"
    assert sorted(os.listdir(work)) == ["00000.first", "plan.json"] and not target.exists()
    assert program.main([str(source), str(target), "--resume", *options]) == 0
    assert "1 results of an earlier run" in capsys.readouterr().err
    assert not work.exists() and target.read_bytes() == (tmp_path / "whole.mp4").read_bytes()
    assert program.main([str(source), str(target), *options]) == 1
    assert capsys.readouterr().err == f"nalu.parallel: {target} exists; --force replaces it\n"
    assert program.main([str(source), str(target), "--force", "-q", *options]) == 0


def test_the_command_without_the_package_that_it_needs(tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    said = command("in.mp4", "out.mp4", "--bit-rate", "1M", "--dask", "tcp://127.0.0.1:1", env={**os.environ, "PYTHONPATH": path})
    assert said.returncode == 1 and said.stderr == "nalu.parallel: --dask needs the package distributed; install it: pip install dask distributed\n"
