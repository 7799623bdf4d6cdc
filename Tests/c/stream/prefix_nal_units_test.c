/*
 * Prefix NAL units (type 14) before every slice: they begin an access unit only before its first slice (ITU-T H.264
 * 7.4.1.2.3). Streams of several slices a picture, with what else can stand between pictures.
 */
#include "clip.h"
#include "parsed_stream.h"

enum { DELIMITER = 1, MESSAGE = 2, SETS = 4, EXTENSION = 8, FORMS = 16, FRAMES = 12, SLICES = 4, KEY_INTERVAL = 6 };

static clip c;
/* The NAL units of each access unit, without parameter sets, with 4-byte lengths. */
static stream expected[FRAMES];

static void add_unit(stream *s, const uint8_t *nal, size_t size, stream *unit_of) {
    const uint8_t code[] = {0, 0, 0, 1}, length[] = {(uint8_t)(size >> 24), (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size};
    add_bytes(s, code, sizeof code);
    add_bytes(s, nal, size);
    if (!unit_of) return;
    add_bytes(unit_of, length, sizeof length);
    add_bytes(unit_of, nal, size);
}

/* Adds the prefix NAL unit that OpenH264 writes before that slice (ITU-T H.264 G.7.3.1.1 and G.7.3.2.12). */
static void add_prefix(stream *s, const uint8_t *slice, stream *unit_of) {
    const uint8_t is_idr = (slice[0] & 31) == NALU_NAL_SLICE_IDR, is_reference = (slice[0] & 0x60) != 0;
    const uint8_t prefix[] = {(uint8_t)((slice[0] & 0x60) | 14), (uint8_t)(0x80 | is_idr << 6), 0x80,
        (uint8_t)(is_reference ? 0x07 : 0x27), 0x20};
    add_unit(s, prefix, is_reference ? 5 : 4, unit_of);
}

/* Adds the clip's frames in that form, a set of bits. */
static stream stream_of(int form) {
    static const uint8_t delimiter[] = {9, 0xF0}, message[] = {6, 5, 17, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0x80},
        extension[] = {0x74, 0x80, 0x90, 0x07, 0x88, 0x84, 0x21, 0xA0};
    stream s = {NULL, 0};
    for (int i = 0; i < FRAMES; i++) {
        size_t size = 0;
        expected[i].size = 0;
        nalu_format_description *format = nalu_sample_get_format_description(c.samples[i]);
        if (form & DELIMITER) add_unit(&s, delimiter, sizeof delimiter, &expected[i]);
        for (uint32_t k = 0; k < 2 && (form & SETS || nalu_sample_is_key_frame(c.samples[i])); k++) {
            const uint8_t *set = nalu_format_description_get_parameter_set(format, k, &size);
            add_unit(&s, set, size, NULL);
        }
        if (form & MESSAGE) add_unit(&s, message, sizeof message, &expected[i]);
        for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++) {
            const uint8_t *nal = nalu_sample_get_nal(c.samples[i], k, &size);
            if (!nal_is_slice(nal)) continue;
            add_prefix(&s, nal, &expected[i]);
            add_unit(&s, nal, size, &expected[i]);
        }
        if (form & EXTENSION) add_unit(&s, extension, sizeof extension, &expected[i]);
    }
    return s;
}

static int is_expected(const nalu_sample *sample, int i) {
    size_t size = 0;
    const uint8_t *data = nalu_sample_get_data(sample, &size);
    return size == expected[i].size && memcmp(data, expected[i].bytes, size) == 0;
}

static void a_picture_with_prefixes_is_one_sample(void) {
    static const int pieces[] = {1, 5, RANDOM, WHOLE};
    for (int form = 0; form < FORMS; form++) {
        const stream s = stream_of(form);
        for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
            static parsed p;
            parse_codec(NALU_CODEC_H264, &s, pieces[k], NULL, &p);
            CHECK_EQ(p.problems, 0);
            REQUIRE(CHECK_EQ(p.count, FRAMES));
            for (int i = 0; i < p.count; i++) {
                CHECK(is_expected(p.samples[i], i));
                CHECK_EQ(nalu_sample_get_attachments(p.samples[i]), nalu_sample_get_attachments(c.samples[i]));
            }
            CHECK_EQ(p.statistics.dropped_access_units + p.statistics.frame_number_gaps, 0);
            parsed_release(&p);
        }
        free(s.bytes);
    }
}

/* The last NAL unit belongs to a picture that never arrives. */
static void a_prefix_at_the_end_belongs_to_no_sample(void) {
    static parsed p;
    const uint8_t slice = NALU_NAL_SLICE;
    stream s = stream_of(0);
    add_prefix(&s, &slice, NULL);
    parse_codec(NALU_CODEC_H264, &s, RANDOM, NULL, &p);
    REQUIRE(CHECK_EQ(p.count, FRAMES));
    for (int i = 0; i < p.count; i++) CHECK(is_expected(p.samples[i], i));
    parsed_release(&p);
    free(s.bytes);
}

/* A picture that exceeds the limit is left out entirely: its later slices make no sample. */
static void a_picture_above_the_limit_is_left_out_with_all_slices(void) {
    static uint8_t filler[5000];
    memset(filler, 255, sizeof filler);
    filler[0] = 12;
    static const int pieces[] = {1, RANDOM, WHOLE};
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        static parsed p;
        stream s = {NULL, 0};
        const stream whole = stream_of(0);
        nalu_stream_parser_options options = NALU_STREAM_PARSER_OPTIONS_INIT;
        options.maximum_access_unit_size = 4096;
        /* The filler stands after the first slice of the first picture. */
        size_t offset = 0, end = 0, size = 0;
        const uint8_t *nal = NULL;
        while (nalu_annex_b_next(whole.bytes, whole.size, &offset, &nal, &size) == NALU_STATUS_OK) {
            end = (size_t)(nal - whole.bytes) + size;
            if (nal_is_slice(nal)) break;
        }
        add_bytes(&s, whole.bytes, end);
        add_unit(&s, filler, sizeof filler, NULL);
        add_bytes(&s, whole.bytes + end, whole.size - end);
        parse_codec(NALU_CODEC_H264, &s, pieces[k], &options, &p);
        REQUIRE(CHECK_EQ(p.count, FRAMES - KEY_INTERVAL));
        CHECK_EQ(p.problems, 1);
        CHECK_EQ(p.statistics.dropped_access_units, KEY_INTERVAL);
        for (int i = 0; i < p.count; i++) CHECK(is_expected(p.samples[i], i + KEY_INTERVAL));
        parsed_release(&p);
        free(s.bytes);
        free(whole.bytes);
    }
}

int main(void) {
    clip_open(&c, 64, 64);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session,
        "BaseLayerFrameRateFraction=0.5,MaxKeyFrameInterval=6,x264.params=\"slices=4:threads=1\""));
    clip_encode_all(&c, FRAMES);
    for (int i = 0; i < FRAMES; i++) REQUIRE(CHECK_EQ(sample_slices(c.samples[i]), SLICES));
    RUN(a_picture_with_prefixes_is_one_sample);
    RUN(a_prefix_at_the_end_belongs_to_no_sample);
    RUN(a_picture_above_the_limit_is_left_out_with_all_slices);
    for (int i = 0; i < FRAMES; i++) free(expected[i].bytes);
    clip_close(&c);
    return check_result();
}
