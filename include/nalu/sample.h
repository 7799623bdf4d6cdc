/**
 * @file
 * Encoded frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_SAMPLE_H
#define NALU_SAMPLE_H

#include "base.h"
#include "bitstream.h"
#include "format.h"
#include "time.h"

NALU_BEGIN_DECLS

/**
 * One encoded frame: the NAL units of an access unit, or of both fields of a frame, with times and
 * dependency flags; or one packet of audio. Immutable and reference-counted; it may outlive its
 * session.
 *
 * The getters accept NULL, so that a callback may call them for a dropped frame.
 */
typedef struct nalu_sample nalu_sample;

/* ---- Creation ------------------------------------------------------------------------------- */

/**
 * Creates a sample from NAL units, for samples from files and networks.
 *
 * @param bytes,size one or more NAL units, each after a big-endian length with the format's number
 *   of bytes (nalu_format_description_get_length_size). The content of the NAL units is not
 *   checked. For an audio format: the bytes of one packet.
 * @param presentation_time numeric.
 * @param duration numeric and not negative, or invalid if there is no duration.
 * @param decode_time numeric and not after presentation_time, or invalid for presentation_time
 *   itself. It is not compared with the decode times of other samples.
 * @param attachments flags of nalu_sample_get_attachments; 0 for a key frame that no frame refers
 *   to.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER unknown flags, or NALU_SAMPLE_PARTIAL_SYNC without
 *   NALU_SAMPLE_NOT_SYNC
 * @retval NALU_STATUS_BAD_DATA there is no NAL unit, or the lengths do not add up to size
 * @retval NALU_STATUS_INVALID_TIME one of the times
 * @par Ownership
 * The bytes are copied, format is retained; sample_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_create(const uint8_t *bytes, size_t size,
    nalu_format_description *format, nalu_time presentation_time, nalu_time duration,
    nalu_time decode_time, uint32_t attachments, nalu_sample **sample_out);

/**
 * Receives release_refcon once, when the last reference to a wrapping sample is gone.
 *
 * @par Threading
 * Any thread.
 */
typedef void (*nalu_sample_release_callback)(void *release_refcon);

/**
 * Creates a sample that wraps the caller's bytes without copying them.
 *
 * @param release_callback,release_refcon NULL, or called when the bytes are no longer needed.
 * The other parameters: see nalu_sample_create.
 * @return the statuses of nalu_sample_create.
 * @par Ownership
 * sample_out receives one reference. The bytes must stay in place and unchanged until
 * release_callback is called; without a callback, until the last reference is gone. On failure the
 * callback is not called; the caller keeps the bytes.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_create_with_bytes(const uint8_t *bytes,
    size_t size, nalu_sample_release_callback release_callback, void *release_refcon,
    nalu_format_description *format, nalu_time presentation_time, nalu_time duration,
    nalu_time decode_time, uint32_t attachments, nalu_sample **sample_out);

/** Adds a reference, and returns sample. */
NALU_API nalu_sample *nalu_sample_retain(nalu_sample *sample);

/** Releases one reference. */
NALU_API void nalu_sample_release(nalu_sample *sample);

/* ---- Bytes ---------------------------------------------------------------------------------- */

/**
 * Returns the format description of the stream. Consecutive samples share a format description
 * until the parameter sets change.
 *
 * @par Ownership
 * The format description lives as long as the sample, or longer if the caller retains it.
 */
NALU_API nalu_format_description *nalu_sample_get_format_description(const nalu_sample *sample);

/**
 * Returns the NAL units in the form of MP4: each after a big-endian length, without gaps.
 *
 * The lengths have 4 bytes; in a sample that a caller created, the length size of its format
 * description. The data of a session's sample have no parameter sets; these are in the format
 * description.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the sample.
 */
NALU_API const uint8_t *nalu_sample_get_data(const nalu_sample *sample, size_t *size_out);

/** Returns the number of NAL units. */
NALU_API uint32_t nalu_sample_get_nal_count(const nalu_sample *sample);

/**
 * Returns the next NAL unit, header byte first; NULL after the last.
 *
 * @code{.c}
 * size_t offset = 0, size;
 * const uint8_t *nal;
 * while ((nal = nalu_sample_next_nal(sample, &offset, &size)) != NULL)
 *     use(nal, size);
 * @endcode
 *
 * @param offset the position in the data, in bytes. Start with 0; each call advances it. NULL is
 *   returned if offset is NULL or beyond the data.
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the sample.
 */
NALU_API const uint8_t *nalu_sample_next_nal(const nalu_sample *sample, size_t *offset,
    size_t *size_out);

/**
 * Returns one NAL unit by its number, header byte first; NULL beyond the last.
 *
 * Each call starts at the first NAL unit; nalu_sample_next_nal visits all NAL units in less time.
 *
 * @param size_out NULL, or receives the number of bytes.
 * @par Ownership
 * The bytes live as long as the sample.
 */
NALU_API const uint8_t *nalu_sample_get_nal(const nalu_sample *sample, uint32_t index,
    size_t *size_out);

/** The places where nalu_sample_copy_annex_b inserts parameter sets. */
enum {
    /** Inserts them before key frames and recovery points: usual for streams and files. */
    NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES = 0,
    /** Inserts none: only the sample's own NAL units are copied. */
    NALU_ANNEX_B_NO_PARAMETER_SETS = 1,
    /** Inserts them before every frame. */
    NALU_ANNEX_B_PARAMETER_SETS_ALWAYS = 2
};

/**
 * Copies the sample in Annex B form with 4-byte start codes, ready to be appended to a `.h264` or
 * `.h265` file.
 *
 * Parameter sets follow the access unit delimiter if the sample begins with one. H.265 SEI NAL
 * units of the format description are inserted with them.
 *
 * @param parameter_sets NALU_ANNEX_B_...
 * @param buffer,capacity,size_out see BUFFERS in base.h.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER parameter_sets
 * @retval NALU_STATUS_UNSUPPORTED_DATA_FORMAT the sample is audio
 * @retval NALU_STATUS_BUFFER_TOO_SMALL capacity is too small
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_copy_annex_b(const nalu_sample *sample,
    int32_t parameter_sets, uint8_t *buffer, size_t capacity, size_t *size_out);

/* ---- Times ---------------------------------------------------------------------------------- */

/** @{ */
/**
 * Return the presentation time and the duration that were given with the frame, unchanged. The
 * duration is invalid if none was given.
 */
NALU_API nalu_time nalu_sample_get_presentation_time(const nalu_sample *sample);
NALU_API nalu_time nalu_sample_get_duration(const nalu_sample *sample);
/** @} */

/**
 * Returns the decode time, which is never after the presentation time. The decode times of a
 * session's samples increase.
 *
 * Without frame reordering, the decode time equals the presentation time. With reordering, the n-th
 * sample's decode time is the n-th smallest presentation time, moved back by
 * NALU_PROPERTY_REORDER_DEPTH frames. The first samples therefore have decode times before the
 * first presentation time.
 */
NALU_API nalu_time nalu_sample_get_decode_time(const nalu_sample *sample);

/* ---- Dependencies --------------------------------------------------------------------------- */

/** Attachment flags, named after CoreMedia's kCMSampleAttachmentKey_ constants. */
enum {
    /** The sample is no key frame: decoding starts here only with NALU_SAMPLE_PARTIAL_SYNC. */
    NALU_SAMPLE_NOT_SYNC = 1u << 0,
    /** The frame refers to other frames. Not set on intra frames. */
    NALU_SAMPLE_DEPENDS_ON_OTHERS = 1u << 1,
    /**
     * Other frames may refer to this frame. Not set on frames that can be dropped (nal_ref_idc 0;
     * H.265: a sub-layer non-reference picture of the highest sub-layer).
     */
    NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS = 1u << 2,
    /** Later samples may be displayed before this one. */
    NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED = 1u << 3,
    /**
     * A recovery point; NALU_SAMPLE_NOT_SYNC is set too. Decoding can start here. In an open group
     * of pictures (NALU_PROPERTY_ALLOW_OPEN_GOP), samples that follow in decode order and are
     * displayed earlier refer to earlier pictures, and must then be left out. With an intra refresh
     * (NALU_PROPERTY_ALLOW_INTRA_REFRESH), pictures are correct when the refresh is complete.
     */
    NALU_SAMPLE_PARTIAL_SYNC = 1u << 4,
    /**
     * The sample is decoded and not displayed (DoNotDisplay): the edit list of an mp4 or mov hides
     * it, and displayed samples may refer to it. A decompression session delivers no image for it,
     * as with NALU_DECODE_FRAME_DO_NOT_OUTPUT; a writer hides it in mp4 and mov.
     */
    NALU_SAMPLE_DO_NOT_DISPLAY = 1u << 5
};

/** Returns the attachment flags. */
NALU_API uint32_t nalu_sample_get_attachments(const nalu_sample *sample);

/**
 * Returns 1 for a key frame (IDR; for H.265 IDR or BLA), that is, if NALU_SAMPLE_NOT_SYNC is not
 * set; otherwise 0. Returns 0 for NULL.
 */
NALU_API int32_t nalu_sample_is_key_frame(const nalu_sample *sample);

/**
 * Returns the token with which a receiver acknowledges the sample (VideoToolbox's
 * RequireLTRAcknowledgementToken): 0 or more, unique in a session. See nalu_frame_options.
 *
 * The token is -1 for NULL, and without NALU_PROPERTY_ENABLE_LTR.
 */
NALU_API int64_t nalu_sample_get_ltr_acknowledgement_token(const nalu_sample *sample);

/**
 * Returns the token (nalu_sample_get_ltr_acknowledgement_token) of the only sample that this sample
 * refers to. Senders that describe dependencies to relays and receivers need it, for example in RTP
 * header extensions.
 *
 * The token is -1 for a sample that refers to none (NALU_SAMPLE_DEPENDS_ON_OTHERS is not set), for
 * NULL, and without NALU_PROPERTY_ENABLE_LTR.
 */
NALU_API int64_t nalu_sample_get_ltr_reference_token(const nalu_sample *sample);

/** Returns the refcon that was given with the frame; NULL for a sample that a caller created. */
NALU_API void *nalu_sample_get_frame_refcon(const nalu_sample *sample);

/* ---- Quality -------------------------------------------------------------------------------- */

/**
 * Returns the mean luma QP over the macroblocks of the frame: 0 (best quality) to 51, at 10 bits
 * -12 to 51 (QP_Y of ITU-T H.264 7.4.3). NaN for NULL and if the encoder does not report the QP.
 */
NALU_API double nalu_sample_get_average_qp(const nalu_sample *sample);

/**
 * The difference between the decoded picture and the encoder's input, which is the frame after
 * conversion and scaling.
 *
 * Errors are on the scale of the stream's samples: 0 to 255, or 0 to 1023 with 10 bits. The first
 * three have VideoToolbox's names.
 */
typedef struct nalu_quality_metrics {
    uint32_t struct_size; /**< sizeof(nalu_quality_metrics), set by the caller */
    uint32_t reserved;    /**< 0 */
    /** The mean squared error of each plane; 0 for an error below 1e-10 of the squared peak. */
    double luma_mean_squared_error;
    double chroma_blue_mean_squared_error;
    double chroma_red_mean_squared_error;
    /** Peak signal-to-noise ratios in dB, 10 log10(peak * peak / error); infinite for no error. */
    double luma_psnr;
    double chroma_blue_psnr;
    double chroma_red_psnr;
    double average_psnr; /**< of luma and chroma samples together */
    double ssim;         /**< structural similarity of luma, at most 1; windows of 8x8 samples */
} nalu_quality_metrics;

/**
 * Reads the quality metrics of a sample.
 *
 * @param metrics struct_size is set by the caller; the other fields are filled in.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR was not set
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_get_quality_metrics(const nalu_sample *sample,
    nalu_quality_metrics *metrics);

NALU_END_DECLS

#endif
