/* MoreFramesBeforeStart and MoreFramesAfterEnd: chunks of a clip share their parameter sets. Two consecutive
 * IDR pictures differ in idr_pic_id, even if the encoder was flushed between them. */
#include "clip.h"
#include "refusal.h"

/* Returns log2_max_frame_num of the stream (ITU-T H.264 7.3.2.1.1), for x264's High profile without scaling
 * lists. */
static uint32_t frame_num_bits(const clip *c) {
    const nalu_format_description *format = nalu_sample_get_format_description(c->samples[0]);
    size_t size = 0, bit = 32;
    const uint8_t *sps = nalu_format_description_get_parameter_set(format, 0, &size);
    (void)bits_ue(sps, size, &bit); /* seq_parameter_set_id */
    if (sps[1] == 100) {
        for (int i = 0; i < 3; i++) (void)bits_ue(sps, size, &bit);
        bit += 2;
    }
    return bits_ue(sps, size, &bit) + 4;
}

/* Returns idr_pic_id of the sample and checks that all slices have the same; -1 if the sample is not IDR. */
static int idr_pic_id(const clip *c, const nalu_sample *sample) {
    int found = -1;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0, bit = 8;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if ((nal[0] & 31) != NALU_NAL_SLICE_IDR) continue;
        for (int k = 0; k < 3; k++) (void)bits_ue(nal, size, &bit);
        bit += frame_num_bits(c);
        const int id = (int)bits_ue(nal, size, &bit);
        if (found >= 0) CHECK_EQ(id, found);
        found = id;
    }
    return found;
}

static void open_chunk(clip *c, const char *properties) {
    clip_open(c, 96, 80);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
}

static int same_sets(const clip *a, const clip *b) {
    return nalu_format_description_equal(nalu_sample_get_format_description(a->samples[0]),
                                         nalu_sample_get_format_description(b->samples[0]));
}

static void chunks_share_their_parameter_sets(void) {
    static const struct { const char *first, *second; int same; } all[] = {
        {"Quality=0.3", "Quality=0.8", 0},
        {"Quality=0.3,MoreFramesAfterEnd=true", "Quality=0.8,MoreFramesBeforeStart=true", 1},
        {"Quality=0.3,MoreFramesAfterEnd=true", "Quality=0.8,MoreFramesAfterEnd=true,MoreFramesBeforeStart=true", 1},
        {"Quality=0.3,MoreFramesAfterEnd=true,ProfileLevel=H264_High_3_1",
         "AverageBitRate=300000,MaxKeyFrameInterval=5,MoreFramesBeforeStart=true,ProfileLevel=H264_High_3_1", 1},
        {"Quality=0.2,MoreFramesAfterEnd=true,x264.preset=ultrafast",
         "Quality=0.9,MoreFramesBeforeStart=true,x264.preset=ultrafast", 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        clip a, b;
        open_chunk(&a, all[i].first);
        open_chunk(&b, all[i].second);
        b.noise = 200;
        clip_encode(&a, 10);
        clip_encode(&b, 12);
        clip_finish(&a);
        clip_finish(&b);
        check_integers(same_sets(&a, &b), all[i].same, __FILE__, __LINE__, all[i].second);
        clip_close(&a);
        clip_close(&b);
    }
}

/* The first picture of a chunk after another chunk has another idr_pic_id than x264's 0 and 1, and than its
 * neighbours. */
static void first_pictures_of_neighbouring_chunks_have_other_idr_pic_ids(void) {
    const char *modes[] = {"x264.preset=ultrafast", "x264.preset=medium", "x264.preset=medium,H264EntropyMode=CAVLC",
                           "RealTime=true,MaxH264SliceBytes=600"};
    for (int mode = 0; mode < 4; mode++) {
        int last = -1;
        for (int chunk = 0; chunk < 3; chunk++) {
            clip c, plain;
            open_chunk(&c, modes[mode]);
            open_chunk(&plain, modes[mode]);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_MORE_FRAMES_BEFORE_START, chunk > 0));
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, 1));
            REQUIRE_OK(nalu_session_set_bool(plain.session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, 1));
            c.fed = plain.fed = chunk;
            REQUIRE_OK(clip_encode_at(&c, nalu_time_make(chunk, 30), nalu_time_make(1, 30), 0));
            REQUIRE_OK(clip_encode_at(&plain, nalu_time_make(chunk, 30), nalu_time_make(1, 30), 0));
            REQUIRE_OK(nalu_compression_session_complete_frames(c.session, nalu_time_invalid()));
            REQUIRE_OK(nalu_compression_session_complete_frames(plain.session, nalu_time_invalid()));
            REQUIRE(c.count == 1 && plain.count == 1);
            const int id = idr_pic_id(&c, c.samples[0]);
            CHECK_EQ(idr_pic_id(&plain, plain.samples[0]), 0);
            CHECK(chunk == 0 ? id == 0 : id >= 4095 && id <= 8190);
            CHECK(id != last);
            last = id;
            /* Each slice is three bytes longer, apart from added or removed emulation prevention bytes. */
            size_t a = 0, b = 0;
            (void)nalu_sample_get_data(c.samples[0], &a);
            (void)nalu_sample_get_data(plain.samples[0], &b);
            const size_t longer = chunk ? 3u * (size_t)sample_slices(c.samples[0]) : 0;
            CHECK(a >= b + longer - (chunk ? 4 : 0) && a <= b + longer + (chunk ? 4 : 0));
            clip_close(&c);
            clip_close(&plain);
        }
    }
}

/* Two consecutive IDR pictures always differ, wherever the encoder was flushed. */
static void consecutive_idr_pictures_differ_after_a_flush(void) {
    const char *modes[] = {"MaxKeyFrameInterval=1", "MaxKeyFrameInterval=1,H264EntropyMode=CAVLC,x264.preset=ultrafast",
                           "MaxKeyFrameInterval=3", "MaxKeyFrameInterval=1,MoreFramesBeforeStart=true"};
    for (int mode = 0; mode < 4; mode++) {
        clip c;
        open_chunk(&c, modes[mode]);
        const int32_t groups[] = {1, 1, 1, 2, 3, 1, 4};
        for (int i = 0; i < 7; i++) {
            clip_encode_all(&c, groups[i]);
        }
        int last = -1;
        for (int i = 0; i < c.count; i++) {
            const int id = idr_pic_id(&c, c.samples[i]);
            if (id >= 0) CHECK(id != last);
            last = id;
        }
        clip_close(&c);
    }
}

static void more_frames_properties_are_set_and_read(void) {
    const char *keys[] = {NALU_PROPERTY_MORE_FRAMES_BEFORE_START, NALU_PROPERTY_MORE_FRAMES_AFTER_END};
    clip c;
    int32_t value = -1;
    open_chunk(&c, "MoreFramesBeforeStart=true");
    clip_encode(&c, 1);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(nalu_session_get_bool(c.session, keys[i], &value));
        CHECK_EQ(value, i == 0);
        CHECK_OK(nalu_session_set_bool(c.session, keys[i], i == 0));
        REFUSED(nalu_session_set_bool(c.session, keys[i], i != 0), NALU_STATUS_TOO_LATE, keys[i]);
    }
    clip_finish(&c);
    clip_close(&c);
}

int main(void) {
    RUN(chunks_share_their_parameter_sets);
    RUN(first_pictures_of_neighbouring_chunks_have_other_idr_pic_ids);
    RUN(consecutive_idr_pictures_differ_after_a_flush);
    RUN(more_frames_properties_are_set_and_read);
    return check_result();
}
