#include "property_list.h"
#include "value.h"

#include <stdlib.h>

enum { DEEPEST = 32 };

static CFTypeRef copy_value(CFAllocatorRef allocator, CFTypeRef value, int depth);

static CFMutableDictionaryRef copy_dictionary(CFAllocatorRef allocator, CFDictionaryRef dictionary, int depth) {
    const CFIndex count = CFDictionaryGetCount(dictionary);
    CFMutableDictionaryRef copy = nalu_dictionary_create(allocator);
    const void **pairs = (const void **)calloc(2 * (size_t)count + 1, sizeof *pairs);
    if (copy && pairs) {
        CFDictionaryGetKeysAndValues(dictionary, pairs, pairs + count);
        for (CFIndex i = 0; i < count; i++) {
            CFTypeRef value = pairs[i] && pairs[count + i] ? copy_value(allocator, pairs[count + i], depth + 1) : NULL;
            CFTypeRef key = value ? nalu_key_copy(allocator, pairs[i]) : NULL;
            if (key) {
                CFDictionarySetValue(copy, key, value);
                CFRelease(key);
            }
            if (value) CFRelease(value);
        }
    } else if (copy) {
        CFRelease(copy);
        copy = NULL;
    }
    free((void *)pairs);
    return copy;
}

static CFArrayRef copy_array(CFAllocatorRef allocator, CFArrayRef array, int depth) {
    CFMutableArrayRef copy = CFArrayCreateMutable(allocator, 0, &kCFTypeArrayCallBacks);
    for (CFIndex i = 0; copy && i < CFArrayGetCount(array); i++) {
        CFTypeRef element = CFArrayGetValueAtIndex(array, i);
        CFTypeRef value = element ? copy_value(allocator, element, depth + 1) : NULL;
        if (!value) continue;
        CFArrayAppendValue(copy, value);
        CFRelease(value);
    }
    return copy;
}

static CFTypeRef copy_value(CFAllocatorRef allocator, CFTypeRef value, int depth) {
    const CFTypeID type = CFGetTypeID(value);
    if (depth > DEEPEST) return NULL;
    if (type == CFDictionaryGetTypeID()) return copy_dictionary(allocator, value, depth);
    if (type == CFArrayGetTypeID()) return copy_array(allocator, value, depth);
    if (type == CFDataGetTypeID()) return CFDataCreateCopy(allocator, value);
    if (type == CFStringGetTypeID()) return CFStringCreateCopy(allocator, value);
    return CFRetain(value);
}

CFTypeRef nalu_key_copy(CFAllocatorRef allocator, CFTypeRef key) {
    return CFGetTypeID(key) == CFStringGetTypeID() ? CFStringCreateCopy(allocator, key) : CFRetain(key);
}

CFDictionaryRef nalu_property_list_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary) {
    return dictionary ? copy_dictionary(allocator, dictionary, 0) : NULL;
}

CFMutableDictionaryRef nalu_dictionary_copy(CFAllocatorRef allocator, CFDictionaryRef dictionary) {
    return dictionary ? copy_dictionary(allocator, dictionary, 0) : nalu_dictionary_create(allocator);
}

CFTypeRef nalu_property_list_copy_value(CFAllocatorRef allocator, CFTypeRef value) {
    return value ? copy_value(allocator, value, 0) : NULL;
}
