#include <CoreMedia/CMSimpleQueue.h>

#include "../../Support/object.h"

#include <stdlib.h>

struct opaqueCMSimpleQueue {
    CFRuntimeBase base;
    const void **elements;
    int32_t capacity;
    /* The numbers of elements removed and added since the queue was created or reset. The dequeuing thread alone writes
     * the first and the enqueuing thread alone the second; only a reset writes both. */
    _Atomic uint64_t taken;
    _Atomic uint64_t added;
};

static void finalize(CFTypeRef object) { free((void *)((CMSimpleQueueRef)object)->elements); }

static nalu_class queue_class = {.runtime = {.className = "CMSimpleQueue", .finalize = finalize}};

CFTypeID CMSimpleQueueGetTypeID(void) { return nalu_class_type(&queue_class); }

OSStatus CMSimpleQueueCreate(CFAllocatorRef allocator, int32_t capacity, CMSimpleQueueRef *queueOut) {
    if (!queueOut) return kCMSimpleQueueError_RequiredParameterMissing;
    *queueOut = NULL;
    if (capacity < 1) return kCMSimpleQueueError_ParameterOutOfRange;
    const void **elements = (const void **)calloc((size_t)capacity, sizeof *elements);
    if (!elements) return kCMSimpleQueueError_AllocationFailed;
    CMSimpleQueueRef queue = nalu_object_create(&queue_class, allocator, sizeof *queue);
    if (!queue) {
        free((void *)elements);
        return kCMSimpleQueueError_AllocationFailed;
    }
    queue->elements = elements;
    queue->capacity = capacity;
    *queueOut = queue;
    return noErr;
}

OSStatus CMSimpleQueueEnqueue(CMSimpleQueueRef queue, const void *element) {
    if (!queue || !element) return kCMSimpleQueueError_RequiredParameterMissing;
    const uint64_t added = atomic_load_explicit(&queue->added, memory_order_relaxed);
    const uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_acquire);
    if (added - taken >= (uint64_t)queue->capacity) return kCMSimpleQueueError_QueueIsFull;
    queue->elements[added % (uint64_t)queue->capacity] = element;
    atomic_store_explicit(&queue->added, added + 1, memory_order_release);
    return noErr;
}

const void *CMSimpleQueueGetHead(CMSimpleQueueRef queue) {
    if (!queue) return NULL;
    const uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&queue->added, memory_order_acquire)) return NULL;
    return queue->elements[taken % (uint64_t)queue->capacity];
}

const void *CMSimpleQueueDequeue(CMSimpleQueueRef queue) {
    const void *element = CMSimpleQueueGetHead(queue);
    if (element) atomic_fetch_add_explicit(&queue->taken, 1, memory_order_release);
    return element;
}

OSStatus CMSimpleQueueReset(CMSimpleQueueRef queue) {
    if (!queue) return kCMSimpleQueueError_RequiredParameterMissing;
    atomic_store(&queue->taken, 0);
    atomic_store(&queue->added, 0);
    return noErr;
}

int32_t CMSimpleQueueGetCapacity(CMSimpleQueueRef queue) { return queue ? queue->capacity : 0; }

int32_t CMSimpleQueueGetCount(CMSimpleQueueRef queue) {
    if (!queue) return 0;
    /* `taken` first: it never passes `added`, so the difference is not negative. */
    const uint64_t taken = atomic_load_explicit(&queue->taken, memory_order_acquire);
    return (int32_t)(atomic_load_explicit(&queue->added, memory_order_acquire) - taken);
}
