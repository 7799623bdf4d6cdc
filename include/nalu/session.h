/*
 * nalu/session.h - the compression session.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_SESSION_H
#define NALU_SESSION_H

#include "base.h"
#include "pixel_buffer.h"
#include "sample.h"
#include "time.h"

NALU_BEGIN_DECLS

/*
 * Turns frames of one size into samples. Reference-counted. Any thread may call any function on
 * it; calls are put in order inside, and different sessions share nothing. When several threads
 * encode at once, see to it yourself that presentation times grow in the order of the calls.
 */
typedef struct nalu_compression_session nalu_compression_session;

/* ---- The output callback ------------------------------------------------ */

typedef uint32_t nalu_encode_info_flags;

enum {
    /* From encode_frame: the frame will come back by the callback, perhaps after encode_frame returns. */
    NALU_ENCODE_INFO_ASYNCHRONOUS = 1u << 0,
    /* In the callback: the frame was dropped; the sample is NULL. */
    NALU_ENCODE_INFO_FRAME_DROPPED = 1u << 1
};

/*
 * Receives one frame. The promises:
 *
 *  1. Exactly one call for each frame that encode_frame or encode_planes accepted (returned
 *     NALU_STATUS_OK for). None for a frame that was refused.
 *  2. Frames that give samples come in decode order.
 *  3. Never two calls at a time for one session. Calls come from the session's own thread, so
 *     perhaps before encode_frame returns.
 *  4. status NALU_STATUS_OK and a sample: the frame is encoded. NULL sample: it gave none, and
 *     either NALU_ENCODE_INFO_FRAME_DROPPED is set (status NALU_STATUS_OK: dropped by the encoder;
 *     NALU_STATUS_INVALID_SESSION: it was pending when the session was invalidated), or status
 *     says what went wrong. A failure of one frame does not end the session.
 *  5. When the callback is called, the library has done with the frame's pixels: a wrapping pixel
 *     buffer is no longer read.
 *  6. The sample is borrowed for the call; nalu_sample_retain keeps it.
 *  7. No lock is held while it runs. From inside it one may retain and release samples, read and
 *     set properties, encode frames, and release the session. nalu_compression_session_complete_frames,
 *     _invalidate return NALU_STATUS_REENTRANT, because they would wait for this very call.
 *  8. A slow callback slows the session: encode_frame waits when too many frames are pending. An encode from
 *     inside the callback does not wait: it is taken beyond the bound, up to four times as many
 *     pending frames, and from there refused with NALU_STATUS_WOULD_BLOCK.
 *  9. No call begins after nalu_compression_session_invalidate has returned.
 *
 * refcon: the callback's own; frame_refcon: the frame's. C++ exceptions and longjmp must not leave
 * the callback.
 */
typedef void (*nalu_compression_output_callback)(void *refcon, void *frame_refcon, nalu_status status,
    nalu_encode_info_flags info_flags, nalu_sample *sample);

/* Called once with the callback's refcon, after the last callback of the session. */
typedef void (*nalu_refcon_destructor)(void *refcon);

/* ---- Creation ------------------------------------------------------------ */

/* Which encoder to use. Start from NALU_ENCODER_SPECIFICATION_INIT; fields are only ever appended. */
typedef struct nalu_encoder_specification {
    uint32_t struct_size; /* sizeof(nalu_encoder_specification) */
    /* 1: only a hardware encoder will do. There is none: creation fails with
     * NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER. Default 0. */
    uint32_t require_hardware_accelerated_video_encoder;
    /* An identifier from nalu_encoder_get_id, or NULL (the default) for the best encoder of the codec. */
    const char *encoder_id;
} nalu_encoder_specification;

#define NALU_ENCODER_SPECIFICATION_INIT {(uint32_t)sizeof(nalu_encoder_specification), 0, NULL}

/* What the frames will be. Start from NALU_SOURCE_ATTRIBUTES_INIT; fields are only ever appended. */
typedef struct nalu_source_attributes {
    uint32_t struct_size; /* sizeof(nalu_source_attributes) */
    /* The format of the session's pool, and the range of the stream when the encoder is prepared before the
     * first frame: full for '420f' and 'f420', else video. 0 (the default): '420v'. */
    nalu_pixel_format pixel_format;
} nalu_source_attributes;

#define NALU_SOURCE_ATTRIBUTES_INIT {(uint32_t)sizeof(nalu_source_attributes), 0}

/*
 * Creates a session.
 *
 * width, height: the stream's size, 16 to NALU_MAX_DIMENSION pixels, and together at most the 139264
 *   macroblocks (16 x 16) that H.264 level 6.2 holds. H.264 4:2:0 has even sizes
 *   only: an odd size is encoded in the next even one, its last column or row repeated.
 * codec: NALU_CODEC_H264.
 * specification, source_attributes: NULL for the defaults. Read during the call only.
 * callback: may be NULL when every frame brings its own (nalu_frame_options).
 * refcon: handed to the callback as it is. destroy_refcon: NULL or called once with refcon, after
 *   the last callback. On failure it is not called: the caller keeps refcon.
 * session_out: receives the session with one reference; NULL on failure.
 *
 * The encoder is opened by prepare or by the first frame, not here.
 *
 * _PARAMETER: session_out is NULL, or a struct_size is below the first published size.
 * _INVALID_SIZE: width or height. _INVALID_PIXEL_FORMAT: source_attributes.
 * _COULD_NOT_FIND_VIDEO_ENCODER: the codec or the specification. _UNSUPPORTED_OPTION: a field this
 * library does not know is set. _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_create(int32_t width, int32_t height,
    nalu_four_char_code codec, const nalu_encoder_specification *specification,
    const nalu_source_attributes *source_attributes, nalu_compression_output_callback callback,
    void *refcon, nalu_refcon_destructor destroy_refcon, nalu_compression_session **session_out);

/* Returns `session`. */
NALU_API nalu_compression_session *nalu_compression_session_retain(nalu_compression_session *session);

/*
 * Gives a reference back. The release of the last one invalidates the session, and waits as
 * invalidate does; inside the callback it does not wait: the session ends when the callback has
 * returned, and destroy_refcon tells when.
 */
NALU_API void nalu_compression_session_release(nalu_compression_session *session);

/*
 * Opens the encoder with the properties as they are now. Optional: the first frame does it. Once
 * it is open, properties that cannot change while encoding return NALU_STATUS_TOO_LATE. A second
 * call does nothing.
 *
 * _CONFLICT, _OUT_OF_RANGE: the properties do not go together, for example a level that is too low for the
 * size and frame rate. _COULD_NOT_CREATE_INSTANCE: the encoder refused. _INVALID_SESSION,
 * _PARAMETER, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_prepare(nalu_compression_session *session);

/*
 * The session's pool: buffers of the session's size and the format of source_attributes. Frames in '420v',
 * '420f', 'y420' and 'f420' are encoded from it without a copy where the stream has 8 bits; for 10 bits every
 * frame is converted. The pool lives as long as the session (retain
 * it to keep it). NULL for NULL, a wrong handle, and an invalidated session.
 */
NALU_API nalu_pixel_buffer_pool *nalu_compression_session_get_pixel_buffer_pool(
    nalu_compression_session *session);

/* ---- Encoding ------------------------------------------------------------- */

enum {
    /* Make this frame a key frame (IDR). */
    NALU_FRAME_FORCE_KEY_FRAME = 1u << 0,
    /* Return NALU_STATUS_WOULD_BLOCK rather than wait when too many frames are pending. */
    NALU_FRAME_DO_NOT_WAIT = 1u << 1,
    /* Make this frame from acknowledged frames alone (acknowledged_ltr_tokens), so that a receiver that lost others can
     * decode it, or a key frame where the encoder holds no acknowledged one any more. It needs
     * NALU_PROPERTY_ENABLE_LTR, else the frame is refused with NALU_STATUS_CONFLICT. */
    NALU_FRAME_FORCE_LTR_REFRESH = 1u << 2,
    /* Begin an intra refresh with this frame, or when the one in progress is through. It needs
     * NALU_PROPERTY_ALLOW_INTRA_REFRESH, else the frame is refused with NALU_STATUS_CONFLICT. */
    NALU_FRAME_BEGIN_INTRA_REFRESH = 1u << 3
};

/* Options for one frame. Start from NALU_FRAME_OPTIONS_INIT; fields are only ever appended. */
typedef struct nalu_frame_options {
    uint32_t struct_size; /* sizeof(nalu_frame_options) */
    uint32_t flags;       /* NALU_FRAME_... */
    /* Receives this frame instead of the session's callback, under the same promises; NULL: the
     * session's. */
    nalu_compression_output_callback callback;
    void *callback_refcon;
    /* With NALU_PROPERTY_ENABLE_LTR: tokens of samples that the receiver has decoded without a fault, in any order, at
     * most 4096; NULL for none. One token stands for all that its sample was made from too, and need be told once. Tokens
     * of samples that the encoder no longer holds say nothing. Read during the call only. _OUT_OF_RANGE: a token that no
     * sample of this session has; _CONFLICT: without the property. */
    const int64_t *acknowledged_ltr_tokens;
    uint32_t acknowledged_ltr_token_count;
    /* 1 to 52: the frame is encoded with the QP 0 to 51, one less than this, for clients that control the rate
     * themselves. Only where NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP is true, else the frame is refused. Adaptive
     * quantisation and x264's macroblock tree still spread the QP within the frame, and it stays within
     * MinAllowedFrameQP and MaxAllowedFrameQP. 0: rate control decides. */
    int32_t base_frame_qp_plus_1;
    /* Region of interest: QP steps that are added to what rate control and adaptive quantisation choose, -51 (finer)
     * to 51 (coarser), a grid of cells stretched over the picture, row by row from the top left; NULL for none. 1 to
     * the session's width columns, 1 to its height rows; a macroblock of 16 x 16 pixels gets the mean of what it
     * covers. Read during the call only. A rate that is held stays held: what one place gains, others lose. The QP
     * stays within MinAllowedFrameQP and MaxAllowedFrameQP. Refused with NALU_STATUS_CONFLICT where the encoder runs
     * without adaptive quantisation (aq-mode 0 in NALU_PROPERTY_X264_EFFECTIVE). */
    const float *qp_offsets;
    uint32_t qp_offset_columns;
    uint32_t qp_offset_rows;
} nalu_frame_options;

#define NALU_FRAME_OPTIONS_INIT {(uint32_t)sizeof(nalu_frame_options), 0, NULL, NULL, NULL, 0, 0, NULL, 0, 0}

/*
 * Hands in one frame and returns; the encode runs on the session's thread.
 *
 * buffer: of any pixel format; another size than the session's is scaled (unless
 *   NALU_PROPERTY_ALLOW_SCALING is off). 4:2:0 buffers of 8 bits and of the session's size and range are
 *   retained and read until the callback where the stream has 8 bits: leave their pixels alone until then. Everything else is converted during
 *   the call.
 * presentation_time: numeric, and greater than that of the frame accepted before. Values and
 *   timescales may change from frame to frame; any spacing is welcome.
 * duration: numeric and not negative, or the invalid time for "not known". It comes back with the sample and
 *   is not written to the stream.
 * options: NULL for the defaults. Read during the call only.
 * frame_refcon: handed to the callback.
 * info_flags_out: NULL, or receives NALU_ENCODE_INFO_ASYNCHRONOUS for an accepted frame, else 0.
 *
 * When three frames wait for the encoder or are in it, it waits until at most one is left, unless
 * NALU_FRAME_DO_NOT_WAIT is set. With NALU_PROPERTY_MAX_FRAME_DELAY_COUNT it also waits, in any case,
 * until the frames that the property names have come back.
 *
 * _PARAMETER: NULL session or buffer; unknown flags; no callback here and none at creation.
 * _INVALID_HANDLE. _INVALID_SESSION. _INVALID_TIME: presentation_time or duration. _INVALID_SIZE: the
 * size differs and scaling is off. _WOULD_BLOCK. _UNSUPPORTED_OPTION. _ALLOCATION_FAILED.
 * _OUT_OF_RANGE: options->base_frame_qp_plus_1, or the size or an offset of options->qp_offsets; _CONFLICT: the
 * session does not take them. _PARAMETER: columns or rows without qp_offsets.
 * _CONFLICT, _OUT_OF_RANGE, _COULD_NOT_CREATE_INSTANCE: on the first frame, as prepare. On every
 * failure the frame is not accepted: no callback will come for it.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_encode_frame(nalu_compression_session *session,
    nalu_pixel_buffer *buffer, nalu_time presentation_time, nalu_time duration,
    const nalu_frame_options *options, void *frame_refcon, nalu_encode_info_flags *info_flags_out);

/*
 * The same from plain memory, which is copied or converted during the call: the caller may reuse it
 * at once. format, width, height, plane_count, planes, strides and plane_sizes as in
 * nalu_pixel_buffer_create_with_planes, whose statuses are returned besides those above.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_encode_planes(nalu_compression_session *session,
    int32_t width, int32_t height, nalu_pixel_format format, uint32_t plane_count,
    const void *const *planes, const int64_t *strides, const uint64_t *plane_sizes,
    nalu_time presentation_time, nalu_time duration, const nalu_frame_options *options,
    void *frame_refcon, nalu_encode_info_flags *info_flags_out);

/*
 * Waits until every accepted frame with a presentation time up to and including `until` has come
 * back; a time that is not numeric means all. The session can be used on afterwards. When the
 * encoder was holding frames it is emptied, and the next frame is a key frame.
 *
 * _REENTRANT: called from the callback. _INVALID_SESSION: also when the session is invalidated
 * while waiting. _PARAMETER, _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_complete_frames(nalu_compression_session *session,
    nalu_time until);

/*
 * Ends the session: waits for the callback in progress, then gives every pending frame its callback (NULL
 * sample, NALU_ENCODE_INFO_FRAME_DROPPED, NALU_STATUS_INVALID_SESSION), and calls destroy_refcon.
 * No callback begins after it has returned. From then on functions return
 * NALU_STATUS_INVALID_SESSION, but for nalu_compression_session_copy_last_error and _get_statistics;
 * the handle stays live until it is released. NULL, or a session
 * already invalid: does nothing and returns NALU_STATUS_OK.
 *
 * To get pending frames encoded instead, call nalu_compression_session_complete_frames first.
 *
 * _REENTRANT: called from the callback; nothing is changed. _INVALID_HANDLE.
 */
NALU_API nalu_status nalu_compression_session_invalidate(nalu_compression_session *session);

/*
 * The sentence of the last failure that happened while encoding, which reached a callback as a
 * status. buffer and capacity as in bitstream.h; size_out counts the terminating NUL; "" when there
 * was none.
 *
 * _PARAMETER: size_out is NULL. _INVALID_HANDLE, _BUFFER_TOO_SMALL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_copy_last_error(nalu_compression_session *session,
    char *buffer, size_t capacity, size_t *size_out);

/* ---- Statistics ------------------------------------------------------------ */

/*
 * What a session has done since it was created. Set struct_size before the call; fields are only ever
 * appended. Frames are counted when their callback has returned, so that at any moment
 *
 *     accepted_frames = encoded_frames + dropped_frames + failed_frames + pending_frames
 *
 * and a frame whose callback asks is still pending. Rates are bits a second of decode time (not of the time
 * that passes while encoding), encode times are seconds of a clock that is never set.
 */
typedef struct nalu_session_statistics {
    uint32_t struct_size; /* sizeof(nalu_session_statistics) */
    uint32_t reserved;    /* 0 */
    uint64_t accepted_frames; /* encode_frame or encode_planes took them; refused ones count nowhere */
    uint64_t encoded_frames;  /* gave a sample */
    uint64_t dropped_frames;  /* came back with NALU_ENCODE_INFO_FRAME_DROPPED, also those of invalidate */
    uint64_t failed_frames;   /* came back with a status and without that flag */
    uint64_t pending_frames;  /* their callback has not returned; NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES */
    uint64_t key_frames;      /* samples that are key frames (IDR) */
    uint64_t bytes;           /* of all samples, as nalu_sample_get_data counts them: without parameter sets */
    double mean_qp; /* mean of the samples' average QP, each sample counting the same; NaN before the first */
    double last_qp; /* the average QP of the last sample; NaN before the first */
    /*
     * Bits a second. A sample lasts until the next one's decode time, so the last one is not in it yet.
     * current: over the samples of the last second of decode time, the second rounded up to whole samples; of the
     * last 1024 samples where these are shorter than that. mean: over all samples. Both NaN before the second
     * sample; where decode times go back, current begins anew, and the sample before counts in neither.
     */
    double current_bit_rate;
    double mean_bit_rate;
    /*
     * Seconds that the session's thread was in the encoder for a frame: without conversion, waiting, callbacks, and the
     * opening and emptying of the encoder. An encoder with threads of its own returns before the frame is done;
     * then this is the time in which it takes a frame. p50 and p99: of the last 256 frames that the encoder took, so
     * many percent were no longer than that (nearest rank: always one of the times). longest: of all. Frames
     * count when the encoder has taken them, before their callback; those that failed there do not. NaN before
     * the first.
     */
    double encode_time_p50;
    double encode_time_p99;
    double longest_encode_time;
    /*
     * With NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR: the PSNR in dB of the mean squared error of all samples' pictures,
     * luma and chroma together, each picture counting the same (infinite where none has an error), and the mean of their
     * SSIM. NaN before the first, and without the property.
     */
    double mean_psnr;
    double mean_ssim;
} nalu_session_statistics;

/*
 * Reads the session's statistics, all of one moment. From any thread, also inside the callback; it waits for nothing
 * and allocates nothing. After nalu_compression_session_invalidate it gives the last ones.
 *
 * _PARAMETER: a NULL argument, or struct_size below the first published size. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_compression_session_get_statistics(nalu_compression_session *session,
    nalu_session_statistics *statistics);

/* ---- Encoders -------------------------------------------------------------- */

/* How many encoders there are, and their identifier ("org.videolan.x264") and name ("x264 core
 * 164"); NULL beyond the last. Static storage. */
NALU_API uint32_t nalu_encoder_get_count(void);
NALU_API const char *nalu_encoder_get_id(uint32_t index);
NALU_API const char *nalu_encoder_get_name(uint32_t index);
NALU_API nalu_four_char_code nalu_encoder_get_codec(uint32_t index);

NALU_END_DECLS

#endif
