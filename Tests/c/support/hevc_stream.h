/* H.265 streams of x265, ffprobe's description of them, and the results of a stream parser. */
#ifndef NALU_TESTS_HEVC_STREAM_H
#define NALU_TESTS_HEVC_STREAM_H

#include "clip.h"
#include "parsed_stream.h"
#include "test_directory.h"

#include <stdarg.h>
#include <stdbool.h>

/* ---- FFmpeg's results ----------------------------------------------------------------------------------------------- */

/* Returns all output of a command. */
static inline stream run(const char *format, ...) {
    char command[2048];
    uint8_t block[4096];
    stream output = {NULL, 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    FILE *pipe = popen(command, "r");
    REQUIRE(pipe);
    for (size_t got; (got = fread(block, 1, sizeof block, pipe)) > 0;) add_bytes(&output, block, got);
    if (pclose(pipe) != 0) fprintf(stderr, "failed: %s\n", command);
    add_bytes(&output, "", 1);
    output.size--;
    return output;
}

typedef struct packet {
    double pts, dts;
    int size;
    bool is_key, is_intra;
} packet;

/* An encoded clip: its Annex B bytes, and its packets in decode order. */
typedef struct hevc_clip {
    stream bytes;
    packet packets[MOST];
    int count;
} hevc_clip;

static inline void read_packets(hevc_clip *clip, const char *path) {
    stream text = run("ffprobe -v error -show_entries packet=pts_time,dts_time,size,flags:frame=pts_time,pict_type -of csv '%s'",
        path);
    for (char *line = strtok((char *)text.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        double pts = 0;
        char flag = 0;
        if (strncmp(line, "packet,", 7) == 0) {
            packet *p = &clip->packets[clip->count++];
            REQUIRE(clip->count <= MOST && sscanf(line, "packet,%lf,%lf,%d,%c", &p->pts, &p->dts, &p->size, &flag) == 4);
            p->is_key = flag == 'K';
        }
        /* A frame comes after its packet, in output order. */
        if (sscanf(line, "frame,%lf,%c", &pts, &flag) != 2) continue;
        for (int i = 0; i < clip->count; i++) {
            if (fabs(clip->packets[i].pts - pts) < 1e-4) clip->packets[i].is_intra = flag == 'I';
        }
    }
    free(text.bytes);
}

/* Encodes `frames` frames of `size` at 25 frames per second. */
static inline hevc_clip hevc_clip_of(const char *size, int frames, const char *format, const char *parameters) {
    hevc_clip clip = {.count = 0};
    const char *path = test_path("clip.mp4");
    free(run("ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=%s:rate=25 -frames:v %d -pix_fmt %s -c:v libx265"
             " -x265-params log-level=none:info=0:%s -video_track_timescale 25 -y '%s'",
        size, frames, format, parameters, path).bytes);
    clip.bytes = run("ffmpeg -nostdin -v error -i '%s' -c copy -bsf:v hevc_mp4toannexb -f hevc -", path);
    read_packets(&clip, path);
    REQUIRE(CHECK_EQ(clip.count, frames));
    return clip;
}

/* Has one process of FFmpeg decode up to four streams. Returns in `text`, for each, the MD5 sums of its pictures in output
 * order, and in each all messages. Leaves out the message that FFmpeg prints for each skipped leading picture with several
 * slices. FFmpeg's threads write messages in the middle of a line of sums, so messages have a file of their own. */
static inline void decode_together(const stream *const streams[], int count, stream text[]) {
    char command[1024], name[32];
    size_t used = (size_t)snprintf(command, sizeof command, "cd '%s' && ffmpeg -nostdin -v error", test_path(""));
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "judged-%d.h265", i);
        FILE *file = fopen(test_path(name), "wb");
        REQUIRE(file && fwrite(streams[i]->bytes, 1, streams[i]->size, file) == streams[i]->size);
        fclose(file);
        used += (size_t)snprintf(command + used, sizeof command - used, " -err_detect explode -f hevc -i %s", name);
        text[i] = (stream){NULL, 0};
        add_bytes(&text[i], "", 0);
    }
    for (int i = 0; i < count; i++) used += (size_t)snprintf(command + used, sizeof command - used, " -map %d:v", i);
    REQUIRE(used < sizeof command);
    stream sums = run("%s -fps_mode passthrough -f framemd5 - 2>messages", command);
    for (char *line = strtok((char *)sums.bytes, "\n"); line; line = strtok(NULL, "\n")) {
        int index = -1;
        if (line[0] == '#') continue;
        REQUIRE(sscanf(line, "%d,", &index) == 1 && index >= 0 && index < count);
        const char *sum = strrchr(line, ' ') + 1;
        add_bytes(&text[index], sum, strlen(sum));
        add_bytes(&text[index], "\n", 1);
    }
    free(sums.bytes);
    stream messages = run("sed '/First slice in a frame missing/d' '%s'", test_path("messages"));
    for (int i = 0; i < count; i++) {
        add_bytes(&text[i], messages.bytes, messages.size);
        text[i].bytes[text[i].size] = 0;
    }
    free(messages.bytes);
}

static inline int lines(const stream *text) {
    int count = 0;
    for (size_t i = 0; i < text->size; i++) count += text->bytes[i] == '\n';
    return count;
}

/* ---- The parser's results ------------------------------------------------------------------------------------------- */

static inline void parse(const stream *s, int piece, const nalu_stream_parser_options *options, parsed *p) {
    parse_codec(NALU_CODEC_HEVC, s, piece, options, p);
    CHECK_EQ(p->statistics.frame_number_gaps, 0);
}

/* Checks that decode times increase and are not later than the presentation times. */
static inline void check_times(const parsed *p) {
    for (int i = 0; i < p->count; i++) {
        const nalu_time dts = nalu_sample_get_decode_time(p->samples[i]);
        CHECK(nalu_time_compare(dts, nalu_sample_get_presentation_time(p->samples[i])) <= 0);
        if (i > 0) CHECK(nalu_time_compare(nalu_sample_get_decode_time(p->samples[i - 1]), dts) < 0);
    }
}

#endif
