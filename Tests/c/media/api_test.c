/* Every wrong argument gives a status and an error message, and leaves no file behind. */
#include "media_support.h"

#include <fcntl.h>
#include <pthread.h>

static clip movie;

static int32_t swallow(void *refcon, const uint8_t *bytes, size_t size) {
    (void)refcon, (void)bytes, (void)size;
    return 0;
}

static int32_t skip(void *refcon, int64_t offset) {
    (void)refcon, (void)offset;
    return 0;
}

static void count_call(void *refcon) { ++*(int *)refcon; }

#define CHECK_REFUSED(call, status, word) do { \
    writer = (nalu_writer *)&writer; \
    CHECK_STATUS(call, status); \
    CHECK_PTR_EQ(writer, NULL); \
    CHECK(strstr(nalu_last_error_message(), word)); \
} while (0)

static void wrong_arguments_of_create_are_refused(void) {
    nalu_writer *writer = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    const char *path = test_path("never.mp4");
    CHECK_STATUS(nalu_writer_create_with_path(path, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_REFUSED(nalu_writer_create_with_path(NULL, NULL, NULL, &writer), NALU_STATUS_PARAMETER, "path");
    CHECK_REFUSED(nalu_writer_create_with_path(test_path("a.txt"), NULL, NULL, &writer), NALU_STATUS_PARAMETER, ".mp4");
    CHECK_REFUSED(nalu_writer_create_with_path(test_path("mp4"), NULL, NULL, &writer), NALU_STATUS_PARAMETER, "extension");
    CHECK_REFUSED(nalu_writer_create_with_path(path, "avi", NULL, &writer), NALU_STATUS_UNSUPPORTED_DATA_FORMAT,
                  "matroska");
    CHECK_REFUSED(nalu_writer_create_with_path(test_path("no/such.mp4"), NULL, NULL, &writer), NALU_STATUS_INPUT_OUTPUT,
                  "No such file");
    options.struct_size = 8;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_PARAMETER, "struct_size");
    options = (nalu_writer_options)NALU_WRITER_OPTIONS_INIT;
    options.flags = 1u << 30;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_PARAMETER, "flags");
    options.flags = NALU_WRITER_FRAGMENTED | NALU_WRITER_FAST_START;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_CONFLICT, "FAST_START");
    options.flags = NALU_WRITER_FRAGMENTED;
    CHECK_REFUSED(nalu_writer_create_with_path(path, "flv", &options, &writer), NALU_STATUS_CONFLICT, "FRAGMENTED");
    static const double durations[] = {-1, 0.0001, 2001, NAN, INFINITY};
    for (size_t i = 0; i < 5; i++) {
        options.fragment_duration = durations[i];
        CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_OUT_OF_RANGE, "duration");
    }
    options.flags = 0;
    options.fragment_duration = 2;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_CONFLICT, "FRAGMENTED");
    options.fragment_duration = 0;
    options.creation_time = -1;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_OUT_OF_RANGE, "creation_time");
    options.creation_time = 253402300800;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &options, &writer), NALU_STATUS_OUT_OF_RANGE, "creation_time");
    options.creation_time = 1;
    CHECK_REFUSED(nalu_writer_create_with_path(path, "mpegts", &options, &writer), NALU_STATUS_CONFLICT, "creation_time");
    options.creation_time = 0;
    options.flags = NALU_WRITER_START_AT_ZERO;
    CHECK_REFUSED(nalu_writer_create_with_path(path, "h264", &options, &writer), NALU_STATUS_CONFLICT, "START_AT_ZERO");
    CHECK(access(path, F_OK) != 0);

    struct { nalu_writer_options options; uint64_t more; } newer = {NALU_WRITER_OPTIONS_INIT, 0};
    newer.options.struct_size = sizeof newer;
    CHECK_OK(nalu_writer_create_with_path(path, NULL, &newer.options, &writer));
    nalu_writer_release(writer);
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, NULL, &writer), NALU_STATUS_INPUT_OUTPUT, "OVERWRITE");
    newer.more = 1;
    CHECK_REFUSED(nalu_writer_create_with_path(path, NULL, &newer.options, &writer), NALU_STATUS_UNSUPPORTED_OPTION,
                  "options");
}

static void wrong_output_functions_are_refused(void) {
    nalu_writer *writer = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    int destroyed = 0, ends[2];
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(-1, "mp4", NULL, &writer), NALU_STATUS_INPUT_OUTPUT, "-1");
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(1, NULL, NULL, &writer), NALU_STATUS_PARAMETER, "container");
    REQUIRE(pipe(ends) == 0);
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(ends[0], "h264", NULL, &writer), NALU_STATUS_INPUT_OUTPUT,
                  "reading");
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(ends[1], "mp4", NULL, &writer), NALU_STATUS_CONFLICT, "seek");
    options.flags = NALU_WRITER_OVERWRITE;
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(ends[1], "h264", &options, &writer), NALU_STATUS_CONFLICT,
                  "OVERWRITE");
    close(ends[0]);
    close(ends[1]);
    int file = open(test_path("written"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    options.flags = NALU_WRITER_FAST_START;
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(file, "mp4", &options, &writer), NALU_STATUS_CONFLICT, "read");
    REQUIRE(write(file, "abc", 3) == 3);
    CHECK_REFUSED(nalu_writer_create_with_file_descriptor(file, "mp4", NULL, &writer), NALU_STATUS_CONFLICT, "byte 3");
    close(file);

    CHECK_REFUSED(nalu_writer_create_with_callbacks(NULL, NULL, NULL, NULL, "h264", NULL, &writer),
                  NALU_STATUS_PARAMETER, "write");
    CHECK_REFUSED(nalu_writer_create_with_callbacks(swallow, NULL, &destroyed, count_call, "mov", NULL, &writer),
                  NALU_STATUS_CONFLICT, "seek");
    CHECK_REFUSED(nalu_writer_create_with_callbacks(swallow, skip, &destroyed, count_call, "mov", &options, &writer),
                  NALU_STATUS_CONFLICT, "read");
    CHECK_REFUSED(nalu_writer_create_with_callbacks(swallow, skip, &destroyed, count_call, NULL, NULL, &writer),
                  NALU_STATUS_PARAMETER, "container");
    CHECK_EQ(destroyed, 0);
}

/* A descriptor of a readable file can have the index at the beginning. One in append mode can have
 * fragments. */
static void file_descriptors_allow_what_their_mode_allows(void) {
    nalu_writer *writer = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    const char *path = test_path("descriptor.mp4"), *appended = test_path("appended.mp4");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    options.flags = NALU_WRITER_FAST_START;
    REQUIRE_OK(nalu_writer_create_with_file_descriptor(file, "mp4", &options, &writer));
    media_write_all(writer, &movie, NULL);
    media_finish(writer);
    close(file);
    media_check_exact_times(path, &movie, nalu_time_zero());
    size_t size = 0;
    uint8_t *bytes = media_read_file(path, &size);
    const uint8_t *moov = memmem(bytes, size, "moov", 4), *mdat = memmem(bytes, size, "mdat", 4);
    CHECK(moov && mdat && moov < mdat);
    free(bytes);

    file = open(appended, O_WRONLY | O_CREAT | O_APPEND, 0600);
    options.flags = NALU_WRITER_FRAGMENTED;
    REQUIRE_OK(nalu_writer_create_with_file_descriptor(file, "mp4", &options, &writer));
    media_write_all(writer, &movie, NULL);
    nalu_writer_release(writer);
    close(file);
    media_check_exact_times(appended, &movie, nalu_time_zero());
}

static void wrong_handles_are_refused(void) {
    nalu_writer *writer = NULL;
    nalu_format_description *format = nalu_sample_get_format_description(movie.samples[0]);
    REQUIRE_OK(nalu_writer_create_with_callbacks(swallow, NULL, NULL, NULL, "h264", NULL, &writer));
    CHECK_STATUS(nalu_writer_add_track(NULL, format, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_writer_add_track((nalu_writer *)format, format, NULL, NULL), NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_writer_add_track(writer, NULL, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_writer_add_track(writer, (nalu_format_description *)movie.samples[0], NULL, NULL),
                 NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_writer_write_sample(NULL, 0, movie.samples[0]), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, (nalu_sample *)format), NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_writer_write_sample((nalu_writer *)movie.samples[0], 0, movie.samples[0]),
                 NALU_STATUS_INVALID_HANDLE);
    CHECK_STATUS(nalu_writer_finish(NULL), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_writer_finish((nalu_writer *)format), NALU_STATUS_INVALID_HANDLE);
    CHECK_PTR_EQ(nalu_writer_retain(NULL), NULL);
    nalu_writer_release(NULL);
    nalu_writer_release((nalu_writer *)format);
    nalu_writer_release(writer);
}

static void calls_in_a_wrong_order_are_refused(void) {
    nalu_writer *writer = NULL;
    nalu_format_description *format = nalu_sample_get_format_description(movie.samples[0]);
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    nalu_writer_options fragmented = NALU_WRITER_OPTIONS_INIT;
    fragmented.flags = NALU_WRITER_FRAGMENTED;
    REQUIRE_OK(nalu_writer_create_with_callbacks(swallow, NULL, NULL, NULL, "mp4", &fragmented, &writer));
    CHECK_STATUS(nalu_writer_finish(writer), NALU_STATUS_OUT_OF_ORDER);
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[0]), NALU_STATUS_OUT_OF_RANGE);
    options.rotation = 45;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_OUT_OF_RANGE);
    options.rotation = 0, options.is_mirrored = 2;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_OUT_OF_RANGE);
    options.is_mirrored = 0, options.timescale = -1;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_OUT_OF_RANGE);
    options.timescale = 0, options.struct_size = 4;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_PARAMETER);
    CHECK_OK(nalu_writer_add_track(writer, format, NULL, NULL));
    CHECK_STATUS(nalu_writer_add_track(writer, format, NULL, NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_STATUS(nalu_writer_write_sample(writer, 1, movie.samples[0]), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[1]), NALU_STATUS_OUT_OF_ORDER);
    CHECK_OK(nalu_writer_write_sample(writer, 0, movie.samples[0]));
    CHECK_OK(nalu_writer_write_sample(writer, 0, movie.samples[1]));
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[1]), NALU_STATUS_INVALID_TIME);
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[0]), NALU_STATUS_INVALID_TIME);
    CHECK(strstr(nalu_last_error_message(), "decode order"));
    CHECK_OK(nalu_writer_write_sample(writer, 0, movie.samples[2]));
    CHECK_OK(nalu_writer_finish(writer));
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, movie.samples[3]), NALU_STATUS_OUT_OF_ORDER);
    CHECK_STATUS(nalu_writer_add_track(writer, format, NULL, NULL), NALU_STATUS_OUT_OF_ORDER);
    nalu_writer_release(writer);

    /* Options that the container cannot store are rejected. */
    REQUIRE_OK(nalu_writer_create_with_callbacks(swallow, NULL, NULL, NULL, "mpegts", NULL, &writer));
    options = (nalu_writer_track_options)NALU_WRITER_TRACK_OPTIONS_INIT;
    options.rotation = 90;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_CONFLICT);
    options.rotation = 0, options.is_mirrored = 1;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_CONFLICT);
    options.is_mirrored = 0, options.timescale = 600;
    CHECK_STATUS(nalu_writer_add_track(writer, format, &options, NULL), NALU_STATUS_CONFLICT);
    nalu_writer_release(writer);
}

/* Pictures of another size are accepted if the container can describe them, and rejected otherwise. */
static void another_size_is_written_or_refused(void) {
    clip other;
    clip_open(&other, 80, 64);
    while (other.fed < 25) {
        int64_t number = 100 + other.fed;
        REQUIRE_OK(clip_encode_at(&other, nalu_time_make(number, 30), nalu_time_make(1, 30), 0));
    }
    clip_finish(&other);
    static const char *const containers[] = {"mp4", "mov", "matroska", "flv", "mpegts", "h264"};
    for (size_t i = 0; i < 6; i++) {
        nalu_writer *writer = NULL;
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = NALU_WRITER_OVERWRITE;
        const char *path = test_path("change");
        REQUIRE_OK(nalu_writer_create_with_path(path, containers[i], &options, &writer));
        media_write_all(writer, &movie, NULL);
        nalu_status status = nalu_writer_write_sample(writer, 0, other.samples[0]);
        if (i < 3) {
            CHECK_STATUS(status, NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            CHECK(strstr(nalu_last_error_message(), containers[i]));
        } else {
            CHECK_OK(status);
            for (int k = 1; k < other.count; k++) CHECK_OK(nalu_writer_write_sample(writer, 0, other.samples[k]));
        }
        media_finish(writer);
        char *text = media_run(NULL, "ffprobe -v error -f %s -show_entries frame=width -select_streams v -of csv=p=0 '%s'",
                               i < 2 ? "mov" : containers[i], path);
        int large = 0, small = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            large += atoi(line) == 128, small += atoi(line) == 80;
        CHECK_EQ(large, movie.count);
        CHECK_EQ(small, i < 3 ? 0 : other.count);
    }
    clip_close(&other);
}

/* Times at the limits of their range are written or rejected, without any other result. */
static void extreme_times_are_written_or_refused(void) {
    static const int64_t values[] = {0, 1, -1, INT32_MAX, INT64_C(1) << 33, INT64_C(1) << 60, INT64_MAX, INT64_MIN};
    static const int32_t scales[] = {1, 30, 1000000000, INT32_MAX};
    static const char *const containers[] = {"mp4", "matroska", "mpegts", "flv", "h264"};
    nalu_format_description *format = nalu_sample_get_format_description(movie.samples[0]);
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(movie.samples[0], &size);
    int written = 0, refused = 0;
    for (size_t c = 0; c < 5; c++)
        for (size_t first = 0; first < 8; first++)
            for (size_t k = 0; k < 4; k++)
                for (uint32_t zero = 0; zero < (c < 4 ? 2 : 1); zero++) {
                    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
                    nalu_writer *writer = NULL;
                    options.flags = zero ? NALU_WRITER_START_AT_ZERO : 0;
                    if (c == 0) options.flags |= NALU_WRITER_FRAGMENTED;
                    REQUIRE_OK(nalu_writer_create_with_callbacks(swallow, NULL, NULL, NULL, containers[c], &options,
                                                                 &writer));
                    REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, NULL));
                    for (size_t next = 0; next < 8; next++) {
                        nalu_sample *sample = NULL;
                        nalu_time time = nalu_time_make(next ? values[next] : values[first], scales[k]);
                        nalu_time duration = next == 5 ? nalu_time_make(INT64_MAX, 1) : nalu_time_invalid();
                        nalu_time decode = next == 6 ? nalu_time_make(INT64_MIN / 2, 7) : nalu_time_invalid();
                        REQUIRE_OK(nalu_sample_create(bytes, size, format, time, duration, decode, 0, &sample));
                        nalu_status status = nalu_writer_write_sample(writer, 0, sample);
                        CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_TIME);
                        written += status == NALU_STATUS_OK, refused += status != NALU_STATUS_OK;
                        nalu_sample_release(sample);
                    }
                    media_finish(writer);
                }
    CHECK(written > 100 && refused > 100);
}

static void *write_some(void *argument) {
    /* Only one thread's sample is next in decode order. The samples of the other threads are rejected without
     * damage. */
    for (int i = 0; i < movie.count; i++) {
        nalu_status status = nalu_writer_write_sample((nalu_writer *)argument, 0, movie.samples[i]);
        CHECK(status == NALU_STATUS_OK || status == NALU_STATUS_INVALID_TIME || status == NALU_STATUS_OUT_OF_ORDER);
    }
    return NULL;
}

static void threads_can_share_a_writer(void) {
    pthread_t threads[4];
    nalu_writer *writer = media_writer_to(test_path("threads.mp4"), NULL);
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
    for (int i = 0; i < 4; i++) REQUIRE(pthread_create(&threads[i], NULL, write_some, writer) == 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    media_finish(writer);
    CHECK_STR_EQ(media_fact(test_path("threads.mp4"), "stream=codec_name"), "h264");
}

/* One function returns the last error of all functions, and another one sets it. */
static void the_last_error_is_shared_by_all_functions(void) {
    CHECK_STATUS(nalu_writer_finish(NULL), NALU_STATUS_PARAMETER);
    CHECK(strstr(nalu_last_error_message(), "writer is NULL"));
    nalu_set_last_error_message("a sentence");
    CHECK_STR_EQ(nalu_last_error_message(), "a sentence");
    nalu_set_last_error_message(NULL);
    CHECK_STR_EQ(nalu_last_error_message(), "");
    CHECK_STR_EQ(nalu_status_string(NALU_STATUS_INPUT_OUTPUT), "INPUT_OUTPUT");
}

/* The struct layouts on which bindings rely. */
_Static_assert(sizeof(nalu_writer_options) == 24 && offsetof(nalu_writer_options, flags) == 4
    && offsetof(nalu_writer_options, fragment_duration) == 8 && offsetof(nalu_writer_options, creation_time) == 16, "");
_Static_assert(sizeof(nalu_writer_track_options) == 16 && offsetof(nalu_writer_track_options, rotation) == 4
    && offsetof(nalu_writer_track_options, timescale) == 8 && offsetof(nalu_writer_track_options, is_mirrored) == 12, "");

int main(void) {
    media_clip(&movie, 128, 96, 30);
    RUN(wrong_arguments_of_create_are_refused);
    RUN(wrong_output_functions_are_refused);
    RUN(file_descriptors_allow_what_their_mode_allows);
    RUN(wrong_handles_are_refused);
    RUN(calls_in_a_wrong_order_are_refused);
    RUN(another_size_is_written_or_refused);
    RUN(extreme_times_are_written_or_refused);
    RUN(threads_can_share_a_writer);
    RUN(the_last_error_is_shared_by_all_functions);
    clip_close(&movie);
    return check_result();
}
