#include "buffer_queue.h"

#include <Block/Block.h>
#include <stdlib.h>

/* ---- Triggers ---- */

/* A call of a trigger. A callback may change another queue, whose triggers are then called inside it. */
typedef struct trigger_call {
    const struct trigger_call *outer;
    CMBufferQueueRef queue;
} trigger_call;

/* The innermost call that this thread is making. */
static _Thread_local const trigger_call *innermost;

bool nalu_buffer_queue_is_calling(CMBufferQueueRef queue) {
    const trigger_call *call = innermost;
    while (call && call->queue != queue) call = call->outer;
    return call != NULL;
}

void nalu_buffer_trigger_release(CMBufferQueueTriggerToken trigger) {
    if (atomic_fetch_sub(&trigger->references, 1) != 1) return;
    if (trigger->handler) Block_release(trigger->handler);
    free(trigger);
}

void nalu_buffer_trigger_call(CMBufferQueueRef queue, CMBufferQueueTriggerToken trigger) {
    const trigger_call here = {innermost, queue};
    /* The client may have freed the refcon of a trigger after the trigger was removed. */
    if (!atomic_load(&trigger->removed)) {
        innermost = &here;
        if (trigger->handler) trigger->handler(trigger);
        else if (trigger->callback) trigger->callback(trigger->refcon, trigger);
        innermost = here.outer;
    }
    nalu_buffer_trigger_release(trigger);
}

/* ---- Queues ---- */

static void finalize(CFTypeRef object) {
    CMBufferQueueRef queue = (CMBufferQueueRef)object;
    for (CFIndex i = 0; i < queue->count; i++) nalu_object_release_held(queue->entries[i].buffer);
    free(queue->entries);
    while (queue->first_trigger) {
        CMBufferQueueTriggerToken trigger = queue->first_trigger;
        queue->first_trigger = trigger->next;
        nalu_buffer_trigger_release(trigger);
    }
    nalu_buffer_source *source = &queue->source;
    if (source->has_handlers) {
        if (source->handlers.getDecodeTimeStamp) Block_release(source->handlers.getDecodeTimeStamp);
        if (source->handlers.getPresentationTimeStamp) Block_release(source->handlers.getPresentationTimeStamp);
        if (source->handlers.getDuration) Block_release(source->handlers.getDuration);
        if (source->handlers.isDataReady) Block_release(source->handlers.isDataReady);
        if (source->handlers.compare) Block_release(source->handlers.compare);
        if (source->handlers.getSize) Block_release(source->handlers.getSize);
    }
    if (queue->validation_handler) Block_release(queue->validation_handler);
    if (queue->has_lock) pthread_mutex_destroy(&queue->lock);
}

nalu_class nalu_buffer_queue_class = {.runtime = {.className = "CMBufferQueue", .finalize = finalize}};

bool nalu_buffer_queue_is(CMBufferQueueRef queue) { return nalu_object_is(queue, &nalu_buffer_queue_class); }

OSStatus nalu_buffer_queue_begin(CMBufferQueueRef queue, bool change) {
    if (!queue) return kCMBufferQueueError_RequiredParameterMissing;
    if (!nalu_buffer_queue_is(queue)) return kCMBufferQueueError_InvalidBuffer;
    if (change && nalu_buffer_queue_is_calling(queue)) return kCMBufferQueueError_CannotModifyQueueFromTriggerCallback;
    pthread_mutex_lock(&queue->lock);
    return noErr;
}

bool nalu_buffer_queue_is_head_ready(CMBufferQueueRef queue) {
    const nalu_buffer_source *source = &queue->source;
    if (!queue->count) return false;
    CMBufferRef head = queue->entries[0].buffer;
    if (source->has_handlers) return !source->handlers.isDataReady || source->handlers.isDataReady(head);
    return !source->callbacks.isDataReady || source->callbacks.isDataReady(head, source->callbacks.refcon);
}
