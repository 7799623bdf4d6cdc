#include "changes.h"
#include "compression_session.h"
#include "property_names.h"
#include "structured.h"
#include "../../Support/value.h"

#include <math.h>
#include <stdlib.h>

/* Returns the kept value with one reference. Needs the lock, as the functions below do: another encoder does not take the
 * place of the one that they read. */
static CFTypeRef copy_kept(VTCompressionSessionRef session, CFStringRef key) {
    CFTypeRef value = CFDictionaryGetValue(session->kept, key);
    return value ? CFRetain(value) : NULL;
}

static OSStatus copy_plain(nalu_compression_session *encoder, const char *key, int32_t type, CFTypeRef *value_out) {
    int32_t flag = 0;
    int64_t whole = 0;
    double number = 0;
    nalu_status status;
    switch (type) {
    case NALU_PROPERTY_TYPE_BOOL:
        status = nalu_session_get_bool(encoder, key, &flag);
        if (status == NALU_STATUS_OK) *value_out = CFRetain(flag ? kCFBooleanTrue : kCFBooleanFalse);
        break;
    case NALU_PROPERTY_TYPE_INT64:
        status = nalu_session_get_int64(encoder, key, &whole);
        if (status == NALU_STATUS_OK) *value_out = nalu_integer(whole);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        status = nalu_session_get_double(encoder, key, &number);
        if (status == NALU_STATUS_OK) *value_out = nalu_number(number);
        break;
    case NALU_PROPERTY_TYPE_STRING: {
        size_t size = 0;
        status = nalu_session_copy_string(encoder, key, NULL, 0, &size);
        if (status != NALU_STATUS_OK && status != NALU_STATUS_BUFFER_TOO_SMALL) break;
        char *text = malloc(size + 1);
        if (!text) return kVTAllocationFailedErr;
        status = nalu_session_copy_string(encoder, key, text, size, &size);
        if (status == NALU_STATUS_OK) *value_out = nalu_property_value_of_text(key, text);
        free(text);
        break;
    }
    default: return kVTPropertyNotSupportedErr;
    }
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    return *value_out ? noErr : kVTAllocationFailedErr;
}

static OSStatus copy_named(VTCompressionSessionRef session, CFStringRef key, const char *name, CFTypeRef *value_out) {
    nalu_property_info info = {.struct_size = sizeof info};
    const nalu_status known = nalu_property_get_info(name, &info);
    if (known != NALU_STATUS_OK) return nalu_vt_status(known);
    const enum nalu_wish wish = nalu_wish_of_key(name);
    if (wish != NALU_WISH_COUNT && nalu_wish_is_read_back(wish)) {
        const double number = session->wishes.values[wish];
        if (!isnan(number)) {
            if (info.type == NALU_PROPERTY_TYPE_BOOL) *value_out = CFRetain(number ? kCFBooleanTrue : kCFBooleanFalse);
            else if (info.type == NALU_PROPERTY_TYPE_INT64) *value_out = nalu_integer(llround(number));
            else *value_out = nalu_number(number);
            return *value_out ? noErr : kVTAllocationFailedErr;
        }
    }
    const struct nalu_structured *structured = nalu_structured_property(name);
    if (structured && structured->kept) {
        *value_out = copy_kept(session, key);
        if (*value_out) return noErr;
    }
    if (structured) return structured->copy(session->encoder, name, value_out);
    return copy_plain(session->encoder, name, info.type, value_out);
}

static OSStatus copy_locked(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out) {
    if (session->invalidated) return kVTInvalidSessionErr;
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return noErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) {
        if (session->storage) *value_out = CFRetain(session->storage);
        return *value_out ? noErr : kVTPropertyNotSupportedErr;
    }
    if (nalu_is_without_effect(key) || nalu_is_of_params(key)) {
        *value_out = copy_kept(session, key);
        if (!*value_out && CFEqual(key, CFSTR(NALU_PROPERTY_X264_PARAMS))) *value_out = CFRetain(CFSTR(""));
        return *value_out ? noErr : kVTPropertyNotSupportedErr;
    }
    char *name = nalu_property_name_of_key(key);
    if (!name) return kVTPropertyNotSupportedErr;
    const OSStatus status = copy_named(session, key, name, value_out);
    free(name);
    return status;
}

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    VTCompressionSessionRef session = object;
    (void)allocator;
    pthread_mutex_lock(&session->lock);
    const OSStatus status = copy_locked(session, key, value_out);
    pthread_mutex_unlock(&session->lock);
    return status;
}

static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    return nalu_set_property(object, key, value);
}

static OSStatus set_properties(void *object, CFDictionaryRef properties) {
    return nalu_set_properties(object, properties);
}

/* ---- The methods ---- */

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
