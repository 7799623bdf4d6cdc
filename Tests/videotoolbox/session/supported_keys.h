/* The dictionary of supported properties: every key of it has a value, or kVTPropertyNotSupportedErr while it has none. */
#ifndef NALU_TESTS_VT_SUPPORTED_KEYS_H
#define NALU_TESTS_VT_SUPPORTED_KEYS_H

#include "check.h"

#include <VideoToolbox/VideoToolbox.h>

static inline void check_values(VTSessionRef session) {
    CFDictionaryRef supported = NULL;
    REQUIRE(VTSessionCopySupportedPropertyDictionary(session, &supported) == noErr && supported);
    const CFIndex count = CFDictionaryGetCount(supported);
    const void **keys = (const void **)calloc((size_t)count, sizeof *keys);
    CFDictionaryGetKeysAndValues(supported, keys, NULL);
    CHECK(count > 5);
    for (CFIndex i = 0; i < count; i++) {
        char name[128] = "", what[200];
        CFTypeRef value = NULL;
        CFStringGetCString(keys[i], name, sizeof name, kCFStringEncodingUTF8);
        const OSStatus status = VTSessionCopyProperty(session, keys[i], NULL, &value);
        snprintf(what, sizeof what, "%s: %d, %s", name, (int)status, value ? "a value" : "none");
        /* For these two keys NULL is a value: unknown, and no GPU. */
        const bool may_be_null = CFEqual(keys[i], kVTDecompressionPropertyKey_RealTime) ||
            CFEqual(keys[i], kVTDecompressionPropertyKey_UsingGPURegistryID);
        const bool is_right =
            value ? status == noErr : status == kVTPropertyNotSupportedErr || (status == noErr && may_be_null);
        check_that(is_right, __FILE__, __LINE__, what, "");
        if (value) CFRelease(value);
    }
    free((void *)keys);
    CFRelease(supported);
}

#endif
