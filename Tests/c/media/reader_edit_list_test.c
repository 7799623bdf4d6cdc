/* The edit list of an mp4: hidden samples are decoded and not displayed by the reader, the decoder and a
 * writer's copies, as with FFmpeg. An option returns all samples. */
#include "decode_support.h"

#include <math.h>

enum { FRAMES = 60, EDITS = 3 };

/* An edit in frames: its length, 0 for the rest, and its first frame; -1 means that nothing is shown. With STILL, the
 * first frame is shown for the length. */
enum { STILL = 1 << 16 };
typedef struct edit {
    int length, from;
} edit;

static bool is_still(const edit *one) {
    return one->from > 0 && one->from & STILL;
}

static clip movie;
static uint8_t *plain;
static size_t plain_size;

static nalu_reader *reader_of(const char *path) {
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, NULL, &reader));
    return reader;
}

static nalu_reader_track track_of(const nalu_reader *reader) {
    nalu_reader_track track = {.struct_size = sizeof track};
    REQUIRE_OK(nalu_reader_get_track(reader, 0, &track));
    return track;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

static uint32_t word_at(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void set_word_at(uint8_t *at, uint32_t value) {
    for (int k = 0; k < 4; k++) at[k] = (uint8_t)(value >> (24 - 8 * k));
}

/* Returns the offset of a box inside the range from `start` to `end`. */
static size_t box_in(const uint8_t *bytes, size_t start, size_t end, const char *type) {
    for (size_t at = start; at + 8 <= end && word_at(bytes + at) >= 8; at += word_at(bytes + at))
        if (memcmp(bytes + at + 4, type, 4) == 0) return at;
    REQUIRE(!"the box is there");
    return 0;
}

/* Writes the movie with another edit list. Its index is at the end. */
static void write_edited(const char *path, const edit *edits, int count) {
    size_t moov = box_in(plain, 0, plain_size, "moov"), track = box_in(plain, moov + 8, plain_size, "trak");
    size_t old = box_in(plain, track + 8, track + word_at(plain + track), "edts"), size = 24 + 12 * (size_t)count;
    size_t old_size = word_at(plain + old);
    uint8_t box[24 + 12 * EDITS] = {0};
    nalu_time duration = nalu_sample_get_duration(movie.samples[0]);
    nalu_time first = nalu_sample_get_presentation_time(movie.samples[0]);
    nalu_time decode = nalu_sample_get_decode_time(movie.samples[0]);
    nalu_reader *reader = reader_of(test_path("plain.mp4"));
    int32_t scale = track_of(reader).timescale;
    nalu_reader_release(reader);
    uint32_t frame = (uint32_t)(duration.value * scale / duration.timescale);
    uint32_t delay = (uint32_t)nalu_time_convert_scale(nalu_time_subtract(first, decode), scale).value;
    set_word_at(box, (uint32_t)size), memcpy(box + 4, "edts", 4);
    set_word_at(box + 8, (uint32_t)size - 8), memcpy(box + 12, "elst", 4);
    set_word_at(box + 20, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        set_word_at(box + 24 + 12 * i, (uint32_t)edits[i].length * frame);
        set_word_at(box + 28 + 12 * i, edits[i].from < 0 ? 0xffffffffu : (uint32_t)(edits[i].from & ~STILL) * frame + delay);
        set_word_at(box + 32 + 12 * i, is_still(&edits[i]) ? 0 : 0x10000);
    }
    uint8_t head[8];
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(plain, 1, moov, file) == moov);
    memcpy(head, plain + moov, 8), set_word_at(head, (uint32_t)(word_at(head) + size - old_size));
    REQUIRE(fwrite(head, 1, 8, file) == 8 && fwrite(plain + moov + 8, 1, track - moov - 8, file) == track - moov - 8);
    memcpy(head, plain + track, 8), set_word_at(head, (uint32_t)(word_at(head) + size - old_size));
    REQUIRE(fwrite(head, 1, 8, file) == 8 && fwrite(plain + track + 8, 1, old - track - 8, file) == old - track - 8);
    REQUIRE(fwrite(box, 1, size, file) == size);
    size_t rest = old + old_size;
    REQUIRE(fwrite(plain + rest, 1, plain_size - rest, file) == plain_size - rest);
    REQUIRE(fclose(file) == 0);
}

/* ---- Displayed frames -------------------------------------------------------------------------------------------------- */

/* FFmpeg's frames: their presentation times in seconds, and their MD5 sums. */
typedef struct frames {
    int count;
    double times[FRAMES];
    char sums[FRAMES][40];
} frames;

static frames frames_of(const char *path) {
    frames all = {0};
    char *text = media_run(NULL, "ffmpeg -nostdin -v error -err_detect explode -copyts -i '%s' -map 0:v -fps_mode passthrough"
                                 " -enc_time_base 1/30000 -f framemd5 - 2>&1 | grep -v '^#'", path);
    for (char *line = strtok(text, "\n"); line && all.count < FRAMES; line = strtok(NULL, "\n")) {
        long long time = 0;
        REQUIRE(CHECK_EQ(sscanf(line, "0, %*d, %lld, %*d, %*d, %39s", &time, all.sums[all.count]), 2));
        all.times[all.count++] = (double)time / 30000;
    }
    return all;
}

static bool is_hidden(const nalu_sample *sample) {
    return nalu_sample_get_attachments(sample) & NALU_SAMPLE_DO_NOT_DISPLAY;
}

/* Decodes all samples of a file. Each has its callback, and each displayed sample has its picture with FFmpeg's
 * time. */
static void check_pictures(const char *path, const frames *expected, const char *what) {
    decode_recorder recorder = DECODE_RECORDER_INIT;
    nalu_reader *reader = reader_of(path);
    nalu_decompression_session *session = NULL;
    REQUIRE_OK(nalu_decompression_session_create(nalu_reader_get_format_description(reader, 0), NULL, NULL,
                                                 record_decoded, &recorder, NULL, &session));
    int samples = 0, shown = 0, pictures = 0;
    nalu_sample *sample = NULL;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        samples++, shown += !is_hidden(sample);
        CHECK(!is_hidden(sample) || nalu_sample_get_attachments(sample) & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS);
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, NALU_DECODE_FRAME_ASYNCHRONOUS, NULL, NULL));
        nalu_sample_release(sample);
    }
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    CHECK_EQ(shown, expected->count);
    CHECK_EQ(decoded_count(&recorder), samples);
    for (size_t i = 0; i < recorder.count; i++) {
        const decoded *one = &recorder.results[i];
        CHECK_OK(one->status);
        if (!one->image) {
            CHECK(one->flags & NALU_DECODE_INFO_FRAME_DROPPED);
            continue;
        }
        if (pictures < expected->count
            && !CHECK(fabs(nalu_time_get_seconds(one->time) - expected->times[pictures]) < 0.001))
            fprintf(stderr, "%s, picture %d: %f, expected %f\n", what, pictures, nalu_time_get_seconds(one->time),
                    expected->times[pictures]);
        pictures++;
    }
    if (!CHECK_EQ(pictures, expected->count)) fprintf(stderr, "%s\n", what);
    decoded_clear(&recorder);
    nalu_decompression_session_release(session);
    nalu_reader_release(reader);
}

/* Checks that a writer's copy of the samples shows the frames `wanted`. */
static void check_copy(const char *path, const frames *wanted, const char *name, uint32_t flags) {
    nalu_reader *reader = reader_of(path);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = flags;
    nalu_writer *writer = media_writer_to(test_path(name), &options);
    uint32_t track = 0;
    nalu_sample *sample = NULL;
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, 0), NULL, &track));
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        CHECK_OK(nalu_writer_write_sample(writer, track, sample));
        nalu_sample_release(sample);
    }
    CHECK_OK(nalu_writer_finish(writer));
    const frames copied = frames_of(test_path(name));
    CHECK_EQ(copied.count, wanted->count);
    for (int i = 0; i < wanted->count; i++) {
        CHECK(fabs(copied.times[i] - wanted->times[i]) < 0.001);
        CHECK_STR_EQ(copied.sums[i], wanted->sums[i]);
    }
    nalu_reader *again = reader_of(test_path(name));
    CHECK_EQ(nalu_time_compare(track_of(again).start_time, track_of(reader).start_time), 0);
    nalu_reader_release(again);
    check_pictures(test_path(name), &copied, name);
    nalu_writer_release(writer);
    nalu_reader_release(reader);
}

static void check_everything(const char *path) {
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    options.flags = NALU_READER_IGNORE_EDIT_LIST;
    nalu_reader *reader = NULL;
    REQUIRE_OK(nalu_reader_create_with_path(path, &options, &reader));
    int count = 0;
    nalu_sample *sample = NULL;
    nalu_time first = nalu_sample_get_decode_time(movie.samples[0]);
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        if (CHECK(count < movie.count)) {
            nalu_time time = nalu_time_subtract(nalu_sample_get_presentation_time(movie.samples[count]), first);
            CHECK_EQ(nalu_time_compare(nalu_sample_get_presentation_time(sample), time), 0);
        }
        CHECK(!is_hidden(sample));
        count++;
        nalu_sample_release(sample);
    }
    CHECK_EQ(count, FRAMES);
    nalu_reader_release(reader);
}

static void hidden_samples_are_decoded_and_not_displayed(void) {
    static const struct {
        const char *what;
        int count;
        edit edits[EDITS];
    } cases[] = {
        {"all", 1, {{FRAMES, 0}}},
        {"a cut start", 1, {{FRAMES - 14, 14}}},
        {"a start cut by one", 1, {{FRAMES - 1, 1}}},
        {"a cut end", 1, {{35, 0}}},
        {"an end cut by one", 1, {{FRAMES - 1, 0}}},
        {"an end where B-frames need what comes after it", 1, {{32, 0}}},
        {"both", 1, {{17, 16}}},
        {"a late one with both", 2, {{12, -1}, {17, 16}}},
        {"one that is later than what is hidden lasts", 2, {{3, -1}, {17, 18}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("edited.mp4"));
        write_edited(path, cases[i].edits, cases[i].count);
        const frames wanted = frames_of(path);
        CHECK(wanted.count > 0);
        check_pictures(path, &wanted, cases[i].what);
        check_copy(path, &wanted, "copy.mp4", NALU_WRITER_OVERWRITE);
        check_copy(path, &wanted, "copy.mov", NALU_WRITER_OVERWRITE);
        if (cases[i].edits[0].length != 3)
            check_copy(path, &wanted, "front.mp4", NALU_WRITER_OVERWRITE | NALU_WRITER_FAST_START);
        check_everything(path);
    }
}

/* ---- Several ranges ---------------------------------------------------------------------------------------------------- */

static void decode_file(const char *path, decode_recorder *recorder) {
    nalu_reader *reader = reader_of(path);
    nalu_decompression_session *session = NULL;
    REQUIRE_OK(nalu_decompression_session_create(nalu_reader_get_format_description(reader, 0), NULL, NULL,
                                                 record_decoded, recorder, NULL, &session));
    nalu_sample *sample = NULL;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        CHECK_OK(nalu_decompression_session_decode_frame(session, sample, NALU_DECODE_FRAME_ASYNCHRONOUS, NULL, NULL));
        nalu_sample_release(sample);
    }
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    nalu_decompression_session_release(session);
    nalu_reader_release(reader);
}

/* Every writer refuses the first sample, before it writes anything. */
static void check_copies_are_refused(const char *path) {
    static const char *names[] = {"copy.mp4", "copy.mkv", "copy.ts", "copy.flv", "copy.h264"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        nalu_reader *reader = reader_of(path);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = NALU_WRITER_OVERWRITE;
        nalu_writer *writer = media_writer_to(test_path(names[i]), &options);
        uint32_t track = 0;
        nalu_sample *sample = NULL;
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, 0), NULL, &track));
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
        CHECK_STATUS(nalu_writer_write_sample(writer, track, sample), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK(strstr(nalu_last_error_message(), "edit list") != NULL);
        nalu_sample_release(sample);
        nalu_writer_release(writer);
        nalu_reader_release(reader);
    }
}

static decode_recorder all;

/* Checks that a file shows the pictures of its edits (ISO/IEC 14496-12 8.6.6). Each edit but an empty one begins
 * `part` units, of which a frame has `units`, after the beginning of its first frame, and ends with a frame. */
static void check_shown(const char *path, const char *what, const edit *edits, int count, int units, int part) {
    static decode_recorder recorder;
    recorder = (decode_recorder)DECODE_RECORDER_INIT;
    decode_file(path, &recorder);
    size_t next = 0;
    int64_t time = 0;
    int errors = 0;
    for (int k = 0; k < count; k++) {
        const edit *one = &edits[k];
        int length = one->length ? one->length : FRAMES - one->from, from = one->from & ~STILL;
        int64_t duration = (int64_t)length * units - (one->from < 0 ? 0 : part);
        for (int j = 0; one->from >= 0 && j < (is_still(one) ? 1 : length); j++) {
            while (next < recorder.count && !recorder.results[next].image) {
                errors += !CHECK_OK(recorder.results[next].status);
                next++;
            }
            if (!CHECK(next < recorder.count)) continue;
            const decoded *shown = &recorder.results[next++];
            int64_t begin = time + (j ? (int64_t)j * units - part : 0);
            errors += !CHECK_EQ(nalu_time_compare(shown->time, nalu_time_make(begin, 30 * units)), 0);
            errors += !CHECK(same_image(shown->image, all.results[from + j].image));
            CHECK(!is_still(one) || nalu_time_compare(shown->duration, nalu_time_make(duration, 30 * units)) == 0);
            if (part && !j && !is_still(one))
                errors += !CHECK_EQ(nalu_time_compare(shown->duration, nalu_time_make(units - part, 30 * units)), 0);
        }
        time += duration;
    }
    for (; next < recorder.count; next++) errors += !CHECK(!recorder.results[next].image);
    if (errors) fprintf(stderr, "%s: %d errors\n", what, errors);
    decoded_clear(&recorder);
}

/* Each picture of each range is shown at its time (ISO/IEC 14496-12 8.6.6), whatever FFmpeg makes of the edit list. */
static void ranges_show_their_pictures(void) {
    static const struct {
        const char *what;
        int count;
        edit edits[EDITS];
    } cases[] = {
        {"two ranges", 2, {{17, 5}, {11, 38}}},
        {"two ranges in another order", 2, {{17, 38}, {11, 5}}},
        {"two ranges that begin with key frames", 2, {{10, 0}, {10, 40}}},
        {"a range twice", 2, {{8, 3}, {8, 3}}},
        {"ranges without a cut", 2, {{13, 0}, {20, 13}}},
        {"a late start", 3, {{3, -1}, {7, 14}, {7, 31}}},
        {"a gap", 3, {{10, 0}, {5, -1}, {12, 21}}},
        {"a still picture", 2, {{9, 12 | STILL}, {11, 22}}},
        {"a still picture in the middle", 3, {{9, 12}, {6, 33 | STILL}, {11, 22}}},
        {"everything", 1, {{0, 0}}},
        {"the rest", 1, {{0, 14}}},
        {"a range and the rest", 2, {{6, 3}, {0, 41}}},
    };
    all = (decode_recorder)DECODE_RECORDER_INIT;
    decode_file(test_path("plain.mp4"), &all);
    REQUIRE(CHECK_EQ(all.count, FRAMES));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", test_path("edited.mp4"));
        write_edited(path, cases[i].edits, cases[i].count);
        check_shown(path, cases[i].what, cases[i].edits, cases[i].count, 1, 0);
        if (cases[i].count > 1) check_copies_are_refused(path);
    }
    decoded_clear(&all);
}

/* Returns the body of the only box of this type. */
static uint8_t *body_of(uint8_t *bytes, size_t size, const char *type) {
    for (size_t i = 4; i + 24 < size; i++)
        if (memcmp(bytes + i, type, 4) == 0) return bytes + i + 4;
    REQUIRE(!"the box is there");
    return NULL;
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* The samples determine the end of the media, whatever duration the header of the media states. */
static void the_end_of_the_media_is_that_of_its_samples(void) {
    static const edit cases[][EDITS] = {{{0, 0}}, {{0, 14}}, {{6, 3}, {0, 41}}};
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("edited.mp4"));
    all = (decode_recorder)DECODE_RECORDER_INIT;
    decode_file(test_path("plain.mp4"), &all);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t stated = 0; stated <= 16; stated += 16) {
            size_t size = 0;
            int count = i == 2 ? 2 : 1;
            write_edited(path, cases[i], count);
            uint8_t *bytes = media_read_file(path, &size);
            set_word_at(body_of(bytes, size, "mdhd") + 16, stated);
            write_bytes(path, bytes, size);
            free(bytes);
            check_shown(path, "a header with a wrong duration", cases[i], count, 1, 0);
        }
    decoded_clear(&all);
}

/* In a source without durations, the last displayed sample lasts until the hidden sample after it, or as long
 * as the others. */
static void the_last_displayed_sample_gets_a_duration(void) {
    static const edit edits[] = {{17, 16}, {35, 0}, {FRAMES - 14, 14}};
    for (size_t k = 0; k < sizeof edits / sizeof edits[0]; k++) {
        write_edited(test_path("edited.mp4"), &edits[k], 1);
        const frames wanted = frames_of(test_path("edited.mp4"));
        nalu_reader *reader = reader_of(test_path("edited.mp4"));
        nalu_format_description *format = nalu_reader_get_format_description(reader, 0);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = NALU_WRITER_OVERWRITE;
        nalu_writer *writer = media_writer_to(test_path("open.mp4"), &options);
        uint32_t track = 0;
        REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, &track));
        nalu_sample *sample = NULL, *copy = NULL;
        while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
            size_t size = 0;
            const uint8_t *bytes = nalu_sample_get_data(sample, &size);
            REQUIRE_OK(nalu_sample_create(bytes, size, format, nalu_sample_get_presentation_time(sample), nalu_time_invalid(),
                                          nalu_sample_get_decode_time(sample), nalu_sample_get_attachments(sample), &copy));
            CHECK_OK(nalu_writer_write_sample(writer, track, copy));
            nalu_sample_release(copy);
            nalu_sample_release(sample);
        }
        media_finish(writer);
        nalu_reader_release(reader);
        const frames copied = frames_of(test_path("open.mp4"));
        CHECK_EQ(copied.count, wanted.count);
        for (int i = 0; i < copied.count && i < wanted.count; i++) CHECK_STR_EQ(copied.sums[i], wanted.sums[i]);
    }
}

static void unknown_reader_flags_are_refused(void) {
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    nalu_reader *reader = NULL;
    options.flags = 1u << 30;
    CHECK_STATUS(nalu_reader_create_with_path(test_path("plain.mp4"), &options, &reader), NALU_STATUS_PARAMETER);
    CHECK(strstr(nalu_last_error_message(), "options.flags is 1073741824") != NULL);
}

int main(void) {
    media_clip(&movie, 64, 48, FRAMES);
    media_write_file(test_path("plain.mp4"), &movie, 0, NULL);
    plain = media_read_file(test_path("plain.mp4"), &plain_size);
    RUN(hidden_samples_are_decoded_and_not_displayed);
    RUN(the_last_displayed_sample_gets_a_duration);
    RUN(unknown_reader_flags_are_refused);
    RUN(ranges_show_their_pictures);
    RUN(the_end_of_the_media_is_that_of_its_samples);
    free(plain);
    clip_close(&movie);
    media_open(&movie, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(movie.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    REQUIRE_OK(nalu_session_set_int64(movie.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    clip_encode_all(&movie, FRAMES);
    media_write_file(test_path("plain.mp4"), &movie, NALU_WRITER_OVERWRITE, NULL);
    plain = media_read_file(test_path("plain.mp4"), &plain_size);
    RUN(ranges_show_their_pictures);
    free(plain);
    clip_close(&movie);
    return check_result();
}
