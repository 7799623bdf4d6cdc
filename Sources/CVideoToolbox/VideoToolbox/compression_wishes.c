#include "compression_wishes.h"

#include "encoder.h"
#include "value.h"

#include <math.h>

/* Applies the deferred properties. Needs the lock, which may be held, because libnalu's functions here neither wait nor
 * call back. */
static OSStatus change_wishes(VTCompressionSessionRef session, const struct nalu_wishes *to) {
    const nalu_status status = nalu_wishes_apply(session->encoder, &session->wishes, to);
    if (status == NALU_STATUS_OK) session->wishes = *to;
    return nalu_vt_status(status);
}

/* Returns true if an open encoder cannot apply the new value. Before opening, a value without effect is kept, because
 * another property may give it one later. */
static bool is_too_late(VTCompressionSessionRef session, const struct nalu_wishes *to, enum nalu_wish wish) {
    int32_t reorders = 0;
    const double before = session->wishes.values[wish], after = to->values[wish];
    if (isnan(after) || after == before || nalu_wishes_have_effect(&session->wishes, to)) return false;
    if (wish != NALU_WISH_ALLOW_FRAME_REORDERING) return true;
    const nalu_status status =
        nalu_session_get_bool(session->encoder, NALU_PROPERTY_ALLOW_FRAME_REORDERING, &reorders);
    return status == NALU_STATUS_OK && reorders != (after != 0);
}

OSStatus nalu_set_wish(VTCompressionSessionRef session, enum nalu_wish wish, int32_t type, CFTypeRef value) {
    double number = NAN;
    if (value && type == NALU_PROPERTY_TYPE_BOOL) {
        bool flag = false;
        if (!nalu_read_bool(value, &flag)) return kVTPropertyNotSupportedErr;
        number = flag;
    } else if (value) {
        if (!nalu_read_double(value, &number)) return kVTPropertyNotSupportedErr;
        if (type == NALU_PROPERTY_TYPE_INT64 && isnan(number)) return kVTPropertyNotSupportedErr;
        if (!isfinite(number)) return kVTParameterErr;
    }
    pthread_mutex_lock(&session->lock);
    struct nalu_wishes to = session->wishes;
    to.values[wish] = number;
    OSStatus status = nalu_encoder_is_open(session) && is_too_late(session, &to, wish) ? kVTPropertyReadOnlyErr
                                                                                       : change_wishes(session, &to);
    /* After the first frame the encoder uses the frames' own times, so a changed expected frame rate is accepted. */
    const bool constant = session->wishes.values[NALU_WISH_CONSTANT_BIT_RATE] > 0;
    if (status == kVTPropertyReadOnlyErr && wish == NALU_WISH_EXPECTED_FRAME_RATE && !constant &&
        session->has_begun) {
        session->wishes = to;
        status = noErr;
    }
    pthread_mutex_unlock(&session->lock);
    return status;
}

OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value) {
    nalu_multi_pass_storage *storage = NULL;
    if (value) {
        if (CFGetTypeID(value) != VTMultiPassStorageGetTypeID()) return kVTPropertyNotSupportedErr;
        storage = nalu_multi_pass_storage_of(value);
        if (!storage) return kVTMultiPassStorageInvalidErr;
    }
    pthread_mutex_lock(&session->lock);
    struct nalu_wishes before = session->wishes, to = before;
    to.several_passes = value != NULL;
    OSStatus status = change_wishes(session, &to);
    if (status == noErr) {
        status = nalu_vt_status(nalu_compression_session_set_multi_pass_storage(session->encoder, storage));
        if (status != noErr) (void)change_wishes(session, &before);
    }
    CFTypeRef old = NULL;
    if (status == noErr) {
        old = session->storage;
        session->storage = value ? (VTMultiPassStorageRef)CFRetain(value) : NULL;
        session->single_pass = NALU_NO_SINGLE_PASS;
    }
    pthread_mutex_unlock(&session->lock);
    if (old) CFRelease(old);
    return status;
}

bool nalu_settle_passes(VTCompressionSessionRef session) {
    pthread_mutex_lock(&session->lock);
    const bool aims = session->wishes.values[NALU_WISH_AVERAGE_BIT_RATE] > 0;
    if (session->storage && session->wishes.several_passes && !aims &&
        nalu_compression_session_set_multi_pass_storage(session->encoder, NULL) == NALU_STATUS_OK) {
        struct nalu_wishes to = session->wishes;
        to.several_passes = false;
        if (change_wishes(session, &to) == noErr) session->single_pass = NALU_SINGLE_PASS_TO_COME;
    }
    const bool is_single = session->single_pass != NALU_NO_SINGLE_PASS;
    pthread_mutex_unlock(&session->lock);
    return is_single;
}
