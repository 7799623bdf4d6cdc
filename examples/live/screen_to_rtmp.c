/*
 * Captures a screen, and publishes it. The bit rate follows the link.
 *
 *     screen_to_rtmp screen|camera|test|DEVICE URL [SECONDS]      for example rtmp://localhost/live/stream
 *
 * Without SECONDS it publishes until Ctrl-C. The connection is made again when it is lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/media.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES_PER_SECOND = 30, HIGHEST_BIT_RATE = 4000000 };

/* The callbacks of the capture and of the encoder have one thread each, and main waits for a signal. */
struct stream {
    nalu_publisher *publisher;
    nalu_compression_session *encoder; /* created by the first picture, which has the size */
    uint32_t track;
    int has_track;
    volatile sig_atomic_t has_failed;
};

static void fail(struct stream *it, const char *error) {
    if (!it->has_failed) fprintf(stderr, "screen_to_rtmp: %s\n", error);
    it->has_failed = 1;
    kill(getpid(), SIGTERM); /* ends the wait in main */
}

/* Hands in one encoded picture, which never waits for the network. */
static void got_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    struct stream *it = refcon;
    (void)frame, (void)flags;
    if (sample && !it->has_track) {
        status = nalu_publisher_add_track(it->publisher, nalu_sample_get_format_description(sample), &it->track);
        it->has_track = status == NALU_STATUS_OK;
    }
    if (sample && it->has_track) status = nalu_publisher_write_sample(it->publisher, it->track, sample);
    if (status != NALU_STATUS_OK) fail(it, nalu_last_error_message());
}

static nalu_status open_encoder(struct stream *it, nalu_pixel_buffer *picture) {
    nalu_status status = nalu_compression_session_create(nalu_pixel_buffer_get_width(picture),
        nalu_pixel_buffer_get_height(picture), NALU_CODEC_H264, NULL, NULL, got_sample, it, NULL, &it->encoder);
    if (status == NALU_STATUS_OK) status = nalu_session_set_bool(it->encoder, NALU_PROPERTY_REAL_TIME, 1);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_double(it->encoder, NALU_PROPERTY_EXPECTED_FRAME_RATE, FRAMES_PER_SECOND);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_int64(it->encoder, NALU_PROPERTY_AVERAGE_BIT_RATE, HIGHEST_BIT_RATE);
    /* Viewers that join wait for a key frame. */
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_double(it->encoder, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL_DURATION, 2);
    return status;
}

static void got_picture(void *refcon, nalu_pixel_buffer *picture, nalu_time time, nalu_time duration, uint32_t dropped) {
    struct stream *it = refcon;
    nalu_publisher_advice advice = NALU_PUBLISHER_ADVICE_INIT;
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    nalu_status status = NALU_STATUS_OK;
    (void)dropped;
    /* While the encoder is busy, the call waits, and the capture session drops late pictures. */
    nalu_callback_allow_waits(1);
    if (!it->encoder) status = open_encoder(it, picture);
    /* Sets the session's rate to what the link delivers. */
    if (status == NALU_STATUS_OK) status = nalu_publisher_prepare_frame(it->publisher, it->encoder, &advice);
    if (status == NALU_STATUS_OK && advice.skips_frame) return;
    options.flags = advice.frame_flags; /* a key frame after a new connection, for example */
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_encode_frame(it->encoder, picture, time, duration, &options, NULL, NULL);
    if (status != NALU_STATUS_OK) fail(it, nalu_last_error_message());
}

static void got_end(void *refcon, nalu_status status, const char *message) {
    (void)status;
    fail(refcon, message);
}

/* Runs on the publisher's thread. */
static void got_event(void *refcon, nalu_publisher_event event, const nalu_publisher_statistics *statistics) {
    (void)refcon;
    if (event == NALU_PUBLISHER_EVENT_CONNECTED) puts("connected");
    if (event == NALU_PUBLISHER_EVENT_DISCONNECTED) puts("disconnected");
    if (event == NALU_PUBLISHER_EVENT_STATUS)
        printf("rate %.0f kb/s, delivered %.0f kb/s, queue %.0f ms, %.0f skipped, %.0f dropped\n",
            (double)statistics->bit_rate / 1000, statistics->throughput / 1000, statistics->queue_delay * 1000,
            (double)statistics->skipped_frames, (double)statistics->dropped_samples);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static struct stream it;
    nalu_capture_callbacks callbacks = NALU_CAPTURE_CALLBACKS_INIT;
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    nalu_capture_device *device = NULL;
    nalu_capture_session *session = NULL;
    struct timespec duration = {0};
    sigset_t set;
    if (argc < 3) {
        fprintf(stderr, "usage: screen_to_rtmp screen|camera|test|DEVICE URL [SECONDS]\n");
        return EXIT_FAILURE;
    }
    duration.tv_sec = argc > 3 ? atoi(argv[3]) : 1000000000;
    /* Only main's wait receives these signals. */
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    callbacks.video = got_picture;
    callbacks.end = got_end;
    options.frame_duration = nalu_time_make(1, FRAMES_PER_SECOND);
    nalu_status status = nalu_publisher_create(argv[2], NULL, got_event, &it, NULL, &it.publisher);
    if (status == NALU_STATUS_OK) status = nalu_publisher_wait_until_connected(it.publisher, 10);
    if (status == NALU_STATUS_OK) status = nalu_capture_device_create_with_id(argv[1], &device);
    if (status == NALU_STATUS_OK)
        status = nalu_capture_session_create(device, &options, &callbacks, &it, NULL, &session);
    if (status == NALU_STATUS_OK) status = nalu_capture_session_start(session);
    if (status == NALU_STATUS_OK) sigtimedwait(&set, NULL, &duration);
    else fail(&it, nalu_last_error_message());

    nalu_capture_session_stop(session);
    if (it.encoder && nalu_compression_session_complete_frames(it.encoder, nalu_time_invalid()) != NALU_STATUS_OK)
        fail(&it, nalu_last_error_message());
    nalu_compression_session_release(it.encoder); /* no sample comes after this */
    if (it.publisher && nalu_publisher_finish(it.publisher, 5) != NALU_STATUS_OK) fail(&it, nalu_last_error_message());
    nalu_publisher_release(it.publisher);
    nalu_capture_session_release(session);
    nalu_capture_device_release(device);
    return it.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
