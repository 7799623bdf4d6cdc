"""Frames that are not arrays of bytes: floats, 16 bits, tensors, PIL images."""

from __future__ import annotations

import io
import subprocess
import sys

import numpy as np
import pytest
from conftest import encoded, picture

import nalu

FRAME = picture(64, 48)


def stream(frame, **settings) -> bytes:
    return encoded([frame], 64, 48, **settings)


class Tensor:
    """A tensor of another library that supports only DLPack."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __dlpack__(self, **settings):
        return self._values.__dlpack__(**settings)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()


@pytest.mark.parametrize(
    "frame",
    [
        FRAME / 255.0,
        (FRAME / 255.0).astype(np.float32),
        FRAME.astype(np.uint16) * 257,
        (FRAME.astype(np.uint16) * 257).astype(">u2"),
        FRAME.transpose(2, 0, 1),
        np.ascontiguousarray(FRAME.transpose(2, 0, 1)),
        (FRAME / 255.0).transpose(2, 0, 1),
        Tensor(FRAME.copy()),
        Tensor(np.ascontiguousarray((FRAME / 255.0).astype(np.float32).transpose(2, 0, 1))),
    ],
)
def test_the_same_picture_as_another_type_gives_the_same_stream(frame):
    assert stream(frame) == stream(FRAME)


def test_the_same_grey_or_bgr_picture_as_another_type_gives_the_same_stream():
    grey = FRAME[..., 0].copy()
    for form in (grey / 255.0, grey.astype(np.uint16) << 8, grey[None], grey[..., None]):
        assert stream(form) == stream(grey)
    assert stream(FRAME[..., ::-1] / 255.0, format="bgr") == stream(FRAME[..., ::-1].transpose(2, 0, 1), format="bgr") == stream(FRAME)


def test_floats_slightly_above_1_are_clipped_and_larger_ones_refused():
    frame = FRAME / 255.0
    frame[0, 0] = 1.0005
    assert stream(frame)
    frame[0, 0] = 1.01
    with pytest.raises(ValueError, match=r"floats of .* to 1\.01; expected 0 to 1"):
        stream(frame)


# ---- PIL -------------------------------------------------------------------------------------------------------

MODES = ("1", "L", "P", "PA", "LA", "La", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "HSV", "I;16")


def image_of(mode: str):
    image = pytest.importorskip("PIL.Image")
    whole = image.fromarray(FRAME)
    if mode == "I;16":
        return image.fromarray(FRAME[..., 0].astype(np.uint16) << 8)
    for step in {"PA": ("RGBA", "P", "PA"), "La": ("LA", "La"), "RGBa": ("RGBA", "RGBa")}.get(mode, (mode,)):
        whole = whole.convert(step)
    return whole


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_of_a_pil_image_is_encoded_with_its_colours(mode):
    image = image_of(mode)
    assert image.mode == mode
    grey = mode in ("1", "L", "LA", "La", "I;16")
    if mode == "I;16":
        expected = FRAME[..., 0]
    else:
        steps = {"La": ("LA", "L"), "RGBa": ("RGBA", "RGB"), "PA": ("RGBA", "RGB")}.get(mode, ("L" if grey else "RGB",))
        shown = image
        for step in steps:
            shown = shown.convert(step)
        expected = np.asarray(shown)
    assert stream(image) == stream(expected)
    if mode != "I;16":
        colours = np.asarray(expected if not grey else np.repeat(expected[..., None], 3, axis=2))
        assert stream(image, format="rgb") == stream(colours)


def test_a_pil_palette_image_keeps_its_colours():
    image = pytest.importorskip("PIL.Image")
    red = np.zeros((48, 64, 3), np.uint8)
    red[..., 0] = 255
    file = io.BytesIO()
    nalu.write_video(file, [image.fromarray(red).convert("P")] * 3, fps=25, container="mp4")
    file.seek(0)
    frame = next(iter(nalu.read_video(file)))
    assert np.abs(frame.array.astype(int) - (255, 0, 0)).max() <= 6


@pytest.mark.parametrize("mode, remedy", [("F", "* 255"), ("I", ">> 8"), ("LAB", "ImageCms")])
def test_a_pil_mode_without_a_fixed_range_is_refused_with_the_remedy(mode, remedy):
    image = pytest.importorskip("PIL.Image")
    with pytest.raises(nalu.WrongTypeError, match=f"a PIL image of mode '{mode}'") as caught:
        stream(image.new(mode, (64, 48)))
    assert remedy in str(caught.value)
    with pytest.raises(ValueError, match="format is 'bgr', but the frame is a PIL image"):
        stream(image.new("RGB", (64, 48)), format="bgr")


def test_pil_and_numpy_are_not_imported():
    code = "import sys, nalu; print([name for name in ('PIL', 'numpy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
