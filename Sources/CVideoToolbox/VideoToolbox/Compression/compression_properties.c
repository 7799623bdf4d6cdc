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

/* ---- Reading ---- */

/* Returns the client's value of a deferred property. */
static CFTypeRef copy_deferred(const struct nalu_property_row *row, double number) {
    nalu_property_info info = {.struct_size = sizeof info};
    (void)!nalu_property_get_info(row->name, &info);
    if (info.type == NALU_PROPERTY_TYPE_BOOL) return CFRetain(number != 0 ? kCFBooleanTrue : kCFBooleanFalse);
    return info.type == NALU_PROPERTY_TYPE_INT64 ? nalu_integer(llround(number)) : nalu_number(number);
}

/* Needs the lock, so that the encoder is not replaced meanwhile. */
static OSStatus copy_value(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out) {
    struct nalu_property_row plain;
    const struct nalu_property_row *row = nalu_property_of_key(key, &plain);
    if (session->invalidated) return kVTInvalidSessionErr;
    if (!row) return kVTPropertyNotSupportedErr;
    const double number = session->deferred.values[row->deferred];
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return noErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) *value_out = session->storage;
    if (row->flags & NALU_PROPERTY_IS_KEPT) *value_out = CFDictionaryGetValue(session->kept, key);
    if (*value_out) {
        CFRetain(*value_out);
        return noErr;
    }
    if (!row->name) return kVTPropertyNotSupportedErr;
    if (row->deferred && !(row->flags & NALU_PROPERTY_READS_STREAM) && !isnan(number)) {
        *value_out = copy_deferred(row, number);
        return *value_out ? noErr : kVTAllocationFailedErr;
    }
    return (row->copy ? row->copy : nalu_value_copy)(&row->form, session->encoder, row->name, value_out);
}

OSStatus nalu_copy_property(VTCompressionSessionRef session, CFStringRef key, CFTypeRef *value_out) {
    pthread_mutex_lock(&session->lock);
    const OSStatus status = copy_value(session, key, value_out);
    pthread_mutex_unlock(&session->lock);
    return status;
}

static OSStatus copy_property(void *session, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    (void)allocator;
    return nalu_copy_property(session, key, value_out);
}

/* ---- The supported properties ---- */

/* Returns the allowed values that the session accepts, and unsets the property: encoders accept some of the values only. */
static CFArrayRef allowed_values(
    const struct nalu_property_row *row, uint32_t count, nalu_compression_session *session, bool is_writable) {
    CFMutableArrayRef values = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (uint32_t i = 0; values && i < count; i++) {
        const char *text = nalu_property_get_allowed_value(row->name, i);
        if (is_writable && nalu_session_set_string(session, row->name, text) != NALU_STATUS_OK) continue;
        CFStringRef value = text ? nalu_value_string(&row->form, text) : NULL;
        if (!value) continue;
        CFArrayAppendValue(values, value);
        CFRelease(value);
    }
    if (is_writable) (void)!nalu_session_unset_property(session, row->name);
    return values;
}

static CFDictionaryRef describe(
    const struct nalu_property_row *row, const nalu_property_info *info, nalu_compression_session *session) {
    CFStringRef type = NULL;
    const bool is_number = info->type == NALU_PROPERTY_TYPE_INT64 || info->type == NALU_PROPERTY_TYPE_DOUBLE;
    if (info->type == NALU_PROPERTY_TYPE_BOOL) type = kVTPropertyType_Boolean;
    else if (row->copy) type = NULL;
    else if (is_number) type = kVTPropertyType_Number;
    else if (info->allowed_value_count > 0) type = kVTPropertyType_Enumeration;
    CFArrayRef values = type == kVTPropertyType_Enumeration
        ? allowed_values(row, info->allowed_value_count, session, info->writable)
        : NULL;
    CFStringRef documentation = nalu_string(info->documentation);
    const bool has_limits = type == kVTPropertyType_Number;
    CFDictionaryRef description = nalu_session_describe_property(type, info->writable, info->writable,
        has_limits ? info->minimum : NAN, has_limits ? info->maximum : NAN, values, documentation);
    if (values) CFRelease(values);
    if (documentation) CFRelease(documentation);
    return description;
}

/* Returns a session that encodes nothing, which knows the properties of its encoder; NULL without memory. */
static nalu_compression_session *open_encoder(CMVideoCodecType codec, const char *encoder_id) {
    nalu_compression_session *session = NULL;
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = encoder_id;
    (void)!nalu_compression_session_create(64, 64, codec, &specification, NULL, NULL, NULL, NULL, &session);
    return session;
}

static bool has_passes(nalu_compression_session *session) {
    nalu_multi_pass_storage *storage = NULL;
    const bool has = nalu_multi_pass_storage_create(NULL, &storage) == NALU_STATUS_OK &&
        nalu_compression_session_set_multi_pass_storage(session, storage) == NALU_STATUS_OK;
    if (has) (void)!nalu_compression_session_set_multi_pass_storage(session, NULL);
    nalu_multi_pass_storage_release(storage);
    return has;
}

struct nalu_encoder_abilities nalu_encoder_get_abilities(CMVideoCodecType codec, const char *encoder_id) {
    nalu_compression_session *session = open_encoder(codec, encoder_id);
    struct nalu_encoder_abilities abilities = {false, false};
    if (!session) return abilities;
    abilities.has_passes = has_passes(session);
    abilities.reorders_frames =
        nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, true) == NALU_STATUS_OK;
    nalu_compression_session_release(session);
    return abilities;
}

CFDictionaryRef nalu_compression_copy_supported(CMVideoCodecType codec, const char *encoder_id) {
    nalu_compression_session *session = open_encoder(codec, encoder_id);
    if (!session) return NULL;
    CFMutableDictionaryRef supported = nalu_dictionary_create(NULL);
    if (!supported) {
        nalu_compression_session_release(session);
        return NULL;
    }
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        struct nalu_property_row plain;
        const char *name = nalu_property_get_key(i);
        const struct nalu_property_row *row = name ? nalu_property_of_name(name, &plain) : NULL;
        nalu_property_info info = {.struct_size = sizeof info};
        if (!row || nalu_property_get_info(name, &info) != NALU_STATUS_OK) continue;
        if (!nalu_session_has_property(session, name)) continue;
        CFStringRef key = row->key ? CFRetain(*row->key) : nalu_string(name);
        if (!key) continue;
        nalu_dictionary_take(supported, key, describe(row, &info, session));
        CFRelease(key);
    }
    if (has_passes(session))
        nalu_dictionary_take(supported, kVTCompressionPropertyKey_MultiPassStorage,
            nalu_session_describe_property(NULL, true, false, NAN, NAN, NULL, NULL));
    nalu_compression_session_release(session);
    return supported;
}

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    VTCompressionSessionRef session = object;
    pthread_mutex_lock(&session->lock);
    const bool is_invalidated = session->invalidated;
    pthread_mutex_unlock(&session->lock);
    if (is_invalidated) return kVTInvalidSessionErr;
    *supported_out = nalu_compression_copy_supported(session->shape.codec, session->shape.encoder_id);
    return *supported_out ? noErr : kVTAllocationFailedErr;
}

const struct nalu_session_methods nalu_compression_methods = {
    set_property, set_properties, copy_property, copy_supported};
