/* Files with times that do not increase, tracks without samples, and damaged packets: the result of a writer
 * with repairs. */
#include "media_reading.h"

enum { FRAMES = 40 };

static clip movie;

static void make_movie(void) {
    media_clip(&movie, 128, 96, FRAMES);
    media_write_reference(test_path("reference.h264"), &movie);
}

/* Returns the sample with another decode time, in ticks of its presentation time's timescale. */
static nalu_sample *moved(const nalu_sample *sample, nalu_time presentation, nalu_time decode) {
    nalu_sample *made = NULL;
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(sample, &size);
    REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(sample), presentation,
        nalu_sample_get_duration(sample), decode, nalu_sample_get_attachments(sample), &made));
    return made;
}

static nalu_writer_counts counts_of(const nalu_writer *writer) {
    nalu_writer_counts counts = {.struct_size = sizeof counts};
    REQUIRE_OK(nalu_writer_get_counts(writer, &counts));
    return counts;
}

static const struct {
    const char *name;
    uint32_t flags;
    int32_t timescale; /* timescale of rounded times; 0: exact */
} files[] = {{"a.mp4", 0, 0}, {"b.mp4", NALU_WRITER_FRAGMENTED, 0}, {"c.mov", 0, 0}, {"d.mkv", 0, 1000}, {"e.ts", 0, 90000},
             {"f.flv", 0, 1000}};

/* Checks with ffprobe that decode times increase and are not later than presentation times, and that
 * presentation times are unchanged. */
static void check_file(const char *path, int32_t timescale) {
    static media_packet packets[CLIP_MOST];
    long long numerator = 0, denominator = 0;
    int count = media_packets(path, packets, CLIP_MOST, &numerator, &denominator);
    bool has_decode_times = strstr(path, ".mkv") == NULL;
    if (!CHECK_EQ(count, FRAMES)) return;
    double unit = (double)numerator / (double)denominator, move = (double)packets[0].pts * unit
        - nalu_time_get_seconds(nalu_sample_get_presentation_time(movie.samples[0]));
    for (int i = 0; i < count; i++) {
        double pts = nalu_time_get_seconds(nalu_sample_get_presentation_time(movie.samples[i]));
        CHECK_NEAR((double)packets[i].pts * unit, pts + move, timescale ? 1.001 / timescale : 1e-9);
        if (!has_decode_times) continue;
        CHECK(packets[i].dts <= packets[i].pts);
        if (i > 0) CHECK(timescale == 1000 ? packets[i - 1].dts <= packets[i].dts : packets[i - 1].dts < packets[i].dts);
    }
    media_check_same_frames(path, test_path("reference.h264"), FRAMES);
}

/* Returns a wrong decode time. Kind 0: equal to the presentation time. Kind 1: three frames late, but not later
 * than the presentation time, as readers return it. Kind 2: every second sample has the time of the one
 * before. */
static nalu_time bad_decode_time(int kind, int i) {
    const nalu_sample *sample = movie.samples[i];
    nalu_time presentation = nalu_sample_get_presentation_time(sample);
    nalu_time late = nalu_time_add(nalu_sample_get_decode_time(sample), nalu_time_make(3, 30));
    if (kind == 0) return presentation;
    if (kind == 1) return nalu_time_compare(late, presentation) < 0 ? late : presentation;
    return nalu_sample_get_decode_time(movie.samples[i / 2 * 2]);
}

static void wrong_decode_times_are_repaired(void) {
    for (int kind = 0; kind < 3; kind++)
        for (size_t f = 0; f < sizeof files / sizeof *files; f++)
            for (int repairs = 0; repairs < 2; repairs++) {
                nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
                const char *path = test_path(files[f].name);
                int refused = 0;
                options.flags = NALU_WRITER_OVERWRITE | files[f].flags | (repairs ? NALU_WRITER_REPAIR_TIMES : 0);
                nalu_writer *writer = media_writer_to(path, &options);
                REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
                for (int i = 0; i < FRAMES; i++) {
                    nalu_sample *sample = moved(movie.samples[i], nalu_sample_get_presentation_time(movie.samples[i]),
                                                bad_decode_time(kind, i));
                    nalu_status status = nalu_writer_write_sample(writer, 0, sample);
                    if (repairs) CHECK_OK(status);
                    refused += status == NALU_STATUS_INVALID_TIME;
                    nalu_sample_release(sample);
                }
                CHECK_OK(nalu_writer_finish(writer));
                nalu_writer_counts counts = counts_of(writer);
                nalu_writer_release(writer);
                if (!repairs) {
                    CHECK(refused > 0);
                    CHECK_EQ(counts.repaired_decode_times, 0);
                    continue;
                }
                /* In matroska and flv two samples may have the same decode time, because of rounding. */
                if (kind < 2 || files[f].timescale != 1000) CHECK(counts.repaired_decode_times > 0);
                CHECK(counts.repaired_decode_times <= FRAMES);
                CHECK_EQ(counts.moved_presentation_times, 0);
                CHECK_EQ(counts.left_out_packets + counts.moved_packets, 0);
                check_file(path, files[f].timescale);
            }
}

/* A file whose times need no repair equals that of a writer without the flag. */
static void correct_times_are_unchanged(void) {
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        nalu_writer_track_options track = NALU_WRITER_TRACK_OPTIONS_INIT;
        const char *path = test_path(files[f].name), *plain = test_path("plain");
        size_t size = 0, expected = 0;
        if (files[f].timescale == 0) track.timescale = 30;
        options.flags = NALU_WRITER_OVERWRITE | files[f].flags | NALU_WRITER_REPAIR_TIMES;
        nalu_writer *writer = media_writer_to(path, &options);
        media_write_all(writer, &movie, &track);
        CHECK_OK(nalu_writer_finish(writer));
        CHECK_EQ(counts_of(writer).repaired_decode_times, 0);
        nalu_writer_release(writer);
        options.flags &= ~(uint32_t)NALU_WRITER_REPAIR_TIMES;
        const char *container = strcmp(strrchr(path, '.'), ".mkv") == 0 ? "matroska"
            : strcmp(strrchr(path, '.'), ".ts") == 0 ? "mpegts" : strrchr(path, '.') + 1;
        REQUIRE_OK(nalu_writer_create_with_path(plain, container, &options, &writer));
        media_write_all(writer, &movie, &track);
        media_finish(writer);
        uint8_t *bytes = media_read_file(path, &size), *wanted = media_read_file(plain, &expected);
        if (CHECK_EQ(size, expected)) CHECK_BYTES(bytes, wanted, size);
        free(bytes);
        free(wanted);
    }
}

/* If a time goes back a little, the sample is presented later. If it goes far back, the sample is rejected, and
 * the others are written. */
static void times_that_go_back_are_moved_or_refused(void) {
    for (int far = 0; far < 2; far++) {
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        const char *path = test_path("back.mp4");
        clip c;
        int refused = 0;
        clip_open(&c, 64, 48);
        REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
        clip_encode_all(&c, 60);
        options.flags = NALU_WRITER_OVERWRITE | NALU_WRITER_REPAIR_TIMES;
        nalu_writer *writer = media_writer_to(path, &options);
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c.samples[0]), NULL, NULL));
        for (int i = 0; i < 60; i++) {
            nalu_time time = nalu_sample_get_presentation_time(c.samples[i]);
            /* The clock restarts at the thirtieth frame. */
            if (i == 30) time = nalu_time_make(far ? -300 : 10, 30);
            nalu_sample *sample = moved(c.samples[i], time, time);
            nalu_status status = nalu_writer_write_sample(writer, 0, sample);
            refused += status == NALU_STATUS_INVALID_TIME;
            if (status) CHECK_STATUS(status, NALU_STATUS_INVALID_TIME);
            nalu_sample_release(sample);
        }
        CHECK_OK(nalu_writer_finish(writer));
        nalu_writer_counts counts = counts_of(writer);
        CHECK_EQ(refused, far);
        CHECK(counts.repaired_decode_times > 0);
        CHECK_EQ(counts.moved_presentation_times > 0, far == 0);
        nalu_writer_release(writer);
        CHECK_EQ(atoi(media_run(NULL, "ffprobe -v error -count_packets -show_entries stream=nb_read_packets -of csv=p=0 '%s'", path)), 60 - far);
        clip_close(&c);
    }
}

/* A stream without timing, and a client whose first time is 0 s. */
static void the_timescale_without_timing_is_fine_enough(void) {
    const char *stream = test_path("untimed.h265"), *path = test_path("untimed.mp4");
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_sample *sample = NULL;
    int status = 0, count = 0;
    media_run(&status, "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x96:rate=25:duration=1 -c:v libx265 -pix_fmt yuv420p"
        " -x265-params log-level=none:vui-timing-info=0:bframes=2 '%s'", stream);
    REQUIRE(status == 0);
    nalu_reader *reader = reader_of(stream);
    options.flags = NALU_WRITER_OVERWRITE;
    nalu_writer *writer = media_writer_to(path, &options);
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        if (count++ == 0) REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, NULL));
        CHECK_OK(nalu_writer_write_sample(writer, 0, sample));
        nalu_sample_release(sample);
    }
    media_finish(writer);
    nalu_reader_release(reader);
    CHECK_EQ(count, 25);
    media_check_same_frames(path, stream, 25);
    CHECK_STR_EQ(media_fact(path, "stream=time_base"), "1/30");

    for (int frames = 1; frames <= 4; frames += 3)
        for (int fragmented = 0; fragmented < 2; fragmented++) {
            clip c;
            clip_open(&c, 64, 48);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
            for (int i = 0; i < frames; i++) {
                nalu_time time = i ? nalu_time_make(90000 + i * 1001, 30000) : nalu_time_make(3, 1);
                REQUIRE_OK(clip_encode_at(&c, time, nalu_time_invalid(), 0));
            }
            clip_finish(&c);
            media_write_file(path, &c, NALU_WRITER_OVERWRITE | (fragmented ? NALU_WRITER_FRAGMENTED : 0), NULL);
            if (frames > 1 || !fragmented) media_check_exact_times(path, &c, nalu_time_zero());
            CHECK_STR_EQ(media_fact(path, "stream=time_base"), frames == 1 ? "1/1" : "1/30000");
            clip_close(&c);
        }
}

int main(void) {
    make_movie();
    RUN(wrong_decode_times_are_repaired);
    RUN(correct_times_are_unchanged);
    RUN(times_that_go_back_are_moved_or_refused);
    RUN(the_timescale_without_timing_is_fine_enough);
    clip_close(&movie);
    return check_result();
}
