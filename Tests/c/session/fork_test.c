/* A child of fork has its parent's sessions in memory. It can neither use them nor be blocked by them. */
#include "session_support.h"

#include <signal.h>

#include "child.h"
#include "sanitized.h"

static int destroyed = 0;

static void note_end(void *refcon) {
    (void)refcon;
    destroyed++;
}

static void use_in_child(void *context) {
    nalu_compression_session *session = context;
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    int64_t rate = 0;
    CHECK_STATUS(encode_picture(session, 900), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(try_picture(session, 901), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(complete_all(session), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_compression_session_prepare(session), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_session_get_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, &rate), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1000), NALU_STATUS_INVALID_SESSION);
    CHECK_OK(nalu_compression_session_get_statistics(session, &statistics));
    CHECK_OK(nalu_compression_session_invalidate(session));
    nalu_compression_session_release(session);
    CHECK_EQ(destroyed, 0);
}

static void the_parents_session_is_invalid_in_a_child_and_continues_in_the_parent(void) {
    static gate blocked = GATE_INIT;
    for (int kind = 0; kind < 3; kind++) {
        nalu_compression_session *session = NULL;
        destroyed = 0;
        REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, record_when_open, &blocked,
                                                   note_end, &session));
        make_immediate(session);
        unsigned frames = 0;
        if (kind > 0) CHECK_OK(encode_picture(session, frames++)); /* the callback runs */
        if (kind > 0) event_wait(&blocked.entered);
        if (kind > 1) /* more frames wait for the encoder */
            while (try_picture(session, frames) == NALU_STATUS_OK) frames++;
        check_child(use_in_child, session);
        event_signal(&blocked.opened);
        complete_and_check(session, &blocked.results, frames);
        CHECK_OK(encode_picture(session, frames));
        CHECK_OK(complete_all(session));
        nalu_compression_session_release(session);
        CHECK_EQ(destroyed, 1);
        recorder_clear(&blocked.results);
        blocked = (gate)GATE_INIT;
    }
}

static void encode_in_child(void *context) {
    static recorder own = RECORDER_INIT;
    (void)context;
    nalu_compression_session *session = make_session(record_result, &own);
    encode_all(session, &own, 20);
    end_session(session, &own);
}

/* ThreadSanitizer does not start threads in the child of a process with several threads. */
static void a_child_may_have_sessions_of_its_own(void) {
    if (IS_SANITIZED) return;
    static recorder all = RECORDER_INIT;
    nalu_compression_session *session = make_session(record_result, &all);
    encode_pictures(session, 5);
    CHECK_OK(complete_all(session));
    check_child(encode_in_child, NULL);
    end_session(session, &all);
}

static int is_over = 0;

static void *encode_on(void *session) {
    for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_SEQ_CST); i++) {
        CHECK_OK(encode_picture(session, i));
        if (i % 50 == 49) CHECK_OK(complete_all(session));
    }
    return NULL;
}

static void release_in_child(void *session) {
    CHECK_STATUS(complete_all(session), NALU_STATUS_INVALID_SESSION);
    nalu_compression_session_release(session);
}

static void drop(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                 nalu_sample *sample) {
    (void)refcon, (void)frame_refcon, (void)status, (void)flags, (void)sample;
}

static void a_fork_at_any_moment_blocks_no_child(void) {
    nalu_compression_session *session = make_session(drop, NULL);
    make_immediate(session);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, encode_on, session) == 0);
    for (int i = 0; i < (IS_SANITIZED ? 5 : 50); i++) check_child(release_in_child, session);
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
}

int main(void) {
    RUN(the_parents_session_is_invalid_in_a_child_and_continues_in_the_parent);
    RUN(a_child_may_have_sessions_of_its_own);
    RUN(a_fork_at_any_moment_blocks_no_child);
    return check_result();
}
