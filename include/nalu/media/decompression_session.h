/*
 * nalu/media/decompression_session.h - the decompression session: samples in, pixel buffers out.
 *
 * base.h has the conventions for handles, threads, statuses, buffers and structs. docs/decoding.md
 * explains order, delay and damage.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
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

/*
 * Decodes samples into pictures. Reference-counted.
 *
 *     nalu_decompression_session_create(format, NULL, NULL, show, refcon, NULL, &session);
 *     nalu_decompression_session_decode_frame(session, sample, 0, NULL, NULL);  // for each sample
 *     nalu_decompression_session_wait_for_asynchronous_frames(session);         // the rest
 *     nalu_decompression_session_release(session);
 *
 * A session orders its calls internally, and different sessions share nothing. If several threads
 * decode at once, they must make sure that the samples come in decode order.
 *
 * In a child process after fork, the sessions of the parent are invalid: functions return
 * NALU_STATUS_INVALID_SESSION, a release does not wait, and neither callbacks nor destroy_refcon
 * are called. The parent's own sessions go on.
 */
typedef struct nalu_decompression_session nalu_decompression_session;

/* ---- The output callback -------------------------------------------------------------------- */

/* VideoToolbox's VTDecodeInfoFlags with its numbers; Nalu's own from 1 << 16 on. */
typedef uint32_t nalu_decode_info_flags;

enum {
    /* From decode_frame: the sample's callback may come after decode_frame returns. In the
     * callback: the sample was given with NALU_DECODE_FRAME_ASYNCHRONOUS. */
    NALU_DECODE_INFO_ASYNCHRONOUS = 1u << 0,
    /* In the callback: there is no image on purpose; status says why. */
    NALU_DECODE_INFO_FRAME_DROPPED = 1u << 1,
    /* In the callback: the client may change the image's pixels. Without this flag later pictures
     * refer to them. */
    NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE = 1u << 2,
    /* In the callback, with FRAME_DROPPED: the sample is displayed before the recovery point at
     * which decoding began and refers to what came before that; or, for H.265, what it refers to
     * before its random access picture was lost. */
    NALU_DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED = 1u << 3,
    /* In the callback, with an image: parts of the image are wrong or made up, because they were
     * damaged or missing, or because the image may refer to such a picture. Every image has the
     * flag until the next key frame or completed recovery point. It is never set with
     * NALU_DECODER_DROP_UNTIL_KEY_FRAME. */
    NALU_DECODE_INFO_DAMAGED = 1u << 16,
    /* In the callback, with an image: its odd and even rows are two fields of different times. The
     * H.264 stream says so in the picture's timing (ITU-T H.264 D.2.3), or has coded it by fields
     * or with MbaffFrameFlag 1. Pictures of H.265 never have the flag: there each field is an image
     * of its own. It is not set with NALU_DECODER_IN_DECODE_ORDER. */
    NALU_DECODE_INFO_INTERLACED = 1u << 17,
    /* With INTERLACED: the bottom field, which has the second row, is the earlier one. Without this
     * flag the top field is. */
    NALU_DECODE_INFO_BOTTOM_FIELD_FIRST = 1u << 18
};

/*
 * Receives one decoded picture.
 *
 *  1. There is exactly one call for each accepted sample, that is, for each call of decode_frame
 *     that returned NALU_STATUS_OK. There is none for a refused sample.
 *  2. Images come in output order, or in decode order with NALU_DECODER_IN_DECODE_ORDER. Images of
 *     samples that are given after nalu_decompression_session_finish_delayed_frames come after
 *     those given before, whatever their times. The bitstream decides on the order, and on what is
 *     lost or damaged. If presentation times contradict it, as in files that have decode times in
 *     their place, each image has the earliest time of the samples that are inside the decoder, so
 *     that times grow from image to image.
 *  3. Calls for one session never overlap. They come from the session's own thread.
 *  4. With an image, status is NALU_STATUS_OK. Without one, status and flags say why:
 *     - NALU_STATUS_OK with FRAME_DROPPED: given with NALU_DECODE_FRAME_DO_NOT_OUTPUT, or the
 *       sample has NALU_SAMPLE_DO_NOT_DISPLAY.
 *     - NALU_STATUS_BAD_DATA: the sample is damaged, or one of FFmpeg's own threads lacked memory.
 *     - NALU_STATUS_INVALID_SIZE: parameter sets inside the sample announce more pixels than
 *       maximum_pixel_count.
 *     - NALU_STATUS_REFERENCE_MISSING with FRAME_DROPPED: it needs pictures that were never given,
 *       were lost, or are damaged; or it came out of order after a lost key frame.
 *     - NALU_STATUS_INVALID_SESSION with FRAME_DROPPED: pending when the session was invalidated.
 *     - NALU_STATUS_UNSUPPORTED_DATA_FORMAT, NALU_STATUS_ALLOCATION_FAILED or
 *       NALU_STATUS_DECODER_MALFUNCTION: it could not be decoded or converted.
 *     The failure of one sample does not end the session.
 *  5. A sample without a picture has its call as soon as that is certain: at once without
 *     reordering and in decode order, else before the next picture in presentation order.
 *  6. No lock is held during the call. It may decode samples, finish delayed frames, and release
 *     the session. nalu_decompression_session_wait_for_asynchronous_frames and
 *     nalu_decompression_session_invalidate return NALU_STATUS_REENTRANT, since they would wait for
 *     this very call.
 *  7. A slow callback slows the session: decode_frame waits while three samples wait for the
 *     decoder. Inside the callback it does not wait: it accepts up to four times as many, and then
 *     returns NALU_STATUS_WOULD_BLOCK.
 *  8. Inside the callback, calls for another session, also a compression session, do not wait
 *     either: one that would wait returns NALU_STATUS_WOULD_BLOCK and has no effect, and a release
 *     does not wait. After nalu_callback_allow_waits they wait, unless the callbacks of several
 *     sessions would wait for each other in a circle.
 *  9. No call begins after nalu_decompression_session_invalidate has returned.
 *
 * refcon: the one given with the callback.
 * frame_refcon: the one given with the sample.
 * image: NULL if the sample gave none.
 * presentation_time, duration: those of the sample, exactly, if the times of the samples are in
 *   output order; else see 2.
 * Threading: the session's thread. C++ exceptions and longjmp must not leave the callback.
 * Ownership: image is valid during the call; nalu_pixel_buffer_retain keeps it, also beyond the
 *   session.
 */
typedef void (*nalu_decompression_output_callback)(void *refcon, void *frame_refcon,
    nalu_status status, nalu_decode_info_flags info_flags, nalu_pixel_buffer *image,
    nalu_time presentation_time, nalu_time duration);

/* ---- Creation ------------------------------------------------------------------------------- */

/* Flags of nalu_decoder_specification. */
enum {
    /* Show no wrong picture. After a lost or damaged picture that others may refer to, samples are
     * dropped up to the next key frame or completed recovery point (for H.265: random access
     * picture). Without this flag they are shown with NALU_DECODE_INFO_DAMAGED. A lost picture that
     * no other refers to drops nothing. docs/decoding.md says which damage is found. */
    NALU_DECODER_DROP_UNTIL_KEY_FRAME = 1u << 0,
    /* Use threads within a picture only, so that a picture waits for later samples no longer than
     * the stream's reordering demands. Without this flag, asynchronous decoding with more than one
     * thread decodes several pictures at once, except H.264 pictures of several slices. */
    NALU_DECODER_LOW_DELAY = 1u << 1,
    /* Give images in decode order, each with its own sample, also where the stream reorders: for
     * programs that put them in order by their times. As with LOW_DELAY, threads work within a
     * picture only. A sample may be a single field: the image of the first one lacks the other
     * field, and the image of the second one has both. A picture of which a part is damaged or
     * missing gives no image, and NALU_STATUS_BAD_DATA; in interlaced streams such parts are not
     * always found. Whether an intra refresh is complete is not reported. */
    NALU_DECODER_IN_DECODE_ORDER = 1u << 2
};

/* Which decoder to use, and how. Start from NALU_DECODER_SPECIFICATION_INIT. */
typedef struct nalu_decoder_specification {
    uint32_t struct_size; /* sizeof(nalu_decoder_specification) */
    /* 1: only a hardware decoder is acceptable. There is none, so creation fails with
     * NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER. Default: 0. */
    uint32_t require_hardware_accelerated_video_decoder;
    uint32_t flags;       /* NALU_DECODER_... Default: 0 */
    /* 1 to 64. Default: 0, the number of processors that the process may use, at most 16 */
    int32_t thread_count;
    /* The most pixels of a picture before cropping, positive. A stream of a few bytes can announce
     * pictures that take hundreds of megabytes; a larger one is refused before memory is taken.
     * Default: 0, for 35,651,584: the 139,264 macroblocks of level 6.2 (ITU-T H.264 table A-1). */
    int64_t maximum_pixel_count;
} nalu_decoder_specification;

#define NALU_DECODER_SPECIFICATION_INIT {(uint32_t)sizeof(nalu_decoder_specification), 0, 0, 0, 0}

/* What the images will be. Start from NALU_DESTINATION_ATTRIBUTES_INIT. */
typedef struct nalu_destination_attributes {
    uint32_t struct_size; /* sizeof(nalu_destination_attributes) */
    /* The format to which images are converted: 4:2:0 with 8 or 10 bits, or RGB. Conversion to RGB
     * uses the stream's matrix and range (if it has none, BT.709 for 720 lines or more, else
     * BT.601), each value within 1 of the exact arithmetic, with alpha 255. Default: 0, the format
     * that loses nothing:
     *   8 bits         'y420', 'f420' (4:2:0, without a copy), '422v', '422f', '444v', '444f'
     *   9 or 10 bits   'x420', 'xf20', 'x422', 'xf22', 'x444', 'xf44'
     *   12 or 14 bits  'sv20', 'sf20', 'sv22', 'sf22', 'sv44', 'sf44'
     *   RGB, 8 bits    'BGRA'
     * Monochrome is 4:2:0 without colour. The bits are the highest ones of a 16-bit word. */
    nalu_pixel_format pixel_format;
    /* The size to which images are scaled, 1 to NALU_MAX_DIMENSION pixels. With pixel_format 0 they
     * are then 4:2:0 with 8 or 10 bits. Default: 0, the stream's size after cropping. */
    int32_t width;
    int32_t height;
} nalu_destination_attributes;

#define NALU_DESTINATION_ATTRIBUTES_INIT {(uint32_t)sizeof(nalu_destination_attributes), 0, 0, 0}

/*
 * Creates a session. The decoder is opened later, by the first sample.
 *
 * format: the format description of the first sample; retained.
 * specification, destination_attributes: NULL for the defaults; read during the call only.
 * refcon: passed to the callback.
 * destroy_refcon: NULL, or called once with refcon after the last callback.
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_UNSUPPORTED_DATA_FORMAT       a bit depth other than 8, 9, 10, 12 (H.264: also 14),
 *                                             different ones of luma and chroma, or RGB with more
 *                                             than 8
 *   NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER  specification, or FFmpeg was built without the codec
 *   NALU_STATUS_OUT_OF_RANGE                  thread_count or maximum_pixel_count
 *   NALU_STATUS_INVALID_PIXEL_FORMAT          destination_attributes
 *   NALU_STATUS_INVALID_SIZE                  destination_attributes, or format has more pixels
 *                                             than maximum_pixel_count
 * Ownership: session_out receives one reference. On failure destroy_refcon is not called; the
 *   caller keeps refcon.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_create(
    nalu_format_description *format, const nalu_decoder_specification *specification,
    const nalu_destination_attributes *destination_attributes,
    nalu_decompression_output_callback callback, void *refcon,
    nalu_refcon_destructor destroy_refcon, nalu_decompression_session **session_out);

/* Adds a reference, and returns session. */
NALU_API nalu_decompression_session *nalu_decompression_session_retain(
    nalu_decompression_session *session);

/*
 * Gives a reference back. The last one invalidates the session.
 *
 * Threading: the last release waits as nalu_decompression_session_invalidate does. Inside the
 *   callback it does not wait: the session ends when the callback has returned, and destroy_refcon
 *   reports the end.
 */
NALU_API void nalu_decompression_session_release(nalu_decompression_session *session);

/* ---- Decoding ------------------------------------------------------------------------------- */

/* Flags of decode_frame: VideoToolbox's VTDecodeFrameFlags with its numbers. */
enum {
    /* Return at once; the session's thread decodes. */
    NALU_DECODE_FRAME_ASYNCHRONOUS = 1u << 0,
    /* Decode the sample, since later ones refer to it, and give no image for it. */
    NALU_DECODE_FRAME_DO_NOT_OUTPUT = 1u << 1,
    /* Hints of VideoToolbox that are accepted and have no effect: samples are decoded as fast as
     * they come, and NALU_DECODER_IN_DECODE_ORDER decides about the order of images. */
    NALU_DECODE_FRAME_REAL_TIME_PLAYBACK = 1u << 2,
    NALU_DECODE_FRAME_TEMPORAL_PROCESSING = 1u << 3
};

/*
 * Hands in the next sample, in decode order.
 *
 * A sample with another format description than the one before is accepted if
 * nalu_decompression_session_can_accept_format_description says so. If size and format of the
 * pictures stay, its parameter sets hold from this sample on, and decoding goes on. If not, all
 * earlier pictures come first, and decoding begins again, with a key frame or recovery point.
 *
 * flags: NALU_DECODE_FRAME_... The flag ASYNCHRONOUS of the first sample, and again of each key
 *   frame, decides whether several pictures are decoded at once; see NALU_DECODER_LOW_DELAY.
 * frame_refcon: passed to the callback.
 * info_flags_out: NULL, or receives NALU_DECODE_INFO_ASYNCHRONOUS if the sample's callback is still
 *   to come, else 0.
 * Returns: NALU_STATUS_OK, a common status (base.h), or one of these, and the sample is not
 *   accepted: no callback comes for it.
 *   NALU_STATUS_UNSUPPORTED_DATA_FORMAT  the format description cannot be accepted
 *   NALU_STATUS_INVALID_SIZE             it has more pixels than maximum_pixel_count
 *   NALU_STATUS_WOULD_BLOCK              inside a callback, too many are pending (rules 7, 8)
 * Threading: without ASYNCHRONOUS, waits until every picture that can be shown so far has had its
 *   callback: without reordering, or in decode order, that of this sample, else those that are not
 *   held back. If several pictures are decoded at once, it only waits for its turn. Inside the
 *   callback it never waits, inside another session's only if that may wait (rule 8).
 * Ownership: the sample is retained as long as it is needed.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_decode_frame(
    nalu_decompression_session *session, nalu_sample *sample, uint32_t flags, void *frame_refcon,
    nalu_decode_info_flags *info_flags_out);

/*
 * Makes the session deliver the pictures that it holds back for reordering. It can be used
 * afterwards.
 *
 * If the next sample is not a key frame, the samples since the last key frame are decoded again
 * before it, which takes time. The session keeps at most 600 samples and 64 MiB for that; if there
 * are more, decoding continues with the next key frame or recovery point.
 *
 * Returns: NALU_STATUS_OK or a common status (base.h).
 * Threading: does not wait.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_finish_delayed_frames(
    nalu_decompression_session *session);

/*
 * Finishes delayed frames, and waits until every accepted sample has had its callback.
 *
 * Returns: NALU_STATUS_OK, a common status (base.h; NALU_STATUS_INVALID_SESSION also if the session
 *   is invalidated during the wait), or:
 *   NALU_STATUS_REENTRANT    the call was made from the callback
 *   NALU_STATUS_WOULD_BLOCK  the call was made from another session's callback (rule 8)
 * Threading: waits.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_wait_for_asynchronous_frames(
    nalu_decompression_session *session);

/*
 * Returns 1 if the session accepts samples of this format: the session's codec, and a size, chroma
 * format and bit depth that nalu_decompression_session_create accepts. Else returns 0.
 */
NALU_API int32_t nalu_decompression_session_can_accept_format_description(
    nalu_decompression_session *session, nalu_format_description *format);

/*
 * Ends the session. NULL, or a second call, does nothing and returns NALU_STATUS_OK.
 *
 * Every pending sample gets its callback, with NULL, NALU_DECODE_INFO_FRAME_DROPPED and
 * NALU_STATUS_INVALID_SESSION; then destroy_refcon is called. To have pending samples decoded
 * instead, call nalu_decompression_session_wait_for_asynchronous_frames first. Afterwards functions
 * return NALU_STATUS_INVALID_SESSION, apart from nalu_decompression_session_copy_last_error and
 * nalu_decompression_session_can_accept_format_description. The handle is valid until it is
 * released.
 *
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_REENTRANT    the call was made from the callback; nothing is changed
 *   NALU_STATUS_WOULD_BLOCK  the call was made from another session's callback (rule 8)
 * Threading: waits for the callback in progress.
 */
NALU_API nalu_status nalu_decompression_session_invalidate(nalu_decompression_session *session);

/*
 * Copies the message of the last failure that happened during decoding and that a callback received
 * as a status. "" if there was none.
 *
 * buffer, capacity, size_out: see BUFFERS in base.h.
 * Returns: NALU_STATUS_OK, a common status (base.h), or:
 *   NALU_STATUS_BUFFER_TOO_SMALL  capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_copy_last_error(
    nalu_decompression_session *session, char *buffer, size_t capacity, size_t *size_out);

NALU_END_DECLS

#endif
