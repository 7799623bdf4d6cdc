/* QP: bounds for all frames, the QP of a single frame, and the variation within a frame; checked with the
 * average QP in the samples. */
#include "clip.h"
#include "refusal.h"

static double qp_of(const clip *c, int sample) { return nalu_sample_get_average_qp(c->samples[sample]); }

static void check_effective(const clip *c, const char *expected, int line) {
    static char text[4096];
    char wanted[64];
    size_t size = 0;
    snprintf(wanted, sizeof wanted, ":%s:", expected);
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    check_that(strstr(text, wanted) != NULL, __FILE__, line, wanted, text);
}
#define CHECK_EFFECTIVE(c, expected) check_effective((c), (expected), __LINE__)

static void set_optional(clip *c, const char *key, int64_t value) {
    if (value >= 0) REQUIRE_OK(nalu_session_set_int64(c->session, key, value));
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

static void try_bounds(int64_t least, int64_t most, double quality, int64_t rate) {
    clip c;
    char what[120];
    clip_open(&c, 96, 80);
    c.noise = 120;
    if (rate) REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    else REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, quality));
    set_optional(&c, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, least);
    set_optional(&c, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, most);
    clip_encode_all(&c, 20);
    for (int i = 0; i < c.count; i++) {
        const double qp = qp_of(&c, i);
        snprintf(what, sizeof what, "QP %g of sample %d in %d to %d", qp, i, (int)least, (int)most);
        check_that(least < 0 || qp >= (double)least - 0.01, __FILE__, __LINE__, what, "");
        check_that(most < 0 || qp <= (double)most + 0.01, __FILE__, __LINE__, what, "");
    }
    clip_close(&c);
}

static void qp_bounds_hold_for_all_frames(void) {
    try_bounds(-1, 30, 0, 0);
    try_bounds(35, -1, 1, 0);
    try_bounds(28, 28, 0.5, 0);
    try_bounds(0, 0, 0, 0);
    try_bounds(51, 51, 1, 0);
    /* The bounds take precedence over the rate. */
    try_bounds(-1, 20, 0, 20000);
    try_bounds(40, -1, 0, 20000000);
}

static void qp_bounds_from_0_to_51_are_accepted(void) {
    const char *keys[] = {NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP};
    for (int i = 0; i < 2; i++) {
        int64_t value = -9;
        clip c;
        clip_open(&c, 64, 48);
        CHECK_STATUS(nalu_session_get_int64(c.session, keys[i], &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        const int64_t good[] = {0, 51, 26}, bad[] = {-1, 52, INT64_MIN, INT64_MAX};
        for (int k = 0; k < 4; k++)
            REFUSED(nalu_session_set_int64(c.session, keys[i], bad[k]), NALU_STATUS_OUT_OF_RANGE, keys[i], "0 to 51");
        CHECK_STATUS(nalu_session_set_double(c.session, keys[i], 20.5), NALU_STATUS_WRONG_TYPE);
        CHECK_STATUS(nalu_session_set_string(c.session, keys[i], "20"), NALU_STATUS_WRONG_TYPE);
        for (int k = 0; k < 3; k++) {
            CHECK_OK(nalu_session_set_int64(c.session, keys[i], good[k]));
            CHECK_OK(nalu_session_get_int64(c.session, keys[i], &value));
            CHECK_EQ(value, good[k]);
        }
        CHECK_OK(nalu_session_unset_property(c.session, keys[i]));
        CHECK_STATUS(nalu_session_get_int64(c.session, keys[i], &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        CHECK_OK(nalu_session_set_int64(c.session, keys[i], 26));
        clip_encode(&c, 2);
        CHECK_EFFECTIVE(&c, i ? "qpmax=26" : "qpmin=26");
        CHECK_OK(nalu_session_set_int64(c.session, keys[i], 27));
        CHECK_OK(nalu_session_get_int64(c.session, keys[i], &value));
        CHECK_EQ(value, 27);
        clip_encode(&c, 1);
        REQUIRE_OK(nalu_compression_session_complete_frames(c.session, nalu_time_invalid()));
        CHECK_EFFECTIVE(&c, i ? "qpmax=27" : "qpmin=27");
        CHECK_OK(nalu_session_unset_property(c.session, keys[i]));
        CHECK_STATUS(nalu_session_get_int64(c.session, keys[i], &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        clip_finish(&c);
        clip_close(&c);
    }
}

/* ---- The QP of one frame ----------------------------------------------------------------------------------------- */

static nalu_status encode_at_qp(clip *c, int32_t plus_1) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    const void *planes[2] = {c->pixels, c->pixels + (size_t)c->width * (size_t)c->height};
    const int64_t strides[2] = {c->width, c->width};
    clip_draw(c);
    options.base_frame_qp_plus_1 = plus_1;
    nalu_status status = nalu_compression_session_encode_planes(c->session, c->width, c->height, c->format, 2, planes,
        strides, NULL, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), &options, NULL, NULL);
    if (status == NALU_STATUS_OK) c->fed++;
    return status;
}

/* Makes the QP constant over the frame by switching off all adaptation. */
static void make_even(clip *c) {
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL,
        NALU_QP_MODULATION_LEVEL_DISABLE));
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "crf=28:mbtree=0"));
}

/* Every third frame has its own QP, starting with the first. */
static void a_frame_can_have_its_own_qp(void) {
    static const int32_t qps[] = {30, 45, 20, 51, 26, 38};
    for (int real_time = 0; real_time < 2; real_time++) {
        clip c;
        int32_t expected[90];
        double others = 0;
        clip_open(&c, 96, 80);
        c.noise = 100;
        make_even(&c);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, real_time));
        for (int i = 0; i < 90; i++) {
            expected[i] = i % 3 ? -1 : qps[i / 3 % 6];
            REQUIRE_OK(encode_at_qp(&c, expected[i] + 1));
        }
        clip_finish(&c);
        for (int i = 0; i < c.count; i++) {
            const int64_t frame = nalu_sample_get_presentation_time(c.samples[i]).value;
            char what[100];
            snprintf(what, sizeof what, "real time %d, frame %d, QP %g", real_time, (int)frame, qp_of(&c, i));
            if (expected[frame] >= 0)
                check_doubles(qp_of(&c, i), expected[frame], 0.01, __FILE__, __LINE__, what);
            else
                others += qp_of(&c, i);
        }
        /* Rate control sets the QP of the other frames, within sane limits. */
        CHECK(others / 60 > 20 && others / 60 < 40);
        clip_close(&c);
    }
}

/* With rate control a frame with its own QP is rejected, and the session states this beforehand. */
static void a_frame_qp_is_refused_with_rate_control(void) {
    static const struct { const char *params; int64_t rate; int32_t supported; } all[] = {
        {"", 0, 0}, {"", 500000, 0}, {"mbtree=0", 0, 0}, {"qp=30", 0, 0}, {"bitrate=500", 0, 0},
        {"crf=23:vbv-maxrate=500:vbv-bufsize=500", 0, 0},
        {"crf=23", 0, 1}, {"ref=2:crf=30:crf=31", 0, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int32_t supported = -9;
        clip c;
        clip_open(&c, 96, 80);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, all[i].params));
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, all[i].rate));
        CHECK_OK(nalu_session_get_bool(c.session, NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, &supported));
        CHECK_EQ(supported, all[i].supported);
        if (supported)
            REQUIRE_OK(encode_at_qp(&c, 31));
        else
            REFUSED(encode_at_qp(&c, 31), NALU_STATUS_CONFLICT, "base_frame_qp_plus_1", "x264.params", "crf=23");
        if (i == 0) {
            /* The options can still be set after the failure. */
            REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "crf=23:aq-mode=0:mbtree=0"));
            REQUIRE_OK(encode_at_qp(&c, 31));
        }
        clip_encode(&c, 3);
        if (!supported && i > 0) REFUSED(encode_at_qp(&c, 31), NALU_STATUS_CONFLICT, "base_frame_qp_plus_1");
        clip_finish(&c);
        if (i == 0) CHECK_NEAR(qp_of(&c, 0), 30, 0.01);
        clip_close(&c);
    }
}

/* An option without effect beside the other options is rejected. */
static void qp_options_without_effect_are_refused(void) {
    static const char *const all[][2] = {{"crf=23:bitrate=500", "crf"}, {"crf=23:crf-max=40", "crf-max"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        clip_open(&c, 96, 80);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, all[i][0]));
        REFUSED(clip_encode_at(&c, nalu_time_make(0, 30), nalu_time_make(1, 30), 0), NALU_STATUS_CONFLICT,
                "x264.params", all[i][1]);
        clip_close(&c);
    }
}

static void a_frame_qp_is_within_the_bounds(void) {
    clip c;
    clip_open(&c, 96, 80);
    CHECK_STATUS(nalu_session_set_bool(c.session, NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, 0),
        NALU_STATUS_PROPERTY_READ_ONLY);
    make_even(&c);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, 20));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 40));
    const int32_t bad[] = {-1, 53, INT32_MIN, INT32_MAX};
    for (int i = 0; i < 4; i++) {
        char value[60];
        snprintf(value, sizeof value, "options.base_frame_qp_plus_1 is %d", (int)bad[i]);
        REFUSED(encode_at_qp(&c, bad[i]), NALU_STATUS_OUT_OF_RANGE, value, "1 to 52");
    }
    REQUIRE_OK(encode_at_qp(&c, 1));
    REQUIRE_OK(encode_at_qp(&c, 52));
    REQUIRE_OK(encode_at_qp(&c, 31));
    clip_finish(&c);
    const double expected[] = {20, 40, 30};
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(qp_of(&c, i), expected[nalu_sample_get_presentation_time(c.samples[i]).value], 0.01);
    clip_close(&c);
    /* The ends of the QP range. */
    clip_open(&c, 96, 80);
    make_even(&c);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(encode_at_qp(&c, 1));
    REQUIRE_OK(encode_at_qp(&c, 52));
    clip_finish(&c);
    CHECK_NEAR(qp_of(&c, 0), 0, 0.01);
    CHECK_NEAR(qp_of(&c, 1), 51, 0.01);
    clip_close(&c);
}

/* ---- Variation within a frame ------------------------------------------------------------------------------------ */

/* Returns the mean QP of a picture whose one half is busy and whose other half is flat. */
static double qp_of_uneven_picture(int64_t level, const char *tune) {
    uint8_t pixels[96 * 80 * 3 / 2];
    const void *planes[2] = {pixels, pixels + 96 * 80};
    const int64_t strides[2] = {96, 96};
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    uint32_t random = 1;
    clip c;
    clip_open(&c, 96, 80);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "crf=23"));
    if (tune) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_TUNE, tune));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL, level));
    memset(pixels, 128, sizeof pixels);
    for (int i = 0; i < 96 * 40; i++) pixels[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    options.base_frame_qp_plus_1 = 31;
    REQUIRE_OK(nalu_compression_session_encode_planes(c.session, 96, 80, c.format, 2, planes, strides, NULL,
        nalu_time_zero(), nalu_time_invalid(), &options, NULL, NULL));
    c.fed++;
    clip_finish(&c);
    if (level == 0) CHECK_EFFECTIVE(&c, "aq-mode=0");
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL, -1 - level),
        NALU_STATUS_TOO_LATE, "SpatialAdaptiveQPLevel");
    const double qp = qp_of(&c, 0);
    clip_close(&c);
    return qp;
}

static void spatial_adaptive_qp_varies_the_qp_in_a_frame(void) {
    CHECK_NEAR(qp_of_uneven_picture(NALU_QP_MODULATION_LEVEL_DISABLE, NULL), 30, 0.01);
    CHECK_NEAR(qp_of_uneven_picture(NALU_QP_MODULATION_LEVEL_DISABLE, "ssim"), 30, 0.01);
    CHECK(fabs(qp_of_uneven_picture(NALU_QP_MODULATION_LEVEL_DEFAULT, NULL) - 30) > 0.1);
    /* The macroblock tree works without adaptive QP. */
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL, 0));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    CHECK_EFFECTIVE(&c, "aq-mode=1:aq-strength=0");
    CHECK_EFFECTIVE(&c, "mbtree=1");
    clip_close(&c);
}

int main(void) {
    RUN(qp_bounds_hold_for_all_frames);
    RUN(qp_bounds_from_0_to_51_are_accepted);
    RUN(a_frame_can_have_its_own_qp);
    RUN(a_frame_qp_is_refused_with_rate_control);
    RUN(qp_options_without_effect_are_refused);
    RUN(a_frame_qp_is_within_the_bounds);
    RUN(spatial_adaptive_qp_varies_the_qp_in_a_frame);
    return check_result();
}
