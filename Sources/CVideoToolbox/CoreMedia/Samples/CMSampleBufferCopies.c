/* Copies of sample buffers, and of ranges of their samples. */
#include "sample_buffer.h"

#include <stdlib.h>

/* Copies the attachment dictionaries of `count` samples, the first of which has index `first`. Does nothing if there
 * are none. */
static OSStatus copy_sample_attachments(CMSampleBufferRef from, CMItemIndex first, CMItemCount count,
    CMSampleBufferRef to) {
    CFArrayRef source = CMSampleBufferGetSampleAttachmentsArray(from, false);
    if (!source) return noErr;
    CFMutableArrayRef copy = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    if (!copy) return kCMSampleBufferError_AllocationFailed;
    for (CMItemCount i = 0; i < count; i++) {
        CFMutableDictionaryRef dictionary = CFDictionaryCreateMutableCopy(
            NULL, 0, (CFDictionaryRef)CFArrayGetValueAtIndex(source, first + i));
        if (!dictionary) {
            CFRelease(copy);
            return kCMSampleBufferError_AllocationFailed;
        }
        CFArrayAppendValue(copy, dictionary);
        CFRelease(dictionary);
    }
    to->sample_attachments = copy;
    return noErr;
}

static void copy_attachments(CMSampleBufferRef from, CMSampleBufferRef to) {
    for (int propagates = 0; propagates < 2; propagates++) {
        CFDictionaryRef all = nalu_attachments_copy_all(&from->attachments, propagates, NULL);
        if (!all) continue;
        nalu_attachments_set_all(&to->attachments, all, propagates);
        CFRelease(all);
    }
}

static OSStatus copy_with_timings(CFAllocatorRef allocator, CMSampleBufferRef sbuf, CMItemCount timing_count,
    const CMSampleTimingInfo *timings, CMSampleBufferRef *out) {
    if (!CMSampleBufferIsValid(sbuf)) return kCMSampleBufferError_Invalidated;
    pthread_mutex_lock(&sbuf->lock);
    CMBlockBufferRef data = sbuf->data;
    const CMTime output_time = sbuf->output_time;
    const OSStatus failure = sbuf->failure;
    pthread_mutex_unlock(&sbuf->lock);
    const nalu_sample_parts parts = {.data = data,
        .image = sbuf->image,
        .format = sbuf->format,
        .count = sbuf->count,
        .timing_count = timing_count,
        .timings = timings,
        .size_count = sbuf->size_count,
        .sizes = sbuf->sizes,
        .ready = CMSampleBufferDataIsReady(sbuf)};
    OSStatus status = nalu_sample_buffer_make(allocator, &parts, out);
    if (status != noErr) return status;
    (*out)->output_time = output_time;
    (*out)->failure = failure;
    copy_attachments(sbuf, *out);
    status = copy_sample_attachments(sbuf, 0, sbuf->count, *out);
    if (status == noErr && !parts.ready) status = CMSampleBufferTrackDataReadiness(*out, sbuf);
    if (status == noErr) return noErr;
    CFRelease(*out);
    *out = NULL;
    return status;
}

OSStatus CMSampleBufferCreateCopy(CFAllocatorRef allocator, CMSampleBufferRef sbuf, CMSampleBufferRef *sampleBufferOut) {
    if (sampleBufferOut) *sampleBufferOut = NULL;
    if (!sbuf || !sampleBufferOut) return kCMSampleBufferError_RequiredParameterMissing;
    return copy_with_timings(allocator, sbuf, sbuf->timing_count, sbuf->timings, sampleBufferOut);
}

OSStatus CMSampleBufferCreateCopyWithNewTiming(CFAllocatorRef allocator, CMSampleBufferRef originalSBuf,
    CMItemCount numSampleTimingEntries, const CMSampleTimingInfo *sampleTimingArray,
    CMSampleBufferRef *sampleBufferOut) {
    if (sampleBufferOut) *sampleBufferOut = NULL;
    if (!originalSBuf || !sampleBufferOut) return kCMSampleBufferError_RequiredParameterMissing;
    const OSStatus status =
        copy_with_timings(allocator, originalSBuf, numSampleTimingEntries, sampleTimingArray, sampleBufferOut);
    /* The output time was set for the old times. */
    if (status == noErr) (*sampleBufferOut)->output_time = kCMTimeInvalid;
    return status;
}

/* ---- Ranges ---- */

/* Adds up the sizes of `count` samples from index `first`, in bytes. Returns false if the sum exceeds `most`. */
static bool add_sizes(CMSampleBufferRef sbuf, CFIndex first, CFIndex count, size_t most, size_t *sum) {
    if (sbuf->size_count == 1) {
        return !__builtin_mul_overflow(sbuf->sizes[0], (size_t)count, sum) && *sum <= most;
    }
    for (CFIndex i = first; i < first + count; i++) {
        if (sbuf->sizes[i] > most - *sum) return false;
        *sum += sbuf->sizes[i];
    }
    return true;
}

/* Stores a reference to the data of the samples in `range`, or NULL if the buffer has no data. */
static OSStatus copy_data(CMSampleBufferRef sbuf, CFRange range, CMBlockBufferRef *out) {
    CMBlockBufferRef data = CMSampleBufferGetDataBuffer(sbuf);
    size_t offset = 0, length = 0;
    *out = NULL;
    if (!data) return noErr;
    if (range.length == sbuf->count) {
        *out = (CMBlockBufferRef)CFRetain(data);
        return noErr;
    }
    if (sbuf->size_count == 0) return kCMSampleBufferError_CannotSubdivide;
    const size_t total = CMBlockBufferGetDataLength(data);
    if (!add_sizes(sbuf, 0, range.location, total, &offset) ||
        !add_sizes(sbuf, range.location, range.length, total - offset, &length)) {
        return kCMSampleBufferError_InvalidSampleData;
    }
    if (length == 0) return CMBlockBufferCreateEmpty(NULL, 0, 0, out);
    return CMBlockBufferCreateWithBufferReference(NULL, data, offset, length, 0, out);
}

OSStatus CMSampleBufferCopySampleBufferForRange(CFAllocatorRef allocator, CMSampleBufferRef sbuf, CFRange sampleRange,
    CMSampleBufferRef *sampleBufferOut) {
    if (sampleBufferOut) *sampleBufferOut = NULL;
    if (!sbuf || !sampleBufferOut) return kCMSampleBufferError_RequiredParameterMissing;
    if (!CMSampleBufferIsValid(sbuf)) return kCMSampleBufferError_Invalidated;
    if (sampleRange.location < 0 || sampleRange.length < 1 || sampleRange.location >= sbuf->count ||
        sampleRange.length > sbuf->count - sampleRange.location) {
        return kCMSampleBufferError_SampleIndexOutOfRange;
    }
    if (!CMSampleBufferDataIsReady(sbuf)) return kCMSampleBufferError_BufferNotReady;
    nalu_sample_parts parts = {.image = sbuf->image,
        .format = sbuf->format,
        .count = sampleRange.length,
        .ready = true,
        .timing_count = sbuf->timing_count > 1 ? sampleRange.length : sbuf->timing_count,
        .size_count = sbuf->size_count > 1 ? sampleRange.length : sbuf->size_count,
        .sizes = sbuf->sizes + (sbuf->size_count > 1 ? sampleRange.location : 0)};
    CMSampleTimingInfo first = kCMTimingInfoInvalid;
    if (sbuf->timing_count > 0) first = nalu_sample_buffer_timing(sbuf, sampleRange.location);
    parts.timings = sbuf->timing_count > 1 ? sbuf->timings + sampleRange.location : &first;
    OSStatus status = copy_data(sbuf, sampleRange, &parts.data);
    if (status == noErr) status = nalu_sample_buffer_make(allocator, &parts, sampleBufferOut);
    if (parts.data) CFRelease(parts.data);
    if (status != noErr) return status;
    nalu_attachments_propagate(&sbuf->attachments, &(*sampleBufferOut)->attachments);
    status = copy_sample_attachments(sbuf, sampleRange.location, sampleRange.length, *sampleBufferOut);
    if (status == noErr) return noErr;
    CFRelease(*sampleBufferOut);
    *sampleBufferOut = NULL;
    return status;
}

OSStatus CMSampleBufferCallBlockForEachSample(CMSampleBufferRef sbuf,
    OSStatus (^handler)(CMSampleBufferRef sampleBuffer, CMItemCount index)) {
    if (!sbuf || !handler) return kCMSampleBufferError_RequiredParameterMissing;
    OSStatus status = noErr;
    CFRetain(sbuf);
    for (CMItemIndex i = 0; i < sbuf->count && status == noErr; i++) {
        CMSampleBufferRef sample = NULL;
        status = CMSampleBufferCopySampleBufferForRange(NULL, sbuf, CFRangeMake(i, 1), &sample);
        if (status == noErr) status = handler(sample, i);
        if (sample) CFRelease(sample);
    }
    CFRelease(sbuf);
    return status;
}

OSStatus CMSampleBufferCallForEachSample(CMSampleBufferRef sbuf,
    OSStatus (*callback)(CMSampleBufferRef sampleBuffer, CMItemCount index, void *refcon), void *refcon) {
    if (!sbuf || !callback) return kCMSampleBufferError_RequiredParameterMissing;
    return CMSampleBufferCallBlockForEachSample(
        sbuf, ^(CMSampleBufferRef sample, CMItemCount index) { return callback(sample, index, refcon); });
}
