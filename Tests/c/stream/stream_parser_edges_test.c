/* Edge cases of the stream parser: empty input, NAL units without an end, streams that end at any byte. */
#include "clip.h"

typedef struct stream {
    uint8_t *bytes;
    size_t size;
    size_t ends[CLIP_MOST]; /* end offset of each sample */
} stream;

static stream stream_of(const clip *c) {
    stream s = {NULL, 0, {0}};
    for (int32_t i = 0; i < c->count; i++) {
        size_t size = 0;
        REQUIRE_OK(nalu_sample_copy_annex_b(c->samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, NULL, 0, &size));
        s.bytes = (uint8_t *)realloc(s.bytes, s.size + size);
        REQUIRE(s.bytes);
        REQUIRE_OK(nalu_sample_copy_annex_b(c->samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, s.bytes + s.size,
            size, &size));
        s.ends[i] = s.size += size;
    }
    return s;
}

static int same_bytes(const nalu_sample *a, const nalu_sample *b) {
    size_t a_size = 0, b_size = 0;
    const uint8_t *a_data = nalu_sample_get_data(a, &a_size), *b_data = nalu_sample_get_data(b, &b_size);
    return a_size == b_size && memcmp(a_data, b_data, a_size) == 0;
}

static nalu_stream_parser *parser_with(uint64_t limit) {
    nalu_stream_parser *parser = NULL;
    nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
    options.maximum_access_unit_size = limit;
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_H264, &options, &parser));
    return parser;
}

static void push(nalu_stream_parser *parser, const uint8_t *bytes, size_t size) {
    REQUIRE_OK(nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid()));
}

/* Returns how many samples arrive. Each must be the clip's next from `first` on. Counts problems in
 * *problems. */
static int fetch(nalu_stream_parser *parser, const clip *c, int first, int *problems) {
    int count = 0;
    nalu_sample *sample = NULL;
    nalu_status status;
    while ((status = nalu_stream_parser_next(parser, &sample)) != NALU_STATUS_WOULD_BLOCK &&
           status != NALU_STATUS_VALUE_NOT_AVAILABLE) {
        if (sample) {
            if (c) CHECK(first + count < c->count && same_bytes(sample, c->samples[first + count]));
            count++;
        } else {
            ++*problems;
        }
        nalu_sample_release(sample);
    }
    return count;
}

static nalu_stream_parser_statistics statistics_of(const nalu_stream_parser *parser) {
    nalu_stream_parser_statistics statistics = {.struct_size = sizeof statistics};
    REQUIRE_OK(nalu_stream_parser_get_statistics(parser, &statistics));
    return statistics;
}

/* Empty pushes between all bytes, with and without an address, and a second finish. */
static void test_nothing(const clip *c, const stream *s) {
    nalu_stream_parser *parser = parser_with(0);
    int count = 0, problems = 0;
    for (size_t at = 0; at < s->size; at++) {
        push(parser, NULL, 0);
        push(parser, s->bytes + at, 1);
        push(parser, s->bytes + at, 0);
        count += fetch(parser, c, count, &problems);
    }
    for (int i = 0; i < 2; i++) {
        REQUIRE_OK(nalu_stream_parser_finish(parser));
        count += fetch(parser, c, count, &problems);
    }
    CHECK_EQ(count, c->count);
    CHECK_EQ(problems, 0);
    CHECK_EQ(statistics_of(parser).bytes, s->size);
    nalu_stream_parser_release(parser);

    parser = parser_with(0);
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    CHECK_EQ(fetch(parser, NULL, 0, &problems) + problems, 0);
    nalu_stream_parser_release(parser);
}

/* A stream may end after any byte. The samples before the end are complete, and the last one has the bytes that
 * are there. */
static void test_every_end(const clip *c, const stream *s) {
    for (size_t size = 0; size <= s->size; size += size % 7 + 1) {
        nalu_stream_parser *parser = parser_with(0);
        int problems = 0, whole = 0;
        while (whole < c->count && s->ends[whole] <= size) whole++;
        push(parser, s->bytes, size);
        REQUIRE_OK(nalu_stream_parser_finish(parser));
        const int count = fetch(parser, NULL, 0, &problems);
        CHECK(count == whole || count == whole + 1);
        CHECK(problems <= 1);
        CHECK_EQ(statistics_of(parser).pending_bytes, 0);
        nalu_stream_parser_release(parser);
    }
}

/* A NAL unit without an end, of every type: the parser keeps no more than the limit, reports it once, and reads
 * the stream after it. */
static void test_endless_units(const clip *c, const stream *s) {
    static uint8_t block[1 << 14];
    memset(block, 0xa5, sizeof block);
    for (int type = 0; type < 32; type++) {
        nalu_stream_parser *parser = parser_with(1 << 16);
        const uint8_t head[] = {0, 0, 1, (uint8_t)(0x60 | type)};
        int problems = 0;
        push(parser, s->bytes, s->size);
        int count = fetch(parser, c, 0, &problems);
        push(parser, head, sizeof head);
        for (int i = 0; i < 64; i++) {
            push(parser, block, sizeof block);
            count += fetch(parser, NULL, 0, &problems);
            CHECK(statistics_of(parser).pending_bytes <= (1 << 16));
        }
        CHECK(problems <= 1);
        /* The stream begins with a key frame. */
        push(parser, s->bytes, s->size);
        REQUIRE_OK(nalu_stream_parser_finish(parser));
        count += fetch(parser, NULL, 0, &problems);
        CHECK_EQ(problems, 1);
        /* An endless slice is a separate access unit. A unit that precedes slices takes the following key frame
         * with it, and so the three frames that refer to the key frame. Any other unit belongs to the last
         * sample; so does a prefix NAL unit (type 14) before its slice is known. */
        const int is_slice = type == 1 || type == 2 || type == 5;
        const int is_before = (type >= 6 && type <= 9) || (type >= 15 && type <= 18);
        CHECK_EQ(count, 2 * c->count - (is_slice ? 0 : is_before ? 4 : 1));
        nalu_stream_parser_release(parser);
    }
}

static clip c;
static stream s;

static void a_parser_without_bytes_has_no_samples(void) { test_nothing(&c, &s); }
static void streams_can_end_at_any_byte(void) { test_every_end(&c, &s); }
static void endless_nal_units_are_limited(void) { test_endless_units(&c, &s); }

int main(void) {
    clip_open(&c, 64, 64);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 4));
    clip_encode_all(&c, 10);
    s = stream_of(&c);
    RUN(a_parser_without_bytes_has_no_samples);
    RUN(streams_can_end_at_any_byte);
    RUN(endless_nal_units_are_limited);
    free(s.bytes);
    clip_close(&c);
    return check_result();
}
