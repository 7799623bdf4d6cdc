/*
 * One side of the comparison with Nalu's peers, in a separate process. It is a plain loop over libx264 that
 * converts with libyuv, as a C programmer would write it, or the same loop over a session. Prints one line of
 * JSON.
 *
 *     loop bare|nalu i420|nv12|bgra|bgr24 PRESET FILE WIDTH HEIGHT FRAMES [latency]
 *
 * FILE contains raw frames, which are repeated if there are fewer than FRAMES. With latency each frame waits
 * for the delivery of the one before, and the times from encode call to delivery are printed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include <nalu/nalu.h>

#include <fcntl.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from_argb.h>
#include <semaphore.h>
#include <shim.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Settings common to all peers; see benchmarks/peers/settings.py. */
static const char *const options[][2] = {
    {"bitrate", "2000"}, {"vbv-maxrate", "2000"}, {"vbv-bufsize", "2000"}, {"keyint", "250"}};
enum { FRAME_RATE = 25, OPTION_COUNT = sizeof options / sizeof options[0] };

typedef enum layout { I420, NV12, BGRA, BGR24 } layout;

typedef struct input {
    layout layout;
    int width, height;
    const uint8_t *bytes;
    size_t frame_size;
    long stored, frames;
} input;

typedef struct result {
    double seconds, cpu;
    size_t bytes;
    long frames;
    double *latencies; /* NULL: not measured */
} result;

static const uint8_t *frame_at(const input *in, long number) {
    return in->bytes + (size_t)(number % in->stored) * in->frame_size;
}

/* ---- libx264 and libyuv ---- */

typedef struct planes {
    uint8_t *luma, *cb, *cr;
} planes;

/* Points the picture at the frame, or at libyuv's conversion in `converted`. */
static void fill(x264_picture_t *picture, const input *in, const uint8_t *frame, planes converted) {
    int width = in->width, height = in->height;
    size_t luma_size = (size_t)width * (size_t)height;
    uint8_t *source = (uint8_t *)frame;
    x264_image_t *image = &picture->img;
    image->i_csp = in->layout == NV12 ? X264_CSP_NV12 : X264_CSP_I420;
    image->i_plane = in->layout == NV12 ? 2 : 3;
    if (in->layout == BGRA)
        ARGBToI420(frame, 4 * width, converted.luma, width, converted.cb, width / 2, converted.cr, width / 2, width,
                   height);
    else if (in->layout == BGR24)
        RGB24ToI420(frame, 3 * width, converted.luma, width, converted.cb, width / 2, converted.cr, width / 2, width,
                    height);
    else
        converted = (planes){source, source + luma_size, source + luma_size + luma_size / 4};
    image->plane[0] = converted.luma;
    image->plane[1] = converted.cb;
    image->plane[2] = converted.cr;
    image->i_stride[0] = width;
    image->i_stride[1] = in->layout == NV12 ? width : width / 2;
    image->i_stride[2] = width / 2;
}

static result run_bare(const input *in, const char *preset, double *latencies) {
    result all = {.latencies = latencies};
    x264_param_t parameters;
    check(x264_param_default_preset(&parameters, preset, "zerolatency") == 0, "finding the preset");
    for (int i = 0; i < OPTION_COUNT; i++)
        check(x264_param_parse(&parameters, options[i][0], options[i][1]) == 0, options[i][0]);
    parameters.i_width = in->width;
    parameters.i_height = in->height;
    parameters.i_csp = in->layout == NV12 ? X264_CSP_NV12 : X264_CSP_I420;
    parameters.i_fps_num = FRAME_RATE;
    parameters.i_fps_den = 1;
    parameters.i_log_level = X264_LOG_NONE;
    x264_t *encoder = nalu_x264_open(&parameters);
    check(encoder != NULL, "opening x264");
    size_t luma_size = (size_t)in->width * (size_t)in->height;
    uint8_t *memory = malloc(luma_size * 3 / 2);
    check(memory != NULL, "allocating a frame");
    planes converted = {memory, memory + luma_size, memory + luma_size + luma_size / 4};
    x264_picture_t picture, output;
    x264_picture_init(&picture);
    x264_nal_t *units;
    int unit_count;
    double start = seconds(CLOCK_MONOTONIC), start_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < in->frames; i++) {
        double handed_in = seconds(CLOCK_MONOTONIC);
        fill(&picture, in, frame_at(in, i), converted);
        picture.i_pts = i;
        int size = x264_encoder_encode(encoder, &units, &unit_count, &picture, &output);
        check(size >= 0, "encoding with x264");
        all.bytes += (size_t)size;
        all.frames += size > 0;
        if (latencies) latencies[i] = seconds(CLOCK_MONOTONIC) - handed_in;
    }
    while (x264_encoder_delayed_frames(encoder) > 0) {
        int size = x264_encoder_encode(encoder, &units, &unit_count, NULL, &output);
        check(size >= 0, "draining x264");
        all.bytes += (size_t)size;
        all.frames += size > 0;
    }
    all.seconds = seconds(CLOCK_MONOTONIC) - start;
    all.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
    return all; /* the encoder stays open, so that its memory is measured next */
}

/* ---- A session ---- */

typedef struct receiver {
    result *all;
    sem_t came;
} receiver;

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    receiver *to = refcon;
    size_t size = 0;
    (void)frame_refcon;
    (void)flags;
    check(status == NALU_STATUS_OK && sample, "encoding a frame");
    nalu_sample_get_data(sample, &size);
    to->all->bytes += size;
    to->all->frames++;
    if (to->all->latencies) sem_post(&to->came);
}

static result run_session(const input *in, const char *preset, double *latencies) {
    static const nalu_pixel_format formats[] = {NALU_PIXEL_FORMAT_Y420, NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_BGRA,
                                                NALU_PIXEL_FORMAT_24BGR};
    result all = {.latencies = latencies};
    receiver to = {.all = &all};
    char params[256] = "";
    nalu_compression_session *session = NULL;
    sem_init(&to.came, 0, 0);
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t length = strlen(params);
        snprintf(params + length, sizeof params - length, "%s%s=%s", i ? ":" : "", options[i][0], options[i][1]);
    }
    OK(nalu_compression_session_create(in->width, in->height, NALU_CODEC_H264, NULL, NULL, got_frame, &to, NULL,
                                       &session));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, preset));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_TUNE, "zerolatency"));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, params));
    OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, FRAME_RATE));
    OK(nalu_compression_session_prepare(session));
    size_t luma_size = (size_t)in->width * (size_t)in->height;
    double start = seconds(CLOCK_MONOTONIC), start_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < in->frames; i++) {
        const uint8_t *frame = frame_at(in, i);
        const void *data[3] = {frame, frame + luma_size, frame + luma_size + luma_size / 4};
        int64_t strides[3] = {in->width, in->layout == NV12 ? in->width : in->width / 2, in->width / 2};
        int plane_count = in->layout == I420 ? 3 : in->layout == NV12 ? 2 : 1;
        if (plane_count == 1) strides[0] = in->width * (in->layout == BGRA ? 4 : 3);
        double handed_in = seconds(CLOCK_MONOTONIC);
        OK(nalu_compression_session_encode_planes(session, in->width, in->height, formats[in->layout], plane_count,
                                                  data, strides, NULL, nalu_time_make(i, FRAME_RATE),
                                                  nalu_time_make(1, FRAME_RATE), NULL, NULL, NULL));
        if (latencies) {
            sem_wait(&to.came);
            latencies[i] = seconds(CLOCK_MONOTONIC) - handed_in;
        }
    }
    OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    all.seconds = seconds(CLOCK_MONOTONIC) - start;
    all.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - start_cpu;
    return all;
}

/* ---- The process ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the process's private memory in bytes, without pages of the mapped file. */
static double own_memory(void) {
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "RssAnon: %lf", &kilobytes);
    if (status) fclose(status);
    return kilobytes * 1024;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"i420", "nv12", "bgra", "bgr24"};
    if (argc < 8) {
        fprintf(stderr, "usage: loop bare|nalu i420|nv12|bgra|bgr24 PRESET FILE WIDTH HEIGHT FRAMES [latency]\n");
        return EXIT_FAILURE;
    }
    input in = {.width = atoi(argv[5]), .height = atoi(argv[6]), .frames = atol(argv[7])};
    while (in.layout <= BGR24 && strcmp(names[in.layout], argv[2]) != 0) in.layout++;
    check(in.layout <= BGR24, "reading the layout");
    size_t pixels = (size_t)in.width * (size_t)in.height;
    in.frame_size = in.layout == BGRA ? pixels * 4 : in.layout == BGR24 ? pixels * 3 : pixels * 3 / 2;
    int file = open(argv[4], O_RDONLY);
    struct stat status;
    check(file >= 0 && fstat(file, &status) == 0 && (size_t)status.st_size >= in.frame_size, "opening the clip");
    in.bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    check(in.bytes != MAP_FAILED, "mapping the clip");
    in.stored = (long)((size_t)status.st_size / in.frame_size);

    double *latencies = argc > 8 ? calloc((size_t)in.frames, sizeof *latencies) : NULL;
    result all = (strcmp(argv[1], "bare") == 0 ? run_bare : run_session)(&in, argv[3], latencies);
    check(all.frames == in.frames, "getting every frame back");
    printf("{\"seconds\": %.6f, \"cpu\": %.6f, \"bytes\": %zu, \"memory\": %.0f", all.seconds, all.cpu, all.bytes,
           own_memory());
    if (latencies) {
        qsort(latencies, (size_t)in.frames, sizeof *latencies, compare_doubles);
        printf(", \"p50\": %.6f, \"p99\": %.6f", latencies[in.frames / 2], latencies[in.frames * 99 / 100]);
    }
    printf("}\n");
    return EXIT_SUCCESS;
}
