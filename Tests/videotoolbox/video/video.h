/* Common code of the tests of CoreVideo. */
#ifndef NALU_TESTS_VIDEO_H
#define NALU_TESTS_VIDEO_H

#include "check.h"

#include <CoreVideo/CoreVideo.h>

/* A dictionary of `count` whole numbers. */
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

static inline CVPixelBufferRef image(size_t width, size_t height, OSType format) {
    CVPixelBufferRef buffer = NULL;
    REQUIRE(CVPixelBufferCreate(NULL, width, height, format, NULL, &buffer) == kCVReturnSuccess);
    return buffer;
}

static inline size_t planes_of(CVPixelBufferRef buffer) {
    const size_t count = CVPixelBufferGetPlaneCount(buffer);
    return count ? count : 1;
}

static inline uint8_t *row_of(CVPixelBufferRef buffer, size_t plane, size_t y) {
    return (uint8_t *)CVPixelBufferGetBaseAddressOfPlane(buffer, plane) +
           y * CVPixelBufferGetBytesPerRowOfPlane(buffer, plane);
}

/* Fills all planes with noise. */
static inline void fill(CVPixelBufferRef buffer, uint32_t state) {
    for (size_t i = 0; i < planes_of(buffer); i++) {
        uint8_t *base = CVPixelBufferGetBaseAddressOfPlane(buffer, i);
        const size_t size = CVPixelBufferGetBytesPerRowOfPlane(buffer, i) * CVPixelBufferGetHeightOfPlane(buffer, i);
        for (size_t k = 0; k < size; k++) base[k] = (uint8_t)((state = state * 1664525u + 1013904223u) >> 24);
    }
}

#endif
