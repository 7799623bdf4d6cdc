/*
 * shrink.c - area averaging.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libyuv's box filter multiplies by a truncated 16-bit reciprocal of the box's area: white comes out
 * as 254 from a box of 3x3 and as 221 from one of 142x200. Here the weights are whole numbers: with
 * a source row n long and a destination row one m long (n destination rows cover what m source rows
 * do), overlaps are integers that add up to the source height for every destination row.
 */
#include "kernels.h"

#include <string.h>

NALU_INLINE void add_row(const uint8_t *restrict row, uint32_t *restrict sums, int32_t width, uint32_t weight)
{
    for (int32_t x = 0; x < width; x++)
        sums[x] += weight * row[x];
}

NALU_INLINE void add_words(const uint16_t *restrict row, uint32_t *restrict sums, int32_t width, uint32_t weight)
{
    for (int32_t x = 0; x < width; x++)
        sums[x] += weight * row[x];
}

NALU_INLINE int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What source sample `at` shares with the span that ends at `end`, both measured in parts of a
 * sample (`parts` of them); `position` is where the span has been covered up to. */
NALU_INLINE int64_t overlap(int64_t position, int64_t end, int64_t at, int64_t parts)
{
    return smaller((at + 1) * parts, end) - position;
}

NALU_INLINE void shrink_row(const uint32_t *sums, uint8_t *destination, int32_t source_width, int32_t width,
    int64_t area, int words)
{
    /* The sum of the weights is the area, so the mean is (2 x sum + area) / (2 x area) without its fraction: halves go up.
     * A multiplication is many times faster than that division. The factor is a trace too large, by more than it and the
     * product are rounded, so that no whole number becomes less than it is; and by less than the smallest fraction, below
     * 2^38 samples and 1024. Without an addition after it, no compiler can fuse the product with one, which would round
     * in another way on other processors. */
    const double factor = 0.5 / (double)area * (1 + 0x1p-50);
    int64_t position = 0, at = 0;
    for (int32_t x = 0; x < width; x++) {
        const int64_t end = (int64_t)(x + 1) * source_width;
        int64_t sum = 0;
        while (position < end) {
            const int64_t weight = overlap(position, end, at, width);
            sum += weight * sums[at];
            position += weight;
            if (position == (at + 1) * width)
                at++;
        }
        const uint16_t mean = (uint16_t)((double)(2 * sum + area) * factor);
        if (words)
            ((uint16_t *)(void *)destination)[x] = mean;
        else
            destination[x] = (uint8_t)mean;
    }
}

NALU_INLINE void shrink_samples(const nalu_shrink_job *job, int words)
{
    const int64_t source_height = job->source_height, height = job->height;
    const int64_t area = job->source_width * source_height;
    int64_t position = 0, at = 0;
    for (int32_t y = 0; y < job->height; y++) {
        const int64_t end = (int64_t)(y + 1) * source_height;
        memset(job->sums, 0, (size_t)job->source_width * sizeof(uint32_t));
        while (position < end) {
            const int64_t weight = overlap(position, end, at, height);
            const uint8_t *row = job->source + (ptrdiff_t)at * job->source_stride;
            if (words)
                add_words((const uint16_t *)(const void *)row, job->sums, job->source_width, (uint32_t)weight);
            else
                add_row(row, job->sums, job->source_width, (uint32_t)weight);
            position += weight;
            if (position == (at + 1) * height)
                at++;
        }
        shrink_row(job->sums, job->destination + (ptrdiff_t)y * job->destination_stride, job->source_width,
            job->width, area, words);
    }
}

NALU_INLINE void shrink(const nalu_shrink_job *job)
{
    if (job->bytes_per_sample == 2)
        shrink_samples(job, 1);
    else
        shrink_samples(job, 0);
}

#if NALU_IS_X86
NALU_TARGET_AVX2 static void shrink_avx2(const nalu_shrink_job *job)
{
    shrink(job);
}
#endif

void nalu_shrink_plane(const nalu_shrink_job *job)
{
#if NALU_IS_X86
    if (nalu_kernel_level(job->limit) >= NALU_KERNEL_AVX2) {
        shrink_avx2(job);
        return;
    }
#endif
    shrink(job);
}
