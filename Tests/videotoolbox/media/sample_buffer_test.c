/* CMSampleBuffer: parts, times, sizes, attachments, readiness, copies and ranges, images, wrong arguments. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>
#include <pthread.h>

static int freed;
static void count_free(void *context, void *block, size_t size) {
    (void)context, (void)size;
    freed++;
    free(block);
}

/* A buffer of "abcdefghij", whose release is counted. */
static CMBlockBufferRef create_letters(void) {
    const CMBlockBufferCustomBlockSource source = {.FreeBlock = count_free};
    CMBlockBufferRef data = NULL;
    char *bytes = malloc(10);
    memcpy(bytes, "abcdefghij", 10);
    REQUIRE(CMBlockBufferCreateWithMemoryBlock(NULL, bytes, 10, NULL, &source, 0, 10, 0, &data) == noErr);
    return data;
}

static CMFormatDescriptionRef create_format(void) {
    CMFormatDescriptionRef format = NULL;
    REQUIRE(CMVideoFormatDescriptionCreate(NULL, 'avc1', 16, 16, NULL, &format) == noErr);
    return format;
}

/* Returns true if two times have the same bits. */
static bool same(CMTime a, CMTime b) { return memcmp(&a, &b, sizeof a) == 0; }

static CMSampleTimingInfo timing(CMTime duration, CMTime presentation, CMTime decode) {
    return (CMSampleTimingInfo){duration, presentation, decode};
}

/* A buffer of four samples of 1, 2, 3 and 4 letters in decode order. Their presentation times are 0, 2, 1 and 3 frames
 * of a 25th of a second. */
static CMSampleBufferRef create_four(void) {
    CMBlockBufferRef data = create_letters();
    CMFormatDescriptionRef format = create_format();
    CMSampleTimingInfo timings[4];
    static const int frames[4] = {0, 2, 1, 3};
    static const size_t sizes[4] = {1, 2, 3, 4};
    for (int i = 0; i < 4; i++) timings[i] = timing(CMTimeMake(1, 25), CMTimeMake(frames[i], 25), CMTimeMake(i, 25));
    CMSampleBufferRef buffer = NULL;
    REQUIRE(CMSampleBufferCreateReady(NULL, data, format, 4, 4, timings, 4, sizes, &buffer) == noErr);
    CFRelease(data);
    CFRelease(format);
    return buffer;
}

static void check_letters(CMSampleBufferRef buffer, const char *letters) {
    CMBlockBufferRef data = CMSampleBufferGetDataBuffer(buffer);
    char copy[11] = {0};
    REQUIRE(data != NULL);
    REQUIRE(CHECK_EQ(CMBlockBufferGetDataLength(data), strlen(letters)));
    CHECK_EQ(CMBlockBufferCopyDataBytes(data, 0, strlen(letters), copy), noErr);
    CHECK(strcmp(copy, letters) == 0);
}

/* Behaviour 22: value and timescale are returned bit for bit, and an invalid duration stays invalid. */
static void test_one_sample(void) {
    freed = 0;
    CMBlockBufferRef data = create_letters();
    CMFormatDescriptionRef format = create_format();
    const CMTime odd = {123456789012345, 1000000007, kCMTimeFlags_Valid | kCMTimeFlags_HasBeenRounded, 3};
    const CMSampleTimingInfo info = timing(kCMTimeInvalid, odd, CMTimeMake(-7, 90000));
    const size_t size = 10;
    CMSampleBufferRef buffer = NULL;
    REQUIRE(CMSampleBufferCreate(NULL, data, true, NULL, NULL, format, 1, 1, &info, 1, &size, &buffer) == noErr);
    CHECK_EQ(CFGetTypeID(buffer), CMSampleBufferGetTypeID());
    CHECK(CMSampleBufferIsValid(buffer) && CMSampleBufferDataIsReady(buffer));
    CHECK_EQ(CMSampleBufferGetNumSamples(buffer), 1);
    CHECK_PTR_EQ(CMSampleBufferGetDataBuffer(buffer), data);
    CHECK(CMSampleBufferGetImageBuffer(buffer) == NULL);
    CHECK_PTR_EQ(CMSampleBufferGetFormatDescription(buffer), format);
    CFRelease(data);
    CFRelease(format);
    CHECK(same(CMSampleBufferGetPresentationTimeStamp(buffer), odd));
    CHECK(same(CMSampleBufferGetOutputPresentationTimeStamp(buffer), odd));
    CHECK(same(CMSampleBufferGetDecodeTimeStamp(buffer), info.decodeTimeStamp));
    CHECK(same(CMSampleBufferGetOutputDecodeTimeStamp(buffer), info.decodeTimeStamp));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDuration(buffer)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetOutputDuration(buffer)));
    CMSampleTimingInfo found, array[1];
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, 0, &found), noErr);
    CHECK(memcmp(&found, &info, sizeof info) == 0);
    CHECK_EQ(CMSampleBufferGetOutputSampleTimingInfoArray(buffer, 1, array, NULL), noErr);
    CHECK(memcmp(array, &info, sizeof info) == 0);
    /* Behaviour 29: the total size is the length of the data. */
    CHECK_EQ(CMSampleBufferGetTotalSampleSize(buffer), 10);
    CHECK_EQ(CMSampleBufferGetSampleSize(buffer, 0), 10);
    CHECK_EQ(freed, 0);
    CFRelease(buffer);
    CHECK_EQ(freed, 1);
    CHECK_EQ(sizeof(CMSampleTimingInfo), 72);
}

static void test_times_of_several(void) {
    CMSampleBufferRef buffer = create_four();
    CMSampleTimingInfo array[4], info;
    CMItemCount needed = 0;
    CHECK(same(CMSampleBufferGetDuration(buffer), CMTimeMake(4, 25)));
    CHECK(same(CMSampleBufferGetPresentationTimeStamp(buffer), CMTimeMake(0, 25)));
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(buffer, 0, NULL, &needed), noErr);
    CHECK_EQ(needed, 4);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(buffer, 3, array, &needed), kCMSampleBufferError_ArrayTooSmall);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(buffer, 4, array, NULL), noErr);
    CHECK(same(array[1].presentationTimeStamp, CMTimeMake(2, 25)) && same(array[3].decodeTimeStamp, CMTimeMake(3, 25)));
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, 4, &info), kCMSampleBufferError_SampleIndexOutOfRange);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, -1, &info), kCMSampleBufferError_SampleIndexOutOfRange);
    CHECK(CMTIME_IS_INVALID(info.duration));
    CFRelease(buffer);

    /* One entry for all samples: each sample begins at the end of the previous one. */
    const CMSampleTimingInfo one = timing(CMTimeMake(3, 90), CMTimeMake(5, 90), CMTimeMake(1, 90));
    const size_t size = 7;
    REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 5, 1, &one, 1, &size, &buffer) == noErr);
    CHECK(same(CMSampleBufferGetDuration(buffer), CMTimeMake(15, 90)));
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, 4, &info), noErr);
    CHECK(same(info.presentationTimeStamp, CMTimeMake(17, 90)) && same(info.decodeTimeStamp, CMTimeMake(13, 90)));
    CHECK_EQ(CMSampleBufferGetTotalSampleSize(buffer), 35);
    CHECK_EQ(CMSampleBufferGetSampleSize(buffer, 4), 7);
    CHECK_EQ(CMSampleBufferGetSampleSize(buffer, 5), 0);
    CFRelease(buffer);

    /* A buffer without times and sizes. */
    REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 1, 0, NULL, 0, NULL, &buffer) == noErr);
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetPresentationTimeStamp(buffer)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDuration(buffer)));
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, 0, &info), kCMSampleBufferError_BufferHasNoSampleTimingInfo);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(buffer, 4, array, &needed),
        kCMSampleBufferError_BufferHasNoSampleTimingInfo);
    CHECK_EQ(needed, 0);
    CHECK_EQ(CMSampleBufferGetSampleSizeArray(buffer, 0, NULL, &needed), kCMSampleBufferError_BufferHasNoSampleSizes);
    CFRelease(buffer);
}

static void attach_number(CMSampleBufferRef buffer, CFStringRef key, double number) {
    CFNumberRef value = CFNumberCreate(NULL, kCFNumberDoubleType, &number);
    CMSetAttachment(buffer, key, value, kCMAttachmentMode_ShouldPropagate);
    CFRelease(value);
}

static void attach_time(CMSampleBufferRef buffer, CFStringRef key, CMTime time) {
    CFDictionaryRef value = CMTimeCopyAsDictionary(time, NULL);
    CMSetAttachment(buffer, key, value, kCMAttachmentMode_ShouldPropagate);
    CFRelease(value);
}

/* Behaviour 24: output decode time = output presentation time + (decode time - presentation time) / speed. */
static void test_output_times(void) {
    const CMSampleTimingInfo info = timing(CMTimeMake(10, 100), CMTimeMake(50, 100), CMTimeMake(30, 100));
    CMSampleBufferRef buffer = NULL;
    REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 1, 1, &info, 0, NULL, &buffer) == noErr);
    attach_number(buffer, kCMSampleBufferAttachmentKey_SpeedMultiplier, 2);
    CHECK(CMTimeCompare(CMSampleBufferGetOutputDuration(buffer), CMTimeMake(5, 100)) == 0);
    CHECK(CMTimeCompare(CMSampleBufferGetOutputPresentationTimeStamp(buffer), CMTimeMake(50, 100)) == 0);
    CHECK(CMTimeCompare(CMSampleBufferGetOutputDecodeTimeStamp(buffer), CMTimeMake(40, 100)) == 0);
    attach_time(buffer, kCMSampleBufferAttachmentKey_TrimDurationAtStart, CMTimeMake(4, 100));
    CHECK(CMTimeCompare(CMSampleBufferGetOutputDuration(buffer), CMTimeMake(3, 100)) == 0);
    CHECK(CMTimeCompare(CMSampleBufferGetOutputPresentationTimeStamp(buffer), CMTimeMake(54, 100)) == 0);
    attach_time(buffer, kCMSampleBufferAttachmentKey_TrimDurationAtEnd, CMTimeMake(2, 100));
    CHECK(CMTimeCompare(CMSampleBufferGetOutputDuration(buffer), CMTimeMake(2, 100)) == 0);
    CMSetAttachment(buffer, kCMSampleBufferAttachmentKey_Reverse, kCFBooleanTrue, 0);
    CHECK(CMTimeCompare(CMSampleBufferGetOutputPresentationTimeStamp(buffer), CMTimeMake(58, 100)) == 0);
    CHECK_EQ(CMSampleBufferSetOutputPresentationTimeStamp(buffer, CMTimeMake(7, 10)), noErr);
    CHECK(same(CMSampleBufferGetOutputPresentationTimeStamp(buffer), CMTimeMake(7, 10)));
    CHECK(CMTimeCompare(CMSampleBufferGetOutputDecodeTimeStamp(buffer), CMTimeMake(60, 100)) == 0);
    CMSampleTimingInfo array[1];
    CHECK_EQ(CMSampleBufferGetOutputSampleTimingInfoArray(buffer, 1, array, NULL), noErr);
    CHECK(CMTimeCompare(array[0].presentationTimeStamp, CMTimeMake(7, 10)) == 0);
    CHECK(CMTimeCompare(array[0].duration, CMTimeMake(5, 100)) == 0);
    CHECK(same(CMSampleBufferGetPresentationTimeStamp(buffer), info.presentationTimeStamp));
    /* Attachments of other types, and a speed of 0, have no effect. */
    CMRemoveAllAttachments(buffer);
    CMSampleBufferSetOutputPresentationTimeStamp(buffer, kCMTimeInvalid);
    attach_number(buffer, kCMSampleBufferAttachmentKey_SpeedMultiplier, 0);
    CMSetAttachment(buffer, kCMSampleBufferAttachmentKey_TrimDurationAtStart, kCFBooleanTrue, 0);
    CHECK(same(CMSampleBufferGetOutputDuration(buffer), info.duration));
    CHECK(same(CMSampleBufferGetOutputPresentationTimeStamp(buffer), info.presentationTimeStamp));
    CFRelease(buffer);
}

static void test_sample_attachments(void) {
    CMSampleBufferRef buffer = create_four();
    CHECK(CMSampleBufferGetSampleAttachmentsArray(buffer, false) == NULL);
    CFArrayRef array = CMSampleBufferGetSampleAttachmentsArray(buffer, true);
    REQUIRE(array != NULL);
    CHECK_EQ(CFArrayGetCount(array), 4);
    CHECK_PTR_EQ(CMSampleBufferGetSampleAttachmentsArray(buffer, false), array);
    /* Clients change the dictionaries in place. */
    CFMutableDictionaryRef third = (CFMutableDictionaryRef)CFArrayGetValueAtIndex(array, 2);
    CFDictionarySetValue(third, kCMSampleAttachmentKey_DisplayImmediately, kCFBooleanTrue);
    CMSampleBufferRef copy = NULL, part = NULL;
    REQUIRE(CMSampleBufferCreateCopy(NULL, buffer, &copy) == noErr);
    REQUIRE(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(2, 2), &part) == noErr);
    CFDictionaryRemoveAllValues(third);
    CFDictionaryRef copied = CFArrayGetValueAtIndex(CMSampleBufferGetSampleAttachmentsArray(copy, false), 2);
    CHECK(CFDictionaryGetValue(copied, kCMSampleAttachmentKey_DisplayImmediately) == kCFBooleanTrue);
    CHECK_EQ(CFArrayGetCount(CMSampleBufferGetSampleAttachmentsArray(part, false)), 2);
    copied = CFArrayGetValueAtIndex(CMSampleBufferGetSampleAttachmentsArray(part, false), 0);
    CHECK(CFDictionaryGetValue(copied, kCMSampleAttachmentKey_DisplayImmediately) == kCFBooleanTrue);
    CFRelease(part);
    CFRelease(copy);
    CFRelease(buffer);
    REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 0, 0, NULL, 0, NULL, &buffer) == noErr);
    CHECK(CMSampleBufferGetSampleAttachmentsArray(buffer, true) == NULL);
    CFRelease(buffer);
}

static void test_copies(void) {
    freed = 0;
    CMSampleBufferRef buffer = create_four(), copy = NULL;
    CMSetAttachment(buffer, CFSTR("goes"), kCFBooleanTrue, kCMAttachmentMode_ShouldPropagate);
    CMSetAttachment(buffer, CFSTR("stays"), kCFBooleanTrue, kCMAttachmentMode_ShouldNotPropagate);
    REQUIRE(CMSampleBufferCreateCopy(NULL, buffer, &copy) == noErr);
    CHECK_PTR_EQ(CMSampleBufferGetDataBuffer(copy), CMSampleBufferGetDataBuffer(buffer));
    CHECK_PTR_EQ(CMSampleBufferGetFormatDescription(copy), CMSampleBufferGetFormatDescription(buffer));
    CHECK_EQ(CMSampleBufferGetTotalSampleSize(copy), 10);
    CHECK(CMGetAttachment(copy, CFSTR("goes"), NULL) && CMGetAttachment(copy, CFSTR("stays"), NULL));
    CFRelease(copy);

    const CMSampleTimingInfo later = timing(CMTimeMake(2, 25), CMTimeMake(100, 25), kCMTimeInvalid);
    REQUIRE(CMSampleBufferCreateCopyWithNewTiming(NULL, buffer, 1, &later, &copy) == noErr);
    CHECK(same(CMSampleBufferGetPresentationTimeStamp(copy), CMTimeMake(100, 25)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDecodeTimeStamp(copy)));
    CHECK(same(CMSampleBufferGetDuration(copy), CMTimeMake(8, 25)));
    check_letters(copy, "abcdefghij");
    CFRelease(copy);
    CHECK_EQ(CMSampleBufferCreateCopyWithNewTiming(NULL, buffer, 3, &later, &copy),
        kCMSampleBufferError_InvalidEntryCount);
    CHECK(copy == NULL);

    static const char *const letters[4][4] = {{"a", "abc", "abcdef", "abcdefghij"}, {"bc", "bcdef", "bcdefghij", NULL},
        {"def", "defghij", NULL, NULL}, {"ghij", NULL, NULL, NULL}};
    for (CFIndex from = 0; from < 4; from++) {
        for (CFIndex count = 1; from + count <= 4; count++) {
            CMSampleTimingInfo whole, part;
            REQUIRE(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(from, count), &copy) == noErr);
            CHECK_EQ(CMSampleBufferGetNumSamples(copy), count);
            check_letters(copy, letters[from][count - 1]);
            CHECK_EQ(CMSampleBufferGetTotalSampleSize(copy), strlen(letters[from][count - 1]));
            CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, from + count - 1, &whole), noErr);
            CHECK_EQ(CMSampleBufferGetSampleTimingInfo(copy, count - 1, &part), noErr);
            CHECK(memcmp(&whole, &part, sizeof part) == 0);
            CHECK(CMGetAttachment(copy, CFSTR("goes"), NULL) && !CMGetAttachment(copy, CFSTR("stays"), NULL));
            CFRelease(copy);
        }
    }
    const CFRange bad[] = {{-1, 1}, {0, 0}, {0, 5}, {4, 1}, {1, LONG_MAX}, {LONG_MAX, 1}, {1, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, bad[i], &copy),
            kCMSampleBufferError_SampleIndexOutOfRange);
        CHECK(copy == NULL);
    }
    CFRelease(buffer);
    CHECK_EQ(freed, 1);

    /* Data without sample sizes, and data that ends before its samples. */
    CMBlockBufferRef data = create_letters();
    const size_t much = 9;
    REQUIRE(CMSampleBufferCreateReady(NULL, data, NULL, 2, 0, NULL, 0, NULL, &buffer) == noErr);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(0, 1), &copy),
        kCMSampleBufferError_CannotSubdivide);
    CFRelease(buffer);
    REQUIRE(CMSampleBufferCreateReady(NULL, data, NULL, 2, 0, NULL, 1, &much, &buffer) == noErr);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(1, 1), &copy),
        kCMSampleBufferError_InvalidSampleData);
    CFRelease(buffer);
    /* The number of samples has no effect on the time that a call takes. */
    const size_t none = 0, half = SIZE_MAX / 2;
    REQUIRE(CMSampleBufferCreateReady(NULL, data, NULL, LONG_MAX, 0, NULL, 1, &none, &buffer) == noErr);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(LONG_MAX / 2, 1), &copy), noErr);
    CHECK(CMBlockBufferIsEmpty(CMSampleBufferGetDataBuffer(copy)));
    CFRelease(copy);
    CFRelease(buffer);
    REQUIRE(CMSampleBufferCreateReady(NULL, data, NULL, LONG_MAX, 0, NULL, 1, &half, &buffer) == noErr);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(4, 1), &copy),
        kCMSampleBufferError_InvalidSampleData);
    CFRelease(buffer);
    CFRelease(data);
}

static OSStatus count_sample(CMSampleBufferRef sample, CMItemCount index, void *context) {
    CHECK_EQ(CMSampleBufferGetNumSamples(sample), 1);
    CHECK_EQ(CMSampleBufferGetTotalSampleSize(sample), index + 1);
    ++*(int *)context;
    return index == 2 ? -77 : noErr;
}

static void test_each_sample(void) {
    freed = 0;
    CMSampleBufferRef buffer = create_four();
    int count = 0;
    CHECK_EQ(CMSampleBufferCallForEachSample(buffer, count_sample, &count), -77);
    CHECK_EQ(count, 3);
    __block int times = 0;
    CHECK_EQ(CMSampleBufferCallBlockForEachSample(buffer,
                 ^OSStatus(CMSampleBufferRef sample, CMItemCount index) {
                     CHECK_EQ(CMSampleBufferGetSampleSize(sample, 0), index + 1);
                     times++;
                     return noErr;
                 }),
        noErr);
    CHECK_EQ(times, 4);
    CFRelease(buffer);
    CHECK_EQ(freed, 1);
}

static OSStatus make_ready(CMSampleBufferRef buffer, void *context) {
    ++*(int *)context;
    CMBlockBufferRef data = create_letters();
    const OSStatus status = CMSampleBufferSetDataBuffer(buffer, data);
    CFRelease(data);
    return status;
}

static OSStatus fail_to_make_ready(CMSampleBufferRef buffer, void *context) {
    ++*(int *)context;
    CMSampleBufferSetDataFailed(buffer, -5);
    return -6;
}

static void test_readiness(void) {
    CMSampleBufferRef buffer = NULL, copy = NULL, part = NULL;
    int calls = 0;
    OSStatus failure = -1;
    freed = 0;
    REQUIRE(CMSampleBufferCreate(NULL, NULL, false, make_ready, &calls, NULL, 1, 0, NULL, 0, NULL, &buffer) == noErr);
    CHECK(!CMSampleBufferDataIsReady(buffer) && CMSampleBufferGetDataBuffer(buffer) == NULL);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(0, 1), &part),
        kCMSampleBufferError_BufferNotReady);
    /* A copy takes its readiness from the original. */
    REQUIRE(CMSampleBufferCreateCopy(NULL, buffer, &copy) == noErr);
    CHECK(!CMSampleBufferDataIsReady(copy));
    CHECK_EQ(CMSampleBufferSetDataReady(copy), kCMSampleBufferError_BufferNotReady);
    CHECK_EQ(CMSampleBufferMakeDataReady(copy), noErr);
    CHECK_EQ(CMSampleBufferMakeDataReady(copy), noErr);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), noErr);
    CHECK_EQ(calls, 1);
    CHECK(CMSampleBufferDataIsReady(buffer) && CMSampleBufferDataIsReady(copy));
    check_letters(buffer, "abcdefghij");
    check_letters(copy, "abcdefghij");
    CHECK_EQ(CMSampleBufferSetDataBuffer(buffer, CMSampleBufferGetDataBuffer(buffer)),
        kCMSampleBufferError_AlreadyHasDataBuffer);
    CHECK(!CMSampleBufferHasDataFailed(buffer, &failure));
    CHECK_EQ(failure, noErr);
    /* A buffer that tracked itself would never be ready. */
    CHECK_EQ(CMSampleBufferTrackDataReadiness(buffer, copy), kCMSampleBufferError_RequiredParameterMissing);
    CHECK_EQ(CMSampleBufferTrackDataReadiness(buffer, buffer), kCMSampleBufferError_RequiredParameterMissing);
    CFRelease(buffer);
    check_letters(copy, "abcdefghij");
    CFRelease(copy);
    CHECK_EQ(freed, 1);

    __block int blocks = 0;
    REQUIRE(CMSampleBufferCreateWithMakeDataReadyHandler(NULL, NULL, false, NULL, 1, 0, NULL, 0, NULL, &buffer,
                ^OSStatus(CMSampleBufferRef unready) {
                    (void)unready;
                    blocks++;
                    return noErr;
                }) == noErr);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), noErr);
    CHECK_EQ(blocks, 1);
    CFRelease(buffer);

    calls = 0;
    REQUIRE(CMSampleBufferCreate(
                NULL, NULL, false, fail_to_make_ready, &calls, NULL, 1, 0, NULL, 0, NULL, &buffer) == noErr);
    REQUIRE(CMSampleBufferCreateReady(NULL, NULL, NULL, 1, 0, NULL, 0, NULL, &copy) == noErr);
    CHECK_EQ(CMSampleBufferTrackDataReadiness(copy, buffer), noErr);
    CHECK(!CMSampleBufferDataIsReady(copy));
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), -6);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), kCMSampleBufferError_DataFailed);
    CHECK_EQ(CMSampleBufferSetDataReady(buffer), kCMSampleBufferError_DataFailed);
    CHECK_EQ(calls, 1);
    CHECK(CMSampleBufferHasDataFailed(buffer, &failure));
    CHECK_EQ(failure, -5);
    CHECK(CMSampleBufferHasDataFailed(copy, NULL) && !CMSampleBufferDataIsReady(buffer));
    CHECK_EQ(CMSampleBufferSetDataFailed(buffer, noErr), kCMSampleBufferError_RequiredParameterMissing);
    CFRelease(buffer);
    CFRelease(copy);

    /* Without a callback, the client marks the buffer as ready. */
    REQUIRE(CMSampleBufferCreate(NULL, NULL, false, NULL, NULL, NULL, 1, 0, NULL, 0, NULL, &buffer) == noErr);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), kCMSampleBufferError_BufferNotReady);
    CHECK_EQ(CMSampleBufferSetDataReady(buffer), noErr);
    CHECK(CMSampleBufferDataIsReady(buffer));
    CFRelease(buffer);
}

static uint64_t invalidated;
static void note_invalidated(CMSampleBufferRef buffer, uint64_t context) {
    CHECK(CMSampleBufferIsValid(buffer));
    invalidated += context;
}

static void test_invalidation(void) {
    CMSampleBufferRef buffer = create_four(), copy = NULL;
    CMSampleTimingInfo info;
    CMItemCount needed = 0;
    CHECK_EQ(CMSampleBufferSetInvalidateCallback(buffer, note_invalidated, 7), noErr);
    CHECK_EQ(CMSampleBufferInvalidate(buffer), noErr);
    CHECK_EQ(CMSampleBufferInvalidate(buffer), noErr);
    CHECK_EQ(invalidated, 7);
    CHECK(!CMSampleBufferIsValid(buffer) && !CMSampleBufferDataIsReady(buffer));
    CHECK(CMSampleBufferGetDataBuffer(buffer) == NULL);
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetPresentationTimeStamp(buffer)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDuration(buffer)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetOutputDecodeTimeStamp(buffer)));
    CHECK_EQ(CMSampleBufferCreateCopy(NULL, buffer, &copy), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(0, 1), &copy),
        kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(buffer, 0, &info), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(buffer, 0, NULL, &needed), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferGetSampleSizeArray(buffer, 0, NULL, &needed), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferSetDataReady(buffer), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferSetDataFailed(buffer, -1), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferSetOutputPresentationTimeStamp(buffer, kCMTimeZero), kCMSampleBufferError_Invalidated);
    CHECK_EQ(CMSampleBufferSetInvalidateCallback(buffer, note_invalidated, 7), kCMSampleBufferError_Invalidated);
    CFRelease(buffer);

    /* The block is called at invalidation, and not at the end of the buffer. */
    __block int times = 0;
    for (int round = 0; round < 2; round++) {
        buffer = create_four();
        CHECK_EQ(CMSampleBufferSetInvalidateHandler(buffer,
                     ^(CMSampleBufferRef gone) {
                         (void)gone;
                         times++;
                     }),
            noErr);
        if (round == 0) CHECK_EQ(CMSampleBufferInvalidate(buffer), noErr);
        CFRelease(buffer);
    }
    CHECK_EQ(times, 1);
}

static void test_images(void) {
    CVPixelBufferRef image = NULL;
    CMFormatDescriptionRef format = NULL, other = create_format();
    CMSampleBufferRef buffer = NULL, copy = NULL;
    const CMSampleTimingInfo info = timing(CMTimeMake(1, 30), CMTimeMake(5, 30), kCMTimeInvalid);
    REQUIRE(CVPixelBufferCreate(NULL, 32, 16, kCVPixelFormatType_32BGRA, NULL, &image) == 0);
    REQUIRE(CMVideoFormatDescriptionCreateForImageBuffer(NULL, image, &format) == noErr);
    CHECK_EQ(CMSampleBufferCreateReadyWithImageBuffer(NULL, image, other, &info, &buffer),
        kCMSampleBufferError_InvalidMediaFormat);
    REQUIRE(CMSampleBufferCreateReadyWithImageBuffer(NULL, image, format, &info, &buffer) == noErr);
    CHECK_PTR_EQ(CMSampleBufferGetImageBuffer(buffer), image);
    CHECK(CMSampleBufferGetDataBuffer(buffer) == NULL && CMSampleBufferDataIsReady(buffer));
    CHECK_EQ(CMSampleBufferGetNumSamples(buffer), 1);
    CHECK(same(CMSampleBufferGetPresentationTimeStamp(buffer), info.presentationTimeStamp));
    CMBlockBufferRef data = create_letters();
    CHECK_EQ(CMSampleBufferSetDataBuffer(buffer, data), kCMSampleBufferError_AlreadyHasDataBuffer);
    CFRelease(data);
    REQUIRE(CMSampleBufferCopySampleBufferForRange(NULL, buffer, CFRangeMake(0, 1), &copy) == noErr);
    CHECK_PTR_EQ(CMSampleBufferGetImageBuffer(copy), image);
    CFRelease(copy);
    CFRelease(buffer);
    int calls = 0;
    REQUIRE(CMSampleBufferCreateForImageBuffer(
                NULL, image, false, fail_to_make_ready, &calls, format, &info, &buffer) == noErr);
    CHECK(!CMSampleBufferDataIsReady(buffer));
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), -6);
    CFRelease(buffer);
    REQUIRE(CMSampleBufferCreateForImageBufferWithMakeDataReadyHandler(NULL, image, false, format, &info, &buffer,
                ^OSStatus(CMSampleBufferRef unready) { return CMSampleBufferIsValid(unready) ? noErr : -1; }) == noErr);
    CHECK_EQ(CMSampleBufferMakeDataReady(buffer), noErr);
    CFRelease(buffer);
    CFRelease(format);
    CFRelease(other);
    CVPixelBufferRelease(image);
}

/* Behaviour 6: programs pass the NULL of a dropped frame to every getter. */
static void test_null(void) {
    CMSampleBufferRef volatile none = NULL;
    CMSampleBufferRef *volatile no_place = NULL;
    CMSampleTimingInfo info;
    CMItemCount needed = 9;
    int calls = 0;
    const OSStatus missing = kCMSampleBufferError_RequiredParameterMissing;
    CHECK(CMSampleBufferGetDataBuffer(none) == NULL && CMSampleBufferGetImageBuffer(none) == NULL);
    CHECK(CMSampleBufferGetFormatDescription(none) == NULL);
    CHECK(CMSampleBufferGetSampleAttachmentsArray(none, true) == NULL);
    CHECK(!CMSampleBufferDataIsReady(none) && !CMSampleBufferIsValid(none));
    CHECK(!CMSampleBufferHasDataFailed(none, NULL));
    CHECK_EQ(CMSampleBufferGetNumSamples(none), 0);
    CHECK_EQ(CMSampleBufferGetTotalSampleSize(none), 0);
    CHECK_EQ(CMSampleBufferGetSampleSize(none, 0), 0);
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDuration(none)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetPresentationTimeStamp(none)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetDecodeTimeStamp(none)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetOutputDuration(none)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetOutputPresentationTimeStamp(none)));
    CHECK(CMTIME_IS_INVALID(CMSampleBufferGetOutputDecodeTimeStamp(none)));
    CHECK_EQ(CMSampleBufferGetSampleTimingInfo(none, 0, &info), missing);
    CHECK_EQ(CMSampleBufferGetSampleTimingInfoArray(none, 0, NULL, &needed), missing);
    CHECK_EQ(needed, 0);
    CHECK_EQ(CMSampleBufferGetOutputSampleTimingInfoArray(none, 0, NULL, &needed), missing);
    CHECK_EQ(CMSampleBufferGetSampleSizeArray(none, 0, NULL, &needed), missing);
    CHECK_EQ(CMSampleBufferCallForEachSample(none, count_sample, &calls), missing);
    CHECK_EQ(calls, 0);
    CHECK_EQ(CMSampleBufferSetDataReady(none), missing);
    CHECK_EQ(CMSampleBufferSetDataFailed(none, -1), missing);
    CHECK_EQ(CMSampleBufferMakeDataReady(none), missing);
    CHECK_EQ(CMSampleBufferTrackDataReadiness(none, none), missing);
    CHECK_EQ(CMSampleBufferInvalidate(none), missing);
    CHECK_EQ(CMSampleBufferSetInvalidateCallback(none, note_invalidated, 0), missing);
    CHECK_EQ(CMSampleBufferSetOutputPresentationTimeStamp(none, kCMTimeZero), missing);
    CMSampleBufferRef buffer = (CMSampleBufferRef)&needed;
    CHECK_EQ(CMSampleBufferCreateCopy(NULL, none, &buffer), missing);
    CHECK(buffer == NULL);
    CHECK_EQ(CMSampleBufferCreateCopyWithNewTiming(NULL, none, 0, NULL, &buffer), missing);
    CHECK_EQ(CMSampleBufferCopySampleBufferForRange(NULL, none, CFRangeMake(0, 1), &buffer), missing);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, 0, 0, NULL, 0, NULL, no_place), missing);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, 1, 1, NULL, 0, NULL, &buffer), missing);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, 1, 0, NULL, 1, NULL, &buffer), missing);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, -1, 0, NULL, 0, NULL, &buffer),
        kCMSampleBufferError_InvalidEntryCount);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, 3, 2, &info, 0, NULL, &buffer),
        kCMSampleBufferError_InvalidEntryCount);
    CHECK_EQ(CMSampleBufferCreateReady(NULL, NULL, NULL, 3, 0, NULL, -1, NULL, &buffer),
        kCMSampleBufferError_InvalidEntryCount);
    CVImageBufferRef volatile no_image = NULL;
    CMFormatDescriptionRef volatile no_format = NULL;
    CHECK_EQ(CMSampleBufferCreateReadyWithImageBuffer(NULL, no_image, no_format, &info, &buffer), missing);
    CHECK(buffer == NULL);
}

/* One of several threads that use one buffer, and make the changes that are allowed concurrently. */
static void *use(void *argument) {
    CMSampleBufferRef buffer = argument;
    for (int i = 0; i < 500; i++) {
        CMSampleBufferRef copy = NULL;
        CHECK_EQ(CFArrayGetCount(CMSampleBufferGetSampleAttachmentsArray(buffer, true)), 4);
        CMSampleBufferSetOutputPresentationTimeStamp(buffer, CMTimeMake(i, 25));
        CHECK(CMTIME_IS_VALID(CMSampleBufferGetOutputDecodeTimeStamp(buffer)));
        CHECK(CMSampleBufferDataIsReady(buffer));
        CHECK_EQ(CMSampleBufferCreateCopy(NULL, buffer, &copy), noErr);
        CMSetAttachment(copy, CFSTR("a"), kCFBooleanTrue, 1);
        CFRelease(copy);
        CMSetAttachment(buffer, CFSTR("a"), kCFBooleanTrue, 1);
    }
    return NULL;
}

static void test_threads(void) {
    CMSampleBufferRef buffer = create_four();
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, use, buffer) == 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    CFRelease(buffer);
}

int main(void) {
    RUN(test_one_sample);
    RUN(test_times_of_several);
    RUN(test_output_times);
    RUN(test_sample_attachments);
    RUN(test_copies);
    RUN(test_each_sample);
    RUN(test_readiness);
    RUN(test_invalidation);
    RUN(test_images);
    RUN(test_null);
    RUN(test_threads);
    return check_result();
}
