/*
 * Encodes generated pictures in real time and publishes them. The bit rate follows the link.
 *
 *     live_publisher [-b BITRATE] [-n FRAMES] URL      for example rtmp://localhost/live/stream, or srt://localhost:9000
 *
 *     -b  the highest rate in bits per second, default 2000000
 *     -n  the number of frames, default 300
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/media.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 360, FRAMES_PER_SECOND = 30 };

struct output {
    nalu_publisher *publisher;
    uint32_t track;
    int has_track;
    nalu_status status; /* the first failure; NALU_STATUS_OK if there is none */
};

/* Runs on the session's thread. Handing in a sample never waits for the network. */
static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    struct output *output = refcon;
    (void)frame_refcon, (void)flags;
    if (sample && !output->has_track) {
        status = nalu_publisher_add_track(output->publisher, nalu_sample_get_format_description(sample), &output->track);
        output->has_track = status == NALU_STATUS_OK;
    }
    if (sample && output->has_track) status = nalu_publisher_write_sample(output->publisher, output->track, sample);
    if (status != NALU_STATUS_OK && output->status == NALU_STATUS_OK) {
        output->status = status;
        fprintf(stderr, "live_publisher: %s\n", nalu_last_error_message());
    }
}

/* Runs on the publisher's thread. */
static void got_event(void *refcon, nalu_publisher_event event, const nalu_publisher_statistics *statistics) {
    (void)refcon;
    if (event == NALU_PUBLISHER_EVENT_CONNECTED) puts("connected");
    if (event == NALU_PUBLISHER_EVENT_DISCONNECTED) puts("disconnected; trying again");
    if (event == NALU_PUBLISHER_EVENT_STATUS)
        printf("rate %4.0f kb/s, delivered %4.0f kb/s, queue %3.0f ms, %.0f skipped, %.0f dropped\n",
               (double)statistics->bit_rate / 1000, statistics->throughput / 1000, statistics->queue_delay * 1000,
               (double)statistics->skipped_frames, (double)statistics->dropped_samples);
    fflush(stdout);
}

/* Draws a gradient that moves, in gray. */
static void draw(uint8_t *pixels, long frame) {
    long x, y;
    for (y = 0; y < HEIGHT; y++)
        for (x = 0; x < WIDTH; x++) *pixels++ = (uint8_t)(32 + ((x + frame * 3) ^ (y + frame)) % 192);
}

/* Sleeps until the time of a frame. */
static void pace(const struct timespec *start, long frame) {
    struct timespec time = *start;
    long nanoseconds = time.tv_nsec + frame % FRAMES_PER_SECOND * (1000000000L / FRAMES_PER_SECOND);
    time.tv_sec += frame / FRAMES_PER_SECOND + nanoseconds / 1000000000;
    time.tv_nsec = nanoseconds % 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

static nalu_status prepare(nalu_compression_session *session, long bit_rate) {
    nalu_status status = nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, FRAMES_PER_SECOND);
    if (status == NALU_STATUS_OK) status = nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, bit_rate);
    return status;
}

static nalu_status run(nalu_compression_session *session, struct output *output, long bit_rate, long frames) {
    static uint8_t pixels[WIDTH * HEIGHT];
    const void *planes[1] = {pixels};
    int64_t strides[1] = {WIDTH};
    uint64_t sizes[1] = {sizeof pixels};
    struct timespec start;
    nalu_status status = prepare(session, bit_rate);
    long i;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (i = 0; i < frames && status == NALU_STATUS_OK; i++) {
        nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
        nalu_publisher_advice advice = NALU_PUBLISHER_ADVICE_INIT;
        pace(&start, i);
        /* Sets the session's rate to what the link delivers. */
        status = nalu_publisher_prepare_frame(output->publisher, session, &advice);
        if (status != NALU_STATUS_OK || advice.skips_frame) continue;
        options.flags = advice.frame_flags; /* a key frame after a new connection, for example */
        draw(pixels, i);
        status = nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_L008, 1, planes,
            strides, sizes, nalu_time_make(i, FRAMES_PER_SECOND), nalu_time_make(1, FRAMES_PER_SECOND), &options, NULL,
            NULL);
    }
    if (status == NALU_STATUS_OK) status = nalu_compression_session_complete_frames(session, nalu_time_invalid());
    return status;
}

int main(int argc, char **argv) {
    struct output output = {0};
    nalu_compression_session *session = NULL;
    nalu_status status;
    long bit_rate = 2000000, frames = 300;
    int option;
    while ((option = getopt(argc, argv, "b:n:")) != -1) {
        if (option == 'b') bit_rate = strtol(optarg, NULL, 10);
        if (option == 'n') frames = strtol(optarg, NULL, 10);
    }
    if (optind != argc - 1 || bit_rate < 20000 || frames < 1) {
        fputs("usage: live_publisher [-b BITRATE] [-n FRAMES] URL\n", stderr);
        return 2;
    }
    status = nalu_publisher_create(argv[optind], NULL, got_event, NULL, NULL, &output.publisher);
    if (status == NALU_STATUS_OK) status = nalu_publisher_wait_until_connected(output.publisher, 10);
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, got_frame, &output, NULL,
                                                 &session);
    if (status == NALU_STATUS_OK) status = run(session, &output, bit_rate, frames);
    nalu_compression_session_release(session); /* no sample comes after this */
    if (status == NALU_STATUS_OK) status = nalu_publisher_finish(output.publisher, 5);
    if (status != NALU_STATUS_OK) fprintf(stderr, "live_publisher: %s\n", nalu_last_error_message());
    nalu_publisher_release(output.publisher);
    return status == NALU_STATUS_OK && output.status == NALU_STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
