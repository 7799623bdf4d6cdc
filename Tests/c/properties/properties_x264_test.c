/* Direct access to x264: x264.preset, x264.tune and x264.params take effect in x264.effective and in the
 * stream. Options that the session controls are rejected in every spelling. */
#include "clip.h"
#include "refusal.h"

static char text[4096];

static const char *effective(const clip *c) {
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    CHECK_EQ(size, strlen(text) + 1);
    return text;
}

static void check_option(const char *preset, const char *tune, const char *params, const char *expected, int line) {
    clip c;
    char what[300];
    clip_open(&c, 64, 48);
    if (preset) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, preset));
    if (tune) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_TUNE, tune));
    if (params) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, params));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    snprintf(what, sizeof what, "%s, %s, %s gives %s", preset, tune, params, expected);
    check_that(strstr(effective(&c), expected) != NULL, __FILE__, line, what, text);
    clip_close(&c);
}
#define CHECK_OPTION(preset, tune, params, expected) check_option(preset, tune, params, expected, __LINE__)

static void presets_and_tunes_reach_x264(void) {
    CHECK_OPTION(NULL, NULL, NULL, ":subme=7:");
    CHECK_OPTION("ultrafast", NULL, NULL, ":subme=0:");
    CHECK_OPTION("superfast", NULL, NULL, ":subme=1:");
    CHECK_OPTION("veryfast", NULL, NULL, ":subme=2:");
    CHECK_OPTION("faster", NULL, NULL, ":subme=4:");
    CHECK_OPTION("fast", NULL, NULL, ":subme=6:");
    CHECK_OPTION("medium", NULL, NULL, ":subme=7:");
    CHECK_OPTION("slow", NULL, NULL, ":subme=8:");
    CHECK_OPTION("slower", NULL, NULL, ":subme=9:");
    CHECK_OPTION("veryslow", NULL, NULL, ":subme=10:");
    CHECK_OPTION("placebo", NULL, NULL, ":subme=11:");
    CHECK_OPTION(NULL, "film", NULL, ":deblock=-1,-1:");
    CHECK_OPTION(NULL, "animation", NULL, ":deblock=1,1:");
    CHECK_OPTION(NULL, "grain", NULL, ":deblock=-2,-2:");
    CHECK_OPTION(NULL, "stillimage", NULL, ":deblock=-3,-3:");
    CHECK_OPTION(NULL, "psnr", NULL, ":psy=0:");
    CHECK_OPTION(NULL, "ssim", NULL, ":aq-mode=2:");
    CHECK_OPTION(NULL, "fastdecode", NULL, ":no-deblock=1:");
    CHECK_OPTION(NULL, "zerolatency", NULL, ":rc-lookahead=0:");
    CHECK_OPTION(NULL, "grain,zerolatency", NULL, ":rc-lookahead=0:");
    CHECK_OPTION(NULL, "grain,zerolatency", NULL, ":deblock=-2,-2:");
}

static void options_reach_x264(void) {
    CHECK_OPTION(NULL, NULL, "subme=3:me=dia", ":subme=3:");
    CHECK_OPTION(NULL, NULL, "subme=3:me=dia", ":me=dia:");
    CHECK_OPTION("placebo", "film", "subme=3", ":subme=3:");
    CHECK_OPTION(NULL, NULL, "no-mbtree", ":mbtree=0:");
    CHECK_OPTION(NULL, NULL, "nombtree=1", ":mbtree=0:");
    CHECK_OPTION(NULL, NULL, "mixed_refs=0", ":mixed-refs=0:");
    CHECK_OPTION(NULL, NULL, "qpmin=10:qpmax=40", ":qpmin=10:qpmax=40:");
    CHECK_OPTION(NULL, NULL, "bitrate=345", ":bitrate=345:");
    CHECK_OPTION(NULL, NULL, "crf=19.5", ":crf=19.5:");
    CHECK_OPTION(NULL, NULL, "qp=30", ":qp=30:");
    CHECK_OPTION(NULL, NULL, "bframes=5:b-adapt=0", "bframes=5:");
    CHECK_OPTION(NULL, NULL, "keyint=77", ":keyint=77:");
    CHECK_OPTION(NULL, NULL, "::ref=2::", ":ref=2:");
}

/* The average QP in the samples is the one that the options force. */
static void qp_options_reach_the_samples(void) {
    static const struct { const char *params; double low, high; } all[] = {
        {"qpmin=40:qpmax=45", 40, 45}, {"qpmin=3:qpmax=8", 3, 8}, {"qp=27:ipratio=1:pbratio=1:aq-mode=0", 27, 27}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        clip_open(&c, 96, 80);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, all[i].params));
        clip_encode_all(&c, 20);
        for (int k = 0; k < c.count; k++) {
            const double qp = nalu_sample_get_average_qp(c.samples[k]);
            CHECK(qp >= all[i].low - 0.01 && qp <= all[i].high + 0.01);
        }
        clip_close(&c);
    }
}

/* keyint then belongs to x264, which still places key frames at this interval. */
static void keyint_controls_the_key_frames(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "keyint=6:bframes=0"));
    clip_encode_all(&c, 20);
    for (int i = 0; i < c.count; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i % 6 == 0);
    clip_close(&c);
}

static void wrong_options_are_refused(void) {
    const char *session_owned[] = {
        "annexb=1", "no-annexb", "noannexb=0", "no_annexb=0", "repeat-headers=1", "repeat_headers=0",
        "norepeat-headers=0",
        "global-header=0", "stats=x264.log", "pass=1", "cqmfile=matrix.cfg", "dump-yuv=out.yuv", "log=3", "opencl=1",
        "opencl-clbin=x", "open-gop=1", "intra-refresh=1", "interlaced=1", "tff=1", "bff", "fake-interlaced=1",
        "pic-struct=1", "no-pic-struct=0", "fullrange=on", "range=pc", "frames=100", "input-depth=10",
        "output-csp=i444",
        "avcintra-class=50", "crop-rect=0,0,2,2", "asm=0", "noasm",
        "zones=0,10,q=20"};
    const char *bad[] = {"nonsense=1", "ref", "ref=", "ref=abc", "=3", "=", "crf=1x", "me=fast", "cabac=2", "fps=0",
                         "fps=30/0", "fps=0/1", "level=1b", "level=99", "level=-1", "level=0", "crf=0", "crf=0.9",
                         "crf=52", "bitrate=0", "bitrate=-5", "bitrate=2000001", "crf=nan", "crf=-inf", "qp=0", "qp=-1",
                         "qp=52", "cqm=/etc/hostname",
                         "sar=4", "ref=2 ", " ref=2", "ref=2,me=dia", "\xff\xfe=1", "threads=\xff"};
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "ref=2"));
    for (size_t i = 0; i < sizeof session_owned / sizeof *session_owned; i++) {
        char name[64] = {0};
        sscanf(session_owned[i], "%63[^=]", name);
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, session_owned[i]),
            NALU_STATUS_OUT_OF_RANGE, name, "not for a session: ");
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, bad[i]), NALU_STATUS_OUT_OF_RANGE,
                "x264.params");
        /* The option is rejected after a valid one, too. */
        char both[128];
        snprintf(both, sizeof both, "ref=3:%s", bad[i]);
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, both), NALU_STATUS_OUT_OF_RANGE,
            "x264.params");
    }
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_TUNE, "film,grain"), NALU_STATUS_OUT_OF_RANGE,
            "film,grain", "at most one of");
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_TUNE, "zerolatency,touhou!"),
        NALU_STATUS_OUT_OF_RANGE, "touhou!", "zerolatency");
    size_t size = 0;
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_PARAMS, text, sizeof text, &size));
    CHECK(strcmp(text, "ref=2") == 0);
    clip_close(&c);
}

/* x264 leaks memory if it cannot be opened. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libx264"; }

/* Values that only x264 can check fail when it is opened. The session can then be corrected. */
static void values_that_x264_refuses_can_be_corrected(void) {
    const char *params[] = {"cll=1,65536", "frame-packing=7"};
    for (int i = 0; i < 2; i++) {
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, params[i]));
        REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_COULD_NOT_CREATE_INSTANCE,
            "x264 cannot be opened");
        REFUSED(clip_encode_at(&c, nalu_time_zero(), nalu_time_invalid(), 0), NALU_STATUS_COULD_NOT_CREATE_INSTANCE,
                "x264 cannot be opened");
        REQUIRE_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_X264_PARAMS));
        clip_encode_all(&c, 2);
        clip_close(&c);
    }
}

/* x264.effective has the form of x264.params: set in another session, it produces the same encoder. */
static void x264_effective_produces_the_same_encoder(void) {
    const char *presets[] = {"ultrafast", "medium", "veryslow"};
    for (int i = 0; i < 3; i++) {
        static char first[4096];
        clip a, b;
        clip_open(&a, 96, 80);
        REQUIRE_OK(nalu_session_set_string(a.session, NALU_PROPERTY_X264_PRESET, presets[i]));
        REQUIRE_OK(nalu_session_set_string(a.session, NALU_PROPERTY_X264_PARAMS, "ref=2:qpmin=7:threads=1:mbtree=0"));
        clip_encode_all(&a, 10);
        strcpy(first, effective(&a));
        clip_open(&b, 96, 80);
        REQUIRE_OK(nalu_session_set_string(b.session, NALU_PROPERTY_X264_PARAMS, first));
        clip_encode_all(&b, 10);
        check_that(strcmp(effective(&b), first) == 0, __FILE__, __LINE__, first, text);
        /* ultrafast is an exception, because no option sets its intra partitions. */
        if (i > 0) CHECK_EQ(clip_bytes(&a), clip_bytes(&b));
        clip_close(&a);
        clip_close(&b);
    }
}

int main(void) {
    RUN(presets_and_tunes_reach_x264);
    RUN(options_reach_x264);
    RUN(qp_options_reach_the_samples);
    RUN(keyint_controls_the_key_frames);
    RUN(wrong_options_are_refused);
    RUN(values_that_x264_refuses_can_be_corrected);
    RUN(x264_effective_produces_the_same_encoder);
    return check_result();
}
