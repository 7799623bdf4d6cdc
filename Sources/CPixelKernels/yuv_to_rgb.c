/*
 * yuv_to_rgb.c - converts rows of YCbCr to RGB, in portable C that compilers can vectorise. It uses 16-bit factors with
 * 32-bit products, in blocks whose intermediate values stay in the first-level cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pixel_kernels.h"

enum { BLOCK = 64 };

static inline uint8_t clamped(int32_t value) {
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* Converts BLOCK pixels whose samples are relative to black and to neutral chroma. */
static inline void block(const int16_t *luma, const int16_t *cb, const int16_t *cr, int32_t shift,
                         const nalu_yuv_weights *weights, uint8_t *red, uint8_t *green, uint8_t *blue) {
    int32_t add_red[BLOCK], add_green[BLOCK], add_blue[BLOCK];
    const int32_t half = 1 << (shift - 1);
    for (int32_t i = 0; i < BLOCK / 2; i++) {
        const int32_t r = weights->red_cr * cr[i] + half;
        const int32_t g = weights->green_cb * cb[i] + weights->green_cr * cr[i] + half;
        const int32_t b = weights->blue_cb * cb[i] + half;
        add_red[2 * i] = add_red[2 * i + 1] = r;
        add_green[2 * i] = add_green[2 * i + 1] = g;
        add_blue[2 * i] = add_blue[2 * i + 1] = b;
    }
    for (int32_t i = 0; i < BLOCK; i++) {
        const int32_t y = weights->luma * luma[i];
        red[i] = clamped((y + add_red[i]) >> shift);
        green[i] = clamped((y + add_green[i]) >> shift);
        blue[i] = clamped((y + add_blue[i]) >> shift);
    }
}

static inline void store(uint8_t *out, const uint8_t *red, const uint8_t *green, const uint8_t *blue, int32_t count,
                         int32_t layout) {
    switch (layout) {
    case NALU_RGB_LAYOUT_BGRA:
        for (int32_t i = 0; i < count; i++)
            out[4 * i] = blue[i], out[4 * i + 1] = green[i], out[4 * i + 2] = red[i], out[4 * i + 3] = 255;
        break;
    case NALU_RGB_LAYOUT_RGBA:
        for (int32_t i = 0; i < count; i++)
            out[4 * i] = red[i], out[4 * i + 1] = green[i], out[4 * i + 2] = blue[i], out[4 * i + 3] = 255;
        break;
    case NALU_RGB_LAYOUT_ARGB:
        for (int32_t i = 0; i < count; i++)
            out[4 * i] = 255, out[4 * i + 1] = red[i], out[4 * i + 2] = green[i], out[4 * i + 3] = blue[i];
        break;
    case NALU_RGB_LAYOUT_ABGR:
        for (int32_t i = 0; i < count; i++)
            out[4 * i] = 255, out[4 * i + 1] = blue[i], out[4 * i + 2] = green[i], out[4 * i + 3] = red[i];
        break;
    case NALU_RGB_LAYOUT_RGB:
        for (int32_t i = 0; i < count; i++) out[3 * i] = red[i], out[3 * i + 1] = green[i], out[3 * i + 2] = blue[i];
        break;
    default:
        for (int32_t i = 0; i < count; i++) out[3 * i] = blue[i], out[3 * i + 1] = green[i], out[3 * i + 2] = red[i];
        break;
    }
}

static inline int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t bytes_of(int32_t layout) { return layout == NALU_RGB_LAYOUT_RGB || layout == NALU_RGB_LAYOUT_BGR ? 3 : 4; }

void nalu_rgb_row_from_planes(const uint8_t *luma, const uint8_t *cb, const uint8_t *cr, int32_t width,
                              const nalu_yuv_weights *weights, int32_t layout, uint8_t *out) {
    int16_t y[BLOCK] = {0}, u[BLOCK / 2] = {0}, v[BLOCK / 2] = {0};
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = smaller(width - x, BLOCK), pairs = (count + 1) / 2;
        for (int32_t i = 0; i < count; i++) y[i] = (int16_t)(luma[x + i] - weights->black);
        for (int32_t i = 0; i < pairs; i++) u[i] = (int16_t)(cb[x / 2 + i] - 128);
        for (int32_t i = 0; i < pairs; i++) v[i] = (int16_t)(cr[x / 2 + i] - 128);
        block(y, u, v, 13, weights, red, green, blue);
        store(out + (ptrdiff_t)x * bytes_of(layout), red, green, blue, count, layout);
    }
}

void nalu_rgb_row_from_words(const uint16_t *luma, const uint16_t *cb_cr, int32_t width, const nalu_yuv_weights *weights,
                             int32_t layout, uint8_t *out) {
    int16_t y[BLOCK] = {0}, u[BLOCK / 2] = {0}, v[BLOCK / 2] = {0};
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = smaller(width - x, BLOCK), pairs = (count + 1) / 2;
        for (int32_t i = 0; i < count; i++) y[i] = (int16_t)((luma[x + i] >> 6) - 4 * weights->black);
        for (int32_t i = 0; i < pairs; i++) u[i] = (int16_t)((cb_cr[x + 2 * i] >> 6) - 512);
        for (int32_t i = 0; i < pairs; i++) v[i] = (int16_t)((cb_cr[x + 2 * i + 1] >> 6) - 512);
        block(y, u, v, 15, weights, red, green, blue);
        store(out + (ptrdiff_t)x * bytes_of(layout), red, green, blue, count, layout);
    }
}

/* Converts BLOCK pixels that each have their own chroma. */
static inline void full_block(const int16_t *luma, const int16_t *cb, const int16_t *cr, int32_t shift,
                              const nalu_yuv_weights *weights, uint8_t *red, uint8_t *green, uint8_t *blue) {
    const int32_t half = 1 << (shift - 1);
    for (int32_t i = 0; i < BLOCK; i++) {
        const int32_t y = weights->luma * luma[i] + half;
        red[i] = clamped((y + weights->red_cr * cr[i]) >> shift);
        green[i] = clamped((y + weights->green_cb * cb[i] + weights->green_cr * cr[i]) >> shift);
        blue[i] = clamped((y + weights->blue_cb * cb[i]) >> shift);
    }
}

void nalu_rgb_row_from_pairs(const uint8_t *luma, const uint8_t *cb_cr, int32_t width, int32_t columns,
                             const nalu_yuv_weights *weights, int32_t layout, uint8_t *out) {
    int16_t y[BLOCK] = {0}, u[BLOCK] = {0}, v[BLOCK] = {0};
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = smaller(width - x, BLOCK);
        for (int32_t i = 0; i < count; i++) {
            const uint8_t *pair = cb_cr + (ptrdiff_t)((x + i) / columns) * 2;
            y[i] = (int16_t)(luma[x + i] - weights->black);
            u[i] = (int16_t)(pair[0] - 128);
            v[i] = (int16_t)(pair[1] - 128);
        }
        full_block(y, u, v, 13, weights, red, green, blue);
        store(out + (ptrdiff_t)x * bytes_of(layout), red, green, blue, count, layout);
    }
}

/* Returns the highest 14 bits, rounded. A difference of such values fits into 16 bits. */
static inline int32_t highest_14_bits(uint16_t word) { return (word + 2) >> 2; }

void nalu_rgb_row_from_word_pairs(const uint16_t *luma, const uint16_t *cb_cr, int32_t width, int32_t columns,
                                  const nalu_yuv_weights *weights, int32_t layout, uint8_t *out) {
    int16_t y[BLOCK] = {0}, u[BLOCK] = {0}, v[BLOCK] = {0};
    uint8_t red[BLOCK], green[BLOCK], blue[BLOCK];
    for (int32_t x = 0; x < width; x += BLOCK) {
        const int32_t count = smaller(width - x, BLOCK);
        for (int32_t i = 0; i < count; i++) {
            const uint16_t *pair = cb_cr + (ptrdiff_t)((x + i) / columns) * 2;
            y[i] = (int16_t)(highest_14_bits(luma[x + i]) - 64 * weights->black);
            u[i] = (int16_t)(highest_14_bits(pair[0]) - 8192);
            v[i] = (int16_t)(highest_14_bits(pair[1]) - 8192);
        }
        full_block(y, u, v, 19, weights, red, green, blue);
        store(out + (ptrdiff_t)x * bytes_of(layout), red, green, blue, count, layout);
    }
}

void nalu_rgb_row_from_rgb_planes(const uint8_t *red, const uint8_t *green, const uint8_t *blue, int32_t width,
                                  int32_t layout, uint8_t *out) {
    store(out, red, green, blue, width, layout);
}

void nalu_words_shifted(const uint16_t *in, int32_t count, int32_t shift, uint16_t *out) {
    for (int32_t i = 0; i < count; i++) out[i] = (uint16_t)(in[i] << shift);
}

void nalu_word_pairs_shifted(const uint16_t *first, const uint16_t *second, int32_t count, int32_t shift, uint16_t *out) {
    for (int32_t i = 0; i < count; i++) out[2 * i] = (uint16_t)(first[i] << shift), out[2 * i + 1] = (uint16_t)(second[i] << shift);
}

void nalu_byte_pairs(const uint8_t *first, const uint8_t *second, int32_t count, uint8_t *out) {
    for (int32_t i = 0; i < count; i++) out[2 * i] = first[i], out[2 * i + 1] = second[i];
}
