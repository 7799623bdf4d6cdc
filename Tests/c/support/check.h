/*
 * Checks for the C and C++ tests. A failed check prints its place, its condition and the library's error
 * message, and the test continues. `return check_result();` at the end of main returns the exit status. Any
 * thread may call checks.
 *
 *     static void test_zero(void) { CHECK_EQ(nalu_time_zero().timescale, 1); }
 *     int main(void) { RUN(test_zero); return check_result(); }
 *
 * SIGALRM ends a test after ten minutes, or after NALU_TEST_LIMIT seconds. All waits in tests rely on this
 * limit.
 */
#ifndef NALU_TESTS_CHECK_H
#define NALU_TESTS_CHECK_H

#include "sanitized.h"

#include <inttypes.h>
#include <math.h>
#include <nalu/nalu.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int check_failures = 0;

/* Makes SIGALRM end the process even if the parent has ignored or blocked it. There is no handler, because some
 * tests inspect the handlers. */
__attribute__((constructor)) static void check_limit_time(void) {
    const char *asked = getenv("NALU_TEST_LIMIT");
    sigset_t set;
    signal(SIGALRM, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(asked && atoi(asked) > 0 ? (unsigned)atoi(asked) : 600);
}

static inline int check_that(int holds, const char *file, int line, const char *what, const char *values) {
    if (holds) return 1;
    __atomic_fetch_add(&check_failures, 1, __ATOMIC_SEQ_CST);
    fprintf(stderr, "%s:%d: failed: %s%s%s (last error: \"%s\")\n", file, line, what, values[0] ? ": " : "", values,
            nalu_last_error_message());
    return 0;
}

static inline int check_integers(long long a, long long b, const char *file, int line, const char *what) {
    char values[64];
    snprintf(values, sizeof values, "%lld, not %lld", a, b);
    return check_that(a == b, file, line, what, values);
}

static inline int check_statuses(nalu_status a, nalu_status b, const char *file, int line, const char *what) {
    char values[128];
    snprintf(values, sizeof values, "%s (%d), not %s (%d)", nalu_status_string(a), (int)a, nalu_status_string(b), (int)b);
    return check_that(a == b, file, line, what, values);
}

static inline int check_doubles(double a, double b, double tolerance, const char *file, int line, const char *what) {
    char values[128];
    snprintf(values, sizeof values, "%.17g, not %.17g", a, b);
    return check_that(fabs(a - b) <= tolerance, file, line, what, values);
}

static inline int check_strings(const char *a, const char *b, const char *file, int line, const char *what) {
    char values[512];
    snprintf(values, sizeof values, "\"%s\", not \"%s\"", a ? a : "(null)", b ? b : "(null)");
    return check_that(a && b && strcmp(a, b) == 0, file, line, what, values);
}

static inline int check_pointers(const void *a, const void *b, const char *file, int line, const char *what) {
    char values[64];
    snprintf(values, sizeof values, "%p, not %p", (void *)(uintptr_t)a, (void *)(uintptr_t)b);
    return check_that(a == b, file, line, what, values);
}

static inline int check_bytes(const void *a, const void *b, size_t size, const char *file, int line, const char *what) {
    const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
    char values[64] = "";
    size_t i = 0;
    while (i < size && p[i] == q[i]) i++;
    if (i < size) snprintf(values, sizeof values, "byte %zu is %02x, not %02x", i, p[i], q[i]);
    return check_that(i == size, file, line, what, values);
}

/* Checks a condition. */
#define CHECK(condition) check_that((condition) ? 1 : 0, __FILE__, __LINE__, #condition, "")
/* The following check that two integers, statuses, strings or pointers are equal, that two doubles differ by at
 * most a tolerance, and that bytes are equal. */
#define CHECK_EQ(a, b) check_integers((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STATUS(call, status) check_statuses((call), (status), __FILE__, __LINE__, #call)
#define CHECK_OK(call) check_statuses((call), NALU_STATUS_OK, __FILE__, __LINE__, #call)
#define CHECK_STR_EQ(a, b) check_strings((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_PTR_EQ(a, b) check_pointers((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_NEAR(a, b, tolerance) check_doubles((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_BYTES(a, b, size) check_bytes((a), (b), (size), __FILE__, __LINE__, #a " == " #b)

/* Like CHECK and CHECK_OK, but a failure ends the test at once. */
#define REQUIRE(condition) do { if (!CHECK(condition)) exit(EXIT_FAILURE); } while (0)
#define REQUIRE_OK(call) do { if (!CHECK_OK(call)) exit(EXIT_FAILURE); } while (0)

static inline void check_pause(void) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

/*
 * Waits for a condition and fails after five minutes. Only a condition that never becomes true reaches this
 * limit. So no test depends on the machine's speed or on a pause of the machine.
 */
#define WAIT_UNTIL(condition) do { \
        for (int waited = 0; waited < 300000 && !(condition); waited++) check_pause(); \
        CHECK(condition); \
    } while (0)

/* Runs one test function and prints its name. */
#define RUN(function) do { printf("- %s\n", #function); fflush(stdout); function(); } while (0)

/* Prints one line of summary and returns the exit status for main. */
static inline int check_result(void) {
    int failures = __atomic_load_n(&check_failures, __ATOMIC_SEQ_CST);
    printf("%s: %d failed checks\n", failures ? "FAILED" : "ok", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
