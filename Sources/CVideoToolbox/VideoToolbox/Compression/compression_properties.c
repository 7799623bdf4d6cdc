/* The functions of VTSession.h for compression sessions. */
#include "../../Support/value.h"
#include "properties.h"
#include "property_changes.h"

#include <math.h>

static OSStatus set_property(void *session, CFStringRef key, CFTypeRef value) {
    return nalu_set_property(session, key, value);
}

static OSStatus set_properties(void *session, CFDictionaryRef properties) {
    return nalu_set_properties(session, properties);
}

static OSStatus copy_property(void *session, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    (void)allocator;
    return nalu_copy_property(session, key, value_out);
}

/* ---- The supported properties ---- */

static CFArrayRef allowed_values(const struct nalu_property_row *row, uint32_t count) {
    CFMutableArrayRef values = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (uint32_t i = 0; values && i < count; i++) {
        const char *text = nalu_property_get_allowed_value(row->name, i);
        CFStringRef value = text ? nalu_value_string(&row->form, text) : NULL;
        if (!value) continue;
        CFArrayAppendValue(values, value);
        CFRelease(value);
    }
    return values;
}

static CFDictionaryRef describe(const struct nalu_property_row *row, const nalu_property_info *info) {
    CFStringRef type = NULL;
    const bool is_number = info->type == NALU_PROPERTY_TYPE_INT64 || info->type == NALU_PROPERTY_TYPE_DOUBLE;
    if (info->type == NALU_PROPERTY_TYPE_BOOL) type = kVTPropertyType_Boolean;
    else if (row->copy) type = NULL;
    else if (is_number) type = kVTPropertyType_Number;
    else if (info->allowed_value_count > 0) type = kVTPropertyType_Enumeration;
    CFArrayRef values =
        type == kVTPropertyType_Enumeration ? allowed_values(row, info->allowed_value_count) : NULL;
    CFStringRef documentation = nalu_string(info->documentation);
    const bool has_limits = type == kVTPropertyType_Number;
    CFDictionaryRef description = nalu_session_describe_property(type, info->writable, info->writable,
        has_limits ? info->minimum : NAN, has_limits ? info->maximum : NAN, values, documentation);
    if (values) CFRelease(values);
    if (documentation) CFRelease(documentation);
    return description;
}

CFDictionaryRef nalu_compression_copy_supported(void) {
    CFMutableDictionaryRef supported = nalu_dictionary_create(NULL);
    if (!supported) return NULL;
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        struct nalu_property_row plain;
        const char *name = nalu_property_get_key(i);
        const struct nalu_property_row *row = name ? nalu_property_of_name(name, &plain) : NULL;
        nalu_property_info info = {.struct_size = sizeof info};
        if (!row || nalu_property_get_info(name, &info) != NALU_STATUS_OK) continue;
        CFStringRef key = row->key ? CFRetain(*row->key) : nalu_string(name);
        if (!key) continue;
        nalu_dictionary_take(supported, key, describe(row, &info));
        CFRelease(key);
    }
    nalu_dictionary_take(supported, kVTCompressionPropertyKey_MultiPassStorage,
        nalu_session_describe_property(NULL, true, false, NAN, NAN, NULL, NULL));
    return supported;
}

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    VTCompressionSessionRef session = object;
    pthread_mutex_lock(&session->lock);
    const bool is_invalidated = session->invalidated;
    pthread_mutex_unlock(&session->lock);
    if (is_invalidated) return kVTInvalidSessionErr;
    *supported_out = nalu_compression_copy_supported();
    return *supported_out ? noErr : kVTAllocationFailedErr;
}

const struct nalu_session_methods nalu_compression_methods = {
    set_property, set_properties, copy_property, copy_supported};
