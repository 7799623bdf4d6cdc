"""Delivery of samples to a function, and by iteration."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import threading
import time
import weakref

import pytest
from conftest import PROGRAM_LIMIT, REORDERED, annex_b, encoded, in_forked_child, picture

import nalu

GREY = bytes(64 * 48)
SETTINGS = {"frame_rate": 25, "format": "gray", "real_time": True}


def opened(**settings) -> nalu.CompressionSession:
    return nalu.CompressionSession(64, 48, **(SETTINGS | settings))


# ---- on_sample -------------------------------------------------------------------------------------------------


def test_on_sample_receives_every_sample_in_order():
    sources = [picture(64, 48, shift) for shift in range(20)]
    got: list[nalu.Sample] = []
    with nalu.CompressionSession(64, 48, frame_rate=25, quality=0.8, properties=REORDERED, on_sample=got.append) as session:
        for number, frame in enumerate(sources):
            assert session.encode(frame, tag=number) == []
        assert session.flush() == []
        assert len(got) == 20
    assert annex_b(got) == encoded(sources, 64, 48, properties=REORDERED)
    assert [sample.tag for sample in got] == [round(sample.pts.seconds * 25) for sample in got]


def test_the_end_of_the_with_block_flushes():
    got: list[nalu.Sample] = []
    with nalu.CompressionSession(64, 48, frame_rate=25, format="gray", on_sample=got.append) as session:
        for _ in range(5):
            session.encode(GREY)
    assert len(got) == 5


@pytest.mark.parametrize("call", ["encode", "flush", "close", "finish"])
def test_an_exception_in_on_sample_is_raised_by_the_next_call(call):
    called = threading.Event()

    def fail(sample: nalu.Sample) -> None:
        called.set()
        raise ZeroDivisionError("mine")

    session = opened(on_sample=fail)
    session.encode(GREY)
    assert called.wait(PROGRAM_LIMIT)
    if call == "encode":
        # The delivery thread stores the exception only after the function has returned.
        while session._delivery._failure is None:
            time.sleep(0.001)
    with pytest.raises(ZeroDivisionError, match="mine"):
        session.encode(GREY) if call == "encode" else getattr(session, call)()
    session.close()


def test_samples_are_delivered_after_an_exception_in_on_sample():
    got: list[int] = []

    def fail_twice(sample: nalu.Sample) -> None:
        got.append(sample.tag)
        if sample.tag in (1, 2):
            raise ValueError(sample.tag)

    raised = []
    session = opened(on_sample=fail_twice)
    number = 0
    while number < 6:
        try:
            session.encode(GREY, tag=number)
            number += 1
        except ValueError as error:
            raised.append(error.args[0])
    while len(got) < 6:
        try:
            session.flush()
        except ValueError as error:
            raised.append(error.args[0])
    session.close()
    assert got == list(range(6))
    assert raised == [1, 2]


def test_an_interrupt_while_an_exception_is_raised_keeps_the_exception(monkeypatch):
    def fail(sample: nalu.Sample) -> None:
        raise ZeroDivisionError

    class Interrupted:
        def put(self, value: bool) -> None:
            raise KeyboardInterrupt

    session = opened(on_sample=fail)
    session.encode(GREY)
    while session._delivery._failure is None:
        time.sleep(0.001)
    with monkeypatch.context() as patched:
        patched.setattr(session._delivery, "_resumed", Interrupted())
        with pytest.raises(KeyboardInterrupt):
            session.encode(GREY)
    with pytest.raises(ZeroDivisionError):
        session.close()
    assert not session._delivery._thread.is_alive()


def test_an_exception_in_on_sample_is_raised_at_the_end_of_the_with_block():
    def fail(sample: nalu.Sample) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), opened(on_sample=fail) as session:
        session.encode(GREY)
    assert session.closed and not session._delivery._thread.is_alive()


def test_an_exception_in_the_with_block_carries_that_of_on_sample():
    def fail(sample: nalu.Sample) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught, opened(on_sample=fail) as session:
        session.encode(GREY)
        while session._delivery._failure is None:
            time.sleep(0.001)
        raise KeyError("block")
    assert isinstance(caught.value.__context__, KeyError)


@pytest.mark.parametrize("method", ["flush", "finish"])
def test_calls_that_would_wait_for_on_sample_are_refused_inside_it(method):
    with opened(on_sample=lambda sample: getattr(session, method)()) as session:
        session.encode(GREY)
        with pytest.raises(nalu.Error, match=rf"{method}\(\) was called from on_sample, and would wait for it"):
            session.flush()


def test_on_sample_may_encode_and_close():
    got = []

    def on_sample(sample: nalu.Sample) -> None:
        got.append(sample)
        if len(got) < 5:
            session.encode(GREY)
        else:
            session.close()

    session = opened(on_sample=on_sample)
    session.encode(GREY)
    session._delivery._thread.join(PROGRAM_LIMIT)
    assert len(got) == 5
    assert session.closed


def test_encode_waits_for_a_slow_on_sample():
    got = []

    def slow(sample: nalu.Sample) -> None:
        time.sleep(0.002)
        got.append(sample)

    with opened(on_sample=slow) as session:
        for number in range(100):
            session.encode(GREY)
            assert number - len(got) < 50
    assert len(got) == 100


def test_a_forked_child_does_not_wait_for_on_sample():
    released = threading.Event()
    with opened(on_sample=lambda sample: released.wait(PROGRAM_LIMIT)) as session:
        while len(session._outputs) < 40:
            with contextlib.suppress(nalu.WouldBlockError):
                session.encode(GREY, wait=False)

        def encode():
            with pytest.raises(nalu.Error, match="the session belongs to the parent process"):
                session.encode(GREY)

        result = in_forked_child(encode)
        released.set()
    assert result == 0


def test_a_session_with_on_sample_ends_when_nothing_refers_to_it():
    session = opened(on_sample=lambda sample: None)
    session.encode(GREY)
    thread, gone = session._delivery._thread, weakref.ref(session._outputs)
    del session
    gc.collect()
    thread.join(PROGRAM_LIMIT)
    assert not thread.is_alive()
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("fails", [False, True])
def test_a_session_is_collected_whose_function_refers_to_its_owner(fails):
    class Recorder:
        def __init__(self) -> None:
            self.count = 0
            self.called = threading.Event()
            self.session = opened(on_sample=self.receive)

        def receive(self, sample: nalu.Sample) -> None:
            self.count += 1
            self.called.set()
            if fails:
                raise RuntimeError("the function failed")

    recorder = Recorder()
    recorder.session.encode(GREY)
    assert recorder.called.wait(PROGRAM_LIMIT)
    if not fails:
        recorder.session.flush()
        assert recorder.count == 1
    thread, gone = recorder.session._delivery._thread, weakref.ref(recorder)
    with contextlib.suppress(RuntimeError):
        recorder.session.encode(GREY)
    outputs = weakref.ref(recorder.session._outputs)
    del recorder
    collect_until(lambda: gone() is None)
    thread.join(PROGRAM_LIMIT)
    assert not thread.is_alive()
    collect_until(lambda: outputs() is None)


def collect_until(is_true) -> None:
    """Collects garbage until the condition is true. A thread that has just delivered a sample may refer to it for a moment."""
    end = time.monotonic() + PROGRAM_LIMIT
    while not is_true():
        assert time.monotonic() < end
        gc.collect()
        time.sleep(0.001)


def test_a_function_that_nothing_else_refers_to_is_called():
    got: list[nalu.Sample] = []
    session = opened(on_sample=lambda sample: got.append(sample))
    gc.collect()
    session.encode(GREY)
    session.flush()
    assert len(got) == 1
    session.close()


def test_a_session_with_on_sample_cannot_be_iterated():
    with opened(on_sample=lambda sample: None) as session:
        with pytest.raises(nalu.Error, match="the samples go to on_sample"):
            iter(session)
        with pytest.raises(nalu.Error, match="the samples go to on_sample"):
            session.__aiter__()


# ---- for and async for -----------------------------------------------------------------------------------------


def test_another_thread_can_iterate_over_the_samples():
    got: list[nalu.Sample] = []
    session = opened()
    thread = threading.Thread(target=lambda: got.extend(session), daemon=True)
    thread.start()
    for number in range(10):
        session.submit(GREY, tag=number)
    session.finish()
    thread.join(PROGRAM_LIMIT)
    assert [sample.tag for sample in got] == list(range(10))


def test_samples_can_be_iterated_with_asyncio():
    async def consume(session: nalu.CompressionSession) -> list[int]:
        return [sample.tag async for sample in session]

    async def produce(session: nalu.CompressionSession) -> None:
        for number in range(10):
            await asyncio.to_thread(session.submit, GREY, tag=number)
            await asyncio.sleep(0.001)
        await asyncio.to_thread(session.finish)

    async def both() -> list[int]:
        session = opened()
        consumed, _ = await asyncio.wait_for(asyncio.gather(consume(session), produce(session)), PROGRAM_LIMIT)
        return consumed

    assert asyncio.run(both()) == list(range(10))


@pytest.mark.parametrize("has_one_iterator", [False, True])
def test_async_loops_share_the_samples(has_one_iterator):
    async def consume(samples) -> list[int]:
        return [sample.tag async for sample in samples]

    async def all_of_them() -> list[int]:
        session = opened()
        samples = session.__aiter__() if has_one_iterator else session
        tasks = [asyncio.create_task(consume(samples)) for _ in range(3)]
        await asyncio.sleep(0.01)
        for number in range(20):
            await asyncio.to_thread(session.submit, GREY, tag=number)
        await asyncio.to_thread(session.finish)
        return sorted(sum(await asyncio.wait_for(asyncio.gather(*tasks), PROGRAM_LIMIT), []))

    assert asyncio.run(all_of_them()) == list(range(20))


def test_a_cancelled_wait_loses_no_sample():
    async def run() -> None:
        session = opened()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(session.__aiter__().__anext__(), 0.01)
        session.submit(GREY)
        iterator = session.__aiter__()
        assert (await asyncio.wait_for(iterator.__anext__(), PROGRAM_LIMIT)).is_key_frame
        session.close()
        with pytest.raises(StopAsyncIteration):
            await iterator.__anext__()

    asyncio.run(run())


def test_no_file_descriptor_is_left_open():
    def use() -> None:
        session = opened()
        session.submit(GREY)
        session.finish()

        async def consume() -> int:
            return len([sample async for sample in session])

        assert asyncio.run(consume()) == 1

    use()
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        use()
    gc.collect()
    # The garbage collection may also close descriptors of earlier tests.
    assert len(os.listdir("/proc/self/fd")) <= before
