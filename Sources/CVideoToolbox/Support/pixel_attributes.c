#include "pixel_attributes.h"
#include "value.h"

#include "property_list.h"

#include <stdlib.h>

enum { LARGEST_EXTENSION = 4096, ALIGNMENT = 64 };

int nalu_dictionary_integer(CFDictionaryRef dictionary, CFStringRef key, int64_t *value_out) {
    CFTypeRef value = dictionary ? CFDictionaryGetValue(dictionary, key) : NULL;
    if (!value) return 0;
    if (CFGetTypeID(value) != CFNumberGetTypeID()) return -1;
    /* CFNumberGetValue truncates a fraction. */
    CFNumberGetValue((CFNumberRef)value, kCFNumberSInt64Type, value_out);
    return 1;
}

int nalu_dictionary_double(CFDictionaryRef dictionary, CFStringRef key, double *value_out) {
    CFTypeRef value = dictionary ? CFDictionaryGetValue(dictionary, key) : NULL;
    if (!value) return 0;
    if (CFGetTypeID(value) != CFNumberGetTypeID()) return -1;
    CFNumberGetValue((CFNumberRef)value, kCFNumberDoubleType, value_out);
    return 1;
}

/* Reads an integer. Returns false if its value has a wrong type, or is not between `minimum` and `maximum`; true if the
 * key is missing. */
static bool read_size(CFDictionaryRef attributes, CFStringRef key, int64_t minimum, int64_t maximum, size_t *size) {
    int64_t value = 0;
    switch (nalu_dictionary_integer(attributes, key, &value)) {
    case 0: return true;
    case 1: break;
    default: return false;
    }
    if (value < minimum || value > maximum) return false;
    *size = (size_t)value;
    return true;
}

static bool read_format(CFTypeRef value, nalu_pixel_attributes *read) {
    if (CFGetTypeID(value) == CFNumberGetTypeID()) {
        int64_t code = 0;
        CFNumberGetValue((CFNumberRef)value, kCFNumberSInt64Type, &code);
        /* The number may be negative, if the program made it from a signed integer. */
        if (!read->format) read->format = nalu_format_find((OSType)code);
        read->names_formats = true;
        return true;
    }
    if (CFGetTypeID(value) != CFArrayGetTypeID()) return false;
    for (CFIndex i = 0; i < CFArrayGetCount((CFArrayRef)value); i++) {
        CFTypeRef item = CFArrayGetValueAtIndex((CFArrayRef)value, i);
        if (!item || CFGetTypeID(item) != CFNumberGetTypeID() || !read_format(item, read)) return false;
    }
    return true;
}

static bool read_dictionary(CFDictionaryRef attributes, CFStringRef key, CFDictionaryRef *dictionary) {
    CFTypeRef value = CFDictionaryGetValue(attributes, key);
    if (!value) return true;
    *dictionary = (CFDictionaryRef)value;
    return CFGetTypeID(value) == CFDictionaryGetTypeID();
}

static size_t greatest_divisor(size_t a, size_t b) { return b ? greatest_divisor(b, a % b) : a; }

CVReturn nalu_pixel_attributes_read(CFDictionaryRef attributes, nalu_pixel_attributes *read) {
    *read = (nalu_pixel_attributes){.row_alignment = ALIGNMENT, .plane_alignment = ALIGNMENT};
    if (!attributes) return kCVReturnSuccess;
    if (CFGetTypeID(attributes) != CFDictionaryGetTypeID()) return kCVReturnInvalidPixelBufferAttributes;
    size_t row = 1, plane = 1;
    CFTypeRef format = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    const bool valid =
        read_size(attributes, kCVPixelBufferWidthKey, 0, INT32_MAX, &read->width) &&
        read_size(attributes, kCVPixelBufferHeightKey, 0, INT32_MAX, &read->height) &&
        read_size(attributes, kCVPixelBufferExtendedPixelsLeftKey, 0, LARGEST_EXTENSION, &read->left) &&
        read_size(attributes, kCVPixelBufferExtendedPixelsRightKey, 0, LARGEST_EXTENSION, &read->right) &&
        read_size(attributes, kCVPixelBufferExtendedPixelsTopKey, 0, LARGEST_EXTENSION, &read->top) &&
        read_size(attributes, kCVPixelBufferExtendedPixelsBottomKey, 0, LARGEST_EXTENSION, &read->bottom) &&
        read_size(attributes, kCVPixelBufferBytesPerRowAlignmentKey, 0, NALU_LARGEST_ALIGNMENT, &row) &&
        read_size(attributes, kCVPixelBufferPlaneAlignmentKey, 0, NALU_LARGEST_ALIGNMENT, &plane) &&
        read_dictionary(attributes, kCVBufferPropagatedAttachmentsKey, &read->propagated) &&
        read_dictionary(attributes, kCVBufferNonPropagatedAttachmentsKey, &read->not_propagated) &&
        (!format || read_format(format, read));
    if (!valid || (plane & (plane - 1)) != 0) return kCVReturnInvalidPixelBufferAttributes;
    if (row > 1) read->row_alignment = row / greatest_divisor(row, ALIGNMENT) * ALIGNMENT;
    if (plane > ALIGNMENT) read->plane_alignment = plane;
    return kCVReturnSuccess;
}

CFDictionaryRef nalu_pixel_attributes_complete(CFAllocatorRef allocator, CFDictionaryRef attributes, size_t width,
                                               size_t height, OSType format) {
    CFMutableDictionaryRef complete = nalu_dictionary_copy(allocator, attributes);
    if (!complete) return NULL;
    nalu_dictionary_take(complete, kCVPixelBufferWidthKey, nalu_integer((int64_t)width));
    nalu_dictionary_take(complete, kCVPixelBufferHeightKey, nalu_integer((int64_t)height));
    nalu_dictionary_take(complete, kCVPixelBufferPixelFormatTypeKey, nalu_integer(format));
    return complete;
}
