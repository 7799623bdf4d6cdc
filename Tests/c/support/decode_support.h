/*
 * Shared code of the tests for decompression sessions: samples to decode, and a recorder of all callbacks.
 */
#ifndef NALU_TESTS_DECODE_SUPPORT_H
#define NALU_TESTS_DECODE_SUPPORT_H

#include "media_support.h"
#include "session_support.h"

/* Reads the samples of a raw stream, at most `room`. The codec is that of the file's extension. Returns their number. */
size_t stream_samples(const char *path, nalu_sample **samples, size_t room);

/* ---- Callbacks ---------------------------------------------------------------------------------------------- */

typedef struct decoded {
    nalu_status status;
    nalu_decode_info_flags flags;
    nalu_pixel_buffer *image; /* retained */
    void *frame_refcon;
    nalu_time time, duration;
    pthread_t thread;
} decoded;

/* Records each callback, and checks the promises for each. Used as the refcon of record_decoded. */
typedef struct decode_recorder {
    pthread_mutex_t mutex;
    size_t count;
    int inside;
    decoded results[RECORDER_CAPACITY];
} decode_recorder;

#define DECODE_RECORDER_INIT {.mutex = PTHREAD_MUTEX_INITIALIZER}

void record_decoded(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                    nalu_pixel_buffer *image, nalu_time time, nalu_time duration);
size_t decoded_count(decode_recorder *all);
void decoded_clear(decode_recorder *all);

/* Checks that `samples` samples with the refcons FRAME(0) and so on were each delivered exactly once. Returns
 * how many have an image. */
size_t check_each_once(decode_recorder *all, size_t samples);

/* Checks that the images were delivered in presentation order. */
void check_output_order(decode_recorder *all);
void check_all_decoded(decode_recorder *all, size_t samples);

/* Returns true if a sample of the format has two bytes. */
bool has_words(nalu_pixel_format format);

/* Returns the visible pixels, plane after plane without padding. The caller frees them. */
uint8_t *image_bytes(const nalu_pixel_buffer *image, size_t *size_out);
bool same_image(const nalu_pixel_buffer *a, const nalu_pixel_buffer *b);

/* Checks that the decoded images follow each other in `bytes`, and fill it. */
void check_images(const decode_recorder *all, const uint8_t *bytes, size_t size);

/* ---- Samples ------------------------------------------------------------------------------------------------------ */

/* Encodes a clip with a key frame every ten frames. If `reorders`, with pairs of B-frames, one of which is a
 * reference. */
void make_clip(clip *c, int32_t frames, bool reorders);
nalu_format_description *clip_format(const clip *c);

/* flags: NALU_DECODER_...; threads: 0 for the default. */
nalu_decompression_session *make_decoder_with(nalu_format_description *format, uint32_t flags,
                                              int32_t threads, nalu_decompression_output_callback callback,
                                              void *refcon);
nalu_decompression_session *make_decoder(const clip *c, nalu_decompression_output_callback callback, void *refcon);

/* Releases the session and the images that it has delivered. */
void end_decoder(nalu_decompression_session *session, decode_recorder *all);

nalu_status decode_sample(nalu_decompression_session *session, const clip *c, size_t number, uint32_t flags);
void decode_all(nalu_decompression_session *session, const clip *c, uint32_t flags);
nalu_status wait_all(nalu_decompression_session *session);

/* Waits for all samples, and checks that `samples` samples have been decoded, in order and without damage. */
void wait_and_check(nalu_decompression_session *session, decode_recorder *all, size_t samples);

#define ASYNCHRONOUS NALU_DECODE_FRAME_ASYNCHRONOUS

/* ---- A callback that blocks --------------------------------------------------------------------------------- */

/* Used as the refcon of record_decoded_when_open: the first callback blocks until the gate is opened. */
typedef struct decode_gate {
    decode_recorder results;
    event entered;
    event opened;
} decode_gate;

#define DECODE_GATE_INIT {.results = DECODE_RECORDER_INIT, .entered = EVENT_INIT, .opened = EVENT_INIT}

void record_decoded_when_open(void *refcon, void *frame_refcon, nalu_status status,
                              nalu_decode_info_flags flags, nalu_pixel_buffer *image, nalu_time time,
                              nalu_time duration);

#endif
