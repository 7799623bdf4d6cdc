#include "timers.h"

#include <CoreVideo/CVHostTime.h>

#include <stdlib.h>

int64_t nalu_timers_now(void) { return (int64_t)CVGetCurrentHostTime(); }

void nalu_timer_schedule(nalu_timer *timer, int64_t moment) {
    int64_t delay = moment - nalu_timers_now();
    if (delay < 0) delay = 0;
    timer->scheduled = moment != INT64_MAX;
    timer->moment = moment;
    if (timer->source) {
        const dispatch_time_t start = timer->scheduled ? dispatch_time(DISPATCH_TIME_NOW, delay) : DISPATCH_TIME_FOREVER;
        dispatch_source_set_timer(timer->source, start, DISPATCH_TIME_FOREVER, 0);
    } else if (CFRunLoopTimerIsValid(timer->timer)) {
        const CFAbsoluteTime date = CFAbsoluteTimeGetCurrent() + (double)delay * 1e-9;
        CFRunLoopTimerSetNextFireDate(timer->timer, timer->scheduled ? date : kCMTimebaseFarFutureCFAbsoluteTime);
    }
}

nalu_timer **nalu_timers_find(nalu_timer **first, CFRunLoopTimerRef timer, dispatch_source_t source) {
    for (nalu_timer **place = first; *place; place = &(*place)->next)
        if (timer ? (*place)->timer == timer : (*place)->source == source) return place;
    return NULL;
}

void nalu_timer_release(nalu_timer *timer) {
    nalu_timer_schedule(timer, INT64_MAX);
    if (timer->source) dispatch_release(timer->source);
    else CFRelease(timer->timer);
    free(timer);
}
