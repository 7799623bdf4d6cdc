/*
 * Facts of a stream: what our own reading of the samples and of the parameter sets says. fact_names.h has their names; a
 * new fact is a function here and a row there.
 */
#ifndef NALU_TESTS_STREAM_FACTS_H
#define NALU_TESTS_STREAM_FACTS_H

#include "hrd_facts.h"

/* A finished clip, of which the samples that are shown from frame `from` on count. */
typedef struct scene {
    clip c;
    int32_t from;
    int64_t most_pending; /* after any of its encodes had returned */
    char effective[4096]; /* x264.effective, read after the last frame */
} scene;

typedef double fact_function(const scene *s, double argument);

/* ---- The parameter sets ---------------------------------------------------------------------------------- */

#define SEQUENCE_FACT(name, field) \
    static inline double fact_##name(const scene *s, double argument) { \
        (void)argument; \
        return (double)clip_info(&s->c).field; \
    }
SEQUENCE_FACT(profile, profile_idc)
SEQUENCE_FACT(constraints, constraint_flags)
SEQUENCE_FACT(level, level_idc)
SEQUENCE_FACT(depth, luma_bit_depth)
SEQUENCE_FACT(coded_height, coded_height)
SEQUENCE_FACT(width, width)
SEQUENCE_FACT(height, height)
SEQUENCE_FACT(crop_left, crop_left)
SEQUENCE_FACT(crop_top, crop_top)
SEQUENCE_FACT(frame_mbs_only, frame_mbs_only)
SEQUENCE_FACT(refs, max_num_ref_frames)
SEQUENCE_FACT(poc_type, pic_order_cnt_type)
SEQUENCE_FACT(sar_h, pixel_aspect_ratio_horizontal)
SEQUENCE_FACT(sar_v, pixel_aspect_ratio_vertical)
SEQUENCE_FACT(primaries, color_primaries)
SEQUENCE_FACT(transfer, transfer_characteristics)
SEQUENCE_FACT(matrix, matrix_coefficients)
SEQUENCE_FACT(reorder, reorder_depth)
SEQUENCE_FACT(nal_hrd, nal_hrd)

/* Frames a second of the timing information. */
static inline double fact_fps(const scene *s, double argument) {
    const nalu_sequence_info info = clip_info(&s->c);
    (void)argument;
    return info.num_units_in_tick ? (double)info.time_scale / 2 / info.num_units_in_tick : 0;
}

static inline double fact_cabac(const scene *s, double argument) { return (void)argument, clip_uses_cabac(&s->c); }

/* The NAL HRD parameters; 0 without any. */
static inline double fact_hrd_rate(const scene *s, double argument) {
    return (void)argument, clip_hrd(&s->c).bits_per_second;
}
static inline double fact_hrd_buffer(const scene *s, double argument) {
    return (void)argument, clip_hrd(&s->c).buffer_bits;
}
static inline double fact_hrd_cbr(const scene *s, double argument) { return (void)argument, clip_hrd(&s->c).constant; }

/* The QP that slices differ from, of the first PPS (pic_init_qp_minus26 and 26). */
static inline double fact_init_qp(const scene *s, double argument) {
    const nalu_format_description *format = nalu_sample_get_format_description(s->c.samples[0]);
    (void)argument;
    for (uint32_t i = 0; i < nalu_format_description_get_parameter_set_count(format); i++) {
        size_t size = 0, bit = 8;
        const uint8_t *set = nalu_format_description_get_parameter_set(format, i, &size);
        if ((set[0] & 31) != NALU_NAL_PPS) continue;
        for (int k = 0; k < 2; k++) (void)bits_ue(set, size, &bit);
        bit += 2; /* entropy_coding_mode_flag, bottom_field_pic_order_in_frame_present_flag */
        for (int k = 0; k < 3; k++) (void)bits_ue(set, size, &bit);
        bit += 3; /* weighted_pred_flag, weighted_bipred_idc */
        const uint32_t code = bits_ue(set, size, &bit);
        return 26 + (code & 1 ? (double)(code + 1) / 2 : -(double)code / 2);
    }
    return NAN;
}

/* ---- The samples ----------------------------------------------------------------------------------------- */

/* A sample in decode order, or NULL when it does not count. */
static inline const nalu_sample *scene_sample(const scene *s, int32_t index) {
    const nalu_sample *sample = s->c.samples[index];
    return nalu_sample_get_presentation_time(sample).value < s->from ? NULL : sample;
}

#define FOR_SAMPLES(s, sample) \
    for (int32_t n_ = 0; n_ < (s)->c.count; n_++) \
        for (const nalu_sample *sample = scene_sample((s), n_); sample; sample = NULL)

static inline double fact_samples(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) count++;
    return count;
}

/* 1 when every sample has quality metrics, 0 when none has. */
static inline double fact_metrics(const scene *s, double argument) {
    double with = 0, count = fact_samples(s, argument);
    FOR_SAMPLES(s, sample) {
        nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
        with += nalu_sample_get_quality_metrics(sample, &metrics) == NALU_STATUS_OK && metrics.luma_psnr > 0;
    }
    return count ? with / count : -1;
}

/* NAL units of that type. */
static inline double fact_nal(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
            count += (nalu_sample_get_nal(sample, i, NULL)[0] & 31) == (int)type;
    return count;
}

/* SEI messages of that type, each in a NAL unit of its own. */
static inline double fact_sei(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            const uint8_t *nal = nalu_sample_get_nal(sample, i, NULL);
            count += (nal[0] & 31) == NALU_NAL_SEI && nal[1] == (int)type;
        }
    return count;
}

/* Picture timing messages with that pic_struct (ITU-T H.264 D.1.3), where there is no HRD. */
static inline double fact_pic_struct(const scene *s, double value) {
    double count = 0;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            size_t size = 0;
            const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
            count += (nal[0] & 31) == NALU_NAL_SEI && size > 3 && nal[1] == 1 && nal[3] >> 4 == (int)value;
        }
    return count;
}

/* Samples whose first slice is of that type: 0 P, 1 B, 2 I. */
static inline double fact_type(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample) count += sample_slice_type(sample) == (int)type;
    return count;
}

/* IDR samples; the attachments must say the same. */
static inline double fact_idr(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) {
        int idr = 0;
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
            idr |= (nalu_sample_get_nal(sample, i, NULL)[0] & 31) == NALU_NAL_SLICE_IDR;
        CHECK_EQ(nalu_sample_is_key_frame(sample), idr);
        count += idr;
    }
    return count;
}

static inline double fact_partial(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) count += (nalu_sample_get_attachments(sample) & NALU_SAMPLE_PARTIAL_SYNC) != 0;
    return count;
}

/* Samples whose decode time lies before their presentation time. */
static inline double fact_early(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample)
        count += nalu_time_compare(nalu_sample_get_decode_time(sample), nalu_sample_get_presentation_time(sample)) < 0;
    return count;
}

/* The most slices of a sample, and the bytes of the largest one. */
static inline double fact_slices(const scene *s, double argument) {
    double most = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) most = fmax(most, sample_slices(sample));
    return most;
}

static inline double fact_slice_bytes(const scene *s, double argument) {
    double most = 0;
    (void)argument;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            size_t size = 0;
            if (nal_is_slice(nalu_sample_get_nal(sample, i, &size))) most = fmax(most, (double)size);
        }
    return most;
}

static inline double sample_bytes(const nalu_sample *sample) {
    size_t size = 0;
    (void)nalu_sample_get_data(sample, &size);
    return (double)size;
}

/* The most bytes in a window of so many frames. */
static inline double fact_window(const scene *s, double frames) {
    double most = 0, sum = 0, sizes[CLIP_MOST];
    int count = 0;
    FOR_SAMPLES(s, sample) {
        sum += sizes[count++] = sample_bytes(sample);
        if (count > (int)frames) sum -= sizes[count - 1 - (int)frames];
        most = fmax(most, sum);
    }
    return most;
}

static inline double fact_bytes(const scene *s, double argument) {
    double sum = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) sum += sample_bytes(sample);
    return sum;
}

static inline double fact_qp_least(const scene *s, double argument) {
    double least = 99;
    (void)argument;
    FOR_SAMPLES(s, sample) least = fmin(least, nalu_sample_get_average_qp(sample));
    return least;
}

static inline double fact_qp_most(const scene *s, double argument) {
    double most = -1;
    (void)argument;
    FOR_SAMPLES(s, sample) most = fmax(most, nalu_sample_get_average_qp(sample));
    return most;
}

/* The mean over the samples that count, and that over the others but the first, which is a key frame. */
static inline void two_means(const scene *s, double (*of)(const nalu_sample *), double *now, double *before) {
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    for (int32_t i = 1; i < s->c.count; i++) {
        const int counted = scene_sample(s, i) != NULL;
        sums[counted] += of(s->c.samples[i]);
        counts[counted]++;
    }
    REQUIRE(counts[0] > 0 && counts[1] > 0);
    *before = sums[0] / counts[0], *now = sums[1] / counts[1];
}

/* How much higher the mean QP is than before the change. */
static inline double fact_qp_rise(const scene *s, double argument) {
    double now, before;
    (void)argument;
    two_means(s, nalu_sample_get_average_qp, &now, &before);
    return now - before;
}

/* The mean size through that before the change. */
static inline double fact_size_ratio(const scene *s, double argument) {
    double now, before;
    (void)argument;
    two_means(s, sample_bytes, &now, &before);
    return now / before;
}

/* Samples with a token to acknowledge. */
static inline double fact_tokens(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) count += nalu_sample_get_ltr_acknowledgement_token(sample) >= 0;
    return count;
}

static inline double fact_pending(const scene *s, double argument) { return (void)argument, (double)s->most_pending; }

/* ---- What the session answers, after the last frame ----------------------------------------------------------- */

/* A frame that was accepted has come back, so that the facts that follow can look at the samples. */
static inline nalu_status after_completing(const scene *s, nalu_status status) {
    if (status == NALU_STATUS_OK)
        REQUIRE_OK(nalu_compression_session_complete_frames(s->c.session, nalu_time_invalid()));
    return status;
}

/* The status of another frame with these flags. */
static inline double fact_frame_flags(const scene *s, double flags) {
    clip *c = (clip *)&s->c;
    const nalu_time time = nalu_time_make(c->fed, 30);
    return after_completing(s, clip_encode_at(c, time, nalu_time_invalid(), (uint32_t)flags));
}

/* The status of a frame of another size. */
static inline double fact_other_size(const scene *s, double argument) {
    static const uint8_t pixels[32 * 32 * 3 / 2] = {0};
    const void *planes[2] = {pixels, pixels + 32 * 32};
    const int64_t strides[2] = {32, 32};
    (void)argument;
    return after_completing(s, nalu_compression_session_encode_planes(s->c.session, 32, 32, NALU_PIXEL_FORMAT_420V, 2,
        planes, strides, NULL, nalu_time_make(s->c.fed, 30), nalu_time_invalid(), NULL, NULL, NULL));
}

#endif
