#include "session_support.h"

void event_signal(event *it) {
    pthread_mutex_lock(&it->mutex);
    it->happened = true;
    pthread_cond_broadcast(&it->condition);
    pthread_mutex_unlock(&it->mutex);
}

bool event_wait_for(event *it, long milliseconds) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&it->mutex);
    int result = 0;
    while (!it->happened && result == 0) result = pthread_cond_timedwait(&it->condition, &it->mutex, &end);
    bool happened = it->happened;
    pthread_mutex_unlock(&it->mutex);
    return happened;
}

void event_wait(event *it) {
    REQUIRE(event_wait_for(it, 300000));
}

void sleep_milliseconds(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

void record_result(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                   nalu_sample *sample) {
    recorder *all = (recorder *)refcon;
    CHECK_EQ(__atomic_add_fetch(&all->inside, 1, __ATOMIC_SEQ_CST), 1);
    CHECK((flags & ~(nalu_encode_info_flags)NALU_ENCODE_INFO_FRAME_DROPPED) == 0);
    if (sample) {
        CHECK_STATUS(status, NALU_STATUS_OK);
        CHECK_EQ(flags, 0);
        CHECK_PTR_EQ(nalu_sample_get_frame_refcon(sample), frame_refcon);
        CHECK_PTR_EQ(nalu_sample_retain(sample), sample);
    } else {
        CHECK(flags == NALU_ENCODE_INFO_FRAME_DROPPED || status != NALU_STATUS_OK);
    }
    pthread_mutex_lock(&all->mutex);
    REQUIRE(all->count < RECORDER_CAPACITY);
    all->results[all->count++] = (result){status, flags, sample, frame_refcon, pthread_self()};
    pthread_mutex_unlock(&all->mutex);
    __atomic_sub_fetch(&all->inside, 1, __ATOMIC_SEQ_CST);
}

size_t recorder_count(recorder *all) {
    pthread_mutex_lock(&all->mutex);
    size_t count = all->count;
    pthread_mutex_unlock(&all->mutex);
    return count;
}

void recorder_clear(recorder *all) {
    for (size_t i = 0; i < all->count; i++) nalu_sample_release(all->results[i].sample);
    all->count = 0;
}

void check_all_encoded(recorder *all, size_t frames) {
    size_t times[RECORDER_CAPACITY] = {0};
    CHECK_EQ(all->count, frames);
    for (size_t i = 0; i < all->count; i++) {
        CHECK(all->results[i].sample != NULL);
        size_t number = FRAME_NUMBER(all->results[i].frame_refcon);
        if (CHECK(number < frames)) times[number]++;
    }
    for (size_t i = 0; i < frames; i++) CHECK_EQ(times[i], 1);
}

size_t check_each_once_encoded_or_dropped(recorder *all, size_t frames) {
    size_t times[RECORDER_CAPACITY] = {0}, dropped = 0;
    CHECK_EQ(all->count, frames);
    for (size_t i = 0; i < all->count; i++) {
        size_t number = FRAME_NUMBER(all->results[i].frame_refcon);
        if (CHECK(number < frames)) times[number]++;
        if (all->results[i].sample) continue;
        CHECK_EQ(all->results[i].flags, NALU_ENCODE_INFO_FRAME_DROPPED);
        CHECK_STATUS(all->results[i].status, NALU_STATUS_INVALID_SESSION);
        dropped++;
    }
    for (size_t i = 0; i < frames; i++) CHECK_EQ(times[i], 1);
    return dropped;
}

void judge_results(recorder *all, const char *name) {
    static nalu_sample *samples[RECORDER_CAPACITY];
    int32_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->results[i].sample) samples[count++] = all->results[i].sample;
    judge(samples, count, name);
}

void check_decode_times(recorder *all) {
    for (size_t i = 0; i < all->count; i++) {
        nalu_time decode = nalu_sample_get_decode_time(all->results[i].sample);
        CHECK(nalu_time_is_numeric(decode));
        CHECK(nalu_time_compare(decode, nalu_sample_get_presentation_time(all->results[i].sample)) <= 0);
        if (i > 0) CHECK(nalu_time_compare(nalu_sample_get_decode_time(all->results[i - 1].sample), decode) < 0);
    }
}

bool same_time(nalu_time a, nalu_time b) {
    return a.value == b.value && a.timescale == b.timescale && a.flags == b.flags && a.epoch == b.epoch;
}

void check_same_bytes(recorder *a, recorder *b) {
    if (!CHECK_EQ(a->count, b->count)) return;
    for (size_t i = 0; i < a->count; i++) {
        size_t size_a = 0, size_b = 0;
        const uint8_t *bytes_a = nalu_sample_get_data(a->results[i].sample, &size_a);
        const uint8_t *bytes_b = nalu_sample_get_data(b->results[i].sample, &size_b);
        if (CHECK_EQ(size_a, size_b)) CHECK_BYTES(bytes_a, bytes_b, size_a);
    }
}

nalu_compression_session *make_session(nalu_compression_output_callback callback, void *refcon) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(create_tested(WIDTH, HEIGHT, callback, refcon, NULL, &session));
    return session;
}

void draw_picture(uint8_t *pixels, unsigned number) {
    uint32_t noise = number * 2654435761u + 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            noise = noise * 1664525u + 1013904223u;
            pixels[y * WIDTH + x] = (uint8_t)(32 + (x * 2 + y + (int)number * 3) % 160 + (int)(noise >> 29));
        }
    memset(pixels + WIDTH * HEIGHT, (int)(96 + number % 64), WIDTH * HEIGHT / 2);
}

nalu_status encode_pixels(nalu_compression_session *session, const uint8_t *pixels, nalu_time time,
                          const nalu_frame_options *options, void *frame_refcon) {
    const void *planes[2] = {pixels, pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    return nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides,
                                                  NULL, time, nalu_time_invalid(), options, frame_refcon, NULL);
}

nalu_status encode_picture_with(nalu_compression_session *session, unsigned number, const nalu_frame_options *options) {
    uint8_t pixels[PICTURE_SIZE];
    draw_picture(pixels, number);
    return encode_pixels(session, pixels, frame_time(number), options, FRAME(number));
}

nalu_status encode_picture(nalu_compression_session *session, unsigned number) {
    return encode_picture_with(session, number, NULL);
}

void encode_pictures(nalu_compression_session *session, unsigned count) {
    for (unsigned i = 0; i < count; i++) CHECK_OK(encode_picture(session, i));
}

nalu_status try_picture(nalu_compression_session *session, unsigned number) {
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = NALU_FRAME_DO_NOT_WAIT;
    return encode_picture_with(session, number, &options);
}

nalu_status complete_all(nalu_compression_session *session) {
    return nalu_compression_session_complete_frames(session, nalu_time_invalid());
}

void complete_and_check(nalu_compression_session *session, recorder *all, size_t frames) {
    CHECK_OK(complete_all(session));
    check_all_encoded(all, frames);
}

void encode_all(nalu_compression_session *session, recorder *all, unsigned count) {
    encode_pictures(session, count);
    complete_and_check(session, all, count);
}

void end_session(nalu_compression_session *session, recorder *all) {
    nalu_compression_session_release(session);
    recorder_clear(all);
}

int64_t pending_frames(nalu_compression_session *session) {
    int64_t pending = -1;
    CHECK_OK(nalu_session_get_int64(session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending));
    return pending;
}

void record_when_open(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    gate *it = (gate *)refcon;
    event_signal(&it->entered);
    event_wait(&it->opened);
    record_result(&it->results, frame_refcon, status, flags, sample);
}
