/*
 * nalu/bitstream.h - H.264 and H.265 NAL units: walking, Annex B and length-prefixed forms, parameter sets.
 *
 * Everything here reads bytes that may come from anywhere. Bad bytes give a status, never a crash,
 * and no function reads outside the range it was given.
 *
 * Functions that write bytes take a buffer and its capacity and always report the size needed.
 * With buffer NULL and capacity 0 they only report it. When capacity is too small they write
 * nothing and return NALU_STATUS_BUFFER_TOO_SMALL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_BITSTREAM_H
#define NALU_BITSTREAM_H

#include "base.h"

NALU_BEGIN_DECLS

/* The H.264 NAL unit types one meets (ITU-T H.264 table 7-1): the low five bits of the first byte. */
enum {
    NALU_NAL_SLICE = 1,
    NALU_NAL_SLICE_IDR = 5,
    NALU_NAL_SEI = 6,
    NALU_NAL_SPS = 7,
    NALU_NAL_PPS = 8,
    NALU_NAL_ACCESS_UNIT_DELIMITER = 9,
    NALU_NAL_END_OF_SEQUENCE = 10,
    NALU_NAL_END_OF_STREAM = 11,
    NALU_NAL_FILLER = 12
};

/*
 * The H.265 NAL unit types one meets (ITU-T H.265 table 7-1): bits 1 to 6 of the first byte of two, byte >> 1 & 63. Pictures
 * whose type is even and below 16 are not referred to by others of their sub-layer.
 */
enum {
    NALU_HEVC_NAL_TRAIL_N = 0,
    NALU_HEVC_NAL_TRAIL_R = 1,
    NALU_HEVC_NAL_RADL_N = 6, /* shown before the key frame that it follows, and decodable from there */
    NALU_HEVC_NAL_RADL_R = 7,
    NALU_HEVC_NAL_RASL_N = 8, /* shown before the key frame that it follows; refers to what is before that */
    NALU_HEVC_NAL_RASL_R = 9,
    NALU_HEVC_NAL_BLA_W_LP = 16,
    NALU_HEVC_NAL_IDR_W_RADL = 19,
    NALU_HEVC_NAL_IDR_N_LP = 20,
    NALU_HEVC_NAL_CRA = 21,
    NALU_HEVC_NAL_VPS = 32,
    NALU_HEVC_NAL_SPS = 33,
    NALU_HEVC_NAL_PPS = 34,
    NALU_HEVC_NAL_ACCESS_UNIT_DELIMITER = 35,
    NALU_HEVC_NAL_END_OF_SEQUENCE = 36,
    NALU_HEVC_NAL_END_OF_BITSTREAM = 37,
    NALU_HEVC_NAL_FILLER = 38,
    NALU_HEVC_NAL_PREFIX_SEI = 39,
    NALU_HEVC_NAL_SUFFIX_SEI = 40
};

/*
 * Walks the NAL units of an Annex B byte stream (ITU-T H.264 Annex B): start codes of 3 or 4
 * bytes, zero bytes before and after units.
 *
 * bytes, size: the stream; bytes may be NULL when size is 0. offset: where to look; start with 0, pass it
 * back unchanged. On NALU_STATUS_OK, *nal_out points into bytes at the unit's first byte (no start code),
 * *nal_size_out is its length without trailing zeros (at least 1), and *offset has moved on.
 *
 * _VALUE_NOT_AVAILABLE: no further unit. _BAD_DATA: bytes other than zero before the first start
 * code, or a stream that has no start code at all. _PARAMETER: a NULL argument or an offset beyond
 * size.
 */
NALU_API NALU_NODISCARD nalu_status nalu_annex_b_next(const uint8_t *bytes, size_t size, size_t *offset,
    const uint8_t **nal_out, size_t *nal_size_out);

/*
 * The same for length-prefixed data with prefixes of length_size bytes (1, 2 or 4, big-endian).
 *
 * _BAD_DATA: a prefix is cut off, is zero, or reaches beyond size.
 */
NALU_API NALU_NODISCARD nalu_status nalu_length_prefixed_next(const uint8_t *bytes, size_t size,
    uint32_t length_size, size_t *offset, const uint8_t **nal_out, size_t *nal_size_out);

/*
 * Rewrites Annex B as length-prefixed data. The whole input is taken as complete NAL units.
 *
 * _BAD_DATA: as nalu_annex_b_next, or a unit too long for length_size. _PARAMETER.
 * _BUFFER_TOO_SMALL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_annex_b_to_length_prefixed(const uint8_t *bytes, size_t size,
    uint32_t length_size, uint8_t *buffer, size_t capacity, size_t *size_out);

/* Rewrites length-prefixed data as Annex B with 4-byte start codes. Statuses as above. */
NALU_API NALU_NODISCARD nalu_status nalu_length_prefixed_to_annex_b(const uint8_t *bytes, size_t size,
    uint32_t length_size, uint8_t *buffer, size_t capacity, size_t *size_out);

/*
 * What a sequence parameter set says (ITU-T H.264 7.3.2.1.1 and Annex E; ITU-T H.265 7.3.2.2 and Annex E). Set
 * struct_size to sizeof(nalu_sequence_info) before the call; the library fills as many fields as fit and never
 * writes beyond struct_size. Fields are only ever appended.
 *
 * The fields mean the same for H.265, but for those that say so.
 */
typedef struct nalu_sequence_info {
    uint32_t struct_size;
    int32_t profile_idc;      /* 66 Baseline, 77 Main, 100 High, 110 High 10, ...; H.265: 1 Main, 2 Main 10, 4 RExt, ... */
    /* The byte after profile_idc: constraint_set0_flag is 0x80. H.265: general_progressive_source_flag (0x80) and the
     * seven flags that follow it. */
    int32_t constraint_flags;
    /* Ten times the level: 31 is level 3.1; 9 is level 1b. H.265: thirty times the level: 93 is level 3.1. */
    int32_t level_idc;
    int32_t chroma_format_idc; /* 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4 */
    int32_t luma_bit_depth;   /* 8 to 14; H.265: 8 to 16 */
    int32_t chroma_bit_depth; /* 8 to 14; H.265: 8 to 16 */
    int32_t coded_width;      /* pixels before cropping: a multiple of 16; H.265: of 8 to 64 */
    int32_t coded_height;
    int32_t width;            /* pixels after cropping */
    int32_t height;
    int32_t crop_left;        /* pixels cut off at each side */
    int32_t crop_top;
    int32_t crop_right;
    int32_t crop_bottom;
    int32_t frame_mbs_only;   /* 1: progressive frames only; H.265: 0 when each picture is a field (field_seq_flag) */
    int32_t max_num_ref_frames; /* H.265: sps_max_dec_pic_buffering_minus1 */
    int32_t pic_order_cnt_type; /* 0, 1 or 2; 2: output order is decoding order; H.265: 0 */
    int32_t pixel_aspect_ratio_horizontal; /* 0 when not said */
    int32_t pixel_aspect_ratio_vertical;
    int32_t video_full_range; /* 1: full range; 0: video range, or not said */
    int32_t color_primaries;  /* ITU-T H.264 table E-3; 2 when not said */
    int32_t transfer_characteristics; /* table E-4; 2 when not said */
    int32_t matrix_coefficients;      /* table E-5; 2 when not said */
    int32_t fixed_frame_rate; /* 1 when fixed_frame_rate_flag (H.265: fixed_pic_rate_within_cvs_flag) is set */
    /* max_num_reorder_frames; where not said, 0 for types without reordering, else -1. H.265: sps_max_num_reorder_pics of
     * the highest sub-layer. */
    int32_t reorder_depth;
    int32_t max_dec_frame_buffering; /* -1 when not said. H.265: sps_max_dec_pic_buffering_minus1 */
    /* Frames a second = time_scale / (2 * num_units_in_tick). H.265, whose tick is a whole frame: twice vui_time_scale; or,
     * where that has more than 32 bits, with half of vui_num_units_in_tick. */
    uint32_t time_scale;
    uint32_t num_units_in_tick; /* both 0 when not said */
    int32_t nal_hrd;          /* 1 when NAL HRD parameters are present */
} nalu_sequence_info;

/*
 * Reads one SPS NAL unit (its header byte first, no start code, emulation prevention bytes in
 * place).
 *
 * _BAD_DATA: not an SPS, cut off, or a value that the standard forbids. _UNSUPPORTED_DATA_FORMAT: larger
 * than NALU_MAX_DIMENSION. _PARAMETER: a NULL argument, or struct_size below the first published
 * size. info is not changed on failure.
 */
NALU_API NALU_NODISCARD nalu_status nalu_parse_sequence_parameter_set(const uint8_t *bytes, size_t size,
    nalu_sequence_info *info);

/*
 * Reads one H.265 SPS NAL unit of layer 0 (its two header bytes first, no start code, emulation prevention bytes in place),
 * up to its extensions.
 *
 * Statuses as above.
 */
NALU_API NALU_NODISCARD nalu_status nalu_parse_hevc_sequence_parameter_set(const uint8_t *bytes, size_t size,
    nalu_sequence_info *info);

NALU_END_DECLS

#endif
