/* Sessions whose encoder is OpenH264, which has neither lookahead nor B-frames. */
#include "session_support.h"

enum { FRAMES = 20 };

static void test_frames_become_samples(void) {
    CFDictionaryRef specification = pair(kVTVideoEncoderSpecification_EncoderID, CFSTR("org.openh264.openh264"));
    collected all = COLLECTED;
    VTCompressionSessionRef session = NULL;
    REQUIRE(VTCompressionSessionCreate(NULL, 64, 64, kCMVideoCodecType_H264, specification, NULL, NULL, collect, &all, &session) ==
            noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanTrue), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_SuggestedLookAheadFrameCount, 5), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EnableLTR, kCFBooleanTrue), kVTPropertyNotSupportedErr);
    for (int n = 0; n < FRAMES; n++) CHECK_EQ(encode(session, n), noErr);
    CFTypeRef identifier = copy_value(session, kVTCompressionPropertyKey_EncoderID);
    CHECK(identifier && CFEqual(identifier, CFSTR("org.openh264.openh264")));
    if (identifier) CFRelease(identifier);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, FRAMES);
    CFRelease(session);
    CFRelease(specification);
    collected_clear(&all);
}

int main(void) {
    RUN(test_frames_become_samples);
    return check_result();
}
