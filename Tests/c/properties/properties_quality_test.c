/* Quality: a higher value, from 0 to 1, gives a larger stream and maps to the rate factors of properties.h. It
 * can change while encoding. With AverageBitRate it is a target, and the rate is a ceiling. Also: the settings
 * with which the rate properties open x264. */
#include "clip.h"
#include "refusal.h"

static double mean_qp(const clip *c, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += nalu_sample_get_average_qp(c->samples[i]);
    return sum / (to - from);
}

/* Returns one option's value in x264.effective; NAN if the option is missing. */
static double effective(const clip *c, const char *option) {
    char text[4096], wanted[64];
    size_t size = 0;
    snprintf(wanted, sizeof wanted, ":%s=", option);
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    const char *at = strstr(text, wanted);
    return at ? atof(at + strlen(wanted)) : NAN;
}

static void encode(clip *c, double quality) {
    clip_open(c, 176, 144);
    c->noise = 100;
    /* x264 produces equal bytes with one thread only. */
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    if (quality >= 0) REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_QUALITY, quality));
    clip_encode_all(c, 12);
}

static void a_higher_quality_gives_a_larger_stream(void) {
    size_t last_bytes = 0;
    double last_qp = 100;
    for (int i = 0; i <= 10; i++) {
        clip c;
        encode(&c, i / 10.0);
        const size_t bytes = clip_bytes(&c);
        const double qp = mean_qp(&c, 0, c.count);
        char what[100];
        snprintf(what, sizeof what, "quality %g: %zu bytes, QP %g; before: %zu, %g", i / 10.0, bytes, qp, last_bytes,
            last_qp);
        check_that(bytes > last_bytes && qp < last_qp, __FILE__, __LINE__, what, "");
        last_bytes = bytes, last_qp = qp;
        clip_close(&c);
    }
}

static void each_quality_has_its_rate_factor(void) {
    static const struct { double quality, factor; } all[] = {
        {0, 51}, {0.25, 30}, {0.5, 23}, {0.75, 17}, {1, 1}, {-1, 23}, {0.125, 40.5}, {0.875, 9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        clip_open(&c, 64, 48);
        if (all[i].quality >= 0) REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, all[i].quality));
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        CHECK_NEAR(effective(&c, "crf"), all[i].factor, 1e-4);
        CHECK(isnan(effective(&c, "bitrate")));
        clip_close(&c);
    }
}

static void an_unset_quality_is_normal(void) {
    clip plain, half;
    encode(&plain, -1);
    encode(&half, 0.5);
    CHECK_EQ(clip_bytes(&plain), clip_bytes(&half));
    clip_close(&plain);
    clip_close(&half);
}

static void the_quality_can_change_while_encoding(void) {
    for (int low_delay = 0; low_delay < 2; low_delay++) {
        clip c;
        clip_open(&c, 176, 144);
        c.noise = 100;
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, low_delay));
        REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.3));
        clip_encode(&c, 20);
        CHECK_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.8));
        clip_encode(&c, 20);
        CHECK_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_QUALITY));
        clip_encode_all(&c, 20);
        CHECK(mean_qp(&c, 5, 20) > mean_qp(&c, 45, 60) + 3);
        CHECK(mean_qp(&c, 45, 60) > mean_qp(&c, 25, 40) + 3);
        for (int i = 1; i < c.count; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), 0);
        clip_close(&c);
    }
}

/* The bit rate is a ceiling: noise at the highest quality stays near it. */
static void a_bit_rate_is_a_ceiling_for_a_quality(void) {
    clip c;
    clip_open(&c, 176, 144);
    c.noise = 255;
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.9));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 300000));
    clip_encode_all(&c, 90);
    CHECK_NEAR(effective(&c, "crf"), 7.4, 1e-4);
    CHECK(effective(&c, "vbv-maxrate") <= 300);
    CHECK((double)clip_bytes(&c) * 8 < 3 * 300000 * 1.4);
    clip_close(&c);
    /* The bit rate is no target: a simple picture uses fewer bits. */
    clip_open(&c, 176, 144);
    c.noise = 0;
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.25));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 5000000));
    clip_encode_all(&c, 30);
    CHECK((double)clip_bytes(&c) * 8 < 1000000);
    clip_close(&c);
}

/* ConstantQualityFactor: the same scale; rate limits beside it are ceilings. */
static void constant_quality_factor_has_the_scale_of_quality(void) {
    static const struct { const char *limit; int noise; double most; } all[] = {
        {"ConstantQualityFactor=0.9", 255, 1e9},
        {"ConstantQualityFactor=0.9,AverageBitRate=300000", 255, 300000 * 1.4},
        {"ConstantQualityFactor=0.9,DataRateLimits=[37500,1]", 255, 300000},
        {"ConstantQualityFactor=0.9,AverageBitRate=5000000", 0, 1000000},
    };
    double plain = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        clip_open(&c, 176, 144);
        c.noise = all[i].noise;
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, all[i].limit));
        clip_encode_all(&c, 90);
        const double rate = (double)clip_bytes(&c) * 8 / 3;
        CHECK_NEAR(effective(&c, "crf"), 7.4, 1e-4);
        check_that(rate < all[i].most, __FILE__, __LINE__, all[i].limit, "");
        if (i == 0) plain = rate;
        clip_close(&c);
    }
    CHECK(plain > 1000000);
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_CONSTANT_QUALITY_FACTOR, 0.5));
    REFUSED(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 0.5), NALU_STATUS_CONFLICT, "Quality",
        "ConstantQualityFactor");
    REFUSED(nalu_session_set_int64(c.session, NALU_PROPERTY_CONSTANT_BIT_RATE, 100000), NALU_STATUS_CONFLICT,
        "ConstantQualityFactor");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "crf=20"), NALU_STATUS_CONFLICT,
        "ConstantQualityFactor");
    REFUSED(nalu_session_set_double(c.session, NALU_PROPERTY_CONSTANT_QUALITY_FACTOR, 1.1), NALU_STATUS_OUT_OF_RANGE,
        "ConstantQualityFactor", "0 to 1");
    clip_close(&c);
}

static void the_average_qp_follows_the_quality(void) {
    clip c;
    encode(&c, 0);
    for (int i = 0; i < c.count; i++) {
        const double qp = nalu_sample_get_average_qp(c.samples[i]);
        CHECK(qp > 30 && qp <= 51);
    }
    clip_close(&c);
    encode(&c, 1);
    for (int i = 0; i < c.count; i++) {
        const double qp = nalu_sample_get_average_qp(c.samples[i]);
        CHECK(qp >= 0 && qp < 18);
    }
    clip_close(&c);
}

int main(void) {
    RUN(a_higher_quality_gives_a_larger_stream);
    RUN(each_quality_has_its_rate_factor);
    RUN(an_unset_quality_is_normal);
    RUN(the_quality_can_change_while_encoding);
    RUN(a_bit_rate_is_a_ceiling_for_a_quality);
    RUN(constant_quality_factor_has_the_scale_of_quality);
    RUN(the_average_qp_follows_the_quality);
    return check_result();
}
