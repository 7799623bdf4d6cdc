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

/*
 * From H.265 parameter sets: `count` NAL units (two header bytes first, no start code) of layer 0, at least one VPS, one
 * SPS and one PPS, in any order, at most 16 VPS, 16 SPS and 64 PPS, and besides them up to 255 prefix and 255 suffix SEI
 * units that hold for the whole stream. The bytes are copied. Size and colour are read from the first SPS. length_size:
 * bytes of the length prefixes in the samples: 1, 2 or 4.
 *
 * _PARAMETER: a NULL argument, or length_size. _BAD_DATA: a unit is of another type or layer, is longer than 65535 bytes,
 * or cannot be read; or a kind of parameter set is missing. _UNSUPPORTED_DATA_FORMAT: see
 * nalu_parse_hevc_sequence_parameter_set. _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_hevc_parameter_sets(uint32_t count,
    const uint8_t *const *parameter_sets, const size_t *sizes, uint32_t length_size,
    nalu_format_description **format_out);

/*
 * From an HEVCDecoderConfigurationRecord, the content of an MP4 `hvcC` box (ISO/IEC 14496-15 8.3.3.1). It is kept as it
 * is; units of other types and layers in it are not among the parameter sets. Statuses as above; a record without
 * parameter sets, as a file of the kind 'hev1' can have, is _BAD_DATA.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_hvcc(const uint8_t *bytes,
    size_t size, nalu_format_description **format_out);

NALU_API nalu_format_description *nalu_format_description_retain(nalu_format_description *format);
NALU_API void nalu_format_description_release(nalu_format_description *format);

/* 1 when both describe the same stream byte for byte; also 1 for the same pointer; else 0. */
NALU_API int32_t nalu_format_description_equal(const nalu_format_description *a,
    const nalu_format_description *b);

/* Getters return 0 or NULL for NULL and for a pointer that is no format description. */

/* NALU_CODEC_H264 or NALU_CODEC_HEVC. */
NALU_API nalu_four_char_code nalu_format_description_get_codec(const nalu_format_description *format);

/* The picture size after cropping (H.265: to the conformance window), in pixels. */
NALU_API int32_t nalu_format_description_get_width(const nalu_format_description *format);
NALU_API int32_t nalu_format_description_get_height(const nalu_format_description *format);

/* Bytes of the length prefixes in the samples: 1, 2 or 4. Samples of a session have 4. */
NALU_API uint32_t nalu_format_description_get_length_size(const nalu_format_description *format);

/* SPS come first, then PPS; of H.265 VPS, SPS, PPS, then SEI units. The bytes live as long as the format description;
 * NULL beyond the last. size_out may be NULL. */
NALU_API uint32_t nalu_format_description_get_parameter_set_count(const nalu_format_description *format);
NALU_API const uint8_t *nalu_format_description_get_parameter_set(const nalu_format_description *format,
    uint32_t index, size_t *size_out);

/* The AVCDecoderConfigurationRecord for an MP4 `avcC` box, an RTSP or WebCodecs description. NULL for H.265. The
 * bytes live as long as the format description. size_out may be NULL. */
NALU_API const uint8_t *nalu_format_description_get_avcc(const nalu_format_description *format,
    size_t *size_out);

/*
 * The HEVCDecoderConfigurationRecord for an MP4 `hvcC` box (sample entry 'hvc1'), or a WebCodecs description. NULL for H.264.
 * The bytes live as long as the format description. size_out may be NULL.
 *
 * Made of parameter sets, it says of tier, level and profile the highest, and of the compatibility and constraint flags those
 * that are common, of all VPS and SPS; that VPS, SPS and PPS are complete (none is among the samples), and SEI is not;
 * and nothing of frame rates.
 */
NALU_API const uint8_t *nalu_format_description_get_hvcc(const nalu_format_description *format,
    size_t *size_out);

/* Everything that the first SPS says; see nalu_sequence_info for struct_size. Of H.265 with the VPS's time scale where the
 * SPS has none.
 * _PARAMETER, _INVALID_HANDLE. */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_get_sequence_info(
    const nalu_format_description *format, nalu_sequence_info *info);

NALU_END_DECLS

#endif
