/*
 * Facts of a stream from the tests' own parser of samples and parameter sets. fact_names.h contains their
 * names. A new fact needs a function here and a row there.
 */
#ifndef NALU_TESTS_STREAM_FACTS_H
#define NALU_TESTS_STREAM_FACTS_H

#include "hrd_facts.h"

/* A finished clip. Only the samples presented from frame `from` on count. */
typedef struct scene {
    clip c;
    int32_t from;
    int64_t most_pending; /* the maximum after each encode call */
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

/* Without the syntax element, chroma_sample_loc_type is 0. */
static inline double fact_chroma(const scene *s, double argument) {
    const int32_t location = clip_info(&s->c).chroma_location;
    return (void)argument, location < 0 ? 0 : location;
}

/* Returns the frames per second from the timing information. */
static inline double fact_fps(const scene *s, double argument) {
    const nalu_sequence_info info = clip_info(&s->c);
    (void)argument;
    return info.num_units_in_tick ? (double)info.time_scale / 2 / info.num_units_in_tick : 0;
}

static inline double fact_cabac(const scene *s, double argument) { return (void)argument, clip_uses_cabac(&s->c); }

/* Returns values of the NAL HRD parameters; 0 without HRD parameters. */
static inline double fact_hrd_rate(const scene *s, double argument) {
    return (void)argument, clip_hrd(&s->c).bits_per_second;
}
static inline double fact_hrd_buffer(const scene *s, double argument) {
    return (void)argument, clip_hrd(&s->c).buffer_bits;
}
static inline double fact_hrd_cbr(const scene *s, double argument) { return (void)argument, clip_hrd(&s->c).constant; }

/* Returns the base QP of slices in the first PPS (pic_init_qp_minus26 plus 26). */
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

/* Returns a sample in decode order, or NULL if it does not count. */
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

/* Returns 1 if every sample has quality metrics, 0 if none has. */
static inline double fact_metrics(const scene *s, double argument) {
    double with = 0, count = fact_samples(s, argument);
    FOR_SAMPLES(s, sample) {
        nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
        with += nalu_sample_get_quality_metrics(sample, &metrics) == NALU_STATUS_OK && metrics.luma_psnr > 0;
    }
    return count ? with / count : -1;
}

/* Counts NAL units of the type. */
static inline double fact_nal(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++)
            count += (nalu_sample_get_nal(sample, i, NULL)[0] & 31) == (int)type;
    return count;
}

/* Counts SEI messages of the type. Each must be alone in its NAL unit. */
static inline double fact_sei(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample)
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            const uint8_t *nal = nalu_sample_get_nal(sample, i, NULL);
            count += (nal[0] & 31) == NALU_NAL_SEI && nal[1] == (int)type;
        }
    return count;
}

/* Counts picture timing messages with this pic_struct (ITU-T H.264 D.1.3) in a stream without HRD. */
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

/* Counts samples whose first slice has the type: 0 P, 1 B, 2 I. */
static inline double fact_type(const scene *s, double type) {
    double count = 0;
    FOR_SAMPLES(s, sample) count += sample_slice_type(sample) == (int)type;
    return count;
}

/* Counts IDR samples and checks their attachments. */
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

/* Counts samples with a decode time before their presentation time. */
static inline double fact_early(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample)
        count += nalu_time_compare(nalu_sample_get_decode_time(sample), nalu_sample_get_presentation_time(sample)) < 0;
    return count;
}

/* Returns the highest number of slices in a sample. The next function returns the size of the largest slice. */
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

/* Returns the maximum number of bytes in a window of `frames` frames. */
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

/* Computes the mean of the samples that count, and of the samples before them except the first, a key frame. */
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

/* Returns the increase of the mean QP at the change. */
static inline double fact_qp_rise(const scene *s, double argument) {
    double now, before;
    (void)argument;
    two_means(s, nalu_sample_get_average_qp, &now, &before);
    return now - before;
}

/* Returns the mean size after the change divided by the mean size before it. */
static inline double fact_size_ratio(const scene *s, double argument) {
    double now, before;
    (void)argument;
    two_means(s, sample_bytes, &now, &before);
    return now / before;
}

/* Counts samples with an acknowledgement token. */
static inline double fact_tokens(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) count += nalu_sample_get_ltr_acknowledgement_token(sample) >= 0;
    return count;
}

/* Returns the number of samples to which no other refers, by their attachments and by their slices. */
static inline double fact_disposable(const scene *s, double argument) {
    double count = 0;
    (void)argument;
    FOR_SAMPLES(s, sample) {
        const bool is_base = nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS;
        count += !is_base;
        for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
            size_t size = 0;
            const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
            if (nal_is_slice(nal)) CHECK_EQ((nal[0] & 0x60) != 0, is_base);
        }
    }
    return count;
}

static inline double fact_pending(const scene *s, double argument) { return (void)argument, (double)s->most_pending; }

/* ---- The session's answers after the last frame --------------------------------------------------------------- */

/* Waits until an accepted frame is delivered, so that later facts can read its sample. */
static inline nalu_status after_completing(const scene *s, nalu_status status) {
    if (status == NALU_STATUS_OK)
        REQUIRE_OK(nalu_compression_session_complete_frames(s->c.session, nalu_time_invalid()));
    return status;
}

/* Returns the status of another frame with these flags. */
static inline double fact_frame_flags(const scene *s, double flags) {
    clip *c = (clip *)&s->c;
    const nalu_time time = nalu_time_make(c->fed, 30);
    return after_completing(s, clip_encode_at(c, time, nalu_time_invalid(), (uint32_t)flags));
}

/* Returns the status of a frame of another size. */
static inline double fact_other_size(const scene *s, double argument) {
    static const uint8_t pixels[32 * 32 * 3 / 2] = {0};
    const void *planes[2] = {pixels, pixels + 32 * 32};
    const int64_t strides[2] = {32, 32};
    (void)argument;
    return after_completing(s, nalu_compression_session_encode_planes(s->c.session, 32, 32, NALU_PIXEL_FORMAT_420V, 2,
        planes, strides, NULL, nalu_time_make(s->c.fed, 30), nalu_time_invalid(), NULL, NULL, NULL));
}

#endif
