/* The pixel formats of source frames: a session encodes every format that its pool makes, also those that libnalu does not
 * read, and refuses the others when it is created. */
#include "session_support.h"

enum { SIDE = 64, BOTTOM = SIDE / 2 };

/* Formats without colour components, such as indexed colours and data of sensors. */
static const OSType without_components[] = {kCVPixelFormatType_1Monochrome, kCVPixelFormatType_8Indexed,
    kCVPixelFormatType_TwoComponent8, kCVPixelFormatType_14Bayer_RGGB, kCVPixelFormatType_DisparityFloat16,
    kCVPixelFormatType_422YpCbCr_4A_8BiPlanar};

/* Formats that libnalu does not read. */
static const OSType converted[] = {kCVPixelFormatType_422YpCbCr16, kCVPixelFormatType_422YpCbCr8FullRange,
    kCVPixelFormatType_444YpCbCr8, kCVPixelFormatType_4444YpCbCrA8, kCVPixelFormatType_4444YpCbCrA8R,
    kCVPixelFormatType_4444AYpCbCr8, kCVPixelFormatType_4444AYpCbCr16, kCVPixelFormatType_4444AYpCbCrFloat,
    kCVPixelFormatType_64ARGB, kCVPixelFormatType_64RGBALE, kCVPixelFormatType_48RGB, kCVPixelFormatType_64RGBAHalf,
    kCVPixelFormatType_128RGBAFloat, kCVPixelFormatType_30RGB, kCVPixelFormatType_30RGB_r210,
    kCVPixelFormatType_30RGBLEPackedWideGamut, kCVPixelFormatType_ARGB2101010LEPacked, kCVPixelFormatType_422YpCbCr10,
    kCVPixelFormatType_444YpCbCr10, kCVPixelFormatType_420YpCbCr8VideoRange_8A_TriPlanar, kCVPixelFormatType_16LE565,
    kCVPixelFormatType_16BE565, kCVPixelFormatType_16LE555, kCVPixelFormatType_16BE555, kCVPixelFormatType_16LE5551,
    kCVPixelFormatType_40ARGBLEWideGamut, kCVPixelFormatType_444YpCbCr16VideoRange_16A_TriPlanar,
    kCVPixelFormatType_OneComponent10, kCVPixelFormatType_OneComponent12, kCVPixelFormatType_OneComponent16,
    kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_16Gray,
    kCVPixelFormatType_32AlphaGray};

static CFDictionaryRef format_attributes(OSType type) {
    const int64_t code = type;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &code);
    CFDictionaryRef attributes = pair(kCVPixelBufferPixelFormatTypeKey, number);
    CFRelease(number);
    return attributes;
}

static OSStatus create(CMVideoCodecType codec, OSType type, collected *all, VTCompressionSessionRef *session_out) {
    CFDictionaryRef attributes = format_attributes(type);
    const OSStatus status =
        VTCompressionSessionCreate(NULL, SIDE, SIDE, codec, NULL, attributes, NULL, collect, all, session_out);
    CFRelease(attributes);
    return status;
}

static uint8_t *row_of(CVPixelBufferRef buffer, int y) {
    return (uint8_t *)CVPixelBufferGetBaseAddressOfPlane(buffer, 0) + (size_t)y * CVPixelBufferGetBytesPerRowOfPlane(buffer, 0);
}

static CVPixelBufferRef image(OSType type) {
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, SIDE, SIDE, type, NULL, &buffer) == kCVReturnSuccess);
    return buffer;
}

/* The upper half is red, the lower half green. */
static CVPixelBufferRef coloured(void) {
    static const uint8_t colours[2][4] = {{40, 48, 200, 255}, {56, 176, 64, 255}};
    CVPixelBufferRef buffer = image(kCVPixelFormatType_32BGRA);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) memcpy(row_of(buffer, y) + 4 * x, colours[y / BOTTOM], 4);
    return buffer;
}

static void keep_image(void *refcon, void *frame, OSStatus status, VTDecodeInfoFlags flags, CVImageBufferRef buffer,
    CMTime time, CMTime duration) {
    (void)frame, (void)flags, (void)time, (void)duration;
    CHECK_EQ(status, noErr);
    *(CVPixelBufferRef *)refcon = buffer ? CVPixelBufferRetain(buffer) : NULL;
}

/* Decodes a key frame. */
static CVPixelBufferRef decoded(CMSampleBufferRef sample, OSType type) {
    CVPixelBufferRef found = NULL;
    VTDecompressionSessionRef session = NULL;
    const VTDecompressionOutputCallbackRecord callback = {keep_image, &found};
    CFDictionaryRef attributes = format_attributes(type);
    REQUIRE(VTDecompressionSessionCreate(NULL, CMSampleBufferGetFormatDescription(sample), NULL, attributes, &callback,
                &session) == noErr);
    CHECK_EQ(VTDecompressionSessionDecodeFrame(session, sample, 0, NULL, NULL), noErr);
    CFRelease(attributes);
    CFRelease(session);
    REQUIRE(found);
    return found;
}

static OSStatus encode_image(VTCompressionSessionRef session, CVPixelBufferRef buffer, int n) {
    return VTCompressionSessionEncodeFrame(session, buffer, CMTimeMake(n, 30), kCMTimeInvalid, NULL, NULL, NULL);
}

/* The stream shows the picture of the pool's buffer: in the middle of each half, each component differs by at most 8. */
static void check_stream(CMSampleBufferRef sample, CVPixelBufferRef buffer) {
    VTPixelTransferSessionRef transfer = NULL;
    REQUIRE(VTPixelTransferSessionCreate(NULL, &transfer) == noErr);
    CVPixelBufferRef expected = image(kCVPixelFormatType_32BGRA);
    CHECK_EQ(VTPixelTransferSessionTransferImage(transfer, buffer, expected), noErr);
    CVPixelBufferRef seen = decoded(sample, kCVPixelFormatType_32BGRA);
    for (int half = 0; half < 2; half++)
        for (int c = 0; c < 3; c++) {
            const int at = 4 * (SIDE / 2) + c, y = half * BOTTOM + BOTTOM / 2;
            CHECK(abs(row_of(seen, y)[at] - row_of(expected, y)[at]) <= 8);
        }
    CVPixelBufferRelease(seen);
    CVPixelBufferRelease(expected);
    CFRelease(transfer);
}

static void test_every_format_of_the_pool_is_encoded(void) {
    VTPixelTransferSessionRef transfer = NULL;
    REQUIRE(VTPixelTransferSessionCreate(NULL, &transfer) == noErr);
    CVPixelBufferRef original = coloured();
    for (size_t i = 0; i < sizeof converted / sizeof *converted; i++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = NULL;
        CVPixelBufferRef buffer = NULL;
        REQUIRE(CHECK_EQ(create(kCMVideoCodecType_H264, converted[i], &all, &session), noErr));
        CHECK_EQ(VTSessionSetProperty(session, CFSTR("x264.preset"), CFSTR("ultrafast")), noErr);
        CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 0.9), noErr);
        CHECK_EQ(CVPixelBufferPoolCreatePixelBuffer(NULL, VTCompressionSessionGetPixelBufferPool(session), &buffer), noErr);
        REQUIRE(buffer && CVPixelBufferGetPixelFormatType(buffer) == converted[i]);
        CHECK_EQ(VTPixelTransferSessionTransferImage(transfer, original, buffer), noErr);
        CHECK_EQ(encode_image(session, buffer, 0), noErr);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        REQUIRE(CHECK_EQ(all.count, 1) && all.samples[0]);
        check_stream(all.samples[0], buffer);
        CVPixelBufferRelease(buffer);
        end_session(session, &all);
    }
    CVPixelBufferRelease(original);
    CFRelease(transfer);
}

static void test_formats_without_components_are_refused_at_creation(void) {
    for (size_t i = 0; i < sizeof without_components / sizeof *without_components; i++) {
        collected all = COLLECTED;
        VTCompressionSessionRef session = NULL;
        CHECK_EQ(create(kCMVideoCodecType_H264, without_components[i], &all, &session), kVTPixelTransferNotSupportedErr);
        CHECK(session == NULL);
        session = live_session(SIDE, SIDE, &all);
        CVPixelBufferRef buffer = image(without_components[i]);
        CHECK_EQ(encode_image(session, buffer, 0), kVTPixelTransferNotSupportedErr);
        CVPixelBufferRelease(buffer);
        CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
        CHECK_EQ(all.count, 0);
        end_session(session, &all);
    }
}

/* A value of 'l10r' between two values of 8 bits arrives in a stream of 10 bits. */
static void test_ten_bits_are_kept(void) {
    collected all = COLLECTED;
    VTCompressionSessionRef session = NULL;
    REQUIRE(create(kCMVideoCodecType_HEVC, kCVPixelFormatType_ARGB2101010LEPacked, &all, &session) == noErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("x265.preset"), CFSTR("ultrafast")), noErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTCompressionPropertyKey_ProfileLevel, kVTProfileLevel_HEVC_Main10_AutoLevel),
        noErr);
    CHECK_EQ(set_number(session, kVTCompressionPropertyKey_Quality, 1), noErr);
    CVPixelBufferRef buffer = image(kCVPixelFormatType_ARGB2101010LEPacked);
    const uint32_t gray = 512, pixel = 3u << 30 | gray << 20 | gray << 10 | gray;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) memcpy(row_of(buffer, y) + 4 * x, &pixel, 4);
    CHECK_EQ(encode_image(session, buffer, 0), noErr);
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    REQUIRE(CHECK_EQ(all.count, 1) && all.samples[0]);
    CVPixelBufferRef seen = decoded(all.samples[0], kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange);
    const int luma = row_of(seen, BOTTOM)[SIDE + 1] << 2 | row_of(seen, BOTTOM)[SIDE] >> 6;
    CHECK(abs(luma - 502) <= 1); /* 64 + 876 * 512 / 1023; with 8 bits it would be 500 or 504 */
    CVPixelBufferRelease(seen);
    CVPixelBufferRelease(buffer);
    end_session(session, &all);
}

/* Frames of changing formats and sizes, some converted, in one session. */
static void test_formats_can_change_between_frames(void) {
    static const OSType types[] = {kCVPixelFormatType_64RGBAHalf, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
        kCVPixelFormatType_422YpCbCr10, kCVPixelFormatType_OneComponent16, kCVPixelFormatType_64RGBAHalf};
    collected all = COLLECTED;
    VTCompressionSessionRef session = live_session(SIDE, SIDE, &all);
    for (int n = 0; n < 10; n++) {
        CVPixelBufferRef buffer = NULL;
        REQUIRE(CVPixelBufferCreate(NULL, n < 5 ? SIDE : SIDE + 6, SIDE, types[n % 5], NULL, &buffer) == kCVReturnSuccess);
        CHECK_EQ(encode_image(session, buffer, n), noErr);
        CVPixelBufferRelease(buffer);
    }
    CHECK_EQ(VTCompressionSessionCompleteFrames(session, kCMTimeInvalid), noErr);
    CHECK_EQ(all.count, 10);
    for (int n = 0; n < all.count; n++) CHECK(all.samples[n] != NULL);
    end_session(session, &all);
}

int main(void) {
    RUN(test_every_format_of_the_pool_is_encoded);
    RUN(test_formats_without_components_are_refused_at_creation);
    RUN(test_ten_bits_are_kept);
    RUN(test_formats_can_change_between_frames);
    return check_result();
}
