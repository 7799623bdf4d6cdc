#include "object.h"

#include <pthread.h>
#include <string.h>

CFTypeID nalu_class_type(nalu_class *type) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    CFTypeID found = atomic_load_explicit(&type->type, memory_order_acquire);
    if (found) return found;
    pthread_mutex_lock(&lock);
    found = atomic_load_explicit(&type->type, memory_order_relaxed);
    if (!found) {
        found = _CFRuntimeRegisterClass(&type->runtime);
        atomic_store_explicit(&type->type, found, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void *nalu_object_create(nalu_class *type, CFAllocatorRef allocator, size_t size) {
    const CFIndex extra = (CFIndex)(size - sizeof(CFRuntimeBase));
    void *object = (void *)_CFRuntimeCreateInstance(allocator, nalu_class_type(type), extra, NULL);
    if (object) memset((char *)object + sizeof(CFRuntimeBase), 0, (size_t)extra);
    return object;
}

bool nalu_object_is(CFTypeRef object, nalu_class *type) {
    return object && CFGetTypeID(object) == nalu_class_type(type);
}
