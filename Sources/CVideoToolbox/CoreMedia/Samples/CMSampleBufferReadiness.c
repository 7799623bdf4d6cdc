/* Readiness of data, and validity. */
#include "sample_buffer.h"

#include <Block/Block.h>

OSStatus CMSampleBufferSetDataReady(CMSampleBufferRef sbuf) {
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    pthread_mutex_lock(&sbuf->lock);
    const bool invalid = sbuf->invalid;
    CMSampleBufferRef tracked = sbuf->tracked;
    pthread_mutex_unlock(&sbuf->lock);
    if (invalid) return kCMSampleBufferError_Invalidated;
    if (tracked && !CMSampleBufferDataIsReady(tracked)) return kCMSampleBufferError_BufferNotReady;
    pthread_mutex_lock(&sbuf->lock);
    const OSStatus status = sbuf->failure ? kCMSampleBufferError_DataFailed : noErr;
    if (status == noErr) sbuf->ready = true;
    pthread_mutex_unlock(&sbuf->lock);
    return status;
}

Boolean CMSampleBufferDataIsReady(CMSampleBufferRef sbuf) {
    while (sbuf) {
        pthread_mutex_lock(&sbuf->lock);
        const bool unusable = sbuf->invalid || sbuf->failure, ready = sbuf->ready;
        CMSampleBufferRef next = sbuf->tracked;
        pthread_mutex_unlock(&sbuf->lock);
        if (unusable || ready || !next) return ready && !unusable;
        sbuf = next;
    }
    return false;
}

OSStatus CMSampleBufferSetDataFailed(CMSampleBufferRef sbuf, OSStatus status) {
    if (!sbuf || status == noErr) return kCMSampleBufferError_RequiredParameterMissing;
    pthread_mutex_lock(&sbuf->lock);
    const bool invalid = sbuf->invalid;
    if (!invalid) sbuf->failure = status;
    pthread_mutex_unlock(&sbuf->lock);
    return invalid ? kCMSampleBufferError_Invalidated : noErr;
}

Boolean CMSampleBufferHasDataFailed(CMSampleBufferRef sbuf, OSStatus *statusOut) {
    OSStatus failure = noErr;
    while (sbuf && failure == noErr) {
        pthread_mutex_lock(&sbuf->lock);
        failure = sbuf->failure;
        CMSampleBufferRef next = sbuf->tracked;
        pthread_mutex_unlock(&sbuf->lock);
        sbuf = next;
    }
    if (statusOut) *statusOut = failure;
    return failure != noErr;
}

OSStatus CMSampleBufferMakeDataReady(CMSampleBufferRef sbuf) {
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    pthread_mutex_lock(&sbuf->lock);
    const bool invalid = sbuf->invalid, failed = sbuf->failure != noErr, ready = sbuf->ready;
    CMSampleBufferRef tracked = sbuf->tracked;
    pthread_mutex_unlock(&sbuf->lock);
    if (invalid) return kCMSampleBufferError_Invalidated;
    if (failed) return kCMSampleBufferError_DataFailed;
    if (ready) return noErr;
    /* The callback may release the caller's reference. */
    CFRetain(sbuf);
    OSStatus status = kCMSampleBufferError_BufferNotReady;
    if (tracked) status = CMSampleBufferMakeDataReady(tracked);
    else if (sbuf->make_ready) status = sbuf->make_ready(sbuf, sbuf->make_ready_context);
    else if (sbuf->make_ready_block) status = sbuf->make_ready_block(sbuf);
    if (status == noErr) status = CMSampleBufferSetDataReady(sbuf);
    CFRelease(sbuf);
    return status;
}

OSStatus CMSampleBufferTrackDataReadiness(CMSampleBufferRef sbuf, CMSampleBufferRef sbufToTrack) {
    if (!sbuf || !sbufToTrack) return kCMSampleBufferError_RequiredParameterMissing;
    /* A buffer that tracked itself, directly or through other buffers, would never become ready and never be freed. */
    static pthread_mutex_t tracking = PTHREAD_MUTEX_INITIALIZER;
    OSStatus status = noErr;
    pthread_mutex_lock(&tracking);
    for (CMSampleBufferRef next = sbufToTrack; next && status == noErr;) {
        if (next == sbuf) status = kCMSampleBufferError_RequiredParameterMissing;
        pthread_mutex_lock(&next->lock);
        CMSampleBufferRef after = next->tracked;
        pthread_mutex_unlock(&next->lock);
        next = after;
    }
    if (status == noErr) {
        pthread_mutex_lock(&sbuf->lock);
        if (sbuf->invalid) {
            status = kCMSampleBufferError_Invalidated;
        } else if (sbuf->tracked && sbuf->tracked != sbufToTrack) {
            status = kCMSampleBufferError_InvalidSampleData;
        } else if (!sbuf->tracked) {
            sbuf->tracked = (CMSampleBufferRef)CFRetain(sbufToTrack);
            sbuf->ready = false;
        }
        pthread_mutex_unlock(&sbuf->lock);
    }
    pthread_mutex_unlock(&tracking);
    return status;
}

OSStatus CMSampleBufferInvalidate(CMSampleBufferRef sbuf) {
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    CFRetain(sbuf);
    pthread_mutex_lock(&sbuf->lock);
    CMSampleBufferInvalidateCallback callback = sbuf->invalidated;
    CMSampleBufferInvalidateHandler block = sbuf->invalidated_block;
    const uint64_t context = sbuf->invalidated_context;
    /* Both are cleared under the lock, so that each is called once. */
    sbuf->invalidated = NULL;
    sbuf->invalidated_block = NULL;
    pthread_mutex_unlock(&sbuf->lock);
    if (callback) callback(sbuf, context);
    if (block) block(sbuf);
    if (block) Block_release(block);
    pthread_mutex_lock(&sbuf->lock);
    sbuf->invalid = true;
    pthread_mutex_unlock(&sbuf->lock);
    CFRelease(sbuf);
    return noErr;
}

static OSStatus set_invalidated(CMSampleBufferRef sbuf, CMSampleBufferInvalidateCallback callback, uint64_t context,
    CMSampleBufferInvalidateHandler block) {
    if (!sbuf || (!callback && !block)) return kCMSampleBufferError_RequiredParameterMissing;
    CMSampleBufferInvalidateHandler copy = block ? Block_copy(block) : NULL, old = copy;
    pthread_mutex_lock(&sbuf->lock);
    const bool invalid = sbuf->invalid;
    if (!invalid) {
        old = sbuf->invalidated_block;
        sbuf->invalidated = callback;
        sbuf->invalidated_context = context;
        sbuf->invalidated_block = copy;
    }
    pthread_mutex_unlock(&sbuf->lock);
    if (old) Block_release(old);
    return invalid ? kCMSampleBufferError_Invalidated : noErr;
}

OSStatus CMSampleBufferSetInvalidateCallback(CMSampleBufferRef sbuf, CMSampleBufferInvalidateCallback invalidateCallback,
    uint64_t invalidateRefCon) {
    return set_invalidated(sbuf, invalidateCallback, invalidateRefCon, NULL);
}

OSStatus CMSampleBufferSetInvalidateHandler(CMSampleBufferRef sbuf, CMSampleBufferInvalidateHandler invalidateHandler) {
    return set_invalidated(sbuf, NULL, 0, invalidateHandler);
}

Boolean CMSampleBufferIsValid(CMSampleBufferRef sbuf) {
    if (!sbuf) return false;
    pthread_mutex_lock(&sbuf->lock);
    const bool valid = !sbuf->invalid;
    pthread_mutex_unlock(&sbuf->lock);
    return valid;
}
