/* The quality of a video in chunks whose first passes begin far from the QP that they need: a scrolling page. */
#include "clip.h"
#include "refusal.h"
#include "storage_copy.h"

#include <math.h>
#include <stdbool.h>

/* x264 does not free everything of an encoder that it refuses to open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libx264"; }

enum { WIDTH = 192, HEIGHT = 128, CHUNKS = 6, LENGTH = 50, FPS = 25, PAGE = 2048, RATE = 30000 };

static uint8_t page[PAGE][WIDTH];
static uint8_t picture[WIDTH * HEIGHT * 3 / 2];

/* Draws lines of random characters of 6 x 12 pixels: four or five strokes of 2 x 2 pixels each. */
static void draw_page(void) {
    uint32_t random = 1;
    memset(page, 235, sizeof page);
    for (int line = 0; line < PAGE / 12; line++)
        for (int column = 1; column < WIDTH / 6 - 1; column++) {
            random = random * 1664525u + 1013904223u;
            if (random >> 29 == 0) continue;
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 4; x++)
                    if (random >> (8 + y / 2 * 2 + x / 2) & 1) page[line * 12 + 2 + y][column * 6 + x] = 30;
        }
}

/* Returns the first line of the page that a frame shows. The page stands still for three of five seconds, and scrolls at
 * another speed each time. */
static int line_of(int frame) {
    static const int speeds[] = {1, 3, 8, 2};
    int line = 0;
    for (int i = 0; i <= frame; i++) line += i % 125 >= 75 ? speeds[i / 125 % 4] : 0;
    return line % (PAGE - HEIGHT);
}

/* `noise`: the frames have noise in place of a page. */
static void draw(int frame, bool noise) {
    uint32_t random = (uint32_t)frame * 7919u;
    memset(picture + WIDTH * HEIGHT, 128, WIDTH * HEIGHT / 2);
    if (!noise) memcpy(picture, page[line_of(frame)], WIDTH * HEIGHT);
    for (int i = 0; noise && i < WIDTH * HEIGHT; i++) {
        random = random * 1664525u + 1013904223u;
        picture[i] = (uint8_t)(90 + (random >> 26));
    }
}

typedef struct chunk {
    int first;
    bool noise;
    int passes;
    int frames; /* of the last pass */
    double errors, bits;
} chunk;

static void take(void *refcon, void *frame, nalu_status status, nalu_encode_info_flags flags, nalu_sample *sample) {
    chunk *c = (chunk *)refcon;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    size_t size = 0;
    (void)frame, (void)flags;
    REQUIRE(CHECK_STATUS(status, NALU_STATUS_OK) && sample);
    REQUIRE_OK(nalu_sample_get_quality_metrics(sample, &metrics));
    (void)nalu_sample_get_data(sample, &size);
    c->frames++;
    c->errors += metrics.luma_mean_squared_error;
    c->bits += 8 * (double)size;
}

static nalu_compression_session *open_chunk(chunk *c, nalu_multi_pass_storage *storage, int64_t rate) {
    nalu_compression_session *session = NULL;
    REQUIRE_OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, take, c, NULL, &session));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, "veryfast"));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "threads=1:cpu-independent=1"));
    REQUIRE_OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, FPS));
    REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1));
    REQUIRE_OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    return session;
}

static int32_t run_pass(nalu_compression_session *session, chunk *c, double qp) {
    int32_t again = -1;
    c->frames = 0;
    c->errors = c->bits = 0;
    c->passes++;
    REQUIRE_OK(nalu_compression_session_begin_first_pass(session, 0, qp));
    for (int i = c->first; i < c->first + LENGTH; i++) {
        const void *planes[3] = {picture, picture + WIDTH * HEIGHT, picture + WIDTH * HEIGHT * 5 / 4};
        const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};
        draw(i, c->noise);
        REQUIRE_OK(nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_Y420, 3, planes, strides,
            NULL, nalu_time_make(i, FPS), nalu_time_make(1, FPS), NULL, NULL, NULL));
    }
    REQUIRE_OK(nalu_compression_session_end_pass(session, &again));
    CHECK_EQ(c->frames, LENGTH);
    return again;
}

/* Returns a storage with the data of a first pass. */
static nalu_multi_pass_storage *first_pass(chunk *c, int64_t rate, double qp) {
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_compression_session *session = open_chunk(c, storage, rate);
    CHECK_EQ(run_pass(session, c, qp), 1);
    nalu_multi_pass_storage *copy = storage_copy(storage);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
    return copy;
}

typedef struct result {
    double decibels, bits; /* of the whole video */
    int repeats;           /* first passes that were repeated */
} result;

/* Encodes a video in chunks. `repeats`: how often a first pass is repeated at most. */
static result encode(int repeats, bool noise) {
    chunk chunks[CHUNKS];
    nalu_multi_pass_storage *storages[CHUNKS];
    int64_t rates[CHUNKS];
    double qps[CHUNKS], errors = 0;
    result all = {0, 0, 0};
    const int64_t rate = noise ? 10 * RATE : RATE;
    for (int i = 0; i < CHUNKS; i++) {
        chunks[i] = (chunk){.first = i * LENGTH, .noise = noise};
        storages[i] = first_pass(&chunks[i], rate, 0);
    }
    for (int turn = 0; turn <= repeats; turn++) {
        REQUIRE_OK(nalu_multi_pass_storage_divide_bits(storages, CHUNKS, (uint64_t)rate * CHUNKS * LENGTH / FPS, rates, qps));
        for (int i = 0; i < CHUNKS; i++) {
            CHECK(qps[i] == 0 || (qps[i] >= 1 && qps[i] <= 51));
            if (qps[i] == 0 || turn == repeats) continue;
            nalu_multi_pass_storage_release(storages[i]);
            storages[i] = first_pass(&chunks[i], rate, qps[i]);
            all.repeats++;
        }
    }
    for (int i = 0; i < CHUNKS; i++) {
        nalu_compression_session *session = open_chunk(&chunks[i], storages[i], rates[i]);
        while (run_pass(session, &chunks[i], 0)) {}
        nalu_compression_session_release(session);
        nalu_multi_pass_storage_release(storages[i]);
        errors += chunks[i].errors;
        all.bits += chunks[i].bits;
    }
    all.decibels = 10 * log10(255.0 * 255.0 / (errors / (CHUNKS * LENGTH)));
    return all;
}

static void repeated_first_passes_improve_a_scrolling_page(void) {
    const double asked = (double)RATE * CHUNKS * LENGTH / FPS;
    result without = encode(0, false), with = encode(2, false);
    printf("  a scrolling page: %.2f dB, %+.2f %%; with %d repeated first passes %.2f dB, %+.2f %%\n", without.decibels,
        (without.bits / asked - 1) * 100, with.repeats, with.decibels, (with.bits / asked - 1) * 100);
    CHECK(with.repeats > 0);
    CHECK(with.decibels > without.decibels + 1);
    CHECK_NEAR(with.bits, asked, asked * 0.03);
}

static void even_chunks_need_no_repeated_first_pass(void) {
    CHECK_EQ(encode(2, true).repeats, 0);
}

/* The QP of a first pass: finer with a lower one, and DataRateLimits hold. */
static void a_first_pass_follows_its_qp(void) {
    double bits[3];
    for (int i = 0; i < 3; i++) {
        chunk c = {.noise = true};
        nalu_multi_pass_storage_release(first_pass(&c, RATE, 20 + 10 * i));
        bits[i] = c.bits;
    }
    CHECK(bits[0] > bits[1] * 2 && bits[1] > bits[2] * 2);

    chunk c = {.noise = true};
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_compression_session *session = open_chunk(&c, storage, RATE);
    REQUIRE_OK(nalu_session_set_properties_from_text(session, "DataRateLimits=[20000,1]"));
    run_pass(session, &c, 20);
    CHECK(c.bits <= 8 * 20000 * LENGTH / FPS);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
}

static void a_qp_out_of_range_is_refused(void) {
    static const double bad[] = {-1, 0.5, 51.5, 1e9, NAN, INFINITY};
    chunk c = {.noise = false};
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_compression_session *session = open_chunk(&c, storage, RATE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(nalu_compression_session_begin_first_pass(session, 0, bad[i]), NALU_STATUS_OUT_OF_RANGE, "qp", "1 to 51");
    REFUSED(nalu_compression_session_begin_first_pass(session, 2, 20), NALU_STATUS_PARAMETER, "flags");
    REFUSED(nalu_compression_session_begin_first_pass(NULL, 0, 20), NALU_STATUS_PARAMETER, "session");
    /* An encoder that is already open is opened again. */
    REQUIRE_OK(nalu_compression_session_prepare(session));
    run_pass(session, &c, 30);
    double at_thirty = c.bits;
    REFUSED(nalu_compression_session_begin_first_pass(session, 0, 30), NALU_STATUS_OUT_OF_ORDER, "qp is 30", "pass 2");
    run_pass(session, &c, 0);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);

    nalu_multi_pass_storage_release(first_pass(&c, RATE, 30));
    CHECK_NEAR(c.bits, at_thirty, 0.5);
}

int main(void) {
    draw_page();
    RUN(repeated_first_passes_improve_a_scrolling_page);
    RUN(even_chunks_need_no_repeated_first_pass);
    RUN(a_first_pass_follows_its_qp);
    RUN(a_qp_out_of_range_is_refused);
    return check_result();
}
