/**
 * @file
 * Rational times, with infinities, an indefinite time and exact arithmetic.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMTIME_H
#define CMTIME_H

#include <CoreMedia/CMBase.h>
#include <stdint.h>

CF_IMPLICIT_BRIDGING_ENABLED

/** The largest timescale. It is too large for the timescale of a file. */
#define kCMTimeMaxTimescale 0x7fffffffL

typedef int64_t CMTimeValue;

/** Units per second; 1 or more in a numeric time. */
typedef int32_t CMTimeScale;

/** The timeline of a time, for example a pass of a loop. Durations have epoch 0. */
typedef int64_t CMTimeEpoch;

/** A time is invalid unless kCMTimeFlags_Valid is set, so zeroed memory contains invalid times. */
typedef CF_OPTIONS(uint32_t, CMTimeFlags) {
    kCMTimeFlags_Valid = 1UL << 0,
    kCMTimeFlags_HasBeenRounded = 1UL << 1,
    kCMTimeFlags_PositiveInfinity = 1UL << 2,
    kCMTimeFlags_NegativeInfinity = 1UL << 3,
    kCMTimeFlags_Indefinite = 1UL << 4,
    kCMTimeFlags_ImpliedValueFlagsMask =
        kCMTimeFlags_PositiveInfinity | kCMTimeFlags_NegativeInfinity | kCMTimeFlags_Indefinite,
};

#pragma pack(push, 4)
/** A time of value / timescale seconds: 24 bytes, aligned to 4. */
typedef struct {
    CMTimeValue value;
    CMTimeScale timescale;
    CMTimeFlags flags;
    CMTimeEpoch epoch;
} CMTime;
#pragma pack(pop)

/**
 * Constant times. To test a time, use the macros below: other times can be invalid, indefinite or
 * infinite too.
 */
CM_EXPORT const CMTime kCMTimeInvalid CF_SWIFT_NAME(CMTime.invalid);
CM_EXPORT const CMTime kCMTimeIndefinite CF_SWIFT_NAME(CMTime.indefinite);
CM_EXPORT const CMTime kCMTimePositiveInfinity CF_SWIFT_NAME(CMTime.positiveInfinity);
CM_EXPORT const CMTime kCMTimeNegativeInfinity CF_SWIFT_NAME(CMTime.negativeInfinity);
CM_EXPORT const CMTime kCMTimeZero CF_SWIFT_NAME(CMTime.zero);

#define CMTIME_IS_VALID(time) ((Boolean)(((time).flags & kCMTimeFlags_Valid) != 0))
#define CMTIME_IS_INVALID(time) (!CMTIME_IS_VALID(time))
#define CMTIME_IS_POSITIVE_INFINITY(time) \
    ((Boolean)(CMTIME_IS_VALID(time) && ((time).flags & kCMTimeFlags_PositiveInfinity) != 0))
#define CMTIME_IS_POSITIVEINFINITY CMTIME_IS_POSITIVE_INFINITY
#define CMTIME_IS_NEGATIVE_INFINITY(time) \
    ((Boolean)(CMTIME_IS_VALID(time) && ((time).flags & kCMTimeFlags_NegativeInfinity) != 0))
#define CMTIME_IS_NEGATIVEINFINITY CMTIME_IS_NEGATIVE_INFINITY
#define CMTIME_IS_INDEFINITE(time) \
    ((Boolean)(CMTIME_IS_VALID(time) && ((time).flags & kCMTimeFlags_Indefinite) != 0))

/** True for a valid time that is neither infinite nor indefinite. */
#define CMTIME_IS_NUMERIC(time) \
    ((Boolean)(((time).flags & (kCMTimeFlags_Valid | kCMTimeFlags_ImpliedValueFlagsMask)) == \
               kCMTimeFlags_Valid))
#define CMTIME_HAS_BEEN_ROUNDED(time) \
    ((Boolean)(CMTIME_IS_NUMERIC(time) && ((time).flags & kCMTimeFlags_HasBeenRounded) != 0))

/** Creates the time value / timescale with epoch 0. It is invalid if the timescale is below 1. */
CM_EXPORT CMTime CMTimeMake(int64_t value, int32_t timescale)
    CF_SWIFT_NAME(CMTimeMake(value:timescale:));

CM_EXPORT CMTime CMTimeMakeWithEpoch(int64_t value, int32_t timescale, int64_t epoch)
    CF_SWIFT_NAME(CMTimeMakeWithEpoch(value:timescale:epoch:));

/**
 * Creates a time of `seconds` in units of preferredTimescale, rounded towards zero. The timescale
 * is halved while the value would overflow; if 1 is not enough, the result is infinite.
 * HasBeenRounded is set if the result in seconds is not `seconds`. The result is invalid for NaN
 * and for a timescale below 1.
 */
CM_EXPORT CMTime CMTimeMakeWithSeconds(Float64 seconds, int32_t preferredTimescale)
    CF_SWIFT_NAME(CMTimeMakeWithSeconds(_:preferredTimescale:));

/** Returns the time in seconds; NaN for an invalid time and for the indefinite one. */
CM_EXPORT Float64 CMTimeGetSeconds(CMTime time);

typedef CF_ENUM(uint32_t, CMTimeRoundingMethod) {
    kCMTimeRoundingMethod_RoundHalfAwayFromZero = 1,
    kCMTimeRoundingMethod_RoundTowardZero = 2,
    kCMTimeRoundingMethod_RoundAwayFromZero = 3,
    /**
     * Rounds towards zero to a smaller timescale, away from zero to a larger one. A negative time
     * never becomes 0.
     */
    kCMTimeRoundingMethod_QuickTime = 4,
    kCMTimeRoundingMethod_RoundTowardPositiveInfinity = 5,
    kCMTimeRoundingMethod_RoundTowardNegativeInfinity = 6,

    kCMTimeRoundingMethod_Default = kCMTimeRoundingMethod_RoundHalfAwayFromZero,
};

/**
 * Converts `time` to another timescale. HasBeenRounded is set if the result differs from `time`.
 * The result is infinite if it overflows. A time that is not numeric is returned unchanged. The
 * result is invalid for a timescale below 1 and for an unknown method.
 */
CM_EXPORT CMTime CMTimeConvertScale(CMTime time, int32_t newTimescale, CMTimeRoundingMethod method)
    CF_SWIFT_NAME(CMTimeConvertScale(_:timescale:method:));

/**
 * Return the sum and the difference. The timescale is the least common multiple of both timescales.
 * If the multiple exceeds kCMTimeMaxTimescale, the timescale is that, and the result is rounded
 * half away from zero. The timescale is halved while the value would overflow; if 1 is not enough,
 * the result is infinite. The result is invalid for infinities that cancel out, and for two
 * different epochs other than 0. Its epoch is 0 for equal epochs, otherwise the epoch that is not
 * 0.
 */
CM_EXPORT CMTime CMTimeAdd(CMTime lhs, CMTime rhs);
CM_EXPORT CMTime CMTimeSubtract(CMTime lhs, CMTime rhs);

/**
 * Returns time * multiplier in the timescale of `time`, which is halved while the value would
 * overflow.
 */
CM_EXPORT CMTime CMTimeMultiply(CMTime time, int32_t multiplier)
    CF_SWIFT_NAME(CMTimeMultiply(_:multiplier:));

/**
 * Returns time * multiplier. For precision, a timescale below 65536 is first doubled until it is
 * not.
 */
CM_EXPORT CMTime CMTimeMultiplyByFloat64(CMTime time, Float64 multiplier)
    CF_SWIFT_NAME(CMTimeMultiplyByFloat64(_:multiplier:));

/**
 * Returns time * multiplier / divisor. The result is exact if the timescale that it needs is not
 * above kCMTimeMaxTimescale. It is invalid for divisor 0.
 */
CM_EXPORT CMTime CMTimeMultiplyByRatio(CMTime time, int32_t multiplier, int32_t divisor)
    CF_SWIFT_NAME(CMTimeMultiplyByRatio(_:multiplier:divisor:));

/**
 * Returns -1, 0 or 1 if time1 is less than, equal to or greater than time2. The order is -infinity
 * < numeric < indefinite < +infinity < invalid. A numeric time with a greater epoch is greater.
 */
CM_EXPORT int32_t CMTimeCompare(CMTime time1, CMTime time2);

/** Compares two times with an operator, for example CMTIME_COMPARE_INLINE(time1, <=, time2). */
#define CMTIME_COMPARE_INLINE(time1, comparator, time2) \
    ((Boolean)(CMTimeCompare(time1, time2) comparator 0))

CM_EXPORT CMTime CMTimeMinimum(CMTime time1, CMTime time2);
CM_EXPORT CMTime CMTimeMaximum(CMTime time1, CMTime time2);
CM_EXPORT CMTime CMTimeAbsoluteValue(CMTime time);

/** Returns a dictionary with the four keys below, which the caller releases. */
CM_EXPORT CFDictionaryRef _Nullable CMTimeCopyAsDictionary(
    CMTime time, CFAllocatorRef _Nullable allocator)
    CF_SWIFT_NAME(CMTimeCopyAsDictionary(_:allocator:));

/**
 * Returns the time of a dictionary. It is invalid for NULL, and without a value, a timescale or
 * flags.
 */
CM_EXPORT CMTime CMTimeMakeFromDictionary(CFDictionaryRef _Nullable dictionaryRepresentation);

CM_EXPORT const CFStringRef _Nonnull kCMTimeValueKey;
CM_EXPORT const CFStringRef _Nonnull kCMTimeScaleKey;
CM_EXPORT const CFStringRef _Nonnull kCMTimeEpochKey;
CM_EXPORT const CFStringRef _Nonnull kCMTimeFlagsKey;

/** Returns a readable form such as "{3000/600 = 5.000}", which the caller releases. */
CM_EXPORT CFStringRef _Nullable CMTimeCopyDescription(
    CFAllocatorRef _Nullable allocator, CMTime time)
    CF_SWIFT_NAME(CMTimeCopyDescription(allocator:time:));

/** Prints the readable form to standard error. */
CM_EXPORT void CMTimeShow(CMTime time);

CF_IMPLICIT_BRIDGING_DISABLED

#endif
