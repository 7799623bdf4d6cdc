/*
 * CoreVideo/CVHostTime.h - the machine's clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef CVHOSTTIME_H
#define CVHOSTTIME_H

#include <CoreVideo/CVBase.h>

/* The time of CLOCK_MONOTONIC, in ticks of a nanosecond. */
CV_EXPORT uint64_t CVGetCurrentHostTime(void);

/* Ticks per second: 1000000000.0. */
CV_EXPORT double CVGetHostClockFrequency(void);

/* The smallest difference between two times, in ticks. */
CV_EXPORT uint32_t CVGetHostClockMinimumTimeDelta(void);

#endif
