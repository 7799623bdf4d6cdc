/*
 * nalu/stream_parser.h - samples out of a byte stream that comes in pieces, as from a network.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_STREAM_PARSER_H
#define NALU_STREAM_PARSER_H

#include "base.h"
#include "sample.h"
#include "time.h"

NALU_BEGIN_DECLS

/*
 * Makes samples of H.264 or H.265 Annex B bytes that arrive in pieces of any size. Reference-counted. Any thread may call any
 * function on it; the bytes must be pushed in their order.
 *
 *     nalu_stream_parser_create(NALU_CODEC_H264, NULL, &parser);
 *     while ((size = read_some(bytes)) > 0) {
 *         nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid());
 *         while (nalu_stream_parser_next(parser, &sample) != NALU_STATUS_WOULD_BLOCK) {
 *             if (sample) use(sample); else puts(nalu_last_error_message());
 *             nalu_sample_release(sample);
 *         }
 *     }
 *     nalu_stream_parser_finish(parser); ... nalu_stream_parser_next until NALU_STATUS_VALUE_NOT_AVAILABLE
 *
 * A sample is one access unit (ITU-T H.264 7.4.1.2), or the two fields of a frame: its NAL units in their order behind
 * 4-byte lengths, among them delimiters, SEI, filler, data partitions, redundant slices, and units of the scalable and
 * multi-view extensions, without the SPS and PPS. These are in the format description, with the first sample that
 * follows them: the SPS in use and all PPS that refer to it. Samples share one until a set changes.
 *
 * An access unit is complete when it is known that the next one has begun: behind a slice, by the header of the next
 * one's first slice, or by the first byte of an access unit delimiter, a parameter set or SEI.
 *
 * H.265: an access unit is that of ITU-T H.265 7.4.2.4.4. The VPS is in the format description too; the other parameter sets
 * are those of the base layer. Units of other layers are passed on with the access unit that they stand in. IDR and BLA
 * pictures are key frames, CRA pictures NALU_SAMPLE_PARTIAL_SYNC. The leading pictures (RASL) of a BLA picture, and of a
 * CRA picture that decoding starts with, which is the first sample, one behind an end of sequence or behind something that was
 * left out, or one with another SPS, cannot be decoded, and are left out (8.1.3). Samples that others do not depend on
 * are sub-layer non-reference pictures of the highest temporal sub-layer.
 *
 * The first sample is a key frame (IDR; H.265: IDR, BLA or CRA), one with a recovery point SEI message
 * (NALU_SAMPLE_PARTIAL_SYNC), or one of intra slices alone whose SPS comes with it; what is before it is left out. In a
 * stream with lost bytes, slices whose header cannot be read are left out; that other slices are missing or end too early
 * is not told, but see frame_number_gaps.
 *
 * Memory: the access unit under way, up to maximum_access_unit_size; the parameter sets; access units whose place in
 * output order is open, at most 16; and the samples that have not been fetched. Time grows with the bytes, however they
 * are cut.
 */
typedef struct nalu_stream_parser nalu_stream_parser;

/* How to read. Start from NALU_STREAM_PARSER_OPTIONS_INIT; fields are only ever appended. */
typedef struct nalu_stream_parser_options {
    uint32_t struct_size; /* sizeof(nalu_stream_parser_options) */
    /* 1 to 17: how many frames, 0 to 16, can precede a frame in decoding order and follow it in output order, plus 1. 0: as the
     * SPS says (max_num_reorder_frames; H.265: sps_max_num_reorder_pics of the highest sub-layer); where it does not, 0 for
     * the Baseline profile and otherwise the most that the level allows (ITU-T H.264 C.4.5.3). Samples come as many frames later; too small a number gives times in
     * a wrong order. */
    uint32_t reorder_depth_plus_1;
    /* Bytes, 1024 to 2^30; 0: 16 MiB. A larger access unit is left out. */
    uint64_t maximum_access_unit_size;
    /* How long a frame is shown, positive. All zeros: as the SPS says, if that is not more than 1000 frames a second. */
    nalu_time frame_duration;
} nalu_stream_parser_options;

#define NALU_STREAM_PARSER_OPTIONS_INIT {(uint32_t)sizeof(nalu_stream_parser_options), 0, 0, {0, 0, 0, 0}}

/*
 * codec: NALU_CODEC_H264 or NALU_CODEC_HEVC. options: NULL for the defaults. parser_out: receives the parser with one reference; NULL on
 * failure.
 *
 * _UNSUPPORTED_DATA_FORMAT: codec. _OUT_OF_RANGE: an option. _INVALID_TIME: frame_duration. _PARAMETER: parser_out is
 * NULL, or struct_size below the first published size. _UNSUPPORTED_OPTION.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_create(nalu_four_char_code codec,
    const nalu_stream_parser_options *options, nalu_stream_parser **parser_out);

/* Returns `parser`. */
NALU_API nalu_stream_parser *nalu_stream_parser_retain(nalu_stream_parser *parser);

/* Gives a reference back. With the last one the samples that nobody fetched are released. */
NALU_API void nalu_stream_parser_release(nalu_stream_parser *parser);

/*
 * Takes the next bytes of the stream, and copies what it needs of them.
 *
 * bytes may be NULL when size is 0, and nothing happens. time: numeric, the presentation time of the first access unit
 *   that begins in these bytes (as in a PES packet), that is, the first byte of whose first start code 00 00 01
 *   is among them; where none does, it is not used. The invalid time: none.
 *
 * Presentation times are given out in output order, from 0 where the first picture has none: the time given, bit for bit,
 * or one frame's duration after the picture before it. A time given that is not after the one before is counted
 * instead. A frame's duration is that of the options, else the SPS's, else 1/30 s; the sample's own duration is invalid
 * in the last case. Decode times are made as in nalu_sample_get_decode_time.
 *
 * _INVALID_TIME: a time that is infinite or indefinite. _OUT_OF_ORDER: behind nalu_stream_parser_finish. _PARAMETER.
 * _INVALID_HANDLE. What is wrong with the bytes, nalu_stream_parser_next tells.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_push(nalu_stream_parser *parser, const uint8_t *bytes,
    size_t size, nalu_time time);

/*
 * The next sample, in decoding order. sample_out: receives it with one reference of the caller's own; NULL on failure.
 *
 * _WOULD_BLOCK: more bytes are needed. _VALUE_NOT_AVAILABLE: the stream is finished and everything has been fetched.
 *
 * Something was left out, once for all between two samples; the next call goes on behind it: _BAD_DATA, for units
 * that cannot be read, and for an SPS that changes without an IDR picture (H.265: a random access picture); _UNSUPPORTED_DATA_FORMAT, for an SPS with a
 * size beyond NALU_MAX_DIMENSION; _OUT_OF_RANGE, for an access unit of more than maximum_access_unit_size bytes, and then
 * for everything up to the next key frame.
 *
 * _PARAMETER: a NULL argument. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_next(nalu_stream_parser *parser, nalu_sample **sample_out);

/*
 * The stream ends here: the access unit under way is complete, and nothing waits any more. A second call does nothing.
 *
 * _PARAMETER: parser is NULL. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_finish(nalu_stream_parser *parser);

/* What a parser has counted. Fields are only ever appended. */
typedef struct nalu_stream_parser_statistics {
    uint32_t struct_size; /* sizeof(nalu_stream_parser_statistics) */
    uint32_t reserved;    /* 0 */
    uint64_t bytes;         /* pushed */
    uint64_t skipped_bytes; /* of these, those before the first access unit with an SPS */
    uint64_t samples;       /* made, fetched or not */
    uint64_t pending_bytes; /* kept of the access unit under way, with 4 for each NAL unit instead of its start code */
    /* Access units behind the first parameter sets that gave no sample: too large, without a readable slice, before a
     * key frame, or leading pictures that cannot be decoded. */
    uint64_t dropped_access_units;
    uint64_t dropped_units;     /* NAL units behind the first parameter sets that could not be read */
    uint64_t frame_number_gaps; /* jumps of frame_num: reference frames were lost, or left out on purpose; H.265: 0 */
    uint64_t replaced_times;    /* times given that were not after the one before them, and that were counted instead */
} nalu_stream_parser_statistics;

/* Set struct_size before the call. _PARAMETER: a NULL argument, or struct_size below the first published size.
 * _INVALID_HANDLE. */
NALU_API NALU_NODISCARD nalu_status nalu_stream_parser_get_statistics(const nalu_stream_parser *parser,
    nalu_stream_parser_statistics *statistics);

NALU_END_DECLS

#endif
