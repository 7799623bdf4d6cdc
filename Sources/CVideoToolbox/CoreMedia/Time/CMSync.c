#include <CoreMedia/CMSync.h>

#include "timebase.h"
#include "times.h"

OSStatus CMSyncGetRelativeRateAndAnchorTime(CMClockOrTimebaseRef ofClockOrTimebase,
    CMClockOrTimebaseRef relativeToClockOrTimebase, Float64 *outRelativeRate, CMTime *outOfClockOrTimebaseAnchorTime,
    CMTime *outRelativeToClockOrTimebaseAnchorTime) {
    if (outRelativeRate) *outRelativeRate = 0;
    if (!ofClockOrTimebase || !relativeToClockOrTimebase) return kCMSyncError_MissingRequiredParameter;
    nalu_timebase *of = nalu_sync_get_timebase(ofClockOrTimebase);
    nalu_timebase *to = nalu_sync_get_timebase(relativeToClockOrTimebase);
    if (!of || !to) return kCMSyncError_InvalidParameter;
    nalu_time of_time, to_time;
    if (nalu_timebase_get_relation(of, to, outRelativeRate, &of_time, &to_time)) return kCMSyncError_RateMustBeNonZero;
    if (outOfClockOrTimebaseAnchorTime) *outOfClockOrTimebaseAnchorTime = nalu_to_time(of_time);
    if (outRelativeToClockOrTimebaseAnchorTime) *outRelativeToClockOrTimebaseAnchorTime = nalu_to_time(to_time);
    return noErr;
}

Float64 CMSyncGetRelativeRate(CMClockOrTimebaseRef ofClockOrTimebase, CMClockOrTimebaseRef relativeToClockOrTimebase) {
    Float64 rate = 0;
    CMSyncGetRelativeRateAndAnchorTime(ofClockOrTimebase, relativeToClockOrTimebase, &rate, NULL, NULL);
    return rate;
}

CMTime CMSyncConvertTime(CMTime time, CMClockOrTimebaseRef fromClockOrTimebase, CMClockOrTimebaseRef toClockOrTimebase) {
    return nalu_to_time(nalu_timebase_convert_time(nalu_from_time(time), nalu_sync_get_timebase(fromClockOrTimebase),
        nalu_sync_get_timebase(toClockOrTimebase)));
}

Boolean CMSyncMightDrift(CMClockOrTimebaseRef clockOrTimebase1, CMClockOrTimebaseRef clockOrTimebase2) {
    nalu_timebase *first = nalu_sync_get_timebase(clockOrTimebase1), *second = nalu_sync_get_timebase(clockOrTimebase2);
    return first && second && !nalu_timebase_shares_clock(first, second);
}

CMTime CMSyncGetTime(CMClockOrTimebaseRef clockOrTimebase) {
    return nalu_to_time(nalu_timebase_get_time(nalu_sync_get_timebase(clockOrTimebase)));
}
