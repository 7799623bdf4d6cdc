#include "stored_properties.h"

#include "../Support/property_list.h"
#include "../Support/value.h"

#include <math.h>

const nalu_stored_property *nalu_stored_property_find(const nalu_stored_property *table, CFStringRef key) {
    for (const nalu_stored_property *property = table; property->key; property++)
        if (CFEqual(*property->key, key)) return property;
    return NULL;
}

int nalu_stored_property_value_index(const nalu_stored_property *property, CFTypeRef value) {
    for (int i = 0; property->values[i]; i++)
        if (CFEqual(*property->values[i], value)) return i;
    return -1;
}

/* ---- Setting ---- */

static OSStatus check(const nalu_stored_property *property, CFTypeRef value, double *number_out) {
    const CFTypeID type = CFGetTypeID(value);
    bool is_set = false, is_of_type = false;
    switch (property->kind) {
    case NALU_STORED_STRING: is_of_type = type == CFStringGetTypeID(); break;
    case NALU_STORED_BOOLEAN: is_of_type = type == CFBooleanGetTypeID(); break;
    case NALU_STORED_BOOLEAN_OR_NUMBER:
    case NALU_STORED_OPTIONAL_BOOLEAN: is_of_type = nalu_read_bool(value, &is_set); break;
    case NALU_STORED_NUMBER: is_of_type = nalu_read_double(value, number_out) && !isnan(*number_out); break;
    case NALU_STORED_DICTIONARY: is_of_type = type == CFDictionaryGetTypeID(); break;
    case NALU_STORED_DATA: is_of_type = type == CFDataGetTypeID(); break;
    case NALU_STORED_OBJECT: break;
    }
    if (!is_of_type) return kVTPropertyNotSupportedErr;
    if (property->kind == NALU_STORED_NUMBER)
        return *number_out >= property->minimum && *number_out <= property->maximum ? noErr : kVTParameterErr;
    return property->values && nalu_stored_property_value_index(property, value) < 0 ? kVTParameterErr : noErr;
}

static bool is_boolean(const nalu_stored_property *property) {
    return property->kind == NALU_STORED_BOOLEAN || property->kind == NALU_STORED_BOOLEAN_OR_NUMBER ||
        property->kind == NALU_STORED_OPTIONAL_BOOLEAN;
}

OSStatus nalu_stored_property_copy_value(const nalu_stored_property *property, CFTypeRef value, CFTypeRef *kept_out,
    double *number_out) {
    double number = 0;
    bool is_set = false;
    *kept_out = NULL;
    if (property->is_read_only) return kVTPropertyReadOnlyErr;
    const OSStatus status = value ? check(property, value, &number) : noErr;
    if (status != noErr) return status;
    if (is_boolean(property) && nalu_read_bool(value, &is_set)) value = is_set ? kCFBooleanTrue : kCFBooleanFalse;
    *kept_out = nalu_property_list_copy_value(NULL, value);
    if (number_out) *number_out = number;
    return value && !*kept_out ? kVTAllocationFailedErr : noErr;
}

/* ---- Reading ---- */

CFTypeRef nalu_stored_property_copy_default(const nalu_stored_property *property) {
    const int32_t zero = 0;
    if (property->values) return CFRetain(*property->values[0]);
    if (property->kind == NALU_STORED_NUMBER) return CFNumberCreate(NULL, kCFNumberSInt32Type, &zero);
    return is_boolean(property) && property->kind != NALU_STORED_OPTIONAL_BOOLEAN ? CFRetain(kCFBooleanFalse) : NULL;
}

static CFArrayRef list_values(const nalu_stored_property *property) {
    if (!property->values) return NULL;
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (size_t i = 0; list && property->values[i]; i++) CFArrayAppendValue(list, *property->values[i]);
    return list;
}

static CFDictionaryRef describe(const nalu_stored_property *property) {
    CFStringRef type = property->values                        ? kVTPropertyType_Enumeration
                       : is_boolean(property)                  ? kVTPropertyType_Boolean
                       : property->kind == NALU_STORED_NUMBER ? kVTPropertyType_Number
                                                               : NULL;
    const bool is_writable = !property->is_read_only;
    const bool has_limits = property->kind == NALU_STORED_NUMBER && is_writable;
    CFArrayRef values = list_values(property);
    CFStringRef documentation = nalu_string(property->documentation);
    CFDictionaryRef description = nalu_session_describe_property(type, is_writable, is_writable,
        has_limits ? property->minimum : NAN, has_limits ? property->maximum : NAN, values, documentation);
    if (values) CFRelease(values);
    if (documentation) CFRelease(documentation);
    return description;
}

CFDictionaryRef nalu_stored_properties_describe(const nalu_stored_property *table) {
    CFMutableDictionaryRef all = nalu_dictionary_create(NULL);
    for (const nalu_stored_property *property = table; all && property->key; property++)
        nalu_dictionary_take(all, *property->key, describe(property));
    return all;
}
