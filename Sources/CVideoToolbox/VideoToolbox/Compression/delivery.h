/* Delivery of samples from libnalu to the client. It is reference-counted: libnalu's session releases it after the last
 * callback. That may be after the session object was freed, or while another thread still passes a frame. */
#ifndef NALU_VT_DELIVERY_H
#define NALU_VT_DELIVERY_H

#include <VideoToolbox/VTCompressionSession.h>
#include <nalu/nalu.h>
#include <stdbool.h>

typedef struct nalu_delivery nalu_delivery;

/* Creates a delivery with one reference. `callback` may be NULL. Returns NULL if memory is short. */
nalu_delivery *nalu_delivery_create(VTCompressionOutputCallback callback, void *refcon);

/* The callback for nalu_compression_session_create, with the delivery as its refcon. */
void nalu_delivery_receive(void *delivery, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
    nalu_sample *sample);
/* The callback for one frame. Its frame_refcon is a copied VTCompressionOutputHandler, which is released. */
void nalu_delivery_receive_for_handler(void *delivery, void *frame_refcon, nalu_status status,
    nalu_encode_info_flags flags, nalu_sample *sample);

void nalu_delivery_retain(nalu_delivery *delivery);
/* Releases a reference. Also serves as destroy_refcon of nalu_compression_session_create. */
void nalu_delivery_release(void *delivery);

bool nalu_delivery_has_callback(const nalu_delivery *delivery);

/* Sets the extensions that the format descriptions of the next samples have, in addition to those from the parameter
 * sets. NULL for none. Copies the dictionary. */
void nalu_delivery_set_extensions(nalu_delivery *delivery, CFDictionaryRef extensions);

/* A frame that is about to be passed to the encoder. */
typedef struct nalu_expectation {
    CMTime time;
    CMTime before;
    bool noted;
} nalu_expectation;

/* Notes the time of a frame before the frame is passed, because its callback may run during the call. The n-th delivered
 * frame has the n-th smallest time as its decode time. Returns false if memory is short; otherwise the caller must call
 * nalu_delivery_accept or nalu_delivery_refuse afterwards. */
bool nalu_delivery_expect(nalu_delivery *delivery, CMTime time, nalu_expectation *expectation);
void nalu_delivery_accept(nalu_delivery *delivery, const nalu_expectation *expectation);
void nalu_delivery_refuse(nalu_delivery *delivery, const nalu_expectation *expectation);

/* Forgets the latest time, because times start again with a new pass. */
void nalu_delivery_restart(nalu_delivery *delivery);

#endif
