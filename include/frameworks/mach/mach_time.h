/**
 * @file
 * The machine's clock in ticks of a nanosecond, like CVGetCurrentHostTime.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_MACH_MACH_TIME_H
#define NALU_MACH_MACH_TIME_H

#include <stdint.h>

typedef int kern_return_t;
#define KERN_SUCCESS 0

/** The length of a tick: numer / denom nanoseconds. */
struct mach_timebase_info {
    uint32_t numer;
    uint32_t denom;
};
typedef struct mach_timebase_info *mach_timebase_info_t;
typedef struct mach_timebase_info mach_timebase_info_data_t;

/** clock_gettime under another name, because strict modes of the compiler hide its declaration. */
struct nalu_timespec {
    long seconds;
    long nanoseconds;
};
#ifdef __cplusplus
extern "C"
#else
extern
#endif
    int nalu_clock_gettime(int, struct nalu_timespec *) __asm__("clock_gettime");

/** Sets numer and denom to 1. Returns KERN_SUCCESS. */
static __inline__ kern_return_t mach_timebase_info(mach_timebase_info_t info) {
    info->numer = info->denom = 1;
    return KERN_SUCCESS;
}

static __inline__ uint64_t nalu_mach_clock(int number) {
    struct nalu_timespec now = {0, 0};
    (void)nalu_clock_gettime(number, &now);
    return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

/** Returns the time of CLOCK_MONOTONIC, which stops while the machine sleeps. */
static __inline__ uint64_t mach_absolute_time(void) {
    return nalu_mach_clock(1);
}

/** Returns the time of CLOCK_BOOTTIME, which does not stop. */
static __inline__ uint64_t mach_continuous_time(void) {
    return nalu_mach_clock(7);
}

#endif
