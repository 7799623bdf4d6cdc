/* The release of the last reference, and destroy_refcon. */
#include "session_support.h"

/* ---- destroy_refcon ----------------------------------------------------------------------------------------- */

/* The refcon of a session with a destructor. */
typedef struct owned {
    recorder results;
    int destroyed;
    size_t count_when_destroyed;
    event gone;
} owned;

#define OWNED_INIT {.results = RECORDER_INIT, .gone = EVENT_INIT}

static void record_owned(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                         nalu_sample *sample) {
    CHECK_EQ(__atomic_load_n(&((owned *)refcon)->destroyed, __ATOMIC_SEQ_CST), 0);
    record_result(&((owned *)refcon)->results, frame_refcon, status, flags, sample);
}

static void destroy_owned(void *refcon) {
    owned *it = (owned *)refcon;
    CHECK_EQ(__atomic_load_n(&it->results.inside, __ATOMIC_SEQ_CST), 0);
    it->count_when_destroyed = recorder_count(&it->results);
    __atomic_add_fetch(&it->destroyed, 1, __ATOMIC_SEQ_CST);
    event_signal(&it->gone);
}

static nalu_compression_session *make_owning(owned *it, nalu_compression_output_callback callback) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(create_tested(WIDTH, HEIGHT, callback, it, destroy_owned, &session));
    return session;
}

static void destroy_refcon_is_called_once_and_last_by_invalidate(void) {
    static owned it = OWNED_INIT;
    nalu_compression_session *session = make_owning(&it, record_owned);
    encode_pictures(session, 10);
    CHECK_EQ(it.destroyed, 0);
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_EQ(it.destroyed, 1);
    CHECK_OK(nalu_compression_session_invalidate(session));
    nalu_compression_session_release(session);
    CHECK_EQ(it.destroyed, 1);
    CHECK_EQ(it.count_when_destroyed, 10);
    CHECK_EQ(it.results.count, 10);
    recorder_clear(&it.results);
}

static void the_last_release_ends_the_session(void) {
    static owned it = OWNED_INIT;
    nalu_compression_session *session = make_owning(&it, record_owned);
    nalu_compression_session_retain(session);
    encode_pictures(session, 10);
    nalu_compression_session_release(session);
    CHECK_EQ(it.destroyed, 0);
    CHECK_OK(encode_picture(session, 10));
    nalu_compression_session_release(session);
    CHECK_EQ(it.destroyed, 1);
    CHECK_EQ(it.count_when_destroyed, 11);
    check_each_once_encoded_or_dropped(&it.results, 11);
    recorder_clear(&it.results);
}

static void destroy_refcon_is_called_for_a_session_that_never_ran(void) {
    static owned it = OWNED_INIT, prepared = OWNED_INIT, without_callback = OWNED_INIT;
    nalu_compression_session_release(make_owning(&it, record_owned));
    CHECK_EQ(it.destroyed, 1);
    nalu_compression_session *session = make_owning(&prepared, record_owned);
    CHECK_OK(nalu_compression_session_prepare(session));
    nalu_compression_session_release(session);
    CHECK_EQ(prepared.destroyed, 1);
    session = make_owning(&without_callback, NULL);
    CHECK_OK(nalu_compression_session_invalidate(session));
    CHECK_EQ(without_callback.destroyed, 1);
    nalu_compression_session_release(session);
    CHECK_EQ(without_callback.destroyed, 1);
}

static void destroy_refcon_is_not_called_when_create_fails(void) {
    static owned it = OWNED_INIT;
    nalu_compression_session *session = (nalu_compression_session *)&it;
    REFUSED(create_tested(15, HEIGHT, record_owned, &it, destroy_owned, &session), NALU_STATUS_INVALID_SIZE, "15", "expected");
    CHECK(session == NULL);
    CHECK_STATUS(nalu_compression_session_create(WIDTH, HEIGHT, NALU_FOURCC('v', 'p', '0', '9'), NULL, NULL,
                                                 record_owned, &it, destroy_owned, &session),
                 NALU_STATUS_COULD_NOT_FIND_VIDEO_ENCODER);
    CHECK_STATUS(create_tested(WIDTH, HEIGHT, record_owned, &it, destroy_owned, NULL), NALU_STATUS_PARAMETER);
    CHECK_EQ(it.destroyed, 0);
}

/* ---- Release inside the callback ------------------------------------------------------------------------------ */

static nalu_compression_session *to_release;

static void release_and_record(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                               nalu_sample *sample) {
    owned *it = (owned *)refcon;
    if (frame_refcon == FRAME(0)) {
        nalu_compression_session_release(to_release);
        CHECK_EQ(__atomic_load_n(&it->destroyed, __ATOMIC_SEQ_CST), 0);
        if (sample) CHECK(nalu_sample_get_data(sample, NULL) != NULL);
    }
    record_owned(refcon, frame_refcon, status, flags, sample);
}

static void the_last_release_may_be_in_the_callback(void) {
    static owned it = OWNED_INIT;
    static gate before = GATE_INIT;
    to_release = make_owning(&it, release_and_record);
    make_immediate(to_release);
    /* The first frame blocks, so that frames are pending when the session is released. */
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.callback = record_when_open;
    options.callback_refcon = &before;
    uint8_t pixels[PICTURE_SIZE] = {0};
    CHECK_OK(encode_pixels(to_release, pixels, frame_time(-1), &options, FRAME(0)));
    event_wait(&before.entered);
    encode_pictures(to_release, 3);
    event_signal(&before.opened);
    event_wait(&it.gone);
    CHECK_EQ(it.count_when_destroyed, 3);
    CHECK(check_each_once_encoded_or_dropped(&it.results, 3) > 0);
    CHECK(it.results.results[0].sample != NULL);
    sleep_milliseconds(5);
    CHECK_EQ(__atomic_load_n(&it.destroyed, __ATOMIC_SEQ_CST), 1);
    recorder_clear(&it.results);
    recorder_clear(&before.results);
}

/* ---- Release while the callback is inside a call of the session ------------------------------------------------ */

static event inside_call = EVENT_INIT;
static int call_runs = 0;

static void encode_something_large(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                                   nalu_sample *sample) {
    nalu_compression_session *session = *(nalu_compression_session **)refcon;
    (void)status, (void)flags, (void)sample;
    if (frame_refcon != FRAME(0)) return;
    enum { SIDE = 4096 };
    uint8_t *pixels = calloc(SIDE, SIDE * 4);
    const void *planes[1] = {pixels};
    const int64_t strides[1] = {SIDE * 4};
    __atomic_store_n(&call_runs, 1, __ATOMIC_SEQ_CST);
    event_signal(&inside_call);
    for (int i = 1; i <= 4; i++) {
        nalu_status result = nalu_compression_session_encode_planes(
            session, SIDE, SIDE, NALU_PIXEL_FORMAT_BGRA, 1, planes, strides, NULL, frame_time(i), nalu_time_invalid(),
            NULL, FRAME(i), NULL);
        CHECK(result == NALU_STATUS_OK || result == NALU_STATUS_INVALID_SESSION);
    }
    free(pixels);
    __atomic_store_n(&call_runs, 0, __ATOMIC_SEQ_CST);
}

static void the_last_release_waits_for_a_callback_that_is_using_the_session(void) {
    static nalu_compression_session *session;
    session = make_session(encode_something_large, &session);
    make_immediate(session);
    CHECK_OK(encode_picture(session, 0));
    event_wait(&inside_call);
    nalu_compression_session_release(session);
    CHECK_EQ(__atomic_load_n(&call_runs, __ATOMIC_SEQ_CST), 0);
    while (__atomic_load_n(&call_runs, __ATOMIC_SEQ_CST)) sleep_milliseconds(1);
}

int main(void) {
    RUN(destroy_refcon_is_called_once_and_last_by_invalidate);
    RUN(the_last_release_ends_the_session);
    RUN(destroy_refcon_is_called_for_a_session_that_never_ran);
    RUN(destroy_refcon_is_not_called_when_create_fails);
    RUN(the_last_release_may_be_in_the_callback);
    RUN(the_last_release_waits_for_a_callback_that_is_using_the_session);
    return check_result();
}
