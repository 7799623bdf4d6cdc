#include <VideoToolbox/VTMultiPassStorage.h>

#include "../../Support/constant.h"
#include "../../Support/environment.h"
#include "../../Support/object.h"
#include "../../Support/value.h"
#include "compression_session.h"

#include <string.h>
#include <sys/stat.h>

NALU_CONSTANT(kVTMultiPassStorageCreationOption_DoNotDelete, "DoNotDelete");

struct OpaqueVTMultiPassStorage {
    CFRuntimeBase base;
    nalu_multi_pass_storage *storage;
    _Atomic bool closed;
};

static void finalize(CFTypeRef object) { nalu_multi_pass_storage_release(((VTMultiPassStorageRef)object)->storage); }

static nalu_class storage_class = {.runtime = {.className = "VTMultiPassStorage", .finalize = finalize}};

CFTypeID VTMultiPassStorageGetTypeID(void) { return nalu_class_type(&storage_class); }

nalu_multi_pass_storage *nalu_multi_pass_storage_of(CFTypeRef object) {
    if (!nalu_object_is(object, &storage_class)) return NULL;
    VTMultiPassStorageRef storage = (VTMultiPassStorageRef)object;
    return storage->closed ? NULL : storage->storage;
}

/* Finds the directory in which the storage creates its files: the directory of the URL's file, or the one for temporary
 * files. */
static OSStatus find_directory(CFURLRef url, char directory[NALU_PATH_SIZE]) {
    struct stat found;
    if (!url) {
        nalu_temporary_directory(directory);
        return noErr;
    }
    if (!nalu_path_of_url(url, directory)) return kVTParameterErr;
    char *name = strrchr(directory, '/');
    if (!name || !name[1] || lstat(directory, &found) == 0) return kVTMultiPassStorageInvalidErr;
    name[name == directory ? 1 : 0] = 0;
    return noErr;
}

OSStatus VTMultiPassStorageCreate(CFAllocatorRef allocator, CFURLRef url, CMTimeRange range, CFDictionaryRef options,
    VTMultiPassStorageRef *storage_out) {
    char directory[NALU_PATH_SIZE];
    (void)range;
    (void)options;
    if (!storage_out) return kVTParameterErr;
    *storage_out = NULL;
    const OSStatus found = find_directory(url, directory);
    if (found != noErr) return found;
    VTMultiPassStorageRef storage = nalu_object_create(&storage_class, allocator, sizeof *storage);
    if (!storage) return kVTAllocationFailedErr;
    const nalu_status status = nalu_multi_pass_storage_create(directory, &storage->storage);
    if (status == NALU_STATUS_OK) *storage_out = storage;
    else CFRelease(storage);
    return nalu_vt_status(status);
}

OSStatus VTMultiPassStorageClose(VTMultiPassStorageRef storage) {
    if (!nalu_object_is(storage, &storage_class)) return kVTParameterErr;
    storage->closed = true;
    const nalu_status status = nalu_multi_pass_storage_close(storage->storage);
    return status == NALU_STATUS_CONFLICT ? noErr : nalu_vt_status(status);
}

/* ---- The storage of a session, on which its deferred properties depend ---- */

/* Applies the deferred properties. Needs the lock, which may be held, because libnalu's functions here neither wait nor
 * call back. */
static OSStatus change_deferred(VTCompressionSessionRef session, const struct nalu_deferred_values *to) {
    const nalu_status status = nalu_deferred_apply(session->encoder, &session->deferred, to);
    if (status == NALU_STATUS_OK) session->deferred = *to;
    return nalu_vt_status(status);
}

OSStatus nalu_set_storage(VTCompressionSessionRef session, CFTypeRef value) {
    nalu_multi_pass_storage *storage = NULL;
    if (value) {
        if (CFGetTypeID(value) != VTMultiPassStorageGetTypeID()) return kVTPropertyNotSupportedErr;
        storage = nalu_multi_pass_storage_of(value);
        if (!storage) return kVTMultiPassStorageInvalidErr;
    }
    struct nalu_deferred_values before = session->deferred, to = before;
    to.several_passes = value != NULL;
    OSStatus status = change_deferred(session, &to);
    if (status == noErr) {
        status = nalu_vt_status(nalu_compression_session_set_multi_pass_storage(session->encoder, storage));
        if (status != noErr) (void)change_deferred(session, &before);
    }
    /* Programs tolerate this status of a property that an encoder does not have. */
    if (status != noErr && value &&
        !nalu_encoder_get_abilities(session->shape.codec, session->shape.encoder_id).has_passes)
        status = kVTPropertyNotSupportedErr;
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
    const bool aims = session->deferred.values[NALU_DEFERRED_AVERAGE_BIT_RATE] > 0;
    if (session->storage && session->deferred.several_passes && !aims &&
        nalu_compression_session_set_multi_pass_storage(session->encoder, NULL) == NALU_STATUS_OK) {
        struct nalu_deferred_values to = session->deferred;
        to.several_passes = false;
        if (change_deferred(session, &to) == noErr) session->single_pass = NALU_SINGLE_PASS_TO_COME;
    }
    const bool is_single = session->single_pass != NALU_NO_SINGLE_PASS;
    pthread_mutex_unlock(&session->lock);
    return is_single;
}
