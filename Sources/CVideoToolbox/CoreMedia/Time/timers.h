/* The timers of a timebase: run loop timers and dispatch sources. */
#ifndef NALU_VT_TIMERS_H
#define NALU_VT_TIMERS_H

#include <CoreMedia/CMSync.h>

#include <stdbool.h>

typedef struct nalu_timer {
    struct nalu_timer *next;
    CFRunLoopTimerRef timer; /* NULL for a dispatch source */
    dispatch_source_t source;
    bool armed;       /* true if it is to fire, or may have fired */
    CMTime fire_time; /* on the timebase's timeline */
    bool scheduled;   /* true if it is set to a moment other than INT64_MAX */
    int64_t moment;   /* in nanoseconds of CLOCK_MONOTONIC */
} nalu_timer;

/* Returns the present time of the clock that `moment` counts: nanoseconds of CLOCK_MONOTONIC. */
int64_t nalu_timers_now(void);

/* Makes the timer fire at `moment`. INT64_MAX means that it does not fire. */
void nalu_timer_schedule(nalu_timer *timer, int64_t moment);

/* Finds the timer with the given run loop timer or dispatch source, exactly one of which is not NULL. Returns NULL if
 * there is none. */
nalu_timer **nalu_timers_find(nalu_timer **first, CFRunLoopTimerRef timer, dispatch_source_t source);

/* Stops the timer and frees it. Must not be called under a lock that a finalizer takes. */
void nalu_timer_release(nalu_timer *timer);

#endif
