/**
 * @file
 * The compression session: frames in, samples out.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_SESSION_H
#define NALU_SESSION_H

#include "base.h"
#include "pixel_buffer.h"
#include "sample.h"
#include "time.h"

NALU_BEGIN_DECLS

/**
 * Encodes frames of one size into samples. Reference-counted.
 *
 * A session orders its calls internally, and different sessions share nothing. If several threads
 * encode at once, they must make sure that presentation times grow in the order of their calls.
 *
 * In a child process after fork, the sessions of the parent are invalid: functions return
 * NALU_STATUS_INVALID_SESSION, a release does not wait, and neither callbacks nor destroy_refcon
 * are called. The parent's own sessions continue.
 */
typedef struct nalu_compression_session nalu_compression_session;

/* ---- The output callback -------------------------------------------------------------------- */

/** VideoToolbox's VTEncodeInfoFlags with its numbers. */
typedef uint32_t nalu_encode_info_flags;

enum {
    /**
     * Set by encode_frame: the frame was accepted; its callback may follow after encode_frame
     * returns.
     */
    NALU_ENCODE_INFO_ASYNCHRONOUS = 1u << 0,
    /** Passed to the callback: the frame was dropped; the sample is NULL. */
    NALU_ENCODE_INFO_FRAME_DROPPED = 1u << 1
};

/**
 * Receives one encoded frame.
 *
 *  1. There is exactly one call for each accepted frame, that is, for each call of encode_frame or
 *     encode_planes that returned NALU_STATUS_OK. A refused frame has no call.
 *  2. Samples are delivered in decode order.
 *  3. Calls for one session never overlap. They are made on the session's own thread, possibly
 *     before encode_frame returns.
 *  4. With a sample, status is NALU_STATUS_OK. Without one, either NALU_ENCODE_INFO_FRAME_DROPPED
 *     is set, and status is NALU_STATUS_OK (dropped by the encoder) or NALU_STATUS_INVALID_SESSION
 *     (pending when the session was invalidated); or status is the reason of a failure. The failure
 *     of one frame does not end the session.
 *  5. The library no longer reads the frame's pixels when the call is made.
 *  6. No lock is held during the call. The callback may encode frames, set and read properties, and
 *     release the session. nalu_compression_session_complete_frames and
 *     nalu_compression_session_invalidate return NALU_STATUS_REENTRANT, since they would wait for
 *     this very call.
 *  7. A slow callback slows the session: encode_frame waits while too many frames are pending.
 *     Inside the callback, encode_frame does not wait: it accepts up to four times as many pending
 *     frames, and then returns NALU_STATUS_WOULD_BLOCK. encode_frame also returns that status while
 *     another thread waits in encode_frame and the callback has meanwhile handed in twelve frames.
 *     Otherwise a callback that hands in a frame for each sample would delay that thread without
 *     limit.
 *  8. Inside the callback, calls for another session do not wait either: one that would wait
 *     returns NALU_STATUS_WOULD_BLOCK and has no effect, and a release does not wait. This includes
 *     decompression sessions. After nalu_callback_allow_waits they wait, unless that would cause a
 *     deadlock between the callbacks of several sessions.
 *  9. No call begins after nalu_compression_session_invalidate has returned.
 *
 * @param refcon the refcon given with the callback.
 * @param frame_refcon the refcon given with the frame.
 * @param sample NULL if the frame was dropped or failed.
 * @par Threading
 * The session's thread. C++ exceptions and longjmp must not leave the callback.
 * @par Ownership
 * sample is valid during the call; nalu_sample_retain keeps it.
 */
typedef void (*nalu_compression_output_callback)(void *refcon, void *frame_refcon,
    nalu_status status, nalu_encode_info_flags info_flags, nalu_sample *sample);

/* ---- Creation ------------------------------------------------------------------------------- */

/** The choice of an encoder. Start from NALU_ENCODER_SPECIFICATION_INIT. */
typedef struct nalu_encoder_specification {
    uint32_t struct_size; /**< sizeof(nalu_encoder_specification) */
    /**
     * 1: only a hardware encoder is acceptable. There is none, so creation fails with
     * NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER. Default: 0.
     */
    uint32_t require_hardware_accelerated_video_encoder;
    /** An identifier from nalu_encoder_get_id. Default: NULL, the best encoder for the codec. */
    const char *encoder_id;
} nalu_encoder_specification;

#define NALU_ENCODER_SPECIFICATION_INIT {(uint32_t)sizeof(nalu_encoder_specification), 0, NULL}

/** The attributes of future frames. Start from NALU_SOURCE_ATTRIBUTES_INIT. */
typedef struct nalu_source_attributes {
    uint32_t struct_size; /**< sizeof(nalu_source_attributes) */
    /**
     * The pixel format of the session's pool. If the encoder is opened before the first frame, it
     * also decides the range of the stream: full for '420f' and 'f420', else video. Default: 0,
     * '420v'; with OpenH264 'y420', which it reads without a conversion.
     */
    nalu_pixel_format pixel_format;
} nalu_source_attributes;

#define NALU_SOURCE_ATTRIBUTES_INIT {(uint32_t)sizeof(nalu_source_attributes), 0}

/**
 * Creates a session. The encoder is opened later, by prepare or by the first frame.
 *
 * @param width,height the size of the stream, 16 to NALU_MAX_DIMENSION pixels each, and at most
 *   139264 macroblocks of 16 x 16, which is H.264 level 6.2. With NALU_CODEC_HEVC, 32 to
 *   NALU_MAX_DIMENSION, and at most 35651584 pixels, which is H.265 level 6.2. An odd size is
 *   encoded with the next even size, since 4:2:0 has even sizes only; the last column or row is
 *   repeated.
 * @param codec NALU_CODEC_H264 or NALU_CODEC_HEVC. The first session with NALU_CODEC_HEVC loads
 *   libx265.
 * @param specification,source_attributes NULL for the defaults; read during the call only.
 * @param callback NULL if every frame has its own callback (nalu_frame_options).
 * @param refcon passed to the callback.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INVALID_SIZE width or height
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT source_attributes
 * @retval NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER codec or specification, or libx265 is missing:
 *   the error message names the library and its package
 * @par Ownership
 * session_out receives one reference. On failure destroy_refcon is not called; the caller keeps
 * refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_create(int32_t width, int32_t height,
    nalu_four_char_code codec, const nalu_encoder_specification *specification,
    const nalu_source_attributes *source_attributes, nalu_compression_output_callback callback,
    void *refcon, nalu_refcon_destructor destroy_refcon, nalu_compression_session **session_out);

/** Adds a reference, and returns session. */
NALU_API nalu_compression_session *nalu_compression_session_retain(
    nalu_compression_session *session);

/**
 * Releases one reference. The last release invalidates the session.
 *
 * @par Threading
 * The last release waits as nalu_compression_session_invalidate does. Inside the callback it does
 * not wait: the session ends when the callback has returned, and then destroy_refcon is called.
 */
NALU_API void nalu_compression_session_release(nalu_compression_session *session);

/**
 * Opens the encoder with the current properties. Without this call, the first frame opens the
 * encoder. If the encoder is open, the call does nothing.
 *
 * Until the first frame, all properties can still be set. A change that concerns the encoder closes
 * it, and a further call or the first frame opens it again: the stream is the same as if the
 * properties had been set before. Until then, properties that are available when the encoder is
 * open have no value.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_CONFLICT properties that exclude each other
 * @retval NALU_STATUS_OUT_OF_RANGE a value that does not fit the size or frame rate, for example a
 *   level that is too low
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE the encoder refused its parameters
 * @retval NALU_STATUS_WOULD_BLOCK the call would have to wait inside a callback (rule 8)
 * @par Threading
 * Waits while another thread hands in a frame or opens the encoder, and until the encoder is open.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_prepare(
    nalu_compression_session *session);

/**
 * Returns the session's pool, with buffers of the session's size and the format of
 * source_attributes. NULL for an invalidated session.
 *
 * The pool's buffers in '420v', '420f', 'y420' and 'f420' are encoded without a copy under three
 * conditions: the stream has 8 bits, it has the format's range, and width and height are even.
 * Other frames are converted.
 *
 * @par Ownership
 * The pool lives as long as the session; nalu_pixel_buffer_pool_retain extends its life.
 */
NALU_API nalu_pixel_buffer_pool *nalu_compression_session_get_pixel_buffer_pool(
    nalu_compression_session *session);

/* ---- Encoding ------------------------------------------------------------------------------- */

/** Flags of nalu_frame_options. */
enum {
    /** Make this frame a key frame (IDR). */
    NALU_FRAME_FORCE_KEY_FRAME = 1u << 0,
    /** Return NALU_STATUS_WOULD_BLOCK instead of waiting while too many frames are pending. */
    NALU_FRAME_DO_NOT_WAIT = 1u << 1,
    /**
     * Encode this frame from acknowledged frames only, so that a receiver that has lost other
     * frames can decode it; or make it a key frame if the encoder keeps no acknowledged frame any
     * more. The last key frame counts as acknowledged while the encoder keeps it, at most for twice
     * as many frames as the slowest acknowledgement took. A request that the receiver sent before
     * that key frame arrived therefore causes no second key frame; NALU_FRAME_FORCE_KEY_FRAME does.
     * NALU_STATUS_CONFLICT without NALU_PROPERTY_ENABLE_LTR.
     */
    NALU_FRAME_FORCE_LTR_REFRESH = 1u << 2,
    /**
     * Begin an intra refresh with this frame, or when the one in progress is complete.
     * NALU_STATUS_CONFLICT without NALU_PROPERTY_ALLOW_INTRA_REFRESH.
     */
    NALU_FRAME_BEGIN_INTRA_REFRESH = 1u << 3
};

/** Options for one frame. Start from NALU_FRAME_OPTIONS_INIT; 0 and NULL are the defaults. */
typedef struct nalu_frame_options {
    uint32_t struct_size; /**< sizeof(nalu_frame_options) */
    uint32_t flags;       /**< NALU_FRAME_... */
    /** Called for this frame instead of the session's callback, under the same rules. */
    nalu_compression_output_callback callback;
    void *callback_refcon;
    /**
     * Tokens of samples that the receiver has decoded without error, in any order. A token also
     * acknowledges all samples that its sample refers to, and is needed only once. Tokens of
     * samples that the encoder no longer keeps have no effect. Read during the call only. At most
     * 4096 tokens of samples of this session, each 0 or more. NALU_STATUS_CONFLICT without
     * NALU_PROPERTY_ENABLE_LTR.
     */
    const int64_t *acknowledged_ltr_tokens;
    uint32_t acknowledged_ltr_token_count;
    /**
     * The QP of the frame plus 1: 1 to 52 for QP 0 to 51; 0: rate control decides. The field is for
     * clients that control the rate themselves: NALU_STATUS_CONFLICT unless
     * NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP is true. Adaptive quantisation and x264's macroblock
     * tree still vary the QP within the frame, between MinAllowedFrameQP and MaxAllowedFrameQP.
     */
    int32_t base_frame_qp_plus_1;
    /**
     * Region of interest: QP steps to add, -51 (better quality) to 51, in a grid of cells that is
     * stretched over the picture, row by row from the top left. Columns: 1 to the session's width;
     * rows: 1 to its height. A macroblock of 16 x 16 pixels gets the mean of the cells that it
     * covers. The rate does not change: bits that one area gains are lost elsewhere. The QP stays
     * between MinAllowedFrameQP and MaxAllowedFrameQP. Read during the call only.
     * NALU_STATUS_CONFLICT if the encoder runs without adaptive quantisation (aq-mode=0).
     */
    const float *qp_offsets;
    uint32_t qp_offset_columns;
    uint32_t qp_offset_rows;
} nalu_frame_options;

#define NALU_FRAME_OPTIONS_INIT \
    {(uint32_t)sizeof(nalu_frame_options), 0, NULL, NULL, NULL, 0, 0, NULL, 0, 0}

/**
 * Hands in one frame. It is encoded on the session's thread.
 *
 * @param buffer a frame of any pixel format. A frame whose size differs from the session's is
 *   scaled, unless NALU_PROPERTY_ALLOW_SCALING is false.
 * @param presentation_time numeric, and greater than that of the last accepted frame. Any spacing
 *   is accepted; the timescale may change from frame to frame. If frames are reordered, the first
 *   time must be a few units above INT64_MIN, since decode times precede it.
 * @param duration numeric and not negative, or the invalid time if not known. The sample has the
 *   same duration; it is not written to the stream.
 * @param options NULL for the defaults; read during the call only.
 * @param frame_refcon passed to the callback.
 * @param info_flags_out NULL, or receives NALU_ENCODE_INFO_ASYNCHRONOUS for an accepted frame, else
 *   0.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and the frame is not accepted:
 *   it has no callback.
 * @retval NALU_STATUS_PARAMETER there is no callback, neither in options nor from creation
 * @retval NALU_STATUS_INVALID_TIME presentation_time or duration
 * @retval NALU_STATUS_INVALID_SIZE another size, and NALU_PROPERTY_ALLOW_SCALING is false
 * @retval NALU_STATUS_OUT_OF_RANGE a value in options
 * @retval NALU_STATUS_CONFLICT an option that the properties exclude, or an RGB frame that
 *   NALU_PROPERTY_YCBCR_MATRIX does not convert
 * @retval NALU_STATUS_WOULD_BLOCK too many frames are pending, and the call may not wait (rules 7,
 *   8)
 *   The first frame also returns the statuses of nalu_compression_session_prepare.
 * @par Threading
 * Waits when three frames are pending at the encoder, until at most one is, unless
 * NALU_FRAME_DO_NOT_WAIT is set. With NALU_PROPERTY_MAX_FRAME_DELAY_COUNT it also waits, in any
 * case, until the frames that the property names have been delivered. Waits while another thread
 * hands in a frame.
 * @par Ownership
 * In a stream of 8 bits and an even size, 4:2:0 buffers of 8 bits with the session's size and the
 * stream's range are retained and read until the callback. Do not change their pixels until then.
 * Other buffers are converted during the call.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_encode_frame(
    nalu_compression_session *session, nalu_pixel_buffer *buffer, nalu_time presentation_time,
    nalu_time duration, const nalu_frame_options *options, void *frame_refcon,
    nalu_encode_info_flags *info_flags_out);

/**
 * Hands in one frame from plain memory.
 *
 * @param format,width,height,plane_count,planes,strides,plane_sizes see
 *   nalu_pixel_buffer_create_with_planes.
 * The other parameters: see nalu_compression_session_encode_frame.
 * @return the statuses of both functions.
 * @par Ownership
 * The planes are copied or converted during the call; the caller may reuse them at once.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_encode_planes(
    nalu_compression_session *session, int32_t width, int32_t height, nalu_pixel_format format,
    uint32_t plane_count, const void *const *planes, const int64_t *strides,
    const uint64_t *plane_sizes, nalu_time presentation_time, nalu_time duration,
    const nalu_frame_options *options, void *frame_refcon, nalu_encode_info_flags *info_flags_out);

/**
 * Waits until accepted frames have been delivered. The session can be used afterwards.
 *
 * If the encoder was delaying frames, it is drained, and the next frame is a key frame.
 *
 * @param until the last presentation time to wait for; a time that is not numeric means all frames.
 * @return NALU_STATUS_OK, a common status (base.h; NALU_STATUS_INVALID_SESSION also if the session
 *   is invalidated during the wait), or:
 * @retval NALU_STATUS_REENTRANT the call was made from the callback
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 8)
 * @par Threading
 * Waits.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_complete_frames(
    nalu_compression_session *session, nalu_time until);

/**
 * Ends the session. NULL, or a second call, does nothing and returns NALU_STATUS_OK.
 *
 * Every pending frame gets its callback, with NULL, NALU_ENCODE_INFO_FRAME_DROPPED and
 * NALU_STATUS_INVALID_SESSION; then destroy_refcon is called. To have pending frames encoded
 * instead, call nalu_compression_session_complete_frames first. Afterwards functions return
 * NALU_STATUS_INVALID_SESSION, apart from nalu_compression_session_copy_last_error and
 * nalu_compression_session_get_statistics. The handle is valid until it is released.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_REENTRANT the call was made from the callback; nothing is changed
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 8)
 * @par Threading
 * Waits for the callback in progress.
 */
NALU_API nalu_status nalu_compression_session_invalidate(nalu_compression_session *session);

/**
 * Copies the error message of the last failure during encoding, which a callback received as a
 * status. "" if no frame has failed.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_copy_last_error(
    nalu_compression_session *session, char *buffer, size_t capacity, size_t *size_out);

/* ---- Statistics ----------------------------------------------------------------------------- */

/**
 * The counts and measurements of a session since its creation.
 *
 * A frame is counted when its callback has returned, so that at any moment
 *
 * @verbatim
 * accepted_frames = encoded_frames + dropped_frames + failed_frames + pending_frames
 * @endverbatim
 *
 * Rates are in bits per second of decode time, not of encoding time. Values that do not exist yet
 * are NaN.
 */
typedef struct nalu_session_statistics {
    uint32_t struct_size;     /**< sizeof(nalu_session_statistics), set by the caller */
    uint32_t reserved;        /**< 0 */
    uint64_t accepted_frames; /**< refused frames are not counted anywhere */
    uint64_t encoded_frames;  /**< frames that became a sample */
    uint64_t dropped_frames;  /**< NALU_ENCODE_INFO_FRAME_DROPPED, including invalidate */
    uint64_t failed_frames;   /**< their callback had a failure status without that flag */
    uint64_t pending_frames;  /**< their callback has not returned yet */
    uint64_t key_frames;      /**< samples that are key frames (IDR) */
    uint64_t bytes;           /**< bytes of all samples, without parameter sets */
    double mean_qp;           /**< mean of the samples' average QP; NaN before the first sample */
    double last_qp;           /**< average QP of the last sample */
    /**
     * Bits per second over the last second of decode time, rounded up to whole samples, or over the
     * last 1024 samples if these are shorter. A sample lasts until the next decode time, so the
     * last sample is not included. NaN before the second sample. The measurement restarts if decode
     * times decrease.
     */
    double current_bit_rate;
    double mean_bit_rate;     /**< bits per second over all samples but the last */
    /**
     * Seconds that the session's thread spent in the encoder per frame, without conversion, waiting
     * and callbacks: 50th and 99th percentile of the last 256 frames. An encoder with its own
     * threads returns before a frame is complete; the value is then its time per frame.
     */
    double encode_time_p50;
    double encode_time_p99;
    double longest_encode_time; /**< the maximum over all frames, in seconds */
    /** Means over all samples with NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR; otherwise NaN. */
    /** dB, of the mean squared error, luma and chroma; may be infinite */
    double mean_psnr;
    double mean_ssim;         /**< at most 1 */
} nalu_session_statistics;

/**
 * Reads the session's statistics; all values are from the same moment.
 *
 * @param statistics struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK or a common status (base.h), but never NALU_STATUS_INVALID_SESSION: after
 *   invalidate the function returns the last values.
 * @par Threading
 * Does not wait or allocate; may be called inside the callback, where the frame of the callback is
 * still pending.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_get_statistics(
    nalu_compression_session *session, nalu_session_statistics *statistics);

/* ---- Encoders ------------------------------------------------------------------------------- */

/** Returns the number of encoders. */
NALU_API uint32_t nalu_encoder_get_count(void);

/** @{ */
/**
 * Return the identifier of an encoder, for example "org.videolan.x264"; its name, for example "x264
 * core 164"; and its codec. NULL or 0 beyond the last. Static storage. The library of a listed
 * encoder can be missing: that of OpenH264 is loaded when a session opens its encoder.
 */
NALU_API const char *nalu_encoder_get_id(uint32_t index);
NALU_API const char *nalu_encoder_get_name(uint32_t index);
NALU_API nalu_four_char_code nalu_encoder_get_codec(uint32_t index);
/** @} */

NALU_END_DECLS

#endif
