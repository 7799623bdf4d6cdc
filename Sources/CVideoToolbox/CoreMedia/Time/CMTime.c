#include <CoreMedia/CMTime.h>

#include "../../Support/constant.h"
#include "rational.h"
#include "times.h"

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
    return nalu_to_time(nalu_time_make_with_seconds_rounding(seconds, preferredTimescale, NALU_ROUNDING_TOWARD_ZERO));
}

Float64 CMTimeGetSeconds(CMTime time) { return nalu_time_get_seconds(nalu_from_time(time)); }

CMTime CMTimeConvertScale(CMTime time, int32_t newTimescale, CMTimeRoundingMethod method) {
    if (nalu_time_get_kind(time) == nalu_time_kind_invalid) return kCMTimeInvalid;
    /* The methods have libnalu's numbers. */
    return nalu_to_time(nalu_time_convert_scale_rounding(nalu_from_time(time), newTimescale, (int32_t)method));
}

CMTime CMTimeAdd(CMTime lhs, CMTime rhs) {
    return nalu_to_time(nalu_time_add(nalu_from_time(lhs), nalu_from_time(rhs)));
}

CMTime CMTimeSubtract(CMTime lhs, CMTime rhs) {
    return nalu_to_time(nalu_time_subtract(nalu_from_time(lhs), nalu_from_time(rhs)));
}

/* Returns the product of a time that is not numeric and a number. */
static CMTime multiply_special(nalu_time_kind kind, bool by_negative) {
    if (by_negative && kind == nalu_time_kind_positive_infinity) kind = nalu_time_kind_negative_infinity;
    else if (by_negative && kind == nalu_time_kind_negative_infinity) kind = nalu_time_kind_positive_infinity;
    return nalu_time_of_kind(kind);
}

CMTime CMTimeMultiply(CMTime time, int32_t multiplier) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (kind != nalu_time_kind_numeric) return multiply_special(kind, multiplier < 0);
    return nalu_time_from_fraction((__int128)time.value * multiplier, time.timescale, time.flags, time.epoch);
}

CMTime CMTimeMultiplyByRatio(CMTime time, int32_t multiplier, int32_t divisor) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (divisor == 0) return kCMTimeInvalid;
    if (kind != nalu_time_kind_numeric) return multiply_special(kind, (multiplier < 0) != (divisor < 0));
    const int64_t sign = divisor < 0 ? -1 : 1;
    return nalu_time_multiply_by_fraction(time, sign * multiplier, sign * divisor);
}

CMTime CMTimeMultiplyByFloat64(CMTime time, Float64 multiplier) {
    const nalu_time_kind kind = nalu_time_get_kind(time);
    if (kind == nalu_time_kind_invalid || isnan(multiplier)) return kCMTimeInvalid;
    if (kind != nalu_time_kind_numeric) return multiply_special(kind, signbit(multiplier) != 0);
    if (isinf(multiplier) && time.value == 0) return kCMTimeInvalid;
    return nalu_time_multiply_by_float(time, multiplier);
}

int32_t CMTimeCompare(CMTime time1, CMTime time2) {
    return nalu_time_compare(nalu_from_time(time1), nalu_from_time(time2));
}

CMTime CMTimeMinimum(CMTime time1, CMTime time2) { return CMTimeCompare(time2, time1) < 0 ? time2 : time1; }

CMTime CMTimeMaximum(CMTime time1, CMTime time2) { return CMTimeCompare(time2, time1) > 0 ? time2 : time1; }

CMTime CMTimeAbsoluteValue(CMTime time) {
    if (nalu_time_get_kind(time) == nalu_time_kind_negative_infinity) return kCMTimePositiveInfinity;
    if (nalu_time_get_kind(time) != nalu_time_kind_numeric || time.value >= 0) return time;
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
    case nalu_time_kind_invalid: return CFStringCreateCopy(allocator, CFSTR("{INVALID}"));
    case nalu_time_kind_indefinite: return CFStringCreateCopy(allocator, CFSTR("{INDEFINITE}"));
    case nalu_time_kind_positive_infinity: return CFStringCreateCopy(allocator, CFSTR("{+INFINITY}"));
    case nalu_time_kind_negative_infinity: return CFStringCreateCopy(allocator, CFSTR("{-INFINITY}"));
    case nalu_time_kind_numeric: break;
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
