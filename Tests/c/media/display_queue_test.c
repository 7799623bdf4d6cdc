/* The display queue with a manual clock: what is shown at which time, late pictures, flushes, steps, pre-roll, events,
 * back-pressure, requests for samples, and wrong arguments. No result depends on the speed of the machine. */
#include "decode_support.h"

#include <stdatomic.h>

enum { FRAMES = 30, MOST = 256 };

static clip clip30;

typedef struct {
    nalu_display_queue *queue;
    nalu_timebase *clock, *timebase;
    pthread_mutex_t lock;
    int64_t shown[MOST]; /* thirtieths of a second; -1 without an image */
    int events[MOST];
    nalu_status statuses[MOST];
    _Atomic int shown_count, event_count, ends, next;
    _Atomic int fault; /* wrong results inside callbacks */
    nalu_status in_callback[4];
} player;

static void show(void *refcon, nalu_pixel_buffer *image, uint32_t flags, nalu_time time, nalu_time duration) {
    player *p = refcon;
    const int count = atomic_load(&p->shown_count);
    if (count >= MOST || flags != 0) atomic_store(&p->fault, 1);
    if (image && (nalu_pixel_buffer_get_width(image) != 64 || duration.value * 30 != duration.timescale)) atomic_store(&p->fault, 2);
    p->shown[count % MOST] = image ? time.value * 30 / time.timescale : -1;
    atomic_store(&p->shown_count, count + 1);
}

static void note(void *refcon, int32_t event, nalu_status status) {
    player *p = refcon;
    const int count = atomic_load(&p->event_count);
    p->events[count % MOST] = event;
    p->statuses[count % MOST] = status;
    atomic_store(&p->event_count, count + 1);
}

static void end(void *refcon) { atomic_fetch_add(&((player *)refcon)->ends, 1); }

/* Opens a queue at rate 0 and time `start`, in thirtieths of a second of a manual clock. */
static void open_player(player *p, const nalu_display_queue_options *options, int64_t start, double rate) {
    memset(p, 0, sizeof *p);
    REQUIRE_OK(nalu_timebase_create_manual_clock(nalu_time_zero(), &p->clock));
    REQUIRE_OK(nalu_timebase_create(p->clock, &p->timebase));
    REQUIRE_OK(nalu_timebase_set_rate_and_anchor_time(p->timebase, rate, nalu_time_make(start, 30), nalu_time_zero()));
    REQUIRE_OK(nalu_display_queue_create(options, show, note, p, end, &p->queue));
    REQUIRE_OK(nalu_display_queue_set_control_timebase(p->queue, p->timebase));
}

static void close_player(player *p) {
    CHECK_EQ(atomic_load(&p->fault), 0);
    nalu_display_queue_release(p->queue);
    CHECK_EQ(atomic_load(&p->ends), 1);
    nalu_timebase_release(p->timebase);
    nalu_timebase_release(p->clock);
}

static nalu_display_queue_statistics facts(const player *p) {
    nalu_display_queue_statistics facts = {.struct_size = sizeof facts};
    REQUIRE_OK(nalu_display_queue_get_statistics(p->queue, &facts));
    return facts;
}

/* Sets the clock a little after a time, because products with a rate are rounded to nanoseconds. */
static void set_time(player *p, int64_t thirtieths) {
    REQUIRE_OK(nalu_timebase_set_time(p->clock, nalu_time_make(thirtieths * 1000 + 1, 30000)));
}

static void enqueue_all(player *p) {
    for (int i = 0; i < FRAMES; i++) {
        nalu_status status;
        while ((status = nalu_display_queue_enqueue_sample(p->queue, clip30.samples[i], 0)) == NALU_STATUS_WOULD_BLOCK)
            REQUIRE_OK(nalu_display_queue_wait_until_ready(p->queue, 300));
        REQUIRE_OK(status);
    }
}

/* Options with room for the whole clip. */
static nalu_display_queue_options roomy(void) {
    nalu_display_queue_options options = NALU_DISPLAY_QUEUE_OPTIONS_INIT;
    options.sample_capacity = options.picture_capacity = 64;
    options.preroll_count = 8;
    return options;
}

static void wait_for_event(player *p, int count, int event) {
    WAIT_UNTIL(atomic_load(&p->event_count) >= count);
    CHECK_EQ(p->events[count - 1], event);
    CHECK_STATUS(p->statuses[count - 1], NALU_STATUS_OK);
}

/* Hands in the whole clip, finishes, and waits until so many pictures wait for their time. */
static void fill(player *p, int waiting) {
    enqueue_all(p);
    CHECK_OK(nalu_display_queue_finish(p->queue));
    WAIT_UNTIL(facts(p).waiting_pictures == (uint64_t)waiting);
}

static void pictures_are_shown_at_their_time(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, -1, 1);
    fill(&p, FRAMES);
    wait_for_event(&p, 1, NALU_DISPLAY_EVENT_PREROLLED);
    CHECK(facts(&p).is_prerolled == 1 && p.shown_count == 0);
    for (int i = 0; i < FRAMES; i++) {
        set_time(&p, i + 1);
        WAIT_UNTIL(atomic_load(&p.shown_count) > i);
        CHECK_EQ(p.shown[i], i);
    }
    wait_for_event(&p, 2, NALU_DISPLAY_EVENT_ENDED);
    const nalu_display_queue_statistics all = facts(&p);
    CHECK(all.shown_pictures == FRAMES && all.late_pictures == 0 && all.failed_samples == 0 && all.accepted_samples == FRAMES);
    CHECK(all.receive.count == FRAMES && all.decode.count == FRAMES && all.show.count == FRAMES && all.lateness.count == 0);
    CHECK(all.show.least >= 0 && all.show.least <= all.show.mean && all.show.mean <= all.show.most && all.show.p95 <= all.show.most);
    close_player(&p);
}

static void late_pictures_are_dropped_and_counted(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, -1, 1);
    fill(&p, FRAMES);
    set_time(&p, 11);
    WAIT_UNTIL(atomic_load(&p.shown_count) == 1);
    CHECK(p.shown[0] == 10 && facts(&p).late_pictures == 10);
    /* A timebase that goes back does not bring them back, and a double rate skips every other one. */
    set_time(&p, 0);
    CHECK_OK(nalu_timebase_set_rate_and_anchor_time(p.timebase, 2, nalu_time_make(10, 30), nalu_time_zero()));
    for (int i = 1; i <= 9; i++) {
        set_time(&p, i);
        WAIT_UNTIL(atomic_load(&p.shown_count) == i + 1);
        CHECK_EQ(p.shown[i], 10 + 2 * i);
    }
    CHECK_EQ(facts(&p).late_pictures, 19);
    close_player(&p);
}

static void a_stopped_timebase_shows_what_is_due_and_steps(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, 3, 0);
    fill(&p, FRAMES - 4);
    /* A seek while stopped: the picture at the time of the timebase is shown. Pictures before it may have been shown
     * too, one by one, as they were decoded. */
    WAIT_UNTIL(atomic_load(&p.shown_count) > 0 && p.shown[p.shown_count - 1] == 3);
    const int before = p.shown_count;
    for (int i = 1; i <= 3; i++) {
        CHECK_OK(nalu_display_queue_step(p.queue));
        WAIT_UNTIL(atomic_load(&p.shown_count) == before + i);
        CHECK_EQ(p.shown[before + i - 1], 3 + i);
        CHECK_EQ(nalu_timebase_get_time(p.timebase).value * 30 / nalu_timebase_get_time(p.timebase).timescale, 3 + i);
    }
    CHECK_OK(nalu_timebase_set_rate(p.timebase, 1));
    CHECK_STATUS(nalu_display_queue_step(p.queue), NALU_STATUS_CONFLICT);
    CHECK(strstr(nalu_last_error_message(), "set its rate to 0"));
    set_time(&p, 1);
    WAIT_UNTIL(atomic_load(&p.shown_count) == before + 4);
    CHECK_EQ(p.shown[before + 3], 7);
    /* Another timebase: the host clock is far beyond all times. */
    CHECK_OK(nalu_display_queue_set_control_timebase(p.queue, NULL));
    nalu_timebase *control = nalu_display_queue_copy_control_timebase(p.queue);
    CHECK(control == nalu_timebase_get_host_clock());
    nalu_timebase_release(control);
    wait_for_event(&p, 2, NALU_DISPLAY_EVENT_ENDED);
    CHECK_EQ(p.shown[p.shown_count - 1], FRAMES - 1);
    close_player(&p);
}

static void backwards_key_frames_are_shown_as_the_time_falls(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, 25, -1);
    for (int i = FRAMES - 1; i >= 0; i--)
        if (nalu_sample_is_key_frame(clip30.samples[i])) CHECK_OK(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[i], 0));
    CHECK_OK(nalu_display_queue_finish(p.queue));
    WAIT_UNTIL(facts(&p).waiting_pictures == 3); /* 20, 10, 0 */
    for (int i = 1; i <= 3; i++) {
        set_time(&p, 25 - 10 * (3 - i));
        WAIT_UNTIL(atomic_load(&p.shown_count) == i);
        CHECK_EQ(p.shown[i - 1], 30 - 10 * i);
    }
    close_player(&p);
}

static void a_flush_drops_what_waits(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, -1, 1);
    fill(&p, FRAMES);
    CHECK_OK(nalu_display_queue_flush(p.queue));
    CHECK(facts(&p).waiting_pictures == 0 && facts(&p).is_prerolled == 0);
    CHECK_EQ(facts(&p).flushed_samples, FRAMES);
    set_time(&p, 100);
    CHECK_OK(nalu_display_queue_flush_and_remove_image(p.queue));
    WAIT_UNTIL(atomic_load(&p.shown_count) == 1);
    CHECK_EQ(p.shown[0], -1);
    /* It can be used again, and sends its events again. */
    set_time(&p, 0);
    const int before = p.event_count;
    fill(&p, FRAMES);
    wait_for_event(&p, before + 1, NALU_DISPLAY_EVENT_PREROLLED);
    set_time(&p, 1);
    WAIT_UNTIL(atomic_load(&p.shown_count) == 2);
    CHECK_EQ(p.shown[1], 0);
    close_player(&p);
}

static void an_immediate_picture_is_shown_when_it_is_decoded(void) {
    player p;
    nalu_display_queue_options options = roomy();
    options.flags = NALU_DISPLAY_QUEUE_LOW_DELAY;
    open_player(&p, &options, -1000, 0);
    CHECK_OK(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[0], NALU_DISPLAY_IMMEDIATELY));
    CHECK_OK(nalu_display_queue_finish(p.queue));
    wait_for_event(&p, 2, NALU_DISPLAY_EVENT_ENDED);
    CHECK(p.shown_count == 1 && p.shown[0] == 0);
    close_player(&p);
}

static void a_full_queue_refuses_samples(void) {
    player p;
    nalu_display_queue_options options = NALU_DISPLAY_QUEUE_OPTIONS_INIT;
    options.sample_capacity = 2;
    options.picture_capacity = 1;
    open_player(&p, &options, -1, 0);
    int accepted = 0, status = NALU_STATUS_OK;
    while (accepted < FRAMES) {
        status = nalu_display_queue_enqueue_sample(p.queue, clip30.samples[accepted], 0);
        if (status == NALU_STATUS_OK) accepted++;
        else if (status != NALU_STATUS_WOULD_BLOCK || facts(&p).waiting_pictures > 0) break;
        check_pause();
    }
    /* Nothing is due, so the queue stays full once a picture waits. */
    WAIT_UNTIL(facts(&p).waiting_samples == 2 || nalu_display_queue_enqueue_sample(p.queue, clip30.samples[accepted++], 0) != 0);
    CHECK(accepted < FRAMES);
    CHECK_EQ(nalu_display_queue_is_ready_for_more_media_data(p.queue), 0);
    CHECK_STATUS(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[accepted], 0), NALU_STATUS_WOULD_BLOCK);
    CHECK_STATUS(nalu_display_queue_wait_until_ready(p.queue, 0.01), NALU_STATUS_WOULD_BLOCK);
    CHECK(strstr(nalu_last_error_message(), "still full"));
    CHECK_OK(nalu_display_queue_flush(p.queue));
    CHECK_OK(nalu_display_queue_wait_until_ready(p.queue, 0));
    CHECK_EQ(nalu_display_queue_is_ready_for_more_media_data(p.queue), 1);
    close_player(&p);
}

static void request(void *refcon) {
    player *p = refcon;
    while (atomic_load(&p->next) < FRAMES && nalu_display_queue_is_ready_for_more_media_data(p->queue))
        if (nalu_display_queue_enqueue_sample(p->queue, clip30.samples[atomic_fetch_add(&p->next, 1)], 0)) atomic_store(&p->fault, 3);
    if (nalu_display_queue_wait_until_ready(p->queue, 1) != NALU_STATUS_REENTRANT) atomic_store(&p->fault, 4);
    if (atomic_load(&p->next) == FRAMES && nalu_display_queue_finish(p->queue)) atomic_store(&p->fault, 5);
}

static void samples_are_requested_when_there_is_room(void) {
    player p;
    nalu_display_queue_options options = NALU_DISPLAY_QUEUE_OPTIONS_INIT;
    options.sample_capacity = 2;
    open_player(&p, &options, -1, 1);
    CHECK_OK(nalu_display_queue_request_media_data_when_ready(p.queue, request, &p));
    for (int i = 0; i < FRAMES; i++) {
        set_time(&p, i + 1);
        WAIT_UNTIL(atomic_load(&p.shown_count) > i);
        CHECK_EQ(p.shown[i], i);
    }
    WAIT_UNTIL(atomic_load(&p.event_count) == 2);
    CHECK_OK(nalu_display_queue_request_media_data_when_ready(p.queue, NULL, NULL));
    close_player(&p);
}

/* A corrupt sample is counted, and its error message is kept. */
static void failures_are_reported(void) {
    player p;
    nalu_display_queue_options options = roomy();
    open_player(&p, &options, 100, 1);
    CHECK_OK(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[1], 0)); /* no key frame */
    CHECK_OK(nalu_display_queue_finish(p.queue));
    WAIT_UNTIL(facts(&p).failed_samples == 1);
    WAIT_UNTIL(atomic_load(&p.event_count) >= 1);
    char text[256];
    size_t size;
    CHECK_OK(nalu_display_queue_copy_last_error(p.queue, text, sizeof text, &size));
    CHECK(strstr(text, "could not be decoded"));
    int failures = 0;
    WAIT_UNTIL(atomic_load(&p.event_count) == 3);
    for (int i = 0; i < 3; i++) failures += p.events[i] == NALU_DISPLAY_EVENT_FAILED && p.statuses[i] == NALU_STATUS_REFERENCE_MISSING;
    CHECK_EQ(failures, 1);
    close_player(&p);
}

static void show_and_use(void *refcon, nalu_pixel_buffer *image, uint32_t flags, nalu_time time, nalu_time duration) {
    player *p = refcon;
    p->in_callback[0] = nalu_display_queue_invalidate(p->queue);
    p->in_callback[1] = nalu_display_queue_wait_until_ready(p->queue, 1);
    p->in_callback[2] = nalu_display_queue_flush(p->queue);
    p->in_callback[3] = nalu_timebase_set_rate(p->timebase, 0);
    nalu_display_queue_release(p->queue);
    show(refcon, image, flags, time, duration);
}

static void a_callback_may_use_and_release_the_queue(void) {
    player p = {0};
    REQUIRE_OK(nalu_timebase_create(NULL, &p.timebase));
    REQUIRE_OK(nalu_display_queue_create(NULL, show_and_use, NULL, &p, end, &p.queue));
    REQUIRE_OK(nalu_display_queue_set_control_timebase(p.queue, p.timebase));
    /* Without the reference that is held here, the queue could end before it is finished. */
    nalu_display_queue *held = nalu_display_queue_retain(p.queue);
    CHECK_OK(nalu_display_queue_enqueue_sample(held, clip30.samples[0], NALU_DISPLAY_IMMEDIATELY));
    (void)nalu_display_queue_finish(held);
    WAIT_UNTIL(atomic_load(&p.shown_count) == 1);
    nalu_display_queue_release(held);
    WAIT_UNTIL(atomic_load(&p.ends) == 1);
    CHECK_STATUS(p.in_callback[0], NALU_STATUS_REENTRANT);
    CHECK_STATUS(p.in_callback[1], NALU_STATUS_REENTRANT);
    CHECK(p.in_callback[2] == NALU_STATUS_OK && p.in_callback[3] == NALU_STATUS_OK);
    nalu_timebase_release(p.timebase);
}

static void wrong_arguments_are_refused(void) {
    player p;
    open_player(&p, NULL, -1, 0);
    nalu_display_queue *out = p.queue;
    CHECK_STATUS(nalu_display_queue_create(NULL, NULL, NULL, NULL, NULL, &out), NALU_STATUS_PARAMETER);
    CHECK(out == NULL);
    CHECK_STATUS(nalu_display_queue_create(NULL, show, NULL, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    nalu_display_queue_options options = NALU_DISPLAY_QUEUE_OPTIONS_INIT;
    int32_t *const numbers[] = {&options.sample_capacity, &options.picture_capacity, &options.preroll_count, &options.thread_count};
    for (int i = 0; i < 4; i++)
        for (int32_t wrong = -1; wrong <= 129; wrong += 130) {
            *numbers[i] = wrong;
            CHECK_STATUS(nalu_display_queue_create(&options, show, NULL, NULL, NULL, &out), NALU_STATUS_OUT_OF_RANGE);
            CHECK(strstr(nalu_last_error_message(), "options."));
            *numbers[i] = 0;
        }
    options.pixel_format = 1;
    CHECK_STATUS(nalu_display_queue_create(&options, show, NULL, NULL, NULL, &out), NALU_STATUS_INVALID_PIXEL_FORMAT);
    options.pixel_format = 0;
    options.flags = 2;
    CHECK_STATUS(nalu_display_queue_create(&options, show, NULL, NULL, NULL, &out), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[0], 2), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_display_queue_enqueue_sample(p.queue, NULL, 0), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_display_queue_enqueue_sample(NULL, clip30.samples[0], 0), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_display_queue_wait_until_ready(p.queue, NAN), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_display_queue_wait_until_ready(p.queue, 3601), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_display_queue_set_control_timebase(p.queue, (nalu_timebase *)p.queue), NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_display_queue_get_statistics(p.queue, NULL), NALU_STATUS_PARAMETER);
    for (int i = 0; i < 128; i++) CHECK_OK(nalu_display_queue_step(p.queue));
    CHECK_STATUS(nalu_display_queue_step(p.queue), NALU_STATUS_WOULD_BLOCK);
    CHECK_OK(nalu_display_queue_invalidate(p.queue));
    CHECK_OK(nalu_display_queue_invalidate(p.queue));
    CHECK_STATUS(nalu_display_queue_enqueue_sample(p.queue, clip30.samples[0], 0), NALU_STATUS_INVALID_SESSION);
    CHECK_STATUS(nalu_display_queue_set_control_timebase(p.queue, p.timebase), NALU_STATUS_INVALID_SESSION);
    CHECK_EQ(facts(&p).accepted_samples, 0);
    CHECK(nalu_display_queue_copy_control_timebase(NULL) == NULL && nalu_display_queue_is_ready_for_more_media_data(NULL) == 0);
    nalu_display_queue_release(NULL);
    close_player(&p);
}

/* Queues end at any moment, whatever their threads are doing. */
static void queues_end_at_any_moment(void) {
    for (int i = 0; i < 40; i++) {
        player p;
        open_player(&p, NULL, i % 2 ? 100 : -1, 1);
        for (int j = 0; j < FRAMES; j++) {
            (void)nalu_display_queue_enqueue_sample(p.queue, clip30.samples[j], 0);
            if (j == i % 15) (void)nalu_display_queue_flush(p.queue);
            if (j == i / 2) set_time(&p, 10);
        }
        if (i % 3) (void)nalu_display_queue_finish(p.queue);
        close_player(&p);
    }
}

int main(void) {
    media_clip(&clip30, 64, 48, FRAMES);
    RUN(pictures_are_shown_at_their_time);
    RUN(late_pictures_are_dropped_and_counted);
    RUN(a_stopped_timebase_shows_what_is_due_and_steps);
    RUN(backwards_key_frames_are_shown_as_the_time_falls);
    RUN(a_flush_drops_what_waits);
    RUN(an_immediate_picture_is_shown_when_it_is_decoded);
    RUN(a_full_queue_refuses_samples);
    RUN(samples_are_requested_when_there_is_room);
    RUN(failures_are_reported);
    RUN(a_callback_may_use_and_release_the_queue);
    RUN(wrong_arguments_are_refused);
    RUN(queues_end_at_any_moment);
    clip_close(&clip30);
    return check_result();
}
