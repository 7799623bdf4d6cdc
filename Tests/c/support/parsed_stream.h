/* A byte stream, and the results of a stream parser that receives it in pieces. */
#ifndef NALU_TESTS_PARSED_STREAM_H
#define NALU_TESTS_PARSED_STREAM_H

#include "refusal.h"

/* WHOLE and RANDOM: the whole stream at once, and pieces of 0 to 255 bytes. */
enum { MOST = 1024, WHOLE = 0, RANDOM = -1 };

typedef struct stream {
    uint8_t *bytes;
    size_t size;
} stream;

static inline void add_bytes(stream *s, const void *bytes, size_t size) {
    s->bytes = (uint8_t *)realloc(s->bytes, s->size + size + 1);
    REQUIRE(s->bytes);
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

static inline void add_sample(stream *s, const nalu_sample *sample) {
    static uint8_t bytes[1 << 20];
    size_t size = 0;
    REQUIRE_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, bytes, sizeof bytes, &size));
    add_bytes(s, bytes, size);
}

typedef struct parsed {
    int count, problems;
    nalu_status first_problem;
    nalu_stream_parser_statistics statistics;
    nalu_sample *samples[MOST];
} parsed;

static inline void fetch(nalu_stream_parser *parser, parsed *p, nalu_status end) {
    nalu_sample *sample = STALE;
    nalu_status status;
    while ((status = nalu_stream_parser_next(parser, &sample)) != end) {
        REQUIRE((status == NALU_STATUS_OK) == (sample != NULL));
        if (sample) {
            REQUIRE(p->count < MOST);
            p->samples[p->count++] = sample;
        } else {
            REQUIRE(status == NALU_STATUS_BAD_DATA || status == NALU_STATUS_OUT_OF_RANGE ||
                    status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            CHECK(nalu_last_error_message()[0]);
            if (!p->problems++) p->first_problem = status;
        }
    }
    CHECK_PTR_EQ(sample, NULL);
}

/* Parses a stream in pieces of `piece` bytes, or as WHOLE or RANDOM says. */
static inline void parse_codec(nalu_four_char_code codec, const stream *s, int piece,
                               const nalu_stream_parser_options *options, parsed *p) {
    nalu_stream_parser *parser = STALE;
    uint32_t random = 99;
    memset(p, 0, sizeof *p);
    REQUIRE_OK(nalu_stream_parser_create(codec, options, &parser));
    for (size_t at = 0; at < s->size;) {
        random = random * 1664525u + 1013904223u;
        size_t size = piece == WHOLE ? s->size : piece == RANDOM ? random >> 24 : (size_t)piece;
        if (size > s->size - at) size = s->size - at;
        REQUIRE_OK(nalu_stream_parser_push(parser, s->bytes + at, size, nalu_time_invalid()));
        at += size;
        fetch(parser, p, NALU_STATUS_WOULD_BLOCK);
    }
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    fetch(parser, p, NALU_STATUS_VALUE_NOT_AVAILABLE);
    p->statistics.struct_size = sizeof p->statistics;
    REQUIRE_OK(nalu_stream_parser_get_statistics(parser, &p->statistics));
    CHECK_EQ(p->statistics.bytes, s->size);
    CHECK_EQ(p->statistics.samples, p->count);
    CHECK_EQ(p->statistics.pending_bytes, 0);
    nalu_stream_parser_release(parser);
}

static inline void parsed_release(parsed *p) {
    for (int i = 0; i < p->count; i++) nalu_sample_release(p->samples[i]);
    p->count = 0;
}

#endif
