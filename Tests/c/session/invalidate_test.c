/* invalidate: waits for the callback, drops frames, wakes threads; and the results of calls on an invalid
 * session. */
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

static void an_invalid_session_refuses_calls(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK(nalu_compression_session_get_pixel_buffer_pool(session) != NULL);
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(complete_all(session));
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_OK(nalu_compression_session_invalidate(session));
    int64_t integer = 0;
    double number = 0;
    int32_t boolean = 0;
    size_t size = 0;
    const nalu_property property = {NALU_PROPERTY_QUALITY, NALU_PROPERTY_TYPE_UNSET, 0, 0, 0, NULL, NULL};
    const nalu_status gone = NALU_STATUS_INVALID_SESSION;
    CHECK_STATUS(nalu_compression_session_prepare(session), gone);
    CHECK_STATUS(encode_picture(session, 1), gone);
    CHECK_STATUS(try_picture(session, 1), gone);
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, &buffer));
    CHECK_STATUS(nalu_compression_session_encode_frame(session, buffer, frame_time(1), nalu_time_invalid(), NULL, NULL,
                                                       NULL), gone);
    nalu_pixel_buffer_release(buffer);
    CHECK_STATUS(complete_all(session), gone);
    CHECK_STATUS(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 5000), gone);
    CHECK_STATUS(nalu_session_set_double(session, NALU_PROPERTY_QUALITY, 0.5), gone);
    CHECK_STATUS(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_SCALING, 1), gone);
    CHECK_STATUS(nalu_session_set_string(session, tested()->late, tested()->values[0]), gone);
    CHECK_STATUS(nalu_session_set_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, NULL, 0), gone);
    CHECK_STATUS(nalu_session_unset_property(session, NALU_PROPERTY_QUALITY), gone);
    CHECK_STATUS(nalu_session_set_properties(session, &property, 1), gone);
    CHECK_STATUS(nalu_session_get_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, &integer), gone);
    CHECK_STATUS(nalu_session_get_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, &number), gone);
    CHECK_STATUS(nalu_session_get_bool(session, NALU_PROPERTY_ALLOW_SCALING, &boolean), gone);
    CHECK_STATUS(nalu_session_copy_string(session, NALU_PROPERTY_ENCODER_ID, NULL, 0, &size), gone);
    CHECK_STATUS(nalu_session_copy_numbers(session, NALU_PROPERTY_DATA_RATE_LIMITS, NULL, 0, &size), gone);
    CHECK(nalu_compression_session_get_pixel_buffer_pool(session) == NULL);
    CHECK_OK(nalu_compression_session_copy_last_error(session, NULL, 0, &size));
    CHECK_PTR_EQ(nalu_compression_session_retain(session), session);
    nalu_compression_session_release(session);
    nalu_compression_session_release(session);
    check_all_encoded(&all, 1);
    recorder_clear(&all);
}

static void invalidate_and_release_accept_null(void) {
    CHECK_OK(nalu_compression_session_invalidate(NULL));
    nalu_compression_session_release(NULL);
    CHECK(nalu_compression_session_retain(NULL) == NULL);
    CHECK(nalu_compression_session_get_pixel_buffer_pool(NULL) == NULL);
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
    RUN(an_invalid_session_refuses_calls);
    RUN(invalidate_and_release_accept_null);
    RUN(invalidate_waits_for_the_callback_in_progress);
    RUN(a_second_invalidate_waits_like_the_first);
    RUN(invalidate_ends_waiting_calls);
    RUN(no_callback_follows_invalidate_during_encoding);
    return check_result();
}
