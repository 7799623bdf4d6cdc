/* Failing outputs: a full disk, a closed pipe, callbacks with errors, a killed process. */
#include "child.h"
#include "media_support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { FRAMES = 45 };

static clip movie;

static nalu_writer_options options_of(uint32_t flags) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = flags;
    return options;
}

/* Writes until a call fails. Checks that all later calls return the same error. */
static int write_until_failure(nalu_writer *writer, const char *reason) {
    nalu_status status = NALU_STATUS_OK;
    int written = 0;
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
    while (written < movie.count && status == NALU_STATUS_OK) {
        status = nalu_writer_write_sample(writer, 0, movie.samples[written]);
        written += status == NALU_STATUS_OK;
    }
    if (status == NALU_STATUS_OK) status = nalu_writer_finish(writer);
    CHECK_STATUS(status, NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), reason));
    nalu_set_last_error_message("");
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[movie.count - 1]), NALU_STATUS_INPUT_OUTPUT);
    CHECK(strstr(nalu_last_error_message(), reason));
    CHECK_STATUS(nalu_writer_finish(writer), NALU_STATUS_INPUT_OUTPUT);
    return written;
}

static void a_full_disk_is_reported(void) {
    static const struct { const char *container; uint32_t flags; } kinds[] = {
        {"mp4", NALU_WRITER_FRAGMENTED}, {"matroska", 0}, {"mpegts", 0}, {"flv", 0}, {"h264", 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        nalu_writer_options options = options_of(kinds[i].flags | NALU_WRITER_OVERWRITE);
        nalu_writer *writer = NULL;
        REQUIRE_OK(nalu_writer_create_with_path("/dev/full", kinds[i].container, &options, &writer));
        write_until_failure(writer, "No space left on device");
        nalu_writer_release(writer);
    }
}

/* The reader of a pipe closes it. SIGPIPE must not occur: its default action here would end the test. */
static void a_closed_pipe_is_a_status_and_no_signal(void) {
    for (int kind = 0; kind < 2; kind++) {
        int ends[2];
        nalu_writer *writer = NULL;
        nalu_writer_options options = options_of(NALU_WRITER_FRAGMENTED);
        REQUIRE((kind ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends)) == 0);
        REQUIRE_OK(nalu_writer_create_with_file_descriptor(ends[1], "mp4", &options, &writer));
        close(ends[0]);
        write_until_failure(writer, "Broken pipe");
        nalu_writer_release(writer);
        CHECK(fcntl(ends[1], F_GETFD) >= 0); /* the caller keeps it open */
        close(ends[1]);
        sigset_t pending;
        CHECK(sigpending(&pending) == 0 && !sigismember(&pending, SIGPIPE));
    }
}

static void *drain(void *path) {
    static char commands[2][600];
    return media_run(NULL, "%s", snprintf(commands[0], 600, "%s", (const char *)path) > 0 ? commands[0] : "");
}

/* A non-blocking pipe with a slow reader accepts everything. */
static void a_slow_pipe_gets_everything(void) {
    int ends[2];
    nalu_writer *writer = NULL;
    pthread_t reader;
    static char command[600];
    nalu_writer_options options = options_of(NALU_WRITER_FRAGMENTED);
    const char *path = test_path("slow.mp4"), *wanted = test_path("wanted.mp4");
    REQUIRE(pipe(ends) == 0);
    REQUIRE(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    snprintf(command, sizeof command, "sleep 0.2; cat <&%d >'%s'", ends[0], path);
    REQUIRE(pthread_create(&reader, NULL, drain, command) == 0);
    REQUIRE_OK(nalu_writer_create_with_file_descriptor(ends[1], "mp4", &options, &writer));
    media_write_all(writer, &movie, NULL);
    media_finish(writer);
    close(ends[1]);
    pthread_join(reader, NULL);
    close(ends[0]);

    media_write_file(wanted, &movie, NALU_WRITER_FRAGMENTED, NULL);
    size_t size = 0, expected = 0;
    uint8_t *bytes = media_read_file(path, &size), *other = media_read_file(wanted, &expected);
    if (CHECK_EQ(size, expected)) CHECK_BYTES(bytes, other, size);
    free(bytes);
    free(other);
}

/* ---- Callbacks ------------------------------------------------------------------------------------------------------ */

typedef struct memory {
    uint8_t *bytes;
    size_t size, place, room, most; /* most: size of the disk; 0: unlimited */
    int calls, fail_at, failure, destroyed;
    nalu_writer *writer;
} memory;

static int32_t memory_write(void *refcon, const uint8_t *bytes, size_t size) {
    memory *it = (memory *)refcon;
    if (++it->calls == it->fail_at) return it->failure;
    if (it->writer) {
        CHECK_STATUS(nalu_writer_finish(it->writer), NALU_STATUS_REENTRANT);
        CHECK_STATUS(nalu_writer_write_sample(it->writer, 0, movie.samples[0]), NALU_STATUS_REENTRANT);
        CHECK_PTR_EQ(nalu_writer_retain(it->writer), it->writer);
        nalu_writer_release(it->writer);
    }
    REQUIRE(it->place + size <= it->room);
    bool fits = !it->most || it->place + size <= it->most;
    if (!fits) size = it->most - it->place;
    memcpy(it->bytes + it->place, bytes, size);
    it->place += size;
    if (it->place > it->size) it->size = it->place;
    return fits ? 0 : ENOSPC;
}

static int32_t memory_seek(void *refcon, int64_t offset) {
    memory *it = (memory *)refcon;
    if (++it->calls == it->fail_at) return it->failure;
    CHECK(offset >= 0);
    it->place = (size_t)offset;
    return 0;
}

static void memory_destroy(void *refcon) { ((memory *)refcon)->destroyed++; }

static memory memory_make(void) {
    memory it = {.bytes = (uint8_t *)malloc(1 << 22), .room = 1 << 22};
    REQUIRE(it.bytes);
    return it;
}

/* Callbacks receive the bytes of the file, with and without seeking. */
static void write_callbacks_receive_the_file(void) {
    static const struct { const char *container; uint32_t flags; bool seeks; } kinds[] = {
        {"mp4", 0, true}, {"mp4", NALU_WRITER_FRAGMENTED, false}, {"mov", NALU_WRITER_FRAGMENTED, true},
        {"matroska", 0, true}, {"mpegts", 0, false}, {"h264", 0, false}, {"flv", 0, true},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        memory it = memory_make();
        nalu_writer_options options = options_of(kinds[i].flags);
        REQUIRE_OK(nalu_writer_create_with_callbacks(memory_write, kinds[i].seeks ? memory_seek : NULL, &it,
            memory_destroy, kinds[i].container, &options, &it.writer));
        media_write_all(it.writer, &movie, NULL);
        CHECK_OK(nalu_writer_finish(it.writer));
        CHECK_EQ(it.destroyed, 0);
        nalu_writer_release(it.writer);
        CHECK_EQ(it.destroyed, 1);

        const char *path = test_path("callbacks");
        nalu_writer *writer = NULL;
        size_t size = 0;
        options.flags |= NALU_WRITER_OVERWRITE;
        REQUIRE_OK(nalu_writer_create_with_path(path, kinds[i].container, &options, &writer));
        media_write_all(writer, &movie, NULL);
        nalu_writer_release(writer);
        uint8_t *bytes = media_read_file(path, &size);
        if (CHECK_EQ(it.size, size)) CHECK_BYTES(it.bytes, bytes, size);
        free(bytes);
        free(it.bytes);
    }
}

/* If any callback fails, its error is reported, and no callback is called again. */
static void a_failed_callback_is_not_called_again(void) {
    for (int fail_at = 1; fail_at < 4; fail_at++)
        for (int kind = 0; kind < 3; kind++) {
            memory it = memory_make();
            nalu_writer_options options = options_of(kind == 0 ? NALU_WRITER_FRAGMENTED : 0);
            nalu_writer *writer = NULL;
            it.fail_at = fail_at;
            it.failure = fail_at == 3 ? -5 : EDQUOT; /* a number that is no errno counts as EIO */
            REQUIRE_OK(nalu_writer_create_with_callbacks(memory_write, kind ? memory_seek : NULL, &it, memory_destroy,
                kind == 2 ? "matroska" : "mp4", &options, &writer));
            write_until_failure(writer, fail_at == 3 ? "Input/output error" : "quota");
            CHECK_EQ(it.calls, fail_at);
            nalu_writer_release(writer);
            CHECK_EQ(it.calls, fail_at);
            CHECK_EQ(it.destroyed, 1);
            free(it.bytes);
        }
}

/* Writes until a file has 60 % of its size. */
static void write_limited(void *path) {
    nalu_writer_options options = options_of(NALU_WRITER_FRAGMENTED);
    limit_file_size(clip_bytes(&movie) * 6 / 10);
    nalu_writer *writer = media_writer_to((const char *)path, &options);
    write_until_failure(writer, "File too large");
    nalu_writer_release(writer);
}

/* A file that cannot grow keeps its complete fragments, and nothing else. */
static void a_limited_file_keeps_complete_fragments(void) {
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("limited.mp4"));
    check_child(write_limited, path);
    /* A fragment has ten frames. */
    char *frames = media_frames(path);
    int lines = 0;
    for (const char *c = frames; *c; c++) lines += *c == '\n';
    CHECK(lines >= 10 && lines < FRAMES && lines % 10 == 0);
    CHECK(!strstr(frames, "rror"));
    free(frames);
}

/* The disk becomes full in the middle of a sample. In containers without an index, the samples written before
 * can be read. */
static void samples_before_a_full_disk_can_be_read(void) {
    static const struct { const char *container, *name; } kinds[] = {
        {"flv", "cut.flv"}, {"matroska", "cut.mkv"}, {"mpegts", "cut.ts"}, {"h264", "cut.h264"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int seeks = 0; seeks < 2; seeks++) {
            const char *path = test_path(kinds[i].name);
            memory it = memory_make();
            nalu_writer *writer = NULL;
            nalu_reader *reader = NULL;
            nalu_sample *sample = NULL;
            int read = 0, written = 0, k = 0;
            it.most = clip_bytes(&movie) * 6 / 10;
            REQUIRE_OK(nalu_writer_create_with_callbacks(memory_write, seeks ? memory_seek : NULL, &it, NULL, kinds[i].container,
                NULL, &writer));
            written = write_until_failure(writer, "No space left on device");
            nalu_writer_release(writer);
            CHECK_EQ(it.size, it.most);
            FILE *file = fopen(path, "wb");
            REQUIRE(file && fwrite(it.bytes, 1, it.size, file) == it.size && fclose(file) == 0);
            free(it.bytes);
            REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
            for (nalu_status status = 0; status != NALU_STATUS_VALUE_NOT_AVAILABLE && k < 2 * FRAMES; k++) {
                status = nalu_reader_next_sample(reader, NULL, &sample);
                if (status == NALU_STATUS_OK) {
                    size_t size = 0, expected = 0;
                    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
                    const uint8_t *others = nalu_sample_get_data(movie.samples[read], &expected);
                    /* If the container does not store its length, the last sample may be truncated. */
                    if (size >= expected) {
                        if (CHECK(size >= expected)) CHECK_BYTES(bytes + size - expected, others, expected);
                        read++;
                    }
                    nalu_sample_release(sample);
                } else if (status != NALU_STATUS_VALUE_NOT_AVAILABLE) {
                    CHECK_STATUS(status, NALU_STATUS_BAD_DATA);
                }
            }
            nalu_reader_release(reader);
            /* Only unfinished data is lost: in Matroska a cluster, here of ten frames. Outputs that can seek
             * receive larger blocks. */
            CHECK(read >= 8 && read <= FRAMES * 9 / 10);
            if (!seeks) CHECK(read >= written - (i == 1 ? 10 : 1));
            int packets = 0;
            static media_packet seen[CLIP_MOST];
            long long numerator = 0, denominator = 0;
            packets = media_packets(path, seen, CLIP_MOST, &numerator, &denominator);
            CHECK(packets >= read && packets <= read + 1);
        }
}

/* ---- kill -9 -------------------------------------------------------------------------------------------------------- */

/* A child that is killed right after a write has returned leaves every fragment that this write has
 * completed. */
static void a_killed_process_leaves_complete_fragments(void) {
    static const int moments[] = {0, 10, 11, 20, 35};
    const char *path = test_path("killed.mp4");
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        int status = 0;
        fflush(NULL);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            nalu_writer_options options = options_of(NALU_WRITER_FRAGMENTED | NALU_WRITER_OVERWRITE);
            nalu_writer *writer = media_writer_to(path, &options);
            if (nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL)) _exit(1);
            for (int k = 0; k <= moments[i]; k++)
                if (nalu_writer_write_sample(writer, 0, movie.samples[k]) != NALU_STATUS_OK) _exit(1);
            kill(getpid(), SIGKILL);
        }
        REQUIRE(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        int complete = moments[i] / 10 * 10; /* key frames are samples 0, 10, 20, ... in decode order */
        if (complete == 0) {
            struct stat info;
            CHECK(stat(path, &info) == 0 && info.st_size == 0);
            continue;
        }
        char *frames = media_frames(path), *wanted = media_frames(test_path("reference.h264"));
        size_t length = strlen(frames);
        int lines = 0;
        for (const char *c = frames; *c; c++) lines += *c == '\n';
        CHECK_EQ(lines, complete);
        CHECK(length <= strlen(wanted) && memcmp(frames, wanted, length) == 0);
        free(frames);
        free(wanted);
    }
}

int main(void) {
    media_clip(&movie, 128, 96, FRAMES);
    media_write_reference(test_path("reference.h264"), &movie);
    RUN(a_full_disk_is_reported);
    RUN(a_closed_pipe_is_a_status_and_no_signal);
    RUN(a_slow_pipe_gets_everything);
    RUN(write_callbacks_receive_the_file);
    RUN(a_failed_callback_is_not_called_again);
    RUN(a_limited_file_keeps_complete_fragments);
    RUN(samples_before_a_full_disk_can_be_read);
    RUN(a_killed_process_leaves_complete_fragments);
    clip_close(&movie);
    return check_result();
}
