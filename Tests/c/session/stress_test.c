/*
 * Eight sessions with four threads each, which make random calls at any time. At the end each accepted frame
 * must have been delivered exactly once and no rejected frame at all. Each lent buffer must have been released
 * once, and each session's refcon destroyed once. NALU_STRESS_OPERATIONS sets the number of calls per thread.
 */
#include "session_support.h"

#include <stdatomic.h>

enum { SESSIONS = 8, THREADS = 4, MOST_FRAMES = 20000 };

enum { DEFAULT_OPERATIONS = IS_SANITIZED ? 150 : 1500, OTHER_OPERATIONS = IS_SANITIZED ? 60 : 300 };

typedef struct frame {
    struct arena *arena;
    atomic_int accepted, returns, lends, releases;
    uint8_t *pixels;
} frame;

/* A session and the test's knowledge about it. */
typedef struct arena {
    nalu_compression_session *session;
    frame *frames;
    atomic_uint frame_count;
    atomic_llong clock;
    atomic_int inside, destroyed, may_invalidate;
    _Atomic(nalu_sample *) kept;
    pthread_mutex_t order;
} arena;

static arena arenas[SESSIONS];
static int operations = DEFAULT_OPERATIONS;

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static bool is_one_of(nalu_status status, nalu_status a, nalu_status b, nalu_status c) {
    return status == NALU_STATUS_OK || status == a || status == b || status == c;
}

/* ---- Frames -------------------------------------------------------------------------------------------------- */

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample);

static void pixels_are_free(void *refcon) {
    frame *it = (frame *)refcon;
    atomic_fetch_add(&it->releases, 1);
    free(it->pixels);
}

static frame *new_frame(arena *in) {
    unsigned number = atomic_fetch_add(&in->frame_count, 1);
    REQUIRE(number < MOST_FRAMES);
    in->frames[number].arena = in;
    return &in->frames[number];
}

/* Returns a wrapping buffer, or one from the pool; NULL if the session has no pool any more. */
static nalu_pixel_buffer *make_buffer(frame *it, bool wrapping) {
    nalu_pixel_buffer *buffer = NULL;
    if (wrapping) {
        it->pixels = malloc(PICTURE_SIZE);
        memset(it->pixels, 77, PICTURE_SIZE);
        const void *planes[3] = {it->pixels, it->pixels + WIDTH * HEIGHT, it->pixels + WIDTH * HEIGHT * 5 / 4};
        const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
        atomic_fetch_add(&it->lends, 1);
        REQUIRE_OK(nalu_pixel_buffer_create_with_planes(WIDTH, HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes, strides, NULL,
                                                        pixels_are_free, it, &buffer));
        return buffer;
    }
    nalu_pixel_buffer_pool *pool = nalu_compression_session_get_pixel_buffer_pool(it->arena->session);
    if (!pool) return NULL;
    REQUIRE_OK(nalu_pixel_buffer_pool_create_pixel_buffer(pool, &buffer));
    for (uint32_t plane = 0; plane < nalu_pixel_buffer_get_plane_count(buffer); plane++)
        memset(nalu_pixel_buffer_get_plane_base_address(buffer, plane), 99,
               (size_t)nalu_pixel_buffer_get_plane_stride(buffer, plane) *
                   (size_t)nalu_pixel_buffer_get_plane_height(buffer, plane));
    return buffer;
}

static void encode(arena *in, uint32_t random, uint32_t flags) {
    frame *it = new_frame(in);
    nalu_frame_options options = NALU_FRAME_OPTIONS_INIT;
    options.flags = flags | (random % 16 == 0 ? NALU_FRAME_FORCE_KEY_FRAME : 0);
    if (random % 5 == 0) {
        options.callback = got_frame;
        options.callback_refcon = in;
    }
    /* Most frames are encoded in order. Without the lock, times may be rejected. The callback never waits for
     * the lock. */
    bool ordered = !(flags & NALU_FRAME_DO_NOT_WAIT) && random % 4 != 0;
    if (ordered) pthread_mutex_lock(&in->order);
    nalu_time time = nalu_time_make(atomic_fetch_add(&in->clock, 1 + random % 3), 60);
    nalu_status status;
    if (random % 3 == 0) {
        uint8_t pixels[PICTURE_SIZE];
        draw_picture(pixels, random % 100);
        status = encode_pixels(in->session, pixels, time, &options, it);
        memset(pixels, 0, sizeof pixels);
    } else {
        nalu_pixel_buffer *buffer = make_buffer(it, random % 3 == 1);
        status = buffer ? nalu_compression_session_encode_frame(in->session, buffer, time, nalu_time_make(1, 60),
                                                                &options, it, NULL)
                        : NALU_STATUS_INVALID_SESSION;
        nalu_pixel_buffer_release(buffer);
    }
    if (ordered) pthread_mutex_unlock(&in->order);
    CHECK(is_one_of(status, NALU_STATUS_INVALID_SESSION, NALU_STATUS_INVALID_TIME, NALU_STATUS_WOULD_BLOCK));
    if (status == NALU_STATUS_OK) atomic_store(&it->accepted, 1);
}

/* ---- The callback ----------------------------------------------------------------------------------------------- */

static void got_frame(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample) {
    arena *in = (arena *)refcon;
    frame *it = (frame *)frame_refcon;
    CHECK_EQ(atomic_fetch_add(&in->inside, 1), 0);
    CHECK_EQ(atomic_load(&in->destroyed), 0);
    CHECK(it->arena == in);
    unsigned number = (unsigned)(it - in->frames);
    atomic_fetch_add(&it->returns, 1);
    if (sample) {
        CHECK_STATUS(status, NALU_STATUS_OK);
        nalu_sample_release(atomic_exchange(&in->kept, nalu_sample_retain(sample)));
    } else {
        CHECK_STATUS(status, NALU_STATUS_INVALID_SESSION);
        CHECK_EQ(flags, NALU_ENCODE_INFO_FRAME_DROPPED);
    }
    if (number % 7 == 0) {
        nalu_status waiting = complete_all(in->session);
        CHECK(waiting == NALU_STATUS_REENTRANT || waiting == NALU_STATUS_INVALID_SESSION);
    }
    if (number % 11 == 0) {
        int64_t pending = 0;
        nalu_status asked =
            nalu_session_get_int64(in->session, NALU_PROPERTY_NUMBER_OF_PENDING_FRAMES, &pending);
        CHECK(asked == NALU_STATUS_OK ? pending >= 1 : asked == NALU_STATUS_INVALID_SESSION);
    }
    if (number % 13 == 0) encode(in, number, NALU_FRAME_DO_NOT_WAIT);
    if (number % 17 == 0) nalu_compression_session_release(nalu_compression_session_retain(in->session));
    CHECK_EQ(atomic_fetch_sub(&in->inside, 1), 1);
}

static void session_is_gone(void *refcon) {
    CHECK_EQ(atomic_load(&((arena *)refcon)->inside), 0);
    atomic_fetch_add(&((arena *)refcon)->destroyed, 1);
}

/* ---- The threads --------------------------------------------------------------------------------------------- */

static void use_properties(arena *in, uint32_t random) {
    const nalu_status gone = NALU_STATUS_INVALID_SESSION, late = NALU_STATUS_TOO_LATE;
    double quality = 0;
    CHECK(is_one_of(nalu_session_set_int64(in->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 1 + random % 50), gone,
                    gone, gone));
    CHECK(is_one_of(nalu_session_set_double(in->session, NALU_PROPERTY_EXPECTED_FRAME_RATE, 10 + random % 50), gone,
                    late, gone));
    CHECK(is_one_of(nalu_session_set_int64(in->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 50000 + random % 500000), gone,
                    late, gone));
    CHECK(is_one_of(nalu_session_set_bool(in->session, NALU_PROPERTY_REAL_TIME, 1), gone, late,
                    NALU_STATUS_CONFLICT));
    CHECK(is_one_of(nalu_session_get_double(in->session, NALU_PROPERTY_QUALITY, &quality), gone,
                    NALU_STATUS_VALUE_NOT_AVAILABLE, gone));
}

static nalu_status complete_some(arena *in, uint32_t random) {
    return nalu_compression_session_complete_frames(in->session,
                                                    nalu_time_make(atomic_load(&in->clock) - random % 20, 60));
}

static void *work(void *argument) {
    arena *in = (arena *)argument;
    static atomic_uint seeds;
    uint32_t random = atomic_fetch_add(&seeds, 1) * 2654435761u;
    const nalu_status gone = NALU_STATUS_INVALID_SESSION;
    for (int i = 0; i < operations; i++) {
        uint32_t what = next_random(&random) % 100, how = next_random(&random);
        size_t size = 0;
        if (what < 60) encode(in, how, how % 7 == 0 ? NALU_FRAME_DO_NOT_WAIT : 0);
        else if (what < 75) use_properties(in, how);
        else if (what < 80) nalu_compression_session_release(nalu_compression_session_retain(in->session));
        else if (what < 84) CHECK(is_one_of(nalu_compression_session_prepare(in->session), gone, gone, gone));
        else if (what < 88) CHECK(is_one_of(complete_all(in->session), gone, gone, gone));
        else if (what < 92)
            CHECK(is_one_of(complete_some(in, how), gone, gone, gone));
        else if (what < 95)
            CHECK_OK(nalu_compression_session_copy_last_error(in->session, NULL, 0, &size));
        else if (what < 99) nalu_sample_release(atomic_exchange(&in->kept, NULL));
        else if (atomic_load(&in->may_invalidate) && i > operations / 2) {
            CHECK_OK(nalu_compression_session_invalidate(in->session));
            CHECK_EQ(atomic_load(&in->inside), 0);
        }
    }
    nalu_compression_session_release(in->session);
    return NULL;
}

static void configure(nalu_compression_session *session, int kind) {
    switch (kind % 4) {
    case 0: make_immediate(session); break;
    case 1: make_reordering(session); break;
    case 2:
        REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_MAX_FRAME_DELAY_COUNT, kind));
        REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->cheap));
        break;
    default: REQUIRE_OK(nalu_session_set_properties_from_text(session, tested()->threads)); break;
    }
}

static void check_accounts(arena *in) {
    CHECK_EQ(atomic_load(&in->destroyed), 1);
    unsigned accepted = 0, count = atomic_load(&in->frame_count);
    for (unsigned i = 0; i < count; i++) {
        accepted += (unsigned)atomic_load(&in->frames[i].accepted);
        CHECK_EQ(atomic_load(&in->frames[i].returns), atomic_load(&in->frames[i].accepted));
        CHECK_EQ(atomic_load(&in->frames[i].releases), atomic_load(&in->frames[i].lends));
    }
    CHECK(accepted > 0 && accepted <= count);
    printf("  %u frames, %u accepted\n", count, accepted);
}

static void any_thread_may_call_anything_at_any_time(void) {
    pthread_t threads[SESSIONS][THREADS];
    for (int s = 0; s < SESSIONS; s++) {
        arena *in = &arenas[s];
        in->frames = calloc(MOST_FRAMES, sizeof *in->frames);
        pthread_mutex_init(&in->order, NULL);
        atomic_store(&in->may_invalidate, s >= SESSIONS / 2);
        REQUIRE_OK(create_tested(WIDTH, HEIGHT, got_frame, in, session_is_gone, &in->session));
        configure(in->session, s);
        for (int t = 0; t < THREADS; t++) nalu_compression_session_retain(in->session);
        for (int t = 0; t < THREADS; t++) REQUIRE(pthread_create(&threads[s][t], NULL, work, in) == 0);
        nalu_compression_session_release(in->session);
    }
    for (int s = 0; s < SESSIONS; s++)
        for (int t = 0; t < THREADS; t++) pthread_join(threads[s][t], NULL);
    for (int s = 0; s < SESSIONS; s++) {
        check_accounts(&arenas[s]);
        nalu_sample_release(atomic_load(&arenas[s].kept));
        free(arenas[s].frames);
    }
}

int main(void) {
    const char *asked = getenv("NALU_STRESS_OPERATIONS");
    if (!is_tested("x264")) operations = OTHER_OPERATIONS;
    if (asked && atoi(asked) > 0 && atoi(asked) <= 2000) operations = atoi(asked);
    RUN(any_thread_may_call_anything_at_any_time);
    return check_result();
}
