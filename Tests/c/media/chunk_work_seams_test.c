/* Chunks whose sessions leave windows over seams to the joined stream (NaluLimitsOverSeams false): the stream returns the
 * chunks at a seam over a limit, and holds the limit in every window after these are encoded again. */
#include "chunk_frames.h"
#include "media_reading.h"

#include <nalu/media/chunk_work.h>

enum { FRAMES = 150, CHUNKS = 3, LENGTH = FRAMES / CHUNKS, WIDTH = 160, HEIGHT = 96, RATE = 25, BIT_RATE = 400000 };

static const double limits[2] = {75000, 1};

/* Noise in 13 frames before and after each seam, and a moving picture between. */
static nalu_status noisy_frame(void *refcon, uint64_t index, nalu_chunk_frame *frame_out) {
    static uint8_t pixels[WIDTH * HEIGHT];
    const int place = (int)(index % LENGTH);
    uint32_t random = (uint32_t)index * 2654435761u + 1;
    (void)refcon;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            random = random * 1664525u + 1013904223u;
            pixels[y * WIDTH + x] = place < 13 || place >= LENGTH - 13
                ? (uint8_t)(random >> 24)
                : (uint8_t)(60 + 2 * abs((x + place) % 64 - 32) + y);
        }
    return grey_chunk_frame(frame_out, pixels, WIDTH, HEIGHT);
}

static nalu_chunk_source noisy_source(void) { return grey_chunk_source(noisy_frame, FRAMES); }

static nalu_chunk_plan *plan_without_shares(const nalu_chunk_source *source) {
    nalu_property properties[3] = {{0}, {0}, {0}};
    nalu_chunk_plan_options options = NALU_CHUNK_PLAN_OPTIONS_INIT;
    nalu_chunk_plan *plan = NULL;
    properties[0].key = NALU_PROPERTY_DATA_RATE_LIMITS;
    properties[0].type = NALU_PROPERTY_TYPE_NUMBERS;
    properties[0].numbers = limits;
    properties[0].number_count = 2;
    properties[1].key = NALU_PROPERTY_LIMITS_OVER_SEAMS;
    properties[1].type = NALU_PROPERTY_TYPE_BOOL;
    properties[2].key = "x264.params";
    properties[2].type = NALU_PROPERTY_TYPE_STRING;
    properties[2].string = "mbtree=0";
    options.bit_rate = BIT_RATE;
    options.chunk_count = CHUNKS;
    options.cut = NALU_CHUNK_CUT_EQUAL;
    options.preset = "veryfast";
    options.properties = properties;
    options.property_count = 3;
    REQUIRE_OK(nalu_chunk_plan_create(source, &options, &plan));
    REQUIRE(nalu_chunk_plan_get_chunk_count(plan) == CHUNKS);
    return plan;
}

static nalu_chunk_result *firsts[CHUNKS], *seconds[CHUNKS];

static nalu_status give_first(void *refcon, size_t index, nalu_chunk_result **result_out) {
    (void)refcon;
    *result_out = nalu_chunk_result_retain(firsts[index]);
    return NALU_STATUS_OK;
}

/* Returns how many windows of the joined samples exceed the limit. */
static int windows_over(nalu_chunk_stream *stream) {
    double times[FRAMES], bytes[FRAMES];
    int count = 0, over = 0;
    nalu_sample *sample = NULL;
    while (nalu_chunk_stream_next_sample(stream, &sample) == NALU_STATUS_OK) {
        size_t size = 0;
        REQUIRE(count < FRAMES);
        (void)nalu_sample_get_data(sample, &size);
        times[count] = nalu_time_get_seconds(nalu_sample_get_decode_time(sample));
        bytes[count++] = (double)size;
        nalu_sample_release(sample);
    }
    for (int i = 0; i < count; i++) {
        double sum = 0;
        for (int k = i; k < count && times[k] < times[i] + limits[1] - 1e-9; k++) sum += bytes[k];
        over += sum > limits[0];
    }
    return over;
}

/* Joins all chunks, and returns the number of those at a seam over the limit. */
static size_t join(uint32_t *numbers, int *over) {
    nalu_chunk_stream *stream = NULL;
    size_t count = 0, asked = 0;
    REQUIRE_OK(nalu_chunk_stream_create(NALU_CHUNK_STREAM_ALLOW_SEAMS_OVER_LIMITS, &stream));
    for (int i = 0; i < CHUNKS; i++) REQUIRE_OK(nalu_chunk_stream_add(stream, seconds[i]));
    REQUIRE_OK(nalu_chunk_stream_get_chunks_at_seams_over_limits(stream, numbers, CHUNKS, &count));
    CHECK_OK(nalu_chunk_stream_get_chunks_at_seams_over_limits(stream, NULL, 0, &asked));
    CHECK_EQ(asked, count);
    if (count > 0)
        CHECK_STATUS(nalu_chunk_stream_get_chunks_at_seams_over_limits(stream, numbers, count - 1, &asked),
                     NALU_STATUS_BUFFER_TOO_SMALL);
    for (size_t i = 1; i < count; i++) CHECK(numbers[i] > numbers[i - 1]);
    *over = windows_over(stream);
    nalu_chunk_stream_release(stream);
    return count;
}

/* Returns the status with which a stream that allows no seam over a limit refuses a chunk. */
static nalu_status join_strictly(void) {
    nalu_chunk_stream *stream = NULL;
    nalu_status status = NALU_STATUS_OK;
    REQUIRE_OK(nalu_chunk_stream_create(0, &stream));
    for (int i = 0; i < CHUNKS && status == NALU_STATUS_OK; i++) status = nalu_chunk_stream_add(stream, seconds[i]);
    if (status == NALU_STATUS_OK) CHECK_EQ(windows_over(stream), 0);
    nalu_chunk_stream_release(stream);
    return status;
}

static void chunks_at_a_seam_over_a_limit_are_returned_and_encoded_again(void) {
    nalu_chunk_source source = noisy_source();
    nalu_chunk_plan *plan = plan_without_shares(&source);
    nalu_chunk chunks[CHUNKS];
    int64_t rates[CHUNKS];
    for (int i = 0; i < CHUNKS; i++) {
        chunks[i] = (nalu_chunk){.struct_size = (uint32_t)sizeof chunks[i]};
        REQUIRE_OK(nalu_chunk_plan_get_chunk(plan, (size_t)i, &chunks[i]));
        CHECK_EQ(chunks[i].limit_count, 2);
        REQUIRE_OK(nalu_chunk_encode_first_pass(&source, &chunks[i], 0, NULL, &firsts[i]));
    }
    REQUIRE_OK(nalu_chunk_divide_bits(CHUNKS, BIT_RATE, NULL, give_first, NULL, rates, NULL));
    for (int i = 0; i < CHUNKS; i++)
        REQUIRE_OK(nalu_chunk_encode_second_pass(&source, &chunks[i], firsts[i], rates[i], 6, NULL, &seconds[i]));

    uint32_t numbers[CHUNKS];
    int over = 0, repeated[CHUNKS] = {0}, again = 0;
    size_t count = join(numbers, &over);
    CHECK(count > 0);
    CHECK(over > 0);
    CHECK_STATUS(join_strictly(), NALU_STATUS_OUT_OF_RANGE);
    nalu_chunk_work_options options = NALU_CHUNK_WORK_OPTIONS_INIT;
    options.flags = NALU_CHUNK_WORK_LIMITS_OVER_SEAMS;
    while (count > 0) {
        int changed = 0;
        for (size_t k = 0; k < count; k++) {
            const uint32_t i = numbers[k];
            REQUIRE(i < CHUNKS);
            if (repeated[i]) continue;
            nalu_chunk_result_release(seconds[i]);
            REQUIRE_OK(nalu_chunk_encode_second_pass(&source, &chunks[i], firsts[i], rates[i], 6, &options, &seconds[i]));
            repeated[i] = changed = 1;
            again++;
        }
        REQUIRE(changed);
        count = join(numbers, &over);
    }
    printf("  %d of %d chunks were encoded again\n", again, CHUNKS);
    CHECK_EQ(over, 0);
    CHECK_OK(join_strictly());
    for (int i = 0; i < CHUNKS; i++) {
        nalu_chunk_result_release(firsts[i]);
        nalu_chunk_result_release(seconds[i]);
    }
    nalu_chunk_plan_release(plan);
}

int main(void) {
    RUN(chunks_at_a_seam_over_a_limit_are_returned_and_encoded_again);
    return check_result();
}
