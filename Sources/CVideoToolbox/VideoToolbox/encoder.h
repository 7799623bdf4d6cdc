/* The libnalu session that encodes. Some properties can be set in libnalu only before opening. For these the session is
 * created anew, as long as no frame was passed. On a Mac too, VTCompressionSessionPrepareToEncodeFrames does not fix
 * such properties. */
#ifndef NALU_VT_ENCODER_H
#define NALU_VT_ENCODER_H

#include "compression_session.h"

/* Creates the first encoder. session->pool and session->delivery must exist. `encoder_id` comes from malloc, or is NULL;
 * the session takes it over. */
nalu_status nalu_encoder_create(VTCompressionSessionRef session, int32_t width, int32_t height, CMVideoCodecType codec,
    char *encoder_id);

/* Replaces the encoder, before the first frame, by one with the same properties that is not open. Returns false if that
 * is not possible. */
bool nalu_encoder_renew(VTCompressionSessionRef session);

/* Returns the present encoder. It lives as long as the session. */
nalu_compression_session *nalu_encoder_now(VTCompressionSessionRef session);

/* Marks that frames may be passed. From then on nalu_encoder_renew does nothing. */
void nalu_encoder_begin(VTCompressionSessionRef session);

/* Replaces the encoder between two frames, for a property that libnalu accepts only before opening. Pending frames are
 * encoded first, new frames wait, and the next one is a key frame. `set` sets the property on the new encoder, which
 * belongs to the session by then. Returns kVTPropertyReadOnlyErr if replacing is not possible. That is so inside the
 * callback, with a multi-pass storage, with EnableLTR, and while callbacks pass new frames without end. */
OSStatus nalu_encoder_replace(VTCompressionSessionRef session,
    OSStatus (*set)(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value), CFStringRef key, CFTypeRef value);

/* Enclose a call that passes a frame to the encoder, so that the encoder is not replaced during the call.
 * nalu_encoder_enter also marks that frames may be passed. */
void nalu_encoder_enter(VTCompressionSessionRef session);
void nalu_encoder_leave(VTCompressionSessionRef session);

/* Returns true if the encoder is open, so that some properties cannot be changed any longer. */
bool nalu_encoder_is_open(VTCompressionSessionRef session);

/* Releases all encoders of a session that is being freed. */
void nalu_encoder_destroy(VTCompressionSessionRef session);

#endif
