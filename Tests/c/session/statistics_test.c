/* nalu_compression_session_get_statistics: compared with the test's own counts, at any time and from any
 * thread. */
#include "refusal.h"
#include "session_support.h"

static recorder all = RECORDER_INIT;

static nalu_session_statistics statistics_of(nalu_compression_session *session) {
    nalu_session_statistics it;
    memset(&it, 0x5a, sizeof it);
    it.struct_size = sizeof it;
    REQUIRE_OK(nalu_compression_session_get_statistics(session, &it));
    CHECK_EQ(it.struct_size, sizeof it);
    CHECK_EQ(it.reserved, 0);
    CHECK_EQ(it.accepted_frames, it.encoded_frames + it.dropped_frames + it.failed_frames + it.pending_frames);
    CHECK(it.key_frames <= it.encoded_frames);
    return it;
}

static double seconds_of(const nalu_sample *sample) {
    return nalu_time_get_seconds(nalu_sample_get_decode_time(sample));
}

static double bits_of(const nalu_sample *sample) {
    size_t size = 0;
    (void)nalu_sample_get_data(sample, &size);
    return 8.0 * (double)size;
}

/* Computes the same from the results, all of which have samples. */
static void check_against_samples(nalu_compression_session *session) {
    const nalu_session_statistics it = statistics_of(session);
    const size_t last = all.count - 1;
    size_t first = last;
    uint64_t keys = 0;
    double bits = 0, recent_bits = 0, qp = 0;
    for (size_t i = 0; i <= last; i++) {
        const nalu_sample *sample = all.results[i].sample;
        bits += bits_of(sample);
        qp += nalu_sample_get_average_qp(sample);
        keys += (uint64_t)nalu_sample_is_key_frame(sample);
    }
    const double end = seconds_of(all.results[last].sample);
    while (first > 0 && seconds_of(all.results[first].sample) > end - 1)
        recent_bits += bits_of(all.results[--first].sample);
    const double mean = (bits - bits_of(all.results[last].sample)) / (end - seconds_of(all.results[0].sample));
    const double current = recent_bits / (end - seconds_of(all.results[first].sample));
    CHECK_EQ(it.accepted_frames, all.count);
    CHECK_EQ(it.encoded_frames, all.count);
    CHECK_EQ(it.pending_frames, 0);
    CHECK_EQ(it.key_frames, keys);
    CHECK_EQ(it.bytes, bits / 8);
    CHECK_NEAR(it.mean_qp, qp / (double)all.count, 1e-9);
    CHECK_NEAR(it.last_qp, nalu_sample_get_average_qp(all.results[last].sample), 0);
    if (last == 0) {
        CHECK(isnan(it.mean_bit_rate) && isnan(it.current_bit_rate));
    } else {
        CHECK_NEAR(it.mean_bit_rate, mean, mean * 1e-9);
        CHECK_NEAR(it.current_bit_rate, current, current * 1e-9);
    }
}

static double now_in_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check_nothing_is_known(nalu_compression_session *session) {
    const nalu_session_statistics it = statistics_of(session);
    CHECK_EQ(it.accepted_frames, 0);
    CHECK_EQ(it.encoded_frames, 0);
    CHECK_EQ(it.dropped_frames, 0);
    CHECK_EQ(it.failed_frames, 0);
    CHECK_EQ(it.pending_frames, 0);
    CHECK_EQ(it.key_frames, 0);
    CHECK_EQ(it.bytes, 0);
    CHECK(isnan(it.mean_qp) && isnan(it.last_qp) && isnan(it.current_bit_rate) && isnan(it.mean_bit_rate));
    CHECK(isnan(it.encode_time_p50) && isnan(it.encode_time_p99) && isnan(it.longest_encode_time));
}

static void before_the_first_frame_nothing_is_known(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    check_nothing_is_known(session);
    CHECK_OK(nalu_compression_session_prepare(session));
    check_nothing_is_known(session);
    CHECK_OK(nalu_compression_session_invalidate(session));
    check_nothing_is_known(session);
    nalu_compression_session_release(session);
}

static void values_are_those_of_the_samples(void) {
    for (int reordering = 0; reordering < 2; reordering++) {
        nalu_compression_session *session = make_session(record_result, &all);
        if (reordering) make_reordering(session);
        else make_immediate(session);
        REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 20));
        const double start = now_in_seconds();
        for (unsigned i = 0; i < 100; i++) {
            REQUIRE_OK(encode_picture(session, i));
            if (i != 0 && i != 1 && i != 50) continue;
            REQUIRE_OK(complete_all(session));
            check_against_samples(session);
        }
        REQUIRE_OK(complete_all(session));
        const double passed = now_in_seconds() - start;
        check_against_samples(session);
        const nalu_session_statistics it = statistics_of(session);
        CHECK(it.key_frames >= 5);
        CHECK(it.encode_time_p50 > 0 && it.encode_time_p50 <= it.encode_time_p99);
        CHECK(it.encode_time_p99 <= it.longest_encode_time && it.longest_encode_time <= passed);
        /* Half of the frames took at least as long as the median. */
        CHECK(it.encode_time_p50 * 50 <= passed);
        end_session(session, &all);
    }
}

/* A varying frame rate, a long gap, and a very high frame rate. */
static void rates_follow_decode_times(void) {
    uint8_t pixels[PICTURE_SIZE];
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    int64_t time = 1000000;
    for (unsigned i = 0; i < 200; i++) {
        time += i == 90 ? 5000 : i > 150 ? 1 : 10 + i % 7 * 20;
        draw_picture(pixels, i);
        REQUIRE_OK(encode_pixels(session, pixels, nalu_time_make(time, 1000), NULL, NULL));
        if (i % 30 != 0 && i != 91 && i != 199) continue;
        REQUIRE_OK(complete_all(session));
        check_against_samples(session);
    }
    end_session(session, &all);
}

static void refused_frames_are_not_counted(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 5));
    CHECK_STATUS(encode_picture(session, 5), NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(encode_picture(session, 4), NALU_STATUS_INVALID_TIME);
    CHECK_OK(complete_all(session));
    CHECK_EQ(statistics_of(session).accepted_frames, 1);
    check_against_samples(session);
    end_session(session, &all);
}

static void pending_frames_count_as_pending_then_as_encoded(void) {
    static gate door = GATE_INIT;
    nalu_compression_session *session = make_session(record_when_open, &door);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&door.entered);
    CHECK_OK(encode_picture(session, 1));
    nalu_session_statistics it = statistics_of(session);
    CHECK_EQ(it.accepted_frames, 2);
    CHECK_EQ(it.pending_frames, 2);
    CHECK_EQ(it.pending_frames, pending_frames(session));
    CHECK_EQ(it.bytes, 0);
    CHECK(isnan(it.last_qp));
    /* The encoder has accepted the first frame. */
    CHECK(it.encode_time_p50 > 0);
    CHECK_NEAR(it.encode_time_p50, it.longest_encode_time, 0);
    event_signal(&door.opened);
    CHECK_OK(complete_all(session));
    it = statistics_of(session);
    CHECK_EQ(it.encoded_frames, 2);
    CHECK_EQ(it.pending_frames, 0);
    end_session(session, &door.results);
}

static void dropped_frames_are_counted_and_an_invalid_session_answers(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_reordering(session);
    encode_pictures(session, 20);
    CHECK_OK(nalu_compression_session_invalidate(session));
    const size_t dropped = check_each_once_encoded_or_dropped(&all, 20);
    const nalu_session_statistics it = statistics_of(session);
    if (can_delay()) CHECK(dropped >= 10);
    CHECK_EQ(it.accepted_frames, 20);
    CHECK_EQ(it.dropped_frames, dropped);
    CHECK_EQ(it.encoded_frames, 20 - dropped);
    CHECK_EQ(it.failed_frames, 0);
    CHECK_EQ(it.pending_frames, 0);
    CHECK(it.longest_encode_time > 0);
    end_session(session, &all);
}

/* ---- The callback and other threads ---- */

static nalu_compression_session *asked;
static uint64_t calls;

static void ask(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    const nalu_session_statistics it = statistics_of(asked);
    /* The frame that is being delivered is not counted yet. */
    CHECK_EQ(it.encoded_frames, calls);
    CHECK(it.pending_frames >= 1);
    CHECK(it.encode_time_p50 > 0);
    calls++;
    record_result(refcon, frame, status, flags, sample);
}

static void statistics_can_be_read_inside_the_callback(void) {
    asked = make_session(ask, &all);
    make_immediate(asked);
    for (unsigned i = 0; i < 30; i++) REQUIRE_OK(encode_picture(asked, i));
    REQUIRE_OK(complete_all(asked));
    CHECK_EQ(calls, 30);
    check_against_samples(asked);
    end_session(asked, &all);
}

static int is_over;

/* Checks that no count decreases. */
static void *watch(void *session) {
    nalu_session_statistics before = statistics_of((nalu_compression_session *)session);
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
        const nalu_session_statistics now = statistics_of((nalu_compression_session *)session);
        CHECK(now.accepted_frames >= before.accepted_frames && now.encoded_frames >= before.encoded_frames);
        CHECK(now.dropped_frames >= before.dropped_frames && now.bytes >= before.bytes);
        CHECK(!(now.longest_encode_time < before.longest_encode_time));
        before = now;
    }
    return NULL;
}

static void statistics_can_be_read_from_other_threads(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    pthread_t threads[2];
    make_immediate(session);
    for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&threads[i], NULL, watch, session) == 0);
    for (unsigned i = 0; i < 300; i++) REQUIRE_OK(encode_picture(session, i));
    REQUIRE_OK(complete_all(session));
    check_against_samples(session);
    REQUIRE_OK(nalu_compression_session_invalidate(session));
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    end_session(session, &all);
}

/* ---- Arguments ---- */

static void statistics_structs_of_other_versions_are_filled(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_session_statistics it;
    struct {
        nalu_session_statistics known;
        unsigned char later[64];
    } newer;
    memset(&it, 0x5a, sizeof it);
    const nalu_session_statistics same = it;
    const uint32_t small[] = {0, 1, 4, 8, sizeof it - 1};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        it.struct_size = small[i];
        REFUSED(nalu_compression_session_get_statistics(session, &it), NALU_STATUS_PARAMETER, "statistics->struct_size",
                "expected at least 136");
        CHECK_EQ(it.struct_size, small[i]);
        CHECK_BYTES((char *)&it + 4, (const char *)&same + 4, sizeof it - 4);
    }
    /* A client of a later version: fields unknown to this library keep their contents. */
    memset(&newer, 0x5a, sizeof newer);
    newer.known.struct_size = sizeof newer;
    CHECK_OK(nalu_compression_session_get_statistics(session, &newer.known));
    CHECK_EQ(newer.known.struct_size, sizeof newer);
    CHECK_EQ(newer.known.accepted_frames, 0);
    CHECK(isnan(newer.known.longest_encode_time));
    for (size_t i = 0; i < sizeof newer.later; i++) CHECK_EQ(newer.later[i], 0x5a);
    nalu_compression_session_release(session);
}

static void wrong_handles_are_refused(void) {
    static zeros nothing;
    nalu_compression_session *session = make_session(record_result, &all);
    nalu_session_statistics it = {.struct_size = sizeof it, .bytes = 7};
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, &buffer));
    REFUSED(nalu_compression_session_get_statistics(NULL, &it), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_compression_session_get_statistics(session, NULL), NALU_STATUS_PARAMETER, "statistics is NULL");
    REFUSED(nalu_compression_session_get_statistics((nalu_compression_session *)(void *)buffer, &it),
            NALU_STATUS_INVALID_HANDLE, "session", "nalu_compression_session");
    REFUSED(nalu_compression_session_get_statistics((nalu_compression_session *)(void *)nothing.bytes, &it),
            NALU_STATUS_INVALID_HANDLE, "session");
    CHECK_EQ(it.bytes, 7);
    nalu_pixel_buffer_release(buffer);
    nalu_compression_session_release(session);
}

int main(void) {
    RUN(before_the_first_frame_nothing_is_known);
    RUN(values_are_those_of_the_samples);
    RUN(rates_follow_decode_times);
    RUN(refused_frames_are_not_counted);
    RUN(pending_frames_count_as_pending_then_as_encoded);
    RUN(dropped_frames_are_counted_and_an_invalid_session_answers);
    RUN(statistics_can_be_read_inside_the_callback);
    RUN(statistics_can_be_read_from_other_threads);
    RUN(statistics_structs_of_other_versions_are_filled);
    RUN(wrong_handles_are_refused);
    return check_result();
}
