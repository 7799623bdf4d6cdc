#include <CoreMedia/CMSync.h>

#include "../../Support/constant.h"
#include "timebase.h"
#include "times.h"

NALU_CONSTANT(kCMTimebaseNotification_EffectiveRateChanged, "EffectiveRateChanged");
NALU_CONSTANT(kCMTimebaseNotification_TimeJumped, "TimeJumped");
NALU_CONSTANT(kCMTimebaseNotificationKey_EventTime, "EventTime");

static void finalize(CFTypeRef object) {
    CMTimebaseRef timebase = (CMTimebaseRef)object;
    nalu_timebase_remove_observer(timebase->timebase, timebase->observer);
    nalu_timebase_release(timebase->timebase);
    while (timebase->timers) {
        nalu_timer *timer = timebase->timers;
        timebase->timers = timer->next;
        nalu_timer_release(timer);
    }
    pthread_mutex_destroy(&timebase->lock);
    nalu_object_release_held(timebase->source);
}

static nalu_class timebase_class = {.runtime = {.className = "CMTimebase", .finalize = finalize}};

CFTypeID CMTimebaseGetTypeID(void) { return nalu_class_type(&timebase_class); }

bool nalu_timebase_is(CFTypeRef object) { return nalu_object_is(object, &timebase_class); }

static bool is_clock(CFTypeRef object) { return object && CFGetTypeID(object) == CMClockGetTypeID(); }

nalu_timebase *nalu_sync_get_timebase(CMClockOrTimebaseRef object) {
    if (nalu_timebase_is(object)) return ((CMTimebaseRef)object)->timebase;
    return is_clock(object) ? nalu_timebase_get_host_clock() : NULL;
}

void nalu_timebase_schedule(CMTimebaseRef timebase, nalu_timer *timer) {
    const CMTime moment = nalu_to_time(nalu_timebase_convert_time(
        nalu_from_time(timer->fire_time), timebase->timebase, nalu_timebase_get_host_clock()));
    const bool passed = CMTIME_IS_NEGATIVE_INFINITY(moment);
    /* A timer does not fire while the timebase stands still, nor if it is due in more than a century. */
    if (!passed && !(CMTimeGetSeconds(moment) < 3.2e9)) nalu_timer_schedule(timer, INT64_MAX);
    else nalu_timer_schedule(timer, passed ? 0 : CMTimeConvertScale(moment, 1000000000, kCMTimeRoundingMethod_RoundTowardPositiveInfinity).value);
}

/* Observes the timebase: its time, its rate or one of its sources has changed. */
static void schedule_timers(void *refcon) {
    CMTimebaseRef timebase = refcon;
    pthread_mutex_lock(&timebase->lock);
    for (nalu_timer *timer = timebase->timers; timer; timer = timer->next) {
        /* The timer has fired, or its run loop is about to fire it. */
        if (timer->scheduled && timer->moment <= nalu_timers_now()) timer->armed = false;
        if (timer->armed) nalu_timebase_schedule(timebase, timer);
    }
    pthread_mutex_unlock(&timebase->lock);
}

static OSStatus create(CFAllocatorRef allocator, CMClockOrTimebaseRef source, bool valid, CMTimebaseRef *timebaseOut) {
    if (timebaseOut) *timebaseOut = NULL;
    if (!source || !timebaseOut) return kCMTimebaseError_MissingRequiredParameter;
    if (!valid) return kCMTimebaseError_InvalidParameter;
    CMTimebaseRef timebase = nalu_object_create(&timebase_class, allocator, sizeof *timebase);
    if (!timebase) return kCMTimebaseError_AllocationFailed;
    pthread_mutex_init(&timebase->lock, NULL);
    timebase->source = CFRetain(source);
    if (nalu_timebase_create(nalu_sync_get_timebase(source), &timebase->timebase)
        || nalu_timebase_add_observer(timebase->timebase, schedule_timers, timebase, &timebase->observer)) {
        CFRelease(timebase);
        return kCMTimebaseError_AllocationFailed;
    }
    *timebaseOut = timebase;
    return noErr;
}

OSStatus CMTimebaseCreateWithSourceClock(CFAllocatorRef allocator, CMClockRef sourceClock, CMTimebaseRef *timebaseOut) {
    return create(allocator, sourceClock, is_clock(sourceClock), timebaseOut);
}

OSStatus CMTimebaseCreateWithSourceTimebase(
    CFAllocatorRef allocator, CMTimebaseRef sourceTimebase, CMTimebaseRef *timebaseOut) {
    return create(allocator, sourceTimebase, nalu_timebase_is(sourceTimebase), timebaseOut);
}

static OSStatus set_source(CMTimebaseRef timebase, CMClockOrTimebaseRef source, bool valid) {
    if (!timebase || !source) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase) || !valid) return kCMTimebaseError_InvalidParameter;
    /* libnalu refuses a cycle. */
    if (nalu_timebase_set_source(timebase->timebase, nalu_sync_get_timebase(source))) return kCMTimebaseError_InvalidParameter;
    pthread_mutex_lock(&timebase->lock);
    CMClockOrTimebaseRef former = timebase->source;
    timebase->source = CFRetain(source);
    pthread_mutex_unlock(&timebase->lock);
    CFRelease(former);
    return noErr;
}

OSStatus CMTimebaseSetSourceClock(CMTimebaseRef timebase, CMClockRef newSourceClock) {
    return set_source(timebase, newSourceClock, is_clock(newSourceClock));
}

OSStatus CMTimebaseSetSourceTimebase(CMTimebaseRef timebase, CMTimebaseRef newSourceTimebase) {
    return set_source(timebase, newSourceTimebase, nalu_timebase_is(newSourceTimebase));
}

CMClockOrTimebaseRef CMTimebaseCopySource(CMTimebaseRef timebase) {
    if (!nalu_timebase_is(timebase)) return NULL;
    pthread_mutex_lock(&timebase->lock);
    CMClockOrTimebaseRef source = CFRetain(timebase->source);
    pthread_mutex_unlock(&timebase->lock);
    return source;
}

CMTimebaseRef CMTimebaseCopySourceTimebase(CMTimebaseRef timebase) {
    CMClockOrTimebaseRef source = CMTimebaseCopySource(timebase);
    if (nalu_timebase_is(source)) return (CMTimebaseRef)source;
    if (source) CFRelease(source);
    return NULL;
}

CMClockRef CMTimebaseCopySourceClock(CMTimebaseRef timebase) {
    CMClockOrTimebaseRef source = CMTimebaseCopySource(timebase);
    if (is_clock(source)) return (CMClockRef)source;
    if (source) CFRelease(source);
    return NULL;
}

CMClockRef CMTimebaseCopyUltimateSourceClock(CMTimebaseRef timebase) {
    /* The host clock is the only clock. */
    return nalu_timebase_is(timebase) ? (CMClockRef)CFRetain(CMClockGetHostTimeClock()) : NULL;
}

CMTime CMTimebaseGetTime(CMTimebaseRef timebase) {
    return nalu_timebase_is(timebase) ? nalu_to_time(nalu_timebase_get_time(timebase->timebase)) : kCMTimeInvalid;
}

CMTime CMTimebaseGetTimeWithTimeScale(CMTimebaseRef timebase, CMTimeScale timescale, CMTimeRoundingMethod method) {
    return CMTimeConvertScale(CMTimebaseGetTime(timebase), timescale, method);
}

Float64 CMTimebaseGetRate(CMTimebaseRef timebase) {
    return nalu_timebase_is(timebase) ? nalu_timebase_get_rate(timebase->timebase) : 0;
}

OSStatus CMTimebaseGetTimeAndRate(CMTimebaseRef timebase, CMTime *timeOut, Float64 *rateOut) {
    if (!timebase) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase)) return kCMTimebaseError_InvalidParameter;
    nalu_time time;
    if (nalu_timebase_get_time_and_rate(timebase->timebase, &time, rateOut)) return kCMTimebaseError_InvalidParameter;
    if (timeOut) *timeOut = nalu_to_time(time);
    return noErr;
}

Float64 CMTimebaseGetEffectiveRate(CMTimebaseRef timebase) {
    return nalu_timebase_is(timebase) ? nalu_timebase_get_effective_rate(timebase->timebase) : 0;
}

/* Checks a timebase for one of libnalu's functions that change it, and returns the status of a call. */
#define CHANGE(timebase, call) \
    (!(timebase) ? kCMTimebaseError_MissingRequiredParameter \
        : !nalu_timebase_is(timebase) || (call) ? kCMTimebaseError_InvalidParameter : noErr)

OSStatus CMTimebaseSetTime(CMTimebaseRef timebase, CMTime time) {
    return CHANGE(timebase, nalu_timebase_set_time(timebase->timebase, nalu_from_time(time)));
}

OSStatus CMTimebaseSetAnchorTime(CMTimebaseRef timebase, CMTime timebaseTime, CMTime immediateSourceTime) {
    return CHANGE(timebase, nalu_timebase_set_anchor_time(
        timebase->timebase, nalu_from_time(timebaseTime), nalu_from_time(immediateSourceTime)));
}

OSStatus CMTimebaseSetRate(CMTimebaseRef timebase, Float64 rate) {
    return CHANGE(timebase, nalu_timebase_set_rate(timebase->timebase, rate));
}

OSStatus CMTimebaseSetRateAndAnchorTime(
    CMTimebaseRef timebase, Float64 rate, CMTime timebaseTime, CMTime immediateSourceTime) {
    return CHANGE(timebase, nalu_timebase_set_rate_and_anchor_time(
        timebase->timebase, rate, nalu_from_time(timebaseTime), nalu_from_time(immediateSourceTime)));
}

OSStatus CMTimebaseNotificationBarrier(CMTimebaseRef timebase) {
    return timebase ? noErr : kCMTimebaseError_MissingRequiredParameter;
}
