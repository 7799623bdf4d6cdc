/*
 * What the tests of the pixel kernels share. Each case prints one line: its name, a digest of all bytes that came out, and
 * the largest distance from the formulas in doubles. The lines are the same on every processor, so two machines are compared
 * by comparing what the program prints on them.
 */
#ifndef NALU_TESTS_KERNELS_SUPPORT_H
#define NALU_TESTS_KERNELS_SUPPORT_H

#include "pixel_kernels.h"

#include <stdint.h>

/* One file each. */
void test_rgb_to_420(void);
void test_byte_maps(void);
void test_packed_422(void);
void test_depths(void);
void test_averages(void);
void test_shrinking(void);
void test_yuv_to_rgb(void);
void test_moved_samples(void);

/* ---- Numbers --------------------------------------------------------------------------------------------------------- */

/* The same sequence on every machine. */
uint32_t next_random(void);
void restart_random(uint64_t seed);
static inline int32_t random_below(int32_t end) { return (int32_t)(next_random() % (uint32_t)end); }

static inline double limited(double value, double largest) { return value < 0 ? 0 : value > largest ? largest : value; }

/* Kr and Kb of ITU-R BT.601-7, BT.709-6, BT.2020-2 and SMPTE ST 240. */
typedef struct matrix {
    const char *name;
    double kr, kb;
} matrix;
extern const matrix matrices[4];

/* Zero and span of a component on the scale of `bits`, by ITU-T H.273. */
typedef struct span {
    double zero, span;
} span;
span luma_span(int32_t bits, int32_t is_full);
span chroma_span(int32_t bits, int32_t is_full);

/* ---- Planes ---------------------------------------------------------------------------------------------------------- */

/* Rows, and where they lie: without padding or with it, upside down (a negative stride), and right after or right before
 * memory that no one may touch. */
typedef struct plane {
    uint8_t *first_row;
    ptrdiff_t stride;
    int32_t row_bytes, rows;
    uint8_t *start, *end; /* of rows and padding */
} plane;

enum { LAYOUTS = 6, SLOTS = 4 };

/* A plane in one of four places, whose earlier one is gone; layout: 0 to LAYOUTS - 1. Rows of words begin at even addresses.
 * The rows are zero, what is between them and next to them is known. */
plane make_plane(int32_t slot, int32_t layout, int32_t row_bytes, int32_t rows);
/* Fills the rows with noise, or with nothing but the two ends; words hold `bits` bits from the `shift`th on. */
void fill_bytes(const plane *plane);
void fill_words(const plane *plane, int32_t bits, int32_t shift);

static inline uint8_t *row_of(const plane *plane, int32_t y) { return plane->first_row + (ptrdiff_t)y * plane->stride; }
static inline uint16_t *words_of(const plane *plane, int32_t y) { return (uint16_t *)(void *)row_of(plane, y); }

/* ---- Cases ----------------------------------------------------------------------------------------------------------- */

void begin_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The rows that a kernel has written at a level: they are the same at each level, and nothing beyond them has changed. */
void take_result(const plane *plane, int32_t level);
/* The result of a level is complete. */
void end_level(int32_t level);
/* A value that came out, and the exact one. */
void take_value(double value, double exact);
/* Prints the line. limit: the largest distance that is allowed. */
void end_case(double limit);
/* 1 where a check has failed. */
int any_failed(void);

#endif
