/* The test source: its counter, clock, picture sizes, pace, tone and beep. */
#include "capture_support.h"

static const nalu_time twentieth = {1, 20, NALU_TIME_VALID, 0};

static void every_picture_has_its_number_and_its_time(void) {
    static capture_recorder it;
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.width = 256;
    options.height = 16;
    options.frame_duration = (nalu_time){1001, 60000, NALU_TIME_VALID, 0};
    const int64_t before = nanoseconds(nalu_capture_get_host_time());
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 40);
    CHECK_OK(nalu_capture_session_stop(session));
    const int count = atomic_load(&it.frames);
    const int64_t first = it.time[0] - (int64_t)it.number[0] * 1001 * 1000000000 / 60000;
    CHECK(first >= before);
    for (int i = 0; i < count; i++) {
        /* No drift: each time follows from the number alone. */
        CHECK_EQ(it.time[i], first + (int64_t)it.number[i] * 1001 * 1000000000 / 60000);
        CHECK_EQ(it.milliseconds[i], (uint32_t)(it.time[i] / 1000000));
        const uint32_t last = i == 0 ? UINT32_MAX : it.number[i - 1];
        CHECK_EQ(it.number[i] - last - 1, it.dropped[i]);
    }
    CHECK_EQ(it.width, 256);
    CHECK_EQ(it.height, 16);
    CHECK_EQ(it.format, NALU_PIXEL_FORMAT_420V);
    nalu_capture_session_release(session);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
    CHECK_EQ(atomic_load(&it.ends), 0);
}

static void boxes_survive_every_format_and_odd_sizes(void) {
    static const nalu_pixel_format formats[] = {NALU_PIXEL_FORMAT_420V, NALU_PIXEL_FORMAT_420F, NALU_PIXEL_FORMAT_Y420,
                                                NALU_PIXEL_FORMAT_F420};
    for (int i = 0; i < 4; i++) {
        static capture_recorder it;
        memset(&it, 0, sizeof it);
        nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
        options.width = 321;
        options.height = 123;
        options.pixel_format = formats[i];
        nalu_capture_session *session = session_of("test", &options, &video_only, &it);
        CHECK_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.frames) >= 2);
        nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
        CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format));
        CHECK_EQ(format.pixel_format, formats[i]);
        CHECK_EQ(format.minimum_width, 321);
        CHECK_EQ(format.maximum_height, 123);
        CHECK_OK(nalu_capture_session_stop(session));
        nalu_capture_session_release(session);
        CHECK_EQ(it.format, formats[i]);
        CHECK_EQ(it.width, 321);
        CHECK_EQ(it.milliseconds[1], (uint32_t)(it.time[1] / 1000000));
        CHECK(it.number[1] >= 1 && it.number[1] < 100000);
    }
}

static uint64_t sum_of_picture(const nalu_pixel_buffer *buffer) {
    uint64_t sum = 0;
    const uint8_t *plane = nalu_pixel_buffer_get_plane_base_address(buffer, 0);
    for (int y = 60; y < 120; y++)
        for (int x = 0; x < 256; x++)
            sum = sum * 31 + plane[y * nalu_pixel_buffer_get_plane_stride(buffer, 0) + x];
    return sum;
}

static void note_changes(capture_recorder *it, nalu_pixel_buffer *buffer) {
    static uint64_t last;
    const uint64_t sum = sum_of_picture(buffer);
    if (sum != last) ++*(int *)it->extra;
    last = sum;
}

static void the_picture_moves(void) {
    static capture_recorder it;
    int changes = 0;
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    it.act = note_changes;
    it.extra = &changes;
    options.width = 256;
    options.height = 144;
    options.frame_duration = (nalu_time){1, 100, NALU_TIME_VALID, 0};
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 20);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK_EQ(changes, atomic_load(&it.frames));
    nalu_capture_session_release(session);
}

/* The beeps' first audio frames, as host times. */
typedef struct beeps {
    int count;
    int64_t time[8];
    int is_loud;
} beeps;

static void find_beeps(capture_recorder *it, const nalu_capture_audio_block *block) {
    beeps *found = it->extra;
    CHECK_EQ(block->channel_count, 2);
    for (uint32_t i = 0; i < block->frame_count; i++) {
        CHECK(block->samples[2 * i] == block->samples[2 * i + 1]);
        const int is_loud = fabsf(block->samples[2 * i]) > 0.1f;
        const int64_t time = nanoseconds(block->time) + (int64_t)i * 1000000000 / block->sample_rate;
        /* A beep is loud after at most 2 samples of silence at its start; a beep's zero crossings are short. */
        if (is_loud && (found->count == 0 || time - found->time[found->count - 1] > 500000000) && found->count < 8)
            found->time[found->count++] = time;
    }
}

static void a_beep_begins_with_each_second_of_the_counter(void) {
    /* The second source has an audio clock that is 0.1 % fast; its beeps still follow the host clock. */
    static const char *const sources[] = {"test", "test:audio-clock=1.001"};
    for (int i = 0; i < 2; i++) {
        static capture_recorder it;
        beeps found = {0};
        memset(&it, 0, sizeof it);
        nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
        it.hear = find_beeps;
        it.extra = &found;
        options.width = 256;
        options.height = 16;
        options.frame_duration = twentieth;
        nalu_capture_session *session = session_of(sources[i], &options, &both_media, &it);
        CHECK_OK(nalu_capture_session_start(session));
        WAIT_UNTIL(atomic_load(&it.blocks) >= 115);
        CHECK_OK(nalu_capture_session_stop(session));
        const int64_t first = it.time[0] - (int64_t)it.number[0] * 50000000;
        REQUIRE(found.count >= 2);
        /* The first sample of a beep is 0, and a sample lasts 21 microseconds. */
        CHECK(llabs(found.time[0] - first) < 100000);
        CHECK(llabs(found.time[1] - first - 1000000000) < 100000);
        const double rate = (double)(it.audio_frames - 480) * 1e9 / (double)(it.audio_end - it.audio_start);
        CHECK_NEAR(rate, i == 0 ? 48000 : 48048, 1);
        CHECK_EQ(atomic_load(&it.discontinuities), 1);
        nalu_capture_session_release(session);
    }
}

static void sizes_that_are_too_small_are_refused(void) {
    static const int32_t sizes[][2] = {{255, 16}, {256, 15}, {16, 16}};
    nalu_capture_device *device = device_named("test");
    for (int i = 0; i < 3; i++) {
        nalu_capture_session *session = STALE;
        nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
        options.width = sizes[i][0];
        options.height = sizes[i][1];
        REFUSED(nalu_capture_session_create(device, &options, &video_only, NULL, NULL, &session),
            NALU_STATUS_INVALID_SIZE, "256x16");
        CHECK_PTR_EQ(session, NULL);
    }
    nalu_capture_device_release(device);
}

int main(void) {
    RUN(every_picture_has_its_number_and_its_time);
    RUN(boxes_survive_every_format_and_odd_sizes);
    RUN(the_picture_moves);
    RUN(a_beep_begins_with_each_second_of_the_counter);
    RUN(sizes_that_are_too_small_are_refused);
    return check_result();
}
