/* The format of an input: detected from its content if possible, otherwise named by the client. */
#include "media_reading.h"

enum { FRAMES = 40 };

static clip movie;

static void make(const char *arguments, const char *name) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error %s -y '%s' 2>&1", arguments, test_path(name));
    if (!CHECK_EQ(status, 0)) fputs(said, stderr);
}

static int count_samples(nalu_reader *reader) {
    int count = 0;
    nalu_sample *sample = NULL;
    while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
        nalu_sample_release(sample);
        count++;
    }
    return count;
}

static void check_found(const char *path, const char *container, int samples) {
    nalu_reader *reader = NULL;
    if (!CHECK_OK(nalu_reader_create_with_path(path, NULL, &reader))) {
        fprintf(stderr, "%s: %s\n", path, nalu_last_error_message());
        return;
    }
    CHECK_STR_EQ(nalu_reader_get_container(reader), container);
    CHECK_EQ(count_samples(reader), samples);
    nalu_reader_release(reader);
}

/* A recovery point with its parameter sets, without an IDR picture. It has too few slices for FFmpeg's
 * detection. */
static void a_short_stream_is_detected(void) {
    static uint8_t bytes[1 << 20];
    clip c;
    size_t size = 0;
    clip_open(&c, 64, 48);
    REQUIRE_OK(nalu_session_set_bool(c.session, NALU_PROPERTY_ALLOW_OPEN_GOP, 1));
    REQUIRE_OK(nalu_session_set_int64(c.session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
    clip_encode_all(&c, 25);
    int found = 0;
    for (int i = 1; i < c.count && !found; i++) {
        if (!(nalu_sample_get_attachments(c.samples[i]) & NALU_SAMPLE_PARTIAL_SYNC)) continue;
        found = 1;
        REQUIRE_OK(nalu_sample_copy_annex_b(c.samples[i], NALU_ANNEX_B_PARAMETER_SETS_ALWAYS, bytes, sizeof bytes, &size));
    }
    REQUIRE(found);
    check_found(test_file("short.bin", bytes, size), "h264", 1);
    clip_close(&c);
}

/* Each picture is followed by a NAL unit of a higher layer, which is left out. */
static void a_stream_with_higher_layers_is_detected(void) {
    size_t size = 0, made = 0;
    make("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 8 -pix_fmt yuv420p -c:v libx265 -x265-params log-level=none:bframes=0",
         "base.hevc");
    uint8_t *bytes = media_read_file(test_path("base.hevc"), &size);
    uint8_t *layered = (uint8_t *)malloc(2 * size + 4096);
    REQUIRE(layered);
    static const uint8_t upper[] = {0, 0, 0, 1, 0x02, 0x09, 0xd0, 0x12, 0x34, 0x56, 0x78};
    int pictures = 0;
    for (size_t i = 0; i < size; i++) {
        const int is_unit = i + 5 < size && memcmp(bytes + i, "\0\0\1", 3) == 0;
        layered[made++] = bytes[i];
        if (!is_unit || (bytes[i + 3] >> 1 & 63) > 31) continue;
        /* Inserts the unit after the slice, which is the only one of its picture. */
        size_t end = i + 3;
        while (end < size && (end + 3 > size || memcmp(bytes + end, "\0\0\1", 3) != 0)) end++;
        if (end < size && bytes[end - 1] == 0) end--;
        memcpy(layered + made, bytes + i + 1, end - i - 1), made += end - i - 1;
        memcpy(layered + made, upper, sizeof upper), made += sizeof upper;
        i = end - 1, pictures++;
    }
    CHECK_EQ(pictures, 8);
    check_found(test_file("layered.bin", layered, made), "hevc", 8);
    free(layered);
    free(bytes);
}

/* Packets of 192 bytes with arrival times, as cameras write them. */
static void a_transport_stream_with_arrival_times_is_detected(void) {
    size_t size = 0;
    media_write_file(test_path("a.ts"), &movie, 0, NULL);
    uint8_t *bytes = media_read_file(test_path("a.ts"), &size);
    const size_t count = size / 188;
    uint8_t *stamped = (uint8_t *)malloc(192 * count);
    REQUIRE(stamped && count > 20);
    for (size_t i = 0; i < count; i++) {
        const uint8_t stamp[4] = {(uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i, 0};
        memcpy(stamped + 192 * i, stamp, 4);
        memcpy(stamped + 192 * i + 4, bytes + 188 * i, 188);
    }
    check_found(test_file("a.mts", stamped, 192 * count), "mpegts", FRAMES);
    free(stamped);
    free(bytes);
}

/* Writes packets of `length` bytes, with `lead` bytes before each. */
static void put_packets(const uint8_t *packets, size_t count, size_t length, size_t lead, const char *name, int samples) {
    uint8_t bytes[204 * 16];
    REQUIRE(count <= 16);
    for (size_t i = 0; i < count; i++) {
        uint8_t *at = bytes + i * length;
        memset(at, 0x30, length);
        memcpy(at + lead, packets + 188 * i, 188);
    }
    check_found(test_file(name, bytes, count * length), "mpegts", samples);
    /* The last packet is truncated. */
    nalu_reader *reader = reader_of(test_file(name, bytes, (count - 1) * length + lead + 100));
    CHECK_STR_EQ(nalu_reader_get_container(reader), "mpegts");
    nalu_reader_release(reader);
}

/* Fewer than ten packets, which FFmpeg detects as a program stream, or not at all. */
static void a_short_transport_stream_is_detected(void) {
    static const struct { size_t length, lead; const char *name; } forms[] = {
        {188, 0, "plain"}, {192, 4, "arrival before"}, {192, 0, "arrival after"}, {204, 0, "Reed-Solomon"},
    };
    for (int frames = 1; frames < 4; frames++) {
        clip c;
        size_t size = 0;
        media_clip(&c, 32, 32, frames);
        media_write_file(test_path("few.ts"), &c, NALU_WRITER_OVERWRITE, NULL);
        uint8_t *bytes = media_read_file(test_path("few.ts"), &size);
        const size_t count = size / 188;
        if (CHECK(count >= 3 && count <= 16))
            for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
                put_packets(bytes, count, forms[i].length, forms[i].lead, forms[i].name, frames);
        free(bytes);
        clip_close(&c);
    }
}

/* The format of a stream that begins in the middle cannot be detected, so the client names it. */
static void a_named_format_is_read(void) {
    static uint8_t bytes[1 << 20];
    size_t size = 0, all = 0;
    for (int i = 1; i < movie.count; i++) {
        REQUIRE_OK(nalu_sample_copy_annex_b(movie.samples[i], i < 4 ? NALU_ANNEX_B_NO_PARAMETER_SETS
            : NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES, bytes + all, sizeof bytes - all, &size));
        all += size;
        if (i == 2) break;
    }
    const char *path = test_file("middle.bin", bytes, all);
    nalu_reader *reader = NULL;
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    CHECK_STATUS(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    options.format = "h264";
    REQUIRE_OK(nalu_reader_create_with_path(path, &options, &reader));
    CHECK_STR_EQ(nalu_reader_get_container(reader), "h264");
    CHECK_EQ(nalu_reader_get_track_count(reader), 1);
    CHECK_EQ(count_samples(reader), 0);
    nalu_reader_release(reader);

    media_write_file(test_path("a.mp4"), &movie, 0, NULL);
    static const char *const names[] = {"mp4", "mov", "m4a"};
    for (int i = 0; i < 3; i++) {
        options.format = names[i];
        REQUIRE_OK(nalu_reader_create_with_path(test_path("a.mp4"), &options, &reader));
        CHECK_STR_EQ(nalu_reader_get_container(reader), "mp4");
        check_samples(reader, &movie, 0, nalu_time_zero(), 0);
        nalu_reader_release(reader);
    }
}

static void unknown_format_names_are_refused(void) {
    static const char *const names[] = {"avc", "", "hls", "image2", "mp4,"};
    for (int i = 0; i < 5; i++) {
        nalu_reader *reader = (nalu_reader *)&reader;
        nalu_reader_options options = NALU_READER_OPTIONS_INIT;
        options.format = names[i];
        CHECK_STATUS(nalu_reader_create_with_path(test_path("a.mp4"), &options, &reader),
                     NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
        CHECK_PTR_EQ(reader, NULL);
        CHECK(strstr(nalu_last_error_message(), i == 2 ? "playlist" : "options.format"));
    }
    /* A format that contradicts the content. */
    nalu_reader *reader = NULL;
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    options.format = "matroska";
    CHECK_STATUS(nalu_reader_create_with_path(test_path("a.mp4"), &options, &reader), NALU_STATUS_BAD_DATA);
    CHECK_PTR_EQ(reader, NULL);
}

/* Shape and colour that only the container states are in the format description; those of the stream stay. */
static void the_format_description_has_what_only_the_container_states(void) {
    static const char *const names[] = {"stated.mp4", "stated.mkv", "hevc.mp4"};
    make("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 2 -pix_fmt yuv420p -c:v libx264 -preset ultrafast", "plain.mp4");
    make("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 2 -pix_fmt yuv420p -c:v libx265 "
         "-x265-params log-level=none -tag:v hvc1", "plain265.mp4");
    for (int i = 0; i < 3; i++) {
        char arguments[4096];
        snprintf(arguments, sizeof arguments, "-i '%s' -c copy -aspect 2:1 -color_range pc -color_primaries bt2020 "
                 "-color_trc smpte2084 -colorspace bt2020nc", test_path(i < 2 ? "plain.mp4" : "plain265.mp4"));
        make(arguments, names[i]);
        nalu_reader *reader = reader_of(test_path(names[i]));
        nalu_sequence_info info = {.struct_size = sizeof info};
        REQUIRE_OK(nalu_format_description_get_sequence_info(nalu_reader_get_format_description(reader, 0), &info));
        CHECK_EQ(info.pixel_aspect_ratio_horizontal, 3);
        CHECK_EQ(info.pixel_aspect_ratio_vertical, 2);
        CHECK_EQ(info.color_primaries, 9);
        CHECK_EQ(info.transfer_characteristics, 16);
        CHECK_EQ(info.matrix_coefficients, 9);
        /* The range of the stream stays if it is stated. */
        CHECK_EQ(info.video_full_range, i < 2);
        CHECK_EQ(count_samples(reader), 2);
        nalu_reader_release(reader);
    }
}

int main(void) {
    media_clip(&movie, 64, 48, FRAMES);
    RUN(a_short_stream_is_detected);
    RUN(a_stream_with_higher_layers_is_detected);
    RUN(a_transport_stream_with_arrival_times_is_detected);
    RUN(a_short_transport_stream_is_detected);
    RUN(a_named_format_is_read);
    RUN(the_format_description_has_what_only_the_container_states);
    RUN(unknown_format_names_are_refused);
    clip_close(&movie);
    return check_result();
}
