/* The times of samples in fragments, and the durations of samples and of tracks: also if the file does not state
 * them, if it is a part of a live stream, and if a segment index states the total. */
#include "media_reading.h"

enum { FRAMES = 60 };

static clip movie;

static int32_t scale;

static void set_bytes(uint8_t *at, uint64_t value, int count) {
    for (int k = 0; k < count; k++) at[k] = (uint8_t)(value >> (8 * (count - 1 - k)));
}

static uint64_t bytes_at(const uint8_t *at, int count) {
    uint64_t value = 0;
    for (int k = 0; k < count; k++) value = value << 8 | at[k];
    return value;
}

/* Calls `change` for each box of this type. Returns their number. */
static int each(uint8_t *bytes, size_t size, const char *type, void (*change)(uint8_t *body)) {
    int count = 0;
    for (size_t i = 4; i + 32 < size; i++)
        if (memcmp(bytes + i, type, 4) == 0) change(bytes + i + 4), count++;
    return count;
}

static void forget_track_duration(uint8_t *mdhd) { set_bytes(mdhd + (mdhd[0] ? 24 : 16), 0xffffffff, mdhd[0] ? 8 : 4); }
static void forget_movie_duration(uint8_t *mvhd) { set_bytes(mvhd + (mvhd[0] ? 24 : 16), 0xffffffff, mvhd[0] ? 8 : 4); }

/* Adds 49 years to the decode time, as in a stream that uses the time of day. */
static void move_fragment(uint8_t *tfdt) {
    int count = tfdt[0] ? 8 : 4;
    CHECK_EQ(count, 8);
    set_bytes(tfdt + 4, bytes_at(tfdt + 4, count) + (uint64_t)scale * 49 * 365 * 86400, count);
}

static nalu_reader *reader_of_bytes(input *it, const uint8_t *bytes, size_t size) {
    nalu_reader *reader = NULL;
    *it = (input){.bytes = bytes, .size = size};
    REQUIRE_OK(nalu_reader_create_with_callbacks(input_read, input_seek, (int64_t)size, it, NULL, NULL, &reader));
    return reader;
}

static void check_durations(const uint8_t *bytes, size_t size, bool is_known, const char *what) {
    input it;
    nalu_reader *reader = reader_of_bytes(&it, bytes, size);
    nalu_reader_track track = track_of(reader, 0);
    if (is_known) CHECK(fabs(nalu_time_get_seconds(track.duration) - FRAMES / 30.0) < 0.1);
    else CHECK(!nalu_time_is_numeric(track.duration) && !nalu_time_is_numeric(nalu_reader_get_duration(reader)));
    if (!is_known) CHECK_EQ(track.bit_rate, 0);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = NALU_WRITER_OVERWRITE;
    nalu_writer *writer = media_writer_to(test_path(what), &options);
    nalu_sample *sample = NULL;
    int count = 0;
    uint32_t number = 0;
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, 0), NULL, &number));
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        double seconds = nalu_time_get_seconds(nalu_sample_get_duration(sample));
        if (!CHECK(fabs(seconds - 1 / 30.0) < 0.001)) fprintf(stderr, "%s, sample %d: %f s\n", what, count, seconds);
        CHECK_OK(nalu_writer_write_sample(writer, number, sample));
        nalu_sample_release(sample);
        count++;
    }
    CHECK_EQ(count, FRAMES);
    media_finish(writer);
    nalu_reader_release(reader);
    reader = reader_of(test_path(what));
    CHECK(fabs(nalu_time_get_seconds(track_of(reader, 0).duration) - FRAMES / 30.0) < 0.1);
    nalu_reader_release(reader);
}

static void make(const char *name, const char *settings) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' -c copy %s -y '%s' 2>&1", test_path("in.mp4"), settings,
                           test_path(name));
    if (!CHECK_EQ(status, 0)) fprintf(stderr, "%s: %s", name, said);
}

static void samples_of_fragments_have_durations(void) {
    static const char *const settings[] = {
        "-movflags frag_keyframe+empty_moov+default_base_moof",
        "-movflags frag_keyframe+delay_moov+default_base_moof",
        "-movflags frag_keyframe+empty_moov+global_sidx+default_base_moof",
        "-frag_duration 9000000 -movflags empty_moov+default_base_moof",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        size_t size = 0;
        make("fragments.mp4", settings[i]);
        uint8_t *bytes = media_read_file(test_path("fragments.mp4"), &size);
        nalu_reader *reader = reader_of(test_path("fragments.mp4"));
        scale = track_of(reader, 0).timescale;
        nalu_reader_release(reader);
        check_durations(bytes, size, true, "copy.mp4");
        /* A segment index determines the track's duration, whatever its header states. */
        CHECK_EQ(each(bytes, size, "mdhd", forget_track_duration), 1);
        CHECK_EQ(each(bytes, size, "mvhd", forget_movie_duration), 1);
        check_durations(bytes, size, i == 2, "unknown.mp4");
        free(bytes);
    }
}

static void a_late_segment_has_durations(void) {
    size_t size = 0;
    make("late.mp4", "-movflags frag_keyframe+empty_moov+default_base_moof");
    uint8_t *bytes = media_read_file(test_path("late.mp4"), &size);
    CHECK(each(bytes, size, "tfdt", move_fragment) > 1);
    input it;
    nalu_reader *reader = reader_of_bytes(&it, bytes, size);
    CHECK(nalu_time_get_seconds(track_of(reader, 0).start_time) > 48.0 * 365 * 86400);
    nalu_reader_release(reader);
    check_durations(bytes, size, true, "moved.mp4");
    free(bytes);
}

/* Checks the times of the samples that follow, from sample `first` of the movie on. */
static void check_times(nalu_reader *reader, int first) {
    nalu_sample *sample = NULL;
    nalu_time decoded = nalu_time_invalid(), start = nalu_sample_get_presentation_time(movie.samples[0]);
    int index = first;
    for (; nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK; index++) {
        if (CHECK(index < FRAMES)) {
            nalu_time time = nalu_time_subtract(nalu_sample_get_presentation_time(movie.samples[index]), start);
            nalu_time read = nalu_sample_get_presentation_time(sample), decode = nalu_sample_get_decode_time(sample);
            if (!CHECK_EQ(nalu_time_compare(read, time), 0))
                fprintf(stderr, "sample %d: %f, expected %f\n", index, nalu_time_get_seconds(read), nalu_time_get_seconds(time));
            CHECK(nalu_time_compare(decode, read) <= 0);
            CHECK(index == first || nalu_time_compare(decode, decoded) > 0);
            decoded = decode;
        }
        nalu_sample_release(sample);
    }
    CHECK_EQ(index, FRAMES);
}

/* A sample is presented at the sum of its decode time and its signed composition offset (ISO/IEC 14496-12 8.8.8), also
 * after a seek, and if later fragments have larger negative offsets. */
static void negative_composition_offsets_are_exact(void) {
    static const char *const settings[] = {
        "-movflags frag_keyframe+negative_cts_offsets+cmaf",
        "-movflags frag_every_frame+empty_moov+default_base_moof+negative_cts_offsets",
        "-movflags negative_cts_offsets",
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        make("negative.mp4", settings[i]);
        nalu_reader *reader = reader_of(test_path("negative.mp4"));
        CHECK_EQ(nalu_time_compare(track_of(reader, 0).start_time, nalu_time_zero()), 0);
        check_times(reader, 0);
        for (int index = 0; index < FRAMES; index++) {
            if (!nalu_sample_is_key_frame(movie.samples[index])) continue;
            nalu_time start = nalu_sample_get_presentation_time(movie.samples[0]);
            nalu_time time = nalu_time_subtract(nalu_sample_get_presentation_time(movie.samples[index]), start);
            CHECK_OK(nalu_reader_seek(reader, time));
            check_times(reader, index);
        }
        nalu_reader_release(reader);
    }
}

int main(void) {
    media_clip(&movie, 64, 48, FRAMES);
    media_write_file(test_path("in.mp4"), &movie, 0, NULL);
    RUN(samples_of_fragments_have_durations);
    RUN(a_late_segment_has_durations);
    RUN(negative_composition_offsets_are_exact);
    clip_close(&movie);
    return check_result();
}
