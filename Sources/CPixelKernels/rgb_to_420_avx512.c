/*
 * rgb_to_420_avx512.c - converts RGB to 4:2:0, 64 pixels of two rows at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * This is the method of rgb_to_420_avx2.c with registers of twice the width. One instruction (VNNI)
 * multiplies, adds and accumulates, so that the biases cost nothing.
 */
#include "kernels.h"

#if NALU_IS_X86

#include <immintrin.h>

#define NALU_SIMD_TARGET NALU_TARGET_AVX512
#define NALU_SIMD_ENTRY nalu_rgb_to_420_avx512
#define SIMD_INLINE NALU_SIMD_TARGET NALU_INLINE

/* The number of pixels in a step. */
enum { STEP = 64 };

typedef struct vectors {
    __m512i luma_even, luma_odd, luma_bias;
    __m512i cb_even, cb_odd, cr_even, cr_odd, chroma_bias;
    __m512i low_bytes, cr_bytes, spread, expand, order;
} vectors;

SIMD_INLINE __m512i weight_pair(int16_t low, int16_t high)
{
    return _mm512_set1_epi32((int32_t)(((uint32_t)(uint16_t)high << 16) | (uint16_t)low));
}

SIMD_INLINE vectors make_vectors(const nalu_rgb_weights *weights)
{
    vectors v;
    v.luma_even = weight_pair(weights->luma[0], weights->luma[2]);
    v.luma_odd = weight_pair(weights->luma[1], weights->luma[3]);
    v.cb_even = weight_pair(weights->cb[0], weights->cb[2]);
    v.cb_odd = weight_pair(weights->cb[1], weights->cb[3]);
    v.cr_even = weight_pair(weights->cr[0], weights->cr[2]);
    v.cr_odd = weight_pair(weights->cr[1], weights->cr[3]);
    v.luma_bias = _mm512_set1_epi32(weights->luma_bias);
    v.chroma_bias = _mm512_set1_epi32(weights->chroma_bias);
    v.low_bytes = _mm512_set1_epi32(0x00ff00ff);
    v.cr_bytes = _mm512_set1_epi32(0x00ff0000);
    v.spread = _mm512_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12);
    v.expand = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1));
    v.order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return v;
}

/* Loads sixteen pixels as four bytes each. Sixteen pixels of three bytes are 48 bytes: the mask
 * keeps the load from touching the bytes after them. */
SIMD_INLINE __m512i load_16(const uint8_t *pixels, int32_t bytes, const vectors *v)
{
    if (bytes == 4)
        return _mm512_loadu_si512(pixels);
    const __m512i packed = _mm512_maskz_loadu_epi32(0x0fff, pixels);
    return _mm512_shuffle_epi8(_mm512_permutexvar_epi32(v->spread, packed), v->expand);
}

SIMD_INLINE __m512i luma_16(__m512i even, __m512i odd, const vectors *v)
{
    const __m512i sum = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(v->luma_bias, even, v->luma_even), odd, v->luma_odd);
    return _mm512_srli_epi32(sum, 15);
}

SIMD_INLINE __m512i sums_of_columns(__m512i a, __m512i b)
{
    /* A 32-bit addition adds both words of a lane: four bytes are at most 1020, so nothing carries
     * over. */
    const __m512 left = _mm512_castsi512_ps(a), right = _mm512_castsi512_ps(b);
    return _mm512_add_epi32(_mm512_castps_si512(_mm512_shuffle_ps(left, right, 0x88)),
        _mm512_castps_si512(_mm512_shuffle_ps(left, right, 0xdd)));
}

/* Returns sixteen chroma samples. Each 32-bit lane has Cb in its low word and Cr in its high
 * word. */
SIMD_INLINE __m512i chroma_16(__m512i even, __m512i odd, const vectors *v)
{
    const __m512i cb = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(v->chroma_bias, even, v->cb_even), odd, v->cb_odd);
    const __m512i cr = _mm512_dpwssd_epi32(_mm512_dpwssd_epi32(v->chroma_bias, even, v->cr_even), odd, v->cr_odd);
    return _mm512_or_si512(_mm512_srli_epi32(cb, 17), _mm512_and_si512(_mm512_srli_epi32(cr, 1), v->cr_bytes));
}

/* The result for 32 columns of two rows, as words in the order of the packing instructions. */
typedef struct half {
    __m512i luma0, luma1, chroma;
} half;

SIMD_INLINE half half_step(const uint8_t *row0, const uint8_t *row1, const vectors *v, int32_t bytes)
{
    __m512i even[2], odd[2], luma0[2], luma1[2];
    for (int i = 0; i < 2; i++) {
        const __m512i a = load_16(row0 + 16 * i * bytes, bytes, v);
        const __m512i b = load_16(row1 + 16 * i * bytes, bytes, v);
        const __m512i a_even = _mm512_and_si512(a, v->low_bytes), a_odd = _mm512_srli_epi16(a, 8);
        const __m512i b_even = _mm512_and_si512(b, v->low_bytes), b_odd = _mm512_srli_epi16(b, 8);
        luma0[i] = luma_16(a_even, a_odd, v);
        luma1[i] = luma_16(b_even, b_odd, v);
        even[i] = _mm512_add_epi16(a_even, b_even);
        odd[i] = _mm512_add_epi16(a_odd, b_odd);
    }
    half result;
    result.luma0 = _mm512_packus_epi32(luma0[0], luma0[1]);
    result.luma1 = _mm512_packus_epi32(luma1[0], luma1[1]);
    result.chroma = chroma_16(sums_of_columns(even[0], even[1]), sums_of_columns(odd[0], odd[1]), v);
    return result;
}

SIMD_INLINE __m512i in_order(__m512i low, __m512i high, const vectors *v)
{
    return _mm512_permutexvar_epi32(v->order, _mm512_packus_epi16(low, high));
}

SIMD_INLINE void step(const nalu_row_pair *pair, const vectors *v, int32_t bytes, int planar)
{
    const half low = half_step(pair->row0, pair->row1, v, bytes);
    const half high = half_step(pair->row0 + 32 * bytes, pair->row1 + 32 * bytes, v, bytes);
    _mm512_storeu_si512(pair->luma0, in_order(low.luma0, high.luma0, v));
    _mm512_storeu_si512(pair->luma1, in_order(low.luma1, high.luma1, v));
    const __m512i chroma = in_order(low.chroma, high.chroma, v);
    if (planar) {
        _mm256_storeu_si256((__m256i *)pair->cb, _mm512_cvtepi16_epi8(chroma));
        _mm256_storeu_si256((__m256i *)pair->cr, _mm512_cvtepi16_epi8(_mm512_srli_epi16(chroma, 8)));
    } else {
        _mm512_storeu_si512(pair->cb, chroma);
    }
}

#include "simd_rows.h"

#endif
