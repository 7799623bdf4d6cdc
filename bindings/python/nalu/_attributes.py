"""Errors for attributes that do not exist; the message names the attribute or property that the program probably means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .properties import catalogue

#: The property of each session argument, and of names in other packages, that is spelled differently.
_ARGUMENTS = {
    "bit_rate": "AverageBitRate",
    "bitrate": "AverageBitRate",
    "fps": "ExpectedFrameRate",
    "frame_rate": "ExpectedFrameRate",
    "framerate": "ExpectedFrameRate",
    "preset": "x264.preset",
    "gop_size": "MaxKeyFrameInterval",
    "keyint": "MaxKeyFrameInterval",
    "max_b_frames": "AllowFrameReordering",
}


def property_named(attribute: str) -> str:
    """Returns the property that an attribute's name means, or "".

    >>> property_named("max_key_frame_interval")
    'MaxKeyFrameInterval'
    """
    found = _ARGUMENTS.get(attribute.lower())
    if found is not None:
        return found
    import difflib

    words = attribute.replace("_", "").lower()
    plain = {name.lower().replace(".", "").replace("nalu", "", 1): name for name in catalogue()}
    plain.update({name.lower(): name for name in catalogue()})
    near = difflib.get_close_matches(words, plain, 1, 0.9)
    return plain[near[0]] if near else ""


class Strict:
    """A base class with fixed attributes: any other attribute raises an AttributeError that names the property of that name."""

    __slots__ = ()

    #: The expression in the message that is indexed with a property's name.
    _place = "session"

    # Hidden from type checkers, which would otherwise accept every attribute.
    if not TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None:
            try:
                object.__setattr__(self, name, value)
            except AttributeError:
                if isinstance(getattr(type(self), name, None), property):
                    raise AttributeError(f"{name} of a {type(self).__name__} is read-only") from None
                raise AttributeError(self._missing(name, " = \u2026")) from None

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(self._missing(name, ""))

    def _missing(self, name: str, assignment: str) -> str:
        message = f"a {type(self).__name__} has no attribute {name!r}"
        if name.startswith("_"):
            return message
        meant = property_named(name)
        if meant:
            return f'{message}; expected {self._place}["{meant}"]{assignment}'
        return f'{message}; properties are {self._place}["AverageBitRate"] and so on, and nalu.catalogue() lists them'


class Guessed:
    """A base class whose AttributeError names Nalu's equivalent of an attribute of another package."""

    __slots__ = ()

    #: Nalu's equivalents of attributes in other packages, by name.
    _remedies: "dict[str, str]" = {}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            remedy = self._remedies.get(name)
            hint = f"; expected {remedy}" if remedy else ""
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}{hint}")


__all__ = ["Guessed", "Strict", "property_named"]
