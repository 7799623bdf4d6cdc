/*
 * Dropped frames: DataRateLimits that no frame of noise fits into. Each frame has its callback in the order of its
 * session, once, with a sample or as dropped; lent pixels return once; limits hold; a forced key frame is not lost with the
 * frame; and the samples decode.
 */
#include "session_support.h"

enum { FRAMES = 90, RATE = 30, LIMIT = 6000, KEY_INTERVAL = 17, NOISE_SIZE = WIDTH * HEIGHT * 3 / 2 };

/* The frames of one session. */
typedef struct drops {
    recorder results, own; /* the session's callback, and that of every third frame */
    size_t order[FRAMES], count, lent, released;
    pthread_mutex_t mutex;
} drops;

static drops d;

static void note(void *frame_refcon) {
    pthread_mutex_lock(&d.mutex);
    REQUIRE(d.count < FRAMES);
    d.order[d.count++] = FRAME_NUMBER(frame_refcon);
    pthread_mutex_unlock(&d.mutex);
}

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    note(frame);
    record_result(refcon, frame, status, flags, sample);
}

static void pixels_are_free(void *pixels) {
    __atomic_add_fetch(&d.released, 1, __ATOMIC_SEQ_CST);
    free(pixels);
}

/* Frames 20 to 39 are noise, which does not fit; others fit. */
static int is_noise(unsigned number) { return number >= 20 && number < 40; }

static int is_forced(unsigned number) { return number == 25 || number == 60; }

static void encode(nalu_compression_session *session, unsigned number) {
    uint8_t *pixels = (uint8_t *)malloc(NOISE_SIZE);
    REQUIRE(pixels);
    uint32_t random = number + 1;
    draw_picture(pixels, number);
    for (int i = 0; is_noise(number) && i < NOISE_SIZE; i++) {
        random = random * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)(random >> 24);
    }
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = is_forced(number) ? NALU_FRAME_FORCE_KEY_FRAME : 0;
    if (number % 3 == 0) {
        options.callback = take;
        options.callback_refcon = &d.own;
    }
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    nalu_pixel_buffer *buffer = NULL;
    d.lent++;
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
        pixels_are_free, pixels, &buffer));
    CHECK_OK(nalu_compression_session_encode_frame(session, buffer, nalu_time_make(number, RATE), nalu_time_invalid(), &options,
        FRAME(number), NULL));
    nalu_pixel_buffer_release(buffer);
}

/* Moves the results to places[] by their frames, and checks that each frame has one. */
static void sort_results(result places[FRAMES]) {
    memset(places, 0, FRAMES * sizeof *places);
    recorder *const all[] = {&d.results, &d.own};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < all[k]->count; i++) {
            const size_t number = FRAME_NUMBER(all[k]->results[i].frame_refcon);
            REQUIRE(number < FRAMES);
            CHECK_EQ(number % 3 == 0, k);
            CHECK_PTR_EQ(places[number].frame_refcon, NULL);
            places[number] = all[k]->results[i];
        }
    for (size_t i = 0; i < FRAMES; i++) CHECK(places[i].frame_refcon != NULL);
}

static size_t bytes_of(const nalu_sample *sample) {
    size_t size = 0;
    nalu_sample_get_data(sample, &size);
    return size;
}

static void check_limit(nalu_sample *const *samples, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        size_t bytes = 0;
        const double start = nalu_time_get_seconds(nalu_sample_get_decode_time(samples[i]));
        for (int32_t k = i; k < count && nalu_time_get_seconds(nalu_sample_get_decode_time(samples[k])) < start + 1 - 1e-9; k++)
            bytes += bytes_of(samples[k]);
        CHECK(bytes <= LIMIT);
    }
}

static void check_session(const char *delay, const char *name, int reorders) {
    result places[FRAMES];
    nalu_sample *samples[FRAMES];
    int32_t count = 0, dropped = 0;
    nalu_compression_session *session = make_session(take, &d.results);
    REQUIRE_OK(nalu_session_set_properties_from_text(session, delay));
    REQUIRE_OK(nalu_session_set_properties_from_text(session,
        "ExpectedFrameRate=30,MaxKeyFrameInterval=17,MaxAllowedFrameQP=28,DataRateLimits=[6000,1]"));
    for (unsigned i = 0; i < FRAMES; i++) encode(session, i);
    CHECK_OK(complete_all(session));
    CHECK_EQ(pending_frames(session), 0);
    CHECK_EQ(d.count, FRAMES);
    CHECK_EQ(d.released, d.lent);
    sort_results(places);
    /* A key frame is due after each interval, and at a forced frame. If that frame is dropped, the next sample is one. */
    int key_is_due = 1, since_key = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        since_key++;
        key_is_due |= is_forced(i) || since_key >= KEY_INTERVAL;
        if (!places[i].sample) {
            CHECK_STATUS(places[i].status, NALU_STATUS_OK);
            CHECK_EQ(places[i].flags, NALU_ENCODE_INFO_FRAME_DROPPED);
            dropped++;
            continue;
        }
        CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(places[i].sample), nalu_time_make(i, RATE)), 0);
        const int is_key = nalu_sample_is_key_frame(places[i].sample) != 0;
        CHECK(is_key || !key_is_due);
        if (is_key) key_is_due = since_key = 0;
    }
    for (size_t i = 0; i < FRAMES; i++) {
        if (!reorders) CHECK_EQ(d.order[i], i);
        if (places[d.order[i]].sample) samples[count++] = places[d.order[i]].sample;
    }
    check_limit(samples, count);
    judge(samples, count, name);
    for (unsigned i = 70; i < FRAMES; i++) CHECK(places[i].sample != NULL);
    CHECK(dropped > 0 && count > FRAMES / 3);
    nalu_session_statistics statistics = {.struct_size = sizeof statistics};
    CHECK_OK(nalu_compression_session_get_statistics(session, &statistics));
    CHECK_EQ(statistics.dropped_frames, dropped);
    CHECK_EQ(statistics.encoded_frames, count);
    printf("  %s: %d of %d frames dropped\n", name, dropped, FRAMES);
    end_session(session, &d.results);
    recorder_clear(&d.own);
    d.count = d.lent = d.released = 0;
}

static void dropped_frames_are_reported_once(void) { check_session(tested()->immediate, "immediate", 0); }

static void dropped_frames_are_reported_in_decode_order(void) {
    if (can_delay()) check_session(tested()->reordering, "reordering", 1);
}

int main(void) {
    pthread_mutex_init(&d.mutex, NULL);
    pthread_mutex_init(&d.results.mutex, NULL);
    pthread_mutex_init(&d.own.mutex, NULL);
    RUN(dropped_frames_are_reported_once);
    RUN(dropped_frames_are_reported_in_decode_order);
    judge_streams();
    return check_result();
}
