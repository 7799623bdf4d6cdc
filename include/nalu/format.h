/**
 * @file
 * Format descriptions: the data that a decoder needs before the first sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_FORMAT_H
#define NALU_FORMAT_H

#include "base.h"
#include "bitstream.h"

NALU_BEGIN_DECLS

/**
 * The codec, size, colour and parameter sets of a video stream, or the codec, sample rate and
 * channels of an audio stream. Immutable, reference-counted, and independent of the session that
 * made it.
 *
 * Functions that need video, for example those of decompression sessions, return
 * NALU_STATUS_UNSUPPORTED_DATA_FORMAT for the format of an audio stream.
 */
typedef struct nalu_format_description nalu_format_description;

/* ---- Creation ------------------------------------------------------------------------------- */

/**
 * Creates a format description from H.264 parameter sets. Size and colour are read from the first
 * SPS.
 *
 * @param count number of NAL units, at least one SPS and one PPS, in any order; at most 31 SPS, 255
 *   PPS.
 * @param parameter_sets,sizes the NAL units, header byte first, without start codes; 65535 bytes at
 *   most.
 * @param length_size bytes of the length prefixes in the samples: 1, 2 or 4.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER length_size
 * @retval NALU_STATUS_BAD_DATA a NAL unit is of another type, too long, or cannot be read; or there
 *   is no SPS or no PPS
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT see nalu_parse_sequence_parameter_set
 * @par Ownership
 * The bytes are copied; format_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_parameter_sets(
    uint32_t count, const uint8_t *const *parameter_sets, const size_t *sizes,
    uint32_t length_size, nalu_format_description **format_out);

/**
 * Creates a format description from an AVCDecoderConfigurationRecord, the content of an MP4 `avcC`
 * box (ISO/IEC 14496-15 5.3.3.1).
 *
 * @return the statuses of nalu_format_description_create_from_parameter_sets.
 * @par Ownership
 * The bytes are copied; format_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_avcc(const uint8_t *bytes,
    size_t size, nalu_format_description **format_out);

/**
 * Creates a format description from H.265 parameter sets. Size and colour are read from the first
 * SPS.
 *
 * @param count number of NAL units of layer 0, at least one VPS, one SPS and one PPS, in any order;
 *   at most 16 VPS, 16 SPS and 64 PPS. SEI NAL units for the whole stream may be among them, at
 *   most 255 prefix and 255 suffix SEI.
 * @param parameter_sets,sizes the NAL units, two header bytes first, without start codes; 65535
 *   bytes at most.
 * @param length_size bytes of the length prefixes in the samples: 1, 2 or 4.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER length_size
 * @retval NALU_STATUS_BAD_DATA a NAL unit is of another type or layer, too long, or cannot be read;
 *   or there is no VPS, SPS or PPS
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT see nalu_parse_hevc_sequence_parameter_set
 * @par Ownership
 * The bytes are copied; format_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_hevc_parameter_sets(
    uint32_t count, const uint8_t *const *parameter_sets, const size_t *sizes,
    uint32_t length_size, nalu_format_description **format_out);

/**
 * Creates a format description from an HEVCDecoderConfigurationRecord, the content of an MP4 `hvcC`
 * box (ISO/IEC 14496-15 8.3.3.1). The record is kept as it is.
 *
 * NAL units of other types and layers in the record do not count as parameter sets. A record
 * without parameter sets, which files with sample entry 'hev1' can have, is NALU_STATUS_BAD_DATA.
 *
 * @return the statuses of nalu_format_description_create_from_hevc_parameter_sets.
 * @par Ownership
 * The bytes are copied; format_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_create_from_hvcc(const uint8_t *bytes,
    size_t size, nalu_format_description **format_out);

/** Adds a reference, and returns format. */
NALU_API nalu_format_description *nalu_format_description_retain(nalu_format_description *format);

/** Releases one reference. */
NALU_API void nalu_format_description_release(nalu_format_description *format);

/**
 * Returns 1 if codec, length size and the bytes of all parameter sets are equal, or if both are the
 * same pointer; else 0.
 */
NALU_API int32_t nalu_format_description_equal(const nalu_format_description *a,
    const nalu_format_description *b);

/* ---- Facts ---------------------------------------------------------------------------------- */

/** Returns NALU_CODEC_H264, NALU_CODEC_HEVC or NALU_CODEC_AAC. */
NALU_API nalu_four_char_code nalu_format_description_get_codec(
    const nalu_format_description *format);

/** @{ */
/**
 * Return the size of the picture after cropping, in pixels (H.265: the conformance window); 0 for
 * audio.
 */
NALU_API int32_t nalu_format_description_get_width(const nalu_format_description *format);
NALU_API int32_t nalu_format_description_get_height(const nalu_format_description *format);
/** @} */

/**
 * Returns the bytes of the length prefixes in the samples: 1, 2 or 4; 4 for a session's samples;
 * 0 for audio.
 */
NALU_API uint32_t nalu_format_description_get_length_size(const nalu_format_description *format);

/** Returns the number of parameter sets; H.265 SEI NAL units count too. */
NALU_API uint32_t nalu_format_description_get_parameter_set_count(
    const nalu_format_description *format);

/**
 * Returns one parameter set; NULL beyond the last.
 *
 * The order is SPS, PPS for H.264, and VPS, SPS, PPS, SEI for H.265.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the format description.
 */
NALU_API const uint8_t *nalu_format_description_get_parameter_set(
    const nalu_format_description *format, uint32_t index, size_t *size_out);

/**
 * Returns the AVCDecoderConfigurationRecord, for an MP4 `avcC` box or a WebCodecs description; NULL
 * for H.265 and audio.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the format description.
 */
NALU_API const uint8_t *nalu_format_description_get_avcc(const nalu_format_description *format,
    size_t *size_out);

/**
 * Returns the HEVCDecoderConfigurationRecord, for an MP4 `hvcC` box (sample entry 'hvc1') or a
 * WebCodecs description; NULL for H.264 and audio.
 *
 * A record made from parameter sets has the highest tier, level and profile of all VPS and SPS. Its
 * compatibility and constraint flags are those that all of them have. It marks the arrays of VPS,
 * SPS and PPS as complete, and those of SEI not. It does not state a frame rate.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the format description.
 */
NALU_API const uint8_t *nalu_format_description_get_hvcc(const nalu_format_description *format,
    size_t *size_out);

/**
 * Reads the content of the first SPS. The H.265 time scale is that of the VPS if the SPS has none.
 *
 * @param info struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the format is that of an audio stream
 */
NALU_API NALU_NODISCARD nalu_status nalu_format_description_get_sequence_info(
    const nalu_format_description *format, nalu_sequence_info *info);

/** @{ */
/** Return the number of audio frames per second, and of audio channels; 0 for video. */
NALU_API int32_t nalu_format_description_get_audio_sample_rate(
    const nalu_format_description *format);
NALU_API int32_t nalu_format_description_get_audio_channel_count(
    const nalu_format_description *format);
/** @} */

/**
 * Returns the AudioSpecificConfig of AAC (ISO/IEC 14496-3 1.6.2.1), for an MP4 `esds` box or a
 * WebCodecs description; NULL for video.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the format description.
 */
NALU_API const uint8_t *nalu_format_description_get_audio_specific_config(
    const nalu_format_description *format, size_t *size_out);

NALU_END_DECLS

#endif
