/* The data of a first pass as bytes for another session, and the division of a clip's bits among its chunks. */
#include "clip.h"
#include "refusal.h"

#include <dirent.h>
#include <stdbool.h>
#include <unistd.h>

/* x264 leaks memory of an encoder that it refuses to open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libx264"; }

enum { FRAMES = 60, RATE = 150000, WIDTH = 192, HEIGHT = 128 };

static char directory[] = "/tmp/nalu-multi-pass-data-XXXXXX";

static int entries(void) {
    DIR *opened = opendir(directory);
    struct dirent *entry;
    int count = 0;
    REQUIRE(opened);
    while ((entry = readdir(opened))) count += entry->d_name[0] != '.';
    closedir(opened);
    return count;
}

typedef struct bytes {
    uint8_t *start;
    size_t size;
} bytes;

static bytes copy_data(nalu_multi_pass_storage *storage) {
    bytes data = {NULL, 0};
    size_t size = 0;
    REQUIRE_OK(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &data.size));
    REQUIRE((data.start = (uint8_t *)malloc(data.size)));
    REFUSED(nalu_multi_pass_storage_copy_data(storage, data.start, data.size - 1, &size),
        NALU_STATUS_BUFFER_TOO_SMALL, "capacity");
    CHECK_EQ(size, data.size);
    REQUIRE_OK(nalu_multi_pass_storage_copy_data(storage, data.start, data.size, &size));
    return data;
}

static nalu_multi_pass_storage *make_storage(const bytes *data) {
    nalu_multi_pass_storage *storage = NULL;
    if (data) REQUIRE_OK(nalu_multi_pass_storage_create_with_data(directory, data->start, data->size, &storage));
    else REQUIRE_OK(nalu_multi_pass_storage_create(directory, &storage));
    return storage;
}

static void open_chunk(clip *c, nalu_multi_pass_storage *storage, const char *params, int64_t rate) {
    clip_open(c, WIDTH, HEIGHT);
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_AVERAGE_BIT_RATE, rate));
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS, params));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(c->session, storage));
}

static int32_t run_pass(clip *c, int32_t frames) {
    int32_t again = -1;
    for (int32_t i = 0; i < c->count; i++) nalu_sample_release(c->samples[i]);
    c->fed = c->count = 0;
    CHECK_OK(nalu_compression_session_begin_pass(c->session, 0));
    clip_encode(c, frames);
    CHECK_OK(nalu_compression_session_end_pass(c->session, &again));
    CHECK_EQ(c->count, frames);
    return again;
}

static bytes first_pass(const char *params, int32_t noise, int64_t rate) {
    clip c;
    nalu_multi_pass_storage *storage = make_storage(NULL);
    open_chunk(&c, storage, params, rate);
    c.noise = noise;
    CHECK_EQ(run_pass(&c, FRAMES), 1);
    bytes data = copy_data(storage);
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
    return data;
}

static bool same_samples(const clip *a, const clip *b) {
    if (a->count != b->count) return false;
    for (int32_t i = 0; i < a->count; i++) {
        size_t size = 0, other = 0;
        const uint8_t *bytes = nalu_sample_get_data(a->samples[i], &size);
        const uint8_t *others = nalu_sample_get_data(b->samples[i], &other);
        if (size != other || memcmp(bytes, others, size) != 0) return false;
    }
    return true;
}

/* A second pass in another session with the data equals the second pass of the first session. */
static void check_second_pass(const char *params, size_t least_size) {
    clip whole, second;
    nalu_multi_pass_storage *storage = make_storage(NULL);
    open_chunk(&whole, storage, params, RATE);
    CHECK_EQ(run_pass(&whole, FRAMES), 1);
    bytes data = copy_data(storage);
    CHECK(data.size > least_size);
    run_pass(&whole, FRAMES);

    nalu_multi_pass_storage *received = make_storage(&data);
    bytes copy = copy_data(received);
    CHECK(copy.size == data.size && memcmp(copy.start, data.start, data.size) == 0);
    /* Two sessions use the data one after the other. */
    for (int turn = 0; turn < 2; turn++) {
        nalu_time_range range;
        size_t count = 0;
        open_chunk(&second, received, params, RATE);
        CHECK_OK(nalu_compression_session_get_time_ranges_for_next_pass(second.session, &range, 1, &count));
        CHECK_EQ(nalu_time_compare(range.duration, nalu_time_make(FRAMES, 30)), 0);
        run_pass(&second, FRAMES);
        CHECK(same_samples(&whole, &second));
        clip_close(&second);
        CHECK_EQ(entries(), 2);
    }
    nalu_multi_pass_storage_release(received);
    clip_close(&whole);
    nalu_multi_pass_storage_release(storage);
    free(data.start);
    free(copy.start);
    CHECK_EQ(entries(), 0);
}

static void a_second_pass_from_data_gives_the_same_bytes(void) {
    check_second_pass("threads=1:mbtree=0", FRAMES * 80);
    check_second_pass("threads=1:b-pyramid=none:keyint=20", FRAMES / 4 * (WIDTH / 16) * (HEIGHT / 16) * 2);
    check_second_pass("threads=1:keyint=20", FRAMES / 2 * (WIDTH / 16) * (HEIGHT / 16) * 2);
}

static void frames_of_a_second_pass_must_be_those_of_the_first(void) {
    clip c;
    bytes data = first_pass("threads=1", 24, RATE);
    nalu_multi_pass_storage *storage = make_storage(&data);
    open_chunk(&c, storage, "threads=1", RATE);
    CHECK_OK(nalu_compression_session_begin_pass(c.session, 0));
    REFUSED(clip_encode_at(&c, nalu_time_make(1, 30), nalu_time_invalid(), 0), NALU_STATUS_INVALID_TIME, "frame 0");
    clip_encode(&c, 1);
    REFUSED(clip_encode_at(&c, nalu_time_make(1, 30), nalu_time_invalid(), NALU_FRAME_FORCE_KEY_FRAME),
        NALU_STATUS_CONFLICT, "frame 1", "key frame");
    clip_encode(&c, FRAMES - 1);
    REFUSED(clip_encode_at(&c, nalu_time_make(FRAMES, 30), nalu_time_invalid(), 0), NALU_STATUS_CONFLICT, "60 frames");
    CHECK_OK(nalu_compression_session_end_pass(c.session, NULL));
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
    free(data.start);
}

static void data_of_another_kind_of_session_are_refused(void) {
    clip c;
    bytes data = first_pass("threads=1", 24, RATE);
    nalu_multi_pass_storage *storage = make_storage(&data);
    clip_open(&c, WIDTH * 2, HEIGHT);
    REFUSED(nalu_compression_session_set_multi_pass_storage(c.session, storage), NALU_STATUS_CONFLICT, "192x128",
        "384x128");
    clip_close(&c);
    /* With other parameters the error message contains x264's reason. */
    open_chunk(&c, storage, "threads=1:bframes=0", RATE);
    CHECK_OK(nalu_compression_session_begin_pass(c.session, 0));
    REFUSED(clip_encode_at(&c, nalu_time_make(0, 30), nalu_time_invalid(), 0), NALU_STATUS_COULD_NOT_CREATE_INSTANCE,
        "x264", "bframes");
    CHECK_OK(nalu_compression_session_end_pass(c.session, NULL));
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
    free(data.start);
}

static void corrupt_bytes_are_refused(void) {
    bytes data = first_pass("threads=1:mbtree=0", 24, RATE);
    nalu_multi_pass_storage *storage = STALE;
    size_t step = data.size > 4000 ? data.size / 500 : 1;
    for (size_t i = 0; i < data.size; i += i < 64 ? 1 : step) {
        if (i >= 64 && !is_tried((int)(i / step))) continue;
        data.start[i] ^= 1u << i % 8;
        nalu_status status =
            nalu_multi_pass_storage_create_with_data(directory, data.start, data.size, &storage);
        CHECK(status == NALU_STATUS_BAD_DATA ||
              (i >= 8 && i < 12 && status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT));
        CHECK(storage == NULL);
        data.start[i] ^= 1u << i % 8;
        CHECK_STATUS(nalu_multi_pass_storage_create_with_data(directory, data.start, i, &storage), NALU_STATUS_BAD_DATA);
    }
    REFUSED(nalu_multi_pass_storage_create_with_data(directory, data.start, 4, &storage), NALU_STATUS_BAD_DATA, "bytes");
    data.start[8] = 9;
    REFUSED(nalu_multi_pass_storage_create_with_data(directory, data.start, data.size, &storage),
        NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "version 9");
    data.start[8] = 1;
    CHECK_STATUS(nalu_multi_pass_storage_create_with_data("/nowhere", data.start, data.size, &storage),
        NALU_STATUS_MULTI_PASS_STORAGE_INVALID);
    CHECK_EQ(entries(), 0);
    free(data.start);
}

/* Renews the checksum (FNV-1a) after bytes were changed. */
static void seal(bytes *data) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < data->size - 8; i++) hash = (hash ^ data->start[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < 8; i++) data->start[data->size - 8 + i] = (uint8_t)(hash >> 8 * i);
}

static void check_damaged(bytes *data, const char *word) {
    nalu_multi_pass_storage *storage = STALE;
    seal(data);
    REFUSED(nalu_multi_pass_storage_create_with_data(directory, data->start, data->size, &storage), NALU_STATUS_BAD_DATA,
        word);
    CHECK(storage == NULL);
}

/* x264 allocates and writes memory by the size in the statistics, so that size must be the pictures'. */
static void statistics_of_another_size_are_refused(void) {
    static const char *const others[] = {"-92x128", "192x-28", "999x999", "192x129", " 92x128", "192x999"};
    bytes data = first_pass("threads=1", 24, RATE);
    nalu_multi_pass_storage *storage = STALE;
    char *size = (char *)memmem(data.start, data.size, "#options: 192x128 ", 18);
    REQUIRE(size);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        memcpy(size + 10, others[i], 7);
        check_damaged(&data, others[i]);
    }
    memcpy(size + 10, "192x128", 7);
    seal(&data);
    REQUIRE_OK(nalu_multi_pass_storage_create_with_data(directory, data.start, data.size, &storage));
    nalu_multi_pass_storage_release(storage);
    free(data.start);
}

/* x264 finds frames by their number, counts them by semicolons, and has no memory for a macroblock tree that
 * comes too early. */
static void contradicting_statistics_are_refused(void) {
    enum { RECORD = 1 + 2 * (WIDTH / 16) * (HEIGHT / 16) };
    static const char *const lines[][2] = {
        {"in:7 out:7 ", "in:6 out:7 "}, {"in:7 out:7 ", "in:99 out:7"}, {"in:7 out:7 ", "in:-7 out:7"},
        {"in:7 out:7 type:P ", "in:7 out:7type:I  "}, {"in:7 out:7 ", "in:7\tout:7 "}, {" ;\nin:7 ", "  \nin:7 "},
        {" ;\nin:7 ", " ; in:7 "}, {" ;\nin:7 ", ";;\nin:7 "},
    };
    bytes data = first_pass("threads=1:bframes=0:scenecut=0", 24, RATE);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const size_t size = strlen(lines[i][0]);
        void *place = memmem(data.start, data.size, lines[i][0], size);
        REQUIRE(place && strlen(lines[i][1]) == size);
        memcpy(place, lines[i][1], size);
        check_damaged(&data, "statistics");
        memcpy(place, lines[i][0], size);
    }
    uint8_t *tree = data.start + data.size - 8 - FRAMES * RECORD;
    for (int i = 0; i < FRAMES; i++) {
        CHECK_EQ(tree[i * RECORD], i == 0 ? 2 : 0);
        tree[i * RECORD] ^= 1;
        check_damaged(&data, "macroblock tree");
        tree[i * RECORD] ^= 1;
    }
    free(data.start);
}

/* Times with an epoch are rejected in a pass: their differences, and so the clip's duration, would be
 * undefined. */
static void times_with_an_epoch_are_refused(void) {
    clip c;
    nalu_multi_pass_storage *storage = make_storage(NULL);
    open_chunk(&c, storage, "threads=1", RATE);
    CHECK_OK(nalu_compression_session_begin_pass(c.session, 0));
    clip_encode(&c, 2);
    for (int64_t epoch = -1; epoch <= 2; epoch++) {
        nalu_time time = nalu_time_make(c.fed, 30);
        time.epoch = epoch;
        if (epoch == 0) clip_encode(&c, 1);
        else REFUSED(clip_encode_at(&c, time, nalu_time_invalid(), 0), NALU_STATUS_INVALID_TIME, "epoch 0");
    }
    CHECK_OK(nalu_compression_session_end_pass(c.session, NULL));
    CHECK_EQ(c.count, 3);
    int64_t rate = 0;
    CHECK_OK(nalu_multi_pass_storage_divide_bits(&storage, 1, 100000, &rate, NULL));
    CHECK_EQ(rate, 1000000);
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
}

static void data_can_be_copied_only_after_a_first_pass(void) {
    clip c;
    size_t size = 1;
    nalu_multi_pass_storage *storage = make_storage(NULL);
    REFUSED(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE, "first pass");
    open_chunk(&c, storage, "threads=1", RATE);
    CHECK_OK(nalu_compression_session_begin_pass(c.session, 0));
    clip_encode(&c, 2);
    REFUSED(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE, "first pass");
    CHECK_OK(nalu_compression_session_end_pass(c.session, NULL));
    CHECK_OK(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size));
    clip_close(&c);
    REFUSED(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size), NALU_STATUS_VALUE_NOT_AVAILABLE, "first pass");
    CHECK_OK(nalu_multi_pass_storage_close(storage));
    REFUSED(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size), NALU_STATUS_MULTI_PASS_STORAGE_INVALID, "closed");
    nalu_multi_pass_storage_release(storage);
}

static void bits_are_divided_by_need(void) {
    static const char *const params[] = {"threads=1", "threads=1:mbtree=0"};
    for (int i = 0; i < 2; i++) {
        const int64_t total = 2 * RATE * FRAMES / 30;
        bytes data[2] = {first_pass(params[i], 0, RATE), first_pass(params[i], 90, RATE)};
        nalu_multi_pass_storage *chunks[2] = {make_storage(&data[0]), make_storage(&data[1])};
        int64_t rates[2] = {0, 0}, more[2];
        clip c[2];
        size_t bytes = 0;
        REQUIRE_OK(nalu_multi_pass_storage_divide_bits(chunks, 2, (uint64_t)total, rates, NULL));
        CHECK_NEAR((double)((rates[0] + rates[1]) * FRAMES / 30), (double)total, 4.0);
        CHECK(rates[1] > rates[0] * 2);
        REQUIRE_OK(nalu_multi_pass_storage_divide_bits(chunks, 2, (uint64_t)total * 3, more, NULL));
        CHECK(more[0] > rates[0] && more[1] > rates[1]);
        for (int chunk = 0; chunk < 2; chunk++) {
            open_chunk(&c[chunk], chunks[chunk], params[i], rates[chunk]);
            c[chunk].noise = chunk ? 90 : 0;
            while (run_pass(&c[chunk], FRAMES)) {}
            bytes += clip_bytes(&c[chunk]);
            clip_close(&c[chunk]);
            nalu_multi_pass_storage_release(chunks[chunk]);
            free(data[chunk].start);
        }
        CHECK_NEAR((double)bytes * 8, (double)total, (double)total * 0.03);
    }
}

static void wrong_arguments_are_refused(void) {
    bytes data = first_pass("threads=1", 24, RATE);
    nalu_multi_pass_storage *chunk = make_storage(&data), *empty = make_storage(NULL), *out = STALE;
    nalu_multi_pass_storage *chunks[2] = {chunk, NULL};
    int64_t rates[2];
    size_t size;
    REFUSED(nalu_multi_pass_storage_copy_data(NULL, NULL, 0, &size), NALU_STATUS_PARAMETER, "storage");
    REFUSED(nalu_multi_pass_storage_copy_data(chunk, NULL, 0, NULL), NALU_STATUS_PARAMETER, "size_out");
    REFUSED(nalu_multi_pass_storage_copy_data(chunk, NULL, 5, &size), NALU_STATUS_PARAMETER, "buffer");
    REFUSED(nalu_multi_pass_storage_create_with_data(directory, NULL, 5, &out), NALU_STATUS_PARAMETER, "bytes");
    CHECK(out == NULL);
    REFUSED(nalu_multi_pass_storage_create_with_data(directory, data.start, data.size, NULL), NALU_STATUS_PARAMETER,
        "storage_out");
    REFUSED(nalu_multi_pass_storage_divide_bits(NULL, 1, 1, rates, NULL), NALU_STATUS_PARAMETER, "storages");
    REFUSED(nalu_multi_pass_storage_divide_bits(&chunk, 0, 1, rates, NULL), NALU_STATUS_PARAMETER, "count");
    REFUSED(nalu_multi_pass_storage_divide_bits(&chunk, SIZE_MAX, 1, rates, NULL), NALU_STATUS_PARAMETER, "count");
    REFUSED(nalu_multi_pass_storage_divide_bits(&chunk, 1, 1, NULL, NULL), NALU_STATUS_PARAMETER, "bit_rates_out");
    REFUSED(nalu_multi_pass_storage_divide_bits(&chunk, 1, 0, rates, NULL), NALU_STATUS_OUT_OF_RANGE, "total_bits", "0");
    REFUSED(nalu_multi_pass_storage_divide_bits(&chunk, 1, UINT64_MAX, rates, NULL), NALU_STATUS_OUT_OF_RANGE, "total_bits");
    REFUSED(nalu_multi_pass_storage_divide_bits(chunks, 2, 1, rates, NULL), NALU_STATUS_PARAMETER, "storages");
    chunks[1] = empty;
    REFUSED(nalu_multi_pass_storage_divide_bits(chunks, 2, 1, rates, NULL), NALU_STATUS_VALUE_NOT_AVAILABLE, "chunk 1");
    CHECK_OK(nalu_multi_pass_storage_divide_bits(&chunk, 1, 1, rates, NULL));
    CHECK_EQ(rates[0], 1000);
    CHECK_OK(nalu_multi_pass_storage_divide_bits(&chunk, 1, UINT64_C(1) << 62, rates, NULL));
    CHECK_EQ(rates[0], 2000000000);
    nalu_multi_pass_storage_release(chunk);
    nalu_multi_pass_storage_release(empty);
    free(data.start);
}

int main(void) {
    REQUIRE(mkdtemp(directory));
    RUN(a_second_pass_from_data_gives_the_same_bytes);
    RUN(frames_of_a_second_pass_must_be_those_of_the_first);
    RUN(data_of_another_kind_of_session_are_refused);
    RUN(corrupt_bytes_are_refused);
    RUN(statistics_of_another_size_are_refused);
    RUN(contradicting_statistics_are_refused);
    RUN(times_with_an_epoch_are_refused);
    RUN(data_can_be_copied_only_after_a_first_pass);
    RUN(bits_are_divided_by_need);
    RUN(wrong_arguments_are_refused);
    CHECK_EQ(rmdir(directory), 0);
    return check_result();
}
