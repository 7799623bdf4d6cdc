/*
 * nalu/bitstream.h - H.264 NAL units: walking, Annex B and length-prefixed forms, parameter sets.
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
 * What a sequence parameter set says (ITU-T H.264 7.3.2.1.1 and Annex E). Set struct_size to
 * sizeof(nalu_sequence_info) before the call; the library fills as many fields as fit and never
 * writes beyond struct_size. Fields are only ever appended.
 */
typedef struct nalu_sequence_info {
    uint32_t struct_size;
    int32_t profile_idc;      /* 66 Baseline, 77 Main, 100 High, 110 High 10, ... */
    int32_t constraint_flags; /* the byte after profile_idc: constraint_set0_flag is 0x80 */
    int32_t level_idc;        /* ten times the level: 31 is level 3.1; 9 is level 1b */
    int32_t chroma_format_idc; /* 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4 */
    int32_t luma_bit_depth;   /* 8 to 14 */
    int32_t chroma_bit_depth; /* 8 to 14 */
    int32_t coded_width;      /* pixels before cropping: a multiple of 16 */
    int32_t coded_height;
    int32_t width;            /* pixels after cropping */
    int32_t height;
    int32_t crop_left;        /* pixels cut off at each side */
    int32_t crop_top;
    int32_t crop_right;
    int32_t crop_bottom;
    int32_t frame_mbs_only;   /* 1: progressive frames only */
    int32_t max_num_ref_frames;
    int32_t pic_order_cnt_type; /* 0, 1 or 2; 2: output order is decoding order */
    int32_t pixel_aspect_ratio_horizontal; /* 0 when not said */
    int32_t pixel_aspect_ratio_vertical;
    int32_t video_full_range; /* 1: full range; 0: video range, or not said */
    int32_t color_primaries;  /* ITU-T H.264 table E-3; 2 when not said */
    int32_t transfer_characteristics; /* table E-4; 2 when not said */
    int32_t matrix_coefficients;      /* table E-5; 2 when not said */
    int32_t fixed_frame_rate; /* 1 when fixed_frame_rate_flag is set */
    int32_t reorder_depth;    /* max_num_reorder_frames; where not said, 0 for types without reordering, else -1 */
    int32_t max_dec_frame_buffering; /* -1 when not said */
    uint32_t time_scale;      /* frames a second = time_scale / (2 * num_units_in_tick) */
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

NALU_END_DECLS

#endif
