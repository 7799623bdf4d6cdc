/* Times in mp4 and mov equal those of the samples exactly, or the sample is rejected. */
#include "media_support.h"

static const uint32_t kinds[] = {0, NALU_WRITER_FRAGMENTED};

/* Encodes frames at times[i] / timescale. The last one has the duration last / timescale, unless `last` is
 * 0. */
static void make_clip(clip *c, const int64_t times[], int count, int32_t timescale, int64_t last, bool reorders) {
    clip_open(c, 64, 48);
    if (reorders)
        REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS,
            "threads=1:bframes=2:b-adapt=0:b-pyramid=normal:rc-lookahead=5:scenecut=0"));
    else
        REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    for (int i = 0; i < count; i++)
        REQUIRE_OK(clip_encode_at(c, nalu_time_make(times[i], timescale),
            i == count - 1 && last ? nalu_time_make(last, timescale) : nalu_time_invalid(), 0));
    clip_finish(c);
}

static uint64_t big_endian(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
}

/* Returns the file's total duration in ticks of the track: from `mvhd` (ISO/IEC 14496-12 8.2.2), or in
 * fragments the sum of the durations in `trun` (8.8.8), which the writer stores for each sample. */
static int64_t told_duration(const char *path, bool fragmented) {
    size_t size = 0;
    int64_t total = 0;
    uint64_t usual = 0;
    uint8_t *bytes = media_read_file(path, &size);
    for (size_t i = 4; i + 24 <= size; i++) {
        const uint8_t *box = bytes + i + 4;
        if (!fragmented && memcmp(bytes + i, "mvhd", 4) == 0)
            total = (int64_t)(box[0] ? big_endian(box + 24, 8) : big_endian(box + 16, 4));
        if (fragmented && memcmp(bytes + i, "tfhd", 4) == 0) {
            uint32_t flags = (uint32_t)big_endian(box + 1, 3);
            usual = flags & 8 ? big_endian(box + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0), 4) : 0;
        }
        if (!fragmented || memcmp(bytes + i, "trun", 4) != 0) continue;
        uint32_t flags = (uint32_t)big_endian(box + 1, 3), samples = (uint32_t)big_endian(box + 4, 4);
        const uint8_t *entry = box + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
        for (uint32_t k = 0; k < samples; k++) {
            total += (int64_t)(flags & 0x100 ? big_endian(entry, 4) : usual);
            entry += 4 * __builtin_popcount(flags & 0xf00);
        }
    }
    free(bytes);
    return total;
}

static void check_kinds(const clip *c, const char *time_base, int64_t duration) {
    for (size_t i = 0; i < 2; i++) {
        const char *path = test_path(i ? "b.mp4" : "a.mp4");
        media_write_file(path, c, NALU_WRITER_OVERWRITE | kinds[i], NULL);
        media_check_exact_times(path, c, nalu_time_zero());
        if (i == 0) CHECK_STR_EQ(media_fact(path, "stream=time_base"), time_base);
        CHECK_EQ(told_duration(path, i == 1), duration);
    }
}

static void ntsc_times_are_exact(void) {
    clip c;
    int64_t times[20];
    for (int i = 0; i < 20; i++) times[i] = i * 1001;
    make_clip(&c, times, 20, 30000, 1001, true);
    check_kinds(&c, "1/30000", 20020);
    clip_close(&c);
}

/* All frames have different durations. */
static void varying_durations_are_exact(void) {
    static const int64_t times[] = {0, 1, 40, 41, 43, 100, 101, 1000, 1007, 1100, 1101, 2500, 2501, 2503};
    clip c;
    make_clip(&c, times, 14, 600, 77, true);
    check_kinds(&c, "1/600", 2580);
    clip_close(&c);
    make_clip(&c, times, 14, 1000000, 77, false);
    check_kinds(&c, "1/1000000", 2580);
    clip_close(&c);
}

/* A last frame without a duration lasts as long as the frame before it. */
static void a_last_frame_without_duration_lasts_as_long_as_the_one_before(void) {
    static const int64_t times[] = {0, 10, 20, 45};
    clip c;
    make_clip(&c, times, 4, 100, 0, false);
    check_kinds(&c, "1/100", 70);
    clip_close(&c);
}

/* The presentation begins at the first sample's time, or at 0. */
static void presentation_begins_at_the_first_time_or_at_0(void) {
    static const int64_t starts[] = {7, 100, 3600 * 24 * 90000LL};
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < 2; i++) {
            clip c;
            int64_t times[12];
            for (int k = 0; k < 12; k++) times[k] = starts[s] + k * 3003;
            make_clip(&c, times, 12, 90000, 3003, true);
            const char *path = test_path("start.mp4");
            media_write_file(path, &c, NALU_WRITER_OVERWRITE | kinds[i], NULL);
            media_check_exact_times(path, &c, nalu_time_zero());
            char expected[64];
            snprintf(expected, sizeof expected, "%.6f", (double)starts[s] / 90000);
            CHECK_STR_EQ(media_fact(path, "format=start_time"), expected);

            media_write_file(path, &c, NALU_WRITER_OVERWRITE | NALU_WRITER_START_AT_ZERO | kinds[i], NULL);
            media_check_exact_times(path, &c, nalu_time_make(-starts[s], 90000));
            CHECK_STR_EQ(media_fact(path, "format=start_time"), "0.000000");
            clip_close(&c);
        }
}

/* Checks how many frames a player shows, and the time of the first. */
static void check_shown(const char *path, int frames, const char *start) {
    char expected[64], *text = media_run(NULL,
        "ffprobe -v error -count_frames -select_streams v -show_entries stream=start_time,nb_read_frames -of csv=p=0 '%s'", path);
    snprintf(expected, sizeof expected, "%s,%d\n", start, frames);
    CHECK_STR_EQ(text, expected);
}

/* mp4 has no times before 0: the presentation begins at 0, and nothing is hidden. */
static void negative_times_are_moved_to_0(void) {
    static const uint32_t ways[] = {0, NALU_WRITER_FRAGMENTED, NALU_WRITER_FAST_START, NALU_WRITER_START_AT_ZERO,
                                    NALU_WRITER_REPAIR_TIMES, NALU_WRITER_FRAGMENTED | NALU_WRITER_REPAIR_TIMES};
    static const int64_t starts[] = {-513750, -3003, -1};
    for (size_t s = 0; s < 3; s++) {
        clip c;
        int64_t times[12];
        for (int k = 0; k < 12; k++) times[k] = starts[s] + k * 3003;
        make_clip(&c, times, 12, 90000, 3003, true);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const char *path = test_path("negative.mp4");
            media_write_file(path, &c, NALU_WRITER_OVERWRITE | ways[i], NULL);
            media_check_exact_times(path, &c, nalu_time_make(-starts[s], 90000));
            check_shown(path, 12, "0.000000");
        }
        clip_close(&c);
    }
}

/* A single picture without a duration lasts one frame of the stream's timing, or 1/30 s. */
static void a_single_picture_gets_a_duration(void) {
    static const uint32_t ways[] = {0, NALU_WRITER_FRAGMENTED, NALU_WRITER_FAST_START};
    for (int rate = 0; rate <= 25; rate += 25)
        for (size_t i = 0; i < 3; i++) {
            clip c;
            clip_open(&c, 64, 48);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
            if (rate) REQUIRE_OK(nalu_session_set_double(c.session, NALU_PROPERTY_EXPECTED_FRAME_RATE, rate));
            REQUIRE_OK(clip_encode_at(&c, nalu_time_make(0, 600), nalu_time_invalid(), 0));
            clip_finish(&c);
            nalu_sequence_info info = {.struct_size = sizeof info};
            REQUIRE_OK(nalu_format_description_get_sequence_info(nalu_sample_get_format_description(c.samples[0]), &info));
            CHECK_EQ(info.num_units_in_tick > 0, rate > 0);
            const char *path = test_path("single.mp4");
            nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
            options.timescale = 600;
            media_write_file(path, &c, NALU_WRITER_OVERWRITE | ways[i], &options);
            check_shown(path, 1, "0.000000");
            CHECK_EQ(told_duration(path, ways[i] == NALU_WRITER_FRAGMENTED), rate ? 24 : 20);
            clip_close(&c);
        }
}

/* FFmpeg shows all frames, each at its time. */
static void ffmpeg_shows_each_frame_at_its_time(void) {
    static const int64_t times[] = {90, 100, 130, 131, 140, 180, 181, 190};
    clip c;
    make_clip(&c, times, 8, 100, 10, true);
    for (size_t i = 0; i < 2; i++) {
        const char *path = test_path("shown.mp4");
        media_write_file(path, &c, NALU_WRITER_OVERWRITE | kinds[i], NULL);
        char *text = media_run(NULL,
            "ffprobe -v error -show_entries frame=pts -select_streams v -of default=nw=1:nk=1 '%s'", path);
        int k = 0;
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), k++)
            if (CHECK(k < 8)) CHECK_EQ(strtoll(line, NULL, 10), times[k]);
        CHECK_EQ(k, 8);
    }
    clip_close(&c);
}

/* Different timescales: the file has their least common multiple, or the sample is rejected with this
 * reason. */
static void mixed_timescales_are_exact_or_refused(void) {
    clip c;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_FRAME_REORDERING, 0));
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(0, 30), nalu_time_make(1, 50), 0));
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(2, 50), nalu_time_make(1, 50), 0));
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(1001, 10007), nalu_time_invalid(), 0));
    REQUIRE_OK(clip_encode_at(&c, nalu_time_make(4, 30), nalu_time_make(1, 30), 0));
    clip_finish(&c);

    const char *path = test_path("mixed.mp4");
    nalu_writer *writer = media_writer_to(path, NULL);
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c.samples[0]), NULL, NULL));
    CHECK_OK(nalu_writer_write_sample(writer, 0, c.samples[0]));
    CHECK_OK(nalu_writer_write_sample(writer, 0, c.samples[1]));
    CHECK_STATUS(nalu_writer_write_sample(writer, 0, c.samples[2]), NALU_STATUS_INVALID_TIME);
    CHECK(strstr(nalu_last_error_message(), "1001/10007") && strstr(nalu_last_error_message(), "1/150"));
    CHECK_OK(nalu_writer_write_sample(writer, 0, c.samples[3]));
    media_finish(writer);
    CHECK_STR_EQ(media_fact(path, "stream=time_base"), "1/150");
    CHECK_STR_EQ(media_fact(path, "stream=duration_ts"), "25");

    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    options.timescale = 150 * 10007;
    media_write_file(path, &c, NALU_WRITER_OVERWRITE, &options);
    media_check_exact_times(path, &c, nalu_time_zero());
    CHECK_STR_EQ(media_fact(path, "stream=time_base"), "1/1501050");
    clip_close(&c);
}

/* Times in nanoseconds. If one offset exceeds 2^28 units, FFmpeg ignores all of a file that is not fragmented. */
static void wide_offsets_are_exact_or_refused(void) {
    static const struct { int64_t distance; uint32_t flags; const char *limit; bool has_remedy; } kinds[] = {
        {INT64_C(200000000), 0, "268435456 units of 1/1000000000 s", true},
        {INT64_C(1600000000), NALU_WRITER_FRAGMENTED, "2147483647 units of 1/1000000000 s", false},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int64_t times[9];
        clip c;
        for (int i = 0; i < 9; i++) times[i] = i * kinds[k].distance;
        make_clip(&c, times, 9, 1000000000, 0, true);
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        options.flags = kinds[k].flags | NALU_WRITER_OVERWRITE;
        nalu_writer *writer = media_writer_to(test_path("wide.mp4"), &options);
        REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c.samples[0]), NULL, NULL));
        nalu_status status = NALU_STATUS_OK;
        for (int i = 0; i < c.count && status == NALU_STATUS_OK; i++)
            status = nalu_writer_write_sample(writer, 0, c.samples[i]);
        CHECK_STATUS(status, NALU_STATUS_INVALID_TIME);
        CHECK(strstr(nalu_last_error_message(), kinds[k].limit));
        CHECK((strstr(nalu_last_error_message(), "or a fragmented file") != NULL) == kinds[k].has_remedy);
        nalu_writer_release(writer);
        if (kinds[k].has_remedy) {
            media_write_file(test_path("wide-parts.mp4"), &c, NALU_WRITER_FRAGMENTED, NULL);
            media_check_exact_times(test_path("wide-parts.mp4"), &c, nalu_time_zero());
        }
        clip_close(&c);
    }
}

/* Opens a file of another writer whose first composition offset is `units`, and returns the first offset read. */
static nalu_status first_offset(uint8_t *bytes, size_t size, uint32_t units, nalu_time *found) {
    size_t place = 0;
    while (place + 20 < size && memcmp(bytes + place, "ctts", 4) != 0) place++;
    REQUIRE(place + 20 < size && big_endian(bytes + place + 8, 4) > 3);
    for (int i = 0; i < 4; i++) bytes[place + 16 + (size_t)i] = (uint8_t)(units >> (24 - 8 * i));
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    options.flags = NALU_READER_IGNORE_EDIT_LIST;
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    nalu_status status = nalu_reader_create_with_path(test_file("patched.mp4", bytes, size), &options, &reader);
    if (status != NALU_STATUS_OK) return status;
    REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &sample));
    *found = nalu_time_subtract(nalu_sample_get_presentation_time(sample), nalu_sample_get_decode_time(sample));
    nalu_sample_release(sample);
    nalu_reader_release(reader);
    return status;
}

static void an_offset_that_ffmpeg_does_not_read_is_refused(void) {
    static const int64_t times[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint32_t most = UINT32_C(1) << 28;
    size_t size = 0;
    nalu_time found = nalu_time_invalid();
    clip c;
    make_clip(&c, times, 9, 30, 0, true);
    media_write_file(test_path("offsets.mp4"), &c, 0, NULL);
    uint8_t *bytes = media_read_file(test_path("offsets.mp4"), &size);
    CHECK_OK(first_offset(bytes, size, most, &found));
    CHECK_EQ(nalu_time_compare(found, nalu_time_make(most, 30)), 0);
    CHECK_STATUS(first_offset(bytes, size, most + 1, &found), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK(strstr(nalu_last_error_message(), "ctts") && strstr(nalu_last_error_message(), "268435457 units"));
    free(bytes);
    clip_close(&c);
}

int main(void) {
    RUN(ntsc_times_are_exact);
    RUN(varying_durations_are_exact);
    RUN(a_last_frame_without_duration_lasts_as_long_as_the_one_before);
    RUN(presentation_begins_at_the_first_time_or_at_0);
    RUN(negative_times_are_moved_to_0);
    RUN(a_single_picture_gets_a_duration);
    RUN(ffmpeg_shows_each_frame_at_its_time);
    RUN(mixed_timescales_are_exact_or_refused);
    RUN(wide_offsets_are_exact_or_refused);
    RUN(an_offset_that_ffmpeg_does_not_read_is_refused);
    return check_result();
}
