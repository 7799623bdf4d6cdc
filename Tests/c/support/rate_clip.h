/*
 * Pictures for the rate-control tests: the real clip of 1280x720 if scripts/fetch_clips has downloaded it,
 * otherwise an animation; and noise. A log of the samples, and the bits in a window of decode time.
 * RATE_SHRINK, defined before the include, divides the width and the height: x264 needs a quarter of the time
 * for 640x360, and rate control depends only on bytes and times.
 *
 * RATE_IS_MEASURED: 0 under a sanitizer, which finds nothing in the later seconds of a steady stream. rate_part
 * then shortens each part of a stream, and the test does not check the rates.
 */
#ifndef NALU_TESTS_RATE_CLIP_H
#define NALU_TESTS_RATE_CLIP_H

#include "movie.h"

#ifndef RATE_SHRINK
#define RATE_SHRINK 1
#endif

#define RATE_IS_MEASURED (!IS_SANITIZED || getenv("NALU_SOAK") != NULL)

/* The analysis of x264's veryfast, as x264.params. With preset medium the lookahead, B-frames and macroblock tree, which determine
 * the rate, are those of medium, and the time is a third. */
#define RATE_FAST_ANALYSIS "subme=2:ref=1:trellis=0"

/* Returns how many of these frames to encode before the next change of a property. */
static inline int rate_part(int frames) { return !RATE_IS_MEASURED && frames > 12 ? 12 : frames; }

enum { RATE_WIDTH = 1280 / RATE_SHRINK, RATE_HEIGHT = 720 / RATE_SHRINK, RATE_FRAME = RATE_WIDTH * RATE_HEIGHT * 3 / 2 };
enum { RATE_FRAMES = 132 };

static uint8_t *rate_pictures; /* planes Y, Cb, Cr of each picture, one picture after the other */

static inline int rate_read_picture(FILE *file, uint8_t *picture) {
    const int luma = RATE_WIDTH * RATE_HEIGHT;
    return movie_read_plane(file, RATE_WIDTH, RATE_HEIGHT, RATE_SHRINK, picture) &&
           movie_read_plane(file, RATE_WIDTH / 2, RATE_HEIGHT / 2, RATE_SHRINK, picture + luma) &&
           movie_read_plane(file, RATE_WIDTH / 2, RATE_HEIGHT / 2, RATE_SHRINK, picture + luma + luma / 4);
}

static inline int rate_read_clip(void) {
    char line[256];
    FILE *file = movie_open_file("bigbuckbunny");
    if (!file) return 0;
    int read = fgets(line, sizeof line, file) && strstr(line, " W1280 H720 ") ? 1 : 0;
    for (int i = 0; read && i < RATE_FRAMES; i++)
        read = fgets(line, sizeof line, file) && rate_read_picture(file, rate_pictures + (size_t)i * RATE_FRAME);
    fclose(file);
    return read;
}

static inline void rate_load(void) {
    rate_pictures = (uint8_t *)malloc((size_t)RATE_FRAME * RATE_FRAMES);
    REQUIRE(rate_pictures);
    if (rate_read_clip()) return;
    fprintf(stderr, "rate: no clip in the cache, an animation takes its place\n");
    for (int i = 0; i < RATE_FRAMES; i++) {
        uint8_t *p = rate_pictures + (size_t)i * RATE_FRAME;
        movie_draw_texture(p, RATE_WIDTH, RATE_HEIGHT, i);
        memset(p + RATE_WIDTH * RATE_HEIGHT, 128, RATE_FRAME - RATE_WIDTH * RATE_HEIGHT);
    }
}

/* Returns a picture. The clip plays forwards and backwards alternately. */
static inline const uint8_t *rate_picture(int frame) {
    int turn = frame / RATE_FRAMES, position = frame % RATE_FRAMES;
    return rate_pictures + (size_t)(turn % 2 ? RATE_FRAMES - 1 - position : position) * RATE_FRAME;
}

static inline const uint8_t *rate_noise(int frame) {
    static uint8_t noise[RATE_FRAME];
    uint32_t random = (uint32_t)frame * 2654435761u + 1;
    for (int i = 0; i < RATE_FRAME; i++) {
        random = random * 1664525u + 1013904223u;
        noise[i] = (uint8_t)(random >> 24);
    }
    return noise;
}

typedef struct rate_log {
    nalu_compression_session *session;
    int count, key_frames, failures;
    double times[4096]; /* decode times in seconds */
    double bytes[4096];
} rate_log;

static inline void rate_take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                             nalu_sample *sample) {
    rate_log *log = (rate_log *)refcon;
    size_t size = 0;
    (void)frame, (void)status, (void)flags;
    if (!sample || log->count == 4096) {
        log->failures++;
        return;
    }
    nalu_sample_get_data(sample, &size);
    log->times[log->count] = nalu_time_get_seconds(nalu_sample_get_decode_time(sample));
    log->bytes[log->count++] = (double)size;
    log->key_frames += nalu_sample_is_key_frame(sample);
}

/* Opens a session for a codec with the encoder of that identifier; NULL for the usual one. */
static inline void rate_open_codec_with(rate_log *log, nalu_four_char_code codec, const char *encoder) {
    nalu_encoder_specification specification = NALU_ENCODER_SPECIFICATION_INIT;
    specification.encoder_id = encoder;
    memset(log, 0, sizeof *log);
    REQUIRE_OK(nalu_compression_session_create(RATE_WIDTH, RATE_HEIGHT, codec, &specification, NULL, rate_take, log, NULL,
                                               &log->session));
}

static inline void rate_open_with(rate_log *log, const char *encoder) { rate_open_codec_with(log, NALU_CODEC_H264, encoder); }

static inline void rate_open_codec(rate_log *log, nalu_four_char_code codec) { rate_open_codec_with(log, codec, NULL); }

static inline void rate_open(rate_log *log) { rate_open_with(log, NULL); }

static inline void rate_encode(rate_log *log, const uint8_t *picture, nalu_time time) {
    const int luma = RATE_WIDTH * RATE_HEIGHT;
    const void *planes[3] = {picture, picture + luma, picture + luma + luma / 4};
    const int64_t strides[3] = {RATE_WIDTH, RATE_WIDTH / 2, RATE_WIDTH / 2};
    CHECK_OK(nalu_compression_session_encode_planes(log->session, RATE_WIDTH, RATE_HEIGHT, NALU_PIXEL_FORMAT_Y420, 3,
                                                    planes, strides, NULL, time, nalu_time_invalid(), NULL, NULL, NULL));
}

static inline void rate_finish(rate_log *log) {
    CHECK_OK(nalu_compression_session_complete_frames(log->session, nalu_time_invalid()));
    nalu_compression_session_release(log->session);
    CHECK_EQ(log->failures, 0);
}

/* Returns the step of the real-time governor. */
static inline int64_t rate_governor_step(rate_log *log) {
    int64_t step = -1;
    CHECK_OK(nalu_session_get_int64(log->session, NALU_PROPERTY_GOVERNOR_STEP, &step));
    return step;
}

/* Copies x264.effective. */
static inline void rate_effective(rate_log *log, char text[4096]) {
    size_t size = 0;
    CHECK_OK(nalu_session_copy_string(log->session, NALU_PROPERTY_X264_EFFECTIVE, text, 4096, &size));
}

/* Encodes `count` pictures from number `*frame` on with this ExpectedFrameRate, and waits for them. */
static inline void rate_encode_expecting(rate_log *log, int *frame, int count, double rate) {
    CHECK_OK(nalu_session_set_double(log->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, rate));
    for (int i = 0; i < count; i++, ++*frame) rate_encode(log, rate_picture(*frame), nalu_time_make(*frame, 30));
    CHECK_OK(nalu_compression_session_complete_frames(log->session, nalu_time_invalid()));
}

/* Encodes `count` pictures from number `*frame` on with this AverageBitRate. */
static inline void rate_encode_at_rate(rate_log *log, int *frame, int count, int64_t rate, int frame_rate) {
    CHECK_OK(nalu_session_set_int64(log->session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    for (int i = 0; i < count; i++, ++*frame) rate_encode(log, rate_picture(*frame), nalu_time_make(*frame, frame_rate));
}

/* Returns the bytes of the samples with a decode time in [start, start + seconds). */
static inline double rate_bytes(const rate_log *log, double start, double seconds) {
    double bytes = 0;
    for (int i = 0; i < log->count; i++)
        if (log->times[i] >= start - 1e-9 && log->times[i] < start + seconds - 1e-9) bytes += log->bytes[i];
    return bytes;
}

/* Encodes at 30 frames per second for two seconds with the rate `from`, and for four with the rate `to`. Checks that the
 * three seconds that begin one second after the change have the new rate within a quarter. Finishes the log. */
static inline void rate_check_change(rate_log *log, const char *name, int64_t from, int64_t to) {
    const int before = rate_part(60), after = rate_part(120);
    int frame = 0;
    rate_encode_at_rate(log, &frame, before, from, 30);
    rate_encode_at_rate(log, &frame, after, to, 30);
    rate_finish(log);
    if (!RATE_IS_MEASURED) return;
    const double begin = before / 30.0 + 1, ratio = rate_bytes(log, begin, 3) * 8 / 3 / (double)to;
    printf("  %s, %g to %g kb/s: %.2f of it in three seconds;", name, (double)from / 1e3, (double)to / 1e3, ratio);
    for (int second = -3; second < 3; second++) printf(" %.2f", rate_bytes(log, begin + second, 1) * 8 / (double)to);
    printf("\n");
    CHECK_NEAR(ratio, 1, 0.25);
}

/* Returns the bytes of the fullest window of this length. */
static inline double rate_largest_window(const rate_log *log, double seconds) {
    double largest = 0;
    for (int i = 0; i < log->count; i++) {
        double bytes = rate_bytes(log, log->times[i], seconds);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

#endif
