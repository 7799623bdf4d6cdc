/**
 * @file
 * Clocks, and timebases: timelines that a program starts, stops and sets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CMSYNC_H
#define CMSYNC_H

#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMTime.h>
#include <dispatch/dispatch.h>

CF_IMPLICIT_BRIDGING_ENABLED

/** A clock and a timebase. Any thread may use them. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMClock *CMClockRef;
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMTimebase *CMTimebaseRef;

/** A CMClockRef or a CMTimebaseRef. */
typedef CFTypeRef CMClockOrTimebaseRef;

CF_ENUM(OSStatus) {
    kCMClockError_MissingRequiredParameter = -12745,
    kCMClockError_InvalidParameter = -12746,
    kCMClockError_AllocationFailed = -12747,
    kCMClockError_UnsupportedOperation = -12756,
};

CF_ENUM(OSStatus) {
    kCMTimebaseError_MissingRequiredParameter = -12748,
    kCMTimebaseError_InvalidParameter = -12749,
    kCMTimebaseError_AllocationFailed = -12750,
    kCMTimebaseError_TimerIntervalTooShort = -12751,
    kCMTimebaseError_ReadOnly = -12757,
};

CF_ENUM(OSStatus) {
    kCMSyncError_MissingRequiredParameter = -12752,
    kCMSyncError_InvalidParameter = -12753,
    kCMSyncError_AllocationFailed = -12754,
    kCMSyncError_RateMustBeNonZero = -12755,
};

CM_EXPORT CFTypeID CMClockGetTypeID(void);

/**
 * Returns the clock of this computer: CLOCK_MONOTONIC, in nanoseconds. It stops only while the
 * machine sleeps. The caller does not release it.
 */
CM_EXPORT CMClockRef _Nonnull CMClockGetHostTimeClock(void);

/**
 * Convert between host times and system units, which are nanoseconds here. A negative time, or one
 * that is not numeric, is 0 units.
 */
CM_EXPORT uint64_t CMClockConvertHostTimeToSystemUnits(CMTime hostTime);
CM_EXPORT CMTime CMClockMakeHostTimeFromSystemUnits(uint64_t hostTime);

/** Returns the present time of a clock; kCMTimeInvalid for NULL. */
CM_EXPORT CMTime CMClockGetTime(CMClockRef _Nonnull clock);

/** Stores a time of the clock, and the time of its reference clock at the same moment. */
CM_EXPORT OSStatus CMClockGetAnchorTime(CMClockRef _Nonnull clock, CMTime *_Nonnull clockTimeOut,
    CMTime *_Nonnull referenceClockTimeOut)
    CF_SWIFT_NAME(CMClockGetAnchorTime(_:clockTimeOut:referenceClockTimeOut:));

CM_EXPORT Boolean CMClockMightDrift(CMClockRef _Nonnull clock, CMClockRef _Nonnull otherClock)
    CF_SWIFT_NAME(CMClockMightDrift(_:otherClock:));

/** No effect: the host clock stays valid. */
CM_EXPORT void CMClockInvalidate(CMClockRef _Nonnull clock);

CM_EXPORT CFTypeID CMTimebaseGetTypeID(void);

/** Creates a timebase at time 0 with rate 0, which retains its source. */
CM_EXPORT OSStatus CMTimebaseCreateWithSourceClock(CFAllocatorRef _Nullable allocator,
    CMClockRef _Nonnull sourceClock,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithSourceClock(allocator:sourceClock:timebaseOut:));
CM_EXPORT OSStatus CMTimebaseCreateWithSourceTimebase(CFAllocatorRef _Nullable allocator,
    CMTimebaseRef _Nonnull sourceTimebase,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithSourceTimebase(allocator:sourceTimebase:timebaseOut:));

/**
 * The caller releases the results. The first two functions return NULL if the source is of the
 * other kind.
 */
CM_EXPORT CMTimebaseRef _Nullable CMTimebaseCopySourceTimebase(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopySourceClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockOrTimebaseRef _Nullable CMTimebaseCopySource(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopyUltimateSourceClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;

/**
 * Sets another source. The timebase continues from its present time. Returns
 * kCMTimebaseError_InvalidParameter for a source that depends on the timebase itself.
 */
CM_EXPORT OSStatus CMTimebaseSetSourceClock(
    CMTimebaseRef _Nonnull timebase, CMClockRef _Nonnull newSourceClock);
CM_EXPORT OSStatus CMTimebaseSetSourceTimebase(
    CMTimebaseRef _Nonnull timebase, CMTimebaseRef _Nonnull newSourceTimebase);

/** Older names of the functions above. */
CM_EXPORT OSStatus CMTimebaseCreateWithMasterClock(CFAllocatorRef _Nullable allocator,
    CMClockRef _Nonnull masterClock,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithMasterClock(allocator:masterClock:timebaseOut:));
CM_EXPORT OSStatus CMTimebaseCreateWithMasterTimebase(CFAllocatorRef _Nullable allocator,
    CMTimebaseRef _Nonnull masterTimebase,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithMasterTimebase(allocator:masterTimebase:timebaseOut:));
CM_EXPORT CMTimebaseRef _Nullable CMTimebaseCopyMasterTimebase(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopyMasterClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockOrTimebaseRef _Nullable CMTimebaseCopyMaster(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopyUltimateMasterClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT OSStatus CMTimebaseSetMasterClock(
    CMTimebaseRef _Nonnull timebase, CMClockRef _Nonnull newMasterClock);
CM_EXPORT OSStatus CMTimebaseSetMasterTimebase(
    CMTimebaseRef _Nonnull timebase, CMTimebaseRef _Nonnull newMasterTimebase);

/**
 * Older names. The caller does not release the results, which are valid only until the source
 * changes.
 */
CM_EXPORT CMTimebaseRef _Nullable CMTimebaseGetMasterTimebase(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockRef _Nullable CMTimebaseGetMasterClock(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockOrTimebaseRef _Nullable CMTimebaseGetMaster(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockRef _Nullable CMTimebaseGetUltimateMasterClock(CMTimebaseRef _Nonnull timebase);

/** Return the present time; kCMTimeInvalid for NULL. */
CM_EXPORT CMTime CMTimebaseGetTime(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMTime CMTimebaseGetTimeWithTimeScale(
    CMTimebaseRef _Nonnull timebase, CMTimeScale timescale, CMTimeRoundingMethod method)
    CF_SWIFT_NAME(CMTimebaseGetTimeWithTimeScale(_:timescale:method:));

/**
 * Sets the present time. Returns kCMTimebaseError_InvalidParameter for a time that is not numeric,
 * here and below.
 */
CM_EXPORT OSStatus CMTimebaseSetTime(CMTimebaseRef _Nonnull timebase, CMTime time)
    CF_SWIFT_NAME(CMTimebaseSetTime(_:time:));

/**
 * Sets the time to timebaseTime at the moment when the source has immediateSourceTime, past or
 * future.
 */
CM_EXPORT OSStatus CMTimebaseSetAnchorTime(
    CMTimebaseRef _Nonnull timebase, CMTime timebaseTime, CMTime immediateSourceTime)
    CF_SWIFT_NAME(CMTimebaseSetAnchorTime(_:timebaseTime:immediateSourceTime:));

/** Returns the rate relative to the source; 0.0 if the timebase is stopped, and for NULL. */
CM_EXPORT Float64 CMTimebaseGetRate(CMTimebaseRef _Nonnull timebase);
CM_EXPORT OSStatus CMTimebaseGetTimeAndRate(CMTimebaseRef _Nonnull timebase,
    CMTime *_Nullable timeOut, Float64 *_Nullable rateOut)
    CF_SWIFT_NAME(CMTimebaseGetTimeAndRate(_:timeOut:rateOut:));

/**
 * Sets the rate relative to the source. 0.0 stops the timebase, 1.0 runs as fast as the source, and
 * a negative rate runs backwards. Returns kCMTimebaseError_InvalidParameter for NaN and
 * infinities.
 */
CM_EXPORT OSStatus CMTimebaseSetRate(CMTimebaseRef _Nonnull timebase, Float64 rate)
    CF_SWIFT_NAME(CMTimebaseSetRate(_:rate:));
CM_EXPORT OSStatus CMTimebaseSetRateAndAnchorTime(CMTimebaseRef _Nonnull timebase, Float64 rate,
    CMTime timebaseTime, CMTime immediateSourceTime)
    CF_SWIFT_NAME(CMTimebaseSetRateAndAnchorTime(_:rate:anchorTime:immediateSourceTime:));

/** Returns the rate relative to the clock at the end of the chain of sources. */
CM_EXPORT Float64 CMTimebaseGetEffectiveRate(CMTimebaseRef _Nonnull timebase);

/** The shortest interval of repeating timers that a timebase fires. */
#define kCMTimebaseVeryLongCFTimeInterval ((CFTimeInterval)(256.0 * 365.0 * 24.0 * 60.0 * 60.0))
#define kCMTimebaseFarFutureCFAbsoluteTime ((CFAbsoluteTime)kCMTimebaseVeryLongCFTimeInterval)

/**
 * CMTimebaseAddTimer makes the timebase retain the timer, and schedules it in the run loop.
 * CMTimebaseSetTimerNextFireTime makes the timer fire once: when the timebase reaches fireTime, or
 * immediately if that time has passed. No timer fires while the rate is 0. flags: 0. Returns
 * kCMTimebaseError_InvalidParameter for a timer that was not added.
 */
CM_EXPORT OSStatus CMTimebaseAddTimer(CMTimebaseRef _Nonnull timebase,
    CFRunLoopTimerRef _Nonnull timer, CFRunLoopRef _Nonnull runloop)
    CF_SWIFT_NAME(CMTimebaseAddTimer(_:timer:runloop:));
CM_EXPORT OSStatus CMTimebaseRemoveTimer(
    CMTimebaseRef _Nonnull timebase, CFRunLoopTimerRef _Nonnull timer)
    CF_SWIFT_NAME(CMTimebaseRemoveTimer(_:timer:));
CM_EXPORT OSStatus CMTimebaseSetTimerNextFireTime(CMTimebaseRef _Nonnull timebase,
    CFRunLoopTimerRef _Nonnull timer, CMTime fireTime, uint32_t flags)
    CF_SWIFT_NAME(CMTimebaseSetTimerNextFireTime(_:timer:fireTime:flags:));
CM_EXPORT OSStatus CMTimebaseSetTimerToFireImmediately(
    CMTimebaseRef _Nonnull timebase, CFRunLoopTimerRef _Nonnull timer)
    CF_SWIFT_NAME(CMTimebaseSetTimerToFireImmediately(_:timer:));

/**
 * Work like the functions for CFRunLoopTimers, for dispatch sources of
 * DISPATCH_SOURCE_TYPE_TIMER.
 */
CM_EXPORT OSStatus CMTimebaseAddTimerDispatchSource(
    CMTimebaseRef _Nonnull timebase, dispatch_source_t _Nonnull timerSource)
    CF_SWIFT_NAME(CMTimebaseAddTimerDispatchSource(_:timerSource:));
CM_EXPORT OSStatus CMTimebaseRemoveTimerDispatchSource(
    CMTimebaseRef _Nonnull timebase, dispatch_source_t _Nonnull timerSource)
    CF_SWIFT_NAME(CMTimebaseRemoveTimerDispatchSource(_:timerSource:));
CM_EXPORT OSStatus CMTimebaseSetTimerDispatchSourceNextFireTime(CMTimebaseRef _Nonnull timebase,
    dispatch_source_t _Nonnull timerSource, CMTime fireTime, uint32_t flags)
    CF_SWIFT_NAME(CMTimebaseSetTimerDispatchSourceNextFireTime(_:timerSource:fireTime:flags:));
CM_EXPORT OSStatus CMTimebaseSetTimerDispatchSourceToFireImmediately(
    CMTimebaseRef _Nonnull timebase, dispatch_source_t _Nonnull timerSource)
    CF_SWIFT_NAME(CMTimebaseSetTimerDispatchSourceToFireImmediately(_:timerSource:));

/**
 * Returns how many seconds the first object advances while the other one advances one second.
 * Returns 0 if the other one is stopped and the first does not follow it.
 */
CM_EXPORT Float64 CMSyncGetRelativeRate(CMClockOrTimebaseRef _Nonnull ofClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull relativeToClockOrTimebase)
    CF_SWIFT_NAME(CMSyncGetRelativeRate(_:relativeTo:));

/**
 * Stores the relative rate, and the times of both objects at the same moment. Returns
 * kCMSyncError_RateMustBeNonZero if the relative rate does not exist.
 */
CM_EXPORT OSStatus CMSyncGetRelativeRateAndAnchorTime(
    CMClockOrTimebaseRef _Nonnull ofClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull relativeToClockOrTimebase, Float64 *_Nullable outRelativeRate,
    CMTime *_Nullable outOfClockOrTimebaseAnchorTime,
    CMTime *_Nullable outRelativeToClockOrTimebaseAnchorTime)
    __attribute__((swift_name("CMSyncGetRelativeRateAndAnchorTime(_:relativeTo:relativeRateOut:"
                              "anchorTimeOut:relativeToAnchorTimeOut:)")));

/**
 * Returns the time of the second object when the first has `time`. Returns kCMTimeInvalid for NULL,
 * and if a stopped timebase has no single time for it.
 */
CM_EXPORT CMTime CMSyncConvertTime(CMTime time, CMClockOrTimebaseRef _Nonnull fromClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull toClockOrTimebase) CF_SWIFT_NAME(CMSyncConvertTime(_:from:to:));

/** Returns false if both follow the same clock. */
CM_EXPORT Boolean CMSyncMightDrift(CMClockOrTimebaseRef _Nonnull clockOrTimebase1,
    CMClockOrTimebaseRef _Nonnull clockOrTimebase2) CF_SWIFT_NAME(CMSyncMightDrift(_:_:));

CM_EXPORT CMTime CMSyncGetTime(CMClockOrTimebaseRef _Nonnull clockOrTimebase);

/** No effect: CoreFoundation has no notification centre on Linux, and nothing is posted. */
CM_EXPORT OSStatus CMTimebaseNotificationBarrier(CMTimebaseRef _Nonnull timebase);
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotification_EffectiveRateChanged;
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotification_TimeJumped;
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotificationKey_EventTime;

CF_IMPLICIT_BRIDGING_DISABLED

#endif
