/*
 * A decompression session against libavcodec's own loop, as `ffmpeg -f null` runs it, in one process, in turn, on the same
 * samples in memory. Prints Markdown; the ratio counts.
 *
 *     decode FILE.h264 [ROUNDS]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <nalu/media.h>

#include <libavcodec/avcodec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4096, REPEATS = 3 };

static nalu_sample *samples[MOST];
static int count, pictures;

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds that pass, and seconds of all processors together, which other programs on the machine disturb less. */
typedef struct cost {
    double passed, used;
} cost;

static cost now(void) { return (cost){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)}; }

static cost since(cost start) {
    cost end = now();
    return (cost){end.passed - start.passed, end.used - start.used};
}

static void check(int good, const char *what) {
    if (good) return;
    fprintf(stderr, "decode: %s failed: %s\n", what, nalu_last_error_message());
    exit(1);
}

static void read_samples(const char *path) {
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[1 << 20];
    nalu_stream_parser *parser = NULL;
    size_t size;
    check(file != NULL, path);
    check(nalu_stream_parser_create(NALU_CODEC_H264, NULL, &parser) == NALU_STATUS_OK, "a parser");
    do {
        size = fread(bytes, 1, sizeof bytes, file);
        nalu_status status = size ? nalu_stream_parser_push(parser, bytes, size, nalu_time_invalid())
                                  : nalu_stream_parser_finish(parser);
        check(status == NALU_STATUS_OK, "parsing");
        while (count < MOST && nalu_stream_parser_next(parser, &samples[count]) == NALU_STATUS_OK) count++;
    } while (size);
    fclose(file);
    nalu_stream_parser_release(parser);
    check(count > 0, "finding samples");
}

static void count_picture(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                          nalu_pixel_buffer *image, nalu_time time, nalu_time duration) {
    (void)refcon, (void)frame_refcon, (void)status, (void)flags, (void)time, (void)duration;
    pictures += image != NULL;
}

static cost with_session(int threads, uint32_t flags) {
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    nalu_decompression_session *session = NULL;
    cost start = now();
    specification.thread_count = threads;
    check(nalu_decompression_session_create(nalu_sample_get_format_description(samples[0]), &specification, NULL,
                                            count_picture, NULL, NULL, &session) == NALU_STATUS_OK, "a session");
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int i = 0; i < count; i++)
            check(nalu_decompression_session_decode_frame(session, samples[i], flags, NULL, NULL) == NALU_STATUS_OK,
                  "decoding");
    check(nalu_decompression_session_wait_for_asynchronous_frames(session) == NALU_STATUS_OK, "waiting");
    nalu_decompression_session_release(session);
    return since(start);
}

static void take(AVCodecContext *decoder, AVFrame *frame) {
    while (avcodec_receive_frame(decoder, frame) >= 0) pictures++;
}

static cost with_libavcodec(int threads) {
    AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    size_t size = 0;
    cost start = now();
    const uint8_t *record = nalu_format_description_get_avcc(nalu_sample_get_format_description(samples[0]), &size);
    check(decoder && packet && frame, "libavcodec");
    decoder->extradata = av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    memcpy(decoder->extradata, record, size);
    decoder->extradata_size = (int)size;
    decoder->thread_count = threads;
    check(avcodec_open2(decoder, NULL, NULL) >= 0, "opening a decoder");
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (int i = 0; i < count; i++) {
            const uint8_t *bytes = nalu_sample_get_data(samples[i], &size);
            check(av_new_packet(packet, (int)size) >= 0, "memory");
            memcpy(packet->data, bytes, size);
            check(avcodec_send_packet(decoder, packet) >= 0, "decoding");
            av_packet_unref(packet);
            take(decoder, frame);
        }
    avcodec_send_packet(decoder, NULL);
    take(decoder, frame);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    return since(start);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    int rounds = argc > 2 ? atoi(argv[2]) : 7;
    if (argc < 2 || rounds < 1 || rounds > 99) {
        fprintf(stderr, "usage: decode FILE.h264 [ROUNDS, 1 to 99]\n");
        return 2;
    }
    read_samples(argv[1]);
    printf("| decoding | libavcodec, frames/s | session, frames/s | ratio | of processor time |\n|---|---|---|---|---|\n");
    static const struct {
        const char *name;
        int threads;
        uint32_t flags;
    } kinds[] = {{"1 thread", 1, 0},
                 {"1 thread, asynchronous", 1, NALU_DECODE_FRAME_ASYNCHRONOUS},
                 {"2 threads, asynchronous", 2, NALU_DECODE_FRAME_ASYNCHRONOUS}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        double bare[99], session[99], ratio[99], used[99];
        for (int round = 0; round < rounds; round++) {
            pictures = 0;
            cost a = with_libavcodec(kinds[kind].threads);
            cost b = with_session(kinds[kind].threads, kinds[kind].flags);
            check(pictures == 2 * REPEATS * count, "giving every picture");
            bare[round] = a.passed, session[round] = b.passed;
            ratio[round] = a.passed / b.passed, used[round] = a.used / b.used;
        }
        qsort(bare, (size_t)rounds, sizeof *bare, compare);
        qsort(session, (size_t)rounds, sizeof *session, compare);
        qsort(used, (size_t)rounds, sizeof *used, compare);
        qsort(ratio, (size_t)rounds, sizeof *ratio, compare);
        double frames = (double)REPEATS * count;
        printf("| %s | %.0f | %.0f | %.3f | %.3f |\n", kinds[kind].name, frames / bare[rounds / 2], frames / session[rounds / 2],
               ratio[rounds / 2], used[rounds / 2]);
    }
    for (int i = 0; i < count; i++) nalu_sample_release(samples[i]);
    return 0;
}
