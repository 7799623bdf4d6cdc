/* Exact arithmetic under CMTime and CMTimeRange: fractions of 128-bit integers, rounded once, at the end. */
#ifndef NALU_VT_RATIONAL_H
#define NALU_VT_RATIONAL_H

#include <CoreMedia/CMTime.h>

/* In the order in which CMTimeCompare sorts them. */
typedef enum nalu_time_kind {
    nalu_time_negative_infinity,
    nalu_time_numeric,
    nalu_time_indefinite,
    nalu_time_positive_infinity,
    nalu_time_invalid,
} nalu_time_kind;

/* Invalid, too, for a numeric time with a timescale below 1, which only a client can have made. */
nalu_time_kind nalu_time_get_kind(CMTime time);

/* `kind` must not be numeric. */
CMTime nalu_time_of_kind(nalu_time_kind kind);

/* The time value / scale seconds: in that timescale where it is not above kCMTimeMaxTimescale, otherwise in
 * kCMTimeMaxTimescale, which is halved while the value is too large; infinite where 1 is not enough. Rounds half away from
 * zero and notes it in the flags. `scale` is 1 to 2^96. */
CMTime nalu_time_from_fraction(__int128 value, __int128 scale, CMTimeFlags flags, CMTimeEpoch epoch);

/* `time`, which is numeric, multiplied by numerator / denominator (above 0), in its own timescale where that is exact. */
CMTime nalu_time_multiply_by_fraction(CMTime time, __int128 numerator, __int128 denominator);

/* The least common multiple of two timescales. */
int64_t nalu_time_common_scale(int32_t scale1, int32_t scale2);

#endif
