/* MaxH264SliceBytes and NaluAllowMultipleSlices: the sizes and the number of slice NAL units. */
#include "clip.h"
#include "refusal.h"

enum { NOISE_WIDTH = 96, NOISE_HEIGHT = 64 };

static size_t largest_slice(const nalu_sample *sample) {
    size_t largest = 0;
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        size_t size = 0;
        const uint8_t *nal = nalu_sample_get_nal(sample, i, &size);
        if (nal_is_slice(nal) && size > largest) largest = size;
    }
    return largest;
}

static void open_noisy(clip *c) {
    clip_open(c, 176, 144);
    c->noise = 200;
    REQUIRE_OK(nalu_session_set_double(c->session, NALU_PROPERTY_QUALITY, 0.75));
}

static void no_slice_exceeds_the_limit(void) {
    const int64_t limits[] = {500, 700, 1400};
    for (int low_delay = 0; low_delay < 2; low_delay++)
        for (int i = 0; i < 3; i++) {
            clip c;
            open_noisy(&c);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, low_delay));
            REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, limits[i]));
            clip_encode_all(&c, 6);
            for (int k = 0; k < c.count; k++) {
                CHECK(largest_slice(c.samples[k]) <= (size_t)limits[i]);
                if (nalu_sample_is_key_frame(c.samples[k])) CHECK(sample_slices(c.samples[k]) > 3);
            }
            clip_close(&c);
        }
}

/* Encodes frames of black and white noise, which has the largest macroblocks. */
static void encode_noise(clip *c, const char *properties) {
    enum { PIXELS = NOISE_WIDTH * NOISE_HEIGHT };
    static uint8_t pixels[PIXELS * 3 / 2];
    const void *planes[2] = {pixels, pixels + PIXELS};
    const int64_t strides[2] = {NOISE_WIDTH, NOISE_WIDTH};
    uint32_t state = 1;
    clip_open(c, NOISE_WIDTH, NOISE_HEIGHT);
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, properties));
    for (int frame = 0; frame < 3; frame++) {
        for (size_t i = 0; i < sizeof pixels; i++) {
            state = state * 1664525 + 1013904223;
            pixels[i] = state >> 31 ? 255 : 0;
        }
        REQUIRE_OK(nalu_compression_session_encode_planes(
            c->session, NOISE_WIDTH, NOISE_HEIGHT, NALU_PIXEL_FORMAT_420F, 2, planes, strides, NULL,
            nalu_time_make(frame, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    }
    REQUIRE_OK(nalu_compression_session_complete_frames(c->session, nalu_time_invalid()));
    CHECK_EQ(c->count, 3);
}

/* The limits that structure.h promises for every frame, at the lowest QPs that the session accepts. */
static void noise_keeps_the_promised_limits(void) {
    static const char *const modes[] = {"CABAC", "CAVLC"};
    static const struct { size_t limit; const char *properties; } cases[] = {
        {1000, "x264.params=\"qp=1\""},
        {1400, "OutputBitDepth=10,x264.params=\"qp=1\""},
        {500, "MinAllowedFrameQP=22,MaxAllowedFrameQP=22"},
        {500, "OutputBitDepth=10,MinAllowedFrameQP=22,MaxAllowedFrameQP=22"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int mode = 0; mode < 2; mode++) {
            clip c;
            char properties[200];
            snprintf(properties, sizeof properties, "RealTime=true,MaxH264SliceBytes=%zu,H264EntropyMode=%s,%s", cases[i].limit,
                     modes[mode], cases[i].properties);
            encode_noise(&c, properties);
            for (int k = 0; k < c.count; k++)
                if (!CHECK(largest_slice(c.samples[k]) <= cases[i].limit))
                    fprintf(stderr, "%s: %zu bytes\n", properties, largest_slice(c.samples[k]));
            clip_close(&c);
        }
}

static void a_macroblock_larger_than_the_limit_is_a_slice(void) {
    clip c;
    encode_noise(&c, "RealTime=true,MaxH264SliceBytes=500,MaxAllowedFrameQP=0");
    for (int k = 0; k < c.count; k++) {
        CHECK_EQ(sample_slices(c.samples[k]), NOISE_WIDTH / 16 * (NOISE_HEIGHT / 16));
        CHECK(largest_slice(c.samples[k]) > 500 && largest_slice(c.samples[k]) <= 1000);
    }
    clip_close(&c);
}

static void without_a_limit_a_frame_is_one_slice(void) {
    clip c;
    open_noisy(&c);
    clip_encode_all(&c, 3);
    for (int i = 0; i < c.count; i++) CHECK_EQ(sample_slices(c.samples[i]), 1);
    CHECK(largest_slice(c.samples[0]) > 1400);
    clip_close(&c);
}

/* A change takes effect with the next encoded frame, without a key frame. */
static void the_slice_limit_can_change_while_encoding(void) {
    clip c;
    open_noisy(&c);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, 1400));
    clip_encode(&c, 5);
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, 500));
    clip_encode(&c, 5);
    CHECK_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_H264_SLICE_BYTES, 1000));
    clip_encode_all(&c, 5);
    size_t largest[3] = {0, 0, 0};
    for (int i = 0; i < c.count; i++) {
        const size_t slice = largest_slice(c.samples[i]);
        if (slice > largest[i / 5]) largest[i / 5] = slice;
        CHECK_EQ(nalu_sample_is_key_frame(c.samples[i]), i == 0);
    }
    CHECK(largest[0] <= 1400 && largest[0] > 1000);
    CHECK(largest[1] <= 500);
    CHECK(largest[2] <= 1000 && largest[2] > 500);
    clip_close(&c);
}

static void multiple_slices_can_be_excluded(void) {
    for (int low_delay = 0; low_delay < 3; low_delay++) {
        clip c;
        open_noisy(&c);
        if (low_delay == 1) REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
        if (low_delay == 2) REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 5));
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_MULTIPLE_SLICES, 0));
        clip_encode_all(&c, 8);
        for (int i = 0; i < c.count; i++) CHECK_EQ(sample_slices(c.samples[i]), 1);
        clip_close(&c);
    }
    /* With the default, true, a low-delay session with four threads writes four slices. */
    clip c;
    clip_open(&c, 176, 288);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "threads=4"));
    clip_encode_all(&c, 4);
    for (int i = 0; i < c.count; i++) CHECK_EQ(sample_slices(c.samples[i]), 4);
    clip_close(&c);
}

int main(void) {
    RUN(no_slice_exceeds_the_limit);
    RUN(noise_keeps_the_promised_limits);
    RUN(a_macroblock_larger_than_the_limit_is_a_slice);
    RUN(without_a_limit_a_frame_is_one_slice);
    RUN(the_slice_limit_can_change_while_encoding);
    RUN(multiple_slices_can_be_excluded);
    return check_result();
}
