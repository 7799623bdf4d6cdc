/*
 * Captures a camera, a screen or the test source, and writes an H.264 file in real time.
 *
 *     camera_to_file camera|screen|test|DEVICE OUT.h264 [SECONDS]
 *
 * Without SECONDS it captures until Ctrl-C. The summary has the delay from capture to the encoded sample.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _POSIX_C_SOURCE 200809L
#include <nalu/media.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The state that the threads of the two sessions share. */
struct recorder {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    nalu_compression_session *encoder; /* created by the first picture, which has the size */
    FILE *file;
    int is_over, has_failed;
    long frames;
    double delays; /* the sum of the delays from capture to sample, in seconds */
};

static void finish(struct recorder *it, const char *error) {
    pthread_mutex_lock(&it->lock);
    if (error) fprintf(stderr, "camera_to_file: %s\n", error);
    it->has_failed |= error != NULL;
    it->is_over = 1;
    pthread_cond_signal(&it->ended);
    pthread_mutex_unlock(&it->lock);
}

/* Writes one encoded picture. Its presentation time is the host time of its capture. */
static void got_sample(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    struct recorder *it = refcon;
    static uint8_t bytes[1 << 22];
    size_t size = 0;
    (void)frame, (void)flags;
    if (!sample) {
        if (status != NALU_STATUS_OK) finish(it, nalu_status_string(status));
        return;
    }
    if (nalu_sample_copy_annex_b(sample, NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, bytes, sizeof bytes, &size) !=
            NALU_STATUS_OK || fwrite(bytes, 1, size, it->file) != size) {
        finish(it, "the sample cannot be written");
        return;
    }
    it->delays += nalu_time_get_seconds(
        nalu_time_subtract(nalu_capture_get_host_time(), nalu_sample_get_presentation_time(sample)));
    it->frames++;
}

static nalu_status open_encoder(struct recorder *it, nalu_pixel_buffer *picture) {
    nalu_status status = nalu_compression_session_create(nalu_pixel_buffer_get_width(picture),
        nalu_pixel_buffer_get_height(picture), NALU_CODEC_H264, NULL, NULL, got_sample, it, NULL, &it->encoder);
    if (status == NALU_STATUS_OK) status = nalu_session_set_bool(it->encoder, NALU_PROPERTY_REAL_TIME, 1);
    /* With the rate, the session lowers its effort if the processor is too slow. */
    if (status == NALU_STATUS_OK) status = nalu_session_set_double(it->encoder, NALU_PROPERTY_EXPECTED_FRAME_RATE, 30);
    if (status == NALU_STATUS_OK)
        status = nalu_session_set_int64(it->encoder, NALU_PROPERTY_AVERAGE_BIT_RATE, 4000000);
    return status;
}

/* Encodes one picture. While the encoder is busy, the call waits, and the capture session drops late pictures. The encoder
 * is another session, so the callback must allow waits. */
static void got_picture(void *refcon, nalu_pixel_buffer *picture, nalu_time time, nalu_time duration, uint32_t dropped) {
    struct recorder *it = refcon;
    nalu_status status = NALU_STATUS_OK;
    (void)dropped;
    nalu_callback_allow_waits(1);
    if (!it->encoder) status = open_encoder(it, picture);
    if (status == NALU_STATUS_OK)
        status = nalu_compression_session_encode_frame(it->encoder, picture, time, duration, NULL, NULL, NULL);
    if (status != NALU_STATUS_OK) finish(it, nalu_last_error_message());
}

static void got_end(void *refcon, nalu_status status, const char *message) {
    (void)status;
    finish(refcon, message);
}

/* Waits for Ctrl-C, which main has blocked in all threads. */
static void *wait_for_interruption(void *refcon) {
    sigset_t set;
    int number;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigwait(&set, &number);
    finish(refcon, NULL);
    return NULL;
}

int main(int argc, char **argv) {
    static struct recorder it = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
    nalu_capture_callbacks callbacks = NALU_CAPTURE_CALLBACKS_INIT;
    nalu_capture_statistics statistics = NALU_CAPTURE_STATISTICS_INIT;
    nalu_capture_device *device = NULL;
    nalu_capture_session *session = NULL;
    struct timespec end;
    pthread_t thread;
    sigset_t set;
    if (argc < 3 || !(it.file = fopen(argv[2], "wb"))) {
        if (argc < 3) fprintf(stderr, "usage: camera_to_file camera|screen|test|DEVICE OUT.h264 [SECONDS]\n");
        else perror(argv[2]);
        return EXIT_FAILURE;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, wait_for_interruption, &it);
    callbacks.video = got_picture;
    callbacks.end = got_end;
    nalu_status status = nalu_capture_device_create_with_id(argv[1], &device);
    if (status == NALU_STATUS_OK)
        status = nalu_capture_session_create(device, NULL, &callbacks, &it, NULL, &session);
    if (status == NALU_STATUS_OK) status = nalu_capture_session_start(session);
    if (status != NALU_STATUS_OK) finish(&it, nalu_last_error_message());

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += argc > 3 ? atoi(argv[3]) : 1000000000;
    pthread_mutex_lock(&it.lock);
    while (!it.is_over && pthread_cond_timedwait(&it.ended, &it.lock, &end) == 0) {
    }
    pthread_mutex_unlock(&it.lock);
    nalu_capture_session_stop(session);
    if (it.encoder && nalu_compression_session_complete_frames(it.encoder, nalu_time_invalid()) != NALU_STATUS_OK)
        finish(&it, nalu_last_error_message());
    if (session && nalu_capture_session_get_statistics(session, &statistics) == NALU_STATUS_OK && it.frames > 0)
        printf("%ld frames, %llu dropped, %.1f ms from capture to sample\n", it.frames,
            (unsigned long long)(statistics.late_frames + statistics.starved_frames), it.delays * 1000 / (double)it.frames);
    nalu_compression_session_release(it.encoder);
    nalu_capture_session_release(session);
    nalu_capture_device_release(device);
    if (fclose(it.file) != 0) it.has_failed = 1;
    return it.has_failed || it.frames == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
