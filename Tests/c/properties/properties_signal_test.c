/* Colour, range, pixel shape, timing and size in the stream's SPS, depending on the properties and the
 * frames. */
#include "clip.h"

typedef void (*setter)(clip *);

static nalu_sequence_info encode(int32_t width, int32_t height, nalu_pixel_format format, setter set) {
    clip c;
    clip_open(&c, width, height);
    c.format = format;
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    if (set) set(&c);
    clip_encode_all(&c, 1);
    const nalu_sequence_info info = clip_info(&c);
    clip_close(&c);
    return info;
}

static const char *key, *text;
static void set_string(clip *c) { REQUIRE_OK(nalu_session_set_string(c->session, key, text)); }

static void colour_constants_reach_the_sps(void) {
    /* The numbers are from ITU-T H.264 tables E-3, E-4, E-5. */
    static const struct { const char *key, *text; int code; } all[] = {
        {"ColorPrimaries", "ITU_R_709_2", 1}, {"ColorPrimaries", "EBU_3213", 5}, {"ColorPrimaries", "SMPTE_C", 6},
        {"ColorPrimaries", "ITU_R_2020", 9}, {"ColorPrimaries", "P3_D65", 12},
        {"TransferFunction", "ITU_R_709_2", 1}, {"TransferFunction", "SMPTE_240M_1995", 7},
        {"TransferFunction", "Linear", 8}, {"TransferFunction", "IEC_sRGB", 13}, {"TransferFunction", "ITU_R_2020", 14},
        {"TransferFunction", "SMPTE_ST_2084_PQ", 16}, {"TransferFunction", "ITU_R_2100_HLG", 18},
        {"YCbCrMatrix", "ITU_R_709_2", 1}, {"YCbCrMatrix", "ITU_R_601_4", 6}, {"YCbCrMatrix", "SMPTE_240M_1995", 7},
        {"YCbCrMatrix", "ITU_R_2020", 9}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        key = all[i].key, text = all[i].text;
        const nalu_sequence_info info = encode(64, 48, NALU_PIXEL_FORMAT_420V, set_string);
        const int is_primaries = key[0] == 'C', is_transfer = key[0] == 'T';
        check_integers(info.color_primaries, is_primaries ? all[i].code : 6, __FILE__, __LINE__, text);
        check_integers(info.transfer_characteristics, is_transfer ? all[i].code : 1, __FILE__, __LINE__, text);
        check_integers(info.matrix_coefficients, key[0] == 'Y' ? all[i].code : 6, __FILE__, __LINE__, text);
    }
}

static int64_t code;
static void set_code(clip *c) {
    char written[40], expected[40];
    size_t size;
    REQUIRE_OK(nalu_session_set_int64(c->session, key, code));
    REQUIRE_OK(nalu_session_copy_string(c->session, key, written, sizeof written, &size));
    snprintf(expected, sizeof expected, "%d", (int)code);
    /* The value is read back as its name if it has one, otherwise as digits. Both can be set. */
    if (text) CHECK_STR_EQ(written, text);
    else CHECK_STR_EQ(written, expected);
    REQUIRE_OK(nalu_session_set_string(c->session, key, written));
    REQUIRE_OK(nalu_session_set_string(c->session, key, expected));
}

static int found_in(const nalu_sequence_info *info) {
    switch (key[0]) {
    case 'C': return info->color_primaries;
    case 'T': return info->transfer_characteristics;
    case 'Y': return info->matrix_coefficients;
    default: return info->chroma_location;
    }
}

/* Each code of ITU-T H.273, and of H.264 figure E-1, is written to the SPS. */
static void each_colour_code_reaches_the_sps(void) {
    static const struct {
        const char *key;
        int first, last;
        const char *names[19];
    } tables[] = {
        {"ColorPrimaries", 1, 12, {[1] = "ITU_R_709_2", [5] = "EBU_3213", [6] = "SMPTE_C", [9] = "ITU_R_2020", [12] = "P3_D65"}},
        {"TransferFunction", 1, 18,
            {[1] = "ITU_R_709_2", [7] = "SMPTE_240M_1995", [8] = "Linear", [13] = "IEC_sRGB", [14] = "ITU_R_2020",
                [16] = "SMPTE_ST_2084_PQ", [18] = "ITU_R_2100_HLG"}},
        {"YCbCrMatrix", 1, 14,
            {[1] = "ITU_R_709_2", [6] = "ITU_R_601_4", [7] = "SMPTE_240M_1995", [9] = "ITU_R_2020"}},
        {"NaluChromaLocation", 0, 5, {"Left", "Center", "TopLeft", "Top", "BottomLeft", "Bottom"}}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        key = tables[i].key;
        for (code = tables[i].first; code <= tables[i].last; code++) {
            text = tables[i].names[code];
            const nalu_sequence_info info = encode(64, 48, NALU_PIXEL_FORMAT_420V, set_code);
            /* Without the syntax element, the location is 0. */
            const int found = found_in(&info);
            check_integers(found < 0 ? 0 : found, (int)code, __FILE__, __LINE__, key);
        }
        nalu_property_info info = {.struct_size = sizeof info};
        CHECK_OK(nalu_property_get_info(key, &info));
        CHECK_EQ(info.type, NALU_PROPERTY_TYPE_STRING);
        CHECK_EQ((int)info.minimum, tables[i].first);
        CHECK_EQ((int)info.maximum, tables[i].last);
    }
}

static void unknown_colour_codes_are_refused(void) {
    static const char *const keys[] = {"ColorPrimaries", "TransferFunction", "YCbCrMatrix", "NaluChromaLocation"};
    static const int64_t last[] = {12, 18, 14, 5};
    clip c;
    clip_open(&c, 64, 48);
    for (int i = 0; i < 4; i++) {
        const int64_t codes[] = {-1, last[i] + 1, INT64_MAX, INT64_MIN, i < 3 ? 0 : 6};
        for (int j = 0; j < 5; j++)
            CHECK_STATUS(nalu_session_set_int64(c.session, keys[i], codes[j]), NALU_STATUS_OUT_OF_RANGE);
        for (int j = 0; j < 5; j++)
            CHECK_STATUS(nalu_session_set_string(c.session, keys[i], (const char *[]){"01", "+1", "1 ", "", "99"}[j]),
                         NALU_STATUS_OUT_OF_RANGE);
        CHECK_STATUS(nalu_session_set_double(c.session, keys[i], 1), NALU_STATUS_WRONG_TYPE);
        CHECK_STATUS(nalu_session_set_bool(c.session, keys[i], 1), NALU_STATUS_WRONG_TYPE);
    }
    clip_encode_all(&c, 1);
    CHECK_EQ(clip_info(&c).color_primaries, 6);
    clip_close(&c);
}

static void colour_codes_can_be_text(void) {
    char written[200];
    size_t size;
    clip c;
    clip_open(&c, 64, 48);
    CHECK_OK(nalu_session_set_properties_from_text(c.session,
        "ColorPrimaries=8,TransferFunction=\"9\",YCbCrMatrix=1,NaluChromaLocation=TopLeft"));
    CHECK_OK(nalu_session_copy_properties_as_text(c.session, written, sizeof written, &size));
    CHECK(strstr(written, "ColorPrimaries=\"8\",TransferFunction=\"9\",YCbCrMatrix=ITU_R_709_2,NaluChromaLocation=TopLeft"));
    CHECK_OK(nalu_session_set_properties_from_text(c.session, written));
    clip_close(&c);
}

/* A red frame. */
static nalu_status encode_rgb(clip *c) {
    static uint8_t red[64 * 48 * 4];
    const void *planes[1] = {red};
    const int64_t strides[1] = {64 * 4};
    for (int i = 0; i < 64 * 48; i++) red[4 * i + 2] = 200;
    const nalu_status status = nalu_compression_session_encode_planes(c->session, 64, 48, NALU_PIXEL_FORMAT_BGRA, 1,
        planes, strides, NULL, nalu_time_make(c->fed, 30), nalu_time_invalid(), NULL, NULL, NULL);
    if (status == NALU_STATUS_OK) c->fed++;
    return status;
}

/* RGB frames can be converted with some matrices only. A session with YCbCr frames accepts any matrix. */
static void rgb_frames_need_a_known_matrix(void) {
    for (int64_t matrix = 1; matrix <= 14; matrix++) {
        const int converts = matrix < 3 || (matrix >= 5 && matrix <= 7) || matrix == 9;
        clip c;
        clip_open(&c, 64, 48);
        CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_YCBCR_MATRIX, matrix));
        CHECK_STATUS(encode_rgb(&c), converts ? NALU_STATUS_OK : NALU_STATUS_CONFLICT);
        clip_encode_all(&c, 1);
        CHECK_EQ(clip_info(&c).matrix_coefficients, matrix);
        clip_close(&c);
    }
}

/* The bytes of a red frame by a matrix, without the parameter sets. */
static size_t encode_red(int64_t matrix, uint8_t bytes[4096]) {
    clip c;
    clip_open(&c, 64, 48);
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_YCBCR_MATRIX, matrix));
    CHECK_OK(encode_rgb(&c));
    clip_finish(&c);
    size_t size = 0;
    const uint32_t count = nalu_sample_get_nal_count(c.samples[0]);
    const uint8_t *slice = nalu_sample_get_nal(c.samples[0], count - 1, &size);
    REQUIRE(slice && size <= 4096);
    memcpy(bytes, slice, size);
    clip_close(&c);
    return size;
}

/* Code 5 has the weights of 6, and 2 those of the default. */
static void equal_matrix_codes_have_equal_weights(void) {
    static const int64_t pairs[][2] = {{5, 6}, {2, 6}, {2, 1}};
    for (int i = 0; i < 3; i++) {
        static uint8_t one[4096], other[4096];
        const size_t first = encode_red(pairs[i][0], one), second = encode_red(pairs[i][1], other);
        CHECK_EQ(first == second && memcmp(one, other, first) == 0, i < 2);
    }
}

static void the_chroma_location_is_left_or_for_rgb_the_centre(void) {
    char written[40];
    size_t size;
    clip c;
    clip_open(&c, 64, 48);
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, written, sizeof written, &size));
    CHECK_STR_EQ(written, "Left");
    CHECK_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "chromaloc=3"));
    CHECK_STATUS(nalu_session_set_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, "Left"), NALU_STATUS_CONFLICT);
    CHECK_OK(nalu_compression_session_prepare(c.session));
    CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, written, sizeof written, &size));
    CHECK_STR_EQ(written, "Top");
    clip_close(&c);
    /* The chroma location of RGB frames is the centre, unless the property states another one. */
    for (int set = 0; set < 2; set++) {
        clip_open(&c, 64, 48);
        if (set) CHECK_OK(nalu_session_set_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, NALU_CHROMA_LOCATION_LEFT));
        CHECK_OK(encode_rgb(&c));
        CHECK_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_CHROMA_LOCATION, written, sizeof written, &size));
        CHECK_STR_EQ(written, set ? "Left" : "Center");
        clip_finish(&c);
        CHECK_EQ(clip_info(&c).chroma_location == 1, !set);
        clip_close(&c);
    }
}

static void default_colours_follow_the_height(void) {
    const int32_t heights[] = {480, 718, 719, 720, 1080};
    for (int i = 0; i < 5; i++) {
        const nalu_sequence_info info = encode(64, heights[i], NALU_PIXEL_FORMAT_420V, NULL);
        /* 719 lines are encoded as 720. */
        const int hd = heights[i] >= 719;
        CHECK_EQ(info.color_primaries, hd ? 1 : 6);
        CHECK_EQ(info.transfer_characteristics, 1);
        CHECK_EQ(info.matrix_coefficients, hd ? 1 : 6);
        CHECK_EQ(info.video_full_range, 0);
        CHECK_EQ(info.height, (heights[i] + 1) / 2 * 2);
    }
}

static void the_first_frame_decides_the_range(void) {
    CHECK_EQ(encode(64, 48, NALU_PIXEL_FORMAT_420V, NULL).video_full_range, 0);
    CHECK_EQ(encode(64, 48, NALU_PIXEL_FORMAT_420F, NULL).video_full_range, 1);
}

static void prepare(clip *c) { REQUIRE_OK(nalu_compression_session_prepare(c->session)); }

static void source_attributes_decide_the_range_of_a_prepared_session(void) {
    /* A session prepared before the first frame uses video range, unless the attributes state another one. */
    CHECK_EQ(encode(64, 48, NALU_PIXEL_FORMAT_420F, prepare).video_full_range, 0);
    const nalu_pixel_format formats[] = {NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
                                         NALU_PIXEL_FORMAT_F420, NALU_PIXEL_FORMAT_BGRA, NALU_PIXEL_FORMAT_L008};
    for (int i = 0; i < 6; i++)
        for (int prepared = 0; prepared < 2; prepared++) {
            nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
            clip c;
            clip_open(&c, 64, 48);
            nalu_compression_session_release(c.session);
            source.pixel_format = formats[i];
            REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, &source, clip_take, &c, NULL,
                                                       &c.session));
            if (prepared) prepare(&c);
            clip_encode_all(&c, 1);
            CHECK_EQ(clip_info(&c).video_full_range, i == 1 || i == 3);
            clip_close(&c);
        }
}

static double ratio[2];
static void set_ratio(clip *c) {
    REQUIRE_OK(nalu_session_set_numbers(c->session, NALU_PROPERTY_PIXEL_ASPECT_RATIO, ratio, 2));
}

static void the_pixel_aspect_ratio_reaches_the_sps(void) {
    static const int ratios[][2] = {{1, 1}, {12, 11}, {4, 3}, {2, 1}, {65535, 65534}, {1, 65535}, {33, 35}};
    nalu_sequence_info info = encode(64, 48, NALU_PIXEL_FORMAT_420V, NULL);
    CHECK_EQ(info.pixel_aspect_ratio_horizontal, 0);
    CHECK_EQ(info.pixel_aspect_ratio_vertical, 0);
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
        ratio[0] = ratios[i][0], ratio[1] = ratios[i][1];
        info = encode(64, 48, NALU_PIXEL_FORMAT_420V, set_ratio);
        CHECK_EQ(info.pixel_aspect_ratio_horizontal, ratios[i][0]);
        CHECK_EQ(info.pixel_aspect_ratio_vertical, ratios[i][1]);
    }
}

static double rate;
static int real_time;
static void set_rate(clip *c) {
    REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, rate));
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_REAL_TIME, real_time));
}

static void the_expected_frame_rate_reaches_the_sps(void) {
    static const struct { double rate; uint32_t numerator, denominator; } all[] = {
        {30, 30, 1}, {25, 25, 1}, {29.97, 30000, 1001}, {30000.0 / 1001, 30000, 1001}, {23.976, 24000, 1001},
        {59.94, 60000, 1001}, {12.5, 25, 2}, {1, 1, 1}, {0.5, 1, 2}, {1000, 1000, 1}};
    for (real_time = 0; real_time < 2; real_time++) {
        rate = 0;
        nalu_sequence_info info = encode(64, 48, NALU_PIXEL_FORMAT_420V, set_rate);
        CHECK_EQ(info.time_scale, 0);
        CHECK_EQ(info.num_units_in_tick, 0);
        CHECK_EQ(info.fixed_frame_rate, 0);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            rate = all[i].rate;
            info = encode(64, 48, NALU_PIXEL_FORMAT_420V, set_rate);
            char what[40];
            snprintf(what, sizeof what, "%g: %u/(2*%u)", rate, info.time_scale, info.num_units_in_tick);
            check_that((uint64_t)info.time_scale * all[i].denominator ==
                           2ull * info.num_units_in_tick * all[i].numerator && info.time_scale,
                       __FILE__, __LINE__, what, "");
        }
    }
}

static void test_size(void) {
    static const struct { int32_t width, height; } all[] = {
        {16, 16}, {17, 16}, {64, 48}, {33, 19}, {160, 90}, {46, 70}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const nalu_sequence_info info = encode(all[i].width, all[i].height, NALU_PIXEL_FORMAT_420V, NULL);
        CHECK_EQ(info.width, (all[i].width + 1) / 2 * 2);
        CHECK_EQ(info.height, (all[i].height + 1) / 2 * 2);
        CHECK_EQ(info.coded_width, (all[i].width + 15) / 16 * 16);
        CHECK_EQ(info.coded_height, (all[i].height + 15) / 16 * 16);
        CHECK_EQ(info.crop_left + info.crop_top, 0);
        CHECK_EQ(info.width + info.crop_right, info.coded_width);
        CHECK_EQ(info.height + info.crop_bottom, info.coded_height);
        CHECK_EQ(info.frame_mbs_only, 1);
        CHECK_EQ(info.chroma_format_idc, 1);
        CHECK(info.luma_bit_depth == 8 && info.chroma_bit_depth == 8);
        CHECK_EQ(info.nal_hrd, 0);
    }
}

/* A frame of another size is scaled to the session's size. NaluAllowScaling can be switched at any time. */
static void test_scaling(void) {
    static uint8_t pixels[100 * 100 * 4];
    const void *planes[1] = {pixels};
    const int64_t strides[1] = {400};
    clip c;
    clip_open(&c, 64, 48);
    for (int i = 0; i < 6; i++) {
        const int allowed = i % 3 != 1;
        CHECK_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_SCALING, allowed));
        const nalu_status status = nalu_compression_session_encode_planes(c.session, 100 - i, 1 + 19 * i,
            NALU_PIXEL_FORMAT_BGRA, 1, planes, strides, NULL, nalu_time_make(i, 30), nalu_time_invalid(), NULL, NULL,
            NULL);
        CHECK_STATUS(status, allowed ? NALU_STATUS_OK : NALU_STATUS_INVALID_SIZE);
        c.fed += status == NALU_STATUS_OK;
    }
    clip_finish(&c);
    CHECK_EQ(c.count, 4);
    CHECK_EQ(clip_info(&c).width, 64);
    CHECK_EQ(clip_info(&c).height, 48);
    clip_close(&c);
}

int main(void) {
    RUN(colour_constants_reach_the_sps);
    RUN(each_colour_code_reaches_the_sps);
    RUN(unknown_colour_codes_are_refused);
    RUN(colour_codes_can_be_text);
    RUN(rgb_frames_need_a_known_matrix);
    RUN(equal_matrix_codes_have_equal_weights);
    RUN(the_chroma_location_is_left_or_for_rgb_the_centre);
    RUN(default_colours_follow_the_height);
    RUN(the_first_frame_decides_the_range);
    RUN(source_attributes_decide_the_range_of_a_prepared_session);
    RUN(the_pixel_aspect_ratio_reaches_the_sps);
    RUN(the_expected_frame_rate_reaches_the_sps);
    RUN(test_size);
    RUN(test_scaling);
    return check_result();
}
