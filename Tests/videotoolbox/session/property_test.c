/* Properties of compression sessions: statuses, values and rates. Behaviours 13 to 15 of the programs that use
 * VideoToolbox. */
#include "property_support.h"

#include <math.h>

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
    encode_frames(session, 5);
    CHECK_EQ(all.count, 5);
    end_session(session, &all);
}

/* Behaviour 14: the rate takes precedence over a quality that is set by habit. */
static void test_a_rate_together_with_a_quality(void) {
    size_t sizes[2] = {0, 0};
    for (int both = 0; both < 2; both++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = session_of(64, 64, &all);
        CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 1000000), noErr);
        if (both) CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.1), noErr);
        encode_frames(session, 30);
        for (int i = 0; i < all.count; i++) sizes[both] += CMSampleBufferGetTotalSampleSize(all.samples[i]);
        end_session(session, &all);
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

/* The message is that of the last failure, whether libnalu or libVideoToolbox has found it. */
static void test_error_messages(void) {
    VTCompressionSessionRef session = session_of(64, 64, NULL), none = NULL;
    VTDecompressionSessionRef decoder = NULL;
    VTCompressionSessionRef volatile no_session = NULL;
    VTDecompressionSessionRef volatile no_decoder = NULL;
    CMSampleBufferRef volatile no_sample = NULL;
    VTCompressionOutputHandler encoded = ^(OSStatus status, VTEncodeInfoFlags flags, CMSampleBufferRef sample) {
        (void)status, (void)flags, (void)sample;
    };
    VTDecompressionOutputHandler volatile no_handler = NULL;
    VTDecompressionOutputHandler decoded =
        ^(OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image, CMTime time, CMTime duration) {
            (void)status, (void)flags, (void)image, (void)time, (void)duration;
        };
    /* 60 letters of two bytes, which begin at an even and at an odd byte. */
    char letters[122] = "x";
    for (int i = 1; i <= 120; i += 2) memcpy(letters + i, "ä", 2);
    CFStringRef long_keys[2];
    for (int i = 0; i < 2; i++) long_keys[i] = CFStringCreateWithCString(NULL, letters + !i, kCFStringEncodingUTF8);
    CFDictionaryRef supported = NULL;
    CFTypeRef value = NULL;
    CFNumberRef seven = integer(7);
    const CFStringRef keys[] = {CFSTR("AverageBitRate"), CFSTR("ProgressiveScan")};
    const void *values[] = {seven, CFSTR("yes")};
    CFDictionaryRef dictionary = dictionary_of(keys, values, 2);
    CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_32BGRA, 64, 64, 0);
    CMFormatDescriptionRef audio = NULL;
    CHECK_EQ(CMFormatDescriptionCreate(NULL, kCMMediaType_Audio, 'aac ', NULL, &audio), noErr);
#define FAILS(call, expected, ...)                                                                          \
    do {                                                                                                    \
        const char *words[] = {__VA_ARGS__};                                                                \
        nalu_set_last_error_message("an earlier failure");                                                  \
        CHECK_EQ(call, expected);                                                                           \
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)                                           \
            check_that(strstr(nalu_last_error_message(), words[w]) != NULL, __FILE__, __LINE__, words[w], ""); \
        CHECK(!strstr(nalu_last_error_message(), "earlier"));                                               \
    } while (0)
    FAILS(VTSessionSetProperty(session, CFSTR("NoSuchProperty"), kCFBooleanTrue), kVTPropertyNotSupportedErr,
        "VTSessionSetProperty", "NoSuchProperty", "-12900", "expected");
    FAILS(VTSessionSetProperty(session, kVTCompressionPropertyKey_Quality, kCFBooleanTrue), kVTPropertyNotSupportedErr,
        "Quality", "kVTPropertyNotSupportedErr");
    FAILS(VTSessionSetProperty(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, CFSTR("x")),
        kVTPropertyNotSupportedErr, "MaxKeyFrameInterval");
    FAILS(set_integer(session, kVTCompressionPropertyKey_Quality, 7), kVTParameterErr, "Quality is 7");
    FAILS(set_integer(session, kVTCompressionPropertyKey_MaxKeyFrameInterval, -7), kVTParameterErr, "MaxKeyFrameInterval is -7");
    FAILS(VTSessionSetProperties(session, dictionary), kVTPropertyNotSupportedErr, "VTSessionSetProperties", "ProgressiveScan");
    /* The bytes of no character are separated, wherever a limit of length is. */
    for (int i = 0; i < 2; i++)
        FAILS(VTSessionSetProperty(session, long_keys[i], kCFBooleanTrue), kVTPropertyNotSupportedErr, "ää\"; expected");
    FAILS(VTSessionCopyProperty(session, CFSTR("NoSuchProperty"), NULL, &value), kVTPropertyNotSupportedErr,
        "VTSessionCopyProperty", "NoSuchProperty");
    FAILS(VTSessionCopySupportedPropertyDictionary(no_session, &supported), kVTParameterErr,
        "VTSessionCopySupportedPropertyDictionary");
    FAILS(VTCompressionSessionCreate(NULL, 0, 64, kCMVideoCodecType_H264, NULL, NULL, NULL, NULL, NULL, &none), kVTParameterErr,
        "VTCompressionSessionCreate", "-12902");
    FAILS(VTCompressionSessionCreate(NULL, 64, 64, 'jpeg', NULL, NULL, NULL, NULL, NULL, &none),
        kVTCouldNotFindVideoEncoderErr, "VTCompressionSessionCreate", "kVTCouldNotFindVideoEncoderErr");
    FAILS(VTCompressionSessionEncodeFrame(session, buffer, kCMTimeInvalid, kCMTimeInvalid, NULL, NULL, NULL), kVTParameterErr,
        "VTCompressionSessionEncodeFrame returned");
    FAILS(VTCompressionSessionEncodeFrameWithOutputHandler(session, buffer, kCMTimeInvalid, kCMTimeInvalid, NULL, NULL, encoded),
        kVTParameterErr, "VTCompressionSessionEncodeFrameWithOutputHandler returned");
    FAILS(VTDecompressionSessionCreate(NULL, audio, NULL, NULL, NULL, &decoder), kVTParameterErr,
        "VTDecompressionSessionCreate");
    FAILS(VTDecompressionSessionDecodeFrame(no_decoder, no_sample, 0, NULL, NULL), kVTParameterErr,
        "VTDecompressionSessionDecodeFrame returned");
    FAILS(VTDecompressionSessionDecodeFrameWithOptions(no_decoder, no_sample, 0, NULL, NULL, NULL), kVTParameterErr,
        "VTDecompressionSessionDecodeFrameWithOptions returned");
    FAILS(VTDecompressionSessionDecodeFrameWithOutputHandler(no_decoder, no_sample, 0, NULL, decoded), kVTParameterErr,
        "VTDecompressionSessionDecodeFrameWithOutputHandler returned");
    FAILS(VTDecompressionSessionDecodeFrameWithOutputHandler(no_decoder, no_sample, 0, NULL, no_handler), kVTParameterErr,
        "VTDecompressionSessionDecodeFrameWithOutputHandler returned");
    VTCompressionSessionInvalidate(session);
    FAILS(VTSessionSetProperty(session, kVTCompressionPropertyKey_Quality, seven), kVTInvalidSessionErr, "kVTInvalidSessionErr");
#undef FAILS
    for (int i = 0; i < 2; i++) CFRelease(long_keys[i]);
    CFRelease(audio);
    CFRelease(dictionary);
    CVPixelBufferRelease(buffer);
    CFRelease(seven);
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
            encode_frames(session, 3);
            CHECK_EQ(all.count, 3);
            end_session(session, &all);
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
    RUN(test_error_messages);
    RUN(test_no_session);
    RUN(test_not_a_number);
    RUN(test_hints_without_a_rate);
    RUN(test_array_without_callbacks);
    return check_result();
}
