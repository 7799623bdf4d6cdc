/*
 * The NAL HRD parameters of a stream's SPS, read bit by bit: ITU-T H.264 7.3.2.1.1, E.1.1 and E.1.2.
 */
#ifndef NALU_TESTS_HRD_FACTS_H
#define NALU_TESTS_HRD_FACTS_H

#include "clip.h"

typedef struct hrd {
    double bits_per_second, buffer_bits; /* 0 if the SPS has no HRD parameters */
    int constant;                        /* cbr_flag */
} hrd;

static inline uint32_t bits_fixed(const uint8_t *bytes, size_t size, size_t *bit, int count) {
    uint32_t value = 0;
    for (int i = 0; i < count && *bit < size * 8; i++, (*bit)++)
        value = value << 1 | (uint32_t)(bytes[*bit / 8] >> (7 - *bit % 8) & 1);
    return value;
}

static inline size_t without_emulation_prevention(const uint8_t *nal, size_t size, uint8_t *bytes, size_t capacity) {
    size_t count = 0, zeros = 0;
    for (size_t i = 0; i < size && count < capacity; i++) {
        if (zeros >= 2 && nal[i] == 3) { zeros = 0; continue; }
        zeros = nal[i] ? 0 : zeros + 1;
        bytes[count++] = nal[i];
    }
    return count;
}

static inline hrd clip_hrd(const clip *c) {
    uint8_t sps[512];
    size_t size = 0, bit = 32;
    const uint8_t *nal =
        nalu_format_description_get_parameter_set(nalu_sample_get_format_description(c->samples[0]), 0, &size);
    REQUIRE((nal[0] & 31) == NALU_NAL_SPS);
    size = without_emulation_prevention(nal, size, sps, sizeof sps);
#define UE() bits_ue(sps, size, &bit)
#define U(count) bits_fixed(sps, size, &bit, (count))
    (void)UE(); /* seq_parameter_set_id */
    if (sps[1] >= 100) {
        for (int i = 0; i < 3; i++) (void)UE(); /* chroma_format_idc and the bit depths */
        REQUIRE(U(2) == 0);                     /* no lossless bypass, no scaling matrices */
    }
    (void)UE(); /* log2_max_frame_num_minus4 */
    const uint32_t order = UE();
    REQUIRE(order != 1);
    if (order == 0) (void)UE();
    (void)UE(); /* max_num_ref_frames */
    (void)U(1);
    for (int i = 0; i < 2; i++) (void)UE(); /* width and height */
    if (U(1) == 0) (void)U(1);              /* frame_mbs_only_flag, mb_adaptive_frame_field_flag */
    (void)U(1);                             /* direct_8x8_inference_flag */
    if (U(1)) for (int i = 0; i < 4; i++) (void)UE(); /* cropping */
    if (U(1) == 0) return (hrd){0, 0, 0};             /* no VUI */
    if (U(1) && U(8) == 255) (void)U(32);             /* sample aspect ratio */
    if (U(1)) (void)U(1);                             /* overscan */
    if (U(1)) {
        (void)U(4); /* video_format, video_full_range_flag */
        if (U(1)) (void)U(24);
    }
    if (U(1)) for (int i = 0; i < 2; i++) (void)UE(); /* chroma location */
    if (U(1)) {
        for (int i = 0; i < 2; i++) (void)U(32); /* num_units_in_tick, time_scale */
        (void)U(1);
    }
    if (U(1) == 0) return (hrd){0, 0, 0};
    REQUIRE(UE() == 0); /* a single schedule */
    const uint32_t rate_scale = U(4), size_scale = U(4);
    hrd found = {0, 0, 0};
    found.bits_per_second = ldexp((double)UE() + 1, 6 + (int)rate_scale);
    found.buffer_bits = ldexp((double)UE() + 1, 4 + (int)size_scale);
    found.constant = (int)U(1);
#undef UE
#undef U
    return found;
}

#endif
