/* The effect of properties on the stream, before and after the preparation and between frames. Behaviour 19 of the
 * programs that use VideoToolbox. */
#include "property_support.h"
#include "supported_keys.h"

#include <math.h>

/* Behaviour 19: the values read back are those of the stream. */
static void test_values_that_are_read_back(void) {
    const struct {
        CFStringRef key;
        CFTypeRef value;
        CFTypeRef reorders;
    } cases[] = {
        {kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanTrue, kCFBooleanTrue},
        {kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse, kCFBooleanFalse},
        {kVTCompressionPropertyKey_RealTime, kCFBooleanTrue, kCFBooleanFalse},
        {kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Baseline_AutoLevel, kCFBooleanFalse},
        {kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Main_AutoLevel, kCFBooleanTrue},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        collected all = COLLECTED;
        int reordered = 0;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        if (i % 2) CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1")), noErr);
        CHECK_EQ(VTSessionSetProperty(session, cases[i].key, cases[i].value), noErr);
        CHECK(reads(session, kVTCompressionPropertyKey_AllowFrameReordering, cases[i].reorders));
        CHECK(reads(session, kVTCompressionPropertyKey_EncoderID, CFSTR("org.videolan.x264")));
        CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_NumberOfPendingFrames), 0);
        for (int n = 0; n < 30; n++) CHECK_EQ(encode(session, n), noErr);
        CHECK(reads(session, kVTCompressionPropertyKey_AllowFrameReordering, cases[i].reorders));
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        for (int k = 1; k < all.count; k++)
            reordered += CMTimeCompare(CMSampleBufferGetPresentationTimeStamp(all.samples[k - 1]),
                             CMSampleBufferGetPresentationTimeStamp(all.samples[k])) > 0;
        CHECK((reordered > 0) == (cases[i].reorders == kCFBooleanTrue));
        /* Programs subtract exactly one frame from decode times. After that, none may be later than its presentation
         * time. */
        const int shift = cases[i].reorders == kCFBooleanTrue;
        for (int k = 0; k < all.count; k++)
            CHECK(CMSampleBufferGetDecodeTimeStamp(all.samples[k]).value - shift <=
                CMSampleBufferGetPresentationTimeStamp(all.samples[k]).value);
        CFTypeRef params = copy_value(session, CFSTR("x264.params"));
        CHECK(params && CFEqual(params, i % 2 ? CFSTR("threads=1") : CFSTR("")));
        if (params) CFRelease(params);
        end_session(session, &all);
    }
}

static int profile_of(const collected *all, int index) {
    const uint8_t *set = NULL;
    size_t size = 0;
    REQUIRE(index < all->count && all->samples[index]);
    CHECK_EQ(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
                 CMSampleBufferGetFormatDescription(all->samples[index]), 0, &set, &size, NULL, NULL),
        noErr);
    return size > 1 ? set[1] : -1;
}

/* The encoder that replaces the prepared one gets the frame rate, which a constant rate needs. */
static void test_frame_rate_after_prepare(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 30), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 1000000), noErr);
    encode_frames(session, 6);
    CHECK_EQ(all.count, 6);
    for (int i = 0; i < all.count; i++) CHECK(all.samples[i] != NULL);
    end_session(session, &all);
}

/* After the preparation, properties can be set until the first frame, as on a Mac. */
static void test_setting_after_prepare(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 3), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse), noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("threads=1:me=hex")), noErr);
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, round == 1 ? 0 : 300000), noErr);
        CHECK_EQ(VTSessionSetProperty(
                     session, kVTCompressionPropertyKey_RealTime, round == 1 ? kCFBooleanFalse : kCFBooleanTrue),
            noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel,
                     round == 1 ? kVTProfileLevel_H264_High_AutoLevel : kVTProfileLevel_H264_Baseline_AutoLevel),
            noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EncoderID, CFSTR("x")), kVTPropertyReadOnlyErr);
    }
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_AverageBitRate), 300000);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_MaxKeyFrameInterval), 3);
    CHECK(reads(session, CFSTR("x264.params"), CFSTR("threads=1:me=hex")));
    for (int n = 0; n < 6; n++) CHECK_EQ(encode(session, n), noErr);

    /* Now properties accept the values that they have, the rate can change, and most other changes are refused. */
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(
                 session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Baseline_AutoLevel),
        noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 300000), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 0), kVTPropertyReadOnlyErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ReferenceBufferCount, 4), kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.params"), CFSTR("me=umh")), kVTPropertyReadOnlyErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_AverageBitRate), 200000);
    CHECK_EQ(encode(session, 6), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 7);
    for (int i = 0; i < all.count; i++) {
        CHECK_EQ(profile_of(&all, i), 66);
        CHECK_EQ(is_key_frame(all.samples[i]), i % 3 == 0);
    }
    end_session(session, &all);
}

/* A number in x264.effective after the encoder has opened; NAN if it is absent. */
static double effective(VTCompressionSessionRef session, const char *option) {
    char text[4096] = "", wanted[64];
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    CFStringRef all = copy_value(session, CFSTR("x264.effective"));
    REQUIRE(all && CFStringGetCString(all, text, sizeof text, kCFStringEncodingUTF8));
    CFRelease(all);
    snprintf(wanted, sizeof wanted, ":%s=", option);
    const char *at = strstr(text, wanted);
    return at ? atof(at + strlen(wanted)) : NAN;
}

/* Programs for a Mac expect the first sample after a few frames. Programs that permit a longer delay get it. */
static void test_look_ahead(void) {
    static const struct {
        const char *properties; /* KEY=INTEGER, or KEY=TEXT */
        int frames;
    } all[] = {{"", 12}, {"MaxFrameDelayCount=-1", 40}, {"MaxFrameDelayCount=60", 40}, {"MaxFrameDelayCount=10", 7},
        {"SuggestedLookAheadFrameCount=20", 20}, {"SuggestedLookAheadFrameCount=5", 5}, {"x264.preset=veryfast", 10},
        {"x264.preset=slow", 12}, {"x264.params=rc-lookahead=30", 30}, {"x264.tune=zerolatency", 0},
        {"NaluMaxLookAheadFrameCount=8", 8}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        VTCompressionSessionRef session = session_of(64, 64, NULL);
        const char *value = strchr(all[i].properties, '=');
        if (value) {
            char *end = NULL;
            const long whole = strtol(value + 1, &end, 10);
            CFStringRef key = CFStringCreateWithBytes(NULL, (const UInt8 *)all[i].properties, value - all[i].properties,
                kCFStringEncodingUTF8, false);
            CFStringRef text = CFStringCreateWithCString(NULL, value + 1, kCFStringEncodingUTF8);
            CHECK_EQ(*end ? VTSessionSetProperty(session, key, text) : set_integer(session, key, (int)whole), noErr);
            CFRelease(key);
            CFRelease(text);
        }
        check_integers((long long)effective(session, "rc-lookahead"), all[i].frames, __FILE__, __LINE__, all[i].properties);
        CFRelease(session);
    }
    /* The properties also count after the preparation, until the first frame. */
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CHECK_EQ(effective(session, "rc-lookahead"), 12);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxFrameDelayCount, kVTUnlimitedFrameDelayCount), noErr);
    CHECK_EQ(effective(session, "rc-lookahead"), 40);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_MaxFrameDelayCount), kVTUnlimitedFrameDelayCount);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MaxFrameDelayCount, NULL), noErr);
    CHECK_EQ(effective(session, "rc-lookahead"), 12);
    CFRelease(session);
}

/* With ConstantQualityFactor, a rate is an upper limit. With Quality, the rate takes precedence. */
static void test_constant_quality_factor(void) {
    const int rates[] = {0, 300000, 0};
    for (int i = 0; i < 3; i++) {
        VTCompressionSessionRef session = session_of(64, 64, NULL);
        CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.25), noErr);
        CHECK_EQ(set_number(session, kVTCompressionPropertyKey_ConstantQualityFactor, 0.75), noErr);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, rates[i]), noErr);
        if (i == 2)
            CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ConstantQualityFactor, NULL), noErr);
        CHECK_NEAR(effective(session, "crf"), i == 2 ? 30 : 17, 1e-6);
        if (i == 1) CHECK(effective(session, "vbv-maxrate") <= 300);
        CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_Quality), 0.25);
        if (i < 2) CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantQualityFactor), 0.75);
        CFRelease(session);
    }
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_ConstantQualityFactor, 1.5), kVTParameterErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_ConstantQualityFactor, 0.5), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 30), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ConstantBitRate, 500000), kVTParameterErr);
    CFRelease(session);
}

/* By default the stream reorders by one frame, as on a Mac. A client can allow more. */
static void test_b_pyramid(void) {
    const struct {
        CFStringRef key;
        CFTypeRef value;
        int depth;
    } cases[] = {{CFSTR("NaluAllowBPyramid"), NULL, 1}, {CFSTR("NaluAllowBPyramid"), kCFBooleanTrue, 2},
        {CFSTR("x264.params"), CFSTR("b_pyramid=normal:threads=1"), 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        VTCompressionSessionRef session = session_of(64, 64, NULL);
        CHECK(reads(session, CFSTR("NaluAllowBPyramid"), kCFBooleanFalse));
        CHECK_EQ(VTSessionSetProperty(session, cases[i].key, cases[i].value), noErr);
        CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
        CHECK_EQ(copy_number(session, CFSTR(NALU_PROPERTY_REORDER_DEPTH)), cases[i].depth);
        CHECK_EQ(VTSessionSetProperty(session, cases[i].key, NULL), noErr);
        CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
        CHECK_EQ(copy_number(session, CFSTR(NALU_PROPERTY_REORDER_DEPTH)), 1);
        CFRelease(session);
    }
}

static void test_every_supported_key_is_read(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    check_values(session);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    check_values(session);
    for (int n = 0; n < 4; n++) CHECK_EQ(encode(session, n), noErr);
    check_values(session);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    check_values(session);
    end_session(session, &all);
}

/* Values that can no longer have an effect are refused, not kept. */
static void test_hints_that_come_too_late(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_SourceFrameCount, 60), noErr);
    CHECK_EQ(encode(session, 0), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_SourceFrameCount, 60), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_SourceFrameCount, 61), kVTPropertyReadOnlyErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_SourceFrameCount), 60);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_SourceFrameCount, NULL), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_ExpectedDuration, 3), kVTPropertyReadOnlyErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_VBVMaxBitRate, 900000), kVTPropertyReadOnlyErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_VBVBufferDuration, 1), kVTPropertyReadOnlyErr);
    /* The frames' times contain the frame rate too. */
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 24), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ExpectedFrameRate), 24);
    /* A property accepts the value that the stream has. */
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse),
        kVTPropertyReadOnlyErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.6), noErr);
    for (int n = 1; n < 4; n++) CHECK_EQ(encode(session, n), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 4);
    end_session(session, &all);

    session = live_session(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000), noErr);
    CHECK_EQ(encode(session, 0), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.6), kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MaximizePowerEfficiency, kCFBooleanTrue),
        kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanTrue),
        kVTPropertyReadOnlyErr);
    end_session(session, &all);
}

int main(void) {
    RUN(test_values_that_are_read_back);
    RUN(test_setting_after_prepare);
    RUN(test_frame_rate_after_prepare);
    RUN(test_look_ahead);
    RUN(test_constant_quality_factor);
    RUN(test_b_pyramid);
    RUN(test_every_supported_key_is_read);
    RUN(test_hints_that_come_too_late);
    return check_result();
}
