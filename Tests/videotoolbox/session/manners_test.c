/* libVideoToolbox and the libraries that it needs do not change the process's signals and floating-point environment,
 * whether linked, loaded or in use. */
#include "session_support.h"

#include "loading.h"

#include <fenv.h>

static void test_a_linked_program_begins_with_signals_as_it_was_given_them(void) { check_linked_program(); }

static void test_loading_the_library_changes_no_signal(void) {
    /* The directory in which libVideoToolbox finds libnalu. */
    REQUIRE(setenv("LD_LIBRARY_PATH", LIBRARY_DIRECTORY, 1) == 0);
    check_loading_program(VIDEOTOOLBOX_LIBRARY);
}

static void test_a_session_changes_no_signal(void) {
    const dispositions before = dispositions_now();
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    encode_frames(session, 5);
    REQUIRE(all.count == 5);
    CFRelease(session);
    /* Loads FFmpeg, if it is present. */
    VTDecompressionSessionRef decoder = NULL;
    const OSStatus status = VTDecompressionSessionCreate(
        NULL, CMSampleBufferGetFormatDescription(all.samples[0]), NULL, NULL, NULL, &decoder);
    CHECK(status == noErr || status == kVTCouldNotFindVideoDecoderErr);
    if (decoder) CFRelease(decoder);
    collected_clear(&all);
    const dispositions after = dispositions_now();
    CHECK_EQ(dispositions_differ(&before, &after), 0);
}

/* Encodes scaled RGB frames with many properties. Returns the bytes of the samples. */
static size_t encode_rgb(CMVideoCodecType codec, collected *all) {
    VTCompressionSessionRef session = NULL;
    CFDictionaryRef supported = NULL, values = NULL;
    size_t size = 0;
    REQUIRE(VTCompressionSessionCreate(NULL, 64, 64, codec, NULL, NULL, NULL, collect, all, &session) == noErr);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.5), noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_ExpectedFrameRate, 29.97), noErr);
    CHECK_EQ(set_integer(session, kVTCompressionPropertyKey_AverageBitRate, 300000), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_RealTime, kCFBooleanTrue), noErr);
    CHECK_EQ(VTSessionCopySerializableProperties(session, NULL, &values), noErr);
    CHECK_EQ(VTSessionSetProperties(session, values), noErr);
    for (int n = 0; n < 5; n++) {
        CVPixelBufferRef buffer = frame_of(kCVPixelFormatType_32BGRA, 100, 80, n);
        CHECK_EQ(VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL), noErr);
        CVPixelBufferRelease(buffer);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CFRelease(session);
    CFRelease(supported);
    CFRelease(values);
    REQUIRE(all->count == 5);
    for (int n = 0; n < 5; n++) size += CMSampleBufferGetTotalSampleSize(all->samples[n]);
    return size;
}

static void ignore_picture(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef image,
    CMTime time, CMTime duration) {
    (void)refcon, (void)frame, (void)flags, (void)image, (void)time, (void)duration;
    CHECK_EQ(status, noErr);
}

static void decode(CMSampleBufferRef sample) {
    VTDecompressionSessionRef decoder = NULL;
    const VTDecompressionOutputCallbackRecord callback = {ignore_picture, NULL};
    const OSType format = kCVPixelFormatType_32BGRA;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt32Type, &format);
    CFDictionaryRef attributes = pair(kCVPixelBufferPixelFormatTypeKey, number);
    REQUIRE(VTDecompressionSessionCreate(NULL, CMSampleBufferGetFormatDescription(sample), NULL, attributes, &callback,
                &decoder) == noErr);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(decoder, sample, 0, NULL, NULL), noErr);
    CFRelease(decoder);
    CFRelease(attributes);
    CFRelease(number);
}

/* Programs of some languages trap floating-point exceptions, and encoders rely on infinities and NaN. */
static void test_a_client_may_trap_floating_point_exceptions(void) {
    static const CMVideoCodecType codecs[] = {kCMVideoCodecType_H264, kCMVideoCodecType_HEVC};
    for (int c = 0; c < 2; c++) {
        size_t sizes[2] = {0, 0};
        for (int traps = 0; traps < 2; traps++) {
            collected all = COLLECTED;
            if (traps) CHECK(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) >= 0);
            sizes[traps] = encode_rgb(codecs[c], &all);
            decode(all.samples[0]);
            if (traps) CHECK_EQ(fegetexcept(), FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
            fesetenv(FE_DFL_ENV);
            collected_clear(&all);
        }
        CHECK_EQ(sizes[0], sizes[1]);
    }
}

int main(int count, char **arguments) {
    if (is_started_to_look(count, arguments)) return look_at_signals();
    RUN(test_a_linked_program_begins_with_signals_as_it_was_given_them);
    RUN(test_loading_the_library_changes_no_signal);
    RUN(test_a_session_changes_no_signal);
    RUN(test_a_client_may_trap_floating_point_exceptions);
    return check_result();
}
