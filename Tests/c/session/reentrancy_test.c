/* Calls from inside the callback, and from inside a pixel buffer's release callback. */
#include "session_support.h"

static recorder all = RECORDER_INIT;

/* A session whose callback runs `act` and records the results. */
typedef struct scene {
    nalu_compression_session *session;
    void (*act)(struct scene *it, size_t number);
    int calls;
} scene;

static void act_and_record(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                           nalu_sample *sample) {
    scene *it = (scene *)refcon;
    it->calls++;
    it->act(it, FRAME_NUMBER(frame_refcon));
    record_result(&all, frame_refcon, status, flags, sample);
}

static void make_scene(scene *it, void (*act)(scene *it, size_t number)) {
    it->act = act;
    it->calls = 0;
    it->session = make_session(act_and_record, it);
    make_immediate(it->session);
}

static void end_scene(scene *it) {
    end_session(it->session, &all);
}

/* ---- Properties, references --------------------------------------------------------------------------------- */

static void use_properties(scene *it, size_t number) {
    int64_t rate = 0;
    CHECK_OK(nalu_session_set_int64(it->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000 + 1000 * (int64_t)number));
    CHECK_OK(nalu_session_get_int64(it->session, NALU_PROPERTY_AVERAGE_BIT_RATE, &rate));
    CHECK_EQ(rate, 100000 + 1000 * (int64_t)number);
    CHECK(pending_frames(it->session) >= 1);
    CHECK_PTR_EQ(nalu_compression_session_retain(it->session), it->session);
    nalu_compression_session_release(it->session);
    CHECK(nalu_compression_session_get_pixel_buffer_pool(it->session) != NULL);
    CHECK_OK(nalu_compression_session_prepare(it->session));
    size_t size = 0;
    CHECK_OK(nalu_compression_session_copy_last_error(it->session, NULL, 0, &size));
}

static void the_callback_may_use_properties_and_references(void) {
    static scene it;
    make_scene(&it, use_properties);
    CHECK_OK(nalu_session_set_int64(it.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000));
    for (unsigned i = 0; i < 20; i++) CHECK_OK(encode_picture(it.session, i));
    complete_and_check(it.session, &all, 20);
    end_scene(&it);
}

/* ---- Completing and invalidating ---------------------------------------------------------------------------- */

static void try_to_wait(scene *it, size_t number) {
    CHECK_STATUS(complete_all(it->session), NALU_STATUS_REENTRANT);
    CHECK_STATUS(nalu_compression_session_complete_frames(it->session, frame_time((int64_t)number)),
                 NALU_STATUS_REENTRANT);
    CHECK_STATUS(nalu_compression_session_complete_frames(it->session, frame_time(-1)), NALU_STATUS_REENTRANT);
    CHECK_STATUS(nalu_compression_session_invalidate(it->session), NALU_STATUS_REENTRANT);
}

static void complete_and_invalidate_are_refused_in_the_callback_and_change_nothing(void) {
    static scene it;
    make_scene(&it, try_to_wait);
    for (unsigned i = 0; i < 10; i++) CHECK_OK(encode_picture(it.session, i));
    complete_and_check(it.session, &all, 10);
    for (size_t i = 1; i < all.count; i++) CHECK_EQ(nalu_sample_is_key_frame(all.results[i].sample), 0);
    end_scene(&it);
}

/* A session with a pending frame until the gate opens. `next_of_another` is the number of its next frame. */
static nalu_compression_session *another;
static unsigned next_of_another;

static void try_to_wait_for_another_session(scene *it, size_t number) {
    nalu_output_queue *queue = NULL;
    nalu_output output = {.struct_size = sizeof output};
    nalu_status status = NALU_STATUS_OK;
    (void)it, (void)number;
    CHECK_STATUS(complete_all(another), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_compression_session_complete_frames(another, frame_time(0)), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_compression_session_invalidate(another), NALU_STATUS_WOULD_BLOCK);
    while (next_of_another < 100 && status == NALU_STATUS_OK) {
        status = encode_picture(another, next_of_another);
        if (status == NALU_STATUS_OK) next_of_another++;
    }
    CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
    REQUIRE_OK(nalu_output_queue_create(&queue));
    CHECK_STATUS(nalu_output_queue_next(queue, -1, &output), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_output_queue_next(queue, 0.01, &output), NALU_STATUS_WOULD_BLOCK);
    nalu_output_queue_release(queue);
    /* Releases one of several references, and waits for nothing. */
    nalu_compression_session_release(nalu_compression_session_retain(another));
}

static void a_wait_for_another_session_is_refused_in_the_callback_and_changes_nothing(void) {
    static scene it;
    static gate blocked = GATE_INIT;
    another = make_session(record_when_open, &blocked);
    make_immediate(another);
    CHECK_OK(encode_picture(another, next_of_another++));
    event_wait(&blocked.entered);
    make_scene(&it, try_to_wait_for_another_session);
    CHECK_OK(encode_picture(it.session, 0));
    complete_and_check(it.session, &all, 1);
    event_signal(&blocked.opened);
    /* Outside the callback, each of these calls waits and succeeds. */
    CHECK_OK(encode_picture(another, next_of_another++));
    complete_and_check(another, &blocked.results, next_of_another);
    CHECK_OK(nalu_compression_session_invalidate(another));
    end_session(another, &blocked.results);
    end_scene(&it);
}

static nalu_compression_session *released;

static void release_another_session(scene *it, size_t number) {
    (void)it, (void)number;
    nalu_compression_session_release(released);
}

/* The released session's own callback waits until the releasing callback ends. */
static void a_release_of_another_session_does_not_wait_in_the_callback(void) {
    static scene it;
    static gate blocked = GATE_INIT;
    released = make_session(record_when_open, &blocked);
    make_immediate(released);
    CHECK_OK(encode_picture(released, 0));
    event_wait(&blocked.entered);
    make_scene(&it, release_another_session);
    CHECK_OK(encode_picture(it.session, 0));
    complete_and_check(it.session, &all, 1);
    event_signal(&blocked.opened);
    WAIT_UNTIL(recorder_count(&blocked.results) >= 1);
    recorder_clear(&blocked.results);
    end_scene(&it);
}

static int calls_with_permission;

static void allow_waits_once(scene *it, size_t number) {
    (void)it, (void)number;
    nalu_compression_session *session = make_session(record_result, &(recorder)RECORDER_INIT);
    /* The permission stays in force for later callbacks of the session, until it is withdrawn. */
    if (calls_with_permission == 0) nalu_callback_allow_waits(1);
    if (calls_with_permission == 2) nalu_callback_allow_waits(0);
    CHECK_STATUS(complete_all(session), calls_with_permission < 2 ? NALU_STATUS_OK : NALU_STATUS_WOULD_BLOCK);
    calls_with_permission++;
    nalu_compression_session_release(session);
}

static void a_permission_to_wait_lasts_until_it_is_withdrawn(void) {
    static scene it;
    nalu_callback_allow_waits(1); /* without effect outside a callback */
    make_scene(&it, allow_waits_once);
    for (unsigned i = 0; i < 4; i++) CHECK_OK(encode_picture(it.session, i));
    CHECK_OK(complete_all(it.session));
    CHECK_EQ(calls_with_permission, 4);
    end_scene(&it);
}

/* NALU_STATUS_REENTRANT only concerns the callback's own session. Waiting for another session can be allowed. */
static void use_another_session(scene *it, size_t number) {
    static recorder others = RECORDER_INIT;
    (void)it;
    nalu_callback_allow_waits(1);
    nalu_compression_session *session = make_session(record_result, &others);
    make_immediate(session);
    CHECK_OK(encode_picture(session, (unsigned)number));
    CHECK_OK(complete_all(session));
    CHECK_EQ(others.count, 1);
    CHECK_OK(nalu_compression_session_invalidate(session));
    end_session(session, &others);
}

static void the_callback_may_wait_for_another_session_when_it_is_allowed(void) {
    static scene it;
    make_scene(&it, use_another_session);
    CHECK_OK(encode_picture(it.session, 0));
    complete_and_check(it.session, &all, 1);
    end_scene(&it);
}

static int releases = 0;

static void try_to_wait_when_released(void *refcon) {
    releases++;
    try_to_wait((scene *)refcon, 0);
}

static void nothing(scene *it, size_t number) { (void)it, (void)number; }

static void complete_and_invalidate_are_refused_in_a_release_callback_of_the_sessions_thread(void) {
    static scene it;
    static uint8_t pixels[PICTURE_SIZE];
    make_scene(&it, nothing);
    /* The format that the encoder takes. The session would copy any other, and release the buffer before it returns. */
    const int is_planar = is_tested("openh264");
    const void *planes[3] = {pixels, pixels + WIDTH * HEIGHT, pixels + WIDTH * HEIGHT * 5 / 4};
    const int64_t strides[3] = {WIDTH, is_planar ? WIDTH / 2 : WIDTH, WIDTH / 2};
    nalu_pixel_buffer *buffer = NULL;
    REQUIRE_OK(nalu_pixel_buffer_create_with_planes(
        WIDTH, HEIGHT, is_planar ? NALU_PIXEL_FORMAT_Y420 : NALU_PIXEL_FORMAT_420V, is_planar ? 3 : 2, planes, strides, NULL,
        try_to_wait_when_released, &it, &buffer));
    /* The session's thread is busy, so the session holds the buffer's last reference. */
    static gate blocked = GATE_INIT;
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.callback = record_when_open;
    options.callback_refcon = &blocked;
    CHECK_OK(encode_picture_with(it.session, 0, &options));
    event_wait(&blocked.entered);
    CHECK_OK(nalu_compression_session_encode_frame(it.session, buffer, frame_time(1), nalu_time_invalid(), NULL,
                                                   FRAME(0), NULL));
    nalu_pixel_buffer_release(buffer);
    event_signal(&blocked.opened);
    CHECK_OK(complete_all(it.session));
    CHECK_EQ(releases, 1);
    check_all_encoded(&all, 1);
    recorder_clear(&blocked.results);
    end_scene(&it);
}

/* ---- Encoding ----------------------------------------------------------------------------------------------- */

static void feed(scene *it, size_t number) {
    if (number < 39) CHECK_OK(encode_picture(it->session, (unsigned)number + 1));
}

static void the_callback_may_encode_the_next_frame(void) {
    static scene it;
    make_scene(&it, feed);
    CHECK_OK(encode_picture(it.session, 0));
    WAIT_UNTIL(recorder_count(&all) >= 40);
    complete_and_check(it.session, &all, 40);
    end_scene(&it);
}

static int accepted_inside = 0;

static void feed_until_full(scene *it, size_t number) {
    if (number != 0) return;
    nalu_status status = NALU_STATUS_OK;
    while (accepted_inside < 100) {
        status = encode_picture(it->session, (unsigned)accepted_inside + 1);
        if (status != NALU_STATUS_OK) break;
        accepted_inside++;
    }
    CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(try_picture(it->session, (unsigned)accepted_inside + 1), NALU_STATUS_WOULD_BLOCK);
}

/* Three frames may be pending, and four times as many if the callback encodes them. */
static void a_callback_may_encode_four_times_as_many_frames(void) {
    static scene it;
    make_scene(&it, feed_until_full);
    CHECK_OK(encode_picture(it.session, 0));
    WAIT_UNTIL(recorder_count(&all) >= 1);
    CHECK_OK(complete_all(it.session));
    CHECK_EQ(accepted_inside, 12);
    check_all_encoded(&all, 13);
    CHECK_OK(encode_picture(it.session, 13));
    complete_and_check(it.session, &all, 14);
    end_scene(&it);
}

static void encoding_in_the_callback_does_not_wait_for_the_delay(void) {
    static scene it;
    make_scene(&it, feed);
    CHECK_OK(nalu_session_unset_property(it.session, NALU_PROPERTY_REAL_TIME));
    CHECK_OK(nalu_session_set_int64(it.session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, 0));
    CHECK_OK(encode_picture(it.session, 0));
    WAIT_UNTIL(recorder_count(&all) >= 40);
    complete_and_check(it.session, &all, 40);
    end_scene(&it);
}

/* ---- Sessions that wait for each other --------------------------------------------------------------------- */

enum { RING_MOST = 3 };

/* A session whose callback acts on the next session of a ring. */
typedef struct side {
    nalu_compression_session *session;
    struct side *other;
    void (*act)(struct side *it);
    unsigned next; /* number of the session's next frame */
    int calls, refused, accepted;
    event released;
} side;

typedef struct ring {
    side sides[RING_MOST];
    int count;
} ring;

static pthread_barrier_t all_are_inside;
static int waits_are_allowed;

static void act_on_the_other(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                             nalu_sample *sample) {
    side *it = (side *)refcon;
    (void)frame_refcon, (void)status, (void)flags, (void)sample;
    if (waits_are_allowed) nalu_callback_allow_waits(1);
    if (__atomic_fetch_add(&it->calls, 1, __ATOMIC_SEQ_CST) == 0) pthread_barrier_wait(&all_are_inside);
    it->act(it);
}

/* Creates a ring. The first callbacks of all sessions wait for each other. */
static void make_ring(ring *r, int count, void (*act)(side *it)) {
    pthread_barrier_init(&all_are_inside, NULL, (unsigned)count);
    r->count = count;
    for (int i = 0; i < count; i++) {
        r->sides[i] = (side){.other = &r->sides[(i + 1) % count], .act = act, .next = 1, .released = EVENT_INIT};
        r->sides[i].session = make_session(act_on_the_other, &r->sides[i]);
        make_immediate(r->sides[i].session);
    }
    for (int i = 0; i < count; i++) CHECK_OK(encode_picture(r->sides[i].session, 0));
}

static void release_ring(ring *r) {
    for (int i = 0; i < r->count; i++) nalu_compression_session_release(r->sides[i].session);
    pthread_barrier_destroy(&all_are_inside);
}

static int refused_in(const ring *r) {
    int sum = 0;
    for (int i = 0; i < r->count; i++) sum += r->sides[i].refused;
    return sum;
}

static void note(side *it, nalu_status status) {
    if (status == NALU_STATUS_OK) {
        it->accepted++;
    } else {
        CHECK_STATUS(status, NALU_STATUS_WOULD_BLOCK);
        it->refused++;
    }
}

enum { ENOUGH_CALLS = 120 };

static int calls_in_ring_of(const side *it) {
    int sum = 0;
    const side *next = it;
    do {
        sum += __atomic_load_n(&next->calls, __ATOMIC_SEQ_CST);
        next = next->other;
    } while (next != it);
    return sum;
}

static void encode_into_the_other(side *it) {
    for (int i = 0; i < 10 && calls_in_ring_of(it) < ENOUGH_CALLS; i++) {
        /* Only this callback encodes into the other session, so its times increase. */
        const int before = it->accepted;
        note(it, encode_picture(it->other->session, it->other->next));
        if (it->accepted > before) it->other->next++;
    }
}

static void callbacks_that_encode_into_each_other_come_to_an_end(int count) {
    static ring r;
    make_ring(&r, count, encode_into_the_other);
    WAIT_UNTIL(calls_in_ring_of(r.sides) >= ENOUGH_CALLS);
    /* Callbacks may still encode frames into the next session, so each session is completed twice. */
    for (int i = 0; i < 2 * count; i++) CHECK_OK(complete_all(r.sides[i % count].session));
    for (int i = 0; i < count; i++) CHECK_EQ(r.sides[i].other->calls, r.sides[i].accepted + 1);
    CHECK(refused_in(&r) > 0);
    release_ring(&r);
}

static void complete_the_other(side *it) { note(it, complete_all(it->other->session)); }

static void callbacks_that_complete_each_other_come_to_an_end(int count) {
    static ring r;
    make_ring(&r, count, complete_the_other);
    for (int i = 0; i < count; i++) CHECK_OK(complete_all(r.sides[i].session));
    for (int i = 0; i < count; i++) CHECK_EQ(r.sides[i].accepted + r.sides[i].refused, 1);
    CHECK(waits_are_allowed ? refused_in(&r) >= 1 && refused_in(&r) < count : refused_in(&r) == count);
    release_ring(&r);
}

static void invalidate_the_other(side *it) { note(it, nalu_compression_session_invalidate(it->other->session)); }

static void callbacks_that_invalidate_each_other_come_to_an_end(int count) {
    static ring r;
    make_ring(&r, count, invalidate_the_other);
    for (int i = 0; i < count; i++) CHECK_OK(nalu_compression_session_invalidate(r.sides[i].session));
    CHECK(waits_are_allowed ? refused_in(&r) >= 1 && refused_in(&r) < count : refused_in(&r) == count);
    release_ring(&r);
}

static void release_the_other(side *it) {
    nalu_compression_session_release(it->other->session);
    event_signal(&it->released);
}

static void callbacks_that_release_each_other_come_to_an_end(int count) {
    static ring r;
    make_ring(&r, count, release_the_other);
    /* Each session is released by the callback of the side before it. */
    for (int i = 0; i < count; i++) event_wait(&r.sides[i].released);
    for (int i = 0; i < count; i++) r.sides[i].session = NULL;
    release_ring(&r);
}

static void callbacks_of_a_ring_come_to_an_end(int count) {
    for (waits_are_allowed = 0; waits_are_allowed < 2; waits_are_allowed++) {
        callbacks_that_encode_into_each_other_come_to_an_end(count);
        callbacks_that_complete_each_other_come_to_an_end(count);
        callbacks_that_invalidate_each_other_come_to_an_end(count);
        callbacks_that_release_each_other_come_to_an_end(count);
    }
}

static void two_sessions_whose_callbacks_wait_for_each_other_end(void) { callbacks_of_a_ring_come_to_an_end(2); }

static void three_sessions_whose_callbacks_wait_in_a_ring_end(void) { callbacks_of_a_ring_come_to_an_end(3); }

static void complete_the_other_once(side *it) {
    if (it->other->session) note(it, complete_all(it->other->session));
}

/* Three sessions in a row are no ring: all waits are carried out if they are allowed. */
static void three_sessions_whose_callbacks_wait_in_a_row_end(void) {
    waits_are_allowed = 1;
    static side sides[3];
    static side nobody;
    pthread_barrier_init(&all_are_inside, NULL, 3);
    for (int i = 0; i < 3; i++) {
        sides[i] = (side){.other = i < 2 ? &sides[i + 1] : &nobody, .act = complete_the_other_once};
        sides[i].session = make_session(act_on_the_other, &sides[i]);
        make_immediate(sides[i].session);
    }
    for (int i = 0; i < 3; i++) CHECK_OK(encode_picture(sides[i].session, 0));
    for (int i = 0; i < 3; i++) CHECK_OK(complete_all(sides[i].session));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(sides[i].accepted, i < 2);
        CHECK_EQ(sides[i].refused, 0);
        nalu_compression_session_release(sides[i].session);
    }
}

/* ---- Locks -------------------------------------------------------------------------------------------------- */

static void no_lock_is_held_while_the_callback_runs(void) {
    static gate blocked = GATE_INIT;
    nalu_compression_session *session = make_session(record_when_open, &blocked);
    make_immediate(session);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 100000));
    CHECK_OK(encode_picture(session, 0));
    event_wait(&blocked.entered);
    CHECK_EQ(pending_frames(session), 1);
    CHECK_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 200000));
    nalu_compression_session_release(nalu_compression_session_retain(session));
    CHECK(nalu_compression_session_get_pixel_buffer_pool(session) != NULL);
    CHECK_OK(nalu_compression_session_prepare(session));
    CHECK_OK(try_picture(session, 1));
    CHECK_OK(try_picture(session, 2));
    CHECK_EQ(pending_frames(session), 3);
    CHECK_EQ(blocked.results.count, 0);
    event_signal(&blocked.opened);
    complete_and_check(session, &blocked.results, 3);
    end_session(session, &blocked.results);
}

int main(void) {
    RUN(the_callback_may_use_properties_and_references);
    RUN(complete_and_invalidate_are_refused_in_the_callback_and_change_nothing);
    RUN(a_wait_for_another_session_is_refused_in_the_callback_and_changes_nothing);
    RUN(a_release_of_another_session_does_not_wait_in_the_callback);
    RUN(a_permission_to_wait_lasts_until_it_is_withdrawn);
    RUN(the_callback_may_wait_for_another_session_when_it_is_allowed);
    RUN(complete_and_invalidate_are_refused_in_a_release_callback_of_the_sessions_thread);
    RUN(the_callback_may_encode_the_next_frame);
    RUN(a_callback_may_encode_four_times_as_many_frames);
    RUN(encoding_in_the_callback_does_not_wait_for_the_delay);
    RUN(two_sessions_whose_callbacks_wait_for_each_other_end);
    RUN(three_sessions_whose_callbacks_wait_in_a_ring_end);
    RUN(three_sessions_whose_callbacks_wait_in_a_row_end);
    RUN(no_lock_is_held_while_the_callback_runs);
    return check_result();
}
