/* The struct of a CMTimebase, and the functions that CMTimebase.c, CMTimebaseTimer.c and CMSync.c share. */
#ifndef NALU_VT_TIMEBASE_H
#define NALU_VT_TIMEBASE_H

#include <CoreMedia/CMSync.h>

#include "../../Support/object.h"
#include "timers.h"

#include <stdbool.h>

struct OpaqueCMTimebase {
    CFRuntimeBase base;
    CMClockOrTimebaseRef source; /* retained */
    double rate;
    /* The timebase's time is `anchor` when its source's time is `source_anchor`. */
    CMTime anchor;
    CMTime source_anchor;
    nalu_timer *timers;
    /* The list of timebases whose source is this one. They are not retained: each removes itself from the list. */
    CMTimebaseRef first_follower;
    CMTimebaseRef next_follower;
    CMTimebaseRef follower_on_path; /* valid only while a function walks from a timebase to its source and back */
};

/* One lock protects all timebases: they follow each other, and every call is short. */
void nalu_timebases_lock(void);
void nalu_timebases_unlock(void);

/* The functions below need the lock, except for the last two. */

/* Returns the source of a timebase; NULL for a clock. */
CMClockOrTimebaseRef nalu_sync_get_source(CMClockOrTimebaseRef object);
CMTime nalu_sync_get_time(CMClockOrTimebaseRef object);

/* Converts a time of `ancestor` to one of `object`, which follows `ancestor` or is the same. */
CMTime nalu_sync_convert_down(CMTime time, CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object);

/* Convert a time between a timebase and its source. nalu_timebase_to_source returns an invalid time if the rate is
 * 0. */
CMTime nalu_timebase_to_source(CMTimebaseRef timebase, CMTime time);
CMTime nalu_timebase_from_source(CMTimebaseRef timebase, CMTime source_time);

/* Returns the rate relative to the clock at the end of the chain of sources. */
double nalu_timebase_get_effective_rate(CMTimebaseRef timebase);

/* Sets an armed timer to the moment when the timebase's time will be the timer's fire time. */
void nalu_timebase_schedule(CMTimebaseRef timebase, nalu_timer *timer);

/* Returns true for a timebase; false for NULL and for other types. Needs no lock. */
bool nalu_timebase_is(CFTypeRef object);

/* Returns true for a clock or timebase; false for NULL and for other types. Needs no lock. */
bool nalu_sync_is_valid(CMClockOrTimebaseRef object);

#endif
