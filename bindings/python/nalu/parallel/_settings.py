"""What all chunks of a film have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Optional, Union

from .. import _ffi
from ..encoders import encoders
from ..errors import InvalidValueError, WrongTypeError
from ..passes import MultiPassStorage
from ..properties import PropertyValue
from ..session import CompressionSession

#: Of x264.params: the bytes of a chunk must not depend on where it is encoded. Otherwise each kind of processor has other bytes,
#: and x264's macroblock tree for AVX-512 (core 164) reads memory that it has not written.
_INDEPENDENT = "cpu-independent=1"
_OURS = ("threads", "sliced-threads", "lookahead-threads", "sync-lookahead", "cpu-independent")
#: A chunk may need so much more than the mean, and the level must hold it.
_PEAK = 4
_HIGHEST_RATE = 2_000_000_000
#: Shares of a limit, as libnalu has them (SeamShares.swift): the steady rate of a chunk with neighbours, and all that is planned.
_FLOW = 0.77
_PLANNED = 0.97
#: Kilobits per second of the levels that a ProfileLevel can name, times ten (ITU-T H.264 table A-1); in High, 1.25 times as many.
_KILOBITS = {
    10: 64, 11: 192, 12: 384, 13: 768, 20: 2_000, 21: 4_000, 22: 4_000, 30: 10_000, 31: 14_000, 32: 20_000, 40: 20_000,
    41: 50_000, 42: 50_000, 50: 135_000, 51: 240_000, 52: 240_000,
}  # fmt: skip
_FIXED_LEVELS = (30, 31, 32, 40, 41, 42, 50, 51, 52)


@dataclass(frozen=True)
class Settings:
    """How every chunk is encoded. Made by :func:`plan`."""

    width: int
    height: int
    #: Bits per second, of the whole film.
    bit_rate: int
    #: Of the frames; None if they bring their own.
    format: Optional[str] = None
    #: Frames per second, as a numerator and a denominator.
    frame_rate: Optional[tuple[int, int]] = None
    preset: Optional[str] = None
    #: Property names and values.
    properties: tuple[tuple[str, PropertyValue], ...] = ()

    @property
    def limits(self) -> tuple[float, ...]:
        """``DataRateLimits``, which hold for the whole film."""
        limits = dict(self.properties).get("DataRateLimits")
        return tuple(limits) if isinstance(limits, (list, tuple)) else ()

    @property
    def highest_rate(self) -> Optional[int]:
        """Bits per second that the level holds; None where it is not fixed."""
        found = re.fullmatch(r"H264_(Baseline|Main|High)_(\d)_(\d)", str(dict(self.properties).get("ProfileLevel")))
        if found is None:
            return None
        return _KILOBITS[10 * int(found[2]) + int(found[3])] * (1250 if found[1] == "High" else 1000)

    @property
    def highest_flow(self) -> Optional[float]:
        """Bits per second that a chunk with neighbours can have within ``DataRateLimits``; None without them.

        See "DataRateLimits over seams" in docs/chunks.md.
        """
        limits = self.limits
        frame = 1 / 30 if self.frame_rate is None else self.frame_rate[1] / self.frame_rate[0]
        flows = (
            min(_FLOW, _PLANNED / (1 + 3.5 * frame / seconds)) * 8 * count / seconds
            for count, seconds in zip(limits[::2], limits[1::2])
            if count > 0 and seconds > 0
        )
        return min(flows, default=None)

    def session(
        self, storage: Optional[MultiPassStorage], *, bit_rate: Optional[int] = None, is_first: bool, is_last: bool
    ) -> CompressionSession:
        """A session for one chunk."""
        properties: dict[str, PropertyValue] = dict(self.properties)
        if not is_first:
            properties["MoreFramesBeforeStart"] = True
        if not is_last:
            properties["MoreFramesAfterEnd"] = True
        return CompressionSession(
            self.width,
            self.height,
            frame_rate=None if self.frame_rate is None else Fraction(*self.frame_rate),
            bit_rate=self.bit_rate if bit_rate is None else bit_rate,
            preset=self.preset,
            properties=properties,
            format=self.format,
            multi_pass_storage=storage,
        )

    def checked(self) -> "Settings":
        """The same with a fixed level, after a session has accepted them: a mistake is raised here, not by a worker."""
        with MultiPassStorage() as storage, self.session(storage, is_first=False, is_last=False) as session:
            session.begin_pass()
            profile = str(session["ProfileLevel"])
        if not profile.endswith("_AutoLevel"):
            return self
        name = profile[: -len("AutoLevel")]
        if name not in ("H264_Baseline_", "H264_Main_", "H264_High_"):
            return self
        level = self._level()
        properties = {**dict(self.properties), "ProfileLevel": f"{name}{level // 10}_{level % 10}"}
        fixed = replace(self, properties=tuple(properties.items()))
        highest = fixed.highest_rate
        if highest is not None and self.bit_rate > highest:
            raise InvalidValueError(f"bit_rate is {self.bit_rate}; expected at most {highest}, which {properties['ProfileLevel']} holds")
        return fixed

    def _level(self) -> int:
        """The lowest level that holds every chunk, times ten."""
        with self.session(None, bit_rate=min(self.bit_rate * _PEAK, _HIGHEST_RATE), is_first=True, is_last=True) as session:
            picture = bytes(self.width * self.height + 2 * ((self.width + 1) // 2) * ((self.height + 1) // 2))
            samples = session.encode(picture, 0 if self.frame_rate else 0.0, format="i420") + session.flush()
            if not samples:
                raise InvalidValueError(
                    f"DataRateLimits leave no room for a picture of {self.width}x{self.height}; expected larger ones"
                )
            needed = samples[0].format_description.sequence.level_idc
        return next((level for level in _FIXED_LEVELS if level >= needed), _FIXED_LEVELS[-1])


def version() -> str:
    """What gives the bytes of a chunk, and must be the same for all."""
    name = _ffi.fast.nalu_version_string().decode("ascii")
    return f"Nalu {name} with {', '.join(encoder.name for encoder in encoders())}"


def merged(*mappings: Union[Mapping[str, PropertyValue], None]) -> tuple[tuple[str, PropertyValue], ...]:
    """Properties, later ones over earlier ones, with what makes the bytes the same everywhere."""
    properties: dict[str, PropertyValue] = {}
    options: list[str] = []
    for each in mappings:
        for name, value in (each or {}).items():
            if name == "x264.params":
                options.append(str(value))
            else:
                properties[name] = value
    text = ":".join(option for option in options if option)
    for option in text.split(":"):
        if option.split("=")[0].strip() in _OURS:
            raise InvalidValueError(f"x264.params has {option!r}; expected none of {', '.join(_OURS)}, which nalu.parallel sets")
    properties["x264.params"] = ":".join(filter(None, (text, "threads=1", _INDEPENDENT)))
    return tuple(properties.items())


def number(value: Any, name: str, lowest: int, highest: int = 2**62) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise WrongTypeError(f"{name} is {type(value).__name__}; expected an int")
    result: int = value.__index__()
    if not lowest <= result <= highest:
        above = "or more" if highest == 2**62 else f"to {highest}"
        raise InvalidValueError(f"{name} is {result}; expected {lowest} {above}")
    return result
