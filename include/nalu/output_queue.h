/*
 * nalu/output_queue.h - encoded frames to fetch, for programs that would rather not be called.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_OUTPUT_QUEUE_H
#define NALU_OUTPUT_QUEUE_H

#include "base.h"
#include "sample.h"
#include "session.h"

NALU_BEGIN_DECLS

/*
 * Keeps what a session gives until it is fetched, in the order in which it came: for event loops, for languages
 * whose code should not run on the session's thread, for one thread that collects from several sessions.
 * Reference-counted. Any thread may call any function on it, and several may fetch.
 *
 * The queue is the refcon of a session's callback (or of a frame's, in nalu_frame_options):
 *
 *     nalu_output_queue_create(&queue);
 *     nalu_compression_session_create(1280, 720, NALU_CODEC_H264, NULL, NULL,
 *         nalu_output_queue_receive, queue, nalu_output_queue_close, &session);
 *     ...
 *     nalu_output output = {.struct_size = sizeof output};
 *     while (nalu_output_queue_next(queue, 0, &output) == NALU_STATUS_OK) {
 *         if (output.sample) write_sample(output.sample);
 *         nalu_sample_release(output.sample);
 *     }
 *
 * The queue must live until the session has ended. It has no bound: the session does not slow down when nobody
 * fetches, and the samples stay in memory.
 */
typedef struct nalu_output_queue nalu_output_queue;

/* queue_out: receives the queue with one reference; NULL on failure.
 * _PARAMETER: queue_out is NULL. _ALLOCATION_FAILED: also when the process has no file descriptors left. */
NALU_API NALU_NODISCARD nalu_status nalu_output_queue_create(nalu_output_queue **queue_out);

/* Returns `queue`. */
NALU_API nalu_output_queue *nalu_output_queue_retain(nalu_output_queue *queue);

/* Gives a reference back. With the last one the frames that nobody fetched are released. */
NALU_API void nalu_output_queue_release(nalu_output_queue *queue);

/* A nalu_compression_output_callback whose refcon is a queue: appends the frame, and keeps a reference to its sample.
 * A refcon that is no queue is ignored. */
NALU_API void nalu_output_queue_receive(void *queue, void *frame_refcon, nalu_status status,
    nalu_encode_info_flags info_flags, nalu_sample *sample);

/* A nalu_refcon_destructor whose refcon is a queue: no frame comes any more. What is in it can still be fetched.
 * It gives no reference back. */
NALU_API void nalu_output_queue_close(void *queue);

/* One frame as it came back: the arguments of the callback. Fields are only ever appended. */
typedef struct nalu_output {
    uint32_t struct_size; /* sizeof(nalu_output) */
    nalu_status status;
    nalu_encode_info_flags info_flags;
    uint32_t reserved; /* 0 */
    void *frame_refcon;
    nalu_sample *sample; /* a reference of the caller's own; NULL when the frame gave none */
} nalu_output;

/*
 * Fetches the oldest frame, and waits for one up to timeout_seconds: 0 does not wait, a negative number or an
 * infinity waits for as long as it takes.
 *
 * _WOULD_BLOCK: none came in that time. _VALUE_NOT_AVAILABLE: the queue is empty and closed. _PARAMETER: a NULL
 * argument, a timeout that is NaN, or struct_size below the first published size. _INVALID_HANDLE. On failure output
 * is not changed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_output_queue_next(nalu_output_queue *queue, double timeout_seconds,
    nalu_output *output);

/* How many frames can be fetched without waiting. 0 for NULL and for a pointer that is no queue. */
NALU_API uint64_t nalu_output_queue_get_count(const nalu_output_queue *queue);

/*
 * A file descriptor for poll, epoll and event loops: it is readable while there is something to fetch, and from
 * nalu_output_queue_close on. Only wait for it; do not read or close it. It lives as long as the queue. -1 for NULL
 * and for a pointer that is no queue.
 */
NALU_API int32_t nalu_output_queue_get_file_descriptor(const nalu_output_queue *queue);

NALU_END_DECLS

#endif
