/* The stream with EnableLTR: frame_num of 16 bits, only the necessary key frames, and no gap if frames are
 * dropped. FFmpeg decodes the stream. */
#include "measured.h"

enum { W = 112, H = 96, FRAMES = 50 };

static void make(clip *c, int32_t width, int32_t height, const char *more) {
    clip_open(c, width, height);
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ENABLE_LTR, 1));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, more));
}

/* Returns frame_num, which has `bits` bits, of a sample's first slice; -1 if the sample has no slice. */
static int64_t frame_num(const nalu_sample *sample, uint32_t bits) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0, bit = 8;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        int64_t value = 0;
        if (!nal_is_slice(nal)) continue;
        for (int k = 0; k < 3; k++) (void)bits_ue(nal, size, &bit);
        for (uint32_t k = 0; k < bits; k++, bit++) value = value << 1 | (nal[bit / 8] >> (7 - bit % 8) & 1);
        return value;
    }
    return -1;
}

/* Returns log2_max_frame_num of a Main or Baseline SPS (ITU-T H.264 7.3.2.1.1). */
static uint32_t frame_num_bits(const clip *c) {
    size_t size = 0, bit = 32;
    const uint8_t *set = nalu_format_description_get_parameter_set(
        nalu_sample_get_format_description(c->samples[0]), 0, &size);
    REQUIRE(set[0] % 32 == NALU_NAL_SPS && set[1] != 100);
    (void)bits_ue(set, size, &bit);
    return 4 + bits_ue(set, size, &bit);
}

static const struct {
    const char *name, *properties;
    uint32_t bits;
} streams[] = {
    {"CABAC", "ProfileLevel=H264_Main_AutoLevel", 16},
    {"CABAC, 16 references", "ProfileLevel=H264_Main_AutoLevel,ReferenceBufferCount=16", 16},
    {"CABAC, slices", "ProfileLevel=H264_Main_AutoLevel,x264.params=\"slices=3\"", 16},
    {"CABAC, weights", "ProfileLevel=H264_Main_AutoLevel,x264.params=\"weightp=2:subme=7\"", 16},
    {"CAVLC", "ProfileLevel=H264_ConstrainedBaseline_AutoLevel", 16},
    {"CAVLC, 14 references", "ProfileLevel=H264_ConstrainedBaseline_AutoLevel,ReferenceBufferCount=14", 16},
    {"CAVLC, 16 references", "ProfileLevel=H264_ConstrainedBaseline_AutoLevel,ReferenceBufferCount=16", 13},
    {"CAVLC, slices, weights", "ProfileLevel=H264_Main_AutoLevel,H264EntropyMode=CAVLC,x264.params=\"slices=3:weightp=2\"", 16},
    {"CAVLC, I_PCM", "ProfileLevel=H264_Main_AutoLevel,H264EntropyMode=CAVLC,x264.params=\"crf=1:psy=0:subme=7\"", 16},
};

/* A frame is lost, and the next frame refers to the frame before it. All received frames are shown, and equal
 * those of the complete stream. */
static void check_losses(size_t kind, const int32_t *losses, int32_t count) {
    clip c;
    char what[200];
    stream_file whole, rest;
    make(&c, W, H, streams[kind].properties);
    c.noise = strstr(streams[kind].name, "PCM") ? 500 : 40;
    stream_open(&whole);
    stream_open(&rest);
    int32_t kept[FRAMES], received = 0, next = 0;
    for (int32_t i = 0; i < FRAMES; i++) {
        const bool afterLoss = next > 0 && losses[next - 1] == i - 1;
        const int64_t token = i - 2;
        REQUIRE_OK(clip_encode_ltr(&c, afterLoss ? NALU_FRAME_FORCE_LTR_REFRESH : 0, &token, token >= 0 && afterLoss));
        /* With EnableLTR alone the frame is delivered at once. */
        REQUIRE(CHECK_EQ(c.count, i + 1));
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
        CHECK_EQ(frame_num(c.samples[i], streams[kind].bits), i);
        /* x264 may encode a noisy frame as an intra frame. */
        const bool isPredicted = (nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_DEPENDS_ON_OTHERS) != 0;
        CHECK_EQ(nalu_sample_get_ltr_reference_token(c.samples[i]), !isPredicted ? -1 : afterLoss ? i - 2 : i - 1);
        stream_add(&whole, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
        if (next < count && losses[next] == i) {
            next++;
            continue;
        }
        kept[received++] = i;
        stream_add(&rest, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    }
    CHECK_EQ(frame_num_bits(&c), streams[kind].bits);
    pictures all = stream_decode(&whole, W, H), some = stream_decode(&rest, W, H);
    snprintf(what, sizeof what, "%s: %d of %d pictures shown after losses from %d on", streams[kind].name,
        (int)some.count, (int)received, (int)losses[0]);
    check_that(all.count == FRAMES && some.count == received, __FILE__, __LINE__, "all are shown", what);
    for (int32_t k = 0; k < some.count && some.count == received; k++)
        check_that(same_picture(&all, kept[k], &some, k), __FILE__, __LINE__, "the picture of the whole stream", what);
    pictures_free(&all);
    pictures_free(&some);
    stream_close(&whole);
    stream_close(&rest);
    clip_close(&c);
}

static void losses_around_wrapping_frame_numbers_are_detected(void) {
    static const int32_t first[] = {16, 32, 48}, around[] = {14, 17, 31, 33, 47};
    for (size_t kind = 0; kind < sizeof streams / sizeof *streams; kind++) {
        check_losses(kind, first, 3);
        check_losses(kind, around, 5);
    }
}

/* Frames dropped for DataRateLimits leave no gap in frame_num, cost no key frame, and are never referred to. */
static void check_drops(const char *properties, uint32_t bits) {
    static measured d;
    clip c;
    char what[300];
    stream_file file;
    make(&c, W, H, properties);
    measured_begin(&d, &c);
    stream_open(&file);
    for (int32_t i = 0; i < 300; i++) {
        /* The limit has no room for these bursts. */
        c.noise = i % 40 >= 20 && i % 40 < 24 ? 500 : 10;
        measured_encode(&d, 0);
        CHECK_EQ(d.count + d.drops, c.fed);
    }
    CHECK(d.drops > 5);
    for (int32_t i = 0; i < d.count; i++) {
        snprintf(what, sizeof what, "%s: sample %d", properties, (int)i);
        check_that(!nalu_sample_is_key_frame(d.samples[i]) == (i > 0), __FILE__, __LINE__, "only the first is a key frame", what);
        check_that(frame_num(d.samples[i], bits) == i, __FILE__, __LINE__, "no gap in frame_num", what);
        const bool isPredicted = (nalu_sample_get_attachments(d.samples[i]) & NALU_SAMPLE_DEPENDS_ON_OTHERS) != 0;
        const int64_t before = isPredicted ? nalu_sample_get_ltr_acknowledgement_token(d.samples[i - 1]) : -1;
        check_that(nalu_sample_get_ltr_reference_token(d.samples[i]) == before, __FILE__, __LINE__,
            "it refers to the one delivered before", what);
        stream_add(&file, d.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    }
    pictures all = stream_decode(&file, W, H);
    if (CHECK_EQ(all.count, d.count))
        for (int32_t i = 0; i < d.count; i++) measured_check(&d, &all, i, properties);
    pictures_free(&all);
    stream_close(&file);
    measured_end(&d);
}

static void dropped_frames_leave_no_gap(void) {
    check_drops("DataRateLimits=[2500,0.5],MaxAllowedFrameQP=30,ProfileLevel=H264_Main_AutoLevel", 16);
    check_drops("DataRateLimits=[2500,0.5],MaxAllowedFrameQP=30,ProfileLevel=H264_ConstrainedBaseline_AutoLevel", 16);
}

/* No key frames at intervals or scene cuts. */
static void ltr_streams_have_only_necessary_key_frames(void) {
    clip c;
    make(&c, 64, 48, "x264.preset=veryfast,ProfileLevel=H264_Main_AutoLevel");
    for (int32_t i = 0; i < 320; i++) {
        c.noise = i % 80 < 40 ? 0 : 500;
        REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    }
    for (int32_t i = 0; i < c.count; i++) {
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
        CHECK_EQ(frame_num(c.samples[i], 16), i);
    }
    clip_close(&c);

    make(&c, 64, 48, "MaxKeyFrameInterval=10");
    for (int32_t i = 0; i < 40; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
    for (int32_t i = 0; i < c.count; i++) CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i % 10 == 0);
    clip_close(&c);
}

/* Slices with a longer frame_num keep the size limit. */
static void slices_with_longer_frame_numbers_keep_the_size_limit(void) {
    static const char *modes[] = {"CABAC", "CAVLC"};
    for (int mode = 0; mode < 2; mode++) {
        clip c;
        char properties[100];
        uint32_t largest = 0;
        snprintf(properties, sizeof properties, "MaxH264SliceBytes=500,H264EntropyMode=%s", modes[mode]);
        make(&c, 176, 144, properties);
        c.noise = 300;
        for (int32_t i = 0; i < 40; i++) REQUIRE_OK(clip_encode_ltr(&c, 0, NULL, 0));
        for (int32_t i = 0; i < c.count; i++)
            for (uint32_t k = 0; k < nalu_sample_get_nal_count(c.samples[i]); k++) {
                size_t size = 0;
                const uint8_t *nal = nalu_sample_get_nal(c.samples[i], k, &size);
                if (nal_is_slice(nal) && size > largest) largest = (uint32_t)size;
            }
        CHECK(largest > 450 && largest <= 500);
        clip_close(&c);
    }
}

int main(void) {
    RUN(losses_around_wrapping_frame_numbers_are_detected);
    RUN(dropped_frames_leave_no_gap);
    RUN(ltr_streams_have_only_necessary_key_frames);
    RUN(slices_with_longer_frame_numbers_keep_the_size_limit);
    return check_result();
}
