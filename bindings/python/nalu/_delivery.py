"""A thread that fetches samples and calls a function with each.

The function does not run on the session's own thread, because encoding would then wait for the interpreter's lock.
"""

from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from ._outputs import Closed, Outputs
from .errors import Error
from .sample import Sample

#: The number of samples that may wait for the function before encode waits.
_ROOM = 32


class Delivery:
    """Calls ``on_sample`` once for each sample, in decode order. After an exception, it makes no call until another method has
    raised it."""

    def __init__(self, outputs: Outputs, on_sample: Callable[[Sample], Any]) -> None:
        self._outputs = outputs
        self._on_sample = on_sample
        self._changed = threading.Condition()
        self._returned = 0
        self._failure: Optional[BaseException] = None
        self._ending = False
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="nalu on_sample", daemon=True)
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether the calling thread is the one that calls the function."""
        return threading.current_thread() is self._thread

    def raise_failure(self) -> None:
        """Raises the function's exception, once."""
        if self._failure is None or self.is_current:
            return
        with self._changed:
            failure, self._failure = self._failure, None
            self._changed.notify_all()
        if failure is not None:
            raise failure

    def wait_for_room(self) -> None:
        """Waits while too many samples wait for the function. A failure of the function ends the wait."""
        if len(self._outputs) <= _ROOM or self.is_current:
            return
        with self._changed:
            self._changed.wait_for(lambda: len(self._outputs) <= _ROOM or self._failure or self._ended)

    def wait_for(self, count: int) -> None:
        """Waits until ``count`` frames have been delivered since the session began, or the function has failed."""
        with self._changed:
            self._changed.wait_for(lambda: self._returned >= count or self._failure or self._ended)

    def refuse_current(self, method: str) -> None:
        if self.is_current:
            raise Error(f"{method}() was called from on_sample, and would wait for it", -17901, "REENTRANT")

    def end(self) -> None:
        """Waits until the remaining samples are delivered; samples after a failure are dropped. The queue must be closed."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if not self.is_current:
            self._thread.join()

    def _run(self) -> None:
        try:
            while self._deliver():
                pass
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _deliver(self) -> bool:
        failure: Optional[BaseException] = None
        try:
            received = self._outputs.receive(-1)
            if received is not None and received[0] is not None:
                self._on_sample(received[0])
        except Closed:
            return False
        except BaseException as error:
            failure = error
        with self._changed:
            self._returned += 1
            self._failure = failure
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._failure is None or self._ending)
            return self._failure is None
