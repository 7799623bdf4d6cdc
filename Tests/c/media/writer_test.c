/* Each container, checked with ffprobe. FFmpeg decodes the files to the frames of the raw stream. */
#include "media_support.h"

enum { FRAMES = 45 };

static clip movie;

static void make_movie(void) {
    media_open(&movie, 128, 96);
    REQUIRE_OK(nalu_session_set_string(movie.session, NALU_PROPERTY_COLOR_PRIMARIES, "ITU_R_709_2"));
    REQUIRE_OK(nalu_session_set_string(movie.session, NALU_PROPERTY_TRANSFER_FUNCTION, "ITU_R_709_2"));
    REQUIRE_OK(nalu_session_set_string(movie.session, NALU_PROPERTY_YCBCR_MATRIX, "ITU_R_709_2"));
    clip_encode_all(&movie, FRAMES);
    media_write_reference(test_path("reference.h264"), &movie);
}

static void mp4_and_mov_are_what_ffprobe_expects(void) {
    static const struct { const char *name; uint32_t flags; } files[] = {
        {"plain.mp4", 0}, {"fast.mp4", NALU_WRITER_FAST_START}, {"fragmented.mp4", NALU_WRITER_FRAGMENTED},
        {"plain.mov", 0}, {"fragmented.mov", NALU_WRITER_FRAGMENTED},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = test_path(files[i].name);
        media_write_file(path, &movie, files[i].flags, NULL);
        media_check_exact_times(path, &movie, nalu_time_zero());
        CHECK_STR_EQ(media_fact(path, "stream=codec_tag_string,has_b_frames,time_base:format=start_time"),
                     "avc1 2 1/30 0.000000");
        CHECK_EQ(media_count_in_file(path, "elst", 4), 1);
        CHECK_EQ(media_count_in_file(path, "colrncl", 7), 1);
        CHECK_EQ(media_count_in_file(path, "moof", 4), files[i].flags & NALU_WRITER_FRAGMENTED ? FRAMES / 10 + 1 : 0);
        media_check_same_frames(path, test_path("reference.h264"), FRAMES);
    }
}

/* Checks that times are rounded to the container's tick, and shifted by no more than the container requires. */
static void check_rounded_times(const char *path, bool moves) {
    static media_packet packets[CLIP_MOST];
    long long numerator = 0, denominator = 0;
    int count = media_packets(path, packets, CLIP_MOST, &numerator, &denominator);
    if (!CHECK_EQ(count, movie.count)) return;
    double unit = (double)numerator / (double)denominator;
    double move = moves ? (double)packets[0].pts * unit : 0;
    for (int i = 0; i < count; i++) {
        double pts = nalu_time_get_seconds(nalu_sample_get_presentation_time(movie.samples[i]));
        CHECK_NEAR((double)packets[i].pts * unit, pts + move, unit * 1.001);
        CHECK_EQ(packets[i].is_key, nalu_sample_is_key_frame(movie.samples[i]));
    }
}

static void other_containers_are_what_ffprobe_expects(void) {
    const char *reference = test_path("reference.h264");
    const char *matroska = test_path("file.mkv"), *stream = test_path("file.ts");
    const char *flash = test_path("file.flv"), *plain = test_path("file.h264");
    media_write_file(matroska, &movie, 0, NULL);
    media_write_file(stream, &movie, 0, NULL);
    media_write_file(flash, &movie, 0, NULL);
    media_write_file(plain, &movie, 0, NULL);
    check_rounded_times(matroska, false);
    check_rounded_times(stream, true);
    check_rounded_times(flash, true);
    media_check_same_frames(matroska, reference, FRAMES);
    media_check_same_frames(stream, reference, FRAMES);
    media_check_same_frames(flash, reference, FRAMES);

    size_t size = 0, expected = 0;
    uint8_t *bytes = media_read_file(plain, &size), *wanted = media_read_file(reference, &expected);
    if (CHECK_EQ(size, expected)) CHECK_BYTES(bytes, wanted, size);
    free(bytes);
    free(wanted);
}

static off_t size_of(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 ? facts.st_size : -1;
}

/* Writes a copy of the clip's first sample at a time of `number` seconds. Returns the size of the file. */
static off_t size_after(nalu_writer *writer, const char *path, int number) {
    nalu_sample *sample = NULL;
    const nalu_time time = {number, 1, NALU_TIME_VALID, 0}, second = {1, 1, NALU_TIME_VALID, 0};
    size_t size = 0;
    const uint8_t *bytes = nalu_sample_get_data(movie.samples[0], &size);
    REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(movie.samples[0]), time, second, time,
        0, &sample));
    CHECK_OK(nalu_writer_write_sample(writer, 0, sample));
    nalu_sample_release(sample);
    return size_of(path);
}

/* Samples of live video are in the file soon: a killed program has lost little, and a reader can follow. */
static void a_growing_file_has_its_samples(void) {
    static const char *const names[] = {"growing.ts", "growing.flv", "growing.h264"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *path = test_path(names[i]);
        nalu_writer *writer = media_writer_to(path, NULL);
        CHECK_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
        int number = 0;
        const off_t first = size_after(writer, path, number++);
        /* The file grows long before the samples have filled a buffer of 256 KB. */
        WAIT_UNTIL(size_after(writer, path, number++) > first || first * number > 200000);
        if (!CHECK(size_of(path) > first && size_of(path) < 200000)) fprintf(stderr, "%s: %d samples\n", path, number);
        media_finish(writer);
    }
}

/* The container's name takes precedence over the path's extension. The extensions are those that the header
 * lists. */
static void the_container_follows_from_its_name_or_the_extension(void) {
    static const struct { const char *file, *name, *is; } files[] = {
        {"a.mp4", NULL, "mov,mp4,m4a,3gp,3g2,mj2"}, {"a.M4V", NULL, "mov,mp4,m4a,3gp,3g2,mj2"},
        {"a.m2t", NULL, "mpegts"}, {"a.264", NULL, "h264"},
        {"a.avc", NULL, "h264"}, {"b.mp4", "matroska", "matroska,webm"}, {"noending", "flv", "flv"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        nalu_writer *writer = NULL;
        const char *path = test_path(files[i].file);
        REQUIRE_OK(nalu_writer_create_with_path(path, files[i].name, NULL, &writer));
        media_write_all(writer, &movie, NULL);
        CHECK_OK(nalu_writer_finish(writer));
        media_finish(writer);
        CHECK_STR_EQ(media_fact(path, "format=format_name"), files[i].is);
    }
}

static void mirroring_is_written(void) {
    /* FFmpeg mirrors the picture first and then rotates it. */
    static const char *const filters[] = {"hflip", "hflip,transpose=clock", "vflip", "hflip,transpose=cclock"};
    const char *path = test_path("mirrored.mp4");
    for (int32_t quarters = 0; quarters < 4; quarters++) {
        nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
        options.is_mirrored = 1;
        options.rotation = 90 * quarters;
        media_write_file(path, &movie, NALU_WRITER_OVERWRITE, &options);
        char *shown = strdup(media_run(NULL, "ffmpeg -nostdin -v error -i '%s' -frames:v 1 -f framemd5 - | tail -n 1", path));
        char *wanted = media_run(NULL,
            "ffmpeg -nostdin -v error -noautorotate -i '%s' -vf %s -frames:v 1 -f framemd5 - | tail -n 1", path,
            filters[quarters]);
        CHECK_STR_EQ(shown, wanted);
        free(shown);
    }
}

static void rotation_is_written(void) {
    /* ffprobe prints the counterclockwise angle of the matrix in the track header. */
    static const struct { int32_t degrees; const char *told; } turns[] = {
        {90, "-90"}, {180, "-180"}, {270, "90"},
    };
    const char *path = test_path("turned.mp4");
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
        options.rotation = turns[i].degrees;
        media_write_file(path, &movie, NALU_WRITER_OVERWRITE, &options);
        CHECK_STR_EQ(media_fact(path, "stream_side_data=rotation"), turns[i].told);
        media_write_file(path, &movie, NALU_WRITER_OVERWRITE | NALU_WRITER_FRAGMENTED, &options);
        CHECK_STR_EQ(media_fact(path, "stream_side_data=rotation"), turns[i].told);
    }
    /* The shown picture: after a quarter turn clockwise, the left column of the stream is the top row. */
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    options.rotation = 90;
    media_write_file(path, &movie, NALU_WRITER_OVERWRITE, &options);
    char *turned = strdup(media_run(NULL, "ffmpeg -nostdin -v error -i '%s' -frames:v 1 -f framemd5 - | tail -n 1", path));
    char *wanted = media_run(NULL,
        "ffmpeg -nostdin -v error -i '%s' -vf transpose=clock -frames:v 1 -f framemd5 - | tail -n 1",
        test_path("reference.h264"));
    CHECK_STR_EQ(strrchr(turned, ' '), strrchr(wanted, ' '));
    free(turned);
}

static void colour_and_hdr_metadata_are_written(void) {
    clip c;
    const char *path = test_path("signal.mp4"), *matroska = test_path("signal.mkv");
    media_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_numbers(c.session, NALU_PROPERTY_PIXEL_ASPECT_RATIO, (const double[]){4, 3}, 2));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_COLOR_PRIMARIES, "ITU_R_2020"));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_TRANSFER_FUNCTION, "ITU_R_2100_HLG"));
    REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_YCBCR_MATRIX, "ITU_R_2020"));
    clip_encode_all(&c, 12);
    media_write_file(path, &c, 0, NULL);
    media_write_file(matroska, &c, 0, NULL);
    /* colour_type nclx; 9, 18, 9 of ISO/IEC 23091-2, video range. */
    CHECK_EQ(media_count_in_file(path, "colrnclx\0\11\0\22\0\11\0", 15), 1);
    CHECK_EQ(media_count_in_file(path, "pasp\0\0\0\4\0\0\0\3", 12), 1);
    CHECK_STR_EQ(media_fact(path, "stream=sample_aspect_ratio,color_transfer,color_primaries"),
                 "4:3 arib-std-b67 bt2020");
    CHECK_STR_EQ(media_fact(matroska, "stream=sample_aspect_ratio,color_transfer,color_primaries"),
                 "4:3 arib-std-b67 bt2020");
    clip_close(&c);
}

/* Equal samples give equal files, unless a creation time is set. */
static void equal_samples_give_equal_files(void) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    const char *a = test_path("a-time.mp4"), *b = test_path("b-time.mp4"), *c = test_path("c-time.mkv");
    size_t size_a = 0, size_b = 0;
    media_write_file(a, &movie, 0, NULL);
    media_write_file(b, &movie, 0, NULL);
    uint8_t *bytes_a = media_read_file(a, &size_a), *bytes_b = media_read_file(b, &size_b);
    if (CHECK_EQ(size_a, size_b)) CHECK_BYTES(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
    CHECK_STR_EQ(media_fact(a, "format_tags=creation_time"), "");

    options.flags = NALU_WRITER_OVERWRITE;
    options.creation_time = 1709251199; /* date -u -d @1709251199 */
    for (int i = 0; i < 2; i++) {
        nalu_writer *writer = media_writer_to(i ? c : a, &options);
        media_write_all(writer, &movie, NULL);
        media_finish(writer);
        CHECK_STR_EQ(media_fact(i ? c : a, "format_tags=creation_time"), "2024-02-29T23:59:59.000000Z");
    }
}

static void fragments_have_the_requested_duration(void) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    const char *path = test_path("short.mp4");
    options.flags = NALU_WRITER_FRAGMENTED;
    options.fragment_duration = 0.2; /* six of the ten frames between key frames, so two fragments each */
    nalu_writer *writer = media_writer_to(path, &options);
    media_write_all(writer, &movie, NULL);
    media_finish(writer);
    CHECK_EQ(media_count_in_file(path, "moof", 4), 9);
    media_check_exact_times(path, &movie, nalu_time_zero());
    media_check_same_frames(path, test_path("reference.h264"), FRAMES);
}

/* Returns the entries of `stss` (ISO/IEC 14496-12 8.6.2), because ffprobe reports every recovery point as a key
 * frame. */
static int marked(const char *path) {
    size_t size = 0;
    int count = -1;
    uint8_t *bytes = media_read_file(path, &size);
    for (size_t i = 0; i + 12 <= size; i++)
        if (memcmp(bytes + i, "stss\0\0\0\0", 8) == 0) count = bytes[i + 10] << 8 | bytes[i + 11];
    free(bytes);
    return count;
}

/* Encodes a clip with one key frame, and with recovery points of an intra refresh. */
static void encode_refreshing(clip *c) {
    clip_open(c, 128, 96);
    REQUIRE_OK(nalu_session_set_bool(c->session, NALU_PROPERTY_ALLOW_INTRA_REFRESH, 1));
    for (int i = 0; i < FRAMES; i++)
        REQUIRE_OK(clip_encode_at(c, nalu_time_make(i, 30), nalu_time_make(1, 30),
                                  i % 15 == 10 ? NALU_FRAME_BEGIN_INTRA_REFRESH : 0));
    clip_finish(c);
}

/* Players can seek to the recovery points of open groups, but not into a refresh of several frames. */
static void recovery_points_are_marked(void) {
    static const char *const names[] = {"open.mp4", "open.mov"};
    for (int refreshes = 0; refreshes < 2; refreshes++) {
        clip c;
        int points = 0, keys = 0;
        if (refreshes) {
            encode_refreshing(&c);
        } else {
            clip_open(&c, 128, 96);
            REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
            REQUIRE_OK(nalu_session_set_string(c.session, NALU_PROPERTY_X264_PARAMS, "bframes=2:b-adapt=0:scenecut=0"));
            REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
            clip_encode_all(&c, FRAMES);
        }
        for (int i = 0; i < c.count; i++) {
            keys += nalu_sample_is_key_frame(c.samples[i]);
            points += (nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_PARTIAL_SYNC) != 0;
        }
        CHECK_EQ(keys, 1);
        CHECK(points >= 3);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            media_write_file(test_path(names[i]), &c, NALU_WRITER_OVERWRITE, NULL);
            CHECK_EQ(marked(test_path(names[i])), refreshes ? 1 : 1 + points);
        }
        clip_close(&c);
    }
}

/* A stream that begins with a recovery point: players can begin there, because the first sample is marked. */
static void a_file_can_begin_with_a_recovery_point(void) {
    clip c;
    int first = 1;
    encode_refreshing(&c);
    while (!(nalu_sample_get_attachments(c.samples[first]) & NALU_SAMPLE_PARTIAL_SYNC)) first++;
    const char *path = test_path("begin.mp4");
    nalu_writer *writer = media_writer_to(path, NULL);
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c.samples[0]), NULL, NULL));
    for (int i = first; i < c.count; i++) CHECK_OK(nalu_writer_write_sample(writer, 0, c.samples[i]));
    media_finish(writer);
    CHECK_EQ(marked(path), 1);
    clip_close(&c);
}

/* The last release finishes the file. */
static void the_last_release_finishes_the_file(void) {
    const char *path = test_path("released.mp4");
    nalu_writer *writer = media_writer_to(path, NULL);
    CHECK_PTR_EQ(nalu_writer_retain(writer), writer);
    media_write_all(writer, &movie, NULL);
    nalu_writer_release(writer);
    nalu_writer_release(writer);
    media_check_exact_times(path, &movie, nalu_time_zero());
}

int main(void) {
    make_movie();
    RUN(mp4_and_mov_are_what_ffprobe_expects);
    RUN(other_containers_are_what_ffprobe_expects);
    RUN(a_growing_file_has_its_samples);
    RUN(the_container_follows_from_its_name_or_the_extension);
    RUN(rotation_is_written);
    RUN(mirroring_is_written);
    RUN(colour_and_hdr_metadata_are_written);
    RUN(equal_samples_give_equal_files);
    RUN(fragments_have_the_requested_duration);
    RUN(recovery_points_are_marked);
    RUN(a_file_can_begin_with_a_recovery_point);
    RUN(the_last_release_finishes_the_file);
    clip_close(&movie);
    return check_result();
}
