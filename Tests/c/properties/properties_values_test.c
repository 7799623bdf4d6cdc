/* Every writable property: both ends of its range are accepted and read back, values just outside are rejected,
 * and unsetting restores the default. Several properties in one call are set entirely or not at all. */
#include "clip.h"
#include "refusal.h"

static nalu_compression_session *s;

static void check_number(const char *key, double expected, int line) {
    double value = -99;
    int64_t whole = -99;
    char what[100];
    snprintf(what, sizeof what, "%s, line %d", key, line);
    if (check_statuses(nalu_session_get_double(s, key, &value), NALU_STATUS_OK, __FILE__, line, what))
        check_doubles(value, expected, 0, __FILE__, line, what);
    if (expected == floor(expected) && check_statuses(nalu_session_get_int64(s, key, &whole), 0, __FILE__, line, what))
        check_integers(whole, (long long)expected, __FILE__, line, what);
}
#define CHECK_NUMBER(key, expected) check_number((key), (expected), __LINE__)

static void check_string(const char *key, const char *expected, int line) {
    char text[200] = "unread";
    size_t size = 0;
    check_statuses(nalu_session_copy_string(s, key, text, sizeof text, &size), NALU_STATUS_OK, __FILE__, line, key);
    check_strings(text, expected, __FILE__, line, key);
}
#define CHECK_STRING(key, expected) check_string((key), (expected), __LINE__)

static void check_bool(const char *key, int32_t expected, int line) {
    int32_t value = -99;
    check_statuses(nalu_session_get_bool(s, key, &value), NALU_STATUS_OK, __FILE__, line, key);
    check_integers(value, expected, __FILE__, line, key);
}
#define CHECK_BOOL(key, expected) check_bool((key), (expected), __LINE__)

static void integers_are_set_and_read(void) {
    static const struct { const char *key; int64_t low, next, high, initial, gap; } all[] = {
        {"AverageBitRate", 0, 1000, 2000000000, 0, 999},
        {"MaxKeyFrameInterval", 0, 1, 2147483647, 0, -1},
        {"MaxH264SliceBytes", 0, 500, 16777216, 0, 499},
        {"MaxFrameDelayCount", -1, 0, 250, -1, -2},
        {"ConstantBitRate", 0, 64000, 800000000, 0, 63999},
        {"VariableBitRate", 0, 1000, 800000000, 0, 999},
        {"VBVMaxBitRate", 0, 1, 800000000, 0, -1},
        {"ReferenceBufferCount", 0, 1, 16, 0, INT64_MAX},
        {"SpatialAdaptiveQPLevel", -1, 0, 0, -1, INT64_MIN},
        {"SourceFrameCount", 0, 1, 2147483647, 0, -1},
        {"OutputBitDepth", 8, 10, 10, 8, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int64_t good[] = {all[i].low, all[i].next, all[i].high};
        const int64_t bad[] = {all[i].low - 1, all[i].high + 1, all[i].gap};
        for (int k = 0; k < 3; k++) {
            CHECK_OK(nalu_session_set_int64(s, all[i].key, good[k]));
            CHECK_NUMBER(all[i].key, (double)good[k]);
            CHECK_OK(nalu_session_set_double(s, all[i].key, (double)good[k]));
            CHECK_NUMBER(all[i].key, (double)good[k]);
        }
        for (int k = 0; k < 3; k++) {
            char value[32];
            snprintf(value, sizeof value, "%lld", (long long)bad[k]);
            REFUSED(nalu_session_set_int64(s, all[i].key, bad[k]), NALU_STATUS_OUT_OF_RANGE, all[i].key, value, " to ");
            CHECK_NUMBER(all[i].key, (double)good[2]);
        }
        CHECK_OK(nalu_session_unset_property(s, all[i].key));
        CHECK_NUMBER(all[i].key, (double)all[i].initial);
    }
}

static void doubles_are_set_and_read(void) {
    static const struct { const char *key; double high, initial; } all[] = {
        {"Quality", 1, NAN}, {"ExpectedFrameRate", 1000, 0}, {"MaxKeyFrameIntervalDuration", 86400, 0},
        {"VBVInitialDelayPercentage", 100, 90}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double good[] = {0, 1e-9, all[i].high * 0.7, all[i].high};
        double value = -9;
        for (int k = 0; k < 4; k++) {
            CHECK_OK(nalu_session_set_double(s, all[i].key, good[k]));
            CHECK_NUMBER(all[i].key, good[k]);
        }
        CHECK_OK(nalu_session_set_int64(s, all[i].key, (int64_t)all[i].high));
        REFUSED(nalu_session_set_double(s, all[i].key, nextafter(all[i].high, INFINITY)), NALU_STATUS_OUT_OF_RANGE,
                all[i].key, "0.0 to");
        REFUSED(nalu_session_set_double(s, all[i].key, -1e-9), NALU_STATUS_OUT_OF_RANGE, all[i].key, "-1e-09");
        CHECK_NUMBER(all[i].key, all[i].high);
        CHECK_OK(nalu_session_unset_property(s, all[i].key));
        if (isnan(all[i].initial))
            CHECK_STATUS(nalu_session_get_double(s, all[i].key, &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
        else
            CHECK_NUMBER(all[i].key, all[i].initial);
        CHECK_NEAR(value, -9, 0);
    }
}

static void bools_are_set_and_read(void) {
    const char *keys[] = {"AllowTemporalCompression", "NaluAllowMultipleSlices", "NaluAllowScaling",
                          "AllowFrameReordering"};
    for (int i = 0; i < 4; i++) {
        int64_t whole = -9;
        CHECK_BOOL(keys[i], 1);
        CHECK_OK(nalu_session_set_bool(s, keys[i], 0));
        CHECK_BOOL(keys[i], 0);
        CHECK_OK(nalu_session_set_int64(s, keys[i], 1));
        CHECK_BOOL(keys[i], 1);
        CHECK_OK(nalu_session_set_int64(s, keys[i], 0));
        CHECK_OK(nalu_session_get_int64(s, keys[i], &whole));
        CHECK_EQ(whole, 0);
        CHECK_OK(nalu_session_set_bool(s, keys[i], -7));
        CHECK_BOOL(keys[i], 1);
        CHECK_OK(nalu_session_set_bool(s, keys[i], 0));
        CHECK_OK(nalu_session_unset_property(s, keys[i]));
        CHECK_BOOL(keys[i], 1);
    }
    int32_t value = -9;
    CHECK_STATUS(nalu_session_get_bool(s, "RealTime", &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_OK(nalu_session_set_bool(s, "RealTime", 0));
    CHECK_BOOL("RealTime", 0);
    CHECK_OK(nalu_session_set_bool(s, "RealTime", 1));
    CHECK_BOOL("RealTime", 1);
    CHECK_BOOL("AllowFrameReordering", 0);
    CHECK_STRING("x264.preset", "veryfast");
    CHECK_OK(nalu_session_unset_property(s, "RealTime"));
    CHECK_STATUS(nalu_session_get_bool(s, "RealTime", &value), NALU_STATUS_VALUE_NOT_AVAILABLE);
}

/* Every allowed string, and the value read back while the property is unset. */
static void strings_are_set_and_read(void) {
    const struct { const char *key, *initial; } all[] = {
        {"ProfileLevel", "H264_High_AutoLevel"}, {"H264EntropyMode", NULL}, {"ColorPrimaries", "SMPTE_C"},
        {"TransferFunction", "ITU_R_709_2"}, {"YCbCrMatrix", "ITU_R_601_4"}, {"NaluChromaLocation", "Left"}, {"x264.preset", "medium"},
        {"HDRMetadataInsertionMode", "Auto"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *value;
        for (uint32_t k = 0; (value = nalu_property_get_allowed_value(all[i].key, k)); k++) {
            if (strncmp(value, "HEVC_", 5) == 0) continue; /* hevc_session_test.c has the profiles of H.265 */
            CHECK_OK(nalu_session_set_string(s, all[i].key, value));
            CHECK_STRING(all[i].key, value);
        }
        CHECK_OK(nalu_session_unset_property(s, all[i].key));
        size_t size = 0;
        if (all[i].initial) CHECK_STRING(all[i].key, all[i].initial);
        else CHECK_STATUS(nalu_session_copy_string(s, all[i].key, NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE);
    }
    CHECK_STRING("x264.tune", "");
    CHECK_STRING("x264.params", "");
    CHECK_OK(nalu_session_set_string(s, "x264.tune", "film,fastdecode,zerolatency"));
    CHECK_STRING("x264.tune", "film,fastdecode,zerolatency");
    CHECK_OK(nalu_session_set_string(s, "x264.params", "qpmin=10:qpmax=51:"));
    CHECK_STRING("x264.params", "qpmin=10:qpmax=51:");
    CHECK_OK(nalu_session_unset_property(s, "x264.tune"));
    CHECK_OK(nalu_session_unset_property(s, "x264.params"));
    CHECK_STRING("x264.tune", "");
    CHECK_STRING("x264.params", "");
    CHECK_STRING("PixelTransferProperties", "");
    CHECK_OK(nalu_session_set_string(s, "PixelTransferProperties", " DownsamplingMode = Average, ScalingMode=\"Trim\" "));
    CHECK_STRING("PixelTransferProperties", "ScalingMode=Trim,DownsamplingMode=Average");
    CHECK_OK(nalu_session_set_string(s, "PixelTransferProperties", "ScalingMode=unset"));
    CHECK_STRING("PixelTransferProperties", "");
    CHECK_OK(nalu_session_set_string(s, "PixelTransferProperties", "ScalingMode=Normal"));
    CHECK_STRING("PixelTransferProperties", "ScalingMode=Normal");
    CHECK_OK(nalu_session_unset_property(s, "PixelTransferProperties"));
    CHECK_STRING("PixelTransferProperties", "");
}

static void check_list(const char *key, const double *expected, size_t count, int line) {
    double values[8];
    size_t size = 99;
    check_statuses(nalu_session_copy_numbers(s, key, values, 8, &size), NALU_STATUS_OK, __FILE__, line, key);
    check_integers((long long)size, (long long)count, __FILE__, line, key);
    for (size_t i = 0; i < count && i < size; i++) check_doubles(values[i], expected[i], 0, __FILE__, line, key);
}

static void lists_are_set_and_read(void) {
    const double lists[][4] = {{1, 1}, {65535, 65535}, {1000, 0.05}, {1e12, 60}, {1000, 1, 2000, 2}};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nalu_session_set_numbers(s, "PixelAspectRatio", lists[i], 2));
        check_list("PixelAspectRatio", lists[i], 2, __LINE__);
    }
    for (int i = 2; i < 5; i++) {
        size_t count = i == 4 ? 4 : 2;
        CHECK_OK(nalu_session_set_numbers(s, "DataRateLimits", lists[i], count));
        check_list("DataRateLimits", lists[i], count, __LINE__);
    }
    CHECK_OK(nalu_session_unset_property(s, "PixelAspectRatio"));
    CHECK_OK(nalu_session_unset_property(s, "DataRateLimits"));
    check_list("PixelAspectRatio", NULL, 0, __LINE__);
    check_list("DataRateLimits", NULL, 0, __LINE__);
}

static void several_properties_are_set_together_or_not_at_all(void) {
    const double ratio[2] = {12, 11};
    nalu_property rows[] = {
        {.key = "MaxKeyFrameInterval", .type = NALU_PROPERTY_TYPE_INT64, .integer = 33},
        {.key = "Quality", .type = NALU_PROPERTY_TYPE_DOUBLE, .number = 0.75},
        {.key = "NaluAllowScaling", .type = NALU_PROPERTY_TYPE_BOOL, .integer = 0},
        {.key = "x264.tune", .type = NALU_PROPERTY_TYPE_STRING, .string = "grain"},
        {.key = "PixelAspectRatio", .type = NALU_PROPERTY_TYPE_NUMBERS, .number_count = 2, .numbers = ratio},
        {.key = "MaxFrameDelayCount", .type = NALU_PROPERTY_TYPE_INT64, .integer = 251},
    };
    REFUSED(nalu_session_set_properties(s, rows, 6), NALU_STATUS_OUT_OF_RANGE, "MaxFrameDelayCount", "251");
    CHECK_NUMBER("MaxKeyFrameInterval", 0);
    CHECK_BOOL("NaluAllowScaling", 1);
    CHECK_STRING("x264.tune", "");
    check_list("PixelAspectRatio", NULL, 0, __LINE__);
    rows[5].integer = 250;
    CHECK_OK(nalu_session_set_properties(s, rows, 6));
    CHECK_NUMBER("MaxKeyFrameInterval", 33);
    CHECK_NUMBER("Quality", 0.75);
    CHECK_BOOL("NaluAllowScaling", 0);
    CHECK_STRING("x264.tune", "grain");
    check_list("PixelAspectRatio", ratio, 2, __LINE__);
    CHECK_NUMBER("MaxFrameDelayCount", 250);
    for (int i = 0; i < 6; i++) rows[i].type = NALU_PROPERTY_TYPE_UNSET;
    CHECK_OK(nalu_session_set_properties(s, rows, 6));
    CHECK_NUMBER("MaxKeyFrameInterval", 0);
    CHECK_BOOL("NaluAllowScaling", 1);
    CHECK_STRING("x264.tune", "");
    CHECK_NUMBER("MaxFrameDelayCount", -1);
}

static void read_only_properties_cannot_be_set(void) {
    size_t size = 0;
    int64_t depth = -9;
    CHECK_NUMBER("NumberOfPendingFrames", 0);
    CHECK_BOOL("UsingHardwareAcceleratedVideoEncoder", 0);
    CHECK_STRING("EncoderID", "org.videolan.x264");
    REFUSED(nalu_session_copy_string(s, "x264.effective", NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE,
            "x264.effective", "not open");
    REFUSED(nalu_session_get_int64(s, "NaluReorderDepth", &depth), NALU_STATUS_VALUE_NOT_AVAILABLE, "NaluReorderDepth");
    REQUIRE_OK(nalu_compression_session_prepare(s));
    CHECK_OK(nalu_session_copy_string(s, "x264.effective", NULL, 0, &size));
    CHECK(size > 100);
    CHECK_OK(nalu_session_get_int64(s, "NaluReorderDepth", &depth));
    CHECK_EQ(depth, 2);
    CHECK_STRING("H264EntropyMode", "CABAC");
}

int main(void) {
    clip c;
    clip_open(&c, 64, 48);
    s = c.session;
    RUN(integers_are_set_and_read);
    RUN(doubles_are_set_and_read);
    RUN(bools_are_set_and_read);
    RUN(strings_are_set_and_read);
    RUN(lists_are_set_and_read);
    RUN(several_properties_are_set_together_or_not_at_all);
    RUN(read_only_properties_cannot_be_set);
    clip_close(&c);
    return check_result();
}
