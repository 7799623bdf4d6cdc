/**
 * @file
 * Memory for large blocks that are allocated repeatedly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
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

/**
 * Memory for the blockAllocator of CMBlockBufferCreateWithMemoryBlock. The toolchain's
 * CoreFoundation cannot create allocators, so the memory is malloc's, and malloc itself reuses
 * freed blocks. Any thread may use a pool.
 */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMMemoryPool *CMMemoryPoolRef;

CM_EXPORT CFTypeID CMMemoryPoolGetTypeID(void);

/**
 * CFNumber, seconds, 0 or more. Accepted without effect: malloc decides how long it keeps freed
 * blocks.
 */
CM_EXPORT const CFStringRef kCMMemoryPoolOption_AgeOutPeriod;

/**
 * Creates a pool, which the caller releases.
 *
 * options: NULL, or the key above.
 * Returns: NULL if memory is short, and for an invalid period.
 */
CM_EXPORT CMMemoryPoolRef _Nullable CMMemoryPoolCreate(CFDictionaryRef _Nullable options)
    CF_RETURNS_RETAINED CF_SWIFT_NAME(CMMemoryPoolCreate(options:));

/** Returns kCFAllocatorMalloc, which may be used even after the pool is released; NULL for NULL. */
CM_EXPORT CFAllocatorRef _Nullable CMMemoryPoolGetAllocator(CMMemoryPoolRef pool);

/** No effect: the pool keeps no blocks. */
CM_EXPORT void CMMemoryPoolFlush(CMMemoryPoolRef pool);
CM_EXPORT void CMMemoryPoolInvalidate(CMMemoryPoolRef pool);

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
