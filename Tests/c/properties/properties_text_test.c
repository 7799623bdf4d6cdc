/* Property sets as text: all or nothing, with the statuses of nalu_session_set_properties. Errors name the
 * place in the text. A text copied from one session gives another session the same properties. */
#include "comma_locale.h"
#include "clip.h"
#include "refusal.h"


static nalu_compression_session *open_session(void) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, NULL, clip_take, NULL, NULL, &session));
    return session;
}

#define SET(session, text) nalu_session_set_properties_from_text((session), (text))

/* Returns the session's text; valid until the next call. */
static const char *text_of(nalu_compression_session *session) {
    static char text[4096];
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_properties_as_text(session, text, sizeof text, &size));
    CHECK_EQ(size, strlen(text) + 1);
    return text;
}

static void test_setting_and_copying(void) {
    const char *text =
        "AverageBitRate=2000000,DataRateLimits=[375000,1],RealTime=true,x264.params=\"qpmin=10:qpmax=51\"";
    nalu_compression_session *s = open_session();
    int64_t rate = 0;
    int32_t real_time = 0;
    double limits[4] = {0};
    char params[40] = "";
    size_t size = 0;
    CHECK_STR_EQ(text_of(s), "");
    CHECK_OK(SET(s, text));
    CHECK_OK(nalu_session_get_int64(s, NALU_PROPERTY_AVERAGE_BIT_RATE, &rate));
    CHECK_EQ(rate, 2000000);
    CHECK_OK(nalu_session_get_bool(s, NALU_PROPERTY_REAL_TIME, &real_time));
    CHECK_EQ(real_time, 1);
    CHECK_OK(nalu_session_copy_numbers(s, NALU_PROPERTY_DATA_RATE_LIMITS, limits, 4, &size));
    CHECK(size == 2 && limits[0] == 375000 && limits[1] == 1);
    CHECK_OK(nalu_session_copy_string(s, NALU_PROPERTY_X264_PARAMS, params, sizeof params, &size));
    CHECK_STR_EQ(params, "qpmin=10:qpmax=51");
    CHECK_STR_EQ(text_of(s), text);

    CHECK_OK(SET(s, ""));
    CHECK_OK(SET(s, " \t\r\n"));
    CHECK_STR_EQ(text_of(s), text);
    CHECK_OK(SET(s, " RealTime = unset ,\n\tDataRateLimits=[ ],x264.params=\"\", AverageBitRate=1e6\r\n"));
    CHECK_STR_EQ(text_of(s), "AverageBitRate=1000000");
    CHECK_OK(SET(s, "AverageBitRate=0,NaluAllowScaling=0,ExpectedFrameRate=30"));
    CHECK_STR_EQ(text_of(s), "ExpectedFrameRate=30.0,NaluAllowScaling=false");
    nalu_compression_session_release(s);
}

/* Buffers of every size. */
static void test_buffers(void) {
    nalu_compression_session *s = open_session();
    char text[40] = "unchanged";
    size_t size = 0;
    CHECK_OK(nalu_session_copy_properties_as_text(s, NULL, 0, &size));
    CHECK_EQ(size, 1);
    REFUSED(nalu_session_copy_properties_as_text(s, text, 0, &size), NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 0");
    REQUIRE_OK(SET(s, "RealTime=true"));
    CHECK_OK(nalu_session_copy_properties_as_text(s, NULL, 0, &size));
    CHECK_EQ(size, sizeof "RealTime=true");
    size = 0;
    REFUSED(nalu_session_copy_properties_as_text(s, text, 13, &size), NALU_STATUS_BUFFER_TOO_SMALL, "capacity is 13",
            "at least 14");
    CHECK_EQ(size, 14);
    CHECK_STR_EQ(text, "unchanged");
    CHECK_OK(nalu_session_copy_properties_as_text(s, text, 14, &size));
    CHECK_STR_EQ(text, "RealTime=true");
    CHECK_OK(nalu_session_copy_properties_as_text(s, text, SIZE_MAX, &size));
    REFUSED(nalu_session_copy_properties_as_text(s, NULL, 1, &size), NALU_STATUS_PARAMETER, "buffer is NULL");
    REFUSED(nalu_session_copy_properties_as_text(s, text, 14, NULL), NALU_STATUS_PARAMETER, "size_out is NULL");
    nalu_compression_session_release(s);
}

static void test_handles(void) {
    nalu_compression_session *s = open_session();
    char text[40] = "unchanged";
    size_t size = 5;
    zeros nothing = {{0}};
    nalu_compression_session *none = (nalu_compression_session *)(void *)&nothing;
    REFUSED(SET(NULL, "RealTime=true"), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(SET(s, NULL), NALU_STATUS_PARAMETER, "text is NULL");
    REFUSED(SET(none, "RealTime=true"), NALU_STATUS_INVALID_HANDLE, "session");
    REFUSED(nalu_session_copy_properties_as_text(NULL, text, 40, &size), NALU_STATUS_PARAMETER, "session is NULL");
    REFUSED(nalu_session_copy_properties_as_text(none, text, 40, &size), NALU_STATUS_INVALID_HANDLE, "session");
    REQUIRE_OK(nalu_compression_session_invalidate(s));
    CHECK_STATUS(SET(s, "RealTime=true"), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(SET(s, ""), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_session_copy_properties_as_text(s, text, 40, &size), NALU_STATUS_INVALID_SESSION);
    CHECK_EQ(size, 5);
    CHECK_STR_EQ(text, "unchanged");
    nalu_compression_session_release(s);
}

/* Texts with a syntax error, and the reported place. */
static void test_form(void) {
    static const struct { const char *text, *place, *expected; } all[] = {
        {",", "at byte 0", "a key"}, {"=", "at byte 0", "a key"}, {"Quality=1,", "ends at byte 10", "a key"},
        {"\xc3\x28=1", "0xc3 at byte 0", "a key"}, {"\x01", "0x01 at byte 0", "a key"},
        {"Quality", "ends at byte 7", "\"=\" after the key Quality"}, {"Quality 1", "\"1\" at byte 8", "\"=\""},
        {"Quality=", "ends at byte 8", "the value of Quality"},
        {"Quality=,", "\",\" at byte 8", "the value of Quality"},
        {"Quality=1 2", "\"2\" at byte 10", "or the end"}, {"Quality=1;RealTime=1", "\";\" at byte 9", "or the end"},
        {"Quality=0,5", "\"5\" at byte 10", "a key"}, {"Quality=1\xa0", "0xa0 at byte 9", "or the end"},
        {"x264.params=ref=2", "\"=\" at byte 15", "or the end"},
        {"x264.params=\"ref", "ends at byte 16", "closing quote"},
        {"x264.params=\"a\\", "ends at byte 15", "after the backslash"},
        {"x264.params=\"\\n\"", "\"n\" at byte 14", "after the backslash"},
        {"x264.params=\"\xff\"", "at byte 12", "UTF-8"}, {"x264.params=\"\xed\xa0\x80\"", "at byte 12", "UTF-8"},
        {"Quality=+1", "\"+1\" at byte 8", "a number"}, {"Quality=.5", "\".5\" at byte 8", "a number"},
        {"Quality=0x1", "\"0x1\" at byte 8", "a number"}, {"Quality=1e", "\"1e\" at byte 8", "a number"},
        {"Quality=-inf", "\"-inf\" at byte 8", "a number"}, {"Quality=-nan", "\"-nan\" at byte 8", "a number"},
        {"DataRateLimits=[", "ends at byte 16", "a number"}, {"DataRateLimits=[1,]", "\"]\" at byte 18", "a number"},
        {"DataRateLimits=[1e6 1]", "\"1\" at byte 20", "\"]\""},
        {"DataRateLimits=[nan,1]", "\"n\" at byte 16", "a number"},
        {"DataRateLimits=[1e6,inf]", "\"i\" at byte 20", "a number"},
        {"Quality=1, Quality=1", "at byte 0 and again at byte 11", "each key once"},
    };
    nalu_compression_session *s = open_session();
    REQUIRE_OK(SET(s, "MaxKeyFrameInterval=7"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        REFUSED(SET(s, all[i].text), NALU_STATUS_PARAMETER, "text", all[i].place, "expected", all[i].expected);
        CHECK_STR_EQ(text_of(s), "MaxKeyFrameInterval=7");
    }
    REFUSED(SET(s, "Quality=1e999"), NALU_STATUS_OUT_OF_RANGE, "1e999 at byte 8", "expected");
    REFUSED(SET(s, "Quality=-1e999"), NALU_STATUS_OUT_OF_RANGE, "-1e999 at byte 8", "expected");
    REFUSED(SET(s, "MaxKeyFrameInterval=9223372036854775808"), NALU_STATUS_OUT_OF_RANGE, "at byte 20", "expected");
    REFUSED(SET(s, "DataRateLimits=[1e999,1]"), NALU_STATUS_OUT_OF_RANGE, "1e999 at byte 16", "expected");

    static char list[6000], endless[1000001];
    strcpy(list, "DataRateLimits=[1");
    for (int i = 0; i < 1024; i++) strcat(list, ",1");
    strcat(list, "]");
    REFUSED(SET(s, list), NALU_STATUS_OUT_OF_RANGE, "1024", "at byte 15");
    memset(endless, '9', sizeof endless - 1);
    CHECK_STATUS(SET(s, endless), NALU_STATUS_PARAMETER);
    memcpy(endless, "Quality=", 8);
    CHECK_STATUS(SET(s, endless), NALU_STATUS_OUT_OF_RANGE);
    CHECK(strlen(nalu_last_error_message()) < 300);
    memset(endless, 'k', 8);
    CHECK_STATUS(SET(s, endless), NALU_STATUS_PARAMETER);
    CHECK(strlen(nalu_last_error_message()) < 300);
    CHECK_STR_EQ(text_of(s), "MaxKeyFrameInterval=7");
    nalu_compression_session_release(s);
}

/* One of several settings fails at each position; the others are not set. */
static void test_all_or_nothing(void) {
    static const struct { const char *setting; nalu_status status; const char *word; } all[] = {
        {"NoSuchThing=1", NALU_STATUS_PROPERTY_NOT_SUPPORTED, "NoSuchThing"},
        {"averagebitrate=1000", NALU_STATUS_PROPERTY_NOT_SUPPORTED, "averagebitrate"},
        {"EncoderID=x", NALU_STATUS_PROPERTY_READ_ONLY, "EncoderID"},
        {"EncoderID=unset", NALU_STATUS_PROPERTY_READ_ONLY, "EncoderID"},
        {"Quality=nan", NALU_STATUS_WRONG_TYPE, "Quality"},
        {"Quality=\"0.5\"", NALU_STATUS_WRONG_TYPE, "Quality"},
        {"Quality=true", NALU_STATUS_WRONG_TYPE, "Quality"},
        {"Quality=[1]", NALU_STATUS_WRONG_TYPE, "Quality"},
        {"RealTime=True", NALU_STATUS_WRONG_TYPE, "RealTime"},
        {"RealTime=2", NALU_STATUS_WRONG_TYPE, "RealTime"},
        {"x264.preset=7", NALU_STATUS_WRONG_TYPE, "x264.preset"},
        {"MaxH264SliceBytes=1000.5", NALU_STATUS_WRONG_TYPE, "MaxH264SliceBytes"},
        {"Quality=1.0000001", NALU_STATUS_OUT_OF_RANGE, "Quality"},
        {"Quality=9223372036854775807", NALU_STATUS_OUT_OF_RANGE, "Quality"},
        {"Quality=1e308", NALU_STATUS_OUT_OF_RANGE, "Quality"},
        {"PixelAspectRatio=[1,99999999999999999999]", NALU_STATUS_OUT_OF_RANGE, "PixelAspectRatio"},
        {"x264.params=\"bogus=1\"", NALU_STATUS_OUT_OF_RANGE, "bogus"},
        {"H264EntropyMode=CABAC,ProfileLevel=H264_Baseline_AutoLevel", NALU_STATUS_CONFLICT, "CABAC"},
        {"Quality=1e", NALU_STATUS_PARAMETER, "1e"},
    };
    nalu_compression_session *s = open_session();
    char text[300];
    REQUIRE_OK(SET(s, "MaxKeyFrameInterval=7,NaluAllowScaling=false"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(text, sizeof text, "MaxKeyFrameInterval=8,%s", all[i].setting);
        REFUSED(SET(s, text), all[i].status, all[i].word);
        snprintf(text, sizeof text, "%s,NaluAllowScaling=true,MaxKeyFrameInterval=unset", all[i].setting);
        REFUSED(SET(s, text), all[i].status, all[i].word);
        CHECK_STR_EQ(text_of(s), "MaxKeyFrameInterval=7,NaluAllowScaling=false");
    }
    /* Only the result of all settings is checked for conflicts. */
    CHECK_OK(SET(s, "RealTime=true"));
    CHECK_OK(SET(s, "AllowFrameReordering=true,RealTime=unset"));
    nalu_compression_session_release(s);
}

static void test_while_encoding(void) {
    clip c;
    char before[4096];
    clip_open(&c, 64, 48);
    REQUIRE_OK(SET(c.session, "AverageBitRate=500000,RealTime=true,x264.preset=ultrafast"));
    clip_encode(&c, 2);
    REFUSED(SET(c.session, "MaxKeyFrameInterval=3,ProfileLevel=H264_Main_AutoLevel"), NALU_STATUS_TOO_LATE,
            "ProfileLevel");
    snprintf(before, sizeof before, "%s", text_of(c.session));
    CHECK_STR_EQ(before, "AverageBitRate=500000,RealTime=true,x264.preset=ultrafast");
    CHECK_OK(SET(c.session, before));
    CHECK_OK(SET(c.session, "MaxKeyFrameInterval=3,AverageBitRate=600000"));
    CHECK_STR_EQ(text_of(c.session), "AverageBitRate=600000,MaxKeyFrameInterval=3,RealTime=true,x264.preset=ultrafast");
    clip_encode_all(&c, 6);
    CHECK_EQ(c.count, 8);
    clip_close(&c);
}

/* ---- Round trips --------------------------------------------------------------------------------------------- */

/* Checks that reading a property of both sessions returns the same status and value. */
static void check_same(nalu_compression_session *a, nalu_compression_session *b, const char *key) {
    int64_t integers[2] = {-9, -9};
    double numbers[2] = {-9, -9}, lists[2][16] = {{0}};
    char strings[2][1000] = {"", ""};
    size_t sizes[2] = {0};
    if (!check_integers(nalu_session_get_int64(a, key, &integers[0]), nalu_session_get_int64(b, key, &integers[1]), __FILE__,
                        __LINE__, key)) return;
    check_integers(integers[0], integers[1], __FILE__, __LINE__, key);
    CHECK_EQ(nalu_session_get_double(a, key, &numbers[0]), nalu_session_get_double(b, key, &numbers[1]));
    check_doubles(numbers[0], numbers[1], 0, __FILE__, __LINE__, key);
    CHECK_EQ(nalu_session_copy_string(a, key, strings[0], sizeof strings[0], &sizes[0]),
             nalu_session_copy_string(b, key, strings[1], sizeof strings[1], &sizes[1]));
    check_strings(strings[0], strings[1], __FILE__, __LINE__, key);
    CHECK_EQ(nalu_session_copy_numbers(a, key, lists[0], 16, &sizes[0]),
             nalu_session_copy_numbers(b, key, lists[1], 16, &sizes[1]));
    check_bytes(lists[0], lists[1], sizeof lists[0], __FILE__, __LINE__, key);
}

static void check_all_same(nalu_compression_session *a, nalu_compression_session *b) {
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) check_same(a, b, nalu_property_get_key(i));
}

/* Checks that a new session set from the text has the same properties and the same text. All properties are compared once for
 * each `key` in a row; with other values of the key only that one, as the text names all that are set. */
static void check_round_trip(nalu_compression_session *s, const char *key) {
    static const char *last;
    nalu_compression_session *other = open_session();
    char text[4096];
    snprintf(text, sizeof text, "%s", text_of(s));
    check_statuses(SET(other, text), NALU_STATUS_OK, __FILE__, __LINE__, key);
    if (last && strcmp(last, key) == 0) check_same(s, other, key);
    else check_all_same(s, other);
    last = key;
    CHECK_STR_EQ(text_of(other), text);
    nalu_compression_session_release(other);
}

static const struct { const char *key, *values[4]; } strings[] = {
    {NALU_PROPERTY_X264_TUNE, {"", "film", "zerolatency", "animation,zerolatency"}},
    {NALU_PROPERTY_X264_PARAMS, {"", ":", "qpmin=10:qpmax=51:no-mbtree", "ref=2::deblock=-1,1:level=3.1"}},
    {NALU_PROPERTY_PIXEL_TRANSFER_PROPERTIES,
     {"", "ScalingMode=Letterbox", "DownsamplingMode=Average", "ScalingMode=Trim,DownsamplingMode=Average"}},
};
static const struct { const char *key; size_t count; double values[10]; } lists[] = {
    {NALU_PROPERTY_DATA_RATE_LIMITS, 0, {0}},
    {NALU_PROPERTY_DATA_RATE_LIMITS, 2, {1000.0 / 3 * 7, 0.1 + 0.2}},
    {NALU_PROPERTY_DATA_RATE_LIMITS, 4, {1e12, 60, 12345678.9, 0.05}},
    {NALU_PROPERTY_PIXEL_ASPECT_RATIO, 0, {0}},
    {NALU_PROPERTY_PIXEL_ASPECT_RATIO, 2, {65535, 1}},
    {NALU_PROPERTY_CLEAN_APERTURE, 0, {0}},
    {NALU_PROPERTY_CLEAN_APERTURE, 4, {60, 42, -2, 1}},
    {NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, 0, {0}},
    {NALU_PROPERTY_MASTERING_DISPLAY_COLOR_VOLUME, 10,
     {8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450, 4294967295, 50}},
    {NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, 0, {0}},
    {NALU_PROPERTY_CONTENT_LIGHT_LEVEL_INFO, 2, {65535, 400}},
};

/* Tries the limits and some values between them, each in a new session. */
static int try_values(const char *key, const nalu_property_info *info) {
    int taken = 0;
    const double odd[] = {0, 1.0 / 3, 0.1 + 0.2, 0.7, 5e-324, 1e-7, 3.0000000000000004, 1e21 / 3, 999.0 + 1e-10};
#define TRY(set) do { \
        nalu_compression_session *s = open_session(); \
        if ((set) == NALU_STATUS_OK) taken++, check_round_trip(s, key); \
        nalu_compression_session_release(s); \
    } while (0)
    switch (info->type) {
    case NALU_PROPERTY_TYPE_BOOL:
        TRY(nalu_session_set_bool(s, key, 0));
        TRY(nalu_session_set_bool(s, key, 1));
        break;
    case NALU_PROPERTY_TYPE_INT64: {
        const double span = info->maximum - info->minimum;
        for (int i = 0; i <= 7; i++) TRY(nalu_session_set_int64(s, key, (int64_t)(info->minimum + span / 7 * i)));
        break;
    }
    case NALU_PROPERTY_TYPE_DOUBLE:
        TRY(nalu_session_set_double(s, key, info->minimum));
        TRY(nalu_session_set_double(s, key, info->maximum));
        TRY(nalu_session_set_double(s, key, nextafter(info->maximum, info->minimum)));
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            TRY(nalu_session_set_double(s, key, odd[i]));
            TRY(nalu_session_set_double(s, key, info->minimum + (info->maximum - info->minimum) * odd[i]));
        }
        break;
    case NALU_PROPERTY_TYPE_STRING:
        for (uint32_t i = 0; i < info->allowed_value_count; i++)
            TRY(nalu_session_set_string(s, key, nalu_property_get_allowed_value(key, i)));
        for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
            for (int k = 0; k < 4 && !strcmp(strings[i].key, key); k++)
                TRY(nalu_session_set_string(s, key, strings[i].values[k]));
        break;
    default:
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            if (!strcmp(lists[i].key, key)) TRY(nalu_session_set_numbers(s, key, lists[i].values, lists[i].count));
    }
    return taken;
}

static void test_every_property_comes_back(void) {
    for (uint32_t i = 0; i < nalu_property_get_count(); i++) {
        const char *key = nalu_property_get_key(i);
        nalu_property_info info = {.struct_size = sizeof info};
        REQUIRE_OK(nalu_property_get_info(key, &info));
        if (strncmp(key, "x265.", 5) == 0) continue; /* hevc_session_test.c has the properties of the other encoder */
        if (info.writable) check_that(try_values(key, &info) >= 2, __FILE__, __LINE__, key, "no value was taken");
    }
}

static void test_all_properties_together(void) {
    nalu_compression_session *s = open_session();
    REQUIRE_OK(SET(s,
        "AverageBitRate=1234567,DataRateLimits=[200000.125,1.5,3e5,2.0000000000000004],Quality=0.30000000000000004,"
        "ExpectedFrameRate=29.97002997002997,MaxKeyFrameInterval=251,MaxKeyFrameIntervalDuration=8.341666666666667,"
        "AllowTemporalCompression=false,AllowFrameReordering=false,ProfileLevel=H264_Main_AutoLevel,"
        "H264EntropyMode=CAVLC,MaxH264SliceBytes=1399,MaxFrameDelayCount=17,RealTime=false,ColorPrimaries=P3_D65,"
        "TransferFunction=IEC_sRGB,YCbCrMatrix=ITU_R_2020,PixelAspectRatio=[40,33],NaluAllowScaling=false,"
        "x264.preset=veryslow,x264.tune=\"grain,fastdecode\",x264.params=\"me=umh:deblock=-2,-1\""));
    check_round_trip(s, "all");
    CHECK(strstr(text_of(s), "x264.tune=\"grain,fastdecode\",x264.params=\"me=umh:deblock=-2,-1\"") != NULL);
    CHECK(strstr(text_of(s), "[200000.125,1.5,300000,2.0000000000000004]") != NULL);
    CHECK_OK(nalu_compression_session_prepare(s));
    nalu_compression_session *other = open_session();
    CHECK_OK(SET(other, text_of(s)));
    CHECK_OK(nalu_compression_session_prepare(other));
    check_all_same(s, other);
    nalu_compression_session_release(other);
    nalu_compression_session_release(s);
}

static void test_a_locale_with_a_decimal_comma(void) {
    comma_locale_enter();
    nalu_compression_session *s = open_session();
    CHECK_OK(SET(s, "DataRateLimits=[2000.5,1.5],Quality=0.25"));
    CHECK_STR_EQ(text_of(s), "DataRateLimits=[2000.5,1.5],Quality=0.25");
    check_round_trip(s, "Quality");
    nalu_compression_session_release(s);
    comma_locale_leave();
}

/* ---- Reading without a session ------------------------------------------------------------------------------- */

typedef struct { char text[400]; int count; } visited;

static void visit(void *refcon, const nalu_property *property) {
    visited *v = (visited *)refcon;
    const size_t used = strlen(v->text);
    char *text = v->text + used;
    const size_t size = sizeof v->text - used;
    v->count++;
    switch (property->type) {
    case NALU_PROPERTY_TYPE_BOOL: snprintf(text, size, "%s:b%d;", property->key, (int)property->integer); break;
    case NALU_PROPERTY_TYPE_INT64: snprintf(text, size, "%s:i%lld;", property->key, (long long)property->integer); break;
    case NALU_PROPERTY_TYPE_DOUBLE: snprintf(text, size, "%s:d%g;", property->key, property->number); break;
    case NALU_PROPERTY_TYPE_STRING: snprintf(text, size, "%s:s%s;", property->key, property->string); break;
    case NALU_PROPERTY_TYPE_UNSET: snprintf(text, size, "%s:u;", property->key); break;
    default:
        CHECK_EQ(property->type, NALU_PROPERTY_TYPE_NUMBERS);
        snprintf(text, size, "%s:n%u,%g;", property->key, property->number_count,
                 property->number_count ? property->numbers[property->number_count - 1] : 0);
    }
}

static void test_reading_text(void) {
    static const struct { const char *text, *expected; nalu_status status; } all[] = {
        {"", "", NALU_STATUS_OK},
        {"a=true, b=-7,c=0.5,d=word,e=unset,f=[1,2.5],g=[]", "a:b1;b:i-7;c:d0.5;d:sword;e:u;f:n2,2.5;g:n0,0;",
         NALU_STATUS_OK},
        {"a=\"x=1,\\\"y\\\\\",b=\"\"", "a:sx=1,\"y\\;b:s;", NALU_STATUS_OK},
        {"a=1,a=2", "", NALU_STATUS_PARAMETER},
        {"a=1,b", "", NALU_STATUS_PARAMETER},
        {"a=1,b=\"", "", NALU_STATUS_PARAMETER},
        {"a=1,b=99999999999999999999", "", NALU_STATUS_OUT_OF_RANGE},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        visited v = {"", 0};
        CHECK_STATUS(nalu_property_text_read(all[i].text, visit, &v), all[i].status);
        CHECK_STR_EQ(v.text, all[i].expected);
    }
    visited v = {"", 0};
    CHECK_STATUS(nalu_property_text_read(NULL, visit, &v), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_property_text_read("a=1", NULL, NULL), NALU_STATUS_PARAMETER);
}

int main(void) {
    RUN(test_setting_and_copying);
    RUN(test_buffers);
    RUN(test_handles);
    RUN(test_form);
    RUN(test_all_or_nothing);
    RUN(test_while_encoding);
    RUN(test_every_property_comes_back);
    RUN(test_all_properties_together);
    RUN(test_a_locale_with_a_decimal_comma);
    RUN(test_reading_text);
    return check_result();
}
