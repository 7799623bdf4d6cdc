/* Setting the properties of wishes.h, and the storage of several passes, which they depend on. */
#ifndef NALU_VT_COMPRESSION_WISHES_H
#define NALU_VT_COMPRESSION_WISHES_H

#include "compression_session.h"

/* value: NULL for the default. */
OSStatus nalu_set_wish(VTCompressionSessionRef session, enum nalu_wish wish, int32_t type, CFTypeRef value);
OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value);

/* Before the encoder is opened. Several passes aim at an average rate: without one, a first pass has nothing to tell a second,
 * and the session makes a single one. Returns whether it does. */
bool nalu_settle_passes(VTCompressionSessionRef session);

#endif
