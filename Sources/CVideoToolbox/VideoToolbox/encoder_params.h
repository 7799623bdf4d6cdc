/* The options that are passed to x264 as text: the client's options, the chroma location, and that B-frames are no
 * references. */
#ifndef NALU_VT_ENCODER_PARAMS_H
#define NALU_VT_ENCODER_PARAMS_H

#include "compression_session.h"

/* Names of properties that programs write as text, because VideoToolbox has no constants for them. */
extern const CFStringRef nalu_chroma_location_top;
extern const CFStringRef nalu_chroma_location_bottom;

/* Returns true if the functions below are for this property. */
bool nalu_is_of_encoder_params(CFStringRef key);

/* Sets one of these properties, or its default if `value` is NULL, and keeps the value. */
OSStatus nalu_encoder_params_set(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value);

/* Sets the options that every new session has. Programs shift decode times by one frame, because a Mac's H.264 reorders
 * no further. B-frames that refer to B-frames would need two frames. */
nalu_status nalu_encoder_params_reset(nalu_compression_session *encoder);

#endif
