/* A child of fork has its parent's sessions in memory. It can neither use them nor be blocked by them. */
#include "decode_support.h"

#include <signal.h>

#include "child.h"

static clip plain;
static int destroyed = 0;

static void note_end(void *refcon) {
    (void)refcon;
    destroyed++;
}

static void use_in_child(void *context) {
    nalu_decompression_session *session = context;
    CHECK_STATUS(decode_sample(session, &plain, 5, 0), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(decode_sample(session, &plain, 5, ASYNCHRONOUS), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(wait_all(session), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_decompression_session_finish_delayed_frames(session), NALU_STATUS_INVALID_SESSION);
    CHECK_OK(nalu_decompression_session_invalidate(session));
    nalu_decompression_session_release(session);
    CHECK_EQ(destroyed, 0);
}

static void the_parents_session_is_invalid_in_a_child_and_continues_in_the_parent(void) {
    static decode_gate blocked = DECODE_GATE_INIT;
    for (size_t samples = 0; samples < 4; samples++) {
        nalu_decompression_session *session = NULL;
        destroyed = 0;
        REQUIRE_OK(nalu_decompression_session_create(clip_format(&plain), NULL, NULL, record_decoded_when_open, &blocked,
                                                     note_end, &session));
        for (size_t i = 0; i < samples; i++) CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
        CHECK_OK(nalu_decompression_session_finish_delayed_frames(session)); /* the decoder's own threads delay
                                                                              * some samples */
        if (samples > 0) event_wait(&blocked.entered);
        check_child(use_in_child, session);
        event_signal(&blocked.opened);
        wait_and_check(session, &blocked.results, samples);
        nalu_decompression_session_release(session);
        CHECK_EQ(destroyed, 1);
        decoded_clear(&blocked.results);
        blocked = (decode_gate)DECODE_GATE_INIT;
    }
}

static void release_in_child(void *images) { decoded_clear(images); }

/* The memory of images belongs to the decoder. One of its threads may hold its lock at the time of the fork. */
static void images_can_be_released_in_a_child(void) {
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.thread_count = 4;
    for (int turn = 0; turn < 40; turn++) {
        decode_recorder all = DECODE_RECORDER_INIT;
        nalu_decompression_session *session = NULL;
        REQUIRE_OK(nalu_decompression_session_create(clip_format(&plain), &specification, NULL, record_decoded, &all, NULL,
                                                     &session));
        for (int32_t i = 0; i < plain.count; i++) {
            CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
            if (i == 4 + turn % 5) check_child(release_in_child, &all);
        }
        wait_and_check(session, &all, (size_t)plain.count);
        end_decoder(session, &all);
    }
}

int main(void) {
    make_clip(&plain, 10, false);
    RUN(the_parents_session_is_invalid_in_a_child_and_continues_in_the_parent);
    RUN(images_can_be_released_in_a_child);
    clip_close(&plain);
    return check_result();
}
