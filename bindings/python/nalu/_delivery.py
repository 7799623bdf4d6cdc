"""A thread that fetches samples and calls a function with each.

The function does not run on the session's own thread, because encoding would then wait for the interpreter's lock.
"""

from __future__ import annotations

import queue
import threading
import weakref
from typing import Any, Callable, Optional

from ._outputs import Closed, Outputs
from .errors import Error
from .sample import Sample

#: The number of samples that may wait for the function before encode waits.
_ROOM = 32


class Delivery:
    """Calls ``on_sample`` once for each sample, in decode order. After an exception, it makes no call until another method has
    raised it.

    The thread keeps the queue alive, but refers to this object weakly and so to the function: a session whose function refers to
    the session's owner is collected like any other cycle.
    """

    def __init__(self, outputs: Outputs, on_sample: Callable[[Sample], Any]) -> None:
        self._outputs = outputs
        self._on_sample = on_sample
        self._changed = threading.Condition()
        self._returned = 0
        self._failure: Optional[BaseException] = None
        self._ending = False
        self._ended = False
        # Ends the wait after a failure: True continues, False ends. put() is allowed in the callback of a weak reference.
        resumed: "queue.SimpleQueue[bool]" = queue.SimpleQueue()
        self._resumed = resumed
        reference = weakref.ref(self, lambda _: resumed.put(False))
        self._thread = threading.Thread(target=_run, args=(outputs, reference, resumed), name="nalu on_sample", daemon=True)
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
            failure = self._failure
            if failure is not None:
                # This comes first, because Ctrl-C can end the method after any line. The thread then waits no longer, and the
                # failure is kept.
                self._resumed.put(True)
                self._failure = None
            self._changed.notify_all()
        if failure is not None:
            raise failure

    def wait_for_room(self) -> None:
        """Waits while too many samples wait for the function. A failure of the function ends the wait. Does nothing in a forked
        child, which has no thread that delivers."""
        if len(self._outputs) <= _ROOM or self.is_current or not self._outputs.is_of_this_process:
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
            if self._failure is not None:
                self._resumed.put(False)
            self._changed.notify_all()
        if not self.is_current:
            self._thread.join()

    def _deliver(self, sample: Optional[Sample], failure: Optional[BaseException]) -> bool:
        """Calls the function with a sample, if there is one. Returns whether the thread must wait until it is resumed.

        :param failure: the failure of the frame.
        """
        if sample is not None:
            try:
                self._on_sample(sample)
            except BaseException as error:
                failure = error
        with self._changed:
            self._returned += 1
            self._failure = failure
            self._changed.notify_all()
            if failure is not None and self._ending:
                self._resumed.put(False)
            return failure is not None

    def _end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def _run(outputs: Outputs, reference: "weakref.ref[Delivery]", resumed: "queue.SimpleQueue[bool]") -> None:
    """Fetches samples until the session has ended or nothing refers to it."""
    try:
        while _deliver_next(outputs, reference):
            # The references of the delivery are gone while the thread waits.
            if not resumed.get():
                return
    finally:
        delivery = reference()
        if delivery is not None:
            delivery._end()


def _deliver_next(outputs: Outputs, reference: "weakref.ref[Delivery]") -> bool:
    """Delivers samples until one has failed. Returns False at the end of the queue."""
    while True:
        # The previous sample is released before the wait.
        sample: Optional[Sample] = None
        failure: Optional[BaseException] = None
        received = None
        try:
            received = outputs.receive(-1)
        except Closed:
            return False
        except BaseException as error:
            failure = error
        else:
            sample = None if received is None else received[0]
        delivery = reference()
        if delivery is None:
            return False
        if delivery._deliver(sample, failure):
            return True
        del delivery
