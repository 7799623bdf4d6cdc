/* The libnalu session that encodes. Some properties can be set in libnalu only before the first frame. Programs change a few
 * of them between frames; for these another session takes its place. */
#ifndef NALU_VT_REPLACEABLE_ENCODER_H
#define NALU_VT_REPLACEABLE_ENCODER_H

#include "compression_session.h"

/* Creates the first encoder. session->pool and session->delivery must exist. `encoder_id` comes from malloc, or is NULL;
 * the session takes it over. */
nalu_status nalu_encoder_create(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    char *encoder_id);

/* Marks that frames may be passed, and fixes the number of passes. */
void nalu_encoder_begin(VTCompressionSessionRef session);

/* Replaces the encoder between two frames, for a property that libnalu accepts only before opening. Pending frames are
 * encoded first, new frames wait, and the next one is a key frame. `set` sets the properties on the new encoder, which
 * belongs to the session by then. Returns kVTPropertyReadOnlyErr if replacing is not possible. That is so inside the
 * callback, with a multi-pass storage, with EnableLTR, and while callbacks pass new frames without end. */
OSStatus nalu_encoder_replace(VTCompressionSessionRef session,
    OSStatus (*set)(VTCompressionSessionRef session, void *context), void *context);

/* Enclose a call that opens the encoder or passes a frame to it, so that the encoder is not replaced during the call.
 * `begins` also marks that frames may be passed. */
void nalu_encoder_enter(VTCompressionSessionRef session, bool begins);
void nalu_encoder_leave(VTCompressionSessionRef session);

/* Releases all encoders of a session that is being freed. */
void nalu_encoder_destroy(VTCompressionSessionRef session);

#endif
