/**
 * @file
 * Rotates images by multiples of 90 degrees and mirrors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTPIXELROTATIONSESSION_H
#define VTPIXELROTATIONSESSION_H

#include <CoreVideo/CVPixelBuffer.h>

#include <VideoToolbox/VTPixelRotationProperties.h>
#include <VideoToolbox/VTSession.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** A session, whose properties are in VTPixelRotationProperties.h. Any thread may use it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTPixelRotationSession *VTPixelRotationSessionRef;

VT_EXPORT CFTypeID VTPixelRotationSessionGetTypeID(void);

VT_EXPORT OSStatus VTPixelRotationSessionCreate(CFAllocatorRef _Nullable allocator,
    CM_RETURNS_RETAINED_PARAMETER VTPixelRotationSessionRef _Nullable *_Nonnull
        pixelRotationSessionOut);

/** Ends a session, as the last release does. Later calls return kVTInvalidSessionErr. */
VT_EXPORT void VTPixelRotationSessionInvalidate(VTPixelRotationSessionRef session);

/**
 * Rotates and mirrors the source into the destination, and copies the source's propagating
 * attachments. The destination must have the same pixel format. After a rotation by 90 degrees, its
 * width is the source's height. Returns kVTPixelRotationNotSupportedErr for another format or size,
 * for formats whose pixels are not whole bytes, and for 4:2:2 rotated by 90 degrees.
 */
VT_EXPORT OSStatus VTPixelRotationSessionRotateImage(VTPixelRotationSessionRef session,
    CVPixelBufferRef sourceBuffer, CVPixelBufferRef destinationBuffer);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
