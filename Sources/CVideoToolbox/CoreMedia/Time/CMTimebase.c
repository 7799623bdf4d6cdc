#include <CoreMedia/CMSync.h>

#include "../../Support/constant.h"
#include "../../Support/object.h"
#include "rational.h"
#include "timebase.h"
#include "timers.h"

#include <math.h>
#include <pthread.h>

NALU_CONSTANT(kCMTimebaseNotification_EffectiveRateChanged, "EffectiveRateChanged");
NALU_CONSTANT(kCMTimebaseNotification_TimeJumped, "TimeJumped");
NALU_CONSTANT(kCMTimebaseNotificationKey_EventTime, "EventTime");

static pthread_mutex_t timebases = PTHREAD_MUTEX_INITIALIZER;

void nalu_timebases_lock(void) { pthread_mutex_lock(&timebases); }

void nalu_timebases_unlock(void) { pthread_mutex_unlock(&timebases); }

static void unfollow(CMTimebaseRef timebase);

static void finalize(CFTypeRef object) {
    CMTimebaseRef timebase = (CMTimebaseRef)object;
    nalu_timebases_lock();
    unfollow(timebase);
    nalu_timebases_unlock();
    while (timebase->timers) {
        nalu_timer *timer = timebase->timers;
        timebase->timers = timer->next;
        nalu_timer_release(timer);
    }
    nalu_object_release_held(timebase->source);
}

static nalu_class timebase_class = {.runtime = {.className = "CMTimebase", .finalize = finalize}};

CFTypeID CMTimebaseGetTypeID(void) { return nalu_class_type(&timebase_class); }

bool nalu_timebase_is(CFTypeRef object) { return nalu_object_is(object, &timebase_class); }

static bool is_clock(CFTypeRef object) { return object && CFGetTypeID(object) == CMClockGetTypeID(); }

bool nalu_sync_is_valid(CMClockOrTimebaseRef object) { return is_clock(object) || nalu_timebase_is(object); }

CMClockOrTimebaseRef nalu_sync_get_source(CMClockOrTimebaseRef object) {
    return nalu_timebase_is(object) ? ((CMTimebaseRef)object)->source : NULL;
}

/* Multiplies a time in nanoseconds. The host clock counts in nanoseconds too, so sums of both are exact. */
static CMTime multiply(CMTime time, double factor) {
    if (factor == 1) return time;
    const CMTime fine = CMTimeConvertScale(time, 1000000000, kCMTimeRoundingMethod_Default);
    return CMTimeMultiplyByFloat64(CMTIME_IS_NUMERIC(fine) ? fine : time, factor);
}

CMTime nalu_timebase_from_source(CMTimebaseRef timebase, CMTime source_time) {
    if (timebase->rate == 0) return timebase->anchor;
    const CMTime passed = CMTimeSubtract(source_time, timebase->source_anchor);
    return CMTimeAdd(timebase->anchor, multiply(passed, timebase->rate));
}

CMTime nalu_timebase_to_source(CMTimebaseRef timebase, CMTime time) {
    if (timebase->rate == 0) return kCMTimeInvalid;
    const CMTime passed = CMTimeSubtract(time, timebase->anchor);
    return CMTimeAdd(timebase->source_anchor, multiply(passed, 1 / timebase->rate));
}

/* Converts with loops, not recursion: a client decides how many timebases follow each other. */
CMTime nalu_sync_convert_down(CMTime time, CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object) {
    CMTimebaseRef below = NULL;
    for (; object != ancestor; object = below->source) {
        ((CMTimebaseRef)object)->follower_on_path = below;
        below = (CMTimebaseRef)object;
    }
    for (; below; below = below->follower_on_path) time = nalu_timebase_from_source(below, time);
    return time;
}

CMTime nalu_sync_get_time(CMClockOrTimebaseRef object) {
    /* A timebase with rate 0 has a fixed time, so the time of its source is not needed. */
    CMClockOrTimebaseRef moving = object;
    while (nalu_timebase_is(moving) && ((CMTimebaseRef)moving)->rate != 0) moving = ((CMTimebaseRef)moving)->source;
    const CMTime time = nalu_timebase_is(moving) ? ((CMTimebaseRef)moving)->anchor : CMClockGetTime((CMClockRef)moving);
    return nalu_sync_convert_down(time, moving, object);
}

double nalu_timebase_get_effective_rate(CMTimebaseRef timebase) {
    double rate = timebase->rate;
    for (CMClockOrTimebaseRef source = timebase->source; nalu_timebase_is(source); source = nalu_sync_get_source(source))
        rate *= ((CMTimebaseRef)source)->rate;
    return rate;
}

void nalu_timebase_schedule(CMTimebaseRef timebase, nalu_timer *timer) {
    const int64_t now = nalu_timers_now();
    const double rate = nalu_timebase_get_effective_rate(timebase);
    if (rate == 0) {
        nalu_timer_schedule(timer, INT64_MAX);
        return;
    }
    const double left = CMTimeGetSeconds(CMTimeSubtract(timer->fire_time, nalu_sync_get_time(timebase))) / rate;
    /* A timer that is due in more than a century does not fire. The same holds for NaN. */
    if (!(left < 3.2e9)) nalu_timer_schedule(timer, INT64_MAX);
    else nalu_timer_schedule(timer, left > 0 ? now + (int64_t)ceil(left * 1e9) : now);
}

static void schedule_timers(CMTimebaseRef timebase) {
    for (nalu_timer *timer = timebase->timers; timer; timer = timer->next) {
        /* The timer has fired, or its run loop is about to fire it. */
        if (timer->scheduled && timer->moment <= nalu_timers_now()) timer->armed = false;
        if (timer->armed) nalu_timebase_schedule(timebase, timer);
    }
}

/* Schedules the timers of a timebase and of all timebases that follow it, after a change of its time or rate. */
static void schedule_all(CMTimebaseRef changed) {
    CMTimebaseRef timebase = changed;
    while (true) {
        schedule_timers(timebase);
        if (timebase->first_follower) {
            timebase = timebase->first_follower;
            continue;
        }
        while (timebase != changed && !timebase->next_follower) timebase = (CMTimebaseRef)timebase->source;
        if (timebase == changed) return;
        timebase = timebase->next_follower;
    }
}

static void follow(CMTimebaseRef timebase, CMClockOrTimebaseRef source) {
    timebase->source = source;
    if (!nalu_timebase_is(source)) return;
    timebase->next_follower = ((CMTimebaseRef)source)->first_follower;
    ((CMTimebaseRef)source)->first_follower = timebase;
}

static void unfollow(CMTimebaseRef timebase) {
    if (!nalu_timebase_is(timebase->source)) return;
    CMTimebaseRef *place = &((CMTimebaseRef)timebase->source)->first_follower;
    while (*place && *place != timebase) place = &(*place)->next_follower;
    if (*place) *place = timebase->next_follower;
    timebase->next_follower = NULL;
}

static OSStatus create(CFAllocatorRef allocator, CMClockOrTimebaseRef source, bool valid, CMTimebaseRef *timebaseOut) {
    if (timebaseOut) *timebaseOut = NULL;
    if (!source || !timebaseOut) return kCMTimebaseError_MissingRequiredParameter;
    if (!valid) return kCMTimebaseError_InvalidParameter;
    CMTimebaseRef timebase = nalu_object_create(&timebase_class, allocator, sizeof *timebase);
    if (!timebase) return kCMTimebaseError_AllocationFailed;
    timebase->anchor = kCMTimeZero;
    CFRetain(source);
    nalu_timebases_lock();
    timebase->source_anchor = nalu_sync_get_time(source);
    follow(timebase, source);
    nalu_timebases_unlock();
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
    nalu_timebases_lock();
    for (CMClockOrTimebaseRef object = source; object; object = nalu_sync_get_source(object))
        if (object == timebase) {
            nalu_timebases_unlock();
            return kCMTimebaseError_InvalidParameter;
        }
    CMClockOrTimebaseRef former = timebase->source;
    timebase->anchor = nalu_sync_get_time(timebase);
    unfollow(timebase);
    follow(timebase, CFRetain(source));
    timebase->source_anchor = nalu_sync_get_time(source);
    schedule_all(timebase);
    nalu_timebases_unlock();
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
    nalu_timebases_lock();
    CMClockOrTimebaseRef source = nalu_sync_get_source(timebase);
    if (source) CFRetain(source);
    nalu_timebases_unlock();
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
    nalu_timebases_lock();
    CMClockOrTimebaseRef source = nalu_sync_get_source(timebase);
    while (nalu_timebase_is(source)) source = nalu_sync_get_source(source);
    if (source) CFRetain(source);
    nalu_timebases_unlock();
    return (CMClockRef)source;
}

CMTime CMTimebaseGetTime(CMTimebaseRef timebase) {
    CMTime time = kCMTimeInvalid;
    CMTimebaseGetTimeAndRate(timebase, &time, NULL);
    return time;
}

CMTime CMTimebaseGetTimeWithTimeScale(CMTimebaseRef timebase, CMTimeScale timescale, CMTimeRoundingMethod method) {
    return CMTimeConvertScale(CMTimebaseGetTime(timebase), timescale, method);
}

Float64 CMTimebaseGetRate(CMTimebaseRef timebase) {
    Float64 rate = 0;
    CMTimebaseGetTimeAndRate(timebase, NULL, &rate);
    return rate;
}

OSStatus CMTimebaseGetTimeAndRate(CMTimebaseRef timebase, CMTime *timeOut, Float64 *rateOut) {
    if (!timebase) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase)) return kCMTimebaseError_InvalidParameter;
    nalu_timebases_lock();
    if (timeOut) *timeOut = nalu_sync_get_time(timebase);
    if (rateOut) *rateOut = timebase->rate;
    nalu_timebases_unlock();
    return noErr;
}

Float64 CMTimebaseGetEffectiveRate(CMTimebaseRef timebase) {
    if (!nalu_timebase_is(timebase)) return 0;
    nalu_timebases_lock();
    const double rate = nalu_timebase_get_effective_rate(timebase);
    nalu_timebases_unlock();
    return rate;
}

/* Sets the rate and the anchor of a timebase. NULL as `rate` keeps the rate; NULL as `time` or `source_time` stands for
 * the present time. */
static OSStatus move(CMTimebaseRef timebase, const double *rate, const CMTime *time, const CMTime *source_time) {
    if (!timebase) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase) || (rate && !isfinite(*rate))
        || (time && nalu_time_get_kind(*time) != nalu_time_kind_numeric)
        || (source_time && nalu_time_get_kind(*source_time) != nalu_time_kind_numeric))
        return kCMTimebaseError_InvalidParameter;
    nalu_timebases_lock();
    const CMTime source_now = nalu_sync_get_time(timebase->source);
    const CMTime now = nalu_timebase_from_source(timebase, source_now);
    if (rate) timebase->rate = *rate;
    timebase->anchor = time ? *time : now;
    timebase->source_anchor = source_time ? *source_time : source_now;
    schedule_all(timebase);
    nalu_timebases_unlock();
    return noErr;
}

OSStatus CMTimebaseSetTime(CMTimebaseRef timebase, CMTime time) { return move(timebase, NULL, &time, NULL); }

OSStatus CMTimebaseSetAnchorTime(CMTimebaseRef timebase, CMTime timebaseTime, CMTime immediateSourceTime) {
    return move(timebase, NULL, &timebaseTime, &immediateSourceTime);
}

OSStatus CMTimebaseSetRate(CMTimebaseRef timebase, Float64 rate) { return move(timebase, &rate, NULL, NULL); }

OSStatus CMTimebaseSetRateAndAnchorTime(
    CMTimebaseRef timebase, Float64 rate, CMTime timebaseTime, CMTime immediateSourceTime) {
    return move(timebase, &rate, &timebaseTime, &immediateSourceTime);
}

OSStatus CMTimebaseNotificationBarrier(CMTimebaseRef timebase) {
    return timebase ? noErr : kCMTimebaseError_MissingRequiredParameter;
}
