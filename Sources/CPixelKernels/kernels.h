/*
 * kernels.h - declarations that the files of this target share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_KERNELS_H
#define NALU_KERNELS_H

#include "pixel_kernels.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define NALU_IS_X86 1
#define NALU_TARGET_AVX2 __attribute__((target("avx2")))
#define NALU_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#else
#define NALU_IS_X86 0
#endif

/* Every aarch64 processor has NEON. */
#if defined(__aarch64__)
#define NALU_IS_AARCH64 1
#else
#define NALU_IS_AARCH64 0
#endif

#define NALU_INLINE static inline __attribute__((always_inline))

/* Two rows of pixels. row1 and luma1 equal row0 and luma0 if the picture ends with an odd row. */
typedef struct nalu_row_pair {
    const uint8_t *row0;
    const uint8_t *row1;
    uint8_t *luma0;
    uint8_t *luma1;
    uint8_t *cb;
    uint8_t *cr;
} nalu_row_pair;

NALU_INLINE nalu_row_pair nalu_row_pair_at(const uint8_t *source, ptrdiff_t source_stride,
    const nalu_planes_420 *destination, int32_t y, int32_t height)
{
    const ptrdiff_t second = y + 1 < height ? 1 : 0;
    nalu_row_pair pair;
    pair.row0 = source + (ptrdiff_t)y * source_stride;
    pair.row1 = pair.row0 + second * source_stride;
    pair.luma0 = destination->luma + (ptrdiff_t)y * destination->luma_stride;
    pair.luma1 = pair.luma0 + second * destination->luma_stride;
    pair.cb = destination->cb + (ptrdiff_t)(y / 2) * destination->cb_stride;
    pair.cr = destination->cr == NULL ? NULL : destination->cr + (ptrdiff_t)(y / 2) * destination->cr_stride;
    return pair;
}

void nalu_rgb_to_420_portable(const nalu_rgb_job *job);

#if NALU_IS_X86
void nalu_rgb_to_420_avx2(const nalu_rgb_job *job);
void nalu_rgb_to_420_avx512(const nalu_rgb_job *job);
#endif

#if NALU_IS_AARCH64
void nalu_rgb_to_420_neon(const nalu_rgb_job *job);
#endif

#endif
