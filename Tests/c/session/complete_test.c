/* complete_frames: the frames that are delivered when it returns, and the session's further use. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static bool has_come_back(size_t number) {
    pthread_mutex_lock(&all.mutex);
    bool found = false;
    for (size_t i = 0; i < all.count; i++) found = found || FRAME_NUMBER(all.results[i].frame_refcon) == number;
    pthread_mutex_unlock(&all.mutex);
    return found;
}

static void times_that_are_not_numeric_mean_all_frames(void) {
    nalu_time infinite = nalu_time_make_with_seconds(INFINITY, 1);
    nalu_time minus_infinite = nalu_time_make_with_seconds(-INFINITY, 1);
    nalu_time no_timescale = {5, 0, NALU_TIME_VALID, 0};
    const nalu_time times[] = {nalu_time_invalid(), nalu_time_indefinite(), infinite, minus_infinite, no_timescale};
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    unsigned frames = 0;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        for (int k = 0; k < 7; k++) CHECK_OK(encode_picture(session, frames++));
        if (can_delay()) CHECK(pending_frames(session) > 0);
        CHECK_OK(nalu_compression_session_complete_frames(session, times[i]));
        CHECK_EQ(recorder_count(&all), frames);
        CHECK_EQ(pending_frames(session), 0);
    }
    check_all_encoded(&all, frames);
    end_session(session, &all);
}

static void frames_up_to_and_including_the_time_are_delivered(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    encode_pictures(session, 20);
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_make(7 * 1000, 30000)));
    for (size_t i = 0; i <= 7; i++) CHECK(has_come_back(i));
    for (unsigned i = 20; i < 40; i++) CHECK_OK(encode_picture(session, i));
    CHECK_OK(nalu_compression_session_complete_frames(session, frame_time(39)));
    CHECK_EQ(recorder_count(&all), 40);
    check_all_encoded(&all, 40);
    check_decode_times(&all);
    end_session(session, &all);
}

/* 20 frames are pending. A time before all of them, or of delivered frames, requires nothing from the encoder. */
static void completing_delivered_frames_changes_nothing(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    for (unsigned i = 10; i < 40; i++) CHECK_OK(encode_picture(session, i));
    CHECK_OK(nalu_compression_session_complete_frames(session, frame_time(9)));
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_make(INT64_MIN, 1)));
    if (can_delay()) CHECK(pending_frames(session) > 0);
    CHECK_OK(complete_all(session));
    CHECK_EQ(all.count, 30);
    for (size_t i = 1; i < all.count; i++) CHECK_EQ(nalu_sample_is_key_frame(all.results[i].sample), 0);
    end_session(session, &all);
}

static void completing_without_frames_returns_at_once(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    CHECK_OK(complete_all(session));
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(complete_all(session));
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_zero()));
    CHECK_OK(encode_picture(session, 0));
    CHECK_OK(complete_all(session));
    complete_and_check(session, &all, 1);
    end_session(session, &all);
}

/* Flushes the encoder after every `pause` frames. Only a key frame may show this in the stream. */
static void check_use_after_complete(unsigned pause, void (*configure)(nalu_compression_session *), bool holds_back) {
    nalu_compression_session *session = make_session(record_result, &all);
    if (configure) configure(session);
    for (unsigned i = 0; i < 60; i++) {
        CHECK_OK(encode_picture(session, i));
        if (i % pause == pause - 1) {
            CHECK_OK(complete_all(session));
            CHECK_EQ(recorder_count(&all), i + 1);
        }
    }
    complete_and_check(session, &all, 60);
    check_decode_times(&all);
    judge_results(&all, __func__);
    nalu_format_description *first = nalu_sample_get_format_description(all.results[0].sample);
    for (size_t i = 0; i < all.count; i++) {
        nalu_sample *sample = all.results[i].sample;
        size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
        CHECK_PTR_EQ(nalu_sample_get_format_description(sample), first);
        CHECK(same_time(nalu_sample_get_presentation_time(sample), frame_time((int64_t)number)));
        CHECK_EQ(number / pause, i / pause);
        CHECK_EQ(nalu_sample_is_key_frame(sample), holds_back ? number % pause == 0 : number == 0);
    }
    end_session(session, &all);
}

static void a_session_that_reorders_continues_with_a_key_frame(void) {
    check_use_after_complete(20, make_reordering, can_delay());
    check_use_after_complete(7, make_reordering, can_delay());
}

/* The other presets of x265 make a key frame of a picture that differs from the one before, as some of these do. */
static void make_usual(nalu_compression_session *session) {
    if (is_tested("x265")) CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X265_PRESET, "ultrafast"));
}

static void the_default_session_continues_with_a_key_frame(void) {
    check_use_after_complete(12, make_usual, can_delay());
}

static void completing_after_every_single_frame_makes_every_frame_a_key_frame(void) {
    check_use_after_complete(1, make_reordering, can_delay());
    check_use_after_complete(2, make_reordering, can_delay());
}

static void a_session_without_delay_continues_without_a_key_frame(void) {
    check_use_after_complete(1, make_immediate, false);
    check_use_after_complete(13, make_immediate, false);
}

/* Frames at intervals of one second without a duration: the first decode times must not jump at the second
 * frame. */
static void decode_times_increase_when_the_first_frames_are_completed_one_by_one(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    uint8_t pixels[PICTURE_SIZE];
    for (unsigned i = 0; i < 6; i++) {
        draw_picture(pixels, i);
        CHECK_OK(encode_pixels(session, pixels, nalu_time_make(i, 1), NULL, FRAME(i)));
        CHECK_OK(complete_all(session));
    }
    check_all_encoded(&all, 6);
    check_decode_times(&all);
    end_session(session, &all);
}

static void properties_changed_before_complete_hold_after_it(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 100));
    encode_pictures(session, 10);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5));
    CHECK_OK(complete_all(session));
    for (unsigned i = 10; i < 30; i++) CHECK_OK(encode_picture(session, i));
    CHECK_OK(complete_all(session));
    for (size_t i = 0; i < all.count; i++) {
        size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
        CHECK_EQ(nalu_sample_is_key_frame(all.results[i].sample), number == 0 || (number >= 10 && number % 5 == 0));
    }
    REFUSED(nalu_session_set_string(session, tested()->late, tested()->values[0]), NALU_STATUS_TOO_LATE, tested()->late,
            "first frame");
    end_session(session, &all);
}

static void *complete_many_times(void *session) {
    for (int i = 0; i < 50; i++) CHECK_OK(complete_all((nalu_compression_session *)session));
    return NULL;
}

static void several_threads_may_complete_while_another_encodes(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, complete_many_times, session) == 0);
    encode_pictures(session, 100);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    complete_and_check(session, &all, 100);
    check_decode_times(&all);
    end_session(session, &all);
}

int main(void) {
    RUN(times_that_are_not_numeric_mean_all_frames);
    RUN(frames_up_to_and_including_the_time_are_delivered);
    RUN(completing_delivered_frames_changes_nothing);
    RUN(completing_without_frames_returns_at_once);
    RUN(a_session_that_reorders_continues_with_a_key_frame);
    RUN(the_default_session_continues_with_a_key_frame);
    RUN(completing_after_every_single_frame_makes_every_frame_a_key_frame);
    RUN(a_session_without_delay_continues_without_a_key_frame);
    RUN(decode_times_increase_when_the_first_frames_are_completed_one_by_one);
    RUN(properties_changed_before_complete_hold_after_it);
    RUN(several_threads_may_complete_while_another_encodes);
    RUN(judge_streams);
    return check_result();
}
