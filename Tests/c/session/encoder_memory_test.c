/*
 * x264 gets no memory or no thread. Whichever request fails, the status is NALU_STATUS_ALLOCATION_FAILED, the
 * error message states the reason, and the session works again when memory is available.
 */
#include "clip.h"
#include "refusal.h"
#include "sanitized.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined(__GLIBC__) && !IS_SANITIZED
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_int blocks_left = -1, threads_left = -1; /* negative: unlimited */
static atomic_int failed;

static int is_due(atomic_int *left) {
    if (atomic_load(left) < 0 || atomic_fetch_sub(left, 1) > 0) return 0;
    atomic_store(left, -1);
    failed = 1;
    return 1;
}

/* x264 allocates all of its memory with this function, and nothing else uses it. */
void *memalign(size_t alignment, size_t size) {
    return is_due(&blocks_left) ? NULL : __libc_memalign(alignment, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!create) *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return is_due(&threads_left) ? EAGAIN : create(thread, attributes, body, argument);
}

/* Makes request number `request` fail while the encoder is opened. x264 decides how many later requests follow. */
static int fails(clip *c, atomic_int *left, int request) {
    failed = 0;
    atomic_store(left, request);
    const nalu_status status = nalu_compression_session_prepare(c->session);
    atomic_store(left, -1);
    if (!failed) {
        CHECK_STATUS(status, NALU_STATUS_OK);
        return 0;
    }
    if (status != NALU_STATUS_OK) {
        CHECK_STATUS(status, NALU_STATUS_ALLOCATION_FAILED);
        const char *sentence = nalu_last_error_message();
        CHECK(strstr(sentence, "memory") || strstr(sentence, "thread"));
        CHECK(strstr(sentence, "VBV") == NULL);
    }
    return 1;
}

/* Opens a clip with a bit rate above its level's limit, about which x264 warns. */
static void open_clip(clip *c, int32_t height) {
    clip_open(c, 64, height);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "threads=2"));
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 900000000));
}

static void each_request(atomic_int *left, int step, const char *what) {
    int request = 0;
    for (int more = 1; more && request < 2000; request += step) {
        clip c;
        open_clip(&c, 96);
        more = fails(&c, left, request);
        clip_encode_all(&c, 2);
        clip_close(&c);
    }
    printf("  %d requests for %s\n", request - step, what);
    CHECK(request > 1);
}

static void opening_without_memory_is_reported(void) {
    each_request(&blocks_left, 1, "memory");
}

static void opening_without_threads_is_reported(void) {
    each_request(&threads_left, 1, "threads");
}
#else
static void opening_without_memory_is_reported(void) { printf("  not here: the allocator cannot be replaced\n"); }
static void opening_without_threads_is_reported(void) { printf("  not here\n"); }
#endif

int main(void) {
    RUN(opening_without_memory_is_reported);
    RUN(opening_without_threads_is_reported);
    return check_result();
}
