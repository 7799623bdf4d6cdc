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

#ifdef __cplusplus
extern "C" {
#endif

extern int check_failures; /* atomic */

/* Makes SIGALRM end the process even if the parent has ignored or blocked it. There is no handler, because some
 * tests inspect the handlers. Runs before main. */
void check_limit_time(void);

int check_that(int holds, const char *file, int line, const char *what, const char *values);
int check_integers(long long a, long long b, const char *file, int line, const char *what);
int check_statuses(nalu_status a, nalu_status b, const char *file, int line, const char *what);
int check_doubles(double a, double b, double tolerance, const char *file, int line, const char *what);
int check_strings(const char *a, const char *b, const char *file, int line, const char *what);
int check_pointers(const void *a, const void *b, const char *file, int line, const char *what);
int check_bytes(const void *a, const void *b, size_t size, const char *file, int line, const char *what);

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

void check_pause(void);

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
int check_result(void);

#ifdef __cplusplus
}
#endif

#endif
