/*
 * Clips for the tests of total sizes: a real clip if scripts/fetch_clips has downloaded it, otherwise an
 * animation.
 */
#ifndef NALU_TESTS_MOVIE_H
#define NALU_TESTS_MOVIE_H

#include "check.h"

typedef struct movie {
    int32_t width, height, frames;
    int64_t rate_numerator, rate_denominator;
    uint8_t *pixels; /* planes Y, Cb, Cr of each picture, one picture after the other */
    size_t frame_size;
} movie;

/* Opens the downloaded clip of this name for reading; NULL without one. */
FILE *movie_open_file(const char *name);

/* Reads a plane of `width` by `height` from a file of planes that are `shrink` times as wide and high, 1 to 4. Each sample is
 * the mean of those that it replaces. Returns 0 at the end of the file. */
int movie_read_plane(FILE *file, int32_t width, int32_t height, int32_t shrink, uint8_t *plane);

/* Draws the luma of an animation that takes many bits, nearly noise. */
void movie_draw_texture(uint8_t *p, int32_t width, int32_t height, int32_t frame);

/* Draws the luma of an animation that takes few bits or many: waves in three directions, each with its own speed, and
 * weak noise, which is stronger in some blocks than in others. */
void movie_draw_waves(uint8_t *p, int32_t width, int32_t height, int32_t frame);

typedef void (*movie_draw)(uint8_t *luma, int32_t width, int32_t height, int32_t frame);

/* Loads a clip; if it is not in the cache, `draw` draws an animation in its place. */
movie movie_load_or_draw(movie_draw draw, const char *name, int32_t width, int32_t height, int32_t frames,
                         int64_t numerator, int64_t denominator);
movie movie_load(const char *name, int32_t width, int32_t height, int32_t frames, int64_t numerator,
                 int64_t denominator);
nalu_status movie_encode(nalu_compression_session *session, const movie *m, int32_t frame);

/* Returns the number of bytes of `frames` frames at the bit rate `rate`. */
double movie_asked_size(const movie *m, int32_t frames, int64_t rate);

/* Opens a session for the clip with AverageBitRate and the properties. Its callback checks that each frame has a sample, and
 * adds the sample's bytes to `*size`. */
nalu_compression_session *movie_open(const movie *m, int64_t rate, const char *properties, double *size);

#endif
