/* Parameter sets that change within a track: each container stores them where they apply, or rejects the
 * sample. */
#include "media_reading.h"

enum { PART = 20, FRAMES = 3 * PART };

/* Makes three consecutive streams of one size; the second one has other parameter sets than the first and the
 * last. */
static const char *stream_of(const char *codec) {
    bool is_hevc = strcmp(codec, "hevc") == 0;
    const char *path = test_path(is_hevc ? "three.h265" : "three.h264");
    if (access(path, F_OK) == 0) return path;
    const char *kinds[2] = {is_hevc ? "ctu=16:sao=0" : "cabac=0:8x8dct=0", is_hevc ? "ctu=32" : "cabac=1:8x8dct=1"};
    for (int i = 0; i < 3; i++) {
        int status = 0;
        media_run(&status, "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x96:rate=30:duration=2 -ss %f -frames:v %d"
            " -pix_fmt yuv420p -c:v %s -preset ultrafast -bf 2 -g 10 -%s %s%s -f %s - >>'%s'", i * PART / 30.0, PART,
            is_hevc ? "libx265" : "libx264", is_hevc ? "x265-params" : "x264-params", is_hevc ? "log-level=none:" : "",
            kinds[i % 2], codec, path);
        REQUIRE(status == 0);
    }
    return path;
}

/* Writes the samples of a reader. Returns how many were rejected. */
static int copy(const char *from, const char *to, uint32_t flags) {
    nalu_reader *reader = reader_of(from);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_sample *sample = NULL;
    int count = 0, refused = 0;
    options.flags = NALU_WRITER_OVERWRITE | flags;
    nalu_writer *writer = media_writer_to(to, &options);
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        if (count++ == 0) REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(sample), NULL, NULL));
        nalu_status status = nalu_writer_write_sample(writer, 0, sample);
        if (status) {
            CHECK_STATUS(status, NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
            CHECK(strstr(nalu_last_error_message(), "NALU_WRITER_PARAMETER_SETS_IN_BAND"));
        }
        refused += status != NALU_STATUS_OK;
        nalu_sample_release(sample);
    }
    CHECK_EQ(count, FRAMES);
    media_finish(writer);
    nalu_reader_release(reader);
    return refused;
}

/* Checks that both files have the same bytes and parameter sets, sample by sample. */
static void check_samples_of(const char *path, const char *wanted) {
    nalu_reader *reader = reader_of(path), *other = reader_of(wanted);
    nalu_sample *a = NULL, *b = NULL;
    for (int i = 0; i < FRAMES; i++) {
        size_t size = 0, expected = 0;
        REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &a));
        REQUIRE_OK(nalu_reader_next_sample(other, NULL, &b));
        const uint8_t *bytes = nalu_sample_get_data(a, &size), *others = nalu_sample_get_data(b, &expected);
        /* mpegts needs delimiters, which are added. */
        if (strstr(path, ".ts") == NULL && CHECK_EQ(size, expected)) CHECK_BYTES(bytes, others, size);
        CHECK(nalu_format_description_equal(nalu_sample_get_format_description(a), nalu_sample_get_format_description(b)));
        nalu_sample_release(a);
        nalu_sample_release(b);
    }
    nalu_reader_release(reader);
    nalu_reader_release(other);
}

static void check_codec(const char *codec) {
    static const struct { const char *name; uint32_t flags; } files[] = {
        {"a.mp4", 0}, {"fast.mp4", NALU_WRITER_FAST_START}, {"a.mov", 0}, {"a.mkv", 0}, {"a.ts", 0}, {"a.flv", 0},
        {"fragments.mp4", NALU_WRITER_FRAGMENTED | NALU_WRITER_PARAMETER_SETS_IN_BAND},
        {"in_band.mp4", NALU_WRITER_PARAMETER_SETS_IN_BAND},
    };
    bool is_hevc = strcmp(codec, "hevc") == 0;
    char *from = strdup(stream_of(codec));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (is_hevc && strstr(files[i].name, ".flv")) continue;
        char *to = strdup(test_path(files[i].name));
        bool is_base_media = strstr(to, ".mp4") || strstr(to, ".mov");
        CHECK_EQ(copy(from, to, files[i].flags), 0);
        media_check_same_frames(to, from, FRAMES);
        if (is_base_media) CHECK_STR_EQ(media_fact(to, "stream=codec_tag_string"), is_hevc ? "hev1" : "avc3");
        check_samples_of(to, from);
        free(to);
    }
    char *to = strdup(test_path(is_hevc ? "again.h265" : "again.h264"));
    CHECK_EQ(copy(from, to, 0), 0);
    media_check_same_frames(to, from, FRAMES);
    free(to);
    /* The index is already written: samples of the second stream are rejected, and later ones are accepted. */
    to = strdup(test_path("refused.mp4"));
    CHECK_EQ(copy(from, to, NALU_WRITER_FRAGMENTED), PART);
    CHECK_STR_EQ(media_fact(to, "stream=codec_tag_string"), is_hevc ? "hvc1" : "avc1");
    free(to);
    free(from);
}

static void changed_h264_parameter_sets_are_written(void) { check_codec("h264"); }
static void changed_h265_parameter_sets_are_written(void) { check_codec("hevc"); }

/* Makes another PPS with pic_parameter_set_id 1: its bits have '010' instead of '1' for 0. */
static size_t second_pps(const uint8_t *pps, size_t size, uint8_t *made) {
    made[0] = pps[0];
    unsigned bits = 2, held = 1; /* '01', and then '0' in place of the first bit */
    for (size_t i = 1; i < size; i++) {
        unsigned byte = i == 1 ? pps[i] & 0x7fu : pps[i];
        held = held << 8 | byte;
        made[i] = (uint8_t)(held >> bits);
        held &= (1u << bits) - 1;
    }
    made[size] = (uint8_t)(held << (8 - bits));
    return size + 1;
}

/* A change between key frames: the parameter sets precede the first sample that needs them. */
static void parameter_sets_precede_the_first_sample_that_needs_them(void) {
    static const char *const names[] = {"b.mp4", "b.mov", "b.mkv", "b.ts", "b.flv", "b.h264"};
    clip c;
    media_clip(&c, 128, 96, PART);
    nalu_format_description *format = nalu_sample_get_format_description(c.samples[0]), *more = NULL;
    const uint8_t *sets[3];
    size_t sizes[3];
    uint8_t second[256];
    REQUIRE(nalu_format_description_get_parameter_set_count(format) == 2);
    for (uint32_t i = 0; i < 2; i++) sets[i] = nalu_format_description_get_parameter_set(format, i, &sizes[i]);
    REQUIRE(sizes[1] < 200);
    sets[2] = second, sizes[2] = second_pps(sets[1], sizes[1], second);
    REQUIRE_OK(nalu_format_description_create_from_parameter_sets(3, sets, sizes, 4, &more));
    media_write_reference(test_path("between.h264"), &c);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char *path = strdup(test_path(names[n]));
        nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
        nalu_writer *writer = media_writer_to(path, &options);
        REQUIRE_OK(nalu_writer_add_track(writer, format, NULL, NULL));
        for (int i = 0; i < PART; i++) {
            size_t size = 0;
            nalu_sample *sample = NULL;
            const uint8_t *bytes = nalu_sample_get_data(c.samples[i], &size);
            REQUIRE_OK(nalu_sample_create(bytes, size, i < 5 ? format : more, nalu_sample_get_presentation_time(c.samples[i]),
                nalu_sample_get_duration(c.samples[i]), nalu_sample_get_decode_time(c.samples[i]),
                nalu_sample_get_attachments(c.samples[i]), &sample));
            CHECK_OK(nalu_writer_write_sample(writer, 0, sample));
            nalu_sample_release(sample);
        }
        media_finish(writer);
        /* The second PPS occurs before the sixth sample, and before the key frame after it. FLV has it in its
         * configuration. */
        bool is_flash = strstr(path, ".flv") != NULL;
        CHECK_EQ(media_count_in_file(path, (const char *)second, sizes[2]), is_flash ? 1 : 2);
        media_check_same_frames(path, test_path("between.h264"), PART);
        free(path);
    }
    nalu_format_description_release(more);
    clip_close(&c);
}

/* Pictures of another size, and another codec. */
static void another_size_or_codec_is_written_or_refused(void) {
    static const struct { const char *name; nalu_status status; } files[] = {
        {"c.mp4", NALU_STATUS_UNSUPPORTED_DATA_FORMAT}, {"c.mkv", NALU_STATUS_UNSUPPORTED_DATA_FORMAT}, {"c.ts", NALU_STATUS_OK},
        {"c.flv", NALU_STATUS_OK}, {"c.h264", NALU_STATUS_OK},
    };
    clip a, b;
    clip_open(&a, 128, 96);
    clip_encode_all(&a, 3);
    clip_open(&b, 64, 48);
    for (int i = 0; i < 3; i++) REQUIRE_OK(clip_encode_at(&b, nalu_time_make(3 + i, 30), nalu_time_invalid(), 0));
    clip_finish(&b);
    nalu_reader *reader = reader_of(stream_of("hevc"));
    nalu_sample *hevc = NULL;
    REQUIRE_OK(nalu_reader_next_sample(reader, NULL, &hevc));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        nalu_writer *writer = media_writer_to(test_path(files[i].name), NULL);
        media_write_all(writer, &a, NULL);
        CHECK_STATUS(nalu_writer_write_sample(writer, 0, b.samples[0]), files[i].status);
        if (files[i].status) CHECK(strstr(nalu_last_error_message(), "64x48"));
        CHECK_STATUS(nalu_writer_write_sample(writer, 0, hevc), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK(strstr(nalu_last_error_message(), "one codec"));
        media_finish(writer);
    }
    nalu_sample_release(hevc);
    nalu_reader_release(reader);
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = NALU_WRITER_PARAMETER_SETS_IN_BAND;
    CHECK_STATUS(nalu_writer_create_with_path(test_path("d.mkv"), NULL, &options, &writer), NALU_STATUS_CONFLICT);
    clip_close(&a);
    clip_close(&b);
}

int main(void) {
    RUN(changed_h264_parameter_sets_are_written);
    RUN(changed_h265_parameter_sets_are_written);
    RUN(parameter_sets_precede_the_first_sample_that_needs_them);
    RUN(another_size_or_codec_is_written_or_refused);
    return check_result();
}
