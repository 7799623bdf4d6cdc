/**
 * @file
 * Joins the samples of a video that was encoded in chunks.
 *
 * docs/chunks.md describes how several sessions encode the chunks of a video. The joiner checks
 * that the samples of all chunks form one stream, and assigns each sample its decode time in that
 * stream:
 *
 * @code{.c}
 * nalu_chunk_joiner_create(0, NULL, 0, &joiner);
 * for each chunk:
 *     nalu_chunk_joiner_begin_chunk(joiner);
 *     for each sample of the chunk, in decode order:
 *         nalu_chunk_joiner_add(joiner, sample, &joined);
 *         ... write joined ...
 *         nalu_sample_release(joined);
 * nalu_chunk_joiner_release(joiner);
 * @endcode
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_CHUNK_JOINER_H
#define NALU_CHUNK_JOINER_H

#include "base.h"
#include "sample.h"

NALU_BEGIN_DECLS

/**
 * The state of one joined stream. Reference-counted. Any thread may use it; the calls of several
 * threads run one after the other.
 */
typedef struct nalu_chunk_joiner nalu_chunk_joiner;

/** Flags of nalu_chunk_joiner_create. */
enum {
    /**
     * A chunk may begin later than the end of the previous chunk, for a video with gaps between
     * frames.
     */
    NALU_CHUNK_JOINER_ALLOW_GAPS = 1u << 0,
    /**
     * A window that reaches into several chunks may exceed the limits.
     * nalu_chunk_joiner_get_seams_over_limits then returns its seams.
     */
    NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS = 1u << 1
};

/**
 * Creates a joiner.
 *
 * @param flags 0 or the sum of NALU_CHUNK_JOINER_ALLOW_GAPS and
 *   NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS.
 * @param limits,limit_count the value of NALU_PROPERTY_DATA_RATE_LIMITS for the whole video: 0, 2
 *   or 4 numbers, alternately bytes and seconds. They are copied. NULL and 0: no limits are
 *   checked.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE limits is not a valid value of DataRateLimits
 * @par Ownership
 * joiner_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_joiner_create(uint32_t flags, const double *limits,
    size_t limit_count, nalu_chunk_joiner **joiner_out);

/** Adds a reference, and returns joiner. */
NALU_API nalu_chunk_joiner *nalu_chunk_joiner_retain(nalu_chunk_joiner *joiner);

/** Releases one reference. */
NALU_API void nalu_chunk_joiner_release(nalu_chunk_joiner *joiner);

/**
 * Begins the next chunk. The samples added next are those of one session, beginning with its first.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_ORDER the previous chunk has no samples
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_joiner_begin_chunk(nalu_chunk_joiner *joiner);

/**
 * Adds a sample to the stream, if it fits. The error message of a refusal names the chunk, counted
 * from 0, and the time. A refused sample changes nothing.
 *
 * The decode times of a chunk begin before its first presentation time. If the first one is not
 * later than the last decode time of the previous chunk, the times overlap. All decode times before
 * the first presentation time are then moved to between that last decode time and the first
 * presentation time. All other times stay as they are.
 *
 * A chunk must begin where the previous chunk ends: at the end of that chunk's last frame in
 * presentation order, or earlier or later by at most half of that frame's duration. If that frame
 * has no duration, the chunk must begin after the frame's time, by less than twice the distance
 * between the last two frames. With NALU_CHUNK_JOINER_ALLOW_GAPS, a chunk may begin at any later
 * time.
 *
 * @param sample the next sample of the chunk, in decode order.
 * @param sample_out receives sample itself, or a sample with the same bytes and another decode
 *   time.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_ORDER no chunk has begun
 * @retval NALU_STATUS_CONFLICT the format description differs from that of earlier samples
 * @retval NALU_STATUS_BAD_DATA the first sample of a chunk is not a key frame
 * @retval NALU_STATUS_INVALID_TIME the decode time is not later than that of the previous sample;
 *   or the presentation time is earlier than that of the chunk's first sample; or the chunk does
 *   not begin where the previous one ends; or there is no time to which its decode times could be
 *   moved
 * @retval NALU_STATUS_OUT_OF_RANGE a window of the limits would hold too many bytes. With
 *   NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS, only for a window inside one chunk
 * @par Ownership
 * sample_out receives one reference; the caller keeps its own reference to sample.
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_joiner_add(nalu_chunk_joiner *joiner,
    nalu_sample *sample, nalu_sample **sample_out);

/**
 * Reads the seams in windows that exceed the limits. Seam n is between chunks n - 1 and n. The
 * windows of refused samples count too.
 *
 * Sessions with NaluLimitsOverSeams false leave the windows over seams to this check: pass their
 * samples to a joiner with NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS, encode the chunks at each
 * returned seam again with NaluLimitsOverSeams true, and check again, because the other seam of
 * such a chunk may then exceed a limit. docs/chunks.md has the steps.
 *
 * @param seams,capacity,count_out see BUFFERS in base.h; counted in seams, in ascending order.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_chunk_joiner_get_seams_over_limits(
    nalu_chunk_joiner *joiner, size_t *seams, size_t capacity, size_t *count_out);

NALU_END_DECLS

#endif
