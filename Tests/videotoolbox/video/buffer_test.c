/* The attachments of CVBuffer, and the values that CVImageBuffer derives from them. */
#include "video.h"

#include <CoreVideo/CVPixelBufferIOSurface.h>
#include <pthread.h>

/* CoreVideo's headers alone define the types of CoreGraphics, as on a Mac: HandBrake includes no others. */
_Static_assert(sizeof(CGColorRef) == sizeof(void *) && kCGRenderingIntentPerceptual == 3, "CoreGraphics/CGColor.h");

static CVPixelBufferRef picture(size_t width, size_t height) {
    return image(width, height, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
}

static void test_modes(void) {
    CVPixelBufferRef buffer = picture(16, 16);
    CVAttachmentMode mode = 7;
    CHECK(CVBufferCopyAttachments(buffer, kCVAttachmentMode_ShouldPropagate) == NULL);
    CHECK(CVBufferGetAttachments(buffer, kCVAttachmentMode_ShouldNotPropagate) == NULL);
    CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_709_2,
                          kCVAttachmentMode_ShouldPropagate);
    CHECK(CVBufferHasAttachment(buffer, kCVImageBufferColorPrimariesKey));
    CHECK(CVBufferGetAttachment(buffer, CFSTR("CVImageBufferColorPrimaries"), &mode) ==
          kCVImageBufferColorPrimaries_ITU_R_709_2);
    CHECK_EQ(mode, kCVAttachmentMode_ShouldPropagate);
    /* A key has one value in one mode. */
    CVBufferSetAttachment(buffer, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_SMPTE_C,
                          kCVAttachmentMode_ShouldNotPropagate);
    CFTypeRef value = CVBufferCopyAttachment(buffer, kCVImageBufferColorPrimariesKey, &mode);
    CHECK(value == kCVImageBufferColorPrimaries_SMPTE_C);
    CHECK_EQ(mode, kCVAttachmentMode_ShouldNotPropagate);
    CFRelease(value);
    CHECK(CVBufferCopyAttachments(buffer, kCVAttachmentMode_ShouldPropagate) == NULL);
    CFDictionaryRef all = CVBufferCopyAttachments(buffer, kCVAttachmentMode_ShouldNotPropagate);
    REQUIRE(all != NULL);
    CHECK_EQ(CFDictionaryGetCount(all), 1);
    CVBufferRemoveAttachment(buffer, kCVImageBufferColorPrimariesKey);
    CHECK(!CVBufferHasAttachment(buffer, kCVImageBufferColorPrimariesKey));
    CHECK_EQ(CFDictionaryGetCount(all), 1);
    CVBufferSetAttachments(buffer, all, kCVAttachmentMode_ShouldPropagate);
    CHECK(CVBufferHasAttachment(buffer, kCVImageBufferColorPrimariesKey));
    CVBufferRemoveAllAttachments(buffer);
    CHECK(CVBufferGetAttachments(buffer, kCVAttachmentMode_ShouldPropagate) == NULL);
    CFRelease(all);
    CFRelease(buffer);
}

/* Behaviour 32: HandBrake removes everything and sets its own; OBS sets colours on every buffer. */
static void test_behaviour_32_propagation(void) {
    CVPixelBufferRef source = picture(16, 16), destination = picture(16, 16);
    CVBufferSetAttachment(source, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_601_4,
                          kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(source, kCVImageBufferFieldCountKey, kCFBooleanTrue, kCVAttachmentMode_ShouldNotPropagate);
    CVBufferSetAttachment(destination, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_2020,
                          kCVAttachmentMode_ShouldNotPropagate);
    CVBufferPropagateAttachments(source, destination);
    CVAttachmentMode mode = 0;
    CHECK(CVBufferGetAttachment(destination, kCVImageBufferYCbCrMatrixKey, &mode) ==
          kCVImageBufferYCbCrMatrix_ITU_R_601_4);
    CHECK_EQ(mode, kCVAttachmentMode_ShouldPropagate);
    CHECK(!CVBufferHasAttachment(destination, kCVImageBufferFieldCountKey));
    CVBufferPropagateAttachments(source, source);
    CFRelease(source);
    CFRelease(destination);
}

/* Counts releases. An attachment lives exactly as long as its buffer, as the release callback of an attached buffer
 * proves. */
static void note_release(void *count, const void *address) {
    (void)address;
    ++*(int *)count;
}

static void test_references(void) {
    static uint8_t pixels[64];
    int released = 0;
    CVPixelBufferRef buffer = picture(16, 16), attached = NULL;
    REQUIRE(CVPixelBufferCreateWithBytes(NULL, 8, 8, kCVPixelFormatType_OneComponent8, pixels, 8, note_release,
                                         &released, NULL, &attached) == kCVReturnSuccess);
    CVBufferSetAttachment(buffer, CFSTR("mine"), attached, kCVAttachmentMode_ShouldPropagate);
    CFRelease(attached);
    CHECK_EQ(released, 0);
    CFTypeRef copy = CVBufferCopyAttachment(buffer, CFSTR("mine"), NULL);
    CVBufferRemoveAttachment(buffer, CFSTR("mine"));
    CHECK_EQ(released, 0);
    CVBufferSetAttachment(buffer, CFSTR("mine"), copy, kCVAttachmentMode_ShouldNotPropagate);
    CFRelease(copy);
    CHECK_EQ(released, 0);
    CHECK(CVBufferRetain(buffer) == buffer);
    CVBufferRelease(buffer);
    CHECK_EQ(released, 0);
    CVBufferRelease(buffer);
    CHECK_EQ(released, 1);
}

/* Behaviour 21: dictionaries without callbacks are read during the call. */
static void test_behaviour_21_plain_dictionary(void) {
    CVPixelBufferRef buffer = picture(16, 16);
    const void *keys[] = {kCVImageBufferTransferFunctionKey}, *values[] = {kCVImageBufferTransferFunction_sRGB};
    CFDictionaryRef plain = CFDictionaryCreate(NULL, keys, values, 1, NULL, NULL);
    CVBufferSetAttachments(buffer, plain, kCVAttachmentMode_ShouldPropagate);
    CFRelease(plain);
    CHECK(CVBufferGetAttachment(buffer, kCVImageBufferTransferFunctionKey, NULL) ==
          kCVImageBufferTransferFunction_sRGB);
    CFRelease(buffer);
}

static void test_sizes(void) {
    const CFStringRef aperture_keys[] = {
        kCVImageBufferCleanApertureWidthKey, kCVImageBufferCleanApertureHeightKey,
        kCVImageBufferCleanApertureHorizontalOffsetKey, kCVImageBufferCleanApertureVerticalOffsetKey};
    const int64_t aperture_numbers[] = {704, 470, 2, -3};
    const CFStringRef ratio_keys[] = {kCVImageBufferPixelAspectRatioHorizontalSpacingKey,
                                      kCVImageBufferPixelAspectRatioVerticalSpacingKey};
    const int64_t ratio_numbers[] = {10, 11};
    CVPixelBufferRef buffer = picture(720, 480);
    CGSize size = CVImageBufferGetEncodedSize(buffer);
    CHECK(size.width == 720 && size.height == 480);
    CGRect clean = CVImageBufferGetCleanRect(buffer);
    CHECK(clean.origin.x == 0 && clean.origin.y == 0 && clean.size.width == 720 && clean.size.height == 480);
    CFDictionaryRef aperture = numbers_create(aperture_keys, aperture_numbers, 4);
    CFDictionaryRef ratio = numbers_create(ratio_keys, ratio_numbers, 2);
    CVBufferSetAttachment(buffer, kCVImageBufferCleanApertureKey, aperture, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(buffer, kCVImageBufferPixelAspectRatioKey, ratio, kCVAttachmentMode_ShouldPropagate);
    clean = CVImageBufferGetCleanRect(buffer);
    CHECK(clean.origin.x == 10 && clean.origin.y == 2 && clean.size.width == 704 && clean.size.height == 470);
    size = CVImageBufferGetDisplaySize(buffer);
    CHECK(size.width == 640 && size.height == 470);
    /* A value of another type counts as absent. */
    CVBufferSetAttachment(buffer, kCVImageBufferCleanApertureKey, kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(buffer, kCVImageBufferPixelAspectRatioKey, kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CHECK(CVImageBufferGetDisplaySize(buffer).width == 720);
    CHECK(CVImageBufferIsFlipped(buffer));
    CHECK(CVImageBufferGetColorSpace(buffer) == NULL);
    CFRelease(aperture);
    CFRelease(ratio);
    CFRelease(buffer);
}

static void test_code_points(void) {
    CHECK(CVColorPrimariesGetStringForIntegerCodePoint(1) == kCVImageBufferColorPrimaries_ITU_R_709_2);
    CHECK(CVColorPrimariesGetStringForIntegerCodePoint(9) == kCVImageBufferColorPrimaries_ITU_R_2020);
    CHECK(CVColorPrimariesGetStringForIntegerCodePoint(2) == NULL);
    CHECK(CVTransferFunctionGetStringForIntegerCodePoint(16) == kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ);
    CHECK(CVTransferFunctionGetStringForIntegerCodePoint(18) == kCVImageBufferTransferFunction_ITU_R_2100_HLG);
    CHECK(CVTransferFunctionGetStringForIntegerCodePoint(-1) == NULL);
    CHECK(CVYCbCrMatrixGetStringForIntegerCodePoint(6) == kCVImageBufferYCbCrMatrix_ITU_R_601_4);
    CHECK(CVYCbCrMatrixGetStringForIntegerCodePoint(0) == NULL);
    CHECK_EQ(CVYCbCrMatrixGetIntegerCodePointForString(CFSTR("ITU_R_601_4")), 6);
    CHECK_EQ(CVYCbCrMatrixGetIntegerCodePointForString(CFSTR("something")), 2);
    CHECK_EQ(CVColorPrimariesGetIntegerCodePointForString(NULL), 2);
    CHECK_EQ(CVColorPrimariesGetIntegerCodePointForString(kCVImageBufferColorPrimaries_P3_D65), 12);
    CHECK_EQ(CVTransferFunctionGetIntegerCodePointForString(kCVImageBufferTransferFunction_sRGB), 13);
    for (int i = 0; i < 64; i++) {
        CFStringRef string = CVColorPrimariesGetStringForIntegerCodePoint(i);
        if (string) CHECK_EQ(CVColorPrimariesGetIntegerCodePointForString(string), i);
    }
}

static void test_wrong_arguments(void) {
    CVPixelBufferRef buffer = picture(2, 2);
    CVBufferRef volatile none = NULL;
    CFStringRef volatile no_key = NULL;
    CFTypeRef volatile no_value = NULL;
    CHECK(CVBufferRetain(none) == NULL);
    CVBufferRelease(none);
    CVBufferSetAttachment(none, CFSTR("a"), kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(buffer, no_key, kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(buffer, CFSTR("a"), no_value, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachments(buffer, (CFDictionaryRef)no_value, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachments(buffer, (CFDictionaryRef)CFSTR("a"), kCVAttachmentMode_ShouldPropagate);
    CHECK(CVBufferCopyAttachments(buffer, kCVAttachmentMode_ShouldPropagate) == NULL);
    CHECK(CVBufferCopyAttachment(none, CFSTR("a"), NULL) == NULL);
    CHECK(CVBufferGetAttachment(buffer, no_key, NULL) == NULL);
    CHECK(CVBufferCopyAttachments(none, kCVAttachmentMode_ShouldPropagate) == NULL);
    CHECK(CVBufferGetAttachments(none, kCVAttachmentMode_ShouldPropagate) == NULL);
    CHECK(!CVBufferHasAttachment(none, CFSTR("a")));
    CVBufferRemoveAttachment(none, CFSTR("a"));
    CVBufferRemoveAttachment(buffer, no_key);
    CVBufferRemoveAllAttachments(none);
    CVBufferPropagateAttachments(none, buffer);
    CVBufferPropagateAttachments(buffer, none);
    CHECK(CVImageBufferGetEncodedSize(none).width == 0 && CVImageBufferGetDisplaySize(none).height == 0);
    CHECK(CVImageBufferGetCleanRect(none).size.width == 0);
    CHECK(!CVImageBufferIsFlipped(none) && CVImageBufferGetColorSpace(none) == NULL);
    CHECK(CVPixelBufferGetIOSurface(buffer) == NULL && CVPixelBufferGetIOSurface(none) == NULL);
    CFRelease(buffer);
}

static void *attach_all(void *buffer) {
    for (int i = 0; i < 20000; i++) {
        const CVAttachmentMode mode = i % 2 ? kCVAttachmentMode_ShouldPropagate : kCVAttachmentMode_ShouldNotPropagate;
        CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_601_4, mode);
        CFTypeRef value = CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, NULL);
        if (value) CFRelease(value);
        CFDictionaryRef all = CVBufferCopyAttachments(buffer, mode);
        if (all) CFRelease(all);
        if (i % 64 == 0) CVBufferRemoveAllAttachments(buffer);
    }
    return NULL;
}

static void test_four_threads(void) {
    pthread_t threads[4];
    CVPixelBufferRef buffer = picture(2, 2);
    for (int i = 0; i < 4; i++) REQUIRE(pthread_create(&threads[i], NULL, attach_all, buffer) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    CHECK(CVBufferHasAttachment(buffer, kCVImageBufferYCbCrMatrixKey));
    CFRelease(buffer);
}

static void test_host_time(void) {
    const uint64_t before = CVGetCurrentHostTime();
    CHECK(CVGetCurrentHostTime() >= before);
    CHECK(CVGetHostClockFrequency() == 1e9);
    CHECK_EQ(CVGetHostClockMinimumTimeDelta(), 1);
    CHECK(kCVZeroTime.timeScale == 1 && kCVIndefiniteTime.flags == kCVTimeIsIndefinite);
}

int main(void) {
    RUN(test_modes);
    RUN(test_behaviour_32_propagation);
    RUN(test_references);
    RUN(test_behaviour_21_plain_dictionary);
    RUN(test_sizes);
    RUN(test_code_points);
    RUN(test_wrong_arguments);
    RUN(test_four_threads);
    RUN(test_host_time);
    return check_result();
}
