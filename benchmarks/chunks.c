/*
 * Encodes a clip in chunks and as a whole, with two passes each, and compares the size, the PSNR, and the PSNR of frames
 * next to seams. Prints rows of a Markdown table, and the number of additional passes on stderr.
 *
 *     chunks -r BITS_PER_SECOND [-p PRESET] [-x PROPERTIES] [-o FILE] [-e] [-1] CLIP.y4m CHUNKS...
 *
 * Chunks begin at scene changes: at the key frames of the whole encode that are nearest to the borders of equal chunks.
 * With -e chunks have equal lengths. With -1 no first pass is repeated.
 *
 * The clip has 4:2:0 planes. PROPERTIES is the text for nalu_session_set_properties_from_text, for every session. FILE
 * receives the stream of the last row as Annex B.
 *
 * The PSNR is computed over the luma and chroma samples of all frames. At a seam it is the mean of six frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "measure.h"
#include <nalu/nalu.h>

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CHUNKS = 64, NEAR = 6 };

typedef struct frame {
    double error; /* the mean squared error over all samples of the picture */
    double bits;
    nalu_sample *sample;
} frame;

typedef struct input {
    const uint8_t *bytes;
    size_t stride, size; /* in bytes: the distance between frames, and a frame */
    long frames;
    int width, height, rate, scale;
    long bit_rate;
    const char *preset, *properties;
    int repeats; /* the maximum number of repetitions of a first pass */
    long seams[MOST_CHUNKS + 1]; /* the first frame of each chunk, and the number of frames */
} input;

typedef struct chunk {
    const input *in;
    long first, count;
    frame *frames; /* in decode order, and sorted by presentation time at the end */
    long came;
    double bits;
    int passes;
} chunk;

static double decibels(double error) { return 10 * log10(255.0 * 255.0 / fmax(error, 0.01)); }

static void take(void *refcon, void *frame_refcon, nalu_status status, nalu_encode_info_flags flags,
                 nalu_sample *sample) {
    chunk *p = refcon;
    nalu_quality_metrics metrics = {.struct_size = sizeof metrics};
    size_t size = 0;
    (void)flags;
    (void)frame_refcon;
    check(status == NALU_STATUS_OK && sample && p->came < p->count, "encoding a frame");
    OK(nalu_sample_get_quality_metrics(sample, &metrics));
    nalu_sample_get_data(sample, &size);
    frame *f = &p->frames[p->came++];
    f->error = (4 * metrics.luma_mean_squared_error + metrics.chroma_blue_mean_squared_error +
                metrics.chroma_red_mean_squared_error) / 6;
    f->bits = (double)size * 8;
    f->sample = nalu_sample_retain(sample);
    p->bits += f->bits;
}

static nalu_compression_session *open_session(chunk *p, int before, int after, nalu_multi_pass_storage *storage,
                                              int64_t bit_rate) {
    const input *in = p->in;
    nalu_compression_session *session = NULL;
    OK(nalu_compression_session_create(in->width, in->height, NALU_CODEC_H264, NULL, NULL, take, p, NULL, &session));
    OK(nalu_session_set_string(session, NALU_PROPERTY_PROFILE_LEVEL, "H264_High_4_0"));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PRESET, in->preset));
    OK(nalu_session_set_string(session, NALU_PROPERTY_X264_PARAMS, "threads=1"));
    OK(nalu_session_set_double(session, NALU_PROPERTY_EXPECTED_FRAME_RATE, (double)in->rate / in->scale));
    OK(nalu_session_set_bool(session, NALU_PROPERTY_CALCULATE_MEAN_SQUARED_ERROR, 1));
    OK(nalu_session_set_int64(session, NALU_PROPERTY_AVERAGE_BIT_RATE, bit_rate));
    OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_BEFORE_START, before));
    OK(nalu_session_set_bool(session, NALU_PROPERTY_MORE_FRAMES_AFTER_END, after));
    if (in->properties) OK(nalu_session_set_properties_from_text(session, in->properties));
    OK(nalu_compression_session_set_multi_pass_storage(session, storage));
    return session;
}

/* `qp`: for a first pass, or 0 for the encoder's choice; 0 for later passes. */
static int run_pass(nalu_compression_session *session, chunk *p, double qp) {
    const input *in = p->in;
    int32_t again = 0;
    for (long i = 0; i < p->came; i++) nalu_sample_release(p->frames[i].sample);
    p->came = 0;
    p->bits = 0;
    p->passes++;
    OK(nalu_compression_session_begin_first_pass(session, 0, qp));
    size_t luma = (size_t)in->width * (size_t)in->height;
    for (long i = p->first; i < p->first + p->count; i++) {
        const uint8_t *pixels = in->bytes + (size_t)i * in->stride;
        const void *planes[3] = {pixels, pixels + luma, pixels + luma + luma / 4};
        const int64_t strides[3] = {in->width, in->width / 2, in->width / 2};
        OK(nalu_compression_session_encode_planes(session, in->width, in->height, NALU_PIXEL_FORMAT_Y420, 3, planes,
                                                  strides, NULL, nalu_time_make(i * in->scale, in->rate),
                                                  nalu_time_make(in->scale, in->rate), NULL, NULL, NULL));
    }
    OK(nalu_compression_session_end_pass(session, &again));
    check(p->came == p->count, "getting every frame back");
    return again;
}

static int by_time(const void *a, const void *b) {
    return nalu_time_compare(nalu_sample_get_presentation_time(((const frame *)a)->sample),
                             nalu_sample_get_presentation_time(((const frame *)b)->sample));
}

static int by_decode_time(const void *a, const void *b) {
    return nalu_time_compare(nalu_sample_get_decode_time(((const frame *)a)->sample),
                             nalu_sample_get_decode_time(((const frame *)b)->sample));
}

/* Sets the first frame of each chunk. `single`: the encode of the whole clip; NULL: all chunks are equal. */
static void divide(input *in, int count, const frame *single) {
    for (int i = 0; i <= count; i++) in->seams[i] = in->frames * i / count;
    for (int i = 1; single && i < count; i++) {
        long middle = in->seams[i], reach = in->frames / count / 2 - NEAR, best = 0;
        for (long k = -reach; k <= reach; k++) {
            int is_key = middle + k > in->seams[i - 1] + 2 * NEAR && nalu_sample_is_key_frame(single[middle + k].sample);
            if (is_key && (best == 0 || labs(k) < labs(best - middle))) best = middle + k;
        }
        if (best) in->seams[i] = best;
    }
}

/* Runs a first pass. Returns a storage that is made from the data of this pass, as on another machine. */
static nalu_multi_pass_storage *first_pass(chunk *p, int before, int after, double qp) {
    nalu_multi_pass_storage *storage = NULL, *copy = NULL;
    size_t size = 0;
    OK(nalu_multi_pass_storage_create(NULL, &storage));
    nalu_compression_session *session = open_session(p, before, after, storage, p->in->bit_rate);
    run_pass(session, p, qp);
    OK(nalu_multi_pass_storage_copy_data(storage, NULL, 0, &size));
    uint8_t *data = malloc(size);
    OK(nalu_multi_pass_storage_copy_data(storage, data, size, &size));
    OK(nalu_multi_pass_storage_create_with_data(NULL, data, size, &copy));
    free(data);
    nalu_compression_session_release(session);
    nalu_multi_pass_storage_release(storage);
    return copy;
}

/* Returns all frames of the clip in presentation order. For each chunk, one session runs the first pass, and another one
 * the later passes with its data, as on several machines. */
static frame *encode(const input *in, int count, double *rates, int *further, int *repeated) {
    static chunk chunks[MOST_CHUNKS];
    nalu_multi_pass_storage *storages[MOST_CHUNKS];
    int64_t bit_rates[MOST_CHUNKS] = {in->bit_rate};
    frame *all = calloc((size_t)in->frames, sizeof *all);
    check(all != NULL, "allocating");
    for (int i = 0; i < count; i++) {
        long first = in->seams[i];
        chunks[i] = (chunk){.in = in, .first = first, .count = in->seams[i + 1] - first, .frames = all + first};
        storages[i] = first_pass(&chunks[i], i > 0, i < count - 1, 0);
    }
    double total = (double)in->bit_rate * (double)in->frames * in->scale / in->rate;
    for (int turn = 0; count > 1 && turn <= in->repeats; turn++) {
        double qps[MOST_CHUNKS];
        int repeats = 0;
        OK(nalu_multi_pass_storage_divide_bits(storages, (size_t)count, (uint64_t)total, bit_rates, qps));
        for (int i = 0; turn < in->repeats && i < count; i++) {
            if (qps[i] == 0) continue;
            nalu_multi_pass_storage_release(storages[i]);
            storages[i] = first_pass(&chunks[i], i > 0, i < count - 1, qps[i]);
            chunks[i].passes--;
            repeats++;
        }
        *repeated += repeats;
        if (repeats == 0) break;
    }
    for (int i = 0; i < count; i++) {
        nalu_compression_session *session = open_session(&chunks[i], i > 0, i < count - 1, storages[i], bit_rates[i]);
        while (run_pass(session, &chunks[i], 0)) {}
        nalu_compression_session_release(session);
        nalu_multi_pass_storage_release(storages[i]);
        rates[i] = (double)bit_rates[i];
        *further += chunks[i].passes - 2;
        qsort(chunks[i].frames, (size_t)chunks[i].count, sizeof(frame), by_time);
    }
    return all;
}

static double mean_decibels(const frame *frames, long first, long count) {
    double sum = 0;
    for (long i = first; i < first + count; i++) sum += decibels(frames[i].error);
    return sum / (double)count;
}

static double bits_of(const frame *frames, long count) {
    double bits = 0;
    for (long i = 0; i < count; i++) bits += frames[i].bits;
    return bits;
}

static double psnr_of(const frame *frames, long count) {
    double error = 0;
    for (long i = 0; i < count; i++) error += frames[i].error;
    return decibels(error / (double)count);
}

static void write_stream(frame *frames, long count, const char *path) {
    FILE *file = fopen(path, "wb");
    check(file != NULL, "creating the stream");
    qsort(frames, (size_t)count, sizeof *frames, by_decode_time);
    for (long i = 0; i < count; i++) {
        size_t size = 0;
        int32_t sets = NALU_ANNEX_B_PARAMETER_SETS_AT_KEY_FRAMES;
        OK(nalu_sample_copy_annex_b(frames[i].sample, sets, NULL, 0, &size));
        uint8_t *bytes = malloc(size);
        OK(nalu_sample_copy_annex_b(frames[i].sample, sets, bytes, size, &size));
        check(fwrite(bytes, 1, size, file) == size, "writing the stream");
        free(bytes);
    }
    check(fclose(file) == 0, "writing the stream");
}

static void release(frame *frames, long count) {
    for (long i = 0; i < count; i++) nalu_sample_release(frames[i].sample);
    free(frames);
}

static input open_clip(const char *path) {
    input in = {.preset = "veryfast"};
    struct stat status;
    int file = open(path, O_RDONLY);
    check(file >= 0 && fstat(file, &status) == 0, "opening the clip");
    in.bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    check(in.bytes != MAP_FAILED, "mapping the clip");
    close(file);
    const uint8_t *end = memchr(in.bytes, '\n', (size_t)status.st_size);
    check(end && sscanf((const char *)in.bytes, "YUV4MPEG2 W%d H%d F%d:%d", &in.width, &in.height, &in.rate, &in.scale) == 4,
          "reading the clip's header");
    in.size = (size_t)in.width * (size_t)in.height * 3 / 2;
    in.stride = in.size + 6; /* "FRAME\n" */
    in.frames = (long)(((size_t)status.st_size - (size_t)(end + 1 - in.bytes)) / in.stride);
    in.bytes = end + 1 + 6;
    return in;
}

int main(int argc, char **argv) {
    long bit_rate = 0;
    const char *preset = "veryfast", *properties = NULL, *output = NULL;
    int is_equal = 0, repeats = 2;
    for (int option; (option = getopt(argc, argv, "r:p:x:o:e1")) != -1;) {
        if (option == 'r') bit_rate = atol(optarg);
        else if (option == 'p') preset = optarg;
        else if (option == 'x') properties = optarg;
        else if (option == 'o') output = optarg;
        else if (option == 'e') is_equal = 1;
        else if (option == '1') repeats = 0;
        else return EXIT_FAILURE;
    }
    if (argc - optind < 2 || bit_rate <= 0) {
        fprintf(stderr, "usage: chunks -r BITS_PER_SECOND [-p PRESET] [-x PROPERTIES] [-o FILE] [-e] [-1] CLIP.y4m CHUNKS...\n");
        return EXIT_FAILURE;
    }
    const char *path = argv[optind];
    input in = open_clip(path);
    in.bit_rate = bit_rate;
    in.preset = preset;
    in.properties = properties;
    in.repeats = repeats;
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    double rates[MOST_CHUNKS];
    int further = 0, repeated = 0, encodes = 1;
    double asked = (double)bit_rate * (double)in.frames * in.scale / in.rate;
    divide(&in, 1, NULL);
    frame *single = encode(&in, 1, rates, &further, &repeated);
    double single_bits = bits_of(single, in.frames), single_psnr = psnr_of(single, in.frames);
    printf("| %s, %ld frames | 1 | %+.2f %% | | %.2f | | | |\n", name, in.frames, (single_bits / asked - 1) * 100,
           single_psnr);
    fflush(stdout);
    frame *last = NULL;
    for (int i = optind + 1; i < argc; i++) {
        int count = atoi(argv[i]);
        check(count >= 2 && count <= MOST_CHUNKS && in.frames / count > 2 * NEAR, "reading the number of chunks");
        if (last) release(last, in.frames);
        divide(&in, count, is_equal ? NULL : single);
        frame *all = last = encode(&in, count, rates, &further, &repeated);
        encodes += count;
        double bits = bits_of(all, in.frames), psnr = psnr_of(all, in.frames), before = 0, after = 0, worst = INFINITY;
        for (int k = 1; k < count; k++) {
            long seam = in.seams[k];
            double left = mean_decibels(all, seam - NEAR, NEAR) - mean_decibels(single, seam - NEAR, NEAR);
            double right = mean_decibels(all, seam, NEAR) - mean_decibels(single, seam, NEAR);
            before += left / (count - 1);
            after += right / (count - 1);
            worst = fmin(worst, fmin(left, right));
        }
        printf("| %s | %d | %+.2f %% | %+.2f %% | %.2f | %+.2f | %+.2f / %+.2f | %+.2f |\n", name, count,
               (bits / asked - 1) * 100, (bits / single_bits - 1) * 100, psnr, psnr - single_psnr, before, after, worst);
        fflush(stdout);
        for (int k = 0; getenv("CHUNKS_VERBOSE") && k < count; k++) {
            long first = in.seams[k], n = in.seams[k + 1] - first;
            double seconds = (double)n * in.scale / in.rate;
            fprintf(stderr, "  chunk %d from %ld: rate %.0f, got %.0f, single %.0f; PSNR %.2f, single %.2f\n", k, first, rates[k],
                    bits_of(all + first, n) / seconds, bits_of(single + first, n) / seconds, psnr_of(all + first, n),
                    psnr_of(single + first, n));
        }
    }
    fprintf(stderr, "%s: of %d encodes, %d first passes were repeated, and %d passes came after the second\n", name, encodes, repeated,
            further);
    if (output && last) write_stream(last, in.frames, output);
    if (last) release(last, in.frames);
    release(single, in.frames);
    return EXIT_SUCCESS;
}
