"""What a case is: a session, what is done with it, and what the stream must be like."""
import dataclasses
from fractions import Fraction

FORCE_KEY_FRAME = 1


@dataclasses.dataclass(frozen=True)
class Frame:
    """A frame handed in, its times as (value, timescale); duration None: not known."""

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
    """None: not looked at."""

    profiles: tuple = None
    constraints: tuple = ()
    level: int = None
    cabac: bool = None
    # "none", "some" or "any" B-frames.
    b_frames: str = "any"
    # The frames that are key frames, and no others; or only those that must be.
    keys: set = None
    keys_at_least: set = dataclasses.field(default_factory=lambda: {0})
    full_range: bool = False
    primaries: str = None
    transfer: str = None
    matrix: str = None
    pixel_aspect_ratio: str = None
    frame_rate: Fraction = None
    # The most bytes in a slice, as (from frame, bytes); of the last entry that applies.
    slice_bytes: list = dataclasses.field(default_factory=list)
    slices: int = None
    # There may be filler data.
    filler: bool = False
    # Bits a second, over the whole stream, that must not be passed by more than a tenth.
    bit_rate: int = None
    # Mean PSNR of luma, of the worse chroma plane, and luma of the worst frame, in dB.
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
    # In MediaInfo's eyes too.
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
    """Frames of one length; `force` holds the numbers of those that are to be key frames."""
    length = (step, scale) if duration else None
    return [Frame((start + index * step, scale), length, index in force) for index in range(count)]
