/* What x264 is told in its own words: the client's options, where chroma lies, and that B-frames are not referred to. */
#ifndef NALU_VT_ENCODER_PARAMS_H
#define NALU_VT_ENCODER_PARAMS_H

#include "compression_session.h"

/* Names of properties that programs write as text: no constant of VideoToolbox's has them. */
extern const CFStringRef nalu_chroma_location_top;
extern const CFStringRef nalu_chroma_location_bottom;

/* Whether the functions below are for a property. */
bool nalu_is_of_encoder_params(CFStringRef key);

/* Sets one of them, or its default with NULL, and keeps the value. */
OSStatus nalu_encoder_params_set(VTCompressionSessionRef session, CFStringRef key, CFTypeRef value);

/* Gives a new session the options that all have. Programs shift decode times by one frame of reordering, because a Mac's H.264
 * has no more: B-frames that refer to B-frames would need two. */
nalu_status nalu_encoder_params_reset(nalu_compression_session *encoder);

#endif
