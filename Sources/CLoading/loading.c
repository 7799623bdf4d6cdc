/* Loading of optional shared libraries. */
#include "loading.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t loading = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
enum { LONGEST_WAIT = 5 };

static bool lock_loading(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += LONGEST_WAIT;
    return pthread_mutex_timedlock(&loading, &end) == 0;
}

static _Thread_local bool has_fork_locked;

static void prepare_fork(void) { has_fork_locked = lock_loading(); }

static void unlock_in_parent(void) {
    if (has_fork_locked) pthread_mutex_unlock(&loading);
}

static void unlock_in_child(void) { loading = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; }

/* Registers the functions for fork. The caller holds the lock. */
static void watch_fork(void) {
    static bool is_watched;
    if (!is_watched) is_watched = pthread_atfork(prepare_fork, unlock_in_parent, unlock_in_child) == 0;
}

bool nalu_loading_lock(void) {
    const bool has_locked = lock_loading();
    if (has_locked) watch_fork();
    return has_locked;
}

void nalu_loading_unlock(void) { pthread_mutex_unlock(&loading); }

int nalu_loading_count(const char *names) {
    int count = 0;
    for (; *names; names += strlen(names) + 1) count++;
    return count;
}

const char *nalu_loading_resolve(void *handle, const char *names, void **addresses) {
    for (; *names; names += strlen(names) + 1)
        if (!(*addresses++ = dlsym(handle, names))) return names;
    return NULL;
}

static int32_t load(const nalu_library *libraries, int count, void **addresses, char *message, size_t capacity) {
    for (int i = 0; i < count; i++) {
        const nalu_library *it = &libraries[i];
        void *handle = dlopen(it->file, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char *error = dlerror();
            snprintf(message, capacity, "%s cannot be loaded (%s): install %s", it->file, error ? error : "dlopen failed",
                it->package);
            return -1;
        }
        const char *missing = nalu_loading_resolve(handle, it->names, addresses);
        if (missing) {
            snprintf(message, capacity, "%s cannot be used: it has no function %s; install a newer %s", it->file, missing,
                it->package);
            return -1;
        }
        addresses += nalu_loading_count(it->names);
    }
    return 0;
}

int32_t nalu_libraries_load(const nalu_library *libraries, int count, void **addresses, bool *is_loaded,
                            char *message, size_t capacity) {
    if (__atomic_load_n(is_loaded, __ATOMIC_ACQUIRE)) return 0;
    const bool has_locked = nalu_loading_lock();
    int32_t result = 0;
    if (!__atomic_load_n(is_loaded, __ATOMIC_ACQUIRE)) {
        result = load(libraries, count, addresses, message, capacity);
        if (result == 0) __atomic_store_n(is_loaded, true, __ATOMIC_RELEASE);
    }
    if (has_locked) nalu_loading_unlock();
    return result;
}
