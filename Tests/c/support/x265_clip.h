/*
 * Clips of sessions for H.265, which FFmpeg decodes without a message, all of a test in one process (judged_streams.h).
 */
#ifndef NALU_TESTS_X265_CLIP_H
#define NALU_TESTS_X265_CLIP_H

#include "clip.h"
#include "judged_streams.h"

enum { WIDTH = 160, HEIGHT = 96 };

/* Opens a session of the size with the preset ultrafast and then the properties. */
void x265_open_size(clip *c, int32_t width, int32_t height, const char *properties);

static inline void x265_open(clip *c, const char *properties) { x265_open_size(c, WIDTH, HEIGHT, properties); }

/* Checks the promises for every stream: FFmpeg decodes each sample and prints nothing else, the samples contain no
 * parameter sets, and decode times increase. Finishes the clip. */
void x265_finish(clip *c);

/* Encodes `frames` frames, and finishes the clip. */
static inline void x265_encode_all(clip *c, int32_t frames) {
    clip_encode(c, frames);
    x265_finish(c);
}

#endif
