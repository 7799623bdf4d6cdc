/* The timers of a timebase: run loop timers and dispatch sources, with what either needs to be set. */
#ifndef NALU_VT_TIMERS_H
#define NALU_VT_TIMERS_H

#include <CoreMedia/CMSync.h>

#include <stdbool.h>

typedef struct nalu_timer {
    struct nalu_timer *next;
    CFRunLoopTimerRef timer; /* NULL: a dispatch source */
    dispatch_source_t source;
    bool armed;       /* is to fire, or may have fired */
    CMTime fire_time; /* in the timebase's time */
    bool scheduled;   /* is set to a moment, and not to INT64_MAX */
    int64_t moment;   /* of CLOCK_MONOTONIC, in nanoseconds */
} nalu_timer;

/* The clock of `moment`. */
int64_t nalu_timers_now(void);

/* Makes the timer fire at `moment`; INT64_MAX: not at all. */
void nalu_timer_schedule(nalu_timer *timer, int64_t moment);

/* The timer with one of both, which is not NULL; NULL where there is none. */
nalu_timer **nalu_timers_find(nalu_timer **first, CFRunLoopTimerRef timer, dispatch_source_t source);

/* Stops the timer and frees it. Must not be called under a lock that a finalizer takes. */
void nalu_timer_release(nalu_timer *timer);

#endif
