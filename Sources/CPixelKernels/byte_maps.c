/*
 * byte_maps.c - changes the range of bytes, and converts packed 4:2:2 to 4:2:0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each loop is compiled twice from the same lines, for the plain target and for AVX2; the compiler
 * makes the vector code.
 */
#include "kernels.h"

#include <string.h>

NALU_INLINE uint8_t clamped(int32_t value)
{
    value = value < 0 ? 0 : value;
    return (uint8_t)(value > 255 ? 255 : value);
}

/* The number of bytes of a row that are mapped at a time. */
enum { BLOCK = 512 };

NALU_INLINE void map_block(const uint8_t *restrict source, uint8_t *restrict destination, int32_t count,
    nalu_byte_map map)
{
    for (int32_t x = 0; x < count; x++)
        destination[x] = clamped((map.scale * source[x] + map.bias) >> 14);
}

/* Maps a row through a copy. Without the copy, the compiler would produce no vector code,
 * because a plane may be mapped in place. */
NALU_INLINE void map_row(const uint8_t *source, uint8_t *destination, int32_t width, nalu_byte_map map)
{
    uint8_t copy[BLOCK];
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = width - x < BLOCK ? width - x : BLOCK;
        memcpy(copy, source + x, (size_t)count);
        map_block(copy, destination + x, count, map);
    }
}

NALU_INLINE void map_rows(const nalu_map_job *job)
{
    for (int32_t y = 0; y < job->height; y++)
        map_row(job->source + y * job->source_stride, job->destination + y * job->destination_stride, job->width,
            job->map);
}

NALU_INLINE void packed_luma_row(const uint8_t *restrict luma, uint8_t *restrict destination, int32_t width,
    nalu_byte_map map)
{
    for (int32_t x = 0; x < width; x++)
        destination[x] = clamped((map.scale * luma[2 * (ptrdiff_t)x] + map.bias) >> 14);
}

NALU_INLINE void packed_chroma_row(const uint8_t *restrict chroma0, const uint8_t *restrict chroma1,
    uint8_t *restrict cb, uint8_t *restrict cr, int32_t pairs, int32_t distance, nalu_byte_map map)
{
    for (int32_t x = 0; x < pairs; x++) {
        const ptrdiff_t at = 4 * (ptrdiff_t)x;
        cb[x * distance] = clamped((map.scale * (chroma0[at] + chroma1[at]) + 2 * map.bias) >> 15);
        cr[x * distance] = clamped((map.scale * (chroma0[at + 2] + chroma1[at + 2]) + 2 * map.bias) >> 15);
    }
}

NALU_INLINE void packed_rows(const nalu_packed_job *job)
{
    const int32_t luma = job->luma_first ? 0 : 1, chroma = 1 - luma;
    const int32_t pairs = job->width / 2 + (job->width & 1);
    for (int32_t y = 0; y < job->height; y += 2) {
        const nalu_row_pair pair =
            nalu_row_pair_at(job->source, job->source_stride, &job->destination, y, job->height);
        packed_luma_row(pair.row0 + luma, pair.luma0, job->width, job->luma_map);
        if (pair.row1 != pair.row0)
            packed_luma_row(pair.row1 + luma, pair.luma1, job->width, job->luma_map);
        if (pair.cr == NULL)
            packed_chroma_row(pair.row0 + chroma, pair.row1 + chroma, pair.cb, pair.cb + 1, pairs, 2,
                job->chroma_map);
        else
            packed_chroma_row(pair.row0 + chroma, pair.row1 + chroma, pair.cb, pair.cr, pairs, 1, job->chroma_map);
    }
}

#if NALU_IS_X86
NALU_TARGET_AVX2 static void map_rows_avx2(const nalu_map_job *job)
{
    map_rows(job);
}

NALU_TARGET_AVX2 static void packed_rows_avx2(const nalu_packed_job *job)
{
    packed_rows(job);
}
#endif

void nalu_map_plane(const nalu_map_job *job)
{
#if NALU_IS_X86
    if (nalu_kernel_level(job->limit) >= NALU_KERNEL_AVX2) {
        map_rows_avx2(job);
        return;
    }
#endif
    map_rows(job);
}

void nalu_packed_422_to_420(const nalu_packed_job *job)
{
#if NALU_IS_X86
    if (nalu_kernel_level(job->limit) >= NALU_KERNEL_AVX2) {
        packed_rows_avx2(job);
        return;
    }
#endif
    packed_rows(job);
}
