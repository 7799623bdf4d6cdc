/*
 * nalu/part_joiner.h - joins the samples of a clip that was encoded in parts.
 *
 * docs/segments.md says how several sessions encode the parts of a clip. The joiner takes their
 * samples, checks that they are one stream, and gives each sample the decode time that it has in
 * that stream:
 *
 *     nalu_part_joiner_create(0, NULL, 0, &joiner);
 *     for each part:
 *         nalu_part_joiner_begin_part(joiner);
 *         for each sample of the part, in decode order:
 *             nalu_part_joiner_add(joiner, sample, &joined);
 *             ... write joined ...
 *             nalu_sample_release(joined);
 *     nalu_part_joiner_release(joiner);
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_PART_JOINER_H
#define NALU_PART_JOINER_H

#include "base.h"
#include "sample.h"

NALU_BEGIN_DECLS

/*
 * The state of one joined stream. Reference-counted. Any thread may use it; the calls of several
 * threads run one after the other.
 */
typedef struct nalu_part_joiner nalu_part_joiner;

/* Flags of nalu_part_joiner_create. */
enum {
    /* A part may begin later than the part before ends, for a clip with gaps between frames. */
    NALU_PART_JOINER_ALLOW_GAPS = 1u << 0
};

/*
 * Creates a joiner.
 *
 * flags: 0 or NALU_PART_JOINER_ALLOW_GAPS.
 * limits, limit_count: the value of NALU_PROPERTY_DATA_RATE_LIMITS that holds for the whole clip:
 *   0, 2 or 4 numbers, bytes and seconds in turn. They are copied. NULL and 0: no limits are
 *   checked.
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_OUT_OF_RANGE  limits is not a valid value of DataRateLimits
 * Ownership: joiner_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_part_joiner_create(uint32_t flags, const double *limits,
    size_t limit_count, nalu_part_joiner **joiner_out);

/* Adds a reference, and returns joiner. */
NALU_API nalu_part_joiner *nalu_part_joiner_retain(nalu_part_joiner *joiner);

/* Gives a reference back. */
NALU_API void nalu_part_joiner_release(nalu_part_joiner *joiner);

/*
 * Begins the next part. The samples that follow are those of one session, from its first one on.
 *
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_OUT_OF_ORDER  the part before has no samples
 */
NALU_API NALU_NODISCARD nalu_status nalu_part_joiner_begin_part(nalu_part_joiner *joiner);

/*
 * Adds a sample to the stream, if it fits. The error message of a refusal names the part, counted
 * from 0, and the time. A sample that is refused changes nothing.
 *
 * The decode times of a part begin before its first presentation time. If the first one is not
 * later than the last decode time of the part before, the decode times before the first
 * presentation time are moved to between the two. All other times stay as they are.
 *
 * A part begins where the part before ends: at the end of its last frame in presentation order, or
 * earlier or later by at most half of that frame's duration. If that frame has no duration, the
 * part begins after the frame's time, by less than twice the distance between the last two frames.
 * With NALU_PART_JOINER_ALLOW_GAPS it may begin any time later.
 *
 * sample: the next sample of the part, in decode order.
 * sample_out: receives sample itself, or one with the same bytes and another decode time.
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_OUT_OF_ORDER  no part has begun
 *   NALU_STATUS_CONFLICT      the format description differs from that of the samples before
 *   NALU_STATUS_BAD_DATA      the first sample of a part is not a key frame
 *   NALU_STATUS_INVALID_TIME  the decode time is not later than that of the sample before; or the
 *                             presentation time is earlier than that of the part's first sample; or
 *                             the part does not begin where the part before ends; or there is no
 *                             time to which its decode times could be moved
 *   NALU_STATUS_OUT_OF_RANGE  a window of the limits would hold too many bytes
 * Ownership: sample_out receives one reference; the caller keeps its own reference to sample.
 */
NALU_API NALU_NODISCARD nalu_status nalu_part_joiner_add(nalu_part_joiner *joiner,
    nalu_sample *sample, nalu_sample **sample_out);

NALU_END_DECLS

#endif
