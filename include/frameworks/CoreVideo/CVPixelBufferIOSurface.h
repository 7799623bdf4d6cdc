/*
 * CoreVideo/CVPixelBufferIOSurface.h - surfaces behind pixel buffers, which do not exist here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVPIXELBUFFERIOSURFACE_H
#define CVPIXELBUFFERIOSURFACE_H

#include <CoreVideo/CVPixelBuffer.h>

#include <IOSurface/IOSurfaceRef.h>

CF_ASSUME_NONNULL_BEGIN

/* Attributes of pixel buffers. They are accepted, and have no effect. */
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfacePurgeableKey;

/* Always NULL. */
CV_EXPORT IOSurfaceRef _Nullable CVPixelBufferGetIOSurface(CVPixelBufferRef _Nullable pixelBuffer);

/* kCVReturnUnsupported. */
CV_EXPORT CVReturn CVPixelBufferCreateWithIOSurface(CFAllocatorRef _Nullable allocator,
    IOSurfaceRef surface, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

CF_ASSUME_NONNULL_END

#endif
