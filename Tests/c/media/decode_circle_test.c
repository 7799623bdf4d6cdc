/* A decompression session and a compression session whose callbacks wait for each other. */
#include "decode_support.h"

enum { ENOUGH_CALLS = 100, LIMIT = 300000, PIXELS = 64 };

/* Decoded images are encoded, and encoded samples are decoded again. Both queues overflow. */
typedef struct circle {
    nalu_decompression_session *decoder;
    nalu_compression_session *encoder;
    nalu_sample *key;
    int64_t samples, frames;
    int decoded, encoded, refused_encoding, refused_decoding, is_over;
    int waits; /* 1 if the callbacks allow waits */
} circle;

static int number_of(int *count) { return __atomic_load_n(count, __ATOMIC_SEQ_CST); }
static void count_one(int *count) { __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST); }

static nalu_status decode_next(circle *it) {
    nalu_sample *sample = NULL;
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(it->key, &size);
    const int64_t number = __atomic_fetch_add(&it->samples, 1, __ATOMIC_SEQ_CST);
    REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(it->key), nalu_time_make(number, 30),
                                  nalu_time_make(1, 30), nalu_time_invalid(), nalu_sample_get_attachments(it->key), &sample));
    nalu_status status = nalu_decompression_session_decode_frame(it->decoder, sample, NALU_DECODE_FRAME_ASYNCHRONOUS, NULL, NULL);
    nalu_sample_release(sample);
    return status;
}

static void encode_what_is_decoded(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                                   nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    circle *it = (circle *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)time, (void)duration;
    if (it->waits) nalu_callback_allow_waits(1);
    for (int i = 0; image && i < 10 && !number_of(&it->is_over); i++) {
        const int64_t number = __atomic_fetch_add(&it->frames, 1, __ATOMIC_SEQ_CST);
        nalu_status result = nalu_compression_session_encode_frame(it->encoder, image, nalu_time_make(number, 30),
                                                                   nalu_time_make(1, 30), NULL, NULL, NULL);
        if (result == NALU_STATUS_WOULD_BLOCK) count_one(&it->refused_encoding);
        else if (!number_of(&it->is_over)) CHECK_OK(result);
    }
    count_one(&it->decoded);
}

static void decode_what_is_encoded(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                                   nalu_sample *sample) {
    circle *it = (circle *)refcon;
    (void)frame_refcon, (void)status, (void)flags;
    if (it->waits) nalu_callback_allow_waits(1);
    for (int i = 0; sample && i < 10 && !number_of(&it->is_over); i++) {
        nalu_status result = decode_next(it);
        if (result == NALU_STATUS_WOULD_BLOCK) count_one(&it->refused_decoding);
        else if (!number_of(&it->is_over)) CHECK_OK(result);
    }
    count_one(&it->encoded);
}

static void count_encoded(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                          nalu_sample *sample) {
    circle *it = (circle *)refcon;
    (void)frame_refcon, (void)flags;
    CHECK_OK(status);
    /* The callback is slower than the encoder's client on any machine. */
    if (!it->waits) WAIT_UNTIL(number_of(&it->refused_encoding) > 0);
    if (sample) count_one(&it->encoded);
}

/* Decodes more samples than the decoder delays for reordering. Runs in a separate thread, because each call may
 * wait. */
static void *begin(void *context) {
    circle *it = (circle *)context;
    for (int i = 0; i < 8 && !number_of(&it->is_over); i++) {
        nalu_status status = decode_next(it);
        if (!number_of(&it->is_over)) CHECK_OK(status);
    }
    return NULL;
}

static void *end_both(void *context) {
    circle *it = (circle *)context;
    CHECK_OK(nalu_decompression_session_invalidate(it->decoder));
    CHECK_OK(nalu_compression_session_invalidate(it->encoder));
    __atomic_store_n(&it->is_over, 2, __ATOMIC_SEQ_CST);
    return NULL;
}

static void wait_until(circle *it, int (*is_done)(circle *it), const char *what) {
    for (int i = 0; i < LIMIT && !is_done(it); i++) sleep_milliseconds(1);
    if (is_done(it)) return;
    fprintf(stderr, "%s does not come to an end: %d decoded, %d encoded\n", what, number_of(&it->decoded), number_of(&it->encoded));
    exit(EXIT_FAILURE);
}

static int has_enough_calls(circle *it) {
    return number_of(&it->decoded) >= ENOUGH_CALLS && number_of(&it->encoded) >= ENOUGH_CALLS;
}

static int is_over(circle *it) { return number_of(&it->is_over) == 2; }

static void callbacks_come_to_an_end(int waits) {
    static circle it;
    it = (circle){.waits = waits};
    clip c;
    pthread_t beginning, ending;
    media_clip(&c, PIXELS, PIXELS, 1);
    it.key = c.samples[0];
    it.decoder = make_decoder_with(clip_format(&c), 0, 1, encode_what_is_decoded, &it);
    REQUIRE_OK(nalu_compression_session_create(PIXELS, PIXELS, NALU_CODEC_H264, NULL, NULL, decode_what_is_encoded, &it, NULL,
                                               &it.encoder));
    REQUIRE_OK(nalu_session_set_bool(it.encoder, NALU_PROPERTY_REAL_TIME, 1));
    REQUIRE(pthread_create(&beginning, NULL, begin, &it) == 0);
    wait_until(&it, has_enough_calls, "the circle");
    CHECK(number_of(&it.refused_encoding) + number_of(&it.refused_decoding) > 0);
    __atomic_store_n(&it.is_over, 1, __ATOMIC_SEQ_CST);
    REQUIRE(pthread_create(&ending, NULL, end_both, &it) == 0);
    wait_until(&it, is_over, "the end");
    pthread_join(ending, NULL);
    pthread_join(beginning, NULL);
    nalu_decompression_session_release(it.decoder);
    nalu_compression_session_release(it.encoder);
    clip_close(&c);
}

static void callbacks_that_do_not_wait_end(void) { callbacks_come_to_an_end(0); }

static void the_wait_that_completes_a_deadlock_is_refused(void) { callbacks_come_to_an_end(1); }

/* If waits are allowed, transcoding in one direction only waits, and no call is refused. Otherwise the callback
 * never waits. */
static void transcode_in_the_callback(int waits) {
    static circle it;
    clip c;
    media_clip(&c, PIXELS, PIXELS, 30);
    it = (circle){.key = c.samples[0], .waits = waits};
    it.decoder = make_decoder_with(clip_format(&c), 0, 1, encode_what_is_decoded, &it);
    REQUIRE_OK(nalu_compression_session_create(PIXELS, PIXELS, NALU_CODEC_H264, NULL, NULL, count_encoded, &it, NULL, &it.encoder));
    for (int i = 0; i < 20; i++) CHECK_OK(decode_next(&it));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(it.decoder));
    CHECK_EQ(it.decoded, 20);
    if (waits) CHECK_EQ(it.refused_encoding, 0);
    else CHECK(it.refused_encoding > 0);
    CHECK_OK(nalu_compression_session_complete_frames(it.encoder, nalu_time_invalid()));
    CHECK_EQ(number_of(&it.encoded), 200 - it.refused_encoding);
    nalu_decompression_session_release(it.decoder);
    nalu_compression_session_release(it.encoder);
    clip_close(&c);
}

static void transcoding_in_the_callback_waits_if_that_is_allowed(void) { transcode_in_the_callback(1); }

static void transcoding_in_the_callback_is_refused_if_it_would_wait(void) { transcode_in_the_callback(0); }

/* Calls a decompression session from a compression session's callback; the next function does the opposite. */
static void try_to_wait_for_the_decoder(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                                        nalu_sample *sample) {
    circle *it = (circle *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)sample;
    CHECK_STATUS(nalu_decompression_session_wait_for_asynchronous_frames(it->decoder), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_decompression_session_invalidate(it->decoder), NALU_STATUS_WOULD_BLOCK);
    nalu_decompression_session_release(nalu_decompression_session_retain(it->decoder));
    count_one(&it->encoded);
}

static void try_to_wait_for_the_encoder(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                                        nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    circle *it = (circle *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)time, (void)duration;
    if (number_of(&it->decoded) == 0 && image)
        CHECK_OK(nalu_compression_session_encode_frame(it->encoder, image, nalu_time_make(0, 30), nalu_time_make(1, 30), NULL,
                                                       NULL, NULL));
    CHECK_STATUS(nalu_compression_session_complete_frames(it->encoder, nalu_time_invalid()), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_compression_session_invalidate(it->encoder), NALU_STATUS_WOULD_BLOCK);
    count_one(&it->decoded);
}

static void waits_for_sessions_of_the_other_library_are_refused(void) {
    static circle it;
    clip c;
    media_clip(&c, PIXELS, PIXELS, 1);
    it = (circle){.key = c.samples[0]};
    it.decoder = make_decoder_with(clip_format(&c), 0, 1, try_to_wait_for_the_encoder, &it);
    REQUIRE_OK(nalu_compression_session_create(PIXELS, PIXELS, NALU_CODEC_H264, NULL, NULL, try_to_wait_for_the_decoder, &it,
                                               NULL, &it.encoder));
    for (int i = 0; i < 3; i++) CHECK_OK(decode_next(&it));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(it.decoder));
    CHECK_EQ(number_of(&it.decoded), 3);
    CHECK_OK(nalu_compression_session_complete_frames(it.encoder, nalu_time_invalid()));
    CHECK_EQ(number_of(&it.encoded), 1);
    nalu_decompression_session_release(it.decoder);
    nalu_compression_session_release(it.encoder);
    clip_close(&c);
}

int main(void) {
    RUN(callbacks_that_do_not_wait_end);
    RUN(waits_for_sessions_of_the_other_library_are_refused);
    RUN(transcoding_in_the_callback_is_refused_if_it_would_wait);
    RUN(the_wait_that_completes_a_deadlock_is_refused);
    RUN(transcoding_in_the_callback_waits_if_that_is_allowed);
    return check_result();
}
