/**
 * @file
 * The functions sysctl and sysctlbyname, if the C library does not have them. They always fail.
 *
 * Programs read a Mac's model and processors with them, and continue after a failure.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef NALU_SYS_SYSCTL_H
#define NALU_SYS_SYSCTL_H

#if __has_include_next(<sys/sysctl.h>)
#include_next <sys/sysctl.h>
#else

#include <errno.h>
#include <stddef.h>

#define CTL_KERN 1
#define CTL_HW 6
#define KERN_OSTYPE 1
#define KERN_OSRELEASE 2
#define HW_MACHINE 1
#define HW_MODEL 2
#define HW_NCPU 3
#define HW_MEMSIZE 24
#define HW_AVAILCPU 25

/** Returns -1 with errno ENOENT. */
static __inline__ int sysctlbyname(
    const char *name, void *old, size_t *oldSize, const void *value, size_t size) {
    (void)name, (void)old, (void)oldSize, (void)value, (void)size;
    errno = ENOENT;
    return -1;
}

static __inline__ int sysctl(
    int *name, unsigned count, void *old, size_t *oldSize, const void *value, size_t size) {
    (void)name, (void)count, (void)old, (void)oldSize, (void)value, (void)size;
    errno = ENOENT;
    return -1;
}

#endif
#endif
