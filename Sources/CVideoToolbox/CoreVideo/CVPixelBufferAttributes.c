#include "../Support/property_list.h"
#include "../Support/value.h"
#include "buffer.h"

/* ---- Whether a buffer fits ------------------------------------------------------------------ */

static bool names_format(CFTypeRef value, OSType type) {
    if (CFGetTypeID(value) == CFNumberGetTypeID()) {
        int64_t code = 0;
        CFNumberGetValue((CFNumberRef)value, kCFNumberSInt64Type, &code);
        return (OSType)code == type;
    }
    for (CFIndex i = 0; i < CFArrayGetCount((CFArrayRef)value); i++)
        if (names_format(CFArrayGetValueAtIndex((CFArrayRef)value, i), type)) return true;
    return false;
}

Boolean CVPixelBufferIsCompatibleWithAttributes(CVPixelBufferRef pixelBuffer, CFDictionaryRef attributes) {
    CVPixelBufferRef buffer = nalu_buffer_checked(pixelBuffer);
    nalu_pixel_attributes asked;
    int64_t alignment = 0;
    if (!buffer || nalu_pixel_attributes_read(attributes, &asked)) return false;
    if (!attributes) return true;
    CFTypeRef formats = CFDictionaryGetValue(attributes, kCVPixelBufferPixelFormatTypeKey);
    if (formats && !names_format(formats, buffer->format->type)) return false;
    if ((asked.width && asked.width != buffer->width) || (asked.height && asked.height != buffer->height)) return false;
    if (asked.left > buffer->left || asked.right > buffer->right || asked.top > buffer->top ||
        asked.bottom > buffer->bottom)
        return false;
    nalu_dictionary_integer(attributes, kCVPixelBufferBytesPerRowAlignmentKey, &alignment);
    for (size_t i = 0; alignment > 1 && i < buffer->format->plane_count; i++)
        if (buffer->planes[i].stride % (size_t)alignment != 0) return false;
    return true;
}

/* ---- Merging attributes --------------------------------------------------------------------- */

/* Returns the pixel formats that two values have in common, in the order of the first. Each value is a number or an
 * array of numbers. The result is a number for one format, an array for more, and NULL for none. */
static CFTypeRef copy_common_formats(CFTypeRef first, CFTypeRef second) {
    if (CFGetTypeID(first) == CFNumberGetTypeID()) {
        int64_t code = 0;
        CFNumberGetValue((CFNumberRef)first, kCFNumberSInt64Type, &code);
        return names_format(second, (OSType)code) ? CFRetain(first) : NULL;
    }
    CFMutableArrayRef common = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    if (!common) return NULL;
    for (CFIndex i = 0; i < CFArrayGetCount((CFArrayRef)first); i++) {
        CFTypeRef item = CFArrayGetValueAtIndex((CFArrayRef)first, i);
        CFTypeRef found = copy_common_formats(item, second);
        if (!found) continue;
        CFArrayAppendValue(common, found);
        CFRelease(found);
    }
    const CFIndex count = CFArrayGetCount(common);
    CFTypeRef result = count > 1 ? CFRetain(common) : count == 1 ? CFRetain(CFArrayGetValueAtIndex(common, 0)) : NULL;
    CFRelease(common);
    return result;
}

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

static bool is_one_of(CFStringRef key, const CFStringRef *const *keys) {
    for (; *keys; keys++)
        if (CFEqual(key, **keys)) return true;
    return false;
}

/* Merges one attribute into `merged`. Returns false if it contradicts the value that is already there. */
static bool merge(CFMutableDictionaryRef merged, CFStringRef key, CFTypeRef value) {
    static const CFStringRef *const sizes[] = {&kCVPixelBufferWidthKey, &kCVPixelBufferHeightKey, NULL};
    static const CFStringRef *const extensions[] = {
        &kCVPixelBufferExtendedPixelsLeftKey, &kCVPixelBufferExtendedPixelsRightKey,
        &kCVPixelBufferExtendedPixelsTopKey, &kCVPixelBufferExtendedPixelsBottomKey, NULL};
    static const CFStringRef *const alignments[] = {&kCVPixelBufferBytesPerRowAlignmentKey,
                                                    &kCVPixelBufferPlaneAlignmentKey, NULL};
    CFTypeRef old = CFDictionaryGetValue(merged, key);
    if (!old) {
        CFDictionarySetValue(merged, key, value);
        return true;
    }
    if (CFEqual(key, kCVPixelBufferPixelFormatTypeKey)) {
        CFTypeRef common = copy_common_formats(old, value);
        if (!common) return false;
        CFDictionarySetValue(merged, key, common);
        CFRelease(common);
        return true;
    }
    if (is_one_of(key, sizes)) return CFEqual(old, value);
    int64_t a = 0, b = 0;
    const bool extends = is_one_of(key, extensions);
    if (extends || is_one_of(key, alignments)) {
        CFNumberGetValue((CFNumberRef)old, kCFNumberSInt64Type, &a);
        CFNumberGetValue((CFNumberRef)value, kCFNumberSInt64Type, &b);
        const bool takes_larger = extends || a < 1 || b < 1;
        const int64_t both = takes_larger ? (a > b ? a : b) : a / greatest_divisor(a, b) * b;
        if (!extends && both > NALU_LARGEST_ALIGNMENT) return false;
        nalu_dictionary_take(merged, key, nalu_integer(both));
        return true;
    }
    /* A compatibility key: the merged value is true if it is true in one of the dictionaries. */
    if (CFEqual(old, kCFBooleanFalse)) CFDictionarySetValue(merged, key, value);
    return true;
}

typedef struct merging {
    CFMutableDictionaryRef merged;
    bool agrees;
} merging;

static void merge_pair(const void *key, const void *value, void *context) {
    merging *state = context;
    state->agrees = state->agrees && merge(state->merged, key, value);
}

CVReturn CVPixelBufferCreateResolvedAttributesDictionary(CFAllocatorRef allocator, CFArrayRef attributes,
                                                         CFDictionaryRef *resolvedDictionaryOut) {
    if (!resolvedDictionaryOut) return kCVReturnInvalidArgument;
    *resolvedDictionaryOut = NULL;
    if (attributes && CFGetTypeID(attributes) != CFArrayGetTypeID()) return kCVReturnInvalidArgument;
    CFMutableDictionaryRef merged = nalu_dictionary_create(allocator);
    if (!merged) return kCVReturnAllocationFailed;
    CVReturn status = kCVReturnSuccess;
    for (CFIndex i = 0; attributes && !status && i < CFArrayGetCount(attributes); i++) {
        CFDictionaryRef dictionary = CFArrayGetValueAtIndex(attributes, i);
        nalu_pixel_attributes read;
        if (!dictionary) continue;
        status = nalu_pixel_attributes_read(dictionary, &read);
        CFMutableDictionaryRef pairs = status ? NULL : nalu_dictionary_copy(NULL, dictionary);
        if (!pairs) continue;
        merging context = {merged, true};
        CFDictionaryApplyFunction(pairs, merge_pair, &context);
        if (!context.agrees) status = kCVReturnInvalidPixelBufferAttributes;
        CFRelease(pairs);
    }
    if (status) CFRelease(merged);
    else *resolvedDictionaryOut = merged;
    return status;
}
