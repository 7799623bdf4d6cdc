/* Every wrong argument of the reader gives a status and an error message. */
#include "media_reading.h"

static clip movie;

#define CHECK_REFUSED(call, status, word) do { \
    reader = (nalu_reader *)&reader; \
    CHECK_STATUS(call, status); \
    CHECK_PTR_EQ(reader, NULL); \
    if (!CHECK(strstr(nalu_last_error_message(), word))) fprintf(stderr, "no \"%s\"\n", word); \
} while (0)

static void wrong_arguments_of_create_are_refused(void) {
    nalu_reader *reader = NULL;
    nalu_reader_options options = NALU_READER_OPTIONS_INIT;
    const char *path = test_path("a.mp4");
    media_write_file(path, &movie, 0, NULL);
    CHECK_STATUS(nalu_reader_create_with_path(path, NULL, NULL), NALU_STATUS_PARAMETER);
    CHECK_REFUSED(nalu_reader_create_with_path(NULL, NULL, &reader), NALU_STATUS_PARAMETER, "path");
    CHECK_REFUSED(nalu_reader_create_with_path(test_path("no.mp4"), NULL, &reader), NALU_STATUS_INPUT_OUTPUT,
                  "No such file");
    CHECK_REFUSED(nalu_reader_create_with_path("/", NULL, &reader), NALU_STATUS_INPUT_OUTPUT, "directory");
    options.flags = 1u << 30;
    CHECK_REFUSED(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_PARAMETER, "flags");
    options.flags = 0, options.struct_size = 8;
    CHECK_REFUSED(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_PARAMETER, "struct_size");
    options.struct_size = sizeof options, options.frame_duration = nalu_time_make(0, 30);
    CHECK_REFUSED(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_INVALID_TIME, "frame_duration");
    options.frame_duration = nalu_time_indefinite();
    CHECK_REFUSED(nalu_reader_create_with_path(path, &options, &reader), NALU_STATUS_INVALID_TIME, "frame_duration");
    struct { nalu_reader_options options; uint64_t more; } newer = {NALU_READER_OPTIONS_INIT, 1};
    newer.options.struct_size = sizeof newer;
    CHECK_REFUSED(nalu_reader_create_with_path(path, &newer.options, &reader), NALU_STATUS_UNSUPPORTED_OPTION, "options");
    int destroyed = 0;
    CHECK_REFUSED(nalu_reader_create_with_callbacks(NULL, NULL, -1, &destroyed, NULL, NULL, &reader),
                  NALU_STATUS_PARAMETER, "read");
}

/* Contents that are no media file, and damaged media files. */
static void files_of_other_content_are_refused(void) {
    nalu_reader *reader = NULL;
    static const char text[] = "This is a letter, and no video.\n";
    CHECK_REFUSED(nalu_reader_create_with_path(test_file("empty.mp4", "", 0), NULL, &reader),
                  NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "empty");
    CHECK_REFUSED(nalu_reader_create_with_path(test_file("text.mp4", text, sizeof text), NULL, &reader),
                  NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "not a media file");
    size_t size = 0;
    const char *path = test_path("whole.mp4");
    media_write_file(path, &movie, 0, NULL);
    uint8_t *bytes = media_read_file(path, &size);
    CHECK_REFUSED(nalu_reader_create_with_path(test_file("cut.mp4", bytes, size / 2), NULL, &reader),
                  NALU_STATUS_BAD_DATA, "moov");
    /* The content counts, not the name. */
    nalu_reader *other = reader_of(test_file("video.txt", bytes, size));
    CHECK_STR_EQ(nalu_reader_get_container(other), "mp4");
    check_samples(other, &movie, 0, nalu_time_zero(), 0);
    nalu_reader_release(other);
    /* A playlist is rejected and opens no other file. */
    char list[700];
    snprintf(list, sizeof list, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n%s\n#EXT-X-ENDLIST\n", path);
    CHECK_REFUSED(nalu_reader_create_with_path(test_file("list.m3u8", list, strlen(list)), NULL, &reader),
                  NALU_STATUS_UNSUPPORTED_DATA_FORMAT, "playlist");
    free(bytes);
}

static void wrong_handles_are_refused(void) {
    nalu_reader *reader = reader_of(test_path("a.mp4"));
    nalu_reader *wrong = (nalu_reader *)nalu_sample_get_format_description(movie.samples[0]);
    nalu_reader_track track = {.struct_size = sizeof track};
    nalu_sample *sample = NULL;
    CHECK_STATUS(nalu_reader_get_track(reader, 1, &track), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_reader_get_track(reader, 0, NULL), NALU_STATUS_PARAMETER);
    track.struct_size = 8;
    CHECK_STATUS(nalu_reader_get_track(reader, 0, &track), NALU_STATUS_PARAMETER);
    CHECK_STATUS(nalu_reader_select_track(reader, 1, 1), NALU_STATUS_OUT_OF_RANGE);
    CHECK_STATUS(nalu_reader_select_track(reader, 0, 2), NALU_STATUS_OUT_OF_RANGE);
    CHECK_PTR_EQ(nalu_reader_get_format_description(reader, 1), NULL);
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, NULL), NALU_STATUS_PARAMETER);

    CHECK_OK(nalu_reader_select_track(reader, 0, 0));
    CHECK_EQ(track_of(reader, 0).flags & NALU_TRACK_SELECTED, 0);
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_OUT_OF_ORDER);
    CHECK_OK(nalu_reader_select_track(reader, 0, 1));
    CHECK_OK(nalu_reader_next_sample(reader, NULL, &sample));
    nalu_sample_release(sample);
    CHECK_STATUS(nalu_reader_select_track(reader, 0, 0), NALU_STATUS_OUT_OF_ORDER);
    CHECK_OK(nalu_reader_seek(reader, nalu_time_zero()));
    CHECK_OK(nalu_reader_select_track(reader, 0, 1));
    check_samples(reader, &movie, 0, nalu_time_zero(), 0);
    CHECK_PTR_EQ(nalu_reader_retain(reader), reader);
    nalu_reader_release(reader);
    nalu_reader_release(reader);

    nalu_reader *bad[] = {NULL, wrong};
    for (int i = 0; i < 2; i++) {
        nalu_status status = i ? NALU_STATUS_INVALID_HANDLE : NALU_STATUS_PARAMETER;
        track.struct_size = sizeof track;
        CHECK_STATUS(nalu_reader_get_track(bad[i], 0, &track), status);
        CHECK_STATUS(nalu_reader_select_track(bad[i], 0, 1), status);
        CHECK_STATUS(nalu_reader_next_sample(bad[i], NULL, &sample), status);
        CHECK_STATUS(nalu_reader_seek(bad[i], nalu_time_zero()), status);
        CHECK_STATUS(nalu_reader_cancel(bad[i]), status);
        CHECK_EQ(nalu_reader_get_status(bad[i]), 0);
        CHECK_EQ(nalu_reader_get_track_count(bad[i]), 0);
        CHECK_EQ(nalu_time_is_numeric(nalu_reader_get_duration(bad[i])), 0);
        CHECK_PTR_EQ(nalu_reader_get_container(bad[i]), NULL);
        CHECK_PTR_EQ(nalu_reader_get_format_description(bad[i], 0), NULL);
        CHECK_PTR_EQ(nalu_reader_retain(bad[i]), bad[i]);
        nalu_reader_release(bad[i]);
    }
}

/* A file with audio only can be opened, and reports that it has no samples. */
static void a_file_with_audio_only_has_no_samples(void) {
    const char *path = test_path("audio.m4a");
    int status = 0;
    media_run(&status, "ffmpeg -nostdin -v error -f lavfi -i sine=d=0.5:r=44100 -ac 2 -c:a aac '%s' 2>&1", path);
    REQUIRE(status == 0);
    nalu_reader *reader = reader_of(path);
    nalu_sample *sample = NULL;
    nalu_reader_track track = track_of(reader, 0);
    CHECK_EQ(track.media_type, NALU_MEDIA_TYPE_AUDIO);
    CHECK_STR_EQ(track.codec_name, "aac");
    CHECK_EQ(track.codec, NALU_FOURCC('m', 'p', '4', 'a'));
    CHECK_EQ(track.sample_rate, 44100);
    CHECK_EQ(track.channel_count, 2);
    CHECK_EQ(track.flags & (NALU_TRACK_READABLE | NALU_TRACK_SELECTED), 0);
    CHECK_NEAR(nalu_time_get_seconds(nalu_reader_get_duration(reader)), 0.5, 0.05);
    CHECK_STATUS(nalu_reader_next_sample(reader, NULL, &sample), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    CHECK(strstr(nalu_last_error_message(), "aac"));
    CHECK_STATUS(nalu_reader_select_track(reader, 0, 1), NALU_STATUS_UNSUPPORTED_DATA_FORMAT);
    nalu_reader_release(reader);
}

int main(void) {
    media_clip(&movie, 64, 48, 20);
    RUN(wrong_arguments_of_create_are_refused);
    RUN(files_of_other_content_are_refused);
    RUN(wrong_handles_are_refused);
    RUN(a_file_with_audio_only_has_no_samples);
    clip_close(&movie);
    return check_result();
}
