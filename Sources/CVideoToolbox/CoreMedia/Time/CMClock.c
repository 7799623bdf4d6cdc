#include <CoreMedia/CMSync.h>

#include "../../Support/object.h"
#include "rational.h"

#include <pthread.h>
#include <time.h>

enum { NANOSECONDS = 1000000000 };

struct OpaqueCMClock {
    CFRuntimeBase base;
};

static nalu_class clock_class = {.runtime = {.className = "CMClock"}};

static CMClockRef host_clock;

static void make_host_clock(void) { host_clock = nalu_object_create(&clock_class, NULL, sizeof *host_clock); }

CFTypeID CMClockGetTypeID(void) { return nalu_class_type(&clock_class); }

CMClockRef CMClockGetHostTimeClock(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_host_clock);
    return host_clock;
}

uint64_t CMClockConvertHostTimeToSystemUnits(CMTime hostTime) {
    if (nalu_time_get_kind(hostTime) != nalu_time_kind_numeric || hostTime.value <= 0) return 0;
    const unsigned __int128 product = (unsigned __int128)hostTime.value * NANOSECONDS;
    const unsigned __int128 units = (product + (uint32_t)hostTime.timescale / 2) / (uint32_t)hostTime.timescale;
    return units > UINT64_MAX ? UINT64_MAX : (uint64_t)units;
}

CMTime CMClockMakeHostTimeFromSystemUnits(uint64_t hostTime) {
    return nalu_time_from_fraction(hostTime, NANOSECONDS, kCMTimeFlags_Valid, 0);
}

CMTime CMClockGetTime(CMClockRef clock) {
    struct timespec now = {0, 0};
    if (!nalu_object_is(clock, &clock_class) || clock_gettime(CLOCK_MONOTONIC, &now)) return kCMTimeInvalid;
    return CMTimeMake((int64_t)now.tv_sec * NANOSECONDS + now.tv_nsec, NANOSECONDS);
}

OSStatus CMClockGetAnchorTime(CMClockRef clock, CMTime *clockTimeOut, CMTime *referenceClockTimeOut) {
    if (!clock || !clockTimeOut || !referenceClockTimeOut) return kCMClockError_MissingRequiredParameter;
    *clockTimeOut = *referenceClockTimeOut = CMClockGetTime(clock);
    return CMTIME_IS_VALID(*clockTimeOut) ? noErr : kCMClockError_InvalidParameter;
}

/* Only one clock exists, so two valid clocks never differ. */
Boolean CMClockMightDrift(CMClockRef clock, CMClockRef otherClock) { return clock != otherClock && clock && otherClock; }

void CMClockInvalidate(CMClockRef clock) { (void)clock; }
