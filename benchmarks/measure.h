/* Calls that must succeed, and clocks. */
#ifndef NALU_BENCHMARKS_MEASURE_H
#define NALU_BENCHMARKS_MEASURE_H

#include <nalu/nalu.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void check(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "benchmark: %s failed: %s\n", what, nalu_last_error_message());
    exit(EXIT_FAILURE);
}
#define OK(call) check((call) == NALU_STATUS_OK, #call)

static inline double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
