/* Presentation times and durations are returned bit for bit. Decode times increase and are never later than
 * presentation times. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

static uint8_t pixels[PICTURE_SIZE];

static nalu_status encode_at(nalu_compression_session *session, size_t number, nalu_time time, nalu_time duration) {
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    draw_picture(pixels, (unsigned)number);
    return nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides,
                                                  NULL, time, duration, NULL, FRAME(number), NULL);
}

static int64_t reorder_depth(nalu_compression_session *session) {
    int64_t depth = -1;
    CHECK_OK(nalu_session_get_int64(session, NALU_PROPERTY_REORDER_DEPTH, &depth));
    return depth;
}

/* Encodes frames at these times and checks the times of every sample. */
static void check_times(const nalu_time *times, const nalu_time *durations, size_t count,
                        void (*configure)(nalu_compression_session *)) {
    nalu_compression_session *session = make_session(record_result, &all);
    configure(session);
    for (size_t i = 0; i < count; i++)
        CHECK_OK(encode_at(session, i, times[i], durations ? durations[i] : nalu_time_invalid()));
    complete_and_check(session, &all, count);
    check_decode_times(&all);
    size_t depth = (size_t)reorder_depth(session);
    for (size_t i = 0; i < all.count; i++) {
        nalu_sample *sample = all.results[i].sample;
        size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
        CHECK(same_time(nalu_sample_get_presentation_time(sample), times[number]));
        CHECK(same_time(nalu_sample_get_duration(sample), durations ? durations[number] : nalu_time_invalid()));
        nalu_time decode = nalu_sample_get_decode_time(sample);
        if (i >= depth) CHECK(same_time(decode, times[i - depth]));
        else CHECK(nalu_time_compare(decode, times[0]) < 0);
    }
    end_session(session, &all);
}

static void check_times_with_and_without_reordering(const nalu_time *times, const nalu_time *durations, size_t count) {
    check_times(times, durations, count, make_immediate);
    check_times(times, durations, count, make_reordering);
}

enum { COUNT = 24 };

static void any_timescale_is_returned_bit_for_bit(void) {
    const int32_t timescales[] = {1, 7, 24, 600, 30000, 44100, 90000, 1000000, 1000000000, INT32_MAX};
    for (size_t t = 0; t < sizeof timescales / sizeof timescales[0]; t++) {
        nalu_time times[COUNT], durations[COUNT];
        for (int64_t i = 0; i < COUNT; i++) {
            times[i] = nalu_time_make(i * 1001 - 5000, timescales[t]);
            durations[i] = i % 3 == 0 ? nalu_time_invalid() : nalu_time_make(i % 2 ? 1001 : 0, timescales[t]);
        }
        check_times_with_and_without_reordering(times, durations, COUNT);
    }
}

static void timescales_may_change_from_frame_to_frame(void) {
    const int32_t timescales[] = {30, 90000, 1, 1001, INT32_MAX, 30000, INT32_MAX - 1, 600};
    nalu_time times[COUNT], durations[COUNT];
    for (int i = 0; i < COUNT; i++) {
        int32_t scale = timescales[i % 8];
        times[i] = nalu_time_make(((int64_t)i + 1) * scale, scale);
        durations[i] = nalu_time_make(1, timescales[(i + 3) % 8]);
    }
    check_times_with_and_without_reordering(times, durations, COUNT);
}

static void flags_and_epoch_are_returned(void) {
    nalu_time times[COUNT];
    for (int i = 0; i < COUNT; i++) {
        times[i] = nalu_time_make(i, 30);
        times[i].epoch = 7;
        if (i % 2) times[i].flags |= NALU_TIME_HAS_BEEN_ROUNDED;
        if (i % 3 == 0) times[i].flags |= 1u << 31;
    }
    check_times_with_and_without_reordering(times, times, COUNT);
}

/* Epochs are compared before values, so the clock may restart in the next epoch. */
static void a_later_epoch_is_later(void) {
    nalu_time times[COUNT];
    for (int i = 0; i < COUNT; i++) {
        times[i] = nalu_time_make(i % 5, 30);
        times[i].epoch = i / 5 - 2;
    }
    check_times_with_and_without_reordering(times, NULL, COUNT);
    for (int i = 0; i < COUNT; i++) {
        times[i] = nalu_time_make(1000 - i, 30);
        times[i].epoch = i;
    }
    check_times_with_and_without_reordering(times, times, COUNT);
}

static void frames_may_be_any_time_apart(void) {
    const int64_t gaps[] = {1, 3000, 1, 90000LL * 3600 * 5, 2, 90000LL * 86400 * 365, 3003, 1, 1, 90000LL * 3600};
    nalu_time times[COUNT];
    int64_t value = 0;
    for (int i = 0; i < COUNT; i++) {
        times[i] = nalu_time_make(value, 90000);
        value += gaps[i % 10];
    }
    check_times_with_and_without_reordering(times, NULL, COUNT);
}

static void values_may_be_huge(void) {
    const int32_t timescales[] = {1, 30, 90000, INT32_MAX};
    for (int t = 0; t < 4; t++) {
        nalu_time times[COUNT], durations[COUNT];
        for (int i = 0; i < COUNT; i++) {
            times[i] = nalu_time_make(INT64_MAX - COUNT + i, timescales[t]);
            durations[i] = nalu_time_make(INT64_MAX - i, timescales[3 - t]);
        }
        check_times_with_and_without_reordering(times, durations, COUNT);
        for (int i = 0; i < COUNT; i++) times[i].value = INT64_MIN + 10 + i;
        check_times_with_and_without_reordering(times, NULL, COUNT);
        for (int i = 0; i < COUNT; i++) times[i].value = (int64_t)(UINT64_MAX / COUNT * (unsigned)i + (1ull << 63));
        check_times(times, NULL, COUNT, make_immediate);
    }
}

/* With reordering the first decode times are before the first presentation time, and need room for this. */
static void the_earliest_times_need_room_for_decode_times(void) {
    const nalu_time times[] = {nalu_time_make(INT64_MIN, 1), nalu_time_make(0, 1), nalu_time_make(INT64_MAX, 1)};
    check_times(times, NULL, 3, make_immediate);
    const int64_t needed = tested()->reorder_depth;
    for (int64_t room = 0; room < 40; room++) {
        if (!is_tried((int)room)) continue;
        const int64_t steps[] = {1, room > 1 ? room - 1 : 2, room + 1, 1000};
        for (int step = 0; step < 4; step++) {
            nalu_compression_session *session = make_session(record_result, &all);
            make_reordering(session);
            const nalu_status status = encode_at(session, 0, nalu_time_make(INT64_MIN + room, 30), nalu_time_invalid());
            /* Less room than the reorder depth. */
            if (room < needed) {
                char least[64];
                snprintf(least, sizeof least, "at least %" PRId64, INT64_MIN + needed);
                REFUSED(status, NALU_STATUS_INVALID_TIME, least);
                CHECK_OK(encode_at(session, 0, nalu_time_make(INT64_MIN + needed, 30), nalu_time_invalid()));
            } else
                CHECK_OK(status);
            for (int i = 1; i < 8; i++)
                CHECK_OK(encode_at(session, (size_t)i, nalu_time_make(INT64_MIN + 2 + room + i * steps[step], 30),
                                   nalu_time_invalid()));
            complete_and_check(session, &all, 8);
            check_decode_times(&all);
            end_session(session, &all);
        }
    }
}

static void decode_times_increase_for_random_times(void) {
    uint32_t random = 1;
    for (int round = 0; round < 40; round++) {
        nalu_time times[COUNT];
        for (int i = 0; i < COUNT; i++) {
            int32_t scale;
            do {
                random = random * 1664525u + 1013904223u;
                scale = (int32_t)(random >> (1 + random % 30));
                times[i] = nalu_time_make_with_seconds(i * 0.25 + (random >> 8) / 67108864.0, scale);
            } while (scale < 8 || (i > 0 && nalu_time_compare(times[i - 1], times[i]) >= 0));
        }
        check_times(times, NULL, COUNT, make_reordering);
    }
}

static void times_that_do_not_increase_are_refused(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    nalu_time unknown = nalu_time_invalid();
    nalu_time earlier_epoch = {1000, 1, NALU_TIME_VALID, -1};
    nalu_time no_timescale = {5, 0, NALU_TIME_VALID, 0}, negative_timescale = {5, -30, NALU_TIME_VALID, 0};
    nalu_time no_flag = {5, 30, 0, 0}, infinite = nalu_time_make_with_seconds(INFINITY, 1);
    CHECK_OK(encode_at(session, 0, nalu_time_make(1, 2), unknown));
    const nalu_time refused[] = {nalu_time_make(1, 2), nalu_time_make(2, 4), nalu_time_make(1, 3), earlier_epoch,
                                 no_timescale, negative_timescale, no_flag, infinite, nalu_time_invalid(),
                                 nalu_time_indefinite()};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_STATUS(encode_at(session, 1, refused[i], unknown), NALU_STATUS_INVALID_TIME);
    /* A rejected frame does not count as the previous frame. */
    CHECK_STATUS(encode_at(session, 1, nalu_time_make(100, 1), nalu_time_make(-1, 30)), NALU_STATUS_INVALID_TIME);
    CHECK_OK(encode_at(session, 1, nalu_time_make(1073741824, INT32_MAX), unknown));
    complete_and_check(session, &all, 2);
    end_session(session, &all);
}

static void a_duration_is_numeric_and_not_negative_or_not_given(void) {
    nalu_compression_session *session = make_session(record_result, &all);
    make_immediate(session);
    nalu_time negative_later_epoch = {-5, 30, NALU_TIME_VALID, 1}, earlier_epoch = {5, 30, NALU_TIME_VALID, -1};
    nalu_time no_timescale = {5, 0, NALU_TIME_VALID, 0};
    const nalu_time refused[] = {nalu_time_make(-1, 30), nalu_time_make(INT64_MIN, 1), negative_later_epoch,
                                 no_timescale, nalu_time_indefinite(), nalu_time_make_with_seconds(INFINITY, 1),
                                 nalu_time_make_with_seconds(-INFINITY, 1)};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_STATUS(encode_at(session, 0, frame_time(0), refused[i]), NALU_STATUS_INVALID_TIME);
    const nalu_time taken[] = {nalu_time_invalid(), nalu_time_zero(), nalu_time_make(1, 30), earlier_epoch,
                               nalu_time_make(INT64_MAX, 1)};
    for (size_t i = 0; i < 5; i++) CHECK_OK(encode_at(session, i, frame_time((int64_t)i), taken[i]));
    complete_and_check(session, &all, 5);
    for (size_t i = 0; i < all.count; i++)
        CHECK(same_time(nalu_sample_get_duration(all.results[i].sample), taken[i]));
    end_session(session, &all);
}

static void the_reorder_depth_can_be_read(void) {
    static const struct {
        const char *encoder, *properties;
        int64_t depth;
    } cases[] = {
        {"x264", "x264.params=\"bframes=0\"", 0}, {"x264", "x264.params=\"bframes=1\"", 1},
        {"x264", "x264.params=\"bframes=3:b-pyramid=none\"", 1}, {"x264", "x264.params=\"bframes=3:b-pyramid=normal\"", 2},
        {"x265", "AllowFrameReordering=false", 0}, {"x265", "NaluAllowBPyramid=false", 1}, {"x265", "NaluAllowBPyramid=true", 2},
        {"openh264", "AllowFrameReordering=false", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!is_tested(cases[i].encoder)) continue;
        nalu_compression_session *session = make_session(record_result, &all);
        int64_t depth = -1;
        CHECK_STATUS(nalu_session_get_int64(session, NALU_PROPERTY_REORDER_DEPTH, &depth),
                     NALU_STATUS_VALUE_NOT_AVAILABLE);
        CHECK_OK(nalu_session_set_properties_from_text(session, cases[i].properties));
        CHECK_OK(nalu_compression_session_prepare(session));
        CHECK_EQ(reorder_depth(session), cases[i].depth);
        nalu_compression_session_release(session);
    }
}

int main(void) {
    RUN(any_timescale_is_returned_bit_for_bit);
    RUN(timescales_may_change_from_frame_to_frame);
    RUN(flags_and_epoch_are_returned);
    RUN(a_later_epoch_is_later);
    RUN(frames_may_be_any_time_apart);
    RUN(values_may_be_huge);
    RUN(the_earliest_times_need_room_for_decode_times);
    RUN(decode_times_increase_for_random_times);
    RUN(times_that_do_not_increase_are_refused);
    RUN(a_duration_is_numeric_and_not_negative_or_not_given);
    RUN(the_reorder_depth_can_be_read);
    return check_result();
}
