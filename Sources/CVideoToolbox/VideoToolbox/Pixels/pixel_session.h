/* The common part of pixel transfer and pixel rotation sessions: lock, validity, and properties. */
#ifndef NALU_VT_PIXEL_SESSION_H
#define NALU_VT_PIXEL_SESSION_H

#include "../stored_properties.h"

#include <pthread.h>

typedef struct nalu_pixel_session {
    struct nalu_session session;
    pthread_mutex_t lock;
    bool invalid;
    const nalu_stored_property *properties;
    CFMutableDictionaryRef values;
} nalu_pixel_session;

/* Creates a session of `size` bytes. Returns kVTParameterErr or kVTAllocationFailedErr if it fails. */
OSStatus nalu_pixel_session_create(nalu_class *type, const nalu_stored_property *properties, CFAllocatorRef allocator,
                                   size_t size, void *session_out);

/* The finalizer of both session types. */
void nalu_pixel_session_finalize(CFTypeRef object);

void nalu_pixel_session_invalidate(nalu_pixel_session *session);

/* Returns a copy of the properties that are set, with a reference. Returns kVTInvalidSessionErr after invalidation. */
OSStatus nalu_pixel_session_copy_values(nalu_pixel_session *session, CFDictionaryRef *values_out);

/* Returns true if properties of a pixel transfer session contain other colour primaries or another transfer function than
 * the source has, which cannot be converted. The source's values may be NULL: then there is nothing to convert from. */
bool nalu_transfer_changes_colours(CFDictionaryRef properties, CFTypeRef primaries, CFTypeRef function);

#endif
