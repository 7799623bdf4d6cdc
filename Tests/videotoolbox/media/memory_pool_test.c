/* CMMemoryPool: its allocator returns memory, also after the end of the pool. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <string.h>

enum { SIZE = 300000 };

static CFDictionaryRef period(double seconds) {
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberDoubleType, &seconds);
    const void *key = kCMMemoryPoolOption_AgeOutPeriod, *value = number;
    CFDictionaryRef options =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFRelease(number);
    return options;
}

static CMMemoryPoolRef pool_of(double seconds) {
    CFDictionaryRef options = period(seconds);
    CMMemoryPoolRef pool = CMMemoryPoolCreate(options);
    CFRelease(options);
    return pool;
}

static void test_blocks_of_a_pool(void) {
    CMMemoryPoolRef pool = pool_of(0.25);
    REQUIRE(pool);
    CHECK(CFGetTypeID(pool) == CMMemoryPoolGetTypeID());
    CFAllocatorRef allocator = CMMemoryPoolGetAllocator(pool);
    REQUIRE(allocator && allocator == CMMemoryPoolGetAllocator(pool));
    for (int i = 0; i < 3; i++) {
        char *bytes = CFAllocatorAllocate(allocator, SIZE, 0);
        REQUIRE(bytes);
        memset(bytes, i, SIZE);
        CFAllocatorDeallocate(allocator, bytes);
        CMMemoryPoolFlush(pool);
    }
    CFRelease(pool);
}

static void test_the_allocator_outlives_the_pool(void) {
    CMMemoryPoolRef pool = CMMemoryPoolCreate(NULL);
    REQUIRE(pool);
    CFAllocatorRef allocator = (CFAllocatorRef)CFRetain(CMMemoryPoolGetAllocator(pool));
    CMBlockBufferRef buffer = NULL;
    CHECK_EQ(CMBlockBufferCreateWithMemoryBlock(
                 NULL, NULL, SIZE, allocator, NULL, 0, SIZE, kCMBlockBufferAssureMemoryNowFlag, &buffer),
        noErr);
    REQUIRE(buffer);
    CMMemoryPoolInvalidate(pool);
    CMMemoryPoolInvalidate(pool);
    CFRelease(pool);
    CHECK_EQ(CMBlockBufferFillDataBytes(7, buffer, 0, SIZE), noErr);
    CFRelease(buffer);
    char *bytes = CFAllocatorAllocate(allocator, SIZE, 0);
    CHECK(bytes != NULL);
    CFAllocatorDeallocate(allocator, bytes);
    CFRelease(allocator);
}

static void test_wrong_arguments(void) {
    const void *key = kCMMemoryPoolOption_AgeOutPeriod, *value = CFSTR("long");
    CFDictionaryRef options =
        CFDictionaryCreate(NULL, &key, &value, 1, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CHECK(CMMemoryPoolCreate(options) == NULL);
    CFRelease(options);
    CHECK(pool_of(-1) == NULL);
    CHECK(CMMemoryPoolCreate((CFDictionaryRef)CFSTR("options")) == NULL);
    CMMemoryPoolRef none = NULL;
    CHECK(CMMemoryPoolGetAllocator(none) == NULL);
    CHECK(CMMemoryPoolGetAllocator((CMMemoryPoolRef)CFSTR("pool")) == NULL);
    CMMemoryPoolFlush(none);
    CMMemoryPoolInvalidate(none);
}

int main(void) {
    RUN(test_blocks_of_a_pool);
    RUN(test_the_allocator_outlives_the_pool);
    RUN(test_wrong_arguments);
    return check_result();
}
