/* Ten bits, RGB, and H.265: the images are FFmpeg's pictures, or their exact conversion. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;

static nalu_decompression_session *make_decoder_to(nalu_format_description *format, nalu_pixel_format pixel_format,
                                                   int32_t width, int32_t height) {
    nalu_decompression_session *session = NULL;
    nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
    attributes.pixel_format = pixel_format;
    attributes.width = width;
    attributes.height = height;
    REQUIRE_OK(nalu_decompression_session_create(format, NULL, &attributes, record_decoded, &all, NULL, &session));
    return session;
}

/* Compares images with pictures that the ffmpeg command wrote as P010 ("p010le"), planes of 8 bits ("yuv420p")
 * or luma ("gray"). */
static void check_against_file(const char *stream, const char *layout) {
    const char *pictures = test_path("pictures.yuv");
    size_t size = 0, at = 0;
    int status = 0;
    media_run(&status, "ffmpeg -nostdin -v error -y -threads 1 -i '%s' -fps_mode passthrough -pix_fmt %s -f rawvideo '%s' 2>&1", stream,
              layout, pictures);
    REQUIRE(status == 0);
    uint8_t *bytes = media_read_file(pictures, &size);
    for (size_t i = 0; i < all.count; i++) {
        size_t count = 0;
        REQUIRE(all.results[i].image);
        uint8_t *image = image_bytes(all.results[i].image, &count);
        if (strcmp(layout, "gray") == 0) {
            for (size_t j = count / 3 * 2; j < count; j++) CHECK_EQ(image[j], 128);
            count = count / 3 * 2;
        }
        if (CHECK(at + count <= size)) CHECK_BYTES(image, bytes + at, count);
        at += count;
        free(image);
    }
    CHECK_EQ(at, size);
    free(bytes);
}

/* ---- Ten bits --------------------------------------------------------------------------------------------------- */

static void ten_bit_streams_give_16_bit_words(void) {
    clip c;
    media_open(&c, 82, 54);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, 10));
    clip_encode_all(&c, 12);
    nalu_decompression_session *session = make_decoder_to(clip_format(&c), 0, 0, 0);
    decode_all(session, &c, 0);
    wait_and_check(session, &all, 12);
    CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[0].image), NALU_PIXEL_FORMAT_X420);
    CHECK(all.results[0].flags & NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE);
    media_write_reference(test_path("ten.h264"), &c);
    check_against_file(test_path("ten.h264"), "p010le");
    nalu_decompression_session_release(session);
    static decode_recorder words;
    words = all;
    all = (decode_recorder)DECODE_RECORDER_INIT;
    session = make_decoder_to(clip_format(&c), NALU_PIXEL_FORMAT_Y420, 0, 0);
    decode_all(session, &c, 0);
    wait_and_check(session, &all, 12);
    nalu_pixel_buffer *expected = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create(82, 54, NALU_PIXEL_FORMAT_Y420, &expected));
    for (size_t i = 0; i < all.count; i++) {
        REQUIRE_OK(nalu_pixel_transfer_image(words.results[i].image, expected, NALU_MATRIX_AUTOMATIC));
        CHECK(same_image(all.results[i].image, expected));
    }
    nalu_pixel_buffer_release(expected);
    end_decoder(session, &words);
    decoded_clear(&all);
    clip_close(&c);
}

/* ---- RGB ------------------------------------------------------------------------------------------------------- */

typedef struct layout {
    nalu_pixel_format format;
    int bytes, red, green, blue, alpha;
} layout;

static const layout layouts[] = {
    {NALU_PIXEL_FORMAT_BGRA, 4, 2, 1, 0, 3}, {NALU_PIXEL_FORMAT_RGBA, 4, 0, 1, 2, 3},
    {NALU_PIXEL_FORMAT_ARGB, 4, 1, 2, 3, 0}, {NALU_PIXEL_FORMAT_ABGR, 4, 3, 2, 1, 0},
    {NALU_PIXEL_FORMAT_24RGB, 3, 0, 1, 2, -1}, {NALU_PIXEL_FORMAT_24BGR, 3, 2, 1, 0, -1},
};

static double clamped(double value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/* Returns the largest error against ITU-R BT.601-7, BT.709-6, BT.2020-2 and SMPTE ST 240: R'G'B' computed from
 * the quantized signals. */
static double largest_error(const nalu_pixel_buffer *yuv, const nalu_pixel_buffer *rgb, const layout *as, double kr,
                            double kb) {
    nalu_pixel_format format = nalu_pixel_buffer_get_pixel_format(yuv);
    bool words = format == NALU_PIXEL_FORMAT_X420;
    bool full = format == NALU_PIXEL_FORMAT_F420;
    double scale = words ? 4 : 1, luma_span = full ? 255 : 219 * scale, chroma_span = full ? 255 : 224 * scale;
    double worst = 0;
    for (int32_t y = 0; y < nalu_pixel_buffer_get_height(yuv); y++) {
        const uint8_t *rows[3];
        for (uint32_t plane = 0; plane < nalu_pixel_buffer_get_plane_count(yuv); plane++)
            rows[plane] = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(yuv, plane) +
                          (plane ? y / 2 : y) * nalu_pixel_buffer_get_plane_stride(yuv, plane);
        const uint8_t *out = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(rgb, 0) +
                             y * nalu_pixel_buffer_get_plane_stride(rgb, 0);
        for (int32_t x = 0; x < nalu_pixel_buffer_get_width(yuv); x++, out += as->bytes) {
            double l, b, r;
            if (words) {
                l = ((const uint16_t *)(const void *)rows[0])[x] >> 6;
                b = ((const uint16_t *)(const void *)rows[1])[x / 2 * 2] >> 6;
                r = ((const uint16_t *)(const void *)rows[1])[x / 2 * 2 + 1] >> 6;
            } else {
                l = rows[0][x], b = rows[1][x / 2], r = rows[2][x / 2];
            }
            l = (l - (full ? 0 : 16 * scale)) / luma_span, b = (b - 128 * scale) / chroma_span;
            r = (r - 128 * scale) / chroma_span;
            double red = l + 2 * (1 - kr) * r, blue = l + 2 * (1 - kb) * b;
            double green = (l - kr * red - kb * blue) / (1 - kr - kb);
            worst = fmax(worst, fabs(clamped(255 * red) - out[as->red]));
            worst = fmax(worst, fabs(clamped(255 * green) - out[as->green]));
            worst = fmax(worst, fabs(clamped(255 * blue) - out[as->blue]));
            if (as->alpha >= 0) CHECK_EQ(out[as->alpha], 255);
        }
    }
    return worst;
}

static void check_rgb(const char *matrix, nalu_pixel_format format, int depth, int32_t height, double kr, double kb) {
    static decode_recorder yuv;
    clip c;
    clip_open(&c, 150, height);
    c.format = format;
    c.noise = 255;
    if (matrix) REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_YCBCR_MATRIX, matrix));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, depth));
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    for (int i = 0; i < 2; i++) {
        nalu_pixel_buffer *buffer = NULL;
        REQUIRE_OK(nalu_pixel_buffer_create(150, height, format, &buffer));
        uint32_t random = 7u + (uint32_t)i;
        for (uint32_t plane = 0; plane < 2; plane++) {
            uint8_t *bytes = (uint8_t *)nalu_pixel_buffer_get_plane_base_address(buffer, plane);
            int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, plane);
            for (int64_t at = 0; at < stride * nalu_pixel_buffer_get_plane_height(buffer, plane); at++)
                random = random * 1664525u + 1013904223u, bytes[at] = (uint8_t)(random >> 24);
        }
        REQUIRE_OK(nalu_compression_session_encode_frame(c.session, buffer, nalu_time_make(i, 30), nalu_time_make(1, 30), NULL,
                                                         NULL, NULL));
        c.fed++;
        nalu_pixel_buffer_release(buffer);
    }
    clip_finish(&c);
    nalu_decompression_session *session = make_decoder_to(clip_format(&c), 0, 0, 0);
    decode_all(session, &c, 0);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    yuv = all;
    all = (decode_recorder)DECODE_RECORDER_INIT;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        session = make_decoder_to(clip_format(&c), layouts[i].format, 0, 0);
        decode_all(session, &c, 0);
        wait_and_check(session, &all, 2);
        for (size_t j = 0; j < all.count; j++) {
            CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[j].image), layouts[i].format);
            CHECK(all.results[j].flags & NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE);
            double error = largest_error(yuv.results[j].image, all.results[j].image, &layouts[i], kr, kb);
            if (!CHECK(error <= 1)) fprintf(stderr, "%s %d bits: %g\n", matrix ? matrix : "none", depth, error);
        }
        end_decoder(session, &all);
    }
    decoded_clear(&yuv);
    clip_close(&c);
}

static void rgb_is_exact_to_one_level(void) {
    check_rgb("ITU_R_709_2", NALU_PIXEL_FORMAT_420V, 8, 64, 0.2126, 0.0722);
    check_rgb("ITU_R_601_4", NALU_PIXEL_FORMAT_420F, 8, 64, 0.299, 0.114);
    check_rgb("ITU_R_2020", NALU_PIXEL_FORMAT_420V, 8, 64, 0.2627, 0.0593);
    check_rgb("SMPTE_240M_1995", NALU_PIXEL_FORMAT_420V, 8, 64, 0.212, 0.087);
    check_rgb("ITU_R_2020", NALU_PIXEL_FORMAT_420V, 10, 64, 0.2627, 0.0593);
}

static void rgb_is_scaled_too(void) {
    clip c;
    make_clip(&c, 3, true);
    nalu_decompression_session *session = make_decoder_to(clip_format(&c), NALU_PIXEL_FORMAT_24RGB, 33, 21);
    decode_all(session, &c, 0);
    wait_and_check(session, &all, 3);
    for (size_t i = 0; i < all.count; i++) {
        CHECK_EQ(nalu_pixel_buffer_get_width(all.results[i].image), 33);
        CHECK_EQ(nalu_pixel_buffer_get_height(all.results[i].image), 21);
    }
    end_decoder(session, &all);
    clip_close(&c);
}

/* ---- H.265 ------------------------------------------------------------------------------------------------------ */

typedef struct hevc_clip {
    int count;
    nalu_format_description *format;
    nalu_sample *samples[64];
} hevc_clip;

/* Encodes a stream with x265 and splits it at the first slice of each picture. The times are those of FFmpeg's
 * file. */
static void make_hevc(hevc_clip *c, const char *options) {
    static media_packet packets[64];
    const char *file = test_path("hevc.mp4"), *stream = test_path("hevc.h265");
    long long numerator = 0, denominator = 0;
    int status = 0;
    media_run(&status,
              "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=98x74:rate=25 -frames:v 40 -c:v libx265 %s -tag:v hvc1 "
              "-f mp4 '%s' 2>&1 && ffmpeg -nostdin -v error -y -i '%s' -c copy -f hevc '%s' 2>&1", options, file, file, stream);
    REQUIRE(status == 0);
    int count = media_packets(file, packets, 64, &numerator, &denominator);
    size_t size = 0, offset = 0, used = 0, sets_count = 0, sizes[8] = {0}, unit_size = 0;
    uint8_t *bytes = media_read_file(stream, &size), *sample = (uint8_t *)malloc(size * 2);
    const uint8_t *sets[8], *unit = NULL;
    REQUIRE(sample);
    c->count = 0;
    bool is_key = false, has_slice = false;
    c->format = NULL;
    for (;;) {
        nalu_status next = nalu_annex_b_next(bytes, size, &offset, &unit, &unit_size);
        int type = next == NALU_STATUS_OK ? unit[0] >> 1 & 63 : -1;
        bool begins = type == -1 || (type >= 32 && type <= 35) || type == 39 || (type < 32 && unit[2] & 0x80);
        if (begins && has_slice) {
            REQUIRE(c->count < count);
            media_packet *p = &packets[c->count];
            REQUIRE_OK(nalu_sample_create(sample, used, c->format, nalu_time_make(p->pts * numerator, (int32_t)denominator),
                                          nalu_time_make(1, 25), nalu_time_invalid(),
                                          is_key ? NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS
                                                 : NALU_SAMPLE_NOT_SYNC | NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS |
                                                       NALU_SAMPLE_DEPENDS_ON_OTHERS,
                                          &c->samples[c->count++]));
            used = 0, has_slice = false;
        }
        if (type == -1) break;
        if (type >= 32 && type <= 34) {
            if (!c->format) sets[sets_count] = unit, sizes[sets_count++] = unit_size;
            if (sets_count == 3 && !c->format)
                REQUIRE_OK(nalu_format_description_create_from_hevc_parameter_sets(3, sets, sizes, 4, &c->format));
            continue;
        }
        if (type < 32) is_key = type >= 16 && type <= 21, has_slice = true;
        uint8_t length[4] = {(uint8_t)(unit_size >> 24), (uint8_t)(unit_size >> 16), (uint8_t)(unit_size >> 8),
                             (uint8_t)unit_size};
        memcpy(sample + used, length, 4);
        memcpy(sample + used + 4, unit, unit_size);
        used += unit_size + 4;
    }
    CHECK_EQ(c->count, count);
    free(sample);
    free(bytes);
}

static void close_hevc(hevc_clip *c) {
    for (int i = 0; i < c->count; i++) nalu_sample_release(c->samples[i]);
    nalu_format_description_release(c->format);
}

static void check_hevc(const char *options, const char *layout) {
    hevc_clip c;
    make_hevc(&c, options);
    for (int kind = 0; kind < 4; kind++) {
        nalu_decompression_session *session = make_decoder_with(c.format, 0, kind & 1 ? 3 : 1, record_decoded, &all);
        CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, c.format), 1);
        for (int i = 0; i < c.count; i++)
            CHECK_OK(nalu_decompression_session_decode_frame(session, c.samples[i], kind & 2 ? ASYNCHRONOUS : 0,
                                                             FRAME((size_t)i), NULL));
        wait_and_check(session, &all, (size_t)c.count);
        check_against_file(test_path("hevc.mp4"), layout);
        end_decoder(session, &all);
    }
    close_hevc(&c);
}

static void streams_of_h265_are_decoded(void) {
    check_hevc("-pix_fmt yuv420p -x265-params log-level=none:keyint=15:bframes=3:open-gop=0", "yuv420p");
    check_hevc("-pix_fmt yuv420p -x265-params log-level=none:keyint=15:bframes=3:open-gop=1", "yuv420p");
    check_hevc("-pix_fmt yuv420p10le -x265-params log-level=none:keyint=12:bframes=2", "p010le");
    check_hevc("-pix_fmt yuv420p -x265-params log-level=none:bframes=0", "yuv420p");
    check_hevc("-pix_fmt gray -x265-params log-level=none:bframes=2", "gray");
}

static void other_codecs_and_rgb_of_more_than_8_bits_are_refused(void) {
    hevc_clip c;
    clip plain;
    nalu_decompression_session *session = NULL;
    make_hevc(&c, "-pix_fmt gbrp10le -x265-params log-level=none");
    make_clip(&plain, 3, false);
    CHECK_STATUS(nalu_decompression_session_create(c.format, NULL, NULL, record_decoded, &all, NULL, &session),
                 NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK(strstr(nalu_last_error_message(), "RGB with 8"));
    session = make_decoder(&plain, record_decoded, &all);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, c.format), 0);
    CHECK_STATUS(nalu_decompression_session_decode_frame(session, c.samples[0], 0, NULL, NULL),
                 NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_OK(decode_sample(session, &plain, 0, 0));
    CHECK_EQ(all.count, 1);
    end_decoder(session, &all);
    clip_close(&plain);
    close_hevc(&c);
}

int main(void) {
    RUN(ten_bit_streams_give_16_bit_words);
    RUN(rgb_is_exact_to_one_level);
    RUN(rgb_is_scaled_too);
    RUN(streams_of_h265_are_decoded);
    RUN(other_codecs_and_rgb_of_more_than_8_bits_are_refused);
    return check_result();
}
