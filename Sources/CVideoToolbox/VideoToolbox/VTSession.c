#include <VideoToolbox/VTSession.h>

#include "../Support/constant.h"
#include "../Support/error_message.h"
#include "../Support/float_environment.h"
#include "../Support/value.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>

NALU_CONSTANT(kVTPropertyTypeKey, "PropertyType");
NALU_CONSTANT(kVTPropertyReadWriteStatusKey, "ReadWriteStatus");
NALU_CONSTANT(kVTPropertyShouldBeSerializedKey, "ShouldBeSerialized");
NALU_CONSTANT(kVTPropertySupportedValueMinimumKey, "SupportedValueMinimum");
NALU_CONSTANT(kVTPropertySupportedValueMaximumKey, "SupportedValueMaximum");
NALU_CONSTANT(kVTPropertySupportedValueListKey, "SupportedValueList");
NALU_CONSTANT(kVTPropertyDocumentationKey, "Documentation");
NALU_CONSTANT(kVTPropertyType_Enumeration, "Enumeration");
NALU_CONSTANT(kVTPropertyType_Boolean, "Boolean");
NALU_CONSTANT(kVTPropertyType_Number, "Number");
NALU_CONSTANT(kVTPropertyReadWriteStatus_ReadOnly, "ReadOnly");
NALU_CONSTANT(kVTPropertyReadWriteStatus_ReadWrite, "ReadWrite");

/* The CoreFoundation types of sessions. A type is entered when its first session is created. */
static _Atomic(CFTypeID) session_types[8];

static bool is_session_type(CFTypeID type) {
    for (size_t i = 0; i < sizeof session_types / sizeof *session_types; i++)
        if (atomic_load(&session_types[i]) == type) return true;
    return false;
}

void *nalu_session_create(nalu_class *type, const struct nalu_session_methods *methods, CFAllocatorRef allocator,
    size_t size) {
    struct nalu_session *session = nalu_object_create(type, allocator, size);
    if (!session) return NULL;
    session->methods = methods;
    const CFTypeID number = nalu_class_type(type);
    for (size_t i = 0; i < sizeof session_types / sizeof *session_types; i++) {
        CFTypeID found = 0;
        if (atomic_compare_exchange_strong(&session_types[i], &found, number) || found == number) break;
    }
    return session;
}

/* Returns NULL for an object that is not a session. */
static const struct nalu_session_methods *methods_of(VTSessionRef session) {
    if (!session || !is_session_type(CFGetTypeID(session))) return NULL;
    return ((const struct nalu_session *)session)->methods;
}

static bool is_string(CFTypeRef object) { return object && CFGetTypeID(object) == CFStringGetTypeID(); }

static OSStatus set_property(VTSessionRef session, CFStringRef key, CFTypeRef value) {
    const struct nalu_session_methods *methods = methods_of(session);
    if (!methods || !is_string(key)) return kVTParameterErr;
    return methods->set_property((void *)session, key, value);
}

OSStatus VTSessionSetProperty(VTSessionRef session, CFStringRef key, CFTypeRef value) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    nalu_error_begin();
    return nalu_error_end(set_property(session, key, value), "VTSessionSetProperty", key);
}

static OSStatus copy_property(VTSessionRef session, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    const struct nalu_session_methods *methods = methods_of(session);
    if (!methods || !is_string(key)) return kVTParameterErr;
    return methods->copy_property((void *)session, key, allocator, value_out);
}

/* `failed_out` receives the key of the property that is refused, if it is known. */
static OSStatus set_properties(VTSessionRef session, CFDictionaryRef properties, CFTypeRef *failed_out) {
    const struct nalu_session_methods *methods = methods_of(session);
    if (!methods || !properties || CFGetTypeID(properties) != CFDictionaryGetTypeID()) return kVTParameterErr;
    if (methods->set_properties) return methods->set_properties((void *)session, properties);
    const CFIndex count = CFDictionaryGetCount(properties);
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    if (!pairs) return kVTAllocationFailedErr;
    CFDictionaryGetKeysAndValues(properties, pairs, pairs + count);
    OSStatus status = noErr;
    CFIndex done = 0;
    /* Each value is replaced by the one before, with one reference; NULL for the default. */
    for (; done < count && status == noErr; done++) {
        CFTypeRef value = pairs[count + done], before = NULL;
        pairs[count + done] = NULL;
        if (!pairs[done]) continue;
        /* Properties that the session does not have are skipped. */
        if (copy_property(session, pairs[done], NULL, &before) == kVTPropertyNotSupportedErr) {
            pairs[done] = NULL;
            continue;
        }
        status = set_property(session, pairs[done], value);
        if (status != noErr) *failed_out = pairs[done];
        pairs[count + done] = before;
    }
    for (CFIndex i = 0; i < done; i++) {
        if (!pairs[i]) continue;
        if (status != noErr) (void)set_property(session, pairs[i], pairs[count + i]);
        if (pairs[count + i]) CFRelease(pairs[count + i]);
    }
    free((void *)pairs);
    return status;
}

OSStatus VTSessionSetProperties(VTSessionRef session, CFDictionaryRef properties) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    CFTypeRef failed = NULL;
    nalu_error_begin();
    const OSStatus status = set_properties(session, properties, &failed);
    return nalu_error_end(status, "VTSessionSetProperties", failed);
}

OSStatus VTSessionCopyProperty(VTSessionRef session, CFStringRef key, CFAllocatorRef allocator, void *value_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    CFTypeRef value = NULL;
    nalu_error_begin();
    const OSStatus status = value_out ? copy_property(session, key, allocator, &value) : kVTParameterErr;
    if (value_out) *(CFTypeRef *)value_out = value;
    return nalu_error_end(status, "VTSessionCopyProperty", key);
}

OSStatus VTSessionCopySupportedPropertyDictionary(VTSessionRef session, CFDictionaryRef *supported_out) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    const struct nalu_session_methods *methods = methods_of(session);
    if (supported_out) *supported_out = NULL;
    nalu_error_begin();
    const OSStatus status =
        methods && supported_out ? methods->copy_supported((void *)session, supported_out) : kVTParameterErr;
    return nalu_error_end(status, "VTSessionCopySupportedPropertyDictionary", NULL);
}

OSStatus VTSessionCopySerializableProperties(VTSessionRef session, CFAllocatorRef allocator,
    CFDictionaryRef *dictionary_out) {
    CFDictionaryRef supported = NULL;
    if (dictionary_out) *dictionary_out = NULL;
    if (!dictionary_out) return kVTParameterErr;
    const OSStatus status = VTSessionCopySupportedPropertyDictionary(session, &supported);
    if (status != noErr) return status;
    const CFIndex count = CFDictionaryGetCount(supported);
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    CFMutableDictionaryRef values = nalu_dictionary_create(allocator);
    if (pairs && values) {
        CFDictionaryGetKeysAndValues(supported, pairs, pairs + count);
        for (CFIndex i = 0; i < count; i++) {
            CFTypeRef value = NULL;
            if (CFDictionaryGetValue(pairs[count + i], kVTPropertyShouldBeSerializedKey) != kCFBooleanTrue) continue;
            if (VTSessionCopyProperty(session, pairs[i], allocator, &value) != noErr || !value) continue;
            CFDictionarySetValue(values, pairs[i], value);
            CFRelease(value);
        }
        *dictionary_out = values;
    } else if (values) CFRelease(values);
    free((void *)pairs);
    CFRelease(supported);
    return *dictionary_out ? noErr : kVTAllocationFailedErr;
}

static void add_number(CFMutableDictionaryRef description, CFStringRef key, double value) {
    if (isnan(value)) return;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberDoubleType, &value);
    if (!number) return;
    CFDictionarySetValue(description, key, number);
    CFRelease(number);
}

CFDictionaryRef nalu_session_describe_property(CFStringRef property_type, bool writable, bool serialized,
    double minimum, double maximum, CFArrayRef values, CFStringRef documentation) {
    CFMutableDictionaryRef description = nalu_dictionary_create(NULL);
    if (!description) return NULL;
    if (property_type) CFDictionarySetValue(description, kVTPropertyTypeKey, property_type);
    CFDictionarySetValue(description, kVTPropertyReadWriteStatusKey,
        writable ? kVTPropertyReadWriteStatus_ReadWrite : kVTPropertyReadWriteStatus_ReadOnly);
    CFDictionarySetValue(description, kVTPropertyShouldBeSerializedKey, serialized ? kCFBooleanTrue : kCFBooleanFalse);
    add_number(description, kVTPropertySupportedValueMinimumKey, minimum);
    add_number(description, kVTPropertySupportedValueMaximumKey, maximum);
    if (values) CFDictionarySetValue(description, kVTPropertySupportedValueListKey, values);
    if (documentation) CFDictionarySetValue(description, kVTPropertyDocumentationKey, documentation);
    return description;
}
