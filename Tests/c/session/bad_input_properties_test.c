/* Rejected properties: keys, types, numbers out of range, strings, lists, buffers. A failure changes nothing. */
#include "clip.h"
#include "refusal.h"

static clip c;
static nalu_compression_session *s;

static void unknown_keys_are_refused(void) {
    static char endless[1000001];
    memset(endless, 'k', sizeof endless - 1);
    const char *unknown[] = {"", "averagebitrate", "AverageBitRate ", "Quality\n", "\xc3\x28\xff", endless};
    nalu_property_info info = {.struct_size = sizeof info, .type = 77};
    int64_t integer = 5;
    size_t size = 5;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        const char *key = unknown[i];
#define UNKNOWN(call) REFUSED(call, NALU_STATUS_PROPERTY_NOT_SUPPORTED, "there is no property", "nalu_property_get_key")
        UNKNOWN(nalu_session_set_int64(s, key, 1));
        UNKNOWN(nalu_session_set_double(s, key, 1));
        UNKNOWN(nalu_session_set_bool(s, key, 1));
        UNKNOWN(nalu_session_set_string(s, key, "x"));
        UNKNOWN(nalu_session_set_numbers(s, key, NULL, 0));
        UNKNOWN(nalu_session_unset_property(s, key));
        UNKNOWN(nalu_session_get_int64(s, key, &integer));
        UNKNOWN(nalu_session_copy_string(s, key, NULL, 0, &size));
        UNKNOWN(nalu_property_get_info(key, &info));
        CHECK_PTR_EQ(nalu_property_get_allowed_value(key, 0), NULL);
        CHECK(strlen(nalu_last_error_message()) < 300);
    }
    CHECK(integer == 5 && size == 5 && info.type == 77);
    UNKNOWN(nalu_session_set_int64(s, "NoSuchThing", 1));
    CHECK(strstr(nalu_last_error_message(), "\"NoSuchThing\"") != NULL);
}

/* Whether the encoder under test does not have the property. All calls then have the same result, and name the property. */
static int is_lacking(const char *key) {
    if (nalu_session_unset_property(s, key) != NALU_STATUS_PROPERTY_NOT_SUPPORTED) return 0;
#define LACKING(call) REFUSED(call, NALU_STATUS_PROPERTY_NOT_SUPPORTED, key)
    int64_t integer = 5;
    double number = 5;
    int32_t truth = 5;
    size_t size = 5;
    LACKING(nalu_session_unset_property(s, key));
    LACKING(nalu_session_set_int64(s, key, 1));
    LACKING(nalu_session_set_double(s, key, NAN));
    LACKING(nalu_session_set_bool(s, key, 1));
    LACKING(nalu_session_set_string(s, key, ""));
    LACKING(nalu_session_set_numbers(s, key, NULL, 0));
    LACKING(nalu_session_get_int64(s, key, &integer));
    LACKING(nalu_session_get_double(s, key, &number));
    LACKING(nalu_session_get_bool(s, key, &truth));
    LACKING(nalu_session_copy_string(s, key, NULL, 0, &size));
    LACKING(nalu_session_copy_numbers(s, key, NULL, 0, &size));
    CHECK(integer == 5 && number == 5 && truth == 5 && size == 5);
    return 1;
}

/* Sets every property with every type except its own. */
static void wrong_types_are_refused(void) {
    uint32_t lacking = 0;
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *key = nalu_property_get_key(i);
        nalu_property_info info = {.struct_size = sizeof info};
        REQUIRE_OK(nalu_property_get_info(key, &info));
        if (is_lacking(key)) {
            lacking++;
            if (is_tested("x264")) CHECK(strncmp(key, "x265.", 5) == 0);
            continue;
        }
        if (!info.writable) {
#define READ_ONLY(call) REFUSED(call, NALU_STATUS_PROPERTY_READ_ONLY, key, "read-only")
            READ_ONLY(nalu_session_set_int64(s, key, 1));
            READ_ONLY(nalu_session_set_double(s, key, NAN));
            READ_ONLY(nalu_session_set_bool(s, key, 1));
            READ_ONLY(nalu_session_set_string(s, key, ""));
            READ_ONLY(nalu_session_set_numbers(s, key, NULL, 0));
            READ_ONLY(nalu_session_unset_property(s, key));
            continue;
        }
        const int32_t type = info.type;
        const int is_number = type == NALU_PROPERTY_TYPE_INT64 || type == NALU_PROPERTY_TYPE_DOUBLE;
        const char *noun[] = {"", "a bool", "an integer", "a number", "a string", "a list of numbers"};
#define WRONG(call, value) REFUSED(call, NALU_STATUS_WRONG_TYPE, key, noun[type], value)
        if (type != NALU_PROPERTY_TYPE_BOOL) WRONG(nalu_session_set_bool(s, key, 1), "true");
        if (type != NALU_PROPERTY_TYPE_STRING) WRONG(nalu_session_set_string(s, key, "word"), "\"word\"");
        if (type != NALU_PROPERTY_TYPE_NUMBERS) WRONG(nalu_session_set_numbers(s, key, (double[]){7, 8}, 2), "7.0,8.0");
        if (!is_number) WRONG(nalu_session_set_double(s, key, 1.0), "1.0");
        /* An integer is a code in a string property with a range. */
        const int has_codes = type == NALU_PROPERTY_TYPE_STRING && !isnan(info.minimum);
        if (has_codes) REFUSED(nalu_session_set_int64(s, key, 77), NALU_STATUS_OUT_OF_RANGE, key, "a code of", "77");
        else if (!is_number && type != NALU_PROPERTY_TYPE_BOOL) WRONG(nalu_session_set_int64(s, key, 7), "7");
        if (type == NALU_PROPERTY_TYPE_BOOL) WRONG(nalu_session_set_int64(s, key, 2), "2");
        if (type == NALU_PROPERTY_TYPE_INT64) WRONG(nalu_session_set_double(s, key, 1.5), "1.5");
    }
    CHECK(lacking > 0 && lacking < nalu_property_get_count() * 2 / 3);
}

static void reading_as_a_wrong_type_is_refused(void) {
    int64_t integer = 5;
    double number = 5;
    int32_t truth = 5;
    size_t size = 5;
    REQUIRE_OK(nalu_session_set_double(s, NALU_PROPERTY_QUALITY, 0.5));
#define CANNOT(call, key, value, noun) REFUSED(call, NALU_STATUS_WRONG_TYPE, key, value, noun)
    CANNOT(nalu_session_get_int64(s, "Quality", &integer), "Quality", "0.5", "a whole number");
    CANNOT(nalu_session_get_int64(s, "EncoderID", &integer), "EncoderID", tested()->id, "a whole number");
    CANNOT(nalu_session_get_double(s, "EncoderID", &number), "EncoderID", "org", "a number");
    CANNOT(nalu_session_get_bool(s, "MaxKeyFrameInterval", &truth), "MaxKeyFrameInterval", "0", "a bool");
    CANNOT(nalu_session_get_bool(s, "Quality", &truth), "Quality", "0.5", "a bool");
    CANNOT(nalu_session_copy_string(s, "Quality", NULL, 0, &size), "Quality", "0.5", "a string");
    CANNOT(nalu_session_copy_numbers(s, "Quality", NULL, 0, &size), "Quality", "0.5", "a list of numbers");
    CHECK(integer == 5 && number == 5 && truth == 5 && size == 5);
    REQUIRE_OK(nalu_session_unset_property(s, NALU_PROPERTY_QUALITY));
    REFUSED(nalu_session_get_double(s, "Quality", &number), NALU_STATUS_VALUE_NOT_AVAILABLE, "Quality", "not set");
    CHECK_OK(nalu_session_get_double(s, "MaxKeyFrameInterval", &number));
    CHECK_NEAR(number, 0, 0);
    CHECK_OK(nalu_session_get_int64(s, "ExpectedFrameRate", &integer));
    CHECK_EQ(integer, 0);
}

/* NaN, infinities and the extreme integers are out of range for every numeric property; the old value stays. */
static void numbers_out_of_range_are_refused(void) {
    static const struct {
        const char *key, *range;
        double least;
    } narrower[] = {{NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, "25 to 51", 25},
                    {NALU_PROPERTY_BASE_LAYER_FRAME_RATE_FRACTION, "0.5 or 1", 0.5}};
    const double bad[] = {NAN, -NAN, INFINITY, -INFINITY, 1e300, -1e300, 9223372036854775808.0, -1, -1e-300};
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *key = nalu_property_get_key(i);
        nalu_property_info info = {.struct_size = sizeof info};
        REQUIRE_OK(nalu_property_get_info(key, &info));
        const int is_integer = info.type == NALU_PROPERTY_TYPE_INT64;
        if (!info.writable || (!is_integer && info.type != NALU_PROPERTY_TYPE_DOUBLE) || is_lacking(key)) continue;
        /* OpenH264 has narrower ranges (docs/encoders.md). */
        double before = info.minimum;
        for (size_t k = 0; k < 2 && is_tested("openh264"); k++) {
            if (strcmp(key, narrower[k].key) != 0) continue;
            REFUSED(nalu_session_set_double(s, key, before), NALU_STATUS_CONFLICT, key, narrower[k].range);
            before = narrower[k].least;
        }
        REQUIRE_OK(nalu_session_set_double(s, key, before));
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            if (bad[k] >= info.minimum || (is_integer && bad[k] == -1e-300)) {
                if (bad[k] <= info.maximum || (is_integer && bad[k] == -1e-300)) continue;
            }
            REFUSED(nalu_session_set_double(s, key, bad[k]), NALU_STATUS_OUT_OF_RANGE, key, "expected", " to ");
        }
        REFUSED(nalu_session_set_int64(s, key, INT64_MAX), NALU_STATUS_OUT_OF_RANGE, key, "9223372036854775807");
        REFUSED(nalu_session_set_int64(s, key, INT64_MIN), NALU_STATUS_OUT_OF_RANGE, key, "-9223372036854775808");
        double now = NAN;
        CHECK_OK(nalu_session_get_double(s, key, &now));
        CHECK_NEAR(now, before, 0);
        REQUIRE_OK(nalu_session_unset_property(s, key));
    }
}

static void wrong_lists_are_refused(void) {
    const double huge[1025] = {0};
    double out[4] = {9, 9, 9, 9};
    size_t count = 0;
#define LIST(key, word, ...) \
    REFUSED(nalu_session_set_numbers(s, key, (const double[]){__VA_ARGS__}, \
            sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), NALU_STATUS_OUT_OF_RANGE, key, word)
    REQUIRE_OK(nalu_session_set_numbers(s, "PixelAspectRatio", (const double[]){4, 3}, 2));
    REQUIRE_OK(nalu_session_set_numbers(s, "DataRateLimits", (const double[]){1000, 1}, 2));
    LIST("PixelAspectRatio", "two", 1);
    LIST("PixelAspectRatio", "two", 1, 1, 1);
    LIST("PixelAspectRatio", "65535", 0, 1);
    LIST("PixelAspectRatio", "65535", 1, 65536);
    LIST("PixelAspectRatio", "whole", 1.5, 1);
    LIST("PixelAspectRatio", "65535", NAN, 1);
    LIST("PixelAspectRatio", "65535", INFINITY, 1);
    LIST("DataRateLimits", "0, 2 or 4", 1000);
    LIST("DataRateLimits", "0, 2 or 4", 1000, 1, 1000);
    LIST("DataRateLimits", "0, 2 or 4", 1000, 1, 1000, 1, 1000, 1);
    LIST("DataRateLimits", "0.05 to 60", 1000, 0);
    LIST("DataRateLimits", "0.05 to 60", 1e6, 61);
    LIST("DataRateLimits", "0.05 to 60", 1000, 1, 1000, 0.01);
    LIST("DataRateLimits", "1000 bytes", 999, 1);
    LIST("DataRateLimits", "1000 bytes", 59999, 60);
    LIST("DataRateLimits", " to ", -1, 1);
    LIST("DataRateLimits", " to ", NAN, 1);
    LIST("DataRateLimits", " to ", 1000, INFINITY);
    LIST("DataRateLimits", " to ", 1e300, 1);
    REFUSED(nalu_session_set_numbers(s, "DataRateLimits", huge, 1025), NALU_STATUS_OUT_OF_RANGE, "1025");
    REFUSED(nalu_session_set_numbers(s, "DataRateLimits", huge, SIZE_MAX), NALU_STATUS_OUT_OF_RANGE,
            "18446744073709551615");

    /* The values are unchanged, and can be read into buffers of any size. */
    CHECK_OK(nalu_session_copy_numbers(s, "PixelAspectRatio", NULL, 0, &count));
    CHECK_EQ(count, 2);
    count = 0;
    REFUSED(nalu_session_copy_numbers(s, "PixelAspectRatio", out, 1, &count), NALU_STATUS_BUFFER_TOO_SMALL,
            "capacity is 1", "at least 2");
    CHECK(count == 2 && out[0] == 9);
    CHECK_OK(nalu_session_copy_numbers(s, "PixelAspectRatio", out, 2, &count));
    CHECK(out[0] == 4 && out[1] == 3 && out[2] == 9);
    CHECK_OK(nalu_session_copy_numbers(s, "PixelAspectRatio", out, SIZE_MAX, &count));
    CHECK_OK(nalu_session_copy_numbers(s, "DataRateLimits", out, 4, &count));
    CHECK(count == 2 && out[0] == 1000 && out[1] == 1);
    CHECK_OK(nalu_session_set_numbers(s, "PixelAspectRatio", NULL, 0));
    CHECK_OK(nalu_session_set_numbers(s, "DataRateLimits", NULL, 0));
    CHECK_OK(nalu_session_copy_numbers(s, "DataRateLimits", out, 0, &count));
    CHECK_EQ(count, 0);
}

static void wrong_strings_are_refused(void) {
    static char endless[1000001];
    char text[32] = "unchanged";
    size_t size = 0;
    memset(endless, '=', sizeof endless - 1);
    const char *keys[] = {"ProfileLevel", "H264EntropyMode", "ColorPrimaries", "TransferFunction", "YCbCrMatrix",
                          "x264.preset", "x264.tune", "x264.params", "x265.preset"};
    uint32_t lacking = 0;
    const char *bad[] = {"nonsense", "\xff\xfe", " ", endless};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (is_lacking(keys[i])) {
            lacking++;
            continue;
        }
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            REFUSED(nalu_session_set_string(s, keys[i], bad[k]), NALU_STATUS_OUT_OF_RANGE, keys[i]);
            CHECK(strlen(nalu_last_error_message()) < 1000);
        }
    }
    /* x264: x265.preset. OpenH264: the three of x264 too. x265: the three, and the entropy mode. */
    CHECK_EQ(lacking, is_tested("x264") ? 1 : 4);
    if (tested()->codec == NALU_CODEC_H264) {
        REFUSED(nalu_session_set_string(s, "H264EntropyMode", "cabac"), NALU_STATUS_OUT_OF_RANGE, "\"cabac\"",
            "CAVLC, CABAC");
        REFUSED(nalu_session_set_string(s, "ProfileLevel", "H264_Extended_5_0"), NALU_STATUS_OUT_OF_RANGE,
                "H264_Extended_5_0", "Extended profile");
    }
    const size_t whole = strlen(tested()->id) + 1;
    char capacity[32], least[32];
    snprintf(capacity, sizeof capacity, "capacity is %zu", whole - 1);
    snprintf(least, sizeof least, "at least %zu", whole);
    CHECK_OK(nalu_session_copy_string(s, "EncoderID", NULL, 0, &size));
    CHECK_EQ(size, whole);
    REFUSED(nalu_session_copy_string(s, "EncoderID", text, size - 1, &size), NALU_STATUS_BUFFER_TOO_SMALL, capacity, least);
    CHECK_STR_EQ(text, "unchanged");
    REFUSED(nalu_session_copy_string(s, "EncoderID", text, 0, &size), NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 0");
    CHECK_OK(nalu_session_copy_string(s, "EncoderID", text, whole, &size));
    CHECK_STR_EQ(text, tested()->id);
    CHECK_OK(nalu_session_copy_string(s, "EncoderID", text, SIZE_MAX, &size));
}

static void wrong_property_structs_are_refused(void) {
    nalu_property rows[2] = {{.key = "MaxKeyFrameInterval", .type = NALU_PROPERTY_TYPE_INT64, .integer = 9},
                             {.key = "Quality", .type = NALU_PROPERTY_TYPE_DOUBLE, .number = 0.25}};
    int64_t interval = -1;
#define ROWS(status, ...) REFUSED(nalu_session_set_properties(s, rows, 2), NALU_STATUS_##status, __VA_ARGS__)
    const int32_t types[] = {0, 7, -1, INT32_MAX};
    for (size_t i = 0; i < 4; i++) {
        char value[40];
        snprintf(value, sizeof value, "is %d", types[i]);
        rows[1].type = types[i];
        ROWS(PARAMETER, "Quality", value, "NALU_PROPERTY_TYPE_");
    }
    rows[1].type = NALU_PROPERTY_TYPE_STRING;
    ROWS(PARAMETER, "Quality", "NULL");
    rows[1].type = NALU_PROPERTY_TYPE_NUMBERS, rows[1].number_count = 3;
    ROWS(PARAMETER, "Quality", "NULL");
    rows[1].number_count = UINT32_MAX;
    ROWS(OUT_OF_RANGE, "Quality", "4294967295");
    rows[1].number_count = 0;
    ROWS(WRONG_TYPE, "Quality");
    rows[1].type = NALU_PROPERTY_TYPE_DOUBLE, rows[1].number = NAN;
    ROWS(OUT_OF_RANGE, "Quality", "nan", "0.0 to 1.0");
    rows[1].key = NULL;
    ROWS(PARAMETER, "properties[1].key is NULL");
    rows[1].key = "EncoderID";
    ROWS(PROPERTY_READ_ONLY, "EncoderID");
    REFUSED(nalu_session_set_properties(s, rows, 4097), NALU_STATUS_PARAMETER, "count is 4097", "4096");
    REFUSED(nalu_session_set_properties(s, rows, SIZE_MAX), NALU_STATUS_PARAMETER, "count is 18446744073709551615");
    CHECK_OK(nalu_session_get_int64(s, "MaxKeyFrameInterval", &interval));
    CHECK_EQ(interval, 0);
}

static void wrong_info_structs_are_refused(void) {
    struct { nalu_property_info known; unsigned char tail[16]; } it;
    const uint32_t small[] = {0, 1, 4, sizeof it.known - 1};
    memset(&it, 0x77, sizeof it);
    for (size_t i = 0; i < 4; i++) {
        it.known.struct_size = small[i];
        REFUSED(nalu_property_get_info("Quality", &it.known), NALU_STATUS_PARAMETER, "info->struct_size",
            "at least 56");
        CHECK_EQ(it.known.type, 0x77777777);
    }
    it.known.struct_size = sizeof it;
    CHECK_OK(nalu_property_get_info("Quality", &it.known));
    CHECK_EQ(it.known.struct_size, sizeof it);
    CHECK_EQ(it.tail[0], 0x77);
    it.known.struct_size = UINT32_MAX;
    CHECK_OK(nalu_property_get_info("Quality", &it.known));
    CHECK_EQ(it.tail[0], 0x77);
}

int main(void) {
    clip_open(&c, 64, 48);
    s = c.session;
    RUN(unknown_keys_are_refused);
    RUN(wrong_types_are_refused);
    RUN(reading_as_a_wrong_type_is_refused);
    RUN(numbers_out_of_range_are_refused);
    RUN(wrong_lists_are_refused);
    RUN(wrong_strings_are_refused);
    RUN(wrong_property_structs_are_refused);
    RUN(wrong_info_structs_are_refused);
    clip_encode_all(&c, 2);
    clip_close(&c);
    return check_result();
}
