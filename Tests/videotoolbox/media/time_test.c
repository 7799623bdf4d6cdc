/* CMTime: layout, every rounding, mixed timescales, overflow, epochs, times that are not numbers, dictionaries. The
 * test computes the expected values in 128 bits. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <stddef.h>

_Static_assert(sizeof(CMTime) == 24 && _Alignof(CMTime) == 4, "CMTime is packed to 4 bytes");
_Static_assert(offsetof(CMTime, timescale) == 8 && offsetof(CMTime, flags) == 12 && offsetof(CMTime, epoch) == 16, "");

static CMTime make(int64_t value, int32_t timescale) { return CMTimeMake(value, timescale); }

static int check_time(CMTime time, int64_t value, int32_t timescale, CMTimeFlags flags, CMTimeEpoch epoch, int line) {
    char text[160];
    snprintf(text, sizeof text, "%lld/%d flags %u epoch %lld, not %lld/%d flags %u epoch %lld", (long long)time.value,
        time.timescale, time.flags, (long long)time.epoch, (long long)value, timescale, flags, (long long)epoch);
    return check_that(time.value == value && time.timescale == timescale && time.flags == flags && time.epoch == epoch,
        __FILE__, line, "time", text);
}
#define CHECK_TIME(time, value, timescale) check_time(time, value, timescale, kCMTimeFlags_Valid, 0, __LINE__)
#define CHECK_ROUNDED(time, value, timescale) check_time(time, value, timescale, ROUNDED, 0, __LINE__)
enum { ROUNDED = kCMTimeFlags_Valid | kCMTimeFlags_HasBeenRounded };

static void test_making(void) {
    CHECK_TIME(CMTimeMake(-7, 30), -7, 30);
    check_time(CMTimeMakeWithEpoch(INT64_MIN, INT32_MAX, 5), INT64_MIN, INT32_MAX, kCMTimeFlags_Valid, 5, __LINE__);
    CHECK(CMTIME_IS_INVALID(CMTimeMake(1, 0)) && CMTIME_IS_INVALID(CMTimeMake(1, -1)));
    CHECK(CMTIME_IS_INVALID(kCMTimeInvalid) && CMTIME_IS_NUMERIC(kCMTimeZero));
    CHECK(CMTIME_IS_INDEFINITE(kCMTimeIndefinite) && CMTIME_IS_VALID(kCMTimeIndefinite));
    CHECK(CMTIME_IS_POSITIVE_INFINITY(kCMTimePositiveInfinity) && CMTIME_IS_POSITIVEINFINITY(kCMTimePositiveInfinity));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(kCMTimeNegativeInfinity) && !CMTIME_IS_NUMERIC(kCMTimeNegativeInfinity));
    CHECK_EQ(kCMTimeFlags_ImpliedValueFlagsMask, 28);
    CHECK_EQ(kCMTimeMaxTimescale, 0x7fffffff);
}

static void test_seconds(void) {
    CHECK_TIME(CMTimeMakeWithSeconds(5, 600), 3000, 600);
    /* The value is truncated towards zero. */
    CHECK_ROUNDED(CMTimeMakeWithSeconds(0.5, 1), 0, 1);
    CHECK_ROUNDED(CMTimeMakeWithSeconds(-2.9, 1), -2, 1);
    CHECK_ROUNDED(CMTimeMakeWithSeconds(0.082, 24), 1, 24);
    CHECK_TIME(CMTimeMakeWithSeconds(0.1, 10), 1, 10);
    /* In units of 2^-30 s, 2^40 seconds need more than 63 bits. The timescale is halved until the value fits. */
    CHECK_TIME(CMTimeMakeWithSeconds(0x1p40, 1 << 30), (int64_t)1 << 62, 1 << 22);
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeMakeWithSeconds(0x1p63, 1000)));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeMakeWithSeconds(-INFINITY, 1000)));
    CHECK(CMTIME_IS_INVALID(CMTimeMakeWithSeconds(NAN, 1)) && CMTIME_IS_INVALID(CMTimeMakeWithSeconds(1, 0)));
    CHECK(CMTimeGetSeconds(make(3, 4)) == 0.75);
    CHECK(isnan(CMTimeGetSeconds(kCMTimeInvalid)) && isnan(CMTimeGetSeconds(kCMTimeIndefinite)));
    CHECK(CMTimeGetSeconds(kCMTimePositiveInfinity) == INFINITY && CMTimeGetSeconds(kCMTimeNegativeInfinity) == -INFINITY);
}

/* The result of value * to / from, rounded by `method`. */
static int64_t convert(int64_t value, int32_t from, int32_t to, int method) {
    const __int128 product = (__int128)value * to;
    __int128 floor = product / from;
    if (product % from < 0) floor--;
    const __int128 rest = product - floor * from;
    if (rest == 0) return (int64_t)floor;
    const int negative = value < 0;
    switch (method) {
    case 1: return (int64_t)(2 * rest > from || (2 * rest == from && !negative) ? floor + 1 : floor);
    case 2: return (int64_t)(negative ? floor + 1 : floor);
    case 3: return (int64_t)(negative ? floor : floor + 1);
    case 4:
        if (to > from || (negative && floor == -1)) return (int64_t)(negative ? floor : floor + 1);
        return (int64_t)(negative ? floor + 1 : floor);
    case 5: return (int64_t)floor + 1;
    default: return (int64_t)floor;
    }
}

static void test_conversion(void) {
    static const int64_t values[] = {0, 1, -1, 2, -2, 7, -7, 45, -45, 1001, -1001, 90000, 123456789012345, -123456789012345};
    static const int32_t scales[] = {1, 2, 3, 24, 90, 600, 1000, 30000, 90000, 1000000000, INT32_MAX};
    int checked = 0;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t f = 0; f < sizeof scales / sizeof *scales; f++)
            for (size_t t = 0; t < sizeof scales / sizeof *scales; t++)
                for (int method = 1; method <= 6; method++) {
                    const __int128 product = (__int128)values[v] * scales[t];
                    if (product / scales[f] > INT64_MAX - 1 || product / scales[f] < INT64_MIN + 1) continue;
                    const CMTime time = CMTimeConvertScale(make(values[v], scales[f]), scales[t], (CMTimeRoundingMethod)method);
                    check_time(time, convert(values[v], scales[f], scales[t], method), scales[t],
                        product % scales[f] ? ROUNDED : kCMTimeFlags_Valid, 0, __LINE__);
                    checked++;
                }
    CHECK(checked > 9000);
    CHECK_EQ(kCMTimeRoundingMethod_Default, kCMTimeRoundingMethod_RoundHalfAwayFromZero);
    CHECK_ROUNDED(CMTimeConvertScale(make(-1, 90000), 600, kCMTimeRoundingMethod_QuickTime), -1, 600);
    check_time(CMTimeConvertScale(CMTimeMakeWithEpoch(1, 2, 3), 4, kCMTimeRoundingMethod_Default), 2, 4,
        kCMTimeFlags_Valid, 3, __LINE__);
    /* A rounded time keeps its flag in an exact conversion. */
    const CMTime third = CMTimeConvertScale(make(1, 3), 10, kCMTimeRoundingMethod_Default);
    CHECK_ROUNDED(CMTimeConvertScale(third, 20, kCMTimeRoundingMethod_Default), 6, 20);
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeConvertScale(make(INT64_MAX, 1), 2, kCMTimeRoundingMethod_Default)));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeConvertScale(make(INT64_MIN, 1), 2, kCMTimeRoundingMethod_Default)));
    CHECK(CMTIME_IS_INVALID(CMTimeConvertScale(make(1, 1), 0, kCMTimeRoundingMethod_Default)));
    CHECK(CMTIME_IS_INVALID(CMTimeConvertScale(make(1, 1), 2, (CMTimeRoundingMethod)7)));
    CHECK(CMTIME_IS_INDEFINITE(CMTimeConvertScale(kCMTimeIndefinite, 5, kCMTimeRoundingMethod_Default)));
}

static void test_sums(void) {
    CHECK_TIME(CMTimeAdd(make(1, 30), make(2, 30)), 3, 30);
    CHECK_TIME(CMTimeAdd(make(1001, 30000), make(1, 24)), 1001 + 1250, 30000);
    CHECK_TIME(CMTimeSubtract(make(1, 600), make(1, 1000)), 5 - 3, 3000);
    CHECK_TIME(CMTimeSubtract(make(-5, 48000), make(7, 44100)), -5 * 147 - 7 * 160, 7056000);
    /* The common timescale is too large: the result has the largest timescale, and is rounded. */
    const int32_t a = 1000000007, b = 998244353;
    const __int128 numerator = (__int128)12345678 * b + (__int128)987654321 * a, denominator = (__int128)a * b;
    const __int128 doubled = 2 * numerator * kCMTimeMaxTimescale / denominator;
    CHECK_ROUNDED(CMTimeAdd(make(12345678, a), make(987654321, b)), (int64_t)((doubled + 1) / 2), INT32_MAX);
    /* The timescale is halved for a value that is too large, down to 1. */
    CHECK_ROUNDED(CMTimeAdd(make(INT64_MAX, 601), make(INT64_MAX, 601)),
        (int64_t)(((__int128)INT64_MAX * 2 * 300 * 2 / 601 + 1) / 2), 300);
    CHECK_TIME(CMTimeSubtract(make(INT64_MIN, 1), kCMTimeZero), INT64_MIN, 1);
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeAdd(make(INT64_MAX, 1), make(1, 1))));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeSubtract(make(INT64_MIN, 1), make(1, 1))));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeAdd(make(INT64_MIN, 1), make(INT64_MIN, 1))));
    CHECK(CMTIME_HAS_BEEN_ROUNDED(CMTimeAdd(CMTimeMakeWithSeconds(0.5, 1), make(1, 1))));
}

static void test_epochs(void) {
    const CMTime first = CMTimeMakeWithEpoch(10, 1, 1), second = CMTimeMakeWithEpoch(3, 1, 2);
    CHECK(CMTIME_IS_INVALID(CMTimeAdd(first, second)) && CMTIME_IS_INVALID(CMTimeSubtract(first, second)));
    check_time(CMTimeAdd(first, make(5, 1)), 15, 1, kCMTimeFlags_Valid, 1, __LINE__);
    check_time(CMTimeSubtract(CMTimeMakeWithEpoch(12, 1, 1), first), 2, 1, kCMTimeFlags_Valid, 0, __LINE__);
    CHECK_EQ(CMTimeCompare(first, second), -1);
    CHECK_EQ(CMTimeCompare(second, first), 1);
    CHECK_EQ(CMTimeCompare(kCMTimePositiveInfinity, second), 1);
}

static void test_products(void) {
    CHECK_TIME(CMTimeMultiply(make(1001, 30000), -3), -3003, 30000);
    CHECK_ROUNDED(CMTimeMultiply(make(INT64_MAX, 3), 2), (int64_t)(((__int128)INT64_MAX * 4 / 3 + 1) / 2), 1);
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeMultiply(make(INT64_MAX, 1), -2)));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeMultiply(kCMTimePositiveInfinity, -1)));

    CHECK_TIME(CMTimeMultiplyByRatio(make(1001, 30000), 2, 7), 286, 30000);
    CHECK_TIME(CMTimeMultiplyByRatio(make(1, 2), -1, 3), -1, 6);
    CHECK_TIME(CMTimeMultiplyByRatio(make(1, 2), 1, -3), -1, 6);
    CHECK_TIME(CMTimeMultiplyByRatio(make(6, 2000000000), 5, 4), 3, 800000000);
    CHECK_ROUNDED(CMTimeMultiplyByRatio(make(1, 2000000011), 1, 3), 0, INT32_MAX);
    CHECK(CMTIME_IS_INVALID(CMTimeMultiplyByRatio(make(1, 1), 1, 0)));
    CHECK_TIME(CMTimeMultiplyByRatio(make(INT64_MIN, 1), INT32_MIN, INT32_MIN), INT64_MIN, 1);

    /* The timescale is doubled up to 65536 at least. */
    CHECK_TIME(CMTimeMultiplyByFloat64(make(1, 600), 0.5), 64, 76800);
}

static void test_float_products(void) {
    static const double factors[] = {0, -0.0, 1, -1, 0.1, 1.0 / 3, 3e-9, 1e-300, 4.9e-324, 1e9, -7.25, 123456.789};
    static const int64_t values[] = {0, 1, -1, 1001, 90000, -48000, 9007199254740993, -4611686018427387905};
    static const int32_t scales[] = {1, 600, 30000, 65536, 90000, INT32_MAX};
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
                const CMTime time = CMTimeMultiplyByFloat64(make(values[v], scales[s]), factors[f]);
                const long double expected = (long double)values[v] / scales[s] * factors[f];
                if (fabsl(expected) > 0x1p63L) {
                    CHECK(expected > 0 ? CMTIME_IS_POSITIVE_INFINITY(time) : CMTIME_IS_NEGATIVE_INFINITY(time));
                    continue;
                }
                CHECK(CMTIME_IS_NUMERIC(time));
                /* The error is at most half a unit, plus the precision of long double. */
                const long double error = fabsl((long double)time.value - expected * time.timescale);
                CHECK(error <= 0.5L + fabsl(expected) * time.timescale * 0x1p-61L);
                CHECK(time.timescale >= 65536 || fabsl(expected) * 65536 > 0x1p61L);
                /* Only an overflow of the value reduces the timescale. */
                CHECK(time.timescale >= scales[s] || fabsl(expected) * scales[s] > 0x1p61L);
            }
    CHECK(CMTIME_IS_INVALID(CMTimeMultiplyByFloat64(make(1, 1), NAN)));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeMultiplyByFloat64(make(1, 1), -INFINITY)));
    CHECK(CMTIME_IS_INVALID(CMTimeMultiplyByFloat64(kCMTimeZero, INFINITY)));
    CHECK_TIME(CMTimeMultiplyByFloat64(make(INT64_MIN, 65536), 1), INT64_MIN, 65536);
    CHECK_TIME(CMTimeMultiplyByFloat64(make(INT64_MIN, 65536), 0x1p16), INT64_MIN, 1);
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeMultiplyByFloat64(make(INT64_MIN, 65536), -0x1p16)));
    CHECK_ROUNDED(CMTimeMultiplyByFloat64(make(3, 65536), 0.5), 2, 65536);
    CHECK_ROUNDED(CMTimeMultiplyByFloat64(make(-3, 65536), 0.5), -2, 65536);
    CHECK_ROUNDED(CMTimeMultiplyByFloat64(make(1, 65536), 0.25), 0, 65536);
}

static void test_special_sums(void) {
    const CMTime plus = kCMTimePositiveInfinity, minus = kCMTimeNegativeInfinity, one = make(1, 1);
    CHECK(CMTIME_IS_INVALID(CMTimeAdd(kCMTimeInvalid, plus)) && CMTIME_IS_INVALID(CMTimeSubtract(one, kCMTimeInvalid)));
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeAdd(plus, one)) && CMTIME_IS_NEGATIVE_INFINITY(CMTimeAdd(one, minus)));
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeAdd(plus, plus)) && CMTIME_IS_INVALID(CMTimeAdd(plus, minus)));
    CHECK(CMTIME_IS_INVALID(CMTimeSubtract(plus, plus)) && CMTIME_IS_POSITIVE_INFINITY(CMTimeSubtract(plus, minus)));
    CHECK(CMTIME_IS_NEGATIVE_INFINITY(CMTimeSubtract(one, plus)));
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeAdd(kCMTimeIndefinite, plus)));
    CHECK(CMTIME_IS_INDEFINITE(CMTimeAdd(kCMTimeIndefinite, one)));
    /* A timescale that only a client can write. */
    const CMTime broken = {1, 0, kCMTimeFlags_Valid, 0};
    CHECK(CMTIME_IS_INVALID(CMTimeAdd(broken, one)) && isnan(CMTimeGetSeconds(broken)));
    CHECK(CMTIME_IS_INVALID(CMTimeConvertScale(broken, 5, kCMTimeRoundingMethod_Default)));
}

static void test_order(void) {
    const CMTime sorted[] = {kCMTimeNegativeInfinity, make(INT64_MIN, 1), make(-1, 3), kCMTimeZero, make(1, 3),
        make(333333334, 1000000000), make(INT64_MAX, INT32_MAX), make(INT64_MAX, 1), kCMTimeIndefinite,
        kCMTimePositiveInfinity, kCMTimeInvalid};
    for (int i = 0; i < 11; i++)
        for (int j = 0; j < 11; j++) {
            CHECK_EQ(CMTimeCompare(sorted[i], sorted[j]), (i > j) - (i < j));
            CHECK_EQ(CMTIME_COMPARE_INLINE(sorted[i], <=, sorted[j]), i <= j);
            CHECK_EQ(CMTimeCompare(CMTimeMinimum(sorted[i], sorted[j]), sorted[i < j ? i : j]), 0);
            CHECK_EQ(CMTimeCompare(CMTimeMaximum(sorted[i], sorted[j]), sorted[i > j ? i : j]), 0);
        }
    CHECK_EQ(CMTimeCompare(make(3, 4), make(6, 8)), 0);
    CHECK_TIME(CMTimeAbsoluteValue(make(-5, 7)), 5, 7);
    CHECK_TIME(CMTimeAbsoluteValue(make(INT64_MIN, 2)), (int64_t)1 << 62, 1);
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeAbsoluteValue(kCMTimeNegativeInfinity)));
}

static void test_dictionaries(void) {
    const CMTime times[] = {CMTimeMakeWithEpoch(INT64_MIN, 90000, -3), kCMTimeIndefinite, kCMTimeInvalid};
    for (int i = 0; i < 3; i++) {
        CFDictionaryRef dictionary = CMTimeCopyAsDictionary(times[i], kCFAllocatorDefault);
        REQUIRE(dictionary != NULL);
        CHECK_EQ(CFDictionaryGetCount(dictionary), 4);
        const CMTime back = CMTimeMakeFromDictionary(dictionary);
        check_time(back, times[i].value, times[i].timescale, times[i].flags, times[i].epoch, __LINE__);
        CFMutableDictionaryRef changed = CFDictionaryCreateMutableCopy(NULL, 0, dictionary);
        CFDictionarySetValue(changed, CFSTR("timescale"), CFSTR("90000"));
        CHECK(CMTIME_IS_INVALID(CMTimeMakeFromDictionary(changed)));
        CFRelease(changed);
        CFRelease(dictionary);
    }
    CHECK(CMTIME_IS_INVALID(CMTimeMakeFromDictionary(NULL)));
    CHECK(CMTIME_IS_INVALID(CMTimeMakeFromDictionary((CFDictionaryRef)CFSTR("no dictionary"))));
}

static void check_text(CMTime time, const char *expected) {
    char text[100] = "";
    CFStringRef description = CMTimeCopyDescription(NULL, time);
    REQUIRE(description != NULL);
    CFStringGetCString(description, text, sizeof text, kCFStringEncodingUTF8);
    CHECK_STR_EQ(text, expected);
    CFRelease(description);
}

static void test_descriptions(void) {
    check_text(make(10000, 600), "{10000/600 = 16.667}");
    check_text(CMTimeMakeWithSeconds(0.5, 1), "{0/1 = 0.000, rounded}");
    check_text(kCMTimeInvalid, "{INVALID}");
    check_text(kCMTimeIndefinite, "{INDEFINITE}");
    check_text(kCMTimePositiveInfinity, "{+INFINITY}");
    check_text(kCMTimeNegativeInfinity, "{-INFINITY}");
    CMTimeShow(make(1, 2));
}

int main(void) {
    RUN(test_making);
    RUN(test_seconds);
    RUN(test_conversion);
    RUN(test_sums);
    RUN(test_epochs);
    RUN(test_products);
    RUN(test_float_products);
    RUN(test_special_sums);
    RUN(test_order);
    RUN(test_dictionaries);
    RUN(test_descriptions);
    return check_result();
}
