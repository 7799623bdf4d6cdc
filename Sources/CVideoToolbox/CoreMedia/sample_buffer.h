/* The inside of a CMSampleBuffer, for the files that make one up. */
#ifndef NALU_VT_SAMPLE_BUFFER_H
#define NALU_VT_SAMPLE_BUFFER_H

#include "../Support/attachments.h"
#include "../Support/object.h"

#include <CoreMedia/CMSampleBuffer.h>
#include <pthread.h>

struct opaqueCMSampleBuffer {
    CFRuntimeBase base;
    nalu_attachments attachments;

    /* Never changed after creation. The arrays have one entry in `timing` and `size`, or are allocated. */
    CVImageBufferRef image;
    CMFormatDescriptionRef format;
    CMItemCount count;
    CMItemCount timing_count, size_count; /* 0, 1 or count */
    CMSampleTimingInfo *timings, timing;
    size_t *sizes, size;
    CMSampleBufferMakeDataReadyCallback make_ready;
    void *make_ready_context;
    CMSampleBufferMakeDataReadyHandler make_ready_block;

    /* Guards what follows. Nothing is called with it. */
    pthread_mutex_t lock;
    CMBlockBufferRef data;
    CFArrayRef sample_attachments; /* of mutable dictionaries; never replaced */
    CMSampleBufferRef tracked;     /* whose readiness this one has; never replaced */
    CMTime output_time;            /* invalid unless it was set */
    CMSampleBufferInvalidateCallback invalidated;
    uint64_t invalidated_context;
    CMSampleBufferInvalidateHandler invalidated_block;
    OSStatus failure;
    bool ready, invalid;
};

/* What a new sample buffer consists of. Objects are retained, arrays are copied. */
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

/* Checks the parts and makes a sample buffer of them. */
OSStatus nalu_sample_buffer_make(CFAllocatorRef allocator, const nalu_sample_parts *parts, CMSampleBufferRef *out);

/* The timing of one sample, whose index is in range, from as many entries as there are; there is at least one. */
CMSampleTimingInfo nalu_sample_buffer_timing(CMSampleBufferRef buffer, CMItemIndex index);

#endif
