"""The C headers in ctypes: struct layouts, constants and prototypes, and nothing else.

``lib`` releases the interpreter's lock during a call. ``fast`` keeps the lock, for calls that never wait.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

from . import _library

# A ctypes library creates attributes for any name, so type checkers cannot check them.
lib: Any
fast: Any
lib, fast = _library.load()

# ---- base.h ----------------------------------------------------------------------------------------------------

OK = 0
REFERENCE_MISSING = -17694
VALUE_NOT_AVAILABLE = -12718
PROPERTY_NOT_SUPPORTED = -12900
PARAMETER = -12902
INVALID_SESSION = -12903
WOULD_BLOCK = -17900
BUFFER_TOO_SMALL = -17908
CODEC_H264 = 0x61766331
CODEC_HEVC = 0x68766331
CODEC_AAC = 0x61616320

# ---- Handles ---------------------------------------------------------------------------------------------------
#
# Each kind of object has a pointer type, so that ctypes refuses handles of another kind and plain numbers.


class Opaque(Structure):
    """An object in the library's memory. Python has only pointers to it."""


def handle(name: str) -> Any:
    """Returns the pointer type for objects of a C type."""
    return POINTER(type(name, (Opaque,), {}))


nalu_compression_session_p = handle("nalu_compression_session")
nalu_sample_p = handle("nalu_sample")
nalu_output_queue_p = handle("nalu_output_queue")
nalu_pixel_buffer_p = handle("nalu_pixel_buffer")
nalu_format_description_p = handle("nalu_format_description")
nalu_stream_parser_p = handle("nalu_stream_parser")
nalu_multi_pass_storage_p = handle("nalu_multi_pass_storage")
nalu_timebase_p = handle("nalu_timebase")
nalu_capture_device_p = handle("nalu_capture_device")
nalu_capture_device_list_p = handle("nalu_capture_device_list")
nalu_capture_session_p = handle("nalu_capture_session")
nalu_timebase_timer_p = handle("nalu_timebase_timer")

# ---- time.h ----------------------------------------------------------------------------------------------------


class nalu_time(Structure):
    _fields_ = [("value", c_int64), ("timescale", c_int32), ("flags", c_uint32), ("epoch", c_int64)]


NO_TIME = nalu_time(0, 0, 0, 0)


class nalu_time_range(Structure):
    _fields_ = [("start", nalu_time), ("duration", nalu_time)]


# ---- sample.h, session.h, output_queue.h -----------------------------------------------------------------------

ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES = 0
ANNEX_B_NO_PARAMETER_SETS = 1
ANNEX_B_PARAMETER_SETS_ALWAYS = 2

SAMPLE_DEPENDS_ON_OTHERS = 1 << 1
SAMPLE_IS_DEPENDED_ON_BY_OTHERS = 1 << 2
SAMPLE_PARTIAL_SYNC = 1 << 4
SAMPLE_DO_NOT_DISPLAY = 1 << 5

ENCODE_INFO_FRAME_DROPPED = 1 << 1

FRAME_FORCE_KEY_FRAME = 1 << 0
FRAME_DO_NOT_WAIT = 1 << 1
FRAME_FORCE_LTR_REFRESH = 1 << 2
FRAME_BEGIN_INTRA_REFRESH = 1 << 3


class nalu_encoder_specification(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("require_hardware_accelerated_video_encoder", c_uint32),
        ("encoder_id", c_char_p),
    ]


class nalu_source_attributes(Structure):
    _fields_ = [("struct_size", c_uint32), ("pixel_format", c_uint32)]


class nalu_frame_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("callback", c_void_p),
        ("callback_refcon", c_void_p),
        ("acknowledged_ltr_tokens", c_void_p),
        ("acknowledged_ltr_token_count", c_uint32),
        ("base_frame_qp_plus_1", c_int32),
        ("qp_offsets", c_void_p),
        ("qp_offset_columns", c_uint32),
        ("qp_offset_rows", c_uint32),
    ]


class nalu_session_statistics(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("accepted_frames", c_uint64),
        ("encoded_frames", c_uint64),
        ("dropped_frames", c_uint64),
        ("failed_frames", c_uint64),
        ("pending_frames", c_uint64),
        ("key_frames", c_uint64),
        ("bytes", c_uint64),
        ("mean_qp", c_double),
        ("last_qp", c_double),
        ("current_bit_rate", c_double),
        ("mean_bit_rate", c_double),
        ("encode_time_p50", c_double),
        ("encode_time_p99", c_double),
        ("longest_encode_time", c_double),
        ("mean_psnr", c_double),
        ("mean_ssim", c_double),
    ]


class nalu_quality_metrics(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("luma_mean_squared_error", c_double),
        ("chroma_blue_mean_squared_error", c_double),
        ("chroma_red_mean_squared_error", c_double),
        ("luma_psnr", c_double),
        ("chroma_blue_psnr", c_double),
        ("chroma_red_psnr", c_double),
        ("average_psnr", c_double),
        ("ssim", c_double),
    ]


class nalu_output(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("status", c_int32),
        ("info_flags", c_uint32),
        ("reserved", c_uint32),
        ("frame_refcon", c_void_p),
        ("sample", nalu_sample_p),
    ]


# ---- multi_pass.h ----------------------------------------------------------------------------------------------

COMPRESSION_SESSION_BEGIN_FINAL_PASS = 1 << 0

# ---- properties.h ----------------------------------------------------------------------------------------------

TYPE_BOOL = 1
TYPE_INT64 = 2
TYPE_DOUBLE = 3
TYPE_STRING = 4
TYPE_NUMBERS = 5
TYPE_UNSET = 6


class nalu_property(Structure):
    _fields_ = [
        ("key", c_char_p),
        ("type", c_int32),
        ("number_count", c_uint32),
        ("integer", c_int64),
        ("number", c_double),
        ("string", c_char_p),
        ("numbers", POINTER(c_double)),
    ]


property_callback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(nalu_property))


class nalu_property_info(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("type", c_int32),
        ("writable", c_int32),
        ("live", c_int32),
        ("minimum", c_double),
        ("maximum", c_double),
        ("allowed_value_count", c_uint32),
        ("reserved", c_uint32),
        ("default_value", c_char_p),
        ("documentation", c_char_p),
    ]


# ---- bitstream.h -----------------------------------------------------------------------------------------------


class nalu_sequence_info(Structure):
    _fields_ = [("struct_size", c_uint32)] + [
        (name, c_int32)
        for name in (
            "profile_idc constraint_flags level_idc chroma_format_idc luma_bit_depth chroma_bit_depth coded_width "
            "coded_height width height crop_left crop_top crop_right crop_bottom frame_mbs_only max_num_ref_frames "
            "pic_order_cnt_type pixel_aspect_ratio_horizontal pixel_aspect_ratio_vertical video_full_range "
            "color_primaries transfer_characteristics matrix_coefficients fixed_frame_rate reorder_depth "
            "max_dec_frame_buffering"
        ).split()
    ] + [("time_scale", c_uint32), ("num_units_in_tick", c_uint32), ("nal_hrd", c_int32), ("chroma_location", c_int32)]


# ---- stream_parser.h -------------------------------------------------------------------------------------------


class nalu_stream_parser_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reorder_depth_plus_1", c_uint32),
        ("maximum_access_unit_size", c_uint64),
        ("frame_duration", nalu_time),
    ]


class nalu_stream_parser_statistics(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32)] + [
        (name, c_uint64)
        for name in (
            "bytes skipped_bytes samples pending_bytes dropped_access_units dropped_units frame_number_gaps "
            "replaced_times"
        ).split()
    ]


# ---- timebase.h ------------------------------------------------------------------------------------------------

timebase_callback = ctypes.CFUNCTYPE(None, c_void_p)

# ---- media/delay.h, media/capture.h ----------------------------------------------------------------------------


class nalu_delay(Structure):
    _fields_ = [("count", c_uint64), ("least", c_double), ("mean", c_double), ("p95", c_double), ("most", c_double)]


CAPTURE_CAMERA = 1 << 0
CAPTURE_SCREEN = 1 << 1
CAPTURE_MICROPHONE = 1 << 2
CAPTURE_TEST = 1 << 3
CAPTURE_ALL_KINDS = 15
CAPTURE_SHOW_CURSOR = 1 << 0
CAPTURE_MEDIA_VIDEO = 0x76696465
CAPTURE_MEDIA_AUDIO = 0x736F756E


class nalu_capture_format(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("media_type", c_uint32),
        ("pixel_format", c_uint32),
        ("minimum_width", c_int32),
        ("minimum_height", c_int32),
        ("maximum_width", c_int32),
        ("maximum_height", c_int32),
        ("sample_rate", c_int32),
        ("channel_count", c_int32),
        ("ycbcr_matrix", c_uint32),
        ("minimum_frame_duration", nalu_time),
        ("maximum_frame_duration", nalu_time),
    ]


class nalu_capture_audio_block(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("is_discontinuous", c_uint32),
        ("sample_rate", c_int32),
        ("channel_count", c_int32),
        ("frame_count", c_uint32),
        ("reserved", c_uint32),
        ("samples", c_void_p),
        ("time", nalu_time),
    ]


class nalu_capture_callbacks(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("reserved", c_uint32),
        ("video", c_void_p),
        ("audio", c_void_p),
        ("end", c_void_p),
    ]


class nalu_capture_options(Structure):
    _fields_ = [
        ("struct_size", c_uint32),
        ("flags", c_uint32),
        ("width", c_int32),
        ("height", c_int32),
        ("pixel_format", c_uint32),
        ("maximum_buffer_count", c_int32),
        ("frame_duration", nalu_time),
        ("region_x", c_int32),
        ("region_y", c_int32),
        ("region_width", c_int32),
        ("region_height", c_int32),
        ("audio_device", nalu_capture_device_p),
        ("sample_rate", c_int32),
        ("channel_count", c_int32),
        ("start_timeout", c_double),
        ("restore_token", c_char_p),
    ]


class nalu_capture_statistics(Structure):
    _fields_ = (
        [("struct_size", c_uint32), ("reserved", c_uint32)]
        + [
            (name, c_uint64)
            for name in (
                "captured_frames delivered_frames late_frames starved_frames missed_frames audio_frames lost_audio_frames"
            ).split()
        ]
        + [("frame_rate", c_double), ("capture", nalu_delay), ("wait", nalu_delay), ("callback", nalu_delay)]
        + [("repaired_times", c_uint64)]
    )


capture_video_callback = ctypes.CFUNCTYPE(None, c_void_p, nalu_pixel_buffer_p, nalu_time, nalu_time, c_uint32)
capture_audio_callback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(nalu_capture_audio_block))
capture_end_callback = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


#: The structs whose layout tests compare with C.
STRUCTS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        nalu_time,
        nalu_time_range,
        nalu_encoder_specification,
        nalu_source_attributes,
        nalu_frame_options,
        nalu_session_statistics,
        nalu_quality_metrics,
        nalu_output,
        nalu_property,
        nalu_property_info,
        nalu_sequence_info,
        nalu_stream_parser_options,
        nalu_stream_parser_statistics,
        nalu_delay,
        nalu_capture_format,
        nalu_capture_audio_block,
        nalu_capture_callbacks,
        nalu_capture_options,
        nalu_capture_statistics,
    )
}

# ---- Prototypes ------------------------------------------------------------------------------------------------

_status = c_int32
_size = POINTER(c_size_t)

#: The result and argument types of each function that this package calls.
PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "nalu_version": (c_uint32, []),
    "nalu_version_string": (c_char_p, []),
    "nalu_status_string": (c_char_p, [_status]),
    "nalu_last_error_message": (c_char_p, []),
    "nalu_time_compare": (c_int32, [nalu_time, nalu_time]),
    "nalu_capture_get_host_time": (nalu_time, []),
    "nalu_capture_device_list_create": (_status, [c_uint32, POINTER(nalu_capture_device_list_p)]),
    "nalu_capture_device_list_release": (None, [nalu_capture_device_list_p]),
    "nalu_capture_device_list_get_count": (c_size_t, [nalu_capture_device_list_p]),
    "nalu_capture_device_list_get_device": (nalu_capture_device_p, [nalu_capture_device_list_p, c_size_t]),
    "nalu_capture_device_create_with_id": (_status, [c_char_p, POINTER(nalu_capture_device_p)]),
    "nalu_capture_device_release": (None, [nalu_capture_device_p]),
    "nalu_capture_device_get_id": (c_char_p, [nalu_capture_device_p]),
    "nalu_capture_device_get_name": (c_char_p, [nalu_capture_device_p]),
    "nalu_capture_device_get_kind": (c_uint32, [nalu_capture_device_p]),
    "nalu_capture_device_get_format_count": (c_size_t, [nalu_capture_device_p]),
    "nalu_capture_device_get_format": (_status, [nalu_capture_device_p, c_size_t, POINTER(nalu_capture_format)]),
    "nalu_capture_session_create": (
        _status,
        [nalu_capture_device_p, POINTER(nalu_capture_options), POINTER(nalu_capture_callbacks), c_void_p, c_void_p,
         POINTER(nalu_capture_session_p)],
    ),
    "nalu_capture_session_release": (None, [nalu_capture_session_p]),
    "nalu_capture_session_start": (_status, [nalu_capture_session_p]),
    "nalu_capture_session_stop": (_status, [nalu_capture_session_p]),
    "nalu_capture_session_is_running": (c_int32, [nalu_capture_session_p]),
    "nalu_capture_session_copy_restore_token": (_status, [nalu_capture_session_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "nalu_capture_session_get_format": (_status, [nalu_capture_session_p, c_uint32, POINTER(nalu_capture_format)]),
    "nalu_capture_session_get_statistics": (_status, [nalu_capture_session_p, POINTER(nalu_capture_statistics)]),
    "nalu_timebase_get_host_clock": (nalu_timebase_p, []),
    "nalu_timebase_create_manual_clock": (_status, [nalu_time, POINTER(nalu_timebase_p)]),
    "nalu_timebase_create": (_status, [nalu_timebase_p, POINTER(nalu_timebase_p)]),
    "nalu_timebase_retain": (nalu_timebase_p, [nalu_timebase_p]),
    "nalu_timebase_release": (None, [nalu_timebase_p]),
    "nalu_timebase_copy_source": (nalu_timebase_p, [nalu_timebase_p]),
    "nalu_timebase_set_source": (_status, [nalu_timebase_p, nalu_timebase_p]),
    "nalu_timebase_get_time": (nalu_time, [nalu_timebase_p]),
    "nalu_timebase_get_rate": (c_double, [nalu_timebase_p]),
    "nalu_timebase_get_effective_rate": (c_double, [nalu_timebase_p]),
    "nalu_timebase_set_time": (_status, [nalu_timebase_p, nalu_time]),
    "nalu_timebase_set_rate": (_status, [nalu_timebase_p, c_double]),
    "nalu_timebase_set_anchor_time": (_status, [nalu_timebase_p, nalu_time, nalu_time]),
    "nalu_timebase_set_rate_and_anchor_time": (_status, [nalu_timebase_p, c_double, nalu_time, nalu_time]),
    "nalu_timebase_convert_time": (nalu_time, [nalu_time, nalu_timebase_p, nalu_timebase_p]),
    "nalu_timebase_shares_clock": (c_int32, [nalu_timebase_p, nalu_timebase_p]),
    "nalu_timebase_add_observer": (_status, [nalu_timebase_p, c_void_p, c_void_p, POINTER(c_uint64)]),
    "nalu_timebase_remove_observer": (None, [nalu_timebase_p, c_uint64]),
    "nalu_timebase_timer_create": (
        _status,
        [nalu_timebase_p, c_void_p, c_void_p, c_void_p, POINTER(nalu_timebase_timer_p)],
    ),
    "nalu_timebase_timer_release": (None, [nalu_timebase_timer_p]),
    "nalu_timebase_timer_set_fire_time": (_status, [nalu_timebase_timer_p, nalu_time]),
    "nalu_compression_session_create": (
        _status,
        [c_int32, c_int32, c_uint32, POINTER(nalu_encoder_specification), POINTER(nalu_source_attributes), c_void_p,
         c_void_p, c_void_p, POINTER(nalu_compression_session_p)],
    ),
    "nalu_compression_session_release": (None, [nalu_compression_session_p]),
    "nalu_compression_session_prepare": (_status, [nalu_compression_session_p]),
    "nalu_compression_session_encode_frame": (
        _status,
        [nalu_compression_session_p, nalu_pixel_buffer_p, nalu_time, nalu_time, POINTER(nalu_frame_options), c_void_p,
         POINTER(c_uint32)],
    ),
    "nalu_compression_session_encode_planes": (
        _status,
        [nalu_compression_session_p, c_int32, c_int32, c_uint32, c_uint32, c_void_p, c_void_p, c_void_p, nalu_time,
         nalu_time, POINTER(nalu_frame_options), c_void_p, POINTER(c_uint32)],
    ),
    "nalu_compression_session_complete_frames": (_status, [nalu_compression_session_p, nalu_time]),
    "nalu_compression_session_invalidate": (_status, [nalu_compression_session_p]),
    "nalu_compression_session_copy_last_error": (_status, [nalu_compression_session_p, c_char_p, c_size_t, _size]),
    "nalu_compression_session_get_statistics": (_status, [nalu_compression_session_p, POINTER(nalu_session_statistics)]),
    "nalu_multi_pass_storage_create": (_status, [c_char_p, POINTER(nalu_multi_pass_storage_p)]),
    "nalu_multi_pass_storage_create_with_data": (_status, [c_char_p, c_char_p, c_size_t, POINTER(nalu_multi_pass_storage_p)]),
    "nalu_multi_pass_storage_release": (None, [nalu_multi_pass_storage_p]),
    "nalu_multi_pass_storage_close": (_status, [nalu_multi_pass_storage_p]),
    "nalu_multi_pass_storage_copy_data": (_status, [nalu_multi_pass_storage_p, c_char_p, c_size_t, _size]),
    "nalu_multi_pass_storage_divide_bits": (
        _status,
        [POINTER(nalu_multi_pass_storage_p), c_size_t, c_uint64, POINTER(c_int64), POINTER(c_double)],
    ),
    "nalu_compression_session_set_multi_pass_storage": (_status, [nalu_compression_session_p, nalu_multi_pass_storage_p]),
    "nalu_compression_session_begin_first_pass": (_status, [nalu_compression_session_p, c_uint32, c_double]),
    "nalu_compression_session_end_pass": (_status, [nalu_compression_session_p, POINTER(c_int32)]),
    "nalu_compression_session_get_time_ranges_for_next_pass": (
        _status,
        [nalu_compression_session_p, POINTER(nalu_time_range), c_size_t, _size],
    ),
    "nalu_encoder_get_count": (c_uint32, []),
    "nalu_encoder_get_id": (c_char_p, [c_uint32]),
    "nalu_encoder_get_name": (c_char_p, [c_uint32]),
    "nalu_encoder_get_codec": (c_uint32, [c_uint32]),
    "nalu_output_queue_create": (_status, [POINTER(nalu_output_queue_p)]),
    "nalu_output_queue_release": (None, [nalu_output_queue_p]),
    "nalu_output_queue_receive": (None, [c_void_p, c_void_p, c_int32, c_uint32, nalu_sample_p]),
    "nalu_output_queue_close": (None, [c_void_p]),
    "nalu_output_queue_next": (_status, [nalu_output_queue_p, c_double, POINTER(nalu_output)]),
    "nalu_output_queue_get_count": (c_uint64, [nalu_output_queue_p]),
    "nalu_output_queue_get_file_descriptor": (c_int32, [nalu_output_queue_p]),
    "nalu_pixel_buffer_create_with_planes": (
        _status,
        [c_int32, c_int32, c_uint32, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,
         POINTER(nalu_pixel_buffer_p)],
    ),
    "nalu_pixel_buffer_retain": (nalu_pixel_buffer_p, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_release": (None, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_get_width": (c_int32, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_get_height": (c_int32, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_get_pixel_format": (c_uint32, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_get_plane_count": (c_uint32, [nalu_pixel_buffer_p]),
    "nalu_pixel_buffer_get_plane_width": (c_int32, [nalu_pixel_buffer_p, c_uint32]),
    "nalu_pixel_buffer_get_plane_height": (c_int32, [nalu_pixel_buffer_p, c_uint32]),
    "nalu_pixel_buffer_get_plane_stride": (c_int64, [nalu_pixel_buffer_p, c_uint32]),
    "nalu_pixel_buffer_get_plane_base_address": (c_void_p, [nalu_pixel_buffer_p, c_uint32]),
    "nalu_sample_create": (
        _status,
        [c_char_p, c_size_t, nalu_format_description_p, nalu_time, nalu_time, nalu_time, c_uint32, POINTER(nalu_sample_p)],
    ),
    "nalu_sample_retain": (nalu_sample_p, [nalu_sample_p]),
    "nalu_sample_release": (None, [nalu_sample_p]),
    "nalu_sample_get_format_description": (nalu_format_description_p, [nalu_sample_p]),
    "nalu_sample_get_quality_metrics": (_status, [nalu_sample_p, POINTER(nalu_quality_metrics)]),
    "nalu_sample_get_data": (c_void_p, [nalu_sample_p, _size]),
    "nalu_sample_get_nal_count": (c_uint32, [nalu_sample_p]),
    "nalu_sample_next_nal": (c_void_p, [nalu_sample_p, _size, _size]),
    "nalu_sample_get_nal": (c_void_p, [nalu_sample_p, c_uint32, _size]),
    "nalu_sample_copy_annex_b": (_status, [nalu_sample_p, c_int32, c_void_p, c_size_t, _size]),
    "nalu_sample_get_presentation_time": (nalu_time, [nalu_sample_p]),
    "nalu_sample_get_decode_time": (nalu_time, [nalu_sample_p]),
    "nalu_sample_get_duration": (nalu_time, [nalu_sample_p]),
    "nalu_sample_get_attachments": (c_uint32, [nalu_sample_p]),
    "nalu_sample_is_key_frame": (c_int32, [nalu_sample_p]),
    "nalu_sample_get_average_qp": (c_double, [nalu_sample_p]),
    "nalu_sample_get_ltr_acknowledgement_token": (c_int64, [nalu_sample_p]),
    "nalu_sample_get_ltr_reference_token": (c_int64, [nalu_sample_p]),
    "nalu_format_description_create_from_parameter_sets": (
        _status,
        [c_uint32, POINTER(c_char_p), _size, c_uint32, POINTER(nalu_format_description_p)],
    ),
    "nalu_format_description_create_from_avcc": (_status, [c_char_p, c_size_t, POINTER(nalu_format_description_p)]),
    "nalu_format_description_create_from_hevc_parameter_sets": (
        _status,
        [c_uint32, POINTER(c_char_p), _size, c_uint32, POINTER(nalu_format_description_p)],
    ),
    "nalu_format_description_create_from_hvcc": (_status, [c_char_p, c_size_t, POINTER(nalu_format_description_p)]),
    "nalu_format_description_retain": (nalu_format_description_p, [nalu_format_description_p]),
    "nalu_format_description_release": (None, [nalu_format_description_p]),
    "nalu_format_description_equal": (c_int32, [nalu_format_description_p, nalu_format_description_p]),
    "nalu_format_description_get_codec": (c_uint32, [nalu_format_description_p]),
    "nalu_format_description_get_hvcc": (c_void_p, [nalu_format_description_p, _size]),
    "nalu_format_description_get_width": (c_int32, [nalu_format_description_p]),
    "nalu_format_description_get_height": (c_int32, [nalu_format_description_p]),
    "nalu_format_description_get_length_size": (c_uint32, [nalu_format_description_p]),
    "nalu_format_description_get_parameter_set_count": (c_uint32, [nalu_format_description_p]),
    "nalu_format_description_get_parameter_set": (c_void_p, [nalu_format_description_p, c_uint32, _size]),
    "nalu_format_description_get_avcc": (c_void_p, [nalu_format_description_p, _size]),
    "nalu_format_description_get_audio_sample_rate": (c_int32, [nalu_format_description_p]),
    "nalu_format_description_get_audio_channel_count": (c_int32, [nalu_format_description_p]),
    "nalu_format_description_get_audio_specific_config": (c_void_p, [nalu_format_description_p, _size]),
    "nalu_format_description_get_sequence_info": (_status, [nalu_format_description_p, POINTER(nalu_sequence_info)]),
    "nalu_parse_sequence_parameter_set": (_status, [c_void_p, c_size_t, POINTER(nalu_sequence_info)]),
    "nalu_annex_b_next": (_status, [c_void_p, c_size_t, _size, POINTER(c_void_p), _size]),
    "nalu_length_prefixed_next": (_status, [c_void_p, c_size_t, c_uint32, _size, POINTER(c_void_p), _size]),
    "nalu_annex_b_to_length_prefixed": (_status, [c_void_p, c_size_t, c_uint32, c_void_p, c_size_t, _size]),
    "nalu_length_prefixed_to_annex_b": (_status, [c_void_p, c_size_t, c_uint32, c_void_p, c_size_t, _size]),
    "nalu_stream_parser_create": (_status, [c_uint32, POINTER(nalu_stream_parser_options), POINTER(nalu_stream_parser_p)]),
    "nalu_stream_parser_release": (None, [nalu_stream_parser_p]),
    "nalu_stream_parser_push": (_status, [nalu_stream_parser_p, c_void_p, c_size_t, nalu_time]),
    "nalu_stream_parser_next": (_status, [nalu_stream_parser_p, POINTER(nalu_sample_p)]),
    "nalu_stream_parser_finish": (_status, [nalu_stream_parser_p]),
    "nalu_stream_parser_get_statistics": (_status, [nalu_stream_parser_p, POINTER(nalu_stream_parser_statistics)]),
    "nalu_session_unset_property": (_status, [nalu_compression_session_p, c_char_p]),
    "nalu_session_set_properties": (_status, [nalu_compression_session_p, POINTER(nalu_property), c_size_t]),
    "nalu_session_set_properties_from_text": (_status, [nalu_compression_session_p, c_char_p]),
    "nalu_session_copy_properties_as_text": (_status, [nalu_compression_session_p, c_char_p, c_size_t, _size]),
    "nalu_session_get_int64": (_status, [nalu_compression_session_p, c_char_p, POINTER(c_int64)]),
    "nalu_session_get_double": (_status, [nalu_compression_session_p, c_char_p, POINTER(c_double)]),
    "nalu_session_get_bool": (_status, [nalu_compression_session_p, c_char_p, POINTER(c_int32)]),
    "nalu_session_set_preset": (_status, [nalu_compression_session_p, c_char_p]),
    "nalu_session_has_property": (c_int32, [nalu_compression_session_p, c_char_p]),
    "nalu_property_text_read": (_status, [c_char_p, c_void_p, c_void_p]),
    "nalu_session_copy_string": (_status, [nalu_compression_session_p, c_char_p, c_char_p, c_size_t, _size]),
    "nalu_session_copy_numbers": (_status, [nalu_compression_session_p, c_char_p, POINTER(c_double), c_size_t, _size]),
    "nalu_property_get_count": (c_uint32, []),
    "nalu_property_get_key": (c_char_p, [c_uint32]),
    "nalu_property_get_info": (_status, [c_char_p, POINTER(nalu_property_info)]),
    "nalu_property_get_allowed_value": (c_char_p, [c_char_p, c_uint32]),
}


def declare(library: Any, prototypes: "dict[str, tuple[Any, list[Any]]]", name: str) -> None:
    """Sets the result and argument types of a library's functions. ``name`` is the library's name in error messages."""
    for function_name, (result, arguments) in prototypes.items():
        try:
            function = getattr(library, function_name)
        except AttributeError:
            raise _library.LibraryNotFoundError(
                f"{name} has no {function_name}, because it is older than this package; update {name}"
            ) from None
        function.restype = result
        function.argtypes = arguments


for _each in (lib, fast):
    declare(_each, PROTOTYPES, "libnalu")
