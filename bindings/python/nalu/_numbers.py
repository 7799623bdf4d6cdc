"""Checks of whole numbers that a program passes."""

from __future__ import annotations

from typing import Any

from .errors import InvalidValueError, WrongTypeError

#: The highest number of an argument that has no limit of its own.
HIGHEST = 2**62


def whole_number(value: Any, name: str, lowest: int, highest: int = HIGHEST) -> int:
    """Returns the value of an argument as an int. ctypes would cut off the upper bits of a number that is too large.

    >>> whole_number(17, "threads", 1, 16)
    Traceback (most recent call last):
    nalu.errors.InvalidValueError: threads is 17; expected 1 to 16
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WrongTypeError(f"{name} is {type(value).__name__}; expected an int")
    number: int = value.__index__()
    if not lowest <= number <= highest:
        above = "or more" if highest == HIGHEST else f"to {highest}"
        raise InvalidValueError(f"{name} is {number}; expected {lowest} {above}")
    return number
