/*
 * nalu/time.h - exact rational time, the same 24 bytes and arithmetic as CMTime.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef NALU_TIME_H
#define NALU_TIME_H

#include "base.h"

NALU_BEGIN_DECLS

/*
 * value / timescale seconds. Frozen: this layout never changes, and is CMTime's.
 *
 * A time is numeric when NALU_TIME_VALID is set, none of the indefinite and infinity flags are,
 * and timescale is positive. Nalu gives presentation times and durations back with value,
 * timescale, flags and epoch exactly as they came in.
 */
typedef struct nalu_time {
    int64_t value;
    int32_t timescale; /* units a second, 1 to 2147483647 for a numeric time */
    uint32_t flags;    /* NALU_TIME_... */
    int64_t epoch;     /* times of different epochs are never equal; 0 unless a loop is counted */
} nalu_time;

/* From start, included, to start + duration, not included. Frozen: this layout never changes, and is CMTimeRange's. */
typedef struct nalu_time_range {
    nalu_time start;
    nalu_time duration;
} nalu_time_range;

enum {
    NALU_TIME_VALID = 1u << 0,
    NALU_TIME_HAS_BEEN_ROUNDED = 1u << 1,
    NALU_TIME_POSITIVE_INFINITY = 1u << 2,
    NALU_TIME_NEGATIVE_INFINITY = 1u << 3,
    NALU_TIME_INDEFINITE = 1u << 4
};

/* value / timescale. A timescale of 0 or less gives the invalid time. */
NALU_API nalu_time nalu_time_make(int64_t value, int32_t timescale);

/*
 * The time nearest to `seconds` in units of 1 / preferred_timescale. The timescale is halved until
 * the value fits, with NALU_TIME_HAS_BEEN_ROUNDED set when the result is not exact. NaN gives the
 * invalid time, an infinity the infinite time.
 */
NALU_API nalu_time nalu_time_make_with_seconds(double seconds, int32_t preferred_timescale);

/* The invalid time (all zero), which also means "no time given". */
NALU_API nalu_time nalu_time_invalid(void);

/* The indefinite time. */
NALU_API nalu_time nalu_time_indefinite(void);

/* 0 / 1. */
NALU_API nalu_time nalu_time_zero(void);

/* 1 when the time is numeric, else 0. */
NALU_API int32_t nalu_time_is_numeric(nalu_time time);

/* Seconds as the nearest double; NaN for a time that is invalid or indefinite, else an infinity. */
NALU_API double nalu_time_get_seconds(nalu_time time);

/*
 * Exact where a common timescale of at most 2147483647 can hold the result, else rounded with
 * NALU_TIME_HAS_BEEN_ROUNDED set. Infinite and indefinite operands combine as CMTime's do; overflow
 * gives an infinite time; an invalid operand gives the invalid time. A time of epoch 0 counts as a
 * duration and goes with any epoch, which the result keeps; two equal epochs give epoch 0; other
 * pairs of epochs give the invalid time.
 */
NALU_API nalu_time nalu_time_add(nalu_time a, nalu_time b);
NALU_API nalu_time nalu_time_subtract(nalu_time a, nalu_time b);

/*
 * -1, 0 or 1. A total order: exact for numeric times, whatever their timescales; negative infinity
 * < numeric < indefinite < positive infinity < invalid; epochs are compared before values.
 */
NALU_API int32_t nalu_time_compare(nalu_time a, nalu_time b);

/*
 * The same time in units of 1 / timescale, rounded half away from zero, with
 * NALU_TIME_HAS_BEEN_ROUNDED set when that is not exact. Times that are not numeric come back
 * unchanged; a timescale of 0 or less gives the invalid time.
 */
NALU_API nalu_time nalu_time_convert_scale(nalu_time time, int32_t timescale);

NALU_END_DECLS

#endif
