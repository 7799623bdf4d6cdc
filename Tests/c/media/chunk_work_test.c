/* The passes over chunks, the division of the bits, and the joined stream, with the same bytes in any order and from
 * copies. */
#include "chunk_frames.h"
#include "media_reading.h"

#include <nalu/media/chunk_work.h>

enum { FRAMES = 75, CHUNKS = 3, WIDTH = 64, HEIGHT = 48 };

static uint8_t pixels[WIDTH * HEIGHT];

static nalu_status moving_frame(void *refcon, uint64_t index, nalu_chunk_frame *frame_out) {
    (void)refcon;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) pixels[y * WIDTH + x] = (uint8_t)(3 * x + y * y / 7 + 2 * (int)index);
    return grey_chunk_frame(frame_out, pixels, WIDTH, HEIGHT);
}

static nalu_chunk_source source_of(uint64_t count) { return grey_chunk_source(moving_frame, count); }

static nalu_chunk_plan *plan_of(const nalu_chunk_source *source) {
    nalu_chunk_plan_options options = NALU_CHUNK_PLAN_OPTIONS_INIT;
    nalu_chunk_plan *plan = NULL;
    options.bit_rate = 100000;
    options.chunk_count = CHUNKS;
    options.cut = NALU_CHUNK_CUT_EQUAL;
    options.preset = "HighSpeed";
    REQUIRE_OK(nalu_chunk_plan_create(source, &options, &plan));
    REQUIRE(nalu_chunk_plan_get_chunk_count(plan) == CHUNKS);
    return plan;
}

static nalu_chunk chunk_of(const nalu_chunk_plan *plan, size_t index) {
    nalu_chunk chunk = {0};
    chunk.struct_size = (uint32_t)sizeof chunk;
    REQUIRE_OK(nalu_chunk_plan_get_chunk(plan, index, &chunk));
    return chunk;
}

static nalu_chunk_result_info info_of(const nalu_chunk_result *result) {
    nalu_chunk_result_info info = {0};
    info.struct_size = (uint32_t)sizeof info;
    CHECK_OK(nalu_chunk_result_get_info(result, &info));
    return info;
}

/* Returns a copy of the result, made from its data as on another machine. */
static nalu_chunk_result *copy_of(const nalu_chunk_result *result) {
    size_t size = 0;
    nalu_chunk_result *copy = NULL;
    CHECK_OK(nalu_chunk_result_copy_data(result, NULL, 0, &size));
    uint8_t *bytes = (uint8_t *)malloc(size);
    REQUIRE(bytes);
    CHECK_STATUS(nalu_chunk_result_copy_data(result, bytes, size - 1, &size), NALU_STATUS_BUFFER_TOO_SMALL);
    REQUIRE_OK(nalu_chunk_result_copy_data(result, bytes, size, &size));
    REQUIRE_OK(nalu_chunk_result_create_with_data(bytes, size, &copy));
    nalu_chunk_result *none = NULL;
    for (size_t i = 0; i < size; i += 1 + size / 97) {
        bytes[i] ^= 1;
        CHECK_STATUS(nalu_chunk_result_create_with_data(bytes, size, &none), NALU_STATUS_BAD_DATA);
        bytes[i] ^= 1;
    }
    for (size_t i = 0; i < size; i += 1 + size / 97)
        CHECK_STATUS(nalu_chunk_result_create_with_data(bytes, i, &none), NALU_STATUS_BAD_DATA);
    free(bytes);
    return copy;
}

static nalu_chunk_result *firsts[CHUNKS];

static nalu_status give_first(void *refcon, size_t index, nalu_chunk_result **result_out) {
    ++*(int *)refcon;
    *result_out = nalu_chunk_result_retain(firsts[index]);
    return NALU_STATUS_OK;
}

static nalu_status give_none(void *refcon, size_t index, nalu_chunk_result **result_out) {
    (void)refcon, (void)index, (void)result_out;
    return NALU_STATUS_CANCELLED;
}

static nalu_chunk_result *seconds[CHUNKS];

static void encodes_chunks_in_any_order(void) {
    nalu_chunk_source source = source_of(FRAMES);
    nalu_chunk_plan *plan = plan_of(&source);
    for (int i = CHUNKS - 1; i >= 0; i--) {
        nalu_chunk chunk = chunk_of(plan, (size_t)i);
        nalu_chunk_result *first = NULL;
        REQUIRE_OK(nalu_chunk_encode_first_pass(&source, &chunk, 0, NULL, &first));
        nalu_chunk_result_info info = info_of(first);
        CHECK_EQ(info.stage, NALU_CHUNK_FIRST_PASS);
        CHECK_EQ(info.number, i);
        CHECK_EQ(info.frame_count, FRAMES / CHUNKS);
        CHECK_EQ(info.damaged_frame_count, 0);
        CHECK_EQ(nalu_time_compare(info.duration, nalu_time_make(FRAMES / CHUNKS, 25)), 0);
        firsts[i] = copy_of(first);
        nalu_chunk_result_release(first);
    }
    int64_t rates[CHUNKS];
    double qps[CHUNKS];
    int calls = 0;
    REQUIRE_OK(nalu_chunk_divide_bits(CHUNKS, 100000, NULL, give_first, &calls, rates, qps));
    CHECK_EQ(calls, CHUNKS);
    CHECK_NEAR((double)(rates[0] + rates[1] + rates[2]), 300000, 3);
    CHECK_OK(nalu_chunk_divide_bits(CHUNKS, 100000, NULL, give_first, &calls, rates, NULL));
    CHECK_STATUS(nalu_chunk_divide_bits(0, 100000, NULL, give_first, &calls, rates, qps), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_divide_bits(CHUNKS, 0, NULL, give_first, &calls, rates, qps), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_chunk_divide_bits(CHUNKS, 100000, NULL, NULL, NULL, rates, qps), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_divide_bits(CHUNKS, 100000, NULL, give_none, NULL, rates, qps), NALU_STATUS_CANCELLED);
    CHECK_STATUS(nalu_chunk_divide_bits(CHUNKS, 100000, "/nowhere", give_first, &calls, rates, qps),
                 NALU_STATUS_MULTI_PASS_STORAGE_INVALID);
    for (size_t i = 0; i < CHUNKS; i++) {
        nalu_chunk chunk = chunk_of(plan, i);
        nalu_chunk_result *second = NULL, *again = NULL;
        REQUIRE_OK(nalu_chunk_encode_second_pass(&source, &chunk, firsts[i], rates[i], 6, NULL, &second));
        REQUIRE_OK(nalu_chunk_encode_second_pass(&source, &chunk, firsts[i], rates[i], 6, NULL, &again));
        nalu_chunk_result_info info = info_of(second);
        CHECK_EQ(info.stage, NALU_CHUNK_SECOND_PASS);
        CHECK_EQ(info.frame_count, FRAMES / CHUNKS);
        CHECK(info.bits > 0 && info.pass_count >= 1 && info.pass_count <= 5);
        CHECK_EQ(info_of(again).bits, info.bits);
        seconds[i] = copy_of(second);
        nalu_chunk_result_release(second);
        nalu_chunk_result_release(again);
    }
    nalu_chunk_plan_release(plan);
}

static void joins_the_chunks_in_order(void) {
    nalu_chunk_stream *stream = NULL;
    nalu_sample *sample = NULL;
    CHECK_STATUS(nalu_chunk_stream_create(2, &stream), NALU_STATUS_PARAMETER);
    REQUIRE_OK(nalu_chunk_stream_create(0, &stream));
    CHECK_STATUS(nalu_chunk_stream_next_sample(stream, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    CHECK_STATUS(nalu_chunk_stream_add(stream, seconds[1]), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_stream_add(stream, firsts[0]), NALU_STATUS_PARAMETER);
    int seen[FRAMES] = {0}, count = 0;
    nalu_time last = nalu_time_invalid();
    for (size_t i = 0; i < CHUNKS; i++) {
        REQUIRE_OK(nalu_chunk_stream_add(stream, seconds[i]));
        while (nalu_chunk_stream_next_sample(stream, &sample) == NALU_STATUS_OK) {
            nalu_time decode = nalu_sample_get_decode_time(sample);
            int place = (int)lround(nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)) * 25);
            if (CHECK(place >= 0 && place < FRAMES)) seen[place]++;
            if (count > 0) CHECK_NEAR(nalu_time_get_seconds(decode) - nalu_time_get_seconds(last), 0.04, 1e-9);
            last = decode;
            count++;
            nalu_sample_release(sample);
        }
    }
    CHECK_EQ(count, FRAMES);
    for (int i = 0; i < FRAMES; i++) CHECK_EQ(seen[i], 1);
    CHECK_STATUS(nalu_chunk_stream_add(stream, NULL), NALU_STATUS_PARAMETER);
    size_t over = 1;
    CHECK_OK(nalu_chunk_stream_get_chunks_at_seams_over_limits(stream, NULL, 0, &over));
    CHECK_EQ(over, 0);
    CHECK_STATUS(nalu_chunk_stream_get_chunks_at_seams_over_limits(NULL, NULL, 0, &over), NALU_STATUS_PARAMETER);
    nalu_chunk_stream_release(nalu_chunk_stream_retain(stream));
    nalu_chunk_stream_release(stream);
    nalu_chunk_stream_release(NULL);
}

static int32_t stop(void *refcon, double progress) {
    CHECK(progress >= 0 && progress <= 1);
    return ++*(int *)refcon == 5;
}

static void refuses_wrong_arguments_and_stops_on_request(void) {
    nalu_chunk_source source = source_of(FRAMES), shorter = source_of(10);
    nalu_chunk_plan *plan = plan_of(&source);
    nalu_chunk chunk = chunk_of(plan, 0), other = chunk_of(plan, 1);
    nalu_chunk_result *result = NULL;
    nalu_chunk_work_options options = NALU_CHUNK_WORK_OPTIONS_INIT;
    int calls = 0;
    options.progress = stop;
    options.refcon = &calls;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &chunk, 0, &options, &result), NALU_STATUS_CANCELLED);
    CHECK_EQ(calls, 5);
    CHECK_PTR_EQ(result, NULL);
    options.progress = NULL;
    options.directory = "/nowhere";
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &chunk, 0, &options, &result),
                 NALU_STATUS_MULTI_PASS_STORAGE_INVALID);
    options.directory = NULL;
    options.flags = 2;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &chunk, 0, &options, &result), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &chunk, 60, NULL, &result), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_chunk_encode_first_pass(NULL, &chunk, 0, NULL, &result), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, NULL, 0, NULL, &result), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_encode_second_pass(&source, &other, firsts[0], 100000, 6, NULL, &result),
                 NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_encode_second_pass(&source, &chunk, seconds[0], 100000, 6, NULL, &result),
                 NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_chunk_encode_second_pass(&source, &chunk, firsts[0], 0, 6, NULL, &result),
                 NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_chunk_encode_second_pass(&source, &chunk, firsts[0], 100000, 7, NULL, &result),
                 NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_chunk_encode_second_pass(&source, &chunk, NULL, 100000, 6, NULL, &result),
                 NALU_STATUS_PARAMETER);
    /* The source has fewer frames than before. */
    CHECK(nalu_chunk_encode_second_pass(&shorter, &chunk, firsts[0], 100000, 6, NULL, &result) != NALU_STATUS_OK);
    /* Chunks from another program can have any values. */
    nalu_chunk wrong = chunk;
    wrong.number = wrong.count;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result), NALU_STATUS_OUT_OF_RANGE);
    wrong = chunk;
    wrong.limit_count = 3;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result), NALU_STATUS_OUT_OF_RANGE);
    wrong = chunk;
    wrong.properties = NULL;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result), NALU_STATUS_PARAMETER);
    wrong.properties = "Nonsense=1";
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result), NALU_STATUS_PROPERTY_NOT_SUPPORTED);
    wrong = chunk;
    wrong.bit_rate = -1;
    CHECK_STATUS(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result), NALU_STATUS_OUT_OF_RANGE);
    /* A chunk without frames. */
    wrong = chunk;
    wrong.begin = wrong.end = nalu_time_make(1, 1);
    REQUIRE_OK(nalu_chunk_encode_first_pass(&source, &wrong, 0, NULL, &result));
    CHECK_EQ(info_of(result).frame_count, 0);
    nalu_chunk_result_release(result);
    CHECK_STATUS(nalu_chunk_result_get_info(NULL, NULL), NALU_STATUS_PARAMETER);
    nalu_chunk_result_release(NULL);
    nalu_chunk_plan_release(plan);
}

int main(void) {
    RUN(encodes_chunks_in_any_order);
    RUN(joins_the_chunks_in_order);
    RUN(refuses_wrong_arguments_and_stops_on_request);
    for (int i = 0; i < CHUNKS; i++) {
        nalu_chunk_result_release(firsts[i]);
        nalu_chunk_result_release(seconds[i]);
    }
    return check_result();
}
