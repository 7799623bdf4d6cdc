#include <CoreMedia/CMMemoryPool.h>

#include "../../Support/constant.h"
#include "../../Support/object.h"

NALU_CONSTANT(kCMMemoryPoolOption_AgeOutPeriod, "AgeOutPeriod");

struct OpaqueCMMemoryPool {
    CFRuntimeBase base;
};

static nalu_class pool_class = {.runtime = {.className = "CMMemoryPool"}};

CFTypeID CMMemoryPoolGetTypeID(void) { return nalu_class_type(&pool_class); }

static bool are_valid(CFDictionaryRef options) {
    double period = 0;
    if (!options) return true;
    if (CFGetTypeID(options) != CFDictionaryGetTypeID()) return false;
    CFTypeRef value = CFDictionaryGetValue(options, kCMMemoryPoolOption_AgeOutPeriod);
    if (!value) return true;
    if (CFGetTypeID(value) != CFNumberGetTypeID()) return false;
    (void)CFNumberGetValue(value, kCFNumberDoubleType, &period);
    return period >= 0;
}

CMMemoryPoolRef CMMemoryPoolCreate(CFDictionaryRef options) {
    return are_valid(options) ? nalu_object_create(&pool_class, NULL, sizeof(struct OpaqueCMMemoryPool)) : NULL;
}

CFAllocatorRef CMMemoryPoolGetAllocator(CMMemoryPoolRef pool) {
    return nalu_object_is(pool, &pool_class) ? kCFAllocatorMalloc : NULL;
}

void CMMemoryPoolFlush(CMMemoryPoolRef pool) { (void)pool; }

void CMMemoryPoolInvalidate(CMMemoryPoolRef pool) { (void)pool; }
