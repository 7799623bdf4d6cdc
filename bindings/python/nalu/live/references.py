"""The frames that the receiver can decode, for acknowledged references (the property ``EnableLTR``)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Optional


class SentFrame:
    """A frame on its way to the receiver."""

    __slots__ = ("abandoned", "acknowledged", "arrived", "first_sent", "number", "packets", "reference", "token")

    def __init__(self, number: int, token: int, reference: Optional[int], packets: int) -> None:
        #: The number of the frame in sending order.
        self.number = number
        #: The ``ltr_token`` of the sample.
        self.token = token
        #: The number of the frame that the frame refers to; None for a key frame.
        self.reference = reference
        #: The number of packets.
        self.packets = packets
        #: The indices of the packets that have arrived.
        self.arrived: set[int] = set()
        #: The time at which the first packet left; None before that.
        self.first_sent: Optional[float] = None
        #: Whether the frame and all frames that it refers to have arrived.
        self.acknowledged = False
        #: Whether a refresh has replaced the frame: its packets are not sent any more.
        self.abandoned = False


class References:
    """Turns arrived packets into acknowledgements, for references and refreshes.

    A frame counts as acknowledged when all its packets have arrived and the frame that it refers to is acknowledged. A refresh
    (``force_ltr_refresh``) abandons every frame that is not acknowledged by then: the receiver may show the refresh first and
    drop them, so they must not become references, even if they arrive.

    :param capacity: the number of frames that are kept.

    >>> references = References()
    >>> key = references.add(token=0, reference=None, packets=1, is_key_frame=True)
    >>> next_frame = references.add(token=1, reference=0, packets=2, is_key_frame=False)
    >>> references.arrived(1, 0); references.arrived(1, 1); references.take_tokens()
    []
    >>> references.arrived(0, 0); references.take_tokens()
    [0, 1]
    """

    def __init__(self, capacity: int = 256) -> None:
        self._capacity = capacity
        self._frames: "OrderedDict[int, SentFrame]" = OrderedDict()
        self._pending: "OrderedDict[int, SentFrame]" = OrderedDict()
        self._numbers: dict[int, int] = {}
        self._tokens: list[int] = []
        self._newest = -1
        self._next = 0

    @property
    def next_number(self) -> int:
        """The number of the next frame."""
        return self._next

    @property
    def newest(self) -> int:
        """The number of the newest acknowledged frame; -1 without one."""
        return self._newest

    @property
    def ahead(self) -> int:
        """The number of frames since the newest acknowledged one."""
        return self._next - 1 - self._newest

    @property
    def oldest(self) -> Optional[SentFrame]:
        """The oldest frame that is neither acknowledged nor abandoned."""
        return next(iter(self._pending.values()), None)

    def add(self, *, token: int, reference: Optional[int], packets: int, is_key_frame: bool) -> SentFrame:
        """Adds the next frame.

        :param token: the ``ltr_token`` of the sample.
        :param reference: the ``ltr_reference`` of the sample.
        :param packets: the number of its packets.
        """
        number = None if is_key_frame or reference is None else self._numbers.get(reference)
        frame = SentFrame(self._next, token, number, packets)
        self._frames[self._next] = self._pending[self._next] = frame
        self._numbers[token] = self._next
        self._next += 1
        while len(self._frames) > self._capacity:
            _, old = self._frames.popitem(last=False)
            self._pending.pop(old.number, None)
            self._numbers.pop(old.token, None)
        return frame

    def find(self, number: int) -> Optional[SentFrame]:
        """Returns the frame of that number; None if it is no longer kept."""
        return self._frames.get(number)

    def wants(self, number: int, index: int) -> bool:
        """Returns whether the receiver still needs a packet of a frame."""
        frame = self._frames.get(number)
        return frame is not None and not frame.abandoned and not frame.acknowledged and index not in frame.arrived

    def arrived(self, number: int, index: int) -> None:
        """Notes that a packet has arrived."""
        frame = self._frames.get(number)
        if frame is None or frame.abandoned:
            return
        frame.arrived.add(index)
        while frame is not None and self._is_complete(frame):
            frame.acknowledged = True
            del self._pending[frame.number]
            self._tokens.append(frame.token)
            self._newest = max(self._newest, frame.number)
            # Frames form a chain, because each refers to one other frame.
            frame = next((later for later in self._pending.values() if later.reference == frame.number and self._is_complete(later)), None)

    def _is_complete(self, frame: SentFrame) -> bool:
        if frame.acknowledged or frame.abandoned or len(frame.arrived) < frame.packets:
            return False
        if frame.reference is None:
            return True
        reference = self._frames.get(frame.reference)
        return reference is not None and reference.acknowledged

    def abandon(self) -> None:
        """Abandons every frame that is not acknowledged, before a refresh."""
        for frame in self._pending.values():
            frame.abandoned = True
        self._pending.clear()

    def take_tokens(self) -> "list[int]":
        """Returns the tokens of frames that were acknowledged since the last call, for ``acknowledged`` of ``encode``."""
        tokens, self._tokens = self._tokens, []
        return tokens
