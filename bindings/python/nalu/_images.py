"""PIL images as frames. The mode of an image determines the meaning of its pixels."""

from __future__ import annotations

from typing import Any, Optional

from .errors import InvalidValueError, WrongTypeError
from .formats import PixelFormat

#: Modes with the memory layout of a pixel format. Alpha is ignored, as in arrays.
_SAME = {"RGB": "rgb", "RGBA": "rgba", "RGBX": "rgba", "L": "gray"}
#: The modes to which PIL converts other modes, step by step. Premultiplied alpha is divided out first.
_STEPS = {
    "1": ("L",),
    "P": ("RGB",),
    "PA": ("RGBA", "RGB"),
    "LA": ("L",),
    "La": ("LA", "L"),
    "RGBa": ("RGBA", "RGB"),
    "CMYK": ("RGB",),
    "YCbCr": ("RGB",),
    "HSV": ("RGB",),
}
_MODES = {"rgb": "RGB", "rgba": "RGBA", "gray": "L"}
_REMEDIES = {
    "LAB": "PIL.ImageCms.profileToProfile(image, PIL.ImageCms.createProfile('LAB'), PIL.ImageCms.createProfile('sRGB'), "
    "outputMode='RGB')",
    "F": "PIL.Image.fromarray((numpy.asarray(image) * 255).astype('uint8')) for values of 0 to 1",
    "I": "PIL.Image.fromarray((numpy.asarray(image) >> 8).astype('uint8')) for values of 0 to 65535",
}


def is_image(frame: Any) -> bool:
    """Returns whether ``frame`` is a PIL image, without importing PIL."""
    return hasattr(frame, "getbands") and isinstance(getattr(frame, "mode", None), str) and hasattr(frame, "convert")


def converted(image: Any, format: Optional[PixelFormat]) -> Any:
    """Returns the image in a mode that a session accepts: the mode of ``format``, or without a format RGB, RGBA or grey."""
    mode: str = image.mode
    if format is not None:
        wanted = _MODES.get(format.name)
        if wanted is None:
            raise InvalidValueError(
                f"format is {format.name!r}, but the frame is a PIL image, which has a mode of its own; expected no format=, or 'rgb'"
            )
        if mode not in _SAME and mode not in _STEPS:
            raise _refusal(mode)
        for step in (*_STEPS.get(mode, ()), wanted):
            image = image if image.mode == step else image.convert(step)
        return image
    if mode in _SAME or mode.startswith("I;16"):
        # Images of 16 bits are read like arrays of uint16.
        return image
    if mode not in _STEPS:
        raise _refusal(mode)
    for step in _STEPS[mode]:
        image = image.convert(step)
    return image


def _refusal(mode: str) -> WrongTypeError:
    remedy = _REMEDIES.get(mode.partition(";")[0], "image.convert('RGB')")
    return WrongTypeError(f"the frame is a PIL image of mode {mode!r}, whose values have no fixed range; expected RGB: {remedy}")


__all__ = ["converted", "is_image"]
