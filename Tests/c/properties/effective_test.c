/*
 * x264.effective, set as x264.params of another session together with the preset, produces the same stream byte
 * for byte, with its parameter sets. The test covers each option of x264, and each session property that sets
 * options.
 */
#include "clip.h"
#include "refusal.h"

enum { FRAMES = 24, TEXT = 8192 };

static void copy_effective(const clip *c, char text[TEXT]) {
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, TEXT, &size));
}

static void check_same_streams(const clip *a, const clip *b, const char *what) {
    size_t one = 0, other = 0;
    check_that(a->count == b->count, __FILE__, __LINE__, what, "another number of samples");
    if (a->count != b->count || a->count == 0) return;
    const uint8_t *sets = nalu_format_description_get_avcc(nalu_sample_get_format_description(a->samples[0]), &one);
    const uint8_t *others = nalu_format_description_get_avcc(nalu_sample_get_format_description(b->samples[0]), &other);
    check_that(one == other && memcmp(sets, others, one) == 0, __FILE__, __LINE__, what, "other parameter sets");
    for (int i = 0; i < a->count; i++) {
        const uint8_t *p = nalu_sample_get_data(a->samples[i], &one), *q = nalu_sample_get_data(b->samples[i], &other);
        if (!check_that(one == other && memcmp(p, q, one) == 0, __FILE__, __LINE__, what, "another stream")) return;
    }
}

typedef struct setting {
    const char *preset; /* NULL: unset */
    const char *properties;
    const char *params;
} setting;

static nalu_status prepare(clip *c, setting s) {
    clip_open(c, 128, 128);
    if (s.preset) REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PRESET, s.preset));
    if (s.properties) REQUIRE_OK(nalu_session_set_properties_from_text(c->session, s.properties));
    if (s.params) REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, s.params));
    return nalu_compression_session_prepare(c->session);
}

static void check_round_trip(setting s) {
    char first[TEXT], second[TEXT], what[256];
    clip a, b;
    snprintf(what, sizeof what, "%s; %s; %s", s.preset ? s.preset : "-", s.properties ? s.properties : "-",
             s.params ? s.params : "-");
    if (check_that(prepare(&a, s) == NALU_STATUS_OK, __FILE__, __LINE__, what, "not opened")) {
        copy_effective(&a, first);
        if (check_that(prepare(&b, (setting){s.preset, NULL, first}) == NALU_STATUS_OK, __FILE__, __LINE__, what, first)) {
            copy_effective(&b, second);
            check_that(strcmp(first, second) == 0, __FILE__, __LINE__, first, second);
            clip_encode_all(&a, FRAMES);
            clip_encode_all(&b, FRAMES);
            check_same_streams(&a, &b, what);
        }
        clip_close(&b);
    }
    clip_close(&a);
}

static const char flat16[] = "16,16,16,16,16,16,16,16,16,16,16,16,16,16,16,24";
static const char steep16[] = "10,12,14,16,13,15,17,18,15,17,19,20,17,19,21,22";

/* Every option that x264_param_parse and a session accept, with values different from the default. */
static void each_option_is_reproduced_by_x264_effective(void) {
    static const char *const all[] = {
        "threads=2", "threads=3:lookahead-threads=2", "threads=2:sliced-threads=1", "threads=2:sync-lookahead=5",
        "deterministic=0:threads=1", "non-deterministic:threads=1", "cpu-independent=1", "level=4.1", "level-idc=31",
        "bluray-compat=1:bitrate=500:vbv-maxrate=600:vbv-bufsize=700:level=4.1", "sar=4/3", "overscan=show",
        "overscan=crop", "videoformat=pal", "colorprim=bt2020", "transfer=smpte2084", "colormatrix=bt2020nc", "chromaloc=2",
        "mastering-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)", "cll=1000,400",
        "alternative-transfer=arib-std-b67", "alternative-transfer=undef", "fps=25", "fps=30/1", "fps=12.5",
        "fps=30000/1001", "fps=24:force-cfr=1", "force-cfr=1", "force-cfr=0", "ref=5", "frameref=2", "dpb-size=6", "keyint=7",
        "keyint=infinite", "keyint=12:min-keyint=3", "keyint=12:keyint-min=2", "scenecut=0", "no-scenecut", "scenecut=80",
        "bframes=5", "bframes=0", "b-adapt=2", "b-adapt=0", "b-bias=40", "b-pyramid=none", "b-pyramid=strict", "nf",
        "no-deblock", "deblock=-2,3", "filter=1", "slice-max-size=300", "slice-max-mbs=12",
        "slice-max-size=300:slice-min-mbs=4", "slices=3", "slices=2:slices-max=4", "slices-max=3:slice-max-size=100",
        "cabac=0", "cabac-idc=2", "constrained-intra=1", "cqm=jvt", "cqm=flat", "cqm4=STEEP", "cqm4i=STEEP", "cqm4p=STEEP",
        "cqm4iy=STEEP", "cqm4ic=STEEP", "cqm4py=STEEP", "cqm4pc=STEEP", "cqm4=FLAT", "cqm8=WIDE", "cqm8i=WIDE", "cqm8p=WIDE",
        "partitions=none", "analyse=p8x8,i4x4", "partitions=all", "8x8dct=0", "weightb=0",
        "no-weight-b", "weightp=0", "weightp=1", "direct=temporal", "direct-pred=auto", "direct=none", "chroma-qp-offset=5",
        "chroma-qp-offset=-12", "chroma-qp-offset=12", "chroma-qp-offset=3:no-psy", "me=dia", "me=umh:merange=32",
        "me=esa:me-range=24", "me=tesa", "mvrange=64", "mv-range=40", "mvrange-thread=32:threads=2",
        "mv-range-thread=40:threads=2", "subme=0", "subme=2", "subq=10:trellis=2", "psy-rd=0.4,0.35", "psy-rd=0", "no-psy",
        "psy-rd=2|0.123456", "chroma-me=0", "mixed-refs=0", "trellis=0", "trellis=2", "no-fast-pskip", "no-dct-decimate",
        "trellis=0:deadzone-inter=10:deadzone-intra=5", "nr=200", "bitrate=300", "qp=30", "crf=18.7", "crf=27.666666",
        "crf=20:vbv-maxrate=300:vbv-bufsize=300:crf-max=28", "rc-lookahead=5", "rc-lookahead=0", "qpmin=20", "qp-min=21",
        "qpmax=30", "qp-max=31", "qpstep=2", "qp-step=9", "bitrate=300:ratetol=2.5", "bitrate=300:ratetol=inf",
        "bitrate=300:vbv-maxrate=400:vbv-bufsize=200", "bitrate=300:vbv-maxrate=400:vbv-bufsize=400:vbv-init=0.35",
        "bitrate=300:vbv-maxrate=400:vbv-bufsize=400:vbv-init=150", "ipratio=1.1", "ip-factor=2", "mbtree=0:pbratio=1.7",
        "no-mbtree:pb-factor=1.05", "aq-mode=0", "aq-mode=0:no-mbtree", "aq-mode=2", "aq-mode=3:aq-strength=0.7", "qcomp=0.8",
        "qcomp=1", "mbtree=0", "aud=1", "sps-id=3", "nal-hrd=vbr:bitrate=300:vbv-maxrate=400:vbv-bufsize=400",
        "nal-hrd=cbr:bitrate=300:vbv-maxrate=300:vbv-bufsize=300",
        "filler=1:bitrate=300:vbv-maxrate=300:vbv-bufsize=300", "frame-packing=3", "stitchable=1"};
    char wide64[200], params[1024];
    size_t used = 0;
    for (int i = 0; i < 64; i++) used += (size_t)sprintf(wide64 + used, i ? ",%d" : "%d", 10 + i / 4);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!is_tried((int)i)) continue;
        const char *rest = all[i];
        const char *list = strstr(rest, "STEEP") ? steep16 : strstr(rest, "FLAT") ? flat16 : wide64;
        const char *mark = strpbrk(rest, "STEFLAWID") ? strchr(rest, '=') : NULL;
        if (strncmp(rest, "cqm", 3) == 0 && strncmp(rest, "cqm=", 4) != 0 && mark)
            snprintf(params, sizeof params, "%.*s=%s:threads=1", (int)(mark - rest), rest, list);
        else
            snprintf(params, sizeof params, "%s%s", rest, strstr(rest, "threads=") ? "" : ":threads=1");
        check_round_trip((setting){NULL, NULL, params});
    }
}

static void each_preset_is_reproduced_by_x264_effective(void) {
    static const char *const presets[] = {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower",
                                          "veryslow", "placebo"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (!is_tried((int)i)) continue;
        check_round_trip((setting){presets[i], NULL, "threads=1"});
        check_round_trip((setting){presets[i], "RealTime=true,NaluRealTimeGovernor=false", "threads=1"});
    }
}

/* Properties that x264 has options for. */
static void each_property_is_reproduced_by_x264_effective(void) {
    static const char *const all[] = {
        "ExpectedFrameRate=25", "ExpectedFrameRate=29.97", "ExpectedFrameRate=12.5",
        "RealTime=true", "RealTime=true,ExpectedFrameRate=50,NaluRealTimeGovernor=false", "AverageBitRate=300000",
        "AverageBitRate=300000,ExpectedFrameRate=30", "Quality=0.333333", "Quality=0.9", "DataRateLimits=[40000,1]",
        "VariableBitRate=300000,ExpectedFrameRate=30", "VariableBitRate=300000,VBVInitialDelayPercentage=33.3",
        "ProfileLevel=H264_Baseline_3_1", "ProfileLevel=H264_Main_AutoLevel", "AllowFrameReordering=false",
        "MaxFrameDelayCount=0", "MaxFrameDelayCount=6", "MaxH264SliceBytes=600", "H264EntropyMode=CAVLC",
        "ReferenceBufferCount=2", "SuggestedLookAheadFrameCount=4", "MinAllowedFrameQP=25", "MaxAllowedFrameQP=30",
        "SpatialAdaptiveQPLevel=0", "ColorPrimaries=ITU_R_2020", "MoreFramesAfterEnd=true", "x264.tune=grain",
        "x264.tune=animation", "x264.tune=stillimage", "x264.tune=psnr", "x264.tune=ssim",
        "x264.tune=\"film,zerolatency\"", "x264.tune=fastdecode"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is_tried((int)i)) check_round_trip((setting){NULL, all[i], "threads=1"});
}

/* A constant rate needs the session, which drops frames beyond the channel's capacity. So the text is rejected,
 * and the error message names the property to set. */
static void a_constant_rate_is_not_in_the_text(void) {
    static const char *const all[] = {"ConstantBitRate=400000,ExpectedFrameRate=30",
                                      "ConstantBitRate=400000,ExpectedFrameRate=30,RealTime=true"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[TEXT];
        clip a, b;
        CHECK_OK(prepare(&a, (setting){NULL, all[i], "threads=1"}));
        copy_effective(&a, text);
        REFUSED(prepare(&b, (setting){NULL, NULL, text}), NALU_STATUS_CONFLICT, "x264.params", "set ConstantBitRate");
        clip_close(&a);
        clip_close(&b);
    }
}

/* Options that x264 would change silently, or ignore. */
static void options_without_effect_are_refused(void) {
    static const struct { setting setting; const char *option, *says; } all[] = {
        {{NULL, "RealTime=true", "slices=3:threads=2"}, "slices", "changes it to \"2\""},
        {{NULL, "MaxH264SliceBytes=600", "slices=4"}, "slices", "changes it to \"0\""},
        {{NULL, NULL, "slices=4:slice-max-mbs=10"}, "slices", "changes it to \"0\""},
        {{NULL, NULL, "nal-hrd=vbr"}, "nal-hrd", "changes it to \"none\""},
        {{NULL, "RealTime=true", "sync-lookahead=5"}, "sync-lookahead", "changes it to \"0\""},
        {{NULL, NULL, "sync-lookahead=5:threads=1"}, "sync-lookahead", "changes it to \"0\""},
        {{NULL, NULL, "merange=32"}, "merange", "changes it to \"16\""},
        {{NULL, NULL, "me_range=17:me=dia"}, "me_range", "changes it to \"16\""},
        {{NULL, NULL, "subme=11"}, "subme", "changes it to \"9\""},
        {{NULL, NULL, "subme=12"}, "subme", "changes it to"},
        {{NULL, NULL, "pbratio=1.5"}, "pbratio", "changes it to \"1\""},
        {{NULL, NULL, "qblur=5"}, "qblur", "no effect"},
        {{NULL, NULL, "cplxblur=5"}, "cplxblur", "no effect"},
        {{NULL, NULL, "ratetol=2"}, "ratetol", "no effect"},
        {{NULL, NULL, "crf=20:crf-max=30"}, "crf-max", "no effect"},
        {{NULL, NULL, "vbv-maxrate=1000"}, "vbv-maxrate", "no effect"},
        {{NULL, NULL, "crf=20:vbv-bufsize=1000"}, "vbv-bufsize", "ignores it"},
        {{NULL, NULL, "crf=20:bitrate=1000"}, "crf", "no effect"},
        {{NULL, NULL, "qp=20:qpmin=10"}, "qpmin", "changes it to"},
        {{NULL, NULL, "cabac=0:cabac-idc=1"}, "cabac-idc", "no effect"},
        {{NULL, NULL, "bframes=0:b-adapt=2"}, "b-adapt", "no effect"},
        {{NULL, NULL, "bframes=17"}, "bframes", "changes it to \"16\""},
        {{NULL, NULL, "bframes=1:b-pyramid=strict"}, "b-pyramid", "changes it to \"none\""},
        {{NULL, NULL, "ref=1:mixed-refs=1"}, "mixed-refs", "changes it to \"0\""},
        {{NULL, NULL, "no-psy:psy-rd=1"}, "psy-rd", "changes it to \"0,0\""},
        {{NULL, NULL, "slice-min-mbs=4"}, "slice-min-mbs", "changes it to \"0\""},
        {{NULL, NULL, "8x8dct=0:partitions=i8x8"}, "partitions", "changes it to \"none\""},
        {{NULL, NULL, "partitions=p4x4"}, "partitions", "changes it to \"none\""},
        {{NULL, NULL, "deblock=7,0"}, "deblock", "changes it to \"6,0\""},
        {{NULL, NULL, "trellis=3"}, "trellis", "changes it to \"2\""},
        {{NULL, NULL, "aq-mode=4"}, "aq-mode", "changes it to \"3\""},
        {{NULL, NULL, "rc-lookahead=300"}, "rc-lookahead", "changes it to \"250\""},
        {{NULL, NULL, "sps-id=32"}, "sps-id", "changes it to \"0\""},
        {{NULL, NULL, "frame-packing=8"}, "frame-packing", "ignores it"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip c;
        REFUSED(prepare(&c, all[i].setting), NALU_STATUS_CONFLICT, "x264.params", all[i].option, all[i].says);
        clip_close(&c);
    }
}

static void option_values_that_are_no_numbers_are_refused(void) {
    static const char *const all[] = {
        "qcomp=nan", "qcomp=inf", "qcomp=1.1", "qcomp=-0.1", "aq-strength=nan", "aq-strength=4", "psy-rd=nan", "psy-rd=1,nan",
        "psy-rd=abc", "psy-rd=1,0.1,0.1", "psy-rd=11", "psy_rd=-inf", "ipratio=nan", "ipratio=0", "pbratio=nan", "ratetol=nan",
        "ratetol=-1", "qblur=1e8", "qblur=nan", "qblur=100", "cplxblur=1e8", "cplx-blur=nan", "vbv-init=nan", "vbv-init=-1",
        "crf-max=nan", "crf=nan", "fps=nan", "fps=4294967295/1", "chroma-qp-offset=13", "ref=4294967298",
        "slice-max-size=2147483647", "partitions=foo", "analyse=p8x8,foo", "deblock=1x", "deblock=1,2,3", "cqm=flat.cfg"};
    clip c;
    clip_open(&c, 64, 48);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[32] = "";
        sscanf(all[i], "%31[^=]", name);
        REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, all[i]), NALU_STATUS_OUT_OF_RANGE,
                "x264.params", name);
    }
    clip_close(&c);
}

int main(void) {
    RUN(each_option_is_reproduced_by_x264_effective);
    RUN(each_preset_is_reproduced_by_x264_effective);
    RUN(each_property_is_reproduced_by_x264_effective);
    RUN(a_constant_rate_is_not_in_the_text);
    RUN(options_without_effect_are_refused);
    RUN(option_values_that_are_no_numbers_are_refused);
    return check_result();
}
