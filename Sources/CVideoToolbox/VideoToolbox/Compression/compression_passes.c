#include "../../CoreMedia/Time/times.h"
#include "../../Support/float_environment.h"
#include "../../Support/value.h"
#include "compression_session.h"
#include "delivery.h"
#include "replaceable_encoder.h"

#include <stdlib.h>

static OSStatus begin_single(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    const bool may = session->single_pass == NALU_SINGLE_PASS_TO_COME && !session->invalidated;
    if (may) {
        session->single_pass = NALU_SINGLE_PASS;
        session->has_begun = true;
    }
    const bool is_invalidated = session->invalidated;
    pthread_mutex_unlock(&session->lock);
    return may ? noErr : is_invalidated ? kVTInvalidSessionErr : kVTParameterErr;
}

static bool is_single(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    const bool is = session->single_pass == NALU_SINGLE_PASS;
    pthread_mutex_unlock(&session->lock);
    return is;
}

static void end_single(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    session->single_pass = NALU_SINGLE_PASS_IS_OVER;
    pthread_mutex_unlock(&session->lock);
}

static bool has_storage(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    const bool has = session->storage != NULL;
    pthread_mutex_unlock(&session->lock);
    return has;
}

OSStatus VTCompressionSessionBeginPass(VTCompressionSessionRef session, VTCompressionSessionOptionFlags flags,
    uint32_t *reserved) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    (void)reserved;
    if (!nalu_is_compression_session(session)) return kVTParameterErr;
    if (nalu_settle_passes(session)) return begin_single(session);
    if (has_storage(session)) nalu_encoder_begin(session);
    const nalu_status status = nalu_compression_session_begin_pass(session->encoder, flags);
    if (status == NALU_STATUS_OK) nalu_delivery_restart(session->delivery);
    return nalu_vt_status(status);
}

OSStatus VTCompressionSessionEndPass(VTCompressionSessionRef session, Boolean *further_out, uint32_t *reserved) {
    NALU_HIDE_FLOAT_ENVIRONMENT;
    int32_t further = 0;
    (void)reserved;
    if (further_out) *further_out = false;
    if (!nalu_is_compression_session(session)) return kVTParameterErr;
    CFRetain(session);
    const bool single = is_single(session);
    const nalu_status status = single
        ? nalu_compression_session_complete_frames(session->encoder, nalu_time_invalid())
        : nalu_compression_session_end_pass(session->encoder, &further);
    /* The call may be refused because its thread must not wait. The pass then continues. */
    if (single && status != NALU_STATUS_REENTRANT && status != NALU_STATUS_WOULD_BLOCK) end_single(session);
    CFRelease(session);
    if (further_out) *further_out = further != 0;
    return nalu_vt_status(status);
}

OSStatus VTCompressionSessionGetTimeRangesForNextPass(VTCompressionSessionRef session, CMItemCount *count_out,
    const CMTimeRange **ranges_out) {
    nalu_time_range range;
    size_t count = 0;
    if (count_out) *count_out = 0;
    if (ranges_out) *ranges_out = NULL;
    if (!nalu_is_compression_session(session) || !count_out || !ranges_out) return kVTParameterErr;
    const nalu_status status =
        nalu_compression_session_get_time_ranges_for_next_pass(session->encoder, &range, 1, &count);
    if (status == NALU_STATUS_VALUE_NOT_AVAILABLE) return kVTParameterErr;
    if (status != NALU_STATUS_OK) return nalu_vt_status(status);
    pthread_mutex_lock(&session->lock);
    if (!session->next_ranges) session->next_ranges = calloc(1, sizeof *session->next_ranges);
    if (session->next_ranges)
        *session->next_ranges = (CMTimeRange){nalu_to_time(range.start), nalu_to_time(range.duration)};
    *ranges_out = session->next_ranges;
    pthread_mutex_unlock(&session->lock);
    *count_out = *ranges_out ? (CMItemCount)count : 0;
    return *ranges_out ? noErr : kVTAllocationFailedErr;
}
