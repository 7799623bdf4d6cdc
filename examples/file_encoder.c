/*
 * Encodes a Y4M clip into an H.264 file.
 *
 *     file_encoder IN.y4m OUT.h264 [BITRATE]
 *
 * IN may be "-" for standard input. BITRATE is in bits per second; without BITRATE the quality is constant. FFmpeg converts
 * any video to Y4M with `ffmpeg -i CLIP -pix_fmt yuv420p CLIP.y4m`, and `ffplay OUT.h264` plays the result.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/nalu.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Prints an error message and returns 0, which means failure. */
static int fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("file_encoder: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- The input: Y4M is a header line, then each frame as a line "FRAME" and its planes Y, Cb, Cr ---- */

struct clip {
    const char *name;
    FILE *file;
    long width, height;
    long rate_numerator, rate_denominator; /* frames per second */
    long aspect_horizontal, aspect_vertical; /* of a pixel; 0 if not stated */
    int is_mono, is_full_range;
    long frames; /* 0 if not known */
};

static int read_clip_header(struct clip *clip) {
    char line[1024], colour[64] = " 420 ";
    char *word, *rest;
    struct stat info;
    if (!fgets(line, sizeof line, clip->file) || strncmp(line, "YUV4MPEG2 ", 10) != 0 || !strchr(line, '\n'))
        return fail("%s is not a Y4M clip; make one with: ffmpeg -i CLIP -pix_fmt yuv420p CLIP.y4m", clip->name);
    for (word = strtok_r(line + 10, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        const char *value = word + 1;
        if (*word == 'W') clip->width = strtol(value, NULL, 10);
        if (*word == 'H') clip->height = strtol(value, NULL, 10);
        if (*word == 'F') sscanf(value, "%ld:%ld", &clip->rate_numerator, &clip->rate_denominator);
        if (*word == 'A') sscanf(value, "%ld:%ld", &clip->aspect_horizontal, &clip->aspect_vertical);
        if (*word == 'C') snprintf(colour, sizeof colour, " %s ", value);
        if (strcmp(word, "XCOLORRANGE=FULL") == 0) clip->is_full_range = 1;
        if (*word == 'I' && *value != 'p' && *value != '?')
            return fail("%s is interlaced; make it progressive first: ffmpeg -i CLIP -vf bwdif PROGRESSIVE.y4m",
                        clip->name);
    }
    if (!strstr(" 420 420jpeg 420mpeg2 420paldv mono ", colour))
        return fail("%s has pixels of the kind%s; convert it to 8 bit 4:2:0: ffmpeg -i CLIP -pix_fmt yuv420p CLIP.y4m",
                    clip->name, colour);
    clip->is_mono = strcmp(colour, " mono ") == 0;
    if (clip->width < 1 || clip->width > NALU_MAX_DIMENSION || clip->height < 1 || clip->height > NALU_MAX_DIMENSION)
        return fail("%s says %ldx%ld; expected a width W and a height H of 1 to %d", clip->name, clip->width,
                    clip->height, NALU_MAX_DIMENSION);
    /* "F0:0" means that the rate is not known. */
    if (clip->rate_numerator < 1 || clip->rate_numerator > INT32_MAX || clip->rate_denominator < 1) {
        clip->rate_numerator = 25;
        clip->rate_denominator = 1;
    }
    if (fstat(fileno(clip->file), &info) == 0 && S_ISREG(info.st_mode)) {
        long chroma = clip->is_mono ? 0 : 2 * ((clip->width + 1) / 2) * ((clip->height + 1) / 2);
        clip->frames = (long)info.st_size / ((long)strlen("FRAME\n") + clip->width * clip->height + chroma);
    }
    return 1;
}

/* Reads a frame into the buffer. Returns 1 for a frame, 0 at the end of the clip, and -1 if the clip is corrupt, with
 * an error message on stderr. */
static int read_frame(struct clip *clip, nalu_pixel_buffer *buffer, long number) {
    char line[1024];
    uint32_t plane;
    if (!fgets(line, sizeof line, clip->file)) return 0;
    if (strncmp(line, "FRAME", 5) != 0 || !strchr(line, '\n')) {
        fail("%s: frame %ld does not begin with FRAME; the file is corrupt, and ends here", clip->name, number);
        return -1;
    }
    for (plane = 0; plane < nalu_pixel_buffer_get_plane_count(buffer); plane++) {
        uint8_t *row = nalu_pixel_buffer_get_plane_base_address(buffer, plane);
        int32_t rows = nalu_pixel_buffer_get_plane_height(buffer, plane);
        size_t width = (size_t)nalu_pixel_buffer_get_plane_width(buffer, plane);
        for (; rows > 0; rows--, row += nalu_pixel_buffer_get_plane_stride(buffer, plane)) {
            if (clip->is_mono && plane > 0) {
                memset(row, 128, width); /* no colour */
            } else if (fread(row, 1, width, clip->file) != width) {
                fail("%s ends in the middle of frame %ld, which is left out", clip->name, number);
                return -1;
            }
        }
    }
    return 1;
}

/* ---- The output: shared by main and the callback on the session's own thread, protected by a lock ---- */

struct output {
    pthread_mutex_t lock;
    FILE *file;
    uint8_t *bytes; /* grows to the largest sample */
    size_t capacity;
    long frames, total; /* total: 0 if not known */
    double size, qp_sum, start, last_progress;
    int shows_progress, has_failed;
};

static void write_sample(struct output *output, const nalu_sample *sample) {
    /* Parameter sets are written before each key frame, so that a player can begin at any key frame. */
    const int32_t sets = NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES;
    size_t size = 0;
    nalu_status status = nalu_sample_copy_annex_b(sample, sets, NULL, 0, &size); /* returns only the size */
    if (status == NALU_STATUS_OK && size > output->capacity) {
        free(output->bytes);
        output->capacity = 2 * size;
        output->bytes = malloc(output->capacity);
        if (!output->bytes) output->capacity = 0;
    }
    if (status == NALU_STATUS_OK)
        status = nalu_sample_copy_annex_b(sample, sets, output->bytes, output->capacity, &size);
    if (status != NALU_STATUS_OK)
        output->has_failed = !fail("%s", nalu_last_error_message());
    else if (fwrite(output->bytes, 1, size, output->file) != size)
        output->has_failed = !fail("the output cannot be written: %s", strerror(errno));
    output->frames++;
    output->size += (double)size;
    output->qp_sum += nalu_sample_get_average_qp(sample);
    if (output->shows_progress && now() - output->last_progress > 0.2) {
        output->last_progress = now();
        fprintf(stderr, "\r%ld frames, %.1f per second", output->frames, output->frames / (now() - output->start));
        if (output->total > 0) fprintf(stderr, ", %.0f %%  ", 100.0 * (double)output->frames / (double)output->total);
    }
}

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    struct output *output = refcon;
    (void)frame_refcon, (void)flags;
    pthread_mutex_lock(&output->lock);
    if (sample && !output->has_failed) write_sample(output, sample);
    if (status != NALU_STATUS_OK && !output->has_failed)
        output->has_failed = !fail("a frame could not be encoded: %s", nalu_status_string(status));
    pthread_mutex_unlock(&output->lock);
}

static int has_failed(struct output *output) {
    int result;
    pthread_mutex_lock(&output->lock);
    result = output->has_failed;
    pthread_mutex_unlock(&output->lock);
    return result;
}

/* ---- The session ---- */

static nalu_status set_properties(nalu_compression_session *session, const struct clip *clip, int64_t bitrate) {
    double aspect[2] = {(double)clip->aspect_horizontal, (double)clip->aspect_vertical};
    nalu_status status = nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE,
                                                 (double)clip->rate_numerator / (double)clip->rate_denominator);
    if (status == NALU_STATUS_OK && bitrate > 0)
        status = nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, bitrate);
    if (status == NALU_STATUS_OK && aspect[0] > 0 && aspect[1] > 0)
        status = nalu_session_set_numbers(session, NALU_PROPERTY_PIXEL_ASPECT_RATIO, aspect, 2);
    return status;
}

static int encode_clip(nalu_compression_session *session, struct clip *clip, struct output *output) {
    /* Frames are read directly into buffers of the session's pool, which are encoded without a copy. */
    nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(session);
    nalu_status status = NALU_STATUS_OK;
    int got = 1;
    long number;
    for (number = 0; got == 1 && status == NALU_STATUS_OK && !has_failed(output); number++) {
        nalu_pixel_buffer *buffer = NULL;
        status = nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer);
        if (status != NALU_STATUS_OK) break;
        got = read_frame(clip, buffer, number);
        if (got == 1)
            status = nalu_compression_session_encode_frame(session, buffer,
                nalu_time_make(number * clip->rate_denominator, (int32_t)clip->rate_numerator),
                nalu_time_make(clip->rate_denominator, (int32_t)clip->rate_numerator), NULL, NULL, NULL);
        nalu_pixel_buffer_release(buffer); /* the session has its own reference while it reads */
    }
    /* The encoder delays frames for its lookahead; this call delivers the last ones. */
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    if (status != NALU_STATUS_OK) return fail("%s", nalu_last_error_message());
    return got != -1 && !has_failed(output);
}

int main(int argc, char **argv) {
    struct clip clip = {0};
    struct output output = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nalu_source_attributes source = NALU_SOURCE_ATTRIBUTES_INIT;
    nalu_compression_session *session = NULL;
    char *end = "";
    long long bitrate = argc == 4 ? strtoll(argv[3], &end, 10) : 0;
    int is_good;
    if (argc < 3 || argc > 4 || *end || bitrate < 0 || (argc == 4 && bitrate == 0)) {
        fputs("usage: file_encoder IN.y4m OUT.h264 [BITRATE]     IN may be -, BITRATE is in bits per second\n", stderr);
        return 2;
    }
    clip.name = strcmp(argv[1], "-") == 0 ? "standard input" : argv[1];
    clip.file = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "rb");
    if (!clip.file) return !fail("%s cannot be read: %s", argv[1], strerror(errno));
    if (!read_clip_header(&clip)) return 1;
    output.file = fopen(argv[2], "wb");
    if (!output.file) return !fail("%s cannot be written: %s", argv[2], strerror(errno));
    output.total = clip.frames;
    output.shows_progress = isatty(STDERR_FILENO);
    output.start = now();

    source.pixel_format = clip.is_full_range ? NALU_PIXEL_FORMAT_F420 : NALU_PIXEL_FORMAT_Y420;
    is_good = nalu_compression_session_create((int32_t)clip.width, (int32_t)clip.height, NALU_CODEC_H264, NULL, &source,
                                              got_frame, &output, NULL, &session) == NALU_STATUS_OK
        && set_properties(session, &clip, bitrate) == NALU_STATUS_OK;
    if (!is_good) fail("%s", nalu_last_error_message());
    is_good = is_good && encode_clip(session, &clip, &output);
    nalu_compression_session_release(session); /* no callback is called after this */

    if (fclose(output.file) != 0) is_good = fail("%s cannot be written: %s", argv[2], strerror(errno));
    if (output.shows_progress) fputs("\r\033[K", stderr);
    if (output.frames > 0) {
        double frames = (double)output.frames;
        double rate = (double)clip.rate_numerator / (double)clip.rate_denominator;
        printf("%s: %ld frames of %ldx%ld, %.0f bytes, %.0f kb/s, %.1f frames per second, mean QP %.1f\n", argv[2],
               output.frames, clip.width, clip.height, output.size, output.size * 8 * rate / frames / 1000,
               frames / (now() - output.start), output.qp_sum / frames);
    }
    fclose(clip.file);
    free(output.bytes);
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
