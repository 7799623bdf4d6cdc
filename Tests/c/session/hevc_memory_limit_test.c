/* Under a limit of address space, a session for H.265 works, or opening it returns NALU_STATUS_ALLOCATION_FAILED: x265 crashes
 * or waits for ever if it gets no memory. */
#include "child.h"
#include "clip.h"
#include "sanitized.h"

#include <sys/resource.h>

/* How much more memory the child may map; 0 for any. */
typedef struct setting {
    int32_t width, height;
    long megabytes;
} setting;

static void encode_under_limit(void *context) {
    const setting *it = context;
    clip c;
    long pages = 0;
    clip_open_codec(&c, it->width, it->height, NALU_CODEC_HEVC);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "x265.preset=ultrafast"));
    if (it->megabytes > 0) {
        FILE *file = fopen("/proc/self/statm", "r");
        REQUIRE(file != NULL && fscanf(file, "%ld", &pages) == 1);
        fclose(file);
        const rlim_t limit = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + ((rlim_t)it->megabytes << 20);
        REQUIRE(setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}) == 0);
    }
    const nalu_status status = nalu_compression_session_prepare(c.session);
    if (status != NALU_STATUS_OK || it->megabytes == 8) {
        CHECK_STATUS(status, NALU_STATUS_ALLOCATION_FAILED);
        CHECK(strstr(nalu_last_error_message(), "memory") != NULL);
        CHECK(it->megabytes > 0);
    } else {
        clip_encode_all(&c, 12);
    }
    clip_close(&c);
}

static void no_limit_ends_the_process(void) {
    static const long limits[] = {0, 8, 20, 40, 80, 150, 250, 300, 350, 400, 500, 700};
    if (IS_SANITIZED) return; /* a sanitizer maps more than any limit */
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (int large = 0; large < 2; large++) {
            setting it = {large ? 640 : 160, large ? 360 : 96, limits[i]};
            const int before = check_failures;
            check_child(encode_under_limit, &it);
            if (check_failures != before) fprintf(stderr, "%dx%d, %ld MB\n", it.width, it.height, it.megabytes);
        }
}

int main(void) {
    RUN(no_limit_ends_the_process);
    return check_result();
}
