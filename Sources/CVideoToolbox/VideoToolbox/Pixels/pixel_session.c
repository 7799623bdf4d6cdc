#include "pixel_session.h"
#include "../../Support/value.h"

#include "../../Support/property_list.h"

#include <math.h>

static const nalu_pixel_property *find(const nalu_pixel_session *session, CFStringRef key) {
    for (const nalu_pixel_property *property = session->properties; property->key; property++)
        if (CFEqual(*property->key, key)) return property;
    return NULL;
}

static OSStatus check_value(const nalu_pixel_property *property, CFTypeRef value) {
    const CFTypeID type = CFGetTypeID(value);
    switch (property->kind) {
    case NALU_PIXEL_BOOLEAN: return type == CFBooleanGetTypeID() ? noErr : kVTPropertyNotSupportedErr;
    case NALU_PIXEL_DICTIONARY: return type == CFDictionaryGetTypeID() ? noErr : kVTPropertyNotSupportedErr;
    case NALU_PIXEL_DATA: return type == CFDataGetTypeID() ? noErr : kVTPropertyNotSupportedErr;
    case NALU_PIXEL_STRING: break;
    }
    if (type != CFStringGetTypeID()) return kVTPropertyNotSupportedErr;
    if (!property->values) return noErr;
    for (size_t i = 0; property->values[i]; i++)
        if (CFEqual(*property->values[i], value)) return noErr;
    return kVTParameterErr;
}

static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    nalu_pixel_session *session = object;
    const nalu_pixel_property *property = find(session, key);
    if (!property) return kVTPropertyNotSupportedErr;
    OSStatus status = value ? check_value(property, value) : noErr;
    if (status) return status;
    /* The caller's dictionary may not retain its contents, so a copy is stored. */
    CFTypeRef kept = nalu_property_list_copy_value(NULL, value);
    if (value && !kept) return kVTAllocationFailedErr;
    pthread_mutex_lock(&session->lock);
    if (session->invalid) status = kVTInvalidSessionErr;
    else if (kept) CFDictionarySetValue(session->values, *property->key, kept);
    else CFDictionaryRemoveValue(session->values, *property->key);
    pthread_mutex_unlock(&session->lock);
    if (kept) CFRelease(kept);
    return status;
}

static CFTypeRef default_of(const nalu_pixel_property *property) {
    if (property->kind == NALU_PIXEL_BOOLEAN) return kCFBooleanFalse;
    return property->values ? *property->values[0] : NULL;
}

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    nalu_pixel_session *session = object;
    const nalu_pixel_property *property = find(session, key);
    OSStatus status = noErr;
    (void)allocator;
    if (!property) return kVTPropertyNotSupportedErr;
    pthread_mutex_lock(&session->lock);
    CFTypeRef value = CFDictionaryGetValue(session->values, *property->key);
    if (session->invalid) status = kVTInvalidSessionErr;
    else if (value || (value = default_of(property))) *value_out = CFRetain(value);
    pthread_mutex_unlock(&session->lock);
    return status;
}

static CFArrayRef list_values(const nalu_pixel_property *property) {
    if (!property->values) return NULL;
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (size_t i = 0; list && property->values[i]; i++) CFArrayAppendValue(list, *property->values[i]);
    return list;
}

static void describe(CFMutableDictionaryRef supported, const nalu_pixel_property *property) {
    CFStringRef type = property->values                          ? kVTPropertyType_Enumeration
                       : property->kind == NALU_PIXEL_BOOLEAN ? kVTPropertyType_Boolean
                                                                 : NULL;
    CFArrayRef values = list_values(property);
    CFStringRef text = CFStringCreateWithCString(NULL, property->documentation, kCFStringEncodingUTF8);
    CFDictionaryRef description = nalu_session_describe_property(type, true, true, NAN, NAN, values, text);
    if (description) CFDictionarySetValue(supported, *property->key, description);
    if (description) CFRelease(description);
    if (text) CFRelease(text);
    if (values) CFRelease(values);
}

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    nalu_pixel_session *session = object;
    pthread_mutex_lock(&session->lock);
    const bool invalid = session->invalid;
    pthread_mutex_unlock(&session->lock);
    if (invalid) return kVTInvalidSessionErr;
    CFMutableDictionaryRef supported = nalu_dictionary_create(NULL);
    if (!supported) return kVTAllocationFailedErr;
    for (const nalu_pixel_property *property = session->properties; property->key; property++)
        describe(supported, property);
    *supported_out = supported;
    return noErr;
}

OSStatus nalu_pixel_session_create(nalu_class *type, const nalu_pixel_property *properties, CFAllocatorRef allocator,
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
