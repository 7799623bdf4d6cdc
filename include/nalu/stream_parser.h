/**
 * @file
 * Samples from a byte stream that arrives in blocks, for example from a network.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_STREAM_PARSER_H
#define NALU_STREAM_PARSER_H

#include "base.h"
#include "sample.h"
#include "time.h"

NALU_BEGIN_DECLS

/**
 * Makes samples from an H.264 or H.265 Annex B byte stream. The stream may arrive in blocks of any
 * size. Reference-counted. If several threads push, they must do so in the order of the bytes.
 *
 * @code{.c}
 * nalu_stream_parser_create(NALU_CODEC_H264, NULL, &parser);
 * while ((size = read_some(bytes)) > 0) {
 *     nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid());
 *     while (nalu_stream_parser_next(parser, &sample) != NALU_STATUS_WOULD_BLOCK) {
 *         if (sample) use(sample); else puts(nalu_last_error_message());
 *         nalu_sample_release(sample);
 *     }
 * }
 * nalu_stream_parser_finish(parser);
 * ... nalu_stream_parser_next until NALU_STATUS_VALUE_NOT_AVAILABLE
 * @endcode
 *
 * A sample is one access unit, or the two fields of a frame. Parameter sets are in the format
 * descriptions, not in the samples; consecutive samples share a format description until a
 * parameter set changes. Only parameter sets that change between the two fields of a frame stay in
 * the sample. An access unit is complete when the next one has begun.
 *
 * Decoding can start at the first sample: it is a key frame (H.264: IDR; H.265: IDR or BLA), a CRA
 * picture (H.265), a recovery point, or a picture of intra slices with an SPS in the same access
 * unit. Earlier pictures are left out, and slices whose header cannot be read. docs/streams.md has
 * the details.
 */
typedef struct nalu_stream_parser nalu_stream_parser;

/**
 * Options of a stream parser. Start from NALU_STREAM_PARSER_OPTIONS_INIT; 0 is the default of each
 * field.
 */
typedef struct nalu_stream_parser_options {
    uint32_t struct_size; /**< sizeof(nalu_stream_parser_options) */
    /**
     * The reorder depth plus 1: 1 to 17. The depth is the maximum number of frames that precede a
     * frame in decode order and follow it in output order. Samples are delayed by that many frames;
     * if the depth is too small, the times are in a wrong order. 0: the depth in the SPS. If the
     * SPS has none, the maximum of the level; for the Baseline profile, in which reordering is
     * rare, the depth that the picture order counts show.
     */
    uint32_t reorder_depth_plus_1;
    /** Bytes, 1024 to 2^30. A larger access unit is left out. 0: 16 MiB. */
    uint64_t maximum_access_unit_size;
    /**
     * The time for which a frame is shown, positive. All zeros: the duration in the SPS, up to 1000
     * frames per second; 1/30 s if the SPS has none.
     */
    nalu_time frame_duration;
} nalu_stream_parser_options;

#define NALU_STREAM_PARSER_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_stream_parser_options), 0, 0, {0, 0, 0, 0}}

/**
 * Creates a parser.
 *
 * @param codec NALU_CODEC_H264 or NALU_CODEC_HEVC.
 * @param options NULL for the defaults.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT codec
 * @retval NALU_STATUS_OUT_OF_RANGE reorder_depth_plus_1 or maximum_access_unit_size
 * @retval NALU_STATUS_INVALID_TIME frame_duration
 * @par Ownership
 * parser_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_create(nalu_four_char_code codec,
    const nalu_stream_parser_options *options, nalu_stream_parser **parser_out);

/** Adds a reference, and returns parser. */
NALU_API nalu_stream_parser *nalu_stream_parser_retain(nalu_stream_parser *parser);

/** Releases one reference. The last release also releases the samples that were not fetched. */
NALU_API void nalu_stream_parser_release(nalu_stream_parser *parser);

/**
 * Hands in the next bytes of the stream. nalu_stream_parser_next reports errors in them.
 *
 * Presentation times are assigned in output order: the given time exactly, or the previous time
 * plus the duration of the previous picture, or 0 for the first picture. A given time that is not
 * after the previous time is replaced in the same way. A sample has a duration if the options or
 * the SPS have one. If it is that of the SPS, a picture timing message can lengthen it (pic_struct,
 * ITU-T H.264 table D-1, H.265 table D.2): 1.5 frames with a repeated field, 2 or 3 frames with
 * frame doubling or tripling. nalu_sample_get_decode_time describes the decode times.
 *
 * @param bytes,size bytes may be NULL if size is 0.
 * @param time the presentation time of the first access unit whose first start code begins in these
 *   bytes, as in a PES packet; numeric, or the invalid time for none. The time is not used if no
 *   access unit begins.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INVALID_TIME the time is infinite or indefinite
 * @retval NALU_STATUS_OUT_OF_ORDER the stream is finished
 * @par Ownership
 * The bytes that are needed later are copied.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_push(nalu_stream_parser *parser,
    const uint8_t *bytes, size_t size, nalu_time time);

/**
 * Fetches the next sample, in decode order.
 *
 * If data between two samples were left out, one call reports that, and the next call continues
 * after them.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_WOULD_BLOCK more bytes are needed
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the stream is finished, and every sample was fetched
 * @retval NALU_STATUS_BAD_DATA left out: unreadable NAL units; H.264: pictures after an SPS that
 *   changes size or format without an IDR picture; H.265: after an SPS that changes without a
 *   random access picture
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT left out: an SPS with a size beyond
 *   NALU_MAX_DIMENSION
 * @retval NALU_STATUS_OUT_OF_RANGE left out: an access unit beyond maximum_access_unit_size, and
 *   everything up to the next key frame
 * @par Ownership
 * sample_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_next(nalu_stream_parser *parser,
    nalu_sample **sample_out);

/**
 * Ends the stream: the last access unit is now complete, and every sample can be fetched. A second
 * call does nothing.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_finish(nalu_stream_parser *parser);

/* ---- Statistics ----------------------------------------------------------------------------- */

/** The counts of a parser. */
typedef struct nalu_stream_parser_statistics {
    uint32_t struct_size;   /**< sizeof(nalu_stream_parser_statistics), set by the caller */
    uint32_t reserved;      /**< 0 */
    uint64_t bytes;         /**< bytes pushed */
    uint64_t skipped_bytes; /**< bytes before the first access unit with an SPS */
    uint64_t samples;       /**< samples made, fetched or not */
    uint64_t pending_bytes; /**< bytes of the incomplete access unit, with 4 per start code */
    /**
     * Access units after the first parameter sets that did not become samples: too large, without a
     * readable slice, before a key frame, or leading pictures that cannot be decoded.
     */
    uint64_t dropped_access_units;
    uint64_t dropped_units;     /**< unreadable NAL units after the first parameter sets */
    /** H.264: gaps in frame_num, from losses or on purpose; H.265: 0 */
    uint64_t frame_number_gaps;
    uint64_t replaced_times;    /**< given times that were not after the one before them */
} nalu_stream_parser_statistics;

/**
 * Reads the counts of a parser.
 *
 * @param statistics struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_get_statistics(
    const nalu_stream_parser *parser, nalu_stream_parser_statistics *statistics);

NALU_END_DECLS

#endif
