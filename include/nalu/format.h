/*
 * nalu/format.h - format descriptions: what a decoder must know before the first sample.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_FORMAT_H
#define NALU_FORMAT_H

#include "base.h"
#include "bitstream.h"

NALU_BEGIN_DECLS

/*
 * Codec, size, colour and parameter sets of a stream. Immutable, reference-counted, usable from
 * any thread, and independent of the session that made it.
 */
typedef struct nalu_format_description nalu_format_description;

/*
 * From H.264 parameter sets: `count` NAL units (header byte first, no start code), at least one SPS
 * and one PPS, in any order, at most 31 SPS and 255 PPS. The bytes are copied. Size and colour are
 * read from the first SPS. length_size: bytes of the length prefixes in the samples: 1, 2 or 4.
 *
 * _PARAMETER: a NULL argument, or length_size. _BAD_DATA: a unit is neither SPS nor PPS, is longer
 * than 65535 bytes, or cannot be read; or one kind is missing. _UNSUPPORTED_DATA_FORMAT: see
 * nalu_parse_sequence_parameter_set. _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_parameter_sets(uint32_t count,
    const uint8_t *const *parameter_sets, const size_t *sizes, uint32_t length_size,
    nalu_format_description **format_out);

/*
 * From an AVCDecoderConfigurationRecord, the content of an MP4 `avcC` box (ISO/IEC 14496-15 5.3.3.1).
 * Statuses as above.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_avcc(const uint8_t *bytes,
    size_t size, nalu_format_description **format_out);

NALU_API nalu_format_description *nalu_format_description_retain(nalu_format_description *format);
NALU_API void nalu_format_description_release(nalu_format_description *format);

/* 1 when both describe the same stream byte for byte; also 1 for the same pointer; else 0. */
NALU_API int32_t nalu_format_description_equal(const nalu_format_description *a,
    const nalu_format_description *b);

/* Getters return 0 or NULL for NULL and for a pointer that is no format description. */

NALU_API nalu_four_char_code nalu_format_description_get_codec(const nalu_format_description *format);

/* The picture size after cropping, in pixels. */
NALU_API int32_t nalu_format_description_get_width(const nalu_format_description *format);
NALU_API int32_t nalu_format_description_get_height(const nalu_format_description *format);

/* Bytes of the length prefixes in the samples: 1, 2 or 4. Samples of a session have 4. */
NALU_API uint32_t nalu_format_description_get_length_size(const nalu_format_description *format);

/* SPS come first, then PPS. The bytes live as long as the format description; NULL beyond the
 * last. size_out may be NULL. */
NALU_API uint32_t nalu_format_description_get_parameter_set_count(const nalu_format_description *format);
NALU_API const uint8_t *nalu_format_description_get_parameter_set(const nalu_format_description *format,
    uint32_t index, size_t *size_out);

/* The AVCDecoderConfigurationRecord for an MP4 `avcC` box, an RTSP or WebCodecs description. The
 * bytes live as long as the format description. size_out may be NULL. */
NALU_API const uint8_t *nalu_format_description_get_avcc(const nalu_format_description *format,
    size_t *size_out);

/* Everything that the first SPS says; see nalu_sequence_info for struct_size.
 * _PARAMETER, _INVALID_HANDLE. */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_get_sequence_info(
    const nalu_format_description *format, nalu_sequence_info *info);

NALU_END_DECLS

#endif
