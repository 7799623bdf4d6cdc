#include "encoder_params.h"

#include "../Support/constant.h"
#include "value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

NALU_CONSTANT(nalu_chroma_location_top, "ChromaLocationTopField");
NALU_CONSTANT(nalu_chroma_location_bottom, "ChromaLocationBottomField");

static const CFStringRef params_key = CFSTR(NALU_PROPERTY_X264_PARAMS);

bool nalu_is_of_encoder_params(CFStringRef key) {
    return CFEqual(key, params_key) || CFEqual(key, nalu_chroma_location_top) ||
        CFEqual(key, nalu_chroma_location_bottom);
}

/* What the client's options say itself counts. location: NULL for the default. */
static nalu_status set_params(nalu_compression_session *encoder, const char *client, const char *location) {
    const size_t size = strlen(client) + 32;
    char *all = malloc(size);
    if (!all) return NALU_STATUS_ALLOCATION_FAILED;
    snprintf(all, size, "%s%s%s", strstr(client, "b-pyramid") ? "" : "b-pyramid=none", *client ? ":" : "", client);
    nalu_property changes[] = {
        {.key = NALU_PROPERTY_X264_PARAMS, .type = NALU_PROPERTY_TYPE_STRING, .string = all + (*all == ':')},
        {.key = NALU_PROPERTY_CHROMA_LOCATION, .type = NALU_PROPERTY_TYPE_UNSET, .string = location}};
    if (location && !strstr(client, "chromaloc")) changes[1].type = NALU_PROPERTY_TYPE_STRING;
    const nalu_status status = nalu_session_set_properties(encoder, changes, 2);
    free(all);
    return status;
}

nalu_status nalu_encoder_params_reset(nalu_compression_session *encoder) { return set_params(encoder, "", NULL); }

/* Passes the encoder the options that follow from `value` as the new value of `key`. Needs the lock. */
static OSStatus apply(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    CFTypeRef top = CFDictionaryGetValue(session->kept, nalu_chroma_location_top);
    CFTypeRef bottom = CFDictionaryGetValue(session->kept, nalu_chroma_location_bottom);
    CFTypeRef params = CFDictionaryGetValue(session->kept, params_key);
    if (CFEqual(key, nalu_chroma_location_top)) top = value;
    else if (CFEqual(key, nalu_chroma_location_bottom)) bottom = value;
    else params = value;
    /* The encoder writes one location for both fields. */
    if (top && bottom && !CFEqual(top, bottom)) return kVTParameterErr;
    CFTypeRef location = top ? top : bottom;
    char *text = params ? nalu_read_string(params) : NULL;
    char *place = location ? nalu_read_string(location) : NULL;
    nalu_status status = NALU_STATUS_ALLOCATION_FAILED;
    if (!text == !params && !place == !location) status = set_params(session->encoder, text ? text : "", place);
    free(place);
    free(text);
    return nalu_vt_status(status);
}

OSStatus nalu_encoder_params_set(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    CFStringRef copy = NULL;
    if (value) {
        if (CFGetTypeID(value) != CFStringGetTypeID()) return kVTPropertyNotSupportedErr;
        copy = CFStringCreateCopy(NULL, value);
        if (!copy) return kVTAllocationFailedErr;
    }
    /* The constants are used as keys, because the client's own string may change. */
    key = CFEqual(key, params_key) ? params_key
        : CFEqual(key, nalu_chroma_location_top) ? nalu_chroma_location_top
                                                 : nalu_chroma_location_bottom;
    pthread_mutex_lock(&session->lock);
    const OSStatus status = apply(session, key, copy);
    if (status == noErr && copy) CFDictionarySetValue(session->kept, key, copy);
    else if (status == noErr) CFDictionaryRemoveValue(session->kept, key);
    pthread_mutex_unlock(&session->lock);
    if (copy) CFRelease(copy);
    return status;
}
