/* The functions of CMTimebase for timers. */
#include "rational.h"
#include "timebase.h"

#include <stdlib.h>

static OSStatus add_timer(CMTimebaseRef timebase, CFRunLoopTimerRef timer, dispatch_source_t source) {
    if (!nalu_timebase_is(timebase)) return kCMTimebaseError_InvalidParameter;
    nalu_timer *added = calloc(1, sizeof *added);
    if (!added) return kCMTimebaseError_AllocationFailed;
    added->timer = timer;
    added->source = source;
    pthread_mutex_lock(&timebase->lock);
    const bool known = nalu_timers_find(&timebase->timers, timer, source) != NULL;
    if (!known) {
        if (timer) CFRetain(timer);
        else dispatch_retain(source);
        nalu_timer_schedule(added, INT64_MAX);
        added->next = timebase->timers;
        timebase->timers = added;
    }
    pthread_mutex_unlock(&timebase->lock);
    if (!known) return noErr;
    free(added);
    return kCMTimebaseError_InvalidParameter;
}

static OSStatus remove_timer(CMTimebaseRef timebase, CFRunLoopTimerRef timer, dispatch_source_t source) {
    if (!timebase || (!timer && !source)) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase)) return kCMTimebaseError_InvalidParameter;
    pthread_mutex_lock(&timebase->lock);
    nalu_timer **place = nalu_timers_find(&timebase->timers, timer, source), *removed = place ? *place : NULL;
    if (place) *place = removed->next;
    pthread_mutex_unlock(&timebase->lock);
    if (!removed) return kCMTimebaseError_InvalidParameter;
    nalu_timer_release(removed);
    return noErr;
}

/* Arms a timer. NULL as `time` makes it fire immediately. */
static OSStatus fire(CMTimebaseRef timebase, CFRunLoopTimerRef timer, dispatch_source_t source, const CMTime *time) {
    if (!timebase || (!timer && !source)) return kCMTimebaseError_MissingRequiredParameter;
    if (!nalu_timebase_is(timebase) || (time && nalu_time_get_kind(*time) == nalu_time_kind_invalid))
        return kCMTimebaseError_InvalidParameter;
    pthread_mutex_lock(&timebase->lock);
    nalu_timer **place = nalu_timers_find(&timebase->timers, timer, source);
    if (place) {
        (*place)->armed = true;
        if (time) (*place)->fire_time = *time;
        if (time) nalu_timebase_schedule(timebase, *place);
        else nalu_timer_schedule(*place, nalu_timers_now());
    }
    pthread_mutex_unlock(&timebase->lock);
    return place ? noErr : kCMTimebaseError_InvalidParameter;
}

OSStatus CMTimebaseAddTimer(CMTimebaseRef timebase, CFRunLoopTimerRef timer, CFRunLoopRef runloop) {
    if (!timebase || !timer || !runloop) return kCMTimebaseError_MissingRequiredParameter;
    if (CFRunLoopTimerDoesRepeat(timer) && CFRunLoopTimerGetInterval(timer) < kCMTimebaseVeryLongCFTimeInterval)
        return kCMTimebaseError_TimerIntervalTooShort;
    const OSStatus status = add_timer(timebase, timer, NULL);
    if (status == noErr) CFRunLoopAddTimer(runloop, timer, kCFRunLoopCommonModes);
    return status;
}

OSStatus CMTimebaseRemoveTimer(CMTimebaseRef timebase, CFRunLoopTimerRef timer) {
    return remove_timer(timebase, timer, NULL);
}

OSStatus CMTimebaseSetTimerNextFireTime(
    CMTimebaseRef timebase, CFRunLoopTimerRef timer, CMTime fireTime, uint32_t flags) {
    return flags ? kCMTimebaseError_InvalidParameter : fire(timebase, timer, NULL, &fireTime);
}

OSStatus CMTimebaseSetTimerToFireImmediately(CMTimebaseRef timebase, CFRunLoopTimerRef timer) {
    return fire(timebase, timer, NULL, NULL);
}

OSStatus CMTimebaseAddTimerDispatchSource(CMTimebaseRef timebase, dispatch_source_t timerSource) {
    if (!timebase || !timerSource) return kCMTimebaseError_MissingRequiredParameter;
    return add_timer(timebase, NULL, timerSource);
}

OSStatus CMTimebaseRemoveTimerDispatchSource(CMTimebaseRef timebase, dispatch_source_t timerSource) {
    return remove_timer(timebase, NULL, timerSource);
}

OSStatus CMTimebaseSetTimerDispatchSourceNextFireTime(
    CMTimebaseRef timebase, dispatch_source_t timerSource, CMTime fireTime, uint32_t flags) {
    return flags ? kCMTimebaseError_InvalidParameter : fire(timebase, NULL, timerSource, &fireTime);
}

OSStatus CMTimebaseSetTimerDispatchSourceToFireImmediately(CMTimebaseRef timebase, dispatch_source_t timerSource) {
    return fire(timebase, NULL, timerSource, NULL);
}
