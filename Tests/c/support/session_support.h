/*
 * Shared code of the session tests: pictures to encode, a recorder of all callbacks, and an event to wait for.
 */
#ifndef NALU_TESTS_SESSION_SUPPORT_H
#define NALU_TESTS_SESSION_SUPPORT_H

#include "judged_streams.h"
#include "tested_encoder.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

/* ---- Events ------------------------------------------------------------------------------------------------- */

/* An event that happens once. Threads can wait for it. */
typedef struct event {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    bool happened;
} event;

#define EVENT_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false}

void event_signal(event *it);

/* Returns true if the event happens within `milliseconds`. */
bool event_wait_for(event *it, long milliseconds);

/* Waits for the event, much longer than any test takes even under a sanitizer. The limit is reached only if the
 * test hangs. */
void event_wait(event *it);
void sleep_milliseconds(long milliseconds);

/* ---- Callbacks ---------------------------------------------------------------------------------------------- */

typedef struct result {
    nalu_status status;
    nalu_encode_info_flags flags;
    nalu_sample *sample; /* retained */
    void *frame_refcon;
    pthread_t thread;
} result;

#define RECORDER_CAPACITY 1024

/* Records each callback, and checks the promises for each. Used as the refcon of record_result. */
typedef struct recorder {
    pthread_mutex_t mutex;
    size_t count;
    int inside;
    result results[RECORDER_CAPACITY];
} recorder;

#define RECORDER_INIT {.mutex = PTHREAD_MUTEX_INITIALIZER}

void record_result(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                   nalu_sample *sample);
size_t recorder_count(recorder *all);
void recorder_clear(recorder *all);

/* Checks that `frames` frames with the refcons FRAME(0) and so on were each delivered exactly once and with a
 * sample. */
#define FRAME(number) ((void *)(uintptr_t)((number) + 1))
#define FRAME_NUMBER(refcon) ((size_t)((uintptr_t)(refcon) - 1))

void check_all_encoded(recorder *all, size_t frames);

/* Checks that each of `frames` frames was delivered once: with a sample, or dropped because the session was
 * invalidated. Returns the number of dropped frames. */
size_t check_each_once_encoded_or_dropped(recorder *all, size_t frames);

/* Has FFmpeg judge the samples, which are those of one session, at the end of the test. */
void judge_results(recorder *all, const char *name);

/* Checks that decode times are numeric, increase, and are never later than the presentation time. */
void check_decode_times(recorder *all);

/* Returns true if all fields of the times are equal. */
bool same_time(nalu_time a, nalu_time b);

/* Checks that the same samples were delivered in the same order, byte for byte. */
void check_same_bytes(recorder *a, recorder *b);

/* ---- Sessions and pictures ---------------------------------------------------------------------------------- */

enum { WIDTH = 64, HEIGHT = 48, PICTURE_SIZE = WIDTH * HEIGHT * 3 / 2 };

nalu_compression_session *make_session(nalu_compression_output_callback callback, void *refcon);

/* Releases the session and the samples that it has delivered. */
void end_session(nalu_compression_session *session, recorder *all);

static inline nalu_time frame_time(int64_t number) { return nalu_time_make(number, 30); }

/* Draws picture `number` in '420v' without padding: a moving gradient with a little noise. */
void draw_picture(uint8_t *pixels, unsigned number);

/* Encodes a copy of pixels in '420v' without padding. */
nalu_status encode_pixels(nalu_compression_session *session, const uint8_t *pixels, nalu_time time,
                          const nalu_frame_options *options, void *frame_refcon);

/* Encodes picture `number` at number/30 s with the refcon FRAME(number). */
nalu_status encode_picture_with(nalu_compression_session *session, unsigned number,
                                const nalu_frame_options *options);
nalu_status encode_picture(nalu_compression_session *session, unsigned number);

/* Encodes pictures 0 to count - 1. All must be accepted. */
void encode_pictures(nalu_compression_session *session, unsigned count);

/* Encodes pictures 0 to count - 1, waits for them, and checks that they are all results of the session. */
void encode_all(nalu_compression_session *session, recorder *all, unsigned count);

nalu_status try_picture(nalu_compression_session *session, unsigned number);
nalu_status complete_all(nalu_compression_session *session);

/* Waits for all frames, and checks that they are `frames` frames that have become samples. */
void complete_and_check(nalu_compression_session *session, recorder *all, size_t frames);

int64_t pending_frames(nalu_compression_session *session);

/* ---- A callback that blocks --------------------------------------------------------------------------------- */

/* Used as the refcon of record_when_open: the first callback blocks until the gate is opened. */
typedef struct gate {
    recorder results;
    event entered;
    event opened;
} gate;

#define GATE_INIT {.results = RECORDER_INIT, .entered = EVENT_INIT, .opened = EVENT_INIT}

void record_when_open(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                      nalu_sample *sample);

#endif
