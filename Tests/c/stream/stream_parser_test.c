/* The stream parser: it returns a session's samples from their byte stream, however that is split. Times, loss,
 * hostile bytes, and rejected arguments. */
#include "clip.h"
#include "parsed_stream.h"

static stream stream_of(const clip *c) {
    stream s = {NULL, 0};
    for (int32_t i = 0; i < c->count; i++) add_sample(&s, c->samples[i]);
    return s;
}

static void parse(const stream *s, int piece, const nalu_stream_parser_options *options, parsed *p) {
    parse_codec(NALU_CODEC_H264, s, piece, options, p);
}

static int same_bytes(const nalu_sample *a, const nalu_sample *b) {
    size_t a_size = 0, b_size = 0;
    const uint8_t *x = nalu_sample_get_data(a, &a_size), *y = nalu_sample_get_data(b, &b_size);
    return a_size == b_size && memcmp(x, y, a_size) == 0;
}

static void check_same(const parsed *p, const clip *c, const char *what) {
    if (!check_integers(p->count, c->count, __FILE__, __LINE__, what)) return;
    check_integers(p->problems, 0, __FILE__, __LINE__, what);
    for (int i = 0; i < p->count; i++) {
        const nalu_sample *a = p->samples[i], *b = c->samples[i];
        check_integers(same_bytes(a, b), 1, __FILE__, __LINE__, what);
        check_integers(nalu_sample_get_attachments(a), nalu_sample_get_attachments(b), __FILE__, __LINE__, what);
        check_integers(nalu_format_description_equal(nalu_sample_get_format_description(a),
            nalu_sample_get_format_description(b)), 1, __FILE__, __LINE__, what);
        check_integers(nalu_time_compare(nalu_sample_get_presentation_time(a), nalu_sample_get_presentation_time(b)),
            0, __FILE__, __LINE__, what);
        check_integers(nalu_time_compare(nalu_sample_get_decode_time(a), nalu_sample_get_decode_time(b)), 0, __FILE__,
            __LINE__, what);
    }
}

static const int pieces[] = {1, 7, 1500, RANDOM, WHOLE};

static void a_sessions_samples_are_parsed_from_their_stream(void) {
    static const char *const kinds[] = {
        "", "AllowFrameReordering=false", "MaxKeyFrameInterval=7", "MaxH264SliceBytes=500", "H264EntropyMode=CAVLC",
        "x264.params=\"slices=4\"", "x264.params=\"aud=1:bframes=5\"", "FieldCount=2,FieldDetail=TemporalTopFirst",
        "OutputBitDepth=10", "AllowOpenGOP=true,MaxKeyFrameInterval=10",
        "EnableLTR=true", "NaluAllowIntraRefresh=true", "ProfileLevel=H264_Baseline_AutoLevel", "RealTime=true",
        "ConstantBitRate=4000000,ExpectedFrameRate=30"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        static parsed p;
        clip c;
        clip_open(&c, 96, 96);
        REQUIRE_OK(nalu_session_set_properties_from_text(c.session, kinds[k]));
        clip_encode_all(&c, 30);
        const stream s = stream_of(&c);
        nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
        options.frame_duration = nalu_time_make(1, 30);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            parse(&s, pieces[i], &options, &p);
            check_same(&p, &c, kinds[k]);
            CHECK_EQ(p.statistics.frame_number_gaps, 0);
            CHECK_EQ(p.statistics.dropped_access_units + p.statistics.dropped_units + p.statistics.skipped_bytes, 0);
            parsed_release(&p);
        }
        free(s.bytes);
        clip_close(&c);
    }
}

/* A new size begins with a key frame: it has a new format description, and decode times increase. */
static void a_new_size_gives_a_new_format(void) {
    static parsed p;
    stream s = {NULL, 0};
    clip c[3];
    for (int k = 0; k < 3; k++) {
        clip_open(&c[k], k == 1 ? 64 : 128, 64);
        if (k == 0) REQUIRE_OK(nalu_session_set_bool(c[k].session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
        clip_encode_all(&c[k], 12);
        for (int i = 0; i < c[k].count; i++) add_sample(&s, c[k].samples[i]);
    }
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        parse(&s, pieces[i], NULL, &p);
        REQUIRE(CHECK_EQ(p.count, 36));
        CHECK_EQ(p.problems, 0);
        for (int n = 0; n < 36; n++) {
            CHECK(same_bytes(p.samples[n], c[n / 12].samples[n % 12]));
            nalu_format_description *format = nalu_sample_get_format_description(p.samples[n]);
            CHECK_EQ(nalu_format_description_equal(format,
                nalu_sample_get_format_description(c[n / 12].samples[0])), 1);
            if (n % 12) CHECK_PTR_EQ(format, nalu_sample_get_format_description(p.samples[n - 1]));
            CHECK(nalu_time_compare(nalu_sample_get_decode_time(p.samples[n]),
                nalu_sample_get_presentation_time(p.samples[n])) <= 0);
            if (n) CHECK(nalu_time_compare(nalu_sample_get_decode_time(p.samples[n - 1]),
                nalu_sample_get_decode_time(p.samples[n])) < 0);
        }
        parsed_release(&p);
    }
    free(s.bytes);
    for (int k = 0; k < 3; k++) clip_close(&c[k]);
}

/* Times passed with the bytes of each sample, or of some samples only. */
static void samples_get_the_times_of_their_bytes(void) {
    clip c;
    clip_open(&c, 64, 64);
    clip_encode_all(&c, 30);
    for (int some = 0; some < 2; some++) {
        static parsed p;
        nalu_stream_parser *parser = NULL;
        nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
        options.frame_duration = nalu_time_make(1, 30);
        memset(&p, 0, sizeof p);
        REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser));
        for (int i = 0; i < c.count; i++) {
            stream s = {NULL, 0};
            nalu_time time = nalu_sample_get_presentation_time(c.samples[i]);
            time.value = time.value * 3000 + 900000, time.timescale = 90000;
            add_sample(&s, c.samples[i]);
            /* Only the first of several pieces begins an access unit. */
            for (size_t at = 0; at < s.size; at += 100)
                REQUIRE_OK(nalu_stream_parser_push(parser, s.bytes + at, s.size - at < 100 ? s.size - at : 100,
                    some && i % 8 ? nalu_time_invalid() : at ? nalu_time_make(1, 1) : time));
            free(s.bytes);
        }
        REQUIRE_OK(nalu_stream_parser_finish(parser));
        REQUIRE_OK(nalu_stream_parser_finish(parser));
        fetch(parser, &p, NALU_STATUS_VALUE_NOT_AVAILABLE);
        REQUIRE(CHECK_EQ(p.count, c.count));
        for (int i = 0; i < p.count; i++) {
            nalu_time time = nalu_sample_get_presentation_time(c.samples[i]);
            time.value = time.value * 3000 + 900000, time.timescale = 90000;
            CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(p.samples[i]), time), 0);
            CHECK_EQ(nalu_time_compare(nalu_sample_get_duration(p.samples[i]), nalu_time_make(1, 30)), 0);
        }
        p.statistics.struct_size = sizeof p.statistics;
        REQUIRE_OK(nalu_stream_parser_get_statistics(parser, &p.statistics));
        CHECK_EQ(p.statistics.replaced_times, 0);
        parsed_release(&p);
        nalu_stream_parser_release(parser);
    }
    clip_close(&c);
}

/* A sample is available as soon as the slice header or the first NAL unit of the next one is. */
static void a_sample_is_available_when_the_next_one_begins(void) {
    clip c;
    clip_open(&c, 64, 64);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    c.noise = 255;
    clip_encode_all(&c, 10);
    nalu_stream_parser *parser = NULL;
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, NULL, &parser));
    for (int i = 0; i < c.count; i++) {
        stream s = {NULL, 0};
        add_sample(&s, c.samples[i]);
        const size_t head = s.size < 80 ? s.size : 80;
        REQUIRE_OK(nalu_stream_parser_push(parser, s.bytes, head, nalu_time_invalid()));
        nalu_sample *sample = NULL;
        CHECK_STATUS(nalu_stream_parser_next(parser, &sample), i ? NALU_STATUS_OK : NALU_STATUS_WOULD_BLOCK);
        if (sample) CHECK(same_bytes(sample, c.samples[i - 1]));
        nalu_sample_release(sample);
        REQUIRE_OK(nalu_stream_parser_push(parser, s.bytes + head, s.size - head, nalu_time_invalid()));
        free(s.bytes);
    }
    nalu_stream_parser_release(parser);
    clip_close(&c);
}

/* Bytes before the first parameter sets, and a stream that is joined in its middle. */
static void a_stream_can_be_joined_in_the_middle(void) {
    static parsed p;
    clip c;
    clip_open(&c, 64, 64);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    clip_encode_all(&c, 20);
    stream s = {NULL, 0};
    int first = 3;
    for (int i = first; i < c.count; i++) add_sample(&s, c.samples[i]);
    while (!nalu_sample_is_key_frame(c.samples[first])) first++;
    parse(&s, 7, NULL, &p);
    REQUIRE(CHECK_EQ(p.count, c.count - first));
    for (int i = 0; i < p.count; i++) CHECK(same_bytes(p.samples[i], c.samples[first + i]));
    CHECK(p.statistics.skipped_bytes > 0 && p.statistics.skipped_bytes < s.size);
    CHECK_EQ(p.problems, 0);
    parsed_release(&p);

    /* A gap in the middle: the parser continues, and all samples after the gap are complete. */
    stream holed = stream_of(&c);
    const size_t hole = holed.size / 4;
    memmove(holed.bytes + hole, holed.bytes + hole + 188, holed.size - hole - 188);
    holed.size -= 188;
    parse(&holed, 1500, NULL, &p);
    CHECK(p.count >= c.count - 4 && p.count <= c.count);
    for (int i = 1; i <= 10; i++) CHECK(same_bytes(p.samples[p.count - i], c.samples[c.count - i]));
    parsed_release(&p);
    free(holed.bytes);
    free(s.bytes);
    clip_close(&c);
}

/* One access unit exceeds the limit: a status is returned, and samples continue at the next key frame. */
static void an_access_unit_above_the_limit_is_left_out(void) {
    static parsed p;
    static uint8_t filler[5000];
    clip c;
    clip_open(&c, 64, 64);
    c.noise = 0;
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    clip_encode_all(&c, 30);
    memset(filler, 255, sizeof filler);
    memcpy(filler, "\0\0\1\x0c", 4);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        stream s = {NULL, 0};
        for (int n = 0; n < c.count; n++) {
            add_sample(&s, c.samples[n]);
            if (n == 14) add_bytes(&s, filler, sizeof filler);
        }
        nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
        options.maximum_access_unit_size = 4096;
        parse(&s, pieces[i], &options, &p);
        REQUIRE(CHECK_EQ(p.count, 24));
        CHECK_EQ(p.problems, 1);
        CHECK_STATUS(p.first_problem, NALU_STATUS_OUT_OF_RANGE);
        for (int n = 0; n < 24; n++) CHECK(same_bytes(p.samples[n], c.samples[n < 14 ? n : n + 6]));
        CHECK_EQ(p.statistics.dropped_access_units, 6);
        parsed_release(&p);
        free(s.bytes);
    }
    clip_close(&c);
}

static void zeros_and_random_bytes_give_a_status(void) {
    static uint8_t zeros_block[1 << 16];
    nalu_stream_parser *parser = NULL;
    nalu_sample *sample = NULL;
    nalu_stream_parser_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, NULL, &parser));
    for (int i = 0; i < 1000; i++)
        REQUIRE_OK(nalu_stream_parser_push(parser, zeros_block, sizeof zeros_block, nalu_time_invalid()));
    REQUIRE_OK(nalu_stream_parser_get_statistics(parser, &statistics));
    CHECK_EQ(statistics.pending_bytes, 0);
    CHECK_EQ(statistics.skipped_bytes, sizeof zeros_block * 1000);
    CHECK_STATUS(nalu_stream_parser_next(parser, &sample), NALU_STATUS_WOULD_BLOCK);
    nalu_stream_parser_release(parser);

    clip c;
    clip_open(&c, 64, 64);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 5));
    clip_encode_all(&c, 15);
    const stream s = stream_of(&c);
    uint32_t random = 1;
    for (int round = 0; round < 400; round++) {
        static parsed p;
        stream damaged = {NULL, 0};
        add_bytes(&damaged, s.bytes, s.size);
        for (int k = 0; k < 1 + round % 20; k++) {
            random = random * 1664525u + 1013904223u;
            damaged.bytes[(random >> 4) % s.size] ^= (uint8_t)(1u << (random & 7));
        }
        parse(&damaged, round % 2 ? RANDOM : WHOLE, NULL, &p);
        CHECK(p.count <= 60);
        parsed_release(&p);
        free(damaged.bytes);
    }
    free(s.bytes);
    clip_close(&c);
}

static void wrong_arguments_are_refused(void) {
    nalu_stream_parser *parser = STALE;
    nalu_sample *sample = STALE;
    zeros nothing = {{0}};
    nalu_stream_parser_statistics statistics = {.struct_size = sizeof statistics};
    nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
    REFUSED(nalu_stream_parser_create(NALU_FOURCC('a', 'v', '0', '1'), NULL, &parser),
        NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "codec", "avc1", "hvc1");
    CHECK_PTR_EQ(parser, NULL);
    REFUSED(nalu_stream_parser_create(NALU_CODEC_H264, NULL, NULL), NALU_STATUS_PARAMETER, "parser_out");
    options.reorder_depth_plus_1 = 18;
    REFUSED(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser), NALU_STATUS_OUT_OF_RANGE,
        "reorder_depth_plus_1 is 18", "0 to 17");
    options.reorder_depth_plus_1 = 17;
    const uint64_t sizes[] = {1, 1023, (1u << 30) + 1, UINT64_MAX};
    for (int i = 0; i < 4; i++) {
        options.maximum_access_unit_size = sizes[i];
        REFUSED(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser), NALU_STATUS_OUT_OF_RANGE,
            "maximum_access_unit_size", "1024");
    }
    options.maximum_access_unit_size = 1024;
    const nalu_time durations[] = {{0, 1, 1, 0}, {-1, 30, 1, 0}, {1, 30, 5, 0}, {1, 30, 0, 0}, {1, 30, 1, 1}};
    for (int i = 0; i < 5; i++) {
        options.frame_duration = durations[i];
        REFUSED(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser), NALU_STATUS_INVALID_TIME,
            "frame_duration");
    }
    options.frame_duration = nalu_time_make(1, 30);
    options.struct_size = 3;
    REFUSED(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser), NALU_STATUS_PARAMETER, "struct_size");
    options.struct_size = sizeof options;
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser));
    CHECK_PTR_EQ(nalu_stream_parser_retain(parser), parser);
    nalu_stream_parser_release(parser);
    CHECK_OK(nalu_stream_parser_push(parser, NULL, 0, nalu_time_invalid()));
    REFUSED(nalu_stream_parser_push(parser, NULL, 1, nalu_time_invalid()), NALU_STATUS_PARAMETER, "bytes");
    REFUSED(nalu_stream_parser_push(parser, nothing.bytes, 1, (nalu_time){0, 1, 17, 0}), NALU_STATUS_INVALID_TIME,
        "time");
    REFUSED(nalu_stream_parser_next(parser, NULL), NALU_STATUS_PARAMETER, "sample_out");
    CHECK_STATUS(nalu_stream_parser_next(parser, &sample), NALU_STATUS_WOULD_BLOCK);
    CHECK_PTR_EQ(sample, NULL);
    REFUSED(nalu_stream_parser_get_statistics(parser, NULL), NALU_STATUS_PARAMETER, "statistics");
    statistics.struct_size = 8;
    REFUSED(nalu_stream_parser_get_statistics(parser, &statistics), NALU_STATUS_PARAMETER, "struct_size");
    CHECK_OK(nalu_stream_parser_finish(parser));
    REFUSED(nalu_stream_parser_push(parser, nothing.bytes, 1, nalu_time_invalid()), NALU_STATUS_OUT_OF_ORDER, "finish");
    CHECK_STATUS(nalu_stream_parser_next(parser, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_stream_parser_release(parser);
    statistics.struct_size = sizeof statistics;
    nalu_stream_parser *const bad[] = {NULL, (nalu_stream_parser *)(void *)&nothing};
    for (int i = 0; i < 2; i++) {
        const nalu_status status = i ? NALU_STATUS_INVALID_HANDLE : NALU_STATUS_PARAMETER;
        REFUSED(nalu_stream_parser_push(bad[i], nothing.bytes, 1, nalu_time_invalid()), status, "parser");
        REFUSED(nalu_stream_parser_next(bad[i], &sample), status, "parser");
        REFUSED(nalu_stream_parser_finish(bad[i]), status, "parser");
        REFUSED(nalu_stream_parser_get_statistics(bad[i], &statistics), status, "parser");
        CHECK_PTR_EQ(nalu_stream_parser_retain(bad[i]), bad[i]);
        nalu_stream_parser_release(bad[i]);
    }
}

int main(void) {
    RUN(a_sessions_samples_are_parsed_from_their_stream);
    RUN(a_new_size_gives_a_new_format);
    RUN(samples_get_the_times_of_their_bytes);
    RUN(a_sample_is_available_when_the_next_one_begins);
    RUN(a_stream_can_be_joined_in_the_middle);
    RUN(an_access_unit_above_the_limit_is_left_out);
    RUN(zeros_and_random_bytes_give_a_status);
    RUN(wrong_arguments_are_refused);
    return check_result();
}
