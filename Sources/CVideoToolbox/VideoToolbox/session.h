/* What VTSession.h needs of each kind of session. Every session's struct begins as struct nalu_session does. */
#ifndef NALU_VT_SESSION_H
#define NALU_VT_SESSION_H

#include "../Support/object.h"

#include <VideoToolbox/VTSession.h>

/* VTSession.c has checked the session's type and that no argument is NULL, other than the value to set and the
 * allocator. Each function returns kVTInvalidSessionErr when the session was invalidated. */
struct nalu_session_methods {
    OSStatus (*set_property)(void *session, CFStringRef key, CFTypeRef value);
    /* NULL: the properties are set one after the other, and the first failure ends the call. */
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

/* As nalu_object_create, for a type of session; VTSession.h's functions accept the instance. */
void *nalu_session_create(nalu_class *type, const struct nalu_session_methods *methods, CFAllocatorRef allocator,
    size_t size);

/* A description of one property for the dictionary of copy_supported, with one reference; NULL without memory.
 * property_type: kVTPropertyType_..., or NULL where none fits. minimum, maximum: NaN for no limit. values: NULL or the
 * list of what is supported. */
CFDictionaryRef nalu_session_describe_property(CFStringRef property_type, bool writable, bool serialized,
    double minimum, double maximum, CFArrayRef values, CFStringRef documentation);

#endif
