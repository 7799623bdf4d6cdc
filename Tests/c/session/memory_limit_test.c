/* Under a memory limit a session returns a status, and x264 prints nothing. */
#include "child.h"
#include "clip.h"
#include "sanitized.h"

#include <fcntl.h>
#include <sys/resource.h>

/* The settings of a session in a child process, and how much more memory the child may map. */
typedef struct setting {
    int32_t width, height;
    int frames;
    const char *options;
    int has_delay;
} setting;

enum { WORKS = 0, IS_REFUSED = 2, FAILS_LATER = 3, LOWEST = 48, TRIALS = 14 };

static long mapped_bytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL);
    REQUIRE(fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void count_failures(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                           nalu_sample *sample) {
    (void)frame_refcon, (void)flags, (void)sample;
    if (status != NALU_STATUS_OK) __atomic_add_fetch((int *)refcon, 1, __ATOMIC_SEQ_CST);
}

static int encode_under_limit(const setting *it, long megabytes, int error) {
    nalu_compression_session *session = NULL;
    static int failures;
    const size_t size = (size_t)it->width * (size_t)it->height * 3 / 2;
    uint8_t *pixels = malloc(size);
    REQUIRE(pixels != NULL);
    memset(pixels, 100, size);
    REQUIRE_OK(nalu_compression_session_create(it->width, it->height, NALU_CODEC_H264, NULL, NULL, count_failures, &failures,
                                               NULL, &session));
    REQUIRE_OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, it->options));
    if (!it->has_delay) REQUIRE_OK(nalu_session_set_bool(session, NALU_PROPERTY_REAL_TIME, 1));
    const rlim_t limit = (rlim_t)mapped_bytes() + ((rlim_t)megabytes << 20);
    REQUIRE(setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) == 0);
    dup2(error, STDERR_FILENO);
    const nalu_status status = nalu_compression_session_prepare(session);
    if (status == NALU_STATUS_ALLOCATION_FAILED) return IS_REFUSED;
    if (status != NALU_STATUS_OK) return 1;
    const void *planes[2] = {pixels, pixels + it->width * it->height};
    const int64_t strides[2] = {it->width, it->width};
    for (int i = 0; i < it->frames; i++) {
        memset(pixels + size / 4, i * 5, size / 8);
        const nalu_status result = nalu_compression_session_encode_planes(
            session, it->width, it->height, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL, nalu_time_make(i, 30),
            nalu_time_make(1, 30), NULL, NULL, NULL);
        if (result == NALU_STATUS_ALLOCATION_FAILED) return FAILS_LATER;
        if (result != NALU_STATUS_OK) return 1;
    }
    if (nalu_compression_session_complete_frames(session, nalu_time_invalid()) != NALU_STATUS_OK) return 1;
    return failures ? FAILS_LATER : WORKS;
}

/* Returns the result of the child. Adds the number of bytes that it wrote to stderr to *written. */
static int try_limit(const setting *it, long megabytes, long *written) {
    char path[] = "/tmp/nalu-limit-XXXXXX";
    const int file = mkstemp(path);
    REQUIRE(file >= 0);
    unlink(path);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        check_limit_time();
        _exit(encode_under_limit(it, megabytes, file));
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    char text[400] = "";
    if (pread(file, text, sizeof text - 1, 0) > 0)
        printf("  %dx%d \"%s\" with %ld MB: %s\n", it->width, it->height, it->options, megabytes, text);
    *written += (long)lseek(file, 0, SEEK_END);
    close(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A cheap search for motion vectors allocates the same. */
#define FAST ":subme=1:trellis=0"

/* Limits from far too low to the lowest that works, so that each kind of allocation fails once. */
static void nothing_is_printed_under_any_limit(void) {
    static const setting settings[] = {
        {960, 540, 60, "threads=1" FAST, 1},
        {960, 540, 60, "threads=4:bframes=3" FAST, 1},
        {960, 540, 70, "threads=1:ref=5:b-adapt=2:rc-lookahead=50" FAST, 1},
        {1920, 1080, 16, "threads=2" FAST, 0},
        {960, 540, 60, "threads=2:ref=8:bframes=8:rc-lookahead=40:me=esa:merange=4:weightp=0" FAST, 1},
        {640, 360, 60, "threads=8:sync-lookahead=0" FAST, 1},
        {640, 360, 60, "threads=2" FAST, 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        long low = LOWEST, high = 2048, written = 0, refused = 0, kinds[4] = {0};
        for (int trial = 0; trial < TRIALS; trial++) {
            const long megabytes = (low + high) / 2;
            const int result = try_limit(&settings[i], megabytes, &written);
            if (result == IS_REFUSED) refused++;
            if (result >= 0 && result < 4) kinds[result]++;
            else printf("  a child of %ld MB ends with %d\n", megabytes, result);
            if (result == WORKS) high = megabytes;
            else low = megabytes + 1;
            if (low >= high) break;
        }
        printf("  %dx%d \"%s\": %ld MB, %ld times refused, %ld later\n", settings[i].width, settings[i].height,
               settings[i].options, high, refused, kinds[FAILS_LATER]);
        CHECK_EQ(written, 0);
        CHECK_EQ(kinds[1], 0);
        CHECK(refused > 0);
        CHECK(kinds[WORKS] > 0);
    }
}

int main(void) {
    if (IS_SANITIZED) printf("not here: the sanitizers map too much\n");
    else RUN(nothing_is_printed_under_any_limit);
    return check_result();
}
