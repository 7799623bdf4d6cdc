/**
 * @file
 * Pools of pixel buffers, which reuse memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVPIXELBUFFERPOOL_H
#define CVPIXELBUFFERPOOL_H

#include <CoreVideo/CVPixelBuffer.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** A pool. Any thread may use it. It may be released before its buffers. */
typedef struct CF_BRIDGED_TYPE(id) __CVPixelBufferPool *CVPixelBufferPoolRef;

/* ---- Attributes of a pool ------------------------------------------------------------------- */

/** CFNumber: the number of buffers whose memory is kept, whatever its age. Default 0. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolMinimumBufferCountKey;
/** CFNumber, seconds: unused memory is freed after this time. Default 1; 0 for never. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolMaximumBufferAgeKey;

/**
 * Auxiliary attribute, CFNumber: the largest number of buffers in use. Beyond it no buffer is
 * created, and the status is kCVReturnWouldExceedAllocationThreshold.
 */
CV_EXPORT const CFStringRef kCVPixelBufferPoolAllocationThresholdKey;

/** No effect: CoreFoundation has no notification centre here, and nothing is posted. */
CV_EXPORT const CFStringRef kCVPixelBufferPoolFreeBufferNotification;

CV_EXPORT CFTypeID CVPixelBufferPoolGetTypeID(void);

/* ---- Use ------------------------------------------------------------------------------------ */

CF_IMPLICIT_BRIDGING_DISABLED

/** Add and remove references; both accept NULL. Swift does so automatically. */
CV_EXPORT CVPixelBufferPoolRef _Nullable CVPixelBufferPoolRetain(
    CVPixelBufferPoolRef _Nullable pixelBufferPool)
    CF_SWIFT_UNAVAILABLE("Swift retains pools by itself");
CV_EXPORT void CVPixelBufferPoolRelease(
    CF_RELEASES_ARGUMENT CVPixelBufferPoolRef _Nullable pixelBufferPool)
    CF_SWIFT_UNAVAILABLE("Swift releases pools by itself");

CF_IMPLICIT_BRIDGING_ENABLED

/**
 * Creates a pool.
 *
 * poolAttributes: NULL, or the keys above; kCVReturnInvalidPoolAttributes for a wrong value.
 * pixelBufferAttributes: a width, a height and a pixel format, otherwise
 *   kCVReturnInvalidPixelBufferAttributes. Of an array of formats, the first known one is used.
 */
CV_EXPORT CVReturn CVPixelBufferPoolCreate(CFAllocatorRef _Nullable allocator,
    CFDictionaryRef _Nullable poolAttributes, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferPoolRef _Nullable *_Nonnull poolOut);

/**
 * Return the attributes with which the pool was created, those of its buffers with a single pixel
 * format. The pool owns the dictionary. Return NULL for NULL.
 */
CV_EXPORT CFDictionaryRef _Nullable CVPixelBufferPoolGetAttributes(CVPixelBufferPoolRef pool);
CV_EXPORT CFDictionaryRef _Nullable CVPixelBufferPoolGetPixelBufferAttributes(
    CVPixelBufferPoolRef pool);

/**
 * Creates a buffer, which the caller releases. It reuses the memory of a released buffer if
 * possible. Its pixels are undefined.
 */
CV_EXPORT CVReturn CVPixelBufferPoolCreatePixelBuffer(CFAllocatorRef _Nullable allocator,
    CVPixelBufferPoolRef pixelBufferPool,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

/**
 * Works like CVPixelBufferPoolCreatePixelBuffer. auxAttributes: NULL, or a limit with the key
 * kCVPixelBufferPoolAllocationThresholdKey.
 */
CV_EXPORT CVReturn CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(
    CFAllocatorRef _Nullable allocator, CVPixelBufferPoolRef pixelBufferPool,
    CFDictionaryRef _Nullable auxAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

typedef CF_OPTIONS(CVOptionFlags, CVPixelBufferPoolFlushFlags) {
    /** Frees all unused memory, not only the old part of it. */
    kCVPixelBufferPoolFlushExcessBuffers = 1,
};

/** Frees memory that was not used for longer than kCVPixelBufferPoolMaximumBufferAgeKey. */
CV_EXPORT void CVPixelBufferPoolFlush(CVPixelBufferPoolRef pool,
    CVPixelBufferPoolFlushFlags options);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
