/* ProfileLevel and H264EntropyMode in the stream's parameter sets: profile_idc, constraint flags and level_idc
 * of every constant, the levels that AutoLevel selects, and the limits of a fixed level. */
#include "clip.h"
#include "refusal.h"

/* Returns the level with which x264 was opened, without encoding a frame. */
static int opened_level(clip *c) {
    static char text[4096];
    size_t size = 0;
    REQUIRE_OK(nalu_compression_session_prepare(c->session));
    REQUIRE_OK(nalu_session_copy_string(c->session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
    const char *level = strstr(text, ":level=");
    REQUIRE(level);
    return atoi(level + 7);
}

static void every_profile_level_reaches_the_stream(void) {
    const char *name;
    for (uint32_t i = 0; (name = nalu_property_get_allowed_value(NALU_PROPERTY_PROFILE_LEVEL, i)); i++) {
        clip c;
        if (strncmp(name, "HEVC_", 5) == 0) continue; /* hevc_session_test.c has the profiles of H.265 */
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, name));
        clip_encode_all(&c, 12);
        const nalu_sequence_info info = clip_info(&c);
        const int baseline = strstr(name, "Baseline") != NULL, main = strstr(name, "Main") != NULL;
        const int constrained_high = strstr(name, "ConstrainedHigh") != NULL;
        int major = 0, minor = 0;
        check_integers(info.profile_idc, baseline ? 66 : main ? 77 : 100, __FILE__, __LINE__, name);
        check_integers(info.constraint_flags, baseline ? 0xc0 : main ? 0x40 : constrained_high ? 0x0c : 0, __FILE__,
            __LINE__, name);
        if (sscanf(strchr(name + 5, '_'), "_%d_%d", &major, &minor) == 2)
            check_integers(info.level_idc, major * 10 + minor, __FILE__, __LINE__, name);
        else
            check_integers(info.level_idc, 10, __FILE__, __LINE__, name);
        check_integers(clip_uses_cabac(&c), !baseline, __FILE__, __LINE__, name);

        int b_frames = 0;
        for (int k = 0; k < c.count; k++) b_frames += sample_slice_type(c.samples[k]) == 1;
        check_that((b_frames > 0) == (main || (!baseline && !constrained_high)), __FILE__, __LINE__, name, "B-frames");

        /* avcC has the same values (ISO/IEC 14496-15 5.3.3.1). */
        size_t size = 0;
        const uint8_t *record = nalu_format_description_get_avcc(nalu_sample_get_format_description(c.samples[0]),
            &size);
        REQUIRE(size > 4);
        CHECK_EQ(record[1], info.profile_idc);
        CHECK_EQ(record[2], info.constraint_flags);
        CHECK_EQ(record[3], info.level_idc);
        clip_close(&c);
    }
}

/* Sizes and rates just inside and just outside a level's limits (ITU-T H.264 table A-1), with three reference
 * frames. */
static void an_auto_level_is_the_lowest_for_size_and_rate(void) {
    static const struct { int32_t width, height; double rate; int level; } all[] = {
        {176, 144, 15, 10}, {176, 144, 15.2, 11}, {176, 144, 30, 11}, {352, 288, 0, 13}, {352, 288, 30, 13},
        {352, 288, 36, 21}, {640, 480, 30, 30}, {640, 480, 60, 31}, {1280, 720, 30, 31}, {1280, 720, 30.1, 32},
        {1280, 720, 60, 32}, {1920, 1080, 30, 40}, {1920, 1080, 60, 42}, {2560, 1440, 30, 50}, {3840, 2160, 30, 51},
        {3840, 2160, 60, 52}, {16384, 16, 30, 60}, {64, 48, 1000, 21}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char what[64];
        clip c;
        clip_open(&c, all[i].width, all[i].height);
        REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
        REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, all[i].rate));
        snprintf(what, sizeof what, "%dx%d at %g", all[i].width, all[i].height, all[i].rate);
        check_integers(opened_level(&c), all[i].level, __FILE__, __LINE__, what);
        clip_close(&c);
    }
}

static int level_of(const char *profile, int64_t bit_rate, const char *params, int32_t width, int32_t height) {
    clip c;
    clip_open(&c, width, height);
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, profile));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, bit_rate));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, params));
    const int level = opened_level(&c);
    clip_close(&c);
    return level;
}

static void an_auto_level_follows_bit_rate_and_references(void) {
    /* Level 4.1 allows 50000 kb/s in Main and 62500 in High; level 3.1 allows five reference frames of
     * 1280x720. */
    CHECK_EQ(level_of("H264_Main_AutoLevel", 50000000, "threads=1", 64, 48), 41);
    CHECK_EQ(level_of("H264_Main_AutoLevel", 50001000, "threads=1", 64, 48), 50);
    CHECK_EQ(level_of("H264_High_AutoLevel", 60000000, "threads=1", 64, 48), 41);
    CHECK_EQ(level_of("H264_Baseline_AutoLevel", 64000, "threads=1", 64, 48), 10);
    CHECK_EQ(level_of("H264_Baseline_AutoLevel", 65000, "threads=1", 64, 48), 11);
    CHECK_EQ(level_of("H264_High_AutoLevel", 0, "ref=5:threads=1", 1280, 720), 31);
    CHECK_EQ(level_of("H264_High_AutoLevel", 0, "ref=6:threads=1", 1280, 720), 40);
    CHECK_EQ(level_of("H264_High_AutoLevel", 0, "ref=16:threads=1", 1280, 720), 50);
    CHECK_EQ(level_of("H264_High_AutoLevel", 0, "level=4.2:threads=1", 64, 48), 42);
}

static void a_fixed_level_is_written_or_refused(void) {
    clip c;
    clip_open(&c, 1280, 720);
    c.noise = 0;
    char before[64], after[64];
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, before, sizeof before, &size));
    REFUSED(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_Baseline_1_3"),
        NALU_STATUS_OUT_OF_RANGE, "H264_Baseline_1_3", "396", "1280x720", "3600");
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, after, sizeof after, &size));
    CHECK_STR_EQ(after, before);

    /* The rate is checked only when all properties are known. */
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, "H264_High_3_1"));
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 60));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_OUT_OF_RANGE, "H264_High_3_1",
        "ExpectedFrameRate 60", "216000", "108000");
    REFUSED(clip_encode_at(&c, nalu_time_zero(), nalu_time_invalid(), 0), NALU_STATUS_OUT_OF_RANGE, "H264_High_3_1");
    REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "bitrate=17501"));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "17501000", "17500000", "H264_High_3_1");
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, ""));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 17501000));
    REFUSED(nalu_compression_session_prepare(c.session), NALU_STATUS_CONFLICT, "AverageBitRate 17501000", "17500000",
            "H264_High_3_1");
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 17500000));
    /* A failed prepare leaves the session unchanged. The level limits reference frames. */
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "ref=16:threads=1:lookahead-threads=1"));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    clip_encode_all(&c, 1);
    CHECK_EQ(clip_info(&c).level_idc, 31);
    CHECK_EQ(clip_info(&c).max_num_ref_frames, 5);
    clip_close(&c);
}

static void check_entropy(const char *profile, const char *mode, const char *preset, int cabac, int line) {
    char text[16] = "";
    size_t size = 0;
    clip c;
    clip_open(&c, 64, 48);
    if (profile) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_PROFILE_LEVEL, profile));
    if (mode) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_H264_ENTROPY_MODE, mode));
    if (preset) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, preset));
    clip_encode_all(&c, 2);
    check_integers(clip_uses_cabac(&c), cabac, __FILE__, line, "entropy_coding_mode_flag");
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_H264_ENTROPY_MODE, text, sizeof text, &size));
    check_strings(text, cabac ? "CABAC" : "CAVLC", __FILE__, line, "H264EntropyMode");
    clip_close(&c);
}

static void the_entropy_mode_reaches_the_stream(void) {
    check_entropy(NULL, NULL, NULL, 1, __LINE__);
    check_entropy(NULL, "CAVLC", NULL, 0, __LINE__);
    check_entropy(NULL, "CABAC", NULL, 1, __LINE__);
    check_entropy("H264_Main_AutoLevel", NULL, NULL, 1, __LINE__);
    check_entropy("H264_Main_AutoLevel", "CAVLC", NULL, 0, __LINE__);
    check_entropy("H264_Baseline_AutoLevel", NULL, NULL, 0, __LINE__);
    check_entropy("H264_ConstrainedHigh_AutoLevel", NULL, NULL, 1, __LINE__);
    check_entropy(NULL, NULL, "ultrafast", 0, __LINE__);
    check_entropy(NULL, "CABAC", "ultrafast", 1, __LINE__);
}

int main(void) {
    RUN(every_profile_level_reaches_the_stream);
    RUN(an_auto_level_is_the_lowest_for_size_and_rate);
    RUN(an_auto_level_follows_bit_rate_and_references);
    RUN(a_fixed_level_is_written_or_refused);
    RUN(the_entropy_mode_reaches_the_stream);
    return check_result();
}
