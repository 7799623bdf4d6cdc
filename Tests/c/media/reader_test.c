/* nalu_reader returns unchanged what nalu_writer has written, for every container. */
#include "media_reading.h"

#include <pthread.h>

static clip movie;

typedef struct kind {
    const char *name, *container;
    uint32_t flags;
    int32_t timescale; /* of a container that rounds times; 0: exact */
} kind;

static const kind kinds[] = {
    {"a.mp4", "mp4", 0, 0},
    {"b.mp4", "mp4", NALU_WRITER_FRAGMENTED, 0},
    {"c.mp4", "mp4", NALU_WRITER_FAST_START, 0},
    {"a.mov", "mov", 0, 0},
    {"a.mkv", "matroska", 0, 1000},
    {"a.flv", "flv", 0, 1000},
    {"a.h264", "h264", 0, 0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *file_of(const kind *k) {
    const char *path = test_path(k->name);
    if (access(path, F_OK) != 0) media_write_file(path, &movie, k->flags, NULL);
    return path;
}

/* FLV shifts all times so that none is negative. */
static nalu_time moved_by(const kind *k) {
    nalu_time first = nalu_sample_get_decode_time(movie.samples[0]);
    return strcmp(k->container, "flv") == 0 ? nalu_time_make(-first.value, first.timescale) : nalu_time_zero();
}

static void every_container_returns_what_was_written(void) {
    for (size_t i = 0; i < KINDS; i++) {
        nalu_reader *reader = reader_of(file_of(&kinds[i]));
        CHECK_STR_EQ(nalu_reader_get_container(reader), kinds[i].container);
        CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_UNKNOWN);
        CHECK_EQ(nalu_reader_get_track_count(reader), 1);
        nalu_reader_track track = track_of(reader, 0);
        CHECK_EQ(track.struct_size, sizeof track);
        CHECK_EQ(track.media_type, NALU_MEDIA_TYPE_VIDEO);
        CHECK_EQ(track.codec, NALU_CODEC_H264);
        CHECK_STR_EQ(track.codec_name, "h264");
        CHECK(track.flags & NALU_TRACK_READABLE && track.flags & NALU_TRACK_SELECTED);
        CHECK_EQ(track.width, 128);
        CHECK_EQ(track.height, 96);
        CHECK_EQ(track.rotation, 0);
        CHECK_EQ(track.is_mirrored, 0);
        CHECK(track.transform[0] == 1 && track.transform[3] == 1 && track.transform[1] == 0 && track.transform[4] == 0);
        CHECK_EQ(track.pixel_aspect_ratio_horizontal, 1);
        CHECK_EQ(track.timescale, kinds[i].timescale ? kinds[i].timescale : 30);
        CHECK_STR_EQ(track.language, "und");
        CHECK(same_rounded_time(track.start_time, nalu_time_add(nalu_time_zero(), moved_by(&kinds[i])), kinds[i].timescale));
        if (strcmp(kinds[i].container, "h264") == 0) {
            CHECK_EQ(nalu_time_is_numeric(nalu_reader_get_duration(reader)), 0);
        } else {
            CHECK_NEAR(nalu_time_get_seconds(nalu_reader_get_duration(reader)), movie.count / 30.0, 0.07);
            if (kinds[i].timescale == 0) CHECK_NEAR(track.nominal_frame_rate, 30, 1);
        }
        nalu_format_description *format = nalu_reader_get_format_description(reader, 0);
        CHECK(nalu_format_description_equal(format, nalu_sample_get_format_description(movie.samples[0])));
        nalu_sample *first = NULL;
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &first));
        CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_READING);
        check_sample(first, movie.samples[0], moved_by(&kinds[i]), kinds[i].timescale);
        CHECK_PTR_EQ(nalu_sample_get_format_description(first), format);
        check_samples(reader, &movie, 1, moved_by(&kinds[i]), kinds[i].timescale);
        nalu_reader_release(reader);
        /* A sample stays valid after its reader is released. */
        check_sample(first, movie.samples[0], moved_by(&kinds[i]), kinds[i].timescale);
        nalu_sample_release(first);
    }
}

/* The muxer adds a delimiter before each picture, which stays. All times are shifted by a constant. */
static void a_transport_stream_returns_its_samples_with_delimiters(void) {
    const char *path = test_path("a.ts");
    media_write_file(path, &movie, 0, NULL);
    nalu_reader *reader = reader_of(path);
    CHECK_STR_EQ(nalu_reader_get_container(reader), "mpegts");
    nalu_reader_track track = track_of(reader, 0);
    CHECK_EQ(track.timescale, 90000);
    CHECK_EQ(track.width, 128);
    CHECK_NEAR(nalu_time_get_seconds(track.duration), movie.count / 30.0, 0.04);
    nalu_time moved = nalu_time_subtract(track.start_time, nalu_sample_get_presentation_time(movie.samples[0]));
    for (int i = 0; i < movie.count; i++) {
        nalu_sample *sample = NULL;
        if (!CHECK_OK(nalu_reader_next_sample(reader, NULL, &sample))) break;
        size_t size = 0, expected = 0;
        const uint8_t *bytes = nalu_sample_get_data(sample, &size);
        const uint8_t *others = nalu_sample_get_data(movie.samples[i], &expected);
        if (CHECK_EQ(size, expected + 6)) {
            CHECK_BYTES(bytes, "\0\0\0\2\x09\xf0", 6);
            CHECK_BYTES(bytes + 6, others, expected);
        }
        nalu_time pts = nalu_time_add(nalu_sample_get_presentation_time(movie.samples[i]), moved);
        nalu_time dts = nalu_time_add(nalu_sample_get_decode_time(movie.samples[i]), moved);
        CHECK(same_rounded_time(nalu_sample_get_presentation_time(sample), pts, 90000));
        CHECK(same_rounded_time(nalu_sample_get_decode_time(sample), dts, 90000));
        CHECK_EQ(nalu_sample_get_attachments(sample), nalu_sample_get_attachments(movie.samples[i]));
        CHECK(nalu_format_description_equal(nalu_sample_get_format_description(sample),
                                            nalu_sample_get_format_description(movie.samples[i])));
        nalu_sample_release(sample);
    }
    nalu_sample *none = NULL;
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &none), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_reader_release(reader);
}

static void rotation_and_mirroring_are_read(void) {
    for (int32_t turn = 0; turn < 2 * 360; turn += 90) {
        const int32_t rotation = turn % 360, is_mirrored = turn / 360;
        nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
        options.rotation = rotation;
        options.is_mirrored = is_mirrored;
        const char *path = test_path("turned.mp4");
        media_write_file(path, &movie, NALU_WRITER_OVERWRITE, &options);
        nalu_reader *reader = reader_of(path);
        nalu_reader_track track = track_of(reader, 0);
        CHECK_EQ(track.rotation, rotation);
        CHECK_EQ(track.is_mirrored, is_mirrored);
        CHECK_EQ(track.width, 128);
        /* The left edge is shown on the right if the picture is either mirrored or rotated by 180 degrees, not
         * both. */
        CHECK_NEAR(track.transform[4], rotation == 90 ? 96 : rotation == (is_mirrored ? 0 : 180) ? 128 : 0, 0);
        nalu_reader_release(reader);
    }
}

/* ---- Files of other programs -------------------------------------------------------------------------------------- */

/* Returns a sample with its format's parameter sets and its data, with 4-byte lengths. */
static nalu_sample *with_sets(const nalu_sample *sample, nalu_format_description *format, nalu_time moved) {
    static uint8_t data[1 << 18];
    size_t used = 0, size = 0;
    const nalu_format_description *own = nalu_sample_get_format_description(sample);
    for (uint32_t i = 0; i < nalu_format_description_get_parameter_set_count(own); i++) {
        const uint8_t *set = nalu_format_description_get_parameter_set(own, i, &size);
        for (int shift = 24; shift >= 0; shift -= 8) data[used++] = (uint8_t)(size >> shift);
        memcpy(data + used, set, size);
        used += size;
    }
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    REQUIRE(used + size <= sizeof data);
    memcpy(data + used, bytes, size);
    nalu_sample *made = NULL;
    REQUIRE_OK(nalu_sample_create(data, used + size, format,
        nalu_time_add(nalu_sample_get_presentation_time(sample), moved), nalu_sample_get_duration(sample),
        nalu_time_add(nalu_sample_get_decode_time(sample), moved), nalu_sample_get_attachments(sample), &made));
    return made;
}

/* Parameter sets in the samples of an MP4 are removed, and changed ones become a new format description. */
static void parameter_sets_in_samples_become_a_format_description(void) {
    static clip other;
    media_clip(&other, 80, 64, 20);
    const char *path = test_path("within.mp4");
    const nalu_time moved = nalu_time_make(60, 30);
    nalu_format_description *format = nalu_sample_get_format_description(movie.samples[0]);
    nalu_writer *writer = media_writer_to(path, NULL);
    REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, NULL));
    for (int i = 0; i < movie.count + other.count; i++) {
        bool is_other = i >= movie.count;
        nalu_sample *sample = is_other ? with_sets(other.samples[i - movie.count], format, moved)
                                       : with_sets(movie.samples[i], format, nalu_time_zero());
        CHECK_OK(nalu_writer_write_sample(writer, 0, sample));
        nalu_sample_release(sample);
    }
    media_finish(writer);
    nalu_reader *reader = reader_of(path);
    for (int i = 0; i < movie.count; i++) {
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
        size_t size = 0, expected = 0;
        (void)nalu_sample_get_data(sample, &size);
        (void)nalu_sample_get_data(movie.samples[i], &expected);
        CHECK_EQ(size, expected);
        CHECK_PTR_EQ(nalu_sample_get_format_description(sample), nalu_reader_get_format_description(reader, 0));
        nalu_sample_release(sample);
    }
    check_samples(reader, &other, 0, moved, 0);
    CHECK_EQ(nalu_format_description_get_width(nalu_reader_get_format_description(reader, 0)), 80);
    nalu_reader_release(reader);
    clip_close(&other);
}

/* AVI has no presentation times, so they follow from the order of the pictures. */
static void avi_times_follow_from_the_picture_order(void) {
    static const char *const filters[] = {"", "-bsf:v h264_mp4toannexb"};
    for (int i = 0; i < 2; i++) {
        int status = 1;
        const char *path = test_path("a.avi");
        media_run(&status, "ffmpeg -nostdin -v error -i '%s' -c copy %s -y '%s' 2>&1", file_of(&kinds[0]), filters[i], path);
        REQUIRE(status == 0);
        nalu_reader_options options = NALU_READER_OPTIONS_INIT;
        nalu_reader *reader = NULL;
        options.frame_duration = nalu_time_make(1, 30);
        REQUIRE_OK(nalu_reader_create_with_path(path, &options, &reader));
        CHECK_STR_EQ(nalu_reader_get_container(reader), "avi");
        check_samples(reader, &movie, 0, nalu_time_zero(), 0);
        CHECK_OK(nalu_reader_seek(reader, nalu_time_zero()));
        check_samples(reader, &movie, 0, nalu_time_zero(), 0);
        nalu_reader_release(reader);
    }
}

/* The file begins between key frames: samples before the start are returned if they are needed, and the first
 * shown sample has time 0. */
static void samples_before_an_edit_are_returned_if_needed(void) {
    int status = 1;
    const char *path = test_path("cut.mp4");
    media_run(&status, "ffmpeg -nostdin -v error -ss 0.5 -i '%s' -c copy -y '%s' 2>&1", file_of(&kinds[0]), path);
    REQUIRE(status == 0);
    nalu_reader *reader = reader_of(path);
    CHECK_NEAR(nalu_time_get_seconds(track_of(reader, 0).start_time), 0, 0.034);
    nalu_sample *sample = NULL;
    int hidden = 0;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        if (nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)) < -0.001) {
            hidden++;
            CHECK(nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
        }
        nalu_sample_release(sample);
    }
    CHECK(hidden > 0 && hidden < 6);
    nalu_reader_release(reader);
}

/* ---- Callbacks ------------------------------------------------------------------------------------------------------ */

static void read_callbacks_give_the_same_samples_as_a_path(void) {
    for (size_t i = 0; i < KINDS; i++)
        for (int way = 0; way < 3; way++) {
            size_t size = 0;
            uint8_t *bytes = media_read_file(file_of(&kinds[i]), &size);
            input it = {.bytes = bytes, .size = size, .most = way ? 1000 : 0};
            nalu_reader *reader = NULL;
            nalu_status status = nalu_reader_create_with_callbacks(input_read, way < 2 ? input_seek : NULL,
                way == 1 ? -1 : (int64_t)size, &it, input_destroy, NULL, &reader);
            /* The index of these files is at the end. */
            if (way == 2 && (i == 0 || i == 3)) {
                CHECK_STATUS(status, NALU_STATUS_BAD_DATA);
                CHECK(strstr(nalu_last_error_message(), "moov"));
                CHECK_EQ(it.destroyed, 0);
            } else if (CHECK_OK(status)) {
                check_samples(reader, &movie, 0, moved_by(&kinds[i]), kinds[i].timescale);
                CHECK_EQ(it.destroyed, 0);
                nalu_reader_release(reader);
                CHECK_EQ(it.destroyed, 1);
            }
            free(bytes);
        }
}

static void a_failed_read_callback_is_reported(void) {
    for (size_t i = 0; i < KINDS; i++) {
        size_t size = 0;
        uint8_t *bytes = media_read_file(file_of(&kinds[i]), &size);
        input it = {.bytes = bytes, .size = size, .most = 512};
        nalu_reader *reader = NULL;
        REQUIRE_OK(nalu_reader_create_with_callbacks(input_read, input_seek, (int64_t)size, &it, NULL, NULL, &reader));
        it.fail_at = 1;
        nalu_status status = NALU_STATUS_OK;
        int count = 0;
        for (nalu_sample *sample = NULL; status == NALU_STATUS_OK && count < 1000; count++) {
            status = nalu_reader_next_sample(reader, NULL, &sample);
            nalu_sample_release(sample);
        }
        CHECK_STATUS(status, NALU_STATUS_INPUT_OUTPUT);
        CHECK(strstr(nalu_last_error_message(), "Input/output error"));
        nalu_sample *sample = NULL;
        CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_INPUT_OUTPUT);
        CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_FAILED);
        CHECK_OK(nalu_reader_cancel(reader));
        CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_FAILED);
        nalu_reader_release(reader);
        free(bytes);
    }
}

static int64_t reenter(void *refcon, uint8_t *bytes, size_t size) {
    input *it = (input *)refcon;
    if (it->reader) {
        nalu_sample *sample = NULL;
        nalu_reader_track track = {.struct_size = sizeof track};
        CHECK_STATUS(nalu_reader_next_sample(it->reader, NULL, &sample), NALU_STATUS_REENTRANT);
        CHECK(strstr(nalu_last_error_message(), "reader"));
        CHECK_STATUS(nalu_reader_seek(it->reader, nalu_time_zero()), NALU_STATUS_REENTRANT);
        CHECK_STATUS(nalu_reader_get_track(it->reader, 0, &track), NALU_STATUS_REENTRANT);
        CHECK_PTR_EQ(nalu_reader_get_format_description(it->reader, 0), NULL);
        CHECK_EQ(nalu_time_is_numeric(nalu_reader_get_duration(it->reader)), 0);
        CHECK_EQ(nalu_reader_get_track_count(it->reader), 0);
        CHECK_PTR_EQ(nalu_reader_get_container(it->reader), NULL);
        CHECK_EQ(nalu_reader_get_status(it->reader), NALU_READER_STATUS_READING);
    }
    return input_read(refcon, bytes, size);
}

static void calls_inside_a_read_callback_are_refused(void) {
    size_t size = 0;
    uint8_t *bytes = media_read_file(file_of(&kinds[2]), &size);
    input it = {.bytes = bytes, .size = size, .most = 700};
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_callbacks(reenter, input_seek, (int64_t)size, &it, NULL, NULL, &reader));
    it.reader = reader;
    check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    free(bytes);
}

/* ---- Seeking ---------------------------------------------------------------------------------------------------------- */

static int first_sample_at(double seconds) {
    int found = 0;
    for (int i = 0; i < movie.count; i++)
        if (nalu_sample_is_key_frame(movie.samples[i])
            && nalu_time_get_seconds(nalu_sample_get_presentation_time(movie.samples[i])) <= seconds)
            found = i;
    return found;
}

static void seeking_goes_to_the_key_frame_before_the_time(void) {
    static const double places[] = {1.0, 0.32, 0.3334, 0, 1.4, 0.7, 100, -5};
    for (size_t i = 0; i < KINDS + 1; i++) {
        static const kind ts = {"a.ts", "mpegts", 0, 90000};
        const kind *k = i < KINDS ? &kinds[i] : &ts;
        nalu_reader *reader = reader_of(file_of(k));
        nalu_time start = track_of(reader, 0).start_time;
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            nalu_time time = nalu_time_add(nalu_time_make_with_seconds(places[p], 100000), start);
            if (!CHECK_OK(nalu_reader_seek(reader, time))) continue;
            int first = first_sample_at(places[p]);
            if (p % 2 == 0 && i < KINDS && kinds[i].timescale == 0) {
                check_samples(reader, &movie, first, nalu_time_zero(), 0);
                continue;
            }
            nalu_sample *sample = NULL;
            CHECK_OK(nalu_reader_next_sample(reader, NULL, &sample));
            nalu_time expected = nalu_time_add(nalu_sample_get_presentation_time(movie.samples[first]), start);
            if (!CHECK(same_rounded_time(nalu_sample_get_presentation_time(sample), expected, k->timescale ? k->timescale : 30)))
                fprintf(stderr, "%s, at %f: %f, not %f\n", k->name, places[p],
                        nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)), nalu_time_get_seconds(expected));
            CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_READING);
            nalu_sample_release(sample);
        }
        CHECK_STATUS(nalu_reader_seek(reader, nalu_time_invalid()), NALU_STATUS_INVALID_TIME);
        nalu_reader_release(reader);
    }
    size_t size = 0;
    uint8_t *bytes = media_read_file(file_of(&kinds[1]), &size);
    input it = {.bytes = bytes, .size = size};
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_callbacks(input_read, NULL, (int64_t)size, &it, NULL, NULL, &reader));
    CHECK_STATUS(nalu_reader_seek(reader, nalu_time_zero()), NALU_STATUS_CONFLICT);
    check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
    free(bytes);
}

/* A frame that a container marks as a key frame need not be one. Decoding begins with the true key frame before
 * it. */
static void seeking_goes_to_true_key_frames(void) {
    enum { FALSE_ONE = 17, FALSE_OTHER = 25 };
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        if (strcmp(k->container, "h264") == 0) continue;
        char name[32];
        snprintf(name, sizeof name, "false_%s", k->name);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = k->flags;
        nalu_writer *writer = media_writer_to(test_path(name), &options);
        clip marked = movie;
        for (int n = FALSE_ONE; n <= FALSE_OTHER; n += FALSE_OTHER - FALSE_ONE) {
            size_t size = 0;
            const nalu_sample *sample = movie.samples[n];
            const uint8_t *bytes = nalu_sample_get_data(sample, &size);
            CHECK_EQ(nalu_sample_is_key_frame(sample), 0);
            REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(sample),
                nalu_sample_get_presentation_time(sample), nalu_sample_get_duration(sample),
                nalu_sample_get_decode_time(sample), 0, &marked.samples[n]));
        }
        media_write_all(writer, &marked, NULL);
        REQUIRE_OK(nalu_writer_finish(writer));
        nalu_writer_release(writer);
        nalu_sample_release(marked.samples[FALSE_ONE]);
        nalu_sample_release(marked.samples[FALSE_OTHER]);

        nalu_reader *reader = reader_of(test_path(name));
        for (int n = FALSE_ONE; n <= FALSE_OTHER; n++) {
            /* A time within the frame, because some containers round its start. */
            nalu_time time = nalu_time_add(nalu_sample_get_presentation_time(movie.samples[n]), nalu_time_make(1, 60));
            if (!CHECK_OK(nalu_reader_seek(reader, nalu_time_add(time, moved_by(k))))) continue;
            nalu_sample *first = NULL;
            CHECK_OK(nalu_reader_next_sample(reader, NULL, &first));
            int expected = first_sample_at(nalu_time_get_seconds(time));
            nalu_time place = nalu_time_add(nalu_sample_get_presentation_time(movie.samples[expected]), moved_by(k));
            CHECK_EQ(nalu_sample_is_key_frame(first), 1);
            if (!CHECK(same_rounded_time(nalu_sample_get_presentation_time(first), place, k->timescale)))
                fprintf(stderr, "%s, at sample %d\n", name, n);
            nalu_sample_release(first);
        }
        nalu_reader_release(reader);
    }
}

/* ---- Cancelling --------------------------------------------------------------------------------------------------------- */

static void *cancel_later(void *reader) {
    usleep(30000);
    CHECK_OK(nalu_reader_cancel((nalu_reader *)reader));
    return NULL;
}

/* A pipe without a writer. */
static void cancel_ends_a_blocked_read(void) {
    char path[512];
    size_t size = 0;
    uint8_t *bytes = media_read_file(file_of(&kinds[6]), &size);
    REQUIRE(size > 40000);
    snprintf(path, sizeof path, "%s", test_path("pipe"));
    REQUIRE(mkfifo(path, 0600) == 0);
    FILE *file = fopen(path, "r+b");
    REQUIRE(file && fwrite(bytes, 1, 20000, file) == 20000 && fflush(file) == 0);
    nalu_reader *reader = reader_of(path);
    pthread_t thread;
    nalu_status status = NALU_STATUS_OK;
    for (int i = 0; status == NALU_STATUS_OK; i++) {
        nalu_sample *sample = NULL;
        if (i == 0) REQUIRE(pthread_create(&thread, NULL, cancel_later, reader) == 0);
        status = nalu_reader_next_sample(reader, NULL, &sample);
        nalu_sample_release(sample);
    }
    pthread_join(thread, NULL);
    CHECK_STATUS(status, NALU_STATUS_CANCELLED);
    CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_CANCELLED);
    nalu_sample *sample = NULL;
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_CANCELLED);
    CHECK_STATUS(nalu_reader_seek(reader, nalu_time_zero()), NALU_STATUS_CANCELLED);
    nalu_reader_release(reader);
    fclose(file);
    free(bytes);

    reader = reader_of(file_of(&kinds[0]));
    CHECK_OK(nalu_reader_cancel(reader));
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_CANCELLED);
    CHECK_STR_EQ(nalu_status_string(NALU_STATUS_CANCELLED), "CANCELLED");
    nalu_reader_release(reader);
}

int main(void) {
    media_open(&movie, 128, 96);
    movie.noise = 255; /* makes the files larger than the reader's buffer */
    clip_encode_all(&movie, 45);
    RUN(every_container_returns_what_was_written);
    RUN(a_transport_stream_returns_its_samples_with_delimiters);
    RUN(rotation_and_mirroring_are_read);
    RUN(parameter_sets_in_samples_become_a_format_description);
    RUN(avi_times_follow_from_the_picture_order);
    RUN(samples_before_an_edit_are_returned_if_needed);
    RUN(read_callbacks_give_the_same_samples_as_a_path);
    RUN(a_failed_read_callback_is_reported);
    RUN(calls_inside_a_read_callback_are_refused);
    RUN(seeking_goes_to_the_key_frame_before_the_time);
    RUN(seeking_goes_to_true_key_frames);
    RUN(cancel_ends_a_blocked_read);
    clip_close(&movie);
    return check_result();
}
