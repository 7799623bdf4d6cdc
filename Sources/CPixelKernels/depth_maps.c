/*
 * depth_maps.c - converts between 8-bit samples in bytes and 10-bit samples in words, with or without a change of
 * range.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each loop is compiled twice from the same lines, for the plain target and for AVX2; the compiler
 * makes the vector code.
 */
#include "kernels.h"

#include <string.h>

NALU_INLINE int32_t mapped(int32_t value, nalu_byte_map map, int32_t maximum)
{
    value = (map.scale * value + map.bias) >> 14;
    value = value < 0 ? 0 : value;
    return value > maximum ? maximum : value;
}

NALU_INLINE void widen_row(const uint8_t *restrict source, uint16_t *restrict destination, int32_t width,
    nalu_byte_map map, int32_t shift)
{
    for (int32_t x = 0; x < width; x++)
        destination[x] = (uint16_t)(mapped(source[x], map, 1023) << shift);
}

NALU_INLINE void narrow_row(const uint16_t *restrict source, uint8_t *restrict destination, int32_t width,
    nalu_byte_map map, int32_t shift)
{
    for (int32_t x = 0; x < width; x++)
        destination[x] = (uint8_t)mapped(source[x] >> shift, map, 255);
}

/* Divides by four and rounds halves to the even neighbour. Rounding all halves up would make a
 * picture an eighth of a step brighter. */
NALU_INLINE void quarter_row(const uint16_t *restrict source, uint8_t *restrict destination, int32_t width,
    int32_t shift)
{
    for (int32_t x = 0; x < width; x++) {
        const uint16_t value = (uint16_t)(source[x] >> shift);
        const uint16_t rounded = (uint16_t)((value + 1 + ((value >> 2) & 1)) >> 2);
        destination[x] = (uint8_t)(rounded > 255 ? 255 : rounded);
    }
}

NALU_INLINE void words_row(const uint16_t *restrict source, uint16_t *restrict destination, int32_t width,
    nalu_byte_map map, int32_t shift, int32_t new_shift)
{
    for (int32_t x = 0; x < width; x++)
        destination[x] = (uint16_t)(mapped(source[x] >> shift, map, 1023) << new_shift);
}

NALU_INLINE void depth_rows(const nalu_depth_job *job)
{
    const uint8_t *source = job->source;
    uint8_t *destination = job->destination;
    const int32_t width = job->width, shift = job->source_shift, new_shift = job->destination_shift;
    for (int32_t y = 0; y < job->height; y++) {
        /* Rows of words begin at even addresses: the code that makes the view checks this. */
        const uint16_t *words = (const uint16_t *)(const void *)source;
        uint16_t *new_words = (uint16_t *)(void *)destination;
        switch (job->step) {
        case NALU_DEPTH_WIDEN: widen_row(source, new_words, width, job->map, new_shift); break;
        case NALU_DEPTH_NARROW: narrow_row(words, destination, width, job->map, shift); break;
        case NALU_DEPTH_QUARTER: quarter_row(words, destination, width, shift); break;
        default: words_row(words, new_words, width, job->map, shift, new_shift); break;
        }
        source += job->source_stride;
        destination += job->destination_stride;
    }
}

#if NALU_IS_X86
NALU_TARGET_AVX2 static void depth_rows_avx2(const nalu_depth_job *job)
{
    depth_rows(job);
}
#endif

void nalu_change_depth(const nalu_depth_job *job)
{
#if NALU_IS_X86
    if (nalu_kernel_level(job->limit) >= NALU_KERNEL_AVX2) {
        depth_rows_avx2(job);
        return;
    }
#endif
    depth_rows(job);
}
