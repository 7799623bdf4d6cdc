/* Creation, data, sizes and attachments of sample buffers. Readiness, times and copies are in separate files. */
#include "../../Support/value.h"
#include "sample_buffer.h"

#include "bearer.h"

#include <Block/Block.h>
#include <stdlib.h>
#include <string.h>

const CMSampleTimingInfo kCMTimingInfoInvalid;

static void finalize(CFTypeRef object) {
    CMSampleBufferRef buffer = (CMSampleBufferRef)object;
    if (buffer->timings != &buffer->timing) free(buffer->timings);
    if (buffer->sizes != &buffer->size) free(buffer->sizes);
    nalu_object_release_held(buffer->data);
    nalu_object_release_held(buffer->image);
    nalu_object_release_held(buffer->format);
    nalu_object_release_held(buffer->sample_attachments);
    nalu_object_release_held(buffer->tracked);
    if (buffer->make_ready_block) Block_release(buffer->make_ready_block);
    if (buffer->invalidated_block) Block_release(buffer->invalidated_block);
    pthread_mutex_destroy(&buffer->lock);
    nalu_attachments_destroy(&buffer->attachments);
}

static nalu_class sample_class = {.runtime = {.className = "CMSampleBuffer", .finalize = finalize}};

CFTypeID CMSampleBufferGetTypeID(void) { return nalu_class_type(&sample_class); }

nalu_attachments *nalu_sample_buffer_attachments(CMSampleBufferRef buffer) { return &buffer->attachments; }

/* ---- Creation ---- */

/* Returns an array of entries of `size` bytes: `in_place` for at most one entry, allocated memory for more. Returns
 * NULL if memory is short. */
static void *copy_entries(const void *entries, CMItemCount count, size_t size, void *in_place) {
    void *copy = count <= 1 ? in_place : calloc((size_t)count, size);
    if (copy && count > 0) memcpy(copy, entries, (size_t)count * size);
    return copy;
}

static OSStatus check_entries(CMItemCount count, CMItemCount samples, const void *entries) {
    if (count < 0 || (count > 1 && count != samples)) return kCMSampleBufferError_InvalidEntryCount;
    return count > 0 && !entries ? kCMSampleBufferError_RequiredParameterMissing : noErr;
}

OSStatus nalu_sample_buffer_make(CFAllocatorRef allocator, const nalu_sample_parts *parts, CMSampleBufferRef *out) {
    if (!out) return kCMSampleBufferError_RequiredParameterMissing;
    *out = NULL;
    if (parts->count < 0) return kCMSampleBufferError_InvalidEntryCount;
    OSStatus status = check_entries(parts->timing_count, parts->count, parts->timings);
    if (status == noErr) status = check_entries(parts->size_count, parts->count, parts->sizes);
    if (status != noErr) return status;

    CMSampleBufferRef buffer = nalu_object_create(&sample_class, allocator, sizeof *buffer);
    if (!buffer) return kCMSampleBufferError_AllocationFailed;
    nalu_attachments_init(&buffer->attachments);
    pthread_mutex_init(&buffer->lock, NULL);
    buffer->data = parts->data ? (CMBlockBufferRef)CFRetain(parts->data) : NULL;
    buffer->image = parts->image ? (CVImageBufferRef)CFRetain(parts->image) : NULL;
    buffer->format = parts->format ? CFRetain(parts->format) : NULL;
    buffer->count = parts->count;
    buffer->timing_count = parts->timing_count;
    buffer->size_count = parts->size_count;
    buffer->timings =
        copy_entries(parts->timings, parts->timing_count, sizeof buffer->timing, &buffer->timing);
    buffer->sizes = copy_entries(parts->sizes, parts->size_count, sizeof buffer->size, &buffer->size);
    buffer->ready = parts->ready;
    buffer->make_ready = parts->make_ready;
    buffer->make_ready_context = parts->make_ready_context;
    buffer->make_ready_block = parts->make_ready_block ? Block_copy(parts->make_ready_block) : NULL;
    buffer->output_time = kCMTimeInvalid;
    if (!buffer->timings || !buffer->sizes) {
        CFRelease(buffer);
        return kCMSampleBufferError_AllocationFailed;
    }
    *out = buffer;
    return noErr;
}

/* Returns the parts that all functions for encoded samples set. */
static nalu_sample_parts parts_of(CMBlockBufferRef data, bool ready, CMFormatDescriptionRef format, CMItemCount count,
    CMItemCount timing_count, const CMSampleTimingInfo *timings, CMItemCount size_count, const size_t *sizes) {
    return (nalu_sample_parts){.data = data,
        .format = format,
        .count = count,
        .timing_count = timing_count,
        .timings = timings,
        .size_count = size_count,
        .sizes = sizes,
        .ready = ready};
}

OSStatus CMSampleBufferCreate(CFAllocatorRef allocator, CMBlockBufferRef dataBuffer, Boolean dataReady,
    CMSampleBufferMakeDataReadyCallback makeDataReadyCallback, void *makeDataReadyRefcon,
    CMFormatDescriptionRef formatDescription, CMItemCount numSamples, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *sampleTimingArray, CMItemCount numSampleSizeEntries, const size_t *sampleSizeArray,
    CMSampleBufferRef *sampleBufferOut) {
    nalu_sample_parts parts = parts_of(dataBuffer, dataReady, formatDescription, numSamples, numSampleTimingEntries,
        sampleTimingArray, numSampleSizeEntries, sampleSizeArray);
    parts.make_ready = makeDataReadyCallback;
    parts.make_ready_context = makeDataReadyRefcon;
    return nalu_sample_buffer_make(allocator, &parts, sampleBufferOut);
}

OSStatus CMSampleBufferCreateWithMakeDataReadyHandler(CFAllocatorRef allocator, CMBlockBufferRef dataBuffer,
    Boolean dataReady, CMFormatDescriptionRef formatDescription, CMItemCount numSamples,
    CMItemCount numSampleTimingEntries, const CMSampleTimingInfo *sampleTimingArray, CMItemCount numSampleSizeEntries,
    const size_t *sampleSizeArray, CMSampleBufferRef *sampleBufferOut,
    CMSampleBufferMakeDataReadyHandler makeDataReadyHandler) {
    nalu_sample_parts parts = parts_of(dataBuffer, dataReady, formatDescription, numSamples, numSampleTimingEntries,
        sampleTimingArray, numSampleSizeEntries, sampleSizeArray);
    parts.make_ready_block = makeDataReadyHandler;
    return nalu_sample_buffer_make(allocator, &parts, sampleBufferOut);
}

OSStatus CMSampleBufferCreateReady(CFAllocatorRef allocator, CMBlockBufferRef dataBuffer,
    CMFormatDescriptionRef formatDescription, CMItemCount numSamples, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *sampleTimingArray, CMItemCount numSampleSizeEntries, const size_t *sampleSizeArray,
    CMSampleBufferRef *sampleBufferOut) {
    return CMSampleBufferCreate(allocator, dataBuffer, true, NULL, NULL, formatDescription, numSamples,
        numSampleTimingEntries, sampleTimingArray, numSampleSizeEntries, sampleSizeArray, sampleBufferOut);
}

static OSStatus create_for_image(CFAllocatorRef allocator, CVImageBufferRef image, CMVideoFormatDescriptionRef format,
    const CMSampleTimingInfo *timing, nalu_sample_parts parts, CMSampleBufferRef *out) {
    if (out) *out = NULL;
    if (!image || !format || !timing) return kCMSampleBufferError_RequiredParameterMissing;
    if (!CMVideoFormatDescriptionMatchesImageBuffer(format, image)) return kCMSampleBufferError_InvalidMediaFormat;
    parts.image = image;
    parts.format = format;
    parts.count = parts.timing_count = 1;
    parts.timings = timing;
    return nalu_sample_buffer_make(allocator, &parts, out);
}

OSStatus CMSampleBufferCreateForImageBuffer(CFAllocatorRef allocator, CVImageBufferRef imageBuffer, Boolean dataReady,
    CMSampleBufferMakeDataReadyCallback makeDataReadyCallback, void *makeDataReadyRefcon,
    CMVideoFormatDescriptionRef formatDescription, const CMSampleTimingInfo *sampleTiming,
    CMSampleBufferRef *sampleBufferOut) {
    const nalu_sample_parts parts = {
        .ready = dataReady, .make_ready = makeDataReadyCallback, .make_ready_context = makeDataReadyRefcon};
    return create_for_image(allocator, imageBuffer, formatDescription, sampleTiming, parts, sampleBufferOut);
}

OSStatus CMSampleBufferCreateForImageBufferWithMakeDataReadyHandler(CFAllocatorRef allocator,
    CVImageBufferRef imageBuffer, Boolean dataReady, CMVideoFormatDescriptionRef formatDescription,
    const CMSampleTimingInfo *sampleTiming, CMSampleBufferRef *sampleBufferOut,
    CMSampleBufferMakeDataReadyHandler makeDataReadyHandler) {
    const nalu_sample_parts parts = {.ready = dataReady, .make_ready_block = makeDataReadyHandler};
    return create_for_image(allocator, imageBuffer, formatDescription, sampleTiming, parts, sampleBufferOut);
}

OSStatus CMSampleBufferCreateReadyWithImageBuffer(CFAllocatorRef allocator, CVImageBufferRef imageBuffer,
    CMVideoFormatDescriptionRef formatDescription, const CMSampleTimingInfo *sampleTiming,
    CMSampleBufferRef *sampleBufferOut) {
    const nalu_sample_parts parts = {.ready = true};
    return create_for_image(allocator, imageBuffer, formatDescription, sampleTiming, parts, sampleBufferOut);
}

/* ---- Data ---- */

OSStatus CMSampleBufferSetDataBuffer(CMSampleBufferRef sbuf, CMBlockBufferRef dataBuffer) {
    if (!sbuf || !dataBuffer) return kCMSampleBufferError_RequiredParameterMissing;
    if (sbuf->image) return kCMSampleBufferError_AlreadyHasDataBuffer;
    OSStatus status = noErr;
    pthread_mutex_lock(&sbuf->lock);
    if (sbuf->invalid) status = kCMSampleBufferError_Invalidated;
    else if (sbuf->data) status = kCMSampleBufferError_AlreadyHasDataBuffer;
    else sbuf->data = (CMBlockBufferRef)CFRetain(dataBuffer);
    pthread_mutex_unlock(&sbuf->lock);
    return status;
}

CMBlockBufferRef CMSampleBufferGetDataBuffer(CMSampleBufferRef sbuf) {
    while (sbuf) {
        pthread_mutex_lock(&sbuf->lock);
        CMBlockBufferRef data = sbuf->invalid ? NULL : sbuf->data;
        /* A copy that was made before the original had data returns the original's data. */
        CMSampleBufferRef next = sbuf->invalid || sbuf->image ? NULL : sbuf->tracked;
        pthread_mutex_unlock(&sbuf->lock);
        if (data || !next) return data;
        sbuf = next;
    }
    return NULL;
}

CVImageBufferRef CMSampleBufferGetImageBuffer(CMSampleBufferRef sbuf) {
    return CMSampleBufferIsValid(sbuf) ? sbuf->image : NULL;
}

CMFormatDescriptionRef CMSampleBufferGetFormatDescription(CMSampleBufferRef sbuf) { return sbuf ? sbuf->format : NULL; }

CMItemCount CMSampleBufferGetNumSamples(CMSampleBufferRef sbuf) { return sbuf ? sbuf->count : 0; }

/* ---- Sizes ---- */

OSStatus CMSampleBufferGetSampleSizeArray(CMSampleBufferRef sbuf, CMItemCount sizeArrayEntries, size_t *sizeArrayOut,
    CMItemCount *sizeArrayEntriesNeededOut) {
    if (sizeArrayEntriesNeededOut) *sizeArrayEntriesNeededOut = sbuf ? sbuf->size_count : 0;
    if (!sbuf) return kCMSampleBufferError_RequiredParameterMissing;
    if (!CMSampleBufferIsValid(sbuf)) return kCMSampleBufferError_Invalidated;
    if (sbuf->size_count == 0) return kCMSampleBufferError_BufferHasNoSampleSizes;
    if (!sizeArrayOut) return noErr;
    if (sizeArrayEntries < sbuf->size_count) return kCMSampleBufferError_ArrayTooSmall;
    memcpy(sizeArrayOut, sbuf->sizes, (size_t)sbuf->size_count * sizeof *sbuf->sizes);
    return noErr;
}

size_t CMSampleBufferGetSampleSize(CMSampleBufferRef sbuf, CMItemIndex sampleIndex) {
    if (!sbuf || sampleIndex < 0 || sampleIndex >= sbuf->count || sbuf->size_count == 0) return 0;
    return sbuf->sizes[sbuf->size_count == 1 ? 0 : sampleIndex];
}

size_t CMSampleBufferGetTotalSampleSize(CMSampleBufferRef sbuf) {
    size_t total = 0;
    if (!sbuf) return 0;
    if (sbuf->size_count == 1) return sbuf->sizes[0] * (size_t)sbuf->count;
    for (CMItemCount i = 0; i < sbuf->size_count; i++) total += sbuf->sizes[i];
    return total;
}

/* ---- Attachments of samples ---- */

static CFArrayRef create_attachments(CMItemCount count) {
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (CMItemCount i = 0; array && i < count; i++) {
        CFMutableDictionaryRef dictionary = nalu_dictionary_create(NULL);
        if (!dictionary) break;
        CFArrayAppendValue(array, dictionary);
        CFRelease(dictionary);
    }
    if (!array || CFArrayGetCount(array) == count) return array;
    CFRelease(array);
    return NULL;
}

CFArrayRef CMSampleBufferGetSampleAttachmentsArray(CMSampleBufferRef sbuf, Boolean createIfNecessary) {
    if (!sbuf) return NULL;
    pthread_mutex_lock(&sbuf->lock);
    if (!sbuf->sample_attachments && createIfNecessary && sbuf->count > 0) {
        sbuf->sample_attachments = create_attachments(sbuf->count);
    }
    CFArrayRef array = sbuf->sample_attachments;
    pthread_mutex_unlock(&sbuf->lock);
    return array;
}
