/* Helpers of the capture tests: sessions, recorders, and the counters of the test source's pictures. */
#ifndef NALU_TESTS_CAPTURE_SUPPORT_H
#define NALU_TESTS_CAPTURE_SUPPORT_H

#include "refusal.h"

#include <nalu/media.h>
#include <stdatomic.h>

enum { MOST_FRAMES = 512 };

/* The pictures, audio and end that one session has reported. Each field is written by one thread. The counters are
 * atomic, so that the test can wait for them. */
typedef struct capture_recorder {
    atomic_int frames, blocks, ends, destroyed, discontinuities;
    uint32_t number[MOST_FRAMES], milliseconds[MOST_FRAMES], dropped[MOST_FRAMES];
    int64_t time[MOST_FRAMES];
    int32_t width, height;
    nalu_pixel_format format;
    int64_t audio_frames, audio_start, audio_end;
    nalu_status end_status;
    char end_message[512];
    /* Called by the video callback. */
    void (*act)(struct capture_recorder *it, nalu_pixel_buffer *buffer);
    void (*hear)(struct capture_recorder *it, const nalu_capture_audio_block *block);
    nalu_capture_session *session;
    void *extra;
} capture_recorder;

/* Reads one row of 32 boxes of 8 x 8 pixels in the first plane, most significant bit first. */
static inline uint32_t read_boxes(const nalu_pixel_buffer *buffer, int row) {
    const uint8_t *plane = nalu_pixel_buffer_get_plane_base_address(buffer, 0);
    const int64_t stride = nalu_pixel_buffer_get_plane_stride(buffer, 0);
    uint32_t value = 0;
    for (int bit = 0; bit < 32; bit++) value = value << 1 | (plane[(row * 8 + 4) * stride + bit * 8 + 4] > 125);
    return value;
}

static inline int64_t nanoseconds(nalu_time time) {
    CHECK_EQ(time.timescale, 1000000000);
    CHECK_EQ(time.flags, NALU_TIME_VALID);
    return time.value;
}

static inline void record_frame(void *refcon, nalu_pixel_buffer *buffer, nalu_time time, nalu_time duration,
                                uint32_t dropped) {
    capture_recorder *it = refcon;
    const int index = atomic_load(&it->frames);
    CHECK_EQ(duration.timescale, 1000000000);
    CHECK(duration.value > 0);
    if (index < MOST_FRAMES) {
        it->time[index] = nanoseconds(time);
        it->dropped[index] = dropped;
        it->format = nalu_pixel_buffer_get_pixel_format(buffer);
        it->width = nalu_pixel_buffer_get_width(buffer);
        it->height = nalu_pixel_buffer_get_height(buffer);
        if (it->width >= 256 && it->height >= 16) {
            it->number[index] = read_boxes(buffer, 0);
            it->milliseconds[index] = read_boxes(buffer, 1);
        }
    }
    if (it->act) it->act(it, buffer);
    atomic_fetch_add(&it->frames, 1);
}

static inline void record_audio(void *refcon, const nalu_capture_audio_block *block) {
    capture_recorder *it = refcon;
    CHECK_EQ(block->struct_size, sizeof *block);
    CHECK(block->frame_count > 0);
    if (it->audio_frames == 0) it->audio_start = nanoseconds(block->time);
    it->audio_frames += block->frame_count;
    it->audio_end = nanoseconds(block->time);
    if (block->is_discontinuous) atomic_fetch_add(&it->discontinuities, 1);
    if (it->hear) it->hear(it, block);
    atomic_fetch_add(&it->blocks, 1);
}

static inline void record_end(void *refcon, nalu_status status, const char *message) {
    capture_recorder *it = refcon;
    it->end_status = status;
    snprintf(it->end_message, sizeof it->end_message, "%s", message);
    atomic_fetch_add(&it->ends, 1);
}

static inline void record_destruction(void *refcon) { atomic_fetch_add(&((capture_recorder *)refcon)->destroyed, 1); }

static inline nalu_capture_device *device_named(const char *identifier) {
    nalu_capture_device *device = NULL;
    REQUIRE_OK(nalu_capture_device_create_with_id(identifier, &device));
    return device;
}

static const nalu_capture_callbacks video_only = {sizeof video_only, 0, record_frame, NULL, record_end};
static const nalu_capture_callbacks audio_only = {sizeof audio_only, 0, NULL, record_audio, record_end};
static const nalu_capture_callbacks both_media = {sizeof both_media, 0, record_frame, record_audio, record_end};

/* Creates a session of a device, which is not started. */
static inline nalu_capture_session *session_of(const char *identifier, const nalu_capture_options *options,
                                               const nalu_capture_callbacks *callbacks, capture_recorder *it) {
    nalu_capture_device *device = device_named(identifier);
    nalu_capture_session *session = NULL;
    REQUIRE_OK(nalu_capture_session_create(device, options, callbacks, it, record_destruction, &session));
    nalu_capture_device_release(device);
    it->session = session;
    return session;
}

static inline nalu_capture_statistics statistics_of(nalu_capture_session *session) {
    nalu_capture_statistics statistics = NALU_CAPTURE_STATISTICS_INIT;
    CHECK_OK(nalu_capture_session_get_statistics(session, &statistics));
    return statistics;
}

#endif
