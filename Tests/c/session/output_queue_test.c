/* The output queue: threads and event loops can fetch all results of a session, in order. */
#include "session_support.h"

#include <poll.h>
#include <pthread.h>

static nalu_output_queue *make_queue(void) {
    nalu_output_queue *queue = NULL;
    REQUIRE_OK(nalu_output_queue_create(&queue));
    return queue;
}

static nalu_compression_session *make_queued_session(nalu_output_queue *queue) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, nalu_output_queue_receive,
                                               queue, nalu_output_queue_close, &session));
    return session;
}

static bool is_readable(nalu_output_queue *queue, int milliseconds) {
    struct pollfd wanted = {nalu_output_queue_get_file_descriptor(queue), POLLIN, 0};
    return poll(&wanted, 1, milliseconds) == 1;
}

static void frames_are_fetched_in_order(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *session = make_queued_session(queue);
    make_reordering(session);
    encode_pictures(session, 30);
    CHECK_OK(complete_all(session));
    CHECK_EQ(nalu_output_queue_get_count(queue), 30);
    nalu_time last = nalu_time_invalid();
    bool seen[30] = {false};
    for (unsigned i = 0; i < 30; i++) {
        nalu_output output = {.struct_size = sizeof output};
        REQUIRE_OK(nalu_output_queue_next(queue, 0, &output));
        CHECK_STATUS(output.status, NALU_STATUS_OK);
        CHECK_EQ(output.info_flags, 0);
        CHECK_EQ(output.reserved, 0);
        CHECK_EQ(output.struct_size, sizeof output);
        REQUIRE(output.sample != NULL && FRAME_NUMBER(output.frame_refcon) < 30);
        CHECK_PTR_EQ(nalu_sample_get_frame_refcon(output.sample), output.frame_refcon);
        seen[FRAME_NUMBER(output.frame_refcon)] = true;
        nalu_time time = nalu_sample_get_decode_time(output.sample);
        if (i > 0) CHECK(nalu_time_compare(last, time) < 0);
        last = time;
        nalu_sample_release(output.sample);
    }
    for (unsigned i = 0; i < 30; i++) CHECK(seen[i]);
    CHECK_EQ(nalu_output_queue_get_count(queue), 0);
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);
}

static void the_end_is_reported_after_the_last_frame(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *session = make_queued_session(queue);
    make_immediate(session);
    nalu_output output = {.struct_size = sizeof output};
    CHECK_STATUS(nalu_output_queue_next(queue, 0, &output), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_output_queue_next(queue, 0.01, &output), NALU_STATUS_WOULD_BLOCK);
    CHECK(!is_readable(queue, 0));
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
    CHECK(is_readable(queue, 0));
    CHECK_OK(nalu_output_queue_next(queue, 0, &output));
    nalu_sample_release(output.sample);
    CHECK(is_readable(queue, 0));
    CHECK_STATUS(nalu_output_queue_next(queue, 0, &output), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_STATUS(nalu_output_queue_next(queue, -1, &output), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK(is_readable(queue, 0));
    nalu_output_queue_release(queue);
}

static void the_descriptor_is_readable_while_there_is_something(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *session = make_queued_session(queue);
    make_immediate(session);
    nalu_output output = {.struct_size = sizeof output};
    for (unsigned i = 0; i < 6; i += 2) {
        CHECK(!is_readable(queue, 0));
        CHECK_OK(encode_picture(session, i));
        CHECK_OK(encode_picture(session, i + 1));
        CHECK(is_readable(queue, 10000));
        CHECK_OK(complete_all(session));
        for (unsigned n = 0; n < 2; n++) {
            CHECK(is_readable(queue, 0));
            CHECK_OK(nalu_output_queue_next(queue, 0, &output));
            nalu_sample_release(output.sample);
        }
    }
    CHECK(!is_readable(queue, 0));
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);
}

/* Fetches each frame in a separate thread until the end. */
static void *fetch_all(void *argument) {
    nalu_output_queue *queue = (nalu_output_queue *)argument;
    size_t count = 0;
    nalu_output output = {.struct_size = sizeof output};
    nalu_status status;
    while ((status = nalu_output_queue_next(queue, INFINITY, &output)) == NALU_STATUS_OK) {
        CHECK(output.sample != NULL);
        nalu_sample_release(output.sample);
        count++;
    }
    CHECK_STATUS(status, NALU_STATUS_VALUE_NOT_AVAILABLE);
    return (void *)(uintptr_t)count;
}

static void several_threads_can_fetch_frames(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *session = make_queued_session(queue);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, fetch_all, queue) == 0);
    encode_pictures(session, 100);
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
    size_t count = 0;
    for (int i = 0; i < 3; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        count += (size_t)(uintptr_t)result;
    }
    CHECK_EQ(count, 100);
    nalu_output_queue_release(queue);
}

static void dropped_frames_have_their_status(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *session = make_queued_session(queue);
    make_reordering(session);
    encode_pictures(session, 4);
    CHECK_OK(nalu_compression_session_invalidate(session));
    for (unsigned i = 0; i < 4; i++) {
        nalu_output output = {.struct_size = sizeof output};
        CHECK_OK(nalu_output_queue_next(queue, 0, &output));
        CHECK_PTR_EQ(output.frame_refcon, FRAME(i));
        CHECK_PTR_EQ(output.sample, NULL);
        CHECK_STATUS(output.status, NALU_STATUS_INVALID_SESSION);
        CHECK_EQ(output.info_flags, NALU_ENCODE_INFO_FRAME_DROPPED);
    }
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);
}

/* AddressSanitizer checks that nothing leaks. */
static void the_last_of_several_sessions_closes_the_queue(void) {
    nalu_output_queue *queue = make_queue();
    nalu_compression_session *sessions[3];
    nalu_output output = {.struct_size = sizeof output};
    for (int i = 0; i < 3; i++) sessions[i] = make_queued_session(queue);
    for (int i = 0; i < 3; i++) {
        make_immediate(sessions[i]);
        CHECK_OK(encode_picture(sessions[i], 0));
        CHECK_OK(complete_all(sessions[i]));
        if (i == 1)
            nalu_compression_session_release(sessions[i]);
        else
            CHECK_OK(nalu_compression_session_invalidate(sessions[i]));
        REQUIRE_OK(nalu_output_queue_next(queue, 0, &output));
        nalu_sample_release(output.sample);
        CHECK_STATUS(nalu_output_queue_next(queue, 0, &output),
                     i < 2 ? NALU_STATUS_WOULD_BLOCK : NALU_STATUS_VALUE_NOT_AVAILABLE);
        CHECK_EQ(is_readable(queue, 0), i == 2);
    }
    nalu_compression_session_release(sessions[0]);
    nalu_compression_session_release(sessions[2]);

    /* A session whose creation failed does not count, and an explicit close takes effect at once. */
    nalu_compression_session *refused = NULL;
    nalu_output_queue_release(queue);
    queue = make_queue();
    CHECK_STATUS(nalu_compression_session_create(1, 1, NALU_CODEC_H264, NULL, NULL, nalu_output_queue_receive, queue,
                                                 nalu_output_queue_close, &refused), NALU_STATUS_INVALID_SIZE);
    sessions[0] = make_queued_session(queue);
    sessions[1] = make_queued_session(queue);
    nalu_compression_session_release(sessions[0]);
    CHECK_STATUS(nalu_output_queue_next(queue, 0, &output), NALU_STATUS_WOULD_BLOCK);
    nalu_output_queue_close(queue);
    CHECK_STATUS(nalu_output_queue_next(queue, 0, &output), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_compression_session_release(sessions[1]);
    nalu_output_queue_release(queue);
}

/* A callback's call to a queue, the event that permits it, and its result: 1 instead of a status until the
 * call. */
typedef struct asker {
    nalu_output_queue *queue;
    event *may_ask;
    nalu_compression_session *awaited;
    nalu_status fetched, waited;
    char sentence[400];
    int is_asked, waits; /* waits: 1 if the callback may wait */
} asker;

static void ask_without_limit(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                              nalu_sample *sample) {
    asker *it = (asker *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)sample;
    if (it->is_asked++) return;
    if (it->may_ask) event_wait(it->may_ask);
    if (it->waits) nalu_callback_allow_waits(1);
    nalu_output output = {.struct_size = sizeof output};
    it->fetched = nalu_output_queue_next(it->queue, -1, &output);
    snprintf(it->sentence, sizeof it->sentence, "%s", nalu_last_error_message());
    if (it->fetched == NALU_STATUS_OK) nalu_sample_release(output.sample);
}

static void wait_for_the_other(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                               nalu_sample *sample) {
    asker *it = (asker *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)sample;
    if (it->waits) nalu_callback_allow_waits(1);
    if (!it->is_asked++) it->waited = nalu_compression_session_complete_frames(it->awaited, nalu_time_invalid());
}

static nalu_status encode_to(nalu_compression_session *session, unsigned number, nalu_compression_output_callback callback,
                             void *refcon) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.callback = callback;
    options.callback_refcon = refcon;
    return encode_picture_with(session, number, &options);
}

/* Such waits would never end: the frames come from the session whose callback waits. */
static void waits_in_the_session_s_own_callback_are_refused(void) {
    /* The session delivers to the queue, and one frame has its own callback. */
    nalu_output_queue *queue = make_queue();
    asker asker = {.queue = queue, .fetched = 1, .waits = 1};
    nalu_compression_session *session = make_queued_session(queue);
    make_immediate(session);
    CHECK_OK(encode_to(session, 0, ask_without_limit, &asker));
    CHECK_OK(complete_all(session));
    CHECK_STATUS(asker.fetched, NALU_STATUS_WOULD_BLOCK);
    CHECK(strstr(asker.sentence, "callback"));
    /* An available frame is returned. */
    asker.is_asked = 0;
    CHECK_OK(encode_picture(session, 1));
    CHECK_OK(encode_to(session, 2, ask_without_limit, &asker));
    CHECK_OK(complete_all(session));
    CHECK_OK(asker.fetched);
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);

    /* The session has a callback, and one frame goes to the queue. */
    queue = make_queue();
    event is_given = EVENT_INIT;
    asker.queue = queue, asker.may_ask = &is_given, asker.fetched = 1, asker.is_asked = 0;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, ask_without_limit, &asker, NULL,
                                               &session));
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(encode_to(session, 1, nalu_output_queue_receive, queue));
    event_signal(&is_given);
    CHECK_OK(complete_all(session));
    CHECK_STATUS(asker.fetched, NALU_STATUS_WOULD_BLOCK);
    /* The delivered frame no longer prevents a wait. */
    nalu_output output = {.struct_size = sizeof output};
    CHECK_OK(nalu_output_queue_next(queue, 0, &output));
    nalu_sample_release(output.sample);
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);
}

/* Another session that delivers to the queue ends the wait, if the callback has permission to wait. */
static void *encode_a_little_later(void *argument) {
    sleep_milliseconds(50);
    CHECK_OK(encode_picture((nalu_compression_session *)argument, 0));
    return NULL;
}

static void waits_for_another_session_s_frames_end(void) {
    nalu_output_queue *queue = make_queue();
    asker asker = {.queue = queue, .fetched = 1};
    nalu_compression_session *session = make_queued_session(queue), *other = make_queued_session(queue);
    make_immediate(session), make_immediate(other);
    /* Without permission the wait is refused, even if another session delivers to the queue. */
    CHECK_OK(encode_to(session, 0, ask_without_limit, &asker));
    CHECK_OK(complete_all(session));
    CHECK_STATUS(asker.fetched, NALU_STATUS_WOULD_BLOCK);
    asker.is_asked = 0, asker.waits = 1;
    CHECK_OK(encode_to(session, 1, ask_without_limit, &asker));
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, encode_a_little_later, other) == 0);
    CHECK_OK(complete_all(session));
    pthread_join(thread, NULL);
    CHECK_OK(asker.fetched);
    nalu_compression_session_release(session);
    nalu_compression_session_release(other);
    nalu_output_queue_release(queue);
}

/* One session's callback waits for the other session, whose callback waits for the first session's frames. The
 * second of these waits is refused. */
static void deadlocks_over_a_queue_are_refused(void) {
    nalu_output_queue *queue = make_queue();
    asker asker = {.queue = queue, .fetched = 1, .waits = 1}, waiter = {.waited = 1, .waits = 1};
    nalu_compression_session *first = make_queued_session(queue), *second = NULL;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, ask_without_limit, &asker, NULL,
                                               &second));
    waiter.awaited = second;
    make_immediate(first), make_immediate(second);
    CHECK_OK(encode_picture(second, 0));
    CHECK_OK(encode_to(first, 0, wait_for_the_other, &waiter));
    CHECK_OK(complete_all(first));
    nalu_compression_session_release(first);
    CHECK_OK(complete_all(second));
    nalu_compression_session_release(second);
    CHECK((asker.fetched == NALU_STATUS_WOULD_BLOCK) != (waiter.waited == NALU_STATUS_WOULD_BLOCK));
    nalu_output_queue_release(queue);
}

static void frames_that_are_not_fetched_are_released(void) {
    nalu_output_queue *queue = make_queue();
    CHECK_PTR_EQ(nalu_output_queue_retain(queue), queue);
    nalu_compression_session *session = make_queued_session(queue);
    encode_pictures(session, 8);
    CHECK_OK(complete_all(session));
    nalu_compression_session_release(session);
    nalu_output_queue_release(queue);
    CHECK_EQ(nalu_output_queue_get_count(queue), 8);
    nalu_output_queue_release(queue);
}

static void wrong_arguments_are_refused(void) {
    nalu_output_queue *queue = make_queue();
    nalu_output output = {.struct_size = sizeof output};
    CHECK_STATUS(nalu_output_queue_create(NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_output_queue_next(NULL, 0, &output), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_output_queue_next(queue, 0, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_output_queue_next(queue, NAN, &output), NALU_STATUS_PARAMETER);
    CHECK_EQ(nalu_output_queue_get_count(NULL), 0);
    CHECK_EQ(nalu_output_queue_get_file_descriptor(NULL), -1);
    CHECK_PTR_EQ(nalu_output_queue_retain(NULL), NULL);
    nalu_output_queue_release(NULL);
    nalu_output_queue_close(NULL);
    nalu_output_queue_receive(NULL, NULL, 0, 0, NULL);

    uint64_t other[8] = {0};
    nalu_output_queue *wrong = (nalu_output_queue *)(void *)other;
    CHECK_STATUS(nalu_output_queue_next(wrong, 0, &output), NALU_STATUS_INVALID_HANDLE);
    CHECK_EQ(nalu_output_queue_get_count(wrong), 0);
    CHECK_EQ(nalu_output_queue_get_file_descriptor(wrong), -1);
    nalu_output_queue_receive(other, NULL, 0, 0, NULL);
    nalu_output_queue_close(other);
    nalu_output_queue_release(wrong);

    /* A struct that is too small for a frame does not lose the frame. */
    nalu_output_queue_receive(queue, FRAME(7), NALU_STATUS_ENCODER_MALFUNCTION, 0, NULL);
    output.struct_size = 8;
    CHECK_STATUS(nalu_output_queue_next(queue, 0, &output), NALU_STATUS_PARAMETER);
    output.struct_size = sizeof output;
    CHECK_OK(nalu_output_queue_next(queue, 0, &output));
    CHECK_PTR_EQ(output.frame_refcon, FRAME(7));
    CHECK_STATUS(output.status, NALU_STATUS_ENCODER_MALFUNCTION);
    nalu_output_queue_release(queue);
}

int main(void) {
    RUN(frames_are_fetched_in_order);
    RUN(the_end_is_reported_after_the_last_frame);
    RUN(the_descriptor_is_readable_while_there_is_something);
    RUN(several_threads_can_fetch_frames);
    RUN(dropped_frames_have_their_status);
    RUN(the_last_of_several_sessions_closes_the_queue);
    RUN(waits_in_the_session_s_own_callback_are_refused);
    RUN(waits_for_another_session_s_frames_end);
    RUN(deadlocks_over_a_queue_are_refused);
    RUN(frames_that_are_not_fetched_are_released);
    RUN(wrong_arguments_are_refused);
    return check_result();
}
