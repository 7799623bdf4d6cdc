/* The clean aperture and the shape of the pixels: which part of a picture is displayed, and at which size. */
#include "format_description.h"

/* Returns the value of a number, or of a fraction that is an array of two numbers; `otherwise` for any other value. */
static double number_of(CFTypeRef value, double otherwise) {
    double number = otherwise, divisor = 0;
    if (!value) return otherwise;
    if (CFGetTypeID(value) == CFNumberGetTypeID()) {
        CFNumberGetValue(value, kCFNumberDoubleType, &number);
    } else if (CFGetTypeID(value) == CFArrayGetTypeID() && CFArrayGetCount(value) == 2) {
        number = number_of(CFArrayGetValueAtIndex(value, 0), 0);
        divisor = number_of(CFArrayGetValueAtIndex(value, 1), 0);
        number = divisor ? number / divisor : otherwise;
    }
    return number;
}

static double member(CFDictionaryRef dictionary, CFStringRef key, CFStringRef rational_key, double otherwise) {
    CFTypeRef rational = rational_key ? CFDictionaryGetValue(dictionary, rational_key) : NULL;
    return number_of(rational ? rational : CFDictionaryGetValue(dictionary, key), otherwise);
}

static CFDictionaryRef dictionary_extension(CMFormatDescriptionRef desc, CFStringRef key) {
    CFTypeRef value = CMFormatDescriptionGetExtension(desc, key);
    return value && CFGetTypeID(value) == CFDictionaryGetTypeID() ? value : NULL;
}

CGRect CMVideoFormatDescriptionGetCleanAperture(CMVideoFormatDescriptionRef videoDesc, Boolean originIsAtTopLeft) {
    const CMVideoDimensions dimensions = CMVideoFormatDescriptionGetDimensions(videoDesc);
    CFDictionaryRef aperture = dictionary_extension(videoDesc, kCMFormatDescriptionExtension_CleanAperture);
    if (!aperture) return CGRectMake(0, 0, dimensions.width, dimensions.height);
    const double width = member(aperture, kCMFormatDescriptionKey_CleanApertureWidth,
        kCMFormatDescriptionKey_CleanApertureWidthRational, dimensions.width);
    const double height = member(aperture, kCMFormatDescriptionKey_CleanApertureHeight,
        kCMFormatDescriptionKey_CleanApertureHeightRational, dimensions.height);
    /* The offsets go from the centre of the image to the centre of the aperture, to the right and down. */
    const double right = member(aperture, kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
        kCMFormatDescriptionKey_CleanApertureHorizontalOffsetRational, 0);
    const double down = member(aperture, kCMFormatDescriptionKey_CleanApertureVerticalOffset,
        kCMFormatDescriptionKey_CleanApertureVerticalOffsetRational, 0);
    return CGRectMake((dimensions.width - width) / 2 + right,
        (dimensions.height - height) / 2 + (originIsAtTopLeft ? down : -down), width, height);
}

CGSize CMVideoFormatDescriptionGetPresentationDimensions(CMVideoFormatDescriptionRef videoDesc,
    Boolean usePixelAspectRatio, Boolean useCleanAperture) {
    const CMVideoDimensions dimensions = CMVideoFormatDescriptionGetDimensions(videoDesc);
    CGSize size = useCleanAperture ? CMVideoFormatDescriptionGetCleanAperture(videoDesc, true).size
                                   : CGSizeMake(dimensions.width, dimensions.height);
    CFDictionaryRef ratio = dictionary_extension(videoDesc, kCMFormatDescriptionExtension_PixelAspectRatio);
    if (usePixelAspectRatio && ratio) {
        const double horizontal = member(ratio, kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, NULL, 1);
        const double vertical = member(ratio, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing, NULL, 1);
        if (horizontal > 0 && vertical > 0) size.width *= horizontal / vertical;
    }
    return size;
}
