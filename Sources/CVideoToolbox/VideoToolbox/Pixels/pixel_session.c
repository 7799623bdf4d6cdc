#include "pixel_session.h"

#include "../../Support/value.h"

static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    nalu_pixel_session *session = object;
    const nalu_stored_property *property = nalu_stored_property_find(session->properties, key);
    CFTypeRef kept = NULL;
    if (!property) return kVTPropertyNotSupportedErr;
    OSStatus status = nalu_stored_property_copy_value(property, value, &kept, NULL);
    if (status != noErr) return status;
    pthread_mutex_lock(&session->lock);
    if (session->invalid) status = kVTInvalidSessionErr;
    else if (kept) CFDictionarySetValue(session->values, *property->key, kept);
    else CFDictionaryRemoveValue(session->values, *property->key);
    pthread_mutex_unlock(&session->lock);
    if (kept) CFRelease(kept);
    return status;
}

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    nalu_pixel_session *session = object;
    const nalu_stored_property *property = nalu_stored_property_find(session->properties, key);
    (void)allocator;
    if (!property) return kVTPropertyNotSupportedErr;
    pthread_mutex_lock(&session->lock);
    CFTypeRef value = CFDictionaryGetValue(session->values, *property->key);
    const bool invalid = session->invalid;
    if (!invalid) *value_out = value ? CFRetain(value) : nalu_stored_property_copy_default(property);
    pthread_mutex_unlock(&session->lock);
    return invalid ? kVTInvalidSessionErr : noErr;
}

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    nalu_pixel_session *session = object;
    pthread_mutex_lock(&session->lock);
    const bool invalid = session->invalid;
    pthread_mutex_unlock(&session->lock);
    if (invalid) return kVTInvalidSessionErr;
    *supported_out = nalu_stored_properties_describe(session->properties);
    return *supported_out ? noErr : kVTAllocationFailedErr;
}

OSStatus nalu_pixel_session_create(nalu_class *type, const nalu_stored_property *properties, CFAllocatorRef allocator,
                                   size_t size, void *session_out) {
    static const struct nalu_session_methods methods = {set_property, NULL, copy_property, copy_supported};
    if (!session_out) return kVTParameterErr;
    *(void **)session_out = NULL;
    CFMutableDictionaryRef values = nalu_dictionary_create(NULL);
    nalu_pixel_session *session = values ? nalu_session_create(type, &methods, allocator, size) : NULL;
    if (!session) {
        if (values) CFRelease(values);
        return kVTAllocationFailedErr;
    }
    pthread_mutex_init(&session->lock, NULL);
    session->properties = properties;
    session->values = values;
    *(void **)session_out = session;
    return noErr;
}

void nalu_pixel_session_finalize(CFTypeRef object) {
    nalu_pixel_session *session = (nalu_pixel_session *)(uintptr_t)object;
    CFRelease(session->values);
    pthread_mutex_destroy(&session->lock);
}

void nalu_pixel_session_invalidate(nalu_pixel_session *session) {
    pthread_mutex_lock(&session->lock);
    session->invalid = true;
    pthread_mutex_unlock(&session->lock);
}

OSStatus nalu_pixel_session_copy_values(nalu_pixel_session *session, CFDictionaryRef *values_out) {
    OSStatus status = kVTInvalidSessionErr;
    *values_out = NULL;
    pthread_mutex_lock(&session->lock);
    if (!session->invalid) {
        *values_out = CFDictionaryCreateCopy(NULL, session->values);
        status = *values_out ? noErr : kVTAllocationFailedErr;
    }
    pthread_mutex_unlock(&session->lock);
    return status;
}
