/*
 * CoreMedia/CMMemoryPool.h - memory for large blocks that are allocated again and again.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMMEMORYPOOL_H
#define CMMEMORYPOOL_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

CF_ENUM(OSStatus) {
    kCMMemoryPoolError_AllocationFailed = -15490,
    kCMMemoryPoolError_InvalidParameter = -15491,
};

/* Memory for the blockAllocator of CMBlockBufferCreateWithMemoryBlock. It is that of malloc, which
 * keeps freed blocks itself: the toolchain's CoreFoundation cannot make allocators. Any thread may
 * use a pool. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMMemoryPool *CMMemoryPoolRef;

CM_EXPORT CFTypeID CMMemoryPoolGetTypeID(void);

/* CFNumber, seconds, 0 or more. Accepted without effect: malloc decides for how long it keeps freed
 * blocks. */
CM_EXPORT const CFStringRef kCMMemoryPoolOption_AgeOutPeriod;

/* Creates a pool, which the caller releases.
 *
 * options: NULL, or the key above.
 * Returns: NULL without memory, and for a period that is no such number. */
CM_EXPORT CMMemoryPoolRef _Nullable CMMemoryPoolCreate(CFDictionaryRef _Nullable options)
    CF_RETURNS_RETAINED CF_SWIFT_NAME(CMMemoryPoolCreate(options:));

/* kCFAllocatorMalloc, which may be used after the pool's end too; NULL for NULL. */
CM_EXPORT CFAllocatorRef _Nullable CMMemoryPoolGetAllocator(CMMemoryPoolRef pool);

/* No effect: the pool keeps no blocks. */
CM_EXPORT void CMMemoryPoolFlush(CMMemoryPoolRef pool);
CM_EXPORT void CMMemoryPoolInvalidate(CMMemoryPoolRef pool);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
