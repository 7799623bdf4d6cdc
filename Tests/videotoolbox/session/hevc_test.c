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
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_H264EntropyMode), i == 0);
        CHECK_EQ(CFDictionaryContainsKey(supported, CFSTR("x265.preset")), i == 1);
        CHECK_EQ(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_MultiPassStorage), i == 0);
        CFRelease(encoder_id);
        CFRelease(supported);
    }
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
    RUN(test_a_storage_is_no_property_of_an_encoder_without_passes);
    return check_result();
}
