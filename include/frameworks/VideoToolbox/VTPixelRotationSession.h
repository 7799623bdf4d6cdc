/*
 * VideoToolbox/VTPixelRotationSession.h - images turned by quarters of a circle, and mirrored.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VTPIXELROTATIONSESSION_H
#define VTPIXELROTATIONSESSION_H

#include <CoreVideo/CVPixelBuffer.h>

#include <VideoToolbox/VTPixelRotationProperties.h>
#include <VideoToolbox/VTSession.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/* A session, whose properties VTPixelRotationProperties.h lists. Any thread may use it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTPixelRotationSession *VTPixelRotationSessionRef;

VT_EXPORT CFTypeID VTPixelRotationSessionGetTypeID(void);

VT_EXPORT OSStatus VTPixelRotationSessionCreate(CFAllocatorRef _Nullable allocator,
    CM_RETURNS_RETAINED_PARAMETER VTPixelRotationSessionRef _Nullable *_Nonnull
        pixelRotationSessionOut);

/* Ends a session, which the last release does too. Later calls return kVTInvalidSessionErr. */
VT_EXPORT void VTPixelRotationSessionInvalidate(VTPixelRotationSessionRef session);

/* Turns and mirrors the source into the destination, which has the same format and, after a
 * quarter, width and height exchanged; and copies the source's attachments that propagate.
 * kVTPixelRotationNotSupportedErr for another format or size, for formats whose pixels are not
 * whole bytes, and for 4:2:2 turned by a quarter. */
VT_EXPORT OSStatus VTPixelRotationSessionRotateImage(VTPixelRotationSessionRef session,
    CVPixelBufferRef sourceBuffer, CVPixelBufferRef destinationBuffer);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
