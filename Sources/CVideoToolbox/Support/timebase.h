/* What CMTimebase.c, CMTimebaseTimer.c and CMSync.c share. */
#ifndef NALU_VT_TIMEBASE_H
#define NALU_VT_TIMEBASE_H

#include <CoreMedia/CMSync.h>

#include "object.h"
#include "timers.h"

#include <stdbool.h>

struct OpaqueCMTimebase {
    CFRuntimeBase base;
    CMClockOrTimebaseRef source; /* retained */
    double rate;
    /* The timebase has `anchor` when its source has `source_anchor`. */
    CMTime anchor;
    CMTime source_anchor;
    nalu_timer *timers;
    /* Timebases that have this one as their source, not retained: they take themselves off the list. */
    CMTimebaseRef first_follower;
    CMTimebaseRef next_follower;
    CMTimebaseRef follower_on_path; /* while a function goes from a timebase to a source and back; else of no meaning */
};

/* One lock for all timebases: they follow each other, and every call is short. */
void nalu_timebases_lock(void);
void nalu_timebases_unlock(void);

/* The rest is called with the lock held. */

/* The source of a timebase; NULL for a clock. */
CMClockOrTimebaseRef nalu_sync_get_source(CMClockOrTimebaseRef object);
CMTime nalu_sync_get_time(CMClockOrTimebaseRef object);

/* A time of `ancestor` as one of `object`, which follows it or is the same. */
CMTime nalu_sync_convert_down(CMTime time, CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object);

/* Between a timebase and its source. Invalid for a rate of 0 in the first. */
CMTime nalu_timebase_to_source(CMTimebaseRef timebase, CMTime time);
CMTime nalu_timebase_from_source(CMTimebaseRef timebase, CMTime source_time);

/* Relative to the clock. */
double nalu_timebase_get_effective_rate(CMTimebaseRef timebase);

/* Sets an armed timer to the moment when the timebase will have its time. */
void nalu_timebase_schedule(CMTimebaseRef timebase, nalu_timer *timer);

/* False for NULL, and for what is no timebase; no lock is needed here and below. */
bool nalu_timebase_is(CFTypeRef object);

/* False for NULL, and for what is neither a clock nor a timebase. */
bool nalu_sync_is_valid(CMClockOrTimebaseRef object);

#endif
