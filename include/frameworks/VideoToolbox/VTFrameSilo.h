/*
 * VideoToolbox/VTFrameSilo.h - a file of samples, which the passes of an encoder write in turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTFRAMESILO_H
#define VTFRAMESILO_H

#include <CoreMedia/CMSampleBuffer.h>
#include <CoreMedia/CMTimeRange.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* Holds samples in decode order. The first pass fills it. VTFrameSiloSetTimeRangesForNextPass then
 * removes the samples that the next pass writes again; the others stay. Any thread may use it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTFrameSilo *VTFrameSiloRef;

VT_EXPORT CFTypeID VTFrameSiloGetTypeID(void);

/* Creates a silo.
 *
 * fileURL: a file that does not exist yet; NULL means a file in the folder for temporary files
 *   (TMPDIR, else /tmp). The file is removed when the silo is released for the last time.
 * timeRange: samples with presentation times outside are refused. An invalid range, or one with a
 *   duration that is not numeric, has no end.
 * options: not used.
 * Returns: kVTParameterErr also for a URL that is not of a file, and where the file cannot be
 *   created. */
VT_EXPORT OSStatus VTFrameSiloCreate(CFAllocatorRef _Nullable allocator, CFURLRef _Nullable fileURL,
    CMTimeRange timeRange, CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED VTFrameSiloRef _Nullable *_Nonnull frameSiloOut)
    CF_SWIFT_NAME(VTFrameSiloCreate(allocator:fileURL:timeRange:options:frameSiloOut:));

/* Adds a copy of a sample, which may have 0 bytes. Decode times must grow from call to call in each
 * pass, and presentation times must lie in the ranges of the pass, else
 * kVTFrameSiloInvalidTimeStampErr. */
VT_EXPORT OSStatus VTFrameSiloAddSampleBuffer(VTFrameSiloRef silo, CMSampleBufferRef sampleBuffer)
    CF_SWIFT_NAME(VTFrameSiloAddSampleBuffer(_:sampleBuffer:));

/* Begins a pass: removes the samples whose presentation times lie in the ranges, and accepts
 * samples there only. The ranges must be sorted and must not overlap, else
 * kVTFrameSiloInvalidTimeRangeErr. */
VT_EXPORT OSStatus VTFrameSiloSetTimeRangesForNextPass(VTFrameSiloRef silo,
    CMItemCount timeRangeCount, const CMTimeRange *timeRangeArray)
    CF_SWIFT_NAME(VTFrameSiloSetTimeRangesForNextPass(_:timeRangeCount:timeRangeArray:));

/* Gives how much of the ranges of the pass has been written: 0.0 to 1.0; 0.0 if they have no
 * end. */
VT_EXPORT OSStatus VTFrameSiloGetProgressOfCurrentPass(VTFrameSiloRef silo, Float32 *progressOut)
    CF_SWIFT_NAME(VTFrameSiloGetProgressOfCurrentPass(_:progressOut:));

/* Calls back with each sample whose presentation time lies in the range, in decode order; an
 * invalid range means all samples. A status other than noErr ends the walk and is returned. */
VT_EXPORT OSStatus VTFrameSiloCallFunctionForEachSampleBuffer(VTFrameSiloRef silo,
    CMTimeRange timeRange, void *_Nullable refcon,
    OSStatus (*_Nonnull callback)(void *_Nullable refcon, CMSampleBufferRef sampleBuffer))
    CF_SWIFT_NAME(VTFrameSiloCallFunctionForEachSampleBuffer(_:in:refcon:callback:));
VT_EXPORT OSStatus VTFrameSiloCallBlockForEachSampleBuffer(VTFrameSiloRef silo,
    CMTimeRange timeRange, OSStatus (^_Nonnull CF_NOESCAPE handler)(CMSampleBufferRef sampleBuffer))
    CF_SWIFT_NAME(VTFrameSiloCallBlockForEachSampleBuffer(_:in:handler:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
