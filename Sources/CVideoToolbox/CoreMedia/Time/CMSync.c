#include <CoreMedia/CMSync.h>

#include "timebase.h"

/* Returns the nearest clock or timebase that both are or follow, or NULL if they have none in common. */
static CMClockOrTimebaseRef find_common(CMClockOrTimebaseRef first, CMClockOrTimebaseRef second) {
    size_t depth_of_first = 0, depth_of_second = 0;
    for (CMClockOrTimebaseRef a = first; a; a = nalu_sync_get_source(a)) depth_of_first++;
    for (CMClockOrTimebaseRef b = second; b; b = nalu_sync_get_source(b)) depth_of_second++;
    for (; depth_of_first > depth_of_second; depth_of_first--) first = nalu_sync_get_source(first);
    for (; depth_of_second > depth_of_first; depth_of_second--) second = nalu_sync_get_source(second);
    while (first != second) {
        first = nalu_sync_get_source(first);
        second = nalu_sync_get_source(second);
    }
    return first;
}

static double rate_from(CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object) {
    double rate = 1;
    for (; object != ancestor; object = nalu_sync_get_source(object)) rate *= ((CMTimebaseRef)object)->rate;
    return rate;
}

OSStatus CMSyncGetRelativeRateAndAnchorTime(CMClockOrTimebaseRef ofClockOrTimebase,
    CMClockOrTimebaseRef relativeToClockOrTimebase, Float64 *outRelativeRate, CMTime *outOfClockOrTimebaseAnchorTime,
    CMTime *outRelativeToClockOrTimebaseAnchorTime) {
    CMClockOrTimebaseRef of = ofClockOrTimebase, to = relativeToClockOrTimebase;
    if (outRelativeRate) *outRelativeRate = 0;
    if (!of || !to) return kCMSyncError_MissingRequiredParameter;
    if (!nalu_sync_is_valid(of) || !nalu_sync_is_valid(to)) return kCMSyncError_InvalidParameter;
    OSStatus status = kCMSyncError_RateMustBeNonZero;
    nalu_timebases_lock();
    CMClockOrTimebaseRef common = find_common(of, to);
    const double below = common ? rate_from(common, to) : 0;
    if (below != 0) {
        /* Both anchor times belong to the same moment of the common source. */
        const CMTime now = nalu_sync_get_time(common);
        if (outRelativeRate) *outRelativeRate = rate_from(common, of) / below;
        if (outOfClockOrTimebaseAnchorTime) *outOfClockOrTimebaseAnchorTime = nalu_sync_convert_down(now, common, of);
        if (outRelativeToClockOrTimebaseAnchorTime) *outRelativeToClockOrTimebaseAnchorTime = nalu_sync_convert_down(now, common, to);
        status = noErr;
    }
    nalu_timebases_unlock();
    return status;
}

Float64 CMSyncGetRelativeRate(CMClockOrTimebaseRef ofClockOrTimebase, CMClockOrTimebaseRef relativeToClockOrTimebase) {
    Float64 rate = 0;
    CMSyncGetRelativeRateAndAnchorTime(ofClockOrTimebase, relativeToClockOrTimebase, &rate, NULL, NULL);
    return rate;
}

CMTime CMSyncConvertTime(CMTime time, CMClockOrTimebaseRef fromClockOrTimebase, CMClockOrTimebaseRef toClockOrTimebase) {
    if (!nalu_sync_is_valid(fromClockOrTimebase) || !nalu_sync_is_valid(toClockOrTimebase)) return kCMTimeInvalid;
    nalu_timebases_lock();
    CMClockOrTimebaseRef common = find_common(fromClockOrTimebase, toClockOrTimebase);
    CMTime converted = common ? time : kCMTimeInvalid;
    for (CMClockOrTimebaseRef from = fromClockOrTimebase; common && from != common; from = nalu_sync_get_source(from))
        converted = nalu_timebase_to_source((CMTimebaseRef)from, converted);
    if (CMTIME_IS_VALID(converted)) converted = nalu_sync_convert_down(converted, common, toClockOrTimebase);
    nalu_timebases_unlock();
    return converted;
}

Boolean CMSyncMightDrift(CMClockOrTimebaseRef clockOrTimebase1, CMClockOrTimebaseRef clockOrTimebase2) {
    if (!nalu_sync_is_valid(clockOrTimebase1) || !nalu_sync_is_valid(clockOrTimebase2)) return false;
    nalu_timebases_lock();
    const bool drifts = !find_common(clockOrTimebase1, clockOrTimebase2);
    nalu_timebases_unlock();
    return drifts;
}

CMTime CMSyncGetTime(CMClockOrTimebaseRef clockOrTimebase) {
    if (!nalu_sync_is_valid(clockOrTimebase)) return kCMTimeInvalid;
    nalu_timebases_lock();
    const CMTime time = nalu_sync_get_time(clockOrTimebase);
    nalu_timebases_unlock();
    return time;
}
