/*
 * IOSurface/IOSurfaceRef.h - surfaces that processes share on a Mac. None exists here: programs
 * that test for NULL continue with plain memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef IOSURFACEREF_H
#define IOSURFACEREF_H

#include <CoreFoundation/CoreFoundation.h>

#ifdef __cplusplus
extern "C" {
#endif

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

typedef struct CF_BRIDGED_TYPE(id) __IOSurface *IOSurfaceRef;
typedef uint32_t IOSurfaceID;

typedef CF_OPTIONS(uint32_t, IOSurfaceLockOptions) {
    kIOSurfaceLockReadOnly = 1u << 0,
    kIOSurfaceLockAvoidSync = 1u << 1,
};

/* Not supported: always NULL. */
extern IOSurfaceRef _Nullable IOSurfaceCreate(CFDictionaryRef properties) CF_RETURNS_RETAINED;
extern IOSurfaceRef _Nullable IOSurfaceLookup(IOSurfaceID csid) CF_RETURNS_RETAINED;

/* Not supported: always 0 or NULL. */
extern IOSurfaceID IOSurfaceGetID(IOSurfaceRef buffer);
extern size_t IOSurfaceGetAllocSize(IOSurfaceRef buffer);
extern size_t IOSurfaceGetWidth(IOSurfaceRef buffer);
extern size_t IOSurfaceGetHeight(IOSurfaceRef buffer);
extern size_t IOSurfaceGetBytesPerElement(IOSurfaceRef buffer);
extern size_t IOSurfaceGetBytesPerRow(IOSurfaceRef buffer);
extern OSType IOSurfaceGetPixelFormat(IOSurfaceRef buffer);
extern uint32_t IOSurfaceGetSeed(IOSurfaceRef buffer);
extern size_t IOSurfaceGetPlaneCount(IOSurfaceRef buffer);
extern size_t IOSurfaceGetWidthOfPlane(IOSurfaceRef buffer, size_t planeIndex);
extern size_t IOSurfaceGetHeightOfPlane(IOSurfaceRef buffer, size_t planeIndex);
extern size_t IOSurfaceGetBytesPerRowOfPlane(IOSurfaceRef buffer, size_t planeIndex);
extern void *_Nullable IOSurfaceGetBaseAddress(IOSurfaceRef buffer);
extern void *_Nullable IOSurfaceGetBaseAddressOfPlane(IOSurfaceRef buffer, size_t planeIndex);
extern int32_t IOSurfaceGetUseCount(IOSurfaceRef buffer);
extern Boolean IOSurfaceIsInUse(IOSurfaceRef buffer);

/* No effect: there are no surfaces. */
extern void IOSurfaceIncrementUseCount(IOSurfaceRef buffer);
extern void IOSurfaceDecrementUseCount(IOSurfaceRef buffer);

/* Not supported: always -1. */
extern int32_t IOSurfaceLock(IOSurfaceRef buffer, IOSurfaceLockOptions options,
    uint32_t *_Nullable seed);
extern int32_t IOSurfaceUnlock(IOSurfaceRef buffer, IOSurfaceLockOptions options,
    uint32_t *_Nullable seed);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#ifdef __cplusplus
}
#endif

#endif
