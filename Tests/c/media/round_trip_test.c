/* Real clips with B-frames, converted from MP4 to samples, Annex B, samples and MP4: the bytes and times are
 * the same at each step, also according to ffprobe. */
#include "media_reading.h"
#include "movie.h"

static clip encoded;

static void encode(const char *name, int32_t width, int32_t height, int32_t frames, int64_t numerator, int64_t denominator) {
    movie m = movie_load(name, width, height, frames, numerator, denominator);
    memset(&encoded, 0, sizeof encoded);
    REQUIRE_OK(nalu_compression_session_create(m.width, m.height, NALU_CODEC_H264, NULL, NULL, clip_take, &encoded, NULL,
                                               &encoded.session));
    REQUIRE_OK(nalu_session_set_string(encoded.session, NALU_PROPERTY_X264_PARAMS,
                                       "bframes=3:b-pyramid=normal:subme=1:me=dia:ref=2"));
    REQUIRE_OK(nalu_session_set_int64(encoded.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 50));
    for (int32_t i = 0; i < m.frames; i++) REQUIRE_OK(movie_encode(encoded.session, &m, i));
    encoded.fed = m.frames;
    clip_finish(&encoded);
    free(m.pixels);
}

/* Writes an MP4 with the samples of a reader. On the way they are Annex B, split at arbitrary bytes. */
static void convert(const char *from, const char *to, nalu_time frame_duration) {
    nalu_reader *reader = reader_of(from);
    nalu_writer_options writer_options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer_track_options track_options = NALU_WRITER_TRACK_OPTIONS_INIT;
    nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
    nalu_stream_parser *parser = NULL;
    nalu_sample *sample = NULL;
    static uint8_t annex_b[1 << 20];
    uint32_t piece = 1, track = 0;
    int parsed = 0;
    bool is_at_end = false;
    options.frame_duration = frame_duration;
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser));
    writer_options.flags = NALU_WRITER_OVERWRITE;
    track_options.timescale = track_of(reader, 0).timescale;
    nalu_writer *writer = media_writer_to(to, &writer_options);
    while (!is_at_end) {
        size_t size = 0;
        nalu_status status = nalu_reader_next_sample(reader, NULL, &sample);
        is_at_end = status == NALU_STATUS_VALUE_NOT_AVAILABLE;
        if (is_at_end) {
            REQUIRE_OK(nalu_stream_parser_finish(parser));
        } else {
            REQUIRE_OK(status);
            REQUIRE_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, annex_b, sizeof annex_b,
                                                &size));
            nalu_sample_release(sample);
        }
        for (size_t at = 0; at < size;) {
            size_t count = size - at < piece ? size - at : piece;
            REQUIRE_OK(nalu_stream_parser_push(parser, annex_b + at, count, nalu_time_invalid()));
            at += count;
            piece = piece * 7 % 4093 + 1;
        }
        while (nalu_stream_parser_next(parser, &sample) == NALU_STATUS_OK) {
            if (parsed < encoded.count) check_sample(sample, encoded.samples[parsed], nalu_time_zero(), 0);
            if (parsed++ == 0)
                REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), &track_options, &track));
            REQUIRE_OK(nalu_writer_write_sample(writer, track, sample));
            nalu_sample_release(sample);
        }
    }
    CHECK_EQ(parsed, encoded.count);
    media_finish(writer);
    nalu_stream_parser_release(parser);
    nalu_reader_release(reader);
}

static void check_clip(nalu_time frame_duration) {
    static media_packet first[CLIP_MOST], second[CLIP_MOST];
    long long numerator = 0, denominator = 0;
    const char *from = test_path("from.mp4"), *to = test_path("to.mp4");
    media_write_file(from, &encoded, NALU_WRITER_OVERWRITE, NULL);
    nalu_reader *reader = reader_of(from);
    check_samples(reader, &encoded, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    convert(from, to, frame_duration);
    reader = reader_of(to);
    check_samples(reader, &encoded, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    int count = media_packets(from, first, CLIP_MOST, &numerator, &denominator);
    CHECK_EQ(count, encoded.count);
    CHECK_EQ(media_packets(to, second, CLIP_MOST, &numerator, &denominator), count);
    int reordered = 0;
    for (int i = 0; i < count; i++) {
        CHECK_EQ(second[i].pts, first[i].pts);
        CHECK_EQ(second[i].dts, first[i].dts);
        CHECK_EQ(second[i].size, first[i].size);
        CHECK_EQ(second[i].is_key, first[i].is_key);
        reordered += i > 0 && first[i].pts < first[i - 1].pts;
    }
    CHECK(reordered > 0);
    clip_close(&encoded);
}

static void carphone_survives_conversion_to_annex_b_and_back(void) {
    encode("carphone_pristine", 176, 144, 120, 30000, 1001);
    check_clip(nalu_time_make(1001, 30000));
}

static void bikes_survives_conversion_to_annex_b_and_back(void) {
    encode("bikes", 640, 272, 250, 25, 1);
    check_clip(nalu_time_make(1, 25));
}

static void bigbuckbunny_survives_conversion_to_annex_b_and_back(void) {
    encode("bigbuckbunny", 1280, 720, 60, 25, 1);
    check_clip(nalu_time_make(1, 25));
}

int main(void) {
    RUN(carphone_survives_conversion_to_annex_b_and_back);
    RUN(bikes_survives_conversion_to_annex_b_and_back);
    RUN(bigbuckbunny_survives_conversion_to_annex_b_and_back);
    return check_result();
}
