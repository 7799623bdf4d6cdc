/* The struct of a CMSampleBuffer, and the functions that its source files share. */
#ifndef NALU_VT_SAMPLE_BUFFER_H
#define NALU_VT_SAMPLE_BUFFER_H

#include "../../Support/attachments.h"
#include "../../Support/object.h"

#include <CoreMedia/CMSampleBuffer.h>
#include <pthread.h>

struct opaqueCMSampleBuffer {
    CFRuntimeBase base;
    nalu_attachments attachments;

    /* Never changed after creation. `timings` points to `timing` if there is at most one entry, otherwise to allocated
     * memory; the same for `sizes`. */
    CVImageBufferRef image;
    CMFormatDescriptionRef format;
    CMItemCount count;
    CMItemCount timing_count, size_count; /* 0, 1 or count */
    CMSampleTimingInfo *timings, timing;
    size_t *sizes, size;
    CMSampleBufferMakeDataReadyCallback make_ready;
    void *make_ready_context;
    CMSampleBufferMakeDataReadyHandler make_ready_block;

    /* Protects all members below. No callback is called while the lock is held. */
    pthread_mutex_t lock;
    CMBlockBufferRef data;
    CFArrayRef sample_attachments; /* an array of mutable dictionaries; never replaced */
    CMSampleBufferRef tracked;     /* the buffer whose readiness this one follows; never replaced */
    CMTime output_time;            /* invalid unless the client has set it */
    CMSampleBufferInvalidateCallback invalidated;
    uint64_t invalidated_context;
    CMSampleBufferInvalidateHandler invalidated_block;
    OSStatus failure;
    bool ready, invalid;
};

/* The contents of a new sample buffer. The objects are retained, the arrays are copied. */
typedef struct nalu_sample_parts {
    CMBlockBufferRef data;
    CVImageBufferRef image;
    CMFormatDescriptionRef format;
    CMItemCount count, timing_count, size_count;
    const CMSampleTimingInfo *timings;
    const size_t *sizes;
    bool ready;
    CMSampleBufferMakeDataReadyCallback make_ready;
    void *make_ready_context;
    CMSampleBufferMakeDataReadyHandler make_ready_block;
} nalu_sample_parts;

/* Checks the parts and creates a sample buffer from them. */
OSStatus nalu_sample_buffer_make(CFAllocatorRef allocator, const nalu_sample_parts *parts, CMSampleBufferRef *out);

/* Returns the timing of one sample. `index` must be in range, and the buffer must have at least one timing entry. */
CMSampleTimingInfo nalu_sample_buffer_timing(CMSampleBufferRef buffer, CMItemIndex index);

#endif
