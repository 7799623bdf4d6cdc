/* The frames of tests of chunks: 8-bit grey pictures at 25 frames per second. */
#ifndef NALU_TESTS_CHUNK_FRAMES_H
#define NALU_TESTS_CHUNK_FRAMES_H

#include <nalu/media/chunk_plan.h>

/* Describes a picture, whose pixels stay with the caller. */
static inline nalu_status grey_chunk_frame(
    nalu_chunk_frame *frame_out, const uint8_t *pixels, int32_t width, int32_t height) {
    frame_out->width = width;
    frame_out->height = height;
    frame_out->format = NALU_PIXEL_FORMAT_L008;
    frame_out->plane_count = 1;
    frame_out->planes[0] = pixels;
    frame_out->strides[0] = width;
    frame_out->plane_sizes[0] = (uint64_t)width * (uint64_t)height;
    return NALU_STATUS_OK;
}

/* Returns a source of `count` such pictures. */
static inline nalu_chunk_source grey_chunk_source(nalu_chunk_frame_callback frame, uint64_t count) {
    nalu_chunk_source source = NALU_CHUNK_SOURCE_INIT;
    source.frame = frame;
    source.format = NALU_PIXEL_FORMAT_L008;
    source.frame_count = count;
    source.frame_rate_numerator = 25;
    source.frame_rate_denominator = 1;
    return source;
}

#endif
