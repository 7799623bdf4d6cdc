#include "media_library.h"

#ifdef NALU_MEDIA_IS_LINKED

const nalu_media_library *nalu_media_library_get(void) {
    static const nalu_media_library library = {
        nalu_decompression_session_create,
        nalu_decompression_session_retain,
        nalu_decompression_session_release,
        nalu_decompression_session_decode_frame,
        nalu_decompression_session_finish_delayed_frames,
        nalu_decompression_session_wait_for_asynchronous_frames,
        nalu_decompression_session_can_accept_format_description,
        nalu_decompression_session_invalidate,
    };
    return &library;
}

#else

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define FILE_NAME "libnalumedia.so.0"

static void *open_library(void) {
    Dl_info nalu;
    char path[PATH_MAX];
    if (dladdr((void *)nalu_pixel_buffer_retain, &nalu) && nalu.dli_fname) {
        const char *slash = strrchr(nalu.dli_fname, '/');
        const int folder = slash ? (int)(slash - nalu.dli_fname) + 1 : 0;
        const int length = snprintf(path, sizeof path, "%.*s" FILE_NAME, folder, nalu.dli_fname);
        void *found = slash && length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (found) return found;
    }
    return dlopen(FILE_NAME, RTLD_NOW | RTLD_LOCAL);
}

static bool resolve(void *handle, const char *name, void *function) {
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load(nalu_media_library *library) {
    void *handle = open_library();
    if (!handle) return false;
    const bool is_whole =
        resolve(handle, "nalu_decompression_session_create", &library->create) &&
        resolve(handle, "nalu_decompression_session_retain", &library->retain) &&
        resolve(handle, "nalu_decompression_session_release", &library->release) &&
        resolve(handle, "nalu_decompression_session_decode_frame", &library->decode_frame) &&
        resolve(handle, "nalu_decompression_session_finish_delayed_frames", &library->finish_delayed_frames) &&
        resolve(handle, "nalu_decompression_session_wait_for_asynchronous_frames",
                &library->wait_for_asynchronous_frames) &&
        resolve(handle, "nalu_decompression_session_can_accept_format_description",
                &library->can_accept_format_description) &&
        resolve(handle, "nalu_decompression_session_invalidate", &library->invalidate);
    /* A complete library is never unloaded, because one of its threads may be running at any time. */
    if (!is_whole) dlclose(handle);
    return is_whole;
}

const nalu_media_library *nalu_media_library_get(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static nalu_media_library library;
    static bool is_loaded;
    pthread_mutex_lock(&lock);
    if (!is_loaded) is_loaded = load(&library);
    const nalu_media_library *found = is_loaded ? &library : NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

#endif
