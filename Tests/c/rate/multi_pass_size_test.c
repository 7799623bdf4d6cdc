/*
 * The last pass is within 2 % of AverageBitRate times duration: on real clips if scripts/fetch_clips has
 * downloaded them, otherwise on an animation; at several rates, with and without B-frames, and on clips of at
 * most a second. A clip with a still scene and a noisy scene needs two passes. A rate that the content cannot
 * use ends after few passes, and never exceeds a fixed level.
 */
#include "movie.h"

/* Returns the relative difference between the size of the last pass and the requested size. */
static double encode(const movie *m, int32_t frames, int64_t rate, const char *properties, int *passes) {
    double size = 0, asked = movie_asked_size(m, frames, rate);
    nalu_compression_session *session = movie_open(m, rate, properties, &size);
    nalu_multi_pass_storage *storage = NULL;
    int32_t again = 1;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    for (*passes = 0; again; ++*passes) {
        size = 0;
        REQUIRE_OK(nalu_compression_session_begin_pass(session, 0));
        for (int32_t i = 0; i < frames; i++) REQUIRE_OK(movie_encode(session, m, i));
        REQUIRE_OK(nalu_compression_session_end_pass(session, &again));
    }
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
    printf("  %dx%d, %d frames, %lld b/s, %s: %d passes, %+.2f %%\n", m->width, m->height, frames, (long long)rate,
           properties, *passes, (size / asked - 1) * 100);
    return size / asked - 1;
}

static void check_sizes(const movie *m, int32_t frames, const int64_t *rates, const char *preset) {
    for (int number = 0; *rates; rates++)
        for (int reorders = 0; reorders < 2; reorders++) {
            if (!is_tried(number++)) continue;
            char properties[128];
            int passes;
            /* Medium with the search of veryfast: the sizes depend on its lookahead and macroblock tree. */
            snprintf(properties, sizeof properties, "x264.preset=%s,AllowFrameReordering=%s%s", preset, reorders ? "true" : "false",
                strcmp(preset, "medium") == 0 ? ",x264.params=\"subme=2:ref=1:trellis=0\"" : "");
            CHECK(fabs(encode(m, frames, *rates, properties, &passes)) <= 0.02);
            CHECK(passes >= 2 && passes <= 6);
        }
}

/* Motion, a still picture, motion, noise, and motion. For each scene the first pass predicts a different wrong
 * size. */
static void an_uneven_clip_reaches_its_size(void) {
    enum { FRAMES = 300, MOVING = 120, STILL = 60, NOISE = 200 };
    movie moving = movie_load_or_draw(movie_draw_waves, "carphone_pristine", 176, 144, MOVING, 30000, 1001), m = moving;
    uint32_t random = 1;
    m.pixels = (uint8_t *)malloc(FRAMES * m.frame_size);
    REQUIRE(m.pixels);
    for (int32_t i = 0; i < FRAMES; i++) {
        uint8_t *to = m.pixels + (size_t)i * m.frame_size;
        memcpy(to, moving.pixels + (size_t)(i >= STILL && i < STILL + 80 ? STILL : i % MOVING) * m.frame_size, m.frame_size);
        for (size_t k = 0; i >= NOISE && i < NOISE + 50 && k < m.frame_size; k++) {
            random = random * 1664525u + 1013904223u;
            to[k] = (uint8_t)(to[k] / 2 + (random >> 25));
        }
    }
    int passes;
    CHECK(fabs(encode(&m, FRAMES, 200000, "x264.preset=veryfast", &passes)) <= 0.015);
    CHECK_EQ(passes, 2);
    free(moving.pixels);
    free(m.pixels);
}

static void a_small_clip_reaches_its_size(void) {
    movie m = movie_load_or_draw(movie_draw_waves, "carphone_pristine", 176, 144, 120, 30000, 1001);
    check_sizes(&m, 120, (const int64_t[]){60000, 150000, 400000, 0}, "medium");
    check_sizes(&m, 60, (const int64_t[]){150000, 0}, "medium");
    check_sizes(&m, 30, (const int64_t[]){150000, 0}, "medium");
    check_sizes(&m, 12, (const int64_t[]){150000, 0}, "medium");
    /* No content needs such a rate: the passes end before the size is reached. */
    int passes;
    CHECK(encode(&m, 12, 200000000, "x264.preset=veryfast", &passes) < -0.02);
    CHECK(passes <= 4);
    /* If the requested rate is the level's maximum, further passes do not request a higher one. */
    CHECK(encode(&m, 60, 768000, "ProfileLevel=H264_Baseline_1_3,x264.preset=veryfast,MinAllowedFrameQP=20", &passes) < -0.02);
    CHECK(passes <= 6);
    free(m.pixels);
}

static void a_clip_of_ten_seconds_reaches_its_size(void) {
    movie m = movie_load_or_draw(movie_draw_waves, "bikes", 640, 272, 250, 25, 1);
    check_sizes(&m, 250, (const int64_t[]){400000, 1500000, 0}, "superfast");
    free(m.pixels);
}

static void a_large_clip_reaches_its_size(void) {
    movie m = movie_load_or_draw(movie_draw_waves, "bigbuckbunny", 1280, 720, 66, 25, 1);
    check_sizes(&m, 66, (const int64_t[]){1500000, 0}, "superfast");
    free(m.pixels);
}

/* Gaps of several seconds. The full length of a gap is not passed to the encoder. */
static void frames_with_gaps_reach_their_size(void) {
    movie m = movie_load_or_draw(movie_draw_waves, "carphone_pristine", 176, 144, 120, 2, 5);
    int passes;
    CHECK(fabs(encode(&m, 60, 24000, "x264.preset=veryfast", &passes)) <= 0.02);
    free(m.pixels);
}

int main(void) {
    RUN(a_small_clip_reaches_its_size);
    RUN(an_uneven_clip_reaches_its_size);
    RUN(a_clip_of_ten_seconds_reaches_its_size);
    if (is_tried(1)) RUN(a_large_clip_reaches_its_size);
    RUN(frames_with_gaps_reach_their_size);
    return check_result();
}
