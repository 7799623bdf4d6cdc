/* Properties of compression sessions: behaviours 13 to 19 and 21 of the programs that use VideoToolbox. */
#include "session_support.h"
#include "supported_keys.h"

#include <math.h>

static CFDictionaryRef dictionary_of(const CFStringRef *keys, const void **values, CFIndex count) {
    return CFDictionaryCreate(NULL, (const void **)keys, values, count, &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks);
}

static bool reads(VTCompressionSessionRef session, CFStringRef key, CFTypeRef expected) {
    CFTypeRef value = copy_value(session, key);
    const bool same = value && CFEqual(value, expected);
    if (value) CFRelease(value);
    return same;
}

/* Behaviour 13: unknown keys and wrong types result in kVTPropertyNotSupportedErr, which programs tolerate. */
static void test_statuses(void) {
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CFTypeRef value = kCFBooleanTrue;
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("NoSuchProperty"), kCFBooleanTrue), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("kVTCodecPropertyKey_PreserveAlphaChannel"), CFSTR("NO")),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionCopyProperty(session, CFSTR("NoSuchProperty"), NULL, &value), kVTPropertyNotSupportedErr);
    CHECK(value == NULL);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AverageBitRate, CFSTR("fast")),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, CFSTR("yes")),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, kCFBooleanTrue),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, kCFBooleanTrue),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_PixelAspectRatio, CFSTR("4:3")),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_TargetQualityForAlpha, kCFBooleanTrue),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_GammaLevel, CFSTR("2.2")),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ICCProfile, kCFBooleanTrue),
        kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_EncoderID, CFSTR("x")), kVTPropertyReadOnlyErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 1.5), kVTParameterErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, -1), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_HEVC_Main_AutoLevel),
        kVTParameterErr);
    CFRelease(session);
}

static CFArrayRef array_of(const CFNumberRef *numbers, CFIndex count) {
    CFArrayRef array = CFArrayCreate(NULL, (const void **)numbers, count, &kCFTypeArrayCallBacks);
    for (CFIndex i = 0; i < count; i++) CFRelease(numbers[i]);
    return array;
}

/* Behaviour 14: values that have to be accepted. */
static void test_values_that_are_accepted(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    const int64_t never = INT64_MAX;
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 0), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_AverageBitRate, 0), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 0), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration, 0), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration, 2), noErr);
    CHECK_EQ(set_and_release(session, kVTCompressionPropertyKey_MaxKeyFrameInterval,
                 CFNumberCreate(NULL, kCFNumberSInt64Type, &never)),
        noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, 240.0), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 0), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_ExpectedFrameRate, 30), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_FieldCount, 1), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.5), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_AverageBitRate, 500000.25), noErr);
    CHECK_EQ(set_number(session, kCVImageBufferGammaLevelKey, 2.2), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_GammaLevel, 2.2), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_GammaLevel), 2.2);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_Quality), 0.5);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_AverageBitRate), 500000);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_MaxKeyFrameInterval), 240);
    for (int i = 0; i < 3; i++) {
        const CFStringRef colours[] = {kVTCompressionPropertyKey_ColorPrimaries,
            kVTCompressionPropertyKey_TransferFunction, kVTCompressionPropertyKey_YCbCrMatrix};
        CHECK_EQ(VTSessionSetProperty(session, colours[i], NULL), noErr);
    }
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    for (int n = 0; n < 5; n++) CHECK_EQ(encode(session, n), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 5);
    CFRelease(session);
    collected_clear(&all);
}

/* Behaviour 14: the rate takes precedence over a quality that is set by habit. */
static void test_a_rate_together_with_a_quality(void) {
    size_t sizes[2] = {0, 0};
    for (int both = 0; both < 2; both++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 1000000), noErr);
        if (both) CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.1), noErr);
        for (int n = 0; n < 30; n++) CHECK_EQ(encode(session, n), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        for (int i = 0; i < all.count; i++) sizes[both] += CMSampleBufferGetTotalSampleSize(all.samples[i]);
        CFRelease(session);
        collected_clear(&all);
    }
    /* With this quality alone, a stream has a fraction of the rate. */
    CHECK(sizes[1] > sizes[0] / 2 && sizes[1] < 2 * sizes[0]);
}

/* Behaviour 14: limits of two and four entries, in numbers of every type, and limits that programs write by mistake. */
static void test_data_rate_limits(void) {
    const double one = 1.0, bytes = 62500.0;
    const float zero = 0;
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    const CFNumberRef two[] = {integer(62500), number(1.5)};
    const CFNumberRef four[] = {integer(62500), number(1), number(500000), integer(10)};
    /* Limits that programs write by mistake: the first bytes of a double, read as another type. */
    const CFNumberRef mistaken[] = {CFNumberCreate(NULL, kCFNumberIntType, &bytes),
        CFNumberCreate(NULL, kCFNumberFloatType, &one)};
    const CFNumberRef windowless[] = {integer(62500), CFNumberCreate(NULL, kCFNumberFloatType, &zero)};
    const CFNumberRef odd[] = {integer(62500)};
    const CFArrayRef arrays[] = {array_of(two, 2), array_of(four, 4), array_of(mistaken, 2), array_of(windowless, 2)};
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, arrays[i]), noErr);
        CHECK(reads(session, kVTCompressionPropertyKey_DataRateLimits, arrays[i]));
        CFRelease(arrays[i]);
    }
    CHECK_EQ(set_and_release(session, kVTCompressionPropertyKey_DataRateLimits, array_of(odd, 1)), kVTParameterErr);
    /* Negative numbers and NaN are refused, and the previous value stays. */
    const double window = 1.3; /* its first bytes are a negative float */
    const CFNumberRef all[] = {integer(0), integer(0)}, window_below[] = {integer(62500), number(-1)},
                      bytes_below[] = {integer(-62500), number(1)}, neither[] = {integer(62500), number(NAN)},
                      halves[] = {CFNumberCreate(NULL, kCFNumberIntType, &bytes),
                          CFNumberCreate(NULL, kCFNumberFloatType, &window)};
    CHECK_EQ(set_and_release(session, kVTCompressionPropertyKey_DataRateLimits, array_of(all, 2)), noErr);
    CFTypeRef kept = copy_value(session, kVTCompressionPropertyKey_DataRateLimits);
    const CFArrayRef refused[] = {array_of(window_below, 2), array_of(bytes_below, 2), array_of(neither, 2),
        array_of(halves, 2)};
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, refused[i]), kVTParameterErr);
        CHECK(strstr(nalu_last_error_message(), "DataRateLimits") != NULL);
        CHECK(reads(session, kVTCompressionPropertyKey_DataRateLimits, kept));
        CFRelease(refused[i]);
    }
    if (kept) CFRelease(kept);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, NULL), noErr);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    CFRelease(session);
}

/* Behaviour 15: without a session, the status is kVTParameterErr. */
static void test_no_session(void) {
    VTCompressionSessionRef volatile none = NULL;
    CVPixelBufferRef volatile no_buffer = NULL;
    CFTypeRef value = NULL;
    CFDictionaryRef dictionary = NULL;
    CMItemCount count = 7;
    const CMTimeRange *ranges = NULL;
    Boolean further = true;
    CFTypeRef other = CFSTR("not a session");
    CHECK_EQ(VTSessionSetProperty(none, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(other, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), kVTParameterErr);
    CHECK_EQ(VTSessionCopyProperty(none, kVTCompressionPropertyKey_RealTime, NULL, &value), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperties(none, dictionary), kVTParameterErr);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(none, &dictionary), kVTParameterErr);
    CHECK_EQ(VTSessionCopySerializableProperties(none, NULL, &dictionary), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(none), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionEncodeFrame(none, no_buffer, kCMTimeZero, kCMTimeInvalid, NULL, NULL, NULL),
        kVTParameterErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(none, kCMTimeInvalid), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionBeginPass(none, 0, NULL), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionEndPass(none, &further, NULL), kVTParameterErr);
    CHECK_EQ(VTCompressionSessionGetTimeRangesForNextPass(none, &count, &ranges), kVTParameterErr);
    CHECK(VTCompressionSessionGetPixelBufferPool(none) == NULL && !further && count == 0);
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CFStringRef volatile no_key = NULL;
    CHECK_EQ(VTSessionSetProperty(session, no_key, kCFBooleanTrue), kVTParameterErr);
    CHECK_EQ(VTSessionCopyProperty(session, kVTCompressionPropertyKey_RealTime, NULL, NULL), kVTParameterErr);
    CFRelease(session);
}

/* Behaviour 16: keys of the specification among the properties, and NULL keys, do no harm; other keys do. */
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

    properties = pair(CFSTR("NoSuchProperty"), kCFBooleanTrue);
    CHECK_EQ(VTSessionSetProperties(session, properties), kVTPropertyNotSupportedErr);
    CFRelease(properties);
    CFRelease(scaling);
    CFRelease(rate);
    CFRelease(session);
}

static bool has_no_value(VTSessionRef session, CFStringRef key) {
    CFTypeRef value = copy_value(session, key);
    if (value) CFRelease(value);
    return value == NULL;
}

/* A dictionary is set entirely or not at all, whatever fails in it. */
static void test_all_or_nothing(void) {
    CFNumberRef rate = integer(500000), quality = integer(7), other_rate = integer(700000), frames = integer(30);
    const struct {
        CFStringRef key;
        CFTypeRef value;
        OSStatus status;
    } bad[] = {
        {CFSTR("NoSuchProperty"), kCFBooleanTrue, kVTPropertyNotSupportedErr},
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
    const CFStringRef storage_keys[] = {kVTCompressionPropertyKey_MultiPassStorage, CFSTR("NoSuchProperty")};
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
    CFRelease(session);
    collected_clear(&all);

    /* A session without a function of its own for dictionaries. */
    VTPixelTransferSessionRef transfer = NULL;
    CHECK_EQ(VTPixelTransferSessionCreate(NULL, &transfer), noErr);
    const CFStringRef transfer_keys[] = {kVTPixelTransferPropertyKey_ScalingMode, CFSTR("NoSuchProperty"),
        kVTPixelTransferPropertyKey_DownsamplingMode};
    const void *transfer_values[] = {kVTScalingMode_Trim, kCFBooleanTrue, kVTDownsamplingMode_Average};
    properties = dictionary_of(transfer_keys, transfer_values, 3);
    CFTypeRef before = copy_value(transfer, transfer_keys[0]);
    CHECK(VTSessionSetProperties(transfer, properties) != noErr);
    CFTypeRef after = copy_value(transfer, transfer_keys[0]);
    CHECK((!before && !after) || (before && after && CFEqual(before, after)));
    if (before) CFRelease(before);
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

/* Behaviour 17: a program that requires hardware gets the software encoder, unless the environment says otherwise. */
static void test_hardware_that_is_required(void) {
    const CFStringRef require = kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder;
    unsetenv("NALU_VT_STRICT_HARDWARE");
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanTrue), noErr);
    setenv("NALU_VT_STRICT_HARDWARE", "1", 1);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanTrue), kVTCouldNotFindVideoEncoderErr);
    CHECK_EQ(create_with(kCMVideoCodecType_H264, require, kCFBooleanFalse), noErr);
    unsetenv("NALU_VT_STRICT_HARDWARE");
    CHECK_EQ(create_with(kCMVideoCodecType_HEVC, require, kCFBooleanFalse), kVTCouldNotFindVideoEncoderErr);
}

/* Behaviour 17: the list of encoders has the entries that programs read, and a session accepts its identifier. */
static void test_list_of_encoders(void) {
    CFArrayRef list = NULL;
    int codec = 0;
    CHECK_EQ(VTCopyVideoEncoderList(NULL, &list), noErr);
    REQUIRE(list && CFArrayGetCount(list) == 1);
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
                 1920, 1080, kCMVideoCodecType_HEVC, specification, &encoder_id, &supported),
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
        CFRelease(session);
        collected_clear(&all);
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
    for (int n = 0; n < 6; n++) CHECK_EQ(encode(session, n), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 6);
    for (int i = 0; i < all.count; i++) CHECK(all.samples[i] != NULL);
    CFRelease(session);
    collected_clear(&all);
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
    CFRelease(session);
    collected_clear(&all);
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
    CFRelease(session);
    collected_clear(&all);
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
    CFRelease(session);
    collected_clear(&all);

    session = live_session(64, 64, &all);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 200000), noErr);
    CHECK_EQ(encode(session, 0), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.6), kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MaximizePowerEfficiency, kCFBooleanTrue),
        kVTPropertyReadOnlyErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_AllowFrameReordering, kCFBooleanTrue),
        kVTPropertyReadOnlyErr);
    CFRelease(session);
    collected_clear(&all);
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
    CFRelease(session);
    collected_clear(&all);
}

/* NaN is neither 0 nor true. */
static void test_not_a_number(void) {
    const CFStringRef keys[] = {kVTCompressionPropertyKey_MaxKeyFrameInterval, kVTCompressionPropertyKey_FieldCount,
        kVTCompressionPropertyKey_AllowTemporalCompression, kVTCompressionPropertyKey_RealTime,
        kVTCompressionPropertyKey_PreserveAlphaChannel, kVTCompressionPropertyKey_AverageBitRate,
        kVTCompressionPropertyKey_SourceFrameCount};
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CFTypeRef before = copy_value(session, keys[i]);
        CHECK_EQ(set_number(session, keys[i], NAN), kVTPropertyNotSupportedErr);
        CFTypeRef after = copy_value(session, keys[i]);
        CHECK((!before && !after) || (before && after && CFEqual(before, after)));
        if (before) CFRelease(before);
        if (after) CFRelease(after);
    }
    CFRelease(session);
}

/* Hints for a rate that is not set are kept, and have no effect. */
static void test_hints_without_a_rate(void) {
    const struct {
        CFStringRef key;
        double value, wrong;
    } hints[] = {
        {kVTCompressionPropertyKey_SourceFrameCount, 60, -1},
        {kVTCompressionPropertyKey_ExpectedDuration, 2.5, 1e7},
        {kVTCompressionPropertyKey_VBVMaxBitRate, 900000, -1},
        {kVTCompressionPropertyKey_VBVBufferDuration, 1.5, 61},
        {kVTCompressionPropertyKey_VBVInitialDelayPercentage, 50, 101},
    };
    enum { HINTS = sizeof hints / sizeof *hints };
    const CFStringRef rates[] = {
        NULL, kVTCompressionPropertyKey_AverageBitRate, kVTCompressionPropertyKey_VariableBitRate};
    for (int i = 0; i < HINTS; i++) {
        for (int rate = 0; rate < 3; rate++) {
            collected all = COLLECTED;
            VTCompressionSessionRef session = session_of(64, 64, &all);
            CHECK_EQ(set_number(session, hints[i].key, hints[i].wrong), kVTParameterErr);
            CHECK_EQ(set_number(session, hints[i].key, hints[i].value), noErr);
            if (rates[rate]) CHECK_EQ(set_integer(session, rates[rate], 500000), noErr);
            CHECK_EQ(copy_number(session, hints[i].key), hints[i].value);
            for (int n = 0; n < 3; n++) CHECK_EQ(encode(session, n), noErr);
            CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
            CHECK_EQ(all.count, 3);
            CFRelease(session);
            collected_clear(&all);
        }
    }
    VTMultiPassStorageRef storage = NULL;
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    CHECK_EQ(VTMultiPassStorageCreate(NULL, NULL, kCMTimeRangeInvalid, NULL, &storage), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_SourceFrameCount, 60), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 500000), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_MultiPassStorage, storage), noErr);
    CHECK_EQ(copy_number(session, kVTCompressionPropertyKey_SourceFrameCount), 60);
    CHECK_EQ(VTCompressionSessionPrepareToEncodeFrames(session), noErr);
    CFRelease(session);
    CFRelease(storage);
}

/* Behaviour 21 for arrays: the session keeps its own copy. The numbers of the caller are released after the call. */
static void test_array_without_callbacks(void) {
    VTCompressionSessionRef session = session_of(64, 64, NULL);
    const CFNumberRef numbers[] = {number(100000.5), number(1.5)}, same[] = {number(100000.5), number(1.5)};
    CFArrayRef plain = CFArrayCreate(NULL, (const void **)numbers, 2, NULL), expected = array_of(same, 2);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_DataRateLimits, plain), noErr);
    CFTypeRef kept = copy_value(session, kVTCompressionPropertyKey_DataRateLimits);
    REQUIRE(kept && CFGetTypeID(kept) == CFArrayGetTypeID() && CFArrayGetCount(kept) == 2);
    CHECK(kept != plain);
    CFRelease(plain);
    for (int i = 0; i < 2; i++) CFRelease(numbers[i]);
    CHECK(CFEqual(kept, expected));
    CHECK(reads(session, kVTCompressionPropertyKey_DataRateLimits, expected));
    CFRelease(kept);
    CFRelease(expected);
    CFRelease(session);
}

int main(void) {
    RUN(test_statuses);
    RUN(test_values_that_are_accepted);
    RUN(test_a_rate_together_with_a_quality);
    RUN(test_data_rate_limits);
    RUN(test_no_session);
    RUN(test_dictionaries_of_properties);
    RUN(test_all_or_nothing);
    RUN(test_hardware_that_is_required);
    RUN(test_list_of_encoders);
    RUN(test_supported_properties);
    RUN(test_texts_that_differ_from_those_of_libnalu);
    RUN(test_values_that_are_read_back);
    RUN(test_not_a_number);
    RUN(test_hints_without_a_rate);
    RUN(test_setting_after_prepare);
    RUN(test_frame_rate_after_prepare);
    RUN(test_look_ahead);
    RUN(test_constant_quality_factor);
    RUN(test_every_supported_key_is_read);
    RUN(test_hints_that_come_too_late);
    RUN(test_structured_values);
    RUN(test_dictionaries_without_callbacks);
    RUN(test_array_without_callbacks);
    return check_result();
}
