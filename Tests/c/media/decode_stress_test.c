/*
 * Six decompression sessions with four threads each, which make random calls at any time. At the end each
 * accepted sample must have been delivered exactly once and no rejected sample at all, and each session's
 * refcon destroyed once. NALU_STRESS_OPERATIONS sets the number of calls per thread.
 */
#include "decode_support.h"

#include <stdatomic.h>

enum { SESSIONS = 6, THREADS = 4, MOST_SAMPLES = 20000 };

enum { DEFAULT_OPERATIONS = IS_SANITIZED ? 150 : 1000 };

typedef struct entry {
    struct arena *arena;
    atomic_int accepted, returns;
} entry;

typedef struct arena {
    nalu_decompression_session *session;
    entry *entries;
    atomic_uint entry_count, next_sample;
    atomic_int inside, destroyed, may_invalidate, images;
    _Atomic(nalu_pixel_buffer *) kept;
} arena;

static arena arenas[SESSIONS];
static clip clips[2];
static int operations = DEFAULT_OPERATIONS;

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static bool is_one_of(nalu_status status, nalu_status a, nalu_status b) {
    return status == NALU_STATUS_OK || status == a || status == b;
}

static void decode(arena *in, uint32_t random) {
    unsigned number = atomic_fetch_add(&in->entry_count, 1);
    REQUIRE(number < MOST_SAMPLES);
    entry *it = &in->entries[number];
    it->arena = in;
    const clip *c = &clips[random % 61 == 0];
    unsigned sample = atomic_fetch_add(&in->next_sample, random % 17 == 0 ? 2 : 1);
    uint32_t flags = random % 3 ? NALU_DECODE_FRAME_ASYNCHRONOUS : 0;
    if (random % 11 == 0) flags |= NALU_DECODE_FRAME_DO_NOT_OUTPUT;
    nalu_status status =
        nalu_decompression_session_decode_frame(in->session, c->samples[sample % (unsigned)c->count], flags, it, NULL);
    CHECK(is_one_of(status, NALU_STATUS_INVALID_SESSION, NALU_STATUS_WOULD_BLOCK));
    if (status == NALU_STATUS_OK) atomic_store(&it->accepted, 1);
}

static void got_picture(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                        nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    arena *in = (arena *)refcon;
    entry *it = (entry *)frame_refcon;
    (void)time, (void)duration;
    CHECK_EQ(atomic_fetch_add(&in->inside, 1), 0);
    CHECK_EQ(atomic_load(&in->destroyed), 0);
    CHECK(it->arena == in);
    unsigned number = (unsigned)(it - in->entries);
    atomic_fetch_add(&it->returns, 1);
    if (image) {
        CHECK_STATUS(status, NALU_STATUS_OK);
        atomic_fetch_add(&in->images, 1);
        nalu_pixel_buffer_release(atomic_exchange(&in->kept, nalu_pixel_buffer_retain(image)));
    } else {
        CHECK((flags & NALU_DECODE_INFO_FRAME_DROPPED) || status != NALU_STATUS_OK);
    }
    if (number % 7 == 0) {
        nalu_status waiting = wait_all(in->session);
        CHECK(waiting == NALU_STATUS_REENTRANT || waiting == NALU_STATUS_INVALID_SESSION);
    }
    if (number % 13 == 0) decode(in, number);
    if (number % 17 == 0) nalu_decompression_session_release(nalu_decompression_session_retain(in->session));
    if (number % 29 == 0)
        CHECK(is_one_of(nalu_decompression_session_finish_delayed_frames(in->session), NALU_STATUS_INVALID_SESSION,
                        NALU_STATUS_INVALID_SESSION));
    CHECK_EQ(atomic_fetch_sub(&in->inside, 1), 1);
}

static void session_is_gone(void *refcon) {
    CHECK_EQ(atomic_load(&((arena *)refcon)->inside), 0);
    atomic_fetch_add(&((arena *)refcon)->destroyed, 1);
}

static void *work(void *argument) {
    arena *in = (arena *)argument;
    static atomic_uint seeds;
    uint32_t random = atomic_fetch_add(&seeds, 1) * 2654435761u;
    const nalu_status gone = NALU_STATUS_INVALID_SESSION;
    for (int i = 0; i < operations; i++) {
        uint32_t what = next_random(&random) % 100, how = next_random(&random);
        size_t size = 0;
        if (what < 75) decode(in, how);
        else if (what < 80) nalu_decompression_session_release(nalu_decompression_session_retain(in->session));
        else if (what < 83) CHECK(is_one_of(wait_all(in->session), gone, gone));
        else if (what < 86)
            CHECK(is_one_of(nalu_decompression_session_finish_delayed_frames(in->session), gone, gone));
        else if (what < 90)
            CHECK_EQ(nalu_decompression_session_can_accept_format_description(in->session, clip_format(&clips[how % 2])), 1);
        else if (what < 95)
            CHECK_OK(nalu_decompression_session_copy_last_error(in->session, NULL, 0, &size));
        else if (what < 99) nalu_pixel_buffer_release(atomic_exchange(&in->kept, NULL));
        else if (atomic_load(&in->may_invalidate) && i > operations / 2) {
            CHECK_OK(nalu_decompression_session_invalidate(in->session));
            CHECK_EQ(atomic_load(&in->inside), 0);
        }
    }
    nalu_decompression_session_release(in->session);
    return NULL;
}

static void check_accounts(arena *in) {
    CHECK_EQ(atomic_load(&in->destroyed), 1);
    unsigned accepted = 0, count = atomic_load(&in->entry_count);
    for (unsigned i = 0; i < count; i++) {
        accepted += (unsigned)atomic_load(&in->entries[i].accepted);
        CHECK_EQ(atomic_load(&in->entries[i].returns), atomic_load(&in->entries[i].accepted));
    }
    CHECK(accepted > 0 && accepted <= count);
    CHECK(atomic_load(&in->images) > 0);
    printf("  %u samples, %u accepted, %d images\n", count, accepted, atomic_load(&in->images));
}

static void any_thread_may_call_anything_at_any_time(void) {
    pthread_t threads[SESSIONS][THREADS];
    for (int s = 0; s < SESSIONS; s++) {
        arena *in = &arenas[s];
        nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
        specification.thread_count = s % 3 + 1;
        specification.flags = s % 4 == 3 ? NALU_DECODER_DROP_UNTIL_KEY_FRAME : 0;
        nalu_destination_attributes attributes = NALU_DESTINATION_ATTRIBUTES_INIT;
        attributes.pixel_format = s % 2 ? NALU_PIXEL_FORMAT_420V : 0;
        in->entries = calloc(MOST_SAMPLES, sizeof *in->entries);
        atomic_store(&in->may_invalidate, s >= SESSIONS / 2);
        REQUIRE_OK(nalu_decompression_session_create(clip_format(&clips[0]), &specification, &attributes, got_picture, in,
                                                     session_is_gone, &in->session));
        for (int t = 0; t < THREADS; t++) nalu_decompression_session_retain(in->session);
        for (int t = 0; t < THREADS; t++) REQUIRE(pthread_create(&threads[s][t], NULL, work, in) == 0);
        nalu_decompression_session_release(in->session);
    }
    for (int s = 0; s < SESSIONS; s++)
        for (int t = 0; t < THREADS; t++) pthread_join(threads[s][t], NULL);
    for (int s = 0; s < SESSIONS; s++) {
        check_accounts(&arenas[s]);
        nalu_pixel_buffer_release(atomic_load(&arenas[s].kept));
        free(arenas[s].entries);
    }
}

int main(void) {
    const char *asked = getenv("NALU_STRESS_OPERATIONS");
    if (asked && atoi(asked) > 0 && atoi(asked) <= 2000) operations = atoi(asked);
    make_clip(&clips[0], 40, true);
    make_clip(&clips[1], 20, false);
    RUN(any_thread_may_call_anything_at_any_time);
    clip_close(&clips[0]);
    clip_close(&clips[1]);
    return check_result();
}
