/* Timebases: rates, anchors, sources, conversions, observers, timers, and wrong arguments. Manual clocks make the
 * results exact; the tests of the host clock compare with it before and after a call. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

static double seconds(nalu_time time) { return nalu_time_get_seconds(time); }

static double host(void) { return seconds(nalu_timebase_get_time(nalu_timebase_get_host_clock())); }

static nalu_timebase *make(nalu_timebase *source) {
    nalu_timebase *timebase = NULL;
    REQUIRE(nalu_timebase_create(source, &timebase) == NALU_STATUS_OK);
    return timebase;
}

static nalu_timebase *make_clock(void) {
    nalu_timebase *clock = NULL;
    REQUIRE(nalu_timebase_create_manual_clock(nalu_time_zero(), &clock) == NALU_STATUS_OK);
    return clock;
}

/* Gives a timer that must not fire the time to do so. */
static void pause_a_while(void) {
    for (int i = 0; i < 20; i++) check_pause();
}

static void set_clock(nalu_timebase *clock, int64_t milliseconds) {
    REQUIRE(nalu_timebase_set_time(clock, nalu_time_make(milliseconds, 1000)) == NALU_STATUS_OK);
}

static void host_clock_is_monotonic_and_cannot_be_set(void) {
    nalu_timebase *clock = nalu_timebase_get_host_clock();
    CHECK(clock == nalu_timebase_get_host_clock() && nalu_timebase_copy_source(clock) == NULL);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const nalu_time now = nalu_timebase_get_time(clock);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK_EQ(now.timescale, 1000000000);
    CHECK(now.value >= before.tv_sec * 1000000000LL + before.tv_nsec);
    CHECK(now.value <= after.tv_sec * 1000000000LL + after.tv_nsec);
    CHECK(nalu_timebase_get_rate(clock) == 1 && nalu_timebase_get_effective_rate(clock) == 1);
    nalu_timebase_release(nalu_timebase_retain(clock));
    CHECK_STATUS(nalu_timebase_set_time(clock, nalu_time_zero()), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_set_rate(clock, 2), NALU_STATUS_PARAMETER);
    CHECK(strstr(nalu_last_error_message(), "create a timebase that follows it"));

    nalu_timebase *timebase = make(NULL);
    const double start = host();
    CHECK_OK(nalu_timebase_set_rate(timebase, 2));
    pause_a_while();
    const double passed = seconds(nalu_timebase_get_time(timebase)), end = host();
    CHECK(passed >= 2 * 0.02 - 1e-6 && passed <= 2 * (end - start) + 1e-6);
    nalu_timebase *source = nalu_timebase_copy_source(timebase);
    CHECK(source == clock);
    nalu_timebase_release(source);
    nalu_timebase_release(timebase);
}

static void rates_and_anchors_decide_the_time(void) {
    nalu_timebase *clock = make_clock(), *timebase = make(clock);
    /* A stopped timebase keeps value and timescale. */
    CHECK_OK(nalu_timebase_set_time(timebase, nalu_time_make(1001, 30000)));
    CHECK(nalu_timebase_get_time(timebase).value == 1001 && nalu_timebase_get_time(timebase).timescale == 30000);
    set_clock(clock, 5000);
    CHECK_EQ(nalu_timebase_get_time(timebase).value, 1001);

    const double rates[] = {1, 2, -1, 0.5, 1.0 / 3};
    double expected = 10;
    int64_t now = 5000;
    CHECK_OK(nalu_timebase_set_time(timebase, nalu_time_make(10, 1)));
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        CHECK_OK(nalu_timebase_set_rate(timebase, rates[i]));
        CHECK(nalu_timebase_get_rate(timebase) == rates[i]);
        set_clock(clock, now += 1234);
        expected += 1.234 * rates[i];
        CHECK_NEAR(seconds(nalu_timebase_get_time(timebase)), expected, 2e-9);
    }
    /* A manual clock may also go back. */
    CHECK_OK(nalu_timebase_set_rate_and_anchor_time(timebase, 2, nalu_time_make(100, 1), nalu_time_make(50, 1)));
    set_clock(clock, 40000);
    CHECK(seconds(nalu_timebase_get_time(timebase)) == 80);
    CHECK_OK(nalu_timebase_set_anchor_time(timebase, nalu_time_make(7, 1), nalu_time_make(41, 1)));
    CHECK(seconds(nalu_timebase_get_time(timebase)) == 5 && nalu_timebase_get_rate(timebase) == 2);
    CHECK_STATUS(nalu_timebase_set_rate(clock, 1), NALU_STATUS_PARAMETER);
    CHECK(strstr(nalu_last_error_message(), "manual clock"));
    nalu_timebase_release(timebase);
    nalu_timebase_release(clock);
}

static void timebases_follow_each_other(void) {
    nalu_timebase *clock = make_clock(), *parent = make(clock), *child = make(parent), *other = make(parent);
    CHECK_OK(nalu_timebase_set_rate(parent, 2));
    CHECK_OK(nalu_timebase_set_rate(child, 3));
    CHECK_OK(nalu_timebase_set_rate(other, 0.5));
    set_clock(clock, 1500);
    nalu_time both;
    double both_rate = 0;
    CHECK_OK(nalu_timebase_get_time_and_rate(child, &both, &both_rate));
    CHECK_OK(nalu_timebase_get_time_and_rate(child, NULL, NULL));
    CHECK(seconds(both) == 9 && both_rate == 3);
    CHECK(seconds(nalu_timebase_get_time(child)) == 9 && seconds(nalu_timebase_get_time(other)) == 1.5);
    CHECK(nalu_timebase_get_effective_rate(child) == 6 && nalu_timebase_get_rate(child) == 3);
    CHECK(seconds(nalu_timebase_convert_time(nalu_time_make(3, 1), other, child)) == 18);
    CHECK(seconds(nalu_timebase_convert_time(nalu_time_make(18, 1), child, clock)) == 3);
    CHECK(seconds(nalu_timebase_convert_time(nalu_time_make(3, 1), clock, child)) == 18);

    double rate = 0;
    nalu_time time, reference_time;
    CHECK_OK(nalu_timebase_get_relation(child, other, &rate, &time, &reference_time));
    CHECK(rate == 6 && seconds(time) == 9 && seconds(reference_time) == 1.5);
    CHECK_OK(nalu_timebase_get_relation(clock, other, &rate, NULL, NULL));
    CHECK(rate == 1);
    CHECK(nalu_timebase_shares_clock(child, other) && nalu_timebase_shares_clock(child, clock));
    CHECK(!nalu_timebase_shares_clock(child, nalu_timebase_get_host_clock()));
    CHECK_STATUS(nalu_timebase_get_relation(child, nalu_timebase_get_host_clock(), &rate, NULL, NULL), NALU_STATUS_VALUE_NOT_AVAILABLE);

    CHECK_OK(nalu_timebase_set_rate(parent, 0));
    CHECK(nalu_timebase_get_effective_rate(child) == 0);
    CHECK_STATUS(nalu_timebase_get_relation(clock, child, &rate, NULL, NULL), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_OK(nalu_timebase_get_relation(child, other, &rate, NULL, NULL));
    CHECK(rate == 6);
    CHECK_EQ(nalu_timebase_convert_time(nalu_time_make(1, 1), child, clock).flags & NALU_TIME_VALID, 0);

    /* A cycle is refused, and a change of source keeps the time. */
    CHECK_STATUS(nalu_timebase_set_source(parent, child), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_set_source(parent, parent), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_set_source(clock, parent), NALU_STATUS_PARAMETER);
    const double still = seconds(nalu_timebase_get_time(child));
    CHECK_OK(nalu_timebase_set_rate(child, 0));
    CHECK_OK(nalu_timebase_set_source(child, NULL));
    CHECK(seconds(nalu_timebase_get_time(child)) == still);
    CHECK_OK(nalu_timebase_set_source(parent, child));
    nalu_timebase_release(other);
    nalu_timebase_release(parent);
    nalu_timebase_release(child);
    nalu_timebase_release(clock);
}

/* The end of a long chain overflows no stack. */
static void long_chain_of_sources_ends_without_recursion(void) {
    nalu_timebase *last = make(NULL);
    for (int i = 0; i < 70000; i++) {
        nalu_timebase *next = make(last);
        nalu_timebase_release(last);
        last = next;
    }
    CHECK(nalu_timebase_get_effective_rate(last) == 0);
    CHECK_OK(nalu_timebase_set_rate(last, 1));
    nalu_timebase_release(last);
}

typedef struct {
    nalu_timebase *timebase;
    uint64_t observer;
    nalu_timebase_timer *timer;
    _Atomic int calls;
    _Atomic int ends;
    nalu_status status;
    double time;
} counter;

static void count(void *refcon) {
    counter *counter = refcon;
    atomic_fetch_add(&counter->calls, 1);
}

static void count_end(void *refcon) {
    counter *counter = refcon;
    atomic_fetch_add(&counter->ends, 1);
}

static void remove_itself(void *refcon) {
    counter *counter = refcon;
    atomic_fetch_add(&counter->calls, 1);
    nalu_timebase_remove_observer(counter->timebase, counter->observer);
}

static void observers_are_called_after_each_change(void) {
    nalu_timebase *clock = make_clock(), *timebase = make(clock), *follower = make(timebase);
    counter first = {.timebase = follower}, second = {.timebase = follower};
    CHECK_OK(nalu_timebase_add_observer(follower, count, &first, &first.observer));
    CHECK_OK(nalu_timebase_add_observer(follower, remove_itself, &second, &second.observer));
    CHECK_OK(nalu_timebase_set_rate(follower, 1));
    CHECK_OK(nalu_timebase_set_rate(timebase, 1));
    set_clock(clock, 1);
    CHECK_OK(nalu_timebase_set_source(timebase, NULL));
    CHECK(first.calls == 4 && second.calls == 1);
    set_clock(clock, 2);
    CHECK_EQ(first.calls, 4);
    nalu_timebase_remove_observer(follower, first.observer);
    nalu_timebase_remove_observer(follower, 4711);
    CHECK_OK(nalu_timebase_set_time(timebase, nalu_time_zero()));
    CHECK_EQ(first.calls, 4);
    CHECK_STATUS(nalu_timebase_set_rate(timebase, NAN), NALU_STATUS_PARAMETER);
    nalu_timebase_release(follower);
    nalu_timebase_release(timebase);
    nalu_timebase_release(clock);
}

static void wait_for(_Atomic int *number, int expected) {
    WAIT_UNTIL(atomic_load(number) >= expected);
    CHECK_EQ(atomic_load(number), expected);
}

static void timer_fires_once_when_its_time_is_reached(void) {
    nalu_timebase *clock = make_clock(), *timebase = make(clock);
    counter counter = {0};
    CHECK_OK(nalu_timebase_timer_create(timebase, count, &counter, count_end, &counter.timer));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_make(2, 1)));
    set_clock(clock, 5000); /* stopped */
    CHECK_OK(nalu_timebase_set_rate(timebase, 1));
    set_clock(clock, 6999);
    pause_a_while();
    CHECK_EQ(atomic_load(&counter.calls), 0);
    set_clock(clock, 7000);
    wait_for(&counter.calls, 1);
    /* It fires once. */
    set_clock(clock, 8000);
    /* Backwards, a time is reached from above; a time that has passed is reached at once. */
    CHECK_OK(nalu_timebase_set_rate(timebase, -2));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_make(1, 1)));
    set_clock(clock, 8999);
    pause_a_while();
    CHECK_EQ(atomic_load(&counter.calls), 1);
    set_clock(clock, 9000);
    wait_for(&counter.calls, 2);
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_make(10, 1)));
    wait_for(&counter.calls, 3);
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_make(-100, 1)));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_invalid()));
    set_clock(clock, 900000);
    pause_a_while();
    CHECK_EQ(atomic_load(&counter.calls), 3);
    CHECK_OK(nalu_timebase_timer_invalidate(counter.timer));
    CHECK_EQ(atomic_load(&counter.ends), 1);
    CHECK_OK(nalu_timebase_timer_invalidate(counter.timer));
    CHECK_STATUS(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_zero()), NALU_STATUS_INVALID_SESSION);
    nalu_timebase_timer_release(counter.timer);
    CHECK_EQ(atomic_load(&counter.ends), 1);
    nalu_timebase_release(timebase);
    nalu_timebase_release(clock);
}

static void store_time(void *refcon) {
    counter *counter = refcon;
    counter->time = seconds(nalu_timebase_get_time(counter->timebase));
    counter->status = nalu_timebase_timer_invalidate(counter->timer);
    atomic_fetch_add(&counter->calls, 1);
}

static void timer_fires_not_before_its_time(void) {
    nalu_timebase *timebase = make(NULL);
    counter counter = {.timebase = timebase};
    CHECK_OK(nalu_timebase_set_rate(timebase, 2));
    CHECK_OK(nalu_timebase_timer_create(timebase, store_time, &counter, count_end, &counter.timer));
    /* The timer has no thread yet. */
    nalu_timebase_timer *unused = NULL;
    CHECK_OK(nalu_timebase_timer_create(timebase, count, &counter, count_end, &unused));
    nalu_timebase_timer_release(unused);
    CHECK_EQ(atomic_load(&counter.ends), 1);
    const nalu_time due = nalu_time_add(nalu_timebase_get_time(timebase), nalu_time_make(1, 25));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, due));
    wait_for(&counter.calls, 1);
    CHECK(counter.time >= seconds(due));
    CHECK_STATUS(counter.status, NALU_STATUS_REENTRANT);
    /* Far times do not fire, and cost nothing. */
    const nalu_time far[] = {nalu_time_make(INT64_MAX, 1), nalu_time_indefinite(), nalu_time_make(INT64_MAX, INT32_MAX),
        {0, 0, NALU_TIME_VALID | NALU_TIME_POSITIVE_INFINITY, 0}};
    for (int i = 0; i < 4; i++)
        CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, far[i]));
    pause_a_while();
    CHECK_EQ(atomic_load(&counter.calls), 1);
    nalu_timebase_timer_release(nalu_timebase_timer_retain(counter.timer));
    nalu_timebase_timer_release(counter.timer);
    CHECK_EQ(atomic_load(&counter.ends), 2);
    nalu_timebase_release(timebase);
}

static void release_itself(void *refcon) {
    counter *counter = refcon;
    nalu_timebase_timer_release(counter->timer);
    atomic_fetch_add(&counter->calls, 1);
}

static void timer_may_be_released_in_its_callback(void) {
    nalu_timebase *timebase = make(NULL);
    counter counter = {.timebase = timebase};
    CHECK_OK(nalu_timebase_set_rate(timebase, 1));
    CHECK_OK(nalu_timebase_timer_create(timebase, release_itself, &counter, count_end, &counter.timer));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_zero()));
    wait_for(&counter.calls, 1);
    wait_for(&counter.ends, 1);
    nalu_timebase_release(timebase);
}

static void wrong_arguments_are_refused(void) {
    nalu_timebase *timebase = make(NULL), *out = timebase;
    nalu_timebase_timer *timer = (nalu_timebase_timer *)timebase;
    uint64_t observer;
    CHECK_STATUS(nalu_timebase_create(NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_create_manual_clock(nalu_time_indefinite(), &out), NALU_STATUS_PARAMETER);
    CHECK(out == NULL && strstr(nalu_last_error_message(), "time is "));
    CHECK_STATUS(nalu_timebase_set_time(timebase, nalu_time_invalid()), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_set_rate(timebase, INFINITY), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_set_anchor_time(timebase, nalu_time_zero(), nalu_time_invalid()), NALU_STATUS_PARAMETER);
    CHECK(strstr(nalu_last_error_message(), "source_time"));
    CHECK_STATUS(nalu_timebase_set_time(NULL, nalu_time_zero()), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_add_observer(timebase, NULL, NULL, &observer), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_timer_create(timebase, NULL, NULL, NULL, &timer), NALU_STATUS_PARAMETER);
    CHECK(timer == NULL);
    CHECK_STATUS(nalu_timebase_timer_set_fire_time((nalu_timebase_timer *)timebase, nalu_time_zero()), NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_timebase_timer_set_fire_time(NULL, nalu_time_zero()), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_timebase_timer_invalidate(NULL), NALU_STATUS_PARAMETER);
    CHECK_EQ(nalu_timebase_get_time(NULL).flags, 0);
    CHECK(nalu_timebase_get_rate(NULL) == 0 && nalu_timebase_copy_source(NULL) == NULL);
    CHECK(nalu_timebase_shares_clock(timebase, NULL) == 0);
    nalu_timebase_remove_observer(NULL, 1);
    nalu_timebase_release(NULL);
    nalu_timebase_timer_release(NULL);
    nalu_timebase_release(timebase);
}

/* Times beyond any clock's reach give infinite or invalid times, never a trap. */
static void extreme_numbers_do_not_trap(void) {
    nalu_timebase *clock = make_clock(), *timebase = make(clock);
    const double rates[] = {1e300, -1e300, 1e-300, 5e-324, 0x1p-1000, -1, 1};
    const nalu_time times[] = {nalu_time_make(INT64_MAX, 1), nalu_time_make(INT64_MIN, 1),
        nalu_time_make(INT64_MIN, INT32_MAX), nalu_time_make(1, INT32_MAX)};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int j = 0; j < 4; j++) {
            CHECK_OK(nalu_timebase_set_rate_and_anchor_time(timebase, rates[i], times[j], times[3 - j]));
            (void)nalu_timebase_get_time(timebase);
            (void)nalu_timebase_convert_time(times[j], timebase, clock);
            (void)nalu_timebase_convert_time(nalu_time_indefinite(), timebase, clock);
            CHECK_OK(nalu_timebase_set_time(clock, times[j]));
        }
    nalu_timebase_release(timebase);
    nalu_timebase_release(clock);
}

static _Atomic int stopped;
static nalu_timebase *shared;

static void *change(void *unused) {
    (void)unused;
    for (int i = 0; !atomic_load(&stopped); i++) {
        (void)nalu_timebase_set_rate(shared, i % 3 - 1);
        (void)nalu_timebase_set_time(shared, nalu_time_make(i, 1000));
        nalu_timebase *follower = make(shared);
        (void)nalu_timebase_set_rate(follower, 1);
        nalu_timebase_release(follower);
    }
    return NULL;
}

static void any_thread_may_use_a_timebase(void) {
    shared = make(NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, change, NULL) == 0);
    for (int i = 0; i < 200; i++) {
        counter counter = {.timebase = shared};
        CHECK_OK(nalu_timebase_timer_create(shared, count, &counter, count_end, &counter.timer));
        CHECK_OK(nalu_timebase_add_observer(shared, count, &counter, &counter.observer));
        CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_zero()));
        if (i % 2) CHECK_OK(nalu_timebase_timer_invalidate(counter.timer));
        nalu_timebase_timer_release(counter.timer);
        CHECK_EQ(atomic_load(&counter.ends), 1);
        nalu_timebase_remove_observer(shared, counter.observer);
    }
    atomic_store(&stopped, 1);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    nalu_timebase_release(shared);
}

static void child_of_fork_cannot_use_a_timer(void) {
    nalu_timebase *timebase = make(NULL);
    counter counter = {.timebase = timebase};
    CHECK_OK(nalu_timebase_timer_create(timebase, count, &counter, count_end, &counter.timer));
    CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_zero()));
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(20);
        const int refused = nalu_timebase_timer_set_fire_time(counter.timer, nalu_time_zero()) == NALU_STATUS_INVALID_SESSION
            && strstr(nalu_last_error_message(), "after fork") != NULL;
        nalu_timebase_timer_release(counter.timer);
        _exit(refused ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    nalu_timebase_timer_release(counter.timer);
    nalu_timebase_release(timebase);
}

typedef struct {
    nalu_timebase *timebase;
    uint64_t others;
    _Atomic int *meeting;
    _Atomic int calls;
} remover;

/* Waits until both callbacks run, and then removes the observer that runs in the other thread. */
static void remove_other(void *refcon) {
    remover *remover = refcon;
    if (atomic_fetch_add(&remover->calls, 1) > 0) return;
    atomic_fetch_add(remover->meeting, 1);
    WAIT_UNTIL(atomic_load(remover->meeting) == 2);
    nalu_timebase_remove_observer(remover->timebase, remover->others);
}

static void *run(void *timebase) {
    CHECK_OK(nalu_timebase_set_rate(timebase, 1));
    return NULL;
}

static void observers_may_remove_each_other(void) {
    nalu_timebase *first = make(NULL), *second = make(NULL);
    _Atomic int meeting = 0;
    remover one = {.timebase = second, .meeting = &meeting}, two = {.timebase = first, .meeting = &meeting};
    CHECK_OK(nalu_timebase_add_observer(first, remove_other, &one, &two.others));
    CHECK_OK(nalu_timebase_add_observer(second, remove_other, &two, &one.others));
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, first) == 0);
    run(second);
    pthread_join(thread, NULL);
    CHECK_OK(nalu_timebase_set_rate(first, 2));
    CHECK_OK(nalu_timebase_set_rate(second, 2));
    CHECK(one.calls == 1 && two.calls == 1);
    nalu_timebase_release(first);
    nalu_timebase_release(second);
}

/* The lock that timebases share is free in a child, whatever the parent's threads do. ThreadSanitizer does not support
 * fork while other threads run: each use of a static of Swift then acquires a lock of the Swift runtime. */
static void child_of_fork_can_use_timebases(void) {
    if (IS_SANITIZED && !IS_ADDRESS_SANITIZED) return;
    atomic_store(&stopped, 0);
    shared = make(NULL);
    counter counter = {.timebase = shared};
    CHECK_OK(nalu_timebase_add_observer(shared, count, &counter, &counter.observer));
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, change, NULL) == 0);
    for (int i = 0; i < 30; i++) {
        const pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(20);
            const int calls = atomic_load(&counter.calls);
            const int holds = nalu_timebase_set_time(shared, nalu_time_make(7, 1)) == NALU_STATUS_OK
                && nalu_timebase_set_rate(shared, 0) == NALU_STATUS_OK && atomic_load(&counter.calls) == calls;
            nalu_timebase_remove_observer(shared, counter.observer);
            _exit(holds ? 0 : 1);
        }
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    atomic_store(&stopped, 1);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    nalu_timebase_remove_observer(shared, counter.observer);
    nalu_timebase_release(shared);
}

static double processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A thread that looked at the timebase again and again would use the whole pause. */
static void far_fire_times_cost_nothing(void) {
    nalu_timebase *timebase = make(NULL);
    counter counter = {0};
    CHECK_OK(nalu_timebase_set_rate(timebase, 1));
    CHECK_OK(nalu_timebase_timer_create(timebase, count, &counter, count_end, &counter.timer));
    const nalu_time far[] = {nalu_time_make(INT64_MAX, 1), nalu_time_make(INT64_MAX / 2, 1000), nalu_time_indefinite()};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(nalu_timebase_timer_set_fire_time(counter.timer, far[i]));
        const double before = processor_seconds();
        for (int j = 0; j < 10; j++) pause_a_while();
        CHECK(processor_seconds() - before < 0.15);
    }
    CHECK_EQ(atomic_load(&counter.calls), 0);
    nalu_timebase_timer_release(counter.timer);
    nalu_timebase_release(timebase);
}

int main(void) {
    RUN(host_clock_is_monotonic_and_cannot_be_set);
    RUN(rates_and_anchors_decide_the_time);
    RUN(timebases_follow_each_other);
    RUN(long_chain_of_sources_ends_without_recursion);
    RUN(observers_are_called_after_each_change);
    RUN(timer_fires_once_when_its_time_is_reached);
    RUN(timer_fires_not_before_its_time);
    RUN(timer_may_be_released_in_its_callback);
    RUN(wrong_arguments_are_refused);
    RUN(extreme_numbers_do_not_trap);
    RUN(child_of_fork_cannot_use_a_timer);
    RUN(any_thread_may_use_a_timebase);
    RUN(observers_may_remove_each_other);
    RUN(child_of_fork_can_use_timebases);
    RUN(far_fire_times_cost_nothing);
    return check_result();
}
