/* Passes samples from libnalu to the client. Reference-counted: libnalu's session lets it go after the last callback, which
 * may be after the session object is gone, or while another thread still hands in a frame. */
#ifndef NALU_VT_OUTLET_H
#define NALU_VT_OUTLET_H

#include <VideoToolbox/VTCompressionSession.h>
#include <nalu/nalu.h>
#include <stdbool.h>

typedef struct nalu_outlet nalu_outlet;

/* With one reference; NULL without memory. callback may be NULL. */
nalu_outlet *nalu_outlet_create(VTCompressionOutputCallback callback, void *refcon);

/* For nalu_compression_session_create, with the outlet as refcon. */
void nalu_outlet_receive(void *outlet, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
    nalu_sample *sample);
/* For one frame whose frame_refcon is a copied VTCompressionOutputHandler, which is released. */
void nalu_outlet_receive_for_handler(void *outlet, void *frame_refcon, nalu_status status,
    nalu_encode_info_flags flags, nalu_sample *sample);

void nalu_outlet_retain(nalu_outlet *outlet);
/* Also the destroy_refcon of nalu_compression_session_create. */
void nalu_outlet_release(void *outlet);

bool nalu_outlet_has_callback(const nalu_outlet *outlet);

/* What the format descriptions of the next samples say besides what the parameter sets say; NULL for nothing. It is copied. */
void nalu_outlet_set_extensions(nalu_outlet *outlet, CFDictionaryRef extensions);

/* A frame that is about to be handed in. */
typedef struct nalu_expectation {
    CMTime time;
    CMTime before;
    bool noted;
} nalu_expectation;

/* Notes the time of a frame before it is handed in, because its callback may come at once; afterwards one of the two
 * others is called. The n-th frame that comes back has the n-th smallest time as its decode time. False without memory,
 * and then neither is called. */
bool nalu_outlet_expect(nalu_outlet *outlet, CMTime time, nalu_expectation *expectation);
void nalu_outlet_accept(nalu_outlet *outlet, const nalu_expectation *expectation);
void nalu_outlet_refuse(nalu_outlet *outlet, const nalu_expectation *expectation);

/* Times start over, with a new pass. */
void nalu_outlet_restart(nalu_outlet *outlet);

#endif
