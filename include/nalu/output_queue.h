/**
 * @file
 * A queue of encoded frames, for programs that fetch them instead of receiving a callback.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_OUTPUT_QUEUE_H
#define NALU_OUTPUT_QUEUE_H

#include "base.h"
#include "sample.h"
#include "session.h"

NALU_BEGIN_DECLS

/**
 * Keeps the frames that a session delivers, in the same order, until they are fetched.
 * Reference-counted. The queue suits event loops, and languages whose code should not run on the
 * session's thread. Several threads may fetch.
 *
 * The queue is the refcon of a session's callback:
 *
 * @code{.c}
 * nalu_output_queue_create(&queue);
 * nalu_compression_session_create(1280, 720, NALU_CODEC_H264, NULL, NULL,
 *     nalu_output_queue_receive, queue, nalu_output_queue_close, &session);
 * ...
 * nalu_output output = {.struct_size = sizeof output};
 * while (nalu_output_queue_next(queue, 0, &output) == NALU_STATUS_OK) {
 *     if (output.sample) write_sample(output.sample);
 *     nalu_sample_release(output.sample);
 * }
 * @endcode
 *
 * Several sessions may share a queue in this way; frame_refcon can distinguish their frames. The
 * last session that ends closes it, so create them all before the first one ends.
 *
 * The queue must live until the sessions have ended. It has no limit: samples stay in memory until
 * they are fetched, and the session does not slow down.
 */
typedef struct nalu_output_queue nalu_output_queue;

/**
 * Creates a queue.
 *
 * @return NALU_STATUS_OK or a common status (base.h); NALU_STATUS_ALLOCATION_FAILED also if the
 *   process has no file descriptors left.
 * @par Ownership
 * queue_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_output_queue_create(nalu_output_queue **queue_out);

/** Adds a reference, and returns queue. */
NALU_API nalu_output_queue *nalu_output_queue_retain(nalu_output_queue *queue);

/** Releases one reference. The last release also releases the samples that were not fetched. */
NALU_API void nalu_output_queue_release(nalu_output_queue *queue);

/**
 * Appends a frame to a queue. Pass this function to a session, or in nalu_frame_options, as the
 * callback.
 *
 * @param queue the queue; a pointer that is not a queue is ignored.
 * @par Ownership
 * The queue retains sample.
 */
NALU_API void nalu_output_queue_receive(void *queue, void *frame_refcon, nalu_status status,
    nalu_encode_info_flags info_flags, nalu_sample *sample);

/**
 * Closes a queue at once: it accepts no further frame, and its frames can still be fetched. If
 * sessions have this function as destroy_refcon, the queue closes when the last of them has ended.
 *
 * @param queue the queue; a pointer that is not a queue is ignored.
 * @par Ownership
 * No reference is released.
 */
NALU_API void nalu_output_queue_close(void *queue);

/** One frame: the arguments of the callback. */
typedef struct nalu_output {
    uint32_t struct_size; /**< sizeof(nalu_output), set by the caller */
    nalu_status status;   /**< NALU_STATUS_OK, or the reason why there is no sample */
    nalu_encode_info_flags info_flags; /**< NALU_ENCODE_INFO_... */
    uint32_t reserved;    /**< 0 */
    void *frame_refcon;   /**< the refcon given with the frame */
    nalu_sample *sample;  /**< NULL if the frame was dropped or failed */
} nalu_output;

/**
 * Fetches the oldest frame.
 *
 * @param timeout_seconds the longest time to wait. 0 does not wait; a negative number or infinity
 *   waits without limit.
 * @param output struct_size is set by the caller; the other fields are filled in, and stay
 *   unchanged on failure.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_WOULD_BLOCK no frame arrived in that time; or the wait would have no limit,
 *   and the call was made from a session's callback. After nalu_callback_allow_waits, such a call
 *   is refused only if all sessions of the queue wait for that callback, or are the callback's own
 *   session
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the queue is empty and closed
 * @retval NALU_STATUS_PARAMETER timeout_seconds is NaN
 * @par Threading
 * Waits up to timeout_seconds.
 * @par Ownership
 * output->sample is a reference that the caller owns.
 */
NALU_API NALU_NODISCARD nalu_status nalu_output_queue_next(nalu_output_queue *queue,
    double timeout_seconds, nalu_output *output);

/** Returns how many frames can be fetched without waiting. */
NALU_API uint64_t nalu_output_queue_get_count(const nalu_output_queue *queue);

/**
 * Returns a file descriptor for poll, epoll and event loops; -1 for NULL and for a pointer that is
 * not a queue.
 *
 * The descriptor is readable while a frame can be fetched, and after nalu_output_queue_close. Only
 * wait for it; do not read or close it.
 *
 * @par Ownership
 * The descriptor lives as long as the queue.
 */
NALU_API int32_t nalu_output_queue_get_file_descriptor(const nalu_output_queue *queue);

NALU_END_DECLS

#endif
