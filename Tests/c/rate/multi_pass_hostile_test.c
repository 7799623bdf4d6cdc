/*
 * The data of a first pass with hostile changes and a valid checksum: a second pass with the data is rejected
 * or runs, and the process survives. `c_multi_pass_hostile_test ROUNDS SEED` sets the number of rounds.
 */
#include "clip.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* x264 leaks memory of an encoder that it refuses to open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libx264"; }

enum { FRAMES = 18, WIDTH = 64, HEIGHT = 48, MOST = 1 << 16 };

typedef struct bytes {
    uint8_t start[MOST];
    size_t size;
} bytes;

static uint64_t state = 1;
static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

/* Encodes a picture that becomes brighter, so that x264 weights references. */
static void encode(clip *c, int32_t frames) {
    const void *planes[2] = {c->pixels, c->pixels + WIDTH * HEIGHT};
    const int64_t strides[2] = {WIDTH, WIDTH};
    for (; c->fed < frames; c->fed++) {
        clip_draw(c);
        for (int32_t i = 0; i < WIDTH * HEIGHT; i++) c->pixels[i] = (uint8_t)(c->pixels[i] * (c->fed + 4) / (FRAMES + 4));
        nalu_status status = nalu_compression_session_encode_planes(c->session, WIDTH, HEIGHT, c->format, 2, planes,
            strides, NULL, nalu_time_make(c->fed, 30), nalu_time_invalid(), NULL, NULL, NULL);
        if (status != NALU_STATUS_OK) return;
    }
}

/* The properties of the passes. */
static const char *const kinds[] = {
    "x264.params=\"threads=1\"", "x264.params=\"threads=1:weightp=1:b-adapt=0\"",
    "x264.params=\"threads=2:b-pyramid=strict:direct=auto:stitchable=0\"",
    "x264.params=\"threads=1:mbtree=0:b-adapt=2:bframes=8:ref=6\"",
    "x264.params=\"threads=1:bframes=0\",ProfileLevel=H264_High_3_0",
    "x264.params=\"threads=2:b-pyramid=none\",FieldCount=2",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void open_clip(clip *c, int kind, nalu_multi_pass_storage *storage) {
    clip_open(c, WIDTH, HEIGHT);
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_AVERAGE_BIT_RATE, 150000));
    REQUIRE_OK(nalu_session_set_properties_from_text(c->session, kinds[kind]));
    REQUIRE_OK(nalu_compression_session_set_multi_pass_storage(c->session, storage));
}

static void first_pass(int kind, bytes *data) {
    clip c;
    nalu_multi_pass_storage *storage = NULL;
    REQUIRE_OK(nalu_multi_pass_storage_create(NULL, &storage));
    open_clip(&c, kind, storage);
    REQUIRE_OK(nalu_compression_session_begin_pass(c.session, 0));
    encode(&c, FRAMES);
    REQUIRE_OK(nalu_compression_session_end_pass(c.session, NULL));
    REQUIRE_OK(nalu_multi_pass_storage_copy_data(storage, data->start, MOST, &data->size));
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
}

/* Returns true if a second pass ran. */
static bool second_pass(int kind, const bytes *data) {
    clip c;
    nalu_multi_pass_storage *storage = NULL;
    nalu_status status = nalu_multi_pass_storage_create_with_data(NULL, data->start, data->size, &storage);
    if (status != NALU_STATUS_OK) {
        CHECK_EQ(status, NALU_STATUS_BAD_DATA);
        return false;
    }
    open_clip(&c, kind, storage);
    REQUIRE_OK(nalu_compression_session_begin_pass(c.session, 0));
    encode(&c, FRAMES);
    status = nalu_compression_session_end_pass(c.session, NULL);
    CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_ENCODER_MALFUNCTION || c.fed < FRAMES);
    CHECK_EQ(c.count + c.failures, c.fed);
    bool ran = c.count == FRAMES;
    clip_close(&c);
    nalu_multi_pass_storage_release(storage);
    return ran;
}

/* ---- Changes. The text of the statistics follows the frames; the macroblock tree comes last. ---- */

static size_t read_size(const uint8_t *bytes) {
    size_t size = 0;
    for (int i = 7; i >= 0; i--) size = size << 8 | bytes[i];
    return size;
}

static void write_size(uint8_t *bytes, uint64_t size) {
    for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(size >> 8 * i);
}

/* Returns the place of the statistics' size. */
static uint8_t *statistics(bytes *data) { return data->start + 44 + 8 + 13 * FRAMES + 1; }

static void seal(bytes *data) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < data->size - 8; i++) hash = (hash ^ data->start[i]) * UINT64_C(0x100000001b3);
    write_size(data->start + data->size - 8, hash);
}

/* Replaces `old` bytes of the statistics by text. */
static void replace(bytes *data, size_t at, size_t old, const char *text) {
    uint8_t *field = statistics(data);
    const size_t size = strlen(text), all = read_size(field);
    if (data->size + size > MOST || at + old > all) return;
    uint8_t *place = field + 8 + at;
    memmove(place + size, place + old, data->size - (size_t)(place - data->start) - old);
    memcpy(place, text, size);
    data->size += size - old;
    write_size(field, all + size - old);
}

static bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/* Replaces a number by another one. */
static void change_number(bytes *data) {
    static const char *const numbers[] = {"0", "1", "-1", "2", "7", "8", "16", "17", "127", "128", "-128", "255", "32767",
        "-44", "65536", "99999999", "1073741824", "2147483647", "-2147483648", "4294967295", "9223372036854775807", "1e9",
        "nan", "infinite", "", "0 0", "3 3 3", "0.5"};
    const uint8_t *text = statistics(data) + 8;
    const size_t size = read_size(text - 8);
    size_t begin = draw((uint32_t)size), end;
    while (begin < size && !is_digit(text[begin])) begin++;
    while (begin > 0 && is_digit(text[begin - 1])) begin--;
    for (end = begin; end < size && is_digit(text[end]); end++) {}
    char number[32];
    long old = atol((const char *)text + begin);
    if (draw(3) == 0) snprintf(number, sizeof number, "%ld", old + (long)draw(5) - 2);
    else if (draw(2)) snprintf(number, sizeof number, "%u", draw(200));
    else snprintf(number, sizeof number, "%s", numbers[draw(sizeof numbers / sizeof *numbers)]);
    replace(data, begin, end - begin, number);
}

/* Replaces a type, direct mode, reference list or weight table in a line. */
static void change_word(bytes *data) {
    static const char *const words[][2] = {{"type:", "IiPBbX"}, {"d:", "st-?"}};
    const uint8_t *text = statistics(data) + 8;
    const size_t size = read_size(text - 8), from = draw((uint32_t)size);
    char change[80];
    const uint32_t kind = draw(4);
    if (kind < 2) {
        const size_t length = strlen(words[kind][0]);
        const uint8_t *at = memmem(text + from, size - from, words[kind][0], length);
        if (!at) return;
        snprintf(change, sizeof change, "%c", words[kind][1][draw((uint32_t)strlen(words[kind][1]))]);
        replace(data, (size_t)(at - text) + length, 1, change);
        return;
    }
    const uint8_t *at = memmem(text + from, size - from, "ref:", 4);
    if (!at) return;
    const uint8_t *end = memchr(at, ';', size - (size_t)(at - text));
    if (!end) return;
    const size_t begin = (size_t)(at - text) + 4;
    size_t used = 0;
    if (kind == 2) {
        for (uint32_t i = draw(18); i > 0; i--)
            used += (size_t)snprintf(change + used, sizeof change - used, "%d ", (int)draw(50) - (draw(8) ? 0 : 40));
        change[used] = 0;
        replace(data, begin, (size_t)(end - at) - 4, change);
        return;
    }
    used = (size_t)snprintf(change, sizeof change, "w:%u,%d,%d", draw(9), (int)draw(140) - 4, (int)draw(270) - 135);
    if (draw(2))
        used += (size_t)snprintf(change + used, sizeof change - used, ",%u,%u,%d,%u,%d", draw(9), draw(130),
            (int)draw(260) - 130, draw(130), (int)draw(260) - 130);
    snprintf(change + used, sizeof change - used, " ");
    const uint8_t *old = memchr(at, 'w', (size_t)(end - at));
    if (old) replace(data, (size_t)(old - text), (size_t)(end - old), change);
    else replace(data, (size_t)(end - text), 0, change);
}

/* Exchanges two lines' frames in presentation order. */
static void swap_frames(bytes *data) {
    char first[16], second[16];
    uint32_t a = draw(FRAMES), b = draw(FRAMES);
    snprintf(first, sizeof first, "in:%u ", a);
    snprintf(second, sizeof second, "in:%u ", b);
    const uint8_t *text = statistics(data) + 8;
    const uint8_t *at = memmem(text, read_size(text - 8), first, strlen(first));
    if (!at) return;
    replace(data, (size_t)(at - text), strlen(first), "in:X ");
    const uint8_t *other = memmem(text, read_size(text - 8), second, strlen(second));
    if (other) replace(data, (size_t)(other - text), strlen(second), first);
    at = memmem(text, read_size(text - 8), "in:X ", 5);
    replace(data, (size_t)(at - text), 5, a == b ? first : second);
}

/* Changes bytes of the tree, of the times or of the text. */
static void change_bytes(bytes *data) {
    const size_t size = read_size(statistics(data));
    const size_t behind = (size_t)(statistics(data) - data->start) + 8 + size;
    size_t at = draw(3) ? behind + draw((uint32_t)(data->size - behind)) : 44 + draw((uint32_t)(data->size - 44));
    data->start[at] = (uint8_t)draw(256);
}

static void change(bytes *data) {
    switch (draw(8)) {
    case 0: change_bytes(data); break;
    case 1: swap_frames(data); break;
    case 2: case 3: case 4: change_number(data); break;
    default: change_word(data);
    }
}

/* Prints the current round if an assertion of x264 fails. */
static bytes data;
static volatile int begun;
static void tell(int signal_number) {
    char text[32];
    int length = snprintf(text, sizeof text, "round %d\n", begun);
    (void)signal_number;
    if (write(2, text, (size_t)length) < 0 || write(2, statistics(&data) + 8, read_size(statistics(&data))) < 0) _exit(3);
}

int main(int argc, char **argv) {
    static bytes genuine[KINDS];
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    int ran = 0;
    if (argc > 2) state = strtoull(argv[2], NULL, 10);
    for (int kind = 0; kind < KINDS; kind++) {
        first_pass(kind, &genuine[kind]);
        CHECK(second_pass(kind, &genuine[kind]));
    }
    /* The changed data includes the weights of the picture that becomes brighter. */
    CHECK(memmem(genuine[0].start, genuine[0].size, " w:", 3));
    signal(SIGABRT, tell);
    for (int round = 0; round < rounds; round++) {
        const int kind = (int)draw(KINDS);
        begun = round;
        data = genuine[kind];
        for (uint32_t i = 1 + draw(3); i > 0; i--) {
            change(&data);
            /* The change has hit a size. */
            if (read_size(statistics(&data)) > data.size) break;
        }
        if (read_size(statistics(&data)) > data.size) continue;
        seal(&data);
        ran += second_pass(kind, &data);
    }
    printf("%d rounds, %d second passes\n", rounds, ran);
    /* Some of the changed data must still be accepted. */
    CHECK(ran > rounds / 20 || rounds < 100);
    return check_result();
}
