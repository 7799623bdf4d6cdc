/*
 * Shared code of the reader's tests: a file in memory, and the comparison of read samples with written ones.
 */
#ifndef NALU_TESTS_MEDIA_READING_H
#define NALU_TESTS_MEDIA_READING_H

#include "media_support.h"

#include <errno.h>

typedef struct input {
    const uint8_t *bytes;
    size_t size, place;
    size_t most;     /* bytes per call; 0: as many as requested */
    int64_t fail_at; /* file offset after which reading fails; 0: never */
    int destroyed;
    nalu_reader *reader;
} input;

int64_t input_read(void *refcon, uint8_t *bytes, size_t size);
int32_t input_seek(void *refcon, int64_t offset);
static inline void input_destroy(void *refcon) { ((input *)refcon)->destroyed++; }
nalu_reader *reader_of(const char *path);
nalu_reader_track track_of(const nalu_reader *reader, uint32_t number);

/* Compares times with a tolerance of one and a half ticks of the container. Times are shifted by a rounded time
 * and then rounded themselves. */
int same_rounded_time(nalu_time a, nalu_time b, int32_t timescale);

/* Checks that a read sample equals the written one. Its times are shifted by `moved` and, unless timescale is
 * 0, rounded to 1 / timescale. */
int check_sample(const nalu_sample *read, const nalu_sample *written, nalu_time moved, int32_t timescale);

/* Checks that a reader returns all samples of the clip from `first` on, and then the end. */
void check_samples(nalu_reader *reader, const clip *c, int first, nalu_time moved, int32_t timescale);

#endif
