/* NALU_DECODER_IN_DECODE_ORDER: each picture with its own sample, and put in order they are FFmpeg's, bit for bit. */
#include "decode_support.h"

enum { MOST = 64 };

static decode_recorder all = DECODE_RECORDER_INIT;

/* The samples of a stream that FFmpeg's command encodes. */
static size_t make_samples(const char *options, const char *name, nalu_sample **samples) {
    int status = 0;
    const char *path = media_path(name);
    media_run(&status,
              "ffmpeg -nostdin -v error -y -f lavfi -i 'testsrc2=s=178x148:r=25,noise=alls=9:allf=t' -frames:v 40 %s '%s' 2>&1",
              options, path);
    REQUIRE(status == 0);
    size_t size = 0, count = 0;
    uint8_t *bytes = media_read_file(path, &size);
    nalu_stream_parser *parser = NULL;
    REQUIRE_OK(nalu_stream_parser_create(strstr(name, "265") ? NALU_CODEC_HEVC : NALU_CODEC_H264, NULL, &parser));
    REQUIRE_OK(nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid()));
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    for (nalu_sample *sample; nalu_stream_parser_next(parser, &sample) == NALU_STATUS_OK && sample;) {
        REQUIRE(count < MOST);
        samples[count++] = sample;
    }
    nalu_stream_parser_release(parser);
    free(bytes);
    return count;
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
    size_t count = make_samples(options, name, samples), size = 0, at = 0, late = 0;
    CHECK_EQ(count, 40);
    int status = 0;
    const char *pictures = media_path("decoded.yuv");
    media_run(&status, "ffmpeg -nostdin -v error -y -i '%s' -fps_mode passthrough -f rawvideo -pix_fmt %s '%s' 2>&1",
              media_path(name), pixels, pictures);
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
        at = 0;
        for (size_t i = 0; i < all.count; i++) {
            size_t length = 0;
            uint8_t *image = image_bytes(all.results[i].image, &length);
            if (CHECK(at + length <= size)) CHECK_BYTES(image, expected + at, length);
            at += length;
            free(image);
        }
        CHECK_EQ(at, size);
        nalu_decompression_session_release(session);
        decoded_clear(&all);
    }
    /* The stream does reorder. */
    CHECK(late > 0);
    free(expected);
    release_samples(samples, count);
}

static void pictures_come_with_their_samples(void) {
    check_stream("-c:v libx264 -x264-params bframes=3:b-pyramid=normal:keyint=13 -pix_fmt yuv420p", "a.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=2:open-gop=1:keyint=9:slices=3 -pix_fmt yuv420p", "b.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=2:interlaced=1:keyint=20 -pix_fmt yuv420p", "c.h264", "yuv420p");
    check_stream("-c:v libx264 -x264-params bframes=3:keyint=20 -pix_fmt yuv422p10le", "d.h264", "p210le");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=4:keyint=11 -pix_fmt yuv420p", "e.h265", "yuv420p");
    check_stream("-c:v libx265 -x265-params log-level=none:bframes=4:wpp=1:keyint=17 -pix_fmt yuv420p10le", "f.h265", "p010le");
}

/* A sample with a part of its picture has no image, and later pictures have the flag up to the next key frame. */
static void damaged_pictures_give_none(void) {
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
        nalu_decompression_session_release(session);
        decoded_clear(&all);
    }
    nalu_sample_release(cut);
    release_samples(samples, count);
}

int main(void) {
    RUN(pictures_come_with_their_samples);
    RUN(damaged_pictures_give_none);
    return check_result();
}
