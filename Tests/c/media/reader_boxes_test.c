/* Valid mp4 and mov files of many kinds, as FFmpeg writes them, return all their samples. They are read through
 * a path, through callbacks with and without a size, and, if possible, without seeking. */
#include "movie_boxes.h"

enum { FRAMES = 60 };

static struct source {
    uint8_t *bytes;
    size_t size;
} first;

/* Reads all samples of the video track, one after the other, without their parameter sets. */
static size_t take_all(nalu_reader *reader, int *count, uint8_t *bytes, size_t room) {
    size_t used = 0;
    nalu_sample *sample = NULL;
    nalu_status status;
    *count = 0;
    while ((status = nalu_reader_next_sample(reader, NULL, &sample)) == NALU_STATUS_OK) {
        size_t size = 0;
        const uint8_t *data = nalu_sample_get_data(sample, &size);
        REQUIRE(used + size <= room);
        memcpy(bytes + used, data, size);
        used += size;
        ++*count;
        nalu_sample_release(sample);
    }
    if (!CHECK_EQ(status, NALU_STATUS_VALUE_NOT_AVAILABLE)) fprintf(stderr, "%s\n", nalu_last_error_message());
    return used;
}

static void check_reader(nalu_reader *reader, const char *name, int way) {
    static uint8_t bytes[1 << 20];
    int count = 0;
    size_t used = take_all(reader, &count, bytes, sizeof bytes);
    if (!(CHECK_EQ(count, FRAMES) && CHECK_EQ(used, first.size) && CHECK_BYTES(bytes, first.bytes, used)))
        fprintf(stderr, "%s, way %d\n", name, way);
    /* Seeks to the middle, which reads the boxes again. */
    if (way < 3) {
        CHECK_OK(nalu_reader_seek(reader, nalu_time_make(3, 2)));
        take_all(reader, &count, bytes, sizeof bytes);
        if (!CHECK(count > 0 && count < FRAMES)) fprintf(stderr, "%s, way %d, behind a seek\n", name, way);
    }
    nalu_reader_release(reader);
}

static void check_bytes_of(const uint8_t *bytes, size_t size, bool streams, const char *name) {
    for (int way = 1; way < (streams ? 5 : 3); way++) {
        input it = {.bytes = bytes, .size = size, .most = way == 2 ? 1999 : 0};
        nalu_reader *reader = NULL;
        nalu_status status = nalu_reader_create_with_callbacks(input_read, way < 3 ? input_seek : NULL,
            way % 2 ? (int64_t)size : -1, &it, NULL, NULL, &reader);
        if (!CHECK_OK(status)) {
            fprintf(stderr, "%s, way %d: %s\n", name, way, nalu_last_error_message());
            continue;
        }
        check_reader(reader, name, way);
    }
}

static void check_file(const char *name, bool streams) {
    size_t size = 0;
    const char *path = test_path(name);
    uint8_t *bytes = media_read_file(path, &size);
    check_reader(reader_of(path), name, 0);
    check_bytes_of(bytes, size, streams, name);
    /* The file follows a tag. None of its offsets then counts from the file's beginning. */
    boxes tagged = {0};
    put_bytes(&tagged, "ID3\4\0\0\0\0\2\0", 10);
    put_bytes(&tagged, NULL, 256);
    put_bytes(&tagged, bytes, size);
    if (strcmp(name, "fragments.mp4") == 0) check_bytes_of(tagged.bytes, tagged.size, false, "behind a tag");
    free(tagged.bytes);
    free(bytes);
}

#define TAIL(what, bytes) {what, bytes, sizeof bytes - 1}

/* Data after the last box, as in the stored upload of a browser, and boxes of unknown types. */
static void data_after_the_last_box_are_ignored(void) {
    static const struct {
        const char *what, *bytes;
        size_t size;
    } tails[] = {
        TAIL("a boundary of a form", "\r\n------WebKitFormBoundary7MA4YWxkTrZu0gW--\r\n"),
        TAIL("seven bytes", "\0\0\0\0\0\0\0"),
        TAIL("a box nobody knows", "\0\0\0\20abcd12345678"),
        TAIL("a free box that is cut", "\0\1\0\0free1234"),
        TAIL("a box nobody knows that is cut", "\1\0\0\0abcd1234"),
        TAIL("text", "the end of the upload"),
    };
    static const char *const names[] = {"plain.mp4", "front.mp4", "fragments.mp4"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        size_t size = 0;
        uint8_t *bytes = media_read_file(test_path(names[k]), &size);
        for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
            boxes b = {0};
            put_bytes(&b, bytes, size);
            put_bytes(&b, tails[i].bytes, tails[i].size);
            check_bytes_of(b.bytes, b.size, k > 0, tails[i].what);
            free(b.bytes);
        }
        free(bytes);
    }
}

static void make(const char *name, const char *settings) {
    int status = 1;
    char *said = media_run(&status, "ffmpeg -nostdin -v error -i '%s' -f lavfi -i sine=frequency=300:sample_rate=48000"
        " -map 0:v -map 1:a -t 2 -c:v copy %s -y '%s' 2>&1", test_path("in.mp4"), settings, test_path(name));
    if (!CHECK_EQ(status, 0)) fprintf(stderr, "%s: %s", name, said);
}

static void valid_files_of_many_kinds_return_all_samples(void) {
    static const struct {
        const char *name, *settings;
        bool streams;
    } files[] = {
        {"plain.mp4", "-c:a aac", false},
        {"front.mp4", "-c:a aac -movflags faststart", true},
        {"pcm.mov", "-c:a pcm_s16le -movflags faststart", true},
        {"bytes.mov", "-c:a pcm_u8 -ac 1 -movflags faststart", true},
        {"many.mov", "-c:a pcm_s24le -ac 2", false},
        {"constant.mp4", "-c:a ac3 -b:a 64k -movflags faststart", true},
        {"blocks.mov", "-c:a adpcm_ima_qt", false},
        {"timecode.mov", "-c:a pcm_s16be -timecode 01:00:00:00", false},
        {"fragments.mov", "-c:a pcm_s16le -movflags frag_keyframe+empty_moov", true},
        {"long_fragments.mov", "-c:a pcm_s16le -frag_duration 2000000 -movflags empty_moov+default_base_moof", true},
        {"fragments.mp4", "-c:a aac -movflags frag_keyframe+empty_moov+default_base_moof", true},
        {"indexed.mp4", "-c:a aac -movflags frag_keyframe+empty_moov+global_sidx+default_base_moof", true},
        {"dash.mp4", "-c:a aac -movflags dash+frag_keyframe+empty_moov", true},
        {"each.mp4", "-c:a aac -movflags frag_every_frame+empty_moov", true},
        {"smooth.mp4", "-c:a aac -movflags frag_keyframe+isml -f ismv", true},
        {"words.mp4", "-c:a aac -movflags faststart -metadata title='trun stsz moof trunk' -metadata comment='stss stsc'", true},
        {"keys.mov", "-c:a aac -movflags use_metadata_tags+faststart -metadata 'trun=stsz'", true},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        make(files[i].name, files[i].settings);
        check_file(files[i].name, files[i].streams);
    }
}

int main(void) {
    static clip movie;
    int count = 0;
    media_clip(&movie, 64, 48, FRAMES);
    media_write_file(test_path("in.mp4"), &movie, 0, NULL);
    clip_close(&movie);
    nalu_reader *reader = reader_of(test_path("in.mp4"));
    first.bytes = (uint8_t *)malloc(1 << 20);
    REQUIRE(first.bytes);
    first.size = take_all(reader, &count, first.bytes, 1 << 20);
    CHECK_EQ(count, FRAMES);
    nalu_reader_release(reader);
    RUN(valid_files_of_many_kinds_return_all_samples);
    RUN(data_after_the_last_box_are_ignored);
    free(first.bytes);
    return check_result();
}
