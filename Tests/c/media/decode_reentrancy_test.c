/* Calls from inside a decompression session's callback. */
#include "decode_support.h"

static decode_recorder all = DECODE_RECORDER_INIT;
static clip plain, reordered;

/* A session whose callback runs `act` and records the results. */
typedef struct scene {
    nalu_decompression_session *session;
    void (*act)(struct scene *it, size_t number);
    const clip *c;
} scene;

static void act_and_record(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                           nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    scene *it = (scene *)refcon;
    it->act(it, FRAME_NUMBER(frame_refcon));
    record_decoded(&all, frame_refcon, status, flags, image, time, duration);
}

static void make_scene(scene *it, const clip *c, void (*act)(scene *it, size_t number)) {
    it->act = act;
    it->c = c;
    it->session = make_decoder(c, act_and_record, it);
}

static void end_scene(scene *it) {
    end_decoder(it->session, &all);
}

static void use_references(scene *it, size_t number) {
    size_t size = 0;
    (void)number;
    CHECK_PTR_EQ(nalu_decompression_session_retain(it->session), it->session);
    nalu_decompression_session_release(it->session);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(it->session, clip_format(it->c)), 1);
    CHECK_OK(nalu_decompression_session_copy_last_error(it->session, NULL, 0, &size));
}

static void try_to_wait(scene *it, size_t number) {
    (void)number;
    CHECK_STATUS(wait_all(it->session), NALU_STATUS_REENTRANT);
    CHECK_STATUS(nalu_decompression_session_invalidate(it->session), NALU_STATUS_REENTRANT);
}

static void the_callback_may_use_references_and_not_wait(void) {
    for (int kind = 0; kind < 2; kind++) {
        static scene it;
        make_scene(&it, &reordered, kind ? try_to_wait : use_references);
        decode_all(it.session, &reordered, kind ? ASYNCHRONOUS : 0);
        wait_and_check(it.session, &all, 40);
        end_scene(&it);
    }
}

static void use_another_session(scene *it, size_t number) {
    static decode_recorder others = DECODE_RECORDER_INIT;
    if (number != 0) return;
    nalu_decompression_session *session = make_decoder(it->c, record_decoded, &others);
    /* The permission alone decides whether a waiting call is refused, even if nothing is pending. */
    CHECK_STATUS(wait_all(session), NALU_STATUS_WOULD_BLOCK);
    CHECK_OK(decode_sample(session, it->c, 0, 0));
    CHECK_STATUS(nalu_decompression_session_invalidate(session), NALU_STATUS_WOULD_BLOCK);
    nalu_decompression_session_release(session);
    nalu_callback_allow_waits(1);
    WAIT_UNTIL(decoded_count(&others) >= 1);
    decoded_clear(&others);
    session = make_decoder(it->c, record_decoded, &others);
    decode_all(session, it->c, 0);
    wait_and_check(session, &others, 40);
    CHECK_OK(nalu_decompression_session_invalidate(session));
    end_decoder(session, &others);
}

static void the_callback_may_wait_for_another_session_when_it_is_allowed(void) {
    static scene it;
    make_scene(&it, &plain, use_another_session);
    CHECK_OK(decode_sample(it.session, &plain, 0, 0));
    check_all_decoded(&all, 1);
    end_scene(&it);
}

static void feed(scene *it, size_t number) {
    nalu_decode_info_flags info = 0;
    if (number >= 39) return;
    CHECK_OK(nalu_decompression_session_decode_frame(it->session, it->c->samples[number + 1], 0, FRAME(number + 1), &info));
    CHECK_EQ(info, NALU_DECODE_INFO_ASYNCHRONOUS);
}

static void the_callback_may_decode_the_next_sample(void) {
    static scene it;
    make_scene(&it, &plain, feed);
    CHECK_OK(decode_sample(it.session, &plain, 0, 0));
    WAIT_UNTIL(decoded_count(&all) >= 40);
    wait_and_check(it.session, &all, 40);
    end_scene(&it);
}

static size_t accepted_inside = 0;

static void feed_until_full(scene *it, size_t number) {
    if (number != 0) return;
    nalu_status status = NALU_STATUS_OK;
    while (accepted_inside < 38) {
        status = decode_sample(it->session, it->c, accepted_inside + 1, 0);
        if (status != NALU_STATUS_OK) break;
        accepted_inside++;
    }
    CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
}

static void a_callback_may_decode_four_times_as_many_samples(void) {
    static scene it;
    make_scene(&it, &plain, feed_until_full);
    CHECK_OK(decode_sample(it.session, &plain, 0, 0));
    CHECK_OK(wait_all(it.session));
    CHECK_EQ(accepted_inside, 12);
    check_all_decoded(&all, 13);
    CHECK_OK(decode_sample(it.session, &plain, 13, 0));
    check_all_decoded(&all, 14);
    end_scene(&it);
}

/* ---- Sessions that wait for each other --------------------------------------------------------------------- */

/* A session whose callback acts on another session. */
typedef struct side {
    nalu_decompression_session *session;
    struct side *other;
    void (*act)(struct side *it);
    size_t next; /* number of the session's next sample */
    size_t calls;
    int refused;
} side;

static pthread_barrier_t both_are_inside;
static int waits_are_allowed;

static void act_on_the_other(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                             nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    side *it = (side *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)image, (void)time, (void)duration;
    if (waits_are_allowed) nalu_callback_allow_waits(1);
    if (it->calls++ == 0) pthread_barrier_wait(&both_are_inside);
    it->act(it);
}

static void meet(side sides[2], void (*act)(side *it)) {
    pthread_barrier_init(&both_are_inside, NULL, 2);
    for (int i = 0; i < 2; i++) {
        sides[i] = (side){.other = &sides[1 - i], .act = act, .next = 1};
        sides[i].session = make_decoder(&plain, act_on_the_other, &sides[i]);
    }
    for (int i = 0; i < 2; i++) CHECK_OK(decode_sample(sides[i].session, &plain, 0, ASYNCHRONOUS));
}

static void decode_in_the_other(side *it, uint32_t flags) {
    for (int i = 0; i < 10 && it->other->next < 40; i++) {
        const nalu_status status = decode_sample(it->other->session, &plain, it->other->next, flags);
        if (status == NALU_STATUS_OK)
            it->other->next++;
        else {
            CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
            it->refused++;
        }
    }
}

static void decode_in_the_other_and_wait(side *it) {
    decode_in_the_other(it, 0);
}

static void decode_in_the_other_later(side *it) {
    decode_in_the_other(it, ASYNCHRONOUS);
}

static void callbacks_that_decode_in_each_other_end(void) {
    for (int kind = 0; kind < 2; kind++) {
        static side sides[2];
        meet(sides, kind ? decode_in_the_other_and_wait : decode_in_the_other_later);
        for (int round = 0; round < 50; round++)
            for (int i = 0; i < 2; i++) CHECK_OK(wait_all(sides[i].session));
        for (int i = 0; i < 2; i++) {
            nalu_decompression_session_release(sides[i].session);
            CHECK_EQ(sides[i].calls, sides[i].next);
        }
        if (kind == 0) CHECK(sides[0].refused + sides[1].refused > 0);
    }
}

static void wait_for_the_other(side *it) {
    const nalu_status status = wait_all(it->other->session);
    if (status == NALU_STATUS_OK) return;
    CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
    it->refused++;
}

static void callbacks_that_wait_for_each_other_end(void) {
    static side sides[2];
    meet(sides, wait_for_the_other);
    for (int i = 0; i < 2; i++) CHECK_OK(wait_all(sides[i].session));
    for (int i = 0; i < 2; i++) nalu_decompression_session_release(sides[i].session);
    CHECK_EQ(sides[0].refused + sides[1].refused, waits_are_allowed ? 1 : 2);
}

static void finish_when_fifth(scene *it, size_t number) {
    (void)number;
    if (all.count == 4) CHECK_OK(nalu_decompression_session_finish_delayed_frames(it->session));
}

static void the_callback_may_finish_delayed_frames(void) {
    static scene it;
    make_scene(&it, &reordered, finish_when_fifth);
    for (size_t i = 0; i < 10; i++) CHECK_OK(decode_sample(it.session, &reordered, i, 0));
    CHECK_OK(wait_all(it.session));
    CHECK_EQ(all.count, 10);
    end_scene(&it);
}

static void no_lock_is_held_while_the_callback_runs(void) {
    static decode_gate blocked = DECODE_GATE_INIT;
    nalu_decompression_session *session = make_decoder(&plain, record_decoded_when_open, &blocked);
    size_t size = 0;
    CHECK_OK(decode_sample(session, &plain, 0, ASYNCHRONOUS));
    event_wait(&blocked.entered);
    nalu_decompression_session_release(nalu_decompression_session_retain(session));
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, clip_format(&plain)), 1);
    CHECK_OK(nalu_decompression_session_copy_last_error(session, NULL, 0, &size));
    CHECK_OK(nalu_decompression_session_finish_delayed_frames(session));
    for (size_t i = 1; i < 4; i++) CHECK_OK(decode_sample(session, &plain, i, ASYNCHRONOUS));
    CHECK_EQ(blocked.results.count, 0);
    event_signal(&blocked.opened);
    wait_and_check(session, &blocked.results, 4);
    end_decoder(session, &blocked.results);
}

/* ---- The last reference ------------------------------------------------------------------------------------- */

static event ended = EVENT_INIT;
static int ends;

static void note_end(void *refcon) {
    (void)refcon;
    ends++;
    event_signal(&ended);
}

static nalu_decompression_session *to_release;

static event given = EVENT_INIT;

static void release_inside(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                           nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    event_wait(&given);
    if (decoded_count((decode_recorder *)refcon) == 0) nalu_decompression_session_release(to_release);
    record_decoded((decode_recorder *)refcon, frame_refcon, status, flags, image, time, duration);
}

static void the_callback_may_release_the_last_reference(void) {
    REQUIRE_OK(nalu_decompression_session_create(clip_format(&plain), NULL, NULL, release_inside, &all, note_end,
                                                 &to_release));
    for (size_t i = 0; i < 4; i++) CHECK_OK(decode_sample(to_release, &plain, i, ASYNCHRONOUS));
    event_signal(&given);
    event_wait(&ended);
    CHECK_EQ(ends, 1);
    CHECK_EQ(check_each_once(&all, 4), 1);
    decoded_clear(&all);
}

int main(void) {
    make_clip(&plain, 40, false);
    make_clip(&reordered, 40, true);
    RUN(the_callback_may_use_references_and_not_wait);
    RUN(the_callback_may_wait_for_another_session_when_it_is_allowed);
    RUN(the_callback_may_decode_the_next_sample);
    RUN(a_callback_may_decode_four_times_as_many_samples);
    for (waits_are_allowed = 0; waits_are_allowed < 2; waits_are_allowed++) {
        RUN(callbacks_that_decode_in_each_other_end);
        RUN(callbacks_that_wait_for_each_other_end);
    }
    RUN(the_callback_may_finish_delayed_frames);
    RUN(no_lock_is_held_while_the_callback_runs);
    RUN(the_callback_may_release_the_last_reference);
    clip_close(&plain);
    clip_close(&reordered);
    return check_result();
}
