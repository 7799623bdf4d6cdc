/* H.265 from x265, read from each container with the same results as FFmpeg's, and written again. */
#include "media_reading.h"

enum { FRAMES = 40 };

static media_packet expected[CLIP_MOST];
static int32_t timescale;
static clip movie; /* samples of the MP4 */

static void make(const char *more, const char *name) {
    int status = 1;
    char *said = media_run(&status,
        "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=188x124:rate=25 -frames:v %d -pix_fmt yuv420p -c:v libx265"
        " -x265-params log-level=none:info=0:keyint=12:min-keyint=12:bframes=3:open-gop=1:scenecut=0 %s -y '%s' 2>&1",
        FRAMES, more, test_path(name));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
}

static void convert(const char *from, const char *more, const char *to) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' -c copy %s -y '%s' 2>&1", test_path(from), more,
                           test_path(to));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
}

static int unit_type(const nalu_sample *sample) {
    for (uint32_t i = 0; i < nalu_sample_get_nal_count(sample); i++) {
        int type = nalu_sample_get_nal(sample, i, NULL)[0] >> 1 & 63;
        if (type < 32) return type;
    }
    return -1;
}

static void h265_in_mp4_has_its_samples_and_format(void) {
    nalu_reader *reader = reader_of(test_path("a.mp4"));
    nalu_reader_track track = track_of(reader, 0);
    CHECK_EQ(track.codec, NALU_CODEC_HEVC);
    CHECK_STR_EQ(track.codec_name, "hevc");
    CHECK_EQ(track.width, 188);
    CHECK_EQ(track.height, 124);
    CHECK_EQ(track.timescale, timescale);
    CHECK_NEAR(track.nominal_frame_rate, 25, 0.01);
    CHECK_EQ(track.sample_count, FRAMES);
    nalu_sample *sample = NULL;
    while (movie.count < CLIP_MOST && nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK)
        movie.samples[movie.count++] = sample;
    REQUIRE(CHECK_EQ(movie.count, FRAMES));
    int partial = 0;
    for (int i = 0; i < FRAMES; i++) {
        size_t size = 0;
        sample = movie.samples[i];
        const uint32_t flags = nalu_sample_get_attachments(sample);
        const int type = unit_type(sample);
        (void)nalu_sample_get_data(sample, &size);
        CHECK_EQ(size, expected[i].size);
        CHECK_EQ(nalu_sample_get_presentation_time(sample).value, expected[i].pts);
        CHECK_EQ(nalu_sample_get_decode_time(sample).value, expected[i].dts);
        CHECK_EQ(nalu_sample_get_duration(sample).value, expected[i].duration);
        CHECK_EQ(nalu_sample_is_key_frame(sample), i == 0);
        CHECK_EQ((flags & NALU_SAMPLE_PARTIAL_SYNC) != 0, type == NALU_HEVC_NAL_CRA && i > 0);
        CHECK_EQ((flags & NALU_SAMPLE_DEPENDS_ON_OTHERS) == 0, type >= 16);
        CHECK_EQ((flags & NALU_SAMPLE_IS_DEPENDED_ON_BY_OTHERS) != 0, type >= 16 || type % 2 == 1);
        partial += (flags & NALU_SAMPLE_PARTIAL_SYNC) != 0;
        CHECK_EQ(nalu_format_description_get_codec(nalu_sample_get_format_description(sample)), NALU_CODEC_HEVC);
    }
    CHECK_EQ(partial, 3);
    /* Seeking also finds recovery points. */
    CHECK_OK(nalu_reader_seek(reader, nalu_time_make(30, 25)));
    CHECK_OK(nalu_reader_next_sample(reader, NULL, &sample));
    CHECK_EQ(unit_type(sample), NALU_HEVC_NAL_CRA);
    CHECK_NEAR(nalu_time_get_seconds(nalu_sample_get_presentation_time(sample)), 24 / 25.0, 0.001);
    nalu_sample_release(sample);
    nalu_reader_release(reader);
}

/* Checks that another file has the same samples. */
static void check_same(const char *name, const char *container, bool has_delimiters) {
    nalu_reader *reader = reader_of(test_path(name));
    CHECK_STR_EQ(nalu_reader_get_container(reader), container);
    CHECK_EQ(track_of(reader, 0).codec, NALU_CODEC_HEVC);
    CHECK_EQ(track_of(reader, 0).width, 188);
    nalu_time moved = nalu_time_invalid();
    for (int i = 0; i < FRAMES; i++) {
        nalu_sample *sample = NULL;
        size_t size = 0, length = 0, skip = has_delimiters ? 7 : 0;
        if (!CHECK_OK(nalu_reader_next_sample(reader, NULL, &sample))) break;
        const uint8_t *bytes = nalu_sample_get_data(sample, &size), *others = nalu_sample_get_data(movie.samples[i], &length);
        if (CHECK_EQ(size, length + skip)) CHECK_BYTES(bytes + skip, others, length);
        nalu_time pts = nalu_sample_get_presentation_time(sample);
        if (i == 0) moved = nalu_time_subtract(pts, nalu_sample_get_presentation_time(movie.samples[0]));
        CHECK(same_rounded_time(pts, nalu_time_add(nalu_sample_get_presentation_time(movie.samples[i]), moved), 1000));
        CHECK_EQ(nalu_sample_get_attachments(sample), nalu_sample_get_attachments(movie.samples[i]));
        CHECK(nalu_format_description_get_parameter_set_count(nalu_sample_get_format_description(sample)) >= 3);
        nalu_sample_release(sample);
    }
    nalu_sample *sample = NULL;
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_VALUE_NOT_AVAILABLE);
    nalu_reader_release(reader);
}

static void h265_is_the_same_from_every_container(void) {
    convert("a.mp4", "-tag:v hev1", "hev1.mp4");
    check_same("hev1.mp4", "mp4", false);
    convert("a.mp4", "-movflags frag_keyframe+empty_moov", "fragments.mp4");
    check_same("fragments.mp4", "mp4", false);
    convert("a.mp4", "", "a.mkv");
    check_same("a.mkv", "matroska", false);
    convert("a.mp4", "", "a.ts");
    check_same("a.ts", "mpegts", true);
    convert("a.mp4", "-bsf:v hevc_mp4toannexb", "a.h265");
    check_same("a.h265", "hevc", false);
}

/* The samples are written and read again. */
static void h265_is_written_and_read_again(void) {
    media_write_file(test_path("again.mp4"), &movie, 0, NULL);
    media_check_same_frames(test_path("again.mp4"), test_path("a.mp4"), FRAMES);
    nalu_reader *reader = reader_of(test_path("again.mp4"));
    check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(reader);
}

/* A raw stream stores no times, so none is rejected, and none is shifted. */
static void h265_is_written_as_a_raw_stream(void) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = NALU_WRITER_START_AT_ZERO;
    CHECK_STATUS(nalu_writer_create_with_path(test_path("zero.h265"), NULL, &options, &writer), NALU_STATUS_CONFLICT);
    CHECK(strstr(nalu_last_error_message(), "hevc"));
    writer = media_writer_to(test_path("close.h265"), NULL);
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(movie.samples[0]), NULL, NULL));
    for (int i = 0; i < FRAMES; i++) {
        size_t size = 0;
        nalu_sample *sample = NULL;
        const uint8_t *bytes = nalu_sample_get_data(movie.samples[i], &size);
        /* 5 microseconds apart, less than a tick of 1/90000 s. */
        nalu_time time = nalu_time_make(i, 200000);
        REQUIRE_OK(nalu_sample_create(bytes, size, nalu_sample_get_format_description(movie.samples[i]), time,
            nalu_time_make(1, 200000), time, nalu_sample_get_attachments(movie.samples[i]), &sample));
        CHECK_OK(nalu_writer_write_sample(writer, 0, sample));
        nalu_sample_release(sample);
    }
    media_finish(writer);
    check_same("close.h265", "hevc", false);
}

int main(void) {
    long long numerator = 0, denominator = 0;
    make("-tag:v hvc1", "a.mp4");
    REQUIRE(media_packets(test_path("a.mp4"), expected, CLIP_MOST, &numerator, &denominator) == FRAMES);
    timescale = (int32_t)denominator;
    RUN(h265_in_mp4_has_its_samples_and_format);
    RUN(h265_is_the_same_from_every_container);
    RUN(h265_is_written_and_read_again);
    RUN(h265_is_written_as_a_raw_stream);
    for (int i = 0; i < movie.count; i++) nalu_sample_release(movie.samples[i]);
    return check_result();
}
