/* Frames in plain memory with an invalid description: formats, sizes, plane counts, strides, plane sizes. The
 * same for nalu_pixel_buffer_create_with_planes and nalu_compression_session_encode_planes. */
#include "clip.h"
#include "refusal.h"

static clip c;
static int released;

static void release(void *refcon) {
    (void)refcon;
    released++;
}

typedef struct frame {
    int32_t width, height;
    nalu_pixel_format format;
    uint32_t count;
    int64_t strides[3];
    uint64_t sizes[3];
} frame;

/* A valid frame, 32 x 16 in '420v'. Each case changes one field. */
static const frame sound = {32, 16, NALU_PIXEL_FORMAT_420V, 2, {32, 32, 0}, {512, 256, 0}};

static void refuse(frame it, nalu_status expected, const char *argument, const char *value, const char *wanted,
                   int line) {
    const void *planes[3] = {c.pixels, c.pixels, c.pixels};
    const char *const words[] = {argument, value, wanted, NULL};
    nalu_pixel_buffer *buffer = STALE;
    nalu_encode_info_flags flags = 99;
    char what[32];
    snprintf(what, sizeof what, "case of line %d", line);
    check_refused(nalu_pixel_buffer_create_with_planes(it.width, it.height, it.format, it.count, planes, it.strides,
        it.sizes, release, NULL, &buffer), expected, words, __FILE__, line, what);
    CHECK_PTR_EQ(buffer, NULL);
    check_refused(nalu_compression_session_encode_planes(c.session, it.width, it.height, it.format, it.count, planes,
        it.strides, it.sizes, nalu_time_make(c.fed, 30), nalu_time_invalid(), NULL, NULL, &flags), expected, words,
        __FILE__, line, what);
    CHECK_EQ(flags, 0);
    CHECK_EQ(released, 0);
}
#define REFUSE(status, argument, value, wanted, ...) \
    do { frame it = sound; __VA_ARGS__; refuse(it, NALU_STATUS_##status, argument, value, wanted, __LINE__); } while (0)

static void wrong_sizes_are_refused(void) {
    REFUSE(INVALID_SIZE, "width", "0", "1 to 16384", it.width = 0);
    REFUSE(INVALID_SIZE, "width", "-32", "1 to 16384", it.width = -32);
    REFUSE(INVALID_SIZE, "width", "16385", "1 to 16384", it.width = 16385);
    REFUSE(INVALID_SIZE, "width", "2147483647", "1 to 16384", it.width = INT32_MAX);
    REFUSE(INVALID_SIZE, "width", "-2147483648", "1 to 16384", it.width = INT32_MIN);
    REFUSE(INVALID_SIZE, "height", "0", "1 to 16384", it.height = 0);
    REFUSE(INVALID_SIZE, "height", "-1", "1 to 16384", it.height = -1);
    REFUSE(INVALID_SIZE, "height", "16385", "1 to 16384", it.height = 16385);
    REFUSE(INVALID_SIZE, "height", "-2147483648", "1 to 16384", it.height = INT32_MIN);
}

static void unknown_formats_are_refused(void) {
    REFUSE(INVALID_PIXEL_FORMAT, "format", "0x00000000", "'420v'", it.format = 0);
    REFUSE(INVALID_PIXEL_FORMAT, "format", "0xffffffff", "'420v'", it.format = ~0u);
    REFUSE(INVALID_PIXEL_FORMAT, "format", "'v210'", "'BGRA'", it.format = NALU_FOURCC('v', '2', '1', '0'));
    /* The encoder's internal formats also have codes, but clients cannot use them. */
    REFUSE(INVALID_PIXEL_FORMAT, "format", "'e10v'", "'x420'", it.format = NALU_FOURCC('e', '1', '0', 'v'));
    REFUSE(INVALID_PIXEL_FORMAT, "format", "'e10f'", "'x420'", it.format = NALU_FOURCC('e', '1', '0', 'f'));
    REFUSE(INVALID_PIXEL_FORMAT, "format", "'v024'", "'420v'", it.format = NALU_FOURCC('v', '0', '2', '4'));
}

static void wrong_plane_counts_are_refused(void) {
    REFUSE(PARAMETER, "plane_count", "0", "2 planes", it.count = 0);
    REFUSE(PARAMETER, "plane_count", "1", "2 planes", it.count = 1);
    REFUSE(PARAMETER, "plane_count", "3", "2 planes", it.count = 3);
    REFUSE(PARAMETER, "plane_count", "4294967295", "2 planes", it.count = UINT32_MAX);
    REFUSE(PARAMETER, "plane_count", "2", "3 planes", it.format = NALU_PIXEL_FORMAT_Y420);
    REFUSE(PARAMETER, "plane_count", "2", "1 plane", it.format = NALU_PIXEL_FORMAT_BGRA);
}

static void wrong_strides_are_refused(void) {
    REFUSE(INVALID_SIZE, "strides[0]", "31", "at least 32", it.strides[0] = 31);
    REFUSE(INVALID_SIZE, "strides[0]", "0", "at least 32", it.strides[0] = 0);
    REFUSE(INVALID_SIZE, "strides[0]", "-32", "at least 32", it.strides[0] = -32);
    REFUSE(INVALID_SIZE, "strides[1]", "31", "at least 32", it.strides[1] = 31);
    REFUSE(INVALID_SIZE, "strides[1]", "-9223372036854775808", "at least 32", it.strides[1] = INT64_MIN);
    REFUSE(INVALID_SIZE, "strides[0]", "9223372036854775807", "at most", it.strides[0] = INT64_MAX);
    REFUSE(INVALID_SIZE, "strides[0]", "4294967328", "at most", it.strides[0] = (int64_t)UINT32_MAX + 33);
    /* Odd widths: a chroma row for 33 pixels has 17 pairs, and a row of '2vuy' has 17 groups of four bytes. */
    REFUSE(INVALID_SIZE, "strides[1]", "33", "at least 34", it.width = 33, it.strides[0] = 33, it.sizes[0] = 528,
           it.strides[1] = 33);
    REFUSE(INVALID_SIZE, "strides[0]", "66", "at least 68", it.width = 33, it.format = NALU_PIXEL_FORMAT_2VUY,
           it.count = 1, it.strides[0] = 66);
    REFUSE(INVALID_SIZE, "strides[0]", "127", "at least 128", it.format = NALU_PIXEL_FORMAT_BGRA, it.count = 1,
           it.strides[0] = 127);
    REFUSE(INVALID_SIZE, "strides[0]", "95", "at least 96", it.format = NALU_PIXEL_FORMAT_24RGB, it.count = 1,
           it.strides[0] = 95);
    REFUSE(INVALID_SIZE, "strides[2]", "15", "at least 16", it.format = NALU_PIXEL_FORMAT_Y420, it.count = 3,
           it.strides[1] = 16, it.strides[2] = 15);
}

static void wrong_plane_sizes_are_refused(void) {
    REFUSE(INVALID_SIZE, "plane_sizes[0]", "511", "512", it.sizes[0] = 511);
    REFUSE(INVALID_SIZE, "plane_sizes[0]", "0", "512", it.sizes[0] = 0);
    REFUSE(INVALID_SIZE, "plane_sizes[1]", "255", "256", it.sizes[1] = 255);
    /* The last row may end without padding: 15 strides of 40 bytes, plus 32. */
    REFUSE(INVALID_SIZE, "plane_sizes[0]", "631", "632", it.strides[0] = 40, it.sizes[0] = 631);
    /* 17 rows have 9 chroma rows. */
    REFUSE(INVALID_SIZE, "plane_sizes[1]", "287", "288", it.height = 17, it.sizes[0] = 544, it.sizes[1] = 287);
    REFUSE(INVALID_SIZE, "plane_sizes[2]", "127", "128", it.format = NALU_PIXEL_FORMAT_Y420, it.count = 3,
           it.strides[1] = 16, it.strides[2] = 16, it.sizes[1] = 128, it.sizes[2] = 127);
}

static nalu_status wrap(frame it, const uint64_t *sizes) {
    const void *planes[3] = {c.pixels, c.pixels, c.pixels};
    nalu_pixel_buffer *buffer = NULL;
    int before = released;
    nalu_status status = nalu_pixel_buffer_create_with_planes(it.width, it.height, it.format, it.count, planes,
        it.strides, sizes, release, NULL, &buffer);
    CHECK_EQ(released, before);
    nalu_pixel_buffer_release(buffer);
    CHECK_EQ(released, before + (status == NALU_STATUS_OK));
    return status;
}

/* Values just inside the limits are accepted, and plane sizes are optional. */
static void values_just_inside_the_limits_are_accepted(void) {
    frame it = sound;
    CHECK_OK(wrap(it, it.sizes));
    it.sizes[0] = it.sizes[1] = UINT64_MAX;
    CHECK_OK(wrap(it, it.sizes));
    it.strides[0] = 40, it.sizes[0] = 632;
    CHECK_OK(wrap(it, it.sizes));
    it.strides[0] = INT32_MAX / 16, it.strides[1] = INT32_MAX / 8;
    CHECK_OK(wrap(it, NULL));
    it = sound, it.width = 1, it.height = 1;
    CHECK_OK(wrap(it, it.sizes));
    it.width = 16384, it.height = 1, it.strides[0] = it.strides[1] = 16384;
    CHECK_OK(wrap(it, NULL));
}

int main(void) {
    clip_open(&c, 64, 48);
    RUN(wrong_sizes_are_refused);
    RUN(unknown_formats_are_refused);
    RUN(wrong_plane_counts_are_refused);
    RUN(wrong_strides_are_refused);
    RUN(wrong_plane_sizes_are_refused);
    /* The session has accepted none of these frames. */
    clip_encode_all(&c, 2);
    RUN(values_just_inside_the_limits_are_accepted);
    clip_close(&c);
    return check_result();
}
