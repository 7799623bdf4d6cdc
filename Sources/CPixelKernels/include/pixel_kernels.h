/*
 * pixel_kernels.h - the inner loops of Sources/Nalu/Pixels that libyuv does not have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every kernel that encoding needs exists in portable C, also for AVX2 or AVX-512 on x86-64, and for NEON on aarch64. A
 * job runs on the best kernel that the processor has and `limit` allows. All kernels produce the same bytes on every
 * machine: the arithmetic uses integers, which cannot overflow with the weights that RGBWeights and RangeMap make.
 *
 * No kernel reads or writes a byte outside the rows that its job describes: row padding stays untouched.
 */
#ifndef NALU_PIXEL_KERNELS_H
#define NALU_PIXEL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The levels of kernels, and the limits of jobs. Each kind of processor uses its own names only. */
enum {
    NALU_KERNEL_PORTABLE = 0,
    NALU_KERNEL_AVX2 = 1,
    NALU_KERNEL_NEON = 1,
    NALU_KERNEL_AVX512 = 2
};

/*
 * The weights of RGB to YCbCr as integers. A weight belongs to a byte of the pixel in memory order,
 * so that the weights contain the channel order. The fourth weight is 0 if there is no fourth byte,
 * or if that byte is alpha.
 *
 * luma = (sum of luma_weight x byte + luma_bias) >> 15
 * chroma = (sum of weight x (that byte of the four pixels of a 2x2 block, added) + chroma_bias) >> 17
 *
 * The biases contain offset and rounding. All results must lie in 0...255: nothing is clamped.
 */
typedef struct nalu_rgb_weights {
    int16_t luma[4];
    int16_t cb[4];
    int16_t cr[4];
    int32_t luma_bias;
    int32_t chroma_bias;
} nalu_rgb_weights;

/* A 4:2:0 destination. cr is NULL if Cb and Cr share the plane at cb. */
typedef struct nalu_planes_420 {
    uint8_t *luma;
    uint8_t *cb;
    uint8_t *cr;
    ptrdiff_t luma_stride;
    ptrdiff_t cb_stride;
    ptrdiff_t cr_stride;
} nalu_planes_420;

/*
 * Converts width x height pixels of 3 or 4 bytes to 4:2:0 in one pass over the source. Chroma is
 * the average of each 2x2 block, rounded once; an odd last column or row counts twice.
 */
typedef struct nalu_rgb_job {
    const uint8_t *source;
    ptrdiff_t source_stride;
    int32_t width;
    int32_t height;
    int32_t bytes_per_pixel;
    int32_t limit;
    nalu_rgb_weights weights;
    nalu_planes_420 destination;
} nalu_rgb_job;

void nalu_rgb_to_420(const nalu_rgb_job *job);

/* The map of a byte to (scale x byte + bias) >> 14, clamped to 0...255. bias contains the
 * rounding. */
typedef struct nalu_byte_map {
    int32_t scale;
    int32_t bias;
} nalu_byte_map;

/* Maps width x height bytes. Source and destination may be the same plane. */
typedef struct nalu_map_job {
    const uint8_t *source;
    uint8_t *destination;
    ptrdiff_t source_stride;
    ptrdiff_t destination_stride;
    int32_t width;
    int32_t height;
    int32_t limit;
    nalu_byte_map map;
} nalu_map_job;

void nalu_map_plane(const nalu_map_job *job);

/*
 * Converts packed 4:2:2 to 4:2:0. Each chroma sample is the average of two rows, mapped and rounded
 * once; an odd last row counts twice. For an odd width the whole last pair is read and its second
 * luma sample is dropped.
 */
typedef struct nalu_packed_job {
    const uint8_t *source;
    ptrdiff_t source_stride;
    int32_t width;
    int32_t height;
    int32_t luma_first; /* 1: Y Cb Y Cr; 0: Cb Y Cr Y */
    int32_t limit;
    nalu_byte_map luma_map;
    nalu_byte_map chroma_map;
    nalu_planes_420 destination;
} nalu_packed_job;

void nalu_packed_422_to_420(const nalu_packed_job *job);

/* The conversions of nalu_change_depth. A word contains a value of 10 bits, shifted left by the job's source_shift
 * or destination_shift. */
enum {
    NALU_DEPTH_WIDEN = 0,   /* bytes to words, through the map */
    NALU_DEPTH_NARROW = 1,  /* words to bytes, through the map */
    NALU_DEPTH_QUARTER = 2, /* words to bytes: divided by four, halves to the even neighbour; no map */
    NALU_DEPTH_WORDS = 3    /* words to words, through the map */
};

/*
 * Changes the depth of width x height samples. The map's results are values of the new depth,
 * clamped to 0...255 or 0...1023. Strides are in bytes; rows of words begin at even addresses.
 * Source and destination must be different planes.
 */
typedef struct nalu_depth_job {
    const uint8_t *source;
    uint8_t *destination;
    ptrdiff_t source_stride;
    ptrdiff_t destination_stride;
    int32_t width;
    int32_t height;
    int32_t step; /* NALU_DEPTH_... */
    int32_t source_shift;
    int32_t destination_shift;
    int32_t limit;
    nalu_byte_map map;
} nalu_depth_job;

void nalu_change_depth(const nalu_depth_job *job);

/*
 * Averages blocks of columns x rows samples (each 1 or 2), and changes depth and range, with one rounding:
 *
 * (scale x (the sum of four samples) + bias) >> 24, clamped to 0...maximum
 *
 * If a block has fewer than four samples, each counts several times. The same holds for an odd last column or row.
 */
typedef struct nalu_average_job {
    const uint8_t *source;
    ptrdiff_t source_stride;
    int32_t source_width; /* samples of one component */
    int32_t source_height;
    int32_t components; /* interleaved in the source: 1 or 2 */
    int32_t columns;
    int32_t rows;
    int32_t source_bytes; /* bytes of a sample: 1 or 2 */
    int32_t source_shift; /* position of the lowest bit in a word */
    uint8_t *destination[2]; /* one per component; in a shared plane, the second is one sample further */
    ptrdiff_t destination_stride[2];
    int32_t destination_step; /* distance between two samples of a component: 1 or 2 */
    int32_t destination_bytes;
    int32_t destination_shift;
    int32_t maximum;
    int64_t scale;
    int64_t bias; /* contains the rounding */
} nalu_average_job;

/* Averages a plane. Portable C only. */
void nalu_average_plane(const nalu_average_job *job);

/*
 * Shrinks a plane by averaging exactly the area that each destination sample covers, with one
 * rounding. Neither side of the destination may be larger than the source's.
 */
typedef struct nalu_shrink_job {
    const uint8_t *source;
    uint8_t *destination;
    ptrdiff_t source_stride;
    ptrdiff_t destination_stride;
    int32_t source_width;
    int32_t source_height;
    int32_t width;
    int32_t height;
    int32_t limit;
    int32_t bytes_per_sample; /* 1; or 2 for words of up to 1023, at even addresses */
    uint32_t *sums; /* scratch memory: source_width numbers */
} nalu_shrink_job;

void nalu_shrink_plane(const nalu_shrink_job *job);

/* Returns the level that a job with this limit runs on. */
int32_t nalu_kernel_level(int32_t limit);

/*
 * The weights of YCbCr to RGB as integers with 13 fractional bits:
 *
 * red = (luma x (Y - black) + red_cr x (Cr - 128)) >> 13, rounded and clamped to 0...255
 *
 * Green and blue are computed in the same way. Every weight fits into 16 bits: the largest, of BT.2020's blue, is 2.15.
 * For 10 bits the same weights have 15 fractional bits, so they are made with the spans of 10 bits divided by 4. The
 * weights for 16 bits are made in the same way.
 */
typedef struct nalu_yuv_weights {
    int16_t luma;
    int16_t red_cr;
    int16_t green_cb;
    int16_t green_cr;
    int16_t blue_cb;
    int16_t black; /* 16 or 0, on the scale of 8 bits */
} nalu_yuv_weights;

/* The bytes of a pixel in memory order. Alpha is 255. */
enum {
    NALU_RGB_LAYOUT_BGRA = 0,
    NALU_RGB_LAYOUT_RGBA = 1,
    NALU_RGB_LAYOUT_ARGB = 2,
    NALU_RGB_LAYOUT_ABGR = 3,
    NALU_RGB_LAYOUT_RGB = 4,
    NALU_RGB_LAYOUT_BGR = 5
};

/* Converts one row of 4:2:0. Each chroma sample belongs to two pixels. Portable C only. */
void nalu_rgb_row_from_planes(const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, int32_t width,
                              const nalu_yuv_weights *weights, int32_t layout, uint8_t *out);

/* Converts one row of words whose highest 10 bits contain the sample, with Cb and Cr in one
 * plane. */
void nalu_rgb_row_from_words(const uint16_t *luma, const uint16_t *cb_cr, int32_t width, const nalu_yuv_weights *weights,
                             int32_t layout, uint8_t *out);

/*
 * Convert one row of YCbCr whose Cb and Cr share a row of pairs, with one pair for each `columns` pixels (1 or 2). The
 * samples are bytes, or words that are rounded to their highest 14 bits.
 */
void nalu_rgb_row_from_pairs(const uint8_t *luma, const uint8_t *cb_cr, int32_t width, int32_t columns,
                             const nalu_yuv_weights *weights, int32_t layout, uint8_t *out);
void nalu_rgb_row_from_word_pairs(const uint16_t *luma, const uint16_t *cb_cr, int32_t width, int32_t columns,
                                  const nalu_yuv_weights *weights, int32_t layout, uint8_t *out);

/* Converts one row of RGB whose components are in planes. */
void nalu_rgb_row_from_rgb_planes(const uint8_t *red, const uint8_t *green, const uint8_t *blue, int32_t width,
                                  int32_t layout, uint8_t *out);

/* Shift samples in the lowest bits of words left by `shift`: one row, and two rows into one of pairs. */
void nalu_words_shifted(const uint16_t *in, int32_t count, int32_t shift, uint16_t *out);
void nalu_word_pairs_shifted(const uint16_t *first, const uint16_t *second, int32_t count, int32_t shift, uint16_t *out);

/* Interleaves two rows of bytes into one of pairs. */
void nalu_byte_pairs(const uint8_t *first, const uint8_t *second, int32_t count, uint8_t *out);

#ifdef __cplusplus
}
#endif

#endif
