#include "sample_extensions.h"

#include "delivery.h"

#include <CoreMedia/CMFormatDescription.h>

static const struct {
    const CFStringRef *property;
    const CFStringRef *extension; /* NULL: the property is part of another property's extension */
} table[] = {
    {&kVTCompressionPropertyKey_FieldCount, NULL},
    {&kVTCompressionPropertyKey_FieldDetail, &kCMFormatDescriptionExtension_FieldDetail},
    {&kVTCompressionPropertyKey_MasteringDisplayColorVolume,
        &kCMFormatDescriptionExtension_MasteringDisplayColorVolume},
    {&kVTCompressionPropertyKey_ContentLightLevelInfo, &kCMFormatDescriptionExtension_ContentLightLevelInfo},
    {&kVTCompressionPropertyKey_GammaLevel, &kCMFormatDescriptionExtension_GammaLevel},
    {&kCVImageBufferGammaLevelKey, &kCMFormatDescriptionExtension_GammaLevel},
    {&kVTCompressionPropertyKey_ICCProfile, &kCMFormatDescriptionExtension_ICCProfile},
};

enum { PROPERTIES = sizeof table / sizeof *table };

bool nalu_is_of_sample_extensions(CFStringRef key) {
    for (size_t i = 0; i < PROPERTIES; i++)
        if (CFEqual(key, *table[i].property)) return true;
    return false;
}

void nalu_sample_extensions_update(VTCompressionSessionRef session) {
    CFMutableDictionaryRef extensions =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (!extensions) return;
    /* The lock makes sure that the values that two threads set are both there in the end. */
    pthread_mutex_lock(&session->extensions_lock);
    for (size_t i = 0; i < PROPERTIES; i++) {
        CFTypeRef value = NULL;
        if (!table[i].extension) continue;
        if (nalu_compression_methods.copy_property(session, *table[i].property, NULL, &value) == noErr && value)
            CFDictionarySetValue(extensions, *table[i].extension, value);
        if (value) CFRelease(value);
    }
    nalu_delivery_set_extensions(session->delivery, CFDictionaryGetCount(extensions) > 0 ? extensions : NULL);
    pthread_mutex_unlock(&session->extensions_lock);
    CFRelease(extensions);
}
