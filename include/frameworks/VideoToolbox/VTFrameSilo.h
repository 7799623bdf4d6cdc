/**
 * @file
 * A file of samples, which the passes of an encoder write one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTFRAMESILO_H
#define VTFRAMESILO_H

#include <CoreMedia/CMSampleBuffer.h>
#include <CoreMedia/CMTimeRange.h>
#include <VideoToolbox/VTBase.h>
#include <VideoToolbox/VTErrors.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/**
 * A store of samples in decode order. The first pass fills it. VTFrameSiloSetTimeRangesForNextPass
 * then removes the samples that the next pass writes again; the others remain. Any thread may use
 * it.
 */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTFrameSilo *VTFrameSiloRef;

VT_EXPORT CFTypeID VTFrameSiloGetTypeID(void);

/**
 * Creates a silo.
 *
 * fileURL: a file that does not exist yet. NULL: a file in the directory for temporary files
 *   (TMPDIR, or /tmp). The file is removed when the silo is released for the last time.
 * timeRange: samples with presentation times outside are refused. An invalid range, or one with a
 *   duration that is not numeric, refuses none.
 * options: not used.
 * Returns: kVTParameterErr also for a URL that is not a file URL, and if the file cannot be
 *   created.
 */
VT_EXPORT OSStatus VTFrameSiloCreate(CFAllocatorRef _Nullable allocator, CFURLRef _Nullable fileURL,
    CMTimeRange timeRange, CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED VTFrameSiloRef _Nullable *_Nonnull frameSiloOut)
    CF_SWIFT_NAME(VTFrameSiloCreate(allocator:fileURL:timeRange:options:frameSiloOut:));

/**
 * Adds a copy of a sample, which may have 0 bytes. Returns kVTFrameSiloInvalidTimeStampErr unless
 * decode times ascend from call to call in each pass, and presentation times are in the ranges of
 * the pass.
 */
VT_EXPORT OSStatus VTFrameSiloAddSampleBuffer(VTFrameSiloRef silo, CMSampleBufferRef sampleBuffer)
    CF_SWIFT_NAME(VTFrameSiloAddSampleBuffer(_:sampleBuffer:));

/**
 * Begins a pass: removes the samples whose presentation times are in the ranges, and accepts new
 * samples only there. Returns kVTFrameSiloInvalidTimeRangeErr unless the ranges are sorted and do
 * not overlap.
 */
VT_EXPORT OSStatus VTFrameSiloSetTimeRangesForNextPass(VTFrameSiloRef silo,
    CMItemCount timeRangeCount, const CMTimeRange *timeRangeArray)
    CF_SWIFT_NAME(VTFrameSiloSetTimeRangesForNextPass(_:timeRangeCount:timeRangeArray:));

/** Stores the written fraction of the pass's ranges: 0.0 to 1.0, or 0.0 if they have no end. */
VT_EXPORT OSStatus VTFrameSiloGetProgressOfCurrentPass(VTFrameSiloRef silo, Float32 *progressOut)
    CF_SWIFT_NAME(VTFrameSiloGetProgressOfCurrentPass(_:progressOut:));

/**
 * Calls the function with each sample whose presentation time is in the range, in decode order. An
 * invalid range means all samples. A status other than noErr ends the calls and is returned.
 */
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
