/* NALU_DECODER_IN_DECODE_ORDER: each picture is delivered with its own sample. In display order the pictures
 * are FFmpeg's, bit for bit. */
#include "decode_support.h"

enum { MOST = 64 };

static decode_recorder all = DECODE_RECORDER_INIT;

/* Makes the samples of a stream that the ffmpeg command encodes. */
static size_t make_samples(const char *options, const char *name, nalu_sample **samples) {
    int status = 0;
    const char *path = test_path(name);
    media_run(&status,
              "ffmpeg -nostdin -v error -y -f lavfi -i 'testsrc2=s=178x148:r=25,noise=alls=9:allf=t' -frames:v 40 %s '%s' 2>&1",
              options, path);
    REQUIRE(status == 0);
    return stream_samples(path, samples, MOST);
}

static void release_samples(nalu_sample **samples, size_t count) {
    for (size_t i = 0; i < count; i++) nalu_sample_release(samples[i]);
}

static nalu_decompression_session *decode_in_order(nalu_sample **samples, uint32_t flags) {
    return make_decoder_with(nalu_sample_get_format_description(samples[0]), flags | NALU_DECODER_IN_DECODE_ORDER, 2,
                             record_decoded, &all);
}

static int by_time(const void *a, const void *b) {
    return nalu_time_compare(((const decoded *)a)->time, ((const decoded *)b)->time);
}

static void check_stream(const char *options, const char *name, const char *pixels) {
    nalu_sample *samples[MOST];
    size_t count = make_samples(options, name, samples), size = 0, late = 0;
    CHECK_EQ(count, 40);
    int status = 0;
    const char *pictures = test_path("decoded.yuv");
    media_run(&status, "ffmpeg -nostdin -v error -y -i '%s' -fps_mode passthrough -f rawvideo -pix_fmt %s '%s' 2>&1",
              test_path(name), pixels, pictures);
    REQUIRE(status == 0);
    uint8_t *expected = media_read_file(pictures, &size);
    for (uint32_t flags = 0; flags <= ASYNCHRONOUS; flags += ASYNCHRONOUS) {
        nalu_decompression_session *session = decode_in_order(samples, 0);
        for (size_t i = 0; i < count; i++) {
            nalu_decode_info_flags info = 99;
            CHECK_OK(nalu_decompression_session_decode_frame(session, samples[i], flags, FRAME(i), &info));
            CHECK_EQ(info, flags ? NALU_DECODE_INFO_ASYNCHRONOUS : 0);
            if (!flags) CHECK_EQ(decoded_count(&all), i + 1);
        }
        CHECK_OK(wait_all(session));
        CHECK_EQ(check_each_once(&all, count), count);
        for (size_t i = 0; i < all.count; i++) {
            CHECK_EQ(FRAME_NUMBER(all.results[i].frame_refcon), i);
            late += i > 0 && by_time(&all.results[i - 1], &all.results[i]) > 0;
        }
        qsort(all.results, all.count, sizeof *all.results, by_time);
        check_images(&all, expected, size);
        end_decoder(session, &all);
    }
    /* The stream has reordered pictures. */
    CHECK(late > 0);
    free(expected);
    release_samples(samples, count);
}

static void in_decode_order_each_picture_is_delivered_with_its_sample(void) {
    check_stream("-c:v libx264 -x264-params bframes=3:b-pyramid=normal:keyint=13 -pix_fmt yuv420p", "a.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=2:open-gop=1:keyint=9:slices=3 -pix_fmt yuv420p", "b.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=2:interlaced=1:keyint=20 -pix_fmt yuv420p", "c.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=3:keyint=20 -pix_fmt yuv422p10le", "d.h264", "p210le");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=4:keyint=11 -pix_fmt yuv420p", "e.h265", "yuv420p");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=4:wpp=1:keyint=17 -pix_fmt yuv420p10le", "f.h265", "p010le");
}

/* A sample with only a part of its picture has no image, and later pictures have the flag until the next key
 * frame. */
static void in_decode_order_corrupt_pictures_have_no_image(void) {
    nalu_sample *samples[MOST], *cut = NULL;
    size_t count = make_samples("-c:v libx264 -x264-params bframes=2:slices=2:keyint=20:scenecut=0 -pix_fmt yuv420p", "g.h264",
                                samples), first = 0, size = 0;
    const uint8_t *data = nalu_sample_get_data(samples[5], &size);
    size_t offset = 0, nal_size = 0;
    REQUIRE(nalu_sample_next_nal(samples[5], &offset, &nal_size));
    first = offset;
    REQUIRE(first < size && nalu_sample_get_nal_count(samples[5]) == 2);
    REQUIRE_OK(nalu_sample_create(data, first, nalu_sample_get_format_description(samples[5]),
                                  nalu_sample_get_presentation_time(samples[5]), nalu_sample_get_duration(samples[5]),
                                  nalu_sample_get_decode_time(samples[5]),
                                  nalu_sample_get_attachments(samples[5]) | NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS, &cut));
    for (uint32_t flags = 0; flags <= NALU_DECODER_DROP_UNTIL_KEY_FRAME; flags += NALU_DECODER_DROP_UNTIL_KEY_FRAME) {
        nalu_decompression_session *session = decode_in_order(samples, flags);
        for (size_t i = 0; i < count; i++) {
            CHECK_OK(nalu_decompression_session_decode_frame(session, i == 5 ? cut : samples[i], 0, FRAME(i), NULL));
            CHECK_EQ(decoded_count(&all), i + 1);
        }
        for (size_t i = 0; i < all.count; i++) {
            const decoded *it = &all.results[i];
            CHECK_EQ(FRAME_NUMBER(it->frame_refcon), i);
            if (i < 5 || i >= 20) {
                CHECK(it->image != NULL);
                CHECK_EQ(it->flags & NALU_DECODE_INFO_DAMAGED, 0);
            } else if (i == 5) {
                CHECK_STATUS(it->status, NALU_STATUS_BAD_DATA);
            } else if (flags) {
                CHECK_STATUS(it->status, NALU_STATUS_REFERENCE_MISSING);
            } else {
                CHECK(it->image != NULL);
                CHECK_EQ(it->flags & NALU_DECODE_INFO_DAMAGED, NALU_DECODE_INFO_DAMAGED);
            }
        }
        end_decoder(session, &all);
    }
    nalu_sample_release(cut);
    release_samples(samples, count);
}

/* ---- Single fields ---------------------------------------------------------------------------------------------------- */

/* The bits of a NAL unit, without any sequence that looks like a start code. */
typedef struct unit {
    uint8_t bytes[1024];
    size_t bits;
} unit;

static void put(unit *u, int count, uint32_t value) {
    for (int i = count - 1; i >= 0; i--, u->bits++)
        if (value >> i & 1) u->bytes[u->bits / 8] |= (uint8_t)(0x80 >> u->bits % 8);
}

/* Writes ue(v) of ITU-T H.264 9.1. */
static void put_unsigned(unit *u, uint32_t value) {
    int length = 0;
    while ((value + 1) >> (length + 1)) length++;
    put(u, length, 0);
    put(u, length + 1, value + 1);
}

/* Writes the trailing bits and returns the size. */
static size_t end_unit(unit *u) {
    put(u, 1, 1);
    return (u->bits + 7) / 8;
}

/* Makes a format description: Main profile, 16 x 32 pixels, fields without reordering. */
static nalu_format_description *make_field_format(void) {
    static const uint32_t sps_values[] = {0, 0, 2, 2}; /* id, frame_num of 4 bits, pic_order_cnt_type 2,
                                                        * references */
    unit sps = {{0}, 0}, pps = {{0}, 0};
    nalu_format_description *format = NULL;
    put(&sps, 32, 0x674d001e);
    for (size_t i = 0; i < 4; i++) put_unsigned(&sps, sps_values[i]);
    put(&sps, 1, 0);       /* no gaps in frame numbers */
    put_unsigned(&sps, 0); /* one macroblock wide, and one high in each field */
    put_unsigned(&sps, 0);
    put(&sps, 5, 4); /* fields, no MBAFF, 8x8 inference, no cropping, no VUI */
    put(&pps, 8, 0x68);
    for (int i = 0; i < 2; i++) put_unsigned(&pps, 0);
    put(&pps, 2, 0);
    for (int i = 0; i < 3; i++) put_unsigned(&pps, 0);
    put(&pps, 3, 0);
    for (int i = 0; i < 3; i++) put_unsigned(&pps, 0);
    put(&pps, 3, 4); /* slices have deblocking parameters */
    const size_t sizes[2] = {end_unit(&sps), end_unit(&pps)};
    const uint8_t *sets[2] = {sps.bytes, pps.bytes};
    REQUIRE_OK(nalu_format_description_create_from_parameter_sets(2, sets, sizes, 4, &format));
    return format;
}

/* Makes one field in which all samples have `value`, without compression. */
static nalu_sample *make_field(nalu_format_description *format, uint32_t frame, bool is_bottom, uint8_t value) {
    const bool is_idr = frame == 0 && !is_bottom;
    unit u = {{0}, 0};
    nalu_sample *sample = NULL;
    uint8_t data[1100];
    put(&u, 8, is_idr ? 0x65 : 0x61);
    put_unsigned(&u, 0);
    put_unsigned(&u, 7);
    put_unsigned(&u, 0);
    put(&u, 4, frame);
    put(&u, 2, is_bottom ? 3 : 2);
    if (is_idr) put_unsigned(&u, 0);
    put(&u, is_idr ? 2 : 1, 0);
    put_unsigned(&u, 0);
    put_unsigned(&u, 1);
    put_unsigned(&u, 25);
    u.bits = (u.bits + 7) / 8 * 8;
    for (int i = 0; i < 384; i++) put(&u, 8, value);
    const size_t size = end_unit(&u);
    memcpy(data, (const uint8_t[]){0, 0, (uint8_t)(size >> 8), (uint8_t)size}, 4);
    memcpy(data + 4, u.bytes, size);
    const uint32_t attachments = NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS | (is_idr ? 0 : NALU_SAMPLE_NOT_SYNC);
    REQUIRE_OK(nalu_sample_create(data, size + 4, format, nalu_time_make(2 * frame + is_bottom, 50), nalu_time_invalid(),
                                  nalu_time_invalid(), attachments, &sample));
    return sample;
}

/* After a first field its rows are in the image, and after the second field all rows are. */
static void single_fields_are_decoded_in_decode_order(void) {
    enum { FRAMES = 5 };
    nalu_format_description *format = make_field_format();
    nalu_sample *samples[2 * FRAMES];
    for (uint32_t i = 0; i < 2 * FRAMES; i++) samples[i] = make_field(format, i / 2, i % 2, (uint8_t)(20 + 10 * i));
    nalu_decompression_session *session = decode_in_order(samples, 0);
    for (uint32_t i = 0; i < 2 * FRAMES; i++) {
        CHECK_OK(nalu_decompression_session_decode_frame(session, samples[i], 0, FRAME(i), NULL));
        REQUIRE(decoded_count(&all) == i + 1);
        CHECK_EQ(FRAME_NUMBER(all.results[i].frame_refcon), i);
        CHECK_STATUS(all.results[i].status, NALU_STATUS_OK);
        if (!CHECK(all.results[i].image != NULL)) continue;
        CHECK_EQ(nalu_pixel_buffer_get_height(all.results[i].image), 32);
        const uint8_t *row = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(all.results[i].image, 0);
        const int64_t stride = nalu_pixel_buffer_get_plane_stride(all.results[i].image, 0);
        for (int y = 0; y < 32; y++)
            if (y % 2 == 0 || i % 2) CHECK_EQ(row[y * stride], 20 + 10 * (i / 2 * 2 + (uint32_t)(y % 2)));
    }
    end_decoder(session, &all);
    release_samples(samples, 2 * FRAMES);
    nalu_format_description_release(format);
}

int main(void) {
    RUN(single_fields_are_decoded_in_decode_order);
    RUN(in_decode_order_each_picture_is_delivered_with_its_sample);
    RUN(in_decode_order_corrupt_pictures_have_no_image);
    return check_result();
}
