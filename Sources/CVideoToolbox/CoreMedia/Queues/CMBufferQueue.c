#include <CoreMedia/CMBufferQueue.h>

#include "../../Support/object.h"
#include "buffer_queue.h"

#include <Block/Block.h>
#include <stdlib.h>
#include <string.h>

CFTypeID CMBufferQueueGetTypeID(void) { return nalu_class_type(&nalu_buffer_queue_class); }

static OSStatus create(
    CFAllocatorRef allocator, CMItemCount capacity, const nalu_buffer_source *source, CMBufferQueueRef *queueOut) {
    if (capacity < 0) return kCMBufferQueueError_RequiredParameterMissing;
    CMBufferQueueRef queue = nalu_object_create(&nalu_buffer_queue_class, allocator, sizeof *queue);
    if (!queue) return kCMBufferQueueError_AllocationFailed;
    pthread_mutex_init(&queue->lock, NULL);
    queue->has_lock = true;
    queue->capacity = capacity;
    queue->source = *source;
    *queueOut = queue;
    return noErr;
}

OSStatus CMBufferQueueCreate(CFAllocatorRef allocator, CMItemCount capacity, const CMBufferCallbacks *callbacks,
    CMBufferQueueRef *queueOut) {
    if (queueOut) *queueOut = NULL;
    if (!callbacks || !queueOut) return kCMBufferQueueError_RequiredParameterMissing;
    if (callbacks->version > 1 || !callbacks->getDuration) return kCMBufferQueueError_InvalidCMBufferCallbacksStruct;
    /* A struct of version 0 ends before getSize. */
    nalu_buffer_source source = {.has_handlers = false};
    memcpy(&source.callbacks, callbacks, callbacks->version ? sizeof *callbacks : offsetof(CMBufferCallbacks, getSize));
    return create(allocator, capacity, &source, queueOut);
}

OSStatus CMBufferQueueCreateWithHandlers(CFAllocatorRef allocator, CMItemCount capacity, const CMBufferHandlers *handlers,
    CMBufferQueueRef *queueOut) {
    if (queueOut) *queueOut = NULL;
    if (!handlers || !queueOut) return kCMBufferQueueError_RequiredParameterMissing;
    if (handlers->version != 1 || !handlers->getDuration) return kCMBufferQueueError_InvalidCMBufferCallbacksStruct;
    const nalu_buffer_source source = {.has_handlers = true, .handlers = *handlers};
    const OSStatus status = create(allocator, capacity, &source, queueOut);
    if (status != noErr) return status;
    CMBufferHandlers *copies = &(*queueOut)->source.handlers;
    if (copies->getDecodeTimeStamp) copies->getDecodeTimeStamp = Block_copy(copies->getDecodeTimeStamp);
    if (copies->getPresentationTimeStamp) copies->getPresentationTimeStamp = Block_copy(copies->getPresentationTimeStamp);
    copies->getDuration = Block_copy(copies->getDuration);
    if (copies->isDataReady) copies->isDataReady = Block_copy(copies->isDataReady);
    if (copies->compare) copies->compare = Block_copy(copies->compare);
    if (copies->getSize) copies->getSize = Block_copy(copies->getSize);
    return noErr;
}

static CMTime get_time(const nalu_buffer_source *source, CMBufferGetTimeCallback callback, CMBufferGetTimeHandler handler,
    CMBufferRef buffer) {
    if (source->has_handlers) return handler ? handler(buffer) : kCMTimeInvalid;
    return callback ? callback(buffer, source->callbacks.refcon) : kCMTimeInvalid;
}

/* Reads the times and the size of `buffer` with the client's functions. The caller must not hold the queue's lock. */
static nalu_buffer_entry describe(const nalu_buffer_source *source, CMBufferRef buffer) {
    const CMBufferCallbacks *callbacks = &source->callbacks;
    const CMBufferHandlers *handlers = &source->handlers;
    nalu_buffer_entry entry = {.buffer = buffer};
    entry.decode = get_time(source, callbacks->getDecodeTimeStamp, handlers->getDecodeTimeStamp, buffer);
    entry.presentation = get_time(source, callbacks->getPresentationTimeStamp, handlers->getPresentationTimeStamp, buffer);
    entry.duration = get_time(source, callbacks->getDuration, handlers->getDuration, buffer);
    if (source->has_handlers) entry.size = handlers->getSize ? handlers->getSize(buffer) : 0;
    else entry.size = callbacks->getSize ? callbacks->getSize(buffer, callbacks->refcon) : 0;
    return entry;
}

static bool comes_before(const nalu_buffer_source *source, CMBufferRef first, CMBufferRef second) {
    if (source->has_handlers)
        return source->handlers.compare && source->handlers.compare(first, second) == kCFCompareLessThan;
    const CMBufferCallbacks *callbacks = &source->callbacks;
    return callbacks->compare && callbacks->compare(first, second, callbacks->refcon) == kCFCompareLessThan;
}

static bool make_room(CMBufferQueueRef queue) {
    if (queue->count < queue->allocated) return true;
    const CFIndex allocated = queue->allocated ? queue->allocated * 2 : 16;
    nalu_buffer_entry *entries = realloc(queue->entries, (size_t)allocated * sizeof *entries);
    if (!entries) return false;
    queue->entries = entries;
    queue->allocated = allocated;
    return true;
}

static OSStatus validate(CMBufferQueueRef queue, CMBufferRef buf) {
    pthread_mutex_lock(&queue->lock);
    const CMBufferValidationCallback callback = queue->validation_callback;
    void *refcon = queue->validation_refcon;
    CMBufferValidationHandler handler = queue->validation_handler ? Block_copy(queue->validation_handler) : NULL;
    pthread_mutex_unlock(&queue->lock);
    OSStatus status = callback ? callback(queue, buf, refcon) : noErr;
    if (handler) {
        status = handler(queue, buf);
        Block_release(handler);
    }
    return status;
}

OSStatus CMBufferQueueEnqueue(CMBufferQueueRef queue, CMBufferRef buf) {
    if (!queue || !buf) return kCMBufferQueueError_RequiredParameterMissing;
    if (!nalu_buffer_queue_is(queue)) return kCMBufferQueueError_InvalidBuffer;
    OSStatus status = validate(queue, buf);
    if (status != noErr) return status;
    const nalu_buffer_entry entry = describe(&queue->source, buf);
    status = nalu_buffer_queue_begin(queue, true);
    if (status != noErr) return status;
    if (queue->ended) status = kCMBufferQueueError_EnqueueAfterEndOfData;
    else if (queue->capacity && queue->count >= queue->capacity) status = kCMBufferQueueError_QueueIsFull;
    else if (!make_room(queue)) status = kCMBufferQueueError_AllocationFailed;
    else {
        CFIndex place = queue->count;
        while (place > 0 && comes_before(&queue->source, buf, queue->entries[place - 1].buffer)) place--;
        nalu_buffer_entry *entries = queue->entries;
        memmove(&entries[place + 1], &entries[place], (size_t)(queue->count - place) * sizeof *entries);
        entries[place] = entry;
        queue->count++;
        CFRetain(buf);
    }
    nalu_buffer_queue_end(queue, false);
    return status;
}

static CMBufferRef dequeue(CMBufferQueueRef queue, bool if_ready) {
    CMBufferRef buffer = NULL;
    if (nalu_buffer_queue_begin(queue, true) != noErr) return NULL;
    if (queue->count && (!if_ready || nalu_buffer_queue_is_head_ready(queue))) {
        buffer = queue->entries[0].buffer;
        queue->count--;
        memmove(queue->entries, queue->entries + 1, (size_t)queue->count * sizeof *queue->entries);
    }
    nalu_buffer_queue_end(queue, false);
    return buffer;
}

CMBufferRef CMBufferQueueDequeueAndRetain(CMBufferQueueRef queue) { return dequeue(queue, false); }

CMBufferRef CMBufferQueueDequeueIfDataReadyAndRetain(CMBufferQueueRef queue) { return dequeue(queue, true); }

CMBufferRef CMBufferQueueCopyHead(CMBufferQueueRef queue) {
    if (nalu_buffer_queue_begin(queue, false) != noErr) return NULL;
    CMBufferRef head = queue->count ? CFRetain(queue->entries[0].buffer) : NULL;
    pthread_mutex_unlock(&queue->lock);
    return head;
}

CMBufferRef CMBufferQueueGetHead(CMBufferQueueRef queue) {
    CMBufferRef head = CMBufferQueueCopyHead(queue);
    if (head) CFRelease(head);
    return head;
}

OSStatus CMBufferQueueMarkEndOfData(CMBufferQueueRef queue) {
    const OSStatus status = nalu_buffer_queue_begin(queue, true);
    if (status != noErr) return status;
    queue->ended = true;
    nalu_buffer_queue_end(queue, false);
    return noErr;
}

static OSStatus reset(CMBufferQueueRef queue, void (*callback)(CMBufferRef, void *), void *refcon) {
    const OSStatus status = nalu_buffer_queue_begin(queue, true);
    if (status != noErr) return status;
    nalu_buffer_entry *entries = queue->entries;
    const CFIndex count = queue->count;
    queue->entries = NULL;
    queue->count = queue->allocated = 0;
    queue->ended = false;
    nalu_buffer_queue_end(queue, true);
    for (CFIndex i = 0; i < count; i++) {
        if (callback) callback(entries[i].buffer, refcon);
        CFRelease(entries[i].buffer);
    }
    free(entries);
    return noErr;
}

OSStatus CMBufferQueueReset(CMBufferQueueRef queue) { return reset(queue, NULL, NULL); }

OSStatus CMBufferQueueResetWithCallback(
    CMBufferQueueRef queue, void (*callback)(CMBufferRef buffer, void *refcon), void *refcon) {
    return callback ? reset(queue, callback, refcon) : kCMBufferQueueError_RequiredParameterMissing;
}

OSStatus CMBufferQueueCallForEachBuffer(
    CMBufferQueueRef queue, OSStatus (*callback)(CMBufferRef buffer, void *refcon), void *refcon) {
    if (!callback) return kCMBufferQueueError_RequiredParameterMissing;
    OSStatus status = nalu_buffer_queue_begin(queue, false);
    if (status != noErr) return status;
    const CFIndex count = queue->count;
    CMBufferRef *buffers = count ? malloc((size_t)count * sizeof *buffers) : NULL;
    for (CFIndex i = 0; buffers && i < count; i++) buffers[i] = CFRetain(queue->entries[i].buffer);
    pthread_mutex_unlock(&queue->lock);
    if (count && !buffers) return kCMBufferQueueError_AllocationFailed;
    for (CFIndex i = 0; i < count; i++) {
        if (status == noErr) status = callback(buffers[i], refcon);
        CFRelease(buffers[i]);
    }
    free((void *)buffers);
    return status;
}

static OSStatus set_validation(
    CMBufferQueueRef queue, CMBufferValidationCallback callback, void *refcon, CMBufferValidationHandler handler) {
    if (!callback && !handler) return kCMBufferQueueError_RequiredParameterMissing;
    const OSStatus status = nalu_buffer_queue_begin(queue, false);
    if (status != noErr) return status;
    CMBufferValidationHandler former = queue->validation_handler;
    queue->validation_callback = callback;
    queue->validation_refcon = refcon;
    queue->validation_handler = handler ? Block_copy(handler) : NULL;
    pthread_mutex_unlock(&queue->lock);
    if (former) Block_release(former);
    return noErr;
}

OSStatus CMBufferQueueSetValidationCallback(CMBufferQueueRef queue, CMBufferValidationCallback callback, void *refcon) {
    return set_validation(queue, callback, refcon, NULL);
}

OSStatus CMBufferQueueSetValidationHandler(CMBufferQueueRef queue, CMBufferValidationHandler handler) {
    return set_validation(queue, NULL, NULL, handler);
}
