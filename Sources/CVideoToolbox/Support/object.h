/* CoreFoundation types that this library defines. Only this file depends on the way in which CoreFoundation creates
 * instances. */
#ifndef NALU_VT_OBJECT_H
#define NALU_VT_OBJECT_H

#include <CoreFoundation/CoreFoundation.h>
#include <CoreFoundation/CFRuntime.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A CoreFoundation type. The struct of every instance begins with a CFRuntimeBase. */
typedef struct nalu_class {
    CFRuntimeClass runtime;
    _Atomic(CFTypeID) type; /* 0: not registered yet */
} nalu_class;

/* Returns the type's number. The first call registers the type. */
CFTypeID nalu_class_type(nalu_class *type);

/* Creates an instance of `size` bytes with one reference. All bytes after its CFRuntimeBase are 0. The instance stores
 * its allocator, which CFGetAllocator returns. Returns NULL if memory is short. */
void *nalu_object_create(nalu_class *type, CFAllocatorRef allocator, size_t size);

/* Returns true if `object` is of this type; false for NULL and for other types. */
bool nalu_object_is(CFTypeRef object, nalu_class *type);

/* Releases a reference that a finalized object holds; accepts NULL. A client can make chains of any length: block
 * buffers that refer to block buffers, attachments that have attachments. To save the stack, finalizers nest only up to
 * a limit. The finalizer at that limit releases all deeper objects, before the client's CFRelease returns. */
void nalu_object_release_held(CFTypeRef object);

#endif
