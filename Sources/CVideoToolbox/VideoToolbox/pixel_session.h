/* What pixel transfer and pixel rotation sessions share: a lock, validity, and properties. */
#ifndef NALU_VT_PIXEL_SESSION_H
#define NALU_VT_PIXEL_SESSION_H

#include "session.h"

#include <pthread.h>

typedef enum nalu_pixel_property_kind {
    NALU_PIXEL_STRING, /* one of `values`, if there are any */
    NALU_PIXEL_BOOLEAN,
    NALU_PIXEL_DICTIONARY,
    NALU_PIXEL_DATA,
} nalu_pixel_property_kind;

typedef struct nalu_pixel_property {
    const CFStringRef *key; /* NULL ends a list */
    nalu_pixel_property_kind kind;
    const CFStringRef *const *values; /* ends with NULL; the first is the default */
    const char *documentation;
} nalu_pixel_property;

typedef struct nalu_pixel_session {
    struct nalu_session session;
    pthread_mutex_t lock;
    bool invalid;
    const nalu_pixel_property *properties;
    CFMutableDictionaryRef values;
} nalu_pixel_session;

/* A session of `size` bytes; kVTParameterErr, kVTAllocationFailedErr. */
OSStatus nalu_pixel_session_create(nalu_class *type, const nalu_pixel_property *properties, CFAllocatorRef allocator,
                                   size_t size, void *session_out);

/* The finalizer of both types. */
void nalu_pixel_session_finalize(CFTypeRef object);

void nalu_pixel_session_invalidate(nalu_pixel_session *session);

/* The properties that are set, with a reference; kVTInvalidSessionErr. */
OSStatus nalu_pixel_session_copy_values(nalu_pixel_session *session, CFDictionaryRef *values_out);

#endif
