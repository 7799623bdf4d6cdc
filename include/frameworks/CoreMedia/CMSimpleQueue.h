/**
 * @file
 * A queue of pointers with a fixed capacity, lock-free for one writer and one reader.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMSIMPLEQUEUE_H
#define CMSIMPLEQUEUE_H

#include <CoreMedia/CMBase.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

/** A queue. One thread may enqueue while another one dequeues. CFRelease releases a reference. */
typedef struct CF_BRIDGED_TYPE(id) opaqueCMSimpleQueue *CMSimpleQueueRef;

CF_ENUM(OSStatus) {
    kCMSimpleQueueError_AllocationFailed = -12770,
    kCMSimpleQueueError_RequiredParameterMissing = -12771,
    kCMSimpleQueueError_ParameterOutOfRange = -12772,
    kCMSimpleQueueError_QueueIsFull = -12773,
};

CM_EXPORT CFTypeID CMSimpleQueueGetTypeID(void);

/** Creates a queue. capacity: 1 or more, otherwise kCMSimpleQueueError_ParameterOutOfRange. */
CM_EXPORT OSStatus CMSimpleQueueCreate(CFAllocatorRef _Nullable allocator, int32_t capacity,
    CM_RETURNS_RETAINED_PARAMETER CMSimpleQueueRef _Nullable *_Nonnull queueOut)
    CF_SWIFT_NAME(CMSimpleQueueCreate(allocator:capacity:queueOut:));

/**
 * Appends an element, which the queue does not retain. Returns kCMSimpleQueueError_QueueIsFull if
 * the queue is full.
 */
CM_EXPORT OSStatus CMSimpleQueueEnqueue(CMSimpleQueueRef queue, const void *element)
    CF_SWIFT_NAME(CMSimpleQueueEnqueue(_:element:));

/** Removes and returns the first element. Returns NULL if the queue is empty. */
CM_EXPORT const void *_Nullable CMSimpleQueueDequeue(CMSimpleQueueRef queue);

/** Returns the first element without removing it, or NULL if the queue is empty. */
CM_EXPORT const void *_Nullable CMSimpleQueueGetHead(CMSimpleQueueRef queue);

/** Empties the queue. No other thread may use it during the call. */
CM_EXPORT OSStatus CMSimpleQueueReset(CMSimpleQueueRef queue);

CM_EXPORT int32_t CMSimpleQueueGetCapacity(CMSimpleQueueRef queue);
CM_EXPORT int32_t CMSimpleQueueGetCount(CMSimpleQueueRef queue);

/** The filled fraction of the capacity, from 0.0 to 1.0. */
#define CMSimpleQueueGetFullness(queue) \
    (CMSimpleQueueGetCapacity(queue) \
            ? (Float32)CMSimpleQueueGetCount(queue) / (Float32)CMSimpleQueueGetCapacity(queue) \
            : (Float32)0.0)

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
