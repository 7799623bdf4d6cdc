#include "rational.h"

#include <math.h>
#include <stdbool.h>

static const __int128 largest_scale = (__int128)1 << 96;

nalu_time_kind nalu_time_get_kind(CMTime time) {
    if (CMTIME_IS_INVALID(time)) return nalu_time_kind_invalid;
    if (CMTIME_IS_POSITIVE_INFINITY(time)) return nalu_time_kind_positive_infinity;
    if (CMTIME_IS_NEGATIVE_INFINITY(time)) return nalu_time_kind_negative_infinity;
    if (CMTIME_IS_INDEFINITE(time)) return nalu_time_kind_indefinite;
    return time.timescale > 0 ? nalu_time_kind_numeric : nalu_time_kind_invalid;
}

CMTime nalu_time_of_kind(nalu_time_kind kind) {
    static const CMTimeFlags flags[] = {
        [nalu_time_kind_negative_infinity] = kCMTimeFlags_Valid | kCMTimeFlags_NegativeInfinity,
        [nalu_time_kind_indefinite] = kCMTimeFlags_Valid | kCMTimeFlags_Indefinite,
        [nalu_time_kind_positive_infinity] = kCMTimeFlags_Valid | kCMTimeFlags_PositiveInfinity,
        [nalu_time_kind_invalid] = 0,
    };
    return (CMTime){0, 0, flags[kind], 0};
}

/* Returns the infinite time. */
static CMTime infinity(bool negative) {
    return nalu_time_of_kind(negative ? nalu_time_kind_negative_infinity : nalu_time_kind_positive_infinity);
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
    return infinity(negative);
}

/* Returns round(bits * scale * 2^shift / divisor), half up, or the largest number if that has more than 64 bits.
 * `shift` is 0 or less; `bits` has at most 118 bits, and `scale` 31. `rounded` becomes true if the result is not
 * exact. */
static uint64_t scale_bits(unsigned __int128 bits, uint32_t scale, int shift, uint32_t divisor, bool *rounded) {
    const unsigned __int128 low = (unsigned __int128)(uint64_t)bits * scale;
    const unsigned __int128 high = (bits >> 64) * scale + (low >> 64);
    /* high * 2^64 + low, divided by `divisor`. */
    const unsigned __int128 q1 = high / divisor, r1 = high % divisor;
    const unsigned __int128 l1 = r1 << 64 | (uint64_t)low;
    const unsigned __int128 q0 = l1 / divisor, r0 = l1 % divisor;
    *rounded = r0 != 0;
    /* q1 has at most 86 bits and q0 at most 64. */
    if (shift == 0) {
        const unsigned __int128 up = 2 * r0 >= divisor ? 1 : 0;
        const unsigned __int128 result = q0 + up;
        return q1 || result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
    }
    if (shift < -160) {
        *rounded = true;
        return 0;
    }
    unsigned __int128 whole = 0;
    bool half = false;
    if (shift > -64) {
        if (q1 >> -shift >> 1) return UINT64_MAX;
        whole = q1 << (64 + shift) | q0 >> -shift;
        half = q0 >> (-shift - 1) & 1;
        *rounded |= (q0 & (((unsigned __int128)1 << -shift) - 1)) != 0;
    } else {
        const int left = -shift - 64;
        whole = q1 >> left;
        half = left ? q1 >> (left - 1) & 1 : q0 >> 63 & 1;
        *rounded |= q0 != 0 || (q1 & (((unsigned __int128)1 << left) - 1)) != 0;
    }
    whole += half ? 1 : 0;
    return whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
}

CMTime nalu_time_multiply_by_float(CMTime time, double multiplier) {
    const bool negative = (time.value < 0) != (signbit(multiplier) != 0);
    if (isinf(multiplier)) return infinity(negative);

    int32_t scale = time.timescale;
    while (scale < 65536) scale *= 2;
    int exponent = 0;
    /* multiplier = mantissa * 2^exponent, with a mantissa of 53 bits. */
    const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(multiplier), &exponent), 53);
    exponent -= 53;
    const uint64_t value = time.value < 0 ? -(uint64_t)time.value : (uint64_t)time.value;
    unsigned __int128 bits = (unsigned __int128)value * mantissa;
    for (; bits && exponent > 0; exponent--) {
        /* The time is longer than 2^117 / 2^31 seconds, which no timescale can represent. */
        if (bits >> 117) return infinity(negative);
        bits <<= 1;
    }
    if (!bits) exponent = 0;
    const uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    for (; scale >= 1; scale /= 2) {
        bool rounded = false;
        const uint64_t result = scale_bits(bits, (uint32_t)scale, exponent, (uint32_t)time.timescale, &rounded);
        if (result > limit) continue;
        const CMTimeFlags flags = time.flags | (rounded ? kCMTimeFlags_HasBeenRounded : 0);
        return (CMTime){(int64_t)(negative ? -result : result), scale, flags, time.epoch};
    }
    return infinity(negative);
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
        return nalu_time_multiply_by_float(time, (double)numerator / (double)denominator / (double)divisor);
    if (scale > kCMTimeMaxTimescale && value) {
        divisor = greatest_common_divisor(magnitude(value), (unsigned __int128)scale);
        value /= (__int128)divisor;
        scale /= (__int128)divisor;
    }
    return nalu_time_from_fraction(value, scale, time.flags, time.epoch);
}
