"""The headers of nalu/media in ctypes: struct layouts, constants and prototypes.

The first call of :func:`library` loads FFmpeg's libraries, so that a program that only encodes never loads them.
"""

from __future__ import annotations

import ctypes
import threading
from ctypes import (
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, NamedTuple, Optional

from .. import _ffi, _library
from .._ffi import (
    handle,
    nalu_compression_session_p,
    nalu_delay,
    nalu_format_description_p,
    nalu_pixel_buffer_p,
    nalu_sample_p,
    nalu_time,
    nalu_timebase_p,
)

# ---- Handles ---------------------------------------------------------------------------------------------------

nalu_audio_encoder_p = handle("nalu_audio_encoder")
nalu_writer_p = handle("nalu_writer")
nalu_publisher_p = handle("nalu_publisher")
nalu_reader_p = handle("nalu_reader")
nalu_decompression_session_p = handle("nalu_decompression_session")
nalu_display_queue_p = handle("nalu_display_queue")
nalu_chunk_plan_p = handle("nalu_chunk_plan")
nalu_chunk_result_p = handle("nalu_chunk_result")
nalu_chunk_stream_p = handle("nalu_chunk_stream")

# ---- media/audio_encoder.h -------------------------------------------------------------------------------------

AUDIO_INT16 = 1
AUDIO_FLOAT32 = 2


class nalu_audio_encoder_options(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("bit_rate", c_int64)]


class nalu_audio_encoder_counts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("frames_in", c_uint64),
        ("frames_out", c_uint64),
        ("inserted_frames", c_uint64),
        ("dropped_frames", c_uint64),
        ("offset", c_double),
    ]


# ---- media/chunk_plan.h ----------------------------------------------------------------------------------------

CHUNK_CUT_KEY_FRAMES = 0
CHUNK_CUT_SCENES = 1
CHUNK_CUT_EQUAL = 2
CHUNK_SCALES = 1 << 0


class nalu_chunk_frame(Structure):
    _fields_ = [
        ("width", c_int32),
        ("height", c_int32),
        ("format", c_uint32),
        ("plane_count", c_uint32),
        ("planes", c_void_p * 3),
        ("strides", c_int64 * 3),
        ("plane_sizes", c_uint64 * 3),
    ]


#: The types nalu_chunk_open_callback and nalu_chunk_frame_callback.
chunk_open_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, POINTER(nalu_reader_p))
chunk_frame_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_uint64, POINTER(nalu_chunk_frame))


class nalu_chunk_source(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("format", c_uint32),
        ("name", c_char_p),
        ("open", c_void_p),
        ("frame", c_void_p),
        ("refcon", c_void_p),
        ("frame_count", c_uint64),
        ("frame_rate_numerator", c_int32),
        ("frame_rate_denominator", c_int32),
    ]


class nalu_chunk_plan_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("cut", c_int32),
        ("bit_rate", c_int64),
        ("chunk_count", c_uint32),
        ("property_count", c_uint32),
        ("chunk_duration", nalu_time),
        ("width", c_int32),
        ("height", c_int32),
        ("preset", c_char_p),
        ("properties", POINTER(_ffi.nalu_property)),
    ]


class nalu_chunk(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("number", c_uint32),
        ("count", c_uint32),
        ("begin", nalu_time),
        ("end", nalu_time),
        ("seconds", c_double),
        ("width", c_int32),
        ("height", c_int32),
        ("format", c_uint32),
        ("limit_count", c_uint32),
        ("limits", c_double * 4),
        ("bit_rate", c_int64),
        ("highest_rate", c_int64),
        ("properties", c_char_p),
    ]


# ---- media/chunk_work.h ----------------------------------------------------------------------------------------

CHUNK_WORK_LIMITS_OVER_SEAMS = 1 << 0
CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS = 1 << 0


class nalu_chunk_result_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("stage", c_int32),
        ("number", c_uint32),
        ("pass_count", c_uint32),
        ("frame_count", c_uint64),
        ("damaged_frame_count", c_uint64),
        ("bits", c_uint64),
        ("duration", nalu_time),
    ]


class nalu_chunk_work_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("directory", c_char_p),
        ("progress", c_void_p),
        ("refcon", c_void_p),
    ]


#: The types nalu_chunk_progress_callback and nalu_chunk_first_pass_callback.
chunk_progress_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_double)
chunk_first_pass_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_size_t, POINTER(nalu_chunk_result_p))

# ---- media/cut.h -----------------------------------------------------------------------------------------------

CUT_OVERWRITE = 1 << 0


class nalu_cut_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("start", nalu_time),
        ("end", nalu_time),
        ("container", c_char_p),
        ("format", c_char_p),
        ("progress", c_void_p),
        ("refcon", c_void_p),
    ]


class nalu_cut_result(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("left_out_tracks", c_uint32),
        ("copied_frames", c_uint64),
        ("encoded_frames", c_uint64),
        ("hidden_frames", c_uint64),
    ]


#: The type nalu_cut_progress_callback.
cut_progress_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_double)

# ---- media/writer.h --------------------------------------------------------------------------------------------

WRITER_OVERWRITE = 1 << 0
WRITER_FRAGMENTED = 1 << 1
WRITER_FAST_START = 1 << 2
WRITER_START_AT_ZERO = 1 << 3
WRITER_REPAIR_TIMES = 1 << 4
WRITER_PARAMETER_SETS_IN_BAND = 1 << 5


class nalu_writer_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("fragment_duration", c_double),
        ("creation_time", c_int64),
    ]


class nalu_writer_track_options(Structure):
    _fields_ = [("struct_size", c_uint32), ("rotation", c_int32), ("timescale", c_int32), ("is_mirrored", c_int32)]


class nalu_writer_counts(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("repaired_decode_times", c_uint64),
        ("moved_presentation_times", c_uint64),
        ("moved_packets", c_uint64),
        ("left_out_packets", c_uint64),
    ]


#: The types nalu_writer_write_callback and nalu_writer_seek_callback.
write_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_size_t)
seek_callback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_int64)

# ---- media/publisher.h -----------------------------------------------------------------------------------------

PUBLISHER_NEVER_SKIP_FRAMES = 1 << 0
PUBLISHER_ALLOW_LTR_REFRESH = 1 << 1
PUBLISHER_ALLOW_ANY_CERTIFICATE = 1 << 2


class nalu_publisher_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("maximum_delay", c_double),
        ("connect_timeout", c_double),
        ("stall_timeout", c_double),
        ("reconnect_delay", c_double),
        ("maximum_reconnect_delay", c_double),
        ("attempt_limit", c_int32),
        ("reserved", c_uint32),
        ("minimum_bit_rate", c_int64),
        ("maximum_bit_rate", c_int64),
    ]


class nalu_publisher_statistics(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("state", c_int32),
        ("queue_delay", c_double),
        ("longest_queue_delay", c_double),
        ("queued_bytes", c_uint64),
        ("throughput", c_double),
        ("round_trip", c_double),
        ("bit_rate", c_int64),
        ("sent_samples", c_uint64),
        ("sent_bytes", c_uint64),
        ("dropped_samples", c_uint64),
        ("skipped_frames", c_uint64),
        ("reconnects", c_uint64),
    ]


class nalu_publisher_advice(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("skips_frame", c_int32),
        ("frame_flags", c_uint32),
        ("reserved", c_uint32),
        ("acknowledged_ltr_token", c_int64),
    ]


#: The type nalu_publisher_callback.
publisher_callback = ctypes.CFUNCTYPE(None, c_void_p, c_int32, POINTER(nalu_publisher_statistics))

# ---- media/reader.h --------------------------------------------------------------------------------------------

TRACK_READABLE = 1 << 0
TRACK_SELECTED = 1 << 1
TRACK_DEFAULT = 1 << 2
TRACK_ENCRYPTED = 1 << 3

MEDIA_TYPE_VIDEO = 0x76696465
MEDIA_TYPE_AUDIO = 0x736F756E
MEDIA_TYPE_SUBTITLE = 0x7362746C


class nalu_reader_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("frame_duration", nalu_time),
        ("format", c_char_p),
        ("maximum_pixel_count", c_int64),
    ]


class nalu_reader_track(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("media_type", c_uint32),
        ("codec", c_uint32),
        ("codec_name", c_char_p),
        ("language", c_char * 4),
        ("timescale", c_int32),
        ("start_time", nalu_time),
        ("duration", nalu_time),
        ("bit_rate", c_int64),
        ("sample_count", c_uint64),
        ("width", c_int32),
        ("height", c_int32),
        ("rotation", c_int32),
        ("is_mirrored", c_int32),
        ("transform", c_double * 6),
        ("pixel_aspect_ratio_horizontal", c_int32),
        ("pixel_aspect_ratio_vertical", c_int32),
        ("nominal_frame_rate", c_double),
        ("sample_rate", c_uint32),
        ("channel_count", c_uint32),
    ]


READER_IGNORE_EDIT_LIST = 1 << 0
READER_SPOOL = 1 << 1

#: The type nalu_reader_read_callback; nalu_reader_seek_callback equals nalu_writer_seek_callback.
read_callback = ctypes.CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)

# ---- media/decompression_session.h -----------------------------------------------------------------------------

DECODE_INFO_FRAME_DROPPED = 1 << 1
DECODE_INFO_IMAGE_BUFFER_MODIFIABLE = 1 << 2
DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED = 1 << 3
DECODE_INFO_DAMAGED = 1 << 16
DECODE_INFO_INTERLACED = 1 << 17
DECODE_INFO_BOTTOM_FIELD_FIRST = 1 << 18

DECODE_FRAME_ASYNCHRONOUS = 1 << 0
DECODE_FRAME_DO_NOT_OUTPUT = 1 << 1

DECODER_DROP_UNTIL_KEY_FRAME = 1 << 0
DECODER_LOW_DELAY = 1 << 1


class nalu_decoder_specification(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("require_hardware_accelerated_video_decoder", c_uint32),
        ("flags", c_uint32),
        ("thread_count", c_int32),
        ("maximum_pixel_count", c_int64),
    ]


class nalu_destination_attributes(Structure):
    _fields_ = [("struct_size", c_uint32), ("pixel_format", c_uint32), ("width", c_int32), ("height", c_int32)]


#: The type nalu_decompression_output_callback.
decompression_output_callback = ctypes.CFUNCTYPE(
    None, c_void_p, c_void_p, c_int32, c_uint32, nalu_pixel_buffer_p, nalu_time, nalu_time
)

# ---- media/delay.h, media/display_queue.h ----------------------------------------------------------------------

DISPLAY_EVENT_PREROLLED = 1
DISPLAY_EVENT_ENDED = 2
DISPLAY_EVENT_FAILED = 3
DISPLAY_QUEUE_LOW_DELAY = 1 << 0
DISPLAY_IMMEDIATELY = 1 << 0

#: The types nalu_display_callback, nalu_display_event_callback and nalu_display_request_callback.
display_callback = ctypes.CFUNCTYPE(None, c_void_p, nalu_pixel_buffer_p, c_uint32, nalu_time, nalu_time)
display_event_callback = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_int32)
display_request_callback = ctypes.CFUNCTYPE(None, c_void_p)


class nalu_display_queue_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("sample_capacity", c_int32),
        ("picture_capacity", c_int32),
        ("preroll_count", c_int32),
        ("thread_count", c_int32),
        ("maximum_pixel_count", c_int64),
        ("pixel_format", c_uint32),
        ("reserved", c_uint32),
    ]


class nalu_display_queue_statistics(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("is_prerolled", c_uint32),
        ("accepted_samples", c_uint64),
        ("shown_pictures", c_uint64),
        ("late_pictures", c_uint64),
        ("failed_samples", c_uint64),
        ("flushed_samples", c_uint64),
        ("waiting_samples", c_uint64),
        ("waiting_pictures", c_uint64),
        ("receive", nalu_delay),
        ("decode", nalu_delay),
        ("show", nalu_delay),
        ("lateness", nalu_delay),
    ]


#: The structs whose layout tests compare with C.
STRUCTS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        nalu_audio_encoder_options,
        nalu_audio_encoder_counts,
        nalu_chunk_frame,
        nalu_chunk_source,
        nalu_chunk_plan_options,
        nalu_chunk,
        nalu_chunk_result_info,
        nalu_chunk_work_options,
        nalu_cut_options,
        nalu_cut_result,
        nalu_writer_options,
        nalu_writer_track_options,
        nalu_writer_counts,
        nalu_publisher_options,
        nalu_publisher_statistics,
        nalu_publisher_advice,
        nalu_reader_options,
        nalu_reader_track,
        nalu_decoder_specification,
        nalu_destination_attributes,
        nalu_display_queue_options,
        nalu_display_queue_statistics,
    )
}

# ---- Prototypes ------------------------------------------------------------------------------------------------

_status = c_int32

#: The result and argument types of each function that this package calls.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "nalu_audio_encoder_create": (
        _status,
        [c_int32, c_int32, POINTER(nalu_audio_encoder_options), POINTER(nalu_audio_encoder_p)],
    ),
    "nalu_audio_encoder_release": (None, [nalu_audio_encoder_p]),
    "nalu_audio_encoder_get_format_description": (nalu_format_description_p, [nalu_audio_encoder_p]),
    "nalu_audio_encoder_encode": (_status, [nalu_audio_encoder_p, c_void_p, c_size_t, c_uint32, nalu_time]),
    "nalu_audio_encoder_next_sample": (_status, [nalu_audio_encoder_p, POINTER(nalu_sample_p)]),
    "nalu_audio_encoder_finish": (_status, [nalu_audio_encoder_p]),
    "nalu_audio_encoder_get_counts": (_status, [nalu_audio_encoder_p, POINTER(nalu_audio_encoder_counts)]),
    "nalu_writer_create_with_path": (_status, [c_char_p, c_char_p, POINTER(nalu_writer_options), POINTER(nalu_writer_p)]),
    "nalu_writer_create_with_file_descriptor": (
        _status,
        [c_int32, c_char_p, POINTER(nalu_writer_options), POINTER(nalu_writer_p)],
    ),
    "nalu_writer_create_with_callbacks": (
        _status,
        [c_void_p, c_void_p, c_void_p, c_void_p, c_char_p, POINTER(nalu_writer_options), POINTER(nalu_writer_p)],
    ),
    "nalu_writer_release": (None, [nalu_writer_p]),
    "nalu_writer_add_track": (
        _status,
        [nalu_writer_p, nalu_format_description_p, POINTER(nalu_writer_track_options), POINTER(c_uint32)],
    ),
    "nalu_writer_add_track_from_reader": (_status, [nalu_writer_p, nalu_reader_p, c_uint32, POINTER(c_uint32)]),
    "nalu_writer_write_sample": (_status, [nalu_writer_p, c_uint32, nalu_sample_p]),
    "nalu_writer_get_counts": (_status, [nalu_writer_p, POINTER(nalu_writer_counts)]),
    "nalu_writer_finish": (_status, [nalu_writer_p]),
    "nalu_publisher_create": (
        _status,
        [c_char_p, POINTER(nalu_publisher_options), c_void_p, c_void_p, c_void_p, POINTER(nalu_publisher_p)],
    ),
    "nalu_publisher_release": (None, [nalu_publisher_p]),
    "nalu_publisher_wait_until_connected": (_status, [nalu_publisher_p, c_double]),
    "nalu_publisher_add_track": (_status, [nalu_publisher_p, nalu_format_description_p, POINTER(c_uint32)]),
    "nalu_publisher_add_track_from_reader": (_status, [nalu_publisher_p, nalu_reader_p, c_uint32, POINTER(c_uint32)]),
    "nalu_publisher_write_sample": (_status, [nalu_publisher_p, c_uint32, nalu_sample_p]),
    "nalu_publisher_prepare_frame": (
        _status,
        [nalu_publisher_p, nalu_compression_session_p, POINTER(nalu_publisher_advice)],
    ),
    "nalu_publisher_get_statistics": (_status, [nalu_publisher_p, POINTER(nalu_publisher_statistics)]),
    "nalu_publisher_copy_last_error": (_status, [nalu_publisher_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "nalu_publisher_finish": (_status, [nalu_publisher_p, c_double]),
    "nalu_reader_create_with_path": (_status, [c_char_p, POINTER(nalu_reader_options), POINTER(nalu_reader_p)]),
    "nalu_reader_create_with_callbacks": (
        _status,
        [c_void_p, c_void_p, c_int64, c_void_p, c_void_p, POINTER(nalu_reader_options), POINTER(nalu_reader_p)],
    ),
    "nalu_reader_retain": (nalu_reader_p, [nalu_reader_p]),
    "nalu_reader_release": (None, [nalu_reader_p]),
    "nalu_reader_get_container": (c_char_p, [nalu_reader_p]),
    "nalu_reader_get_duration": (nalu_time, [nalu_reader_p]),
    "nalu_reader_get_track_count": (c_uint32, [nalu_reader_p]),
    "nalu_reader_get_track": (_status, [nalu_reader_p, c_uint32, POINTER(nalu_reader_track)]),
    "nalu_reader_get_format_description": (nalu_format_description_p, [nalu_reader_p, c_uint32]),
    "nalu_reader_select_track": (_status, [nalu_reader_p, c_uint32, c_int32]),
    "nalu_reader_next_sample": (_status, [nalu_reader_p, POINTER(c_uint32), POINTER(nalu_sample_p)]),
    "nalu_reader_seek": (_status, [nalu_reader_p, nalu_time]),
    "nalu_reader_cancel": (_status, [nalu_reader_p]),
    "nalu_reader_get_status": (c_int32, [nalu_reader_p]),
    "nalu_decompression_session_create": (
        _status,
        [nalu_format_description_p, POINTER(nalu_decoder_specification), POINTER(nalu_destination_attributes), c_void_p,
         c_void_p, c_void_p, POINTER(nalu_decompression_session_p)],
    ),
    "nalu_decompression_session_release": (None, [nalu_decompression_session_p]),
    "nalu_decompression_session_decode_frame": (
        _status,
        [nalu_decompression_session_p, nalu_sample_p, c_uint32, c_void_p, POINTER(c_uint32)],
    ),
    "nalu_decompression_session_wait_for_asynchronous_frames": (_status, [nalu_decompression_session_p]),
    "nalu_decompression_session_invalidate": (_status, [nalu_decompression_session_p]),
    "nalu_decompression_session_copy_last_error": (
        _status,
        [nalu_decompression_session_p, c_char_p, c_size_t, POINTER(c_size_t)],
    ),
    "nalu_display_queue_create": (
        _status,
        [POINTER(nalu_display_queue_options), c_void_p, c_void_p, c_void_p, c_void_p, POINTER(nalu_display_queue_p)],
    ),
    "nalu_display_queue_release": (None, [nalu_display_queue_p]),
    "nalu_display_queue_set_control_timebase": (_status, [nalu_display_queue_p, nalu_timebase_p]),
    "nalu_display_queue_copy_control_timebase": (nalu_timebase_p, [nalu_display_queue_p]),
    "nalu_display_queue_enqueue_sample": (_status, [nalu_display_queue_p, nalu_sample_p, c_uint32]),
    "nalu_display_queue_is_ready_for_more_media_data": (c_int32, [nalu_display_queue_p]),
    "nalu_display_queue_wait_until_ready": (_status, [nalu_display_queue_p, c_double]),
    "nalu_display_queue_request_media_data_when_ready": (_status, [nalu_display_queue_p, c_void_p, c_void_p]),
    "nalu_display_queue_finish": (_status, [nalu_display_queue_p]),
    "nalu_display_queue_flush": (_status, [nalu_display_queue_p]),
    "nalu_display_queue_flush_and_remove_image": (_status, [nalu_display_queue_p]),
    "nalu_display_queue_step": (_status, [nalu_display_queue_p]),
    "nalu_display_queue_get_statistics": (_status, [nalu_display_queue_p, POINTER(nalu_display_queue_statistics)]),
    "nalu_display_queue_copy_last_error": (
        _status,
        [nalu_display_queue_p, c_char_p, c_size_t, POINTER(c_size_t)],
    ),
    "nalu_chunk_plan_create": (
        _status,
        [POINTER(nalu_chunk_source), POINTER(nalu_chunk_plan_options), POINTER(nalu_chunk_plan_p)],
    ),
    "nalu_chunk_plan_release": (None, [nalu_chunk_plan_p]),
    "nalu_chunk_plan_get_chunk_count": (c_size_t, [nalu_chunk_plan_p]),
    "nalu_chunk_plan_get_chunk": (_status, [nalu_chunk_plan_p, c_size_t, POINTER(nalu_chunk)]),
    "nalu_chunk_result_release": (None, [nalu_chunk_result_p]),
    "nalu_chunk_result_get_info": (_status, [nalu_chunk_result_p, POINTER(nalu_chunk_result_info)]),
    "nalu_chunk_result_copy_data": (_status, [nalu_chunk_result_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "nalu_chunk_result_create_with_data": (_status, [c_char_p, c_size_t, POINTER(nalu_chunk_result_p)]),
    "nalu_chunk_encode_first_pass": (
        _status,
        [POINTER(nalu_chunk_source), POINTER(nalu_chunk), c_double, POINTER(nalu_chunk_work_options),
         POINTER(nalu_chunk_result_p)],
    ),
    "nalu_chunk_encode_second_pass": (
        _status,
        [POINTER(nalu_chunk_source), POINTER(nalu_chunk), nalu_chunk_result_p, c_int64, c_int32,
         POINTER(nalu_chunk_work_options), POINTER(nalu_chunk_result_p)],
    ),
    "nalu_chunk_divide_bits": (
        _status,
        [c_size_t, c_int64, c_char_p, c_void_p, c_void_p, POINTER(c_int64), POINTER(c_double)],
    ),
    "nalu_chunk_stream_create": (_status, [c_uint32, POINTER(nalu_chunk_stream_p)]),
    "nalu_chunk_stream_release": (None, [nalu_chunk_stream_p]),
    "nalu_chunk_stream_add": (_status, [nalu_chunk_stream_p, nalu_chunk_result_p]),
    "nalu_chunk_stream_next_sample": (_status, [nalu_chunk_stream_p, POINTER(nalu_sample_p)]),
    "nalu_chunk_stream_get_chunks_at_seams_over_limits": (
        _status,
        [nalu_chunk_stream_p, POINTER(c_uint32), c_size_t, POINTER(c_size_t)],
    ),
    "nalu_media_load": (_status, []),
    "nalu_cut": (_status, [c_char_p, c_char_p, POINTER(nalu_cut_options), POINTER(nalu_cut_result)]),
}


class Library(NamedTuple):
    """libnalu twice: ``lib`` releases the interpreter's lock during a call; ``fast`` keeps it, for short calls."""

    # A ctypes library creates attributes for any name, so type checkers cannot check them.
    lib: Any
    fast: Any


_loaded: Optional[Library] = None
_loading = threading.Lock()


def library() -> Library:
    """Returns libnalu. The first call loads FFmpeg's libraries, and raises LibraryNotFoundError if one cannot be loaded."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                found = Library(_ffi.lib, _ffi.fast)
                for each in found:
                    _ffi.declare(each, PROTOTYPES, "libnalu")
                if found.lib.nalu_media_load() != 0:
                    raise _library.LibraryNotFoundError(_ffi.fast.nalu_last_error_message().decode())
                _loaded = found
    return _loaded
