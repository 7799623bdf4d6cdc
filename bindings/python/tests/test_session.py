"""The compression session."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import threading
import weakref
from fractions import Fraction

import numpy as np
import pytest
from conftest import REORDERED, annex_b, decoded, encoded, in_forked_child, picture, psnr
from hypothesis import given, settings
from hypothesis import strategies as st

import nalu
from nalu import _input

WIDTH, HEIGHT = 160, 96


def pictures(count: int = 6) -> list[np.ndarray]:
    return [picture(WIDTH, HEIGHT, shift) for shift in range(count)]


def to_i420(rgb: np.ndarray) -> np.ndarray:
    """Converts RGB to BT.601 in video range, with chroma averaged over four pixels."""
    r, g, b = (rgb[..., channel].astype(float) for channel in range(3))
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    cb, cr = (b - luma) / 1.772, (r - luma) / 1.402

    def quarter(plane):
        return plane.reshape(HEIGHT // 2, 2, WIDTH // 2, 2).mean(axis=(1, 3))

    planes = [16 + luma * 219 / 255, 128 + quarter(cb) * 224 / 255, 128 + quarter(cr) * 224 / 255]
    return np.concatenate([plane.round().astype(np.uint8).ravel() for plane in planes]).reshape(HEIGHT * 3 // 2, WIDTH)


def in_format(rgb: np.ndarray, name: str):
    """Returns a picture in a pixel format."""
    i420 = to_i420(rgb)
    luma, chroma = i420[:HEIGHT], i420[HEIGHT:].reshape(2, HEIGHT // 2, WIDTH // 2)
    alpha = np.full((HEIGHT, WIDTH, 1), 7, np.uint8)
    nv12 = np.concatenate([luma, np.stack([chroma[0], chroma[1]], axis=2).reshape(HEIGHT // 2, WIDTH)])
    return {
        "rgb": lambda: rgb,
        "bgr": lambda: rgb[..., ::-1],
        "rgba": lambda: np.concatenate([rgb, alpha], axis=2),
        "bgra": lambda: np.concatenate([rgb[..., ::-1], alpha], axis=2),
        "argb": lambda: np.concatenate([alpha, rgb], axis=2),
        "abgr": lambda: np.concatenate([alpha, rgb[..., ::-1]], axis=2),
        "i420": lambda: i420,
        "nv12": lambda: nv12,
        "p010": lambda: nv12.astype(np.uint16) << 8,
    }[name]()


@pytest.mark.parametrize("name", ["rgb", "bgr", "rgba", "bgra", "argb", "abgr", "i420", "nv12", "p010"])
def test_the_decoded_pictures_are_the_source(name):
    sources = pictures()
    stream = encoded([in_format(rgb, name) for rgb in sources], WIDTH, HEIGHT, format=name, quality=0.95)
    shown = decoded(stream, WIDTH, HEIGHT)
    assert len(shown) == len(sources)
    assert all(psnr(got, rgb) > 34 for got, rgb in zip(shown, sources))


def test_a_grey_frame_is_decoded_as_grey():
    sources = [rgb[..., 1] for rgb in pictures()]
    shown = decoded(encoded(sources, WIDTH, HEIGHT, quality=0.95), WIDTH, HEIGHT)
    assert all(psnr(got[..., 1], grey) > 36 for got, grey in zip(shown, sources))
    assert all(np.ptp(got.astype(int), axis=2).max() <= 2 for got in shown)


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("name", ["i420", "nv12"])
def test_frames_without_a_copy_give_the_same_stream(name, copied):
    sources = [in_format(rgb, name) for rgb in pictures()]
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, format=name, properties=REORDERED) as session:
        got = [sample for frame in sources for sample in session.encode(frame, copy=copied)]
        got += session.flush()
    assert annex_b(got) == encoded(sources, WIDTH, HEIGHT, format=name, quality=None, properties=REORDERED)


def test_a_strided_view_gives_the_same_stream_as_its_copy():
    big = [np.pad(rgb, ((5, 3), (7, 9), (0, 0))) for rgb in pictures()]
    views = [frame[5:-3, 7:-9] for frame in big]
    assert not views[0].flags.c_contiguous
    assert encoded(views, WIDTH, HEIGHT) == encoded(pictures(), WIDTH, HEIGHT)


def test_one_array_may_be_used_for_all_frames():
    frame = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, quality=0.8, properties={"MaxFrameDelayCount": 0}) as session:
        samples = []
        for rgb in pictures():
            frame[:] = rgb
            samples += session.encode(frame)
            frame[:] = 0
        samples += session.flush()
    assert annex_b(samples) == encoded(pictures(), WIDTH, HEIGHT)


def test_a_borrowed_frame_is_unlocked_after_its_sample_is_delivered():
    frame = bytearray(to_i420(pictures()[0]).tobytes())
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, format="i420", real_time=True) as session:
        samples = session.encode(frame, copy=False)
        samples += session.flush()
        assert len(samples) == 1
        frame.append(0)


def test_a_borrowed_frame_is_unlocked_when_the_session_is_closed():
    frame = bytearray(to_i420(pictures()[0]).tobytes())
    session = nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, format="i420")
    session.submit(frame, copy=False)
    with pytest.raises(BufferError):
        frame.append(0)
    session.close()
    del session
    frame.append(0)


def test_a_refused_frame_is_unlocked():
    frame = bytearray(to_i420(pictures()[0]).tobytes())
    with nalu.CompressionSession(WIDTH, HEIGHT, format="i420", time_base=1) as session:
        for copied in (True, False):
            with pytest.raises(nalu.InvalidValueError, match="rate control determines the QP"):
                session.encode(frame, 0, copy=copied, qp=20)
            frame.append(0)
            frame.pop()


# ---- Times -----------------------------------------------------------------------------------------------------


def test_times_are_returned_unchanged(session, grey):
    times = [nalu.Time(0, 7), nalu.Time(1, 3), nalu.Time(90_001, 90_000)]
    samples = [sample for pts in times for sample in session.encode(grey, pts, nalu.Time(1, 11))]
    assert [(each.pts.value, each.pts.timescale) for each in samples] == [(0, 7), (1, 3), (90_001, 90_000)]
    assert all((each.duration.value, each.duration.timescale) == (1, 11) for each in samples)


def test_missing_times_are_counted_by_the_frame_rate(grey):
    settings = {"format": "gray", "properties": {"MaxFrameDelayCount": 0}}
    with nalu.CompressionSession(64, 48, frame_rate=29.97, **settings) as session:
        samples = [sample for _ in range(4) for sample in session.encode(grey)]
    assert [each.pts.fraction for each in samples] == [Fraction(1001 * number, 30000) for number in range(4)]
    assert samples[0].duration.fraction == Fraction(1001, 30000)


def test_a_refused_frame_is_not_counted(session, grey):
    session.encode(grey)
    with pytest.raises(ValueError):
        session.encode(grey[1:])
    assert session.encode(grey)[0].pts == nalu.Time(1, 25)


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(st.one_of(st.integers(1, 1000), st.fractions("1/1000", 100), st.floats(0.001, 100)), min_size=1, max_size=5))
def test_any_increasing_times_are_accepted(steps):
    with nalu.CompressionSession(16, 16, format="gray", time_base=Fraction(1, 50), real_time=True) as session:
        seconds, samples, expected = Fraction(0), [], []
        for step in steps:
            seconds += Fraction(step, 50) if isinstance(step, int) else Fraction(round(Fraction(step) * 90000), 90000)
            pts = seconds if not isinstance(step, float) else float(seconds)
            exact = seconds if not isinstance(step, float) else Fraction(round(seconds * 90000), 90000)
            if expected and exact <= expected[-1]:
                continue
            expected.append(exact)
            samples += session.encode(bytes(256), pts)
        samples += session.flush()
    assert [each.pts.fraction for each in samples] == expected


@pytest.mark.parametrize(
    "pts, kind, part",
    [
        (None, TypeError, "pts is missing; expected a time, or a session with a frame_rate"),
        (3, TypeError, "pts is the int 3, whose unit is not known"),
        ("1", TypeError, "pts is str"),
        (float("nan"), ValueError, "pts is nan"),
        (float("inf"), ValueError, "pts is inf"),
        (True, TypeError, "pts is True"),
        (Fraction(1, 2**40), ValueError, "denominator up to 2147483647"),
    ],
)
def test_a_wrong_time_raises_one_clear_error_message(pts, kind, part, grey):
    with nalu.CompressionSession(64, 48, format="gray") as session:
        with pytest.raises(kind, match=part) as caught:
            session.encode(grey, pts)
        assert isinstance(caught.value, nalu.Error)


def test_a_time_that_does_not_increase_is_refused(session, grey):
    session.encode(grey, 1.0)
    with pytest.raises(nalu.InvalidValueError, match="presentation_time") as caught:
        session.encode(grey, 1.0)
    assert caught.value.status_name == "INVALID_TIME"
    with pytest.raises(ValueError, match="expected a time, because an earlier frame had one"):
        session.encode(grey)


# ---- Options ---------------------------------------------------------------------------------------------------


def test_samples_have_forced_key_frames_and_tags(session, grey):
    samples = []
    for number in range(4):
        samples += session.encode(grey, force_key_frame=number == 2, tag=("frame", number))
    assert [each.is_key_frame for each in samples] == [True, False, True, False]
    assert [each.tag for each in samples] == [("frame", number) for number in range(4)]


def test_tags_follow_reordered_frames():
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25) as session:
        samples = [each for number, rgb in enumerate(pictures(12)) for each in session.encode(rgb, tag=number)]
        samples += session.flush()
    assert [each.pts.seconds * 25 for each in samples] == pytest.approx([each.tag for each in samples])
    assert sorted(each.tag for each in samples) == list(range(12))


def test_a_frame_can_have_its_own_qp():
    settings = {"properties": {"x264.params": "crf=23", "MaxFrameDelayCount": 0, "SpatialAdaptiveQPLevel": 0}}
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, **settings) as session:
        samples = [each for rgb, qp in zip(pictures(), (20, 40, 30)) for each in session.encode(rgb, qp=qp)]
    assert [each.average_qp for each in samples] == [20, 40, 30]


@pytest.mark.parametrize("offsets", [[[-12, 12]], np.array([[-12, 12]]), np.array([[-12, 12]], np.float32)])
def test_qp_offsets_improve_a_region_of_interest(offsets):
    rng = np.random.default_rng(1)
    source = rng.integers(0, 255, (HEIGHT, WIDTH), np.uint8)
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, quality=0.3, real_time=True) as session:
        samples = session.encode(source, qp_offsets=offsets) + session.flush()
    shown = decoded(annex_b(samples), WIDTH, HEIGHT)[0, ..., 1]
    half = WIDTH // 2
    assert psnr(shown[:, :half], source[:, :half]) > psnr(shown[:, half:], source[:, half:]) + 3


def test_acknowledged_ltr_tokens_recover_from_loss(grey):
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray", properties={"EnableLTR": True}) as session:
        samples = [sample for _ in range(3) for sample in session.encode(grey)] + session.flush()
        tokens = [sample.ltr_token for sample in samples]
        assert None not in tokens
        (refresh,) = session.encode(grey, acknowledged=tokens[:1], force_ltr_refresh=True) + session.flush()
        assert [sample.ltr_reference for sample in samples] == [None, *tokens[:-1]]
        assert refresh.ltr_reference == tokens[0]
        assert not refresh.is_key_frame
        with pytest.raises(ValueError, match="12345"):
            session.encode(grey, acknowledged=[12345])
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
        session.encode(grey)
        assert session.flush()[0].ltr_token is None


def test_encode_with_wait_false_raises_instead_of_waiting(grey):
    with nalu.CompressionSession(640, 480, frame_rate=25, preset="placebo", format="gray") as session:
        frame = np.random.default_rng(1).integers(0, 255, (480, 640), np.uint8)
        with pytest.raises(nalu.WouldBlockError) as caught:
            for _ in range(500):
                session.submit(frame, wait=False)
        assert isinstance(caught.value, BlockingIOError)
        session.close()


@pytest.mark.parametrize(
    "options, part",
    [
        ({"qp": 52}, "qp is 52; expected 0 to 51"),
        ({"qp": 1.5}, "qp is float"),
        ({"qp_offsets": [[1, 2], [3]]}, "rows of different lengths"),
        ({"qp_offsets": 3}, "is not a grid of numbers"),
        ({"qp_offsets": [[60.0]]}, "60"),
        ({"acknowledged": ["a"]}, "ltr_token numbers"),
        ({"force_ltr_refresh": True}, "EnableLTR"),
    ],
)
def test_wrong_options_raise_one_clear_error_message(options, part, session, grey):
    with pytest.raises(nalu.Error, match=part):
        session.encode(grey, **options)


# ---- The life of a session -------------------------------------------------------------------------------------


def test_the_statistics_count_frames_and_bytes(session, grey):
    for _ in range(3):
        session.encode(grey)
    counted = session.statistics
    assert (counted.accepted_frames, counted.encoded_frames, counted.key_frames) == (3, 3, 1)
    session.close()
    assert session.statistics.accepted_frames == 3


def test_a_closed_session_refuses_calls(grey):
    session = nalu.CompressionSession(64, 48, frame_rate=25, format="gray")
    session.close()
    session.close()
    assert session.closed
    for use in (lambda: session.encode(grey), session.flush, lambda: session["RealTime"], session.prepare):
        with pytest.raises(nalu.SessionClosedError, match="the session has been invalidated"):
            use()
    assert list(session) == []


def test_a_session_is_usable_after_flush(session, grey):
    session.encode(grey)
    session.flush()
    assert len(session.encode(grey) + session.flush()) == 1


def test_frames_that_were_not_fetched_cause_a_warning():
    with pytest.warns(UserWarning, match="6 frames were not fetched; call flush"):
        with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25) as session:
            for rgb in pictures():
                session.encode(rgb)


@pytest.mark.parametrize(
    "arguments, settings, part",
    [
        ((0, 48), {}, "width is 0"),
        ((64, 20000), {}, "height is 20000"),
        ((64.5, 48), {}, "width is float"),
        ((2**40, 48), {}, "width is 1099511627776"),
        ((64, 48), {"encoder": "none"}, "none"),
        ((64, 48), {"encoder": "a\0b"}, "NUL"),
        ((64, 48), {"frame_rate": 0}, "frame_rate is 0"),
        ((64, 48), {"frame_rate": "fast"}, "frame_rate is 'fast'; expected a number such as 25"),
        ((64, 48), {"frame_rate": b"25"}, "frame_rate is bytes"),
        ((64, 48), {"bit_rate": "2 Mbit"}, "bit_rate is '2 Mbit'; expected bits per second, such as 2_000_000, '2M'"),
        ((64, 48), {"bit_rate": "inf"}, "bit_rate is 'inf'"),
        ((64, 48), {"crf": 60}, "crf is 60; expected 0"),
        ((64, 48), {"crf": 20, "quality": 0.5}, "crf is given together with bit_rate or quality"),
        ((64, 48), {"bit_rate": -1}, "AverageBitRate"),
        ((64, 48), {"properties": {"Nonsense": 1}}, "Nonsense"),
        ((64, 48), {"preset": "warp"}, "preset is \"warp\"; expected one of HighQuality, Balanced, .*, ultrafast, .*, placebo"),
        ((64, 48), {"on_sample": 3}, "on_sample is int"),
    ],
)
def test_wrong_session_arguments_raise_one_clear_error_message(arguments, settings, part):
    with pytest.raises(nalu.Error, match=part) as caught:
        nalu.CompressionSession(*arguments, **settings)
    assert "\n" not in str(caught.value)


def test_a_session_ends_when_nothing_refers_to_it():
    session = nalu.CompressionSession(64, 48)
    gone = weakref.ref(session._outputs)
    del session
    gc.collect()
    assert gone() is None


def test_samples_outlive_their_session(session, grey):
    (sample,) = session.encode(grey)
    session.close()
    del session
    gc.collect()
    assert sample.annex_b().startswith(bytes([0, 0, 0, 1, 0x67]))
    assert sample.data and sample.nal_units[-1][0] & 31 == 5
    assert sample.format_description.width == 64


def test_a_sample_can_be_copied_but_not_pickled(session, grey):
    (sample,) = session.encode(grey)
    assert copy.copy(sample) is sample and copy.deepcopy([sample])[0] is sample
    assert copy.copy(sample.format_description) == sample.format_description
    assert pickle.loads(pickle.dumps(sample.format_description)) == sample.format_description
    for unique in (sample, session, session._outputs):
        with pytest.raises(TypeError, match="can be neither copied nor pickled"):
            pickle.dumps(unique)
    with pytest.raises(TypeError, match="a CompressionSession can be neither copied"):
        copy.deepcopy(session)


def test_threads_that_share_a_session_count_frames_together(grey):
    settings = {"frame_rate": 25, "format": "gray", "properties": {"MaxFrameDelayCount": 0}}
    with nalu.CompressionSession(64, 48, **settings) as session:
        threads = [threading.Thread(target=lambda: [session.submit(grey) for _ in range(25)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        samples = session.flush()
    assert [each.pts for each in samples] == [nalu.Time(number, 25) for number in range(100)]


def test_four_threads_with_a_session_each_get_their_own_samples():
    expected = [encoded([rgb + np.uint8(number) for rgb in pictures()], WIDTH, HEIGHT) for number in range(4)]
    got: list = [None] * 4

    def work(number: int) -> None:
        for _ in range(5):
            got[number] = encoded([rgb + np.uint8(number) for rgb in pictures()], WIDTH, HEIGHT)
            assert got[number] == expected[number]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == expected


def test_other_threads_run_while_a_frame_is_encoded():
    """If encode did not release the interpreter's lock, the other thread could not count while encode waits."""
    counted = [0]
    stop = threading.Event()

    def count() -> None:
        while not stop.wait(0.001):
            counted[0] += 1

    frame = np.random.default_rng(1).integers(0, 255, (720, 1280, 3), np.uint8)
    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    with nalu.CompressionSession(1280, 720, frame_rate=25, preset="slower") as session:
        session.encode(frame)
        before = counted[0]
        session.flush()
        during = counted[0] - before
    stop.set()
    thread.join()
    assert during > 3


@pytest.mark.parametrize("size", [(WIDTH - 1, HEIGHT - 1), (WIDTH // 2, HEIGHT), (WIDTH * 2, HEIGHT * 2)])
def test_frames_of_another_size_are_scaled_or_refused(size):
    frame = picture(*size)
    with nalu.CompressionSession(WIDTH, HEIGHT, frame_rate=25, real_time=True) as session:
        assert len(session.encode(frame) + session.flush()) == 1
        session["NaluAllowScaling"] = False
        with pytest.raises(nalu.InvalidValueError, match="NaluAllowScaling|scal"):
            session.encode(frame)


def test_a_preset_sets_several_properties():
    with nalu.CompressionSession(64, 48, preset="VideoConferencing", frame_rate=25) as session:
        assert session["RealTime"] is True
        assert session["MaxFrameDelayCount"] == 0
        assert session["ExpectedFrameRate"] == 25
    with nalu.CompressionSession(64, 48, preset="HighSpeed", properties={"MaxFrameDelayCount": 3}) as session:
        assert session["x264.preset"] == "veryfast"
        assert session["MaxFrameDelayCount"] == 3
    with nalu.CompressionSession(64, 48) as session:
        known = session["SupportedPresetDictionaries"]
    assert all(f"{name}=" in known for name in nalu.PRESETS) and known.count("=\"") == len(nalu.PRESETS)


def test_samples_have_quality_metrics_on_request(grey):
    settings = {"frame_rate": 25, "format": "gray"}
    with nalu.CompressionSession(64, 48, **settings, properties={"CalculateMeanSquaredError": True}) as session:
        samples = session.encode(picture(64, 48)[..., 0]) + session.flush()
        metrics = samples[0].quality
        assert 0 < metrics.luma_mean_squared_error < 30
        assert metrics.luma_psnr == pytest.approx(10 * math.log10(255**2 / metrics.luma_mean_squared_error))
        assert 0.9 < metrics.ssim <= 1
        assert session.statistics.mean_psnr == pytest.approx(metrics.average_psnr)
        assert session.statistics.mean_ssim == pytest.approx(metrics.ssim)
    with nalu.CompressionSession(64, 48, **settings) as session:
        samples = session.encode(grey) + session.flush()
        assert samples[0].quality is None
        assert math.isnan(session.statistics.mean_psnr)


def test_rates_can_be_text_with_a_unit_or_a_fraction():
    with nalu.CompressionSession(64, 48, frame_rate="30000/1001", bit_rate="2.5M") as session:
        assert session["AverageBitRate"] == 2_500_000
        assert session["ExpectedFrameRate"] == pytest.approx(29.97, abs=0.001)
    with nalu.CompressionSession(64, 48, frame_rate="25", crf=30, properties={"x264.params": "keyint=5"}) as session:
        assert session["x264.params"] == "keyint=5:crf=30"
        assert session["ExpectedFrameRate"] == 25


def test_crf_sets_the_constant_rate_factor_of_x264(grey):
    sizes = []
    frame = np.random.default_rng(1).integers(0, 256, (48, 64), np.uint8)
    for crf in (10, 40):
        with nalu.CompressionSession(64, 48, frame_rate=25, crf=crf) as session:
            sizes.append(sum(len(sample) for sample in session.encode(frame) + session.flush()))
    assert sizes[0] > 2 * sizes[1]


def test_a_frame_counts_if_ctrl_c_ends_its_call(monkeypatch):
    """The session has accepted the frame, so the next frame has a later time, and the sample has the tag."""
    encode = _input._encode_planes

    def interrupted(*arguments):
        encode(*arguments)
        raise KeyboardInterrupt

    grey = bytes(64 * 48)
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
        with monkeypatch.context() as patched:
            patched.setattr(_input, "_encode_planes", interrupted)
            with pytest.raises(KeyboardInterrupt):
                session.encode(grey, tag="first")
        samples = session.encode(grey, tag="second") + session.flush()
    assert [(sample.pts, sample.tag) for sample in samples] == [(nalu.Time(0, 25), "first"), (nalu.Time(1, 25), "second")]


def test_a_forked_child_is_refused_while_a_thread_of_the_parent_encodes():
    grey = bytes(64 * 48)
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray") as session:
        session.encode(grey)
        session.flush()

        def encode():
            with pytest.raises(nalu.SessionClosedError):
                session.encode(grey)

        with session._clock._turn:
            result = in_forked_child(encode)
    assert result == 0
