#include "rational.h"

#include <stdbool.h>

static const __int128 largest_scale = (__int128)1 << 96;

nalu_time_kind nalu_time_get_kind(CMTime time) {
    if (CMTIME_IS_INVALID(time)) return nalu_time_invalid;
    if (CMTIME_IS_POSITIVE_INFINITY(time)) return nalu_time_positive_infinity;
    if (CMTIME_IS_NEGATIVE_INFINITY(time)) return nalu_time_negative_infinity;
    if (CMTIME_IS_INDEFINITE(time)) return nalu_time_indefinite;
    return time.timescale > 0 ? nalu_time_numeric : nalu_time_invalid;
}

CMTime nalu_time_of_kind(nalu_time_kind kind) {
    switch (kind) {
    case nalu_time_negative_infinity: return kCMTimeNegativeInfinity;
    case nalu_time_indefinite: return kCMTimeIndefinite;
    case nalu_time_positive_infinity: return kCMTimePositiveInfinity;
    case nalu_time_numeric:
    case nalu_time_invalid: break;
    }
    return kCMTimeInvalid;
}

static unsigned __int128 magnitude(__int128 value) {
    return value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
}

static unsigned __int128 greatest_common_divisor(unsigned __int128 a, unsigned __int128 b) {
    while (b) {
        const unsigned __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t nalu_time_common_scale(int32_t scale1, int32_t scale2) {
    const int64_t divisor = (int64_t)greatest_common_divisor((unsigned __int128)scale1, (unsigned __int128)scale2);
    return scale1 / divisor * (int64_t)scale2;
}

CMTime nalu_time_from_fraction(__int128 value, __int128 scale, CMTimeFlags flags, CMTimeEpoch epoch) {
    const bool negative = value < 0;
    const unsigned __int128 limit = (unsigned __int128)INT64_MAX + (negative ? 1 : 0);
    const unsigned __int128 whole = magnitude(value) / (unsigned __int128)scale;
    const unsigned __int128 rest = magnitude(value) % (unsigned __int128)scale;
    int32_t target = scale > kCMTimeMaxTimescale ? (int32_t)kCMTimeMaxTimescale : (int32_t)scale;
    for (; target >= 1 && whole <= limit; target /= 2) {
        const unsigned __int128 part = rest * (unsigned __int128)target;
        const unsigned __int128 below = part % (unsigned __int128)scale;
        const unsigned __int128 up = below >= (unsigned __int128)scale - below ? 1 : 0;
        const unsigned __int128 result = whole * (unsigned __int128)target + part / (unsigned __int128)scale + up;
        if (result > limit) continue;
        if (below) flags |= kCMTimeFlags_HasBeenRounded;
        const uint64_t bits = negative ? -(uint64_t)result : (uint64_t)result;
        return (CMTime){(int64_t)bits, target, flags, epoch};
    }
    return negative ? kCMTimeNegativeInfinity : kCMTimePositiveInfinity;
}

CMTime nalu_time_multiply_by_fraction(CMTime time, __int128 numerator, __int128 denominator) {
    unsigned __int128 divisor = greatest_common_divisor(magnitude(numerator), (unsigned __int128)denominator);
    numerator /= (__int128)divisor;
    denominator /= (__int128)divisor;
    divisor = greatest_common_divisor(magnitude(time.value), (unsigned __int128)denominator);
    denominator /= (__int128)divisor;
    __int128 value = 0, scale = 0;
    if (__builtin_mul_overflow(time.value / (__int128)divisor, numerator, &value)
        || __builtin_mul_overflow((__int128)time.timescale, denominator, &scale) || scale > largest_scale)
        return CMTimeMultiplyByFloat64(time, (double)numerator / (double)denominator / (double)divisor);
    if (scale > kCMTimeMaxTimescale && value) {
        divisor = greatest_common_divisor(magnitude(value), (unsigned __int128)scale);
        value /= (__int128)divisor;
        scale /= (__int128)divisor;
    }
    return nalu_time_from_fraction(value, scale, time.flags, time.epoch);
}
