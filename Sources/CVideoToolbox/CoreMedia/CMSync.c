#include <CoreMedia/CMSync.h>

#include "../Support/timebase.h"

/* The nearest that both are or follow; NULL where there is none. */
static CMClockOrTimebaseRef find_common(CMClockOrTimebaseRef first, CMClockOrTimebaseRef second) {
    for (CMClockOrTimebaseRef a = first; a; a = nalu_sync_get_source(a))
        for (CMClockOrTimebaseRef b = second; b; b = nalu_sync_get_source(b))
            if (a == b) return a;
    return NULL;
}

static double rate_from(CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object) {
    double rate = 1;
    for (; object != ancestor; object = nalu_sync_get_source(object)) rate *= ((CMTimebaseRef)object)->rate;
    return rate;
}

static CMTime convert_down(CMTime time, CMClockOrTimebaseRef ancestor, CMClockOrTimebaseRef object) {
    if (object == ancestor) return time;
    const CMTime source_time = convert_down(time, ancestor, nalu_sync_get_source(object));
    return nalu_timebase_from_source((CMTimebaseRef)object, source_time);
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
        /* Both at one moment of what they have in common. */
        const CMTime now = nalu_sync_get_time(common);
        if (outRelativeRate) *outRelativeRate = rate_from(common, of) / below;
        if (outOfClockOrTimebaseAnchorTime) *outOfClockOrTimebaseAnchorTime = convert_down(now, common, of);
        if (outRelativeToClockOrTimebaseAnchorTime) *outRelativeToClockOrTimebaseAnchorTime = convert_down(now, common, to);
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
    if (CMTIME_IS_VALID(converted)) converted = convert_down(converted, common, toClockOrTimebase);
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
