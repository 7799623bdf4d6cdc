/*
 * A process in a locale with a decimal comma: options, properties, streams and files of several passes are the
 * same as in any other locale. The process's own numbers keep their comma, in its callbacks too.
 */
#include "clip.h"
#include "comma_locale.h"
#include "refusal.h"

enum { FRAMES = 12 };

static const char options[] = "crf=23.9:qcomp=0.75:psy-rd=0.5,0.2:aq-strength=0.8:ipratio=1.33:level=3.1:fps=12.5:threads=1";

static void copy_effective(const clip *c, char *text, size_t capacity) {
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, capacity, &size));
}

enum { SETTING = 1, OPENING = 2, ENCODING = 4 };

/* The bits of `steps` select the steps that run in the locale with a comma; the others run in the C locale. */
static void encode(clip *c, int steps) {
    clip_open(c, 96, 80);
    if (steps & SETTING) comma_locale_enter();
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, options));
    comma_locale_leave();
    if (steps & OPENING) comma_locale_enter();
    REQUIRE_OK(nalu_compression_session_prepare(c->session));
    comma_locale_leave();
    if (steps & ENCODING) comma_locale_enter();
    clip_encode_all(c, FRAMES);
    comma_locale_leave();
}

static void options_mean_the_same_in_every_locale(void) {
    clip plain;
    char expected[8192], text[8192];
    encode(&plain, 0);
    copy_effective(&plain, expected, sizeof expected);
    CHECK(strstr(expected, ":crf=23.9:") != NULL);
    CHECK(strstr(expected, ":qcomp=0.75:") != NULL);
    CHECK(strstr(expected, ":level=31:") != NULL);
    for (int steps = 1; steps < 8; steps++) {
        clip c;
        encode(&c, steps);
        comma_locale_enter();
        copy_effective(&c, text, sizeof text);
        comma_locale_leave();
        CHECK_STR_EQ(text, expected);
        check_same_samples(&c, &plain);
        clip_close(&c);
    }
    clip_close(&plain);
}

static void a_decimal_comma_is_refused_in_every_locale(void) {
    static const char *const bad[] = {"crf=23,5", "qcomp=0,75", "aq-strength=1,0", "fps=29,97", "ipratio=1,4"};
    clip c;
    clip_open(&c, 64, 48);
    for (int in_comma = 0; in_comma < 2; in_comma++) {
        if (in_comma) comma_locale_enter();
        CHECK_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "crf=23.5:psy-rd=0.5"));
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, bad[i]), NALU_STATUS_OUT_OF_RANGE,
                    "x264.params");
    }
    CHECK_OK(nalu_session_set_properties_from_text(c.session, "x264.params=\"\",Quality=0.25,ExpectedFrameRate=29.97"));
    double value = 0;
    CHECK_OK(nalu_session_get_double(c.session, NALU_PROPERTY_QUALITY, &value));
    CHECK_NEAR(value, 0.25, 0);
    REFUSED(nalu_session_set_double(c.session, NALU_PROPERTY_QUALITY, 1.5), NALU_STATUS_OUT_OF_RANGE, "1.5", "0.0");
    comma_locale_leave();
    clip_close(&c);
}

/* x264 writes numbers into a file in one pass and reads them in another. Returns the first sample of the last
 * pass. */
static int encode_two_passes(clip *c, int comma_in_first, int comma_in_second) {
    nalu_multi_pass_storage *storage = NULL;
    clip_open(c, 96, 80);
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 150000));
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(c->session, storage));
    nalu_multi_pass_storage_release(storage);
    for (int pass = 0; pass < 2; pass++) {
        int32_t again = 0;
        const int first = c->count;
        c->fed = 0;
        if (pass ? comma_in_second : comma_in_first) comma_locale_enter();
        REQUIRE_OK(nalu_compression_session_begin_pass(c->session, 0));
        clip_encode(c, 40);
        REQUIRE_OK(nalu_compression_session_end_pass(c->session, &again));
        comma_locale_leave();
        if (!again) break;
        CHECK_EQ(c->count - first, 40);
    }
    return c->count - 40;
}

static void passes_of_different_locales_read_each_others_statistics(void) {
    clip plain;
    const int first = encode_two_passes(&plain, 0, 0);
    for (int steps = 1; steps < 4; steps++) {
        clip c;
        CHECK_EQ(encode_two_passes(&c, steps & 1, steps & 2), first);
        check_same_samples(&c, &plain);
        clip_close(&c);
    }
    clip_close(&plain);
}

/* Counts callbacks, and checks in each the locale of the process and of the thread. */
static int callbacks;
static void look(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    (void)refcon, (void)frame, (void)status, (void)flags, (void)sample;
    callbacks++;
    CHECK_NEAR(strtod("0,5", NULL), 0.5, 0);
    CHECK(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
}

static void encode_some(void) {
    nalu_compression_session *session = NULL;
    uint8_t picture[64 * 48 * 3 / 2] = {0};
    const void *planes[3] = {picture, picture + 64 * 48, picture + 64 * 48 * 5 / 4};
    const int64_t strides[3] = {64, 32, 32};
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, look, NULL, NULL, &session));
    CHECK_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "crf=22.5"));
    CHECK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "crf=abc") != NALU_STATUS_OK);
    for (int i = 0; i < 5; i++)
        CHECK_OK(nalu_compression_session_encode_planes(session, 64, 48, NALU_PIXEL_FORMAT_Y420, 3, planes, strides, NULL,
            nalu_time_make(i, 30), nalu_time_invalid(), NULL, NULL, NULL));
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);
}

static void the_programs_locale_is_unchanged(void) {
    comma_locale_enter();
    encode_some();
    CHECK_EQ(callbacks, 5);
    CHECK_NEAR(strtod("0,5", NULL), 0.5, 0);
    const locale_t own = comma_locale_object();
    uselocale(own);
    encode_some();
    CHECK(uselocale((locale_t)0) == own);
    CHECK_NEAR(strtod("0,5", NULL), 0.5, 0);
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(own);
    comma_locale_leave();
}

int main(void) {
    RUN(options_mean_the_same_in_every_locale);
    RUN(a_decimal_comma_is_refused_in_every_locale);
    RUN(passes_of_different_locales_read_each_others_statistics);
    RUN(the_programs_locale_is_unchanged);
    return check_result();
}
