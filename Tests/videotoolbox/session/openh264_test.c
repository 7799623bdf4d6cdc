/* Sessions whose encoder is OpenH264, which has neither lookahead nor B-frames, and changes of the delay. */
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

/* These change between frames with every encoder. */
static void test_delay_changes_between_frames(void) {
    static const struct {
        CMVideoCodecType codec;
        const char *encoder_id;
    } encoders[] = {{kCMVideoCodecType_H264, "org.openh264.openh264"}, {kCMVideoCodecType_HEVC, "org.videolan.x265"}};
    for (int k = 0; k < 2; k++) {
        CFStringRef encoder_id = CFStringCreateWithCString(NULL, encoders[k].encoder_id, kCFStringEncodingUTF8);
        CFDictionaryRef specification = pair(kVTVideoEncoderSpecification_EncoderID, encoder_id);
        collected all = COLLECTED;
        VTCompressionSessionRef session = NULL;
        REQUIRE(VTCompressionSessionCreate(
                    NULL, 64, 64, encoders[k].codec, specification, NULL, NULL, collect, &all, &session) == noErr);
        for (int n = 0; n < 4; n++) CHECK_EQ(encode(session, n), noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
        CHECK_EQ(all.count, 4);
        CHECK_EQ(VTSessionSetProperty(
                     session, kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kCFBooleanTrue),
            noErr);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxFrameDelayCount, 0), noErr);
        CHECK_EQ(encode(session, 4), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        CHECK_EQ(all.count, 5);
        CFRelease(session);
        CFRelease(specification);
        CFRelease(encoder_id);
        collected_clear(&all);
    }
}

int main(void) {
    RUN(test_frames_become_samples);
    RUN(test_delay_changes_between_frames);
    return check_result();
}
