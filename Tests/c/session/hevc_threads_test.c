/*
 * The threads of x265 do not depend on the processors that libnuma states, which can be those of a container's host. They are
 * created once, also if the process has a second copy of libnalu, for example a wheel's and the system's. This program
 * replaces a function of libnuma, and pthread_create.
 */
#include "clip.h"
#include "hevc_stream.h"
#include "sanitized.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
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

static atomic_int created_threads;

#if !IS_SANITIZED
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    atomic_fetch_add(&created_threads, 1);
    return create ? create(thread, attributes, function, argument) : ENOSYS;
}
#endif

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

/* Opens a session of a copy of libnalu, and returns the number of threads that were created for it. */
static int count_threads(void *copy, bool has_ten_bits) {
    __typeof__(&nalu_compression_session_create) create;
    __typeof__(&nalu_session_set_int64) set;
    __typeof__(&nalu_compression_session_prepare) prepare;
    __typeof__(&nalu_compression_session_release) release;
    nalu_compression_session *session = NULL;
    *(void **)&create = dlsym(copy, "nalu_compression_session_create");
    *(void **)&set = dlsym(copy, "nalu_session_set_int64");
    *(void **)&prepare = dlsym(copy, "nalu_compression_session_prepare");
    *(void **)&release = dlsym(copy, "nalu_compression_session_release");
    REQUIRE(create && set && prepare && release);
    REQUIRE_OK(create(192, 128, NALU_CODEC_HEVC, NULL, NULL, clip_take, NULL, NULL, &session));
    REQUIRE_OK(set(session, NALU_PROPERTY_OUTPUT_BIT_DEPTH, has_ten_bits ? 10 : 8));
    const int before = atomic_load(&created_threads);
    REQUIRE_OK(prepare(session));
    const int count = atomic_load(&created_threads) - before;
    release(session);
    return count;
}

static void copies_of_the_library_create_each_thread_once(void) {
    void *first = dlopen(NALU_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    stream bytes = run("cat '%s'", NALU_LIBRARY);
    void *second = dlopen(test_file("copy.so", bytes.bytes, bytes.size), RTLD_NOW | RTLD_LOCAL);
    free(bytes.bytes);
    REQUIRE(first && second && first != second);
    const int count = count_threads(first, false);
    CHECK(count > 1);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(count_threads(second, i % 2), count);
        CHECK_EQ(count_threads(first, i % 2), count);
    }
}

int main(void) {
    if (!IS_SANITIZED) RUN(copies_of_the_library_create_each_thread_once);
    RUN(threads_do_not_depend_on_libnuma);
    RUN(nothing_is_written_without_numa);
    return check_result();
}
