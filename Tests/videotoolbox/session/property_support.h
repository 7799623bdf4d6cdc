/* Helpers of the tests of properties. */
#ifndef NALU_TESTS_PROPERTY_SUPPORT_H
#define NALU_TESTS_PROPERTY_SUPPORT_H

#include "session_support.h"

static inline CFDictionaryRef dictionary_of(const CFStringRef *keys, const void **values, CFIndex count) {
    return CFDictionaryCreate(NULL, (const void **)keys, values, count, &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks);
}

static inline bool reads(VTCompressionSessionRef session, CFStringRef key, CFTypeRef expected) {
    CFTypeRef value = copy_value(session, key);
    const bool same = value && CFEqual(value, expected);
    if (value) CFRelease(value);
    return same;
}

static inline CFArrayRef array_of(const CFNumberRef *numbers, CFIndex count) {
    CFArrayRef array = CFArrayCreate(NULL, (const void **)numbers, count, &kCFTypeArrayCallBacks);
    for (CFIndex i = 0; i < count; i++) CFRelease(numbers[i]);
    return array;
}

static inline bool has_no_value(VTSessionRef session, CFStringRef key) {
    CFTypeRef value = copy_value(session, key);
    if (value) CFRelease(value);
    return value == NULL;
}

#endif
