/*
 * Reads files of boxes in every possible way, in a process with limited memory.
 */
#ifndef NALU_TESTS_HOSTILE_READING_H
#define NALU_TESTS_HOSTILE_READING_H

#include "movie_boxes.h"
#include "sanitized.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* A written MP4, for its sample description of video. */
static uint8_t *written;
static size_t written_size;

static inline void write_movie(void) {
    static clip movie;
    media_clip(&movie, 64, 48, 4);
    media_write_file(test_path("written.mp4"), &movie, 0, NULL);
    written = media_read_file(test_path("written.mp4"), &written_size);
    clip_close(&movie);
}

enum { WAYS = 5 };
typedef struct outcome {
    bool is_refused;
    nalu_status status;
    long growth; /* growth of the process in KB */
} outcome;

static inline nalu_status open_way(int way, const boxes *b, input *it, const char *path, nalu_reader **reader) {
    it->bytes = b->bytes, it->size = b->size;
    if (way == 0) return nalu_reader_create_with_path(path, NULL, reader);
    return nalu_reader_create_with_callbacks(input_read, way < 3 ? input_seek : NULL, way % 2 ? (int64_t)b->size : -1, it,
                                             NULL, NULL, reader);
}

static inline bool is_told(const char *words) { return strstr(nalu_last_error_message(), words); }

static inline outcome read_way(int way, const boxes *b, const char *path, const char *name) {
    outcome result = {.status = NALU_STATUS_OK};
    struct rusage before, after;
    input it = {.most = way == 2 ? 777 : 0};
    nalu_reader *reader = NULL;
    char words[16];
    snprintf(words, sizeof words, "box %s", name ? name : "");
    getrusage(RUSAGE_SELF, &before);
    result.status = open_way(way, b, &it, path, &reader);
    bool is_open = result.status == NALU_STATUS_OK;
    while (is_open && (result.status == NALU_STATUS_OK || (result.status == NALU_STATUS_BAD_DATA && !is_told(words)))) {
        nalu_sample *sample = NULL;
        result.status = nalu_reader_next_sample(reader, NULL, &sample);
        nalu_sample_release(sample);
    }
    result.is_refused = result.status == NALU_STATUS_BAD_DATA && is_told(words);
    if (result.is_refused != (name != NULL)) fprintf(stderr, "status %d: %s\n", result.status, nalu_last_error_message());
    nalu_reader_release(reader);
    getrusage(RUSAGE_SELF, &after);
    result.growth = after.ru_maxrss - before.ru_maxrss;
    return result;
}

static inline size_t address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Reads in a child process that may use 64 MB more than at its start. Under a sanitizer, reads in this process,
 * so that leaks are found. */
static inline outcome read_confined(int way, const boxes *b, const char *path, const char *name) {
    if (IS_SANITIZED) return read_way(way, b, path, name);
    outcome result = {.status = -1};
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const size_t most = address_space() + (64u << 20);
        const struct rlimit limit = {most, most};
        setrlimit(RLIMIT_AS, &limit);
        result = read_way(way, b, path, name);
        ssize_t count = write(ends[1], &result, sizeof result);
        _exit(count == (ssize_t)sizeof result ? 0 : 1);
    }
    REQUIRE(child > 0);
    close(ends[1]);
    if (read(ends[0], &result, sizeof result) != (ssize_t)sizeof result) result.status = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

/* Checks that a file is rejected because of the box `name`; NULL means that it is accepted. */
static inline void check_file(boxes *b, const char *name, const char *what) {
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("boxes.mp4"));
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(b->bytes, 1, b->size, file) == b->size);
    fclose(file);
    for (int way = 0; way < WAYS; way++) {
        outcome result = read_confined(way, b, path, name);
        bool is_right = CHECK_EQ(result.is_refused, name != NULL);
        is_right = CHECK(result.status != -1) && is_right;
        is_right = (IS_SANITIZED || CHECK(result.growth < (24 << 10) + 32 * (long)(b->size >> 10))) && is_right;
        if (!is_right)
            fprintf(stderr, "%s, way %d: status %d, %ld KB more\n", what, way, result.status, result.growth);
    }
    free(b->bytes);
}

#endif
