/**
 * @file
 * Encodes the chunks of a plan (chunk_plan.h), and joins the results.
 *
 * Each function may be called in any thread, process or machine, as often as necessary, and returns
 * the same bytes:
 *
 * @code{.c}
 * for each chunk:
 *     nalu_chunk_encode_first_pass(&source, &chunk, 0, NULL, &first);
 * nalu_chunk_divide_bits(count, bit_rate, NULL, give_first, NULL, rates, qps);
 * for each chunk:
 *     nalu_chunk_encode_second_pass(&source, &chunk, first, rate, 6, NULL, &second);
 * for each chunk, in order:
 *     nalu_chunk_stream_add(stream, second);
 *     while (nalu_chunk_stream_next_sample(stream, &sample) == NALU_STATUS_OK)
 *         ... write sample ...
 * @endcode
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_CHUNK_WORK_H
#define NALU_MEDIA_CHUNK_WORK_H

#include "../base.h"
#include "../sample.h"
#include "chunk_plan.h"

NALU_BEGIN_DECLS

/* ---- Results -------------------------------------------------------------------------------- */

/** The result of a pass over a chunk. Reference-counted and immutable; any thread may use it. */
typedef struct nalu_chunk_result nalu_chunk_result;

/** The stages of a result. */
enum { NALU_CHUNK_FIRST_PASS = 1, NALU_CHUNK_SECOND_PASS = 2 };

/** The facts about a result. */
typedef struct nalu_chunk_result_info {
    uint32_t struct_size; /**< sizeof(nalu_chunk_result_info), set by the caller */
    int32_t stage;        /**< NALU_CHUNK_FIRST_PASS or NALU_CHUNK_SECOND_PASS */
    uint32_t number;      /**< the number of the chunk */
    uint32_t pass_count;  /**< second pass: the number of passes */
    /**
     * The number of frames in the first pass, and of samples in the second: DataRateLimits can
     * drop frames. 0 for a chunk within a frame that is presented for longer.
     */
    uint64_t frame_count;
    uint64_t damaged_frame_count; /**< first pass: the frames that were decoded with errors */
    uint64_t bits;                /**< second pass: the size of all samples */
    nalu_time duration;           /**< from the first frame to the end of the last one */
} nalu_chunk_result_info;

/** Adds a reference, and returns result. */
NALU_API nalu_chunk_result *nalu_chunk_result_retain(nalu_chunk_result *result);

/** Releases one reference. */
NALU_API void nalu_chunk_result_release(nalu_chunk_result *result);

/**
 * Describes a result.
 *
 * @param info_out its struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, or a common status (base.h)
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_result_get_info(const nalu_chunk_result *result,
    nalu_chunk_result_info *info_out);

/**
 * Copies a result as bytes, with a checksum, for nalu_chunk_result_create_with_data on any machine.
 * The bytes of a first pass contain about 200 bytes per frame and up to 2 for each macroblock.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_result_copy_data(const nalu_chunk_result *result,
    uint8_t *buffer, size_t capacity, size_t *size_out);

/**
 * Creates a result from the bytes of nalu_chunk_result_copy_data, which are copied.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BAD_DATA the bytes are corrupt
 * @par Ownership
 * result_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_result_create_with_data(const uint8_t *data,
    size_t size, nalu_chunk_result **result_out);

/* ---- Passes --------------------------------------------------------------------------------- */

/**
 * Receives the progress of a pass, 0 to 1. Returns 0 to continue; another number ends the pass with
 * NALU_STATUS_CANCELLED.
 *
 * @par Threading
 * The thread that calls the function with the options.
 */
typedef int32_t (*nalu_chunk_progress_callback)(void *refcon, double progress);

/** Flags of nalu_chunk_work_options. */
enum {
    /**
     * Sets NaluLimitsOverSeams to true: for the chunks of a plan with the value false that
     * nalu_chunk_stream_get_chunks_at_seams_over_limits returns. Only the second pass needs it.
     */
    NALU_CHUNK_WORK_LIMITS_OVER_SEAMS = 1u << 0
};

/** The options of a pass. Start from NALU_CHUNK_WORK_OPTIONS_INIT. */
typedef struct nalu_chunk_work_options {
    uint32_t struct_size; /**< sizeof(nalu_chunk_work_options) */
    uint32_t flags;       /**< NALU_CHUNK_WORK_ flags */
    /** The directory for temporary files. Default: NULL, the one that TMPDIR names, or /tmp */
    const char *directory;
    nalu_chunk_progress_callback progress; /**< called after each frame. Default: NULL */
    void *refcon;                          /**< passed to progress */
} nalu_chunk_work_options;

#define NALU_CHUNK_WORK_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_chunk_work_options), 0, NULL, NULL, NULL}

/**
 * Encodes a chunk to learn how many bits its frames need.
 *
 * @param qp 1 to 51, the QP from nalu_chunk_divide_bits; 0: the encoder approaches the bit rate.
 * @param options NULL for the defaults.
 * @return NALU_STATUS_OK, a common status (base.h), the status of a callback, those of
 *   nalu_session_set_properties_from_text and of nalu_reader_next_sample, or:
 * @retval NALU_STATUS_OUT_OF_RANGE qp
 * @retval NALU_STATUS_INVALID_SIZE a frame of a file has another size than the first one
 * @retval NALU_STATUS_DECODER_MALFUNCTION frames cannot be decoded
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the directory cannot be written to
 * @retval NALU_STATUS_CANCELLED progress has ended the pass
 * @par Threading
 * Waits for the source and for the threads of its sessions. Inside a session's callback these waits
 * return NALU_STATUS_WOULD_BLOCK (session.h, rule 8).
 * @par Ownership
 * result_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_encode_first_pass(const nalu_chunk_source *source,
    const nalu_chunk *chunk, double qp, const nalu_chunk_work_options *options,
    nalu_chunk_result **result_out);

/**
 * Encodes a chunk at a bit rate.
 *
 * @param first the result of the first pass over this chunk.
 * @param bit_rate bits per second, from nalu_chunk_divide_bits. At most chunk->highest_rate is
 *   used.
 * @param pass_count the highest number of passes, with the first one: 2 to 6. A third pass and
 *   later ones are made only if the size is more than 1.5 % off and another pass is likely to help.
 * @param options NULL for the defaults.
 * @return the statuses of nalu_chunk_encode_first_pass, or:
 * @retval NALU_STATUS_PARAMETER first is not the first pass of this chunk
 * @retval NALU_STATUS_OUT_OF_RANGE bit_rate or pass_count; or DataRateLimits leave no room for any
 *   frame
 * @retval NALU_STATUS_CONFLICT the frames are not those of the first pass
 * @par Threading
 * Waits for the source and for the threads of its sessions. Inside a session's callback these waits
 * return NALU_STATUS_WOULD_BLOCK (session.h, rule 8).
 * @par Ownership
 * result_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_encode_second_pass(const nalu_chunk_source *source,
    const nalu_chunk *chunk, const nalu_chunk_result *first, int64_t bit_rate, int32_t pass_count,
    const nalu_chunk_work_options *options, nalu_chunk_result **result_out);

/**
 * Returns the first pass of the chunk with this index. Returns NALU_STATUS_OK, or a status with
 * which nalu_chunk_divide_bits fails.
 *
 * @par Ownership
 * nalu_chunk_divide_bits takes over the reference of result_out.
 * @par Threading
 * The thread that calls nalu_chunk_divide_bits.
 */
typedef nalu_status (*nalu_chunk_first_pass_callback)(void *refcon, size_t index,
    nalu_chunk_result **result_out);

/**
 * Divides the bits of a video among its chunks, so that all have the same quality. A chunk gets at
 * most the rate that the DataRateLimits and the level of its first pass's session allow.
 *
 * @param count the number of chunks, 1 or more.
 * @param bit_rate bits per second of the whole video, 1 or more.
 * @param directory for temporary files, which are as large as all first passes together. NULL: the
 *   one that TMPDIR names, or /tmp.
 * @param first,refcon returns the first passes. Called once for each index.
 * @param bit_rates_out count numbers: bits per second of each chunk.
 * @param first_pass_qps_out NULL, or count numbers: the QP at which to repeat the first pass of
 *   each chunk, twice at most; 0 if the first pass is accurate enough.
 * @return NALU_STATUS_OK, a common status (base.h), the status of the callback, or:
 * @retval NALU_STATUS_OUT_OF_RANGE bit_rate
 * @retval NALU_STATUS_PARAMETER a result is not that of a first pass, or no chunk has frames
 * @retval NALU_STATUS_MULTI_PASS_STORAGE_INVALID the directory cannot be written to
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_divide_bits(size_t count, int64_t bit_rate,
    const char *directory, nalu_chunk_first_pass_callback first, void *refcon,
    int64_t *bit_rates_out, double *first_pass_qps_out);

/* ---- The joined stream ---------------------------------------------------------------------- */

/**
 * Joins the results of second passes into one stream. Reference-counted. The calls of several
 * threads run one after the other.
 */
typedef struct nalu_chunk_stream nalu_chunk_stream;

/** Flags of nalu_chunk_stream_create. */
enum {
    /**
     * A window that reaches into several chunks may exceed DataRateLimits.
     * nalu_chunk_stream_get_chunks_at_seams_over_limits then returns the chunks at its seams.
     */
    NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS = 1u << 0
};

/**
 * Creates an empty stream.
 *
 * @param flags 0 or NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS.
 * @return NALU_STATUS_OK, or a common status (base.h)
 * @par Ownership
 * stream_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_stream_create(uint32_t flags,
    nalu_chunk_stream **stream_out);

/** Adds a reference, and returns stream. */
NALU_API nalu_chunk_stream *nalu_chunk_stream_retain(nalu_chunk_stream *stream);

/** Releases one reference. */
NALU_API void nalu_chunk_stream_release(nalu_chunk_stream *stream);

/**
 * Adds the next chunk.
 *
 * @param chunk the result of a second pass.
 * @return NALU_STATUS_OK, a common status (base.h), the statuses of nalu_chunk_joiner_add, or:
 * @retval NALU_STATUS_PARAMETER it is not the next chunk
 * @retval NALU_STATUS_BAD_DATA the samples are corrupt
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_stream_add(nalu_chunk_stream *stream,
    const nalu_chunk_result *chunk);

/**
 * Returns the next sample of the chunks so far, with its decode time in the whole stream.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE all samples of the chunks so far have been returned
 * @par Ownership
 * sample_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_stream_next_sample(nalu_chunk_stream *stream,
    nalu_sample **sample_out);

/**
 * Reads the numbers of the chunks at seams in windows that exceed DataRateLimits. Chunks of a plan
 * with NaluLimitsOverSeams false can have such seams: repeat the second passes of the returned
 * chunks with NALU_CHUNK_WORK_LIMITS_OVER_SEAMS, and check all chunks with another stream, because
 * the other seam of such a chunk may then exceed a limit.
 *
 * @param numbers,capacity,count_out see BUFFERS in base.h; counted in numbers, in ascending order.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_stream_get_chunks_at_seams_over_limits(
    nalu_chunk_stream *stream, uint32_t *numbers, size_t capacity, size_t *count_out);

NALU_END_DECLS

#endif
