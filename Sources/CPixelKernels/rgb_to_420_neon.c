/*
 * rgb_to_420_neon.c - converts RGB to 4:2:0, 16 pixels of two rows at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One load separates 16 pixels into one register per byte of a pixel, so that every weight multiplies an entire
 * register. The chroma weights multiply sums over 2x2 blocks: neighbours of one row are added in pairs, then those of
 * the other row.
 */
#include "kernels.h"

#if NALU_IS_AARCH64

#include <arm_neon.h>

#define NALU_SIMD_TARGET
#define NALU_SIMD_ENTRY nalu_rgb_to_420_neon
#define SIMD_INLINE NALU_INLINE

/* The number of pixels in a step. */
enum { STEP = 16 };

typedef struct vectors {
    int16x4_t luma, cb, cr;
    int32x4_t luma_bias, chroma_bias;
} vectors;

SIMD_INLINE vectors make_vectors(const nalu_rgb_weights *weights)
{
    vectors v;
    v.luma = vld1_s16(weights->luma);
    v.cb = vld1_s16(weights->cb);
    v.cr = vld1_s16(weights->cr);
    v.luma_bias = vdupq_n_s32(weights->luma_bias);
    v.chroma_bias = vdupq_n_s32(weights->chroma_bias);
    return v;
}

/* Loads sixteen pixels: byte 0 of each, byte 1 of each, and so on. Pixels of three bytes get a fourth byte of 0. */
SIMD_INLINE uint8x16x4_t load_16(const uint8_t *pixels, int32_t bytes)
{
    if (bytes == 4)
        return vld4q_u8(pixels);
    const uint8x16x3_t three = vld3q_u8(pixels);
    const uint8x16x4_t four = {{three.val[0], three.val[1], three.val[2], vdupq_n_u8(0)}};
    return four;
}

/* Returns the weighted sums of eight values of each byte. All values are below 1024, so that they may be read as
 * signed. */
SIMD_INLINE int32x4x2_t weighted(const uint16x8_t *values, int16x4_t weights, int32x4_t bias, int32_t bytes)
{
    const int16x8_t a = vreinterpretq_s16_u16(values[0]), b = vreinterpretq_s16_u16(values[1]);
    const int16x8_t c = vreinterpretq_s16_u16(values[2]), d = vreinterpretq_s16_u16(values[3]);
    int32x4_t low = vmlal_lane_s16(bias, vget_low_s16(a), weights, 0);
    int32x4_t high = vmlal_lane_s16(bias, vget_high_s16(a), weights, 0);
    low = vmlal_lane_s16(low, vget_low_s16(b), weights, 1);
    high = vmlal_lane_s16(high, vget_high_s16(b), weights, 1);
    low = vmlal_lane_s16(low, vget_low_s16(c), weights, 2);
    high = vmlal_lane_s16(high, vget_high_s16(c), weights, 2);
    if (bytes == 4) {
        low = vmlal_lane_s16(low, vget_low_s16(d), weights, 3);
        high = vmlal_lane_s16(high, vget_high_s16(d), weights, 3);
    }
    const int32x4x2_t sums = {{low, high}};
    return sums;
}

SIMD_INLINE uint8x8_t luma_8(const uint16x8_t *values, const vectors *v, int32_t bytes)
{
    const int32x4x2_t sums = weighted(values, v->luma, v->luma_bias, bytes);
    return vmovn_u16(vreinterpretq_u16_s16(vcombine_s16(vshrn_n_s32(sums.val[0], 15), vshrn_n_s32(sums.val[1], 15))));
}

SIMD_INLINE void luma_16(const uint8x16x4_t *pixels, uint8_t *luma, const vectors *v, int32_t bytes)
{
    uint16x8_t low[4], high[4];
    for (int i = 0; i < 4; i++) {
        low[i] = vmovl_u8(vget_low_u8(pixels->val[i]));
        high[i] = vmovl_u8(vget_high_u8(pixels->val[i]));
    }
    vst1q_u8(luma, vcombine_u8(luma_8(low, v, bytes), luma_8(high, v, bytes)));
}

/* Returns eight chroma samples. A narrowing shift is limited to 16 bits, so there are two
 * shifts. */
SIMD_INLINE uint8x8_t chroma_8(const uint16x8_t *blocks, int16x4_t weights, const vectors *v, int32_t bytes)
{
    const int32x4x2_t sums = weighted(blocks, weights, v->chroma_bias, bytes);
    const int16x8_t halves = vcombine_s16(vshrn_n_s32(sums.val[0], 16), vshrn_n_s32(sums.val[1], 16));
    return vshrn_n_u16(vreinterpretq_u16_s16(halves), 1);
}

SIMD_INLINE void step(const nalu_row_pair *pair, const vectors *v, int32_t bytes, int planar)
{
    const uint8x16x4_t a = load_16(pair->row0, bytes), b = load_16(pair->row1, bytes);
    luma_16(&a, pair->luma0, v, bytes);
    luma_16(&b, pair->luma1, v, bytes);
    uint16x8_t blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = vpadalq_u8(vpaddlq_u8(a.val[i]), b.val[i]);
    const uint8x8x2_t chroma = {{chroma_8(blocks, v->cb, v, bytes), chroma_8(blocks, v->cr, v, bytes)}};
    if (planar) {
        vst1_u8(pair->cb, chroma.val[0]);
        vst1_u8(pair->cr, chroma.val[1]);
    } else {
        vst2_u8(pair->cb, chroma);
    }
}

#include "simd_rows.h"

#endif
