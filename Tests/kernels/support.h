/*
 * Shared code of the pixel kernels' tests. Each case prints one line: its name, a digest of all output bytes,
 * and the largest distance from the formulas in doubles. The lines are the same on every processor, so the
 * printed lines of two machines can be compared.
 */
#ifndef NALU_TESTS_KERNELS_SUPPORT_H
#define NALU_TESTS_KERNELS_SUPPORT_H

#include "pixel_kernels.h"

#include <stdint.h>

/* The tests, one in each file. */
void test_rgb_to_420(void);
void test_byte_maps(void);
void test_packed_422(void);
void test_depths(void);
void test_averages(void);
void test_shrinking(void);
void test_yuv_to_rgb(void);
void test_moved_samples(void);

/* ---- Numbers --------------------------------------------------------------------------------------------------------- */

/* Random numbers with the same sequence on every machine. */
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

/* The zero and the span of a component on a scale of `bits` (ITU-T H.273). */
typedef struct span {
    double zero, span;
} span;
span luma_span(int32_t bits, int32_t is_full);
span chroma_span(int32_t bits, int32_t is_full);

/* ---- Planes ---------------------------------------------------------------------------------------------------------- */

/* Rows and their layout: with or without padding, upside down (a negative stride), and right after or right
 * before inaccessible memory. */
typedef struct plane {
    uint8_t *first_row;
    ptrdiff_t stride;
    int32_t row_bytes, rows;
    uint8_t *start, *end; /* including padding */
} plane;

enum { LAYOUTS = 6, SLOTS = 4 };

/* Makes a plane in a slot, and discards the slot's earlier plane. layout: 0 to LAYOUTS - 1. Rows of words begin
 * at even addresses. The rows are zero; the bytes between and around them have a known value. */
plane make_plane(int32_t slot, int32_t layout, int32_t row_bytes, int32_t rows);
/* Fill the rows with noise, or with only the two extreme values. Words have `bits` bits above the lowest
 * `shift`. */
void fill_bytes(const plane *plane);
void fill_words(const plane *plane, int32_t bits, int32_t shift);

static inline uint8_t *row_of(const plane *plane, int32_t y) { return plane->first_row + (ptrdiff_t)y * plane->stride; }
static inline uint16_t *words_of(const plane *plane, int32_t y) { return (uint16_t *)(void *)row_of(plane, y); }

/* ---- Cases ----------------------------------------------------------------------------------------------------------- */

void begin_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Adds the rows that a kernel wrote at a level to the digest. Checks that they are the same at each level, and
 * that nothing beyond them has changed. */
void take_result(const plane *plane, int32_t level);
/* Ends the result of a level. */
void end_level(int32_t level);
/* Compares a result with the exact value. */
void take_value(double value, double exact);
/* Prints the line of the case. limit: the largest allowed distance. */
void end_case(double limit);
/* Returns 1 if a check has failed. */
int any_failed(void);

#endif
