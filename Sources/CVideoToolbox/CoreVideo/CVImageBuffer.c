#include "buffer.h"

/* ---- Colour code points of ITU-T H.273 ------------------------------------------------------ */

typedef struct code_point {
    int number;
    const CFStringRef *string;
} code_point;

enum { UNSPECIFIED = 2 };

static const code_point matrices[] = {
    {1, &kCVImageBufferYCbCrMatrix_ITU_R_709_2},     {6, &kCVImageBufferYCbCrMatrix_ITU_R_601_4},
    {5, &kCVImageBufferYCbCrMatrix_ITU_R_601_4},     {7, &kCVImageBufferYCbCrMatrix_SMPTE_240M_1995},
    {9, &kCVImageBufferYCbCrMatrix_ITU_R_2020},      {11, &kCVImageBufferYCbCrMatrix_DCI_P3},
    {12, &kCVImageBufferYCbCrMatrix_P3_D65},         {0, NULL},
};

static const code_point primaries[] = {
    {1, &kCVImageBufferColorPrimaries_ITU_R_709_2}, {5, &kCVImageBufferColorPrimaries_EBU_3213},
    {6, &kCVImageBufferColorPrimaries_SMPTE_C},     {9, &kCVImageBufferColorPrimaries_ITU_R_2020},
    {11, &kCVImageBufferColorPrimaries_DCI_P3},     {12, &kCVImageBufferColorPrimaries_P3_D65},
    {22, &kCVImageBufferColorPrimaries_P22},        {0, NULL},
};

/* Code point 6 is the same transfer function as 1, and 15 the same as 14. */
static const code_point transfers[] = {
    {1, &kCVImageBufferTransferFunction_ITU_R_709_2},      {6, &kCVImageBufferTransferFunction_ITU_R_709_2},
    {7, &kCVImageBufferTransferFunction_SMPTE_240M_1995},  {8, &kCVImageBufferTransferFunction_Linear},
    {13, &kCVImageBufferTransferFunction_sRGB},            {14, &kCVImageBufferTransferFunction_ITU_R_2020},
    {15, &kCVImageBufferTransferFunction_ITU_R_2020},      {16, &kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ},
    {17, &kCVImageBufferTransferFunction_SMPTE_ST_428_1},  {18, &kCVImageBufferTransferFunction_ITU_R_2100_HLG},
    {0, NULL},
};

static int number_of(const code_point *points, CFStringRef string) {
    if (!string || CFGetTypeID(string) != CFStringGetTypeID()) return UNSPECIFIED;
    for (; points->string; points++)
        if (CFEqual(*points->string, string)) return points->number;
    return UNSPECIFIED;
}

static CFStringRef string_of(const code_point *points, int number) {
    for (; points->string; points++)
        if (points->number == number) return *points->string;
    return NULL;
}

int CVYCbCrMatrixGetIntegerCodePointForString(CFStringRef yCbCrMatrixString) {
    return number_of(matrices, yCbCrMatrixString);
}

int CVColorPrimariesGetIntegerCodePointForString(CFStringRef colorPrimariesString) {
    return number_of(primaries, colorPrimariesString);
}

int CVTransferFunctionGetIntegerCodePointForString(CFStringRef transferFunctionString) {
    return number_of(transfers, transferFunctionString);
}

CFStringRef CVYCbCrMatrixGetStringForIntegerCodePoint(int yCbCrMatrixCodePoint) {
    return string_of(matrices, yCbCrMatrixCodePoint);
}

CFStringRef CVColorPrimariesGetStringForIntegerCodePoint(int colorPrimariesCodePoint) {
    return string_of(primaries, colorPrimariesCodePoint);
}

CFStringRef CVTransferFunctionGetStringForIntegerCodePoint(int transferFunctionCodePoint) {
    return string_of(transfers, transferFunctionCodePoint);
}

/* ---- Geometry and colour space of an image -------------------------------------------------- */

CGSize CVImageBufferGetEncodedSize(CVImageBufferRef imageBuffer) {
    return CGSizeMake((double)CVPixelBufferGetWidth(imageBuffer), (double)CVPixelBufferGetHeight(imageBuffer));
}

/* Reads the numbers of two keys from a dictionary attachment. Returns false if one is missing or not above 0. */
static bool read_pair(CVImageBufferRef buffer, CFStringRef attachment, CFStringRef first_key, CFStringRef second_key,
                      double *first, double *second) {
    CFTypeRef value = CVBufferCopyAttachment(buffer, attachment, NULL);
    if (!value) return false;
    const bool found = CFGetTypeID(value) == CFDictionaryGetTypeID() &&
                       nalu_dictionary_double(value, first_key, first) == 1 &&
                       nalu_dictionary_double(value, second_key, second) == 1 && *first > 0 && *second > 0;
    CFRelease(value);
    return found;
}

CGRect CVImageBufferGetCleanRect(CVImageBufferRef imageBuffer) {
    const CGSize whole = CVImageBufferGetEncodedSize(imageBuffer);
    double width = 0, height = 0, right = 0, down = 0;
    if (!read_pair(imageBuffer, kCVImageBufferCleanApertureKey, kCVImageBufferCleanApertureWidthKey,
                   kCVImageBufferCleanApertureHeightKey, &width, &height))
        return CGRectMake(0, 0, whole.width, whole.height);
    CFTypeRef aperture = CVBufferCopyAttachment(imageBuffer, kCVImageBufferCleanApertureKey, NULL);
    if (aperture && CFGetTypeID(aperture) == CFDictionaryGetTypeID()) {
        nalu_dictionary_double(aperture, kCVImageBufferCleanApertureHorizontalOffsetKey, &right);
        nalu_dictionary_double(aperture, kCVImageBufferCleanApertureVerticalOffsetKey, &down);
    }
    if (aperture) CFRelease(aperture);
    return CGRectMake((whole.width - width) / 2 + right, (whole.height - height) / 2 + down, width, height);
}

CGSize CVImageBufferGetDisplaySize(CVImageBufferRef imageBuffer) {
    double width = 0, height = 0, horizontal = 1, vertical = 1;
    if (read_pair(imageBuffer, kCVImageBufferDisplayDimensionsKey, kCVImageBufferDisplayWidthKey,
                  kCVImageBufferDisplayHeightKey, &width, &height))
        return CGSizeMake(width, height);
    CGSize size = CVImageBufferGetCleanRect(imageBuffer).size;
    if (read_pair(imageBuffer, kCVImageBufferPixelAspectRatioKey, kCVImageBufferPixelAspectRatioHorizontalSpacingKey,
                  kCVImageBufferPixelAspectRatioVerticalSpacingKey, &horizontal, &vertical))
        size.width = size.width * horizontal / vertical;
    return size;
}

Boolean CVImageBufferIsFlipped(CVImageBufferRef imageBuffer) { return nalu_buffer_checked(imageBuffer) != NULL; }

CGColorSpaceRef CVImageBufferGetColorSpace(CVImageBufferRef imageBuffer) {
    return (CGColorSpaceRef)CVBufferGetAttachment(imageBuffer, kCVImageBufferCGColorSpaceKey, NULL);
}

CGColorSpaceRef CVImageBufferCreateColorSpaceFromAttachments(CFDictionaryRef attachments) {
    (void)attachments;
    return NULL;
}
