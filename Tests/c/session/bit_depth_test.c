/* OutputBitDepth and frames of 10 bits: the depth of a session, the contents of its stream and avcC,
 * conflicting properties, the scale of QPs, the level's limits, and invalid planes for 'x420'. */
#include "clip.h"
#include "refusal.h"

typedef struct choice {
    nalu_pixel_format announced, frames; /* 0: not announced */
    const char *profile;                 /* NULL: unset */
    int64_t asked;                       /* 0: unset */
    int depth;
} choice;

static const char high[] = NALU_PROFILE_LEVEL_H264_HIGH_AUTO_LEVEL;
enum { V = NALU_PIXEL_FORMAT_420V, X = NALU_PIXEL_FORMAT_X420, XF = NALU_PIXEL_FORMAT_XF20,
       RGB = NALU_PIXEL_FORMAT_BGRA };

static nalu_compression_session *open_session(clip *c, nalu_pixel_format announced) {
    nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
    source.pixel_format = announced;
    memset(c, 0, sizeof *c);
    REQUIRE_OK(nalu_compression_session_create(64, 48, NALU_CODEC_H264, NULL, &source, clip_take, c, NULL,
                                               &c->session));
    return c->session;
}

static int64_t depth_of(const clip *c) {
    int64_t depth = -1;
    REQUIRE_OK(nalu_session_get_int64(c->session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, &depth));
    return depth;
}

/* Encodes a frame. For a 10-bit format its words are a ramp with noise; for other formats its bytes have no
 * meaning. */
static void encode(clip *c, nalu_pixel_format format) {
    nalu_pixel_buffer *buffer = NULL;
    uint32_t random = 99u + (uint32_t)c->fed;
    REQUIRE_OK(nalu_pixel_buffer_create(64, 48, format, &buffer));
    for (uint32_t plane = 0; plane < nalu_pixel_buffer_get_plane_count(buffer); plane++) {
        uint8_t *row = nalu_pixel_buffer_get_plane_base_address(buffer, plane);
        const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, plane);
        for (int32_t y = 0; y < nalu_pixel_buffer_get_plane_height(buffer, plane); y++, row += stride)
            for (int64_t x = 0; x < stride; x += 2) {
                random = random * 1664525u + 1013904223u;
                const uint32_t word = (uint32_t)(200 + x * 2 + y + c->fed * 3) + (random >> 27);
                row[x] = (uint8_t)(word << 6), row[x + 1] = (uint8_t)(word >> 2);
            }
    }
    REQUIRE_OK(nalu_compression_session_encode_frame(c->session, buffer, nalu_time_make(c->fed, 30),
                                                     nalu_time_make(1, 30), NULL, NULL, NULL));
    nalu_pixel_buffer_release(buffer);
    c->fed++;
}

static void check_depth_of_stream(const clip *c, int depth) {
    const nalu_sequence_info info = clip_info(c);
    CHECK_EQ(info.luma_bit_depth, depth);
    CHECK_EQ(info.chroma_bit_depth, depth);
    CHECK_EQ(info.chroma_format_idc, 1);
    CHECK_EQ(info.profile_idc, depth == 10 ? 110 : 100);
    /* The avcC has chroma format and bit depths after the parameter sets, with reserved bits set (ISO/IEC
     * 14496-15 5.3.3.1). */
    size_t size = 0;
    const uint8_t *record =
        nalu_format_description_get_avcc(nalu_sample_get_format_description(c->samples[0]), &size);
    REQUIRE(size > 10);
    CHECK_EQ(record[1], info.profile_idc);
    CHECK_EQ(record[3], info.level_idc);
    CHECK_EQ(record[size - 4], 0xfd);
    CHECK_EQ(record[size - 3], 0xf8 | (depth - 8));
    CHECK_EQ(record[size - 2], 0xf8 | (depth - 8));
    nalu_format_description *again = NULL;
    REQUIRE_OK(nalu_format_description_create_from_avcc(record, size, &again));
    CHECK(nalu_format_description_equal(again, nalu_sample_get_format_description(c->samples[0])));
    nalu_format_description_release(again);
}

static void the_depth_follows_profile_property_and_frames(void) {
    static const choice all[] = {
        {0, V, NULL, 0, 8},    {0, X, NULL, 0, 10},   {0, XF, NULL, 0, 10},  {X, X, NULL, 0, 10},
        {X, V, NULL, 0, 10},   {V, X, NULL, 0, 8},    {0, X, high, 0, 8},    {X, X, high, 0, 8},
        {0, V, NULL, 10, 10},  {0, V, high, 10, 10},  {0, X, NULL, 8, 8},    {XF, XF, NULL, 8, 8},
        {0, RGB, NULL, 10, 10}, {0, RGB, NULL, 0, 8}, {0, X, "H264_Baseline_AutoLevel", 0, 8},
        {0, X, "H264_High_4_0", 10, 10},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const choice it = all[i];
        clip c;
        nalu_compression_session *s = open_session(&c, it.announced);
        if (it.profile) REQUIRE_OK(nalu_session_set_string(s, NALU_PROPERTY_PROFILE_LEVEL, it.profile));
        if (it.asked) REQUIRE_OK(nalu_session_set_int64(s, NALU_PROPERTY_OUTPUT_BIT_DEPTH, it.asked));
        /* Before the first frame the depth follows from the properties so far. */
        const int known = it.asked || it.announced || it.profile;
        if (known) CHECK_EQ(depth_of(&c), it.depth);
        else CHECK_EQ(depth_of(&c), 8);
        for (int k = 0; k < 4; k++) encode(&c, it.frames);
        CHECK_EQ(depth_of(&c), it.depth);
        clip_finish(&c);
        if (it.profile && strstr(it.profile, "Baseline")) {
            CHECK_EQ(clip_info(&c).profile_idc, 66);
        } else {
            check_depth_of_stream(&c, it.depth);
        }
        const nalu_pixel_format range = it.announced ? it.announced : it.frames;
        CHECK_EQ(clip_info(&c).video_full_range, range == XF);
        clip_close(&c);
    }
}

/* A session of either depth accepts every format, also in turns. */
static void both_depths_accept_every_format(void) {
    const nalu_pixel_format formats[] = {X, XF, V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
        NALU_PIXEL_FORMAT_F420, RGB, NALU_PIXEL_FORMAT_RGBA, NALU_PIXEL_FORMAT_ARGB, NALU_PIXEL_FORMAT_ABGR,
        NALU_PIXEL_FORMAT_24RGB, NALU_PIXEL_FORMAT_24BGR, NALU_PIXEL_FORMAT_2VUY, NALU_PIXEL_FORMAT_YUVS,
        NALU_PIXEL_FORMAT_L008};
    for (int depth = 8; depth <= 10; depth += 2)
        for (int reordering = 0; reordering < 2; reordering++) {
            clip c;
            nalu_compression_session *s = open_session(&c, 0);
            REQUIRE_OK(nalu_session_set_int64(s, NALU_PROPERTY_OUTPUT_BIT_DEPTH, depth));
            if (!reordering) REQUIRE_OK(nalu_session_set_bool(s, NALU_PROPERTY_REAL_TIME, 1));
            for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) encode(&c, formats[i]);
            /* After a flush the encoder is opened again with the same depth. */
            REQUIRE_OK(nalu_compression_session_complete_frames(s, nalu_time_invalid()));
            for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) encode(&c, formats[i]);
            clip_finish(&c);
            check_depth_of_stream(&c, depth);
            CHECK_PTR_EQ(nalu_sample_get_format_description(c.samples[0]),
                nalu_sample_get_format_description(c.samples[c.count - 1]));
            clip_close(&c);
        }
}

static void output_bit_depth_accepts_8_and_10(void) {
    clip c;
    nalu_compression_session *s = open_session(&c, 0);
    const char *key = NALU_PROPERTY_OUTPUT_BIT_DEPTH;
    REFUSED(nalu_session_set_int64(s, key, 9), NALU_STATUS_OUT_OF_RANGE, key, "9", "8 or 10");
    REFUSED(nalu_session_set_int64(s, key, 7), NALU_STATUS_OUT_OF_RANGE, key, "7", "8 to 10");
    REFUSED(nalu_session_set_int64(s, key, 12), NALU_STATUS_OUT_OF_RANGE, key, "12", "8 to 10");
    REFUSED(nalu_session_set_double(s, key, 9.5), NALU_STATUS_WRONG_TYPE, key, "an integer");
    REFUSED(nalu_session_set_string(s, key, "10"), NALU_STATUS_WRONG_TYPE, key, "an integer");
    REQUIRE_OK(nalu_session_set_int64(s, key, 10));

    /* The text form transfers the property to another session. */
    char text[200];
    size_t size = 0;
    REQUIRE_OK(nalu_session_copy_properties_as_text(s, text, sizeof text, &size));
    CHECK_STR_EQ(text, "OutputBitDepth=10");

    const char *lower[] = {"H264_Baseline_AutoLevel", "H264_Baseline_3_0", "H264_ConstrainedBaseline_AutoLevel",
        "H264_Main_AutoLevel", "H264_Main_4_0", "H264_ConstrainedHigh_AutoLevel"};
    for (int i = 0; i < 6; i++)
        REFUSED(nalu_session_set_string(s, NALU_PROPERTY_PROFILE_LEVEL, lower[i]), NALU_STATUS_CONFLICT, key, "10",
                lower[i], "H264_High_");
    REQUIRE_OK(nalu_session_unset_property(s, key));
    REQUIRE_OK(nalu_session_set_string(s, NALU_PROPERTY_PROFILE_LEVEL, "H264_Main_AutoLevel"));
    REFUSED(nalu_session_set_int64(s, key, 10), NALU_STATUS_CONFLICT, key, "H264_Main_AutoLevel");
    REQUIRE_OK(nalu_session_set_int64(s, key, 8));
    REQUIRE_OK(nalu_session_unset_property(s, NALU_PROPERTY_PROFILE_LEVEL));
    REQUIRE_OK(nalu_session_unset_property(s, key));

    /* x264's own options for the depth. */
    const char *depths[] = {"output-depth=10", "bit-depth=10", "input-depth=10", "bitdepth=10"};
    for (int i = 0; i < 4; i++)
        REFUSED(nalu_session_set_string(s, NALU_PROPERTY_X264_PARAMS, depths[i]), NALU_STATUS_OUT_OF_RANGE,
                "OutputBitDepth");

    /* While encoding only the current value is accepted. */
    encode(&c, X);
    REQUIRE_OK(nalu_session_set_int64(s, key, 10));
    REFUSED(nalu_session_set_int64(s, key, 8), NALU_STATUS_TOO_LATE, key);
    REQUIRE_OK(nalu_session_unset_property(s, key));
    CHECK_EQ(depth_of(&c), 10);
    clip_finish(&c);
    clip_close(&c);
}

/* ITU-T H.264 table A-2: the factor is 3000 for High 10 and 1250 for High. */
static void high_10_has_its_own_rate_limits(void) {
    static const struct { int64_t rate, depth; int level; } all[] = {
        {190000, 8, 11}, {190000, 10, 10}, {900000, 8, 13}, {900000, 10, 12}, {60000000, 8, 41},
        {60000000, 10, 32}, {100000000, 8, 50}, {100000000, 10, 41}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        static char text[4096];
        size_t size = 0;
        clip c;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, all[i].rate));
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, all[i].depth));
        REQUIRE_OK(nalu_compression_session_prepare(c.session));
        REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X264_EFFECTIVE, text, sizeof text, &size));
        const char *level = strstr(text, ":level=");
        REQUIRE(level);
        CHECK_EQ(atoi(level + 7), all[i].level);
        clip_close(&c);
    }
    /* The maximum rates of a fixed level: 14 Mb/s in Main, 17.5 in High, 42 in High 10; also for a running
     * encoder. */
    for (int depth = 8; depth <= 10; depth += 2) {
        const int64_t most = depth == 8 ? 17500000 : 42000000;
        clip c;
        clip_open(&c, 64, 48);
        nalu_compression_session *s = c.session;
        REQUIRE_OK(nalu_session_set_string(s, NALU_PROPERTY_PROFILE_LEVEL, NALU_PROFILE_LEVEL_H264_HIGH_3_1));
        REQUIRE_OK(nalu_session_set_int64(s, NALU_PROPERTY_OUTPUT_BIT_DEPTH, depth));
        REQUIRE_OK(nalu_session_set_int64(s, NALU_PROPERTY_AVERAGE_BIT_RATE, most + 1000000));
        REFUSED(nalu_compression_session_prepare(s), NALU_STATUS_CONFLICT, "AverageBitRate",
                depth == 8 ? "17500000" : "42000000");
        REQUIRE_OK(nalu_session_set_int64(s, NALU_PROPERTY_AVERAGE_BIT_RATE, most));
        clip_encode(&c, 2);
        REFUSED(nalu_session_set_int64(s, NALU_PROPERTY_AVERAGE_BIT_RATE, most + 1000), NALU_STATUS_CONFLICT,
                depth == 8 ? "17500000" : "42000000");
        clip_finish(&c);
        CHECK_EQ(clip_info(&c).level_idc, 31);
        clip_close(&c);
    }
}

static double mean_qp(const clip *c) {
    double sum = 0;
    for (int i = 0; i < c->count; i++) sum += nalu_sample_get_average_qp(c->samples[i]);
    return sum / c->count;
}

static double qp_at(int depth, const char *key, double value, size_t *bytes) {
    clip c;
    clip_open(&c, 96, 80);
    c.noise = 120;
    if (strcmp(key, "qp") == 0) {
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, (int64_t)value));
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, (int64_t)value));
    } else {
        REQUIRE_OK(nalu_session_set_double(c.session, key, value));
    }
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, depth));
    clip_encode_all(&c, 10);
    const double qp = mean_qp(&c);
    if (strcmp(key, "qp") == 0)
        for (int i = 0; i < c.count; i++) CHECK_NEAR(nalu_sample_get_average_qp(c.samples[i]), value, 0.01);
    *bytes = clip_bytes(&c);
    clip_close(&c);
    return qp;
}

/* A QP and a quality have the same meaning at both depths: about as many bytes and equal values. */
static void qp_and_quality_mean_the_same_at_both_depths(void) {
    size_t eight = 0, ten = 0;
    for (int qp = 0; qp <= 51; qp += 17) {
        (void)qp_at(8, "qp", qp, &eight);
        (void)qp_at(10, "qp", qp, &ten);
        char what[100];
        snprintf(what, sizeof what, "QP %d: %zu and %zu bytes", qp, eight, ten);
        check_that(ten < eight * 1.4 && eight < ten * 1.4, __FILE__, __LINE__, what, "");
    }
    for (double quality = 0.25; quality < 0.9; quality += 0.25) {
        const double a = qp_at(8, NALU_PROPERTY_QUALITY, quality, &eight);
        const double b = qp_at(10, NALU_PROPERTY_QUALITY, quality, &ten);
        CHECK_NEAR(a, b, 2.5);
        CHECK(ten < eight * 1.4 && eight < ten * 1.4);
    }
}

static void a_frame_qp_means_the_same_at_both_depths(void) {
    clip c;
    clip_open(&c, 96, 80);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, 10));
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "crf=23:aq-mode=0:mbtree=0"));
    const int qps[] = {20, 35, 0, 51, 12};
    for (int i = 0; i < 5; i++) {
        const void *planes[2] = {c.pixels, c.pixels + 96 * 80};
        const int64_t strides[2] = {96, 96};
        clip_draw(&c);
        options.base_frame_qp_plus_1 = qps[i] + 1;
        REQUIRE_OK(nalu_compression_session_encode_planes(c.session, 96, 80, V, 2, planes, strides, NULL,
            nalu_time_make(c.fed, 30), nalu_time_invalid(), &options, NULL, NULL));
        c.fed++;
    }
    clip_finish(&c);
    for (int i = 0; i < 5; i++) CHECK_NEAR(nalu_sample_get_average_qp(c.samples[i]), qps[i], 0.01);
    clip_close(&c);
}

/* ---- Planes ---------------------------------------------------------------------------------------------------- */

static void ten_bit_planes_are_encoded(void) {
    static uint16_t words[64 * 48 * 2];
    clip c;
    nalu_compression_session *s = open_session(&c, 0);
    nalu_pixel_buffer *buffer = NULL;
    const uint8_t *bytes = (const uint8_t *)words;
    const void *good[2] = {words, words};
    const void *odd[2] = {words, bytes + 1};
    const int64_t strides[2] = {128, 128};
#define BOTH(status, planes, count, strides, sizes, ...)                                                             \
    do {                                                                                                             \
        REFUSED(nalu_compression_session_encode_planes(s, 64, 48, X, count, planes, strides, sizes,                  \
                    nalu_time_make(0, 30), nalu_time_invalid(), NULL, NULL, NULL), status, __VA_ARGS__);             \
        REFUSED(nalu_pixel_buffer_create_with_planes(64, 48, XF, count, planes, strides, sizes, NULL, NULL,          \
                    &buffer), status, __VA_ARGS__);                                                                  \
        CHECK_PTR_EQ(buffer, NULL);                                                                                  \
    } while (0)
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, ((const int64_t[]){126, 128}), NULL, "strides[0]", "126", "128");
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, ((const int64_t[]){128, 64}), NULL, "strides[1]", "64", "128");
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, ((const int64_t[]){129, 128}), NULL, "strides[0]", "129", "even");
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, ((const int64_t[]){128, 131}), NULL, "strides[1]", "131", "even");
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, strides, ((const uint64_t[]){6143, 3072}), "plane_sizes[0]", "6143", "6144");
    BOTH(NALU_STATUS_INVALID_SIZE, good, 2, strides, ((const uint64_t[]){6144, 3071}), "plane_sizes[1]", "3071", "3072");
    BOTH(NALU_STATUS_PARAMETER, odd, 2, strides, NULL, "planes[1]", "odd address", "CbCr plane");
    BOTH(NALU_STATUS_PARAMETER, good, 3, strides, NULL, "plane_count", "3", "2 planes");
    BOTH(NALU_STATUS_PARAMETER, good, 1, strides, NULL, "plane_count", "1", "2 planes");
    CHECK_OK(nalu_compression_session_encode_planes(s, 64, 48, X, 2, good, strides, ((const uint64_t[]){6144, 3072}),
        nalu_time_make(0, 30), nalu_time_invalid(), NULL, NULL, NULL));
    c.fed = 1;
    clip_finish(&c);
    clip_close(&c);
}

/* Wide strides, frames of another size than the session's, and odd sizes; from memory and from buffers. */
static void ten_bit_frames_may_have_any_stride_and_size(void) {
    static const int32_t sizes[][2] = {{64, 48}, {63, 47}, {32, 24}, {128, 96}, {1, 1}, {17, 200}, {300, 11}};
    static uint16_t words[400 * 300];
    for (int depth = 8; depth <= 10; depth += 2)
        for (int odd = 0; odd < 2; odd++) {
            clip c;
            memset(&c, 0, sizeof c);
            REQUIRE_OK(nalu_compression_session_create(64 - odd, 48 - odd, NALU_CODEC_H264, NULL, NULL, clip_take, &c,
                                                       NULL, &c.session));
            REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, depth));
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                const void *planes[2] = {words, words};
                const int64_t strides[2] = {sizes[i][0] * 2 + 38, (sizes[i][0] + 1) / 2 * 4 + 2};
                for (int k = 0; k < 400 * 300; k++) words[k] = (uint16_t)((300 + (k * 7 + c.fed) % 301) << 6 | k % 64);
                REQUIRE_OK(nalu_compression_session_encode_planes(c.session, sizes[i][0], sizes[i][1], X, 2, planes,
                    strides, NULL, nalu_time_make(c.fed, 30), nalu_time_invalid(), NULL, NULL, NULL));
                c.fed++;
            }
            clip_finish(&c);
            check_depth_of_stream(&c, depth);
            CHECK_EQ(clip_info(&c).width, 64);
            clip_close(&c);
        }
}

/* ---- Conversion without a session -------------------------------------------------------------------------------- */

/* Converts 1024 different values in both directions through the C functions. */
static void ten_bit_values_are_converted_exactly(void) {
    enum { LONG = 1024 };
    nalu_pixel_buffer *ten = NULL, *eight = NULL, *back = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(LONG, 2, X, &ten));
    REQUIRE_OK(nalu_pixel_buffer_create(LONG, 2, V, &eight));
    REQUIRE_OK(nalu_pixel_buffer_create(LONG, 2, X, &back));
    uint16_t *from = nalu_pixel_buffer_get_plane_base_address(ten, 0);
    uint16_t *chroma = nalu_pixel_buffer_get_plane_base_address(ten, 1);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < LONG; x++)
            from[y * nalu_pixel_buffer_get_plane_stride(ten, 0) / 2 + x] = (uint16_t)(x << 6 | (x * 5 & 63));
    for (int x = 0; x < LONG; x++) chroma[x] = (uint16_t)(x << 6);
    REQUIRE_OK(nalu_pixel_transfer_image(ten, eight, NALU_MATRIX_AUTOMATIC));
    REQUIRE_OK(nalu_pixel_transfer_image(eight, back, NALU_MATRIX_AUTOMATIC));
    const uint8_t *less = nalu_pixel_buffer_get_plane_base_address(eight, 0);
    const uint8_t *less_chroma = nalu_pixel_buffer_get_plane_base_address(eight, 1);
    const uint16_t *again = nalu_pixel_buffer_get_plane_base_address(back, 0);
    int64_t error = 0;
    for (int x = 0; x < LONG; x++) {
        const double wanted = fmin(nearbyint(x / 4.0), 255); /* halves to even */
        CHECK_NEAR(less[x], wanted, 0);
        CHECK_NEAR(less_chroma[x], wanted, 0);
        CHECK_EQ(again[x], less[x] << 8);
        if (x < 1016) error += less[x] * 4 - x;
    }
    CHECK_EQ(error, 0);
    nalu_pixel_buffer_release(ten);
    nalu_pixel_buffer_release(eight);
    nalu_pixel_buffer_release(back);
}

int main(void) {
    RUN(the_depth_follows_profile_property_and_frames);
    RUN(both_depths_accept_every_format);
    RUN(output_bit_depth_accepts_8_and_10);
    RUN(high_10_has_its_own_rate_limits);
    RUN(qp_and_quality_mean_the_same_at_both_depths);
    RUN(a_frame_qp_means_the_same_at_both_depths);
    RUN(ten_bit_planes_are_encoded);
    RUN(ten_bit_frames_may_have_any_stride_and_size);
    RUN(ten_bit_values_are_converted_exactly);
    return check_result();
}
