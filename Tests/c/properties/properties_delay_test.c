/* AllowFrameReordering, RealTime, MaxFrameDelayCount and NumberOfPendingFrames: B-frames, decode times, and the
 * delay of a frame. */
#include "clip.h"
#include "refusal.h"

#include <stdatomic.h>

static int64_t get_integer(nalu_compression_session *session, const char *key) {
    int64_t value = -99;
    CHECK_OK(nalu_session_get_int64(session, key, &value));
    return value;
}

static int32_t get_bool(nalu_compression_session *session, const char *key) {
    int32_t value = -99;
    CHECK_OK(nalu_session_get_bool(session, key, &value));
    return value;
}

static int effective(nalu_compression_session *session, const char *option) {
    char text[4096], wanted[64];
    size_t size = 0;
    snprintf(wanted, sizeof wanted, ":%s", option);
    CHECK_OK(nalu_session_copy_string(session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    return strstr(text, wanted) != NULL;
}

/* Checks a stream without B-frames: decode order equals presentation order, and the SPS states this. */
static void check_in_order(clip *c) {
    clip_encode_all(c, 24);
    const nalu_sequence_info info = clip_info(c);
    CHECK_EQ(info.pic_order_cnt_type, 2);
    CHECK_EQ(info.reorder_depth, 0);
    CHECK_EQ(get_integer(c->session, NALU_PROPERTY_REORDER_DEPTH), 0);
    CHECK_EQ(get_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING), 0);
    for (int i = 0; i < c->count; i++) {
        const nalu_time pts = nalu_sample_get_presentation_time(c->samples[i]);
        const nalu_time dts = nalu_sample_get_decode_time(c->samples[i]);
        CHECK_EQ(pts.value, i);
        CHECK_BYTES(&pts, &dts, sizeof pts);
        CHECK(sample_slice_type(c->samples[i]) != 1);
        CHECK_EQ(nalu_sample_get_attachments(c->samples[i]) & NALU_SAMPLE_EARLIER_DISPLAY_TIMES_ALLOWED, 0);
    }
    clip_close(c);
}

/* Checks a stream with B-frames: decode times as sample.h describes them, and attachments that match the
 * slices. */
static void check_reordered(clip *c, int depth) {
    CHECK_EQ(get_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING), 1);
    clip_encode_all(c, 40);
    CHECK_EQ(clip_info(c).pic_order_cnt_type, 0);
    CHECK_EQ(clip_info(c).reorder_depth, depth);
    CHECK_EQ(get_integer(c->session, NALU_PROPERTY_REORDER_DEPTH), depth);
    CHECK_EQ(get_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING), 1);
    int b_frames = 0, out_of_order = 0;
    for (int i = 0; i < c->count; i++) {
        const nalu_time pts = nalu_sample_get_presentation_time(c->samples[i]);
        const nalu_time dts = nalu_sample_get_decode_time(c->samples[i]);
        const uint32_t attachments = nalu_sample_get_attachments(c->samples[i]);
        const int type = sample_slice_type(c->samples[i]);
        b_frames += type == 1;
        out_of_order += pts.value != i;
        CHECK_EQ(nalu_time_compare(dts, nalu_time_make(i - depth, 30)), 0);
        CHECK(nalu_time_compare(dts, pts) <= 0);
        CHECK_EQ((attachments & NALU_SAMPLE_DEPENDS_ON_OTHERS) != 0, type != 2);
        const uint8_t *nal = nalu_sample_get_nal(c->samples[i], nalu_sample_get_nal_count(c->samples[i]) - 1, NULL);
        CHECK_EQ((attachments & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0, (nal[0] >> 5 & 3) != 0);
    }
    CHECK(b_frames > 5 && out_of_order > 5);
    clip_close(c);
}

static void allow_frame_reordering_controls_b_frames(void) {
    clip c;
    clip_open(&c, 64, 48);
    check_reordered(&c, 2);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "b-pyramid=none"));
    check_reordered(&c, 1);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1));
    check_reordered(&c, 2);

    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    check_in_order(&c);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_ConstrainedHigh_AutoLevel"));
    check_in_order(&c);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Baseline_AutoLevel"));
    check_in_order(&c);
    /* B-frames are allowed, but the preset has none. The value read back is that of the stream. */
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 1));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    CHECK_EQ(get_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING), 0);
    check_in_order(&c);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "bframes=0"));
    CHECK_EQ(get_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING), 0);
    check_in_order(&c);
}

static void real_time_has_no_delay(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK(effective(c.session, "rc-lookahead=0"));
    CHECK(effective(c.session, "bframes=0"));
    CHECK(effective(c.session, "subme=2")); /* of the preset veryfast */
    check_in_order(&c);
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "slow"));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK(effective(c.session, "subme=8"));
    CHECK(effective(c.session, "rc-lookahead=0"));
    check_in_order(&c);
    /* False has the same effect as unset. */
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 0));
    check_reordered(&c, 2);
}

/* ---- Delay ------------------------------------------------------------------------------------------------- */

enum { FRAMES = 60 };
static atomic_int came_back[FRAMES];

static void mark(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    (void)refcon, (void)flags;
    CHECK_EQ(status, NALU_STATUS_OK);
    CHECK(sample != NULL);
    atomic_store((atomic_int *)frame, 1);
}

static void try_delay(int64_t delay, const char *preset) {
    static uint8_t pixels[64 * 48 * 3 / 2];
    const void *planes[2] = {pixels, pixels + 64 * 48};
    const int64_t strides[2] = {64, 64};
    nalu_compression_session *session = NULL;
    char what[64];
    snprintf(what, sizeof what, "delay %d, preset %s", (int)delay, preset);
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, mark, NULL, NULL, &session));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, delay));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, preset));
    for (int i = 0; i < FRAMES; i++) atomic_store(&came_back[i], 0);
    for (int i = 0; i < FRAMES; i++) {
        memset(pixels, i * 3, sizeof pixels);
        REQUIRE_OK(nalu_compression_session_encode_planes(session, 64, 48, NALU_PIXEL_FORMAT_420V, 2, planes, strides,
            NULL, nalu_time_make(i, 30), nalu_time_invalid(), NULL, &came_back[i], NULL));
        /* Frame N - M and all frames before it are delivered. */
        for (int k = 0; k <= i - delay; k++)
            check_that(atomic_load(&came_back[k]), __FILE__, __LINE__, "frame N - M has come back", what);
    }
    REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    for (int i = 0; i < FRAMES; i++) CHECK(atomic_load(&came_back[i]));
    nalu_compression_session_release(session);
}

static void max_frame_delay_count_limits_the_delay(void) {
    const int64_t delays[] = {0, 1, 2, 3, 4, 5, 8, 16, 30, 250};
    const char *presets[] = {"ultrafast", "veryfast", "medium", "veryslow"};
    for (int p = 0; p < 4; p++)
        for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) try_delay(delays[i], presets[p]);
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 0));
    check_in_order(&c);
    /* Options in x264.params that need more than the allowed delay are rejected. */
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 2));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "rc-lookahead=30"));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "MaxFrameDelayCount", "rc-lookahead=30");
    clip_close(&c);
}

/* ---- Pending frames ---------------------------------------------------------------------------------------- */

static int64_t pending_inside;

static void look_at_pending(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                            nalu_sample *sample) {
    clip *c = (clip *)refcon;
    (void)frame, (void)status, (void)flags, (void)sample;
    (void)!nalu_session_get_int64(c->session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending_inside);
}

static void number_of_pending_frames_counts_pending_frames(void) {
    clip c;
    clip_open(&c, 64, 48);
    CHECK_EQ(get_integer(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES), 0);
    clip_encode(&c, 3);
    /* Lookahead delays all of them. */
    CHECK_EQ(get_integer(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES), 3);
    clip_finish(&c);
    CHECK_EQ(get_integer(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES), 0);
    clip_close(&c);

    /* A frame is pending until its callback has returned. */
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 0));
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.callback = look_at_pending, options.callback_refcon = &c;
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(nalu_compression_session_get_pixel_buffer_pool(c.session),
                                                          &buffer));
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 0), 50, 64 * 48);
    memset(nalu_pixel_buffer_get_plane_base_address(buffer, 1), 128, 64 * 24);
    REQUIRE_OK(nalu_compression_session_encode_frame(c.session, buffer, nalu_time_zero(), nalu_time_invalid(), &options,
                                                     NULL, NULL));
    CHECK_EQ(pending_inside, 1);
    CHECK_EQ(get_integer(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES), 0);
    nalu_pixel_buffer_release(buffer);
    clip_close(&c);
}

int main(void) {
    RUN(allow_frame_reordering_controls_b_frames);
    RUN(real_time_has_no_delay);
    RUN(max_frame_delay_count_limits_the_delay);
    RUN(number_of_pending_frames_counts_pending_frames);
    return check_result();
}
