/* Conversion of libnalu's samples to those of CoreMedia. */
#ifndef NALU_VT_SAMPLE_H
#define NALU_VT_SAMPLE_H

#include <CoreMedia/CMSampleBuffer.h>
#include <nalu/sample.h>

/* Creates a sample buffer of one sample, with its attachments. A key frame has {DependsOnOthers: false}. An intra frame
 * that is a recovery point has {NotSync: true, DependsOnOthers: false}. Any other frame has {NotSync: true,
 * DependsOnOthers: true}. IsDependedOnByOthers is false for frames that can be dropped. PartialSync, DoNotDisplay and
 * EarlierDisplayTimesAllowed are present only if they are true. The values are kCFBooleanTrue and kCFBooleanFalse
 * themselves.
 *
 * The buffer retains the sample and uses its bytes without a copy. Clients may write to the bytes, so the sample must
 * come from an encoder and have no other reader. Returns NULL if memory is short. */
CMSampleBufferRef nalu_sample_buffer_create(CFAllocatorRef allocator, nalu_sample *sample,
    CMFormatDescriptionRef description, const CMSampleTimingInfo *timing) CF_RETURNS_RETAINED;

#endif
