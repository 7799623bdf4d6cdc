/* MaxAllowedFrameQP and MinAllowedFrameQP while encoding. FFmpeg reports the QP of every macroblock. */
#include "clip.h"
#include "ffmpeg.h"

enum { FRAMES = 36, CHANGES = 3 };

typedef struct change {
    int32_t frame; /* the first frame with these bounds */
    int64_t least, most; /* -1: unset */
} change;

static void set(clip *c, const char *key, int64_t value) {
    if (value < 0) REQUIRE_OK(nalu_session_unset_property(c->session, key));
    else REQUIRE_OK(nalu_session_set_int64(c->session, key, value));
}

static void check_samples(const clip *c) {
    for (int32_t i = 0; i < c->count; i++) {
        const nalu_time decode = nalu_sample_get_decode_time(c->samples[i]);
        CHECK(nalu_time_compare(decode, nalu_sample_get_presentation_time(c->samples[i])) <= 0);
        if (i > 0) CHECK(nalu_time_compare(nalu_sample_get_decode_time(c->samples[i - 1]), decode) < 0);
        CHECK_PTR_EQ(nalu_sample_get_format_description(c->samples[i]),
            nalu_sample_get_format_description(c->samples[0]));
    }
}

/* Checks that every macroblock of a frame is in the bounds that held when the frame was encoded. Exactly the
 * frames with changed bounds must be key frames. */
static void try_changes(const char *mode, const change changes[CHANGES]) {
    int least[FRAMES + 8], most[FRAMES + 8];
    clip c;
    clip_open(&c, 96, 80);
    c.noise = 140;
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, mode));
    for (int32_t i = 0; i < FRAMES; i++) {
        for (int k = 0; k < CHANGES; k++) {
            if (changes[k].frame != i) continue;
            set(&c, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, -1);
            set(&c, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, changes[k].most);
            set(&c, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, changes[k].least);
        }
        clip_encode(&c, 1);
    }
    clip_finish(&c);
    check_samples(&c);
    stream_file stream;
    stream_open(&stream);
    for (int32_t i = 0; i < c.count; i++) {
        stream_add(&stream, c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
        const int32_t frame = (int32_t)nalu_sample_get_presentation_time(c.samples[i]).value;
        bool change = false;
        for (int k = 0; k < CHANGES; k++) change |= changes[k].frame == frame;
        check_that(nalu_sample_is_key_frame(c.samples[i]) == change, __FILE__, __LINE__, "key frame", mode);
    }
    REQUIRE(CHECK_EQ(stream_qp_ranges(&stream, least, most, FRAMES + 8), FRAMES));
    for (int32_t i = 0, k = 0; i < FRAMES; i++) {
        char what[160];
        if (k + 1 < CHANGES && changes[k + 1].frame <= i) k++;
        snprintf(what, sizeof what, "frame %d has QP %d to %d; expected %d to %d; %s", i, least[i], most[i],
            (int)changes[k].least, (int)changes[k].most, mode);
        check_that(changes[k].least < 0 || least[i] >= changes[k].least, __FILE__, __LINE__, "least", what);
        check_that(changes[k].most < 0 || most[i] <= changes[k].most, __FILE__, __LINE__, "most", what);
    }
    stream_close(&stream);
    clip_close(&c);
}

static void every_macroblock_is_within_the_live_qp_bounds(void) {
    static const char *modes[] = {
        "Quality=0.5,x264.params=\"scenecut=0\"",
        "AverageBitRate=300000,x264.params=\"scenecut=0\"",
        "x264.params=\"bframes=3:b-adapt=0:scenecut=0:rc-lookahead=12\"",
        "RealTime=true,AverageBitRate=100000,x264.params=\"scenecut=0\"",
        "MaxFrameDelayCount=6,x264.params=\"scenecut=0\"",
        "x264.params=\"crf=20:scenecut=0\"",
    };
    static const change to_finer[CHANGES] = {{0, -1, -1}, {11, -1, 18}, {23, 5, 9}};
    static const change to_coarser[CHANGES] = {{0, -1, 20}, {7, 38, -1}, {25, 44, 46}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        try_changes(modes[i], to_finer);
        try_changes(modes[i], to_coarser);
    }
}

/* Nothing changes if a bound is set to its old value again, or is restored before the next frame. */
static void equal_qp_bounds_change_nothing(void) {
    clip c;
    clip_open(&c, 96, 80);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 30));
    clip_encode(&c, 5);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 30));
    clip_encode(&c, 5);
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 20));
    REQUIRE_OK(nalu_session_unset_property(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 30));
    clip_encode_all(&c, 5);
    for (int32_t i = 1; i < c.count; i++) CHECK(!nalu_sample_is_key_frame(c.samples[i]));
    clip_close(&c);
}

/* Invalidates a session while frames with other bounds are pending. All frames are delivered. */
static void invalidate_delivers_frames_with_other_qp_bounds(void) {
    for (int32_t frames = 1; frames < 12; frames++) {
        clip c;
        clip_open(&c, 96, 80);
        clip_encode(&c, frames);
        REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_ALLOWED_FRAME_QP, 20));
        clip_encode(&c, 1);
        REQUIRE_OK(nalu_compression_session_invalidate(c.session));
        CHECK_EQ(c.count + c.failures, frames + 1);
        clip_close(&c);
    }
}

/* The rate is kept in spite of changes, because the bits of their key frames do not add up. */
static void the_rate_is_kept_while_qp_bounds_change(void) {
    clip c;
    clip_open(&c, 176, 144);
    c.noise = 200;
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 400000));
    for (int32_t i = 0; i < 300; i++) {
        if (i % 30 == 0)
            REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MIN_ALLOWED_FRAME_QP, 1 + i / 30 % 2));
        clip_encode(&c, 1);
    }
    clip_finish(&c);
    const double rate = (double)clip_bytes(&c) * 8 / 10;
    char what[60];
    snprintf(what, sizeof what, "%.0f bits per second", rate);
    check_that(rate > 360000 && rate < 440000, __FILE__, __LINE__, "rate near 400000", what);
    clip_close(&c);
}

int main(void) {
    RUN(every_macroblock_is_within_the_live_qp_bounds);
    RUN(equal_qp_bounds_change_nothing);
    RUN(invalidate_delivers_frames_with_other_qp_bounds);
    RUN(the_rate_is_kept_while_qp_bounds_change);
    return check_result();
}
