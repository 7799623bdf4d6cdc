/**
 * @file
 * Pixel buffers over IOSurfaces, which do not exist here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVPIXELBUFFERIOSURFACE_H
#define CVPIXELBUFFERIOSURFACE_H

#include <CoreVideo/CVPixelBuffer.h>

#include <IOSurface/IOSurfaceRef.h>

CF_ASSUME_NONNULL_BEGIN

/** Attributes of pixel buffers. Accepted without effect: surfaces do not exist here. */
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey;
CV_EXPORT const CFStringRef kCVPixelBufferIOSurfacePurgeableKey;

/** Not supported: always NULL. Programs use the pixels of the buffer instead. */
CV_EXPORT IOSurfaceRef _Nullable CVPixelBufferGetIOSurface(CVPixelBufferRef _Nullable pixelBuffer);

/** Not supported: kCVReturnUnsupported. */
CV_EXPORT CVReturn CVPixelBufferCreateWithIOSurface(CFAllocatorRef _Nullable allocator,
    IOSurfaceRef surface, CFDictionaryRef _Nullable pixelBufferAttributes,
    CV_RETURNS_RETAINED_PARAMETER CVPixelBufferRef _Nullable *_Nonnull pixelBufferOut);

CF_ASSUME_NONNULL_END

#endif
