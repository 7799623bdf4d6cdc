/*
 * FFmpeg as an independent decoder that judges streams. A stream is passed to it in a file in the test's
 * temporary directory.
 */
#ifndef NALU_TESTS_FFMPEG_H
#define NALU_TESTS_FFMPEG_H

#include "annex_b.h"

#include <stdbool.h>
#include <unistd.h>

/* ---- A stream ----------------------------------------------------------------------------------------------------- */

typedef struct stream_file {
    char path[256];
    FILE *file;
} stream_file;

void stream_open(stream_file *it);

/* Appends a sample in Annex B form. */
static inline void stream_add(stream_file *it, const nalu_sample *sample, int32_t parameter_sets) {
    annex_b_write(it->file, sample, parameter_sets);
}

FILE *stream_judge(stream_file *it, const char *before, const char *after);
void stream_close(stream_file *it);

/* ---- Pictures ------------------------------------------------------------------------------------------------------ */

typedef struct pictures {
    int32_t width, height, count;
    size_t size; /* size of one picture, yuv420p */
    uint8_t *bytes;
} pictures;

pictures stream_collect(FILE *pipe, int32_t width, int32_t height);

/* Decodes the stream, even if parts of it are missing. Only for even sizes. */
pictures stream_decode(stream_file *it, int32_t width, int32_t height);

/* Decodes the stream as stream_decode does. Stores the file offset of each picture's access unit in `places`. */
pictures stream_decode_at(stream_file *it, int32_t width, int32_t height, int64_t places[], int32_t room);
const uint8_t *picture(const pictures *all, int32_t index);
bool same_picture(const pictures *a, int32_t index_a, const pictures *b, int32_t index_b);
static inline void pictures_free(pictures *all) { free(all->bytes); }

/* ---- QPs ----------------------------------------------------------------------------------------------------------- */

/* Finds the lowest and the highest QP of each picture's macroblocks, in presentation order. Returns the number
 * of pictures. */
int32_t stream_qp_ranges(stream_file *it, int least[], int most[], int32_t room);

#endif
