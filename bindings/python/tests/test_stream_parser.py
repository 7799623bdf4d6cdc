"""StreamParser: samples from blocks of bytes."""

from __future__ import annotations

import io
import threading
from fractions import Fraction
from functools import lru_cache

import pytest
from conftest import REORDERED, encoded, picture
from hypothesis import given
from hypothesis import strategies as st

import nalu


@lru_cache
def stream() -> bytes:
    """Returns a stream with two groups of pictures and reordered frames."""
    frames = [picture(64, 48, shift) for shift in range(16)]
    return encoded(frames, 64, 48, properties=REORDERED | {"MaxKeyFrameInterval": 8})


def whole(**settings) -> list[nalu.Sample]:
    parser = nalu.StreamParser(**settings)
    return [*parser.push(stream()), *parser.finish()]


@given(cuts=st.lists(st.integers(0, 6000), max_size=12))
def test_samples_do_not_depend_on_how_the_bytes_are_split(cuts):
    data = stream()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    parser = nalu.StreamParser()
    samples = [sample for a, b in zip(places, places[1:]) for sample in parser.push(data[a:b])] + list(parser.finish())
    expected = whole()
    assert [sample.data for sample in samples] == [sample.data for sample in expected]
    assert [(sample.pts, sample.dts) for sample in samples] == [(sample.pts, sample.dts) for sample in expected]


def test_the_samples_as_annex_b_equal_the_stream():
    samples = whole()
    assert b"".join(sample.annex_b() for sample in samples) == stream()
    assert sorted(sample.pts for sample in samples) == [nalu.Time(number, 25) for number in range(16)]
    assert [sample.is_key_frame for sample in samples].count(True) == 2
    assert {sample.format_description.codec_string for sample in samples} == {"avc1.64000a"}


def test_samples_that_are_not_fetched_are_returned_by_the_next_call():
    parser = nalu.StreamParser()
    parser.push(stream())
    fetched = list(parser.finish())
    assert [sample.data for sample in fetched] == [sample.data for sample in whole()]


def test_samples_get_the_given_times():
    parser = nalu.StreamParser(time_base=Fraction(1, 90000), frame_duration=1 / 50)
    samples = [*parser.push(stream(), pts=900_000), *parser.finish()]
    assert min(sample.pts for sample in samples) == nalu.Time(10, 1)
    assert sorted(sample.pts for sample in samples)[1] == nalu.Time(10 * 50 + 1, 50)


def test_corrupt_data_raise_once_and_later_samples_are_returned():
    data = bytearray(stream())
    units = list(nalu.bitstream.nal_units(bytes(data)))
    place = data.index(units[-1]) + 1
    data[place : place + 2] = bytes(2)  # no slice header is like this
    parser = nalu.StreamParser()
    samples: list[nalu.Sample] = []
    told = []
    for call in (lambda: parser.push(data), parser.finish, parser.finish):
        try:
            for sample in call():
                samples.append(sample)
        except nalu.Error as error:
            told.append(error)
    assert len(told) <= 1 and 15 <= len(samples) <= 16
    assert bool(told) == (parser.statistics.dropped_units > 0)


def test_an_access_unit_above_the_limit_is_left_out():
    parser = nalu.StreamParser(maximum_access_unit_size=1024)
    big = bytes([0, 0, 1, 0x65]) + bytes([0x88] * 5000)
    head = stream()[:200]
    with pytest.raises(ValueError, match="1024"):
        for data in (head[: head.index(bytes([0, 0, 1, 0x65]))], big, big):
            list(parser.push(data))
    assert parser.statistics.pending_bytes <= 1024


def test_the_statistics_count_bytes_samples_and_errors():
    parser = nalu.StreamParser()
    junk = bytes([1, 2, 3])
    count = len(list(parser.push(junk + stream()))) + len(list(parser.finish()))
    assert parser.statistics[:3] == (len(stream()) + 3, 3, 16)
    assert count == 16
    assert repr(parser) == f"<StreamParser {len(stream()) + 3} bytes, 16 samples>"


@pytest.mark.parametrize("data", [bytearray(b"\0\0\1"), memoryview(b"\0\0\1"), b""])
def test_any_bytes_without_a_start_code_give_no_samples(data):
    assert list(nalu.StreamParser().push(data)) == []


@pytest.mark.parametrize(
    "settings, kind, part",
    [
        ({"codec": "av1"}, ValueError, "codec is 'av1'; expected 'h264' or 'hevc'"),
        ({"reorder_depth": 17}, ValueError, "reorder_depth is 17; expected 0 to 16"),
        ({"reorder_depth": 1.5}, TypeError, "reorder_depth is float; expected an int"),
        ({"maximum_access_unit_size": 1}, ValueError, "maximum_access_unit_size is 1; expected 1024 to 1073741824"),
        ({"frame_duration": -1.0}, ValueError, "frame_duration"),
        ({"frame_duration": 3}, TypeError, "frame_duration is the int 3, whose unit is not known"),
    ],
)
def test_wrong_parser_arguments_raise_one_clear_error_message(settings, kind, part):
    with pytest.raises(kind, match=part):
        nalu.StreamParser(**settings)


def test_push_after_finish_and_values_other_than_bytes_are_refused():
    parser = nalu.StreamParser()
    with pytest.raises(TypeError, match="the data is str; expected bytes"):
        parser.push("text")
    parser.finish()
    with pytest.raises(nalu.Error, match="finish"):
        parser.push(b"\0")


def test_one_thread_can_push_while_another_fetches():
    parser = nalu.StreamParser()
    data = stream()

    def push() -> None:
        for place in range(0, len(data), 7):
            parser.push(data[place : place + 7])
        parser.finish()

    thread = threading.Thread(target=push)
    thread.start()
    samples: list[nalu.Sample] = []
    while thread.is_alive():
        samples += parser._samples()
    thread.join()
    samples += parser.finish()
    assert [sample.data for sample in samples] == [sample.data for sample in whole()]


def test_a_view_of_a_sample_keeps_it_alive():
    views = [(sample.view, sample.data) for sample in whole()]
    assert all(view.readonly and view == data for view, data in views)
    assert io.BytesIO(views[0][0]).read() == views[0][1]
