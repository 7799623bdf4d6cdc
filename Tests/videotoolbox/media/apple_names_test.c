/* Names that the headers of a Mac define, in a program that is compiled with -D__APPLE__, as many build files do. */
#define __APPLE__ 1

#include <CoreVideo/CVMetalTexture.h>
#include <CoreVideo/CVMetalTextureCache.h>
#include <CoreVideo/CVOpenGLTexture.h>
#include <IOSurface/IOSurface.h>
#include <VideoToolbox/VideoToolbox.h>
#include <dispatch/dispatch.h>
#include <libkern/OSByteOrder.h>
#include <libkern/OSTypes.h>
#include <mach/mach_time.h>
#include <machine/endian.h>
#include <objc/objc.h>
#include <os/availability.h>
#include <os/log.h>

#include "check.h"

static void test_types_and_constants(void) {
    const BOOL yes = YES, no = NO;
    CHECK(yes && !no);
    void *nothing = nil;
    CHECK(nothing == NULL);
    const Fixed half = 0x8000;
    CHECK_EQ(half * 2, 0x10000);
    const CMPersistentTrackID track = kCMPersistentTrackID_Invalid;
    CHECK_EQ(track, 0);
    const VTInt32Point point = {.x = 1, .y = 2};
    const VTInt32Size size = {.width = 3, .height = 4};
    CHECK_EQ(point.x + point.y + size.width + size.height, 10);
    CVOpenGLTextureRef texture = NULL;
    CVMetalTextureCacheRef cache = NULL;
    CMAudioFormatDescriptionRef audio = NULL;
    CHECK(!texture && !cache && !audio);
    CHECK_EQ(kCMAudioCodecType_AAC_LCProtected, 0x70616163);
    CHECK_EQ(kCMMPEG2VideoProfile_XF, 0x78667a31);
    CHECK(CFEqual(kCVImageBufferTransferFunction_EBU_3213, CFSTR("EBU_3213")));
    CHECK(CFEqual(kCVImageBufferTransferFunction_SMPTE_C, CFSTR("SMPTE_C")));
    CHECK(CFEqual(kCMFormatDescriptionExtension_ContentColorVolume, CFSTR("ContentColorVolume")));
}

/* There are no surfaces: each function returns what its header promises. */
static void test_surfaces(void) {
    CHECK(CFEqual(kIOSurfaceIsGlobal, CFSTR("IOSurfaceIsGlobal")));
    CFDictionaryRef properties = CFDictionaryCreate(NULL, NULL, NULL, 0, NULL, NULL);
    CHECK(IOSurfaceCreate(properties) == NULL);
    CFRelease(properties);
    CHECK(IOSurfaceLookup(1) == NULL);
    IOSurfaceRef none = NULL;
    CHECK_EQ(IOSurfaceGetID(none), 0);
    CHECK_EQ(IOSurfaceGetAllocSize(none), 0);
    CHECK_EQ(IOSurfaceGetWidth(none), 0);
    CHECK_EQ(IOSurfaceGetHeight(none), 0);
    CHECK_EQ(IOSurfaceGetBytesPerElement(none), 0);
    CHECK_EQ(IOSurfaceGetBytesPerRow(none), 0);
    CHECK_EQ(IOSurfaceGetPixelFormat(none), 0);
    CHECK_EQ(IOSurfaceGetSeed(none), 0);
    CHECK_EQ(IOSurfaceGetPlaneCount(none), 0);
    CHECK_EQ(IOSurfaceGetWidthOfPlane(none, 1), 0);
    CHECK_EQ(IOSurfaceGetHeightOfPlane(none, 1), 0);
    CHECK_EQ(IOSurfaceGetBytesPerRowOfPlane(none, 1), 0);
    CHECK(IOSurfaceGetBaseAddress(none) == NULL);
    CHECK(IOSurfaceGetBaseAddressOfPlane(none, 1) == NULL);
    IOSurfaceIncrementUseCount(none);
    CHECK_EQ(IOSurfaceGetUseCount(none), 0);
    CHECK(!IOSurfaceIsInUse(none));
    IOSurfaceDecrementUseCount(none);
    CHECK_EQ(IOSurfaceLock(none, kIOSurfaceLockReadOnly, NULL), -1);
    CHECK_EQ(IOSurfaceUnlock(none, kIOSurfaceLockReadOnly, NULL), -1);
}

static void test_order_of_bytes(void) {
    uint8_t bytes[9] = {0};
    CHECK_EQ(ntohl(htonl(0x01020304)), 0x01020304);
    OSWriteBigInt32(bytes, 1, 0x01020304);
    CHECK(bytes[1] == 1 && bytes[4] == 4);
    CHECK_EQ(OSReadBigInt32(bytes, 1), 0x01020304);
    CHECK_EQ(OSReadLittleInt32(bytes, 1), 0x04030201);
    CHECK_EQ(OSSwapInt16(0x0102), 0x0201);
    CHECK_EQ(OSSwapHostToBigInt32(0x01020304), htonl(0x01020304));
    CHECK_EQ(OSSwapBigToHostInt64(OSSwapHostToBigInt64(UINT64_C(0x0102030405060708))), UINT64_C(0x0102030405060708));
    CHECK_EQ(OSHostByteOrder(), BYTE_ORDER == LITTLE_ENDIAN ? OSLittleEndian : OSBigEndian);
}

static void test_clock(void) {
    mach_timebase_info_data_t base = {0, 0};
    CHECK_EQ(mach_timebase_info(&base), KERN_SUCCESS);
    CHECK(base.numer == 1 && base.denom == 1);
    const uint64_t before = CVGetCurrentHostTime(), now = mach_absolute_time(), after = CVGetCurrentHostTime();
    CHECK(before <= now && now <= after);
    CHECK(mach_continuous_time() >= now);
}

static void test_log(void) {
    int evaluated = 0;
    os_log_t log = os_log_create("org.example", "video");
    os_log(log, "%{public}s %d", "frames", ++evaluated);
    os_log_error(OS_LOG_DEFAULT, "nothing");
    CHECK_EQ(evaluated, 1);
    CHECK(!os_log_type_enabled(log, OS_LOG_TYPE_FAULT));
}

int main(void) {
    RUN(test_types_and_constants);
    RUN(test_surfaces);
    RUN(test_order_of_bytes);
    RUN(test_clock);
    RUN(test_log);
    return check_result();
}
