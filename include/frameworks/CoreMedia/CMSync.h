/*
 * CoreMedia/CMSync.h - clocks, and timebases: timelines that a program starts, stops and moves.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CMSYNC_H
#define CMSYNC_H

#include <CoreMedia/CMBase.h>
#include <CoreMedia/CMTime.h>
#include <dispatch/dispatch.h>

CF_IMPLICIT_BRIDGING_ENABLED

/* Any thread may use clocks and timebases. */
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMClock *CMClockRef;
typedef struct CF_BRIDGED_TYPE(id) OpaqueCMTimebase *CMTimebaseRef;

/* A CMClockRef or a CMTimebaseRef. */
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

/* The clock of this computer, which never stops: CLOCK_MONOTONIC, in nanoseconds. The caller does
 * not release it. */
CM_EXPORT CMClockRef _Nonnull CMClockGetHostTimeClock(void);

/* Host times and system units, which are nanoseconds here. A time that is negative or not numeric
 * is 0 units. */
CM_EXPORT uint64_t CMClockConvertHostTimeToSystemUnits(CMTime hostTime);
CM_EXPORT CMTime CMClockMakeHostTimeFromSystemUnits(uint64_t hostTime);

/* kCMTimeInvalid for NULL. */
CM_EXPORT CMTime CMClockGetTime(CMClockRef _Nonnull clock);

/* A time of the clock, and the time of its reference clock at that moment. */
CM_EXPORT OSStatus CMClockGetAnchorTime(CMClockRef _Nonnull clock, CMTime *_Nonnull clockTimeOut,
    CMTime *_Nonnull referenceClockTimeOut)
    CF_SWIFT_NAME(CMClockGetAnchorTime(_:clockTimeOut:referenceClockTimeOut:));

CM_EXPORT Boolean CMClockMightDrift(CMClockRef _Nonnull clock, CMClockRef _Nonnull otherClock)
    CF_SWIFT_NAME(CMClockMightDrift(_:otherClock:));

/* No effect: the host clock stays valid. */
CM_EXPORT void CMClockInvalidate(CMClockRef _Nonnull clock);

CM_EXPORT CFTypeID CMTimebaseGetTypeID(void);

/* Creates a timebase at time 0 with rate 0, which retains its source. */
CM_EXPORT OSStatus CMTimebaseCreateWithSourceClock(CFAllocatorRef _Nullable allocator,
    CMClockRef _Nonnull sourceClock,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithSourceClock(allocator:sourceClock:timebaseOut:));
CM_EXPORT OSStatus CMTimebaseCreateWithSourceTimebase(CFAllocatorRef _Nullable allocator,
    CMTimebaseRef _Nonnull sourceTimebase,
    CM_RETURNS_RETAINED_PARAMETER CMTimebaseRef _Nullable *_Nonnull timebaseOut)
    CF_SWIFT_NAME(CMTimebaseCreateWithSourceTimebase(allocator:sourceTimebase:timebaseOut:));

/* The caller releases the results. The first two give NULL for a source of the other kind. */
CM_EXPORT CMTimebaseRef _Nullable CMTimebaseCopySourceTimebase(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopySourceClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockOrTimebaseRef _Nullable CMTimebaseCopySource(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;
CM_EXPORT CMClockRef _Nullable CMTimebaseCopyUltimateSourceClock(CMTimebaseRef _Nonnull timebase)
    CF_RETURNS_RETAINED;

/* Sets another source; the timebase continues from its present time.
 * kCMTimebaseError_InvalidParameter for a source that depends on the timebase itself. */
CM_EXPORT OSStatus CMTimebaseSetSourceClock(
    CMTimebaseRef _Nonnull timebase, CMClockRef _Nonnull newSourceClock);
CM_EXPORT OSStatus CMTimebaseSetSourceTimebase(
    CMTimebaseRef _Nonnull timebase, CMTimebaseRef _Nonnull newSourceTimebase);

/* Former names of the functions above. */
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

/* Former names; not released by the caller, and valid only until the source changes. */
CM_EXPORT CMTimebaseRef _Nullable CMTimebaseGetMasterTimebase(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockRef _Nullable CMTimebaseGetMasterClock(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockOrTimebaseRef _Nullable CMTimebaseGetMaster(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMClockRef _Nullable CMTimebaseGetUltimateMasterClock(CMTimebaseRef _Nonnull timebase);

/* kCMTimeInvalid for NULL. */
CM_EXPORT CMTime CMTimebaseGetTime(CMTimebaseRef _Nonnull timebase);
CM_EXPORT CMTime CMTimebaseGetTimeWithTimeScale(
    CMTimebaseRef _Nonnull timebase, CMTimeScale timescale, CMTimeRoundingMethod method)
    CF_SWIFT_NAME(CMTimebaseGetTimeWithTimeScale(_:timescale:method:));

/* Sets the present time. kCMTimebaseError_InvalidParameter for a time that is not numeric, here and
 * below. */
CM_EXPORT OSStatus CMTimebaseSetTime(CMTimebaseRef _Nonnull timebase, CMTime time)
    CF_SWIFT_NAME(CMTimebaseSetTime(_:time:));

/* The timebase has or had timebaseTime when its source has or had immediateSourceTime. */
CM_EXPORT OSStatus CMTimebaseSetAnchorTime(
    CMTimebaseRef _Nonnull timebase, CMTime timebaseTime, CMTime immediateSourceTime)
    CF_SWIFT_NAME(CMTimebaseSetAnchorTime(_:timebaseTime:immediateSourceTime:));

/* The rate relative to the source: 0.0 when the timebase stands still, and for NULL. */
CM_EXPORT Float64 CMTimebaseGetRate(CMTimebaseRef _Nonnull timebase);
CM_EXPORT OSStatus CMTimebaseGetTimeAndRate(CMTimebaseRef _Nonnull timebase,
    CMTime *_Nullable timeOut, Float64 *_Nullable rateOut)
    CF_SWIFT_NAME(CMTimebaseGetTimeAndRate(_:timeOut:rateOut:));

/* Sets the rate relative to the source: 0.0 stops the timebase, 1.0 is the source's, a negative
 * rate runs backwards. kCMTimebaseError_InvalidParameter for NaN and infinities. */
CM_EXPORT OSStatus CMTimebaseSetRate(CMTimebaseRef _Nonnull timebase, Float64 rate)
    CF_SWIFT_NAME(CMTimebaseSetRate(_:rate:));
CM_EXPORT OSStatus CMTimebaseSetRateAndAnchorTime(CMTimebaseRef _Nonnull timebase, Float64 rate,
    CMTime timebaseTime, CMTime immediateSourceTime)
    CF_SWIFT_NAME(CMTimebaseSetRateAndAnchorTime(_:rate:anchorTime:immediateSourceTime:));

/* The rate relative to the clock at the end of the chain of sources. */
CM_EXPORT Float64 CMTimebaseGetEffectiveRate(CMTimebaseRef _Nonnull timebase);

/* For timers that a timebase fires: repeating ones need this interval or a longer one. */
#define kCMTimebaseVeryLongCFTimeInterval ((CFTimeInterval)(256.0 * 365.0 * 24.0 * 60.0 * 60.0))
#define kCMTimebaseFarFutureCFAbsoluteTime ((CFAbsoluteTime)kCMTimebaseVeryLongCFTimeInterval)

/* CMTimebaseAddTimer: the timebase retains the timer and schedules it in the run loop.
 * CMTimebaseSetTimerNextFireTime makes it fire once: when the timebase reaches fireTime, or at once
 * if it has passed that. No timer fires while the rate is 0. flags: 0.
 * kCMTimebaseError_InvalidParameter for a timer that was not added. */
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

/* As the functions for CFRunLoopTimers, for dispatch sources of DISPATCH_SOURCE_TYPE_TIMER. */
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

/* How many seconds the first advances in a second of the other; 0 where the other stands still and
 * the first does not follow it. */
CM_EXPORT Float64 CMSyncGetRelativeRate(CMClockOrTimebaseRef _Nonnull ofClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull relativeToClockOrTimebase)
    CF_SWIFT_NAME(CMSyncGetRelativeRate(_:relativeTo:));

/* Gives the relative rate, and a time of each at the same moment. kCMSyncError_RateMustBeNonZero
 * where CMSyncGetRelativeRate has no answer. */
CM_EXPORT OSStatus CMSyncGetRelativeRateAndAnchorTime(
    CMClockOrTimebaseRef _Nonnull ofClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull relativeToClockOrTimebase, Float64 *_Nullable outRelativeRate,
    CMTime *_Nullable outOfClockOrTimebaseAnchorTime,
    CMTime *_Nullable outRelativeToClockOrTimebaseAnchorTime)
    __attribute__((swift_name("CMSyncGetRelativeRateAndAnchorTime(_:relativeTo:relativeRateOut:"
                              "anchorTimeOut:relativeToAnchorTimeOut:)")));

/* The time of the second when the first has `time`. kCMTimeInvalid for NULL, and where a timebase
 * that stands still has no single time for it. */
CM_EXPORT CMTime CMSyncConvertTime(CMTime time, CMClockOrTimebaseRef _Nonnull fromClockOrTimebase,
    CMClockOrTimebaseRef _Nonnull toClockOrTimebase) CF_SWIFT_NAME(CMSyncConvertTime(_:from:to:));

/* False for two that follow the same clock. */
CM_EXPORT Boolean CMSyncMightDrift(CMClockOrTimebaseRef _Nonnull clockOrTimebase1,
    CMClockOrTimebaseRef _Nonnull clockOrTimebase2) CF_SWIFT_NAME(CMSyncMightDrift(_:_:));

CM_EXPORT CMTime CMSyncGetTime(CMClockOrTimebaseRef _Nonnull clockOrTimebase);

/* No effect: CoreFoundation has no notification centre on Linux, and nothing is posted. */
CM_EXPORT OSStatus CMTimebaseNotificationBarrier(CMTimebaseRef _Nonnull timebase);
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotification_EffectiveRateChanged;
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotification_TimeJumped;
CM_EXPORT const CFStringRef _Nonnull kCMTimebaseNotificationKey_EventTime;

CF_IMPLICIT_BRIDGING_DISABLED

#endif
