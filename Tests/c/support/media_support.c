#include "media_support.h"

#include "annex_b.h"

uint8_t *media_read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    REQUIRE(fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = (uint8_t *)malloc(*size + 1);
    REQUIRE(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

int media_count_in_file(const char *path, const char *bytes, size_t length) {
    size_t size = 0;
    int count = 0;
    uint8_t *all = media_read_file(path, &size);
    for (size_t i = 0; i + length <= size; i++) count += memcmp(all + i, bytes, length) == 0;
    free(all);
    return count;
}

char *media_run(int *status, const char *format, ...) {
    enum { SIZE = 1 << 20 };
    static char output[SIZE];
    char command[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    size_t used = fread(output, 1, SIZE - 1, pipe);
    output[used] = 0;
    int result = pclose(pipe);
    if (status) *status = result;
    return output;
}

char *media_frames(const char *path) {
    return strdup(media_run(NULL,
        "ffmpeg -nostdin -v error -err_detect explode -i '%s' -map 0:v -fps_mode passthrough -f framemd5 - 2>&1"
        " | grep -v '^#' | sed 's/.*, *//'", path));
}

void media_check_same_frames(const char *path, const char *reference, int count) {
    static char *b, known[512];
    char *a = media_frames(path);
    if (strcmp(known, reference) != 0) {
        snprintf(known, sizeof known, "%s", reference);
        free(b);
        b = media_frames(reference);
    }
    int lines = 0;
    for (const char *c = a; *c; c++) lines += *c == '\n';
    CHECK_EQ(lines, count);
    if (!CHECK(strcmp(a, b) == 0)) fprintf(stderr, "%s and %s differ\n", path, reference);
    free(a);
}

const char *media_fact(const char *path, const char *entries) {
    char *text = media_run(NULL, "ffprobe -v error -select_streams v -show_entries '%s' -of default=nw=1:nk=1 '%s'",
                           entries, path);
    for (char *end = strchr(text, '\n'); end; end = strchr(end, '\n')) *end = end[1] ? ' ' : 0;
    return text;
}

int media_packets(const char *path, media_packet packets[], int room, long long *numerator, long long *denominator) {
    int count = 0;
    *denominator = 0;
    char *text = media_run(NULL,
        "ffprobe -v error -select_streams v -show_entries packet=pts,dts,duration,size,flags:stream=time_base"
        " -of csv=p=0 '%s'", path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        media_packet *p = &packets[count];
        char words[4][32] = {"", "", "", ""}, flags[16] = "";
        REQUIRE(count < room);
        /* For a transport stream, ffprobe prints the time base of the programs first, and again later. */
        if (sscanf(line, "%lld/%lld", numerator, denominator) == 2) continue;
        REQUIRE(sscanf(line, "%31[^,],%31[^,],%31[^,],%31[^,],%15s", words[0], words[1], words[2], words[3], flags) == 5);
        /* "N/A", as for Matroska's decode times, counts as 0. */
        p->pts = strtoll(words[0], NULL, 10);
        p->dts = strtoll(words[1], NULL, 10);
        p->duration = strtoll(words[2], NULL, 10);
        p->size = strtoll(words[3], NULL, 10);
        p->is_key = flags[0] == 'K';
        count++;
    }
    REQUIRE(*denominator > 0);
    return count;
}

void media_open(clip *c, int32_t width, int32_t height) {
    clip_open(c, width, height);
    REQUIRE_OK(nalu_session_set_string(c->session, NALU_PROPERTY_X264_PARAMS,
        "threads=1:bframes=2:b-adapt=0:b-pyramid=normal:rc-lookahead=5:scenecut=0"));
    REQUIRE_OK(nalu_session_set_int64(c->session, NALU_PROPERTY_MAX_KEY_FRAME_INTERVAL, 10));
}

void media_clip(clip *c, int32_t width, int32_t height, int32_t frames) {
    media_open(c, width, height);
    clip_encode_all(c, frames);
}

nalu_writer *media_writer_to(const char *path, const nalu_writer_options *options) {
    nalu_writer *writer = NULL;
    REQUIRE_OK(nalu_writer_create_with_path(path, NULL, options, &writer));
    return writer;
}

void media_write_all(nalu_writer *writer, const clip *c, const nalu_writer_track_options *options) {
    uint32_t track = 99;
    REQUIRE_OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(c->samples[0]), options, &track));
    CHECK_EQ(track, 0);
    for (int32_t i = 0; i < c->count; i++) REQUIRE_OK(nalu_writer_write_sample(writer, track, c->samples[i]));
}

void media_finish(nalu_writer *writer) {
    CHECK_OK(nalu_writer_finish(writer));
    nalu_writer_release(writer);
}

void media_write_file(const char *path, const clip *c, uint32_t flags, const nalu_writer_track_options *track_options) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    options.flags = flags;
    nalu_writer *writer = media_writer_to(path, &options);
    media_write_all(writer, c, track_options);
    media_finish(writer);
}

char *media_file_of_clip(clip *c, int32_t frames) {
    char *path = strdup(test_path("whole.mp4"));
    REQUIRE(path);
    media_clip(c, 64, 48, frames);
    media_write_file(path, c, 0, NULL);
    return path;
}

void media_write_reference(const char *path, const clip *c) {
    FILE *file = fopen(path, "wb");
    REQUIRE(file);
    for (int32_t i = 0; i < c->count; i++) annex_b_write(file, c->samples[i], NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES);
    fclose(file);
}

void media_check_exact_times(const char *path, const clip *c, nalu_time moved) {
    static media_packet packets[CLIP_MOST];
    long long numerator = 0, denominator = 0;
    int count = media_packets(path, packets, CLIP_MOST, &numerator, &denominator);
    CHECK_EQ(numerator, 1);
    if (!CHECK_EQ(count, c->count)) return;
    for (int i = 0; i < count; i++) {
        size_t size = 0;
        nalu_time pts = nalu_time_add(nalu_sample_get_presentation_time(c->samples[i]), moved);
        nalu_time dts = nalu_time_add(nalu_sample_get_decode_time(c->samples[i]), moved);
        (void)nalu_sample_get_data(c->samples[i], &size);
        int good = CHECK_EQ(nalu_time_compare(nalu_time_make(packets[i].pts, (int32_t)denominator), pts), 0);
        good &= CHECK_EQ(nalu_time_compare(nalu_time_make(packets[i].dts, (int32_t)denominator), dts), 0);
        good &= CHECK_EQ(packets[i].size, size);
        good &= CHECK_EQ(packets[i].is_key, nalu_sample_is_key_frame(c->samples[i]));
        if (!good) {
            fprintf(stderr, "%s, packet %d: pts %lld dts %lld of 1/%lld s, asked pts %lld/%d dts %lld/%d\n", path, i,
                    packets[i].pts, packets[i].dts, denominator, (long long)pts.value, pts.timescale,
                    (long long)dts.value, dts.timescale);
            return;
        }
    }
}
