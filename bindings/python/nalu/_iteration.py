"""Iterators over a session's samples, for ``for`` and ``async for``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ._outputs import Closed, Outputs
from .sample import Sample

if TYPE_CHECKING:
    import asyncio

#: Seconds after which a waiting thread checks for an interrupt such as Ctrl-C.
_PATIENCE = 0.25


def samples(outputs: Outputs) -> Iterator[Sample]:
    """Yields samples until the session has ended and all samples are fetched; waits for each."""
    while True:
        try:
            received = outputs.receive(_PATIENCE)
        except Closed:
            return
        if received is not None and received[0] is not None:
            yield received[0]


class AsyncSamples:
    """An asynchronous iterator over a session's samples. It waits for the queue's file descriptor, without a thread."""

    def __init__(self, outputs: Outputs) -> None:
        self._outputs = outputs
        self._descriptor = os.dup(outputs.file_descriptor)

    def __aiter__(self) -> "AsyncSamples":
        return self

    async def __anext__(self) -> Sample:
        while True:
            try:
                received = self._outputs.receive()
            except Closed:
                raise StopAsyncIteration from None
            if received is None:
                await self._readable()
            elif received[0] is not None:
                return received[0]

    async def _readable(self) -> None:
        import asyncio

        loop = asyncio.get_running_loop()
        ready: "asyncio.Future[None]" = loop.create_future()
        # A duplicate, because an event loop allows one waiter for a descriptor, and several tasks may wait.
        descriptor = os.dup(self._descriptor)
        loop.add_reader(descriptor, _set, ready)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)
            os.close(descriptor)

    def __del__(self) -> None:
        descriptor = getattr(self, "_descriptor", None)
        if descriptor is not None:
            os.close(descriptor)


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
