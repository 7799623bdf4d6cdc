/* The struct of a CMTimebase, and the functions that CMTimebase.c, CMTimebaseTimer.c and CMSync.c share. */
#ifndef NALU_VT_TIMEBASE_H
#define NALU_VT_TIMEBASE_H

#include <CoreMedia/CMSync.h>
#include <nalu/timebase.h>

#include "../../Support/object.h"
#include "timers.h"

#include <pthread.h>
#include <stdbool.h>

struct OpaqueCMTimebase {
    CFRuntimeBase base;
    nalu_timebase *timebase;
    uint64_t observer; /* schedules the timers after each change */
    /* Protects the fields below. */
    pthread_mutex_t lock;
    CMClockOrTimebaseRef source; /* retained */
    nalu_timer *timers;
};

/* Returns libnalu's timebase behind a clock or timebase; NULL for NULL and for other types. */
nalu_timebase *nalu_sync_get_timebase(CMClockOrTimebaseRef object);

/* Returns true for a timebase; false for NULL and for other types. */
bool nalu_timebase_is(CFTypeRef object);

/* Sets an armed timer to the moment when the timebase's time will be the timer's fire time. Needs the lock. */
void nalu_timebase_schedule(CMTimebaseRef timebase, nalu_timer *timer);

#endif
