"""Raw frames in every input format, and the expected decoded pictures. FFmpeg makes both, the latter without Nalu's
arithmetic: zscale (libzimg) converts colours and ranges."""
import dataclasses
import math

from tools import ffmpeg


@dataclasses.dataclass(frozen=True)
class Format:
    """An input format: FFmpeg's name, the kind (420, 422, rgb, gray), and whether it is full range."""

    pixels: str
    kind: str
    full: bool = False

    @property
    def makes_full_range(self):
        """True if a session whose first frame has this format writes a full-range stream."""
        return self.full and self.kind == "420"


FORMATS = {
    "420v": Format("nv12", "420"),
    "420f": Format("nv12", "420", full=True),
    "y420": Format("yuv420p", "420"),
    "f420": Format("yuv420p", "420", full=True),
    "BGRA": Format("bgra", "rgb", full=True),
    "RGBA": Format("rgba", "rgb", full=True),
    "ARGB": Format("argb", "rgb", full=True),
    "ABGR": Format("abgr", "rgb", full=True),
    "24RGB": Format("rgb24", "rgb", full=True),
    "24BGR": Format("bgr24", "rgb", full=True),
    "2vuy": Format("uyvy422", "422"),
    "yuvs": Format("yuyv422", "422"),
    "L008": Format("gray", "gray", full=True),
}


def automatic_matrix(height):
    """Returns the property's default, as the number in ITU-T H.264 table E-5."""
    return 1 if height >= 720 else 6


def _yuv(matrix, suffix=""):
    return f"matrix{suffix}={matrix}:transfer{suffix}=709:primaries{suffix}=709"


def _to_rgb(matrix):
    return f"zscale={_yuv(matrix, 'in')}:rangein=limited:{_yuv('gbr')}:range=full,format=gbrp"


def _from_rgb(matrix, full_range):
    # Nalu places each chroma sample in the middle of its four pixels.
    wanted = "full" if full_range else "limited"
    to_yuv = f"{_yuv('gbr', 'in')}:rangein=full:{_yuv(matrix)}:range={wanted}:chromal=center"
    return f"format=gbrp,zscale={to_yuv},format=yuv420p"


def _to_full(matrix):
    # Frames tagged as limited are not converted by the filters that only move samples.
    return f"zscale={_yuv(matrix, 'in')}:rangein=limited:{_yuv(matrix)}:range=full,format=yuv420p,setparams=range=tv"


@dataclasses.dataclass(frozen=True)
class Raw:
    """Raw frames: the command that writes them to its standard output, and the number of bytes."""

    command: tuple
    size: int


@dataclasses.dataclass(frozen=True)
class Source:
    """Frames for a session: a picture (a .y4m file of limited range, or a `lavfi` source of RGB), cut to `count` frames
    from `start` on, in an input format. `matrix` is the stream's expected matrix."""

    format: str
    picture: str
    width: int
    height: int
    count: int
    matrix: int
    start: int = 0
    # The size of the frames, if they are the top left corner of the picture.
    cut_to: tuple = None

    @property
    def is_rgb_picture(self):
        return not self.picture.endswith(".y4m")

    def input_arguments(self):
        return ["-f", "lavfi", "-i", self.picture] if self.is_rgb_picture else ["-i", self.picture]

    def _cut(self):
        return f"trim=start_frame={self.start}:end_frame={self.start + self.count},setpts=N/25/TB"

    def filters(self):
        """Returns the filters from the picture to the input format."""
        kind = FORMATS[self.format]
        steps = [self._cut()]
        if kind.kind == "rgb":
            steps.append("format=gbrp" if self.is_rgb_picture else _to_rgb(self.matrix))
        elif kind.full:
            steps.append(_to_full(self.matrix))
        if kind.kind == "gray":
            steps.append("extractplanes=y")
        return ",".join(steps + [f"format={kind.pixels}"])

    def _reference_filters(self, width, height, full_range):
        kind = FORMATS[self.format]
        if kind.kind == "rgb":
            steps = [self.filters(), _from_rgb(self.matrix, full_range)]
        elif kind.kind == "gray":
            # This also clips luma to 16...235, the range from which the gray source was made.
            steps = [self._cut(), "lutyuv=u=128:v=128"] + ([_to_full(self.matrix)] if full_range else [])
        else:
            steps = [self._cut()] + ([_to_full(self.matrix)] if full_range else [])
        if self.cut_to:
            # An odd size becomes even by repeating the last column or row.
            columns, rows = width - self.cut_to[0], height - self.cut_to[1]
            steps += ["format=yuv420p", f"crop={width}:{height}:0:0",
                      f"fillborders=right={columns}:bottom={rows}:mode=smear"]
        elif (width, height) != (self.width, self.height):
            method = "area" if width < self.width else "bilinear"
            steps.append(f"scale={width}:{height}:flags={method}+accurate_rnd")
        return ",".join(steps + ["format=yuv420p"])

    def _raw(self, filters, frame_bytes):
        arguments = ffmpeg(*self.input_arguments(), "-vf", filters, "-fps_mode", "passthrough", "-f", "rawvideo", "-")
        return Raw(tuple(arguments), frame_bytes * self.count)

    def frame_bytes(self):
        half = (self.width + 1) // 2
        return {
            "420": self.width * self.height + 2 * half * ((self.height + 1) // 2),
            "422": 4 * half * self.height,
            "rgb": self.width * self.height * (3 if self.format.startswith("24") else 4),
            "gray": self.width * self.height,
        }[FORMATS[self.format].kind]

    def frames(self):
        return self._raw(self.filters(), self.frame_bytes())

    def reference(self, width, height, full_range):
        """Returns the expected pictures of the stream, as planes of 4:2:0 in its range."""
        return self._raw(self._reference_filters(width, height, full_range), width * height * 3 // 2)


def crop_planes(frame, format, width, height, new_width, new_height):
    """Returns the top left corner of a raw frame, as a frame of a smaller, possibly odd size."""

    def crop(plane, stride, row, rows):
        return b"".join(plane[index * stride:index * stride + row] for index in range(rows))

    kind = FORMATS[format].kind
    if kind == "gray":
        return crop(frame, width, new_width, new_height)
    if kind == "rgb":
        size = 3 if format.startswith("24") else 4
        return crop(frame, width * size, new_width * size, new_height)
    if kind == "422":
        return crop(frame, width * 2, (new_width + 1) // 2 * 4, new_height)
    luma = crop(frame, width, new_width, new_height)
    half, new_half, new_rows = width // 2, (new_width + 1) // 2, (new_height + 1) // 2
    chroma = frame[width * height:]
    if FORMATS[format].pixels == "nv12":
        return luma + crop(chroma, width, new_half * 2, new_rows)
    quarter = half * (height // 2)
    return luma + crop(chroma[:quarter], half, new_half, new_rows) + crop(chroma[quarter:], half, new_half, new_rows)


def decibels(mean_squared_error):
    return 99.0 if mean_squared_error <= 0 else 10 * math.log10(255 * 255 / mean_squared_error)
