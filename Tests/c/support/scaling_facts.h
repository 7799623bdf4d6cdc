/*
 * Facts about frames of another size: FFmpeg's output for a dark frame that is twice as wide as the session,
 * with white in the middle half of its columns.
 */
#ifndef NALU_TESTS_SCALING_FACTS_H
#define NALU_TESTS_SCALING_FACTS_H

#include "ffmpeg.h"
#include "stream_facts.h"

typedef struct white {
    nalu_sample *sample; /* retained, so that no other sample has its address */
    int columns, rows;   /* white pixels in the middle row and in the middle column */
} white;

static inline void white_draw(clip *c) {
    const int32_t width = 2 * c->width, height = c->height;
    const int64_t strides[1] = {width};
    uint8_t *pixels = (uint8_t *)malloc((size_t)width * (size_t)height);
    const void *planes[1] = {pixels};
    REQUIRE(pixels);
    for (int32_t i = 0; i < width * height; i++)
        pixels[i] = i % width >= width / 4 && i % width < width * 3 / 4 ? 255 : 60;
    REQUIRE_OK(nalu_compression_session_complete_frames(c->session, nalu_time_invalid()));
    REQUIRE_OK(nalu_compression_session_encode_planes(c->session, width, height, NALU_PIXEL_FORMAT_L008, 1, planes,
        strides, NULL, nalu_time_make(c->fed, 30), nalu_time_invalid(), NULL, NULL, NULL));
    c->fed++;
    free(pixels);
    clip_finish(c);
}

static inline const white *white_of(const scene *s) {
    static white last;
    clip *c = (clip *)&s->c;
    if (last.sample && last.sample == c->samples[c->count - 1]) return &last;
    nalu_sample_release(last.sample);
    white_draw(c);
    last = (white){nalu_sample_retain(c->samples[c->count - 1]), 0, 0};
    stream_file stream;
    stream_open(&stream);
    stream_add(&stream, last.sample, NALU_ANNEX_B_PARAMETER_SETS_ALWAYS);
    const int32_t width = clip_info(c).width, height = clip_info(c).height;
    pictures all = stream_collect(
        stream_judge(&stream, "-v quiet -flags unaligned", "-f rawvideo -pix_fmt yuv420p -"), width, height);
    stream_close(&stream);
    REQUIRE(CHECK_EQ(all.count, 1));
    for (int32_t x = 0; x < width; x++) last.columns += picture(&all, 0)[height / 2 * width + x] > 160;
    for (int32_t y = 0; y < height; y++) last.rows += picture(&all, 0)[y * width + width / 2] > 160;
    pictures_free(&all);
    return &last;
}

static inline double fact_white_columns(const scene *s, double argument) { return (void)argument, white_of(s)->columns; }
static inline double fact_white_rows(const scene *s, double argument) { return (void)argument, white_of(s)->rows; }

#endif
