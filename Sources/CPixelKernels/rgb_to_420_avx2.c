/*
 * rgb_to_420_avx2.c - converts RGB to 4:2:0, 32 pixels of two rows at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A pixel is four bytes. A mask turns bytes 0 and 2 into two 16-bit words, and a shift does so with bytes 1 and 3. One
 * multiply-add on each and one addition give a 32-bit sum per pixel, in pixel order, without a shuffle. The chroma
 * weights multiply the same words, added over a 2x2 block.
 */
#include "kernels.h"

#if NALU_IS_X86

#include <immintrin.h>

#define NALU_SIMD_TARGET NALU_TARGET_AVX2
#define NALU_SIMD_ENTRY nalu_rgb_to_420_avx2
#define SIMD_INLINE NALU_SIMD_TARGET NALU_INLINE

/* The number of pixels in a step. */
enum { STEP = 32 };

typedef struct vectors {
    __m256i luma_even, luma_odd, luma_bias;
    __m256i cb_even, cb_odd, cr_even, cr_odd, chroma_bias;
    __m256i low_bytes, cr_bytes, expand, order;
} vectors;

SIMD_INLINE __m256i weight_pair(int16_t low, int16_t high)
{
    return _mm256_set1_epi32((int32_t)(((uint32_t)(uint16_t)high << 16) | (uint16_t)low));
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
    v.luma_bias = _mm256_set1_epi32(weights->luma_bias);
    v.chroma_bias = _mm256_set1_epi32(weights->chroma_bias);
    v.low_bytes = _mm256_set1_epi32(0x00ff00ff);
    v.cr_bytes = _mm256_set1_epi32(0x00ff0000);
    v.expand = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1,
        4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1);
    v.order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return v;
}

/* Loads eight pixels as four bytes each. Eight pixels of three bytes are 24 bytes: two loads of
 * 16 that overlap in the middle read exactly those. */
SIMD_INLINE __m256i load_8(const uint8_t *pixels, int32_t bytes, const vectors *v)
{
    if (bytes == 4)
        return _mm256_loadu_si256((const __m256i *)pixels);
    const __m128i low = _mm_loadu_si128((const __m128i *)pixels);
    const __m128i high = _mm_loadu_si128((const __m128i *)(pixels + 8));
    return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1), v->expand);
}

SIMD_INLINE __m256i luma_8(__m256i even, __m256i odd, const vectors *v)
{
    const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(even, v->luma_even), _mm256_madd_epi16(odd, v->luma_odd));
    return _mm256_srli_epi32(_mm256_add_epi32(sum, v->luma_bias), 15);
}

SIMD_INLINE __m256i sums_of_columns(__m256i a, __m256i b)
{
    /* A 32-bit addition adds both words of a lane: four bytes are at most 1020, so nothing
     * carries over. This equals a horizontal addition, in fewer micro-operations on some
     * processors. */
    const __m256 left = _mm256_castsi256_ps(a), right = _mm256_castsi256_ps(b);
    return _mm256_add_epi32(_mm256_castps_si256(_mm256_shuffle_ps(left, right, 0x88)),
        _mm256_castps_si256(_mm256_shuffle_ps(left, right, 0xdd)));
}

/* Returns eight chroma samples. Each 32-bit lane has Cb in its low word and Cr in its high word. */
SIMD_INLINE __m256i chroma_8(__m256i even, __m256i odd, const vectors *v)
{
    const __m256i cb = _mm256_add_epi32(_mm256_madd_epi16(even, v->cb_even), _mm256_madd_epi16(odd, v->cb_odd));
    const __m256i cr = _mm256_add_epi32(_mm256_madd_epi16(even, v->cr_even), _mm256_madd_epi16(odd, v->cr_odd));
    const __m256i low = _mm256_srli_epi32(_mm256_add_epi32(cb, v->chroma_bias), 17);
    const __m256i high = _mm256_srli_epi32(_mm256_add_epi32(cr, v->chroma_bias), 1);
    return _mm256_or_si256(low, _mm256_and_si256(high, v->cr_bytes));
}

/* The result for 16 columns of two rows, as words in the order of the packing instructions. */
typedef struct half {
    __m256i luma0, luma1, chroma;
} half;

SIMD_INLINE half half_step(const uint8_t *row0, const uint8_t *row1, const vectors *v, int32_t bytes)
{
    __m256i even[2], odd[2], luma0[2], luma1[2];
    for (int i = 0; i < 2; i++) {
        const __m256i a = load_8(row0 + 8 * i * bytes, bytes, v);
        const __m256i b = load_8(row1 + 8 * i * bytes, bytes, v);
        const __m256i a_even = _mm256_and_si256(a, v->low_bytes), a_odd = _mm256_srli_epi16(a, 8);
        const __m256i b_even = _mm256_and_si256(b, v->low_bytes), b_odd = _mm256_srli_epi16(b, 8);
        luma0[i] = luma_8(a_even, a_odd, v);
        luma1[i] = luma_8(b_even, b_odd, v);
        even[i] = _mm256_add_epi16(a_even, b_even);
        odd[i] = _mm256_add_epi16(a_odd, b_odd);
    }
    half result;
    result.luma0 = _mm256_packus_epi32(luma0[0], luma0[1]);
    result.luma1 = _mm256_packus_epi32(luma1[0], luma1[1]);
    result.chroma = chroma_8(sums_of_columns(even[0], even[1]), sums_of_columns(odd[0], odd[1]), v);
    return result;
}

SIMD_INLINE __m256i in_order(__m256i low, __m256i high, const vectors *v)
{
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), v->order);
}

SIMD_INLINE void step(const nalu_row_pair *pair, const vectors *v, int32_t bytes, int planar)
{
    const half low = half_step(pair->row0, pair->row1, v, bytes);
    const half high = half_step(pair->row0 + 16 * bytes, pair->row1 + 16 * bytes, v, bytes);
    _mm256_storeu_si256((__m256i *)pair->luma0, in_order(low.luma0, high.luma0, v));
    _mm256_storeu_si256((__m256i *)pair->luma1, in_order(low.luma1, high.luma1, v));
    __m256i chroma = in_order(low.chroma, high.chroma, v);
    if (!planar) {
        _mm256_storeu_si256((__m256i *)pair->cb, chroma);
        return;
    }
    const __m256i split = _mm256_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    chroma = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(chroma, split), 0xd8);
    _mm_storeu_si128((__m128i *)pair->cb, _mm256_castsi256_si128(chroma));
    _mm_storeu_si128((__m128i *)pair->cr, _mm256_extracti128_si256(chroma, 1));
}

#include "simd_rows.h"

#endif
