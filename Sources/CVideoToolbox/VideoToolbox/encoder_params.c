#include "encoder_params.h"

#include "../Support/constant.h"
#include "value.h"

#include <CoreVideo/CVImageBuffer.h>
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

/* Returns the number of a chroma location in the stream (ITU-T H.264, figure E-1), or -1 if a stream cannot contain
 * it. */
static int location_of(CFTypeRef name) {
    const CFStringRef names[] = {kCVImageBufferChromaLocation_Left, kCVImageBufferChromaLocation_Center,
        kCVImageBufferChromaLocation_TopLeft, kCVImageBufferChromaLocation_Top,
        kCVImageBufferChromaLocation_BottomLeft, kCVImageBufferChromaLocation_Bottom};
    for (int i = 0; i < 6; i++)
        if (CFEqual(names[i], name)) return i;
    return -1;
}

static nalu_status set_params(nalu_compression_session *encoder, const char *client, int location) {
    const size_t size = strlen(client) + 64;
    char *all = malloc(size), chroma[32] = "";
    if (!all) return NALU_STATUS_ALLOCATION_FAILED;
    /* An option that the client sets itself overrides the property. */
    if (location >= 0 && !strstr(client, "chromaloc")) snprintf(chroma, sizeof chroma, ":chromaloc=%d", location);
    snprintf(all, size, "%s%s%s%s", strstr(client, "b-pyramid") ? "" : "b-pyramid=none", chroma, *client ? ":" : "",
        client);
    const nalu_status status = nalu_session_set_string(encoder, NALU_PROPERTY_X264_PARAMS, all + (*all == ':'));
    free(all);
    return status;
}

nalu_status nalu_encoder_params_reset(nalu_compression_session *encoder) { return set_params(encoder, "", -1); }

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
    if (params && !text) return kVTAllocationFailedErr;
    const nalu_status status = set_params(session->encoder, text ? text : "", location ? location_of(location) : -1);
    free(text);
    return nalu_vt_status(status);
}

OSStatus nalu_encoder_params_set(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value) {
    CFStringRef copy = NULL;
    if (value) {
        if (CFGetTypeID(value) != CFStringGetTypeID()) return kVTPropertyNotSupportedErr;
        if (!CFEqual(key, params_key) && location_of(value) < 0) return kVTParameterErr;
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
