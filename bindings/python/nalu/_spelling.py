"""Replaces C names in the library's error messages by their Python equivalents."""

from __future__ import annotations

import re

_NAMES = {
    "NALU_WRITER_OVERWRITE": "overwrite=True",
    "NALU_WRITER_FRAGMENTED": "fragmented=True",
    "NALU_WRITER_FAST_START": "fast_start=True",
    "NALU_WRITER_START_AT_ZERO": "start_at_zero=True",
    "NALU_WRITER_REPAIR_TIMES": "repair_times=True",
    "NALU_WRITER_PARAMETER_SETS_IN_BAND": "parameter_sets_in_band=True",
    "NALU_READER_SPOOL": "a seekable file",
    "nalu_reader_select_track": "select()",
    "nalu_reader_seek": "seek()",
    "nalu_writer_add_track": "write()",
    "nalu_writer_add_track_from_reader": "add_track_from()",
    "nalu_decompression_session_wait_for_asynchronous_frames": "flush()",
    "nalu_decompression_session_invalidate": "close()",
    "nalu_compression_session_set_multi_pass_storage in nalu/multi_pass.h sets it": "multi_pass_storage= of the session sets it",
    "nalu_property_get_key lists them": "nalu.catalogue() lists them",
    "destination_attributes.pixel_format": "format",
    "destination_attributes.width": "the width of size",
    "destination_attributes.height": "the height of size",
    "options.is_mirrored is 1": "mirrored is True",
    "options.base_frame_qp_plus_1": "qp",
}
_KNOWN = re.compile(
    "|".join(rf"(?<![\w.]){re.escape(name)}(?!\w)" for name in sorted(_NAMES, key=len, reverse=True))
    + r"|(?<![\w.])(?:options|specification|source_attributes)\.(?=[a-z])"
)


def in_python(message: str) -> str:
    """Returns an error message of the library with Python names. Quoted text, such as a path, is unchanged.

    >>> in_python('path "NALU_WRITER_OVERWRITE" exists; expected NALU_WRITER_OVERWRITE, or options.rotation 0')
    'path "NALU_WRITER_OVERWRITE" exists; expected overwrite=True, or rotation 0'
    """
    pieces = message.split('"')
    pieces[::2] = [_KNOWN.sub(lambda found: _NAMES.get(found[0], ""), piece) for piece in pieces[::2]]
    return '"'.join(pieces)


__all__ = ["in_python"]
