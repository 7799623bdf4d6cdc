/*
 * Shared code of the tests in `media`: clips with B-frames, files, and the results of ffprobe
 * and FFmpeg.
 */
#ifndef NALU_TESTS_MEDIA_SUPPORT_H
#define NALU_TESTS_MEDIA_SUPPORT_H

#include "clip.h"
#include "test_directory.h"

#include <nalu/media.h>

#include <stdarg.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files ---------------------------------------------------------------------------------------------------------- */

uint8_t *media_read_file(const char *path, size_t *size);

/* Counts how often `bytes`, for example a box type, occur in a file. */
int media_count_in_file(const char *path, const char *bytes, size_t length);

/* ---- Commands ------------------------------------------------------------------------------------------------------- */

/* Returns the output of a command, at most SIZE bytes. Stores its exit status unless `status` is NULL. */
char *media_run(int *status, const char *format, ...);

/* Returns the MD5 sums of the decoded frames in presentation order, independent of their times. */
char *media_frames(const char *path);

/* Checks that two files decode to the same frames. The reference is decoded only once. */
void media_check_same_frames(const char *path, const char *reference, int count);

/* Returns values that ffprobe prints, in its order, without their names and separated by spaces. */
const char *media_fact(const char *path, const char *entries);

typedef struct media_packet {
    long long pts, dts, duration, size;
    bool is_key;
} media_packet;

/* Reads ffprobe's list of packets. Their times have the unit numerator / denominator seconds. */
int media_packets(const char *path, media_packet packets[], int room, long long *numerator, long long *denominator);

/* ---- Clips ---------------------------------------------------------------------------------------------------------- */

/* Opens a session with pairs of B-frames and a key frame every ten frames. */
void media_open(clip *c, int32_t width, int32_t height);

/* Encodes `frames` frames with such a session. */
void media_clip(clip *c, int32_t width, int32_t height, int32_t frames);
nalu_writer *media_writer_to(const char *path, const nalu_writer_options *options);

/* Writes all samples of a clip. */
void media_write_all(nalu_writer *writer, const clip *c, const nalu_writer_track_options *options);
/* Finishes the file and releases the writer. */
void media_finish(nalu_writer *writer);

void media_write_file(const char *path, const clip *c, uint32_t flags,
                      const nalu_writer_track_options *track_options);

/* Encodes a clip of 64x48 and writes it as MP4. Returns the path, which the caller frees. */
char *media_file_of_clip(clip *c, int32_t frames);

/* Writes the samples as Annex B without a writer. */
void media_write_reference(const char *path, const clip *c);

/* Checks that a file's times are exactly those of the samples, shifted by `moved`. */
void media_check_exact_times(const char *path, const clip *c, nalu_time moved);

#endif
