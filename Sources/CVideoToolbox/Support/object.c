#include "object.h"

#include <pthread.h>
#include <stdlib.h>
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

enum { DEEPEST = 64 };

/* The nested calls of nalu_object_release_held on this thread, and the references that the deepest call still has to
 * release. */
static _Thread_local struct {
    int depth;
    CFTypeRef *waiting;
    size_t count, capacity;
} nested;

static bool wait_for_deepest(CFTypeRef object) {
    if (nested.count == nested.capacity) {
        const size_t capacity = nested.capacity ? 2 * nested.capacity : 64;
        CFTypeRef *waiting = (CFTypeRef *)realloc((void *)nested.waiting, capacity * sizeof *waiting);
        if (!waiting) return false;
        nested.waiting = waiting;
        nested.capacity = capacity;
    }
    nested.waiting[nested.count++] = object;
    return true;
}

void nalu_object_release_held(CFTypeRef object) {
    if (!object || (nested.depth == DEEPEST && wait_for_deepest(object))) return;
    const bool is_deepest = ++nested.depth == DEEPEST;
    CFRelease(object);
    while (is_deepest && nested.count > 0) CFRelease(nested.waiting[--nested.count]);
    if (is_deepest) {
        free((void *)nested.waiting);
        nested.waiting = NULL;
        nested.capacity = 0;
    }
    nested.depth--;
}
