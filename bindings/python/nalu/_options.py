"""The options of one frame as a C struct."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Optional

from . import _ffi
from ._numbers import whole_number
from .errors import InvalidValueError, WrongTypeError


def frame_options(
    flags: int, qp: Optional[int], qp_offsets: Any, acknowledged: Optional[Sequence[int]]
) -> tuple[Any, Any]:
    """Returns nalu_frame_options and the objects that must live as long as it; None and None if all options are defaults."""
    if not flags and qp is None and qp_offsets is None and not acknowledged:
        return None, None
    options = _ffi.nalu_frame_options(struct_size=ctypes.sizeof(_ffi.nalu_frame_options), flags=flags)
    kept: list[Any] = []
    if qp is not None:
        options.base_frame_qp_plus_1 = whole_number(qp, "qp", 0, 51) + 1
    if qp_offsets is not None:
        grid, columns, rows = _grid(qp_offsets)
        kept.append(grid)
        options.qp_offsets = ctypes.addressof(grid)
        options.qp_offset_columns = columns
        options.qp_offset_rows = rows
    if acknowledged:
        try:
            tokens = (ctypes.c_int64 * len(acknowledged))(*acknowledged)
        except TypeError:
            raise WrongTypeError(f"acknowledged is {acknowledged!r}; expected a list of ltr_token numbers") from None
        kept.append(tokens)
        options.acknowledged_ltr_tokens = ctypes.addressof(tokens)
        options.acknowledged_ltr_token_count = len(tokens)
    return options, kept


def _grid(offsets: Any) -> tuple[Any, int, int]:
    """Returns a 2-D array or a list of rows as one array of C floats, with the number of columns and of rows."""
    rows = offsets.tolist() if hasattr(offsets, "tolist") else offsets
    try:
        lines = [[float(number) for number in row] for row in rows]
    except (TypeError, ValueError):
        raise WrongTypeError("qp_offsets is not a grid of numbers; expected a 2-D array or a list of rows") from None
    columns = len(lines[0]) if lines else 0
    if not columns or any(len(line) != columns for line in lines):
        raise InvalidValueError("qp_offsets has no rows, or rows of different lengths; expected rows of equal length")
    return (ctypes.c_float * (columns * len(lines)))(*[number for line in lines for number in line]), columns, len(lines)
