/* A short stream that announces huge pictures is rejected before memory is allocated. */
#include "decode_support.h"
#include "heap_counter.h"

enum { WIDE = 7680, HIGH = 4320, MEGABYTE = 1 << 20 };

static decode_recorder all = DECODE_RECORDER_INIT;

static const char *make_file(const char *name, int width, int height) {
    const char *path = test_path(name);
    int status = 0;
    media_run(&status,
              "ffmpeg -nostdin -v error -y -f lavfi -i color=black:size=%dx%d:rate=25 -frames:v 2 -pix_fmt yuv420p -c:v libx264 "
              "-preset ultrafast -x264-params cabac=1:threads=1 -f mp4 '%s' 2>&1", width, height, path);
    REQUIRE(status == 0);
    return path;
}

static nalu_reader *open_with(const char *path, int64_t maximum) {
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    nalu_reader *reader = NULL;
    options.maximum_pixel_count = maximum;
    REQUIRE_OK(nalu_reader_create_with_path(path, &options, &reader));
    return reader;
}

static nalu_status create_with(nalu_format_description *format, int64_t maximum, nalu_decompression_session **session) {
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.maximum_pixel_count = maximum;
    specification.thread_count = 1;
    *session = NULL;
    return nalu_decompression_session_create(format, &specification, NULL, record_decoded, &all, NULL, session);
}

/* Checks that the last error message names the picture's size, its pixels, the limit and the option. */
static void check_sentence(const char *size, const char *pixels, const char *limit) {
    const char *said = nalu_last_error_message();
    if (!CHECK(strstr(said, size) && strstr(said, pixels) && strstr(said, limit) && strstr(said, "maximum_pixel_count")))
        fprintf(stderr, "%s\n", said);
}

static void a_picture_above_the_limit_allocates_no_memory(void) {
    const char *path = make_file("huge.mp4", WIDE, HIGH);
    size_t size = 0;
    free(media_read_file(path, &size));
    CHECK(size < 64 * 1024);
    heap_counter_start();
    nalu_reader *reader = open_with(path, 1920 * 1088);
    nalu_sample *sample = NULL;
    uint32_t track = 0;
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(nalu_reader_next_sample(reader, &track, &sample), NALU_STATUS_INVALID_SIZE);
        CHECK_PTR_EQ(sample, NULL);
        check_sentence("7680x4320", "33177600", "2088960");
    }
    CHECK_STATUS(nalu_reader_next_sample(reader, &track, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_decompression_session *session = NULL;
    CHECK_STATUS(create_with(nalu_reader_get_format_description(reader, 0), WIDE * HIGH - 1, &session),
                 NALU_STATUS_INVALID_SIZE);
    check_sentence("7680x4320", "33177600", "33177599");
    CHECK_PTR_EQ(session, NULL);
    nalu_reader_release(reader);
    heap_counter_stop();
    const long long refused = atomic_load(&heap_peak_bytes);
    CHECK(refused < 8 * MEGABYTE);

    /* The rejected pictures would have needed this memory. */
    reader = open_with(path, WIDE * HIGH);
    heap_counter_start();
    REQUIRE_OK(create_with(nalu_reader_get_format_description(reader, 0), WIDE * HIGH, &session));
    REQUIRE_OK(nalu_reader_next_sample(reader, &track, &sample));
    CHECK_OK(nalu_decompression_session_decode_frame(session, sample, 0, FRAME(0), NULL));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    check_all_decoded(&all, 1);
    decoded_clear(&all);
    nalu_decompression_session_release(session);
    heap_counter_stop();
    const long long taken = atomic_load(&heap_peak_bytes);
    printf("%zu bytes: %lld kB when refused, %lld kB when decoded\n", size, refused / 1024, taken / 1024);
    if (HEAP_COUNTER_WORKS) CHECK(taken > 48 * MEGABYTE);
    nalu_sample_release(sample);
    nalu_reader_release(reader);
}

/* Returns a sample of `format` with the parameter sets of `sets` before the source's data. */
static nalu_sample *with_sets(const nalu_format_description *sets, const nalu_sample *source, nalu_format_description *format,
                              int64_t time) {
    static uint8_t bytes[256 * 1024];
    nalu_sample *sample = NULL;
    size_t used = 0, size = 0;
    for (uint32_t i = 0; i < nalu_format_description_get_parameter_set_count(sets); i++) {
        const uint8_t *set = nalu_format_description_get_parameter_set(sets, i, &size);
        bytes[used] = bytes[used + 1] = 0, bytes[used + 2] = (uint8_t)(size >> 8), bytes[used + 3] = (uint8_t)size;
        memcpy(bytes + used + 4, set, size);
        used += 4 + size;
    }
    const uint8_t *slices = nalu_sample_get_data(source, &size);
    REQUIRE(used + size <= sizeof bytes);
    memcpy(bytes + used, slices, size);
    REQUIRE_OK(nalu_sample_create(bytes, used + size, format, nalu_time_make(time, 30), nalu_time_make(1, 30),
                                  nalu_time_invalid(), NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS, &sample));
    return sample;
}

/* A sample contains larger parameter sets than its format description. */
static void parameter_sets_inside_a_sample_are_limited_too(void) {
    nalu_reader *reader = open_with(make_file("inside.mp4", WIDE, HIGH), 0);
    nalu_format_description *format = nalu_reader_get_format_description(reader, 0);
    nalu_decompression_session *session = NULL;
    nalu_sample *large = NULL, *sample = NULL, *small = NULL;
    uint32_t track = 0;
    clip c;
    REQUIRE_OK(nalu_reader_next_sample(reader, &track, &large));
    media_clip(&c, 64, 48, 3);
    sample = with_sets(format, large, clip_format(&c), 0);
    small = with_sets(clip_format(&c), c.samples[0], clip_format(&c), 2);
    heap_counter_start();
    REQUIRE_OK(create_with(clip_format(&c), 64 * 48, &session));
    CHECK_OK(nalu_decompression_session_decode_frame(session, sample, 0, FRAME(0), NULL));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    CHECK_EQ(all.count, 1);
    CHECK_STATUS(all.results[0].status, NALU_STATUS_INVALID_SIZE);
    CHECK_PTR_EQ(all.results[0].image, NULL);
    char said[500] = "";
    size_t said_size = 0;
    CHECK_OK(nalu_decompression_session_copy_last_error(session, said, sizeof said, &said_size));
    if (!CHECK(strstr(said, "7680x4320") && strstr(said, "maximum_pixel_count"))) fprintf(stderr, "%s\n", said);
    CHECK_STATUS(nalu_decompression_session_decode_frame(session, large, 0, FRAME(1), NULL), NALU_STATUS_INVALID_SIZE);
    CHECK_EQ(nalu_decompression_session_can_accept_format_description(session, format), 0);
    decoded_clear(&all);
    /* The session continues to decode. */
    CHECK_OK(nalu_decompression_session_decode_frame(session, small, 0, FRAME(0), NULL));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    check_all_decoded(&all, 1);
    nalu_decompression_session_release(session);
    heap_counter_stop();
    CHECK(atomic_load(&heap_peak_bytes) < 16 * MEGABYTE);
    decoded_clear(&all);
    nalu_sample_release(sample);
    nalu_sample_release(small);
    nalu_sample_release(large);
    nalu_reader_release(reader);
    clip_close(&c);
}

/* 139,264 macroblocks: 8192x4352 pixels have exactly as many, and one more row of macroblocks exceeds the
 * limit. */
static void the_default_pixel_limit_is_that_of_level_6_2(void) {
    nalu_sample *sample = NULL;
    nalu_decompression_session *session = NULL;
    uint32_t track = 0;
    nalu_reader *reader = open_with(make_file("most.mp4", 8192, 4352), 0);
    REQUIRE_OK(create_with(nalu_reader_get_format_description(reader, 0), 0, &session));
    nalu_decompression_session_release(session);
    REQUIRE_OK(nalu_reader_next_sample(reader, &track, &sample));
    nalu_sample_release(sample);
    nalu_reader_release(reader);
    reader = open_with(make_file("more.mp4", 8192, 4354), 0);
    CHECK_STATUS(nalu_reader_next_sample(reader, &track, &sample), NALU_STATUS_INVALID_SIZE);
    check_sentence("8192x4368", "35782656", "35651584");
    CHECK_STATUS(create_with(nalu_reader_get_format_description(reader, 0), 0, &session), NALU_STATUS_INVALID_SIZE);
    check_sentence("8192x4368", "35782656", "35651584");
    nalu_reader_release(reader);
}

static void pixel_limits_below_one_are_refused(void) {
    const int64_t bad[] = {-1, INT64_MIN};
    clip c;
    media_clip(&c, 64, 48, 1);
    const char *path = test_path("small.mp4");
    media_write_file(path, &c, 0, NULL);
    for (size_t i = 0; i < 2; i++) {
        char value[64];
        nalu_decompression_session *session = NULL;
        nalu_reader_options options = NALU_READER_OPTIONS_INIT;
        nalu_reader *reader = NULL;
        options.maximum_pixel_count = bad[i];
        snprintf(value, sizeof value, "maximum_pixel_count is %lld; expected 1 or more", (long long)bad[i]);
        CHECK_STATUS(create_with(clip_format(&c), bad[i], &session), NALU_STATUS_OUT_OF_RANGE);
        CHECK(strstr(nalu_last_error_message(), value));
        CHECK_STATUS(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_OUT_OF_RANGE);
        CHECK(strstr(nalu_last_error_message(), value));
        REQUIRE_OK(create_with(clip_format(&c), i ? INT64_MAX : 64 * 48, &session));
        nalu_decompression_session_release(session);
    }
    clip_close(&c);
}

int main(void) {
    RUN(a_picture_above_the_limit_allocates_no_memory);
    RUN(parameter_sets_inside_a_sample_are_limited_too);
    RUN(the_default_pixel_limit_is_that_of_level_6_2);
    RUN(pixel_limits_below_one_are_refused);
    return check_result();
}
