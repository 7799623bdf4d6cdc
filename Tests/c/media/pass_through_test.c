/* Audio is copied unchanged from a reader to a writer, beside the video. FFmpeg makes the sources and checks
 * the results. */
#include "media_reading.h"

#include <math.h>

static const char *source(const char *name, const char *options) {
    const char *path = test_path(name);
    if (access(path, F_OK) == 0) return path;
    int status = 0;
    media_run(&status, "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x96:rate=30:duration=3"
        " -f lavfi -i sine=frequency=440:duration=3 -c:v libx264 -preset ultrafast -bf 2 -g 30 -pix_fmt yuv420p %s"
        " -metadata:s:a:0 language=deu '%s'", options, path);
    REQUIRE(status == 0);
    return path;
}

static uint32_t audio_of(nalu_reader *reader) {
    for (uint32_t i = 0; i < nalu_reader_get_track_count(reader); i++)
        if (track_of(reader, i).media_type == NALU_MEDIA_TYPE_AUDIO) return i;
    REQUIRE(!"a audio track");
    return 0;
}

static uint32_t picture_of(nalu_reader *reader) {
    for (uint32_t i = 0; i < nalu_reader_get_track_count(reader); i++)
        if (track_of(reader, i).flags & NALU_TRACK_SELECTED) return i;
    REQUIRE(!"a track of video");
    return 0;
}

/* Returns the MD5 sum of an audio track that ffmpeg copies, without the container's framing. The first track is
 * AAC. */
static const char *audio_bytes(const char *path, int track) {
    static char sums[2][64];
    static int next;
    char *sum = sums[next++ % 2];
    snprintf(sum, sizeof sums[0], "%.32s", media_run(NULL,
        "ffmpeg -nostdin -v error -i '%s' -map 0:a:%d -c copy %s -f data - | md5sum", path, track,
        track == 0 ? "-bsf:a aac_adtstoasc" : ""));
    return sum;
}

/* Computes two times in seconds: the first presentation time of the audio minus that of the video, and the last
 * of the audio minus its first. */
static void offsets(const char *path, double *beginning, double *length) {
    char *text = media_run(NULL, "ffprobe -v error -show_entries packet=codec_type,pts_time -of csv=p=0 '%s'", path);
    double first = 1e9, last = -1e9, video = 1e9;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *comma = strchr(line, ',');
        if (!comma) continue;
        const double time = atof(comma + 1);
        if (strncmp(line, "video", 5) == 0) video = fmin(video, time);
        if (strncmp(line, "audio", 5) != 0) continue;
        first = fmin(first, time);
        last = fmax(last, time);
    }
    *beginning = first - video;
    *length = last - first;
}

/* Copies audio and video. If `is_first`, the audio is added before the video. */
static void pass(const char *from, const char *to, const char *container, uint32_t flags, bool is_first) {
    nalu_reader *reader = reader_of(from);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    uint32_t audio = 9, video = 9, read = 0;
    nalu_sample *sample = NULL;
    nalu_format_description *format = nalu_reader_get_format_description(reader, picture_of(reader));
    options.flags = flags | NALU_WRITER_OVERWRITE;
    REQUIRE_OK(nalu_writer_create_with_path(to, container, &options, &writer));
    if (!is_first) REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, &video));
    REQUIRE_OK(nalu_writer_add_track_from_reader(writer, reader, audio_of(reader), &audio));
    if (is_first) REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, &video));
    CHECK_EQ(audio, is_first ? 0 : 1);
    CHECK_EQ(video, is_first ? 1 : 0);
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, reader, audio_of(reader), NULL), NALU_STATUS_OUT_OF_ORDER);
    while (nalu_reader_next_sample(reader, &read, &sample) == NALU_STATUS_OK) {
        CHECK_EQ(read, picture_of(reader));
        CHECK_OK(nalu_writer_write_sample(writer, video, sample));
        nalu_sample_release(sample);
    }
    CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_COMPLETED);
    media_finish(writer);
    nalu_reader_release(reader);
}

static const struct {
    const char *name, *options;
} sources[] = {{"in.mp4", "-c:a aac"}, {"in.mkv", "-c:a aac"}, {"in.ts", "-c:a aac"}, {"in.flv", "-c:a aac"}};

static const struct {
    const char *name, *container;
    uint32_t flags;
} outputs[] = {{"out.mp4", "mp4", 0}, {"fast.mp4", "mp4", NALU_WRITER_FAST_START}, {"fragmented.mp4", "mp4", NALU_WRITER_FRAGMENTED},
               {"out.mov", "mov", 0}, {"out.mkv", "matroska", 0}, {"out.ts", "mpegts", 0}, {"out.flv", "flv", 0}};

enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* One process of FFmpeg decodes all outputs, without a message, and computes the MD5 sum of each first audio track. */
static void check_outputs(const char *from, const char *sum) {
    char command[1600], name[64];
    size_t used = (size_t)snprintf(command, sizeof command, "ffmpeg -nostdin -v warning -y");
    for (int i = 0; i < OUTPUTS; i++)
        used += (size_t)snprintf(command + used, sizeof command - used, " -i %s", outputs[i].name);
    for (int i = 0; i < OUTPUTS; i++)
        used += (size_t)snprintf(command + used, sizeof command - used,
            " -map %d:v -map %d:a -f null - -map %d:a:0 -c copy -bsf:a aac_adtstoasc -f md5 %s.md5", i, i, i, outputs[i].name);
    REQUIRE(used < sizeof command);
    bool good = CHECK_STR_EQ(media_run(NULL, "cd '%s' && %s 2>&1", test_path(""), command), "");
    for (int i = 0; i < OUTPUTS; i++) {
        size_t size = 0;
        snprintf(name, sizeof name, "%s.md5", outputs[i].name);
        uint8_t *text = media_read_file(test_path(name), &size);
        good &= CHECK_EQ(size, strlen(sum)) && CHECK_BYTES(text, sum, size);
        free(text);
    }
    if (!good) fprintf(stderr, "from %s\n", from);
}

static void audio_is_copied_completely_and_synchronously(void) {
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const char *from = source(sources[i].name, sources[i].options);
        double begins = 0, lasts = 0;
        offsets(from, &begins, &lasts);
        char expected[64];
        snprintf(expected, sizeof expected, "MD5=%s\n", audio_bytes(from, 0));
        for (size_t j = 0; j < OUTPUTS; j++) {
            const char *to = test_path(outputs[j].name);
            pass(from, to, outputs[j].container, outputs[j].flags, j % 2 == 1);
            double begins_now = 0, lasts_now = 0;
            offsets(to, &begins_now, &lasts_now);
            bool good = CHECK(begins_now - begins < 0.0021 && begins - begins_now < 0.0021);
            good &= CHECK(lasts_now - lasts < 0.0021 && lasts - lasts_now < 0.0021);
            if (!good) fprintf(stderr, "%s to %s: %f %f, %f %f\n", sources[i].name, outputs[j].name, begins, begins_now, lasts, lasts_now);
        }
        check_outputs(sources[i].name, expected);
    }
}

/* The sources include containers that describe their audio incompletely, so that its packets are parsed, and a
 * writer that rejected a track first. */
static void several_tracks_are_copied(void) {
    static const char *const names[] = {"two.ts", "two.mkv", "two.mp4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *from = source(names[i], "-map 0:v -map 1:a -map 1:a -c:a:0 aac -c:a:1 mp2");
        const char *to = test_path("two_out.mkv");
        nalu_reader *reader = reader_of(from);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        nalu_writer *writer = NULL, *other = NULL;
        uint32_t video = 0;
        nalu_sample *sample = NULL;
        options.flags = NALU_WRITER_OVERWRITE;
        REQUIRE_OK(nalu_writer_create_with_path(to, NULL, &options, &writer));
        REQUIRE_OK(nalu_writer_create_with_path(test_path("none.h264"), NULL, &options, &other));
        for (uint32_t track = 0; track < nalu_reader_get_track_count(reader); track++) {
            if (track_of(reader, track).media_type != NALU_MEDIA_TYPE_AUDIO) continue;
            CHECK_EQ(nalu_writer_add_track_from_reader(other, reader, track, NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            CHECK_OK(nalu_writer_add_track_from_reader(writer, reader, track, NULL));
        }
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, picture_of(reader)), NULL, &video));
        CHECK_EQ(video, 2);
        while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
            CHECK_OK(nalu_writer_write_sample(writer, video, sample));
            nalu_sample_release(sample);
        }
        media_finish(writer);
        nalu_writer_release(other);
        nalu_reader_release(reader);
        for (int track = 0; track < 2; track++) CHECK_STR_EQ(audio_bytes(to, track), audio_bytes(from, track));
    }
}

static void the_language_is_kept(void) {
    pass(source("in.mp4", "-c:a aac"), test_path("language.mp4"), "mp4", 0, false);
    char *language = media_run(NULL,
        "ffprobe -v error -select_streams a -show_entries stream_tags=language -of csv=p=0 '%s'", test_path("language.mp4"));
    CHECK_STR_EQ(language, "deu\n");
}

static void tracks_that_cannot_be_copied_are_refused(void) {
    nalu_reader *reader = reader_of(source("in.mp4", "-c:a aac"));
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL, *stream = NULL;
    nalu_sample *sample = NULL;
    options.flags = NALU_WRITER_OVERWRITE;
    REQUIRE_OK(nalu_writer_create_with_path(test_path("refused.mp4"), NULL, &options, &writer));
    REQUIRE_OK(nalu_writer_create_with_path(test_path("refused.h264"), NULL, &options, &stream));
    const uint32_t audio = audio_of(reader);
    CHECK_EQ(nalu_writer_add_track_from_reader(NULL, reader, audio, NULL), NALU_STATUS_PARAMETER);
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, NULL, audio, NULL), NALU_STATUS_PARAMETER);
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, (nalu_reader *)(void *)writer, audio, NULL), NALU_STATUS_INVALID_HANDLE);
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, reader, 7, NULL), NALU_STATUS_OUT_OF_RANGE);
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, reader, picture_of(reader), NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK_EQ(nalu_writer_add_track_from_reader(stream, reader, audio, NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, reader, audio, NULL), NALU_STATUS_OUT_OF_ORDER);
    nalu_sample_release(sample);
    nalu_writer_release(writer);
    nalu_writer_release(stream);
    nalu_reader_release(reader);
    /* FLV does not support Opus. */
    reader = reader_of(source("opus.mkv", "-c:a libopus"));
    REQUIRE_OK(nalu_writer_create_with_path(test_path("refused.flv"), NULL, &options, &writer));
    CHECK_EQ(nalu_writer_add_track_from_reader(writer, reader, audio_of(reader), NULL), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    nalu_writer_release(writer);
    nalu_reader_release(reader);
}

static void rewrite(const char *path, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static int packets_of(const char *path, const char *kind) {
    return atoi(media_run(NULL,
        "ffprobe -v error -select_streams %s -count_packets -show_entries stream=nb_read_packets -of csv=p=0 '%s'", kind, path));
}

/* Copies the video and all audio that the writer accepts. */
static nalu_writer_counts copy(const char *from, const char *to, nalu_status expected) {
    nalu_writer_counts counts = {.struct_size = sizeof counts};
    nalu_reader *reader = reader_of(from);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    nalu_sample *sample = NULL;
    uint32_t video = 0;
    options.flags = NALU_WRITER_OVERWRITE;
    REQUIRE_OK(nalu_writer_create_with_path(to, NULL, &options, &writer));
    CHECK_STATUS(nalu_writer_add_track_from_reader(writer, reader, audio_of(reader), NULL), expected);
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, picture_of(reader)), NULL, &video));
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        CHECK_OK(nalu_writer_write_sample(writer, video, sample));
        nalu_sample_release(sample);
    }
    CHECK_OK(nalu_writer_finish(writer));
    CHECK_OK(nalu_writer_get_counts(writer, &counts));
    nalu_writer_release(writer);
    nalu_reader_release(reader);
    return counts;
}

/* A track in the program map table without any packets. Its parameters are unknown, so it is left out. */
static void a_track_without_packets_is_refused(void) {
    static const char *const names[] = {"silent.mp4", "silent.mkv", "silent_out.ts", "silent.flv"};
    char *from = strdup(test_path("silent.ts"));
    size_t size = 0;
    uint8_t *bytes = media_read_file(source("in.ts", "-c:a aac"), &size);
    for (size_t at = 0; at + 188 <= size; at += 188)
        if ((bytes[at + 1] & 0x1f) == 0x01 && bytes[at + 2] == 0x01) bytes[at + 1] |= 0x1f, bytes[at + 2] = 0xff;
    rewrite(from, bytes, size);
    free(bytes);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        copy(from, test_path(names[i]), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK_EQ(packets_of(test_path(names[i]), "v"), 90);
        CHECK_STR_EQ(media_run(NULL, "ffmpeg -nostdin -v warning -i '%s' -f null - 2>&1", test_path(names[i])), "");
    }
    free(from);
}

/* E-AC-3 frames with a corrupt synchronization word, which the mp4 muxer cannot parse. All other frames
 * arrive. */
static void corrupt_packets_are_left_out(void) {
    char *from = strdup(source("eac3.mkv", "-c:a eac3 -b:a 64k -ar 48000")), *damaged = strdup(test_path("damaged.mkv"));
    char *to = strdup(test_path("damaged.mp4"));
    size_t size = 0, plain_size = 0;
    int status = 0, count = 0;
    media_run(&status, "ffmpeg -nostdin -v error -i '%s' -map 0:a -c copy -y '%s'", from, test_path("plain.eac3"));
    REQUIRE(status == 0);
    uint8_t *plain = media_read_file(test_path("plain.eac3"), &plain_size), *bytes = media_read_file(from, &size);
    REQUIRE(plain_size > 5);
    for (size_t at = 0; at + 5 <= size; at++)
        if (memcmp(bytes + at, plain, 5) == 0 && (++count == 20 || count == 21 || count == 40)) bytes[at] = 0;
    REQUIRE(count > 60);
    rewrite(damaged, bytes, size);
    free(bytes);
    free(plain);
    nalu_writer_counts counts = copy(damaged, to, NALU_STATUS_OK);
    CHECK_EQ(counts.left_out_packets, 3);
    CHECK_EQ(packets_of(to, "v"), 90);
    CHECK_EQ(packets_of(to, "a"), packets_of(from, "a") - 3);
    CHECK_STR_EQ(media_run(NULL, "ffmpeg -nostdin -v warning -i '%s' -f null - 2>&1", to), "");
    free(from);
    free(damaged);
    free(to);
}

/* Fails like a full disk. The error is returned by the writer's next call, whichever function wrote. */
static int32_t refuse_later(void *refcon, const uint8_t *bytes, size_t size) {
    size_t *left = (size_t *)refcon;
    (void)bytes;
    if (size > *left) return 28; /* ENOSPC */
    *left -= size;
    return 0;
}

static void a_failure_while_copying_is_reported_by_the_writer(void) {
    nalu_reader *reader = reader_of(source("in.mp4", "-c:a aac"));
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    nalu_sample *sample = NULL;
    nalu_status status = NALU_STATUS_OK;
    size_t left = 20000;
    options.flags = NALU_WRITER_FRAGMENTED;
    REQUIRE_OK(nalu_writer_create_with_callbacks(refuse_later, NULL, &left, NULL, "mp4", &options, &writer));
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, picture_of(reader)), NULL, NULL));
    REQUIRE_OK(nalu_writer_add_track_from_reader(writer, reader, audio_of(reader), NULL));
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        status = status ? status : nalu_writer_write_sample(writer, 0, sample);
        nalu_sample_release(sample);
    }
    CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_COMPLETED);
    status = status ? status : nalu_writer_finish(writer);
    CHECK_EQ(status, NALU_STATUS_INPUT_OUTPUT);
    nalu_writer_release(writer);
    nalu_reader_release(reader);
}

int main(void) {
    RUN(audio_is_copied_completely_and_synchronously);
    RUN(several_tracks_are_copied);
    RUN(the_language_is_kept);
    RUN(tracks_that_cannot_be_copied_are_refused);
    RUN(a_track_without_packets_is_refused);
    RUN(corrupt_packets_are_left_out);
    RUN(a_failure_while_copying_is_reported_by_the_writer);
    return check_result();
}
