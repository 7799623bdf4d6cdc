/**
 * @file
 * Surfaces that processes share on a Mac. They do not exist here:
 * programs that test for NULL continue with plain memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef IOSURFACEREF_H
#define IOSURFACEREF_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
#define IOSURFACE_EXPORT extern "C"
#else
#define IOSURFACE_EXPORT extern
#endif

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

typedef struct CF_BRIDGED_TYPE(id) __IOSurface *IOSurfaceRef;
typedef uint32_t IOSurfaceID;

typedef CF_OPTIONS(uint32_t, IOSurfaceLockOptions) {
    kIOSurfaceLockReadOnly = 1u << 0,
    kIOSurfaceLockAvoidSync = 1u << 1,
};

/** A key of surfaces' properties. No effect: surfaces do not exist here. */
IOSURFACE_EXPORT const CFStringRef kIOSurfaceIsGlobal;

/** Not supported: always NULL. */
IOSURFACE_EXPORT IOSurfaceRef _Nullable IOSurfaceCreate(CFDictionaryRef properties)
    CF_RETURNS_RETAINED;
IOSURFACE_EXPORT IOSurfaceRef _Nullable IOSurfaceLookup(IOSurfaceID csid) CF_RETURNS_RETAINED;

/** Not supported: always 0 or NULL. */
IOSURFACE_EXPORT IOSurfaceID IOSurfaceGetID(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetAllocSize(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetWidth(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetHeight(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetBytesPerElement(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetBytesPerRow(IOSurfaceRef buffer);
IOSURFACE_EXPORT OSType IOSurfaceGetPixelFormat(IOSurfaceRef buffer);
IOSURFACE_EXPORT uint32_t IOSurfaceGetSeed(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetPlaneCount(IOSurfaceRef buffer);
IOSURFACE_EXPORT size_t IOSurfaceGetWidthOfPlane(IOSurfaceRef buffer, size_t planeIndex);
IOSURFACE_EXPORT size_t IOSurfaceGetHeightOfPlane(IOSurfaceRef buffer, size_t planeIndex);
IOSURFACE_EXPORT size_t IOSurfaceGetBytesPerRowOfPlane(IOSurfaceRef buffer, size_t planeIndex);
IOSURFACE_EXPORT void *_Nullable IOSurfaceGetBaseAddress(IOSurfaceRef buffer);
IOSURFACE_EXPORT void *_Nullable IOSurfaceGetBaseAddressOfPlane(IOSurfaceRef buffer,
    size_t planeIndex);
IOSURFACE_EXPORT int32_t IOSurfaceGetUseCount(IOSurfaceRef buffer);
IOSURFACE_EXPORT Boolean IOSurfaceIsInUse(IOSurfaceRef buffer);

/** No effect: surfaces do not exist here. */
IOSURFACE_EXPORT void IOSurfaceIncrementUseCount(IOSurfaceRef buffer);
IOSURFACE_EXPORT void IOSurfaceDecrementUseCount(IOSurfaceRef buffer);

/** Not supported: always -1. */
IOSURFACE_EXPORT int32_t IOSurfaceLock(IOSurfaceRef buffer, IOSurfaceLockOptions options,
    uint32_t *_Nullable seed);
IOSURFACE_EXPORT int32_t IOSurfaceUnlock(IOSurfaceRef buffer, IOSurfaceLockOptions options,
    uint32_t *_Nullable seed);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
