#include <CoreMedia/CMTimeRange.h>

#include "../../Support/constant.h"
#include "rational.h"

#define INVALID_RANGE {{0, 0, 0, 0}, {0, 0, 0, 0}}

const CMTimeRange kCMTimeRangeZero = {{0, 1, kCMTimeFlags_Valid, 0}, {0, 1, kCMTimeFlags_Valid, 0}};
const CMTimeRange kCMTimeRangeInvalid = INVALID_RANGE;
const CMTimeMapping kCMTimeMappingInvalid = {INVALID_RANGE, INVALID_RANGE};

NALU_CONSTANT(kCMTimeRangeStartKey, "start");
NALU_CONSTANT(kCMTimeRangeDurationKey, "duration");
NALU_CONSTANT(kCMTimeMappingSourceKey, "source");
NALU_CONSTANT(kCMTimeMappingTargetKey, "target");

CMTimeRange CMTimeRangeMake(CMTime start, CMTime duration) { return (CMTimeRange){start, duration}; }

CMTimeRange CMTimeRangeFromTimeToTime(CMTime start, CMTime end) {
    return CMTimeRangeMake(start, CMTimeSubtract(end, start));
}

CMTime CMTimeRangeGetEnd(CMTimeRange range) {
    return CMTIMERANGE_IS_VALID(range) ? CMTimeAdd(range.start, range.duration) : kCMTimeInvalid;
}

CMTimeRange CMTimeRangeGetUnion(CMTimeRange range, CMTimeRange otherRange) {
    if (CMTIMERANGE_IS_INVALID(range) || CMTIMERANGE_IS_INVALID(otherRange)) return kCMTimeRangeInvalid;
    const CMTime end = CMTimeMaximum(CMTimeRangeGetEnd(range), CMTimeRangeGetEnd(otherRange));
    return CMTimeRangeFromTimeToTime(CMTimeMinimum(range.start, otherRange.start), end);
}

CMTimeRange CMTimeRangeGetIntersection(CMTimeRange range, CMTimeRange otherRange) {
    if (CMTIMERANGE_IS_INVALID(range) || CMTIMERANGE_IS_INVALID(otherRange)) return kCMTimeRangeInvalid;
    const CMTime start = CMTimeMaximum(range.start, otherRange.start);
    const CMTime end = CMTimeMinimum(CMTimeRangeGetEnd(range), CMTimeRangeGetEnd(otherRange));
    return CMTimeCompare(start, end) < 0 ? CMTimeRangeFromTimeToTime(start, end) : kCMTimeRangeZero;
}

Boolean CMTimeRangeEqual(CMTimeRange range1, CMTimeRange range2) {
    return CMTimeCompare(range1.start, range2.start) == 0 && CMTimeCompare(range1.duration, range2.duration) == 0;
}

Boolean CMTimeRangeContainsTime(CMTimeRange range, CMTime time) {
    return CMTIMERANGE_IS_VALID(range) && CMTIME_IS_VALID(time) && CMTimeCompare(range.start, time) <= 0
        && CMTimeCompare(time, CMTimeRangeGetEnd(range)) < 0;
}

Boolean CMTimeRangeContainsTimeRange(CMTimeRange range, CMTimeRange otherRange) {
    return CMTIMERANGE_IS_VALID(range) && CMTIMERANGE_IS_VALID(otherRange)
        && CMTimeCompare(range.start, otherRange.start) <= 0
        && CMTimeCompare(CMTimeRangeGetEnd(otherRange), CMTimeRangeGetEnd(range)) <= 0;
}

CMTime CMTimeClampToRange(CMTime time, CMTimeRange range) {
    if (CMTIMERANGE_IS_INVALID(range) || CMTIME_IS_INVALID(time)) return kCMTimeInvalid;
    return CMTimeMinimum(CMTimeMaximum(time, range.start), CMTimeRangeGetEnd(range));
}

CMTime CMTimeMapDurationFromRangeToRange(CMTime dur, CMTimeRange fromRange, CMTimeRange toRange) {
    if (CMTIMERANGE_IS_INVALID(fromRange) || CMTIMERANGE_IS_INVALID(toRange)) return kCMTimeInvalid;
    const CMTime from = fromRange.duration, to = toRange.duration;
    if (CMTimeCompare(from, to) == 0) return dur;
    if (nalu_time_get_kind(from) != nalu_time_kind_numeric || nalu_time_get_kind(to) != nalu_time_kind_numeric || from.value == 0)
        return kCMTimeInvalid;
    if (nalu_time_get_kind(dur) != nalu_time_kind_numeric) return nalu_time_of_kind(nalu_time_get_kind(dur));
    return nalu_time_multiply_by_fraction(dur, (__int128)to.value * from.timescale, (__int128)from.value * to.timescale);
}

CMTime CMTimeMapTimeFromRangeToRange(CMTime t, CMTimeRange fromRange, CMTimeRange toRange) {
    if (CMTIMERANGE_IS_INVALID(fromRange) || CMTIMERANGE_IS_INVALID(toRange)) return kCMTimeInvalid;
    const CMTime offset = CMTimeSubtract(t, fromRange.start);
    return CMTimeAdd(CMTimeMapDurationFromRangeToRange(offset, fromRange, toRange), toRange.start);
}

CMTime CMTimeFoldIntoRange(CMTime time, CMTimeRange foldRange) {
    if (CMTIMERANGE_IS_INVALID(foldRange)) return kCMTimeInvalid;
    const CMTime offset = CMTimeSubtract(time, foldRange.start), duration = foldRange.duration;
    if (nalu_time_get_kind(offset) != nalu_time_kind_numeric) return nalu_time_of_kind(nalu_time_get_kind(offset));
    if (nalu_time_get_kind(duration) != nalu_time_kind_numeric) return time;
    if (duration.value == 0) return foldRange.start;
    const int64_t scale = nalu_time_common_scale(offset.timescale, duration.timescale);
    const __int128 period = (__int128)duration.value * (scale / duration.timescale);
    __int128 rest = (__int128)offset.value * (scale / offset.timescale) % period;
    if (rest < 0) rest += period;
    const CMTimeFlags flags = offset.flags | duration.flags;
    return CMTimeAdd(nalu_time_from_fraction(rest, scale, flags, 0), foldRange.start);
}

static CFDictionaryRef copy_pair(CFAllocatorRef allocator, CFStringRef key1, CFDictionaryRef value1, CFStringRef key2,
    CFDictionaryRef value2) {
    const void *keys[] = {key1, key2}, *values[] = {value1, value2};
    CFDictionaryRef dictionary = NULL;
    if (value1 && value2)
        dictionary = CFDictionaryCreate(
            allocator, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (value1) CFRelease(value1);
    if (value2) CFRelease(value2);
    return dictionary;
}

static CFDictionaryRef get_part(CFDictionaryRef dictionary, CFStringRef key) {
    if (!dictionary || CFGetTypeID(dictionary) != CFDictionaryGetTypeID()) return NULL;
    return CFDictionaryGetValue(dictionary, key);
}

CFDictionaryRef CMTimeRangeCopyAsDictionary(CMTimeRange range, CFAllocatorRef allocator) {
    return copy_pair(allocator, kCMTimeRangeStartKey, CMTimeCopyAsDictionary(range.start, allocator),
        kCMTimeRangeDurationKey, CMTimeCopyAsDictionary(range.duration, allocator));
}

CMTimeRange CMTimeRangeMakeFromDictionary(CFDictionaryRef dictionaryRepresentation) {
    return CMTimeRangeMake(CMTimeMakeFromDictionary(get_part(dictionaryRepresentation, kCMTimeRangeStartKey)),
        CMTimeMakeFromDictionary(get_part(dictionaryRepresentation, kCMTimeRangeDurationKey)));
}

static CFStringRef copy_description(CFAllocatorRef allocator, CFStringRef first, CFStringRef second) {
    CFStringRef description = NULL;
    if (first && second) description = CFStringCreateWithFormat(allocator, NULL, CFSTR("{%@, %@}"), first, second);
    if (first) CFRelease(first);
    if (second) CFRelease(second);
    return description;
}

static void show(CFStringRef description) {
    if (description) CFShow(description);
    if (description) CFRelease(description);
}

CFStringRef CMTimeRangeCopyDescription(CFAllocatorRef allocator, CMTimeRange range) {
    return copy_description(
        allocator, CMTimeCopyDescription(allocator, range.start), CMTimeCopyDescription(allocator, range.duration));
}

void CMTimeRangeShow(CMTimeRange range) { show(CMTimeRangeCopyDescription(NULL, range)); }

CMTimeMapping CMTimeMappingMake(CMTimeRange source, CMTimeRange target) { return (CMTimeMapping){source, target}; }

CMTimeMapping CMTimeMappingMakeEmpty(CMTimeRange target) { return CMTimeMappingMake(kCMTimeRangeInvalid, target); }

CFDictionaryRef CMTimeMappingCopyAsDictionary(CMTimeMapping mapping, CFAllocatorRef allocator) {
    return copy_pair(allocator, kCMTimeMappingSourceKey, CMTimeRangeCopyAsDictionary(mapping.source, allocator),
        kCMTimeMappingTargetKey, CMTimeRangeCopyAsDictionary(mapping.target, allocator));
}

CMTimeMapping CMTimeMappingMakeFromDictionary(CFDictionaryRef dictionaryRepresentation) {
    return CMTimeMappingMake(CMTimeRangeMakeFromDictionary(get_part(dictionaryRepresentation, kCMTimeMappingSourceKey)),
        CMTimeRangeMakeFromDictionary(get_part(dictionaryRepresentation, kCMTimeMappingTargetKey)));
}

CFStringRef CMTimeMappingCopyDescription(CFAllocatorRef allocator, CMTimeMapping mapping) {
    return copy_description(allocator, CMTimeRangeCopyDescription(allocator, mapping.source),
        CMTimeRangeCopyDescription(allocator, mapping.target));
}

void CMTimeMappingShow(CMTimeMapping mapping) { show(CMTimeMappingCopyDescription(NULL, mapping)); }
