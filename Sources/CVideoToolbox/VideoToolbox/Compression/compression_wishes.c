#include "compression_wishes.h"

#include "../../Support/value.h"

/* Applies the deferred properties. Needs the lock, which may be held, because libnalu's functions here neither wait nor
 * call back. */
static OSStatus change_wishes(VTCompressionSessionRef session, const struct nalu_wishes *to) {
    const nalu_status status = nalu_wishes_apply(session->encoder, &session->wishes, to);
    if (status == NALU_STATUS_OK) session->wishes = *to;
    return nalu_vt_status(status);
}

OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value) {
    nalu_multi_pass_storage *storage = NULL;
    if (value) {
        if (CFGetTypeID(value) != VTMultiPassStorageGetTypeID()) return kVTPropertyNotSupportedErr;
        storage = nalu_multi_pass_storage_of(value);
        if (!storage) return kVTMultiPassStorageInvalidErr;
    }
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
