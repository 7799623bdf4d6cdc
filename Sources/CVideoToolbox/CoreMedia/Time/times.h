/* Conversion of times. CMTime and libnalu's time have the same fields. */
#ifndef NALU_VT_TIMES_H
#define NALU_VT_TIMES_H

#include <CoreMedia/CMTime.h>
#include <nalu/time.h>

static inline nalu_time nalu_from_time(CMTime time) {
    return (nalu_time){time.value, time.timescale, time.flags, time.epoch};
}

static inline CMTime nalu_to_time(nalu_time time) {
    return (CMTime){time.value, time.timescale, (CMTimeFlags)time.flags, time.epoch};
}

#endif
