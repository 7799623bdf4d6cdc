/* The functions that VTSession.h calls for each kind of session. The struct of every session begins like struct
 * nalu_session. */
#ifndef NALU_VT_SESSION_H
#define NALU_VT_SESSION_H

#include "../Support/object.h"

#include <VideoToolbox/VTSession.h>

/* The functions of one kind of session. VTSession.c checks the session's type before. No argument is NULL, except the
 * value to set and the allocator. Each function returns kVTInvalidSessionErr after invalidation. */
struct nalu_session_methods {
    OSStatus (*set_property)(void *session, CFStringRef key, CFTypeRef value);
    /* Sets all or none, apart from properties that the session does not have, which are skipped. NULL: VTSession.c sets
     * them one by one, and sets them back if one fails. */
    OSStatus (*set_properties)(void *session, CFDictionaryRef properties);
    /* *value_out is NULL before the call; it receives a reference. */
    OSStatus (*copy_property)(void *session, CFStringRef key, CFAllocatorRef allocator, CFTypeRef *value_out);
    /* *supported_out is NULL before the call; it receives a reference. */
    OSStatus (*copy_supported)(void *session, CFDictionaryRef *supported_out);
};

struct nalu_session {
    CFRuntimeBase base;
    const struct nalu_session_methods *methods;
};

/* Works like nalu_object_create, for a session type. VTSession.h's functions accept the instance. */
void *nalu_session_create(nalu_class *type, const struct nalu_session_methods *methods, CFAllocatorRef allocator,
    size_t size);

/* Returns the description of one property for copy_supported, with one reference; NULL if memory is short.
 * `property_type` is kVTPropertyType_..., or NULL if none fits. `minimum` and `maximum` are NaN if there is no limit.
 * `values` is the list of supported values, or NULL. */
CFDictionaryRef nalu_session_describe_property(CFStringRef property_type, bool writable, bool serialized,
    double minimum, double maximum, CFArrayRef values, CFStringRef documentation);

#endif
