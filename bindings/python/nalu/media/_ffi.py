"""The headers of libnalumedia as ctypes sees them: struct layouts, constants, prototypes.

The library is loaded by the first call of :func:`library`, so that a program that only encodes never loads FFmpeg.
"""

from __future__ import annotations

import ctypes
import threading
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any, NamedTuple, Optional

from .. import _ffi, _library

# ---- media/writer.h --------------------------------------------------------------------------------------------

WRITER_OVERWRITE = 1 << 0
WRITER_FRAGMENTED = 1 << 1
WRITER_FAST_START = 1 << 2
WRITER_START_AT_ZERO = 1 << 3


class nalu_writer_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("fragment_duration", c_double),
        ("creation_time", c_int64),
    ]


class nalu_writer_track_options(Structure):
    _fields_ = [("struct_size", c_uint32), ("rotation", c_int32), ("timescale", c_int32), ("reserved", c_uint32)]


#: nalu_writer_write_callback and nalu_writer_seek_callback.
write_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)
seek_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_int64)

#: The structs whose layout the tests compare with C.
STRUCTS: dict[str, Any] = {kind.__name__: kind for kind in (nalu_writer_options, nalu_writer_track_options)}

# ---- Prototypes ------------------------------------------------------------------------------------------------

_handle = c_void_p
_status = c_int32

#: Function: result and arguments. Functions that this package does not call are not here.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "nalu_writer_create_with_path": (_status, [c_char_p, c_char_p, POINTER(nalu_writer_options), POINTER(_handle)]),
    "nalu_writer_create_with_file_descriptor": (
        _status,
        [c_int32, c_char_p, POINTER(nalu_writer_options), POINTER(_handle)],
    ),
    "nalu_writer_create_with_callbacks": (
        _status,
        [c_void_p, c_void_p, c_void_p, c_void_p, c_char_p, POINTER(nalu_writer_options), POINTER(_handle)],
    ),
    "nalu_writer_release": (None, [_handle]),
    "nalu_writer_add_track": (_status, [_handle, _handle, POINTER(nalu_writer_track_options), POINTER(c_uint32)]),
    "nalu_writer_write_sample": (_status, [_handle, c_uint32, _handle]),
    "nalu_writer_finish": (_status, [_handle]),
}


class Library(NamedTuple):
    """libnalumedia twice: for calls that give up the interpreter's lock, and for short ones that keep it."""

    # The loaded library has attributes for whatever is asked: hence Any.
    lib: Any
    fast: Any


_loaded: Optional[Library] = None
_loading = threading.Lock()


def library() -> Library:
    """libnalumedia, loaded by the first call. Raises LibraryNotFoundError when it or FFmpeg is not there."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                found = Library(*_library.load_media(_ffi.lib._name))
                for each in found:
                    _ffi.declare(each, PROTOTYPES, "libnalumedia")
                _loaded = found
    return _loaded
