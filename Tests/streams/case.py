"""The definition of a case: a session, its calls, and the expected stream."""
import dataclasses
from fractions import Fraction

FORCE_KEY_FRAME = 1


@dataclasses.dataclass(frozen=True)
class Frame:
    """A frame passed to the session, its times as (value, timescale); duration None: unknown."""

    time: tuple
    duration: tuple = None
    force: bool = False

    def line(self):
        duration = self.duration or (0, 0)
        return f"frame {self.time[0]} {self.time[1]} {duration[0]} {duration[1]} {FORCE_KEY_FRAME if self.force else 0}"

    @property
    def seconds(self):
        return Fraction(*self.time)


@dataclasses.dataclass
class Expected:
    """The expected stream. None: not checked."""

    profiles: tuple = None
    constraints: tuple = ()
    level: int = None
    cabac: bool = None
    # B-frames: "none", "some" or "any".
    b_frames: str = "any"
    # Exactly the frames that are key frames, or only those that must be.
    keys: set = None
    keys_at_least: set = dataclasses.field(default_factory=lambda: {0})
    full_range: bool = False
    primaries: str = None
    transfer: str = None
    matrix: str = None
    pixel_aspect_ratio: str = None
    frame_rate: Fraction = None
    # The maximum bytes of a slice as (from frame, bytes); the last entry that applies counts.
    slice_bytes: list = dataclasses.field(default_factory=list)
    slices: int = None
    # True if filler data is allowed.
    filler: bool = False
    # The bit rate of the entire stream, which may be exceeded by at most a tenth.
    bit_rate: int = None
    # Minimum PSNR in dB: mean of luma, mean of the worse chroma plane, and luma of the worst frame.
    luma: float = 36
    chroma: float = 33
    worst: float = None


@dataclasses.dataclass
class Case:
    name: str
    width: int
    height: int
    script: list
    expected: Expected
    # True if MediaInfo checks the stream too.
    media_info: bool = False

    @property
    def frames(self):
        return [step for step in self.script if isinstance(step, Frame)]

    @property
    def sources(self):
        return [step for step in self.script if hasattr(step, "frame_bytes")]

    @property
    def encoded_size(self):
        return (self.width + 1) & ~1, (self.height + 1) & ~1


def steady(count, scale=30, step=1, start=0, force=(), duration=True):
    """Returns frames of equal duration; `force` contains the numbers of forced key frames."""
    length = (step, scale) if duration else None
    return [Frame((start + index * step, scale), length, index in force) for index in range(count)]
