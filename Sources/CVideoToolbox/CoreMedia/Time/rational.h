/* Exact arithmetic for CMTime and CMTimeRange: fractions of 128-bit integers, which are rounded once, at the end. */
#ifndef NALU_VT_RATIONAL_H
#define NALU_VT_RATIONAL_H

#include <CoreMedia/CMTime.h>

/* The kinds of times, in the order in which CMTimeCompare sorts them. */
typedef enum nalu_time_kind {
    nalu_time_kind_negative_infinity,
    nalu_time_kind_numeric,
    nalu_time_kind_indefinite,
    nalu_time_kind_positive_infinity,
    nalu_time_kind_invalid,
} nalu_time_kind;

/* Returns the kind of a time. A numeric time with a timescale below 1 counts as invalid; only a client can make one. */
nalu_time_kind nalu_time_get_kind(CMTime time);

/* Returns the time of a kind. `kind` must not be numeric. */
CMTime nalu_time_of_kind(nalu_time_kind kind);

/* Returns the time value / scale seconds. Its timescale is `scale` if that is not above kCMTimeMaxTimescale. Otherwise
 * it is kCMTimeMaxTimescale, halved while the value is too large; if 1 is not enough, the time is infinite. Rounds half
 * away from zero and sets kCMTimeFlags_HasBeenRounded. `scale` is 1 to 2^96. */
CMTime nalu_time_from_fraction(__int128 value, __int128 scale, CMTimeFlags flags, CMTimeEpoch epoch);

/* Returns `time` multiplied by numerator / denominator, in its own timescale if that is exact. `time` must be numeric
 * and `denominator` above 0. */
CMTime nalu_time_multiply_by_fraction(CMTime time, __int128 numerator, __int128 denominator);

/* Returns `time` multiplied by a number that is not NaN. The timescale is doubled up to 65536 at least, and halved while
 * the value is too large. `time` must be numeric, and not 0 if the number is infinite. */
CMTime nalu_time_multiply_by_float(CMTime time, double multiplier);

/* Returns the least common multiple of two timescales. */
int64_t nalu_time_common_scale(int32_t scale1, int32_t scale2);

#endif
