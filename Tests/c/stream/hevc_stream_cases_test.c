/* H.265 streams that x265 does not produce, made from its streams: broken links, other layers, lost slices,
 * wrapped picture order counts, missing parameter sets. FFmpeg decodes the parser's samples in the same way as
 * the stream. */
#include "hevc_stream.h"

static hevc_clip video;
static parsed whole;

/* Rebuilds the clip from its NAL units with start codes. `change` modifies a NAL unit, or returns 0 to omit
 * it. */
typedef struct unit {
    uint8_t bytes[1 << 16];
    size_t size;
    int type, number, picture, slice; /* number among all NAL units, of the picture, and of the slice in it */
} unit;

static stream changed(int (*change)(unit *, stream *)) {
    static const uint8_t code[] = {0, 0, 0, 1};
    static unit u;
    stream result = {NULL, 0};
    size_t offset = 0;
    const uint8_t *nal;
    u.number = u.picture = u.slice = -1;
    while (nalu_annex_b_next(video.bytes.bytes, video.bytes.size, &offset, &nal, &u.size) == NALU_STATUS_OK) {
        REQUIRE(u.size < sizeof u.bytes);
        memcpy(u.bytes, nal, u.size);
        u.type = nal[0] >> 1 & 63;
        u.number++;
        if (u.type < 32) {
            u.slice = nal[2] & 0x80 ? 0 : u.slice + 1;
            u.picture += u.slice == 0;
        }
        if (!change(&u, &result)) continue;
        add_bytes(&result, code, 4);
        add_bytes(&result, u.bytes, u.size);
    }
    return result;
}

static stream bytes_of(const parsed *p) {
    stream result = {NULL, 0};
    for (int i = 0; i < p->count; i++) add_sample(&result, p->samples[i]);
    return result;
}

/* Parses the stream. Checks that FFmpeg decodes the same pictures from the samples as from the stream. */
static void check_same_pictures(const stream *s, parsed *p) {
    parse(s, RANDOM, NULL, p);
    CHECK_EQ(p->problems, 0);
    check_times(p);
    stream out = bytes_of(p), texts[2];
    decode_together((const stream *const[]){s, &out}, 2, texts);
    CHECK(lines(&texts[0]) > 0);
    CHECK_STR_EQ((const char *)texts[1].bytes, (const char *)texts[0].bytes);
    free(out.bytes), free(texts[0].bytes), free(texts[1].bytes);
}

static int break_links(unit *u, stream *s) {
    (void)s;
    if (u->type == NALU_HEVC_NAL_CRA) u->bytes[0] = NALU_HEVC_NAL_BLA_W_LP << 1;
    return 1;
}

/* The leading pictures of a broken link are left out, and the picture is a key frame. */
static void leading_pictures_of_a_broken_link_are_left_out(void) {
    static parsed p;
    stream s = changed(break_links);
    int skipped = 0, links = 0;
    for (int i = 0; i < whole.count; i++) {
        const int type = hevc_slice_type(whole.samples[i]);
        skipped += type == NALU_HEVC_NAL_RASL_N || type == NALU_HEVC_NAL_RASL_R;
        links += type == NALU_HEVC_NAL_CRA;
    }
    REQUIRE(skipped > 3 && links > 1);
    check_same_pictures(&s, &p);
    CHECK_EQ(p.count, whole.count - skipped);
    CHECK_EQ(p.statistics.dropped_access_units, skipped);
    for (int i = 0; i < p.count; i++) {
        if (nalu_sample_is_key_frame(p.samples[i])) links -= hevc_slice_type(p.samples[i]) == NALU_HEVC_NAL_BLA_W_LP;
    }
    CHECK_EQ(links, 0);
    parsed_release(&p);
    free(s.bytes);
}

static int add_layer(unit *u, stream *s) {
    /* The added NAL units belong to the same picture as the unit before them. */
    static const uint8_t others[] = {0, 0, 1, 0x02, 0x09, 0x80, 0, 0, 1, 0x42, 0x09, 0x11, 0, 0, 1, 0x4e, 0x09, 0x05, 0x80};
    if (u->type < 32 && u->slice == 1) add_bytes(s, others, sizeof others);
    return 1;
}

static void other_layers_are_kept_in_their_access_unit(void) {
    static parsed p;
    stream s = changed(add_layer);
    parse(&s, 1, NULL, &p);
    CHECK_EQ(p.problems, 0);
    REQUIRE(CHECK_EQ(p.count, whole.count));
    for (int i = 0; i < p.count; i++) {
        CHECK_EQ(nalu_sample_get_nal_count(p.samples[i]), nalu_sample_get_nal_count(whole.samples[i]) + 3);
        CHECK_EQ(nalu_sample_get_attachments(p.samples[i]), nalu_sample_get_attachments(whole.samples[i]));
        CHECK_EQ(nalu_format_description_equal(nalu_sample_get_format_description(p.samples[i]),
            nalu_sample_get_format_description(whole.samples[i])), 1);
    }
    parsed_release(&p);
    free(s.bytes);
}

static int add_messages(unit *u, stream *s) {
    /* Decoding unit information (payload type 130) stands before each slice of a picture; its content does not matter here. */
    static const uint8_t message[] = {0, 0, 1, 0x4e, 0x01, 130, 1, 0x80, 0x80};
    if (u->type < 32) add_bytes(s, message, sizeof message);
    return 1;
}

/* ITU-T H.265 7.4.2.4.4: prefix SEI begins an access unit only before the first slice. */
static void prefix_messages_can_stand_between_the_slices_of_a_picture(void) {
    static const int pieces[] = {1, RANDOM, WHOLE};
    stream s = changed(add_messages);
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        static parsed p;
        parse(&s, pieces[k], NULL, &p);
        CHECK_EQ(p.problems, 0);
        REQUIRE(CHECK_EQ(p.count, whole.count));
        for (int i = 0; i < p.count; i++) {
            uint32_t slices = 0, messages = 0;
            for (uint32_t n = 0; n < nalu_sample_get_nal_count(p.samples[i]); n++) {
                size_t size = 0;
                const uint8_t *nal = nalu_sample_get_nal(p.samples[i], n, &size);
                slices += (nal[0] >> 1 & 63) < 32;
                messages += size == 6 && nal[2] == 130;
            }
            CHECK_EQ(slices, 2);
            CHECK_EQ(messages, 2);
            CHECK_EQ(nalu_sample_get_attachments(p.samples[i]), nalu_sample_get_attachments(whole.samples[i]));
        }
        parsed_release(&p);
    }
    free(s.bytes);
}

static int lose_first_slices(unit *u, stream *s) {
    (void)s;
    return !(u->type < 32 && u->slice == 0 && u->picture % 2 == 1);
}

/* Pictures without their first slice are still separate pictures. */
static void pictures_without_their_first_slice_are_separate(void) {
    static parsed p;
    stream s = changed(lose_first_slices);
    parse(&s, RANDOM, NULL, &p);
    CHECK_EQ(p.problems, 0);
    REQUIRE(CHECK_EQ(p.count, whole.count));
    for (int i = 0; i < p.count; i++) {
        CHECK_EQ(hevc_slice_type(p.samples[i]), hevc_slice_type(whole.samples[i]));
        CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(p.samples[i]),
            nalu_sample_get_presentation_time(whole.samples[i])), 0);
    }
    parsed_release(&p);
    free(s.bytes);
}

static int lose_video_sets(unit *u, stream *s) {
    (void)s;
    return u->type != NALU_HEVC_NAL_VPS;
}

static int lose_picture_sets(unit *u, stream *s) {
    (void)s;
    return u->type != NALU_HEVC_NAL_PPS || u->picture > 4;
}

static void samples_need_their_parameter_sets(void) {
    static parsed p;
    stream s = changed(lose_video_sets);
    parse(&s, RANDOM, NULL, &p);
    CHECK_EQ(p.count, 0);
    CHECK_STATUS(p.first_problem, NALU_STATUS_BAD_DATA);
    CHECK_EQ(p.statistics.dropped_access_units, whole.count);
    free(s.bytes);
    /* Samples begin again at the next random access picture. */
    s = changed(lose_picture_sets);
    parse(&s, RANDOM, NULL, &p);
    CHECK_STATUS(p.first_problem, NALU_STATUS_BAD_DATA);
    CHECK(p.count > 0 && p.count < whole.count);
    CHECK_EQ(hevc_slice_type(p.samples[0]), NALU_HEVC_NAL_CRA);
    parsed_release(&p);
    free(s.bytes);
}

/* More pictures than slice headers can number, and times from the caller. */
static void picture_order_counts_can_wrap(void) {
    hevc_clip many = hevc_clip_of("96x64", 300, "yuv420p", "keyint=-1:bframes=4:b-adapt=0");
    static parsed p;
    parse(&many.bytes, RANDOM, NULL, &p);
    REQUIRE(CHECK_EQ(p.count, 300));
    for (int i = 0; i < p.count; i++) {
        CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_presentation_time(p.samples[i])), many.packets[i].pts, 1e-5);
    }
    stream *units = (stream *)calloc(300, sizeof *units);
    nalu_stream_parser *parser = NULL;
    REQUIRE(units);
    REQUIRE_OK(nalu_stream_parser_create(NALU_CODEC_HEVC, NULL, &parser));
    for (int i = 0; i < 300; i++) {
        add_sample(&units[i], p.samples[i]);
        REQUIRE_OK(nalu_stream_parser_push(parser, units[i].bytes, units[i].size,
            nalu_time_make(90000 + (int64_t)(many.packets[i].pts * 25 + 0.5) * 3003, 90000)));
        free(units[i].bytes);
    }
    free(units);
    parsed_release(&p);
    REQUIRE_OK(nalu_stream_parser_finish(parser));
    memset(&p, 0, sizeof p);
    fetch(parser, &p, NALU_STATUS_VALUE_NOT_AVAILABLE);
    REQUIRE(CHECK_EQ(p.count, 300));
    check_times(&p);
    for (int i = 0; i < p.count; i++) {
        const nalu_time pts = nalu_sample_get_presentation_time(p.samples[i]);
        CHECK_EQ(pts.value, 90000 + (int64_t)(many.packets[i].pts * 25 + 0.5) * 3003);
        CHECK_EQ(pts.timescale, 90000);
    }
    parsed_release(&p);
    nalu_stream_parser_release(parser);
    free(many.bytes.bytes);
}

int main(void) {
    video = hevc_clip_of("160x96", 40, "yuv420p",
        "keyint=12:min-keyint=12:bframes=3:b-adapt=0:open-gop=1:scenecut=0:slices=2:ctu=16:repeat-headers=1");
    parse(&video.bytes, WHOLE, NULL, &whole);
    REQUIRE(CHECK_EQ(whole.count, 40));
    RUN(leading_pictures_of_a_broken_link_are_left_out);
    RUN(other_layers_are_kept_in_their_access_unit);
    RUN(prefix_messages_can_stand_between_the_slices_of_a_picture);
    RUN(pictures_without_their_first_slice_are_separate);
    RUN(samples_need_their_parameter_sets);
    RUN(picture_order_counts_can_wrap);
    parsed_release(&whole);
    free(video.bytes.bytes);
    return check_result();
}
