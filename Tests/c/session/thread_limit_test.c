/*
 * If threads cannot be created, opening an encoder returns NALU_STATUS_ALLOCATION_FAILED with a message that names threads,
 * whichever thread is the first to fail. This program replaces pthread_create, which fails as under RLIMIT_NPROC or pids.max.
 */
#include "clip.h"
#include "sanitized.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

enum { MOST_THREADS = 200, SESSIONS = 6, FRAMES = 3 };

/* The number of threads that can still be created. */
static atomic_int creatable = INT_MAX;

#if !IS_SANITIZED
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    if (!create) return ENOSYS;
    for (int now = atomic_load(&creatable); now > 0;)
        if (atomic_compare_exchange_weak(&creatable, &now, now - 1)) return create(thread, attributes, function, argument);
    return EAGAIN;
}
#endif

static void open_with(clip *c, const char *properties) {
    clip_open(c, 64, 64);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, tested()->cheap));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
}

static nalu_status prepare(clip *c) { return nalu_compression_session_prepare(c->session); }

static nalu_status encode_first(clip *c) { return clip_encode_at(c, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), 0); }

/* Checks the failure of a call that needs threads. */
static void check_refusal(nalu_status status) {
    CHECK_STATUS(status, NALU_STATUS_ALLOCATION_FAILED);
    if (!CHECK(strstr(nalu_last_error_message(), "thread") != NULL)) fprintf(stderr, "%s\n", nalu_last_error_message());
}

/* Lets one thread more succeed until all do, and returns their number. A refused session is opened again without a limit. */
static int let_one_more_succeed(const char *properties, nalu_status (*open)(clip *)) {
    int most = 0;
    for (nalu_status status = NALU_STATUS_ALLOCATION_FAILED; status != NALU_STATUS_OK && most < MOST_THREADS; most++) {
        clip c;
        open_with(&c, properties);
        atomic_store(&creatable, most);
        status = open(&c);
        if (status != NALU_STATUS_OK) check_refusal(status);
        atomic_store(&creatable, INT_MAX);
        clip_encode_all(&c, FRAMES);
        clip_close(&c);
    }
    printf("  \"%s\": opened with %d threads\n", properties, most - 1);
    CHECK(most > 1 && most < MOST_THREADS);
    return most - 1;
}

static void no_thread_is_waited_for_in_vain(void) {
    const char *const settings[] = {"RealTime=true", "RealTime=false", tested()->threads, tested()->reordering};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (!settings[i]) continue;
        let_one_more_succeed(settings[i], prepare);
        if (i == 0) let_one_more_succeed(settings[i], encode_first);
    }
}

static pthread_barrier_t all_wait, limit_is_set;

static void *open_at_once(void *is_refused) {
    clip c;
    open_with(&c, "");
    pthread_barrier_wait(&all_wait);
    pthread_barrier_wait(&limit_is_set);
    const nalu_status status = prepare(&c);
    if (status != NALU_STATUS_OK) {
        check_refusal(status);
        *(int *)is_refused = 1;
    } else {
        clip_encode_all(&c, FRAMES);
    }
    clip_close(&c);
    return NULL;
}

/* The sessions compete for one thread less than they need. So one of them is refused, whatever their order. */
static void sessions_at_once_are_opened_or_refused(void) {
    pthread_t threads[SESSIONS];
    int refused[SESSIONS] = {0}, count = 0;
    const int needed = let_one_more_succeed("", prepare);
    REQUIRE(pthread_barrier_init(&all_wait, NULL, SESSIONS + 1) == 0);
    REQUIRE(pthread_barrier_init(&limit_is_set, NULL, SESSIONS + 1) == 0);
    for (int i = 0; i < SESSIONS; i++) REQUIRE(pthread_create(&threads[i], NULL, open_at_once, &refused[i]) == 0);
    pthread_barrier_wait(&all_wait);
    atomic_store(&creatable, SESSIONS * needed - 1);
    pthread_barrier_wait(&limit_is_set);
    for (int i = 0; i < SESSIONS; i++) {
        pthread_join(threads[i], NULL);
        count += refused[i];
    }
    atomic_store(&creatable, INT_MAX);
    CHECK_EQ(count, 1);
    pthread_barrier_destroy(&all_wait);
    pthread_barrier_destroy(&limit_is_set);
}

int main(void) {
    if (IS_SANITIZED) {
        printf("not here: the sanitizers replace pthread_create themselves\n");
        return check_result();
    }
    RUN(no_thread_is_waited_for_in_vain);
    RUN(sessions_at_once_are_opened_or_refused);
    return check_result();
}
