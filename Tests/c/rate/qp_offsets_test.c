/* Maps of QP offsets: decoded by FFmpeg, regions with negative offsets are finer at the same rate. Invalid maps
 * are rejected. */
#include "clip.h"
#include "ffmpeg.h"
#include "refusal.h"

#include <math.h>

enum { W = 176, H = 144, FRAMES = 60 };

typedef struct map {
    uint32_t columns, rows;
    const float *offsets;
} map;

static nalu_status encode_with(clip *c, const map *m) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    const void *planes[2] = {c->pixels, c->pixels + (size_t)c->width * (size_t)c->height};
    const int64_t strides[2] = {c->width, (c->width + 1) / 2 * 2};
    clip_draw(c);
    options.qp_offsets = m->offsets;
    options.qp_offset_columns = m->columns;
    options.qp_offset_rows = m->rows;
    nalu_status status = nalu_compression_session_encode_planes(c->session, c->width, c->height, c->format, 2, planes,
        strides, NULL, nalu_time_make(c->fed, 30), nalu_time_make(1, 30), &options, NULL, NULL);
    if (status == NALU_STATUS_OK) c->fed++;
    return status;
}

typedef struct quality {
    double left, right; /* luma PSNR, dB */
    size_t bytes;
} quality;

static quality encode_whole(const char *properties, const map *m) {
    clip c;
    clip_open(&c, W, H);
    c.noise = 90;
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
    for (int i = 0; i < FRAMES; i++) REQUIRE_OK(encode_with(&c, m));
    clip_finish(&c);
    stream_file stream;
    stream_open(&stream);
    for (int32_t i = 0; i < c.count; i++)
        stream_add(&stream, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    pictures decoded = stream_decode(&stream, W, H);
    REQUIRE(CHECK_EQ(decoded.count, FRAMES));
    double errors[2] = {0, 0};
    for (c.fed = 0; c.fed < FRAMES; c.fed++) {
        clip_draw(&c);
        const uint8_t *shown = picture(&decoded, c.fed);
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const double difference = (double)c.pixels[y * W + x] - shown[y * W + x];
                errors[x >= W / 2] += difference * difference;
            }
    }
    quality result = {0, 0, clip_bytes(&c)};
    result.left = 10 * log10(255.0 * 255 * W * H / 2 * FRAMES / errors[0]);
    result.right = 10 * log10(255.0 * 255 * W * H / 2 * FRAMES / errors[1]);
    pictures_free(&decoded);
    stream_close(&stream);
    clip_close(&c);
    return result;
}

static const float left_finer[2] = {-8, 8};
static const map none = {0, 0, NULL}, left = {2, 1, left_finer};

static void try_mode(const char *properties) {
    char what[200];
    const quality without = encode_whole(properties, &none), with = encode_whole(properties, &left);
    snprintf(what, sizeof what, "%s: left %.1f to %.1f dB, right %.1f to %.1f dB, %zu to %zu bytes", properties,
        without.left, with.left, without.right, with.right, without.bytes, with.bytes);
    if (getenv("NALU_TEST_SHOW")) puts(what);
    check_that(with.left > without.left + 1.5, __FILE__, __LINE__, "the left half is better", what);
    check_that(with.right < without.right - 1, __FILE__, __LINE__, "the right half is worse", what);
    check_that(fabs((double)with.bytes / (double)without.bytes - 1) < 0.15, __FILE__, __LINE__, "equal size", what);
}

static void negative_offsets_make_the_left_half_finer(void) {
    try_mode("RealTime=true,AverageBitRate=400000");
    try_mode("AverageBitRate=400000");
    try_mode("AverageBitRate=400000,x264.params=\"bframes=3:b-adapt=0:mbtree=1\"");
    try_mode("AverageBitRate=400000,x264.params=\"mbtree=0\",AllowFrameReordering=false");
    try_mode("AverageBitRate=400000,SpatialAdaptiveQPLevel=0");
    try_mode("RealTime=true,x264.preset=ultrafast,AverageBitRate=400000,x264.params=\"aq-mode=1:aq-strength=0.01\"");
}

/* Grids of different sizes with the same content have the same effect. */
static void grids_of_different_sizes_have_the_same_effect(void) {
    static float cells[W * H];
    static const uint32_t sizes[][2] = {{2, 1}, {2, 7}, {22, 9}, {22, 18}, {88, 1}, {W, H}};
    size_t bytes[sizeof sizes / sizeof *sizes];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const map m = {sizes[i][0], sizes[i][1], cells};
        for (uint32_t k = 0; k < m.columns * m.rows; k++) cells[k] = k % m.columns < m.columns / 2 ? -6 : 6;
        bytes[i] = encode_whole("RealTime=true,Quality=0.5,x264.params=\"threads=1\"", &m).bytes;
        /* The width of 176 pixels is eleven macroblocks. The sixth one lies in both halves, and each grid gives
         * it 0. */
        CHECK_NEAR((double)bytes[i], (double)bytes[0], (double)bytes[0] * 0.002);
    }
}

/* A map applies only to its own frame, and a map of zeros changes nothing. */
static void a_map_applies_to_its_frame_only(void) {
    static const float finer[1] = {-20}, zero[4] = {0, 0, 0, 0};
    const map fine = {1, 1, finer}, nothing = {2, 2, zero};
    clip c, plain;
    clip_open(&c, W, H);
    clip_open(&plain, W, H);
    const char *properties = "RealTime=true,x264.params=\"crf=30:threads=1\"";
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties));
    REQUIRE_OK(nalu_session_set_properties_from_text(plain.session, properties));
    for (int i = 0; i < 12; i++) REQUIRE_OK(encode_with(&c, i == 8 ? &fine : i % 2 ? &nothing : &none));
    clip_encode(&plain, 12);
    clip_finish(&c);
    clip_finish(&plain);
    for (int i = 0; i < 12; i++) {
        size_t size = 0, plain_size = 0;
        const uint8_t *bytes = nalu_sample_get_data(c.samples[i], &size);
        const uint8_t *plain_bytes = nalu_sample_get_data(plain.samples[i], &plain_size);
        const double step = nalu_sample_get_average_qp(plain.samples[i]) - nalu_sample_get_average_qp(c.samples[i]);
        if (i < 8 && CHECK_EQ(size, plain_size)) CHECK_BYTES(bytes, plain_bytes, size);
        if (i == 8) CHECK(step > 15);
        /* Later frames refer to a finer frame, to which the rate control adapts. */
        if (i > 8) CHECK(fabs(step) < 8);
    }
    clip_close(&c);
    clip_close(&plain);
}

static void invalid_maps_are_refused(void) {
    static float cells[4] = {0, 0, 0, 0};
    clip c;
    clip_open(&c, W, H);
    static const struct { map m; nalu_status status; const char *says; } sizes[] = {
        {{1, 0, NULL}, NALU_STATUS_PARAMETER, "qp_offsets is NULL"},
        {{0, 2, NULL}, NALU_STATUS_PARAMETER, "qp_offsets is NULL"},
        {{0, 2, cells}, NALU_STATUS_OUT_OF_RANGE, "0"}, {{2, 0, cells}, NALU_STATUS_OUT_OF_RANGE, "0"},
        {{UINT32_MAX, UINT32_MAX, cells}, NALU_STATUS_OUT_OF_RANGE, "4294967295"},
        {{UINT32_MAX, 1, cells}, NALU_STATUS_OUT_OF_RANGE, "4294967295"},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        REFUSED(encode_with(&c, &sizes[i].m), sizes[i].status, sizes[i].says, "expected");
    static float many[W + 1];
    const map wide = {W + 1, 1, many}, high = {1, H + 1, many};
    REFUSED(encode_with(&c, &wide), NALU_STATUS_OUT_OF_RANGE, "177 columns", "1 to 176");
    REFUSED(encode_with(&c, &high), NALU_STATUS_OUT_OF_RANGE, "145 rows", "1 to 144");
    const float bad[] = {NAN, INFINITY, -INFINITY, 51.5f, -51.5f, 1e30f};
    const map four = {2, 2, cells};
    for (int i = 0; i < 6; i++) {
        cells[3] = bad[i];
        REFUSED(encode_with(&c, &four), NALU_STATUS_OUT_OF_RANGE, "QP offset 1, 1", "-51.0 to 51.0");
    }
    cells[3] = 51, cells[0] = -51;
    REQUIRE_OK(encode_with(&c, &four));
    clip_finish(&c);
    clip_close(&c);
}

static void maps_need_adaptive_quantisation(void) {
    static const char *properties[] = {"x264.preset=ultrafast", "x264.params=\"qp=30\"", "x264.params=\"aq-mode=0:mbtree=0\"",
        "RealTime=true,SpatialAdaptiveQPLevel=0"};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        clip c;
        clip_open(&c, W, H);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, properties[i]));
        REFUSED(encode_with(&c, &left), NALU_STATUS_CONFLICT, "QP offsets", "aq-mode");
        REQUIRE_OK(encode_with(&c, &none));
        clip_finish(&c);
        clip_close(&c);
    }
}

int main(void) {
    RUN(negative_offsets_make_the_left_half_finer);
    RUN(grids_of_different_sizes_have_the_same_effect);
    RUN(a_map_applies_to_its_frame_only);
    RUN(invalid_maps_are_refused);
    RUN(maps_need_adaptive_quantisation);
    return check_result();
}
