/**
 * @file
 * H.264 and H.265 NAL units: walking, rewriting, sequence parameter sets.
 *
 * The bytes may come from an untrusted source. For invalid bytes the functions return a status, and
 * no function reads outside the range of its arguments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_BITSTREAM_H
#define NALU_BITSTREAM_H

#include "base.h"

NALU_BEGIN_DECLS

/* ---- NAL unit types ------------------------------------------------------------------------- */

/** Types of H.264 NAL units (ITU-T H.264 table 7-1): the low five bits of the first byte. */
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

/**
 * Types of H.265 NAL units (ITU-T H.265 table 7-1): (first byte >> 1) & 63. No other picture of the
 * same sub-layer refers to a picture whose type is even and below 16.
 */
enum {
    NALU_HEVC_NAL_TRAIL_N = 0,
    NALU_HEVC_NAL_TRAIL_R = 1,
    /**
     * RADL: presented before the key frame that it follows, and decodable without earlier
     * pictures.
     */
    NALU_HEVC_NAL_RADL_N = 6,
    NALU_HEVC_NAL_RADL_R = 7,
    /**
     * RASL: presented before the key frame that it follows; refers to pictures before the key
     * frame.
     */
    NALU_HEVC_NAL_RASL_N = 8,
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

/* ---- Walking -------------------------------------------------------------------------------- */

/**
 * Finds the next NAL unit of an Annex B byte stream (ITU-T H.264 Annex B), with start codes of 3 or
 * 4 bytes and zero bytes between NAL units.
 *
 * @param bytes,size the stream; bytes may be NULL if size is 0.
 * @param offset the position in bytes. Start with 0; each call advances it.
 * @param nal_out,nal_size_out receive the NAL unit, header byte first, without start code and
 *   trailing zeros.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE there is no further NAL unit
 * @retval NALU_STATUS_BAD_DATA the stream has no start code, or does not begin with one
 * @retval NALU_STATUS_PARAMETER offset is beyond size
 * @par Ownership
 * nal_out points into bytes.
 */
NALU_API NALU_NODISCARD nalu_status nalu_annex_b_next(const uint8_t *bytes, size_t size,
    size_t *offset, const uint8_t **nal_out, size_t *nal_size_out);

/**
 * Finds the next NAL unit of length-prefixed data.
 *
 * @param length_size bytes of the length prefixes, big-endian: 1, 2 or 4.
 * The other parameters: see nalu_annex_b_next.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE there is no further NAL unit
 * @retval NALU_STATUS_BAD_DATA a length is incomplete, is 0, or reaches beyond size
 * @retval NALU_STATUS_PARAMETER offset is beyond size, or length_size
 * @par Ownership
 * nal_out points into bytes.
 */
NALU_API NALU_NODISCARD nalu_status nalu_length_prefixed_next(const uint8_t *bytes, size_t size,
    uint32_t length_size, size_t *offset, const uint8_t **nal_out, size_t *nal_size_out);

/* ---- Rewriting ------------------------------------------------------------------------------ */

/**
 * Rewrites an Annex B byte stream, which must consist of complete NAL units, with length prefixes.
 *
 * @param length_size bytes of the length prefixes: 1, 2 or 4.
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BAD_DATA see nalu_annex_b_next; or a NAL unit is too long for length_size
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_annex_b_to_length_prefixed(const uint8_t *bytes,
    size_t size, uint32_t length_size, uint8_t *buffer, size_t capacity, size_t *size_out);

/**
 * Rewrites length-prefixed data as Annex B, with start codes of 4 bytes.
 *
 * @param length_size bytes of the length prefixes: 1, 2 or 4.
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BAD_DATA see nalu_length_prefixed_next
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_length_prefixed_to_annex_b(const uint8_t *bytes,
    size_t size, uint32_t length_size, uint8_t *buffer, size_t capacity, size_t *size_out);

/* ---- Sequence parameter sets ---------------------------------------------------------------- */

/**
 * The content of a sequence parameter set (ITU-T H.264 7.3.2.1.1 and Annex E; ITU-T H.265 7.3.2.2
 * and Annex E). A field has the same meaning for H.265 unless its comment states another.
 */
typedef struct nalu_sequence_info {
    uint32_t struct_size; /**< sizeof(nalu_sequence_info), set by the caller */
    /** 66 Baseline, 77 Main, 100 High, 110 High 10. H.265: 1 Main, 2 Main 10, 4 RExt. */
    int32_t profile_idc;
    /**
     * The byte after profile_idc: constraint_set0_flag is 0x80. H.265:
     * general_progressive_source_flag (0x80) and the seven flags after it.
     */
    int32_t constraint_flags;
    /**
     * Ten times the level: 31 is level 3.1; 9 is level 1b. H.265: thirty times the level: 93 is
     * level 3.1.
     */
    int32_t level_idc;
    int32_t chroma_format_idc;  /**< 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4 */
    int32_t luma_bit_depth;     /**< 8 to 14; H.265: 8 to 16 */
    int32_t chroma_bit_depth;   /**< 8 to 14; H.265: 8 to 16 */
    int32_t coded_width;        /**< pixels before cropping: a multiple of 16; H.265: of 8 to 64 */
    int32_t coded_height;
    int32_t width;              /**< pixels after cropping */
    int32_t height;
    int32_t crop_left;          /**< pixels cut off on each side */
    int32_t crop_top;
    int32_t crop_right;
    int32_t crop_bottom;
    int32_t frame_mbs_only;     /**< 1: progressive; H.265: 0 if field_seq_flag is set */
    int32_t max_num_ref_frames; /**< H.265: sps_max_dec_pic_buffering_minus1 */
    int32_t pic_order_cnt_type; /**< 0, 1 or 2; with 2, output order is decode order; H.265: 0 */
    int32_t pixel_aspect_ratio_horizontal; /**< both 0 if not present */
    int32_t pixel_aspect_ratio_vertical;
    int32_t video_full_range;   /**< 1: full range; 0: video range, or not present */
    int32_t color_primaries;    /**< ITU-T H.264 table E-3; 2 if not present */
    int32_t transfer_characteristics; /**< table E-4; 2 if not present */
    int32_t matrix_coefficients;      /**< table E-5; 2 if not present */
    int32_t fixed_frame_rate;   /**< fixed_frame_rate_flag; H.265: fixed_pic_rate_within_cvs_flag */
    /**
     * max_num_reorder_frames. If not present: 0 for streams that cannot reorder, else -1. H.265:
     * sps_max_num_reorder_pics of the highest sub-layer.
     */
    int32_t reorder_depth;
    /** -1 if not present. H.265: sps_max_dec_pic_buffering_minus1. */
    int32_t max_dec_frame_buffering;
    /**
     * Frames per second are time_scale / (2 * num_units_in_tick); both 0 if not present. An H.265
     * tick is a whole frame. So that the formula holds, time_scale is twice vui_time_scale; if that
     * exceeds 32 bits, num_units_in_tick is half of vui_num_units_in_tick.
     */
    uint32_t time_scale;
    uint32_t num_units_in_tick;
    int32_t nal_hrd;            /**< 1: NAL HRD parameters are present */
    /**
     * The position of 4:2:0 chroma samples: chroma_sample_loc_type_top_field, 0 to 5 (ITU-T H.264
     * figure E-1); -1 if not present.
     */
    int32_t chroma_location;
} nalu_sequence_info;

/**
 * Reads one H.264 SPS NAL unit, header byte first, with emulation prevention bytes.
 *
 * @param info struct_size is set by the caller; the other fields are filled in, and stay unchanged
 *   on failure.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BAD_DATA not an SPS, incomplete, or forbidden by the standard
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT a size beyond NALU_MAX_DIMENSION
 */
NALU_API NALU_NODISCARD nalu_status nalu_parse_sequence_parameter_set(const uint8_t *bytes,
    size_t size, nalu_sequence_info *info);

/**
 * Reads one H.265 SPS NAL unit of layer 0, two header bytes first, with emulation prevention bytes.
 * The extensions of the SPS are not read.
 *
 * @param info see nalu_parse_sequence_parameter_set.
 * @return the statuses of nalu_parse_sequence_parameter_set.
 */
NALU_API NALU_NODISCARD nalu_status nalu_parse_hevc_sequence_parameter_set(const uint8_t *bytes,
    size_t size, nalu_sequence_info *info);

NALU_END_DECLS

#endif
