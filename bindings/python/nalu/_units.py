"""Numbers in text, such as "2M", "800k" and "30000/1001"."""

from __future__ import annotations

import math
from typing import Any, Optional

from .errors import InvalidValueError, WrongTypeError

_FACTORS = {"k": 10**3, "m": 10**6, "g": 10**9}


def bits(value: Any, name: str) -> Any:
    """Returns bits per second from a number or from text such as ``"2M"``, ``"2.5m"`` or ``"800k"``.

    >>> bits("2.5M", "bit_rate")
    2500000
    """
    if not isinstance(value, str):
        return value
    from fractions import Fraction

    text = value.strip()
    factor = _FACTORS.get(text[-1:].lower(), 1)
    try:
        number = Fraction(text if factor == 1 else text[:-1]) * factor
    except (ValueError, ZeroDivisionError):
        number = Fraction(0)
    if number <= 0:
        raise InvalidValueError(f"{name} is {value!r}; expected bits per second, such as 2_000_000, '2M' or '800k'")
    return round(number)


def rate(value: str, name: str) -> Any:
    """Returns a number or a fraction from text such as ``"25"``, ``"29.97"`` or ``"30000/1001"``."""
    from fractions import Fraction

    try:
        return float(value) if "." in value else Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise InvalidValueError(f"{name} is {value!r}; expected a number such as 25, '29.97' or '30000/1001'") from None


def crf_options(crf: Any, options: Any) -> Optional[str]:
    """Returns x264's options with a constant rate factor added."""
    if isinstance(crf, bool) or not isinstance(crf, (int, float)):
        raise WrongTypeError(f"crf is {type(crf).__name__}; expected a number of 0 to 51")
    if not (math.isfinite(crf) and 0 <= crf <= 51):
        raise InvalidValueError(f"crf is {crf}; expected 0 (the best) to 51")
    return f"{options}:crf={crf:g}" if options else f"crf={crf:g}"


__all__ = ["bits", "crf_options", "rate"]
