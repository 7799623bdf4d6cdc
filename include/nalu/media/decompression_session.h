/**
 * @file
 * The decompression session: samples in, pixel buffers out.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. docs/decoding.md
 * explains order, delay and corrupt streams.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MEDIA_DECOMPRESSION_SESSION_H
#define NALU_MEDIA_DECOMPRESSION_SESSION_H

#include "../base.h"
#include "../format.h"
#include "../pixel_buffer.h"
#include "../sample.h"
#include "../session.h"
#include "../time.h"

NALU_BEGIN_DECLS

/**
 * Decodes samples into pictures. Reference-counted.
 *
 * @code{.c}
 * nalu_decompression_session_create(format, NULL, NULL, show, refcon, NULL, &session);
 * nalu_decompression_session_decode_frame(session, sample, 0, NULL, NULL);  // for each sample
 * nalu_decompression_session_wait_for_asynchronous_frames(session);         // the others
 * nalu_decompression_session_release(session);
 * @endcode
 *
 * A session orders its calls internally, and different sessions share nothing. If several threads
 * decode at once, they must make sure that the samples arrive in decode order.
 *
 * In a child process after fork, the sessions of the parent are invalid: functions return
 * NALU_STATUS_INVALID_SESSION, a release does not wait, and neither callbacks nor destroy_refcon
 * are called. The parent's own sessions continue.
 */
typedef struct nalu_decompression_session nalu_decompression_session;

/* ---- The output callback -------------------------------------------------------------------- */

/** VideoToolbox's VTDecodeInfoFlags with its numbers; Nalu's own from 1 << 16 on. */
typedef uint32_t nalu_decode_info_flags;

enum {
    /**
     * Set by decode_frame: the sample's callback may follow after decode_frame returns. Passed to
     * the callback: the sample was given with NALU_DECODE_FRAME_ASYNCHRONOUS.
     */
    NALU_DECODE_INFO_ASYNCHRONOUS = 1u << 0,
    /** Passed to the callback: there is no image on purpose; status has the reason. */
    NALU_DECODE_INFO_FRAME_DROPPED = 1u << 1,
    /**
     * Passed to the callback: the client may change the image's pixels. Without this flag, later
     * pictures refer to them.
     */
    NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE = 1u << 2,
    /**
     * Passed to the callback, with FRAME_DROPPED: the sample is displayed before the recovery point
     * at which decoding began, and refers to earlier pictures. For H.265, also: the sample refers
     * to a lost picture before its random access picture.
     */
    NALU_DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED = 1u << 3,
    /**
     * Passed to the callback, with an image: areas of the image are wrong or concealed, because
     * their data were corrupt or missing, or because the image may refer to such a picture. Every
     * later image has the flag too, until the next key frame or completed recovery point. The flag
     * is never set with NALU_DECODER_DROP_UNTIL_KEY_FRAME.
     */
    NALU_DECODE_INFO_DAMAGED = 1u << 16,
    /**
     * Passed to the callback, with an image: its odd and even rows are two fields of different
     * times. The H.264 stream states that in the picture's timing (ITU-T H.264 D.2.3), or codes the
     * picture as fields or with MbaffFrameFlag 1. H.265 pictures never have the flag: each field is
     * a separate image. The flag is not set with NALU_DECODER_IN_DECODE_ORDER.
     */
    NALU_DECODE_INFO_INTERLACED = 1u << 17,
    /**
     * Set with INTERLACED only: the bottom field, which has the second row, is the earlier one.
     * Without this flag, the top field is the earlier one.
     */
    NALU_DECODE_INFO_BOTTOM_FIELD_FIRST = 1u << 18
};

/**
 * Receives one decoded picture.
 *
 *  1. There is exactly one call for each accepted sample, that is, for each call of decode_frame
 *     that returned NALU_STATUS_OK. A refused sample has no call.
 *  2. Images are delivered in output order, or in decode order with NALU_DECODER_IN_DECODE_ORDER.
 *     Images of samples given after nalu_decompression_session_finish_delayed_frames follow those
 *     of earlier samples, whatever their times. The bitstream determines the order, and which
 *     pictures are lost or corrupt. If presentation times contradict the bitstream, for example in
 *     files with decode times in their place, each image has the earliest time of the samples
 *     inside the decoder, so that times increase from image to image.
 *  3. Calls for one session never overlap. They are made on the session's own thread.
 *  4. With an image, status is NALU_STATUS_OK. Without an image, status and flags have the reason:
 *     - NALU_STATUS_OK with FRAME_DROPPED: given with NALU_DECODE_FRAME_DO_NOT_OUTPUT, or the
 *       sample has NALU_SAMPLE_DO_NOT_DISPLAY.
 *     - NALU_STATUS_BAD_DATA: the sample is corrupt, or one of FFmpeg's own threads lacked memory.
 *     - NALU_STATUS_INVALID_SIZE: parameter sets inside the sample announce more pixels than
 *       maximum_pixel_count.
 *     - NALU_STATUS_REFERENCE_MISSING with FRAME_DROPPED: the sample needs pictures that were never
 *       given, were lost, or are corrupt; or the sample arrived out of order after a lost key
 *       frame.
 *     - NALU_STATUS_INVALID_SESSION with FRAME_DROPPED: pending when the session was invalidated.
 *     - NALU_STATUS_UNSUPPORTED_DATA_FORMAT, NALU_STATUS_ALLOCATION_FAILED or
 *       NALU_STATUS_DECODER_MALFUNCTION: the sample could not be decoded or converted.
 *     The failure of one sample does not end the session.
 *  5. A sample without a picture is reported as soon as that is known: at once without reordering
 *     and in decode order, otherwise before the next picture in presentation order.
 *  6. No lock is held during the call. The callback may decode samples, finish delayed frames, and
 *     release the session. nalu_decompression_session_wait_for_asynchronous_frames and
 *     nalu_decompression_session_invalidate return NALU_STATUS_REENTRANT, since they would wait for
 *     this very call.
 *  7. A slow callback slows the session: decode_frame waits while three samples wait for the
 *     decoder. Inside the callback, decode_frame does not wait: it accepts up to four times as many
 *     samples, and then returns NALU_STATUS_WOULD_BLOCK.
 *  8. Inside the callback, calls for another session, also a compression session, do not wait
 *     either: a call that would wait returns NALU_STATUS_WOULD_BLOCK and has no effect, and a
 *     release does not wait. After nalu_callback_allow_waits they wait, unless that would cause a
 *     deadlock between the callbacks of several sessions.
 *  9. No call begins after nalu_decompression_session_invalidate has returned.
 *
 * @param refcon the refcon given with the callback.
 * @param frame_refcon the refcon given with the sample.
 * @param image NULL if the sample has no image.
 * @param presentation_time,duration the times of the sample, unchanged, if the samples' times are
 *   in output order; otherwise see rule 2.
 * @par Threading
 * The session's thread. C++ exceptions and longjmp must not leave the callback.
 * @par Ownership
 * image is valid during the call; nalu_pixel_buffer_retain extends its life, also beyond the
 * session.
 */
typedef void (*nalu_decompression_output_callback)(void *refcon, void *frame_refcon,
    nalu_status status, nalu_decode_info_flags info_flags, nalu_pixel_buffer *image,
    nalu_time presentation_time, nalu_time duration);

/* ---- Creation ------------------------------------------------------------------------------- */

/** Flags of nalu_decoder_specification. */
enum {
    /**
     * Deliver no wrong image. After a lost or corrupt picture that others may refer to, samples are
     * dropped up to the next key frame or completed recovery point (for H.265: random access
     * picture). Without this flag, their images are delivered with NALU_DECODE_INFO_DAMAGED. A lost
     * picture that no other refers to drops nothing. docs/decoding.md lists the errors that are
     * detected.
     */
    NALU_DECODER_DROP_UNTIL_KEY_FRAME = 1u << 0,
    /**
     * Use threads within a picture only, so that a picture is delayed no longer than the stream's
     * reordering requires. Without this flag, asynchronous decoding with more than one thread
     * decodes several pictures at once, except H.264 pictures of several slices.
     */
    NALU_DECODER_LOW_DELAY = 1u << 1,
    /**
     * Deliver images in decode order, each with its own sample, also if the stream reorders. The
     * flag is for programs that sort images by their times. As with LOW_DELAY, threads work within
     * a picture only. A sample may be a single field: the image of the first field lacks the other
     * field, and the image of the second has both. A picture with a corrupt or missing slice has no
     * image, but NALU_STATUS_BAD_DATA; in interlaced streams such slices are not always detected.
     * The completion of an intra refresh is not reported.
     */
    NALU_DECODER_IN_DECODE_ORDER = 1u << 2
};

/** The choice of a decoder and its options. Start from NALU_DECODER_SPECIFICATION_INIT. */
typedef struct nalu_decoder_specification {
    uint32_t struct_size; /**< sizeof(nalu_decoder_specification) */
    /**
     * 1: only a hardware decoder is acceptable. There is none, so creation fails with
     * NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER. Default: 0.
     */
    uint32_t require_hardware_accelerated_video_decoder;
    uint32_t flags;       /**< NALU_DECODER_... Default: 0 */
    /**
     * The number of threads, 1 to 64. Default: 0, the number of processors available to the
     * process, at most 16.
     */
    int32_t thread_count;
    /**
     * The maximum number of pixels of a picture before cropping, positive. A stream of a few bytes
     * can announce pictures of hundreds of megabytes; a larger picture is refused before memory is
     * allocated. Default: 0, meaning 35,651,584: the 139,264 macroblocks of level 6.2 (ITU-T H.264
     * table A-1).
     */
    int64_t maximum_pixel_count;
} nalu_decoder_specification;

#define NALU_DECODER_SPECIFICATION_INIT {(uint32_t)sizeof(nalu_decoder_specification), 0, 0, 0, 0}

/** The format and size of the images. Start from NALU_DESTINATION_ATTRIBUTES_INIT. */
typedef struct nalu_destination_attributes {
    uint32_t struct_size; /**< sizeof(nalu_destination_attributes) */
    /**
     * The format to which images are converted: 4:2:0 with 8 or 10 bits, or RGB. Conversion to RGB
     * uses the stream's matrix and range; without a matrix, BT.709 for 720 lines or more, else
     * BT.601. Each value is within 1 of the exact arithmetic, and alpha is 255. Default: 0, the
     * format without loss:
     * - 8 bits: 'y420', 'f420' (4:2:0, without a copy), '422v', '422f', '444v', '444f'
     * - 9 or 10 bits: 'x420', 'xf20', 'x422', 'xf22', 'x444', 'xf44'
     * - 12 or 14 bits: 'sv20', 'sf20', 'sv22', 'sf22', 'sv44', 'sf44'
     * - RGB, 8 bits: 'BGRA'
     * Monochrome becomes 4:2:0 without colour. Values of more than 8 bits are in the highest bits
     * of a 16-bit word.
     */
    nalu_pixel_format pixel_format;
    /**
     * The size to which images are scaled, 1 to NALU_MAX_DIMENSION pixels. With pixel_format 0,
     * scaled images are 4:2:0 with 8 or 10 bits. Default: 0, the stream's size after cropping.
     */
    int32_t width;
    int32_t height;
} nalu_destination_attributes;

#define NALU_DESTINATION_ATTRIBUTES_INIT {(uint32_t)sizeof(nalu_destination_attributes), 0, 0, 0}

/**
 * Creates a session. The decoder is opened later, by the first sample.
 *
 * @param format the format description of the first sample; retained.
 * @param specification,destination_attributes NULL for the defaults; read during the call only.
 * @param refcon passed to the callback.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT a bit depth other than 8, 9, 10, 12 (H.264: also 14),
 *   different bit depths of luma and chroma, or RGB with more than 8 bits
 * @retval NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER specification, or FFmpeg was built without the
 *   codec
 * @retval NALU_STATUS_COULD_NOT_CREATE_INSTANCE FFmpeg cannot be loaded (load.h)
 * @retval NALU_STATUS_OUT_OF_RANGE thread_count or maximum_pixel_count
 * @retval NALU_STATUS_INVALID_PIXEL_FORMAT destination_attributes
 * @retval NALU_STATUS_INVALID_SIZE destination_attributes, or format has more pixels than
 *   maximum_pixel_count
 * @par Ownership
 * session_out receives one reference. On failure destroy_refcon is not called; the caller keeps
 * refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_create(
    nalu_format_description *format, const nalu_decoder_specification *specification,
    const nalu_destination_attributes *destination_attributes,
    nalu_decompression_output_callback callback, void *refcon,
    nalu_refcon_destructor destroy_refcon, nalu_decompression_session **session_out);

/** Adds a reference, and returns session. */
NALU_API nalu_decompression_session *nalu_decompression_session_retain(
    nalu_decompression_session *session);

/**
 * Releases one reference. The last release invalidates the session.
 *
 * @par Threading
 * The last release waits as nalu_decompression_session_invalidate does. Inside the callback it does
 * not wait: the session ends when the callback has returned, and then destroy_refcon is called.
 */
NALU_API void nalu_decompression_session_release(nalu_decompression_session *session);

/* ---- Decoding ------------------------------------------------------------------------------- */

/** Flags of decode_frame: VideoToolbox's VTDecodeFrameFlags with its numbers. */
enum {
    /** Return at once; the session's thread decodes. */
    NALU_DECODE_FRAME_ASYNCHRONOUS = 1u << 0,
    /** Decode the sample, because later samples refer to it, and deliver no image for it. */
    NALU_DECODE_FRAME_DO_NOT_OUTPUT = 1u << 1,
    /**
     * Hints of VideoToolbox that are accepted and have no effect: samples are decoded as soon as
     * they arrive, and NALU_DECODER_IN_DECODE_ORDER determines the order of images.
     */
    NALU_DECODE_FRAME_REAL_TIME_PLAYBACK = 1u << 2,
    NALU_DECODE_FRAME_TEMPORAL_PROCESSING = 1u << 3
};

/**
 * Hands in the next sample, in decode order.
 *
 * A sample with a new format description is accepted if
 * nalu_decompression_session_can_accept_format_description returns 1 for it. If size and format of
 * the pictures stay, decoding continues with the new parameter sets. If not, all earlier pictures
 * are delivered first, and decoding begins again, with a key frame or recovery point.
 *
 * @param flags NALU_DECODE_FRAME_... The flag ASYNCHRONOUS of the first sample and of each key
 *   frame decides whether several pictures are decoded at once; see NALU_DECODER_LOW_DELAY.
 * @param frame_refcon passed to the callback.
 * @param info_flags_out NULL, or receives NALU_DECODE_INFO_ASYNCHRONOUS if the sample's callback
 *   has not been called yet, otherwise 0.
 * @return NALU_STATUS_OK, a common status (base.h), or one of these, and the sample is not
 *   accepted: it has no callback.
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the format description cannot be accepted
 * @retval NALU_STATUS_INVALID_SIZE the format description has more pixels than maximum_pixel_count
 * @retval NALU_STATUS_WOULD_BLOCK inside a callback, too many samples are pending (rules 7, 8)
 * @par Threading
 * Without ASYNCHRONOUS, waits until the callback of every displayable picture has returned: without
 * reordering, or in decode order, the picture of this sample; otherwise the pictures that
 * reordering does not delay. If several pictures are decoded at once, the call only waits until the
 * session accepts the sample. Inside the session's callback it never waits; inside another
 * session's callback it waits only if waits are allowed (rule 8).
 * @par Ownership
 * The sample is retained as long as it is needed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_decode_frame(
    nalu_decompression_session *session, nalu_sample *sample, uint32_t flags, void *frame_refcon,
    nalu_decode_info_flags *info_flags_out);

/**
 * Makes the session deliver the pictures that are delayed for reordering. The session can be used
 * afterwards.
 *
 * If the next sample is not a key frame, the samples since the last key frame are decoded again
 * before it, which takes time. The session keeps at most 600 samples and 64 MiB for that; if there
 * are more, decoding continues with the next key frame or recovery point.
 *
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Threading
 * Does not wait.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_finish_delayed_frames(
    nalu_decompression_session *session);

/**
 * Finishes delayed frames, and waits until the callback of every accepted sample has returned.
 *
 * @return NALU_STATUS_OK, a common status (base.h; NALU_STATUS_INVALID_SESSION also if the session
 *   is invalidated during the wait), or:
 * @retval NALU_STATUS_REENTRANT the call was made from the callback
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 8)
 * @par Threading
 * Waits.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_wait_for_asynchronous_frames(
    nalu_decompression_session *session);

/**
 * Returns 1 if the session accepts samples of this format: the session's codec, and a size, chroma
 * format and bit depth that nalu_decompression_session_create accepts. Otherwise returns 0.
 */
NALU_API int32_t nalu_decompression_session_can_accept_format_description(
    nalu_decompression_session *session, nalu_format_description *format);

/**
 * Ends the session. NULL, or a second call, does nothing and returns NALU_STATUS_OK.
 *
 * Every pending sample gets its callback, with NULL, NALU_DECODE_INFO_FRAME_DROPPED and
 * NALU_STATUS_INVALID_SESSION; then destroy_refcon is called. To have pending samples decoded
 * instead, call nalu_decompression_session_wait_for_asynchronous_frames first. Afterwards functions
 * return NALU_STATUS_INVALID_SESSION, apart from nalu_decompression_session_copy_last_error and
 * nalu_decompression_session_can_accept_format_description. The handle is valid until it is
 * released.
 *
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_REENTRANT the call was made from the callback; nothing is changed
 * @retval NALU_STATUS_WOULD_BLOCK the call was made from another session's callback (rule 8)
 * @par Threading
 * Waits for the callback in progress.
 */
NALU_API nalu_status nalu_decompression_session_invalidate(nalu_decompression_session *session);

/**
 * Copies the error message of the last failure during decoding, which a callback received as a
 * status. "" if no sample has failed.
 *
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_copy_last_error(
    nalu_decompression_session *session, char *buffer, size_t capacity, size_t *size_out);

NALU_END_DECLS

#endif
