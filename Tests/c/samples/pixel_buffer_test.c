/* Pixel buffers and pools: the geometry of every format, the ownership of wrapped planes, the limits of pools,
 * and nalu_pixel_transfer_image with known colours. */
#include "refusal.h"

typedef struct layout {
    nalu_pixel_format format;
    uint32_t planes;
    int bytes[3];  /* bytes per sample of the plane */
    int columns, rows; /* columns and rows per sample of the second and third plane */
} layout;

static const layout layouts[] = {
    {NALU_PIXEL_FORMAT_420V, 2, {1, 2}, 2, 2},    {NALU_PIXEL_FORMAT_420F, 2, {1, 2}, 2, 2},
    {NALU_PIXEL_FORMAT_Y420, 3, {1, 1, 1}, 2, 2}, {NALU_PIXEL_FORMAT_F420, 3, {1, 1, 1}, 2, 2},
    {NALU_PIXEL_FORMAT_BGRA, 1, {4}, 0, 0},       {NALU_PIXEL_FORMAT_RGBA, 1, {4}, 0, 0},
    {NALU_PIXEL_FORMAT_ARGB, 1, {4}, 0, 0},       {NALU_PIXEL_FORMAT_ABGR, 1, {4}, 0, 0},
    {NALU_PIXEL_FORMAT_24RGB, 1, {3}, 0, 0},      {NALU_PIXEL_FORMAT_24BGR, 1, {3}, 0, 0},
    {NALU_PIXEL_FORMAT_2VUY, 1, {2}, 0, 0},       {NALU_PIXEL_FORMAT_YUVS, 1, {2}, 0, 0},
    {NALU_PIXEL_FORMAT_L008, 1, {1}, 0, 0},
    {NALU_PIXEL_FORMAT_X420, 2, {2, 4}, 2, 2},    {NALU_PIXEL_FORMAT_XF20, 2, {2, 4}, 2, 2},
    {NALU_PIXEL_FORMAT_422V, 2, {1, 2}, 2, 1},    {NALU_PIXEL_FORMAT_422F, 2, {1, 2}, 2, 1},
    {NALU_PIXEL_FORMAT_444V, 2, {1, 2}, 1, 1},    {NALU_PIXEL_FORMAT_444F, 2, {1, 2}, 1, 1},
    {NALU_PIXEL_FORMAT_X422, 2, {2, 4}, 2, 1},    {NALU_PIXEL_FORMAT_XF22, 2, {2, 4}, 2, 1},
    {NALU_PIXEL_FORMAT_X444, 2, {2, 4}, 1, 1},    {NALU_PIXEL_FORMAT_XF44, 2, {2, 4}, 1, 1},
    {NALU_PIXEL_FORMAT_SV20, 2, {2, 4}, 2, 2},    {NALU_PIXEL_FORMAT_SF20, 2, {2, 4}, 2, 2},
    {NALU_PIXEL_FORMAT_SV22, 2, {2, 4}, 2, 1},    {NALU_PIXEL_FORMAT_SF22, 2, {2, 4}, 2, 1},
    {NALU_PIXEL_FORMAT_SV44, 2, {2, 4}, 1, 1},    {NALU_PIXEL_FORMAT_SF44, 2, {2, 4}, 1, 1},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static void planes_have_their_sizes_and_strides(void) {
    const int32_t sizes[][2] = {{1, 1}, {2, 2}, {64, 48}, {33, 17}, {1, 16384}, {16384, 1}};
    for (int i = 0; i < LAYOUTS; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const int32_t width = sizes[k][0], height = sizes[k][1];
            nalu_pixel_buffer *buffer = NULL;
            REQUIRE_OK(nalu_pixel_buffer_create(width, height, layouts[i].format, &buffer));
            CHECK_EQ(nalu_pixel_buffer_get_width(buffer), width);
            CHECK_EQ(nalu_pixel_buffer_get_height(buffer), height);
            CHECK_EQ(nalu_pixel_buffer_get_pixel_format(buffer), layouts[i].format);
            CHECK_EQ(nalu_pixel_buffer_get_plane_count(buffer), layouts[i].planes);
            for (uint32_t p = 0; p < layouts[i].planes; p++) {
                const int32_t columns = p ? layouts[i].columns : 1, rows = p ? layouts[i].rows : 1;
                const int32_t w = (width + columns - 1) / columns, h = (height + rows - 1) / rows;
                const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, p);
                uint8_t *base = (uint8_t *)nalu_pixel_buffer_get_plane_base_address(buffer, p);
                CHECK_EQ(nalu_pixel_buffer_get_plane_width(buffer, p), w);
                CHECK_EQ(nalu_pixel_buffer_get_plane_height(buffer, p), h);
                CHECK(stride >= (int64_t)w * layouts[i].bytes[p]);
                REQUIRE(base != NULL);
                CHECK_EQ((uintptr_t)base % 64, 0);
                /* All of the memory is writable. */
                for (int32_t y = 0; y < h; y++) memset(base + y * stride, 7, (size_t)stride);
            }
            for (uint32_t p = layouts[i].planes; p < 5; p++) {
                CHECK_EQ(nalu_pixel_buffer_get_plane_width(buffer, p), 0);
                CHECK_EQ(nalu_pixel_buffer_get_plane_height(buffer, p), 0);
                CHECK_EQ(nalu_pixel_buffer_get_plane_stride(buffer, p), 0);
                CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(buffer, p), NULL);
            }
            CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(buffer, UINT32_MAX), NULL);
            nalu_pixel_buffer_release(buffer);
        }
}

static void wrong_arguments_of_create_are_refused(void) {
    const int32_t bad[] = {0, -1, 16385, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nalu_pixel_buffer *buffer = STALE;
        nalu_pixel_buffer_pool *pool = STALE;
        char value[24];
        snprintf(value, sizeof value, "%d", bad[i]);
#define SIZE(call, name) REFUSED(call, NALU_STATUS_INVALID_SIZE, name, value, "1 to 16384")
        SIZE(nalu_pixel_buffer_create(bad[i], 16, NALU_PIXEL_FORMAT_420V, &buffer), "width");
        SIZE(nalu_pixel_buffer_create(16, bad[i], NALU_PIXEL_FORMAT_420V, &buffer), "height");
        SIZE(nalu_pixel_buffer_pool_create(bad[i], 16, NALU_PIXEL_FORMAT_420V, 0, &pool), "width");
        SIZE(nalu_pixel_buffer_pool_create(16, bad[i], NALU_PIXEL_FORMAT_420V, 0, &pool), "height");
        CHECK_PTR_EQ(buffer, NULL);
        CHECK_PTR_EQ(pool, NULL);
    }
    nalu_pixel_buffer *buffer = STALE;
    nalu_pixel_buffer_pool *pool = STALE;
    REFUSED(nalu_pixel_buffer_create(16, 16, 0, &buffer), NALU_STATUS_INVALID_PIXEL_FORMAT, "format", "0x00000000");
    REFUSED(nalu_pixel_buffer_pool_create(16, 16, NALU_FOURCC('v', '2', '1', '0'), 0, &pool),
            NALU_STATUS_INVALID_PIXEL_FORMAT, "'v210'", "'420v'");
    REFUSED(nalu_pixel_buffer_pool_create(16, 16, NALU_PIXEL_FORMAT_420V, 4097, &pool), NALU_STATUS_OUT_OF_RANGE,
            "maximum_buffer_count", "4097", "1 to 4096");
    REFUSED(nalu_pixel_buffer_pool_create(16, 16, NALU_PIXEL_FORMAT_420V, UINT32_MAX, &pool), NALU_STATUS_OUT_OF_RANGE,
            "4294967295");
    CHECK_PTR_EQ(buffer, NULL);
    CHECK_PTR_EQ(pool, NULL);
}

static void count_up(void *refcon) { (*(int *)refcon)++; }

static void wrapped_planes_are_used_and_released_once(void) {
    static uint8_t luma[40 * 16], chroma[48 * 8];
    const void *planes[2] = {luma, chroma};
    const int64_t strides[2] = {40, 48};
    const uint64_t sizes[2] = {sizeof luma, sizeof chroma};
    nalu_pixel_buffer *buffer = NULL;
    int released = 0;
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(32, 16, NALU_PIXEL_FORMAT_420V, 2, planes, strides, sizes, count_up,
                                                    &released, &buffer));
    CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(buffer, 0), luma);
    CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(buffer, 1), chroma);
    CHECK_EQ(nalu_pixel_buffer_get_plane_stride(buffer, 0), 40);
    CHECK_EQ(nalu_pixel_buffer_get_plane_stride(buffer, 1), 48);
    CHECK_PTR_EQ(nalu_pixel_buffer_retain(buffer), buffer);
    nalu_pixel_buffer_release(buffer);
    CHECK_EQ(released, 0);
    nalu_pixel_buffer_release(buffer);
    CHECK_EQ(released, 1);
    /* The buffer has no release callback. */
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(32, 16, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, NULL,
        NULL, &buffer));
    nalu_pixel_buffer_release(buffer);
}

static void pools_reuse_their_buffers(void) {
    nalu_pixel_buffer *buffers[4] = {NULL};
    nalu_pixel_buffer_pool *pool = NULL;
    REQUIRE_OK(nalu_pixel_buffer_pool_create(64, 48, NALU_PIXEL_FORMAT_BGRA, 3, &pool));
    for (int i = 0; i < 3; i++) {
        REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffers[i]));
        CHECK_EQ(nalu_pixel_buffer_get_width(buffers[i]), 64);
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(buffers[i]), NALU_PIXEL_FORMAT_BGRA);
    }
    buffers[3] = STALE;
    REFUSED(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffers[3]), NALU_STATUS_WOULD_BLOCK, "3",
            "maximum_buffer_count");
    CHECK_PTR_EQ(buffers[3], NULL);
    void *memory = nalu_pixel_buffer_get_plane_base_address(buffers[1], 0);
    nalu_pixel_buffer_release(buffers[1]);
    REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffers[1]));
    CHECK_PTR_EQ(nalu_pixel_buffer_get_plane_base_address(buffers[1], 0), memory);

    /* The pool may be released before its buffers. */
    CHECK_PTR_EQ(nalu_pixel_buffer_pool_retain(pool), pool);
    nalu_pixel_buffer_pool_release(pool);
    nalu_pixel_buffer_pool_release(pool);
    for (int i = 0; i < 3; i++) {
        memset(nalu_pixel_buffer_get_plane_base_address(buffers[i], 0), 1, 64 * 4);
        nalu_pixel_buffer_release(buffers[i]);
    }
}

/* ---- Conversion ---------------------------------------------------------------------------------------------- */

static nalu_pixel_buffer *filled(int32_t width, int32_t height, nalu_pixel_format format, const uint8_t *pixel,
    int bytes) {
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(width, height, format, &buffer));
    for (uint32_t p = 0; p < nalu_pixel_buffer_get_plane_count(buffer); p++) {
        uint8_t *base = (uint8_t *)nalu_pixel_buffer_get_plane_base_address(buffer, p);
        const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, p);
        for (int64_t i = 0; i < stride * nalu_pixel_buffer_get_plane_height(buffer, p); i++)
            base[i] = p ? 128 : pixel[i % stride % bytes];
    }
    return buffer;
}

/* Checks that every value of a plane differs from the expected one by at most 1. */
static void check_plane(const nalu_pixel_buffer *buffer, uint32_t plane, int channels, const double *expected,
    int line) {
    const uint8_t *base = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(buffer, plane);
    const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, plane);
    for (int32_t y = 0; y < nalu_pixel_buffer_get_plane_height(buffer, plane); y++)
        for (int32_t x = 0; x < nalu_pixel_buffer_get_plane_width(buffer, plane) * channels; x++)
            if (!check_doubles(base[y * stride + x], expected[x % channels], 1, __FILE__, line, "plane value")) return;
}

static void colours_are_converted_exactly(void) {
    static const double weights[5][2] = {{0, 0}, {0.2126, 0.0722}, {0.299, 0.114}, {0.2627, 0.0593}, {0.212, 0.087}};
    static const uint8_t colours[][3] = {
        {255, 255, 255}, {0, 0, 0}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {200, 100, 50}};
    for (int matrix = 0; matrix <= 4; matrix++)
        for (int full = 0; full < 2; full++)
            for (size_t i = 0; i < sizeof colours / sizeof *colours; i++) {
                const uint8_t *rgb = colours[i], bgra[4] = {rgb[2], rgb[1], rgb[0], 0};
                const double *w = weights[matrix ? matrix : NALU_MATRIX_ITU_R_601_4];
                const double luma = w[0] * rgb[0] + (1 - w[0] - w[1]) * rgb[1] + w[1] * rgb[2];
                const double scale = full ? 1 : 219.0 / 255, chroma = full ? 1 : 224.0 / 255;
                const double y[1] = {luma * scale + (full ? 0 : 16)};
                const double c[2] = {fmin(255, 128 + chroma * (rgb[2] - luma) / (2 * (1 - w[1]))),
                                     fmin(255, 128 + chroma * (rgb[0] - luma) / (2 * (1 - w[0])))};
                nalu_pixel_buffer *source = filled(34, 18, NALU_PIXEL_FORMAT_BGRA, bgra, 4), *two = NULL, *three = NULL;
                const nalu_pixel_format biplanar = full ? NALU_PIXEL_FORMAT_420F : NALU_PIXEL_FORMAT_420V;
                const nalu_pixel_format planar = full ? NALU_PIXEL_FORMAT_F420 : NALU_PIXEL_FORMAT_Y420;
                REQUIRE_OK(nalu_pixel_buffer_create(34, 18, biplanar, &two));
                REQUIRE_OK(nalu_pixel_buffer_create(34, 18, planar, &three));
                CHECK_OK(nalu_pixel_transfer_image(source, two, matrix));
                CHECK_OK(nalu_pixel_transfer_image(source, three, matrix));
                check_plane(two, 0, 1, y, __LINE__);
                check_plane(two, 1, 2, c, __LINE__);
                check_plane(three, 0, 1, y, __LINE__);
                check_plane(three, 1, 1, c, __LINE__);
                check_plane(three, 2, 1, c + 1, __LINE__);
                nalu_pixel_buffer_release(source);
                nalu_pixel_buffer_release(two);
                nalu_pixel_buffer_release(three);
            }
}

static void every_source_format_is_converted(void) {
    /* Grey 100: full-range luma is 100, video-range luma is 16 + 100 * 219 / 255. */
    for (int i = 0; i < LAYOUTS; i++) {
        const nalu_pixel_format format = layouts[i].format;
        const int is_packed = format == NALU_PIXEL_FORMAT_2VUY || format == NALU_PIXEL_FORMAT_YUVS;
        const int is_video = is_packed || format == NALU_PIXEL_FORMAT_420V || format == NALU_PIXEL_FORMAT_Y420 ||
                             format == NALU_PIXEL_FORMAT_X420 || format == NALU_PIXEL_FORMAT_422V ||
                             format == NALU_PIXEL_FORMAT_444V || format == NALU_PIXEL_FORMAT_X422 ||
                             format == NALU_PIXEL_FORMAT_X444 || format == NALU_PIXEL_FORMAT_SV20 ||
                             format == NALU_PIXEL_FORMAT_SV22 || format == NALU_PIXEL_FORMAT_SV44;
        const uint8_t uyvy[4] = {128, 100, 128, 100}, yuyv[4] = {100, 128, 100, 128}, same[4] = {100, 100, 100, 100};
        const uint8_t *pixel = format == NALU_PIXEL_FORMAT_2VUY ? uyvy : format == NALU_PIXEL_FORMAT_YUVS ? yuyv : same;
        nalu_pixel_buffer *source = filled(33, 17, format, pixel, 4), *video = NULL, *full = NULL, *scaled = NULL;
        const double neutral[2] = {128, 128}, as_video[1] = {is_video ? 100 : 16 + 100 * 219.0 / 255};
        const double as_full[1] = {is_video ? (100 - 16) * 255.0 / 219 : 100};
        REQUIRE_OK(nalu_pixel_buffer_create(33, 17, NALU_PIXEL_FORMAT_420V, &video));
        REQUIRE_OK(nalu_pixel_buffer_create(33, 17, NALU_PIXEL_FORMAT_F420, &full));
        REQUIRE_OK(nalu_pixel_buffer_create(71, 9, NALU_PIXEL_FORMAT_420V, &scaled));
        CHECK_OK(nalu_pixel_transfer_image(source, video, 0));
        CHECK_OK(nalu_pixel_transfer_image(source, full, 0));
        CHECK_OK(nalu_pixel_transfer_image(source, scaled, 0));
        check_plane(video, 0, 1, as_video, __LINE__);
        check_plane(video, 1, 2, neutral, __LINE__);
        check_plane(full, 0, 1, as_full, __LINE__);
        check_plane(full, 2, 1, neutral, __LINE__);
        check_plane(scaled, 0, 1, as_video, __LINE__);
        check_plane(scaled, 1, 2, neutral, __LINE__);
        nalu_pixel_buffer_release(source);
        nalu_pixel_buffer_release(video);
        nalu_pixel_buffer_release(full);
        nalu_pixel_buffer_release(scaled);
    }
}

static void wrong_arguments_of_transfer_are_refused(void) {
    const uint8_t grey[4] = {100, 100, 100, 100};
    nalu_pixel_buffer *source = filled(16, 16, NALU_PIXEL_FORMAT_BGRA, grey, 4);
    for (int i = 4; i < LAYOUTS; i++) {
        nalu_pixel_buffer *destination = filled(16, 16, layouts[i].format, grey, 4);
        const int is_written = layouts[i].format == NALU_PIXEL_FORMAT_X420 || layouts[i].format == NALU_PIXEL_FORMAT_XF20;
        if (is_written) CHECK_OK(nalu_pixel_transfer_image(source, destination, 0));
        else REFUSED(nalu_pixel_transfer_image(source, destination, 0), NALU_STATUS_PIXEL_TRANSFER_NOT_SUPPORTED,
            "destination", "'420v'");
        nalu_pixel_buffer_release(destination);
    }
    nalu_pixel_buffer *destination = filled(16, 16, NALU_PIXEL_FORMAT_420V, grey, 4);
    const int32_t bad[] = {-1, 5, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        char value[32];
        snprintf(value, sizeof value, "matrix is %d", bad[i]);
        REFUSED(nalu_pixel_transfer_image(source, destination, bad[i]), NALU_STATUS_OUT_OF_RANGE, value, "0 to 4");
    }
    CHECK_EQ(*(uint8_t *)nalu_pixel_buffer_get_plane_base_address(destination, 0), 100);
    nalu_pixel_buffer_release(source);
    nalu_pixel_buffer_release(destination);
}

int main(void) {
    RUN(planes_have_their_sizes_and_strides);
    RUN(wrong_arguments_of_create_are_refused);
    RUN(wrapped_planes_are_used_and_released_once);
    RUN(pools_reuse_their_buffers);
    RUN(colours_are_converted_exactly);
    RUN(every_source_format_is_converted);
    RUN(wrong_arguments_of_transfer_are_refused);
    return check_result();
}
