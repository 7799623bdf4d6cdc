/* FFmpeg's libraries are loaded by the first decompression session. If one is missing, there is no decoder. */
#include "mapped.h"
#include "session_support.h"

#include <nalu/base.h>

static bool is_missing;

static const char *library_to_load(const char *file) {
    return is_missing && file && strncmp(file, "libavformat.so.", 15) == 0 ? "/nowhere/library.so" : file;
}

static void test_a_session_without_ffmpeg(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = session_of(64, 64, &all);
    CHECK_EQ(encode(session, 0), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    REQUIRE(all.count == 1);
    CFRelease(session);
    CHECK(!is_mapped("/libavformat."));

    const CMFormatDescriptionRef format = CMSampleBufferGetFormatDescription(all.samples[0]);
    VTDecompressionSessionRef decoder = NULL;
    is_missing = true;
    CHECK_EQ(VTDecompressionSessionCreate(NULL, format, NULL, NULL, NULL, &decoder), kVTCouldNotFindVideoDecoderErr);
    CHECK(!decoder);
    CHECK(!VTIsHardwareDecodeSupported(kCMVideoCodecType_H264));
    const char *message = nalu_last_error_message();
    CHECK(strncmp(message, "libavformat.so.", 15) == 0);
    CHECK(strstr(message, "): install libavformat") != NULL);

    is_missing = false;
    CHECK(VTIsHardwareDecodeSupported(kCMVideoCodecType_H264));
    CHECK_EQ(VTDecompressionSessionCreate(NULL, format, NULL, NULL, NULL, &decoder), noErr);
    if (decoder) CFRelease(decoder);
    collected_clear(&all);
}

int main(void) {
    RUN(test_a_session_without_ffmpeg);
    return check_result();
}
