/* The multi-pass storage of a session, on which the deferred properties of wishes.h depend. */
#ifndef NALU_VT_COMPRESSION_WISHES_H
#define NALU_VT_COMPRESSION_WISHES_H

#include "compression_session.h"

/* Sets the storage; `value` is NULL for none. Needs the lock. */
OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value);

/* Decides on the number of passes, before the encoder is opened. Several passes aim at an average bit rate. Without
 * one, a first pass has no use for a second, and the session makes a single pass. Returns true in that case. */
bool nalu_settle_passes(VTCompressionSessionRef session);

#endif
