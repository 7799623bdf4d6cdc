/* The stream parser with H.265, compared with ffprobe: access units, times, key frames, disposable pictures;
 * streams joined in the middle, with changes, and damaged. */
#include "hevc_stream.h"

static void check_clip(const char *size, int frames, const char *format, const char *parameters) {
    hevc_clip clip = hevc_clip_of(size, frames, format, parameters);
    static parsed p, q;
    printf("    %s %s\n", format, parameters);
    parse(&clip.bytes, WHOLE, NULL, &p);
    CHECK_EQ(p.problems, 0);
    CHECK_EQ(p.statistics.dropped_units + p.statistics.dropped_access_units + p.statistics.skipped_bytes, 0);
    REQUIRE(CHECK_EQ(p.count, frames));
    check_times(&p);
    stream all = {NULL, 0}, kept = {NULL, 0};
    int left_out = 0;
    for (int i = 0; i < p.count; i++) {
        const nalu_sample *sample = p.samples[i];
        const packet *expected = &clip.packets[i];
        const uint32_t flags = nalu_sample_get_attachments(sample);
        size_t bytes = 0;
        (void)nalu_sample_get_data(sample, &bytes);
        if (!strstr(parameters, "repeat-headers")) CHECK_EQ(bytes, expected->size);
        CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)), expected->pts, 1e-5);
        CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_decode_time(sample)), expected->dts, 1e-5);
        CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_duration(sample)), 0.04, 1e-9);
        const int type = hevc_slice_type(sample);
        CHECK_EQ(nalu_sample_is_key_frame(sample), type == NALU_HEVC_NAL_IDR_W_RADL || type == NALU_HEVC_NAL_IDR_N_LP);
        if (!strstr(parameters, "intra-refresh")) {
            CHECK_EQ((flags & NALU_SAMPLE_PARTIAL_SYNC) != 0, type == NALU_HEVC_NAL_CRA);
        }
        CHECK_EQ(type >= 16 && type <= 21, expected->is_key);
        CHECK_EQ((flags & NALU_SAMPLE_DEPENDS_ON_OTHERS) == 0, expected->is_intra);
        CHECK_PTR_EQ(nalu_sample_get_format_description(sample), nalu_sample_get_format_description(p.samples[0]));
        add_sample(&all, sample);
        if (flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) add_sample(&kept, sample); else left_out++;
    }
    /* Samples without dependents can be left out. */
    stream texts[3];
    decode_together((const stream *const[]){&clip.bytes, &all, &kept}, 3, texts);
    stream whole = texts[0], again = texts[1], some = texts[2];
    CHECK_EQ(lines(&whole), frames);
    CHECK_STR_EQ((const char *)again.bytes, (const char *)whole.bytes);
    CHECK_EQ(lines(&some), frames - left_out);
    if (strstr(parameters, "bframes=3")) CHECK(left_out > frames / 3);
    char *line = strtok((char *)some.bytes, "\n");
    for (; line; line = strtok(NULL, "\n")) CHECK(strstr((const char *)whole.bytes, line) != NULL);

    /* The result does not depend on how the bytes are split. */
    const int pieces[] = {1, RANDOM};
    for (int k = 0; k < 2; k++) {
        parse(&clip.bytes, pieces[k], NULL, &q);
        REQUIRE(CHECK_EQ(q.count, p.count));
        for (int i = 0; i < p.count; i++) {
            size_t a = 0, b = 0;
            const uint8_t *x = nalu_sample_get_data(p.samples[i], &a), *y = nalu_sample_get_data(q.samples[i], &b);
            if (CHECK_EQ(a, b)) CHECK_BYTES(x, y, a);
            CHECK_EQ(nalu_sample_get_attachments(p.samples[i]), nalu_sample_get_attachments(q.samples[i]));
            const nalu_time times[2] = {nalu_sample_get_presentation_time(p.samples[i]),
                nalu_sample_get_presentation_time(q.samples[i])};
            CHECK_EQ(nalu_time_compare(times[0], times[1]), 0);
        }
        parsed_release(&q);
    }
    parsed_release(&p);
    free(whole.bytes), free(again.bytes), free(some.bytes), free(all.bytes), free(kept.bytes), free(clip.bytes.bytes);
}

static void h265_samples_equal_those_of_ffprobe(void) {
    check_clip("176x144", 50, "yuv420p", "keyint=20:bframes=3:b-pyramid=1:open-gop=1:scenecut=0");
    check_clip("178x142", 30, "yuv420p10le", "keyint=12:bframes=2:open-gop=0:slices=3:aud=1:ctu=16");
    check_clip("176x144", 30, "yuv420p", "keyint=12:bframes=3:open-gop=0:radl=2:repeat-headers=1:aud=1:hrd=1:"
        "vbv-maxrate=900:vbv-bufsize=900");
    check_clip("176x144", 30, "yuv420p", "keyint=12:bframes=3:temporal-layers=1:slices=2");
    check_clip("176x144", 20, "yuv444p", "keyint=10:bframes=0:idr-recovery-sei=1");
    check_clip("176x144", 30, "yuv420p", "keyint=10:bframes=0:intra-refresh=1");
}

/* A stream joined at a CRA picture: pictures presented before it that refer to earlier pictures are left out,
 * as a decoder does. */
static void an_h265_stream_can_be_joined_in_the_middle(void) {
    hevc_clip clip = hevc_clip_of("176x144", 50, "yuv420p", "keyint=16:min-keyint=16:bframes=3:b-adapt=0:open-gop=1:scenecut=0");
    static parsed p, q;
    parse(&clip.bytes, WHOLE, NULL, &p);
    static const uint8_t end[] = {0, 0, 1, 0x48, 1}, delimiter[] = {0, 0, 1, 0x46, 1, 0x50};
    stream before = {NULL, 0}, tail = {NULL, 0}, spliced = {NULL, 0};
    int start = 1, skipped = 0;
    while (start < p.count && hevc_slice_type(p.samples[start]) != NALU_HEVC_NAL_CRA) start++;
    REQUIRE(start < p.count);
    for (int i = 0; i < p.count; i++) {
        if (i == start) add_bytes(&spliced, end, sizeof end);
        add_sample(i < start ? &before : &tail, p.samples[i]);
        add_sample(&spliced, p.samples[i]);
    }
    for (int i = start + 1; hevc_slice_type(p.samples[i]) == NALU_HEVC_NAL_RASL_N
        || hevc_slice_type(p.samples[i]) == NALU_HEVC_NAL_RASL_R; i++) skipped++;
    REQUIRE(CHECK_EQ(skipped, 3));
    parse(&tail, RANDOM, NULL, &q);
    CHECK_EQ(q.problems, 0);
    CHECK_EQ(q.count, p.count - start - skipped);
    CHECK_EQ(q.statistics.dropped_access_units, skipped);
    check_times(&q);
    CHECK(nalu_sample_get_attachments(q.samples[0]) & NALU_SAMPLE_PARTIAL_SYNC);
    CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(q.samples[0]), nalu_time_zero()), 0);
    stream out = {NULL, 0}, texts[2];
    for (int i = 0; i < q.count; i++) add_sample(&out, q.samples[i]);
    decode_together((const stream *const[]){&tail, &out}, 2, texts);
    stream expected = texts[0], found = texts[1];
    CHECK_EQ(lines(&found), q.count);
    CHECK_STR_EQ((const char *)found.bytes, (const char *)expected.bytes);
    parsed_release(&q);

    /* The CRA picture is in the middle of the stream, after an end of sequence. */
    parse(&spliced, RANDOM, NULL, &q);
    CHECK_EQ(q.problems, 0);
    CHECK_EQ(q.count, p.count - skipped);
    CHECK_EQ(q.statistics.dropped_access_units, skipped);
    check_times(&q);
    free(expected.bytes), free(found.bytes);
    out.size = 0;
    for (int i = 0; i < q.count; i++) add_sample(&out, q.samples[i]);
    decode_together((const stream *const[]){&spliced, &out}, 2, texts);
    expected = texts[0], found = texts[1];
    /* At a CRA picture a decoder discards pictures that wait for output (C.5.2.2). So it shows fewer pictures
     * than it decodes. */
    CHECK(lines(&found) > q.count - 5);
    CHECK_STR_EQ((const char *)found.bytes, (const char *)expected.bytes);
    for (int i = 0; i < q.count; i++) {
        CHECK(fabs(nalu_time_get_seconds(nalu_sample_get_presentation_time(q.samples[i])) - 0.04 * i) < 0.17);
    }
    parsed_release(&q);

    /* Without a random access picture no sample is returned. */
    stream rest = {NULL, 0};
    add_bytes(&rest, before.bytes, 0);
    for (int i = 1; i < start; i++) add_sample(&rest, p.samples[i]);
    parse(&rest, WHOLE, NULL, &q);
    CHECK_EQ(q.count, 0);
    CHECK_EQ(q.problems, 0);
    CHECK_EQ(q.statistics.skipped_bytes, rest.size);
    /* An access unit delimiter ends the access unit before it. */
    nalu_stream_parser *parser = NULL;
    nalu_sample *sample = NULL;
    nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
    options.reorder_depth_plus_1 = 1;
    stream one = {NULL, 0};
    add_sample(&one, p.samples[0]);
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_HEVC, &options, &parser));
    REQUIRE_OK(nalu_stream_parser_push(parser, one.bytes, one.size, nalu_time_make(7, 3)));
    CHECK_STATUS(nalu_stream_parser_next(parser, &sample), NALU_STATUS_WOULD_BLOCK);
    REQUIRE_OK(nalu_stream_parser_push(parser, delimiter, sizeof delimiter, nalu_time_invalid()));
    REQUIRE_OK(nalu_stream_parser_next(parser, &sample));
    CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(sample), nalu_time_make(7, 3)), 0);
    CHECK_EQ(nalu_sample_is_key_frame(sample), 1);
    nalu_sample_release(sample);
    nalu_stream_parser_release(parser);
    parsed_release(&p);
    free(one.bytes), free(rest.bytes), free(before.bytes), free(tail.bytes), free(spliced.bytes);
    free(expected.bytes), free(found.bytes), free(out.bytes), free(clip.bytes.bytes);
}

/* Another picture size in the middle of the stream: another format description from its first picture on. */
static void another_h265_size_gives_another_format(void) {
    hevc_clip a = hevc_clip_of("176x144", 12, "yuv420p", "keyint=12:bframes=2");
    hevc_clip b = hevc_clip_of("96x64", 12, "yuv420p10le", "keyint=12:bframes=2:open-gop=0");
    stream both = {NULL, 0};
    add_bytes(&both, a.bytes.bytes, a.bytes.size);
    add_bytes(&both, b.bytes.bytes, b.bytes.size);
    add_bytes(&both, a.bytes.bytes, a.bytes.size);
    static parsed p;
    parse(&both, RANDOM, NULL, &p);
    CHECK_EQ(p.problems, 0);
    REQUIRE(CHECK_EQ(p.count, 36));
    check_times(&p);
    for (int i = 0; i < 36; i++) {
        const nalu_format_description *format = nalu_sample_get_format_description(p.samples[i]);
        CHECK_EQ(nalu_format_description_get_width(format), i / 12 == 1 ? 96 : 176);
        CHECK_EQ(nalu_format_description_get_parameter_set_count(format), 3);
        CHECK(nalu_format_description_get_hvcc(format, NULL) != NULL);
    }
    parsed_release(&p);
    free(both.bytes), free(a.bytes.bytes), free(b.bytes.bytes);
}

/* Damaged bytes, lost bytes, oversized NAL units: samples with the valid parts, and a status for the rest. */
static void corrupt_h265_bytes_give_a_status(void) {
    hevc_clip clip = hevc_clip_of("176x144", 30, "yuv420p", "keyint=8:bframes=3:open-gop=1:slices=2:aud=1:repeat-headers=1");
    static parsed p;
    uint32_t random = 5;
    stream damaged = {NULL, 0};
    for (int round = 0; round < 500; round++) {
        if (!is_tried(round / 3)) continue;
        damaged.size = 0;
        add_bytes(&damaged, clip.bytes.bytes, clip.bytes.size);
        for (int n = 0; n < 1 + round % 40; n++) {
            random = random * 1664525u + 1013904223u;
            const size_t at = (size_t)(random >> 4) % damaged.size;
            if (round % 3 == 0) {
                const size_t size = damaged.size - at > 40 ? 40 : damaged.size - at;
                memmove(damaged.bytes + at, damaged.bytes + at + size, damaged.size - at - size);
                damaged.size -= size;
            } else {
                damaged.bytes[at] ^= (uint8_t)(1u << (random & 7));
            }
        }
        parse(&damaged, RANDOM, NULL, &p);
        check_times(&p);
        CHECK(p.count <= clip.count + 40);
        parsed_release(&p);
    }
    /* The first random access picture is too large; the later ones are found. */
    nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
    options.maximum_access_unit_size = 1024;
    parse(&clip.bytes, RANDOM, &options, &p);
    CHECK(p.problems > 0);
    CHECK_STATUS(p.first_problem, NALU_STATUS_OUT_OF_RANGE);
    parsed_release(&p);
    /* A NAL unit of one byte, and one with an invalid header. */
    static const uint8_t odd[] = {0, 0, 1, 0x26, 0, 0, 1, 0x26, 0, 0xaf, 0, 0, 1, 0xa6, 1, 0xaf};
    stream s = {NULL, 0};
    parse(&clip.bytes, WHOLE, NULL, &p);
    add_bytes(&s, clip.bytes.bytes, clip.bytes.size);
    add_bytes(&s, odd, sizeof odd);
    parsed_release(&p);
    parse(&s, 1, NULL, &p);
    CHECK_EQ(p.count, clip.count);
    CHECK_STATUS(p.first_problem, NALU_STATUS_BAD_DATA);
    CHECK_EQ(p.statistics.dropped_units, 3);
    parsed_release(&p);
    free(s.bytes), free(damaged.bytes), free(clip.bytes.bytes);
}

int main(void) {
    RUN(h265_samples_equal_those_of_ffprobe);
    RUN(an_h265_stream_can_be_joined_in_the_middle);
    RUN(another_h265_size_gives_another_format);
    RUN(corrupt_h265_bytes_give_a_status);
    return check_result();
}
