/* The images are FFmpeg's pictures, bit for bit; other formats and sizes; streams with changes. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;

/* Returns the pictures that the ffmpeg command decodes, as planes of '420' pictures one after another. */
static uint8_t *ffmpeg_pictures(const clip *c, size_t *size) {
    const char *stream = test_path("reference.h264"), *pictures = test_path("reference.yuv");
    int status = 0;
    media_write_reference(stream, c);
    media_run(&status, "ffmpeg -nostdin -v error -y -i '%s' -fps_mode passthrough -f rawvideo '%s' 2>&1", stream, pictures);
    REQUIRE(status == 0);
    return media_read_file(pictures, size);
}

static void check_against_ffmpeg(const clip *c) {
    size_t size = 0;
    uint8_t *bytes = ffmpeg_pictures(c, &size);
    for (int kind = 0; kind < 4; kind++) {
        nalu_decompression_session *session =
            make_decoder_with(clip_format(c), kind == 3 ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0, kind & 1 ? 3 : 1,
                              record_decoded, &all);
        decode_all(session, c, kind & 2 ? ASYNCHRONOUS : 0);
        wait_and_check(session, &all, (size_t)c->count);
        check_images(&all, bytes, size);
        end_decoder(session, &all);
    }
    free(bytes);
}

static void sized(int32_t width, int32_t height, nalu_pixel_format format, const char *parameters) {
    clip c;
    clip_open(&c, width, height);
    c.format = format;
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, parameters));
    clip_encode_all(&c, 24);
    check_against_ffmpeg(&c);
    clip_close(&c);
}

static void decoded_pictures_equal_those_of_ffmpeg(void) {
    sized(64, 48, NALU_PIXEL_FORMAT_420V, "threads=1:bframes=3:b-pyramid=normal:ref=4:keyint=12");
    sized(176, 144, NALU_PIXEL_FORMAT_420F, "threads=1:bframes=0:ref=2:keyint=10");
    sized(82, 54, NALU_PIXEL_FORMAT_420V, "threads=1:slices=4:bframes=2:weightp=2");
    sized(96, 80, NALU_PIXEL_FORMAT_420V, "threads=1:no-cabac:bframes=1:keyint=8");
}

static void full_range_streams_give_full_range_formats(void) {
    clip c;
    clip_open(&c, 64, 48);
    c.format = NALU_PIXEL_FORMAT_420F;
    clip_encode_all(&c, 3);
    nalu_decompression_session *session = make_decoder(&c, record_decoded, &all);
    decode_all(session, &c, 0);
    wait_and_check(session, &all, 3);
    for (size_t i = 0; i < all.count; i++)
        CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[i].image), NALU_PIXEL_FORMAT_F420);
    end_decoder(session, &all);
    clip_close(&c);
}

/* ---- Other formats and sizes ---------------------------------------------------------------------------------- */

static void images_are_converted_like_pixel_transfer(void) {
    static decode_recorder own = DECODE_RECORDER_INIT;
    static const struct {
        nalu_pixel_format format;
        int32_t width, height;
    } wanted[] = {
        {NALU_PIXEL_FORMAT_420V, 0, 0}, {NALU_PIXEL_FORMAT_420F, 0, 0},    {NALU_PIXEL_FORMAT_F420, 0, 0},
        {0, 32, 24},                    {NALU_PIXEL_FORMAT_420V, 100, 70}, {NALU_PIXEL_FORMAT_Y420, 0, 24},
        {NALU_PIXEL_FORMAT_Y420, 64, 48},
    };
    clip c;
    make_clip(&c, 12, true);
    nalu_decompression_session *session = make_decoder(&c, record_decoded, &own);
    decode_all(session, &c, 0);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    for (size_t kind = 0; kind < sizeof wanted / sizeof *wanted; kind++) {
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        attributes.pixel_format = wanted[kind].format;
        attributes.width = wanted[kind].width;
        attributes.height = wanted[kind].height;
        nalu_pixel_format format = wanted[kind].format ? wanted[kind].format : NALU_PIXEL_FORMAT_Y420;
        int32_t width = wanted[kind].width ? wanted[kind].width : WIDTH;
        int32_t height = wanted[kind].height ? wanted[kind].height : HEIGHT;
        bool converts = format != NALU_PIXEL_FORMAT_Y420 || width != WIDTH || height != HEIGHT;
        REQUIRE_OK(nalu_decompression_session_create(clip_format(&c), NULL, &attributes, record_decoded, &all, NULL,
                                                     &session));
        decode_all(session, &c, 0);
        wait_and_check(session, &all, 12);
        nalu_decompression_session_release(session);
        nalu_pixel_buffer *expected = NULL;
        REQUIRE_OK(nalu_pixel_buffer_create(width, height, format, &expected));
        for (size_t i = 0; i < all.count; i++) {
            CHECK_EQ(nalu_pixel_buffer_get_pixel_format(all.results[i].image), format);
            CHECK_EQ((all.results[i].flags & NALU_DECODE_INFO_IMAGE_BUFFER_MODIFIABLE) != 0, converts);
            REQUIRE_OK(nalu_pixel_transfer_image(own.results[i].image, expected, NALU_MATRIX_AUTOMATIC));
            CHECK(same_image(all.results[i].image, expected));
        }
        nalu_pixel_buffer_release(expected);
        decoded_clear(&all);
    }
    decoded_clear(&own);
    clip_close(&c);
}

/* ---- Streams with changes --------------------------------------------------------------------------------------- */

static void decoding_continues_with_another_format_description(void) {
    clip small, large;
    make_clip(&small, 13, true);
    media_clip(&large, 128, 96, 13);
    for (int threads = 1; threads <= 3; threads += 2) {
        nalu_decompression_session *session = make_decoder_with(clip_format(&small), 0, threads, record_decoded, &all);
        CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, clip_format(&large)), 1);
        uint32_t flags = threads > 1 ? ASYNCHRONOUS : 0;
        for (size_t i = 0; i < 13; i++) CHECK_OK(decode_sample(session, &small, i, flags));
        for (size_t i = 0; i < 13; i++)
            CHECK_OK(nalu_decompression_session_decode_frame(session, large.samples[i], flags, FRAME(13 + i), NULL));
        for (size_t i = 1; i < 13; i++)
            CHECK_OK(nalu_decompression_session_decode_frame(session, small.samples[i], flags, FRAME(25 + i), NULL));
        CHECK_OK(wait_all(session));
        /* The last samples begin without a key frame. Their key frame is the tenth. */
        CHECK_EQ(check_each_once(&all, 38), 13 + 13 + 3);
        for (size_t i = 0; i < all.count; i++) {
            size_t number = FRAME_NUMBER(all.results[i].frame_refcon);
            CHECK_EQ(i < 13, number < 13);
            CHECK_EQ(i < 26, number < 26);
            if (all.results[i].image)
                CHECK_EQ(nalu_pixel_buffer_get_width(all.results[i].image), number < 13 || number >= 26 ? WIDTH : 128);
            else
                CHECK_STATUS(all.results[i].status, NALU_STATUS_REFERENCE_MISSING);
        }
        end_decoder(session, &all);
    }
    clip_close(&small);
    clip_close(&large);
}

/* Makes two consecutive streams of one size, and one description with the parameter sets of both. The second stream
 * is lossless. */
static nalu_format_description *make_parts(nalu_sample **samples, size_t count) {
    const uint8_t *sets[4];
    size_t sizes[4];
    nalu_format_description *both = NULL;
    for (uint32_t part = 0; part < 2; part++) {
        const char *path = test_path(part ? "lossless.h264" : "lossy.h264");
        int status = 0;
        media_run(&status, "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=64x48 -frames:v %zu -pix_fmt yuv420p -c:v libx264"
            " -x264-params threads=1:qp=%d:sps-id=%u '%s'", count, part ? 0 : 20, part, path);
        REQUIRE(status == 0);
        REQUIRE(stream_samples(path, samples + part * count, count) == count);
        const nalu_format_description *format = nalu_sample_get_format_description(samples[part * count]);
        for (uint32_t i = 0; i < 2; i++)
            sets[2 * part + i] = nalu_format_description_get_parameter_set(format, i, &sizes[2 * part + i]);
    }
    REQUIRE_OK(nalu_format_description_create_from_parameter_sets(4, sets, sizes, 4, &both));
    return both;
}

/* A lossless IDR picture follows a lossy one, and the reverse, without another format description. */
static void the_first_lossless_picture_may_have_the_same_format_description(void) {
    enum { PART = 4 };
    static decode_recorder own = DECODE_RECORDER_INIT;
    nalu_sample *samples[2 * PART];
    nalu_format_description *both = make_parts(samples, PART);
    for (size_t first = 0; first < 2 * PART; first += PART) {
        nalu_decompression_session *sessions[2] = {make_decoder_with(both, 0, 1, record_decoded, &own),
                                                   make_decoder_with(both, 0, 1, record_decoded, &all)};
        for (size_t i = 0; i < 2 * PART; i++) {
            size_t number = (first + i) % (2 * PART), size = 0;
            const uint8_t *bytes = nalu_sample_get_data(samples[number], &size);
            nalu_sample *shared = NULL;
            REQUIRE_OK(nalu_sample_create(bytes, size, both, nalu_sample_get_presentation_time(samples[number]),
                                          nalu_time_invalid(), nalu_sample_get_decode_time(samples[number]),
                                          nalu_sample_get_attachments(samples[number]), &shared));
            CHECK_OK(nalu_decompression_session_decode_frame(sessions[0], samples[number], 0, FRAME(i), NULL));
            CHECK_OK(nalu_decompression_session_decode_frame(sessions[1], shared, 0, FRAME(i), NULL));
            nalu_sample_release(shared);
        }
        CHECK_OK(wait_all(sessions[0]));
        CHECK_OK(wait_all(sessions[1]));
        CHECK_EQ(check_each_once(&all, 2 * PART), 2 * PART);
        for (size_t i = 0; i < all.count; i++) CHECK(same_image(all.results[i].image, own.results[i].image));
        end_decoder(sessions[0], &own);
        end_decoder(sessions[1], &all);
    }
    nalu_format_description_release(both);
    for (size_t i = 0; i < 2 * PART; i++) nalu_sample_release(samples[i]);
}

/* Both kinds of threads in one session: the kind changes at a key frame. */
static void the_asynchronous_flag_may_change_between_samples(void) {
    static decode_recorder own = DECODE_RECORDER_INIT;
    clip c;
    make_clip(&c, 60, true);
    nalu_decompression_session *session = make_decoder(&c, record_decoded, &own);
    decode_all(session, &c, 0);
    CHECK_OK(wait_all(session));
    nalu_decompression_session_release(session);
    for (unsigned pattern = 1; pattern < 8; pattern++) {
        session = make_decoder_with(clip_format(&c), 0, 3, record_decoded, &all);
        for (size_t i = 0; i < 60; i++)
            CHECK_OK(decode_sample(session, &c, i, i * pattern / 13 % 2 ? ASYNCHRONOUS : 0));
        wait_and_check(session, &all, 60);
        for (size_t i = 0; i < all.count; i++) CHECK(same_image(all.results[i].image, own.results[i].image));
        end_decoder(session, &all);
    }
    decoded_clear(&own);
    clip_close(&c);
}

int main(void) {
    RUN(decoded_pictures_equal_those_of_ffmpeg);
    RUN(full_range_streams_give_full_range_formats);
    RUN(images_are_converted_like_pixel_transfer);
    RUN(decoding_continues_with_another_format_description);
    RUN(the_first_lossless_picture_may_have_the_same_format_description);
    RUN(the_asynchronous_flag_may_change_between_samples);
    return check_result();
}
