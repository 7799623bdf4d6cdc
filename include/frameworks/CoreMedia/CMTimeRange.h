/**
 * @file
 * Ranges of times, and mappings of one range to another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMTIMERANGE_H
#define CMTIMERANGE_H

#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMTime.h>

CF_IMPLICIT_BRIDGING_ENABLED

#pragma pack(push, 4)
/** A range that includes its start and excludes its end: 48 bytes, aligned to 4. */
typedef struct {
    CMTime start;
    CMTime duration;
} CMTimeRange;

/** A mapping of a part of a source to the target. An empty part has an invalid source. */
typedef struct {
    CMTimeRange source;
    CMTimeRange target;
} CMTimeMapping;
#pragma pack(pop)

/** A range is valid if both times are valid, and the duration is not negative and has epoch 0. */
#define CMTIMERANGE_IS_VALID(range) \
    ((Boolean)(CMTIME_IS_VALID((range).start) && CMTIME_IS_VALID((range).duration) && \
               (range).duration.epoch == 0 && (range).duration.value >= 0))
#define CMTIMERANGE_IS_INVALID(range) (!CMTIMERANGE_IS_VALID(range))
#define CMTIMERANGE_IS_INDEFINITE(range) \
    ((Boolean)(CMTIMERANGE_IS_VALID(range) && \
               (CMTIME_IS_INDEFINITE((range).start) || CMTIME_IS_INDEFINITE((range).duration))))
#define CMTIMERANGE_IS_EMPTY(range) \
    ((Boolean)(CMTIMERANGE_IS_VALID(range) && CMTimeCompare((range).duration, kCMTimeZero) == 0))
#define CMTIMEMAPPING_IS_VALID(mapping) ((Boolean)(CMTIMERANGE_IS_VALID((mapping).target)))
#define CMTIMEMAPPING_IS_INVALID(mapping) (!CMTIMEMAPPING_IS_VALID(mapping))
#define CMTIMEMAPPING_IS_EMPTY(mapping) \
    ((Boolean)(CMTIMEMAPPING_IS_VALID(mapping) && !CMTIME_IS_NUMERIC((mapping).source.start)))

CM_EXPORT const CMTimeRange kCMTimeRangeZero CF_SWIFT_NAME(CMTimeRange.zero);
CM_EXPORT const CMTimeRange kCMTimeRangeInvalid CF_SWIFT_NAME(CMTimeRange.invalid);
CM_EXPORT const CMTimeMapping kCMTimeMappingInvalid CF_SWIFT_NAME(CMTimeMapping.invalid);

CM_EXPORT CMTimeRange CMTimeRangeMake(CMTime start, CMTime duration)
    CF_SWIFT_NAME(CMTimeRangeMake(start:duration:));

/** Returns the union; kCMTimeRangeInvalid if one of the ranges is invalid. */
CM_EXPORT CMTimeRange CMTimeRangeGetUnion(CMTimeRange range, CMTimeRange otherRange)
    CF_SWIFT_NAME(CMTimeRangeGetUnion(_:otherRange:));

/** Returns the intersection; kCMTimeRangeZero if the ranges have no time in common. */
CM_EXPORT CMTimeRange CMTimeRangeGetIntersection(CMTimeRange range, CMTimeRange otherRange)
    CF_SWIFT_NAME(CMTimeRangeGetIntersection(_:otherRange:));

CM_EXPORT Boolean CMTimeRangeEqual(CMTimeRange range1, CMTimeRange range2);
CM_EXPORT Boolean CMTimeRangeContainsTime(CMTimeRange range, CMTime time)
    CF_SWIFT_NAME(CMTimeRangeContainsTime(_:time:));

/** Returns true if `range` contains all of `otherRange`. */
CM_EXPORT Boolean CMTimeRangeContainsTimeRange(CMTimeRange range, CMTimeRange otherRange)
    CF_SWIFT_NAME(CMTimeRangeContainsTimeRange(_:otherRange:));

/** Returns the first time after the range. */
CM_EXPORT CMTime CMTimeRangeGetEnd(CMTimeRange range);

/** Returns the time in toRange that corresponds to `t` in fromRange. */
CM_EXPORT CMTime CMTimeMapTimeFromRangeToRange(CMTime t, CMTimeRange fromRange, CMTimeRange toRange)
    CF_SWIFT_NAME(CMTimeMapTimeFromRangeToRange(_:fromRange:toRange:));

/** Returns the time in the range that is nearest to `time`; for an empty range, its start. */
CM_EXPORT CMTime CMTimeClampToRange(CMTime time, CMTimeRange range)
    CF_SWIFT_NAME(CMTimeClampToRange(_:range:));

/** Scales a duration by the ratio of the durations of toRange and fromRange. */
CM_EXPORT CMTime CMTimeMapDurationFromRangeToRange(
    CMTime dur, CMTimeRange fromRange, CMTimeRange toRange)
    CF_SWIFT_NAME(CMTimeMapDurationFromRangeToRange(_:fromRange:toRange:));

/** Returns the time in the range that corresponds to `time` if the range repeats for ever. */
CM_EXPORT CMTime CMTimeFoldIntoRange(CMTime time, CMTimeRange foldRange)
    CF_SWIFT_NAME(CMTimeFoldIntoRange(_:foldRange:));

CM_EXPORT CMTimeRange CMTimeRangeFromTimeToTime(CMTime start, CMTime end)
    CF_SWIFT_NAME(CMTimeRangeFromTimeToTime(start:end:));

/**
 * Dictionaries and readable forms, which the caller releases. CMTimeRangeMakeFromDictionary returns
 * an invalid range for NULL and for an incomplete dictionary. CMTimeRangeShow prints to standard
 * error.
 */
CM_EXPORT CFDictionaryRef _Nullable CMTimeRangeCopyAsDictionary(
    CMTimeRange range, CFAllocatorRef _Nullable allocator)
    CF_SWIFT_NAME(CMTimeRangeCopyAsDictionary(_:allocator:));
CM_EXPORT CMTimeRange CMTimeRangeMakeFromDictionary(
    CFDictionaryRef _Nullable dictionaryRepresentation);
CM_EXPORT CFStringRef _Nullable CMTimeRangeCopyDescription(
    CFAllocatorRef _Nullable allocator, CMTimeRange range)
    CF_SWIFT_NAME(CMTimeRangeCopyDescription(allocator:range:));
CM_EXPORT void CMTimeRangeShow(CMTimeRange range);

CM_EXPORT const CFStringRef _Nonnull kCMTimeRangeStartKey;
CM_EXPORT const CFStringRef _Nonnull kCMTimeRangeDurationKey;

CM_EXPORT CMTimeMapping CMTimeMappingMake(CMTimeRange source, CMTimeRange target)
    CF_SWIFT_NAME(CMTimeMappingMake(source:target:));
CM_EXPORT CMTimeMapping CMTimeMappingMakeEmpty(CMTimeRange target)
    CF_SWIFT_NAME(CMTimeMappingMakeEmpty(target:));
CM_EXPORT CFDictionaryRef _Nullable CMTimeMappingCopyAsDictionary(
    CMTimeMapping mapping, CFAllocatorRef _Nullable allocator)
    CF_SWIFT_NAME(CMTimeMappingCopyAsDictionary(_:allocator:));
CM_EXPORT CMTimeMapping CMTimeMappingMakeFromDictionary(
    CFDictionaryRef _Nullable dictionaryRepresentation);
CM_EXPORT CFStringRef _Nullable CMTimeMappingCopyDescription(
    CFAllocatorRef _Nullable allocator, CMTimeMapping mapping)
    CF_SWIFT_NAME(CMTimeMappingCopyDescription(allocator:mapping:));
CM_EXPORT void CMTimeMappingShow(CMTimeMapping mapping);

CM_EXPORT const CFStringRef _Nonnull kCMTimeMappingSourceKey;
CM_EXPORT const CFStringRef _Nonnull kCMTimeMappingTargetKey;

CF_IMPLICIT_BRIDGING_DISABLED

#endif
