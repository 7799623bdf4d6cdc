"""Decoder and read_video: decoding samples to arrays, with ffmpeg as the reference."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import threading
from functools import lru_cache

import numpy as np
import pytest
from conftest import PROGRAM_LIMIT, REORDERED, clip_path, picture, psnr
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_library import LIBRARY, run

import nalu
from nalu.media import Frame, Writer


@lru_cache
def sources() -> list:
    return [picture(160, 96, shift) for shift in range(24)]


@lru_cache
def movie() -> bytes:
    """Returns a file with three groups of pictures and reordered frames."""
    file = io.BytesIO()
    properties = REORDERED | {"MaxKeyFrameInterval": 8}
    nalu.write_video(file, sources(), fps=25, quality=0.9, container="mp4", properties=properties)
    return file.getvalue()


@lru_cache
def samples() -> "list[nalu.Sample]":
    return list(nalu.open(io.BytesIO(movie())))


def decoded(given_samples=None, **settings) -> list[Frame]:
    with nalu.Decoder(**settings) as decoder:
        frames = [frame for sample in given_samples or samples() for frame in decoder.decode(sample)]
        return frames + decoder.flush()


def reference(pixel_format: str = "yuv420p") -> np.ndarray:
    command = ["ffmpeg", "-v", "error", "-i", "-", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", pixel_format, "-"]
    raw = subprocess.run(command, input=movie(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(len(sources()), -1)


# ---- Frames ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"low_delay": True}, {"threads": 1}, {"threads": 4, "drop_until_key_frame": True}])
def test_decoded_frames_equal_those_of_ffmpeg_bit_for_bit(settings):
    frames = decoded(**settings)
    assert [frame.pts for frame in frames] == [nalu.Time(number, 25) for number in range(24)]
    assert {frame.duration for frame in frames} == {nalu.Time(1, 25)}
    for frame, expected in zip(frames, reference()):
        assert frame.format == "i420"
        assert b"".join(plane.tobytes() for plane in frame.planes) == expected.tobytes() == frame.array.tobytes()


def test_nv12_frames_have_two_planes():
    for frame, expected in zip(decoded(format="nv12"), reference("nv12")):
        luma, chroma = frame.planes
        assert (luma.shape, chroma.shape) == ((96, 160), (48, 80, 2))
        assert luma.tobytes() + chroma.tobytes() == expected.tobytes()
        assert frame.array.shape == (144, 160)


@pytest.mark.parametrize("format", ["rgb", "bgr", "rgb24", "bgr24"])
def test_each_rgb_format_has_the_colours_of_the_source(format):
    for frame, source in zip(decoded(format=format), sources()):
        assert frame.array.shape == (96, 160, 3) and frame.array.dtype == np.uint8
        assert frame.format == format[:3]
        shown = frame.array if format.startswith("rgb") else frame.array[..., ::-1]
        assert psnr(shown, source) > 34


@pytest.mark.parametrize("matrix", ["ITU_R_709_2", "ITU_R_601_4", "ITU_R_2020", "SMPTE_240M_1995"])
def test_the_matrix_of_the_stream_is_kept(matrix):
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 100, 50)]
    for colour in colours:
        source = np.full((32, 32, 3), colour, np.uint8)
        file = io.BytesIO()
        properties = {"YCbCrMatrix": matrix, "x264.params": "qp=1"}
        nalu.write_video(file, [source] * 2, fps=25, container="mp4", properties=properties)
        file.seek(0)
        for frame in nalu.read_video(file):
            assert frame.format == "rgb"
            assert np.abs(frame.array.astype(int) - source).max() <= 6, (matrix, colour)


@pytest.mark.parametrize("format, black, white", [("i420", 16, 235), ("i420_full", 0, 255)])
def test_the_range_of_the_stream_is_kept(format, black, white):
    source = np.full((48, 32), 128, np.uint8)
    source[:16], source[16:32] = black, white
    file = io.BytesIO()
    nalu.write_video(file, [source] * 2, fps=25, format=format, container="mp4", properties={"x264.params": "qp=1"})
    native = list(nalu.read_video(io.BytesIO(file.getvalue()), format=None))
    assert [frame.format for frame in native] == [format] * 2
    for frame in nalu.read_video(io.BytesIO(file.getvalue())):
        assert frame.array[:14].max() <= 2 and frame.array[18:].min() >= 253


def test_the_decoder_scales_frames():
    frames = decoded(size=(80, 48), format="rgb")
    assert {(frame.width, frame.height, frame.array.shape) for frame in frames} == {(80, 48, (48, 80, 3))}
    small = sources()[0].reshape(48, 2, 80, 2, 3).mean(axis=(1, 3))
    assert psnr(frames[0].array, small) > 30


def test_planes_are_not_copied_and_keep_the_pixels():
    frames = decoded()
    planes = [plane for frame in frames for plane in frame.planes]
    before = [plane.tobytes() for plane in planes]
    assert all(not plane.flags.owndata for plane in planes)
    assert frames[0].planes[0].ctypes.data == frames[0].planes[0].ctypes.data
    # Later pictures refer to these planes.
    assert not frames[0].is_writable and not planes[0].flags.writeable
    del frames
    gc.collect()
    again = decoded()
    assert [plane.tobytes() for plane in planes] == before
    assert len(again) == 24


def test_converted_frames_may_be_changed():
    for format in ("nv12", "rgb"):
        frame = decoded(format=format)[0]
        assert frame.is_writable
        frame.planes[0][...] = 7
        assert set(frame.planes[0].ravel()) == {7}
    assert frame.array.ctypes.data == frame.planes[0].ctypes.data


def test_numpy_converts_frames_to_arrays():
    frame = decoded(format="rgb")[3]
    assert np.array_equal(np.asarray(frame), frame.array)
    assert np.asarray(frame, dtype=np.float32).dtype == np.float32
    assert repr(frame) == "<Frame 160x96 rgb pts=0.12 s>"


@pytest.mark.parametrize("format", ["rgb", "i420"])
def test_numpy_copies_a_frame_as_it_is_asked_to(format):
    frame = decoded(format=format)[3]
    before = frame.array.copy()
    for copy in (np.array(frame), np.array(frame, copy=True), frame.__array__(copy=True), frame.__array__(np.uint8, copy=True)):
        assert np.array_equal(copy, before)
        copy[...] = 7
    assert np.array_equal(frame.array, before)
    with pytest.raises(ValueError, match="copy is False, but one float32 array of a frame in format"):
        frame.__array__(np.float32, copy=False)
    if format == "rgb":
        assert np.shares_memory(np.asarray(frame), frame.planes[0])
        assert np.shares_memory(frame.__array__(np.uint8, copy=False), frame.planes[0])
    else:
        with pytest.raises(ValueError, match="copy is False, but one uint8 array of a frame in format 'i420' is a copy"):
            frame.__array__(copy=False)


# ---- The way through -------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=12)
@given(
    size=st.tuples(st.integers(8, 40), st.integers(8, 40)),
    steps=st.lists(st.integers(1, 5000), min_size=1, max_size=12),
    timescale=st.sampled_from([600, 1000, 30000, 90000]),
    container=st.sampled_from(["mp4", "mov"]),
    fragmented=st.booleans(),
    reordering=st.booleans(),
)
@example(size=(8, 8), steps=[1, 17], timescale=600, container="mp4", fragmented=True, reordering=False)
def test_written_times_and_pictures_are_read_back(size, steps, timescale, container, fragmented, reordering):
    width, height = 2 * size[0], 2 * size[1]
    times = [nalu.Time(sum(steps[:number]), timescale) for number in range(len(steps))]
    pictures = [picture(width, height, shift) for shift in range(len(steps))]
    file = io.BytesIO()
    properties = {"AllowFrameReordering": reordering}
    with nalu.CompressionSession(width, height, quality=0.95, properties=properties) as session:
        with Writer(file, container, fragmented=fragmented) as writer:
            for frame, pts, step in zip(pictures, times, steps):
                for sample in session.encode(frame, pts, nalu.Time(step, timescale)):
                    writer.write(sample)
            for sample in session.flush():
                writer.write(sample)
    file.seek(0)
    frames = list(nalu.read_video(file))
    assert [frame.pts for frame in frames] == times
    # In these files a duration is the time to the next sample in decode order.
    if not reordering:
        assert [frame.duration for frame in frames] == [nalu.Time(step, timescale) for step in steps]
    assert min(psnr(frame.array, source) for frame, source in zip(frames, pictures)) > 28


def test_a_real_clip_keeps_times_and_quality_when_it_is_re_encoded(tmp_path):
    path = tmp_path / "out.mp4"
    nalu.write_video(path, nalu.read_video(clip_path("carphone_pristine.mp4"), format="i420"), quality=0.9)
    before = list(nalu.read_video(clip_path("carphone_pristine.mp4")))
    after = list(nalu.read_video(path))
    assert len(after) == 120
    assert [frame.pts for frame in after] == [frame.pts for frame in before]
    assert min(psnr(a.array, b.array) for a, b in zip(after, before)) > 32


def test_decoded_frames_are_encoded_without_a_copy():
    frames = decoded()
    with nalu.CompressionSession(160, 96, frame_rate=25, quality=0.9, properties={"MaxFrameDelayCount": 0}) as session:
        lent = [sample for frame in frames for sample in session.encode(frame, copy=False)] + session.flush()
    with nalu.CompressionSession(160, 96, frame_rate=25, quality=0.9, properties={"MaxFrameDelayCount": 0}) as session:
        arrays = [sample for frame in frames for sample in session.encode(frame.array, format="i420")] + session.flush()
    assert [sample.data for sample in lent] == [sample.data for sample in arrays]
    with nalu.CompressionSession(160, 96, frame_rate=25) as session:
        with pytest.raises(ValueError, match="the frame has format 'i420', but format= is 'bgr'"):
            session.encode(frames[0], format="bgr")


def test_frames_without_times_need_a_frame_rate():
    with pytest.raises(TypeError, match="fps is missing"):
        nalu.write_video(io.BytesIO(), sources())


# ---- read_video ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start, first", [(None, 0), (0.5, 13), (nalu.Time(10, 25), 10), (5, 24), (-1, 0)])
def test_read_video_begins_at_the_start_time(start, first):
    shown = [frame.pts for frame in nalu.read_video(io.BytesIO(movie()), start=start)]
    assert shown == [nalu.Time(number, 25) for number in range(first, 24)]


@pytest.mark.parametrize("extension", ["mp4", "ts"])
def test_read_video_begins_at_a_start_time_with_intra_refresh(tmp_path, extension):
    path = tmp_path / f"refresh.{extension}"
    video = ["-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=2", "-pix_fmt", "yuv420p", "-threads", "1"]
    coded = ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=15:bframes=0"]
    subprocess.run(["ffmpeg", "-v", "error", *video, *coded, str(path)], check=True, timeout=PROGRAM_LIMIT)
    points = [sample for sample in nalu.open(path) if sample.is_recovery_point]
    assert points and all(sample.depends_on_others for sample in points)
    whole = list(nalu.read_video(path))
    assert len(whole) == 50
    for index in (16, 31, 33, 49):
        shown = list(nalu.read_video(path, start=whole[index].pts))
        assert [frame.pts for frame in shown] == [frame.pts for frame in whole[index:]]
        for frame, expected in zip(shown, whole[index:]):
            assert not frame.is_damaged
            assert np.array_equal(frame.array, expected.array)


def test_closing_a_video_early_closes_its_file_and_threads(tmp_path):
    path = tmp_path / "in.mp4"
    path.write_bytes(movie())
    gc.collect()
    open_files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(5):
        frames = nalu.read_video(path)
        kept = next(frames)
        frames.close()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == open_files
    assert threading.active_count() == threads
    assert psnr(kept.array, sources()[0]) > 34


def test_wrong_arguments_of_read_video_raise_before_the_first_frame():
    with pytest.raises(OSError, match="nowhere"):
        nalu.read_video("nowhere.mp4")
    with pytest.raises(ValueError, match="format is 'gray'; expected one of rgb, bgr, "):
        nalu.read_video(io.BytesIO(movie()), format="gray")


# ---- Damage ----------------------------------------------------------------------------------------------------


def damaged(index: int) -> "list[nalu.Sample]":
    """Returns samples of which one is truncated in the middle of its slices."""
    stream = []
    for number, sample in enumerate(samples()):
        data = sample.annex_b()
        stream.append(data[: len(data) // 3] if number == index else data)
    parser = nalu.StreamParser(frame_duration=nalu.Time(1, 25))
    return [*parser.push(b"".join(stream)), *parser.finish()]


@pytest.mark.parametrize("settings", [{}, {"drop_until_key_frame": True}, {"low_delay": True}])
def test_damage_ends_with_the_next_key_frame(settings):
    expected = [frame.array.tobytes() for frame in decoded()]
    with nalu.Decoder(errors="ignore", **settings) as decoder:
        frames = [frame for sample in damaged(9) for frame in decoder.decode(sample)] + decoder.flush()
        assert decoder.dropped + decoder.failed + len(frames) == 24
    assert [frame.pts for frame in frames[-8:]] == [nalu.Time(number, 25) for number in range(16, 24)]
    assert [frame.array.tobytes() for frame in frames[-8:]] == expected[16:]
    assert not any(frame.is_damaged for frame in frames[-8:])


def test_drop_until_key_frame_delivers_only_correct_frames():
    expected = {frame.pts: frame.array.tobytes() for frame in decoded()}
    for index in (8, 9, 10, 12):
        frames = decoded(damaged(index), drop_until_key_frame=True, errors="ignore")
        assert [frame.pts for frame in frames if frame.array.tobytes() != expected[frame.pts]] == []
        assert not any(frame.is_damaged for frame in frames)


def test_a_failed_frame_raises_and_other_frames_are_delivered():
    with nalu.Decoder(drop_until_key_frame=True) as decoder:
        frames, raised = [], []
        calls = [lambda sample=sample: decoder.decode(sample) for sample in damaged(9)] + [decoder.flush] * 3
        for call in calls:
            try:
                frames += call()
            except nalu.DecodingError as error:
                raised.append(error)
        assert len(raised) == decoder.failed >= 1
        assert raised[0].status_name == "BAD_DATA" and "\n" not in str(raised[0])
        assert len(frames) + decoder.dropped + decoder.failed == 24
    assert frames[-1].pts == nalu.Time(23, 25)


def test_a_lost_frame_raises_among_others():
    """After a lost key frame, some frames are decoded too late for their place in display order."""
    rest = [sample for number, sample in enumerate(samples()) if number != 8]
    with nalu.Decoder() as decoder:
        frames, raised = [], []
        for call in [lambda sample=sample: decoder.decode(sample) for sample in rest] + [decoder.flush] * 12:
            try:
                frames += call()
            except nalu.DecodingError as error:
                raised.append(error.status_name)
        assert set(raised) == {"REFERENCE_MISSING"}
        assert len(raised) == decoder.failed and decoder.dropped == 0
        assert len(frames) + len(raised) == 23


def test_no_frame_before_the_first_key_frame_is_delivered():
    with nalu.Decoder() as decoder:
        frames = [frame for sample in samples()[3:] for frame in decoder.decode(sample)] + decoder.flush()
        assert [frame.pts for frame in frames] == [nalu.Time(number, 25) for number in range(8, 24)]
        assert decoder.dropped == 5 and decoder.failed == 0


def test_samples_with_show_false_have_no_frame():
    with nalu.Decoder() as decoder:
        frames = []
        for sample in samples():
            frames += decoder.decode(sample, show=sample.pts >= nalu.Time(20, 25))
        frames += decoder.flush()
        assert [frame.pts for frame in frames] == [nalu.Time(number, 25) for number in range(20, 24)]
        assert decoder.dropped == 20


# ---- Use -------------------------------------------------------------------------------------------------------


def test_in_low_delay_each_sample_returns_its_frame():
    file = io.BytesIO()
    nalu.write_video(file, sources(), fps=25, container="mp4", properties={"MaxFrameDelayCount": 0})
    with nalu.Decoder(low_delay=True) as decoder:
        assert [len(decoder.decode(sample)) for sample in nalu.open(io.BytesIO(file.getvalue()))] == [1] * 24
        assert decoder.flush() == []


def test_a_decoder_continues_after_flush_and_a_new_size():
    file = io.BytesIO()
    nalu.write_video(file, [picture(64, 48, shift) for shift in range(5)], fps=25, container="mp4")
    with nalu.Decoder() as decoder:
        frames = []
        for sample in samples()[:8] + list(nalu.open(io.BytesIO(file.getvalue()))) + samples()[:8]:
            frames += decoder.decode(sample)
        frames += decoder.flush()
        frames += [frame for sample in samples()[:8] for frame in decoder.decode(sample)] + decoder.flush()
    assert [frame.width for frame in frames] == [160] * 8 + [64] * 5 + [160] * 16


def test_decoders_in_several_threads_return_equal_frames():
    expected = [frame.array.tobytes() for frame in decoded()]
    got: list[list[bytes]] = []
    threads = [
        threading.Thread(target=lambda: got.append([frame.array.tobytes() for frame in decoded(threads=2)]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 4


def test_a_closed_decoder_refuses_samples():
    decoder = nalu.Decoder()
    assert repr(decoder) == "<Decoder open>" and decoder.flush() == []
    decoder.decode(samples()[0])
    decoder.close()
    decoder.close()
    assert decoder.closed and repr(decoder) == "<Decoder closed>"
    with pytest.raises(ValueError, match="the decoder is closed"):
        decoder.decode(samples()[0])


def test_memory_does_not_grow_beyond_the_kept_frames():
    import resource

    many = samples() * 40

    def decode_all() -> int:
        with nalu.Decoder() as decoder:
            return sum(len(decoder.decode(sample)) for sample in many) + len(decoder.flush())

    assert decode_all() == len(many)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3):
        assert decode_all() == len(many)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000


@pytest.mark.parametrize(
    "arguments, kind, part",
    [
        ({"format": "uyvy"}, ValueError, "format is 'uyvy'; expected one of rgb, bgr, "),
        ({"format": "rgb48"}, ValueError, "format is 'rgb48'"),
        ({"size": 7}, TypeError, r"size is 7; expected \(width, height\)"),
        ({"size": (0, 5)}, ValueError, r"size is \(0, 5\); expected 1 to 16384"),
        ({"threads": 0}, ValueError, "threads is 0; expected 1 to 64"),
        ({"threads": "2"}, TypeError, "threads is str; expected an int"),
        ({"errors": "replace"}, ValueError, "errors is 'replace'; expected 'strict' or 'ignore'"),
    ],
)
def test_wrong_decoder_arguments_raise_one_clear_error_message(arguments, kind, part):
    with pytest.raises(kind, match=part):
        nalu.Decoder(**arguments)


def test_the_decoder_refuses_objects_other_than_samples():
    with nalu.Decoder() as decoder, pytest.raises(TypeError, match=r"the sample is bytes; expected a nalu\.Sample"):
        decoder.decode(b"")


def test_a_process_can_exit_with_open_decoders(tmp_path):
    (tmp_path / "in.mp4").write_bytes(movie())
    code = f"""
import nalu
path = {str(tmp_path / "in.mp4")!r}
kept = [nalu.Decoder(), nalu.Decoder(low_delay=True)]
for decoder in kept:
    for sample in nalu.open(path):
        decoder.decode(sample)
frames = nalu.read_video(path)
print(next(frames).pts.seconds)
"""
    result = run(code, NALU_LIBRARY=LIBRARY)
    assert result.returncode == 0 and not result.stderr and result.stdout == "0.0\n"


def test_a_forked_child_does_not_affect_the_parents_decoder(tmp_path):
    (tmp_path / "in.mp4").write_bytes(movie())
    code = f"""
import os, nalu
decoder = nalu.Decoder()
samples = list(nalu.open({str(tmp_path / "in.mp4")!r}))
frames = [frame for sample in samples[:8] for frame in decoder.decode(sample)]
child = os.fork()
if child == 0:
    del decoder
    raise SystemExit(7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, len(frames + decoder.flush()))
"""
    result = run(code, NALU_LIBRARY=LIBRARY)
    assert result.stdout.split() == ["7", "8"], result.stderr


# ---- 10 bits ---------------------------------------------------------------------------------------------------


def test_ten_bits_lie_in_the_upper_bits_of_words():
    width, height = 64, 48
    ramp = (np.arange(height * 3 // 2 * width) % 800 + 100).astype(np.uint16).reshape(-1, width)
    ramp[height:] = 512
    file = io.BytesIO()
    properties = {"OutputBitDepth": 10, "x264.params": "qp=1"}
    nalu.write_video(file, [ramp << 6] * 3, fps=25, format="p010", container="mp4", properties=properties)
    frames = list(nalu.read_video(io.BytesIO(file.getvalue()), format=None))
    assert len(frames) == 3
    for frame in frames:
        assert frame.format == "p010"
        luma, chroma = frame.planes
        assert luma.dtype == chroma.dtype == np.uint16 and chroma.shape == (24, 32, 2)
        assert np.abs((luma >> 6).astype(int) - ramp[:height]).max() <= 4
        assert frame.array.shape == (72, 64) and not (frame.array & 63).any()
    again = io.BytesIO()
    nalu.write_video(again, frames, container="mp4", properties=properties)
    assert [sample.pts for sample in nalu.open(io.BytesIO(again.getvalue()))] == [
        sample.pts for sample in nalu.open(io.BytesIO(file.getvalue()))
    ]
    [shown, *_] = nalu.read_video(io.BytesIO(file.getvalue()))
    assert shown.array.dtype == np.uint8 and shown.array.shape == (48, 64, 3)


# ---- 4:2:2, 4:4:4, 12 bits --------------------------------------------------------------------------------------

#: FFmpeg's encoder and pixel format, and the frames' format, bits, and columns and rows of Y per chroma sample.
RICH = [
    ("libx264", "yuv422p", "nv16", 8, 2, 1),
    ("libx264", "yuvj444p", "nv24_full", 8, 1, 1),
    ("libx264", "yuv422p10le", "p210", 10, 2, 1),
    ("libx264", "yuv444p10le", "p410", 10, 1, 1),
    ("libx265", "yuv420p12le", "p016", 12, 2, 2),
    ("libx265", "yuv422p12le", "p216", 12, 2, 1),
    ("libx265", "yuv444p12le", "p416", 12, 1, 1),
]


def encoded(tmp_path, encoder, pixels, *options):
    path = tmp_path / "rich.mp4"
    source = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-frames:v", "3", "-pix_fmt", pixels]
    quiet = ["-x265-params", "log-level=none"] if encoder == "libx265" else []
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", *source, "-c:v", encoder, *quiet, *options, str(path)]
    subprocess.run(command, check=True, timeout=PROGRAM_LIMIT)
    return path


@pytest.mark.parametrize("encoder, pixels, name, bits, columns, rows", RICH)
def test_422_and_444_frames_are_decoded_without_loss(tmp_path, encoder, pixels, name, bits, columns, rows):
    path = encoded(tmp_path, encoder, pixels)
    frames = list(nalu.read_video(path, format=None))
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-pix_fmt", pixels, "-f", "rawvideo", "-"]
    raw = subprocess.run(command, check=True, timeout=PROGRAM_LIMIT, stdout=subprocess.PIPE).stdout
    dtype = np.dtype("<u2") if bits > 8 else np.uint8
    expected = np.frombuffer(raw, dtype).reshape(3, -1)
    height, width = 48 // rows, 64 // columns
    for frame, samples in zip(frames, expected):
        assert frame.format == name and frame.is_writable
        luma, chroma = (plane >> (16 - bits if bits > 8 else 0) for plane in frame.planes)
        assert luma.shape == (48, 64) and chroma.shape == (height, width, 2)
        assert (luma.reshape(-1) == samples[: 48 * 64]).all()
        assert (chroma[:, :, 0].reshape(-1) == samples[48 * 64 :][: height * width]).all()
        assert (chroma[:, :, 1].reshape(-1) == samples[48 * 64 + height * width :]).all()
        assert frame.array.shape == (48 + 2 * height * width // 64, 64)
    assert len(frames) == 3
    # Encoding a frame itself, its array and its planes makes the same stream.
    streams = []
    for form in (frames, [frame.array for frame in frames], [frame.planes for frame in frames]):
        file = io.BytesIO()
        nalu.write_video(file, form, fps=25, format=name, container="mp4", properties={"x264.params": "threads=1"})
        streams.append([sample.data for sample in nalu.open(io.BytesIO(file.getvalue()))])
    assert streams[0] == streams[1] == streams[2] and len(streams[0]) == 3
    [shown, *_] = nalu.read_video(path)
    assert shown.array.shape == (48, 64, 3)
    [small, *_] = nalu.read_video(path, format=None, size=(32, 24))
    assert small.format.split("_")[0] == ("p010" if bits > 8 else "i420")


def test_an_rgb_stream_is_decoded_to_rgb(tmp_path):
    path = encoded(tmp_path, "libx264rgb", "rgb24", "-qp", "0")
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-pix_fmt", "rgb24", "-f", "rawvideo", "-"]
    raw = subprocess.run(command, check=True, timeout=PROGRAM_LIMIT, stdout=subprocess.PIPE).stdout
    expected = np.frombuffer(raw, np.uint8).reshape(3, 48, 64, 3)
    for frame, own, pixels in zip(nalu.read_video(path), nalu.read_video(path, format=None), expected):
        assert (frame.array == pixels).all()
        assert own.format == "bgra" and (own.array[:, :, 2::-1] == pixels).all()


@pytest.mark.parametrize("name", ["nv16", "p410", "p016", "p216_full", "uyvy", "p210le"])
def test_the_decoder_refuses_422_and_444_as_output_formats(name):
    with pytest.raises(ValueError, match="expected one of .*i420"):
        nalu.Decoder(format=name)


# ---- A limit on pixels ---------------------------------------------------------------------------------------------


def test_pictures_above_maximum_pixel_count_are_refused():
    # The pictures have 160 x 96 = 15360 pixels.
    assert len(nalu.Decoder(maximum_pixel_count=15360).decode(samples()[0], show=False)) == 0
    with pytest.raises(ValueError, match="160x96 .*15360.*15359.*maximum_pixel_count"):
        nalu.Decoder(maximum_pixel_count=15359).decode(samples()[0])
    reader = nalu.open(io.BytesIO(movie()), maximum_pixel_count=15359)
    with pytest.raises(ValueError, match="160x96 .*15360.*15359.*maximum_pixel_count"):
        next(iter(reader))
    assert len(list(nalu.open(io.BytesIO(movie()), maximum_pixel_count=15360))) == 24
    with pytest.raises(ValueError, match="maximum_pixel_count"):
        list(nalu.read_video(io.BytesIO(movie()), maximum_pixel_count=100))
    for bad in (0, -1, 1 << 63):
        with pytest.raises(ValueError, match=f"maximum_pixel_count is {bad}; expected 1 to"):
            nalu.Decoder(maximum_pixel_count=bad)
    for bad in (True, 1.5, "8"):
        with pytest.raises(TypeError, match="maximum_pixel_count"):
            nalu.open(io.BytesIO(movie()), maximum_pixel_count=bad)
