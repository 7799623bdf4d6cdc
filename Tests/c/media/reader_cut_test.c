/* A truncated file is reported, and its reader has failed at the end. */
#include "media_reading.h"

#include <fcntl.h>
#include <unistd.h>

enum { FRAMES = 60 };

static clip movie;

static int32_t append(void *refcon, const uint8_t *bytes, size_t size) {
    return fwrite(bytes, 1, size, (FILE *)refcon) == size ? 0 : EIO;
}

/* Writes without seeking. An element whose size is not known in advance then stores no size. */
static void write_stream(const char *path, const char *container) {
    FILE *file = fopen(path, "wb");
    nalu_writer *writer = NULL;
    REQUIRE(file);
    REQUIRE_OK(nalu_writer_create_with_callbacks(append, NULL, file, NULL, container, NULL, &writer));
    media_write_all(writer, &movie, NULL);
    media_finish(writer);
    fclose(file);
}

/* Reads to the end. Returns how often damage was reported. */
static int read_to_end(nalu_reader *reader, int *samples) {
    int damages = 0;
    nalu_sample *sample = NULL;
    nalu_status status;
    *samples = 0;
    for (int i = 0; i < 2 * FRAMES; i++) {
        status = nalu_reader_next_sample(reader, NULL, &sample);
        if (status == NALU_STATUS_VALUE_NOT_AVAILABLE) return damages;
        if (status == NALU_STATUS_OK) {
            ++*samples;
            nalu_sample_release(sample);
        } else if (CHECK_STATUS(status, NALU_STATUS_BAD_DATA)) {
            damages++;
        }
    }
    CHECK(!"the end");
    return damages;
}

static void check_cut(const uint8_t *bytes, size_t size, bool seeks, const char *name) {
    input file = {.bytes = bytes, .size = size};
    nalu_reader *reader = NULL;
    nalu_status status = nalu_reader_create_with_callbacks(input_read, seeks ? input_seek : NULL,
        seeks ? (int64_t)size : -1, &file, NULL, NULL, &reader);
    /* A file without any of its samples may be rejected. */
    if (status == NALU_STATUS_BAD_DATA || status == NALU_STATUS_UNSUPPORTED_DATA_FORMAT) return;
    REQUIRE(status == NALU_STATUS_OK);
    for (int again = 0; again <= (seeks ? 1 : 0); again++) {
        int samples = 0, damages = read_to_end(reader, &samples);
        if (!CHECK(damages >= 1) || !CHECK(samples <= FRAMES) ||
            !CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_FAILED))
            fprintf(stderr, "%s of %zu bytes, %s\n", name, size, seeks ? "seeking" : "not seeking");
        if (seeks) CHECK_OK(nalu_reader_seek(reader, nalu_time_zero()));
    }
    nalu_reader_release(reader);
}

static void check_whole(const uint8_t *bytes, size_t size, bool seeks) {
    int samples = 0;
    input file = {.bytes = bytes, .size = size};
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_callbacks(input_read, seeks ? input_seek : NULL, seeks ? (int64_t)size : -1,
        &file, NULL, NULL, &reader));
    CHECK_EQ(read_to_end(reader, &samples), 0);
    CHECK_EQ(samples, FRAMES);
    CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_COMPLETED);
    nalu_reader_release(reader);
}

/* Truncates a file at many places, and reads it with and without seeking. */
static void check_file(const char *name, bool has_ends) {
    size_t size = 0;
    uint8_t *bytes = media_read_file(test_path(name), &size);
    for (int seeks = 0; seeks < 2; seeks++) {
        check_whole(bytes, size, seeks);
        for (size_t part = 2; part < 40; part += 3) check_cut(bytes, size * part / 40, seeks, name);
        if (has_ends) check_cut(bytes, size - 1, seeks, name);
    }
    free(bytes);
}

static void a_truncated_matroska_is_reported(void) {
    media_write_file(test_path("a.mkv"), &movie, 0, NULL);
    check_file("a.mkv", true);
    write_stream(test_path("b.mkv"), "matroska");
    check_file("b.mkv", false);
}

static void a_truncated_mp4_is_reported(void) {
    media_write_file(test_path("fast.mp4"), &movie, NALU_WRITER_FAST_START, NULL);
    check_file("fast.mp4", true);
    media_write_file(test_path("parts.mp4"), &movie, NALU_WRITER_FRAGMENTED, NULL);
    check_file("parts.mp4", false);
}

/* Copies the audio of a file, too. Returns how often damage was reported. */
static int copy_to_end(const char *path) {
    int damages = 0, samples = 0;
    uint32_t track = 0;
    FILE *file = fopen(test_path("copy.mkv"), "wb");
    nalu_reader *reader = reader_of(path);
    nalu_writer *writer = NULL;
    REQUIRE(file);
    REQUIRE_OK(nalu_writer_create_with_callbacks(append, NULL, file, NULL, "matroska", NULL, &writer));
    for (uint32_t i = 0; i < nalu_reader_get_track_count(reader); i++)
        if (track_of(reader, i).media_type == NALU_MEDIA_TYPE_AUDIO)
            REQUIRE_OK(nalu_writer_add_track_from_reader(writer, reader, i, &track));
    damages = read_to_end(reader, &samples);
    CHECK_EQ(nalu_reader_get_status(reader), damages ? NALU_READER_STATUS_FAILED : NALU_READER_STATUS_COMPLETED);
    nalu_reader_release(reader);
    nalu_writer_release(writer);
    fclose(file);
    return damages;
}

/* Each tag states its size, also that of a copied track. */
static void a_truncated_flv_is_reported(void) {
    size_t size = 0, cuts = 0;
    int status = 1;
    media_write_file(test_path("movie.mp4"), &movie, 0, NULL);
    media_run(&status, "ffmpeg -nostdin -v error -i '%s' -f lavfi -i sine=duration=2 -c:v copy -c:a aac -y '%s' 2>&1",
        test_path("movie.mp4"), test_path("sound.flv"));
    REQUIRE(status == 0);
    CHECK_EQ(copy_to_end(test_path("sound.flv")), 0);
    uint8_t *bytes = media_read_file(test_path("sound.flv"), &size);
    for (size_t tag = 13, next = 0, number = 0; tag + 11 < size; tag = next, number++) {
        const size_t length = (size_t)bytes[tag + 1] << 16 | (size_t)bytes[tag + 2] << 8 | bytes[tag + 3];
        next = tag + 11 + length + 4;
        if (number < 40 || number % 5 || length < 40 || next > size) continue;
        cuts++;
        if (!CHECK_EQ(copy_to_end(test_file("cut.flv", bytes, tag + 11 + length / 2)), 1))
            fprintf(stderr, "in a tag of type %d at byte %zu\n", bytes[tag], tag);
    }
    CHECK(cuts > 10);
    free(bytes);
}

/* Frames of transport streams and raw streams have no lengths, so a truncation cannot be detected. */
static void truncated_streams_count_as_complete(void) {
    static const char *const names[] = {"a.ts", "a.h264"};
    for (size_t n = 0; n < 2; n++) {
        size_t size = 0;
        int samples = 0;
        const char *path = test_path(names[n]);
        media_write_file(path, &movie, 0, NULL);
        uint8_t *bytes = media_read_file(path, &size);
        nalu_reader *reader = reader_of(test_file(n ? "half.h264" : "half.ts", bytes, size / 2));
        read_to_end(reader, &samples);
        CHECK(samples > FRAMES / 4 && samples < FRAMES);
        nalu_reader_release(reader);
        free(bytes);
    }
}

/* libavformat does not parse streams whose parameters are known, because its parser would write to the process's
 * stderr. */
static void an_intact_stream_writes_nothing_to_stderr(void) {
    int samples = 0;
    const char *path = test_path("long.ts"), *log = test_path("stderr.txt");
    media_write_file(path, &movie, 0, NULL);
    int kept = dup(2), file = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    REQUIRE(kept >= 0 && file >= 0 && dup2(file, 2) == 2);
    nalu_reader *reader = NULL;
    nalu_status status = nalu_reader_create_with_path(path, NULL, &reader);
    int damages = status == NALU_STATUS_OK ? read_to_end(reader, &samples) : -1;
    nalu_time duration = nalu_reader_get_duration(reader);
    nalu_reader_release(reader);
    dup2(kept, 2);
    close(kept);
    close(file);
    size_t size = 0;
    free(media_read_file(log, &size));
    CHECK_EQ(size, 0);
    CHECK_EQ(damages, 0);
    CHECK_EQ(samples, FRAMES);
    CHECK_NEAR(nalu_time_get_seconds(duration), FRAMES / 30.0, 0.01);
}

int main(void) {
    media_open(&movie, 320, 240);
    REQUIRE_OK(nalu_session_set_int64(movie.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 600));
    REQUIRE_OK(nalu_session_set_int64(movie.session, NALU_PROPERTY_AVERAGE_BIT_RATE, 4000000));
    clip_encode_all(&movie, FRAMES);
    RUN(a_truncated_matroska_is_reported);
    RUN(a_truncated_mp4_is_reported);
    RUN(a_truncated_flv_is_reported);
    RUN(truncated_streams_count_as_complete);
    RUN(an_intact_stream_writes_nothing_to_stderr);
    clip_close(&movie);
    return check_result();
}
