/* A seek gives the samples, and their times, of reading from the beginning, also in containers whose times are counted. */
#include "media_reading.h"

enum { FRAMES = 40, RATE = 30 };

static clip movie;

typedef struct place {
    nalu_time presentation, decode;
    bool is_start;
    size_t size;
    uint8_t tail[8];
} place;

static void make(const char *arguments, const char *name) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' %s -y '%s' 2>&1", test_path("movie.mp4"), arguments,
        test_path(name));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
}

static bool next(nalu_reader *reader, place *found) {
    nalu_sample *sample = NULL;
    nalu_status status = nalu_reader_next_sample(reader, NULL, &sample);
    if (status == NALU_STATUS_VALUE_NOT_AVAILABLE || !CHECK_OK(status)) return false;
    memset(found, 0, sizeof *found);
    found->presentation = nalu_sample_get_presentation_time(sample);
    found->decode = nalu_sample_get_decode_time(sample);
    found->is_start = nalu_sample_is_key_frame(sample) || nalu_sample_get_attachments(sample) & NALU_SAMPLE_PARTIAL_SYNC;
    const uint8_t *bytes = nalu_sample_get_data(sample, &found->size);
    const size_t length = found->size < sizeof found->tail ? found->size : sizeof found->tail;
    memcpy(found->tail, bytes + found->size - length, length);
    nalu_sample_release(sample);
    return true;
}

static int same(const place *a, const place *b) {
    return CHECK_EQ(nalu_time_compare(a->presentation, b->presentation), 0) &
        CHECK_EQ(nalu_time_compare(a->decode, b->decode), 0) & CHECK_EQ(a->is_start, b->is_start) &
        CHECK_EQ(a->size, b->size) & CHECK_BYTES(a->tail, b->tail, sizeof a->tail);
}

/* Returns the number of the last start that is presented at or before a time. */
static int start_before(const place all[], int count, nalu_time time) {
    int found = 0;
    for (int i = 0; i < count; i++)
        if (all[i].is_start && nalu_time_compare(all[i].presentation, time) <= 0) found = i;
    return found;
}

static void check_seeks(const char *name, nalu_time moved) {
    static place all[FRAMES];
    place found;
    int count = 0, wrong = 0;
    nalu_reader *reader = reader_of(test_path(name));
    while (count < FRAMES && next(reader, &all[count])) count++;
    CHECK_EQ(count, FRAMES);
    CHECK(!next(reader, &found));
    /* The result of a seek depends neither on the reader's position nor on what was read: seeks go from the last start to the
       first, and then to each with a new reader. */
    for (int i = 2 * count - 1; i >= 0 && !wrong; i -= 3) {
        if (i % 2) {
            nalu_reader_release(reader);
            reader = reader_of(test_path(name));
        }
        const nalu_time time = nalu_time_add(all[i % count].presentation, moved);
        if (!CHECK_OK(nalu_reader_seek(reader, time))) break;
        for (int k = start_before(all, count, time); k < count && !wrong; k++)
            wrong = !CHECK(next(reader, &found)) || !same(&found, &all[k]);
        if (!wrong) wrong = !CHECK(!next(reader, &found));
        if (wrong) fprintf(stderr, "%s: a seek to %g s\n", name, nalu_time_get_seconds(time));
    }
    nalu_reader_release(reader);
}

static void a_seek_counts_the_same_times(void) {
    static const struct { const char *arguments, *name; } files[] = {
        {"", "a.avi"}, {"", "a.asf"}, {"-f mpeg", "a.mpg"}, {"", "a.vob"}, {"", "a.mxf"}, {"", "a.wtv"}, {"", "a.nut"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char arguments[80];
        snprintf(arguments, sizeof arguments, "-c copy -bsf:v h264_mp4toannexb %s", files[i].arguments);
        make(arguments, files[i].name);
        check_seeks(files[i].name, nalu_time_zero());
        check_seeks(files[i].name, nalu_time_make(1, 2 * RATE));
    }
}

/* The audio that a writer copies continues near the picture, and is not that of the beginning. */
static void copied_audio_continues_after_a_seek(void) {
    make("-f lavfi -i sine=duration=1.4 -map 0:v -map 1:a -c:v copy -c:a mp2", "sound.avi");
    nalu_reader *reader = reader_of(test_path("sound.avi"));
    nalu_writer *writer = media_writer_to(test_path("part.mkv"), NULL);
    nalu_sample *sample = NULL;
    uint32_t video = 0, audio = 0;
    REQUIRE_OK(nalu_writer_add_track_from_reader(writer, reader, 1, &audio));
    REQUIRE_OK(nalu_reader_seek(reader, nalu_time_make(20, RATE)));
    for (int i = 0; nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK; i++) {
        if (i == 0) {
            CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)), 20.0 / RATE, 0.001);
            REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, &video));
        }
        CHECK_OK(nalu_writer_write_sample(writer, video, sample));
        nalu_sample_release(sample);
    }
    media_finish(writer);
    nalu_reader_release(reader);
    const char *times = media_run(NULL, "ffprobe -v error -select_streams a -show_entries packet=pts_time -of csv=p=0 '%s'",
        test_path("part.mkv"));
    CHECK_NEAR(atof(times), 20.0 / RATE, 0.3);
}

/* The times of a transport stream begin again at 0 after 26.5 hours (ITU-T H.222.0 2.4.3.7), here twice. */
static void the_times_of_a_long_transport_stream_go_on(void) {
    static const nalu_time distance = {.value = 5400, .timescale = 1, .flags = NALU_TIME_VALID};
    place all[FRAMES];
    make("-c copy -bsf:v setts=pts=PTS*162000:dts=DTS*162000", "long.ts");
    nalu_reader *reader = reader_of(test_path("long.ts"));
    CHECK_NEAR(nalu_time_get_seconds(nalu_reader_get_duration(reader)), 5400.0 * FRAMES, 2 * 5400);
    nalu_time first = nalu_time_zero();
    for (int i = 0; i < FRAMES && CHECK(next(reader, &all[i])); i++) {
        const nalu_time time = nalu_sample_get_presentation_time(movie.samples[i]);
        if (i == 0) first = all[i].presentation;
        const double number = nalu_time_get_seconds(time) * RATE;
        CHECK_NEAR(nalu_time_get_seconds(all[i].presentation) - nalu_time_get_seconds(first), 5400 * number, 0.01);
    }
    nalu_reader_release(reader);
    check_seeks("long.ts", nalu_time_zero());
    check_seeks("long.ts", distance);
}

int main(void) {
    media_clip(&movie, 64, 48, FRAMES);
    media_write_file(test_path("movie.mp4"), &movie, 0, NULL);
    RUN(a_seek_counts_the_same_times);
    RUN(copied_audio_continues_after_a_seek);
    RUN(the_times_of_a_long_transport_stream_go_on);
    clip_close(&movie);
    return check_result();
}
