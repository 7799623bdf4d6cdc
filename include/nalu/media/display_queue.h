/**
 * @file
 * The display queue: samples in, decoded pictures out at their presentation times.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. docs/live.md has
 * a section on showing video.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_DISPLAY_QUEUE_H
#define NALU_MEDIA_DISPLAY_QUEUE_H

#include "../base.h"
#include "../pixel_buffer.h"
#include "../sample.h"
#include "../session.h"
#include "../time.h"
#include "../timebase.h"
#include "delay.h"

NALU_BEGIN_DECLS

/**
 * Decodes samples, and passes each picture to a callback at its presentation time. The same as
 * AVFoundation's AVSampleBufferDisplayLayer, with a callback in place of a layer.
 * Reference-counted.
 *
 * @code{.c}
 * nalu_timebase_create(NULL, &timebase);
 * nalu_display_queue_create(NULL, show, NULL, refcon, NULL, &queue);
 * nalu_display_queue_set_control_timebase(queue, timebase);
 * nalu_timebase_set_rate(timebase, 1.0);
 * while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
 *     while (nalu_display_queue_enqueue_sample(queue, sample, 0) == NALU_STATUS_WOULD_BLOCK)
 *         nalu_display_queue_wait_until_ready(queue, 1.0);
 *     nalu_sample_release(sample);
 * }
 * nalu_display_queue_finish(queue);  // show the pictures that the decoder delays
 * @endcode
 *
 * The rate of the control timebase decides what is shown:
 * - above 0: each picture when the timebase reaches its presentation time
 * - 0: pictures up to the time of the timebase; nalu_display_queue_step shows the next one
 * - below 0: each picture when the timebase has fallen to its presentation time. The samples are
 *   then key frames in falling order. After a change of direction, call nalu_display_queue_flush.
 *
 * A picture is late if the next picture is due too when the queue would show it: it is dropped and
 * counted. So the callback always receives the newest picture that is due, and a decoder that is
 * too slow does not leave the screen empty.
 *
 * The queue is bounded. It accepts nalu_display_queue_options.sample_capacity samples that wait for
 * the decoder, and decodes while fewer than picture_capacity pictures wait for their time. No
 * function here waits, except where a Threading paragraph says so; so handing in samples from any
 * callback cannot cause a deadlock.
 *
 * In a child process after fork, the queues of the parent are invalid.
 */
typedef struct nalu_display_queue nalu_display_queue;

/* ---- The callbacks -------------------------------------------------------------------------- */

/**
 * Shows a picture.
 *
 * Calls for one queue never overlap, and no lock is held. A slow callback delays later pictures,
 * which may then be late. The callback may call every function of this header, except that
 * nalu_display_queue_invalidate and nalu_display_queue_wait_until_ready return
 * NALU_STATUS_REENTRANT.
 *
 * @param image the picture; NULL: remove the displayed picture, because of
 *   nalu_display_queue_flush_and_remove_image.
 * @param info_flags NALU_DECODE_INFO_DAMAGED, NALU_DECODE_INFO_INTERLACED,
 *   NALU_DECODE_INFO_BOTTOM_FIELD_FIRST (decompression_session.h), or 0.
 * @param presentation_time,duration the times of the sample.
 * @par Threading
 * The queue's display thread. C++ exceptions and longjmp must not leave the callback.
 * @par Ownership
 * image is valid during the call; nalu_pixel_buffer_retain extends its life, also beyond the queue.
 */
typedef void (*nalu_display_callback)(void *refcon, nalu_pixel_buffer *image, uint32_t info_flags,
    nalu_time presentation_time, nalu_time duration);

/** Events of a queue. */
enum {
    /**
     * As many pictures as nalu_display_queue_options.preroll_count are decoded, or all pictures
     * after nalu_display_queue_finish. Once after the creation and after each flush.
     */
    NALU_DISPLAY_EVENT_PREROLLED = 1,
    /** The last picture before nalu_display_queue_finish has been shown or dropped. */
    NALU_DISPLAY_EVENT_ENDED = 2,
    /** Samples could not be decoded: nalu_display_queue_copy_last_error has the reason. */
    NALU_DISPLAY_EVENT_FAILED = 3
};

/**
 * Receives an event.
 *
 * @param event NALU_DISPLAY_EVENT_...
 * @param status with NALU_DISPLAY_EVENT_FAILED, why the last sample could not be decoded; else
 *   NALU_STATUS_OK.
 * @par Threading
 * The queue's display thread, with the rules of nalu_display_callback.
 */
typedef void (*nalu_display_event_callback)(void *refcon, int32_t event, nalu_status status);

/* ---- Creation ------------------------------------------------------------------------------- */

/** Flags of nalu_display_queue_options. */
enum {
    /**
     * Decode with threads within a picture only, so that a picture is delayed no longer than the
     * stream's reordering requires: for live video.
     */
    NALU_DISPLAY_QUEUE_LOW_DELAY = 1u << 0
};

/** Options of a queue. Start from NALU_DISPLAY_QUEUE_OPTIONS_INIT. */
typedef struct nalu_display_queue_options {
    uint32_t struct_size;      /**< sizeof(nalu_display_queue_options) */
    uint32_t flags;            /**< NALU_DISPLAY_QUEUE_LOW_DELAY. Default: 0 */
    int32_t sample_capacity;   /**< samples that wait for the decoder, 1 to 128. Default: 0, 16 */
    int32_t picture_capacity;  /**< pictures that wait for their time, 1 to 128. Default: 0, 4 */
    int32_t preroll_count;     /**< 1 to picture_capacity. Default: 0, picture_capacity */
    int32_t thread_count;      /**< as in nalu_decoder_specification. Default: 0 */
    int64_t maximum_pixel_count; /**< as in nalu_decoder_specification. Default: 0 */
    nalu_pixel_format pixel_format; /**< as in nalu_destination_attributes. Default: 0 */
    uint32_t reserved;         /**< 0 */
} nalu_display_queue_options;

#define NALU_DISPLAY_QUEUE_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_display_queue_options), 0, 0, 0, 0, 0, 0, 0, 0}

/**
 * Creates a queue. Its control timebase is the host clock, as for a layer without controlTimebase.
 *
 * @param options NULL for the defaults; read during the call only.
 * @param show receives the pictures.
 * @param event NULL, or receives the events.
 * @param refcon passed to show and event.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_OUT_OF_RANGE a number in options
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT options->pixel_format
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h)
 * @par Ownership
 * queue_out receives one reference. On failure destroy_refcon is not called.
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_create(
    const nalu_display_queue_options *options, nalu_display_callback show,
    nalu_display_event_callback event, void *refcon, nalu_refcon_destructor destroy_refcon,
    nalu_display_queue **queue_out);

/** Adds a reference, and returns queue. */
NALU_API nalu_display_queue *nalu_display_queue_retain(nalu_display_queue *queue);

/**
 * Releases one reference. The last release invalidates the queue.
 *
 * @par Threading
 * The last release waits as nalu_display_queue_invalidate does. Inside a callback of the queue it
 * does not wait.
 */
NALU_API void nalu_display_queue_release(nalu_display_queue *queue);

/**
 * Ends a queue: its samples and pictures are dropped, no callback runs after the function has
 * returned, and destroy_refcon has been called.
 *
 * @return NALU_STATUS_OK, also for a queue that has been invalidated; a common status (base.h); or:
 * @retval NALU_STATUS_REENTRANT called from a callback of the queue
 * @retval NALU_STATUS_WOULD_BLOCK called from another callback of Nalu's (callback_wait.h)
 * @par Threading
 * Waits for a callback that is running in another thread, and for the decoder's present picture.
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_invalidate(nalu_display_queue *queue);

/* ---- Time ----------------------------------------------------------------------------------- */

/**
 * Makes another timebase decide when pictures are shown. Waiting pictures stay.
 *
 * @param timebase retained; NULL for the host clock.
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_set_control_timebase(
    nalu_display_queue *queue, nalu_timebase *timebase);

/** Returns a new reference to the control timebase; NULL for a pointer that is not a queue. */
NALU_API nalu_timebase *nalu_display_queue_copy_control_timebase(const nalu_display_queue *queue);

/* ---- Samples -------------------------------------------------------------------------------- */

/** Flags of nalu_display_queue_enqueue_sample. */
enum {
    /**
     * Show the picture as soon as it is decoded, whatever its time: as
     * kCMSampleAttachmentKey_DisplayImmediately. Earlier pictures that still wait are late.
     */
    NALU_DISPLAY_IMMEDIATELY = 1u << 0
};

/**
 * Hands in the next sample, in decode order. The first sample, and the first after a flush, should
 * be a key frame. A sample with NALU_SAMPLE_DO_NOT_DISPLAY is decoded and not shown.
 *
 * @param flags NALU_DISPLAY_IMMEDIATELY or 0.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_WOULD_BLOCK the queue is full; nothing has changed. See
 *   nalu_display_queue_wait_until_ready and nalu_display_queue_request_media_data_when_ready
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the format of the sample cannot be decoded
 * @retval NALU_STATUS_INVALID_SIZE the picture has more pixels than maximum_pixel_count
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_enqueue_sample(nalu_display_queue *queue,
    nalu_sample *sample, uint32_t flags);

/** Returns 1 if the queue has room for a sample (isReadyForMoreMediaData), else 0. */
NALU_API int32_t nalu_display_queue_is_ready_for_more_media_data(const nalu_display_queue *queue);

/**
 * Waits until the queue has room for a sample.
 *
 * @param seconds the longest wait, 0 to 3600.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_WOULD_BLOCK the queue is still full, for example because the control timebase
 *   is stopped; or the function was called from another callback of Nalu's (callback_wait.h)
 * @retval NALU_STATUS_OUT_OF_RANGE seconds
 * @retval NALU_STATUS_REENTRANT called from a callback of the queue
 * @par Threading
 * Waits as its name says.
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_wait_until_ready(nalu_display_queue *queue,
    double seconds);

/** Receives the refcon of a request for samples. */
typedef void (*nalu_display_request_callback)(void *refcon);

/**
 * Calls a function whenever the queue has room for samples, as requestMediaDataWhenReady does. The
 * function hands in samples while nalu_display_queue_is_ready_for_more_media_data returns 1. A call
 * that hands in nothing is not repeated before the queue has taken another sample or was flushed.
 *
 * @param callback replaces the earlier one. NULL: no further calls (stopRequestingMediaData); a
 *   call that is running is not awaited.
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Threading
 * The queue's decoding thread, so a slow callback does not delay pictures that are decoded. It may
 * call every function of this header, with the exceptions of nalu_display_callback.
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_request_media_data_when_ready(
    nalu_display_queue *queue, nalu_display_request_callback callback, void *refcon);

/**
 * Declares that no sample follows for now: the pictures that the decoder delays for reordering are
 * shown too, and then NALU_DISPLAY_EVENT_ENDED follows. A later sample should be a key frame.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_finish(nalu_display_queue *queue);

/**
 * Drops all samples and pictures that wait, for example before a seek. The displayed picture stays.
 * A callback that is running in another thread is not awaited, and no later one shows a picture of
 * an earlier sample.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_flush(nalu_display_queue *queue);

/**
 * Flushes, and then calls the callback with NULL.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_flush_and_remove_image(
    nalu_display_queue *queue);

/**
 * Shows the next picture, and sets the control timebase to its presentation time, unless that is
 * the host clock. If no picture is decoded yet, this happens when one is.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_CONFLICT the rate of the control timebase is not 0
 * @retval NALU_STATUS_WOULD_BLOCK 128 steps wait for pictures
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_step(nalu_display_queue *queue);

/* ---- Statistics ----------------------------------------------------------------------------- */

/** The counters and delays of a queue since its creation; flushes do not reset them. */
typedef struct nalu_display_queue_statistics {
    uint32_t struct_size;       /**< sizeof(nalu_display_queue_statistics), set by the caller */
    uint32_t is_prerolled;      /**< 1 after NALU_DISPLAY_EVENT_PREROLLED, until a flush */
    uint64_t accepted_samples;  /**< samples that were handed in */
    uint64_t shown_pictures;    /**< pictures that the callback received */
    uint64_t late_pictures;     /**< pictures that were dropped because the next one was due too */
    uint64_t failed_samples;    /**< samples that could not be decoded */
    uint64_t flushed_samples;   /**< samples and pictures that were dropped by a flush */
    uint64_t waiting_samples;   /**< samples that wait for the decoder */
    uint64_t waiting_pictures;  /**< pictures that wait for their time */
    nalu_delay receive;         /**< from handing in a sample to the decoder */
    nalu_delay decode;          /**< from there to the decoded picture, with the reordering */
    nalu_delay show;            /**< from there to the callback: the wait for its time */
    /**
     * From the moment at which a picture was due to its callback, for pictures that were decoded by
     * then: the jitter. Without stepped and immediate pictures, and measured only while the control
     * timebase runs over the host clock.
     */
    nalu_delay lateness;
} nalu_display_queue_statistics;

/**
 * Reads the statistics; all values are from the same moment.
 *
 * @param statistics struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK or a common status (base.h), but never NALU_STATUS_INVALID_SESSION: after
 *   invalidate the function returns the last values.
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_get_statistics(
    const nalu_display_queue *queue, nalu_display_queue_statistics *statistics);

/**
 * Copies the error message of the last sample that could not be decoded; "" if there was none.
 *
 * @param buffer NULL with capacity 0, or receives the text with its terminating NUL.
 * @param size_out receives the size with the NUL.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL size_out has the needed size
 */
NALU_API NALU_NODISCARD nalu_status nalu_display_queue_copy_last_error(
    const nalu_display_queue *queue, char *buffer, size_t capacity, size_t *size_out);

NALU_END_DECLS

#endif
