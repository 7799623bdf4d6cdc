/* What the tests of CoreVideo share. */
#ifndef NALU_TESTS_VIDEO_H
#define NALU_TESTS_VIDEO_H

#include "check.h"

#include <CoreVideo/CoreVideo.h>

/* A dictionary of whole numbers: `count` pairs. Retains, or has no callbacks and keeps nothing. */
static inline CFDictionaryRef numbers_create(const CFStringRef *keys, const int64_t *numbers, int count) {
    CFMutableDictionaryRef dictionary =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    for (int i = 0; i < count; i++) {
        CFNumberRef number = CFNumberCreate(NULL, kCFNumberSInt64Type, &numbers[i]);
        CFDictionarySetValue(dictionary, keys[i], number);
        CFRelease(number);
    }
    return dictionary;
}

static inline CFDictionaryRef size_create(int64_t width, int64_t height, OSType format) {
    const CFStringRef keys[] = {kCVPixelBufferWidthKey, kCVPixelBufferHeightKey, kCVPixelBufferPixelFormatTypeKey};
    const int64_t numbers[] = {width, height, format};
    return numbers_create(keys, numbers, 3);
}

static inline int64_t number_in(CFDictionaryRef dictionary, CFStringRef key) {
    int64_t number = -1;
    CFTypeRef value = dictionary ? CFDictionaryGetValue(dictionary, key) : NULL;
    if (value && CFGetTypeID(value) == CFNumberGetTypeID()) CFNumberGetValue(value, kCFNumberSInt64Type, &number);
    return number;
}

#endif
