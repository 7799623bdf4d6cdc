/* Sessions for H.265: the samples' format, the list of encoders, and the properties that the encoder supports. */
#include "session_support.h"

enum { FRAMES = 20 };

static void test_samples_are_hvc1(void) {
    static CFStringRef const *const levels[] = {
        &kVTProfileLevel_HEVC_Main_AutoLevel, &kVTProfileLevel_HEVC_Main10_AutoLevel};
    for (int i = 0; i < 2; i++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = NULL;
        REQUIRE(VTCompressionSessionCreate(
                    NULL, 64, 64, kCMVideoCodecType_HEVC, NULL, NULL, NULL, collect, &all, &session) == noErr);
        CHECK_EQ(VTSessionSetProperty(session, CFSTR("x265.preset"), CFSTR("ultrafast")), noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, *levels[i]), noErr);
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EnableLTR, kCFBooleanTrue),
            kVTPropertyNotSupportedErr);
        encode_frames(session, FRAMES);
        REQUIRE(CHECK_EQ(all.count, FRAMES));
        CMFormatDescriptionRef format = CMSampleBufferGetFormatDescription(all.samples[0]);
        CHECK_EQ(CMFormatDescriptionGetMediaSubType(format), kCMVideoCodecType_HEVC);
        for (size_t set = 0; set < 3; set++) {
            const uint8_t *bytes = NULL;
            size_t size = 0, count = 0;
            int prefix = 0;
            REQUIRE(CMVideoFormatDescriptionGetHEVCParameterSetAtIndex(format, set, &bytes, &size, &count, &prefix) == noErr);
            CHECK_EQ(bytes[0] >> 1 & 63, 32 + set);
            CHECK_EQ(count, 3);
            CHECK_EQ(prefix, 4);
        }
        CHECK(attachment_of(all.samples[0], kCMSampleAttachmentKey_NotSync) == NULL);
        CHECK(attachment_of(all.samples[1], kCMSampleAttachmentKey_NotSync) == kCFBooleanTrue);
        end_session(session, &all);
    }
}

static void test_the_encoder_is_listed(void) {
    CFArrayRef list = NULL;
    CHECK_EQ(VTCopyVideoEncoderList(NULL, &list), noErr);
    REQUIRE(list != NULL);
    bool is_listed = false;
    /* Whether each encoder has B-frames, and several passes. */
    const struct {
        CFStringRef id;
        Boolean reorders, has_passes;
    } abilities[] = {{CFSTR("org.videolan.x264"), true, true}, {CFSTR("org.videolan.x265"), true, false},
        {CFSTR("org.openh264.openh264"), false, false}};
    for (CFIndex i = 0; i < CFArrayGetCount(list); i++) {
        CFDictionaryRef encoder = CFArrayGetValueAtIndex(list, i);
        int codec = 0;
        for (int k = 0; k < 3; k++) {
            if (!CFEqual(CFDictionaryGetValue(encoder, kVTVideoEncoderList_EncoderID), abilities[k].id)) continue;
            CHECK_EQ(CFBooleanGetValue(CFDictionaryGetValue(encoder, kVTVideoEncoderList_SupportsFrameReordering)),
                abilities[k].reorders);
            CHECK_EQ(CFBooleanGetValue(CFDictionaryGetValue(encoder, kVTVideoEncoderList_SupportsMultiPass)),
                abilities[k].has_passes);
        }
        CFNumberGetValue(CFDictionaryGetValue(encoder, kVTVideoEncoderList_CodecType), kCFNumberIntType, &codec);
        if (codec != (int)kCMVideoCodecType_HEVC) continue;
        is_listed = true;
        CHECK(CFEqual(CFDictionaryGetValue(encoder, kVTVideoEncoderList_EncoderID), CFSTR("org.videolan.x265")));
        CHECK(CFEqual(CFDictionaryGetValue(encoder, kVTVideoEncoderList_CodecName), CFSTR("HEVC")));
    }
    CHECK(is_listed);
    CFRelease(list);
}

static void test_only_supported_properties_are_listed(void) {
    static const CMVideoCodecType codecs[] = {kCMVideoCodecType_H264, kCMVideoCodecType_HEVC};
    for (int i = 0; i < 2; i++) {
        CFStringRef encoder_id = NULL;
        CFDictionaryRef supported = NULL;
        REQUIRE(VTCopySupportedPropertyDictionaryForEncoder(1280, 720, codecs[i], NULL, &encoder_id, &supported) == noErr);
        CHECK(CFEqual(encoder_id, i ? CFSTR("org.videolan.x265") : CFSTR("org.videolan.x264")));
        CHECK(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_AverageBitRate));
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_EnableLTR), i == 0);
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_AllowOpenGOP), i == 0);
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_FieldCount), i == 0);
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_H264EntropyMode), i == 0);
        CHECK_EQ(CFDictionaryContainsKey(supported, CFSTR("x265.preset")), i == 1);
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_MultiPassStorage), i == 0);
        CFRelease(encoder_id);
        CFRelease(supported);
    }
}

/* The value that describes what the encoder does is accepted and returned, and the other one is refused. Programs for a Mac
 * set AllowOpenGOP to false, read it back, and end if one of the two fails. */
static void test_values_that_mean_off(void) {
    const CFStringRef keys[] = {kVTCompressionPropertyKey_AllowOpenGOP, kVTCompressionPropertyKey_MoreFramesBeforeStart,
        kVTCompressionPropertyKey_MoreFramesAfterEnd, kVTCompressionPropertyKey_EnableLTR,
        kVTCompressionPropertyKey_CalculateMeanSquaredError};
    collected all = COLLECTED;
    VTCompressionSessionRef session = NULL;
    REQUIRE(VTCompressionSessionCreate(
                NULL, 64, 64, kCMVideoCodecType_HEVC, NULL, NULL, NULL, collect, &all, &session) == noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x265.preset"), CFSTR("ultrafast")), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 7), noErr);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CHECK_EQ(VTSessionSetProperty(session, keys[i], kCFBooleanFalse), noErr);
        CHECK(copy_value(session, keys[i]) == kCFBooleanFalse);
        CHECK_EQ(VTSessionSetProperty(session, keys[i], kCFBooleanTrue), kVTPropertyNotSupportedErr);
        CHECK_EQ(VTSessionSetProperty(session, keys[i], NULL), noErr);
        CHECK(copy_value(session, keys[i]) == kCFBooleanFalse);
    }
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_FieldCount, 1), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_FieldCount), 1);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_FieldCount, 2), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_CleanAperture, NULL), noErr);
    const void *names[] = {kCMFormatDescriptionKey_CleanApertureWidth, kCMFormatDescriptionKey_CleanApertureHeight,
        kCMFormatDescriptionKey_CleanApertureHorizontalOffset, kCMFormatDescriptionKey_CleanApertureVerticalOffset};
    CFNumberRef side = integer(32), none = integer(0);
    const void *numbers[] = {side, side, none, none};
    CFDictionaryRef aperture =
        CFDictionaryCreate(NULL, names, numbers, 4, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_CleanAperture, aperture), kVTPropertyNotSupportedErr);
    CFRelease(aperture);
    CFRelease(side);
    CFRelease(none);
    encode_frames(session, FRAMES);
    REQUIRE(CHECK_EQ(all.count, FRAMES));
    /* Groups of pictures are closed: no frame after a key frame in decode order is displayed before it. */
    int key_frames = 0;
    CMTime key_time = kCMTimeZero;
    for (int i = 0; i < FRAMES; i++) {
        const CMTime time = CMSampleBufferGetPresentationTimeStamp(all.samples[i]);
        if (is_key_frame(all.samples[i])) key_frames++, key_time = time;
        CHECK(CMTimeCompare(time, key_time) >= 0);
        CHECK(attachment_of(all.samples[i], kCMSampleAttachmentKey_PartialSync) != kCFBooleanTrue);
    }
    CHECK_EQ(key_frames, 3);
    end_session(session, &all);
}

/* Programs tolerate kVTPropertyNotSupportedErr of a property that is not in the list, and no other status. */
static void test_a_storage_is_no_property_of_an_encoder_without_passes(void) {
    VTMultiPassStorageRef storage = NULL;
    VTCompressionSessionRef session = NULL;
    REQUIRE(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage) == noErr);
    REQUIRE(VTCompressionSessionCreate(
                NULL, 64, 64, kCMVideoCodecType_HEVC, NULL, NULL, NULL, NULL, NULL, &session) == noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, storage),
        kVTPropertyNotSupportedErr);
    CFRelease(session);
    CFRelease(storage);
}

int main(void) {
    RUN(test_samples_are_hvc1);
    RUN(test_the_encoder_is_listed);
    RUN(test_only_supported_properties_are_listed);
    RUN(test_values_that_mean_off);
    RUN(test_a_storage_is_no_property_of_an_encoder_without_passes);
    return check_result();
}
