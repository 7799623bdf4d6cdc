/* Frames that are rejected for their time, duration, options or size; and times at the limits of 64 bits. */
#include "clip.h"
#include "refusal.h"

static clip c;

static nalu_time flagged(int64_t value, int32_t timescale, uint32_t flags) {
    nalu_time time = {value, timescale, flags, 0};
    return time;
}

static const uint32_t infinite = NALU_TIME_VALID | NALU_TIME_POSITIVE_INFINITY;
static const uint32_t minus_infinite = NALU_TIME_VALID | NALU_TIME_NEGATIVE_INFINITY;

static void wrong_presentation_times_are_refused(void) {
#define BAD_TIME(time, ...) \
    REFUSED(clip_encode_at(&c, time, nalu_time_invalid(), 0), NALU_STATUS_INVALID_TIME, "presentation_time", \
            __VA_ARGS__)
    BAD_TIME(nalu_time_invalid(), "is invalid", "numeric");
    BAD_TIME(nalu_time_indefinite(), "is indefinite", "numeric");
    BAD_TIME(flagged(0, 0, infinite), "is +infinity", "numeric");
    BAD_TIME(flagged(0, 0, minus_infinite), "is -infinity", "numeric");
    BAD_TIME(flagged(5, 0, NALU_TIME_VALID), "numeric");
    BAD_TIME(flagged(5, -30, NALU_TIME_VALID), "numeric");
    BAD_TIME(flagged(5, INT32_MIN, NALU_TIME_VALID), "numeric");
    BAD_TIME(flagged(5, 30, 0), "is invalid");
    BAD_TIME(flagged(5, 30, ~0u), "numeric");
    CHECK_OK(clip_encode_at(&c, nalu_time_make(10, 30), nalu_time_invalid(), 0));
    BAD_TIME(nalu_time_make(10, 30), "is 10/30", "more than", "10/30");
    BAD_TIME(nalu_time_make(9, 30), "is 9/30", "10/30");
    BAD_TIME(nalu_time_make(20, 60), "is 20/60");
    BAD_TIME(nalu_time_make(-11, 30), "is -11/30");
    BAD_TIME(nalu_time_make(INT64_MIN, 1), "is -9223372036854775808/1");
    CHECK_OK(clip_encode_at(&c, nalu_time_make(715827883, INT32_MAX), nalu_time_invalid(), 0));
}

static void wrong_durations_are_refused(void) {
    const nalu_time time = nalu_time_make(11, 30);
#define BAD_DURATION(duration, ...) \
    REFUSED(clip_encode_at(&c, time, duration, 0), NALU_STATUS_INVALID_TIME, "duration is ", "0 or more", __VA_ARGS__)
    BAD_DURATION(nalu_time_make(-1, 30), "-1/30");
    BAD_DURATION(nalu_time_make(INT64_MIN, INT32_MAX), "-9223372036854775808");
    BAD_DURATION(nalu_time_indefinite(), "indefinite");
    BAD_DURATION(flagged(0, 0, infinite), "+infinity");
    BAD_DURATION(flagged(0, 0, minus_infinite), "-infinity");
    BAD_DURATION(flagged(1, 0, NALU_TIME_VALID), "is ");
    BAD_DURATION(flagged(1, -1, NALU_TIME_VALID), "is ");
    CHECK_OK(clip_encode_at(&c, time, nalu_time_zero(), 0));
    CHECK_OK(clip_encode_at(&c, nalu_time_make(12, 30), nalu_time_make(INT64_MAX, 1), 0));
}

static nalu_status encode_with(const void *options) {
    const void *planes[2] = {c.pixels, c.pixels};
    const int64_t strides[2] = {64, 64};
    nalu_status status = nalu_compression_session_encode_planes(c.session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes,
        strides, NULL, nalu_time_make(100 + c.fed, 30), nalu_time_invalid(), (const nalu_frame_options *)options, NULL,
        NULL);
    c.fed += status == NALU_STATUS_OK;
    return status;
}

static void wrong_frame_options_are_refused(void) {
    static struct { nalu_frame_options known; unsigned char tail[70000]; } it;
    const uint32_t bad_flags[] = {1u << 4, 1u << 31, ~0u, 1u << 4 | NALU_FRAME_FORCE_KEY_FRAME};
    it.known.struct_size = sizeof it.known;
    for (size_t i = 0; i < 4; i++) {
        char value[40];
        snprintf(value, sizeof value, "options.flags is %u", bad_flags[i]);
        it.known.flags = bad_flags[i];
        REFUSED(encode_with(&it), NALU_STATUS_PARAMETER, value, "NALU_FRAME_");
    }
    clip_finish(&c);
    it.known.flags = NALU_FRAME_FORCE_KEY_FRAME | NALU_FRAME_DO_NOT_WAIT;
    CHECK_OK(encode_with(&it));
    it.known.flags = 0;
    const uint32_t small[] = {0, 4, sizeof it.known - 1}, large[] = {65537, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        it.known.struct_size = small[i];
        REFUSED(encode_with(&it), NALU_STATUS_PARAMETER, "options.struct_size", "at least 56");
    }
    for (size_t i = 0; i < 2; i++) {
        it.known.struct_size = large[i];
        REFUSED(encode_with(&it), NALU_STATUS_PARAMETER, "options.struct_size", "at most 65536");
    }
    it.known.struct_size = sizeof it.known + 16;
    CHECK_OK(encode_with(&it));
    it.tail[15] = 1;
    REFUSED(encode_with(&it), NALU_STATUS_UNSUPPORTED_OPTION, "options");
    it.known.struct_size = sizeof it.known;
    CHECK_OK(encode_with(&it));
}

static void frames_without_a_callback_are_refused(void) {
    nalu_compression_session *session = NULL;
    nalu_pixel_buffer *buffer = NULL;
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    clip own;
    clip_open(&own, 64, 48);
    REQUIRE_OK(create_tested(64, 48, NULL, NULL, NULL, &session));
    nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(session);
    REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer));
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 0), 99, 48 * 64);
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 1), 128, 24 * 64);
    REFUSED(nalu_compression_session_encode_frame(session, buffer, nalu_time_zero(), nalu_time_invalid(), NULL, NULL,
                                                  NULL), NALU_STATUS_PARAMETER, "no callback");
    REFUSED(nalu_compression_session_encode_frame(session, buffer, nalu_time_zero(), nalu_time_invalid(), &options,
        NULL, NULL), NALU_STATUS_PARAMETER, "no callback");
    options.callback = clip_take, options.callback_refcon = &own;
    nalu_encode_info_flags flags = 99;
    CHECK_OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_zero(), nalu_time_invalid(), &options,
        NULL, &flags));
    CHECK_EQ(flags, NALU_ENCODE_INFO_ASYNCHRONOUS);
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    CHECK_EQ(own.count, 1);
    nalu_pixel_buffer_release(buffer);
    nalu_compression_session_release(session);
    clip_close(&own);
}

static void another_size_without_scaling_is_refused(void) {
    const void *planes[2] = {c.pixels, c.pixels};
    const int64_t strides[2] = {64, 64};
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_SCALING, 0));
    REFUSED(nalu_compression_session_encode_planes(c.session, 62, 48, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
        nalu_time_make(200, 30), nalu_time_invalid(), NULL, NULL, NULL), NALU_STATUS_INVALID_SIZE, "62x48", "64x48",
        "NaluAllowScaling");
}

/* complete_frames accepts any time. A time that is not numeric means all frames. */
static void complete_frames_accepts_any_time(void) {
    const nalu_time any[] = {nalu_time_make(INT64_MIN, 1), nalu_time_make(INT64_MAX, INT32_MAX), nalu_time_indefinite(),
                             flagged(0, 0, infinite), flagged(0, 0, minus_infinite), flagged(1, -1, ~0u)};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        CHECK_OK(nalu_compression_session_complete_frames(c.session, any[i]));
}

/* Any increasing times are encoded: nothing overflows, decode times increase, and none is after its
 * presentation time. */
static void extreme_times_are_encoded_in_order(void) {
    const nalu_time times[] = {
        nalu_time_make(INT64_MIN, 1), nalu_time_make(INT64_MIN + 1, 1), nalu_time_make(INT64_MIN / 4, 1),
        nalu_time_make(-1, INT32_MAX), nalu_time_zero(), nalu_time_make(1, INT32_MAX), nalu_time_make(1, INT32_MAX - 1),
        nalu_time_make(INT64_MAX, INT32_MAX), nalu_time_make(INT64_MAX - 1, 1), nalu_time_make(INT64_MAX, 1)};
    const int32_t count = sizeof times / sizeof *times;
    for (int reordering = 0; reordering < (can_delay() ? 2 : 1); reordering++) {
        clip e;
        clip_open(&e, 64, 48);
        REQUIRE_OK(nalu_session_set_bool(e.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, reordering));
        /* With reordering the first decode times lie before the first frame, and 64 bits must have room for
         * them. */
        const int32_t first = reordering ? 2 : 0;
        for (int32_t i = first; i < count; i++) CHECK_OK(clip_encode_at(&e, times[i], nalu_time_make(INT64_MAX, 1), 0));
        clip_finish(&e);
        int seen[16] = {0};
        for (int32_t i = 0; i < e.count; i++) {
            nalu_time pts = nalu_sample_get_presentation_time(e.samples[i]);
            nalu_time dts = nalu_sample_get_decode_time(e.samples[i]);
            for (int32_t k = 0; k < count; k++) seen[k] += memcmp(&pts, &times[k], sizeof pts) == 0;
            CHECK(nalu_time_is_numeric(dts));
            CHECK(nalu_time_compare(dts, pts) <= 0);
            if (i) CHECK(nalu_time_compare(nalu_sample_get_decode_time(e.samples[i - 1]), dts) < 0);
        }
        for (int32_t k = first; k < count; k++) CHECK_EQ(seen[k], 1);
        clip_close(&e);
    }
}

int main(void) {
    clip_open(&c, 64, 48);
    RUN(wrong_presentation_times_are_refused);
    RUN(wrong_durations_are_refused);
    RUN(wrong_frame_options_are_refused);
    RUN(frames_without_a_callback_are_refused);
    RUN(another_size_without_scaling_is_refused);
    RUN(complete_frames_accepts_any_time);
    clip_finish(&c);
    RUN(extreme_times_are_encoded_in_order);
    clip_close(&c);
    return check_result();
}
