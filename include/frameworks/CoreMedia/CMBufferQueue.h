/**
 * @file
 * A queue of timed objects that any thread may use, with triggers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMBUFFERQUEUE_H
#define CMBUFFERQUEUE_H

#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMTime.h>

CF_IMPLICIT_BRIDGING_ENABLED

CF_ENUM(OSStatus) {
    kCMBufferQueueError_AllocationFailed = -12760,
    kCMBufferQueueError_RequiredParameterMissing = -12761,
    kCMBufferQueueError_InvalidCMBufferCallbacksStruct = -12762,
    kCMBufferQueueError_EnqueueAfterEndOfData = -12763,
    kCMBufferQueueError_QueueIsFull = -12764,
    kCMBufferQueueError_BadTriggerDuration = -12765,
    kCMBufferQueueError_CannotModifyQueueFromTriggerCallback = -12766,
    kCMBufferQueueError_InvalidTriggerCondition = -12767,
    kCMBufferQueueError_InvalidTriggerToken = -12768,
    kCMBufferQueueError_InvalidBuffer = -12769,
};

/**
 * A queue, which any thread may use. CFRelease releases a reference. For NULL, its functions return
 * kCMBufferQueueError_RequiredParameterMissing, 0, NULL or false.
 */
typedef struct CF_BRIDGED_TYPE(id) opaqueCMBufferQueue *CMBufferQueueRef;

/** Any CoreFoundation object; usually a CMSampleBufferRef. */
typedef CFTypeRef CMBufferRef;

typedef CMTime (*CMBufferGetTimeCallback)(CMBufferRef _Nonnull buf, void *_Nullable refcon);
typedef Boolean (*CMBufferGetBooleanCallback)(CMBufferRef _Nonnull buf, void *_Nullable refcon);
typedef CFComparisonResult (*CMBufferCompareCallback)(
    CMBufferRef _Nonnull buf1, CMBufferRef _Nonnull buf2, void *_Nullable refcon);
typedef size_t (*CMBufferGetSizeCallback)(CMBufferRef _Nonnull buf, void *_Nullable refcon);

typedef CMTime (^CMBufferGetTimeHandler)(CMBufferRef _Nonnull buf);
typedef Boolean (^CMBufferGetBooleanHandler)(CMBufferRef _Nonnull buf);
typedef CFComparisonResult (^CMBufferCompareHandler)(
    CMBufferRef _Nonnull buf1, CMBufferRef _Nonnull buf2);
typedef size_t (^CMBufferGetSizeHandler)(CMBufferRef _Nonnull buf);

#pragma pack(push, 4)
/**
 * The functions with which a queue reads its buffers. Times, durations and sizes are read once,
 * when a buffer is enqueued. isDataReady and compare must not use the queue, which is locked during
 * these calls.
 */
typedef struct {
    uint32_t version; /**< 0, or 1 with getSize */
    void *_Nullable refcon;
    CMBufferGetTimeCallback _Nullable getDecodeTimeStamp;
    CMBufferGetTimeCallback _Nullable getPresentationTimeStamp;
    CMBufferGetTimeCallback _Nonnull getDuration;
    CMBufferGetBooleanCallback _Nullable isDataReady; /**< NULL: always ready */
    CMBufferCompareCallback _Nullable compare; /**< NULL: first in, first out */
    CFStringRef _Nullable dataBecameReadyNotification; /**< not used: notifications do not exist */
    CMBufferGetSizeCallback _Nullable getSize; /**< NULL: 0 */
} CMBufferCallbacks;
#pragma pack(pop)

/** The same functions as blocks, which the queue copies. */
typedef struct {
    unsigned long version; /**< 1 */
    CMBufferGetTimeHandler _Nullable getDecodeTimeStamp;
    CMBufferGetTimeHandler _Nullable getPresentationTimeStamp;
    CMBufferGetTimeHandler _Nonnull getDuration;
    CMBufferGetBooleanHandler _Nullable isDataReady;
    CMBufferCompareHandler _Nullable compare;
    CFStringRef _Nullable dataBecameReadyNotification;
    CMBufferGetSizeHandler _Nullable getSize;
} CMBufferHandlers;

/**
 * Callbacks for queues of CMSampleBufferRefs. The first are for first in, first out. The second
 * sort by output presentation time stamp, and read output times. The results are static.
 */
CM_EXPORT const CMBufferCallbacks *_Nonnull CMBufferQueueGetCallbacksForUnsortedSampleBuffers(void);
CM_EXPORT const CMBufferCallbacks
    *_Nonnull CMBufferQueueGetCallbacksForSampleBuffersSortedByOutputPTS(void);

/**
 * Creates a queue. capacity: the largest number of buffers; 0 for no limit. The callbacks or
 * handlers are copied.
 */
CM_EXPORT OSStatus CMBufferQueueCreate(CFAllocatorRef _Nullable allocator, CMItemCount capacity,
    const CMBufferCallbacks *_Nonnull callbacks,
    CM_RETURNS_RETAINED_PARAMETER CMBufferQueueRef _Nullable *_Nonnull queueOut)
    CF_SWIFT_NAME(CMBufferQueueCreate(allocator:capacity:callbacks:queueOut:));
CM_EXPORT OSStatus CMBufferQueueCreateWithHandlers(CFAllocatorRef _Nullable allocator,
    CMItemCount capacity, const CMBufferHandlers *_Nonnull handlers,
    CM_RETURNS_RETAINED_PARAMETER CMBufferQueueRef _Nullable *_Nonnull queueOut)
    CF_SWIFT_NAME(CMBufferQueueCreateWithHandlers(_:_:_:_:));

CM_EXPORT CFTypeID CMBufferQueueGetTypeID(void);

/**
 * Adds a buffer, which the queue retains. Returns kCMBufferQueueError_QueueIsFull or
 * kCMBufferQueueError_EnqueueAfterEndOfData. A callback of one of the queue's triggers cannot
 * change the queue: this and similar calls return
 * kCMBufferQueueError_CannotModifyQueueFromTriggerCallback, or NULL.
 */
CM_EXPORT OSStatus CMBufferQueueEnqueue(CMBufferQueueRef _Nonnull queue, CMBufferRef _Nonnull buf)
    CF_SWIFT_NAME(CMBufferQueueEnqueue(_:buffer:));

/**
 * Removes and returns the first buffer, which the caller releases. Returns NULL if the queue is
 * empty.
 */
CM_EXPORT CMBufferRef _Nullable CMBufferQueueDequeueAndRetain(CMBufferQueueRef _Nonnull queue)
    CF_RETURNS_RETAINED CF_SWIFT_NAME(CMBufferQueueDequeue(_:));

/**
 * Removes and returns the first buffer, which the caller releases. Returns NULL if the queue is
 * empty, or if the first buffer is not ready.
 */
CM_EXPORT CMBufferRef _Nullable CMBufferQueueDequeueIfDataReadyAndRetain(
    CMBufferQueueRef _Nonnull queue)
    CF_RETURNS_RETAINED CF_SWIFT_NAME(CMBufferQueueDequeueIfDataReady(_:));

/**
 * Returns the first buffer without removing it; NULL if the queue is empty. The caller releases the
 * result of CMBufferQueueCopyHead only.
 */
CM_EXPORT CMBufferRef _Nullable CMBufferQueueGetHead(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMBufferRef _Nullable CMBufferQueueCopyHead(CMBufferQueueRef _Nonnull queue)
    CF_RETURNS_RETAINED;

CM_EXPORT Boolean CMBufferQueueIsEmpty(CMBufferQueueRef _Nonnull queue);

/** Marks the end of data. Nothing more can be enqueued before a reset. */
CM_EXPORT OSStatus CMBufferQueueMarkEndOfData(CMBufferQueueRef _Nonnull queue);
CM_EXPORT Boolean CMBufferQueueContainsEndOfData(CMBufferQueueRef _Nonnull queue);

/** Returns true if the end is marked and the queue is empty. */
CM_EXPORT Boolean CMBufferQueueIsAtEndOfData(CMBufferQueueRef _Nonnull queue);

/**
 * Empties the queue, and removes the mark of the end. The callback receives each buffer before its
 * release.
 */
CM_EXPORT OSStatus CMBufferQueueReset(CMBufferQueueRef _Nonnull queue);
CM_EXPORT OSStatus CMBufferQueueResetWithCallback(CMBufferQueueRef _Nonnull queue,
    void (*_Nonnull callback)(CMBufferRef _Nonnull buffer, void *_Nullable refcon),
    void *_Nullable refcon) CF_SWIFT_NAME(CMBufferQueueResetWithCallback(_:callback:refcon:));

CM_EXPORT CMItemCount CMBufferQueueGetBufferCount(CMBufferQueueRef _Nonnull queue);

/** Returns the sum of all numeric durations. */
CM_EXPORT CMTime CMBufferQueueGetDuration(CMBufferQueueRef _Nonnull queue);

/**
 * Return kCMTimeInvalid if no buffer has such a time. The end is the latest sum of a presentation
 * time stamp and its duration.
 */
CM_EXPORT CMTime CMBufferQueueGetMinDecodeTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMTime CMBufferQueueGetFirstDecodeTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMTime CMBufferQueueGetMinPresentationTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMTime CMBufferQueueGetFirstPresentationTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMTime CMBufferQueueGetMaxPresentationTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT CMTime CMBufferQueueGetEndPresentationTimeStamp(CMBufferQueueRef _Nonnull queue);
CM_EXPORT size_t CMBufferQueueGetTotalSize(CMBufferQueueRef _Nonnull queue);

typedef struct opaqueCMBufferQueueTriggerToken *CMBufferQueueTriggerToken;
typedef void (*CMBufferQueueTriggerCallback)(
    void *_Nullable triggerRefcon, CMBufferQueueTriggerToken _Nonnull triggerToken);
typedef void (^CMBufferQueueTriggerHandler)(CMBufferQueueTriggerToken _Nonnull triggerToken);

typedef int32_t CMBufferQueueTriggerCondition;
CF_ENUM(CMBufferQueueTriggerCondition) {
    kCMBufferQueueTrigger_WhenDurationBecomesLessThan = 1,
    kCMBufferQueueTrigger_WhenDurationBecomesLessThanOrEqualTo = 2,
    kCMBufferQueueTrigger_WhenDurationBecomesGreaterThan = 3,
    kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualTo = 4,
    kCMBufferQueueTrigger_WhenMinPresentationTimeStampChanges = 5,
    kCMBufferQueueTrigger_WhenMaxPresentationTimeStampChanges = 6,
    kCMBufferQueueTrigger_WhenDataBecomesReady = 7,
    kCMBufferQueueTrigger_WhenEndOfDataReached = 8,
    kCMBufferQueueTrigger_WhenReset = 9,
    kCMBufferQueueTrigger_WhenBufferCountBecomesLessThan = 10,
    kCMBufferQueueTrigger_WhenBufferCountBecomesGreaterThan = 11,
    /**
     * Needs two thresholds, which no function accepts:
     * kCMBufferQueueError_InvalidTriggerCondition.
     */
    kCMBufferQueueTrigger_WhenDurationBecomesGreaterThanOrEqualToAndBufferCountBecomesGreaterThan =
        12,
};

/**
 * Installs a trigger. Its callback is called without a lock, on the thread whose call made the
 * condition true, or immediately if the condition is true already. `time` is for conditions about
 * the duration, `threshold` for those about the count. For a trigger that is only tested, the
 * callback may be NULL; then triggerTokenOut must not be NULL. The token is valid until
 * CMBufferQueueRemoveTrigger.
 */
CM_EXPORT OSStatus CMBufferQueueInstallTrigger(CMBufferQueueRef _Nonnull queue,
    CMBufferQueueTriggerCallback _Nullable callback, void *_Nullable refcon,
    CMBufferQueueTriggerCondition condition, CMTime time,
    CMBufferQueueTriggerToken _Nullable *_Nullable triggerTokenOut)
    CF_SWIFT_NAME(
        CMBufferQueueInstallTrigger(_:callback:refcon:condition:time:triggerTokenOut:));
CM_EXPORT OSStatus CMBufferQueueInstallTriggerWithIntegerThreshold(CMBufferQueueRef _Nonnull queue,
    CMBufferQueueTriggerCallback _Nullable callback, void *_Nullable refcon,
    CMBufferQueueTriggerCondition condition, CMItemCount threshold,
    CMBufferQueueTriggerToken _Nullable *_Nullable triggerTokenOut)
    __attribute__((swift_name("CMBufferQueueInstallTriggerWithIntegerThreshold("
                              "_:callback:refcon:condition:threshold:triggerTokenOut:)")));
CM_EXPORT OSStatus CMBufferQueueInstallTriggerHandler(CMBufferQueueRef _Nonnull queue,
    CMBufferQueueTriggerCondition condition, CMTime time,
    CMBufferQueueTriggerToken _Nullable *_Nullable triggerTokenOut,
    CMBufferQueueTriggerHandler _Nullable handler);
CM_EXPORT OSStatus CMBufferQueueInstallTriggerHandlerWithIntegerThreshold(
    CMBufferQueueRef _Nonnull queue, CMBufferQueueTriggerCondition condition, CMItemCount threshold,
    CMBufferQueueTriggerToken _Nullable *_Nullable triggerTokenOut,
    CMBufferQueueTriggerHandler _Nullable handler);

/**
 * Removes a trigger, and makes its token invalid. Its callback is not called again, even if the
 * callback of another trigger removes it during the same change. A call that has begun on another
 * thread may still be running.
 */
CM_EXPORT OSStatus CMBufferQueueRemoveTrigger(
    CMBufferQueueRef _Nonnull queue, CMBufferQueueTriggerToken _Nonnull triggerToken)
    CF_SWIFT_NAME(CMBufferQueueRemoveTrigger(_:triggerToken:));

/**
 * Returns true if the condition of a trigger holds now. Returns false for conditions about a change
 * or a reset.
 */
CM_EXPORT Boolean CMBufferQueueTestTrigger(
    CMBufferQueueRef _Nonnull queue, CMBufferQueueTriggerToken _Nonnull triggerToken)
    CF_SWIFT_NAME(CMBufferQueueTestTrigger(_:triggerToken:));

/**
 * Calls the callback with each buffer, in order, until it returns a status other than noErr.
 * Returns that status.
 */
CM_EXPORT OSStatus CMBufferQueueCallForEachBuffer(CMBufferQueueRef _Nonnull queue,
    OSStatus (*_Nonnull callback)(CMBufferRef _Nonnull buffer, void *_Nullable refcon),
    void *_Nullable refcon) CF_SWIFT_NAME(CMBufferQueueCallForEachBuffer(_:callback:refcon:));

/**
 * Validates buffers. CMBufferQueueEnqueue calls the function, and returns its status if it is not
 * noErr.
 */
typedef OSStatus (*CMBufferValidationCallback)(CMBufferQueueRef _Nonnull queue,
    CMBufferRef _Nonnull buf, void *_Nullable validationRefCon);
typedef OSStatus (^CMBufferValidationHandler)(
    CMBufferQueueRef _Nonnull queue, CMBufferRef _Nonnull buf);
CM_EXPORT OSStatus CMBufferQueueSetValidationCallback(CMBufferQueueRef _Nonnull queue,
    CMBufferValidationCallback _Nonnull callback, void *_Nullable refcon)
    CF_SWIFT_NAME(CMBufferQueueSetValidationCallback(_:callback:refcon:));
CM_EXPORT OSStatus CMBufferQueueSetValidationHandler(
    CMBufferQueueRef _Nonnull queue, CMBufferValidationHandler _Nonnull handler);

CF_IMPLICIT_BRIDGING_DISABLED

#endif
