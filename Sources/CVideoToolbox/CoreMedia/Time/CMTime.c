#include <CoreMedia/CMTime.h>

#include "../../Support/constant.h"
#include "rational.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

const CMTime kCMTimeInvalid = {0, 0, 0, 0};
const CMTime kCMTimeIndefinite = {0, 0, kCMTimeFlags_Valid | kCMTimeFlags_Indefinite, 0};
const CMTime kCMTimePositiveInfinity = {0, 0, kCMTimeFlags_Valid | kCMTimeFlags_PositiveInfinity, 0};
const CMTime kCMTimeNegativeInfinity = {0, 0, kCMTimeFlags_Valid | kCMTimeFlags_NegativeInfinity, 0};
const CMTime kCMTimeZero = {0, 1, kCMTimeFlags_Valid, 0};

NALU_CONSTANT(kCMTimeValueKey, "value");
NALU_CONSTANT(kCMTimeScaleKey, "timescale");
NALU_CONSTANT(kCMTimeEpochKey, "epoch");
NALU_CONSTANT(kCMTimeFlagsKey, "flags");

CMTime CMTimeMake(int64_t value, int32_t timescale) { return CMTimeMakeWithEpoch(value, timescale, 0); }

CMTime CMTimeMakeWithEpoch(int64_t value, int32_t timescale, int64_t epoch) {
    return (CMTime){value, timescale, timescale > 0 ? kCMTimeFlags_Valid : 0, epoch};
}

CMTime CMTimeMakeWithSeconds(Float64 seconds, int32_t preferredTimescale) {
    if (isnan(seconds) || preferredTimescale < 1) return kCMTimeInvalid;
    for (int32_t scale = preferredTimescale; scale >= 1; scale /= 2) {
        const double value = seconds * scale;
        if (!(fabs(value) < 0x1p63)) continue;
        CMTime time = CMTimeMake((int64_t)value, scale);
        if (CMTimeGetSeconds(time) != seconds) time.flags |= kCMTimeFlags_HasBeenRounded;
        return time;
    }
    return seconds < 0 ? kCMTimeNegativeInfinity : kCMTimePositiveInfinity;
}

Float64 CMTimeGetSeconds(CMTime time) {
    switch (nalu_time_get_kind(time)) {
    case nalu_time_numeric: return (double)time.value / time.timescale;
    case nalu_time_positive_infinity: return INFINITY;
    case nalu_time_negative_infinity: return -INFINITY;
    case nalu_time_indefinite:
    case nalu_time_invalid: break;
    }
    return NAN;
}

/* Returns the correction (-1, 0 or 1) of a quotient that was truncated towards zero. `finer`: the new timescale is
 * finer than the old one. */
static int rounding_unit(__int128 rest, __int128 divisor, bool finer, bool is_zero, CMTimeRoundingMethod method) {
    const int away = rest < 0 ? -1 : 1;
    switch (method) {
    case kCMTimeRoundingMethod_RoundTowardZero: return 0;
    case kCMTimeRoundingMethod_RoundAwayFromZero: return away;
    case kCMTimeRoundingMethod_QuickTime: return finer || (rest < 0 && is_zero) ? away : 0;
    case kCMTimeRoundingMethod_RoundTowardPositiveInfinity: return rest > 0 ? 1 : 0;
    case kCMTimeRoundingMethod_RoundTowardNegativeInfinity: return rest < 0 ? -1 : 0;
    case kCMTimeRoundingMethod_RoundHalfAwayFromZero: break;
    }
    return (rest < 0 ? -rest : rest) * 2 >= divisor ? away : 0;
}

CMTime CMTimeConvertScale(CMTime time, int32_t newTimescale, CMTimeRoundingMethod method) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (kind == nalu_time_invalid) return kCMTimeInvalid;
    if (newTimescale < 1 || method < kCMTimeRoundingMethod_RoundHalfAwayFromZero
        || method > kCMTimeRoundingMethod_RoundTowardNegativeInfinity)
        return kCMTimeInvalid;
    if (kind != nalu_time_numeric || newTimescale == time.timescale) return time;
    const __int128 product = (__int128)time.value * newTimescale;
    __int128 value = product / time.timescale;
    const __int128 rest = product % time.timescale;
    if (rest) {
        value += rounding_unit(rest, time.timescale, newTimescale > time.timescale, value == 0, method);
        time.flags |= kCMTimeFlags_HasBeenRounded;
    }
    if (value > INT64_MAX) return kCMTimePositiveInfinity;
    if (value < INT64_MIN) return kCMTimeNegativeInfinity;
    return (CMTime){(int64_t)value, newTimescale, time.flags, time.epoch};
}

/* Returns left + sign * right. */
static CMTime add(CMTime left, CMTime right, int sign) {
    const nalu_time_kind a = nalu_time_get_kind(left);
    nalu_time_kind b = nalu_time_get_kind(right);
    if (sign < 0 && b == nalu_time_positive_infinity) b = nalu_time_negative_infinity;
    else if (sign < 0 && b == nalu_time_negative_infinity) b = nalu_time_positive_infinity;

    if (a == nalu_time_invalid || b == nalu_time_invalid) return kCMTimeInvalid;
    const bool a_infinite = a == nalu_time_positive_infinity || a == nalu_time_negative_infinity;
    const bool b_infinite = b == nalu_time_positive_infinity || b == nalu_time_negative_infinity;
    if (a_infinite && b_infinite && a != b) return kCMTimeInvalid;
    if (a_infinite || b_infinite) return nalu_time_of_kind(a_infinite ? a : b);
    if (a == nalu_time_indefinite || b == nalu_time_indefinite) return kCMTimeIndefinite;
    if (left.epoch && right.epoch && left.epoch != right.epoch) return kCMTimeInvalid;

    const int64_t scale = nalu_time_common_scale(left.timescale, right.timescale);
    const __int128 first = (__int128)left.value * (scale / left.timescale);
    const __int128 second = (__int128)right.value * (scale / right.timescale);
    /* Equal epochs cancel out; if they differ, one of them is 0. */
    return nalu_time_from_fraction(first + sign * second, scale, left.flags | right.flags, left.epoch ^ right.epoch);
}

CMTime CMTimeAdd(CMTime lhs, CMTime rhs) { return add(lhs, rhs, 1); }

CMTime CMTimeSubtract(CMTime lhs, CMTime rhs) { return add(lhs, rhs, -1); }

/* Returns the product of a time that is not numeric and a number. */
static CMTime multiply_special(nalu_time_kind kind, bool by_negative) {
    if (by_negative && kind == nalu_time_positive_infinity) kind = nalu_time_negative_infinity;
    else if (by_negative && kind == nalu_time_negative_infinity) kind = nalu_time_positive_infinity;
    return nalu_time_of_kind(kind);
}

CMTime CMTimeMultiply(CMTime time, int32_t multiplier) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (kind != nalu_time_numeric) return multiply_special(kind, multiplier < 0);
    return nalu_time_from_fraction((__int128)time.value * multiplier, time.timescale, time.flags, time.epoch);
}

CMTime CMTimeMultiplyByRatio(CMTime time, int32_t multiplier, int32_t divisor) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (divisor == 0) return kCMTimeInvalid;
    if (kind != nalu_time_numeric) return multiply_special(kind, (multiplier < 0) != (divisor < 0));
    const int64_t sign = divisor < 0 ? -1 : 1;
    return nalu_time_multiply_by_fraction(time, sign * multiplier, sign * divisor);
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

CMTime CMTimeMultiplyByFloat64(CMTime time, Float64 multiplier) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (kind == nalu_time_invalid || isnan(multiplier)) return kCMTimeInvalid;
    if (kind != nalu_time_numeric) return multiply_special(kind, signbit(multiplier) != 0);
    const bool negative = (time.value < 0) != (signbit(multiplier) != 0);
    const CMTime infinite = negative ? kCMTimeNegativeInfinity : kCMTimePositiveInfinity;
    if (isinf(multiplier)) return time.value ? infinite : kCMTimeInvalid;

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
        if (bits >> 117) return infinite;
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
    return infinite;
}

int32_t CMTimeCompare(CMTime time1, CMTime time2) {
    const nalu_time_kind a = nalu_time_get_kind(time1), b = nalu_time_get_kind(time2);
    if (a != b) return a < b ? -1 : 1;
    if (a != nalu_time_numeric) return 0;
    if (time1.epoch != time2.epoch) return time1.epoch < time2.epoch ? -1 : 1;
    const __int128 left = (__int128)time1.value * time2.timescale, right = (__int128)time2.value * time1.timescale;
    return (left > right) - (left < right);
}

CMTime CMTimeMinimum(CMTime time1, CMTime time2) { return CMTimeCompare(time2, time1) < 0 ? time2 : time1; }

CMTime CMTimeMaximum(CMTime time1, CMTime time2) { return CMTimeCompare(time2, time1) > 0 ? time2 : time1; }

CMTime CMTimeAbsoluteValue(CMTime time) {
    if (nalu_time_get_kind(time) == nalu_time_negative_infinity) return kCMTimePositiveInfinity;
    if (nalu_time_get_kind(time) != nalu_time_numeric || time.value >= 0) return time;
    return nalu_time_from_fraction(-(__int128)time.value, time.timescale, time.flags, time.epoch);
}

CFDictionaryRef CMTimeCopyAsDictionary(CMTime time, CFAllocatorRef allocator) {
    const void *keys[] = {kCMTimeValueKey, kCMTimeScaleKey, kCMTimeEpochKey, kCMTimeFlagsKey};
    const int64_t value = time.value, epoch = time.epoch;
    const int32_t timescale = time.timescale, flags = (int32_t)time.flags;
    const void *values[] = {CFNumberCreate(allocator, kCFNumberSInt64Type, &value),
        CFNumberCreate(allocator, kCFNumberSInt32Type, &timescale), CFNumberCreate(allocator, kCFNumberSInt64Type, &epoch),
        CFNumberCreate(allocator, kCFNumberSInt32Type, &flags)};
    CFDictionaryRef dictionary = CFDictionaryCreate(
        allocator, keys, values, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    for (int i = 0; i < 4; i++) CFRelease(values[i]);
    return dictionary;
}

static bool get_number(CFDictionaryRef dictionary, CFStringRef key, CFNumberType type, void *place) {
    CFTypeRef number = CFDictionaryGetValue(dictionary, key);
    return number && CFGetTypeID(number) == CFNumberGetTypeID() && CFNumberGetValue(number, type, place);
}

CMTime CMTimeMakeFromDictionary(CFDictionaryRef dictionaryRepresentation) {
    CFDictionaryRef dictionary = dictionaryRepresentation;
    int64_t value = 0, epoch = 0;
    int32_t timescale = 0, flags = 0;
    if (!dictionary || CFGetTypeID(dictionary) != CFDictionaryGetTypeID()
        || !get_number(dictionary, kCMTimeValueKey, kCFNumberSInt64Type, &value)
        || !get_number(dictionary, kCMTimeScaleKey, kCFNumberSInt32Type, &timescale)
        || !get_number(dictionary, kCMTimeFlagsKey, kCFNumberSInt32Type, &flags))
        return kCMTimeInvalid;
    get_number(dictionary, kCMTimeEpochKey, kCFNumberSInt64Type, &epoch);
    return (CMTime){value, timescale, (CMTimeFlags)flags, epoch};
}

CFStringRef CMTimeCopyDescription(CFAllocatorRef allocator, CMTime time) {
    switch (nalu_time_get_kind(time)) {
    case nalu_time_invalid: return CFStringCreateCopy(allocator, CFSTR("{INVALID}"));
    case nalu_time_indefinite: return CFStringCreateCopy(allocator, CFSTR("{INDEFINITE}"));
    case nalu_time_positive_infinity: return CFStringCreateCopy(allocator, CFSTR("{+INFINITY}"));
    case nalu_time_negative_infinity: return CFStringCreateCopy(allocator, CFSTR("{-INFINITY}"));
    case nalu_time_numeric: break;
    }
    char epoch[40] = "";
    if (time.epoch) snprintf(epoch, sizeof epoch, ", epoch = %lld", (long long)time.epoch);
    return CFStringCreateWithFormat(allocator, NULL, CFSTR("{%lld/%d = %.3f%s%s}"), (long long)time.value, time.timescale,
        CMTimeGetSeconds(time), epoch, CMTIME_HAS_BEEN_ROUNDED(time) ? ", rounded" : "");
}

void CMTimeShow(CMTime time) {
    CFStringRef description = CMTimeCopyDescription(NULL, time);
    if (description) CFShow(description);
    if (description) CFRelease(description);
}
