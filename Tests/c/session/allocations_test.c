/*
 * The heap allocations of a running session. A frame in a buffer that the client reuses costs at most two
 * blocks: the sample and its bytes. A wrapping or pooled buffer created for each frame is a third block. No
 * memory is leaked. libx264 itself allocates nothing while it runs.
 */
#include "check.h"
#include "heap_counter.h"

enum { WIDTH = 64, HEIGHT = 48, WARM_UP = 300, FRAMES = 3000, PICTURE_BYTES = WIDTH * HEIGHT * 3 / 2, MOST_IN_USE = 4 };

enum { KEPT_BUFFER, WRAPPING_BUFFER, POOLED_BUFFER, COPIED_PLANES, CONVERTED_BGRA };

static const struct {
    const char *name;
    double most; /* allocations per frame */
} kinds[] = {
    {"a buffer of the client's", 2}, {"a wrapping buffer a frame", 3}, {"a pooled buffer a frame", 3},
    {"planes, copied", 2},           {"BGRA planes, converted", 2},
};

static uint8_t pixels[WIDTH * HEIGHT * 4];

static void got_frame(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    (void)frame, (void)flags;
    *(long *)refcon += status == NALU_STATUS_OK && sample;
}

static nalu_status encode(nalu_compression_session *session, nalu_pixel_buffer *kept, int kind, int64_t number) {
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    int64_t strides[2] = {WIDTH, WIDTH}, bgra_stride = 4 * WIDTH;
    nalu_time time = nalu_time_make(number, 30), duration = nalu_time_make(1, 30);
    nalu_pixel_buffer *buffer = NULL;
    if (kind == COPIED_PLANES)
        return nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes,
                                                      strides,
                                                      NULL, time, duration, NULL, NULL, NULL);
    if (kind == CONVERTED_BGRA)
        return nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_BGRA, 1, planes,
                                                      &bgra_stride, NULL, time, duration, NULL, NULL, NULL);
    if (kind == KEPT_BUFFER) {
        buffer = nalu_pixel_buffer_retain(kept);
    } else if (kind == WRAPPING_BUFFER) {
        REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                        NULL, NULL, &buffer));
    } else {
        REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(nalu_compression_session_get_pixel_buffer_pool(session),
                                                              &buffer));
    }
    nalu_status status = nalu_compression_session_encode_frame(session, buffer, time, duration, NULL, NULL, NULL);
    nalu_pixel_buffer_release(buffer);
    return status;
}

static void check_kind(int kind) {
    long frames = 0;
    long long allocations = 0, live = 0;
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    int64_t strides[2] = {WIDTH, WIDTH};
    nalu_compression_session *session = NULL;
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    nalu_pixel_buffer *kept = NULL;
    heap_counter_start();
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, got_frame, &frames, NULL,
                                               &session));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, "ultrafast"));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
                                                    NULL,
                                                    NULL, &kept));
    for (int64_t i = 0; i < WARM_UP + FRAMES; i++) {
        if (i == WARM_UP) {
            REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
            allocations = atomic_load(&heap_allocations);
            live = atomic_load(&heap_live_bytes);
        }
        REQUIRE_OK(encode(session, kept, kind, i));
        /* Reading the statistics for each frame allocates nothing. */
        CHECK_OK(nalu_compression_session_get_statistics(session, &statistics));
    }
    REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    allocations = atomic_load(&heap_allocations) - allocations;
    live = atomic_load(&heap_live_bytes) - live;
    heap_counter_stop();
    CHECK_EQ(frames, WARM_UP + FRAMES);
    printf("  %s: %.3f allocations a frame, %+lld bytes after %d frames\n", kinds[kind].name,
           (double)allocations / FRAMES,
           live, FRAMES);
#if HEAP_COUNTER_WORKS
    /* A large key frame may grow a buffer. One more block per frame would be 3000. */
    CHECK((double)allocations <= kinds[kind].most * FRAMES + 20);
    /* Reused buffers are as many as were in use at the same time, which may be more on a busy machine. */
    CHECK(live < 4096 + MOST_IN_USE * PICTURE_BYTES);
#endif
    nalu_pixel_buffer_release(kept);
    nalu_compression_session_release(session);
}

static void a_reused_client_buffer_allocates_only_the_sample(void) { check_kind(KEPT_BUFFER); }
static void a_wrapping_buffer_for_each_frame_allocates_little(void) { check_kind(WRAPPING_BUFFER); }
static void a_pooled_buffer_for_each_frame_allocates_little(void) { check_kind(POOLED_BUFFER); }
static void copied_planes_allocate_only_the_sample(void) { check_kind(COPIED_PLANES); }
static void converted_planes_allocate_only_the_sample(void) { check_kind(CONVERTED_BGRA); }

/* A session frees everything it allocated, whatever its state when it is released. */
static void a_released_session_leaves_no_memory(void) {
    long long live = 0;
    for (int round = 0; round < 40; round++) {
        long frames = 0;
        nalu_compression_session *session = NULL;
        if (round == 20) heap_counter_start(); /* the C library keeps thread stacks and arenas of the first
                                                * rounds */
        REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, got_frame, &frames, NULL,
                                                   &session));
        REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
        for (int64_t i = 0; i < 20; i++) REQUIRE_OK(encode(session, NULL, CONVERTED_BGRA, i));
        if (round % 2) REQUIRE_OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
        nalu_compression_session_release(session);
    }
    /* The thread of the last session may still be ending. */
    for (int i = 0; i < 60000 && (live = atomic_load(&heap_live_bytes)) >= 20 * 1024; i++) check_pause();
    heap_counter_stop();
    printf("  %+lld bytes after 20 sessions\n", live);
#if HEAP_COUNTER_WORKS
    CHECK(live < 20 * 1024);
#endif
}

int main(void) {
    memset(pixels, 90, sizeof pixels);
    RUN(a_reused_client_buffer_allocates_only_the_sample);
    RUN(a_wrapping_buffer_for_each_frame_allocates_little);
    RUN(a_pooled_buffer_for_each_frame_allocates_little);
    RUN(copied_planes_allocate_only_the_sample);
    RUN(converted_planes_allocate_only_the_sample);
    RUN(a_released_session_leaves_no_memory);
    return check_result();
}
