/* VTPixelRotationSession against a loop over pixels: every rotation, with and without mirrors. */
#include "video.h"

#include <VideoToolbox/VideoToolbox.h>
#include <math.h>

static VTPixelRotationSessionRef session_create(void) {
    VTPixelRotationSessionRef session = NULL;
    REQUIRE(VTPixelRotationSessionCreate(NULL, &session) == noErr);
    return session;
}

/* Bytes of a sample in each plane. */
typedef struct layout {
    OSType format;
    size_t bytes[3];
} layout;

static const layout layouts[] = {
    {kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, {1, 2, 0}},
    {kCVPixelFormatType_420YpCbCr8Planar, {1, 1, 1}},
    {kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, {2, 4, 0}},
    {kCVPixelFormatType_444YpCbCr8BiPlanarFullRange, {1, 2, 0}},
    {kCVPixelFormatType_32BGRA, {4, 0, 0}},
    {kCVPixelFormatType_24RGB, {3, 0, 0}},
    {kCVPixelFormatType_OneComponent8, {1, 0, 0}},
    {kCVPixelFormatType_64ARGB, {8, 0, 0}},
    {kCVPixelFormatType_48RGB, {6, 0, 0}},
    {kCVPixelFormatType_420YpCbCr8VideoRange_8A_TriPlanar, {1, 2, 1}},
};

static void check_turned(const layout *layout, CVPixelBufferRef source, CVPixelBufferRef destination, int quarters,
                         bool horizontal, bool vertical) {
    for (size_t i = 0; i < planes_of(source); i++) {
        const uint8_t *from = CVPixelBufferGetBaseAddressOfPlane(source, i);
        const uint8_t *to = CVPixelBufferGetBaseAddressOfPlane(destination, i);
        const size_t width = CVPixelBufferGetWidthOfPlane(source, i), height = CVPixelBufferGetHeightOfPlane(source, i);
        const size_t to_width = CVPixelBufferGetWidthOfPlane(destination, i);
        const size_t to_height = CVPixelBufferGetHeightOfPlane(destination, i);
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) {
                /* The place of a source pixel: rotated clockwise `quarters` times, then mirrored. */
                size_t column = x, row = y, columns = width, rows = height;
                for (int q = 0; q < quarters; q++) {
                    const size_t turned = rows - 1 - row, swap = columns;
                    row = column;
                    column = turned;
                    columns = rows;
                    rows = swap;
                }
                if (horizontal) column = to_width - 1 - column;
                if (vertical) row = to_height - 1 - row;
                const uint8_t *a = from + y * CVPixelBufferGetBytesPerRowOfPlane(source, i) + x * layout->bytes[i];
                const uint8_t *b = to + row * CVPixelBufferGetBytesPerRowOfPlane(destination, i) +
                                   column * layout->bytes[i];
                if (!CHECK_BYTES(a, b, layout->bytes[i])) return;
            }
    }
}

static void test_every_turn(void) {
    CFStringRef rotations[] = {kVTRotation_0, kVTRotation_CW90, kVTRotation_180, kVTRotation_CCW90};
    VTPixelRotationSessionRef session = session_create();
    for (size_t f = 0; f < sizeof layouts / sizeof *layouts; f++)
        for (int turn = 0; turn < 16; turn++) {
            const int quarters = turn / 4;
            const bool horizontal = turn & 1, vertical = turn & 2;
            const size_t width = 37, height = 22;
            CVPixelBufferRef source = image(width, height, layouts[f].format);
            CVPixelBufferRef destination =
                quarters % 2 ? image(height, width, layouts[f].format) : image(width, height, layouts[f].format);
            fill(source, 12345);
            CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, rotations[quarters]), noErr);
            CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_FlipHorizontalOrientation,
                                          horizontal ? kCFBooleanTrue : kCFBooleanFalse),
                     noErr);
            CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_FlipVerticalOrientation,
                                          vertical ? kCFBooleanTrue : kCFBooleanFalse),
                     noErr);
            CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, destination), noErr);
            check_turned(&layouts[f], source, destination, quarters, horizontal, vertical);
            CFRelease(source);
            CFRelease(destination);
        }
    CFRelease(session);
}

/* In a mirrored pair, the luma samples are exchanged, and the chroma stays. */
static void test_pairs(void) {
    static const uint8_t pairs[] = {1, 2, 3, 4, 5, 6, 7, 8}, mirrored[] = {5, 8, 7, 6, 1, 4, 3, 2};
    CVPixelBufferRef source = image(4, 1, kCVPixelFormatType_422YpCbCr8);
    CVPixelBufferRef destination = image(4, 1, kCVPixelFormatType_422YpCbCr8);
    CVPixelBufferRef turned = image(1, 4, kCVPixelFormatType_422YpCbCr8);
    VTPixelRotationSessionRef session = session_create();
    memcpy(CVPixelBufferGetBaseAddress(source), pairs, 8);
    VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, kVTRotation_180);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, destination), noErr);
    CHECK_BYTES(CVPixelBufferGetBaseAddress(destination), mirrored, 8);
    VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, kVTRotation_CW90);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, turned), kVTPixelRotationNotSupportedErr);
    CFRelease(source);
    CFRelease(destination);
    CFRelease(turned);
    CFRelease(session);
}

static void test_attachments_and_properties(void) {
    VTPixelRotationSessionRef session = session_create();
    CVPixelBufferRef source = image(8, 8, kCVPixelFormatType_32BGRA);
    CVPixelBufferRef destination = image(8, 8, kCVPixelFormatType_32BGRA);
    CFTypeRef value = NULL;
    CFDictionaryRef supported = NULL;
    CVBufferSetAttachment(source, CFSTR("a"), kCFBooleanTrue, kCVAttachmentMode_ShouldPropagate);
    CVBufferSetAttachment(source, CFSTR("b"), kCFBooleanTrue, kCVAttachmentMode_ShouldNotPropagate);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, destination), noErr);
    CHECK(CVBufferHasAttachment(destination, CFSTR("a")) && !CVBufferHasAttachment(destination, CFSTR("b")));
    CHECK_EQ(CFGetTypeID(session), VTPixelRotationSessionGetTypeID());
    CHECK_EQ(VTSessionCopyProperty(session, kVTPixelRotationPropertyKey_Rotation, NULL, &value), noErr);
    CHECK(value == kVTRotation_0);
    if (value) CFRelease(value);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, CFSTR("45")), kVTParameterErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, kCFBooleanTrue),
             kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_FlipVerticalOrientation, CFSTR("yes")),
             kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionSetProperty(session, CFSTR("other"), kCFBooleanTrue), kVTPropertyNotSupportedErr);
    CHECK_EQ(VTSessionCopySupportedPropertyDictionary(session, &supported), noErr);
    CHECK_EQ(CFDictionaryGetCount(supported), 3);
    CFRelease(supported);
    CFRelease(source);
    CFRelease(destination);
    CFRelease(session);
}

static void test_wrong_arguments(void) {
    VTPixelRotationSessionRef session = session_create();
    VTPixelRotationSessionRef volatile none = NULL;
    VTPixelRotationSessionRef *volatile nowhere = NULL;
    CVPixelBufferRef volatile no_image = NULL;
    CVPixelBufferRef source = image(8, 8, kCVPixelFormatType_32BGRA), other = image(8, 9, kCVPixelFormatType_32BGRA);
    CVPixelBufferRef argb = image(8, 8, kCVPixelFormatType_32ARGB);
    CHECK_EQ(VTPixelRotationSessionCreate(NULL, nowhere), kVTParameterErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(none, source, argb), kVTParameterErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, no_image, argb), kVTParameterErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, no_image), kVTParameterErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, source), kVTParameterErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, other), kVTPixelRotationNotSupportedErr);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, argb), kVTPixelRotationNotSupportedErr);
    VTPixelRotationSessionInvalidate(none);
    VTPixelRotationSessionInvalidate(session);
    VTPixelRotationSessionInvalidate(session);
    CHECK_EQ(VTPixelRotationSessionRotateImage(session, source, argb), kVTInvalidSessionErr);
    CHECK_EQ(VTSessionSetProperty(session, kVTPixelRotationPropertyKey_Rotation, kVTRotation_0), kVTInvalidSessionErr);
    CFRelease(session);
    CFRelease(source);
    CFRelease(other);
    CFRelease(argb);
}

int main(void) {
    RUN(test_every_turn);
    RUN(test_pairs);
    RUN(test_attachments_and_properties);
    RUN(test_wrong_arguments);
    return check_result();
}
