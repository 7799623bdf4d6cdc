/*
 * CoreVideo/CVPixelBufferPool.h - pixel buffers whose memory is used again and again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVPIXELBUFFERPOOL_H
#define CVPIXELBUFFERPOOL_H

#include <CoreVideo/CVPixelBuffer.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* A pool, which any thread may use, and which may be released before its buffers. */
typedef struct CF_BRIDGED_TYPE(id) __CVPixelBufferPool *CVPixelBufferPoolRef;

/* ---- Attributes of a pool ------------------------------------------------------------------- */

/* CFNumber: the memory of so many buffers is kept however old it is. Default 0. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolMinimumBufferCountKey;
/* CFNumber: memory that was not used for so many seconds is given back. Default 1; 0 for never. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolMaximumBufferAgeKey;

/* Auxiliary attribute, CFNumber: while so many buffers of the pool are in use, none is created,
 * and kCVReturnWouldExceedAllocationThreshold is returned. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolAllocationThresholdKey;

/* Not posted: CoreFoundation has no notification centre here. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolFreeBufferNotification;

CV_EXPORT CFTypeID CVPixelBufferPoolGetTypeID(void);

/* ---- Use ------------------------------------------------------------------------------------ */

CF_IMPLICIT_BRIDGING_DISABLED

/* Adds and removes references; both accept NULL. Swift does so by itself. */
CV_EXPORT CVPixelBufferPoolRef _Nullable CVPixelBufferPoolRetain(
    CVPixelBufferPoolRef _Nullable pixelBufferPool)
    CF_SWIFT_UNAVAILABLE("Swift retains pools by itself");
CV_EXPORT void CVPixelBufferPoolRelease(
    CF_RELEASES_ARGUMENT CVPixelBufferPoolRef _Nullable pixelBufferPool)
    CF_SWIFT_UNAVAILABLE("Swift releases pools by itself");

CF_IMPLICIT_BRIDGING_ENABLED

/* Makes a pool. pixelBufferAttributes must have a width, a height and a pixel format, which may be
 * an array, whose first known format is taken; kCVReturnInvalidPixelBufferAttributes else, and
 * kCVReturnInvalidPoolAttributes for a wrong value in poolAttributes. */
CV_EXPORT CVReturn CVPixelBufferPoolCreate(CFAllocatorRef _Nullable allocator,
    CFDictionaryRef _Nullable poolAttributes, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferPoolRef _Nullable *_Nonnull poolOut);

/* What the pool was made with; the pixel format is a single one. NULL for NULL. */
CV_EXPORT CFDictionaryRef _Nullable CVPixelBufferPoolGetAttributes(CVPixelBufferPoolRef pool);
CV_EXPORT CFDictionaryRef _Nullable CVPixelBufferPoolGetPixelBufferAttributes(
    CVPixelBufferPoolRef pool);

/* Makes a buffer, in memory that was used before if there is some. Its pixels are undefined. */
CV_EXPORT CVReturn CVPixelBufferPoolCreatePixelBuffer(CFAllocatorRef _Nullable allocator,
    CVPixelBufferPoolRef pixelBufferPool,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

/* The same, with kCVPixelBufferPoolAllocationThresholdKey. */
CV_EXPORT CVReturn CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
    CFAllocatorRef _Nullable allocator, CVPixelBufferPoolRef pixelBufferPool,
    CFDictionaryRef _Nullable auxAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

typedef CF_OPTIONS(CVOptionFlags, CVPixelBufferPoolFlushFlags) {
    /* All memory that is not in use, rather than the old part of it. */
    kCVPixelBufferPoolFlushExcessBuffers = 1,
};

/* Gives memory back that is not in use and older than the pool's age. */
CV_EXPORT void CVPixelBufferPoolFlush(CVPixelBufferPoolRef pool,
    CVPixelBufferPoolFlushFlags options);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
