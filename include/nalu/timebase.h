/**
 * @file
 * Timebases: timelines that a program starts, stops and sets, and timers on them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_TIMEBASE_H
#define NALU_TIMEBASE_H

#include "base.h"
#include "time.h"

NALU_BEGIN_DECLS

/**
 * A timeline: a clock, or a timebase that follows another one, its source, at a rate.
 * Reference-counted; the same as CoreMedia's CMClock and CMTimebase. Any thread may use it.
 *
 * The time of a timebase that follows a source is
 * anchor + rate * (the time of the source - the time that the source had at the anchor).
 *
 * @code{.c}
 * nalu_timebase_create(NULL, &playback);                  // follows the host clock, stopped at 0
 * nalu_timebase_set_time(playback, nalu_time_make(5, 1)); // seek
 * nalu_timebase_set_rate(playback, 1.0);                  // play
 * nalu_time now = nalu_timebase_get_time(playback);
 * @endcode
 *
 * Three kinds exist:
 * - the host clock, which is CLOCK_MONOTONIC and cannot be set
 * - manual clocks, whose time changes only by nalu_timebase_set_time: for tests, and for hardware
 *   that reports its own time
 * - timebases that follow a source.
 *
 * No function here waits, except where a Threading paragraph says so. A child process after fork
 * may use timebases of its parent, as copies. The parent's timers do not fire in the child, and the
 * parent's observers are not called there.
 */
typedef struct nalu_timebase nalu_timebase;

/** Returns the host clock. The caller does not release it; retaining it is allowed. */
NALU_API nalu_timebase *nalu_timebase_get_host_clock(void);

/**
 * Creates a manual clock.
 *
 * @param time its time, which must be numeric.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER time is not numeric
 * @par Ownership
 * clock_out receives one reference.
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_create_manual_clock(nalu_time time,
    nalu_timebase **clock_out);

/**
 * Creates a timebase at time 0 with rate 0.
 *
 * @param source the timebase that it follows; NULL for the host clock.
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Ownership
 * timebase_out receives one reference. The timebase retains its source.
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_create(nalu_timebase *source,
    nalu_timebase **timebase_out);

/** Adds a reference, and returns timebase. */
NALU_API nalu_timebase *nalu_timebase_retain(nalu_timebase *timebase);

/** Releases one reference. */
NALU_API void nalu_timebase_release(nalu_timebase *timebase);

/** Returns a new reference to the source; NULL for a clock. */
NALU_API nalu_timebase *nalu_timebase_copy_source(const nalu_timebase *timebase);

/**
 * Makes a timebase follow another source. It continues from its present time.
 *
 * @param source the new source; NULL for the host clock.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER timebase is a clock, or source follows timebase
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_set_source(nalu_timebase *timebase,
    nalu_timebase *source);

/** Returns the present time; the invalid time for a pointer that is not a timebase. */
NALU_API nalu_time nalu_timebase_get_time(const nalu_timebase *timebase);

/** Returns the rate relative to the source: 1.0 for a clock, 0.0 while the timebase is stopped. */
NALU_API double nalu_timebase_get_rate(const nalu_timebase *timebase);

/**
 * Stores the present time, and the rate relative to the source, at the same moment.
 *
 * @param time_out, rate_out receive the values. Each may be NULL.
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_get_time_and_rate(const nalu_timebase *timebase,
    nalu_time *time_out, double *rate_out);

/** Returns the rate relative to the clock at the end of the chain of sources. */
NALU_API double nalu_timebase_get_effective_rate(const nalu_timebase *timebase);

/**
 * Sets the present time. The rate stays.
 *
 * @param timebase a manual clock, or a timebase that follows a source.
 * @param time a numeric time.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER time is not numeric, or timebase is the host clock
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_set_time(nalu_timebase *timebase,
    nalu_time time);

/**
 * Sets the rate. The present time stays.
 *
 * @param timebase a timebase that follows a source.
 * @param rate a finite number: 1.0 for the speed of the source, 0.0 to stop, a negative number to
 *   run backwards.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER rate is not finite, or timebase is a clock
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_set_rate(nalu_timebase *timebase, double rate);

/**
 * Sets the time that a timebase has at a moment of its source. The rate stays.
 *
 * @param timebase a timebase that follows a source.
 * @param time the time of the timebase at the moment; numeric.
 * @param source_time the time of the source at the moment, which may lie in the past or future;
 *   numeric.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER a time is not numeric, or timebase is a clock
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_set_anchor_time(nalu_timebase *timebase,
    nalu_time time, nalu_time source_time);

/**
 * Sets the rate, and the time that a timebase has at a moment of its source.
 *
 * @param timebase a timebase that follows a source.
 * @param rate a finite number, as for nalu_timebase_set_rate.
 * @param time the time of the timebase at the moment; numeric.
 * @param source_time the time of the source at the moment, which may lie in the past or future;
 *   numeric.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_PARAMETER a time is not numeric, rate is not finite, or timebase is a clock
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_set_rate_and_anchor_time(nalu_timebase *timebase,
    double rate, nalu_time time, nalu_time source_time);

/**
 * Returns the time of `to` at the moment when `from` has `time`.
 *
 * Returns the invalid time if the two follow different clocks, or if a stopped timebase on the way
 * has no single moment for it.
 */
NALU_API nalu_time nalu_timebase_convert_time(nalu_time time, const nalu_timebase *from,
    const nalu_timebase *to);

/**
 * Stores how fast a timebase runs relative to another, and the times of both at the same moment.
 *
 * @param rate_out receives how many seconds `timebase` advances while reference advances one
 *   second. May be NULL.
 * @param time_out, reference_time_out receive the times. May be NULL.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_VALUE_NOT_AVAILABLE the two follow different clocks, or reference is stopped
 *   relative to the nearest timebase that both follow; nothing is stored
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_get_relation(const nalu_timebase *timebase,
    const nalu_timebase *reference, double *rate_out, nalu_time *time_out,
    nalu_time *reference_time_out);

/** Returns 1 if both follow the same clock, so that they cannot drift apart; else 0. */
NALU_API int32_t nalu_timebase_shares_clock(const nalu_timebase *timebase,
    const nalu_timebase *other);

/** Receives the refcon of an observer or a timer. */
typedef void (*nalu_timebase_callback)(void *refcon);

/**
 * Calls a function after each change of the timeline: a new time, rate or source of the timebase
 * itself or of one that it follows.
 *
 * @param callback called without a lock, in the thread that made the change, before the function
 *   that made it returns. Changes in several threads can call it at the same time. It may call
 *   every function of this header.
 * @param observer_out receives a number for nalu_timebase_remove_observer.
 * @return NALU_STATUS_OK or a common status (base.h).
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_add_observer(nalu_timebase *timebase,
    nalu_timebase_callback callback, void *refcon, uint64_t *observer_out);

/**
 * Removes an observer. Its callback does not run after the function has returned, except where the
 * function is called from the callback of an observer, this one or another: it does not wait there.
 * A number that is not an observer is ignored.
 *
 * @par Threading
 * Waits for the callback if it is running in another thread.
 */
NALU_API void nalu_timebase_remove_observer(nalu_timebase *timebase, uint64_t observer);

/**
 * Calls a function when a timebase reaches a time. Reference-counted. Each timer has a thread of
 * its own, which starts with the first nalu_timebase_timer_set_fire_time.
 */
typedef struct nalu_timebase_timer nalu_timebase_timer;

/**
 * Creates a timer.
 *
 * @param callback called in the timer's thread. It may call every function of this header, except
 *   that nalu_timebase_timer_invalidate for the same timer returns NALU_STATUS_REENTRANT.
 * @param destroy_refcon NULL, or called once with refcon after the last callback.
 * @return NALU_STATUS_OK or a common status (base.h).
 * @par Ownership
 * timer_out receives one reference. The timer retains the timebase. On failure destroy_refcon is
 * not called.
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_timer_create(nalu_timebase *timebase,
    nalu_timebase_callback callback, void *refcon, nalu_refcon_destructor destroy_refcon,
    nalu_timebase_timer **timer_out);

/** Adds a reference, and returns timer. */
NALU_API nalu_timebase_timer *nalu_timebase_timer_retain(nalu_timebase_timer *timer);

/**
 * Releases one reference. The last release invalidates the timer; called from the timer's callback,
 * it does not wait.
 */
NALU_API void nalu_timebase_timer_release(nalu_timebase_timer *timer);

/**
 * Makes a timer fire once, in place of an earlier time that has not been reached.
 *
 * It fires when the timebase has reached `time` in its direction, or at once if it is already there
 * or beyond. It does not fire while the timebase stands still.
 *
 * @param time the time; the invalid time makes the timer not fire.
 * @return NALU_STATUS_OK, a common status (base.h), or:
 * @retval NALU_STATUS_INVALID_SESSION the timer has been invalidated, or the process is a child, by
 *   fork, of the one that created it
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_timer_set_fire_time(nalu_timebase_timer *timer,
    nalu_time time);

/**
 * Ends a timer: no callback runs after the function has returned, and destroy_refcon has been
 * called.
 *
 * @return NALU_STATUS_OK, also for a timer that has been invalidated; a common status (base.h); or:
 * @retval NALU_STATUS_REENTRANT called from the timer's own callback
 * @retval NALU_STATUS_WOULD_BLOCK called from another callback of Nalu's (callback_wait.h)
 * @par Threading
 * Waits for the callback if it is running in another thread.
 */
NALU_API NALU_NODISCARD nalu_status nalu_timebase_timer_invalidate(nalu_timebase_timer *timer);

NALU_END_DECLS

#endif
