/*
 * Encodes generated pictures at the pace of a live source, and writes an H.264 file.
 *
 *     live_encoder [-b BITRATE] [-k FRAMES] [-n FRAMES] [-s WIDTHxHEIGHT] [-u] OUT.h264
 *
 *     -b  bits per second, default 2000000; the second half of the clip has half of it
 *     -k  the distance between key frames in frames, default 60
 *     -n  the number of frames, default 300
 *     -s  size of the picture, default 1280x720
 *     -u  as fast as the encoder accepts frames, instead of 30 frames per second
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/nalu.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES_PER_SECOND = 30 };

struct options {
    long bitrate, key_interval, frames, width, height;
    int is_unpaced;
};

/* ---- Samples out: a lock protects the data that main shares with the callback, which runs on the session's thread ---- */

struct output {
    pthread_mutex_t lock;
    FILE *file;
    long frames, key_frames, encoder_drops;
    double bytes;
    nalu_status status; /* the first failure; NALU_STATUS_OK if there is none */
    int write_error;    /* errno of the first write that failed */
};

static void write_nal(struct output *output, const uint8_t *nal, size_t size) {
    static const uint8_t start_code[4] = {0, 0, 0, 1};
    if (output->write_error) return;
    if (fwrite(start_code, 1, 4, output->file) != 4 || fwrite(nal, 1, size, output->file) != size)
        output->write_error = errno ? errno : EIO;
    output->bytes += 4 + (double)size;
}

/*
 * Writes Annex B: a start code before each NAL unit, and the parameter sets before each key frame, so that a player can
 * begin there. This function shows where NAL units and parameter sets are; nalu_sample_copy_annex_b does the same in one
 * call.
 */
static void write_sample(struct output *output, const nalu_sample *sample) {
    const nalu_format_description *format = nalu_sample_get_format_description(sample);
    const uint8_t *nal;
    uint32_t i;
    size_t offset = 0, size = 0;
    if (nalu_sample_is_key_frame(sample)) {
        for (i = 0; i < nalu_format_description_get_parameter_set_count(format); i++) {
            const uint8_t *set = nalu_format_description_get_parameter_set(format, i, &size);
            write_nal(output, set, size);
        }
    }
    while ((nal = nalu_sample_next_nal(sample, &offset, &size)) != NULL) write_nal(output, nal, size);
}

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    struct output *output = refcon;
    (void)frame_refcon;
    pthread_mutex_lock(&output->lock);
    if (sample) {
        /* The sample is valid during this call; nalu_sample_retain would extend its life. */
        write_sample(output, sample);
        output->frames++;
        output->key_frames += nalu_sample_is_key_frame(sample);
    } else if (flags & NALU_ENCODE_INFO_FRAME_DROPPED) {
        output->encoder_drops++;
    }
    if (status != NALU_STATUS_OK && output->status == NALU_STATUS_OK) output->status = status;
    pthread_mutex_unlock(&output->lock);
}

/* Prints the output so far. Returns 0 if a frame or a write has failed. */
static int report(struct output *output, double *bytes_before) {
    int is_good;
    pthread_mutex_lock(&output->lock);
    printf("frame %5ld  %6.0f kb/s  %3ld key frames\n", output->frames, (output->bytes - *bytes_before) * 8 / 1000,
           output->key_frames);
    *bytes_before = output->bytes;
    is_good = output->status == NALU_STATUS_OK && !output->write_error;
    pthread_mutex_unlock(&output->lock);
    fflush(stdout);
    return is_good;
}

/* ---- Frames in ---- */

/* Draws a slowly drifting gradient and a box that bounces over it, in BGRA: blue, green, red, alpha. */
static void draw(uint8_t *pixels, const struct options *options, long frame) {
    long shorter = options->width < options->height ? options->width : options->height;
    long side = shorter / 4, path_x = options->width - side, path_y = options->height - side;
    long box_x = labs(frame * 9 % (2 * path_x) - path_x), box_y = labs(frame * 5 % (2 * path_y) - path_y), x, y;
    for (y = 0; y < options->height; y++) {
        for (x = 0; x < options->width; x++, pixels += 4) {
            int in_box = x >= box_x && x < box_x + side && y >= box_y && y < box_y + side;
            pixels[0] = (uint8_t)(in_box ? 40 : 64 + (x + frame) % 512 / 4);
            pixels[1] = (uint8_t)(in_box ? 160 : 64 + (y + 2 * frame) % 512 / 4);
            pixels[2] = (uint8_t)(in_box ? 240 : 96);
            pixels[3] = 255;
        }
    }
}

/* Sleeps until the time of a frame. */
static void pace(const struct timespec *start, long frame) {
    struct timespec time = *start;
    long long nanoseconds = time.tv_nsec + frame % FRAMES_PER_SECOND * (1000000000LL / FRAMES_PER_SECOND);
    time.tv_sec += frame / FRAMES_PER_SECOND + (time_t)(nanoseconds / 1000000000);
    time.tv_nsec = (long)(nanoseconds % 1000000000);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

/* ---- The session ---- */

/* Sets the average rate, and a limit for the bytes in every window of one second. Both can change while frames are encoded.
 * They are set together, so that no frame sees only one of the changes. */
static nalu_status set_rate(nalu_compression_session *session, long bitrate) {
    double limit[2] = {1.5 * (double)bitrate / 8, 1.0}; /* bytes, seconds */
    nalu_property rate[2] = {
        {.key = NALU_PROPERTY_AVERAGE_BIT_RATE, .type = NALU_PROPERTY_TYPE_INT64, .integer = bitrate},
        {.key = NALU_PROPERTY_DATA_RATE_LIMITS, .type = NALU_PROPERTY_TYPE_NUMBERS,
         .numbers = limit, .number_count = 2},
    };
    return nalu_session_set_properties(session, rate, 2);
}

static nalu_status prepare(nalu_compression_session *session, const struct options *options) {
    nalu_status status = nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, FRAMES_PER_SECOND);
    if (status == NALU_STATUS_OK) status = set_rate(session, options->bitrate);
    if (status == NALU_STATUS_OK) status = nalu_compression_session_prepare(session);
    return status;
}

static nalu_status run(nalu_compression_session *session, const struct options *options, struct output *output,
                       uint8_t *pixels, long *late) {
    const void *planes[1] = {pixels};
    int64_t strides[1] = {4 * options->width};
    uint64_t sizes[1] = {(uint64_t)(4 * options->width * options->height)};
    nalu_status status = prepare(session, options);
    double bytes_before = 0;
    struct timespec start;
    long i;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (i = 0; i < options->frames && status == NALU_STATUS_OK; i++) {
        nalu_frame_options frame = NALU_FRAME_OPTIONS_INIT;
        if (options->frames > 1 && i == options->frames / 2) {
            printf("bit rate from here on: %ld kb/s\n", options->bitrate / 2000);
            status = set_rate(session, options->bitrate / 2);
            if (status != NALU_STATUS_OK) break;
        }
        if (!options->is_unpaced) {
            pace(&start, i);
            /* A live source does not wait for an encoder that is late: it drops the frame. */
            frame.flags |= NALU_FRAME_DO_NOT_WAIT;
        }
        if (i % options->key_interval == 0) frame.flags |= NALU_FRAME_FORCE_KEY_FRAME;
        draw(pixels, options, i);
        /* The pixels are converted during the call, so the next frame may be drawn into the same memory at once. */
        status = nalu_compression_session_encode_planes(session, (int32_t)options->width, (int32_t)options->height,
            NALU_PIXEL_FORMAT_BGRA, 1, planes, strides, sizes, nalu_time_make(i, FRAMES_PER_SECOND),
            nalu_time_make(1, FRAMES_PER_SECOND), &frame, NULL, NULL);
        if (status == NALU_STATUS_WOULD_BLOCK) {
            ++*late;
            status = NALU_STATUS_OK;
        }
        if (i % FRAMES_PER_SECOND == FRAMES_PER_SECOND - 1 && !report(output, &bytes_before)) break;
    }
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    return status;
}

static int read_options(int argc, char **argv, struct options *options) {
    int option;
    while ((option = getopt(argc, argv, "b:k:n:s:u")) != -1) {
        switch (option) {
        case 'b': options->bitrate = strtol(optarg, NULL, 10); break;
        case 'k': options->key_interval = strtol(optarg, NULL, 10); break;
        case 'n': options->frames = strtol(optarg, NULL, 10); break;
        case 's':
            if (sscanf(optarg, "%ldx%ld", &options->width, &options->height) != 2) return 0;
            break;
        case 'u': options->is_unpaced = 1; break;
        default: return 0;
        }
    }
    return optind == argc - 1 && options->bitrate >= 2000 && options->key_interval > 0 && options->frames > 0
        && options->width >= 16 && options->width <= NALU_MAX_DIMENSION && options->height >= 16
        && options->height <= NALU_MAX_DIMENSION;
}

int main(int argc, char **argv) {
    struct options options = {.bitrate = 2000000, .key_interval = 60, .frames = 300, .width = 1280, .height = 720};
    struct output output = {.lock = PTHREAD_MUTEX_INITIALIZER};
    nalu_compression_session *session = NULL;
    nalu_status status;
    uint8_t *pixels;
    long late = 0;
    if (!read_options(argc, argv, &options)) {
        fputs("usage: live_encoder [-b BITRATE] [-k FRAMES] [-n FRAMES] [-s WIDTHxHEIGHT] [-u] OUT.h264\n", stderr);
        return 2;
    }
    pixels = malloc((size_t)(4 * options.width * options.height));
    output.file = fopen(argv[optind], "wb");
    if (!pixels || !output.file) {
        fprintf(stderr, "live_encoder: %s cannot be written: %s\n", argv[optind], strerror(errno));
        free(pixels);
        return EXIT_FAILURE;
    }
    status = nalu_compression_session_create((int32_t)options.width, (int32_t)options.height, NALU_CODEC_H264, NULL,
                                             NULL, got_frame, &output, NULL, &session);
    if (status == NALU_STATUS_OK) status = run(session, &options, &output, pixels, &late);
    if (status != NALU_STATUS_OK) fprintf(stderr, "live_encoder: %s\n", nalu_last_error_message());
    nalu_compression_session_release(session); /* no callback is called after this, so the lock is not needed */

    if (fclose(output.file) != 0 && !output.write_error) output.write_error = errno;
    if (output.write_error)
        fprintf(stderr, "live_encoder: %s cannot be written: %s\n", argv[optind], strerror(output.write_error));
    if (output.status != NALU_STATUS_OK)
        fprintf(stderr, "live_encoder: a frame could not be encoded: %s\n", nalu_status_string(output.status));
    printf("%s: %ld frames, %ld key frames, %.0f bytes, %.0f kb/s; %ld too late, %ld dropped\n", argv[optind],
           output.frames, output.key_frames, output.bytes,
           output.frames ? output.bytes * 8 * FRAMES_PER_SECOND / (double)output.frames / 1000 : 0, late,
           output.encoder_drops);
    free(pixels);
    return status == NALU_STATUS_OK && output.status == NALU_STATUS_OK && !output.write_error
        ? EXIT_SUCCESS : EXIT_FAILURE;
}
