/* The session of libnalu that encodes. It is made anew for a property that libnalu takes before opening only, as long as no frame
 * has come: on a Mac, VTCompressionSessionPrepareToEncodeFrames settles nothing. */
#ifndef NALU_VT_ENCODER_H
#define NALU_VT_ENCODER_H

#include "compression_session.h"

/* session->pool and session->outlet are there. encoder_id: from malloc, or NULL; the session takes it over. */
nalu_status nalu_encoder_create(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    char *encoder_id);

/* Another one with the same properties, which is not open. False where there cannot be one. */
bool nalu_encoder_renew(VTCompressionSessionRef session);

/* The encoder that calls are for at the moment. It lives as long as the session. */
nalu_compression_session *nalu_encoder_now(VTCompressionSessionRef session);

/* Frames come now: from here on, the encoder stays. */
void nalu_encoder_begin(VTCompressionSessionRef session);

/* Another one between two frames, for a property that libnalu takes before opening only: pending frames are encoded first,
 * frames that come meanwhile wait, and the next one is a key frame. `set` gives the new encoder, which the session has then,
 * its property. kVTPropertyReadOnlyErr where there cannot be another: inside the callback, with a multi-pass storage or
 * EnableLTR, and while callbacks hand in frames without end. */
OSStatus nalu_encoder_replace(VTCompressionSessionRef session,
    OSStatus (*set)(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value), CFStringRef key, CFTypeRef value);

/* Around a call that hands a frame to the encoder, which stays meanwhile. Frames may come from then on. */
void nalu_encoder_enter(VTCompressionSessionRef session);
void nalu_encoder_leave(VTCompressionSessionRef session);

/* Whether properties that are taken before opening are settled. */
bool nalu_encoder_is_open(VTCompressionSessionRef session);

/* When the session ends. */
void nalu_encoder_destroy(VTCompressionSessionRef session);

#endif
