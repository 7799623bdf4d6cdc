#include "replaceable_encoder.h"

#include "../../Support/pixel_formats.h"
#include "../../Support/value.h"
#include "delivery.h"

#include <CoreVideo/CVPixelBuffer.h>
#include <stdlib.h>

/* An encoder that was replaced. Other threads may still use its address, so it is released with the session. */
typedef struct nalu_retired_encoder {
    struct nalu_retired_encoder *next;
    nalu_compression_session *encoder;
} retired;

static nalu_pixel_format format_of(CVPixelBufferPoolRef pool) {
    int64_t format = 0;
    CFDictionaryRef attributes = CVPixelBufferPoolGetPixelBufferAttributes(pool);
    (void)nalu_read_int64(nalu_dictionary_get(attributes, kCVPixelBufferPixelFormatTypeKey), &format);
    return (nalu_pixel_format)format;
}

static nalu_status make(VTCompressionSessionRef session, nalu_compression_session **encoder_out) {
    const struct nalu_encoder_shape *shape = &session->shape;
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    nalu_source_attributes attributes = NALU_SOURCE_ATTRIBUTES_INIT;
    const nalu_pixel_format format = format_of(session->pool);
    specification.encoder_id = shape->encoder_id;
    /* The stream does not depend on the format of the pool, so an unsupported format is left out. */
    if (nalu_format_is_encodable(format)) attributes.pixel_format = format;
    nalu_delivery_retain(session->delivery);
    const nalu_status status = nalu_compression_session_create(shape->width, shape->height, shape->codec, &specification,
        &attributes, nalu_delivery_receive, session->delivery, nalu_delivery_release, encoder_out);
    if (status != NALU_STATUS_OK) nalu_delivery_release(session->delivery);
    return status;
}

nalu_status nalu_encoder_create(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    char *encoder_id) {
    nalu_compression_session *encoder = NULL;
    session->shape = (struct nalu_encoder_shape){width, height, codec, encoder_id};
    const nalu_status status = make(session, &encoder);
    session->encoder = encoder;
    return status == NALU_STATUS_OK ? nalu_deferred_apply(encoder, NULL, &session->deferred) : status;
}

/* Returns NULL if memory is short. */
static char *copy_properties(nalu_compression_session *encoder) {
    size_t size = 0;
    (void)!nalu_session_copy_properties_as_text(encoder, NULL, 0, &size);
    char *text = calloc(1, size + 1);
    if (text && nalu_session_copy_properties_as_text(encoder, text, size + 1, &size) == NALU_STATUS_OK) return text;
    free(text);
    return NULL;
}

/* Creates an encoder with the properties of the present one. Needs the lock. */
static nalu_compression_session *copy_encoder(VTCompressionSessionRef session) {
    nalu_compression_session *encoder = NULL;
    char *properties = copy_properties(session->encoder);
    if (properties && make(session, &encoder) == NALU_STATUS_OK &&
        nalu_session_set_properties_from_text(encoder, properties) != NALU_STATUS_OK) {
        nalu_compression_session_release(encoder);
        encoder = NULL;
    }
    free(properties);
    return encoder;
}

/* ---- Replacing the encoder between frames ---- */

/* Returns true inside the session's callback, where waiting for its frames is refused. The time is earlier than any
 * frame's, so nothing is waited for. */
static bool is_inside_callback(VTCompressionSessionRef session) {
    const nalu_time early = {INT64_MIN + 1, 1, NALU_TIME_VALID, 0};
    return nalu_compression_session_complete_frames(session->encoder, early) == NALU_STATUS_REENTRANT;
}

void nalu_encoder_enter(VTCompressionSessionRef session, bool begins) {
    pthread_mutex_lock(&session->lock);
    if (begins) session->has_begun = true;
    bool may_wait = session->is_replacing;
    if (may_wait) {
        pthread_mutex_unlock(&session->lock);
        may_wait = !is_inside_callback(session);
        pthread_mutex_lock(&session->lock);
    }
    while (may_wait && session->is_replacing) pthread_cond_wait(&session->changed, &session->lock);
    session->entered++;
    pthread_mutex_unlock(&session->lock);
}

void nalu_encoder_leave(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    session->entered--;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->lock);
}

/* Returns true if no frame is pending and none is being passed. Needs the lock. */
static bool is_idle(VTCompressionSessionRef session) {
    int64_t pending = 1;
    const nalu_status status =
        nalu_session_get_int64(session->encoder, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending);
    return session->entered == 0 && status == NALU_STATUS_OK && pending == 0;
}

/* Waits until no frame is pending, and returns with the lock held. Callbacks may pass new frames during the wait, so it
 * is repeated. Returns false if that does not end. */
static bool drain(VTCompressionSessionRef session) {
    enum { MOST_ROUNDS = 64 };
    for (int round = 0; round < MOST_ROUNDS; round++) {
        const nalu_status status = nalu_compression_session_complete_frames(session->encoder, nalu_time_invalid());
        pthread_mutex_lock(&session->lock);
        if (status != NALU_STATUS_OK) return false;
        while (session->entered > 0) pthread_cond_wait(&session->changed, &session->lock);
        if (is_idle(session)) return true;
        pthread_mutex_unlock(&session->lock);
    }
    pthread_mutex_lock(&session->lock);
    return false;
}

static bool may_be_replaced(VTCompressionSessionRef session) {
    int32_t has_references = 0;
    const nalu_status status = nalu_session_get_bool(session->encoder, NALU_PROPERTY_ENABLE_LTR, &has_references);
    return !session->invalidated && !session->is_replacing && !session->storage &&
        session->single_pass == NALU_NO_SINGLE_PASS && !has_references &&
        (status == NALU_STATUS_OK || status == NALU_STATUS_PROPERTY_NOT_SUPPORTED);
}

OSStatus nalu_encoder_replace(VTCompressionSessionRef session,
    OSStatus (*set)(VTCompressionSessionRef session, void *context), void *context) {
    retired *place = calloc(1, sizeof *place);
    if (!place) return kVTAllocationFailedErr;
    pthread_mutex_lock(&session->lock);
    bool may = may_be_replaced(session);
    pthread_mutex_unlock(&session->lock);
    may = may && !is_inside_callback(session);
    pthread_mutex_lock(&session->lock);
    may = may && may_be_replaced(session);
    if (may) session->is_replacing = true;
    pthread_mutex_unlock(&session->lock);
    if (!may) {
        free(place);
        return kVTPropertyReadOnlyErr;
    }
    nalu_compression_session *former = session->encoder, *made = NULL;
    const bool is_drained = drain(session);
    const struct nalu_deferred_values deferred = session->deferred;
    CFMutableDictionaryRef kept = (CFMutableDictionaryRef)CFRetain(session->kept);
    const OSStatus refused = session->invalidated ? kVTInvalidSessionErr : kVTPropertyReadOnlyErr;
    if (is_drained && !session->invalidated) made = copy_encoder(session);
    if (made) session->encoder = made;
    pthread_mutex_unlock(&session->lock);
    OSStatus status = made ? set(session, context) : refused;
    if (status == noErr) status = nalu_vt_status(nalu_compression_session_prepare(made));
    pthread_mutex_lock(&session->lock);
    if (made && status != noErr) {
        session->encoder = former;
        session->deferred = deferred;
        CFRelease(session->kept);
        session->kept = (CFMutableDictionaryRef)CFRetain(kept);
    }
    CFRelease(kept);
    /* The encoder that is not used any longer joins the list, because other threads may still have its address. */
    if (made) {
        *place = (retired){session->retired, status == noErr ? former : made};
        session->retired = place;
    }
    session->is_replacing = false;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->lock);
    if (made) (void)!nalu_compression_session_invalidate(place->encoder);
    else free(place);
    return status;
}

void nalu_encoder_begin(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    session->has_begun = true;
    pthread_mutex_unlock(&session->lock);
}

void nalu_encoder_destroy(VTCompressionSessionRef session) {
    nalu_compression_session_release(session->encoder);
    for (retired *next; session->retired; session->retired = next) {
        next = session->retired->next;
        nalu_compression_session_release(session->retired->encoder);
        free(session->retired);
    }
    free(session->shape.encoder_id);
}
