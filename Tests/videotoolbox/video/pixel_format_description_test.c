/* CVPixelFormatDescription, and the texts and lifetimes of CoreVideo's constants. */
#include "video.h"

#include <CoreVideo/CVPixelBufferIOSurface.h>

static void test_descriptions(void) {
    CFArrayRef codes = CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(NULL);
    for (CFIndex i = 0; i < CFArrayGetCount(codes); i++) {
        int64_t code = 0;
        CVPixelBufferRef buffer = NULL;
        CFNumberGetValue(CFArrayGetValueAtIndex(codes, i), kCFNumberSInt64Type, &code);
        CFDictionaryRef description = CVPixelFormatDescriptionCreateWithPixelFormatType(NULL, (OSType)code);
        REQUIRE(description != NULL);
        CHECK_EQ(number_in(description, kCVPixelFormatConstant), code);
        CHECK(CFDictionaryContainsKey(description, kCVPixelFormatName));
        REQUIRE(CVPixelBufferCreate(NULL, 512, 2, (OSType)code, NULL, &buffer) == 0);
        CFArrayRef planes = CFDictionaryGetValue(description, kCVPixelFormatPlanes);
        CHECK_EQ(planes ? CFArrayGetCount(planes) : 0, (CFIndex)CVPixelBufferGetPlaneCount(buffer));
        for (CFIndex p = 0; p < (planes ? CFArrayGetCount(planes) : 1); p++) {
            CFDictionaryRef plane = planes ? CFArrayGetValueAtIndex(planes, p) : description;
            const int64_t bits = number_in(plane, kCVPixelFormatBitsPerBlock);
            const int64_t block = number_in(plane, kCVPixelFormatBlockWidth);
            const int64_t across = number_in(plane, kCVPixelFormatHorizontalSubsampling);
            const size_t width = CVPixelBufferGetWidthOfPlane(buffer, (size_t)p);
            CFDataRef black = CFDictionaryGetValue(plane, kCVPixelFormatBlackBlock);
            CHECK_EQ(CFDataGetLength(black) * 8, bits);
            CHECK_EQ(width, 512 / (across > 1 ? across : 1));
            /* A row has this number of blocks, and less than 128 further bytes. */
            const size_t blocks = (width + (size_t)(block > 1 ? block : 1) - 1) / (size_t)(block > 1 ? block : 1);
            const size_t row = CVPixelBufferGetBytesPerRowOfPlane(buffer, (size_t)p), bytes = blocks * (size_t)bits / 8;
            CHECK(row >= bytes && row < bytes + 128);
        }
        CFRelease(buffer);
        CFRelease(description);
    }
    CFRelease(codes);
    CHECK(CVPixelFormatDescriptionCreateWithPixelFormatType(NULL, 0x3f3f3f3f) == NULL);
}

static void test_components(void) {
    CFDictionaryRef full = CVPixelFormatDescriptionCreateWithPixelFormatType(
        NULL, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange);
    CFDictionaryRef video = CVPixelFormatDescriptionCreateWithPixelFormatType(
        NULL, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange);
    CFDictionaryRef bgra = CVPixelFormatDescriptionCreateWithPixelFormatType(NULL, kCVPixelFormatType_32BGRA);
    CHECK(CFDictionaryGetValue(full, kCVPixelFormatComponentRange) == kCVPixelFormatComponentRange_FullRange);
    CHECK(CFDictionaryGetValue(video, kCVPixelFormatComponentRange) == kCVPixelFormatComponentRange_VideoRange);
    CHECK_EQ(number_in(video, kCVPixelFormatBitsPerComponent), 10);
    CHECK(CFDictionaryGetValue(full, kCVPixelFormatContainsYCbCr) == kCFBooleanTrue);
    CHECK(CFDictionaryGetValue(full, kCVPixelFormatContainsRGB) == kCFBooleanFalse);
    CHECK(CFDictionaryGetValue(bgra, kCVPixelFormatContainsAlpha) == kCFBooleanTrue);
    static const uint8_t opaque[] = {0, 0, 0, 255}, gray[] = {0, 128, 0, 128};
    CHECK_BYTES(CFDataGetBytePtr(CFDictionaryGetValue(bgra, kCVPixelFormatBlackBlock)), opaque, 4);
    CFDictionaryRef chroma = CFArrayGetValueAtIndex(CFDictionaryGetValue(video, kCVPixelFormatPlanes), 1);
    CHECK_BYTES(CFDataGetBytePtr(CFDictionaryGetValue(chroma, kCVPixelFormatBlackBlock)), gray, 4);
    CHECK_EQ(number_in(chroma, kCVPixelFormatVerticalSubsampling), 2);
    CFRelease(full);
    CFRelease(video);
    CFRelease(bgra);
}

static void test_registration(void) {
    const OSType mine = 0x6d696e65;
    const CFStringRef keys[] = {kCVPixelFormatBitsPerBlock};
    const int64_t numbers[] = {24};
    CFDictionaryRef description = numbers_create(keys, numbers, 1);
    CFArrayRef before = CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(NULL);
    CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(description, mine);
    CFRelease(description);
    CFArrayRef after = CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(NULL);
    CHECK_EQ(CFArrayGetCount(after), CFArrayGetCount(before) + 1);
    description = CVPixelFormatDescriptionCreateWithPixelFormatType(NULL, mine);
    CHECK_EQ(number_in(description, kCVPixelFormatBitsPerBlock), 24);
    CVPixelBufferRef buffer = NULL;
    CHECK_EQ(CVPixelBufferCreate(NULL, 4, 4, mine, NULL, &buffer), kCVReturnInvalidPixelFormat);
    CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType((CFDictionaryRef)CFSTR("a"), mine);
    CFDictionaryRef volatile none = NULL;
    CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(none, mine);
    CFRelease(description);
    CFRelease(before);
    CFRelease(after);
}

static void test_names_of_codes(void) {
    CFStringRef text = CVPixelFormatTypeCopyFourCharCodeString(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange);
    CFStringRef number = CVPixelFormatTypeCopyFourCharCodeString(kCVPixelFormatType_32ARGB);
    CHECK(CFEqual(text, CFSTR("420v")) && CFEqual(number, CFSTR("32")));
    CFRelease(text);
    CFRelease(number);
    CHECK(!CVIsCompressedPixelFormatAvailable(kCVPixelFormatType_Lossless_32BGRA));
}

/* The codes of the formats, by the characters in CoreVideo's documentation. */
static void test_codes(void) {
    CHECK_EQ(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, NALU_PIXEL_FORMAT_420V);
    CHECK_EQ(kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, NALU_PIXEL_FORMAT_420F);
    CHECK_EQ(kCVPixelFormatType_420YpCbCr8Planar, NALU_PIXEL_FORMAT_Y420);
    CHECK_EQ(kCVPixelFormatType_420YpCbCr8PlanarFullRange, NALU_PIXEL_FORMAT_F420);
    CHECK_EQ(kCVPixelFormatType_32BGRA, NALU_PIXEL_FORMAT_BGRA);
    CHECK_EQ(kCVPixelFormatType_32RGBA, NALU_PIXEL_FORMAT_RGBA);
    CHECK_EQ(kCVPixelFormatType_32ARGB, NALU_PIXEL_FORMAT_ARGB);
    CHECK_EQ(kCVPixelFormatType_32ABGR, NALU_PIXEL_FORMAT_ABGR);
    CHECK_EQ(kCVPixelFormatType_24RGB, NALU_PIXEL_FORMAT_24RGB);
    CHECK_EQ(kCVPixelFormatType_24BGR, NALU_PIXEL_FORMAT_24BGR);
    CHECK_EQ(kCVPixelFormatType_422YpCbCr8, NALU_PIXEL_FORMAT_2VUY);
    CHECK_EQ(kCVPixelFormatType_422YpCbCr8_yuvs, NALU_PIXEL_FORMAT_YUVS);
    CHECK_EQ(kCVPixelFormatType_OneComponent8, NALU_PIXEL_FORMAT_L008);
    CHECK_EQ(kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, NALU_PIXEL_FORMAT_X420);
    CHECK_EQ(kCVPixelFormatType_420YpCbCr10BiPlanarFullRange, NALU_PIXEL_FORMAT_XF20);
    CHECK_EQ(kCVPixelFormatType_422YpCbCr16BiPlanarVideoRange, NALU_PIXEL_FORMAT_SV22);
    CHECK_EQ(kCVPixelFormatType_444YpCbCr16BiPlanarVideoRange, NALU_PIXEL_FORMAT_SV44);
    CHECK_EQ(kCVReturnWouldExceedAllocationThreshold, -6689);
    CHECK_EQ(kCVReturnInvalidPixelFormat, -6680);
    CHECK_EQ(kCVReturnInvalidArgument, -6661);
    CHECK_EQ(sizeof(CVTimeStamp), 80);
}

/* Behaviour 20: texts that programs write to files, and releases without a retain. */
static void test_behaviour_20_constants(void) {
    const struct {
        CFStringRef constant, text;
    } constants[] = {
        {kCVPixelBufferPixelFormatTypeKey, CFSTR("PixelFormatType")},
        {kCVPixelBufferWidthKey, CFSTR("Width")},
        {kCVPixelBufferIOSurfacePropertiesKey, CFSTR("IOSurfaceProperties")},
        {kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey, CFSTR("IOSurfaceOpenGLTextureCompatibility")},
        {kCVImageBufferColorPrimariesKey, CFSTR("CVImageBufferColorPrimaries")},
        {kCVImageBufferColorPrimaries_ITU_R_2020, CFSTR("ITU_R_2020")},
        {kCVImageBufferColorPrimaries_SMPTE_C, CFSTR("SMPTE_C")},
        {kCVImageBufferTransferFunction_ITU_R_709_2, CFSTR("ITU_R_709_2")},
        {kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, CFSTR("SMPTE_ST_2084_PQ")},
        {kCVImageBufferYCbCrMatrix_ITU_R_601_4, CFSTR("ITU_R_601_4")},
        {kCVImageBufferPixelAspectRatioKey, CFSTR("CVPixelAspectRatio")},
        {kCVImageBufferCleanApertureKey, CFSTR("CVCleanAperture")},
        {kCVImageBufferFieldCountKey, CFSTR("CVFieldCount")},
        {kCVImageBufferChromaLocationTopFieldKey, CFSTR("CVImageBufferChromaLocationTopField")},
        {kCVImageBufferChromaLocation_Left, CFSTR("Left")},
        {kCVImageBufferMasteringDisplayColorVolumeKey, CFSTR("MasteringDisplayColorVolume")},
        {kCVImageBufferContentLightLevelInfoKey, CFSTR("ContentLightLevelInfo")},
        {kCVPixelBufferPoolMinimumBufferCountKey, CFSTR("MinimumBufferCount")},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        CHECK(CFEqual(constants[i].constant, constants[i].text));
        CHECK(CFHash(constants[i].constant) == CFHash(constants[i].text));
        for (int k = 0; k < 10; k++) CFRelease(constants[i].constant);
        CHECK(CFEqual(constants[i].constant, constants[i].text));
    }
}

int main(void) {
    RUN(test_descriptions);
    RUN(test_components);
    RUN(test_registration);
    RUN(test_names_of_codes);
    RUN(test_codes);
    RUN(test_behaviour_20_constants);
    return check_result();
}
