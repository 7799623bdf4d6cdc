#include "encoder.h"

#include "encoder_params.h"
#include "outlet.h"
#include "value.h"

#include <CoreVideo/CVPixelBuffer.h>
#include <stdlib.h>

/* Others may still hold the address of an encoder that was replaced, so that it is released with the session. */
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
    nalu_status status;
    specification.encoder_id = shape->encoder_id;
    attributes.pixel_format = format_of(session->pool);
    nalu_outlet_retain(session->outlet);
    do {
        status = nalu_compression_session_create(shape->width, shape->height, shape->codec, &specification, &attributes,
            nalu_outlet_receive, session->outlet, nalu_outlet_release, encoder_out);
        /* The pool may have a format that the encoder does not know: it is not needed for the stream. */
        const bool known = status != NALU_STATUS_INVALID_PIXEL_FORMAT || attributes.pixel_format == 0;
        attributes.pixel_format = 0;
        if (known) break;
    } while (true);
    if (status != NALU_STATUS_OK) nalu_outlet_release(session->outlet);
    return status;
}

nalu_status nalu_encoder_create(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    char *encoder_id) {
    nalu_compression_session *encoder = NULL;
    session->shape = (struct nalu_encoder_shape){width, height, codec, encoder_id};
    const nalu_status status = make(session, &encoder);
    session->encoder = encoder;
    return status == NALU_STATUS_OK ? nalu_encoder_params_reset(encoder) : status;
}

/* NULL without memory. */
static char *copy_properties(nalu_compression_session *encoder) {
    size_t size = 0;
    (void)!nalu_session_copy_properties_as_text(encoder, NULL, 0, &size);
    char *text = calloc(1, size + 1);
    if (text && nalu_session_copy_properties_as_text(encoder, text, size + 1, &size) == NALU_STATUS_OK) return text;
    free(text);
    return NULL;
}

/* Under the lock. */
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

bool nalu_encoder_renew(VTCompressionSessionRef session) {
    retired *place = calloc(1, sizeof *place);
    if (!place) return false;
    pthread_mutex_lock(&session->lock);
    const bool may = !session->has_begun && !session->invalidated && !session->storage;
    nalu_compression_session *made = may ? copy_encoder(session) : NULL;
    if (made) {
        *place = (retired){session->retired, session->encoder};
        session->retired = place;
        session->encoder = made;
    }
    pthread_mutex_unlock(&session->lock);
    if (made) (void)!nalu_compression_session_invalidate(place->encoder);
    else free(place);
    return made != NULL;
}

nalu_compression_session *nalu_encoder_now(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    nalu_compression_session *encoder = session->encoder;
    pthread_mutex_unlock(&session->lock);
    return encoder;
}

void nalu_encoder_begin(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    session->has_begun = true;
    pthread_mutex_unlock(&session->lock);
}

bool nalu_encoder_is_open(VTCompressionSessionRef session) {
    size_t size = 0;
    const nalu_status status = nalu_session_copy_string(session->encoder, NALU_PROPERTY_X264_EFFECTIVE, NULL, 0, &size);
    return status == NALU_STATUS_OK || status == NALU_STATUS_BUFFER_TOO_SMALL;
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
