/* The struct of a CMBufferQueue, and the functions that its source files share: queue, getters and triggers. */
#ifndef NALU_VT_BUFFER_QUEUE_H
#define NALU_VT_BUFFER_QUEUE_H

#include <CoreMedia/CMBufferQueue.h>

#include "../../Support/object.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The client's functions that read times, size and readiness of a buffer: either callbacks or handlers (blocks). */
typedef struct nalu_buffer_source {
    bool has_handlers;
    CMBufferCallbacks callbacks;
    CMBufferHandlers handlers;
} nalu_buffer_source;

typedef struct nalu_buffer_entry {
    CMBufferRef buffer; /* retained */
    CMTime decode, presentation, duration;
    size_t size;
} nalu_buffer_entry;

struct opaqueCMBufferQueue {
    CFRuntimeBase base;
    pthread_mutex_t lock;
    bool has_lock;
    bool ended;
    CMItemCount capacity; /* 0: no limit */
    nalu_buffer_source source;
    nalu_buffer_entry *entries;
    CFIndex count, allocated;
    CMBufferQueueTriggerToken first_trigger;
    CMBufferValidationCallback validation_callback;
    void *validation_refcon;
    CMBufferValidationHandler validation_handler;
};

struct opaqueCMBufferQueueTriggerToken {
    CMBufferQueueTriggerToken next;
    _Atomic int references; /* one for the list, and one for each call that is running or due */
    _Atomic bool removed;   /* calls that were due and have not begun are not made */
    CMBufferQueueTriggerCallback callback;
    void *refcon;
    CMBufferQueueTriggerHandler handler;
    CMBufferQueueTriggerCondition condition;
    CMTime time;
    CMItemCount threshold;
    /* The state after the last change of the queue: whether the condition held, and the time stamp that the trigger
     * watches. */
    bool was_true;
    CMTime last;
};

extern nalu_class nalu_buffer_queue_class;

bool nalu_buffer_queue_is(CMBufferQueueRef queue);

/* Locks the queue, unless it returns an error status: for NULL, for another type, and for a change from inside a
 * trigger's callback. */
OSStatus nalu_buffer_queue_begin(CMBufferQueueRef queue, bool change);

/* Ends a change: unlocks the queue, and calls the triggers whose conditions have become true. */
void nalu_buffer_queue_end(CMBufferQueueRef queue, bool was_reset);

/* Returns true if this thread is in a callback of one of the queue's triggers. */
bool nalu_buffer_queue_is_calling(CMBufferQueueRef queue);

/* Calls a trigger, unless it was removed meanwhile, and releases the reference of the call. The caller must not hold the
 * lock, and retains the queue. */
void nalu_buffer_trigger_call(CMBufferQueueRef queue, CMBufferQueueTriggerToken trigger);
void nalu_buffer_trigger_release(CMBufferQueueTriggerToken trigger);

/* The functions below need the lock. */
bool nalu_buffer_queue_is_head_ready(CMBufferQueueRef queue);
CMTime nalu_buffer_queue_get_duration(CMBufferQueueRef queue);

/* Returns the earliest (`which` is -1) or latest (1) numeric presentation time stamp, or kCMTimeInvalid. */
CMTime nalu_buffer_queue_get_presentation(CMBufferQueueRef queue, int which);

#endif
