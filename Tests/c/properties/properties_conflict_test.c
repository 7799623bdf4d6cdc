/* Properties that contradict each other: NALU_STATUS_CONFLICT with both names in the error message, in either
 * order, also inside one nalu_session_set_properties call. The property that was set first stays, and the other
 * one is not set. */
#include "clip.h"
#include "refusal.h"

/* Rows for nalu_session_set_properties. */
static nalu_property truth(const char *key, int value) {
    nalu_property it = {.key = key, .type = NALU_PROPERTY_TYPE_BOOL, .integer = value};
    return it;
}
static nalu_property whole(const char *key, int64_t value) {
    nalu_property it = {.key = key, .type = NALU_PROPERTY_TYPE_INT64, .integer = value};
    return it;
}
static nalu_property real(const char *key, double value) {
    nalu_property it = {.key = key, .type = NALU_PROPERTY_TYPE_DOUBLE, .number = value};
    return it;
}
static nalu_property text(const char *key, const char *value) {
    nalu_property it = {.key = key, .type = NALU_PROPERTY_TYPE_STRING, .string = value};
    return it;
}
static nalu_property list(const char *key, const double *values) {
    nalu_property it = {.key = key, .type = NALU_PROPERTY_TYPE_NUMBERS, .number_count = 2, .numbers = values};
    return it;
}
static nalu_property params(const char *options) { return text("x264.params", options); }

static clip c;

/* Writes the state of a property as a string, to check that nothing has changed. */
static void read_back(const char *key, char *out, size_t size) {
    double values[8];
    int64_t integer;
    double number;
    int32_t boolean;
    size_t count = 0;
    nalu_property_info info = {.struct_size = sizeof info};
    REQUIRE_OK(nalu_property_get_info(key, &info));
    nalu_status status = NALU_STATUS_OK;
    snprintf(out, size, "none");
    switch (info.type) {
    case NALU_PROPERTY_TYPE_BOOL:
        if ((status = nalu_session_get_bool(c.session, key, &boolean)) == 0) snprintf(out, size, "%d", boolean);
        break;
    case NALU_PROPERTY_TYPE_INT64:
        if ((status = nalu_session_get_int64(c.session, key, &integer)) == 0)
            snprintf(out, size, "%lld", (long long)integer);
        break;
    case NALU_PROPERTY_TYPE_DOUBLE:
        if ((status = nalu_session_get_double(c.session, key, &number)) == 0) snprintf(out, size, "%g", number);
        break;
    case NALU_PROPERTY_TYPE_STRING: status = nalu_session_copy_string(c.session, key, out, size, &count); break;
    default:
        REQUIRE_OK(nalu_session_copy_numbers(c.session, key, values, 8, &count));
        snprintf(out, size, "%zu %g %g", count, count ? values[0] : 0, count ? values[1] : 0);
    }
    CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_VALUE_NOT_AVAILABLE);
}

static void contradict(nalu_property a, nalu_property b, int line) {
    const nalu_property pairs[2][2] = {{a, b}, {b, a}};
    const char *const words[] = {a.key, b.key, NULL};
    char what[32];
    snprintf(what, sizeof what, "case of line %d", line);
    clip_open(&c, 64, 48);
    for (int order = 0; order < 2; order++) {
        const nalu_property *first = &pairs[order][0], *second = &pairs[order][1];
        nalu_property undo = {.key = first->key, .type = NALU_PROPERTY_TYPE_UNSET};
        char firstly[128], before[128], after[128];
        read_back(first->key, firstly, sizeof firstly);
        /* The two properties are set one after the other. */
        check_statuses(nalu_session_set_properties(c.session, first, 1), NALU_STATUS_OK, __FILE__, line, what);
        read_back(second->key, before, sizeof before);
        check_refused(nalu_session_set_properties(c.session, second, 1), NALU_STATUS_CONFLICT, words, __FILE__, line,
            what);
        read_back(second->key, after, sizeof after);
        check_strings(after, before, __FILE__, line, what);
        /* One call that swaps the properties succeeds, because only its result counts. */
        const nalu_property over[2] = {*second, undo};
        check_statuses(nalu_session_set_properties(c.session, over, 2), NALU_STATUS_OK, __FILE__, line, what);
        check_statuses(nalu_session_unset_property(c.session, second->key), NALU_STATUS_OK, __FILE__, line, what);
        /* Both properties are set in one call. */
        check_refused(nalu_session_set_properties(c.session, pairs[order], 2), NALU_STATUS_CONFLICT, words, __FILE__,
            line, what);
        read_back(first->key, after, sizeof after);
        check_strings(after, firstly, __FILE__, line, what);
    }
    clip_close(&c);
}
#define CONTRADICT(a, b) contradict((a), (b), __LINE__)

static void contradicting_stream_structures_are_refused(void) {
    const nalu_property reordering = truth("AllowFrameReordering", 1);
    const char *without[] = {"H264_Baseline_3_1", "H264_Baseline_AutoLevel", "H264_ConstrainedBaseline_AutoLevel"};
    for (int i = 0; i < 3; i++) {
        CONTRADICT(reordering, text("ProfileLevel", without[i]));
        CONTRADICT(text("H264EntropyMode", "CABAC"), text("ProfileLevel", without[i]));
        CONTRADICT(params("cabac=1"), text("ProfileLevel", without[i]));
        CONTRADICT(params("bframes=2"), text("ProfileLevel", without[i]));
        CONTRADICT(params("weightp=2"), text("ProfileLevel", without[i]));
        CONTRADICT(params("8x8dct=1"), text("ProfileLevel", without[i]));
    }
    CONTRADICT(reordering, text("ProfileLevel", "H264_ConstrainedHigh_AutoLevel"));
    CONTRADICT(params("bframes=2"), text("ProfileLevel", "H264_ConstrainedHigh_AutoLevel"));
    CONTRADICT(params("8x8dct"), text("ProfileLevel", "H264_Main_AutoLevel"));
    CONTRADICT(params("no-8x8dct=0"), text("ProfileLevel", "H264_Main_AutoLevel"));
    CONTRADICT(params("cqm=jvt"), text("ProfileLevel", "H264_Main_4_1"));
    CONTRADICT(reordering, truth("RealTime", 1));
    CONTRADICT(reordering, text("x264.tune", "film,zerolatency"));
    CONTRADICT(reordering, whole("MaxFrameDelayCount", 0));
    CONTRADICT(reordering, whole("MaxFrameDelayCount", 1));
    CONTRADICT(reordering, whole("MaxFrameDelayCount", 2));
    for (int i = 0; i < 3; i++) CONTRADICT(whole("FieldCount", 2), text("ProfileLevel", without[i]));
    CONTRADICT(whole("FieldCount", 2), text("ProfileLevel", "H264_ConstrainedHigh_AutoLevel"));
    CONTRADICT(whole("FieldCount", 2), text("ProfileLevel", "H264_High_4_2"));
    CONTRADICT(text("FieldDetail", "TemporalBottomFirst"), text("ProfileLevel", "H264_Main_5_2"));
    CONTRADICT(whole("FieldCount", 1), text("FieldDetail", "TemporalTopFirst"));
    CONTRADICT(whole("FieldCount", 2), whole("MaxH264SliceBytes", 2000));
    CONTRADICT(whole("FieldCount", 2), params("weightp=1"));
    CONTRADICT(whole("FieldCount", 2), params("me=tesa"));
    const nalu_property open_gop = truth("AllowOpenGOP", 1);
    CONTRADICT(open_gop, truth("EnableLTR", 1));
    CONTRADICT(open_gop, truth("NaluAllowIntraRefresh", 1));
    for (int i = 0; i < 3; i++) CONTRADICT(open_gop, text("ProfileLevel", without[i]));
    CONTRADICT(open_gop, text("ProfileLevel", "H264_ConstrainedHigh_AutoLevel"));
    CONTRADICT(open_gop, truth("AllowFrameReordering", 0));
    CONTRADICT(open_gop, truth("RealTime", 1));
    CONTRADICT(open_gop, text("x264.tune", "zerolatency"));
    CONTRADICT(open_gop, whole("MaxFrameDelayCount", 2));
    CONTRADICT(open_gop, whole("ReferenceBufferCount", 1));
    CONTRADICT(open_gop, params("bframes=0"));
    CONTRADICT(open_gop, params("min-keyint=5"));
    CONTRADICT(truth("NaluAllowMultipleSlices", 0), whole("MaxH264SliceBytes", 1000));
}

static void contradicting_rate_settings_are_refused(void) {
    static const double limit[2] = {100000, 1};
    const char *options[] = {"bitrate=500", "crf=20", "qp=20", "vbv-maxrate=500", "vbv_bufsize=500",
                             "nal-hrd=vbr", "ratetol=2", "crf-max=30", "ref=2:crf=20"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        CONTRADICT(params(options[i]), whole("AverageBitRate", 500000));
        CONTRADICT(params(options[i]), real("Quality", 0.4));
        CONTRADICT(params(options[i]), list("DataRateLimits", limit));
    }
}

static void contradicting_lookahead_and_speed_are_refused(void) {
    const nalu_property speed = truth("PrioritizeEncodingSpeedOverQuality", 1);
    const nalu_property power = truth("MaximizePowerEfficiency", 1);
    CONTRADICT(whole("ReferenceBufferCount", 1), truth("AllowFrameReordering", 1));
    CONTRADICT(whole("ReferenceBufferCount", 1), params("bframes=2"));
    CONTRADICT(whole("ReferenceBufferCount", 3), params("b-pyramid=normal"));
    CONTRADICT(whole("ReferenceBufferCount", 3), params("b_pyramid=1"));
    CONTRADICT(whole("ReferenceBufferCount", 3), params("ref=3"));
    CONTRADICT(whole("ReferenceBufferCount", 3), params("frameref=3"));
    CONTRADICT(whole("ReferenceBufferCount", 3), params("dpb-size=5"));
    CONTRADICT(whole("SuggestedLookAheadFrameCount", 5), truth("RealTime", 1));
    CONTRADICT(whole("SuggestedLookAheadFrameCount", 5), text("x264.tune", "film,zerolatency"));
    CONTRADICT(whole("SuggestedLookAheadFrameCount", 5), whole("MaxFrameDelayCount", 4));
    CONTRADICT(whole("SuggestedLookAheadFrameCount", 1), whole("MaxFrameDelayCount", 0));
    CONTRADICT(whole("SuggestedLookAheadFrameCount", 0), params("rc-lookahead=0"));
    CONTRADICT(whole("SpatialAdaptiveQPLevel", 0), params("aq-mode=2"));
    CONTRADICT(whole("SpatialAdaptiveQPLevel", 0), params("aq_strength=0.5"));
    CONTRADICT(speed, text("x264.preset", "slow"));
    CONTRADICT(power, truth("RealTime", 1));
    CONTRADICT(power, params("threads=2"));
    CONTRADICT(power, params("lookahead_threads=2"));
    CONTRADICT(whole("MinAllowedFrameQP", 31), whole("MaxAllowedFrameQP", 30));
    CONTRADICT(whole("MaxAllowedFrameQP", 30), params("qpmax=30"));
    CONTRADICT(whole("MaxAllowedFrameQP", 30), params("qp-max=30"));
    CONTRADICT(whole("MaxAllowedFrameQP", 30), params("qp=30"));
    CONTRADICT(whole("MinAllowedFrameQP", 30), params("qpmin=30"));
    CONTRADICT(whole("MinAllowedFrameQP", 30), params("qp_min=30"));
    CONTRADICT(whole("MinAllowedFrameQP", 30), params("qp=30"));
}

static void properties_and_equal_x264_options_are_refused(void) {
    static const double ratio[2] = {4, 3};
    CONTRADICT(params("keyint=50"), whole("MaxKeyFrameInterval", 50));
    CONTRADICT(params("fps=25"), real("ExpectedFrameRate", 25));
    const char *cabac[] = {"cabac=0", "no-cabac", "nocabac", "no_cabac=1", "cabac=1"};
    for (size_t i = 0; i < sizeof cabac / sizeof *cabac; i++)
        CONTRADICT(params(cabac[i]), text("H264EntropyMode", "CAVLC"));
    CONTRADICT(params("bframes=0"), truth("AllowFrameReordering", 1));
    CONTRADICT(params("bframes=3"), truth("AllowFrameReordering", 0));
    CONTRADICT(params("level=3.1"), text("ProfileLevel", "H264_High_3_1"));
    CONTRADICT(params("level_idc=31"), text("ProfileLevel", "H264_High_3_1"));
    CONTRADICT(params("slice-max-size=900"), whole("MaxH264SliceBytes", 900));
    const char *slices[] = {"slices=4", "slice-max-mbs=40", "slice_max_mbs=40", "sliced-threads=1"};
    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
        CONTRADICT(params(slices[i]), truth("NaluAllowMultipleSlices", 0));
    CONTRADICT(params("sar=4/3"), list("PixelAspectRatio", ratio));
    static const double light[2] = {1000, 400};
    CONTRADICT(params("cll=1000,400"), list("ContentLightLevelInfo", light));
    CONTRADICT(params("cll=1000,400"), text("HDRMetadataInsertionMode", "None"));
    CONTRADICT(params("mastering-display=G(1,2)B(3,4)R(5,6)WP(7,8)L(9,1)"), text("HDRMetadataInsertionMode", "None"));
    CONTRADICT(params("colorprim=bt709"), text("ColorPrimaries", "ITU_R_709_2"));
    CONTRADICT(params("chromaloc=1"), text("NaluChromaLocation", "Center"));
    CONTRADICT(params("transfer=bt709"), text("TransferFunction", "ITU_R_709_2"));
    CONTRADICT(params("colormatrix=bt709"), text("YCbCrMatrix", "ITU_R_709_2"));
}

/* Combinations that look similar but are no contradiction. */
static void similar_settings_without_contradiction_are_accepted(void) {
    const nalu_property together[][2] = {
        {truth("AllowFrameReordering", 0), truth("RealTime", 1)},
        {truth("AllowFrameReordering", 0), text("ProfileLevel", "H264_Baseline_3_1")},
        {truth("AllowFrameReordering", 1), whole("MaxFrameDelayCount", 3)},
        {text("H264EntropyMode", "CAVLC"), text("ProfileLevel", "H264_Baseline_3_1")},
        {whole("AverageBitRate", 500000), real("Quality", 0.5)},
        {params("sliced-threads=0"), truth("NaluAllowMultipleSlices", 0)},
        {params("no-8x8dct"), text("ProfileLevel", "H264_Main_AutoLevel")},
        {params("level=4"), text("ProfileLevel", "H264_Main_AutoLevel")},
        {params("keyint=50"), real("MaxKeyFrameIntervalDuration", 1)},
        {params("bframes=0"), text("ProfileLevel", "H264_Baseline_AutoLevel")},
        {params("bframes=0"), whole("ReferenceBufferCount", 1)},
        {params("b-pyramid=none"), whole("ReferenceBufferCount", 2)},
        {params("b-pyramid=normal"), whole("ReferenceBufferCount", 4)},
        {whole("ReferenceBufferCount", 2), truth("AllowFrameReordering", 1)},
        {whole("SuggestedLookAheadFrameCount", 0), truth("RealTime", 1)},
        {whole("SuggestedLookAheadFrameCount", 5), whole("MaxFrameDelayCount", 5)},
        {whole("SpatialAdaptiveQPLevel", -1), params("aq-mode=2")},
        {truth("PrioritizeEncodingSpeedOverQuality", 0), text("x264.preset", "slow")},
        {truth("PrioritizeEncodingSpeedOverQuality", 1), text("x264.preset", "veryfast")},
        {truth("PrioritizeEncodingSpeedOverQuality", 1), truth("RealTime", 1)},
        {truth("MaximizePowerEfficiency", 0), truth("RealTime", 1)},
        {whole("MinAllowedFrameQP", 30), whole("MaxAllowedFrameQP", 30)},
        {whole("MinAllowedFrameQP", 30), params("qpmax=40")},
    };
    for (size_t i = 0; i < sizeof together / sizeof *together; i++) {
        clip_open(&c, 64, 48);
        CHECK_OK(nalu_session_set_properties(c.session, together[i], 2));
        CHECK_OK(nalu_compression_session_prepare(c.session));
        clip_close(&c);
    }
}

int main(void) {
    RUN(contradicting_stream_structures_are_refused);
    RUN(contradicting_rate_settings_are_refused);
    RUN(contradicting_lookahead_and_speed_are_refused);
    RUN(properties_and_equal_x264_options_are_refused);
    RUN(similar_settings_without_contradiction_are_accepted);
    return check_result();
}
