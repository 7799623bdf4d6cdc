#include <CoreVideo/CVBase.h>
#include <CoreVideo/CVHostTime.h>

#include <time.h>

const CVTime kCVZeroTime = {0, 1, 0};
const CVTime kCVIndefiniteTime = {0, 0, kCVTimeIsIndefinite};

uint64_t CVGetCurrentHostTime(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double CVGetHostClockFrequency(void) { return 1e9; }

uint32_t CVGetHostClockMinimumTimeDelta(void) { return 1; }
