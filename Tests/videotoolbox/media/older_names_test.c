/* Functions with older names, and functions that do the same as another one. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <VideoToolbox/VideoToolbox.h>
#include <string.h>

static void test_masters_are_sources(void) {
    CMClockRef host = CMClockGetHostTimeClock(), clock;
    CMTimebaseRef parent = NULL, child = NULL, source;
    CFTypeRef either;
    REQUIRE(CMTimebaseCreateWithMasterClock(NULL, host, &parent) == noErr);
    REQUIRE(CMTimebaseCreateWithMasterTimebase(NULL, parent, &child) == noErr);
    CHECK((clock = CMTimebaseCopyMasterClock(parent)) == host);
    CFRelease(clock);
    CHECK(CMTimebaseCopyMasterClock(child) == NULL);
    CHECK((source = CMTimebaseCopyMasterTimebase(child)) == parent);
    CFRelease(source);
    CHECK(CMTimebaseCopyMasterTimebase(parent) == NULL);
    CHECK((either = CMTimebaseCopyMaster(child)) == parent);
    CFRelease(either);
    CHECK((clock = CMTimebaseCopyUltimateMasterClock(child)) == host);
    CFRelease(clock);
    CHECK_EQ(CMTimebaseSetMasterClock(child, host), noErr);
    CHECK(CMTimebaseGetMasterClock(child) == host);
    CHECK_EQ(CMTimebaseSetMasterTimebase(child, parent), noErr);
    CHECK(CMTimebaseGetMasterTimebase(child) == parent);
    CHECK_EQ(CMTimebaseSetMasterTimebase(parent, child), kCMTimebaseError_InvalidParameter);
    CFRelease(child);
    CFRelease(parent);
}

static void test_ranges_as_objects(void) {
    const CMTimeRange range = CMTimeRangeMake(CMTimeMake(1, 10), CMTimeMake(2, 10));
    CFDictionaryRef dictionary = CMTimeRangeCopyAsDictionary(range, NULL);
    REQUIRE(dictionary != NULL);
    const CMTimeRange back = CMTimeRangeMakeFromDictionary(dictionary);
    CHECK(memcmp(&back, &range, sizeof back) == 0);
    CFRelease(dictionary);
    char text[100] = "";
    CFStringRef description = CMTimeRangeCopyDescription(NULL, range);
    REQUIRE(description != NULL);
    CFStringGetCString(description, text, sizeof text, kCFStringEncodingUTF8);
    CHECK_STR_EQ(text, "{{1/10 = 0.100}, {2/10 = 0.200}}");
    CFRelease(description);
}

static CMTime no_time(CMBufferRef buffer, void *refcon) {
    (void)buffer, (void)refcon;
    return kCMTimeInvalid;
}

static OSStatus refuse_false(CMBufferQueueRef queue, CMBufferRef buffer, void *refcon) {
    (void)queue;
    ++*(int *)refcon;
    return buffer == kCFBooleanFalse ? -1234 : noErr;
}

static void test_validation_by_function(void) {
    const CMBufferCallbacks callbacks = {.version = 0, .getDuration = no_time};
    CMBufferQueueRef queue = NULL;
    int asked = 0;
    REQUIRE(CMBufferQueueCreate(NULL, 0, &callbacks, &queue) == noErr);
    CHECK_EQ(CMBufferQueueSetValidationCallback(queue, refuse_false, &asked), noErr);
    CHECK_EQ(CMBufferQueueEnqueue(queue, kCFBooleanTrue), noErr);
    CHECK_EQ(CMBufferQueueEnqueue(queue, kCFBooleanFalse), -1234);
    CHECK_EQ(asked, 2);
    CHECK_EQ(CMBufferQueueGetBufferCount(queue), 1);
    CFRelease(queue);
}

static void test_what_is_not_here(void) {
    CFDictionaryRef nothing = CFDictionaryCreate(NULL, NULL, NULL, 0, NULL, NULL);
    CHECK(CVImageBufferCreateColorSpaceFromAttachments(nothing) == NULL);
    CFRelease(nothing);
    VTRegisterSupplementalVideoDecoderIfAvailable(kCMVideoCodecType_VP9);
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, 16, 16, kCVPixelFormatType_32BGRA, NULL, &buffer) == kCVReturnSuccess);
    CHECK_EQ(CFGetTypeID(buffer), CVPixelBufferGetTypeID());
    CFRelease(buffer);
}

int main(void) {
    RUN(test_masters_are_sources);
    RUN(test_ranges_as_objects);
    RUN(test_validation_by_function);
    RUN(test_what_is_not_here);
    return check_result();
}
