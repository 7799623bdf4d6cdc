/* Sessions: dropping, counting, stopping, starting again, and calls from inside the callbacks. */
#include "capture_support.h"

/* Small pictures, 100 a second. */
static nalu_capture_options quick(void) {
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.width = 256;
    options.height = 16;
    options.frame_duration = (nalu_time){1, 100, NALU_TIME_VALID, 0};
    return options;
}

static double monotonic_seconds(void) {
    struct timespec now;
    CHECK_EQ(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The time that the first callback took at least, in seconds. */
static double first_callback;

static void wait_for_late_frames(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)buffer;
    if (atomic_load(&it->frames) != 0) return;
    const double start = monotonic_seconds();
    const uint64_t late = statistics_of(it->session).late_frames;
    WAIT_UNTIL(statistics_of(it->session).late_frames >= late + 5);
    first_callback = monotonic_seconds() - start;
}

static void a_slow_callback_receives_the_newest_picture(void) {
    static capture_recorder it;
    it.act = wait_for_late_frames;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    CHECK_EQ(nalu_capture_session_is_running(session), 1);
    WAIT_UNTIL(atomic_load(&it.frames) >= 3);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK_EQ(nalu_capture_session_is_running(session), 0);
    CHECK(it.dropped[1] >= 5);
    CHECK_EQ(it.number[1] - it.number[0] - 1, it.dropped[1]);
    const nalu_capture_statistics s = statistics_of(session);
    CHECK_EQ(s.delivered_frames, atomic_load(&it.frames));
    CHECK(s.captured_frames - s.delivered_frames - s.late_frames - s.starved_frames <= 1);
    CHECK(s.late_frames >= 5);
    CHECK_EQ(s.capture.count, s.captured_frames);
    CHECK_EQ(s.wait.count, s.delivered_frames);
    CHECK_EQ(s.callback.count, s.delivered_frames);
    CHECK(s.callback.most >= first_callback && s.callback.least <= s.callback.mean && s.callback.mean <= s.callback.most);
    CHECK(s.capture.least >= 0 && s.capture.p95 <= s.capture.most);
    CHECK(s.wait.least >= 0 && s.frame_rate > 0);
    nalu_capture_session_release(session);
}

static nalu_pixel_buffer *kept[8];

static void keep(capture_recorder *it, nalu_pixel_buffer *buffer) {
    const int index = atomic_load(&it->frames);
    if (index < 4) kept[index] = nalu_pixel_buffer_retain(buffer);
}

static void pictures_are_dropped_while_all_buffers_are_in_use(void) {
    static capture_recorder it;
    it.act = keep;
    nalu_capture_options options = quick();
    options.maximum_buffer_count = 4;
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) == 4);
    const uint64_t starved = statistics_of(session).starved_frames;
    WAIT_UNTIL(statistics_of(session).starved_frames >= starved + 3);
    CHECK_EQ(atomic_load(&it.frames), 4);
    for (int i = 0; i < 4; i++) nalu_pixel_buffer_release(kept[i]);
    WAIT_UNTIL(atomic_load(&it.frames) >= 6);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK(it.dropped[4] >= 3);
    CHECK_EQ(it.number[4] - it.number[3] - 1, it.dropped[4]);
    nalu_capture_session_release(session);
}

static void a_kept_picture_outlives_the_session(void) {
    static capture_recorder it;
    it.act = keep;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 4);
    nalu_capture_session_release(session);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(read_boxes(kept[i], 0), it.number[i]);
        nalu_pixel_buffer_release(kept[i]);
    }
}

static void nothing_follows_a_stop_and_a_session_starts_again(void) {
    static capture_recorder it;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &both_media, &it);
    for (int round = 0; round < 20; round++) {
        const int frames = atomic_load(&it.frames), blocks = atomic_load(&it.blocks);
        CHECK_OK(nalu_capture_session_start(session));
        REFUSED(nalu_capture_session_start(session), NALU_STATUS_OUT_OF_ORDER, "nalu_capture_session_stop");
        WAIT_UNTIL(atomic_load(&it.frames) > frames && atomic_load(&it.blocks) > blocks);
        CHECK_OK(nalu_capture_session_stop(session));
        CHECK_EQ(statistics_of(session).delivered_frames, atomic_load(&it.frames) - frames);
        const int after_frames = atomic_load(&it.frames), after_blocks = atomic_load(&it.blocks);
        if (round == 0) usleep(50000);
        CHECK_EQ(atomic_load(&it.frames), after_frames);
        CHECK_EQ(atomic_load(&it.blocks), after_blocks);
        const int first = after_frames < MOST_FRAMES ? frames : 0;
        CHECK_EQ(it.number[first], it.dropped[first]);
        CHECK_OK(nalu_capture_session_stop(session));
    }
    CHECK_EQ(atomic_load(&it.ends), 0);
    CHECK_EQ(atomic_load(&it.destroyed), 0);
    nalu_capture_session_release(session);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
}

/* Set before the test stops the session: a callback that is then in progress finds a session that is not running. */
static atomic_int stops;

static void stop_inside(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)buffer;
    REFUSED(nalu_capture_session_stop(it->session), NALU_STATUS_REENTRANT, "nalu_capture_session_stop");
    REFUSED(nalu_capture_session_start(it->session), NALU_STATUS_REENTRANT, "nalu_capture_session_start");
    CHECK(nalu_capture_session_is_running(it->session) == 1 || atomic_load(&stops));
}

static void stop_in_audio(capture_recorder *it, const nalu_capture_audio_block *block) {
    (void)block;
    CHECK_STATUS(nalu_capture_session_stop(it->session), NALU_STATUS_REENTRANT);
}

static void a_callback_cannot_stop_its_session(void) {
    static capture_recorder it;
    it.act = stop_inside;
    it.hear = stop_in_audio;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &both_media, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 3 && atomic_load(&it.blocks) >= 3);
    atomic_store(&stops, 1);
    CHECK_OK(nalu_capture_session_stop(session));
    nalu_capture_session_release(session);
}

static void release_inside(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)buffer;
    if (atomic_load(&it->frames) == 1) nalu_capture_session_release(it->session);
}

static void a_callback_can_release_its_session(void) {
    static capture_recorder it;
    it.act = release_inside;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &both_media, &it);
    CHECK_PTR_EQ(nalu_capture_session_retain(session), session);
    CHECK_OK(nalu_capture_session_start(session));
    nalu_capture_session_release(session);
    WAIT_UNTIL(atomic_load(&it.destroyed) == 1);
    CHECK_EQ(atomic_load(&it.frames), 2);
    CHECK_EQ(atomic_load(&it.ends), 0);
}

static nalu_capture_session *other;

static void use_another_session(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)buffer;
    if (atomic_load(&it->frames) != 0) return;
    CHECK_STATUS(nalu_capture_session_start(other), NALU_STATUS_WOULD_BLOCK);
    nalu_callback_allow_waits(1);
    CHECK_OK(nalu_capture_session_start(other));
    nalu_callback_allow_waits(0);
    CHECK_STATUS(nalu_capture_session_stop(other), NALU_STATUS_WOULD_BLOCK);
    CHECK_EQ(nalu_capture_session_is_running(other), 1);
    nalu_callback_allow_waits(1);
    CHECK_OK(nalu_capture_session_stop(other));
}

static void a_callback_waits_for_another_session_when_it_is_allowed(void) {
    static capture_recorder it, its;
    const nalu_capture_options options = quick();
    it.act = use_another_session;
    other = session_of("test", &options, &video_only, &its);
    nalu_capture_session *session = session_of("test", &options, &video_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 2);
    nalu_capture_session_release(session);
    nalu_capture_session_release(other);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
    CHECK_EQ(atomic_load(&its.destroyed), 1);
}

static void sleep_long(capture_recorder *it, nalu_pixel_buffer *buffer) {
    (void)buffer;
    WAIT_UNTIL(atomic_load(&it->blocks) >= 20);
}

static void a_slow_video_callback_does_not_delay_audio(void) {
    static capture_recorder it;
    it.act = sleep_long;
    const nalu_capture_options options = quick();
    nalu_capture_session *session = session_of("test", &options, &both_media, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 1);
    CHECK_OK(nalu_capture_session_stop(session));
    CHECK_EQ(atomic_load(&it.discontinuities), 1);
    CHECK_EQ(statistics_of(session).audio_frames, it.audio_frames);
    nalu_capture_session_release(session);
}

static void wait_for_lost_audio(capture_recorder *it, const nalu_capture_audio_block *block) {
    if (it->audio_frames == block->frame_count) WAIT_UNTIL(statistics_of(it->session).lost_audio_frames >= 480);
}

static void audio_beyond_a_second_is_lost_and_counted(void) {
    static capture_recorder it;
    it.hear = wait_for_lost_audio;
    nalu_capture_options options = NALU_CAPTURE_OPTIONS_INIT;
    options.sample_rate = 8000;
    options.channel_count = 1;
    nalu_capture_session *session = session_of("test", &options, &audio_only, &it);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.discontinuities) == 2);
    CHECK_OK(nalu_capture_session_stop(session));
    nalu_capture_format format = NALU_CAPTURE_FORMAT_INIT;
    CHECK_OK(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_AUDIO, &format));
    CHECK_EQ(format.sample_rate, 8000);
    CHECK_EQ(format.channel_count, 1);
    CHECK_STATUS(nalu_capture_session_get_format(session, NALU_CAPTURE_MEDIA_VIDEO, &format), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_EQ(statistics_of(session).captured_frames, 0);
    nalu_capture_session_release(session);
}

static void pictures_and_audio_of_two_devices_share_a_session(void) {
    static capture_recorder it;
    nalu_capture_options options = quick();
    options.audio_device = device_named("test:audio-clock=1.001");
    nalu_capture_session *session = session_of("test", &options, &both_media, &it);
    nalu_capture_device_release(options.audio_device);
    CHECK_OK(nalu_capture_session_start(session));
    WAIT_UNTIL(atomic_load(&it.frames) >= 3 && atomic_load(&it.blocks) >= 3);
    CHECK_OK(nalu_capture_session_stop(session));
    nalu_capture_session_release(session);
    CHECK_EQ(atomic_load(&it.destroyed), 1);
}

int main(void) {
    RUN(a_slow_callback_receives_the_newest_picture);
    RUN(pictures_are_dropped_while_all_buffers_are_in_use);
    RUN(a_kept_picture_outlives_the_session);
    RUN(nothing_follows_a_stop_and_a_session_starts_again);
    RUN(a_callback_cannot_stop_its_session);
    RUN(a_callback_can_release_its_session);
    RUN(a_callback_waits_for_another_session_when_it_is_allowed);
    RUN(a_slow_video_callback_does_not_delay_audio);
    RUN(audio_beyond_a_second_is_lost_and_counted);
    RUN(pictures_and_audio_of_two_devices_share_a_session);
    return check_result();
}
