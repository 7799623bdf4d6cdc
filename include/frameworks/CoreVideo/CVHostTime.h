/**
 * @file
 * The clock of the machine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef CVHOSTTIME_H
#define CVHOSTTIME_H

#include <CoreVideo/CVBase.h>

/** Returns the time of CLOCK_MONOTONIC in ticks of a nanosecond. */
CV_EXPORT uint64_t CVGetCurrentHostTime(void);

/** Returns the number of ticks per second: 1000000000.0. */
CV_EXPORT double CVGetHostClockFrequency(void);

/** Returns the smallest difference between two times, in ticks. */
CV_EXPORT uint32_t CVGetHostClockMinimumTimeDelta(void);

#endif
