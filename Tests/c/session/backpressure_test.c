/* A slow callback slows the session down. MaxFrameDelayCount limits how far. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static gate blocked = GATE_INIT;
static nalu_compression_session *session;

static void frames_beyond_the_bound_are_not_accepted_without_waiting(void) {
    session = make_session(record_when_open, &blocked);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    unsigned accepted = 1;
    nalu_status status = NALU_STATUS_OK;
    while (accepted < 100 && (status = try_picture(session, accepted)) == NALU_STATUS_OK) accepted++;
    CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
    CHECK_EQ(accepted, 4);
    CHECK_EQ(pending_frames(session), accepted);

    nalu_encode_info_flags flags = NALU_ENCODE_INFO_ASYNCHRONOUS;
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = NALU_FRAME_DO_NOT_WAIT;
    static uint8_t pixels[PICTURE_SIZE];
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    CHECK_STATUS(nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes,
                                                        strides, NULL, frame_time(100), nalu_time_invalid(), &options,
                                                        NULL, &flags), NALU_STATUS_WOULD_BLOCK);
    CHECK_EQ(flags, 0);
}

static event handed_in = EVENT_INIT;

static void *hand_in_one_more(void *number) {
    CHECK_OK(encode_picture(session, (unsigned)(uintptr_t)number));
    event_signal(&handed_in);
    return NULL;
}

/* The session of the previous test is still full. A rejected time (100/30 s) must not count as the last one. */
static void encode_waits_until_there_is_room(void) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, hand_in_one_more, (void *)4) == 0);
    CHECK(!event_wait_for(&handed_in, 100));
    CHECK_EQ(pending_frames(session), 4);
    event_signal(&blocked.opened);
    event_wait(&handed_in);
    pthread_join(thread, NULL);
    complete_and_check(session, &blocked.results, 5);
    end_session(session, &blocked.results);
}

static unsigned refused;

/* Makes nine callbacks last until encode has rejected a frame. So the callback is slower than the client on any
 * machine. */
static void record_slowly(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                          nalu_sample *sample) {
    const unsigned before = __atomic_load_n(&refused, __ATOMIC_SEQ_CST);
    if (FRAME_NUMBER(frame_refcon) < 90 && FRAME_NUMBER(frame_refcon) % 10 == 0)
        WAIT_UNTIL(__atomic_load_n(&refused, __ATOMIC_SEQ_CST) > before);
    record_result(refcon, frame_refcon, status, flags, sample);
}

static void a_slow_callback_loses_no_frame(void) {
    session = make_session(record_slowly, &all);
    make_immediate(session);
    unsigned accepted = 0;
    while (accepted < 100) {
        nalu_status status = try_picture(session, accepted);
        if (status == NALU_STATUS_OK) {
            accepted++;
            continue;
        }
        if (!CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK)) break;
        __atomic_add_fetch(&refused, 1, __ATOMIC_SEQ_CST);
        sleep_milliseconds(1);
    }
    CHECK(refused >= 9);
    for (; accepted < 120; accepted++) CHECK_OK(encode_picture(session, accepted));
    complete_and_check(session, &all, 120);
    end_session(session, &all);
}

/* Encodes two frames for each sample, until another thread has encoded a frame with a later time. */
static unsigned fed, given;

static void feed(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    (void)refcon, (void)frame_refcon, (void)flags, (void)sample;
    CHECK_STATUS(status, NALU_STATUS_OK);
    __atomic_add_fetch(&given, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; i++) {
        nalu_status answer = encode_picture(session, fed);
        if (answer != NALU_STATUS_OK) break;
        fed++;
    }
}

/* A callback that always encodes more frames does not block the frames of other threads. */
static void a_waiting_thread_is_not_delayed_by_a_callback_that_encodes(void) {
    session = make_session(feed, NULL);
    make_immediate(session);
    pthread_t thread;
    fed = 1, given = 0;
    CHECK_OK(encode_picture(session, 0));
    WAIT_UNTIL(__atomic_load_n(&given, __ATOMIC_SEQ_CST) > 20);
    REQUIRE(pthread_create(&thread, NULL, hand_in_one_more, (void *)100000000) == 0);
    CHECK(event_wait_for(&handed_in, 20000));
    if (check_failures) CHECK_OK(nalu_compression_session_invalidate(session));
    pthread_join(thread, NULL);
    CHECK_OK(complete_all(session));
    CHECK_EQ(given, fed + 1);
    nalu_compression_session_release(session);
}

/* ---- MaxFrameDelayCount -------------------------------------------------------------------------------------- */

/* Checks that frame N - M is delivered before the encode call of frame N returns. */
static void check_delay(int64_t delay, int64_t threads) {
    session = make_session(record_result, &all);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, delay));
    char params[32];
    snprintf(params, sizeof params, "threads=%d", (int)threads);
    if (threads > 0) CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, params));
    bool back[64] = {false};
    for (unsigned i = 0; i < 60; i++) {
        CHECK_OK(encode_picture(session, i));
        pthread_mutex_lock(&all.mutex);
        for (size_t k = 0; k < all.count; k++) back[FRAME_NUMBER(all.results[k].frame_refcon)] = true;
        pthread_mutex_unlock(&all.mutex);
        for (int64_t k = 0; k <= (int64_t)i - delay; k++) CHECK(back[k]);
        CHECK(pending_frames(session) <= delay);
    }
    complete_and_check(session, &all, 60);
    check_decode_times(&all);
    int64_t depth = -1;
    CHECK_OK(nalu_session_get_int64(session, NALU_PROPERTY_REORDER_DEPTH, &depth));
    CHECK(depth >= 0 && depth <= 2 && depth <= delay);
    end_session(session, &all);
}

static void a_delay_of_0_delivers_each_frame_before_its_encode_returns(void) { check_delay(0, 0); }
static void a_small_delay_is_kept(void) {
    for (int64_t delay = 1; delay <= 8; delay++) check_delay(delay, 0);
}
static void a_delay_of_20_is_kept(void) { check_delay(20, 0); }
static void a_delay_is_kept_with_any_number_of_threads(void) {
    for (int64_t threads = 1; threads <= 4; threads++) check_delay(5, threads);
}

/* A delay with room for B-frames: a frame is delivered after later ones, and still in time. */
static void a_delay_with_room_for_reordering_reorders(void) {
    for (int64_t delay = can_delay() ? tested()->least_delay : 9; delay <= 8; delay++) {
        session = make_session(record_result, &all);
        CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, delay));
        CHECK_OK(nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1));
        CHECK_OK(nalu_compression_session_prepare(session));
        int64_t depth = -1;
        CHECK_OK(nalu_session_get_int64(session, NALU_PROPERTY_REORDER_DEPTH, &depth));
        CHECK(depth > 0 && depth < delay);
        nalu_compression_session_release(session);
    }
}

static void a_delay_without_room_for_reordering_refuses_it(void) {
    session = make_session(record_result, &all);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, can_delay() ? tested()->least_delay - 1 : 8));
    nalu_status status = nalu_session_set_bool(session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1);
    if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(session);
    REFUSED(status, NALU_STATUS_CONFLICT, "AllowFrameReordering");
    nalu_compression_session_release(session);
}

static void the_delay_holds_after_complete(void) {
    session = make_session(record_result, &all);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 3));
    for (unsigned i = 0; i < 30; i++) {
        CHECK_OK(encode_picture(session, i));
        if (i % 7 == 6) CHECK_OK(complete_all(session));
        CHECK(pending_frames(session) <= 3);
    }
    complete_and_check(session, &all, 30);
    end_session(session, &all);
}

int main(void) {
    RUN(frames_beyond_the_bound_are_not_accepted_without_waiting);
    RUN(encode_waits_until_there_is_room);
    RUN(a_slow_callback_loses_no_frame);
    RUN(a_waiting_thread_is_not_delayed_by_a_callback_that_encodes);
    RUN(a_delay_of_0_delivers_each_frame_before_its_encode_returns);
    RUN(a_small_delay_is_kept);
    RUN(a_delay_of_20_is_kept);
    if (is_tested("x264")) RUN(a_delay_is_kept_with_any_number_of_threads);
    RUN(a_delay_with_room_for_reordering_reorders);
    RUN(a_delay_without_room_for_reordering_refuses_it);
    RUN(the_delay_holds_after_complete);
    return check_result();
}
