/* 4:2:2, 4:4:4, RGB and depths other than 8 and 10: by default the images are FFmpeg's pictures bit for bit.
 * Other formats are the exact conversion. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
enum { FRAMES = 8, PICTURE_WIDTH = 98, PICTURE_HEIGHT = 74 };

typedef struct stream {
    const char *encoder, *pixels, *options;
    nalu_pixel_format format;
    int depth, columns, rows; /* rows: 0 for luma only */
} stream;

static const stream streams[] = {
    {"libx264", "yuv422p", "-bf 2", NALU_PIXEL_FORMAT_422V, 8, 2, 1},
    {"libx264", "yuvj422p", "-bf 2", NALU_PIXEL_FORMAT_422F, 8, 2, 1},
    {"libx264", "yuv422p", "-flags +ildct+ilme -x264-params tff=1", NALU_PIXEL_FORMAT_422V, 8, 2, 1},
    {"libx264", "yuv422p10le", "-bf 2", NALU_PIXEL_FORMAT_X422, 10, 2, 1},
    {"libx264", "yuv422p10le", "-color_range pc -intra-refresh 1", NALU_PIXEL_FORMAT_XF22, 10, 2, 1},
    {"libx264", "yuv444p", "-bf 2", NALU_PIXEL_FORMAT_444V, 8, 1, 1},
    {"libx264", "yuvj444p", "-slices 3", NALU_PIXEL_FORMAT_444F, 8, 1, 1},
    {"libx264", "yuv444p", "-qp 0", NALU_PIXEL_FORMAT_444V, 8, 1, 1},
    {"libx264", "yuv444p10le", "-bf 2", NALU_PIXEL_FORMAT_X444, 10, 1, 1},
    {"libx264", "yuv444p10le", "-color_range pc", NALU_PIXEL_FORMAT_XF44, 10, 1, 1},
    {"libx264", "gray10le", "-bf 2", NALU_PIXEL_FORMAT_XF20, 10, 2, 0},
    {"libx265", "yuv422p", "", NALU_PIXEL_FORMAT_422V, 8, 2, 1},
    {"libx265", "yuv422p10le", "", NALU_PIXEL_FORMAT_X422, 10, 2, 1},
    {"libx265", "yuv444p", "", NALU_PIXEL_FORMAT_444V, 8, 1, 1},
    {"libx265", "yuv444p10le", "", NALU_PIXEL_FORMAT_X444, 10, 1, 1},
    {"libx265", "yuv420p12le", "", NALU_PIXEL_FORMAT_SV20, 12, 2, 2},
    {"libx265", "yuv420p12le", "-color_range pc", NALU_PIXEL_FORMAT_SF20, 12, 2, 2},
    {"libx265", "yuv422p12le", "", NALU_PIXEL_FORMAT_SV22, 12, 2, 1},
    {"libx265", "yuv422p12le", "-color_range pc", NALU_PIXEL_FORMAT_SF22, 12, 2, 1},
    {"libx265", "yuv444p12le", "", NALU_PIXEL_FORMAT_SV44, 12, 1, 1},
    {"libx265", "yuv444p12le", "-color_range pc", NALU_PIXEL_FORMAT_SF44, 12, 1, 1},
    {"libx265", "gray12le", "", NALU_PIXEL_FORMAT_SF20, 12, 2, 0},
};
enum { STREAMS = sizeof streams / sizeof *streams };

/* Returns the path of a file, which is made only once. */
static const char *make_file(const char *encoder, const char *pixels, const char *options) {
    static char made[2 * STREAMS][200];
    static int count;
    char kind[200], name[40];
    int number = 0;
    snprintf(kind, sizeof kind, "%s %s %s", encoder, pixels, options);
    while (number < count && strcmp(made[number], kind) != 0) number++;
    snprintf(name, sizeof name, "chroma-%d.mp4", number);
    const char *path = test_path(name);
    if (number < count) return path;
    REQUIRE(count < 2 * STREAMS);
    strcpy(made[count++], kind);
    bool is_265 = strcmp(encoder, "libx265") == 0;
    int status = 0;
    char *said = media_run(&status,
                           "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=%dx%d:rate=25 -frames:v %d -vf format=%s -c:v %s "
                           "-pix_fmt %s %s %s -g 5 -f mp4 '%s' 2>&1",
                           PICTURE_WIDTH, PICTURE_HEIGHT, FRAMES, pixels, encoder, pixels, options,
                           is_265 ? "-x265-params log-level=none:keyint=5:bframes=2:open-gop=0" : "", path);
    if (!CHECK(status == 0)) fprintf(stderr, "%s %s: %s\n", encoder, pixels, said);
    return path;
}

/* Returns FFmpeg's frames, plane by plane in the stream's own layout; the caller frees them. */
static uint8_t *reference(const char *path, const char *pixels, size_t *size) {
    const char *frames = test_path("chroma.yuv");
    int status = 0;
    media_run(&status, "ffmpeg -nostdin -v error -y -threads 1 -i '%s' -fps_mode passthrough -pix_fmt %s -f rawvideo '%s' 2>&1",
              path, pixels, frames);
    REQUIRE(status == 0);
    return media_read_file(frames, size);
}

static nalu_reader *reader_of(const char *path) {
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    return reader;
}

static nalu_status decode_file(const char *path, const nalu_destination_attributes *attributes, uint32_t flags, int32_t threads) {
    nalu_reader *reader = reader_of(path);
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    nalu_decompression_session *session = NULL;
    nalu_sample *sample = NULL;
    uint32_t track = 0;
    size_t number = 0;
    specification.thread_count = threads;
    nalu_status status = nalu_decompression_session_create(nalu_reader_get_format_description(reader, 0), &specification,
                                                           attributes, record_decoded, &all, NULL, &session);
    while (status == NALU_STATUS_OK && nalu_reader_next_sample(reader, &track, &sample) == NALU_STATUS_OK) {
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, flags, FRAME(number++), NULL));
        nalu_sample_release(sample);
    }
    if (status == NALU_STATUS_OK) {
        CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
        check_all_decoded(&all, FRAMES);
    }
    nalu_decompression_session_release(session);
    nalu_reader_release(reader);
    return status;
}

static unsigned word_at(const uint8_t *bytes, size_t index, int size) {
    return size == 1 ? bytes[index] : (unsigned)(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

/* Compares an image with the frame at `frames`. Returns the number of bytes of the frame. */
static size_t check_frame(const nalu_pixel_buffer *image, const stream *s, const uint8_t *frames) {
    const int bytes = s->depth > 8 ? 2 : 1, shift = s->depth > 8 ? 16 - s->depth : 0;
    size_t at = 0, wrong = 0;
    CHECK_EQ(nalu_pixel_buffer_get_pixel_format(image), s->format);
    CHECK_EQ(nalu_pixel_buffer_get_width(image), PICTURE_WIDTH);
    CHECK_EQ(nalu_pixel_buffer_get_height(image), PICTURE_HEIGHT);
    for (int component = 0; component < 3; component++) {
        const uint32_t plane = component > 0;
        const int32_t width = nalu_pixel_buffer_get_plane_width(image, plane);
        const int32_t height = nalu_pixel_buffer_get_plane_height(image, plane);
        CHECK_EQ(width, plane ? PICTURE_WIDTH / s->columns : PICTURE_WIDTH);
        CHECK_EQ(height, plane ? PICTURE_HEIGHT / (s->rows ? s->rows : 2) : PICTURE_HEIGHT);
        for (int32_t y = 0; y < height; y++) {
            const uint8_t *row = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(image, plane) +
                                 y * nalu_pixel_buffer_get_plane_stride(image, plane);
            for (int32_t x = 0; x < width; x++) {
                const size_t index = plane ? 2 * (size_t)x + (size_t)component - 1 : (size_t)x;
                /* Without colour the chroma is neutral. */
                const unsigned expected = plane && !s->rows ? 1u << (s->depth - 1) : word_at(frames, at++, bytes);
                wrong += word_at(row, index, bytes) != expected << shift;
            }
        }
    }
    CHECK_EQ(wrong, 0);
    return at * (size_t)bytes;
}

static void every_layout_is_decoded_without_loss(void) {
    for (size_t i = 0; i < STREAMS; i++) {
        const stream *s = &streams[i];
        const int failures = check_failures;
        const char *path = make_file(s->encoder, s->pixels, s->options);
        size_t size = 0;
        uint8_t *frames = reference(path, s->pixels, &size);
        for (int kind = 0; kind < 2; kind++) {
            size_t at = 0;
            CHECK_OK(decode_file(path, NULL, kind ? NALU_DECODE_FRAME_ASYNCHRONOUS : 0, kind ? 3 : 1));
            for (size_t j = 0; j < all.count; j++) {
                REQUIRE(all.results[j].image && at < size);
                CHECK(all.results[j].flags & NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE);
                at += check_frame(all.results[j].image, s, frames + at);
            }
            CHECK_EQ(at, size);
            decoded_clear(&all);
        }
        free(frames);
        if (check_failures != failures) fprintf(stderr, "%s %s %s\n", s->encoder, s->pixels, s->options);
    }
}

/* ---- Conversions ------------------------------------------------------------------------------------------------- */

/* Conversion to 4:2:0 and to another size equals that of nalu_pixel_transfer_image. */
static void images_of_other_layouts_become_420_like_frames(void) {
    static decode_recorder own;
    static const nalu_pixel_format to[] = {NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_X420, 0};
    for (size_t i = 0; i < STREAMS; i += 3) {
        const stream *s = &streams[i];
        const char *path = make_file(s->encoder, s->pixels, s->options);
        REQUIRE_OK(decode_file(path, NULL, 0, 1));
        own = all;
        all = (decode_recorder)DECODE_RECORDER_INIT;
        for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
            nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
            nalu_pixel_buffer *expected = NULL;
            const bool is_scaled = k > 1;
            const int32_t width = is_scaled ? 50 : PICTURE_WIDTH, height = is_scaled ? 41 : PICTURE_HEIGHT;
            attributes.pixel_format = to[k];
            if (is_scaled) attributes.width = width, attributes.height = height;
            REQUIRE_OK(decode_file(path, &attributes, 0, 1));
            nalu_pixel_format made = nalu_pixel_buffer_get_pixel_format(all.results[0].image);
            if (to[k]) CHECK_EQ(made, to[k]);
            else CHECK(made == (s->depth > 8 ? NALU_PIXEL_FORMAT_X420 : NALU_PIXEL_FORMAT_Y420) ||
                       made == (s->depth > 8 ? NALU_PIXEL_FORMAT_XF20 : NALU_PIXEL_FORMAT_F420));
            REQUIRE_OK(nalu_pixel_buffer_create(width, height, made, &expected));
            for (size_t j = 0; j < all.count; j++) {
                REQUIRE_OK(nalu_pixel_transfer_image(own.results[j].image, expected, NALU_MATRIX_AUTOMATIC));
                CHECK(same_image(all.results[j].image, expected));
            }
            nalu_pixel_buffer_release(expected);
            decoded_clear(&all);
        }
        decoded_clear(&own);
    }
}

static double clamped(double value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/* Returns the largest error against ITU-R BT.601-7, with each pixel's own chroma sample. */
static double largest_error(const nalu_pixel_buffer *image, const stream *s, bool is_full, const nalu_pixel_buffer *rgb) {
    const int bytes = s->depth > 8 ? 2 : 1;
    const double unit = s->depth > 8 ? 256 : 1, kr = 0.299, kb = 0.114;
    const double full = s->depth == 8 ? 255 : s->depth == 10 ? 1023 * 64 : 65535;
    const double luma_span = is_full ? full : 219 * unit, chroma_span = is_full ? full : 224 * unit;
    double worst = 0;
    for (int32_t y = 0; y < PICTURE_HEIGHT; y++) {
        const uint8_t *luma = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(image, 0) +
                              y * nalu_pixel_buffer_get_plane_stride(image, 0);
        const uint8_t *chroma = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(image, 1) +
                                y / s->rows * nalu_pixel_buffer_get_plane_stride(image, 1);
        const uint8_t *out = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(rgb, 0) +
                             y * nalu_pixel_buffer_get_plane_stride(rgb, 0);
        for (int32_t x = 0; x < PICTURE_WIDTH; x++) {
            const size_t pair = (size_t)(x / s->columns) * 2;
            const double l = (word_at(luma, (size_t)x, bytes) - (is_full ? 0 : 16 * unit)) / luma_span;
            const double b = (word_at(chroma, pair, bytes) - 128 * unit) / chroma_span;
            const double r = (word_at(chroma, pair + 1, bytes) - 128 * unit) / chroma_span;
            const double red = l + 2 * (1 - kr) * r, blue = l + 2 * (1 - kb) * b;
            const double green = (l - kr * red - kb * blue) / (1 - kr - kb);
            worst = fmax(worst, fabs(clamped(255 * red) - out[4 * x]));
            worst = fmax(worst, fabs(clamped(255 * green) - out[4 * x + 1]));
            worst = fmax(worst, fabs(clamped(255 * blue) - out[4 * x + 2]));
        }
    }
    return worst;
}

/* The conversion uses the chroma of each pixel, without an intermediate 4:2:0. */
static void rgb_is_exact_to_one_level(void) {
    static decode_recorder own;
    nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
    attributes.pixel_format = NALU_PIXEL_FORMAT_RGBA;
    for (size_t i = 0; i < STREAMS; i++) {
        const stream *s = &streams[i];
        if (!s->rows || i % 2) continue;
        const bool is_full = strstr(s->pixels, "yuvj") || strstr(s->options, "-color_range pc");
        const char *path = make_file(s->encoder, s->pixels, s->options);
        REQUIRE_OK(decode_file(path, NULL, 0, 1));
        own = all;
        all = (decode_recorder)DECODE_RECORDER_INIT;
        REQUIRE_OK(decode_file(path, &attributes, 0, 1));
        for (size_t j = 0; j < all.count; j++) {
            const double error = largest_error(own.results[j].image, s, is_full, all.results[j].image);
            if (!CHECK(error <= 1)) fprintf(stderr, "%s %s: %g\n", s->encoder, s->pixels, error);
        }
        decoded_clear(&own);
        decoded_clear(&all);
    }
}

/* ---- RGB ---------------------------------------------------------------------------------------------------------- */

static void check_rgb_stream(const char *encoder, const char *pixels) {
    static const struct { nalu_pixel_format format; const char *pixels; } wanted[] = {
        {0, "bgra"}, {NALU_PIXEL_FORMAT_RGBA, "rgba"}, {NALU_PIXEL_FORMAT_24RGB, "rgb24"}, {NALU_PIXEL_FORMAT_24BGR, "bgr24"},
    };
    const char *path = make_file(encoder, pixels, "-qp 0");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        size_t size = 0, at = 0;
        uint8_t *frames = reference(path, wanted[i].pixels, &size);
        attributes.pixel_format = wanted[i].format;
        REQUIRE_OK(decode_file(path, &attributes, 0, 1));
        for (size_t j = 0; j < all.count; j++) {
            size_t count = 0;
            CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[j].image),
                     wanted[i].format ? wanted[i].format : NALU_PIXEL_FORMAT_BGRA);
            uint8_t *bytes = image_bytes(all.results[j].image, &count);
            REQUIRE(at + count <= size);
            CHECK_BYTES(bytes, frames + at, count);
            at += count;
            free(bytes);
        }
        CHECK_EQ(at, size);
        free(frames);
        decoded_clear(&all);
    }
    /* Scaled to another size, and converted to YCbCr. */
    for (int kind = 0; kind < 2; kind++) {
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        attributes.pixel_format = kind ? NALU_PIXEL_FORMAT_24RGB : NALU_PIXEL_FORMAT_420V;
        attributes.width = 40, attributes.height = 30;
        REQUIRE_OK(decode_file(path, &attributes, 0, 1));
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[0].image), attributes.pixel_format);
        CHECK_EQ(nalu_pixel_buffer_get_width(all.results[0].image), 40);
        decoded_clear(&all);
    }
}

static void rgb_streams_give_rgb_images(void) {
    check_rgb_stream("libx264rgb", "rgb24");
    check_rgb_stream("libx265", "gbrp");
}

/* ---- Rejected formats ----------------------------------------------------------------------------------------------- */

static void rgb_of_more_than_8_bits_is_refused(void) {
    const char *path = make_file("libx265", "gbrp10le", "");
    CHECK_STATUS(decode_file(path, NULL, 0, 1), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK(strstr(nalu_last_error_message(), "10 bits"));
    CHECK(strstr(nalu_last_error_message(), "RGB with 8"));
}

static void output_formats_without_a_conversion_are_refused(void) {
    static const nalu_pixel_format refused[] = {
        NALU_PIXEL_FORMAT_2VUY, NALU_PIXEL_FORMAT_L008, NALU_PIXEL_FORMAT_422V, NALU_PIXEL_FORMAT_X444, NALU_PIXEL_FORMAT_SV20,
        1};
    const char *path = make_file("libx264", "yuv422p", "");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        attributes.pixel_format = refused[i];
        CHECK_STATUS(decode_file(path, &attributes, 0, 1), NALU_STATUS_INVALID_PIXEL_FORMAT);
        CHECK(strstr(nalu_last_error_message(), "destination_attributes.pixel_format"));
        CHECK(strstr(nalu_last_error_message(), "4:2:0 or RGB"));
    }
}

int main(void) {
    RUN(every_layout_is_decoded_without_loss);
    RUN(images_of_other_layouts_become_420_like_frames);
    RUN(rgb_is_exact_to_one_level);
    RUN(rgb_streams_give_rgb_images);
    RUN(rgb_of_more_than_8_bits_is_refused);
    RUN(output_formats_without_a_conversion_are_refused);
    return check_result();
}
