#include <IOSurface/IOSurfaceRef.h>

#include "../Support/constant.h"

NALU_CONSTANT(kIOSurfaceIsGlobal, "IOSurfaceIsGlobal");

IOSurfaceRef IOSurfaceCreate(CFDictionaryRef properties) {
    (void)properties;
    return NULL;
}

IOSurfaceRef IOSurfaceLookup(IOSurfaceID csid) {
    (void)csid;
    return NULL;
}

#define NOTHING(type, name)                                                                                            \
    type name(IOSurfaceRef buffer) {                                                                                   \
        (void)buffer;                                                                                                  \
        return 0;                                                                                                      \
    }
#define NOTHING_OF_PLANE(type, name)                                                                                   \
    type name(IOSurfaceRef buffer, size_t planeIndex) {                                                                \
        (void)buffer, (void)planeIndex;                                                                                \
        return 0;                                                                                                      \
    }

NOTHING(IOSurfaceID, IOSurfaceGetID)
NOTHING(size_t, IOSurfaceGetAllocSize)
NOTHING(size_t, IOSurfaceGetWidth)
NOTHING(size_t, IOSurfaceGetHeight)
NOTHING(size_t, IOSurfaceGetBytesPerElement)
NOTHING(size_t, IOSurfaceGetBytesPerRow)
NOTHING(OSType, IOSurfaceGetPixelFormat)
NOTHING(uint32_t, IOSurfaceGetSeed)
NOTHING(size_t, IOSurfaceGetPlaneCount)
NOTHING_OF_PLANE(size_t, IOSurfaceGetWidthOfPlane)
NOTHING_OF_PLANE(size_t, IOSurfaceGetHeightOfPlane)
NOTHING_OF_PLANE(size_t, IOSurfaceGetBytesPerRowOfPlane)
NOTHING(void *, IOSurfaceGetBaseAddress)
NOTHING_OF_PLANE(void *, IOSurfaceGetBaseAddressOfPlane)
NOTHING(int32_t, IOSurfaceGetUseCount)
NOTHING(Boolean, IOSurfaceIsInUse)

void IOSurfaceIncrementUseCount(IOSurfaceRef buffer) { (void)buffer; }

void IOSurfaceDecrementUseCount(IOSurfaceRef buffer) { (void)buffer; }

int32_t IOSurfaceLock(IOSurfaceRef buffer, IOSurfaceLockOptions options, uint32_t *seed) {
    (void)buffer, (void)options, (void)seed;
    return -1;
}

int32_t IOSurfaceUnlock(IOSurfaceRef buffer, IOSurfaceLockOptions options, uint32_t *seed) {
    return IOSurfaceLock(buffer, options, seed);
}
