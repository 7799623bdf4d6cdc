/* If the system cannot create threads for a decoder, intact samples are decoded all the same. */
#include "decode_support.h"
#include "sanitized.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static decode_recorder all = DECODE_RECORDER_INIT;
/* The number of threads that can still be created; negative: unlimited. */
static atomic_int left = -1;
static atomic_int refused;

#if !IS_SANITIZED
/* The program's function replaces the C library's, also for libavcodec. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    typedef int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    static _Atomic(create) real;
    create found = atomic_load(&real);
    if (!found) {
        *(void **)&found = dlsym(RTLD_NEXT, "pthread_create");
        atomic_store(&real, found);
    }
    if (atomic_load(&left) == 0) {
        atomic_fetch_add(&refused, 1);
        return EAGAIN;
    }
    if (atomic_load(&left) > 0) atomic_fetch_sub(&left, 1);
    return found(thread, attributes, routine, argument);
}
#endif

static void decode_without_threads(const clip *c, uint32_t specification, uint32_t flags) {
    nalu_decompression_session *session =
        make_decoder_with(clip_format(c), specification, 4, record_decoded, &all);
    atomic_store(&refused, 0);
    /* The session's own thread, which it starts for the first sample. */
    atomic_store(&left, 1);
    decode_all(session, c, flags);
    CHECK_OK(wait_all(session));
    atomic_store(&left, -1);
    if (!IS_SANITIZED) CHECK(atomic_load(&refused) > 0);
    check_all_decoded(&all, (size_t)c->count);
    end_decoder(session, &all);
}

static void samples_are_decoded_without_threads(void) {
    clip c;
    clip_open(&c, 176, 144);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=1:bframes=3:keyint=12"));
    clip_encode_all(&c, 40);
    decode_without_threads(&c, 0, ASYNCHRONOUS);
    decode_without_threads(&c, 0, 0);
    decode_without_threads(&c, NALU_DECODER_LOW_DELAY, ASYNCHRONOUS);
    decode_without_threads(&c, NALU_DECODER_DROP_UNTIL_KEY_FRAME, ASYNCHRONOUS);
    clip_close(&c);
}

int main(void) {
    RUN(samples_are_decoded_without_threads);
    return check_result();
}
