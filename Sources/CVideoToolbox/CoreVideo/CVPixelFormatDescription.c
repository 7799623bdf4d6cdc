#include "../Support/constant.h"
#include "../Support/pixel_attributes.h"
#include "../Support/property_list.h"
#include "../Support/value.h"

#include <CoreVideo/CVPixelFormatDescription.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

NALU_CONSTANT(kCVPixelFormatName, "Name");
NALU_CONSTANT(kCVPixelFormatConstant, "PixelFormat");
NALU_CONSTANT(kCVPixelFormatCodecType, "CodecType");
NALU_CONSTANT(kCVPixelFormatFourCC, "FourCC");
NALU_CONSTANT(kCVPixelFormatContainsAlpha, "ContainsAlpha");
NALU_CONSTANT(kCVPixelFormatContainsYCbCr, "ContainsYCbCr");
NALU_CONSTANT(kCVPixelFormatContainsRGB, "ContainsRGB");
NALU_CONSTANT(kCVPixelFormatContainsGrayscale, "ContainsGrayscale");
NALU_CONSTANT(kCVPixelFormatContainsSenselArray, "ContainsSenselArray");
NALU_CONSTANT(kCVPixelFormatComponentRange, "ComponentRange");
NALU_CONSTANT(kCVPixelFormatComponentRange_VideoRange, "VideoRange");
NALU_CONSTANT(kCVPixelFormatComponentRange_FullRange, "FullRange");
NALU_CONSTANT(kCVPixelFormatComponentRange_WideRange, "WideRange");
NALU_CONSTANT(kCVPixelFormatPlanes, "Planes");
NALU_CONSTANT(kCVPixelFormatBlockWidth, "BlockWidth");
NALU_CONSTANT(kCVPixelFormatBlockHeight, "BlockHeight");
NALU_CONSTANT(kCVPixelFormatBitsPerBlock, "BitsPerBlock");
NALU_CONSTANT(kCVPixelFormatBitsPerComponent, "BitsPerComponent");
NALU_CONSTANT(kCVPixelFormatBlockHorizontalAlignment, "BlockHorizontalAlignment");
NALU_CONSTANT(kCVPixelFormatBlockVerticalAlignment, "BlockVerticalAlignment");
NALU_CONSTANT(kCVPixelFormatBlackBlock, "BlackBlock");
NALU_CONSTANT(kCVPixelFormatHorizontalSubsampling, "HorizontalSubsampling");
NALU_CONSTANT(kCVPixelFormatVerticalSubsampling, "VerticalSubsampling");
NALU_CONSTANT(kCVPixelFormatOpenGLFormat, "OpenGLFormat");
NALU_CONSTANT(kCVPixelFormatOpenGLType, "OpenGLType");
NALU_CONSTANT(kCVPixelFormatOpenGLInternalFormat, "OpenGLInternalFormat");
NALU_CONSTANT(kCVPixelFormatCGBitmapInfo, "CGBitmapInfo");
NALU_CONSTANT(kCVPixelFormatQDCompatibility, "QDCompatibility");
NALU_CONSTANT(kCVPixelFormatCGBitmapContextCompatibility, "CGBitmapContextCompatibility");
NALU_CONSTANT(kCVPixelFormatCGImageCompatibility, "CGImageCompatibility");
NALU_CONSTANT(kCVPixelFormatOpenGLCompatibility, "OpenGLCompatibility");
NALU_CONSTANT(kCVPixelFormatOpenGLESCompatibility, "OpenGLESCompatibility");
NALU_CONSTANT(kCVPixelFormatFillExtendedPixelsCallback, "FillExtendedPixelsCallback");

/* The descriptions that programs registered, by pixel format (a CFNumber). */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CFMutableDictionaryRef registered;

static CFDictionaryRef copy_registered(OSType type) {
    const int64_t code = type;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &code);
    if (!number) return NULL;
    pthread_mutex_lock(&lock);
    CFDictionaryRef description = registered ? CFDictionaryGetValue(registered, number) : NULL;
    if (description) CFRetain(description);
    pthread_mutex_unlock(&lock);
    CFRelease(number);
    return description;
}

void CVPixelFormatDescriptionRegisterDescriptionWithPixelFormatType(CFDictionaryRef description, OSType pixelFormat) {
    const int64_t code = pixelFormat;
    if (!description || CFGetTypeID(description) != CFDictionaryGetTypeID()) return;
    CFDictionaryRef copy = nalu_dictionary_copy(NULL, description);
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &code);
    if (copy && number) {
        pthread_mutex_lock(&lock);
        if (!registered)
            registered = nalu_dictionary_create(NULL);
        if (registered) CFDictionarySetValue(registered, number, copy);
        pthread_mutex_unlock(&lock);
    }
    if (copy) CFRelease(copy);
    if (number) CFRelease(number);
}

/* ---- Descriptions of known formats ---------------------------------------------------------- */

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* Fills in the description of one plane. Reads its black block from the hexadecimal digits at `black`, and moves
 * `black` to the next plane's digits. */
static void describe_plane(CFMutableDictionaryRef description, const nalu_format *format, size_t index,
                           const char **black) {
    const nalu_format_plane *plane = &format->planes[index];
    uint8_t block[16] = {0};
    nalu_dictionary_take(description, kCVPixelFormatBitsPerBlock, nalu_integer(plane->block_bytes * 8));
    if (plane->block_width > 1)
        nalu_dictionary_take(description, kCVPixelFormatBlockWidth, nalu_integer(plane->block_width));
    if (format->type == kCVPixelFormatType_422YpCbCr10)
        nalu_dictionary_take(description, kCVPixelFormatBlockHorizontalAlignment, nalu_integer(8));
    if (plane->horizontal > 1)
        nalu_dictionary_take(description, kCVPixelFormatHorizontalSubsampling, nalu_integer(plane->horizontal));
    if (plane->vertical > 1)
        nalu_dictionary_take(description, kCVPixelFormatVerticalSubsampling, nalu_integer(plane->vertical));
    for (size_t i = 0; *black && i < plane->block_bytes && **black; i++, *black += 2)
        block[i] = (uint8_t)(digit((*black)[0]) * 16 + digit((*black)[1]));
    if (*black && **black == ' ') (*black)++;
    CFDataRef data = CFDataCreate(NULL, block, plane->block_bytes);
    if (!data) return;
    CFDictionarySetValue(description, kCVPixelFormatBlackBlock, data);
    CFRelease(data);
}

static void describe_components(CFMutableDictionaryRef description, const nalu_format *format) {
    const struct {
        CFStringRef key;
        unsigned flag;
    } contents[] = {
        {kCVPixelFormatContainsRGB, NALU_FORMAT_RGB},         {kCVPixelFormatContainsYCbCr, NALU_FORMAT_YCBCR},
        {kCVPixelFormatContainsGrayscale, NALU_FORMAT_GRAY},  {kCVPixelFormatContainsAlpha, NALU_FORMAT_ALPHA},
        {kCVPixelFormatContainsSenselArray, NALU_FORMAT_SENSOR},
    };
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++)
        CFDictionarySetValue(description, contents[i].key,
                             format->flags & contents[i].flag ? kCFBooleanTrue : kCFBooleanFalse);
    CFStringRef range = format->flags & NALU_FORMAT_VIDEO_RANGE  ? kCVPixelFormatComponentRange_VideoRange
                        : format->flags & NALU_FORMAT_FULL_RANGE ? kCVPixelFormatComponentRange_FullRange
                        : format->flags & NALU_FORMAT_WIDE_RANGE ? kCVPixelFormatComponentRange_WideRange
                                                                 : NULL;
    if (range) CFDictionarySetValue(description, kCVPixelFormatComponentRange, range);
    nalu_dictionary_take(description, kCVPixelFormatBitsPerComponent, nalu_integer(format->component_bits));
}

static void describe_planes(CFMutableDictionaryRef description, const nalu_format *format) {
    const char *black = format->black;
    if (format->plane_count == 1) {
        describe_plane(description, format, 0, &black);
        return;
    }
    CFMutableArrayRef planes = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    if (!planes) return;
    for (size_t i = 0; i < format->plane_count; i++) {
        CFMutableDictionaryRef plane = nalu_dictionary_create(NULL);
        if (!plane) continue;
        describe_plane(plane, format, i, &black);
        CFArrayAppendValue(planes, plane);
        CFRelease(plane);
    }
    CFDictionarySetValue(description, kCVPixelFormatPlanes, planes);
    CFRelease(planes);
}

CFDictionaryRef CVPixelFormatDescriptionCreateWithPixelFormatType(CFAllocatorRef allocator, OSType pixelFormat) {
    CFDictionaryRef own = copy_registered(pixelFormat);
    if (own) return own;
    const nalu_format *format = nalu_format_find(pixelFormat);
    CFMutableDictionaryRef description = format ? nalu_dictionary_create(allocator) : NULL;
    if (!description) return NULL;
    nalu_dictionary_take(description, kCVPixelFormatConstant, nalu_integer(pixelFormat));
    nalu_dictionary_take(description, kCVPixelFormatFourCC, nalu_integer(pixelFormat));
    nalu_dictionary_take(description, kCVPixelFormatCodecType, nalu_integer(pixelFormat));
    CFStringRef name = CFStringCreateWithCString(NULL, format->name, kCFStringEncodingASCII);
    if (name) {
        CFDictionarySetValue(description, kCVPixelFormatName, name);
        CFRelease(name);
    }
    describe_components(description, format);
    describe_planes(description, format);
    return description;
}

static void append_code(CFMutableArrayRef codes, OSType type) {
    const int64_t code = type;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &code);
    if (!number) return;
    CFArrayAppendValue(codes, number);
    CFRelease(number);
}

static void append_registered(const void *key, const void *value, void *codes) {
    int64_t code = 0;
    (void)value;
    CFNumberGetValue(key, kCFNumberSInt64Type, &code);
    if (!nalu_format_find((OSType)code)) append_code(codes, (OSType)code);
}

CFArrayRef CVPixelFormatDescriptionArrayCreateWithAllPixelFormatTypes(CFAllocatorRef allocator) {
    CFMutableArrayRef codes = CFArrayCreateMutable(allocator, 0, &kCFTypeArrayCallBacks);
    if (!codes) return NULL;
    for (size_t i = 0; nalu_format_at(i); i++) append_code(codes, nalu_format_at(i)->type);
    pthread_mutex_lock(&lock);
    if (registered) CFDictionaryApplyFunction(registered, append_registered, codes);
    pthread_mutex_unlock(&lock);
    return codes;
}

CFStringRef CVPixelFormatTypeCopyFourCharCodeString(OSType pixelFormat) {
    const char text[5] = {(char)(pixelFormat >> 24), (char)(pixelFormat >> 16), (char)(pixelFormat >> 8),
                          (char)pixelFormat, 0};
    char number[12];
    bool printable = true;
    for (int i = 0; i < 4; i++) printable = printable && text[i] >= ' ' && text[i] <= '~';
    snprintf(number, sizeof number, "%u", (unsigned)pixelFormat);
    return CFStringCreateWithCString(NULL, printable ? text : number, kCFStringEncodingASCII);
}

Boolean CVIsCompressedPixelFormatAvailable(OSType pixelFormatType) {
    (void)pixelFormatType;
    return false;
}
