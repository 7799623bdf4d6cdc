/* Between the samples of libnalu and those of CoreMedia. */
#ifndef NALU_VT_SAMPLE_H
#define NALU_VT_SAMPLE_H

#include <CoreMedia/CMSampleBuffer.h>
#include <nalu/sample.h>

/* A new sample buffer of one sample, with its attachments: a key frame has {DependsOnOthers: false}, another one
 * {NotSync: true, DependsOnOthers: true}, and an intra frame that is a recovery point {NotSync: true, DependsOnOthers:
 * false}. IsDependedOnByOthers is false for what can be dropped; PartialSync, DoNotDisplay and EarlierDisplayTimesAllowed
 * are there where they are true. The values are kCFBooleanTrue and kCFBooleanFalse themselves.
 *
 * The data is the sample's own, without a copy, and the sample is retained: clients may write to it, so it must be an
 * encoder's sample that nobody else reads. NULL without memory. */
CMSampleBufferRef nalu_sample_buffer_create(CFAllocatorRef allocator, nalu_sample *sample,
    CMFormatDescriptionRef description, const CMSampleTimingInfo *timing) CF_RETURNS_RETAINED;

#endif
