/* CoreFoundation types of this library's own: the one place that knows how CoreFoundation makes instances. */
#ifndef NALU_VT_OBJECT_H
#define NALU_VT_OBJECT_H

#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFRuntime.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A type. The struct of every instance begins with a CFRuntimeBase. */
typedef struct nalu_class {
    CFRuntimeClass runtime;
    _Atomic(CFTypeID) type; /* 0: not registered yet */
} nalu_class;

/* The type's number, which is registered at the first call. */
CFTypeID nalu_class_type(nalu_class *type);

/* A new instance of `size` bytes, all 0 after its base, with one reference; NULL without memory. The instance holds its
 * allocator: CFGetAllocator gives it back. */
void *nalu_object_create(nalu_class *type, CFAllocatorRef allocator, size_t size);

/* False for NULL, and for an object of another type. */
bool nalu_object_is(CFTypeRef object, nalu_class *type);

/* Releases a reference that a finalizer's object holds; NULL is accepted. A client can make chains of any length: block
 * buffers that refer to block buffers, attachments that have attachments. Finalizers nest to a limit only. What lies deeper
 * is released by the finalizer at that limit, before the client's CFRelease returns. */
void nalu_object_release_held(CFTypeRef object);

#endif
