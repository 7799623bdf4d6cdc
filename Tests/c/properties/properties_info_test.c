/* nalu_property_info equals the text of properties.h: type, range, default, whether and when the property may
 * change, and its allowed strings. */
#include "clip.h"
#include "refusal.h"

enum { BOOL = 1, INT = 2, DOUBLE = 3, STRING = 4, NUMBERS = 5 };

typedef struct row {
    const char *key;
    int32_t type, writable, live;
    double minimum, maximum; /* NAN: no range */
    const char *default_value;
    const char *allowed[40];
} row;

#define LEVELS(profile) \
    profile "_3_0", profile "_3_1", profile "_3_2", profile "_4_0", profile "_4_1", profile "_4_2", profile "_5_0", \
        profile "_5_1", profile "_5_2", profile "_AutoLevel"

static const row rows[] = {
    {NALU_PROPERTY_AVERAGE_BIT_RATE, INT, 1, 1, 0, 2000000000, "0", {0}},
    {NALU_PROPERTY_DATA_RATE_LIMITS, NUMBERS, 1, 1, 0, 1e12, "", {0}},
    {NALU_PROPERTY_QUALITY, DOUBLE, 1, 1, 0, 1, "", {0}},
    {NALU_PROPERTY_CONSTANT_QUALITY_FACTOR, DOUBLE, 1, 1, 0, 1, "", {0}},
    {NALU_PROPERTY_EXPECTED_FRAME_RATE, DOUBLE, 1, 1, 0, 1000, "0.0", {0}},
    {NALU_PROPERTY_ENABLE_LTR, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_ALLOW_INTRA_REFRESH, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, DOUBLE, 1, 0, 0.25, 1, "1.0", {0}},
    {NALU_PROPERTY_BASE_LAYER_BIT_RATE_FRACTION, DOUBLE, 1, 0, 0.3, 0.9, "", {0}},
    {NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, INT, 1, 1, 0, 51, "", {0}},
    {NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, INT, 1, 1, 0, 51, "", {0}},
    {NALU_PROPERTY_SPATIAL_ADAPTIVE_QP_LEVEL, INT, 1, 0, -1, 0, "-1", {0}},
    {NALU_PROPERTY_SOURCE_FRAME_COUNT, INT, 1, 0, 0, 2147483647, "0", {0}},
    {NALU_PROPERTY_EXPECTED_DURATION, DOUBLE, 1, 0, 0, 1000000, "0.0", {0}},
    {NALU_PROPERTY_CONSTANT_BIT_RATE, INT, 1, 0, 0, 800000000, "0", {0}},
    {NALU_PROPERTY_PARAMETER_SETS_IN_STREAM, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_VARIABLE_BIT_RATE, INT, 1, 0, 0, 800000000, "0", {0}},
    {NALU_PROPERTY_VBV_MAX_BIT_RATE, INT, 1, 1, 0, 800000000, "0", {0}},
    {NALU_PROPERTY_VBV_BUFFER_DURATION, DOUBLE, 1, 1, 0.1, 60, "2.5", {0}},
    {NALU_PROPERTY_VBV_INITIAL_DELAY_PERCENTAGE, DOUBLE, 1, 0, 0, 100, "90.0", {0}},
    {NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, INT, 1, 1, 0, 2147483647, "0", {0}},
    {NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION, DOUBLE, 1, 1, 0, 86400, "0.0", {0}},
    {NALU_PROPERTY_ALLOW_TEMPORAL_COMPRESSION, BOOL, 1, 1, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_ALLOW_FRAME_REORDERING, BOOL, 1, 0, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_ALLOW_B_PYRAMID, BOOL, 1, 0, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_ALLOW_OPEN_GOP, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_MORE_FRAMES_BEFORE_START, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_MORE_FRAMES_AFTER_END, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_LIMITS_OVER_SEAMS, BOOL, 1, 0, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_PROFILE_LEVEL, STRING, 1, 0, NAN, NAN, NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL,
     {"H264_Baseline_1_3", LEVELS("H264_Baseline"), "H264_ConstrainedBaseline_AutoLevel", LEVELS("H264_Main"),
      LEVELS("H264_High"), "H264_ConstrainedHigh_AutoLevel", "HEVC_Main_AutoLevel", "HEVC_Main10_AutoLevel"}},
    {NALU_PROPERTY_H264_ENTROPY_MODE, STRING, 1, 0, NAN, NAN, "CABAC if profile and preset have it",
     {"CAVLC", "CABAC"}},
    {NALU_PROPERTY_MAX_H264_SLICE_BYTES, INT, 1, 1, 0, 16777216, "0", {0}},
    {NALU_PROPERTY_ALLOW_MULTIPLE_SLICES, BOOL, 1, 0, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_REFERENCE_BUFFER_COUNT, INT, 1, 0, 0, 16, "0", {0}},
    {NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, INT, 1, 0, -1, 250, "-1", {0}},
    {NALU_PROPERTY_REAL_TIME, BOOL, 1, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_SUGGESTED_LOOK_AHEAD_FRAME_COUNT, INT, 1, 0, 0, 250, "", {0}},
    {NALU_PROPERTY_MAX_LOOK_AHEAD_FRAME_COUNT, INT, 1, 0, 0, 250, "", {0}},
    {NALU_PROPERTY_PRIORITIZE_ENCODING_SPEED_OVER_QUALITY, BOOL, 1, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_MAXIMIZE_POWER_EFFICIENCY, BOOL, 1, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, BOOL, 1, 0, NAN, NAN, "false", {0}},
    {NALU_PROPERTY_REAL_TIME_GOVERNOR, BOOL, 1, 1, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_COLOR_PRIMARIES, STRING, 1, 0, 1, 12, "ITU_R_709_2 from 720 lines on, else SMPTE_C",
     {NALU_COLOR_PRIMARIES_ITU_R_709_2, NALU_COLOR_PRIMARIES_EBU_3213, NALU_COLOR_PRIMARIES_SMPTE_C,
      NALU_COLOR_PRIMARIES_P3_D65, NALU_COLOR_PRIMARIES_ITU_R_2020}},
    {NALU_PROPERTY_TRANSFER_FUNCTION, STRING, 1, 0, 1, 18, "ITU_R_709_2",
     {NALU_TRANSFER_FUNCTION_ITU_R_709_2, NALU_TRANSFER_FUNCTION_SMPTE_240M_1995, NALU_TRANSFER_FUNCTION_ITU_R_2020,
      NALU_TRANSFER_FUNCTION_SMPTE_ST_2084_PQ, NALU_TRANSFER_FUNCTION_ITU_R_2100_HLG, NALU_TRANSFER_FUNCTION_LINEAR,
      NALU_TRANSFER_FUNCTION_SRGB}},
    {NALU_PROPERTY_YCBCR_MATRIX, STRING, 1, 0, 1, 14, "ITU_R_709_2 from 720 lines on, else ITU_R_601_4",
     {NALU_YCBCR_MATRIX_ITU_R_709_2, NALU_YCBCR_MATRIX_ITU_R_601_4, NALU_YCBCR_MATRIX_ITU_R_2020,
      NALU_YCBCR_MATRIX_SMPTE_240M_1995}},
    {NALU_PROPERTY_CHROMA_LOCATION, STRING, 1, 0, 0, 5, "Center for progressive RGB frames, else Left",
     {NALU_CHROMA_LOCATION_LEFT, NALU_CHROMA_LOCATION_CENTER, NALU_CHROMA_LOCATION_TOP_LEFT, NALU_CHROMA_LOCATION_TOP,
      NALU_CHROMA_LOCATION_BOTTOM_LEFT, NALU_CHROMA_LOCATION_BOTTOM}},
    {NALU_PROPERTY_PIXEL_ASPECT_RATIO, NUMBERS, 1, 0, 1, 65535, "", {0}},
    {NALU_PROPERTY_CLEAN_APERTURE, NUMBERS, 1, 0, -16384, 16384, "", {0}},
    {NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, NUMBERS, 1, 0, 0, 4294967295, "", {0}},
    {NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, NUMBERS, 1, 0, 0, 65535, "", {0}},
    {NALU_PROPERTY_HDR_METADATA_INSERTION_MODE, STRING, 1, 0, NAN, NAN, "Auto",
     {NALU_HDR_METADATA_INSERTION_MODE_NONE, NALU_HDR_METADATA_INSERTION_MODE_AUTO}},
    {NALU_PROPERTY_FIELD_COUNT, INT, 1, 0, 1, 2, "", {0}},
    {NALU_PROPERTY_FIELD_DETAIL, STRING, 1, 0, NAN, NAN, "TemporalTopFirst if FieldCount is 2",
     {NALU_FIELD_DETAIL_TEMPORAL_TOP_FIRST, NALU_FIELD_DETAIL_TEMPORAL_BOTTOM_FIRST,
      NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_EARLY, NALU_FIELD_DETAIL_SPATIAL_FIRST_LINE_LATE}},
    {NALU_PROPERTY_ALLOW_SCALING, BOOL, 1, 1, NAN, NAN, "true", {0}},
    {NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES, STRING, 1, 1, NAN, NAN, "", {0}},
    {NALU_PROPERTY_OUTPUT_BIT_DEPTH, INT, 1, 0, 8, 10, "10 for 'x420' and 'xf20' without ProfileLevel and for Main 10, else 8", {0}},
    {NALU_PROPERTY_X264_PRESET, STRING, 1, 0, NAN, NAN, "medium, or veryfast with RealTime",
     {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"}},
    {NALU_PROPERTY_X264_TUNE, STRING, 1, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_X264_PARAMS, STRING, 1, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_X264_EFFECTIVE, STRING, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_X265_PRESET, STRING, 1, 0, NAN, NAN, "medium, or superfast with RealTime",
     {"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo"}},
    {NALU_PROPERTY_X265_EFFECTIVE, STRING, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_USING_HARDWARE_ACCELERATED_VIDEO_ENCODER, BOOL, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_ENCODER_ID, STRING, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_REORDER_DEPTH, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_ESTIMATED_AVERAGE_BYTES_PER_FRAME, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_SUPPORTS_BASE_FRAME_QP, BOOL, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_GOVERNOR_STEP, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_SUPPORTED_PRESET_DICTIONARIES, STRING, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_GOVERNOR_STEP_COUNT, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_PIXEL_BUFFER_POOL_IS_SHARED, BOOL, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_VIDEO_ENCODER_PIXEL_BUFFER_ATTRIBUTES, STRING, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_RECOMMENDED_PARALLELIZATION_LIMIT, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_FRAME_COUNT, INT, 0, 0, NAN, NAN, "", {0}},
    {NALU_PROPERTY_RECOMMENDED_PARALLELIZED_SUBDIVISION_MINIMUM_DURATION, DOUBLE, 0, 0, NAN, NAN, "", {0}},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int same(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

static void every_property_info_equals_the_header(void) {
    for (int i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        nalu_property_info info;
        memset(&info, 0xee, sizeof info);
        info.struct_size = sizeof info;
        printf("  %s\n", r->key);
        REQUIRE_OK(nalu_property_get_info(r->key, &info));
        CHECK_EQ(info.struct_size, sizeof info);
        CHECK_EQ(info.type, r->type);
        CHECK_EQ(info.writable, r->writable);
        CHECK_EQ(info.live, r->live);
        CHECK(same(info.minimum, r->minimum));
        CHECK(same(info.maximum, r->maximum));
        CHECK_EQ(info.reserved, 0);
        CHECK_STR_EQ(info.default_value, r->default_value);
        CHECK(strlen(info.documentation) > 10 && info.documentation[strlen(info.documentation) - 1] == '.');

        uint32_t count = 0;
        while (r->allowed[count]) count++;
        CHECK_EQ(info.allowed_value_count, count);
        for (uint32_t k = 0; k < count; k++) {
            /* The order does not matter. */
            int found = 0;
            for (uint32_t n = 0; n < info.allowed_value_count; n++) {
                const char *value = nalu_property_get_allowed_value(r->key, n);
                found += value && strcmp(value, r->allowed[k]) == 0;
            }
            check_that(found == 1, __FILE__, __LINE__, "allowed once", r->allowed[k]);
        }
        CHECK_PTR_EQ(nalu_property_get_allowed_value(r->key, count), NULL);
        CHECK_PTR_EQ(nalu_property_get_allowed_value(r->key, UINT32_MAX), NULL);
    }
}

static void every_property_is_listed_once(void) {
    CHECK_EQ(nalu_property_get_count(), ROWS);
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *key = nalu_property_get_key(i);
        int found = 0;
        for (int k = 0; k < ROWS; k++) found += strcmp(rows[k].key, key) == 0;
        check_that(found == 1, __FILE__, __LINE__, "declared in properties.h", key);
        CHECK_PTR_EQ(nalu_property_get_key(i), key);
    }
    CHECK_PTR_EQ(nalu_property_get_key(ROWS), NULL);
    CHECK_PTR_EQ(nalu_property_get_key(UINT32_MAX), NULL);
}

/* hevc_session_test has the properties that x265 does not have. */
static void a_session_has_the_properties_of_its_encoder(void) {
    clip c;
    clip_open(&c, 64, 64);
    CHECK_EQ(nalu_session_has_property(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE), 1);
    CHECK_EQ(nalu_session_has_property(c.session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES), 1);
    CHECK_EQ(nalu_session_has_property(c.session, NALU_PROPERTY_X265_PRESET), 0);
    CHECK_EQ(nalu_session_has_property(c.session, "AspectRatio16x9"), 0);
    CHECK_EQ(nalu_session_has_property(c.session, "NoSuchProperty"), 0);
    CHECK_EQ(nalu_session_has_property(c.session, ""), 0);
    CHECK_EQ(nalu_session_has_property(c.session, NULL), 0);
    CHECK_EQ(nalu_session_has_property(NULL, NALU_PROPERTY_AVERAGE_BIT_RATE), 0);
    clip_close(&c);
}

int main(void) {
    RUN(every_property_is_listed_once);
    RUN(every_property_info_equals_the_header);
    RUN(a_session_has_the_properties_of_its_encoder);
    return check_result();
}
