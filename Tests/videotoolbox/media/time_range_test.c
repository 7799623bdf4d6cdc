/* CMTimeRange and CMTimeMapping: layout, union, intersection, containment, mapping, folding, dictionaries. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <stddef.h>

_Static_assert(sizeof(CMTimeRange) == 48 && _Alignof(CMTimeRange) == 4, "CMTimeRange is packed to 4 bytes");
_Static_assert(sizeof(CMTimeMapping) == 96 && offsetof(CMTimeMapping, target) == 48, "CMTimeMapping is packed");

static CMTime at(int64_t value, int32_t timescale) { return CMTimeMake(value, timescale); }

static CMTimeRange range(int64_t start, int64_t end) { return CMTimeRangeFromTimeToTime(at(start, 10), at(end, 10)); }

static void test_making(void) {
    CHECK(CMTimeCompare(range(5, 8).duration, at(3, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeRangeGetEnd(CMTimeRangeMake(at(1, 2), at(1, 3))), at(5, 6)) == 0);
    CHECK(CMTIMERANGE_IS_VALID(kCMTimeRangeZero) && CMTIMERANGE_IS_EMPTY(kCMTimeRangeZero));
    CHECK(CMTIMERANGE_IS_INVALID(kCMTimeRangeInvalid) && CMTIMERANGE_IS_INVALID(range(5, 4)));
    CHECK(CMTIMERANGE_IS_INDEFINITE(CMTimeRangeMake(kCMTimeZero, kCMTimeIndefinite)));
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeMake(kCMTimeZero, CMTimeMakeWithEpoch(1, 1, 1))));
    CHECK(CMTIME_IS_INVALID(CMTimeRangeGetEnd(kCMTimeRangeInvalid)));
    CHECK(CMTIME_IS_POSITIVE_INFINITY(CMTimeRangeGetEnd(CMTimeRangeMake(at(1, 1), kCMTimePositiveInfinity))));
}

static void test_sets(void) {
    CHECK(CMTimeRangeEqual(CMTimeRangeGetUnion(range(0, 4), range(6, 9)), range(0, 9)));
    CHECK(CMTimeRangeEqual(CMTimeRangeGetIntersection(range(0, 7), range(6, 9)), range(6, 7)));
    CHECK(CMTimeRangeEqual(CMTimeRangeGetIntersection(range(0, 6), range(6, 9)), kCMTimeRangeZero));
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeGetUnion(range(0, 6), kCMTimeRangeInvalid)));
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeGetIntersection(kCMTimeRangeInvalid, range(0, 6))));
    CHECK(!CMTimeRangeEqual(range(0, 4), range(0, 5)) && CMTimeRangeEqual(range(1, 2), range(1, 2)));

    CHECK(CMTimeRangeContainsTime(range(2, 4), at(2, 10)) && CMTimeRangeContainsTime(range(2, 4), at(399, 1000)));
    CHECK(!CMTimeRangeContainsTime(range(2, 4), at(4, 10)) && !CMTimeRangeContainsTime(range(2, 4), at(199, 1000)));
    CHECK(!CMTimeRangeContainsTime(range(2, 2), at(2, 10)) && !CMTimeRangeContainsTime(range(2, 4), kCMTimeInvalid));
    CHECK(CMTimeRangeContainsTimeRange(range(0, 9), range(0, 9)) && CMTimeRangeContainsTimeRange(range(0, 9), range(3, 4)));
    CHECK(!CMTimeRangeContainsTimeRange(range(0, 9), range(3, 10)));
    CHECK(!CMTimeRangeContainsTimeRange(range(1, 9), range(0, 2)));
}

static void test_mapping(void) {
    const CMTimeRange from = range(10, 20), to = range(100, 130);
    CHECK(CMTimeCompare(CMTimeMapTimeFromRangeToRange(at(10, 10), from, to), at(100, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeMapTimeFromRangeToRange(at(20, 10), from, to), at(130, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeMapTimeFromRangeToRange(at(0, 10), from, to), at(70, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeMapDurationFromRangeToRange(at(1, 1), to, from), at(1, 3)) == 0);
    CHECK(!CMTIME_HAS_BEEN_ROUNDED(CMTimeMapDurationFromRangeToRange(at(1, 1), to, from)));
    CHECK(CMTimeCompare(CMTimeMapTimeFromRangeToRange(at(7, 10), from, range(3, 13)), at(0, 1)) == 0);
    CHECK(CMTIME_IS_INVALID(CMTimeMapTimeFromRangeToRange(at(1, 1), range(1, 1), to)));
    CHECK(CMTIME_IS_INVALID(CMTimeMapTimeFromRangeToRange(at(1, 1), kCMTimeRangeInvalid, to)));
    /* The result is exact if products have more than 64 bits. */
    const CMTimeRange long1 = CMTimeRangeMake(kCMTimeZero, at(INT64_MAX, 1000000007));
    const CMTimeRange long2 = CMTimeRangeMake(kCMTimeZero, at(INT64_MAX - 1, 1000000007));
    const CMTime mapped = CMTimeMapTimeFromRangeToRange(at(INT64_MAX, 1000000007), long1, long2);
    CHECK(CMTimeCompare(mapped, long2.duration) == 0);
}

static void test_clamping_and_folding(void) {
    CHECK(CMTimeCompare(CMTimeClampToRange(at(1, 10), range(2, 4)), at(2, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeClampToRange(at(3, 10), range(2, 4)), at(3, 10)) == 0);
    CHECK(CMTimeCompare(CMTimeClampToRange(at(9, 10), range(2, 4)), at(4, 10)) == 0);
    CHECK(CMTIME_IS_INVALID(CMTimeClampToRange(kCMTimeInvalid, range(2, 4))));
    for (int64_t value = -50; value < 50; value++) {
        const int64_t expected = 3 + (((value - 3) % 7) + 7) % 7;
        CHECK_EQ(CMTimeCompare(CMTimeFoldIntoRange(at(value, 10), range(3, 10)), at(expected, 10)), 0);
    }
    CHECK(CMTimeCompare(CMTimeFoldIntoRange(at(9, 10), range(3, 3)), at(3, 10)) == 0);
    CHECK(CMTIME_IS_INVALID(CMTimeFoldIntoRange(at(9, 10), kCMTimeRangeInvalid)));
}

static void test_dictionaries(void) {
    const CMTimeMapping mapping = CMTimeMappingMake(range(1, 2), range(3, 5));
    CFDictionaryRef dictionary = CMTimeMappingCopyAsDictionary(mapping, NULL);
    REQUIRE(dictionary != NULL);
    const CMTimeMapping back = CMTimeMappingMakeFromDictionary(dictionary);
    CHECK(memcmp(&back, &mapping, sizeof back) == 0);
    CHECK(CFDictionaryContainsKey(dictionary, CFSTR("source")) && CFDictionaryContainsKey(dictionary, kCMTimeMappingTargetKey));
    /* The dictionary has neither a start nor a duration. */
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeMakeFromDictionary(dictionary)));
    CFRelease(dictionary);
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeMakeFromDictionary(NULL)));
    CHECK(CMTIMERANGE_IS_INVALID(CMTimeRangeMakeFromDictionary((CFDictionaryRef)CFSTR("text"))));
    CHECK(CMTIMEMAPPING_IS_INVALID(CMTimeMappingMakeFromDictionary(NULL)));
    CHECK(CMTIMEMAPPING_IS_INVALID(kCMTimeMappingInvalid));
    CHECK(CMTIMEMAPPING_IS_EMPTY(CMTimeMappingMakeEmpty(range(0, 3))) && !CMTIMEMAPPING_IS_EMPTY(mapping));
}

static void test_descriptions(void) {
    char text[200] = "";
    CFStringRef description = CMTimeMappingCopyDescription(NULL, CMTimeMappingMake(range(1, 2), kCMTimeRangeInvalid));
    REQUIRE(description != NULL);
    CFStringGetCString(description, text, sizeof text, kCFStringEncodingUTF8);
    CHECK_STR_EQ(text, "{{{1/10 = 0.100}, {1/10 = 0.100}}, {{INVALID}, {INVALID}}}");
    CFRelease(description);
    CMTimeRangeShow(range(1, 2));
    CMTimeMappingShow(kCMTimeMappingInvalid);
}

int main(void) {
    RUN(test_making);
    RUN(test_sets);
    RUN(test_mapping);
    RUN(test_clamping_and_folding);
    RUN(test_dictionaries);
    RUN(test_descriptions);
    return check_result();
}
