/* invalidate: waits for the callback, drops samples, wakes threads; and the results of calls on an invalid
 * session. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static clip plain, reordered;

/* Checks that each of `samples` samples was delivered once: with an image, or dropped because the session was
 * invalidated. Returns the number of images. */
static size_t check_decoded_or_dropped(decode_recorder *it, size_t samples) {
    size_t images = check_each_once(it, samples);
    for (size_t i = 0; i < it->count; i++) {
        if (it->results[i].image) continue;
        CHECK((it->results[i].flags & NALU_DECODE_INFO_FRAME_DROPPED) != 0);
        CHECK_STATUS(it->results[i].status, NALU_STATUS_INVALID_SESSION);
    }
    return samples - images;
}

static void pending_samples_are_reported_as_dropped(void) {
    nalu_decompression_session *session = make_decoder(&reordered, record_decoded, &all);
    for (size_t i = 0; i < 10; i++) CHECK_OK(decode_sample(session, &reordered, i, 0));
    size_t held = 10 - all.count;
    CHECK(held > 0);
    CHECK_OK(nalu_decompression_session_invalidate(session));
    CHECK_EQ(check_decoded_or_dropped(&all, 10), held);
    nalu_decompression_session_release(session);
    CHECK_EQ(all.count, 10);
    decoded_clear(&all);
}

static void an_invalid_session_refuses_calls(void) {
    nalu_decompression_session *session = make_decoder(&plain, record_decoded, &all);
    size_t size = 0;
    CHECK_OK(decode_sample(session, &plain, 0, 0));
    CHECK_OK(nalu_decompression_session_invalidate(session));
    CHECK_OK(nalu_decompression_session_invalidate(session));
    CHECK_STATUS(decode_sample(session, &plain, 1, 0), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(decode_sample(session, &plain, 1, ASYNCHRONOUS), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(wait_all(session), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_decompression_session_finish_delayed_frames(session), NALU_STATUS_INVALID_SESSION);
    CHECK_OK(nalu_decompression_session_copy_last_error(session, NULL, 0, &size));
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, clip_format(&plain)), 1);
    CHECK_PTR_EQ(nalu_decompression_session_retain(session), session);
    nalu_decompression_session_release(session);
    nalu_decompression_session_release(session);
    check_all_decoded(&all, 1);
    decoded_clear(&all);
}

static int ends;

static void note_end(void *refcon) {
    CHECK_PTR_EQ(refcon, &all);
    ends++;
}

static void destroy_refcon_is_called_once(void) {
    for (int kind = 0; kind < 4; kind++) {
        nalu_decompression_session *session = NULL;
        REQUIRE_OK(nalu_decompression_session_create(clip_format(&reordered), NULL, NULL, record_decoded, &all, note_end,
                                                     &session));
        ends = 0;
        if (kind & 1) decode_all(session, &reordered, ASYNCHRONOUS);
        CHECK_EQ(ends, 0);
        if (kind & 2) {
            CHECK_OK(nalu_decompression_session_invalidate(session));
            CHECK_EQ(ends, 1);
        }
        nalu_decompression_session_release(session);
        CHECK_EQ(ends, 1);
        check_decoded_or_dropped(&all, kind & 1 ? 40 : 0);
        decoded_clear(&all);
    }
    /* The refcon is not destroyed if creation fails. */
    nalu_decompression_session *session = NULL;
    ends = 0;
    CHECK_STATUS(nalu_decompression_session_create(NULL, NULL, NULL, record_decoded, &all, note_end, &session),
                 NALU_STATUS_PARAMETER);
    CHECK_EQ(ends, 0);
}

/* ---- Other threads ---------------------------------------------------------------------------------------------- */

static event invalidated = EVENT_INIT;

static void *invalidate(void *session) {
    CHECK_OK(nalu_decompression_session_invalidate((nalu_decompression_session *)session));
    event_signal(&invalidated);
    return NULL;
}

static void invalidate_waits_for_the_callback_in_progress(void) {
    for (int count = 1; count <= 2; count++) {
        static decode_gate blocked;
        blocked = (decode_gate)DECODE_GATE_INIT;
        nalu_decompression_session *session = make_decoder(&plain, record_decoded_when_open, &blocked);
        pthread_t threads[2];
        CHECK_OK(decode_sample(session, &plain, 0, ASYNCHRONOUS));
        event_wait(&blocked.entered);
        for (size_t i = 1; i < 4; i++) CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
        invalidated.happened = false;
        for (int i = 0; i < count; i++) REQUIRE(pthread_create(&threads[i], NULL, invalidate, session) == 0);
        CHECK(!event_wait_for(&invalidated, 50));
        CHECK_STATUS(decode_sample(session, &plain, 4, 0), NALU_STATUS_INVALID_SESSION);
        event_signal(&blocked.opened);
        for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
        CHECK_EQ(check_decoded_or_dropped(&blocked.results, 4), 3);
        nalu_decompression_session_release(session);
        CHECK_EQ(blocked.results.count, 4);
        decoded_clear(&blocked.results);
    }
}

typedef struct waiting_call {
    nalu_decompression_session *session;
    event called;
    nalu_status status;
} waiting_call;

static void *call_wait(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    event_signal(&call->called);
    call->status = wait_all(call->session);
    return NULL;
}

static void *call_decode(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    event_signal(&call->called);
    call->status = decode_sample(call->session, &plain, 4, 0);
    return NULL;
}

static void invalidate_ends_waiting_calls(void) {
    static decode_gate blocked = DECODE_GATE_INIT;
    static waiting_call wait = {NULL, EVENT_INIT, 0}, decode = {NULL, EVENT_INIT, 0};
    nalu_decompression_session *session = make_decoder(&plain, record_decoded_when_open, &blocked);
    CHECK_OK(decode_sample(session, &plain, 0, ASYNCHRONOUS));
    event_wait(&blocked.entered);
    for (size_t i = 1; i < 4; i++) CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
    wait.session = decode.session = session;
    pthread_t threads[3];
    REQUIRE(pthread_create(&threads[0], NULL, call_wait, &wait) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, call_decode, &decode) == 0);
    event_wait(&wait.called);
    event_wait(&decode.called);
    sleep_milliseconds(20);
    REQUIRE(pthread_create(&threads[2], NULL, invalidate, session) == 0);
    /* The callback still runs, but no thread waits for room or samples any more. */
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK_STATUS(wait.status, NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(decode.status, NALU_STATUS_INVALID_SESSION);
    event_signal(&blocked.opened);
    pthread_join(threads[2], NULL);
    check_decoded_or_dropped(&blocked.results, 4);
    end_decoder(session, &blocked.results);
}

static uint32_t flags_of_round;

static void *decode_until_invalid(void *argument) {
    waiting_call *call = (waiting_call *)argument;
    size_t accepted = 0;
    while (accepted < RECORDER_CAPACITY) {
        call->status = nalu_decompression_session_decode_frame(call->session, reordered.samples[accepted % 40],
                                                               flags_of_round, FRAME(accepted), NULL);
        if (call->status != NALU_STATUS_OK) break;
        if (++accepted == 10) event_signal(&call->called);
    }
    /* The other thread may be late, when there is no room for more results. */
    while (call->status == NALU_STATUS_OK) {
        sleep_milliseconds(1);
        call->status = nalu_decompression_session_finish_delayed_frames(call->session);
    }
    return (void *)(uintptr_t)accepted;
}

static void no_callback_follows_invalidate_during_decoding(void) {
    for (int round = 0; round < 20; round++) {
        waiting_call call = {make_decoder_with(clip_format(&reordered), 0, round % 3 + 1, record_decoded, &all), EVENT_INIT,
                             0};
        flags_of_round = round % 2 ? ASYNCHRONOUS : 0;
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, decode_until_invalid, &call) == 0);
        event_wait(&call.called);
        CHECK_OK(nalu_decompression_session_invalidate(call.session));
        size_t count = decoded_count(&all);
        void *accepted = NULL;
        pthread_join(thread, &accepted);
        CHECK_STATUS(call.status, NALU_STATUS_INVALID_SESSION);
        CHECK_EQ((uintptr_t)accepted, count);
        check_decoded_or_dropped(&all, count);
        nalu_decompression_session_release(call.session);
        CHECK_EQ(decoded_count(&all), count);
        decoded_clear(&all);
    }
}

int main(void) {
    make_clip(&plain, 40, false);
    make_clip(&reordered, 40, true);
    RUN(pending_samples_are_reported_as_dropped);
    RUN(an_invalid_session_refuses_calls);
    RUN(destroy_refcon_is_called_once);
    RUN(invalidate_waits_for_the_callback_in_progress);
    RUN(invalidate_ends_waiting_calls);
    RUN(no_callback_follows_invalidate_during_decoding);
    clip_close(&plain);
    clip_close(&reordered);
    return check_result();
}
