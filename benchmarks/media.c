/*
 * Compares containers and decoding with bare FFmpeg and memcpy: both in this process, alternately, with the same bytes.
 * Prints Markdown tables.
 *
 *     media [-q] [-r ROUNDS] [-o SECTION] [CLIP.nv12]
 *
 * CLIP contains raw NV12 frames of 1280x720; without it the picture is synthetic. -q: fewer rounds and frames.
 * -o: only one of convert, write, read, decode.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include <nalu/media.h>
#include <nalu/nalu.h>

#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 1280, HEIGHT = 720, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2, MOST_FRAMES = 120, REPEATS = 10, MOST_ROUNDS = 64 };

static int rounds = 12, sample_count;
static nalu_sample *samples[MOST_FRAMES * REPEATS]; /* of a clip that is repeated */
static size_t all_bytes;
static char directory[64] = "/tmp/nalu-media-XXXXXX";

#define FF(call) check((call) >= 0, #call)

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_head(const char *title) {
    printf("\n| %s | median | min | max | wanted |\n|---|---|---|---|---|\n", title);
}

static void print_row(const char *what, double *values, const char *wanted) {
    qsort(values, (size_t)rounds, sizeof *values, compare_doubles);
    double median = rounds % 2 ? values[rounds / 2] : (values[rounds / 2 - 1] + values[rounds / 2]) / 2;
    printf("| %s | %.3f | %.3f | %.3f | %s |\n", what, median, values[0], values[rounds - 1], wanted);
    fflush(stdout);
}

/* A function that runs one side and returns its time in seconds. */
typedef double side(void *argument);

/* Prints the ratio of the other side's time to ours: 1 means equal speed. */
static void print_ratio(const char *what, side *ours, side *other, void *argument, const char *wanted) {
    double ratios[MOST_ROUNDS];
    ours(argument), other(argument);
    for (int i = 0; i < rounds; i++) {
        double a = 0, b = 0;
        if (i % 2) b = other(argument);
        a = ours(argument);
        if (i % 2 == 0) b = other(argument);
        ratios[i] = b / a;
    }
    print_row(what, ratios, wanted);
}

/* ---- The clip ---- */

static void got_sample(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                       nalu_sample *sample) {
    (void)refcon, (void)frame_refcon, (void)flags;
    check(status == NALU_STATUS_OK && sample, "encoding a frame");
    samples[sample_count++] = nalu_sample_retain(sample);
}

static nalu_time later(nalu_time time, int frames) {
    return nalu_time_add(time, nalu_time_make(frames, 30));
}

static void make_clip(const char *path, int frames) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    uint8_t *frame = malloc(FRAME_BYTES);
    nalu_compression_session *session = NULL;
    check(frame && (!path || file), "opening the clip");
    OK(nalu_compression_session_create(WIDTH, HEIGHT, NALU_CODEC_H264, NULL, NULL, got_sample, NULL, NULL, &session));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, "veryfast"));
    OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, 4000000));
    for (int i = 0; i < frames; i++) {
        if (!file || fread(frame, 1, FRAME_BYTES, file) != FRAME_BYTES)
            for (int j = 0; j < FRAME_BYTES; j++) frame[j] = (uint8_t)(j % WIDTH / 5 + i * 3 + j % 251 % 16);
        const void *planes[] = {frame, frame + WIDTH * HEIGHT};
        const int64_t strides[] = {WIDTH, WIDTH};
        OK(nalu_compression_session_encode_planes(session, WIDTH, HEIGHT, NALU_PIXEL_FORMAT_420V, 2, planes, strides, NULL,
            nalu_time_make(i, 30), nalu_time_make(1, 30), NULL, NULL, NULL));
    }
    OK(nalu_compression_session_complete_frames(session, nalu_time_invalid()));
    nalu_compression_session_release(session);
    for (int i = frames; i < frames * REPEATS; i++) {
        nalu_sample *source = samples[i % frames];
        size_t size = 0;
        const uint8_t *bytes = nalu_sample_get_data(source, &size);
        int moved = i / frames * frames;
        OK(nalu_sample_create_with_bytes(bytes, size, NULL, NULL, nalu_sample_get_format_description(source),
            later(nalu_sample_get_presentation_time(source), moved), nalu_time_make(1, 30),
            later(nalu_sample_get_decode_time(source), moved), nalu_sample_get_attachments(source), &samples[i]));
    }
    sample_count = frames * REPEATS;
    for (int i = 0; i < sample_count; i++) {
        size_t size = 0;
        (void)nalu_sample_get_data(samples[i], &size);
        all_bytes += size;
    }
    free(frame);
    if (file) fclose(file);
    printf("%d samples, %zu bytes each.\n", sample_count, all_bytes / (size_t)sample_count);
}

/* ---- Annex B and length-prefixed ---- */

/* The clip's samples in sequence, in both forms. */
typedef struct form {
    uint8_t *annex_b, *prefixed, *destination;
    size_t annex_b_ends[MOST_FRAMES * REPEATS], prefixed_ends[MOST_FRAMES * REPEATS];
} form;

static double copies(void *argument) {
    form *it = argument;
    size_t start = 0;
    double time = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < sample_count; start = it->prefixed_ends[i++])
        memcpy(it->destination, it->prefixed + start, it->prefixed_ends[i] - start);
    return seconds(CLOCK_THREAD_CPUTIME_ID) - time;
}

typedef nalu_status conversion(const uint8_t *bytes, size_t size, uint32_t length_size, uint8_t *buffer, size_t capacity,
                               size_t *size_out);

/* Converts each sample, which ends at an offset of `ends`. */
static double conversions(form *it, conversion *convert, const uint8_t *bytes, const size_t *ends) {
    size_t start = 0, size = 0;
    double time = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < sample_count; start = ends[i++])
        OK(convert(bytes + start, ends[i] - start, 4, it->destination, all_bytes, &size));
    return seconds(CLOCK_THREAD_CPUTIME_ID) - time;
}

static double to_annex_b(void *argument) {
    form *it = argument;
    return conversions(it, nalu_length_prefixed_to_annex_b, it->prefixed, it->prefixed_ends);
}

static double to_prefixed(void *argument) {
    form *it = argument;
    return conversions(it, nalu_annex_b_to_length_prefixed, it->annex_b, it->annex_b_ends);
}

static void section_convert(void) {
    static form it;
    size_t annex_b_size = 0, prefixed_size = 0;
    it.annex_b = malloc(all_bytes * 2), it.prefixed = malloc(all_bytes), it.destination = malloc(all_bytes);
    check(it.annex_b && it.prefixed && it.destination, "memory");
    for (int i = 0; i < sample_count; i++) {
        size_t size = 0;
        const uint8_t *bytes = nalu_sample_get_data(samples[i], &size);
        memcpy(it.prefixed + prefixed_size, bytes, size);
        OK(nalu_length_prefixed_to_annex_b(bytes, size, 4, it.annex_b + annex_b_size, all_bytes * 2 - annex_b_size, &size));
        it.prefixed_ends[i] = prefixed_size += size;
        it.annex_b_ends[i] = annex_b_size += size;
    }
    print_head("A sample at a time, bytes per second beside memcpy");
    print_ratio("length-prefixed to Annex B", to_annex_b, copies, &it, "0.5");
    print_ratio("Annex B to length-prefixed", to_prefixed, copies, &it, "0.5");
    free(it.annex_b), free(it.prefixed), free(it.destination);
}

/* ---- Writing ---- */

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static double write_file(const char *container, uint32_t flags) {
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_writer *writer = NULL;
    options.flags = flags | NALU_WRITER_OVERWRITE;
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    OK(nalu_writer_create_with_path(path_of(container), container, &options, &writer));
    OK(nalu_writer_add_track(writer, nalu_sample_get_format_description(samples[0]), NULL, NULL));
    for (int i = 0; i < sample_count; i++) OK(nalu_writer_write_sample(writer, 0, samples[i]));
    OK(nalu_writer_finish(writer));
    nalu_writer_release(writer);
    return seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* Writes the same with libavformat alone, from the length-prefixed bytes. */
static double ffmpeg_writes(const char *container, uint32_t flags) {
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    AVFormatContext *output = NULL;
    AVPacket *packet = av_packet_alloc();
    AVDictionary *settings = NULL;
    size_t size = 0;
    const uint8_t *avcc = nalu_format_description_get_avcc(nalu_sample_get_format_description(samples[0]), &size);
    FF(avformat_alloc_output_context2(&output, NULL, container, path_of("theirs")));
    FF(avio_open(&output->pb, path_of("theirs"), AVIO_FLAG_WRITE));
    AVStream *stream = avformat_new_stream(output, NULL);
    check(packet && stream, "memory");
    AVCodecParameters *parameters = stream->codecpar;
    parameters->codec_type = AVMEDIA_TYPE_VIDEO;
    parameters->codec_id = AV_CODEC_ID_H264;
    parameters->width = WIDTH, parameters->height = HEIGHT;
    parameters->extradata = av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    memcpy(parameters->extradata, avcc, size);
    parameters->extradata_size = (int)size;
    stream->time_base = (AVRational){1, 90000};
    if (flags & NALU_WRITER_FRAGMENTED) av_dict_set(&settings, "movflags", "frag_keyframe+delay_moov+default_base_moof", 0);
    FF(avformat_write_header(output, &settings));
    av_dict_free(&settings);
    for (int i = 0; i < sample_count; i++) {
        nalu_time presentation = nalu_sample_get_presentation_time(samples[i]);
        nalu_time decode = nalu_sample_get_decode_time(samples[i]), duration = nalu_sample_get_duration(samples[i]);
        packet->data = (uint8_t *)nalu_sample_get_data(samples[i], &size);
        packet->size = (int)size;
        packet->pts = av_rescale_q(presentation.value, (AVRational){1, presentation.timescale}, stream->time_base);
        packet->dts = av_rescale_q(decode.value, (AVRational){1, decode.timescale}, stream->time_base);
        packet->duration = av_rescale_q(duration.value, (AVRational){1, duration.timescale}, stream->time_base);
        packet->flags = nalu_sample_is_key_frame(samples[i]) ? AV_PKT_FLAG_KEY : 0;
        FF(av_write_frame(output, packet));
    }
    FF(av_write_trailer(output));
    avio_closep(&output->pb);
    avformat_free_context(output);
    av_packet_free(&packet);
    return seconds(CLOCK_THREAD_CPUTIME_ID) - start;
}

static const struct kind {
    const char *title, *container;
    uint32_t flags;
} kinds[] = {{"mp4", "mp4", 0}, {"mp4, fragmented", "mp4", NALU_WRITER_FRAGMENTED}, {"matroska", "matroska", 0},
             {"mpegts", "mpegts", 0}, {"flv", "flv", 0}, {"h264", "h264", 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double nalu_writes_kind(void *argument) {
    const struct kind *kind = argument;
    return write_file(kind->container, kind->flags);
}

static double ffmpeg_writes_kind(void *argument) {
    const struct kind *kind = argument;
    return ffmpeg_writes(kind->container, kind->flags);
}

static void section_write(void) {
    print_head("Writing, microseconds of processor time a sample");
    for (size_t i = 0; i < KINDS; i++) {
        double values[MOST_ROUNDS];
        for (int j = 0; j < rounds; j++) values[j] = nalu_writes_kind((void *)&kinds[i]) / sample_count * 1e6;
        print_row(kinds[i].title, values, "at most 15");
    }
    print_head("Writing, speed beside libavformat's av_write_frame, processor time");
    for (size_t i = 0; i < KINDS; i++)
        print_ratio(kinds[i].title, nalu_writes_kind, ffmpeg_writes_kind, (void *)&kinds[i], "");
}

/* ---- Reading an MP4 into an Annex B file ---- */

static double nalu_demuxes(void *argument) {
    double start = seconds(CLOCK_MONOTONIC);
    nalu_reader *reader = NULL;
    nalu_writer *writer = NULL;
    nalu_writer_options options = NALU_WRITER_OPTIONS_INIT;
    nalu_sample *sample = NULL;
    uint32_t track = 0;
    (void)argument;
    options.flags = NALU_WRITER_OVERWRITE;
    OK(nalu_reader_create_with_path(path_of("mp4"), NULL, &reader));
    OK(nalu_writer_create_with_path(path_of("ours.h264"), NULL, &options, &writer));
    OK(nalu_writer_add_track(writer, nalu_reader_get_format_description(reader, 0), NULL, NULL));
    while (nalu_reader_next_sample(reader, &track, &sample) == NALU_STATUS_OK) {
        OK(nalu_writer_write_sample(writer, 0, sample));
        nalu_sample_release(sample);
    }
    check(nalu_reader_get_status(reader) == NALU_READER_STATUS_COMPLETED, "reading");
    OK(nalu_writer_finish(writer));
    nalu_writer_release(writer);
    nalu_reader_release(reader);
    return seconds(CLOCK_MONOTONIC) - start;
}

static double ffmpeg_demuxes(void *argument) {
    double start = seconds(CLOCK_MONOTONIC);
    AVFormatContext *input = NULL, *output = NULL;
    AVBSFContext *filter = NULL;
    AVPacket *packet = av_packet_alloc();
    (void)argument;
    FF(avformat_open_input(&input, path_of("mp4"), NULL, NULL));
    FF(avformat_find_stream_info(input, NULL));
    FF(av_bsf_alloc(av_bsf_get_by_name("h264_mp4toannexb"), &filter));
    FF(avcodec_parameters_copy(filter->par_in, input->streams[0]->codecpar));
    filter->time_base_in = input->streams[0]->time_base;
    FF(av_bsf_init(filter));
    FF(avformat_alloc_output_context2(&output, NULL, "h264", path_of("theirs.h264")));
    FF(avio_open(&output->pb, path_of("theirs.h264"), AVIO_FLAG_WRITE));
    AVStream *stream = avformat_new_stream(output, NULL);
    FF(avcodec_parameters_copy(stream->codecpar, filter->par_out));
    stream->codecpar->codec_tag = 0;
    FF(avformat_write_header(output, NULL));
    while (av_read_frame(input, packet) >= 0) {
        FF(av_bsf_send_packet(filter, packet));
        while (av_bsf_receive_packet(filter, packet) >= 0) {
            FF(av_write_frame(output, packet));
            av_packet_unref(packet);
        }
    }
    FF(av_write_trailer(output));
    avio_closep(&output->pb);
    avformat_free_context(output);
    av_bsf_free(&filter);
    avformat_close_input(&input);
    av_packet_free(&packet);
    return seconds(CLOCK_MONOTONIC) - start;
}

static void section_read(void) {
    write_file("mp4", 0);
    print_head("MP4 to an Annex B file, speed beside libavformat with h264_mp4toannexb");
    print_ratio("demuxing", nalu_demuxes, ffmpeg_demuxes, NULL, "1.0");
}

/* ---- Decoding ---- */

static int shown;

static void got_picture(void *refcon, void *frame_refcon, nalu_status status, nalu_decode_info_flags flags,
                        nalu_pixel_buffer *image, nalu_time presentation_time, nalu_time duration) {
    (void)refcon, (void)frame_refcon, (void)flags, (void)presentation_time, (void)duration;
    check(status == NALU_STATUS_OK && image, "decoding a frame");
    shown++;
}

typedef struct decoding {
    int threads;
    uint32_t flags; /* flags of decode_frame */
} decoding;

static double nalu_decodes(void *argument) {
    const decoding *how = argument;
    double start = seconds(CLOCK_MONOTONIC);
    nalu_decompression_session *session = NULL;
    nalu_decoder_specification specification = NALU_DECODER_SPECIFICATION_INIT;
    specification.thread_count = how->threads;
    shown = 0;
    OK(nalu_decompression_session_create(nalu_sample_get_format_description(samples[0]), &specification, NULL, got_picture,
        NULL, NULL, &session));
    for (int i = 0; i < sample_count; i++)
        OK(nalu_decompression_session_decode_frame(session, samples[i], how->flags, NULL, NULL));
    OK(nalu_decompression_session_wait_for_asynchronous_frames(session));
    check(shown == sample_count, "showing all frames");
    nalu_decompression_session_release(session);
    return seconds(CLOCK_MONOTONIC) - start;
}

static double ffmpeg_decodes(void *argument) {
    const decoding *how = argument;
    double start = seconds(CLOCK_MONOTONIC);
    AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    size_t size = 0;
    const uint8_t *avcc = nalu_format_description_get_avcc(nalu_sample_get_format_description(samples[0]), &size);
    check(decoder && packet && frame, "memory");
    decoder->extradata = av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE);
    memcpy(decoder->extradata, avcc, size);
    decoder->extradata_size = (int)size;
    decoder->thread_count = how->threads;
    FF(avcodec_open2(decoder, NULL, NULL));
    shown = 0;
    for (int i = 0; i <= sample_count; i++) {
        if (i < sample_count) {
            const uint8_t *bytes = nalu_sample_get_data(samples[i], &size);
            FF(av_new_packet(packet, (int)size));
            memcpy(packet->data, bytes, size);
        }
        FF(avcodec_send_packet(decoder, i < sample_count ? packet : NULL));
        av_packet_unref(packet);
        while (avcodec_receive_frame(decoder, frame) >= 0) shown++;
    }
    check(shown == sample_count, "showing all frames with FFmpeg");
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    return seconds(CLOCK_MONOTONIC) - start;
}

static void section_decode(void) {
    decoding at_once = {1, 0}, one = {1, NALU_DECODE_FRAME_ASYNCHRONOUS}, two = {2, NALU_DECODE_FRAME_ASYNCHRONOUS};
    print_head("Decoding 720p, speed beside libavcodec");
    print_ratio("one thread, synchronous", nalu_decodes, ffmpeg_decodes, &at_once, "");
    print_ratio("one thread, asynchronous", nalu_decodes, ffmpeg_decodes, &one, "0.97");
    print_ratio("two threads, asynchronous", nalu_decodes, ffmpeg_decodes, &two, "0.97");
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } sections[] = {{"convert", section_convert}, {"write", section_write}, {"read", section_read}, {"decode", section_decode}};
    const char *only = NULL;
    int frames = MOST_FRAMES, ran = 0;
    for (int option; (option = getopt(argc, argv, "qr:o:")) >= 0;) {
        if (option == 'q') rounds = 3, frames = 30;
        else if (option == 'r') rounds = atoi(optarg);
        else if (option == 'o') only = optarg;
        else return EXIT_FAILURE;
    }
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "media: -r takes 1 to %d\n", MOST_ROUNDS);
        return EXIT_FAILURE;
    }
    check(mkdtemp(directory) != NULL, "making a directory");
    make_clip(optind < argc ? argv[optind] : NULL, frames);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!only || strcmp(only, sections[i].name) == 0) sections[i].run(), ran = 1;
    for (int i = 0; i < sample_count; i++) nalu_sample_release(samples[sample_count - 1 - i]);
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    if (system(command) != 0) fprintf(stderr, "media: %s stays\n", directory);
    if (!ran) fprintf(stderr, "media: -o takes convert, write, read or decode\n");
    return ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
