/* Inputs that cannot seek: NALU_READER_SPOOL keeps an mp4 or mov whose index is at the end, and no other
 * input. */
#include "media_reading.h"

#include <dirent.h>

enum { FRAMES = 40 };

static clip movie;

static nalu_reader_options spooling(void) {
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    options.flags = NALU_READER_SPOOL;
    return options;
}

static nalu_status open_stream(input *it, nalu_reader **reader) {
    nalu_reader_options options = spooling();
    return nalu_reader_create_with_callbacks(input_read, NULL, -1, it, input_destroy, &options, reader);
}

/* Returns a directory for temporary files. The next function counts the files with a name in it. */
static const char *temporary_directory(void) {
    static char path[512];
    snprintf(path, sizeof path, "%s", test_path("spool"));
    if (access(path, F_OK) != 0) REQUIRE(mkdir(path, 0700) == 0);
    return path;
}

static int count_files(void) {
    int count = -2;
    DIR *directory = opendir(temporary_directory());
    REQUIRE(directory);
    while (readdir(directory)) count++;
    closedir(directory);
    return count;
}

static void a_file_with_its_index_at_the_end_is_spooled(void) {
    static const char *const names[] = {"end.mp4", "end.mov"};
    REQUIRE(setenv("TMPDIR", temporary_directory(), 1) == 0);
    for (int i = 0; i < 2; i++)
        for (size_t most = 0; most < 3000; most += 999) {
            size_t size = 0;
            media_write_file(test_path(names[i]), &movie, NALU_WRITER_OVERWRITE, NULL);
            uint8_t *bytes = media_read_file(test_path(names[i]), &size);
            input it = {.bytes = bytes, .size = size, .most = most};
            nalu_reader *reader = NULL;
            if (CHECK_OK(open_stream(&it, &reader))) {
                CHECK_STR_EQ(nalu_reader_get_container(reader), names[i] + 4);
                CHECK_EQ(it.place, size);
                CHECK_EQ(count_files(), 0);
                check_samples(reader, &movie, 0, nalu_time_zero(), 0);
                CHECK_OK(nalu_reader_seek(reader, nalu_time_zero()));
                check_samples(reader, &movie, 0, nalu_time_zero(), 0);
                CHECK_EQ(it.destroyed, 0);
                nalu_reader_release(reader);
                CHECK_EQ(it.destroyed, 1);
            }
            free(bytes);
        }
    REQUIRE(unsetenv("TMPDIR") == 0);
}

/* Opens a pipe by its path. */
static void a_pipe_is_spooled(void) {
    size_t size = 0;
    int ends[2];
    char path[64];
    uint8_t *bytes = media_read_file(test_path("end.mp4"), &size);
    /* The pipe holds the entire file before it is read. */
    REQUIRE(size <= 65536 && pipe(ends) == 0);
    REQUIRE(write(ends[1], bytes, size) == (ssize_t)size && close(ends[1]) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    nalu_reader *reader = NULL;
    nalu_reader_options options = spooling();
    if (CHECK_OK(nalu_reader_create_with_path(path, &options, &reader)))
        check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    close(ends[0]);
    free(bytes);
}

/* If no temporary file can be created, inputs that need none are still read. */
static void inputs_that_need_no_spooling_are_read_without_a_directory(void) {
    static const struct { const char *name; uint32_t flags; } kinds[] = {
        {"fragments.mp4", NALU_WRITER_FRAGMENTED}, {"fragments.mov", NALU_WRITER_FRAGMENTED},
        {"front.mp4", NALU_WRITER_FAST_START}, {"a.mkv", 0}, {"a.ts", 0}, {"a.flv", 0}, {"a.h264", 0},
    };
    size_t size = 0;
    nalu_reader *reader = NULL;
    REQUIRE(setenv("TMPDIR", test_path("nowhere"), 1) == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        media_write_file(test_path(kinds[i].name), &movie, kinds[i].flags, NULL);
        uint8_t *bytes = media_read_file(test_path(kinds[i].name), &size);
        input it = {.bytes = bytes, .size = size, .most = 777};
        if (CHECK_OK(open_stream(&it, &reader))) {
            CHECK_STATUS(nalu_reader_seek(reader, nalu_time_zero()), NALU_STATUS_CONFLICT);
            int count = 0;
            for (nalu_sample *sample = NULL; nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK; count++)
                nalu_sample_release(sample);
            if (!CHECK_EQ(count, FRAMES)) fprintf(stderr, "%s\n", kinds[i].name);
            nalu_reader_release(reader);
        } else {
            fprintf(stderr, "%s: %s\n", kinds[i].name, nalu_last_error_message());
        }
        free(bytes);
    }
    uint8_t *bytes = media_read_file(test_path("end.mp4"), &size);
    input it = {.bytes = bytes, .size = size};
    CHECK_STATUS(open_stream(&it, &reader), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), test_path("nowhere")));
    CHECK(strstr(nalu_last_error_message(), "No such file"));
    CHECK_EQ(it.destroyed, 0);
    CHECK_PTR_EQ(reader, NULL);
    free(bytes);
    REQUIRE(unsetenv("TMPDIR") == 0);
}

/* Media data up to the end of the input, so that no index can follow; a media segment; invalid boxes. */
static void a_file_without_an_index_is_refused(void) {
    static const struct { const char *bytes; size_t size; nalu_status status; } streams[] = {
        {"\0\0\0\20ftypmp42\0\0\0\0\0\0\0\0mdat1234567890123456789012345678901234567890", 64, NALU_STATUS_BAD_DATA},
        {"\0\0\0\20ftypmp42\0\0\0\0\0\0\0\20moof12345678\0\0\0\20mdat12345678", 48, NALU_STATUS_UNSUPPORTED_DATA_FORMAT},
        {"\0\0\0\20ftypmp42\0\0\0\0\0\0\0\1mdat\0\0\0\0\0\0\0\7 23456789012345678901234567890", 60, NALU_STATUS_BAD_DATA},
        {"\0\0\0\20ftypmp42\0\0\0\0\0\0\0\1free\xff\xff\xff\xff\xff\xff\xff\xff 23456789012345678901234567890", 60, NALU_STATUS_BAD_DATA},
        {"\0\0\0\20ftypmp42\0\0\0\0\0\0\0\7mdat1234567890", 34, NALU_STATUS_BAD_DATA},
        {"\0\0\0\20ftypmp42\0\0\0\0", 16, NALU_STATUS_BAD_DATA},
    };
    nalu_reader *reader = NULL;
    REQUIRE(setenv("TMPDIR", test_path("nowhere"), 1) == 0);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        input it = {.bytes = (const uint8_t *)streams[i].bytes, .size = streams[i].size};
        if (!CHECK_STATUS(open_stream(&it, &reader), streams[i].status))
            fprintf(stderr, "stream %zu: %s\n", i, nalu_last_error_message());
    }
    REQUIRE(unsetenv("TMPDIR") == 0);
}

/* Returns the file with an unused box of this size before one of its own boxes. */
static uint8_t *with_space(const uint8_t *bytes, size_t size, size_t place, uint32_t space) {
    uint8_t *all = (uint8_t *)calloc(1, size + space);
    REQUIRE(all && place < size);
    memcpy(all, bytes, place);
    for (int k = 0; k < 4; k++) all[place + (size_t)k] = (uint8_t)(space >> (24 - 8 * k));
    memcpy(all + place + 4, "free", 4);
    memcpy(all + place + space, bytes + place, size - place);
    return all;
}

static void failed_reads_are_reported(void) {
    size_t size = 0;
    nalu_reader *reader = NULL;
    uint8_t *bytes = media_read_file(test_path("end.mp4"), &size);
    for (int64_t at = 1; at < (int64_t)size; at += (int64_t)size / 4) {
        input it = {.bytes = bytes, .size = size, .most = 10, .fail_at = at};
        CHECK_STATUS(open_stream(&it, &reader), NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(nalu_last_error_message(), "Input/output error"));
        CHECK_EQ(it.destroyed, 0);
    }
    input cut = {.bytes = bytes, .size = size / 2};
    CHECK_STATUS(open_stream(&cut, &reader), NALU_STATUS_BAD_DATA);
    CHECK(strstr(nalu_last_error_message(), "moov"));
    /* Without the flag the reader keeps only FFmpeg's buffer, and the error message names the flag. */
    enum { SPACE = 200000 };
    size_t head = size;
    for (head -= 4; memcmp(bytes + head, "moov", 4) != 0; head--) REQUIRE(head > 8);
    head -= 4;
    uint8_t *all = with_space(bytes, size, head, SPACE);
    input it = {.bytes = all, .size = size + SPACE};
    CHECK_STATUS(nalu_reader_create_with_callbacks(input_read, NULL, -1, &it, NULL, NULL, &reader), NALU_STATUS_BAD_DATA);
    CHECK(strstr(nalu_last_error_message(), "NALU_READER_SPOOL"));
    it.place = 0;
    if (CHECK_OK(open_stream(&it, &reader))) check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    free(all);
    free(bytes);
}

/* A large box before the index or before the media data. */
static void large_boxes_are_skipped(void) {
    static const char *const names[] = {"front.mp4", "end.mp4"};
    enum { SPACE = 3 << 20 };
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        uint8_t *bytes = media_read_file(test_path(names[i]), &size);
        /* The samples are no longer where the index states. So only the index is checked. */
        uint8_t *all = with_space(bytes, size, (size_t)bytes[2] << 8 | bytes[3], SPACE);
        input it = {.bytes = all, .size = size + SPACE};
        nalu_reader *reader = NULL;
        if (CHECK_OK(open_stream(&it, &reader))) {
            nalu_reader_track track = track_of(reader, 0);
            CHECK_EQ(track.sample_count, FRAMES);
            nalu_reader_release(reader);
        }
        free(all);
        free(bytes);
    }
}

int main(void) {
    media_clip(&movie, 64, 48, FRAMES);
    RUN(a_file_with_its_index_at_the_end_is_spooled);
    RUN(a_pipe_is_spooled);
    RUN(inputs_that_need_no_spooling_are_read_without_a_directory);
    RUN(a_file_without_an_index_is_refused);
    RUN(failed_reads_are_reported);
    RUN(large_boxes_are_skipped);
    clip_close(&movie);
    return check_result();
}
