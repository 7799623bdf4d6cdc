/* The supported properties of an encoder, for VTSessionCopySupportedPropertyDictionary. */
#include "compression_session.h"
#include "property_names.h"
#include "structured.h"
#include "../../Support/value.h"

#include <math.h>

static CFArrayRef allowed_values(const char *key, uint32_t count) {
    CFMutableArrayRef values = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (uint32_t i = 0; values && i < count; i++) {
        const char *text = nalu_property_get_allowed_value(key, i);
        CFStringRef value = text ? nalu_property_value_of_text(key, text) : NULL;
        if (!value) continue;
        CFArrayAppendValue(values, value);
        CFRelease(value);
    }
    return values;
}

static CFDictionaryRef describe(const char *key, const nalu_property_info *info) {
    CFStringRef type = NULL;
    if (info->type == NALU_PROPERTY_TYPE_BOOL) type = kVTPropertyType_Boolean;
    else if (nalu_structured_property(key)) type = NULL;
    else if (info->type == NALU_PROPERTY_TYPE_INT64 || info->type == NALU_PROPERTY_TYPE_DOUBLE)
        type = kVTPropertyType_Number;
    else if (info->allowed_value_count > 0) type = kVTPropertyType_Enumeration;
    CFArrayRef values =
        type == kVTPropertyType_Enumeration ? allowed_values(key, info->allowed_value_count) : NULL;
    CFStringRef documentation = nalu_string(info->documentation);
    const bool number = type == kVTPropertyType_Number;
    CFDictionaryRef description = nalu_session_describe_property(type, info->writable, info->writable,
        number ? info->minimum : NAN, number ? info->maximum : NAN, values, documentation);
    if (values) CFRelease(values);
    if (documentation) CFRelease(documentation);
    return description;
}

CFDictionaryRef nalu_compression_copy_supported(void) {
    CFMutableDictionaryRef supported =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    if (!supported) return NULL;
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *name = nalu_property_get_key(i);
        nalu_property_info info = {.struct_size = sizeof info};
        if (!name || nalu_property_get_info(name, &info) != NALU_STATUS_OK) continue;
        CFStringRef key = nalu_property_key_of_name(name);
        if (!key) continue;
        nalu_dictionary_take(supported, key, describe(name, &info));
        CFRelease(key);
    }
    nalu_dictionary_take(supported, kVTCompressionPropertyKey_MultiPassStorage,
        nalu_session_describe_property(NULL, true, false, NAN, NAN, NULL, NULL));
    return supported;
}
