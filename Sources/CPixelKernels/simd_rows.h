/*
 * simd_rows.h - the loop over rows around a vector kernel's step, and the ends of the rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel's file includes this header at its end. Before, it defines STEP (pixels of a step),
 * SIMD_INLINE, NALU_SIMD_TARGET, NALU_SIMD_ENTRY (the function's name), vectors, make_vectors and
 * step.
 */
#include <stdint.h>
#include <string.h>

/* Converts the last pixels of a row pair, fewer than a step. They are copied into a whole step,
 * so that nothing outside the rows is read or written. */
SIMD_INLINE void last_step(const nalu_row_pair *pair, int32_t count, const vectors *v, int32_t bytes,
    int planar)
{
    uint8_t source[2][STEP * 4], luma[2][STEP], cb[STEP], cr[STEP];
    const size_t used = (size_t)count * (size_t)bytes;
    memset(source, 0, sizeof source);
    memcpy(source[0], pair->row0, used);
    memcpy(source[1], pair->row1, used);
    if (count & 1) {
        memcpy(source[0] + used, source[0] + used - bytes, (size_t)bytes);
        memcpy(source[1] + used, source[1] + used - bytes, (size_t)bytes);
    }
    const nalu_row_pair copy = {source[0], source[1], luma[0], luma[1], cb, cr};
    step(&copy, v, bytes, planar);

    const size_t blocks = (size_t)(count + 1) / 2;
    memcpy(pair->luma0, luma[0], (size_t)count);
    memcpy(pair->luma1, luma[1], (size_t)count);
    memcpy(pair->cb, cb, planar ? blocks : blocks * 2);
    if (planar)
        memcpy(pair->cr, cr, blocks);
}

/* The distance of the prefetch in bytes: two pages, because the processor itself does not look beyond the end of a
 * page. Rows follow each other, so this is usually the next pair of rows. Without it, 1280x720 BGR that is not in
 * the cache takes four times as long, and BGRA 1.5 times (measured with AVX-512). */
enum { AHEAD = 8192, CACHE_LINE = 64 };

SIMD_INLINE void fetch_ahead(const uint8_t *row, int32_t bytes)
{
    /* A prefetch beyond the end of the frame is useless, but harmless. */
    for (int32_t line = 0; line < STEP * bytes; line += CACHE_LINE)
        __builtin_prefetch((const void *)((uintptr_t)row + AHEAD + (uintptr_t)line));
}

SIMD_INLINE void all_rows(const nalu_rgb_job *job, int32_t bytes, int planar)
{
    const vectors v = make_vectors(&job->weights);
    const nalu_planes_420 destination = job->destination;
    const uint8_t *source = job->source;
    const ptrdiff_t source_stride = job->source_stride;
    const int32_t width = job->width, height = job->height;
    for (int32_t y = 0; y < height; y += 2) {
        nalu_row_pair pair = nalu_row_pair_at(source, source_stride, &destination, y, height);
        int32_t left = width;
        for (; left >= STEP; left -= STEP) {
            fetch_ahead(pair.row0, bytes);
            fetch_ahead(pair.row1, bytes);
            step(&pair, &v, bytes, planar);
            pair.row0 += STEP * bytes;
            pair.row1 += STEP * bytes;
            pair.luma0 += STEP;
            pair.luma1 += STEP;
            pair.cb += planar ? STEP / 2 : STEP;
            if (planar)
                pair.cr += STEP / 2;
        }
        if (left > 0)
            last_step(&pair, left, &v, bytes, planar);
    }
}

NALU_SIMD_TARGET void NALU_SIMD_ENTRY(const nalu_rgb_job *job)
{
    const int planar = job->destination.cr != NULL;
    if (job->bytes_per_pixel == 4) {
        if (planar)
            all_rows(job, 4, 1);
        else
            all_rows(job, 4, 0);
    } else {
        if (planar)
            all_rows(job, 3, 1);
        else
            all_rows(job, 3, 0);
    }
}
