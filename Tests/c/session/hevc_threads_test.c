/*
 * The threads of x265 do not depend on the processors that libnuma states, which can be those of a container's host. This
 * program replaces a function of libnuma.
 */
#include "clip.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libnuma's number of processors. */
static unsigned numa_processors = 1;

unsigned numa_bitmask_weight(const void *mask) {
    (void)mask;
    return numa_processors;
}

static void read_effective(const int32_t *pixels, char *text, size_t capacity) {
    clip c;
    size_t size = 0;
    clip_open_codec(&c, pixels[0], pixels[1], NALU_CODEC_HEVC);
    REQUIRE_OK(nalu_session_set_properties_from_text(c.session, "x265.preset=ultrafast"));
    REQUIRE_OK(nalu_compression_session_prepare(c.session));
    REQUIRE_OK(nalu_session_copy_string(c.session, NALU_PROPERTY_X265_EFFECTIVE, text, capacity, &size));
    clip_encode_all(&c, 3);
    clip_close(&c);
}

/* x265 encodes several rows at once from three coding tree units of 32x32 or 64x64 pixels on. */
static const int32_t sizes[][2] = {{192, 128}, {64, 400}};

static void threads_do_not_depend_on_libnuma(void) {
    for (size_t i = 0; i < 2; i++) {
        char one[2048], many[2048];
        numa_processors = 1;
        read_effective(sizes[i], one, sizeof one);
        numa_processors = 64;
        read_effective(sizes[i], many, sizeof many);
        if (!CHECK(strcmp(one, many) == 0)) fprintf(stderr, "1: %s\n64: %s\n", one, many);
    }
}

/* Removes get_mempolicy, as in a kernel without NUMA. This cannot be undone. */
static void remove_get_mempolicy(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static void nothing_is_written_without_numa(void) {
    char effective[2048], text[256] = "";
    FILE *file = tmpfile();
    const int error = dup(STDERR_FILENO);
    REQUIRE(file && error >= 0);
    remove_get_mempolicy();
    dup2(fileno(file), STDERR_FILENO);
    read_effective(sizes[0], effective, sizeof effective);
    dup2(error, STDERR_FILENO);
    close(error);
    rewind(file);
    if (!CHECK(!fgets(text, sizeof text, file))) fprintf(stderr, "%s", text);
    fclose(file);
    CHECK(strstr(effective, "pools=none") != NULL);
}

int main(void) {
    RUN(threads_do_not_depend_on_libnuma);
    RUN(nothing_is_written_without_numa);
    return check_result();
}
