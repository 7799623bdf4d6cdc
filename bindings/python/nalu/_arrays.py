"""Conversion of arrays to frames: floats of 0 to 1, RGB with 16 bits, arrays with the colour axis first, tensors of other
libraries."""

from __future__ import annotations

import importlib
from typing import Any, Optional

from .errors import InvalidValueError, WrongTypeError
from .formats import PixelFormat

#: The tolerance for rounding errors in values of 0 to 1.
_TOLERANCE = 1e-3


def _numpy(what: str) -> Any:
    try:
        return importlib.import_module("numpy")
    except ModuleNotFoundError:
        raise WrongTypeError(f"{what}, which needs numpy; install the package numpy") from None
    except ImportError as error:
        raise WrongTypeError(f"{what}, which needs numpy, but numpy cannot be imported: {error}") from error


def array(owner: Any, what: str) -> Any:
    """Returns a numpy array of an object without the buffer protocol, such as a PIL image or a tensor in main memory."""
    name = type(owner).__name__
    if not any(hasattr(owner, each) for each in ("__array_interface__", "__array__", "__dlpack__")):
        raise WrongTypeError(f"{what} is {name}; expected an array, an object with the buffer protocol, or a tuple of planes")
    numpy = _numpy(f"{what} is {name}")
    try:
        if hasattr(owner, "__array_interface__") or hasattr(owner, "__array__"):
            return numpy.asarray(owner)
        return numpy.from_dlpack(owner)
    except Exception as error:
        # Other libraries raise exceptions of any type, for example for a tensor on a graphics card or an array of dates.
        raise WrongTypeError(f"{what} is {name}, which cannot be read as an array: {error}") from error


def as_bytes(values: Any, format: Optional[PixelFormat]) -> Any:
    """Returns an array as a frame of 8 bits, with the colour axis last. An array that matches ``format``, or that is neither
    floats nor uint16, keeps its values."""
    kind, shape = values.dtype.kind, values.shape
    if len(shape) == 3 and shape[0] in (1, 3, 4) and shape[2] not in (1, 2, 3, 4) and (format is None or format.planes == 1):
        values = values.transpose(1, 2, 0)
    if kind == "f" and (format is None or format.planes == 1):
        return _from_floats(values)
    if kind == "u" and values.dtype.itemsize == 2 and (format is None or format.item_bytes == 1):
        numpy = importlib.import_module("numpy")
        return (values >> 8).astype(numpy.uint8)
    return values


def _from_floats(values: Any) -> Any:
    numpy = importlib.import_module("numpy")
    if values.size == 0:
        return values
    least, most = values.min(), values.max()
    if not (least >= -_TOLERANCE and most <= 1 + _TOLERANCE):
        raise InvalidValueError(
            f"the frame has floats of {float(least):g} to {float(most):g}; expected 0 to 1; convert values of 0 to 255 to bytes with "
            "frame.clip(0, 255).astype('uint8')"
        )
    return (values.clip(0, 1) * 255 + 0.5).astype(numpy.uint8)


__all__ = ["array", "as_bytes"]
