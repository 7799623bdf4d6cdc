/*
 * nalu/sample.h - encoded frames.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_SAMPLE_H
#define NALU_SAMPLE_H

#include "base.h"
#include "bitstream.h"
#include "format.h"
#include "time.h"

NALU_BEGIN_DECLS

/*
 * One encoded frame (an access unit): its NAL units, times and dependency flags. Immutable,
 * reference-counted, usable from any thread; it outlives its session when retained.
 *
 * Getters return 0, NULL or the invalid time for NULL and for a pointer that is no sample, so that
 * a callback may ask a dropped frame's NULL sample.
 */
typedef struct nalu_sample nalu_sample;

/*
 * A sample from the caller's bytes, which are copied: for samples out of files and networks.
 *
 * bytes, size: the NAL units, each behind a big-endian length of as many bytes as `format` says
 *   (nalu_format_description_get_length_size), at least one unit and nothing else. What the units hold is not looked at.
 * format: retained. presentation_time: numeric. duration: numeric and not negative, or invalid when
 * there is none. decode_time: numeric and not after the presentation time, or invalid for the presentation time itself;
 * that decode times grow from sample to sample is the caller's affair. attachments: the flags of
 * nalu_sample_get_attachments; 0 for a key frame to which no other frame refers.
 *
 * The getters answer for it as for a session's sample: no refcon, no token, no quality metrics, and NaN as average QP.
 *
 * _PARAMETER: a NULL argument, a flag that there is not, or NALU_SAMPLE_PARTIAL_SYNC without NALU_SAMPLE_NOT_SYNC.
 * _BAD_DATA: lengths that are cut off, zero, or do not add up to `size`, or no NAL unit. _INVALID_TIME.
 * _INVALID_HANDLE. _ALLOCATION_FAILED. sample_out receives one reference, or NULL on failure.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_create(const uint8_t *bytes, size_t size,
    nalu_format_description *format, nalu_time presentation_time, nalu_time duration, nalu_time decode_time,
    uint32_t attachments, nalu_sample **sample_out);

/* Called once, when the last reference to a wrapping sample is gone; from any thread. */
typedef void (*nalu_sample_release_callback)(void *release_refcon);

/*
 * The same without copying: the bytes must stay in place and unchanged until release_callback is called with
 * release_refcon; when release_callback is NULL, until the last reference is gone. They are the sample's data as they
 * are.
 *
 * On success the sample owns the right to call release_callback; on failure it is not called and the caller keeps the
 * bytes. Statuses as above.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_create_with_bytes(const uint8_t *bytes, size_t size,
    nalu_sample_release_callback release_callback, void *release_refcon, nalu_format_description *format,
    nalu_time presentation_time, nalu_time duration, nalu_time decode_time, uint32_t attachments,
    nalu_sample **sample_out);

NALU_API nalu_sample *nalu_sample_retain(nalu_sample *sample);
NALU_API void nalu_sample_release(nalu_sample *sample);

/* The format description of the stream; lives as long as the sample. Consecutive samples share
 * one until parameter sets change. */
NALU_API nalu_format_description *nalu_sample_get_format_description(const nalu_sample *sample);

/*
 * The NAL units, each behind a big-endian length of 4 bytes (in a sample that a caller made: of as many as its format
 * description says), in one piece, as MP4 stores them. In a session's sample parameter sets are not among them: they
 * are in the format description. The bytes live as long as the sample. size_out may be NULL.
 */
NALU_API const uint8_t *nalu_sample_get_data(const nalu_sample *sample, size_t *size_out);

/* How many NAL units the sample has. */
NALU_API uint32_t nalu_sample_get_nal_count(const nalu_sample *sample);

/* One NAL unit, header byte first; NULL beyond the last. size_out may be NULL. */
NALU_API const uint8_t *nalu_sample_get_nal(const nalu_sample *sample, uint32_t index, size_t *size_out);

enum {
    /* Annex B: put the parameter sets before a key frame (the usual choice for streams and files), and before a
     * recovery point. */
    NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES = 0,
    /* Annex B: the sample's own NAL units only. */
    NALU_ANNEX_B_NO_PARAMETER_SETS = 1,
    /* Annex B: put the parameter sets before every frame. */
    NALU_ANNEX_B_PARAMETER_SETS_ALWAYS = 2
};

/*
 * The sample as Annex B with 4-byte start codes, ready to be appended to a `.h264` or `.h265` file or stream. Parameter sets
 * (and the SEI units that an H.265 format description can hold) stand behind the access unit delimiter that the sample
 * begins with, if it does. buffer and capacity as in bitstream.h.
 *
 * _PARAMETER: size_out is NULL, or parameter_sets is not one of the above. _INVALID_HANDLE.
 * _BUFFER_TOO_SMALL.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_copy_annex_b(const nalu_sample *sample,
    int32_t parameter_sets, uint8_t *buffer, size_t capacity, size_t *size_out);

/* The presentation time and duration that were given with the frame, bit for bit. The duration is
 * invalid when none was given. */
NALU_API nalu_time nalu_sample_get_presentation_time(const nalu_sample *sample);
NALU_API nalu_time nalu_sample_get_duration(const nalu_sample *sample);

/*
 * The decode time. It grows strictly from sample to sample and is never after the presentation
 * time: the n-th sample has the n-th smallest presentation time, moved back by the reorder depth
 * (the property NALU_PROPERTY_REORDER_DEPTH); without frame reordering it is the presentation time
 * itself. The first samples of a stream with reordering therefore have decode times before the
 * first presentation time.
 */
NALU_API nalu_time nalu_sample_get_decode_time(const nalu_sample *sample);

/* Attachment flags, after CoreMedia's kCMSampleAttachmentKey_ names. */
enum {
    /* Not a key frame: decoding cannot start here (but see NALU_SAMPLE_PARTIAL_SYNC). */
    NALU_SAMPLE_NOT_SYNC = 1u << 0,
    /* Refers to other frames; absent on intra frames. */
    NALU_SAMPLE_DEPENDS_ON_OTHERS = 1u << 1,
    /* Other frames may refer to it; absent on frames that can be dropped (nal_ref_idc 0;
     * H.265: a picture of the highest sub-layer that others of the sub-layer do not refer to). */
    NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS = 1u << 2,
    /* Later samples may be displayed earlier than this one. */
    NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED = 1u << 3,
    /* A recovery point of a stream with open groups of pictures (NALU_PROPERTY_ALLOW_OPEN_GOP): an intra frame that
     * is not IDR, and therefore NALU_SAMPLE_NOT_SYNC too. Decoding can start here; the samples that follow in decode
     * order and are displayed earlier refer to what came before, and are to be left out then. Also the sample that begins
     * an intra refresh (NALU_PROPERTY_ALLOW_INTRA_REFRESH): decoding can start here, with right pictures when it is
     * through. */
    NALU_SAMPLE_PARTIAL_SYNC = 1u << 4
};

NALU_API uint32_t nalu_sample_get_attachments(const nalu_sample *sample);

/* 1 for a key frame (IDR), else 0: the opposite of NALU_SAMPLE_NOT_SYNC, and 0 for NULL. */
NALU_API int32_t nalu_sample_is_key_frame(const nalu_sample *sample);

/* The average luma quantiser of the frame over its macroblocks, 0 (finest) to 51, in a stream of 10 bits
 * -12 to 51 (QP_Y of ITU-T H.264 7.4.3: a step means the same at both depths); NaN for NULL and where the
 * encoder does not say. */
NALU_API double nalu_sample_get_average_qp(const nalu_sample *sample);

/*
 * How far a decoded picture is from the one that the encoder was given, which is the frame after conversion and scaling.
 * Errors are on the scale of the stream's samples, 0 to 255 or, with 10 bits, 0 to 1023. VideoToolbox's names for the
 * first three: LumaMeanSquaredError, ChromaBlueMeanSquaredError, ChromaRedMeanSquaredError.
 */
typedef struct nalu_quality_metrics {
    uint32_t struct_size; /* sizeof(nalu_quality_metrics) */
    uint32_t reserved;    /* 0 */
    /* The mean squared error of a plane's samples; 0 where the encoder finds none (below 1e-10 of the peak's square). */
    double luma_mean_squared_error;
    double chroma_blue_mean_squared_error;
    double chroma_red_mean_squared_error;
    /* Peak signal-to-noise ratios in dB, 10 log10(peak * peak / error); infinite where the error is 0. */
    double luma_psnr;
    double chroma_blue_psnr;
    double chroma_red_psnr;
    double average_psnr; /* of all samples together, luma and chroma */
    double ssim; /* structural similarity of luma, at most 1: the mean over overlapping windows of 8x8 samples */
} nalu_quality_metrics;

/*
 * Reads the quality of the sample's picture. Set struct_size before the call; fields are only ever appended.
 *
 * _VALUE_NOT_AVAILABLE: the session was opened without NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR. _PARAMETER: metrics is
 * NULL, or struct_size below the first published size. _INVALID_HANDLE.
 */
NALU_API NALU_NODISCARD nalu_status nalu_sample_get_quality_metrics(const nalu_sample *sample,
    nalu_quality_metrics *metrics);

/*
 * With NALU_PROPERTY_ENABLE_LTR: the token by which a receiver acknowledges the sample (VideoToolbox's
 * RequireLTRAcknowledgementToken), 0 or more, each one once in a session; see nalu_frame_options. -1 without the
 * property, and for NULL.
 */
NALU_API int64_t nalu_sample_get_ltr_acknowledgement_token(const nalu_sample *sample);

/* The refcon that was given to encode with the frame. */
NALU_API void *nalu_sample_get_frame_refcon(const nalu_sample *sample);

NALU_END_DECLS

#endif
