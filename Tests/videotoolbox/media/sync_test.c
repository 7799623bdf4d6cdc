/* CMClock, CMTimebase and CMSync: rates, anchors, sources, conversion, timers, and wrong arguments. The tests of moving
 * timebases compare with the host clock before and after a call, and wait for timers only. */
#include "check.h"

#include <CoreMedia/CoreMedia.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static double seconds(CMTime time) { return CMTimeGetSeconds(time); }

static double host(void) { return seconds(CMClockGetTime(CMClockGetHostTimeClock())); }

static CMTimebaseRef make(void) {
    CMTimebaseRef timebase = NULL;
    REQUIRE(CMTimebaseCreateWithSourceClock(NULL, CMClockGetHostTimeClock(), &timebase) == noErr);
    return timebase;
}

static CMTimebaseRef make_from(CMTimebaseRef source) {
    CMTimebaseRef timebase = NULL;
    REQUIRE(CMTimebaseCreateWithSourceTimebase(NULL, source, &timebase) == noErr);
    return timebase;
}

static void test_clock(void) {
    CMClockRef clock = CMClockGetHostTimeClock();
    CHECK(clock == CMClockGetHostTimeClock() && CFGetTypeID(clock) == CMClockGetTypeID());
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const CMTime now = CMClockGetTime(clock);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK_EQ(now.timescale, 1000000000);
    CHECK(now.value >= before.tv_sec * 1000000000LL + before.tv_nsec);
    CHECK(now.value <= after.tv_sec * 1000000000LL + after.tv_nsec);
    CHECK_EQ(CMClockMakeHostTimeFromSystemUnits(1234567890123).value, 1234567890123);
    CHECK_EQ(CMClockConvertHostTimeToSystemUnits(CMTimeMake(3, 2)), 1500000000);
    CHECK_EQ(CMClockConvertHostTimeToSystemUnits(CMTimeMake(-3, 2)), 0);
    CHECK_EQ(CMClockConvertHostTimeToSystemUnits(kCMTimeIndefinite), 0);
    CHECK(CMClockConvertHostTimeToSystemUnits(CMTimeMake(INT64_MAX, 1)) == UINT64_MAX);
    CHECK_NEAR(seconds(CMClockMakeHostTimeFromSystemUnits(UINT64_MAX)), 18446744073.709551615, 1e-5);
    CMTime a, b;
    CHECK_EQ(CMClockGetAnchorTime(clock, &a, &b), noErr);
    CHECK(CMTimeCompare(a, b) == 0 && !CMClockMightDrift(clock, clock));
    CMClockInvalidate(clock);
    CHECK(CMTIME_IS_VALID(CMClockGetTime(clock)));
}

static void test_rate_and_time(void) {
    CMTimebaseRef timebase = make();
    CHECK_EQ(CFGetTypeID(timebase), CMTimebaseGetTypeID());
    CHECK(CMTimeCompare(CMTimebaseGetTime(timebase), kCMTimeZero) == 0 && CMTimebaseGetRate(timebase) == 0);
    CHECK_EQ(CMTimebaseSetTime(timebase, CMTimeMake(1001, 30000)), noErr);
    /* The timebase does not move, and keeps value and timescale. */
    CHECK_EQ(CMTimebaseGetTime(timebase).value, 1001);
    CHECK_EQ(CMTimebaseGetTime(timebase).timescale, 30000);
    CHECK_EQ(CMTimebaseGetTimeWithTimeScale(timebase, 1000, kCMTimeRoundingMethod_RoundTowardZero).value, 33);

    CHECK_EQ(CMTimebaseSetTime(timebase, CMTimeMake(10, 1)), noErr);
    const double rates[] = {1, 2, -1, 0.5};
    double expected = 10;
    for (int i = 0; i < 4; i++) {
        const double start = host();
        CHECK_EQ(CMTimebaseSetRate(timebase, rates[i]), noErr);
        const double started = host();
        while (host() < started + 0.01) {}
        const double stop = host();
        CHECK_EQ(CMTimebaseSetRate(timebase, 0), noErr);
        const double stopped = host(), moved = seconds(CMTimebaseGetTime(timebase)) - expected;
        CHECK(moved / rates[i] >= stop - started - 1e-6 && moved / rates[i] <= stopped - start + 1e-6);
        expected += moved;
        CHECK(seconds(CMTimebaseGetTime(timebase)) == expected);
    }

    const CMTime now = CMClockGetTime(CMClockGetHostTimeClock());
    CHECK_EQ(CMTimebaseSetRateAndAnchorTime(timebase, 2, CMTimeMake(100, 1), now), noErr);
    CMTime time = kCMTimeInvalid;
    double rate = 0;
    CHECK_EQ(CMTimebaseGetTimeAndRate(timebase, &time, &rate), noErr);
    CHECK(rate == 2 && seconds(time) >= 100);
    const CMTime later = CMTimeAdd(now, CMTimeMake(5, 1));
    CHECK_NEAR(seconds(CMSyncConvertTime(later, CMClockGetHostTimeClock(), timebase)), 110, 1e-9);
    CHECK_EQ(CMTimeCompare(CMSyncConvertTime(CMTimeMake(110, 1), timebase, CMClockGetHostTimeClock()), later), 0);
    /* The anchor may lie in the past. */
    CHECK_EQ(CMTimebaseSetAnchorTime(timebase, kCMTimeZero, CMTimeSubtract(now, CMTimeMake(50, 1))), noErr);
    CHECK(seconds(CMTimebaseGetTime(timebase)) >= 100 && CMTimebaseGetRate(timebase) == 2);
    CFRelease(timebase);
}

static void test_chains(void) {
    CMTimebaseRef parent = make(), child = make_from(parent), other = make_from(parent);
    CMClockRef clock = CMClockGetHostTimeClock();
    CHECK_EQ(CMTimebaseSetRate(parent, 2), noErr);
    CHECK_EQ(CMTimebaseSetRate(child, 3), noErr);
    CHECK_EQ(CMTimebaseSetRate(other, 0.5), noErr);
    CHECK(CMTimebaseGetEffectiveRate(child) == 6 && CMTimebaseGetRate(child) == 3);
    CHECK(CMSyncGetRelativeRate(child, clock) == 6 && CMSyncGetRelativeRate(clock, other) == 1);
    CHECK_NEAR(CMSyncGetRelativeRate(child, other), 6, 1e-12);
    CHECK(CMSyncGetRelativeRate(child, child) == 1);
    CHECK(!CMSyncMightDrift(child, other) && !CMSyncMightDrift(child, clock));

    double rate = 0;
    CMTime of = kCMTimeInvalid, to = kCMTimeInvalid;
    CHECK_EQ(CMSyncGetRelativeRateAndAnchorTime(child, other, &rate, &of, &to), noErr);
    CHECK_NEAR(seconds(CMSyncConvertTime(to, other, child)), seconds(of), 1e-6);
    CHECK_NEAR(seconds(CMSyncConvertTime(of, child, other)), seconds(to), 1e-6);
    CHECK(CMTimeCompare(CMSyncConvertTime(of, child, child), of) == 0);

    /* While the rate of the parent is 0, the children keep their relation, and a conversion to the clock is not
     * possible. */
    CHECK_EQ(CMTimebaseSetRate(parent, 0), noErr);
    CHECK(CMTimebaseGetEffectiveRate(child) == 0 && CMSyncGetRelativeRate(child, clock) == 0);
    CHECK_NEAR(CMSyncGetRelativeRate(child, other), 6, 1e-12);
    CHECK_EQ(CMSyncGetRelativeRateAndAnchorTime(clock, child, &rate, &of, &to), kCMSyncError_RateMustBeNonZero);
    CHECK(CMTIME_IS_INVALID(CMSyncConvertTime(CMTimeMake(1, 1), child, clock)));
    const CMTime still = CMSyncGetTime(child);
    CHECK(CMTimeCompare(CMSyncGetTime(child), still) == 0 && CMTIME_IS_VALID(CMSyncGetTime(clock)));

    CMTimebaseRef source = CMTimebaseCopySourceTimebase(child);
    CMClockRef ultimate = CMTimebaseCopyUltimateSourceClock(child);
    CFTypeRef any = CMTimebaseCopySource(child);
    CHECK(source == parent && ultimate == clock && any == parent && CMTimebaseCopySourceClock(child) == NULL);
    CHECK(CMTimebaseGetMasterTimebase(child) == parent && CMTimebaseGetMaster(parent) == clock);
    CHECK(CMTimebaseGetMasterClock(parent) == clock && CMTimebaseGetUltimateMasterClock(child) == clock);
    CFRelease(source);
    CFRelease(ultimate);
    CFRelease(any);

    /* A cycle of sources is refused, and a change of source keeps the time. */
    CHECK_EQ(CMTimebaseSetSourceTimebase(parent, child), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetSourceTimebase(parent, parent), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetRate(child, 0), noErr);
    CHECK_EQ(CMTimebaseSetSourceClock(child, clock), noErr);
    CHECK(CMTimeCompare(CMTimebaseGetTime(child), still) == 0);
    CHECK_EQ(CMTimebaseSetSourceTimebase(parent, child), noErr);
    CFRelease(other);
    CFRelease(parent);
    CFRelease(child);
}

static _Atomic int fired;

static void count(CFRunLoopTimerRef timer, void *info) {
    (void)timer;
    atomic_fetch_add((_Atomic int *)info, 1);
}

static void run_until(int times, double limit) {
    const double end = host() + limit;
    while (atomic_load(&fired) < times && host() < end) CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.02, true);
}

static void test_run_loop_timers(void) {
    CFRunLoopTimerContext context = {.info = &fired};
    CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, kCMTimebaseFarFutureCFAbsoluteTime,
        kCMTimebaseVeryLongCFTimeInterval, 0, 0, count, &context);
    CFRunLoopTimerRef quick = CFRunLoopTimerCreate(NULL, kCMTimebaseFarFutureCFAbsoluteTime, 1, 0, 0, count, &context);
    CMTimebaseRef parent = make(), timebase = make_from(parent);
    CHECK_EQ(CMTimebaseAddTimer(timebase, quick, CFRunLoopGetCurrent()), kCMTimebaseError_TimerIntervalTooShort);
    CHECK_EQ(CMTimebaseSetTimerNextFireTime(timebase, timer, kCMTimeZero, 0), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseAddTimer(timebase, timer, CFRunLoopGetCurrent()), noErr);
    CHECK_EQ(CMTimebaseAddTimer(timebase, timer, CFRunLoopGetCurrent()), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetTimerNextFireTime(timebase, timer, CMTimeMake(1, 5), 0), noErr);
    /* At first the rate of the timebase is 0, then that of its source. */
    run_until(1, 0.1);
    CHECK_EQ(CMTimebaseSetRate(timebase, 2), noErr);
    run_until(1, 0.1);
    CHECK_EQ(fired, 0);
    const double start = host();
    CHECK_EQ(CMTimebaseSetRate(parent, 1), noErr);
    run_until(1, 30);
    CHECK_EQ(fired, 1);
    CHECK(host() - start >= 0.0999);
    /* The timer fires once, even if the timebase jumps back. */
    CHECK_EQ(CMTimebaseSetTime(timebase, kCMTimeZero), noErr);
    run_until(2, 0.3);
    CHECK_EQ(fired, 1);
    /* A jump past the fire time fires the timer, and so does a fire time in the past. */
    CHECK_EQ(CMTimebaseSetTimerNextFireTime(timebase, timer, CMTimeMake(1000, 1), 0), noErr);
    CHECK_EQ(CMTimebaseSetTime(timebase, CMTimeMake(1001, 1)), noErr);
    run_until(2, 30);
    CHECK_EQ(fired, 2);
    CHECK_EQ(CMTimebaseSetTimerNextFireTime(timebase, timer, CMTimeMake(1000, 1), 0), noErr);
    run_until(3, 30);
    CHECK_EQ(fired, 3);
    CHECK_EQ(CMTimebaseSetTimerToFireImmediately(timebase, timer), noErr);
    run_until(4, 30);
    CHECK_EQ(fired, 4);
    CHECK_EQ(CMTimebaseSetTimerNextFireTime(timebase, timer, CMTimeMake(2000, 1), 1), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseRemoveTimer(timebase, timer), noErr);
    CHECK_EQ(CMTimebaseRemoveTimer(timebase, timer), kCMTimebaseError_InvalidParameter);
    CFRunLoopTimerInvalidate(timer);
    CFRelease(timer);
    CFRelease(quick);
    CFRelease(timebase);
    CFRelease(parent);
}

static void test_dispatch_timers(void) {
    dispatch_queue_t queue = dispatch_queue_create("timers", NULL);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(0);
    dispatch_source_set_event_handler(source, ^{ dispatch_semaphore_signal(semaphore); });
    CMTimebaseRef timebase = make();
    CHECK_EQ(CMTimebaseAddTimerDispatchSource(timebase, source), noErr);
    dispatch_resume(source);
    CHECK_EQ(CMTimebaseSetTimerDispatchSourceNextFireTime(timebase, source, CMTimeMake(-1, 10), 0), noErr);
    CHECK(dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 50000000)) != 0);
    const double start = host();
    /* A timebase that runs backwards. */
    CHECK_EQ(CMTimebaseSetRate(timebase, -1), noErr);
    CHECK_EQ(dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 30000000000)), 0);
    CHECK(host() - start >= 0.0999);
    CHECK_EQ(CMTimebaseSetTimerDispatchSourceToFireImmediately(timebase, source), noErr);
    CHECK_EQ(dispatch_semaphore_wait(semaphore, dispatch_time(DISPATCH_TIME_NOW, 30000000000)), 0);
    CHECK_EQ(CMTimebaseRemoveTimerDispatchSource(timebase, source), noErr);
    CHECK_EQ(CMTimebaseSetTimerDispatchSourceToFireImmediately(timebase, source), kCMTimebaseError_InvalidParameter);
    CFRelease(timebase);
    dispatch_source_cancel(source);
    /* Waits for a handler that still runs. */
    dispatch_sync(queue, ^{});
    dispatch_release(source);
    dispatch_release(queue);
    dispatch_release(semaphore);
}

static void *move_often(void *timebase) {
    for (int i = 0; i < 20000; i++) {
        CMTimebaseSetRate(timebase, i % 3);
        CMTimebaseRef follower = make_from(timebase);
        CFRelease(follower);
    }
    return NULL;
}

static void test_threads(void) {
    CMTimebaseRef timebase = make();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, move_often, timebase) == 0);
    CMTime last = kCMTimeZero;
    for (int i = 0; i < 20000; i++) {
        const CMTime time = CMTimebaseGetTime(timebase);
        CHECK(CMTimeCompare(last, time) <= 0);
        last = time;
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CFRelease(timebase);
}

static void test_wrong_arguments(void) {
    CMClockRef no_clock = NULL;
    CMTimebaseRef none = NULL, out = NULL;
    CMTimebaseRef *volatile no_place = NULL;
    CFTypeRef nothing = NULL;
    CFRunLoopTimerRef no_timer = NULL;
    CMTime time;
    CHECK(CMTIME_IS_INVALID(CMClockGetTime(no_clock)) && !CMClockMightDrift(no_clock, no_clock));
    CHECK_EQ(CMClockGetAnchorTime(no_clock, &time, &time), kCMClockError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseCreateWithSourceClock(NULL, no_clock, &out), kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseCreateWithSourceClock(NULL, CMClockGetHostTimeClock(), no_place),
        kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseCreateWithSourceTimebase(NULL, none, &out), kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseCreateWithSourceTimebase(NULL, (CMTimebaseRef)CMClockGetHostTimeClock(), &out),
        kCMTimebaseError_InvalidParameter);
    CHECK(CMTIME_IS_INVALID(CMTimebaseGetTime(none)) && CMTimebaseGetRate(none) == 0);
    CHECK(CMTimebaseCopySource(none) == NULL && CMTimebaseGetEffectiveRate(none) == 0);
    CHECK_EQ(CMTimebaseSetRate(none, 1), kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseNotificationBarrier(none), kCMTimebaseError_MissingRequiredParameter);
    CHECK(CMTIME_IS_INVALID(CMSyncGetTime(nothing)) && !CMSyncMightDrift(nothing, nothing));
    CHECK(CMTIME_IS_INVALID(CMSyncConvertTime(kCMTimeZero, nothing, CMClockGetHostTimeClock())));
    CHECK(CMTIME_IS_INVALID(CMSyncGetTime(CFSTR("no clock"))));
    CHECK_EQ(CMSyncGetRelativeRateAndAnchorTime(nothing, nothing, NULL, NULL, NULL), kCMSyncError_MissingRequiredParameter);
    CHECK_EQ(CMSyncGetRelativeRateAndAnchorTime(CFSTR("a"), CFSTR("b"), NULL, NULL, NULL), kCMSyncError_InvalidParameter);
    CMTimebaseRef timebase = make();
    CHECK_EQ(CMTimebaseSetRate(timebase, NAN), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetRate(timebase, INFINITY), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetTime(timebase, kCMTimeInvalid), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetAnchorTime(timebase, kCMTimeZero, kCMTimeIndefinite), kCMTimebaseError_InvalidParameter);
    CHECK_EQ(CMTimebaseSetSourceClock(timebase, no_clock), kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseAddTimer(timebase, no_timer, CFRunLoopGetCurrent()), kCMTimebaseError_MissingRequiredParameter);
    CHECK_EQ(CMTimebaseSetTimerToFireImmediately(timebase, no_timer), kCMTimebaseError_MissingRequiredParameter);
    CHECK(CMTimeCompare(CMTimebaseGetTime(timebase), kCMTimeZero) == 0);
    CFRelease(timebase);
}

/* A long chain of timebases, in a thread with a small stack. */
static void *use_long_chain(void *unused) {
    enum { LENGTH = 1500 };
    CMTimebaseRef first = make(), last = (CMTimebaseRef)CFRetain(first);
    for (int i = 0; i < LENGTH; i++) {
        CMTimebaseRef next = make_from(last);
        CHECK_EQ(CMTimebaseSetRate(next, 1), noErr);
        CFRelease(last);
        last = next;
    }
    CHECK_EQ(CMTimebaseSetTime(first, CMTimeMake(7, 1)), noErr);
    CHECK_NEAR(seconds(CMTimebaseGetTime(last)), 7, 1e-9);
    CHECK_NEAR(seconds(CMSyncConvertTime(CMTimeMake(9, 1), first, last)), 9, 1e-9);
    CHECK_EQ(CMTimebaseSetRate(first, 1), noErr);
    CHECK_NEAR(CMTimebaseGetEffectiveRate(last), 1, 0);
    CHECK(seconds(CMTimebaseGetTime(last)) >= 7);
    CFRelease(last);
    CFRelease(first);
    return unused;
}

static void test_long_chain(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstacksize(&attributes, 128 * 1024) == 0);
    REQUIRE(pthread_create(&thread, &attributes, use_long_chain, NULL) == 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

int main(void) {
    RUN(test_clock);
    RUN(test_rate_and_time);
    RUN(test_chains);
    RUN(test_run_loop_timers);
    RUN(test_dispatch_timers);
    RUN(test_threads);
    RUN(test_long_chain);
    RUN(test_wrong_arguments);
    return check_result();
}
