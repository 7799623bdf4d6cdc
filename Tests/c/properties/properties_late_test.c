/* Once the encoder is open, fixed properties return NALU_STATUS_TOO_LATE and keep their value, but accept their
 * current value. Properties marked LIVE change within the limits that properties.h states. */
#include "clip.h"
#include "refusal.h"

static void fixed_strings_cannot_change_after_opening(void) {
    static const struct { const char *key, *value; } changes[] = {
        {"ProfileLevel", "H264_Main_AutoLevel"}, {"H264EntropyMode", "CAVLC"}, {"ColorPrimaries", "P3_D65"},
        {"TransferFunction", "Linear"}, {"YCbCrMatrix", "ITU_R_2020"}, {"NaluChromaLocation", "Top"}, {"x264.preset", "slow"}, {"x264.tune", "film"},
        {"x264.params", "ref=1"}, {"HDRMetadataInsertionMode", "None"}};
    clip c;
    clip_open(&c, 64, 48);
    clip_encode(&c, 1);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *key = changes[i].key;
        char before[64], after[64];
        size_t size = 0;
        REQUIRE_OK(nalu_session_copy_string(c.session, key, before, sizeof before, &size));
        REFUSED(nalu_session_set_string(c.session, key, changes[i].value), NALU_STATUS_TOO_LATE, key, "first frame");
        CHECK_OK(nalu_session_copy_string(c.session, key, after, sizeof after, &size));
        CHECK_STR_EQ(after, before);
        CHECK_OK(nalu_session_set_string(c.session, key, before));
        CHECK_OK(nalu_session_unset_property(c.session, key));
    }
    clip_close(&c);
}

static void fixed_bools_and_numbers_cannot_change_after_opening(void) {
    const char *bools[] = {"AllowFrameReordering", "NaluAllowMultipleSlices"};
    const double ratio[2] = {4, 3}, other[2] = {3, 4};
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, "RealTime", 0));
    REQUIRE_OK(nalu_session_set_int64(c.session, "MaxFrameDelayCount", 8));
    REQUIRE_OK(nalu_session_set_numbers(c.session, "PixelAspectRatio", ratio, 2));
    clip_encode(&c, 1);
    for (int i = 0; i < 2; i++) {
        int32_t value = -1;
        REFUSED(nalu_session_set_bool(c.session, bools[i], 0), NALU_STATUS_TOO_LATE, bools[i]);
        CHECK_OK(nalu_session_get_bool(c.session, bools[i], &value));
        CHECK_EQ(value, 1);
        CHECK_OK(nalu_session_set_bool(c.session, bools[i], 1));
        CHECK_OK(nalu_session_unset_property(c.session, bools[i]));
    }
    REFUSED(nalu_session_set_bool(c.session, "RealTime", 1), NALU_STATUS_TOO_LATE, "RealTime");
    REFUSED(nalu_session_unset_property(c.session, "RealTime"), NALU_STATUS_TOO_LATE, "RealTime");
    CHECK_OK(nalu_session_set_bool(c.session, "RealTime", 0));
    REFUSED(nalu_session_set_int64(c.session, "MaxFrameDelayCount", 9), NALU_STATUS_TOO_LATE, "MaxFrameDelayCount");
    CHECK_OK(nalu_session_set_int64(c.session, "MaxFrameDelayCount", 8));
    REFUSED(nalu_session_set_numbers(c.session, "PixelAspectRatio", other, 2), NALU_STATUS_TOO_LATE,
        "PixelAspectRatio");
    REFUSED(nalu_session_set_numbers(c.session, "PixelAspectRatio", NULL, 0), NALU_STATUS_TOO_LATE, "PixelAspectRatio");
    CHECK_OK(nalu_session_set_numbers(c.session, "PixelAspectRatio", ratio, 2));

    /* All or nothing: next to a fixed property a live one does not change either. */
    nalu_property rows[2] = {{.key = "MaxKeyFrameInterval", .type = NALU_PROPERTY_TYPE_INT64, .integer = 7},
                             {.key = "MaxFrameDelayCount", .type = NALU_PROPERTY_TYPE_INT64, .integer = 9}};
    int64_t interval = -1;
    REFUSED(nalu_session_set_properties(c.session, rows, 2), NALU_STATUS_TOO_LATE, "MaxFrameDelayCount");
    CHECK_OK(nalu_session_get_int64(c.session, "MaxKeyFrameInterval", &interval));
    CHECK_EQ(interval, 0);
    rows[1].integer = 8;
    CHECK_OK(nalu_session_set_properties(c.session, rows, 2));
    CHECK_OK(nalu_session_get_int64(c.session, "MaxKeyFrameInterval", &interval));
    CHECK_EQ(interval, 7);

    /* The properties stay fixed after the encoder was flushed. */
    clip_finish(&c);
    REFUSED(nalu_session_set_int64(c.session, "MaxFrameDelayCount", 9), NALU_STATUS_TOO_LATE, "MaxFrameDelayCount");
    clip_encode_all(&c, 1);
    clip_close(&c);
}

/* Sets properties that are live in every session. */
static void try_live(clip *c) {
    CHECK_OK(nalu_session_set_int64(c->session, "MaxKeyFrameInterval", 3));
    CHECK_OK(nalu_session_set_double(c->session, "MaxKeyFrameIntervalDuration", 0.5));
    CHECK_OK(nalu_session_set_bool(c->session, "AllowTemporalCompression", 0));
    CHECK_OK(nalu_session_set_bool(c->session, "NaluAllowScaling", 0));
    CHECK_OK(nalu_session_unset_property(c->session, "MaxKeyFrameInterval"));
    CHECK_OK(nalu_session_unset_property(c->session, "AllowTemporalCompression"));
    /* Values are checked as before the encoder was open. */
    REFUSED(nalu_session_set_int64(c->session, "MaxKeyFrameInterval", -1), NALU_STATUS_OUT_OF_RANGE, "-1");
}

static void a_quality_session_refuses_a_bit_rate(void) {
    static const char *const openings[] = {"", "Quality=0.2", "DataRateLimits=[100000,1]"};
    for (int i = 0; i < 3; i++) {
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, openings[i]));
        clip_encode(&c, 1);
        try_live(&c);
        CHECK_OK(nalu_session_set_double(c.session, "Quality", 0.9));
        CHECK_OK(nalu_session_unset_property(c.session, "Quality"));
        REFUSED(nalu_session_set_int64(c.session, "AverageBitRate", 100000), NALU_STATUS_TOO_LATE, "AverageBitRate");
        CHECK_OK(nalu_session_set_int64(c.session, "AverageBitRate", 0));
        REFUSED(nalu_session_set_int64(c.session, "MaxH264SliceBytes", 500), NALU_STATUS_TOO_LATE, "MaxH264SliceBytes",
            "500");
        REFUSED(nalu_session_set_double(c.session, "ExpectedFrameRate", 25), NALU_STATUS_TOO_LATE, "ExpectedFrameRate");
        CHECK_OK(nalu_session_set_double(c.session, "ExpectedFrameRate", 0));
        clip_encode_all(&c, 3);
        clip_close(&c);
    }
}

static void a_quality_under_a_ceiling_stays_under_it(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "AverageBitRate=1000000,Quality=0.5"));
    clip_encode(&c, 1);
    CHECK_OK(nalu_session_set_int64(c.session, "AverageBitRate", 2000000));
    REFUSED(nalu_session_unset_property(c.session, "Quality"), NALU_STATUS_TOO_LATE, "the running encoder has a quality");
    clip_encode_all(&c, 3);
    clip_close(&c);
}

static void a_bit_rate_session_refuses_a_quality(void) {
    const double limit[2] = {200000, 1}, lower[2] = {100000, 1};
    int64_t rate = 0;
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, "AverageBitRate", 500000));
    REQUIRE_OK(nalu_session_set_int64(c.session, "MaxH264SliceBytes", 500));
    clip_encode(&c, 1);
    try_live(&c);
    CHECK_OK(nalu_session_set_int64(c.session, "AverageBitRate", 300000));
    CHECK_OK(nalu_session_set_int64(c.session, "AverageBitRate", 2000000000));
    CHECK_OK(nalu_session_set_int64(c.session, "AverageBitRate", 1000));
    REFUSED(nalu_session_set_int64(c.session, "AverageBitRate", 0), NALU_STATUS_TOO_LATE, "AverageBitRate", "0");
    REFUSED(nalu_session_unset_property(c.session, "AverageBitRate"), NALU_STATUS_TOO_LATE, "AverageBitRate");
    CHECK_OK(nalu_session_get_int64(c.session, "AverageBitRate", &rate));
    CHECK_EQ(rate, 1000);
    REFUSED(nalu_session_set_double(c.session, "Quality", 0.5), NALU_STATUS_TOO_LATE, "Quality");
    CHECK_OK(nalu_session_set_numbers(c.session, "DataRateLimits", limit, 2));
    CHECK_OK(nalu_session_set_numbers(c.session, "DataRateLimits", lower, 2));
    CHECK_OK(nalu_session_set_numbers(c.session, "DataRateLimits", NULL, 0));
    CHECK_OK(nalu_session_set_int64(c.session, "MaxH264SliceBytes", 700));
    REFUSED(nalu_session_set_int64(c.session, "MaxH264SliceBytes", 0), NALU_STATUS_TOO_LATE, "MaxH264SliceBytes");
    clip_encode_all(&c, 3);
    clip_close(&c);
}

static void a_session_without_delay_accepts_a_new_frame_rate(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, "MaxFrameDelayCount", 0));
    REQUIRE_OK(nalu_session_set_int64(c.session, "AverageBitRate", 500000));
    clip_encode(&c, 1);
    try_live(&c);
    CHECK_OK(nalu_session_set_double(c.session, "ExpectedFrameRate", 60));
    CHECK_OK(nalu_session_unset_property(c.session, "ExpectedFrameRate"));
    clip_encode_all(&c, 3);
    clip_close(&c);
}

int main(void) {
    RUN(fixed_strings_cannot_change_after_opening);
    RUN(fixed_bools_and_numbers_cannot_change_after_opening);
    RUN(a_quality_session_refuses_a_bit_rate);
    RUN(a_quality_under_a_ceiling_stays_under_it);
    RUN(a_bit_rate_session_refuses_a_quality);
    RUN(a_session_without_delay_accepts_a_new_frame_rate);
    return check_result();
}
