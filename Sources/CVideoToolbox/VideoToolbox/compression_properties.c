#include "compression_session.h"
#include "compression_wishes.h"
#include "encoder.h"
#include "encoder_params.h"
#include "property_names.h"
#include "sample_extensions.h"
#include "structured.h"
#include "value.h"

#include "../Support/property_list.h"

#include <CoreVideo/CVImageBuffer.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys that libnalu does not have ---- */

/* Properties that are accepted and read back, and never reach the encoder. The headers state the reasons. */
static const struct {
    const CFStringRef *key;
    CFTypeID (*type)(void);
} without_effect[] = {
    {&kVTCompressionPropertyKey_Depth, CFNumberGetTypeID},
    {&kVTCompressionPropertyKey_PreserveAlphaChannel, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_AlphaChannelMode, CFStringGetTypeID},
    {&kVTCompressionPropertyKey_AspectRatio16x9, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_ProgressiveScan, CFBooleanGetTypeID},
    {&kVTCompressionPropertyKey_GammaLevel, CFNumberGetTypeID},
    {&kVTCompressionPropertyKey_ICCProfile, CFDataGetTypeID},
    {&kVTCompressionPropertyKey_PreserveDynamicHDRMetadata, CFBooleanGetTypeID},
    {&kCVImageBufferGammaLevelKey, CFNumberGetTypeID},
};

enum { WITHOUT_EFFECT = sizeof without_effect / sizeof *without_effect };

/* Returns the key's index in `without_effect`, or WITHOUT_EFFECT if it is not there. */
static size_t place_without_effect(CFStringRef key) {
    size_t place = 0;
    while (place < WITHOUT_EFFECT && !CFEqual(key, *without_effect[place].key)) place++;
    return place;
}

/* Returns true if `value` has the type. A number is accepted as a boolean. */
static bool has_type(CFTypeRef value, CFTypeID type) {
    bool flag = false;
    return CFGetTypeID(value) == type || (type == CFBooleanGetTypeID() && nalu_read_bool(value, &flag));
}

/* Keys of the encoder specification. Some programs also put them into the session's properties, where they are
 * ignored. */
static const CFStringRef *const of_specification[] = {
    &kVTVideoEncoderSpecification_EncoderID,
    &kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder,
    &kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder,
    &kVTVideoEncoderSpecification_EnableLowLatencyRateControl,
    &kVTVideoEncoderSpecification_RequiredEncoderGPURegistryID,
    &kVTVideoEncoderSpecification_PreferredEncoderGPURegistryID,
};

static bool is_of_specification(CFStringRef key) {
    for (size_t i = 0; i < sizeof of_specification / sizeof *of_specification; i++)
        if (CFEqual(key, *of_specification[i])) return true;
    return false;
}

/* ---- Setting ---- */

/* Stores a copy of a value, because the caller's array or dictionary may not retain its contents. */
static OSStatus keep(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    CFStringRef key_copy = CFStringCreateCopy(NULL, key);
    CFTypeRef copy = nalu_property_list_copy_value(NULL, value);
    const bool made = key_copy && (copy || !value);
    pthread_mutex_lock(&session->lock);
    if (made && copy) CFDictionarySetValue(session->kept, key_copy, copy);
    else if (made) CFDictionaryRemoveValue(session->kept, key_copy);
    pthread_mutex_unlock(&session->lock);
    if (copy) CFRelease(copy);
    if (key_copy) CFRelease(key_copy);
    return made ? noErr : kVTAllocationFailedErr;
}

static CFTypeRef copy_kept(VTCompressionSessionRef session, CFStringRef key) {
    pthread_mutex_lock(&session->lock);
    CFTypeRef value = CFDictionaryGetValue(session->kept, key);
    if (value) CFRetain(value);
    pthread_mutex_unlock(&session->lock);
    return value;
}

static OSStatus set_plain(VTCompressionSessionRef session, const char *key, int32_t type, CFTypeRef value) {
    nalu_compression_session *encoder = session->encoder;
    bool flag = false;
    int64_t whole = 0;
    double number = 0;
    switch (type) {
    case NALU_PROPERTY_TYPE_BOOL:
        if (!nalu_read_bool(value, &flag)) return kVTPropertyNotSupportedErr;
        return nalu_vt_status(nalu_session_set_bool(encoder, key, flag));
    case NALU_PROPERTY_TYPE_INT64:
        if (!nalu_read_int64(value, &whole)) return kVTPropertyNotSupportedErr;
        /* Programs write the largest integer of any width for "never". */
        if (strcmp(key, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL) == 0 && whole > INT32_MAX) whole = INT32_MAX;
        return nalu_vt_status(nalu_session_set_int64(encoder, key, whole));
    case NALU_PROPERTY_TYPE_DOUBLE:
        if (!nalu_read_double(value, &number)) return kVTPropertyNotSupportedErr;
        return nalu_vt_status(nalu_session_set_double(encoder, key, number));
    case NALU_PROPERTY_TYPE_STRING: {
        char *text = nalu_property_text_of_value(key, value);
        if (!text) return kVTPropertyNotSupportedErr;
        const OSStatus status = nalu_vt_status(nalu_session_set_string(encoder, key, text));
        free(text);
        return status;
    }
    default: return kVTPropertyNotSupportedErr;
    }
}

static bool is_invalidated(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    const bool invalidated = session->invalidated;
    pthread_mutex_unlock(&session->lock);
    return invalidated;
}

static OSStatus set_named(VTCompressionSessionRef session, CFStringRef key, const char *name, CFTypeRef value) {
    nalu_property_info info = {.struct_size = sizeof info};
    const nalu_status known = nalu_property_get_info(name, &info);
    if (known != NALU_STATUS_OK) return nalu_vt_status(known);
    if (!info.writable) return kVTPropertyReadOnlyErr;
    const enum nalu_wish wish = nalu_wish_of_key(name);
    if (wish != NALU_WISH_COUNT) return nalu_set_wish(session, wish, info.type, value);
    const struct nalu_structured *structured = nalu_structured_property(name);
    OSStatus status;
    if (!value) status = nalu_vt_status(nalu_session_unset_property(session->encoder, name));
    else if (structured) status = structured->set(session->encoder, name, value);
    else return set_plain(session, name, info.type, value);
    if (status == noErr && structured && structured->kept) status = keep(session, key, value);
    return status;
}

/* Records that the client has set a colour. Such a colour is not taken from frames. */
static void note_colour(VTCompressionSessionRef session, CFStringRef key) {
    const CFStringRef colours[] = {kVTCompressionPropertyKey_ColorPrimaries,
        kVTCompressionPropertyKey_TransferFunction, kVTCompressionPropertyKey_YCbCrMatrix, nalu_chroma_location_top,
        nalu_chroma_location_bottom};
    for (unsigned i = 0; i < sizeof colours / sizeof *colours; i++)
        if (CFEqual(key, colours[i])) atomic_fetch_or(&session->colours_set, 1u << (i < 4 ? i : 3));
}

static OSStatus set_one(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    const size_t place = place_without_effect(key);
    if (place < WITHOUT_EFFECT) {
        if (value && !has_type(value, without_effect[place].type())) return kVTPropertyNotSupportedErr;
        return keep(session, key, value);
    }
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return kVTPropertyReadOnlyErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) return nalu_set_storage(session, value);
    if (nalu_is_of_encoder_params(key)) return nalu_encoder_params_set(session, key, value);
    char *name = nalu_property_name_of_key(key);
    if (!name) return kVTPropertyNotSupportedErr;
    const OSStatus status = set_named(session, key, name, value);
    free(name);
    return status;
}

static bool is_writable(CFStringRef key) {
    nalu_property_info info = {.struct_size = sizeof info};
    char *name = nalu_property_name_of_key(key);
    const bool is = nalu_is_of_encoder_params(key) ||
        (name && nalu_property_get_info(name, &info) == NALU_STATUS_OK && info.writable);
    free(name);
    return is;
}

/* Sets a property, again if another thread has replaced the encoder in the meantime. */
static OSStatus set_surely(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    const nalu_compression_session *used;
    OSStatus status;
    do {
        used = nalu_encoder_now(session);
        status = set_one(session, key, value);
    } while (used != nalu_encoder_now(session));
    return status;
}

/* Keys that programs change between frames: OBS changes the constant bit rate, Firefox the properties that make a
 * session live. */
static bool is_changed_live(CFStringRef key) {
    const CFStringRef keys[] = {kVTCompressionPropertyKey_ConstantBitRate, kVTCompressionPropertyKey_RealTime,
        kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality, kVTCompressionPropertyKey_MaxFrameDelayCount,
        kVTCompressionPropertyKey_ProfileLevel};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (CFEqual(key, keys[i])) return true;
    return false;
}

static OSStatus set_property(void *object, CFStringRef key, CFTypeRef value) {
    VTCompressionSessionRef session = object;
    if (is_invalidated(session)) return kVTInvalidSessionErr;
    /* The toolchain's CoreFoundation gives kCFNull no type, so it is compared by address too. */
    if (value && (value == kCFNull || CFGetTypeID(value) == CFNullGetTypeID())) value = NULL;
    OSStatus status = set_surely(session, key, value);
    if (status == kVTPropertyReadOnlyErr && is_writable(key)) {
        if (nalu_encoder_renew(session)) status = set_surely(session, key, value);
        else if (is_changed_live(key)) status = nalu_encoder_replace(session, set_surely, key, value);
    }
    if (status != noErr) return status;
    if (value) note_colour(session, key);
    if (nalu_is_of_sample_extensions(key)) nalu_sample_extensions_update(session);
    return noErr;
}

/* Sets all properties. A dictionary has no order, but some values are accepted only after others. So the failures are
 * tried again as long as a round makes progress. */
static OSStatus set_properties(void *object, CFDictionaryRef properties) {
    if (is_invalidated(object)) return kVTInvalidSessionErr;
    CFIndex left = CFDictionaryGetCount(properties);
    const CFIndex count = left;
    const void **pairs = (const void **)calloc((size_t)count + 1, 2 * sizeof *pairs);
    if (!pairs) return kVTAllocationFailedErr;
    CFDictionaryGetKeysAndValues(properties, pairs, pairs + count);
    OSStatus status = noErr;
    for (CFIndex before = left + 1; left > 0 && left < before;) {
        CFIndex kept = 0;
        before = left;
        for (CFIndex i = 0; i < left; i++) {
            CFTypeRef key = pairs[i], value = pairs[count + i];
            if (!key || (CFGetTypeID(key) == CFStringGetTypeID() && is_of_specification(key))) continue;
            const OSStatus failure =
                CFGetTypeID(key) == CFStringGetTypeID() ? set_property(object, key, value) : kVTParameterErr;
            if (failure == noErr) continue;
            if (kept == 0) status = failure;
            pairs[kept] = key;
            pairs[count + kept++] = value;
        }
        left = kept;
    }
    free((void *)pairs);
    return left ? status : noErr;
}

/* ---- Reading ---- */

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
        pthread_mutex_lock(&session->lock);
        const double number = session->wishes.values[wish];
        pthread_mutex_unlock(&session->lock);
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

static OSStatus copy_property(void *object, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out) {
    VTCompressionSessionRef session = object;
    (void)allocator;
    if (is_invalidated(session)) return kVTInvalidSessionErr;
    if (place_without_effect(key) < WITHOUT_EFFECT) {
        *value_out = copy_kept(session, key);
        return *value_out ? noErr : kVTPropertyNotSupportedErr;
    }
    if (CFEqual(key, kVTCompressionPropertyKey_UsingGPURegistryID)) return noErr;
    if (CFEqual(key, kVTCompressionPropertyKey_MultiPassStorage)) {
        pthread_mutex_lock(&session->lock);
        if (session->storage) *value_out = CFRetain(session->storage);
        pthread_mutex_unlock(&session->lock);
        return *value_out ? noErr : kVTPropertyNotSupportedErr;
    }
    if (nalu_is_of_encoder_params(key)) {
        *value_out = copy_kept(session, key);
        if (!*value_out && CFEqual(key, CFSTR(NALU_PROPERTY_X264_PARAMS))) *value_out = CFRetain(CFSTR(""));
        return *value_out ? noErr : kVTPropertyNotSupportedErr;
    }
    char *name = nalu_property_name_of_key(key);
    if (!name) return kVTPropertyNotSupportedErr;
    const nalu_compression_session *used;
    OSStatus status;
    do {
        if (*value_out) CFRelease(*value_out);
        *value_out = NULL;
        used = nalu_encoder_now(session);
        status = copy_named(session, key, name, value_out);
    } while (used != nalu_encoder_now(session));
    free(name);
    return status;
}

/* ---- The methods ---- */

static OSStatus copy_supported(void *object, CFDictionaryRef *supported_out) {
    if (is_invalidated(object)) return kVTInvalidSessionErr;
    *supported_out = nalu_compression_copy_supported();
    return *supported_out ? noErr : kVTAllocationFailedErr;
}

const struct nalu_session_methods nalu_compression_methods = {
    set_property, set_properties, copy_property, copy_supported};
