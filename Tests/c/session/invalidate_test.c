/* invalidate: waits for the callback, drops frames and wakes threads. bad_input_handles_test.c has the results of calls
 * on an invalid session. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static void pending_frames_are_reported_as_dropped(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    encode_pictures(session, 20);
    CHECK_OK(nalu_compression_session_invalidate(session));
    const size_t dropped = check_each_once_encoded_or_dropped(&all, 20);
    if (can_delay()) CHECK(dropped >= 10);
    nalu_compression_session_release(session);
    CHECK_EQ(all.count, 20);
    recorder_clear(&all);
}

/* ---- Other threads ---------------------------------------------------------------------------------------------- */

static event invalidated = EVENT_INIT;

static void *invalidate(void *session) {
    CHECK_OK(nalu_compression_session_invalidate((nalu_compression_session *)session));
    event_signal(&invalidated);
    return NULL;
}

static void invalidate_waits_for_the_callback_in_progress(void) {
    static gate blocked = GATE_INIT;
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    for (unsigned i = 1; i < 4; i++) CHECK_OK(encode_picture(session, i));
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, invalidate, session) == 0);
    CHECK(!event_wait_for(&invalidated, 50));
    CHECK_STATUS(encode_picture(session, 4), NALU_STATUS_INVALID_SESSION);
    event_signal(&blocked.opened);
    event_wait(&invalidated);
    pthread_join(thread, NULL);
    CHECK_EQ(check_each_once_encoded_or_dropped(&blocked.results, 4), 3);
    nalu_compression_session_release(session);
    CHECK_EQ(blocked.results.count, 4);
    recorder_clear(&blocked.results);
}

static void a_second_invalidate_waits_like_the_first(void) {
    static gate blocked = GATE_INIT;
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    invalidated.happened = false;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, invalidate, session) == 0);
    CHECK(!event_wait_for(&invalidated, 50));
    event_signal(&blocked.opened);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    CHECK_EQ(blocked.results.count, 1);
    end_session(session, &blocked.results);
}

typedef struct waiting_call {
    nalu_compression_session *session;
    event called;
    nalu_status status;
} waiting_call;

static void *call_complete(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    event_signal(&call->called);
    call->status = complete_all(call->session);
    return NULL;
}

static void *call_encode(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    event_signal(&call->called);
    call->status = encode_picture(call->session, 4);
    return NULL;
}

static void invalidate_ends_waiting_calls(void) {
    static gate blocked = GATE_INIT;
    static waiting_call complete = {NULL, EVENT_INIT, 0}, encode = {NULL, EVENT_INIT, 0};
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    for (unsigned i = 1; i < 4; i++) CHECK_OK(encode_picture(session, i));
    complete.session = encode.session = session;
    pthread_t threads[3];
    REQUIRE(pthread_create(&threads[0], NULL, call_complete, &complete) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, call_encode, &encode) == 0);
    event_wait(&complete.called);
    event_wait(&encode.called);
    sleep_milliseconds(20);
    REQUIRE(pthread_create(&threads[2], NULL, invalidate, session) == 0);
    /* The callback still runs, but no thread waits for room or frames any more. */
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK_STATUS(complete.status, NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(encode.status, NALU_STATUS_INVALID_SESSION);
    event_signal(&blocked.opened);
    pthread_join(threads[2], NULL);
    check_each_once_encoded_or_dropped(&blocked.results, 4);
    end_session(session, &blocked.results);
}

static void *encode_until_invalid(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    unsigned accepted = 0;
    int64_t pending = 0;
    while (accepted < RECORDER_CAPACITY && (call->status = encode_picture(call->session, accepted)) == NALU_STATUS_OK)
        if (++accepted == 10) event_signal(&call->called);
    /* The other thread may be late, when there is no room for more results. */
    while (call->status == NALU_STATUS_OK) {
        sleep_milliseconds(1);
        call->status = nalu_session_get_int64(call->session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending);
    }
    return (void *)(uintptr_t)accepted;
}

static void no_callback_follows_invalidate_during_encoding(void) {
    for (int round = 0; round < 20; round++) {
        waiting_call call = {make_session(record_result, &all), EVENT_INIT, 0};
        if (round % 2) make_immediate(call.session);
        else make_reordering(call.session);
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, encode_until_invalid, &call) == 0);
        event_wait(&call.called);
        CHECK_OK(nalu_compression_session_invalidate(call.session));
        size_t count = recorder_count(&all);
        void *accepted = NULL;
        pthread_join(thread, &accepted);
        CHECK_STATUS(call.status, NALU_STATUS_INVALID_SESSION);
        CHECK_EQ((uintptr_t)accepted, count);
        check_each_once_encoded_or_dropped(&all, count);
        nalu_compression_session_release(call.session);
        CHECK_EQ(recorder_count(&all), count);
        recorder_clear(&all);
    }
}

int main(void) {
    RUN(pending_frames_are_reported_as_dropped);
    RUN(invalidate_waits_for_the_callback_in_progress);
    RUN(a_second_invalidate_waits_like_the_first);
    RUN(invalidate_ends_waiting_calls);
    RUN(no_callback_follows_invalidate_during_encoding);
    return check_result();
}
