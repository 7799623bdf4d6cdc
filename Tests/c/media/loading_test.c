/*
 * FFmpeg's libraries are loaded by the first call that needs them (nalu/media/load.h). Each case is a separate process,
 * because loaded libraries stay loaded. This program's dlopen decides what libnalu finds.
 */
#include "decode_support.h"
#include "media_support.h"

#include "child.h"
#include "dispositions.h"
#include "mapped.h"

#include <stdatomic.h>

/* A child of a fork cannot join the threads of its parent, which ThreadSanitizer would report in the child. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "report_thread_leaks=0"; }

enum { LIBRARY_COUNT = 4, THREAD_COUNT = 8 };
static const char *const files[LIBRARY_COUNT] = {UTIL_FILE, RESAMPLE_FILE, CODEC_FILE, FORMAT_FILE};
static const char *const packages[LIBRARY_COUNT] = {UTIL_PACKAGE, RESAMPLE_PACKAGE, CODEC_PACKAGE, FORMAT_PACKAGE};

/* ---- What libnalu finds ------------------------------------------------------------------------------------------------- */

static struct {
    const char *file;     /* the missing library; NULL for none */
    const char *stand_in; /* the file that replaces it; NULL for none */
    atomic_int count;     /* calls for FFmpeg's libraries */
    bool calls_back;      /* while a library is loaded, Nalu is called */
    event *entered, *opened;
} found;

static const char *library_to_load(const char *file) {
    bool is_ffmpeg = false;
    for (int i = 0; i < LIBRARY_COUNT; i++) is_ffmpeg |= file && strcmp(file, files[i]) == 0;
    if (!is_ffmpeg) return file;
    atomic_fetch_add(&found.count, 1);
    if (found.calls_back) {
        found.calls_back = false;
        CHECK_OK(nalu_media_load());
    }
    if (found.entered) {
        event_signal(found.entered);
        event_wait(found.opened);
    }
    if (!found.file || strcmp(file, found.file) != 0) return file;
    return found.stand_in ? found.stand_in : "/nowhere/library.so";
}

static bool is_ffmpeg_mapped(void) {
    return is_mapped("/libavutil.") || is_mapped("/libswresample.") || is_mapped("/libavcodec.") || is_mapped("/libavformat.");
}

/* ---- Every function that loads FFmpeg ------------------------------------------------------------------------------------ */

static clip plain;

static void encode_clip(void) {
    media_clip(&plain, 64, 48, 4);
}

static int64_t read_nothing(void *refcon, uint8_t *bytes, size_t size) {
    (void)refcon, (void)bytes, (void)size;
    return 0;
}

static int32_t write_nothing(void *refcon, const uint8_t *bytes, size_t size) {
    (void)refcon, (void)bytes, (void)size;
    return 0;
}

static void ignore_picture(void *refcon, void *frame, nalu_status status, nalu_decode_info_flags flags,
                           nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    (void)refcon, (void)frame, (void)status, (void)flags, (void)image, (void)time, (void)duration;
}

static void count_call(void *refcon) { (*(int *)refcon)++; }

/* The message of the last failure. */
static void check_message(const char *file, const char *package, const char *reason) {
    const char *message = nalu_last_error_message();
    char begin[256], advice[256];
    snprintf(begin, sizeof begin, "%s cannot be loaded (", file);
    snprintf(advice, sizeof advice, "): install %s, or ", package);
    CHECK(strncmp(message, begin, strlen(begin)) == 0);
    CHECK(strstr(message, advice) != NULL);
    CHECK(strstr(message, reason) != NULL);
}

/* A function fails because the library cannot be loaded, and has no effect. */
#define CHECK_UNAVAILABLE(call) do { \
        nalu_set_last_error_message(NULL); \
        CHECK_STATUS(call, NALU_STATUS_COULD_NOT_CREATE_INSTANCE); \
        check_message(file, package, reason); \
    } while (0)

static void check_all_unavailable(const char *file, const char *package, const char *reason) {
    nalu_reader *reader = (nalu_reader *)&plain;
    nalu_writer *writer = (nalu_writer *)&plain;
    nalu_decompression_session *session = (nalu_decompression_session *)&plain;
    const char *path = test_path("new.mp4");
    int ends = 0;
    CHECK_UNAVAILABLE(nalu_media_load());
    CHECK_UNAVAILABLE(nalu_reader_create_with_path("/nowhere/clip.mp4", NULL, &reader));
    CHECK_PTR_EQ(reader, NULL);
    CHECK_UNAVAILABLE(nalu_reader_create_with_callbacks(read_nothing, NULL, -1, &ends, count_call, NULL, &reader));
    CHECK_UNAVAILABLE(nalu_writer_create_with_path(path, NULL, NULL, &writer));
    CHECK_PTR_EQ(writer, NULL);
    CHECK(access(path, F_OK) != 0);
    CHECK_UNAVAILABLE(nalu_writer_create_with_file_descriptor(1, "matroska", NULL, &writer));
    CHECK_UNAVAILABLE(nalu_writer_create_with_callbacks(write_nothing, NULL, &ends, count_call, "h264", NULL, &writer));
    CHECK_UNAVAILABLE(nalu_decompression_session_create(clip_format(&plain), NULL, NULL, ignore_picture, &ends, count_call,
                                                        &session));
    CHECK_PTR_EQ(session, NULL);
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.thread_count = 2;
    CHECK_UNAVAILABLE(nalu_decompression_session_create(clip_format(&plain), &specification, NULL, ignore_picture, NULL, NULL,
                                                        &session));
    CHECK_UNAVAILABLE(nalu_cut("/nowhere/clip.mp4", path, NULL, NULL));
    CHECK_EQ(ends, 0); /* the client still has the refcons */
    CHECK(access(path, F_OK) != 0);
    /* These two calls need no FFmpeg, and return the usual result for NULL. */
    CHECK_EQ(nalu_reader_get_track_count(NULL), 0);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(NULL, clip_format(&plain)), 0);
    CHECK_STATUS(nalu_reader_create_with_path(NULL, NULL, &reader), NALU_STATUS_PARAMETER);
}

/* FFmpeg works: a file is written, read and decoded. */
static void check_works(void) {
    const char *path = test_path("works.mp4");
    unlink(path);
    media_write_file(path, &plain, 0, NULL);
    nalu_reader *reader = NULL;
    nalu_decompression_session *session = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    REQUIRE_OK(nalu_decompression_session_create(nalu_reader_get_format_description(reader, 0), NULL, NULL, ignore_picture,
                                                 NULL, NULL, &session));
    for (int i = 0; i < 4; i++) {
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
        REQUIRE(sample);
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, 0, NULL, NULL));
        nalu_sample_release(sample);
    }
    nalu_decompression_session_release(session);
    nalu_reader_release(reader);
}

/* ---- Cases --------------------------------------------------------------------------------------------------------------- */

static void a_program_that_only_encodes_maps_nothing_of_ffmpeg(void) {
    encode_clip();
    CHECK(!is_ffmpeg_mapped());
    CHECK(!is_mapped("/libswscale."));
    CHECK_EQ(found.count, 0);
    CHECK_OK(nalu_media_load());
    CHECK(is_mapped("/" FORMAT_FILE));
}

static void a_missing_library_is_named_and_looked_for_again(void) {
    encode_clip();
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        found.file = files[i];
        check_all_unavailable(files[i], packages[i], "cannot open shared object file");
        for (int other = i; other < LIBRARY_COUNT; other++) CHECK(!is_mapped(files[other]));
    }
    found.file = NULL;
    check_works();
}

static void a_library_of_another_version_is_refused(void) {
    static const char *const other[LIBRARY_COUNT] = {UTIL_OTHER, RESAMPLE_OTHER, CODEC_OTHER, FORMAT_OTHER};
    static const char *const older[LIBRARY_COUNT] = {UTIL_OLDER, RESAMPLE_OLDER, CODEC_OLDER, FORMAT_OLDER};
    encode_clip();
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        found.file = files[i];
        found.stand_in = other[i];
        check_all_unavailable(files[i], packages[i], "it has version 1.0, and Nalu was built with ");
        found.stand_in = older[i];
        check_all_unavailable(files[i], packages[i], ".0, and Nalu was built with ");
        for (int missing = i; missing < LIBRARY_COUNT; missing++) CHECK(!is_mapped(files[missing]));
    }
    found.file = NULL;
    check_works();
}

static void a_library_without_a_function_is_refused(void) {
    static const char *const empty[LIBRARY_COUNT] = {UTIL_EMPTY, RESAMPLE_EMPTY, CODEC_EMPTY, FORMAT_EMPTY};
    encode_clip();
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        found.file = files[i];
        found.stand_in = empty[i];
        check_all_unavailable(files[i], packages[i], "it has no function ");
        found.stand_in = i == 0 ? empty[1] : empty[0]; /* another library under this name */
        check_all_unavailable(files[i], packages[i], "it has no function ");
    }
    found.file = NULL;
    check_works();
}

static void the_hosts_own_ffmpeg_is_used_and_keeps_its_log_level(void) {
    void *handle = dlopen(FORMAT_FILE, RTLD_NOW | RTLD_LOCAL);
    void *util = dlopen(UTIL_FILE, RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle && util);
    void (*set_level)(int) = NULL;
    int (*get_level)(void) = NULL;
    void *symbols[2] = {dlsym(util, "av_log_set_level"), dlsym(util, "av_log_get_level")};
    memcpy(&set_level, &symbols[0], sizeof set_level);
    memcpy(&get_level, &symbols[1], sizeof get_level);
    REQUIRE(set_level && get_level);
    set_level(-3);
    encode_clip();
    check_works();
    CHECK_EQ(get_level(), -3);
    dlclose(util);
    dlclose(handle);
    check_works();
}

static event start = EVENT_INIT;

static void *load_and_work(void *result) {
    event_wait(&start);
    *(nalu_status *)result = nalu_media_load();
    if (*(nalu_status *)result != NALU_STATUS_OK) return NULL;
    nalu_reader *reader = NULL;
    /* FFmpeg is called, and detects no format in an empty input. */
    CHECK_STATUS(nalu_reader_create_with_callbacks(read_nothing, NULL, -1, NULL, NULL, NULL, &reader),
                 NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    return NULL;
}

static void run_threads(nalu_status expected) {
    pthread_t threads[THREAD_COUNT];
    nalu_status results[THREAD_COUNT];
    start = (event)EVENT_INIT;
    for (int i = 0; i < THREAD_COUNT; i++) REQUIRE(pthread_create(&threads[i], NULL, load_and_work, &results[i]) == 0);
    event_signal(&start);
    for (int i = 0; i < THREAD_COUNT; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
        CHECK_STATUS(results[i], expected);
    }
}

static void several_threads_may_make_the_first_call(void) { run_threads(NALU_STATUS_OK); }

static void several_threads_may_fail_at_once_and_succeed_later(void) {
    found.file = FORMAT_FILE;
    run_threads(NALU_STATUS_COULD_NOT_CREATE_INSTANCE);
    found.file = NULL;
    run_threads(NALU_STATUS_OK);
}

static void load_in_child(void *context) {
    (void)context;
    found.entered = NULL;
    CHECK_OK(nalu_media_load());
    nalu_reader *reader = NULL;
    CHECK_STATUS(nalu_reader_create_with_callbacks(read_nothing, NULL, -1, NULL, NULL, NULL, &reader),
                 NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
}

static void a_child_of_a_fork_loads_for_itself(void) {
    check_child(load_in_child, NULL);
    CHECK(!is_ffmpeg_mapped());
    CHECK_OK(nalu_media_load());
    check_child(load_in_child, NULL);
}

static void *load_only(void *result) {
    *(nalu_status *)result = nalu_media_load();
    return NULL;
}

/* Forks while a thread of this process is loading, after the time that `context` points to. */
static void fork_while_loading(void *context) {
    pthread_t thread;
    nalu_status result = NALU_STATUS_PARAMETER;
    /* The Swift runtime has locks of its own in the first call, which a fork must not interrupt. */
    found.file = UTIL_FILE;
    CHECK_STATUS(nalu_media_load(), NALU_STATUS_COULD_NOT_CREATE_INSTANCE);
    found.file = NULL;
    REQUIRE(pthread_create(&thread, NULL, load_only, &result) == 0);
    nanosleep(context, NULL);
    check_child(load_in_child, NULL);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK_OK(result);
}

static void a_child_of_a_fork_loads_also_if_a_thread_was_loading(void) {
    for (int i = 0; i < 30; i++) check_child(fork_while_loading, &(struct timespec){.tv_nsec = i * 2000000});
}

static void a_fork_does_not_wait_forever_for_a_thread_that_is_loading(void) {
    static event entered = EVENT_INIT, opened = EVENT_INIT;
    pthread_t thread;
    nalu_status result = NALU_STATUS_PARAMETER;
    found.opened = &opened;
    found.entered = &entered;
    event_signal(&start);
    REQUIRE(pthread_create(&thread, NULL, load_and_work, &result) == 0);
    event_wait(&entered);
    check_child(load_in_child, NULL);
    event_signal(&opened);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK_OK(result);
}

static void nalu_may_be_called_while_a_library_is_loaded(void) {
    found.calls_back = true;
    CHECK_OK(nalu_media_load());
    CHECK(!found.calls_back);
}

static void what_is_loaded_is_not_looked_for_again(void) {
    CHECK_OK(nalu_media_load());
    const int count = found.count;
    CHECK_EQ(count, LIBRARY_COUNT);
    found.file = UTIL_FILE;
    CHECK_OK(nalu_media_load());
    load_in_child(NULL);
    CHECK_EQ(found.count, count);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(function) {#function, function}
    CASE(a_program_that_only_encodes_maps_nothing_of_ffmpeg),
    CASE(a_missing_library_is_named_and_looked_for_again),
    CASE(a_library_of_another_version_is_refused),
    CASE(a_library_without_a_function_is_refused),
    CASE(the_hosts_own_ffmpeg_is_used_and_keeps_its_log_level),
    CASE(several_threads_may_make_the_first_call),
    CASE(several_threads_may_fail_at_once_and_succeed_later),
    CASE(a_child_of_a_fork_loads_for_itself),
    CASE(a_child_of_a_fork_loads_also_if_a_thread_was_loading),
    CASE(a_fork_does_not_wait_forever_for_a_thread_that_is_loading),
    CASE(nalu_may_be_called_while_a_library_is_loaded),
    CASE(what_is_loaded_is_not_looked_for_again),
};

int main(int count, char **arguments) {
    char self[4096] = "";
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count < 2) {
            const char *const child[] = {self, cases[i].name, NULL};
            printf("- %s\n", cases[i].name);
            fflush(stdout);
            CHECK_EQ(run_program(child, NULL), 0);
        } else if (strcmp(arguments[1], cases[i].name) == 0) {
            cases[i].run();
            clip_close(&plain);
            return check_failures ? EXIT_FAILURE : EXIT_SUCCESS;
        }
    }
    return check_result();
}
