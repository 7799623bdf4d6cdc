/*
 * Clips that are hard for DataRateLimits, and checks of their samples. For one test thread. LIMITED_SHRINK, defined before
 * the include, divides the width and the height.
 */
#ifndef NALU_TESTS_LIMITED_CLIPS_H
#define NALU_TESTS_LIMITED_CLIPS_H

#include "check.h"

#ifndef LIMITED_SHRINK
#define LIMITED_SHRINK 1
#endif

enum { WIDTH = 320 / LIMITED_SHRINK, HEIGHT = 180 / LIMITED_SHRINK, SIZE = WIDTH * HEIGHT * 3 / 2, RATE = 30, FRAMES = 150 };

/* ---- The clips ---------------------------------------------------------------------------------------------- */

static uint32_t random_state;
static inline uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static inline void draw_noise(uint8_t *p, int frame) {
    random_state = (uint32_t)frame * 2654435761u + 1;
    for (int i = 0; i < SIZE; i++) p[i] = (uint8_t)next_random();
}

/* Draws a textured scene that moves. Each number `scene` gives a different texture. */
static inline void draw_scene(uint8_t *p, int scene, int motion) {
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            unsigned a = (unsigned)(x + motion * 3 + scene * 131), b = (unsigned)(y + motion + scene * 57);
            p[y * WIDTH + x] = (uint8_t)(48 + ((a * b >> 5 & 63) + (a * 7 + b * 13) % 61 + (a >> 3 ^ b >> 3) % 29));
        }
    memset(p + WIDTH * HEIGHT, 100 + scene * 37 % 60, SIZE - WIDTH * HEIGHT);
}

static inline void cut_to_noise(uint8_t *p, int frame) {
    if (frame < 60) draw_scene(p, 0, frame);
    else draw_noise(p, frame);
}
static inline void flashing(uint8_t *p, int frame) {
    draw_scene(p, frame / 40, frame);
    if (frame % 4 == 0)
        for (int i = 0; i < WIDTH * HEIGHT; i++) p[i] = (uint8_t)(255 - p[i] / 3);
}
static inline void fade(uint8_t *p, int frame) {
    draw_scene(p, 1, frame);
    int level = frame % 60 < 30 ? frame % 30 : 30 - frame % 30;
    for (int i = 0; i < WIDTH * HEIGHT; i++) p[i] = (uint8_t)(16 + (p[i] - 16) * level / 30);
}
static inline void static_then_motion(uint8_t *p, int frame) { draw_scene(p, 2, frame < 70 ? 0 : frame * 5); }
static inline void cut_each_third_frame(uint8_t *p, int frame) { draw_scene(p, frame / 3, frame); }

static const struct clip {
    const char *name;
    void (*draw)(uint8_t *p, int frame);
} clips[] = {{"cut to noise", cut_to_noise}, {"flashing", flashing}, {"fade", fade},
             {"static, then motion", static_then_motion}, {"a cut each third frame", cut_each_third_frame}};
enum { CLIPS = sizeof clips / sizeof clips[0] };

/* Returns a picture. The pictures of `clips` are drawn once for all sessions. A picture of another clip is
 * drawn at each call and stays valid until the next call. */
static inline const uint8_t *picture_of(const struct clip *clip, int frame) {
    static uint8_t *drawn[CLIPS][FRAMES], other[SIZE];
    for (int c = 0; c < CLIPS; c++) {
        if (clip != &clips[c]) continue;
        if (!drawn[c][frame]) {
            drawn[c][frame] = (uint8_t *)malloc(SIZE);
            REQUIRE(drawn[c][frame] != NULL);
            clip->draw(drawn[c][frame], frame);
        }
        return drawn[c][frame];
    }
    clip->draw(other, frame);
    return other;
}

/* ---- Samples ------------------------------------------------------------------------------------------------ */

typedef struct result {
    int frames, samples, dropped;
    double times[FRAMES], bytes[FRAMES];
    uint8_t *stream;
    size_t size;
} result;

static inline void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    result *it = (result *)refcon;
    (void)frame;
    CHECK_STATUS(status, NALU_STATUS_OK);
    it->frames++;
    if (!sample) {
        CHECK_EQ(flags, NALU_ENCODE_INFO_FRAME_DROPPED);
        it->dropped++;
        return;
    }
    size_t size = 0;
    nalu_sample_get_data(sample, &size);
    it->times[it->samples] = nalu_time_get_seconds(nalu_sample_get_decode_time(sample));
    it->bytes[it->samples++] = (double)size;
    CHECK_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, NULL, 0, &size));
    it->stream = (uint8_t *)realloc(it->stream, it->size + size);
    REQUIRE(it->stream != NULL);
    CHECK_OK(nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, it->stream + it->size, size, &size));
    it->size += size;
}

/* Returns how many windows hold more than the limit, and raises `fullest` to the fullest window's share of the limit.
 * A window begins with each sample from `first` seconds on. */
static inline int windows_over(const result *it, double first, double limit, double seconds, double *fullest) {
    int over = 0;
    for (int i = 0; i < it->samples; i++) {
        double bytes = 0;
        if (it->times[i] < first) continue;
        for (int k = i; k < it->samples && it->times[k] < it->times[i] + seconds - 1e-9; k++) bytes += it->bytes[k];
        if (bytes > limit) over++;
        if (bytes / limit > *fullest) *fullest = bytes / limit;
    }
    return over;
}

/* A process of FFmpeg that must decode all delivered streams without a message. Each stream begins with a key
 * frame, so one process decodes many of them. */
static FILE *decoder;
static nalu_four_char_code limited_codec = NALU_CODEC_H264;

static inline void begin_decoding(void) {
    decoder = popen(limited_codec == NALU_CODEC_HEVC ? "ffmpeg -v error -xerror -f hevc -i - -f null - 2>&1 >/dev/null"
                                                     : "ffmpeg -v error -xerror -f h264 -i - -f null - 2>&1 >/dev/null", "w");
    REQUIRE(decoder != NULL);
}

static inline void end_decoding(void) { CHECK_EQ(pclose(decoder), 0); }

/* Opens sessions with the encoder of that identifier; NULL for the usual one. */
static const char *encoder_id;

static inline nalu_compression_session *open_with(result *it, const char *properties) {
    nalu_compression_session *session = NULL;
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = encoder_id;
    memset(it, 0, sizeof *it);
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, limited_codec, &specification, NULL, take, it, NULL,
                                               &session));
    REQUIRE_OK(nalu_session_set_properties_from_text(session, properties));
    return session;
}

static inline void encode(nalu_compression_session *session, const struct clip *clip, int frame, nalu_time time) {
    const uint8_t *pixels = picture_of(clip, frame);
    const void *planes[3] = {pixels, pixels + WIDTH * HEIGHT, pixels + WIDTH * HEIGHT * 5 / 4};
    const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
    CHECK_OK(nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes, strides,
                                                    NULL, time, nalu_time_invalid(), NULL, NULL, NULL));
}

static inline void finish(nalu_compression_session *session, result *it) {
    CHECK_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_compression_session_get_statistics(session, &statistics));
    CHECK_EQ(statistics.dropped_frames, it->dropped);
    CHECK_EQ(statistics.encoded_frames, it->samples);
    nalu_compression_session_release(session);
    CHECK_EQ(it->frames, it->samples + it->dropped);
    for (int i = 1; i < it->samples; i++) CHECK(it->times[i] > it->times[i - 1]);
    CHECK_EQ(fwrite(it->stream, 1, it->size, decoder), it->size);
    free(it->stream);
}

/* ---- Settings ------------------------------------------------------------------------------------------------- */

/* For pictures of 160x90, LIMITED_SHRINK 2. */
static const struct setting {
    const char *name, *text;
    double limits[4];
    int most_dropped; /* of FRAMES frames of any clip, if the encoder's bytes do not depend on the machine's
                       * load */
} settings[] = {
    {"file, one limit", "x264.preset=veryfast,AverageBitRate=150000,DataRateLimits=[25000,1]", {25000, 1}, 0},
    {"file, two limits", "x264.preset=veryfast,AverageBitRate=150000,DataRateLimits=[25000,1,5000,0.1]",
     {25000, 1, 5000, 0.1}, 0},
    {"file, no B-frames", "x264.preset=veryfast,AllowFrameReordering=false,AverageBitRate=150000,DataRateLimits=[15000,1,2250,0.1]",
     {15000, 1, 2250, 0.1}, 0},
    {"file, rate above the limit", "x264.preset=veryfast,AverageBitRate=1250000,DataRateLimits=[25000,1]", {25000, 1}, 0},
    {"file, finest quality", "x264.preset=veryfast,Quality=1,DataRateLimits=[37500,1,7500,0.1]", {37500, 1, 7500, 0.1}, 0},
    {"real time, one limit", "RealTime=true,ExpectedFrameRate=30,AverageBitRate=150000,DataRateLimits=[25000,1]",
     {25000, 1}, 0},
    {"real time, two limits", "RealTime=true,ExpectedFrameRate=30,DataRateLimits=[15000,1,3000,0.1]", {15000, 1, 3000, 0.1}, 0},
    {"real time, a QP that cannot be", "RealTime=true,ExpectedFrameRate=30,MaxAllowedFrameQP=24,DataRateLimits=[15000,1]",
     {15000, 1}, FRAMES},
    {"file, a QP that cannot be", "x264.preset=veryfast,MaxAllowedFrameQP=28,DataRateLimits=[15000,1]", {15000, 1}, FRAMES},
};

#endif
