/* What the files of CMBufferQueue share: the queue, its getters, and its triggers. */
#ifndef NALU_VT_BUFFER_QUEUE_H
#define NALU_VT_BUFFER_QUEUE_H

#include <CoreMedia/CMBufferQueue.h>

#include "object.h"

#include <pthread.h>
#include <stdbool.h>

/* How the queue gets at its buffers. */
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

bool nalu_buffer_queue_is(CMBufferQueueRef queue);

/* Takes the lock, unless it returns a status: for NULL, another type, and a change from inside a trigger's callback. */
OSStatus nalu_buffer_queue_begin(CMBufferQueueRef queue, bool change);

/* After a change: gives the lock back, and calls the triggers whose conditions have become true. */
void nalu_buffer_queue_end(CMBufferQueueRef queue, bool was_reset);

/* Whether this thread is in a callback of one of the queue's triggers. */
bool nalu_buffer_queue_is_calling(CMBufferQueueRef queue);

void nalu_buffer_triggers_release_all(CMBufferQueueRef queue);

/* With the lock held. */
bool nalu_buffer_queue_is_head_ready(CMBufferQueueRef queue);
CMTime nalu_buffer_queue_get_duration(CMBufferQueueRef queue);

/* The earliest (-1) or latest (1) numeric presentation time stamp. */
CMTime nalu_buffer_queue_get_presentation(CMBufferQueueRef queue, int which);

#endif
