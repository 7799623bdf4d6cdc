/**
 * @file
 * Exact rational times, with the 24 bytes and the arithmetic of CMTime.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_TIME_H
#define NALU_TIME_H

#include "base.h"

NALU_BEGIN_DECLS

/**
 * A time of value / timescale seconds. The layout is that of CMTime and never changes.
 *
 * A time is numeric if NALU_TIME_VALID is set, no flag for an infinity or the indefinite time is
 * set, and timescale is positive. Nalu returns presentation times and durations with value,
 * timescale, flags and epoch exactly as they were given.
 */
typedef struct nalu_time {
    int64_t value;     /**< units of 1 / timescale seconds */
    int32_t timescale; /**< units per second, 1 to 2147483647 for a numeric time */
    uint32_t flags;    /**< NALU_TIME_... */
    int64_t epoch;     /**< counts loops of a timeline, else 0; times of different epochs differ */
} nalu_time;

/**
 * The time from start, included, to start + duration, excluded. The layout is that of CMTimeRange
 * and never changes.
 */
typedef struct nalu_time_range {
    nalu_time start;    /**< included */
    nalu_time duration; /**< of 0 or more; start + duration is excluded */
} nalu_time_range;

/** Flags of nalu_time. */
enum {
    NALU_TIME_VALID = 1u << 0,
    NALU_TIME_HAS_BEEN_ROUNDED = 1u << 1,
    NALU_TIME_POSITIVE_INFINITY = 1u << 2,
    NALU_TIME_NEGATIVE_INFINITY = 1u << 3,
    NALU_TIME_INDEFINITE = 1u << 4
};

/** The rounding of a value that is not exact. The numbers are those of CMTimeRoundingMethod. */
enum {
    NALU_ROUNDING_HALF_AWAY_FROM_ZERO = 1,
    NALU_ROUNDING_TOWARD_ZERO = 2,
    NALU_ROUNDING_AWAY_FROM_ZERO = 3,
    /** Away from zero to a finer timescale, toward zero to a coarser one; but no negative time
     * becomes 0. */
    NALU_ROUNDING_QUICKTIME = 4,
    NALU_ROUNDING_TOWARD_POSITIVE_INFINITY = 5,
    NALU_ROUNDING_TOWARD_NEGATIVE_INFINITY = 6
};

/** Returns value / timescale; the invalid time for a timescale of 0 or less. */
NALU_API nalu_time nalu_time_make(int64_t value, int32_t timescale);

/**
 * Returns the time nearest to seconds, in units of 1 / preferred_timescale.
 *
 * CMTimeMakeWithSeconds rounds toward zero instead. The timescale is halved until the value fits.
 * NALU_TIME_HAS_BEEN_ROUNDED is set if the result is not exact. NaN becomes the invalid time, an
 * infinity the infinite time.
 */
NALU_API nalu_time nalu_time_make_with_seconds(double seconds, int32_t preferred_timescale);

/**
 * The same with a rounding: the product of seconds and the timescale, in double precision, is
 * rounded. NALU_ROUNDING_QUICKTIME rounds toward zero here, and NALU_ROUNDING_HALF_AWAY_FROM_ZERO
 * returns the nearest time, as nalu_time_make_with_seconds does. With another number, the result is
 * the invalid time.
 */
NALU_API nalu_time nalu_time_make_with_seconds_rounding(double seconds,
    int32_t preferred_timescale, int32_t rounding);

/** Returns the invalid time, with all fields 0. It also means "no time given". */
NALU_API nalu_time nalu_time_invalid(void);

/** Returns the indefinite time. */
NALU_API nalu_time nalu_time_indefinite(void);

/** Returns the time 0 / 1. */
NALU_API nalu_time nalu_time_zero(void);

/** Returns 1 if the time is numeric, else 0. */
NALU_API int32_t nalu_time_is_numeric(nalu_time time);

/**
 * Returns the seconds as the nearest double; an infinity for an infinite time, and NaN for an
 * invalid or indefinite one.
 */
NALU_API double nalu_time_get_seconds(nalu_time time);

/** @{ */
/**
 * Return the sum and the difference of two times.
 *
 * The result is exact if a timescale of at most 2147483647 can hold it; else it is rounded, with
 * NALU_TIME_HAS_BEEN_ROUNDED set. An overflow becomes an infinite time. Infinite and indefinite
 * operands combine as in CMTime; with an invalid operand, the result is the invalid time. A time of
 * epoch 0 counts as a duration: the result has the epoch of the other operand. With two equal
 * epochs, the result has epoch 0. With any other pair of epochs, the result is the invalid time.
 */
NALU_API nalu_time nalu_time_add(nalu_time a, nalu_time b);
NALU_API nalu_time nalu_time_subtract(nalu_time a, nalu_time b);
/** @} */

/**
 * Returns -1, 0 or 1 for a before, equal to, or after b.
 *
 * The order is total: negative infinity < numeric < indefinite < positive infinity < invalid.
 * Numeric times are compared exactly, whatever their timescales; epochs are compared before values.
 */
NALU_API int32_t nalu_time_compare(nalu_time a, nalu_time b);

/**
 * Returns the same time in units of 1 / timescale.
 *
 * The result is rounded half away from zero; NALU_TIME_HAS_BEEN_ROUNDED is set if it is not exact.
 * A time that is not numeric is returned unchanged. For a timescale of 0 or less, the result is the
 * invalid time.
 */
NALU_API nalu_time nalu_time_convert_scale(nalu_time time, int32_t timescale);

/**
 * The same with one of the NALU_ROUNDING_ constants. With another number, the result is the invalid
 * time.
 */
NALU_API nalu_time nalu_time_convert_scale_rounding(nalu_time time, int32_t timescale,
    int32_t rounding);

NALU_END_DECLS

#endif
