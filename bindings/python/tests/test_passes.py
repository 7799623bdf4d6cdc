"""Several passes, in one session and with the data of another session."""

from __future__ import annotations

import pickle

import pytest
from conftest import annex_b, picture

import nalu

FRAMES = [picture(160, 96, shift * (1 if shift < 40 else 4)) for shift in range(75)]
RATE = 200_000
#: Settings with which every run has the same bytes and short clips nearly reach the requested size.
PROPERTIES = {"x264.params": "threads=1:mbtree=0"}


def opened(storage, rate=RATE, **settings):
    settings = {"frame_rate": 25, "properties": PROPERTIES, "bit_rate": rate} | settings
    return nalu.CompressionSession(160, 96, multi_pass_storage=storage, **settings)


def one_pass(session, frames=FRAMES, **options):
    session.begin_pass(**options)
    samples = [sample for frame in frames for sample in session.encode(frame)]
    samples += session.flush()
    return samples, session.end_pass()


def learned(frames=FRAMES, **settings) -> bytes:
    with nalu.MultiPassStorage() as storage, opened(storage, **settings) as session:
        one_pass(session, frames)
        return storage.data()


def test_passes_reach_the_requested_size():
    with nalu.MultiPassStorage() as storage, opened(storage) as session:
        samples, again = one_pass(session)
        assert again
        [whole] = session.time_ranges_for_next_pass
        assert whole == (nalu.Time(0, 25), nalu.Time(75, 25))
        count = 1
        while again:
            samples, again = one_pass(session)
            count += 1
        assert session.time_ranges_for_next_pass == []
    assert 2 <= count <= 5
    assert len(samples) == 75 and samples[0].is_key_frame
    assert sum(len(sample) for sample in samples) * 8 / 3 == pytest.approx(RATE, rel=0.03)


def test_a_second_pass_from_data_gives_the_same_bytes(tmp_path):
    with nalu.MultiPassStorage(directory=tmp_path) as storage, opened(storage) as session:
        one_pass(session)
        data = storage.data()
        there, _ = one_pass(session)
        assert list(tmp_path.iterdir())
    assert not list(tmp_path.iterdir())
    for _ in range(2):
        with nalu.MultiPassStorage(memoryview(data)) as storage, opened(storage) as session:
            here, _ = one_pass(session, final=True)
            assert annex_b(here) == annex_b(there)
            with pytest.raises(nalu.Error, match="final"):
                session.begin_pass()
    assert learned() == data


def test_bits_are_divided_by_need():
    still, moving = [FRAMES[0]] * 50, FRAMES[25:]
    chunks = [learned(still), learned(moving)]
    division = nalu.divide_bits(chunks, RATE * 4)
    rates = division.bit_rates
    assert sum(rate * 2 for rate in rates) == pytest.approx(RATE * 4, rel=0.001)
    assert rates[1] > 3 * rates[0]
    with nalu.MultiPassStorage(chunks[0]) as first, nalu.MultiPassStorage(chunks[1]) as second:
        assert nalu.divide_bits([first, second], RATE * 4) == division
    assert nalu.divide_bits(chunks[:1], RATE * 2).bit_rates == [RATE]


def test_samples_of_a_pass_that_are_not_fetched_are_dropped():
    with nalu.MultiPassStorage() as storage, opened(storage) as session:
        session.begin_pass()
        for frame in FRAMES:
            session.submit(frame)
        assert session.end_pass()
        samples, _ = one_pass(session)
        assert len(samples) == 75


def test_on_sample_gets_the_samples_of_each_pass():
    received = []
    with nalu.MultiPassStorage() as storage, opened(storage, on_sample=received.append) as session:
        for count in (75, 150):
            assert one_pass(session)[0] == []
            assert len(received) == count


def test_frames_of_a_pass_can_have_their_own_times():
    with nalu.MultiPassStorage() as storage, opened(storage) as session:
        for _ in range(2):
            session.begin_pass()
            samples = [s for number, frame in enumerate(FRAMES[:10]) for s in session.encode(frame, pts=2 * number)]
            samples += session.flush()
            assert sorted(sample.pts for sample in samples) == [nalu.Time(2 * number, 25) for number in range(10)]
            session.end_pass()
        session.begin_pass()
        session.encode(FRAMES[0], pts=0)
        with pytest.raises(ValueError, match="time"):
            session.encode(FRAMES[1], pts=3)
        session.flush()


def test_more_frames_than_in_the_first_pass_are_refused():
    with nalu.MultiPassStorage(learned(FRAMES[:10])) as storage, opened(storage) as session:
        session.begin_pass()
        with pytest.raises(ValueError, match="10"):
            for frame in FRAMES[:11]:
                session.encode(frame)
        session.flush()


@pytest.mark.parametrize("place", [0, 9, 40, -1])
def test_corrupt_data_of_a_first_pass_raise(place):
    damaged = bytearray(learned(FRAMES[:10]))
    damaged[place] ^= 1
    with pytest.raises(ValueError):
        nalu.MultiPassStorage(damaged)
    with pytest.raises(ValueError):
        nalu.divide_bits([bytes(damaged)], RATE)
    with pytest.raises(ValueError):
        nalu.MultiPassStorage(bytes(damaged[:-3]))


def test_wrong_arguments_of_passes_raise(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        nalu.MultiPassStorage(directory=tmp_path / "nowhere")
    with pytest.raises(ValueError, match="NUL"):
        nalu.MultiPassStorage(directory="a\0b")
    with pytest.raises(TypeError, match="str"):
        nalu.MultiPassStorage("text")
    with pytest.raises(TypeError, match="MultiPassStorage"):
        opened(b"bytes")
    with pytest.raises(ValueError, match="RealTime"):
        opened(nalu.MultiPassStorage(), real_time=True)
    with pytest.raises(ValueError, match="empty"):
        nalu.divide_bits([], RATE)
    for total in (0, -1, 2**62 + 1):
        with pytest.raises(ValueError, match="total_bits"):
            nalu.divide_bits([learned(FRAMES[:5])], total)
    with pytest.raises(TypeError, match="total_bits"):
        nalu.divide_bits([b""], 1.5)
    with nalu.MultiPassStorage() as storage:
        with pytest.raises(nalu.Error) as caught:
            storage.data()
        assert caught.value.status_name == "VALUE_NOT_AVAILABLE"
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(storage)
        with opened(storage):
            with pytest.raises(ValueError):
                storage.close()
            with pytest.raises(ValueError):
                opened(storage)
        storage.close()
        storage.close()
        assert storage.closed
        for call in (storage.data, lambda: nalu.divide_bits([storage], RATE), lambda: opened(storage)):
            with pytest.raises(ValueError, match="closed"):
                call()


def test_pass_calls_in_a_wrong_order_raise():
    with nalu.CompressionSession(160, 96, frame_rate=25) as session:
        for call in (session.begin_pass, session.end_pass, lambda: session.time_ranges_for_next_pass):
            with pytest.raises(nalu.Error, match="multi_pass_storage"):
                call()
    with opened(nalu.MultiPassStorage()) as session:
        with pytest.raises(nalu.Error):
            session.end_pass()
        with pytest.raises(nalu.Error):
            session.encode(FRAMES[0])
        session.begin_pass()
        with pytest.raises(nalu.Error):
            session.begin_pass()
    with pytest.raises(ValueError, match="AverageBitRate"):
        with opened(nalu.MultiPassStorage(), rate=None) as session:
            session.begin_pass()
