/*
 * shrink.c - shrinks planes by area averaging.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * libyuv's box filter multiplies by a truncated 16-bit reciprocal of the box's area. White becomes 254 with a box of
 * 3x3, and 221 with a box of 142x200. Here the weights are integers. A source row counts as n units long, the
 * destination's height, and a destination row as m units, the source's height. All overlaps are then integers, and they
 * add up to the source height for every destination row.
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

/* Returns the overlap of source sample `at` with the span that ends at `end`. Positions are in
 * units, with `parts` units per sample. The span has been covered up to `position`. */
NALU_INLINE int64_t overlap(int64_t position, int64_t end, int64_t at, int64_t parts)
{
    return smaller((at + 1) * parts, end) - position;
}

NALU_INLINE void shrink_row(const uint32_t *sums, uint8_t *destination, int32_t source_width, int32_t width,
    int64_t area, int words)
{
    /* The weights add up to the area, so that the mean is (2 x sum + area) / (2 x area) without its fraction: halves
     * round up. A multiplication is many times faster than that division. The factor is slightly too large. The
     * excess is larger than the rounding of factor and product, so that no integer becomes smaller. It is smaller
     * than the smallest fraction for fewer than 2^38 samples of values below 1024. No addition follows the product.
     * A compiler could fuse them, which would round differently on other processors. */
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
