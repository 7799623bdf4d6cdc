#include "format.h"

#include <stddef.h>

static bool same(CFTypeRef a, CFTypeRef b) { return a == b || (a && b && CFEqual(a, b)); }

CMFormatDescriptionRef nalu_format_cache_get(nalu_format_cache *cache, nalu_format_description *format,
    CFDictionaryRef extensions) {
    if (cache->description && nalu_format_description_equal(cache->format, format) &&
        same(cache->extensions, extensions)) {
        return cache->description;
    }
    CMFormatDescriptionRef description = nalu_format_create(NULL, format, extensions);
    if (!description) return NULL;
    nalu_format_cache_destroy(cache);
    cache->format = nalu_format_description_retain(format);
    cache->description = description;
    cache->extensions = extensions ? CFRetain(extensions) : NULL;
    return description;
}

void nalu_format_cache_destroy(nalu_format_cache *cache) {
    nalu_format_description_release(cache->format);
    if (cache->description) CFRelease(cache->description);
    if (cache->extensions) CFRelease(cache->extensions);
    *cache = (nalu_format_cache){NULL, NULL, NULL};
}
