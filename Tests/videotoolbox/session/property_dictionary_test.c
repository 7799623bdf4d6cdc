/* Dictionaries of properties, the supported properties, and values that are dictionaries or texts. Behaviours 16 to 18
 * and 21 of the programs that use VideoToolbox. */
#include "property_support.h"

/* Behaviour 16: keys of the specification among the properties, NULL keys, and keys that the session does not have do no
 * harm. */
static void test_dictionaries_of_properties(void) {
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CFDictionaryRef scaling = pair(CFSTR("ScalingMode"), CFSTR("Trim"));
    CFNumberRef rate = integer(60);
    const CFStringRef keys[] = {kVTVideoEncoderSpecification_EncoderID,
        kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
        kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
        kVTCompressionPropertyKey_PixelTransferProperties, kVTCompressionPropertyKey_ExpectedFrameRate,
        kVTCompressionPropertyKey_AllowFrameReordering, kVTCompressionPropertyKey_ProfileLevel};
    const void *values[] = {CFSTR("com.apple.videotoolbox.videoencoder.ave.avc"), kCFBooleanTrue, kCFBooleanTrue,
        scaling, rate, kCFBooleanTrue, kVTProfileLevel_H264_Baseline_AutoLevel};
    CFDictionaryRef properties = dictionary_of(keys, values, 7);
    CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
    CHECK(reads(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_H264_Baseline_AutoLevel));
    CHECK(reads(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanFalse)); /* as in Baseline */
    CHECK(reads(session, kVTCompressionPropertyKey_PixelTransferProperties, scaling));
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ExpectedFrameRate), 60);
    CFRelease(properties);

    const void *sparse_keys[] = {kVTCompressionPropertyKey_ColorPrimaries, NULL, kVTCompressionPropertyKey_YCbCrMatrix};
    const void *sparse[] = {kCVImageBufferColorPrimaries_ITU_R_709_2, NULL, kCVImageBufferYCbCrMatrix_ITU_R_709_2};
    properties = CFDictionaryCreate(NULL, sparse_keys, sparse, 3, NULL, NULL);
    CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
    CHECK(reads(session, kVTCompressionPropertyKey_ColorPrimaries, kCVImageBufferColorPrimaries_ITU_R_709_2));
    CFRelease(properties);

    CFRelease(scaling);
    CFRelease(rate);
    CFRelease(session);
}

/* Keys that the session or its encoder does not have are skipped in a dictionary, and the rest is set. Alone they are
 * refused. */
static void test_unsupported_keys_are_skipped(void) {
    static const CMVideoCodecType codecs[] = {kCMVideoCodecType_H264, kCMVideoCodecType_HEVC};
    CFNumberRef rate = integer(120), fraction = number(0.5), frames = integer(2);
    const struct {
        CFStringRef key;
        CFTypeRef value;
        int codecs; /* those in which the key is skipped: the first one, or both */
    } skipped[] = {{CFSTR("NoSuchProperty"), kCFBooleanTrue, 2},
        {kVTCompressionPropertyKey_MaximumRealTimeFrameRate, rate, 2},
        {kVTCompressionPropertyKey_TargetQualityForAlpha, fraction, 2}, {CFSTR("x265.preset"), CFSTR("fast"), 1},
        {kVTCompressionPropertyKey_H264EntropyMode, kVTH264EntropyMode_CABAC, -1},
        {kVTCompressionPropertyKey_ReferenceBufferCount, frames, -1}, {CFSTR("x264.params"), CFSTR("ref=2"), -1},
        {kVTCompressionPropertyKey_ConstantBitRate, rate, -1}, {kVTCompressionPropertyKey_EnableLTR, kCFBooleanTrue, -1},
        {kVTCompressionPropertyKey_AllowOpenGOP, kCFBooleanTrue, -1}};
    for (int c = 0; c < 2; c++)
        for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
            if (skipped[i].codecs == (c ? 1 : -1)) continue;
            VTCompressionSessionRef session = NULL;
            REQUIRE(VTCompressionSessionCreate(NULL, 64, 64, codecs[c], NULL, NULL, NULL, NULL, NULL, &session) == noErr);
            const CFStringRef keys[] = {kVTCompressionPropertyKey_ExpectedFrameRate, skipped[i].key,
                kVTCompressionPropertyKey_MaxKeyFrameInterval};
            const void *values[] = {rate, skipped[i].value, rate};
            CFDictionaryRef properties = dictionary_of(keys, values, 3);
            CFTypeRef before = copy_value(session, skipped[i].key);
            CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
            CHECK_EQ(copy_number(session, keys[0]), 120);
            CHECK_EQ(copy_number(session, keys[2]), 120);
            CHECK(before ? reads(session, skipped[i].key, before) : has_no_value(session, skipped[i].key));
            CHECK_EQ(VTSessionSetProperty(session, skipped[i].key, skipped[i].value), kVTPropertyNotSupportedErr);
            if (before) CFRelease(before);
            CFRelease(properties);
            CFRelease(session);
        }
    CFRelease(rate);
    CFRelease(fraction);
    CFRelease(frames);
}

/* A dictionary is set entirely or not at all, whatever value is refused in it. */
static void test_all_or_nothing(void) {
    CFNumberRef rate = integer(500000), quality = integer(7), other_rate = integer(700000), frames = integer(30);
    const struct {
        CFStringRef key;
        CFTypeRef value;
        OSStatus status;
    } bad[] = {
        {kVTCompressionPropertyKey_NumberOfPendingFrames, rate, kVTPropertyReadOnlyErr},
        {kVTCompressionPropertyKey_Quality, quality, kVTParameterErr},
        {kVTCompressionPropertyKey_Quality, kCFBooleanTrue, kVTPropertyNotSupportedErr},
        {kVTCompressionPropertyKey_ProgressiveScan, CFSTR("yes"), kVTPropertyNotSupportedErr},
        {kVTCompressionPropertyKey_PixelAspectRatio, kCFBooleanTrue, kVTPropertyNotSupportedErr},
        {CFSTR("ChromaLocationBottomField"), kCVImageBufferChromaLocation_Left, kVTParameterErr},
        {kVTCompressionPropertyKey_MultiPassStorage, kCFBooleanTrue, kVTPropertyNotSupportedErr},
    };
    const CFStringRef keys[] = {kVTCompressionPropertyKey_AverageBitRate, kVTCompressionPropertyKey_ColorPrimaries,
        kVTCompressionPropertyKey_AspectRatio16x9, CFSTR("x264.params"), CFSTR("ChromaLocationTopField")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int prepared = 0; prepared < 2; prepared++) {
            VTCompressionSessionRef session = session_of(64, 64, NULL);
            const CFStringRef all_keys[] = {keys[0], keys[1], keys[2], keys[3], keys[4], bad[i].key};
            const void *values[] = {rate, kCVImageBufferColorPrimaries_P3_D65, kCFBooleanTrue, CFSTR("ref=2"),
                kCVImageBufferChromaLocation_Top, bad[i].value};
            CFDictionaryRef properties = dictionary_of(all_keys, values, 6);
            if (prepared) CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
            CHECK_EQ(VTSessionSetProperties(session, properties), bad[i].status);
            CHECK(has_no_value(session, keys[0]) || copy_number(session, keys[0]) == 0);
            CHECK(reads(session, keys[1], kCVImageBufferColorPrimaries_SMPTE_C));
            CHECK(has_no_value(session, keys[2]));
            CHECK(reads(session, keys[3], CFSTR("")));
            CHECK(has_no_value(session, keys[4]));
            CHECK(has_no_value(session, kVTCompressionPropertyKey_MultiPassStorage));
            CFRelease(properties);
            CFRelease(session);
        }

    /* A storage is taken back too, and can be used by another session. */
    VTMultiPassStorageRef storage = NULL;
    CHECK_EQ(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage), noErr);
    VTCompressionSessionRef session = session_of(64, 64, NULL), another = session_of(64, 64, NULL);
    const CFStringRef storage_keys[] = {
        kVTCompressionPropertyKey_MultiPassStorage, kVTCompressionPropertyKey_NumberOfPendingFrames};
    const CFStringRef conflict_keys[] = {kVTCompressionPropertyKey_MultiPassStorage, kVTCompressionPropertyKey_RealTime};
    const void *storage_values[] = {storage, kCFBooleanTrue};
    for (int i = 0; i < 2; i++) {
        CFDictionaryRef properties = dictionary_of(i ? conflict_keys : storage_keys, storage_values, 2);
        CHECK(VTSessionSetProperties(session, properties) != noErr);
        CHECK(has_no_value(session, kVTCompressionPropertyKey_MultiPassStorage));
        CFRelease(properties);
    }
    CHECK_EQ(VTSessionSetProperty(another, kVTCompressionPropertyKey_MultiPassStorage, storage), noErr);
    CFRelease(another);
    CFRelease(session);
    CFRelease(storage);

    /* Between frames: the constant rate can change, and the colours cannot. */
    collected all = COLLECTED;
    session = session_of(64, 64, &all);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ExpectedFrameRate, frames), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ConstantBitRate, rate), noErr);
    CHECK_EQ(encode(session, 0), noErr);
    const CFStringRef live_keys[] = {kVTCompressionPropertyKey_ConstantBitRate, keys[1], keys[2]};
    const void *live_values[] = {other_rate, kCVImageBufferColorPrimaries_P3_D65, kCFBooleanTrue};
    CFDictionaryRef properties = dictionary_of(live_keys, live_values, 3);
    CHECK_EQ(VTSessionSetProperties(session, properties), kVTPropertyReadOnlyErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), 500000);
    CHECK(reads(session, keys[1], kCVImageBufferColorPrimaries_SMPTE_C));
    CHECK(has_no_value(session, keys[2]));
    CFRelease(properties);
    live_values[1] = kCVImageBufferColorPrimaries_SMPTE_C;
    properties = dictionary_of(live_keys, live_values, 3);
    CHECK_EQ(VTSessionSetProperties(session, properties), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantBitRate), 700000);
    CHECK(reads(session, keys[2], kCFBooleanTrue));
    CFRelease(properties);
    CHECK_EQ(encode(session, 1), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 2);
    end_session(session, &all);

    /* A session without a function of its own for dictionaries. */
    VTPixelTransferSessionRef transfer = NULL;
    CHECK_EQ(VTPixelTransferSessionCreate(NULL, &transfer), noErr);
    const CFStringRef transfer_keys[] = {kVTPixelTransferPropertyKey_ScalingMode,
        kVTPixelTransferPropertyKey_DestinationICCProfile, kVTPixelTransferPropertyKey_DownsamplingMode};
    const void *transfer_values[] = {kVTScalingMode_Trim, kCFBooleanTrue, kVTDownsamplingMode_Average};
    properties = dictionary_of(transfer_keys, transfer_values, 3);
    CFTypeRef before = copy_value(transfer, transfer_keys[0]);
    CHECK(VTSessionSetProperties(transfer, properties) != noErr);
    CFTypeRef after = copy_value(transfer, transfer_keys[0]);
    CHECK((!before && !after) || (before && after && CFEqual(before, after)));
    if (before) CFRelease(before);
    if (after) CFRelease(after);
    CFRelease(properties);
    const CFStringRef unknown_keys[] = {transfer_keys[0], CFSTR("NoSuchProperty"), transfer_keys[2]};
    properties = dictionary_of(unknown_keys, transfer_values, 3);
    CHECK_EQ(VTSessionSetProperties(transfer, properties), noErr);
    after = copy_value(transfer, transfer_keys[0]);
    CHECK(after && CFEqual(after, kVTScalingMode_Trim));
    if (after) CFRelease(after);
    CFRelease(properties);
    CFRelease(transfer);
    CFRelease(rate);
    CFRelease(other_rate);
    CFRelease(quality);
    CFRelease(frames);
}

static OSStatus create_with(CMVideoCodecType codec, CFStringRef key, CFTypeRef value) {
    VTCompressionSessionRef session = NULL;
    CFDictionaryRef specification = pair(key, value);
    const OSStatus status =
        VTCompressionSessionCreate(NULL, 64, 64, codec, specification, NULL, NULL, collect, NULL, &session);
    CHECK((session != NULL) == (status == noErr));
    if (session) {
        CHECK(reads(session, kVTCompressionPropertyKey_UsingHardwareAcceleratedVideoEncoder, kCFBooleanFalse));
        CFRelease(session);
    }
    CFRelease(specification);
    return status;
}

/* Behaviour 17: a program that requires hardware gets the software encoder, unless an environment variable
 * forbids it. */
static void test_hardware_that_is_required(void) {
    const CFStringRef require = kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder;
    unsetenv("NALU_VT_STRICT_HARDWARE");
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanTrue), noErr);
    setenv("NALU_VT_STRICT_HARDWARE", "1", 1);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanTrue), kVTCouldNotFindVideoEncoderErr);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanFalse), noErr);
    unsetenv("NALU_VT_STRICT_HARDWARE");
    CHECK_EQ(create_with(kCMVideoCodecType_HEVC, require, kCFBooleanFalse), noErr);
    CHECK_EQ(create_with(kCMVideoCodecType_HEVCWithAlpha, require, kCFBooleanFalse), kVTCouldNotFindVideoEncoderErr);
}

/* Behaviour 17: the list of encoders has the entries that programs read, and a session accepts its identifier. */
static void test_list_of_encoders(void) {
    CFArrayRef list = NULL;
    int codec = 0;
    CHECK_EQ(VTCopyVideoEncoderList(NULL, &list), noErr);
    REQUIRE(list && CFArrayGetCount(list) >= 2);
    CFDictionaryRef encoder = CFArrayGetValueAtIndex(list, 0);
    CFNumberRef type = CFDictionaryGetValue(encoder, kVTVideoEncoderList_CodecType);
    CFStringRef encoder_id = CFDictionaryGetValue(encoder, kVTVideoEncoderList_EncoderID);
    CHECK(type && CFNumberGetValue(type, kCFNumberIntType, &codec) && codec == (int)kCMVideoCodecType_H264);
    CHECK(CFGetTypeID(CFDictionaryGetValue(encoder, kVTVideoEncoderList_DisplayName)) == CFStringGetTypeID());
    CHECK(CFDictionaryGetValue(encoder, kVTVideoEncoderList_IsHardwareAccelerated) == kCFBooleanFalse);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, kVTVideoEncoderSpecification_EncoderID, encoder_id), noErr);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, kVTVideoEncoderSpecification_EncoderID, CFSTR("nobody")),
        kVTCouldNotFindVideoEncoderErr);
    CFRelease(list);
}

/* Behaviour 18: the properties that an encoder supports, with the list of its profiles. Each of them can be copied. */
static void test_supported_properties(void) {
    CFStringRef encoder_id = NULL;
    CFDictionaryRef supported = NULL;
    CFDictionaryRef specification =
        pair(kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder, kCFBooleanTrue);
    CHECK_EQ(VTCopySupportedPropertyDictionaryForEncoder(
                 1920, 1080, kCMVideoCodecType_H264, specification, &encoder_id, &supported),
        noErr);
    REQUIRE(encoder_id && supported);
    CHECK(CFEqual(encoder_id, CFSTR("org.videolan.x264")));
    CFDictionaryRef profile = CFDictionaryGetValue(supported, kVTCompressionPropertyKey_ProfileLevel);
    REQUIRE(profile);
    CFArrayRef levels = CFDictionaryGetValue(profile, kVTPropertySupportedValueListKey);
    CHECK(levels &&
        CFArrayContainsValue(
            levels, CFRangeMake(0, CFArrayGetCount(levels)), kVTProfileLevel_H264_High_AutoLevel));
    CHECK(CFEqual(CFDictionaryGetValue(profile, kVTPropertyTypeKey), kVTPropertyType_Enumeration));
    CFDictionaryRef pending = CFDictionaryGetValue(supported, kVTCompressionPropertyKey_NumberOfPendingFrames);
    CHECK(pending &&
        CFEqual(CFDictionaryGetValue(pending, kVTPropertyReadWriteStatusKey), kVTPropertyReadWriteStatus_ReadOnly));
    CFRelease(encoder_id);
    CFRelease(supported);
    CHECK_EQ(VTCopySupportedPropertyDictionaryForEncoder(
                 1920, 1080, kCMVideoCodecType_HEVCWithAlpha, specification, &encoder_id, &supported),
        kVTCouldNotFindVideoEncoderErr);
    CHECK(encoder_id == NULL && supported == NULL);
    CFRelease(specification);

    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    const CFIndex count = CFDictionaryGetCount(supported);
    const void *keys[256];
    REQUIRE(count > 50 && count < 256);
    CFDictionaryGetKeysAndValues(supported, keys, NULL);
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef value = NULL;
        const OSStatus status = VTSessionCopyProperty(session, keys[i], NULL, &value);
        /* Programs release the value of every call that succeeds. */
        CHECK(status == noErr ? value != NULL : status == kVTPropertyNotSupportedErr && value == NULL);
        if (value) CFRelease(value);
    }
    CFRelease(supported);
    CFRelease(session);
}

/* The lists of values are those of the session's encoder: it accepts each of them. */
static void test_listed_values_are_accepted(void) {
    static const struct {
        CMVideoCodecType codec;
        const char *encoder_id, *profile_prefix;
    } encoders[] = {{kCMVideoCodecType_H264, "org.videolan.x264", "H264_"},
        {kCMVideoCodecType_H264, "org.openh264.openh264", "H264_"},
        {kCMVideoCodecType_HEVC, "org.videolan.x265", "HEVC_"}};
    for (int i = 0; i < 3; i++) {
        CFStringRef encoder_id = CFStringCreateWithCString(NULL, encoders[i].encoder_id, kCFStringEncodingUTF8);
        CFStringRef prefix = CFStringCreateWithCString(NULL, encoders[i].profile_prefix, kCFStringEncodingUTF8);
        CFDictionaryRef specification = pair(kVTVideoEncoderSpecification_EncoderID, encoder_id);
        CFDictionaryRef supported = NULL;
        VTCompressionSessionRef session = NULL;
        REQUIRE(VTCompressionSessionCreate(
                    NULL, 64, 64, encoders[i].codec, specification, NULL, NULL, NULL, NULL, &session) == noErr);
        REQUIRE(VTSessionCopySupportedPropertyDictionary(session, &supported) == noErr);
        const void *keys[256], *descriptions[256];
        REQUIRE(CFDictionaryGetCount(supported) < 256);
        CFDictionaryGetKeysAndValues(supported, keys, descriptions);
        for (CFIndex k = 0; k < CFDictionaryGetCount(supported); k++) {
            CFArrayRef values = CFDictionaryGetValue(descriptions[k], kVTPropertySupportedValueListKey);
            if (!values) continue;
            CHECK(CFArrayGetCount(values) > 0);
            for (CFIndex v = 0; v < CFArrayGetCount(values); v++) {
                CFStringRef value = CFArrayGetValueAtIndex(values, v);
                CHECK_EQ(VTSessionSetProperty(session, keys[k], value), noErr);
                if (CFEqual(keys[k], kVTCompressionPropertyKey_ProfileLevel)) CHECK(CFStringHasPrefix(value, prefix));
            }
            CHECK_EQ(VTSessionSetProperty(session, keys[k], NULL), noErr);
        }
        CFRelease(supported);
        CFRelease(session);
        CFRelease(specification);
        CFRelease(prefix);
        CFRelease(encoder_id);
    }
}

/* Keys and values whose texts differ from those of libnalu. */
static void test_texts_that_differ_from_those_of_libnalu(void) {
    CFDictionaryRef supported = NULL;
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    CHECK(CFDictionaryContainsKey(supported, kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame));
    CHECK(!CFDictionaryContainsKey(supported, CFSTR("EstimatedAverageBytesPerFrame")));
    CFDictionaryRef mode = CFDictionaryGetValue(supported, kVTCompressionPropertyKey_HDRMetadataInsertionMode);
    CFArrayRef modes = mode ? CFDictionaryGetValue(mode, kVTPropertySupportedValueListKey) : NULL;
    REQUIRE(modes && CFArrayGetCount(modes) == 2);
    const CFRange both = CFRangeMake(0, 2);
    CHECK(CFArrayContainsValue(modes, both, kVTHDRMetadataInsertionMode_None));
    CHECK(CFArrayContainsValue(modes, both, kVTHDRMetadataInsertionMode_Auto));
    CFRelease(supported);

    const CFStringRef key = kVTCompressionPropertyKey_HDRMetadataInsertionMode;
    CHECK(reads(session, key, kVTHDRMetadataInsertionMode_Auto));
    CHECK_EQ(VTSessionSetProperty(session, key, kVTHDRMetadataInsertionMode_None), noErr);
    CHECK(reads(session, key, kVTHDRMetadataInsertionMode_None));
    CHECK_EQ(VTSessionSetProperty(session, key, kVTHDRMetadataInsertionMode_RequestSDRRangePreservation), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(session, key, kCFBooleanTrue), kVTPropertyNotSupportedErr);

    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 800000), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 25), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame), 4000);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_EstimatedAverageBytesPerFrame, 1), kVTPropertyReadOnlyErr);
    CFRelease(session);
}

/* Dictionaries, data and strings come back as they were set. */
static void test_structured_values(void) {
    VTCompressionSessionRef session = session_of(640, 480, NULL);
    CFNumberRef four = integer(4), three = integer(3), width = integer(600), height = integer(400), zero = integer(0);
    const CFStringRef aspect_keys[] = {kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing,
        kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing};
    const void *aspect_values[] = {four, three};
    const CFStringRef aperture_keys[] = {kCMFormatDescriptionKey_CleanApertureWidth,
        kCMFormatDescriptionKey_CleanApertureHeight, kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
        kCMFormatDescriptionKey_CleanApertureVerticalOffset};
    const void *aperture_values[] = {width, height, zero, zero};
    uint8_t mastering[24], light[4] = {0x03, 0xe8, 0x01, 0x90};
    for (int i = 0; i < 24; i++) mastering[i] = (uint8_t)(i < 16 ? 0x20 + i : 0);
    mastering[17] = 1; /* the highest luminance is above the lowest */
    const CFTypeRef values[] = {dictionary_of(aspect_keys, aspect_values, 2),
        dictionary_of(aperture_keys, aperture_values, 4), CFDataCreate(NULL, mastering, 24),
        CFDataCreate(NULL, light, 4)};
    const CFStringRef keys[] = {kVTCompressionPropertyKey_PixelAspectRatio, kVTCompressionPropertyKey_CleanAperture,
        kVTCompressionPropertyKey_MasteringDisplayColorVolume, kVTCompressionPropertyKey_ContentLightLevelInfo};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(VTSessionSetProperty(session, keys[i], values[i]), noErr);
        CHECK(reads(session, keys[i], values[i]));
    }
    CHECK_EQ(VTSessionSetProperty(session, keys[2], values[3]), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(session, keys[0], values[1]), kVTParameterErr);

    /* The serialized properties set another session to the same values. */
    CFDictionaryRef serialized = NULL;
    VTCompressionSessionRef other = session_of(640, 480, NULL);
    CHECK_EQ(VTSessionCopySerializableProperties(session, NULL, &serialized), noErr);
    CHECK_EQ(VTSessionSetProperties(other, serialized), noErr);
    for (int i = 0; i < 4; i++) CHECK(reads(other, keys[i], values[i]));
    CFRelease(serialized);
    CFRelease(other);

    for (int i = 0; i < 4; i++) {
        CHECK_EQ(VTSessionSetProperty(session, keys[i], NULL), noErr);
        CHECK(copy_value(session, keys[i]) == NULL);
        CFRelease(values[i]);
    }
    CFDictionaryRef attributes = copy_value(session, kVTCompressionPropertyKey_VideoEncoderPixelBufferAttributes);
    REQUIRE(attributes);
    int format = 0;
    CFNumberRef type = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    CHECK(type && CFNumberGetValue(type, kCFNumberIntType, &format));
    CHECK_EQ(format, (int)kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CFRelease(attributes);
    CFDictionaryRef presets = copy_value(session, kVTCompressionPropertyKey_SupportedPresetDictionaries);
    REQUIRE(presets);
    CFDictionaryRef preset = CFDictionaryGetValue(presets, kVTCompressionPreset_VideoConferencing);
    CHECK_EQ(VTSessionSetProperties(session, preset), noErr);
    CHECK(reads(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue));
    preset = CFDictionaryGetValue(presets, kVTCompressionPreset_ConsistentQuality);
    CHECK_EQ(VTSessionSetProperties(session, preset), noErr);
    CHECK(reads(session, kVTCompressionPropertyKey_RealTime, kCFBooleanFalse));
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_ConstantQualityFactor), 0.5);
    CFRelease(presets);
    CFRelease(four);
    CFRelease(three);
    CFRelease(width);
    CFRelease(height);
    CFRelease(zero);
    CFRelease(session);
}

/* Behaviour 21: dictionaries without callbacks, whose values are released after the call. */
static void test_dictionaries_without_callbacks(void) {
    VTCompressionSessionRef session = NULL;
    collected all = COLLECTED;
    CFNumberRef width = integer(128), height = integer(96), format = integer((int)kCVPixelFormatType_420YpCbCr8Planar);
    const void *keys[] = {kCVPixelBufferWidthKey, kCVPixelBufferHeightKey, kCVPixelBufferPixelFormatTypeKey};
    const void *values[] = {width, height, format};
    const void *spec_keys[] = {kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder};
    const void *spec_values[] = {kCFBooleanFalse};
    CFDictionaryRef attributes = CFDictionaryCreate(NULL, keys, values, 3, NULL, NULL);
    CFDictionaryRef specification = CFDictionaryCreate(NULL, spec_keys, spec_values, 1, NULL, NULL);
    CHECK_EQ(VTCompressionSessionCreate(NULL, 128, 96, kCMVideoCodecType_H264, specification, attributes, NULL, collect,
                 &all, &session),
        noErr);
    CFRelease(width);
    CFRelease(height);
    CFRelease(format);
    CFRelease(attributes);
    CFRelease(specification);
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, VTCompressionSessionGetPixelBufferPool(session), &buffer), noErr);
    REQUIRE(buffer);
    CHECK_EQ(CVPixelBufferGetPixelFormatType(buffer), kCVPixelFormatType_420YpCbCr8Planar);
    const void *option_keys[] = {kVTEncodeFrameOptionKey_ForceKeyFrame};
    const void *option_values[] = {kCFBooleanTrue};
    for (int n = 0; n < 6; n++) {
        CFDictionaryRef options = CFDictionaryCreate(NULL, option_keys, option_values, 1, NULL, NULL);
        paint(buffer, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid,
                     n == 3 ? options : NULL, NULL, NULL),
            noErr);
        CFRelease(options);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    for (int i = 0; i < all.count; i++)
        CHECK_EQ(is_key_frame(all.samples[i]), CMSampleBufferGetPresentationTimeStamp(all.samples[i]).value % 3 == 0);
    CVPixelBufferRelease(buffer);
    end_session(session, &all);
}

int main(void) {
    RUN(test_dictionaries_of_properties);
    RUN(test_unsupported_keys_are_skipped);
    RUN(test_all_or_nothing);
    RUN(test_hardware_that_is_required);
    RUN(test_list_of_encoders);
    RUN(test_supported_properties);
    RUN(test_listed_values_are_accepted);
    RUN(test_texts_that_differ_from_those_of_libnalu);
    RUN(test_structured_values);
    RUN(test_dictionaries_without_callbacks);
    return check_result();
}
