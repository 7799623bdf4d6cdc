"""The properties that a session adopts from its first frame."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _ffi
from ._warnings import warn
from .errors import Error, WouldBlockError

if TYPE_CHECKING:
    from .session import CompressionSession

_FIELDS = ("FieldCount", "FieldDetail")
#: Properties that are set together. If the session refuses one, the others of its group would be wrong.
_GROUPS = (
    ("ColorPrimaries", "TransferFunction", "YCbCrMatrix", "NaluChromaLocation"),
    ("PixelAspectRatio",),
    _FIELDS,
    ("MasteringDisplayColorVolume",),
    ("ContentLightLevelInfo",),
)
_NAMES = frozenset(name for group in _GROUPS for name in group)
#: x264's options that override these properties. x264 accepts "_" in place of "-".
_OPTIONS = {
    "colorprim": ("ColorPrimaries",),
    "transfer": ("TransferFunction",),
    "colormatrix": ("YCbCrMatrix",),
    "chromaloc": ("NaluChromaLocation",),
    "sar": ("PixelAspectRatio",),
    "mastering-display": ("MasteringDisplayColorVolume",),
    "cll": ("ContentLightLevelInfo",),
}


class Description:
    """Collects the properties that the caller sets, and sets the others from the first frame."""

    __slots__ = ("_adopted", "_asked", "_first", "is_open")

    def __init__(self) -> None:
        self._asked: "set[str]" = set()
        #: The properties of a frame that was refused afterwards.
        self._adopted: "set[str]" = set()
        #: Whether the session has no frame yet.
        self.is_open = True
        # Held from adopting a frame until it is handed in. Two frames must not mix their properties. Reentrant: a frame's own
        # code can run under the lock.
        self._first = threading.RLock()

    def note(self, values: "Mapping[str, Any]") -> None:
        """Notes the properties that a caller has set."""
        self._asked.update(_NAMES.intersection(values))
        options = values.get("x264.params")
        if isinstance(options, str):
            for option in options.split(":"):
                self._asked.update(_OPTIONS.get(option.partition("=")[0].replace("_", "-"), ()))

    def begin(self, session: "CompressionSession", frame: Any, wait: bool) -> bool:
        """Adopts a frame's properties if it is the first. Then returns True, and other threads wait for ``end``."""
        if not self._first.acquire(blocking=wait):
            raise WouldBlockError("another thread is encoding the session's first frame; try again later, or with wait=True", _ffi.WOULD_BLOCK, "WOULD_BLOCK")
        is_first = False
        try:
            if self.is_open:
                self._adopt(session, frame)
                is_first = True
        finally:
            if not is_first:
                self._first.release()
        return is_first

    def end(self, accepted: bool) -> None:
        """Ends a ``begin`` that returned True: the session has accepted the frame or refused it."""
        self.is_open = self.is_open and not accepted
        self._first.release()

    def _adopt(self, session: "CompressionSession", frame: Any) -> None:
        """Sets the properties of a decoded frame that the caller has not set. Warns of those that the session refuses."""
        properties_at = getattr(frame, "_properties_at", None)
        own = {} if properties_at is None else properties_at((session.width, session.height))
        asked = set(self._asked)
        if not asked.isdisjoint(_FIELDS):
            # The chroma of a field does not lie where that of a frame lies.
            asked.update((*_FIELDS, "NaluChromaLocation"))
        for group in _GROUPS:
            values = {name: own.get(name) for name in group if name not in asked and (name in own or name in self._adopted)}
            try:
                session.properties._set(values)
                self._adopted.update(values)
            except Error as error:
                given = ", ".join(f"{name} {value}" for name, value in values.items())
                warn(f"the frame has {given}, which the session does not keep: {error.args[0]}")
