/* References, lookahead, speed and power: a set value is read back, reaches x264 and shows in the stream.
 * Values that the session cannot use are rejected. */
#include "clip.h"
#include "refusal.h"
#include "session_support.h"

static char text[4096];

static const char *effective(const clip *c) {
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    return text;
}

/* Checks that one option of x264.effective is `expected`. */
static void check_effective(const clip *c, const char *expected, int line) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, ":%s:", expected);
    check_that(strstr(effective(c), wanted) != NULL, __FILE__, line, wanted, text);
}
#define CHECK_EFFECTIVE(c, expected) check_effective((c), (expected), __LINE__)

static void check_integer(const clip *c, const char *key, int64_t expected, int line) {
    int64_t value = -99;
    check_statuses(nalu_session_get_int64(c->session, key, &value), NALU_STATUS_OK, __FILE__, line, key);
    check_integers(value, expected, __FILE__, line, key);
}
#define CHECK_INTEGER(c, key, expected) check_integer((c), (key), (expected), __LINE__)

/* ---- ReferenceBufferCount -------------------------------------------------------------------------------------- */

static void reference_buffer_count_reaches_the_stream(void) {
    static const int64_t counts[] = {1, 2, 3, 4, 5, 8, 16};
    for (int real_time = 0; real_time < 2; real_time++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            clip c;
            clip_open(&c, 64, 48);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, real_time));
            REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, counts[i]));
            clip_encode(&c, 24);
            REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, counts[i] - 1),
                    NALU_STATUS_TOO_LATE, "ReferenceBufferCount", "first frame");
            CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, counts[i]));
            clip_finish(&c);
            CHECK_EQ(clip_info(&c).max_num_ref_frames, counts[i]);
            CHECK_INTEGER(&c, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, counts[i]);
            CHECK_INTEGER(&c, NALU_PROPERTY_REORDER_DEPTH, real_time || counts[i] == 1 ? 0 : counts[i] < 4 ? 1 : 2);
            clip_close(&c);
        }
}

/* A fixed level limits the number of reference frames. An automatic level rises with them. */
static void a_fixed_level_limits_reference_frames(void) {
    clip c;
    clip_open(&c, 352, 288);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Baseline_1_3"));
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, 7), NALU_STATUS_CONFLICT,
            "ReferenceBufferCount is 7", "H264_Baseline_1_3", "allows 6");
    CHECK_INTEGER(&c, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, 0);
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, 6));
    clip_encode_all(&c, 2);
    CHECK_EQ(clip_info(&c).max_num_ref_frames, 6);
    CHECK_EQ(clip_info(&c).level_idc, 13);
    clip_close(&c);

    clip_open(&c, 352, 288);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_REFERENCE_BUFFER_COUNT, 7));
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Baseline_1_3"), NALU_STATUS_CONFLICT,
            "ReferenceBufferCount is 7", "H264_Baseline_1_3");
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "level=1.3"));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "ReferenceBufferCount 7", "level 1.3",
            "allows 6");
    REQUIRE_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_X264_PARAMS));
    clip_encode_all(&c, 2);
    CHECK_EQ(clip_info(&c).max_num_ref_frames, 7);
    CHECK(clip_info(&c).level_idc >= 21);
    clip_close(&c);
}

/* ---- SuggestedLookAheadFrameCount -------------------------------------------------------------------------------- */

/* Checks that `expected` frames remain in the encoder once it has processed its input. */
static void check_held(clip *c, int64_t expected, int line) {
    int64_t held = -1;
    for (int i = 0; i < 12000; i++) {
        REQUIRE_OK(nalu_session_get_int64(c->session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &held));
        if (held <= expected) break;
        sleep_milliseconds(10);
    }
    sleep_milliseconds(50);
    REQUIRE_OK(nalu_session_get_int64(c->session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &held));
    check_integers(held, expected, __FILE__, line, "frames held");
}

static void suggested_look_ahead_frame_count_reaches_x264(void) {
    static const int64_t counts[] = {0, 1, 5, 20, 50, 250};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        clip c;
        char option[40];
        const int64_t count = counts[i];
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, count));
        CHECK_INTEGER(&c, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, count);
        clip_encode(&c, (int32_t)count + 10);
        snprintf(option, sizeof option, "rc-lookahead=%d", (int)count);
        CHECK_EFFECTIVE(&c, option);
        /* One frame more is delayed, because its duration is known only with the next frame. */
        check_held(&c, count + 1, __LINE__);
        REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, count == 3 ? 4 : 3),
                NALU_STATUS_TOO_LATE, "SuggestedLookAheadFrameCount");
        REFUSED(nalu_session_unset_property(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT),
                NALU_STATUS_TOO_LATE, "SuggestedLookAheadFrameCount");
        clip_finish(&c);
        clip_close(&c);
    }
}

/* A short lookahead replaces the slow search for B-frames (b-adapt=2) by the fast one. */
static void a_short_lookahead_uses_the_fast_search_for_b_frames(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "slower"));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 6));
    clip_encode(&c, 30);
    CHECK_EFFECTIVE(&c, "rc-lookahead=6");
    CHECK_EFFECTIVE(&c, "b-adapt=1");
    clip_finish(&c);
    clip_close(&c);
}

static void the_lookahead_fits_the_allowed_delay(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 10));
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 11), NALU_STATUS_CONFLICT,
            "SuggestedLookAheadFrameCount 11", "MaxFrameDelayCount 10");
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 10));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK_EFFECTIVE(&c, "rc-lookahead=7");
    clip_close(&c);

    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 10));
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 10));
    clip_encode(&c, 20);
    CHECK_EFFECTIVE(&c, "rc-lookahead=9");
    clip_finish(&c);
    clip_close(&c);

    /* No delay and no lookahead are compatible. */
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 0));
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, 1), NALU_STATUS_CONFLICT,
            "SuggestedLookAheadFrameCount 1", "RealTime");
    clip_encode_all(&c, 3);
    clip_close(&c);
}

/* ---- Speed and power --------------------------------------------------------------------------------------------- */

static void check_preset(const clip *c, const char *expected, int line) {
    size_t size = 0;
    check_statuses(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_PRESET, text, sizeof text, &size),
        NALU_STATUS_OK, __FILE__, line, "x264.preset");
    check_strings(text, expected, __FILE__, line, "x264.preset");
}

static void speed_over_quality_selects_a_fast_preset(void) {
    static const struct { int speed, real_time; const char *preset, *option; } all[] = {
        {1, 0, "veryfast", "subme=2"}, {1, 1, "superfast", "subme=1"}, {0, 0, "medium", "subme=7"},
        {0, 1, "veryfast", "subme=2"}};
    const char *key = NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int32_t value = -9;
        clip c;
        clip_open(&c, 64, 48);
        CHECK_STATUS(nalu_session_get_bool(c.session, key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        REQUIRE_OK(nalu_session_set_bool(c.session, key, all[i].speed));
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, all[i].real_time));
        CHECK_OK(nalu_session_get_bool(c.session, key, &value));
        CHECK_EQ(value, all[i].speed);
        check_preset(&c, all[i].preset, __LINE__);
        clip_encode(&c, 3);
        CHECK_EFFECTIVE(&c, all[i].option);
        REFUSED(nalu_session_set_bool(c.session, key, !all[i].speed), NALU_STATUS_TOO_LATE, key);
        clip_finish(&c);
        clip_close(&c);
    }
}

static void maximize_power_efficiency_uses_one_thread(void) {
    const char *key = NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY;
    for (int on = 0; on < 2; on++) {
        int32_t value = -9;
        clip c;
        clip_open(&c, 320, 240);
        CHECK_STATUS(nalu_session_get_bool(c.session, key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        REQUIRE_OK(nalu_session_set_bool(c.session, key, on));
        /* The number of threads is fixed here, independent of the machine. */
        if (!on) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=3"));
        CHECK_OK(nalu_session_get_bool(c.session, key, &value));
        CHECK_EQ(value, on);
        clip_encode(&c, 3);
        CHECK_EFFECTIVE(&c, on ? "threads=1" : "threads=3");
        if (on) REFUSED(nalu_session_set_bool(c.session, key, 0), NALU_STATUS_TOO_LATE, key);
        REFUSED(nalu_session_unset_property(c.session, key), NALU_STATUS_TOO_LATE, key);
        clip_finish(&c);
        clip_close(&c);
    }
}

/* ---- EstimatedAverageBytesPerFrame ----------------------------------------------------------------------------- */

static void the_estimated_frame_size_follows_from_the_rate(void) {
    const char *key = NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME;
    int64_t value = -9;
    double number = -9;
    clip c;
    clip_open(&c, 64, 48);
    REFUSED(nalu_session_get_int64(c.session, key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE, key, "AverageBitRate",
            "ExpectedFrameRate");
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 800000));
    CHECK_STATUS(nalu_session_get_int64(c.session, key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 25));
    CHECK_INTEGER(&c, key, 4000);
    CHECK_OK(nalu_session_get_double(c.session, key, &number));
    CHECK_NEAR(number, 4000, 0);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    CHECK_INTEGER(&c, key, 3333);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 1e-300));
    CHECK_OK(nalu_session_get_int64(c.session, key, &value));
    CHECK(value > 0);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    /* A ceiling is not an average. */
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.5));
    CHECK_STATUS(nalu_session_get_int64(c.session, key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
    REQUIRE_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_QUALITY));
    CHECK_STATUS(nalu_session_set_int64(c.session, key, 1), NALU_STATUS_PROPERTY_READ_ONLY);
    clip_encode(&c, 2);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 1200000));
    CHECK_INTEGER(&c, key, 5000);
    clip_finish(&c);
    clip_close(&c);
}

int main(void) {
    RUN(reference_buffer_count_reaches_the_stream);
    RUN(a_fixed_level_limits_reference_frames);
    RUN(suggested_look_ahead_frame_count_reaches_x264);
    RUN(a_short_lookahead_uses_the_fast_search_for_b_frames);
    RUN(the_lookahead_fits_the_allowed_delay);
    RUN(speed_over_quality_selects_a_fast_preset);
    RUN(maximize_power_efficiency_uses_one_thread);
    RUN(the_estimated_frame_size_follows_from_the_rate);
    return check_result();
}
