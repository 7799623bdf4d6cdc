/**
 * @file
 * Converts images to another format and size.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef VTPIXELTRANSFERSESSION_H
#define VTPIXELTRANSFERSESSION_H

#include <CoreVideo/CVPixelBuffer.h>

#include <VideoToolbox/VTPixelTransferProperties.h>
#include <VideoToolbox/VTSession.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** A session, whose properties are in VTPixelTransferProperties.h. Any thread may use it. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueVTPixelTransferSession *VTPixelTransferSessionRef;

VT_EXPORT CFTypeID VTPixelTransferSessionGetTypeID(void);

VT_EXPORT OSStatus VTPixelTransferSessionCreate(CFAllocatorRef _Nullable allocator,
    CM_RETURNS_RETAINED_PARAMETER VTPixelTransferSessionRef _Nullable *_Nonnull
        pixelTransferSessionOut)
    CF_SWIFT_NAME(VTPixelTransferSessionCreate(allocator:pixelTransferSessionOut:));

/** Ends a session, as the last release does. Later calls return kVTInvalidSessionErr. */
VT_EXPORT void VTPixelTransferSessionInvalidate(VTPixelTransferSessionRef session);

/**
 * Converts and scales the source into the destination, an existing buffer, and copies the source's
 * propagating attachments. Returns kVTPixelTransferNotSupportedErr for formats that cannot be
 * converted.
 */
VT_EXPORT OSStatus VTPixelTransferSessionTransferImage(VTPixelTransferSessionRef session,
    CVPixelBufferRef sourceBuffer, CVPixelBufferRef destinationBuffer)
    CF_SWIFT_NAME(VTPixelTransferSessionTransferImage(_:from:to:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
