/*
 * nalu/media/decompression_session.h - the decompression session: samples into pixel buffers.
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
 * Turns samples back into pictures. Reference-counted. Any thread may call any function on it; calls are put in
 * order inside, and different sessions share nothing. When several threads decode at once, see to it yourself that the
 * samples come in decode order.
 *
 *     nalu_decompression_session_create(format, NULL, NULL, show, refcon, NULL, &session);
 *     nalu_decompression_session_decode_frame(session, sample, 0, NULL, NULL);      // once a sample, in decode order
 *     nalu_decompression_session_wait_for_asynchronous_frames(session);             // the rest
 *     nalu_decompression_session_release(session);
 */
typedef struct nalu_decompression_session nalu_decompression_session;

/* ---- The output callback --------------------------------------------------- */

/* VideoToolbox's VTDecodeInfoFlags with its numbers, and from 1 << 16 on Nalu's own. */
typedef uint32_t nalu_decode_info_flags;

enum {
    /* From decode_frame: the sample's callback may come after it has returned. In the callback: the sample was given with
     * NALU_DECODE_FRAME_ASYNCHRONOUS. */
    NALU_DECODE_INFO_ASYNCHRONOUS = 1u << 0,
    /* In the callback: the picture was left out on purpose; the image is NULL. */
    NALU_DECODE_INFO_FRAME_DROPPED = 1u << 1,
    /* In the callback: the session has done with the image, whose pixels may be changed. Without it they may
     * be read only, because later pictures refer to them. */
    NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE = 1u << 2,
    /* In the callback, with FRAME_DROPPED: decoding began at a recovery point, and this sample, which is displayed before it,
     * refers to what came before; H.265: or what it refers to before its random access picture was lost. */
    NALU_DECODE_INFO_SKIPPED_LEADING_FRAME_DROPPED = 1u << 3,
    /* In the callback, with an image: a part of it was damaged or missing and has been made up, or it may refer to pictures
     * of which that is so, or that were lost: after such a reference picture every one has it, in decode order, up to the
     * next key frame or completed recovery point. For what is found see NALU_DECODER_DROP_UNTIL_KEY_FRAME, with which it is
     * never set. */
    NALU_DECODE_INFO_DAMAGED = 1u << 16
};

/*
 * Receives one picture. The promises:
 *
 *  1. Exactly one call for each sample that decode_frame accepted (returned NALU_STATUS_OK for). None for one that
 *     was refused.
 *  2. Images come in the stream's output order; those of samples that are given after a finish or a wait come after it,
 *     whatever their times. The presentation times of the samples must be in output order too. Behind a lost key frame
 *     the decoder may give pictures before ones of earlier times; those give no image (_REFERENCE_MISSING).
 *  3. Never two calls at a time for one session. Calls come from the session's own thread.
 *  4. An image, and status NALU_STATUS_OK: the picture. No image: the sample gave none.
 *       NALU_STATUS_OK and FRAME_DROPPED: it was given with NALU_DECODE_FRAME_DO_NOT_OUTPUT.
 *       NALU_STATUS_BAD_DATA: it is damaged.
 *       NALU_STATUS_REFERENCE_MISSING and FRAME_DROPPED: it needs pictures that were never given, were lost, or were
 *         damaged: see NALU_DECODER_DROP_UNTIL_KEY_FRAME; always for what comes before the first key frame or recovery
 *         point.
 *       NALU_STATUS_INVALID_SESSION and FRAME_DROPPED: it was pending when the session was invalidated.
 *       NALU_STATUS_UNSUPPORTED_DATA_FORMAT, _ALLOCATION_FAILED, _DECODER_MALFUNCTION: the picture could not be had or
 *         converted.
 *     nalu_decompression_session_copy_last_error has the sentence. A failure of one sample does not end the session.
 *  5. A sample that gives no picture has its call as soon as that is certain: at once where the stream has no reordering,
 *     else before the first picture that is presented after it, and at the latest when the session is emptied.
 *  6. When the callback is called, the library has done with the sample; but in a stream with reordering, and while several
 *     pictures are decoded at once, it keeps those since the last key frame (at most 600, and 64 MiB): see
 *     nalu_decompression_session_finish_delayed_frames.
 *  7. The image is borrowed for the call; nalu_pixel_buffer_retain keeps it, beyond the session too.
 *  8. No lock is held while it runs. From inside it one may decode samples, finish delayed frames, and retain and release
 *     the session; nalu_decompression_session_wait_for_asynchronous_frames and _invalidate return NALU_STATUS_REENTRANT,
 *     because they would wait for this very call.
 *  9. A slow callback slows the session: decode_frame waits while three samples wait for the decoder. From
 *     inside the callback it never waits: samples are taken beyond the bound, up to four times as many, and from there
 *     refused with NALU_STATUS_WOULD_BLOCK.
 * 10. No call begins after nalu_decompression_session_invalidate has returned.
 *
 * refcon: the callback's own; frame_refcon: the sample's. presentation_time and duration: the sample's, bit for bit. C++
 * exceptions and longjmp must not leave the callback.
 */
typedef void (*nalu_decompression_output_callback)(void *refcon, void *frame_refcon, nalu_status status,
    nalu_decode_info_flags info_flags, nalu_pixel_buffer *image, nalu_time presentation_time, nalu_time duration);

/* ---- Creation --------------------------------------------------------------- */

/* nalu_decoder_specification.flags */
enum {
    /* Show no picture that is wrong: after a lost or damaged picture to which others may refer, drop
     * (FRAME_DROPPED, _REFERENCE_MISSING) every sample up to the next key frame or completed recovery point. Lost
     * pictures to which no other refers cause no drop. A picture with the slightest error gives none (_BAD_DATA).
     * In H.265 recovery points are random access pictures only: of what an intra refresh has mended nothing is known.
     * Leading pictures of H.265 that refer to what was lost are dropped alone (SKIPPED_LEADING_FRAME_DROPPED). Without it
     * such pictures are shown with NALU_DECODE_INFO_DAMAGED. What samples are lost is found as nalu_loss_detector does. That
     * a part of a picture never came, whichever of its slices, is always found. That a slice was cut short or has wrong
     * bytes is found where they do not make sense: often they can be read as another picture, and nobody can tell, so
     * leave such slices out. Of H.265 much less of it is found than of H.264, unless the stream has the MD5 sums of its
     * pictures (ITU-T H.265 D.3.19), which are compared. */
    NALU_DECODER_DROP_UNTIL_KEY_FRAME = 1u << 0,
    /* Threads within a picture only, so that a picture never waits for later samples longer than the stream's own
     * reordering. Without it, and with more than one thread, asynchronous decoding runs several pictures at once, but for
     * H.264 pictures of several slices, which the threads share. */
    NALU_DECODER_LOW_DELAY = 1u << 1
};

/* Which decoder to use, and how. Start from NALU_DECODER_SPECIFICATION_INIT; fields are only ever appended. */
typedef struct nalu_decoder_specification {
    uint32_t struct_size; /* sizeof(nalu_decoder_specification) */
    /* 1: only a hardware decoder will do. There is none: creation fails with
     * NALU_STATUS_COULD_NOT_FIND_VIDEO_DECODER. Default 0. */
    uint32_t require_hardware_accelerated_video_decoder;
    uint32_t flags;       /* NALU_DECODER_..., default 0 */
    int32_t thread_count; /* 1 to 64; 0, the default: as many as there are processors, at most 16 */
} nalu_decoder_specification;

#define NALU_DECODER_SPECIFICATION_INIT {(uint32_t)sizeof(nalu_decoder_specification), 0, 0, 0}

/* What the images will be. Start from NALU_DESTINATION_ATTRIBUTES_INIT; fields are only ever appended. */
typedef struct nalu_destination_attributes {
    uint32_t struct_size; /* sizeof(nalu_destination_attributes) */
    /* 0, the default: the decoder's own: for streams of 8 bits 'y420' or, when they say that their range is full, 'f420',
     * without a copy; for 10 bits 'x420' or 'xf20'. Monochrome streams have chroma without colour. Else the format to
     * which every image is converted: '420v', '420f', 'y420', 'f420', 'x420', 'xf20', or 'BGRA', 'RGBA', ARGB, 'ABGR',
     * 24RGB, 24BGR, with the stream's own matrix and range (where it says none, BT.709 from 720 lines on, BT.601 below),
     * each value within 1 of the exact arithmetic, alpha 255; a chroma sample serves its four pixels. */
    nalu_pixel_format pixel_format;
    /* Pixels, 1 to NALU_MAX_DIMENSION: every image is scaled to it. 0, the default: the stream's, after cropping. */
    int32_t width;
    int32_t height;
} nalu_destination_attributes;

#define NALU_DESTINATION_ATTRIBUTES_INIT {(uint32_t)sizeof(nalu_destination_attributes), 0, 0, 0}

/*
 * Creates a session.
 *
 * format: what the first sample will have; retained. specification, destination_attributes: NULL for the defaults. Read
 *   during the call only.
 * refcon: handed to the callback as it is. destroy_refcon: NULL or called once with refcon, after the last
 *   callback. On failure it is not called: the caller keeps refcon.
 * session_out: receives the session with one reference; NULL on failure.
 *
 * The decoder is opened by the first sample, not here.
 *
 * _PARAMETER: format, callback or session_out is NULL, unknown flags, or a struct_size is below the first published size.
 * _UNSUPPORTED_DATA_FORMAT: another chroma format or depth than 4:2:0 or monochrome with 8 or 10 bits.
 * _COULD_NOT_FIND_VIDEO_DECODER: the specification, or the codec where FFmpeg was built without it.
 * _OUT_OF_RANGE: thread_count. _INVALID_PIXEL_FORMAT, _INVALID_SIZE: destination_attributes.
 * _UNSUPPORTED_OPTION: a field this library does not know is set. _INVALID_HANDLE, _ALLOCATION_FAILED.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_create(nalu_format_description *format,
    const nalu_decoder_specification *specification,
    const nalu_destination_attributes *destination_attributes, nalu_decompression_output_callback callback,
    void *refcon, nalu_refcon_destructor destroy_refcon, nalu_decompression_session **session_out);

/* Returns `session`. */
NALU_API nalu_decompression_session *nalu_decompression_session_retain(nalu_decompression_session *session);

/*
 * Gives a reference back. The release of the last one invalidates the session, and waits as
 * invalidate does; inside the callback it does not wait: the session ends when the callback has
 * returned, and destroy_refcon tells when.
 */
NALU_API void nalu_decompression_session_release(nalu_decompression_session *session);

/* ---- Decoding ---------------------------------------------------------------- */

/* VideoToolbox's VTDecodeFrameFlags with its numbers. */
enum {
    /* Return at once: the session's thread decodes. */
    NALU_DECODE_FRAME_ASYNCHRONOUS = 1u << 0,
    /* Decode the sample, because later ones refer to it, and give no image for it. */
    NALU_DECODE_FRAME_DO_NOT_OUTPUT = 1u << 1,
    /* Hints in VideoToolbox, taken and not needed here: samples are decoded as fast as they are given, and images always
     * come in output order. */
    NALU_DECODE_FRAME_REAL_TIME_PLAYBACK = 1u << 2,
    NALU_DECODE_FRAME_TEMPORAL_PROCESSING = 1u << 3
};

/*
 * Hands in the next sample in decode order, which is retained for as long as it is needed.
 *
 * flags: NALU_DECODE_FRAME_... Without ASYNCHRONOUS it returns when every picture that can be shown so far has had
 *   its callback: in a stream without reordering the sample's own, else those that the stream does not hold back for
 *   reordering. From inside the callback it returns at once in any case. Whether several pictures are decoded at
 *   once (see NALU_DECODER_LOW_DELAY) is decided by the flag of the first sample, and again at each key frame: until then a
 *   sample that comes without the flag to such a decoder waits for no more than its turn.
 * frame_refcon: handed to the callback.
 * info_flags_out: NULL, or receives NALU_DECODE_INFO_ASYNCHRONOUS when the sample's callback is still to come, else 0.
 *
 * A sample with another format description than the one before is taken when
 * nalu_decompression_session_can_accept_format_description says so. All pictures of the old one come first; where
 * anything in the parameter sets differs, decoding begins anew, with a key frame or recovery point.
 *
 * _PARAMETER: NULL session or sample; unknown flags. _INVALID_HANDLE. _INVALID_SESSION. _UNSUPPORTED_DATA_FORMAT: the
 * sample's format description cannot be accepted. _WOULD_BLOCK: from inside the callback. _ALLOCATION_FAILED. On every
 * failure the sample is not accepted: no callback will come for it.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_decode_frame(nalu_decompression_session *session,
    nalu_sample *sample, uint32_t flags, void *frame_refcon, nalu_decode_info_flags *info_flags_out);

/*
 * Has all pictures come that are held back for reordering, after those that wait before them; it waits for nothing. The
 * session can be used on. Where it was holding pictures, the decoder is emptied, and if the next sample is no key frame, those
 * since the last one are decoded again before it, which takes its time; where they are more than the session keeps,
 * decoding goes on with the next key frame or recovery point.
 *
 * _PARAMETER, _INVALID_HANDLE, _INVALID_SESSION.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_finish_delayed_frames(
    nalu_decompression_session *session);

/*
 * Finishes delayed frames, and waits until every accepted sample has had its callback.
 *
 * _REENTRANT: called from the callback. _INVALID_SESSION: also when the session is invalidated while waiting. _PARAMETER,
 * _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_wait_for_asynchronous_frames(
    nalu_decompression_session *session);

/* 1 when samples of this format can be given to the session: those of its codec, of any size, with a chroma format and depth
 * that creation takes. 0 otherwise, for NULL, and for what is no session or no format description. */
NALU_API int32_t nalu_decompression_session_can_accept_format_description(nalu_decompression_session *session,
    nalu_format_description *format);

/*
 * Ends the session: waits for the callback in progress, then gives every pending sample its callback (no image,
 * NALU_DECODE_INFO_FRAME_DROPPED, NALU_STATUS_INVALID_SESSION), and calls destroy_refcon. No callback begins after it has
 * returned. From then on functions return NALU_STATUS_INVALID_SESSION, but for
 * nalu_decompression_session_copy_last_error and _can_accept_format_description; the handle stays live until it is
 * released. NULL, or a session already invalid: does nothing and returns NALU_STATUS_OK.
 *
 * To get pending samples decoded instead, call nalu_decompression_session_wait_for_asynchronous_frames first.
 *
 * _REENTRANT: called from the callback; nothing is changed. _INVALID_HANDLE.
 */
NALU_API nalu_status nalu_decompression_session_invalidate(nalu_decompression_session *session);

/*
 * The sentence of the last failure that happened while decoding, which reached a callback as a
 * status. buffer and capacity as in bitstream.h; size_out counts the terminating NUL; "" when there
 * was none.
 *
 * _PARAMETER: size_out is NULL. _INVALID_HANDLE, _BUFFER_TOO_SMALL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_decompression_session_copy_last_error(nalu_decompression_session *session,
    char *buffer, size_t capacity, size_t *size_out);

NALU_END_DECLS

#endif
