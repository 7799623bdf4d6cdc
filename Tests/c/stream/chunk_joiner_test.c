/* Samples of chunks joined to one stream: accepted and rejected samples, and continuous decode times. */
#include "clip.h"
#include "refusal.h"

#include <time.h>

static nalu_chunk_joiner *open_joiner(uint32_t flags, const double *limits, size_t count) {
    nalu_chunk_joiner *joiner = NULL;
    REQUIRE_OK(nalu_chunk_joiner_create(flags, limits, count, &joiner));
    return joiner;
}

static nalu_format_description *format;

/* Creates a sample of one NAL unit. Times are in milliseconds; a duration of 0 means none. */
static nalu_sample *make(int64_t decode, int64_t time, int64_t duration, int32_t is_key, size_t size) {
    static uint8_t bytes[4096];
    nalu_sample *sample = NULL;
    REQUIRE(size >= 5 && size <= sizeof bytes);
    memset(bytes, 1, sizeof bytes);
    for (int i = 0; i < 4; i++) bytes[i] = (uint8_t)((size - 4) >> (24 - 8 * i));
    bytes[4] = is_key ? 0x65 : 0x41;
    REQUIRE_OK(nalu_sample_create(bytes, size, format, nalu_time_make(time, 1000),
        duration ? nalu_time_make(duration, 1000) : nalu_time_invalid(), nalu_time_make(decode, 1000),
        is_key ? 0 : NALU_SAMPLE_NOT_SYNC, &sample));
    return sample;
}

/* Adds a sample, checks that its bytes are unchanged, and returns its decode time; NaN if it is rejected. */
static double add(nalu_chunk_joiner *joiner, nalu_sample *sample, nalu_status *status) {
    nalu_sample *joined = STALE;
    double time = NAN;
    *status = nalu_chunk_joiner_add(joiner, sample, &joined);
    if (*status == NALU_STATUS_OK) {
        size_t size = 0, other = 0;
        CHECK(nalu_sample_get_data(joined, &size) == nalu_sample_get_data(sample, &other) && size == other);
        CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(joined), nalu_sample_get_presentation_time(sample)), 0);
        CHECK_EQ(nalu_sample_get_attachments(joined), nalu_sample_get_attachments(sample));
        time = nalu_time_get_seconds(nalu_sample_get_decode_time(joined));
        nalu_sample_release(sample);
        /* The bytes stay valid after the release of the original sample. */
        CHECK(nalu_sample_get_data(joined, &size)[3] == (uint8_t)(size - 4));
        nalu_sample_release(joined);
    } else {
        CHECK(joined == NULL);
        nalu_sample_release(sample);
    }
    return time;
}

#define ADD_REFUSED(joiner, sample, expected, ...) \
    do { \
        nalu_status status_; \
        (void)add(joiner, sample, &status_); \
        REFUSED(status_, expected, __VA_ARGS__); \
    } while (0)

#define ADDED_AT(joiner, sample, seconds) \
    do { \
        nalu_status status_; \
        double time_ = add(joiner, sample, &status_); \
        CHECK_STATUS(status_, NALU_STATUS_OK); \
        CHECK_NEAR(time_, seconds, 1e-9); \
    } while (0)

static void times_of_chunks_must_continue(void) {
    nalu_chunk_joiner *joiner = open_joiner(0, NULL, 0);
    ADD_REFUSED(joiner, make(0, 0, 40, 1, 100), NALU_STATUS_OUT_OF_ORDER, "begin_chunk");
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    REFUSED(nalu_chunk_joiner_begin_chunk(joiner), NALU_STATUS_OUT_OF_ORDER, "chunk 0");
    ADD_REFUSED(joiner, make(-40, 0, 40, 0, 100), NALU_STATUS_BAD_DATA, "chunk 0", "key frame");
    ADDED_AT(joiner, make(-40, 0, 40, 1, 100), -0.04);
    ADD_REFUSED(joiner, make(-40, 80, 40, 0, 100), NALU_STATUS_INVALID_TIME, "chunk 0", "-0.04 s");
    ADD_REFUSED(joiner, make(-30, -10, 40, 0, 100), NALU_STATUS_INVALID_TIME, "chunk 0", "-0.01 s");
    ADDED_AT(joiner, make(0, 80, 40, 0, 100), 0.0);
    ADDED_AT(joiner, make(40, 40, 40, 0, 100), 0.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(60, 80, 40, 1, 100), NALU_STATUS_INVALID_TIME, "chunk 1", "0.08 s", "earlier", "0.12 s");
    ADD_REFUSED(joiner, make(60, 99, 40, 1, 100), NALU_STATUS_INVALID_TIME, "earlier");
    ADD_REFUSED(joiner, make(60, 141, 40, 1, 100), NALU_STATUS_INVALID_TIME, "chunk 1", "0.141 s", "later", "0.12 s");
    /* A difference from rounding is not a gap. */
    ADDED_AT(joiner, make(80, 121, 40, 1, 100), 0.08);
    nalu_chunk_joiner_release(joiner);

    joiner = open_joiner(NALU_CHUNK_JOINER_ALLOW_GAPS, NULL, 0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 100), 0.0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(0, 0, 40, 1, 100), NALU_STATUS_INVALID_TIME, "chunk 1", "earlier");
    ADDED_AT(joiner, make(900, 1000, 40, 1, 100), 0.9);
    nalu_chunk_joiner_release(joiner);
}

static void frames_without_a_duration_are_joined(void) {
    nalu_chunk_joiner *joiner = open_joiner(0, NULL, 0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(-40, 0, 0, 1, 100), -0.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    /* The duration of a single frame is unknown. */
    ADDED_AT(joiner, make(800, 1000, 0, 1, 100), 0.8);
    ADDED_AT(joiner, make(1000, 1120, 0, 0, 100), 1.0);
    ADDED_AT(joiner, make(1040, 1080, 0, 0, 100), 1.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(1100, 1120, 0, 1, 100), NALU_STATUS_INVALID_TIME, "chunk 2", "earlier");
    ADD_REFUSED(joiner, make(1100, 1200, 0, 1, 100), NALU_STATUS_INVALID_TIME, "chunk 2", "later", "1.16 s");
    ADDED_AT(joiner, make(1100, 1199, 0, 1, 100), 1.1);
    nalu_chunk_joiner_release(joiner);
}

/* A chunk of slow frames and a chunk of fast frames: the decode times of the second begin before those of the
 * first end. */
static void overlapping_decode_times_are_moved(void) {
    nalu_chunk_joiner *joiner = open_joiner(0, NULL, 0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(-80, 0, 40, 1, 100), -0.08);
    ADDED_AT(joiner, make(0, 80, 40, 0, 100), 0.0);
    ADDED_AT(joiner, make(40, 40, 40, 0, 100), 0.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(-1880, 120, 1000, 1, 100), 0.08);
    ADDED_AT(joiner, make(-880, 3120, 1000, 0, 100), 0.1);
    ADDED_AT(joiner, make(120, 1120, 1000, 0, 100), 0.12);
    ADDED_AT(joiner, make(1120, 2120, 1000, 0, 100), 1.12);
    /* The client's timescale has no tick between the two times. */
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(1000, 4120, 1000, 1, 100), 2.62);
    ADDED_AT(joiner, make(1121, 5120, 1000, 0, 100), 3.37);
    ADDED_AT(joiner, make(4120, 6120, 1000, 0, 100), 4.12);
    nalu_chunk_joiner_release(joiner);
}

static void test_windows_over_seams(void) {
    const double limits[4] = {1000, 0.1, 1500, 1};
    nalu_chunk_joiner *joiner = open_joiner(0, limits, 4);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 500), 0.0);
    ADD_REFUSED(joiner, make(40, 40, 40, 0, 501), NALU_STATUS_OUT_OF_RANGE, "chunk 0", "1001", "0.1 s");
    ADDED_AT(joiner, make(40, 40, 40, 0, 500), 0.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(80, 80, 40, 1, 5), NALU_STATUS_OUT_OF_RANGE, "chunk 1", "1005");
    nalu_chunk_joiner_release(joiner);

    joiner = open_joiner(NALU_CHUNK_JOINER_ALLOW_GAPS, limits, 4);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 500), 0.0);
    ADDED_AT(joiner, make(40, 40, 40, 0, 500), 0.04);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(100, 100, 40, 1, 400), 0.1);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(999, 999, 40, 1, 101), NALU_STATUS_OUT_OF_RANGE, "chunk 2", "1501", "1.0 s", "0.0 s");
    ADDED_AT(joiner, make(1000, 1000, 40, 1, 600), 1.0);
    nalu_chunk_joiner_release(joiner);
}

/* Limits of 0.1 s and 1 s. Windows reach over one seam and over two; a window in a single chunk is rejected. */
static void seams_over_limits_are_reported(void) {
    const double limits[4] = {1000, 0.1, 1500, 1};
    size_t seams[4] = {0}, count = 9;
    nalu_chunk_joiner *joiner = open_joiner(NALU_CHUNK_JOINER_ALLOW_SEAMS_OVER_LIMITS | NALU_CHUNK_JOINER_ALLOW_GAPS, limits, 4);
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, NULL, 0, &count));
    CHECK_EQ(count, 0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 500), 0.0);
    ADD_REFUSED(joiner, make(40, 40, 40, 0, 501), NALU_STATUS_OUT_OF_RANGE, "chunk 0", "1001");
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(500, 500, 40, 1, 500), 0.5);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(900, 900, 40, 1, 300), 0.9);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(980, 980, 40, 1, 100), 0.98);
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, NULL, 0, &count));
    CHECK_EQ(count, 0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(1020, 1020, 40, 1, 700), 1.02);
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, NULL, 0, &count));
    CHECK_EQ(count, 3);
    REFUSED(nalu_chunk_joiner_get_seams_over_limits(joiner, seams, 2, &count), NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 2");
    CHECK(count == 3 && seams[0] == 0);
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, seams, 4, &count));
    CHECK(count == 3 && seams[0] == 2 && seams[1] == 3 && seams[2] == 4);
    nalu_chunk_joiner_release(joiner);

    /* Without the flag, the refused sample names its seam. */
    joiner = open_joiner(0, limits, 4);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 500), 0.0);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(40, 40, 40, 1, 501), NALU_STATUS_OUT_OF_RANGE, "chunk 1", "1001");
    CHECK_OK(nalu_chunk_joiner_get_seams_over_limits(joiner, seams, 4, &count));
    CHECK(count == 1 && seams[0] == 1);
    REFUSED(nalu_chunk_joiner_get_seams_over_limits(NULL, seams, 4, &count), NALU_STATUS_PARAMETER, "joiner");
    REFUSED(nalu_chunk_joiner_get_seams_over_limits(joiner, NULL, 4, &count), NALU_STATUS_PARAMETER, "seams");
    REFUSED(nalu_chunk_joiner_get_seams_over_limits(joiner, seams, 4, NULL), NALU_STATUS_PARAMETER, "count_out");
    nalu_chunk_joiner_release(joiner);
}

/* A window is full. Samples with a distant time or a large size are rejected, and the window is still full. */
static void a_refused_sample_changes_nothing(void) {
    const double limits[4] = {1000, 0.5, 1000, 1};
    nalu_chunk_joiner *joiner = open_joiner(NALU_CHUNK_JOINER_ALLOW_GAPS, limits, 4);
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADDED_AT(joiner, make(0, 0, 40, 1, 500), 0.0);
    ADDED_AT(joiner, make(40, 40, 40, 0, 500), 0.04);
    ADD_REFUSED(joiner, make(9000, 9000, 40, 0, 1001), NALU_STATUS_OUT_OF_RANGE, "chunk 0", "1001");
    ADD_REFUSED(joiner, make(80, 80, 40, 0, 5), NALU_STATUS_OUT_OF_RANGE, "chunk 0", "1005", "0.0 s");
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    ADD_REFUSED(joiner, make(9000, 9000, 40, 1, 1001), NALU_STATUS_OUT_OF_RANGE, "chunk 1", "1001");
    ADD_REFUSED(joiner, make(700, 700, 40, 1, 501), NALU_STATUS_OUT_OF_RANGE, "chunk 1", "1501", "1.0 s");
    ADD_REFUSED(joiner, make(1000, 1000, 40, 0, 5), NALU_STATUS_BAD_DATA, "chunk 1");
    ADDED_AT(joiner, make(1000, 1000, 40, 1, 500), 1.0);
    nalu_chunk_joiner_release(joiner);
}

/* Each sample is counted once, even if the window is long. */
static void each_sample_in_a_window_is_counted_once(void) {
    enum { COUNT = IS_SANITIZED ? 20000 : 200000 };
    const double limits[2] = {5.0 * COUNT, 60};
    nalu_chunk_joiner *joiner = open_joiner(0, limits, 2);
    const clock_t begin = clock();
    REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
    for (int64_t i = 0; i < COUNT; i++) {
        const uint8_t unit[5] = {0, 0, 0, 1, 0x65};
        const nalu_time time = nalu_time_make(i, 10000);
        nalu_sample *sample = NULL, *joined = NULL;
        REQUIRE_OK(nalu_sample_create(unit, sizeof unit, format, time, nalu_time_invalid(), time, 0, &sample));
        REQUIRE_OK(nalu_chunk_joiner_add(joiner, sample, &joined));
        nalu_sample_release(joined);
        nalu_sample_release(sample);
    }
    CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 15);
    ADD_REFUSED(joiner, make(20000, 20000, 40, 0, 5), NALU_STATUS_OUT_OF_RANGE, IS_SANITIZED ? "100005" : "1000005");
    nalu_chunk_joiner_release(joiner);
}

/* Times at the limits of their range are rejected or accepted, even if their differences overflow. */
static void extreme_times_are_joined_or_refused(void) {
    const int64_t values[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    const int32_t scales[] = {1, 30, INT32_MAX};
    const double limits[2] = {1000, 1};
    enum { VALUES = sizeof values / sizeof *values, SCALES = sizeof scales / sizeof *scales, TIMES = VALUES * SCALES };
    const uint8_t unit[5] = {0, 0, 0, 1, 0x65};
    for (int i = 0; i < TIMES * TIMES * 4; i++) {
        nalu_time times[2], last = nalu_time_invalid();
        for (int k = 0; k < 2; k++) {
            const int n = i / 4 / (k ? TIMES : 1) % TIMES;
            times[k] = nalu_time_make(values[n / SCALES], scales[n % SCALES]);
            times[k].epoch = k && i & 1;
        }
        nalu_chunk_joiner *joiner = open_joiner(i & 2 ? NALU_CHUNK_JOINER_ALLOW_GAPS : 0, limits, i & 2);
        /* The second sample is added again, with and without beginning a new chunk. */
        for (int k = 0; k < 4; k++) {
            nalu_sample *sample = NULL, *joined = STALE;
            nalu_time time = times[k > 0];
            if (nalu_chunk_joiner_begin_chunk(joiner) != NALU_STATUS_OK) CHECK(k > 0);
            REQUIRE_OK(nalu_sample_create(unit, sizeof unit, format, time, k & 1 ? nalu_time_make(INT64_MAX, 1) :
                nalu_time_invalid(), nalu_time_invalid(), k == 3 ? NALU_SAMPLE_NOT_SYNC : 0, &sample));
            if (nalu_chunk_joiner_add(joiner, sample, &joined) == NALU_STATUS_OK) {
                const nalu_time now = nalu_sample_get_decode_time(joined);
                CHECK(nalu_time_compare(now, time) <= 0);
                CHECK(!nalu_time_is_numeric(last) || nalu_time_compare(last, now) < 0);
                last = now;
            } else {
                CHECK(joined == NULL && nalu_last_error_message()[0] != 0);
                joined = NULL;
            }
            nalu_sample_release(joined);
            nalu_sample_release(sample);
        }
        nalu_chunk_joiner_release(joiner);
    }
}

/* Chunks from sessions: a single stream with any spacing of frames, and one format. */
static void chunks_of_sessions_make_one_stream(void) {
    for (int spread = 0; spread < 2; spread++) {
        nalu_chunk_joiner *joiner = open_joiner(0, NULL, 0);
        nalu_time last = nalu_time_make(-1000, 1);
        for (int chunk = 0, at = 0; chunk < 3; chunk++) {
            /* If `spread`, the second chunk has frames of two seconds instead of 1/30 s. */
            const int step = spread && chunk == 1 ? 60 : 1;
            clip c;
            clip_open(&c, 96, 80);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_MORE_FRAMES_BEFORE_START, chunk > 0));
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, chunk < 2));
            for (int i = 0; i < 15; i++, at += step)
                REQUIRE_OK(clip_encode_at(&c, nalu_time_make(at, 30), nalu_time_make(step, 30), 0));
            clip_finish(&c);
            REQUIRE_OK(nalu_chunk_joiner_begin_chunk(joiner));
            for (int i = 0; i < c.count; i++) {
                nalu_sample *joined = NULL;
                REQUIRE_OK(nalu_chunk_joiner_add(joiner, c.samples[i], &joined));
                nalu_time time = nalu_sample_get_decode_time(joined);
                CHECK(nalu_time_compare(time, last) > 0);
                CHECK(nalu_time_compare(time, nalu_sample_get_presentation_time(joined)) <= 0);
                if (!spread) CHECK(joined == c.samples[i]);
                last = time;
                nalu_sample_release(joined);
            }
            clip_close(&c);
        }
        clip other;
        nalu_sample *joined = STALE;
        clip_open(&other, 112, 80);
        clip_encode_all(&other, 1);
        REFUSED(nalu_chunk_joiner_add(joiner, other.samples[0], &joined), NALU_STATUS_CONFLICT, "chunk 2", "format");
        CHECK(joined == NULL);
        clip_close(&other);
        nalu_chunk_joiner_release(joiner);
    }
}

static void wrong_arguments_are_refused(void) {
    const double bad[][4] = {{1000, 0.01}, {999, 1}, {1500, 2}, {NAN, 1}, {1000, NAN}, {1000, 1, 0, 1}, {INFINITY, 1},
        {1.1e12, 1}};
    nalu_chunk_joiner *joiner = STALE;
    nalu_sample *joined = STALE;
    REFUSED(nalu_chunk_joiner_create(4, NULL, 0, &joiner), NALU_STATUS_PARAMETER, "flags");
    CHECK(joiner == NULL);
    REFUSED(nalu_chunk_joiner_create(0, NULL, 2, &joiner), NALU_STATUS_PARAMETER, "limits");
    REFUSED(nalu_chunk_joiner_create(0, bad[0], 0, NULL), NALU_STATUS_PARAMETER, "joiner_out");
    REFUSED(nalu_chunk_joiner_create(0, bad[0], 1, &joiner), NALU_STATUS_OUT_OF_RANGE, "1 numbers");
    REFUSED(nalu_chunk_joiner_create(0, bad[0], SIZE_MAX, &joiner), NALU_STATUS_OUT_OF_RANGE, "limit_count");
    REFUSED(nalu_chunk_joiner_create(0, bad[0], 6, &joiner), NALU_STATUS_OUT_OF_RANGE, "limit_count");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(nalu_chunk_joiner_create(0, bad[i], i == 5 ? 4 : 2, &joiner), NALU_STATUS_OUT_OF_RANGE, "limits");
    REFUSED(nalu_chunk_joiner_begin_chunk(NULL), NALU_STATUS_PARAMETER, "joiner");
    joiner = open_joiner(0, NULL, 0);
    nalu_sample *sample = make(0, 0, 40, 1, 100);
    CHECK(nalu_chunk_joiner_retain(joiner) == joiner);
    nalu_chunk_joiner_release(joiner);
    REFUSED(nalu_chunk_joiner_add(NULL, sample, &joined), NALU_STATUS_PARAMETER, "joiner");
    CHECK(joined == NULL);
    REFUSED(nalu_chunk_joiner_add(joiner, NULL, &joined), NALU_STATUS_PARAMETER, "sample");
    REFUSED(nalu_chunk_joiner_add(joiner, sample, NULL), NALU_STATUS_PARAMETER, "sample_out");
    REFUSED(nalu_chunk_joiner_add(joiner, (nalu_sample *)joiner, &joined), NALU_STATUS_INVALID_HANDLE, "nalu_sample");
    CHECK(nalu_chunk_joiner_retain(NULL) == NULL);
    nalu_chunk_joiner_release(NULL);
    nalu_sample_release(sample);
    nalu_chunk_joiner_release(joiner);
}

int main(void) {
    clip c;
    clip_open(&c, 96, 80);
    clip_encode_all(&c, 1);
    format = nalu_format_description_retain(nalu_sample_get_format_description(c.samples[0]));
    clip_close(&c);
    RUN(times_of_chunks_must_continue);
    RUN(frames_without_a_duration_are_joined);
    RUN(overlapping_decode_times_are_moved);
    RUN(test_windows_over_seams);
    RUN(seams_over_limits_are_reported);
    RUN(a_refused_sample_changes_nothing);
    RUN(each_sample_in_a_window_is_counted_once);
    RUN(extreme_times_are_joined_or_refused);
    RUN(chunks_of_sessions_make_one_stream);
    RUN(wrong_arguments_are_refused);
    nalu_format_description_release(format);
    return check_result();
}
