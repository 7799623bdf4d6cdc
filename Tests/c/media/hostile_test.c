/* Damaged files are read to their end through callbacks: each call returns a status, without a crash, and with
 * no more memory than the input's size justifies. Under AddressSanitizer, which is slow, only some of the
 * mutations are tried. */
#include "ffmpeg_function.h"
#include "media_reading.h"
#include "sanitized.h"

#include <sys/resource.h>

enum { WRITTEN = 7, SEEDS = 11, MUTATIONS = IS_SANITIZED ? 420 : 2000, FRAMES = 22, MOST = 1 << 20 };

static struct seed {
    const char *name;
    uint32_t flags;
    uint8_t *bytes;
    size_t size;
} seeds[SEEDS] = {
    {"a.mp4", 0, NULL, 0}, {"b.mp4", NALU_WRITER_FRAGMENTED, NULL, 0}, {"a.mov", NALU_WRITER_FAST_START, NULL, 0},
    {"a.mkv", 0, NULL, 0}, {"a.ts", 0, NULL, 0}, {"a.flv", 0, NULL, 0}, {"a.h264", 0, NULL, 0},
    /* H.265 files from x265 and FFmpeg. */
    {"h.mp4", 0, NULL, 0}, {"h.mkv", 0, NULL, 0}, {"h.ts", 0, NULL, 0}, {"h.h265", 0, NULL, 0},
};
static const struct seed *const raw = &seeds[WRITTEN - 1];

static uint64_t state = 88172645463325252u;

static uint32_t draw(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static long opened, refused, samples, damaged;

/* Reads the entire input. Any status but those listed is a failure. */
static void read_all(const uint8_t *bytes, size_t size, bool seeks, const char *name) {
    input it = {.bytes = bytes, .size = size, .most = draw(2) ? 0 : 1 + draw(5000)};
    nalu_reader *reader = NULL;
    nalu_status status = nalu_reader_create_with_callbacks(input_read, seeks ? input_seek : NULL,
        draw(4) ? (int64_t)size : -1, &it, NULL, NULL, &reader);
    if (status != NALU_STATUS_OK) {
        if (!CHECK(status == NALU_STATUS_BAD_DATA || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT
                   || status == NALU_STATUS_INPUT_OUTPUT))
            fprintf(stderr, "%s: %d\n", name, status);
        CHECK_PTR_EQ(reader, NULL);
        refused++;
        return;
    }
    opened++;
    uint32_t tracks = nalu_reader_get_track_count(reader);
    for (uint32_t i = 0; i < tracks; i++) {
        nalu_reader_track track = track_of(reader, i);
        CHECK(track.width >= 0 && track.height >= 0 && track.rotation % 90 == 0);
        (void)nalu_reader_get_format_description(reader, i);
        if (track.flags & NALU_TRACK_READABLE) CHECK_OK(nalu_reader_select_track(reader, i, 1));
    }
    (void)nalu_reader_get_duration(reader);
    /* Each sample and each error takes at least one byte of the input. */
    size_t steps = 0, most = 64 + size, turn = draw(8);
    do {
        nalu_sample *sample = NULL;
        if (steps == 3 && turn == 0) {
            status = nalu_reader_seek(reader, nalu_time_make((int64_t)draw(40) - 5, 30));
            CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_CONFLICT || status == NALU_STATUS_BAD_DATA
                  || status == NALU_STATUS_INPUT_OUTPUT || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        }
        status = nalu_reader_next_sample(reader, NULL, &sample);
        CHECK_EQ(status == NALU_STATUS_OK, sample != NULL);
        if (sample) {
            size_t all = 0, length = 0;
            for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
                const uint8_t *unit = nalu_sample_get_nal(sample, i, &length);
                all += length + unit[0] % 2 + unit[length - 1] % 2;
            }
            CHECK(all > 0 && nalu_time_is_numeric(nalu_sample_get_presentation_time(sample)));
            CHECK(nalu_time_compare(nalu_sample_get_decode_time(sample), nalu_sample_get_presentation_time(sample)) <= 0);
            samples++;
        }
        damaged += status == NALU_STATUS_BAD_DATA;
        nalu_sample_release(sample);
    } while ((status == NALU_STATUS_OK || status == NALU_STATUS_BAD_DATA) && ++steps < most);
    if (!CHECK(status == NALU_STATUS_VALUE_NOT_AVAILABLE || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT
               || status == NALU_STATUS_INPUT_OUTPUT || status == NALU_STATUS_OUT_OF_ORDER))
        fprintf(stderr, "%s: ends with %d after %zu steps\n", name, status, steps);
    nalu_reader_release(reader);
}

static size_t place_in(size_t size) { return draw(2) ? draw((uint32_t)size) : draw(size < 700 ? (uint32_t)size : 700); }

/* Makes one to four random changes. */
static size_t mutate(const struct seed *seed, uint8_t *bytes) {
    static const uint32_t values[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0x10000};
    size_t size = seed->size;
    memcpy(bytes, seed->bytes, size);
    for (uint32_t count = 1 + draw(4); count; count--) {
        size_t at = place_in(size), length = 1 + draw(64);
        switch (draw(8)) {
        case 0: /* truncation */
            if (draw(3) == 0) size = at + 1;
            break;
        case 1: /* one bit or a few bits */
        case 2:
            for (uint32_t k = 1 + draw(8); k; k--) bytes[place_in(size)] ^= (uint8_t)(1u << draw(8));
            break;
        case 3: /* a length, a count or a size */
        case 4: {
            uint32_t value = values[draw(10)];
            for (size_t k = 0; k < 4 && at + k < size; k++) bytes[at + k] = (uint8_t)(value >> (24 - 8 * k));
            break;
        }
        case 5: /* random bytes */
            for (size_t k = at; k < size && k < at + length; k++) bytes[k] = (uint8_t)draw(256);
            break;
        case 6: /* bytes removed */
            if (at + length < size) {
                memmove(bytes + at, bytes + at + length, size - at - length);
                size -= length;
            }
            break;
        default: /* bytes repeated */
            if (at + length < size && size + length <= MOST) {
                memmove(bytes + at + length, bytes + at, size - at);
                size += length;
            }
        }
    }
    return size;
}

static void changed_bytes_give_a_status_and_bounded_memory(void) {
    uint8_t *bytes = (uint8_t *)malloc(MOST);
    REQUIRE(bytes);
    for (int s = 0; s < SEEDS; s++) {
        opened = refused = samples = damaged = 0;
        for (int i = 0; i < MUTATIONS && check_failures < 20; i++) {
            uint64_t before = state;
            int failures = check_failures;
            size_t size = mutate(&seeds[s], bytes);
            read_all(bytes, size, draw(4) != 0, seeds[s].name);
            if (check_failures > failures) fprintf(stderr, "%s, state %" PRIu64 "\n", seeds[s].name, before);
        }
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("  %-7s %ld opened, %ld refused, %ld samples, %ld damaged, %ld MB at most\n", seeds[s].name, opened, refused,
               samples, damaged, usage.ru_maxrss >> 10);
    }
    free(bytes);
}

/* Truncates the file at many places. */
static void truncated_files_give_a_status(void) {
    for (int s = 0; s < SEEDS; s++)
        for (size_t size = 0; size < seeds[s].size; size += IS_SANITIZED ? 211 : 61)
            read_all(seeds[s].bytes, size, size % 2, seeds[s].name);
}

/* ---- Malicious streams -------------------------------------------------------------------------------------------------- */

static void a_file_of_zeros_is_refused(void) {
    enum { ZEROS = 8 << 20 };
    uint8_t *bytes = (uint8_t *)calloc(1, ZEROS + MOST);
    REQUIRE(bytes);
    read_all(bytes, ZEROS, true, "zeros");
    /* Zeros before a stream, and inside it. */
    memcpy(bytes + ZEROS, raw->bytes, raw->size);
    read_all(bytes, ZEROS + raw->size, true, "zeros first");
    memcpy(bytes, raw->bytes, raw->size / 2);
    read_all(bytes, ZEROS + raw->size, true, "zeros within");
    memset(bytes, 0xff, ZEROS);
    read_all(bytes, ZEROS, true, "ones");
    free(bytes);
}

/* An SPS with the largest size that its syntax allows, before the pictures of a small one. */
static void the_largest_size_in_an_sps_needs_no_memory(void) {
    static const uint8_t sps[] = {0, 0, 0, 1, 0x67, 66, 0, 62, 0xf4, 0, 0, 0x10, 0, 0, 0, 0x80, 0, 0, 0x20, 0, 0, 0x20, 0x80};
    uint8_t *bytes = (uint8_t *)malloc(MOST);
    REQUIRE(bytes);
    for (size_t at = 0; at < sizeof sps; at++)
        for (int value = 0; value < 256; value += IS_SANITIZED ? 64 : 15) {
            memcpy(bytes, sps, sizeof sps);
            bytes[at] = (uint8_t)value;
            memcpy(bytes + sizeof sps, raw->bytes, raw->size);
            read_all(bytes, sizeof sps + raw->size, true, "sps");
        }
    free(bytes);
}

static void silence(void) {
    void (*set_level)(int) = NULL;
    *(void **)&set_level = ffmpeg_function("av_log_set_level");
    set_level(-8); /* AV_LOG_QUIET */
}

static void make_seeds(void) {
    static clip movie;
    media_clip(&movie, 64, 48, FRAMES);
    for (int s = 0; s < WRITTEN; s++) media_write_file(test_path(seeds[s].name), &movie, seeds[s].flags, NULL);
    clip_close(&movie);
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=96x64:rate=25 -frames:v %d -pix_fmt yuv420p -c:v libx265"
        " -x265-params log-level=none:keyint=12:bframes=3:open-gop=1 -y '%s' 2>&1", FRAMES, test_path("h.mp4"));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
    for (int s = WRITTEN + 1; s < SEEDS; s++) {
        said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' -c copy -y '%s' 2>&1", test_path("h.mp4"),
                         test_path(seeds[s].name));
        if (!CHECK_EQ(status, 0)) fputs(said, stderr);
    }
    for (int s = 0; s < SEEDS; s++) {
        seeds[s].bytes = media_read_file(test_path(seeds[s].name), &seeds[s].size);
        REQUIRE(seeds[s].size < MOST / 2);
        read_all(seeds[s].bytes, seeds[s].size, true, seeds[s].name);
    }
    CHECK_EQ(samples, FRAMES * SEEDS);
}

int main(void) {
    struct rusage before, after;
    silence();
    make_seeds();
    getrusage(RUSAGE_SELF, &before);
    RUN(changed_bytes_give_a_status_and_bounded_memory);
    RUN(truncated_files_give_a_status);
    RUN(the_largest_size_in_an_sps_needs_no_memory);
    getrusage(RUSAGE_SELF, &after);
    printf("  at most %ld MB more\n", (after.ru_maxrss - before.ru_maxrss) >> 10);
    if (!IS_SANITIZED) CHECK(after.ru_maxrss - before.ru_maxrss < 16 << 10);
    RUN(a_file_of_zeros_is_refused);
    for (int s = 0; s < SEEDS; s++) free(seeds[s].bytes);
    return check_result();
}
