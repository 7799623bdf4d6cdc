/*
 * A process in a locale with a decimal comma: files, the samples read from them and decoded images are the same
 * as in any other locale. The process's own numbers keep their comma, in its callbacks too.
 */
#include "comma_locale.h"
#include "media_reading.h"

#include <pthread.h>

enum { WIDTH = 192, HEIGHT = 160, FRAMES = 35 };

static const struct {
    const char *container;
    uint32_t flags;
} kinds[] = {{"mp4", 0}, {"mp4", NALU_WRITER_FAST_START}, {"mp4", NALU_WRITER_FRAGMENTED}, {"mov", 0}, {"matroska", 0},
             {"mpegts", 0}, {"flv", 0}, {"h264", 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static clip source;

/* Encodes more than libavformat's buffers hold, so that it calls the client's functions during its work. */
static void make_source(void) {
    media_open(&source, WIDTH, HEIGHT);
    source.noise = 255;
    clip_encode_all(&source, FRAMES);
    CHECK(clip_bytes(&source) > 300000);
}

/* ---- The process --------------------------------------------------------------------------------------------------- */

/* The source of the comma: none, the locale of the process, or the locale of the calling thread. */
enum { NO_COMMA, OF_PROCESS, OF_THREAD, HOSTS };

static locale_t own;
static char point = '.';

static void enter(int host) {
    if (host == NO_COMMA) return;
    comma_locale_enter();
    point = ',';
    if (host == OF_PROCESS) return;
    own = comma_locale_object();
    comma_locale_leave();
    uselocale(own);
}

static bool is_hosts_locale(void) {
    bool good = CHECK_EQ(localeconv()->decimal_point[0], point);
    return good & CHECK(uselocale((locale_t)0) == (own ? own : LC_GLOBAL_LOCALE));
}

static void leave(void) {
    is_hosts_locale();
    uselocale(LC_GLOBAL_LOCALE);
    if (own) freelocale(own);
    own = (locale_t)0;
    point = '.';
    comma_locale_leave();
}

/* ---- Writing ------------------------------------------------------------------------------------------------------- */

typedef struct file {
    uint8_t bytes[1 << 21];
    size_t size, place;
    int writes, seeks, reads;
} file;

static int32_t file_write(void *refcon, const uint8_t *bytes, size_t size) {
    file *it = (file *)refcon;
    is_hosts_locale();
    REQUIRE(it->place + size <= sizeof it->bytes);
    memcpy(it->bytes + it->place, bytes, size);
    it->place += size;
    if (it->size < it->place) it->size = it->place;
    it->writes++;
    return 0;
}

static int32_t file_seek(void *refcon, int64_t offset) {
    file *it = (file *)refcon;
    is_hosts_locale();
    it->place = (size_t)offset;
    it->seeks++;
    return 0;
}

static void write_all(nalu_writer *writer) {
    nalu_writer_track_options options = NALU_WRITER_TRACK_OPTIONS_INIT;
    media_write_all(writer, &source, &options);
    media_finish(writer);
}

static void write_path(const char *path, size_t kind, int host) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = kinds[kind].flags | NALU_WRITER_OVERWRITE;
    enter(host);
    REQUIRE_OK(nalu_writer_create_with_path(path, kinds[kind].container, &options, &writer));
    write_all(writer);
    leave();
}

static void write_callbacks(file *to, size_t kind, int host) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = kinds[kind].flags;
    memset(to, 0, sizeof *to);
    enter(host);
    REQUIRE_OK(nalu_writer_create_with_callbacks(file_write, file_seek, to, NULL, kinds[kind].container, &options, &writer));
    write_all(writer);
    leave();
}

static bool same_bytes(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size) {
    return CHECK_EQ(a_size, b_size) && CHECK_BYTES(a, b, a_size);
}

static void written_files_do_not_depend_on_the_locale(void) {
    for (size_t kind = 0; kind < KINDS; kind++) {
        size_t expected_size = 0;
        write_path(test_path("plain"), kind, NO_COMMA);
        uint8_t *expected = media_read_file(test_path("plain"), &expected_size);
        CHECK(expected_size > 1000);
        for (int host = OF_PROCESS; host < HOSTS; host++) {
            size_t size = 0;
            write_path(test_path("comma"), kind, host);
            uint8_t *bytes = media_read_file(test_path("comma"), &size);
            if (!same_bytes(bytes, size, expected, expected_size))
                fprintf(stderr, "%s with flags %u\n", kinds[kind].container, kinds[kind].flags);
            free(bytes);
        }
        free(expected);
    }
}

static void write_callbacks_run_in_the_clients_locale(void) {
    static file plain, comma;
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].flags & NALU_WRITER_FAST_START) continue;
        write_callbacks(&plain, kind, NO_COMMA);
        for (int host = OF_PROCESS; host < HOSTS; host++) {
            write_callbacks(&comma, kind, host);
            CHECK(comma.writes > 0);
            if (strcmp(kinds[kind].container, "matroska") == 0) CHECK(comma.seeks > 0);
            same_bytes(comma.bytes, comma.size, plain.bytes, plain.size);
        }
    }
}

/* A callback may change the locale. Its choice stays in force when the call returns. */
static bool changes;
static int32_t change(void *refcon, const uint8_t *bytes, size_t size) {
    (void)refcon, (void)bytes, (void)size;
    if (changes) uselocale(own);
    changes = false;
    CHECK_EQ(localeconv()->decimal_point[0], own && uselocale((locale_t)0) == own ? ',' : '.');
    return 0;
}

static void a_locale_that_a_callback_sets_is_kept(void) {
    static const char *const containers[] = {"mpegts", "h264"};
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        nalu_writer *writer = NULL;
        comma_locale_enter();
        comma_locale_leave();
        own = comma_locale_object();
        changes = true;
        REQUIRE_OK(nalu_writer_create_with_callbacks(change, NULL, NULL, NULL, containers[i], NULL, &writer));
        write_all(writer);
        CHECK(!changes);
        point = ',';
        leave();
    }
}

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static int64_t file_read(void *refcon, uint8_t *bytes, size_t size) {
    file *it = (file *)refcon;
    const size_t left = it->size - it->place, count = size < left ? size : left;
    is_hosts_locale();
    memcpy(bytes, it->bytes + it->place, count);
    it->place += count;
    it->reads++;
    return (int64_t)count;
}

typedef struct seen {
    nalu_reader_track track;
    nalu_time duration;
    int count;
    uint64_t sum;
} seen;

static uint64_t add_time(uint64_t sum, nalu_time time) {
    return (sum * 31 + (uint64_t)time.value) * 31 + (uint64_t)time.timescale;
}

static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

static seen read_all(file *from, int host) {
    seen it = {.count = 0};
    nalu_reader *reader = NULL;
    nalu_sample *sample = NULL;
    from->place = 0;
    from->reads = from->seeks = 0;
    enter(host);
    REQUIRE_OK(nalu_reader_create_with_callbacks(file_read, file_seek, (int64_t)from->size, from, NULL, NULL, &reader));
    it.track = track_of(reader, 0);
    for (int pass = 0; pass < 2; pass++) {
        while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
            size_t size = 0;
            const uint8_t *bytes = nalu_sample_get_data(sample, &size);
            it.sum = add_bytes(it.sum, bytes, size);
            it.sum = add_time(it.sum, nalu_sample_get_presentation_time(sample));
            it.sum = add_time(it.sum, nalu_sample_get_decode_time(sample));
            it.count++;
            nalu_sample_release(sample);
        }
        CHECK_EQ(nalu_reader_get_status(reader), NALU_READER_STATUS_COMPLETED);
        if (pass == 0) CHECK_OK(nalu_reader_seek(reader, nalu_time_make(12, 30)));
    }
    nalu_reader_release(reader);
    leave();
    CHECK(from->reads > 0 && from->seeks > 0);
    return it;
}

static void read_samples_do_not_depend_on_the_locale(void) {
    static file from;
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].flags & NALU_WRITER_FAST_START) continue;
        write_callbacks(&from, kind, NO_COMMA);
        const seen expected = read_all(&from, NO_COMMA);
        CHECK(expected.count > FRAMES);
        for (int host = OF_PROCESS; host < HOSTS; host++) {
            const seen found = read_all(&from, host);
            bool good = CHECK_EQ(found.count, expected.count) & CHECK(found.sum == expected.sum);
            good &= CHECK_NEAR(found.track.nominal_frame_rate, expected.track.nominal_frame_rate, 0);
            good &= CHECK_EQ(nalu_time_compare(found.track.duration, expected.track.duration), 0);
            if (!good) fprintf(stderr, "%s with flags %u\n", kinds[kind].container, kinds[kind].flags);
        }
    }
}

/* Audio is copied. Readers parse it for values that its container omits, and its metadata contains numbers. */
static void copied_audio_does_not_depend_on_the_locale(void) {
    static const char *const outputs[] = {"mp4", "matroska", "mpegts", "flv"};
    int status = 0;
    media_run(&status, "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=128x96:rate=30:duration=1"
        " -f lavfi -i sine=frequency=440:duration=1 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac '%s'",
        test_path("audio.ts"));
    REQUIRE(status == 0);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        uint8_t *expected = NULL;
        size_t expected_size = 0;
        for (int host = NO_COMMA; host < HOSTS; host++) {
            nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
            nalu_writer *writer = NULL;
            nalu_sample *sample = NULL;
            uint32_t video = 0;
            size_t size = 0;
            options.flags = NALU_WRITER_OVERWRITE;
            enter(host);
            nalu_reader *reader = reader_of(test_path("audio.ts"));
            REQUIRE_OK(nalu_writer_create_with_path(test_path("passed"), outputs[i], &options, &writer));
            for (uint32_t track = 0; track < nalu_reader_get_track_count(reader); track++) {
                if (track_of(reader, track).media_type == NALU_MEDIA_TYPE_AUDIO)
                    REQUIRE_OK(nalu_writer_add_track_from_reader(writer, reader, track, NULL));
                else REQUIRE_OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, track), NULL, &video));
            }
            while (nalu_reader_next_sample(reader, NULL, &sample) == NALU_STATUS_OK) {
                CHECK_OK(nalu_writer_write_sample(writer, video, sample));
                nalu_sample_release(sample);
            }
            media_finish(writer);
            nalu_reader_release(reader);
            leave();
            uint8_t *bytes = media_read_file(test_path("passed"), &size);
            if (host == NO_COMMA) {
                expected = bytes;
                expected_size = size;
                continue;
            }
            if (!same_bytes(bytes, size, expected, expected_size)) fprintf(stderr, "%s\n", outputs[i]);
            free(bytes);
        }
        free(expected);
    }
}

/* ---- Decoding ------------------------------------------------------------------------------------------------------ */

typedef struct images {
    pthread_mutex_t mutex;
    uint64_t sum;
    int count;
} images;

/* Runs in a thread of the session, which has the locale of the process. */
static void add_image(void *refcon, void *frame, nalu_status status, nalu_decode_info_flags flags, nalu_pixel_buffer *image,
                      nalu_time time, nalu_time duration) {
    images *it = (images *)refcon;
    (void)frame, (void)flags, (void)duration;
    CHECK_OK(status);
    CHECK_EQ(localeconv()->decimal_point[0], own ? '.' : point);
    pthread_mutex_lock(&it->mutex);
    const uint8_t *luma = (const uint8_t *)nalu_pixel_buffer_get_plane_base_address(image, 0);
    const int64_t stride = nalu_pixel_buffer_get_plane_stride(image, 0);
    for (int64_t y = 0; y < HEIGHT; y++) it->sum = add_bytes(it->sum, luma + y * stride, WIDTH);
    it->sum = add_time(it->sum, time);
    it->count++;
    pthread_mutex_unlock(&it->mutex);
}

static images decode(uint32_t flags, int host) {
    images it = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    nalu_decompression_session *session = NULL;
    enter(host);
    REQUIRE_OK(nalu_decompression_session_create(nalu_sample_get_format_description(source.samples[0]), NULL, NULL, add_image,
        &it, NULL, &session));
    for (int i = 0; i < source.count; i++)
        CHECK_OK(nalu_decompression_session_decode_frame(session, source.samples[i], flags, NULL, NULL));
    CHECK_OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    nalu_decompression_session_release(session);
    leave();
    return it;
}

static void decoded_images_do_not_depend_on_the_locale(void) {
    static const uint32_t flags[] = {0, NALU_DECODE_FRAME_ASYNCHRONOUS};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const images expected = decode(flags[i], NO_COMMA);
        CHECK_EQ(expected.count, FRAMES);
        for (int host = OF_PROCESS; host < HOSTS; host++) {
            const images found = decode(flags[i], host);
            CHECK_EQ(found.count, expected.count);
            CHECK(found.sum == expected.sum);
        }
    }
}

int main(void) {
    make_source();
    RUN(written_files_do_not_depend_on_the_locale);
    RUN(write_callbacks_run_in_the_clients_locale);
    RUN(a_locale_that_a_callback_sets_is_kept);
    RUN(read_samples_do_not_depend_on_the_locale);
    RUN(copied_audio_does_not_depend_on_the_locale);
    RUN(decoded_images_do_not_depend_on_the_locale);
    clip_close(&source);
    return check_result();
}
