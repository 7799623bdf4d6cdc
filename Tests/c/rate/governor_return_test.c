/*
 * The governor returns to exactly the settings with which the encoder was opened, whatever they were. If it is
 * switched off, it costs nothing.
 */
#include "heap_counter.h"
#include "rate_clip.h"

/* Extracts the options of x264.effective that control the analysis of pictures. */
static void analysis(rate_log *log, char text[4096]) {
    rate_effective(log, text);
    char *end = strstr(text, ":threads=");
    REQUIRE(end);
    *end = 0;
}

/* Frame rates that no machine reaches (a millisecond for 720p) and that every machine reaches (ten seconds). */
static const double too_fast = 1000, slow = 0.1;

/* The governor keeps an exhaustive search, because x264 cannot return to one later or widen its range. */
static void the_governor_restores_an_exhaustive_search(void) {
    static const char *const all[] = {"me=esa:merange=6:subme=3:ref=1", "me=tesa:merange=5:subme=3:ref=1"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rate_log log;
        char text[200], opened[4096], now[4096];
        int frame = 0;
        rate_open(&log);
        snprintf(text, sizeof text, "RealTime=true,x264.preset=medium,ExpectedFrameRate=0.1,x264.params=\"%s\"", all[i]);
        CHECK_OK(nalu_session_set_properties_from_text(log.session, text));
        CHECK_OK(nalu_compression_session_prepare(log.session));
        analysis(&log, opened);
        /* Before the first frame, another rate would open another encoder. */
        rate_encode_expecting(&log, &frame, 1, slow);
        rate_encode_expecting(&log, &frame, 25, too_fast);
        CHECK(rate_governor_step(&log) > 2);
        analysis(&log, now);
        CHECK(strstr(now, "subme=1:") && strstr(now, "me=esa:"));
        rate_encode_expecting(&log, &frame, 1, 0);
        CHECK_EQ(rate_governor_step(&log), 0);
        analysis(&log, now);
        CHECK_STR_EQ(now, opened);
        CHECK_EQ(log.key_frames, 1);
        rate_finish(&log);
    }
}

/* Without a frame rate there is no deadline: the next frame is encoded with the opening settings. */
static void unsetting_the_frame_rate_ends_the_governor(void) {
    rate_log log;
    char opened[4096], now[4096];
    int frame = 0;
    rate_open(&log);
    CHECK_OK(nalu_session_set_properties_from_text(log.session,
                                                   "RealTime=true,x264.preset=faster,ExpectedFrameRate=0.1"));
    CHECK_OK(nalu_compression_session_prepare(log.session));
    analysis(&log, opened);
    rate_encode_expecting(&log, &frame, 1, slow);
    rate_encode_expecting(&log, &frame, 20, too_fast);
    CHECK(rate_governor_step(&log) > 0);
    rate_encode_expecting(&log, &frame, 1, 0);
    CHECK_EQ(rate_governor_step(&log), 0);
    analysis(&log, now);
    CHECK_STR_EQ(now, opened);
    rate_encode_expecting(&log, &frame, 12, slow);
    CHECK_EQ(rate_governor_step(&log), 0);
    CHECK_EQ(log.key_frames, 1);
    rate_finish(&log);
}

static void count_frame(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                        nalu_sample *sample) {
    (void)frame, (void)flags;
    *(long *)refcon += status == NALU_STATUS_OK && sample;
}

/* A sample and its bytes are the only allocations, as without the governor: see
 * Tests/c/session/allocations_test.c. */
static void a_disabled_governor_allocates_nothing(void) {
    enum { WIDTH = 64, HEIGHT = 48, WARM_UP = 300, FRAMES = 1000 };
    static uint8_t pixels[WIDTH * HEIGHT * 3 / 2];
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    int64_t strides[2] = {WIDTH, WIDTH};
    long frames = 0;
    long long allocations = 0;
    nalu_compression_session *session = NULL;
    nalu_pixel_buffer *kept = NULL;
    heap_counter_start();
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, count_frame, &frames, NULL,
                                               &session));
    REQUIRE_OK(nalu_session_set_properties_from_text(
        session, "RealTime=true,ExpectedFrameRate=30,NaluRealTimeGovernor=false,x264.preset=veryfast,"
                 "x264.params=\"threads=1\""));
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                    NULL, NULL, &kept));
    for (int64_t i = 0; i < WARM_UP + FRAMES; i++) {
        if (i == WARM_UP) {
            REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
            allocations = atomic_load(&heap_allocations);
        }
        REQUIRE_OK(nalu_compression_session_encode_frame(session, kept, nalu_time_make(i, 30), nalu_time_make(1, 30),
                                                         NULL, NULL, NULL));
    }
    REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    allocations = atomic_load(&heap_allocations) - allocations;
    heap_counter_stop();
    CHECK_EQ(frames, WARM_UP + FRAMES);
    printf("  %.3f allocations a frame\n", (double)allocations / FRAMES);
#if HEAP_COUNTER_WORKS
    CHECK(allocations <= 2 * FRAMES + 20);
#endif
    nalu_pixel_buffer_release(kept);
    nalu_compression_session_release(session);
}

int main(void) {
    rate_load();
    RUN(the_governor_restores_an_exhaustive_search);
    RUN(unsetting_the_frame_rate_ends_the_governor);
    RUN(a_disabled_governor_allocates_nothing);
    return check_result();
}
