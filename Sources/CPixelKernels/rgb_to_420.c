/*
 * rgb_to_420.c - converts RGB to 4:2:0 in portable C, and chooses the kernel.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels.h"

/* Compilers can vectorise these loops: they have no calls, no branches, and a constant pixel
 * size after inlining. */

NALU_INLINE void luma_row(const uint8_t *restrict row, uint8_t *restrict luma, int32_t width,
    const nalu_rgb_weights *weights, int32_t bytes)
{
    const int32_t w0 = weights->luma[0], w1 = weights->luma[1], w2 = weights->luma[2], w3 = weights->luma[3];
    const int32_t bias = weights->luma_bias;
    for (int32_t x = 0; x < width; x++) {
        const uint8_t *pixel = row + (ptrdiff_t)x * bytes;
        int32_t sum = w0 * pixel[0] + w1 * pixel[1] + w2 * pixel[2] + bias;
        if (bytes == 4)
            sum += w3 * pixel[3];
        luma[x] = (uint8_t)(sum >> 15);
    }
}

NALU_INLINE int32_t weighted(const int16_t *weights, int32_t b0, int32_t b1, int32_t b2, int32_t b3)
{
    return weights[0] * b0 + weights[1] * b1 + weights[2] * b2 + weights[3] * b3;
}

/* Converts one 2x2 block. `right` is the distance to the second column, 0 for an odd last
 * column. */
NALU_INLINE void chroma_block(const uint8_t *a, const uint8_t *b, ptrdiff_t right, uint8_t *cb, uint8_t *cr,
    const nalu_rgb_weights *weights, int32_t bytes)
{
    const int32_t b0 = a[0] + a[right] + b[0] + b[right];
    const int32_t b1 = a[1] + a[right + 1] + b[1] + b[right + 1];
    const int32_t b2 = a[2] + a[right + 2] + b[2] + b[right + 2];
    const int32_t b3 = bytes == 4 ? a[3] + a[right + 3] + b[3] + b[right + 3] : 0;
    *cb = (uint8_t)((weighted(weights->cb, b0, b1, b2, b3) + weights->chroma_bias) >> 17);
    *cr = (uint8_t)((weighted(weights->cr, b0, b1, b2, b3) + weights->chroma_bias) >> 17);
}

NALU_INLINE void chroma_row(const uint8_t *restrict row0, const uint8_t *restrict row1, uint8_t *restrict cb,
    uint8_t *restrict cr, int32_t width, const nalu_rgb_weights *shared, int32_t bytes, int32_t step)
{
    const nalu_rgb_weights weights = *shared;
    const int32_t pairs = width / 2;
    for (int32_t x = 0; x < pairs; x++)
        chroma_block(row0 + (ptrdiff_t)x * 2 * bytes, row1 + (ptrdiff_t)x * 2 * bytes, bytes,
            cb + (ptrdiff_t)x * step, cr + (ptrdiff_t)x * step, &weights, bytes);
    if (width & 1)
        chroma_block(row0 + (ptrdiff_t)pairs * 2 * bytes, row1 + (ptrdiff_t)pairs * 2 * bytes, 0,
            cb + (ptrdiff_t)pairs * step, cr + (ptrdiff_t)pairs * step, &weights, bytes);
}

NALU_INLINE void all_rows(const nalu_rgb_job *job, int32_t bytes)
{
    for (int32_t y = 0; y < job->height; y += 2) {
        const nalu_row_pair pair =
            nalu_row_pair_at(job->source, job->source_stride, &job->destination, y, job->height);
        luma_row(pair.row0, pair.luma0, job->width, &job->weights, bytes);
        if (pair.row1 != pair.row0)
            luma_row(pair.row1, pair.luma1, job->width, &job->weights, bytes);
        if (pair.cr == NULL)
            chroma_row(pair.row0, pair.row1, pair.cb, pair.cb + 1, job->width, &job->weights, bytes, 2);
        else
            chroma_row(pair.row0, pair.row1, pair.cb, pair.cr, job->width, &job->weights, bytes, 1);
    }
}

void nalu_rgb_to_420_portable(const nalu_rgb_job *job)
{
    if (job->bytes_per_pixel == 4)
        all_rows(job, 4);
    else
        all_rows(job, 3);
}

int32_t nalu_kernel_level(int32_t limit)
{
#if NALU_IS_X86
    if (limit >= NALU_KERNEL_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vnni"))
        return NALU_KERNEL_AVX512;
    if (limit >= NALU_KERNEL_AVX2 && __builtin_cpu_supports("avx2"))
        return NALU_KERNEL_AVX2;
#elif NALU_IS_AARCH64
    if (limit >= NALU_KERNEL_NEON)
        return NALU_KERNEL_NEON;
#endif
    (void)limit;
    return NALU_KERNEL_PORTABLE;
}

void nalu_rgb_to_420(const nalu_rgb_job *job)
{
    switch (nalu_kernel_level(job->limit)) {
#if NALU_IS_X86
    case NALU_KERNEL_AVX512:
        nalu_rgb_to_420_avx512(job);
        return;
    case NALU_KERNEL_AVX2:
        nalu_rgb_to_420_avx2(job);
        return;
#elif NALU_IS_AARCH64
    case NALU_KERNEL_NEON:
        nalu_rgb_to_420_neon(job);
        return;
#endif
    default:
        nalu_rgb_to_420_portable(job);
    }
}
