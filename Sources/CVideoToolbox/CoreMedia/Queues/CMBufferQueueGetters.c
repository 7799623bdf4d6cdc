/* The getters of a CMBufferQueue. */
#include "buffer_queue.h"

CMTime nalu_buffer_queue_get_duration(CMBufferQueueRef queue) {
    CMTime sum = kCMTimeZero;
    for (CFIndex i = 0; i < queue->count; i++) {
        const CMTime duration = queue->entries[i].duration;
        if (CMTIME_IS_NUMERIC(duration)) sum = sum.value ? CMTimeAdd(sum, duration) : duration;
    }
    return sum;
}

/* Returns the earlier (`which` is -1) or the later (1) of two times. A numeric time takes precedence over one that is
 * not. */
static CMTime pick(CMTime best, CMTime time, int which) {
    if (!CMTIME_IS_NUMERIC(time)) return best;
    return CMTIME_IS_INVALID(best) || CMTimeCompare(time, best) == which ? time : best;
}

CMTime nalu_buffer_queue_get_presentation(CMBufferQueueRef queue, int which) {
    CMTime best = kCMTimeInvalid;
    for (CFIndex i = 0; i < queue->count; i++) best = pick(best, queue->entries[i].presentation, which);
    return best;
}

static CMTime get_min_decode(CMBufferQueueRef queue) {
    CMTime best = kCMTimeInvalid;
    for (CFIndex i = 0; i < queue->count; i++) best = pick(best, queue->entries[i].decode, -1);
    return best;
}

static CMTime get_end(CMBufferQueueRef queue) {
    CMTime best = kCMTimeInvalid;
    for (CFIndex i = 0; i < queue->count; i++) {
        const nalu_buffer_entry *entry = &queue->entries[i];
        const CMTime end =
            CMTIME_IS_NUMERIC(entry->duration) ? CMTimeAdd(entry->presentation, entry->duration) : entry->presentation;
        best = pick(best, end, 1);
    }
    return best;
}

static CMTime get_first_decode(CMBufferQueueRef queue) {
    return queue->count ? queue->entries[0].decode : kCMTimeInvalid;
}

static CMTime get_first_presentation(CMBufferQueueRef queue) {
    return queue->count ? queue->entries[0].presentation : kCMTimeInvalid;
}

static CMTime get_min_presentation(CMBufferQueueRef queue) { return nalu_buffer_queue_get_presentation(queue, -1); }

static CMTime get_max_presentation(CMBufferQueueRef queue) { return nalu_buffer_queue_get_presentation(queue, 1); }

static CMTime get(CMBufferQueueRef queue, CMTime (*getter)(CMBufferQueueRef), CMTime otherwise) {
    if (nalu_buffer_queue_begin(queue, false) != noErr) return otherwise;
    const CMTime time = getter(queue);
    pthread_mutex_unlock(&queue->lock);
    return time;
}

CMTime CMBufferQueueGetDuration(CMBufferQueueRef queue) {
    return get(queue, nalu_buffer_queue_get_duration, kCMTimeZero);
}

CMTime CMBufferQueueGetMinDecodeTimeStamp(CMBufferQueueRef queue) { return get(queue, get_min_decode, kCMTimeInvalid); }

CMTime CMBufferQueueGetFirstDecodeTimeStamp(CMBufferQueueRef queue) {
    return get(queue, get_first_decode, kCMTimeInvalid);
}

CMTime CMBufferQueueGetMinPresentationTimeStamp(CMBufferQueueRef queue) {
    return get(queue, get_min_presentation, kCMTimeInvalid);
}

CMTime CMBufferQueueGetFirstPresentationTimeStamp(CMBufferQueueRef queue) {
    return get(queue, get_first_presentation, kCMTimeInvalid);
}

CMTime CMBufferQueueGetMaxPresentationTimeStamp(CMBufferQueueRef queue) {
    return get(queue, get_max_presentation, kCMTimeInvalid);
}

CMTime CMBufferQueueGetEndPresentationTimeStamp(CMBufferQueueRef queue) { return get(queue, get_end, kCMTimeInvalid); }

CMItemCount CMBufferQueueGetBufferCount(CMBufferQueueRef queue) {
    if (nalu_buffer_queue_begin(queue, false) != noErr) return 0;
    const CMItemCount count = queue->count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

Boolean CMBufferQueueIsEmpty(CMBufferQueueRef queue) { return CMBufferQueueGetBufferCount(queue) == 0; }

size_t CMBufferQueueGetTotalSize(CMBufferQueueRef queue) {
    size_t sum = 0;
    if (nalu_buffer_queue_begin(queue, false) != noErr) return 0;
    for (CFIndex i = 0; i < queue->count; i++) sum += queue->entries[i].size;
    pthread_mutex_unlock(&queue->lock);
    return sum;
}

Boolean CMBufferQueueContainsEndOfData(CMBufferQueueRef queue) {
    if (nalu_buffer_queue_begin(queue, false) != noErr) return false;
    const bool ended = queue->ended;
    pthread_mutex_unlock(&queue->lock);
    return ended;
}

Boolean CMBufferQueueIsAtEndOfData(CMBufferQueueRef queue) {
    if (nalu_buffer_queue_begin(queue, false) != noErr) return false;
    const bool at_end = queue->ended && queue->count == 0;
    pthread_mutex_unlock(&queue->lock);
    return at_end;
}
